//! Two bodies that are not convex, each a hierarchy of convex hulls: do they meet, and how far apart are they?
//!
//! V-Clip's package (section 1.4 of its paper), the two-phase paper (section 3.4) and the thesis on separating vectors (section 5.6) describe one: a pair of nodes
//! whose hulls are apart is pruned with all that is below it; of two hulls that are not, the larger one is replaced by its children. A leaf is a convex piece, or a
//! shell of triangles that cannot be decomposed, for which there is a tree of oriented boxes.
//!
//! Every pair of nodes that was visited keeps its [`Pair`], so that the next frame starts there from the closest features, or the separating vector, of this one.
//! The engine of the nodes is chosen by the caller.
//!
//! Invariants: a node contains its children, so the distance of two nodes is never more than that of any nodes below; caches change work, never an answer.

use crate::rapid::ObbTree;
use clearance::internals::decompose::{Children, HullTree};
use clearance::internals::hull::convex_hull;
use clearance::math::Frame;
use clearance::shape::{Mesh, Polytope};
use clearance::{BuildError, Engine, Pair, Pose, Shape};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::Arc;

/// A body as a hierarchy of hulls.
#[derive(Debug, Clone)]
pub struct HullBody {
    tree: HullTree,
    /// The shapes of the nodes: hulls, but for the shells.
    shapes: Vec<Shape>,
    /// By node.
    shells: BTreeMap<u32, Arc<Mesh>>,
}

impl HullBody {
    /// A hierarchy over convex pieces and over shells, which have only their surface.
    ///
    /// # Errors
    ///
    /// If there is neither a piece nor a shell, or if a shell has no hull.
    pub fn new(pieces: Vec<Polytope>, shells: &[Arc<Mesh>]) -> Result<Self, BuildError> {
        let first_shell = pieces.len() as u32;
        let mut leaves = pieces;
        for shell in shells {
            leaves.push(convex_hull(shell.vertices())?);
        }
        let tree = HullTree::new(leaves)?;
        let mut shapes: Vec<Shape> = (0..tree.nodes().len() as u32).map(|node| tree.shape(node)).collect();
        let mut by_node = BTreeMap::new();
        for (piece, shell) in (first_shell..).zip(shells) {
            let node = tree.leaf(piece);
            shapes[node as usize] = Shape::Mesh(Arc::clone(shell));
            by_node.insert(node, Arc::clone(shell));
        }
        Ok(Self { tree, shapes, shells: by_node })
    }

    /// A hierarchy that exists, of pieces alone.
    #[must_use]
    pub fn of_tree(tree: HullTree) -> Self {
        let shapes = (0..tree.nodes().len() as u32).map(|node| tree.shape(node)).collect();
        Self { tree, shapes, shells: BTreeMap::new() }
    }

    /// The hierarchy of the hulls.
    #[must_use]
    pub fn tree(&self) -> &HullTree {
        &self.tree
    }

    /// How many leaves it has.
    #[must_use]
    pub fn leaf_count(&self) -> usize {
        self.tree.nodes().len().div_ceil(2)
    }

    fn children(&self, node: u32) -> Option<[u32; 2]> {
        match self.tree.nodes()[node as usize].below {
            Children::Nodes(nodes) => Some(nodes),
            Children::Piece(_) => None,
        }
    }

    fn radius(&self, node: u32) -> f64 {
        self.tree.nodes()[node as usize].hull.bounding_radius()
    }

    /// The shape by which a node is tested: its hull, also for a shell, until both nodes are leaves.
    fn shape(&self, node: u32, is_last: bool) -> Shape {
        if is_last { self.shapes[node as usize].clone() } else { self.tree.shape(node) }
    }
}

/// Two bodies that move: their hierarchies, and what is kept of every pair of nodes.
///
/// ```
/// use clearance::math::DVec3;
/// use clearance::internals::hull::convex_hull;
/// use clearance::{Engine, Pose};
/// use clearance_papers::hull_pair::{HullBody, HullPair};
///
/// let cube = |at: f64| convex_hull(&(0..8).map(|i| DVec3::new(at + (i & 1) as f64, (i / 2 % 2) as f64, (i / 4) as f64)).collect::<Vec<_>>());
/// let body = HullBody::new(vec![cube(0.0)?, cube(4.0)?, cube(8.0)?], &[])?;
/// let mut pair = HullPair::new(&body, &body, Engine::VClip);
/// // Beside each other one call of the roots is enough.
/// assert!(!pair.intersects(Pose::IDENTITY, Pose::from_translation([0.0, 0.0, 1.5])));
/// assert_eq!(pair.calls(), 1);
/// // The pieces of one are in the gaps of the other.
/// let [lower, upper] = pair.distance(Pose::IDENTITY, Pose::from_translation([1.5, 0.0, 0.0]));
/// assert!(lower <= 0.5 && 0.5 <= upper && upper - lower < 1e-12);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug)]
pub struct HullPair<'a> {
    bodies: [&'a HullBody; 2],
    engine: Engine,
    pairs: HashMap<[u32; 2], Pair>,
    boxes: [BTreeMap<u32, ObbTree<'a>>; 2],
    /// The leaves that met last.
    witness: Option<[u32; 2]>,
    calls: u64,
    box_tests: u64,
}

/// A pair of nodes in order of the distance that it has at least, the least first.
struct Open {
    lower: f64,
    upper: f64,
    nodes: [u32; 2],
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of a heap that has its largest first. Nodes settle ties, so that the order is the same on every run.
        other.lower.total_cmp(&self.lower).then_with(|| other.nodes.cmp(&self.nodes))
    }
}

impl<'a> HullPair<'a> {
    /// A pair that remembers nothing yet.
    #[must_use]
    pub fn new(a: &'a HullBody, b: &'a HullBody, engine: Engine) -> Self {
        let boxes = |body: &'a HullBody| body.shells.iter().map(|(&node, shell)| (node, ObbTree::new(shell))).collect();
        Self {
            bodies: [a, b],
            engine,
            pairs: HashMap::new(),
            boxes: [boxes(a), boxes(b)],
            witness: None,
            calls: 0,
            box_tests: 0,
        }
    }

    /// Calls of the narrow phase so far: of an engine for two nodes, or of two trees of oriented boxes.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Tests of two oriented boxes so far.
    #[must_use]
    pub fn box_tests(&self) -> u64 {
        self.box_tests
    }

    /// Pairs of nodes for which something is kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.pairs.len()
    }

    /// Do the bodies share a point? One call says no where the hulls of the bodies are apart; else the leaves that met last are tested next.
    pub fn intersects(&mut self, pose_a: Pose, pose_b: Pose) -> bool {
        let last = self.witness.take();
        if !self.meet([0, 0], pose_a, pose_b) {
            return false;
        }
        let Some(next) = self.below([0, 0]) else { return true };
        if let Some(nodes) = last
            && self.meet(nodes, pose_a, pose_b)
        {
            self.witness = last;
            return true;
        }
        let mut open = next.to_vec();
        while let Some(nodes) = open.pop() {
            if Some(nodes) == last || !self.meet(nodes, pose_a, pose_b) {
                continue;
            }
            match self.below(nodes) {
                Some(next) => open.extend(next),
                None => {
                    self.witness = Some(nodes);
                    return true;
                }
            }
        }
        false
    }

    /// Bounds of the distance: that of the closest leaves (formula 7 of the two-phase paper), zero if two meet. Pairs of nodes are visited in the order of their lower
    /// bounds, so none is visited that is farther than the answer.
    pub fn distance(&mut self, pose_a: Pose, pose_b: Pose) -> [f64; 2] {
        let mut open = BinaryHeap::new();
        let first = self.bounds([0, 0], pose_a, pose_b);
        open.push(first);
        // The closest leaves found so far. A lower bound of the answer is the least of all that is open and of these.
        let mut best = [f64::INFINITY; 2];
        while let Some(Open { lower, upper, nodes }) = open.pop() {
            if lower >= best[1] {
                // Nothing that is open is closer.
                return [best[0].min(lower), best[1]];
            }
            match self.below(nodes) {
                None => best = [best[0].min(lower), best[1].min(upper)],
                Some(next) => {
                    for nodes in next {
                        let mut found = self.bounds(nodes, pose_a, pose_b);
                        // Containment: not closer than the nodes above.
                        found.lower = found.lower.max(lower);
                        if found.lower < best[1] {
                            open.push(found);
                        }
                    }
                }
            }
        }
        best
    }

    /// A lower bound of the distance, by hulls, from one call.
    pub fn at_least(&mut self, pose_a: Pose, pose_b: Pose) -> f64 {
        self.bounds([0, 0], pose_a, pose_b).lower
    }

    /// The pairs of nodes below one: the larger node is replaced. `None` for two leaves.
    fn below(&self, [i, j]: [u32; 2]) -> Option<[[u32; 2]; 2]> {
        let [a, b] = self.bodies;
        match (a.children(i), b.children(j)) {
            (None, None) => None,
            (Some(own), other) if other.is_none() || a.radius(i) >= b.radius(j) => Some(own.map(|node| [node, j])),
            (_, Some(other)) => Some(other.map(|node| [i, node])),
            (Some(_), None) => unreachable!("the arm above has it"),
        }
    }

    fn is_last(&self, [i, j]: [u32; 2]) -> bool {
        self.bodies[0].children(i).is_none() && self.bodies[1].children(j).is_none()
    }

    fn pair(&mut self, nodes: [u32; 2]) -> &mut Pair {
        let is_last = self.is_last(nodes);
        let ([a, b], engine) = (self.bodies, self.engine);
        self.pairs
            .entry(nodes)
            .or_insert_with(|| Pair::new(&a.shape(nodes[0], is_last), &b.shape(nodes[1], is_last)).engine(engine))
    }

    fn meet(&mut self, nodes: [u32; 2], pose_a: Pose, pose_b: Pose) -> bool {
        self.calls += 1;
        if self.is_last(nodes)
            && let (Some(a), Some(b)) = (self.boxes[0].get(&nodes[0]), self.boxes[1].get(&nodes[1]))
        {
            let answer = a.intersects(b, &Frame::relative(&pose_a, &pose_b));
            self.box_tests += answer.box_tests as u64;
            return answer.meet;
        }
        self.pair(nodes).intersects(pose_a, pose_b)
    }

    fn bounds(&mut self, nodes: [u32; 2], pose_a: Pose, pose_b: Pose) -> Open {
        self.calls += 1;
        let found = self.pair(nodes).distance(pose_a, pose_b);
        Open { lower: found.lower.max(0.0), upper: found.upper.max(0.0), nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::decompose::{DecompositionBudget, decompose};
    use clearance::math::DVec3;
    use clearance::{distance, intersects};
    use clearance_lab::meshes::{glyph, torus};
    use clearance_lab::{Rng, random};

    /// All pairs of leaves: do any meet, and the least distance.
    fn brute(bodies: [&HullBody; 2], poses: [Pose; 2]) -> (bool, [f64; 2]) {
        let leaves = |body: &HullBody| {
            let is_leaf = |node: &u32| body.children(*node).is_none();
            (0..body.tree.nodes().len() as u32)
                .filter(is_leaf)
                .map(|node| body.shapes[node as usize].clone())
                .collect::<Vec<_>>()
        };
        let [a, b] = bodies.map(leaves);
        let (mut meet, mut bounds) = (false, [f64::INFINITY; 2]);
        for x in &a {
            for y in &b {
                meet |= intersects(x, poses[0], y, poses[1]);
                let found = distance(x, poses[0], y, poses[1]);
                bounds = [bounds[0].min(found.lower.max(0.0)), bounds[1].min(found.upper.max(0.0))];
            }
        }
        (meet, bounds)
    }

    /// Every engine gives the answer of all pairs of leaves, pieces and shells, cold and warm, swapped, and after a common motion; and needs fewer calls.
    #[test]
    fn answers_are_those_of_all_pairs_of_leaves() {
        let pieces = |letter: char| decompose(&glyph(letter).mesh(), DecompositionBudget::default()).outer;
        let ring = Arc::new(torus(8, 5, 0.8, 0.2).mesh());
        let [a, b] = [HullBody::new(pieces('C'), &[]), HullBody::new(pieces('T'), &[Arc::clone(&ring)])]
            .map(|body| body.expect("pieces"));
        let c = HullBody::new(Vec::new(), &[ring]).expect("a shell");
        let mut rng = Rng::with_seed(56);
        let [mut met, mut apart, mut calls, mut all] = [0; 4];
        for (x, y) in [(&a, &b), (&b, &b), (&b, &c)] {
            for engine in [Engine::Auto, Engine::VClip, Engine::SeparatingVector] {
                let mut pair = HullPair::new(x, y, engine);
                let start = random::direction(&mut rng) * 4.0;
                for step in 0..12 {
                    let pose = Pose::new(start * (1.0 - 0.09 * f64::from(step)), random::rotation(&mut rng));
                    let (meet, bounds) = brute([x, y], [Pose::IDENTITY, pose]);
                    let before = pair.calls();
                    assert_eq!(pair.intersects(Pose::IDENTITY, pose), meet, "{engine:?} {step}");
                    calls += pair.calls() - before;
                    all += (x.leaf_count() * y.leaf_count()) as u64;
                    let found = pair.distance(Pose::IDENTITY, pose);
                    let slack = 1e-9;
                    assert!(
                        found[0] <= bounds[1] + slack && bounds[0] <= found[1] + slack,
                        "{engine:?} {step} {found:?} {bounds:?}"
                    );
                    assert!(found[1] - found[0] < 1e-6, "{engine:?} {step} {found:?}");
                    assert!(pair.at_least(Pose::IDENTITY, pose) <= found[1]);
                    // Swapped, cold, and carried elsewhere.
                    let mut swapped = HullPair::new(y, x, engine);
                    assert_eq!(swapped.intersects(pose, Pose::IDENTITY), meet);
                    let away = Pose::from_translation(DVec3::new(1.0, -2.0, 0.5));
                    let moved = Pose::new(pose.translation() + away.translation(), pose.rotation());
                    let carried = HullPair::new(x, y, engine).distance(away, moved);
                    assert!((carried[1] - found[1]).abs() < 1e-6, "{carried:?} {found:?}");
                    met += u64::from(meet);
                    apart += u64::from(!meet);
                }
            }
        }
        assert!(met > 10 && apart > 10 && calls < all, "{met} {apart} {calls} {all}");
    }

    #[test]
    fn a_body_without_leaves_is_refused() {
        assert!(HullBody::new(Vec::new(), &[]).is_err());
    }
}
