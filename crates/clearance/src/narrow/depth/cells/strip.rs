//! A lower bound of f on a cell, by a quadratic function.
//!
//! A cell is a rectangle of longitudes |τ| <= h about its middle and latitudes β from those of a chosen circle; b = sin β.
//!
//! **Mixes.** f is a sum of two maxima. Means of the pieces of A, and of those of B, are at most f: φ(n) = P·n + Σ w |L n| <= f(n).
//!
//! **Across the circle.** On a meridian, a great circle, g(β) = φ fulfils g'' + g = R with R = Σ w N / q^(3/2), q = |Ln|² and
//! N = |Ln × Lt|² = |cof(L) (n × t)|², where n × t is the same all along the meridian. Variation of constants: if R >= ρ, then
//! g(β) >= g(0) cos β + g'(0) sin β + ρ (1 - cos β).
//!
//! **Along the circle.** q = y² is a trigonometric polynomial of degree two in τ, and all but its constant is as small as the shape
//! is asymmetric about the axis. With its derivatives those of y and of the slope z = ∂y/∂α are bounded, by Leibniz' rule on y² = q and
//! 2yz = ∂q/∂α. So with values and derivatives at the middle of the circle, M₃ >= |φ'''| and M_g >= |g''| on the circle,
//!
//! > φ >= f₀ + f₁τ + (f₂ - M₃ h/3) τ²/2 + (g₀ + g₁τ) b + κ b²/2 - M_g h²/2 |b|    (|τ|³ <= h τ²),
//!
//! where κ = ρ - max φ on the circle if that is positive (1 - cos β >= b²/2), else 2 / (1 + cos β) times that at the largest β.
//! What is left out is of third order in h and has the asymmetry as a factor: the number of cells does not depend on how small that is.

use super::quadratic::Quadratic;
use super::sum::{At, Length, Sum, amplitude};
use crate::math::rounding::OF_FORMS;
use crate::shape::form::MAX_LENGTHS;
use glam::{DVec2, DVec3};

/// A rectangle of directions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rectangle {
    pub longitude: [f64; 2],
    pub latitude: [f64; 2],
}

/// Means of pieces: for A and for B two numbers with their weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceMean(pub [[(usize, f64); 2]; 2]);

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
    y: [f64; 4],
    /// Bounds of |y'''| and |y''''| on the circle.
    above: [f64; 2],
    /// z, z', z''.
    z: [f64; 3],
    /// Bounds of |z''| and |z'''| on the circle.
    z_above: [f64; 2],
    /// N / q^(3/2) is at least this on the cell, and on its middle meridian.
    rho: [f64; 2],
    /// What rounding may do to all of it.
    slack: f64,
}

/// What stands for a length on a cell.
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

/// A length that is shorter than this part of its size is nothing but rounding.
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

    /// The least range of latitudes within which a length bends: |Ln| / |Lt|.
    pub fn narrowness(&self) -> f64 {
        let lengths = self.sum.sides.iter().flat_map(|side| &side.lengths);
        lengths.fold(1.0, |least, length| {
            let (y, t) = ((length.matrix * self.at.n).length(), (length.matrix * self.at.t).length());
            if y < t * least { y / t } else { least }
        })
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
                StripFrame::Jet(jet) => [jet.y[0], jet.y[1], jet.z[0]],
                StripFrame::Plane(p) => [p.dot(self.at.n), p.dot(self.at.along), p.dot(self.at.t)],
            };
            [value + y, along + y1, across + z]
        })
    }

    /// The quadratic function in (τ, b) below a mix.
    pub fn below(&self, mix: &PieceMean) -> Below {
        let (at, h) = (&self.at, self.half);
        let mut point = DVec3::ZERO;
        let (mut y, mut above, mut z, mut z_above) = ([0.0; 4], [0.0; 2], [0.0; 3], [0.0; 2]);
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
                    y.iter_mut().zip(&jet.y).for_each(|(sum, of)| add(sum, of));
                    above.iter_mut().zip(&jet.above).for_each(|(sum, of)| add(sum, of));
                    z.iter_mut().zip(&jet.z).for_each(|(sum, of)| add(sum, of));
                    z_above.iter_mut().zip(&jet.z_above).for_each(|(sum, of)| add(sum, of));
                    rho.iter_mut().zip(&jet.rho).for_each(|(sum, of)| add(sum, of));
                    slack += weight * jet.slack;
                }
            }
        }
        // The linear part is a harmonic along the circle.
        let beside = point.truncate().length();
        let [sin, cos] = at.latitude.map(f64::abs);
        let f = [y[0] + point.dot(at.n), y[1] + point.dot(at.along), y[2] + point.dot(at.bend)];
        let third = (y[3] - point.dot(at.along)).abs();
        let m3 = (above[0] + cos * beside).min(third + h * (above[1] + cos * beside));
        let g = [z[0] + point.dot(at.t), z[1] + point.dot(at.t_along)];
        let second = (z[2] + point.dot(at.t_bend)).abs();
        let mg = (z_above[0] + sin * beside).min(second + h * (z_above[1] + sin * beside));
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
            fold: 0.5 * mg * h * h,
            middle: [f[0], g[0], bend(rho[1] - f[0])],
        }
    }
}

/// What is below a mix on a cell: `model` - `fold` |b|.
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
}

/// What the bounds of a length need to know of a cell.
struct Range {
    half: f64,
    /// Sine and cosine of twice β at both ends.
    twice: [[f64; 2]; 2],
    /// The sines of β at both ends.
    sines: [f64; 2],
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
        let (sines, cos_width) = if width < 1.0 {
            // Half angles are cheaper than angles.
            let cosines = twice.map(|[_, cos]| (0.5 * (1.0 + cos)).sqrt());
            ([0, 1].map(|end| 0.5 * twice[end][0] / cosines[end]), cosines[0].min(cosines[1]))
        } else {
            (beta.map(libm::sin), libm::cos(width))
        };
        Self { half, twice, sines, cos: cos_width, sin_twice, cos_square: cos * cos, width }
    }
}

impl Jet {
    fn new(length: &Length, at: &At, range: &Range) -> Option<Self> {
        let matrix = &length.matrix;
        let (h, size) = (range.half, length.size);
        let (v, va, vb) = (*matrix * at.n, *matrix * at.along, *matrix * at.bend);
        let (vt, vta, vtb) = (*matrix * at.t, *matrix * at.t_along, *matrix * at.t_bend);
        let q = v.dot(v);
        let y = q.sqrt();
        // q and its derivatives along the circle.
        let q1 = 2.0 * v.dot(va);
        let q2 = 2.0 * (va.dot(va) + v.dot(vb));
        let q3 = 2.0 * (3.0 * va.dot(vb) - v.dot(va));
        let [sa, ca] = at.latitude;
        let (sin_twice, cos_twice) = (2.0 * sa * ca, ca * ca - sa * sa);
        // Amplitudes of its harmonics.
        let (a1, a2) = (sin_twice.abs() * length.first, ca * ca * length.second);
        let bound = |at_middle: f64, power: f64| (a1 + power * a2).min(at_middle.abs() + h * (a1 + 2.0 * power * a2));
        let [b1, b2, b3, b4] = [bound(q1, 2.0), bound(q2, 4.0), bound(q3, 8.0), a1 + 16.0 * a2];
        let least = q - h * b1;
        // A length that may all but vanish has no expansion.
        if !(least > 0.1 * q && y > VANISHING * size) {
            return None;
        }
        let half_inverse = 0.5 / least.sqrt();
        let y1 = b1 * half_inverse;
        let y2 = (b2 + 2.0 * y1 * y1) * half_inverse;
        let y3 = (b3 + 6.0 * y1 * y2) * half_inverse;
        let y4 = (b4 + 8.0 * y1 * y3 + 6.0 * y2 * y2) * half_inverse;
        let inverse = 0.5 / y;
        let d1 = q1 * inverse;
        let d2 = (q2 - 2.0 * d1 * d1) * inverse;
        let d3 = (q3 - 6.0 * d1 * d2) * inverse;
        // The slope across.
        let qa = 2.0 * v.dot(vt);
        let qa1 = 2.0 * (va.dot(vt) + v.dot(vta));
        let qa2 = 2.0 * (vb.dot(vt) + 2.0 * va.dot(vta) + v.dot(vtb));
        let (c1, c2) = (2.0 * cos_twice.abs() * length.first, sin_twice.abs() * length.second);
        let bound = |at_middle: f64, power: f64| (c1 + power * c2).min(at_middle.abs() + h * (c1 + 2.0 * power * c2));
        let [e1, e2, e3] = [bound(qa1, 2.0), bound(qa2, 4.0), c1 + 8.0 * c2];
        let z0 = (qa.abs() + h * e1) * half_inverse;
        let z1 = (e1 + 2.0 * y1 * z0) * half_inverse;
        let z2 = (e2 + 4.0 * y1 * z1 + 2.0 * y2 * z0) * half_inverse;
        let z3 = (e3 + 6.0 * y1 * z2 + 6.0 * y2 * z1 + 2.0 * y3 * z0) * half_inverse;
        let s = qa * inverse;
        let s1 = (qa1 - 2.0 * d1 * s) * inverse;
        let s2 = (qa2 - 4.0 * d1 * s1 - 2.0 * d2 * s) * inverse;
        let most = y.max(va.length()).max(vb.length());
        let mixed = va.length() * vt.length() + y * vta.length();
        let slack = OF_FORMS * (size + 2.0 * half_inverse * h * (most * most * h + mixed * range.width));
        let rho = curvature(length, at, range, q, 0.5 * qa, vt.dot(vt));
        Some(Self { y: [y, d1, d2, d3], above: [y3, y4], z: [s, s1, s2], z_above: [z2, z3], rho, slack })
    }
}

/// Lower bounds of N / q^(3/2) on a cell and on its middle meridian, from q, its half-slope and |Lt|² at the middle of the circle.
fn curvature(length: &Length, at: &At, range: &Range, q: f64, slope: f64, across: f64) -> [f64; 2] {
    // On the meridian of the middle, q(β) = q cos² β + 2 slope sin β cos β + |Lt|² sin² β: a wave of 2β.
    let (mean, half) = (0.5 * (q + across), 0.5 * (q - across));
    let [low, high] = range.twice.map(|[sin, cos]| [half * cos + slope * sin, slope * cos - half * sin]);
    // It has its crest inside only if it rises first and falls last, or if there is room for more.
    let has_crest = low[1] > 0.0 && high[1] < 0.0 || range.width > std::f64::consts::FRAC_PI_4;
    let on_meridian = mean + if has_crest { amplitude(half, slope) } else { low[0].max(high[0]) };
    let [mean, c, s] = length.cofactor;
    let [sin, cos] = at.longitude;
    let n = mean - c * (cos * cos - sin * sin) - s * 2.0 * sin * cos - 16.0 * f64::EPSILON * length.cofactor_size;
    let on_meridian = on_meridian * (1.0 + OF_FORMS);
    // How much both may change along the circles.
    let change = range.sin_twice * length.first + 2.0 * range.cos_square * length.second;
    let ratio = |n: f64, most: f64| if n > 0.0 { n / (most * most.sqrt()) } else { 0.0 };
    [ratio(n - 2.0 * range.half * amplitude(c, s), on_meridian + range.half * change), ratio(n, on_meridian)]
}
