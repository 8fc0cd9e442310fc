//! Polytopes: a look at the closest features, and where the planes of these would meet.
//!
//! A face and a corner, or two edges, have a normal that turns with them. Along it the gap between all of both bodies is at most their distance, so that
//! its root is no later than the contact; and is the contact, if these features are those that meet. Else the next
//! look is from there \[Catto 2013, continuous collision: the same for two dimensions, with bisection\].

use super::super::advance::{Advancement, CLOSE, Chain};
use super::super::envelope::Moment;
use super::super::inside::MetBy;
use super::super::sight::{Sight, crossing};
use super::{Foreseen, LEAST, MAX_ROUNDS, Times, Waypoints};
use crate::shape::{Convex, Polytope};
use glam::DVec3;

/// More looks are left to the chain.
const MAX_LOOKS: u32 = 6;

/// By so much of the gap along the line of centers the bodies come closer before the first look.
const CLOSER: f64 = 0.25;

/// How often the time at which bodies are to overlap is put off: if it is not soon, other features will meet.
const MAX_TRIES: u32 = 2;

/// Where the normal of two features comes from; directions are those of the bodies' own frames.
#[derive(Debug, Clone, Copy)]
enum Normal {
    /// From a face of the body of that number: a unit vector from A to B.
    Of(usize, DVec3),
    /// From two edges: their product, times a sign.
    Edges([DVec3; 2], f64),
    /// From a corner and a corner or an edge, which have none of their own: one that does not turn, in the axes of the pair.
    Fixed(DVec3),
}

impl Normal {
    fn new(sight: &Sight, moment: &Moment) -> Self {
        let own = |side: usize, d: DVec3| moment.poses[side].rotation().conjugate() * d;
        match sight.by {
            MetBy::CornerOf(side) => Self::Of(1 - side, own(1 - side, sight.normal)),
            MetBy::Edges([e, f]) => {
                let sign = e.cross(f).dot(sight.normal);
                Self::Edges([own(0, e), own(1, f)], 1.0_f64.copysign(sign))
            }
            MetBy::Anything => Self::Fixed(sight.normal),
        }
    }

    /// What faces each other along the normal at a moment.
    fn view(&self, [a, b]: [&Polytope; 2], moment: &Moment) -> Option<Sight> {
        let [pose_a, pose_b] = &moment.poses;
        let [turn_a, turn_b] = [pose_a.rotation(), pose_b.rotation()];
        let normal = match *self {
            Self::Of(side, n) => [turn_a, turn_b][side] * n,
            Self::Edges([e, f], sign) => (sign * (turn_a * e).cross(turn_b * f)).try_normalize()?,
            Self::Fixed(n) => n,
        };
        let on_a = pose_a.transform_point(a.support(turn_a.conjugate() * normal));
        let on_b = pose_b.transform_point(b.support(turn_b.conjugate() * -normal));
        let way = on_b - on_a;
        let gap = normal.dot(way);
        let (points, by) = match *self {
            Self::Of(0, _) => ([on_b - normal * gap, on_b], MetBy::CornerOf(1)),
            Self::Of(..) => ([on_a, on_a + normal * gap], MetBy::CornerOf(0)),
            Self::Edges([e, f], _) => {
                let edges = [turn_a * e, turn_b * f];
                let crossing = crossing(on_a, way, edges);
                ([crossing, crossing + normal * gap], MetBy::Edges(edges))
            }
            Self::Fixed(_) => ([on_a, on_b], MetBy::Anything),
        };
        Some(Sight { normal, points, gap, by })
    }
}

impl<C: Chain> Advancement<'_, '_, C> {
    /// See [`foresee`](Self::foresee).
    pub(super) fn foresee_polytopes(
        &mut self,
        polytopes: [&Polytope; 2],
        from: &Moment,
        until: f64,
    ) -> Option<Foreseen> {
        let mut moment = *from;
        let mut way = Waypoints::default();
        // Along the line of centers most of the way goes without a look.
        if let Some(n) = self.pair.between_centers(from) {
            let sight = Normal::Fixed(n).view(polytopes, from)?;
            if sight.gap > 0.0
                && let Some(next) = self.features_meet(polytopes, sight, from, CLOSER * sight.gap, until)
            {
                moment = next.moment;
                way.push(from.time, n);
            }
        }
        for _ in 0..MAX_LOOKS {
            let found = self.look(moment).found;
            if !(found.lower > CLOSE * self.pair.rounding(moment.time)) {
                return None;
            }
            let sight = Sight::of(&found, self.shapes, &moment);
            way.push(moment.time, sight.normal);
            let next = self.features_meet(polytopes, sight, &moment, 0.0, until)?;
            if next.met.is_some() {
                return Some(Foreseen { way, ..next });
            }
            moment = next.moment;
        }
        None
    }

    /// From a sight on, to where the gap along the normal of its features is used up, or no more than enough.
    fn features_meet(
        &self,
        polytopes: [&Polytope; 2],
        sight: Sight,
        from: &Moment,
        enough: f64,
        until: f64,
    ) -> Option<Foreseen> {
        let normal = Normal::new(&sight, from);
        let (mut moment, mut view) = (*from, sight);
        let mut times = Times::new(from.time, until);
        for _ in 0..MAX_ROUNDS {
            if !self.step_closer(&view, &mut moment, &mut times) {
                return None;
            }
            view = normal.view(polytopes, &moment)?;
            let rounding = self.pair.rounding(moment.time);
            if !(view.gap >= LEAST * rounding) {
                continue;
            }
            if view.gap <= enough {
                return Some(Foreseen { moment, sight: view, met: None, way: Waypoints::default() });
            }
            if view.gap <= CLOSE * rounding {
                // Without features nobody knows which points face each other.
                let tries = if let MetBy::Anything = view.by { 0 } else { MAX_TRIES };
                return Some(self.foreseen(moment, view, tries, until));
            }
        }
        None
    }
}
