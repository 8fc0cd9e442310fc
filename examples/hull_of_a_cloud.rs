//! The exact hull of a cloud of points: its faces, its volume, its inertia.
//!
//! `cargo run --release --example hull_of_a_cloud`

use clearance::Shape;
use clearance::math::DVec3;

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: hull
    // A grid of 11 x 11 x 11 points: 1331 points, 8 corners.
    let steps = || (-5..=5).map(f64::from);
    let grid = steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| DVec3::new(2.0 * x, y, z))));
    let points: Vec<DVec3> = grid.collect();
    let shape = Shape::hull(&points)?;
    let hull = shape.as_polytope().ok_or("a hull is a polytope")?;
    println!("{} vertices, {} edges, {} faces", hull.vertex_count(), hull.edge_count(), hull.face_count());
    // ANCHOR_END: hull
    assert_eq!((hull.vertex_count(), hull.edge_count(), hull.face_count()), (8, 12, 6));

    // Coplanar points are one face, however many there are.
    for (number, face) in hull.faces().enumerate() {
        let corners: Vec<DVec3> = face.vertices.iter().map(|&v| hull.vertex(v)).collect();
        println!("face {number}: normal {}, {} corners", face.normal, corners.len());
        assert_eq!(corners.len(), 4);
    }
    // Where a vertex of the hull was in the cloud.
    assert_eq!(points[hull.source(0) as usize], hull.vertex(0));

    let mass = shape.mass_properties().ok_or("a polytope has a volume")?;
    println!("volume {}, centroid {}, inertia {}", mass.volume, mass.centroid, mass.inertia);
    assert!((mass.volume - 20.0 * 10.0 * 10.0).abs() < 1e-9);
    assert!(mass.centroid.length() < 1e-12);
    // A box of 20 x 10 x 10: m (h² + d²) / 12 about the long axis.
    assert!((mass.inertia.x_axis.x - mass.volume * 200.0 / 12.0).abs() < 1e-8);
    Ok(())
}
