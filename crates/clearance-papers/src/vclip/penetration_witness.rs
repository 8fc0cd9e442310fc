//! Section 4.1 of the V-Clip paper and its figure 8: bodies that pass through each other. Which features witness the penetration, and what does
//! finding them cost?

use crate::gjk::counted::enhanced::Answer;
use crate::vclip::printed::{self, START, Step6, Work};
use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::gjk::{self, WarmSimplex};
use clearance::math::{DQuat, DVec3, Frame};
use clearance::shape::Polytope;
use clearance::{Feature, Pose};
use clearance_lab::{Rng, models, random};

/// Bodies of some number of vertices that pass through each other.
#[derive(Debug, Clone, Copy, Default)]
pub struct Passes {
    /// Calls in which the bodies were apart, and what they took.
    pub apart: (u64, Work),
    /// Calls in which they overlapped, and what those took.
    pub overlapping: (u64, Work),
    /// Overlaps witnessed by an edge through a face.
    pub edge_face: u64,
    /// Overlaps witnessed by a vertex inside.
    pub vertex_face: u64,
    /// Passes, and those in which a vertex was a witness at some time.
    pub passes: [u64; 2],
    /// Calls in which V-Clip and GJK do not agree on whether the bodies overlap.
    pub disagreements: u64,
    /// Marches without an end.
    pub unfinished: u64,
}

impl Passes {
    /// Operations per call, apart and overlapping.
    #[must_use]
    pub fn flops(&self) -> [f64; 2] {
        [self.apart, self.overlapping].map(|(calls, counts)| counts.total() as f64 / calls.max(1) as f64)
    }

    /// The part of the overlaps that an edge through a face witnesses.
    #[must_use]
    pub fn edge_face_share(&self) -> f64 {
        self.edge_face as f64 / self.overlapping.0.max(1) as f64
    }
}

/// V-Clip as printed.
fn ask(bodies: [&Polytope; 2], frame: &Frame, features: &mut [Feature; 2], work: &mut Work) -> Answer {
    printed::distance(bodies, frame, Step6::Corrected, features, work, &mut |_| {})
}

/// Of random pairs that overlap and of random pairs that are apart, those for which line 6 of algorithm 6 as printed leads to another answer; and how many of
/// both there are.
#[must_use]
pub fn step_6_as_printed(vertices: usize, pairs: usize, seed: u64) -> [[u64; 2]; 2] {
    let mut rng = Rng::with_seed(seed);
    let mut found = [[0; 2]; 2];
    for _ in 0..pairs {
        let [a, b] = [(); 2].map(|()| convex_hull(&models::random_hull(&mut rng, vertices)).expect("points"));
        let frame = Frame::from(Pose::new(random::vector(&mut rng, -1.2, 1.2), random::rotation(&mut rng)));
        let truth = gjk::distance(&a, &b, &frame, &mut WarmSimplex::default());
        let is_apart = truth.distance > 0.0;
        let answer =
            printed::distance([&a, &b], &frame, Step6::Printed, &mut START.clone(), &mut Work::default(), &mut |_| {});
        let is_right = match answer {
            Answer::Gap(gap) => is_apart && (gap - truth.distance).abs() < 1e-6,
            Answer::Zero => !is_apart,
            Answer::Endless => false,
        };
        let [wrong, all] = &mut found[usize::from(is_apart)];
        *wrong += u64::from(!is_right);
        *all += 1;
    }
    found
}

/// Lets random hulls pass through each other along random lines, by 2 % of the size and one degree per call.
#[must_use]
pub fn pass_through(vertices: usize, passes: usize, seed: u64) -> Passes {
    let mut rng = Rng::with_seed(seed);
    let mut found = Passes::default();
    for _ in 0..passes {
        let [a, b] = [(); 2].map(|()| convex_hull(&models::random_hull(&mut rng, vertices)).expect("points"));
        let (way, axis, start) = (random::direction(&mut rng), random::direction(&mut rng), random::rotation(&mut rng));
        let aside = random::vector(&mut rng, -0.3, 0.3);
        let mut features = START;
        let mut had_vertex = false;
        for step in -110..=110 {
            let turn = DQuat::from_axis_angle(axis, f64::from(step).to_radians());
            let frame = Frame::from(Pose::new(aside + way * (0.02 * f64::from(step)), turn * start));
            let mut counts = Work::default();
            let answer = ask([&a, &b], &frame, &mut features, &mut counts);
            let is_apart = !gjk::intersects(&a, &b, &frame, &mut WarmSimplex::default());
            let part = match answer {
                Answer::Gap(_) => &mut found.apart,
                Answer::Zero => &mut found.overlapping,
                Answer::Endless => {
                    found.unfinished += 1;
                    continue;
                }
            };
            part.0 += 1;
            part.1 += counts;
            found.disagreements += u64::from(is_apart != matches!(answer, Answer::Gap(_)));
            if answer == Answer::Zero {
                let is_edge = features.iter().any(|feature| matches!(feature, Feature::Edge(_)));
                found.edge_face += u64::from(is_edge);
                found.vertex_face += u64::from(!is_edge);
                had_vertex |= !is_edge;
            }
        }
        found.passes[0] += 1;
        found.passes[1] += u64::from(had_vertex);
    }
    found
}

/// The bounds of the classes of depth, as parts of the size of a body; the last class is deeper.
pub const DEPTHS: [f64; 4] = [0.01, 0.05, 0.2, 0.5];

/// Bodies that come into each other and go on, from the features of the last call: overlaps, and those that an edge through a face witnesses, by depth.
#[must_use]
pub fn by_depth(vertices: usize, passes: usize, seed: u64) -> [[u64; 2]; 5] {
    let mut rng = Rng::with_seed(seed);
    let mut found = [[0; 2]; 5];
    for _ in 0..passes {
        let [a, b] = [(); 2].map(|()| convex_hull(&models::random_hull(&mut rng, vertices)).expect("points"));
        let size = 2.0 * a.bounding_radius().min(b.bounding_radius());
        let (way, turn) = (random::direction(&mut rng), random::rotation(&mut rng));
        let mut features = START;
        for step in 0..=400 {
            let frame = Frame::from(Pose::new(way * (2.0 - 0.005 * f64::from(step)), turn));
            let answer = ask([&a, &b], &frame, &mut features, &mut Work::default());
            if answer != Answer::Zero {
                continue;
            }
            let depth = -gjk::distance(&a, &b, &frame, &mut WarmSimplex::default()).distance;
            let class = DEPTHS.iter().position(|bound| depth < bound * size).unwrap_or(DEPTHS.len());
            found[class][0] += 1;
            found[class][1] += u64::from(features.iter().any(|feature| matches!(feature, Feature::Edge(_))));
        }
    }
    found
}

/// Random pairs that overlap, each from nothing: how many an edge through a face witnesses, of how many; those with a gap instead of a witness; and those without an end.
#[must_use]
pub fn random_overlaps(vertices: usize, pairs: usize, seed: u64) -> [u64; 4] {
    let mut rng = Rng::with_seed(seed);
    let [mut edge_face, mut overlaps, mut missed, mut endless] = [0; 4];
    for _ in 0..pairs {
        let [a, b] = [(); 2].map(|()| convex_hull(&models::random_hull(&mut rng, vertices)).expect("points"));
        let at: DVec3 = random::vector(&mut rng, -0.8, 0.8);
        let frame = Frame::from(Pose::new(at, random::rotation(&mut rng)));
        if !gjk::intersects(&a, &b, &frame, &mut WarmSimplex::default()) {
            continue;
        }
        overlaps += 1;
        let mut features = START;
        match ask([&a, &b], &frame, &mut features, &mut Work::default()) {
            Answer::Zero => {
                edge_face += u64::from(features.iter().any(|feature| matches!(feature, Feature::Edge(_))));
            }
            Answer::Gap(_) => missed += 1,
            Answer::Endless => endless += 1,
        }
    }
    [edge_face, overlaps, missed, endless]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_that_pass_through_each_other_are_witnessed() {
        let found = pass_through(20, 5, 1);
        assert!(found.apart.0 > 100 && found.overlapping.0 > 100, "{found:?}");
        assert!(found.disagreements == 0 && found.unfinished < 5, "{found:?}");
        assert_eq!(found.edge_face + found.vertex_face, found.overlapping.0);
        let [edge_face, overlaps, missed, _] = random_overlaps(20, 100, 2);
        assert!(overlaps > 20 && missed == 0 && edge_face <= overlaps);
    }
}
