//! Algorithm 5: a vertex of X and an edge of Y.
//!
//! The closest point of the edge is one projection, so the vertex region is tested with that point and the edge need not be clipped (steps
//! 5 to 9). That is half the work, and as safe, for nothing is divided.

use super::Step;
use super::placement::{Arm, Placement};
use super::regions::{Region, WORTHWHILE, length_and_inverse, vertex_region};
use crate::narrow::ClosestPoints;
use crate::shape::Feature;

#[inline(always)]
pub(super) fn vertex_edge<'a, const X_IS_A: bool, P: Placement<'a>>(
    placed: &mut P,
    v: u32,
    e: u32,
    points: &mut ClosestPoints,
) -> Step {
    let [x, y] = placed.x_and_y::<X_IS_A>();
    let (Some(&vertex), Some(edge)) = (x.vertices().get(v as usize), y.tracked_edge(e)) else { return Step::Stale };
    let go = |x: Feature, y: Feature| Step::go(if X_IS_A { [x, y] } else { [y, x] });
    let Arm { y_to_x: r, of_a } = placed.arm::<X_IS_A>(vertex, edge.tail);
    let u = placed.edge_of_y::<X_IS_A>(edge.direction);
    let along = r.dot(u);
    // The planes of the ends first: beyond them, those of the faces mean nothing.
    if along < 0.0 {
        return go(Feature::Vertex(v), Feature::Vertex(edge.ends.tail));
    }
    if along > edge.length {
        return go(Feature::Vertex(v), Feature::Vertex(edge.ends.head));
    }
    // From the closest point of the edge to the vertex.
    let d = r - along * u;
    let local = placed.local::<X_IS_A>(d);
    let margin = placed.margin();
    let mut strict = true;
    if let Some([left, right]) = edge.sides() {
        let (left, right) = (left.dot(local.y), right.dot(local.y));
        if left > -margin || right > -margin {
            if left.max(right) > WORTHWHILE * margin {
                let face = if left >= right { edge.ends.left } else { edge.ends.right };
                *placed.cursor() = if left >= right { edge.places[0] } else { edge.places[1] };
                return go(Feature::Vertex(v), Feature::Face(face));
            }
            if P::PROBES {
                return Step::Unsettled;
            }
            strict = false;
        }
    }
    match vertex_region(placed, x, v, -local.x) {
        Region::Inside => {}
        Region::Unclear if P::PROBES => return Step::Unsettled,
        Region::Unclear => strict = false,
        Region::Beyond(next) => return go(next, Feature::Edge(e)),
    }
    let (length, inverse) = length_and_inverse(d);
    // Known without a measurement as long as the edge is not much longer than the gap.
    let tilt = if !P::PROBES && along < 4.0 * length {
        // A stored direction is right to 3 ε along the edge, and the length of the gap rounds by 3 ε.
        (3.0 * along * inverse + 3.0) * f64::EPSILON
    } else {
        local.y.dot(edge.direction).abs() * inverse
    };
    let moved = P::turning(along);
    // The difference of two placed points rounds by 4 ε of the radius.
    let slack = 2.0 * y.bounding_radius() * (tilt + 4.0 * f64::EPSILON)
        + P::turning(x.bounding_radius() + y.bounding_radius())
        + moved;
    *points = ClosestPoints {
        point_a: if X_IS_A { of_a } else { of_a + along * u },
        normal: local.a_to_b * inverse,
        length,
        most: length + moved,
        slack,
        strict,
        ..ClosestPoints::default()
    };
    Step::Done
}
