//! Cells of directions as evidence for a depth: the tree of a finished search.
//!
//! Where two shapes are nearly symmetric, no surface of reasonable size comes close enough to that of A - B. The search by cells
//! (`narrow/depth/cells`) proves such depths. The checker repeats its bounds from the tree alone, and any numbers in the tree give true bounds.

use super::member::ProvableCore;
use crate::math::Frame;
use crate::narrow::depth::cells::Cells;
use crate::trace::{CellNode, PieceMean};
use crate::tuning::proof::CELL_WORK;
use clearance_verify::{Mix, Node};
use glam::DVec3;

/// The tree of a finished search.
pub(super) struct CellTree {
    /// The axis, where the latitude is a quarter turn; in the frame of A.
    pub axis: DVec3,
    /// Where longitude and latitude are zero.
    pub side: DVec3,
    pub nodes: Vec<Node>,
    /// The direction of least overlap.
    pub direction: DVec3,
}

/// The tree that proves that no direction has a height of A - B below `needed`, if one is found. `toward` is a direction of
/// about the least height.
pub(super) fn around_origin(
    a: &ProvableCore<'_>,
    b: &ProvableCore<'_>,
    b_in_a: &Frame,
    toward: DVec3,
    needed: f64,
) -> Option<CellTree> {
    let scale = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
    let cells = Cells::new(a.core(), b.core(), b_in_a, scale)?;
    let height = |n: DVec3| super::nearest::separation(a, b, b_in_a, n);
    for axes in cells.axes() {
        // First to the least height; then a goal that leaves the checker a fifth of the difference for its own rounding.
        let least = -height(cells.about(axes, toward, 1e-13 * scale, 0, &mut ()).0.direction);
        let goal = 0.8 * (least - needed);
        if !(goal > 0.0) {
            continue;
        }
        let mut nodes = Vec::new();
        let (found, is_closed) = cells.about(axes, toward, goal, CELL_WORK, &mut nodes);
        if is_closed && found.inner > needed {
            let nodes = nodes.iter().map(|node| written(node, [a, b])).collect();
            return Some(CellTree { axis: axes.z_axis, side: axes.x_axis, nodes, direction: found.direction });
        }
    }
    None
}

/// A node as the checker takes it.
fn written(node: &CellNode, sides: [&ProvableCore<'_>; 2]) -> Node {
    match node {
        CellNode::Longitude(at) => Node::Longitude(*at),
        CellNode::Latitude(at) => Node::Latitude(*at),
        CellNode::Plane([a, b]) => Node::Plane { a: sides[0].number(*a as u32), b: sides[1].number(*b as u32) },
        CellNode::Strip { at, mixes, lines } => {
            Node::Strip { at: *at, mixes: mixes.iter().map(|mean| mix(mean, sides)).collect(), lines: lines.to_vec() }
        }
    }
}

fn mix(PieceMean(terms): &PieceMean, sides: [&ProvableCore<'_>; 2]) -> Mix {
    let [a, b] = [0, 1].map(|side| {
        let used = terms[side].iter().filter(|(_, weight)| *weight > 0.0);
        used.map(|&(piece, weight)| (sides[side].number(piece as u32), weight)).collect()
    });
    Mix { a, b }
}
