//! The least value of a quadratic of two variables on a polygon.

use crate::number::{Interval, Number};

/// p τ + g b + (a τ² + 2 d τ b + k b²) / 2
#[derive(Debug, Clone, Copy)]
pub(super) struct Quadratic {
    pub p: f64,
    pub g: f64,
    pub a: f64,
    pub d: f64,
    pub k: f64,
}

/// All (τ, b) with |τ| <= `half`, b in `range`, and above or below lines b = m τ + c.
#[derive(Debug, Clone, Copy)]
pub(super) struct Polygon {
    pub half: f64,
    pub range: [f64; 2],
    pub above: Option<[f64; 2]>,
    pub below: Option<[f64; 2]>,
}

/// x τ + y b + z >= 0
type Wall = [f64; 3];

impl Polygon {
    fn walls(&self) -> impl Iterator<Item = Wall> + '_ {
        let sides =
            [[1.0, 0.0, self.half], [-1.0, 0.0, self.half], [0.0, 1.0, -self.range[0]], [0.0, -1.0, self.range[1]]];
        let above = self.above.map(|[m, c]| [-m, 1.0, -c]);
        let below = self.below.map(|[m, c]| [m, -1.0, c]);
        sides.into_iter().chain(above).chain(below)
    }
}

impl Quadratic {
    /// A lower bound on a polygon; infinity if the polygon is surely empty.
    ///
    /// The minimum is on an edge, unless the form is positive definite and its critical point is inside.
    pub fn least(&self, polygon: &Polygon) -> f64 {
        let on_edges = |form: &Self| {
            polygon
                .walls()
                .enumerate()
                .fold(f64::INFINITY, |least, (i, wall)| least.min(form.on_edge(wall, i, polygon)))
        };
        let edges = on_edges(self);
        let [p, g, a, d, k] = [self.p, self.g, self.a, self.d, self.k].map(Interval::of);
        let det = a * k - d.square();
        if !(self.a > 0.0 && self.k > 0.0 && det.high > 0.0) {
            return edges;
        }
        let mut least = f64::NEG_INFINITY;
        if det.low > 0.0 {
            let tau = overlap((d * g - k * p) / det, [-polygon.half, polygon.half]);
            let b = overlap((d * p - a * g) / det, polygon.range);
            least = edges;
            if let (Some(tau), Some(b)) = (tau, b) {
                let inside = polygon
                    .walls()
                    .all(|[x, y, z]| (Interval::of(x) * tau + Interval::of(y) * b + Interval::of(z)).high >= 0.0);
                if inside {
                    // At the critical point the quadratic part is minus half of the linear one.
                    least = edges.min((p * tau + g * b).scaled(0.5).low);
                }
            }
        }
        // A determinant that cancels to a millionth has lost 20 of 53 bits; the other branch is right for any determinant.
        if !(det.low > 1e-6 * (a * k).high) {
            // Nearly singular, so that the critical point is hardly known. With a smaller k there is none.
            let lowered = Self { k: (d.square() / a).low.min(self.k), ..*self };
            least = least.max(on_edges(&lowered));
        }
        least
    }

    /// A lower bound on the line of the wall of a number, as far as it is inside the other walls.
    fn on_edge(&self, wall: Wall, index: usize, polygon: &Polygon) -> f64 {
        // The line as one variable by the other, s = m t + c: t is τ unless the line is steep.
        let tall = polygon.range[1] - polygon.range[0];
        let by_tau = wall[1] != 0.0 && wall[0].abs() * polygon.half <= tall.max(polygon.half * 1e-3);
        let pick = |[x, y, z]: Wall| if by_tau { [x, y, z] } else { [y, x, z] };
        let [x, y, z] = pick(wall).map(Interval::of);
        let (m, c) = (-(x / y), -(z / y));
        let [mut from, mut to] = if by_tau { [-polygon.half, polygon.half] } else { polygon.range };
        for (other, wall) in polygon.walls().enumerate() {
            if other == index {
                continue;
            }
            let [x, y, z] = pick(wall).map(Interval::of);
            // slope t + level >= 0
            let (slope, level) = (x + y * m, y * c + z);
            let root = -(level / slope);
            if slope.low > 0.0 {
                from = from.max(root.low);
            } else if slope.high < 0.0 {
                to = to.min(root.high);
            } else if (slope * Interval { low: from.min(to), high: to.max(from) } + level).high < 0.0 {
                return f64::INFINITY;
            }
        }
        if from > to {
            return f64::INFINITY;
        }
        let own = [self.p, self.g, self.a, self.d, self.k].map(Interval::of);
        let [p, g, a, d, k] = if by_tau { own } else { [own[1], own[0], own[4], own[3], own[2]] };
        let constant = g * c + (k * c.square()).scaled(0.5);
        let linear = p + g * m + d * c + k * m * c;
        let square = a + (d * m).scaled(2.0) + k * m.square();
        least_on_line(constant, linear, square, [from, to])
    }
}

/// A lower bound of c + l t + s t²/2 for t in a range.
fn least_on_line(constant: Interval, linear: Interval, square: Interval, [from, to]: [f64; 2]) -> f64 {
    // If it may curve up or down, it is taken to curve down: then it is least at an end.
    let convex = square.low > 0.0;
    let square = if convex { square } else { Interval::of(square.low) };
    let value = |t: f64| {
        let t = Interval::of(t);
        (constant + linear * t + (square * t.square()).scaled(0.5)).low
    };
    let ends = value(from).min(value(to));
    match overlap(-(linear / square), [from, to]) {
        Some(t) if convex => ends.min((constant + (linear * t).scaled(0.5)).low),
        _ => ends,
    }
}

fn overlap(x: Interval, [low, high]: [f64; 2]) -> Option<Interval> {
    let both = Interval { low: x.low.max(low), high: x.high.min(high) };
    (both.low <= both.high).then_some(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_value_on_a_polygon_is_below_all_samples_and_near_the_least() {
        let mut random = fastrand::Rng::with_seed(3);
        for round in 0..4000 {
            let size = 10_f64.powi(random.i32(-8..=1));
            let tall = size * 10_f64.powi(random.i32(-2..=2));
            let mut any = |scale: f64| (random.f64() - 0.5) * scale;
            let (p, g, a, d, k) = (any(2.0), any(2.0), any(4.0), any(2.0), any(4.0));
            // Also critical points inside, and forms that are singular to rounding.
            let [p, g] = if round % 2 == 0 { [p * size, g * tall] } else { [p, g] };
            let k = if round % 3 == 0 { d * d / a } else { k };
            let form = Quadratic { p, g, a, d, k };
            let low = any(tall);
            let line = |any: &mut dyn FnMut(f64) -> f64| {
                let steep = 10_f64.powf(any(8.0));
                let m = any(tall / size) * steep;
                [m, any(tall) - m * any(size)]
            };
            let [above, below] = [0, 1].map(|i| (round / 4 % 3 > i).then(|| line(&mut any)));
            let polygon = Polygon { half: size, range: [low, low + tall], above, below };
            let bound = form.least(&polygon);
            let mut least = f64::INFINITY;
            let mut look = |tau: f64, b: f64| {
                let inside = polygon.walls().all(|[x, y, z]| x * tau + y * b + z >= 0.0);
                if inside {
                    least = least.min(p * tau + g * b + 0.5 * (a * tau * tau + 2.0 * d * tau * b + k * b * b));
                }
            };
            for i in 0..=60 {
                for j in 0..=60 {
                    look(size * (f64::from(i) / 30.0 - 1.0), low + tall * f64::from(j) / 60.0);
                }
            }
            let scale = (p.abs() * size + g.abs() * 2.0 * tall)
                .max((a.abs() + d.abs() + k.abs()) * size.max(2.0 * tall).powi(2));
            assert!(bound <= least + 1e-14 * scale, "{form:?} {polygon:?}: {bound} {least}");
            if above.is_none() && below.is_none() {
                assert!(bound >= least - 0.02 * scale, "{form:?} {polygon:?}: {bound} {least}");
            }
        }
    }

    #[test]
    fn an_empty_polygon_bounds_nothing() {
        let form = Quadratic { p: 1.0, g: 1.0, a: 1.0, d: 0.0, k: 1.0 };
        let polygon = Polygon { half: 1.0, range: [0.0, 1.0], above: Some([0.0, 2.0]), below: None };
        assert_eq!(form.least(&polygon), f64::INFINITY);
        let bowl = Quadratic { p: 0.0, g: 0.0, a: 1.0, d: 0.0, k: 1.0 };
        let around = Polygon { half: 1.0, range: [-1.0, 1.0], above: None, below: None };
        assert_eq!(bowl.least(&around), 0.0);
    }
}
