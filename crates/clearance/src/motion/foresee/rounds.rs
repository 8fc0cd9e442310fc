//! Two curved bodies: Newton's method on the direction, one step beside each one on the time.
//!
//! A gap between points that face each other changes with the square of an error of the direction, so that both
//! converge together: the direction that was right at one moment is off by what the bodies turned until the next, one step makes it
//! right to second order, and the time that follows from it is right to the same order.

use super::super::envelope::Moment;
use super::super::inside::MetBy;
use super::super::sight::Sight;
use super::Viewer;
use crate::math::Frame;
use crate::narrow::newton::{Glance, Toward, glance};
use crate::shape::Convex;
use glam::DVec3;

/// Steps on the direction alone, before time is stepped: the first one is only the line of centers.
const FIRST_STEPS: u32 = 8;

/// How far a direction may be off before time is stepped, as a part of the gap.
const ROUGH: f64 = 0.3;

/// How far points that are to meet may be from facing each other, as a part of the bodies' sizes.
const SETTLED: f64 = 2e-13;

/// How often the flat end of a body is tried: none that is left again is worth more.
const MAX_CAPS: u32 = 3;

pub(super) struct Rounds<'a> {
    bodies: [&'a dyn Convex; 2],
    toward: Toward,
    /// By how much points may miss each other.
    precision: f64,
    caps: u32,
    is_first: bool,
}

impl<'a> Rounds<'a> {
    pub fn new(bodies: [&'a dyn Convex; 2], moment: &Moment) -> Self {
        let [a, b] = bodies;
        let [pose_a, pose_b] = &moment.poses;
        let way = pose_b.transform_point(b.center()) - pose_a.transform_point(a.center());
        let n = (pose_a.rotation().conjugate() * way).try_normalize().unwrap_or(DVec3::X);
        let precision = SETTLED * (a.bounding_radius() + b.bounding_radius());
        Self { bodies, toward: Toward::Direction(n), precision, caps: MAX_CAPS, is_first: true }
    }

    /// What is seen along the direction so far, which is then a better one.
    fn glance(&mut self, b_in_a: &Frame) -> Option<Glance> {
        let [a, b] = self.bodies;
        let seen = glance(a, b, b_in_a, self.toward, self.caps > 0)?;
        if matches!((self.toward, seen.next), (Toward::Direction(_), Toward::Cap(..))) {
            self.caps -= 1;
        }
        self.toward = seen.next;
        Some(seen)
    }
}

impl Viewer for Rounds<'_> {
    fn view(&mut self, moment: &Moment) -> Option<(Sight, bool)> {
        let [pose_a, pose_b] = &moment.poses;
        let b_in_a = Frame::relative(pose_a, pose_b);
        let mut seen = self.glance(&b_in_a)?;
        if self.is_first {
            self.is_first = false;
            for _ in 0..FIRST_STEPS {
                if seen.height > 0.0 && seen.off <= ROUGH * seen.height {
                    break;
                }
                seen = self.glance(&b_in_a)?;
            }
        }
        let [a, b] = self.bodies;
        let n = pose_a.rotation() * seen.n;
        let [core_a, core_b] = seen.points.map(|point| pose_a.transform_point(point));
        let points = [core_a + n * a.radius(), core_b - n * b.radius()];
        let sight = Sight { normal: n, points, gap: n.dot(points[1] - points[0]), by: MetBy::Anything };
        Some((sight, seen.off <= self.precision))
    }
}
