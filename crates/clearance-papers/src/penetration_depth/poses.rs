//! The four benchmarks of the penetration-depth paper, with solids and poses that have its sizes and ratios.
//!
//! The paper prints faces, pieces, shares of culled pairs and estimates, neither dimensions nor poses. These follow from its estimates. The hulls of the interlocked tori overlap by
//! 0.99, while 0.50 are enough to move the tube of one into the hole of the other: so the tube has a radius of 0.3725. The touching ones overlap by 0.29. Grates of one pitch pass
//! through each other, and bars that are a tenth as wide as half of the grate have to leave each other's way (0.63 and 6.41). Letters have arcs, and as many faces as the
//! paper's; they are at the first of drawn poses that is shallow and at which the depth is a sixth of that of the hulls (0.01 and 0.06). The larger radius of the tori, 2, is our own,
//! chosen after runs: smaller tori cull less (6 % of the pairs in one run).

use clearance::depth::{DepthBudget, depth};
use clearance::math::{DQuat, DVec3};
use clearance::{Pose, Shape, distance, intersects};
use clearance_lab::meshes::{Model, Outline, extrusion, grate, torus_without_dents};
use clearance_lab::{Rng, random};
use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

/// A benchmark: two solids, the first at the origin.
#[derive(Debug, Clone)]
pub struct PaperCase {
    /// Its name in the paper.
    pub name: &'static str,
    /// The solids.
    pub shapes: [Shape; 2],
    /// Where the second one is.
    pub pose: Pose,
    /// The extent of the larger solid.
    pub size: f64,
}

/// The benchmarks of table 2.
#[must_use]
pub fn paper_cases() -> [PaperCase; 4] {
    let solid = |model: Model| Shape::Mesh(Arc::new(model.mesh()));
    let (radius, tube) = (2.0, 0.3725);
    let torus = solid(torus_without_dents(50, 20, radius, tube));
    let tori = [torus.clone(), torus];
    // A little off the symmetric pose, so that nothing coincides.
    let tilt = DQuat::from_axis_angle(DVec3::new(0.3, -0.5, 0.8).normalize(), 0.02);
    let beside = |overlap: f64| DVec3::new(2.0 * (radius + tube) - overlap, 0.01, -0.02);
    let interlocked = Pose::new(beside(0.99), tilt * DQuat::from_rotation_x(FRAC_PI_2));
    let touching = Pose::new(beside(0.29), tilt);
    let grates = [grate([7, 7], 0.075, 0.125, 0.05), grate([11, 11], 0.075, 0.125, 0.05)].map(|model| {
        let center = 0.5 * model.vertices.iter().fold(DVec3::ZERO, |most, v| most.max(*v));
        solid(model.map(|vertex| vertex - center))
    });
    // Upright in the middle of the first one, its plane in a row of holes, its bars where the bars of the first one are.
    let crossed = Pose::new(
        DVec3::new(0.004, 0.003, 0.002),
        tilt.slerp(DQuat::IDENTITY, 0.75) * DQuat::from_rotation_x(FRAC_PI_2),
    );
    let letters = [solid(extrusion(&letter_o(), 1.0)), solid(extrusion(&letter_c(), 1.0))];
    let leaning = entangled(&letters, 1.0 / 6.0);
    [
        PaperCase { name: "interlocked tori", shapes: tori.clone(), pose: interlocked, size: 4.7 },
        PaperCase { name: "touching tori", shapes: tori, pose: touching, size: 4.7 },
        PaperCase { name: "grates", shapes: grates, pose: crossed, size: 2.275 },
        PaperCase { name: "letters", shapes: letters, pose: leaning, size: 8.0 },
    ]
}

/// The first of drawn poses of the second solid at which hulls overlap by less than an eighth of a letter, and the depth is a given part of that, to a fifth.
fn entangled(shapes: &[Shape; 2], part: f64) -> Pose {
    let hulls = shapes.each_ref().map(|shape| {
        let points = shape.as_mesh().expect("a mesh").vertices();
        (Shape::hull(points).expect("points"), points.iter().sum::<DVec3>() / points.len() as f64)
    });
    let mut rng = Rng::with_seed(4);
    loop {
        let turn = random::rotation(&mut rng);
        let at = hulls[0].1 + random::vector(&mut rng, -4.0, 4.0) - turn * hulls[1].1;
        let pose = Pose::new(at, turn);
        let of_hulls = -distance(&hulls[0].0, Pose::IDENTITY, &hulls[1].0, pose).distance;
        if !(0.3..1.0).contains(&of_hulls) || !intersects(&shapes[0], Pose::IDENTITY, &shapes[1], pose) {
            continue;
        }
        let found = depth(&shapes[0], Pose::IDENTITY, &shapes[1], pose, DepthBudget::default());
        if (found.upper / of_hulls - part).abs() < 0.2 * part {
            return pose;
        }
    }
}

/// Points of an elliptic arc about (3, 4), from one turn to another.
fn arc(radii: [f64; 2], [from, to]: [f64; 2], count: usize, is_closed: bool) -> impl Iterator<Item = [f64; 2]> {
    let steps = if is_closed { count } else { count - 1 };
    (0..count).map(move |i| {
        let (sin, cos) = (TAU * (from + (to - from) * i as f64 / steps as f64)).sin_cos();
        [3.0 + radii[0] * cos, 4.0 + radii[1] * sin]
    })
}

/// An O of 18 sides inside and out: 144 faces.
fn letter_o() -> Outline {
    let ring = |radii| arc(radii, [0.0, 1.0], 18, true).collect();
    Outline { outer: ring([3.0, 4.0]), holes: vec![ring([1.75, 2.75])] }
}

/// A C of 20 sides outside and 19 inside: 152 faces.
fn letter_c() -> Outline {
    let outer = arc([3.0, 4.0], [0.12, 0.88], 20, false);
    let inner = arc([1.75, 2.75], [0.88, 0.12], 19, false);
    Outline { outer: outer.chain(inner).collect(), holes: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Faces as printed but for the grates, clean solids, and bodies that overlap.
    #[test]
    fn solids_have_the_faces_of_the_paper() {
        // The grates have as many pieces as the paper's, and more faces.
        let faces = [[2000, 2000], [2000, 2000], [1216, 2784], [144, 152]];
        for (case, faces) in paper_cases().iter().zip(faces) {
            let found = case.shapes.each_ref().map(|shape| {
                let mesh = shape.as_mesh().expect("a mesh");
                assert!(mesh.is_solid() && mesh.report().is_clean(), "{}", case.name);
                mesh.triangles().len()
            });
            assert_eq!(found, faces, "{}", case.name);
            assert!(intersects(&case.shapes[0], Pose::IDENTITY, &case.shapes[1], case.pose), "{}", case.name);
        }
    }
}
