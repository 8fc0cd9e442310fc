//! The tables of the experiments, as text: `cargo run --release -p clearance-papers -- --tables`, with `--quick` in a short form.

use crate::penetration_depth::benchmarks;
use crate::separating_vector::{multi_body, simulation, vector_steps};
use crate::two_phase::{hashing, scheduling};
use crate::vclip::coherence;
use crate::vclip::degeneracy::{self, Tracker};
use clearance::Engine;

/// The results of the two experiments of the V-Clip paper.
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
    for (name, tracker) in [("vclip", Tracker::Library(Engine::VClip)), ("lin_canny", Tracker::LinCanny)] {
        reports.extend(degeneracy::SETTINGS.map(|setting| (name, setting, degeneracy::run(tracker, setting, trials))));
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

/// Prints all tables, each when it is complete.
pub fn print(is_quick: bool) {
    println!("{}", run(is_quick).tables());
    let (frames, passes, counts): (_, _, &[usize]) =
        if is_quick { (200, 1, &[250]) } else { (4000, 5, &[250, 500, 1000, 2000, 4000]) };
    println!("{}", hashing::table(frames, passes));
    println!("{}", hashing::clusters(if is_quick { 5 } else { 50 }, counts));
    println!("{}", vector_steps::table(is_quick));
    println!("{}", vector_steps::choices(is_quick));
    println!("{}", multi_body::tables(is_quick));
    println!("{}", simulation::tables(is_quick));
    let (sizes, seconds): (&[usize], _) = if is_quick { (&[60], 3.0) } else { (&[100, 300, 1000], 10.0) };
    let rows: Vec<_> =
        sizes.iter().flat_map(|&bodies| [0.5, 2.0].map(|speed| scheduling::run(bodies, speed, seconds, 14))).collect();
    println!("{}", scheduling::table(&rows, seconds));
    // The page of `penetration-depth --quick` is the short form of these.
    if !is_quick {
        println!("{}", benchmarks::table(&benchmarks::all(false)));
        println!("{}", benchmarks::accuracy_table());
    }
}
