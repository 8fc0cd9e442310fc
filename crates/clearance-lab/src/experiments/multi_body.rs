//! Figures 6.6 to 6.11 of \[QC\]: time per query in a scene of many bodies, as speed, rotation and density grow.
//!
//! Every algorithm is asked the queries of one recording: closest features (V-Clip), which answers with the distance in every frame;
//! the separating vector, an intersection test; improved Gilbert, closest points in every frame; and the combination of the two, closest points
//! of the frame before a collision.

use super::scene::{Kind, Recording, Setting, record};
use clearance::math::Frame;
use clearance::narrow::gilbert::{self, Start};
use clearance::{Engine, Pair, Shape};
use std::hint::black_box;
use std::time::Instant;

/// The algorithms, in the order of the columns.
pub const ALGORITHMS: [&str; 5] = ["features", "gilbert", "vector", "combined", "auto"];

/// Nanoseconds per query for each of [`ALGORITHMS`]; the best of a few passes that take turns.
#[must_use]
pub fn run(recording: &Recording, passes: usize) -> [f64; 5] {
    let mut best = [f64::INFINITY; 5];
    for _ in 0..passes {
        let times = [
            pairs(recording, Engine::VClip, |pair, [a, b]| black_box(pair.distance(a, b)).lower <= 0.0),
            by_gilbert(recording),
            pairs(recording, Engine::SeparatingVector, |pair, [a, b]| pair.intersects(a, b)),
            pairs(recording, Engine::SeparatingVector, |pair, [a, b]| black_box(pair.collide(a, b)).is_colliding()),
            pairs(recording, Engine::Auto, |pair, [a, b]| black_box(pair.collide(a, b)).is_colliding()),
        ];
        for (best, time) in best.iter_mut().zip(times) {
            *best = best.min(time);
        }
    }
    best
}

fn pairs(recording: &Recording, engine: Engine, ask: impl Fn(&mut Pair, [clearance::Pose; 2]) -> bool) -> f64 {
    let mut memories: Vec<Option<Pair>> = vec![None; recording.slots];
    let make = |[a, b]: [usize; 2]| Pair::new(&recording.shapes[a], &recording.shapes[b]).engine(engine);
    // Made beforehand: a body that appears is not what is measured.
    for query in &recording.queries {
        memories[query.slot].get_or_insert_with(|| make(query.bodies));
    }
    let mut yes = 0;
    let start = Instant::now();
    for query in &recording.queries {
        let pair = memories[query.slot].as_mut().expect("made above");
        if query.is_new {
            pair.reset();
        }
        yes += usize::from(ask(pair, query.poses));
    }
    let time = start.elapsed().as_secs_f64() * 1e9 / recording.queries.len().max(1) as f64;
    let expected = recording.queries.iter().filter(|query| query.collides).count();
    assert_eq!(yes, expected, "{engine:?} disagrees about collisions");
    time
}

fn by_gilbert(recording: &Recording) -> f64 {
    let mut memories = vec![Start::default(); recording.slots];
    let hulls: Vec<_> = recording
        .shapes
        .iter()
        .map(|shape| match shape {
            Shape::Polytope(hull) => &**hull,
            _ => panic!("a scene has hulls only"),
        })
        .collect();
    let start = Instant::now();
    for query in &recording.queries {
        let memory = &mut memories[query.slot];
        if query.is_new {
            *memory = Start::default();
        }
        let [a, b] = query.bodies.map(|body| hulls[body]);
        black_box(gilbert::distance(a, b, &Frame::relative(&query.poses[0], &query.poses[1]), memory));
    }
    start.elapsed().as_secs_f64() * 1e9 / recording.queries.len().max(1) as f64
}

/// The tables.
#[must_use]
pub fn tables(quick: bool) -> String {
    let mut text = String::from(
        "Figures 6.6 to 6.11 of Q-COLLIDE: nanoseconds per query about two bodies whose boxes overlap, ellipsoids, rods and plates\n\
         mixed. features: V-Clip, distance in every frame; gilbert: closest points in every frame; vector: yes or no; combined: and the\n\
         closest points of the frame before a collision; auto: the same with Engine::Auto.\n",
    );
    let passes = if quick { 1 } else { 3 };
    let list = |all: &[f64]| -> Vec<f64> { if quick { vec![all[0], all[all.len() - 1]] } else { all.to_vec() } };
    for vertices in [20, 500] {
        let usual = Setting::usual(Kind::Mixed, if quick && vertices > 20 { 100 } else { vertices }, quick);
        let mut part = |what: &str, settings: Vec<(String, Setting)>| {
            text += &format!("\n{what}, {} vertices\n{:>10} {:>9} {:>9}", usual.vertices, "", "queries", "colliding");
            for name in ALGORITHMS {
                text += &format!(" {name:>9}");
            }
            text += "  features/vector\n";
            for (label, setting) in settings {
                let recording = record(&setting, 66);
                let times = run(&recording, passes);
                let colliding = recording.queries.iter().filter(|query| query.collides).count();
                text += &format!("{label:>10} {:>9} {colliding:>9}", recording.queries.len());
                for time in times {
                    text += &format!(" {time:>9.0}");
                }
                text += &format!("  {:>15.2}\n", times[0] / times[2]);
            }
        };
        let speeds = list(&[0.02, 0.05, 0.1, 0.15, 0.2]);
        part("radii per frame", speeds.iter().map(|&speed| (speed.to_string(), Setting { speed, ..usual })).collect());
        let turns = list(&[5.0, 10.0, 20.0, 30.0, 40.0]);
        part(
            "degrees per frame",
            turns.iter().map(|&degrees| (degrees.to_string(), Setting { degrees, ..usual })).collect(),
        );
        let densities = list(&[0.05, 0.1, 0.2, 0.3, 0.4]);
        part("density", densities.iter().map(|&density| (density.to_string(), Setting { density, ..usual })).collect());
    }
    text
}
