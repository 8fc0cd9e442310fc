//! A binary heap with modifiable keys, for the events of a schedule.
//!
//! Paper \[Two-Phase\] (Mirtich 1997), figure 11. The owner of an event, a body or a scheduled pair, has a number, and the heap knows the position of the
//! event of each owner. So a key changes and an event leaves in O(log n), without a search and without hashing. The order is total (time, then
//! rank, then bodies), so the sequence of events does not depend on how the heap was built or on the numbers of owners.
//!
//! **Invariants**, checked by `is_valid` in debug builds of the tests:
//!
//! - (H1) no entry is earlier than its parent;
//! - (H2) `positions` maps the owner of each entry to its index, and all other owners to [`ABSENT`];
//! - (H3) no time is NaN.

use crate::broad::SlotPair;
use std::cmp::Ordering;

/// An event: the earliest comes first, then the lowest rank, then the smallest pair of bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScheduleEvent {
    pub time: f64,
    pub rank: EventRank,
    /// The bodies that it concerns; twice the same one for the end of a time slab.
    pub bodies: SlotPair,
    pub owner: EventOwner,
}

/// The kinds of events, in the order in which events of the same time are processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventRank {
    /// The time slab of a body ends.
    SlabEnd,
    /// A pair has to be searched further.
    Search,
    /// The answer about a pair is known.
    Answer,
}

/// The number of a body or of a scheduled pair. It has at most one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventOwner(u32);

impl EventOwner {
    /// The body of a slot. Bodies have even numbers and pairs odd ones, so that one table has the positions of both.
    pub fn of_body(slot: u32) -> Self {
        Self(2 * slot)
    }

    /// The scheduled pair of that number.
    pub fn of_pair(number: u32) -> Self {
        Self(2 * number + 1)
    }

    /// The slot of the body or the number of the pair.
    pub fn index(self) -> u32 {
        self.0 / 2
    }
}

/// The position of an owner without an event. Layout: no heap has that many entries.
const ABSENT: u32 = u32::MAX;

impl ScheduleEvent {
    fn order(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then(self.rank.cmp(&other.rank)).then(self.bodies.cmp(&other.bodies))
    }
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct EventHeap {
    events: Vec<ScheduleEvent>,
    /// By the number of the owner.
    positions: Vec<u32>,
}

impl EventHeap {
    /// The first event.
    pub fn first(&self) -> Option<ScheduleEvent> {
        self.events.first().copied()
    }

    /// Inserts an event, or gives the event of that owner another key.
    pub fn set(&mut self, event: ScheduleEvent) {
        debug_assert!(!event.time.is_nan(), "H3: {event:?}");
        let owner = event.owner.0 as usize;
        if owner >= self.positions.len() {
            self.positions.resize(owner + 1, ABSENT);
        }
        let mut index = self.positions[owner] as usize;
        if index == ABSENT as usize {
            index = self.events.len();
            self.events.push(event);
        }
        self.place(index, event);
    }

    /// Removes the event of an owner, if there is one.
    pub fn remove(&mut self, owner: EventOwner) {
        let Some(position) = self.positions.get_mut(owner.0 as usize) else { return };
        let index = std::mem::replace(position, ABSENT) as usize;
        if index == ABSENT as usize {
            return;
        }
        if let Some(last) = self.events.pop()
            && index < self.events.len()
        {
            self.place(index, last);
        }
    }

    /// Puts an event at an index, or above or below it, where (H1) holds.
    fn place(&mut self, mut index: usize, event: ScheduleEvent) {
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
        self.positions[event.owner.0 as usize] = index as u32;
    }

    #[cfg(test)]
    fn is_valid(&self) -> bool {
        let in_order = (1..self.events.len()).all(|i| self.events[(i - 1) / 2].order(&self.events[i]).is_lt());
        let position = |event: &ScheduleEvent| self.positions[event.owner.0 as usize];
        let known = self.events.iter().enumerate().all(|(i, event)| position(event) == i as u32);
        let present = self.positions.iter().filter(|position| **position != ABSENT).count();
        in_order && known && present == self.events.len()
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
            let [low, high] = [random(12) as u32, random(12) as u32];
            let bodies = SlotPair::new(low, high);
            let owner = if low == high {
                EventOwner::of_body(low)
            } else {
                EventOwner::of_pair(12 * bodies.low() + bodies.high())
            };
            if random(3) == 0 {
                heap.remove(owner);
                all.remove(&bodies);
            } else {
                let rank = [EventRank::SlabEnd, EventRank::Search, EventRank::Answer][random(3) as usize];
                let event = ScheduleEvent { time: random(8) as f64, rank, bodies, owner };
                heap.set(event);
                all.insert(bodies, event);
            }
            assert!(heap.is_valid());
            assert_eq!(heap.first(), all.values().min_by(|a, b| a.order(b)).copied());
        }
    }
}
