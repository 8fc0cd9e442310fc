//! Section 3.2 of the two-phase paper: the dependence of Lin-Canny's work on the resolution of a model and on its motion.

use crate::vclip::lin_canny::{self, Faults, LastFeatures};
use clearance::Pose;
use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::tally::Counts;
use clearance::math::Frame;
use clearance::math::{DQuat, DVec3};
use clearance::shape::Polytope;
use clearance_lab::{Rng, models, random};
use cpu_time::ThreadTime;
use std::hint::black_box;

/// A sphere of 20, 80, 320, 1280, 5120, 20480 facets.
///
/// # Panics
///
/// Never: the points of a sphere have a hull.
#[must_use]
pub fn sphere(rounds: u32) -> Polytope {
    convex_hull(&models::geodesic_sphere(rounds)).expect("points of a sphere")
}

/// The mean cost of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// Floating-point operations of the march.
    pub flops: f64,
    /// Pairs of features.
    pub steps: f64,
    /// CPU nanoseconds, with the proof of the answer, which is not the paper's.
    pub nanoseconds: f64,
    /// Calls, and the number of calls that GJK answered.
    pub calls: usize,
    /// See `calls`.
    pub faults: u64,
}

/// Figure 10: a fixed cube, and a sphere that turns about an axis parallel to the nearest face, by `degrees` from call to call.
///
/// # Panics
///
/// Never: the corners of a cube have a hull.
#[must_use]
pub fn turning(sphere: &Polytope, degrees: f64, starts: usize, calls: usize) -> Call {
    let cube = convex_hull(&models::cube()).expect("corners");
    let mut rng = Rng::with_seed(10);
    let tracks: Vec<Vec<Frame>> = (0..starts)
        .map(|_| {
            // Not opposite to the middle of the face, where its symmetry would decide.
            let place = DVec3::new(2.5, random::uniform(&mut rng, -0.5, 0.5), random::uniform(&mut rng, -0.5, 0.5));
            let first = random::rotation(&mut rng);
            let turned = |call: usize| DQuat::from_rotation_y((degrees * call as f64).to_radians()) * first;
            (0..calls).map(|call| Frame::from(Pose::new(place, turned(call)))).collect()
        })
        .collect();
    let (mut counts, mut faults) = (Counts::default(), Faults::default());
    for track in &tracks {
        let mut cache = LastFeatures::default();
        // The first call has no features to start from.
        lin_canny::distance(&cube, sphere, &track[0], &mut cache);
        for frame in &track[1..] {
            lin_canny::distance_counted(&cube, sphere, frame, &mut cache, &mut counts, &mut faults);
        }
    }
    let time = || {
        let start = ThreadTime::now();
        for track in &tracks {
            let mut cache = LastFeatures::default();
            for frame in track {
                black_box(lin_canny::distance(&cube, sphere, frame, &mut cache));
            }
        }
        start.elapsed().as_secs_f64()
    };
    let best = (0..3).map(|_| time()).fold(f64::INFINITY, f64::min);
    let all = starts * (calls - 1);
    Call {
        flops: counts.flops as f64 / all as f64,
        steps: counts.feature_steps as f64 / all as f64,
        nanoseconds: 1e9 * best / (starts * calls) as f64,
        calls: all,
        faults: faults.calls(),
    }
}

/// A small satellite goes once around a sphere: the number of features of the sphere that were the closest, one after the other, and the number of
/// pairs of features beyond one for each call.
///
/// # Panics
///
/// Never: the corners of a box have a hull.
#[must_use]
pub fn orbit(sphere: &Polytope, calls: usize) -> [u64; 2] {
    let satellite = convex_hull(&models::cuboid(DVec3::splat(0.01))).expect("corners");
    // The orbit is inclined, so that it does not run along edges.
    let plane = DQuat::from_rotation_x(0.3) * DQuat::from_rotation_y(0.2);
    let mut cache = LastFeatures::default();
    let (mut counts, mut faults) = (Counts::default(), Faults::default());
    let (mut passed, mut last) = (0, None);
    for call in 0..=calls {
        let angle = std::f64::consts::TAU * call as f64 / calls as f64;
        let pose = Pose::new(plane * DVec3::new(1.2 * angle.cos(), 1.2 * angle.sin(), 0.0), plane);
        lin_canny::distance_counted(sphere, &satellite, &Frame::from(pose), &mut cache, &mut counts, &mut faults);
        let now = cache.features()[0];
        if call == 0 {
            counts.feature_steps = 0;
        } else if last != Some(now) {
            passed += 1;
        }
        last = Some(now);
    }
    [passed, counts.feature_steps - calls as u64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finer_sphere_has_more_features_on_the_way() {
        let [coarse, fine] = [1, 3].map(|rounds| orbit(&sphere(rounds), 720)[0]);
        assert!(coarse > 10 && fine > 2 * coarse, "{coarse} {fine}");
        let slow = turning(&sphere(2), 1.0, 1, 100);
        assert!(slow.steps >= 1.0 && slow.steps < 3.0 && slow.flops > 50.0, "{slow:?}");
    }
}
