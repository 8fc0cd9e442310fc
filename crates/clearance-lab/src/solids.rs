//! Pairs of solids that overlap: the benchmarks of the penetration-depth paper (Kim, Otaduy, Lin and Manocha 2002, figure 8), at random poses.
//!
//! Its tori have 2000 faces, its letters 144 and 152, its grates 444 and 1134. The paper prints no poses, so they are our own: each case has the
//! property of its name.

use crate::meshes::{Model, glyph, grate, torus_without_dents};
use clearance::math::{DQuat, DVec3};
use clearance::{Pose, Shape, intersects};
use fastrand::Rng;
use std::sync::Arc;

/// Two solids, and a random pose of the second; the first stays at the origin.
#[derive(Debug, Clone)]
pub struct OverlapCase {
    /// The name.
    pub name: &'static str,
    /// The two solids.
    pub shapes: [Shape; 2],
    /// The unit of lengths: the extent of the larger solid.
    pub size: f64,
    draw: fn(&mut Rng) -> Pose,
}

impl OverlapCase {
    /// A pose of the second solid at which the two overlap.
    #[must_use]
    pub fn pose(&self, rng: &mut Rng) -> Pose {
        loop {
            let pose = (self.draw)(rng);
            if intersects(&self.shapes[0], Pose::IDENTITY, &self.shapes[1], pose) {
                return pose;
            }
        }
    }
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    (DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0) * size
}

/// A turn of up to `most` radians about any axis.
fn turn(rng: &mut Rng, most: f64) -> DQuat {
    let axis = vector(rng, 1.0).try_normalize().unwrap_or(DVec3::X);
    DQuat::from_axis_angle(axis, most * rng.f64())
}

/// The paper's benchmarks, and tori in nearly the same place, whose only escape translations are many of equal length.
#[must_use]
pub fn overlap_cases() -> Vec<OverlapCase> {
    let shape = |model: Model| Shape::Mesh(Arc::new(model.mesh()));
    let torus = || shape(torus_without_dents(50, 20, 1.0, 0.25));
    let tori = [torus(), torus()];
    let case = |name, shapes: &[Shape; 2], size, draw| OverlapCase { name, shapes: shapes.clone(), size, draw };
    vec![
        case("interlocked tori", &tori, 2.5, |rng| {
            // The tube of one goes through the hole of the other, and into its side.
            let at = DVec3::X * (0.3 + 0.2 * rng.f64()) + vector(rng, 0.1);
            Pose::new(at, DQuat::from_axis_angle(DVec3::X, 1.57) * turn(rng, 0.5))
        }),
        case("touching tori", &tori, 2.5, |rng| {
            let at = DVec3::new(2.3, 0.0, 0.0) + vector(rng, 0.2);
            Pose::new(at, turn(rng, 1.0))
        }),
        case("letters", &[shape(glyph('A')), shape(glyph('8'))], 8.0, |rng| {
            Pose::new(vector(rng, 3.0), turn(rng, 3.0))
        }),
        case(
            "grates",
            &[shape(grate([7, 7], 0.05, 0.15, 0.05)), shape(grate([11, 11], 0.05, 0.1, 0.05))],
            1.7,
            |rng| {
                let at = DVec3::new(0.0, 0.8, -0.8) + vector(rng, 0.3);
                Pose::new(at, DQuat::from_axis_angle(DVec3::X, 1.3) * turn(rng, 0.6))
            },
        ),
        case("deep tori", &tori, 2.5, |rng| Pose::new(vector(rng, 0.3), turn(rng, 3.0))),
        case("coincident tori", &tori, 2.5, |rng| Pose::new(vector(rng, 1e-3), turn(rng, 1e-3))),
    ]
}
