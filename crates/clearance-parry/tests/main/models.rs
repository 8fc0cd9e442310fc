//! Shapes and poses for the tests.

use clearance_parry::ClearanceDispatcher;
use fastrand::Rng;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::QueryDispatcher;
use parry3d_f64::shape::{
    Ball, Capsule, Compound, Cone, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, RoundShape, Segment, Shape,
    SharedShape, TriMesh, Triangle,
};

/// The number of kinds of [`convex`] shapes.
pub const KINDS: usize = 13;

pub fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

pub fn vector(rng: &mut Rng, most: f64) -> Vector {
    Vector::new(between(rng, -most, most), between(rng, -most, most), between(rng, -most, most))
}

pub fn pose(rng: &mut Rng, most: f64) -> Pose {
    Pose::from_parts(vector(rng, most), Rotation::from_scaled_axis(vector(rng, 3.0)))
}

pub fn hull(rng: &mut Rng, count: usize) -> ConvexPolyhedron {
    let points: Vec<Vector> = (0..count).map(|_| vector(rng, 1.0).normalize() * between(rng, 0.6, 1.0)).collect();
    ConvexPolyhedron::from_convex_hull(&points).expect("points in all directions")
}

/// A shape of a kind, about one in size.
pub fn convex(rng: &mut Rng, kind: usize) -> SharedShape {
    let mut size = || between(rng, 0.3, 1.0);
    let (a, b, c) = (size(), size(), size());
    let border_radius = 0.1 + 0.2 * c;
    match kind {
        0 => SharedShape::new(Ball::new(a)),
        1 => SharedShape::new(Cuboid::new(Vector::new(a, b, c))),
        2 => SharedShape::new(Capsule::new(vector(rng, 1.0), vector(rng, 1.0), a)),
        3 => SharedShape::new(Cylinder::new(a, b)),
        4 => SharedShape::new(Cone::new(a, b)),
        5 => SharedShape::new(hull(rng, 20)),
        6 => SharedShape::new(Segment::new(vector(rng, 1.0), vector(rng, 1.0))),
        7 => SharedShape::new(Triangle::new(vector(rng, 1.0), vector(rng, 1.0), vector(rng, 1.0))),
        8 => SharedShape::new(RoundShape { inner_shape: Cuboid::new(Vector::new(a, b, c)), border_radius }),
        9 => SharedShape::new(RoundShape { inner_shape: Cylinder::new(a, b), border_radius }),
        10 => SharedShape::new(RoundShape { inner_shape: Cone::new(a, b), border_radius }),
        11 => SharedShape::new(RoundShape { inner_shape: hull(rng, 12), border_radius }),
        _ => {
            let inner_shape = Triangle::new(vector(rng, 1.0), vector(rng, 1.0), vector(rng, 1.0));
            SharedShape::new(RoundShape { inner_shape, border_radius })
        }
    }
}

/// The plane y = 0, solid below.
pub fn ground() -> HalfSpace {
    HalfSpace::new(Vector::Y)
}

/// A table with four legs.
pub fn table() -> Compound {
    let mut parts = vec![(Pose::translation(0.0, 0.9, 0.0), SharedShape::cuboid(1.0, 0.1, 0.6))];
    for (x, z) in [(-0.9, -0.5), (-0.9, 0.5), (0.9, -0.5), (0.9, 0.5)] {
        parts.push((Pose::translation(x, 0.4, z), SharedShape::cylinder(0.4, 0.08)));
    }
    Compound::new(parts)
}

/// A square floor at y = 0 of 2 n² triangles.
pub fn floor(n: u32, step: f64, height: impl Fn(f64, f64) -> f64) -> TriMesh {
    let middle = 0.5 * step * f64::from(n);
    let at = |i: u32, j: u32| {
        let (x, z) = (step * f64::from(i) - middle, step * f64::from(j) - middle);
        Vector::new(x, height(x, z), z)
    };
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect();
    let number = |i: u32, j: u32| i * (n + 1) + j;
    let cell = |(i, j): (u32, u32)| {
        let [a, b, c, d] = [number(i, j), number(i, j + 1), number(i + 1, j + 1), number(i + 1, j)];
        [[a, b, c], [a, c, d]]
    };
    let triangles = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).flat_map(cell).collect();
    TriMesh::new(vertices, triangles).expect("a floor")
}

/// Two shapes, nearly in contact: `gap` apart along a random direction if they are convex.
pub fn posed(rng: &mut Rng, g1: &dyn Shape, g2: &dyn Shape, gap: f64) -> Pose {
    let mut at = pose(rng, 0.0);
    let mut away = vector(rng, 1.0).normalize();
    if g1.as_halfspace().is_some() {
        away = Vector::Y;
    }
    at.translation = away * 6.0;
    let dispatcher = ClearanceDispatcher::default();
    // Conservative advancement along a line.
    for _ in 0..60 {
        let Ok(Some(found)) = dispatcher.contact(&at, g1, g2, 100.0) else { break };
        at.translation -= away * (found.dist - gap).max(-0.1);
        if at.translation.dot(away) < -1.0 {
            // They have passed each other.
            break;
        }
    }
    at
}
