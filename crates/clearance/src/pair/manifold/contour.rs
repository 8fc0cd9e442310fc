//! The contact face of a convex shape: the part of its boundary that faces along a direction, as a polygon, a segment or a point.
//!
//! A [`Contour`] comes with a plane that has the whole shape on one side and all corners of the contour on it. Bounds of distances rest on that plane, not on the
//! choice of the face: a poor choice gives few points and never a wrong bracket.
//!
//! **Choice.** Of the faces at the support points along the direction, the one whose normal is closest to the direction, if it is within [`FACE_COS`]. Else the edge
//! there that is closest to perpendicular, within [`EDGE_SIN`]. Else the support point. Of equals the one with the smallest number. The face of the last frame is
//! preferred if it is nearly as good ([`KEPT_COS`]).
//!
//! **Round shapes.** The flat ends of cylinders and cones are polygons of [`RIM_CORNERS`] points on the rim. The side of a cylinder, cone or capsule is a segment. The
//! first corner of a rim is the lowest one where the tilt is more than [`LEVEL`], so that a coin that rolls has its true lowest point.
//!
//! **Invariants.** (F1) Each corner is a point of the shape to rounding. (F2) `normal·x <= height` for all points x of the shape to twice the rounding error of the
//! pair, and `normal·x = height` at the corners to the same error.

use super::feature_pair::Name;
use crate::math::Frame;
use crate::shape::{Affine, Cone, Convex, Cuboid, Cylinder, Polytope, Segment, Shape, Triangle};
use glam::{DMat3, DVec3};
use smallvec::SmallVec;

/// Cosine of the largest angle between the direction and the normal of a contact face. Limit: 25.8 degrees. Planes that are steeper would multiply
/// rounding errors.
const FACE_COS: f64 = 0.9;

/// Sine of the largest angle by which a contact edge leans from the plane across the direction. Limit: the same 25.8 degrees.
const EDGE_SIN: f64 = 0.43;

/// The face of the last frame stays if its cosine is at most this much below the best. Limit: part of the contract, 0.06 degrees where two
/// faces meet at 90 degrees.
const KEPT_COS: f64 = 1e-3;

/// Corners of a contact face that need no heap. Layout: a contour is on the stack.
pub(super) const FEW_CORNERS: usize = 8;

/// Corners on the rim of a round face. Limit: as many as need no heap.
const RIM_CORNERS: u32 = 8;

/// Sine of the tilt below which a round face is level. Limit: the lowest point of the rim is then at most this part of the radius lower than the
/// lowest corner.
const LEVEL: f64 = 1e-4;

/// Sine of the angle to the plane across the direction up to which both ends of an edge are highest vertices. Limit: the error of a normal.
const LEVEL_EDGE: f64 = 1e-6;

/// Corners are on a supporting plane if none is lower than this part of the size. Bound: a lower corner only widens the bracket of a point, by as much.
pub(super) const COPLANAR: f64 = 1e-9;

/// A corner of a contour.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceCorner {
    pub point: DVec3,
    pub name: Name,
}

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Contour {
    /// Counter-clockwise about the normal, for three or more; none for the surface of a half-space.
    pub corners: SmallVec<[FaceCorner; FEW_CORNERS]>,
    /// Side `i` joins corner `i` to the next. Of a segment the one side.
    pub sides: SmallVec<[Name; FEW_CORNERS]>,
    /// The name of a point between the sides.
    pub inner: Name,
    /// Unit normal of the supporting plane.
    pub normal: DVec3,
    /// Its height, see (F2).
    pub height: f64,
    /// How much farther along the direction the shape may reach than the corners, because they are only some points of a rim.
    pub roundness: f64,
}

impl Contour {
    /// The contact face of a bounded convex shape along a unit direction, in the frame of the shape. `kept` is that of the last frame.
    // A contour is large: made where it is used, it is not moved.
    #[inline(always)]
    pub fn of(shape: &Shape, core: &dyn Convex, direction: DVec3, kept: Option<Name>) -> Self {
        let mut contour = Self::of_core(shape, core, direction, kept);
        let radius = core.radius();
        if radius > 0.0 {
            let offset = radius * contour.normal;
            contour.corners.iter_mut().for_each(|corner| corner.point += offset);
            contour.height += radius;
        }
        contour
    }

    /// The face of a name whose normal is a direction: that of the last frame, which needs no search in a polytope.
    #[inline(always)]
    pub fn of_name(shape: &Shape, core: &dyn Convex, normal: DVec3, name: Name) -> Self {
        match (shape, name.as_face()) {
            (Shape::Polytope(polytope), Some(face)) if (face as usize) < polytope.face_count() => {
                Self::polytope_face(polytope, face)
            }
            _ => Self::of(shape, core, normal, Some(name)),
        }
    }

    /// The contact face of the core.
    fn of_core(shape: &Shape, core: &dyn Convex, direction: DVec3, kept: Option<Name>) -> Self {
        let found = match shape {
            Shape::Sphere(_) => Some(Self::point(DVec3::ZERO, Name::surface(0), direction)),
            Shape::Cuboid(cuboid) => Self::of_cuboid(cuboid, direction, kept),
            Shape::Segment(segment) => Self::of_segment(segment, direction),
            Shape::Triangle(triangle) => Self::of_triangle(triangle, direction),
            Shape::Cylinder(cylinder) => Self::of_cylinder(cylinder, direction),
            Shape::Cone(cone) => Self::of_cone(cone, direction),
            Shape::Polytope(polytope) => Self::of_polytope(polytope, direction, kept),
            Shape::Affine(affine) => Self::of_affine(affine, direction, kept),
            Shape::Rounded(rounded) => match rounded.shape().convex() {
                Some(core) => return Self::of_core(rounded.shape(), core, direction, kept),
                None => None,
            },
            Shape::Ellipsoid(_) | Shape::Custom(_) => None,
            Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::Compound(_) => None,
        };
        found.unwrap_or_else(|| {
            let support = core.support_vertex(direction);
            let name =
                if core.vertex(support.vertex).is_some() { Name::vertex(support.vertex) } else { Name::surface(0) };
            Self::point(support.point, name, direction)
        })
    }

    /// The surface of a half-space: a plane without corners.
    pub fn plane(normal: DVec3, height: f64) -> Self {
        Self { corners: SmallVec::new(), sides: SmallVec::new(), inner: Name::face(0), normal, height, roundness: 0.0 }
    }

    /// One point, with the plane across the direction.
    fn point(point: DVec3, name: Name, direction: DVec3) -> Self {
        Self {
            corners: std::iter::once(FaceCorner { point, name }).collect(),
            sides: SmallVec::new(),
            inner: name,
            normal: direction,
            height: direction.dot(point),
            roundness: 0.0,
        }
    }

    /// A segment; the plane holds it and is as much across the direction as it can be.
    fn edge(corners: [FaceCorner; 2], name: Name, normal: DVec3) -> Self {
        let height = normal.dot(corners[0].point).max(normal.dot(corners[1].point));
        Self {
            corners: corners.into_iter().collect(),
            sides: std::iter::once(name).collect(),
            inner: name,
            normal,
            height,
            roundness: 0.0,
        }
    }

    fn of_cuboid(cuboid: &Cuboid, d: DVec3, kept: Option<Name>) -> Option<Self> {
        let half = cuboid.half_extents();
        let size = d.abs();
        let mut axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
        let face_of = |axis: usize| 2 * axis as u32 + u32::from(d[axis] > 0.0);
        if let Some(face) = kept.and_then(Name::as_face)
            && let Some(other) = (0..3).find(|&other| face_of(other) == face)
            && size[other] >= size[axis] - KEPT_COS
            && size[other] >= FACE_COS
        {
            axis = other;
        }
        let bit = |axis: usize| u32::from(d[axis] > 0.0) << axis;
        let corner = |v: u32| {
            let side = |axis: usize| if v >> axis & 1 == 1 { half[axis] } else { -half[axis] };
            FaceCorner { point: DVec3::new(side(0), side(1), side(2)), name: Name::vertex(v) }
        };
        if size[axis] >= FACE_COS {
            let (one, two) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let base = bit(axis);
            // Counter-clockwise seen from outside; the other way round on the negative side.
            let loop_of = if d[axis] > 0.0 { [0, one, one | two, two] } else { [0, two, one | two, one] };
            let vertices = loop_of.map(|v| v | base);
            let mut normal = DVec3::ZERO;
            normal[axis] = 1.0_f64.copysign(d[axis]);
            return Some(Self {
                corners: vertices.into_iter().map(corner).collect(),
                sides: (0..4).map(|k| Name::edge(cuboid_edge(vertices[k], vertices[(k + 1) % 4]))).collect(),
                inner: Name::face(face_of(axis)),
                normal,
                height: half[axis],
                roundness: 0.0,
            });
        }
        let least = if size.x <= size.y && size.x <= size.z { 0 } else { 1 + usize::from(size.z < size.y) };
        if size[least] > EDGE_SIN {
            return None;
        }
        let base = bit((least + 1) % 3) | bit((least + 2) % 3);
        let vertices = [base, base | 1 << least];
        let mut normal = d;
        normal[least] = 0.0;
        let name = Name::edge(cuboid_edge(vertices[0], vertices[1]));
        Some(Self::edge(vertices.map(corner), name, normal.try_normalize()?))
    }

    fn of_segment(segment: &Segment, d: DVec3) -> Option<Self> {
        let ends = segment.ends();
        let along = (ends[1] - ends[0]).try_normalize()?;
        let lean = along.dot(d);
        if lean.abs() > EDGE_SIN {
            return None;
        }
        let normal = (d - lean * along).try_normalize()?;
        let corners = [0, 1].map(|end| FaceCorner { point: ends[end], name: Name::vertex(end as u32) });
        Some(Self::edge(corners, Name::edge(0), normal))
    }

    fn of_triangle(triangle: &Triangle, d: DVec3) -> Option<Self> {
        let [a, b, c] = triangle.corners();
        let unit = triangle_normal([a, b, c]);
        if let Some(normal) = unit
            && normal.dot(d).abs() >= FACE_COS
        {
            return Some(Self::triangle_face([a, b, c], normal, d));
        }
        let corners = [a, b, c];
        let top = if a.dot(d) >= b.dot(d) && a.dot(d) >= c.dot(d) { 0 } else { 1 + usize::from(c.dot(d) > b.dot(d)) };
        let sides = [top, (top + 2) % 3];
        let leans = sides.map(|k| {
            let along = (corners[(k + 1) % 3] - corners[k]).normalize_or_zero();
            (along, along.dot(d))
        });
        let least = usize::from(leans[1].1.abs() < leans[0].1.abs());
        let (along, lean) = leans[least];
        if lean.abs() > EDGE_SIN || along == DVec3::ZERO {
            return None;
        }
        let k = sides[least];
        let mut normal = d - lean * along;
        // Not into the triangle.
        if let Some(unit) = unit {
            let middle = corners[(k + 2) % 3] - corners[k];
            let inward = unit.cross(along);
            let inward = if inward.dot(middle) < 0.0 { -inward } else { inward };
            normal -= normal.dot(inward).max(0.0) * inward;
        }
        let normal = normal.try_normalize()?;
        let ends = [k, (k + 1) % 3].map(|v| FaceCorner { point: corners[v], name: Name::vertex(v as u32) });
        let height = Convex::height(triangle, normal);
        Self::edge(ends, Name::edge(k as u32), normal).supporting(height, triangle.bounding_radius())
    }

    /// The face of a triangle, which has two sides.
    fn triangle_face([a, b, c]: [DVec3; 3], normal: DVec3, d: DVec3) -> Self {
        let is_front = normal.dot(d) >= 0.0;
        let (order, sides) = if is_front { ([0, 1, 2], [0, 1, 2]) } else { ([0, 2, 1], [2, 1, 0]) };
        let normal = if is_front { normal } else { -normal };
        let corners = order.map(|v: u32| FaceCorner { point: [a, b, c][v as usize], name: Name::vertex(v) });
        let height = corners.iter().fold(f64::NEG_INFINITY, |most, corner| normal.dot(corner.point).max(most));
        Self {
            corners: corners.into_iter().collect(),
            sides: sides.into_iter().map(Name::edge).collect(),
            inner: Name::face(0),
            normal,
            height,
            roundness: 0.0,
        }
    }

    fn of_cylinder(cylinder: &Cylinder, d: DVec3) -> Option<Self> {
        let (radius, half) = (cylinder.base_radius(), cylinder.half_height());
        if d.y.abs() >= FACE_COS {
            let sign = 1.0_f64.copysign(d.y);
            return Some(Self::disc(radius, sign * half, sign, d));
        }
        if d.y.abs() > EDGE_SIN {
            return None;
        }
        let normal = DVec3::new(d.x, 0.0, d.z).try_normalize()?;
        let rim = radius * normal;
        let ends = [-half, half].map(|y| rim + DVec3::new(0.0, y, 0.0));
        let corners = [0, 1].map(|k| FaceCorner { point: ends[k], name: Name::surface(2 + k as u32) });
        Some(Self::edge(corners, Name::surface(4), normal))
    }

    fn of_cone(cone: &Cone, d: DVec3) -> Option<Self> {
        let (radius, half) = (cone.base_radius(), cone.half_height());
        if d.y <= -FACE_COS {
            return Some(Self::disc(radius, -half, -1.0, d));
        }
        let out = DVec3::new(d.x, 0.0, d.z).try_normalize()?;
        // The line from the rim to the apex, and the normal of the side along it.
        let along = DVec3::new(-radius * out.x, 2.0 * half, -radius * out.z).try_normalize()?;
        let normal = (2.0 * half * out + DVec3::new(0.0, radius, 0.0)).try_normalize()?;
        if along.dot(d).abs() > EDGE_SIN {
            return None;
        }
        let ends = [radius * out - DVec3::new(0.0, half, 0.0), DVec3::new(0.0, half, 0.0)];
        let corners = [0, 1].map(|k| FaceCorner { point: ends[k], name: Name::surface(2 + k as u32) });
        Some(Self::edge(corners, Name::surface(4), normal))
    }

    /// A flat round face at a height along y.
    fn disc(radius: f64, y: f64, sign: f64, d: DVec3) -> Self {
        let (normal, tilt) = (DVec3::new(0.0, sign, 0.0), d.x.hypot(d.z));
        let first = if tilt > LEVEL { DVec3::new(d.x, 0.0, d.z) / tilt } else { DVec3::X };
        // Counter-clockwise about the normal.
        let second = normal.cross(first);
        const STEPS: [[f64; 2]; RIM_CORNERS as usize] = {
            let r = std::f64::consts::FRAC_1_SQRT_2;
            [[1.0, 0.0], [r, r], [0.0, 1.0], [-r, r], [-1.0, 0.0], [-r, -r], [0.0, -1.0], [r, -r]]
        };
        let middle = DVec3::new(0.0, y, 0.0);
        let corner = |(k, [cos, sin]): (u32, [f64; 2])| FaceCorner {
            point: middle + radius * (cos * first + sin * second),
            name: Name::surface(8 + k),
        };
        let face = if sign > 0.0 { 1 } else { 0 };
        Self {
            corners: (0..).zip(STEPS).map(corner).collect(),
            sides: (0..RIM_CORNERS).map(|k| Name::surface(16 + k)).collect(),
            inner: Name::surface(face),
            normal,
            height: y * sign,
            roundness: if tilt > LEVEL { 0.0 } else { radius * LEVEL },
        }
    }

    fn of_polytope(polytope: &Polytope, d: DVec3, kept: Option<Name>) -> Option<Self> {
        let vertex = Convex::support_vertex(polytope, d).vertex;
        if vertex as usize >= polytope.vertex_count() {
            return None;
        }
        let (normals, _) = polytope.planes();
        let last = kept.and_then(Name::as_face).and_then(|face| Some((face, *normals.get(face as usize)?)));
        let vertices = highest_vertices(polytope, vertex, |edge| polytope.edge_direction(edge).dot(d));
        let faces = vertices.iter().flat_map(|&v| polytope.vertex_faces(v)).map(|face| (face, normals[face as usize]));
        let edges = vertices.iter().flat_map(|&v| polytope.vertex_edges(v));
        let edges = edges.map(|&edge| (edge, polytope.edge_direction(edge)));
        let number = match best_of(faces, edges, d, last)? {
            BestFeature::Face(face) => return Some(Self::polytope_face(polytope, face)),
            BestFeature::Edge(edge) => edge,
        };
        let edge = polytope.edge(number);
        let sides = [edge.left, edge.right].map(|face| normals.get(face as usize).copied());
        let normal = edge_normal(polytope.edge_direction(number), sides, d)?;
        let height = Convex::height(polytope, normal);
        Self::edge(Self::polytope_ends(polytope, number), Name::edge(number), normal)
            .supporting(height, polytope.bounding_radius())
    }

    fn polytope_ends(polytope: &Polytope, number: u32) -> [FaceCorner; 2] {
        let edge = polytope.edge(number);
        [edge.tail, edge.head].map(|v| FaceCorner { point: polytope.vertex(v), name: Name::vertex(v) })
    }

    /// This contour with the height of the whole shape along its normal, if that is the height of the corners.
    fn supporting(mut self, height: f64, size: f64) -> Option<Self> {
        let lowest = self.corners.iter().fold(f64::INFINITY, |least, corner| self.normal.dot(corner.point).min(least));
        self.height = height;
        (height - lowest <= COPLANAR * size).then_some(self)
    }

    fn polytope_face(polytope: &Polytope, number: u32) -> Self {
        let face = polytope.face(number);
        let corner = |&v: &u32| FaceCorner { point: polytope.vertex(v), name: Name::vertex(v) };
        Self {
            corners: face.vertices.iter().map(corner).collect(),
            sides: face.edges.iter().map(|&e| Name::edge(e)).collect(),
            inner: Name::face(number),
            normal: face.normal,
            height: face.offset,
            roundness: 0.0,
        }
    }

    /// The image of a face or edge of the shape inside: of a polytope or box the one whose image fits best, of another shape its own contact face.
    fn of_affine(affine: &Affine, d: DVec3, kept: Option<Name>) -> Option<Self> {
        let (inner, matrix) = (affine.shape().convex()?, affine.matrix());
        let direction = (matrix.transpose() * d).try_normalize()?;
        // The faces beside an edge. The choice is by angles of the image, since those inside depend on the axes of the matrix.
        let mut sides = [None; 2];
        let mut contour = match affine.shape() {
            Shape::Polytope(polytope) => {
                let (image, normals) = (NormalImage::new(matrix), polytope.planes().0);
                let of_face = |face: u32| Some(image.of(*normals.get(face as usize)?));
                let vertex = inner.support_vertex(direction).vertex;
                let along = |edge: u32| (matrix * polytope.edge_direction(edge)).normalize_or_zero();
                let vertices = highest_vertices(polytope, vertex, |edge| along(edge).dot(d));
                let faces = vertices.iter().flat_map(|&v| polytope.vertex_faces(v));
                let faces = faces.filter_map(|face| Some((face, of_face(face)?)));
                let edges = vertices.iter().flat_map(|&v| polytope.vertex_edges(v)).map(|&edge| (edge, along(edge)));
                let last = kept.and_then(Name::as_face).and_then(|face| Some((face, of_face(face)?)));
                match best_of(faces, edges, d, last)? {
                    BestFeature::Face(face) => Self::polytope_face(polytope, face),
                    BestFeature::Edge(number) => {
                        let edge = polytope.edge(number);
                        sides = [edge.left, edge.right].map(of_face);
                        Self::edge(Self::polytope_ends(polytope, number), Name::edge(number), direction)
                    }
                }
            }
            Shape::Cuboid(cuboid) => {
                let image = NormalImage::new(matrix);
                let vertex = inner.support_vertex(direction).vertex;
                // Face 2 k is that against axis k, face 2 k + 1 that along it.
                let outward = |face: u32| DVec3::AXES[face as usize / 2] * if face & 1 == 1 { 1.0 } else { -1.0 };
                let face_at = |axis: u32| 2 * axis + (vertex >> axis & 1);
                // All faces, since both ends of an edge may be equally high.
                let faces = (0..6).map(|face| (face, image.of(outward(face))));
                let edges = (0..3).map(|axis| (axis, matrix.col(axis as usize).normalize_or_zero()));
                let last = kept.and_then(Name::as_face).filter(|&face| face < 6);
                match best_of(faces, edges, d, last.map(|face| (face, image.of(outward(face)))))? {
                    BestFeature::Face(face) => Self::of_cuboid(cuboid, outward(face), None)?,
                    BestFeature::Edge(axis) => {
                        sides = [1, 2].map(|by| Some(image.of(outward(face_at((axis + by) % 3)))));
                        let vertices = [vertex & !(1 << axis), vertex | 1 << axis];
                        let corner = |v: u32| Some(FaceCorner { point: inner.vertex(v)?, name: Name::vertex(v) });
                        let name = Name::edge(cuboid_edge(vertices[0], vertices[1]));
                        Self::edge([corner(vertices[0])?, corner(vertices[1])?], name, direction)
                    }
                }
            }
            _ => Self::of_core(affine.shape(), inner, direction, kept),
        };
        // The image of a ball is none: of a rounded shape only faces stay flat.
        if inner.radius() > 0.0 {
            if contour.corners.len() < 3 {
                return None;
            }
            let offset = inner.radius() * contour.normal;
            contour.corners.iter_mut().for_each(|corner| corner.point += offset);
        }
        contour.corners.iter_mut().for_each(|corner| corner.point = matrix * corner.point);
        contour.normal = match contour.corners.len() {
            0 | 1 => d,
            2 => {
                let along = (contour.corners[1].point - contour.corners[0].point).try_normalize()?;
                edge_normal(along, sides, d)?
            }
            count => {
                let at = |k: usize| contour.corners[k % count].point - contour.corners[0].point;
                let doubled = (1..count).fold(DVec3::ZERO, |sum, k| sum + at(k).cross(at(k + 1)));
                let normal = doubled.try_normalize()?;
                if normal.dot(d) < 0.0 { -normal } else { normal }
            }
        };
        if contour.normal.dot(d) < FACE_COS * FACE_COS {
            return None;
        }
        // A mirror exchanges left and right.
        if contour.corners.len() > 2 && matrix.determinant() < 0.0 {
            contour.corners.reverse();
            contour.sides.reverse();
            contour.sides.rotate_left(1);
        }
        if contour.roundness > 0.0 {
            contour.roundness = LEVEL * affine.bounding_radius();
        }
        let height = Convex::height(affine, contour.normal);
        contour.supporting(height, affine.bounding_radius())
    }

    /// Puts a contour of B into the frame of A.
    #[inline]
    pub fn place(&mut self, b_in_a: &Frame) {
        self.corners.iter_mut().for_each(|corner| corner.point = b_in_a.point(corner.point));
        self.normal = b_in_a.rotation * self.normal;
        self.height += self.normal.dot(b_in_a.translation);
    }
}

/// The feature of a polytope that is the contact face.
enum BestFeature {
    Face(u32),
    Edge(u32),
}

/// The support vertex, and those that an edge across the direction joins to it: which of them is the support vertex is a matter of rounding. `lean` is the sine of the angle of an edge.
fn highest_vertices(polytope: &Polytope, vertex: u32, lean: impl Fn(u32) -> f64) -> SmallVec<[u32; 4]> {
    let level = polytope.vertex_edges(vertex).iter().zip(polytope.neighbors(vertex));
    let level = level.filter(|(edge, _)| lean(**edge).abs() <= LEVEL_EDGE).map(|(_, other)| *other);
    std::iter::once(vertex).chain(level).collect()
}

/// Of the faces and edges at the highest vertices, each with its unit normal or direction, the one that fits a direction best; see the module. `last` is the face of the last frame.
fn best_of(
    faces: impl Iterator<Item = (u32, DVec3)>,
    edges: impl Iterator<Item = (u32, DVec3)>,
    d: DVec3,
    last: Option<(u32, DVec3)>,
) -> Option<BestFeature> {
    let mut best: Option<(f64, u32)> = None;
    for (face, normal) in faces {
        let cos = normal.dot(d);
        if best.is_none_or(|(most, number)| cos > most || cos == most && face < number) {
            best = Some((cos, face));
        }
    }
    if let Some((cos, face)) = best.filter(|(cos, _)| *cos >= FACE_COS) {
        let is_as_good = |(_, normal): &(u32, DVec3)| normal.dot(d) >= (cos - KEPT_COS).max(FACE_COS);
        return Some(BestFeature::Face(last.filter(is_as_good).map_or(face, |(last, _)| last)));
    }
    let mut least: Option<(f64, u32)> = None;
    for (edge, along) in edges {
        let lean = along.dot(d).abs();
        if least.is_none_or(|(best, number)| lean < best || lean == best && edge < number) {
            least = Some((lean, edge));
        }
    }
    least.filter(|(lean, _)| *lean <= EDGE_SIN).map(|(_, edge)| BestFeature::Edge(edge))
}

/// The normal of the plane of a contact edge that is as much along a direction as it can be, between the normals of the faces beside the edge: planes there support the whole polytope.
fn edge_normal(along: DVec3, sides: [Option<DVec3>; 2], d: DVec3) -> Option<DVec3> {
    let mut normal = (d - along.dot(d) * along).try_normalize()?;
    if let [Some(left), Some(right)] = sides {
        let cos = left.dot(right);
        if normal.dot(right - cos * left) < 0.0 {
            normal = left;
        } else if normal.dot(left - cos * right) < 0.0 {
            normal = right;
        }
    }
    (normal.dot(d) >= FACE_COS * FACE_COS).then_some(normal)
}

/// Maps the normals of planes as a matrix maps the planes: by its cofactors.
struct NormalImage(DMat3);

impl NormalImage {
    fn new(matrix: DMat3) -> Self {
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = matrix;
        let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
        // A mirror keeps outward normals outward.
        Self(if x.dot(y.cross(z)) < 0.0 { -cofactors } else { cofactors })
    }

    fn of(&self, normal: DVec3) -> DVec3 {
        (self.0 * normal).normalize_or_zero()
    }
}

/// The number of the edge of a box between two vertices.
fn cuboid_edge(from: u32, to: u32) -> u32 {
    match from ^ to {
        1 => from >> 1 & 3,
        2 => 4 + (from & 1 | from >> 1 & 2),
        _ => 8 + (from & 3),
    }
}

/// The unit normal of a triangle, from its two shortest sides.
pub(super) fn triangle_normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let sides = [b - a, c - b, a - c];
    let squares = sides.map(DVec3::length_squared);
    let longest =
        if squares[0] >= squares[1] && squares[0] >= squares[2] { 0 } else { 1 + usize::from(squares[2] > squares[1]) };
    let (one, two) = (sides[(longest + 1) % 3], sides[(longest + 2) % 3]);
    one.try_normalize()?.cross(two.try_normalize()?).try_normalize()
}
