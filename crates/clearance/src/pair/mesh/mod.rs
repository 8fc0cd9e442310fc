//! Meshes, against meshes and against convex shapes: surfaces first, then what is inside.
//!
//! **Apart.** The surface of a mesh is a union of triangles, and a convex shape is one thing: the closest pair over the trees is how far
//! they are apart (`narrow/meshes` for two meshes, balls and capsules, `search.rs` for everything else, which asks the pair pipeline
//! about triangles).
//!
//! **Inside.** Where the surfaces are apart, every part of a surface that hangs together is inside of the other solid as a whole, or
//! outside as a whole; if solids share a point at all, then such a part of one is inside of the other. (From a common point go any
//! way: the first surface that is met is within the other solid.) So one vertex of each part decides, exactly: no surface is
//! within rounding of it.
//!
//! **Overlap.** Two triangles that meet cannot be separated by less than the depth of these two, and a point that is inside by less than
//! its distance to the surface; that bounds the signed distance from above. Whatever separates the hulls separates the meshes: along
//! a few directions that bounds it from below. Unless the two meet the bracket is open.
//!
//! Against a half-space only the hull of a mesh counts, see `visit.rs`; in a compound a mesh is a part like others.

mod meeting;
mod search;
#[cfg(test)]
mod tests;

use super::clearance::Contact;
use super::entry::PosedPair;
use super::{Clearance, Cost, Engine, PairCache, Status, unit};
use crate::math::{Frame, Pose};
use crate::narrow::meshes;
use crate::narrow::meshes::{SingleTriangle, Triangles};
use crate::shape::mesh::Side;
use crate::shape::{Convex, Feature, Mesh, Shape};
use glam::DVec3;
pub(super) use meeting::{intersects as intersects_here, is_simple};
use search::{Surfaces, closest, meeting};

/// The clearance of two bounded shapes of which at least one is a mesh and none a compound; beyond `limit` only that it is.
pub(super) fn clearance(pair: PosedPair<'_>, limit: f64, engine: Engine, cache: &mut PairCache) -> Clearance {
    // How deep surfaces overlap says little about how deep solids do: a negative limit is for the whole.
    let found = surfaces(pair, limit.max(0.0), engine, cache);
    match found {
        Surfaces::Meet(parts) => overlapping(pair, parts),
        Surfaces::Apart(clearance) => match point_inside(pair) {
            None => clearance,
            Some(inside) => overlapping(pair, inside.clearance(pair, engine)),
        },
    }
}

/// Do they share a point? For two meshes, and what is asked about in other ways than [`intersects_here`].
fn intersects(pair: PosedPair<'_>, engine: Engine, cache: &mut PairCache) -> bool {
    let do_meet = match (pair.a.as_mesh(), pair.b.as_mesh()) {
        (Some(a), Some(b)) if is_ordinary(&pair) => {
            let first = remembered(cache);
            let found = match front(cache) {
                // Everything that is not proved to be apart meets.
                Some(front) => {
                    let found =
                        meshes::distance_or_bound(a, Triangles::Mesh(b), &pair.frame(), 0.0, first, Some(front));
                    found.ok().map(|found| found.triangles)
                }
                None => meshes::first_crossing(a, b, &pair.frame(), first),
            };
            cache.is_warm = true;
            if let Some(triangles) = found {
                cache.triangles = triangles.map(|triangle| triangle + 1);
            }
            found.is_some()
        }
        _ => meeting(pair, engine, cache),
    };
    do_meet || point_inside(pair).is_some()
}

/// The triangles that were closest when the cache was filled.
fn remembered(cache: &PairCache) -> Option<[u32; 2]> {
    let [a, b] = cache.triangles;
    Some([a.checked_sub(1)?, b.checked_sub(1)?])
}

/// The front that is kept for two meshes, unless they are asked about for the first time: most pairs are asked about once.
fn front(cache: &mut PairCache) -> Option<&mut meshes::Front> {
    let front = cache.is_warm.then(|| &mut **cache.front.get_or_insert_default())?;
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
    if !(found.lower > 0.0) {
        return Surfaces::Meet(search::of_triangles(pair, found.triangles, engine));
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
        status: if is_closed(found.lower, found.upper, search::rounding(&pair)) {
            Status::Converged
        } else {
            Status::Stalled
        },
        contact: Contact::of_features(found.triangles.map(Feature::Face)),
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
    let (frame, rounding, first) = (pair.frame(), search::rounding(pair), remembered(cache));
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
    if !(lower > 0.0) {
        // The triangle that is nearest to the core reaches deepest. If it is apart after all, then by less than is told here.
        let meet = search::of_triangles(*pair, found.triangles, engine);
        return (!(meet.lower > 0.0)).then_some(Surfaces::Meet(meet));
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
        contact: Contact::of_features([Feature::Face(found.triangles[0]), feature]),
        ..Clearance::unknown(pair.pose_a, Cost::default())
    }))
}

/// Does a bracket have no more than rounding between its ends?
fn is_closed(lower: f64, upper: f64, rounding: f64) -> bool {
    upper - lower <= 12.0 * rounding
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
    /// As deep as the point is below the surface, and the way out from there.
    fn clearance(&self, pair: PosedPair<'_>, engine: Engine) -> Clearance {
        let (solid, pose) = if self.is_in_a { (pair.a, pair.pose_a) } else { (pair.b, pair.pose_b) };
        let point = Pose::from_translation(pose.transform_point(self.point));
        let to_point = PosedPair { a: solid, pose_a: pose, b: &Shape::point(), pose_b: &point };
        let up = match closest(to_point, f64::INFINITY, engine, &mut PairCache::default()) {
            Surfaces::Apart(up) => up,
            Surfaces::Meet(up) => Clearance { lower: 0.0, ..up },
        };
        // From the point to the surface: B has to go that way if it is in A, and A if it is in B.
        let lower_depth = (up.lower - search::rounding(&pair)).max(0.0);
        // The point is on no feature of the shape that has it.
        let [face, _] = up.features(solid, &Shape::point());
        let contact = Contact::of_features([face, Feature::Surface]);
        let found =
            Clearance { distance: -up.distance.max(0.0), normal: -up.normal, upper: -lower_depth, contact, ..up };
        if self.is_in_a { found } else { found.swapped() }
    }
}

/// The answer about two shapes that overlap, or of which nothing tells that they are apart: `parts` is about two of their parts, of which
/// only the upper bound counts.
fn overlapping(pair: PosedPair<'_>, parts: Clearance) -> Clearance {
    if parts.status == Status::BadSupport {
        return Clearance::unknown(pair.pose_a, parts.cost);
    }
    let rounding = search::rounding(&pair);
    // Out of balls about the origins, if nothing better is known.
    let balls = -(pair.a.bounding_radius() + pair.b.bounding_radius()) * (1.0 + 4.0 * f64::EPSILON);
    let hulls = Hulls::new(&pair);
    let along = |direction: DVec3| hulls.as_ref().map_or(balls, |hulls| hulls.apart(direction) - rounding);
    let along_parts = along(parts.normal);
    // The hulls are as deep as the parts: nothing is left open.
    let is_closed = parts.upper <= along_parts + 8.0 * rounding;
    let most = match &hulls {
        Some(_) if !is_closed => ways_out(&pair).map(along).fold(along_parts, f64::max),
        _ => along_parts,
    };
    let lower = most.max(balls).min(parts.upper);
    // What is not apart is no gap.
    let distance = parts.distance.min(0.0).clamp(lower, parts.upper);
    let point_b = parts.point_a + distance * parts.normal;
    let status = if is_closed { Status::Converged } else { Status::Open };
    Clearance { distance, point_b, lower, status, ..parts }
}

/// The convex hulls of two shapes, of which only heights are asked: how deep they overlap takes as long as all the rest, and says little about
/// how deep meshes do.
struct Hulls<'a> {
    pair: &'a PosedPair<'a>,
    shapes: [Shape; 2],
    slack: f64,
}

impl<'a> Hulls<'a> {
    /// Nothing for what cannot be computed with.
    fn new(pair: &'a PosedPair<'a>) -> Option<Self> {
        if !is_ordinary(pair) {
            return None;
        }
        let slack = |shape: &Shape| shape.as_mesh().map_or(0.0, Mesh::slack);
        let shapes = [pair.a.convex_hull()?, pair.b.convex_hull()?];
        Some(Self { pair, shapes, slack: slack(pair.a) + slack(pair.b) })
    }

    /// How far they are apart along a unit vector of the world, to rounding; negative where they overlap, without end if that is not known.
    fn apart(&self, direction: DVec3) -> f64 {
        let height = |shape: &Shape, pose: &Pose, direction: DVec3| {
            let local = pose.inverse_transform_vector(direction);
            shape.convex().map_or(f64::INFINITY, |hull| hull.height(local) + hull.radius() * local.length())
        };
        let PosedPair { pose_a, pose_b, .. } = *self.pair;
        let between = pose_b.translation() - pose_a.translation();
        let [a, b] = &self.shapes;
        let apart = direction.dot(between) - height(a, pose_a, direction) - height(b, pose_b, -direction) - self.slack;
        if apart.is_nan() { f64::NEG_INFINITY } else { apart }
    }
}

/// Directions along which two shapes that overlap may be freed: the axes of both, and the way between their middles.
pub(crate) fn ways_out(pair: &PosedPair<'_>) -> impl Iterator<Item = DVec3> {
    let PosedPair { a, pose_a, b, pose_b } = *pair;
    let middle = |shape: &Shape, pose: &Pose| match shape.as_mesh() {
        Some(mesh) => pose.transform_point(mesh.aabb().center()),
        None => pose.transform_point(shape.convex().map_or(DVec3::ZERO, Convex::center)),
    };
    let way = middle(b, pose_b) - middle(a, pose_a);
    let axes = |pose: &Pose| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.transform_vector(axis));
    let towards = move |axis: DVec3| if axis.dot(way) < 0.0 { -axis } else { axis };
    axes(pose_a).into_iter().chain(axes(pose_b)).map(towards).chain(way.try_normalize())
}
