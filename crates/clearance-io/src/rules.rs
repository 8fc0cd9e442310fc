//! Rules of a check: which pairs are checked, how far apart they have to be, and which contacts are meant.
//!
//! A rule is one line of text, the same in a scene and on the command line:
//!
//! ```text
//! RULE     = SELECTOR [" : " SELECTOR] ACTION
//! SELECTOR = PATTERN | "name:" PATTERN | "group:" PATTERN | "layer:" PATTERN | "file:" PATTERN
//! ACTION   = "ignore" | "check" | "allow" [DEPTH] | "margin" M
//! ```
//!
//! A rule of two selectors is about pairs of which one body fits the first and the other body the second. A rule of one selector is about all pairs
//! of a body that fits. A pattern is a regular expression that the whole name has to match. The last rule that matches a pair decides about it.
//! Once there is a rule `check`, pairs without a matching rule are not checked.
//!
//! Each body has two sets of rules, those whose first and those whose second selector it fits. The rules of a pair are then
//! `(first(a) ∩ second(b)) ∪ (first(b) ∩ second(a))`, and the last of them is the highest bit: a decision takes a few instructions, however many
//! rules there are.

use crate::json::quoted;
use clearance::error::MAX_COORDINATE;
use regex_lite::Regex;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

/// Rules of one check, at most. Layout: a set of rules is the bits of a `u128`.
pub const MAX_RULES: usize = 128;

/// The effect of a rule on its pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// The pair is not checked.
    Ignore,
    /// The pair is checked; pairs that no rule matches are not.
    Check,
    /// The two are meant to touch or overlap: by any depth, or by at most this one.
    Allow(Option<f64>),
    /// The two have to be at least this far apart.
    Margin(f64),
}

/// A rule, as the head of this module describes it.
#[derive(Debug, Clone)]
pub struct Rule {
    /// As it was written, without blanks around it.
    text: String,
    first: Selector,
    /// The selector of the other body; `None` fits every body.
    second: Option<Selector>,
    action: Action,
}

impl Rule {
    /// Its effect on its pairs.
    #[must_use]
    pub fn action(&self) -> Action {
        self.action
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl FromStr for Rule {
    type Err = String;

    /// The error is a sentence that quotes the rule.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let bad = |what: String| format!("the rule {} {what}", quoted(text));
        let (selectors, action) = action(text).map_err(bad)?;
        let sides: Vec<&str> = selectors.split(" : ").map(str::trim).collect();
        let (first, second) = match sides[..] {
            [first] => (first, None),
            [first, second] => (first, Some(second)),
            _ => return Err(bad("has more than two sides; put \" : \" between the two only".into())),
        };
        let second = second.map(Selector::new).transpose().map_err(bad)?;
        Ok(Self { first: Selector::new(first).map_err(bad)?, second, action, text: text.to_owned() })
    }
}

/// Cuts the action from the end of a rule. The blank before it stays, so that a side that is empty is seen to be.
fn action(text: &str) -> Result<(&str, Action), String> {
    let last_word = |text: &str| -> Option<(usize, usize)> {
        let end = text.trim_end().len();
        let start = text[..end].rfind(char::is_whitespace).map_or(0, |at| at + 1);
        (start < end).then_some((start, end))
    };
    let no_action = || "has no action; end it with ignore, check, allow, allow DEPTH or margin M".to_owned();
    let (start, end) = last_word(text).ok_or_else(no_action)?;
    let plain = match &text[start..end] {
        "ignore" => Some(Action::Ignore),
        "check" => Some(Action::Check),
        "allow" => Some(Action::Allow(None)),
        "margin" => return Err("has no number after margin".into()),
        _ => None,
    };
    if let Some(action) = plain {
        return Ok((&text[..start], action));
    }
    let (word_start, word_end) = last_word(&text[..start]).ok_or_else(no_action)?;
    let with_number = match &text[word_start..word_end] {
        "margin" => Action::Margin,
        "allow" => |depth| Action::Allow(Some(depth)),
        _ => return Err(no_action()),
    };
    let number = &text[start..end];
    let value: f64 = number.parse().map_err(|_| format!("has {}, which is no number", quoted(number)))?;
    if !(0.0..=MAX_COORDINATE).contains(&value) {
        return Err(format!("has {number}, but a length is at least 0 and at most {MAX_COORDINATE:e}"));
    }
    Ok((&text[..word_start], with_number(value)))
}

/// A property of a body, and a pattern that it has to match.
#[derive(Debug, Clone)]
struct Selector {
    by: By,
    pattern: Regex,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Name,
    Group,
    Layer,
    File,
}

impl Selector {
    fn new(text: &str) -> Result<Self, String> {
        let kinds = [("name:", By::Name), ("group:", By::Group), ("layer:", By::Layer), ("file:", By::File)];
        let found = kinds.into_iter().find_map(|(prefix, by)| Some((by, text.strip_prefix(prefix)?.trim())));
        let (by, pattern) = found.unwrap_or((By::Name, text));
        if pattern.is_empty() {
            return Err("has an empty pattern; .* fits every body".into());
        }
        // Without the first line an unbalanced parenthesis could close the group of the second.
        let compile = Regex::new(pattern).and_then(|_| Regex::new(&format!("^(?:{pattern})$")));
        let pattern =
            compile.map_err(|error| format!("has the pattern {}, which is wrong: {error}", quoted(pattern)))?;
        Ok(Self { by, pattern })
    }

    fn fits(&self, body: &Labels<'_>) -> bool {
        let label = match self.by {
            By::Name => Some(body.name),
            By::Group => body.group,
            By::Layer => body.layer,
            By::File => body.file,
        };
        label.is_some_and(|label| self.pattern.is_match(label))
    }
}

/// The properties of a body that rules select by.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its group.
    pub group: Option<&'a str>,
    /// Its layer.
    pub layer: Option<&'a str>,
    /// The file that it comes from.
    pub file: Option<&'a str>,
}

/// The rules that a body fits with their first selector, and with their second.
type Sides = [u128; 2];

/// Rules with the bodies that they are about.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    /// Of each body, in the order of the scene; empty if there are no rules.
    sides: Vec<Sides>,
    /// Is there a rule `check`, so that pairs without a rule are not checked?
    is_selective: bool,
}

/// How many pairs each rule decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleCounts {
    /// By rule.
    pub by_rule: Vec<u64>,
    /// Pairs that no rule matches.
    pub without: u64,
}

impl Rules {
    /// Rules about these bodies.
    ///
    /// # Errors
    ///
    /// A sentence, if there are more than [`MAX_RULES`].
    pub fn new<'a>(rules: Vec<Rule>, bodies: impl Iterator<Item = Labels<'a>>) -> Result<Self, String> {
        if rules.len() > MAX_RULES {
            return Err(format!("there are {} rules, but at most {MAX_RULES} can be checked", rules.len()));
        }
        let is_selective = rules.iter().any(|rule| rule.action == Action::Check);
        let sides = |body: Labels<'a>| {
            let mut sides = [0; 2];
            for (index, rule) in rules.iter().enumerate() {
                let fits_second = rule.second.as_ref().is_none_or(|second| second.fits(&body));
                sides[0] |= u128::from(rule.first.fits(&body)) << index;
                sides[1] |= u128::from(fits_second) << index;
            }
            sides
        };
        let sides = if rules.is_empty() { Vec::new() } else { bodies.map(sides).collect() };
        Ok(Self { rules, sides, is_selective })
    }

    /// All rules, in their order.
    #[must_use]
    pub fn all(&self) -> &[Rule] {
        &self.rules
    }

    /// The number of the rule that decides about two bodies.
    #[must_use]
    pub fn decisive(&self, a: usize, b: usize) -> Option<usize> {
        if self.rules.is_empty() { None } else { last(self.sides[a], self.sides[b]) }
    }

    /// The effect of the rules on two bodies.
    #[must_use]
    pub fn action(&self, a: usize, b: usize) -> Option<Action> {
        self.decisive(a, b).map(|rule| self.rules[rule].action)
    }

    /// Do the rules leave this pair to the check?
    #[must_use]
    pub fn is_checked(&self, a: usize, b: usize) -> bool {
        self.is_checked_by(self.decisive(a, b))
    }

    /// Is a pair checked about which this rule decides?
    fn is_checked_by(&self, decisive: Option<usize>) -> bool {
        decisive.map_or(!self.is_selective, |rule| self.rules[rule].action != Action::Ignore)
    }

    /// The largest margin of a rule.
    #[must_use]
    pub fn largest_margin(&self) -> Option<f64> {
        let margins = self.rules.iter().filter_map(|rule| match rule.action {
            Action::Margin(margin) => Some(margin),
            Action::Ignore | Action::Check | Action::Allow(_) => None,
        });
        margins.reduce(f64::max)
    }

    /// How many pairs each rule decides, of those that are neither in one group nor in `ignore`.
    ///
    /// Bodies of the same sets are counted together: the work grows with the square of the number of different sets, not of bodies.
    #[must_use]
    pub fn count(&self, groups: &[Option<&str>], ignore: &HashSet<[usize; 2]>) -> RuleCounts {
        let mut counts = Counter { by_rule: vec![0; self.rules.len()], without: 0 };
        let sides = |body: usize| self.sides.get(body).copied().unwrap_or_default();
        counts.add(&tally((0..groups.len()).map(sides)), 1);
        let mut members: HashMap<&str, Vec<usize>> = HashMap::new();
        for (body, group) in groups.iter().enumerate() {
            group.map(|group| members.entry(group).or_default().push(body));
        }
        for members in members.values() {
            counts.add(&tally(members.iter().map(|&body| sides(body))), -1);
        }
        for &[a, b] in ignore {
            if groups[a].is_none() || groups[a] != groups[b] {
                *counts.of(sides(a), sides(b)) -= 1;
            }
        }
        // No count is negative: a pair is taken out at most once.
        let count = |pairs: i128| u64::try_from(pairs).unwrap_or(0);
        RuleCounts { by_rule: counts.by_rule.into_iter().map(count).collect(), without: count(counts.without) }
    }

    /// How many of the counted pairs are checked.
    #[must_use]
    pub fn checked(&self, counts: &RuleCounts) -> u64 {
        let kept = (0..self.rules.len()).filter(|&rule| self.is_checked_by(Some(rule)));
        let without = if self.is_checked_by(None) { counts.without } else { 0 };
        kept.map(|rule| counts.by_rule[rule]).sum::<u64>() + without
    }
}

/// The last rule of two bodies.
fn last([first_a, second_a]: Sides, [first_b, second_b]: Sides) -> Option<usize> {
    let matching = first_a & second_b | first_b & second_a;
    matching.checked_ilog2().map(|bit| bit as usize)
}

/// How many bodies have the same sets.
fn tally(bodies: impl Iterator<Item = Sides>) -> Vec<(Sides, i128)> {
    let mut counts: HashMap<Sides, i128> = HashMap::new();
    bodies.for_each(|sides| *counts.entry(sides).or_default() += 1);
    counts.into_iter().collect()
}

struct Counter {
    by_rule: Vec<i128>,
    without: i128,
}

impl Counter {
    fn of(&mut self, a: Sides, b: Sides) -> &mut i128 {
        match last(a, b) {
            Some(rule) => &mut self.by_rule[rule],
            None => &mut self.without,
        }
    }

    /// Adds all pairs of some bodies, or takes them out.
    fn add(&mut self, classes: &[(Sides, i128)], sign: i128) {
        for (index, &(a, count)) in classes.iter().enumerate() {
            *self.of(a, a) += sign * count * (count - 1) / 2;
            for &(b, other) in &classes[index + 1..] {
                *self.of(a, b) += sign * count * other;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Rule {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn named(name: &str) -> Labels<'_> {
        Labels { name, group: None, layer: None, file: None }
    }

    fn rules<'a>(texts: &[&str], bodies: &[Labels<'a>]) -> Rules {
        Rules::new(texts.iter().map(|text| rule(text)).collect(), bodies.iter().copied()).expect("few rules")
    }

    #[test]
    fn a_rule_is_read_from_its_end() {
        for (text, action) in [
            ("pipe.* : wall.* margin 0.05", Action::Margin(0.05)),
            ("upper arm ignore", Action::Ignore),
            ("  bolt : nut allow ", Action::Allow(None)),
            ("bolt : nut allow 1e-3", Action::Allow(Some(1e-3))),
            ("file:a.*\\.stl : layer:steel check", Action::Check),
            // A body may be called like an action.
            ("ignore allow", Action::Allow(None)),
        ] {
            assert_eq!(rule(text).action(), action, "{text}");
            assert_eq!(rule(text).to_string(), text.trim());
        }
    }

    #[test]
    fn bad_rules_are_refused_with_a_sentence() {
        for (text, fault) in [
            ("", "has no action"),
            ("ignore", "has an empty pattern"),
            ("pipe : wall", "has no action"),
            ("pipe : wall margin", "has no number after margin"),
            ("pipe : wall margin x", "which is no number"),
            ("pipe : wall margin -1", "a length is at least 0"),
            ("pipe : wall margin nan", "a length is at least 0"),
            ("pipe : wall margin inf", "a length is at least 0"),
            ("pipe : wall allow -0.1", "a length is at least 0"),
            ("pipe( : wall ignore", "which is wrong"),
            // Wrong alone, and right between the parentheses of the whole.
            ("a)|(b ignore", "which is wrong"),
            ("a : b : c ignore", "more than two sides"),
            ("a :  ignore", "has an empty pattern"),
            ("group: : b ignore", "has an empty pattern"),
        ] {
            let error = text.parse::<Rule>().expect_err(text);
            assert!(error.contains(fault), "{text}: {error}");
        }
        let many = vec![rule("a ignore"); MAX_RULES + 1];
        assert!(Rules::new(many, std::iter::empty()).is_err());
    }

    #[test]
    fn the_last_rule_that_matches_decides_in_either_order() {
        let bodies = ["pipe 1", "pipe 2", "wall", "pipeline"].map(named);
        let rules = rules(&["pipe .* : wall margin 1", "pipe 2 ignore", "pipe 2 : pipeline check"], &bodies);
        for (a, b, wanted) in [
            (0, 2, Some(Action::Margin(1.0))),
            (1, 2, Some(Action::Ignore)),
            (1, 3, Some(Action::Check)),
            (0, 1, Some(Action::Ignore)),
            // The whole name has to match.
            (2, 3, None),
        ] {
            assert_eq!((rules.action(a, b), rules.action(b, a)), (wanted, wanted), "{a} {b}");
        }
        // There is a rule `check`, so that a pair without a rule is not checked.
        assert!(!rules.is_checked(2, 3) && rules.is_checked(1, 3) && !rules.is_checked(0, 1));
        assert_eq!(rules.largest_margin(), Some(1.0));
    }

    #[test]
    fn selectors_use_names_groups_layers_and_files() {
        let body = Labels { name: "n", group: Some("g"), layer: Some("l"), file: Some("f/x.stl") };
        for (text, fits) in [
            ("n ignore", true),
            ("name:n ignore", true),
            ("group:g ignore", true),
            ("layer:l ignore", true),
            ("file:.*\\.stl ignore", true),
            ("file:f ignore", false),
            ("layer:g ignore", false),
        ] {
            assert_eq!(rule(text).first.fits(&body), fits, "{text}");
        }
        // A body without a layer fits no pattern for layers.
        assert!(!rule("layer:.* ignore").first.fits(&named("n")));
    }

    #[test]
    fn counts_are_those_of_asking_for_each_pair() {
        let mut random = fastrand::Rng::with_seed(36);
        let patterns = ["a.*", "b.*", ".*1", ".*2", "a1 : b.*", ".* : .*3", "group:g : .*"];
        for round in 0..200 {
            let count = random.usize(0..12);
            let names: Vec<String> =
                (0..count).map(|_| format!("{}{}", ["a", "b"][random.usize(0..2)], random.u8(1..4))).collect();
            let groups: Vec<Option<&str>> =
                (0..count).map(|_| [None, Some("g"), Some("h")][random.usize(0..3)]).collect();
            let actions = ["ignore", "check", "allow", "margin 1"];
            let texts: Vec<String> = (0..random.usize(0..5))
                .map(|_| format!("{} {}", patterns[random.usize(0..patterns.len())], actions[random.usize(0..4)]))
                .collect();
            let bodies: Vec<Labels> =
                names.iter().zip(&groups).map(|(name, &group)| Labels { group, ..named(name) }).collect();
            let rules = rules(&texts.iter().map(String::as_str).collect::<Vec<_>>(), &bodies);
            let all = || (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
            let ignore: HashSet<[usize; 2]> = all().filter(|_| random.u8(0..5) == 0).collect();
            let is_open =
                |&[a, b]: &[usize; 2]| !ignore.contains(&[a, b]) && (groups[a].is_none() || groups[a] != groups[b]);
            let mut wanted = RuleCounts { by_rule: vec![0; texts.len()], without: 0 };
            for [a, b] in all().filter(is_open) {
                *rules.decisive(a, b).map_or(&mut wanted.without, |rule| &mut wanted.by_rule[rule]) += 1;
            }
            let counts = rules.count(&groups, &ignore);
            assert_eq!(counts, wanted, "round {round}: {texts:?} {names:?}");
            let checked = all().filter(is_open).filter(|&[a, b]| rules.is_checked(a, b)).count() as u64;
            assert_eq!(rules.checked(&counts), checked, "round {round}: {texts:?} {names:?}");
        }
    }
}
