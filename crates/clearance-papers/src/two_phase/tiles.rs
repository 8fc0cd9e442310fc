//! Lemma 1 and theorems 1 to 3 of the two-phase paper, counted on the hashes of this crate (alpha = 1/4, beta = 1) and on the printed one.

use super::tiling::{Form, PrintedHash, Tiling};
use super::{CoherentHash, PlainHash};
use clearance::broad::BroadPhase;
use clearance::math::{Aabb, DVec3};
use clearance_lab::{Rng, random};

/// Boxes with sides from 1 to some ratio, drawn evenly by order of magnitude, at constant density.
#[must_use]
pub fn boxes(rng: &mut Rng, count: usize, ratio: f64) -> Vec<Aabb> {
    let sides: Vec<f64> = (0..count).map(|_| ratio.powf(rng.f64())).collect();
    let room = (4.0 * sides.iter().map(|side| side.powi(3)).sum::<f64>()).cbrt();
    let place = |side: &f64| {
        let min = random::vector(rng, 0.0, room);
        Aabb { min, max: min + *side }
    };
    sides.iter().map(place).collect()
}

/// The size of a box: its longest side.
#[must_use]
pub fn size(bounds: &Aabb) -> f64 {
    (bounds.max - bounds.min).max_element()
}

/// The distance of two boxes.
#[must_use]
pub fn gap(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO).length()
}

/// The number of resolutions that boxes need, and the limit of lemma 1.
#[must_use]
pub fn resolutions(all: &[Aabb]) -> [usize; 2] {
    let mut hash = CoherentHash::default();
    all.iter().zip(0..).for_each(|(bounds, slot)| hash.set(slot, bounds));
    hash.update();
    let (least, most) =
        all.iter().map(size).fold((f64::INFINITY, 0.0_f64), |(low, high), size| (low.min(size), high.max(size)));
    [hash.finder().resolutions().count(), (most / least).log(4.0).ceil() as usize]
}

/// Theorem 1: the number of resolutions, the mean number of visited buckets for a box, and the largest.
#[must_use]
pub fn buckets(all: &[Aabb]) -> [f64; 3] {
    let mut order: Vec<&Aabb> = all.iter().collect();
    // As in the paper: those of coarse tiles first.
    order.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let mut hash = CoherentHash::default();
    let (mut before, mut most) = (0, 0);
    for (bounds, slot) in order.into_iter().zip(0..) {
        hash.set(slot, bounds);
        hash.update();
        let now = hash.finder().work().buckets;
        (before, most) = (now, most.max(now - before));
    }
    [hash.finder().resolutions().count() as f64, before as f64 / all.len() as f64, most as f64]
}

/// Theorem 2: the work of plain hashing on boxes of one size, and the close pairs among them.
#[must_use]
pub fn growth(count: usize) -> [f64; 3] {
    let all = boxes(&mut Rng::with_seed(count as u64), count, 2.0);
    let (mut plain, mut coherent) = (PlainHash::default(), CoherentHash::default());
    all.iter().zip(0..).for_each(|(bounds, slot)| {
        plain.set(slot, bounds);
        coherent.set(slot, bounds);
    });
    plain.update();
    coherent.update();
    let work = plain.finder().work();
    [coherent.finder().close_pairs().len() as f64, work.buckets as f64, work.read as f64]
}

/// Theorem 3: the number of close pairs over some frames, and the largest distance of one, in sizes of the larger box. Boxes wander, and change
/// their sizes if `do_sizes_change` is set.
#[must_use]
pub fn farthest(frames: usize, do_sizes_change: bool) -> [f64; 2] {
    let mut rng = Rng::with_seed(3);
    let mut all = boxes(&mut rng, 200, 64.0);
    let mut hash = CoherentHash::default();
    let (mut count, mut most) = (0, 0.0_f64);
    for frame in 0..frames {
        for (slot, bounds) in all.iter_mut().enumerate() {
            let by = random::vector(&mut rng, -0.1, 0.1) * size(bounds);
            let factor = if do_sizes_change { 1.0 + 0.3 * (0.3 * frame as f64 + slot as f64).sin() } else { 1.0 };
            let side = (bounds.max - bounds.min) * factor;
            *bounds = Aabb { min: bounds.min + by, max: bounds.min + by + side };
            hash.set(slot as u32, bounds);
        }
        hash.update();
        for pair in hash.finder().close_pairs() {
            let (a, b) = (&all[pair.low() as usize], &all[pair.high() as usize]);
            count += 1;
            most = most.max(gap(a, b) / size(a).max(size(b)));
        }
    }
    [f64::from(count), most]
}

/// The same for the printed hash with alpha = 1/4, of boxes that keep their sizes.
#[must_use]
pub fn farthest_printed(frames: usize) -> [f64; 2] {
    let mut rng = Rng::with_seed(3);
    let mut all = boxes(&mut rng, 200, 64.0);
    let sizes: Vec<f64> = all.iter().map(size).collect();
    let mut hash = PrintedHash::new(Form::Coherent, Tiling::of_sizes(0.25, 1.0, &sizes), &sizes);
    let (mut count, mut most) = (0, 0.0_f64);
    for _ in 0..frames {
        for bounds in &mut all {
            let by = random::vector(&mut rng, -0.1, 0.1) * size(bounds);
            (bounds.min, bounds.max) = (bounds.min + by, bounds.max + by);
        }
        hash.update(&all);
        for [a, b] in hash.close_pairs().into_iter().map(|pair| pair.map(|label| label as usize)) {
            count += 1;
            most = most.max(gap(&all[a], &all[b]) / sizes[a].max(sizes[b]));
        }
    }
    [f64::from(count), most]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_that_is_fixed_in_space_needs_at_most_one_resolution_more_than_the_lemma() {
        let unit = |size: f64| Aabb { min: DVec3::ZERO, max: DVec3::splat(size) };
        assert_eq!(resolutions(&[unit(1.1), unit(4.0)]), [1, 1]);
        assert_eq!(resolutions(&[unit(3.9), unit(4.1)]), [2, 1]);
        // Those in between are not needed.
        assert_eq!(resolutions(&[unit(1.1), unit(60.0)]), [2, 3]);
    }

    #[test]
    fn buckets_and_gaps_are_those_of_simple_cases() {
        let unit = |x: f64| Aabb { min: DVec3::new(x, 0.1, 0.1), max: DVec3::new(x + 0.8, 0.9, 0.9) };
        assert_eq!(buckets(&[unit(0.1), unit(5.1)]), [1.0, 1.0, 1.0]);
        assert_eq!(buckets(&[unit(0.1), unit(0.5)]), [1.0, 1.5, 2.0]);
        assert_eq!(gap(&unit(0.0), &unit(0.5)), 0.0);
        assert!((gap(&unit(0.0), &unit(2.0)) - 1.2).abs() < 1e-12);
    }
}
