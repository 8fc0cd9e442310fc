//! Sections 5.4 and 5.5 of \[QC\]: the number of rounds of the improved Gilbert algorithm, and the best vertices for its start.

use super::scene::{Query, Recording};
use crate::separating_vector::gilbert::{GilbertCounts, distance_counted};
use clearance::Pose;
use clearance::internals::narrow::Difference;
use clearance::internals::narrow::separating_vector::Start;
use clearance::internals::narrow::separating_vector::{Greedy, Hemisphere, LastVector, Verdict, search};
use clearance::math::DVec3;
use clearance::math::Frame;

/// Rounds of some calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rounds {
    /// Calls by rounds; the first entry is for none.
    pub calls: Vec<u32>,
    /// Steps of local searches.
    pub climbs: u64,
}

impl Rounds {
    fn add(&mut self, counts: GilbertCounts) {
        let rounds = counts.rounds as usize;
        if self.calls.len() <= rounds {
            self.calls.resize(rounds + 1, 0);
        }
        self.calls[rounds] += 1;
        self.climbs += u64::from(counts.climbs);
    }

    /// The number of calls.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.calls.iter().sum()
    }

    /// The mean of their rounds.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: f64 = (0_u32..).zip(&self.calls).map(|(k, &calls)| f64::from(k) * f64::from(calls)).sum();
        sum / f64::from(self.count().max(1))
    }

    /// Mean steps of local searches.
    #[must_use]
    pub fn climbs(&self) -> f64 {
        self.climbs as f64 / f64::from(self.count().max(1))
    }

    /// The most rounds of a call.
    #[must_use]
    pub fn most(&self) -> usize {
        self.calls.len().saturating_sub(1)
    }
}

/// Closest points in every frame in which a pair is apart: cold calls, and calls that start from the simplex of the frame before.
#[must_use]
pub fn every_frame(recording: &Recording) -> [Rounds; 2] {
    let hulls = recording.hulls();
    let mut rounds = [Rounds::default(), Rounds::default()];
    let mut starts = vec![Start::default(); recording.slots];
    for query in recording.queries.iter().filter(|query| !query.collides) {
        let [a, b] = query.bodies.map(|body| hulls[body]);
        let frame = Frame::relative(&query.poses[0], &query.poses[1]);
        let start = &mut starts[query.slot];
        if query.is_new {
            *start = Start::default();
        }
        let is_warm = !start.vertices().is_empty();
        for (rounds, start) in rounds.iter_mut().zip([&mut Start::default(), start]) {
            let mut counts = GilbertCounts::default();
            let _ = distance_counted(a, b, &frame, start, &mut counts);
            if is_warm {
                rounds.add(counts);
            }
        }
    }
    rounds
}

/// Starts of the combined algorithm when a collision appears.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Starts {
    /// Collisions that appear.
    pub collisions: u32,
    /// Collisions whose search met a pair of vertices again.
    pub with_reoccurring: u32,
    /// Rounds for the frame before, by start: cold, from the last two pairs, the thesis's and the library's. The thesis starts from up to four pairs
    /// that came up again, else from the last two. The library starts from the last two and those that came up again.
    pub rounds: [Rounds; 4],
}

/// Runs the combined algorithm (5.5) over a recording.
#[must_use]
pub fn starts(recording: &Recording) -> Starts {
    let hulls = recording.hulls();
    // S in the axes of the world, and the poses of the frame before, if that was apart.
    let mut memories: Vec<(DVec3, Option<[Pose; 2]>)> = vec![(DVec3::ZERO, None); recording.slots];
    let mut found = Starts::default();
    for Query { bodies, poses, slot, is_new, .. } in &recording.queries {
        let [a, b] = bodies.map(|body| hulls[body]);
        let (vector, before) = &mut memories[*slot];
        if *is_new {
            (*vector, *before) = (DVec3::ZERO, None);
        }
        let frame = Frame::relative(&poses[0], &poses[1]);
        let mut cache = LastVector::along(poses[0].inverse_transform_vector(*vector));
        let outcome = search::<Hemisphere, Greedy, _, _>(&Difference::new(a, b, &frame), &Greedy, &mut cache);
        if outcome.verdict == Verdict::Apart {
            (*vector, *before) = (poses[0].transform_vector(cache.axis), Some(*poses));
            continue;
        }
        let Some(last) = before.take() else { continue };
        let frame = Frame::relative(&last[0], &last[1]);
        let count = |mut start: Start| {
            let mut counts = GilbertCounts::default();
            let _ = distance_counted(a, b, &frame, &mut start, &mut counts);
            counts
        };
        let last_two = Start::from_vertices(&outcome.last_two);
        let of_thesis = if outcome.repeats > 0 { outcome.reoccurring } else { last_two };
        let counts = [Start::default(), last_two, of_thesis, outcome.start()].map(count);
        found.collisions += 1;
        found.with_reoccurring += u32::from(outcome.repeats > 0);
        found.rounds.iter_mut().zip(counts).for_each(|(rounds, counts)| rounds.add(counts));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::separating_vector::scene::{Kind, Setting, record};

    #[test]
    fn warm_calls_take_fewer_rounds_than_cold_ones() {
        let setting = Setting { density: 0.15, ..Setting::usual(Kind::Mixed, 60, true) };
        let recording = record(&setting, 8);
        let [cold, warm] = every_frame(&recording);
        assert!(cold.count() == warm.count() && cold.count() > 100);
        assert!(warm.mean() < cold.mean() && warm.most() < 64, "{} {}", warm.mean(), cold.mean());
        let starts = starts(&recording);
        assert!(starts.collisions > 10 && starts.rounds.iter().all(|rounds| rounds.count() == starts.collisions));
    }
}
