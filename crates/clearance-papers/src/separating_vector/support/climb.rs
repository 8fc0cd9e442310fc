//! The farthest vertex by hill climbing over the edges of a polytope, as papers \[GJK\] (section 3) and \[QC\] use it.
//!
//! From a start that was farthest in a direction nearby it takes a step or two. It stops where no neighbour is higher: on
//! a hull with tiny edges that may be on a plateau of rounding, so its answer is not a certified support point, and the
//! engines use [`DirectionTable`](super::DirectionTable) instead. It stays for those who compare.

use clearance::math::DVec3;
use clearance::shape::Polytope;

/// The vertex reached from `start` by steps to the highest neighbour, and the number of steps.
///
/// ```
/// use clearance::internals::hull::convex_hull;
/// use clearance_papers::separating_vector::support::climb;
/// use clearance::math::DVec3;
///
/// let rock = convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let (vertex, steps) = climb(&rock, DVec3::Z, 0);
/// assert_eq!((rock.vertex(vertex), steps), (DVec3::Z, 1));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn climb(polytope: &Polytope, direction: DVec3, start: u32) -> (u32, u32) {
    let vertices = polytope.vertices();
    let mut best = if (start as usize) < vertices.len() { start } else { 0 };
    let mut height = vertices[best as usize].dot(direction);
    let mut steps = 0;
    loop {
        let here = best;
        for &neighbor in polytope.neighbors(here) {
            let other = vertices[neighbor as usize].dot(direction);
            if other > height {
                (best, height) = (neighbor, other);
            }
        }
        if best == here {
            return (best, steps);
        }
        steps += 1;
    }
}
