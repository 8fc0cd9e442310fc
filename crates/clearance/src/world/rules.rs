//! Which bodies are checked against each other.

use super::{Body, BodyId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A user-defined rule: may these two bodies be checked against each other? The body of the smaller slot comes first.
pub type PairFilter = dyn Fn((BodyId, &Body), (BodyId, &Body)) -> bool + Send + Sync;

/// See the module. The set is used for membership tests only, so its order does not matter.
#[derive(Clone, Default)]
pub(super) struct Rules {
    ignored: FxHashSet<[BodyId; 2]>,
    filter: Option<Arc<PairFilter>>,
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} pairs ignored, ", self.ignored.len())?;
        f.write_str(if self.filter.is_some() { "a filter" } else { "no filter" })
    }
}

fn ordered(a: BodyId, b: BodyId) -> [BodyId; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

impl Rules {
    /// Adds a pair to those that are not checked, or takes it out; did that change anything?
    pub fn ignore(&mut self, a: BodyId, b: BodyId, is_ignored: bool) -> bool {
        let pair = ordered(a, b);
        if is_ignored { self.ignored.insert(pair) } else { self.ignored.remove(&pair) }
    }

    /// Removes the rules of a body that was removed.
    pub fn remove_body(&mut self, id: BodyId) {
        if !self.ignored.is_empty() {
            self.ignored.retain(|pair| !pair.contains(&id));
        }
    }

    pub fn set_filter(&mut self, filter: Option<Arc<PairFilter>>) {
        self.filter = filter;
    }

    /// Are the two checked against each other?
    pub fn allow(&self, a: (BodyId, &Body), b: (BodyId, &Body)) -> bool {
        if a.1.is_fixed && b.1.is_fixed || a.1.group.is_some() && a.1.group == b.1.group {
            return false;
        }
        if !a.1.layers.check(b.1.layers) {
            return false;
        }
        let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        if !self.ignored.is_empty() && self.ignored.contains(&[a.0, b.0]) {
            return false;
        }
        self.filter.as_ref().is_none_or(|filter| filter(a, b))
    }
}
