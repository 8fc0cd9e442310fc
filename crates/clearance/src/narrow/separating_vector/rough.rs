//! The first steps in single precision, where most queries end.
//!
//! A round is two support points, a reflection and no simplex. Coordinates and heights are off by at most
//! [`gjk_f32::ROUNDING`] times the scale of the pair, so a height beyond that is a separating vector; nothing else is concluded.

use crate::narrow::Difference;
use crate::narrow::gjk_f32::{self, FrameF32};
use crate::shape::Convex;
use crate::tuning::convex::SEPARATING_STEPS;
use glam::{DVec3, Vec3A};

/// Is a vector found that separates the shapes with so much more around them? With the last one, v in the frame of A.
#[inline(always)]
pub(super) fn search<A, B>(difference: &Difference<'_, A, B>, axis: DVec3, more: f64) -> (bool, DVec3)
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    if !gjk_f32::SCALES.contains(&difference.scale) {
        return (false, axis);
    }
    let radius = difference.a.radius() + difference.b.radius() + more;
    let rounding = gjk_f32::ROUNDING * (difference.scale + radius);
    let (least, rounding, radius) = ((radius + rounding) as f32, rounding as f32, radius as f32);
    let frame = FrameF32::new(difference.b_in_a);
    let mut v = Vec3A::new(axis.x as f32, axis.y as f32, axis.z as f32);
    if radius > 0.0 {
        v = v.normalize_or_zero();
    }
    let mut is_apart = false;
    for _ in 0..SEPARATING_STEPS {
        let (a, _) = difference.a.support_f32(-v);
        let (b, _) = difference.b.support_f32(frame.direction_in_b(v));
        let core = a - frame.point(b);
        let height = v.dot(core);
        // Reflections keep the length of v, but not where w is all rounding: a proof must not rely on it.
        if height > 0.0 && height * height > least * least * v.dot(v) {
            is_apart = true;
            break;
        }
        // (3.2); a radius moves the support point against v.
        let w = core - v * radius;
        let square = w.dot(w);
        // So close to touching that single precision has nothing to say. Written so that a NaN ends it too.
        if !(square > rounding * rounding) {
            break;
        }
        v -= w * (2.0 * v.dot(w) / square);
    }
    let last = DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    // A NaN leaves the vector as it was.
    if last.is_finite() { (is_apart, last) } else { (false, axis) }
}
