//! Counts the work of a check, and ends it when there is too much.
//!
//! A line is written by somebody else, so nothing in it may make the checker run for long or grow: a check has a limit of
//! operations, proportional to the length of what it checks. Exact numbers count their own work (a product of m and n
//! words is m n operations and a few); loops over vertices, triangles and parts count theirs. An operation is meant to take
//! about ten nanoseconds. Once the limit is passed, exact numbers compute nothing any more, all their signs are unclear, and whatever the
//! check was about to say is replaced by "undecided".

use std::cell::Cell;

thread_local! {
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static SPENT: Cell<u64> = const { Cell::new(0) };
}

/// Starts to count.
pub(crate) fn start(limit: u64) {
    LEFT.set(limit);
    SPENT.set(0);
}

/// Counts that many operations; `false` once there are too many.
pub(crate) fn charge(operations: u64) -> bool {
    let left = LEFT.get();
    if left < operations {
        LEFT.set(0);
        SPENT.set(u64::MAX);
        return false;
    }
    LEFT.set(left - operations);
    SPENT.set(SPENT.get().saturating_add(operations));
    true
}

/// Has the limit been passed?
pub(crate) fn is_exhausted() -> bool {
    SPENT.get() == u64::MAX
}

/// How many operations were counted since the start.
pub(crate) fn spent() -> u64 {
    SPENT.get()
}
