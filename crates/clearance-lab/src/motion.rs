//! Coherent motion: Algorithm 9 of the V-Clip paper.
//!
//! One body stands still at the origin. The other swings about it, each coordinate a cosine of its own phase, and turns
//! about a fixed axis, both by the same angle per frame: 0 degrees is a standing picture, 25 a wild one.

use crate::random;
use clearance::Pose;
use clearance::math::{DQuat, DVec3};
use fastrand::Rng;
use std::f64::consts::TAU;

/// Frames in one track; a cache of coherence is dropped at its start.
pub const TRACK: usize = 1000;

/// Swing of the moving body's centre, in circumradii.
pub const AMPLITUDE: f64 = 2.2;

/// The centres never come closer than this, in circumradii: the bodies never touch.
pub const NEAREST: f64 = 2.02;

/// One track: the poses of the moving body, frame by frame.
#[derive(Debug, Clone)]
pub struct Track {
    amplitude: f64,
    phases: DVec3,
    axis: DVec3,
    radians_per_frame: f64,
    frame: usize,
}

impl Track {
    /// A track for two bodies of that circumradius, the angle in degrees per frame.
    ///
    /// What is drawn depends on the generator only, so the same seed gives the same phases and axis for every shape and
    /// every angle.
    #[must_use]
    pub fn new(rng: &mut Rng, circumradius: f64, degrees_per_frame: f64) -> Self {
        let phases = loop {
            let phases = random::vector(rng, 0.0, TAU);
            if nearest_approach(phases) * AMPLITUDE >= NEAREST {
                break phases;
            }
        };
        Self {
            amplitude: AMPLITUDE * circumradius,
            phases,
            axis: random::direction(rng),
            radians_per_frame: degrees_per_frame.to_radians(),
            frame: 0,
        }
    }
}

/// The least norm of (cos(t + p_x), cos(t + p_y), cos(t + p_z)) over all t.
///
/// The square is (3 + sum cos(2 t + 2 p)) / 2, and the sum of the three is at least minus the length of the sum of the
/// three arrows e^(2 i p).
fn nearest_approach(phases: DVec3) -> f64 {
    let (mut cos, mut sin) = (0.0, 0.0);
    for phase in phases.to_array() {
        cos += (2.0 * phase).cos();
        sin += (2.0 * phase).sin();
    }
    (0.5 * (3.0 - cos.hypot(sin))).max(0.0).sqrt()
}

impl Iterator for Track {
    type Item = Pose;

    fn next(&mut self) -> Option<Pose> {
        if self.frame == TRACK {
            return None;
        }
        self.frame += 1;
        let angle = self.radians_per_frame * self.frame as f64;
        let center = self.phases.to_array().map(|phase| self.amplitude * (angle + phase).cos());
        Some(Pose::new(center, DQuat::from_axis_angle(self.axis, angle)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (TRACK - self.frame, Some(TRACK - self.frame))
    }
}

impl ExactSizeIterator for Track {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_keep_their_distance_and_repeat_with_the_seed() {
        for omega in [0.0, 1.0, 5.0, 25.0] {
            let mut rng = Rng::with_seed(1997);
            for _ in 0..10 {
                let track = Track::new(&mut rng, 1.5, omega);
                assert_eq!(track.len(), TRACK);
                let poses: Vec<Pose> = track.collect();
                assert_eq!(poses.len(), TRACK);
                let distances = poses.iter().map(|pose| pose.translation().length());
                assert!(distances.clone().all(|d| d >= NEAREST * 1.5 - 1e-12), "{omega}");
                assert!(distances.fold(0.0, f64::max) <= AMPLITUDE * 1.5 * 3.0_f64.sqrt());
                if omega == 0.0 {
                    assert!(poses.iter().all(|pose| *pose == poses[0]));
                }
            }
        }
        let first = |seed| Track::new(&mut Rng::with_seed(seed), 1.0, 5.0).last();
        assert_eq!(first(4), first(4));
        assert_ne!(first(4), first(5));
    }

    #[test]
    fn a_frame_turns_by_the_angle_asked_for() {
        let poses: Vec<Pose> = Track::new(&mut Rng::with_seed(2), 1.0, 5.0).collect();
        let turn = poses[11].rotation() * poses[10].rotation().conjugate();
        assert!((2.0 * turn.w.abs().acos() - 5.0_f64.to_radians()).abs() < 1e-9);
    }
}
