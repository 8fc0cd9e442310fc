//! The worst errors of answers: every pair of kinds is compared with truths of 32 digits.
//!
//! For each pair of kinds the module draws shapes that are ordinary, flat, thin or equal. Their poses are dangerous ([`draw::place`]): concentric,
//! along an axis, deep, near touching, turned by nothing or almost nothing, far from the origin.
//!
//! The library's bracket is compared with [the truth](truth::truth). For meshes and for curved shapes that overlap there is no such number. There
//! the exact checker decides whether the bracket holds the truth, and the width of the bracket bounds the error.

mod page;
pub mod truth;

pub use page::page;

use crate::meshes::small::random_mesh;
use crate::soak::draw::{self, Drawn};
use crate::soak::exact;
use crate::{Rng, Spec};
use clearance::{Clearance, Status, distance};
use clearance_io::Answer;
use clearance_verify::Verdict;

/// Not among the kinds of [`draw::shape`].
const MESH: usize = usize::MAX;

/// The kinds of the table, with their numbers in [`draw::shape`].
pub const KINDS: [(&str, usize); 12] = [
    ("point", 0),
    ("segment", 7),
    ("triangle", 8),
    ("sphere", 1),
    ("cuboid", 2),
    ("capsule", 3),
    ("cylinder", 4),
    ("cone", 5),
    ("ellipsoid", 6),
    ("hull", 9),
    ("half-space", 14),
    ("mesh", MESH),
];

/// The counts of the pairs of one kind that are apart, or of those that overlap.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// The number of pairs.
    pub pairs: usize,
    /// The largest difference of the distance and the truth, as a part of the size.
    pub error: f64,
    /// The widest bracket, as a part of the size, of those that are closed.
    pub width: f64,
    /// The number of open brackets, whose status says so.
    pub open: usize,
    /// The number of pairs that the exact checker judged instead of a number.
    pub checked: usize,
    /// The number of these that it left undecided.
    pub undecided: usize,
    /// The number of brackets that do not hold the truth. It must be zero.
    pub outside: usize,
}

/// A row of the table.
#[derive(Debug, Clone)]
pub struct Row {
    /// The two kinds.
    pub kinds: [&'static str; 2],
    /// Pairs that are apart.
    pub apart: Tally,
    /// Pairs that overlap or touch.
    pub overlapping: Tally,
    /// The first pair whose bracket does not hold the truth, as a query line.
    pub outside: Option<String>,
}

/// Measures every pair of kinds, with `pairs` pairs of each, on all cores. The same seed gives the same rows.
#[must_use]
pub fn measure(seed: u64, pairs: usize) -> Vec<Row> {
    let kinds = (0..KINDS.len()).flat_map(|i| (i..KINDS.len()).map(move |j| [i, j]));
    // Two points are a subtraction, and two half-spaces overlap infinitely.
    let is_row = |&[i, j]: &[usize; 2]| i != j || !["point", "half-space"].contains(&KINDS[i].0);
    let work: Vec<[usize; 2]> = kinds.filter(is_row).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut rows: Vec<(usize, Row)> = std::thread::scope(|scope| {
        let job = |first: usize| {
            let work = &work;
            scope.spawn(move || {
                let mine = (first..work.len()).step_by(threads);
                mine.map(|index| (index, row(seed, work[index], pairs))).collect::<Vec<_>>()
            })
        };
        let jobs: Vec<_> = (0..threads).map(job).collect();
        jobs.into_iter().flat_map(|job| job.join().expect("nothing panics")).collect()
    });
    rows.sort_by_key(|(index, _)| *index);
    rows.into_iter().map(|(_, row)| row).collect()
}

fn row(seed: u64, kinds: [usize; 2], pairs: usize) -> Row {
    let mut rng = Rng::with_seed(seed + 1000 * kinds[0] as u64 + kinds[1] as u64);
    let mut row = Row {
        kinds: kinds.map(|kind| KINDS[kind].0),
        apart: Tally::default(),
        overlapping: Tally::default(),
        outside: None,
    };
    for number in 0..pairs {
        let [a, mut b] = kinds.map(|kind| shape(&mut rng, KINDS[kind].1));
        // Equal sizes are common in practice.
        if kinds[0] == kinds[1] && rng.u32(..3) == 0 {
            b = a.clone();
        }
        // Either kind may come first.
        let (a, b) = if number % 2 == 0 { (a, b) } else { (b, a) };
        let drawn = draw::place(&mut rng, a, b);
        row.look_at(&drawn);
    }
    row
}

/// A shape of a kind. Hulls have few corners, so that all directions of a depth can be tried.
fn shape(rng: &mut Rng, kind: usize) -> Spec {
    if kind == MESH {
        return random_mesh(rng).1;
    }
    match draw::shape(rng, kind) {
        Spec::Hull(mut points) => {
            points.truncate(10);
            Spec::Hull(points)
        }
        spec => spec,
    }
}

impl Row {
    /// Queries the library about a pair, and compares its answer with the truth.
    fn look_at(&mut self, drawn: &Drawn) {
        let (a, b) = (drawn.a.build(), drawn.b.build());
        let found = distance(&a, drawn.pose_a, &b, drawn.pose_b);
        let reach = |shape: &clearance::Shape| Some(shape.bounding_radius()).filter(|reach| reach.is_finite());
        let between = (drawn.pose_b.translation() - drawn.pose_a.translation()).length();
        let plane = |spec: &Spec| if let Spec::HalfSpace(_, offset) = spec { offset.abs() } else { 0.0 };
        let size =
            reach(&a).unwrap_or_else(|| plane(&drawn.a)) + reach(&b).unwrap_or_else(|| plane(&drawn.b)) + between;
        // A pair without size, such as a ball of radius zero on a point, has no relative error.
        let part = |length: f64| if size > 0.0 { length / size } else { length };
        let known = truth::truth(&drawn.a, drawn.pose_a, &drawn.b, drawn.pose_b);
        let is_apart = known.map_or_else(|| found.is_apart(), |[lower, _]| lower > 0.0);
        let tally = if is_apart { &mut self.apart } else { &mut self.overlapping };
        tally.pairs += 1;
        let Clearance { distance, lower, upper, .. } = found;
        match found.status {
            Status::Converged => tally.width = tally.width.max(part(upper - lower)),
            _ => tally.open += 1,
        }
        let is_outside = match known {
            Some([from, to]) => {
                if found.status == Status::Converged {
                    tally.error = tally.error.max(part((distance - from).abs().min((distance - to).abs())));
                }
                lower > to || upper < from
            }
            None => {
                tally.checked += 1;
                if found.status == Status::Converged {
                    tally.error = tally.error.max(part((upper - distance).max(distance - lower)));
                }
                let verdict = exact::verdict(drawn, &Answer::Distance(found));
                tally.undecided += usize::from(!matches!(verdict, Some(Verdict::Proved | Verdict::Refuted(_))));
                matches!(verdict, Some(Verdict::Refuted(_)))
            }
        };
        if is_outside {
            tally.outside += 1;
            let line = || crate::spec::query_line(&drawn.a, &drawn.pose_a, &drawn.b, &drawn.pose_b);
            self.outside.get_or_insert_with(|| format!("{known:?} {}", line()));
        }
    }
}
