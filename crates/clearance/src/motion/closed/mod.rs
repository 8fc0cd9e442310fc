//! Straight motion: closed forms and portals propose a contact, and two cheap proofs certify it.
//!
//! This is the special case of `predict` without rotation. A guess is a unit vector n with points that should meet; it need not be right. The proofs:
//!
//! - **before**: along n the gap `n·c(t) - h_A(n) - h_B(-n)` changes at the constant rate n·v, so one height of each body bounds the time for
//!   which they are separated (as in `straight.rs`, with the same allowance for rounding);
//! - **after**: soon after the contact a point is inside both bodies (`inside.rs`), or the origin of B is inside the hull of some corners of
//!   A - B with a ball in it (`portal.rs`).
//!
//! | bodies | guess |
//! |---|---|
//! | balls, capsules | a quadratic equation (`rounds.rs`) |
//! | boxes | 15 slabs (`boxes.rs`), and for faces that meet in parallel, as polytopes |
//! | polytopes, boxes and polytopes | the face of A - B that the line intersects (`portal.rs`); else a few distance queries (`polytopes.rs`) |
//! | cylinders, cones | Newton's method on the normal, from a rough portal (`curved.rs`) |
//!
//! For bodies that pass, the guess is a direction that separates them until the end, or two, one after the other. A guess that is not certified (a graze,
//! contact at the start) is dropped, and `straight.rs` searches.
//!
//! **Invariants**: a [`Certified`] result is returned only after its links were pushed; each link goes forward in time and is separated by more than rounding.

mod boxes;
mod curved;
mod polytopes;
mod portal;
mod rounds;
#[cfg(test)]
mod tests;

use super::advance::{Chain, Link};
use super::envelope::Direction;
use super::guess::{ContactPoints, ProvedContact, SOON};
use super::impact::{Approach, Hit, Impact, Moving};
use super::inside::{candidates, depth_of_point};
use super::leg::Leg;
use crate::error::MAX_COORDINATE;
use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH, sum_down};
use crate::pair::PairCache;
use crate::shape::{Cone, Convex, Cuboid, Shape};
use glam::{DQuat, DVec3};

/// Attempts to find a time at which the bodies overlap.
const MAX_TRIES: u32 = 2;

/// An uncertified guess. All vectors are in axes that do not turn, with the origin of A.
#[derive(Debug, Clone, Copy)]
enum StraightGuess {
    /// The bodies meet: the unit vector from A to B, and a point of each body relative to the origin of that body.
    Meet { normal: DVec3, contact: ContactPoints },
    /// They pass: separated along the first vector, and from where that ends along the second. The vectors may have any length.
    Pass([DVec3; 2]),
}

/// A certified result. It is smaller than an [`Impact`]: copying one that was just written in pieces is a store-to-load forwarding
/// stall, so the impact is made where it is returned.
pub(super) enum Certified {
    /// A contact, with its points in the world.
    Contact(ProvedContact),
    /// No contact, and a lower bound on the distance.
    Apart { least: f64 },
}

impl Certified {
    #[inline(always)]
    pub fn impact(self, start: f64) -> Impact {
        match self {
            Self::Contact(contact) => Impact::Hit(Hit::new(contact)),
            Self::Apart { least } => Impact::Clear(Approach::at_least(least, start)),
        }
    }
}

/// The legs of two bodies that do not rotate (or are balls), and their common start.
#[derive(Clone, Copy)]
struct StraightLegs<'a> {
    legs: [&'a Leg; 2],
    start: f64,
}

/// The motion of B relative to A, without rotation: its origin is at `place + velocity (t - start)`.
struct StraightPair<'a, A, B> {
    a: &'a A,
    b: &'a B,
    rotations: [DQuat; 2],
    start: f64,
    place: DVec3,
    velocity: DVec3,
    /// The rounding error of a distance along a direction, and its growth per unit of time since the start.
    roundings: [f64; 2],
    leg_a: &'a Leg,
}

impl<'a, A: Convex, B: Convex> StraightPair<'a, A, B> {
    /// For the legs that [`Moving::straight_legs`] has found.
    #[inline(always)]
    fn new((a, b): (&'a A, &'a B), StraightLegs { legs: [leg_a, leg_b], start }: StraightLegs<'a>) -> Self {
        let place = leg_b.place - leg_a.place;
        let velocity = leg_b.velocity - leg_a.velocity;
        let of_body = |size: f64, slack: f64, leg: &Leg| (ROUNDING + leg.slack.turned) * size + slack + leg.slack.place;
        let size_a = a.bounding_radius() + a.radius();
        let size_b = b.bounding_radius() + b.radius();
        // The allowance of `envelope`: 8 ε of the path, 2 ε of the difference of the places.
        let fixed = of_body(size_a, a.slack(), leg_a) + of_body(size_b, b.slack(), leg_b) + 2.0 * SMALLEST_LENGTH;
        let roundings = [
            10.0 * f64::EPSILON * place.abs().element_sum() + fixed,
            8.0 * f64::EPSILON * velocity.abs().element_sum() + leg_a.slack.drift + leg_b.slack.drift,
        ];
        let rotations = [leg_a.rotation, leg_b.rotation];
        Self { a, b, rotations, start, place, velocity, roundings, leg_a }
    }

    #[inline]
    fn place_at(&self, time: f64) -> DVec3 {
        self.place + self.velocity * (time - self.start)
    }

    /// Places beyond [`MAX_COORDINATE`] prove nothing.
    #[inline]
    fn is_near(&self, times: [f64; 2]) -> bool {
        times.iter().all(|&time| self.place_at(time).abs().max_element() < MAX_COORDINATE)
    }

    #[inline]
    fn rounding(&self, time: f64) -> f64 {
        self.roundings[0] + self.roundings[1] * (time - self.start).abs()
    }

    /// The time until which the bodies are separated along a unit vector, from a time on, and the least gap.
    #[inline]
    fn apart(&self, n: DVec3, from: f64, until: f64) -> Option<[f64; 2]> {
        let [a, b] = self.rotations;
        let heights = self.a.height(a.conjugate() * n) + self.b.height(b.conjugate() * -n);
        self.apart_below(n, heights, from, until)
    }

    /// [`apart`](Self::apart), for known heights of both cores.
    #[inline(always)]
    fn apart_below(&self, n: DVec3, heights: f64, from: f64, until: f64) -> Option<[f64; 2]> {
        let rate = n.dot(self.velocity);
        // Computed before the gap, to hide the latency of the quotient.
        let inverse = 1.0 / -rate;
        let wide = n.dot(self.place_at(from)) - (heights + self.a.radius() + self.b.radius());
        // The root of the gap, without rounding.
        let root = if rate < 0.0 { from + wide * inverse } else { f64::INFINITY };
        let rounding = self.rounding(from).max(self.rounding(root.min(until)));
        let gap = wide - rounding;
        // Written so that a NaN is no gap.
        if !(gap > 0.0) {
            return None;
        }
        if !(rate < 0.0) {
            return Some([until, gap]);
        }
        // The rate, its inverse and the product round by less than 6 ε. The sum is rounded down, as in `straight.rs`.
        let end = sum_down(from, (gap - 2.0 * rounding) * inverse * (1.0 - 6.0 * f64::EPSILON));
        // Written so that a NaN is not later.
        let end = if end >= until { until } else { end };
        let least = gap + rate * (end - from);
        (end > from && least > 0.0).then_some([end, least])
    }

    /// Certifies a guess.
    fn certify(
        &self,
        shapes: [&Shape; 2],
        guess: StraightGuess,
        [from, until]: [f64; 2],
        chain: &mut impl Chain,
    ) -> Option<Certified> {
        if !self.is_near([from, until]) {
            return None;
        }
        match guess {
            StraightGuess::Pass(directions) => {
                let [first, second] = directions.map(DVec3::normalize);
                let [time, least] = self.apart(first, from, until)?;
                let link = Link::along(Direction::fixed(first), [from, time]);
                if time == until {
                    chain.push(link);
                    return Some(Certified::Apart { least });
                }
                let [end, after] = self.apart(second, time, until)?;
                if end < until {
                    return None;
                }
                chain.push(link);
                chain.push(Link::along(Direction::fixed(second), [time, end]));
                Some(Certified::Apart { least: least.min(after) })
            }
            StraightGuess::Meet { normal, contact } => {
                let [time, least] = self.apart(normal, from, until)?;
                let link = Link::along(Direction::fixed(normal), [from, time]);
                if time == until {
                    chain.push(link);
                    return Some(Certified::Apart { least });
                }
                let upper = self.overlap(shapes, normal, contact, MAX_TRIES, [time, until])?;
                chain.push(link);
                let points = self.contact(normal, contact, time);
                Some(Certified::Contact(ProvedContact { lower: time, upper, normal, points }))
            }
        }
    }

    /// The time that bodies in contact take to overlap by more than rounding.
    #[inline]
    fn soon_after(&self, n: DVec3, time: f64) -> f64 {
        let closing = -n.dot(self.velocity);
        (32.0 * self.rounding(time) / closing).max(4.0 * f64::EPSILON * time.abs())
    }

    /// A time soon after another one at which a point is inside both bodies.
    fn overlap(
        &self,
        shapes: [&Shape; 2],
        n: DVec3,
        ContactPoints { points, by }: ContactPoints,
        tries: u32,
        [time, until]: [f64; 2],
    ) -> Option<f64> {
        let mut after = self.soon_after(n, time);
        for _ in 0..tries {
            let end = time + after;
            // A graze is left to the search.
            if !(after <= SOON * (until - time) && end <= until) {
                return None;
            }
            let (place, rounding) = (self.place_at(end), self.rounding(end));
            let is_inside = |side: usize, seen: DVec3| {
                let local = self.rotations[side].conjugate() * seen;
                depth_of_point(shapes[side], local).is_some_and(|depth| depth > rounding)
            };
            let is_shared = |point: DVec3| is_inside(0, point) && is_inside(1, point - place);
            if candidates(n, [points[0], points[1] + place], by).any(is_shared) {
                return Some(end);
            }
            after *= 6.0;
        }
        None
    }

    /// The points that meet at a time: at the corner or at the crossing of the edges, at the height of each body.
    fn contact(&self, normal: DVec3, ContactPoints { points, by }: ContactPoints, time: f64) -> [DVec3; 2] {
        let (origin, place) = (self.leg_a.place_at(time), self.place_at(time));
        let [a, b] = [points[0], points[1] + place];
        let there = candidates(normal, [a, b], by).next().unwrap_or(a);
        let on = |height: f64| origin + (there + normal * (height - normal.dot(there)));
        [on(normal.dot(a)), on(normal.dot(b))]
    }
}

impl Approach {
    /// A lower bound only, without a distance query.
    fn at_least(lower: f64, start: f64) -> Self {
        Self { lower, upper: f64::INFINITY, time: start, steps: 0 }
    }
}

/// The radius of the inscribed ball about the center.
fn ball_in_box(cuboid: &Cuboid) -> f64 {
    cuboid.half_extents().min_element()
}

/// That of a ball about the center of a cone, a quarter of its height from the base: as far from its side as 3/4 of the height, seen under the
/// angle at the apex.
fn ball_in_cone(cone: &Cone) -> f64 {
    let (r, h) = (cone.base_radius(), cone.half_height());
    // (At sizes for which no portal is looked for, squares may vanish.)
    let side = 1.5 * h * r / (r * r + 4.0 * h * h).sqrt();
    side.min(0.5 * h) * (1.0 - 8.0 * f64::EPSILON)
}

impl Moving<'_> {
    /// The certified answer, where a closed form or a portal gives one.
    #[inline]
    pub(super) fn closed_form(&self, interval: [f64; 2], chain: &mut impl Chain) -> Option<Certified> {
        let (legs, shapes) = (self.straight_legs(interval)?, [self.a, self.b]);
        match (self.a, self.b) {
            (Shape::Sphere(a), Shape::Sphere(b)) => {
                let pair = StraightPair::new((a, b), legs);
                rounds::balls_impact(&pair, shapes, interval, chain)
            }
            (Shape::Segment(a), Shape::Segment(b)) => {
                let pair = StraightPair::new((a, b), legs);
                pair.certify(shapes, rounds::capsules(&pair, interval)?, interval, chain)
            }
            (Shape::Cuboid(a), Shape::Cuboid(b)) => {
                let pair = StraightPair::new((a, b), legs);
                let found = boxes::impact(&pair, shapes, interval, chain);
                found.or_else(|| pair.by_portal([a, b].map(ball_in_box), interval, chain))
            }
            (Shape::Polytope(a), Shape::Polytope(b)) => {
                StraightPair::new((&**a, &**b), legs).by_portal([a.inner_radius(), b.inner_radius()], interval, chain)
            }
            (Shape::Cuboid(a), Shape::Polytope(b)) => {
                StraightPair::new((a, &**b), legs).by_portal([ball_in_box(a), b.inner_radius()], interval, chain)
            }
            (Shape::Polytope(a), Shape::Cuboid(b)) => {
                StraightPair::new((&**a, b), legs).by_portal([a.inner_radius(), ball_in_box(b)], interval, chain)
            }
            (Shape::Cylinder(a), Shape::Cylinder(b)) => {
                let inner = [a.inner_radius(), b.inner_radius()];
                StraightPair::new((a, b), legs).by_portal(inner, interval, chain)
            }
            (Shape::Cone(a), Shape::Cone(b)) => {
                StraightPair::new((a, b), legs).by_portal([ball_in_cone(a), ball_in_cone(b)], interval, chain)
            }
            _ => None,
        }
    }

    /// The certified answer for polytopes, by a few distance queries.
    pub(super) fn by_distances(
        &self,
        interval: [f64; 2],
        cache: &mut PairCache,
        chain: &mut impl Chain,
    ) -> Option<Impact> {
        let (Shape::Polytope(a), Shape::Polytope(b)) = (self.a, self.b) else { return None };
        let pair = StraightPair::new((&**a, &**b), self.straight_legs(interval)?);
        polytopes::impact(&pair, [self.a, self.b], interval, cache, chain)
    }

    /// `None` if a body changes its leg in the interval or rotates, if their accelerations differ, or if their centers are not their
    /// origins.
    #[inline]
    fn straight_legs(&self, [from, end]: [f64; 2]) -> Option<StraightLegs<'_>> {
        let (leg_a, until_a) = self.motion_a.leg(from)?;
        let (leg_b, until_b) = self.motion_b.leg(from)?;
        // A ball that rotates about its center sweeps no more.
        let is_still = |shape: &Shape, leg: &Leg| leg.spin == DVec3::ZERO || matches!(shape, Shape::Sphere(_));
        let is_straight = until_a >= end && until_b >= end && is_still(self.a, leg_a) && is_still(self.b, leg_b);
        let start = if leg_a.start == leg_b.start || leg_b.is_fixed() {
            leg_a.start
        } else if leg_a.is_fixed() {
            leg_b.start
        } else {
            return None;
        };
        let is_plain = leg_a.center == DVec3::ZERO && leg_b.center == DVec3::ZERO && start.is_finite();
        let is_straight = is_straight && is_plain && leg_a.acceleration == leg_b.acceleration;
        is_straight.then_some(StraightLegs { legs: [leg_a, leg_b], start })
    }
}
