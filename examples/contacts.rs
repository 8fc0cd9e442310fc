//! Contact manifolds: a crate that slides over a floor of triangles, and a stack of crates in a world.
//!
//! `cargo run --release --example contacts`

use clearance::math::DVec3;
use clearance::world::{Config, World};
use clearance::{Pair, Pose, Shape, contains, project_point};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A floor of 200 triangles, ten squares a side.
    let corners: Vec<DVec3> = (0..121).map(|i| DVec3::new(f64::from(i / 11), 0.0, f64::from(i % 11))).collect();
    let cells = (0..10_u32).flat_map(|x| (0..10).map(move |z| 11 * x + z));
    let triangles: Vec<[u32; 3]> = cells.flat_map(|c| [[c, c + 1, c + 12], [c, c + 12, c + 11]]).collect();
    let (floor, crate_) = (Shape::mesh(&corners, &triangles)?, Shape::cuboid([0.5, 0.5, 0.5])?);

    // ANCHOR: pair
    let mut pair = Pair::new(&floor, &crate_);
    for frame in 0..100 {
        let pose = Pose::from_translation([2.0 + 0.05 * f64::from(frame), 0.499, 5.2]);
        let manifold = pair.manifold(Pose::IDENTITY, pose, 0.01).ok_or("the crate left the floor")?;
        assert!((manifold.normal - DVec3::Y).length() < 1e-12); // up, over every inner edge
        for point in manifold.points() {
            assert!(point.lower <= -0.001 && -0.001 <= point.upper); // how deep each corner is: proved
            assert!(point.persisted == (frame > 0)); // an impulse kept under point.id is still good
        }
        assert_eq!(manifold.points().len(), 4);
    }
    // ANCHOR_END: pair

    // ANCHOR: world
    let mut world = World::new(Config { margin: 0.02, ..Config::default() });
    world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY);
    for level in 0..10 {
        world.insert(crate_.clone(), Pose::from_translation([0.0, 0.51 + 1.01 * f64::from(level), 0.0]));
    }
    let mut points = 0;
    for contact in world.manifolds() {
        let [a, b] = [contact.a, contact.b];
        assert!(a < b);
        points += contact.manifolds.iter().map(|manifold| manifold.points().len()).sum::<usize>();
    }
    assert_eq!(points, 40); // 0.01 apart, and within the margin: speculative contacts
    // ANCHOR_END: world

    // ANCHOR: points
    let place = Pose::from_translation([0.0, 0.5, 0.0]);
    let found = project_point(&crate_, place, [0.3, 0.9, 0.1]).ok_or("a finite point")?;
    assert!(contains(&crate_, place, [0.3, 0.9, 0.1]) && (found.distance + 0.1).abs() < 1e-14);
    assert!((found.point - DVec3::new(0.3, 1.0, 0.1)).length() < 1e-14); // on the lid
    // ANCHOR_END: points
    println!("40 points hold a stack of ten crates");
    Ok(())
}
