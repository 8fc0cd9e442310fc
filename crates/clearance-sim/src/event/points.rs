//! The points at which two bodies are in contact: those of their manifold.
//!
//! A box that lies on a floor has one pair of closest points at a time, but four corners that carry it. An impulse at one corner turns the box towards the others, which then
//! collide at once, and so on without end. So all points of the manifold that are in the envelope take part in an impact.

use super::{EventMode, TOGETHER};
use clearance::math::DVec3;
use clearance::{Clearance, Pair, Shape};

/// A contact of two bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub pair: [usize; 2],
    pub point: DVec3,
    /// From A to B.
    pub normal: DVec3,
    pub gap: f64,
}

impl EventMode {
    /// The contacts of a pair whose clearance now is known.
    pub(super) fn touches(&mut self, pair: [usize; 2], found: &Clearance) -> Vec<Touch> {
        let at = |point: DVec3, normal: DVec3, gap: f64| Touch { pair, point, normal, gap };
        let closest = at(0.5 * (found.point_a + found.point_b), found.normal, found.lower);
        let [a, b] = pair;
        // A ball and a convex shape have one point of contact.
        if pair.iter().any(|&body| matches!(self.fleet.shapes[body], Shape::Sphere(_))) && found.parts == [0; 2] {
            return vec![closest];
        }
        let [pose_a, pose_b] = self.fleet.poses(pair, self.fleet.now);
        let kept = self.pairs.entry(pair).or_insert_with(|| Pair::new(&self.fleet.shapes[a], &self.fleet.shapes[b]));
        let mut touches = Vec::new();
        for manifold in kept.manifolds(pose_a, pose_b, TOGETHER * self.envelope) {
            for point in manifold.points() {
                let [on_a, on_b] = [pose_a.transform_point(point.point_a), pose_b.transform_point(point.point_b)];
                touches.push(at(0.5 * (on_a + on_b), manifold.normal, point.lower));
            }
        }
        if touches.is_empty() { vec![closest] } else { touches }
    }
}
