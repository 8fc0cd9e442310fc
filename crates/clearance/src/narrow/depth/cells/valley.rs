//! Least points: at the bottom of the valley of a meridian, downhill from a direction, where kinks cross. All of them only guide the
//! search, but the best direction is among them.

use super::layers::{Layers, Least};
use super::search::{CellSearch, LATITUDES};
use super::strip::{Rectangle, Strip};
use super::sum::{At, Sample};
use crate::trace::Trace;
use glam::{DVec2, DVec3};

impl<R: Trace> CellSearch<'_, R> {
    /// Walks downhill from a direction: by the least points of quadratic functions on cells of adapted size.
    pub fn descend(&mut self, from: DVec3) {
        let mut place = [libm::atan2(from.y, from.x), libm::asin(from.z.clamp(-1.0, 1.0))];
        let mut value = self.probe(&At::new(place[0], place[1])).value;
        let mut reach = 0.2;
        for _ in 0..60 {
            let [theta, alpha] = place;
            let half = (reach / libm::cos(alpha).max(1e-3)).min(1.0);
            let [low, high] = LATITUDES;
            let latitude = [(alpha - reach).max(low), (alpha + reach).min(high)];
            let cell = Rectangle { longitude: [theta - half, theta + half], latitude };
            let (sin, cos) = libm::sincos(theta);
            let probe = self.sum.probe(&At::turned([sin, cos], alpha));
            let strip = Strip::new(self.sum, &cell, alpha, [sin, cos]);
            let layers = Layers::new(self.sum, &strip, &probe, self.goal);
            let least = layers.least(&strip, self.goal);
            self.work += 3;
            if value - least.bound < 0.1 * self.goal {
                break;
            }
            let next = self.least_place(&layers, place, &least);
            let found = self.probe(&At::new(next[0], next[1])).value;
            if found < value {
                // Trust the model as far as it has kept its word.
                let kept = (value - found) / (value - least.bound);
                let factor = if kept > 0.5 { 2.0 } else { 1.0 };
                reach = (reach * if kept > 0.1 { factor } else { 0.4 }).min(0.5);
                (place, value) = (next, found);
            } else {
                reach *= 0.2;
                // A shorter step does not change the angle of a cell in a useful way; the search is a heuristic.
                if reach < 1e-10 {
                    break;
                }
            }
        }
    }

    /// The latitude where f is least on the middle meridian of a cell, about.
    pub(super) fn valley(&mut self, cell: &Rectangle, longitude: [f64; 2], middle: (f64, Sample)) -> (f64, Sample) {
        let [low, high] = cell.latitude.map(|alpha| (alpha, self.probe(&At::turned(longitude, alpha))));
        let lowest = [low, middle, high].into_iter().reduce(|p, q| if q.1.value < p.1.value { q } else { p });
        let lowest = lowest.unwrap_or(middle);
        let falls_and_rises = |l: &(f64, Sample), r: &(f64, Sample)| l.1.slope < 0.0 && r.1.slope > 0.0;
        let (mut l, mut r) = if falls_and_rises(&low, &middle) && low.1.value <= high.1.value {
            (low, middle)
        } else if falls_and_rises(&middle, &high) {
            (middle, high)
        } else if falls_and_rises(&low, &middle) {
            (low, middle)
        } else {
            return lowest;
        };
        for round in 0..24 {
            let width = r.0 - l.0;
            let same = l.1.pieces == r.1.pieces;
            let bend = r.1.slope - l.1.slope;
            // A length that all but vanishes bends as sharply as a kink.
            let is_sharp = bend > 8.0 * self.sum.size * width;
            let is_narrow = is_sharp && {
                let [p, q] = [l.0, r.0].map(|alpha| self.sum.narrowness(&At::turned(longitude, alpha)));
                p.min(q) < 4.0 * width
            };
            // Where the tangents meet, and how much there is to gain at most if f is convex.
            let meet = (l.1.value - r.1.value + r.1.slope * width) / (bend * width);
            let gain = l.1.value.min(r.1.value) - (l.1.value + l.1.slope * meet * width);
            let is_enough = if is_narrow { gain < 0.1 * self.goal } else { !same && round >= 8 || round >= 16 };
            // Ends of an interval this narrow differ by rounding only.
            if same && !is_sharp && round >= 2 || is_enough || width < 1e-13 {
                break;
            }
            let share = if same && is_sharp && round % 4 != 3 {
                meet
            } else if same {
                -l.1.slope / bend
            } else {
                // Where the pieces change places, if the change is as straight as it looks.
                let ahead = self.pieces(r.1.pieces, longitude, l.0) - l.1.value;
                let behind = r.1.value - self.pieces(l.1.pieces, longitude, r.0);
                // Where the kink is need not be known well: layers find it once more.
                let is_found =
                    !(behind - ahead > 0.0) || -ahead < 1e-7 * self.sum.size || behind < 1e-7 * self.sum.size;
                if is_found && !is_narrow {
                    break;
                }
                if is_found { meet } else { -ahead / (behind - ahead) }
            };
            let share = if same || is_narrow { share.clamp(1e-3, 0.999) } else { share };
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
    fn least_place(&mut self, layers: &Layers, [theta, alpha]: [f64; 2], least: &Least) -> [f64; 2] {
        let place = least.place;
        let theta = theta + place.x;
        let mut alpha = alpha + libm::asin(place.y.clamp(-1.0, 1.0));
        if let Some((bottom, kink)) = layers.valley
            && bottom == least.layer
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

    /// The value where a bound is least, with the middle of its circle given.
    pub(super) fn probe_least(&mut self, layers: &Layers, middle: [f64; 2], least: &Least) -> f64 {
        let [theta, alpha] = self.least_place(layers, middle, least);
        self.probe(&At::new(theta, alpha)).value
    }

    /// The longitude, from the middle, where the kinks of both shapes cross, by Newton's method. That may be the least point, and is
    /// none of a smooth function.
    pub(super) fn meet(&mut self, strip: &Strip<'_>, layers: &Layers, middle: f64, place: DVec2) -> Option<f64> {
        let (mut theta, mut alpha) = (middle + place.x, strip.alpha() + place.y);
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
            // Newton's method has converged: the next step would be below 1e-18.
            if step.x.abs() < 1e-9 {
                break;
            }
        }
        Some(theta - middle)
    }
}
