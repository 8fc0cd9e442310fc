//! The plain case of the simplest shapes: a ray that clearly begins outside and clearly hits, or clearly misses. Everything else is left to the
//! general way, whose lines and chords take longer to hand around than these take to compute.
//!
//! Nothing is put next to the middle of the shape here: T is the distance along the ray itself, and errors are those of the whole way.

use super::line::{Line, TURNED};
use super::triangle::{LineCrossing, crossing};
use super::{Aim, LOOSE, Ray, RayHit, is_unit};
use crate::error::MAX_COORDINATE;
use crate::math::Pose;
use crate::shape::{Convex, Cuboid, Feature, HalfSpace, Segment, Shape, Triangle};
use glam::{DMat3, DVec3};

/// What turning a vector by the matrix of a quaternion, and making a unit of it before, may do. In units of ε: a quaternion that is a unit to 4
/// is worth 8, the entries of the matrix are off by 2.5 and 1, which is 5 in all, the sums of products by 2.6, and the unit by 3.
const BY_MATRIX: f64 = 20.0 * f64::EPSILON;

/// See [`cast_ray`](super::cast_ray).
///
/// A ray that is none is not refused here, but is not plain either, or misses: every comparison is written so that what is no number fails
/// it. What is not plain is handed on as it was given, so that nothing has to be kept for it.
#[inline(always)]
pub(super) fn cast_ray(
    shape: &Shape,
    pose: &Pose,
    (origin, direction): (&DVec3, &DVec3),
    max: f64,
    aim: Aim,
) -> Option<RayHit> {
    if is_unit(*direction) {
        let ray = Ray { origin: *origin, written: *direction, direction: *direction, max };
        // Each kind returns from here, so that its hit is written where the caller wants it; handed on, it would be copied.
        match shape {
            Shape::Sphere(ball) => {
                if let Some(found) = ray.at_ball(pose, ball.radius()) {
                    return found;
                }
            }
            Shape::Cuboid(cuboid) => {
                if let Some(found) = ray.at_box(pose, cuboid) {
                    return found;
                }
            }
            Shape::Triangle(triangle) => {
                if let Some(found) = ray.at_triangle(pose, triangle) {
                    return found;
                }
            }
            Shape::Segment(capsule) => {
                if let Some(found) = ray.at_capsule(pose, capsule) {
                    return found;
                }
            }
            Shape::HalfSpace(plane) => {
                if let Some(found) = ray.at_half_space(pose, plane, aim) {
                    return found;
                }
            }
            _ => {}
        }
        return cast_any(shape, pose, origin, direction, max, aim);
    }
    cast_long(shape, pose, origin, direction, max, aim)
}

#[inline(never)]
fn cast_any(shape: &Shape, pose: &Pose, origin: &DVec3, direction: &DVec3, max: f64, aim: Aim) -> Option<RayHit> {
    Ray::new(*origin, *direction, max)?.cast_any(shape, pose, aim)
}

/// A direction of another length than one.
#[inline(never)]
fn cast_long(shape: &Shape, pose: &Pose, origin: &DVec3, direction: &DVec3, max: f64, aim: Aim) -> Option<RayHit> {
    Ray::new(*origin, *direction, max)?.cast(shape, pose, aim)
}

impl Ray {
    /// See [`cast_ray`](super::cast_ray).
    #[inline(always)]
    pub fn cast(&self, shape: &Shape, pose: &Pose, aim: Aim) -> Option<RayHit> {
        let found = match shape {
            Shape::Sphere(ball) => self.at_ball(pose, ball.radius()),
            Shape::Cuboid(cuboid) => self.at_box(pose, cuboid),
            Shape::Triangle(triangle) => self.at_triangle(pose, triangle),
            Shape::Segment(capsule) => self.at_capsule(pose, capsule),
            Shape::HalfSpace(plane) => self.at_half_space(pose, plane, aim),
            _ => None,
        };
        found.unwrap_or_else(|| self.cast_any(shape, pose, aim))
    }

    #[inline(always)]
    fn hit(self, [lower, upper]: [f64; 2], normal: DVec3, feature: Feature) -> Option<RayHit> {
        let distance = 0.5 * (lower + upper);
        let point = self.origin + self.direction * distance;
        let hit = RayHit { distance, lower, upper, point, normal, feature, part: 0, is_inside: false };
        // Written so that nothing is hit if the end of the ray is no number.
        if lower <= self.max && self.origin.abs().max_element() <= MAX_COORDINATE { Some(hit) } else { None }
    }

    /// As `centered_ball`. The way b from the middle, its foot and the direction are off by 12 ε of |b|, sums and roots by 16 ε of all; the
    /// foot is no farther away than b is long.
    #[inline(always)]
    fn at_ball(self, pose: &Pose, radius: f64) -> Option<Option<RayHit>> {
        let between = self.origin - pose.translation();
        let to_foot = -between.dot(self.direction);
        let foot = between + self.direction * to_foot;
        let error = 40.0 * f64::EPSILON * (2.0 * between.abs().element_sum() + radius);
        let (apart, outer, inner) = (foot.length_squared(), radius + error, radius - error);
        let most = outer * outer - apart;
        if most < 0.0 || to_foot + outer < 0.0 {
            return Some(None);
        }
        let least = inner * inner - apart;
        let lower = to_foot - most.sqrt() - 2.0 * error;
        if !(least > 0.0 && error < LOOSE * radius && lower > 0.0) {
            return None;
        }
        let upper = to_foot - least.sqrt() + 2.0 * error;
        let normal = (between + self.direction * (0.5 * (lower + upper))) * (1.0 / radius);
        Some(self.hit([lower, upper], nearly_unit(normal), Feature::Surface))
    }

    /// As `cuboid`: three slabs, of which the last that is entered is before the first that is left.
    #[inline(always)]
    fn at_box(self, pose: &Pose, cuboid: &Cuboid) -> Option<Option<RayHit>> {
        let turn = DMat3::from_quat(pose.rotation());
        let [q, u] = [self.origin - pose.translation(), self.direction].map(|v| turned_back(&turn, v));
        let half = cuboid.half_extents();
        let reach = q.abs().element_sum() + half.element_sum();
        let error = (2.0 * BY_MATRIX + 16.0 * f64::EPSILON) * reach;
        let inverse = steep(u).recip();
        let (center, across) = (q * inverse, inverse.abs());
        let (outer, inner) = ((half + error) * across, (half - error) * across);
        let (lower, leave) = (greatest(-center - outer), least(outer - center));
        if lower > leave || leave < 0.0 {
            return Some(None);
        }
        let (enter, last) = (-center - inner, least(inner - center));
        let upper = greatest(enter);
        // Plates, which may have no inside, are not plain.
        if !(upper <= last && lower > 0.0 && upper <= reach && error < LOOSE * cuboid.bounding_radius()) {
            return None;
        }
        let axis = if enter.x == upper { 0 } else { 1 + u32::from(enter.y != upper) };
        let (column, along) = match axis {
            0 => (turn.x_axis, u.x),
            1 => (turn.y_axis, u.y),
            _ => (turn.z_axis, u.z),
        };
        let (normal, side) = if along < 0.0 { (column, 1) } else { (-column, 0) };
        let bounds = [lower - 4.0 * f64::EPSILON * lower, upper + 4.0 * f64::EPSILON * upper];
        Some(self.hit(bounds, normal, Feature::Face(2 * axis + side)))
    }

    /// A capsule with the half axis L n. Seen along n, the line from its foot is m + s w, with m² <= R² in the cylinder; where it comes in
    /// beyond an end, it comes in by the ball there, or not at all.
    ///
    /// The foot is as small as the capsule: squares of it are off by 8 ε of the capsule's, which is that part of the error by its radius.
    #[inline(always)]
    fn at_capsule(self, pose: &Pose, capsule: &Segment) -> Option<Option<RayHit>> {
        let radius = capsule.radius();
        let [middle, half] = capsule.turned(pose.rotation());
        let between = self.origin - pose.translation() - middle;
        let (to_foot, length) = (-between.dot(self.direction), capsule.squares()[0].sqrt());
        let foot = between + self.direction * to_foot;
        let size = length + radius;
        let far = between.abs().element_sum() + to_foot.abs() + capsule.bounding_radius() + radius;
        let error = 64.0 * f64::EPSILON * far + 16.0 * f64::EPSILON * size * (size / radius);
        let room = size + error;
        if foot.length_squared() > room * room || to_foot + room < 0.0 {
            return Some(None);
        }
        if !(error < LOOSE * radius && length > error) {
            return None;
        }
        let axis = half * capsule.squares()[1].sqrt();
        let (rise, height) = (self.direction.dot(axis), foot.dot(axis));
        let (w, m) = (self.direction - axis * rise, foot - axis * height);
        let (a, b, apart) = (w.length_squared(), m.dot(w), m.length_squared());
        let [outer, inner] = [radius + error, radius - error].map(|r| (b * b - a * apart) + a * r * r);
        if a < 1e-3 || inner <= 0.0 {
            return None;
        }
        let inverse = 1.0 / a;
        let side = [-(b + outer.sqrt()) * inverse - 8.0 * error, -(b + inner.sqrt()) * inverse + 8.0 * error];
        let places = side.map(|s| height + rise * s);
        let (low, high) = (places[0].min(places[1]) - error, places[0].max(places[1]) + error);
        let (way, foot_of_axis) = if low > -length && high < length {
            (side, axis * (0.5 * (places[0] + places[1])))
        } else if low > length || high < -length {
            let end = if low > length { axis * length } else { -axis * length };
            let from = foot - end;
            let b = from.dot(self.direction);
            let [outer, inner] = [radius + error, radius - error].map(|r| (b * b - from.length_squared()) + r * r);
            if outer < 0.0 {
                return Some(None);
            }
            if inner <= 0.0 {
                return None;
            }
            ([-b - outer.sqrt() - 8.0 * error, -b - inner.sqrt() + 8.0 * error], end)
        } else {
            return None;
        };
        let bounds = way.map(|s| to_foot + s);
        if !(bounds[0] > 0.0) {
            return None;
        }
        let normal = (foot + self.direction * (0.5 * (way[0] + way[1])) - foot_of_axis) * (1.0 / radius);
        Some(self.hit(bounds, nearly_unit(normal), Feature::Surface))
    }

    #[inline(always)]
    fn at_triangle(self, pose: &Pose, triangle: &Triangle) -> Option<Option<RayHit>> {
        let turn = DMat3::from_quat(pose.rotation());
        let [point, along] = [self.origin - pose.translation(), self.direction].map(|v| turned_back(&turn, v));
        let corners = triangle.corners();
        let [a, b, c] = corners;
        let reach = point.abs().element_sum() + a.abs().max(b.abs()).max(c.abs()).element_sum();
        let line = Line { point, along, errors: [BY_MATRIX * reach, BY_MATRIX], speed: 1.0 };
        match crossing(corners, &line, line.error(reach), reach) {
            LineCrossing::Miss => Some(None),
            LineCrossing::Hit { s } if s.low > 0.0 && BY_MATRIX * reach < LOOSE * (b - a).abs().max_element() => {
                let normal = (a - c).cross(b - a);
                let scale = normal.length_recip();
                let normal = normal * if normal.dot(along) > 0.0 { -scale } else { scale };
                scale.is_finite().then(|| self.hit([s.low, s.high], turn * normal, Feature::Face(0)))
            }
            LineCrossing::Hit { s } if s.high < 0.0 => Some(None),
            _ => None,
        }
    }

    #[inline(always)]
    fn at_half_space(self, pose: &Pose, plane: &HalfSpace, aim: Aim) -> Option<Option<RayHit>> {
        let between = self.origin - pose.translation();
        let normal = pose.transform_vector(plane.normal());
        let (height, fall) = (normal.dot(between) - plane.offset(), -normal.dot(self.direction));
        let own = TURNED + 8.0 * f64::EPSILON + plane.turn();
        let error = own * (between.abs().element_sum() + plane.offset().abs()) + plane.shift();
        if height < -2.0 * error && aim == Aim::Solid {
            let hit = self.hit([0.0; 2], -self.direction, Feature::Surface);
            return Some(hit.map(|hit| RayHit { is_inside: true, ..hit }));
        }
        if !(height > 2.0 * error && fall.abs() > 1e-3 && own < 1e-9) {
            return None;
        }
        if fall < 0.0 {
            return Some(None);
        }
        // The slope is off by so much of itself, and so is the distance.
        let inverse = 1.0 / fall;
        let distance = height * inverse;
        // 1 / (fall - own) is larger than 1 / fall by less than a millionth.
        let width = (error + own * distance) * (1.00001 * inverse) + 4.0 * f64::EPSILON * distance;
        Some(self.hit([(distance - width).max(0.0), distance + width], normal, Feature::Surface))
    }
}

/// A vector whose length is one but for 1e-10, made a unit by a step of Newton's method, which leaves the square of that.
#[inline(always)]
fn nearly_unit(v: DVec3) -> DVec3 {
    v * (1.5 - 0.5 * v.length_squared())
}

/// The coordinates of a vector of the world in axes that are the columns of a matrix.
#[inline(always)]
fn turned_back(axes: &DMat3, v: DVec3) -> DVec3 {
    DVec3::new(axes.x_axis.dot(v), axes.y_axis.dot(v), axes.z_axis.dot(v))
}

/// A direction without a zero, by less than anything that rounds: along an axis that it does not run along, a ray is inside of a slab for
/// as good as ever, or outside. Even the largest coordinate, divided by it, is a number.
#[inline(always)]
pub(super) fn steep(u: DVec3) -> DVec3 {
    const TINY: f64 = 1e-200;
    DVec3::new(u.x + TINY.copysign(u.x), u.y + TINY.copysign(u.y), u.z + TINY.copysign(u.z))
}

/// The largest coordinate. What is no number is not looked for.
#[inline(always)]
fn greatest(v: DVec3) -> f64 {
    let most = if v.x > v.y { v.x } else { v.y };
    if most > v.z { most } else { v.z }
}

/// The smallest coordinate.
#[inline(always)]
fn least(v: DVec3) -> f64 {
    let least = if v.x < v.y { v.x } else { v.y };
    if least < v.z { least } else { v.z }
}
