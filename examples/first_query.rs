//! Two shapes, two poses, one question: how far apart, where, and what is proved.
//!
//! `cargo run --release --example first_query`

use clearance::{Collision, Pair, Pose, Shape, Status, distance, intersects, within};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: distance
    let table = Shape::cuboid([2.0, 0.1, 1.0])?; // half extents
    let ball = Shape::sphere(0.5)?;
    let above = Pose::from_translation([0.3, 1.0, 0.0]);

    let c = distance(&table, Pose::IDENTITY, &ball, above);
    println!("gap {} in [{}, {}], from {} to {}", c.distance, c.lower, c.upper, c.point_a, c.point_b);
    assert!(c.lower <= 0.4 && 0.4 <= c.upper); // the truth is in the bracket: proved
    assert!(c.status == Status::Converged && c.upper - c.lower < 1e-13);
    // ANCHOR_END: distance

    // ANCHOR: overlap
    // Lower by 0.45 it is 0.05 deep in the table: the signed distance is negative.
    let low = Pose::from_translation([0.3, 0.55, 0.0]);
    let c = distance(&table, Pose::IDENTITY, &ball, low);
    assert!(c.is_overlapping() && (c.distance + 0.05).abs() < 1e-14);
    // ANCHOR_END: overlap

    // ANCHOR: tests
    // Cheaper questions, if that is all you want to know.
    assert!(!intersects(&table, Pose::IDENTITY, &ball, above)); // a "no" is proved
    assert!(within(&table, Pose::IDENTITY, &ball, above, 0.5).is_some()); // closer than 0.5: here is the clearance
    assert!(within(&table, Pose::IDENTITY, &ball, above, 0.3).is_none());
    // ANCHOR_END: tests

    // ANCHOR: pair
    // The same two shapes, frame after frame: a pair remembers where it was.
    let mut pair = Pair::new(&table, &ball);
    for frame in 0..100 {
        let falling = Pose::from_translation([0.3, 1.0 - 0.01 * f64::from(frame), 0.0]);
        if let Collision::Colliding { last_apart: Some(before), .. } = pair.collide(Pose::IDENTITY, falling) {
            println!("frame {frame} collides; in the one before the gap was {}", before.distance);
            assert!(frame == 40 && before.distance < 0.0101);
            break;
        }
    }
    // ANCHOR_END: pair
    Ok(())
}
