//! Convex pieces inside the bodies, in one frame.
//!
//! | shape | pieces |
//! |---|---|
//! | mesh that is a solid | the inner pieces of its decomposition, made once and kept by the mesh |
//! | polytope, box | itself |
//! | other convex shape | a polytope whose vertices are points of its surface |
//! | compound | the pieces of its parts |
//! | shell, flat shape, half-space, custom shape | none |
//!
//! Invariant: (C1) every piece is inside its body, up to the `slack` that it carries. So a depth that is proved for the pieces holds for the bodies.
//! Volume outside the pieces lowers the lower bound and falsifies nothing.

use crate::decompose;
use crate::math::{Aabb, Frame, Pose};
use crate::shape::polytope::convex_hull;
use crate::shape::{Convex, Mesh, Polytope, Shape};
use crate::tuning::depth::INSCRIBED_STEPS;
use glam::DVec3;

/// A convex piece of a body, in the frame and unit of a search.
#[derive(Debug)]
pub struct BodyPiece {
    /// Its vertices.
    pub vertices: Vec<DVec3>,
    /// Its box.
    pub bounds: Aabb,
    /// A point inside.
    pub center: DVec3,
    /// Unit normals of its faces. Coplanar faces, up to rounding, are merged: pieces of a decomposition have many of those.
    pub normals: Vec<DVec3>,
    /// Edges between different merged faces.
    pub edges: Vec<PieceEdge>,
    /// Bound on the rounding error of a placed vertex, in the unit of the search.
    pub slack: f64,
}

/// An edge between two faces of a piece.
#[derive(Debug, Clone, Copy)]
pub struct PieceEdge {
    /// The first vertex.
    pub tail: u32,
    /// The last vertex.
    pub head: u32,
    /// The faces on its left and on its right, seen from outside.
    pub faces: [u32; 2],
    /// A unit vector from tail to head.
    pub direction: DVec3,
}

/// Frame and unit in which pieces are placed.
#[derive(Debug, Clone, Copy)]
pub struct PiecePlacement {
    /// The frame of the search in that of the body.
    pub frame: Frame,
    /// Lengths are multiplied by this, a power of two.
    pub unit: f64,
}

/// The pieces of a body.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pub list: Vec<BodyPiece>,
}

/// A convex piece of a part, in the frame of the part.
#[derive(Debug)]
#[cfg_attr(not(feature = "proof"), allow(dead_code, reason = "only evidence reads all of it"))]
pub(crate) struct PartPolytope<'p> {
    /// The number of the part, as the library counts them.
    pub part: usize,
    pub shape: &'p Shape,
    pose: Option<&'p Pose>,
    polytope: &'p Polytope,
    shrink: f64,
    slack: f64,
    /// For a polytope inscribed in a convex shape: the direction in which each source point is the support point. Empty for other shapes.
    pub directions: &'p [DVec3],
}

impl PartPolytope<'_> {
    /// A vertex, in the frame of the part.
    pub fn vertex(&self, v: u32) -> DVec3 {
        let vertex = self.polytope.vertex(v);
        let is_moved = self.shrink > 0.0;
        if is_moved { vertex - (vertex - self.polytope.center()) * self.shrink } else { vertex }
    }

    /// Bound on the error of a vertex, in the frame of the part.
    pub fn slack(&self) -> f64 {
        self.slack
    }

    pub fn polytope(&self) -> &Polytope {
        self.polytope
    }

    /// Are its vertices moved towards the centre? Then they are rounded, and its faces flat up to rounding.
    #[cfg(feature = "proof")]
    pub fn is_shrunk(&self) -> bool {
        self.shrink > 0.0
    }
}

/// Does a shape have an interior that pieces could fill? Decides without a decomposition.
pub(super) fn may_have_pieces(shape: &Shape) -> bool {
    match shape {
        Shape::Compound(compound) => compound.parts().iter().any(|part| may_have_pieces(&part.shape)),
        Shape::Mesh(mesh) => mesh.is_solid(),
        Shape::Polytope(polytope) => polytope.dimension() == 3,
        Shape::Triangle(_) | Shape::HalfSpace(_) => false,
        Shape::Sphere(sphere) => sphere.radius() > 0.0,
        Shape::Segment(segment) => segment.radius() > 0.0,
        _ => !shape.is_foreign(),
    }
}

/// Do few convex pieces fill all meshes of a shape? Meshes of too many faces are not decomposed to find out.
pub(super) fn are_filled(shapes: [&Shape; 2]) -> bool {
    fn all(shape: &Shape, test: &impl Fn(&Mesh) -> bool) -> bool {
        match shape {
            Shape::Compound(compound) => compound.parts().iter().all(|part| all(&part.shape, test)),
            Shape::Mesh(mesh) => !mesh.is_solid() || test(mesh),
            _ => true,
        }
    }
    shapes.iter().all(|shape| all(shape, &decompose::may_be_whole))
        && shapes.iter().all(|shape| all(shape, &|mesh| mesh_pieces(mesh).is_whole))
}

/// Does the surface of some mesh cross itself?
pub(super) fn cross_themselves(shapes: [&Shape; 2]) -> bool {
    fn any(shape: &Shape) -> bool {
        match shape {
            Shape::Compound(compound) => compound.parts().iter().any(|part| any(&part.shape)),
            Shape::Mesh(mesh) => !mesh.report().crossing_triangles.is_empty() || mesh.report().may_cross_more,
            _ => false,
        }
    }
    shapes.into_iter().any(any)
}

/// Visits all pieces of a shape, in their order.
pub(crate) fn visit_pieces(shape: &Shape, show: &mut dyn FnMut(&PartPolytope<'_>)) {
    match shape {
        Shape::Compound(compound) => {
            for (number, part) in compound.parts().iter().enumerate() {
                visit_part((number, &part.shape, Some(&part.pose), part.slack()), show);
            }
        }
        _ => visit_part((0, shape, None, 0.0), show),
    }
}

fn visit_part(
    (part, shape, pose, slack): (usize, &Shape, Option<&Pose>, f64),
    show: &mut dyn FnMut(&PartPolytope<'_>),
) {
    let mut put = |polytope: &Polytope, shrink: f64, slack: f64, directions: &[DVec3]| {
        if polytope.dimension() == 3 && shrink < 0.5 {
            show(&PartPolytope { part, shape, pose, polytope, shrink, slack, directions });
        }
    };
    match shape {
        Shape::Mesh(mesh) => {
            for piece in &mesh_pieces(mesh).inner {
                // The surface of a transformed mesh may be off by its slack, so a piece could stick out. Shrinking moves every face in by the slack.
                let shrink = if mesh.slack() > 0.0 { mesh.slack() / piece.inner_radius() } else { 0.0 };
                put(piece, shrink, slack, &[]);
            }
        }
        Shape::Polytope(polytope) => put(polytope, 0.0, slack, &[]),
        Shape::HalfSpace(_) | Shape::Compound(_) => {}
        _ if shape.is_foreign() => {}
        _ => {
            if let Some(core) = shape.convex()
                && let Some((polytope, directions)) = inscribed(shape, core)
            {
                put(&polytope, 0.0, slack + core.slack(), &directions);
            }
        }
    }
}

/// The pieces of a shape.
pub(super) fn pieces_of(shape: &Shape, placement: &PiecePlacement) -> Pieces {
    let mut list = Vec::new();
    visit_pieces(shape, &mut |piece| {
        let &PartPolytope { polytope, pose, shrink, slack, .. } = piece;
        list.push(placed(polytope, pose, shrink, slack, placement));
    });
    Pieces { list }
}

/// The inner pieces of a mesh. The first call decomposes it, and the mesh keeps the result.
pub(super) fn mesh_pieces(mesh: &Mesh) -> &crate::shape::mesh::MeshPieces {
    mesh.pieces(|| decompose::inner_pieces(mesh))
}

/// Places a piece, with its vertices moved towards the centre by the fraction `shrink` of their distance.
pub fn placed(
    polytope: &Polytope,
    pose: Option<&Pose>,
    shrink: f64,
    slack: f64,
    placement: &PiecePlacement,
) -> BodyPiece {
    let middle = polytope.center();
    let at = |vertex: &DVec3| {
        let local = if shrink > 0.0 { *vertex - (*vertex - middle) * shrink } else { *vertex };
        let local = pose.map_or(local, |pose| pose.transform_point(local));
        placement.frame.point(local) * placement.unit
    };
    let vertices: Vec<DVec3> = polytope.vertices().iter().map(at).collect();
    let bounds = Aabb::of_points(vertices.iter().copied());
    let center = at(&polytope.center());
    let turned = |direction: DVec3| {
        let local = pose.map_or(direction, |pose| pose.transform_vector(direction));
        (placement.frame.rotation * local).normalize_or_zero()
    };
    let (faces, normals) = flat_faces(polytope);
    let normals = normals.into_iter().map(turned).collect();
    let edges = (0..).zip(polytope.edges()).filter_map(|(e, edge)| {
        let faces = [edge.left, edge.right].map(|face| faces[face as usize]);
        let direction = turned(polytope.edge_direction(e));
        (faces[0] != faces[1]).then_some(PieceEdge { tail: edge.tail, head: edge.head, faces, direction })
    });
    let edges = edges.collect();
    // The pose of a part adds one rotation and one translation to those of the frame: 16 ε of radius and translation.
    let of_pose =
        pose.map_or(0.0, |pose| 16.0 * f64::EPSILON * (polytope.bounding_radius() + pose.translation().length()));
    BodyPiece { vertices, bounds, center, normals, edges, slack: (slack + of_pose) * placement.unit }
}

/// Merges faces that are coplanar up to rounding. Returns the merged face of each face, and the normals of merged faces.
pub fn flat_faces(polytope: &Polytope) -> (Vec<u32>, Vec<DVec3>) {
    /// Distance of unit normals below which two adjacent faces merge. Limit: the overlay proves its facets for any normals, so this affects their number only.
    const FLAT: f64 = 1e-11;
    let mut of: Vec<u32> = (0..polytope.face_count() as u32).collect();
    fn root(of: &[u32], mut face: u32) -> u32 {
        while of[face as usize] != face {
            face = of[face as usize];
        }
        face
    }
    for edge in polytope.edges() {
        let [p, q] = [edge.left, edge.right].map(|face| root(&of, face));
        // Compares with the first face of each group, so that a curved surface does not merge step by step.
        let is_flat = polytope.face(p).normal.distance_squared(polytope.face(q).normal) < FLAT * FLAT;
        if p != q && is_flat {
            of[p.max(q) as usize] = p.min(q);
        }
    }
    let mut numbers = vec![u32::MAX; of.len()];
    let mut normals = Vec::new();
    for face in 0..of.len() as u32 {
        let first = root(&of, face);
        if first == face {
            numbers[face as usize] = normals.len() as u32;
            normals.push(polytope.face(face).normal);
        }
        numbers[face as usize] = numbers[first as usize];
    }
    (numbers, normals)
}

/// A polytope inscribed in a convex shape, and the directions of its support points.
fn inscribed(shape: &Shape, core: &dyn Convex) -> Option<(Polytope, Vec<DVec3>)> {
    let (directions, is_exact) = match shape {
        Shape::Cuboid(_) => (cube_directions(1, true), true),
        // Flat shapes have no interior.
        Shape::Triangle(_) => return None,
        Shape::Segment(segment) if segment.radius() == 0.0 => return None,
        _ => (cube_directions(INSCRIBED_STEPS, false), false),
    };
    // Support points are on the surface up to rounding only, so they are moved in by that.
    let radius = core.radius() * (1.0 - 8.0 * f64::EPSILON);
    let center = core.center();
    let point = |&along: &DVec3| {
        let at = core.support(along);
        // Bound: a support point is off by less than 8 ε of its distance from the center.
        let at = if is_exact { at } else { center + (at - center) * (1.0 - 16.0 * f64::EPSILON) };
        at + along * radius
    };
    let points: Vec<DVec3> = directions.iter().map(point).collect();
    Some((convex_hull(&points).ok()?, directions))
}

/// Directions to the points of a grid on the surface of a cube, or to its corners only.
fn cube_directions(steps: i32, only_corners: bool) -> Vec<DVec3> {
    let range = -steps..=steps;
    let mut found = Vec::new();
    for x in range.clone() {
        for y in range.clone() {
            for z in range.clone() {
                let at = [x, y, z];
                let on_faces = at.iter().filter(|c| c.abs() == steps).count();
                // Every second point of the grid, as on a checkerboard.
                let is_taken = if only_corners { on_faces == 3 } else { on_faces > 0 && (x + y + z) % 2 == 0 };
                if is_taken {
                    let along = DVec3::from_array(at.map(f64::from));
                    found.push(if only_corners { along } else { along.normalize() });
                }
            }
        }
    }
    found
}
