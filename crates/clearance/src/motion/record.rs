//! The record of a search over bodies with parts: the sets of pairs of parts that it visited, and the times until which it proved them apart.
//!
//! The record is a tree. Its root is the set of all pairs, for one piece of the motions. A set of pairs is apart along its links, from the end of its parent's links on, and is then divided
//! as in the search. Evidence is made of it.

use super::advance::{Chain, Link};

/// The record of a search.
#[derive(Debug)]
pub(crate) struct PairTree {
    pub nodes: Vec<PairNode>,
    /// The root of each stretch of time, and when that begins.
    pub roots: Vec<(u32, f64)>,
    selected: usize,
}

/// A set of pairs of parts.
#[derive(Debug, Default)]
pub(crate) struct PairNode {
    pub links: Vec<Link>,
    pub division: Option<PairDivision>,
}

/// How the one set of parts is divided.
#[derive(Debug)]
pub(crate) struct PairDivision {
    pub side: usize,
    /// The number of the first child; the others come after it.
    pub first: u32,
    /// How many parts each of them has.
    pub counts: Vec<u32>,
}

impl PairTree {
    pub fn new() -> Self {
        Self { nodes: vec![PairNode::default()], roots: Vec::new(), selected: 0 }
    }
}

impl Chain for PairTree {
    fn push(&mut self, link: Link) {
        self.nodes[self.selected].links.push(link);
    }

    fn is_divided(&self) -> bool {
        true
    }

    fn root(&mut self, time: f64) -> u32 {
        let root = self.nodes.len() as u32;
        self.nodes.push(PairNode::default());
        self.roots.push((root, time));
        root
    }

    fn divide(&mut self, pairs: u32, side: usize, counts: Vec<u32>) -> u32 {
        let first = self.nodes.len() as u32;
        self.nodes.extend(counts.iter().map(|_| PairNode::default()));
        self.nodes[pairs as usize].division = Some(PairDivision { side, first, counts });
        first
    }

    fn select(&mut self, pairs: u32) {
        self.selected = pairs as usize;
    }
}
