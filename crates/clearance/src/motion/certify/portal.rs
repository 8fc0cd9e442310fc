//! The certificate of a portal, the face of A - B that a line intersects (`predict/portal.rs`).
//!
//! D = A - B holds the corners of the portal, and with w₀ = c_A - c_B a ball of radius r_A + r_B, if balls of these radii about the centers are
//! inside the bodies. Since D is convex it holds, around every point Σ λᵢ wᵢ + σ w₀ with λᵢ, σ >= 0 and Σ λᵢ + σ = 1, a ball of radius
//! σ (r_A + r_B). So the origin of B is inside D, and the bodies overlap, without a test of any face.

use super::Certified;
use crate::math::rounding::ROUNDING;
use crate::motion::advance::Chain;
use crate::motion::envelope::StraightPair;
use crate::shape::Convex;
use crate::tuning::motion as tuning;
use glam::DVec3;

/// A point of D, with the points of the bodies, in axes that do not rotate and each relative to the origin of its body.
#[derive(Clone, Copy)]
pub(in crate::motion) struct PortalCorner {
    pub points: [DVec3; 2],
    pub w: DVec3,
}

impl PortalCorner {
    #[inline(always)]
    pub fn new(a: DVec3, b: DVec3) -> Self {
        Self { points: [a, b], w: a - b }
    }
}

/// A triangle of points of D that a line goes through, and the part of D beyond it.
pub(in crate::motion) struct Portal<'a> {
    pub corners: &'a [PortalCorner; 3],
    /// The unit vector across the triangle, against the velocity.
    pub normal: DVec3,
    /// The height of both bodies along the normal, and how much of D there may be beyond the triangle.
    pub height: f64,
    pub beyond: f64,
}

impl<A: Convex, B: Convex> StraightPair<'_, A, B> {
    /// Certifies a portal. `centers` are those of the bodies in axes that do not rotate, `inner` the radii of balls about them that are inside.
    #[inline(always)]
    pub fn certify_portal(
        &self,
        portal: &Portal<'_>,
        centers: [DVec3; 2],
        inner: [f64; 2],
        [from, until]: [f64; 2],
        chain: &mut impl Chain,
    ) -> Option<Certified> {
        let &Portal { corners, normal, height, beyond } = portal;
        self.certify_contact(normal, height, [from, until], chain, |time| {
            let per_closing = -1.0 / normal.dot(self.path.velocity);
            let ball = inner[0] + inner[1];
            let per_ball = 4.0 / ball;
            let size = self.a.bounding_radius() + self.b.bounding_radius();
            // p - w₁ = λ₂ (w₂ - w₁) + λ₃ (w₃ - w₁) + σ (w₀ - w₁). Portals may be small: differences keep their digits.
            let first = corners[0].w;
            let (e, f, g) = (corners[1].w - first, corners[2].w - first, (centers[0] - centers[1]) - first);
            let is_curved = self.a.is_curved() || self.b.is_curved();
            let solve = Cramer::new([e, f, g]);
            let deep = -normal.dot(g);
            // The rounding error of points of D and of the place of B takes a part σ of the ball.
            let error = |time: f64, place: DVec3| self.rounding(time) + ROUNDING * (size + place.abs().element_sum());
            let place = self.place_at(time);
            let mut share = error(time, place) * per_ball;
            for _ in 0..tuning::STRAIGHT_OVERLAP_TRIES {
                let after = (share * deep + beyond + 4.0 * self.rounding(time)) * per_closing;
                // A few doubles later at least, so that the time changes.
                let upper = time + after.max(4.0 * f64::EPSILON * time.abs());
                // A graze is left to the search.
                if !(after <= tuning::SOON * (until - time) && upper <= until) {
                    return None;
                }
                let place_then = self.place_at(upper);
                let p = place_then - first;
                let [l, m, inside] = solve.parts(p, is_curved);
                // A point slightly beside the portal is moved to its edge; the remaining λ₁ must not be negative either.
                let (l, m) = (l.max(0.0), m.max(0.0));
                let over = l + m + inside;
                let (l, m) = if over > 1.0 { (l / over, m / over) } else { (l, m) };
                let inside = inside.min(1.0 - (l + m));
                let off = p - (e * l + f * m + g * inside);
                // Written so that a NaN is no overlap.
                if inside * ball > off.length() + error(upper, place_then) {
                    // Below the place along the normal, which may be beside the portal by the tangential motion in this short time: the points
                    // of the bodies are then above each other.
                    let [l, m, _] = Cramer::new([e, f, normal]).parts(place - first, is_curved);
                    return Some((upper, self.portal_points(corners, [1.0 - (l + m), l, m], time)));
                }
                share *= tuning::PORTAL_GROWTH;
            }
            None
        })
    }

    /// The points that meet at a time: those of the corners of the portal, weighted as the place on it is.
    #[inline(always)]
    fn portal_points(&self, corners: &[PortalCorner; 3], parts: [f64; 3], time: f64) -> [DVec3; 2] {
        let [one, two, three] = [&corners[0].points, &corners[1].points, &corners[2].points];
        let on_a = one[0] * parts[0] + two[0] * parts[1] + three[0] * parts[2];
        let on_b = one[1] * parts[0] + two[1] * parts[1] + three[1] * parts[2];
        let origin = self.segment_a.place_at(time);
        [origin + on_a, origin + (self.place_at(time) + on_b)]
    }
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

    /// By Cramer's rule. For vectors that are nearly in a plane the rule is applied again to the remainder: portals of curved bodies may be a
    /// million times longer than wide.
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
