//! Evidence for times of impact: the chain of intervals that a search has proved free of contact, and the bodies at the time at which they
//! are known to have met, or to be the closest.
//!
//! For two convex shapes or half-spaces. Compounds, meshes, shapes and motions of the caller's own have none yet.

use super::{PosedParts, Upper, Witness, is_compound, member::ProvableCore};
use crate::error::BuildError;
use crate::math::Pose;
use crate::motion::{Hit, Impact, Leg, Link, Motion, Moving, checked};
use crate::pair::PairCache;
use crate::shape::Shape;
use glam::DVec3;
use std::ops::RangeInclusive;

/// What a time of impact rests on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImpactProof {
    /// Intervals in which the bodies are apart, one after the other from the start on: to [`Hit::lower`](crate::motion::Hit::lower), or to the
    /// end if they do not meet.
    pub chain: Vec<ApartLink>,
    /// The bodies when they have met, or at their closest approach, or at the start if they touch there.
    pub meeting: Option<ProvedMeeting>,
    /// Why the points of a hit are on their bodies at [`Hit::lower`](crate::motion::Hit::lower).
    pub witness: Option<Witness>,
}

/// An interval of time in which two bodies are apart along a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ApartLink {
    /// Its start.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// The direction from A to B at its start.
    pub along: DVec3,
    /// The angular velocity of the direction.
    pub turn: DVec3,
}

/// Two bodies at one time, and a bound on their distance.
#[derive(Debug, Clone, PartialEq)]
pub struct ProvedMeeting {
    /// The time.
    pub time: f64,
    /// Where both are, but for rounding and a translation of both.
    pub poses: [Pose; 2],
    /// The signed distance at these poses is at most this.
    pub bound: f64,
    /// What that rests on.
    pub upper: Upper,
}

/// [`time_of_impact`](crate::motion::time_of_impact) with its evidence; nothing where there is none.
///
/// ```
/// use clearance::motion::Impact;
/// use clearance::{Motion, Pose, Shape, proof};
///
/// let (rod, ball) = (Shape::cuboid([2.0, 0.1, 0.1])?, Shape::sphere(0.5)?);
/// let spinning = Motion::linear(Pose::IDENTITY, [0.0; 3], [0.0, 0.0, 1.0])?;
/// let waiting = Motion::fixed(Pose::from_translation([0.0, 2.0, 0.0]));
/// let (found, evidence) = proof::impact(&rod, &spinning, &ball, &waiting, 0.0..=10.0)?;
/// let (Impact::Hit(hit), Some(evidence)) = (found, evidence) else { panic!() };
/// assert_eq!(evidence.chain.first().map(|link| link.from), Some(0.0));
/// assert_eq!(evidence.chain.last().map(|link| link.to), Some(hit.lower));
/// assert!(evidence.meeting.is_some_and(|meeting| meeting.time == hit.upper && meeting.bound < 0.0));
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn impact(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    interval: RangeInclusive<f64>,
) -> Result<(Impact, Option<ImpactProof>), BuildError> {
    let [start, end] = checked(interval)?;
    let moving = Moving { a, motion_a, b, motion_b };
    let is_provable = |shape: &Shape| matches!(shape, Shape::HalfSpace(_)) || ProvableCore::new(shape).is_some();
    let is_known = motion_a.trajectory().is_none() && motion_b.trajectory().is_none();
    if is_compound(a, b) || !(is_provable(a) && is_provable(b)) || !is_known {
        return Ok((moving.impact([start, end], &mut PairCache::default(), &mut ()), None));
    }
    let mut links: Vec<Link> = Vec::new();
    let found = moving.impact([start, end], &mut PairCache::default(), &mut links);
    let (until, meeting) = match &found {
        Impact::Hit(hit) if hit.is_certain() => (hit.lower, moving.meeting(hit.upper, true)),
        Impact::Hit(hit) => (hit.lower, None),
        Impact::Clear(approach) if approach.upper < f64::INFINITY => (end, moving.meeting(approach.time, false)),
        Impact::Clear(_) => (end, None),
        Impact::Touching(_) => (start, moving.meeting(start, false)),
    };
    // What comes after a graze proves nothing about the time before it.
    let chain = links.into_iter().filter(|link| link.from < until);
    let chain =
        chain.map(|Link { from, to, direction }| ApartLink { from, to, along: direction.start, turn: direction.turn });
    let witness = match &found {
        Impact::Hit(hit) => moving.witness(hit),
        Impact::Clear(_) | Impact::Touching(_) => None,
    };
    Ok((found, Some(ImpactProof { chain: chain.collect(), meeting, witness })))
}

impl Moving<'_> {
    /// The bodies at a time, with evidence for their distance; for an overlap only if there is one.
    fn meeting(&self, time: f64, is_overlap: bool) -> Option<ProvedMeeting> {
        let ((leg_a, _), (leg_b, _)) = (self.motion_a.leg(time)?, self.motion_b.leg(time)?);
        let poses = poses_of([leg_a, leg_b], time)?;
        let mut found = crate::distance(self.a, poses[0], self.b, poses[1]);
        if is_overlap {
            // Room for what the evidence rounds; the poses need the rest. Of curved surfaces that hardly overlap the engines may know
            // little, and a point inside of both showed it: then the evidence has to find more than they did.
            found.upper = (0.75 * found.upper).min(0.25 * found.distance);
        }
        if is_overlap && !(found.upper < 0.0) {
            return None;
        }
        let placed = PosedParts::new(self.a, poses[0], self.b, poses[1]);
        let (_, upper) = placed.get([0; 2])?.both_bounds(&found);
        Some(ProvedMeeting { time, poses, bound: found.upper, upper: upper? })
    }

    /// Members of the cores next to the points of a hit.
    fn witness(&self, hit: &Hit) -> Option<Witness> {
        let ((leg_a, _), (leg_b, _)) = (self.motion_a.leg(hit.lower)?, self.motion_b.leg(hit.lower)?);
        let poses = poses_of([leg_a, leg_b], hit.lower)?;
        let mut found = crate::distance(self.a, poses[0], self.b, poses[1]);
        // The points as the poses have them: from the center of A.
        let center = leg_a.place_at(hit.lower);
        (found.point_a, found.point_b, found.normal) = (hit.point_a - center, hit.point_b - center, hit.normal);
        let placed = PosedParts::new(self.a, poses[0], self.b, poses[1]);
        placed.get([0; 2])?.witness(&found, poses[0].translation())
    }
}

/// Where two bodies are at a time, seen from the center of the first: far from the origin that keeps its digits.
fn poses_of(legs: [&Leg; 2], time: f64) -> Option<[Pose; 2]> {
    let [a, b] = legs;
    let way = if a.start == b.start {
        let s = if a.start.is_finite() { time - a.start } else { 0.0 };
        let velocity = b.velocity - a.velocity;
        (b.place - a.place) + (velocity + (b.acceleration - a.acceleration) * (0.5 * s)) * s
    } else {
        let moved = |leg: &Leg| leg.place_at(time) - leg.place;
        (b.place - a.place) + (moved(b) - moved(a))
    };
    let pose = |leg: &Leg, place: DVec3| {
        let rotation = leg.pose(time).rotation();
        Pose::try_new(place - rotation * leg.center, rotation).ok()
    };
    Some([pose(a, DVec3::ZERO)?, pose(b, way)?])
}
