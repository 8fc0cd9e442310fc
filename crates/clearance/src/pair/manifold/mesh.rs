//! Manifolds of meshes: one for each flat face, convex edge and convex vertex of the surface that another shape touches.
//!
//! **No ghost collisions.** The shortest way between a body and one triangle may point sideways, where the surface goes on: a box that slides over a floor of triangles would
//! bump into inner edges. So a normal counts only if it is in the Voronoi region of the feature of the *mesh* that it belongs to: the normal of a face, a
//! direction between the normals of the two faces of a convex edge, one in the cone of a convex vertex. Any other normal is replaced by the normal of the
//! triangle, and the contact stays if it is not much deeper than those whose normals count. Brackets hold along any normal, so they hold along this one.
//!
//! **Flat faces.** Triangles in one plane that are neighbours make one manifold. Its points are those of all its triangles without those on inner edges, so that
//! the diagonal of a square makes no point, and a point keeps its name while a corner of the other body slides from triangle to triangle.
//!
//! **Sides.** A solid has its outside where its triangles are counter-clockwise. A shell is touched from the side that the middle of the other shape is on.
//! Two meshes touch in pairs of triangles; their manifolds are one for each two features.

use super::Contacts;
use super::build::{Gathered, Side};
use super::contour::triangle_normal;
use super::feature_pair::Name;
use super::parts::{PartContact, of_convex};
use crate::math::{Aabb, Frame};
use crate::pair::entry::{self, PosedPair};
use crate::pair::{Clearance, PairCache};
use crate::shape::{Family, Feature, Mesh, Shape, Triangle};
use crate::tree::all_leaves_within;
use glam::DVec3;
use std::ops::ControlFlow;

/// Cosine of the angle at which a normal is that of a face. Limit: 0.08 degrees; the face's own normal is taken.
const SAME: f64 = 1.0 - 1e-6;

/// How far a normal may be outside of a Voronoi region, as a sine. Limit: the rounding of a normal between points 1e-9 apart.
const OUTSIDE: f64 = 1e-3;

/// Triangles around a vertex that are visited. Limit: work for a vertex of very many triangles, whose region is then that of these.
const MOST_AROUND: usize = 64;

/// The feature of a mesh that a contact belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Face(u32),
    Edge(u32),
    Vertex(u32),
}

/// A triangle near the other shape.
struct Touch {
    /// The feature of the mesh, and of the other mesh if that is one.
    owners: [Option<Owner>; 2],
    triangles: [Option<u32>; 2],
    /// Unit vector of the world from A to B.
    normal: DVec3,
    /// Has it been replaced?
    is_replaced: bool,
    answer: Clearance,
}

/// The surface of a mesh.
#[derive(Clone, Copy)]
struct Surface<'a> {
    mesh: &'a Mesh,
}

impl Surface<'_> {
    /// The outward unit normal of a triangle; of a shell that toward a point.
    fn outward(&self, triangle: u32, toward: DVec3) -> Option<DVec3> {
        let corners = self.mesh.corners(triangle);
        let normal = triangle_normal(corners)?;
        let is_inward = if self.mesh.is_solid() {
            self.mesh.adjacency().is_inside_out
        } else {
            normal.dot(toward - corners[0]) < 0.0
        };
        // The normal of the two shortest sides may run the other way round.
        let [a, b, c] = corners;
        let turned = (b - a).cross(c - a).dot(normal) < 0.0;
        Some(if is_inward != (turned && self.mesh.is_solid()) { -normal } else { normal })
    }

    /// The feature whose Voronoi region a direction is in, if the nearest feature of the triangle has one that it is in. `normal` is that of the triangle.
    fn owner(&self, triangle: u32, feature: Feature, direction: DVec3, normal: DVec3) -> Option<Owner> {
        let (mesh, adjacency) = (self.mesh, self.mesh.adjacency());
        if direction.dot(normal) >= SAME {
            return Some(Owner::Face(adjacency.face(triangle)));
        }
        let side = match feature {
            Feature::Edge(side) if side < 3 => side as usize,
            Feature::Vertex(vertex) if vertex < 3 => return self.vertex_owner(triangle, vertex as usize, direction),
            _ => return None,
        };
        let corners = mesh.corners(triangle);
        let (from, to) = (corners[side], corners[(side + 1) % 3]);
        let outside = |apex: DVec3| {
            let along = (to - from).normalize_or_zero();
            let inward = apex - from;
            let inward = (inward - inward.dot(along) * along).normalize_or_zero();
            direction.dot(inward) <= OUTSIDE
        };
        let Some(twin) = adjacency.twin(triangle, side) else {
            // Nothing is beyond the boundary of a shell.
            return outside(corners[(side + 2) % 3]).then_some(Owner::Edge(adjacency.edge(triangle, side)));
        };
        let apex = mesh.corners(twin / 3)[(twin as usize % 3 + 2) % 3];
        let is_convex = !adjacency.is_inner(triangle, side) && (apex - from).dot(normal) < 0.0;
        (is_convex && outside(apex) && outside(corners[(side + 2) % 3]))
            .then_some(Owner::Edge(adjacency.edge(triangle, side)))
    }

    /// The vertex, if no edge of it leaves toward the direction, and one at least is no inner edge of a face.
    fn vertex_owner(&self, triangle: u32, vertex: usize, direction: DVec3) -> Option<Owner> {
        let (mesh, adjacency) = (self.mesh, self.mesh.adjacency());
        let at = mesh.corners(triangle)[vertex];
        let is_beyond = |end: DVec3| direction.dot((end - at).normalize_or_zero()) <= OUTSIDE;
        // Around the vertex both ways, until the surface ends or all has been seen.
        for forward in [true, false] {
            let (mut t, mut corner) = (triangle, vertex);
            for _ in 0..MOST_AROUND {
                let corners = mesh.corners(t);
                if !(is_beyond(corners[(corner + 1) % 3]) && is_beyond(corners[(corner + 2) % 3])) {
                    return None;
                }
                let side = if forward { (corner + 2) % 3 } else { corner };
                let Some(twin) = adjacency.twin(t, side) else { break };
                let next = twin / 3;
                let Some(found) = (0..3).find(|&k| mesh.corners(next)[k] == at) else { break };
                if next == triangle {
                    let number = mesh.triangles()[triangle as usize][vertex];
                    return Some(Owner::Vertex(number));
                }
                (t, corner) = (next, found);
            }
        }
        Some(Owner::Vertex(mesh.triangles()[triangle as usize][vertex]))
    }

    /// The name of a feature of a triangle as one of the mesh; none for what is inside of a flat face.
    fn name(&self, triangle: u32, name: Name) -> Option<Name> {
        let adjacency = self.mesh.adjacency();
        let is_inner = |side: u32| adjacency.is_inner(triangle, side as usize % 3);
        Some(match name.feature() {
            Feature::Surface => name,
            Feature::Face(_) => Name::face(adjacency.face(triangle)),
            Feature::Edge(side) if is_inner(side) => return None,
            Feature::Edge(side) => Name::edge(adjacency.edge(triangle, side as usize % 3)),
            Feature::Vertex(vertex) if is_inner(vertex) && is_inner(vertex + 2) => return None,
            Feature::Vertex(vertex) => Name::vertex(self.mesh.triangles()[triangle as usize][vertex as usize % 3]),
        })
    }
}

fn shape_of(mesh: &Mesh, triangle: u32) -> Option<Shape> {
    let [a, b, c] = mesh.corners(triangle);
    Triangle::new(a, b, c).ok().map(Shape::Triangle)
}

/// A mesh, which is A (0) or B (1), and a convex shape.
pub(super) fn with_convex(contacts: &mut Contacts, contact: &PartContact<'_>, mesh: &Mesh, side: usize) {
    let (of_mesh, other) = if side == 0 { (&contact.a, &contact.b) } else { (&contact.b, &contact.a) };
    let contact = &PartContact { rounding: contact.rounding + mesh.slack(), ..*contact };
    let frame = Frame::relative(&of_mesh.pose, &other.pose);
    let Family::Convex(core) = other.shape.family() else { return };
    let Some(bounds) = other.shape.aabb_in(&frame) else { return };
    let error = crate::math::rounding::of_pair(
        mesh.bounding_radius() + other.shape.bounding_radius() + frame.translation.length(),
        core.slack() + contact.rounding,
    );
    let reach = contact.margin.max(0.0) + error;
    let middle = frame.point(core.center());
    let surface = Surface { mesh };
    let mut near = Vec::new();
    mesh.tree().overlapping(&bounds.grown(reach), |triangle| {
        near.push(triangle);
        ControlFlow::Continue(())
    });
    near.sort_unstable();
    let mut touches = Vec::new();
    for triangle in near {
        let Some(outward) = surface.outward(triangle, middle) else { continue };
        // Straight below the triangle's plane, or above it: most triangles beside a shape need no more.
        let gap = outward.dot(frame.translation - mesh.corners(triangle)[0])
            - core.height(frame.direction_in_b(-outward))
            - core.radius();
        if gap > reach {
            continue;
        }
        let Some(shape) = shape_of(mesh, triangle) else { continue };
        let answer = clearance_of(contact, side, &shape);
        // Written so that a NaN stays.
        if answer.lower - error > contact.margin {
            continue;
        }
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let direction = of_mesh.pose.inverse_transform_vector(sign * answer.normal);
        let feature = feature_of(&answer, side, &shape, other.shape);
        let owner = surface.owner(triangle, feature, direction, outward);
        let is_face = !matches!(owner, Some(Owner::Edge(_) | Owner::Vertex(_)));
        let normal = if is_face { sign * of_mesh.pose.transform_vector(outward) } else { answer.normal };
        let mut owners = [None; 2];
        owners[side] = Some(owner.unwrap_or(Owner::Face(mesh.adjacency().face(triangle))));
        let mut triangles = [None; 2];
        triangles[side] = Some(triangle);
        touches.push(Touch { owners, triangles, normal, is_replaced: owner.is_none(), answer });
    }
    let surfaces: [Option<Surface<'_>>; 2] = if side == 0 { [Some(surface), None] } else { [None, Some(surface)] };
    finish(contacts, contact, surfaces, touches);
}

/// Two meshes: all pairs of triangles within the margin.
pub(super) fn with_mesh(contacts: &mut Contacts, contact: &PartContact<'_>, a: &Mesh, b: &Mesh) {
    let contact = &PartContact { rounding: contact.rounding + a.slack() + b.slack(), ..*contact };
    let frame = Frame::relative(&contact.a.pose, &contact.b.pose);
    let back = frame.inverse();
    let error = crate::math::rounding::of_pair(
        a.bounding_radius() + b.bounding_radius() + frame.translation.length(),
        contact.rounding,
    );
    let surfaces = [Surface { mesh: a }, Surface { mesh: b }];
    let reach = contact.margin.max(0.0) + error;
    let middles = [back.point(a.aabb().center()), frame.point(b.aabb().center())];
    let mut pairs = Vec::new();
    let _ = all_leaves_within([a.tree().view(), b.tree().view()], &frame, reach, |of_a, of_b| {
        pairs.extend(of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| [i, j])));
        ControlFlow::Continue(())
    });
    pairs.sort_unstable();
    let mut touches = Vec::new();
    for [i, j] in pairs {
        let boxes = [Aabb::of_points(a.corners(i)), Aabb::of_points(b.corners(j).map(|corner| frame.point(corner)))];
        if !boxes[0].grown(reach).overlaps(&boxes[1]) {
            continue;
        }
        let (Some(shape_a), Some(shape_b)) = (shape_of(a, i), shape_of(b, j)) else { continue };
        let (Some(out_a), Some(out_b)) = (surfaces[0].outward(i, middles[1]), surfaces[1].outward(j, middles[0]))
        else {
            continue;
        };
        let pair = PosedPair { a: &shape_a, pose_a: &contact.a.pose, b: &shape_b, pose_b: &contact.b.pose };
        let answer = entry::clearance(pair, contact.margin, contact.engine, &mut PairCache::default());
        if answer.lower - error > contact.margin {
            continue;
        }
        let features = answer.features(&shape_a, &shape_b);
        let directions = [
            contact.a.pose.inverse_transform_vector(answer.normal),
            -contact.b.pose.inverse_transform_vector(answer.normal),
        ];
        let owners = [
            surfaces[0].owner(i, features[0], directions[0], out_a),
            surfaces[1].owner(j, features[1], directions[1], out_b),
        ];
        let of_a = contact.a.pose.transform_vector(out_a);
        let of_b = -contact.b.pose.transform_vector(out_b);
        // The normal of a face; where neither has a region for the normal, of the triangle that is steeper to it.
        let (normal, is_replaced) = match owners {
            [Some(Owner::Face(_)), Some(_)] => (of_a, false),
            [Some(_), Some(Owner::Face(_))] => (of_b, false),
            [Some(_), Some(_)] => (answer.normal, false),
            [None, Some(_)] => (of_a, true),
            [Some(_), None] => (of_b, true),
            [None, None] if of_a.dot(answer.normal) >= of_b.dot(answer.normal) => (of_a, true),
            [None, None] => (of_b, true),
        };
        let owners = [
            Some(owners[0].unwrap_or(Owner::Face(a.adjacency().face(i)))),
            Some(owners[1].unwrap_or(Owner::Face(b.adjacency().face(j)))),
        ];
        touches.push(Touch { owners, triangles: [Some(i), Some(j)], normal, is_replaced, answer });
    }
    finish(contacts, contact, surfaces.map(Some), touches);
}

/// The clearance of a triangle of the mesh, which is A (0) or B (1), and the other shape.
fn clearance_of(contact: &PartContact<'_>, side: usize, triangle: &Shape) -> Clearance {
    let whole = contact.pair();
    let pair = if side == 0 { PosedPair { a: triangle, ..whole } } else { PosedPair { b: triangle, ..whole } };
    entry::clearance(pair, contact.margin, contact.engine, &mut PairCache::default())
}

/// The feature of the triangle that an answer is about.
fn feature_of(answer: &Clearance, side: usize, triangle: &Shape, other: &Shape) -> Feature {
    if side == 0 { answer.features(triangle, other)[0] } else { answer.features(other, triangle)[1] }
}

/// Makes manifolds of the triangles that touch: one for each feature.
fn finish(
    contacts: &mut Contacts,
    contact: &PartContact<'_>,
    surfaces: [Option<Surface<'_>>; 2],
    mut touches: Vec<Touch>,
) {
    let least = |of: &[Touch], replaced: bool| {
        let those = of.iter().filter(|touch| touch.is_replaced == replaced);
        those.map(|touch| touch.answer.distance).fold(f64::INFINITY, f64::min)
    };
    let valid = least(&touches, false);
    touches.sort_by(|one, other| one.owners.cmp(&other.owners).then(one.triangles.cmp(&other.triangles)));
    let mut shallowest: Option<(f64, Gathered, DVec3, [Option<u32>; 2])> = None;
    let mut count = 0;
    for same in touches.chunk_by(|one, other| one.owners == other.owners) {
        // The normal of the deepest whose normal counts.
        let order = |one: &&Touch, other: &&Touch| {
            (one.is_replaced, one.answer.distance)
                .partial_cmp(&(other.is_replaced, other.answer.distance))
                .unwrap_or(std::cmp::Ordering::Equal)
        };
        let Some(first) = same.iter().min_by(order) else { continue };
        let mut gathered = Gathered::new(&contact.a, first.normal);
        // That of the witness points comes last, so that they are added only where no triangle has a point as deep.
        let is_first = |touch: &&Touch| std::ptr::eq(*touch, first);
        for touch in same.iter().filter(|touch| !is_first(touch)).chain([first]) {
            let shapes = [0, 1].map(|side| {
                surfaces[side].zip(touch.triangles[side]).and_then(|(surface, t)| shape_of(surface.mesh, t))
            });
            let sides = [
                Side { shape: shapes[0].as_ref().unwrap_or(contact.a.shape), ..contact.a },
                Side { shape: shapes[1].as_ref().unwrap_or(contact.b.shape), ..contact.b },
            ];
            let along = PartContact { a: sides[0], b: sides[1], ..*contact }.along(first.normal);
            let rename = |names: [Name; 2]| {
                let name = |side: usize| match surfaces[side].zip(touch.triangles[side]) {
                    Some((surface, triangle)) => surface.name(triangle, names[side]),
                    None => Some(names[side]),
                };
                Some([name(0)?, name(1)?])
            };
            gathered.add(&along, &mut [None; 2], rename);
            if is_first(&touch) && !touch.is_replaced {
                gathered.add_witness(&along, &touch.answer, rename);
            }
        }
        gathered.remove_doubles();
        let triangles = [0, 1].map(|side| first_triangle(same, side));
        let depth = gathered.deepest();
        if first.is_replaced && depth < 2.0 * valid.min(0.0) - contact.margin.max(0.0) {
            // Much deeper than what is really there: the shape is beside the triangle, not below it.
            if shallowest.as_ref().is_none_or(|(other, ..)| depth > *other) {
                shallowest = Some((depth, gathered, first.normal, triangles));
            }
            continue;
        }
        count += usize::from(put(contacts, contact, gathered, first.normal, triangles));
    }
    if count == 0 {
        match shallowest {
            Some((_, gathered, normal, triangles)) => {
                put(contacts, contact, gathered, normal, triangles);
            }
            // No surface is near: one may be inside of the other.
            None => of_convex(contacts, contact),
        }
    }
}

/// The triangle that stands for those of a manifold: the first of their flat face.
fn first_triangle(same: &[Touch], side: usize) -> Option<u32> {
    same.iter()
        .filter_map(|touch| match touch.owners[side] {
            Some(Owner::Face(face)) => Some(face),
            _ => touch.triangles[side],
        })
        .min()
}

fn put(
    contacts: &mut Contacts,
    contact: &PartContact<'_>,
    mut gathered: Gathered,
    normal: DVec3,
    triangles: [Option<u32>; 2],
) -> bool {
    let mut manifold = contacts.take(contact.parts, triangles);
    let has_points = gathered.finish(normal, contacts.which, &mut manifold);
    contacts.put(manifold, has_points);
    has_points
}
