//! The farthest vertex by hill climbing over the edges of a polytope, as papers \[GJK\] (section 3) and \[QC\] use it.
//!
//! From a start that was farthest in a direction nearby it takes a step or two. It stops where no neighbour is higher. On a hull with tiny edges
//! that may be a plateau of rounding, so its answer is not a certified support point, and the engines use [`DirectionTable`](super::DirectionTable)
//! instead. It is for comparison.

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
    let Climb { vertex, steps, .. } = climb_counted(polytope, direction, start);
    (vertex, steps)
}

/// A climb and its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Climb {
    /// The vertex that was reached.
    pub vertex: u32,
    /// Edges along which it went.
    pub steps: u32,
    /// Vertices whose height was computed.
    pub looked_at: u32,
}

/// [`climb`], with a count of the work.
#[must_use]
pub fn climb_counted(polytope: &Polytope, direction: DVec3, start: u32) -> Climb {
    let vertices = polytope.vertices();
    let mut vertex = if (start as usize) < vertices.len() { start } else { 0 };
    let mut height = vertices[vertex as usize].dot(direction);
    let (mut steps, mut looked_at) = (0, 1);
    loop {
        let here = vertex;
        for &neighbor in polytope.neighbors(here) {
            looked_at += 1;
            let other = vertices[neighbor as usize].dot(direction);
            if other > height {
                (vertex, height) = (neighbor, other);
            }
        }
        if vertex == here {
            return Climb { vertex, steps, looked_at };
        }
        steps += 1;
    }
}
