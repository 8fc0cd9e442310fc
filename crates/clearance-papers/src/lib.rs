//! The five papers that Clearance implements. The crate runs every figure, table and claim again: the paper's statement, the measurement, and
//! whether the two agree.
//!
//! One module for each paper has its algorithms as printed, its experiments and the rows of its claims. [`CLAIMS`] lists the claims; an
//! [`Experiment`] computes a [`Row`] for one or more of them. A claim without an experiment has a row that says so. The program `clearance-papers`
//! writes a page with figures and data; [`tables`] prints the tables of the experiments. [`engines`] has the papers' engines by name, for a
//! comparison with those of the library. [`hull_pair`] is the method of three of the papers for bodies that are not convex.
//!
//! * Counts are the same bits on every run; times are CPU times of the thread that did the work.
//! * Every number on the page is in a table of its row, and every figure is drawn from one.
//! * A rule beside each verdict computes it from the numbers. `--quick` measures less, and comes to the same verdicts.

mod claims;
pub mod engines;
pub mod gjk;
pub mod hull_pair;
pub mod penetration_depth;
pub mod rapid;
mod row;
pub mod separating_vector;
pub mod tables;
pub mod two_phase;
pub mod vclip;

pub use claims::{CLAIMS, Claim};
pub use row::{Cell, Figure, Picture, Row, Table, Value, Verdict};

use cpu_time::ThreadTime;

/// A paper, as a value of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paper {
    /// Its name on the command line.
    pub name: &'static str,
    /// The letter of its claims.
    pub letter: char,
    /// Its title.
    pub title: &'static str,
    /// Its author, its publication, and its number there.
    pub reference: &'static str,
}

/// The five papers.
pub const PAPERS: [Paper; 5] = [
    Paper {
        name: "vclip",
        letter: 'V',
        title: "V-Clip, with Lin-Canny (Mirtich 1998)",
        reference: "B. Mirtich, V-Clip: Fast and Robust Polyhedral Collision Detection, ACM Transactions on Graphics 17(3), 1998, doi:10.1145/285857.285860; report TR97-05, Mitsubishi Electric Research Laboratory, 1997",
    },
    Paper {
        name: "gjk",
        letter: 'G',
        title: "GJK and SOLID (van den Bergen 1999)",
        reference: "G. van den Bergen, A Fast and Robust GJK Implementation for Collision Detection of Convex Objects, Journal of Graphics Tools 4(2), 1999, doi:10.1080/10867651.1999.10487502",
    },
    Paper {
        name: "separating-vector",
        letter: 'S',
        title: "Separating vectors and Q-COLLIDE (Chung 1996)",
        reference: "T. L. Chung, An Efficient Collision Detection Algorithm for Polytopes in Virtual Environments, master's thesis, University of Hong Kong, 1996",
    },
    Paper {
        name: "two-phase",
        letter: 'T',
        title: "Two-phase collision detection (Mirtich 1997)",
        reference: "B. Mirtich, Efficient Algorithms for Two-Phase Collision Detection, report TR97-23, Mitsubishi Electric Research Laboratory, 1997",
    },
    Paper {
        name: "penetration-depth",
        letter: 'P',
        title: "Penetration depth (Kim, Otaduy, Lin, Manocha 2002)",
        reference: "Y. J. Kim, M. A. Otaduy, M. C. Lin, D. Manocha, Fast Penetration Depth Computation for Physically-based Animation, ACM SIGGRAPH/Eurographics Symposium on Computer Animation 2002",
    },
];

/// The amount of measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A part of everything: all papers within two minutes.
    Quick,
    /// The measurements of the papers, or as much of them as takes minutes.
    Full,
}

impl Effort {
    /// One of two sizes.
    pub fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// A function that computes rows.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Its name while it runs.
    pub name: &'static str,
    /// The claims of its rows.
    pub rows: &'static [&'static str],
    /// Its time in seconds, quick and full: for progress bars.
    pub seconds: [f64; 2],
    /// Runs it.
    pub run: fn(Effort) -> Vec<Row>,
}

/// The experiments of a paper.
#[must_use]
pub fn experiments(paper: &Paper) -> Vec<Experiment> {
    match paper.letter {
        'V' => vclip::experiments(),
        'G' => gjk::experiments(),
        'P' => penetration_depth::experiments(),
        'T' => two_phase::experiments(),
        'S' => separating_vector::experiments(),
        _ => Vec::new(),
    }
}

/// All rows of a paper, in the order of its claims; `at` gets the name of each experiment before it runs.
pub fn run(paper: &Paper, effort: Effort, at: &mut dyn FnMut(&Experiment)) -> Vec<Row> {
    let found = run_rows(paper, effort, &[], at);
    let of_paper = CLAIMS.iter().filter(|claim| claim.number.starts_with(paper.letter));
    let row = |claim: &Claim| {
        let known = found.iter().position(|row: &Row| row.claim.number == claim.number);
        known.map_or_else(|| Row::absent(claim.number, "nothing runs it yet"), |index| found[index].clone())
    };
    of_paper.map(row).collect()
}

/// The rows of the experiments of a paper that have one of these rows, or of all experiments without a list.
pub fn run_rows(paper: &Paper, effort: Effort, wanted: &[String], at: &mut dyn FnMut(&Experiment)) -> Vec<Row> {
    let mut found = Vec::new();
    for experiment in experiments(paper) {
        if wanted.is_empty() || wanted.iter().any(|row| experiment.rows.contains(&row.as_str())) {
            at(&experiment);
            found.extend((experiment.run)(effort));
        }
    }
    found
}

/// The result of some work, and its CPU time in seconds.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let found = work();
    (found, start.elapsed().as_secs_f64())
}
