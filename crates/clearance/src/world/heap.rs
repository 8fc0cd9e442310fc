//! A binary heap with modifiable keys, for the events of a schedule.
//!
//! Paper \[Two-Phase\] (Mirtich 1997), figure 11. Each event has an identifier, and the heap knows its position, so that a key changes and an event
//! leaves in O(log n). The order is total (time, then rank, then identifier), so the sequence of events does not depend on how the heap was built.
//!
//! **Invariants**, checked by `is_valid` in debug builds of the tests:
//!
//! - (H1) no entry is earlier than its parent;
//! - (H2) `positions` maps each identifier to the index of its entry, and has no others;
//! - (H3) no time is NaN.

use crate::broad::SlotPair;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// An event: the earliest comes first, then the lowest rank, then the smallest identifier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScheduleEvent {
    pub time: f64,
    pub rank: EventRank,
    pub id: SlotPair,
}

/// The kinds of events, in the order in which events of the same time are processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventRank {
    /// The time slab of a body ends; the identifier is twice its slot.
    SlabEnd,
    /// A pair has to be searched further.
    Search,
    /// The answer about a pair is known.
    Answer,
}

impl ScheduleEvent {
    fn order(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then(self.rank.cmp(&other.rank)).then(self.id.cmp(&other.id))
    }
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct EventHeap {
    events: Vec<ScheduleEvent>,
    positions: FxHashMap<SlotPair, usize>,
}

impl EventHeap {
    /// The first event.
    pub fn first(&self) -> Option<ScheduleEvent> {
        self.events.first().copied()
    }

    /// Inserts an event, or gives the event of that identifier another key.
    pub fn set(&mut self, event: ScheduleEvent) {
        debug_assert!(!event.time.is_nan(), "H3: {event:?}");
        let index = match self.positions.get(&event.id) {
            Some(&index) => {
                self.events[index] = event;
                index
            }
            None => {
                self.positions.insert(event.id, self.events.len());
                self.events.push(event);
                self.events.len() - 1
            }
        };
        self.restore(index);
    }

    /// Removes the event of an identifier, if there is one.
    pub fn remove(&mut self, id: SlotPair) {
        if let Some(index) = self.positions.remove(&id) {
            self.events.swap_remove(index);
            if let Some(moved) = self.events.get(index) {
                self.positions.insert(moved.id, index);
                self.restore(index);
            }
        }
    }

    /// Moves the entry at an index to where (H1) holds.
    fn restore(&mut self, mut index: usize) {
        let event = self.events[index];
        while index > 0 && event.order(&self.events[(index - 1) / 2]).is_lt() {
            let parent = (index - 1) / 2;
            self.put(index, self.events[parent]);
            index = parent;
        }
        loop {
            let [left, right] = [2 * index + 1, 2 * index + 2];
            let Some(mut child) = self.events.get(left).map(|_| left) else { break };
            if right < self.events.len() && self.events[right].order(&self.events[left]).is_lt() {
                child = right;
            }
            if event.order(&self.events[child]).is_le() {
                break;
            }
            self.put(index, self.events[child]);
            index = child;
        }
        self.put(index, event);
    }

    fn put(&mut self, index: usize, event: ScheduleEvent) {
        self.events[index] = event;
        self.positions.insert(event.id, index);
    }

    #[cfg(test)]
    fn is_valid(&self) -> bool {
        let in_order = (1..self.events.len()).all(|i| self.events[(i - 1) / 2].order(&self.events[i]).is_lt());
        let known = self.events.iter().enumerate().all(|(i, event)| self.positions.get(&event.id) == Some(&i));
        in_order && known && self.positions.len() == self.events.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn keys_change_and_the_first_is_always_the_earliest() {
        let (mut heap, mut all) = (EventHeap::default(), BTreeMap::new());
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..4000 {
            let id = SlotPair::new(random(12) as u32, random(12) as u32);
            if random(3) == 0 {
                heap.remove(id);
                all.remove(&id);
            } else {
                let rank = [EventRank::SlabEnd, EventRank::Search, EventRank::Answer][random(3) as usize];
                let event = ScheduleEvent { time: random(8) as f64, rank, id };
                heap.set(event);
                all.insert(id, event);
            }
            assert!(heap.is_valid());
            assert_eq!(heap.first(), all.values().min_by(|a, b| a.order(b)).copied());
        }
    }
}
