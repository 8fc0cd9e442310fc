//! Answers with their evidence: lines that `query --proof` writes and `verify` reads.
//!
//! `request` holds the query with its shapes and poses, `proof` the evidence; both are plain types of the checker, written with serde. A
//! line of `query --proof` has the shapes themselves. The lines of a check name shapes of a table before them ([`EvidenceWriter`]), and are
//! bound to the scene by [`EvidenceReader`].

mod cast;
mod claim;
mod convert;
mod demand;
mod depth;
mod file;
mod impact;
mod written;

pub use cast::{attach_cast, attach_ray, cast_claim, ray_claim};
pub use claim::{Claimed, Content, DepthContent, ImpactContent, RayContent, claim, read_claim};
#[doc(no_inline)]
pub use clearance::proof::written_pose;
pub(crate) use convert::written_feature;
pub use demand::{EvidenceReader, Judged, PairCounts, SceneDemand};
pub use depth::{attach_depth, depth_claim};
pub use file::{Asked, EVIDENCE_FORMAT, EvidenceWriter, Header, HeaderBody, LineHash, Trailer};
pub use impact::{WrittenImpact, attach_impact, contact_claim, impact_claim, written_motion};
pub(crate) use written::{Noted, WrittenNames};
pub use written::{Written, WrittenBody};

use crate::answer::Answer;
use clearance::proof::Trail;
use clearance::{Clearance, Pose, Shape, proof};
use clearance_verify as verify;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// The query of an answer, complete: what `clearance query` would read.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// The kind of query: intersects, distance, within, depth, impact or cast.
    pub query: String,
    /// The margin of "within".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Which places count as free, for "depth": any, as if it is left out, or outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The first shape.
    pub a: RequestShape,
    /// Where it is.
    pub pose_a: verify::Pose,
    /// The second shape; of a ray there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<RequestShape>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pose_b: Option<verify::Pose>,
    /// How the first one moves, for "impact".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion_a: Option<verify::Motion>,
    /// How the second one moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion_b: Option<verify::Motion>,
    /// From when on; zero if it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// Until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Where a ray begins, for "cast".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<[f64; 3]>,
    /// The direction of a cast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// How far at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// A shape of a request: itself, or its name in a table of shapes.
#[derive(Debug, Clone)]
pub enum RequestShape {
    /// As it was written.
    Whole(Arc<verify::Shape>),
    /// A name that a line before this one defines.
    Named(String),
}

impl Serialize for RequestShape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(shape) => shape.serialize(serializer),
            Self::Named(name) => name.serialize(serializer),
        }
    }
}

/// The fields of a line with evidence beside its answer.
#[derive(Debug, Clone, Serialize)]
pub struct Attached {
    /// The query.
    pub request: Request,
    /// The evidence.
    pub proof: verify::Evidence,
}

/// A query that was answered, as far as evidence goes.
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

/// The query and the evidence of an answer about shapes at rest; `None` for other answers. Compounds are searched again unless the search left a
/// [trail](attach_recorded).
#[must_use]
pub fn attach(answered: &Answered<'_>, answer: &Answer) -> Option<Attached> {
    attach_with(answered, answer, None)
}

/// The evidence for an answer whose search was recorded, by [`proof::distance`] or [`proof::within`].
#[must_use]
pub fn attach_recorded(answered: &Answered<'_>, answer: &Answer, trail: &Trail) -> Option<Attached> {
    attach_with(answered, answer, Some(trail))
}

fn attach_with(answered: &Answered<'_>, answer: &Answer, trail: Option<&Trail>) -> Option<Attached> {
    let Answered { a, pose_a, b, pose_b, margin, written } = *answered;
    let of_clearance = |c: &Clearance| match trail {
        Some(trail) => proof::of_recorded(a, pose_a, b, pose_b, c, trail),
        None => proof::of_clearance(a, pose_a, b, pose_b, c),
    };
    let (query, proof) = match (answer, trail) {
        (Answer::Intersects(true), _) => ("intersects", proof::of_intersection(a, pose_a, b, pose_b)),
        (Answer::Intersects(false), _) => ("intersects", proof::of_separation(a, pose_a, b, pose_b, 0.0)),
        (Answer::Distance(c), _) => ("distance", of_clearance(c)),
        (Answer::Within(Some(c)), _) => ("within", of_clearance(c)),
        (Answer::Within(None), trail) => {
            let margin = margin.unwrap_or(0.0);
            let proof = match trail {
                Some(trail) => proof::of_recorded_separation(a, pose_a, b, pose_b, margin, trail),
                None => proof::of_separation(a, pose_a, b, pose_b, margin),
            };
            ("within", proof)
        }
        // These have evidence of their own, see `attach_impact`, `attach_depth`, `attach_cast` and `attach_ray`.
        (Answer::Depth(_) | Answer::Impact(_) | Answer::CastRay(_) | Answer::CastShape(_) | Answer::Error(_), _) => {
            return None;
        }
    };
    Some(Attached { request: Request { margin, ..Request::of(query, written) }, proof })
}

impl Request {
    /// A query about two shapes as they were written.
    fn of(query: &str, written: &Written) -> Self {
        let Written { a, pose_a, b, pose_b } = written;
        Self {
            query: query.into(),
            margin: None,
            scope: None,
            a: RequestShape::Whole(Arc::clone(a)),
            pose_a: *pose_a,
            b: Some(RequestShape::Whole(Arc::clone(b))),
            pose_b: Some(*pose_b),
            motion_a: None,
            motion_b: None,
            from: None,
            until: None,
            origin: None,
            direction: None,
            max: None,
        }
    }
}
