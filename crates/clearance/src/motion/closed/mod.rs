//! Straight ways: contacts that are proposed without proof, then proved.
//!
//! A proposal is a unit vector n, points that should meet, and nothing that anybody relies on. Two cheap proofs make it an answer:
//!
//! - **before**: along n the gap `n·c(t) - h_A(n) - h_B(-n)` changes at the constant rate n·v, so that one height of each body says until
//!   when they are apart (the line of `straight.rs`, with the same allowance for rounding);
//! - **after**: a moment later a point between the two is inside of both bodies (`inside.rs`), or the place of B is inside of what corners of
//!   A - B span with a ball in it (`portal.rs`).
//!
//! | bodies | proposed by |
//! |---|---|
//! | balls, capsules | a quadratic equation (`rounds.rs`) |
//! | boxes | 15 slabs (`boxes.rs`), and where no corner or edge meets alone, as a polytope |
//! | polytopes, boxes and polytopes | the face of A - B that the line goes through (`portal.rs`); else by a few distances (`polytopes.rs`) |
//! | cylinders, cones | Newton's method on the normal, from a rough portal (`curved.rs`) |
//!
//! Bodies that pass are proposed a direction that keeps them apart until the end, or two, one after the other. What cannot be proved, a
//! graze, bodies that touch from the start, is left to the chain of `straight.rs`: then nothing has been answered here.

mod boxes;
mod curved;
mod polytopes;
mod portal;
mod rounds;
#[cfg(test)]
mod tests;

use super::advance::{Chain, Link};
use super::envelope::Direction;
use super::impact::{Approach, Hit, Impact, Moving};
use super::inside::{MetBy, candidates, depth_of_point};
use super::leg::Leg;
use super::sight::SOON;
use crate::error::MAX_COORDINATE;
use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH, sum_down};
use crate::pair::PairCache;
use crate::shape::{Cone, Convex, Cuboid, Shape};
use glam::{DQuat, DVec3};

/// How often the time at which bodies are to overlap is put off.
const MAX_TRIES: u32 = 2;

/// What may happen, as far as can be told without proof. Everything is in axes that do not turn and whose origin is that of A.
#[derive(Debug, Clone, Copy)]
enum Proposal {
    /// The bodies meet: the unit vector from A to B, a point of A, a point of B as seen from its origin, and what they meet by.
    Meet { normal: DVec3, points: [DVec3; 2], by: MetBy },
    /// They pass: apart along the first vector, and from where that ends along the second. They need not be units.
    Pass([DVec3; 2]),
}

/// What is proved of a straight way. An [`Impact`] is larger, and copying what has just been written in pieces is a store-to-load forwarding
/// stall: it is made where it is returned.
pub(super) enum StraightAnswer {
    /// The bodies meet between two times: the points of A and B at the first of them, in the world, and the unit vector from A to B.
    Meet { times: [f64; 2], points: [DVec3; 2], normal: DVec3 },
    /// They do not, and are never closer than this.
    Pass { least: f64 },
}

impl StraightAnswer {
    #[inline(always)]
    pub fn impact(self, start: f64) -> Impact {
        match self {
            Self::Meet { times: [lower, upper], points: [point_a, point_b], normal } => {
                let (parts, triangles) = ([0; 2], [None; 2]);
                Impact::Hit(Hit { lower, upper, point_a, point_b, normal, parts, triangles, steps: 0 })
            }
            Self::Pass { least } => Impact::Clear(Approach::at_least(least, start)),
        }
    }
}

/// The laws of two bodies that do not turn, as far as is seen, and the time from which both count.
#[derive(Clone, Copy)]
struct StraightLegs<'a> {
    legs: [&'a Leg; 2],
    start: f64,
}

/// How B moves as seen from A, neither of them turning: its origin is at `place + velocity (t - start)`.
struct StraightPair<'a, A, B> {
    a: &'a A,
    b: &'a B,
    rotations: [DQuat; 2],
    start: f64,
    place: DVec3,
    velocity: DVec3,
    /// What rounding may do to a distance along a direction, and more for every unit of time since the start.
    roundings: [f64; 2],
    leg_a: &'a Leg,
}

impl<'a, A: Convex, B: Convex> StraightPair<'a, A, B> {
    /// Of laws that [`Moving::straight_legs`] has found to be straight, and the time from which both count.
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

    /// Beyond all bounds places are not what they should be, and prove nothing.
    #[inline]
    fn is_near(&self, times: [f64; 2]) -> bool {
        times.iter().all(|&time| self.place_at(time).abs().max_element() < MAX_COORDINATE)
    }

    #[inline]
    fn rounding(&self, time: f64) -> f64 {
        self.roundings[0] + self.roundings[1] * (time - self.start).abs()
    }

    /// Until when the bodies are apart along a unit vector, from a time on, and by how much at the least.
    #[inline]
    fn apart(&self, n: DVec3, from: f64, until: f64) -> Option<[f64; 2]> {
        let [a, b] = self.rotations;
        let heights = self.a.height(a.conjugate() * n) + self.b.height(b.conjugate() * -n);
        self.apart_below(n, heights, from, until)
    }

    /// [`apart`](Self::apart), where the heights of both cores are known.
    #[inline(always)]
    fn apart_below(&self, n: DVec3, heights: f64, from: f64, until: f64) -> Option<[f64; 2]> {
        let rate = n.dot(self.velocity);
        // Known before the gap is, so that nothing waits for a quotient.
        let inverse = 1.0 / -rate;
        let wide = n.dot(self.place_at(from)) - (heights + self.a.radius() + self.b.radius());
        // Without rounding it would be used up then.
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

    /// A proposal, made an answer if it can be proved.
    fn prove(
        &self,
        shapes: [&Shape; 2],
        proposal: Proposal,
        [from, until]: [f64; 2],
        chain: &mut impl Chain,
    ) -> Option<StraightAnswer> {
        if !self.is_near([from, until]) {
            return None;
        }
        match proposal {
            Proposal::Pass(directions) => {
                let [first, second] = directions.map(DVec3::normalize);
                let [time, least] = self.apart(first, from, until)?;
                let link = Link::along(Direction::fixed(first), [from, time]);
                if time == until {
                    chain.push(link);
                    return Some(StraightAnswer::Pass { least });
                }
                let [end, after] = self.apart(second, time, until)?;
                if end < until {
                    return None;
                }
                chain.push(link);
                chain.push(Link::along(Direction::fixed(second), [time, end]));
                Some(StraightAnswer::Pass { least: least.min(after) })
            }
            Proposal::Meet { normal, points, by } => {
                let [time, least] = self.apart(normal, from, until)?;
                let link = Link::along(Direction::fixed(normal), [from, time]);
                if time == until {
                    chain.push(link);
                    return Some(StraightAnswer::Pass { least });
                }
                let upper = self.overlap(shapes, normal, (points, by), MAX_TRIES, [time, until])?;
                chain.push(link);
                let points = self.contact(normal, (points, by), time);
                Some(StraightAnswer::Meet { times: [time, upper], points, normal })
            }
        }
    }

    /// How long it takes from a time on until bodies that touch then overlap by more than rounding.
    #[inline]
    fn soon_after(&self, n: DVec3, time: f64) -> f64 {
        let closing = -n.dot(self.velocity);
        (32.0 * self.rounding(time) / closing).max(4.0 * f64::EPSILON * time.abs())
    }

    /// A time, soon after another, at which a point is inside of both bodies.
    fn overlap(
        &self,
        shapes: [&Shape; 2],
        n: DVec3,
        (points, by): ([DVec3; 2], MetBy),
        tries: u32,
        [time, until]: [f64; 2],
    ) -> Option<f64> {
        let mut after = self.soon_after(n, time);
        for _ in 0..tries {
            let end = time + after;
            // A graze is left to the chain.
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

    /// The points that meet at a time: where the corner is, or the edges cross, as high as each of the bodies reaches.
    fn contact(&self, normal: DVec3, (points, by): ([DVec3; 2], MetBy), time: f64) -> [DVec3; 2] {
        let (origin, place) = (self.leg_a.place_at(time), self.place_at(time));
        let [a, b] = [points[0], points[1] + place];
        let there = candidates(normal, [a, b], by).next().unwrap_or(a);
        let on = |height: f64| origin + (there + normal * (height - normal.dot(there)));
        [on(normal.dot(a)), on(normal.dot(b))]
    }
}

impl Approach {
    /// No distance was asked for.
    fn at_least(lower: f64, start: f64) -> Self {
        Self { lower, upper: f64::INFINITY, time: start, steps: 0 }
    }
}

/// The radius of a ball about the middle that is inside.
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
    /// The answer, where it can be proposed without a search for the distance, and proved.
    #[inline]
    pub(super) fn closed(&self, interval: [f64; 2], chain: &mut impl Chain) -> Option<StraightAnswer> {
        let (legs, shapes) = (self.straight_legs(interval)?, [self.a, self.b]);
        match (self.a, self.b) {
            (Shape::Sphere(a), Shape::Sphere(b)) => {
                let pair = StraightPair::new((a, b), legs);
                rounds::balls_impact(&pair, shapes, interval, chain)
            }
            (Shape::Segment(a), Shape::Segment(b)) => {
                let pair = StraightPair::new((a, b), legs);
                pair.prove(shapes, rounds::capsules(&pair, interval)?, interval, chain)
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

    /// [`closed`](Self::closed) for polytopes, by a few distances.
    pub(super) fn looked_at(
        &self,
        interval: [f64; 2],
        cache: &mut PairCache,
        chain: &mut impl Chain,
    ) -> Option<Impact> {
        let (Shape::Polytope(a), Shape::Polytope(b)) = (self.a, self.b) else { return None };
        let pair = StraightPair::new((&**a, &**b), self.straight_legs(interval)?);
        polytopes::impact(&pair, [self.a, self.b], interval, cache, chain)
    }

    /// Nothing if a body has no one law for the whole interval or turns, if they fall differently, or are told of by other points than
    /// their origins.
    #[inline]
    fn straight_legs(&self, [from, end]: [f64; 2]) -> Option<StraightLegs<'_>> {
        let (leg_a, until_a) = self.motion_a.leg(from)?;
        let (leg_b, until_b) = self.motion_b.leg(from)?;
        // A ball that turns about its middle does not, as far as is seen.
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
