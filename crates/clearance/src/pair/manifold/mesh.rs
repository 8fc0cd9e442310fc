//! Manifolds of meshes: one for each flat face, convex edge and convex vertex of the surface that another shape touches.
//!
//! **No ghost collisions.** The shortest way between a body and one triangle may point sideways, where the surface goes on: a box that slides over a floor of triangles would
//! bump into inner edges. So a normal counts only if it is in the Voronoi region of its feature of the *mesh*. That is the normal of a face, a
//! direction between the normals of the two faces of a convex edge, or one in the cone of a convex vertex. Any other normal is replaced by the normal of the
//! triangle, and the contact stays if it is not much deeper than those whose normals count. Brackets hold along any normal, so they hold along this one.
//!
//! **Flat faces.** Triangles in one plane that are neighbours make one manifold. It has the points of all of them but those on inner edges.
//! So the diagonal of a square makes no point, and a point keeps its name while a corner of the other body slides from triangle to triangle.
//!
//! **Sides.** A solid has its outside where its triangles are counter-clockwise. A shell is touched from the side that the middle of the other shape is on.
//! Two meshes touch in pairs of triangles; their manifolds are one for each two features.

use super::Contacts;
use super::build::{Candidates, ContactSide, Gathered, face_of};
use super::contour::{FEW_CORNERS, triangle_normal};
use super::feature_pair::Name;
use super::parts::{PartContact, of_convex};
use crate::math::{Aabb, Frame};
use crate::pair::entry::{self, PosedPair};
use crate::pair::{Clearance, PairCache};
use crate::shape::{Convex, Family, Feature, Mesh, Shape, Triangle};
use crate::tree::all_leaves_within;
use glam::DVec3;
use smallvec::SmallVec;
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
#[derive(Debug, Clone)]
struct TriangleContact {
    /// The feature of the mesh, and of the other mesh if that is one.
    owners: [Option<Owner>; 2],
    triangles: [Option<u32>; 2],
    /// Unit vector of the world from A to B.
    normal: DVec3,
    /// Has it been replaced?
    is_replaced: bool,
    /// The signed distance of the two.
    distance: f64,
    /// The number of the answer that the normal is from, unless it needed none.
    answer: Option<u32>,
}

/// Lists of the search, kept for their memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace {
    near: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    touches: Vec<TriangleContact>,
    answers: Vec<Clearance>,
    found: Vec<Found>,
    spare: Vec<Candidates>,
}

impl Workspace {
    /// A new frame begins.
    fn clear(&mut self) {
        self.near.clear();
        self.pairs.clear();
        self.touches.clear();
        self.answers.clear();
    }

    /// Keeps an answer: its number.
    fn keep(&mut self, answer: Clearance) -> Option<u32> {
        self.answers.push(answer);
        Some(self.answers.len() as u32 - 1)
    }
}

/// The surface of a mesh.
#[derive(Clone, Copy)]
struct MeshSurface<'a> {
    mesh: &'a Mesh,
}

impl MeshSurface<'_> {
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

    /// The feature whose Voronoi region a direction is in, if the nearest feature of the triangle has one that it is in; and the normal to go on with.
    fn owner(&self, triangle: u32, feature: Feature, direction: DVec3, toward: DVec3) -> Option<(Owner, DVec3)> {
        let (mesh, adjacency) = (self.mesh, self.mesh.adjacency());
        if let Some(found) = self.as_face(triangle, direction, toward) {
            return Some(found);
        }
        let side = match feature {
            Feature::Edge(side) if side < 3 => side as usize,
            Feature::Vertex(vertex) if vertex < 3 => {
                return self.vertex_owner(triangle, vertex as usize, direction, toward);
            }
            _ => return None,
        };
        let corners = mesh.corners(triangle);
        let (from, to) = (corners[side], corners[(side + 1) % 3]);
        let is_outside = |apex: DVec3| {
            let along = (to - from).normalize_or_zero();
            let inward = apex - from;
            let inward = (inward - inward.dot(along) * along).normalize_or_zero();
            direction.dot(inward) <= OUTSIDE
        };
        let edge = Owner::Edge(adjacency.edge(triangle, side));
        let is_out = is_outside(corners[(side + 2) % 3]);
        let Some(twin) = adjacency.twin(triangle, side) else {
            // Nothing is beyond the boundary of a shell.
            return is_out.then_some((edge, direction));
        };
        if let Some(found) = self.as_face(twin / 3, direction, toward) {
            return Some(found);
        }
        let apex = mesh.corners(twin / 3)[(twin as usize % 3 + 2) % 3];
        let is_convex = !adjacency.is_inner(triangle, side)
            && self.outward(triangle, toward).is_some_and(|normal| (apex - from).dot(normal) < 0.0);
        (is_convex && is_out && is_outside(apex)).then_some((edge, direction))
    }

    /// The flat face of a triangle, if the direction is its normal.
    fn as_face(&self, triangle: u32, direction: DVec3, toward: DVec3) -> Option<(Owner, DVec3)> {
        let normal = self.outward(triangle, toward)?;
        (direction.dot(normal) >= SAME).then(|| (Owner::Face(self.mesh.adjacency().face(triangle)), normal))
    }

    /// The vertex, if no edge of it leaves toward the direction; or a face there whose normal is the direction.
    fn vertex_owner(&self, triangle: u32, vertex: usize, direction: DVec3, toward: DVec3) -> Option<(Owner, DVec3)> {
        let (mesh, adjacency) = (self.mesh, self.mesh.adjacency());
        let at = mesh.corners(triangle)[vertex];
        let is_beyond = |end: DVec3| direction.dot((end - at).normalize_or_zero()) <= OUTSIDE;
        let mut is_in = true;
        // Around the vertex both ways, until the surface ends or all has been seen.
        'ways: for forward in [true, false] {
            let (mut t, mut corner) = (triangle, vertex);
            for _ in 0..MOST_AROUND {
                if let Some(found) = self.as_face(t, direction, toward) {
                    return Some(found);
                }
                let corners = mesh.corners(t);
                is_in &= is_beyond(corners[(corner + 1) % 3]) && is_beyond(corners[(corner + 2) % 3]);
                let side = if forward { (corner + 2) % 3 } else { corner };
                let Some(twin) = adjacency.twin(t, side) else { break };
                let next = twin / 3;
                let Some(found) = (0..3).find(|&k| mesh.corners(next)[k] == at) else { break };
                if next == triangle {
                    break 'ways;
                }
                (t, corner) = (next, found);
            }
        }
        is_in.then(|| (Owner::Vertex(mesh.triangles()[triangle as usize][vertex]), direction))
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
    // Bound: above the tolerance of the clipping, which decides. A triangle more costs time only.
    let tolerance = 1e-9 * (other.shape.bounding_radius() + frame.translation.length()) + error;
    let surface = MeshSurface { mesh };
    let mut work = std::mem::take(&mut contacts.work);
    work.clear();
    mesh.tree().overlapping(&bounds.grown(reach), |triangle| {
        work.near.push(triangle);
        ControlFlow::Continue(())
    });
    work.near.sort_unstable();
    let (sign, adjacency) = (if side == 0 { 1.0 } else { -1.0 }, mesh.adjacency());
    let on_side = |owner, triangle, normal, is_replaced, distance, answer| {
        let (mut owners, mut triangles) = ([None; 2], [None; 2]);
        (owners[side], triangles[side]) = (Some(owner), Some(triangle));
        TriangleContact { owners, triangles, normal, is_replaced, distance, answer }
    };
    let mut flat: Option<FlatPart<'_>> = None;
    for k in 0..work.near.len() {
        let triangle = work.near[k];
        let corners = mesh.corners(triangle);
        let face = adjacency.face(triangle);
        if !flat.as_ref().is_some_and(|flat| flat.holds(face, corners, error)) {
            let Some(outward) = surface.outward(triangle, middle) else { continue };
            work.touches.extend(flat.take().and_then(FlatPart::fallback));
            flat = Some(FlatPart::new(face, corners[0], outward, other.shape, core, &frame));
        }
        let Some(flat) = &mut flat else { continue };
        let (outward, lowest) = (flat.outward, flat.lowest);
        // The lowest point of the shape over the triangle's plane.
        let gap = outward.dot(lowest - corners[0]);
        if gap > reach {
            continue;
        }
        if outward.dot(middle - corners[0]) > 0.0 && (0..3).all(|k| adjacency.is_inner(triangle, k)) {
            // Inside of a flat face no other normal counts. It is that of the nearest points where the lowest point is above the triangle.
            let is_above = (0..3).all(|k| {
                let along = corners[(k + 1) % 3] - corners[k];
                let inward = corners[(k + 2) % 3] - corners[k];
                let across = outward.cross(along);
                across.dot(lowest - corners[k]) * across.dot(inward) >= 0.0
            });
            // A triangle that no corner of the other shape is over has no point, unless the whole face has none.
            let has_point = is_above || flat.is_under_corner(corners, tolerance);
            if has_point || !flat.has_touch {
                let normal = sign * of_mesh.pose.transform_vector(outward);
                let touch = on_side(Owner::Face(face), triangle, normal, !is_above, gap, None);
                if has_point {
                    work.touches.push(touch)
                } else {
                    flat.keep(touch)
                }
                flat.has_touch |= has_point;
            }
            continue;
        }
        let Some(shape) = shape_of(mesh, triangle) else { continue };
        let answer = clearance_of(contact, side, &shape);
        // Written so that a NaN stays.
        if answer.lower - error > contact.margin {
            continue;
        }
        let direction = of_mesh.pose.inverse_transform_vector(sign * answer.normal);
        let feature = feature_of(&answer, side, &shape, other.shape);
        let owner = surface.owner(triangle, feature, direction, middle);
        let is_replaced = owner.is_none();
        let (owner, along) = owner.unwrap_or((Owner::Face(adjacency.face(triangle)), outward));
        let normal = if along == direction { answer.normal } else { sign * of_mesh.pose.transform_vector(along) };
        let distance = answer.distance;
        let answer = work.keep(answer);
        work.touches.push(on_side(owner, triangle, normal, is_replaced, distance, answer));
    }
    work.touches.extend(flat.take().and_then(FlatPart::fallback));
    let surfaces: [Option<MeshSurface<'_>>; 2] = if side == 0 { [Some(surface), None] } else { [None, Some(surface)] };
    finish(contacts, contact, surfaces, work);
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
    let surfaces = [MeshSurface { mesh: a }, MeshSurface { mesh: b }];
    let reach = contact.margin.max(0.0) + error;
    let middles = [back.point(a.aabb().center()), frame.point(b.aabb().center())];
    let mut work = std::mem::take(&mut contacts.work);
    work.clear();
    let _ = all_leaves_within([a.tree().view(), b.tree().view()], &frame, reach, |of_a, of_b| {
        work.pairs.extend(of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| [i, j])));
        ControlFlow::Continue(())
    });
    work.pairs.sort_unstable();
    for k in 0..work.pairs.len() {
        let [i, j] = work.pairs[k];
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
        let found = [
            surfaces[0].owner(i, features[0], directions[0], middles[1]),
            surfaces[1].owner(j, features[1], directions[1], middles[0]),
        ];
        let of_a = |along: DVec3| contact.a.pose.transform_vector(along);
        let of_b = |along: DVec3| -contact.b.pose.transform_vector(along);
        // The normal of a face; where neither has a region for the normal, of the triangle that is closer to it.
        let (normal, is_replaced) = match found {
            [Some((Owner::Face(_), along)), Some(_)] => (of_a(along), false),
            [Some(_), Some((Owner::Face(_), along))] => (of_b(along), false),
            [Some(_), Some(_)] => (answer.normal, false),
            [None, Some(_)] => (of_a(out_a), true),
            [Some(_), None] => (of_b(out_b), true),
            [None, None] if of_a(out_a).dot(answer.normal) >= of_b(out_b).dot(answer.normal) => (of_a(out_a), true),
            [None, None] => (of_b(out_b), true),
        };
        let owner = |found: Option<(Owner, DVec3)>, face: u32| found.map_or(Owner::Face(face), |(owner, _)| owner);
        let owners = [Some(owner(found[0], a.adjacency().face(i))), Some(owner(found[1], b.adjacency().face(j)))];
        let (triangles, distance) = ([Some(i), Some(j)], answer.distance);
        let answer = work.keep(answer);
        work.touches.push(TriangleContact { owners, triangles, normal, is_replaced, distance, answer });
    }
    finish(contacts, contact, surfaces.map(Some), work);
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
    surfaces: [Option<MeshSurface<'_>>; 2],
    mut work: Workspace,
) {
    gather(contact, surfaces, &mut work);
    let found = &mut work.found;
    if found.is_empty() {
        // No surface is near: one may be inside of the other.
        contacts.work = work;
        return of_convex(contacts, contact);
    }
    for k in 0..found.len() {
        // Triangles beside a face have its edges and corners too.
        let is_part = |l: usize| {
            let (one, other) = (&found[k], &found[l]);
            let is_smaller = (other.gathered.len(), k) > (one.gathered.len(), l);
            l != k && is_smaller && one.normal.dot(other.normal) >= SAME && other.gathered.has_all_of(&one.gathered)
        };
        if !(0..found.len()).any(is_part) {
            let Found { gathered, normal, triangles } = &mut found[k];
            let mut manifold = contacts.take(contact.parts, *triangles);
            let has_points = gathered.finish(*normal, contacts.which, &mut manifold);
            contacts.put(manifold, has_points);
        }
    }
    work.spare.extend(work.found.drain(..).map(|one| one.gathered.into_memory()));
    contacts.work = work;
}

/// The points of each feature that the triangles of the workspace have.
fn gather(contact: &PartContact<'_>, surfaces: [Option<MeshSurface<'_>>; 2], work: &mut Workspace) {
    let Workspace { touches, answers, found, spare, .. } = work;
    let least = |of: &[TriangleContact], replaced: bool| {
        let those = of.iter().filter(|touch| touch.is_replaced == replaced);
        those.map(|touch| touch.distance).fold(f64::INFINITY, f64::min)
    };
    let valid = least(touches, false);
    touches.sort_unstable_by(|one, other| one.owners.cmp(&other.owners).then(one.triangles.cmp(&other.triangles)));
    let mut shallowest: Option<(f64, Found)> = None;
    for same in touches.chunk_by(|one, other| one.owners == other.owners) {
        // The normal of the deepest whose normal counts.
        let order = |one: &&TriangleContact, other: &&TriangleContact| {
            (one.is_replaced, one.distance)
                .partial_cmp(&(other.is_replaced, other.distance))
                .unwrap_or(std::cmp::Ordering::Equal)
        };
        let Some(first) = same.iter().min_by(order) else { continue };
        let n = contact.a.pose.inverse_transform_vector(first.normal);
        let mut gathered = Gathered::new(n, spare.pop().unwrap_or_default());
        // That of the witness points comes last, so that they are added only where no triangle has a point as deep.
        let is_first = |touch: &&TriangleContact| std::ptr::eq(*touch, first);
        for touch in same.iter().filter(|touch| !is_first(touch)).chain([first]) {
            let shapes = [0, 1].map(|side| {
                surfaces[side].zip(touch.triangles[side]).and_then(|(surface, t)| shape_of(surface.mesh, t))
            });
            let sides = [
                ContactSide { shape: shapes[0].as_ref().unwrap_or(contact.a.shape), ..contact.a },
                ContactSide { shape: shapes[1].as_ref().unwrap_or(contact.b.shape), ..contact.b },
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
                match touch.answer {
                    Some(number) => gathered.add_witness(&along, &answers[number as usize], rename),
                    // A round shape may have its lowest point beside the corners of its contact face.
                    None if gathered.deepest() > touch.distance + 2.0 * gathered.rounding() => {
                        let answer = entry::clearance(
                            PosedPair { a: sides[0].shape, b: sides[1].shape, ..contact.pair() },
                            contact.margin,
                            contact.engine,
                            &mut PairCache::default(),
                        );
                        gathered.add_witness(&along, &answer, rename);
                    }
                    None => {}
                }
            }
        }
        gathered.remove_doubles();
        let triangles = [0, 1].map(|side| first_triangle(same, side));
        let depth = gathered.deepest();
        let one = Found { gathered, normal: first.normal, triangles };
        if one.gathered.len() == 0 {
            spare.push(one.gathered.into_memory());
            continue;
        }
        if !(first.is_replaced && depth < 2.0 * valid.min(0.0) - contact.margin.max(0.0)) {
            found.push(one);
        } else {
            // Much deeper than what is really there: the shape is beside the triangle, not below it.
            let is_better = shallowest.as_ref().is_none_or(|(other, _)| depth > *other);
            let unused = if is_better { shallowest.replace((depth, one)) } else { Some((depth, one)) };
            spare.extend(unused.map(|(_, one)| one.gathered.into_memory()));
        }
    }
    if let Some((_, one)) = shallowest {
        if found.is_empty() {
            found.push(one);
        } else {
            spare.push(one.gathered.into_memory());
        }
    }
}

/// A flat face of a mesh, or the part of one that is in one plane to rounding, and the convex shape over it. All in the frame of the mesh.
struct FlatPart<'a> {
    face: u32,
    outward: DVec3,
    /// The height of the plane.
    height: f64,
    /// The point of the other shape that is lowest over the plane.
    lowest: DVec3,
    other: &'a Shape,
    frame: &'a Frame,
    /// The corners of the contact face of the other shape, once they are needed.
    corners: Option<SmallVec<[DVec3; FEW_CORNERS]>>,
    /// Does a triangle have a point?
    has_touch: bool,
    /// The first triangle, if none has a point.
    first: Option<TriangleContact>,
}

impl<'a> FlatPart<'a> {
    fn new(face: u32, place: DVec3, outward: DVec3, other: &'a Shape, core: &dyn Convex, frame: &'a Frame) -> Self {
        Self {
            face,
            outward,
            height: outward.dot(place),
            lowest: frame.point(core.support(frame.direction_in_b(-outward))) - core.radius() * outward,
            other,
            frame,
            corners: None,
            has_touch: false,
            first: None,
        }
    }

    /// Is a triangle of a flat face in the plane to rounding?
    fn holds(&self, face: u32, corners: [DVec3; 3], error: f64) -> bool {
        self.face == face && corners.iter().all(|corner| (self.outward.dot(*corner) - self.height).abs() <= error)
    }

    /// Is a corner of the other shape over or below a triangle, to a tolerance?
    fn is_under_corner(&mut self, corners: [DVec3; 3], tolerance: f64) -> bool {
        let Self { outward, height, other, frame, .. } = *self;
        let of_other = self.corners.get_or_insert_with(|| {
            let contour = face_of(other, frame.direction_in_b(-outward), None);
            let corners = contour.iter().flat_map(|contour| &contour.corners);
            // Their feet in the plane.
            let foot = |place: DVec3| place - (outward.dot(place) - height) * outward;
            corners.map(|corner| foot(frame.point(corner.point))).collect()
        });
        let [a, b, c] = corners;
        let (low, high) = (a.min(b).min(c) - tolerance, a.max(b).max(c) + tolerance);
        let is_inside = |foot: DVec3| {
            [(a, b, c), (b, c, a), (c, a, b)].iter().all(|&(from, to, apex)| {
                let across = outward.cross(to - from);
                let across = if across.dot(apex - from) < 0.0 { -across } else { across };
                across.dot(foot - from) >= -tolerance * across.length()
            })
        };
        of_other.iter().any(|&foot| (foot.cmpge(low) & foot.cmple(high)).all() && is_inside(foot))
    }

    /// Keeps a triangle without a point, if it is the first.
    fn keep(&mut self, touch: TriangleContact) {
        self.first.get_or_insert(touch);
    }

    /// The triangle that stands for the face, if none has a point.
    fn fallback(self) -> Option<TriangleContact> {
        self.first.filter(|_| !self.has_touch)
    }
}

/// The points of one feature.
#[derive(Debug, Clone)]
struct Found {
    gathered: Gathered,
    normal: DVec3,
    triangles: [Option<u32>; 2],
}

/// The triangle that stands for those of a manifold: the first of their flat face.
fn first_triangle(same: &[TriangleContact], side: usize) -> Option<u32> {
    same.iter()
        .filter_map(|touch| match touch.owners[side] {
            Some(Owner::Face(face)) => Some(face),
            _ => touch.triangles[side],
        })
        .min()
}
