//! The trace of a search among moving parts, and the evidence that it becomes: a tree of sets of pairs, each with a chain of time intervals.
//!
//! 1. A set is apart along its links, which follow each other in time from where those of the set above it end, and is then divided as the search
//!    divided it. So evidence is as long as the search.
//! 2. Set 0 belongs to two shapes without parts. Other sets are below a root, which is all pairs of parts from a time on.

use crate::trace::Trace;
use clearance_verify::{ChainLink, ImpactNode, RingBody};
use glam::DVec3;

/// The trace of a search for a time of impact.
#[derive(Debug)]
pub(super) struct ChainTree {
    sets: Vec<LinkedSet>,
    /// The root of each time slab, and when that begins.
    roots: Vec<(u32, f64)>,
    selected: usize,
}

/// A set of pairs of parts.
#[derive(Debug, Default)]
struct LinkedSet {
    links: Vec<ChainLink>,
    division: Option<SetDivision>,
}

/// How one of the two sets of parts is divided.
#[derive(Debug)]
struct SetDivision {
    side: usize,
    /// The number of the first child; the others follow it.
    first: u32,
    /// How many parts each child has.
    counts: Vec<u32>,
}

impl Default for ChainTree {
    fn default() -> Self {
        Self { sets: vec![LinkedSet::default()], roots: Vec::new(), selected: 0 }
    }
}

impl Trace for ChainTree {
    fn root(&mut self, time: f64) -> u32 {
        let root = self.sets.len() as u32;
        self.sets.push(LinkedSet::default());
        self.roots.push((root, time));
        root
    }

    fn divide(&mut self, set: u32, side: usize, counts: Vec<u32>) -> u32 {
        let first = self.sets.len() as u32;
        debug_assert!(set < first && self.sets[set as usize].division.is_none(), "a set is divided once");
        self.sets.extend(counts.iter().map(|_| LinkedSet::default()));
        self.sets[set as usize].division = Some(SetDivision { side, first, counts });
        first
    }

    fn select(&mut self, set: u32) {
        self.selected = set as usize;
    }

    fn link(&mut self, [from, to]: [f64; 2], along: DVec3, turn: DVec3, ring: Option<usize>) {
        let ring = ring.map(|side| if side == 0 { RingBody::A } else { RingBody::B });
        let link = ChainLink { from, to, along: along.to_array(), turn: turn.to_array(), ring };
        self.sets[self.selected].links.push(link);
    }
}

impl ChainTree {
    /// The chain of two shapes without parts, until a time. Links after a graze prove nothing about the time before it.
    pub fn chain(&self, until: f64) -> Vec<ChainLink> {
        self.sets[0].links_until(until).collect()
    }

    /// A tree for each time slab, in preorder.
    pub fn covers(&self, until: f64) -> Vec<Vec<ImpactNode>> {
        let roots = self.roots.iter().filter(|(_, from)| *from < until);
        let covers = roots.map(|&(root, _)| {
            let mut nodes = Vec::new();
            self.write(root, [0; 2], until, Vec::new(), &mut nodes);
            nodes
        });
        covers.collect()
    }

    /// Writes a set and all below it. Its parts begin at these places of their orders, and `chain` has the links of the sets above it that are about
    /// the same pairs.
    fn write(
        &self,
        set: u32,
        mut starts: [u32; 2],
        until: f64,
        mut chain: Vec<ChainLink>,
        nodes: &mut Vec<ImpactNode>,
    ) {
        let set = &self.sets[set as usize];
        chain.extend(set.links_until(until));
        let is_done = chain.last().is_some_and(|link| link.to >= until);
        let Some(division) = set.division.as_ref().filter(|_| !is_done) else {
            return nodes.push(ImpactNode { chain, ..ImpactNode::default() });
        };
        let (side, last) = (division.side, division.counts.len().saturating_sub(1));
        for (number, count) in division.counts.iter().enumerate() {
            let child = division.first + number as u32;
            if number == last {
                return self.write(child, starts, until, chain, nodes);
            }
            let mut after = starts;
            after[side] += count;
            let at = Some(after[side]);
            let (split_a, split_b) = if side == 0 { (at, None) } else { (None, at) };
            nodes.push(ImpactNode { chain: std::mem::take(&mut chain), split_a, split_b });
            self.write(child, starts, until, Vec::new(), nodes);
            starts = after;
        }
    }
}

impl LinkedSet {
    /// The links that begin before a time.
    fn links_until(&self, until: f64) -> impl Iterator<Item = ChainLink> + '_ {
        self.links.iter().filter(move |link| link.from < until).copied()
    }
}
