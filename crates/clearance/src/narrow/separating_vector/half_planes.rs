//! Collision test 4.2.2: do the half-planes of all vectors have a point in common?
//!
//! The normals that have a vector r on their side are those with x·r >= 0. On the plane across the first vector that is a half-plane, and
//! on the sphere of directions it is half of that. The sphere is used here, because there are no points at infinity on it. Two vectors
//! leave a lune, more leave a convex polygon whose sides are arcs of great circles, and every further vector cuts it. When nothing is left,
//! no plane has all vectors on one side. The middle of what is left is a better
//! normal than the hemisphere method's, which is always across the newest vector; it takes more time to find.

use super::{CollisionTest, MAX_STEPS, OriginSide};
use glam::DVec3;

/// A corner of what is left, and the vector on whose circle the side runs from there to the next corner.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PlaneCorner {
    at: DVec3,
    side: usize,
}

impl PlaneCorner {
    const NONE: Self = Self { at: DVec3::ZERO, side: 0 };
}

/// Corners of the intersection. Layout: every cut adds one corner at most, and there are [`MAX_STEPS`] cuts.
const MAX_CORNERS: usize = MAX_STEPS + 2;

/// The half-plane intersection method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfPlanes {
    corners: [PlaneCorner; MAX_CORNERS],
    /// Zero while there is one vector only.
    count: usize,
    normal: DVec3,
}

impl Default for HalfPlanes {
    fn default() -> Self {
        Self { corners: [PlaneCorner::NONE; MAX_CORNERS], count: 0, normal: DVec3::ZERO }
    }
}

impl CollisionTest for HalfPlanes {
    fn add(&mut self, all: &[DVec3]) -> OriginSide {
        let Some((&newest, earlier)) = all.split_last() else { return OriginSide::One };
        let index = earlier.len();
        if self.count == 0 {
            return self.begin(newest, earlier, index);
        }
        let inside = |corner: &PlaneCorner| corner.at.dot(newest) >= 0.0;
        let old = self.corners;
        let old = &old[..self.count];
        if old.iter().all(inside) {
            // The corners of a lune are opposite each other, so both may be on the circle of the newest and what is between
            // them beyond it. Then all vectors are in one plane, which is not worth a case of its own.
            let is_beyond = old.len() == 2 && self.normal.dot(newest) < 0.0;
            return if is_beyond { OriginSide::Both(enclosing(all, old, index)) } else { OriginSide::One };
        }
        if !old.iter().any(inside) {
            return OriginSide::Both(enclosing(all, old, index));
        }
        self.count = 0;
        for (place, corner) in old.iter().enumerate() {
            let next = &old[(place + 1) % old.len()];
            let arc = all[corner.side];
            // Along a side, clockwise about its vector, x·r falls where x·(arc × r) is negative and rises where it is positive: that
            // tells which of the two points that the circles share is passed.
            match (inside(corner), inside(next)) {
                (true, true) => self.push(*corner),
                (true, false) => {
                    self.push(*corner);
                    self.push(PlaneCorner { at: newest.cross(arc).normalize_or_zero(), side: index });
                }
                (false, true) => {
                    self.push(PlaneCorner { at: arc.cross(newest).normalize_or_zero(), side: corner.side })
                }
                (false, false) => {}
            }
        }
        let sum = self.corners[..self.count].iter().fold(DVec3::ZERO, |sum, corner| sum + corner.at);
        self.normal = sum.try_normalize().unwrap_or(self.normal);
        OriginSide::One
    }

    fn normal(&self) -> DVec3 {
        self.normal
    }
}

impl HalfPlanes {
    /// The lune of two vectors; one that is along the first adds nothing.
    fn begin(&mut self, newest: DVec3, earlier: &[DVec3], index: usize) -> OriginSide {
        let Some(&first) = earlier.first() else {
            self.normal = newest;
            return OriginSide::One;
        };
        let Some(corner) = first.cross(newest).try_normalize() else {
            // Against the first: what is left is a circle, which is not worth a case of its own.
            return if first.dot(newest) > 0.0 { OriginSide::One } else { OriginSide::Both([0, 0, index, index]) };
        };
        self.corners[0] = PlaneCorner { at: corner, side: 0 };
        self.corners[1] = PlaneCorner { at: -corner, side: index };
        self.count = 2;
        self.normal = (first + newest).try_normalize().unwrap_or(self.normal);
        OriginSide::One
    }

    fn push(&mut self, corner: PlaneCorner) {
        if self.count < MAX_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }
}

/// Four vectors with the origin between them: the newest, and three whose sides are left and whose hull the line of the newest
/// meets on the other side. Of the triangles that the sides make with the first, the one it meets best.
fn enclosing(all: &[DVec3], corners: &[PlaneCorner], newest: usize) -> [usize; 4] {
    let opposite = -all[newest];
    let first = corners[0].side;
    let mut best = ([newest, first, first, first], f64::NEG_INFINITY);
    for pair in corners[1..].windows(2) {
        let (second, third) = (pair[0].side, pair[1].side);
        let [a, b, c] = [all[first], all[second], all[third]];
        let volume = a.cross(b).dot(c);
        let parts = [b.cross(c).dot(opposite), c.cross(a).dot(opposite), a.cross(b).dot(opposite)];
        let least = parts.iter().map(|part| part * volume.signum()).fold(f64::INFINITY, f64::min);
        if least > best.1 {
            best = ([newest, first, second, third], least);
        }
    }
    best.0
}
