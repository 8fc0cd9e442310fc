//! The time of collision by interpolation through a gap and a depth.
//!
//! Paper \[Penetration Depth\] (Kim, Otaduy, Lin and Manocha 2002), section 7.2: in a step of length T two bodies pass from a gap s to a depth d. With the rates v₀ and v₁ at which
//! they separate along the direction of the depth, the gap is taken as the cubic x with x(0) = s, x'(0) = v₀, x(T) = -d, x'(T) = v₁. It is x(t) = A t³ + B t² + v₀ t + s with
//!
//! - A T³ = 2 (s + d) + (v₀ + v₁) T,
//! - B T² = -3 (s + d) - (2 v₀ + v₁) T.
//!
//! Its first root in \[0, T\] estimates the time of collision. The gap there is measured, the interval shrinks to the side on which the sign changes, and the next cubic is about that interval. Bisection
//! takes over where a cubic does not halve it.

/// Interpolations and bisections of a search. Limit: bisection to the last bit.
const MOST_SAMPLES: u32 = 80;

/// The signed gap of two bodies at a time, and its rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub time: f64,
    /// Minus the depth, if the bodies overlap.
    pub gap: f64,
    pub rate: f64,
}

/// A time of collision, and how it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Collision {
    /// The bodies are apart here, by at most the tolerance.
    pub time: f64,
    pub cubics: u32,
    pub bisections: u32,
}

/// The paper's polynomial over the unit interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cubic([f64; 4]);

impl Cubic {
    /// Through two samples.
    pub fn through(early: &Sample, late: &Sample) -> Self {
        let length = late.time - early.time;
        let (fall, v0, v1) = (early.gap - late.gap, early.rate * length, late.rate * length);
        Self([2.0 * fall + v0 + v1, -3.0 * fall - 2.0 * v0 - v1, v0, early.gap])
    }

    fn at(&self, x: f64) -> f64 {
        let [a, b, c, d] = self.0;
        ((a * x + b) * x + c) * x + d
    }

    /// The first root from 0 to 1, if there is one.
    pub fn first_root(&self) -> Option<f64> {
        if self.at(0.0) <= 0.0 {
            return Some(0.0);
        }
        // Between the roots of the derivative it is monotone.
        let [a, b, c, _] = self.0;
        let (half, discriminant) = (b, b * b - 3.0 * a * c);
        let mut ends = [1.0; 3];
        if discriminant >= 0.0 {
            // Without cancellation: the roots are q / (3 a) and c / q.
            let q = -(half + discriminant.sqrt().copysign(half));
            ends = [q / (3.0 * a), c / q, 1.0].map(|x| if x > 0.0 && x < 1.0 { x } else { 1.0 });
            ends.sort_by(f64::total_cmp);
        }
        let mut low = 0.0;
        for high in ends {
            if self.at(high) <= 0.0 {
                return Some(self.root_between(low, high));
            }
            low = high;
        }
        None
    }

    /// Newton's method, with bisection where a step leaves the interval. The value is positive at `low`, and not at `high`.
    fn root_between(&self, mut low: f64, mut high: f64) -> f64 {
        let [a, b, c, _] = self.0;
        let mut x = 0.5 * (low + high);
        for _ in 0..MOST_SAMPLES {
            let value = self.at(x);
            if value > 0.0 {
                low = x
            } else {
                high = x
            }
            let step = x - value / ((3.0 * a * x + 2.0 * b) * x + c);
            let next = if step > low && step < high { step } else { 0.5 * (low + high) };
            if next == x || !(next > low && next < high) {
                break;
            }
            x = next;
        }
        x
    }
}

/// The time between two samples at which the gap falls to the tolerance. The bodies are apart at the early one and overlap at the late one. `measure` samples a time between.
pub(super) fn collision(
    mut early: Sample,
    mut late: Sample,
    tolerance: f64,
    mut measure: impl FnMut(f64) -> Sample,
) -> Collision {
    let mut found = Collision { time: early.time, cubics: 0, bisections: 0 };
    let mut is_bisecting = false;
    for _ in 0..MOST_SAMPLES {
        if early.gap <= tolerance {
            break;
        }
        let width = late.time - early.time;
        // To the middle of the tolerance, so that the bodies are apart.
        let lowered = |sample: &Sample| Sample { gap: sample.gap - 0.5 * tolerance, ..*sample };
        let root = if is_bisecting { None } else { Cubic::through(&lowered(&early), &lowered(&late)).first_root() };
        *(if root.is_some() { &mut found.cubics } else { &mut found.bisections }) += 1;
        let time = early.time + width * root.unwrap_or(0.5);
        if !(time > early.time && time < late.time) {
            break;
        }
        let sample = measure(time);
        if sample.gap > 0.0 {
            early = sample
        } else {
            late = sample
        }
        is_bisecting = root.is_some() && late.time - early.time > 0.5 * width;
    }
    Collision { time: early.time, ..found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time: f64, x: impl Fn(f64) -> f64, rate: impl Fn(f64) -> f64) -> Sample {
        Sample { time, gap: x(time), rate: rate(time) }
    }

    #[test]
    fn the_coefficients_are_those_of_the_paper() {
        // x(0) = s, x'(0) = v, x(T) = -d, x'(T) = w in the paper's unit of time.
        let (s, d, v, w, t) = (0.3, 0.2, -1.5, 0.25, 0.5);
        let early = Sample { time: 2.0, gap: s, rate: v };
        let Cubic([a, b, c, e]) = Cubic::through(&early, &Sample { time: 2.0 + t, gap: -d, rate: w });
        let x = |time: f64| ((a / (t * t * t) * time + b / (t * t)) * time + c / t) * time + e;
        let rate = |time: f64| (3.0 * a / (t * t * t) * time + 2.0 * b / (t * t)) * time + c / t;
        for (found, truth) in [(x(0.0), s), (rate(0.0), v), (x(t), -d), (rate(t), w)] {
            assert!((found - truth).abs() < 1e-14, "{found} {truth}");
        }
        assert!((a - (2.0 * s + 2.0 * d + (v + w) * t)).abs() < 1e-15);
        assert!((b - (-3.0 * s - 3.0 * d - (2.0 * v + w) * t)).abs() < 1e-15);
    }

    #[test]
    fn first_roots_are_the_least_ones() {
        // (x - r)(x - s)(x - t) with any sign of the leading coefficient.
        for roots in [[0.2, 0.5, 0.9], [0.9, 1.5, 2.0], [0.4, -1.0, 3.0], [0.5, 0.5, 0.7], [0.1, 0.1, 0.1]] {
            let [r, s, t]: [f64; 3] = roots;
            let product = [1.0, -(r + s + t), r * s + s * t + t * r, -r * s * t];
            let sign = if product[3] > 0.0 { 1.0 } else { -1.0 };
            let found = Cubic(product.map(|x| sign * x)).first_root().unwrap();
            let truth = roots.into_iter().filter(|x| (0.0..=1.0).contains(x)).fold(f64::INFINITY, f64::min);
            // A double root is known to the root of the rounding error, a triple one to its cube root.
            assert!((found - truth).abs() < 1e-4, "{roots:?}: {found}");
        }
        assert_eq!(Cubic([0.0, 1.0, 0.0, 1.0]).first_root(), None);
        assert_eq!(Cubic([0.0, 0.0, 0.0, 0.0]).first_root(), Some(0.0));
        assert!((Cubic([0.0, 0.0, -2.0, 1.0]).first_root().unwrap() - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_free_fall_takes_one_cubic() {
        // s - g t² / 2 is a polynomial of the second degree, so the first estimate is exact.
        let (x, rate) = (|t: f64| 0.45 - 5.0 * t * t, |t: f64| -10.0 * t);
        let found = collision(sample(0.0, x, rate), sample(0.5, x, rate), 1e-9, |t| sample(t, x, rate));
        assert!((found.time - 0.3).abs() < 1e-9 && (found.cubics, found.bisections) == (1, 0), "{found:?}");
    }

    #[test]
    fn a_turning_blade_takes_few_cubics_and_a_jump_is_bisected() {
        let (x, rate) = (|t: f64| (3.0 * t).cos() - 0.2, |t: f64| -3.0 * (3.0 * t).sin());
        let found = collision(sample(0.0, x, rate), sample(0.6, x, rate), 1e-9, |t| sample(t, x, rate));
        assert!((found.time - 0.2_f64.acos() / 3.0).abs() < 1e-9 && found.cubics <= 5, "{found:?}");
        // The depth of two thin walls jumps from zero, and the rates are wrong.
        let jump = |t: f64| Sample { time: t, gap: if t < 0.123 { 0.123 - t } else { -5.0 }, rate: 40.0 };
        let found = collision(jump(0.0), jump(1.0), 1e-6, jump);
        assert!(found.time < 0.123 && found.time > 0.123 - 1e-6 && found.bisections > 0, "{found:?}");
    }
}
