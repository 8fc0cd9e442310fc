//! Algorithm 9 of the V-Clip paper with the three algorithms as they are: V-Clip as printed, Lin-Canny and Enhanced GJK. None of them is proved or
//! repaired. Their operations are counted by kind, and their distances compared with the least of the three. The V-Clip of the library runs beside
//! them.
//!
//! ([`coherence`](super::coherence) is about our engines instead: proved answers, and times.)

use crate::gjk::counted::Operations;
use crate::gjk::counted::enhanced::{self, Answer, LastSimplex, SearchWork};
use crate::vclip::lin_canny::{self, LastFeatures, RawAnswer, Tolerances};
use crate::vclip::printed::{self, START, Step6, Work};
use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::tally::Counts;
use clearance::internals::narrow::vclip::{self, ClosestFeatures, MarchVerdict};
use clearance::math::{DVec3, Frame};
use clearance_lab::{Rng, models, motion};

/// Distances that exceed the least by more than this part get a warning.
pub const WARNING: f64 = 1e-6;

/// Tolerances with which Lin-Canny is more accurate, and goes in circles more often.
pub const ACCURATE: Tolerances = Tolerances {
    parallel: 1e-9,
    same_length: 1e-9,
    sticky: 1e-12,
    vertex_flare: 0.0,
    edge_vertex_flare: 0.0,
    edge_face_flare: 0.0,
    face_flare: 0.0,
};

/// The faults of the distances of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Warnings {
    /// Calls with a distance that is more than the least of the three by more than [`WARNING`].
    pub count: u64,
    /// The largest excess of one.
    pub worst: f64,
    /// Calls without an answer: a march or a search without an end.
    pub endless: u64,
    /// Calls that found an overlap; there is none.
    pub overlaps: u64,
}

impl Warnings {
    fn note(&mut self, answer: Answer, least: f64) {
        match answer {
            Answer::Gap(gap) => {
                self.worst = self.worst.max(gap - least);
                self.count += u64::from(gap - least > WARNING);
            }
            Answer::Zero => self.overlaps += 1,
            Answer::Endless => self.endless += 1,
        }
    }
}

/// The algorithms whose distances are compared, in the order of [`Comparison::warnings`].
pub const COMPARED: [&str; 6] = [
    "V-Clip",
    "Lin-Canny",
    "Lin-Canny, small tolerances",
    "Enhanced GJK, 1e-5",
    "Enhanced GJK, 1e-7",
    "V-Clip of the library",
];

/// One shape at one angle per call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Comparison {
    /// Calls of each.
    pub calls: u64,
    /// Work of V-Clip as printed.
    pub vclip: Work,
    /// Work of the library's V-Clip.
    pub library: Counts,
    /// The counts of Lin-Canny, with the program's tolerances.
    pub lin_canny: Counts,
    /// The counts of Enhanced GJK, with a tolerance of 1e-5.
    pub enhanced: SearchWork,
    /// The faults, see [`COMPARED`].
    pub warnings: [Warnings; 6],
    /// The least distance.
    pub least: f64,
}

impl Comparison {
    /// Operations per call: V-Clip, Lin-Canny, Enhanced GJK.
    #[must_use]
    pub fn flops(&self) -> [f64; 3] {
        [self.vclip.total(), self.lin_canny.flops, self.enhanced.search.total()]
            .map(|flops| flops as f64 / self.calls as f64)
    }

    /// Operations per call of the V-Clip of the library.
    #[must_use]
    pub fn flops_of_library(&self) -> f64 {
        self.library.flops as f64 / self.calls as f64
    }

    /// The part of the operations that are neither divisions nor roots, in the same order.
    #[must_use]
    pub fn plain(&self) -> [f64; 3] {
        let of = |rare: u64, all: u64| 1.0 - rare as f64 / all as f64;
        let rare = |operations: &Operations| operations.divisions + operations.roots;
        [
            of(rare(&self.vclip.march) + rare(&self.vclip.points), self.vclip.total()),
            of(self.lin_canny.divisions + self.lin_canny.roots, self.lin_canny.flops),
            of(rare(&self.enhanced.search), self.enhanced.search.total()),
        ]
    }
}

impl std::ops::AddAssign for Comparison {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.vclip += other.vclip;
        self.library += other.library;
        self.lin_canny += other.lin_canny;
        self.enhanced += other.enhanced;
        for (mine, theirs) in self.warnings.iter_mut().zip(other.warnings) {
            mine.count += theirs.count;
            mine.worst = mine.worst.max(theirs.worst);
            mine.endless += theirs.endless;
            mine.overlaps += theirs.overlaps;
        }
    }
}

/// The result of V-Clip in the terms of the others.
#[must_use]
pub fn of_vclip(verdict: &MarchVerdict) -> Answer {
    match verdict {
        MarchVerdict::Apart(outcome) => Answer::Gap(outcome.distance),
        MarchVerdict::Penetrating => Answer::Zero,
        MarchVerdict::Unfinished => Answer::Endless,
    }
}

/// The result of Lin-Canny in the terms of the others.
#[must_use]
pub fn of_lin_canny(answer: RawAnswer) -> Answer {
    match answer {
        RawAnswer::Gap(gap) => Answer::Gap(gap),
        RawAnswer::Cycle | RawAnswer::StepLimit | RawAnswer::DeadEnd => Answer::Endless,
    }
}

/// Runs one shape at one angle: `runs` tracks of `calls` calls.
#[must_use]
pub fn run(points: &[DVec3], degrees: f64, runs: usize, calls: usize) -> Comparison {
    let body = convex_hull(points).expect("a model has points");
    let reach = models::bounding_radius(points);
    let mut rng = Rng::with_seed(1997);
    let mut found = Comparison { least: f64::INFINITY, ..Comparison::default() };
    for track in motion::free_tracks(&mut rng, reach, degrees, runs) {
        let (mut features, mut of_library) = (START, ClosestFeatures::default());
        let mut last = [LastFeatures::default(); 2];
        let mut simplices = [LastSimplex::default(); 2];
        for pose in track.take(calls) {
            let frame = Frame::from(pose);
            let raw = |tolerances, last: &mut LastFeatures, counts: &mut Counts| {
                of_lin_canny(lin_canny::raw_counted(&body, &body, &frame, last, tolerances, counts))
            };
            let answers = [
                printed::distance([&body; 2], &frame, Step6::Corrected, &mut features, &mut found.vclip, &mut |_| {}),
                raw(&Tolerances::PROGRAM, &mut last[0], &mut found.lin_canny),
                raw(&ACCURATE, &mut last[1], &mut Counts::default()),
                enhanced::distance(&body, &body, &frame, 1e-5, &mut simplices[0], &mut found.enhanced),
                enhanced::distance(&body, &body, &frame, 1e-7, &mut simplices[1], &mut SearchWork::default()),
                of_vclip(&vclip::verdict_counted(&body, &body, &frame, &mut of_library, &mut found.library)),
            ];
            let least = |of: [usize; 3]| {
                of.into_iter().fold(f64::INFINITY, |least, i| {
                    if let Answer::Gap(gap) = answers[i] { least.min(gap) } else { least }
                })
            };
            // As the paper runs them: first the one set of tolerances, then the other.
            let [first, second] = [least([0, 1, 3]), least([0, 2, 4])];
            let both = first.min(second);
            for ((warnings, answer), least) in
                found.warnings.iter_mut().zip(answers).zip([both, first, second, first, second, both])
            {
                warnings.note(answer, least);
            }
            found.least = found.least.min(first);
            found.calls += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_agree_on_the_cube_and_count() {
        let found = run(&models::cube(), 5.0, 2, 100);
        assert_eq!((found.calls, found.warnings[4].count), (200, 0));
        let vclip = Warnings { worst: 0.0, ..found.warnings[0] };
        assert!(vclip == Warnings::default() && found.warnings[0].worst < 1e-12, "{:?}", found.warnings[0]);
        let [vclip, lin_canny, enhanced] = found.flops();
        assert!(vclip > 50.0 && lin_canny > 50.0 && enhanced > vclip, "{:?}", found.flops());
        assert!(found.plain().iter().all(|&part| part > 0.9 && part < 1.0), "{:?}", found.plain());
    }
}
