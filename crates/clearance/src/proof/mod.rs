//! Evidence for answers, for a checker that trusts nothing here: the types are those of `clearance-verify`. (Feature `proof`.)
//!
//! A direction proves a lower bound. Points prove an upper bound: two witnesses when the cores are apart, a closed surface of points of A -
//! B around the origin when they overlap. Where no surface comes close enough, it is an ellipsoid between A - B and a ball or a tree of
//! cells of directions (`part_pair.rs`). Evidence consists of vertex numbers, weights and local coordinates, from which a checker computes
//! the points exactly. Invariants:
//!
//! 1. Evidence is a hint. Nothing here has to be exact, and rounding can only leave a true answer unproved.
//! 2. Parts and vertices have the numbers of the shapes as they were written (`parts.rs`, `member.rs`), since that is all a checker sees.
//! 3. The library never calls the checker, nor the checker the library. They share the types of evidence only.
//!
//! | answer | evidence | file |
//! |---|---|---|
//! | distance, within, yes or no: convex shapes and compounds | a cover of all pairs of parts by directions, and points | this one, `cover.rs` |
//! | the same with meshes | a cover of all pairs of triangles, triangles that meet, or a point inside of a solid | `mesh.rs`, `sets.rs` |
//! | time of impact, cast of a shape | chains of intervals of time | `impact.rs` |
//! | ray | a segment that is free and one that meets the shape | `ray.rs` |
//! | depth of solids | a cover of translations | `depth.rs` |
//! | contact manifold | planes that bound the gap, and points | `contact.rs` |
//!
//! Evidence is not a hot path: it allocates, and for overlaps of curved shapes it may take thousands of support points.

mod cells;
mod chains;
mod contact;
mod cover;
mod depth;
mod ellipsoid;
mod impact;
mod member;
mod mesh;
mod nearest;
mod part_pair;
mod parts;
mod ray;
mod sets;
mod surface;
#[cfg(test)]
mod tests;
mod witness;

#[doc(no_inline)]
pub use clearance_verify::Evidence;
pub use contact::{of_manifold, written_manifold};
pub use cover::Trail;
pub use depth::depth;
pub use impact::{approach, cast_shape, impact};
pub use ray::cast_ray;

use crate::math::Pose;
use crate::pair::{self, Clearance, Engine, Pair, Until};
use crate::shape::Shape;
use clearance_verify::Lower;
use glam::DVec3;
use mesh::Meshes;
use part_pair::PartPair;
use parts::{PosedBodies, has_mesh};

/// The numbers of a pose, as the checker takes them.
#[must_use]
pub fn written_pose(pose: &Pose) -> clearance_verify::Pose {
    clearance_verify::Pose { translation: pose.translation().to_array(), rotation: pose.rotation().to_array() }
}

/// The evidence for a clearance of these two shapes at these poses.
///
/// ```
/// use clearance::{Pose, Shape, distance, proof};
/// use clearance_verify::{Lower, Upper};
///
/// let cube = Shape::cuboid([0.5, 0.5, 0.5])?;
/// let beside = Pose::from_translation([3.0, 0.0, 0.0]);
/// let c = distance(&cube, Pose::IDENTITY, &cube, beside);
/// let evidence = proof::of_clearance(&cube, Pose::IDENTITY, &cube, beside, &c);
/// assert_eq!(evidence.lower, Some(Lower::along(c.normal.to_array())));
/// assert!(matches!(evidence.upper, Some(Upper::Points { .. })));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn of_clearance(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, clearance: &Clearance) -> Evidence {
    // From the parts that are known to be closest it takes what a search takes that remembers them.
    let mut trail = Trail::default();
    if is_compound(a, b) {
        let until = Until { limit: f64::INFINITY, floor: clearance.lower };
        let placed = pair::PosedPair { a, pose_a: &pose_a, b, pose_b: &pose_b };
        pair::compound_clearance(placed, until, Engine::Auto, &mut pair::remembering(clearance.parts), &mut trail);
    }
    of_recorded(a, pose_a, b, pose_b, clearance, &trail)
}

/// The evidence for a clearance whose search was recorded.
///
/// ```
/// use clearance::proof::{self, Trail};
/// use clearance::{Pair, Pose, Shape};
///
/// let ball = Shape::sphere(1.0)?;
/// let row = Shape::compound((0..9).map(|i| (ball.clone(), Pose::from_translation([3.0 * f64::from(i), 0.0, 0.0]))))?;
/// let (at, mut trail) = (Pose::from_translation([0.0, 4.0, 0.0]), Trail::default());
/// let c = proof::distance(&mut Pair::new(&row, &row), Pose::IDENTITY, at, &mut trail);
/// let evidence = proof::of_recorded(&row, Pose::IDENTITY, &row, at, &c, &trail);
/// // Far fewer directions than the 81 pairs of parts.
/// assert!(evidence.lower.is_some_and(|lower| lower.cover.len() < 40) && evidence.upper.is_some());
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn of_recorded(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, clearance: &Clearance, trail: &Trail) -> Evidence {
    if has_mesh(a) || has_mesh(b) {
        let meshes = Meshes::new(a, pose_a, b, pose_b);
        return meshes.map(|meshes| meshes.of_clearance(clearance, trail)).unwrap_or_default();
    }
    let bodies = PosedBodies::of_both([a, b], [pose_a, pose_b]);
    let Some(chosen) = pair_of(&bodies, clearance.parts) else { return Evidence::default() };
    let origin = pose_a.translation();
    let witness = chosen.witness([clearance.point_a - origin, clearance.point_b - origin], clearance.normal);
    // The deepest or closest pair of parts proves the upper bound of the whole.
    let (direction, upper) = chosen.recorded_bounds(clearance, witness.as_ref());
    let lower = match is_compound(a, b) {
        true => lower_of_parts(&bodies, [a, b], clearance.lower, trail),
        false => Lower::along(direction.to_array()),
    };
    let witness = witness.map(|placed| placed.witness);
    let features = match &witness {
        Some(_) => {
            let [of_a, of_b] = clearance.features(a, b);
            [chosen.a.spanning(of_a), chosen.b.spanning(of_b)]
        }
        None => Default::default(),
    };
    Evidence { lower: given(lower), upper, witness, features, ..Evidence::default() }
}

/// A cover, unless it is empty.
fn given(lower: Lower) -> Option<Lower> {
    Some(lower).filter(|lower| !lower.cover.is_empty())
}

/// The parts of those numbers, if they exist.
fn pair_of<'a>([a, b]: &[PosedBodies<'a>; 2], [i, j]: [u32; 2]) -> Option<PartPair<'a>> {
    Some(a.part(i)?.with(b.part(j)?))
}

fn is_compound(a: &Shape, b: &Shape) -> bool {
    matches!(a, Shape::Compound(_)) || matches!(b, Shape::Compound(_))
}

/// The cover of a recorded search, for a lower bound.
fn lower_of_parts(bodies: &[PosedBodies<'_>; 2], shapes: [&Shape; 2], lower: f64, trail: &Trail) -> Lower {
    let moved = trail.translation();
    // After a translation that separates the shapes every pair has to be apart.
    let needed = if moved == DVec3::ZERO { lower } else { 0.0 };
    let mut cover = trail.cover(shapes, |parts, normal| {
        let Some(pair) = pair_of(bodies, parts) else { return normal };
        pair.moved_by(moved).direction(normal, needed)
    });
    if cover.translation.is_some() && moved.length() > -lower {
        // The answer came from another search, whose translation differed by rounding.
        cover.translation = Some((moved * ((1.0 - 4.0 * f64::EPSILON) * -lower / moved.length())).to_array());
    }
    cover
}

/// The evidence that two shapes have a point in common: that of two parts that do.
///
/// ```
/// use clearance::{Pose, Shape, proof};
///
/// let ball = Shape::sphere(1.0)?;
/// let evidence = proof::of_intersection(&ball, Pose::IDENTITY, &ball, Pose::from_translation([1.0, 0.0, 0.0]));
/// assert!(evidence.upper.is_some());
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn of_intersection(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> Evidence {
    if has_mesh(a) || has_mesh(b) {
        let meshes = Meshes::new(a, pose_a, b, pose_b);
        return meshes.map(|meshes| meshes.of_intersection()).unwrap_or_default();
    }
    let placed = pair::PosedPair { a, pose_a: &pose_a, b, pose_b: &pose_b };
    let parts = if is_compound(a, b) { pair::meeting_parts(placed).unwrap_or_default() } else { [0; 2] };
    let pair = pair_of(&PosedBodies::of_both([a, b], [pose_a, pose_b]), parts);
    let upper = pair.and_then(|pair| pair.half_space().or_else(|| pair.common_point(pair.between_centers())));
    Evidence { upper, ..Evidence::default() }
}

/// The evidence that two shapes are farther apart than a margin: directions.
///
/// ```
/// use clearance::{Pose, Shape, proof};
/// use clearance_verify::Cover;
///
/// let ball = Shape::sphere(1.0)?;
/// let evidence = proof::of_separation(&ball, Pose::IDENTITY, &ball, Pose::from_translation([9.0, 0.0, 0.0]), 5.0);
/// let cover = evidence.lower.expect("a direction").cover;
/// assert!(matches!(cover[..], [Cover::Along([x, ..])] if x > 0.99));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn of_separation(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, margin: f64) -> Evidence {
    let mut trail = Trail::default();
    if is_compound(a, b) {
        within(&mut Pair::new(a, b), pose_a, pose_b, margin, &mut trail);
    }
    of_recorded_separation(a, pose_a, b, pose_b, margin, &trail)
}

/// The evidence that two shapes are farther apart than a margin, when that search was recorded.
#[must_use]
pub fn of_recorded_separation(
    a: &Shape,
    pose_a: Pose,
    b: &Shape,
    pose_b: Pose,
    margin: f64,
    trail: &Trail,
) -> Evidence {
    if has_mesh(a) || has_mesh(b) {
        let meshes = Meshes::new(a, pose_a, b, pose_b);
        return meshes.map(|meshes| meshes.of_separation(margin, trail)).unwrap_or_default();
    }
    let bodies = PosedBodies::of_both([a, b], [pose_a, pose_b]);
    let lower = match is_compound(a, b) {
        true => lower_of_parts(&bodies, [a, b], margin, trail),
        false => {
            let Some(pair) = pair_of(&bodies, [0; 2]) else { return Evidence::default() };
            Lower::along(pair.direction(pair.between_cores(), margin).to_array())
        }
    };
    Evidence { lower: given(lower), ..Evidence::default() }
}

/// [`Pair::distance`], with a trace of the search among the parts of compounds, from which [`of_recorded`] makes evidence.
pub fn distance(pair: &mut Pair, pose_a: Pose, pose_b: Pose, trail: &mut Trail) -> Clearance {
    let (found, traced) = pair.traced(&pose_a, &pose_b, f64::INFINITY, Trail::default());
    *trail = traced;
    found
}

/// [`Pair::within`], with a trace of the search among the parts of compounds.
pub fn within(pair: &mut Pair, pose_a: Pose, pose_b: Pose, margin: f64, trail: &mut Trail) -> Option<Clearance> {
    let (found, traced) = pair.traced(&pose_a, &pose_b, margin, Trail::default());
    *trail = traced;
    Some(found).filter(|c| c.lower <= margin)
}
