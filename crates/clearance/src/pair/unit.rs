//! Pairs that are very small or very large as a whole: `narrow/scaled.rs` answers in a unit in which their size is about one.
//!
//! Closed forms between balls, and half-spaces, have no product of more than two lengths and never come here.

use super::clearance::Contact;
use super::visit::PosedPair;
use super::{Clearance, Cost, PairCache, Status};
use crate::math::rounding::SMALLEST_LENGTH;
use crate::narrow::gjk;
use crate::narrow::scaled::ScaledPair;
pub(super) use crate::narrow::scaled::is_ordinary;
use glam::DVec3;

/// A pair of bounded convex shapes in another unit.
pub(super) struct Rescaled<'a> {
    scaled: ScaledPair<'a>,
    pair: PosedPair<'a>,
    scale: f64,
}

impl<'a> Rescaled<'a> {
    /// The pair in a unit of about its size, unless its size is ordinary.
    #[cold]
    #[inline(never)]
    pub fn of(pair: PosedPair<'a>) -> Option<Self> {
        let between = pair.pose_b.translation() - pair.pose_a.translation();
        let scale = pair.a.bounding_radius() + pair.b.bounding_radius() + between.abs().element_sum();
        // A pair of two coincident points has no size to scale by; half-spaces have an infinite one.
        if is_ordinary(scale) || scale == 0.0 || scale == f64::INFINITY {
            return None;
        }
        let scaled = ScaledPair::new(pair.a.convex()?, pair.b.convex()?, &pair.frame(), scale);
        Some(Self { scaled, pair, scale })
    }

    /// See [`entry::clearance`](super::entry::clearance).
    pub fn clearance(&self, limit: f64, cache: &mut PairCache) -> Clearance {
        if self.scale < SMALLEST_LENGTH {
            return self.coincident();
        }
        Clearance::new(&self.scaled.distance(limit, &mut cache.gjk), self.pair.pose_a)
    }

    /// See [`intersects`](super::intersects).
    pub fn intersects(&self, cache: &mut gjk::WarmSimplex) -> bool {
        self.scale < SMALLEST_LENGTH || self.scaled.intersects(cache)
    }

    /// The answer for a pair smaller than [`SMALLEST_LENGTH`]: both shapes count as one point.
    fn coincident(&self) -> Clearance {
        let at = self.pair.pose_a.translation();
        Clearance {
            distance: 0.0,
            point_a: at,
            point_b: at,
            normal: self.pair.pose_a.transform_vector(DVec3::X),
            lower: -SMALLEST_LENGTH,
            upper: SMALLEST_LENGTH,
            parts: [0; 2],
            status: Status::Converged,
            cost: Cost::default(),
            contact: Contact::default(),
        }
    }
}
