//! The order of priority queues. `std::collections::BinaryHeap` returns its greatest entry and takes no floats as keys, so every best-first search
//! needs an order of its own. It states a key; the comparisons are here.

use std::cmp::Ordering;

/// A float in the order of [`f64::total_cmp`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Total(pub f64);

impl Ord for Total {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Total {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Total {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Total {}

/// An entry with a key. Entries of one queue have different keys, so that their order does not depend on how the queue was built.
pub(crate) trait QueueItem {
    /// The type of the key; the least key comes first.
    type Key: Ord;

    /// The key.
    fn key(&self) -> Self::Key;
}

/// An entry of a `BinaryHeap` that returns the least key first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeastFirst<T>(pub T);

impl<T: QueueItem> Ord for LeastFirst<T> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.key().cmp(&self.0.key())
    }
}

impl<T: QueueItem> PartialOrd for LeastFirst<T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: QueueItem> PartialEq for LeastFirst<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: QueueItem> Eq for LeastFirst<T> {}
