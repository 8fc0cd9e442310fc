//! Rays and moving shapes through a world: what a sensor sees, and how far a tool gets.
//!
//! `cargo run --release --example rays`

use clearance::math::DVec3;
use clearance::{Pose, QueryFilter, Ray, Shape, Sweep, World, cast_ray};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A room with posts.
    let mut world = World::default();
    let post = Shape::cuboid([0.1, 1.0, 0.1])?;
    for number in 0..400 {
        let place = DVec3::new(f64::from(number % 20) - 9.5, 0.0, f64::from(number / 20) - 9.5);
        world.insert(post.clone(), Pose::from_translation(place));
    }
    let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], -1.0)?, Pose::IDENTITY);

    // ANCHOR: world
    // A scanner in the middle: the first thing along each ray, with a proved bracket.
    let (mut posts, mut open, mut nearest) = (0, 0, f64::INFINITY);
    for number in 0..720 {
        let (sine, cosine) = f64::from(number).to_radians().sin_cos();
        match world.cast_ray(&Ray::new([0.0, 0.0, 0.0], [cosine, -0.02, sine], 100.0)?, QueryFilter::ALL) {
            Some((id, hit)) => {
                assert!(hit.lower <= hit.distance && hit.distance <= hit.upper);
                nearest = hit.distance.min(nearest);
                posts += usize::from(id != floor);
            }
            None => open += 1,
        }
    }
    println!("{posts} of 720 rays meet a post, the nearest at {nearest:.4}; {open} go on for ever");
    // ANCHOR_END: world
    assert!(posts > 600 && open == 0 && nearest > 0.5);

    // Everything along one ray, in order.
    let all = world.cast_ray_all(&Ray::new([-20.0, 0.0, 0.5], [1.0, 0.0, 0.0], 100.0)?, QueryFilter::ALL);
    assert!(all.len() == 20 && all.is_sorted_by(|(_, one), (_, other)| one.distance <= other.distance));
    let inside = Ray::new([0.0; 3], [1.0, 0.0, 0.0], 1.0)?;
    assert!(cast_ray(&post, Pose::IDENTITY, &inside).is_some_and(|hit| hit.is_inside));

    // ANCHOR: tool
    // A tool is no ray: between two rows there is a way for one that is thin, and none for one that is not.
    let way = |radius: f64| -> Result<_, clearance::BuildError> {
        let path = Sweep::new(Pose::from_translation([-20.0, 0.0, 0.0]), [1.0, 0.0, 0.0], 40.0)?;
        Ok(world.cast_shape(&Shape::sphere(radius)?, &path, QueryFilter::ALL))
    };
    assert!(way(0.39)?.is_none());
    let (_, hit) = way(0.41)?.ok_or("it is too thick to pass")?;
    println!("a tool of radius 0.41 gets {} far, and stops at {}", hit.distance, hit.point_b);
    assert!(hit.lower <= hit.upper && hit.is_proved() && (10.0..10.5).contains(&hit.distance));
    // ANCHOR_END: tool
    Ok(())
}
