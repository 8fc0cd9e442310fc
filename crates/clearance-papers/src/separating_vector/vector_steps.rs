//! Figures 6.3 to 6.5 of \[QC\]: the number of vectors of a separating-vector search.
//!
//! The vector of a pair is kept in the axes of the world from frame to frame, as the paper has it, while the boxes of the two bodies
//! overlap.

use super::scene::{Kind, Query, Recording, Setting, record};
use crate::timed;
use clearance::Convex;
use clearance::internals::narrow::Difference;
use clearance::internals::narrow::separating_vector::{
    Blend, CollisionTest, Conservative, Greedy, HalfPlanes, Hemisphere, LastVector, SearchOutcome, StepRule, Verdict,
    search,
};
use clearance::math::DVec3;
use clearance::math::Frame;

/// The number of searches by their steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Steps {
    /// Searches by steps, of pairs that are apart; the first entry is for one step.
    pub apart: Vec<u32>,
    /// The same for all pairs.
    pub all: Vec<u32>,
    /// Searches of pairs that are apart in which a pair of vertices came up again.
    pub repeats: u32,
    /// Searches left to GJK.
    pub handed_over: u32,
    /// Nanoseconds of processor time per search.
    pub nanoseconds: f64,
}

/// The part of searches that took at most `most` steps.
#[must_use]
pub fn within(steps: &[u32], most: usize) -> f64 {
    let (some, all): (u32, u32) = (steps.iter().take(most).sum(), steps.iter().sum());
    f64::from(some) / f64::from(all.max(1))
}

/// The largest number of steps.
#[must_use]
pub fn largest(steps: &[u32]) -> usize {
    steps.len()
}

/// The mean number of steps.
#[must_use]
pub fn mean(steps: &[u32]) -> f64 {
    let all: u32 = steps.iter().sum();
    let sum: f64 = (1..).zip(steps).map(|(k, &count): (u32, _)| f64::from(k) * f64::from(count)).sum();
    sum / f64::from(all.max(1))
}

fn count(steps: &mut Vec<u32>, k: u32) {
    if steps.len() < k as usize {
        steps.resize(k as usize, 0);
    }
    steps[k as usize - 1] += 1;
}

/// Runs the search over a recording.
#[must_use]
pub fn run<T: CollisionTest, P: StepRule>(recording: &Recording, step: &P) -> Steps {
    let mut steps = Steps::default();
    // The vectors of all pairs, in the axes of the world.
    let mut vectors = vec![DVec3::ZERO; recording.slots];
    let hulls = recording.hulls();
    let mut ask = |query: &Query| {
        let [pose_a, pose_b] = &query.poses;
        let frame = Frame::relative(pose_a, pose_b);
        let vector = &mut vectors[query.slot];
        if query.is_new {
            *vector = DVec3::ZERO;
        }
        let mut cache = LastVector::along(pose_a.inverse_transform_vector(*vector));
        let [a, b] = query.bodies.map(|body| hulls[body]);
        debug_assert!(a.radius() == 0.0 && b.radius() == 0.0);
        let found = search::<T, P, _, _>(&Difference::new(a, b, &frame), step, &mut cache);
        if found.verdict == Verdict::Apart {
            *vector = pose_a.transform_vector(cache.axis);
        }
        found
    };
    let (outcomes, seconds) = timed(|| recording.queries.iter().map(&mut ask).collect::<Vec<SearchOutcome>>());
    steps.nanoseconds = seconds * 1e9 / recording.queries.len().max(1) as f64;
    for (query, found) in recording.queries.iter().zip(outcomes) {
        count(&mut steps.all, found.steps);
        if !query.collides {
            count(&mut steps.apart, found.steps);
            steps.repeats += u32::from(found.repeats > 0);
        }
        steps.handed_over += u32::from(found.is_handed_over());
    }
    steps
}

/// Figures 6.3 to 6.5 as a table.
#[must_use]
pub fn table(quick: bool) -> String {
    let mut text = String::from(
        "Figures 6.3 to 6.5 of Q-COLLIDE: steps of a separating-vector search (greedy, hemisphere), vectors kept from frame to frame;\n\
         per cent of searches settled within 1, 2, 3, 4 steps, and the most steps that any took.\n\n\
         shape        vertices  searches | apart:  <= 1   <= 2   <= 3   <= 4  repeats | all:   <= 3   mean   most  handed over\n",
    );
    let sizes: &[usize] = if quick { &[20, 100] } else { &[10, 20, 50, 100, 200, 500, 1000] };
    for kind in Kind::THREE {
        for &vertices in sizes {
            let recording = record(&Setting::usual(kind, vertices, quick), 63);
            let steps = run::<Hemisphere, Greedy>(&recording, &Greedy);
            let percent = |steps: &[u32], most: usize| 100.0 * within(steps, most);
            let apart: u32 = steps.apart.iter().sum();
            text += &format!(
                "{:<12} {:>8} {:>9} |     {:>6.2} {:>6.2} {:>6.2} {:>6.2} {:>7.3}% |     {:>6.2} {:>6.2} {:>6} {:>12}\n",
                kind.name(),
                vertices,
                recording.queries.len(),
                percent(&steps.apart, 1),
                percent(&steps.apart, 2),
                percent(&steps.apart, 3),
                percent(&steps.apart, 4),
                100.0 * f64::from(steps.repeats) / f64::from(apart.max(1)),
                percent(&steps.all, 3),
                mean(&steps.all),
                largest(&steps.all),
                steps.handed_over,
            );
        }
    }
    text
}

/// The choices that the paper leaves open, as a table: mean and most steps, and time.
#[must_use]
pub fn choices(quick: bool) -> String {
    let mut text = String::from(
        "Steps (3.2), (3.9), (3.5) and the two collision tests, 500 vertices: steps per search of pairs that are apart and of all, the\n\
         most, nanoseconds per search, searches left to GJK.\n\n\
         shape        step          test         apart    all   most     ns  handed over\n",
    );
    for kind in Kind::THREE {
        let recording = record(&Setting::usual(kind, if quick { 100 } else { 500 }, quick), 64);
        let mut line = |step: &str, test: &str, steps: &Steps| {
            text += &format!(
                "{:<12} {step:<13} {test:<11} {:>6.2} {:>6.2} {:>6} {:>6.0} {:>12}\n",
                kind.name(),
                mean(&steps.apart),
                mean(&steps.all),
                largest(&steps.all),
                steps.nanoseconds,
                steps.handed_over,
            );
        };
        line("greedy", "hemisphere", &run::<Hemisphere, _>(&recording, &Greedy));
        line("greedy", "half-planes", &run::<HalfPlanes, _>(&recording, &Greedy));
        line("alpha = 0.5", "hemisphere", &run::<Hemisphere, _>(&recording, &Blend { alpha: 0.5 }));
        line("conservative", "hemisphere", &run::<Hemisphere, _>(&recording, &Conservative));
    }
    text
}
