//! The plain case of the simplest shapes: a ray that clearly begins outside and clearly hits, or clearly misses. Everything else is left to the
//! general way, whose lines and chords take longer to hand around than these take to compute.
//!
//! Nothing is put next to the middle of the shape here: T is the distance along the ray itself, and errors are those of the whole way.

use super::line::{TURNED, pairs_turned_back};
use super::{Aim, LOOSE, Ray, RayHit};
use crate::math::Pose;
use crate::math::rounding::SMALLEST_LENGTH;
use crate::shape::{Convex, Cuboid, Feature, HalfSpace, Segment, Shape, Triangle};
use glam::{DQuat, DVec3};
use wide::f64x2;

/// Balls with a smaller radius are left to the general search. Bound: their squares are below 1e-280, near the end of the range of doubles.
const TINY: f64 = 1e-140;

/// See [`cast_ray`](super::cast_ray).
///
/// A ray whose direction was given as another vector than a unit one goes to `cast_any`, as does each case that is not plain.
///
/// Each kind has a function of its own with the arguments of this one. Each is jumped to, keeps no data of the others, and writes its hit
/// where the caller wants it.
#[inline(never)]
pub(super) fn cast_ray(shape: &Shape, pose: &Pose, ray: &Ray, aim: Aim) -> Option<RayHit> {
    let RayView { turn: [x, y, z, w], between: DVec3 { x: a, y: b, z: c } } = RayView::new(pose, &ray.origin);
    match shape {
        Shape::Sphere(_) => at_ball(shape, pose, ray, aim),
        Shape::Cuboid(_) => at_box(shape, pose, ray, aim, x, y, z, w, a, b, c),
        Shape::Segment(_) => at_capsule(shape, pose, ray, aim, x, y, z, w, a, b, c),
        Shape::Triangle(_) => at_triangle(shape, pose, ray, aim, x, y, z, w, a, b, c),
        Shape::HalfSpace(_) => at_half_space(shape, pose, ray, aim, x, y, z, w, a, b, c),
        _ => cast_any(shape, pose, ray, aim),
    }
}

/// A pose and a ray, relative to a shape: the rotation, and the vector from the shape's origin to that of the ray.
///
/// They are handed to each kind as seven numbers, in registers. Read from memory they would be read in pairs, and not in those pairs that
/// the caller has just copied them in. The processor then waits until the copies are in its cache, which takes longer than all other work.
#[derive(Clone, Copy)]
struct RayView {
    turn: [f64; 4],
    between: DVec3,
}

impl RayView {
    #[inline(always)]
    fn new(pose: &Pose, origin: &DVec3) -> Self {
        Self { turn: pose.rotation().to_array(), between: *origin - pose.translation() }
    }

    /// The way and a direction in the frame of the shape, x with x, y with y and z with z.
    #[inline(always)]
    fn turned_back(&self, direction: DVec3) -> [f64x2; 3] {
        pairs_turned_back(self.turn, self.between, direction)
    }

    /// A vector of the shape in the axes of the world: v + w t + q × t with t = 2 q × v.
    #[inline(always)]
    fn turned(&self, v: DVec3) -> DVec3 {
        let [x, y, z, w] = self.turn;
        let q = DVec3::new(x, y, z);
        let t = q.cross(v);
        let t = t + t;
        v + t * w + q.cross(t)
    }
}

#[inline(always)]
fn pair(a: f64, b: f64) -> f64x2 {
    f64x2::new([a, b])
}

/// A kind by itself: `$found` is the hit or miss, if the case is plain.
macro_rules! plain {
    ($name:ident, $kind:ident, |$ray:ident, $seen:ident, $one:ident, $aim:ident| $found:expr) => {
        #[inline(never)]
        #[expect(clippy::too_many_arguments, reason = "numbers in registers, see `RayView`")]
        fn $name(
            shape: &Shape,
            pose: &Pose,
            $ray: &Ray,
            $aim: Aim,
            x: f64,
            y: f64,
            z: f64,
            w: f64,
            a: f64,
            b: f64,
            c: f64,
        ) -> Option<RayHit> {
            if let Shape::$kind($one) = shape
                && $ray.is_plain
            {
                let $seen = RayView { turn: [x, y, z, w], between: DVec3::new(a, b, c) };
                if let Some(found) = $found {
                    return found;
                }
            }
            cast_any(shape, pose, $ray, $aim)
        }
    };
}

plain!(at_box, Cuboid, |ray, seen, cuboid, aim| ray.at_box(seen, cuboid));
plain!(at_capsule, Segment, |ray, seen, capsule, aim| ray.at_capsule(seen, capsule));
plain!(at_triangle, Triangle, |ray, seen, triangle, aim| ray.at_triangle(seen, triangle));
plain!(at_half_space, HalfSpace, |ray, seen, plane, aim| ray.at_half_space(seen, plane, aim));

/// A ball looks the same from everywhere: nothing is turned.
#[inline(never)]
fn at_ball(shape: &Shape, pose: &Pose, ray: &Ray, aim: Aim) -> Option<RayHit> {
    if let Shape::Sphere(ball) = shape
        && ray.is_plain
        && let Some(found) = ray.at_ball(ray.origin - pose.translation(), ball.radius())
    {
        return found;
    }
    cast_any(shape, pose, ray, aim)
}

/// A case that is not plain, or a direction of another length than one.
#[inline(never)]
fn cast_any(shape: &Shape, pose: &Pose, ray: &Ray, aim: Aim) -> Option<RayHit> {
    if ray.is_plain { ray.cast_any(shape, pose, aim) } else { ray.cast(shape, pose, aim) }
}

impl Ray {
    /// See [`cast_ray`](super::cast_ray).
    #[inline(always)]
    pub(crate) fn cast(&self, shape: &Shape, pose: &Pose, aim: Aim) -> Option<RayHit> {
        let seen = RayView::new(pose, &self.origin);
        let found = match shape {
            Shape::Sphere(ball) => self.at_ball(seen.between, ball.radius()),
            Shape::Cuboid(cuboid) => self.at_box(seen, cuboid),
            Shape::Triangle(triangle) => self.at_triangle(seen, triangle),
            Shape::Segment(capsule) => self.at_capsule(seen, capsule),
            Shape::HalfSpace(plane) => self.at_half_space(seen, plane, aim),
            _ => None,
        };
        found.unwrap_or_else(|| self.cast_any(shape, pose, aim))
    }

    /// A hit, if it is not beyond the end of the ray. Written so that nothing is hit if that is NaN.
    #[inline(always)]
    fn hit(&self, [lower, distance, upper]: [f64; 3], normal: DVec3, feature: Feature) -> Option<RayHit> {
        let point = self.origin + self.direction * distance;
        let hit = RayHit { distance, lower, upper, point, normal, feature, part: 0, is_inside: false };
        if lower <= self.max { Some(hit) } else { None }
    }

    /// As `centered_ball`, b being the way from its middle. With f the distance of the middle's foot and h its distance along the ray, both
    /// are off by 12 ε of |b|. |b| is at most |h| + f. Where the ray comes close, that is |h| + R: less than a quarter of the error here.
    /// Sums, squares and roots round by less than the rest. A ray that misses by more than its error
    /// does so truly: what f adds to its own error is 12 ε of it.
    #[inline(always)]
    fn at_ball(&self, between: DVec3, radius: f64) -> Option<Option<RayHit>> {
        // Squares of less than that are not reliable.
        if !(radius > TINY) {
            return None;
        }
        let behind = between.dot(self.direction);
        let foot = between - self.direction * behind;
        // See the comment above: less than 12 ε of |b|, which is a quarter of this.
        let error = 64.0 * f64::EPSILON * (behind.abs() + radius);
        let (apart, outer, inner) = (foot.length_squared(), radius + error, radius - error);
        let most = outer * outer - apart;
        if most < 0.0 || behind > outer {
            return Some(None);
        }
        let least = inner * inner - apart;
        let [far, near] = pair(most, least).sqrt().to_array();
        let lower = -behind - far - 2.0 * error;
        if !(least > 0.0 && error < LOOSE * radius && lower > 0.0) {
            return None;
        }
        let upper = 2.0 * error - behind - near;
        let distance = 0.5 * (lower + upper);
        let out = between + self.direction * distance;
        Some(self.hit([lower, distance, upper], out * nearly_over(out, 1.0 / radius), Feature::Surface))
    }

    /// As `cuboid`: three slabs, of which the last that is entered is before the first that is left. Those of x and y are computed beside each
    /// other; of z what is so for the box that is larger by the error, and for the one that is smaller.
    #[inline(always)]
    fn at_box(&self, seen: RayView, cuboid: &Cuboid) -> Option<Option<RayHit>> {
        let [x, y, z] = seen.turned_back(self.direction).map(f64x2::to_array);
        let half = cuboid.half_extents();
        let reach = x[0].abs() + y[0].abs() + z[0].abs() + half.element_sum();
        // Two rotations by [`TURNED`], and products and sums of the coordinates.
        let error = (2.0 * TURNED + 24.0 * f64::EPSILON) * reach;
        let u = steep(DVec3::new(x[1], y[1], z[1]));
        let (inverse, inverse_z) = (f64x2::splat(-1.0) / pair(u.x, u.y), -1.0 / u.z);
        let (center, center_z) = (pair(x[0], y[0]) * inverse, f64x2::splat(z[0] * inverse_z));
        let (size, across, pad) = (pair(half.x, half.y), inverse.abs(), f64x2::splat(error));
        let (outer, inner) = ((size + pad) * across, (size - pad) * across);
        let of_z = (f64x2::splat(half.z) + pair(error, -error)) * f64x2::splat(inverse_z.abs());
        let ([x_low, y_low], [x_high, y_high]) = ((center - outer).to_array(), (center - inner).to_array());
        let enter_z = center_z - of_z;
        let enter = pair(x_low, x_high).fast_max(pair(y_low, y_high)).fast_max(enter_z);
        let ([x_last, y_last], [x_first, y_first]) = ((center + outer).to_array(), (center + inner).to_array());
        let leave = pair(x_last, x_first).fast_min(pair(y_last, y_first)).fast_min(center_z + of_z);
        let ([lower, upper], [last, first]) = (enter.to_array(), leave.to_array());
        if lower > last || last < 0.0 {
            return Some(None);
        }
        // Plates, which may have no inside, are not plain.
        if !(upper <= first && lower > 0.0 && upper <= reach && error < LOOSE * cuboid.bounding_radius()) {
            return None;
        }
        // The column of the rotation matrix that the face looks along, by a half.
        let ([a, b, c, w], z_high) = (seen.turn, enter_z.to_array()[1]);
        let (column, along, face) = if x_high >= y_high && x_high >= z_high {
            (DVec3::new(0.5 - (b * b + c * c), a * b + w * c, a * c - w * b), u.x, 0)
        } else if y_high >= z_high {
            (DVec3::new(a * b - w * c, 0.5 - (a * a + c * c), b * c + w * a), u.y, 2)
        } else {
            (DVec3::new(a * c + w * b, b * c - w * a, 0.5 - (a * a + b * b)), u.z, 4)
        };
        let (twice, side) = if along < 0.0 { (2.0, 1) } else { (-2.0, 0) };
        // The quotient rounds by ε of the distance, with reserve for its reading.
        let (lower, upper) = (lower - 4.0 * f64::EPSILON * lower, upper + 4.0 * f64::EPSILON * upper);
        Some(self.hit([lower, 0.5 * (lower + upper), upper], column * twice, Feature::Face(face + side)))
    }

    /// A capsule with the half axis H. Seen along it, the line from its foot is m + s w, with m² <= R² in the cylinder; where it comes in
    /// beyond an end, it comes in by the ball there, or not at all. Heights are in units of H.
    ///
    /// The axis is turned by 16 ε at most, which moves m and s w by twice that of the capsule; s counts as far as the capsule reaches. The foot
    /// is as small as the capsule: squares of it are off by 8 ε of the capsule's, which is that part of the error by its radius.
    #[inline(always)]
    fn at_capsule(&self, seen: RayView, capsule: &Segment) -> Option<Option<RayHit>> {
        let (radius, length, [_, square]) = (capsule.radius(), capsule.half_length(), capsule.squares());
        let [middle, half] = capsule.turned(DQuat::from_array(seen.turn));
        let between = seen.between - middle;
        let to_foot = -between.dot(self.direction);
        let foot = between + self.direction * to_foot;
        // An axis that is shorter than the smallest length counts as none, but reaches as far as it does.
        let (size, inverse) = (length + radius + 2.0 * SMALLEST_LENGTH, 1.0 / radius);
        let far = between.abs().element_sum() + to_foot.abs() + capsule.bounding_radius() + radius;
        // Products of the far coordinates round by 64 ε; the quotient by the radius adds 16 ε of the squared size.
        let error = 64.0 * f64::EPSILON * far + 16.0 * f64::EPSILON * size * size * inverse;
        let room = size + error;
        if foot.length_squared() > room * room || to_foot + room < 0.0 {
            return Some(None);
        }
        let (rise, height) = (self.direction.dot(half) * square, foot.dot(half) * square);
        let (w, m) = (self.direction - half * rise, foot - half * height);
        let (a, b, apart) = (w.length_squared(), m.dot(w), m.length_squared());
        // For the capsule that is larger by the error, and for the one that is smaller.
        let radii = f64x2::splat(radius) + pair(error, -error);
        let roots = f64x2::splat(b * b - a * apart) + f64x2::splat(a) * radii * radii;
        let [outer, inner] = roots.to_array();
        if !(a > 1e-3 && error < LOOSE * radius && length > error) {
            return None;
        }
        if outer < 0.0 {
            return Some(None);
        }
        if inner <= 0.0 {
            return None;
        }
        let outwards = pair(-8.0 * error, 8.0 * error);
        let side = outwards - (f64x2::splat(b) + roots.sqrt()) * f64x2::splat(1.0 / a);
        let [first, second] = (f64x2::splat(height) + f64x2::splat(rise) * side).to_array();
        let pad = error * square * length;
        let (low, high) = (first.min(second) - pad, first.max(second) + pad);
        let (way, place) = if low > -1.0 && high < 1.0 {
            (side, 0.5 * (first + second))
        } else if low > 1.0 || high < -1.0 {
            let end = 1.0_f64.copysign(low);
            let from = foot - half * end;
            let b = from.dot(self.direction);
            let roots = f64x2::splat(b * b - from.length_squared()) + radii * radii;
            let [outer, inner] = roots.to_array();
            if outer < 0.0 {
                return Some(None);
            }
            if inner <= 0.0 {
                return None;
            }
            (outwards - (f64x2::splat(b) + roots.sqrt()), end)
        } else {
            return None;
        };
        let [lower, upper] = (f64x2::splat(to_foot) + way).to_array();
        if !(lower > 0.0) {
            return None;
        }
        let distance = 0.5 * (lower + upper);
        let out = between + self.direction * distance - half * place;
        Some(self.hit([lower, distance, upper], out * nearly_over(out, inverse), Feature::Surface))
    }

    /// As `crossing`, but by fewer products. With the sides E, F from a corner, the vector A to it and n = E × F, the hands on which the
    /// sides are passed are E · (u × A), -F · (u × A), and their difference from n · u, which is the sum of the three.
    ///
    /// Let S be no shorter than the sides. A is off by 17 ε of the way to the ray and ε of itself, u by 16 ε; so are the first two numbers,
    /// with 8 ε of their products, times S; and n · u is off by 24 ε of S². All three are so by less than 90 ε of S times |A| + |a| + S.
    #[inline(always)]
    fn at_triangle(&self, seen: RayView, triangle: &Triangle) -> Option<Option<RayHit>> {
        let [x, y, z] = seen.turned_back(self.direction).map(f64x2::to_array);
        let (point, along) = (DVec3::new(x[0], y[0], z[0]), DVec3::new(x[1], y[1], z[1]));
        let [a, b, c] = triangle.corners();
        let (one, other, way) = (b - a, c - a, a - point);
        let normal = one.cross(other);
        let (facing, height) = (normal.dot(along), normal.dot(way));
        let hand = along.cross(way);
        let sign = 1.0_f64.copysign(facing);
        let (first, second) = (one.dot(hand) * sign, -other.dot(hand) * sign);
        let third = facing.abs() - first - second;
        let (first_side, second_side) = (one.abs().element_sum(), other.abs().element_sum());
        let size = if first_side > second_side { first_side } else { second_side };
        let far = way.abs().element_sum() + a.abs().element_sum();
        // The hands have three differences and two products of three lengths each, less than 40 ε of the lengths; three times that, see below.
        let doubt = 128.0 * f64::EPSILON * (far + size) * size + f64::MIN_POSITIVE;
        let least = first.min(second).min(third);
        if least < -doubt && first.max(second).max(third) > doubt {
            return Some(None);
        }
        if !(least > doubt) {
            return None;
        }
        // t = n · A / n · u. With D = |A| + |a| and P = |E| |F| the first is off by 20 ε D |n| and 5 ε D P, the second by 18 ε |n| and 5 ε P,
        // which is less than a sixteenth of it, as it is three times the doubt at least; t itself rounds by 2 ε.
        let inverse = 1.0 / facing.abs();
        let distance = height * sign * inverse;
        // See above: 20 ε and 18 ε of the normal, 5 ε of both sides each, rounded up.
        let own = 24.0 * f64::EPSILON * normal.abs().element_sum() + 10.0 * f64::EPSILON * first_side * second_side;
        // The error of a number that underflows is not a part of itself.
        let width = (far + distance.abs()) * (own * inverse) + f64::MIN_POSITIVE * inverse;
        let (lower, upper) = (distance - width, distance + width);
        if upper < 0.0 {
            return Some(None);
        }
        let scale = normal.length_recip();
        if !(lower > 0.0 && width < LOOSE * size && scale.is_finite()) {
            return None;
        }
        let normal = seen.turned(normal * (-sign * scale));
        Some(self.hit([lower, distance, upper], normal, Feature::Face(0)))
    }

    #[inline(always)]
    fn at_half_space(&self, seen: RayView, plane: &HalfSpace, aim: Aim) -> Option<Option<RayHit>> {
        let normal = seen.turned(plane.normal());
        let (height, slope) = (normal.dot(seen.between) - plane.offset(), normal.dot(self.direction));
        // Three products and two sums, and the difference of the offset.
        let own = TURNED + 8.0 * f64::EPSILON + plane.turn();
        let error = own * (seen.between.abs().element_sum() + plane.offset().abs()) + plane.shift() + f64::MIN_POSITIVE;
        if height < -2.0 * error && aim == Aim::Solid {
            let hit = self.hit([0.0; 3], -self.direction, Feature::Surface);
            return Some(hit.map(|hit| RayHit { point: self.origin, is_inside: true, ..hit }));
        }
        if !(height > 2.0 * error && slope.abs() > 1e6 * own) {
            return None;
        }
        if slope > 0.0 {
            return Some(None);
        }
        // The slope is off by so much of itself, and so is the distance.
        let inverse = -1.0 / slope;
        let distance = height * inverse;
        // 1 / (|slope| - own) is larger than 1 / |slope| by little more than a millionth.
        let width = (error + own * distance) * (1.00001 * inverse) + 4.0 * f64::EPSILON * distance;
        Some(self.hit([(distance - width).max(0.0), distance, distance + width], normal, Feature::Surface))
    }
}

/// One over the length of a vector, from a number that is that but for 1e-10: a step of Newton's method leaves the square of this.
#[inline(always)]
fn nearly_over(v: DVec3, inverse: f64) -> f64 {
    (1.5 - 0.5 * (inverse * inverse) * v.length_squared()) * inverse
}

/// A direction without a zero, by less than anything that rounds: along an axis that it does not run along, a ray is inside of a slab for
/// as good as ever, or outside. Even the largest coordinate, divided by it, is a number.
#[inline(always)]
pub(super) fn steep(u: DVec3) -> DVec3 {
    /// Limit: added to a zero coordinate of a direction, so that the largest coordinate divided by it stays below the largest double.
    const TINY: f64 = 1e-200;
    DVec3::new(u.x + TINY.copysign(u.x), u.y + TINY.copysign(u.y), u.z + TINY.copysign(u.z))
}
