//! Curved models: tori and spheres, smooth and rough.

use super::Model;
use crate::derived::big::Big;
use clearance::math::DVec3;
use fastrand::Rng;
use std::f64::consts::{PI, TAU};

/// A torus about z: `around` segments about the axis, `through` about the tube.
#[must_use]
pub fn torus(around: u32, through: u32, radius: f64, tube: f64) -> Model {
    ring(around, through, |u, v| {
        let r = radius + tube * v.cos();
        DVec3::new(r * u.cos(), r * u.sin(), tube * v.sin())
    })
}

/// The same torus, with each quadrangle cut along the diagonal that is not a dent. Quadrangles of a torus are flat but for rounding, which makes one of
/// two diagonals of it a dent of 1e-17; a decomposition that goes by exact signs has several times as many pieces then.
#[must_use]
pub fn torus_without_dents(around: u32, through: u32, radius: f64, tube: f64) -> Model {
    let mut model = torus(around, through, radius, tube);
    let at = |vertices: &[DVec3], corner: u32| vertices[corner as usize].to_array().map(Big::of);
    for pair in model.triangles.chunks_exact_mut(2) {
        let ([a, b, c], d) = (pair[0], pair[1][2]);
        let [p, q, r, s] = [a, b, c, d].map(|corner| at(&model.vertices, corner));
        // Is d above the plane of a, b and c?
        if Big::determinant([&q, &r, &s].map(|to| [0, 1, 2].map(|k| to[k].minus(&p[k])))).sign().is_gt() {
            pair.copy_from_slice(&[[b, c, d], [b, d, a]]);
        }
    }
    model
}

/// A torus whose tube swells and shrinks `waves` times on the way around, by a part `depth` of its radius: the wrinkled torus of the
/// penetration-depth paper, whose exact form is not given there.
#[must_use]
pub fn wrinkled_torus(around: u32, through: u32, radius: f64, tube: f64, waves: u32, depth: f64) -> Model {
    ring(around, through, |u, v| {
        let here = tube * (1.0 + depth * (f64::from(waves) * u).cos());
        let r = radius + here * v.cos();
        DVec3::new(r * u.cos(), r * u.sin(), here * v.sin())
    })
}

/// A grid of quadrangles that closes both ways, two triangles each.
fn ring(around: u32, through: u32, place: impl Fn(f64, f64) -> DVec3) -> Model {
    let angle = |i: u32, of: u32| TAU * f64::from(i) / f64::from(of);
    let cells = || (0..around).flat_map(|i| (0..through).map(move |j| [i, j]));
    let at = |i: u32, j: u32| i % around * through + j % through;
    let triangles = cells().flat_map(|[i, j]| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    Model {
        vertices: cells().map(|[i, j]| place(angle(i, around), angle(j, through))).collect(),
        triangles: triangles.collect(),
    }
}

/// The unit sphere by `around` meridians and `rings` parallels between the poles.
#[must_use]
pub fn sphere(around: u32, rings: u32) -> Model {
    let mut vertices = vec![DVec3::Z];
    for j in 1..=rings {
        let (sin, cos) = (PI * f64::from(j) / f64::from(rings + 1)).sin_cos();
        for i in 0..around {
            let (y, x) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
            vertices.push(DVec3::new(sin * x, sin * y, cos));
        }
    }
    vertices.push(-DVec3::Z);
    let south = vertices.len() as u32 - 1;
    let at = |j: u32, i: u32| 1 + j * around + i % around;
    let mut triangles = Vec::new();
    for i in 0..around {
        triangles.push([0, at(0, i), at(0, i + 1)]);
        for j in 0..rings - 1 {
            let [a, b, c, d] = [at(j, i), at(j + 1, i), at(j + 1, i + 1), at(j, i + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([south, at(rings - 1, i + 1), at(rings - 1, i)]);
    }
    Model { vertices, triangles }
}

/// The unit sphere with each vertex pushed in or out by up to `noise`: 2 · `around` · `rings` triangles, so that 350 and 100 give
/// 70,000. The vertices keep their directions, so the surface cannot cross itself.
#[must_use]
pub fn noisy_sphere(around: u32, rings: u32, noise: f64, seed: u64) -> Model {
    let mut rng = Rng::with_seed(seed);
    let mut model = sphere(around, rings);
    for vertex in &mut model.vertices {
        *vertex *= 1.0 + noise * (2.0 * rng.f64() - 1.0);
    }
    model
}
