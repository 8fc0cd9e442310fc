//! A hierarchy of convex hulls over convex pieces (PD 5.2): every node is the hull of its children's vertices.
//!
//! Invariant: **containment** by construction. A hull keeps the coordinates of its input bit for bit, and its faces are decided exactly. So every
//! vertex of a child is in its parent, and with them the child. A level of the tree is therefore an outer approximation of the
//! pieces, coarser than the level below.

use crate::error::BuildError;
use crate::shape::polytope::convex_hull;
use crate::shape::{Polytope, Shape};
use glam::DVec3;
use std::sync::Arc;

/// A node: a convex hull of all pieces below it.
#[derive(Debug, Clone)]
pub struct HullNode {
    /// The hull; a piece itself in a leaf.
    pub hull: Arc<Polytope>,
    /// Its children.
    pub below: Children,
    /// How many steps it is from the root.
    pub level: u32,
}

/// The children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Children {
    /// Two nodes, by number; both are larger than the node's own.
    Nodes([u32; 2]),
    /// A piece, by its number in the list that the tree was made of.
    Piece(u32),
}

/// A binary tree of convex hulls.
///
/// ```
/// use clearance::decompose::HullTree;
/// use clearance::math::DVec3;
/// use clearance::shape::polytope::convex_hull;
/// use clearance::{Pose, Shape, distance};
///
/// let cube = |at: f64| convex_hull(&(0..8).map(|i| DVec3::new(at + (i & 1) as f64, (i / 2 % 2) as f64, (i / 4) as f64)).collect::<Vec<_>>());
/// let tree = HullTree::new([cube(0.0)?, cube(4.0)?, cube(8.0)?])?;
/// assert_eq!(tree.nodes().len(), 5);
/// // Every node is a shape: here the gap between two of the pieces, and the hull of all.
/// let [first, last] = [0, 2].map(|piece| tree.shape(tree.leaf(piece)));
/// assert_eq!(distance(&first, Pose::IDENTITY, &last, Pose::IDENTITY).distance, 7.0);
/// assert_eq!(tree.shape(0).volume(), Some(9.0));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct HullTree {
    nodes: Vec<HullNode>,
    leaves: Vec<u32>,
}

impl HullTree {
    /// The tree over convex pieces, halved at the median of their centers along the axis on which these spread most.
    ///
    /// # Errors
    ///
    /// If there is no piece.
    pub fn new(pieces: impl IntoIterator<Item = Polytope>) -> Result<Self, BuildError> {
        let pieces: Vec<Arc<Polytope>> = pieces.into_iter().map(Arc::new).collect();
        if pieces.is_empty() {
            return Err(BuildError::Empty { field: "pieces".into() });
        }
        let mut tree = Self { nodes: Vec::with_capacity(2 * pieces.len()), leaves: vec![0; pieces.len()] };
        tree.grow(&pieces, &mut (0..pieces.len() as u32).collect::<Vec<_>>(), 0)?;
        Ok(tree)
    }

    /// Adds the node over some pieces, and all below it.
    fn grow(&mut self, pieces: &[Arc<Polytope>], part: &mut [u32], level: u32) -> Result<u32, BuildError> {
        let number = self.nodes.len() as u32;
        let first = part[0];
        self.nodes.push(HullNode { hull: Arc::clone(&pieces[first as usize]), below: Children::Piece(first), level });
        if part.len() == 1 {
            self.leaves[first as usize] = number;
            return Ok(number);
        }
        let center = |piece: u32| pieces[piece as usize].aabb().center();
        let (low, high) = part.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &piece| {
            (low.min(center(piece)), high.max(center(piece)))
        });
        let spread = high - low;
        let axis = (0..3).fold(0, |best, k| if spread[k] > spread[best] { k } else { best });
        part.sort_by(|&p, &q| center(p)[axis].total_cmp(&center(q)[axis]).then(p.cmp(&q)));
        let (left, right) = part.split_at_mut(part.len() / 2);
        let children = [self.grow(pieces, left, level + 1)?, self.grow(pieces, right, level + 1)?];
        let vertices: Vec<DVec3> =
            children.iter().flat_map(|&child| self.nodes[child as usize].hull.vertices().to_vec()).collect();
        let node = &mut self.nodes[number as usize];
        (node.hull, node.below) = (Arc::new(convex_hull(&vertices)?), Children::Nodes(children));
        Ok(number)
    }

    /// All nodes; the root is the first.
    #[must_use]
    pub fn nodes(&self) -> &[HullNode] {
        &self.nodes
    }

    /// The number of the node of a piece.
    ///
    /// # Panics
    ///
    /// If there is no such piece.
    #[must_use]
    pub fn leaf(&self, piece: u32) -> u32 {
        self.leaves[piece as usize]
    }

    /// The nodes of a level, and the leaves above it: hulls that hold all pieces between them.
    pub fn level(&self, level: u32) -> impl Iterator<Item = u32> {
        let is_in = move |node: &HullNode| {
            node.level == level || node.level < level && matches!(node.below, Children::Piece(_))
        };
        (0..).zip(&self.nodes).filter(move |(_, node)| is_in(node)).map(|(number, _)| number)
    }

    /// How many levels there are.
    #[must_use]
    pub fn levels(&self) -> u32 {
        1 + self.nodes.iter().map(|node| node.level).max().unwrap_or(0)
    }

    /// The hull of a node as a shape, for every query and engine.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    #[must_use]
    pub fn shape(&self, node: u32) -> Shape {
        Shape::Polytope(Arc::clone(&self.nodes[node as usize].hull))
    }
}
