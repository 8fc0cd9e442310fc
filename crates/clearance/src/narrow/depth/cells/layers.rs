//! Layers of a strip: which pieces of the shapes are largest where.
//!
//! Across a circle of latitude the largest piece of a shape may change, at a *kink*: a line b = m τ + c, to first order. On either
//! side its own piece is the better bound. Where f falls towards a kink from both sides there is a valley. Next to its bottom the mean of
//! both pieces that has no slope is better than either: a narrow layer of its own.

use super::quadratic::{Polygon, Quadratic, cut, rectangle};
use super::strip::{Below, Strip};
use super::sum::{Sample, Sum};
use crate::trace::{Lines, Mixes, PieceMean};
use arrayvec::ArrayVec;
use glam::DVec2;

/// Where the largest piece of a shape changes across a strip.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kink {
    /// Of which shape.
    pub side: usize,
    /// The pieces that change places.
    pub pieces: [usize; 2],
    /// The piece above.
    up: usize,
    /// b = slope τ + level.
    pub slope: f64,
    pub level: f64,
}

/// The layers of a strip, from below to above: what is taken of both shapes, and the lines between.
#[derive(Debug)]
pub(super) struct Layers {
    pub mixes: Mixes,
    pub lines: Lines,
    pub kinks: ArrayVec<Kink, 2>,
    /// The layer that has the bottom of a valley, and the kink there.
    pub valley: Option<(usize, Kink)>,
    /// A longitude, from the middle, where pieces change.
    pub crossing: Option<f64>,
}

/// Where the bounds of a strip are least.
#[derive(Debug, Clone, Copy)]
pub(super) struct Least {
    pub bound: f64,
    /// τ and b.
    pub place: DVec2,
    pub layer: usize,
}

impl Layers {
    /// Which pieces are largest where in a strip, to first order; `probe` is of the middle of its circle.
    pub fn new(sum: &Sum, strip: &Strip<'_>, probe: &Sample, goal: f64) -> Self {
        let mut kinks = ArrayVec::<Kink, 2>::new();
        let mut crossing = None;
        let mut below = probe.pieces;
        for (side, &best) in probe.pieces.iter().enumerate() {
            let Some(rival) = sum.sides[side].rival(best, &strip.at) else { continue };
            let (p, q) = (strip.first_order(side, best), strip.first_order(side, rival));
            let [value, along, across] = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
            let (slope, level) = (-along / across, -value / across);
            let reach = (slope * strip.half).abs();
            // Slopes below 1e-9 of the size give no kink: bounds without it are valid too.
            if across.abs() > 1e-9 * sum.size
                && level - reach < strip.across[1]
                && level + reach > strip.across[0]
                && slope.abs() * strip.half < 4.0
            {
                let [down, up] = if across > 0.0 { [best, rival] } else { [rival, best] };
                below[side] = down;
                kinks.push(Kink { side, up, pieces: [best, rival], slope, level });
            // As above.
            } else if along.abs() > 1e-9 * sum.size {
                crossing = crossing.or(Some(-value / along));
            }
        }
        if kinks.len() == 2 && kinks[0].level > kinks[1].level {
            kinks.swap(0, 1);
        }
        let mut layers =
            Self { mixes: Mixes::new(), lines: Lines::new(), kinks: kinks.clone(), valley: None, crossing };
        layers.mixes.push(PieceMean::pure(below));
        let across = |[i, j]: [usize; 2]| strip.first_order(0, i)[2] + strip.first_order(1, j)[2];
        // As wide as costs almost nothing: in between, the mean of two pieces is concave.
        let band = (0.2 * goal / probe.value.max(goal)).sqrt();
        for kink in &kinks {
            let mut above = below;
            above[kink.side] = kink.up;
            let (before, after) = (across(below), across(above));
            if before < 0.0 && after > 0.0 {
                let mix = PieceMean::between(below, above, -before / (after - before));
                layers.lines.push([kink.slope, kink.level - band]);
                layers.valley = Some((layers.mixes.len(), *kink));
                layers.mixes.push(mix);
                layers.lines.push([kink.slope, kink.level + band]);
            } else {
                layers.lines.push([kink.slope, kink.level]);
            }
            layers.mixes.push(PieceMean::pure(above));
            below = above;
        }
        layers
    }

    /// Does a layer have the bottom of a valley?
    pub fn is_valley(&self, layer: usize) -> bool {
        self.valley.is_some_and(|(bottom, _)| bottom == layer)
    }

    /// Where the kinks of both shapes cross, if they do so in or next to the strip.
    pub fn corner(&self, strip: &Strip<'_>) -> Option<DVec2> {
        let [p, q] = self.kinks[..] else { return None };
        let tau = (q.level - p.level) / (p.slope - q.slope);
        (tau.abs() <= 1.2 * strip.half).then(|| DVec2::new(tau, p.level + p.slope * tau))
    }

    /// The least of the bounds of all layers.
    pub fn least(&self, strip: &Strip<'_>, goal: f64) -> Least {
        let mut least = Least { bound: f64::INFINITY, place: DVec2::ZERO, layer: 0 };
        let whole = rectangle(strip.half, strip.across);
        for (layer, mix) in self.mixes.iter().enumerate() {
            let mut polygon = whole.clone();
            if layer > 0 {
                let [slope, level] = self.lines[layer - 1];
                polygon = cut(&polygon, DVec2::new(-slope, 1.0), level);
            }
            if let Some([slope, level]) = self.lines.get(layer) {
                polygon = cut(&polygon, DVec2::new(*slope, -1.0), -level);
            }
            if polygon.is_empty() {
                continue;
            }
            let Below { mut model, fold, .. } = strip.below(mix);
            let widest = strip.across[0].abs().max(strip.across[1].abs());
            let mut consider = |model: &Quadratic, polygon: &Polygon| {
                let (value, place) = model.least(polygon);
                if value < least.bound {
                    least = Least { bound: value, place, layer };
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

    /// The least of the bounds on the middle meridian alone, and at which b.
    pub fn least_on_middle(&self, strip: &Strip<'_>) -> (f64, f64) {
        let mut least = (f64::INFINITY, 0.0);
        let [first, last] = strip.across;
        for (layer, mix) in self.mixes.iter().enumerate() {
            let low = if layer > 0 { self.lines[layer - 1][1].max(first) } else { first };
            let high = self.lines.get(layer).map_or(last, |line| line[1].min(last));
            if low < high {
                let found = strip.below(mix).least_on_middle([low, high]);
                least = if found.0 < least.0 { found } else { least };
            }
        }
        least
    }
}
