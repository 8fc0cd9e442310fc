//! The multi-body simulation of I-COLLIDE, as appendix B of the GJK paper runs it. The narrow phase is timed alone: every algorithm answers
//! the same pairs, with its own memory of each.
//!
//! ([`simulation`](crate::separating_vector::simulation) is about whole frames of our worlds instead.) The boxes of the bodies are the broad phase; a pair forgets when its
//! boxes part. Times are the processor's, of this thread.
//!
//! Lin-Canny "in I-COLLIDE" has a second test for marches that return to a pair, by [linear programming](lin_canny::linear_program); it is timed with it and without.

use crate::gjk::counted::{JohnsonCounts, Options, distance, separating_axis};
use crate::gjk::johnson::Johnson;
use crate::timed;
use crate::vclip::lin_canny::linear_program::Separation;
use crate::vclip::lin_canny::{self, LastFeatures, RawAnswer, Tolerances};
use clearance::internals::narrow::separating_vector::{self, LastVector};
use clearance::internals::narrow::{Difference, gjk, vclip};
use clearance::math::DVec3;
use clearance::math::Frame;
use clearance::shape::Polytope;
use clearance::{Pose, Shape};
use clearance_lab::swarm::{Setting, Swarm};
use std::hint::black_box;

/// The algorithms that are timed, in the order of [`Report::seconds`].
pub const CONTENDERS: [&str; 7] = [
    "ISA-GJK, axis in the world",
    "ISA-GJK, axis in the axes of A",
    "Lin-Canny",
    "Lin-Canny with proof and depth",
    "separating vector",
    "V-Clip",
    "Lin-Canny with a linear programme",
];

/// A question of the narrow phase.
struct Question {
    bodies: [usize; 2],
    poses: [Pose; 2],
    frame: Frame,
    /// The memory of the pair.
    slot: usize,
    is_new: bool,
    collides: bool,
}

/// The quantity that a run measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// The time of all contenders, and what Lin-Canny misses.
    Times,
    /// These, and iterations.
    Iterations,
    /// Only what Lin-Canny misses, which is so rare that it takes long simulations.
    Misses,
}

/// The result of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// Questions asked.
    pub questions: u64,
    /// Those about pairs that overlap.
    pub overlaps: u64,
    /// Pairs that began to overlap.
    pub collisions: u64,
    /// Seconds of each contender.
    pub seconds: [f64; 7],
    /// Overlapping pairs for which Lin-Canny found a gap, and the largest depth among them, in sizes.
    pub misses: u64,
    /// See above.
    pub deepest_miss: f64,
    /// Pairs that began to overlap in a frame in which Lin-Canny found a gap.
    pub missed_collisions: u64,
    /// Pairs that are apart for which the march of Lin-Canny did not end, which I-COLLIDE takes for an overlap.
    pub false_alarms: u64,
    /// Pairs that are apart, with something remembered: all, and those for which the remembered axis still separates, in the world and in the axes of A.
    pub remembered: [u64; 3],
    /// Pairs that are apart: all, and iterations of the distance, of the separating axis from nothing, and from the axis in the world.
    pub iterations: [u64; 4],
}

impl Report {
    /// Nanoseconds per question.
    #[must_use]
    pub fn nanoseconds(&self) -> [f64; 7] {
        self.seconds.map(|seconds| 1e9 * seconds / self.questions as f64)
    }
}

/// The caches of the algorithms for a pair.
#[derive(Clone, Copy, Default)]
struct Memory {
    world_axis: DVec3,
    gjk: gjk::WarmSimplex,
    raw: LastFeatures,
    with_program: LastFeatures,
    proved: LastFeatures,
    vector: DVec3,
    features: vclip::ClosestFeatures,
    /// For what is counted: where Lin-Canny ended, and the last separating axis, in the world and in the axes of A.
    counted_raw: LastFeatures,
    counted: [DVec3; 2],
}

/// Runs the simulation.
#[must_use]
pub fn run(setting: &Setting, frames: usize, measured: Measured) -> Report {
    let mut swarm = Swarm::new(setting, 1995);
    let bodies = swarm.len();
    let hulls: Vec<_> = swarm
        .shapes()
        .iter()
        .map(|shape| match shape {
            Shape::Polytope(hull) => std::sync::Arc::clone(hull),
            _ => unreachable!("a swarm has hulls only"),
        })
        .collect();
    let numbers: Vec<usize> = (0..bodies).map(|body| swarm.shape_of(body)).collect();
    let mut report = Report::default();
    let mut memories = vec![Memory::default(); bodies * bodies];
    let mut last_seen = vec![usize::MAX; bodies * bodies];
    let mut did_collide = vec![false; bodies * bodies];
    let mut questions = Vec::new();
    for frame in 0..frames {
        let poses: Vec<Pose> = (0..bodies).map(|body| swarm.pose(body)).collect();
        let boxes: Vec<_> = (0..bodies).map(|body| swarm.shapes()[numbers[body]].aabb(&poses[body])).collect();
        let mut met = Vec::new();
        for i in 0..bodies {
            for j in i + 1..bodies {
                let slot = i * bodies + j;
                if !boxes[i].overlaps(&boxes[j]) {
                    did_collide[slot] = false;
                    continue;
                }
                let is_new = last_seen[slot] == usize::MAX || last_seen[slot] + 1 != frame;
                last_seen[slot] = frame;
                let relative = Frame::relative(&poses[i], &poses[j]);
                let [a, b] = [&*hulls[numbers[i]], &*hulls[numbers[j]]];
                let collides = gjk::intersects(a, b, &relative, &mut gjk::WarmSimplex::default());
                let begins = collides && !did_collide[slot] && frame > 0;
                did_collide[slot] = collides;
                if begins {
                    met.push([i, j]);
                }
                let poses = [poses[i], poses[j]];
                questions.push((Question { bodies: [i, j], poses, frame: relative, slot, is_new, collides }, begins));
            }
        }
        report.collisions += met.len() as u64;
        met.into_iter().for_each(|[a, b]| swarm.meet(a, b));
        swarm.step();
        // In portions, so that a long simulation does not have to be kept.
        if questions.len() > 20_000 || frame + 1 == frames {
            ask(&questions, &hulls, &numbers, &mut memories, &mut report, measured);
            questions.clear();
        }
    }
    report
}

fn ask(
    questions: &[(Question, bool)],
    hulls: &[std::sync::Arc<Polytope>],
    numbers: &[usize],
    memories: &mut [Memory],
    report: &mut Report,
    measured: Measured,
) {
    let shapes = |question: &Question| question.bodies.map(|body| &*hulls[numbers[body]]);
    let mut time = |contender: usize, each: &mut dyn FnMut(&Question, &mut Memory) -> bool| {
        if measured == Measured::Misses {
            return;
        }
        let mut work = || {
            for (question, _) in questions {
                black_box(each(question, &mut memories[question.slot]));
            }
        };
        report.seconds[contender] += timed(&mut work).1;
    };
    time(0, &mut |q, memory| {
        let [a, b] = shapes(q);
        let axis = if q.is_new { DVec3::ZERO } else { q.poses[0].inverse_transform_vector(memory.world_axis) };
        let mut cache = gjk::WarmSimplex::of_axis(axis);
        let answer = gjk::intersects_with::<Johnson, _, _>(a, b, &q.frame, &mut cache);
        memory.world_axis = q.poses[0].transform_vector(cache.axis());
        answer
    });
    time(1, &mut |q, memory| {
        let [a, b] = shapes(q);
        if q.is_new {
            memory.gjk = gjk::WarmSimplex::default();
        }
        gjk::intersects_with::<Johnson, _, _>(a, b, &q.frame, &mut memory.gjk)
    });
    time(2, &mut |q, memory| {
        let [a, b] = shapes(q);
        if q.is_new {
            memory.raw = LastFeatures::default();
        }
        let raw = lin_canny::raw_counted(a, b, &q.frame, &mut memory.raw, &Tolerances::PROGRAM, &mut ());
        matches!(raw, RawAnswer::Gap(_))
    });
    time(3, &mut |q, memory| {
        let [a, b] = shapes(q);
        if q.is_new {
            memory.proved = LastFeatures::default();
        }
        lin_canny::distance(a, b, &q.frame, &mut memory.proved).is_apart()
    });
    time(4, &mut |q, memory| {
        let [a, b] = shapes(q);
        let axis = if q.is_new { DVec3::ZERO } else { q.poses[0].inverse_transform_vector(memory.vector) };
        let mut cache = LastVector::along(axis);
        let answer = separating_vector::intersects(a, b, &q.frame, &mut cache);
        memory.vector = q.poses[0].transform_vector(cache.axis);
        answer
    });
    time(5, &mut |q, memory| {
        let [a, b] = shapes(q);
        if q.is_new {
            memory.features = vclip::ClosestFeatures::default();
        }
        let verdict = vclip::verdict_counted(a, b, &q.frame, &mut memory.features, &mut ());
        matches!(verdict, vclip::MarchVerdict::Apart(_))
    });
    let mut program = Separation::default();
    time(6, &mut |q, memory| {
        let [a, b] = shapes(q);
        if q.is_new {
            memory.with_program = LastFeatures::default();
        }
        let features = &mut memory.with_program;
        let raw = lin_canny::raw_counted(a, b, &q.frame, features, &Tolerances::PROGRAM, &mut ());
        matches!(raw, RawAnswer::Gap(_)) || program.separates(a, b, &q.frame)
    });
    // Once more for what is counted, outside of all times and with a memory of its own.
    for (question, begins) in questions {
        count(question, *begins, shapes(question), &mut memories[question.slot], report, measured);
    }
}

fn count(
    question: &Question,
    begins: bool,
    [a, b]: [&Polytope; 2],
    memory: &mut Memory,
    report: &mut Report,
    measured: Measured,
) {
    report.questions += 1;
    report.overlaps += u64::from(question.collides);
    if question.is_new {
        memory.counted_raw = LastFeatures::default();
        memory.counted = [DVec3::ZERO; 2];
    }
    let raw = lin_canny::raw_counted(a, b, &question.frame, &mut memory.counted_raw, &Tolerances::PROGRAM, &mut ());
    match raw {
        RawAnswer::Gap(_) if question.collides => {
            report.misses += 1;
            report.missed_collisions += u64::from(begins);
            let depth = gjk::distance(a, b, &question.frame, &mut gjk::WarmSimplex::default()).distance;
            report.deepest_miss = report.deepest_miss.max(-depth / a.bounding_radius().max(b.bounding_radius()));
        }
        RawAnswer::Cycle | RawAnswer::StepLimit | RawAnswer::DeadEnd if !question.collides => report.false_alarms += 1,
        _ => {}
    }
    if measured != Measured::Iterations {
        return;
    }
    let difference = Difference::new(a, b, &question.frame);
    let support = |d: DVec3| difference.support(-d).w;
    let pose = &question.poses[0];
    let kept = [pose.inverse_transform_vector(memory.counted[0]), memory.counted[1]];
    let is_known = kept[0] != DVec3::ZERO;
    if !question.collides && is_known {
        let separates = kept.map(|v| v.dot(support(-v)) > 0.0);
        report.remembered[0] += 1;
        report.remembered[1] += u64::from(separates[0]);
        report.remembered[2] += u64::from(separates[1]);
    }
    let center = difference.center();
    let mut unused = JohnsonCounts::default();
    let start = if is_known { kept[0] } else { center };
    let (axis, rounds) = separating_axis(support, start, 1e-14, &mut unused);
    if !question.collides {
        report.iterations[0] += 1;
        report.iterations[1] +=
            u64::from(distance(support, support(-center), &Options::paper(1e-6), &mut unused).rounds);
        report.iterations[2] += u64::from(separating_axis(support, center, 1e-14, &mut unused).1);
        report.iterations[3] += u64::from(rounds);
    }
    if let Some(axis) = axis {
        memory.counted[0] = pose.transform_vector(axis);
    }
    // The other memory goes its own way.
    let start = if memory.counted[1] == DVec3::ZERO { center } else { memory.counted[1] };
    if let (Some(axis), _) = separating_axis(support, start, 1e-14, &mut unused) {
        memory.counted[1] = axis;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulation_runs_and_counts() {
        let report = run(&Setting { density: 0.2, ..Setting::USUAL }, 60, Measured::Iterations);
        assert!(report.questions > 300 && report.overlaps > 10 && report.collisions > 3, "{report:?}");
        assert!(
            report.iterations[2] < report.iterations[1] && report.remembered[1] <= report.remembered[0],
            "{report:?}"
        );
        let again = run(&Setting { density: 0.2, ..Setting::USUAL }, 60, Measured::Iterations);
        assert_eq!(Report { seconds: [0.0; 7], ..report }, Report { seconds: [0.0; 7], ..again });
    }
}
