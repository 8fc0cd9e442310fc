//! Solids as unions of convex pieces: few, fat and overlapping. Other meshes as pieces that cover their surface.
//!
//! 1. **Separate.** The connected components whose surface is closed and consistently oriented are a solid together. The others are a shell:
//!    pieces of it cover its surface, and nothing is proved about an inside (`approximate.rs`).
//! 2. **Cover.** While part of the solid is uncovered (`cover.rs`), a piece is grown around a point of that part (`grow.rs`).
//! 3. **Thin out.** Pieces covered by the others are removed, the smallest first. Pieces whose union is convex disappear: each
//!    is contained in the larger piece grown around it.
//! 4. **Round.** The corners of a piece are meeting points of three planes. A piece whose corners are all doubles is exact.
//!    Every other piece becomes two polytopes, one inside it and one around it, both by exact tests.
//! 5. **Prove** (`inclusion.rs`), with nothing taken on trust from the steps before.
//!
//! A surface that is concave almost everywhere, as a torus is along its hole, takes too many exact pieces; one that crosses itself has none.
//! The inner pieces are then those found so far, or those of `inner.rs`. The outer ones are hulls of the solid's parts in boxes, which cover it
//! by the theorem in `approximate.rs`.

use super::approximate::{self, ApproximatePiece};
use super::cell::ConvexCell;
use super::context::{Context, Fragment};
use super::cover::{CoverPiece, CoverSearch, Remnant};
use super::field::concavities;
use super::grow::piece_around;
use super::inclusion::{Doubt, Inclusion, fault, find_uncovered, prove_inner};
use super::inner;
use super::space::Space;
use crate::math::Aabb;
use crate::shape::polytope::convex_hull;
use crate::shape::{Mesh, Polytope, Side};
use crate::tuning::decompose::CORNER_MOVES;
use glam::DVec3;

/// How much a decomposition may cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecompositionBudget {
    /// The most pieces of each kind.
    pub pieces: usize,
    /// Limits the cells that are visited while covering, and again while proving.
    pub cells: usize,
    /// Pieces that are not exact are cut until none reaches farther beyond the mesh than this part of its longest side.
    pub concavity: f64,
}

impl Default for DecompositionBudget {
    fn default() -> Self {
        Self { pieces: 64, cells: 30_000, concavity: 0.025 }
    }
}

/// Convex pieces of a mesh: those inside of its solid components, those that cover these, and those that cover its open ones.
#[derive(Debug, Clone)]
pub struct Decomposition {
    /// Pieces that are proved to be inside of the solid ([`prove_inner`]).
    pub inner: Vec<Polytope>,
    /// Pieces that cover the solid.
    pub outer: Vec<Polytope>,
    /// For each outer piece, a proved upper bound on the distance of its points from the solid.
    pub outer_concavity: Vec<f64>,
    /// Whether the outer pieces are proved to cover all of the mesh: by [`prove_outer`](super::prove_outer) or by construction.
    pub outer_proof: Inclusion,
    /// Are inner and outer pieces the same and the only ones, so that their union is proved to be the mesh?
    pub is_exact: bool,
    /// Pieces that cover the components whose surface is open or inconsistently oriented. The volume that these enclose is an estimate: their holes are
    /// closed up to a quarter of the longest side, and gaps up to a cell of a grid.
    pub approximate: Vec<ApproximatePiece>,
}

/// A step of a decomposition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Exact pieces are grown, of at most as many.
    Growing,
    /// Boxes are cut, into at most as many.
    Cutting,
    /// Pieces are merged, of as many.
    Merging,
    /// It is measured how far pieces reach beyond the mesh.
    Measuring,
}

/// The steps of a decomposition: the stage, how many of its steps are done, of how many.
pub(super) type Report<'r> = &'r mut dyn FnMut(Stage, usize, usize);

/// Decomposes a mesh into convex pieces, as far as the budget goes.
///
/// Any mesh gets pieces that cover its surface, with a bound on how far each reaches beyond. Solids, crossing or doubled ones too, get pieces that
/// are proved to cover them and pieces that are proved to be inside.
///
/// ```
/// use clearance::decompose::{DecompositionBudget, decompose};
/// use clearance::shape::Mesh;
///
/// // An L: two bars that share a corner.
/// let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
/// let corners: Vec<[f64; 3]> = [0.0, 1.0].iter().flat_map(|&z| outline.map(|[x, y]| [x, y, z])).collect();
/// let mut triangles = Vec::new();
/// for i in 0..6 {
///     let j = (i + 1) % 6;
///     triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
/// }
/// for [a, b, c] in [[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]] {
///     triangles.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
/// }
/// let found = decompose(&Mesh::new(&corners, &triangles)?, DecompositionBudget::default());
/// assert!(found.is_exact && found.outer_proof.is_proven());
/// assert_eq!(found.inner.len(), 2);
/// # Ok::<(), clearance::BuildError>(())
/// ```
///
/// An open mesh has no inside to prove anything about. Its pieces cover the surface:
///
/// ```
/// use clearance::decompose::{DecompositionBudget, decompose};
/// use clearance::shape::Mesh;
///
/// // Two sides of a box.
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]];
/// let angle = Mesh::new(&corners, &[[0, 2, 1], [1, 2, 3], [0, 1, 4], [1, 5, 4]])?;
/// let found = decompose(&angle, DecompositionBudget::default());
/// assert!(found.outer.is_empty() && !found.outer_proof.is_proven());
/// assert_eq!(found.approximate.len(), 2);
/// assert!(found.approximate.iter().all(|piece| piece.concavity < 0.025));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn decompose(mesh: &Mesh, budget: DecompositionBudget) -> Decomposition {
    decompose_with_progress(mesh, budget, |_, _, _| {})
}

/// [`decompose`], with a call back for every step: the stage, how many of its steps are done, of how many at most.
pub fn decompose_with_progress(
    mesh: &Mesh,
    budget: DecompositionBudget,
    mut report: impl FnMut(Stage, usize, usize),
) -> Decomposition {
    let (solid, shell) = mesh.separated();
    let mut found = Decomposition {
        inner: Vec::new(),
        outer: Vec::new(),
        outer_concavity: Vec::new(),
        outer_proof: Inclusion::NotProven(Doubt::Shell),
        is_exact: false,
        approximate: Vec::new(),
    };
    if let Some(solid) = solid {
        // Pieces grow by which side of a triangle is inside.
        let turned = solid.turned_outward();
        found = of_solid(turned.as_ref().unwrap_or(&solid), budget, &mut report);
    }
    if let Some(shell) = shell {
        let shell = approximate::without_small_holes(&shell);
        found.approximate = approximate::cover(&shell, budget.pieces, budget.concavity, &mut report);
        (found.is_exact, found.outer_proof) = (false, Inclusion::NotProven(Doubt::Shell));
    }
    found
}

/// Triangles of a solid up to this number are grown in, however many planes they are in. Limit: growing visits all of them for every piece.
const FEW_TRIANGLES: usize = 1000;

fn of_solid(mesh: &Mesh, budget: DecompositionBudget, report: Report<'_>) -> Decomposition {
    let is_grown = mesh.triangles().len() <= FEW_TRIANGLES || inner::is_grown(mesh);
    let context = if is_grown && fault(mesh).is_none() { Context::new(mesh, &[]) } else { None };
    let mut grown = None;
    if let Some(mut context) = context {
        let Grown { found, rounded, inner } = Grown::new(mesh, &mut context, budget, report);
        let tight: Option<Vec<Polytope>> = rounded.iter().map(|piece| piece.outer.clone()).collect();
        if let Some(outer) = tight.filter(|_| found.is_complete) {
            // Rounded pieces leave slivers between them and the mesh, which are hard to distinguish from uncovered parts.
            // Slightly larger pieces leave none, and also cover the thin parts.
            let are_exact = rounded.iter().all(|piece| piece.is_exact);
            let is_tight = are_exact && !found.is_thin_left;
            let outer = if is_tight { outer } else { outer.iter().filter_map(|piece| larger(piece, LOOSE)).collect() };
            if find_uncovered(mesh, &outer, budget.cells).is_none() {
                let is_exact = are_exact && inner == outer;
                let outer_concavity = if is_exact { vec![0.0; outer.len()] } else { concavities(mesh, &outer) };
                let outer_proof = Inclusion::Proven;
                return Decomposition { inner, outer, outer_concavity, outer_proof, is_exact, approximate: Vec::new() };
            }
        }
        grown = Some(inner);
    }
    let inner = grown.unwrap_or_else(|| inner::pieces_of(mesh, budget.pieces));
    let (outer, outer_concavity) = approximate::cover(mesh, budget.pieces, budget.concavity, report)
        .into_iter()
        .map(|piece| (piece.hull, piece.concavity))
        .unzip();
    let outer_proof = Inclusion::Proven;
    Decomposition { inner, outer, outer_concavity, outer_proof, is_exact: false, approximate: Vec::new() }
}

/// The inner pieces of a decomposition, and whether they are all of the solid except for thin parts; `None` if the surface has a
/// fault. It skips the search for outer pieces, which takes most of the time of [`decompose`].
pub(super) fn grown_pieces(mesh: &Mesh, budget: DecompositionBudget) -> Option<(Vec<Polytope>, bool)> {
    if fault(mesh).is_some() {
        return None;
    }
    let Grown { found, rounded, inner } = Grown::new(mesh, &mut Context::new(mesh, &[])?, budget, &mut |_, _, _| {});
    let is_whole = found.is_complete && inner.len() == rounded.len();
    Some((inner, is_whole))
}

/// Pieces that were grown in a solid.
struct Grown {
    found: FoundCells,
    rounded: Vec<RoundedPiece>,
    /// The pieces that are proved to be inside.
    inner: Vec<Polytope>,
}

impl Grown {
    fn new(mesh: &Mesh, context: &mut Context, budget: DecompositionBudget, report: Report<'_>) -> Self {
        let found = covered(context, budget, report);
        let rounded: Vec<RoundedPiece> = found.cells.iter().map(|cell| rounded(context, cell)).collect();
        let mut inner: Vec<Polytope> = rounded.iter().filter_map(|piece| piece.inner.clone()).collect();
        inner.retain(|piece| prove_inner(mesh, piece).is_proven());
        Self { found, rounded, inner }
    }
}

/// Parts of the solid thinner than this part of the mesh's size get no pieces of their own. Bound: faces that are flat up to rounding, 1e-13 of
/// the size, leave such slivers.
const THIN: f64 = 1e-11;
/// Enlargement of pieces that have to cover slivers, as a part of their size. Bound: a thousand times [`THIN`].
const LOOSE: f64 = 1e-8;

/// A piece made larger by a part of its size.
fn larger(piece: &Polytope, by: f64) -> Option<Polytope> {
    let middle = piece.center();
    convex_hull(&piece.vertices().iter().map(|&v| v + (v - middle) * by).collect::<Vec<_>>()).ok()
}

/// Cells inside of the solid.
struct FoundCells {
    cells: Vec<ConvexCell>,
    /// Whether they are all of the solid except for thin parts.
    is_complete: bool,
    is_thin_left: bool,
}

/// Grows pieces until they cover the solid, or the budget is used up.
fn covered(context: &mut Context, budget: DecompositionBudget, report: Report<'_>) -> FoundCells {
    let whole = context.whole();
    let all = context.fragments();
    let mut search = CoverSearch::new(context);
    let (mut cells, mut covers) = (Vec::new(), Vec::new());
    let mut steps = budget.cells;
    let (mut is_complete, mut is_thin_left) = (true, false);
    loop {
        search.subtract(context, &covers, &mut steps, false);
        if search.uncovered.is_empty() || steps == 0 || cells.len() >= budget.pieces {
            is_complete &= search.uncovered.is_empty() && search.pending.is_empty();
            break;
        }
        report(Stage::Growing, cells.len(), budget.pieces);
        let best = widest(context, &search.uncovered);
        match grown_in(context, &all, &whole, &search.uncovered[best]) {
            Seeded::Piece(cell) => {
                let halves = cell.faces.iter().map(|face| face.half).collect();
                covers.push(CoverPiece::new(context, halves, cell.bounds));
                cells.push(cell);
                search.reopen();
                // The growth has visited all triangles several times.
                steps = steps.saturating_sub(all.len() / 10);
            }
            thin_or_lost => {
                search.uncovered.swap_remove(best);
                let is_thin = matches!(thin_or_lost, Seeded::Thin);
                is_thin_left |= is_thin;
                is_complete &= is_thin;
            }
        }
    }
    FoundCells { cells: thinned(context, cells, covers, &mut steps), is_complete, is_thin_left }
}

/// The region with the largest triangle fragment; among regions without fragments, the largest.
fn widest(context: &Context, regions: &[Remnant]) -> usize {
    let size = |region: &Remnant| {
        let area = region.fragments.iter().map(|fragment| area(context, fragment)).fold(0.0, f64::max);
        (area, region.cell.volume(&context.space))
    };
    let sizes: Vec<(f64, f64)> = regions.iter().map(size).collect();
    let order = |&i: &usize, &j: &usize| sizes[i].0.total_cmp(&sizes[j].0).then(sizes[i].1.total_cmp(&sizes[j].1));
    (0..regions.len()).max_by(order).unwrap_or(0)
}

fn place(context: &Context, fragment: &Fragment) -> (DVec3, f64) {
    let corners: Vec<DVec3> = fragment.ring.iter().map(|corner| context.space.position(corner.point)).collect();
    let middle = corners.iter().map(|corner| *corner / corners.len() as f64).sum();
    let arms: Vec<DVec3> = corners.iter().map(|corner| (*corner - corners[0]) / Space::size()).collect();
    let area: DVec3 = arms.windows(2).map(|pair| pair[0].cross(pair[1])).sum();
    (middle, area.length())
}

fn area(context: &Context, fragment: &Fragment) -> f64 {
    place(context, fragment).1
}

/// The result of growing a piece in a region.
enum Seeded {
    /// A piece that shares inner points with it.
    Piece(ConvexCell),
    /// The region has only slivers of the solid.
    Thin,
    /// No piece could be grown in it.
    Lost,
}

/// A piece around a point of the solid in a region.
fn grown_in(context: &mut Context, all: &[Fragment], whole: &ConvexCell, region: &Remnant) -> Seeded {
    /// Weights of a point inside of a tetrahedron. Limit: not simple fractions, so that the point is on no plane by symmetry.
    const PARTS: [f64; 6] = [0.5, 0.4771, 0.3169, 0.2137, 0.0713, 0.0091];
    let bounds = context.mesh.aabb();
    let thin = THIN * context.space.scaled(bounds.max - bounds.min).max_element();
    let mut places: Vec<DVec3> = Vec::new();
    if region.fragments.is_empty() {
        if thickness(context, &region.cell) < thin {
            return Seeded::Thin;
        }
        let middle = region.cell.middle(&context.space);
        let corner = region.cell.points().first().map_or(middle, |&point| context.space.position(point));
        places.extend(PARTS.iter().map(|&part| middle + (corner - middle) * (0.5 - part)));
    }
    let mut order: Vec<(f64, &Fragment)> = region.fragments.iter().map(|f| (area(context, f), f)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, fragment) in order {
        let Some(behind) = context.behind[fragment.triangle as usize] else { continue };
        let (middle, _) = place(context, fragment);
        let inward = -context.space.normal(behind);
        let depth = free_length(context, all, &region.cell, middle, inward, fragment.triangle);
        if depth > thin {
            let corner = context.space.position(fragment.ring[0].point);
            let beside = |part: f64| middle + (corner - middle) * (0.31 * (0.5 - part));
            places.extend(PARTS.iter().map(|&part| beside(part) + inward * (depth * part)));
            break;
        }
    }
    if places.is_empty() {
        return Seeded::Thin;
    }
    let grown = places.into_iter().find_map(|at| {
        let point = context.space.coarse_point(at);
        let at = context.space.position(point);
        let is_inside = region.cell.holds(&context.space, point)
            && context.mesh.side_of(context.space.unscaled(at)) == Side::Inside;
        if is_inside { piece_around(context, all, whole, at) } else { None }
    });
    grown.map_or(Seeded::Lost, Seeded::Piece)
}

/// Estimated smallest thickness of a cell.
fn thickness(context: &Context, cell: &ConvexCell) -> f64 {
    let points: Vec<DVec3> = cell.points().iter().map(|&point| context.space.position(point)).collect();
    let across = |half| points.iter().map(|&at| -context.space.height(half, at)).fold(0.0, f64::max);
    cell.faces.iter().map(|face| across(face.half)).fold(f64::INFINITY, f64::min)
}

/// Length of a ray until it leaves a cell or hits another triangle.
fn free_length(context: &Context, all: &[Fragment], cell: &ConvexCell, from: DVec3, along: DVec3, but: u32) -> f64 {
    let mut free_length = f64::INFINITY;
    for face in &cell.faces {
        let slope = context.space.normal(face.half).dot(along);
        // A ray along a face does not leave through it; the length is a heuristic.
        if slope > 1e-12 {
            free_length = free_length.min((-context.space.height(face.half, from) / slope).max(0.0));
        }
    }
    for fragment in all.iter().filter(|fragment| fragment.triangle != but) {
        let [a, b, c] = context.corners(fragment.triangle).map(|corner| (corner - from) / Space::size());
        let turns = [[a, b], [b, c], [c, a]].map(|[u, v]| along.dot(u.cross(v)));
        let is_hit = turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0);
        let normal = (b - a).cross(c - a);
        let at = a.dot(normal) / along.dot(normal) * Space::size();
        // Triangles at the start of the ray do not count.
        if is_hit && at > 1e-9 * Space::size() {
            free_length = free_length.min(at);
        }
    }
    free_length
}

/// Removes the pieces that the others cover, the smallest first.
fn thinned(
    context: &mut Context,
    cells: Vec<ConvexCell>,
    mut covers: Vec<CoverPiece>,
    steps: &mut usize,
) -> Vec<ConvexCell> {
    let mut order: Vec<usize> = (0..cells.len()).collect();
    let volumes: Vec<f64> = cells.iter().map(|cell| cell.volume(&context.space)).collect();
    order.sort_by(|&i, &j| volumes[i].total_cmp(&volumes[j]));
    let mut is_kept = vec![true; cells.len()];
    for i in order {
        // No triangle enters a piece.
        let region = Remnant::new(cells[i].clone(), Vec::new());
        let mut search = CoverSearch { pending: vec![region], uncovered: Vec::new() };
        let bounds = std::mem::replace(&mut covers[i].bounds, Aabb::EMPTY);
        search.subtract(context, &covers, steps, true);
        if search.pending.is_empty() && search.uncovered.is_empty() {
            is_kept[i] = false;
        } else {
            covers[i].bounds = bounds;
        }
    }
    cells.into_iter().zip(is_kept).filter_map(|(cell, is_kept)| is_kept.then_some(cell)).collect()
}

/// A piece in doubles.
struct RoundedPiece {
    inner: Option<Polytope>,
    outer: Option<Polytope>,
    is_exact: bool,
}

fn rounded(context: &mut Context, cell: &ConvexCell) -> RoundedPiece {
    let points = cell.points();
    let exact: Vec<Option<DVec3>> = points.iter().map(|&point| context.space.exact_position(point)).collect();
    let at: Vec<DVec3> = points
        .iter()
        .zip(&exact)
        .map(|(&point, exact)| context.space.unscaled(exact.unwrap_or(context.space.nearest_position(point))))
        .collect();
    if exact.iter().all(Option::is_some) {
        let piece = convex_hull(&at).ok();
        return RoundedPiece { inner: piece.clone(), outer: piece, is_exact: true };
    }
    let middle = context.space.unscaled(cell.middle(&context.space));
    let moved = |by: f64| {
        let pairs = at.iter().zip(&exact);
        let moved: Vec<DVec3> =
            pairs.map(|(&at, exact)| if exact.is_some() { at } else { at + (at - middle) * by }).collect();
        convex_hull(&moved).ok().filter(|piece| piece.dimension() == 3)
    };
    let inner = CORNER_MOVES.iter().find_map(|&by| moved(-by).filter(|piece| is_in_cell(context, piece, cell)));
    let outer = CORNER_MOVES.iter().find_map(|&by| moved(by).filter(|piece| is_around(context, piece, &points)));
    RoundedPiece { inner, outer, is_exact: false }
}

/// Is every vertex of a piece in a cell?
fn is_in_cell(context: &mut Context, piece: &Polytope, cell: &ConvexCell) -> bool {
    piece.vertices().iter().all(|&vertex| {
        let point = context.space.input_point(vertex);
        cell.faces.iter().all(|face| context.space.outside(face.half, point) <= 0)
    })
}

/// Is every corner in a piece?
fn is_around(context: &mut Context, piece: &Polytope, points: &[u32]) -> bool {
    context.halves(piece).is_some_and(|halves| {
        halves.iter().all(|&half| points.iter().all(|&point| context.space.outside(half, point) <= 0))
    })
}
