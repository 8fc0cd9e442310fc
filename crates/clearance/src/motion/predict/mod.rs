//! Contact prediction: an uncertified guess (time, normal, points), which `certify` then proves. Nothing relies on a guess; an error costs time only.
//!
//! | pair of kinds | motion | method | file |
//! |---|---|---|---|
//! | balls; capsules | straight | quadratic equation | `quadratics.rs` |
//! | boxes | straight | 15 swept slabs; a portal for parallel faces | `slabs.rs`, `portal.rs` |
//! | polytopes; box and polytope | straight | face of A - B that the line intersects | `portal.rs` |
//! | polytopes without a certified portal | straight | Newton's method on the distance | `distances.rs` |
//! | cylinders; cones | straight | portal, then Newton's method on the normal | `portal.rs`, `newton.rs` |
//! | capsules | rotating | closest points in closed form | here |
//! | boxes | rotating | best of 15 separating axes | `axes.rs` |
//! | polytopes | rotating | normal of the closest features, which rotates with them | `features.rs` |
//! | two curved bodies | rotating | Newton's method on direction and time together | `curved.rs` |
//! | all others | any | none: conservative advancement | `../advance.rs` |
//!
//! **Straight motion** is the case without spin: the time follows from the normal, so a guess has none. [`Moving::certified`] dispatches on the types of
//! the shapes, since a closed form takes less time than a dynamic call.
//!
//! **Rotating bodies.** A [`Prediction`] is a moment shortly before the contact, at which a gap of a few roundings is left along a unit vector n. One
//! link of the chain along n mostly proves everything before it. The chord of `envelope` loses K T² / 8, which is little beside the distance that
//! is still to close. A chain that goes forward needs seven to nine links with a distance query each: a normal that is best at the start of a
//! link does not stay so. Backward from the contact, one direction serves for long. The method is Newton's on the time: a direction at a
//! moment, with points that face each other along it, gives a gap and its rate, and these give the next time. All methods also work for bodies that
//! overlap a little, so a step may go too far.
//!
//! **Invariants**, asserted in debug builds: (G1) the normal of a contact is a unit vector from A to B; (G2) waypoints are in the order of time.

mod axes;
mod curved;
mod distances;
mod features;
mod newton;
mod portal;
mod quadratics;
mod slabs;
#[cfg(test)]
mod straight_tests;
#[cfg(test)]
mod tests;

use super::advance::{Advancement, CLOSE, Chain};
use super::certify::inside::MetBy;
use super::certify::{Certified, ProvedContact};
use super::envelope::{Moment, StraightPair};
use super::impact::{Impact, Moving};
use crate::error::MAX_COORDINATE;
use crate::math::Pose;
use crate::narrow::closed_form::between;
use crate::pair::{Clearance, PairCache};
use crate::shape::{Cone, Convex, Cuboid, Feature, Segment, Shape};
use crate::tuning::motion as tuning;
use glam::{DQuat, DVec3};

/// Bound: the least gap of a prediction, in units of rounding. A proof takes off one unit, and half a unit is for the rounding of heights.
const LEAST: f64 = 1.5;

/// An uncertified guess: a unit vector from A to B, points that may meet, and the features that do.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactGuess {
    pub normal: DVec3,
    /// In the axes of the pair. In a guess about straight motion, or one that is [carried](Self::carried), each is relative to its own body.
    pub points: [DVec3; 2],
    /// The gap along the normal; zero in a guess of the contact itself.
    pub gap: f64,
    pub by: MetBy,
}

impl ContactGuess {
    /// Bodies in straight motion meet; each point is relative to the origin of its body, in axes that do not rotate.
    #[inline(always)]
    fn contact(normal: DVec3, points: [DVec3; 2], by: MetBy) -> Self {
        debug_assert!(!((normal.length_squared() - 1.0).abs() > 1e-9), "G1: {normal:?}");
        Self { normal, points, gap: 0.0, by }
    }

    /// Bodies in straight motion pass: the first vector separates them, and from where it ceases to, the second. They may have any length.
    #[inline(always)]
    fn pass([first, then]: [DVec3; 2]) -> Self {
        Self { normal: first, points: [DVec3::ZERO; 2], gap: 0.0, by: MetBy::Nothing { then } }
    }

    fn is_pass(&self) -> bool {
        matches!(self.by, MetBy::Nothing { .. })
    }

    /// From the closest points of a distance query.
    pub fn of(found: &Clearance, shapes: [&Shape; 2], moment: &Moment) -> Self {
        let by = met_by(found, shapes, [0, 1].map(|side| moment.poses[side].rotation()));
        Self { normal: found.normal, points: [found.point_a, found.point_b], gap: found.lower, by }
    }

    /// The guess with each point in the frame of its body, so that it moves with that. Edges rotate too little to matter until the bodies overlap.
    pub fn carried(&self, moment: &Moment) -> Self {
        let points = [0, 1].map(|side| moment.poses[side].inverse_transform_point(self.points[side]));
        Self { points, ..*self }
    }

    /// The points of a carried guess at a moment, in the axes of the pair.
    pub fn placed(&self, moment: &Moment) -> [DVec3; 2] {
        [0, 1].map(|side| moment.poses[side].transform_point(self.points[side]))
    }
}

/// The features by which two polytopes will meet, from their closest ones.
fn met_by(found: &Clearance, [a, b]: [&Shape; 2], rotations: [DQuat; 2]) -> MetBy {
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

/// The radius of the inscribed ball about the center of a box.
fn ball_in_box(cuboid: &Cuboid) -> f64 {
    cuboid.half_extents().min_element()
}

/// The radius of a ball about the center of a cone, a quarter of its height from the base. Its distance from the side is 3/4 of the height, times the
/// sine of the half angle at the apex.
fn ball_in_cone(cone: &Cone) -> f64 {
    let (r, h) = (cone.base_radius(), cone.half_height());
    // Squares may underflow at sizes for which no portal is searched.
    let side = 1.5 * h * r / (r * r + 4.0 * h * h).sqrt();
    // Two products, a sum, a root and a quotient: the ball stays inside.
    side.min(0.5 * h) * (1.0 - 8.0 * f64::EPSILON)
}

impl Moving<'_> {
    /// The certified prediction of straight motion, where a closed form or a portal gives one.
    #[inline]
    pub(super) fn certified(&self, interval: [f64; 2], chain: &mut impl Chain) -> Option<Certified> {
        let mut restarted = None;
        let (segments, shapes) = (self.straight_segments(interval, &mut restarted)?, [self.a, self.b]);
        match (self.a, self.b) {
            (Shape::Sphere(a), Shape::Sphere(b)) => {
                let pair = StraightPair::new((a, b), segments);
                quadratics::balls_impact(&pair, shapes, interval, chain)
            }
            (Shape::Segment(a), Shape::Segment(b)) => {
                let pair = StraightPair::new((a, b), segments);
                pair.certify(shapes, quadratics::capsules(&pair, interval)?, interval, chain)
            }
            (Shape::Cuboid(a), Shape::Cuboid(b)) => {
                let pair = StraightPair::new((a, b), segments);
                let found = slabs::impact(&pair, shapes, interval, chain);
                found.or_else(|| pair.by_portal([a, b].map(ball_in_box), interval, chain))
            }
            (Shape::Polytope(a), Shape::Polytope(b)) => StraightPair::new((&**a, &**b), segments).by_portal(
                [a.inner_radius(), b.inner_radius()],
                interval,
                chain,
            ),
            (Shape::Cuboid(a), Shape::Polytope(b)) => {
                StraightPair::new((a, &**b), segments).by_portal([ball_in_box(a), b.inner_radius()], interval, chain)
            }
            (Shape::Polytope(a), Shape::Cuboid(b)) => {
                StraightPair::new((&**a, b), segments).by_portal([a.inner_radius(), ball_in_box(b)], interval, chain)
            }
            (Shape::Cylinder(a), Shape::Cylinder(b)) => {
                let inner = [a.inner_radius(), b.inner_radius()];
                StraightPair::new((a, b), segments).by_portal(inner, interval, chain)
            }
            (Shape::Cone(a), Shape::Cone(b)) => {
                StraightPair::new((a, b), segments).by_portal([ball_in_cone(a), ball_in_cone(b)], interval, chain)
            }
            _ => None,
        }
    }

    /// The certified prediction of straight motion for polytopes, by a few distance queries.
    pub(super) fn by_distances(
        &self,
        interval: [f64; 2],
        cache: &mut PairCache,
        chain: &mut impl Chain,
    ) -> Option<Impact> {
        let (Shape::Polytope(a), Shape::Polytope(b)) = (self.a, self.b) else { return None };
        let mut restarted = None;
        let pair = StraightPair::new((&**a, &**b), self.straight_segments(interval, &mut restarted)?);
        distances::impact(&pair, [self.a, self.b], interval, cache, chain)
    }
}

/// A moment shortly before a contact of rotating bodies, with the guess there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prediction {
    pub moment: Moment,
    pub guess: ContactGuess,
    /// The second half of its certificate, if a point is inside both bodies soon after.
    pub met: Option<ProvedContact>,
    /// Earlier times at which the bodies were found apart.
    pub waypoints: Waypoints,
}

/// The first few times at which the bodies were found apart, each with a separating direction. (Times and not moments, which are large, and few of
/// which are used again.)
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Waypoints {
    found: [(f64, DVec3); tuning::WAYPOINTS],
    count: usize,
}

impl Waypoints {
    fn push(&mut self, time: f64, normal: DVec3) {
        let is_later = self.found().last().is_none_or(|&(last, _)| last < time);
        if self.count < tuning::WAYPOINTS && is_later {
            self.found[self.count] = (time, normal);
            self.count += 1;
            debug_assert!(self.found().is_sorted_by(|a, b| a.0 < b.0), "G2: {self:?}");
        }
    }

    fn found(&self) -> &[(f64, DVec3)] {
        &self.found[..self.count]
    }

    /// The direction at a time, if that is a waypoint.
    pub fn at(&self, time: f64) -> Option<DVec3> {
        self.found().iter().find(|found| found.0 == time).map(|found| found.1)
    }

    /// The next waypoint after a time.
    pub fn after(&self, time: f64) -> Option<(f64, DVec3)> {
        self.found().iter().find(|found| found.0 > time).copied()
    }
}

/// The accuracy of a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Confidence {
    /// To rounding.
    Settled,
    /// Sufficient for a step.
    Rough,
    /// Insufficient: bodies that overlap along it may be separated along another one.
    Lost,
}

impl<C: Chain> Advancement<'_, '_, C> {
    /// Predicts the first contact of rotating bodies after a moment at which they are apart, until a time.
    pub fn predict(&mut self, from: &Moment, until: f64) -> Option<Prediction> {
        let is_plain = self.may_certify && self.steps >= tuning::PREDICTION_STEPS && self.pair.may_turn();
        if !is_plain || !from.is_within(MAX_COORDINATE) {
            return None;
        }
        match self.shapes {
            [Shape::Segment(a), Shape::Segment(b)] => {
                self.approach(|moment| Some((capsule_guess([a, b], moment)?, Confidence::Settled)), from, until)
            }
            [Shape::Cuboid(a), Shape::Cuboid(b)] => self.approach(|moment| axes::guess([a, b], moment), from, until),
            [Shape::Polytope(a), Shape::Polytope(b)] => self.predict_polytopes([a, b], from, until),
            [a, b] => match (a.convex(), b.convex()) {
                (Some(a), Some(b)) if a.is_curved() && b.is_curved() => {
                    let mut pair = curved::CurvedPair::new([a, b], from);
                    self.approach(|moment| pair.guess(moment), from, until)
                }
                _ => None,
            },
        }
    }

    /// Newton's method on the time. `guess_at` returns a direction at a moment, with points that face each other along it, and their gap, which is
    /// negative if they overlap.
    fn approach(
        &mut self,
        mut guess_at: impl FnMut(&Moment) -> Option<(ContactGuess, Confidence)>,
        from: &Moment,
        until: f64,
    ) -> Option<Prediction> {
        let mut moment = *from;
        let mut times = Times::new(from.time, until);
        let mut waypoints = Waypoints::default();
        for round in 0..tuning::TIME_ROUNDS {
            let (guess, confidence) = guess_at(&moment)?;
            let rounding = self.pair.rounding(moment.time);
            let is_near = guess.gap.abs() <= tuning::HEIGHTS_WITHIN * rounding;
            let gap = if is_near { self.pair.gap_along(guess.normal, &moment) } else { guess.gap };
            // Already within `CLOSE` at the start: leave it to the certified search.
            if round == 0 && !(gap > CLOSE * rounding) {
                return None;
            }
            if confidence == Confidence::Settled && gap >= LEAST * rounding && gap <= CLOSE * rounding {
                let found = self.prediction(moment, ContactGuess { gap, ..guess }, tuning::OVERLAP_TRIES, until);
                return Some(Prediction { waypoints, ..found });
            }
            if gap > 0.0 && confidence != Confidence::Lost {
                waypoints.push(moment.time, guess.normal);
            }
            if confidence == Confidence::Lost && gap <= 0.0 {
                moment = self.pair.at(times.back(moment.time)?);
                continue;
            }
            if !self.step_closer(&ContactGuess { gap, ..guess }, &mut moment, &mut times) {
                return None;
            }
        }
        None
    }

    /// The prediction of a contact soon after a moment.
    fn prediction(&self, moment: Moment, guess: ContactGuess, tries: u32, until: f64) -> Prediction {
        let met = self.meet(&moment, &guess.carried(&moment), tries, until);
        Prediction { moment, guess, met, waypoints: Waypoints::default() }
    }

    /// Goes to the moment at which the gap of a guess would be used up but for [`tuning::AIM`]; false if that is never.
    fn step_closer(&self, guess: &ContactGuess, moment: &mut Moment, times: &mut Times) -> bool {
        let gap = guess.gap - tuning::AIM * self.pair.rounding(moment.time);
        let rate = self.pair.rate(guess.normal, moment, guess.points);
        let Some(time) = times.next(moment.time, gap, rate) else { return false };
        *moment = self.pair.at(time);
        moment.is_within(MAX_COORDINATE)
    }

    /// The closest points of two capsules at a moment in closed form, which is faster than a distance query, and their distance. `None` for other
    /// shapes, and where heights do not confirm them.
    pub fn probe(&self, moment: &Moment) -> Option<(ContactGuess, f64)> {
        let [Shape::Segment(a), Shape::Segment(b)] = self.shapes else { return None };
        if !self.may_certify || self.steps == 0 || !moment.is_within(MAX_COORDINATE) {
            return None;
        }
        let guess = capsule_guess([a, b], moment)?;
        let gap = self.pair.gap_along(guess.normal, moment);
        let is_confirmed = gap > 2.0 * self.pair.rounding(moment.time) && gap >= 0.5 * guess.gap;
        is_confirmed.then_some((ContactGuess { gap, ..guess }, guess.gap))
    }
}

/// The last known time at which bodies were apart and the first one at which they were not, with the gaps. The contact is between the two.
struct Times {
    last: f64,
    last_gap: f64,
    first: f64,
    first_gap: f64,
}

impl Times {
    fn new(from: f64, until: f64) -> Self {
        Self { last: from, last_gap: 0.0, first: until, first_gap: 0.0 }
    }

    /// Halfway back to the time at which the bodies were apart.
    fn back(&self, time: f64) -> Option<f64> {
        let half = 0.5 * (self.last + time);
        (half > self.last && half < time).then_some(half)
    }

    /// The root of the line of that rate, or of the chord if that is not between the two.
    fn next(&mut self, time: f64, gap: f64, rate: f64) -> Option<f64> {
        if gap > 0.0 {
            (self.last, self.last_gap) = (time, gap);
        } else {
            (self.first, self.first_gap) = (time, gap);
        }
        let root = time - gap / rate;
        // Written so that a NaN is not between.
        if rate < 0.0 && root >= self.last && root <= self.first {
            return Some(root);
        }
        // Nothing is known of the end yet: if they approach at all, it may be there.
        if !(self.first_gap < 0.0) {
            return (rate < 0.0 && time < self.first).then_some(self.first);
        }
        let share = (self.last_gap / (self.last_gap - self.first_gap)).clamp(0.1, 0.9);
        let root = self.last + share * (self.first - self.last);
        (root > self.last && root < self.first).then_some(root)
    }
}

/// The closest points of two capsules at a moment, and their distance as the gap.
fn capsule_guess([a, b]: [&Segment; 2], moment: &Moment) -> Option<ContactGuess> {
    let [pose_a, pose_b]: [&Pose; 2] = moment.poses.each_ref();
    let ([middle_a, half_a], [middle_b, half_b]) = (a.turned(pose_a.rotation()), b.turned(pose_b.rotation()));
    let (middle_a, middle_b) = (middle_a + pose_a.translation(), middle_b + pose_b.translation());
    // No bound on rounding: nothing is proved here.
    let found = between([half_a, half_b], [a.squares(), b.squares()], middle_b - middle_a, f64::MAX)?;
    let ([s, t], normal) = (found.parts, found.normal);
    let points = [middle_a + half_a * s + normal * a.radius(), middle_b + half_b * t - normal * b.radius()];
    Some(ContactGuess { normal, points, gap: found.core - a.radius() - b.radius(), by: MetBy::Anything })
}
