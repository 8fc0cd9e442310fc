//! Proofs that pieces are inside a solid, or cover it; independent of how the pieces were found.
//!
//! Invariant: both are decided by exact signs of the given coordinates; no intermediate result is rounded.

use super::context::Context;
use super::cover::{CoverPiece, CoverSearch};
use crate::math::Aabb;
use crate::shape::{Mesh, Polytope, Side};
use glam::DVec3;
use rustc_hash::FxHashSet;
use std::fmt;

/// The outcome of a proof.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub enum Inclusion {
    /// It holds.
    Proven,
    /// It was not proved, and may not hold.
    NotProven(Doubt),
}

impl Inclusion {
    /// Does it hold?
    #[must_use]
    pub fn is_proven(self) -> bool {
        self == Self::Proven
    }
}

/// Why something was not proved.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Doubt {
    /// The mesh is a shell, and has no inside.
    Shell,
    /// Triangles of the mesh cross, are there twice or have no area, so that its surface need not bound its inside.
    Tangled,
    /// A coordinate has parts below 2^-204 of the largest, too fine for the arithmetic.
    TooFine,
    /// A piece spans no volume, or is no convex polytope.
    Flat {
        /// Its number.
        piece: usize,
    },
    /// A triangle enters the interior of the piece.
    Entered {
        /// Its number.
        triangle: u32,
    },
    /// The piece is outside of the solid.
    Outside,
    /// There are points of the solid in no piece, or it could not be told that there are none.
    Uncovered {
        /// Close to them.
        near: DVec3,
    },
    /// It would have taken too long.
    OutOfSteps,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell => f.write_str("the mesh is not closed"),
            Self::Tangled => f.write_str("triangles of the mesh cross, are doubled or have no area"),
            Self::TooFine => f.write_str("a coordinate is too small beside the largest"),
            Self::Flat { piece } => write!(f, "piece {piece} has no volume"),
            Self::Entered { triangle } => write!(f, "triangle {triangle} enters the piece"),
            Self::Outside => f.write_str("the piece is outside"),
            Self::Uncovered { near } => write!(f, "points near ({}, {}, {}) are in no piece", near.x, near.y, near.z),
            Self::OutOfSteps => f.write_str("it would have taken too long"),
        }
    }
}

/// Proves that a piece is inside of a solid: that every point of it is a point of the solid.
///
/// **Theorem.** Let C be an intersection of half-spaces with an inner point at which the winding number is not zero, and let no triangle
/// meet the interior of C. Then C is in the solid. For the interior of C is connected and the winding number changes at triangles
/// only, so it is not zero anywhere in there; and the solid is closed.
///
/// The half-spaces are those of the faces; that they hold all vertices is proved, too, so a polytope whose faces are wrong is refused.
///
/// ```
/// use clearance::decompose::{Doubt, Inclusion, prove_inner};
/// use clearance::math::DVec3;
/// use clearance::shape::{Mesh, polytope::convex_hull};
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(DVec3::from_array);
/// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// assert_eq!(prove_inner(&mesh, &convex_hull(&corners)?), Inclusion::Proven);
/// let larger = convex_hull(&corners.map(|corner| corner * (1.0 + f64::EPSILON)))?;
/// assert_eq!(prove_inner(&mesh, &larger), Inclusion::NotProven(Doubt::Entered { triangle: 2 }));
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn prove_inner(mesh: &Mesh, piece: &Polytope) -> Inclusion {
    match find_inner(mesh, piece) {
        None => Inclusion::Proven,
        Some(doubt) => Inclusion::NotProven(doubt),
    }
}

fn find_inner(mesh: &Mesh, piece: &Polytope) -> Option<Doubt> {
    if !mesh.is_solid() {
        return Some(Doubt::Shell);
    }
    let Some(mut context) = Context::near(mesh, piece) else { return Some(Doubt::TooFine) };
    let Some(halves) = context.halves(piece) else { return Some(Doubt::Flat { piece: 0 }) };
    let vertices: Vec<u32> = piece.vertices().iter().map(|&vertex| context.space.input_point(vertex)).collect();
    if halves.iter().any(|&half| vertices.iter().any(|&vertex| context.space.outside(half, vertex) > 0)) {
        return Some(Doubt::Flat { piece: 0 });
    }
    if let Some(fragment) = context.entering(&halves, &piece.aabb()).first() {
        return Some(Doubt::Entered { triangle: fragment.triangle });
    }
    // Any interior point is enough. A piece too thin for its center may have one nearer to a corner; otherwise the proof fails.
    let middle = piece.center();
    let corners = piece.vertices().iter().map(|&vertex| middle + 0.5 * (vertex - middle));
    for at in std::iter::once(middle).chain(corners) {
        let point = context.space.coarse_point(context.space.scaled(at));
        if halves.iter().all(|&half| context.space.outside(half, point) < 0) {
            let at = context.space.unscaled(context.space.position(point));
            match mesh.side_of(at) {
                Side::Inside => return None,
                Side::Outside => return Some(Doubt::Outside),
                Side::Surface => {}
            }
        }
    }
    Some(Doubt::Flat { piece: 0 })
}

/// Cells that a proof of a cover visits, at most. Limit: a cover that is not proved within this many cells is reported as doubtful.
pub const MAX_CELLS: usize = 1_000_000;

/// Proves that pieces cover a solid: that every point of it is in one of them.
///
/// **Theorem.** Let the pieces be closed. Let the rest of space, up to sets without an inner point, be the union of the (closed) cells that
/// are left when they are taken off one after the other. If every such cell is free of triangles in its interior and has a point
/// outside of the solid there, the pieces cover the solid. For the points of the solid in no piece are open in the solid. If there were
/// any, there would be inner points of the solid among them. For a surface that crosses itself nowhere and has no triangle twice has the
/// solid on one side of each triangle at least. An open set of those meets the interior of some cell, all of which is outside.
///
/// The solid's own surface must therefore be in order ([`Doubt::Tangled`]). Cells are convex with exact corners. The proof is
/// complete, but for cells too thin to find a point in and for [`MAX_CELLS`].
///
/// ```
/// use clearance::decompose::{Inclusion, prove_outer};
/// use clearance::math::DVec3;
/// use clearance::shape::{Mesh, polytope::convex_hull};
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(DVec3::from_array);
/// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let whole = convex_hull(&corners)?;
/// assert_eq!(prove_outer(&mesh, &[whole]), Inclusion::Proven);
/// let smaller = convex_hull(&corners.map(|corner| corner * (1.0 - f64::EPSILON)))?;
/// assert!(!prove_outer(&mesh, &[smaller]).is_proven());
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn prove_outer(mesh: &Mesh, pieces: &[Polytope]) -> Inclusion {
    match find_uncovered(mesh, pieces, MAX_CELLS) {
        None => Inclusion::Proven,
        Some(doubt) => Inclusion::NotProven(doubt),
    }
}

/// Why a solid's surface cannot be relied on, if so.
pub(super) fn fault(mesh: &Mesh) -> Option<Doubt> {
    let report = mesh.report();
    if !mesh.is_solid() {
        return Some(Doubt::Shell);
    }
    // The report compares vertex numbers of duplicate triangles; this compares coordinates.
    let place = |v: DVec3| (v + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut seen = FxHashSet::default();
    let mut is_new = |t: u32| {
        let mut corners = mesh.corners(t).map(place);
        corners.sort_unstable();
        seen.insert(corners)
    };
    let is_tangled = !report.crossing_triangles.is_empty()
        || report.may_cross_more
        || !report.duplicate_triangles.is_empty()
        || !report.degenerate_triangles.is_empty()
        || !(0..mesh.triangles().len() as u32).all(&mut is_new);
    is_tangled.then_some(Doubt::Tangled)
}

pub(super) fn find_uncovered(mesh: &Mesh, pieces: &[Polytope], mut steps: usize) -> Option<Doubt> {
    if let Some(doubt) = fault(mesh) {
        return Some(doubt);
    }
    let Some(mut context) = Context::new(mesh, &pieces.iter().collect::<Vec<_>>()) else { return Some(Doubt::TooFine) };
    let mut covers = Vec::with_capacity(pieces.len());
    for (i, piece) in pieces.iter().enumerate() {
        // The intersection of the half-spaces must not exceed the piece: it has to be a valid polytope.
        let halves = if piece.validate().is_ok() { context.halves(piece) } else { None };
        let Some(halves) = halves else { return Some(Doubt::Flat { piece: i }) };
        let bounds = piece.aabb();
        let bounds = Aabb { min: context.space.scaled(bounds.min), max: context.space.scaled(bounds.max) };
        covers.push(CoverPiece::new(&mut context, halves, bounds));
    }
    let mut search = CoverSearch::new(&mut context);
    search.subtract(&mut context, &covers, &mut steps, true);
    if let Some(region) = search.uncovered.first() {
        return Some(Doubt::Uncovered { near: context.space.unscaled(region.cell.middle(&context.space)) });
    }
    (!search.pending.is_empty() || context.space.is_broken).then_some(Doubt::OutOfSteps)
}
