//! The damping of a spring that gives a restitution.
//!
//! A mass m at the end of a spring with the force k x + c v, cut off at zero, leaves it with a part e of its speed (Schwager and Pöschel, "Coefficient of restitution and linear-dashpot model revisited",
//! 2007). With ζ = c / (2 √(k m)),
//!
//! - ln e = -ζ / √(1 - ζ²) (π - atan2(2 ζ √(1 - ζ²), 1 - 2 ζ²)) for ζ < 1,
//! - ln e = -ζ / √(ζ² - 1) ln((ζ + √(ζ² - 1)) / (ζ - √(ζ² - 1))) for ζ > 1.

use std::f64::consts::PI;

/// The strongest damping. Limit: bodies at rest come back to their equilibrium at a rate of ω / (2 ζ); restitutions below that of this damping, 0.024, count as that.
const STRONGEST: f64 = 3.0;

/// Halvings of the search for the damping. Bound: to 1e-15.
const HALVINGS: u32 = 52;

/// e of ζ.
fn restitution(damping: f64) -> f64 {
    let square = 1.0 - damping * damping;
    let root = square.abs().sqrt();
    // Bound: between the two forms the function is that of ζ = 1 to a thousandth of this.
    if root < 1e-4 {
        return (-2.0_f64).exp();
    }
    let exponent = if square > 0.0 {
        PI - (2.0 * damping * root).atan2(1.0 - 2.0 * damping * damping)
    } else {
        ((damping + root) / (damping - root)).ln()
    };
    (-damping / root * exponent).exp()
}

/// ζ of e.
pub(super) fn damping_ratio(wanted: f64) -> f64 {
    if wanted <= restitution(STRONGEST) {
        return STRONGEST;
    }
    let (mut low, mut high) = (0.0, STRONGEST);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if restitution(middle) > wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spring integrated in very small steps leaves with e times the speed.
    #[test]
    fn a_damped_spring_returns_its_part() {
        for wanted in [0.05, 0.135_335, 0.3, 0.5, 0.8, 0.99] {
            let damping = damping_ratio(wanted);
            let (mut x, mut v, h) = (0.0_f64, 1.0_f64, 1e-5);
            loop {
                let force = x + 2.0 * damping * v;
                if force < 0.0 {
                    break;
                }
                v -= force * h;
                x += v * h;
            }
            assert!((-v - wanted).abs() < 1e-3, "{wanted}: {} {v}", damping);
        }
        assert_eq!((damping_ratio(0.0), damping_ratio(1.0) < 1e-12), (STRONGEST, true));
    }
}
