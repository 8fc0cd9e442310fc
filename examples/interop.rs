//! Poses and answers as JSON (the feature `serde`), and vectors of other libraries (the feature `mint`).
//!
//! `cargo run --release --example interop`

use clearance::{Clearance, Pose, Shape, distance};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (ball, block) = (Shape::sphere(0.5)?, Shape::cuboid([1.0, 1.0, 1.0])?);

    // ANCHOR: serde
    // A pose is checked when it is read, and an answer comes back to the last bit.
    let pose: Pose = serde_json::from_str(r#"{"translation": [3, 0, 0], "rotation": [0, 0, 0, 1]}"#)?;
    let found = distance(&block, Pose::IDENTITY, &ball, pose);
    let text = serde_json::to_string(&found)?;
    println!("{text}");
    let back: Clearance = serde_json::from_str(&text)?;
    assert_eq!((back.lower.to_bits(), back.upper.to_bits()), (found.lower.to_bits(), found.upper.to_bits()));
    assert!(serde_json::from_str::<Pose>(r#"{"translation": [1e99, 0, 0], "rotation": [0, 0, 0, 1]}"#).is_err());
    // ANCHOR_END: serde

    // ANCHOR: mint
    // Whatever speaks mint (nalgebra, cgmath, euclid, three-d …) goes in without a copy by hand.
    let place = mint::Point3 { x: 3.0, y: 0.0, z: 0.0 };
    assert_eq!(Pose::from_translation(place), pose);
    let matrix = mint::ColumnMatrix4::from(pose);
    assert_eq!([matrix.w.x, matrix.w.y, matrix.w.z], [3.0, 0.0, 0.0]);
    assert_eq!(Pose::try_from(matrix)?, pose);
    // A matrix that is not a rotation and a translation is refused: scale shapes, not poses.
    let scaled = mint::ColumnMatrix4 { x: mint::Vector4 { x: 2.0, y: 0.0, z: 0.0, w: 0.0 }, ..matrix };
    println!("{}", Pose::try_from(scaled).unwrap_err());
    // ANCHOR_END: mint
    Ok(())
}
