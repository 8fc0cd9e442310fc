//! Bodies that are not convex as hierarchies of convex hulls: do two of them meet, and how far apart are they?
//!
//! V-Clip's package (paper \[VC\], section 1.4), the two-phase paper (\[TP\], section 3.4) and Q-COLLIDE (\[QC\], section 5.6) have them: a pair of nodes whose hulls are
//! apart is pruned with all that is below it. Of two hulls that are not apart, the larger one is replaced by its children. A leaf is a convex piece or a mesh.
//!
//! Each pair of nodes that was visited keeps its [`Pair`]. So the next frame starts there from the closest features, or the separating vector, of this one, and two
//! bodies whose hulls are apart cost one call. A [compound](crate::Shape::compound) of the same pieces has a tree of boxes and remembers the parts that met; it takes part in all
//! queries and in worlds.
//!
//! **Invariants.** A node contains its children, so the distance of two nodes is never more than that of any nodes below. Caches change work, never an answer.

use super::{Engine, Pair};
use crate::decompose::{Children, DecompositionBudget, HullTree, decompose};
use crate::error::BuildError;
use crate::math::{LeastFirst, Pose, QueueItem, Total};
use crate::shape::polytope::convex_hull;
use crate::shape::{Mesh, Polytope, Shape};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

/// A body as a hierarchy of hulls; cloning it is cheap.
#[derive(Debug, Clone)]
pub struct HullBody(Arc<BodyNodes>);

#[derive(Debug)]
struct BodyNodes {
    tree: HullTree,
    /// By node: the leaves that are meshes.
    meshes: BTreeMap<u32, Arc<Mesh>>,
}

impl HullBody {
    /// A hierarchy over convex polytopes and meshes. A mesh that is no solid has only its surface.
    ///
    /// # Errors
    ///
    /// If there is no part, or one that is neither a polytope nor a mesh.
    ///
    /// ```
    /// use clearance::pair::{HullBody, HullPair};
    /// use clearance::{Pose, Shape};
    ///
    /// let cube = |at: f64| Shape::hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(|i| [at + f64::from(i & 1), f64::from(i / 2 % 2), f64::from(i / 4)]));
    /// let comb = HullBody::new([cube(0.0)?, cube(4.0)?, cube(8.0)?])?;
    /// let mut pair = HullPair::new(&comb, &comb);
    /// // Beside each other one call of the roots is enough.
    /// assert!(!pair.intersects(Pose::IDENTITY, Pose::from_translation([0.0, 0.0, 1.5])));
    /// assert_eq!(pair.calls(), 1);
    /// // The teeth of one are in the gaps of the other.
    /// let [lower, upper] = pair.distance(Pose::IDENTITY, Pose::from_translation([1.5, 0.0, 0.0]));
    /// assert!(lower <= 0.5 && 0.5 <= upper && upper - lower < 1e-12);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn new(parts: impl IntoIterator<Item = Shape>) -> Result<Self, BuildError> {
        let (mut pieces, mut of_part) = (Vec::new(), Vec::new());
        for part in parts {
            let (piece, mesh) = match part {
                Shape::Polytope(polytope) => (Polytope::clone(&polytope), None),
                Shape::Mesh(mesh) => (convex_hull(mesh.vertices())?, Some(mesh)),
                other => {
                    let reason = "a hierarchy of hulls has polytopes and meshes; give the hull of its points";
                    return Err(BuildError::WrongKind { field: "parts".into(), kind: other.kind(), reason });
                }
            };
            pieces.push(piece);
            of_part.push(mesh);
        }
        let tree = HullTree::new(pieces)?;
        let meshes = (0..).zip(of_part).filter_map(|(part, mesh)| Some((tree.leaf(part), mesh?))).collect();
        Ok(Self(Arc::new(BodyNodes { tree, meshes })))
    }

    /// A hierarchy over convex pieces that cover a solid, exactly where [`decompose`] finds them.
    ///
    /// # Errors
    ///
    /// If there is no piece, since the mesh is no solid.
    pub fn of_mesh(mesh: &Mesh, budget: DecompositionBudget) -> Result<Self, BuildError> {
        Self::of_pieces(decompose(mesh, budget).outer)
    }

    /// A hierarchy over convex pieces.
    ///
    /// # Errors
    ///
    /// If there is no piece.
    pub fn of_pieces(pieces: impl IntoIterator<Item = Polytope>) -> Result<Self, BuildError> {
        HullTree::new(pieces).map(Self::of_tree)
    }

    #[doc(hidden)]
    #[must_use]
    pub fn of_tree(tree: HullTree) -> Self {
        Self(Arc::new(BodyNodes { tree, meshes: BTreeMap::new() }))
    }

    #[doc(hidden)]
    #[must_use]
    pub fn tree(&self) -> &HullTree {
        &self.0.tree
    }

    #[doc(hidden)]
    pub fn meshes(&self) -> impl Iterator<Item = (u32, &Arc<Mesh>)> {
        self.0.meshes.iter().map(|(&node, mesh)| (node, mesh))
    }

    /// How many leaves there are.
    #[must_use]
    pub fn leaf_count(&self) -> usize {
        self.tree().nodes().len().div_ceil(2)
    }

    fn children(&self, node: u32) -> Option<[u32; 2]> {
        match self.tree().nodes()[node as usize].below {
            Children::Nodes(nodes) => Some(nodes),
            Children::Piece(_) => None,
        }
    }

    fn radius(&self, node: u32) -> f64 {
        self.tree().nodes()[node as usize].hull.bounding_radius()
    }

    /// The shape by which a node is tested: its hull, also for a mesh, until both nodes are leaves.
    fn shape(&self, node: u32, is_last: bool) -> Shape {
        match self.0.meshes.get(&node) {
            Some(mesh) if is_last => Shape::Mesh(Arc::clone(mesh)),
            _ => self.tree().shape(node),
        }
    }
}

/// Two bodies that move: their hierarchies, and the warm start of each pair of nodes. See [`HullBody`].
#[derive(Debug)]
pub struct HullPair {
    bodies: [HullBody; 2],
    engine: Engine,
    pairs: FxHashMap<[u32; 2], Pair>,
    /// The leaves that met last.
    witness: Option<[u32; 2]>,
    /// Buffer.
    open: Vec<[u32; 2]>,
    calls: u64,
}

/// A pair of nodes in order of its lower bound, the least first.
struct OpenNodes {
    lower: f64,
    upper: f64,
    nodes: [u32; 2],
}

impl QueueItem for OpenNodes {
    // Node numbers break ties, so that every run has one order.
    type Key = (Total, [u32; 2]);

    fn key(&self) -> Self::Key {
        (Total(self.lower), self.nodes)
    }
}

impl HullPair {
    /// A pair that remembers nothing yet.
    #[must_use]
    pub fn new(a: &HullBody, b: &HullBody) -> Self {
        Self {
            bodies: [a.clone(), b.clone()],
            engine: Engine::Auto,
            pairs: FxHashMap::default(),
            witness: None,
            open: Vec::new(),
            calls: 0,
        }
    }

    /// This pair with another engine for the nodes.
    #[must_use]
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine, pairs: FxHashMap::default(), ..self }
    }

    /// Calls of the narrow phase so far: of an engine for two nodes.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Pairs of nodes for which something is kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.pairs.len()
    }

    /// Do the bodies share a point? One call says no where the hulls of the bodies are apart; else the leaves that met last are tested next.
    pub fn intersects(&mut self, pose_a: Pose, pose_b: Pose) -> bool {
        self.intersects_by(pose_a, pose_b, |_| None)
    }

    /// [`HullPair::intersects`] with a test of one's own for two leaves, which counts as a call where it has an answer.
    #[doc(hidden)]
    pub fn intersects_by(
        &mut self,
        pose_a: Pose,
        pose_b: Pose,
        mut leaves: impl FnMut([u32; 2]) -> Option<bool>,
    ) -> bool {
        let last = self.witness.take();
        if !self.meet([0, 0], pose_a, pose_b, &mut leaves) {
            return false;
        }
        let Some(next) = self.below([0, 0]) else { return true };
        if let Some(nodes) = last
            && self.meet(nodes, pose_a, pose_b, &mut leaves)
        {
            self.witness = last;
            return true;
        }
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        open.extend(next);
        while let Some(nodes) = open.pop() {
            if Some(nodes) == last || !self.meet(nodes, pose_a, pose_b, &mut leaves) {
                continue;
            }
            match self.below(nodes) {
                Some(next) => open.extend(next),
                None => {
                    self.witness = Some(nodes);
                    break;
                }
            }
        }
        self.open = open;
        self.witness.is_some()
    }

    /// Certified bounds of the distance: that of the closest leaves (formula 7 of \[TP\]), zero if two meet. Pairs of nodes are visited in the order of their lower
    /// bounds, so none is visited that is farther than the answer.
    pub fn distance(&mut self, pose_a: Pose, pose_b: Pose) -> [f64; 2] {
        let mut open = BinaryHeap::new();
        let first = self.bounds([0, 0], pose_a, pose_b);
        open.push(LeastFirst(first));
        // The closest leaves found so far. A lower bound of the answer is the least of all that is open and of these.
        let mut best = [f64::INFINITY; 2];
        while let Some(LeastFirst(OpenNodes { lower, upper, nodes })) = open.pop() {
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
                            open.push(LeastFirst(found));
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
        let [a, b] = &self.bodies;
        let of_a = a.children(i).map(|own| own.map(|node| [node, j]));
        let of_b = b.children(j).map(|own| own.map(|node| [i, node]));
        if of_b.is_none() || a.radius(i) >= b.radius(j) { of_a.or(of_b) } else { of_b }
    }

    fn is_last(&self, [i, j]: [u32; 2]) -> bool {
        self.bodies[0].children(i).is_none() && self.bodies[1].children(j).is_none()
    }

    fn pair(&mut self, nodes: [u32; 2]) -> &mut Pair {
        let is_last = self.is_last(nodes);
        let Self { bodies: [a, b], engine, pairs, .. } = self;
        pairs
            .entry(nodes)
            .or_insert_with(|| Pair::new(&a.shape(nodes[0], is_last), &b.shape(nodes[1], is_last)).engine(*engine))
    }

    fn meet(
        &mut self,
        nodes: [u32; 2],
        pose_a: Pose,
        pose_b: Pose,
        leaves: &mut impl FnMut([u32; 2]) -> Option<bool>,
    ) -> bool {
        self.calls += 1;
        if self.is_last(nodes)
            && let Some(answer) = leaves(nodes)
        {
            return answer;
        }
        self.pair(nodes).intersects(pose_a, pose_b)
    }

    fn bounds(&mut self, nodes: [u32; 2], pose_a: Pose, pose_b: Pose) -> OpenNodes {
        self.calls += 1;
        let found = self.pair(nodes).distance(pose_a, pose_b);
        OpenNodes { lower: found.lower.max(0.0), upper: found.upper.max(0.0), nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{distance, intersects};
    use glam::{DQuat, DVec3};

    fn cube(at: DVec3, half: f64) -> Shape {
        let corner = |i: u32| {
            at + half
                * DVec3::new(
                    f64::from(i & 1) * 2.0 - 1.0,
                    f64::from(i / 2 % 2) * 2.0 - 1.0,
                    f64::from(i / 4) * 2.0 - 1.0,
                )
        };
        Shape::hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
    }

    /// A frame of cubes and a sheet of two triangles.
    fn parts(rng: &mut fastrand::Rng) -> Vec<Shape> {
        let mut number = || 3.0 * (2.0 * rng.f64() - 1.0);
        let mut parts: Vec<Shape> = (0..9).map(|_| cube(DVec3::new(number(), number(), number()), 0.4)).collect();
        let corners = [[0.0, 0.0, 4.0], [3.0, 0.0, 4.5], [3.0, 3.0, 4.0], [0.0, 3.0, 4.5]];
        parts.push(Shape::mesh(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap());
        parts
    }

    /// Every engine gives the answer of all pairs of leaves, cold and warm; and needs fewer calls.
    #[test]
    fn answers_are_those_of_all_pairs_of_leaves() {
        let mut rng = fastrand::Rng::with_seed(14);
        let (mut met, mut apart, mut calls, mut all) = (0, 0, 0, 0);
        for engine in [Engine::Auto, Engine::VClip, Engine::SeparatingVector] {
            let [a, b] = [parts(&mut rng), parts(&mut rng)];
            let bodies = [&a, &b].map(|parts| HullBody::new(parts.iter().cloned()).unwrap());
            let mut pair = HullPair::new(&bodies[0], &bodies[1]).engine(engine);
            for step in 0..40 {
                let turn = DQuat::from_rotation_y(0.1 * f64::from(step));
                let pose = Pose::new(DVec3::new(9.0 - 0.25 * f64::from(step), 0.3, 0.2), turn);
                let every = || a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
                let meet = every().any(|(x, y)| intersects(x, Pose::IDENTITY, y, pose));
                let gaps = every().map(|(x, y)| distance(x, Pose::IDENTITY, y, pose));
                let [lower, upper] = gaps.fold([f64::INFINITY; 2], |[low, high], gap| {
                    [low.min(gap.lower.max(0.0)), high.min(gap.upper.max(0.0))]
                });
                let before = pair.calls();
                assert_eq!(pair.intersects(Pose::IDENTITY, pose), meet, "{engine:?} {step}");
                calls += pair.calls() - before;
                all += (a.len() * b.len()) as u64;
                let found = pair.distance(Pose::IDENTITY, pose);
                assert!(found[0] <= upper && lower <= found[1] && found[1] - found[0] < 1e-9, "{engine:?} {found:?}");
                assert!(pair.at_least(Pose::IDENTITY, pose) <= found[1]);
                let cold = HullPair::new(&bodies[1], &bodies[0]).intersects(pose, Pose::IDENTITY);
                assert_eq!(cold, meet);
                *(if meet { &mut met } else { &mut apart }) += 1;
            }
        }
        assert!(met > 10 && apart > 10 && 4 * calls < all, "{met} {apart} {calls} {all}");
    }

    #[test]
    fn other_parts_are_refused() {
        assert!(HullBody::new([]).is_err() && HullBody::new([Shape::point()]).is_err());
        let sheet = Shape::mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap();
        assert!(HullBody::of_mesh(sheet.as_mesh().unwrap(), DecompositionBudget::default()).is_err());
        assert!(HullBody::new([sheet]).is_ok_and(|body| body.leaf_count() == 1));
    }
}
