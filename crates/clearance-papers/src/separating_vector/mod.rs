//! Separating vectors and Q-COLLIDE: K. Chung, *An Efficient Collision Detection Algorithm for Polytopes in Virtual Environments*, 1996.
//!
//! A [`scene`] of many bodies is recorded once, and every algorithm answers the same queries.
//!
//! * [`gilbert`]: the improved Gilbert algorithm. [`support`]: tables and hierarchies of directions for support points.
//! * [`vector_steps`]: figures 6.3 to 6.5. The number of vectors that a search tests.
//! * [`multi_body`]: figures 6.6 to 6.11. The cost of a query as speed, rotation and density grow.
//! * [`local_search`]: sections 3.3 to 3.6. The savings of visit stamps, of a table of directions and of a first vector from the centres.
//! * [`lemmas`]: the lemmas in numbers; the better step for strips, circles and balls.
//! * [`gilbert_rounds`]: sections 5.4 and 5.5. Rounds of the improved Gilbert algorithm from several starts.
//! * `options`: sections 3.5, 3.7, 4.4 and 5.4. The mix of both steps, larger tables, and both algorithms with the hierarchy.
//! * [`obb_operations`]: section 5.6. The operations of a test of two oriented boxes.
//! * [`simulation`]: the multi-body simulation of I-COLLIDE and Q-COLLIDE. The cost of a frame of a world by broad phase and engine.
//!
//! The rows are in `steps` (steps of searches), `times` (times beside those of closest features) and `parts` (the rest).

pub mod gilbert;
pub mod gilbert_rounds;
pub mod lemmas;
pub mod local_search;
pub mod multi_body;
pub mod obb_operations;
mod options;
mod parts;
pub mod scene;
pub mod simulation;
mod steps;
pub mod support;
mod times;
pub mod vector_steps;

use crate::Experiment;

/// The experiments of the thesis.
pub fn experiments() -> Vec<Experiment> {
    let experiment = |name, rows, seconds, run| Experiment { name, rows, seconds, run };
    vec![
        experiment("steps of searches", &["S1", "S2", "S3", "S4", "S5", "S6", "S7"], [3.0, 120.0], steps::searches),
        experiment("two steps, two collision tests", &["S15", "S22"], [2.0, 20.0], steps::choices),
        experiment("local search", &["S18", "S19", "S31"], [2.0, 15.0], steps::local_searches),
        experiment("mixes of both steps", &["S27"], [2.0, 20.0], options::mixes),
        experiment("sizes of the table", &["S28"], [0.5, 10.0], options::tables),
        experiment("both algorithms with a hierarchy", &["S29", "S30"], [1.0, 20.0], options::hierarchies),
        experiment("times", &["S8", "S9", "S10", "S11", "S12", "S13", "S14"], [10.0, 120.0], times::figures),
        experiment("strips, circles, balls, lemmas", &["S16", "S17", "S20"], [1.0, 10.0], parts::lemmas_and_examples),
        experiment("a hierarchy of vertices", &["S21"], [1.0, 15.0], parts::hierarchy),
        experiment("Gilbert's rounds", &["S23"], [2.0, 20.0], parts::gilbert),
        experiment("oriented boxes", &["S24"], [0.1, 1.0], parts::oriented_boxes),
        experiment("snapshots", &["S25"], [1.0, 5.0], parts::snapshots),
        experiment("memory", &["S26"], [1.0, 2.0], parts::memory),
    ]
}
