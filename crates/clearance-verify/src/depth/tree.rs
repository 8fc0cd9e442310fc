//! The cover of all translations that are shorter than a bound.
//!
//! A node is a set of translations: an intersection of half-spaces. The root is all of space. A *far* node has weights that prove that none of it is
//! nearer than the bound. A node that is *cut* is what is beyond a plane and what is not. A node is *divided* by the sum of two pieces:
//! each child is beyond one of the planes that are listed, and on the inner side of those before it. What is left of it is on the inner
//! side of all of them; of that, what is beyond any facet of the sum has to be as far as the bound, and the rest is in the
//! interior of the sum, where the bodies overlap. Facets that are far themselves may be taken to bound what is left when others are looked at.
//!
//! The planes of divisions are any that the evidence likes. Facets are found here (`sum.rs`), weights too (`weights.rs`).

use super::piece::Piece;
use super::sum::facets;
use super::weights::{Half, Weights, are_proof, proves, search};
use crate::evidence::{DepthEvidence, DepthNode};
use crate::number::meter;
use crate::shape::Trouble;
use std::collections::HashMap;

fn fault<T>(what: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Fault(what.into()))
}

/// A set that is still to be looked at: the half-spaces that it has in common with its parent, and then its own.
struct Open<'e> {
    common: usize,
    /// The planes of its parent, and which of them it is beyond; of none if it is on the inner side of all.
    planes: &'e [u32],
    beyond: usize,
}

/// Walks through the tree of a cover.
pub(super) struct Walk<'e> {
    pub evidence: &'e DepthEvidence,
    pub pieces: [Vec<Piece>; 2],
    /// The bound that is claimed.
    pub bound: f64,
    pub facets: HashMap<[u32; 2], Vec<Half>>,
}

impl<'e> Walk<'e> {
    /// Does the tree prove that all shorter translations leave an overlap?
    pub fn run(&mut self) -> Result<(), Trouble> {
        let mut halves: Vec<Half> = Vec::new();
        let mut open: Vec<Open<'e>> = vec![Open { common: 0, planes: &[], beyond: 0 }];
        for (number, node) in self.evidence.nodes.iter().enumerate() {
            let Some(set) = open.pop() else { return fault("the cover has nodes after its end") };
            if !meter::charge(4) {
                return Err(Trouble::Unclear);
            }
            halves.truncate(set.common);
            for &plane in set.planes.iter().take(set.beyond) {
                halves.push(self.plane(plane)?.complement());
            }
            if let Some(&plane) = set.planes.get(set.beyond) {
                halves.push(self.plane(plane)?);
            }
            let common = halves.len();
            let unproved = |what: &str| fault(format!("node {number} of the cover: {what}"));
            match node {
                DepthNode::Far {} => {
                    if !proves(&halves, &search(&halves, &Weights::NONE, self.bound), self.bound) {
                        return unproved("nothing shows that it is as far as the bound");
                    }
                }
                DepthNode::Cut(plane) => {
                    let planes = std::slice::from_ref(plane);
                    open.extend([1, 0].map(|beyond| Open { common, planes, beyond }));
                }
                DepthNode::Divided { pieces, beyond } => {
                    if !self.is_rest_covered(&mut halves, *pieces, beyond)? {
                        return unproved("the sum of its pieces does not cover it up to the bound");
                    }
                    open.extend((0..beyond.len()).rev().map(|rank| Open { common, planes: beyond, beyond: rank }));
                }
            }
        }
        if open.is_empty() { Ok(()) } else { fault("the cover leaves out translations") }
    }

    fn plane(&self, number: u32) -> Result<Half, Trouble> {
        let Some(&[x, y, z, offset]) = self.evidence.planes.get(number as usize) else {
            return fault("the cover names a plane that is not there");
        };
        if ![x, y, z, offset].iter().all(|x| x.is_finite()) {
            return fault("a plane of the cover is not finite");
        }
        Ok(Half { normal: [x, y, z], offset })
    }

    /// Is what is on the inner side of some planes in the sum of two pieces, but for what is as far as the bound?
    fn is_rest_covered(
        &mut self,
        halves: &mut Vec<Half>,
        pieces: [u32; 2],
        beyond: &[u32],
    ) -> Result<bool, Trouble> {
        let known = search(halves, &Weights::NONE, self.bound);
        let own = halves.len();
        for &plane in beyond {
            let half = self.plane(plane)?;
            halves.push(half.complement());
        }
        let bound = self.bound;
        let facets = match self.facets.entry(pieces) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(empty) => {
                let (Some(p), Some(q)) =
                    (self.pieces[0].get(pieces[0] as usize), self.pieces[1].get(pieces[1] as usize))
                else {
                    return fault("the cover names a piece that is not there");
                };
                empty.insert(facets(p, q, bound)?)
            }
        };
        // Beyond the facet, on the inner side of the planes.
        let is_far = |halves: &mut Vec<Half>, facet: Half| {
            // Alone, or with a plane that is next to it.
            if facet.offset >= bound && are_proof(&[(facet, 1.0)], bound) {
                return true;
            }
            let is_opposite = |half: &&Half| {
                let apart: f64 = (0..3).map(|i| (half.normal[i] + facet.normal[i]).abs()).sum();
                apart < 1e-6 && half.offset + facet.offset > 0.0
            };
            if halves.iter().filter(is_opposite).any(|half| are_proof(&[(facet, 1.0), (*half, 1.0)], bound)) {
                return true;
            }
            halves.push(facet);
            let is_proved = proves(halves, &search(halves, &known, bound), bound);
            halves.pop();
            is_proved
        };
        let mut far: Vec<Half> = Vec::new();
        let mut hard: Vec<Half> = Vec::new();
        for &facet in facets.iter() {
            if meter::is_exhausted() {
                return Err(Trouble::Unclear);
            }
            if is_far(halves, facet) { &mut far } else { &mut hard }.push(facet);
        }
        // Once more, bounded by those that are far.
        halves.extend(far.iter().map(|facet| facet.complement()));
        while !hard.is_empty() {
            let before = hard.len();
            let mut still = Vec::new();
            for facet in hard {
                if meter::is_exhausted() {
                    return Err(Trouble::Unclear);
                }
                if is_far(halves, facet) {
                    halves.push(facet.complement());
                } else {
                    still.push(facet);
                }
            }
            hard = still;
            if hard.len() == before {
                break;
            }
        }
        halves.truncate(own);
        Ok(hard.is_empty())
    }
}
