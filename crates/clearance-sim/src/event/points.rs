//! The points at which two bodies are in contact: the closest points now, and those of their earlier impacts that are still close.
//!
//! A box that lies on a floor has one pair of closest points at a time, but four corners that carry it. An impulse at one corner turns the box towards the others, which then
//! collide at once, and so on without end. So the points of earlier impacts are kept, each in the frame of its body. While such a point is
//! within the envelope of the other body, it is a contact of its own, with its own distance and normal.

use super::{EventMode, FORGOTTEN, TOGETHER};
use clearance::math::DVec3;
use clearance::{Clearance, Pose, Shape, distance};

/// Points that a pair keeps. Limit: each takes a distance query at each impact of the pair.
const MOST: usize = 8;

/// Points of one body closer than this part of the smaller body are one. Limit: the lever arms of such points are the same for a solver.
const SAME: f64 = 0.02;

/// A point of one of the two bodies of a pair, in the frame of that body.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptPoint {
    side: usize,
    local: DVec3,
}

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
        let mut touches = vec![at(0.5 * (found.point_a + found.point_b), found.normal, found.lower)];
        // Balls have one point of contact with everything convex, and as many impacts as they like do not turn them.
        let [a, b] = pair;
        if [a, b].iter().any(|&body| matches!(self.shapes[body], Shape::Sphere(_))) {
            return touches;
        }
        let poses = [a, b].map(|body| self.flights[body].motion.pose(self.now));
        let size = [a, b].map(|body| self.shapes[body].bounding_radius()).into_iter().fold(f64::INFINITY, f64::min);
        let is_new =
            |touches: &[Touch], point: DVec3| touches.iter().all(|touch| touch.point.distance(point) > SAME * size);
        let mut kept = self.points.remove(&pair).unwrap_or_default();
        kept.retain(|&KeptPoint { side, local }| {
            let point = poses[side].transform_point(local);
            let other = 1 - side;
            let probe =
                distance(&Shape::point(), Pose::from_translation(point), &self.shapes[pair[other]], poses[other]);
            if probe.lower > 0.0 && probe.lower <= TOGETHER * self.envelope && is_new(&touches, point) {
                let normal = if side == 0 { probe.normal } else { -probe.normal };
                touches.push(at(point, normal, probe.lower));
            }
            probe.lower <= FORGOTTEN * self.envelope
        });
        for (side, point) in [found.point_a, found.point_b].into_iter().enumerate() {
            let local = poses[side].inverse_transform_point(point);
            if kept.iter().all(|kept| kept.side != side || kept.local.distance(local) > SAME * size) {
                kept.insert(0, KeptPoint { side, local });
            }
        }
        kept.truncate(MOST);
        self.points.insert(pair, kept);
        touches
    }
}
