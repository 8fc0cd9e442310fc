//! Scenes that the papers show: a rattleback, a part feeder \[Two-Phase\], letters and digits \[Penetration Depth\]; and a house of cards.

use super::solids::{glyph, revolved};
use super::{GRAVITY, built};
use crate::{Body, Mass, Material, Scene};
use clearance::math::{DMat3, DVec3};
use clearance::{Axis, HalfHeight, Pose, Radius, Shape};

/// A rattleback, which reverses its spin: an ellipsoid whose mass is not symmetric about its axes. Gravity is along -z.
///
/// The numbers are those of Kane and Levinson, "Realistic mathematical modeling of the rattleback", 1982: half axes, the center of mass below the middle, and the inertia with its product.
#[must_use]
pub fn rattleback() -> Scene {
    built(|| {
        let mut scene = Scene::new([0.0, 0.0, -9.81]);
        let grip = Material { friction: 1.0, restitution: 0.0, rolling_resistance: 0.0 };
        scene.add(Body::fixed("table", Shape::half_space([0.0, 0.0, 1.0], 0.0)?, Pose::IDENTITY).material(grip));
        let inertia = DMat3::from_cols(
            DVec3::new(2e-4, -2e-5, 0.0),
            DVec3::new(-2e-5, 1.6e-3, 0.0),
            DVec3::new(0.0, 0.0, 1.7e-3),
        );
        let mass = Mass::Given { mass: 1.0, center: DVec3::new(0.0, 0.0, -0.01), inertia };
        let tilt = Pose::from_axis_angle([0.0, 1.0, 0.0], 0.5_f64.to_radians()).unwrap_or_default();
        let stone = Shape::ellipsoid([0.2, 0.03, 0.02])?;
        let place = Pose::from_translation([0.0, 0.0, 0.020_1]) * tilt;
        scene.add(Body::new("rattleback", stone, place, mass).material(grip).moving([0.0; 3], [0.0, 0.0, -5.0]));
        Ok(scene)
    })
}

/// Parts that slide down a chute, one behind the other, to a stop: blocks, pins and brackets.
#[must_use]
pub fn part_feeder() -> Scene {
    built(|| {
        let mut scene = Scene::new(GRAVITY);
        let steel = Material { friction: 0.15, restitution: 0.2, rolling_resistance: 0.0 };
        // Down along x by 25 degrees.
        let slope = Pose::from_axis_angle([0.0, 0.0, 1.0], -25.0_f64.to_radians()).unwrap_or_default();
        for (name, half, at) in [
            ("track", [0.6, 0.01, 0.05], [0.0, -0.01, 0.0]),
            ("left rail", [0.6, 0.04, 0.01], [0.0, 0.04, 0.041]),
            ("right rail", [0.6, 0.04, 0.01], [0.0, 0.04, -0.041]),
            ("stop", [0.01, 0.04, 0.03], [0.61, 0.04, 0.0]),
        ] {
            let body = Body::fixed(name, Shape::cuboid(half)?, slope * Pose::from_translation(at));
            scene.add(body.material(steel));
        }
        let block = Shape::cuboid([0.02, 0.015, 0.018])?;
        let pin = Shape::cylinder(Axis::Z, Radius(0.012), HalfHeight(0.02))?;
        let bracket = Shape::compound([
            (Shape::cuboid([0.02, 0.005, 0.018])?, Pose::from_translation([0.0, 0.005, 0.0])),
            (Shape::cuboid([0.005, 0.015, 0.018])?, Pose::from_translation([-0.015, 0.02, 0.0])),
        ])?;
        for number in 0..9_u32 {
            let (name, shape) = match number % 3 {
                0 => ("block", &block),
                1 => ("pin", &pin),
                _ => ("bracket", &bracket),
            };
            let place = slope * Pose::from_translation([-0.52 + 0.075 * f64::from(number), 0.03, 0.0]);
            let body = Body::new(format!("{name} {}", number / 3 + 1), shape.clone(), place, Mass::Density(7800.0));
            scene.add(body.material(steel));
        }
        Ok(scene)
    })
}

/// Letters and digits that fall into a funnel, out of it on a ramp, and from there on a floor.
#[must_use]
pub fn letters(count: usize) -> Scene {
    built(|| {
        let mut scene = Scene::new(GRAVITY);
        let wood = Material { friction: 0.25, restitution: 0.1, rolling_resistance: 0.0 };
        scene.add(Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY).material(wood));
        // Inside and outside of the wall.
        let funnel = revolved(&[[0.35, 1.0], [0.4, 1.0], [1.35, 1.9], [1.3, 1.95]], 24)?;
        scene.add(Body::fixed("funnel", funnel, Pose::IDENTITY).material(wood));
        for (name, x, y, angle) in [("upper ramp", 0.25, 0.65, 25.0_f64), ("lower ramp", -0.35, 0.25, -20.0)] {
            let turned = Pose::from_axis_angle([0.0, 0.0, 1.0], -angle.to_radians()).unwrap_or_default();
            let place = Pose::from_translation([x, y, 0.0]) * turned;
            scene.add(Body::fixed(name, Shape::cuboid([0.8, 0.02, 0.6])?, place).material(wood));
        }
        for number in 0..count {
            let (layer, place) = (number / 25, number % 25);
            let (name, shape) = glyph(number * 7, 0.04)?;
            let at = [(place % 5) as f64 * 0.3 - 0.6, 2.15 + 0.26 * layer as f64, (place / 5) as f64 * 0.3 - 0.6];
            let turned = Pose::from_axis_angle([0.3, 1.0, 0.5], 0.9 * number as f64).unwrap_or_default();
            let pose = Pose::from_translation(at) * turned;
            scene.add(Body::new(format!("{name} {number}"), shape, pose, Mass::Density(600.0)).material(wood));
        }
        Ok(scene)
    })
}

/// Ten digits that fall into a bowl and interlock.
#[must_use]
pub fn digits() -> Scene {
    built(|| {
        let mut scene = Scene::new(GRAVITY);
        let china = Material { friction: 0.2, restitution: 0.1, rolling_resistance: 0.0 };
        // A quarter of a circle outside, and one inside.
        let arc = |radius: f64, k: u32| {
            let (sin, cos) = (f64::from(k) * 0.3).sin_cos();
            [(radius * sin).max(0.02), 0.5 - radius * cos]
        };
        let outside = (0..=5).map(|k| arc(0.5, k));
        let inside = (0..=5).rev().map(|k| arc(0.46, k));
        let profile: Vec<[f64; 2]> = outside.chain(inside).collect();
        scene.add(Body::fixed("bowl", revolved(&profile, 20)?, Pose::IDENTITY).material(china));
        scene.add(Body::fixed("table", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY).material(china));
        for number in 0..10_usize {
            let (name, shape) = glyph(number, 0.05)?;
            let (layer, turn) = (number / 2, 2.1 * number as f64);
            let x = if number % 2 == 0 { -0.14 } else { 0.14 };
            let turned = Pose::from_axis_angle([1.0, 0.4, 0.2], turn).unwrap_or_default();
            let pose = Pose::from_translation([x, 0.45 + 0.32 * layer as f64, 0.0]) * turned;
            scene.add(Body::new(format!("digit {name}"), shape, pose, Mass::Density(600.0)).material(china));
        }
        Ok(scene)
    })
}

/// A house of cards of two storeys: two tents, a roof, and a tent on it.
#[must_use]
pub fn card_house() -> Scene {
    built(|| {
        let mut scene = Scene::new(GRAVITY);
        let paper = Material { friction: 0.7, restitution: 0.0, rolling_resistance: 0.0 };
        scene.add(Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY).material(paper));
        let (half, thin, lean) = (0.5, 0.01, 20.0_f64.to_radians());
        let card = Shape::cuboid([thin, half, 0.35])?;
        // The lowest corner of a leaning card is at the height zero, and the highest ones of two touch in the middle.
        let (sin, cos) = lean.sin_cos();
        let (rise, reach) = (half * cos + thin * sin, half * sin + thin * cos);
        let mut tent = |name: &str, x: f64, floor: f64| {
            for (side, sign) in [("left", -1.0), ("right", 1.0)] {
                let turned = Pose::from_axis_angle([0.0, 0.0, 1.0], sign * lean).unwrap_or_default();
                let pose = Pose::from_translation([x + sign * reach, floor + rise, 0.0]) * turned;
                scene.add(Body::new(format!("{name} {side}"), card.clone(), pose, Mass::Total(0.1)).material(paper));
            }
        };
        // The feet of two tents side by side are a little apart.
        let width = 4.0 * (half * sin + thin * cos) * 1.05;
        tent("first", -0.5 * width, 0.0);
        tent("second", 0.5 * width, 0.0);
        tent("upper", 0.0, 2.0 * rise + 2.0 * thin);
        let roof = Shape::cuboid([0.5 * width, thin, 0.35])?;
        let pose = Pose::from_translation([0.0, 2.0 * rise + thin, 0.0]);
        scene.add(Body::new("roof", roof, pose, Mass::Total(0.1)).material(paper));
        Ok(scene)
    })
}
