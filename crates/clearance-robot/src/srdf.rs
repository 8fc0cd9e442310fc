//! SRDF: pairs of links that are not checked.
//!
//! Read are `<disable_collisions link1 link2>`, `<disable_default_collisions link>` and `<enable_collisions link1 link2>`. Groups, states, virtual and
//! passive joints have no bearing on the geometry.

use crate::error::Error;
use crate::xml::{self, quoted};
use clearance_io::Place;
use std::collections::HashMap;
use std::fmt::Write;

/// Two links, the one that comes first in the robot first.
pub type LinkPair = [usize; 2];

/// The rules of an SRDF.
#[derive(Debug, Default)]
pub struct Rules {
    pub disabled: Vec<LinkPair>,
    /// Links of which all pairs are disabled but for those that are enabled.
    pub ignored: Vec<usize>,
    pub enabled: Vec<LinkPair>,
    /// Sentences about rules that have no effect.
    pub notes: Vec<String>,
}

/// Reads the text of an SRDF about links of these names.
pub fn parse(text: &str, place: &Place, links: &HashMap<&str, usize>) -> Result<Rules, Error> {
    let root = xml::parse(text, "robot", place)?;
    let mut rules = Rules::default();
    for element in &root.children {
        let names: &[&str] = match element.name.as_str() {
            "disable_collisions" | "enable_collisions" => &["link1", "link2"],
            "disable_default_collisions" => &["link"],
            _ => continue,
        };
        let mut found = Vec::new();
        for name in names {
            let link = element.required(name, place)?;
            match links.get(link) {
                Some(&number) => found.push(number),
                None => {
                    let at = place.clone().at_line(element.line);
                    rules.notes.push(format!("{at}: there is no link {}; the rule has no effect", quoted(link)));
                }
            }
        }
        match (&found[..], element.name.as_str()) {
            (&[one, other], "disable_collisions") => rules.disabled.push(ordered(one, other)),
            (&[one, other], _) => rules.enabled.push(ordered(one, other)),
            (&[link], "disable_default_collisions") => rules.ignored.push(link),
            _ => {}
        }
    }
    Ok(rules)
}

pub fn ordered(one: usize, other: usize) -> LinkPair {
    [one.min(other), one.max(other)]
}

/// Why a pair of links need not be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A joint is between them, or nothing that moves.
    Adjacent,
    /// They collided in no sample.
    Never,
    /// They collided in every sample.
    Always,
}

impl Reason {
    /// The word for it in an SRDF.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adjacent => "Adjacent",
            Self::Never => "Never",
            Self::Always => "Always",
        }
    }
}

/// The text of an SRDF that disables pairs.
pub fn write<'a>(robot: &str, pairs: impl IntoIterator<Item = ([&'a str; 2], Reason)>) -> String {
    let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", escaped(robot));
    for ([one, other], reason) in pairs {
        let (one, other) = (escaped(one), escaped(other));
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "  <disable_collisions link1=\"{one}\" link2=\"{other}\" reason=\"{}\"/>", reason.name());
    }
    text.push_str("</robot>\n");
    text
}

fn escaped(name: &str) -> String {
    quick_xml::escape::escape(name).into_owned()
}
