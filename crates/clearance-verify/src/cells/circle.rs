//! Expansions along a circle of latitude: values at the middle of a cell and ranges over all of it.

use super::arithmetic::{QUARTER, Turn, Wave, least_wave};
use super::form::Norm;
use crate::number::{Interval, Vector, add, cross, dot, scale};

/// A cell: longitudes and latitudes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub longitude: [f64; 2],
    pub latitude: [f64; 2],
}

/// The circle of a strip, and the part of it that is in the cell.
pub(super) struct Arc {
    /// The latitude, and twice the latitude.
    at: [Turn; 2],
    /// The longitude in the middle, and twice it.
    middle: [Turn; 2],
    /// All longitudes, and twice them.
    all: [Turn; 2],
    /// How far the longitudes are from the middle at most.
    pub half: f64,
    /// The latitudes of the cell less that of the circle: one not positive, the other not negative.
    pub steps: [Interval; 2],
    latitude: [f64; 2],
}

/// Derivatives of orders 0, 1, ... by the longitude: at the middle, and over all of the arc.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jet<const N: usize> {
    pub middle: [Interval; N],
    pub all: [Interval; N],
}

impl<const N: usize> Jet<N> {
    /// The range of each derivative again, from its value in the middle and the range of the next one (mean values).
    pub fn refined(mut self, half: f64) -> Self {
        for order in (0..N).rev() {
            self.middle[order] = self.middle[order].and(self.all[order]);
            if order + 1 < N {
                let mean_value = self.middle[order] + Interval::within(half) * self.all[order + 1];
                self.all[order] = self.all[order].and(mean_value);
            }
        }
        self
    }

    pub fn plus(&mut self, other: &Self, weight: Interval) {
        for order in 0..N {
            self.middle[order] = self.middle[order] + other.middle[order] * weight;
            self.all[order] = self.all[order] + other.all[order] * weight;
        }
    }
}

/// Bounds on a norm y on the arc, on its slope z = dy/dα across it, and on y'' + y along the meridians of the cell.
pub(super) struct Expansion {
    pub value: Jet<5>,
    pub slope: Jet<4>,
    /// A lower bound of N / q^(3/2) in the cell.
    pub curvature: f64,
}

impl Expansion {
    /// Is the norm much the same all along the arc? If not, its expansion says little.
    pub fn is_steady(&self) -> bool {
        self.value.all[0].low > 0.3 * self.value.middle[0].high
    }
}

/// Binomial coefficients. Layout: row n has n over k for the product rule of derivatives up to the fourth.
const CHOOSE: [[f64; 5]; 5] = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0, 0.0],
    [1.0, 3.0, 3.0, 1.0, 0.0],
    [1.0, 4.0, 6.0, 4.0, 1.0],
];

fn number(x: f64) -> Interval {
    Interval { low: x, high: x }
}

/// The derivatives of a product of two vectors from theirs.
fn product<const N: usize>(a: &[Vector<Interval>; 5], b: &[Vector<Interval>; 5]) -> [Interval; N] {
    std::array::from_fn(|order| {
        let terms = (0..=order).map(|i| number(CHOOSE[order][i]) * dot(&a[i], &b[order - i]));
        terms.fold(number(0.0), |sum, term| sum + term)
    })
}

impl Arc {
    /// `None` if the latitude is outside the cell or more than a quarter away from one of its ends.
    pub fn new(cell: &Cell, at: f64) -> Option<Self> {
        let [from, to] = cell.longitude;
        let [low, high] = cell.latitude;
        if !(low <= at && at <= high) {
            return None;
        }
        let steps = [number(low) - number(at), number(high) - number(at)];
        if !(steps[0].low >= -QUARTER && steps[1].high <= QUARTER) {
            return None;
        }
        let middle = 0.5 * (from + to);
        let half = (number(to) - number(middle)).high.max((number(middle) - number(from)).high);
        Some(Self {
            at: [Turn::by(at), Turn::by(2.0 * at)],
            middle: [Turn::by(middle), Turn::by(2.0 * middle)],
            all: [Turn::over(from, to), Turn::over(2.0 * from, 2.0 * to)],
            half,
            steps,
            latitude: cell.latitude,
        })
    }

    /// P·n and its slope P·t.
    pub fn plane(&self, p: &Vector<Interval>) -> (Jet<5>, Jet<4>) {
        let Turn { cos, sin } = self.at[0];
        let outward = Wave::new(p[0], p[1], 1);
        let jet = |turn: Turn, factor: Interval, constant: Interval, order: usize| {
            let wave = outward.derivative(turn, order as u32) * factor;
            if order == 0 { wave + constant } else { wave }
        };
        let value = |turn| std::array::from_fn(|order| jet(turn, cos, p[2] * sin, order));
        let slope = |turn| std::array::from_fn(|order| jet(turn, -sin, p[2] * cos, order));
        let (middle, all) = (self.middle[0], self.all[0]);
        (
            Jet { middle: value(middle), all: value(all) }.refined(self.half),
            Jet { middle: slope(middle), all: slope(all) }.refined(self.half),
        )
    }

    /// A norm, unless it may be zero on the arc.
    pub fn norm(&self, norm: &Norm) -> Option<Expansion> {
        let [Turn { cos, sin }, twice] = self.at;
        let (cos2, sin2) = (cos.square(), sin.square());
        // q = |L n|² and its derivative across, as harmonics.
        let (single, double) = (norm.to_axis, norm.double);
        let square = |[one, two]: [Turn; 2], order: usize| {
            let waves = twice.sin * single.derivative(one, order as u32) + cos2 * double.derivative(two, order as u32);
            if order == 0 { cos2 * norm.mean + sin2 * norm.along + waves } else { waves }
        };
        let across = |[one, two]: [Turn; 2], order: usize| {
            let waves = (twice.cos * single.derivative(one, order as u32)).scaled(2.0)
                - twice.sin * double.derivative(two, order as u32);
            if order == 0 { twice.sin * (norm.along - norm.mean) + waves } else { waves }
        };
        // The same in the middle from the vectors L n and L t, which loses less where L n is short.
        let turn = self.middle[0];
        let outward: [Vector<Interval>; 5] = std::array::from_fn(|order| {
            let turn = turn.quarters(order as i64);
            add(&scale(&norm.e1, &turn.cos), &scale(&norm.e2, &turn.sin))
        });
        let combine = |factor: Interval, constant: Interval| {
            let mut all = outward.map(|v| scale(&v, &factor));
            all[0] = add(&all[0], &scale(&norm.u, &constant));
            all
        };
        let (n, t) = (combine(cos, sin), combine(-sin, cos));
        let mut q_middle: [Interval; 5] = product(&n, &n);
        q_middle[0] = q_middle[0].and(n[0][0].square() + n[0][1].square() + n[0][2].square());
        let a_middle: [Interval; 4] = product(&n, &t);
        let q = Jet {
            middle: std::array::from_fn(|order| square(self.middle, order).and(q_middle[order])),
            all: std::array::from_fn(|order| square(self.all, order)),
        }
        .refined(self.half);
        let a = Jet {
            middle: std::array::from_fn(|order| across(self.middle, order).and(a_middle[order].scaled(2.0))),
            all: std::array::from_fn(|order| across(self.all, order)),
        }
        .refined(self.half);
        if !(q.all[0].low > 0.0 && q.all[0].high.is_finite()) {
            return None;
        }
        let mut y = root(&q.middle);
        // y'' = |L n x L n'|²/y³ + L n·L n''/y and z' = (L n x L t)·(L n x L n')/y³ + L n·L t'/y, again for short L n.
        let (along, over) = (cross(&n[0], &n[1]), cross(&n[0], &t[0]));
        let cube = y[0] * y[0].square();
        y[2] = y[2].and(dot(&along, &along) / cube + dot(&n[0], &n[2]) / y[0]);
        let mut z = slopes(&y, &a.middle);
        z[1] = z[1].and(dot(&over, &along) / cube + dot(&n[0], &t[1]) / y[0]);
        let value = Jet { middle: y, all: root(&q.all) }.refined(self.half);
        let slope = Jet { middle: z, all: slopes(&value.all, &a.all) }.refined(self.half);
        Some(Expansion { value, slope, curvature: self.curvature(norm, &q, &a) })
    }

    /// A lower bound of |L n x L t|² / |L n|³ in the cell. The numerator depends on the longitude only.
    fn curvature(&self, norm: &Norm, q: &Jet<5>, a: &Jet<4>) -> f64 {
        let [c1, c2] = &norm.crosses;
        let (mean, wave) = norm.turning;
        let [one, two] = self.middle;
        let middle = add(&scale(c1, &one.cos), &scale(c2, &one.sin));
        let square = middle[0].square() + middle[1].square() + middle[2].square();
        let all =
            square.and(mean + wave.derivative(two, 0)) + Interval::within(self.half) * wave.derivative(self.all[1], 1);
        let all = all.and(mean + wave.derivative(self.all[1], 0));
        let most = self.most(norm, q, a);
        if !(all.low > 0.0 && most > 0.0 && most < f64::INFINITY) {
            return 0.0;
        }
        (number(all.low) / (number(most) * number(most).root())).low.max(0.0)
    }

    /// An upper bound of q = |L n|² in the cell.
    fn most(&self, norm: &Norm, q: &Jet<5>, a: &Jet<4>) -> f64 {
        // First: q = (H + Quu)/2 + (H - Quu)/2 cos 2α + U sin 2α with H and U functions of the longitude. It grows with H
        // and is linear in U.
        let over = |wave: Wave, middle: Turn, all: Turn| {
            let mean_value = wave.derivative(middle, 0) + Interval::within(self.half) * wave.derivative(all, 1);
            wave.derivative(all, 0).and(mean_value)
        };
        let u = over(norm.to_axis, self.middle[0], self.all[0]);
        let h = norm.mean + over(norm.double, self.middle[1], self.all[1]);
        let h = number(h.high);
        let range = self.latitude.map(|x| 2.0 * x);
        let waves = |u: f64| -least_wave((norm.along - h).scaled(0.5), number(-u), range, Turn::by);
        let first = (h + norm.along).scaled(0.5) + number(waves(u.low).max(waves(u.high)));
        // Second: q = q0 cos² β + B sin 2β + |L t|² sin² β with q0, B, t on the arc, which loses less where q is small.
        let Turn { cos, sin } = self.at[0];
        let slant = self.at[1].sin * u;
        let tangent = (sin.square() * h + cos.square() * norm.along - slant).high;
        let b = a.all[0].scaled(0.5);
        let eighth = 0.5 * QUARTER;
        let sine = |step: f64| if step.abs() < eighth { Turn::by(2.0 * step).sin.magnitude() } else { 1.0 };
        let [down, up] = [self.steps[0].low, self.steps[1].high];
        let turned = (number(b.high.max(0.0)) * number(sine(up)))
            .high
            .max((number((-b.low).max(0.0)) * number(sine(down))).high);
        let farther = if -down > up { down } else { up };
        let excess = (number(tangent) - number(q.all[0].low)).high.max(0.0);
        let second = number(q.all[0].high) + number(turned) + number(excess) * Turn::by(farther).sin.square();
        first.high.min(second.high)
    }
}

/// The derivatives of y = √q from those of q.
fn root(q: &[Interval; 5]) -> [Interval; 5] {
    let y = q[0].root();
    let half = number(0.5) / y;
    let y1 = q[1] * half;
    let y2 = (q[2] - y1.square().scaled(2.0)) * half;
    let y3 = (q[3] - number(6.0) * y1 * y2) * half;
    let y4 = (q[4] - (y1 * y3).scaled(8.0) - number(6.0) * y2.square()) * half;
    [y, y1, y2, y3, y4]
}

/// The derivatives of z with 2 y z = a.
fn slopes(y: &[Interval; 5], a: &[Interval; 4]) -> [Interval; 4] {
    let half = number(0.5) / y[0];
    let z = a[0] * half;
    let z1 = (a[1] - (y[1] * z).scaled(2.0)) * half;
    let z2 = (a[2] - (y[1] * z1).scaled(4.0) - (y[2] * z).scaled(2.0)) * half;
    let z3 = (a[3] - number(6.0) * (y[1] * z2 + y[2] * z1) - (y[3] * z).scaled(2.0)) * half;
    [z, z1, z2, z3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::vector;

    /// Every derivative against the one before it: over a short arc it changes by the length times what the next one is
    /// somewhere there. The first ones are those of |L n| itself.
    #[test]
    fn derivatives_are_those_of_the_norm_and_of_each_other() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..2000 {
            let columns = [0; 3].map(|_| [0; 3].map(|_| random.f64() - 0.5));
            let norm = Norm::new(columns.map(vector));
            let [longitude, latitude] = [2.5, 1.3].map(|limit| (2.0 * random.f64() - 1.0) * limit);
            let length = 1e-3;
            let arc = |from: f64, to: f64| {
                let cell = Cell { longitude: [from, to], latitude: [latitude - 0.1, latitude + 0.1] };
                Arc::new(&cell, latitude).and_then(|arc| arc.norm(&norm))
            };
            let (start, end) = (longitude, longitude + length);
            let ends = [start, end].map(|at| arc(at - 1e-9, at + 1e-9));
            let ([Some(start), Some(end)], Some(all)) = (ends, arc(start, end)) else { continue };
            let follows = |from: Interval, to: Interval, next: Interval| {
                let (change, expected) = (to - from, number(length) * next);
                // The ends are off by the rounding of their longitudes.
                let slack = 1e-13 * (1.0 + from.magnitude() + next.magnitude());
                change.low <= expected.high + slack && expected.low <= change.high + slack
            };
            for order in 0..4 {
                let [from, to] = [&start, &end].map(|at| at.value.middle[order]);
                assert!(follows(from, to, all.value.all[order + 1]), "value, order {order}");
            }
            for order in 0..3 {
                let [from, to] = [&start, &end].map(|at| at.slope.middle[order]);
                assert!(follows(from, to, all.slope.all[order + 1]), "slope, order {order}");
            }
            // Across: |L n| a little further north.
            let size = |latitude: f64| {
                let (sin, cos) = latitude.sin_cos();
                let (s, c) = longitude.sin_cos();
                let image: [f64; 3] =
                    std::array::from_fn(|i| cos * (c * columns[0][i] + s * columns[1][i]) + sin * columns[2][i]);
                image[0].hypot(image[1]).hypot(image[2])
            };
            assert!((start.value.middle[0].middle() - size(latitude)).abs() < 1e-14);
            let step = 1e-4;
            let [south, here, north] = [-step, 0.0, step].map(|step| size(latitude + step));
            let slope = (north - south) / (2.0 * step);
            assert!(
                (start.slope.middle[0].middle() - slope).abs() < 1e-5 * (1.0 + start.slope.all[1].magnitude()) / here
            );
            let curvature = (north - 2.0 * here + south) / (step * step) + here;
            assert!(start.curvature <= curvature * (1.0 + 1e-4 / here) + 1e-5, "{} {curvature}", start.curvature);
        }
    }

    #[test]
    fn curvature_is_bounded_from_below_in_the_whole_cell() {
        let mut random = fastrand::Rng::with_seed(6);
        let mut near = 0;
        for _ in 0..4000 {
            let flat = 10_f64.powf(-3.0 * random.f64());
            let columns: [[f64; 3]; 3] = [0; 3].map(|_| [1.0, 1.0, flat].map(|size| size * (random.f64() - 0.5)));
            let norm = Norm::new(columns.map(vector));
            let size = 10_f64.powf(-3.0 * random.f64());
            let [west, south] = [2.5, 1.5].map(|limit| (2.0 * random.f64() - 1.0) * limit - 0.1 * size);
            let cell = Cell { longitude: [west, west + size], latitude: [south, south + size * random.f64()] };
            let north = cell.latitude[1];
            let at = south + (north - south) * random.f64();
            let Some(bound) = Arc::new(&cell, at).and_then(|arc| arc.norm(&norm)) else { continue };
            let mut least = f64::INFINITY;
            for sample in 0..120 {
                let [x, y] = match sample {
                    0..30 => [f64::from(sample % 2), random.f64()],
                    30..60 => [random.f64(), f64::from(sample % 2)],
                    _ => [random.f64(), random.f64()],
                };
                let turn = |angle: f64| {
                    let (sin, cos) = angle.sin_cos();
                    Turn { cos: number(cos), sin: number(sin) }
                };
                let (longitude, latitude) = (turn(west + size * x), turn(south + (north - south) * y));
                let (n, t) = (norm.image(longitude, latitude), norm.image(longitude, latitude.quarters(1)));
                let turned = cross(&n, &t);
                let exact = dot(&turned, &turned).middle() / dot(&n, &n).middle().powf(1.5);
                least = least.min(exact);
                assert!(bound.curvature <= exact * (1.0 + 1e-9) + 1e-12, "{} {exact} {cell:?}", bound.curvature);
            }
            near += u32::from(bound.curvature > 0.8 * least);
        }
        assert!(near > 1500, "{near} are near");
    }
}
