//! Algorithm 4: a vertex of A and a vertex of B.

use super::Step;
use super::placement::{Arm, Placement};
use super::regions::{Region, length_and_inverse, vertex_region};
use crate::narrow::ClosestPoints;
use crate::shape::Feature;

#[inline(always)]
pub(super) fn vertex_vertex<'a, P: Placement<'a>>(placed: &mut P, v: u32, w: u32, points: &mut ClosestPoints) -> Step {
    let [a, b] = placed.bodies();
    let (Some(&point_a), Some(&point_b)) = (a.vertices().get(v as usize), b.vertices().get(w as usize)) else {
        return Step::Stale;
    };
    let Arm { y_to_x: d, of_a } = placed.arm::<false>(point_b, point_a);
    let local = placed.local::<false>(d);
    let mut strict = true;
    // Steps 1 to 4, and step 5 with the roles exchanged.
    match vertex_region(placed, a, v, local.y) {
        Region::Inside => {}
        Region::Unclear if P::PROBES => return Step::Unsettled,
        Region::Unclear => strict = false,
        Region::Beyond(next) => return Step::go([next, Feature::Vertex(w)]),
    }
    match vertex_region(placed, b, w, -local.x) {
        Region::Inside => {}
        Region::Unclear if P::PROBES => return Step::Unsettled,
        Region::Unclear => strict = false,
        Region::Beyond(next) => return Step::go([Feature::Vertex(v), next]),
    }
    let (length, inverse) = length_and_inverse(d);
    let slack = P::turning(a.bounding_radius() + b.bounding_radius());
    let normal = local.a_to_b * inverse;
    *points = ClosestPoints { point_a: of_a, normal, length, most: length, slack, strict, ..ClosestPoints::default() };
    Step::Done
}
