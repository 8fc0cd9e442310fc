//! A shape of your own: one support function makes it a shape like all others.
//!
//! `cargo run --release --example custom_shape`

use clearance::math::DVec3;
use clearance::{Convex, Pose, Shape, distance};

/// A lens: what two balls of the same radius have in common, their centres `2 * offset` apart on the y axis.
#[derive(Debug)]
struct Lens {
    radius: f64,
    offset: f64,
}

impl Lens {
    /// The radius of the sharp rim.
    fn rim(&self) -> f64 {
        (self.radius * self.radius - self.offset * self.offset).sqrt()
    }
}

// ANCHOR: shape
impl Convex for Lens {
    /// The point of the lens that is farthest along a direction of any length.
    fn support(&self, direction: DVec3) -> DVec3 {
        let up = direction.y.signum();
        let on_ball = self.radius * direction.normalize_or(DVec3::Y) - DVec3::Y * up * self.offset;
        if on_ball.y * up >= 0.0 {
            return on_ball;
        }
        // Beyond the rim of this face: the rim itself.
        let flat = DVec3::new(direction.x, 0.0, direction.z);
        self.rim() * flat.normalize_or(DVec3::X)
    }

    fn bounding_radius(&self) -> f64 {
        self.rim().max(self.radius - self.offset)
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }
}
// ANCHOR_END: shape

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: use
    let lens = Shape::custom(Lens { radius: 5.0, offset: 4.0 })?;
    let ball = Shape::sphere(1.0)?;
    // Over its middle the lens is 1 high, at its rim 3 wide.
    let above = distance(&lens, Pose::IDENTITY, &ball, Pose::from_translation([0.0, 4.0, 0.0]));
    let beside = distance(&lens, Pose::IDENTITY, &ball, Pose::from_translation([6.0, 0.0, 0.0]));
    println!("above {} in [{}, {}]", above.distance, above.lower, above.upper);
    println!("beside {} in [{}, {}]", beside.distance, beside.lower, beside.upper);
    // ANCHOR_END: use
    assert!((above.gap() - 2.0).abs() < 1e-12 && (beside.gap() - 2.0).abs() < 1e-12);
    Ok(())
}
