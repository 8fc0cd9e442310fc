//! Built-in scenes, named after the papers.
//!
//! Paper \[Two-Phase\] (Mirtich 1997) measures with coins, bowling, a rattleback and a part feeder, and argues with a bullet and a wall; billiards and a cradle
//! test simultaneous impacts. Lengths are in metres, masses in kilograms.

mod papers;
mod solids;

pub use papers::{card_house, digits, letters, part_feeder, rattleback};

use crate::{Body, Mass, Material, Scene};
use clearance::math::DVec3;
use clearance::{Axis, BuildError, HalfHeight, Pose, Radius, Shape};

/// Gravity along -y. Layout: metres per square second, the mean on earth to three digits.
const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];

/// The names of all built-in scenes, and what they show.
pub const NAMES: [(&str, &str); 11] = [
    ("cradle", "five balls pass on the impulse of the first"),
    ("billiards", "a cue ball breaks a triangle of fifteen"),
    ("bullet", "a bullet of 900 m/s and a wall of two micrometres"),
    ("coins", "twelve coins fall on a floor"),
    ("bowling", "a ball knocks over ten pins"),
    ("box-of-balls", "64 elastic balls in a box without gravity"),
    ("rattleback", "a stone that reverses its spin"),
    ("part-feeder", "nine parts slide down a chute"),
    ("letters", "200 letters and digits fall through a funnel and down ramps"),
    ("digits", "ten digits interlock in a bowl"),
    ("card-house", "a house of seven cards"),
];

/// The built-in scene of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<Scene> {
    Some(match name {
        "cradle" => cradle(),
        "billiards" => billiards(),
        "bullet" => bullet(),
        "coins" => coins(),
        "bowling" => bowling(),
        "box-of-balls" => box_of_balls(64),
        "rattleback" => rattleback(),
        "part-feeder" => part_feeder(),
        "letters" => letters(200),
        "digits" => digits(),
        "card-house" => card_house(),
        _ => return None,
    })
}

/// A scene whose numbers are known to be good.
fn built(build: impl FnOnce() -> Result<Scene, BuildError>) -> Scene {
    build().unwrap_or_else(|error| unreachable!("a built-in scene is refused: {error}"))
}

const ELASTIC: Material = Material { friction: 0.0, restitution: 1.0, rolling_resistance: 0.0 };

/// Newton's cradle without strings: four balls at rest in a row, a hundredth of a millimetre apart, and one that flies at them between two walls.
#[must_use]
pub fn cradle() -> Scene {
    built(|| {
        let mut scene = Scene::new(DVec3::ZERO);
        let radius = 0.01;
        // Limit: gaps that nobody sees.
        let gap = 1e-6;
        let ball = Shape::sphere(radius)?;
        for i in 0..5 {
            let place = [f64::from(i) * (2.0 * radius + gap) - if i == 0 { 0.1 } else { 0.0 }, 0.0, 0.0];
            let body =
                Body::new(format!("ball {}", i + 1), ball.clone(), Pose::from_translation(place), Mass::Total(0.1));
            let speed = if i == 0 { 0.5 } else { 0.0 };
            scene.add(body.material(ELASTIC).moving([speed, 0.0, 0.0], [0.0; 3]));
        }
        for (name, x) in [("left wall", -0.2), ("right wall", 0.3)] {
            let wall = Body::fixed(name, Shape::cuboid([0.01, 0.05, 0.05])?, Pose::from_translation([x, 0.0, 0.0]));
            scene.add(wall.material(ELASTIC));
        }
        Ok(scene)
    })
}

/// Balls on a table, and a cue ball that breaks their triangle.
#[must_use]
pub fn billiards() -> Scene {
    built(|| {
        let mut scene = Scene::new(GRAVITY);
        let radius = 0.028_575;
        // Felt lets a ball roll for some ten metres.
        let cloth = Material { friction: 0.2, restitution: 0.0, rolling_resistance: 1e-4 };
        let phenolic = Material { friction: 0.06, restitution: 0.95, rolling_resistance: 0.0 };
        scene.add(Body::fixed("table", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY).material(cloth));
        for (name, half_extents, place) in [
            ("left cushion", [0.02, 0.05, 0.7], [-1.29, 0.05, 0.0]),
            ("right cushion", [0.02, 0.05, 0.7], [1.29, 0.05, 0.0]),
            ("near cushion", [1.27, 0.05, 0.02], [0.0, 0.05, 0.655]),
            ("far cushion", [1.27, 0.05, 0.02], [0.0, 0.05, -0.655]),
        ] {
            let cushion = Body::fixed(name, Shape::cuboid(half_extents)?, Pose::from_translation(place));
            scene.add(cushion.material(Material { friction: 0.2, restitution: 0.75, rolling_resistance: 0.0 }));
        }
        let ball = Shape::sphere(radius)?;
        // On the cloth but for the middle of the collision envelope.
        let height = radius * (1.0 + 5e-5);
        let mut add = |name: String, x: f64, z: f64, velocity: [f64; 3]| {
            let spin = [0.0, 0.0, -velocity[0] / radius];
            let body = Body::new(name, ball.clone(), Pose::from_translation([x, height, z]), Mass::Total(0.17));
            // The material of the table decides on the table: the friction is a geometric mean, the restitution the larger one.
            scene.add(body.material(Material { restitution: 0.0, ..phenolic }).moving(velocity, spin));
        };
        add("cue ball".into(), -0.635, 0.0, [6.0, 0.0, 0.0]);
        let spacing = 2.0 * radius * (1.0 + 5e-4);
        for row in 0..5 {
            for place in 0..=row {
                let (x, z) = (
                    0.635 + f64::from(row) * spacing * 0.75_f64.sqrt(),
                    (f64::from(place) - 0.5 * f64::from(row)) * spacing,
                );
                add(format!("ball {}", row * (row + 1) / 2 + place + 1), x, z, [0.0; 3]);
            }
        }
        Ok(scene)
    })
}

/// A bullet, and a wall that is so thin that steps of a thousandth of a second miss it.
#[must_use]
pub fn bullet() -> Scene {
    built(|| {
        let mut scene = Scene::new(DVec3::ZERO);
        let bullet =
            Body::new("bullet", Shape::sphere(0.005)?, Pose::from_translation([-100.0, 0.0, 0.0]), Mass::Total(0.01));
        scene.add(bullet.material(ELASTIC).moving([900.0, 0.0, 0.0], [0.0; 3]));
        // Two micrometres.
        scene.add(Body::fixed("wall", Shape::cuboid([1e-6, 1.0, 1.0])?, Pose::IDENTITY));
        Ok(scene)
    })
}

/// Coins that fall on a floor, turn and come to rest.
#[must_use]
pub fn coins() -> Scene {
    built(|| {
        let mut scene = Scene::new(GRAVITY);
        let brass = Material { friction: 0.3, restitution: 0.4, rolling_resistance: 0.0 };
        scene.add(Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY).material(brass));
        let coin = Shape::cylinder(Axis::Y, Radius(0.012), HalfHeight(0.001))?;
        for i in 0..12_u32 {
            let (x, z) = (f64::from(i % 4) * 0.04 - 0.06, f64::from(i / 4) * 0.04 - 0.04);
            let turned = Pose::from_axis_angle([1.0, 0.3, 0.7], 0.4 + 0.5 * f64::from(i)).unwrap_or_default();
            let pose = Pose::from_translation([x, 0.05 + 0.01 * f64::from(i % 5), z]) * turned;
            let body = Body::new(format!("coin {}", i + 1), coin.clone(), pose, Mass::Density(8500.0));
            scene.add(body.material(brass).moving([0.05 * f64::from(i % 3), 0.0, 0.0], [3.0, f64::from(i), -2.0]));
        }
        Ok(scene)
    })
}

/// A ball that rolls towards ten pins. The pins are capsules with flat feet: hulls of three rings.
#[must_use]
pub fn bowling() -> Scene {
    built(|| {
        let mut scene = Scene::new(GRAVITY);
        let wood = Material { friction: 0.3, restitution: 0.4, rolling_resistance: 0.0 };
        let lane = Body::fixed("lane", Shape::cuboid([8.0, 0.1, 1.0])?, Pose::from_translation([0.0, -0.1, 0.0]));
        scene.add(lane.material(Material { restitution: 0.0, ..wood }));
        let radius = 0.109;
        let ball = Body::new(
            "ball",
            Shape::sphere(radius)?,
            Pose::from_translation([-2.0, radius * 1.0001, 0.02]),
            Mass::Total(6.8),
        );
        scene.add(ball.material(wood).moving([7.0, 0.0, 0.0], [0.0, 0.0, -7.0 / radius]));
        let ring = |height: f64, radius: f64| {
            (0..12).map(move |k| {
                let angle = f64::from(k) * std::f64::consts::TAU / 12.0;
                [radius * angle.cos(), height, radius * angle.sin()]
            })
        };
        let profile = [(0.0, 0.026), (0.115, 0.06), (0.3, 0.03), (0.38, 0.012)];
        let points: Vec<[f64; 3]> = profile.into_iter().flat_map(|(height, radius)| ring(height, radius)).collect();
        let pin = Shape::hull(&points)?;
        for row in 0..4 {
            for place in 0..=row {
                let (x, z) = (f64::from(row) * 0.264, (f64::from(place) - 0.5 * f64::from(row)) * 0.305);
                let name = format!("pin {}", row * (row + 1) / 2 + place + 1);
                // Limit: a gap that nobody sees, so that the pin does not touch the lane.
                let pose = Pose::from_translation([x, 1e-6, z]);
                scene.add(Body::new(name, pin.clone(), pose, Mass::Total(1.5)).material(wood));
            }
        }
        Ok(scene)
    })
}

/// Elastic balls in a box, on a grid, each with a velocity of its own. The box grows with their number, so that each ball has the same number of impacts per second.
#[must_use]
pub fn box_of_balls(count: usize) -> Scene {
    built(|| {
        let mut scene = Scene::new(DVec3::ZERO);
        let side = (1_usize..).find(|side| side * side * side >= count).unwrap_or(1);
        let half = 0.5 * side as f64;
        for (axis, direction) in DVec3::AXES.into_iter().enumerate() {
            for sign in [-1.0, 1.0] {
                let name = format!("wall {}{}", ["x", "y", "z"][axis], if sign < 0.0 { "-" } else { "+" });
                let wall = Body::fixed(name, Shape::half_space(direction * sign, -half)?, Pose::IDENTITY);
                scene.add(wall.material(ELASTIC));
            }
        }
        let ball = Shape::sphere(0.2)?;
        for number in 0..count {
            let cell = [number % side, number / side % side, number / (side * side)];
            let place = DVec3::from(cell.map(|c| c as f64 + 0.5 - half));
            // A fraction of multiples of an irrational number is spread evenly.
            let spread = |k: f64| (number as f64 * k).fract() - 0.5;
            let velocity =
                [spread(0.618_033_988_749_895), spread(0.754_877_666_246_693), spread(0.569_840_290_998_053)];
            let body =
                Body::new(format!("ball {number}"), ball.clone(), Pose::from_translation(place), Mass::Total(1.0));
            scene.add(body.material(ELASTIC).moving(velocity, [0.0; 3]));
        }
        Ok(scene)
    })
}
