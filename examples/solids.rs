//! Two solids as triangle meshes: what is wrong with them, how far apart they are, and what is inside.
//!
//! `cargo run --release --example solids`

use clearance::math::DVec3;
use clearance::shape::Mesh;
use clearance::{Pair, Pose, Shape, distance, intersects};
use std::sync::Arc;

/// A box without its inside: eight corners, six faces of two triangles.
fn room(half: f64) -> Result<Mesh, clearance::BuildError> {
    let corners: Vec<DVec3> =
        (0..8).map(|i| half * DVec3::from_array([0, 1, 2].map(|k| f64::from(i >> k & 1) * 2.0 - 1.0))).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(&corners, &triangles)
}

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: mesh
    let mesh = room(2.0)?;
    println!("{} triangles, volume {}, {:?}", mesh.triangles().len(), mesh.volume(), mesh.report());
    assert!(mesh.is_solid() && mesh.report().is_clean());
    let (large, small) = (Shape::Mesh(Arc::new(mesh)), Shape::Mesh(Arc::new(room(0.5)?)));
    // ANCHOR_END: mesh

    // Apart: closed to rounding, with the numbers of the closest triangles.
    let beside = Pose::from_translation([4.0, 0.3, 0.0]);
    let gap = distance(&large, Pose::IDENTITY, &small, beside);
    println!("gap {} in [{}, {}], {:?}", gap.distance, gap.lower, gap.upper, gap.features(&large, &small));
    assert!((gap.distance - 1.5).abs() < 1e-14);

    // ANCHOR: inside
    // Inside: a solid is full, though no triangles meet.
    let inside = distance(&large, Pose::IDENTITY, &small, Pose::from_translation([0.2, 0.0, 0.0]));
    println!("depth between {} and {}", -inside.upper, -inside.lower);
    assert!(inside.is_overlapping() && inside.lower <= -2.3 && inside.upper < 0.0);
    // ANCHOR_END: inside

    // Along a motion a pair keeps what it has learned.
    let mut pair = Pair::new(&large, &small);
    let at = |step: i32| Pose::from_translation([6.0 - 0.05 * f64::from(step), 0.0, 0.0]);
    let first = (0..200).find(|&step| pair.intersects(Pose::IDENTITY, at(step)));
    assert_eq!(first, Some(70)); // at 2.5, where they touch
    assert!(!intersects(&large, Pose::IDENTITY, &small, at(69)));
    Ok(())
}
