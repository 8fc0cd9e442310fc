//! Evidence for times of impact and casts of shapes.
//!
//! 1. Chains of intervals prove that there is no contact before a time (`chains.rs`). Two convex shapes or half-spaces have one chain, compounds and meshes a
//!    tree of sets of pairs of parts.
//! 2. The bodies at one time, with an upper bound of their distance there, prove that they have met, or how close they come.
//! 3. A shape that is cast moves straight at unit speed: a cast is a time of impact whose times are lengths.
//! 4. Custom shapes and trajectories have no evidence.

use super::chains::ChainTree;
use super::member::ProvableCore;
use super::mesh::upper_bound;
use super::parts::{PosedBodies, is_countable};
use super::{Evidence, of_clearance, of_separation, pair_of, written_pose};
use crate::math::Pose;
use crate::motion::{Chain, Hit, Impact, Interval, Motion, MotionSegment, Moving, ShapeHit, Sweep};
use crate::pair::{Clearance, PairCache};
use crate::shape::Shape;
use clearance_verify::{ImpactEvidence, ImpactNode, Meeting, Witness};
use glam::DVec3;

/// [`time_of_impact`](crate::motion::time_of_impact) with its evidence; `None` where there is none.
///
/// ```
/// use clearance::{Impact, Interval, Motion, Pose, Shape, proof};
///
/// let (rod, ball) = (Shape::cuboid([2.0, 0.1, 0.1])?, Shape::sphere(0.5)?);
/// let spinning = Motion::linear(Pose::IDENTITY, [0.0; 3], [0.0, 0.0, 1.0])?;
/// let waiting = Motion::fixed(Pose::from_translation([0.0, 2.0, 0.0]));
/// let (found, evidence) = proof::impact(&rod, &spinning, &ball, &waiting, Interval::new(0.0, 10.0)?);
/// let (Impact::Hit(hit), Some(evidence)) = (found, evidence.and_then(|evidence| evidence.motion)) else { panic!() };
/// assert_eq!(evidence.chain.first().map(|link| link.from), Some(0.0));
/// assert_eq!(evidence.chain.last().map(|link| link.to), Some(hit.lower));
/// assert!(evidence.meeting.is_some_and(|meeting| meeting.time == hit.upper && meeting.bound < 0.0));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn impact(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    interval: Interval,
) -> (Impact, Option<Evidence>) {
    let moving = Moving { a, motion_a, b, motion_b };
    moving.proved(interval.ends(), &mut PairCache::default())
}

/// [`closest_approach`](crate::closest_approach) with its evidence; `None` where there is none. Bodies that are proved to stay farther apart than the limit
/// are searched no closer than by [`impact`].
///
/// The lower bound of a closest approach is that of the chain that proves it. For compounds, and for meshes whose hulls overlap, it is that of [`impact`].
///
/// ```
/// use clearance::{Impact, Interval, Motion, Pose, Shape, proof};
///
/// // Past each other, at a distance of three between the centers.
/// let ball = Shape::sphere(1.0)?;
/// let passing = Motion::linear(Pose::from_translation([-10.0, 3.0, 0.0]), [1.0, 0.0, 0.0], [0.0; 3])?;
/// let resting = Motion::fixed(Pose::IDENTITY);
/// let (found, evidence) = proof::approach(&ball, &passing, &ball, &resting, Interval::new(0.0, 20.0)?, f64::INFINITY);
/// let (Impact::Clear(approach), Some(evidence)) = (found, evidence.and_then(|evidence| evidence.motion)) else { panic!() };
/// assert!(approach.lower <= 1.0 && 1.0 <= approach.upper && approach.upper - approach.lower < 1e-5);
/// assert_eq!(evidence.chain.last().map(|link| link.to), Some(20.0));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn approach(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    interval: Interval,
    limit: f64,
) -> (Impact, Option<Evidence>) {
    let interval = interval.ends();
    let moving = Moving { a, motion_a, b, motion_b };
    let cache = &mut PairCache::default();
    match moving.proved(interval, cache) {
        (Impact::Clear(first), Some(mut evidence)) if first.lower <= limit => {
            let (mut approach, slices) = moving.narrowed(first, interval, limit, cache);
            let motion = evidence.motion.get_or_insert_default();
            if slices.lower > first.lower {
                // One direction at a time keeps all parts apart.
                let mut tree = ChainTree::default();
                slices.links.iter().for_each(|link| tree.push(*link));
                *motion = ImpactEvidence { chain: tree.chain(interval[1]), ..ImpactEvidence::default() };
            }
            approach.lower = approach.lower.min(slices.lower.max(first.lower));
            motion.meeting = moving.meeting_of_all(approach.time, approach.upper);
            (Impact::Clear(approach), Some(evidence))
        }
        found => found,
    }
}

/// [`cast_shape`](crate::cast_shape) with its evidence; `None` where there is none.
///
/// ```
/// use clearance::{Pose, Shape, Sweep, proof};
///
/// let ball = Shape::sphere(0.5)?;
/// let sweep = Sweep::new(Pose::from_translation([-4.0, 0.0, 0.0]), [2.0, 0.0, 0.0], 10.0)?;
/// let (hit, evidence) = proof::cast_shape(&ball, Pose::IDENTITY, &ball, &sweep);
/// let (Some(hit), Some(evidence)) = (hit, evidence.and_then(|evidence| evidence.motion)) else { panic!() };
/// // Times are lengths.
/// assert_eq!(evidence.chain.last().map(|link| link.to), Some(hit.lower));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn cast_shape(a: &Shape, pose_a: Pose, b: &Shape, sweep: &Sweep) -> (Option<ShapeHit>, Option<Evidence>) {
    let (pose_b, max) = (sweep.start(), sweep.max());
    let (motion_a, motion_b) = (Motion::fixed(pose_a), sweep.motion());
    let moving = Moving { a, motion_a: &motion_a, b, motion_b: &motion_b };
    if max > 0.0 {
        let (found, evidence) = moving.proved([0.0, max], &mut PairCache::default());
        // A cast claims no lower bound of the distance where it starts.
        let evidence = evidence.map(|evidence| Evidence { lower: None, ..evidence });
        return (sweep.hit(&found), evidence);
    }
    let found = sweep.cast(b, a, pose_a);
    if !moving.is_provable() {
        return (found, None);
    }
    let evidence = match found.and_then(|hit| hit.touching) {
        None => {
            let motion = Some(ImpactEvidence::default());
            Evidence { motion, ..of_separation(a, pose_a, b, pose_b, 0.0) }
        }
        Some(start) => {
            let meeting = moving.meeting_of_all(0.0, f64::INFINITY);
            let motion = Some(ImpactEvidence { meeting, ..ImpactEvidence::default() });
            let evidence = of_clearance(a, pose_a, b, pose_b, &start);
            let witness = moving.witness_of_start(&start, 0.0).or(evidence.witness);
            Evidence { motion, witness, lower: None, ..evidence }
        }
    };
    (found, Some(evidence))
}

/// Does the checker know all parts of a shape, and are there at most `MAX_PARTS`?
pub(super) fn is_provable(shape: &Shape) -> bool {
    let is_part = |shape: &Shape| {
        matches!(shape, Shape::HalfSpace(_)) || shape.as_mesh().is_some() || ProvableCore::new(shape).is_some()
    };
    is_countable(shape)
        && match shape {
            Shape::Compound(compound) => compound.parts().iter().all(|part| is_part(&part.shape)),
            _ => is_part(shape),
        }
}

impl Moving<'_> {
    /// Does the checker know all parts and both motions?
    fn is_provable(&self) -> bool {
        let is_known = self.motion_a.trajectory().is_none() && self.motion_b.trajectory().is_none();
        is_known && is_provable(self.a) && is_provable(self.b)
    }

    /// The answer with its evidence.
    fn proved(&self, [start, end]: [f64; 2], cache: &mut PairCache) -> (Impact, Option<Evidence>) {
        if !self.is_provable() {
            return (self.impact([start, end], cache, &mut ()), None);
        }
        let mut tree = ChainTree::default();
        let found = self.impact([start, end], cache, &mut tree);
        let (until, meeting, witness) = match &found {
            Impact::Hit(hit) => {
                // A point inside of a solid overlaps no triangle of it: then the whole shapes are queried.
                let meeting = || self.meeting_of(hit).or_else(|| self.meeting_of_all(hit.upper, f64::INFINITY));
                let met = if hit.is_proved() { meeting() } else { None };
                (hit.lower, met, self.witness(hit))
            }
            Impact::Clear(approach) if approach.upper < f64::INFINITY => {
                (end, self.meeting_of_all(approach.time, approach.upper), None)
            }
            Impact::Clear(_) => (end, None, None),
            Impact::Undecided(undecided) => (undecided.from, None, None),
            Impact::Touching(found) => {
                (start, self.meeting_of_all(start, f64::INFINITY), self.witness_of_start(found, start))
            }
        };
        let (chain, cover) = (tree.chain(until), tree.covers(until));
        // The order of the parts matters to splits only.
        let is_split = |split: fn(&ImpactNode) -> Option<u32>| cover.iter().flatten().any(|node| split(node).is_some());
        let order = |shape: &Shape, is_split: bool| if is_split { order(shape) } else { Vec::new() };
        let a = order(self.a, is_split(|node| node.split_a));
        let b = order(self.b, is_split(|node| node.split_b));
        let of_start = match &found {
            Impact::Touching(clearance) => self.evidence_of_start(clearance, start),
            Impact::Hit(_) | Impact::Clear(_) | Impact::Undecided(_) => None,
        };
        let of_start = of_start.unwrap_or_default();
        let witness = witness.or(of_start.witness);
        let motion = Some(ImpactEvidence { chain, a, b, cover, meeting });
        (found, Some(Evidence { motion, witness, ..of_start }))
    }

    /// The evidence for the clearance of a contact at the start, found where no digits are lost.
    fn evidence_of_start(&self, clearance: &Clearance, start: f64) -> Option<Evidence> {
        let [pose_a, pose_b] = self.poses_at(start)?;
        let center = self.motion_a.segment(start)?.0.place_at(start);
        let mut found = *clearance;
        (found.point_a, found.point_b) = (found.point_a - center, found.point_b - center);
        Some(of_clearance(self.a, pose_a, self.b, pose_b, &found))
    }

    /// The poses of both at a time, relative to the center of A.
    fn poses_at(&self, time: f64) -> Option<[Pose; 2]> {
        let ((segment_a, _), (segment_b, _)) = (self.motion_a.segment(time)?, self.motion_b.segment(time)?);
        poses_of([segment_a, segment_b], time)
    }

    /// The parts of a hit, as evidence counts them.
    fn parts_of(&self, hit: &Hit) -> [u32; 2] {
        [0, 1].map(|side| {
            let shape = [self.a, self.b][side];
            let bodies = PosedBodies::new(shape, Pose::IDENTITY, DVec3::ZERO);
            let first = bodies.0.get(hit.parts[side] as usize).map_or(0, |body| body.first);
            first + hit.triangles[side].unwrap_or(0)
        })
    }

    /// The bodies of both shapes at a time, relative to the center of A.
    fn bodies_at(&self, poses: [Pose; 2]) -> [PosedBodies<'_>; 2] {
        [PosedBodies::new(self.a, poses[0], DVec3::ZERO), PosedBodies::new(self.b, poses[1], DVec3::ZERO)]
    }

    /// The two that have met at [`Hit::upper`], if they are known to overlap then.
    fn meeting_of(&self, hit: &Hit) -> Option<Meeting> {
        let (time, poses) = (hit.upper, self.poses_at(hit.upper)?);
        let pair = pair_of(&self.bodies_at(poses), self.parts_of(hit))?;
        let mut found = pair.distance();
        // Slack for the rounding of the evidence; that of the poses needs the rest. The engines may know little about curved surfaces that hardly
        // overlap, where a point inside of both showed it: then the evidence has to find more than they did.
        found.upper = (0.75 * found.upper).min(0.25 * found.distance);
        if !(found.upper < 0.0) {
            return None;
        }
        let [pose_a, pose_b] = poses.each_ref().map(written_pose);
        Some(Meeting { time, pose_a, pose_b, bound: found.upper, upper: pair.both_bounds(&found).1? })
    }

    /// The bodies at a time, with evidence for a bound on their distance: less than was said, if that is possible.
    fn meeting_of_all(&self, time: f64, said: f64) -> Option<Meeting> {
        let poses = self.poses_at(time)?;
        let mut found = crate::distance(self.a, poses[0], self.b, poses[1]);
        if found.distance > 0.0 && found.distance < said {
            // Half of the difference is left for the rounding of the poses.
            found.upper = found.upper.min(0.5 * (found.distance + said));
        }
        let upper = upper_bound([self.a, self.b], poses, &found)?;
        let [pose_a, pose_b] = poses.each_ref().map(written_pose);
        Some(Meeting { time, pose_a, pose_b, bound: found.upper, upper })
    }

    /// Members of the cores next to the points of a hit.
    fn witness(&self, hit: &Hit) -> Option<Witness> {
        self.witness_at(hit.lower, |_| self.parts_of(hit), [hit.point_a, hit.point_b, hit.normal])
    }

    /// Members next to the points of a contact at the start, whose parts are those of a clearance.
    fn witness_of_start(&self, found: &Clearance, start: f64) -> Option<Witness> {
        let center = self.motion_a.segment(start)?.0.place_at(start);
        let parts = |[a, b]: [&PosedBodies<'_>; 2]| {
            let features = found.features(self.a, self.b);
            let part = |bodies: &PosedBodies<'_>, side: usize, point: DVec3| {
                let body = bodies.0.get(found.parts[side] as usize);
                body.map_or(0, |body| body.part_at(features[side], point - center))
            };
            [part(a, 0, found.point_a), part(b, 1, found.point_b)]
        };
        self.witness_at(start, parts, [found.point_a, found.point_b, found.normal])
    }

    /// Members next to two points at a time. `parts` chooses the parts among the placed bodies.
    fn witness_at(
        &self,
        time: f64,
        parts: impl FnOnce([&PosedBodies<'_>; 2]) -> [u32; 2],
        [point_a, point_b, normal]: [DVec3; 3],
    ) -> Option<Witness> {
        let poses = self.poses_at(time)?;
        let bodies = self.bodies_at(poses);
        let pair = pair_of(&bodies, parts([&bodies[0], &bodies[1]]))?;
        // The points are relative to the center of A, as the poses are.
        let center = self.motion_a.segment(time)?.0.place_at(time);
        pair.witness([point_a - center, point_b - center], normal).map(|placed| placed.witness)
    }
}

/// The order in which the parts of a shape are ranges for all nodes of its trees; empty if that is how they are counted.
fn order(shape: &Shape) -> Vec<u32> {
    let bodies = PosedBodies::new(shape, Pose::IDENTITY, DVec3::ZERO).0;
    let of_body = |number: &u32| -> Vec<u32> {
        let body = &bodies[*number as usize];
        match body.shape.as_mesh() {
            Some(mesh) => mesh.tree().view().items.iter().map(|triangle| body.first + triangle).collect(),
            None => vec![body.first],
        }
    };
    let order: Vec<u32> = match shape {
        Shape::Compound(compound) => {
            let parts = [compound.unbounded(), compound.tree().order()].concat();
            parts.iter().flat_map(of_body).collect()
        }
        _ => of_body(&0),
    };
    let is_sorted = order.iter().enumerate().all(|(place, &number)| place == number as usize);
    if is_sorted { Vec::new() } else { order }
}

/// The poses of two bodies at a time, relative to the center of the first: no digits are lost far from the origin.
fn poses_of(segments: [&MotionSegment; 2], time: f64) -> Option<[Pose; 2]> {
    let [a, b] = segments;
    let elapsed = |segment: &MotionSegment| if segment.start.is_finite() { time - segment.start } else { 0.0 };
    let between = if a.start == b.start {
        let (s, velocity) = (elapsed(a), b.velocity - a.velocity);
        (b.place - a.place) + (velocity + (b.acceleration - a.acceleration) * (0.5 * s)) * s
    } else {
        let moved = |segment: &MotionSegment| {
            (segment.velocity + segment.acceleration * (0.5 * elapsed(segment))) * elapsed(segment)
        };
        (b.place - a.place) + (moved(b) - moved(a))
    };
    let pose = |segment: &MotionSegment, place: DVec3| {
        let rotation = segment.pose(time).rotation();
        Pose::try_new(place - rotation * segment.center, rotation).ok()
    };
    Some([pose(a, DVec3::ZERO)?, pose(b, between)?])
}
