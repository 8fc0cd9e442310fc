//! Straight edges in the space of joints: proved free, or the first contact.
//!
//! On an edge every variable goes from its first to its last value at a constant rate, and `s` goes from 0 to 1. Dyadic intervals are halved from left to right. At the
//! middle of an interval of half width h the robot is placed once. Each pair that is still open there is then covered on the left half, on the right half, on
//! both or on none, by the first of these bounds that reaches the goal:
//!
//! 1. the distance of the balls less `L h`;
//! 2. **convex bodies** (or the hulls of meshes), along a unit vector n: with v and Ω the velocities at the middle, in the frame of the cut (`paths.rs`),
//!
//!    F(τ) = n·(c_B - c_A) + τ n·(v_B - v_A) - H_B(-n - τ n×Ω_B) - H_A(n + τ n×Ω_A) - ½ K τ²,
//!
//!    H being support heights over the centers c, is below the gap at m + τ: `n·(Ω×r) = r·(n×Ω)`, so each point moves along n to first order as its height along
//!    the tilted direction says. F is concave, as a minimum of linear functions less a parabola. Its values at 0 and at ±h bound it in between;
//! 3. the distance of the bodies less `min(L h, |v_B - v_A| h + (|Ω_A| ρ_A + |Ω_B| ρ_B) h + ½ K h²)`, for all shapes.
//!
//! The direction n is that of the last interval, else the normal of the closest points. The goal is a share (`EdgeOptions::share`) of the least clearance that was sampled so far, so the
//! proved lower bound is at least that share of the true clearance, without a search for its minimum.
//!
//! **Invariants**
//!
//! - (E1) all pairs are proved apart from 0 to the left end of the interval that is open;
//! - (E2) a contact is reported only where an overlap is proved beyond the rounding of the kinematics;
//! - (E3) bounds subtract the rounding errors of configurations, kinematics and heights.
//!
//! Paper: Schwarzer, Saha and Latombe, "Adaptive dynamic collision checking for single and multiple articulated robots in complex environments", IEEE Transactions on
//! Robotics 21(3), 2005, covers intervals by bound 3 with `L h`. Bound 2 is of second order, and needs far fewer distances near obstacles.

use crate::checker::{Checker, Part, Placed, RobotClearance, Setup};
use crate::error::Error;
use crate::paths::{Rates, Velocities};
use clearance::math::DVec3;
use clearance::{Clearance, Shape};
use std::sync::Arc;

/// Bound: heights of supports are off by 32 ε of the coordinates (`ROUNDING` of the library); the sums that make F of them by 16 more of each.
const OF_HEIGHTS: f64 = 64.0 * f64::EPSILON;
/// Limit: dyadic fractions of an edge this narrow are still exact, and differ by more than the rounding of joint values.
const FINEST: f64 = 1.0 / (1_u64 << 40) as f64;

/// Limit: coarser brackets of contacts leave edges that pass obstacles closely as decidable as this resolution does.
const FINE: f64 = 1.0 / (1_u64 << 20) as f64;

/// How long an edge is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeOptions {
    /// Width of the bracket of a first contact, as a fraction of the edge. With 1 the search ends at the first contact that it samples.
    pub resolution: f64,
    /// The most tests of a pair at a configuration.
    pub tests: u64,
    /// The share of the least clearance met that a free edge proves, from 0 to 0.9. With 0 the search ends as soon as all pairs are proved apart.
    pub share: f64,
    /// A clearance that a free edge is to prove, where it has more than that.
    pub at_least: f64,
}

/// Limit: near 1 the search would need ever smaller intervals around the least clearance.
const MOST_SHARE: f64 = 0.9;

impl Default for EdgeOptions {
    fn default() -> Self {
        // Limit: a bracket of a micrometre on an edge of a metre takes about 20 halvings; a million tests are about a second.
        Self { resolution: FINE, tests: 1 << 20, share: 0.5, at_least: 0.0 }
    }
}

/// Whether a robot moves freely along an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Edge {
    /// No checked pair touches at any time: proved.
    Free(FreeEdge),
    /// The first contact.
    Contact(FirstContact),
    /// Neither is proved: a graze, a touch at the start, or a search that has used up its tests.
    Undecided {
        /// All pairs are proved apart before this fraction of the edge.
        from: f64,
        /// A pair that is open there.
        parts: [Part; 2],
        /// Tests of a pair at a configuration.
        tests: u64,
    },
}

/// An edge that is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeEdge {
    /// No checked pair comes closer than this; infinite if no pair is checked.
    pub lower: f64,
    /// The closest pair comes at least this close.
    pub upper: f64,
    /// The fraction of the edge where that is.
    pub at: f64,
    /// Tests of a pair at a configuration.
    pub tests: u64,
}

/// The first contact on an edge, in fractions of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstContact {
    /// All pairs are proved apart before this.
    pub lower: f64,
    /// Two parts are proved to overlap here.
    pub upper: f64,
    /// The clearance at `upper`, with the parts that overlap.
    pub found: RobotClearance,
    /// Tests of a pair at a configuration.
    pub tests: u64,
}

impl Edge {
    /// Is the edge proved free (`Some(true)`), proved to have a contact (`Some(false)`), or neither?
    #[must_use]
    pub fn free(&self) -> Option<bool> {
        match self {
            Self::Free(_) => Some(true),
            Self::Contact(_) => Some(false),
            Self::Undecided { .. } => None,
        }
    }
}

/// Whether a robot moves freely along a path of edges.
#[derive(Debug, Clone, PartialEq)]
pub struct PathAnswer {
    /// The edges that were searched, up to the first one that is not free.
    pub edges: Vec<Edge>,
    /// No checked pair comes closer than this on the edges that are free.
    pub lower: f64,
}

impl PathAnswer {
    /// Is the whole path proved free? See [`Edge::free`].
    #[must_use]
    pub fn free(&self) -> Option<bool> {
        self.edges.last().map_or(Some(true), Edge::free)
    }
}

/// A dyadic interval, and which pairs are open in it: a range of the list.
#[derive(Debug, Clone, Copy)]
struct Interval {
    start: f64,
    end: f64,
    pairs: [usize; 2],
}

/// Lower bounds of a pair on the left and the right half of an interval, and a sample of its clearance.
struct Tested {
    lower: [f64; 2],
    found: Option<Clearance>,
    error: f64,
}

/// The edge that is searched.
struct Search<'e> {
    ends: [&'e [f64]; 2],
    rates: Vec<Option<Rates>>,
    levers: Vec<[f64; 3]>,
    tests: u64,
    /// The least clearance that was sampled, and where.
    sampled: (f64, f64),
}

impl Checker {
    /// Is the straight edge between two configurations free?
    ///
    /// Every variable changes at a constant rate; variables of continuous joints are not wrapped. Limits are not checked.
    pub fn edge(&mut self, from: &[f64], to: &[f64], options: &EdgeOptions) -> Result<Edge, Error> {
        self.robot().check(from)?;
        self.robot().check(to)?;
        Ok(self.search_edge(from, to, options))
    }

    /// Are the straight edges between waypoints free? The search ends with the first edge that is not.
    pub fn path<Q: AsRef<[f64]>>(&mut self, waypoints: &[Q], options: &EdgeOptions) -> Result<PathAnswer, Error> {
        for waypoint in waypoints {
            self.robot().check(waypoint.as_ref())?;
        }
        let mut answer = PathAnswer { edges: Vec::new(), lower: f64::INFINITY };
        let single = if let [only] = waypoints { Some([only, only]) } else { None };
        let edges = waypoints.windows(2).map(|edge| [&edge[0], &edge[1]]).chain(single);
        for [from, to] in edges {
            let edge = self.search_edge(from.as_ref(), to.as_ref(), options);
            answer.edges.push(edge);
            match edge {
                Edge::Free(free) => answer.lower = answer.lower.min(free.lower),
                _ => break,
            }
        }
        Ok(answer)
    }

    /// Whether many edges are free, on all cores. The same bits come from any number of threads.
    pub fn edge_batch<Q: AsRef<[f64]> + Sync>(
        &self,
        edges: &[(Q, Q)],
        options: &EdgeOptions,
    ) -> Result<Vec<Edge>, Error> {
        self.batch(edges, |checker, (from, to)| checker.edge(from.as_ref(), to.as_ref(), options))
    }

    pub(crate) fn search_edge(&mut self, from: &[f64], to: &[f64], options: &EdgeOptions) -> Edge {
        let infinite = FreeEdge { lower: f64::INFINITY, upper: f64::INFINITY, at: 0.0, tests: 0 };
        let setup = Arc::clone(&self.setup);
        let count = setup.pairs.len();
        let mut search = Search {
            ends: [from, to],
            rates: vec![None; count],
            levers: Vec::new(),
            tests: 0,
            sampled: (f64::INFINITY, 0.0),
        };
        self.place(from, from, to);
        let Some(start) = self.closest() else { return Edge::Free(infinite) };
        if start.upper < 0.0 {
            return Edge::Contact(FirstContact { lower: 0.0, upper: 0.0, found: start, tests: 0 });
        }
        if start.lower <= 0.0 {
            return Edge::Undecided { from: 0.0, parts: start.parts, tests: 0 };
        }
        search.sampled = (start.upper, 0.0);
        self.place(to, from, to);
        let mut contact = None;
        if let Some(end) = self.closest() {
            if end.upper < 0.0 {
                contact = Some((1.0, end));
            } else if end.upper < search.sampled.0 {
                search.sampled = (end.upper, 1.0);
            }
        }
        // Written so that a NaN is the finest.
        let resolution = if options.resolution >= FINEST { options.resolution } else { FINEST };
        // Written so that a NaN is no share.
        let share = if options.share > 0.0 { options.share.min(MOST_SHARE) } else { 0.0 };
        // A graze is given up where no contact is known at the right end, either.
        let give_up = FINEST.max(1e-3 * resolution.min(FINE));
        let mut lower = start.lower;
        // Pairs of an interval, behind those of the intervals on the stack.
        let mut open: Vec<usize> = (0..count).collect();
        let mut stack = vec![Interval { start: 0.0, end: 1.0, pairs: [0, count] }];
        let (mut left, mut right, mut q) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(interval) = stack.pop() {
            let Interval { start, end, pairs: [first, behind] } = interval;
            let (half, middle) = (0.5 * (end - start), start + 0.5 * (end - start));
            let is_narrow = end - start <= resolution && contact.is_some_and(|(at, _)| at == end);
            if is_narrow || end - start <= give_up || search.tests > options.tests {
                return self.ended(start, contact, open[first], search.tests);
            }
            q.clear();
            q.extend(from.iter().zip(to).map(|(&from, &to)| from + middle * (to - from)));
            self.place(&q, from, to);
            left.clear();
            right.clear();
            let mut hit = None;
            for &number in &open[first..behind] {
                search.tests += 1;
                let mut goal = share * search.sampled.0;
                if goal < options.at_least && options.at_least < search.sampled.0 {
                    goal = options.at_least;
                }
                let tested = self.test(&setup, number, half, goal, &mut search);
                if let Some(found) = &tested.found {
                    let upper = found.upper + tested.error;
                    if upper < 0.0 {
                        hit = hit.or_else(|| Some(self.contact(number, found, tested.error)));
                    } else if upper < search.sampled.0 {
                        search.sampled = (upper, middle);
                    }
                }
                for (lowest, list) in tested.lower.into_iter().zip([&mut left, &mut right]) {
                    if lowest >= goal && lowest > 0.0 { lower = lower.min(lowest) } else { list.push(number) }
                }
            }
            open.truncate(first);
            if let Some(hit) = hit {
                // All that is later is not before the first contact.
                contact = Some((middle, hit));
                stack.clear();
                right.clear();
                open.clear();
            }
            for (start, end, list) in [(middle, end, &right), (start, middle, &left)] {
                if !list.is_empty() {
                    let first = open.len();
                    open.extend_from_slice(list);
                    stack.push(Interval { start, end, pairs: [first, open.len()] });
                }
            }
        }
        match contact {
            // A contact at the end of the edge or of an interval keeps an interval before it open.
            Some((at, found)) => Edge::Contact(FirstContact { lower: at, upper: at, found, tests: search.tests }),
            None => Edge::Free(FreeEdge { lower, upper: search.sampled.0, at: search.sampled.1, tests: search.tests }),
        }
    }

    /// The answer where an interval stays open: all before it is proved free.
    fn ended(&self, start: f64, contact: Option<(f64, RobotClearance)>, open: usize, tests: u64) -> Edge {
        match contact {
            Some((upper, found)) => Edge::Contact(FirstContact { lower: start, upper, found, tests }),
            None => Edge::Undecided { from: start, parts: self.parts(open), tests },
        }
    }

    fn contact(&self, number: usize, found: &Clearance, error: f64) -> RobotClearance {
        RobotClearance {
            distance: found.distance,
            lower: found.lower - error,
            upper: found.upper + error,
            parts: self.parts(number),
            point_a: found.point_a,
            point_b: found.point_b,
            normal: found.normal,
        }
    }

    /// Bounds of the gap of a pair up to `half` before and behind the configuration at which the bodies are placed.
    fn test(&mut self, setup: &Setup, number: usize, half: f64, goal: f64, search: &mut Search<'_>) -> Tested {
        let error = self.error(number);
        let path = &setup.pairs[number].path;
        let [from, to] = search.ends;
        let rates = *search.rates[number].get_or_insert_with(|| setup.paths.rates(path, from, to, &mut search.levers));
        let balls = self.balls(number) - rates.first * half;
        if balls >= goal {
            return Tested { lower: [balls; 2], found: None, error };
        }
        let [a, b] = self.both(number);
        let velocities = setup.paths.velocities(path, &rates, search.ends, &self.frames, [a.center, b.center]);
        let mut lower = [f64::NEG_INFINITY; 2];
        let mut found = None;
        let is_mesh = self.warm(number).hulls.is_some();
        if let Some(shapes) = setup.hulls(number) {
            let tilt = Tilt::new(shapes, [a, b], &rates, &velocities, half, error);
            let warm = self.warm(number);
            let kept = warm.direction.map(|kept| a.pose.transform_vector(kept));
            if let Some(normal) = kept.or_else(|| (b.center - a.center).try_normalize()) {
                lower = tilt.bounds(normal);
            }
            if lower[0] < goal || lower[1] < goal {
                let clearance = match &mut warm.hulls {
                    // Hulls that overlap say nothing, and their depth is of no use.
                    Some(hulls) => (!hulls.intersects(a.pose, b.pose)).then(|| hulls.distance(a.pose, b.pose)),
                    None => Some(warm.exact.distance(a.pose, b.pose)),
                };
                if let Some(clearance) = clearance {
                    warm.direction = Some(a.pose.inverse_transform_vector(clearance.normal));
                    let again = tilt.bounds(clearance.normal);
                    lower = [lower[0].max(again[0]), lower[1].max(again[1])];
                    found = (!is_mesh).then_some(clearance);
                }
            }
            if !is_mesh || (lower[0] >= goal && lower[1] >= goal) {
                return Tested { lower, found, error };
            }
        }
        let [spin_a, spin_b] = velocities.spins.map(DVec3::length);
        let turning = |spin: f64, radius: f64| if spin == 0.0 { 0.0 } else { spin * radius };
        let speed = velocities.centers.length() + turning(spin_a, a.radius) + turning(spin_b, b.radius);
        /// Bound: velocities are off by the errors of the kinematics, of which a millionth of a rate is far more.
        const UP: f64 = 1.0 + 1e-6;
        let second = UP * (speed * half + 0.5 * rates.second * half * half);
        // A NaN of infinite levers is no minimum.
        let moved = (rates.first * half).min(second);
        let margin = moved + goal + error;
        match self.warm(number).exact.within(a.pose, b.pose, margin) {
            None => {
                let least = margin - moved - error;
                lower = [lower[0].max(least), lower[1].max(least)];
            }
            Some(clearance) => {
                let least = clearance.lower - moved - error;
                lower = [lower[0].max(least), lower[1].max(least)];
                found = Some(clearance);
            }
        }
        Tested { lower, found, error }
    }
}

/// A pair at the middle of an interval, and how it moves.
struct Tilt<'a> {
    shapes: [&'a Shape; 2],
    both: [Placed; 2],
    velocities: Velocities,
    half: f64,
    second: f64,
    rounding: f64,
}

impl<'a> Tilt<'a> {
    fn new(
        shapes: [&'a Shape; 2],
        both: [Placed; 2],
        rates: &Rates,
        velocities: &Velocities,
        half: f64,
        error: f64,
    ) -> Self {
        let mut scale: f64 = both.iter().map(|placed| placed.pose.translation().length() + 2.0 * placed.radius).sum();
        let mut slack = 0.0;
        for convex in shapes.iter().filter_map(|shape| shape.convex()) {
            scale += convex.bounding_radius();
            slack += convex.slack();
        }
        // Poses and axes at the middle are off by the errors of the kinematics, so velocities are off by these times the rates.
        let turned = 1.0 + 4.0 * half * rates.turned;
        let rounding = turned * (error + OF_HEIGHTS * scale + slack) + OF_HEIGHTS * rates.first * half;
        Self { shapes, both, velocities: *velocities, half, second: rates.second, rounding }
    }

    /// Lower bounds of the gap on the left and the right half, along a unit vector.
    fn bounds(&self, normal: DVec3) -> [f64; 2] {
        let here = self.at(normal, 0.0);
        [-self.half, self.half].map(|time| here.min(self.at(normal, time)))
    }

    /// F of the module's head.
    fn at(&self, normal: DVec3, time: f64) -> f64 {
        let ([a, b], [spin_a, spin_b]) = (&self.both, self.velocities.spins);
        let apart = normal.dot(b.center - a.center) + time * normal.dot(self.velocities.centers);
        let below = height(self.shapes[1], b, -(normal + time * normal.cross(spin_b)));
        let above = height(self.shapes[0], a, normal + time * normal.cross(spin_a));
        apart - below - above - 0.5 * self.second * time * time - self.rounding
    }
}

/// The height of a convex body over its center along a direction.
fn height(shape: &Shape, placed: &Placed, direction: DVec3) -> f64 {
    let Some(convex) = shape.convex() else { return f64::INFINITY };
    let point = placed.pose.transform_point(convex.support(placed.pose.inverse_transform_vector(direction)));
    direction.dot(point - placed.center) + convex.radius() * direction.length()
}
