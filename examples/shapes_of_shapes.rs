//! Shapes made of shapes: scaled and sheared, with round corners, of several parts. And what they weigh.
//!
//! `cargo run --release --example shapes_of_shapes`

use clearance::math::{DMat3, DVec3};
use clearance::shape::MassProperties;
use clearance::{Axis, HalfHeight, Pose, Radius, Shape, distance};
use std::f64::consts::PI;

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: derived
    let block = Shape::cuboid([1.0, 1.0, 1.0])?;
    let leaning = Shape::affine(&block, DMat3::from_cols(DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z))?; // a shear
    let soft = Shape::rounded(&block, 0.25)?; // everything within 0.25 of the block
    let point = Shape::point();
    let beside = Pose::from_translation([3.0, 0.0, 0.0]);
    assert!((distance(&soft, Pose::IDENTITY, &point, beside).gap() - 1.75).abs() < 1e-14);
    // The leaning side goes through (1, 0) and has the slope 2: it is 4 / sqrt(5) away.
    assert!((distance(&leaning, Pose::IDENTITY, &point, beside).gap() - 4.0 / 5.0_f64.sqrt()).abs() < 1e-14);

    let dumbbell = Shape::compound([
        (Shape::sphere(1.0)?, Pose::from_translation([-3.0, 0.0, 0.0])),
        (Shape::sphere(1.0)?, Pose::from_translation([3.0, 0.0, 0.0])),
        (Shape::capsule(Axis::X, Radius(0.25), HalfHeight(2.5))?, Pose::IDENTITY),
    ])?;
    let c = distance(&dumbbell, Pose::IDENTITY, &point, Pose::from_translation([0.0, 1.0, 0.0]));
    println!("the rod is {} below, of part {}", c.distance, c.parts[0]);
    assert!((c.gap() - 0.75).abs() < 1e-14 && c.parts[0] == 2);
    // ANCHOR_END: derived

    // ANCHOR: mass
    let steel = 7850.0; // kilograms in a cubic metre
    let bolt = Shape::cylinder(Axis::Y, Radius(0.01), HalfHeight(0.05))?.mass_properties().ok_or("it is solid")?;
    println!("the bolt weighs {:.3} kg", steel * bolt.volume);
    assert!((bolt.volume - PI * 0.0001 * 0.1).abs() < 1e-18);
    // About its axis: m r² / 2.
    assert!((bolt.inertia.y_axis.y - 0.5 * bolt.volume * 0.0001).abs() < 1e-20);

    // Two of them, side by side: moved there, and added up.
    let pair = MassProperties::sum([-0.02, 0.02].map(|x| bolt.at(&Pose::from_translation([x, 0.0, 0.0]))));
    assert!((pair.volume - 2.0 * bolt.volume).abs() < 1e-18 && pair.centroid.length() < 1e-15);
    assert!(pair.inertia.y_axis.y > 2.0 * bolt.inertia.y_axis.y);
    // ANCHOR_END: mass
    Ok(())
}
