//! Certificates: from an uncertified [`ContactGuess`] to a result that is proved.
//!
//! A certificate has two halves, and neither depends on how the guess was found:
//!
//! - **before**: along the normal of the guess the bodies are apart until shortly before the contact, by the bound of `envelope`;
//! - **after**: soon after it they overlap. One point that is inside both bodies proves that (`inside.rs`), or a portal with a ball behind it
//!   (`portal.rs`). No depth is needed.
//!
//! | type | content |
//! |---|---|
//! | [`ProvedContact`] | both halves: apart before one time, overlapping at another |
//! | [`Certified`] | the certificate of a guess: a contact, or no contact until the end |
//! | [`Toi`] | the result of a search over one piece of both motions, by any method |
//!
//! **Invariants**, asserted in debug builds: (V1) a [`Certified`] result is returned only after its links were pushed; (V2) each link goes forward in
//! time and is separated by more than rounding; (V3) `lower <= upper`.

pub(super) mod inside;
mod portal;

pub(super) use portal::{Portal, PortalCorner};

use super::advance::{Advancement, Chain, Link};
use super::envelope::{Direction, Moment, MovingPair, StraightPair};
use super::impact::{Approach, Hit, Impact};
use super::predict::ContactGuess;
use crate::pair::Clearance;
use crate::shape::{Convex, Shape};
use crate::tuning::motion as tuning;
use glam::DVec3;
use inside::{MetBy, candidates, depth_of_point, inward};

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

/// The certificate of a guess about straight motion. It is smaller than an [`Impact`]: copying one that was just written in pieces is a
/// store-to-load forwarding stall, so the impact is made where it is returned.
pub(super) enum Certified {
    /// A contact, with its points in the world.
    Contact(ProvedContact),
    /// No contact until the end, and a lower bound on the distance.
    Clear { least: f64 },
}

impl Certified {
    #[inline(always)]
    pub fn impact(self, start: f64) -> Impact {
        match self {
            Self::Contact(contact) => Impact::Hit(Hit::new(contact)),
            Self::Clear { least } => Impact::Clear(Approach::at_least(least, start)),
        }
    }
}

/// The result of a search over one piece of both motions.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::large_enum_variant)] // it is returned once and taken apart
pub(super) enum Toi {
    /// The bodies are apart until the end.
    Clear,
    /// No gap is proved at the start of the search: the clearance there, and as for a contact.
    Touching(Clearance, Hit, AfterContact),
    /// The bodies are apart before the contact; its fate is known as far as it could be proved.
    Contact(Hit, AfterContact),
    /// The bodies are apart until this time, at which the steps were used up.
    Paused(f64),
}

impl Toi {
    /// A certified contact in the axes of a pair.
    pub fn met(contact: ProvedContact, pair: &MovingPair<'_>) -> Self {
        Self::Contact(Hit::new(contact.in_world(pair)), AfterContact::Proved(contact.upper))
    }
}

/// The time after a contact at which no gap was proved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AfterContact {
    /// The bodies are proved to overlap at this time.
    Proved(f64),
    /// They are proved to be apart again at this time.
    Apart(f64),
    /// Neither was proved until the end.
    Unknown,
}

impl<A: Convex, B: Convex> StraightPair<'_, A, B> {
    /// Certifies a guess about straight motion.
    pub fn certify(
        &self,
        shapes: [&Shape; 2],
        guess: ContactGuess,
        [from, until]: [f64; 2],
        chain: &mut impl Chain,
    ) -> Option<Certified> {
        if !self.is_near([from, until]) {
            return None;
        }
        if let MetBy::Nothing { then } = guess.by {
            return self.certify_pass([guess.normal, then], [from, until], chain);
        }
        self.certify_contact(guess.normal, self.heights(guess.normal), [from, until], chain, |time| {
            let upper = self.overlap(shapes, &guess, tuning::STRAIGHT_OVERLAP_TRIES, [time, until])?;
            Some((upper, self.contact_points(&guess, time)))
        })
    }

    /// Certifies a contact along a unit vector, for known heights of both cores. `overlap` is passed the time until which the bodies are apart, and
    /// returns a time at which they are proved to overlap, with the points that meet.
    #[inline(always)]
    pub fn certify_contact(
        &self,
        normal: DVec3,
        heights: f64,
        [from, until]: [f64; 2],
        chain: &mut impl Chain,
        overlap: impl FnOnce(f64) -> Option<(f64, [DVec3; 2])>,
    ) -> Option<Certified> {
        let [time, least] = self.apart_below(normal, heights, from, until)?;
        let link = Link::along(Direction::fixed(normal), [from, time]);
        if time == until {
            chain.push(link);
            return Some(Certified::Clear { least });
        }
        let (upper, points) = overlap(time)?;
        debug_assert!(from < time && time <= upper, "V2, V3: {from} {time} {upper}");
        chain.push(link);
        Some(Certified::Contact(ProvedContact { lower: time, upper, normal, points }))
    }

    /// Certifies that the bodies pass: apart along a first vector, and from where that ends along a second one. The vectors may have any length.
    pub fn certify_pass(
        &self,
        directions: [DVec3; 2],
        [from, until]: [f64; 2],
        chain: &mut impl Chain,
    ) -> Option<Certified> {
        let [first, second] = directions.map(DVec3::normalize);
        let [time, least] = self.apart(first, from, until)?;
        let link = Link::along(Direction::fixed(first), [from, time]);
        if time == until {
            chain.push(link);
            return Some(Certified::Clear { least });
        }
        let [end, after] = self.apart(second, time, until)?;
        if end < until {
            return None;
        }
        chain.push(link);
        chain.push(Link::along(Direction::fixed(second), [time, end]));
        Some(Certified::Clear { least: least.min(after) })
    }

    /// The time that bodies in contact take to overlap by more than rounding.
    #[inline]
    pub fn soon_after(&self, n: DVec3, time: f64) -> f64 {
        let closing = -n.dot(self.path.velocity);
        // A few doubles later at least, so that the time changes.
        (tuning::OVERLAP * self.rounding(time) / closing).max(4.0 * f64::EPSILON * time.abs())
    }

    /// A time soon after another one at which a point is inside both bodies.
    pub fn overlap(
        &self,
        shapes: [&Shape; 2],
        guess: &ContactGuess,
        tries: u32,
        [time, until]: [f64; 2],
    ) -> Option<f64> {
        let &ContactGuess { normal: n, points, by, .. } = guess;
        let mut after = self.soon_after(n, time);
        for _ in 0..tries {
            let end = time + after;
            // A graze is left to the search.
            if !(after <= tuning::SOON * (until - time) && end <= until) {
                return None;
            }
            let (place, rounding) = (self.place_at(end), self.rounding(end));
            let is_inside = |side: usize, point: DVec3| {
                let local = self.rotations[side].conjugate() * point;
                depth_of_point(shapes[side], local).is_some_and(|depth| depth > rounding)
            };
            let is_shared = |point: DVec3| is_inside(0, point) && is_inside(1, point - place);
            if candidates(n, [points[0], points[1] + place], by).any(is_shared) {
                return Some(end);
            }
            after *= tuning::OVERLAP_GROWTH;
        }
        None
    }

    /// The points that meet at a time: at the corner or at the crossing of the edges, at the height of each body.
    pub fn contact_points(&self, guess: &ContactGuess, time: f64) -> [DVec3; 2] {
        let &ContactGuess { normal, points, by, .. } = guess;
        let (origin, place) = (self.segment_a.place_at(time), self.place_at(time));
        let [a, b] = [points[0], points[1] + place];
        let there = candidates(normal, [a, b], by).next().unwrap_or(a);
        let on = |height: f64| origin + (there + normal * (height - normal.dot(there)));
        [on(normal.dot(a)), on(normal.dot(b))]
    }
}

impl<C: Chain> Advancement<'_, '_, C> {
    /// Certifies a contact soon after a moment by a point that is then inside both bodies. The points of the guess are
    /// [carried](ContactGuess::carried) by their bodies.
    pub fn meet(&self, moment: &Moment, guess: &ContactGuess, tries: u32, until: f64) -> Option<ProvedContact> {
        let (n, points) = (guess.normal, guess.placed(moment));
        let rate = self.pair.rate(n, moment, points);
        let mut deep = self.pair.gap_along(n, moment).max(0.0) + tuning::OVERLAP * self.pair.rounding(moment.time);
        for _ in 0..tries {
            // A few doubles later at least, so that the time changes.
            let after = (deep / -rate).max(4.0 * f64::EPSILON * moment.time.abs());
            let end = moment.time + after;
            // A graze is left to the search. Written so that a NaN is one.
            if !(rate < 0.0 && after <= tuning::SOON * (until - moment.time) && end <= until) {
                return None;
            }
            let later = self.pair.at(end);
            if self.shared_point(&later, guess).is_some() {
                return Some(ProvedContact { lower: moment.time, upper: end, normal: n, points });
            }
            deep *= tuning::OVERLAP_GROWTH;
        }
        None
    }

    /// A point inside both bodies, shortly after the points of a guess met.
    pub fn shared_point(&self, moment: &Moment, guess: &ContactGuess) -> Option<DVec3> {
        let (n, by, rounding) = (guess.normal, guess.by, self.pair.rounding(moment.time));
        let within = |side: usize, point: DVec3| {
            let local = moment.poses[side].inverse_transform_point(point);
            depth_of_point(self.shapes[side], local).is_some_and(|depth| depth > rounding)
        };
        // First the body that a corner of the other one meets: it is the one that may not hold the point.
        let first = usize::from(matches!(by, MetBy::CornerOf(0)));
        let is_shared = |point: &DVec3| within(first, *point) && within(1 - first, *point);
        let points = guess.placed(moment);
        let center = |side: usize| {
            let core = self.shapes[side].convex()?;
            Some(moment.poses[side].transform_point(core.center()))
        };
        // The inside of a sharp corner is toward the center of its body, which need not be along the normal.
        if let (Some(a), Some(b)) = (center(0), center(1))
            && let Some(point) = inward(n, points, by, [a, b]).find(is_shared)
        {
            return Some(point);
        }
        candidates(n, points, by).find(is_shared)
    }
}
