//! Balls, segments, triangles and boxes: answers without a search, on both sides of zero.
//!
//! A ball is a point and a radius, a capsule a segment and a radius, so what is needed is the distance between a point and
//! another core ([`foot`]), or between two segments ([`segments`]). Radii are subtracted afterwards. Cores that are flat
//! are never deeper than zero; a point inside a box leaves it by the nearest face, whatever the radii: along a direction n
//! it comes free after h(n) - n·p.
//!
//! **Proof.** The functions here give a length, which is that of a difference of two points of the cores, and a unit vector
//! whose support plane has that height to rounding. The second is checked where the formula does not imply it: it makes
//! the lower bound, and it makes the normal a direction that really frees the shapes. The check fails for cores that almost touch, segments
//! that are almost parallel, and triangles that are almost segments. Then every feature is tried with directions that are made
//! perpendicular to it. Where even that fails there is no answer here, and a search gives one.
//!
//! **Frames.** Only directions need a rotation, so no frame is passed. A point is given in the frame of the box or triangle, segments in
//! any axes that both share.
//!
//! Left to the searches, which take about 200 ns apart: segments and triangles against triangles and boxes, and their depth.
//!
//! Prefer another engine when: the pair is another one.

pub mod foot;
pub mod segments;

pub use foot::{Foot, Target};
pub use segments::{SegmentPoints, between};

use crate::math::rounding::SMALLEST_LENGTH;
use glam::DVec3;

/// Squares below this are those of lengths that count as zero. Bound: the square of [`SMALLEST_LENGTH`].
const SMALLEST_SQUARE: f64 = SMALLEST_LENGTH * SMALLEST_LENGTH;

/// The part of `v` that is perpendicular to `u`, whose squared length has that inverse, to rounding of `v`'s own length
/// however little is left: what the first subtraction leaves is made perpendicular again.
fn across(v: DVec3, u: DVec3, inverse_square: f64) -> DVec3 {
    let once = v - u * (u.dot(v) * inverse_square);
    once - u * (u.dot(once) * inverse_square)
}

/// A part of a segment: from -1 at its first end to 1 at its second. Without a branch, which would be a guess.
#[inline(always)]
fn within_ends(x: f64) -> f64 {
    x.clamp(-1.0, 1.0)
}
