//! The entry point for shapes at rest: takes the two shapes of a query apart and counts the work. Bounds by evidence are in `apart.rs`, the fields
//! of answers in `answer.rs`.

use crate::evidence::{Claim, Evidence, FORMAT, Query, Verdict, other_format};
use crate::number::meter;
use crate::pairing::Pairing;
use crate::parts::{Flat, Side, length};
use crate::shape::Trouble;
use crate::solid::Body;
use std::cell::OnceCell;
use std::cmp::Ordering;

/// The budget of a check in operations: a constant, plus an amount for each number of the query and the evidence. Limit: the time of a check is
/// bounded by the length of its input, whatever the evidence is.
const LIMIT: u64 = 50_000_000;
const LIMIT_PER_NUMBER: u64 = 300;

/// Decides whether a claim is proved or refuted by evidence.
///
/// The shapes and poses are taken as the numbers they are, and put together exactly. The bounds of a bracket are decided exactly.
/// Witnesses, normal and features have to be right to 1e-11 of the size, or to the width of a bracket that is wider, and that is decided
/// exactly too. A check that would take more than fifty million operations, and three
/// hundred for each number of the query and the evidence, is undecided.
#[must_use]
pub fn check(query: &Query, claim: &Claim, evidence: &Evidence) -> Verdict {
    check_counted(query, claim, evidence).0
}

/// The verdict of [`check`], and how many operations it took: steps over vertices, triangles and parts, and products of
/// words of exact numbers.
#[must_use]
pub fn check_counted(query: &Query, claim: &Claim, evidence: &Evidence) -> (Verdict, u64) {
    metered(query, evidence, 0, |case| case.verdict(claim))
}

/// Runs a check with its work counted. `more` operations are added to its budget.
pub(crate) fn metered(
    query: &Query,
    evidence: &Evidence,
    more: u64,
    verdict: impl FnOnce(&Case<'_>) -> Verdict,
) -> (Verdict, u64) {
    metered_at(query, evidence, more, 0.0, verdict)
}

/// [`metered`] for shapes that are displaced by at most `off`, see [`Case::off`].
pub(crate) fn metered_off(
    query: &Query,
    evidence: &Evidence,
    off: f64,
    verdict: impl FnOnce(&Case<'_>) -> Verdict,
) -> Verdict {
    metered_at(query, evidence, 0, off, verdict).0
}

fn metered_at(
    query: &Query,
    evidence: &Evidence,
    more: u64,
    off: f64,
    verdict: impl FnOnce(&Case<'_>) -> Verdict,
) -> (Verdict, u64) {
    let Query { a, pose_a, b, pose_b } = query;
    let fault = a.fault().or_else(|| b.fault()).or_else(|| pose_a.fault()).or_else(|| pose_b.fault());
    if evidence.format != FORMAT {
        return (Verdict::Undecided(other_format(evidence.format)), 0);
    }
    if let Some(fault) = fault {
        return (Verdict::Undecided(format!("the query cannot be computed with: {fault}")), 0);
    }
    let numbers = a.numbers() + b.numbers() + evidence.numbers();
    let limit = (LIMIT + LIMIT_PER_NUMBER * numbers).saturating_add(more);
    meter::start(limit);
    let flat = [Flat::new(a), Flat::new(b)];
    let verdict = verdict(&Case { off, ..Case::new(query, &flat, evidence) });
    let (spent, is_exhausted) = (meter::spent(), meter::is_exhausted());
    // Work outside of checks is not limited.
    meter::start(u64::MAX);
    if is_exhausted {
        let reason = format!("checking it takes more than {limit} operations, the limit for a line of this length");
        return (Verdict::Undecided(reason), limit);
    }
    (verdict, spent)
}

/// Does evidence prove that the signed distance is at most a threshold? The query has no fault, and the caller counts the work.
pub(crate) fn is_at_most(query: &Query, evidence: &Evidence, threshold: f64) -> Result<bool, Trouble> {
    let flat = [Flat::new(&query.a), Flat::new(&query.b)];
    Case::new(query, &flat, evidence).bound(threshold).map(Ordering::is_le)
}

/// The findings about the fields of an answer.
#[derive(Default)]
pub(crate) struct Findings {
    pub wrong: Option<String>,
    open: Vec<String>,
}

impl Findings {
    /// The claim is false.
    pub fn wrong(&mut self, reason: String) {
        self.wrong.get_or_insert(reason);
    }

    /// The claim could not be decided.
    pub fn open(&mut self, reason: String) {
        self.open.push(reason);
    }

    pub fn verdict(self) -> Verdict {
        match (self.wrong, self.open.as_slice()) {
            (Some(reason), _) => Verdict::Refuted(reason),
            (None, []) => Verdict::Proved,
            (None, reasons) => Verdict::Undecided(reasons.join("; ")),
        }
    }
}

pub(crate) struct Case<'a> {
    pub query: &'a Query,
    pub a: Vec<Side<'a>>,
    pub b: Vec<Side<'a>>,
    pub evidence: &'a Evidence,
    bodies: [Vec<Body<'a>>; 2],
    /// The cached result of [`contained`](Self::contained).
    pub contained: OnceCell<Result<bool, Trouble>>,
    /// How large everything is: what "close" and "too small to be seen" are measured with.
    pub size: f64,
    /// Both shapes are where the query has them but for this: no point of either that matters is farther from where it truly is, the two
    /// together. Zero where the poses are those that were written.
    pub off: f64,
}

impl<'a> Case<'a> {
    pub fn new(query: &'a Query, [flat_a, flat_b]: &'a [Flat<'a>; 2], evidence: &'a Evidence) -> Self {
        let (a, b) = (flat_a.sides(&query.pose_a, query), flat_b.sides(&query.pose_b, query));
        let bodies = |flat: &'a Flat<'a>, sides: &[Side<'a>]| -> Vec<Body<'a>> {
            flat.bodies().iter().map(|&(first, mesh)| Body { side: sides[first as usize], mesh }).collect()
        };
        let bodies = [bodies(flat_a, &a), bodies(flat_b, &b)];
        let largest = |sides: &[Side<'_>]| sides.iter().map(Side::size).fold(0.0, f64::max);
        let [to, from] = [query.pose_b.translation, query.pose_a.translation];
        let size = largest(&a) + largest(&b) + length(std::array::from_fn(|i| to[i] - from[i]));
        Self { query, a, b, evidence, bodies, contained: OnceCell::new(), size, off: 0.0 }
    }

    pub fn pairs(&self) -> impl Iterator<Item = Pairing<'a>> {
        self.a.iter().flat_map(|&a| self.b.iter().map(move |&b| Pairing { a, b }))
    }

    /// The bodies of both.
    pub fn bodies(&self) -> &[Vec<Body<'a>>; 2] {
        &self.bodies
    }

    /// How many parts they have.
    pub fn counts(&self) -> [usize; 2] {
        [self.a.len(), self.b.len()]
    }

    /// How many pairs of parts there are.
    pub fn pair_count(&self) -> usize {
        self.a.len().saturating_mul(self.b.len())
    }

    /// The pair of the parts of those numbers.
    pub fn pair(&self, [i, j]: [u32; 2]) -> Result<Pairing<'a>, Trouble> {
        match (self.a.get(i as usize), self.b.get(j as usize)) {
            (Some(&a), Some(&b)) => Ok(Pairing { a, b }),
            _ => Err(Trouble::Fault("the evidence names a part that is not there".into())),
        }
    }
}

pub(crate) fn explain(trouble: Trouble) -> String {
    match trouble {
        Trouble::Unclear => "roots cannot be separated with 8192 bits".into(),
        Trouble::Fault(what) => what,
    }
}
