//! A rattleback: half an ellipsoid whose inertia is turned against the axes of its surface. Spun one way it begins to rattle, stops, and spins the
//! other way.
//!
//! Rolling without slipping on a plane, in the axes of the body. With γ the direction upwards, ω the angular velocity and r the
//! way from the center of mass to the point of contact,
//!
//! ```text
//! γ' = γ × ω
//! (I + m (r² - r rᵀ)) ω' = -ω × I ω + m r × (r' × ω) + m r × (ω × (r × ω)) + m g r × γ
//! ```
//!
//! (the velocity of the center is r × ω, and the force at the contact is gone from the balance of momenta about it). The energy is
//! kept, which the integration is held to. Sizes and inertia are those of Kane and Levinson (1982), without their friction.

use clearance::Pose;
use clearance::math::{DMat3, DQuat, DVec3};

/// Semi-axes of the ellipsoid, in meters, z upwards.
pub const RADII: DVec3 = DVec3::new(0.2, 0.03, 0.02);

/// How far the center of mass is below that of the ellipsoid.
pub const BELOW: f64 = 0.01;

const MASS: f64 = 1.0;
const GRAVITY: f64 = 9.81;

/// Moments of inertia, and the product that turns their axes against those of the surface.
const INERTIA: DMat3 =
    DMat3::from_cols(DVec3::new(2e-4, -2e-5, 0.0), DVec3::new(-2e-5, 1.6e-3, 0.0), DVec3::new(0.0, 0.0, 1.7e-3));

/// Seconds in a step.
pub const STEP: f64 = 5e-4;

/// A rattleback that rolls on the plane z = 0.
#[derive(Debug, Clone, Copy)]
pub struct Rattleback {
    /// From the axes of the body to those of the world.
    rotation: DQuat,
    /// The angular velocity, in the axes of the body.
    spin: DVec3,
    /// Where the center of mass is.
    place: DVec3,
}

/// The rates of what a rattleback is.
struct Rates {
    spin: DVec3,
    turn: DVec3,
    velocity: DVec3,
}

impl Rattleback {
    /// Level but for a small tilt, and spun about the vertical.
    #[must_use]
    pub fn spun(rate: f64, tilt: f64) -> Self {
        let rotation = DQuat::from_rotation_x(tilt);
        let mut top = Self { rotation, spin: rotation.inverse() * (DVec3::Z * rate), place: DVec3::ZERO };
        top.place.z = top.height();
        top
    }

    fn up(&self) -> DVec3 {
        self.rotation.inverse() * DVec3::Z
    }

    /// From the center of mass to the contact, in the axes of the body.
    fn contact(up: DVec3) -> DVec3 {
        let squares = RADII * RADII * up;
        DVec3::Z * BELOW - squares / up.dot(squares).sqrt()
    }

    /// How high the center of mass is above the plane.
    fn height(&self) -> f64 {
        -Self::contact(self.up()).dot(self.up())
    }

    /// The rate of turning about the vertical.
    #[must_use]
    pub fn about_vertical(&self) -> f64 {
        self.spin.dot(self.up())
    }

    /// The angle between the body's own vertical and that of the world.
    #[must_use]
    pub fn tilt(&self) -> f64 {
        self.up().z.clamp(-1.0, 1.0).acos()
    }

    /// Kinetic and potential energy.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let velocity = Self::contact(self.up()).cross(self.spin);
        0.5 * MASS * velocity.length_squared()
            + 0.5 * self.spin.dot(INERTIA * self.spin)
            + MASS * GRAVITY * self.height()
    }

    /// Where the ellipsoid is: its center and axes.
    #[must_use]
    pub fn pose(&self) -> Pose {
        Pose::new(self.place + self.rotation * (DVec3::Z * BELOW), self.rotation)
    }

    fn rates(&self) -> Rates {
        let (w, up) = (self.spin, self.up());
        let r = Self::contact(up);
        // r = BELOW - D γ / s with D the squares of the radii and s² = γ·D γ, along γ' = γ × ω.
        let (squares, rate) = (RADII * RADII * up, up.cross(w));
        let s = up.dot(squares).sqrt();
        let moved = squares * (rate.dot(squares) / s.powi(3)) - RADII * RADII * rate / s;
        let torque =
            -w.cross(INERTIA * w) + MASS * r.cross(moved.cross(w) + w.cross(r.cross(w))) + MASS * GRAVITY * r.cross(up);
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        let about_contact = INERTIA + MASS * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer);
        Rates { spin: about_contact.inverse() * torque, turn: w, velocity: self.rotation * r.cross(w) }
    }

    /// At a rate for a time.
    fn moved(&self, rates: &Rates, time: f64) -> Self {
        let rotation = self.rotation * DQuat::from_scaled_axis(rates.turn * time);
        Self { rotation, spin: self.spin + rates.spin * time, place: self.place + rates.velocity * time }
    }

    /// One step by the midpoint rule of fourth order; the height is that of the contact, and does not drift.
    pub fn step(&mut self) {
        let first = self.rates();
        let second = self.moved(&first, 0.5 * STEP).rates();
        let third = self.moved(&second, 0.5 * STEP).rates();
        let fourth = self.moved(&third, STEP).rates();
        let mean = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (a + 2.0 * b + 2.0 * c + d) / 6.0;
        let rates = Rates {
            spin: mean(first.spin, second.spin, third.spin, fourth.spin),
            turn: mean(first.turn, second.turn, third.turn, fourth.turn),
            velocity: mean(first.velocity, second.velocity, third.velocity, fourth.velocity),
        };
        *self = self.moved(&rates, STEP);
        self.rotation = self.rotation.normalize();
        self.place.z = self.height();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spun against its handedness it comes to a stop while it rattles, and turns back; spun the other way it goes on for long.
    #[test]
    fn it_reverses_its_spin_one_way_and_keeps_its_energy() {
        let run = |rate: f64| {
            let mut top = Rattleback::spun(rate, 0.01);
            let energy = top.energy();
            let (mut most, mut least, mut tilt) = (f64::NEG_INFINITY, f64::INFINITY, 0.0_f64);
            for _ in 0..(8.0 / STEP) as usize {
                top.step();
                assert!((top.energy() / energy - 1.0).abs() < 1e-4, "{top:?}");
                (most, least) = (most.max(top.about_vertical()), least.min(top.about_vertical()));
                tilt = tilt.max(top.tilt());
            }
            (least, most, tilt)
        };
        let (against, along) = (run(-5.0), run(5.0));
        assert!(against.1 > 4.0 && against.2 > 0.1, "{against:?}");
        assert!(along.0 > 4.5, "{along:?}");
    }
}
