//! What of a solid do convex pieces leave uncovered?
//!
//! Space around the mesh is cut by the planes of the pieces into convex cells, each inside of a piece or outside of all that it was
//! held against. A cell that no triangle enters is inside or outside of the solid as a whole. What is left, once every piece has
//! been taken off, are the cells that are not covered.

use super::cell::ConvexCell;
use super::context::{Context, Fragment};
use super::space::PlaneSide;
use crate::math::Aabb;
use glam::DVec3;

/// A piece: the half-spaces that it is the intersection of, and a box around it in the unit of the space.
#[derive(Debug, Clone)]
pub(super) struct CoverPiece {
    pub halves: Vec<PlaneSide>,
    pub bounds: Aabb,
}

/// A cell, the fragments of triangles in it, and which pieces it has yet to be held against.
#[derive(Debug, Clone)]
pub(super) struct Remnant {
    pub cell: ConvexCell,
    pub fragments: Vec<Fragment>,
    /// Of the pieces before `next`, those that may share inner points with it.
    near: Vec<u32>,
    /// Pieces from this one on have not been looked at.
    next: usize,
}

impl Remnant {
    pub fn new(cell: ConvexCell, fragments: Vec<Fragment>) -> Self {
        Self { cell, fragments, near: Vec::new(), next: 0 }
    }
}

/// The search for what is not covered.
#[derive(Debug, Default)]
pub(super) struct CoverSearch {
    pub pending: Vec<Remnant>,
    pub uncovered: Vec<Remnant>,
}

/// A piece of so many faces has its box taken off first: its faces then cut what is near it only.
const MANY_FACES: usize = 12;

impl CoverPiece {
    pub fn new(context: &mut Context, halves: Vec<PlaneSide>, bounds: Aabb) -> Self {
        if halves.len() <= MANY_FACES {
            return Self { halves, bounds };
        }
        // A little larger, in few digits, so that no face is close to a plane of the box.
        let step = (bounds.max - bounds.min).max_element();
        let step = f64::from_bits(step.to_bits() & !((1 << 52) - 1)) / 1024.0;
        let outer =
            Aabb { min: (bounds.min / step).floor() * step - step, max: (bounds.max / step).ceil() * step + step };
        let mut all: Vec<PlaneSide> = (0..3)
            .flat_map(|axis| [(axis, outer.min[axis], true), (axis, outer.max[axis], false)])
            .map(|(axis, value, is_above)| context.space.beside(axis, value, is_above))
            .collect();
        all.extend(halves);
        Self { halves: all, bounds }
    }
}

impl CoverSearch {
    /// All of space around the mesh.
    pub fn new(context: &mut Context) -> Self {
        let cell = context.whole();
        let fragments = context.fragments();
        Self { pending: vec![Remnant::new(cell, fragments)], uncovered: Vec::new() }
    }

    /// Takes the pieces off all pending regions. Stops early, with regions pending, when there are no steps left, or at the first
    /// region that is not covered if that is all that is asked for.
    pub fn settle(&mut self, context: &mut Context, covers: &[CoverPiece], steps: &mut usize, only_first: bool) {
        while *steps > 0 && (!only_first || self.uncovered.is_empty()) {
            let Some(region) = self.pending.pop() else { return };
            *steps -= 1;
            if region.fragments.is_empty() && context.is_inside(&region.cell) == Some(false) {
                continue;
            }
            self.take_off(context, covers, region);
        }
    }

    /// Takes a piece that shares an inner point with a region off it; what is left is pending.
    fn take_off(&mut self, context: &mut Context, covers: &[CoverPiece], mut region: Remnant) {
        region.near.extend(region.next as u32..covers.len() as u32);
        region.next = covers.len();
        region.near.retain(|&i| covers[i as usize].bounds.overlaps(&region.cell.bounds));
        bring_forward(context, covers, &mut region);
        while !region.near.is_empty() {
            let cover = &covers[region.near.remove(0) as usize];
            let Some(outside) = shaved(context, &region.cell, &cover.halves) else { continue };
            let mut fragments = region.fragments;
            let mut outside = outside.into_iter().peekable();
            for (k, &half) in cover.halves.iter().enumerate() {
                if let Some((_, cell)) = outside.next_if(|&(at, _)| at == k) {
                    let fragments = context.cut(&fragments, half.complement());
                    self.pending.push(Remnant { cell, fragments, near: region.near.clone(), next: region.next });
                }
                fragments = context.cut(&fragments, half);
            }
            return;
        }
        self.uncovered.push(region);
    }

    /// Makes everything that was not covered pending again, because there are more pieces.
    pub fn again(&mut self) {
        self.pending.append(&mut self.uncovered);
    }
}

/// Puts the piece first that reaches farthest around the middle of a region, or of its first fragment: one that only touches it
/// would cut it for nothing.
fn bring_forward(context: &Context, covers: &[CoverPiece], region: &mut Remnant) {
    let middle = match region.fragments.first() {
        Some(fragment) => {
            let corners = fragment.ring.iter().map(|corner| context.space.position(corner.point));
            corners.sum::<DVec3>() / fragment.ring.len() as f64
        }
        None => region.cell.middle(&context.space),
    };
    let outside = |&i: &u32| {
        let heights = covers[i as usize].halves.iter().map(|&half| context.space.height(half, middle));
        heights.fold(f64::NEG_INFINITY, f64::max)
    };
    let heights: Vec<f64> = region.near.iter().map(outside).collect();
    if let Some(best) = (0..heights.len()).min_by(|&i, &j| heights[i].total_cmp(&heights[j])) {
        region.near.swap(0, best);
    }
}

/// What a convex set leaves of a cell: for the half-spaces in turn, what is in all of those before and outside of this one.
/// Nothing if the cell and the set have no inner point in common.
fn shaved(context: &mut Context, cell: &ConvexCell, halves: &[PlaneSide]) -> Option<Vec<(usize, ConvexCell)>> {
    // A plane that has all of the cell outside ends it at once.
    let points = cell.points();
    let space = &mut context.space;
    if halves.iter().any(|&half| points.iter().all(|&point| space.outside(half, point) >= 0)) {
        return None;
    }
    let mut rest = cell.clone();
    let mut outside = Vec::new();
    for (k, &half) in halves.iter().enumerate() {
        if let Some(beyond) = rest.cut(space, half.complement()) {
            rest = rest.cut(space, half)?;
            outside.push((k, beyond));
        }
    }
    Some(outside)
}
