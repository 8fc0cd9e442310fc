//! Shapes of parry as shapes of Clearance, with what they were made of.
//!
//! A [`Converted`] shape keeps its [`Content`]: all numbers and parts that went into it. [`Converted::is_of`] compares them with a shape of parry, so that nothing stale is ever used.

use clearance::math::{DQuat, DVec3};
use clearance::{Axis, HalfHeight, Pose, Radius, Shape};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::shape::{Compound, Shape as ParryShape, ShapeType, SharedShape, TypedShape};
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::Arc;

pub fn vector(v: Vector) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

pub fn to_parry(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// None for a pose with a number that is not finite.
pub fn pose(pose: &ParryPose) -> Option<Pose> {
    let q = pose.rotation;
    Pose::try_new(vector(pose.translation), DQuat::from_xyzw(q.x, q.y, q.z, q.w)).ok()
}

/// The numbers of a pose, for comparison.
fn bits(pose: &ParryPose) -> [u64; 7] {
    let (t, q) = (pose.translation, pose.rotation);
    [t.x, t.y, t.z, q.x, q.y, q.z, q.w].map(f64::to_bits)
}

/// The most numbers of a shape without arrays. Layout: a round triangle has nine coordinates and a radius.
const MOST_NUMBERS: usize = 10;

/// A shape of few numbers: its type, and the numbers with zeros behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Small {
    kind: ShapeType,
    numbers: [u64; MOST_NUMBERS],
}

impl Small {
    pub fn of(shape: &dyn ParryShape) -> Option<Self> {
        let mut numbers = [0; MOST_NUMBERS];
        let mut count = 0;
        let mut add = |values: &[f64]| {
            for value in values {
                numbers[count] = value.to_bits();
                count += 1;
            }
        };
        let mut points = |points: &[Vector], rest: &[f64]| {
            points.iter().for_each(|p| add(&[p.x, p.y, p.z]));
            add(rest);
        };
        let typed = shape.as_typed_shape();
        match typed {
            TypedShape::Ball(ball) => points(&[], &[ball.radius]),
            TypedShape::Cuboid(cuboid) => points(&[cuboid.half_extents], &[]),
            TypedShape::Capsule(capsule) => points(&[capsule.segment.a, capsule.segment.b], &[capsule.radius]),
            TypedShape::Segment(segment) => points(&[segment.a, segment.b], &[]),
            TypedShape::Triangle(triangle) => points(&[triangle.a, triangle.b, triangle.c], &[]),
            TypedShape::HalfSpace(plane) => points(&[plane.normal], &[]),
            TypedShape::Cylinder(cylinder) => points(&[], &[cylinder.half_height, cylinder.radius]),
            TypedShape::Cone(cone) => points(&[], &[cone.half_height, cone.radius]),
            TypedShape::RoundCuboid(round) => points(&[round.inner_shape.half_extents], &[round.border_radius]),
            TypedShape::RoundTriangle(round) => {
                let inner = &round.inner_shape;
                points(&[inner.a, inner.b, inner.c], &[round.border_radius]);
            }
            TypedShape::RoundCylinder(round) => {
                points(&[], &[round.inner_shape.half_height, round.inner_shape.radius, round.border_radius]);
            }
            TypedShape::RoundCone(round) => {
                points(&[], &[round.inner_shape.half_height, round.inner_shape.radius, round.border_radius]);
            }
            _ => return None,
        }
        Some(Self { kind: shape.shape_type(), numbers })
    }

    /// None if Clearance refuses the numbers.
    pub fn shape(&self) -> Option<Shape> {
        let n = self.numbers.map(f64::from_bits);
        let at = |i: usize| DVec3::new(n[3 * i], n[3 * i + 1], n[3 * i + 2]);
        let cylinder = || Shape::cylinder(Axis::Y, Radius(n[1]), HalfHeight(n[0]));
        let cone = || Shape::cone(Axis::Y, Radius(n[1]), HalfHeight(n[0]));
        let built = match self.kind {
            ShapeType::Ball => Shape::sphere(n[0]),
            ShapeType::Cuboid => Shape::cuboid(at(0)),
            ShapeType::Capsule => Shape::capsule_between(at(0), at(1), Radius(n[6])),
            ShapeType::Segment => Shape::segment(at(0), at(1)),
            ShapeType::Triangle => Shape::triangle(at(0), at(1), at(2)),
            ShapeType::HalfSpace => Shape::half_space(at(0), 0.0),
            ShapeType::Cylinder => cylinder(),
            ShapeType::Cone => cone(),
            ShapeType::RoundCuboid => Shape::cuboid(at(0)).and_then(|core| Shape::rounded(&core, n[3])),
            ShapeType::RoundTriangle => {
                Shape::triangle(at(0), at(1), at(2)).and_then(|core| Shape::rounded(&core, n[9]))
            }
            ShapeType::RoundCylinder => cylinder().and_then(|core| Shape::rounded(&core, n[2])),
            ShapeType::RoundCone => cone().and_then(|core| Shape::rounded(&core, n[2])),
            _ => return None,
        };
        built.ok()
    }
}

/// The points of a convex polyhedron, and the radius around it.
pub fn hull_of(shape: &dyn ParryShape) -> Option<(&[Vector], f64)> {
    match shape.as_typed_shape() {
        TypedShape::ConvexPolyhedron(hull) => Some((hull.points(), 0.0)),
        TypedShape::RoundConvexPolyhedron(round) => Some((round.inner_shape.points(), round.border_radius)),
        _ => None,
    }
}

/// All that a Clearance shape was made of.
#[derive(Clone)]
enum Content {
    Small(Small),
    Hull {
        points: Vec<Vector>,
        radius: f64,
    },
    /// The parts are held, so that their addresses stand for what they contain.
    Compound(Vec<(ParryPose, SharedShape)>),
}

/// A shape of Clearance, and what it was made of.
pub struct Converted {
    content: Content,
    pub shape: Shape,
}

impl Converted {
    pub fn small(small: Small) -> Option<Self> {
        Some(Self { content: Content::Small(small), shape: small.shape()? })
    }

    /// A convex polyhedron or a compound; none if Clearance has no such shape. `part` converts the parts of a compound.
    pub fn large(shape: &dyn ParryShape, part: impl Fn(&dyn ParryShape) -> Option<Shape>) -> Option<Self> {
        if let Some((points, radius)) = hull_of(shape) {
            let corners: Vec<DVec3> = points.iter().copied().map(vector).collect();
            let core = Shape::hull(&corners).ok()?;
            let built = if radius == 0.0 { core } else { Shape::rounded(&core, radius).ok()? };
            return Some(Self { content: Content::Hull { points: points.to_vec(), radius }, shape: built });
        }
        let parts = shape.as_compound()?.shapes();
        let converted: Option<Vec<_>> = parts.iter().map(|(at, shape)| Some((part(&**shape)?, pose(at)?))).collect();
        let built = Shape::compound(converted?).ok()?;
        Some(Self { content: Content::Compound(parts.to_vec()), shape: built })
    }

    /// Was it made of this shape, as it is now?
    pub fn is_of(&self, shape: &dyn ParryShape) -> bool {
        match &self.content {
            Content::Small(small) => Small::of(shape).is_some_and(|other| other == *small),
            Content::Hull { points, radius } => {
                hull_of(shape).is_some_and(|(other, r)| r.to_bits() == radius.to_bits() && same_points(other, points))
            }
            Content::Compound(parts) => shape.as_compound().is_some_and(|compound| same_parts(compound, parts)),
        }
    }
}

fn same_points(one: &[Vector], other: &[Vector]) -> bool {
    let bits = |p: &Vector| [p.x, p.y, p.z].map(f64::to_bits);
    one.len() == other.len() && one.iter().zip(other).all(|(p, q)| bits(p) == bits(q))
}

fn address(shape: &SharedShape) -> *const () {
    Arc::as_ptr(&shape.0).cast()
}

fn same_parts(compound: &Compound, parts: &[(ParryPose, SharedShape)]) -> bool {
    let is_same = |((at, shape), (other_at, other)): (&(ParryPose, SharedShape), &(ParryPose, SharedShape))| {
        ptr::eq(address(shape), address(other)) && bits(at) == bits(other_at)
    };
    compound.shapes().len() == parts.len() && compound.shapes().iter().zip(parts).all(is_same)
}

/// The key under which a convex polyhedron or a compound is kept; none for other shapes. Different shapes may have the same one.
pub fn key(shape: &dyn ParryShape) -> Option<u64> {
    let mut hasher = rustc_hash::FxHasher::default();
    if let Some((points, radius)) = hull_of(shape) {
        radius.to_bits().hash(&mut hasher);
        points.iter().for_each(|p| [p.x, p.y, p.z].map(f64::to_bits).hash(&mut hasher));
    } else {
        for (at, part) in shape.as_compound()?.shapes() {
            (bits(at), address(part).addr()).hash(&mut hasher);
        }
    }
    Some(hasher.finish())
}
