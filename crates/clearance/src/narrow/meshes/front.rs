//! The front of a search, kept from call to call: pairs of subtrees that cover all pairs of triangles, each with a bound of how far it was
//! apart.
//!
//! **Resting.** No point of B, all of which are within ρ of c, goes farther than ‖(R' - R) c + (t' - t)‖ + ‖R' - R‖ ρ when B moves from R x + t
//! to R' x + t', and no bound loses more. With T the sum of that over all calls so far, a pair that was s apart when the sum was T₀ is at
//! least s + T₀ - T apart. So most entries are looked at once in many calls: they rest in a heap by s + T₀, and wake when that, less T,
//! is no longer enough. Nothing but boxes is needed for them, so that making a front takes little more than a search without one.
//!
//! **Awake.** Along a vector n no longer than one, along which everything of a pair is apart by s, its part of B within ρ of c goes at least
//! n·((R' - R) c + (t' - t)) - ‖R' - R‖ ρ, so s changes by no less, and the parts stay at least s apart. That is a few products for an entry, eight
//! entries at a time. What all entries have in common, an approach or a slide along the surfaces, changes what is enough as it changes
//! them: in a coherent motion hardly any entry expires, and what has expired is taken up from there, not from the roots.
//!
//! Entries are facts about two meshes that are apart, whatever was asked: intersection tests and distances share one front. What meets has
//! none, since one pair of triangles tells that. Work is counted. A front that has grown old is made anew; where one does not pay, the next
//! calls go without.

use super::walk::SubTreePair;
use crate::math::{Frame, multiversioned};
use crate::tree::WideView;
use glam::{DMat3, Vec3};
use wide::f32x8;

/// A front with more entries is dropped: it takes much memory.
const MOST_ENTRIES: usize = 1 << 15;

/// A search of fewer steps needs no front.
const FEW_STEPS: usize = 8;

/// What takes as long as a step of a search: so many entries that are moved, and so many that are given a direction. (By instructions, of
/// rings, grates and noisy spheres.)
const ENTRIES_PER_STEP: usize = 256;
const CHANGES_PER_STEP: usize = 4;

/// An old front is made anew when it took so many times as many steps more than it need have as the search that made it. (Most of what it takes more
/// is what entries take when they first wake.)
const EXCESS: usize = 4;

/// The most calls that go without a front when one did not pay.
const LONGEST_REST: u8 = 64;

/// A pair without a direction rests if its bound is enough for so many more calls like the last one; to give it one takes as long as to move
/// it a hundred times, so that one with a direction rests only if it may do so for long.
const CALLS_AT_REST: f64 = 1.0;
const CALLS_AT_LONG_REST: f64 = 32.0;

/// Leaves that were looked at, which takes as long as to give them directions a few times, and of which none was found, or not asked for.
const CALLS_OF_CLOSE: f64 = 1.0;
const CALLS_OF_LEAVES: f64 = 8.0;

/// All entries that are awake are asked whether they may rest once in so many calls.
const CALLS_BETWEEN: usize = 8;

/// Pairs that are among the closest are asked for a direction along which they are not once in so many calls.
const CALLS_CLOSE: usize = 4;

/// What B has travelled may be no more than so many times as far as bounds reach: their sums round.
const FARTHEST: f64 = 1e4;

/// How many entries are moved at a time.
const LANES: usize = 8;

/// What is kept; the default is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Front {
    /// Entries that are awake.
    blocks: Vec<FrontLanes>,
    count: usize,
    /// Where B was when the bounds held.
    last: Option<Frame>,
    /// A heap: the first is the one that wakes first.
    resting: Vec<Resting>,
    /// Those that every search has to look at.
    close: Vec<SubTreePair>,
    /// How far B has travelled since the front was made, and since the call before.
    travelled: f64,
    step: f64,
    /// Room for what is computed with.
    starts: Vec<SubTreePair>,
    /// How many steps the search took that made it from the roots, and how many entries it made.
    first_steps: usize,
    first_count: usize,
    /// How many entries were asked for a direction since the last call.
    changes: usize,
    /// The work, in steps, that it took to make and in all calls since, and how many these are; the least of a call, and what others took more.
    work: usize,
    calls: usize,
    least_work: usize,
    excess: usize,
    /// So many calls go without a front, and so many when one does not pay again.
    rest: u8,
    next_rest: u8,
}

/// An entry that rests.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Resting {
    /// Its bound and how far B had travelled when it held; less how far it has by now, it is apart.
    until: f64,
    pair: SubTreePair,
}

/// Eight entries, by lane.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FrontLanes {
    normal: [[f32; LANES]; 3],
    /// The middle of B's box in the frame and the unit of its tree, and how far the box reaches from there.
    middle: [[f32; LANES]; 3],
    radius: [f32; LANES],
    /// How far all of it is apart along the normal, as far as frames are what they are in numbers.
    bound: [f64; LANES],
    pairs: [SubTreePair; LANES],
}

impl FrontLanes {
    const EMPTY: Self = Self {
        normal: [[0.0; LANES]; 3],
        middle: [[0.0; LANES]; 3],
        radius: [0.0; LANES],
        bound: [0.0; LANES],
        pairs: [SubTreePair::ROOTS; LANES],
    };

    /// One entry takes the place of another.
    #[inline(always)]
    fn copy(&mut self, lane: usize, from: &Self, at: usize) {
        for k in 0..3 {
            self.normal[k][lane] = from.normal[k][at];
            self.middle[k][lane] = from.middle[k][at];
        }
        (self.radius[lane], self.bound[lane], self.pairs[lane]) = (from.radius[at], from.bound[at], from.pairs[at]);
    }

    /// Moves eight entries.
    #[inline(always)]
    fn advance(&mut self, step: &FrontMotion) {
        let change = step.change(self);
        for (bound, change) in self.bound.iter_mut().zip(change) {
            *bound += f64::from(change) * step.unit;
        }
    }
}

/// What there is to keep about a pair of subtrees.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrontEntry {
    pub pair: SubTreePair,
    /// No longer than one, in the frame of A.
    pub normal: Vec3,
    /// Everything of B is that far from everything of A along it, if its frame is what it is in numbers.
    pub bound: f64,
}

/// How B moves from one call to the next, in the unit of its tree.
struct FrontMotion {
    turn: [[f32x8; 3]; 3],
    shift: [f32x8; 3],
    norm: f32x8,
    /// What single precision may do to an entry.
    slack: f32x8,
    unit: f64,
    /// No point of B goes farther.
    farthest: f64,
}

impl FrontMotion {
    fn new(last: &Frame, now: &Frame, b: &WideView<'_>) -> Self {
        let turn = now.rotation - last.rotation;
        let shift = (now.point(b.origin) - last.point(b.origin)) / b.unit;
        let squares = |m: DMat3| m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared();
        // Frobenius's norm is no less than the other one.
        let norm = squares(turn).sqrt() * (1.0 + 1e-6);
        let row = |k: usize| [turn.x_axis[k], turn.y_axis[k], turn.z_axis[k]].map(|x| f32x8::splat(x as f32));
        // A dozen roundings of 2^-24, of vectors that are no longer than this; less than nothing is as good as that.
        let slack = 1e-5 * (shift.length() + 3.0 * norm * f64::from(b.radius)) + f64::from(f32::MIN_POSITIVE);
        Self {
            turn: [row(0), row(1), row(2)],
            shift: [0, 1, 2].map(|k| f32x8::splat(shift[k] as f32)),
            norm: f32x8::splat((norm as f32).next_up()),
            slack: f32x8::splat(slack as f32),
            unit: b.unit,
            farthest: (shift.length() + norm * f64::from(b.radius)) * (1.0 + 1e-6) * b.unit,
        }
    }

    /// Moves eight entries: by how much their bounds change at least.
    #[inline(always)]
    fn change(&self, block: &FrontLanes) -> [f32; LANES] {
        let [x, y, z] = [0, 1, 2].map(|k| f32x8::new(block.middle[k]));
        let along = |k: usize| {
            let [a, b, c] = &self.turn[k];
            f32x8::new(block.normal[k]) * (*a * x + *b * y + *c * z + self.shift[k])
        };
        (along(0) + along(1) + along(2) - self.norm * f32x8::new(block.radius) - self.slack).to_array()
    }
}

impl Front {
    /// Is this call one that goes without a front?
    pub fn rests(&mut self) -> bool {
        let rests = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
        rests
    }

    /// Is there one?
    pub fn is_known(&self) -> bool {
        self.last.is_some()
    }

    /// Begins a front at that place of B.
    pub fn begin(&mut self, b_in_a: &Frame) {
        *self = Self { last: Some(*b_in_a), next_rest: self.next_rest, step: self.step, ..self.emptied() };
    }

    /// Nothing but the room that it has.
    fn emptied(&mut self) -> Self {
        self.resting.clear();
        self.close.clear();
        Self {
            close: std::mem::take(&mut self.close),
            blocks: std::mem::take(&mut self.blocks),
            resting: std::mem::take(&mut self.resting),
            starts: std::mem::take(&mut self.starts),
            ..Self::default()
        }
    }

    /// Room for the pairs that a search starts from, which [`close`](Self::close) takes back.
    pub fn take_starts(&mut self) -> Vec<SubTreePair> {
        std::mem::take(&mut self.starts)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.count + self.resting.len() + self.close.len()
    }

    /// Brings the front to a new place of B, takes out all pairs that may be closer than `enough`, and says how far the others are apart at
    /// least. `rounding` is how far a point may be off in a frame. If nothing is left to be taken up, the search is from the roots.
    pub fn advance(
        &mut self,
        b_in_a: &Frame,
        b: &WideView<'_>,
        enough: f64,
        rounding: f64,
        expired: &mut Vec<SubTreePair>,
    ) -> f64 {
        let Some(last) = self.last.replace(*b_in_a) else { return f64::INFINITY };
        if last != *b_in_a {
            let motion = FrontMotion::new(&last, b_in_a, b);
            self.step = motion.farthest;
            self.travelled = (self.travelled + motion.farthest) * (1.0 + 2.0 * f64::EPSILON);
            self.advance_awake(&motion);
        }
        let reach = f64::from(b.radius) * b.unit + b_in_a.translation.length();
        if self.len() > 3 * self.first_count + 64 || !(self.travelled <= FARTHEST * reach) {
            self.begin(b_in_a);
            expired.push(SubTreePair::ROOTS);
            return f64::INFINITY;
        }
        self.changes = 0;
        expired.append(&mut self.close);
        let enough = enough + rounding;
        let mut least = f64::INFINITY;
        let may_rest = self.calls.is_multiple_of(CALLS_BETWEEN);
        for place in (0..self.count.div_ceil(LANES)).rev() {
            let bounds = &self.blocks[place].bound;
            let is_full = (place + 1) * LANES <= self.count;
            if is_full && !may_rest && bounds.iter().fold(true, |all, &bound| all & (bound >= enough)) {
                least = bounds.iter().fold(least, |least, &bound| least.min(bound));
                continue;
            }
            // The last one first: what takes the place of one that goes has been looked at.
            for lane in (0..LANES.min(self.count - place * LANES)).rev() {
                let (bound, pair) = (self.blocks[place].bound[lane], self.blocks[place].pairs[lane]);
                if !(bound >= enough) {
                    expired.push(pair);
                    self.remove(place * LANES + lane);
                } else if may_rest && self.rests_for(CALLS_AT_LONG_REST, pair, bound, enough) {
                    self.remove(place * LANES + lane);
                } else {
                    least = least.min(bound);
                }
            }
        }
        while let Some(first) = self.resting.first() {
            let bound = first.until - self.travelled;
            if bound >= enough {
                least = least.min(bound);
                break;
            }
            expired.push(first.pair);
            self.pop();
        }
        least - rounding
    }

    /// Moves the entries that are awake.
    fn advance_awake(&mut self, step: &FrontMotion) {
        let blocks = &mut self.blocks[..self.count.div_ceil(LANES)];
        multiversioned(
            #[inline(always)]
            || blocks.iter_mut().for_each(|block| block.advance(step)),
        );
    }

    /// Lets a pair rest that is so far apart, if that is enough for a while.
    #[inline]
    pub(super) fn puts_to_rest(&mut self, pair: SubTreePair, bound: f64, enough: f64) -> bool {
        self.rests_for(CALLS_AT_REST, pair, bound, enough)
    }

    /// Lets a pair rest whose bound is enough for so many calls like the last one.
    #[inline]
    fn rests_for(&mut self, calls: f64, pair: SubTreePair, bound: f64, enough: f64) -> bool {
        let rests = bound - enough > calls * self.step;
        if rests {
            // (The sum and the differences from it that are taken later round.)
            let until = (bound + self.travelled) * (1.0 - 4.0 * f64::EPSILON);
            self.resting.push(Resting { until, pair });
            let mut at = self.resting.len() - 1;
            while at > 0 && self.resting[(at - 1) / 2].until > until {
                self.resting.swap(at, (at - 1) / 2);
                at = (at - 1) / 2;
            }
        }
        rests
    }

    /// Takes out the entry that wakes first.
    fn pop(&mut self) {
        let last = self.resting.len().saturating_sub(1);
        self.resting.swap_remove(0);
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= last {
                break;
            }
            let is_right = right < last && self.resting[right].until < self.resting[left].until;
            let below = if is_right { right } else { left };
            if self.resting[at].until <= self.resting[below].until {
                break;
            }
            self.resting.swap(at, below);
            at = below;
        }
    }

    /// The last one takes the place.
    fn remove(&mut self, place: usize) {
        self.count -= 1;
        let from = self.blocks[self.count / LANES];
        self.blocks[place / LANES].copy(place % LANES, &from, self.count % LANES);
    }

    /// Counts an entry that is asked for a direction.
    pub(super) fn count_change(&mut self) {
        self.changes += 1;
    }

    /// Keeps two leaves whose triangles are so far apart without a direction: if they may rest, or are among the closest, unless these are to be
    /// asked again.
    pub(super) fn keeps_leaves(&mut self, pair: SubTreePair, bound: f64, enough: f64) -> bool {
        let is_close = pair.bound == SubTreePair::CLOSE;
        let calls = if is_close { CALLS_OF_CLOSE } else { CALLS_OF_LEAVES };
        let close = SubTreePair { bound: SubTreePair::CLOSE, ..pair };
        if self.rests_for(calls, close, bound, enough) {
            return true;
        }
        let keeps = is_close && !self.calls.is_multiple_of(CALLS_CLOSE);
        if keeps {
            self.close.push(pair);
        }
        keeps
    }

    /// Keeps two leaves that are among the closest.
    pub(super) fn keep_close(&mut self, pair: SubTreePair) {
        self.close.push(pair);
    }

    /// Keeps an entry; the tree is that of B.
    pub(super) fn keep(&mut self, entry: &FrontEntry, enough: f64, b: &WideView<'_>) {
        if entry.pair.bound == SubTreePair::CLOSE {
            return self.keep_close(entry.pair);
        }
        if self.rests_for(CALLS_AT_LONG_REST, entry.pair, entry.bound, enough) {
            return;
        }
        let (place, lane) = (self.count / LANES, self.count % LANES);
        if place == self.blocks.len() {
            self.blocks.push(FrontLanes::EMPTY);
        }
        let block = &mut self.blocks[place];
        let (center, half) = entry.pair.b.own_box(b);
        for k in 0..3 {
            block.normal[k][lane] = entry.normal[k];
            block.middle[k][lane] = center[k];
        }
        block.radius[lane] = half.length() * (1.0 + 1e-6);
        (block.bound[lane], block.pairs[lane]) = (entry.bound, entry.pair);
        self.count += 1;
    }

    /// The next calls go without a front, the more of them the more often that was so.
    fn go_without(&mut self) {
        let rest = (2 * self.next_rest).clamp(8, LONGEST_REST);
        *self = Self { rest, next_rest: rest, ..self.emptied() };
    }

    /// The search from `starts` is over after so many steps, and all pairs are covered again; or something meets.
    pub fn close(&mut self, steps: usize, is_over: bool, starts: Vec<SubTreePair>) {
        self.starts = starts;
        self.starts.clear();
        let is_first = self.first_steps == 0;
        let work = steps + self.changes / CHANGES_PER_STEP + self.count / ENTRIES_PER_STEP;
        if is_first {
            (self.first_steps, self.first_count) = (steps, self.len());
            (self.work, self.least_work) = (work, usize::MAX);
        } else {
            self.work += work;
            self.least_work = self.least_work.min(work);
            self.excess += work - self.least_work;
        }
        self.calls += 1;
        if is_over || self.len() > MOST_ENTRIES || self.first_steps < FEW_STEPS {
            return self.go_without();
        }
        if is_first {
            return;
        }
        // What an old front took more than it need have is what a new one takes.
        if self.excess > EXCESS * self.first_steps || work > self.first_steps {
            // Not all work is counted: it pays if it saves a quarter.
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
    use crate::math::Pose;
    use fastrand::Rng;
    use glam::{DQuat, DVec3};

    /// No point of an entry goes farther back along its normal than the bound does, for steps of any size; and bounds follow them closely.
    #[test]
    fn bounds_follow_every_point_of_an_entry() {
        let mut rng = Rng::with_seed(95);
        let mut close = 0;
        for round in 0..4000 {
            let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
            let size = [1.0, 1e-12, 1e20][round % 3];
            let step = [1.0, 1e-3, 1e-9][round / 3 % 3];
            let (unit, origin) = (size, vector(3.0 * size));
            let view = WideView { nodes: &[], items: &[], origin, unit, radius: 2.0 };
            let last = Pose::new(vector(5.0 * size), DQuat::from_scaled_axis(vector(3.0)));
            let turn = DQuat::from_scaled_axis(vector(step)) * last.rotation();
            let now = Pose::new(last.translation() + vector(step * size), turn);
            let [last, now] = [last, now].map(Frame::from);
            let mut block = FrontLanes::EMPTY;
            let (middle, radius) = (vector(1.0).as_vec3(), [0.0, 1e-3, 0.3][round / 9 % 3]);
            let normal = (vector(1.0).normalize() * (1.0 - 1e-6)).as_vec3();
            for k in 0..3 {
                (block.normal[k], block.middle[k]) = ([normal[k]; LANES], [middle[k]; LANES]);
            }
            block.radius = [radius; LANES];
            let change = f64::from(FrontMotion::new(&last, &now, &view).change(&block)[round % LANES]) * unit;
            // What the numbers of both frames are off by.
            let rounding = 1e-14 * size * 20.0;
            for _ in 0..20 {
                let on_ball = vector(1.0).normalize() * f64::from(radius);
                let point = origin + (middle.as_dvec3() + on_ball) * unit;
                let moved = normal.as_dvec3().dot(now.point(point) - last.point(point));
                assert!(change <= moved + rounding, "{change} {moved}");
                close += usize::from(change > moved - 3.0 * step * size * (f64::from(radius) + 1e-4) - rounding);
            }
        }
        assert!(close > 60_000, "{close}");
    }

    /// Entries wake in the order of how long their bounds last, whenever they were put to rest, and none is lost; and never later than
    /// B may have used up what they have more than is enough.
    #[test]
    fn entries_wake_before_their_bounds_are_used_up() {
        let mut rng = Rng::with_seed(96);
        for _ in 0..50 {
            let (mut front, mut all, mut woken) = (Front::default(), Vec::new(), 0);
            for _ in 0..200 {
                let step = 0.1 * rng.f64();
                front.travelled += step;
                for _ in 0..rng.usize(0..6) {
                    let bound = 1.0 + (8.0 * rng.f64()).round() / 4.0;
                    if front.puts_to_rest(SubTreePair { bound: all.len() as f32, ..SubTreePair::ROOTS }, bound, 1.0) {
                        all.push(bound + front.travelled);
                    }
                }
                while let Some(first) = front.resting.first().copied().filter(|one| one.until - front.travelled < 1.0) {
                    let until = all[first.pair.bound as usize];
                    assert!(until - front.travelled < 1.0 + 1e-12, "woken too early");
                    front.pop();
                    woken += 1;
                }
                let due = all.iter().filter(|&&until| until - front.travelled < 1.0 - 1e-12).count();
                assert!(woken >= due, "{due} are due, and {woken} woke");
                assert_eq!(front.resting.len() + woken, all.len());
            }
            assert!(woken > 50, "{woken}");
        }
    }
}
