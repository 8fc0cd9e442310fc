//! Meshes, against meshes and against convex shapes: surfaces first, then what is inside.
//!
//! **Apart.** The surface of a mesh is a union of triangles, and a convex shape is one thing. Their distance is that of the closest pair
//! over the trees, which `narrow/meshes` finds: `distance.rs` for two meshes and capsules, `point.rs` for balls, `mesh_convex.rs` for all others.
//!
//! **Inside.** Where the surfaces are apart, every connected part of a surface is inside of the other solid as a whole, or outside as a
//! whole. If solids share a point at all, then such a part of one is inside of the other. (From a common point go any
//! way: the first surface that is met is within the other solid.) So one vertex of each part decides, exactly: no surface is
//! within rounding of it.
//!
//! **Overlap.** Two triangles that meet cannot be separated by less than the depth of these two, and a point that is inside by less than
//! its distance to the surface. That bounds the signed distance from above. A direction that separates the hulls separates the meshes:
//! along a few directions that bounds it from below. Unless the two meet the bracket is open.
//!
//! **Invariant** (M1), asserted in debug builds: surfaces are called apart only with a positive lower bound, so that containment is decided exactly.
//!
//! Against a half-space only the hull of a mesh counts, see `visit.rs`; in a compound a mesh is a part like others.

mod depth;
#[cfg(test)]
mod tests;

use super::cache::Recall;
use super::clearance::Contact;
use super::entry::{self, PosedPair};
use super::{Clearance, Cost, Engine, PairCache, Status, unit};
use crate::math::{Frame, Pose};
use crate::narrow::Bracket;
use crate::narrow::meshes::{self, MeshAndConvex, MeshPair, SingleTriangle, SurfaceOverlap, Triangles};
use crate::shape::mesh::Side;
use crate::shape::{Convex, Feature, Mesh, Shape, Triangle};
use crate::tree::{BoxNode, Gap};
#[cfg(feature = "proof")]
pub(crate) use depth::escape_directions;
use glam::DVec3;

/// The result for two surfaces.
enum Surfaces {
    /// They are apart: `lower` is positive.
    Apart(Clearance),
    /// The answer about two parts that meet, or are not proved to be apart.
    Meet(Clearance),
}

impl Surfaces {
    /// With the roles of A and B exchanged.
    fn swapped(self) -> Self {
        match self {
            Self::Apart(clearance) => Self::Apart(clearance.swapped()),
            Self::Meet(clearance) => Self::Meet(clearance.swapped()),
        }
    }
}

/// Bound on the error of a point of either shape in any frame that engines use, with the slack of both shapes.
fn rounding(pair: &PosedPair<'_>) -> f64 {
    let between = pair.pose_b.translation() - pair.pose_a.translation();
    let size = pair.a.bounding_radius() + pair.b.bounding_radius() + between.length();
    let slack = |shape: &Shape| shape.with_hull(|hull| hull.slack()).unwrap_or(0.0);
    crate::math::rounding::of_pair(size, slack(pair.a) + slack(pair.b))
}

/// The clearance of two bounded shapes of which at least one is a mesh and none a compound; beyond `limit` only a lower bound.
pub(super) fn clearance(pair: PosedPair<'_>, limit: f64, engine: Engine, cache: &mut PairCache) -> Clearance {
    // The depth of an overlap of surfaces says little about that of the solids: a negative limit is for the whole.
    match surfaces(pair, limit.max(0.0), engine, cache) {
        Surfaces::Meet(parts) => depth::overlapping(pair, parts),
        Surfaces::Apart(clearance) => {
            debug_assert!(clearance.is_apart(), "M1: {clearance:?}");
            match point_inside(pair) {
                None => clearance,
                Some(inside) => depth::overlapping(pair, inside.clearance(pair, engine)),
            }
        }
    }
}

/// A mesh and a bounded convex shape that is not derived? [`intersects`] compares their balls itself.
#[inline(always)]
pub(super) fn is_simple(a: &Shape, b: &Shape) -> bool {
    use Shape::{Cone, Cuboid, Cylinder, Ellipsoid, Polytope, Segment, Sphere, Triangle};
    let is_convex = |b: &Shape| {
        matches!(
            b,
            Sphere(_) | Cuboid(_) | Segment(_) | Triangle(_) | Cylinder(_) | Cone(_) | Ellipsoid(_) | Polytope(_)
        )
    };
    matches!(a, Shape::Mesh(_)) && is_convex(b)
}

/// Do two shapes share a point of which at least one is a mesh and none a compound?
pub(super) fn intersects<M: Recall>(pair: &PosedPair<'_>, engine: Engine, cache: &mut M) -> bool {
    match (pair.a, pair.b) {
        (Shape::Mesh(a), Shape::Mesh(b)) => boxes_are_apart(a, b, pair).then_some(false),
        (Shape::Mesh(mesh), _) => mesh_meets(mesh, pair, engine, cache),
        (_, Shape::Mesh(mesh)) => mesh_meets(mesh, &pair.swapped(), engine, cache),
        _ => None,
    }
    .unwrap_or_else(|| cache.whole(|cache| surfaces_meet(*pair, cache)))
}

/// Are the boxes of two meshes apart along an axis of either? Most pairs in a scene are, and no traversal is started for them.
#[inline(always)]
fn boxes_are_apart(a: &Mesh, b: &Mesh, pair: &PosedPair<'_>) -> bool {
    let gap = Gap::new(pair.frame(), [a.bounding_radius(), b.bounding_radius()]);
    gap.bound(&BoxNode::alone(&a.aabb()), &BoxNode::alone(&b.aabb())) > a.slack() + b.slack()
}

/// Do a mesh, the first of the pair, and a convex shape share a point? `None` for user-defined shapes and sizes that are not ordinary.
#[inline(always)]
fn mesh_meets<M: Recall>(mesh: &Mesh, pair: &PosedPair<'_>, engine: Engine, cache: &mut M) -> Option<bool> {
    let PosedPair { pose_a, b: other, pose_b, .. } = *pair;
    if other.is_foreign() {
        return None;
    }
    let (between, extent) = (pose_b.translation() - pose_a.translation(), other.bounding_radius());
    // Derived shapes have slack.
    let slack = if matches!(other, Shape::Affine(_) | Shape::Rounded(_)) { rounding(pair) } else { mesh.slack() };
    let extents = mesh.bounding_radius() + mesh.slack() + extent;
    // The balls around the origins, as in `are_far`: that needs no rotation.
    if between.length_squared() > extents * extents * (1.0 + 1e-12) + f64::MIN_POSITIVE {
        return Some(false);
    }
    let size = extents + between.abs().element_sum();
    let rounding = crate::math::rounding::of_pair(size, slack);
    // The ball of the shape and the box of the mesh. If they are apart, neither is inside the other.
    let (place, around_mesh) = (Frame::place_here(pose_a, pose_b), mesh.aabb());
    let off = (around_mesh.min - place).max(place - around_mesh.max);
    if off.max_element() > extent + rounding {
        return Some(false);
    }
    mesh_meets_near(mesh, pair, rounding, size, engine, cache)
}

/// As [`mesh_meets`], of a shape whose ball is not apart from the box of the mesh. (Not inlined: the caller is short without it.)
#[inline(never)]
fn mesh_meets_near<M: Recall>(
    mesh: &Mesh,
    pair: &PosedPair<'_>,
    rounding: f64,
    size: f64,
    engine: Engine,
    cache: &mut M,
) -> Option<bool> {
    let (other, frame) = (pair.b, Frame::relative(pair.pose_a, pair.pose_b));
    let bounds = match other {
        Shape::Cuboid(cuboid) => cuboid.aabb_in(&frame),
        other => other.aabb_in(&frame)?,
    };
    let around_mesh = mesh.aabb().grown(rounding);
    if bounds.min.cmpgt(around_mesh.max).any() || around_mesh.min.cmpgt(bounds.max).any() {
        return Some(false);
    }
    if engine != Engine::Auto || !unit::is_ordinary(size) {
        return None;
    }
    let first = cache.triangles().and_then(|[first, _]| first.checked_sub(1));
    match (MeshAndConvex { mesh, other, frame, bounds, rounding, size }).overlap(first) {
        SurfaceOverlap::Meet(triangle) => {
            if let Some(triangles) = cache.triangles() {
                *triangles = [triangle + 1, 1];
            }
            Some(true)
        }
        SurfaceOverlap::Apart(center) => Some(contains(mesh, center)),
    }
}

/// Is a point inside a mesh, if that is a solid? The surface is not within rounding of the point.
fn contains(mesh: &Mesh, point: DVec3) -> bool {
    mesh.aabb().contains(point) && mesh.is_solid() && mesh.side_of(point) != Side::Outside
}

/// Do two shapes share a point? For two meshes, and pairs that [`mesh_meets`] leaves open.
fn surfaces_meet(pair: PosedPair<'_>, cache: &mut PairCache) -> bool {
    let first = remembered(cache);
    let found = match (pair.a.as_mesh(), pair.b.as_mesh()) {
        (Some(a), Some(b)) if is_ordinary(&pair) => {
            let found = match front(cache) {
                // Pairs that are not proved to be apart meet.
                Some(front) => {
                    let found =
                        meshes::distance_or_bound(a, Triangles::Mesh(b), &pair.frame(), 0.0, first, Some(front));
                    found.ok().map(|found| found.triangles)
                }
                None => meshes::first_crossing(a, b, &pair.frame(), first),
            };
            cache.is_warm = true;
            found
        }
        (Some(mesh), _) => meeting_parts(mesh, &pair, first),
        (None, Some(mesh)) => meeting_parts(mesh, &pair.swapped(), first),
        (None, None) => None,
    };
    if let Some(parts) = found {
        cache.triangles = parts.map(|part| part + 1);
    }
    found.is_some() || point_inside(pair).is_some()
}

/// Parts of a mesh, the first of a pair, and the other shape that meet. A shape without bounds meets everything.
fn meeting_parts(mesh: &Mesh, pair: &PosedPair<'_>, first: Option<[u32; 2]>) -> Option<[u32; 2]> {
    let frame = pair.frame();
    match MeshPair::new(mesh, pair.b, [pair.pose_a, pair.pose_b], &frame, rounding(pair)) {
        Some(pair) => pair.first_meeting(first),
        None => Some([0, 0]),
    }
}

/// The closest parts of a mesh and another shape, by the engine for a mesh and a convex shape or for any size.
fn closest(pair: PosedPair<'_>, limit: f64, engine: Engine, cache: &mut PairCache) -> Surfaces {
    // A mesh is the first, so that the convex shape is always on the same side of planes.
    let Some(mesh) = pair.a.as_mesh() else {
        return closest(pair.swapped(), limit, engine, cache).swapped();
    };
    let frame = pair.frame();
    let is_ball = matches!(pair.b, Shape::Sphere(_));
    let Some(parts) = MeshPair::new(mesh, pair.b, [pair.pose_a, pair.pose_b], &frame, rounding(&pair)) else {
        return Surfaces::Meet(Clearance::unknown(pair.pose_a, Cost::default()));
    };
    let found = match parts.closest(limit, remembered(cache), &mut cache.gjk) {
        Ok(found) => found,
        Err((lower, cost)) => return Surfaces::Apart(beyond(&pair, lower, cost)),
    };
    cache.triangles = found.parts.map(|part| part + 1);
    let best = match is_ball {
        // The closed form places points and normals in the world with one rotation less.
        true => of_triangles(pair, found.parts, engine),
        false => of_wholes(&pair, found.parts, Clearance::new(&found.outcome, pair.pose_a)),
    };
    let cost = found.cost;
    if !Bracket::is_apart(found.lower) {
        return Surfaces::Meet(Clearance { cost, ..best });
    }
    let (lower, upper) = (found.lower.min(best.distance), found.upper.max(best.distance));
    Surfaces::Apart(Clearance { lower, upper, cost, ..best })
}

/// A triangle of a mesh as a shape; other shapes as they are.
fn part_of(shape: &Shape, number: u32) -> Option<Shape> {
    let [a, b, c] = shape.as_mesh()?.corners(number);
    Triangle::new(a, b, c).ok().map(Shape::Triangle)
}

/// An answer about two parts, with features of the wholes.
fn of_wholes(pair: &PosedPair<'_>, [i, j]: [u32; 2], answer: Clearance) -> Clearance {
    let (part_a, part_b) = (part_of(pair.a, i), part_of(pair.b, j));
    let [a, b] = answer.features(part_a.as_ref().unwrap_or(pair.a), part_b.as_ref().unwrap_or(pair.b));
    let feature = |shape: &Shape, number: u32, of_part: Feature| match shape {
        Shape::Mesh(_) => Feature::Face(number),
        _ => of_part,
    };
    Clearance { contact: Contact::Features([feature(pair.a, i, a), feature(pair.b, j, b)]), ..answer }
}

/// The clearance of two triangles of meshes that meet.
fn of_triangles(pair: PosedPair<'_>, parts: [u32; 2], engine: Engine) -> Clearance {
    let (part_a, part_b) = (part_of(pair.a, parts[0]), part_of(pair.b, parts[1]));
    let (a, b) = (part_a.as_ref().unwrap_or(pair.a), part_b.as_ref().unwrap_or(pair.b));
    let answer = entry::clearance(PosedPair { a, b, ..pair }, f64::INFINITY, engine, &mut PairCache::default());
    let slack = |shape: &Shape| shape.as_mesh().map_or(0.0, Mesh::slack);
    let slack = slack(pair.a) + slack(pair.b);
    of_wholes(&pair, parts, Clearance { lower: answer.lower - slack, upper: answer.upper + slack, ..answer })
}

/// The triangles that were closest when the cache was filled.
fn remembered(cache: &PairCache) -> Option<[u32; 2]> {
    let [a, b] = cache.triangles;
    Some([a.checked_sub(1)?, b.checked_sub(1)?])
}

/// The front that is kept for two meshes, unless this is their first query: most pairs are queried once.
fn front(cache: &mut PairCache) -> Option<&mut meshes::Front> {
    if !cache.is_warm || cache.front_limit == Some(0) {
        cache.front = None;
        return None;
    }
    let front = &mut **cache.front.get_or_insert_default();
    if let Some(limit) = cache.front_limit {
        front.set_limit(limit);
    }
    (!front.rests()).then_some(front)
}

/// Can the triangles be computed with as they are?
fn is_ordinary(pair: &PosedPair<'_>) -> bool {
    let between = pair.pose_b.translation() - pair.pose_a.translation();
    unit::is_ordinary(pair.a.bounding_radius() + pair.b.bounding_radius() + between.abs().element_sum())
}

/// The surfaces alone; a convex shape is as good as its surface, since triangles inside of it meet it.
#[inline(always)]
fn surfaces(pair: PosedPair<'_>, limit: f64, engine: Engine, cache: &mut PairCache) -> Surfaces {
    let (a, b) = match (pair.a.as_mesh(), pair.b.as_mesh()) {
        (Some(a), Some(b)) => (a, b),
        (Some(mesh), None) => match round(mesh, &pair, limit, engine, cache) {
            Some(found) => return found,
            None => return closest(pair, limit, engine, cache),
        },
        _ => return swapped_surfaces(pair, limit, engine, cache),
    };
    if !is_ordinary(&pair) {
        return closest(pair, limit, engine, cache);
    }
    let first = remembered(cache);
    let found = meshes::distance_or_bound(a, Triangles::Mesh(b), &pair.frame(), limit, first, front(cache));
    cache.is_warm = true;
    let found = match found {
        Ok(found) => found,
        Err(lower) => return Surfaces::Apart(beyond(&pair, lower, Cost::default())),
    };
    cache.triangles = found.triangles.map(|triangle| triangle + 1);
    if !Bracket::is_apart(found.lower) {
        return Surfaces::Meet(of_triangles(pair, found.triangles, engine));
    }
    let normal = pair.pose_a.transform_vector(found.normal);
    let point_a = pair.pose_a.transform_point(found.point_a);
    Surfaces::Apart(Clearance {
        distance: found.distance,
        point_a,
        point_b: point_a + found.distance * normal,
        normal,
        lower: found.lower,
        upper: found.upper,
        status: if is_closed(found.lower, found.upper, rounding(&pair)) { Status::Converged } else { Status::Stalled },
        contact: Contact::Features(found.triangles.map(Feature::Face)),
        ..Clearance::unknown(pair.pose_a, Cost::default())
    })
}

/// As [`surfaces`], of a convex shape and a mesh.
#[inline(never)]
fn swapped_surfaces(pair: PosedPair<'_>, limit: f64, engine: Engine, cache: &mut PairCache) -> Surfaces {
    let swapped = pair.swapped();
    let found = swapped.a.as_mesh().and_then(|mesh| round(mesh, &swapped, limit, engine, cache));
    found.map_or_else(|| closest(pair, limit, engine, cache), Surfaces::swapped)
}

/// A mesh and a ball or capsule: everything within a radius of a point or a segment. Nothing for what else answers. (A part of its caller: a
/// clearance is large, and takes long to be moved.)
#[inline(always)]
fn round(mesh: &Mesh, pair: &PosedPair<'_>, limit: f64, engine: Engine, cache: &mut PairCache) -> Option<Surfaces> {
    let radius = match pair.b {
        Shape::Sphere(ball) => ball.radius(),
        Shape::Segment(capsule) if capsule.radius() > 0.0 => capsule.radius(),
        _ => return None,
    };
    if engine != Engine::Auto || !is_ordinary(pair) {
        return None;
    }
    let (frame, rounding, first) = (pair.frame(), rounding(pair), remembered(cache));
    let found = match pair.b {
        Shape::Segment(capsule) => {
            let [a, b] = capsule.ends();
            let core = SingleTriangle::new([a, b, b]);
            meshes::distance_or_bound(mesh, Triangles::Single(&core), &frame, limit + radius, first, None)
        }
        _ => meshes::nearest_to_point(mesh, frame.translation, rounding, limit + radius, first.map(|[first, _]| first)),
    };
    let found = match found {
        Ok(found) => found,
        Err(lower) => {
            let lower = lower - radius - rounding;
            return (lower > limit).then(|| Surfaces::Apart(beyond(pair, lower, Cost::default())));
        }
    };
    let lower = found.lower - radius - rounding;
    cache.triangles = found.triangles.map(|triangle| triangle + 1);
    if !Bracket::is_apart(lower) {
        // The triangle that is nearest to the core reaches deepest. If it is apart after all, then by less than this bound.
        let meet = of_triangles(*pair, found.triangles, engine);
        return meet.is_overlapping().then_some(Surfaces::Meet(meet));
    }
    let normal = pair.pose_a.transform_vector(found.normal);
    let point_a = pair.pose_a.transform_point(found.point_a);
    let (distance, upper) = (found.distance - radius, found.upper - radius + rounding);
    let feature = pair.b.convex().map_or(Feature::Surface, |core| core.feature(&[0]));
    Some(Surfaces::Apart(Clearance {
        distance: distance.max(lower),
        point_a,
        point_b: point_a + distance.max(lower) * normal,
        normal,
        lower,
        upper,
        status: if is_closed(lower, upper, rounding) { Status::Converged } else { Status::Stalled },
        contact: Contact::Features([Feature::Face(found.triangles[0]), feature]),
        ..Clearance::unknown(pair.pose_a, Cost::default())
    }))
}

/// Does a bracket have no more than rounding between its ends?
fn is_closed(lower: f64, upper: f64, rounding: f64) -> bool {
    Bracket::is_closed([lower, upper], 6.0 * rounding, 0.0)
}

/// The answer about what is farther apart than anyone wants to know.
fn beyond(pair: &PosedPair<'_>, lower: f64, cost: Cost) -> Clearance {
    let middle = |shape: &Shape, pose: &Pose| match shape.as_mesh() {
        Some(mesh) => pose.transform_point(mesh.aabb().center()),
        None => pose.translation(),
    };
    // The way between the middles probably separates the hulls: a good vector to remember.
    let way = middle(pair.b, pair.pose_b) - middle(pair.a, pair.pose_a);
    let unknown = Clearance::unknown(pair.pose_a, cost);
    let normal = way.try_normalize().unwrap_or(DVec3::X);
    Clearance { distance: lower, lower, upper: f64::INFINITY, normal, status: Status::Stalled, ..unknown }
}

/// A point of one of two shapes that is inside of the other, which is a solid.
struct Inside {
    /// Is the solid A?
    is_in_a: bool,
    /// The point in the frame of the solid.
    point: DVec3,
}

/// A point of one that is inside of the other, for shapes whose surfaces are proved to be apart.
fn point_inside(pair: PosedPair<'_>) -> Option<Inside> {
    let look = |solid: &Shape, pose: &Pose, other: &Shape, other_pose: &Pose| {
        let solid = solid.as_mesh()?;
        let frame = Frame::relative(pose, other_pose);
        let is_inside =
            |point: &DVec3| solid.aabb().contains(*point) && solid.is_solid() && solid.side_of(*point) != Side::Outside;
        match other.as_mesh() {
            Some(mesh) => mesh.components().map(|vertex| frame.point(vertex)).find(is_inside),
            None => other.convex().map(|core| frame.point(core.center())).filter(is_inside),
        }
    };
    let PosedPair { a, pose_a, b, pose_b } = pair;
    let in_a = look(a, pose_a, b, pose_b).map(|point| Inside { is_in_a: true, point });
    in_a.or_else(|| look(b, pose_b, a, pose_a).map(|point| Inside { is_in_a: false, point }))
}

impl Inside {
    /// As deep as the point is below the surface, and the escape direction from there.
    fn clearance(&self, pair: PosedPair<'_>, engine: Engine) -> Clearance {
        let (solid, pose) = if self.is_in_a { (pair.a, pair.pose_a) } else { (pair.b, pair.pose_b) };
        let point = Pose::from_translation(pose.transform_point(self.point));
        let to_point = PosedPair { a: solid, pose_a: pose, b: &Shape::point(), pose_b: &point };
        let up = match closest(to_point, f64::INFINITY, engine, &mut PairCache::default()) {
            Surfaces::Apart(up) => up,
            Surfaces::Meet(up) => Clearance { lower: 0.0, ..up },
        };
        // From the point to the surface: B has to go that way if it is in A, and A if it is in B.
        let lower_depth = (up.lower - rounding(&pair)).max(0.0);
        // The point is on no feature of the shape that has it.
        let [face, _] = up.features(solid, &Shape::point());
        let contact = Contact::Features([face, Feature::Surface]);
        let found =
            Clearance { distance: -up.distance.max(0.0), normal: -up.normal, upper: -lower_depth, contact, ..up };
        if self.is_in_a { found } else { found.swapped() }
    }
}
