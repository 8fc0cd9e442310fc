//! Answers with their evidence: what `query --proof` writes and `verify` reads.
//!
//! A line with evidence can be checked with nothing else at hand: `asked` holds the two shapes and their poses, `proof` what
//! the answer rests on. Both are the plain types of the checker, written with serde; [`convert`](self) turns the library's
//! types into them.

mod convert;

pub use convert::{asked_shape, evidence};

use crate::answer::Answer;
use crate::error::{Error, Place};
use clearance::{Pose, Shape, proof};
use clearance_verify as verify;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The question of an answer, complete.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// What was asked: intersects, distance or within.
    pub query: String,
    /// The margin of "within".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// The first shape.
    pub a: verify::Shape,
    /// Where it is.
    #[serde(default)]
    pub pose_a: verify::Pose,
    /// The second shape.
    pub b: verify::Shape,
    /// Where it is.
    #[serde(default)]
    pub pose_b: verify::Pose,
}

/// What a line with evidence has beside its answer.
#[derive(Debug, Clone, Serialize)]
pub struct Attached {
    /// The question.
    pub asked: Asked,
    /// What the answer rests on.
    pub proof: verify::Evidence,
}

/// A question that was answered, as far as evidence goes.
#[derive(Debug, Clone, Copy)]
pub struct Answered<'a> {
    /// The first shape.
    pub a: &'a Shape,
    /// Where it is.
    pub pose_a: Pose,
    /// The second shape.
    pub b: &'a Shape,
    /// Where it is.
    pub pose_b: Pose,
    /// The margin of "within".
    pub margin: Option<f64>,
    /// The numbers of the poses as they were asked with, before their rotations were made units.
    pub poses: [verify::Pose; 2],
}

/// The poses of a query line as they are written, before their rotations are made units. The line is known to be right.
#[must_use]
pub fn written_poses(line: &str, poses: [&Pose; 2]) -> [verify::Pose; 2] {
    #[derive(Deserialize, Default)]
    struct Line {
        pose_a: Option<Written>,
        pose_b: Option<Written>,
    }
    #[derive(Deserialize)]
    struct Written {
        translation: Option<[f64; 3]>,
        rotation: Option<[f64; 4]>,
    }
    let Line { pose_a, pose_b } = serde_json::from_str(line).unwrap_or_default();
    let [a, b] = poses.map(convert::pose);
    let taken = |written: Option<Written>, pose: verify::Pose| match written {
        Some(Written { translation, rotation }) => verify::Pose {
            translation: translation.unwrap_or(pose.translation),
            rotation: rotation.unwrap_or(pose.rotation),
        },
        None => pose,
    };
    [taken(pose_a, a), taken(pose_b, b)]
}

/// The evidence for an answer; nothing for one that is an error or about shapes of the caller's own.
#[must_use]
pub fn attach(answered: &Answered<'_>, answer: &Answer) -> Option<Attached> {
    let Answered { a, pose_a, b, pose_b, margin, poses } = *answered;
    let (query, proof) = match answer {
        Answer::Intersects(true) => ("intersects", proof::of_intersection(a, pose_a, b, pose_b)),
        Answer::Intersects(false) => ("intersects", proof::of_separation(a, pose_a, b, pose_b)),
        Answer::Distance(c) => ("distance", proof::of_clearance(a, pose_a, b, pose_b, c)),
        Answer::Within(Some(c)) => ("within", proof::of_clearance(a, pose_a, b, pose_b, c)),
        Answer::Within(None) => ("within", proof::of_separation(a, pose_a, b, pose_b)),
        Answer::Error(_) => return None,
    };
    let [pose_a, pose_b] = poses;
    let (a, b) = (asked_shape(a)?, asked_shape(b)?);
    let asked = Asked { query: query.into(), margin, a, pose_a, b, pose_b };
    Some(Attached { asked, proof: evidence(&proof) })
}

/// An answer that was read back, ready for the checker.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The id of the answer, as it was written.
    pub id: Option<Box<RawValue>>,
    /// What can be checked, or a sentence on why nothing can.
    pub content: Result<(verify::Question, verify::Claim, verify::Evidence), &'static str>,
}

/// An answer line; a field that is not known is none of the checker's business.
#[derive(Deserialize)]
struct AnswerLine {
    id: Option<Box<RawValue>>,
    error: Option<String>,
    intersects: Option<bool>,
    within: Option<bool>,
    distance: Option<f64>,
    point_a: Option<[f64; 3]>,
    point_b: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    lower: Option<f64>,
    upper: Option<f64>,
    asked: Option<Asked>,
    proof: Option<verify::Evidence>,
}

/// Reads an answer line, of that number counted from 1.
pub fn read_claim(line: &str, number: u64) -> Result<Claimed, Error> {
    let place = Place::line(number);
    let refuse = |message: String| Error::Field { place: place.clone(), message };
    let read: AnswerLine = serde_json::from_str(line).map_err(|error| {
        let place = Place::line(number).at_column(error.column() as u64);
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        Error::Syntax { place, message: format!("this is no answer that can be checked ({what})") }
    })?;
    let nothing = |content| Ok(Claimed { id: read.id.clone(), content: Err(content) });
    if read.error.is_some() {
        return nothing("the line is an error, not an answer");
    }
    let Some(asked) = &read.asked else {
        return nothing("the line has no field asked; answer with query --proof");
    };
    let distance = || {
        let missing = |field: &str| refuse(format!("the answer has no field {field}; add it"));
        let vector = |field: &str, value: Option<[f64; 3]>| value.ok_or_else(|| missing(field));
        // Infinite bounds are written as null; an infinite distance goes with an upper bound of minus infinity.
        let (lower, upper) = match (read.distance, read.lower, read.upper) {
            (None, None, None) => (f64::NEG_INFINITY, f64::NEG_INFINITY),
            (_, lower, upper) => (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY)),
        };
        Ok::<_, Error>(verify::Distance {
            distance: read.distance.unwrap_or(f64::NEG_INFINITY),
            point_a: vector("point_a", read.point_a)?,
            point_b: vector("point_b", read.point_b)?,
            normal: vector("normal", read.normal)?,
            lower,
            upper,
        })
    };
    let margin = || asked.margin.ok_or_else(|| refuse("asked has no field margin; add it".into()));
    let claim = match (asked.query.as_str(), read.intersects, read.within) {
        ("intersects", Some(yes), _) => verify::Claim::Intersects(yes),
        ("within", _, Some(false)) => verify::Claim::Beyond { margin: margin()? },
        ("within", _, Some(true)) => verify::Claim::Within { margin: margin()?, distance: distance()? },
        ("distance", _, _) => verify::Claim::Distance(distance()?),
        ("intersects" | "within", ..) => return Err(refuse("the answer has no yes or no; add it".into())),
        _ => return nothing("only intersects, distance and within can be checked"),
    };
    let Asked { a, pose_a, b, pose_b, .. } = asked.clone();
    let question = verify::Question { a, pose_a, b, pose_b };
    let content = Ok((question, claim, read.proof.clone().unwrap_or_default()));
    Ok(Claimed { id: read.id, content })
}

/// The claim of an answer, without a detour through text.
#[must_use]
pub fn claim(answer: &Answer, margin: Option<f64>) -> Option<verify::Claim> {
    let margin = margin.unwrap_or(f64::NAN);
    Some(match answer {
        Answer::Intersects(yes) => verify::Claim::Intersects(*yes),
        Answer::Distance(c) => verify::Claim::Distance(convert::distance(c)),
        Answer::Within(Some(c)) => verify::Claim::Within { margin, distance: convert::distance(c) },
        Answer::Within(None) => verify::Claim::Beyond { margin },
        Answer::Error(_) => return None,
    })
}
