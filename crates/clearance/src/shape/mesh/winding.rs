//! Where is a point: inside of a solid, outside, or on its surface? Decided exactly.
//!
//! A ray from the point along x crosses the surface; the crossings from inside to outside, less those from outside to inside, are
//! the winding number. All that a line crosses of a closed surface adds up to nothing: back along x the crossings are as many, so that the
//! shorter way does. Rays through edges and vertices need no other ray. The point is thought to be moved by an infinitesimal amount along
//! y, then along z, which decides every tie the same way for all triangles around an edge.

use super::Mesh;
use crate::math::Aabb;
use crate::math::exact::{orient2d, orient3d};
use glam::DVec3;
use std::ops::ControlFlow;

/// Where a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Within the solid, and not on its surface.
    Inside,
    /// Exactly on a triangle.
    Surface,
    /// Neither. Everything off the surface of a shell is outside.
    Outside,
}

impl Mesh {
    /// Where a point is, exactly; see [`Side`].
    ///
    /// A point that is not finite is outside.
    #[must_use]
    pub fn side_of(&self, point: impl Into<DVec3>) -> Side {
        let point = point.into();
        let bounds = self.aabb();
        if !bounds.contains(point) {
            return Side::Outside;
        }
        match self.winding(self.scale.point(point)) {
            None => Side::Surface,
            Some(number) if number != 0 && self.is_solid() => Side::Inside,
            Some(_) => Side::Outside,
        }
    }

    /// How often the surface goes around a scaled point; nothing if the point is on it.
    fn winding(&self, point: DVec3) -> Option<i32> {
        let at = DVec3::from_array(point.to_array().map(|x| self.scale.length(x)));
        let is_forward = at.x > self.bounds.center().x;
        let ray = if is_forward {
            Aabb { min: at, max: DVec3::new(f64::INFINITY, at.y, at.z) }
        } else {
            Aabb { min: DVec3::new(f64::NEG_INFINITY, at.y, at.z), max: at }
        };
        let ray = ray.grown(self.grain());
        let mut number = Some(0);
        self.tree.overlapping(&ray, |triangle| {
            if is_beside(&self.corners(triangle), &ray) {
                return ControlFlow::Continue(());
            }
            let corners @ [a, b, c] = self.scaled_corners(triangle);
            let height = orient3d(a, b, c, point);
            let is_on = height == 0.0 && is_on(corners, point);
            number =
                if is_on { None } else { number.map(|number| number + crossing(corners, point, height, is_forward)) };
            if number.is_none() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        number
    }
}

/// Is a triangle on one side of a ray along x, seen along y or z? Then the point is not on it, and the ray does not cross it.
#[inline(always)]
fn is_beside([a, b, c]: &[DVec3; 3], ray: &Aabb) -> bool {
    let (low, high) = (a.min(*b).min(*c), a.max(*b).max(*c));
    ray.max.y < low.y || high.y < ray.min.y || ray.max.z < low.z || high.z < ray.min.z
}

/// Is a point that is exactly in the plane of a triangle on it, an edge or a corner of it included?
fn is_on(corners @ [a, b, c]: [DVec3; 3], point: DVec3) -> bool {
    // No side has it strictly outside, in any projection in which the triangle has an area.
    match crate::math::exact::widest_projection(a, b, c) {
        Some(axis) => {
            let way = orient2d(axis, a, b, c).signum();
            [[a, b], [b, c], [c, a]].into_iter().all(|[u, v]| way * orient2d(axis, u, v, point) >= 0.0)
        }
        // A triangle without an area is its longest side.
        None => [[a, b], [b, c], [c, a]].into_iter().any(|side| is_on_segment(side, point)) || corners.contains(&point),
    }
}

fn is_on_segment([u, v]: [DVec3; 2], point: DVec3) -> bool {
    (0..3).all(|axis| orient2d(axis, u, v, point) == 0.0) && u.min(v).cmple(point).all() && point.cmple(u.max(v)).all()
}

/// +1 if the ray from a point, which is not on the triangle, leaves the solid through it, -1 if it enters, 0 if it misses. Forward is
/// along +x; the height is that of the point over the triangle.
fn crossing([a, b, c]: [DVec3; 3], point: DVec3, height: f64, is_forward: bool) -> i32 {
    // The winding of the triangle's projection along x about the point: sides that pass it, counted by the way they go.
    let sides = [[a, b], [b, c], [c, a]];
    let turns: i32 = sides.into_iter().map(|[u, v]| passes(u, v, point)).sum();
    if turns == 0 {
        return 0;
    }
    // Seen along x the triangle turns counter-clockwise where its normal points towards the viewer, that is along +x. The point is behind
    // it, so that the ray meets it, if it is below such a triangle or above one that is turned over.
    let is_ahead = if turns > 0 { height < 0.0 } else { height > 0.0 };
    match (is_ahead, is_forward) {
        (true, true) => turns,
        // Seen from behind it turns the other way.
        (false, false) => -turns,
        _ => 0,
    }
}

/// Does a side of the projection pass the point on the side of larger y: +1 upwards in z, -1 downwards, else 0.
fn passes(u: DVec3, v: DVec3, point: DVec3) -> i32 {
    // An end at the same height counts as below: the point is a little higher.
    let (is_low_u, is_low_v) = (u.z <= point.z, v.z <= point.z);
    if is_low_u == is_low_v {
        return 0;
    }
    // In the plane of y and z: positive if the point is to the left of the side. On the side itself, it is a little further along y,
    // which is to the right of a side that goes up and to the left of one that goes down.
    let turn = orient2d(0, u, v, point);
    if is_low_u {
        // Going up: the side is at larger y if the point is to its left.
        i32::from(turn > 0.0)
    } else {
        -i32::from(turn < 0.0)
    }
}
