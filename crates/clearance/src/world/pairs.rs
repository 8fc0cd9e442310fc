//! The pairs whose boxes overlap, each with its cache and its answer.
//!
//! Records lie in a slab, where they stay for as long as the boxes overlap; a sorted list of small entries says which
//! record is whose. Only entries are moved when pairs come and go, and only pairs whose bodies have moved are queried again.
//!
//! A large world is larger than the processor's caches, and the caches of pairs are the largest part of it. So when most pairs are queried
//! again, they are queried in the order of the slab and in batches. The first step tries the separating vectors of a whole batch without a
//! branch, so that the processor goes on to the next bodies while it waits for those of one pair.

use super::body::Bodies;
use super::{BodyId, Config, Detail};
use crate::broad::SlotPair;
use crate::math::{Pose, multiversioned};
use crate::narrow::meshes;
use crate::pair::{
    Clearance, Contacts, Manifold, ManifoldPoints, PairCache, PosedPair, Remembered, Separation,
    closest_before_contact, within_once,
};
use crate::parallel::{self, prelude::*};
use crate::tuning::world as tuning;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How the bodies of a pair are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PairState {
    /// There is no such pair: the record is free.
    Vacant,
    /// Not queried yet.
    #[default]
    New,
    /// Proved to be apart by more than the margin.
    Apart,
    /// Within the margin.
    Near,
    /// Overlapping or touching.
    Overlapping,
}

impl PairState {
    /// Within the margin, overlapping or not?
    pub fn is_close(self) -> bool {
        matches!(self, Self::Near | Self::Overlapping)
    }
}

/// A pair and where its record is, in the order of the pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairIndex {
    /// The smaller slot first.
    pub ids: [BodyId; 2],
    pub record: u32,
    pub state: PairState,
}

impl PairIndex {
    fn pair(&self) -> SlotPair {
        SlotPair::new(self.ids[0].slot(), self.ids[1].slot())
    }
}

/// The pair of a record and its last answer: small, since each update visits all of them.
#[derive(Debug, Clone, Copy)]
struct PairHeader {
    pair: SlotPair,
    state: PairState,
    /// Has the cache been used for two meshes?
    has_meshes: bool,
    /// Is it counted in [`FrontMemory`]?
    is_counted: bool,
}

/// The memory of the fronts of all pairs of meshes.
///
/// A front takes up to 3 MiB, see `narrow/meshes/front.rs`; thousands of pairs must not take that each. [`MAX_FRONT_ENTRIES`] are
/// divided among all pairs that have been queried about two meshes. That is done before an update, so the shares depend on the pairs alone and not on threads.
///
/// **Invariant.** Fronts exist for counted pairs only, and none has more entries than `limit`, so all together have at most [`MAX_FRONT_ENTRIES`].
#[derive(Debug, Clone)]
struct FrontMemory {
    /// Entries of all fronts.
    total: u32,
    /// Pairs that may have a front.
    count: u32,
    /// Entries that each of them may have.
    limit: u32,
}

/// Limit: entries of all fronts of a world, 84 MB.
const MAX_FRONT_ENTRIES: u32 = 1 << 18;

/// Limit: a front with fewer entries would not pay; no pair has one then.
const MIN_FRONT_ENTRIES: u32 = 1 << 8;

impl Default for FrontMemory {
    fn default() -> Self {
        Self { total: MAX_FRONT_ENTRIES, count: 0, limit: 0 }
    }
}

impl FrontMemory {
    /// Entries that each front may have: a power of two, so that it seldom changes.
    fn share(&self) -> u32 {
        let share = self.total / self.count.max(1);
        let share = if share == 0 { 0 } else { 1 << share.ilog2() };
        if share < MIN_FRONT_ENTRIES { 0 } else { share.min(meshes::MAX_FRONT_ENTRIES) }
    }
}

/// The changes of a body since the last update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Changed {
    /// Pose or shape.
    pub is_moved: bool,
    /// The shape: caches of its pairs are invalid.
    pub is_reshaped: bool,
    /// The broad phase does not have the new box yet.
    pub has_pending_bounds: bool,
}

/// Called with the number of pairs answered, and of all to be answered; from any thread.
pub(super) type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairs {
    /// Sorted by pair.
    pub entries: Vec<PairIndex>,
    /// The next `entries`; kept for its memory.
    next: Vec<PairIndex>,
    /// By record: the separating vectors, which are tried for all pairs that have moved.
    separations: Vec<Separation>,
    /// By record: what the engines remember, which few pairs need.
    caches: Vec<PairCache>,
    /// By record.
    headers: Vec<PairHeader>,
    /// The clearance of every record that is within the margin, if the configuration wants them; else empty.
    pub clearances: Vec<Option<Clearance>>,
    /// The contact manifolds of every record, from the first call of [`World::manifolds`](super::World::manifolds) on; else empty.
    contacts: Vec<Option<Box<Contacts>>>,
    free: Vec<u32>,
    /// Entries to be answered.
    work: Vec<u32>,
    fronts: FrontMemory,
    /// With [`Detail::Collision`], for each pair of `started` its clearance at the update before.
    pub before_contact: Vec<Option<Clearance>>,
    /// Pairs that began or ceased to overlap with the last update, sorted.
    pub started: Vec<[BodyId; 2]>,
    pub ended: Vec<[BodyId; 2]>,
    /// Pairs that came within the margin with the last update, or went beyond it, sorted.
    pub entered: Vec<[BodyId; 2]>,
    pub left: Vec<[BodyId; 2]>,
}

impl Pairs {
    /// A new update begins.
    pub fn begin(&mut self) {
        for events in [&mut self.started, &mut self.ended, &mut self.entered, &mut self.left] {
            events.clear();
        }
        self.before_contact.clear();
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
                && pair < entry.pair()
            {
                added.next();
                next.extend(name(pair).map(|ids| self.take_in(pair, ids)));
            }
            while removed.next_if(|&&pair| pair < entry.pair()).is_some() {}
            if removed.next_if(|&&pair| pair == entry.pair()).is_some() {
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
            while let Some(entry) = before.next_if(|entry| entry.pair() < pair) {
                self.let_go(entry);
            }
            let known = before.next_if(|entry| entry.pair() == pair);
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

    fn take_in(&mut self, pair: SlotPair, ids: [BodyId; 2]) -> PairIndex {
        let header = PairHeader { pair, state: PairState::New, has_meshes: false, is_counted: false };
        let record = match self.free.pop() {
            Some(record) => {
                self.separations[record as usize] = Separation::default();
                self.caches[record as usize] = PairCache::default();
                self.headers[record as usize] = header;
                record
            }
            None => {
                self.separations.push(Separation::default());
                self.caches.push(PairCache::default());
                self.headers.push(header);
                self.headers.len() as u32 - 1
            }
        };
        PairIndex { ids, record, state: PairState::New }
    }

    fn let_go(&mut self, entry: &PairIndex) {
        if entry.state == PairState::Overlapping {
            self.ended.push(entry.ids);
        }
        if entry.state.is_close() {
            self.left.push(entry.ids);
        }
        let header = &mut self.headers[entry.record as usize];
        header.state = PairState::Vacant;
        if std::mem::take(&mut header.is_counted) {
            self.fronts.count -= 1;
            self.caches[entry.record as usize].trim_front(0);
        }
        if let Some(clearance) = self.clearances.get_mut(entry.record as usize) {
            *clearance = None;
        }
        self.forget_contacts(entry.record);
        self.free.push(entry.record);
    }

    /// Asks again about every pair of which a body has changed, and about those that are new.
    pub fn answer(
        &mut self,
        bodies: &Bodies,
        changed: &[Changed],
        config: &Config,
        report: Option<Progress<'_>>,
    ) -> usize {
        let needs_update = |entry: &PairIndex| {
            let [a, b] = entry.ids.map(|id| changed[id.slot() as usize]);
            (entry.state == PairState::New) | a.is_moved | b.is_moved
        };
        self.work.clear();
        self.work.extend((0..).zip(&self.entries).filter(|(_, entry)| needs_update(entry)).map(|(i, _)| i));
        let total = self.work.len();
        if total == 0 {
            return 0;
        }
        if config.detail == Detail::Clearance {
            self.clearances.resize(self.headers.len(), None);
        }
        if !self.contacts.is_empty() {
            for i in 0..total {
                let entry = self.entries[self.work[i] as usize];
                if entry.ids.iter().any(|id| changed[id.slot() as usize].is_reshaped) {
                    self.forget_contacts(entry.record);
                }
            }
        }
        let limit = if config.detail == Detail::Clearance { config.margin } else { 0.0 };
        let front_limit = self.divide_front_memory();
        let asking = Asking { bodies, changed, config, limit, front_limit, report, done: AtomicUsize::new(0), total };
        let Self { entries, separations, caches, headers, clearances, work, .. } = self;
        let is_shared = total >= tuning::MANY_QUERIES && parallel::current_num_threads() > 1;
        if is_shared {
            let remembered = separations
                .par_chunks_mut(tuning::RECORDS_PER_TASK)
                .zip(caches.par_chunks_mut(tuning::RECORDS_PER_TASK));
            let batches = headers.par_chunks_mut(tuning::RECORDS_PER_TASK).zip(remembered);
            if config.detail == Detail::Clearance {
                let batches = batches.zip(clearances.par_chunks_mut(tuning::RECORDS_PER_TASK));
                batches.for_each(|((headers, remembered), clearances)| asking.batch(headers, remembered, clearances));
            } else {
                batches.for_each(|(headers, remembered)| asking.batch(headers, remembered, &mut []));
            }
        } else if 2 * total > headers.len() {
            let mut clearances = clearances.chunks_mut(tuning::RECORDS_PER_TASK);
            let remembered =
                separations.chunks_mut(tuning::RECORDS_PER_TASK).zip(caches.chunks_mut(tuning::RECORDS_PER_TASK));
            for (headers, remembered) in headers.chunks_mut(tuning::RECORDS_PER_TASK).zip(remembered) {
                asking.batch(headers, remembered, clearances.next().unwrap_or_default());
            }
        } else {
            for &i in &*work {
                let record = entries[i as usize].record as usize;
                let look = asking.look(&headers[record], &separations[record]);
                let remembered = Remembered { separation: &mut separations[record], cache: &mut caches[record] };
                asking.ask(look, &mut headers[record], remembered, clearances.get_mut(record));
            }
        }
        self.take_stock();
        total
    }

    fn forget_contacts(&mut self, record: u32) {
        if let Some(kept) = self.contacts.get_mut(record as usize) {
            *kept = None;
        }
    }

    /// Makes the manifolds of all pairs within the margin.
    pub fn touch(&mut self, bodies: &Bodies, config: &Config, which: ManifoldPoints) {
        self.contacts.resize_with(self.headers.len(), || None);
        let Self { headers, clearances, contacts, .. } = self;
        let clearances = &*clearances;
        let of_record = |(record, (header, kept)): (usize, (&PairHeader, &mut Option<Box<Contacts>>))| {
            let bodies = [header.pair.low(), header.pair.high()].map(|slot| bodies.body(slot));
            let [Some(a), Some(b)] = bodies else { return *kept = None };
            if !header.state.is_close() {
                if let Some(kept) = kept {
                    kept.clear();
                }
                return;
            }
            let pair = PosedPair { a: &a.shape, pose_a: &a.pose, b: &b.shape, pose_b: &b.pose };
            let known = || match clearances.get(record) {
                Some(found) => *found,
                None => within_once(pair, config.margin, config.engine),
            };
            let contacts = kept.get_or_insert_with(|| Box::new(Contacts::which(which)));
            let at_hand = record < clearances.len();
            contacts.update(&pair, config.margin, config.engine, at_hand, known);
        };
        if headers.len() >= tuning::MANY_QUERIES && parallel::current_num_threads() > 1 {
            headers.par_iter().zip(contacts.par_iter_mut()).enumerate().for_each(of_record);
        } else {
            headers.iter().zip(contacts.iter_mut()).enumerate().for_each(of_record);
        }
    }

    /// The manifolds that [`Pairs::touch`] has made of a record.
    pub fn manifolds(&self, record: u32) -> &[Manifold] {
        self.contacts.get(record as usize).and_then(Option::as_deref).map_or(&[], Contacts::list)
    }

    /// Forgets all manifolds.
    pub fn forget_all_contacts(&mut self) {
        self.contacts.clear();
    }

    /// Divides the memory of fronts among the pairs that may have one: the entries that each may have.
    fn divide_front_memory(&mut self) -> u32 {
        let limit = self.fronts.share();
        if limit < self.fronts.limit {
            let counted = self.headers.iter().zip(&mut self.caches).filter(|(header, _)| header.is_counted);
            counted.for_each(|(_, cache)| cache.trim_front(limit));
        }
        self.fronts.limit = limit;
        limit
    }

    /// The changes that the answers make.
    fn take_stock(&mut self) {
        for &i in &self.work {
            let entry = &mut self.entries[i as usize];
            let PairHeader { state, has_meshes, is_counted, .. } = &mut self.headers[entry.record as usize];
            let state = *state;
            if has_meshes != is_counted {
                *is_counted = *has_meshes;
                self.fronts.count = if *has_meshes { self.fronts.count + 1 } else { self.fronts.count - 1 };
            }
            match (entry.state == PairState::Overlapping, state == PairState::Overlapping) {
                (false, true) => self.started.push(entry.ids),
                (true, false) => self.ended.push(entry.ids),
                _ => {}
            }
            match (entry.state.is_close(), state.is_close()) {
                (false, true) => self.entered.push(entry.ids),
                (true, false) => self.left.push(entry.ids),
                _ => {}
            }
            entry.state = state;
        }
    }

    /// The clearances of the pairs that began to overlap, at the poses of the update before. The search starts from what the test for an
    /// intersection has left in the cache, and the line between the closest points starts the next test.
    pub fn look_back(&mut self, bodies: &Bodies, config: &Config, last_pose: impl Fn(BodyId) -> Option<Pose>) {
        self.before_contact.clear();
        let Self { started, entries, caches, before_contact, .. } = self;
        before_contact.extend(started.iter().map(|&[a, b]| {
            let pair = SlotPair::new(a.slot(), b.slot());
            let place = entries.binary_search_by_key(&pair, PairIndex::pair).ok()?;
            let cache = &mut caches[entries[place].record as usize];
            let [pose_a, pose_b] = &[last_pose(a)?, last_pose(b)?];
            let posed = PosedPair { a: &bodies.get(a)?.shape, pose_a, b: &bodies.get(b)?.shape, pose_b };
            let found = closest_before_contact(posed, config.engine, cache);
            found.is_apart().then_some(found)
        }));
    }

    /// Puts what has ended in order: pairs that were let go came before those that were answered.
    pub fn end(&mut self) {
        self.ended.sort_unstable();
        self.left.sort_unstable();
    }
}

/// Data that all queries of an update share.
struct Asking<'a> {
    bodies: &'a Bodies,
    changed: &'a [Changed],
    config: &'a Config,
    /// Pairs that are proved to be farther apart are dropped.
    limit: f64,
    /// Entries that the front of two meshes may have.
    front_limit: u32,
    report: Option<Progress<'a>>,
    done: AtomicUsize,
    total: usize,
}

impl Asking<'_> {
    /// Asks about those of the records that are due.
    fn batch(
        &self,
        headers: &mut [PairHeader],
        (separations, caches): (&mut [Separation], &mut [PairCache]),
        clearances: &mut [Option<Clearance>],
    ) {
        let mut looks = [FirstLook::default(); tuning::RECORDS_PER_TASK];
        multiversioned(
            #[inline(always)]
            || {
                for ((look, header), separation) in looks.iter_mut().zip(&*headers).zip(&*separations) {
                    *look = self.look(header, separation);
                }
            },
        );
        let remembered = separations.iter_mut().zip(caches);
        for (i, (header, (separation, cache))) in headers.iter_mut().zip(remembered).enumerate() {
            if looks[i].needs_update {
                self.ask(looks[i], header, Remembered { separation, cache }, clearances.get_mut(i));
            }
        }
    }

    /// The first test of a record, without an unpredictable branch. It reads only the header if that is enough.
    #[inline(always)]
    fn look(&self, header: &PairHeader, separation: &Separation) -> FirstLook {
        let [low, high] = [header.pair.low(), header.pair.high()];
        let [a, b] = [self.changed[low as usize], self.changed[high as usize]];
        let needs_update =
            (header.state == PairState::New) | ((header.state != PairState::Vacant) & (a.is_moved | b.is_moved));
        if !needs_update {
            return FirstLook::default();
        }
        // Both are there: their boxes overlap.
        let (Some(body_a), Some(body_b)) = (self.bodies.body(low), self.bodies.body(high)) else {
            return FirstLook::default();
        };
        let is_apart = separation.shows_apart(&body_a.pose, &body_b.pose, self.limit);
        FirstLook { needs_update, is_apart: is_apart & !(a.is_reshaped | b.is_reshaped) }
    }

    #[inline(always)]
    fn ask(
        &self,
        look: FirstLook,
        header: &mut PairHeader,
        remembered: Remembered<'_>,
        clearance: Option<&mut Option<Clearance>>,
    ) {
        header.state = match clearance {
            None if look.is_apart => PairState::Apart,
            None => self.overlap(header, remembered),
            Some(clearance) => {
                *clearance = if look.is_apart { None } else { self.clearance(header, remembered) };
                match clearance {
                    None => PairState::Apart,
                    Some(found) if found.is_apart() => PairState::Near,
                    Some(_) => PairState::Overlapping,
                }
            }
        };
        if let Some(report) = self.report {
            report(self.done.fetch_add(1, Ordering::Relaxed) + 1, self.total);
        }
    }

    fn overlap(&self, header: &mut PairHeader, mut remembered: Remembered<'_>) -> PairState {
        let Some(pair) = self.place(header.pair, &mut remembered) else { return PairState::Apart };
        let cache = &mut *remembered.cache;
        let remembered = Remembered { separation: remembered.separation, cache: &mut *cache };
        let do_meet = remembered.intersects(pair, self.config.engine);
        header.has_meshes = cache.is_for_meshes();
        if do_meet { PairState::Overlapping } else { PairState::Apart }
    }

    fn clearance(&self, header: &mut PairHeader, mut remembered: Remembered<'_>) -> Option<Clearance> {
        let pair = self.place(header.pair, &mut remembered)?;
        let cache = &mut *remembered.cache;
        let remembered = Remembered { separation: remembered.separation, cache: &mut *cache };
        let found = remembered.within(pair, self.config.margin, self.config.engine);
        header.has_meshes = cache.is_for_meshes();
        found
    }

    /// The shapes of a pair at their poses. The cache is reset if it is about other shapes.
    #[inline(always)]
    fn place(&self, pair: SlotPair, remembered: &mut Remembered<'_>) -> Option<PosedPair<'_>> {
        let [low, high] = [pair.low(), pair.high()];
        if self.changed[low as usize].is_reshaped | self.changed[high as usize].is_reshaped {
            *remembered.separation = Separation::default();
            *remembered.cache = PairCache::default();
        }
        remembered.cache.set_front_limit(self.front_limit);
        let (a, b) = (self.bodies.body(low)?, self.bodies.body(high)?);
        Some(PosedPair { a: &a.shape, pose_a: &a.pose, b: &b.shape, pose_b: &b.pose })
    }
}

/// The state of a record before its query.
#[derive(Debug, Clone, Copy, Default)]
struct FirstLook {
    /// Does it need a query?
    needs_update: bool,
    /// Do poses and the remembered vector alone show that the bodies are apart?
    is_apart: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::narrow::meshes::tests::torus;
    use crate::world::World;
    use crate::{Pose, Shape};
    use std::sync::Arc;

    /// Rings beside each other that turn: whatever memory there is, all fronts together take no more, and the answers are those of single queries. Rings that
    /// go free their memory, and what is left is divided anew.
    #[test]
    fn fronts_of_all_pairs_stay_within_their_memory() {
        let ring = Shape::Mesh(Arc::new(torus(24, 10, 1.0, 0.3)));
        let mut kept = Vec::new();
        for total in [MAX_FRONT_ENTRIES, 9 * 300, 9 * 255] {
            let mut world = World::new(Config { detail: Detail::Clearance, margin: 1.0, ..Config::default() });
            world.pairs.fronts.total = total;
            let place = |k: usize, frame: usize| {
                let turn = DQuat::from_rotation_y(0.002 * frame as f64 * (k + 1) as f64);
                Pose::new([2.9 * k as f64, 0.0, 0.001 * frame as f64], turn)
            };
            let ids: Vec<BodyId> = (0..10).map(|k| world.insert(ring.clone(), place(k, 0))).collect();
            let mut most = 0;
            for frame in 0..8 {
                for (k, &id) in ids.iter().enumerate() {
                    assert!(world.set_pose(id, place(k, frame)));
                }
                world.update();
                let pairs = &world.pairs;
                let bytes: usize = pairs.caches.iter().map(PairCache::front_bytes).sum();
                assert_eq!(pairs.fronts.count, 9);
                let limit = pairs.fronts.limit as usize;
                let each = size_of::<meshes::Front>() + meshes::FRONT_BYTES + meshes::ENTRY_BYTES * limit;
                assert!(frame == 0 || 9 * limit <= total as usize);
                assert!(bytes <= if limit == 0 { 0 } else { 9 * each }, "{bytes} with {limit} entries each");
                most = most.max(bytes);
                for (k, pair) in pairs.entries.iter().enumerate() {
                    let found = pairs.clearances[pair.record as usize].expect("they are within the margin");
                    let truth = crate::distance(&ring, place(k, frame), &ring, place(k + 1, frame));
                    assert!((found.distance - truth.distance).abs() < 1e-13, "{total} {frame} {k}");
                }
            }
            kept.push(most);
            for &id in &ids[2..] {
                world.remove(id);
            }
            world.update();
            assert_eq!(world.pairs.fronts.count, 1);
            let bytes: usize = world.pairs.caches.iter().map(PairCache::front_bytes).sum();
            assert!(bytes <= most / 4, "{bytes} of {most}");
        }
        // Enough for all, for some of each, and for none.
        assert!(kept[0] > kept[1] && kept[1] > 0 && kept[2] == 0, "{kept:?}");
    }

    #[test]
    fn the_memory_of_fronts_is_divided_among_all_pairs() {
        for count in [0, 1, 7, 8, 9, 1000, 1024, 1025, 1 << 20] {
            let fronts = FrontMemory { count, ..FrontMemory::default() };
            let share = fronts.share();
            assert!(
                u64::from(share) * u64::from(count) <= u64::from(MAX_FRONT_ENTRIES)
                    && share <= meshes::MAX_FRONT_ENTRIES
            );
            assert_eq!(share == 0, count > 1024, "{count}");
        }
    }
}
