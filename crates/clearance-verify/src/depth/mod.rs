//! Claims about how deep solids overlap: the length of the shortest translation of A after which no inner point of A is in B.
//!
//! The upper bound is a translation after which the two are apart, which is proved as any gap is. The lower bound is a cover of all shorter
//! translations. It consists of sums of convex pieces (`tree.rs`, `sum.rs`), which the checker proves to be inside of the bodies
//! (`piece.rs`), or of frusta of cones with two hulls each (`cones.rs`). Or it is a bound of the signed distance, which for two convex
//! shapes is minus the depth, and for others no
//! less than that.

mod cones;
mod piece;
mod precisely;
mod sum;
mod tree;
mod weights;

use crate::check::{Case, Findings, explain};
use crate::cover;
use crate::evidence::{DepthClaim, DepthEvidence, Evidence, Lower, Query, Scope, Verdict, WayOut};
use crate::number::{Dyadic, Number, dot, meter, vector};
use crate::parts::Side;
use crate::shape::Trouble;
use crate::solid::Body;
use piece::{ClosedMesh, Piece};
use std::cmp::Ordering;
use std::collections::HashMap;
use tree::Walk;

/// The budget of a check in operations, for each number of the evidence. Limit: more than for other evidence, since a node of a cover tests the
/// half-spaces of all nodes above it.
const LIMIT_PER_NUMBER: u64 = 2_000;

/// Decides whether a claim about a depth is proved or refuted by evidence.
#[must_use]
pub fn check_depth(query: &Query, claim: &DepthClaim, evidence: &Evidence) -> Verdict {
    check_depth_counted(query, claim, evidence).0
}

/// The verdict of [`check_depth`], and how many operations it took.
#[must_use]
pub fn check_depth_counted(query: &Query, claim: &DepthClaim, evidence: &Evidence) -> (Verdict, u64) {
    let more = evidence.depth.as_ref().map_or(0, |depth| LIMIT_PER_NUMBER * depth.numbers());
    crate::check::metered(query, evidence, more, |case| verdict(query, case, claim, evidence))
}

fn verdict(query: &Query, case: &Case<'_>, claim: &DepthClaim, evidence: &Evidence) -> Verdict {
    let DepthClaim { lower, upper, translation, scope } = *claim;
    if lower.is_nan() || upper.is_nan() || !translation.iter().all(|x| x.is_finite()) {
        return Verdict::Refuted("a number of the answer is not a number".into());
    }
    if !(lower <= upper) {
        return Verdict::Refuted(format!("lower = {lower:e} is more than upper = {upper:e}"));
    }
    let mut findings = Findings::default();
    if upper == f64::INFINITY {
        findings.open("upper is null, which claims nothing".into());
    } else if upper < 0.0 || is_longer(translation, upper) {
        return Verdict::Refuted(format!("the translation is longer than upper = {upper:e}"));
    } else if let Err(trouble) = is_free(case, translation, scope, evidence) {
        findings.open(format!("upper: {}", explain(trouble)));
    }
    if upper.is_finite() && upper > 0.0 && evidence.upper.is_some() && case.bound(-upper).is_ok_and(Ordering::is_lt) {
        findings.wrong(format!("the depth is more than upper = {upper:e}, as the evidence shows"));
    }
    if lower > 0.0
        && let Err(trouble) = is_at_least(query, case, claim, evidence)
    {
        findings.open(format!("lower: {}", explain(trouble)));
    }
    findings.verdict()
}

fn fault<T>(what: &str) -> Result<T, Trouble> {
    Err(Trouble::Fault(what.into()))
}

/// Is a vector longer than a number that is not negative?
fn is_longer(v: [f64; 3], length: f64) -> bool {
    let v = vector::<Dyadic>(v);
    !dot(&v, &v).compare(&Dyadic::of(length).squared()).is_ok_and(Ordering::is_le)
}

/// Are the two apart once A is moved, and is that place reached from far away if it has to be?
fn is_free(case: &Case<'_>, translation: [f64; 3], scope: Scope, evidence: &Evidence) -> Result<(), Trouble> {
    let Some(lower) = &evidence.lower else { return fault("there is no evidence that the translation frees A") };
    let given = lower.translation.unwrap_or([0.0; 3]);
    if given != translation.map(|x| -x) {
        return fault("the evidence is about another translation");
    }
    let is_apart = match lower.translation {
        // Apart along all directions of the cover, once B is moved: then minus its length bounds the distance.
        Some(_) => case.separation(f64::MIN).map(Ordering::is_ge)?,
        None => case.separation(0.0).map(Ordering::is_ge)?,
    };
    if !is_apart {
        return fault("the evidence does not show that the translation frees A");
    }
    if scope == Scope::Any {
        return Ok(());
    }
    // Along one direction for all they stay apart, as far as A goes on: from a half-space, too.
    if cover::leaves(lower, case.counts())?.len() == 1 {
        return Ok(());
    }
    if case.a.iter().chain(&case.b).any(Side::is_plane) {
        return fault("that the place is reached from outside is not proved for half-spaces along several directions");
    }
    let Some(WayOut { moved, along }) = evidence.outside else {
        return fault("that the place is reached from outside is not proved");
    };
    // Two parts that are apart along a direction at both ends of a straight way are apart along it everywhere between.
    let is_apart = |found: Result<Ordering, Trouble>| found.map(Ordering::is_gt);
    let at_end = Lower::along(along);
    if is_apart(case.separation_moved(lower, given))?
        && is_apart(case.separation_moved(lower, moved))?
        && is_apart(case.separation_moved(&at_end, moved))?
    {
        return Ok(());
    }
    fault("the way out of the place is not free")
}

/// Does every translation that is shorter than the bound leave an overlap?
fn is_at_least(query: &Query, case: &Case<'_>, claim: &DepthClaim, evidence: &Evidence) -> Result<(), Trouble> {
    let lower = claim.lower;
    let Some(depth) = &evidence.depth else {
        return match case.bound(-lower)? {
            Ordering::Greater => fault("the evidence proves less"),
            _ => Ok(()),
        };
    };
    let home = query.pose_a.rotation;
    if !depth.cones.is_empty() {
        let [of_a, of_b] = case.bodies();
        cones::check(&depth.cones, lower, home, [&case.a, &case.b], [of_a, of_b])?;
        return if meter::is_exhausted() { Err(Trouble::Unclear) } else { Ok(()) };
    }
    let pieces = |side: usize, sides: &[Side<'_>], bodies: &[Body<'_>]| -> Result<Vec<Piece>, Trouble> {
        let mut solids: HashMap<u32, Option<ClosedMesh<'_>>> = HashMap::new();
        let of = |piece: &crate::evidence::DepthPiece| {
            let Some(part) = sides.get(piece.part as usize) else {
                return fault("a piece names a part that is not there");
            };
            let solid =
                solids.entry(part.body).or_insert_with(|| bodies.get(part.body as usize).and_then(ClosedMesh::new));
            Piece::new(piece, part, solid.as_ref(), home)
        };
        depth.pieces[side].iter().map(of).collect()
    };
    let [of_a, of_b] = case.bodies();
    let pieces = [pieces(0, &case.a, of_a)?, pieces(1, &case.b, of_b)?];
    Walk::new(depth, pieces, lower, claim.scope)?.run()?;
    if meter::is_exhausted() { Err(Trouble::Unclear) } else { Ok(()) }
}

impl DepthEvidence {
    /// How many numbers it is written with, about.
    pub(crate) fn numbers(&self) -> u64 {
        use crate::evidence::DepthNode;
        let piece = |piece: &crate::evidence::DepthPiece| {
            let members = piece.members.iter().map(crate::evidence::Member::numbers).sum::<u64>();
            (3 * piece.points.len() + 3 * piece.triangles.len()) as u64 + members
        };
        let node = |node: &DepthNode| match node {
            DepthNode::Far {} | DepthNode::Cut(_) => 1,
            DepthNode::Divided { beyond, .. } | DepthNode::Enclosed { beyond, .. } => 2 + beyond.len() as u64,
        };
        let nodes = |nodes: &[DepthNode]| nodes.iter().map(node).sum::<u64>();
        let voids = self.voids.iter().map(|void| 6 + void.sides.iter().map(|side| nodes(side)).sum::<u64>());
        let pieces = self.pieces.iter().flatten().map(piece).sum::<u64>();
        let cone = |cone: &crate::evidence::ConeNode| match cone {
            crate::evidence::ConeNode::Far {} => 1,
            crate::evidence::ConeNode::Step { .. } => 60,
            crate::evidence::ConeNode::Split { .. } => 4,
        };
        self.cones.iter().map(cone).sum::<u64>()
            + pieces
            + 4 * self.planes.len() as u64
            + nodes(&self.nodes)
            + voids.sum::<u64>()
    }
}
