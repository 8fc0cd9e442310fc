//! What an update found.

use super::pairs::{PairIndex, PairState};
use super::{BodyId, World};
use crate::pair::Clearance;

/// Two bodies that overlap or are close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProximityPair<'a> {
    /// The body with the smaller slot: A of the clearance.
    pub a: BodyId,
    /// The other one.
    pub b: BodyId,
    /// How far apart or how deep, and where; nothing when only intersection tests were asked for
    /// ([`Detail::Intersection`](super::Detail::Intersection)).
    pub clearance: Option<&'a Clearance>,
}

/// What the last update of a world found. All lists are in the order of the pairs' slots, whatever happened before and
/// however many threads there are.
#[derive(Debug, Clone, Copy)]
pub struct Update<'a> {
    pub(super) world: &'a World,
}

impl<'a> Update<'a> {
    /// The pairs that overlap or touch: those of which [`intersects`](crate::intersects) says so.
    pub fn overlapping(&self) -> impl Iterator<Item = ProximityPair<'a>> + use<'a> {
        self.proximity_pairs(|state| state == PairState::Overlapping)
    }

    /// The pairs that overlap or are at most `margin` apart. The margin of the world is the most that is known.
    pub fn within(&self, margin: f64) -> impl Iterator<Item = ProximityPair<'a>> + use<'a> {
        let near = self.proximity_pairs(|state| matches!(state, PairState::Near | PairState::Overlapping));
        near.filter(move |pair| pair.clearance.is_none_or(|clearance| clearance.lower <= margin))
    }

    fn proximity_pairs<W>(&self, wanted: W) -> impl Iterator<Item = ProximityPair<'a>> + use<'a, W>
    where
        W: Fn(PairState) -> bool,
    {
        let pairs = &self.world.pairs;
        pairs.entries.iter().filter(move |entry| wanted(entry.state)).map(
            move |&PairIndex { ids: [a, b], record, .. }| {
                let clearance = pairs.clearances.get(record as usize).and_then(Option::as_ref);
                ProximityPair { a, b, clearance }
            },
        )
    }

    /// The pairs that overlap and did not at the update before.
    #[must_use]
    pub fn started(&self) -> &'a [[BodyId; 2]] {
        &self.world.pairs.started
    }

    /// The pairs that overlapped at the update before and do not any more; a body of them may have been removed.
    #[must_use]
    pub fn ended(&self) -> &'a [[BodyId; 2]] {
        &self.world.pairs.ended
    }

    /// How many pairs of boxes overlap and are not excluded by rules: what the narrow phase may be asked about.
    #[must_use]
    pub fn candidates(&self) -> usize {
        self.world.pairs.entries.len()
    }

    /// How many of them the narrow phase was asked about, because a body of theirs changed or they are new.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.world.asked
    }
}
