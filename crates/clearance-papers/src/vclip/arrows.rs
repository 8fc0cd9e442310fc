//! The state diagram of V-Clip (figure 2 of its paper): does every arrow to features of higher dimension make the distance between the features
//! smaller, and every arrow to features of lower dimension leave it?

use crate::gjk::counted::enhanced::Answer;
use crate::vclip::printed::{self, Step6, Work};
use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::gjk::{self, WarmSimplex};
use clearance::internals::narrow::tally::Tally;
use clearance::internals::narrow::vclip::{self, ClosestFeatures, MarchVerdict};
use clearance::math::{DVec3, Frame};
use clearance::shape::Polytope;
use clearance::{Feature, Pose};
use clearance_lab::{Rng, models, random};

/// A tally that notes the pairs of features.
#[derive(Debug, Clone, Default)]
struct Trace(Vec<[Feature; 2]>);

impl Tally for Trace {
    fn pair(&mut self, features: [Feature; 2]) {
        self.0.push(features);
    }
}

/// Arrows of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Arrows {
    /// How many were taken.
    pub count: u64,
    /// How many made the distance smaller.
    pub shrink: u64,
    /// How many made it larger.
    pub grow: u64,
    /// The most that one made it larger, in sizes.
    pub worst: f64,
}

/// Whose march is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marching {
    /// The algorithm of the paper.
    Printed,
    /// The engine of the library.
    Library,
}

/// Marches of separated polytopes, by where their arrows lead.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Marches {
    /// Marches.
    pub marches: u64,
    /// To features of higher dimension, or along several arrows to others of the same.
    pub up: Arrows,
    /// To features of lower dimension.
    pub down: Arrows,
    /// From face to face, out of a local minimum: the dashed arrow that the paper says nothing of.
    pub escape: Arrows,
    /// Arrows down that make the distance larger and begin at an edge that is partly over a face: lines 9 to 19 of algorithm 8.
    pub grown_over_face: u64,
    /// Marches that did not end.
    pub endless: u64,
}

fn dimension(feature: Feature) -> u32 {
    match feature {
        Feature::Vertex(_) | Feature::Surface => 0,
        Feature::Edge(_) => 1,
        Feature::Face(_) => 2,
    }
}

fn points(body: &Polytope, feature: Feature) -> Vec<DVec3> {
    match feature {
        Feature::Vertex(v) => vec![body.vertex(v)],
        Feature::Edge(e) => vec![body.vertex(body.edge(e).tail), body.vertex(body.edge(e).head)],
        Feature::Face(f) => body.face(f).vertices.iter().map(|&v| body.vertex(v)).collect(),
        Feature::Surface => Vec::new(),
    }
}

/// The distance of two features as sets of points.
fn between(bodies: [&Polytope; 2], features: [Feature; 2], frame: &Frame) -> f64 {
    let [a, b] = [0, 1].map(|i| convex_hull(&points(bodies[i], features[i])).expect("a feature has points"));
    gjk::distance(&a, &b, frame, &mut WarmSimplex::default()).distance.max(0.0)
}

/// Are the features an edge and a face, and is a part of the edge over the face, between the planes of its sides?
fn is_over_face(bodies: [&Polytope; 2], features: [Feature; 2], frame: &Frame) -> bool {
    let (k, e, f) = match features {
        [Feature::Edge(e), Feature::Face(f)] => (0, e, f),
        [Feature::Face(f), Feature::Edge(e)] => (1, e, f),
        _ => return false,
    };
    let to_face = if k == 0 { frame.inverse() } else { *frame };
    let edge = bodies[k].edge(e);
    let [tail, head] = [edge.tail, edge.head].map(|v| to_face.point(bodies[k].vertex(v)));
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for side in bodies[1 - k].face(f).sides {
        let [t, h] = [tail, head].map(|end| side.normal.dot(end) - side.offset);
        match (t >= 0.0, h >= 0.0) {
            (true, true) => {}
            (false, false) => return false,
            (false, true) => low = low.max(t / (t - h)),
            (true, false) => high = high.min(t / (t - h)),
        }
    }
    low <= high
}

/// Marches between random hulls of a few sizes that are apart, from vertices anywhere; and between cubes that are nearly parallel.
#[must_use]
pub fn run(marching: Marching, pairs: usize, seed: u64) -> Marches {
    let mut rng = Rng::with_seed(seed);
    let mut found = Marches::default();
    for round in 0..pairs {
        let count = [8, 20, 60][round % 3];
        let is_cube = round % 4 == 3;
        let [a, b] = [(); 2].map(|()| {
            let points = if is_cube { models::cube() } else { models::random_hull(&mut rng, count) };
            convex_hull(&points).expect("a model has points")
        });
        let turn = if is_cube {
            let angle = (-random::uniform(&mut rng, 0.0, 20.0)).exp();
            clearance::math::DQuat::from_axis_angle(random::direction(&mut rng), angle)
        } else {
            random::rotation(&mut rng)
        };
        let frame = Frame::from(Pose::new(random::direction(&mut rng) * random::uniform(&mut rng, 1.5, 4.5), turn));
        let mut vertex = |body: &Polytope| Feature::Vertex(rng.u32(0..body.vertex_count() as u32));
        let mut start = [vertex(&a), vertex(&b)];
        let mut trace = Trace::default();
        let is_apart = match marching {
            Marching::Library => {
                let mut cache = ClosestFeatures::new(start);
                matches!(vclip::verdict_counted(&a, &b, &frame, &mut cache, &mut trace), MarchVerdict::Apart(_))
            }
            Marching::Printed => {
                let mut visit = |features| trace.0.push(features);
                let (step_6, mut work) = (Step6::Corrected, Work::default());
                match printed::distance([&a, &b], &frame, step_6, &mut start, &mut work, &mut visit) {
                    Answer::Gap(_) => true,
                    Answer::Zero => false,
                    Answer::Endless => {
                        found.endless += 1;
                        continue;
                    }
                }
            }
        };
        if !is_apart {
            continue;
        }
        found.marches += 1;
        let distances: Vec<f64> = trace.0.iter().map(|&features| between([&a, &b], features, &frame)).collect();
        for (pair, distance) in trace.0.windows(2).zip(distances.windows(2)) {
            let [from, to] = [pair[0], pair[1]].map(|features| features.map(dimension).iter().sum::<u32>());
            let is_escape = (0..2).any(|i| pair[0][i] != pair[1][i] && pair.iter().all(|p| dimension(p[i]) == 2));
            let grown = distance[1] - distance[0];
            if to < from && !is_escape && grown > 1e-12 && is_over_face([&a, &b], pair[0], &frame) {
                found.grown_over_face += 1;
            }
            let arrows = match () {
                () if is_escape => &mut found.escape,
                () if to >= from => &mut found.up,
                () => &mut found.down,
            };
            arrows.count += 1;
            arrows.shrink += u64::from(grown < 0.0);
            arrows.grow += u64::from(grown > 1e-12);
            arrows.worst = arrows.worst.max(grown);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_fall_along_marches() {
        for marching in [Marching::Printed, Marching::Library] {
            let found = run(marching, 80, 4);
            assert!(found.marches > 40 && found.up.count > 60, "{found:?}");
            assert_eq!((found.up.grow, found.down.grow, found.endless), (0, 0, 0), "{marching:?} {found:?}");
        }
    }
}
