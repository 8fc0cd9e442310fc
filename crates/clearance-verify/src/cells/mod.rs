//! placeholder

use crate::number::{Interval, Number};
use crate::pairing::Pairing;
use crate::shape::Trouble;
use circle::Cell;
use form::{Form, Frame, fault};
pub use nodes::{Mix, Node};
use std::cmp::Ordering;

mod arithmetic;
mod circle;
mod form;
mod leaf;
mod nodes;
mod quadratic;
#[cfg(test)]
mod tests;

/// A tree has at most this many nodes.
const MOST_NODES: usize = 65_536;

/// No cell is the result of more splits than this.
const MOST_SPLITS: u32 = 200;

/// Every direction is in it, some a little more than once.
const ALL: Cell = Cell { longitude: [-3.1416, 3.1416], latitude: [-1.5708, 1.5708] };

/// Is the upper bound that the cells give less than or equal to a threshold? There is no answer if it is greater, since
/// other bounds of the same cells might not be.
pub(crate) fn bound(
    pair: &Pairing<'_>,
    axis: [f64; 3],
    side: [f64; 3],
    nodes: &[Node],
    threshold: f64,
) -> Result<Ordering, Trouble> {
    let mut form = Form::new(pair, Frame::new(axis, side)?)?;
    let leaves = leaves(nodes)?;
    let radii = pair.radii::<Interval>().plus(&Interval::of(threshold));
    // The distance is at most the threshold if f >= -threshold, so without the radii and scaled:
    let needed = radii.negated().scaled(form.scale).high;
    let mut found = Ordering::Less;
    for (cell, node) in leaves {
        let least = leaf_bound(&mut form, &cell, node)?;
        match least.partial_cmp(&needed) {
            Some(Ordering::Greater) => {}
            Some(Ordering::Equal) => found = Ordering::Equal,
            _ => {
                let ([west, east], [south, north]) = (cell.longitude, cell.latitude);
                return Err(Trouble::Fault(format!(
                    "the cell of longitudes {west} to {east} and latitudes {south} to {north} does not prove it: {:e} are missing",
                    (needed - least) / form.scale
                )));
            }
        }
    }
    Ok(found)
}

/// A lower bound of the height of A - B in a cell, without the radii and scaled.
fn leaf_bound(form: &mut Form<'_>, cell: &Cell, node: &Node) -> Result<f64, Trouble> {
    match node {
        Node::Plane { a, b } => leaf::plane(form, cell, *a, *b),
        Node::Strip { at, mixes, lines } => leaf::strip(form, cell, *at, mixes, lines),
        Node::Longitude(_) | Node::Latitude(_) => fault("a split is not a leaf"),
    }
}

/// The leaves of a tree with their cells. Together they are the first cell.
fn leaves(nodes: &[Node]) -> Result<Vec<(Cell, &Node)>, Trouble> {
    if nodes.len() > MOST_NODES {
        return fault("there are more than 65,536 nodes of cells");
    }
    let mut leaves = Vec::with_capacity(nodes.len() / 2 + 1);
    // Cells whose nodes are yet to come, the next one last.
    let mut open = vec![(ALL, 0)];
    for node in nodes {
        let Some((cell, splits)) = open.pop() else { return fault("there are nodes after the last cell") };
        let (at, [low, high]) = match node {
            Node::Longitude(at) => (*at, cell.longitude),
            Node::Latitude(at) => (*at, cell.latitude),
            leaf => {
                leaves.push((cell, leaf));
                continue;
            }
        };
        if !(low < at && at < high) {
            return fault("a cell is split outside of it");
        }
        if splits >= MOST_SPLITS {
            return fault("a cell is the result of more than 200 splits");
        }
        let part = |range: [f64; 2]| match node {
            Node::Longitude(_) => Cell { longitude: range, ..cell },
            _ => Cell { latitude: range, ..cell },
        };
        open.push((part([at, high]), splits + 1));
        open.push((part([low, at]), splits + 1));
    }
    if open.is_empty() { Ok(leaves) } else { fault("the tree of cells ends before its last cell") }
}
