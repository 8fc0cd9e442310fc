//! Casts: the claims of answers and the queries of their lines.

use super::{Attached, Request, Written};
use clearance::math::DVec3;
use clearance::{RayHit, ShapeHit};
use clearance_verify as verify;

/// The query and the evidence of a cast of a shape, for its line.
#[must_use]
pub fn attach_cast(written: &Written, direction: DVec3, max: f64, proof: verify::Evidence) -> Attached {
    let (direction, max) = (Some(direction.to_array()), Some(max));
    let request = Request { direction, max, ..Request::of("cast", written) };
    Attached { request, proof }
}

/// The query and the evidence of a ray, for its line; the second shape is the point where it begins.
#[must_use]
pub fn attach_ray(written: &Written, direction: DVec3, max: f64, proof: verify::Evidence) -> Attached {
    let (origin, direction) = (Some(written.pose_b.translation), Some(direction.to_array()));
    let of_shapes = Request::of("cast", written);
    let request = Request { b: None, pose_b: None, origin, direction, max: Some(max), ..of_shapes };
    Attached { request, proof }
}

/// The claim of an answer about a ray.
#[must_use]
pub fn ray_claim(hit: Option<&RayHit>) -> verify::RayClaim {
    let Some(hit) = hit else { return verify::RayClaim::Miss };
    let &RayHit { distance, lower, upper, point, normal, is_inside: inside, .. } = hit;
    let (point, normal) = (point.to_array(), normal.to_array());
    verify::RayClaim::Hit(verify::RayHitClaim { distance, lower, upper, point, normal, inside })
}

/// The claims of an answer about a shape that is cast: about its path, and about the points that meet.
#[must_use]
pub fn cast_claim(hit: Option<&ShapeHit>) -> (verify::ImpactClaim, Option<verify::ContactClaim>) {
    let Some(hit) = hit else { return (verify::ImpactClaim::Clear { lower: None, upper: None }, None) };
    let contact = verify::ContactClaim {
        time: hit.distance,
        point_a: hit.point_a.to_array(),
        point_b: hit.point_b.to_array(),
        normal: hit.normal.to_array(),
        may_overlap: hit.is_touching(),
    };
    let claim = match hit.is_touching() && !hit.is_proved() {
        true => verify::ImpactClaim::Touching,
        false => verify::ImpactClaim::Hit { lower: hit.lower, upper: hit.upper },
    };
    (claim, (!hit.is_undecided).then_some(contact))
}
