//! The rules of a scene, applied to the pairs that were found.

use super::Found;
use super::depths;
use super::state::State;
use clearance_io::rules::Action;
use clearance_io::{Scene, counted};
use serde::Serialize;

/// A rule, and the pairs that it decided.
#[derive(Debug, Clone, Serialize)]
pub struct RuleReport {
    /// The rule, as it was written.
    pub rule: String,
    /// The pairs that it decides about.
    pub pairs: u64,
    /// The pairs that it took out of the check, or the contacts that it allowed.
    pub taken_out: u64,
    /// The pairs that are not proved as far apart as it demands.
    pub too_close: u64,
}

impl RuleReport {
    /// "`pipe.* : wall.* ignore` took out 12 pairs" or that the rule matches nothing; nothing about a rule that took no pair out.
    pub fn sentence(&self) -> Option<String> {
        let Self { rule, pairs, taken_out, .. } = self;
        match (pairs, taken_out) {
            (0, _) => Some(format!("The rule {rule:?} matches no pair.")),
            (_, 0) => None,
            (_, count) => Some(format!("The rule {rule:?} took out {}.", counted(*count, "pair", "pairs"))),
        }
    }
}

/// The rules of a check at work.
#[derive(Debug, Default)]
pub struct Rulings {
    pub rules: Vec<RuleReport>,
    /// Pairs without a rule are listed within this distance; `None` lists overlaps only.
    margin: Option<f64>,
    /// Pairs without a rule fail the check below this distance.
    fail_within: Option<f64>,
    /// The budget of a search for a depth that a rule bounds.
    nodes: usize,
}

impl Rulings {
    /// The rules of a scene, before anything is found.
    pub fn new(scene: &Scene, margin: Option<f64>, fail_within: Option<f64>, nodes: usize) -> Self {
        let counts = scene.count_by_rule().by_rule;
        let rules = scene.rules.all().iter().zip(counts).map(|(rule, pairs)| RuleReport {
            rule: rule.to_string(),
            pairs,
            taken_out: if rule.action() == Action::Ignore { pairs } else { 0 },
            too_close: 0,
        });
        Self { rules: rules.collect(), margin, fail_within, nodes }
    }

    /// The margin within which all pairs have to be searched.
    pub fn search_margin(&self, scene: &Scene) -> f64 {
        self.margin.into_iter().chain(scene.rules.largest_margin()).fold(0.0, f64::max)
    }

    /// Judges a pair in its state and with its proved least distance: `None` if it is not to be listed, else whether it is too close.
    pub fn judge(&mut self, scene: &Scene, found: &Found, state: State, lower: f64) -> Option<bool> {
        let decisive = scene.rules.decisive(found.bodies[0] as usize, found.bodies[1] as usize);
        let action = decisive.map(|rule| scene.rules.all()[rule].action());
        let is_contact = !matches!(state, State::Gap | State::Clear);
        let (listed, least) = match action {
            Some(Action::Margin(margin)) => (Some(margin), Some(margin)),
            Some(Action::Ignore | Action::Check | Action::Allow(_)) | None => (self.margin, self.fail_within),
        };
        if let (Some(Action::Allow(most)), true) = (action, is_contact)
            && most.is_none_or(|most| self.is_no_deeper(scene, found, most))
        {
            decisive.into_iter().for_each(|rule| self.rules[rule].taken_out += 1);
            return None;
        }
        if !is_contact && listed.is_none_or(|listed| lower > listed) {
            return None;
        }
        let is_apart = !matches!(state, State::Overlap | State::Collision | State::Graze);
        let is_too_close = is_apart && least.is_some_and(|least| lower < least);
        if let (Some(Action::Margin(_)), Some(rule), true) = (action, decisive, is_too_close) {
            self.rules[rule].too_close += 1;
        }
        Some(is_too_close)
    }

    /// Is an overlap proved to be no deeper than this? An undecided pair is not.
    fn is_no_deeper(&self, scene: &Scene, found: &Found, most: f64) -> bool {
        found.overlaps()
            && (-found.witness.lower <= most
                || depths::of(scene, found, self.nodes, None).is_some_and(|depth| depth.upper <= most))
    }
}
