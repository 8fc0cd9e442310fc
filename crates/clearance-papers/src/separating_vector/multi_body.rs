//! Figures 6.6 to 6.11 of \[QC\]: time per query in a scene of many bodies, as speed, rotation, density and the number of vertices grow.
//!
//! Every algorithm answers the queries of one recording. Closest features are Lin-Canny with a linear programme, as in I-COLLIDE, and V-Clip. They and improved Gilbert answer with
//! the closest points in every frame while bodies are apart, and with "yes" when they are not. The separating vector is an
//! intersection test. The combination of the two gives the closest points of the frame before a collision. All of them are engines with a memory of a pair each; `auto` is
//! a [`Pair`] of the library. Times are the processor's.

use super::scene::{Kind, Query, Recording, Setting, record};
use super::vector_steps;
use crate::separating_vector::gilbert;
use crate::timed;
use crate::vclip::lin_canny::linear_program::Separation;
use crate::vclip::lin_canny::{self, Faults};
use clearance::internals::narrow::separating_vector::{self, Greedy, Hemisphere, LastVector, Start};
use clearance::internals::narrow::vclip::{self, Counts};
use clearance::math::Frame;
use clearance::shape::Polytope;
use clearance::{Engine, Pair};
use std::hint::black_box;

/// The algorithms, in the order of the columns.
pub const ALGORITHMS: [&str; 6] = ["Lin-Canny", "V-Clip", "Gilbert", "vector", "combined", "auto"];

/// Nanoseconds per query for each of [`ALGORITHMS`]; the best of a few passes that take turns.
///
/// # Panics
///
/// If an algorithm disagrees about a collision.
#[must_use]
pub fn run(recording: &Recording, passes: usize) -> [f64; 6] {
    let mut best = [f64::INFINITY; 6];
    for _ in 0..passes {
        let mut program = Separation::default();
        let times = [
            features(recording, |a, b, frame, cache| {
                lin_canny::closest_as_in_i_collide(a, b, frame, cache, &mut program).is_none()
            }),
            features(recording, |a, b, frame, cache| vclip::closest_if_apart(a, b, frame, cache).is_none()),
            features(recording, |a, b, frame, start| gilbert::closest_if_apart(a, b, frame, start).is_none()),
            features(recording, separating_vector::intersects),
            combined(recording),
            pairs(recording, Engine::Auto, |pair, query| {
                black_box(pair.collide(query.poses[0], query.poses[1])).is_colliding()
            }),
        ];
        for (best, time) in best.iter_mut().zip(times) {
            *best = best.min(time);
        }
    }
    best
}

/// An engine of pairs; they are made beforehand, since a body that appears is not what is measured.
fn pairs(recording: &Recording, engine: Engine, ask: impl Fn(&mut Pair, &Query) -> bool) -> f64 {
    let mut memories: Vec<Option<Pair>> = vec![None; recording.slots];
    let make = |[a, b]: [usize; 2]| Pair::new(&recording.shapes[a], &recording.shapes[b]).engine(engine);
    for query in &recording.queries {
        memories[query.slot].get_or_insert_with(|| make(query.bodies));
    }
    per_query(recording, |query| {
        let pair = memories[query.slot].as_mut().expect("made above");
        if query.is_new {
            pair.reset();
        }
        ask(pair, query)
    })
}

/// The memory of the combined algorithm about a pair: the vector, and the frame before if it was apart.
#[derive(Clone, Default)]
struct Combined {
    vector: LastVector,
    apart_at: Option<Frame>,
}

/// The combined algorithm of the thesis (5.5): a test by the kept vector. In the first frame that collides, the improved Gilbert algorithm
/// computes the closest points of the frame before, from the vertices of the search that failed.
fn combined(recording: &Recording) -> f64 {
    features(recording, |a, b, frame, memory: &mut Combined| {
        let mut start = Start::default();
        if !separating_vector::intersects_and_start(a, b, frame, &mut memory.vector, &mut start) {
            memory.apart_at = Some(*frame);
            return false;
        }
        if let Some(last) = memory.apart_at.take() {
            black_box(gilbert::distance(a, b, &last, &mut start));
        }
        true
    })
}

/// An algorithm about two hulls, with a memory that is cold by default.
fn features<C: Default + Clone>(
    recording: &Recording,
    mut ask: impl FnMut(&Polytope, &Polytope, &Frame, &mut C) -> bool,
) -> f64 {
    let mut memories = vec![C::default(); recording.slots];
    let hulls = recording.hulls();
    per_query(recording, |query| {
        let memory = &mut memories[query.slot];
        if query.is_new {
            *memory = C::default();
        }
        let [a, b] = query.bodies.map(|body| hulls[body]);
        ask(a, b, &Frame::relative(&query.poses[0], &query.poses[1]), memory)
    })
}

fn per_query(recording: &Recording, mut ask: impl FnMut(&Query) -> bool) -> f64 {
    let (yes, seconds) = timed(|| recording.queries.iter().filter(|query| ask(query)).count());
    assert_eq!(yes, recording.colliding(), "an algorithm disagrees about collisions");
    seconds * 1e9 / recording.queries.len().max(1) as f64
}

/// The names of the counts, in the order of [`counts`]; per query.
pub const COUNTED: [&str; 4] = ["Lin-Canny", "V-Clip", "Gilbert", "vector"];

/// Pairs of features that Lin-Canny and V-Clip visit, rounds of Gilbert's algorithm, and vectors, per query. Only pairs that are apart are counted,
/// since overlapping ones have other stops. The second number is the part of Lin-Canny's marches there that failed, and went to GJK.
#[must_use]
pub fn counts(recording: &Recording) -> ([f64; 4], f64) {
    let apart = (recording.queries.len() - recording.colliding()).max(1) as f64;
    let mut features = vec![lin_canny::LastFeatures::default(); recording.slots];
    let mut faults = Faults::default();
    let by_lin_canny = steps_of(recording, |a, b, frame, slot, is_new| {
        let mut counts = Counts::default();
        if is_new {
            features[slot] = lin_canny::LastFeatures::default();
        }
        let _ = lin_canny::distance_counted(a, b, frame, &mut features[slot], &mut counts, &mut faults);
        counts.feature_steps
    });
    let mut features = vec![vclip::ClosestFeatures::default(); recording.slots];
    let by_vclip = steps_of(recording, |a, b, frame, slot, is_new| {
        let mut counts = Counts::default();
        if is_new {
            features[slot] = vclip::ClosestFeatures::default();
        }
        let _ = vclip::distance_counted(a, b, frame, &mut features[slot], &mut counts);
        counts.feature_steps
    });
    let mut starts = vec![Start::default(); recording.slots];
    let by_gilbert = steps_of(recording, |a, b, frame, slot, is_new| {
        let mut counts = gilbert::GilbertCounts::default();
        if is_new {
            starts[slot] = Start::default();
        }
        let _ = gilbert::distance_counted(a, b, frame, &mut starts[slot], &mut counts);
        u64::from(counts.rounds)
    });
    let by_vector = vector_steps::mean(&vector_steps::run::<Hemisphere, _>(recording, &Greedy).apart);
    let failed = (faults.calls() - faults.overlaps - faults.false_gaps) as f64 / apart;
    ([by_lin_canny, by_vclip, by_gilbert, by_vector], failed)
}

/// The steps that an algorithm counts about two hulls, a frame, a slot and whether that is new: per query of pairs that are apart.
fn steps_of(recording: &Recording, mut ask: impl FnMut(&Polytope, &Polytope, &Frame, usize, bool) -> u64) -> f64 {
    let hulls = recording.hulls();
    let mut sum = 0;
    for query in &recording.queries {
        let [a, b] = query.bodies.map(|body| hulls[body]);
        let steps = ask(a, b, &Frame::relative(&query.poses[0], &query.poses[1]), query.slot, query.is_new);
        sum += if query.collides { 0 } else { steps };
    }
    sum as f64 / (recording.queries.len() - recording.colliding()).max(1) as f64
}

/// The varied quantity of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varied {
    /// Figures 6.6 and 6.7.
    Speed,
    /// Figures 6.8 and 6.9.
    Rotation,
    /// Figures 6.10 and 6.11.
    Density,
    /// The number of vertices.
    Vertices,
}

impl Varied {
    /// The axis of the figure.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Speed => "way per frame (radii)",
            Self::Rotation => "turn per frame (degrees)",
            Self::Density => "density (volumes of bodies in that of the cube)",
            Self::Vertices => "vertices",
        }
    }

    /// A setting with this at a value.
    #[must_use]
    pub fn at(self, value: f64, setting: Setting) -> Setting {
        match self {
            Self::Speed => Setting { speed: value, ..setting },
            Self::Rotation => Setting { degrees: value, ..setting },
            Self::Density => Setting { density: value, ..setting },
            Self::Vertices => Setting { vertices: value as usize, ..setting },
        }
    }
}

/// One point of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The value of the varied quantity.
    pub value: f64,
    /// How many questions there were.
    pub queries: usize,
    /// How many of them about bodies that share a point.
    pub colliding: usize,
    /// Nanoseconds per question by each of [`ALGORITHMS`].
    pub nanoseconds: [f64; 6],
    /// Steps per question by each of [`COUNTED`].
    pub steps: [f64; 4],
    /// The part of Lin-Canny's marches about pairs that are apart which failed.
    pub failed: f64,
}

impl Point {
    /// The time of one of [`ALGORITHMS`].
    ///
    /// # Panics
    ///
    /// If there is none of that name.
    #[must_use]
    pub fn of(&self, algorithm: &str) -> f64 {
        self.nanoseconds[ALGORITHMS.iter().position(|&name| name == algorithm).expect("an algorithm's name")]
    }

    /// The steps of one of [`COUNTED`].
    ///
    /// # Panics
    ///
    /// If there is none of that name.
    #[must_use]
    pub fn steps_of(&self, algorithm: &str) -> f64 {
        self.steps[COUNTED.iter().position(|&name| name == algorithm).expect("an algorithm's name")]
    }
}

/// A figure: ellipsoids, rods and plates mixed.
#[must_use]
pub fn vary(varied: Varied, values: &[f64], setting: Setting, passes: usize) -> Vec<Point> {
    let point = |&value: &f64| {
        let recording = record(&varied.at(value, setting), 66);
        let nanoseconds = run(&recording, passes);
        let (steps, failed) = counts(&recording);
        Point { value, queries: recording.queries.len(), colliding: recording.colliding(), nanoseconds, steps, failed }
    };
    values.iter().map(point).collect()
}

/// The tables.
#[must_use]
pub fn tables(quick: bool) -> String {
    let mut text = String::from(
        "Figures 6.6 to 6.11 of Q-COLLIDE: nanoseconds of processor time per query about two bodies whose boxes overlap, ellipsoids, rods and\n\
         plates mixed. Lin-Canny, V-Clip, Gilbert: closest points in every frame that is apart; vector: yes or\n\
         no; combined: and the closest points of the frame before a collision; auto: the same with Engine::Auto.\n",
    );
    let passes = if quick { 1 } else { 3 };
    let list = |all: &[f64]| -> Vec<f64> { if quick { vec![all[0], all[all.len() - 1]] } else { all.to_vec() } };
    for vertices in [20, 500] {
        let usual = Setting::usual(Kind::Mixed, if quick && vertices > 20 { 100 } else { vertices }, quick);
        for (varied, values) in [
            (Varied::Speed, list(&[0.02, 0.05, 0.1, 0.15, 0.2])),
            (Varied::Rotation, list(&[5.0, 10.0, 20.0, 30.0, 40.0])),
            (Varied::Density, list(&[0.05, 0.1, 0.15, 0.2])),
        ] {
            text += &format!(
                "\n{}, {} vertices\n{:>10} {:>9} {:>9}",
                varied.label(),
                usual.vertices,
                "",
                "queries",
                "colliding"
            );
            ALGORITHMS.iter().for_each(|name| text += &format!(" {name:>9}"));
            text += "  Lin-Canny/vector\n";
            for point in vary(varied, &values, usual, passes) {
                text += &format!("{:>10} {:>9} {:>9}", point.value, point.queries, point.colliding);
                point.nanoseconds.iter().for_each(|time| text += &format!(" {time:>9.0}"));
                text += &format!("  {:>16.2}\n", point.of("Lin-Canny") / point.of("vector"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_algorithms_see_the_collisions_of_a_crowd() {
        // `run` asserts it.
        let setting = Setting { density: 0.2, speed: 0.2, ..Setting::usual(Kind::Mixed, 20, true) };
        let [point] = vary(Varied::Rotation, &[30.0], setting, 1).try_into().expect("one point");
        assert!(point.colliding > 50 && 2 * point.colliding < point.queries, "{point:?}");
        assert!(point.nanoseconds.iter().all(|time| *time > 0.0) && point.steps.iter().all(|steps| *steps >= 1.0));
    }
}
