//! The pairs whose boxes overlap: what is remembered about each, and what was answered.
//!
//! Records lie in a slab, where they stay for as long as the boxes overlap; a sorted list of small entries says which
//! record is whose. Only entries are moved when pairs come and go, and only records whose bodies have moved are asked again.

use super::body::Bodies;
use super::{BodyId, Config, Detail};
use crate::broad::SlotPair;
use crate::pair::{Clearance, Memory, Placed};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// From so many questions on they are shared among threads.
const MANY: usize = 256;

/// A thread takes at least so many records at a time.
const BATCH: usize = 64;

/// How the bodies of a pair are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// Not asked yet.
    #[default]
    New,
    /// Proved to be apart by more than the margin.
    Apart,
    /// Within the margin.
    Near,
    /// Overlapping or touching.
    Overlapping,
}

/// A pair and where its record is, in the order of the pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub pair: SlotPair,
    pub record: u32,
    pub state: State,
}

#[derive(Debug, Clone)]
pub(super) struct Record {
    pair: SlotPair,
    pub ids: [BodyId; 2],
    memory: Memory,
    state: State,
    is_vacant: bool,
}

/// What has changed about a body since the last update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Changed {
    /// Pose or shape.
    pub is_moved: bool,
    /// The shape: nothing that is remembered about it holds.
    pub is_reshaped: bool,
    /// And the broad phase has not been told.
    pub is_untold: bool,
}

/// Called with the number of pairs answered, and of all to be answered; from any thread.
pub(super) type Report<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairs {
    /// Sorted by pair.
    pub entries: Vec<Entry>,
    /// What `entries` will be; kept for its memory.
    next: Vec<Entry>,
    pub records: Vec<Record>,
    /// The clearance of every record that is within the margin, if those are asked for; else empty.
    pub clearances: Vec<Option<Clearance>>,
    free: Vec<u32>,
    /// Entries to be answered.
    work: Vec<u32>,
    /// Pairs that began or ceased to overlap with the last update, sorted.
    pub started: Vec<[BodyId; 2]>,
    pub ended: Vec<[BodyId; 2]>,
}

impl Pairs {
    /// A new update begins.
    pub fn begin(&mut self) {
        self.started.clear();
        self.ended.clear();
    }

    /// Takes out and puts in what a broad phase says; both lists are sorted. A pair in both is another pair of bodies.
    pub fn change(&mut self, added: &[SlotPair], removed: &[SlotPair], name: impl Fn(SlotPair) -> Option<[BodyId; 2]>) {
        if added.is_empty() && removed.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.entries);
        let mut next = std::mem::take(&mut self.next);
        let (mut added, mut removed) = (added.iter().peekable(), removed.iter().peekable());
        next.clear();
        for entry in &old {
            while let Some(&&pair) = added.peek()
                && pair < entry.pair
            {
                added.next();
                next.extend(name(pair).map(|ids| self.take_in(pair, ids)));
            }
            while removed.next_if(|&&pair| pair < entry.pair).is_some() {}
            if removed.next_if(|&&pair| pair == entry.pair).is_some() {
                self.let_go(entry);
            } else {
                next.push(*entry);
            }
        }
        for &pair in added {
            next.extend(name(pair).map(|ids| self.take_in(pair, ids)));
        }
        (self.entries, self.next) = (next, old);
    }

    /// Makes the pairs be those of a sorted list which `name` lets in: the rules have changed.
    pub fn replace(&mut self, all: &[SlotPair], name: impl Fn(SlotPair) -> Option<[BodyId; 2]>) {
        let old = std::mem::take(&mut self.entries);
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        let mut before = old.iter().peekable();
        for &pair in all {
            while let Some(entry) = before.next_if(|entry| entry.pair < pair) {
                self.let_go(entry);
            }
            let known = before.next_if(|entry| entry.pair == pair);
            match (name(pair), known) {
                (Some(_), Some(entry)) => next.push(*entry),
                (Some(ids), None) => next.push(self.take_in(pair, ids)),
                (None, Some(entry)) => self.let_go(entry),
                (None, None) => {}
            }
        }
        for entry in before {
            self.let_go(entry);
        }
        (self.entries, self.next) = (next, old);
    }

    fn take_in(&mut self, pair: SlotPair, ids: [BodyId; 2]) -> Entry {
        let fresh = Record { pair, ids, memory: Memory::default(), state: State::New, is_vacant: false };
        let record = match self.free.pop() {
            Some(record) => {
                self.records[record as usize] = fresh;
                record
            }
            None => {
                self.records.push(fresh);
                self.records.len() as u32 - 1
            }
        };
        Entry { pair, record, state: State::New }
    }

    fn let_go(&mut self, entry: &Entry) {
        let record = &mut self.records[entry.record as usize];
        if entry.state == State::Overlapping {
            self.ended.push(record.ids);
        }
        record.is_vacant = true;
        if let Some(clearance) = self.clearances.get_mut(entry.record as usize) {
            *clearance = None;
        }
        self.free.push(entry.record);
    }

    /// Asks again about every pair of which a body has changed, and about those that are new.
    pub fn answer(
        &mut self,
        bodies: &Bodies,
        changed: &[Changed],
        config: &Config,
        report: Option<Report<'_>>,
    ) -> usize {
        let is_due = |pair: SlotPair, state: State| {
            let [a, b] = [changed[pair.low() as usize], changed[pair.high() as usize]];
            state == State::New || a.is_moved | b.is_moved
        };
        self.work.clear();
        let due = (0..).zip(&self.entries).filter(|(_, entry)| is_due(entry.pair, entry.state));
        self.work.extend(due.map(|(i, _)| i));
        let total = self.work.len();
        if total == 0 {
            return 0;
        }
        let done = AtomicUsize::new(0);
        let tell = || {
            if let Some(report) = report {
                report(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            }
        };
        if config.detail == Detail::Clearance {
            self.clearances.resize(self.records.len(), None);
        }
        let ask = |record: &mut Record, clearance: Option<&mut Option<Clearance>>| {
            record.ask(bodies, changed, config, clearance);
            tell();
        };
        let is_shared = total >= MANY && rayon::current_num_threads() > 1;
        match (is_shared, config.detail) {
            (false, Detail::YesNo) => {
                for &i in &self.work {
                    ask(&mut self.records[self.entries[i as usize].record as usize], None);
                }
            }
            (false, Detail::Clearance) => {
                for &i in &self.work {
                    let record = self.entries[i as usize].record as usize;
                    ask(&mut self.records[record], Some(&mut self.clearances[record]));
                }
            }
            // All records in turn: which thread has which is then clear without another list.
            (true, Detail::YesNo) => {
                self.records.par_iter_mut().with_min_len(BATCH).for_each(|record| {
                    if !record.is_vacant && is_due(record.pair, record.state) {
                        ask(record, None);
                    }
                });
            }
            (true, Detail::Clearance) => {
                let records = self.records.par_iter_mut().zip(&mut self.clearances).with_min_len(BATCH);
                records.for_each(|(record, clearance)| {
                    if !record.is_vacant && is_due(record.pair, record.state) {
                        ask(record, Some(clearance));
                    }
                });
            }
        }
        self.take_stock();
        total
    }

    /// What the answers changed.
    fn take_stock(&mut self) {
        for &i in &self.work {
            let entry = &mut self.entries[i as usize];
            let Record { ids, state, .. } = self.records[entry.record as usize];
            match (entry.state == State::Overlapping, state == State::Overlapping) {
                (false, true) => self.started.push(ids),
                (true, false) => self.ended.push(ids),
                _ => {}
            }
            entry.state = state;
        }
    }

    /// Puts what has ended in order: pairs that were let go came before those that were answered.
    pub fn end(&mut self) {
        self.ended.sort_unstable();
    }
}

impl Record {
    fn ask(
        &mut self,
        bodies: &Bodies,
        changed: &[Changed],
        config: &Config,
        clearance: Option<&mut Option<Clearance>>,
    ) {
        let [low, high] = [self.pair.low(), self.pair.high()];
        // Both are there: their boxes overlap.
        let (Some((_, a)), Some((_, b))) = (bodies.at(low), bodies.at(high)) else { return };
        if changed[low as usize].is_reshaped | changed[high as usize].is_reshaped {
            self.memory = Memory::default();
        }
        let placed = Placed { a: &a.shape, pose_a: &a.pose, b: &b.shape, pose_b: &b.pose };
        let Some(clearance) = clearance else {
            let overlaps = placed.intersects(config.engine, &mut self.memory);
            self.state = if overlaps { State::Overlapping } else { State::Apart };
            return;
        };
        *clearance = placed.within(config.margin, config.engine, &mut self.memory);
        self.state = match clearance {
            None => State::Apart,
            // A bracket that reaches down to zero does not prove a gap.
            Some(found) if found.lower <= 0.0 => State::Overlapping,
            Some(_) => State::Near,
        };
    }
}
