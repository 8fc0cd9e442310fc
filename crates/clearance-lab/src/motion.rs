//! Coherent motion: Algorithm 9 of the V-Clip paper.
//!
//! One body stands still at the origin. The other swings about it, each coordinate a cosine of its own phase, and turns about a fixed axis. Both
//! advance by the same angle per frame: 0 degrees is no motion, 25 degrees a fast one.

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
    /// Random numbers depend on the generator only, so the same seed gives the same phases and axis for every shape and every angle.
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

/// The tracks of a test as the paper prints it. Phases are random. The amplitude is chosen to avoid penetration: it is the least one at which the
/// centres of no track come closer than [`NEAREST`].
///
/// The same seed gives the same phases and axes for every shape and every angle.
#[must_use]
pub fn free_tracks(rng: &mut Rng, circumradius: f64, degrees_per_frame: f64, count: usize) -> Vec<Track> {
    let drawn: Vec<[DVec3; 2]> = (0..count).map(|_| [random::vector(rng, 0.0, TAU), random::direction(rng)]).collect();
    let nearest = drawn.iter().map(|[phases, _]| nearest_approach(*phases)).fold(f64::INFINITY, f64::min);
    let amplitude = NEAREST * circumradius / nearest;
    let radians_per_frame = degrees_per_frame.to_radians();
    drawn.into_iter().map(|[phases, axis]| Track { amplitude, phases, axis, radians_per_frame, frame: 0 }).collect()
}

/// The least norm of (cos(t + p_x), cos(t + p_y), cos(t + p_z)) over all t.
///
/// The square is (3 + sum cos(2 t + 2 p)) / 2, and the sum of the three is at least minus the length of the sum of the three complex numbers e^(2 i
/// p).
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

/// Two hulls that circle around each other and tumble, both by the same angle per frame, without ever touching: the gap along
/// the line of their origins' motion swings between 0.02 and 0.3.
///
/// The distance of the origins is the sum of the heights along their line and the gap. So they are as close as possible without overlap, where a
/// separating vector has to follow the motion.
pub fn tumble<'a>(
    rng: &mut Rng,
    points_a: &'a [DVec3],
    points_b: &'a [DVec3],
    degrees_per_frame: f64,
) -> impl Iterator<Item = [Pose; 2]> + use<'a> {
    let turn = degrees_per_frame.to_radians();
    let (orbit, axis_a, axis_b) = (random::direction(rng), random::direction(rng), random::direction(rng));
    let (start_a, start_b) = (random::rotation(rng), random::rotation(rng));
    let outward = orbit.any_orthonormal_vector();
    (0..TRACK).map(move |frame| {
        let angle = turn * frame as f64;
        let rotation_a = DQuat::from_axis_angle(axis_a, angle) * start_a;
        let rotation_b = DQuat::from_axis_angle(axis_b, -angle) * start_b;
        let direction = DQuat::from_axis_angle(orbit, angle) * outward;
        let height = |points: &[DVec3], local: DVec3| crate::models::farthest(points, local).dot(local);
        let heights = height(points_a, rotation_a.conjugate() * direction)
            + height(points_b, rotation_b.conjugate() * -direction);
        let gap = 0.16 + 0.14 * (0.7 * angle).sin();
        [Pose::new(DVec3::ZERO, rotation_a), Pose::new(direction * (heights + gap), rotation_b)]
    })
}

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
        // As printed: one amplitude for all, at which the nearest of them touches the bound.
        let tracks = free_tracks(&mut Rng::with_seed(3), 1.5, 1.0, 10);
        let nearest = tracks
            .iter()
            .map(|track| track.clone().map(|pose| pose.translation().length()).fold(f64::INFINITY, f64::min));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        assert!((NEAREST * 1.5 - 1e-12..NEAREST * 1.5 + 0.01).contains(&nearest), "{nearest}");
        let first = |seed| Track::new(&mut Rng::with_seed(seed), 1.0, 5.0).last();
        assert_eq!(first(4), first(4));
        assert_ne!(first(4), first(5));
    }

    #[test]
    fn tumbling_hulls_are_apart_and_mostly_inside_of_each_others_balls() {
        let mut rng = Rng::with_seed(8);
        let (mut close, mut frames) = (0, 0);
        for _ in 0..5 {
            let (a, b) = (crate::models::random_hull(&mut rng, 20), crate::models::random_hull(&mut rng, 20));
            let reach = crate::models::bounding_radius(&a) + crate::models::bounding_radius(&b);
            for [pose_a, pose_b] in tumble(&mut rng, &a, &b, 5.0).step_by(25) {
                let found = crate::oracle::distance(&a, pose_a, &b, pose_b);
                assert!(found.distance() >= 0.02 - 1e-12, "{found:?}");
                close += usize::from((pose_b.translation() - pose_a.translation()).length() < reach);
                frames += 1;
            }
        }
        assert!(2 * close > frames, "{close} of {frames}");
    }

    #[test]
    fn a_frame_turns_by_the_angle_asked_for() {
        let poses: Vec<Pose> = Track::new(&mut Rng::with_seed(2), 1.0, 5.0).collect();
        let turn = poses[11].rotation() * poses[10].rotation().conjugate();
        assert!((2.0 * turn.w.abs().acos() - 5.0_f64.to_radians()).abs() < 1e-9);
    }
}
