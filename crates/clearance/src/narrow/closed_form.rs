//! A ball and a simple shape: the distance of the ball's centre, in closed form, on both sides of zero.
//!
//! A ball is a point and a radius, so all that is needed is the point of the other core that is nearest to a point, and for
//! a point inside a box the face that is nearest. The signed distance is then exact to rounding, and so is the depth: along
//! a direction n the centre leaves the core after h(n) - n·p, whatever the radii, and the nearest face has the least of it.
//!
//! Prefer another engine when: neither shape is a ball.

use super::gjk::{Exit, Outcome};
use super::{ROUNDING, SMALLEST_LENGTH};
use crate::math::Frame;
use crate::pair::Cost;
use crate::shape::{Convex, Cuboid, NO_VERTEX, Segment, Sphere};
use glam::DVec3;

/// The core of a shape as a point outside or inside sees it, in the shape's own frame.
pub trait Target: Convex {
    /// Where the core is nearest to `point`.
    fn nearest(&self, point: DVec3) -> Foot;
}

/// The point of a core nearest to another point p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foot {
    /// The point of the core's boundary.
    pub point: DVec3,
    /// Minus the depth and the way out, if p is inside the core; else the distance is that of the two points.
    pub inside: Option<(f64, DVec3)>,
    /// A unit normal of the core at the point, for when p is on it and the two points do not tell a direction.
    pub normal: DVec3,
    /// Vertex numbers that span the feature the point is on.
    pub ids: [u32; 4],
    /// How many of them are in use.
    pub count: u8,
}

impl Target for Sphere {
    #[inline]
    fn nearest(&self, _point: DVec3) -> Foot {
        Foot { point: DVec3::ZERO, inside: None, normal: DVec3::X, ids: [0; 4], count: 1 }
    }
}

impl Target for Segment {
    #[inline]
    fn nearest(&self, point: DVec3) -> Foot {
        let [a, b] = self.ends();
        let along = b - a;
        // Where the projection falls, from 0 at a to 1 at b.
        let square = along.dot(along);
        let part = if square > 0.0 { ((point - a).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
        let (ids, count) = match part {
            0.0 => ([0; 4], 1),
            1.0 => ([1; 4], 1),
            _ => ([0, 1, 1, 1], 2),
        };
        let normal = along.try_normalize().map_or(DVec3::X, DVec3::any_orthonormal_vector);
        Foot { point: if part == 1.0 { b } else { a + part * along }, inside: None, normal, ids, count }
    }
}

impl Target for Cuboid {
    #[inline]
    fn nearest(&self, point: DVec3) -> Foot {
        let half = self.half_extents();
        let mut foot = point.clamp(-half, half);
        // Every face is a way out; the nearest, or the one that the point is farthest beyond, is the shortest.
        let room = half - point.abs();
        let axis = if room.x <= room.y && room.x <= room.z { 0 } else { 1 + usize::from(room.z < room.y) };
        let outward = 1.0_f64.copysign(point[axis]);
        let normal = DVec3::AXES[axis] * outward;
        let mut inside = None;
        if foot == point {
            foot[axis] = half[axis] * outward;
            inside = Some((-room[axis], normal));
        }
        let (ids, count) = super::cuboids::spanning(foot, half);
        Foot { point: foot, inside, normal, ids, count }
    }
}

/// The signed distance from a ball, which is A, to another shape.
#[inline]
pub fn ball_to<T: Target>(ball: &Sphere, other: &T, b_in_a: &Frame) -> Outcome {
    let foot = other.nearest(b_in_a.direction_in_b(-b_in_a.translation));
    let point = b_in_a.point(foot.point);
    let inside = foot.inside.map(|(distance, outward)| (distance, -(b_in_a.rotation * outward)));
    let normal = b_in_a.rotation * foot.normal;
    let contact = Contact { gap: point, inside, normal, ids: foot.ids.map(|id| [0, id]), count: foot.count };
    contact.outcome([ball.radius(), other.radius()], other.reach() + b_in_a.translation.length(), DVec3::ZERO)
}

/// The signed distance from a shape, which is A, to a ball.
#[inline]
pub fn to_ball<T: Target>(other: &T, ball: &Sphere, b_in_a: &Frame) -> Outcome {
    let center = b_in_a.translation;
    let foot = other.nearest(center);
    let contact = Contact {
        gap: center - foot.point,
        inside: foot.inside,
        normal: foot.normal,
        ids: foot.ids.map(|id| [id, 0]),
        count: foot.count,
    };
    contact.outcome([other.radius(), ball.radius()], other.reach() + center.length(), foot.point)
}

/// Two points of the cores, in the frame of A.
struct Contact {
    /// From the point of A to the point of B.
    gap: DVec3,
    /// The signed distance and the normal, if the centre of the ball is inside the other core.
    inside: Option<(f64, DVec3)>,
    /// The normal when the points coincide.
    normal: DVec3,
    ids: [[u32; 2]; 4],
    count: u8,
}

impl Contact {
    #[inline]
    fn outcome(&self, radii: [f64; 2], scale: f64, core_a: DVec3) -> Outcome {
        let radius = radii[0] + radii[1];
        let rounding = ROUNDING * (scale + radius) + SMALLEST_LENGTH;
        let length = self.gap.length();
        let (core, normal) = match self.inside {
            Some(inside) => inside,
            None if length > rounding => (length, self.gap / length),
            // Two points that coincide, to rounding, leave the direction open: any normal will do.
            None => (length, self.normal),
        };
        let distance = core - radius;
        let point_a = core_a + radii[0] * normal;
        Outcome {
            distance,
            point_a,
            point_b: point_a + distance * normal,
            normal,
            lower: distance - rounding,
            upper: distance + rounding,
            ids: if self.count == 0 { [[NO_VERTEX; 2]; 4] } else { self.ids },
            count: self.count,
            exit: Exit::Converged,
            closed: true,
            cost: Cost::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::gjk;
    use glam::{DMat3, DQuat};

    fn frame(rng: &mut fastrand::Rng, spread: f64) -> Frame {
        let mut number = || 2.0 * rng.f64() - 1.0;
        let turn = DQuat::from_xyzw(number(), number(), number(), number()).normalize();
        let translation = spread * DVec3::new(number(), number(), number());
        Frame { rotation: DMat3::from_quat(turn), translation }
    }

    /// The closed form against GJK, in both orders: same distance, valid bracket, same witnesses.
    fn agree<T: Target>(target: &T, ball: &Sphere, b_in_a: &Frame) -> bool {
        let out = to_ball(target, ball, b_in_a);
        let truth = gjk::distance(target, ball, b_in_a, &mut gjk::Cache::default());
        assert!(out.lower <= truth.upper && truth.lower <= out.upper, "{out:?} against {truth:?}");
        assert!((out.point_a + out.distance * out.normal - out.point_b).length() < 1e-14);
        let reverse = ball_to(ball, target, &b_in_a.inverse());
        assert!((reverse.distance - out.distance).abs() < 1e-14);
        assert!((b_in_a.rotation * reverse.normal + out.normal).length() < 1e-9, "{out:?} {reverse:?}");
        if truth.closed && truth.distance > -ball.radius() - target.radius() {
            assert!((out.distance - truth.distance).abs() < 1e-13 && (out.point_a - truth.point_a).length() < 1e-9);
        }
        out.distance < 0.0
    }

    #[test]
    fn the_closed_forms_agree_with_gjk_in_both_orders() {
        let mut rng = fastrand::Rng::with_seed(12);
        let mut overlaps = 0;
        for round in 0..3000 {
            let ball = Sphere::new(if round % 3 == 0 { 0.0 } else { rng.f64() }).unwrap();
            let place = frame(&mut rng, 1.2);
            let cuboid = Cuboid::new(DVec3::new(rng.f64(), 1.0, if round % 5 == 0 { 0.0 } else { 0.7 })).unwrap();
            overlaps += u32::from(agree(&cuboid, &ball, &place));
            let ends = [DVec3::new(rng.f64(), -1.0, 0.3), DVec3::new(0.0, rng.f64(), 1.0)];
            overlaps += u32::from(agree(&Segment::new(ends[0], ends[1]).unwrap(), &ball, &place));
            overlaps += u32::from(agree(&Segment::capsule(0.3, rng.f64()).unwrap(), &ball, &place));
            overlaps += u32::from(agree(&Sphere::new(rng.f64()).unwrap(), &ball, &place));
        }
        assert!((3000..9000).contains(&overlaps), "representative: {overlaps}");
    }

    #[test]
    fn a_centre_inside_a_box_leaves_by_the_nearest_face() {
        let cuboid = Cuboid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let ball = Sphere::new(0.5).unwrap();
        let at = |x: f64, y: f64, z: f64| Frame { translation: DVec3::new(x, y, z), ..Frame::IDENTITY };
        let out = to_ball(&cuboid, &ball, &at(0.25, -1.75, 0.0));
        assert_eq!((out.distance, out.normal, out.point_a), (-0.75, -DVec3::Y, DVec3::new(0.25, -2.0, 0.0)));
        // Concentric, and on the surface.
        assert_eq!(to_ball(&cuboid, &ball, &at(0.0, 0.0, 0.0)).distance, -1.5);
        assert_eq!(to_ball(&cuboid, &ball, &at(1.0, 0.0, 0.0)).distance, -0.5);
        assert_eq!(to_ball(&ball, &ball, &at(0.0, 0.0, 0.0)).distance, -1.0);
        // On the axis of a capsule only directions across it are normals.
        let out = to_ball(&Segment::capsule(0.25, 1.0).unwrap(), &ball, &at(0.0, 0.5, 0.0));
        assert_eq!((out.distance, out.normal.y), (-0.75, 0.0));
    }
}
