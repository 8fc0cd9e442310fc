//! Support points of cores, each with its reason: the checker's [`Member`].
//!
//! 1. Vertices have the numbers of the points that were written, corners of triangles those of the mesh that was written.
//! 2. A computed point of a curved surface is moved inside by more than its rounding.

use super::parts::PosedPart;
use crate::shape::{Convex, Mesh, Shape};
use clearance_verify::Member;
use glam::DVec3;

/// The weighted mean of members; those of no weight are left out, and a single one stands for itself.
pub(super) fn mix(terms: impl IntoIterator<Item = (f64, Member)>) -> Member {
    let mut terms: Vec<(f64, Member)> = terms.into_iter().filter(|(share, _)| *share > 0.0).collect();
    if terms.len() == 1 {
        return terms.remove(0).1;
    }
    Member::Mix(terms)
}

/// The number that evidence gives a vertex of a core: vertices of a hull are counted among the points that were written.
pub(super) fn vertex_number(shape: &Shape, vertex: u32) -> u32 {
    match shape {
        Shape::Polytope(polytope) => polytope.source(vertex),
        Shape::Affine(affine) => vertex_number(affine.shape(), vertex),
        Shape::Rounded(rounded) => vertex_number(rounded.shape(), vertex),
        _ => vertex,
    }
}

/// The number that evidence gives a corner of a triangle of a mesh. The library reverses the triangles of a mirrored mesh.
pub(super) fn corner_number(mesh: &Mesh, corner: u32) -> u32 {
    match corner {
        1 | 2 if mesh.is_turned() => 3 - corner,
        _ => corner,
    }
}

/// The relative inset of computed points of curved surfaces. Bound: sines, roots and products of a point round by less than 3 ε, so that the
/// points are inside.
const INSET: f64 = 4.0 * f64::EPSILON;

/// Direction that breaks ties among vertices that are farthest to rounding. It is parallel to no likely edge, so that the choice is a corner of
/// A - B and not a point in the middle of a face.
const TIE: DVec3 = DVec3::new(0.512_903_172_4, 0.371_804_918_3, 0.773_690_127_7);

/// A convex shape whose farthest points can be proved to be its own.
pub(super) struct ProvableCore<'a> {
    shape: &'a Shape,
    core: &'a dyn Convex,
    /// All vertices, if the core is a polytope.
    vertices: Option<Vec<DVec3>>,
    /// The mesh that the shape is a triangle of.
    mesh: Option<&'a Mesh>,
}

impl<'a> ProvableCore<'a> {
    pub fn new(shape: &'a Shape) -> Option<Self> {
        let core = shape.convex()?;
        is_known(shape).then(|| Self { shape, core, vertices: vertices(shape), mesh: None })
    }

    /// The core of a part.
    pub fn of_part(part: &'a PosedPart<'_>) -> Option<Self> {
        Some(Self { mesh: part.mesh(), ..Self::new(part.shape())? })
    }

    /// The number that evidence gives a vertex.
    pub fn number(&self, vertex: u32) -> u32 {
        match self.mesh {
            Some(mesh) => corner_number(mesh, vertex),
            None => vertex_number(self.shape, vertex),
        }
    }

    pub fn radius(&self) -> f64 {
        self.core.radius()
    }

    pub fn core(&self) -> &'a dyn Convex {
        self.core
    }

    /// A bound on the coordinates of the core.
    pub fn bounding_radius(&self) -> f64 {
        self.core.bounding_radius()
    }

    /// A farthest point of the core.
    pub fn support(&self, direction: DVec3) -> (DVec3, Member) {
        self.corner(direction, DVec3::ZERO)
    }

    /// A farthest point of the core; of several that are as far to rounding, the one farthest along `tie`.
    pub fn corner(&self, direction: DVec3, tie: DVec3) -> (DVec3, Member) {
        let Some(vertices) = &self.vertices else { return core_support(self.shape, direction) };
        let highest = vertices.iter().fold(f64::NEG_INFINITY, |most, v| most.max(v.dot(direction)));
        let level = highest
            // Heights of two vertices differ by rounding only up to 3 ε of the bounding radius each, so that those within 16 ε are equal.
            - if tie == DVec3::ZERO { 0.0 } else { 16.0 * f64::EPSILON * self.bounding_radius() * direction.length() };
        let candidates = vertices.iter().enumerate().filter(|(_, v)| v.dot(direction) >= level);
        let best = candidates.max_by(|(_, p), (_, q)| p.dot(tie).total_cmp(&q.dot(tie)));
        let (index, point) = best.map_or((0, vertices[0]), |(index, point)| (index, *point));
        (point, Member::Vertex(self.number(index as u32)))
    }

    /// The direction that breaks ties.
    pub fn tie() -> DVec3 {
        TIE
    }
}

/// Is the shape made of kinds that the checker knows?
fn is_known(shape: &Shape) -> bool {
    match shape {
        Shape::Affine(affine) => is_known(affine.shape()),
        Shape::Rounded(rounded) => is_known(rounded.shape()),
        Shape::Custom(_) | Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::Compound(_) => false,
        Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::Polytope(_) => true,
    }
}

/// The vertices of the core, if it is a polytope.
fn vertices(shape: &Shape) -> Option<Vec<DVec3>> {
    Some(match shape {
        Shape::Sphere(_) => vec![DVec3::ZERO],
        Shape::Cuboid(cuboid) => (0..8).filter_map(|v| cuboid.vertex(v)).collect(),
        Shape::Segment(segment) => segment.ends().to_vec(),
        Shape::Triangle(triangle) => triangle.corners().to_vec(),
        Shape::Polytope(polytope) => polytope.vertices().to_vec(),
        Shape::Rounded(rounded) => return vertices(rounded.shape()),
        Shape::Affine(affine) if affine.shape().convex()?.radius() == 0.0 => {
            vertices(affine.shape())?.into_iter().map(|v| affine.matrix() * v).collect()
        }
        Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::Affine(_)
        | Shape::Custom(_)
        | Shape::HalfSpace(_)
        | Shape::Mesh(_)
        | Shape::Compound(_) => return None,
    })
}

fn core_support(shape: &Shape, direction: DVec3) -> (DVec3, Member) {
    match shape {
        Shape::Rounded(rounded) => core_support(rounded.shape(), direction),
        Shape::Affine(affine) => {
            let (point, member) = full_support(affine.shape(), affine.matrix().transpose() * direction);
            (affine.matrix() * point, Member::Image(Box::new(member)))
        }
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) => {
            let point = shape.convex().map_or(DVec3::ZERO, |core| core.support(direction));
            let point = inset(shape, point);
            (point, Member::At(point.to_array()))
        }
        Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Polytope(_)
        | Shape::Custom(_)
        | Shape::HalfSpace(_)
        | Shape::Mesh(_)
        | Shape::Compound(_) => match shape.convex() {
            Some(core) => {
                let support = core.support_vertex(direction);
                (support.point, Member::Vertex(vertex_number(shape, support.vertex)))
            }
            None => (DVec3::ZERO, Member::Plane {}),
        },
    }
}

/// A farthest point of the whole shape, radius included.
pub(super) fn full_support(shape: &Shape, direction: DVec3) -> (DVec3, Member) {
    let (point, core) = core_support(shape, direction);
    let radius = shape.convex().map_or(0.0, Convex::radius);
    if radius == 0.0 {
        return (point, core);
    }
    let offset = direction.normalize_or_zero() * (radius * (1.0 - INSET));
    (point + offset, Member::Offset { core: Box::new(core), offset: offset.to_array() })
}

/// A point next to the surface, moved inside for certain.
fn inset(shape: &Shape, point: DVec3) -> DVec3 {
    match shape {
        // Upright shapes: across the axis. The height of a support point is exactly that of a flat face or the apex.
        Shape::Cylinder(_) | Shape::Cone(_) => DVec3::new(point.x * (1.0 - INSET), point.y, point.z * (1.0 - INSET)),
        Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Ellipsoid(_)
        | Shape::Polytope(_) => point * (1.0 - INSET),
        Shape::Affine(_)
        | Shape::Rounded(_)
        | Shape::Custom(_)
        | Shape::HalfSpace(_)
        | Shape::Mesh(_)
        | Shape::Compound(_) => point * (1.0 - INSET),
    }
}
