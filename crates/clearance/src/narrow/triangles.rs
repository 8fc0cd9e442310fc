//! Two triangles: their closest points, and the proof that they are apart.
//!
//! **Closest points** by cases: a corner of one over the face of the other, or points of two sides. Which case it is need not be decided
//! safely: the closest of all candidates is taken, and its direction is then held against all six corners, which proves a lower bound
//! whatever was rounded. Where that leaves the bracket open GJK answers (`narrow/gjk`).
//!
//! **Apart** by the separating axes of two triangles \\[Gottschalk, Lin, Manocha, *OBBTree*, 1996\\]: the two normals and the nine products of
//! sides; and for triangles in one plane the six normals of sides within it.
//!
//! Both work on corners in one frame, that of A; `rounding` bounds how far each may be from where it is meant to be.

use crate::tree::by_axis;
use glam::DVec3;

/// The corners of a triangle.
pub type Corners = [DVec3; 3];

/// The closest points that were found, and what they prove.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrianglePoints {
    /// The point of A.
    pub point_a: DVec3,
    /// The point of B.
    pub point_b: DVec3,
    /// The length between them.
    pub distance: f64,
    /// Unit vector from A to B; zero if the points are in one place.
    pub normal: DVec3,
    /// How far apart the triangles are at least, by the corners along the normal; rounding is not taken off.
    pub lower: f64,
}

/// By how much B is beyond A along a vector, times its length: negative where they overlap.
#[inline(always)]
#[must_use]
pub fn beyond(a: &Corners, b: &Corners, axis: DVec3) -> f64 {
    let top = axis.dot(a[0]).max(axis.dot(a[1])).max(axis.dot(a[2]));
    let bottom = axis.dot(b[0]).min(axis.dot(b[1])).min(axis.dot(b[2]));
    bottom - top
}

/// The closest points of two triangles, to rounding, unless they cross.
///
/// ```
/// use clearance::internals::narrow::triangles;
/// use glam::DVec3;
///
/// let floor = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
/// let above = floor.map(|corner| corner + DVec3::new(0.5, 0.5, 3.0));
/// let found = triangles::closest_points(&floor, &above);
/// assert_eq!((found.distance, found.lower), (3.0, 3.0));
/// ```
#[must_use]
pub fn closest_points(a: &Corners, b: &Corners) -> TrianglePoints {
    let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::ZERO);
    let mut offer = |p: DVec3, q: DVec3| {
        let square = p.distance_squared(q);
        if square < best.0 {
            best = (square, p, q);
        }
    };
    for i in 0..3 {
        let (from, along) = (a[i], a[(i + 1) % 3] - a[i]);
        for j in 0..3 {
            let (p, q) = between_sides(from, along, b[j], b[(j + 1) % 3] - b[j]);
            offer(p, q);
        }
    }
    // A corner over the other face is closer than every pair of sides.
    for &corner in b {
        if let Some(foot) = foot_in(a, corner) {
            offer(foot, corner);
        }
    }
    for &corner in a {
        if let Some(foot) = foot_in(b, corner) {
            offer(corner, foot);
        }
    }
    let (square, point_a, point_b) = best;
    let distance = square.sqrt();
    let normal = if distance > 0.0 { (point_b - point_a) / distance } else { DVec3::ZERO };
    let lower = if distance > 0.0 { beyond(a, b, normal) } else { 0.0 };
    TrianglePoints { point_a, point_b, distance, normal, lower }
}

/// The closest points of two sides, given by an end and the way to the other.
#[inline(always)]
fn between_sides(p: DVec3, u: DVec3, q: DVec3, v: DVec3) -> (DVec3, DVec3) {
    let r = q - p;
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (ur, vr) = (u.dot(r), v.dot(r));
    let share = |x: f64, whole: f64| if whole > 0.0 { (x / whole).clamp(0.0, 1.0) } else { 0.0 };
    // The lines: s u - t v = r in the least-squares sense. Nearly parallel ones have many closest points; any will do.
    let determinant = uu * vv - uv * uv;
    let s = if determinant > 0.0 { ((ur * vv - vr * uv) / determinant).clamp(0.0, 1.0) } else { 0.0 };
    // The best point of B's side for that, and of A's side for this again.
    let t = share(s * uv - vr, vv);
    let s = share(ur + t * uv, uu);
    (p + s * u, q + t * v)
}

/// The foot of a point on the plane of a triangle, if it is within.
#[inline(always)]
fn foot_in([a, b, c]: &Corners, point: DVec3) -> Option<DVec3> {
    let (u, v, w) = (*b - *a, *c - *a, point - *a);
    let normal = u.cross(v);
    let square = normal.length_squared();
    // Below that it has lost its digits.
    if !(square > 1e-280) {
        return None;
    }
    let beta = w.cross(v).dot(normal);
    let gamma = u.cross(w).dot(normal);
    if beta < 0.0 || gamma < 0.0 || beta + gamma > square {
        return None;
    }
    // Made of the corners, it is on the triangle whatever its shares are. Taken off the point along the normal, it would be only as near to
    // it as the normal is right, and that of a sliver is not.
    Some(*a + u * (beta / square) + v * (gamma / square))
}

/// A point of both of two triangles that cross, to rounding; nothing where no side of one goes through the other, as in one plane.
#[must_use]
pub fn common_point(a: &Corners, b: &Corners) -> Option<DVec3> {
    let through = |t: &Corners, [p, q]: [DVec3; 2]| {
        let normal = (t[1] - t[0]).cross(t[2] - t[0]);
        let [above, below] = [p, q].map(|end| normal.dot(end - t[0]));
        if above == below || above * below > 0.0 {
            return None;
        }
        let point = p + (q - p) * (above / (above - below));
        let is_within = (0..3).all(|k| normal.dot((t[(k + 1) % 3] - t[k]).cross(point - t[k])) >= 0.0);
        is_within.then_some(point)
    };
    let sides = |t: &Corners| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    sides(a)
        .into_iter()
        .find_map(|side| through(b, side))
        .or_else(|| sides(b).into_iter().find_map(|side| through(a, side)))
}

/// Does a side of one triangle go through the inside of the other, wherever each corner is within `rounding` of where it is given?
///
/// The side pq goes through abc if p and q are on different sides of its plane and the volumes of pqab, pqbc and pqca have one sign. All of these are triple
/// products of differences of corners.
///
/// **Bound.** Let m be the largest coordinate of a corner relative to the first one, and `rounding` r ≤ m. A difference of corners is no longer than l = 2 √3 m, and off by 2 r. So a
/// triple product is off by (l + 2 r)³ - l³ ≤ 26 r l² = 312 r m². Its own differences, products and sums round by less than 24 ε l³, which is at most
/// 32 r m²: r is at least 32 ε of the size, and that is at least half of l. Both are below 512 r m².
#[must_use]
pub fn pierce(a: &Corners, b: &Corners, rounding: f64) -> bool {
    let origin = a[0];
    let [a, b] = [a, b].map(|t| by_axis(|k| t[k] - origin));
    let most = |t: &Corners| t[0].abs().max(t[1].abs()).max(t[2].abs()).max_element();
    let m = most(&a).max(most(&b));
    // A NaN proves nothing, and neither does a triangle that is as small as its rounding.
    if !(rounding <= m) {
        return false;
    }
    let allowed = 512.0 * rounding * (m * m);
    let goes_through = |t: &Corners, of: &Corners| {
        let normal = (t[1] - t[0]).cross(t[2] - t[0]);
        let heights = by_axis(|k| normal.dot(of[k] - t[0]));
        (0..3).any(|i| {
            let j = (i + 1) % 3;
            let is_across = heights[i].min(heights[j]) < -allowed && heights[i].max(heights[j]) > allowed;
            is_across && {
                let along = of[j] - of[i];
                let ends = by_axis(|k| t[k] - of[i]);
                let [x, y, z] = by_axis(|k| along.dot(ends[k].cross(ends[(k + 1) % 3])));
                x.min(y).min(z) > allowed || x.max(y).max(z) < -allowed
            }
        })
    };
    goes_through(&a, &b) || goes_through(&b, &a)
}

/// A vector along which the triangles are proved to be apart, by corners that are each `rounding` off at most: from A to B, of any
/// length. Nothing if they meet, or come so close that no axis tells.
///
/// ```
/// use clearance::internals::narrow::triangles;
/// use glam::DVec3;
///
/// let floor = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
/// let at = |z: f64| floor.map(|corner| corner + DVec3::new(0.5, 0.5, z));
/// assert!(triangles::separating_axis(&floor, &at(0.1), 1e-14).is_some_and(|axis| axis.z > 0.0));
/// assert!(triangles::separating_axis(&floor, &at(0.0), 1e-14).is_none());
/// ```
#[must_use]
pub fn separating_axis(a: &Corners, b: &Corners, rounding: f64) -> Option<DVec3> {
    let sides = |t: &Corners| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (of_a, of_b) = (sides(a), sides(b));
    let (normal_a, normal_b) = (of_a[0].cross(of_a[1]), of_b[0].cross(of_b[1]));
    let between = b[0] - a[0];
    let tells = |axis: DVec3| {
        // Two corners decide, each off by `rounding`; products and sums round by an ε of the heights, which `rounding` covers.
        let allowance = 2.0 * rounding * axis.length();
        let forth = beyond(a, b, axis);
        if forth > allowance {
            return Some(axis);
        }
        (beyond(b, a, axis) > allowance).then_some(-axis)
    };
    for axis in [normal_a, normal_b, between] {
        if let Some(found) = tells(axis) {
            return Some(found);
        }
    }
    for u in of_a {
        for v in of_b {
            if let Some(found) = tells(u.cross(v)) {
                return Some(found);
            }
        }
    }
    // In one plane, or nearly: the normals of the sides within it.
    let flat = |normal: DVec3, sides: [DVec3; 3]| sides.into_iter().find_map(|side| tells(side.cross(normal)));
    flat(normal_a, of_a).or_else(|| flat(normal_b, of_b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pose, Shape, distance};
    use fastrand::Rng;

    fn draw(rng: &mut Rng, round: usize) -> Corners {
        let whole = round.is_multiple_of(2);
        let mut number = || if whole { f64::from(rng.i32(-3..=3)) } else { 3.0 * (2.0 * rng.f64() - 1.0) };
        let flat = round.is_multiple_of(3);
        [(); 3].map(|()| DVec3::new(number(), number(), if flat { 0.0 } else { number() }))
    }

    /// A side that goes through is proved by the separating axes of the exact triangles: there is none, however the corners move within the rounding.
    #[test]
    fn triangles_that_pierce_each_other_have_no_separating_axis() {
        let mut rng = Rng::with_seed(32);
        let (mut met, mut proved, mut grazed) = (0, 0, 0);
        for round in 0..30_000 {
            let size = [1.0, 1e-60, 1e50][round % 3];
            // Coarse rounding: what is proved must hold for corners that are off by all of it.
            let rounding = size * [1e-13, 1e-6, 1e-3][round / 3 % 3];
            let place = [0.0, 3.0][round / 9 % 2] * DVec3::new(1.0, -2.0, 0.5);
            let mut corners = |flat| draw(&mut rng, flat).map(|corner| size * (place + corner));
            let (a, mut b) = (corners(round), corners(round / 2));
            if round % 4 == 0 {
                // A corner on the other plane, or next to it: the side only grazes.
                let beside = size * [0.0, 1e-12, -1e-9][round / 4 % 3];
                b[0] = (a[0] + a[1] + a[2]) / 3.0 + beside * DVec3::new(0.3, 0.5, 1.0);
                b[1] = b[0] + (b[1] - b[0]).abs();
            }
            let do_pierce = pierce(&a, &b, rounding);
            let mut moved = |t: &Corners| {
                t.map(|corner| {
                    let by = DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0)).normalize_or_zero();
                    corner + by * rounding
                })
            };
            for _ in 0..8 {
                let (a, b) = (moved(&a), moved(&b));
                // (The axes themselves are rounded.)
                assert!(!do_pierce || separating_axis(&a, &b, 1e-14 * size).is_none(), "{a:?} {b:?}");
            }
            if separating_axis(&a, &b, rounding).is_none() {
                met += 1;
                proved += usize::from(do_pierce);
            }
            grazed += usize::from(round % 4 == 0 && !do_pierce);
        }
        // Much of what meets has whole coordinates, where corners touch and planes coincide.
        assert!(met > 5000 && 3 * proved > met && grazed > 3000, "{proved} of {met}, {grazed}");
        let [floor, on_edge] = [0.0, 1.0].map(|x| [DVec3::ZERO, DVec3::X, DVec3::Y].map(|v| v - x * DVec3::X));
        assert!(!pierce(&floor, &floor, 1e-15) && !pierce(&floor, &on_edge, 1e-15));
        let nan = floor.map(|corner| corner * f64::NAN);
        assert!(!pierce(&floor, &nan, 1e-15) && !pierce(&nan, &floor, 1e-15) && !pierce(&floor, &floor, f64::NAN));
    }

    #[test]
    fn closest_points_and_axes_agree_with_the_engines() {
        let mut rng = Rng::with_seed(31);
        let (mut apart, mut closed) = (0, 0);
        for round in 0..40_000 {
            let (a, b) = (draw(&mut rng, round), draw(&mut rng, round));
            let [shape_a, shape_b] = [a, b].map(|[p, q, r]| Shape::triangle(p, q, r).unwrap());
            let truth = distance(&shape_a, Pose::IDENTITY, &shape_b, Pose::IDENTITY);
            let axis = separating_axis(&a, &b, 1e-14);
            assert!(axis.is_none() || truth.distance > 0.0, "{a:?} {b:?} {axis:?}");
            // Slivers may hide an axis; triangles that are clearly apart and not slivers have one.
            let area = |t: &Corners| (t[1] - t[0]).cross(t[2] - t[0]).length();
            if truth.lower > 1e-9 && area(&a) > 0.1 && area(&b) > 0.1 {
                assert!(axis.is_some(), "{a:?} {b:?} {truth:?}");
            }
            if let Some(axis) = axis {
                assert!(beyond(&a, &b, axis) > 0.0);
            }
            if truth.distance > 1e-9 {
                apart += 1;
                let found = closest_points(&a, &b);
                assert!((found.distance - truth.distance).abs() < 1e-7, "{a:?} {b:?} {found:?} {truth:?}");
                assert!(found.lower <= truth.upper && found.distance >= truth.lower - 1e-13);
                closed += usize::from(found.distance - found.lower < 1e-12);
            }
        }
        assert!(apart > 10_000 && closed * 100 > apart * 98, "{closed} of {apart}");
    }
}
