//! The front of a search that a pair keeps from call to call: pairs of subtrees that cover all pairs of triangles, each with a certified lower bound.
//!
//! **Sleeping entries.** When B moves from R x + t to R' x + t', no point of B, all of which are within ρ of c, moves farther than
//! ‖(R' - R) c + (t' - t)‖ + ‖R' - R‖ ρ, and no bound loses more. Let T be the sum of that over all calls so far. A pair with the bound s when the sum was T₀ is at
//! least s + T₀ - T apart. Most entries sleep until that falls below the cutoff (`resting.rs`). They need only their boxes, so that making a front takes little more than a
//! search without one.
//!
//! **Active entries.** An entry near the cutoff has a direction, along which a motion changes its bound by a product, eight entries at a time (`entries.rs`). A common approach or
//! slide changes the cutoff as it changes the bounds, so in a coherent motion few entries expire. An expired entry gets a new direction from its boxes, a leaf pair from its
//! corners (`heights.rs`). If no direction suffices, the search expands the pair from there, not from the roots.
//!
//! **Closest leaf pairs.** Leaf pairs whose distance equals the best to rounding, mostly since they share the closest corner or edge, are pruned along the normal in every call. They are tested
//! first: if the closest triangles change, the new ones are mostly among them, and the rest of the front is compared with the new cutoff. A pair that is no longer among the closest becomes an
//! ordinary entry.
//!
//! Entries are facts about two meshes that are apart, whatever the query: intersection tests and distances share one front. Meshes that meet have
//! no front, since one pair of triangles proves it. Work is counted: an old front is rebuilt, and where a front does not pay, the next
//! calls go without.
//!
//! **Invariants.** (F1) Between two calls every pair of triangles is below an entry, unless the front is empty. (F2) The bound of an entry, less the travel since it was computed, is at most the distance of
//! its triangles. (F3) There are at most `limit` entries.

use super::entries::{Directions, FrontEntry, FrontLanes, FrontMotion, LANES};
use super::heights::LeafHeights;
use super::resting::Resting;
use crate::math::{Frame, multiversioned};
use crate::tree::{SubTreePair, WideView};
use crate::tuning::meshes as tuning;
use glam::{DVec3, Vec3};

/// Limit: entries of a front. A search that finds more keeps no front.
pub(crate) const MAX_ENTRIES: u32 = 1 << 15;

/// Limit: bytes that a front takes for each entry that it may have, its lists grown to twice what they hold included. Layout: 96 in a block, 44 among those that sleep, and
/// both may have had room for all.
pub(crate) const ENTRY_BYTES: usize = 320;

/// Limit: bytes of a front besides its entries, most of them for heights of leaves.
pub(crate) const FRONT_BYTES: usize = 1 << 13;

/// The travel of B may be at most this multiple of the extent of a bound: sums of travel round. Bound: an addition to the
/// travel then rounds by at most 1e4 ε of the extent, 2.3e-12.
const FARTHEST: f64 = 1e4;

/// The kept pairs; the default is empty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Front {
    /// Entries that it may have.
    limit: u32,
    /// Active entries.
    blocks: Vec<FrontLanes>,
    count: usize,
    /// The frame of B in which the bounds hold.
    last: Option<Frame>,
    /// Sleeping entries.
    resting: Resting,
    /// Leaf pairs among the closest, which every search tests.
    close: Vec<SubTreePair>,
    /// The travel of B since the front was made, and in the last call.
    travelled: f64,
    step: f64,
    /// The first entry without a direction: the search that is under way found it.
    first_new: usize,
    /// Was there no room for an entry? Then not all pairs are covered when the search is over, and there is no front.
    is_full: bool,
    /// Lists that are kept for their memory.
    starts: Vec<SubTreePair>,
    looked_at: Vec<LookedAt>,
    changing: Vec<usize>,
    pub(super) heights: LeafHeights,
    /// Steps of the search from the roots that made it, and the entries that it made.
    first_steps: usize,
    first_count: usize,
    /// The cost of new directions since the last call.
    changes: usize,
    /// The work of all calls in steps, and their number; the least of a call, and the excess of all others over it.
    work: usize,
    calls: usize,
    least_work: usize,
    excess: usize,
    /// Calls that go without a front from now on, and calls the next time it does not pay.
    rest: u8,
    next_rest: u8,
}

impl Default for Front {
    fn default() -> Self {
        Self {
            limit: MAX_ENTRIES,
            blocks: Vec::new(),
            count: 0,
            last: None,
            resting: Resting::default(),
            close: Vec::new(),
            travelled: 0.0,
            step: 0.0,
            first_new: 0,
            is_full: false,
            starts: Vec::new(),
            looked_at: Vec::new(),
            changing: Vec::new(),
            heights: LeafHeights::default(),
            first_steps: 0,
            first_count: 0,
            changes: 0,
            work: 0,
            calls: 0,
            least_work: 0,
            excess: 0,
            rest: 0,
            next_rest: 0,
        }
    }
}

/// Two leaves that were visited, and a lower bound of the distance of their triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LookedAt {
    pub pair: SubTreePair,
    pub lower: f64,
}

/// Lists of a search that is under way: the pairs that it starts from, and the leaf pairs that it visited before.
pub(super) type FrontRoom = (Vec<SubTreePair>, Vec<LookedAt>);

/// The frame of B now, and what is known about it.
pub(super) struct FrontPlace<'a> {
    pub b_in_a: &'a Frame,
    pub trees: [WideView<'a>; 2],
    /// The unit vector from A to B along which the closest triangles are apart.
    pub normal: Option<DVec3>,
    /// Bound on the error of a point in a frame.
    pub rounding: f64,
}

impl FrontPlace<'_> {
    fn directions(&self) -> Directions {
        Directions::new(self.b_in_a, &self.trees, self.normal, self.rounding)
    }
}

impl Front {
    /// Does this call go without a front?
    pub fn rests(&mut self) -> bool {
        let rests = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
        rests
    }

    /// Sets how many entries it may have. A front that takes more memory than these need starts anew.
    pub fn set_limit(&mut self, limit: u32) {
        if limit != self.limit {
            let is_large = self.bytes() > FRONT_BYTES + ENTRY_BYTES * limit as usize;
            if self.len() > limit as usize || is_large {
                *self = Self::default();
            }
            self.limit = limit;
        }
    }

    /// The memory of its lists.
    pub fn bytes(&self) -> usize {
        let pairs = size_of::<SubTreePair>() * (self.close.capacity() + self.starts.capacity());
        let blocks = size_of::<FrontLanes>() * self.blocks.capacity() + size_of::<usize>() * self.changing.capacity();
        let looked_at = size_of::<LookedAt>() * self.looked_at.capacity();
        blocks + pairs + looked_at + self.resting.bytes() + self.heights.bytes()
    }

    /// Starts an empty front for that frame of B.
    pub(super) fn seed(&mut self, b_in_a: &Frame) {
        *self = Self { last: Some(*b_in_a), next_rest: self.next_rest, step: self.step, ..self.emptied() };
    }

    /// An empty front with the memory of this one.
    fn emptied(&mut self) -> Self {
        self.resting.clear();
        self.close.clear();
        Self {
            limit: self.limit,
            close: std::mem::take(&mut self.close),
            blocks: std::mem::take(&mut self.blocks),
            resting: std::mem::take(&mut self.resting),
            starts: std::mem::take(&mut self.starts),
            looked_at: std::mem::take(&mut self.looked_at),
            heights: std::mem::take(&mut self.heights),
            changing: std::mem::take(&mut self.changing),
            ..Self::default()
        }
    }

    /// A list for the pairs that a search starts from, which [`finish`](Self::finish) takes back.
    pub fn take_starts(&mut self) -> Vec<SubTreePair> {
        std::mem::take(&mut self.starts)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.count + self.resting.len() + self.close.len()
    }

    /// All entries, and lower bounds of the distances of their triangles in the last frame of B.
    #[cfg(test)]
    pub(super) fn facts(&self) -> Vec<(SubTreePair, f64)> {
        let awake = |i: usize| (self.blocks[i / LANES].pairs[i % LANES], self.blocks[i / LANES].bound[i % LANES]);
        let close = self.close.iter().map(|&pair| (pair, 0.0));
        (0..self.count).map(awake).chain(self.resting.facts(self.travelled)).chain(close).collect()
    }

    /// Moves the front to a new frame of B and takes out all pairs that may be closer than `enough`; returns a lower bound of the distance of all
    /// others. `None` if the front has to be made anew.
    pub(super) fn advance(&mut self, now: &FrontPlace<'_>, enough: f64, expired: &mut Vec<SubTreePair>) -> Option<f64> {
        let FrontPlace { b_in_a, trees: [_, b], rounding, .. } = now;
        let last = self.last.replace(**b_in_a)?;
        let motion = (last != **b_in_a).then(|| FrontMotion::new(&last, b_in_a, b));
        if let Some(motion) = &motion {
            self.step = motion.farthest;
            // The sum and the product are off by half an ε each.
            self.travelled = (self.travelled + motion.farthest) * (1.0 + 2.0 * f64::EPSILON);
        }
        let reach = f64::from(b.radius) * b.unit + b_in_a.translation.length();
        if self.is_full || self.len() > 3 * self.first_count + 64 || !(self.travelled <= FARTHEST * reach) {
            return None;
        }
        // Zero would say that something meets.
        let enough = (enough + rounding).max(rounding.next_up());
        let awake = self.count;
        let mut least = self.wake(enough, &now.trees, expired);
        let awake = multiversioned(
            #[inline(always)]
            || self.advance_awake(motion.as_ref(), awake, now, enough),
        );
        least = least.min(awake);
        let may_rest = self.may_rest();
        // From the last: the entry that takes the place of a removed one has been visited.
        let mut changing = std::mem::take(&mut self.changing);
        for &place in changing.iter().rev() {
            for lane in (0..LANES.min(self.count.saturating_sub(place * LANES))).rev() {
                let (bound, pair) = (self.blocks[place].bound[lane], self.blocks[place].pairs[lane]);
                if !(bound >= enough) {
                    expired.push(pair);
                    self.remove(place * LANES + lane);
                } else if may_rest && self.rests_for(tuning::CALLS_LONG_ASLEEP, pair, bound, enough) {
                    self.remove(place * LANES + lane);
                } else {
                    least = least.min(bound);
                }
            }
        }
        changing.clear();
        self.changing = changing;
        self.first_new = self.count;
        Some(least - rounding)
    }

    /// Are active entries tested in this call whether they may sleep?
    fn may_rest(&self) -> bool {
        self.calls.is_multiple_of(tuning::CALLS_BETWEEN)
    }

    /// The leaf pairs among the closest in the last frame, and a list for those of them that are visited before the front is moved;
    /// [`put_close`](Self::put_close) takes back those that are still close.
    pub(super) fn take_close(&mut self) -> (Vec<SubTreePair>, Vec<LookedAt>) {
        self.changes = 0;
        (std::mem::take(&mut self.close), std::mem::take(&mut self.looked_at))
    }

    /// Takes back the leaf pairs that are still among the closest.
    pub(super) fn put_close(&mut self, close: Vec<SubTreePair>) {
        self.close = close;
    }

    /// Activates the entries that may not sleep any longer; they have no direction yet. Returns a lower bound of the distance of all others.
    fn wake(&mut self, enough: f64, trees: &[WideView<'_>; 2], expired: &mut Vec<SubTreePair>) -> f64 {
        let (mut resting, mut woken) = (std::mem::take(&mut self.resting), 0);
        let least = resting.wake(self.travelled, enough, |pair| {
            woken += 1;
            if pair.bound == SubTreePair::CLOSE {
                expired.push(pair);
            } else {
                self.keep_new(pair, trees);
            }
        });
        self.resting = resting;
        self.changes += tuning::CHANGE_WOKEN * woken;
        least
    }

    /// Moves the active entries, and gives new directions to those whose bounds are no longer enough. Returns a lower bound of the distance of the blocks that stay;
    /// the others are in `changing`.
    #[inline(always)]
    fn advance_awake(&mut self, step: Option<&FrontMotion>, awake: usize, now: &FrontPlace<'_>, enough: f64) -> f64 {
        let (mut directions, mut least) = (None, f64::INFINITY);
        let may_rest = self.may_rest();
        for (place, block) in self.blocks[..self.count.div_ceil(LANES)].iter_mut().enumerate() {
            // (An entry without a direction has the bound minus infinity in any frame.)
            if let (Some(step), true) = (step, place * LANES < awake) {
                block.advance(step);
            }
            if !block.are_enough(enough) {
                self.changes += directions.get_or_insert_with(|| now.directions()).renew(block, enough);
            }
            let is_to_rest = may_rest && block.is_any_above(enough + tuning::CALLS_LONG_ASLEEP * self.step);
            if block.are_enough(enough) && !is_to_rest {
                least = least.min(block.least());
            } else {
                self.changing.push(place);
            }
        }
        least
    }

    /// Gives directions to the entries that have none.
    #[inline(always)]
    fn direct_new(&mut self, now: &FrontPlace<'_>) {
        let directions = now.directions();
        for block in &mut self.blocks[self.first_new / LANES..self.count.div_ceil(LANES)] {
            self.changes += directions.renew(block, f64::INFINITY);
        }
    }

    /// Lets a pair sleep if its bound suffices for a while.
    #[inline]
    pub(super) fn puts_to_rest(&mut self, pair: SubTreePair, bound: f64, enough: f64) -> bool {
        self.rests_for(tuning::CALLS_ASLEEP, pair, bound, enough)
    }

    /// Lets a pair sleep whose bound suffices for that many calls like the last one.
    #[inline]
    fn rests_for(&mut self, calls: f64, pair: SubTreePair, bound: f64, enough: f64) -> bool {
        let rests = bound - enough > calls * self.step;
        if rests && self.has_room() {
            // (The sum rounds, and so do later differences from it.)
            let until = (bound + self.travelled) * (1.0 - 4.0 * f64::EPSILON);
            self.resting.push(pair, until);
        }
        rests
    }

    /// Removes an entry; the last one takes its place.
    fn remove(&mut self, place: usize) {
        self.count -= 1;
        if place != self.count {
            FrontLanes::copy(&mut self.blocks, self.count, place);
        }
        // A lane beyond the last entry is not given a direction.
        self.blocks[self.count / LANES].bound[self.count % LANES] = f64::INFINITY;
    }

    /// (F3) Is there room for one more? A search that finds none goes on without a front; an entry that moves from one list to
    /// another always has room.
    fn has_room(&mut self) -> bool {
        self.is_full |= self.len() >= self.limit as usize;
        !self.is_full
    }

    /// Appends an entry.
    fn push(&mut self, entry: &FrontEntry, trees: &[WideView<'_>; 2]) {
        if !self.has_room() {
            return;
        }
        let (place, lane) = (self.count / LANES, self.count % LANES);
        if place == self.blocks.len() {
            self.blocks.push(FrontLanes::EMPTY);
        }
        if lane == 0 {
            self.blocks[place].bound = FrontLanes::EMPTY.bound;
        }
        self.blocks[place].put(lane, entry, trees);
        self.count += 1;
    }

    /// Counts an entry whose direction is sought by its corners.
    pub(super) fn count_by_corners(&mut self) {
        self.changes += tuning::CHANGE_BY_CORNERS;
    }

    /// Keeps two leaves with that lower bound without a direction, if they may sleep or are among the closest; false if they need a
    /// direction.
    pub(super) fn keeps_leaves(&mut self, pair: SubTreePair, bound: f64, enough: f64) -> bool {
        let is_close = pair.bound == SubTreePair::CLOSE;
        let calls = if is_close { tuning::CALLS_OF_CLOSE } else { tuning::CALLS_OF_LEAVES };
        let close = SubTreePair { bound: SubTreePair::CLOSE, ..pair };
        if self.rests_for(calls, close, bound, enough) {
            return true;
        }
        let keeps = is_close && !self.calls.is_multiple_of(tuning::CALLS_CLOSE);
        if keeps && self.has_room() {
            self.close.push(pair);
        }
        keeps
    }

    /// Does a bound exceed the cutoff by so much that two leaves are no longer among the closest?
    pub(super) fn is_beyond_close(&self, bound: f64, enough: f64) -> bool {
        bound - enough > (tuning::CALLS_NOT_CLOSE * self.step).max(4e-6 * enough)
    }

    /// Keeps two leaves among the closest.
    pub(super) fn keep_close(&mut self, pair: SubTreePair) {
        if self.has_room() {
            self.close.push(SubTreePair { bound: SubTreePair::CLOSE, ..pair });
        }
    }

    /// Keeps an entry.
    pub(super) fn keep(&mut self, entry: &FrontEntry, enough: f64, trees: &[WideView<'_>; 2]) {
        if !self.rests_for(tuning::CALLS_LONG_ASLEEP, entry.pair, entry.bound, enough) {
            self.push(entry, trees);
        }
    }

    /// Keeps a pair that gets a direction at the end of the search.
    pub(super) fn keep_new(&mut self, pair: SubTreePair, trees: &[WideView<'_>; 2]) {
        self.push(&FrontEntry { pair, normal: Vec3::ZERO, bound: f64::NEG_INFINITY }, trees);
    }

    /// The next calls go without a front, twice as many as the last time.
    fn go_without(&mut self) {
        let rest = (2 * self.next_rest).clamp(8, tuning::LONGEST_PAUSE);
        *self = Self { rest, next_rest: rest, ..self.emptied() };
    }

    /// Ends a search of that many steps: all pairs are covered again, or something meets. Takes back its lists.
    pub(super) fn finish(&mut self, steps: usize, is_over: bool, room: FrontRoom, now: &FrontPlace<'_>) {
        (self.starts, self.looked_at) = room;
        self.starts.clear();
        self.looked_at.clear();
        if !is_over && self.first_new < self.count {
            multiversioned(
                #[inline(always)]
                || self.direct_new(now),
            );
        }
        let is_first = self.first_steps == 0;
        let work = steps
            + self.changes / tuning::CHANGES_PER_STEP
            + self.count / tuning::ENTRIES_PER_STEP
            + self.close.len() / tuning::CLOSE_PER_STEP;
        if is_first {
            (self.first_steps, self.first_count) = (steps, self.len());
            (self.work, self.least_work) = (work, usize::MAX);
        } else {
            self.work += work;
            self.least_work = self.least_work.min(work);
            self.excess += work - self.least_work;
        }
        self.calls += 1;
        if is_over || self.is_full || self.first_steps < tuning::FRONT_STEPS {
            return self.go_without();
        }
        if is_first {
            return;
        }
        // The excess of an old front has reached the cost of a new one.
        if self.excess > tuning::EXCESS * self.first_steps || work > self.first_steps {
            // Not all work is counted: a front pays if it saves a quarter.
            if 4 * self.work < 3 * self.calls * self.first_steps {
                *self = Self { step: self.step, ..self.emptied() };
            } else {
                self.go_without();
            }
            return;
        }
        self.next_rest = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Entries wake when B may have used up the excess of their bounds over the cutoff: not later, and not much sooner.
    #[test]
    fn entries_wake_before_their_bounds_are_used_up() {
        let mut rng = Rng::with_seed(96);
        for _ in 0..50 {
            let (mut front, mut all, mut woken) = (Front::default(), Vec::new(), 0);
            for _ in 0..200 {
                front.travelled += 0.1 * rng.f64();
                for _ in 0..rng.usize(0..6) {
                    let bound = 1.0 + (8.0 * rng.f64()).round() / 4.0;
                    if front.puts_to_rest(SubTreePair { bound: all.len() as f32, ..SubTreePair::ROOTS }, bound, 1.0) {
                        all.push(bound + front.travelled);
                    }
                }
                let travelled = front.travelled;
                front.resting.wake(travelled, 1.0, |pair| {
                    assert!(all[pair.bound as usize] - travelled < 1.0 + 1e-12, "woken too early");
                    woken += 1;
                });
                let due = all.iter().filter(|&&until| until - travelled < 1.0).count();
                assert!(woken >= due, "{due} are due, and {woken} woke");
                assert_eq!(front.resting.len() + woken, all.len());
            }
            assert!(woken > 50, "{woken}");
        }
    }
}
