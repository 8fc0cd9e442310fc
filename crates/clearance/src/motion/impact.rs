//! The time of impact of two moving bodies.
//!
//! One search for all callers (`time_of_impact`, `cast_shape`, `Pair`, `World::impacts`, `World::next_impact`), [`Moving::impact`]:
//!
//! 1. a certified prediction for straight motion over the whole interval (`predict`, `certify`);
//! 2. else advancement, piece by piece of the motions: convex pairs by `advance.rs`, which predicts and certifies first, bodies with parts by `parts.rs`.
//!
//! **Invariants**, asserted in debug builds:
//!
//! - (I1) the bodies are proved apart from the start of the interval until [`Hit::lower`], [`Undecided::from`] or the end;
//! - (I2) `lower <= upper`, and an infinite `upper` means that no overlap is proved;
//! - (I3) pieces of the motion follow each other without a gap, so that time only goes forward.

use super::advance::{Advancement, Chain};
use super::certify::{AfterContact, ProvedContact, Toi};
use super::envelope::MovingPair;
use super::parts::PartsSearch;
use super::piece::MotionPiece;
use super::{Interval, Motion};
use crate::narrow::goals;
use crate::pair::{Clearance, Engine, Pair, PairCache, PosedPair, Status, clearance, distance};
use crate::shape::{Family, Shape};
use crate::tuning::motion as tuning;
use glam::DVec3;

/// The answer about two moving bodies and an interval: contact or none, with the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Impact {
    /// They meet, or come as close as rounding: see [`Hit::is_proved`].
    Hit(Hit),
    /// They do not: proved for every time of the interval.
    Clear(Approach),
    /// At the start they touch or overlap already: the clearance there.
    Touching(Clearance),
    /// The search has used up its steps before the end of the interval; whether they meet later is not known.
    Undecided(Undecided),
}

impl Impact {
    /// The first contact, if they meet or come as close as rounding.
    #[must_use]
    pub fn hit(&self) -> Option<&Hit> {
        match self {
            Self::Hit(hit) => Some(hit),
            Self::Clear(_) | Self::Touching(_) | Self::Undecided(_) => None,
        }
    }

    /// How close they come, if they are proved not to meet.
    #[must_use]
    pub fn approach(&self) -> Option<&Approach> {
        match self {
            Self::Clear(approach) => Some(approach),
            Self::Hit(_) | Self::Touching(_) | Self::Undecided(_) => None,
        }
    }
}

/// Two bodies whose search has used up its steps, mostly bodies that turn thousands of times close to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Undecided {
    /// The bodies are proved apart before this time. Nothing is known from it on: ask again from here, or about a shorter interval.
    pub from: f64,
    /// The budget of the search. It asked for no more distances than this, and for fewer if it gave up early.
    pub steps: u32,
}

/// The first contact of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The bodies are apart at all times before this one, and apart by no more than rounding at it. This is the time to use: nothing
    /// overlaps yet.
    pub lower: f64,
    /// At this time they are proved to overlap, so the first contact is no later. Infinite if that could not be proved: a graze.
    pub upper: f64,
    /// The point of A that meets B, in the world and at `lower`.
    pub point_a: DVec3,
    /// The point of B that meets A.
    pub point_b: DVec3,
    /// The unit vector from A to B there.
    pub normal: DVec3,
    /// Which parts of compounds meet; zero for other shapes.
    pub parts: [u32; 2],
    /// Which triangles of meshes meet.
    pub triangles: [Option<u32>; 2],
    /// How many distances were asked for.
    pub steps: u32,
}

impl Hit {
    /// Is it proved that the bodies meet, and not only that they come as close as rounding?
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.upper < f64::INFINITY
    }

    /// A proved contact, with its points in the world.
    #[inline(always)]
    pub(super) fn new(contact: ProvedContact) -> Self {
        let ProvedContact { lower, upper, normal, points: [point_a, point_b] } = contact;
        debug_assert!(lower <= upper, "I2: {contact:?}");
        Self { lower, upper, point_a, point_b, normal, parts: [0; 2], triangles: [None; 2], steps: 0 }
    }

    /// A contact before which the bodies are proved apart, without a proof that they meet.
    pub(super) fn unproved(found: &Clearance, lower: f64, pair: &MovingPair<'_>) -> Self {
        let points = [found.point_a, found.point_b].map(|point| pair.to_world(point, lower));
        Self::new(ProvedContact { lower, upper: f64::INFINITY, normal: found.normal, points })
    }
}

/// How close two bodies come that do not meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// At no time of the interval are they closer than this.
    pub lower: f64,
    /// At some time they are no farther apart than this; infinite if no distance was asked for.
    pub upper: f64,
    /// That time; the start of the interval if no distance was asked for.
    pub time: f64,
    /// How many distances were asked for.
    pub steps: u32,
}

impl Approach {
    /// A lower bound only, without a distance query.
    pub(super) const fn at_least(lower: f64, start: f64) -> Self {
        Self { lower, upper: f64::INFINITY, time: start, steps: 0 }
    }

    /// A distance at a time is an upper bound.
    pub(super) fn see(&mut self, upper: f64, time: f64) {
        if upper < self.upper {
            (self.upper, self.time) = (upper, time);
        }
    }
}

/// When two moving bodies first touch within an interval of time; touching counts, as everywhere.
///
/// For all shapes: convex ones, half-spaces, meshes and compounds. See [`Impact`] for what is proved: the answer is never
/// [`Impact::Clear`] if the bodies touch, and [`Hit::lower`] is never after the first contact.
///
/// ```
/// use clearance::{Impact, Interval, Motion, Pose, Shape, time_of_impact};
///
/// let (rod, ball) = (Shape::cuboid([2.0, 0.1, 0.1])?, Shape::sphere(0.5)?);
/// let spinning = Motion::linear(Pose::IDENTITY, [0.0; 3], [0.0, 0.0, 1.0])?;
/// let waiting = Motion::fixed(Pose::from_translation([0.0, 2.0, 0.0]));
/// let Impact::Hit(hit) = time_of_impact(&rod, &spinning, &ball, &waiting, Interval::new(0.0, 10.0)?) else { panic!() };
/// assert!(hit.upper - hit.lower < 1e-9 && hit.is_proved());
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[doc(alias = "ccd")]
#[doc(alias = "continuous_collision")]
#[doc(alias = "toi")]
#[must_use]
pub fn time_of_impact(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion, interval: Interval) -> Impact {
    Moving { a, motion_a, b, motion_b }.cold_impact(interval.ends())
}

impl Pair {
    /// See [`time_of_impact`]. The cache makes the next call faster, where motions are similar.
    ///
    /// ```
    /// use clearance::{Impact, Interval, Motion, Pair, Pose, Shape};
    ///
    /// let cube = Shape::cuboid([0.5, 0.5, 0.5])?;
    /// let mut pair = Pair::new(&cube, &cube);
    /// let still = Motion::fixed(Pose::IDENTITY);
    /// for k in 1..10 {
    ///     let moving = Motion::linear(Pose::from_translation([3.0, 0.0, 0.0]), [-f64::from(k), 0.0, 0.0], [0.0; 3])?;
    ///     let Impact::Hit(hit) = pair.time_of_impact(&still, &moving, Interval::new(0.0, 3.0)?) else { panic!() };
    ///     assert!((hit.lower - 2.0 / f64::from(k)).abs() < 1e-12);
    /// }
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn time_of_impact(&mut self, motion_a: &Motion, motion_b: &Motion, interval: Interval) -> Impact {
        let ([a, b], cache) = self.parts();
        Moving { a, motion_a, b, motion_b }.impact(interval.ends(), cache, &mut ())
    }
}

/// Two shapes and their motions.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'a> {
    pub a: &'a Shape,
    pub motion_a: &'a Motion,
    pub b: &'a Shape,
    pub motion_b: &'a Motion,
}

/// The state of a search over several pieces.
pub(super) struct ImpactSearch<'c, C> {
    pub cache: &'c mut PairCache,
    pub chain: &'c mut C,
    /// Distance queries that are left.
    pub steps: u32,
    /// More queries would not decide the rest of the interval.
    pub has_given_up: bool,
    pub nearest: Approach,
}

impl Moving<'_> {
    /// See [`time_of_impact`].
    pub fn impact(&self, [start, end]: [f64; 2], cache: &mut PairCache, chain: &mut impl Chain) -> Impact {
        match self.certified([start, end], chain) {
            Some(certified) => certified.impact(start),
            None => self.searched([start, end], cache, chain),
        }
    }

    /// [`impact`](Self::impact), where no closed form certifies a result.
    pub(super) fn searched(&self, interval: [f64; 2], cache: &mut PairCache, chain: &mut impl Chain) -> Impact {
        match self.by_distances(interval, cache, chain) {
            Some(impact) => impact,
            None => self.advanced(interval, cache, chain),
        }
    }

    /// [`impact`](Self::impact) without a warm start. A cache is large, and closed forms need none.
    #[inline]
    pub fn cold_impact(&self, interval: [f64; 2]) -> Impact {
        match self.certified(interval, &mut ()) {
            Some(certified) => certified.impact(interval[0]),
            None => self.searched(interval, &mut PairCache::default(), &mut ()),
        }
    }

    /// [`impact`](Self::impact) by conservative advancement.
    pub(super) fn advanced(&self, [start, end]: [f64; 2], cache: &mut PairCache, chain: &mut impl Chain) -> Impact {
        let is_pair_single = self.is_single();
        let mut all = self.most_steps();
        // A solid may be inside another one, without contact of the surfaces.
        if !is_pair_single && let Some(touching) = self.touching(start, cache) {
            return Impact::Touching(touching);
        }
        let mut progress = ImpactSearch {
            cache,
            chain,
            steps: all,
            has_given_up: false,
            nearest: Approach::at_least(f64::INFINITY, start),
        };
        // The first time at which no gap could be proved, if the bodies were apart again after it.
        let mut graze: Option<Hit> = None;
        let mut time = start;
        while time < end {
            let (piece_a, until_a) = MotionPiece::at(self.motion_a, time);
            let (piece_b, until_b) = MotionPiece::at(self.motion_b, time);
            let until = until_a.min(until_b).min(end);
            debug_assert!(time < until, "I3: {time} {until}");
            let (pieces, shapes) = ([&piece_a, &piece_b], [self.a, self.b]);
            let result = if is_pair_single {
                progress.convex(shapes, pieces, [time, until])
            } else {
                PartsSearch::new(shapes, pieces).search([time, until], &mut progress)
            };
            let (hit, after) = match result {
                Toi::Clear => {
                    time = until;
                    // Each piece of a motion has at least this many.
                    let more = tuning::STEPS_PER_PIECE.saturating_sub(progress.steps);
                    (all, progress.steps) = (all.saturating_add(more), progress.steps + more);
                    continue;
                }
                Toi::Touching(found, ..) if time == start => return Impact::Touching(found),
                Toi::Touching(_, hit, after) | Toi::Contact(hit, after) => (hit, after),
                Toi::Paused(from) => {
                    let undecided = Impact::Undecided(Undecided { from, steps: all });
                    return graze.map_or(undecided, |hit| Impact::Hit(Hit { steps: all, ..hit }));
                }
            };
            let steps = all - progress.steps;
            let hit = Hit { steps, ..graze.unwrap_or(hit) };
            match after {
                AfterContact::Proved(upper) => return Impact::Hit(Hit { upper, ..hit }),
                // A point or a triangle that has entered a solid is again apart from its surface.
                AfterContact::Apart(later) if !is_pair_single && self.overlaps_at(later, progress.cache) => {
                    return Impact::Hit(Hit { upper: later, ..hit });
                }
                AfterContact::Apart(later) => (graze, time) = (Some(hit), later),
                AfterContact::Unknown if until < end && progress.steps > 0 => (graze, time) = (Some(hit), until),
                AfterContact::Unknown => return Impact::Hit(hit),
            }
        }
        let steps = all - progress.steps;
        match graze {
            Some(hit) => Impact::Hit(Hit { steps, ..hit }),
            None => Impact::Clear(Approach { steps, ..progress.nearest }),
        }
    }

    /// Are the bodies proved to overlap at a time?
    fn overlaps_at(&self, time: f64, cache: &mut PairCache) -> bool {
        self.touching(time, cache).is_some_and(|found| found.upper < 0.0)
    }

    /// The clearance at a time, if no gap can be proved there.
    fn touching(&self, start: f64, cache: &mut PairCache) -> Option<Clearance> {
        let (piece_a, _) = MotionPiece::at(self.motion_a, start);
        let (piece_b, _) = MotionPiece::at(self.motion_b, start);
        let (poses, origin) = ([piece_a.pose(start), piece_b.pose(start)], piece_a.pose(start).translation());
        let [pose_a, pose_b] = &poses.map(|pose| pose.moved_by(-origin));
        let far = pose_b.translation().length();
        let [size_a, size_b] = sizes([self.a, self.b], far);
        // Moving both bodies to the origin rounds the difference of their places once.
        let rounding = piece_a.rounding(start, size_a) + piece_b.rounding(start, size_b) + f64::EPSILON * far;
        let pair = PosedPair { a: self.a, pose_a, b: self.b, pose_b };
        let found = clearance(pair, f64::INFINITY, Engine::Auto, cache);
        if found.lower > rounding {
            return None;
        }
        let mut found = widened(found, rounding, size_a + size_b + far);
        found.point_a += origin;
        found.point_b += origin;
        Some(found)
    }
}

impl Moving<'_> {
    /// The clearance at a time. Bodies that rest, or whose motion begins then, are at known poses; else the bracket allows for the rounding
    /// error of the poses.
    pub fn clearance_at(&self, time: f64) -> Clearance {
        let (piece_a, _) = MotionPiece::at(self.motion_a, time);
        let (piece_b, _) = MotionPiece::at(self.motion_b, time);
        let (pose_a, pose_b) = (piece_a.pose(time), piece_b.pose(time));
        let found = distance(self.a, pose_a, self.b, pose_b);
        let far = pose_a.translation().distance(pose_b.translation());
        let [size_a, size_b] = sizes([self.a, self.b], far);
        let rounding = piece_a.rounding(time, size_a) + piece_b.rounding(time, size_b);
        if rounding == 0.0 { found } else { widened(found, rounding, size_a + size_b + far) }
    }
}

impl Moving<'_> {
    /// Are both shapes convex or half-spaces?
    fn is_single(&self) -> bool {
        let is_single = |shape: &Shape| matches!(shape.family(), Family::Convex(_) | Family::HalfSpace(_));
        is_single(self.a) && is_single(self.b)
    }

    /// The distance queries that a search may take: [`tuning::MAX_STEPS`] for two convex bodies; for bodies of parts many times that, and more for each
    /// part and triangle.
    pub fn most_steps(&self) -> u32 {
        if self.is_single() {
            return tuning::MAX_STEPS;
        }
        let triangles = |shape: &Shape| shape.as_mesh().map_or(1, |mesh| mesh.triangles().len());
        let parts = |shape: &Shape| match shape.family() {
            Family::Compound(compound) => compound.parts().iter().map(|part| triangles(&part.shape)).sum(),
            _ => triangles(shape),
        };
        let count = u32::try_from(parts(self.a) + parts(self.b)).unwrap_or(u32::MAX);
        (tuning::PARTS_STEPS * tuning::MAX_STEPS).saturating_add(tuning::STEPS_PER_PART.saturating_mul(count))
    }
}

/// The extents of two shapes at that distance from each other; a half-space has that of the other one.
fn sizes(shapes: [&Shape; 2], far: f64) -> [f64; 2] {
    let [a, b] = shapes.map(|shape| shape.bounding_radius());
    let size = |own: f64, other: f64| {
        if own.is_finite() { own } else { far + if other.is_finite() { other } else { 0.0 } }
    };
    [size(a, b), size(b, a)]
}

/// A clearance at poses that round: the bracket holds the distance wherever the bodies truly are. The distance of two convex bodies changes by no
/// more than the rounding error of their points.
fn widened(mut found: Clearance, rounding: f64, size: f64) -> Clearance {
    if found.lower.is_finite() {
        found.lower = (found.lower - rounding).next_down();
    }
    if found.upper.is_finite() {
        found.upper = (found.upper + rounding).next_up();
    }
    // Written so that a NaN is too wide.
    let is_narrow = rounding <= goals::MOVING * size;
    if found.status == Status::Converged && !is_narrow {
        found.status = Status::Stalled;
    }
    found
}

impl<C: Chain> ImpactSearch<'_, C> {
    /// Two convex bodies or half-spaces.
    pub fn convex(&mut self, shapes: [&Shape; 2], pieces: [&MotionPiece<'_>; 2], [from, until]: [f64; 2]) -> Toi {
        let pair = MovingPair::new(shapes, pieces);
        let Self { cache, chain, steps, nearest, .. } = self;
        let mut advancement = Advancement {
            pair: &pair,
            shapes,
            cache,
            chain: &mut **chain,
            steps: *steps,
            has_given_up: false,
            contact_gap: 0.0,
            nearest: *nearest,
            may_certify: true,
        };
        let mut result = advancement.advance(from, until);
        (*steps, *nearest) = (advancement.steps, advancement.nearest);
        if let Toi::Touching(found, hit, _) = &mut result {
            let far: f64 = {
                let [far_a, far_b] = pair.at(from).poses.map(|pose| pose.translation().length());
                far_a + far_b
            };
            let [size_a, size_b] = sizes(shapes, far);
            // Bodies that rest, or whose motion begins there, are at known poses; only the offset from the one to the other rounds.
            let is_known = |piece: &MotionPiece<'_>| {
                piece.segment().is_some_and(|segment| segment.is_fixed() || segment.start == from)
            };
            let rounding = if pieces.iter().all(|piece| is_known(piece)) {
                // The difference of two known places rounds once, and each when it is moved.
                pieces[0].rounding(from, size_a) + pieces[1].rounding(from, size_b) + 2.0 * f64::EPSILON * far
            } else {
                pair.rounding(from)
            };
            *found = widened(*found, rounding, size_a + size_b + far);
            (found.point_a, found.point_b) = (hit.point_a, hit.point_b);
        }
        result
    }
}
