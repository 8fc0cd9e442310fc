//! The plain case of the simplest shapes: a ray that clearly begins outside and clearly hits, or clearly misses. Everything else is left to the
//! general way, whose lines and chords take longer to hand around than these take to compute.
//!
//! Nothing is put next to the middle of the shape here: T is the distance along the ray itself, and errors are those of the whole way.

use super::line::{Line, TURNED, both_turned_back};
use super::triangle::{LineCrossing, crossing};
use super::{Aim, LOOSE, Ray, RayHit};
use crate::math::Pose;
use crate::shape::{Convex, Cuboid, Feature, HalfSpace, Segment, Shape, Triangle};
use glam::DVec3;

impl Ray {
    /// The hit, or that there is none; nothing if the case is not plain.
    #[inline(always)]
    pub(super) fn plain(&self, shape: &Shape, pose: &Pose, aim: Aim) -> Option<Option<RayHit>> {
        match shape {
            Shape::Sphere(ball) => self.at_ball(pose, ball.radius()),
            Shape::Cuboid(cuboid) => self.at_box(pose, cuboid),
            Shape::Triangle(triangle) => self.at_triangle(pose, triangle),
            Shape::Segment(capsule) => self.at_capsule(pose, capsule),
            Shape::HalfSpace(plane) => self.at_half_space(pose, plane, aim),
            _ => None,
        }
    }

    #[inline(always)]
    fn hit(&self, [lower, upper]: [f64; 2], normal: DVec3, feature: Feature) -> Option<RayHit> {
        let distance = 0.5 * (lower + upper);
        let point = self.origin + self.direction * distance;
        let hit = RayHit { distance, lower, upper, point, normal, feature, part: 0, is_inside: false };
        if lower > self.max { None } else { Some(hit) }
    }

    /// As `centered_ball`. The way b from the middle, its foot and the direction are off by 12 ε of |b|, sums and roots by 16 ε of all.
    #[inline(always)]
    fn at_ball(&self, pose: &Pose, radius: f64) -> Option<Option<RayHit>> {
        let between = self.origin - pose.translation();
        let to_foot = -between.dot(self.direction);
        let foot = between + self.direction * to_foot;
        let error = 40.0 * f64::EPSILON * (between.abs().element_sum() + to_foot.abs() + radius);
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
        let normal = between + self.direction * (0.5 * (lower + upper));
        Some(self.hit([lower, upper], normal * normal.length_recip(), Feature::Surface))
    }

    /// As `cuboid`: three slabs, of which the last that is entered is the first that is not left.
    #[inline(always)]
    fn at_box(&self, pose: &Pose, cuboid: &Cuboid) -> Option<Option<RayHit>> {
        let [q, u] = both_turned_back(pose, self.origin - pose.translation(), self.direction);
        let half = cuboid.half_extents();
        let reach = q.abs().element_sum() + half.element_sum();
        let error = (2.0 * TURNED + 16.0 * f64::EPSILON) * reach;
        // Along an axis that it does not run along, a ray is inside for ever, outside for ever, or the case is not plain.
        let steep = |u: f64| if u.abs() < 1e-290 { 1e-290_f64.copysign(u) } else { u };
        let inverse = DVec3::new(steep(u.x), steep(u.y), steep(u.z)).recip();
        let (center, size, pad) = (-q * inverse, half * inverse.abs(), inverse.abs() * error);
        let (near, far) = (center - size, center + size);
        let (lower, leave) = ((near - pad).max_element(), (far + pad).min_element());
        if lower > leave || leave < 0.0 {
            return Some(None);
        }
        let (enter, DVec3 { x, y, z }) = (near + pad, far - pad);
        let upper = enter.max_element();
        let is_hit = enter.cmple(DVec3::new(y.min(z), z.min(x), x.min(y))).all();
        if !(is_hit && lower > 0.0 && upper <= reach && error < LOOSE * cuboid.bounding_radius()) {
            return None;
        }
        let axis = if near.x >= near.y && near.x >= near.z { 0 } else { 1 + usize::from(near.z > near.y) };
        let side = u32::from(u[axis] < 0.0);
        let mut normal = DVec3::ZERO;
        normal[axis] = if side == 0 { -1.0 } else { 1.0 };
        let bounds = [lower - 4.0 * f64::EPSILON * lower, upper + 4.0 * f64::EPSILON * upper];
        Some(self.hit(bounds, pose.transform_vector(normal), Feature::Face(2 * axis as u32 + side)))
    }

    /// A capsule with the half axis L n. Seen along n, the line from its foot is m + s w, with m² <= R² in the cylinder; where it comes in
    /// beyond an end, it comes in by the ball there, or not at all.
    ///
    /// The foot is as small as the capsule: squares of it are off by 8 ε of the capsule's, which is that part of the error by its radius.
    #[inline(always)]
    fn at_capsule(&self, pose: &Pose, capsule: &Segment) -> Option<Option<RayHit>> {
        let radius = capsule.radius();
        let [middle, half] = capsule.turned(pose.rotation());
        let between = self.origin - pose.translation() - middle;
        let (to_foot, length) = (-between.dot(self.direction), half.length());
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
        let axis = half * (1.0 / length);
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
        let normal = foot + self.direction * (0.5 * (way[0] + way[1])) - foot_of_axis;
        Some(self.hit(bounds, normal * normal.length_recip(), Feature::Surface))
    }

    #[inline(always)]
    fn at_triangle(&self, pose: &Pose, triangle: &Triangle) -> Option<Option<RayHit>> {
        let [point, along] = both_turned_back(pose, self.origin - pose.translation(), self.direction);
        let corners = triangle.corners();
        let reach =
            point.abs().element_sum() + corners.iter().fold(DVec3::ZERO, |far, c| far.max(c.abs())).element_sum();
        let line = Line { point, along, errors: [TURNED * reach, TURNED], speed: 1.0 };
        match crossing(corners, &line, line.error(reach), reach) {
            LineCrossing::Miss => Some(None),
            LineCrossing::Hit { s } if s.low > 0.0 && TURNED * reach < LOOSE * (corners[1] - corners[0]).length() => {
                let [a, b, c] = corners;
                let normal = (b - a).cross(c - a).try_normalize()?;
                let normal = if normal.dot(along) > 0.0 { -normal } else { normal };
                Some(self.hit([s.low, s.high], pose.transform_vector(normal), Feature::Face(0)))
            }
            LineCrossing::Hit { s } if s.high < 0.0 => Some(None),
            _ => None,
        }
    }

    #[inline(always)]
    fn at_half_space(&self, pose: &Pose, plane: &HalfSpace, aim: Aim) -> Option<Option<RayHit>> {
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
        let distance = height / fall;
        let width = (error + own * distance) / (fall - own) + 4.0 * f64::EPSILON * distance;
        Some(self.hit([(distance - width).max(0.0), distance + width], normal, Feature::Surface))
    }
}
