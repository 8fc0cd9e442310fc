//! Scenes beside those of `clearance-sim`: stacks and piles like those of the examples of box2d, box3d and rapier, set up anew.

use clearance::math::{DQuat, DVec3};
use clearance::{Pose, Shape};
use clearance_sim::{Body, Mass, Material, Scene};

const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];

fn with_floor() -> Scene {
    let mut scene = Scene::new(GRAVITY);
    let floor = Shape::half_space([0.0, 1.0, 0.0], 0.0).expect("a plane");
    scene.add(Body::fixed("floor", floor, Pose::IDENTITY));
    scene
}

fn cube() -> Shape {
    Shape::cuboid([0.5; 3]).expect("a box")
}

/// A tower of boxes, one on the other.
#[must_use]
pub fn stack(count: u32) -> Scene {
    let mut scene = with_floor();
    for i in 0..count {
        let at = Pose::from_translation([0.0, 0.5 + f64::from(i), 0.0]);
        scene.add(Body::new(format!("box {i}"), cube(), at, Mass::Density(1000.0)));
    }
    scene
}

/// A wall of boxes: each row has one less than the row below. 20 rows are 210 boxes.
#[must_use]
pub fn pyramid(rows: u32) -> Scene {
    let mut scene = with_floor();
    for row in 0..rows {
        for i in 0..rows - row {
            let x = 1.05 * (f64::from(i) - 0.5 * f64::from(rows - row - 1));
            let at = Pose::from_translation([x, 0.5 + f64::from(row), 0.0]);
            scene.add(Body::new(format!("box {row} {i}"), cube(), at, Mass::Density(1000.0)));
        }
    }
    scene
}

/// Numbers between 0 and 1, evenly spread: fractions of multiples of irrational numbers.
fn spread(k: u32) -> [f64; 3] {
    [0.819_172_513_396_164_4, 0.671_043_606_703_789_3, 0.549_700_477_901_969_4]
        .map(|step| (f64::from(k + 1) * step).fract())
}

/// A stone: the hull of 16 points on a ball.
fn stone(number: u32, radius: f64) -> Shape {
    let points: Vec<DVec3> = (0..16)
        .map(|k| {
            let [u, v, _] = spread(16 * number + k);
            let (y, angle) = (2.0 * u - 1.0, std::f64::consts::TAU * v);
            let ring = (1.0 - y * y).sqrt();
            radius * DVec3::new(ring * angle.cos(), y, ring * angle.sin())
        })
        .collect();
    Shape::hull(&points).expect("points on a ball")
}

fn add_stones(scene: &mut Scene, count: u32, side: u32, radius: f64, low: f64) {
    let spacing = 2.2 * radius;
    for number in 0..count {
        let (i, j, k) = (number % side, number / side % side, number / (side * side));
        let middle = 0.5 * f64::from(side - 1);
        let [a, b, c] = spread(number).map(|s| 0.1 * radius * (s - 0.5));
        let at = DVec3::new(f64::from(i) - middle, f64::from(k), f64::from(j) - middle) * spacing
            + DVec3::new(a, low + b, c);
        let turn = DQuat::from_scaled_axis(DVec3::from(spread(number + 7)) * 3.0);
        let stone =
            Body::new(format!("stone {number}"), stone(number, radius), Pose::new(at, turn), Mass::Density(1000.0));
        scene.add(stone.material(Material { friction: 0.6, ..Material::default() }));
    }
}

/// Stones that fall on a plane.
#[must_use]
pub fn pile(count: u32) -> Scene {
    let mut scene = with_floor();
    add_stones(&mut scene, count, 3, 0.4, 0.6);
    scene
}

/// Stones that fall into a bowl of sixteen slabs around a plane.
#[must_use]
pub fn bowl(count: u32) -> Scene {
    let mut scene = with_floor();
    let slab = Shape::cuboid([1.8, 0.25, 1.0]).expect("a slab");
    let slope = std::f64::consts::FRAC_PI_4;
    for k in 0..16_u32 {
        let lean = DQuat::from_rotation_z(slope);
        // Its upper face begins two metres from the middle.
        let middle = DVec3::new(2.0, 0.0, 0.0) + lean * DVec3::new(1.8, -0.25, 0.0);
        let turn = DQuat::from_rotation_y(std::f64::consts::TAU * f64::from(k) / 16.0);
        scene.add(Body::fixed(format!("slab {k}"), slab.clone(), Pose::new(turn * middle, turn * lean)));
    }
    add_stones(&mut scene, count, 7, 0.2, 0.4);
    scene
}
