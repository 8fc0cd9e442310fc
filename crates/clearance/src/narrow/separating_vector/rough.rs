//! The first steps in single precision, where most questions end.
//!
//! A round is two support points, a reflection and no simplex. Coordinates and heights are off by at most
//! [`scout::ROUNDING`] times the scale of the pair, so a height beyond that is a separating vector; nothing else is concluded.

use crate::narrow::Difference;
use crate::narrow::scout::{self, RoughFrame};
use crate::shape::Convex;
use glam::{DVec3, Vec3A};

/// Nearly all pairs that are apart are settled by then; those that overlap should not wait.
const FEW_STEPS: u32 = 5;

/// Is a vector found that separates the shapes with so much more around them? With the last one, v in the frame of A.
#[inline]
pub(super) fn search<A, B>(difference: &Difference<'_, A, B>, axis: DVec3, more: f64) -> (bool, DVec3)
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    if !scout::SCALES.contains(&difference.scale) {
        return (false, axis);
    }
    let radius = difference.a.radius() + difference.b.radius() + more;
    // The last term: v has length one, but for the roundings of its reflections.
    let least = (radius + scout::ROUNDING * difference.scale + 1e-5 * radius) as f32;
    let radius = radius as f32;
    let frame = RoughFrame::new(difference.b_in_a);
    let mut v = Vec3A::new(axis.x as f32, axis.y as f32, axis.z as f32).normalize_or_zero();
    let mut is_apart = false;
    for _ in 0..FEW_STEPS {
        let (a, _) = difference.a.rough_support(-v);
        let (b, _) = difference.b.rough_support(frame.direction_in_b(v));
        let core = a - frame.point(b);
        let height = v.dot(core);
        if height > least {
            is_apart = true;
            break;
        }
        // (3.2); a radius moves the support point against v.
        let w = core - v * radius;
        let share = 2.0 * (height - radius) / w.dot(w);
        v -= w * share;
    }
    let last = DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    // What is no number leaves the vector that there was.
    if last.is_finite() { (is_apart, last) } else { (false, axis) }
}
