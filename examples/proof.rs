//! An answer with its evidence, before a checker that shares no code with what found it.
//!
//! `cargo run --release --example proof`

use clearance::{Pose, Shape, distance};
use clearance_io::Answer;
use clearance_io::proof::{Answered, Written, attach, claim, written_pose};
use clearance_verify::{self as verify, Query, Verdict, check};
use std::sync::Arc;

/// What it shows, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: evidence
    let (block, ball) = (Shape::cuboid([1.0, 2.0, 3.0])?, Shape::sphere(0.5)?);
    let (pose_a, pose_b) = (Pose::IDENTITY, Pose::from_translation([4.0, 0.5, 0.0]));
    let answer = Answer::Distance(distance(&block, pose_a, &ball, pose_b));

    // The checker gets the numbers that were written, not what the library made of them.
    let written = Written {
        a: Arc::new(verify::Shape::Cuboid { half_extents: [1.0, 2.0, 3.0] }),
        pose_a: written_pose(&pose_a),
        b: Arc::new(verify::Shape::Sphere { radius: 0.5 }),
        pose_b: written_pose(&pose_b),
    };
    let answered = Answered { a: &block, pose_a, b: &ball, pose_b, margin: None, written: &written };
    let evidence = attach(&answered, &answer).ok_or("every distance has evidence")?;
    // ANCHOR_END: evidence

    // ANCHOR: check
    let (a, b) = (verify::Shape::clone(&written.a), verify::Shape::clone(&written.b));
    let query = Query { a, pose_a: written.pose_a, b, pose_b: written.pose_b };
    let claimed = claim(&answer, None, [&block, &ball]).ok_or("a distance is a claim")?;
    assert_eq!(check(&query, &claimed, &evidence.proof), Verdict::Proved);
    // ANCHOR_END: check

    // ANCHOR: refuted
    // A wrong answer does not get through, whatever evidence is beside it.
    let Answer::Distance(mut wrong) = answer.clone() else { return Err("it is a distance".into()) };
    (wrong.lower, wrong.upper) = (wrong.lower + 0.1, wrong.upper + 0.1);
    let wrong = claim(&Answer::Distance(wrong), None, [&block, &ball]).ok_or("a distance is a claim")?;
    let Verdict::Refuted(why) = check(&query, &wrong, &evidence.proof) else { return Err("it is wrong".into()) };
    println!("refuted: {why}");
    // ANCHOR_END: refuted

    // As a line that `clearance verify` reads.
    println!("{}", answer.to_line_with(None, Some([&block, &ball]), Some(&evidence)));
    Ok(())
}
