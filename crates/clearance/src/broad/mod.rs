//! Broad phases: boxes in, differences of overlapping pairs out.
//!
//! A broad phase holds one box per *slot*, a small number that the caller hands out. [`BroadPhase::set`] puts a box into a
//! slot, [`BroadPhase::update`] says which pairs of boxes came to overlap and which ceased to since the update before.
//! Boxes are closed: touching counts. Overlap is decided on the `f64` boxes as they were given; everything coarser (cells, `f32` nodes)
//! only filters, so all implementations return the same pairs in the same order.
//!
//! | implementation | description | when |
//! |---|---|---|
//! | [`BroadKind::Tree`], [`Tree`] | a dynamic tree of fat boxes, and a batch of pruned columns when most boxes move | the default |
//! | [`BroadKind::Prune`] | the batch alone: columns of a grid, sorted along the third axis | everything moves, always |
//! | [`BroadKind::SweepPrune`] | three sorted axes, kept sorted by insertion | slow motion, no clusters |
//! | [`BroadKind::BruteForce`] | every pair | the oracle |
//!
//! ```
//! use clearance::broad::{BroadPhase, SlotPair, Tree};
//! use clearance::math::{Aabb, DVec3};
//!
//! let cube = |x: f64| Aabb { min: DVec3::new(x, 0.0, 0.0), max: DVec3::new(x + 1.0, 1.0, 1.0) };
//! let mut broad = Tree::default();
//! broad.set(0, &cube(0.0));
//! broad.set(1, &cube(1.0));                                   // touches
//! assert_eq!(broad.update().added, [SlotPair::new(0, 1)]);
//! broad.set(1, &cube(1.5));
//! assert_eq!(broad.update().removed, [SlotPair::new(0, 1)]);
//! ```
//!
//! `clearance-papers` has the hashes of the two-phase paper; a [`World`](crate::World::with_broad_phase) takes any implementation.
//!
//! # Boxes that are not ordinary
//!
//! A box with a `min` that is not at most its `max` (NaN included) is empty and overlaps nothing, as if the slot held
//! none. Boxes may be unbounded. Flat boxes and points are boxes.

mod boxes;
mod brute_force;
mod pair_set;
mod pair_tracker;
mod prune;
mod rough;
mod sweep_prune;
#[cfg(test)]
mod tests;
mod tree;

#[doc(hidden)]
pub use brute_force::BruteForce;
#[doc(hidden)]
pub use prune::Prune;
#[doc(hidden)]
pub use sweep_prune::SweepPrune;
pub use tree::Tree;

#[doc(hidden)]
pub use boxes::{Boxes, is_held};
pub(crate) use boxes::{gap, ray_distance};
#[doc(hidden)]
pub use pair_set::PairSet;
#[doc(hidden)]
pub use pair_tracker::{FoundPairs, PairFinder, PairTracker};

use crate::math::{Aabb, DVec3};

/// Two different slots, the smaller first; ordered by the smaller, then the larger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotPair(u64);

impl SlotPair {
    /// The pair of two slots, in either order.
    ///
    /// ```
    /// use clearance::broad::SlotPair;
    ///
    /// let pair = SlotPair::new(7, 3);
    /// assert_eq!((pair.low(), pair.high()), (3, 7));
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(i: u32, j: u32) -> Self {
        let (low, high) = if i < j { (i, j) } else { (j, i) };
        Self((low as u64) << 32 | high as u64)
    }

    /// The smaller slot.
    #[inline]
    #[must_use]
    pub const fn low(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The larger slot.
    #[inline]
    #[must_use]
    pub const fn high(self) -> u32 {
        self.0 as u32
    }
}

impl std::fmt::Debug for SlotPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.low(), self.high())
    }
}

/// Changes of an update; both lists are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changes<'a> {
    /// Pairs that overlap now and did not.
    pub added: &'a [SlotPair],
    /// Pairs that overlapped and no longer do.
    pub removed: &'a [SlotPair],
}

/// The largest slot there may be, plus one. Slots are indices of tables: hand out small ones. Limit: the two highest bits and the number of
/// all ones mark leaves, ends and empty places.
#[doc(hidden)]
pub const SLOTS: u32 = 1 << 29;

/// Boxes in, differences of overlapping pairs out.
pub trait BroadPhase: std::fmt::Debug + Send + Sync {
    /// Puts a box into a slot that held none, or replaces the box that is there. The same box again costs almost nothing. A box in a slot
    /// that is not below 2²⁹ is lost.
    fn set(&mut self, slot: u32, bounds: &Aabb);

    /// Empties a slot. A later box in that slot is another body: if it is set before the next update, a pair of the slot that goes on
    /// overlapping is both removed and added.
    fn remove(&mut self, slot: u32);

    /// The box in a slot; [`Aabb::EMPTY`] when there is none.
    fn bounds(&self, slot: u32) -> &Aabb;

    /// Finds out what changed since the update before. Does not allocate when nothing did.
    fn update(&mut self) -> Changes<'_>;

    /// All pairs that overlapped at the last update, sorted.
    fn pairs(&self) -> &[SlotPair];

    /// Puts boxes that were set since the last update where queries find them fast. Queries are right without it.
    fn refresh(&mut self) {}

    /// The slots whose boxes overlap a box, as the boxes are now, in ascending order; what was in `slots` is dropped.
    ///
    /// Any number of threads may ask at the same time. Boxes that were set since the last [`BroadPhase::update`] or [`BroadPhase::refresh`]
    /// are visited one by one.
    fn overlapping(&self, bounds: &Aabb, slots: &mut Vec<u32>);

    /// Visits slots whose boxes are at most `limit` from a box, with that distance; `visit` returns the limit from then
    /// on. No slot is passed over whose box is within all limits that were ever returned; the order is not specified.
    fn nearest(&self, from: &Aabb, limit: f64, visit: &mut dyn FnMut(u32, f64) -> f64);

    /// Visits slots whose boxes a ray meets within `limit` of its origin, with a lower bound of that distance; `visit` returns the limit
    /// from then on. No slot is passed over whose box is within all limits that were ever returned; the order is not specified.
    /// The direction is a unit vector.
    ///
    /// By default the slots whose boxes overlap one around the ray are visited.
    ///
    /// ```
    /// use clearance::broad::{BroadPhase, Tree};
    /// use clearance::math::{Aabb, DVec3};
    ///
    /// let mut broad = Tree::default();
    /// for slot in 0..3 {
    ///     let min = DVec3::X * (5.0 - 2.0 * f64::from(slot));
    ///     broad.set(slot, &Aabb { min, max: min + 1.0 });
    /// }
    /// let mut nearest = None;
    /// broad.cast_ray(DVec3::splat(0.5) - 9.0 * DVec3::X, DVec3::X, 100.0, &mut |slot, distance| {
    ///     nearest = Some(slot);
    ///     distance.next_down()                                    // only what is nearer
    /// });
    /// assert_eq!(nearest, Some(2));
    /// ```
    fn cast_ray(&self, origin: DVec3, direction: DVec3, mut limit: f64, visit: &mut dyn FnMut(u32, f64) -> f64) {
        // Zero times no end is nothing.
        let way = DVec3::from_array(direction.to_array().map(|u| if u == 0.0 { 0.0 } else { u * limit }));
        let (min, max) = (origin.min(origin + way), origin.max(origin + way));
        // A product and a sum round by 1 ε of the terms; 8 ε cover the rounded direction, too.
        let slack = DVec3::splat(8.0 * f64::EPSILON) * (origin.abs() + way.abs());
        let mut slots = Vec::new();
        self.overlapping(&Aabb { min: min - slack, max: max + slack }, &mut slots);
        for slot in slots {
            if let Some(distance) = ray_distance(self.bounds(slot), origin, direction)
                && distance <= limit
            {
                limit = visit(slot, distance);
            }
        }
    }

    /// A copy of the boxes with all that is known about them.
    fn boxed_clone(&self) -> Box<dyn BroadPhase>;
}

impl Clone for Box<dyn BroadPhase> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// Which implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum BroadKind {
    /// [`Tree`].
    #[default]
    Tree,
    /// [`Prune`].
    Prune,
    /// [`SweepPrune`].
    SweepPrune,
    /// [`BruteForce`].
    BruteForce,
}

impl BroadKind {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Tree, Self::Prune, Self::SweepPrune, Self::BruteForce];

    /// An empty one.
    ///
    /// ```
    /// use clearance::broad::{BroadKind, SlotPair};
    /// use clearance::math::Aabb;
    /// use clearance::math::DVec3;
    ///
    /// for kind in BroadKind::ALL {
    ///     let mut phase = kind.build();
    ///     for slot in 0..3 {
    ///         let min = DVec3::X * f64::from(slot) * 0.75;
    ///         phase.set(slot, &Aabb { min, max: min + 1.0 });
    ///     }
    ///     assert_eq!(phase.update().added, [SlotPair::new(0, 1), SlotPair::new(1, 2)], "{}", kind.name());
    ///     phase.remove(1);
    ///     assert_eq!(phase.update().removed, [SlotPair::new(0, 1), SlotPair::new(1, 2)]);
    /// }
    /// ```
    #[must_use]
    pub fn build(self) -> Box<dyn BroadPhase> {
        match self {
            Self::Tree => Box::new(Tree::default()),
            Self::Prune => Box::new(Prune::default()),
            Self::SweepPrune => Box::new(SweepPrune::default()),
            Self::BruteForce => Box::new(BruteForce::default()),
        }
    }

    /// Its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Prune => "prune",
            Self::SweepPrune => "sweep_prune",
            Self::BruteForce => "brute_force",
        }
    }
}
