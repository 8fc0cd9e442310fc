//! Claims against evidence.

use crate::cover::{self, Leaf};
use crate::decide::{CoreDistance, core_distance};
use crate::evidence::{
    Claim, Distance, Evidence, FORMAT, Lower, Member, Query, Status, Upper, Verdict, Whose, other_format,
};
use crate::number::{Interval, Number, Vector, dot, meter, vector};
use crate::pairing::{Pairing, bound, faces_half_space, is_usable, nearly_opposite, reaches_along, separation};
use crate::parts::{Flat, Side, length};
use crate::shape::Trouble;
use crate::solid::{Body, Pieces, Solid};
use std::cell::OnceCell;
use std::cmp::Ordering;

/// How close numbers that no bracket is about (witnesses, normal) have to be to what they claim, as a part of the size.
pub(crate) const CLOSE: f64 = 1e-11;

/// How narrow the bracket of an answer is that calls itself converged, as a part of the size.
const CLOSED: f64 = 1e-10;

/// "They intersect" may also mean that the gap is too small to be seen in doubles: this part of the size.
const UNSEEN: f64 = 64.0 * f64::EPSILON;

/// Lengths below this count as zero for whoever answers.
const SMALLEST: f64 = 1e-74;

/// With more pairs of parts than this, nothing is decided without evidence.
const MOST_PAIRS: usize = 1024;

/// How many operations a check may take at most: this many, and so many for each number of the query and the evidence.
const LIMIT: u64 = 50_000_000;
const LIMIT_PER_NUMBER: u64 = 300;

/// Decides whether a claim is proved or refuted by evidence.
///
/// The shapes and poses are taken as the numbers they are, and put together exactly. The bounds of a bracket are decided
/// exactly; witnesses, normal and features have to be right to 1e-11 of the size, or to the width of a bracket that is
/// wider, and that is decided exactly too. A check that would take more than fifty million operations, and three
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

/// Runs a check with its work counted, which may be so many operations more than others have.
pub(crate) fn metered(
    query: &Query,
    evidence: &Evidence,
    more: u64,
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
    let verdict = verdict(&Case::new(query, &flat, evidence));
    let (spent, is_exhausted) = (meter::spent(), meter::is_exhausted());
    // What is computed outside of checks is nobody's burden.
    meter::start(u64::MAX);
    if is_exhausted {
        let reason = format!("checking it takes more than {limit} operations, the limit for a line of this length");
        return (Verdict::Undecided(reason), limit);
    }
    (verdict, spent)
}

/// Does evidence prove that the signed distance is at most a threshold? The query has no fault, and whoever asks counts the work.
pub(crate) fn is_at_most(query: &Query, evidence: &Evidence, threshold: f64) -> Result<bool, Trouble> {
    let flat = [Flat::new(&query.a), Flat::new(&query.b)];
    Case::new(query, &flat, evidence).bound(threshold).map(Ordering::is_le)
}

/// What was found out about the fields of an answer.
#[derive(Default)]
pub(crate) struct Findings {
    wrong: Option<String>,
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
    query: &'a Query,
    pub a: Vec<Side<'a>>,
    pub b: Vec<Side<'a>>,
    pub evidence: &'a Evidence,
    bodies: [Vec<Body<'a>>; 2],
    /// What [`contained`](Self::contained) has found out.
    contained: OnceCell<Result<bool, Trouble>>,
    /// How large everything is: what "close" and "too small to be seen" are measured with.
    pub size: f64,
}

impl<'a> Case<'a> {
    fn new(query: &'a Query, [flat_a, flat_b]: &'a [Flat<'a>; 2], evidence: &'a Evidence) -> Self {
        let (a, b) = (flat_a.sides(&query.pose_a, query), flat_b.sides(&query.pose_b, query));
        let bodies = |flat: &'a Flat<'a>, sides: &[Side<'a>]| -> Vec<Body<'a>> {
            flat.bodies().iter().map(|&(first, mesh)| Body { side: sides[first as usize], mesh }).collect()
        };
        let bodies = [bodies(flat_a, &a), bodies(flat_b, &b)];
        let largest = |sides: &[Side<'_>]| sides.iter().map(Side::size).fold(0.0, f64::max);
        let [to, from] = [query.pose_b.translation, query.pose_a.translation];
        let size = largest(&a) + largest(&b) + length(std::array::from_fn(|i| to[i] - from[i]));
        Self { query, a, b, evidence, bodies, contained: OnceCell::new(), size }
    }

    fn verdict(&self, claim: &Claim) -> Verdict {
        match claim {
            Claim::Intersects(true) => self.intersects(),
            Claim::Intersects(false) => self.beyond(0.0, "they have a point in common"),
            Claim::Beyond { margin } | Claim::Within { margin, .. } if !margin.is_finite() => {
                Verdict::Undecided("the margin is not a finite number".into())
            }
            Claim::Beyond { margin } => self.beyond(*margin, "they are no farther apart than the margin"),
            Claim::Bracket { lower, upper } => self.bracket_alone(*lower, *upper),
            Claim::Distance(distance) => self.distance(distance, None),
            Claim::Within { margin, distance } => self.distance(distance, Some(*margin)),
        }
    }

    fn pairs(&self) -> impl Iterator<Item = Pairing<'a>> {
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
    fn pair_count(&self) -> usize {
        self.a.len().saturating_mul(self.b.len())
    }

    /// The pair of the parts of those numbers.
    pub fn pair(&self, [i, j]: [u32; 2]) -> Result<Pairing<'a>, Trouble> {
        match (self.a.get(i as usize), self.b.get(j as usize)) {
            (Some(&a), Some(&b)) => Ok(Pairing { a, b }),
            _ => Err(Trouble::Fault("the evidence names a part that is not there".into())),
        }
    }

    /// What the evidence says about the signed distance from below, compared with a threshold: greater or equal means that the
    /// signed distance is.
    pub fn separation(&self, threshold: f64) -> Result<Ordering, Trouble> {
        let fault = |what: &str| Err(Trouble::Fault(what.into()));
        let Some(lower) = &self.evidence.lower else {
            let limit = if self.is_one_direction(&[]) { threshold } else { threshold.max(0.0) };
            return Ok(beyond(self.separation_along(&self.a, &self.b, None, limit)?, limit, threshold));
        };
        let leaves = cover::leaves(lower, [self.a.len(), self.b.len()])?;
        let (a, b) = (cover::ordered(&self.a, &lower.a)?, cover::ordered(&self.b, &lower.b)?);
        let least = |b: &[Side<'a>], limit: f64| {
            let along =
                |leaf: &Leaf| self.separation_along(&a[leaf.a.clone()], &b[leaf.b.clone()], Some(leaf.along), limit);
            leaves.iter().try_least(along)
        };
        if let Some(translation) = lower.translation {
            if !translation.iter().all(|x| x.is_finite()) || !threshold.is_finite() {
                return fault("a translation or a bound is not finite");
            }
            let moved: Vec<Side<'a>> = b.iter().map(|side| side.moved_by(translation)).collect();
            let found = least(&moved, 0.0)?;
            if found.is_ge() && leaves.len() > 1 {
                self.is_disjoint(found, 0.0, || self.contained_at(translation))?;
            }
            // They are apart once B is moved by x: no overlap is deeper than |x|.
            return match found {
                Ordering::Less => fault("the translation does not free all parts"),
                _ => crate::filtered!(compare_with_length(threshold, translation)).map(Ordering::reverse),
            };
        }
        // Directions of their own for parts that overlap say nothing about what separates all of them.
        let is_one = self.is_one_direction(&leaves);
        let limit = if is_one { threshold } else { threshold.max(0.0) };
        let found = least(&b, limit)?;
        if found.is_ge() && !is_one {
            self.is_disjoint(found, limit, || self.contained())?;
        }
        Ok(beyond(found, limit, threshold))
    }

    /// The least separation of all pairs of parts along the directions of a cover, with B moved, compared with zero.
    pub fn separation_moved(&self, lower: &Lower, translation: [f64; 3]) -> Result<Ordering, Trouble> {
        if !translation.iter().all(|x| x.is_finite()) {
            return Err(Trouble::Fault("a translation is not finite".into()));
        }
        let leaves = cover::leaves(lower, self.counts())?;
        let (a, b) = (cover::ordered(&self.a, &lower.a)?, cover::ordered(&self.b, &lower.b)?);
        let moved: Vec<Side<'a>> = b.iter().map(|side| side.moved_by(translation)).collect();
        let along =
            |leaf: &Leaf| self.separation_along(&a[leaf.a.clone()], &moved[leaf.b.clone()], Some(leaf.along), 0.0);
        leaves.iter().try_least(along)
    }

    /// Are solids without a point in common, if their surfaces were found to be apart by a limit or more? One direction for all needs no
    /// such proof: it separates the hulls.
    fn is_disjoint(
        &self,
        found: Ordering,
        limit: f64,
        contained: impl FnOnce() -> Result<bool, Trouble>,
    ) -> Result<(), Trouble> {
        let fault = |what: &str| Err(Trouble::Fault(what.into()));
        if !self.bodies.iter().flatten().any(|body| body.mesh.is_some()) {
            return Ok(());
        }
        // Surfaces that touch may pass through each other where they do.
        if !(limit > 0.0) && found.is_eq() {
            return fault("surfaces touch, and what is inside cannot be told");
        }
        match contained()? {
            true => fault("the surfaces are apart, but one shape is inside of the other"),
            false => Ok(()),
        }
    }

    /// Is a point of some piece of one shape in a solid of the other? If so they have a point in common. If not they have none as far as
    /// all their parts are apart (see `solid.rs`).
    fn contained(&self) -> Result<bool, Trouble> {
        self.contained.get_or_init(|| is_any_contained(&self.bodies[0], &self.bodies[1])).clone()
    }

    /// The same with B moved.
    fn contained_at(&self, translation: [f64; 3]) -> Result<bool, Trouble> {
        let moved: Vec<Body<'a>> = self.bodies[1].iter().map(|body| body.moved_by(translation)).collect();
        is_any_contained(&self.bodies[0], &moved)
    }

    /// The bound of a point that is inside of a solid, compared with a threshold.
    fn bound_inside(&self, parts: [u32; 2], solid: Whose, point: &Member, threshold: f64) -> Result<Ordering, Trouble> {
        is_usable(threshold)?;
        let Pairing { a, b } = self.pair(parts)?;
        let (bodies, of, other) = match solid {
            Whose::A => (&self.bodies[0], a, b),
            Whose::B => (&self.bodies[1], b, a),
        };
        let fault = |what: &str| Err(Trouble::Fault(what.into()));
        if other.is_plane() {
            return fault("a point inside is given of a half-space");
        }
        match bodies.get(of.body as usize).and_then(Body::solid) {
            Some(solid) => solid.bound(&other, point, threshold),
            None => fault("what a point is said to be inside of is no closed mesh"),
        }
    }

    /// Is the same direction taken for all pairs of parts? Half-spaces bring their own.
    fn is_one_direction(&self, leaves: &[Leaf]) -> bool {
        let planes = |sides: &[Side<'a>]| sides.iter().filter(|side| side.is_plane()).count();
        match (planes(&self.a), planes(&self.b)) {
            (0, 0) => leaves.len() <= 1,
            (1, 0) => self.a.len() == 1,
            (0, 1) => self.b.len() == 1,
            _ => self.pair_count() == 1,
        }
    }

    /// The least separation of all pairs of two sets of parts along one direction; half-spaces bring their own.
    ///
    /// The height of a union is that of its highest part, so this takes a look at each part, not at each pair.
    pub fn separation_along(
        &self,
        a: &[Side<'a>],
        b: &[Side<'a>],
        direction: Option<[f64; 3]>,
        threshold: f64,
    ) -> Result<Ordering, Trouble> {
        let all_b = b;
        let sorted = |sides: &[Side<'a>]| sides.iter().partition::<Vec<Side<'a>>, _>(|side| side.is_plane());
        let ((planes_a, a), (planes_b, b)) = (sorted(a), sorted(b));
        let of_a = planes_a.iter().flat_map(|&a| all_b.iter().map(move |&b| Pairing { a, b }));
        let of_b = planes_b.iter().flat_map(|&b| a.iter().map(move |&a| Pairing { a, b }));
        let of_planes = of_a.chain(of_b).try_least(|pair| crate::filtered!(separation(&pair, [0.0; 3], threshold)))?;
        if of_planes.is_lt() || a.is_empty() || b.is_empty() {
            return Ok(of_planes);
        }
        let Some(n) = direction else {
            return Err(Trouble::Fault("there is no direction for the lower bound".into()));
        };
        if let ([a], [b]) = (a.as_slice(), b.as_slice()) {
            let found = crate::filtered!(separation(&Pairing { a: *a, b: *b }, n, threshold))?;
            return Ok(found.min(of_planes));
        }
        if !n.iter().all(|x| x.is_finite()) || n == [0.0; 3] {
            return Err(Trouble::Fault("a direction is zero or not finite".into()));
        }
        if !threshold.is_finite() {
            return Err(Trouble::Fault("a bound is not finite".into()));
        }
        let against = n.map(|x| -x);
        let (Some(heights_a), Some(heights_b)) = (reaches_along(&a, n), reaches_along(&b, against)) else {
            return Err(Trouble::Fault("a part is neither convex nor a half-space".into()));
        };
        let highest = |heights: &[Interval]| heights.iter().copied().reduce(|x, y| x.larger(&y));
        let (Some(highest_a), Some(highest_b)) = (highest(&heights_a), highest(&heights_b)) else {
            return Ok(of_planes);
        };
        let needed = crate::number::Roots::plain(Interval::zero())
            .and_root(Interval::of(threshold), crate::number::dot(&n.map(Interval::of), &n.map(Interval::of)))
            .value();
        match highest_a.plus(&highest_b).plus(&needed).sign() {
            Ok(sign) => return Ok(sign.reverse().min(of_planes)),
            Err(_) if meter::is_exhausted() => return Err(Trouble::Unclear),
            Err(_) => {}
        }
        // Too close to call: exactly, but only for the parts that may be the highest.
        let may_be = |height: &Interval, other: &Interval| {
            !matches!(height.plus(other).plus(&needed).sign(), Ok(Ordering::Less))
        };
        let chosen = |sides: &[Side<'a>], heights: &[Interval], other: &Interval| -> Vec<Side<'a>> {
            sides.iter().zip(heights).filter(|(_, height)| may_be(height, other)).map(|(side, _)| *side).collect()
        };
        let (a, b) = (chosen(&a, &heights_a, &highest_b), chosen(&b, &heights_b, &highest_a));
        let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| Pairing { a, b }));
        let found = pairs.try_least(|pair| crate::filtered!(separation(&pair, n, threshold)))?;
        Ok(found.min(of_planes))
    }

    /// The upper bound of the evidence compared with a threshold: less or equal means that the signed distance is.
    pub fn bound(&self, threshold: f64) -> Result<Ordering, Trouble> {
        let Some(upper) = &self.evidence.upper else {
            return Err(Trouble::Fault("there is nothing for the upper bound".into()));
        };
        match upper {
            Upper::Inside { parts, solid, point } => self.bound_inside(*parts, *solid, point, threshold),
            _ => bound(&self.pair(upper.parts())?, upper, threshold),
        }
    }

    /// Is the signed distance more than a margin?
    fn beyond(&self, margin: f64, otherwise: &str) -> Verdict {
        if self.bound(margin).is_ok_and(Ordering::is_le) {
            return Verdict::Refuted(format!("{otherwise}, as the points of the evidence show"));
        }
        match self.separation(margin) {
            Ok(Ordering::Greater) => Verdict::Proved,
            Ok(_) => self.decide_beyond(margin, otherwise, "the shapes are not that far apart along the direction"),
            Err(trouble) => self.decide_beyond(margin, otherwise, &explain(trouble)),
        }
    }

    /// What doubles cannot see; nothing if the size cannot be told.
    fn unseen(&self) -> Option<f64> {
        Some(UNSEEN * self.size + SMALLEST).filter(|unseen| unseen.is_finite())
    }

    fn intersects(&self) -> Verdict {
        // Refuted only if the gap is one that doubles can see.
        if self.unseen().is_some_and(|unseen| self.separation(unseen).is_ok_and(Ordering::is_gt)) {
            return Verdict::Refuted("they are apart, as the direction of the evidence shows".into());
        }
        // "They intersect" means that there is no such gap, as it does for a margin.
        match self.bound(self.unseen().unwrap_or(0.0)) {
            Ok(bound) if bound.is_le() => Verdict::Proved,
            Ok(_) => self.decide_intersects("the points of the evidence do not meet"),
            Err(trouble) => self.decide_intersects(&explain(trouble)),
        }
    }

    fn bracket_alone(&self, lower: f64, upper: f64) -> Verdict {
        if lower.is_nan() || upper.is_nan() || lower > upper || lower == f64::INFINITY {
            return Verdict::Refuted(format!("there is no number between {lower:e} and {upper:e}"));
        }
        let mut findings = Findings::default();
        match self.endless() {
            Some(_) if lower == f64::NEG_INFINITY => {}
            Some(endless) => endless.refuses(lower, &mut findings),
            None if upper == f64::NEG_INFINITY => findings.wrong("upper is infinite, but no overlap is endless".into()),
            None => self.bracket(lower, upper, &mut findings),
        }
        findings.verdict()
    }

    /// Are the ends of a bracket what they claim to be?
    fn bracket(&self, lower: f64, upper: f64, findings: &mut Findings) {
        // First what is false.
        if lower.is_finite() && self.bound(lower).is_ok_and(Ordering::is_lt) {
            return findings.wrong(format!("the distance is less than lower = {lower:e}, as the points show"));
        }
        if upper.is_finite() && self.separation(upper).is_ok_and(Ordering::is_gt) {
            return findings.wrong(format!("the distance is more than upper = {upper:e}, as the direction shows"));
        }
        let below = if lower == f64::NEG_INFINITY { Ok(Ordering::Greater) } else { self.separation(lower) };
        let above = if upper == f64::INFINITY { Ok(Ordering::Less) } else { self.bound(upper) };
        let lower_fault = match below {
            Ok(found) if found.is_ge() => None,
            Ok(_) => Some(format!("the direction does not prove lower = {lower:e}")),
            Err(trouble) => Some(format!("lower: {}", explain(trouble))),
        };
        let upper_fault = match above {
            Ok(found) if found.is_le() => None,
            Ok(_) => Some(format!("the points do not prove upper = {upper:e}")),
            Err(trouble) => Some(format!("upper: {}", explain(trouble))),
        };
        if lower_fault.is_some() || upper_fault.is_some() {
            if let Some(reason) = self.refuted_bracket(lower, upper) {
                findings.wrong(reason);
            }
            lower_fault.into_iter().chain(upper_fault).for_each(|reason| findings.open(reason));
        }
    }

    fn distance(&self, claim: &Distance, margin: Option<f64>) -> Verdict {
        if let Some(reason) = self.inconsistency(claim) {
            return Verdict::Refuted(reason);
        }
        if !self.size.is_finite() {
            return Verdict::Undecided("the sizes are too large for doubles".into());
        }
        let Distance { distance, lower, upper, status, .. } = *claim;
        let mut findings = Findings::default();
        let endless = self.endless();
        match &endless {
            // Minus infinity is the truth, and nothing else is.
            Some(_) if lower == f64::NEG_INFINITY => {}
            Some(endless) => endless.refuses(lower, &mut findings),
            None if distance == f64::NEG_INFINITY || upper == f64::NEG_INFINITY => {
                findings.wrong("the distance is infinite, but no overlap is without end".into());
            }
            None => {
                self.bracket(lower, upper, &mut findings);
                let unclaimed = [("lower", lower), ("upper", upper)].into_iter().filter(|(_, end)| end.is_infinite());
                unclaimed.for_each(|(name, _)| findings.open(format!("{name} is null, which claims nothing")));
            }
        }
        if endless.is_some() && upper == f64::INFINITY {
            findings.open("upper is null, which claims nothing".into());
        }
        self.status(claim, endless.is_some(), &mut findings);
        if let Some(margin) = margin {
            self.within(margin, upper - lower, endless.is_some(), &mut findings);
        }
        // The witnesses are worth a look only if nothing is wrong already, and if something is claimed.
        let is_claimed = endless.is_some() || (upper - lower).is_finite();
        if findings.wrong.is_none() && is_claimed && status != Status::BadSupport {
            self.witnesses(claim, endless.is_some(), &mut findings);
        }
        findings.verdict()
    }

    /// The signed distance is at most the margin, or more by what doubles cannot see.
    ///
    /// "Within" means "not proved to be beyond". An answer whose bracket is `width` wide could not tell a distance that is beyond by
    /// less than that, which is no falsehood, and nothing that is proved either.
    fn within(&self, margin: f64, width: f64, is_endless: bool, findings: &mut Findings) {
        let Some(unseen) = self.unseen().filter(|_| !is_endless) else { return };
        let limit = margin + unseen;
        if self.separation(limit).is_ok_and(Ordering::is_gt) {
            let is_told = width.is_finite() && self.separation(limit + width).is_ok_and(Ordering::is_le);
            return if is_told {
                findings.open(format!("within: beyond the margin {margin:e}, by less than the bracket is wide"));
            } else {
                findings.wrong(format!("they are farther apart than the margin {margin:e}, as the direction shows"));
            };
        }
        match self.bound(limit) {
            Ok(found) if found.is_le() => {}
            Ok(_) => findings.open(format!("within: the points do not prove that the margin {margin:e} is kept")),
            Err(trouble) => findings.open(format!("within: {}", explain(trouble))),
        }
    }

    /// Does the word for the answer agree with its bracket?
    fn status(&self, claim: &Distance, is_endless: bool, findings: &mut Findings) {
        let Distance { lower, upper, status, .. } = *claim;
        let width = upper - lower;
        let all = lower == f64::NEG_INFINITY && upper == f64::INFINITY;
        match status {
            Status::Converged if is_endless && upper == f64::NEG_INFINITY => {}
            Status::Converged if !(width <= CLOSED * self.size + SMALLEST) => {
                findings.wrong(format!("status is converged, but the bracket is {width:e} wide"));
            }
            Status::Open if lower > self.tolerance(claim) => {
                findings.wrong(format!("status is open, but lower is {lower:e}"));
            }
            Status::BadSupport if !all => {
                findings.wrong("status is bad_support, but the bracket is not infinite".into())
            }
            Status::BadSupport => findings.open("status is bad_support: nothing is claimed".into()),
            _ => {}
        }
    }

    /// How far off a witness may be.
    pub fn tolerance(&self, claim: &Distance) -> f64 {
        // Witnesses are points of the world, and carry the rounding of its coordinates.
        let coordinates = [claim.point_a, claim.point_b, self.query.pose_a.translation, self.query.pose_b.translation];
        let far = coordinates.map(length).into_iter().fold(0.0, f64::max);
        CLOSE * self.size + 64.0 * f64::EPSILON * far + SMALLEST
    }

    /// What is wrong with the numbers of a claim by themselves.
    fn inconsistency(&self, claim: &Distance) -> Option<String> {
        let Distance { distance, point_a, point_b, normal, lower, upper, .. } = *claim;
        let numbers = [point_a, point_b, normal].concat();
        if distance.is_nan() || lower.is_nan() || upper.is_nan() || !numbers.iter().all(|x| x.is_finite()) {
            return Some("a number of the answer is not a number".into());
        }
        if lower == f64::INFINITY || distance == f64::INFINITY {
            return Some("the distance is infinite, but no shapes are infinitely far apart".into());
        }
        if !(lower <= distance && distance <= upper) {
            return Some(format!("the distance {distance:e} is not between lower = {lower:e} and upper = {upper:e}"));
        }
        if !((length(normal) - 1.0).abs() <= CLOSE) {
            return Some(format!("the normal has length {}", length(normal)));
        }
        let step = if distance.is_finite() { distance } else { 0.0 };
        let off = length(std::array::from_fn(|i| point_a[i] + step * normal[i] - point_b[i]));
        if off > self.tolerance(claim) {
            return Some(format!("point_b is {off:e} away from point_a + distance * normal"));
        }
        None
    }

    /// Two half-spaces overlap without end unless their planes are parallel and face each other.
    fn endless(&self) -> Option<Endless> {
        let planes = |sides: &[Side<'a>]| sides.iter().copied().filter(Side::is_plane).collect::<Vec<_>>();
        let (a, b) = (planes(&self.a), planes(&self.b));
        let mut found = None;
        for pair in a.iter().flat_map(|&a| b.iter().map(move |&b| Pairing { a, b })) {
            if meter::is_exhausted() {
                break;
            }
            if matches!(crate::filtered!(faces_half_space(&pair)), Ok(Some(false))) {
                let is_near = crate::filtered!(nearly_opposite(&pair, UNSEEN)) == Ok(true);
                found = Some(Endless { is_nearly_parallel: is_near });
                if !is_near {
                    break;
                }
            }
        }
        found
    }

    /// The exact distances of all pairs of parts, unless one of them cannot be had without evidence.
    fn decided(&self) -> Option<Vec<CoreDistance>> {
        (self.pair_count() <= MOST_PAIRS).then(|| self.pairs().map(|pair| core_distance(&pair)).collect())?
    }

    fn decide_beyond(&self, margin: f64, otherwise: &str, reason: &str) -> Verdict {
        if margin >= 0.0 && self.contained() == Ok(true) {
            return Verdict::Refuted(format!("{otherwise}: one of them has a point of the other inside"));
        }
        let Some(all) = self.decided() else { return Verdict::Undecided(reason.to_owned()) };
        let signs: Vec<Option<Ordering>> = all.iter().map(|distance| distance.compare(margin)).collect();
        // Touching is a point in common, but a distance that equals the margin is no more than it either.
        if signs.iter().flatten().any(|sign| sign.is_le()) || margin == 0.0 && all.iter().any(CoreDistance::intersects)
        {
            return Verdict::Refuted(format!("{otherwise}, as their exact distance shows"));
        }
        // That no part is deeper than a negative margin does not say that all of them are not.
        let is_whole = margin >= 0.0 || all.len() == 1;
        let is_apart = is_whole && signs.iter().all(|sign| *sign == Some(Ordering::Greater));
        match is_apart && self.contained() == Ok(false) {
            true => Verdict::Proved,
            false => Verdict::Undecided(reason.to_owned()),
        }
    }

    fn decide_intersects(&self, reason: &str) -> Verdict {
        let contained = self.contained();
        if contained == Ok(true) {
            return Verdict::Proved;
        }
        let Some(all) = self.decided() else { return Verdict::Undecided(reason.to_owned()) };
        let unseen = self.unseen().unwrap_or(0.0);
        let is_near = |distance: &CoreDistance| distance.compare(unseen).is_some_and(Ordering::is_le);
        if all.iter().any(|distance| distance.intersects() || is_near(distance)) {
            return Verdict::Proved;
        }
        let is_apart = all.iter().all(|distance| distance.compare(unseen) == Some(Ordering::Greater));
        if is_apart && contained == Ok(false) {
            return Verdict::Refuted("they are apart, as their exact distance shows".into());
        }
        Verdict::Undecided(reason.to_owned())
    }

    /// A distance is never proved without its evidence, but it may be refuted.
    fn refuted_bracket(&self, lower: f64, upper: f64) -> Option<String> {
        if lower > 0.0 && self.contained() == Ok(true) {
            return Some(format!("lower = {lower:e}, but one has a point of the other inside"));
        }
        let all = self.decided()?;
        let is = |bound: f64, sign: Ordering| {
            move |distance: &CoreDistance| bound.is_finite() && distance.compare(bound) == Some(sign)
        };
        if all.iter().any(is(lower, Ordering::Less)) {
            return Some(format!("the exact distance is less than lower = {lower:e}"));
        }
        let is_more = (upper >= 0.0 || all.len() == 1) && all.iter().all(is(upper, Ordering::Greater));
        if is_more && self.contained() == Ok(false) {
            return Some(format!("the exact distance is more than upper = {upper:e}"));
        }
        None
    }
}

/// Has a solid of one a point of some piece of the other inside?
fn is_any_contained(a: &[Body<'_>], b: &[Body<'_>]) -> Result<bool, Trouble> {
    for (ours, theirs) in [(a, b), (b, a)] {
        let solids: Vec<Solid<'_>> = ours.iter().filter_map(Body::solid).collect();
        let pieces: Vec<Pieces<'_>> =
            if solids.is_empty() { Vec::new() } else { theirs.iter().map(Body::pieces).collect() };
        for (solid, pieces) in solids.iter().flat_map(|solid| pieces.iter().map(move |pieces| (solid, pieces))) {
            if solid.holds_any(pieces)? {
                return Ok(true);
            }
        }
    }
    // Once there is no work left nothing is known.
    if meter::is_exhausted() { Err(Trouble::Unclear) } else { Ok(false) }
}

/// What a comparison with `limit`, which is no less than the threshold, says about the threshold.
fn beyond(found: Ordering, limit: f64, threshold: f64) -> Ordering {
    match found {
        Ordering::Equal if limit > threshold => Ordering::Greater,
        _ => found,
    }
}

/// Is a threshold less than, equal to or greater than minus the length of a vector?
fn compare_with_length<N: Number>(threshold: f64, v: [f64; 3]) -> Result<Ordering, Trouble> {
    if threshold > 0.0 {
        return Ok(Ordering::Greater);
    }
    let v: Vector<N> = vector(v);
    Ok(dot(&v, &v).compare(&N::of(threshold).squared())?)
}

/// Half-spaces that overlap without end.
struct Endless {
    is_nearly_parallel: bool,
}

impl Endless {
    /// What becomes of an answer with a finite lower bound.
    fn refuses(&self, lower: f64, findings: &mut Findings) {
        let reason = format!("lower is {lower:e}, but the half-spaces overlap without end");
        match self.is_nearly_parallel {
            true => findings.open(reason + "; their planes are parallel to rounding, though"),
            false => findings.wrong(reason),
        }
    }
}

/// The least of what is found, where "less" ends the search and trouble leaves it open.
trait TryLeast: Iterator + Sized {
    fn try_least(self, mut find: impl FnMut(Self::Item) -> Result<Ordering, Trouble>) -> Result<Ordering, Trouble> {
        let mut least = Ok(Ordering::Greater);
        for item in self {
            if meter::is_exhausted() {
                return Err(Trouble::Unclear);
            }
            match find(item) {
                Ok(Ordering::Less) => return Ok(Ordering::Less),
                Ok(found) => least = least.map(|least: Ordering| least.min(found)),
                Err(trouble) => least = Err(trouble),
            }
        }
        least
    }
}

impl<I: Iterator> TryLeast for I {}

pub(crate) fn explain(trouble: Trouble) -> String {
    match trouble {
        Trouble::Unclear => "roots cannot be told apart with 8192 bits".into(),
        Trouble::Fault(what) => what,
    }
}
