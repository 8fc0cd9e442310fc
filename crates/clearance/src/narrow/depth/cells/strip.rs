//! A lower bound of f on a cell, by a quadratic function.
//!
//! A cell is a rectangle of longitudes |τ| <= h about its middle and latitudes β from those of a chosen circle; b = sin β.
//!
//! **Mixes.** f is a sum of two maxima. Means of the pieces of A, and of those of B, are at most f: φ(n) = P·n + Σ w |L n| <= f(n).
//!
//! **Across the circle.** On a meridian, a great circle, g(β) = φ fulfils g'' + g = R. Here R = Σ w N / q^(3/2), q = |Ln|² and N = |Ln ×
//! Lt|² = |cof(L) (n × t)|², where n × t is constant along the meridian. Variation of constants: if R >= ρ, then
//! g(β) >= g(0) cos β + g'(0) sin β + ρ (1 - cos β).
//!
//! **Along the circle.** q = y² is a trigonometric polynomial of degree two in τ, and all but its constant is as small as the shape
//! is asymmetric about the axis. With its derivatives those of y and of the slope z = ∂y/∂α are bounded, by Leibniz' rule on y² = q and
//! 2yz = ∂q/∂α. So with values and derivatives at the middle of the circle, M₃ >= |φ'''| and M_g >= |g''| on the circle,
//!
//! > φ >= f₀ + f₁τ + (f₂ - M₃ h/3) τ²/2 + (g₀ + g₁τ) b + κ b²/2 - M_g h²/2 |b|    (|τ|³ <= h τ²),
//!
//! where κ = ρ - max φ on the circle if that is positive (1 - cos β >= b²/2), else 2 / (1 + cos β) times that at the largest β.
//! The terms left out are of third order in h and have the asymmetry as a factor: the number of cells does not depend on how small that is.
//!
//! **Rounding.** Derivatives divide by y, which of a needle may be 1e-9 of |L| and less. So each carries a bound on its own error (`near.rs`):
//! those of φ and its derivatives are taken off the value, those of g add to M_g h²/2. And no number as small as y² may be the difference
//! of numbers as large as |L|²: q on a meridian is the square of |Ln cos β + Lt sin β|, not a wave about a mean.

use super::near::{Near, NearVec};
use super::quadratic::Quadratic;
use super::sum::{At, Length, Sum, amplitude};
use crate::math::rounding::OF_FORMS;
use crate::shape::form::MAX_LENGTHS;
use crate::trace::PieceMean;
use glam::{DVec2, DVec3};

/// A rectangle of directions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rectangle {
    pub longitude: [f64; 2],
    pub latitude: [f64; 2],
}

impl PieceMean {
    pub fn pure([i, j]: [usize; 2]) -> Self {
        Self([[(i, 1.0), (i, 0.0)], [(j, 1.0), (j, 0.0)]])
    }

    /// The mean of two mixes of one piece each.
    pub fn between([i, j]: [usize; 2], [k, l]: [usize; 2], lambda: f64) -> Self {
        Self([[(i, 1.0 - lambda), (k, lambda)], [(j, 1.0 - lambda), (l, lambda)]])
    }
}

/// |L n| around the middle of a circle.
#[derive(Debug, Clone, Copy)]
struct Jet {
    /// y, y', y'', y'''.
    y: [Near; 4],
    /// Bounds of |y'''| and |y''''| on the circle.
    above: [f64; 2],
    /// z, z', z''.
    z: [Near; 3],
    /// Bounds of |z''| and |z'''| on the circle.
    z_above: [f64; 2],
    /// N / q^(3/2) is at least this on the cell, and on its middle meridian.
    rho: [f64; 2],
    /// Rounding error of the value on the circle.
    slack: f64,
}

/// A length on a cell.
#[derive(Debug, Clone, Copy)]
enum StripFrame {
    Jet(Jet),
    /// Where it may all but vanish there is no expansion, but |Ln| >= v·Ln for the unit vector v along Ln in the middle: Lᵀv.
    Plane(DVec3),
}

/// A cell with everything known about the lengths around the middle of its circle.
#[derive(Debug)]
pub(super) struct Strip<'a> {
    sum: &'a Sum,
    alpha: f64,
    pub at: At,
    /// Half the range of longitudes.
    pub half: f64,
    /// The range of b.
    pub across: [f64; 2],
    /// The cosine of the largest |β|.
    cos: f64,
    jets: [[StripFrame; MAX_LENGTHS]; 2],
}

/// A length that is shorter than this part of its size counts as rounding error. Bound: a thousand times the error of a length, 5 ε.
const VANISHING: f64 = 1e-12;

impl<'a> Strip<'a> {
    /// The strip of a cell about the circle of latitude `alpha`, which is within the cell.
    pub fn new(sum: &'a Sum, cell: &Rectangle, alpha: f64, longitude: [f64; 2]) -> Self {
        let half = 0.5 * (cell.longitude[1] - cell.longitude[0]);
        let beta = cell.latitude.map(|end| end - alpha);
        let at = At::turned(longitude, alpha);
        let range = Range::new(cell, beta, half);
        let jets = [0, 1].map(|side| {
            let mut jets = [StripFrame::Plane(DVec3::ZERO); MAX_LENGTHS];
            for (length, jet) in sum.sides[side].lengths.iter().zip(&mut jets) {
                *jet = match Jet::new(length, &at, &range) {
                    Some(jet) => StripFrame::Jet(jet),
                    None => StripFrame::Plane(length.gradient(at.n)),
                };
            }
            jets
        });
        Self { sum, alpha, at, half, across: range.sines, cos: range.cos, jets }
    }

    /// The latitude of the circle.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Is a length without an expansion only because the circle is long?
    pub fn is_unsteady(&self) -> bool {
        self.jets.iter().zip(&self.sum.sides).any(|(jets, side)| {
            let planes = jets.iter().zip(&side.lengths).filter(|(local, _)| matches!(local, StripFrame::Plane(_)));
            planes.into_iter().any(|(_, length)| (length.matrix * self.at.n).length() > VANISHING * length.size)
        })
    }

    /// The value of a piece and its derivatives along the circle and across it.
    pub fn first_order(&self, side: usize, piece: usize) -> [f64; 3] {
        let (point, mask) = self.sum.sides[side].pieces[piece];
        let start = [point.dot(self.at.n), point.dot(self.at.along), point.dot(self.at.t)];
        let own = self.jets[side].iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1);
        own.fold(start, |[value, along, across], (_, local)| {
            let [y, y1, z] = match local {
                StripFrame::Jet(jet) => [jet.y[0].value, jet.y[1].value, jet.z[0].value],
                StripFrame::Plane(p) => [p.dot(self.at.n), p.dot(self.at.along), p.dot(self.at.t)],
            };
            [value + y, along + y1, across + z]
        })
    }

    /// The quadratic function in (τ, b) below a mix.
    pub fn below(&self, mix: &PieceMean) -> Below {
        let (at, h) = (&self.at, self.half);
        let mut point = DVec3::ZERO;
        let (mut y, mut above, mut z, mut z_above) = ([Near::ZERO; 4], [0.0; 2], [Near::ZERO; 3], [0.0; 2]);
        let (mut rho, mut slack, mut size) = ([0.0; 2], 0.0, 0.0);
        for (side, terms) in mix.0.iter().enumerate() {
            for &(piece, weight) in terms.iter().filter(|(_, weight)| *weight > 0.0) {
                let (p, mask) = self.sum.sides[side].pieces[piece];
                point += weight * p;
                size += weight * p.length();
                let own = self.jets[side].iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1);
                for (_, local) in own {
                    let jet = match local {
                        StripFrame::Jet(jet) => jet,
                        StripFrame::Plane(p) => {
                            point += weight * *p;
                            size += weight * p.length();
                            continue;
                        }
                    };
                    let add = |sum: &mut f64, of: &f64| *sum += weight * of;
                    let add_near = |sum: &mut Near, of: &Near| *sum = *sum + *of * weight;
                    y.iter_mut().zip(&jet.y).for_each(|(sum, of)| add_near(sum, of));
                    above.iter_mut().zip(&jet.above).for_each(|(sum, of)| add(sum, of));
                    z.iter_mut().zip(&jet.z).for_each(|(sum, of)| add_near(sum, of));
                    z_above.iter_mut().zip(&jet.z_above).for_each(|(sum, of)| add(sum, of));
                    rho.iter_mut().zip(&jet.rho).for_each(|(sum, of)| add(sum, of));
                    slack += weight * jet.slack;
                }
            }
        }
        // The linear part is a harmonic along the circle.
        let beside = point.truncate().length();
        let [sin, cos] = at.latitude.map(f64::abs);
        let f = [y[0].value + point.dot(at.n), y[1].value + point.dot(at.along), y[2].value + point.dot(at.bend)];
        let third = (y[3].value - point.dot(at.along)).abs() + y[3].off();
        let m3 = (above[0] + cos * beside).min(third + h * (above[1] + cos * beside));
        let g = [z[0].value + point.dot(at.t), z[1].value + point.dot(at.t_along)];
        let second = (z[2].value + point.dot(at.t_bend)).abs() + z[2].off();
        let mg = (z_above[0] + sin * beside).min(second + h * (z_above[1] + sin * beside));
        let slack = slack + y[0].off() + h * (y[1].off() + 0.5 * h * y[2].off());
        let cubic = m3 * h * h * h / 6.0;
        // The largest value on the circle.
        let ends = f[0] + f[1].abs() * h + 0.5 * f[2] * h * h;
        let inner = if f[2] < 0.0 && f[1].abs() < -f[2] * h { f[0] - 0.5 * f[1] * f[1] / f[2] } else { ends };
        let most = ends.max(inner) + cubic + OF_FORMS * size + slack;
        let bend = |kappa: f64| if kappa >= 0.0 { kappa } else { 2.0 * kappa / (1.0 + self.cos) };
        let value = f[0] - OF_FORMS * size - slack;
        Below {
            model: Quadratic {
                value,
                slope: DVec2::new(f[1], g[0]),
                second: [f[2] - m3 * h / 3.0, g[1], bend(rho[0] - most)],
            },
            fold: 0.5 * mg * h * h + z[0].off() + h * z[1].off(),
            middle: [f[0], g[0], bend(rho[1] - f[0])],
        }
    }
}

/// A lower bound of a mix on a cell: `model` - `fold` |b|.
#[derive(Debug, Clone, Copy)]
pub(super) struct Below {
    pub model: Quadratic,
    pub fold: f64,
    /// Value, slope and second derivative of what would be below it on the middle meridian alone.
    pub middle: [f64; 3],
}

impl Below {
    /// The bound on the middle meridian alone.
    pub fn on_middle(&self, b: f64) -> f64 {
        let [value, slope, second] = self.middle;
        value + b * (slope + 0.5 * second * b)
    }

    /// The least of that on an interval, and where.
    pub fn least_on_middle(&self, [low, high]: [f64; 2]) -> (f64, f64) {
        let [_, slope, second] = self.middle;
        let ends = [low, high].map(|b| (self.on_middle(b), b));
        let lower = if ends[1].0 < ends[0].0 { ends[1] } else { ends[0] };
        let bottom = -slope / second;
        if second > 0.0 && low < bottom && bottom < high { (self.on_middle(bottom), bottom) } else { lower }
    }
}

/// The data of a cell that the bounds of a length need.
struct Range {
    half: f64,
    /// Sine and cosine of twice β at both ends.
    twice: [[f64; 2]; 2],
    /// The sines and cosines of β at both ends.
    sines: [f64; 2],
    cosines: [f64; 2],
    /// The cosine of the largest |β|.
    cos: f64,
    /// The largest |sin 2α| and cos² α.
    sin_twice: f64,
    cos_square: f64,
    /// The largest |β|.
    width: f64,
}

impl Range {
    fn new(cell: &Rectangle, beta: [f64; 2], half: f64) -> Self {
        let [low, high] = cell.latitude;
        let quarter = std::f64::consts::FRAC_PI_4;
        let holds = |x: f64| low <= x && x <= high;
        let [(low_sin, low_cos), (high_sin, high_cos)] = [libm::sincos(low), libm::sincos(high)];
        let sin_twice = if holds(quarter) || holds(-quarter) {
            1.0
        } else {
            2.0 * (low_sin * low_cos).abs().max((high_sin * high_cos).abs())
        };
        let cos = if holds(0.0) { 1.0 } else { low_cos.max(high_cos) };
        let twice = beta.map(|beta| {
            let (sin, cos) = libm::sincos(2.0 * beta);
            [sin, cos]
        });
        let width = beta[0].abs().max(beta[1].abs());
        let (sines, cosines) = if width < 1.0 {
            // Half angles are cheaper than angles.
            let cosines = twice.map(|[_, cos]| (0.5 * (1.0 + cos)).sqrt());
            ([0, 1].map(|end| 0.5 * twice[end][0] / cosines[end]), cosines)
        } else {
            (beta.map(libm::sin), beta.map(libm::cos))
        };
        let least = cosines[0].min(cosines[1]);
        Self { half, twice, sines, cosines, cos: least, sin_twice, cos_square: cos * cos, width }
    }
}

impl Jet {
    fn new(length: &Length, at: &At, range: &Range) -> Option<Self> {
        let (h, size) = (range.half, length.size);
        let [v, va, vb] = [at.n, at.along, at.bend].map(|d| NearVec::image(length, d));
        let [vt, vta, vtb] = [at.t, at.t_along, at.t_bend].map(|d| NearVec::image(length, d));
        let q = v.dot(&v);
        // A length that may all but vanish has no expansion.
        if !(v.length > VANISHING * size && q.low() > 0.0) {
            return None;
        }
        // q and its derivatives along the circle.
        let q1 = v.dot(&va) * 2.0;
        let q2 = (va.dot(&va) + v.dot(&vb)) * 2.0;
        let q3 = (va.dot(&vb) * 3.0 - v.dot(&va)) * 2.0;
        let [sa, ca] = at.latitude;
        let (sin_twice, cos_twice) = (2.0 * sa * ca, ca * ca - sa * sa);
        // Amplitudes of its harmonics.
        let (a1, a2) = (sin_twice.abs() * length.first, ca * ca * length.second);
        let bound = |at_middle: Near, power: f64| (a1 + power * a2).min(at_middle.most() + h * (a1 + 2.0 * power * a2));
        let [b1, b2, b3, b4] = [bound(q1, 2.0), bound(q2, 4.0), bound(q3, 8.0), a1 + 16.0 * a2];
        let least = q.low() - h * b1;
        if !(least > 0.1 * q.value) {
            return None;
        }
        let half_inverse = 0.5 / least.sqrt();
        let y1 = b1 * half_inverse;
        let y2 = (b2 + 2.0 * y1 * y1) * half_inverse;
        let y3 = (b3 + 6.0 * y1 * y2) * half_inverse;
        let y4 = (b4 + 8.0 * y1 * y3 + 6.0 * y2 * y2) * half_inverse;
        let y = q.sqrt();
        let twice = y * 2.0;
        let d1 = q1 / twice;
        let d2 = (q2 - d1 * d1 * 2.0) / twice;
        let d3 = (q3 - d1 * d2 * 6.0) / twice;
        // The slope across.
        let qa = v.dot(&vt) * 2.0;
        let qa1 = (va.dot(&vt) + v.dot(&vta)) * 2.0;
        let qa2 = (vb.dot(&vt) + va.dot(&vta) * 2.0 + v.dot(&vtb)) * 2.0;
        let (c1, c2) = (2.0 * cos_twice.abs() * length.first, sin_twice.abs() * length.second);
        let bound = |at_middle: Near, power: f64| (c1 + power * c2).min(at_middle.most() + h * (c1 + 2.0 * power * c2));
        let [e1, e2, e3] = [bound(qa1, 2.0), bound(qa2, 4.0), c1 + 8.0 * c2];
        let z0 = (qa.most() + h * e1) * half_inverse;
        let z1 = (e1 + 2.0 * y1 * z0) * half_inverse;
        let z2 = (e2 + 4.0 * y1 * z1 + 2.0 * y2 * z0) * half_inverse;
        let z3 = (e3 + 6.0 * y1 * z2 + 6.0 * y2 * z1 + 2.0 * y3 * z0) * half_inverse;
        let s = qa / twice;
        let s1 = (qa1 - d1 * s * 2.0) / twice;
        let s2 = (qa2 - d1 * s1 * 4.0 - d2 * s * 2.0) / twice;
        let rho = curvature(length, at, range, &v, &vt);
        // The matrix is in the axes of the search to rounding only, and the axes are orthonormal to that.
        let slack = OF_FORMS * size;
        Some(Self { y: [y, d1, d2, d3], above: [y3, y4], z: [s, s1, s2], z_above: [z2, z3], rho, slack })
    }
}

/// Lower bounds of N / q^(3/2) on a cell and on its middle meridian, from Ln and Lt at the middle of the circle.
fn curvature(length: &Length, at: &At, range: &Range, v: &NearVec, vt: &NearVec) -> [f64; 2] {
    // On the meridian of the middle, q(β) = |v cos β + vt sin β|² is a wave of 2β about a mean, all three of which may be far larger than q
    // is at the ends.
    let ends = [0, 1].map(|end| (v.value * range.cosines[end] + vt.value * range.sines[end]).length());
    let square = |v: &NearVec| v.length * v.length;
    let (mean, half, slope) = (0.5 * (square(v) + square(vt)), 0.5 * (square(v) - square(vt)), v.value.dot(vt.value));
    // It has its crest inside only if it rises first and falls last, or if there is room for more.
    let [low, high] = range.twice.map(|[sin, cos]| slope * cos - half * sin);
    let has_crest = low > 0.0 && high < 0.0 || range.width > std::f64::consts::FRAC_PI_4;
    let crest = if has_crest { (mean + amplitude(half, slope)).sqrt() } else { 0.0 };
    // Both vectors are off by their errors, and the rounding of their sum is below that.
    let off = 2.0 * (v.error + vt.error * range.sines[0].abs().max(range.sines[1].abs()));
    let longest = ends[0].max(ends[1]).max(crest) + off;
    let on_meridian = longest * longest * (1.0 + OF_FORMS);
    // N is the square of |cof(L) (n × t)|.
    let ([sin, cos], [cx, cy]) = (at.longitude, length.cofactors);
    let area = ((cx * sin - cy * cos).length() - length.cofactor_error).max(0.0);
    let n = area * area;
    // How much both may change along the circles.
    let change = range.sin_twice * length.first + 2.0 * range.cos_square * length.second;
    let ratio = |n: f64, most: f64| if n > 0.0 { n / (most * most.sqrt()) } else { 0.0 };
    [ratio(n - 2.0 * range.half * length.cofactor_wave, on_meridian + range.half * change), ratio(n, on_meridian)]
}
