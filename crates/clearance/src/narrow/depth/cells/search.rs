//! The search: cells that are proved are done with, others are split.

use super::layers::{Layers, Least};
use super::strip::{Rectangle, Strip};
use super::sum::{At, Sample, Sum, amplitude};
use crate::trace::{CellNode, Trace};
use arrayvec::ArrayVec;
use glam::DVec3;

/// The whole sphere, and a little more of the longitudes. Layout: the numbers of the format of evidence, in `clearance-verify`.
#[allow(clippy::approx_constant)] // The numbers that the format of evidence has.
const LONGITUDES: [f64; 2] = [-3.1416, 3.1416];
pub(super) const LATITUDES: [f64; 2] = [-std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_2];

/// The first cuts. Layout: not at zero, where the kinks of upright shapes are.
const FIRST_LONGITUDES: [f64; 3] = [0.0, -1.571, 1.571];
const FIRST_LATITUDES: [f64; 4] = [-0.43, -1.02, 0.39, 1.0];

/// A cell that waits, and what is known about it.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    cell: Rectangle,
    bound: f64,
    /// How many splits in a row have gained little, and whether they were along the longitude.
    idle: u8,
    by_longitude: bool,
}

/// Result of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeastSeen {
    /// The least value that was met.
    pub value: f64,
    /// Where.
    pub direction: DVec3,
}

pub(super) struct CellSearch<'a, R> {
    pub sum: &'a Sum,
    pub best: LeastSeen,
    /// A cell is done with when it is proved to this below the best.
    pub goal: f64,
    /// Functions evaluated.
    pub work: u32,
    /// The cells that are left.
    waiting: ArrayVec<Waiting, 128>,
    pub trace: &'a mut R,
}

/// Result of the test of a cell that stays open.
struct CellLook<'a> {
    strip: Strip<'a>,
    layers: Layers,
    least: Least,
    /// f where the bound is least.
    found: f64,
    /// The longitude, from the middle, where the kinks of both shapes cross.
    corner: Option<f64>,
    /// The bound of the middle meridian by itself, and the b where that is least.
    on_middle: (f64, f64),
}

/// Where a cell that is not done with is split, and what is known about it.
struct Split {
    longitude: bool,
    at: f64,
    bound: f64,
}

impl<'a, R: Trace> CellSearch<'a, R> {
    pub fn new(sum: &'a Sum, near: DVec3, goal: f64, trace: &'a mut R) -> Self {
        let all = Rectangle { longitude: LONGITUDES, latitude: LATITUDES };
        let mut waiting = ArrayVec::new();
        waiting.push(Waiting { cell: all, bound: f64::NEG_INFINITY, idle: 0, by_longitude: false });
        let best = LeastSeen { value: f64::INFINITY, direction: near };
        Self { sum, best, goal, work: 0, waiting, trace }
    }

    /// A lower bound of f on the whole sphere, by no more than about that much work, with what was done before. Does it come within the
    /// goal of the best?
    pub fn run(&mut self, most: u32) -> (f64, bool) {
        while let Some(next) = self.waiting.pop() {
            let Some(Split { longitude, at, bound }) = first_cut(&next.cell).or_else(|| self.look(&next)) else {
                continue;
            };
            let bound = bound.max(next.bound);
            let [low, high] = if longitude { next.cell.longitude } else { next.cell.latitude };
            let can_split = low < at && at < high && self.waiting.remaining_capacity() >= 2;
            if self.work >= most || !can_split {
                self.waiting.push(Waiting { bound, ..next });
                let least = self.waiting.iter().fold(f64::INFINITY, |least, cell| least.min(cell.bound));
                return (least.min(self.target()), false);
            }
            let gained = bound - next.bound > 0.25 * (self.best.value - next.bound);
            let idle = if gained || longitude != next.by_longitude { 0 } else { next.idle.saturating_add(1) };
            self.trace.cell(if longitude { CellNode::Longitude(at) } else { CellNode::Latitude(at) });
            let mut halves = [next.cell; 2];
            for (k, half) in halves.iter_mut().enumerate() {
                let range = if longitude { &mut half.longitude } else { &mut half.latitude };
                range[1 - k] = at;
            }
            for cell in [halves[1], halves[0]] {
                self.waiting.push(Waiting { cell, bound, idle, by_longitude: longitude });
            }
        }
        (self.target(), true)
    }

    pub(super) fn target(&self) -> f64 {
        self.best.value - self.goal
    }

    pub(super) fn probe(&mut self, at: &At) -> Sample {
        self.work += 1;
        let probe = self.sum.probe(at);
        if probe.value < self.best.value {
            self.best = LeastSeen { value: probe.value, direction: at.n };
        }
        probe
    }

    /// Proves a cell and takes that down, or tells where to split it.
    fn look(&mut self, waiting: &Waiting) -> Option<Split> {
        let cell = &waiting.cell;
        let middle = 0.5 * (cell.longitude[0] + cell.longitude[1]);
        let (sin, cos) = libm::sincos(middle);
        let longitude = [sin, cos];
        let level = 0.5 * (cell.latitude[0] + cell.latitude[1]);
        let at = At::turned(longitude, level);
        let probe = self.probe(&at);
        let [a, b] = &self.sum.sides;
        let support = a.gradient(probe.pieces[0], &at) + b.gradient(probe.pieces[1], &at);
        // A gradient and its least product with a cell round by less than 16 ε of the size.
        let plane = least_of_plane(support, cell) - 16.0 * f64::EPSILON * self.sum.size;
        if plane >= self.target() {
            self.trace.cell(CellNode::Plane(probe.pieces));
            return None;
        }
        let (alpha, probe) = self.valley(cell, longitude, (level, probe));
        let strip = Strip::new(self.sum, cell, alpha, longitude);
        self.work += 2;
        let layers = Layers::new(self.sum, &strip, &probe, self.goal);
        let least = layers.least(&strip, self.goal);
        let found = self.probe_least(&layers, [middle, alpha], &least);
        if least.bound >= self.target() {
            self.trace.cell(CellNode::Strip { at: alpha, mixes: layers.mixes, lines: layers.lines });
            return None;
        }
        let corner = layers.corner(&strip).and_then(|place| self.meet(&strip, &layers, middle, place));
        let bound = least.bound.max(plane);
        let on_middle = self.on_middle(&strip.at, alpha, cell.latitude, &probe);
        let look = CellLook { strip, layers, least, found, corner, on_middle };
        if self.is_too_long(waiting, &look) {
            // Beyond where the kinks cross, other pieces are between them.
            let crossing = look.corner.or(look.layers.crossing).filter(|tau| tau.abs() < 0.999 * look.strip.half);
            return Some(Split { longitude: true, at: middle + crossing.unwrap_or(0.0), bound });
        }
        Some(Split { longitude: false, at: self.latitude_to_split(cell, &look, &probe), bound })
    }

    /// The bound of a piece of a meridian, with what is known at the latitude `alpha` on it, and the b where that is least.
    fn on_middle(&mut self, at: &At, alpha: f64, latitude: [f64; 2], probe: &Sample) -> (f64, f64) {
        self.work += 2;
        let strip = Strip::new(self.sum, &Rectangle { longitude: [0.0; 2], latitude }, alpha, at.longitude);
        Layers::new(self.sum, &strip, probe, self.goal).least_on_middle(&strip)
    }

    /// Where to split a cell in latitude: not through the valley, if that is inside.
    fn latitude_to_split(&mut self, cell: &Rectangle, look: &CellLook<'_>, probe: &Sample) -> f64 {
        let [low, high] = cell.latitude;
        let alpha = look.strip.alpha();
        let narrow = self.sum.narrowness(&look.strip.at);
        let fails = look.on_middle.0 < self.target();
        let b = if fails { look.on_middle.1 } else { look.least.place.y };
        let end = if b >= 0.0 { high } else { low };
        let way = (end - alpha).abs();
        if narrow >= 0.02 * way {
            let is_at_an_end = (alpha - low).min(high - alpha) <= 1e-3 * (high - low);
            return if is_at_an_end { 0.5 * (low + high) } else { alpha + 0.5 * (end - alpha) };
        }
        // A length that all but vanishes bends within a narrow range: as much of the way as its middle can be proved for, or
        // half of the way by its logarithm.
        let mut is_proved = |step: f64| {
            let there = alpha + step.copysign(end - alpha);
            let part = [alpha.min(there), alpha.max(there)];
            self.on_middle(&look.strip.at, alpha, part, probe).0 >= self.target()
        };
        let (mut less, mut more) = (0.5 * narrow, way);
        if fails && is_proved(less) {
            for _ in 0..5 {
                let between = (less * more).sqrt();
                if is_proved(between) {
                    less = between;
                } else {
                    more = between;
                }
            }
            return alpha + less.copysign(end - alpha);
        }
        alpha + (narrow * way).sqrt().max(4.0 * narrow).copysign(end - alpha)
    }

    /// Is it the length of the circle that a bound suffers from, rather than the height of the cell?
    fn is_too_long(&mut self, waiting: &Waiting, look: &CellLook<'_>) -> bool {
        let CellLook { strip, layers, least, found, corner, on_middle } = look;
        let alpha = strip.alpha();
        let half = strip.half * strip.at.latitude[1].max(0.05);
        let height = waiting.cell.latitude[1] - waiting.cell.latitude[0];
        // A bound that fails on the middle meridian alone fails on every shorter circle.
        if on_middle.0 < self.target() {
            return false;
        }
        // A length that all but vanishes bends within a narrow range, which is what heights are measured by.
        if half * self.sum.narrowness(&strip.at) > 500.0 * height || height > 1000.0 * half {
            return half > height;
        }
        if waiting.idle >= 3 {
            return !waiting.by_longitude;
        }
        // At the bottom of a valley the pieces of two sides are mixed, and only a shorter circle helps.
        let crosses = corner.is_some_and(|tau| tau.abs() < 0.999 * strip.half);
        if strip.is_unsteady() || crosses || layers.is_valley(least.layer) {
            return true;
        }
        // Where is the bound off, across the circle or along?
        let beside = alpha + libm::asin(least.place.y.clamp(-1.0, 1.0));
        let on_middle = self.probe(&At::turned(strip.at.longitude, beside)).value;
        let across = on_middle - strip.below(&layers.mixes[least.layer]).on_middle(least.place.y);
        2.0 * across < found - least.bound
    }
}

/// Where the first cells are cut: twenty of them, which need no look before.
fn first_cut(cell: &Rectangle) -> Option<Split> {
    let inside = |[low, high]: [f64; 2], x: f64| low < x && x < high;
    let is_first =
        |range: [f64; 2], cuts: &[f64], ends: [f64; 2]| range.iter().all(|x| ends.contains(x) || cuts.contains(x));
    if !is_first(cell.longitude, &FIRST_LONGITUDES, LONGITUDES) || !is_first(cell.latitude, &FIRST_LATITUDES, LATITUDES)
    {
        return None;
    }
    let cut = |cuts: &[f64], range: [f64; 2]| cuts.iter().copied().find(|&x| inside(range, x));
    let longitude = cut(&FIRST_LONGITUDES, cell.longitude);
    let at = longitude.or_else(|| cut(&FIRST_LATITUDES, cell.latitude))?;
    Some(Split { longitude: longitude.is_some(), at, bound: f64::NEG_INFINITY })
}

/// The least of s·n on a cell: first over the longitudes, then, as cos α is not negative, over the latitudes.
fn least_of_plane(s: DVec3, cell: &Rectangle) -> f64 {
    let around = least_of_wave([s.x, s.y], cell.longitude);
    least_of_wave([around, s.z], cell.latitude)
}

/// The least of a cos x + b sin x on an interval.
fn least_of_wave([a, b]: [f64; 2], [low, high]: [f64; 2]) -> f64 {
    let ((sin0, cos0), (sin1, cos1)) = (libm::sincos(low), libm::sincos(high));
    let least = (a * cos0 + b * sin0).min(a * cos1 + b * sin1);
    let (slope0, slope1) = (b * cos0 - a * sin0, b * cos1 - a * sin1);
    // Shorter than half a wave, it has its trough inside only if it falls first and rises last.
    let has_trough = high - low >= std::f64::consts::PI || slope0 < 0.0 && slope1 > 0.0;
    if has_trough { -amplitude(a, b) } else { least }
}
