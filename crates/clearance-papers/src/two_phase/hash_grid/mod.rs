//! Hierarchical spatial hashing, as in section 2 of the two-phase paper: plain and coherent.
//!
//! Space is tiled at several resolutions. A box is entered at the one whose tiles are from 1 to 4 times as long as its longest side (alpha = 1/4,
//! beta = 1). It is compared with the boxes in the tiles that it meets at this and at coarser resolutions. It meets at most eight tiles of each, for
//! any sizes of the others.
//!
//! * [`PlainHash`] fills its tables anew in every update.
//! * [`CoherentHash`] enters a box at the coarser resolutions too and counts for every two boxes in how many tiles they
//!   meet, so that only boxes which moved into another tile cost anything but a comparison.
//!
//! **Deviations.** Tiles are powers of two long, so that the tile of a coordinate is exact. Close counters are in a hash map
//! instead of a square array. Resolutions come and go with the boxes that need them. Boxes with infinite coordinates are
//! compared with all.

mod coherent;
mod plain;

pub use coherent::CoherentHash;
pub use plain::PlainHash;

use clearance::internals::broad::{Boxes, is_held};
use clearance::math::Aabb;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A resolution: tiles are two to this power long.
type Level = i32;

/// Resolutions are this many powers of two apart: beta / alpha = 4.
const STEP: i32 = 2;

/// Boxes with larger coordinates are compared with all.
const FAR: f64 = 1e300;

/// The labels in a tile: slots with their own resolutions.
type Bucket = SmallVec<[(u32, Level); 4]>;

/// Tiles of one resolution. Two tiles may share a hash; then they are one tile.
type Tiles = FxHashMap<u64, Bucket>;

/// Counts of the work of hashing, the same on every machine.
///
/// ```
/// use clearance::broad::BroadPhase;
/// use clearance_papers::two_phase::{CoherentHash, PlainHash};
/// use clearance::math::{Aabb, DVec3};
///
/// let (mut plain, mut coherent) = (PlainHash::default(), CoherentHash::default());
/// for frame in 0..100 {
///     for slot in 0..2 {
///         let min = DVec3::new(0.3 + 0.3 * f64::from(slot) + 1e-3 * f64::from(frame), 0.2, 0.2);
///         let bounds = Aabb { min, max: min + 0.25 };
///         plain.set(slot, &bounds);
///         coherent.set(slot, &bounds);
///     }
///     assert_eq!(plain.update(), coherent.update());
/// }
/// // One hash visits its boxes in every update, the other when they come to another tile.
/// assert!(plain.finder().work().buckets > 20 * coherent.finder().work().buckets);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HashWork {
    /// Visited buckets: to enter a label, to remove it, or to read its labels.
    pub buckets: u64,
    /// Labels that were entered.
    pub entered: u64,
    /// Labels that were read in visited buckets.
    pub read: u64,
}

fn is_hashable(bounds: &Aabb) -> bool {
    bounds.min.min_element() >= -FAR && bounds.max.max_element() <= FAR
}

/// The smallest power of two that is not below a positive number, for numbers that are not subnormal.
fn exponent(value: f64) -> i32 {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    exponent + i32::from(bits & ((1 << 52) - 1) != 0)
}

/// The resolution of a box.
///
/// A point has no size, but it need not be distinguished from others closer than 2^-40 of its distance from the origin. Numbers of tiles stay below
/// 2^42 that way.
fn level(bounds: &Aabb) -> Level {
    let size = (bounds.max - bounds.min).max_element();
    let far = bounds.max.abs().max_element().max(bounds.min.abs().max_element());
    let exponent = exponent(size).max(exponent(far) - 40).max(-900);
    exponent.div_euclid(STEP) * STEP + if exponent.rem_euclid(STEP) == 0 { 0 } else { STEP }
}

/// True if a box may stay at its earlier resolution: until it is half as small as it should be.
fn may_stay(bounds: &Aabb, at: Level) -> bool {
    let fitting = level(bounds);
    fitting <= at && at <= fitting + STEP
}

/// The corners of a box in tiles: formula (1), for the least and the greatest corner.
fn corners(bounds: &Aabb, level: Level) -> [[i64; 3]; 2] {
    // Exact: a power of two. In two factors, since 2^900 and more is near the end of the range.
    let half = level / 2;
    let (a, b) = (power(-half), power(half - level));
    // Numbers of tiles are small enough for this, and it is faster than `floor` where that is a call.
    let tile = |x: f64| {
        let (x, toward_zero) = (x * a * b, (x * a * b) as i64);
        toward_zero - i64::from(x < toward_zero as f64)
    };
    [bounds.min.to_array().map(tile), bounds.max.to_array().map(tile)]
}

fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The hash of a tile.
fn key([x, y, z]: [i64; 3]) -> u64 {
    let mix = |hash: u64, value: i64| (hash ^ value as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    mix(mix(mix(0, x), y), z)
}

/// Visits the hashes of the tiles between two corners that are not between two others.
fn each_tile([low, high]: [[i64; 3]; 2], except: Option<[[i64; 3]; 2]>, mut visit: impl FnMut(u64)) {
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                let tile = [x, y, z];
                if !except.is_some_and(|[low, high]| (0..3).all(|k| low[k] <= tile[k] && tile[k] <= high[k])) {
                    visit(key(tile));
                }
            }
        }
    }
}

/// The held slots that cannot be hashed.
fn outside(boxes: &Boxes) -> impl Iterator<Item = u32> + '_ {
    boxes.all().iter().zip(0..).filter(|(bounds, _)| is_held(bounds) && !is_hashable(bounds)).map(|(_, slot)| slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::internals::glam::DVec3;

    #[test]
    fn a_box_of_any_size_meets_at_most_eight_tiles_of_its_resolution() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..20_000 {
            let size = 10f64.powi(rng.i32(-300..290));
            let mut draw = |scale: f64| DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * scale;
            let min = draw(size * 1e3);
            let bounds = Aabb { min, max: min + (draw(size) + 0.5 * size) };
            let at = level(&bounds);
            let mut count = 0;
            each_tile(corners(&bounds, at), None, |_| count += 1);
            assert!((1..=8).contains(&count), "{count} tiles for {bounds:?}");
        }
    }

    /// Theorem 3: boxes that share a tile at the coarser of their resolutions are no farther apart than its diagonal, which is at most
    /// √3 / alpha times the size of the larger.
    #[test]
    fn boxes_farther_apart_than_theorem_3_has_it_are_never_close() {
        let mut rng = fastrand::Rng::with_seed(33);
        let (mut close, mut farthest) = (0, 0.0_f64);
        for _ in 0..40_000 {
            let scale = 10f64.powi(rng.i32(-200..200));
            let mut draw = || DVec3::new(rng.f64(), rng.f64(), rng.f64());
            let sides = [draw(), draw() * 0.2_f64.powf(4.0 * draw().x)];
            let places = [draw() * 40.0 - 20.0, (draw() - 0.5) * 6.0];
            let first = places[0] * scale;
            let second = first + places[1] * scale;
            let boxes =
                [(first, sides[0]), (second, sides[1])].map(|(min, side)| Aabb { min, max: min + side * scale });
            let size = boxes.iter().map(|b| (b.max - b.min).max_element()).fold(0.0, f64::max);
            let at = level(&boxes[0]).max(level(&boxes[1]));
            let [a, b] = boxes.each_ref().map(|bounds| corners(bounds, at));
            let shares = (0..3).all(|k| a[0][k] <= b[1][k] && b[0][k] <= a[1][k]);
            let gap = (boxes[0].min - boxes[1].max).max(boxes[1].min - boxes[0].max).max(DVec3::ZERO);
            let reach = gap.max_element() * (gap / gap.max_element().max(f64::MIN_POSITIVE)).length() / size;
            assert!(!shares || reach <= 3f64.sqrt() * f64::from(1 << STEP), "{boxes:?}");
            (close, farthest) = (close + u32::from(shares), if shares { farthest.max(reach) } else { farthest });
        }
        assert!(close > 300 && farthest > 2.0, "representative: {close} close pairs, the farthest {farthest}");
    }

    #[test]
    fn points_and_exact_powers_have_a_resolution() {
        let point = Aabb { min: DVec3::ONE, max: DVec3::ONE };
        assert_eq!(level(&point), -40);
        assert_eq!(level(&Aabb { min: DVec3::ZERO, max: DVec3::splat(4.0) }), 2);
        assert_eq!(level(&Aabb { min: DVec3::ZERO, max: DVec3::splat(4.1) }), 4);
        assert_eq!(corners(&Aabb { min: -DVec3::ONE, max: DVec3::splat(4.0) }, 2), [[-1; 3], [1; 3]]);
        assert_eq!(level(&Aabb { min: DVec3::ZERO, max: DVec3::ZERO }), -900);
    }
}
