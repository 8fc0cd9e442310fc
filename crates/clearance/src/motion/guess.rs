//! Contact guesses, and the certificate of a contact.
//!
//! An advancement needs a direction only; the heights of both bodies (`envelope`) prove the gap along it, so a guess need not be certified. A contact needs no
//! depth: one point that is proved to be inside both bodies certifies an overlap.
//!
//! | type | content |
//! |---|---|
//! | [`ContactGuess`] | uncertified: normal, points that may meet, gap |
//! | [`ContactPoints`] | the points of a guess, relative to their bodies |
//! | [`ProvedContact`] | certified: apart before one time, overlapping at another |

use super::advance::{Advancement, CLOSE, Chain};
use super::envelope::{Moment, MovingPair};
use super::inside::{MetBy, candidates, depth_of_point};
use crate::error::MAX_COORDINATE;
use crate::math::Pose;
use crate::narrow::closed_form::between;
use crate::pair::Clearance;
use crate::shape::{Convex, Feature, Segment, Shape};
use glam::{DQuat, DVec3};

/// A contact is certified by a shared point only if its bracket is at most this part of the interval that is left.
pub(super) const SOON: f64 = 1e-10;

/// A certified contact: the bodies are apart before `lower` and overlap at `upper`. Points of A and B are those at `lower`, in the axes of the
/// pair or of the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProvedContact {
    pub lower: f64,
    pub upper: f64,
    pub normal: DVec3,
    pub points: [DVec3; 2],
}

impl ProvedContact {
    /// From the axes of the pair to those of the world.
    pub fn in_world(self, pair: &MovingPair<'_>) -> Self {
        Self { points: self.points.map(|point| pair.to_world(point, self.lower)), ..self }
    }
}

/// An uncertified guess, in the axes of the pair: a unit vector from A to B, nearly closest points, and the gap along the vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactGuess {
    pub normal: DVec3,
    pub points: [DVec3; 2],
    pub gap: f64,
    pub by: MetBy,
}

impl ContactGuess {
    pub fn of(found: &Clearance, shapes: [&Shape; 2], moment: &Moment) -> Self {
        let by = met_by(found, shapes, [0, 1].map(|side| moment.poses[side].rotation()));
        Self { normal: found.normal, points: [found.point_a, found.point_b], gap: found.lower, by }
    }

    /// The points, each in the frame of its body.
    pub fn carried(&self, moment: &Moment) -> ContactPoints {
        let points = [0, 1].map(|side| moment.poses[side].inverse_transform_point(self.points[side]));
        ContactPoints { points, by: self.by }
    }
}

/// The features by which two polytopes will meet, from their closest ones.
pub(super) fn met_by(found: &Clearance, [a, b]: [&Shape; 2], rotations: [DQuat; 2]) -> MetBy {
    let (Shape::Polytope(p), Shape::Polytope(q)) = (a, b) else { return MetBy::Anything };
    match found.features(a, b) {
        [Feature::Edge(e), Feature::Edge(f)] => {
            MetBy::Edges([rotations[0] * p.edge_direction(e), rotations[1] * q.edge_direction(f)])
        }
        [Feature::Vertex(_), Feature::Face(_)] => MetBy::CornerOf(0),
        [Feature::Face(_), Feature::Vertex(_)] => MetBy::CornerOf(1),
        _ => MetBy::Anything,
    }
}

/// A point of each body that may meet, relative to that body: in its own frame if bodies turn, else in the axes of the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactPoints {
    pub points: [DVec3; 2],
    /// Edges turn too little to matter until the bodies overlap.
    pub by: MetBy,
}

/// The result of a probe.
pub(super) enum ProbeResult {
    Apart(ContactGuess),
    Met(ProvedContact),
    /// No closed form: use the engines.
    Unknown,
}

impl<C: Chain> Advancement<'_, '_, C> {
    /// Probes the bodies at a moment by a closed form (two capsules), which is faster than a distance query.
    pub fn probe(&mut self, moment: &Moment, until: f64) -> ProbeResult {
        let [Shape::Segment(a), Shape::Segment(b)] = self.shapes else { return ProbeResult::Unknown };
        if !self.may_certify || self.steps == 0 || !moment.is_within(MAX_COORDINATE) {
            return ProbeResult::Unknown;
        }
        let Some((normal, points, distance)) = of_segments([a, b], moment.poses.each_ref()) else {
            return ProbeResult::Unknown;
        };
        let gap = self.pair.gap_along(normal, moment);
        let rounding = self.pair.rounding(moment.time);
        if !(gap > 2.0 * rounding && gap >= 0.5 * distance) {
            return ProbeResult::Unknown;
        }
        let guess = ContactGuess { normal, points, gap, by: MetBy::Anything };
        if gap <= CLOSE * rounding && self.pair.rate(normal, moment, points) < 0.0 {
            let meeting = self.meet(moment, normal, &guess.carried(moment), 2, until);
            return meeting.map_or(ProbeResult::Unknown, ProbeResult::Met);
        }
        self.steps -= 1;
        self.nearest.see((distance + 2.0 * rounding).max(0.0), moment.time);
        ProbeResult::Apart(guess)
    }

    /// Certifies a contact soon after a moment by a point that is then inside both bodies.
    pub fn meet(
        &self,
        moment: &Moment,
        n: DVec3,
        meeting: &ContactPoints,
        tries: u32,
        until: f64,
    ) -> Option<ProvedContact> {
        let points = placed(meeting, moment);
        let rate = self.pair.rate(n, moment, points);
        let mut deep = self.pair.gap_along(n, moment).max(0.0) + 32.0 * self.pair.rounding(moment.time);
        for _ in 0..tries {
            let after = (deep / -rate).max(4.0 * f64::EPSILON * moment.time.abs());
            let end = moment.time + after;
            // A graze is left to the search. Written so that a NaN is one.
            if !(rate < 0.0 && after <= SOON * (until - moment.time) && end <= until) {
                return None;
            }
            let later = self.pair.at(end);
            if self.shared_point(&later, n, meeting).is_some() {
                return Some(ProvedContact { lower: moment.time, upper: end, normal: n, points });
            }
            deep *= 6.0;
        }
        None
    }

    /// A point inside both bodies, shortly after they met.
    pub fn shared_point(&self, moment: &Moment, n: DVec3, meeting: &ContactPoints) -> Option<DVec3> {
        let rounding = self.pair.rounding(moment.time);
        let within = |side: usize, point: DVec3| {
            let local = moment.poses[side].inverse_transform_point(point);
            depth_of_point(self.shapes[side], local).is_some_and(|depth| depth > rounding)
        };
        // First the body that a corner of the other one meets: it is the one that may not hold the point.
        let first = usize::from(matches!(meeting.by, MetBy::CornerOf(0)));
        let is_shared = |point: &DVec3| within(first, *point) && within(1 - first, *point);
        let points = placed(meeting, moment);
        let center = |side: usize| {
            let core = self.shapes[side].convex()?;
            Some(moment.poses[side].transform_point(core.center()))
        };
        // The inside of a sharp corner is toward the center of its body, which need not be along the normal.
        if let (Some(a), Some(b)) = (center(0), center(1))
            && let Some(point) = inward(n, points, meeting.by, [a, b]).find(is_shared)
        {
            return Some(point);
        }
        candidates(n, points, meeting.by).find(is_shared)
    }
}

/// Points that may be inside both bodies shortly after they met along n. Unlike [`candidates`] they are displaced toward the centers of the bodies, by half of
/// the overlap: from the apex of a cone, the normal of a face may lead out of it at once.
fn inward(n: DVec3, [a, b]: [DVec3; 2], by: MetBy, [middle_a, middle_b]: [DVec3; 2]) -> impl Iterator<Item = DVec3> {
    let half = -0.5 * n.dot(b - a);
    let (to_a, to_b) = (middle_a - a, middle_b - b);
    let from_a = a - to_a * (half / n.dot(to_a));
    let from_b = b + to_b * (half / n.dot(to_b));
    let (first, second) = match by {
        MetBy::Edges(edges) => (crossing(from_a, from_b - from_a, edges), None),
        MetBy::CornerOf(0) => (from_a, None),
        MetBy::CornerOf(_) => (from_b, None),
        MetBy::Anything => (from_a, Some(from_b)),
    };
    [Some(first), second].into_iter().flatten()
}

/// The point of a line through a along e that is closest to one along f, `way` from a.
pub(super) fn crossing(a: DVec3, way: DVec3, [e, f]: [DVec3; 2]) -> DVec3 {
    // |way + t f - s e| is least where s e² - t e·f = way·e and s e·f - t f² = way·f.
    let (ee, ff, ef) = (e.length_squared(), f.length_squared(), e.dot(f));
    a + e * ((way.dot(e) * ff - way.dot(f) * ef) / (ee * ff - ef * ef))
}

/// The points of the bodies at a moment, in the axes of the pair.
fn placed(meeting: &ContactPoints, moment: &Moment) -> [DVec3; 2] {
    [0, 1].map(|side| moment.poses[side].transform_point(meeting.points[side]))
}

/// The normal, the points and the distance of two capsules.
pub(super) fn of_segments([a, b]: [&Segment; 2], [pose_a, pose_b]: [&Pose; 2]) -> Option<(DVec3, [DVec3; 2], f64)> {
    let ([middle_a, half_a], [middle_b, half_b]) = (a.turned(pose_a.rotation()), b.turned(pose_b.rotation()));
    let (middle_a, middle_b) = (middle_a + pose_a.translation(), middle_b + pose_b.translation());
    // No bound on rounding: nothing is proved here.
    let found = between([half_a, half_b], [a.squares(), b.squares()], middle_b - middle_a, f64::MAX)?;
    let ([s, t], normal) = (found.parts, found.normal);
    let points = [middle_a + half_a * s + normal * a.radius(), middle_b + half_b * t - normal * b.radius()];
    Some((normal, points, found.core - a.radius() - b.radius()))
}
