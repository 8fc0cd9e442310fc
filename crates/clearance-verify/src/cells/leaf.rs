//! The lower bounds of leaves.

use super::arithmetic::{Turn, least_wave};
use super::circle::{Arc, Cell, Expansion, Jet};
use super::form::{Form, Mean, Norm, fault};
use super::nodes::Mix;
use super::quadratic::{Polygon, Quadratic};
use crate::number::{Interval, Number, Vector, dot, vector};
use crate::shape::Trouble;

/// Lines of a strip, at most. Limit: the work of a leaf grows with the square of their number.
const MOST_LINES: usize = 8;

/// The bound of a leaf without the radii, scaled: by the tangent planes for the direction in the middle.
pub(super) fn plane(form: &mut Form<'_>, cell: &Cell, a: u32, b: u32) -> Result<f64, Trouble> {
    let mean = form.mean(&Mix { a: vec![(a, 1.0)], b: vec![(b, 1.0)] })?;
    let [longitude, latitude] = [cell.longitude, cell.latitude].map(|[low, high]| Turn::by(0.5 * (low + high)));
    // s = P + Σ w Lᵀv: surely with the norms whose v is known, perhaps with the others too.
    let mut surely = mean.point;
    let mut perhaps = Vec::new();
    for (norm, weight) in form.norms.iter().zip(&mean.weights) {
        let image = norm.image(longitude, latitude);
        let square = image.iter().fold(Interval::zero(), |sum, x| sum + x.square());
        if let Some(tangent) = tangent(norm, &image, *weight) {
            if square.low > 0.0 {
                surely = add(surely, tangent);
            } else {
                perhaps.push(tangent);
            }
        }
    }
    let least = |s: Vector<Interval>| {
        let outward = least_wave(s[0], s[1], cell.longitude, Turn::by);
        least_wave(Interval::of(outward), s[2], cell.latitude, Turn::to_pole)
    };
    let bound = least(surely);
    Ok(if perhaps.is_empty() { bound } else { bound.max(least(perhaps.into_iter().fold(surely, add))) })
}

fn add(a: Vector<Interval>, b: Vector<Interval>) -> Vector<Interval> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// w Lᵀv in the frame for the v of length one or a little less that is nearly along L m.
fn tangent(norm: &Norm, image: &Vector<Interval>, weight: Interval) -> Option<Vector<Interval>> {
    let along = image.map(|x| x.middle());
    let exact: Vector<Interval> = vector(along);
    let length = exact.iter().fold(Interval::zero(), |sum, x| sum + x.square()).root().high;
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    let v = exact.map(|x| x / Interval::of(length));
    Some([&norm.e1, &norm.e2, &norm.u].map(|column| dot(column, &v) * weight))
}

/// The bound of a leaf without the radii, scaled: by expansions about a circle of latitude.
pub(super) fn strip(
    form: &mut Form<'_>,
    cell: &Cell,
    at: f64,
    mixes: &[Mix],
    lines: &[[f64; 2]],
) -> Result<f64, Trouble> {
    if lines.len() > MOST_LINES || mixes.len() != lines.len() + 1 {
        return fault("a strip has more than 8 lines, or not one mix more than lines");
    }
    if !lines.iter().flatten().all(|x| x.is_finite()) {
        return fault("a line of a strip is not finite");
    }
    let Some(arc) = Arc::new(cell, at) else {
        return fault("the circle of a strip is outside its cell, or more than a quarter away from its end");
    };
    // Norms do not depend on the mix.
    let norms: Vec<Option<Expansion>> = form.norms.iter().map(|norm| arc.norm(norm)).collect();
    // On a long arc the plane below a norm may be better than its expansion.
    let is_flat = |expansion: &Option<Expansion>| expansion.as_ref().is_none_or(|expansion| !expansion.is_steady());
    let [longitude, latitude] = [0.5 * (cell.longitude[0] + cell.longitude[1]), at].map(Turn::by);
    let mut least = f64::INFINITY;
    for (piece, mix) in mixes.iter().enumerate() {
        let mean = form.mean(mix)?;
        let above = piece.checked_sub(1).map(|before| lines[before]);
        let below = lines.get(piece).copied();
        let mut bound = Model::new(&arc, &norms, &mean).least(&arc, above, below);
        if norms.iter().any(is_flat) {
            let mut leaning = Mean { point: mean.point, weights: mean.weights.clone() };
            for (k, norm) in form.norms.iter().enumerate().filter(|(k, _)| is_flat(&norms[*k])) {
                if let Some(more) = tangent(norm, &norm.image(longitude, latitude), mean.weights[k]) {
                    leaning.point = add(leaning.point, more);
                    leaning.weights[k] = Interval::zero();
                }
            }
            bound = bound.max(Model::new(&arc, &norms, &leaning).least(&arc, above, below));
        }
        least = least.min(bound);
    }
    Ok(least)
}

/// The terms of the bound of a mix on a cell.
struct Model {
    value: Jet<5>,
    slope: Jet<4>,
    /// A lower bound of R - f0.
    excess: f64,
}

impl Model {
    fn new(arc: &Arc, norms: &[Option<Expansion>], mean: &Mean) -> Self {
        let (mut value, mut slope) = arc.plane(&mean.point);
        let mut curvature = Interval::zero();
        for (norm, weight) in norms.iter().zip(&mean.weights) {
            // A norm that may be zero on the arc is at least zero: it is left out.
            let Some(norm) = norm else { continue };
            value.plus(&norm.value, *weight);
            slope.plus(&norm.slope, *weight);
            curvature = curvature + Interval::of(norm.curvature) * *weight;
        }
        let (value, slope) = (value.refined(arc.half), slope.refined(arc.half));
        let highest = {
            // Taylor's second order is sharper than the range.
            let step = Interval::within(arc.half);
            let square = Interval { low: 0.0, high: step.square().high };
            let taylor = value.middle[0] + value.middle[1] * step + (value.all[2] * square).scaled(0.5);
            value.all[0].and(taylor).high
        };
        let excess = (Interval::of(curvature.low) - Interval::of(highest)).low;
        Self { value, slope, excess }
    }

    /// The least of the bound on the piece of the cell between two lines.
    fn least(&self, arc: &Arc, above: Option<[f64; 2]>, below: Option<[f64; 2]>) -> f64 {
        let half = Interval::of(arc.half);
        let third = Interval::of(self.value.all[3].magnitude());
        let square = (self.value.middle[2] - third * half / Interval::of(3.0)).low.max(self.value.all[2].low);
        let bend = Interval::of((Interval::of(self.slope.all[2].magnitude()) * half.square()).scaled(0.5).high);
        let mut least = f64::INFINITY;
        for (is_up, step) in [(false, -arc.steps[0].low), (true, arc.steps[1].high)] {
            if step <= 0.0 && !is_up {
                // b = 0 belongs to the other side.
                continue;
            }
            let turn = Turn::by(step.max(0.0));
            let far = turn.sin.high.max(0.0);
            let kappa = if self.excess >= 0.0 {
                self.excess
            } else {
                let sum = Interval::of(1.0) + Interval::of(turn.cos.low.max(0.0));
                (Interval::of(self.excess).scaled(2.0) / sum).low
            };
            let across = if is_up { self.slope.middle[0] - bend } else { self.slope.middle[0] + bend };
            // The coefficients as doubles; what they are off by goes into the constant.
            let (linear, turned) = (self.value.middle[1], self.slope.middle[1]);
            let form = Quadratic { p: linear.middle(), g: across.middle(), a: square, d: turned.middle(), k: kappa };
            let off = |x: Interval, middle: f64| Interval::of((x - Interval::of(middle)).magnitude());
            let wide = Interval::of(far);
            let lost = off(linear, form.p) * half + off(across, form.g) * wide + off(turned, form.d) * half * wide;
            let range = if is_up { [0.0, far] } else { [-far, 0.0] };
            let found = form.least(&Polygon { half: arc.half, range, above, below });
            if found != f64::INFINITY {
                least = least.min((Interval::of(self.value.middle[0].low) - lost + Interval::of(found)).low);
            }
        }
        least
    }
}
