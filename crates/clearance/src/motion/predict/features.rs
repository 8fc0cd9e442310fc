//! Rotating polytopes: the closest features at a moment, and when their planes would meet.
//!
//! A face and a corner, or two edges, have a normal that rotates with them. Along it the gap between the whole bodies is at most their distance, so its
//! root is no later than the contact. It is the contact if these features are those that meet; else the next probe is
//! there \[Catto 2013, continuous collision: the same for two dimensions, with bisection\].

use super::{ContactGuess, LEAST, Prediction, Times, Waypoints};
use crate::motion::advance::{Advancement, CLOSE, Chain};
use crate::motion::certify::inside::{MetBy, crossing};
use crate::motion::envelope::Moment;
use crate::shape::{Convex, Polytope};
use crate::tuning::motion as tuning;
use glam::DVec3;

/// Where the normal of two features comes from; directions are those of the bodies' own frames.
#[derive(Debug, Clone, Copy)]
enum Normal {
    /// From a face of the body of that number: a unit vector from A to B.
    Of(usize, DVec3),
    /// From two edges: their product, times a sign.
    Edges([DVec3; 2], f64),
    /// From a corner and a corner or an edge, which have no normal: one that does not rotate, in the axes of the pair.
    Fixed(DVec3),
}

impl Normal {
    fn new(guess: &ContactGuess, moment: &Moment) -> Self {
        let own = |side: usize, d: DVec3| moment.poses[side].rotation().conjugate() * d;
        match guess.by {
            MetBy::CornerOf(side) => Self::Of(1 - side, own(1 - side, guess.normal)),
            MetBy::Edges([e, f]) => {
                let sign = e.cross(f).dot(guess.normal);
                Self::Edges([own(0, e), own(1, f)], 1.0_f64.copysign(sign))
            }
            MetBy::Anything | MetBy::Nothing { .. } => Self::Fixed(guess.normal),
        }
    }

    /// The points that face each other along the normal at a moment.
    fn guess(&self, [a, b]: [&Polytope; 2], moment: &Moment) -> Option<ContactGuess> {
        let [pose_a, pose_b] = &moment.poses;
        let [turn_a, turn_b] = [pose_a.rotation(), pose_b.rotation()];
        let normal = match *self {
            Self::Of(side, n) => [turn_a, turn_b][side] * n,
            Self::Edges([e, f], sign) => (sign * (turn_a * e).cross(turn_b * f)).try_normalize()?,
            Self::Fixed(n) => n,
        };
        let on_a = pose_a.transform_point(a.support(turn_a.conjugate() * normal));
        let on_b = pose_b.transform_point(b.support(turn_b.conjugate() * -normal));
        let offset = on_b - on_a;
        let gap = normal.dot(offset);
        let (points, by) = match *self {
            Self::Of(0, _) => ([on_b - normal * gap, on_b], MetBy::CornerOf(1)),
            Self::Of(..) => ([on_a, on_a + normal * gap], MetBy::CornerOf(0)),
            Self::Edges([e, f], _) => {
                let edges = [turn_a * e, turn_b * f];
                let crossing = crossing(on_a, offset, edges);
                ([crossing, crossing + normal * gap], MetBy::Edges(edges))
            }
            Self::Fixed(_) => ([on_a, on_b], MetBy::Anything),
        };
        Some(ContactGuess { normal, points, gap, by })
    }
}

impl<C: Chain> Advancement<'_, '_, C> {
    /// See [`predict`](Self::predict).
    pub(super) fn predict_polytopes(
        &mut self,
        polytopes: [&Polytope; 2],
        from: &Moment,
        until: f64,
    ) -> Option<Prediction> {
        let mut moment = *from;
        let mut waypoints = Waypoints::default();
        // Along the line of centers most of the distance needs no query.
        if let Some(n) = self.pair.between_centers(from) {
            let guess = Normal::Fixed(n).guess(polytopes, from)?;
            if guess.gap > 0.0
                && let Some(next) = self.features_meet(polytopes, guess, from, tuning::FEATURE_START * guess.gap, until)
            {
                moment = next.moment;
                waypoints.push(from.time, n);
            }
        }
        for _ in 0..tuning::FEATURE_PROBES {
            let found = self.sample(&moment);
            if !(found.lower > CLOSE * self.pair.rounding(moment.time)) {
                return None;
            }
            let guess = ContactGuess::of(&found, self.shapes, &moment);
            waypoints.push(moment.time, guess.normal);
            let next = self.features_meet(polytopes, guess, &moment, 0.0, until)?;
            if next.met.is_some() {
                return Some(Prediction { waypoints, ..next });
            }
            moment = next.moment;
        }
        None
    }

    /// The moment at which the gap along the normal of the features of a guess is at most `contact_gap`, or a few roundings.
    fn features_meet(
        &self,
        polytopes: [&Polytope; 2],
        guess: ContactGuess,
        from: &Moment,
        contact_gap: f64,
        until: f64,
    ) -> Option<Prediction> {
        let normal = Normal::new(&guess, from);
        let (mut moment, mut guess) = (*from, guess);
        let mut times = Times::new(from.time, until);
        for _ in 0..tuning::TIME_ROUNDS {
            if !self.step_closer(&guess, &mut moment, &mut times) {
                return None;
            }
            guess = normal.guess(polytopes, &moment)?;
            let rounding = self.pair.rounding(moment.time);
            if !(guess.gap >= LEAST * rounding) {
                continue;
            }
            if guess.gap <= contact_gap {
                return Some(Prediction { moment, guess, met: None, waypoints: Waypoints::default() });
            }
            if guess.gap <= CLOSE * rounding {
                // Without features the points that will meet are not known.
                let tries = if let MetBy::Anything = guess.by { 0 } else { tuning::FEATURE_OVERLAP_TRIES };
                return Some(self.prediction(moment, guess, tries, until));
            }
        }
        None
    }
}
