//! The closest approach of two moving bodies that do not meet: branch and bound on the time.
//!
//! The bound on the distance that a time of impact gives is a by-product. Here the slice of the interval with the least lower bound is divided, until that bound reaches
//! the least distance found. The bound of a slice is the separation along a direction that rotates with the normals at its ends (`envelope`); its error is
//! of second order in the length of the slice. The slices form a chain, which is the evidence.
//!
//! **Invariant** (C1), asserted in debug builds: slices cover the interval, and the least of their lower bounds never decreases.

use super::advance::Link;
use super::envelope::{Direction, MovingPair};
use super::impact::{Approach, Impact, Moving};
use super::piece::MotionPiece;
use super::{Interval, Motion};
use crate::math::{LeastFirst, QueueItem, Total};
use crate::narrow::{Bracket, goals};
use crate::pair::{Engine, Pair, PairCache, PosedPair, clearance};
use crate::shape::{Family, Shape};
use crate::tuning::motion as tuning;
use glam::DVec3;
use std::collections::BinaryHeap;

/// The first contact of two moving bodies, as by [`time_of_impact`](super::time_of_impact), or else their closest approach. The bracket of this
/// [`Approach`] is narrow, while that of a time of impact is a by-product of its search.
///
/// ```
/// use clearance::{Impact, Interval, Motion, Pose, Shape, closest_approach};
///
/// // Past each other, at a distance of three between the centers.
/// let ball = Shape::sphere(1.0)?;
/// let passing = Motion::linear(Pose::from_translation([-10.0, 3.0, 0.0]), [1.0, 0.0, 0.0], [0.0; 3])?;
/// let resting = Motion::fixed(Pose::IDENTITY);
/// let Impact::Clear(approach) = closest_approach(&ball, &passing, &ball, &resting, Interval::new(0.0, 20.0)?) else { panic!() };
/// assert!(approach.lower <= 1.0 && 1.0 <= approach.upper && approach.upper - approach.lower < 1e-5);
/// assert!((approach.time - 10.0).abs() < 0.01);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
#[doc(alias = "minimum_distance")]
pub fn closest_approach(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion, interval: Interval) -> Impact {
    Moving { a, motion_a, b, motion_b }.closest(interval.ends(), f64::INFINITY)
}

impl Pair {
    /// See [`closest_approach`].
    ///
    /// ```
    /// use clearance::{Impact, Interval, Motion, Pair, Pose, Shape};
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let passing = Motion::linear(Pose::from_translation([-10.0, 3.0, 0.0]), [1.0, 0.0, 0.0], [0.0; 3])?;
    /// let resting = Motion::fixed(Pose::IDENTITY);
    /// let interval = Interval::new(0.0, 20.0)?;
    /// let Impact::Clear(approach) = Pair::new(&ball, &ball).closest_approach(&passing, &resting, interval) else { panic!() };
    /// assert!(approach.lower <= 1.0 && 1.0 <= approach.upper);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn closest_approach(&mut self, motion_a: &Motion, motion_b: &Motion, interval: Interval) -> Impact {
        let ([a, b], _) = self.parts();
        closest_approach(a, motion_a, b, motion_b, interval)
    }
}

/// A part of the interval, and a distance that the bodies keep in it.
struct TimeSlice {
    lower: f64,
    ends: [f64; 2],
    /// From A to B where they are closest, at both ends.
    normals: [DVec3; 2],
    /// The proved separation along this direction alone.
    proved: f64,
    along: Direction,
}

/// The slices as a chain, and the distance that it proves.
#[derive(Debug)]
#[cfg_attr(not(feature = "proof"), allow(dead_code, reason = "only evidence reads all of it"))]
pub(crate) struct ApproachChain {
    pub links: Vec<Link>,
    pub lower: f64,
}

impl ApproachChain {
    fn of(slices: BinaryHeap<LeastFirst<TimeSlice>>) -> Self {
        let lower = slices.iter().map(|LeastFirst(slice)| slice.proved).fold(f64::INFINITY, f64::min);
        let link = |LeastFirst(slice): LeastFirst<TimeSlice>| Link::along(slice.along, [slice.ends[0], slice.ends[1]]);
        let mut links: Vec<Link> = slices.into_iter().map(link).collect();
        links.sort_unstable_by(|p, q| p.from.total_cmp(&q.from));
        Self { links, lower }
    }
}

/// The slice in which the bodies may be closest first; of equal ones the earliest.
impl QueueItem for TimeSlice {
    type Key = [Total; 2];

    fn key(&self) -> Self::Key {
        [self.lower, self.ends[0]].map(Total)
    }
}

impl Moving<'_> {
    /// See [`closest_approach`]. The bracket of bodies that are proved to stay farther apart than the limit is not narrowed.
    pub fn closest(&self, [start, end]: [f64; 2], limit: f64) -> Impact {
        let mut cache = PairCache::default();
        match self.impact([start, end], &mut cache, &mut ()) {
            Impact::Clear(found) if found.lower <= limit => {
                Impact::Clear(self.narrowed(found, [start, end], limit, &mut cache).0)
            }
            other => other,
        }
    }

    /// A closest approach with a narrow bracket, and the chain of its slices, which may prove a little less.
    pub fn narrowed(
        &self,
        found: Approach,
        [start, end]: [f64; 2],
        limit: f64,
        cache: &mut PairCache,
    ) -> (Approach, ApproachChain) {
        let mut best = found;
        let normals = [start, end].map(|time| self.sample(time, &mut best, cache));
        let mut slices = BinaryHeap::new();
        slices.push(LeastFirst(self.slice(best.lower, [start, end], normals, &mut best, cache)));
        while let Some(LeastFirst(slice)) = slices.peek() {
            let &TimeSlice { lower, ends: [from, to], normals: [first, last], .. } = slice;
            debug_assert!(!(lower < best.lower) && from < to, "C1: {lower} {best:?}, {from} to {to}");
            best.lower = lower;
            let time = self.cut([from, to]);
            let can_be_cut =
                from < time && time < to && slices.len() < tuning::MAX_SLICES && best.steps < tuning::APPROACH_STEPS;
            if lower > limit
                || Bracket::is_closed([lower, best.upper], 0.0, goals::APPROACH * best.upper)
                || !can_be_cut
            {
                break;
            }
            slices.pop();
            let normal = self.sample(time, &mut best, cache);
            slices.push(LeastFirst(self.slice(lower, [from, time], [first, normal], &mut best, cache)));
            slices.push(LeastFirst(self.slice(lower, [time, to], [normal, last], &mut best, cache)));
        }
        // Both are true: rounding may have them cross.
        best.upper = best.upper.max(best.lower);
        (best, ApproachChain::of(slices))
    }

    /// The end of the first piece in a slice, if it is inside; else the middle.
    fn cut(&self, [from, to]: [f64; 2]) -> f64 {
        let (_, end_a) = MotionPiece::at(self.motion_a, from);
        let (_, end_b) = MotionPiece::at(self.motion_b, from);
        let end = end_a.min(end_b);
        if end < to { end } else { from + 0.5 * (to - from) }
    }

    /// The proved separation of a slice, of which a bound is known already.
    fn slice(
        &self,
        known: f64,
        ends: [f64; 2],
        normals: [DVec3; 2],
        best: &mut Approach,
        cache: &mut PairCache,
    ) -> TimeSlice {
        let (proved, along) = self.separation(ends, normals);
        let mut lower = known.max(proved);
        let is_convex = |shape: &Shape| matches!(shape.family(), Family::Convex(_) | Family::HalfSpace(_));
        // Hulls that are proved to stay as far apart as the bodies were seen need no search among parts.
        if !(is_convex(self.a) && is_convex(self.b))
            && lower < (1.0 - goals::APPROACH) * best.upper
            && let Impact::Clear(found) = self.impact(ends, cache, &mut ())
        {
            best.steps = best.steps.saturating_add(found.steps);
            lower = lower.max(found.lower);
        }
        TimeSlice { lower, ends, normals, proved, along }
    }

    /// How far the bodies, or their hulls, stay apart along the best of a few directions.
    fn separation(&self, [from, to]: [f64; 2], [first, last]: [DVec3; 2]) -> (f64, Direction) {
        let (piece_a, end_a) = MotionPiece::at(self.motion_a, from);
        let (piece_b, end_b) = MotionPiece::at(self.motion_b, from);
        let is_whole = |shape: &Shape| !matches!(shape.family(), Family::Compound(_));
        if end_a.min(end_b) < to || !(is_whole(self.a) && is_whole(self.b)) {
            return (f64::NEG_INFINITY, Direction::fixed(first));
        }
        let pair = MovingPair::new([self.a, self.b], [&piece_a, &piece_b]);
        let moments = [pair.at(from), pair.at(to)];
        let rounding = pair.rounding(from).max(pair.rounding(to));
        let axis = first.cross(last);
        let angle = libm::atan2(axis.length(), first.dot(last));
        let rate = if !pair.is_custom() { angle / (to - from) } else { 0.0 };
        let turn = axis.normalize_or_zero() * rate;
        let directions = [Direction::fixed(first), Direction::fixed(last), Direction { start: first, turn }];
        let mut best = (f64::NEG_INFINITY, directions[0]);
        for direction in directions {
            let least = pair.separation(&direction, [&moments[0], &moments[1]]).least - rounding;
            if least > best.0 {
                best = (least, direction);
            }
        }
        best
    }

    /// Queries the distance at a time. Returns the normal from A to B there.
    fn sample(&self, time: f64, best: &mut Approach, cache: &mut PairCache) -> DVec3 {
        let (piece_a, _) = MotionPiece::at(self.motion_a, time);
        let (piece_b, _) = MotionPiece::at(self.motion_b, time);
        let [pose_a, pose_b] = [piece_a.pose(time), piece_b.pose(time)];
        let origin = pose_a.translation();
        let [pose_a, pose_b] = &[pose_a, pose_b].map(|pose| pose.moved_by(-origin));
        let far = pose_b.translation().length();
        // A half-space counts as far as the other shape is away.
        let size = |shape: &Shape| if shape.bounding_radius().is_finite() { shape.bounding_radius() } else { far };
        let both = size(self.a) + size(self.b);
        // Moving both bodies to the origin rounds the difference of their places once.
        let rounding = piece_a.rounding(time, both) + piece_b.rounding(time, both) + f64::EPSILON * far;
        let pair = PosedPair { a: self.a, pose_a, b: self.b, pose_b };
        let found = clearance(pair, f64::INFINITY, Engine::Auto, cache);
        best.steps = best.steps.saturating_add(1);
        best.see(found.upper + rounding, time);
        found.normal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pose, distance};
    use fastrand::Rng;
    use glam::{DQuat, DVec3};

    /// Meshes that turn close to each other have a wide bracket rather than a search among parts for each of many slices.
    #[test]
    fn turning_meshes_take_bounded_work() {
        let corners = [[0.0, 0.0, 0.0], [0.8, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 0.8]];
        let mesh = Shape::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
        for (rate, gap) in [(3.0, 0.5), (20.0, 0.1), (100.0, 0.02)] {
            let spin = |x: f64, rate: f64| {
                Motion::linear(Pose::from_translation([x, 0.0, 0.0]), [0.0; 3], [0.3 * rate, rate, 0.0]).unwrap()
            };
            let (first, second) = (spin(0.0, rate), spin(1.6 + gap, -0.9 * rate));
            let found = closest_approach(&mesh, &first, &mesh, &second, Interval::new(0.0, 10.0).unwrap());
            let Impact::Clear(approach) = found else { panic!("{rate}: {found:?}") };
            assert!(
                approach.lower <= approach.upper && approach.steps < 2 * tuning::APPROACH_STEPS,
                "{rate}: {approach:?}"
            );
        }
    }

    #[test]
    fn the_bracket_is_narrow_and_holds_what_samples_see() {
        let mut rng = Rng::with_seed(163);
        let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
        let corners = [[0.0, 0.0, 0.0], [0.8, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 0.8]];
        let shapes = [
            Shape::sphere(0.4).unwrap(),
            Shape::cuboid([0.3, 0.5, 0.2]).unwrap(),
            Shape::half_space([0.1, 1.0, 0.0], -2.5).unwrap(),
            Shape::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap(),
        ];
        let (mut clear, mut narrow) = (0, 0);
        for round in 0..120 {
            let (a, b) = (&shapes[round % 4], &shapes[round / 4 % 4]);
            let place = vector(1.0).normalize() * 3.0;
            let motion = |place: DVec3, velocity: DVec3, spin: DVec3, turn: DVec3| {
                Motion::linear(Pose::new(place, DQuat::from_scaled_axis(turn)), velocity, spin).unwrap()
            };
            let first = motion(DVec3::ZERO, DVec3::ZERO, vector(2.0), vector(2.0));
            let second = motion(place, -place + vector(3.0), vector(2.0), vector(2.0));
            let impact = closest_approach(a, &first, b, &second, Interval::new(0.0, 2.0).unwrap());
            let Impact::Clear(approach) = impact else { continue };
            clear += 1;
            let is_convex = round % 4 != 3 && round / 4 % 4 != 3;
            narrow += usize::from(approach.upper - approach.lower <= 2e-6 * approach.upper);
            assert!(!is_convex || approach.upper - approach.lower <= 1e-4, "{round}: {approach:?}");
            let at = |time: f64| distance(a, first.pose(time), b, second.pose(time));
            assert!(at(approach.time).lower <= approach.upper, "{approach:?}");
            for k in 0..=400 {
                let found = at(2.0 * f64::from(k) / 400.0);
                assert!(found.upper >= approach.lower - 1e-12, "{round}: {approach:?} {found:?}");
            }
        }
        assert!(clear > 30 && 2 * narrow > clear, "{clear} {narrow}");
    }
}
