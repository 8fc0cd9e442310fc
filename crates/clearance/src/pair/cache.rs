//! State of the engines for a pair, kept from call to call.
//!
//! A pair has two caches in two places, since a world reads the first for every pair and the second seldom. The first is the separating vector
//! with its heights ([`Separation`](super::separation::Separation)), which belongs to these two shapes. The second, here, has vertex numbers and
//! directions, which are safe when stale, and the front of two meshes, which belongs to them.

use crate::narrow::{gjk, meshes, vclip};

/// Where the engines start from: vertex numbers, features and directions. The default is cold.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PairCache {
    pub(super) gjk: gjk::WarmSimplex,
    pub(super) vclip: vclip::ClosestFeatures,
    /// The axis in `gjk` separated the shapes at the last intersection test.
    pub(super) has_separating_axis: bool,
    /// The parts of two compounds that were closest, which are tried first, counted from one; zero if there are none.
    pub(super) parts: [u32; 2],
    /// The triangles of two meshes that were closest or met, in the same way.
    pub(super) triangles: [u32; 2],
    /// Is this not the first query of a pair of meshes?
    pub(super) is_warm: bool,
    /// The front of the search among the triangles of two meshes, from the second call on. Unlike the rest it is invalid for other shapes.
    pub(super) front: Option<Box<meshes::Front>>,
    /// The entries that the front may have, if a world bounds the memory of all its fronts.
    pub(super) front_limit: Option<u32>,
}

impl PairCache {
    /// Has it been used for two meshes? Only then does it keep a front.
    pub fn is_for_meshes(&self) -> bool {
        self.is_warm
    }

    /// Bounds the entries of the front from the next query on; with 0 no front is kept.
    pub fn set_front_limit(&mut self, limit: u32) {
        self.front_limit = Some(limit);
    }

    /// Frees a front that has more entries, or more memory than these need.
    pub fn trim_front(&mut self, limit: u32) {
        match &mut self.front {
            Some(front) if limit > 0 => front.set_limit(limit),
            front => *front = None,
        }
    }

    /// The memory of the front.
    #[cfg(test)]
    pub fn front_bytes(&self) -> usize {
        self.front.as_ref().map_or(0, |front| size_of::<meshes::Front>() + front.bytes())
    }
}

/// Where a query finds what is remembered.
pub(super) trait Recall {
    /// Goes on with all of it.
    fn whole<R>(&mut self, search: impl FnOnce(&mut PairCache) -> R) -> R;

    /// The triangles of two meshes that were closest or met, if anything is remembered.
    fn triangles(&mut self) -> Option<&mut [u32; 2]>;

    /// Goes on with what GJK remembers.
    fn gjk<R>(&mut self, search: impl FnOnce(&mut gjk::WarmSimplex) -> R) -> R;
}

impl Recall for &mut PairCache {
    #[inline(always)]
    fn whole<R>(&mut self, search: impl FnOnce(&mut PairCache) -> R) -> R {
        search(self)
    }

    #[inline(always)]
    fn triangles(&mut self) -> Option<&mut [u32; 2]> {
        Some(&mut self.triangles)
    }

    #[inline(always)]
    fn gjk<R>(&mut self, search: impl FnOnce(&mut gjk::WarmSimplex) -> R) -> R {
        search(&mut self.gjk)
    }
}

/// Nothing is remembered: a cache is made for those searches that need one. It is large, and closed forms need none.
pub(super) struct Cold;

impl Recall for Cold {
    #[inline(never)]
    fn whole<R>(&mut self, search: impl FnOnce(&mut PairCache) -> R) -> R {
        search(&mut PairCache::default())
    }

    #[inline(always)]
    fn triangles(&mut self) -> Option<&mut [u32; 2]> {
        None
    }

    #[inline]
    fn gjk<R>(&mut self, search: impl FnOnce(&mut gjk::WarmSimplex) -> R) -> R {
        search(&mut gjk::WarmSimplex::default())
    }
}
