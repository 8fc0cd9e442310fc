//! Findings that live from run to run: an identifier for each, and what has become of those of the last run.
//!
//! A finding is a pair that fails a check: it overlaps, collides, grazes, is undecided or is too close. Its identifier is a hash of its two bodies, in
//! either order, so that it is the same in every run and for every order of files. A body is known by its identifier in its model, or by its name.
//!
//! With `--baseline LAST.json`, which `check --json` has written, a finding is
//!
//! - *new*, if the last run did not have it;
//! - *persistent*, if state and bracket do not contradict those of the last run;
//! - *changed*, if the state is another one or the brackets have no common number. It is *worse* if it is proved deeper, closer or earlier, if the
//!   state is a worse one, or if it is undecided and was not;
//! - *resolved*, if only the last run had it.
//!
//! A finding that was accepted stays accepted unless it is worse, or its proved bounds no longer exclude that by more than the width of the last bracket.

use super::state::State;
use crate::output::printable;
use clearance_io::rules::Action;
use clearance_io::{Body, PairReview, Scene, counted, read_text};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;

/// Two brackets of one value that differ by this part of it may differ by rounding. Bound: brackets of depths are narrower than 1e-10 of the size.
const NOISE: f64 = 1e-9;

/// How a finding names a body: by its identifier in its model, or by its name.
pub fn key_of(body: &Body) -> String {
    body.tags.guid.as_ref().map_or_else(|| format!("name {}", body.name), |guid| format!("guid {guid}"))
}

/// The identifier of a pair of bodies of these keys: 16 hexadecimal digits.
pub fn id_of(keys: [&str; 2]) -> String {
    hash_of(keys)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash that the identifiers of a pair are made of.
pub fn hash_of(mut keys: [&str; 2]) -> [u8; 32] {
    keys.sort_unstable();
    let mut hash = Sha256::new();
    // The length before each key keeps "a", "bc" from being "ab", "c".
    for key in keys {
        hash.update((key.len() as u64).to_le_bytes());
        hash.update(key.as_bytes());
    }
    hash.finalize().into()
}

/// The change of a finding since the last run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    New,
    Persistent,
    Changed { is_worse: bool },
}

impl Life {
    /// For programs and people.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Persistent => "persistent",
            Self::Changed { is_worse: false } => "changed",
            Self::Changed { is_worse: true } => "worse",
        }
    }
}

/// A finding as it is now: its state, and the bracket of its distance, or of its time if it collides later. Less is worse in both.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    pub state: State,
    pub lower: f64,
    pub upper: f64,
}

/// A finding beside the last run.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    pub life: Life,
    /// The status and the comment that a person gave it, if they hold.
    pub review: Option<PairReview>,
}

impl Followed {
    /// Does it fail a check that compares with the last run?
    pub fn is_failure(&self) -> bool {
        let is_accepted = self.review.as_ref().is_some_and(PairReview::is_accepted);
        !is_accepted && matches!(self.life, Life::New | Life::Changed { is_worse: true })
    }
}

/// A finding of the last run that is none any more.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Resolved {
    pub id: String,
    pub a: String,
    pub b: String,
    /// The state that it had.
    pub was: String,
    /// One word of the list:
    ///
    /// - "clear": the check proves that it is no finding;
    /// - "allowed": a rule allows it;
    /// - "not checked": a rule, a group or `ignore` takes the pair out;
    /// - "gone": a body of that name is no longer there.
    pub reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<PairReview>,
}

impl Resolved {
    /// "Resolved: a and b, before: overlap, now: clear".
    pub fn sentence(&self) -> String {
        let Self { a, b, was, reason, .. } = self;
        format!("Resolved: {a} and {b}, before: {was}, now: {reason}")
    }
}

/// The findings of the last run.
#[derive(Debug, Default)]
pub struct Baseline {
    findings: HashMap<String, Past>,
}

#[derive(Debug, Clone)]
struct Past {
    a: String,
    b: String,
    measure: Measure,
    review: Option<PairReview>,
}

/// A report of `check --json`, as far as a later run needs it.
#[derive(Deserialize)]
struct PastReport {
    format: String,
    #[serde(default)]
    overlaps: u64,
    #[serde(default)]
    impacts: u64,
    #[serde(default)]
    undecided: u64,
    #[serde(default)]
    too_close: u64,
    pairs: Vec<PastPair>,
}

#[derive(Deserialize)]
struct PastPair {
    a: String,
    b: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    kind: Option<String>,
    state: String,
    lower: Option<f64>,
    upper: Option<f64>,
    #[serde(default)]
    impact: Value,
    #[serde(default)]
    review: Option<PairReview>,
}

impl Baseline {
    /// Reads the report of the last run, and the statuses that the report page has exported since.
    pub fn read(path: &Path, review: Option<&Path>) -> Result<Self, String> {
        let text = read_text(path).map_err(|error| error.to_string())?;
        let place = printable(&path.display().to_string());
        let report: PastReport = serde_json::from_str(&text)
            .map_err(|error| format!("{place} is not what `clearance check --json` writes: {error}"))?;
        if report.format != super::print::FORMAT {
            return Err(format!(
                "{place} has the format {:?}, but only {:?} can be read",
                report.format,
                super::print::FORMAT
            ));
        }
        // A pair may be undecided and too close at once.
        let count = report.overlaps + report.impacts + report.undecided.max(report.too_close);
        let findings: Vec<PastPair> = report.pairs.into_iter().filter(|pair| pair.kind.is_some()).collect();
        if (findings.len() as u64) < count {
            let listed = findings.len();
            return Err(format!(
                "{place} lists {listed} of {count} findings; write it without --limit, by this version"
            ));
        }
        let mut baseline = Self::default();
        for pair in findings {
            let PastPair { a, b, id, state, review, .. } = &pair;
            let measure = pair
                .measure()
                .ok_or_else(|| format!("{place}: the state of {a:?} and {b:?} is {state:?}, which is none"))?;
            let id = id
                .clone()
                .ok_or_else(|| format!("{place}: {a:?} and {b:?} have no \"id\"; write it by this version"))?;
            let past = Past { a: a.clone(), b: b.clone(), measure, review: review.clone() };
            if baseline.findings.insert(id.clone(), past).is_some() {
                return Err(format!("{place} has the id {id:?} twice"));
            }
        }
        if let Some(path) = review {
            baseline.add_reviews(path)?;
        }
        Ok(baseline)
    }

    /// Adds what a person has said about findings since.
    fn add_reviews(&mut self, path: &Path) -> Result<(), String> {
        #[derive(Deserialize)]
        struct Reviews {
            format: String,
            findings: Vec<Reviewed>,
        }
        #[derive(Deserialize)]
        struct Reviewed {
            a: String,
            b: String,
            #[serde(flatten)]
            review: PairReview,
        }
        const FORMAT: &str = "clearance-review/1";
        let text = read_text(path).map_err(|error| error.to_string())?;
        let place = printable(&path.display().to_string());
        let reviews: Reviews = serde_json::from_str(&text)
            .map_err(|error| format!("{place} is not what the report page exports: {error}"))?;
        if reviews.format != FORMAT {
            return Err(format!("{place} has the format {:?}, but only {FORMAT:?} can be read", reviews.format));
        }
        for Reviewed { a, b, review } in reviews.findings {
            let is_same = |past: &&mut Past| past.a == a && past.b == b || past.a == b && past.b == a;
            let past = self.findings.values_mut().find(is_same);
            past.ok_or_else(|| format!("{place} is about {a:?} and {b:?}, which the baseline does not have"))?.review =
                Some(review);
        }
        Ok(())
    }

    /// Takes the finding of a pair out of those that are not yet found again, and says what has become of it.
    pub fn follow(&mut self, id: &str, now: Measure) -> Followed {
        let Some(past) = self.findings.remove(id) else { return Followed { life: Life::New, review: None } };
        let life = past.measure.become_of(now);
        let holds = |review: &PairReview| !review.is_accepted() || past.measure.excludes_worse(now);
        let review = past.review.filter(holds);
        Followed { life, review }
    }

    /// The findings that were not found again.
    pub fn resolved(self, scene: &Scene) -> Vec<Resolved> {
        let indices: HashMap<&str, usize> =
            scene.bodies.iter().enumerate().map(|(i, body)| (body.name.as_str(), i)).collect();
        let mut resolved: Vec<Resolved> = self
            .findings
            .into_iter()
            .map(|(id, past)| {
                let reason = match (indices.get(past.a.as_str()), indices.get(past.b.as_str())) {
                    (Some(&a), Some(&b)) if !scene.is_checked(a, b) => "not checked",
                    (Some(&a), Some(&b)) if matches!(scene.rules.action(a, b), Some(Action::Allow(_))) => "allowed",
                    (Some(_), Some(_)) => "clear",
                    _ => "gone",
                };
                let Past { a, b, measure, review } = past;
                Resolved { id, a, b, was: measure.state.name().to_owned(), reason, review }
            })
            .collect();
        resolved.sort_unstable_by(|p, q| (&p.a, &p.b, &p.id).cmp(&(&q.a, &q.b, &q.id)));
        resolved
    }
}

impl PastPair {
    fn measure(&self) -> Option<Measure> {
        let state = State::of_name(&self.state)?;
        let is_timed = matches!(state, State::Collision | State::Graze);
        let of_impact = |field: &str| self.impact.get(field).and_then(Value::as_f64);
        let (lower, upper) = if is_timed { (of_impact("lower"), of_impact("upper")) } else { (self.lower, self.upper) };
        // JSON has no infinity: a bound without a number is none.
        Some(Measure { state, lower: lower.unwrap_or(f64::NEG_INFINITY), upper: upper.unwrap_or(f64::INFINITY) })
    }
}

impl Measure {
    /// The change of a finding of this measure that is so now.
    fn become_of(self, now: Self) -> Life {
        let slack = self.slack();
        if now.state == State::Undecided && self.state != State::Undecided {
            Life::Changed { is_worse: true }
        } else if now.state != self.state {
            // States are sorted, worst first.
            Life::Changed { is_worse: now.state < self.state }
        } else if now.upper < self.lower - slack {
            Life::Changed { is_worse: true }
        } else if now.lower > self.upper + slack {
            Life::Changed { is_worse: false }
        } else {
            Life::Persistent
        }
    }

    /// Do the bounds exclude that a finding has become worse, but for the width of this bracket?
    fn excludes_worse(self, now: Self) -> bool {
        let width = if self.upper > self.lower { self.upper - self.lower } else { 0.0 };
        // Where the last bracket has no end, nothing can be worse.
        let is_no_worse = now.lower >= self.lower - width - self.slack() || self.lower == f64::NEG_INFINITY;
        is_no_worse && !matches!(self.become_of(now), Life::Changed { is_worse: true })
    }

    fn slack(self) -> f64 {
        let size = self.lower.abs().max(self.upper.abs());
        if size.is_finite() { NOISE * size } else { 0.0 }
    }
}

/// The line about the last run: "2 new, 1 worse, 0 changed, 5 persistent, 3 resolved since last.json".
pub fn summary<'a>(followed: impl Iterator<Item = &'a Followed>, resolved: usize, baseline: &Path) -> String {
    let mut counts = [0_u64; 4];
    let mut accepted = 0;
    for Followed { life, review } in followed {
        let place = match life {
            Life::New => 0,
            Life::Changed { is_worse: true } => 1,
            Life::Changed { is_worse: false } => 2,
            Life::Persistent => 3,
        };
        counts[place] += 1;
        accepted += u64::from(review.as_ref().is_some_and(PairReview::is_accepted));
    }
    let [new, worse, changed, persistent] = counts;
    let name = printable(&baseline.display().to_string());
    let accepted = if accepted > 0 { format!("; {} accepted", counted(accepted, "is", "are")) } else { String::new() };
    format!(
        "Since {name}: {new} new, {worse} worse, {changed} changed, {persistent} persistent, {resolved} resolved{accepted}."
    )
}
