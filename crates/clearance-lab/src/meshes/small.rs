//! Small triangle meshes of every sort: solids, shells, and meshes with faults.

use super::Model;
use crate::{Rng, Spec, random};
use clearance::math::DVec3;

/// Vertices and triangles.
pub type Triangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// A tetrahedron with its corners on a sphere, as seen from outside.
#[must_use]
pub fn tetrahedron(rng: &mut Rng) -> Triangles {
    let mut corners: Vec<DVec3> = (0..4).map(|_| random::direction(rng)).collect();
    if (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(corners[3] - corners[0]) > 0.0 {
        corners.swap(0, 1);
    }
    (corners, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])
}

/// The boundary of a union of unit cubes, which are given by their lower corners.
#[must_use]
pub fn lattice(cubes: &[[i32; 3]]) -> Triangles {
    let Model { vertices, triangles } = super::lattice_solid(cubes);
    (vertices, triangles)
}

/// A union of cubes that are connected by faces, edges or corners.
#[must_use]
pub fn random_lattice(rng: &mut Rng, count: usize) -> Triangles {
    let mut cubes = vec![[0; 3]];
    while cubes.len() < count {
        let mut next = cubes[rng.usize(..cubes.len())];
        next[rng.usize(..3)] += if rng.bool() { 1 } else { -1 };
        if rng.u32(..8) == 0 {
            next[rng.usize(..3)] += 1;
        }
        cubes.push(next);
    }
    lattice(&cubes)
}

/// A cube of side 3 with a cavity of side 1.
#[must_use]
pub fn hollow() -> Triangles {
    let cells = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).filter(|&cell| cell != [1; 3]);
    lattice(&cells.collect::<Vec<_>>())
}

/// A torus about z, with `around` segments around the axis and `tube` around the tube.
#[must_use]
pub fn torus(around: u32, tube: u32, radius: f64, thickness: f64) -> Triangles {
    let Model { vertices, triangles } = super::torus(around, tube, radius, thickness);
    (vertices, triangles)
}

/// Two meshes as one.
#[must_use]
pub fn both(one: Triangles, other: Triangles) -> Triangles {
    let (mut vertices, mut triangles) = one;
    let first = vertices.len() as u32;
    vertices.extend(other.0);
    triangles.extend(other.1.iter().map(|corners| corners.map(|corner| corner + first)));
    (vertices, triangles)
}

/// A random mesh, about as large as one, and its name.
#[must_use]
pub fn random_mesh(rng: &mut Rng) -> (&'static str, Spec) {
    let cube = || lattice(&[[0; 3]]);
    let (what, (mut vertices, mut triangles)) = match rng.u32(..14) {
        0 | 1 => ("tetrahedron", tetrahedron(rng)),
        2 => ("box", cube()),
        3..=5 => {
            let count = rng.usize(2..9);
            ("lattice solid", random_lattice(rng, count))
        }
        6 => ("torus", torus(8, 5, 0.8, 0.3)),
        7 => ("hollow cube", hollow()),
        8 => ("nested cubes", both(hollow(), lattice(&[[1; 3]]))),
        9 => ("two pieces", both(cube(), lattice(&[[3, 1, 0]]))),
        10 => ("open box", (cube().0, cube().1.split_off(2))),
        11 => ("loose triangles", {
            let (vertices, triangles) = torus(5, 4, 0.8, 0.3);
            let corners: Vec<DVec3> = triangles.iter().flatten().map(|&corner| vertices[corner as usize]).collect();
            let count = corners.len() as u32 / 3;
            (corners, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
        }),
        12 => ("flipped triangle", {
            let (vertices, mut triangles) = tetrahedron(rng);
            triangles[0].swap(0, 1);
            (vertices, triangles)
        }),
        _ => ("degenerate triangles", {
            let (mut vertices, mut triangles) = cube();
            let first = vertices.len() as u32;
            vertices.push(0.5 * (vertices[0] + vertices[1]));
            triangles.extend([[0, 0, 0], [0, 1, 0], [0, 1, first], [first, first, 2]]);
            (vertices, triangles)
        }),
    };
    if rng.u32(..6) == 0 {
        // Inside out.
        triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
    }
    let far = vertices.iter().map(|vertex| vertex.length()).fold(0.0, f64::max);
    // Lattices stay lattices.
    let scale = if far > 1.8 { 0.25 } else { 0.5 };
    vertices.iter_mut().for_each(|vertex| *vertex *= scale);
    (what, Spec::Mesh(vertices, triangles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn solids_are_solid_and_shells_are_not() {
        let mut rng = Rng::with_seed(5);
        let is_solid = |spec: &Spec| spec.build().as_mesh().is_some_and(clearance::shape::Mesh::is_solid);
        let mut seen = HashSet::new();
        for _ in 0..400 {
            let (what, spec) = random_mesh(&mut rng);
            let is_shell = matches!(what, "open box" | "loose triangles" | "flipped triangle" | "degenerate triangles");
            // Faces that are added to the box with degenerate triangles are open.
            assert_eq!(is_solid(&spec), !is_shell, "{what}");
            seen.insert(what);
        }
        assert_eq!(seen.len(), 11);
        let (vertices, triangles) = hollow();
        let mesh = Spec::Mesh(vertices, triangles).build();
        assert_eq!(mesh.as_mesh().map(clearance::shape::Mesh::volume), Some(26.0));
    }
}
