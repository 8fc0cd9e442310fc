//! An answer with its evidence, before a checker that shares no code with what found it.
//!
//! `cargo run --release --example proof`

use clearance::{Pose, Shape, distance, proof};
use clearance_io::Answer;
use clearance_io::proof::claim;
use clearance_verify::{self as verify, Query, Verdict, check};

/// An answer that is proved, and one that is refuted.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: evidence
    let (block, ball) = (Shape::cuboid([1.0, 2.0, 3.0])?, Shape::sphere(0.5)?);
    let (pose_a, pose_b) = (Pose::IDENTITY, Pose::from_translation([4.0, 0.5, 0.0]));
    let found = distance(&block, pose_a, &ball, pose_b);
    // Evidence has the checker's own types.
    let evidence: verify::Evidence = proof::of_clearance(&block, pose_a, &ball, pose_b, &found);
    // ANCHOR_END: evidence

    // ANCHOR: check
    // The checker gets the numbers that were written, not the shapes that the library made of them.
    let query = Query {
        a: verify::Shape::Cuboid { half_extents: [1.0, 2.0, 3.0] },
        pose_a: verify::Pose::IDENTITY,
        b: verify::Shape::Sphere { radius: 0.5 },
        pose_b: verify::Pose { translation: [4.0, 0.5, 0.0], ..verify::Pose::IDENTITY },
    };
    let claimed = claim(&Answer::Distance(found), None, [&block, &ball]).ok_or("a distance is a claim")?;
    assert_eq!(check(&query, &claimed, &evidence), Verdict::Proved);
    // ANCHOR_END: check

    // ANCHOR: refuted
    // A wrong answer does not get through, whatever evidence is beside it.
    let mut wrong = found;
    (wrong.lower, wrong.upper) = (wrong.lower + 0.1, wrong.upper + 0.1);
    let wrong = claim(&Answer::Distance(wrong), None, [&block, &ball]).ok_or("a distance is a claim")?;
    let Verdict::Refuted(why) = check(&query, &wrong, &evidence) else { return Err("it is wrong".into()) };
    println!("refuted: {why}");
    // ANCHOR_END: refuted
    Ok(())
}
