//! The walk over both trees, and the intersection test.

use super::boxes::{BoxFrames, Boxes4, in_a};
use super::rounding;
use crate::math::Frame;
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::triangles::{Corners, separating_axis};
use crate::shape::{Mesh, Triangle};
use crate::tree::{WIDE_LEVELS, WIDTH, WideNode, WideTree};
use arrayvec::ArrayVec;
use std::ops::ControlFlow;

/// A node, or a leaf: a few items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SubTree {
    /// The number of a node, or the place of the first item.
    pub first: u32,
    /// How many items; zero for a node.
    pub count: u8,
}

impl SubTree {
    pub const ROOT: Self = Self { first: 0, count: 0 };

    pub fn child(node: &WideNode, lane: usize) -> Self {
        Self { first: node.first[lane], count: node.count[lane] }
    }

    pub fn is_leaf(self) -> bool {
        self.count > 0
    }

    pub fn items(self, tree: &WideTree) -> &[u32] {
        &tree.items()[self.first as usize..self.first as usize + usize::from(self.count)]
    }
}

/// A pair on the stack. The box of a leaf is with its parent, so that it need not be kept: a leaf against a node is told by the box of
/// the leaf, which is here.
#[derive(Debug, Clone, Copy)]
struct SubTreePair {
    a: SubTree,
    b: SubTree,
    /// Where the boxes of leaves are: the parents' numbers and lanes.
    box_a: (u32, u8),
    box_b: (u32, u8),
}

/// Every level of either tree leaves fifteen pairs at most.
const STACK: usize = 2 * WIDE_LEVELS * (WIDTH * WIDTH - 1) + 1;

/// Walks all pairs of leaves whose boxes may share a point.
fn walk(
    trees: [&WideTree; 2],
    frames: &BoxFrames,
    mut leaves: impl FnMut(&[u32], &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let [a, b] = trees;
    if a.nodes().is_empty() || b.nodes().is_empty() {
        return ControlFlow::Continue(());
    }
    let mut stack = ArrayVec::<SubTreePair, STACK>::new();
    stack.push(SubTreePair { a: SubTree::ROOT, b: SubTree::ROOT, box_a: (0, 0), box_b: (0, 0) });
    while let Some(SubTreePair { a: at_a, b: at_b, box_a, box_b }) = stack.pop() {
        match (at_a.is_leaf(), at_b.is_leaf()) {
            (true, true) => leaves(at_a.items(a), at_b.items(b))?,
            (false, false) => {
                let (node_a, node_b) = (&a.nodes()[at_a.first as usize], &b.nodes()[at_b.first as usize]);
                let (of_a, of_b) = (Boxes4::of(node_a, frames.scales[0]), Boxes4::of(node_b, frames.scales[1]));
                let turned = frames.turned(&of_b);
                for i in (0..WIDTH).filter(|&i| node_a.has(i)) {
                    let mut bits = frames.may_meet(&of_a.only(i), &turned);
                    while bits != 0 {
                        let j = bits.trailing_zeros() as usize;
                        bits &= bits - 1;
                        stack.push(SubTreePair {
                            a: SubTree::child(node_a, i),
                            b: SubTree::child(node_b, j),
                            box_a: (at_a.first, i as u8),
                            box_b: (at_b.first, j as u8),
                        });
                    }
                }
            }
            (true, false) => {
                let parent = Boxes4::of(&a.nodes()[box_a.0 as usize], frames.scales[0]).only(usize::from(box_a.1));
                let node_b = &b.nodes()[at_b.first as usize];
                let turned = frames.turned(&Boxes4::of(node_b, frames.scales[1]));
                let mut bits = frames.may_meet(&parent, &turned);
                while bits != 0 {
                    let j = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let box_b = (at_b.first, j as u8);
                    stack.push(SubTreePair { a: at_a, b: SubTree::child(node_b, j), box_a, box_b });
                }
            }
            (false, true) => {
                let node_a = &a.nodes()[at_a.first as usize];
                let parent = Boxes4::of(&b.nodes()[box_b.0 as usize], frames.scales[1]);
                let turned = frames.turned(&parent).only(usize::from(box_b.1));
                let mut bits = frames.may_meet(&Boxes4::of(node_a, frames.scales[0]), &turned);
                while bits != 0 {
                    let i = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let box_a = (at_a.first, i as u8);
                    stack.push(SubTreePair { a: SubTree::child(node_a, i), b: at_b, box_a, box_b });
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Do two triangles in the frame of A meet, or come so close that nothing tells?
pub(super) fn meet(a: &Corners, b: &Corners, rounding: f64) -> bool {
    separating_axis(a, b, rounding).is_none() && {
        let [a, b] = [a, b].map(|t| Triangle::new(t[0], t[1], t[2]));
        match (a, b) {
            (Ok(a), Ok(b)) => {
                let found = gjk::distance_up_to::<crate::narrow::simplex::SignedVolumes, _, _>(
                    &a,
                    &b,
                    &Frame::IDENTITY,
                    2.0 * rounding,
                    &mut WarmSimplex::default(),
                );
                found.lower <= 2.0 * rounding
            }
            // Coordinates beyond all bounds; nothing is proved.
            _ => true,
        }
    }
}

/// Do the surfaces of two meshes share a point?
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance::narrow::meshes;
/// use clearance::shape::Mesh;
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let at = |z: f64| Frame::relative(&Pose::IDENTITY, &Pose::from_translation([0.0, 0.0, z]));
/// assert!(meshes::intersects(&mesh, &mesh, &at(0.9)) && !meshes::intersects(&mesh, &mesh, &at(1.1)));
/// assert!(meshes::crossing_triangles(&mesh, &mesh, &at(1.1)).is_empty());
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn intersects(a: &Mesh, b: &Mesh, b_in_a: &Frame) -> bool {
    let frames = BoxFrames::new(a.tree(), b.tree(), b_in_a);
    let rounding = rounding(a, b, b_in_a);
    walk([a.tree(), b.tree()], &frames, |of_a, of_b| {
        for &j in of_b {
            let in_a = in_a(b_in_a, b.corners(j));
            for &i in of_a {
                if meet(&a.corners(i), &in_a, rounding) {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    })
    .is_break()
}

/// All pairs of triangles that share a point, sorted.
#[must_use]
pub fn crossing_triangles(a: &Mesh, b: &Mesh, b_in_a: &Frame) -> Vec<[u32; 2]> {
    let frames = BoxFrames::new(a.tree(), b.tree(), b_in_a);
    let rounding = rounding(a, b, b_in_a);
    let mut found = Vec::new();
    let _ = walk([a.tree(), b.tree()], &frames, |of_a, of_b| {
        for &j in of_b {
            let in_a = in_a(b_in_a, b.corners(j));
            found.extend(of_a.iter().filter(|&&i| meet(&a.corners(i), &in_a, rounding)).map(|&i| [i, j]));
        }
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}
