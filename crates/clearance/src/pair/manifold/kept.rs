//! The normal of the last frame, confirmed: the contact of two convex shapes whose features have not changed.
//!
//! A body that rests or slides touches another with the same features for many frames. So the normal of the last frame, that of a face or of two edges, is tried
//! first. Let A and B be the cores of the two shapes, s the gap between their support planes along a unit vector n from A to B, and δ their signed distance. Every n has
//! `δ >= s`. These are the conditions for `δ = s`:
//!
//! - **A face F of A with the normal n**, and v, the support point of B against n. The foot of v in the plane of F is in F, at least r from its sides. (The same
//!   with the roles of A and B exchanged.)
//! - **An edge of each**, n perpendicular to both and both edges in the support planes. The edges cross, seen along n, and the crossing is at least r from the ends of the
//!   parallelogram that the two span.
//!
//! *Apart*, `s >= 0`: the foot and v, or the points of the crossing, are points of the two shapes at the distance s.
//!
//! *Overlapping*, `d = -s > 0`: the depth is the least height of the difference M = A - B along any unit vector. M has a disc of radius r about d n and across n. Along a unit vector m at the
//! angle θ from n the height of M is thus at least `d cos θ + r sin θ`. This is at least d as long as `tan(θ/2) <= r/d = k`. M also has the point c = c_A - c_B, a difference of inner points. With
//! `D = -n·c` and w the length of the part of c across n, the height along m is at least `D |cos θ| - w sin θ` for θ above a right angle. For k > 1 this grows from `tan(θ/2) = k` on.
//! There it is `(D (k² - 1) - 2 k w) / (k² + 1)`. So the depth is d if that is at least d.
//!
//! Radii are added at the end: the signed distance of rounded shapes is that of their cores less the radii. Everything is computed to the rounding error ε of the pair; r is taken smaller and d larger by
//! a multiple of ε, so that the bracket of the answer is `s - 2ε ..= s + 4ε`. Where a condition fails, nothing is proved, and an engine computes the normal.

use super::Manifold;
use super::ManifoldPoints;
use super::build::{Candidates, ContactInput, ContactSide, rounding_of};
use super::feature_pair::Name;
use super::footprint::{ContactPlane, Footprint, WitnessPoints};
use crate::math::Frame;
use crate::shape::{Convex, Family, Shape};
use glam::{DMat3, DVec3};

/// The features that a normal comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NormalOrigin {
    /// A face of A (0) or B (1), and its outward normal in the frame of the shape.
    Face { side: usize, name: Name, normal: DVec3 },
    /// An edge of each.
    Edges([u32; 2]),
}

/// A face is that of the last frame if its normal is that one to this. Limit: the rounding of a normal, so that a face with another number is not taken.
const SAME_FACE: f64 = 1.0 - 1e-9;

/// Sine of the angle between edges from which on their crossing is used. Limit: rounding errors of the crossing are divided by it.
const LEAST_SINE: f64 = 1e-3;

/// Rounding errors by which the distance from the sides is taken smaller. Bound: the foot and each side are off by at most 4 of them.
const OF_FEET: f64 = 16.0;

/// The manifold along the normal of the last frame: `None` if that is not confirmed, else whether there are points.
#[inline]
pub(super) fn fill(
    contact: &mut ContactInput<'_>,
    origin: NormalOrigin,
    which: ManifoldPoints,
    (memory, print): (&mut Candidates, &mut Footprint),
    out: &mut Manifold,
) -> Option<bool> {
    // Called where both have been made: they are large.
    let fill = |contact: &ContactInput<'_>, print: &mut Footprint, plane: &ContactPlane, witness: &WitnessPoints| {
        if witness.distance - 2.0 * plane.error > contact.margin {
            return Some(false);
        }
        print.fill(contact, plane, witness, which, memory, out)
    };
    match origin {
        NormalOrigin::Face { side, name, normal } => of_face(contact, side, (name, normal), print, fill),
        NormalOrigin::Edges(edges) => of_edges(contact, edges, print, fill),
    }
}

/// The bounded core of a shape about which something is proved.
fn core_of(shape: &Shape) -> Option<&dyn Convex> {
    match shape.family() {
        Family::Convex(core) if !shape.is_foreign() => Some(core),
        _ => None,
    }
}

#[inline]
fn of_face(
    contact: &mut ContactInput<'_>,
    side: usize,
    (name, normal): (Name, DVec3),
    print: &mut Footprint,
    fill: impl FnOnce(&ContactInput<'_>, &mut Footprint, &ContactPlane, &WitnessPoints) -> Option<bool>,
) -> Option<bool> {
    let (own, other) = if side == 0 { (&contact.a, &contact.b) } else { (&contact.b, &contact.a) };
    if !print.fix(own.shape, side, name, normal, SAME_FACE) {
        return None;
    }
    let core = core_of(other.shape)?;
    let frame = Frame::relative(&own.pose, &other.pose);
    let error = contact.rounding + rounding_of([own, other], &frame);
    let into_plane = print.to_plane();
    let frame = Frame { rotation: into_plane * frame.rotation, translation: into_plane * frame.translation };
    // Along z the face of A looks up, that of B down.
    let up = if side == 0 { 1.0 } else { -1.0 };
    let (radius, height) = (core.radius(), up * print.fixed_height());
    let row = DVec3::new(frame.rotation.x_axis.z, frame.rotation.y_axis.z, frame.rotation.z_axis.z);
    let support = core.support_vertex(-up * row);
    let nearest = frame.point(support.point) - DVec3::new(0.0, 0.0, up * radius);
    let (gap, foot) = (up * (nearest.z - height), nearest.truncate());
    let is_beyond = gap - 2.0 * error > contact.margin;
    // Of a half-space every gap along its normal is the signed distance.
    if let Family::Convex(own_core) = own.shape.family()
        && !is_beyond
    {
        let inside = print.inside(foot) - OF_FEET * error;
        let between = frame.point(core.center()) - into_plane * own_core.center();
        if !is_distance(gap + (own_core.radius() + radius), inside, up * between.z, between, error) {
            return None;
        }
    }
    let out_of_plane = into_plane.transpose();
    contact.normal = own.pose.transform_vector(out_of_plane.z_axis);
    let vertex = if core.vertex(support.vertex).is_some() { Name::vertex(support.vertex) } else { Name::surface(0) };
    let (on_face, on_other) = (out_of_plane * foot.extend(height), support.point - (up * radius) * row);
    let (mut points, mut names) = ([on_face, on_other], [print.fixed_name()?, vertex]);
    let mut frames = [Frame { rotation: into_plane, translation: DVec3::ZERO }, frame];
    if side == 1 {
        points.swap(0, 1);
        names.swap(0, 1);
        frames.swap(0, 1);
    }
    fill(contact, print, &ContactPlane { frames, error }, &WitnessPoints { points, at: foot, names, distance: gap })
}

#[inline]
fn of_edges(
    contact: &mut ContactInput<'_>,
    edges: [u32; 2],
    print: &mut Footprint,
    fill: impl FnOnce(&ContactInput<'_>, &mut Footprint, &ContactPlane, &WitnessPoints) -> Option<bool>,
) -> Option<bool> {
    let (core_a, core_b) = (core_of(contact.a.shape)?, core_of(contact.b.shape)?);
    let b_in_a = Frame::relative(&contact.a.pose, &contact.b.pose);
    let error = contact.rounding + rounding_of([&contact.a, &contact.b], &b_in_a);
    let [from_a, to_a] = ends_of_edge(contact.a.shape, edges[0])?;
    let [from_b, to_b] = ends_of_edge(contact.b.shape, edges[1])?.map(|end| b_in_a.point(end));
    let (along_a, along_b) = (to_a - from_a, to_b - from_b);
    let (length_a, length_b) = (along_a.length(), along_b.length());
    let cross = along_a.cross(along_b);
    let square = cross.length_squared();
    let sine = square.sqrt() / (length_a * length_b);
    if !(sine > LEAST_SINE) {
        return None;
    }
    let between = b_in_a.point(core_b.center()) - core_a.center();
    let unit = cross / square.sqrt();
    let n = if unit.dot(between) < 0.0 { -unit } else { unit };
    let radii = [core_a.radius(), core_b.radius()];
    let against = b_in_a.direction_in_b(-n);
    let core_gap = n.dot(b_in_a.translation) - core_b.height(against) - core_a.height(n);
    let gap = core_gap - (radii[0] + radii[1]);
    let offset = from_b - from_a;
    let height = n.dot(offset);
    let (t, u) = (offset.cross(along_b).dot(cross) / square, offset.cross(along_a).dot(cross) / square);
    if !(gap - 2.0 * error > contact.margin) {
        let error_across = error / sine;
        let inside = sine * (length_a * t.min(1.0 - t)).min(length_b * u.min(1.0 - u)) - OF_FEET * error_across;
        let is_supported = height - core_gap <= 2.0 * error;
        if !(is_supported && is_distance(core_gap, inside, n.dot(between), between, error)) {
            return None;
        }
    }
    print.release();
    contact.normal = contact.a.pose.transform_vector(n);
    let x = along_a / length_a;
    let into_plane = DMat3::from_cols(x, n.cross(x), n).transpose();
    let rotation = into_plane * b_in_a.rotation;
    let frames = [
        Frame { rotation: into_plane, translation: DVec3::ZERO },
        Frame { rotation, translation: into_plane * b_in_a.translation },
    ];
    let on_a = from_a + t * along_a;
    let on_b = on_a + (height - radii[1]) * n;
    let points = [on_a + radii[0] * n, b_in_a.direction_in_b(on_b - b_in_a.translation)];
    let names = [Name::edge(edges[0]), Name::edge(edges[1])];
    let at = (into_plane * on_a).truncate();
    fill(contact, print, &ContactPlane { frames, error }, &WitnessPoints { points, at, names, distance: gap })
}

/// Is the gap of two cores along a unit vector their signed distance, to the rounding errors of the module head? `inside` is r, `ahead` is D and `between` is -c.
#[inline]
fn is_distance(gap: f64, inside: f64, ahead: f64, between: DVec3, error: f64) -> bool {
    // Written so that a NaN is no.
    if gap >= 0.0 {
        return inside >= 0.0;
    }
    let depth = 4.0 * error - gap;
    let k = inside / depth;
    let across = (between.length_squared() - ahead * ahead).max(0.0).sqrt();
    k > 1.0 && ahead * (k * k - 1.0) - 2.0 * k * (across + error) >= (depth + error) * (k * k + 1.0)
}

/// The ends of an edge of the core of a polytope, box, triangle or segment.
fn ends_of_edge(shape: &Shape, number: u32) -> Option<[DVec3; 2]> {
    match shape {
        Shape::Cuboid(cuboid) => {
            // The numbers of `Cuboid::feature`: the axis, and the bits of the other two coordinates.
            let (axis, rest) = (number / 4, number % 4);
            let (from, along) = match axis {
                0 => (rest << 1, 1),
                1 => (rest & 1 | (rest & 2) << 1, 2),
                2 => (rest, 4),
                _ => return None,
            };
            Some([cuboid.vertex(from)?, cuboid.vertex(from | along)?])
        }
        Shape::Polytope(polytope) if (number as usize) < polytope.edge_count() => {
            let edge = polytope.edge(number);
            Some([polytope.vertex(edge.tail), polytope.vertex(edge.head)])
        }
        Shape::Triangle(triangle) if number < 3 => {
            let corners = triangle.corners();
            Some([corners[number as usize], corners[(number as usize + 1) % 3]])
        }
        Shape::Segment(segment) if number == 0 => Some(segment.ends()),
        Shape::Rounded(rounded) => ends_of_edge(rounded.shape(), number),
        _ => None,
    }
}

/// The features that the normal of an answer comes from, if it is that of a face or of two edges.
pub(super) fn origin_of(
    [a, b]: [&ContactSide<'_>; 2],
    flush: Option<NormalOrigin>,
    features: impl FnOnce() -> [Name; 2],
) -> Option<NormalOrigin> {
    let is_proved = |side: &ContactSide<'_>| core_of(side.shape).is_some();
    let is_plane = |side: &ContactSide<'_>| matches!(side.shape, Shape::HalfSpace(_));
    if is_plane(a) && is_proved(b) || is_proved(a) && is_plane(b) {
        return flush;
    }
    if !is_proved(a) || !is_proved(b) {
        return None;
    }
    flush.or_else(|| {
        let [a, b] = features();
        Some(NormalOrigin::Edges([a.as_edge()?, b.as_edge()?]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::{Pair, distance};
    use crate::{Axis, HalfHeight, Pose, Radius};
    use fastrand::Rng;
    use glam::DQuat;

    fn vector(rng: &mut Rng, size: f64) -> DVec3 {
        size * DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5)
    }

    fn shapes(rng: &mut Rng) -> Vec<Shape> {
        let mut hull = |count: usize| {
            let points: Vec<DVec3> = (0..count).map(|_| vector(rng, 1.0).normalize_or(DVec3::X)).collect();
            Shape::hull(&points).unwrap()
        };
        let cuboid = Shape::cuboid([0.6, 0.4, 0.5]).unwrap();
        vec![
            Shape::cuboid([2.0, 0.3, 2.0]).unwrap(),
            Shape::capsule(Axis::X, Radius(0.25), HalfHeight(0.5)).unwrap(),
            Shape::cylinder(Axis::Y, Radius(0.5), HalfHeight(0.4)).unwrap(),
            Shape::sphere(0.4).unwrap(),
            hull(20),
            hull(60),
            hull(5),
            Shape::rounded(&cuboid, 0.1).unwrap(),
            Shape::triangle([0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 0.2, 1.0]).unwrap(),
            cuboid,
        ]
    }

    /// A confirmed gap is the signed distance, at every depth: shallow overlaps, deep ones and gaps, from any frame before.
    #[test]
    fn a_confirmed_normal_has_the_signed_distance() {
        let mut rng = Rng::with_seed(3401);
        let shapes = shapes(&mut rng);
        let (mut confirmed, mut refused, mut kinds) = (0, 0, [0; 3]);
        for round in 0..4_000 {
            let (a, b) = (&shapes[rng.usize(..shapes.len())], &shapes[rng.usize(..shapes.len())]);
            let pose_a = Pose::new(vector(&mut rng, 2.0), DQuat::from_scaled_axis(vector(&mut rng, 6.0)));
            let mut pose_b = Pose::new(vector(&mut rng, 2.0), DQuat::from_scaled_axis(vector(&mut rng, 6.0)));
            // Down to a gap or a depth of any size.
            let wanted = [0.005, 0.0, -1e-6, -1e-3, -0.05, -0.3][round % 6];
            for _ in 0..40 {
                let found = distance(a, pose_a, b, pose_b);
                if (found.distance - wanted).abs() < 1e-12 {
                    break;
                }
                pose_b = Pose::new(pose_b.translation() + (wanted - found.distance) * found.normal, pose_b.rotation());
            }
            let mut pair = Pair::new(a, b);
            let Some(mut manifold) = pair.manifold(pose_a, pose_b, 0.01).cloned() else { continue };
            let Some(origin) = manifold.origin else { continue };
            let by = [1e-9, 1e-4, 1e-2, 0.1][round / 6 % 4];
            let turn = DQuat::from_scaled_axis(vector(&mut rng, by));
            let moved = Pose::new(pose_b.translation() + vector(&mut rng, by), turn * pose_b.rotation());
            let side = |shape, pose: Pose| ContactSide { shape, pose, place: None };
            let (of_a, of_b) = (side(a, pose_a), side(b, moved));
            let mut contact = ContactInput { a: of_a, b: of_b, normal: manifold.normal, margin: 0.01, rounding: 0.0 };
            let truth = distance(a, pose_a, b, moved);
            match fill(
                &mut contact,
                origin,
                ManifoldPoints::All,
                (&mut Candidates::new(), &mut Footprint::default()),
                &mut manifold,
            ) {
                None => refused += 1,
                Some(false) => assert!(truth.upper > 0.01, "{round}: {truth:?}"),
                Some(true) => {
                    confirmed += 1;
                    kinds[match origin {
                        NormalOrigin::Face { side, .. } => side,
                        NormalOrigin::Edges(_) => 2,
                    }] += 1;
                    let deepest = manifold.deepest().unwrap();
                    // A rim has corners up to 1e-4 of the radius above its lowest point.
                    let slack = 1e-11
                        + if matches!(a, Shape::Cylinder(_)) || matches!(b, Shape::Cylinder(_)) { 1e-4 } else { 0.0 };
                    assert!(
                        (deepest.distance - truth.distance).abs() <= slack,
                        "{round}: {} {} {origin:?} {deepest:?} {truth:?}",
                        a.kind(),
                        b.kind()
                    );
                }
            }
        }
        assert!(
            confirmed > 700 && refused > 150 && kinds.iter().all(|&count| count > 50),
            "{confirmed} {refused} {kinds:?}"
        );
    }
}
