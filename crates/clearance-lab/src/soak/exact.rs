//! Answers judged by the exact checker.
//!
//! All brackets of one query hold the truth if and only if their intersection does, so one check of that proves every answer of a pair. It is the
//! narrowest claim. If it is too narrow to be decided, the first answer is checked by itself.

use super::draw::Drawn;
use crate::Spec;
use clearance::Clearance;
use clearance_io::Answer;
use clearance_io::proof::{Answered, Written, attach, claim, written_pose};
use clearance_verify::{Verdict, check};
use std::sync::Arc;

/// The verdict of the checker on this answer. `None` if the pair cannot be a request.
#[must_use]
pub fn verdict(drawn: &Drawn, answer: &Answer) -> Option<Verdict> {
    // Only the set of points matters, and the checker knows no custom shapes.
    let (a, b) = (unveiled(&drawn.a).build(), unveiled(&drawn.b).build());
    let (pose_a, pose_b) = (drawn.pose_a, drawn.pose_b);
    let written = Written {
        a: Arc::new(drawn.a.written()),
        pose_a: written_pose(&pose_a),
        b: Arc::new(drawn.b.written()),
        pose_b: written_pose(&pose_b),
    };
    let answered = Answered { a: &a, pose_a, b: &b, pose_b, margin: None, written: &written };
    let attached = attach(&answered, answer)?;
    let proof = attached.proof;
    Some(check(&written.into_query(), &claim(answer, None, [&a, &b])?, &proof))
}

/// An answer with the bracket that all answers have in common.
#[must_use]
pub fn narrowed(found: &Clearance, [lower, upper]: [f64; 2]) -> Clearance {
    let mut narrow = *found;
    (narrow.lower, narrow.upper) = (lower, upper);
    // The witnesses belong to their own distance, which another engine's bracket may just leave out.
    narrow.lower = narrow.lower.min(found.distance);
    narrow.upper = narrow.upper.max(found.distance);
    narrow
}

/// The same set of points without a custom shape.
fn unveiled(spec: &Spec) -> Spec {
    match spec {
        Spec::Custom(inner) => unveiled(inner),
        Spec::Affine(inner, matrix) => Spec::Affine(Box::new(unveiled(inner)), *matrix),
        Spec::Rounded(inner, radius) => Spec::Rounded(Box::new(unveiled(inner)), *radius),
        Spec::Compound(parts) => Spec::Compound(parts.iter().map(|(part, pose)| (unveiled(part), *pose)).collect()),
        _ => spec.clone(),
    }
}
