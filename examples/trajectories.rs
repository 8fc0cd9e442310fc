//! Ways of one's own: key frames of a gripper, a shaker that is a formula, and the box that a motion sweeps.
//!
//! `cargo run --release --example trajectories`

use clearance::math::DQuat;
use clearance::motion::{Impact, Motion, Trajectory, closest_approach, time_of_impact};
use clearance::{Axis, HalfHeight, Interval, Pose, Radius, Shape};

// ANCHOR: own
/// A shaker: x = 0.3 sin(2πt).
#[derive(Debug)]
struct Shaker;

impl Trajectory for Shaker {
    fn pose(&self, time: f64) -> Pose {
        Pose::from_translation([0.3 * (std::f64::consts::TAU * time).sin(), 0.0, 0.0])
    }

    /// How far any of its points gets, at most: it is never faster than 0.3 · 2π, and never farther than 0.6.
    fn displacement(&self, from: f64, to: f64, _radius: f64) -> f64 {
        (1.885 * (to - from)).min(0.6)
    }
}
// ANCHOR_END: own

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: frames
    // A gripper comes down beside a post while it turns by a quarter, waits, and goes up again.
    let gripper = Shape::capsule(Axis::X, Radius(0.05), HalfHeight(0.2))?;
    let post = Shape::cuboid([0.05, 1.0, 0.05])?;
    let [high, low] = [1.5, 0.5].map(|y| Pose::new([0.5, y, 0.0], DQuat::IDENTITY));
    let turned = Pose::new(low.translation(), DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2));
    let way = Motion::key_frames(&[(0.0, high), (1.0, turned), (2.0, turned), (3.0, high)])?;
    let here = Motion::fixed(Pose::IDENTITY);
    let Impact::Clear(approach) = closest_approach(&gripper, &way, &post, &here, Interval::new(0.0, 3.0)?) else {
        return Err("the gripper meets the post".into());
    };
    println!(
        "it never comes closer than {}, and as close as {} at {} s",
        approach.lower, approach.upper, approach.time
    );
    assert!(approach.lower > 0.15 && approach.upper - approach.lower < 1e-6);
    // ANCHOR_END: frames

    // ANCHOR: shaker
    // The shaker hits a stop that is 0.25 away, at a time that its formula knows too.
    let (block, stop) = (Shape::cuboid([0.1, 0.1, 0.1])?, Shape::half_space([-1.0, 0.0, 0.0], -0.35)?);
    let Impact::Hit(hit) = time_of_impact(&block, &Motion::custom(Shaker), &stop, &here, Interval::UNIT) else {
        return Err("the shaker does not reach the stop".into());
    };
    let truth = (0.25_f64 / 0.3).asin() / std::f64::consts::TAU;
    println!("the shaker hits between {} and {} s", hit.lower, hit.upper);
    assert!(hit.lower <= truth && truth <= hit.upper);
    // ANCHOR_END: shaker
    Ok(())
}
