//! Covers: evidence that speaks of sets of parts, and that no pair of parts is left out.
//!
//! A cover is a tree in preorder. Its root stands for all pairs of a part of A with a part of B. A split divides one of the two sets at a
//! place of its order, and is followed by all of its lower half, then by all of its upper one. A leaf has a direction for all pairs of its
//! two sets. So every pair is in exactly one leaf, whatever the numbers are, and to see that takes one step per node. The height of
//! a set is that of its highest part, so a leaf visits each part of its sets, not each pair.

use crate::evidence::{Cover, Lower};
use crate::number::meter;
use crate::parts::Side;
use crate::shape::Trouble;
use std::ops::Range;

/// The pairs of two sets of parts, and the direction for them.
pub(crate) struct Leaf {
    pub a: Range<usize>,
    pub b: Range<usize>,
    pub along: [f64; 3],
}

fn fault<T>(what: &str) -> Result<T, Trouble> {
    Err(Trouble::Fault(what.into()))
}

/// The leaves of a cover, for these numbers of parts of A and of B.
pub(crate) fn leaves(lower: &Lower, counts: [usize; 2]) -> Result<Vec<Leaf>, Trouble> {
    let mut open = vec![[0..counts[0], 0..counts[1]]];
    let mut leaves = Vec::new();
    for node in &lower.cover {
        meter::charge(1);
        let Some([a, b]) = open.pop() else { return fault("the cover has nodes after its end") };
        match node {
            Cover::Along(along) => leaves.push(Leaf { a, b, along: *along }),
            Cover::SplitA(at) => {
                let [low, high] = halves(a, *at)?;
                open.extend([[high, b.clone()], [low, b]]);
            }
            Cover::SplitB(at) => {
                let [low, high] = halves(b, *at)?;
                open.extend([[a.clone(), high], [a, low]]);
            }
        }
    }
    if open.is_empty() { Ok(leaves) } else { fault("the cover leaves out pairs of parts") }
}

pub(crate) fn halves(set: Range<usize>, at: u32) -> Result<[Range<usize>; 2], Trouble> {
    let at = at as usize;
    if !(set.start < at && at < set.end) {
        return fault("a split of the cover is not inside of its set");
    }
    Ok([set.start..at, at..set.end])
}

/// The parts in the order of a cover; as they are counted if it has none.
pub(crate) fn ordered<'a>(sides: &[Side<'a>], order: &[u32]) -> Result<Vec<Side<'a>>, Trouble> {
    if order.is_empty() {
        return Ok(sides.to_vec());
    }
    meter::charge(order.len() as u64);
    let mut seen = vec![false; sides.len()];
    let is_new = |&part: &u32| seen.get_mut(part as usize).is_some_and(|seen| !std::mem::replace(seen, true));
    if order.len() != sides.len() || !order.iter().all(is_new) {
        return fault("the order of the cover does not have every part once");
    }
    Ok(order.iter().map(|&part| sides[part as usize]).collect())
}
