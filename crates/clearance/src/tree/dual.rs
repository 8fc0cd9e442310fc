//! Dual traversals of two wide trees: the closest leaves first, or all leaves that may meet.
//!
//! [`closest_first`] is branch and bound, depth first: the children of a pair of nodes are pushed in the order of their bounds, the closest last. A
//! pair whose bound is above the cutoff of the search is pruned; the least of these bounds is reported, so that the search has a lower bound for the whole. [`any_leaves`]
//! visits every pair of leaves whose boxes may overlap, the deepest overlap first. Where both trees have heights it prunes by them first.
//!
//! **Bounds.** Where both trees have heights, bounds are lengths: the largest along up to three directions, and by boxes for pairs that these leave open. Without heights bounds are squares of
//! lengths, by boxes. Trees that are far apart compared with their sizes are compared along one vector: bounds are
//! an excess over the distance of the middles, which stays in doubles.
//!
//! **Invariants.** (D1) Every pair of items below the start is in a pair of leaves that was visited, or in a pair of subtrees that was pruned or kept with a certified bound. (D2) The
//! stack holds at most `STACK` pairs. (D3) The traversal is a function of the trees, the frame and the answers of the search: the same bits on any number of threads.

use super::directions::PairDirections;
use super::frames::{BoxFrames, SeparatingPlane};
use super::pairs::{STACK, SubTreePair, TwoTrees, push_closest_last};
use super::{WIDTH, WideView};
use crate::math::{Frame, multiversioned};
use crate::tuning::meshes::FIRST_DIVE;
use arrayvec::ArrayVec;
use glam::DVec3;
use std::ops::ControlFlow;
use wide::f32x4;

/// A search for the closest items of one tree or two.
pub(crate) trait TreeSearch {
    /// Nothing farther than this is visited. It never increases.
    fn cutoff(&self) -> f64;

    /// A plane between the closest items so far.
    fn plane(&self) -> Option<SeparatingPlane>;

    /// Is the search over, since two items meet?
    fn is_over(&self) -> bool;

    /// All items in a pruned pair of subtrees are at least that far apart.
    fn prune(&mut self, lower: f64);
}

/// A search of two trees.
pub(crate) trait DualSearch: TreeSearch {
    /// Visits the items of two leaves; a lower bound of their distances, or zero if that is not known.
    fn leaves(&mut self, a: &[u32], b: &[u32]) -> f64;

    /// Does the search keep a front?
    #[inline(always)]
    fn has_front(&self) -> bool {
        false
    }

    /// For a search that keeps a front: all items of a pair of subtrees are at least that far apart, and the pair is not expanded.
    #[inline(always)]
    fn keep(&mut self, pair: SubTreePair, lower: f64) {
        let _ = (pair, lower);
    }

    /// For a search that keeps a front: two leaves that were visited, whose items are at least that far apart.
    #[inline(always)]
    fn keep_leaves(&mut self, pair: SubTreePair, lower: f64) {
        let _ = (pair, lower);
    }
}

/// How lengths and the bounds of boxes go together, in the unit of the boxes.
struct Bounds {
    unit: f64,
    kind: BoundKind,
}

/// The meaning of a bound, in the unit of the boxes.
#[derive(Clone, Copy)]
enum BoundKind {
    Square,
    /// A length; a negative one is no bound.
    Length,
    /// An excess over this length, the distance of the middles.
    Excess(f64),
}

impl Bounds {
    /// A length as a bound, rounded up.
    fn of(&self, length: f64) -> f32 {
        let in_unit = length / self.unit;
        let bound = match self.kind {
            BoundKind::Square => in_unit * in_unit,
            // Above the rounding error of the quotient.
            BoundKind::Length => in_unit * (1.0 + 4.0 * f64::EPSILON),
            // Above the rounding errors of the quotient and of the difference, for lengths near `apart`.
            BoundKind::Excess(apart) => in_unit - apart + 4.0 * f64::EPSILON * apart,
        };
        (bound as f32).next_up()
    }

    /// A bound as a length, rounded down.
    fn length(&self, bound: f32) -> f64 {
        // A root and a sum round by an ε; the product with a power of two does not.
        let length = match self.kind {
            BoundKind::Square => f64::from(bound).max(0.0).sqrt(),
            BoundKind::Length => f64::from(bound).max(0.0),
            BoundKind::Excess(apart) => apart + f64::from(bound),
        };
        // A root and two products are off by 1.5 ε together, which is less than 1e-15.
        length * (1.0 - 1e-15) * self.unit
    }
}

/// Walks all pairs of leaves that may be closer than is enough, the closest boxes first.
pub(crate) fn closest_first(views: [WideView<'_>; 2], b_in_a: &Frame, search: &mut impl DualSearch) {
    closest_from(&[SubTreePair::ROOTS], views, b_in_a, search);
}

/// Walks all pairs of leaves below these pairs that may be closer than is enough; how many steps that took.
pub(crate) fn closest_from(
    starts: &[SubTreePair],
    views: [WideView<'_>; 2],
    b_in_a: &Frame,
    search: &mut impl DualSearch,
) -> usize {
    multiversioned(
        #[inline(always)]
        || closest_from_here(starts, views, b_in_a, search),
    )
}

#[inline(always)]
fn closest_from_here<S: DualSearch>(
    starts: &[SubTreePair],
    [a, b]: [WideView<'_>; 2],
    b_in_a: &Frame,
    search: &mut S,
) -> usize {
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return 0;
    }
    // The starts of a kept front are mostly leaves, which need no boxes.
    let of_leaves = starts.iter().take_while(|start| start.are_leaves()).count();
    for (steps, start) in starts[..of_leaves].iter().enumerate() {
        let lower = search.leaves(start.a.items(&a), start.b.items(&b));
        if search.is_over() {
            return steps + 1;
        }
        search.keep_leaves(*start, lower);
    }
    let starts = &starts[of_leaves..];
    if starts.is_empty() {
        return of_leaves;
    }
    let mut frames = BoxFrames::new(&a, &b, b_in_a);
    if let Some(plane) = search.plane() {
        frames.compare_along(&plane, b_in_a, a.origin);
    }
    let has_heights = frames.apart.is_none() && !a.heights.is_empty() && !b.heights.is_empty();
    let mut along = has_heights.then(|| PairDirections::new(&frames, b_in_a));
    if let (Some(along), Some(plane)) = (&mut along, search.plane()) {
        along.set_normal(plane.normal, b_in_a);
    }
    let kind = match frames.apart {
        Some(apart) => BoundKind::Excess(apart),
        None if has_heights => BoundKind::Length,
        None => BoundKind::Square,
    };
    let bounds = Bounds { unit: frames.unit, kind };
    let mut trees = TwoTrees::new(a, b, frames);
    let mut cutoff = search.cutoff();
    let mut worst = bounds.of(cutoff);
    let mut stack = ArrayVec::<SubTreePair, STACK>::new();
    let mut found = ArrayVec::<SubTreePair, { WIDTH * WIDTH }>::new();
    let mut steps = of_leaves;
    let has_front = search.has_front();
    for start in starts {
        // Less than any other, but for the mark of those that are close.
        let bound = if start.bound == SubTreePair::CLOSE { start.bound } else { f32::NEG_INFINITY };
        stack.push(SubTreePair { bound, ..*start });
        while let Some(pair) = stack.pop() {
            if pair.bound > worst {
                let lower = bounds.length(pair.bound);
                search.prune(lower);
                search.keep(pair, lower);
                continue;
            }
            steps += 1;
            if pair.are_leaves() {
                let lower = search.leaves(pair.a.items(&a), pair.b.items(&b));
                if search.is_over() {
                    return steps;
                }
                search.keep_leaves(pair, lower);
                if search.cutoff() != cutoff {
                    cutoff = search.cutoff();
                    worst = bounds.of(cutoff);
                    if let Some(plane) = search.plane() {
                        trees.frames.compare_along(&plane, b_in_a, a.origin);
                        if let Some(along) = &mut along {
                            along.set_normal(plane.normal, b_in_a);
                        }
                    }
                }
                continue;
            }
            found.clear();
            // The least bound that is pruned.
            let mut passed = f32x4::splat(f32::INFINITY);
            let choose = |bounds: f32x4, there| {
                let is_far = bounds.simd_gt(f32x4::splat(worst));
                // An absent child is infinitely far, or NaN.
                passed = passed.fast_min(is_far.select(bounds, f32x4::splat(f32::INFINITY)));
                if has_front { there } else { there & !is_far.to_bitmask() }
            };
            let offer = |pair: SubTreePair| {
                if pair.bound > worst {
                    search.keep(pair, bounds.length(pair.bound));
                } else {
                    found.push(pair);
                }
            };
            match &along {
                Some(along) => trees.expand_along(
                    &pair,
                    along,
                    worst,
                    |along, of_a, of_b, turned| trees.longest(along, of_a, of_b, turned),
                    choose,
                    offer,
                ),
                None => trees.expand(
                    &pair,
                    |of_a, of_b, turned| match trees.frames.apart {
                        Some(_) => trees.frames.along_way(of_a, of_b),
                        None => trees.frames.least_squares(of_a, of_b, turned),
                    },
                    choose,
                    offer,
                ),
            }
            let passed = passed.to_array().into_iter().fold(f32::INFINITY, f32::min);
            if passed < f32::INFINITY {
                search.prune(bounds.length(passed));
            }
            push_closest_last(&mut stack, &found);
        }
    }
    steps
}

/// A search for leaves that may meet.
pub(crate) trait VisitLeaves {
    /// Visits the items of two leaves.
    fn leaves(&mut self, a: &[u32], b: &[u32]) -> ControlFlow<()>;

    /// A unit vector from A to B, in the frame of A, along which surfaces near two leaves are probably apart.
    fn normal_between(&self, a: &[u32], b: &[u32]) -> Option<DVec3> {
        let _ = (a, b);
        None
    }
}

impl<F: FnMut(&[u32], &[u32]) -> ControlFlow<()>> VisitLeaves for F {
    #[inline(always)]
    fn leaves(&mut self, a: &[u32], b: &[u32]) -> ControlFlow<()> {
        self(a, b)
    }
}

/// Walks all pairs of leaves whose boxes may share a point, until one says to stop.
pub(crate) fn any_leaves(
    views: [WideView<'_>; 2],
    b_in_a: &Frame,
    leaves: impl FnMut(&[u32], &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    any_leaves_below(SubTreePair::ROOTS, views, b_in_a, leaves)
}

/// [`any_leaves`] of those below a pair of subtrees.
pub(crate) fn any_leaves_below(
    start: SubTreePair,
    views: [WideView<'_>; 2],
    b_in_a: &Frame,
    visit: impl VisitLeaves,
) -> ControlFlow<()> {
    multiversioned(
        #[inline(always)]
        || leaves_within_here(start, views, b_in_a, 0.0, visit),
    )
}

/// Walks all pairs of leaves whose boxes may be at most that far apart along any axis, until one says to stop.
pub(crate) fn all_leaves_within(
    views: [WideView<'_>; 2],
    b_in_a: &Frame,
    limit: f64,
    leaves: impl FnMut(&[u32], &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    // The quotient rounds by half an ε, and the conversion to single precision upward.
    let in_unit = (limit.max(0.0) / views[0].unit.max(views[1].unit) * (1.0 + f64::EPSILON)) as f32;
    multiversioned(
        #[inline(always)]
        || leaves_within_here(SubTreePair::ROOTS, views, b_in_a, in_unit.next_up(), leaves),
    )
}

/// Pairs of subtrees that may meet and have all such pairs of leaves below them: at least `count`, unless there are fewer.
pub(crate) fn pairs_that_may_meet([a, b]: [WideView<'_>; 2], b_in_a: &Frame, count: usize) -> Vec<SubTreePair> {
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return Vec::new();
    }
    let frames = BoxFrames::new(&a, &b, b_in_a);
    let trees = TwoTrees::new(a, b, frames);
    let mut pairs = vec![SubTreePair::ROOTS];
    while pairs.len() < count && pairs.iter().any(|pair| !pair.are_leaves()) {
        let mut below = Vec::with_capacity(4 * pairs.len());
        for pair in &pairs {
            if pair.are_leaves() {
                below.push(*pair);
                continue;
            }
            trees.expand(
                pair,
                |of_a, _, of_b| frames.largest_gaps(of_a, of_b),
                |bounds, there| bounds.simd_le(f32x4::ZERO).to_bitmask() & there,
                |pair| below.push(pair),
            );
        }
        pairs = below;
    }
    pairs
}

#[inline(always)]
fn leaves_within_here(
    start: SubTreePair,
    [a, b]: [WideView<'_>; 2],
    b_in_a: &Frame,
    limit: f32,
    mut visit: impl VisitLeaves,
) -> ControlFlow<()> {
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return ControlFlow::Continue(());
    }
    let frames = BoxFrames::new(&a, &b, b_in_a);
    let has_heights = frames.apart.is_none() && !a.heights.is_empty() && !b.heights.is_empty();
    let mut along: Option<PairDirections> = None;
    let trees = TwoTrees::new(a, b, frames);
    let mut stack = ArrayVec::<SubTreePair, STACK>::new();
    stack.push(start);
    let mut found = ArrayVec::<SubTreePair, { WIDTH * WIDTH }>::new();
    let mut steps = 0;
    // The leaves that were visited last, if that was after the last normal.
    let mut visited = None;
    let mut next_dive = FIRST_DIVE;
    while let Some(pair) = stack.pop() {
        if pair.are_leaves() {
            visit.leaves(pair.a.items(&a), pair.b.items(&b))?;
            visited = Some([pair.a, pair.b]);
            continue;
        }
        steps += 1;
        found.clear();
        let choose = |gaps: f32x4, there| gaps.simd_le(f32x4::splat(limit)).to_bitmask() & there;
        let offer = |pair| found.push(pair);
        if has_heights {
            let along = along.get_or_insert_with(|| PairDirections::new(&frames, b_in_a));
            // Surfaces that nearly touch face each other along one normal, which triangles there have: those of the leaves that were visited, or of the leaves that a
            // dive below the pair finds. The vector between the roots is a first guess; at the first step it is that of the pair itself.
            let near = visited.take().or_else(|| (steps >= next_dive).then(|| trees.near_leaves(&pair, along)));
            let normal = match near {
                Some([at_a, at_b]) => {
                    next_dive = FIRST_DIVE.max(2 * steps);
                    visit.normal_between(at_a.items(&a), at_b.items(&b))
                }
                None if steps == 2 => frames.between().try_normalize(),
                None => None,
            };
            if let Some(normal) = normal {
                along.set_normal(normal, b_in_a);
            }
            // The order stays that of boxes, so that the first leaves that meet are the same with heights and without.
            let gaps = |along, of_a: &_, _: &_, turned: &_| trees.gaps_unless_beyond(limit, along, of_a, turned);
            trees.expand_along(&pair, along, limit, gaps, choose, offer);
        } else {
            trees.expand(&pair, |of_a, _, of_b| frames.largest_gaps(of_a, of_b), choose, offer);
        }
        // The deepest overlap of boxes is visited first.
        push_closest_last(&mut stack, &found);
    }
    ControlFlow::Continue(())
}
