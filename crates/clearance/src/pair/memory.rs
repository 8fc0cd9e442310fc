//! What a pair remembers from call to call.

use super::separation::Separation;
use crate::math::Pose;
use crate::narrow::{gjk, lin_canny, vclip};

/// What a pair remembers: indices and directions, which are safe when stale, and the heights along a vector, which belong to these two
/// shapes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Memory {
    pub(super) gjk: gjk::Cache,
    pub(super) vclip: vclip::Cache,
    /// The vector that separated the shapes when a yes or no was asked, with its heights.
    pub(super) separation: Separation,
    /// The axis in `gjk` separated the shapes when a yes or no was asked last.
    pub(super) is_aimed: bool,
    /// The parts of two compounds that were closest, which are looked at first.
    pub(super) parts: [u32; 2],
    pub(super) lin_canny: lin_canny::Cache,
}

impl Memory {
    /// Does what is remembered show, without a look at the shapes and without a branch, that they are farther apart than `limit`?
    #[inline(always)]
    pub(crate) fn shows_apart(&self, pose_a: &Pose, pose_b: &Pose, limit: f64) -> bool {
        self.separation.is_measured() & self.separation.holds(pose_a, pose_b, limit)
    }
}

/// Where a query finds what is remembered.
pub(super) trait Recall {
    /// Goes on with all of it.
    fn whole<R>(&mut self, search: impl FnOnce(&mut Memory) -> R) -> R;

    /// Goes on with what GJK remembers.
    fn gjk<R>(&mut self, search: impl FnOnce(&mut gjk::Cache) -> R) -> R;
}

impl Recall for &mut Memory {
    #[inline(always)]
    fn whole<R>(&mut self, search: impl FnOnce(&mut Memory) -> R) -> R {
        search(self)
    }

    #[inline(always)]
    fn gjk<R>(&mut self, search: impl FnOnce(&mut gjk::Cache) -> R) -> R {
        search(&mut self.gjk)
    }
}

/// Nothing is remembered: a memory is made for those searches that need one. It is large, and closed forms need none.
pub(super) struct Nothing;

impl Recall for Nothing {
    #[inline(never)]
    fn whole<R>(&mut self, search: impl FnOnce(&mut Memory) -> R) -> R {
        search(&mut Memory::default())
    }

    #[inline]
    fn gjk<R>(&mut self, search: impl FnOnce(&mut gjk::Cache) -> R) -> R {
        search(&mut gjk::Cache::default())
    }
}
