//! The search: cells that are proved are done with, others are split.

use super::quadratic::{self, Polygon, cut, rectangle};
use super::strip::{Below, Cell, Mix, Strip};
use super::sum::{At, Probe, Sum};
use arrayvec::ArrayVec;
use glam::{DVec2, DVec3};

/// Why no direction of a cell is better than the best: what evidence is made of.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// The cell is split at that longitude: first comes all about the lower part, then all about the upper.
    Longitude(f64),
    /// The same at a latitude.
    Latitude(f64),
    /// The planes of two pieces, through their farthest points along the middle of the cell.
    Plane([usize; 2]),
    /// A circle of latitude, and what is taken of either shape between lines b = m τ + c.
    Strip {
        /// The latitude of the circle.
        at: f64,
        /// Means of pieces, from below to above.
        mixes: Mixes,
        /// The lines between them: m, c.
        lines: Lines,
    },
}

pub(crate) type Mixes = ArrayVec<Mix, 5>;
pub(crate) type Lines = ArrayVec<[f64; 2], 4>;

/// Takes down the nodes, if somebody wants them.
pub(crate) trait Record {
    fn node(&mut self, node: Node);
}

impl Record for () {
    fn node(&mut self, _: Node) {}
}

impl Record for Vec<Node> {
    fn node(&mut self, node: Node) {
        self.push(node);
    }
}

/// The whole sphere, and a hair more of the longitudes.
const LONGITUDES: [f64; 2] = [-3.1416, 3.1416];
const LATITUDES: [f64; 2] = [-std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_2];

/// The first cuts: not at zero, where the kinks of upright shapes are.
const FIRST_LONGITUDES: [f64; 3] = [0.0, -1.571, 1.571];
const FIRST_LATITUDES: [f64; 4] = [-0.43, -1.02, 0.39, 1.0];

/// A cell that waits, and what is known about it.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    cell: Cell,
    bound: f64,
    /// How many splits in a row have gained little, and whether they were along the longitude.
    idle: u8,
    by_longitude: bool,
}

/// What the search has found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    /// The least value that was met.
    pub value: f64,
    /// Where.
    pub direction: DVec3,
}

pub(super) struct Search<'a, R> {
    pub sum: &'a Sum,
    pub best: Best,
    /// A cell is done with when it is proved to this below the best.
    pub goal: f64,
    /// Functions evaluated.
    pub work: u32,
    pub record: &'a mut R,
}

/// What one look at a cell tells.
enum Look {
    Done(Node),
    Split { longitude: bool, at: f64, bound: f64 },
}

impl<R: Record> Search<'_, R> {
    /// A lower bound of f on the whole sphere, by no more than about that much work. Does it come within the goal of the best?
    pub fn run(&mut self, most: u32) -> (f64, bool) {
        let mut waiting = ArrayVec::<Waiting, 128>::new();
        let all = Cell { longitude: LONGITUDES, latitude: LATITUDES };
        let first = Waiting { cell: all, bound: f64::NEG_INFINITY, idle: 0, by_longitude: false };
        waiting.push(first);
        while let Some(next) = waiting.pop() {
            let look = match first_cut(&next.cell) {
                Some((longitude, at)) => Look::Split { longitude, at, bound: f64::NEG_INFINITY },
                None => self.look(&next),
            };
            match look {
                Look::Done(node) => self.record.node(node),
                Look::Split { longitude, at, bound } => {
                    let bound = bound.max(next.bound);
                    if self.work >= most || waiting.remaining_capacity() < 2 {
                        let least = waiting.iter().fold(bound, |least, cell| least.min(cell.bound));
                        return (least.min(self.target()), false);
                    }
                    let gained = bound - next.bound > 0.25 * (self.best.value - next.bound);
                    let idle = if gained || longitude != next.by_longitude { 0 } else { next.idle + 1 };
                    self.record.node(if longitude { Node::Longitude(at) } else { Node::Latitude(at) });
                    let mut halves = [next.cell; 2];
                    for (k, half) in halves.iter_mut().enumerate() {
                        let range = if longitude { &mut half.longitude } else { &mut half.latitude };
                        range[1 - k] = at;
                    }
                    for cell in [halves[1], halves[0]] {
                        waiting.push(Waiting { cell, bound, idle, by_longitude: longitude });
                    }
                }
            }
        }
        (self.target(), true)
    }

    /// Walks downhill from a direction: by the least points of quadratic functions on cells of adapted size.
    pub fn descend(&mut self, from: DVec3) {
        let mut place = [from.y.atan2(from.x), from.z.clamp(-1.0, 1.0).asin()];
        let mut value = self.probe(&At::new(place[0], place[1])).value;
        let mut reach = 0.2;
        for _ in 0..60 {
            let [theta, alpha] = place;
            let half = (reach / alpha.cos().max(1e-3)).min(1.0);
            let [low, high] = LATITUDES;
            let latitude = [(alpha - reach).max(low), (alpha + reach).min(high)];
            let cell = Cell { longitude: [theta - half, theta + half], latitude };
            let (sin, cos) = theta.sin_cos();
            let probe = self.sum.probe(&At::turned([sin, cos], alpha));
            let strip = Strip::new(self.sum, &cell, alpha, [sin, cos]);
            let layers = self.layers(&strip, &probe);
            let (bound, step, layer) = layers.least(&strip, self.goal);
            self.work += 3;
            if value - bound < 0.1 * self.goal {
                break;
            }
            let next = self.least_place(&layers, place, step, layer);
            let found = self.probe(&At::new(next[0], next[1])).value;
            if found < value {
                // Trust the model as far as it has kept its word.
                let kept = (value - found) / (value - bound);
                reach = (reach
                    * if kept > 0.5 {
                        2.0
                    } else if kept > 0.1 {
                        1.0
                    } else {
                        0.4
                    })
                .min(0.5);
                (place, value) = (next, found);
            } else {
                reach *= 0.2;
                if reach < 1e-10 {
                    break;
                }
            }
        }
    }

    fn target(&self) -> f64 {
        self.best.value - self.goal
    }

    fn probe(&mut self, at: &At) -> Probe {
        self.work += 1;
        let probe = self.sum.probe(at);
        if probe.value < self.best.value {
            self.best = Best { value: probe.value, direction: at.n };
        }
        probe
    }

    fn look(&mut self, waiting: &Waiting) -> Look {
        let Waiting { cell, .. } = waiting;
        let middle = 0.5 * (cell.longitude[0] + cell.longitude[1]);
        let (sin, cos) = middle.sin_cos();
        let longitude = [sin, cos];
        let level = 0.5 * (cell.latitude[0] + cell.latitude[1]);
        let at = At::turned(longitude, level);
        let probe = self.probe(&at);
        let [a, b] = &self.sum.sides;
        let support = a.gradient(probe.pieces[0], &at) + b.gradient(probe.pieces[1], &at);
        let plane = least_of_plane(support, cell) - 16.0 * f64::EPSILON * self.sum.size;
        if plane >= self.target() {
            return Look::Done(Node::Plane(probe.pieces));
        }
        let (alpha, probe) = self.valley(cell, longitude, (level, probe));
        let strip = Strip::new(self.sum, cell, alpha, longitude);
        self.work += 2;
        let layers = self.layers(&strip, &probe);
        let (bound, place, layer) = layers.least(&strip, self.goal);
        let [theta, level_of_least] = self.least_place(&layers, [middle, alpha], place, layer);
        let found = self.probe(&At::new(theta, level_of_least));
        if bound >= self.target() {
            return Look::Done(Node::Strip { at: alpha, mixes: layers.mixes, lines: layers.lines });
        }
        let corner = layers.corner(&strip).and_then(|place| self.meet(&strip, &layers, middle, place));
        let half = strip.half * alpha.cos().max(0.05);
        let height = cell.latitude[1] - cell.latitude[0];
        // Beyond where the kinks cross, other pieces are between them.
        let crossing = corner.or(layers.crossing);
        let crossing = crossing.filter(|tau| tau.abs() < 0.999 * strip.half);
        let crosses = corner.is_some_and(|tau| tau.abs() < 0.999 * strip.half);
        let mut longitude = strip.is_too_long() || crosses || {
            if layers.valley.is_some_and(|(bottom, _)| bottom == layer) {
                // At the bottom of a valley the pieces of two sides are mixed, and only a shorter circle helps.
                true
            } else {
                // Where is the bound off, across the circle or along?
                let beside = alpha + place.y.clamp(-1.0, 1.0).asin();
                let on_middle = self.probe(&At::turned(longitude, beside)).value;
                let across = on_middle - strip.below(&layers.mixes[layer]).on_middle(place.y);
                2.0 * across < found.value - bound
            }
        };
        let bound = bound.max(plane);
        if waiting.idle >= 3 {
            longitude = !waiting.by_longitude;
        }
        if half > 500.0 * height {
            longitude = true;
        } else if height > 1000.0 * half {
            longitude = false;
        }
        if longitude {
            return Look::Split { longitude, at: middle + crossing.unwrap_or(0.0), bound };
        }
        // Not through the valley, if that is inside.
        let [low, high] = cell.latitude;
        let inner = |x: f64| (x - low).min(high - x) > 1e-3 * height;
        let at = if inner(alpha) {
            let end = if place.y >= 0.0 { high } else { low };
            // A length that all but vanishes bends within a narrow range: halve the way there by its logarithm.
            let narrow = strip.narrowness();
            let way = (end - alpha).abs();
            let step = if narrow < 0.02 * way { (narrow * way).sqrt().max(4.0 * narrow) } else { 0.5 * way };
            alpha + step.copysign(end - alpha)
        } else {
            level
        };
        Look::Split { longitude, at, bound }
    }

    /// The latitude where f is least on the middle meridian of a cell, about.
    fn valley(&mut self, cell: &Cell, longitude: [f64; 2], middle: (f64, Probe)) -> (f64, Probe) {
        let [low, high] = cell.latitude.map(|alpha| (alpha, self.probe(&At::turned(longitude, alpha))));
        let lowest = [low, middle, high].into_iter().reduce(|p, q| if q.1.value < p.1.value { q } else { p });
        let lowest = lowest.unwrap_or(middle);
        let falls_and_rises = |l: &(f64, Probe), r: &(f64, Probe)| l.1.slope < 0.0 && r.1.slope > 0.0;
        let (mut l, mut r) = if falls_and_rises(&low, &middle) && low.1.value <= high.1.value {
            (low, middle)
        } else if falls_and_rises(&middle, &high) {
            (middle, high)
        } else if falls_and_rises(&low, &middle) {
            (low, middle)
        } else {
            return lowest;
        };
        for round in 0..16 {
            let width = r.0 - l.0;
            let same = l.1.pieces == r.1.pieces;
            let bend = r.1.slope - l.1.slope;
            // A length that all but vanishes bends as sharply as a kink.
            let is_sharp = bend > 8.0 * self.sum.size * width;
            if same && !is_sharp && round >= 2 || !same && round >= 8 || width < 1e-13 {
                break;
            }
            let share = if same && is_sharp && round % 4 != 3 {
                // Where the tangents meet.
                (l.1.value - r.1.value + r.1.slope * width) / (bend * width)
            } else if same {
                -l.1.slope / bend
            } else {
                // Where the pieces change places, if the change is as straight as it looks.
                let ahead = self.pieces(r.1.pieces, longitude, l.0) - l.1.value;
                let behind = r.1.value - self.pieces(l.1.pieces, longitude, r.0);
                // Where the kink is need not be known well: layers find it once more.
                if !(behind - ahead > 0.0) || -ahead < 1e-7 * self.sum.size || behind < 1e-7 * self.sum.size {
                    break;
                }
                -ahead / (behind - ahead)
            };
            let share = if same { share.clamp(1e-3, 0.999) } else { share };
            let x = l.0 + share * width;
            let found = (x, self.probe(&At::turned(longitude, x)));
            let is_left = match found.1.pieces {
                pieces if !same && pieces == l.1.pieces => true,
                pieces if !same && pieces == r.1.pieces => false,
                _ => found.1.slope < 0.0,
            };
            if is_left {
                l = found;
            } else {
                r = found;
            }
        }
        [l, r].into_iter().fold(lowest, |p, q| if q.1.value < p.1.value { q } else { p })
    }

    fn pieces(&mut self, [i, j]: [usize; 2], longitude: [f64; 2], alpha: f64) -> f64 {
        self.work += 1;
        let at = At::turned(longitude, alpha);
        self.sum.sides[0].piece(i, &at) + self.sum.sides[1].piece(j, &at)
    }

    /// Longitude and latitude of where a bound is least; in a valley, of its bottom.
    fn least_place(&mut self, layers: &Layers, [theta, alpha]: [f64; 2], place: DVec2, layer: usize) -> [f64; 2] {
        let theta = theta + place.x;
        let mut alpha = alpha + place.y.clamp(-1.0, 1.0).asin();
        if let Some((bottom, kink)) = layers.valley
            && bottom == layer
        {
            alpha += kink.level + kink.slope * place.x - place.y;
            let [i, j] = kink.pieces;
            for _ in 0..2 {
                let [value, _, slope] = self.sum.sides[kink.side].difference(i, j, &At::new(theta, alpha));
                let step = value / slope;
                if step.abs() < 0.1 {
                    alpha -= step;
                }
            }
            self.work += 2;
        }
        [theta, alpha]
    }

    /// The longitude, from the middle, where the kinks of both shapes cross, by Newton's method. That may be the least point, and is
    /// none of a smooth function.
    fn meet(&mut self, strip: &Strip<'_>, layers: &Layers, middle: f64, place: DVec2) -> Option<f64> {
        let [sa, ca] = strip.at.latitude;
        let (mut theta, mut alpha) = (middle + place.x, sa.atan2(ca) + place.y);
        for _ in 0..6 {
            let at = At::new(theta, alpha);
            self.probe(&at);
            let [p, q] = [0, 1].map(|k| {
                let [i, j] = layers.kinks[k].pieces;
                self.sum.sides[layers.kinks[k].side].difference(i, j, &at)
            });
            let determinant = p[1] * q[2] - p[2] * q[1];
            let step = DVec2::new(p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]) / determinant;
            // Written so that a NaN ends it.
            if !(step.x.abs() <= 2.0 * strip.half && step.y.abs() < 0.2) {
                return None;
            }
            (theta, alpha) = (theta + step.x, alpha + step.y);
            if step.x.abs() < 1e-9 {
                break;
            }
        }
        Some(theta - middle)
    }

    /// Which pieces are largest where in a strip, to first order.
    fn layers(&self, strip: &Strip<'_>, probe: &Probe) -> Layers {
        let mut kinks = ArrayVec::<Kink, 2>::new();
        let mut crossing = None;
        let mut below = probe.pieces;
        for side in 0..2 {
            let best = probe.pieces[side];
            let Some(rival) = self.sum.sides[side].rival(best, &strip.at) else { continue };
            let (p, q) = (strip.first_order(side, best), strip.first_order(side, rival));
            let [value, along, across] = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
            let (slope, level) = (-along / across, -value / across);
            let reach = (slope * strip.half).abs();
            if across.abs() > 1e-9 * self.sum.size
                && level - reach < strip.across[1]
                && level + reach > strip.across[0]
                && slope.abs() * strip.half < 4.0
            {
                let [down, up] = if across > 0.0 { [best, rival] } else { [rival, best] };
                below[side] = down;
                kinks.push(Kink { side, up, pieces: [best, rival], slope, level });
            } else if along.abs() > 1e-9 * self.sum.size {
                crossing = crossing.or(Some(-value / along));
            }
        }
        if kinks.len() == 2 && kinks[0].level > kinks[1].level {
            kinks.swap(0, 1);
        }
        let mut layers =
            Layers { mixes: Mixes::new(), lines: Lines::new(), kinks: kinks.clone(), valley: None, crossing };
        layers.mixes.push(Mix::pure(below));
        let across = |[i, j]: [usize; 2]| strip.first_order(0, i)[2] + strip.first_order(1, j)[2];
        // As wide as costs next to nothing: in between, the mean of two pieces is concave.
        let band = (0.2 * self.goal / probe.value.max(self.goal)).sqrt();
        for kink in &kinks {
            let mut above = below;
            above[kink.side] = kink.up;
            let (before, after) = (across(below), across(above));
            if before < 0.0 && after > 0.0 {
                let mix = Mix::between(below, above, -before / (after - before));
                layers.lines.push([kink.slope, kink.level - band]);
                layers.valley = Some((layers.mixes.len(), *kink));
                layers.mixes.push(mix);
                layers.lines.push([kink.slope, kink.level + band]);
            } else {
                layers.lines.push([kink.slope, kink.level]);
            }
            layers.mixes.push(Mix::pure(above));
            below = above;
        }
        layers
    }
}

/// Where the largest piece of a shape changes across a strip.
#[derive(Clone, Copy)]
struct Kink {
    side: usize,
    /// The pieces that change places.
    pieces: [usize; 2],
    /// The piece above.
    up: usize,
    slope: f64,
    level: f64,
}

struct Layers {
    mixes: Mixes,
    lines: Lines,
    kinks: ArrayVec<Kink, 2>,
    /// The layer that has the bottom of a valley, and the kink there.
    valley: Option<(usize, Kink)>,
    /// A longitude, from the middle, where pieces change.
    crossing: Option<f64>,
}

impl Layers {
    /// Where the kinks of both shapes cross, if they do so in or next to the strip.
    fn corner(&self, strip: &Strip<'_>) -> Option<DVec2> {
        let [p, q] = self.kinks[..] else { return None };
        let tau = (q.level - p.level) / (p.slope - q.slope);
        (tau.abs() <= 1.2 * strip.half).then(|| DVec2::new(tau, p.level + p.slope * tau))
    }

    /// The least of the bounds of all layers, where, and in which.
    fn least(&self, strip: &Strip<'_>, goal: f64) -> (f64, DVec2, usize) {
        let mut least = (f64::INFINITY, DVec2::ZERO, 0);
        let whole = rectangle(strip.half, strip.across);
        for (i, mix) in self.mixes.iter().enumerate() {
            let mut polygon = whole.clone();
            if i > 0 {
                let [slope, level] = self.lines[i - 1];
                polygon = cut(&polygon, DVec2::new(-slope, 1.0), level);
            }
            if let Some([slope, level]) = self.lines.get(i) {
                polygon = cut(&polygon, DVec2::new(*slope, -1.0), -level);
            }
            if polygon.is_empty() {
                continue;
            }
            let Below { mut model, fold, .. } = strip.below(mix);
            let widest = strip.across[0].abs().max(strip.across[1].abs());
            let mut consider = |model: &quadratic::Quadratic, polygon: &Polygon| {
                let (value, place) = model.least(polygon);
                if value < least.0 {
                    least = (value, place, i);
                }
            };
            if fold * widest < 0.01 * goal {
                model.value -= fold * widest;
                consider(&model, &polygon);
            } else {
                for sign in [1.0, -1.0] {
                    let half = cut(&polygon, DVec2::new(0.0, sign), 0.0);
                    let mut leaning = model;
                    leaning.slope.y -= sign * fold;
                    consider(&leaning, &half);
                }
            }
        }
        least
    }
}

/// Where the first cells are cut: twenty of them, which need no look before.
fn first_cut(cell: &Cell) -> Option<(bool, f64)> {
    let inside = |[low, high]: [f64; 2], x: f64| low < x && x < high;
    let is_first =
        |range: [f64; 2], cuts: &[f64], ends: [f64; 2]| range.iter().all(|x| ends.contains(x) || cuts.contains(x));
    if !is_first(cell.longitude, &FIRST_LONGITUDES, LONGITUDES) || !is_first(cell.latitude, &FIRST_LATITUDES, LATITUDES)
    {
        return None;
    }
    let cut = |cuts: &[f64], range: [f64; 2]| cuts.iter().copied().find(|&x| inside(range, x));
    cut(&FIRST_LONGITUDES, cell.longitude)
        .map(|at| (true, at))
        .or_else(|| cut(&FIRST_LATITUDES, cell.latitude).map(|at| (false, at)))
}

/// The least of s·n on a cell: first over the longitudes, then, as cos α is not negative, over the latitudes.
fn least_of_plane(s: DVec3, cell: &Cell) -> f64 {
    let around = least_of_wave([s.x, s.y], cell.longitude);
    least_of_wave([around, s.z], cell.latitude)
}

/// The least of a cos x + b sin x on an interval.
fn least_of_wave([a, b]: [f64; 2], [low, high]: [f64; 2]) -> f64 {
    let ((sin0, cos0), (sin1, cos1)) = (low.sin_cos(), high.sin_cos());
    let least = (a * cos0 + b * sin0).min(a * cos1 + b * sin1);
    let (slope0, slope1) = (b * cos0 - a * sin0, b * cos1 - a * sin1);
    // Shorter than half a wave, it has its trough inside only if it falls first and rises last.
    let has_trough = high - low >= std::f64::consts::PI || slope0 < 0.0 && slope1 > 0.0;
    if has_trough { -a.hypot(b) } else { least }
}
