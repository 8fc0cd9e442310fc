//! The rows of the thesis on separating vectors: how many steps searches take ([`steps`]), what they cost beside closest features ([`times`]), and what
//! its parts do ([`parts`]).

mod parts;
mod steps;
mod times;

use super::Experiment;

/// The experiments of the thesis.
pub fn experiments() -> Vec<Experiment> {
    let experiment = |name, rows, seconds, run| Experiment { name, rows, seconds, run };
    vec![
        experiment("steps of searches", &["S1", "S2", "S3", "S4", "S5", "S6", "S7"], [3.0, 120.0], steps::searches),
        experiment("two steps, two collision tests", &["S15", "S22"], [2.0, 20.0], steps::choices),
        experiment("local search", &["S18", "S19"], [2.0, 15.0], steps::local_searches),
        experiment("times", &["S8", "S9", "S10", "S11", "S12", "S13", "S14"], [10.0, 120.0], times::figures),
        experiment("strips, circles, balls, lemmas", &["S16", "S17", "S20"], [1.0, 10.0], parts::lemmas_and_examples),
        experiment("a hierarchy of vertices", &["S21"], [1.0, 15.0], parts::hierarchy),
        experiment("Gilbert's rounds", &["S23"], [2.0, 20.0], parts::gilbert),
        experiment("oriented boxes", &["S24"], [0.1, 1.0], parts::oriented_boxes),
        experiment("snapshots", &["S25"], [1.0, 5.0], parts::snapshots),
        experiment("memory", &["S26"], [1.0, 2.0], parts::memory),
    ]
}
