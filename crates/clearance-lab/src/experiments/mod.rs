//! The experiments of the papers, run on our engines and broad phases.
//!
//! `cargo run --release -p clearance-lab --bin experiments` prints their tables; `--quick` is a short form of it.
//!
//! * [`coherence`]: algorithm 9. How much work is a call when one body swings about the other, by how many degrees?
//! * [`degeneracy`]: algorithm 10. What happens at the very pose where the closest features change, for nearly parallel
//!   cubes?
//! * [`three_algorithms`], [`boundary_cases`]: both again with V-Clip, Lin-Canny and Enhanced GJK as they are, before anything is repaired.
//! * [`penetration_witness`]: figure 8 of the same paper. Which features witness a penetration, and at what cost?
//! * [`arrows`]: its figure 2. Does every arrow of the state diagram make the distance smaller?
//! * [`gjk_operations`]: what a call of GJK stands for in floating-point operations.
//! * [`gjk_iterations`]: sections 4 and 5 of the GJK paper. How many iterations, how do searches end, what does Johnson's subalgorithm look at?
//! * [`i_collide`]: its appendix B. What does a question of the narrow phase cost in the simulation of I-COLLIDE?
//! * [`hashing`]: table 1 and figure 6 of the two-phase paper. What does coherence save in hashing, and what do crowded
//!   coordinates cost in sorting?
//! * [`scenes`]: the scenes of that table, with [`tossed`] bodies and a [`rattleback`], integrated.
//! * [`mod@line`] and [`tiles`]: the example of figures 2 and 3, and what its lemma and theorems say of resolutions, buckets and close pairs.
//! * [`swept`]: figure 1. Do boxes of swept volumes hold what is swept, and a bullet and a thin wall.
//! * [`spheres`]: figure 10. What does Lin-Canny take on finer and finer spheres, and how many features does a satellite pass?
//! * [`simulation`]: the multi-body simulation of I-COLLIDE and Q-COLLIDE. What does a frame of a whole world cost, with which broad
//!   phase and which engine?
//!
//! * [`penetration`]: tables 2 and 3 of the penetration-depth paper. What does its pipeline see, at which level, at what cost?
//! * [`scheduling`]: section 4 of the two-phase paper. When are bodies looked at, and what do fixed steps miss?
//!
//! And those of Q-COLLIDE, on a [`scene`] of many bodies that is recorded once and asked about by every algorithm:
//!
//! * [`vector_steps`]: figures 6.3 to 6.5. How many vectors does a separating-vector search ask about?
//! * [`multi_body`]: figures 6.6 to 6.11. What does a query cost, as speed, rotation and density grow?
//! * [`local_search`]: sections 3.3 to 3.6. What do visit stamps, a table of directions and a first vector from the centres save?
//! * [`lemmas`]: do the lemmas hold in numbers, and which step is better for strips, circles and balls?
//! * [`gilbert_rounds`]: sections 5.4 and 5.5. How many rounds does the improved Gilbert algorithm take, from which start?
//! * [`obb_operations`]: section 5.6. How many operations is a test of two oriented boxes?

pub mod arrows;
pub mod boundary_cases;
pub mod coherence;
pub mod degeneracy;
pub mod gilbert_rounds;
pub mod gjk_iterations;
pub mod gjk_operations;
pub mod hashing;
pub mod i_collide;
pub mod lemmas;
pub mod line;
pub mod local_search;
pub mod multi_body;
pub mod obb_operations;
pub mod penetration;
pub mod penetration_witness;
pub mod rattleback;
pub mod scene;
pub mod scenes;
pub mod scheduling;
pub mod simulation;
pub mod spheres;
pub mod swept;
pub mod three_algorithms;
pub mod tiles;
pub mod tossed;
pub mod vector_steps;

use clearance::Engine;

/// What the two experiments of the V-Clip paper came to.
#[derive(Debug, Clone)]
pub struct Results {
    /// Algorithm 9.
    pub rows: Vec<coherence::Row>,
    /// Algorithm 10, with the name of the engine.
    pub reports: Vec<(&'static str, degeneracy::Setting, degeneracy::Report)>,
}

/// Both experiments of the V-Clip paper, in its size or a short form of it.
#[must_use]
pub fn run(is_quick: bool) -> Results {
    let (size, trials) = if is_quick { (coherence::Size::QUICK, 100) } else { (coherence::Size::FULL, 100_000) };
    let mut rows = Vec::new();
    for (name, points) in coherence::shapes() {
        for degrees in [0.0, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 25.0] {
            rows.push(coherence::run(name, &points, degrees, size));
        }
    }
    let mut reports = Vec::new();
    for (name, engine) in [("vclip", Engine::VClip), ("lin_canny", Engine::LinCanny)] {
        reports.extend(degeneracy::SETTINGS.map(|setting| (name, setting, degeneracy::run(engine, setting, trials))));
    }
    Results { rows, reports }
}

impl Results {
    /// All tables, as text.
    #[must_use]
    pub fn tables(&self) -> String {
        format!("{}\n{}", coherence::table(&self.rows), degeneracy::table(&self.reports))
    }
}
