//! The cover of all translations that are shorter than a bound.
//!
//! A node is a set of translations: an intersection of half-spaces. The root is all of space. A *far* node has weights that prove that none of it is
//! nearer than the bound. A node that is *cut* is what is beyond a plane and what is not. A node is *divided* by the sum of two pieces:
//! each child is beyond one of the planes that are listed, and on the inner side of those before it. Its remaining points are on the inner
//! side of all of them. Those beyond any facet of the sum have to be as far as the bound, and the others are in the
//! interior of the sum, where the bodies overlap. Facets that are far themselves may bound the remainder when other facets are checked.
//!
//! **Cavities.** Where only places count that are reached from outside, a box whose surface is in sums as a whole is as good as a sum. The
//! set of translations reached from outside is connected and unbounded, and would have to cross the surface. Its sides are proved in the
//! same way, with a bound that is farther than any point of the box, and may rest on boxes before it.
//!
//! The planes of divisions are any that the evidence likes. Facets are found here (`sum.rs`), weights too (`weights.rs`, `precisely.rs`).

use super::piece::Piece;
use super::precisely;
use super::sum::facets;
use super::weights::{Half, Vector3, Weights, are_proof, inner, proves, search};
use crate::evidence::{DepthEvidence, DepthNode, DepthVoid, Scope};
use crate::number::meter;
use crate::shape::Trouble;
use std::collections::HashMap;

fn fault<T>(what: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Fault(what.into()))
}

/// An open set: the half-spaces that it has in common with its parent, and then its own.
struct Open<'e> {
    common: usize,
    /// The planes of its parent, and which of them it is beyond; of none if it is on the inner side of all.
    planes: &'e [u32],
    beyond: usize,
}

/// Walks through the trees of a cover.
pub(super) struct Walk<'e> {
    evidence: &'e DepthEvidence,
    pieces: [Vec<Piece>; 2],
    /// The bound that is claimed.
    bound: f64,
    /// An upper bound of the length of all translations of the tree.
    reach: f64,
    facets: HashMap<[u32; 2], Vec<Half>>,
    /// The boxes that are proved, as the half-spaces beyond their sides.
    voids: Vec<[Half; 6]>,
}

/// The half-spaces beyond the sides of a box.
fn beyond_box([min, max]: [Vector3; 2]) -> [Half; 6] {
    std::array::from_fn(|side| {
        let (axis, is_upper) = (side / 2, side % 2 == 1);
        let mut normal = [0.0; 3];
        normal[axis] = if is_upper { 1.0 } else { -1.0 };
        Half { normal, offset: if is_upper { max[axis] } else { -min[axis] } }
    })
}

/// A bound on how far the points of a box are from the origin.
fn farthest(void: &DepthVoid) -> f64 {
    let corner: Vector3 = std::array::from_fn(|i| void.min[i].abs().max(void.max[i].abs()));
    // The factor covers five roundings, ε/2 each, with room to spare.
    inner(corner, corner).sqrt() * (1.0 + 1e-9)
}

impl<'e> Walk<'e> {
    /// With cavities only where places in them do not count.
    pub fn new(
        evidence: &'e DepthEvidence,
        pieces: [Vec<Piece>; 2],
        bound: f64,
        scope: Scope,
    ) -> Result<Self, Trouble> {
        let voids = &evidence.voids;
        if scope == Scope::Any && !voids.is_empty() {
            return fault("cavities are free places here");
        }
        let is_box = |void: &DepthVoid| (0..3).all(|i| void.min[i] <= void.max[i]) && farthest(void) < 1e150;
        if !voids.iter().all(is_box) {
            return fault("a box that nothing leads into is none");
        }
        let reach = voids.iter().map(farthest).fold(bound, f64::max);
        Ok(Self { evidence, pieces, bound, reach, facets: HashMap::new(), voids: Vec::new() })
    }

    /// Does the evidence prove that all translations that are shorter than the bound leave an overlap?
    pub fn run(&mut self) -> Result<(), Trouble> {
        let evidence = self.evidence;
        for void in &evidence.voids {
            for (side, nodes) in void.sides.iter().enumerate() {
                let (axis, is_upper) = (side / 2, side % 2 == 1);
                let mut flat = [void.min, void.max];
                let at = if is_upper { void.max[axis] } else { void.min[axis] };
                (flat[0][axis], flat[1][axis]) = (at, at);
                let within = beyond_box(flat).map(Half::complement);
                // All points of the box are nearer than this, so no point may be left far.
                self.tree(nodes, &within, 2.0 * self.reach)?;
            }
            self.voids.push(beyond_box([void.min, void.max]));
        }
        self.tree(&evidence.nodes, &[], self.bound)
    }

    /// Is everything in some half-spaces covered, but for what is as far as a bound?
    fn tree(&mut self, nodes: &'e [DepthNode], root: &[Half], bound: f64) -> Result<(), Trouble> {
        let mut halves: Vec<Half> = root.to_vec();
        let mut open: Vec<Open<'e>> = vec![Open { common: root.len(), planes: &[], beyond: 0 }];
        for (number, node) in nodes.iter().enumerate() {
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
                    let is_far = proves(&halves, &search(&halves, &Weights::NONE, bound), bound);
                    if !is_far && !precisely::is_far(&halves, bound) {
                        return unproved("nothing shows that it is as far as the bound");
                    }
                }
                DepthNode::Cut(plane) => {
                    let planes = std::slice::from_ref(plane);
                    open.extend([1, 0].map(|beyond| Open { common, planes, beyond }));
                }
                DepthNode::Divided { beyond, .. } | DepthNode::Enclosed { beyond, .. } => {
                    if !self.is_rest_covered(&mut halves, node, beyond, bound)? {
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

    /// The facets of the set that divides a node.
    fn facets_of(&mut self, node: &DepthNode) -> Result<&[Half], Trouble> {
        match node {
            DepthNode::Enclosed { void, .. } => match self.voids.get(*void as usize) {
                Some(facets) => Ok(facets),
                None => fault("the cover names a box that is not there yet"),
            },
            DepthNode::Divided { pieces, .. } => {
                if !self.facets.contains_key(pieces) {
                    let [of_a, of_b] = &self.pieces;
                    let (Some(p), Some(q)) = (of_a.get(pieces[0] as usize), of_b.get(pieces[1] as usize)) else {
                        return fault("the cover names a piece that is not there");
                    };
                    self.facets.insert(*pieces, facets(p, q, 2.0 * self.reach)?);
                }
                self.facets.get(pieces).map(Vec::as_slice).ok_or(Trouble::Unclear)
            }
            DepthNode::Far {} | DepthNode::Cut(_) => fault("nothing divides a node"),
        }
    }

    /// Is what is on the inner side of some planes in the set that divides a node, but for what is as far as the bound?
    fn is_rest_covered(
        &mut self,
        halves: &mut Vec<Half>,
        node: &DepthNode,
        beyond: &[u32],
        bound: f64,
    ) -> Result<bool, Trouble> {
        let known = search(halves, &Weights::NONE, bound);
        let own = halves.len();
        for &plane in beyond {
            let half = self.plane(plane)?;
            halves.push(half.complement());
        }
        let facets = self.facets_of(node)?;
        // Beyond the facet, on the inner side of the planes.
        let is_far = |halves: &mut Vec<Half>, facet: Half| {
            // Alone, or with a plane that is next to it.
            if facet.offset >= bound && are_proof(&[(facet, 1.0)], bound) {
                return true;
            }
            let is_opposite = |half: &&Half| {
                let apart: f64 = (0..3).map(|i| (half.normal[i] + facet.normal[i]).abs()).sum();
                // A filter only: opposite facets are proved to exclude each other by `are_proof`.
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
        // Once more, bounded by those that are far; where that leads nowhere, with exact weights.
        let is_far_precisely = |halves: &mut Vec<Half>, facet: Half| {
            halves.push(facet);
            let is_proved = precisely::is_far(halves, bound);
            halves.pop();
            is_proved
        };
        halves.extend(far.iter().map(|facet| facet.complement()));
        let mut is_precise = false;
        while !hard.is_empty() {
            let before = hard.len();
            let mut still = Vec::new();
            for facet in hard {
                if meter::is_exhausted() {
                    return Err(Trouble::Unclear);
                }
                if if is_precise { is_far_precisely(halves, facet) } else { is_far(halves, facet) } {
                    halves.push(facet.complement());
                } else {
                    still.push(facet);
                }
            }
            hard = still;
            if hard.len() == before && is_precise {
                break;
            }
            is_precise = hard.len() == before;
        }
        halves.truncate(own);
        Ok(hard.is_empty())
    }
}
