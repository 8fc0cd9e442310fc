//! The kind of a contact, in the words of clash detection.
//!
//! | kind | rule |
//! |---|---|
//! | duplicate | the same shape in the same place |
//! | touching | no deeper than rounding |
//! | enveloped | one body is inside the other |
//! | protruding | an end of one body is inside the other: a corner, the cap of a capsule, the middle of a cylinder's base |
//! | piercing | the bodies overlap, and no end of one is inside the other, as with a pipe through a wall |
//!
//! The first rule that holds decides. A body is called enveloped only if that is proved. Points and signed distances prove it for a convex
//! outer body; for a mesh, that its surface does not meet the inner body and that all ends of the inner body are inside.

use super::Found;
use clearance::math::{Aabb, DVec3};
use clearance::{Pose, Shape, intersects, signed_distance_to_point};
use clearance_io::{Body, Scene};

/// Depths and offsets up to this part of the size of a body are rounding. Bound: brackets of depths are narrower than 1e-10 of the size.
const NOISE: f64 = 1e-9;

/// Corners of a body that are tested. Limit: a corner takes a query of a point; those of a fine mesh are close to each other.
const MOST_ENDS: usize = 20_000;

/// The kind of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Duplicate,
    Touching,
    Enveloped,
    Protruding,
    Piercing,
}

impl Kind {
    /// For programs and people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Touching => "touching",
            Self::Enveloped => "enveloped",
            Self::Protruding => "protruding",
            Self::Piercing => "piercing",
        }
    }
}

/// The kind of an overlap.
pub fn of(scene: &Scene, found: &Found) -> Kind {
    let [a, b] = found.bodies.map(|body| &scene.bodies[body as usize]);
    let size = a.shape.bounding_radius().min(b.shape.bounding_radius());
    let depth = found.depth.map_or(f64::INFINITY, |depth| depth.upper).min(-found.witness.lower);
    if is_duplicate(a, b) {
        Kind::Duplicate
    } else if depth <= NOISE * size {
        Kind::Touching
    } else if is_inside(a, b) || is_inside(b, a) {
        Kind::Enveloped
    } else if protrudes(a, b) || protrudes(b, a) {
        Kind::Protruding
    } else {
        Kind::Piercing
    }
}

/// Is it the same shape, and no point of it in another place?
fn is_duplicate(a: &Body, b: &Body) -> bool {
    let radius = a.shape.bounding_radius();
    let moved = a.pose.inverse() * b.pose;
    // A rotation by a quaternion of vector part v moves a point at distance r by at most 2 |v| r.
    let travel = moved.translation().length() + 2.0 * moved.rotation().xyz().length() * radius;
    a.shape == b.shape && travel <= NOISE * radius
}

/// Points of a body, and a radius: the body is inside the hull of the balls of that radius about these points.
fn around(shape: &Shape) -> (Vec<DVec3>, f64) {
    let none = Pose::IDENTITY;
    match shape {
        Shape::Sphere(_) => (vec![DVec3::ZERO], shape.bounding_radius()),
        Shape::Polytope(polytope) => (polytope.vertices().to_vec(), 0.0),
        Shape::Mesh(mesh) => (mesh.hull().map_or_else(|| corners(&mesh.aabb()), |hull| hull.vertices().to_vec()), 0.0),
        Shape::Compound(compound) => {
            let parts = compound.parts().iter().map(|part| (around(&part.shape), part.pose));
            let all: Vec<((Vec<DVec3>, f64), Pose)> = parts.collect();
            let radius = all.iter().fold(0.0, |most, ((_, radius), _)| f64::max(most, *radius));
            let points = all.iter().flat_map(|((points, _), pose)| points.iter().map(|&p| pose.transform_point(p)));
            (points.collect(), radius)
        }
        _ => (corners(&shape.aabb(&none)), 0.0),
    }
}

fn corners(bounds: &Aabb) -> Vec<DVec3> {
    let Aabb { min, max } = *bounds;
    // Bits 0, 1, 2 of a corner say whether its x, y, z is the larger one.
    let side = |i: usize, axis: usize| if i >> axis & 1 == 1 { max[axis] } else { min[axis] };
    (0..8).map(|i| DVec3::new(side(i, 0), side(i, 1), side(i, 2))).collect()
}

/// Is a body proved to be inside another?
fn is_inside(inner: &Body, outer: &Body) -> bool {
    let (points, radius) = around(&inner.shape);
    if !points.iter().all(|point| point.is_finite()) {
        return false;
    }
    let placed = |point: &DVec3| inner.pose.transform_point(*point);
    is_inside_shape(inner, &points.iter().map(placed).collect::<Vec<_>>(), radius, &outer.shape, outer.pose)
}

fn is_inside_shape(inner: &Body, points: &[DVec3], radius: f64, outer: &Shape, pose: Pose) -> bool {
    let is_deep = |point: &DVec3| is_deeper(outer, pose, *point, radius);
    match outer {
        Shape::Compound(compound) => {
            compound.parts().iter().any(|part| is_inside_shape(inner, points, radius, &part.shape, pose * part.pose))
        }
        Shape::Mesh(mesh) => {
            // One end would do for a connected body, but a mesh or a compound may have components outside.
            let (ends, _) = ends(&inner.shape);
            mesh.is_solid()
                && (1..=MOST_ENDS).contains(&ends.len())
                && ends.iter().all(|point| is_deeper(outer, pose, inner.pose.transform_point(*point), 0.0))
                && surface(mesh).is_some_and(|surface| !intersects(&surface, pose, &inner.shape, inner.pose))
        }
        // Convex: the hull of points that are inside is inside.
        _ => points.iter().all(is_deep),
    }
}

/// Is a point proved to be inside a shape, and at least this deep?
fn is_deeper(shape: &Shape, pose: Pose, point: DVec3, depth: f64) -> bool {
    signed_distance_to_point(shape, pose, point).is_some_and(|[_, upper]| upper <= -depth)
}

/// The surface of a solid without its inside: its triangles as two open meshes.
fn surface(mesh: &clearance::shape::Mesh) -> Option<Shape> {
    let half = |parity: usize| {
        let triangles: Vec<[u32; 3]> = mesh.triangles().iter().skip(parity).step_by(2).copied().collect();
        Shape::mesh(mesh.vertices(), &triangles).ok().filter(|half| half.as_mesh().is_some_and(|half| !half.is_solid()))
    };
    Shape::compound([(half(0)?, Pose::IDENTITY), (half(1)?, Pose::IDENTITY)]).ok()
}

/// The ends of a body: points, and the radius of the body about them.
fn ends(shape: &Shape) -> (Vec<DVec3>, f64) {
    match shape {
        Shape::Sphere(_) | Shape::Polytope(_) => around(shape),
        Shape::Mesh(mesh) => (mesh.vertices().to_vec(), 0.0),
        Shape::Cuboid(_) => (corners(&shape.aabb(&Pose::IDENTITY)), 0.0),
        Shape::Compound(compound) => {
            let parts = compound.parts().iter().flat_map(|part| {
                let (points, _) = ends(&part.shape);
                points.into_iter().map(|point| part.pose.transform_point(point))
            });
            (parts.collect(), 0.0)
        }
        // The middles of the sides of the box around it, along its longest axis and along those that are at least half as long. These are the ends of a
        // long cylinder, cone, capsule or ellipsoid, the rim of a flat one.
        _ => {
            let Aabb { min, max } = shape.aabb(&Pose::IDENTITY);
            let (middle, extent) = (0.5 * (min + max), max - min);
            let side = |i: usize| {
                let mut point = middle;
                point[i % 3] = if i < 3 { min[i % 3] } else { max[i % 3] };
                point
            };
            let is_far = |i: &usize| 2.0 * extent[i % 3] >= extent.max_element();
            let points = (0..6).filter(is_far).map(side);
            let points = points.filter(|point| clearance::contains(shape, Pose::IDENTITY, *point));
            (points.collect(), 0.0)
        }
    }
}

/// Is an end of a body inside another?
fn protrudes(a: &Body, b: &Body) -> bool {
    let (points, radius) = ends(&a.shape);
    let bounds = b.shape.aabb(&b.pose).grown(radius);
    let placed = points.iter().map(|point| a.pose.transform_point(*point));
    placed
        .filter(|point| bounds.contains(*point))
        .take(MOST_ENDS)
        .any(|point| signed_distance_to_point(&b.shape, b.pose, point).is_some_and(|[_, upper]| upper <= radius))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::distance;
    use clearance_io::{Motion, Tags};

    fn body(shape: Shape, at: [f64; 3]) -> Body {
        let (pose, tags) = (Pose::from_translation(at), Tags::default());
        Body { name: "x".into(), shape, pose, group: None, motion: Motion::Fixed, tags, written: None }
    }

    fn kind(a: Body, b: Body) -> Kind {
        let clearance = distance(&a.shape, a.pose, &b.shape, b.pose);
        let scene = Scene { bodies: vec![a.clone(), b.clone()], ..Scene::default() };
        let swapped = Scene { bodies: vec![b, a], ..Scene::default() };
        let found = Found::new([0, 1], &clearance);
        assert!(found.overlaps());
        let kind = of(&scene, &found);
        assert_eq!(kind, of(&swapped, &found), "swapped");
        kind
    }

    fn cuboid(half: [f64; 3]) -> Shape {
        Shape::cuboid(half).expect("a box")
    }

    /// The same box as a mesh.
    fn mesh(half: [f64; 3]) -> Shape {
        let points = corners(&Aabb { min: -DVec3::from(half), max: DVec3::from(half) });
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let cut = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
        let triangles: Vec<[u32; 3]> = faces.into_iter().flat_map(cut).collect();
        let mesh = Shape::mesh(&points, &triangles).expect("a box");
        assert!(mesh.as_mesh().is_some_and(clearance::shape::Mesh::is_solid));
        mesh
    }

    #[test]
    fn the_kinds_of_boxes_and_meshes_are_those_of_their_places() {
        type Make = fn([f64; 3]) -> Shape;
        for make in [cuboid as Make, mesh] {
            let wall = || body(make([0.1, 2.0, 2.0]), [0.0; 3]);
            let rod = |x: f64| body(make([0.5, 0.05, 0.05]), [x, 0.0, 0.0]);
            assert_eq!(kind(wall(), rod(0.0)), Kind::Piercing);
            assert_eq!(kind(wall(), rod(0.45)), Kind::Protruding);
            assert_eq!(kind(wall(), rod(0.6)), Kind::Touching);
            assert_eq!(kind(wall(), body(make([0.05; 3]), [0.0, 1.0, 0.0])), Kind::Enveloped);
            assert_eq!(kind(wall(), wall()), Kind::Duplicate);
            let nearly = body(make([0.1, 2.0, 2.0]), [1e-3, 0.0, 0.0]);
            assert_ne!(kind(wall(), nearly), Kind::Duplicate);
        }
    }

    #[test]
    fn round_bodies_have_kinds_too() {
        let wall = || body(cuboid([0.1, 2.0, 2.0]), [0.0; 3]);
        let ball = |radius: f64, x: f64| body(Shape::sphere(radius).expect("a ball"), [x, 0.0, 0.0]);
        assert_eq!(kind(wall(), ball(0.05, 0.0)), Kind::Enveloped);
        assert_eq!(kind(wall(), ball(0.05, 0.12)), Kind::Protruding);
        let pipe = |x: f64| {
            let (radius, half) = (clearance::Radius(0.05), clearance::HalfHeight(0.5));
            body(Shape::capsule(clearance::Axis::X, radius, half).expect("a pipe"), [x, 0.0, 0.0])
        };
        assert_eq!(kind(wall(), pipe(0.0)), Kind::Piercing);
        assert_eq!(kind(wall(), pipe(0.6)), Kind::Protruding);
        assert_eq!(kind(ball(3.0, 0.0), pipe(0.0)), Kind::Enveloped);
        // A part of a compound may be outside of a mesh that the other part is in.
        let dot = Shape::sphere(0.1).expect("a ball");
        let places = [[0.0; 3], [3.0, 0.0, 0.0]].map(Pose::from_translation);
        let two = Shape::compound(places.map(|place| (dot.clone(), place))).expect("two balls");
        assert_ne!(kind(body(mesh([1.0; 3]), [0.0; 3]), body(two, [0.0; 3])), Kind::Enveloped);
        // A hollow solid does not envelop a body that crosses its inner surface.
        let cup = mesh([1.0; 3]);
        assert_eq!(kind(body(cup.clone(), [0.0; 3]), ball(0.5, 0.0)), Kind::Enveloped);
        assert_eq!(kind(body(cup, [0.0; 3]), ball(0.5, 0.8)), Kind::Protruding);
    }
}
