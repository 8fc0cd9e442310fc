//! Two bodies that are not convex, each a hierarchy of convex hulls ([`HullBody`]), with oriented boxes for leaves that cannot be decomposed.
//!
//! V-Clip's package (section 1.4 of its paper), the two-phase paper (section 3.4) and the thesis on separating vectors (section 5.6) describe it. The hierarchy is the
//! library's; here two leaves that are shells of triangles are tested by trees of oriented boxes, as the thesis has it, and the tests of boxes are counted.

use crate::rapid::ObbTree;
use clearance::math::Frame;
use clearance::pair::HullBody;
use clearance::shape::{Mesh, Polytope};
use clearance::{Engine, Pose, Shape, pair};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A hierarchy over convex pieces and over shells, which have only their surface.
///
/// # Panics
///
/// If there is neither a piece nor a shell.
#[must_use]
pub fn body(pieces: Vec<Polytope>, shells: &[Arc<Mesh>]) -> HullBody {
    let pieces = pieces.into_iter().map(|piece| Shape::Polytope(Arc::new(piece)));
    HullBody::new(pieces.chain(shells.iter().map(|shell| Shape::Mesh(Arc::clone(shell))))).expect("pieces")
}

/// Two bodies that move: their hierarchies, and what is kept of every pair of nodes.
#[derive(Debug)]
pub struct HullPair<'a> {
    nodes: pair::HullPair,
    boxes: [BTreeMap<u32, ObbTree<'a>>; 2],
    box_tests: u64,
}

impl<'a> HullPair<'a> {
    /// A pair that remembers nothing yet.
    #[must_use]
    pub fn new(a: &'a HullBody, b: &'a HullBody, engine: Engine) -> Self {
        let boxes = |body: &'a HullBody| body.meshes().map(|(node, shell)| (node, ObbTree::new(shell))).collect();
        Self { nodes: pair::HullPair::new(a, b).engine(engine), boxes: [boxes(a), boxes(b)], box_tests: 0 }
    }

    /// Calls of the narrow phase so far: of an engine for two nodes, or of two trees of oriented boxes.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.nodes.calls()
    }

    /// Tests of two oriented boxes so far.
    #[must_use]
    pub fn box_tests(&self) -> u64 {
        self.box_tests
    }

    /// Pairs of nodes for which something is kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.nodes.kept()
    }

    /// Do the bodies share a point?
    pub fn intersects(&mut self, pose_a: Pose, pose_b: Pose) -> bool {
        let Self { nodes, boxes, box_tests } = self;
        nodes.intersects_by(pose_a, pose_b, |[i, j]| {
            let (a, b) = (boxes[0].get(&i)?, boxes[1].get(&j)?);
            let answer = a.intersects(b, &Frame::relative(&pose_a, &pose_b));
            *box_tests += answer.box_tests as u64;
            Some(answer.meet)
        })
    }

    /// Bounds of the distance.
    pub fn distance(&mut self, pose_a: Pose, pose_b: Pose) -> [f64; 2] {
        self.nodes.distance(pose_a, pose_b)
    }

    /// A lower bound of the distance, by hulls, from one call.
    pub fn at_least(&mut self, pose_a: Pose, pose_b: Pose) -> f64 {
        self.nodes.at_least(pose_a, pose_b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::decompose::{DecompositionBudget, decompose};
    use clearance::internals::decompose::Children;
    use clearance::math::DVec3;
    use clearance::{distance, intersects};
    use clearance_lab::meshes::{glyph, torus};
    use clearance_lab::{Rng, random};

    /// All pairs of leaves: do any meet, and the least distance.
    fn brute(bodies: [&HullBody; 2], poses: [Pose; 2]) -> (bool, [f64; 2]) {
        let leaves = |body: &HullBody| {
            let mesh =
                |node: u32| body.meshes().find(|(of, _)| *of == node).map(|(_, mesh)| Shape::Mesh(Arc::clone(mesh)));
            let is_leaf = |node: &u32| matches!(body.tree().nodes()[*node as usize].below, Children::Piece(_));
            (0..body.tree().nodes().len() as u32)
                .filter(is_leaf)
                .map(|node| mesh(node).unwrap_or_else(|| body.tree().shape(node)))
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
        let [a, b] = [body(pieces('C'), &[]), body(pieces('T'), &[Arc::clone(&ring)])];
        let c = body(Vec::new(), &[ring]);
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
}
