//! Claims against evidence.

use crate::decide::{CoreDistance, core_distance};
use crate::evidence::{Claim, Distance, Evidence, Question, Upper, Verdict};
use crate::pairing::{Pairing, bound, faces_half_space, part_count, separation};
use crate::shape::{Shape, Trouble};
use std::cmp::Ordering;

/// What may be grossly wrong with numbers that no bracket is about, as a part of the size.
const GROSS: f64 = 1e-9;

/// "They intersect" may also mean that the gap is too small to be seen in doubles: this part of the size.
const UNSEEN: f64 = 64.0 * f64::EPSILON;

/// With more pairs of parts than this, nothing is decided without evidence.
const MOST_PAIRS: usize = 1024;

/// Decides whether a claim is proved or refuted by evidence.
///
/// The shapes and poses are taken as the numbers they are. Proofs and refutations are exact; the only rounded tests are
/// those of the witnesses (`normal` is a unit vector, `point_b = point_a + distance * normal`), which refute a claim when
/// they fail by more than 1e-9 of the size.
#[must_use]
pub fn check(question: &Question, claim: &Claim, evidence: &Evidence) -> Verdict {
    let Question { a, pose_a, b, pose_b } = question;
    let fault = a.fault().or_else(|| b.fault()).or_else(|| pose_a.fault()).or_else(|| pose_b.fault());
    if let Some(fault) = fault {
        return Verdict::Undecided(format!("the question cannot be computed with: {fault}"));
    }
    let case = Case { question, pairs: Pairing::all(question), evidence };
    match claim {
        Claim::Intersects(true) => case.intersects(),
        Claim::Intersects(false) => case.beyond(0.0, "they have a point in common"),
        Claim::Beyond { margin } | Claim::Within { margin, .. } if !margin.is_finite() => {
            Verdict::Undecided("the margin is not a finite number".into())
        }
        Claim::Beyond { margin } => case.beyond(*margin, "they are no farther apart than the margin"),
        Claim::Distance(distance) => case.distance(distance),
        Claim::Within { margin, distance } if distance.lower > *margin => {
            Verdict::Refuted(format!("lower is {:e}, which is more than the margin {margin:e}", distance.lower))
        }
        Claim::Within { distance, .. } => case.distance(distance),
    }
}

struct Case<'a> {
    question: &'a Question,
    pairs: Vec<Pairing<'a>>,
    evidence: &'a Evidence,
}

impl<'a> Case<'a> {
    /// How large everything is: what "grossly wrong" and "too small to be seen" are measured with.
    fn size(&self) -> f64 {
        let Question { a, pose_a, b, pose_b } = self.question;
        let reach = |shape: &Shape| match shape {
            Shape::HalfSpace { normal, offset } => offset.abs() / length(*normal),
            _ => shape.reach(),
        };
        let between = std::array::from_fn(|i| pose_b.translation[i] - pose_a.translation[i]);
        reach(a) + reach(b) + length(between)
    }

    /// The least of the separations of all pairs of parts, compared with a threshold: greater or equal means that the
    /// signed distance is.
    fn separation(&self, threshold: f64) -> Result<Ordering, Trouble> {
        let directions = &self.evidence.lower;
        let mut least = Ok(Ordering::Greater);
        for (index, pair) in self.pairs.iter().enumerate() {
            let has_plane = [pair.a, pair.b].iter().any(|side| matches!(side.shape, Shape::HalfSpace { .. }));
            let direction = match directions.as_slice() {
                // A half-space brings its own direction.
                [] if has_plane => [0.0; 3],
                [] => return Err(Trouble::Fault("there is no direction for the lower bound".into())),
                [all] => *all,
                _ if directions.len() != self.pairs.len() => {
                    return Err(Trouble::Fault("there is not one direction for each pair of parts".into()));
                }
                _ => directions[index],
            };
            match crate::filtered!(separation(pair, direction, threshold)) {
                Ok(Ordering::Less) => return Ok(Ordering::Less),
                Ok(found) => least = least.map(|least: Ordering| least.min(found)),
                Err(trouble) => least = Err(trouble),
            }
        }
        least
    }

    /// The upper bound of the evidence compared with a threshold: less or equal means that the signed distance is.
    fn bound(&self, threshold: f64) -> Result<Ordering, Trouble> {
        let Some(upper) = &self.evidence.upper else {
            return Err(Trouble::Fault("there is nothing for the upper bound".into()));
        };
        let (Upper::Points { parts, .. }
        | Upper::Simplex { parts, .. }
        | Upper::Surface { parts, .. }
        | Upper::Cells { parts, .. }) = upper;
        let [i, j] = parts.map(|part| part as usize);
        let [count_a, count_b] = [part_count(&self.question.a), part_count(&self.question.b)];
        if i >= count_a || j >= count_b {
            return Err(Trouble::Fault("the evidence names a part that is not there".into()));
        }
        bound(&self.pairs[i * count_b + j], upper, threshold)
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

    fn intersects(&self) -> Verdict {
        // Refuted only if the gap is one that doubles can see.
        let unseen = UNSEEN * self.size();
        if unseen.is_finite() && self.separation(unseen).is_ok_and(Ordering::is_gt) {
            return Verdict::Refuted("they are apart, as the direction of the evidence shows".into());
        }
        match self.bound(0.0) {
            Ok(bound) if bound.is_le() => Verdict::Proved,
            Ok(_) => self.decide_intersects("the points of the evidence do not meet"),
            Err(trouble) => self.decide_intersects(&explain(trouble)),
        }
    }

    fn distance(&self, claim: &Distance) -> Verdict {
        if let Some(reason) = self.inconsistency(claim) {
            return Verdict::Refuted(reason);
        }
        if let Some(verdict) = self.unbounded(claim) {
            return verdict;
        }
        let Distance { lower, upper, .. } = *claim;
        // First what is false.
        if lower.is_finite() && self.bound(lower).is_ok_and(Ordering::is_lt) {
            return Verdict::Refuted(format!("the distance is less than lower = {lower:e}, as the points show"));
        }
        if upper.is_finite() && self.separation(upper).is_ok_and(Ordering::is_gt) {
            return Verdict::Refuted(format!("the distance is more than upper = {upper:e}, as the direction shows"));
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
        match (lower_fault, upper_fault) {
            (None, None) => Verdict::Proved,
            (lower_fault, upper_fault) => {
                let all: Vec<String> = lower_fault.into_iter().chain(upper_fault).collect();
                self.refute_distance(claim, &all.join("; "))
            }
        }
    }

    /// What is wrong with the numbers of a claim by themselves.
    fn inconsistency(&self, claim: &Distance) -> Option<String> {
        let Distance { distance, point_a, point_b, normal, lower, upper } = *claim;
        let numbers = [point_a, point_b, normal].concat();
        if distance.is_nan() || lower.is_nan() || upper.is_nan() || !numbers.iter().all(|x| x.is_finite()) {
            return Some("a number of the answer is not a number".into());
        }
        if lower == f64::INFINITY {
            return Some("lower is infinite, but no shapes are infinitely far apart".into());
        }
        if !(lower <= distance && distance <= upper) {
            return Some(format!("the distance {distance:e} is not between lower = {lower:e} and upper = {upper:e}"));
        }
        if (length(normal) - 1.0).abs() > GROSS {
            return Some(format!("the normal has length {}", length(normal)));
        }
        if distance.is_infinite() {
            return None;
        }
        let off = length(std::array::from_fn(|i| point_a[i] + distance * normal[i] - point_b[i]));
        // Witnesses are points of the world, and carry the rounding of its coordinates.
        let coordinates = length(point_a).max(length(point_b));
        if off > GROSS * self.size() + 64.0 * f64::EPSILON * coordinates {
            return Some(format!("point_b is {off:e} away from point_a + distance * normal"));
        }
        None
    }

    /// Two half-spaces overlap without end unless their planes are parallel.
    fn unbounded(&self, claim: &Distance) -> Option<Verdict> {
        let endless = |pair| matches!(crate::filtered!(faces_half_space(pair)), Ok(Some(false)));
        if self.pairs.iter().any(endless) {
            let Distance { lower, upper, .. } = claim;
            if *lower == f64::NEG_INFINITY {
                return Some(Verdict::Proved);
            }
            let verdict = format!("lower is {lower:e} and upper {upper:e}, but the half-spaces overlap without end");
            let nearly = "; their planes are parallel to rounding, though";
            return Some(Verdict::Undecided(verdict + nearly)).filter(|_| self.are_nearly_parallel()).or_else(|| {
                Some(Verdict::Refuted(format!("lower is {lower:e}, but the half-spaces overlap without end")))
            });
        }
        if claim.upper == f64::NEG_INFINITY {
            return Some(Verdict::Refuted("upper is infinite, but no overlap is without end".into()));
        }
        None
    }

    /// Are the planes of two half-spaces parallel for all that doubles can tell?
    fn are_nearly_parallel(&self) -> bool {
        let normal = |shape: &Shape, rotation: [f64; 4]| match shape {
            Shape::HalfSpace { normal, .. } => Some(turned(rotation, *normal)),
            _ => None,
        };
        let Question { a, pose_a, b, pose_b } = self.question;
        match (normal(a, pose_a.rotation), normal(b, pose_b.rotation)) {
            (Some(n), Some(m)) => length(std::array::from_fn(|i| n[i] / length(n) + m[i] / length(m))) < UNSEEN,
            // Parts of compounds have poses of their own; there it is left open.
            _ => true,
        }
    }

    /// The exact distances of all pairs of parts, unless one of them cannot be had without evidence.
    fn decided(&self) -> Option<Vec<CoreDistance>> {
        (self.pairs.len() <= MOST_PAIRS).then(|| self.pairs.iter().map(core_distance).collect())?
    }

    fn decide_beyond(&self, margin: f64, otherwise: &str, reason: &str) -> Verdict {
        let Some(all) = self.decided() else { return Verdict::Undecided(reason.to_owned()) };
        let signs: Vec<Option<Ordering>> = all.iter().map(|distance| distance.compare(margin)).collect();
        // Touching is a point in common, but a distance that equals the margin is no more than it either.
        if signs.iter().flatten().any(|sign| sign.is_le()) || margin == 0.0 && all.iter().any(CoreDistance::intersects)
        {
            return Verdict::Refuted(format!("{otherwise}, as their exact distance shows"));
        }
        match signs.iter().all(|sign| *sign == Some(Ordering::Greater)) {
            true => Verdict::Proved,
            false => Verdict::Undecided(reason.to_owned()),
        }
    }

    fn decide_intersects(&self, reason: &str) -> Verdict {
        let Some(all) = self.decided() else { return Verdict::Undecided(reason.to_owned()) };
        if all.iter().any(CoreDistance::intersects) {
            return Verdict::Proved;
        }
        let unseen = UNSEEN * self.size();
        if unseen.is_finite() && all.iter().all(|distance| distance.compare(unseen) == Some(Ordering::Greater)) {
            return Verdict::Refuted("they are apart, as their exact distance shows".into());
        }
        Verdict::Undecided("they are apart, but by less than doubles can see".into())
    }

    /// A distance is never proved without its evidence, but it may be refuted.
    fn refute_distance(&self, claim: &Distance, reason: &str) -> Verdict {
        let Distance { lower, upper, .. } = *claim;
        if let Some(all) = self.decided() {
            let is = |bound: f64, sign: Ordering| {
                move |distance: &CoreDistance| bound.is_finite() && distance.compare(bound) == Some(sign)
            };
            if all.iter().any(is(lower, Ordering::Less)) {
                return Verdict::Refuted(format!("the exact distance is less than lower = {lower:e}"));
            }
            if all.iter().all(is(upper, Ordering::Greater)) {
                return Verdict::Refuted(format!("the exact distance is more than upper = {upper:e}"));
            }
        }
        Verdict::Undecided(reason.to_owned())
    }
}

fn explain(trouble: Trouble) -> String {
    match trouble {
        Trouble::Unclear => "roots cannot be told apart with 8192 bits".into(),
        Trouble::Fault(what) => what,
    }
}

fn length(v: [f64; 3]) -> f64 {
    v[0].hypot(v[1]).hypot(v[2])
}

/// A vector turned by a quaternion of any length, rounded.
pub(crate) fn turned([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let square = x * x + y * y + z * z + w * w;
    let q = [x, y, z];
    let inner = cross(q, v);
    let inner: [f64; 3] = std::array::from_fn(|i| inner[i] + w * v[i]);
    let outer = cross(q, inner);
    std::array::from_fn(|i| v[i] + 2.0 * outer[i] / square)
}
