//! Random numbers of the kinds the generators need.
//!
//! Directions and rotations use square roots only, so they are the same on every machine; a magnitude may differ there
//! in its last digit.

use clearance::math::{DQuat, DVec3};
use fastrand::Rng;

/// A number from `low` to `high`.
pub fn uniform(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

/// Ten to a power drawn from `low` to `high`: every magnitude is as likely as every other.
pub fn magnitude(rng: &mut Rng, low: f64, high: f64) -> f64 {
    10.0_f64.powf(uniform(rng, low, high))
}

/// A vector with each coordinate from `low` to `high`.
pub fn vector(rng: &mut Rng, low: f64, high: f64) -> DVec3 {
    DVec3::new(uniform(rng, low, high), uniform(rng, low, high), uniform(rng, low, high))
}

/// A direction, each as likely as every other.
pub fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = vector(rng, -1.0, 1.0);
        let square = v.length_squared();
        if (1e-4..=1.0).contains(&square) {
            return v / square.sqrt();
        }
    }
}

/// A rotation, each as likely as every other.
pub fn rotation(rng: &mut Rng) -> DQuat {
    loop {
        let v = vector(rng, -1.0, 1.0);
        let q = DQuat::from_xyzw(v.x, v.y, v.z, uniform(rng, -1.0, 1.0));
        if (1e-4..=1.0).contains(&q.length_squared()) {
            return q.normalize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_and_rotations_are_units_and_repeat_with_the_seed() {
        let mut rng = Rng::with_seed(1);
        let mut mean = DVec3::ZERO;
        for _ in 0..10_000 {
            let d = direction(&mut rng);
            assert!((d.length() - 1.0).abs() < 1e-15);
            assert!((rotation(&mut rng).length() - 1.0).abs() < 1e-15);
            mean += d / 10_000.0;
        }
        assert!(mean.length() < 0.05);
        assert_eq!(rotation(&mut Rng::with_seed(9)), rotation(&mut Rng::with_seed(9)));
    }
}
