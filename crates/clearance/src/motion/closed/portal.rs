//! Portals: the face of A - B that a line intersects.
//!
//! The places of B's origin at which the bodies meet are the set D = A - B, which is convex, and B's origin goes along a line. So a contact
//! is where a ray comes into a convex set that is known by its support points w(n) = a(n) - b(-n). A *portal* is a triangle of such points
//! that the line goes through. Beyond it there may be more of D: the support point along its normal tells, and with two corners of the
//! portal it makes the next one \[Snethen 2008, XenoCollide, who looks along the ray from a point inside; here any line will do\]. Between
//! polytopes it ends at a face of D.
//!
//! In axes of which the third is against the velocity, with q for the first two coordinates and z for the third, D has its highest point
//! over the origin at min over m of max over w of (m·q + z), the direction being (m, 1): what the support plane of a direction is worth is
//! a convex function of m, of which the portal is a model from below.
//!
//! The portal is a guess, found in single precision. The proofs, in doubles:
//!
//! - **before**: the normal of the portal, as for every other proposal;
//! - **after**: D holds the corners of the portal, and with w₀ = c_A - c_B a ball of radius r_A + r_B, if balls of these radii about the
//!   centers are inside of the bodies. Since it is convex it holds, around every point Σ λᵢ wᵢ + σ w₀ with λᵢ, σ >= 0 and Σ λᵢ + σ = 1, a
//!   ball of radius σ (r_A + r_B). No face has to be looked at.

use super::super::advance::{Chain, Link};
use super::super::envelope::Direction;
use super::super::guess::{ProvedContact, SOON};
use super::curved::Sighting;
use super::{Certified, StraightPair};
use crate::math::rounding::ROUNDING;
use crate::shape::{Convex, NO_VERTEX};
use glam::{BVec3A, DMat3, DVec3, Mat3A, Vec2, Vec3A, Vec3Swizzles};

/// Support points until there is a portal, and to advance it, at most; a few are usual.
const MAX_PROBES: u32 = 12;
const MAX_ROUNDS: u32 = 24;

/// Advances of a portal in doubles, where single precision does not distinguish two faces.
const MAX_EXACT: u32 = 24;

/// What counts as no more of D beyond a portal, in single precision and in parts of the size: of polytopes, and of curved bodies, for which
/// Newton's method takes over.
const ROUGH: f32 = 1e-5;
const ROUGH_CURVED: f32 = 3e-3;

/// Sizes that single precision can square and multiply.
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
    Portal,
    /// D is on one side of a plane that the line is in, or next to: the vector across it, towards the line.
    Beside(Vec3A),
    Nothing,
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
            let Some(d) = (-one.w.xy()).try_normalize() else { return PortalSearch::Nothing };
            two = self.corner(Vec3A::new(d.x, d.y, 0.0));
            if !(d.dot(two.w.xy()) >= 0.0) {
                return PortalSearch::Beside(two.n);
            }
        }
        for _ in 0..MAX_PROBES {
            // The origin to the left of the way from the first to the second.
            if one.w.xy().perp_dot(two.w.xy()) < 0.0 {
                (one, two) = (two, one);
            }
            let d = (two.w.xy() - one.w.xy()).perp();
            // How far the origin is from the edge, in parts of its length.
            let apart = -d.dot(one.w.xy()) / d.length_squared();
            if !apart.is_finite() {
                return PortalSearch::Nothing;
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
        PortalSearch::Nothing
    }

    /// A portal that is a face of D.
    #[inline(always)]
    fn advance(&self, corners: &mut [RoughCorner; 3]) -> PortalSearch {
        // Normals in units of the size: of a length that squares well, and without a division that everything waits for.
        let per_area = (1.0 / self.size) / self.size;
        // In registers: a load from a computed index would stall.
        let [mut one, mut two, mut three] = [corners[0].w, corners[1].w, corners[2].w];
        for _ in 0..MAX_ROUNDS {
            let normal = (two - one).cross(three - one) * per_area;
            if !(normal.z > 0.0) {
                return PortalSearch::Nothing;
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
        PortalSearch::Portal
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
    const GIVES_WAY: [u8; 8] = [1, 2, 0, 0, 1, 2, 1, 1];
    let case = usize::from(is_first_left) | usize::from(is_second_left) << 1 | usize::from(is_third_left) << 2;
    usize::from(GIVES_WAY[case])
}

/// A point of D, with the points of the bodies; in axes that do not turn, each seen from the origin of its body.
#[derive(Clone, Copy)]
pub(super) struct PortalCorner {
    pub points: [DVec3; 2],
    pub w: DVec3,
}

impl PortalCorner {
    #[inline(always)]
    pub fn new(a: DVec3, b: DVec3) -> Self {
        Self { points: [a, b], w: a - b }
    }
}

/// The part of D beyond a portal.
struct PortalFront {
    normal: DVec3,
    /// Of both bodies along the normal, and how much of D there may be beyond the portal.
    height: f64,
    beyond: f64,
}

impl<A: Convex, B: Convex> StraightPair<'_, A, B> {
    /// The answer by a portal, if there is one; `inner` has the radii of balls about the centers that are inside.
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
        let speed = self.velocity.length();
        let u = self.velocity * (-1.0 / speed);
        let way = self.place_at(from) - middle;
        let across = way - u * u.dot(way);
        let origin = middle + across;
        let size = self.a.bounding_radius() + self.b.bounding_radius();
        if !(SIZES.contains(&size) && across.is_finite() && inner[0] + inner[1] > 0.0) {
            return None;
        }
        // Beside the balls around the bodies.
        if across.length_squared() > 4.0 * size * size {
            return self.beside(across, [from, until], chain);
        }
        let (x, y) = u.any_orthonormal_pair();
        let axes = DMat3::from_cols(x, y, u);
        let to = [turns[0].transpose(), turns[1].transpose()];
        let rough_axes = rough(&axes);
        let into = [rough(&to[0]) * rough_axes, rough(&to[1]) * -rough_axes];
        let shift = Vec3A::new(-x.dot(origin) as f32, -y.dot(origin) as f32, -u.dot(origin) as f32);
        let back = [into[0].transpose(), into[1].transpose()];
        let is_curved = self.a.is_curved() || self.b.is_curved();
        let little = size as f32 * if is_curved { ROUGH_CURVED } else { ROUGH };
        let search = RoughDifference { a: self.a, b: self.b, into, back, shift, size: size as f32, little };
        let offset = Vec2::new(across.dot(x) as f32, across.dot(y) as f32);
        let high = (search.size * search.size - offset.length_squared()).max(0.25 * search.size * search.size).sqrt();
        let mut corners = [RoughCorner { w: Vec3A::ZERO, n: Vec3A::ZERO, ids: [NO_VERTEX; 2] }; 3];
        match search.search(offset / high, &mut corners) {
            PortalSearch::Portal => {}
            PortalSearch::Beside(n) => return self.beside(axes * n.as_dvec3(), [from, until], chain),
            PortalSearch::Nothing => return None,
        }
        if is_curved {
            let normal = (corners[1].w - corners[0].w).cross(corners[2].w - corners[0].w);
            let sighting = Sighting { axes: &axes, origin, turns: &turns };
            if let Some(mut portal) = self.curved_portal(&sighting, axes * normal.as_dvec3())
                && let Some(front) = self.exact_portal(&mut portal, &turns, origin)
                && let Some(answer) = self.through(&portal, &front, centers, inner, [from, until], chain)
            {
                return Some(answer);
            }
        }
        let mut portal = [
            self.placed(&corners[0], &axes, &turns),
            self.placed(&corners[1], &axes, &turns),
            self.placed(&corners[2], &axes, &turns),
        ];
        let front = self.exact_portal(&mut portal, &turns, origin)?;
        self.through(&portal, &front, centers, inner, [from, until], chain)
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

    /// Apart along a direction, if they are.
    fn beside(&self, n: DVec3, [from, until]: [f64; 2], chain: &mut impl Chain) -> Option<Certified> {
        let n = n.normalize();
        let [end, least] = self.apart(n, from, until)?;
        if end < until {
            return None;
        }
        chain.push(Link::along(Direction::fixed(n), [from, end]));
        Some(Certified::Apart { least })
    }

    /// A portal that is one in doubles, too, from one that may be a little behind.
    #[inline(always)]
    fn exact_portal(&self, corners: &mut [PortalCorner; 3], turns: &[DMat3; 2], origin: DVec3) -> Option<PortalFront> {
        let (to_a, to_b) = (turns[0].transpose(), turns[1].transpose());
        let close = 2.0 * self.roundings[0];
        let is_curved = self.a.is_curved() || self.b.is_curved();
        for _ in 0..MAX_EXACT {
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
            if !(normal.dot(self.velocity) < 0.0) {
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
                return Some(PortalFront { normal, height, beyond });
            }
            let (a, b) = points.unwrap_or_else(|| (self.a.support(down), self.b.support(up)));
            let four = PortalCorner::new(turns[0] * a, turns[1] * b);
            // To the left, looking against the velocity.
            let way = (four.w - origin).cross(self.velocity);
            let is_left = |w: DVec3| way.dot(w - origin) >= 0.0;
            corners[next(is_left(one), is_left(two), is_left(three))] = four;
        }
        None
    }

    /// The two proofs.
    #[inline(always)]
    fn through(
        &self,
        corners: &[PortalCorner; 3],
        front: &PortalFront,
        centers: [DVec3; 2],
        inner: [f64; 2],
        [from, until]: [f64; 2],
        chain: &mut impl Chain,
    ) -> Option<Certified> {
        let &PortalFront { normal, height, beyond } = front;
        let [time, least] = self.apart_below(normal, height, from, until)?;
        let link = Link::along(Direction::fixed(normal), [from, time]);
        if time == until {
            chain.push(link);
            return Some(Certified::Apart { least });
        }
        let per_closing = -1.0 / normal.dot(self.velocity);
        let ball = inner[0] + inner[1];
        let per_ball = 4.0 / ball;
        let size = self.a.bounding_radius() + self.b.bounding_radius();
        // p - w₁ = λ₂ (w₂ - w₁) + λ₃ (w₃ - w₁) + σ (w₀ - w₁). Portals may be small: differences keep their digits.
        let first = corners[0].w;
        let (e, f, g) = (corners[1].w - first, corners[2].w - first, (centers[0] - centers[1]) - first);
        let is_curved = self.a.is_curved() || self.b.is_curved();
        let solve = Cramer::new([e, f, g]);
        let deep = -normal.dot(g);
        // Points of D and the place of B are off by the rounding of the pair and of what is computed here, and that takes a part σ of the ball.
        let error = |time: f64, place: DVec3| self.rounding(time) + ROUNDING * (size + place.abs().element_sum());
        let place = self.place_at(time);
        let mut share = error(time, place) * per_ball;
        for _ in 0..2 {
            let after = (share * deep + beyond + 4.0 * self.rounding(time)) * per_closing;
            let upper = time + after.max(4.0 * f64::EPSILON * time.abs());
            // A graze is left to the search.
            if !(after <= SOON * (until - time) && upper <= until) {
                return None;
            }
            let place_then = self.place_at(upper);
            let p = place_then - first;
            let [l, m, inside] = solve.parts(p, is_curved);
            // What is a little beside the portal is put on its edge; what remains for λ₁ must not be negative either.
            let (l, m) = (l.max(0.0), m.max(0.0));
            let over = l + m + inside;
            let (l, m) = if over > 1.0 { (l / over, m / over) } else { (l, m) };
            let inside = inside.min(1.0 - (l + m));
            let off = p - (e * l + f * m + g * inside);
            // Written so that a NaN is no overlap.
            if inside * ball > off.length() + error(upper, place_then) {
                chain.push(link);
                // Below the place along the normal, if that is beside the portal by what the bodies slide in so short a time: the points
                // of the bodies are then above each other.
                let [l, m, _] = Cramer::new([e, f, normal]).parts(place - first, is_curved);
                let parts = [1.0 - (l + m), l, m];
                let points = self.contact_through(corners, parts, time);
                return Some(Certified::Contact(ProvedContact { lower: time, upper, normal, points }));
            }
            share *= 8.0;
        }
        None
    }

    /// The points that meet at a time: those of the bodies that are the corners of the portal, mixed as the place on it is.
    #[inline(always)]
    fn contact_through(&self, corners: &[PortalCorner; 3], parts: [f64; 3], time: f64) -> [DVec3; 2] {
        let [one, two, three] = [&corners[0].points, &corners[1].points, &corners[2].points];
        let on_a = one[0] * parts[0] + two[0] * parts[1] + three[0] * parts[2];
        let on_b = one[1] * parts[0] + two[1] * parts[1] + three[1] * parts[2];
        let origin = self.leg_a.place_at(time);
        [origin + on_a, origin + (self.place_at(time) + on_b)]
    }
}

#[inline(always)]
fn rough(matrix: &DMat3) -> Mat3A {
    let column = |v: DVec3| Vec3A::new(v.x as f32, v.y as f32, v.z as f32);
    Mat3A::from_cols(column(matrix.x_axis), column(matrix.y_axis), column(matrix.z_axis))
}

/// A vector as a sum of three.
struct Cramer {
    columns: [DVec3; 3],
    duals: [DVec3; 3],
    inverse: f64,
}

impl Cramer {
    #[inline(always)]
    fn new([e, f, g]: [DVec3; 3]) -> Self {
        let duals = [f.cross(g), g.cross(e), e.cross(f)];
        Self { columns: [e, f, g], duals, inverse: 1.0 / e.dot(duals[0]) }
    }

    /// By Cramer's rule, and once more for what that leaves if the vectors are nearly in a plane: portals of curved bodies may be a million
    /// times longer than wide.
    #[inline(always)]
    fn parts(&self, p: DVec3, is_thin: bool) -> [f64; 3] {
        let [e, f, g] = self.columns;
        let [l, m, n] = self.once(p);
        if !is_thin {
            return [l, m, n];
        }
        let [dl, dm, dn] = self.once(p - (e * l + f * m + g * n));
        [l + dl, m + dm, n + dn]
    }

    #[inline(always)]
    fn once(&self, p: DVec3) -> [f64; 3] {
        let [x, y, z] = self.duals;
        [p.dot(x) * self.inverse, p.dot(y) * self.inverse, p.dot(z) * self.inverse]
    }
}
