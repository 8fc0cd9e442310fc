//! The four scenes of table 1 of the two-phase paper, integrated: coins, bowling, a rattleback top, a part feeder chute.
//!
//! The paper names them and refers to a thesis for the rest, so that numbers, sizes and speeds are our own. Coins, pins and parts are tossed as in
//! [`tossed`], the rattleback rolls as in [`rattleback`]. Pins are cylinders.

use super::rattleback::{self, Rattleback};
use super::tossed::{self, Body, Surface, Tossed};
use clearance::math::{Aabb, DQuat, DVec3};
use clearance::{Axis, HalfHeight, Pose, Radius, Shape};
use clearance_lab::{Rng, random};

/// Seconds between two frames.
pub const STEP: f64 = 1e-3;

/// The boxes of all bodies, frame by frame.
pub type Tracks = Vec<Vec<Aabb>>;

/// The choice of boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoxKind {
    /// The path of the center, grown by the radius of the body, as in figure 1 of the paper: their size does not change as a body turns.
    Grown,
    /// The boxes of the body at both ends of the interval.
    Tight,
}

/// A scene of table 1.
pub struct Scene {
    /// Its name in the paper.
    pub name: &'static str,
    /// The factor by which coherent hashing was cheaper there.
    pub paper: f64,
    motion: fn(usize) -> Recording,
}

/// The four scenes.
pub const SCENES: [Scene; 4] = [
    Scene { name: "coins", paper: 6.2, motion: coins },
    Scene { name: "bowling", paper: 7.0, motion: bowling },
    Scene { name: "rattleback top", paper: 6.0, motion: top },
    Scene { name: "part feeder chute", paper: 7.2, motion: chute },
];

impl Scene {
    /// Runs the scene for a number of frames.
    #[must_use]
    pub fn record(&self, frames: usize) -> Recording {
        (self.motion)(frames + 1)
    }
}

/// Bodies and their poses in each frame.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The shapes, and whether they are fixed.
    pub shapes: Vec<(Shape, bool)>,
    /// The poses of all, frame by frame.
    pub frames: Vec<Vec<Pose>>,
}

impl Recording {
    /// The mean angular velocity of a body in the step before a frame.
    #[must_use]
    pub fn spin(&self, body: usize, frame: usize) -> DVec3 {
        let [before, now] = [frame - 1, frame].map(|frame| self.frames[frame][body].rotation());
        (now * before.inverse()).to_scaled_axis() / STEP
    }

    /// The boxes of the volumes that are swept from each frame to the next.
    #[must_use]
    pub fn tracks(&self, kind: BoxKind) -> Tracks {
        // The height of the apex of a parabola above both ends.
        let apex = 9.81 * STEP * STEP / 8.0;
        let swept = |((shape, is_fixed), [a, b]): (&(Shape, bool), [&Pose; 2])| {
            if *is_fixed || kind == BoxKind::Tight {
                return shape.aabb(a).merged(&shape.aabb(b));
            }
            let (a, b, radius) = (a.translation(), b.translation(), shape.bounding_radius() + apex);
            Aabb { min: a.min(b) - radius, max: a.max(b) + radius }
        };
        let frame = |pair: &[Vec<Pose>]| {
            let poses = pair[0].iter().zip(&pair[1]).map(|(a, b)| [a, b]);
            self.shapes.iter().zip(poses).map(swept).collect()
        };
        self.frames.windows(2).map(frame).collect()
    }
}

fn slab(half: [f64; 3], pose: Pose) -> Body {
    Body::fixed(Shape::cuboid(half).expect("a box"), pose)
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z])
}

fn cylinder(radius: f64, half_height: f64) -> Shape {
    Shape::cylinder(Axis::Y, Radius(radius), HalfHeight(half_height)).expect("a cylinder")
}

/// Lets a scene run.
fn record(mut scene: Tossed, frames: usize) -> Recording {
    let shapes = scene.bodies.iter().map(|body| (body.shape.clone(), body.is_fixed())).collect();
    let poses = |scene: &Tossed| scene.bodies.iter().map(|body| body.pose).collect::<Vec<_>>();
    let mut found = vec![poses(&scene)];
    while found.len() < frames {
        (0..(STEP / tossed::STEP).round() as usize).for_each(|_| scene.step());
        found.push(poses(&scene));
    }
    Recording { shapes, frames: found }
}

/// Eight coins are tossed on a table.
fn coins(frames: usize) -> Recording {
    let mut rng = Rng::with_seed(23);
    let mut bodies = vec![slab([0.5, 0.01, 0.5], at(0.0, -0.01, 0.0))];
    for k in 0..8 {
        let place =
            DVec3::new(0.06 * f64::from(k % 3) - 0.06, 0.03 + 0.015 * f64::from(k), 0.06 * f64::from(k / 3) - 0.06);
        let pose = Pose::new(place + random::vector(&mut rng, -0.01, 0.01), random::rotation(&mut rng));
        let (velocity, spin) = (random::vector(&mut rng, -0.2, 0.2), random::vector(&mut rng, -20.0, 20.0));
        bodies.push(Body::solid(cylinder(0.012, 0.001), pose, 8000.0).thrown(velocity, spin));
    }
    record(Tossed::new(bodies, Surface { restitution: 0.4, friction: 0.3 }), frames)
}

/// A ball rolls down a lane into ten pins.
fn bowling(frames: usize) -> Recording {
    let mut bodies = vec![
        slab([3.0, 0.05, 0.53], at(0.0, -0.05, 0.0)),
        slab([3.0, 0.05, 0.12], at(0.0, -0.15, -0.65)),
        slab([3.0, 0.05, 0.12], at(0.0, -0.15, 0.65)),
        slab([0.05, 0.5, 0.8], at(3.05, 0.3, 0.0)),
    ];
    let ball = Body::solid(Shape::sphere(0.108).expect("a ball"), at(-1.6, 0.108, 0.02), 1300.0);
    bodies.push(ball.thrown(DVec3::X * 8.0, DVec3::NEG_Z * (8.0 / 0.108)));
    for row in 0..4 {
        for place in 0..=row {
            let foot = (0.264 * f64::from(row), 0.305 * (f64::from(place) - 0.5 * f64::from(row)));
            bodies.push(Body::solid(cylinder(0.045, 0.19), at(foot.0, 0.19, foot.1), 630.0));
        }
    }
    record(Tossed::new(bodies, Surface { restitution: 0.5, friction: 0.2 }), frames)
}

/// A rattleback on a table, spun in its unstable direction: after five seconds it turns back.
fn top(frames: usize) -> Recording {
    let mut top = Rattleback::spun(-5.0, 0.08);
    // Only half of the ellipsoid exists; its box and its radius are those of the whole.
    let shape = Shape::ellipsoid(rattleback::RADII).expect("an ellipsoid");
    let table = slab([0.5, 0.5, 0.01], at(0.0, 0.0, -0.01));
    let mut found = Vec::new();
    for _ in 0..frames {
        found.push(vec![table.pose, top.pose()]);
        (0..(STEP / rattleback::STEP).round() as usize).for_each(|_| top.step());
    }
    Recording { shapes: vec![(table.shape, true), (shape, false)], frames: found }
}

/// Thirty parts of three kinds slide down a chute between two rails, onto each other.
fn chute(frames: usize) -> Recording {
    let mut rng = Rng::with_seed(29);
    let tilt = DQuat::from_rotation_z(-0.5);
    let along = |x: f64, y: f64, z: f64| Pose::new(tilt * DVec3::new(x, y, z), tilt);
    let mut bodies = vec![
        slab([0.5, 0.01, 0.1], along(0.0, -0.01, 0.0)),
        slab([0.5, 0.03, 0.01], along(0.0, 0.01, -0.11)),
        slab([0.5, 0.03, 0.01], along(0.0, 0.01, 0.11)),
        slab([0.01, 0.05, 0.12], along(0.51, 0.03, 0.0)),
    ];
    for k in 0..30 {
        let shape = match k % 3 {
            0 => Shape::cuboid([0.012, 0.006, 0.008]),
            1 => Shape::capsule(Axis::X, Radius(0.005), HalfHeight(0.009)),
            _ => Shape::cylinder(Axis::Y, Radius(0.008), HalfHeight(0.004)),
        };
        let (row, column) = (k / 5, k % 5);
        let place = DVec3::new(-0.45 + 0.06 * f64::from(row), 0.02, 0.036 * (f64::from(column) - 2.0));
        let pose = Pose::new(tilt * (place + random::vector(&mut rng, -0.005, 0.005)), random::rotation(&mut rng));
        bodies.push(Body::solid(shape.expect("sizes are positive"), pose, 2700.0));
    }
    record(Tossed::new(bodies, Surface { restitution: 0.2, friction: 0.25 }), frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coins come to lie on the table, the ball fells pins, the parts slide down and pile up: no body falls through or explodes.
    #[test]
    fn scenes_are_what_they_are_called() {
        let height = |recording: &Recording, body: usize, frame: usize| recording.frames[frame][body].translation().y;
        let coins = SCENES[0].record(1500);
        for coin in 1..9 {
            let last = height(&coins, coin, 1500);
            assert!((0.0005..0.02).contains(&last), "coin {coin} is at {last}");
        }
        let bowling = SCENES[1].record(1200);
        let upright = |frame: usize| {
            let is_up = |pin: &usize| bowling.frames[frame][*pin].rotation().mul_vec3(DVec3::Y).y > 0.9;
            (5..15).filter(is_up).count()
        };
        assert_eq!(upright(150), 10, "they stand until the ball comes");
        assert!(upright(1200) <= 5, "{} stand after it", upright(1200));
        assert!((0..15).all(|body| bowling.frames[1200][body].translation().length() < 20.0));
        let top = SCENES[2].record(6000);
        let [first, last] = [1, 6000].map(|frame| top.spin(1, frame).z);
        assert!(first < -4.5 && last > 1.0, "it turns back: {first} {last}");
        let chute = SCENES[3].record(1200);
        let down = DQuat::from_rotation_z(-0.5) * DVec3::X;
        for part in 4..34 {
            let [from, to] = [0, 1200].map(|frame| chute.frames[frame][part].translation().dot(down));
            assert!(to > from + 0.05 && to < 0.51, "part {part} went from {from} to {to}");
        }
    }

    #[test]
    fn boxes_grown_around_the_center_hold_the_tight_ones() {
        for scene in &SCENES {
            let recording = scene.record(100);
            let [grown, tight] = [BoxKind::Grown, BoxKind::Tight].map(|kind| recording.tracks(kind));
            for (grown, tight) in grown.iter().flatten().zip(tight.iter().flatten()) {
                let [low, high] = [grown.min.cmple(tight.min + 1e-12), tight.max.cmple(grown.max + 1e-12)];
                assert!(low.all() && high.all(), "{}: {grown:?} {tight:?}", scene.name);
            }
        }
    }
}
