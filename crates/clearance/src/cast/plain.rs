//! The plain case of the simplest shapes: a ray that clearly begins outside and clearly hits, or clearly misses. Everything else is left to the
//! general way, whose lines and chords take longer to hand around than these take to compute.
//!
//! Nothing is put next to the middle of the shape here: T is the distance along the ray itself, and errors are those of the whole way.

use super::line::{Line, TURNED, both_turned_back};
use super::triangle::{LineCrossing, crossing};
use super::{LOOSE, Ray, RayHit};
use crate::math::Pose;
use crate::shape::{Convex, Cuboid, Feature, HalfSpace, Shape, Triangle};
use glam::DVec3;

impl Ray {
    /// The hit, or that there is none; nothing if the case is not plain.
    #[inline(always)]
    pub(super) fn plain(&self, shape: &Shape, pose: &Pose) -> Option<Option<RayHit>> {
        match shape {
            Shape::Sphere(ball) => self.at_ball(pose, ball.radius()),
            Shape::Cuboid(cuboid) => self.at_box(pose, cuboid),
            Shape::Triangle(triangle) => self.at_triangle(pose, triangle),
            Shape::HalfSpace(plane) => self.at_half_space(pose, plane),
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
    fn at_half_space(&self, pose: &Pose, plane: &HalfSpace) -> Option<Option<RayHit>> {
        let between = self.origin - pose.translation();
        let normal = pose.transform_vector(plane.normal());
        let (height, fall) = (normal.dot(between) - plane.offset(), -normal.dot(self.direction));
        let own = TURNED + 8.0 * f64::EPSILON + plane.turn();
        let error = own * (between.abs().element_sum() + plane.offset().abs()) + plane.shift();
        if !(height > 2.0 * error && fall > 1e-3 && own < 1e-9) {
            return None;
        }
        // The slope is off by so much of itself, and so is the distance.
        let distance = height / fall;
        let width = (error + own * distance) / (fall - own) + 4.0 * f64::EPSILON * distance;
        Some(self.hit([(distance - width).max(0.0), distance + width], normal, Feature::Surface))
    }
}
