//! Cells of directions as evidence for a depth: the tree of a search that has come to its end.
//!
//! Where two shapes are nearly symmetric no surface of reasonable size comes close enough to that of A - B. The search by cells
//! (`narrow/depth/cells`) proves such depths, and its tree is all that a checker needs to prove them again: every number in it
//! gives a true bound, whatever it is.

use super::member::ProvableCore;
use crate::math::Frame;
use crate::narrow::depth::cells::{CellNode, Cells, PieceMean};
use glam::DVec3;

/// A node of a tree of cells, in the order: a split, all about the lower part, all about the upper part.
///
/// The first cell is the whole sphere of directions, by longitude and latitude about an axis. PieceMean of a shape are the functions
/// that its height is the maximum of: corners by their vertex numbers; of a capsule or cylinder the lower end, then the upper; of a
/// cone the apex, then the base; an ellipsoid has one.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// The cell is split at that longitude.
    Longitude(f64),
    /// The cell is split at that latitude.
    Latitude(f64),
    /// It is bounded by the planes of a piece of A and a piece of B through their farthest points along its middle.
    Plane([u32; 2]),
    /// It is bounded about a circle of latitude.
    Strip {
        /// The latitude of the circle.
        at: f64,
        /// Means of pieces, from below to above.
        mixes: Vec<Mix>,
        /// The lines between them: with the longitude τ from the middle and the sine b of the latitude from the circle,
        /// b = m τ + c, as [m, c].
        lines: Vec<[f64; 2]>,
    },
}

/// Means of pieces of A and of pieces of B: numbers and weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Mix {
    /// PieceMean of A.
    pub a: Vec<(u32, f64)>,
    /// PieceMean of B.
    pub b: Vec<(u32, f64)>,
}

/// A whole tree.
pub(super) struct CellTree {
    /// The axis, where the latitude is a quarter turn; in the frame of A.
    pub axis: DVec3,
    /// Where longitude and latitude are zero.
    pub side: DVec3,
    pub nodes: Vec<Cell>,
    /// The direction of least overlap.
    pub direction: DVec3,
}

/// This is no hot path: a search may take longer than the engine's own.
const MOST_WORK: u32 = 40_000;

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
        // First down to the least height, then a goal that leaves the checker a fifth of what there is for its own rounding.
        let least = -height(cells.about(axes, toward, 1e-13 * scale, 0, &mut ()).0.direction);
        let goal = 0.8 * (least - needed);
        if !(goal > 0.0) {
            continue;
        }
        let mut nodes = Vec::new();
        let (found, is_closed) = cells.about(axes, toward, goal, MOST_WORK, &mut nodes);
        if is_closed && found.inner > needed {
            let nodes = nodes.iter().map(Cell::from).collect();
            return Some(CellTree { axis: axes.z_axis, side: axes.x_axis, nodes, direction: found.direction });
        }
    }
    None
}

impl From<&CellNode> for Cell {
    fn from(node: &CellNode) -> Self {
        match node {
            CellNode::Longitude(at) => Self::Longitude(*at),
            CellNode::Latitude(at) => Self::Latitude(*at),
            CellNode::Plane(pieces) => Self::Plane(pieces.map(|piece| piece as u32)),
            CellNode::Strip { at, mixes, lines } => {
                Self::Strip { at: *at, mixes: mixes.iter().map(Mix::from).collect(), lines: lines.to_vec() }
            }
        }
    }
}

impl From<&PieceMean> for Mix {
    fn from(pieces: &PieceMean) -> Self {
        let [a, b] = pieces.0.map(|terms| {
            let used = terms.into_iter().filter(|(_, weight)| *weight > 0.0);
            used.map(|(piece, weight)| (piece as u32, weight)).collect()
        });
        Self { a, b }
    }
}
