//! Two bodies that move: are they apart until a time, and do they meet by another?
//!
//! **Apart.** The evidence is a chain of intervals of time, each with a direction along which the bodies are apart from its start to its
//! end. An interval is checked at its two ends, and by how far the gap may sink below the chord between them (`chain.rs`).
//! Intervals without a hole from the start on prove that there is no contact before the end of the last one; the least gap of
//! all bounds how close the bodies come. Shapes of many parts have a tree of sets of pairs with chains of their own (`cover.rs`). If
//! surfaces of meshes stay apart, points inside of a solid stay inside: a test at the start suffices (`inside.rs`).
//!
//! **Meeting.** At one time, the bodies are where doubles say, but for a displacement that is bounded (`meeting.rs`); evidence for the
//! distance at the poses that are written bounds the distance at the true ones. The clearance of a contact at the start
//! is checked likewise (`start.rs`).
//!
//! Poses at a time have sines and cosines, so nothing here is exact: intervals of doubles are tried first, intervals of 256 bits
//! where those leave a sign open. A sign that these leave open is undecided.

mod body;
mod chain;
mod contact;
mod course;
mod cover;
mod inside;
mod meeting;
mod start;
#[cfg(test)]
mod tests;

pub use contact::{ContactClaim, check_contact};
pub use start::check_start;

use crate::check::explain;
use crate::evidence::{Evidence, FORMAT, Query, Upper, Verdict, other_format};
use crate::number::meter;
use crate::parts::{Flat, Side};
use crate::pose::Pose;
use crate::shape::Trouble;
use crate::tolerance::UNSEEN;
use serde::{Deserialize, Serialize};

/// The budget of a check in operations: a constant, plus amounts for each link and each number. Limit: the time of a check is bounded by the
/// length of its input, whatever the evidence is.
const LIMIT: u64 = 50_000_000;
const LIMIT_PER_LINK: u64 = 20_000;
const LIMIT_PER_NUMBER: u64 = 300;

/// How a body moves. The pose of the query is the one at time zero; key frames have poses of their own.
///
/// Angular velocities are in the axes of the world, in radians for each unit of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs)] // The fields are what the file formats call them.
pub enum Motion {
    /// Not at all.
    Fixed {},
    /// A constant velocity of the centre, and a constant angular velocity about it.
    Linear {
        #[serde(default)]
        velocity: [f64; 3],
        #[serde(default)]
        angular_velocity: [f64; 3],
        /// The point of the body, in its own frame, that both refer to: its origin, unless another one is written.
        #[serde(default, skip_serializing_if = "is_zero")]
        center: [f64; 3],
    },
    /// The same with a constant acceleration.
    Ballistic {
        #[serde(default)]
        velocity: [f64; 3],
        #[serde(default)]
        angular_velocity: [f64; 3],
        #[serde(default)]
        gravity: [f64; 3],
        #[serde(default, skip_serializing_if = "is_zero")]
        center: [f64; 3],
    },
    /// From pose to pose, the origin along a straight line and the rotation by the shortest arc, both at constant rates. Before the first
    /// and after the last the body rests. Times increase.
    Keyframes(Vec<Keyframe>),
    /// Straight, at unit speed: what is cast moves like that, and times are lengths. It is not written in files.
    #[serde(skip)]
    Straight {
        /// Where to, a vector of any length but zero.
        direction: [f64; 3],
    },
}

impl Default for Motion {
    fn default() -> Self {
        Self::Fixed {}
    }
}

/// Where a body is at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// The time.
    pub time: f64,
    /// The pose.
    #[serde(default)]
    pub pose: Pose,
}

fn is_zero(v: &[f64; 3]) -> bool {
    *v == [0.0; 3]
}

impl Motion {
    fn fault(&self) -> Option<String> {
        let finite = |all: &[[f64; 3]]| all.iter().flatten().all(|x| x.is_finite());
        let fine = match self {
            Self::Fixed {} => true,
            Self::Linear { velocity, angular_velocity, center } => finite(&[*velocity, *angular_velocity, *center]),
            Self::Ballistic { velocity, angular_velocity, gravity, center } => {
                finite(&[*velocity, *angular_velocity, *gravity, *center])
            }
            Self::Straight { direction: [0.0, 0.0, 0.0] } => return Some("a direction is zero".into()),
            Self::Straight { direction } => finite(&[*direction]),
            Self::Keyframes(frames) => {
                if let Some(fault) = frames.iter().find_map(|frame| frame.pose.fault()) {
                    return Some(fault);
                }
                if frames.is_empty() || !frames.windows(2).all(|pair| pair[0].time < pair[1].time) {
                    return Some("there are no key frames, or their times do not increase".into());
                }
                frames.iter().all(|frame| frame.time.is_finite())
            }
        };
        (!fine).then(|| "a number of a motion is not finite".into())
    }

    fn numbers(&self) -> u64 {
        match self {
            Self::Keyframes(frames) => 8 * frames.len() as u64,
            _ => 12,
        }
    }
}

/// Two shapes and how they move.
#[derive(Debug, Clone, PartialEq)]
pub struct MovingQuery {
    /// The shapes and their poses at time zero.
    pub start: Query,
    /// How the first one moves.
    pub motion_a: Motion,
    /// How the second one moves.
    pub motion_b: Motion,
    /// The interval of time of the query.
    pub from: f64,
    /// Its end.
    pub until: f64,
}

/// A claim about two moving bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ImpactClaim {
    /// They first touch at a time between these: they are apart before the first and have a point in common at the second, or before. An
    /// infinite end claims nothing.
    Hit {
        /// They are apart before.
        lower: f64,
        /// They have met by then.
        upper: f64,
    },
    /// They do not touch.
    Clear {
        /// They are never closer than this, if anything is said about it.
        lower: Option<f64>,
        /// At some time they are no farther apart than this, if anything is said about it.
        upper: Option<f64>,
    },
    /// They touch at the start, or overlap, or have a gap that doubles cannot see.
    Touching,
}

/// Evidence for a claim about moving bodies.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImpactEvidence {
    /// Intervals in which the bodies are apart, from the start on, without a hole: all of one and all of the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<ChainLink>,
    /// The order of the parts of A that a cover refers to; as they are counted if it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub a: Vec<u32>,
    /// The order of the parts of B.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub b: Vec<u32>,
    /// Instead of one chain for all parts: trees of sets of pairs in preorder, one after the other in time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cover: Vec<Vec<ImpactNode>>,
    /// A time at which they are close, or meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meeting: Option<Meeting>,
}

/// Pairs of parts, of a set of A with a set of B: apart along a chain, from where those of the node above are, and then divided. All of the
/// lower half comes next, then all of the upper one. A half-space has to be alone in its set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImpactNode {
    /// Intervals in which all pairs are apart, without a hole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<ChainLink>,
    /// The parts of A are divided into those before that place of the order and the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_a: Option<u32>,
    /// The parts of B are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_b: Option<u32>,
}

/// An interval of time in which the bodies are apart along a direction, or one of them is a ring about the other. Both keep to one law in
/// it: it goes beyond no key frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainLink {
    /// Its start.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// The direction at its start, from A to B, of any length; of a ring, from its axis to the body. A half-space goes with its own normal,
    /// whatever is written.
    pub along: [f64; 3],
    /// The angular velocity of the direction; of a ring it does not count.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turn: [f64; 3],
    /// The body that is a ring, if one is: see [`RingBody`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ring: Option<RingBody>,
}

/// The body that turns about an axis which it does not meet: it stays outside of a cylinder about the axis, and the other one inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RingBody {
    /// The first one.
    A,
    /// The second one.
    B,
}

/// The bodies at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// The time.
    pub time: f64,
    /// Where A is then, in doubles. Both poses may be moved by one translation, so that no digits are lost far from the origin.
    pub pose_a: Pose,
    /// Where B is.
    pub pose_b: Pose,
    /// At these poses the signed distance is at most this.
    pub bound: f64,
    /// Why.
    pub upper: Upper,
}

impl ImpactEvidence {
    /// How many intervals there are.
    pub(crate) fn links(&self) -> u64 {
        let of_nodes = self.cover.iter().flatten().map(|node| node.chain.len() as u64).sum::<u64>();
        self.chain.len() as u64 + of_nodes
    }

    pub(crate) fn numbers(&self) -> u64 {
        let meeting = self.meeting.as_ref().map_or(0, |meeting| 16 + meeting.upper.numbers());
        let nodes = self.cover.iter().map(|nodes| nodes.len() as u64).sum::<u64>();
        9 * self.links() + nodes + (self.a.len() + self.b.len()) as u64 + meeting
    }
}

impl MovingQuery {
    fn fault(&self) -> Option<String> {
        let Query { a, pose_a, b, pose_b } = &self.start;
        let fault = a.fault().or_else(|| b.fault()).or_else(|| pose_a.fault()).or_else(|| pose_b.fault());
        let fault = fault.or_else(|| self.motion_a.fault()).or_else(|| self.motion_b.fault());
        let is_interval = self.from.is_finite() && self.until.is_finite() && self.from < self.until;
        fault.or_else(|| (!is_interval).then(|| "the interval of time is empty or not finite".into()))
    }
}

/// Decides whether a claim about moving bodies is proved or refuted by evidence, whose part about motions it is that counts.
///
/// ```
/// use clearance_verify::{ChainLink, Evidence, ImpactClaim, ImpactEvidence, Motion, MovingQuery, Pose, Query, Shape, Verdict, check_impact};
///
/// // A ball of radius 1 that falls from a height of 10 onto a floor; before a time of 1.3 it is above it.
/// let (floor, ball) = (Shape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 }, Shape::Sphere { radius: 1.0 });
/// let pose_b = Pose { translation: [0.0, 10.0, 0.0], ..Pose::IDENTITY };
/// let start = Query { a: floor, pose_a: Pose::IDENTITY, b: ball, pose_b };
/// let zero = [0.0; 3];
/// let falling = Motion::Ballistic { velocity: zero, angular_velocity: zero, gravity: [0.0, -10.0, 0.0], center: zero };
/// let query = MovingQuery { start, motion_a: Motion::Fixed {}, motion_b: falling, from: 0.0, until: 1.3 };
/// let link = ChainLink { from: 0.0, to: 1.3, along: [0.0, 1.0, 0.0], turn: zero, ring: None };
/// let motion = Some(ImpactEvidence { chain: vec![link], ..ImpactEvidence::default() });
/// let evidence = Evidence { motion, ..Evidence::default() };
/// let clear = ImpactClaim::Clear { lower: Some(0.5), upper: None };
/// assert_eq!(check_impact(&query, &clear, &evidence), Verdict::Proved);
/// let too_far = ImpactClaim::Clear { lower: Some(0.6), upper: None };
/// assert!(matches!(check_impact(&query, &too_far, &evidence), Verdict::Undecided(_)));
/// ```
#[must_use]
pub fn check_impact(query: &MovingQuery, claim: &ImpactClaim, evidence: &Evidence) -> Verdict {
    check_impact_counted(query, claim, evidence).0
}

/// The verdict of [`check_impact`], and how many operations it took.
#[must_use]
pub fn check_impact_counted(query: &MovingQuery, claim: &ImpactClaim, evidence: &Evidence) -> (Verdict, u64) {
    if evidence.format != FORMAT {
        return (Verdict::Undecided(other_format(evidence.format)), 0);
    }
    let nothing = ImpactEvidence::default();
    let evidence = evidence.motion.as_ref().unwrap_or(&nothing);
    if let Some(fault) = query.fault() {
        return (Verdict::Undecided(format!("the query cannot be computed with: {fault}")), 0);
    }
    if let Some(reason) = nonsense(query, claim) {
        return (Verdict::Refuted(reason), 0);
    }
    let Query { a, b, .. } = &query.start;
    let motions = query.motion_a.numbers() + query.motion_b.numbers();
    let numbers = a.numbers() + b.numbers() + motions + evidence.numbers();
    let limit = LIMIT + LIMIT_PER_NUMBER * numbers + LIMIT_PER_LINK * evidence.links();
    meter::start(limit);
    let verdict = verdict(query, claim, evidence);
    let (spent, is_exhausted) = (meter::spent(), meter::is_exhausted());
    meter::start(u64::MAX);
    if is_exhausted {
        let reason = format!("checking it takes more than {limit} operations, the limit for a line of this length");
        return (Verdict::Undecided(reason), limit);
    }
    (verdict, spent)
}

/// The contradiction in the numbers of a claim, if there is one.
fn nonsense(query: &MovingQuery, claim: &ImpactClaim) -> Option<String> {
    let MovingQuery { from, until, .. } = *query;
    match *claim {
        ImpactClaim::Hit { lower, upper } if !(lower <= upper) => {
            Some(format!("there is no time between lower = {lower:e} and upper = {upper:e}"))
        }
        ImpactClaim::Hit { lower, .. } if !(lower >= from && lower <= until) => {
            Some(format!("lower = {lower:e} is not in the interval of the query"))
        }
        ImpactClaim::Hit { upper, .. } if upper > until && upper < f64::INFINITY => {
            Some(format!("upper = {upper:e} is not in the interval of the query"))
        }
        ImpactClaim::Clear { lower: Some(lower), .. } if !(0.0..f64::INFINITY).contains(&lower) => {
            Some(format!("a gap of at least {lower:e} is none"))
        }
        ImpactClaim::Clear { lower, upper: Some(upper) } if !(upper >= lower.unwrap_or(0.0)) => {
            Some(format!("a gap of at most {upper:e} is none"))
        }
        _ => None,
    }
}

fn verdict(query: &MovingQuery, claim: &ImpactClaim, evidence: &ImpactEvidence) -> Verdict {
    let MovingQuery { from, until, .. } = *query;
    let flat = [Flat::new(&query.start.a), Flat::new(&query.start.b)];
    let sides = flat.each_ref().map(Flat::local_sides);
    let sides: [&[Side<'_>]; 2] = sides.each_ref().map(Vec::as_slice);
    // The distance at the time of the evidence is at most this.
    let met = evidence.meeting.as_ref().map(|meeting| meeting::bound(query, sides, meeting));
    let overlap = match (&evidence.meeting, &met) {
        (Some(meeting), Some(Ok(bound))) if *bound <= 0.0 => Some(meeting.time),
        _ => None,
    };
    let mut open = Vec::new();
    let mut apart = |until: f64, gap: f64| {
        if let Err(trouble) = is_apart(query, &flat, sides, evidence, until, gap) {
            open.push(explain(trouble));
        }
    };
    let why = match &met {
        None => "there is nothing for a meeting".to_owned(),
        Some(Ok(bound)) => format!("the evidence proves a distance of at most {bound:e} only"),
        Some(Err(trouble)) => explain(trouble.clone()),
    };
    match *claim {
        ImpactClaim::Hit { lower, upper } => {
            if let Some(time) = overlap.filter(|time| *time < lower) {
                return Verdict::Refuted(format!("at {time:e} they overlap, which is before lower = {lower:e}"));
            }
            apart(lower, 0.0);
            match overlap {
                _ if upper == f64::INFINITY => open.push("upper is null, which claims nothing".into()),
                Some(time) if time <= upper => {}
                _ => open.push(format!("upper: {why}")),
            }
        }
        ImpactClaim::Clear { lower, upper } => {
            if let Some(time) = overlap {
                return Verdict::Refuted(format!("at {time:e} they overlap"));
            }
            if let (Some(Ok(bound)), Some(lower)) = (&met, lower)
                && *bound < lower
            {
                return Verdict::Refuted(format!("they come as close as {bound:e}, which is less than {lower:e}"));
            }
            apart(until, lower.unwrap_or(0.0));
            if let Some(upper) = upper.filter(|upper| *upper < f64::INFINITY)
                && !matches!(met, Some(Ok(bound)) if bound <= upper)
            {
                open.push(format!("the closest approach: {why}"));
            }
        }
        ImpactClaim::Touching => {
            let is_start = evidence.meeting.as_ref().is_some_and(|meeting| meeting.time == from);
            let unseen = evidence.meeting.as_ref().map_or(0.0, |meeting| UNSEEN * meeting::size(query, sides, meeting));
            if !(is_start && matches!(met, Some(Ok(bound)) if bound <= unseen)) {
                open.push(if is_start { why } else { "there is nothing for a contact at the start".into() });
            }
        }
    }
    if open.is_empty() { Verdict::Proved } else { Verdict::Undecided(open.join("; ")) }
}

/// Does the evidence prove that two bodies are apart by more than a gap from the start to a time?
fn is_apart(
    query: &MovingQuery,
    flat: &[Flat<'_>; 2],
    sides: [&[Side<'_>]; 2],
    evidence: &ImpactEvidence,
    until: f64,
    gap: f64,
) -> Result<(), Trouble> {
    if until <= query.from {
        return Ok(());
    }
    match cover::is_apart(query, sides, evidence, until, gap)? {
        true => Ok(()),
        false => inside::is_nothing_inside(query, flat, sides),
    }
}
