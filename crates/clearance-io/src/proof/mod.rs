//! Answers with their evidence: what `query --proof` writes and `verify` reads.
//!
//! A line with evidence can be checked with nothing else at hand: `asked` holds the two shapes and their poses, `proof` what
//! the answer rests on. Both are the plain types of the checker, written with serde.

mod claim;
mod convert;
mod written;

pub use claim::{Claimed, Content, claim, read_claim};
pub(crate) use convert::written_feature;
pub use convert::{evidence, written_pose};
pub use written::Written;
pub(crate) use written::WrittenNames;

use crate::answer::Answer;
use clearance::{Pose, Shape, proof};
use clearance_verify as verify;
use serde::{Deserialize, Serialize};

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
    /// The shapes and poses as they were written.
    pub written: &'a Written,
}

/// The evidence for an answer; nothing for one that is an error.
#[must_use]
pub fn attach(answered: &Answered<'_>, answer: &Answer) -> Option<Attached> {
    let Answered { a, pose_a, b, pose_b, margin, written } = *answered;
    let (query, proof) = match answer {
        Answer::Intersects(true) => ("intersects", proof::of_intersection(a, pose_a, b, pose_b)),
        Answer::Intersects(false) => ("intersects", proof::of_separation(a, pose_a, b, pose_b, 0.0)),
        Answer::Distance(c) => ("distance", proof::of_clearance(a, pose_a, b, pose_b, c)),
        Answer::Within(Some(c)) => ("within", proof::of_clearance(a, pose_a, b, pose_b, c)),
        Answer::Within(None) => ("within", proof::of_separation(a, pose_a, b, pose_b, margin.unwrap_or(0.0))),
        Answer::Error(_) => return None,
    };
    let proof = evidence(&proof, [a, b]);
    let Written { a, pose_a, b, pose_b } = written;
    let (a, b) = (verify::Shape::clone(a), verify::Shape::clone(b));
    Some(Attached { asked: Asked { query: query.into(), margin, a, pose_a: *pose_a, b, pose_b: *pose_b }, proof })
}
