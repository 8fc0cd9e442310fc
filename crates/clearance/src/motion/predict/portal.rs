//! Portals: the face of A - B that a line intersects, for straight motion.
//!
//! The places of B's origin at which the bodies meet are the convex set D = A - B, and B's origin moves along a line. So a contact is where a ray
//! enters a convex set that is known by its support points w(n) = a(n) - b(-n). A *portal* is a triangle of such points that the line goes
//! through. Beyond it there may be more of D. The support point along the normal of the portal decides that. With two corners of the portal
//! it forms the next one \[Snethen 2008, XenoCollide, who searches along the ray from a point inside; here any line will do\]. Between
//! polytopes the search ends at a face of D.
//!
//! Take axes of which the third is against the velocity, q for the first two coordinates and z for the third. D has its highest point over the
//! origin at min over m of max over w of (m·q + z), the direction being (m, 1). The height of the support plane is a convex function of m, and
//! the portal is a model of it from below.
//!
//! The search is in single precision; a few rounds in doubles make the portal exact. `certify/portal.rs` proves the contact.

use super::newton::LineFrame;
use crate::motion::advance::{Chain, Link};
use crate::motion::certify::{Certified, Portal, PortalCorner};
use crate::motion::envelope::{Direction, StraightPair};
use crate::shape::{Convex, NO_VERTEX};
use crate::tuning::motion as tuning;
use glam::{BVec3A, DMat3, DVec3, Mat3A, Vec2, Vec3A, Vec3Swizzles};

/// Limit: sizes that single precision can square and multiply.
const SIZES: std::ops::Range<f64> = 1e-9..1e9;

/// A support point of D in single precision.
#[derive(Clone, Copy)]
struct RoughCorner {
    w: Vec3A,
    /// The direction along which it is farthest.
    n: Vec3A,
    ids: [u32; 2],
}

/// The result of a search in single precision.
enum PortalSearch {
    /// The corners are those of a portal.
    Found,
    /// D is on one side of a plane that holds the line, or is next to it: the vector across the plane, towards the line.
    Beside(Vec3A),
    /// Neither, after the allowed number of rounds.
    Lost,
}

/// D in axes of which the third is against the velocity, from a point of the line.
struct RoughDifference<'a, A, B> {
    a: &'a A,
    b: &'a B,
    /// From these axes to those of A, and of B with the opposite sign; and back.
    into: [Mat3A; 2],
    back: [Mat3A; 2],
    shift: Vec3A,
    size: f32,
    /// The tolerance for points of D beyond a portal.
    little: f32,
}

impl<A: Convex, B: Convex> RoughDifference<'_, A, B> {
    #[inline(always)]
    fn corner(&self, n: Vec3A) -> RoughCorner {
        let (a, id_a) = self.a.support_f32(self.into[0] * n);
        let (b, id_b) = self.b.support_f32(self.into[1] * n);
        RoughCorner { w: self.back[0] * a + self.back[1] * b + self.shift, n, ids: [id_a, id_b] }
    }

    /// A portal, from a first guess at its normal. Corners are in the order in which they go around the line, to the left.
    #[inline(always)]
    fn search(&self, first: Vec2, corners: &mut [RoughCorner; 3]) -> PortalSearch {
        let per_size = 1.0 / self.size;
        let mut one = self.corner(Vec3A::new(first.x, first.y, 1.0));
        // Over the origin and as far again, where a ball would be.
        let mut m = first - one.w.xy() * (1.5 * per_size);
        let mut two = self.corner(Vec3A::new(m.x, m.y, 1.0));
        if is_same(&one, &two) {
            m -= one.w.xy() * (2.5 * per_size);
            two = self.corner(Vec3A::new(m.x, m.y, 1.0));
        }
        if is_same(&one, &two) {
            let Some(d) = (-one.w.xy()).try_normalize() else { return PortalSearch::Lost };
            two = self.corner(Vec3A::new(d.x, d.y, 0.0));
            if !(d.dot(two.w.xy()) >= 0.0) {
                return PortalSearch::Beside(two.n);
            }
        }
        for _ in 0..tuning::PORTAL_PROBES {
            // The origin to the left of the way from the first to the second.
            if one.w.xy().perp_dot(two.w.xy()) < 0.0 {
                (one, two) = (two, one);
            }
            let d = (two.w.xy() - one.w.xy()).perp();
            // How far the origin is from the edge, in parts of its length.
            let apart = -d.dot(one.w.xy()) / d.length_squared();
            if !apart.is_finite() {
                return PortalSearch::Lost;
            }
            // Where both are as high, and from there to the other side of the origin.
            let between = one.w - two.w;
            let (f, g) = (one.n.dot(between).max(0.0), (-two.n.dot(between)).max(0.0));
            let level = one.n * g + two.n * f;
            let level = if level.z > 0.0 { level / level.z } else { Vec3A::Z };
            let tilt = d * ((apart + 0.5) * per_size * level.length_squared());
            let mut three = self.corner(level + Vec3A::new(tilt.x, tilt.y, 0.0));
            if !(d.dot(three.w.xy()) > 0.0) {
                three = self.corner(Vec3A::new(d.x, d.y, 0.0));
                if !(d.dot(three.w.xy()) >= 0.0) {
                    return PortalSearch::Beside(three.n);
                }
            }
            let [p, q, r] = [one.w.xy(), two.w.xy(), three.w.xy()];
            if q.perp_dot(r) < 0.0 {
                one = three;
            } else if r.perp_dot(p) < 0.0 {
                two = three;
            } else {
                *corners = [one, two, three];
                return self.advance(corners);
            }
        }
        PortalSearch::Lost
    }

    /// A portal that is a face of D.
    #[inline(always)]
    fn advance(&self, corners: &mut [RoughCorner; 3]) -> PortalSearch {
        // Normals in units of the size: of a length that squares well, and without a division that everything waits for.
        let per_area = (1.0 / self.size) / self.size;
        // In registers: a load from a computed index would stall.
        let [mut one, mut two, mut three] = [corners[0].w, corners[1].w, corners[2].w];
        for _ in 0..tuning::PORTAL_ROUNDS {
            let normal = (two - one).cross(three - one) * per_area;
            if !(normal.z > 0.0) {
                return PortalSearch::Lost;
            }
            let four = self.corner(normal);
            let is_known = is_same(&four, &corners[0]) | is_same(&four, &corners[1]) | is_same(&four, &corners[2]);
            if is_known || normal.dot(four.w - one) <= self.little * normal.z {
                break;
            }
            let way = four.w.xy();
            let is_left = [way.perp_dot(one.xy()), way.perp_dot(two.xy()), way.perp_dot(three.xy())];
            let place = next(is_left[0] >= 0.0, is_left[1] >= 0.0, is_left[2] >= 0.0);
            corners[place] = four;
            let moved = |k: usize, w: Vec3A| Vec3A::select(BVec3A::splat(place == k), four.w, w);
            (one, two, three) = (moved(0, one), moved(1, two), moved(2, three));
        }
        PortalSearch::Found
    }
}

/// Polytopes have numbers for their corners; of others no two are the same.
#[inline(always)]
fn is_same(one: &RoughCorner, two: &RoughCorner) -> bool {
    (one.ids == two.ids) & (one.w == two.w)
}

/// Which of the corners 1, 2 and 3 of a portal gives way to the fourth, from zero on; given of each whether it is to the left of the way
/// from the origin to the fourth.
///
/// The line goes through (1, 2, 4) if 1 is to the left and 2 to the right of that way, and so on around. By a table, since no guess at a
/// branch would be right.
#[inline(always)]
fn next(is_first_left: bool, is_second_left: bool, is_third_left: bool) -> usize {
    /// Layout: the corner that is replaced, by three bits: whether each corner is left of the line.
    const GIVES_WAY: [u8; 8] = [1, 2, 0, 0, 1, 2, 1, 1];
    let case = usize::from(is_first_left) | usize::from(is_second_left) << 1 | usize::from(is_third_left) << 2;
    usize::from(GIVES_WAY[case])
}

impl<A: Convex, B: Convex> StraightPair<'_, A, B> {
    /// Predicts a contact by a portal and certifies it. `inner` has the radii of balls about the centers that are inside.
    pub(super) fn by_portal(
        &self,
        inner: [f64; 2],
        [from, until]: [f64; 2],
        chain: &mut impl Chain,
    ) -> Option<Certified> {
        if !self.is_near([from, until]) {
            return None;
        }
        let turns = [DMat3::from_quat(self.rotations[0]), DMat3::from_quat(self.rotations[1])];
        let centers = [turns[0] * self.a.center(), turns[1] * self.b.center()];
        let middle = centers[0] - centers[1];
        // The place on the line next to the middle of D.
        let speed = self.path.velocity.length();
        let u = self.path.velocity * (-1.0 / speed);
        let way = self.place_at(from) - middle;
        let across = way - u * u.dot(way);
        let origin = middle + across;
        let size = self.a.bounding_radius() + self.b.bounding_radius();
        if !(SIZES.contains(&size) && across.is_finite() && inner[0] + inner[1] > 0.0) {
            return None;
        }
        // Beside the balls around the bodies.
        if across.length_squared() > 4.0 * size * size {
            return self.certify_beside(across, [from, until], chain);
        }
        let (x, y) = u.any_orthonormal_pair();
        let axes = DMat3::from_cols(x, y, u);
        let to = [turns[0].transpose(), turns[1].transpose()];
        let rough_axes = rough(&axes);
        let into = [rough(&to[0]) * rough_axes, rough(&to[1]) * -rough_axes];
        let shift = Vec3A::new(-x.dot(origin) as f32, -y.dot(origin) as f32, -u.dot(origin) as f32);
        let back = [into[0].transpose(), into[1].transpose()];
        let is_curved = self.a.is_curved() || self.b.is_curved();
        let little = size as f32 * if is_curved { tuning::PORTAL_TOLERANCE_CURVED } else { tuning::PORTAL_TOLERANCE };
        let search = RoughDifference { a: self.a, b: self.b, into, back, shift, size: size as f32, little };
        let offset = Vec2::new(across.dot(x) as f32, across.dot(y) as f32);
        let high = (search.size * search.size - offset.length_squared()).max(0.25 * search.size * search.size).sqrt();
        let mut corners = [RoughCorner { w: Vec3A::ZERO, n: Vec3A::ZERO, ids: [NO_VERTEX; 2] }; 3];
        match search.search(offset / high, &mut corners) {
            PortalSearch::Found => {}
            PortalSearch::Beside(n) => return self.certify_beside(axes * n.as_dvec3(), [from, until], chain),
            PortalSearch::Lost => return None,
        }
        if is_curved {
            let normal = (corners[1].w - corners[0].w).cross(corners[2].w - corners[0].w);
            let frame = LineFrame { axes: &axes, origin, turns: &turns };
            if let Some(mut corners) = self.curved_portal(&frame, axes * normal.as_dvec3())
                && let Some(portal) = self.exact_portal(&mut corners, &turns, origin)
                && let Some(certified) = self.certify_portal(&portal, centers, inner, [from, until], chain)
            {
                return Some(certified);
            }
        }
        let mut corners = [
            self.placed(&corners[0], &axes, &turns),
            self.placed(&corners[1], &axes, &turns),
            self.placed(&corners[2], &axes, &turns),
        ];
        let portal = self.exact_portal(&mut corners, &turns, origin)?;
        self.certify_portal(&portal, centers, inner, [from, until], chain)
    }

    /// A corner in doubles.
    #[inline(always)]
    fn placed(&self, corner: &RoughCorner, axes: &DMat3, turns: &[DMat3; 2]) -> PortalCorner {
        let n = || *axes * corner.n.as_dvec3();
        let a = match self.a.vertex(corner.ids[0]) {
            Some(vertex) => vertex,
            None => self.a.support(turns[0].transpose() * n()),
        };
        let b = match self.b.vertex(corner.ids[1]) {
            Some(vertex) => vertex,
            None => self.b.support(turns[1].transpose() * -n()),
        };
        PortalCorner::new(turns[0] * a, turns[1] * b)
    }

    /// Certifies that a direction separates the bodies until the end.
    fn certify_beside(&self, n: DVec3, [from, until]: [f64; 2], chain: &mut impl Chain) -> Option<Certified> {
        let n = n.normalize();
        let [end, least] = self.apart(n, from, until)?;
        if end < until {
            return None;
        }
        chain.push(Link::along(Direction::fixed(n), [from, end]));
        Some(Certified::Clear { least })
    }

    /// A portal that is one in doubles, too, from one that may be a little behind.
    #[inline(always)]
    fn exact_portal<'p>(
        &self,
        corners: &'p mut [PortalCorner; 3],
        turns: &[DMat3; 2],
        origin: DVec3,
    ) -> Option<Portal<'p>> {
        let (to_a, to_b) = (turns[0].transpose(), turns[1].transpose());
        let close = 2.0 * self.path.roundings[0];
        let is_curved = self.a.is_curved() || self.b.is_curved();
        for _ in 0..tuning::PORTAL_EXACT_ROUNDS {
            // Of a portal that is much longer than wide the normal is known by its short side and a long one, not by two long ones.
            if is_curved {
                let [a, b, c] = [1, 2, 0].map(|k: usize| corners[k].w.distance_squared(corners[(k + 2) % 3].w));
                corners.rotate_left(if a <= b && a <= c { 0 } else { 1 + usize::from(c < b) });
            }
            let (one, two, three) = (corners[0].w, corners[1].w, corners[2].w);
            // Of any length first: how high the bodies are along it is found out while a root and a quotient make it a unit.
            let across = (two - one).cross(three - one);
            let (down, up) = (to_a * across, to_b * -across);
            let scale = across.length_recip();
            let normal = across * scale;
            // Written so that a NaN, of corners in line, is none. The normal is against the velocity.
            if !(normal.dot(self.path.velocity) < 0.0) {
                return None;
            }
            // Which points these are is of interest only if there is more, as there mostly is of curved bodies.
            let points = is_curved.then(|| (self.a.support(down), self.b.support(up)));
            let height = match points {
                Some((a, b)) => (a.dot(down) + b.dot(up)) * scale,
                None => (self.a.height(down) + self.b.height(up)) * scale,
            };
            let beyond = height - normal.dot(one).min(normal.dot(two)).min(normal.dot(three));
            if beyond <= close {
                return Some(Portal { corners, normal, height, beyond });
            }
            let (a, b) = points.unwrap_or_else(|| (self.a.support(down), self.b.support(up)));
            let four = PortalCorner::new(turns[0] * a, turns[1] * b);
            // To the left, looking against the velocity.
            let way = (four.w - origin).cross(self.path.velocity);
            let is_left = |w: DVec3| way.dot(w - origin) >= 0.0;
            corners[next(is_left(one), is_left(two), is_left(three))] = four;
        }
        None
    }
}

#[inline(always)]
fn rough(matrix: &DMat3) -> Mat3A {
    let column = |v: DVec3| Vec3A::new(v.x as f32, v.y as f32, v.z as f32);
    Mat3A::from_cols(column(matrix.x_axis), column(matrix.y_axis), column(matrix.z_axis))
}
