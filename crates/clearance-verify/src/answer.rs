//! Answers about two shapes at rest, field by field.

use crate::check::{Case, Findings, explain};
use crate::decide::{CoreDistance, core_distance};
use crate::evidence::{Claim, Distance, Status, Verdict};
use crate::number::meter;
use crate::pairing::{Pairing, faces_half_space, nearly_opposite};
use crate::parts::{Side, length};
use crate::tolerance::{self, CLOSE, CLOSED, SMALLEST, UNSEEN};
use std::cmp::Ordering;

/// Pairs of parts up to which a claim without evidence is decided. Limit: each pair takes an exact search.
const MOST_PAIRS: usize = 1024;

impl<'a> Case<'a> {
    /// Checks a claim.
    pub fn verdict(&self, claim: &Claim) -> Verdict {
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

    /// The largest gap that doubles cannot see; `None` if the size is not known.
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

    pub fn bracket_alone(&self, lower: f64, upper: f64) -> Verdict {
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
        // Refutation first.
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
        self.distance_but(claim, margin, false)
    }

    /// The fields of a distance, its bracket among them unless that is proved already.
    pub fn distance_but(&self, claim: &Distance, margin: Option<f64>, is_bracket_proved: bool) -> Verdict {
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
                if !is_bracket_proved {
                    self.bracket(lower, upper, &mut findings);
                }
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
        // Witnesses are checked only if nothing is wrong already, and if something is claimed.
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
        let coordinates = [claim.point_a, claim.point_b, self.query.pose_a.translation, self.query.pose_b.translation];
        let far = coordinates.map(length).into_iter().fold(0.0, f64::max);
        tolerance::of_witness(self.size, far, self.off)
    }

    /// The contradiction in the numbers of a claim, if there is one.
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
    pub fn endless(&self) -> Option<Endless> {
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
        // The exact distance is that at these places, which are not the true ones.
        if self.off > 0.0 {
            return None;
        }
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

/// Half-spaces that overlap without end.
pub(crate) struct Endless {
    /// To what doubles can see ([`UNSEEN`]).
    pub is_nearly_parallel: bool,
}

impl Endless {
    /// The finding about an answer with a finite lower bound.
    fn refuses(&self, lower: f64, findings: &mut Findings) {
        let reason = format!("lower is {lower:e}, but the half-spaces overlap without end");
        match self.is_nearly_parallel {
            true => findings.open(reason + "; their planes are parallel to rounding, though"),
            false => findings.wrong(reason),
        }
    }
}
