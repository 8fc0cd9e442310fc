//! The front of a search, kept from call to call: pairs of subtrees that cover all pairs of triangles, each with a direction along which it
//! was apart.
//!
//! Let n be a vector no longer than one, and everything of a pair be apart by s along it. When B moves from R x + t to R' x + t', its part
//! within ρ of c goes at least n·((R' - R) c + (t' - t)) - ‖R' - R‖ ρ along n, so s changes by no less, and the parts stay at least s apart.
//! That is a few products for an entry, eight entries at a time. What all entries have in common, an approach or a slide along the
//! surfaces, changes what is enough as it changes them: in a coherent motion hardly any entry expires, and what has expired is taken up from
//! there, not from the roots.
//!
//! Most entries are so far from the closest pair that nothing needs to be known about them for many calls: no point of B, all of which are within
//! ρ of c, goes farther than ‖(R' - R) c + (t' - t)‖ + ‖R' - R‖ ρ, and neither does a bound. So they rest, in the order of their bounds and
//! where B was when that was made; only those are brought along whose bounds may have been used up since.
//!
//! Entries are facts about two meshes that are apart, whatever was asked: intersection tests and distances share one front. What meets has
//! none, since one pair of triangles tells that. Where a front does not pay, the next calls go without one.

use super::walk::SubTreePair;
use crate::math::{Frame, multiversioned};
use crate::tree::WideView;
use glam::{DMat3, Vec3};
use wide::f32x8;

/// A front with more entries is dropped: it takes much memory.
const MOST_ENTRIES: usize = 1 << 15;

/// A search of fewer steps needs no front.
const FEW_STEPS: usize = 24;

/// So many entries take as long as a step of a search.
const ENTRIES_PER_STEP: usize = 64;

/// The most calls that go without a front when one did not pay.
const LONGEST_REST: u8 = 64;

/// One entry in so many does not rest, and no fewer than so many.
const AWAKE: usize = 8;
const FEWEST_AWAKE: usize = 64;

/// After so many times as many steps of entries as there are, they are put to rest anew.
const STEPS_PER_REST: usize = 16;

/// How many entries are moved at a time.
const LANES: usize = 8;

/// What is kept; the default is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Front {
    blocks: Vec<FrontLanes>,
    count: usize,
    /// Where B was when the bounds held.
    last: Option<Frame>,
    /// Entries that rest, the closest last, and where B was when their bounds held.
    resting: Vec<FrontLanes>,
    since: Option<Frame>,
    /// How many entries have been moved since then.
    moved: usize,
    /// Room for what is computed with.
    starts: Vec<SubTreePair>,
    order: Vec<(f64, u32)>,
    sorted: Vec<FrontLanes>,
    /// How many steps the search took that made it from the roots, and how many entries it made.
    first_steps: usize,
    first_count: usize,
    /// How many entries expired or were kept since the last call.
    changes: usize,
    /// So many calls go without a front, and so many when one does not pay again.
    rest: u8,
    next_rest: u8,
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

    fn least(&self) -> f64 {
        self.bound.iter().fold(f64::INFINITY, |least, &bound| least.min(bound))
    }

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
        *self = Self { last: Some(*b_in_a), next_rest: self.next_rest, ..self.emptied() };
    }

    /// Nothing but the room that it has.
    fn emptied(&mut self) -> Self {
        self.resting.clear();
        Self {
            blocks: std::mem::take(&mut self.blocks),
            resting: std::mem::take(&mut self.resting),
            starts: std::mem::take(&mut self.starts),
            order: std::mem::take(&mut self.order),
            sorted: std::mem::take(&mut self.sorted),
            ..Self::default()
        }
    }

    /// Room for the pairs that a search starts from, which [`close`](Self::close) takes back.
    pub fn take_starts(&mut self) -> Vec<SubTreePair> {
        std::mem::take(&mut self.starts)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.count + LANES * self.resting.len()
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
        if self.len() > 3 * self.first_count + 64 {
            self.begin(b_in_a);
            expired.push(SubTreePair::ROOTS);
            return f64::INFINITY;
        }
        if last != *b_in_a {
            self.advance_awake(&FrontMotion::new(&last, b_in_a, b));
        }
        let resting = self.wake(b_in_a, b, enough + rounding);
        self.changes = 0;
        let enough = enough + rounding;
        let mut least = resting;
        for place in (0..self.count.div_ceil(LANES)).rev() {
            let bounds = &self.blocks[place].bound;
            let is_full = (place + 1) * LANES <= self.count;
            if is_full && bounds.iter().fold(true, |all, &bound| all & (bound >= enough)) {
                least = bounds.iter().fold(least, |least, &bound| least.min(bound));
                continue;
            }
            // The last one first: what takes the place of one that goes has been looked at.
            for lane in (0..LANES.min(self.count - place * LANES)).rev() {
                let block = &self.blocks[place];
                if block.bound[lane] >= enough {
                    least = least.min(block.bound[lane]);
                } else {
                    expired.push(block.pairs[lane]);
                    self.remove(place * LANES + lane);
                    self.changes += 1;
                }
            }
        }
        least - rounding
    }

    /// Moves the entries that do not rest.
    fn advance_awake(&mut self, step: &FrontMotion) {
        self.moved += self.count;
        let blocks = &mut self.blocks[..self.count.div_ceil(LANES)];
        multiversioned(
            #[inline(always)]
            || blocks.iter_mut().for_each(|block| block.advance(step)),
        );
    }

    /// Wakes entries whose bounds may have become less than is enough, and says how far the others are apart at least.
    fn wake(&mut self, b_in_a: &Frame, b: &WideView<'_>, enough: f64) -> f64 {
        let Some(since) = self.since.filter(|_| !self.resting.is_empty()) else { return f64::INFINITY };
        let step = FrontMotion::new(&since, b_in_a, b);
        while let Some(block) = self.resting.last() {
            let least = block.least() - step.farthest;
            if least >= enough {
                return least;
            }
            let mut block = *block;
            self.resting.pop();
            block.advance(&step);
            self.moved += LANES;
            (0..LANES).for_each(|lane| self.push(&block, lane));
        }
        f64::INFINITY
    }

    /// Puts all entries but the closest to rest where B is now.
    fn put_to_rest(&mut self, b: &WideView<'_>) {
        let Some(now) = self.last else { return };
        if let Some(since) = self.since.replace(now) {
            let step = FrontMotion::new(&since, &now, b);
            for mut block in std::mem::take(&mut self.resting) {
                block.advance(&step);
                (0..LANES).for_each(|lane| self.push(&block, lane));
            }
        }
        self.moved = 0;
        let (mut order, mut sorted) = (std::mem::take(&mut self.order), std::mem::take(&mut self.sorted));
        order.clear();
        sorted.clear();
        order.extend((0..self.count).map(|k| (self.blocks[k / LANES].bound[k % LANES], k as u32)));
        order.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        for few in order.chunks(LANES) {
            let mut block = FrontLanes::EMPTY;
            for (lane, &(_, k)) in few.iter().enumerate() {
                block.copy(lane, &self.blocks[k as usize / LANES], k as usize % LANES);
            }
            sorted.push(block);
        }
        let awake = (self.count / AWAKE).max(FEWEST_AWAKE).min(self.count);
        let resting = (self.count - awake) / LANES;
        self.resting.extend_from_slice(&sorted[..resting]);
        self.blocks.clear();
        self.blocks.extend_from_slice(&sorted[resting..]);
        self.count -= resting * LANES;
        (self.order, self.sorted) = (order, sorted);
    }

    /// The last one takes the place.
    fn remove(&mut self, place: usize) {
        self.count -= 1;
        let from = self.blocks[self.count / LANES];
        self.blocks[place / LANES].copy(place % LANES, &from, self.count % LANES);
    }

    /// Adds an entry of eight.
    fn push(&mut self, from: &FrontLanes, at: usize) {
        let (place, lane) = (self.count / LANES, self.count % LANES);
        if place == self.blocks.len() {
            self.blocks.push(FrontLanes::EMPTY);
        }
        self.blocks[place].copy(lane, from, at);
        self.count += 1;
    }

    /// Keeps an entry; the tree is that of B.
    pub(super) fn keep(&mut self, entry: &FrontEntry, b: &WideView<'_>) {
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
        self.changes += 1;
    }

    /// The search from `starts` is over after so many steps, and all pairs are covered again; or something meets.
    pub fn close(&mut self, steps: usize, is_over: bool, b: &WideView<'_>, starts: Vec<SubTreePair>) {
        self.starts = starts;
        self.starts.clear();
        let is_first = self.first_steps == 0;
        if is_first {
            (self.first_steps, self.first_count) = (steps, self.count);
        }
        let work = if is_first { 0 } else { steps + self.changes } + self.count / ENTRIES_PER_STEP;
        if is_over || self.len() > MOST_ENTRIES || self.first_steps < FEW_STEPS || work > self.first_steps {
            let rest = (2 * self.next_rest).clamp(8, LONGEST_REST);
            *self = Self { rest, next_rest: rest, ..self.emptied() };
            return;
        }
        if !is_first {
            self.next_rest = 0;
        }
        if is_first || self.moved > STEPS_PER_REST * self.len() {
            self.put_to_rest(b);
        }
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
}
