//! The flight of a body between two impacts: its center of mass falls, and it turns without torque.

use crate::Error;
use crate::body::Inertial;
use crate::contact::Moving;
use clearance::math::{DMat3, DVec3};
use clearance::shape::MassProperties;
use clearance::{Motion, Pose};

/// A body whose spin deviates from a principal axis by less than this part turns about a constant axis. Bound: in a flight of a thousand radians the axis moves by less than 1e-9.
const STEADY: f64 = 1e-12;

/// The largest angle of one flight of a body that tumbles, in radians. Limit: a flight is integrated when it begins, and most of it is lost when it ends early.
const LONGEST: f64 = 4.0;

/// The shortest, in radians. Limit: one segment of a motion.
const SHORTEST: f64 = 0.01;

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct Flight {
    pub start: f64,
    /// The motion holds until this time; infinite if it goes on.
    pub end: f64,
    pub motion: Motion,
    /// Of the center of mass, at the start.
    velocity: DVec3,
    acceleration: DVec3,
    /// In the axes of the world; constant if the body does not tumble.
    spin: DVec3,
    /// The angular momentum and twice the energy of rotation, if the body tumbles.
    tumbling: Option<(DVec3, f64)>,
}

/// The state of a body at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posed {
    pub pose: Pose,
    /// Of the center of mass.
    pub velocity: DVec3,
    pub spin: DVec3,
}

impl Posed {
    /// For impulses.
    pub fn moving(&self, inertial: &Inertial) -> Moving {
        Moving {
            center: self.pose.transform_point(inertial.center),
            velocity: self.velocity,
            spin: self.spin,
            inverse_mass: inertial.inverse_mass,
            inverse_inertia: inertial.inverse_inertia(DMat3::from_quat(self.pose.rotation())),
        }
    }

    /// Of motion alone.
    pub fn kinetic_energy(&self, inertial: &Inertial) -> f64 {
        let inertia = inertial.world_inertia(DMat3::from_quat(self.pose.rotation()));
        0.5 * inertial.mass * self.velocity.length_squared() + 0.5 * self.spin.dot(inertia * self.spin)
    }
}

impl Flight {
    /// The flight from a state on. `last` is how long the flight before it took: the next one may be as long.
    pub fn begin(state: Posed, inertial: &Inertial, acceleration: DVec3, start: f64, last: f64) -> Result<Self, Error> {
        let Posed { pose, velocity, spin } = state;
        if !inertial.is_dynamic {
            let motion = if velocity == DVec3::ZERO && spin == DVec3::ZERO {
                Motion::fixed(pose)
            } else {
                Motion::linear(pose, velocity, spin)?.about(inertial.center)?.from_time(start)?
            };
            let acceleration = DVec3::ZERO;
            return Ok(Self { start, end: f64::INFINITY, motion, velocity, acceleration, spin, tumbling: None });
        }
        let spin = inertial.free_spin(spin);
        let inertia = inertial.world_inertia(DMat3::from_quat(pose.rotation()));
        let momentum = inertia * spin;
        let rate = spin.length();
        let deviation = momentum.cross(spin).length();
        let is_steady =
            inertial.is_isotropic || inertial.free_axes() < 3 || deviation <= STEADY * momentum.length() * rate;
        if is_steady {
            let motion =
                Motion::ballistic(pose, velocity, spin, acceleration)?.about(inertial.center)?.from_time(start)?;
            return Ok(Self { start, end: f64::INFINITY, motion, velocity, acceleration, spin, tumbling: None });
        }
        let until = (4.0 * last).clamp(SHORTEST / rate, LONGEST / rate);
        let solid = MassProperties { volume: 1.0, centroid: inertial.center, inertia: inertial.inertia };
        let motion = Motion::torque_free(pose, velocity, spin, acceleration, &solid, until)?.from_time(start)?;
        Ok(Self {
            start,
            end: start + until,
            motion,
            velocity,
            acceleration,
            spin,
            tumbling: Some((momentum, momentum.dot(spin))),
        })
    }

    /// The state at a time of the flight.
    pub fn at(&self, time: f64, inertial: &Inertial) -> Posed {
        let pose = self.motion.pose(time);
        let spin = match self.tumbling {
            Some((momentum, twice_energy)) => {
                let spin = inertial.inverse_inertia(DMat3::from_quat(pose.rotation())) * momentum;
                // A motion is exact at the ends of its segments only. In between the spin is that of the energy, which must not grow; the angular momentum takes the error.
                spin * (twice_energy / momentum.dot(spin)).sqrt()
            }
            None => self.spin,
        };
        Posed { pose, velocity: self.velocity + self.acceleration * (time - self.start), spin }
    }
}
