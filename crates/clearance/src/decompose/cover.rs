//! The part of a solid that convex pieces leave uncovered.
//!
//! The planes of the pieces cut the space around the mesh into convex cells. Subtracting the pieces one after another leaves
//! the uncovered cells.
//!
//! Invariants:
//! * A pending or uncovered cell is outside every piece that was subtracted from it.
//! * A cell without fragments is entirely inside or entirely outside the solid.
//! * `near` lists only pieces before `next`.

use super::cell::ConvexCell;
use super::context::{Context, Fragment};
use super::space::PlaneSide;
use crate::math::Aabb;
use crate::tuning::decompose::MANY_FACES;
use glam::DVec3;

/// A piece: the half-spaces whose intersection it is, and a box around it in the unit of the space.
#[derive(Debug, Clone)]
pub(super) struct CoverPiece {
    pub halves: Vec<PlaneSide>,
    pub bounds: Aabb,
}

/// A cell, the triangle fragments in it, and the pieces that are still to be subtracted.
#[derive(Debug, Clone)]
pub(super) struct Remnant {
    pub cell: ConvexCell,
    pub fragments: Vec<Fragment>,
    /// The pieces before `next` that may share interior points with the cell.
    near: Vec<u32>,
    /// Pieces from this one on have not been tested.
    next: usize,
}

impl Remnant {
    pub fn new(cell: ConvexCell, fragments: Vec<Fragment>) -> Self {
        Self { cell, fragments, near: Vec::new(), next: 0 }
    }
}

/// The search for uncovered cells.
#[derive(Debug, Default)]
pub(super) struct CoverSearch {
    pub pending: Vec<Remnant>,
    pub uncovered: Vec<Remnant>,
}

impl CoverPiece {
    pub fn new(context: &mut Context, halves: Vec<PlaneSide>, bounds: Aabb) -> Self {
        if halves.len() <= MANY_FACES {
            return Self { halves, bounds };
        }
        // The box is slightly larger and has few digits, so that no face is close to one of its planes.
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
    /// Starts with all space around the mesh.
    pub fn new(context: &mut Context) -> Self {
        let cell = context.whole();
        let fragments = context.fragments();
        Self { pending: vec![Remnant::new(cell, fragments)], uncovered: Vec::new() }
    }

    /// Subtracts the pieces from all pending regions. Stops early, with regions pending, when no steps are left.
    /// With `only_first` it also stops at the first uncovered region.
    pub fn subtract(&mut self, context: &mut Context, covers: &[CoverPiece], steps: &mut usize, only_first: bool) {
        while *steps > 0 && (!only_first || self.uncovered.is_empty()) {
            let Some(region) = self.pending.pop() else { return };
            *steps -= 1;
            if region.fragments.is_empty() && context.is_inside(&region.cell) == Some(false) {
                continue;
            }
            self.subtract_one(context, covers, region);
        }
    }

    /// Subtracts one piece that shares an interior point with a region; the remainder becomes pending.
    fn subtract_one(&mut self, context: &mut Context, covers: &[CoverPiece], mut region: Remnant) {
        region.near.extend(region.next as u32..covers.len() as u32);
        region.next = covers.len();
        region.near.retain(|&i| covers[i as usize].bounds.overlaps(&region.cell.bounds));
        put_deepest_first(context, covers, &mut region);
        while !region.near.is_empty() {
            let cover = &covers[region.near.remove(0) as usize];
            let Some(outside) = difference(context, &region.cell, &cover.halves) else { continue };
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

    /// Makes all uncovered regions pending again, because there are more pieces.
    pub fn reopen(&mut self) {
        self.pending.append(&mut self.uncovered);
    }
}

/// Moves the piece to the front that contains the middle of a region, or of its first fragment, most deeply. A piece that only
/// touches the region would cut it in vain.
fn put_deepest_first(context: &Context, covers: &[CoverPiece], region: &mut Remnant) {
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

/// Subtracts a convex set from a cell: for each half-space in turn, the part inside all earlier half-spaces and outside this one.
/// `None` if the cell and the set share no interior point.
fn difference(context: &mut Context, cell: &ConvexCell, halves: &[PlaneSide]) -> Option<Vec<(usize, ConvexCell)>> {
    // Early exit: one plane has the whole cell outside.
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
