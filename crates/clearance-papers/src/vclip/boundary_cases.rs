//! Algorithm 10 of the V-Clip paper with the algorithms as they are: their faults are counted before any repair.
//!
//! ([`degeneracy`](super::degeneracy) is about our engines instead, whose answers are proved.)

use super::degeneracy::{SETTINGS, pose, to_the_change};
use super::three_algorithms::{of_lin_canny, of_vclip};
use crate::gjk::counted::enhanced::{self, Answer, LastSimplex, SearchWork};
use crate::vclip::lin_canny::{self, LastFeatures, Tolerances};
use crate::vclip::printed::{self, START, Step6, Work};
use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::gjk::{self, WarmSimplex};
use clearance::internals::narrow::vclip::{self, ClosestFeatures};
use clearance::math::Frame;
use clearance::shape::Polytope;
use clearance::{Feature, Pose};
use clearance_lab::{Rng, models};

/// An algorithm, with its tolerances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Algorithm {
    /// As printed, without any.
    Printed,
    /// The engine of the library.
    VClip,
    /// With its tolerances.
    LinCanny(Tolerances),
    /// With that tolerance.
    EnhancedGjk(f64),
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Found {
    /// Calls.
    pub calls: u64,
    /// Trials in which a march or a search did not end.
    pub endless_trials: u64,
    /// Trials in which an overlap was found; there is none.
    pub overlap_trials: u64,
    /// Trials with a distance that is off by more than 1e-6.
    pub wrong_trials: u64,
    /// Trials with a distance that is off by more than a tenth.
    pub very_wrong_trials: u64,
    /// The largest error of a distance.
    pub worst: f64,
    /// The least true distance.
    pub least: f64,
}

/// The features or points that an algorithm keeps, which bisection compares.
#[derive(Debug, Clone, PartialEq)]
enum Device {
    Features([Feature; 2]),
    Simplex(Vec<[u32; 2]>),
}

struct Runner<'a> {
    body: &'a Polytope,
    algorithm: Algorithm,
    printed: [Feature; 2],
    features: ClosestFeatures,
    last: LastFeatures,
    simplex: LastSimplex,
}

impl Runner<'_> {
    fn ask(&mut self, frame: &Frame) -> (Answer, Device) {
        let body = self.body;
        match self.algorithm {
            Algorithm::Printed => {
                let mut work = Work::default();
                let features = &mut self.printed;
                let answer = printed::distance([body; 2], frame, Step6::Corrected, features, &mut work, &mut |_| {});
                (answer, Device::Features(self.printed))
            }
            Algorithm::VClip => {
                let verdict = vclip::verdict_counted(body, body, frame, &mut self.features, &mut ());
                (of_vclip(&verdict), Device::Features(self.features.features()))
            }
            Algorithm::LinCanny(tolerances) => {
                let raw = lin_canny::raw_counted(body, body, frame, &mut self.last, &tolerances, &mut ());
                (of_lin_canny(raw), Device::Features(self.last.features()))
            }
            Algorithm::EnhancedGjk(tolerance) => {
                let mut work = SearchWork::default();
                let answer = enhanced::distance(body, body, frame, tolerance, &mut self.simplex, &mut work);
                (answer, Device::Simplex(self.simplex.sorted()))
            }
        }
    }
}

/// Runs `trials` trials: cubes of side 2, as in the paper.
#[must_use]
pub fn run(algorithm: Algorithm, trials: usize) -> Found {
    let mut rng = Rng::with_seed(10);
    let body = convex_hull(&models::cube()).expect("a model has points");
    let mut found = Found { least: f64::INFINITY, ..Found::default() };
    for _ in 0..trials {
        let mut runner = Runner {
            body: &body,
            algorithm,
            printed: START,
            features: ClosestFeatures::default(),
            last: LastFeatures::default(),
            simplex: LastSimplex::default(),
        };
        let mut warm = WarmSimplex::default();
        let (mut is_endless, mut overlaps, mut off) = (false, false, 0.0_f64);
        let mut look = |pose: Pose| {
            let frame = Frame::from(pose);
            let truth = gjk::distance(&body, &body, &frame, &mut warm).distance;
            let (answer, device) = runner.ask(&frame);
            match answer {
                Answer::Gap(gap) => off = off.max((gap - truth).abs()),
                Answer::Zero => overlaps = true,
                Answer::Endless => is_endless = true,
            }
            found.calls += 1;
            found.least = found.least.min(truth);
            device
        };
        let poses = [pose(&mut rng, SETTINGS[0]), pose(&mut rng, SETTINGS[0])];
        to_the_change(poses, &mut look);
        found.endless_trials += u64::from(is_endless);
        found.overlap_trials += u64::from(overlaps);
        found.wrong_trials += u64::from(off > 1e-6);
        found.very_wrong_trials += u64::from(off > 0.1);
        found.worst = found.worst.max(off);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vclip_has_nothing_to_repair() {
        let found = run(Algorithm::VClip, 50);
        assert!(found.calls > 1000 && found.least >= 4.0 - 2.0 * 3.0_f64.sqrt() - 1e-12);
        assert_eq!([found.endless_trials, found.overlap_trials, found.wrong_trials], [0; 3]);
    }
}
