//! Two rotating curved bodies: one Newton step on the direction for each step on the time.
//!
//! The gap between points that face each other changes with the square of an error of the direction, so both converge together. The direction
//! that was right at one moment is off by the rotation until the next. One step makes it right to second order, and the time that follows from it is
//! right to the same order.

use super::{Confidence, ContactGuess};
use crate::math::Frame;
use crate::motion::certify::inside::MetBy;
use crate::motion::envelope::Moment;
use crate::narrow::newton_step::{NewtonStep, Toward, newton_step};
use crate::shape::Convex;
use crate::tuning::motion as tuning;
use glam::DVec3;

/// Two curved bodies, followed from moment to moment; directions are in the frame of A, from A to B.
pub(super) struct CurvedPair<'a> {
    bodies: [&'a dyn Convex; 2],
    /// The next direction to try.
    toward: Toward,
    /// The last two times with their directions.
    before: [(f64, DVec3); 2],
    /// The tolerance for points that face each other.
    precision: f64,
    /// Attempts with caps that are left, and steps of a moment.
    caps: u32,
    steps: u32,
    /// Whose kinks were active.
    kinks: [bool; 2],
}

impl<'a> CurvedPair<'a> {
    pub fn new(bodies: [&'a dyn Convex; 2], moment: &Moment) -> Self {
        let [a, b] = bodies;
        let [pose_a, pose_b] = &moment.poses;
        let offset = pose_b.transform_point(b.center()) - pose_a.transform_point(a.center());
        let n = (pose_a.rotation().conjugate() * offset).try_normalize().unwrap_or(DVec3::X);
        let precision = tuning::CURVED_PRECISION * (a.bounding_radius() + b.bounding_radius());
        let before = [(f64::NEG_INFINITY, n); 2];
        Self {
            bodies,
            toward: Toward::Direction(n),
            before,
            precision,
            caps: tuning::CURVED_CAPS,
            steps: tuning::CURVED_FIRST_STEPS,
            kinks: [false; 2],
        }
    }

    /// How far points may be from facing each other before time is stepped.
    fn contact_gap(&self, height: f64) -> f64 {
        let part = if self.steps == tuning::CURVED_FIRST_STEPS {
            tuning::CURVED_FIRST_TOLERANCE
        } else {
            tuning::CURVED_TOLERANCE
        };
        (part * height.abs()).max(self.precision)
    }

    /// The direction to try at a time, extrapolated from those before it.
    fn aim(&mut self, time: f64) {
        let [(earlier, first), (last, n)] = self.before;
        if matches!(self.toward, Toward::Cap(..)) || !(last > f64::NEG_INFINITY) {
            return;
        }
        let share = (time - last) / (last - earlier);
        let change = if earlier > f64::NEG_INFINITY { (n - first) * share } else { DVec3::ZERO };
        // Written so that a NaN is no change.
        let is_short = change.length_squared() <= tuning::CURVED_EXTRAPOLATION * tuning::CURVED_EXTRAPOLATION;
        let ahead = if is_short { (n + change).try_normalize().unwrap_or(n) } else { n };
        self.toward = Toward::Direction(ahead);
    }

    /// The best direction at a moment that a few steps find: the largest of all heights is along the normal of the closest points.
    fn search(&mut self, b_in_a: &Frame) -> Option<NewtonStep> {
        let mut best: Option<NewtonStep> = None;
        // The direction to continue with if the cap is not the closest feature.
        let mut beside = DVec3::ZERO;
        for _ in 0..self.steps {
            let probe = newton_step(self.bodies, b_in_a, self.toward, self.caps > 0, self.kinks)?;
            self.kinks = probe.kinks;
            // Where heights no longer distinguish directions, prefer points that face each other better.
            let is_higher = best.is_none_or(|best| {
                probe.height > best.height
                    || (probe.off < best.off && probe.height > best.height - 0.1 * self.precision)
            });
            let is_rough = !(probe.off <= self.contact_gap(probe.height));
            if is_higher {
                best = Some(probe);
            }
            if !is_rough && is_higher {
                if let Toward::Direction(_) = self.toward {
                    self.toward = Toward::Direction(probe.next);
                }
                break;
            }
            self.toward = match (self.toward, probe.cap) {
                (Toward::Cap(..), _) => Toward::Direction(if is_higher { probe.next } else { beside }),
                (Toward::Direction(n), Some(which)) if self.caps > 0 => {
                    self.caps -= 1;
                    beside = probe.next;
                    Toward::Cap(which, n)
                }
                (Toward::Direction(_), _) if is_higher => Toward::Direction(probe.next),
                // The step was too long: halve it.
                (Toward::Direction(n), _) => Toward::Direction((n + best?.n).try_normalize()?),
            };
        }
        best
    }

    /// The guess at a moment.
    pub fn guess(&mut self, moment: &Moment) -> Option<(ContactGuess, Confidence)> {
        let [pose_a, pose_b] = &moment.poses;
        self.aim(moment.time);
        let probe = self.search(&Frame::relative(pose_a, pose_b))?;
        let [a, b] = self.bodies;
        let n = pose_a.rotation() * probe.n;
        let [core_a, core_b] = probe.points.map(|point| pose_a.transform_point(point));
        let points = [core_a + n * a.radius(), core_b - n * b.radius()];
        let is_sharp = a.radius() == 0.0 && b.radius() == 0.0;
        let by = match probe.edges {
            Some(edges) if is_sharp => MetBy::Edges(edges.map(|edge| pose_a.rotation() * edge)),
            _ => MetBy::Anything,
        };
        let guess = ContactGuess { normal: n, points, gap: n.dot(points[1] - points[0]), by };
        let confidence = if probe.off <= self.precision {
            Confidence::Settled
        } else if probe.off <= self.contact_gap(probe.height) {
            Confidence::Rough
        } else {
            Confidence::Lost
        };
        self.steps = tuning::CURVED_STEPS;
        if confidence != Confidence::Lost || guess.gap > 0.0 {
            self.before = [self.before[1], (moment.time, probe.next)];
        }
        Some((guess, confidence))
    }
}
