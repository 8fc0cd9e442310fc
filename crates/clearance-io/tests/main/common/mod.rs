//! Shared by the tests of the checker: queries, proofs, and counts of verdicts.

use clearance::{Pose, Shape, distance, intersects, within};
use clearance_io::Answer;
use clearance_io::proof::{Answered, Written, attach, claim, written_pose};
use clearance_lab::Spec;
use clearance_verify::{Claim, Evidence, Query, Verdict, check};
use std::sync::Arc;

/// How many answers were proved, and which were not.
#[derive(Default)]
pub struct Judged {
    pub proved: usize,
    pub refuted: Vec<String>,
    pub undecided: Vec<String>,
}

impl Judged {
    pub fn add(&mut self, what: String, verdict: Verdict) {
        match verdict {
            Verdict::Proved => self.proved += 1,
            Verdict::Refuted(reason) => self.refuted.push(format!("{reason}: {what}")),
            Verdict::Undecided(reason) => self.undecided.push(format!("{reason}: {what}")),
        }
    }

    /// Fails if anything is refuted, or more than that many are undecided.
    pub fn require(&self, most_undecided: usize) {
        let Self { proved, refuted, undecided } = self;
        println!("{proved} proved, {} undecided, {} refuted", undecided.len(), refuted.len());
        undecided.iter().for_each(|line| println!("undecided: {line}"));
        assert!(refuted.is_empty(), "{refuted:#?}");
        assert!(undecided.len() <= most_undecided, "{} are undecided", undecided.len());
    }
}

/// Everything that is claimed about two shapes, with its evidence: the answers of the library about the shapes that it built, and
/// the query as it was written.
pub fn claims(a: &Spec, pose_a: Pose, b: &Spec, pose_b: Pose) -> Vec<(Query, Claim, Evidence)> {
    let written = Written {
        a: Arc::new(a.written()),
        pose_a: written_pose(&pose_a),
        b: Arc::new(b.written()),
        pose_b: written_pose(&pose_b),
    };
    claims_about([&a.build(), &b.build()], [pose_a, pose_b], &written)
}

/// The same for shapes of the library that were written like that.
pub fn claims_about(
    [a, b]: [&Shape; 2],
    [pose_a, pose_b]: [Pose; 2],
    written: &Written,
) -> Vec<(Query, Claim, Evidence)> {
    let c = distance(a, pose_a, b, pose_b);
    let margin = if c.distance > 0.0 { 0.5 * c.distance } else { 0.1 };
    let answers = [
        Answer::Distance(c),
        Answer::Intersects(intersects(a, pose_a, b, pose_b)),
        Answer::Within(within(a, pose_a, b, pose_b, margin)),
    ];
    let answered = Answered { a, pose_a, b, pose_b, margin: Some(margin), written };
    let claims = answers.iter().map(|answer| {
        let attached = attach(&answered, answer).unwrap();
        (written.clone().into_query(), claim(answer, Some(margin), [a, b]).unwrap(), attached.proof)
    });
    claims.collect()
}

/// Asks everything about two shapes and has the answers checked.
pub fn judge(judged: &mut Judged, what: &str, a: &Spec, pose_a: Pose, b: &Spec, pose_b: Pose) {
    for (query, claim, evidence) in claims(a, pose_a, b, pose_b) {
        let verdict = check(&query, &claim, &evidence);
        judged.add(format!("{what} / {claim:?}"), verdict);
    }
}
