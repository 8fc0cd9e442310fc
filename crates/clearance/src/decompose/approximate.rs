//! Approximate decomposition: convex pieces that cover the surface of any mesh, each with a proved bound on how far it reaches beyond.
//!
//! 1. **Field** (`field.rs`). A grid of cells knows the distance from the surface and what the mesh encloses. The surface may be open,
//!    doubled, non-manifold or crossing.
//! 2. **Cut.** A box of cells is replaced by two, along the plane between cells that leaves the least total hull volume. The box whose
//!    hull reaches farthest beyond the mesh comes first. Its hull is that of all triangles clipped to it and of its enclosed corners.
//! 3. **Merge.** Two pieces become the hull of both while that does not reach too far. Of all such pairs, the one that gains the least volume
//!    comes first. This removes cuts that later cuts made unnecessary.
//! 4. **Measure.** Branch and bound proves for each piece how far a point of it may be from the mesh.
//!
//! V-HACD (Mamou, *Volumetric hierarchical approximate convex decomposition*, 2016) cuts voxels in this way. CoACD (Wei et al., *Approximate
//! convex decomposition for 3D meshes with collision-aware concavity and tree search*, 2022) measures lengths and not volumes, since a small pocket may
//! be the one that matters, and merges at the end. Both need a remeshed surface and end with an estimate. Here the pieces are hulls of the triangles
//! themselves, so the surface is covered to rounding, and the measure is a bound.
//!
//! **Theorem.** Let the mesh be closed, B a box, and P the hull of the surface in B and of the corners of B in the solid. Then P contains all
//! of the solid in B. For let x be a point of the solid in B and not in P. A half-space H contains x and nothing of P. The convex set H ∩ B is free
//! of surface, so the winding number is not zero anywhere in it. It contains a corner of B, where a linear function is largest; that
//! corner is in the solid, and therefore in P.
//!
//! The surface may cross itself and be doubled. The boxes cover the grid, so the hulls cover the solid, and so do hulls of their unions.
//! Rounding: triangles are clipped to boxes larger by `OVERLAP`, so that a rounded corner is never on the wrong side of a plane, and final pieces are
//! larger by more than all rounding ([`enlarged`]). Which corners are inside is decided exactly for the vertices as they were rounded; points for which
//! the rounding matters are as close to the surface as that, and covered with it.
//!
//! Invariants:
//! * Boxes are disjoint and cover the grid.
//! * Work is bounded: the grid has at most `CELLS_ALONG + 4` cells along each axis, cuts stop at twice the pieces, and a search visits at
//!   most `CONCAVITY_BOXES` boxes.

use super::boxes::clipped;
use super::field::{Field, Unit};
use super::piece::{Halves, measures};
use super::solid::{Report, Stage};
use crate::math::Aabb;
use crate::parallel::prelude::*;
use crate::shape::polytope::convex_hull;
use crate::shape::{Mesh, Polytope, Side};
use crate::tuning::decompose::{CELLS_ALONG, CUTS_ALONG};
use glam::DVec3;

/// How far boxes overlap when triangles are clipped to them. Bound: above the 6 * 16 roundings of a corner that six planes cut, in a mesh of size 1.
const OVERLAP: f64 = 1e-12;
/// Final pieces are larger by this many ε of the largest coordinate. Bound: three roundings of a move to the unit of the field, 96 of clipping,
/// three of the move back and eight of the vertices of the enlarged piece.
const LARGER: f64 = 128.0;
/// A piece is scaled about its middle if it grows by no more than this part of its size. Limit: it keeps the number of its vertices then.
const SCALED: f64 = 1e-9;

/// A convex piece that covers part of a mesh.
#[derive(Debug, Clone)]
pub struct ApproximatePiece {
    /// The piece.
    pub hull: Polytope,
    /// No point of the piece is farther than this from the surface of the mesh or from what the mesh encloses: a proved upper bound.
    pub concavity: f64,
}

/// A box of cells, the triangles that enter it, and the hull of what is in it.
#[derive(Debug)]
struct BoxPart {
    low: [usize; 3],
    high: [usize; 3],
    triangles: Vec<u32>,
    hull: Polytope,
    /// Estimated distance of the farthest point of the hull from the mesh.
    reach: f64,
    /// Whether it is not cut any more: no plane cuts it, or it is proved not to reach too far.
    is_whole: bool,
}

/// At most `count` pieces that cover the surface, and the solid if the mesh is closed. They are cut until none reaches farther beyond the mesh
/// than `reach` times its longest side.
pub(super) fn cover(mesh: &Mesh, count: usize, reach: f64, report: Report<'_>) -> Vec<ApproximatePiece> {
    cover_on(mesh, CELLS_ALONG, count.max(1), reach, report)
}

/// [`cover`] on a grid with this many cells along the longest side.
fn cover_on(mesh: &Mesh, cells: usize, count: usize, reach: f64, report: Report<'_>) -> Vec<ApproximatePiece> {
    let unit = Unit::of(&mesh.aabb());
    let moved = unit.as_ref().and_then(|unit| unit.mesh(mesh));
    let (Some(unit), Some(moved)) = (unit, moved) else {
        // All of the mesh is one point, or as good as that.
        return mesh
            .hull()
            .map(|hull| ApproximatePiece { hull: Polytope::clone(hull), concavity: 0.0 })
            .into_iter()
            .collect();
    };
    report(Stage::Cutting, 0, 2 * count);
    let extent = moved.aabb();
    let target = reach * (extent.max - extent.min).max_element();
    let field = Field::new(moved, cells);
    let parts = cut(&field, 2 * count, target, report);
    let hulls = merged(&field, parts, count, target, report);
    report(Stage::Measuring, 0, hulls.len());
    let measured = |piece: &Polytope| {
        let (hull, growth) = enlarged(&unit, piece)?;
        let concavity = field.concavity(&Halves::of(piece), 0.0, f64::INFINITY);
        Some(ApproximatePiece { hull, concavity: unit.length(concavity) + growth })
    };
    hulls.par_iter().map(measured).collect::<Vec<_>>().into_iter().flatten().collect()
}

/// Holes of an open surface that are wider than this part of its longest side are mouths, and stay open. Limit: what a shell encloses is an
/// estimate, and pieces say so.
const MOUTH: f64 = 0.25;

/// A shell with its small holes closed by triangles; the triangles that were there are those before.
pub(super) fn without_small_holes(mesh: &Mesh) -> Mesh {
    let bounds = mesh.aabb();
    let widest = MOUTH * (bounds.max - bounds.min).max_element();
    let filled = mesh.filled();
    // Each loop is filled by two triangles less than it has edges, loop by loop.
    let mut first = filled.mesh.triangles().len() - filled.filled.iter().map(|hole| hole.edges - 2).sum::<usize>();
    let mut triangles = filled.mesh.triangles()[..first].to_vec();
    for hole in &filled.filled {
        let next = first + hole.edges - 2;
        if hole.diameter <= widest {
            triangles.extend(&filled.mesh.triangles()[first..next]);
        }
        first = next;
    }
    Mesh::new(filled.mesh.vertices(), &triangles).unwrap_or(filled.mesh)
}

/// A piece of the field in the unit of the mesh, larger by more than all rounding, and by how much its vertices moved.
fn enlarged(unit: &Unit, piece: &Polytope) -> Option<(Polytope, f64)> {
    let margin = LARGER * f64::EPSILON * unit.largest();
    let points: Vec<DVec3> = piece.vertices().iter().map(|&at| unit.leave(at)).collect();
    let plain = convex_hull(&points).ok()?;
    let middle = plain.center();
    let inner = plain.faces().map(|face| face.offset - face.normal.dot(middle)).fold(f64::INFINITY, f64::min);
    let radius = points.iter().map(|at| (*at - middle).length()).fold(0.0, f64::max);
    // The piece contains a ball of the radius `inner`, so scaling by 1 + s adds s * inner along every normal.
    let part = 2.0 * margin / inner;
    if plain.dimension() == 3 && part > 0.0 && part <= SCALED {
        let scaled: Vec<DVec3> = plain.vertices().iter().map(|&at| at + (at - middle) * part).collect();
        return Some((convex_hull(&scaled).ok()?, 2.0 * part * radius));
    }
    // Thin pieces get a cube at each vertex.
    let cube = |at: DVec3| {
        (0..8).map(move |i| {
            at + margin * DVec3::from_array(std::array::from_fn(|k| if i >> k & 1 == 0 { -1.0 } else { 1.0 }))
        })
    };
    let cubes: Vec<DVec3> = plain.vertices().iter().flat_map(|&at| cube(at)).collect();
    Some((convex_hull(&cubes).ok()?, 2.0 * margin))
}

/// Cuts the grid until every hull is proved to reach no farther than `target`, or there are `most` parts.
fn cut(field: &Field, most: usize, target: f64, report: Report<'_>) -> Vec<BoxPart> {
    let all: Vec<u32> = (0..field.mesh.triangles().len() as u32).collect();
    let mut parts: Vec<BoxPart> = BoxPart::new(field, [0; 3], field.size, &all).into_iter().collect();
    while parts.len() < most {
        // Estimates are cheap, and lower than the proved bounds: these are computed when no estimate is above the target.
        if parts.iter().all(|part| part.is_whole || part.reach <= target) {
            let bounds: Vec<Option<f64>> = parts.par_iter().map(|part| part.proved_reach(field, target)).collect();
            for (part, bound) in parts.iter_mut().zip(bounds) {
                match bound {
                    Some(bound) if bound > target => part.reach = bound,
                    _ => part.is_whole = true,
                }
            }
        }
        let open = (0..parts.len()).filter(|&i| !parts[i].is_whole && parts[i].reach > target);
        let Some(worst) = open.max_by(|&i, &j| parts[i].reach.total_cmp(&parts[j].reach).then(j.cmp(&i))) else {
            break;
        };
        report(Stage::Cutting, parts.len(), most);
        match parts[worst].halves(field) {
            Some(halves) => {
                let _ = parts.swap_remove(worst);
                parts.extend(halves);
            }
            None => parts[worst].is_whole = true,
        }
    }
    parts
}

/// Directions whose extreme points stand for a hull: the axes, diagonals, and those between.
fn directions() -> Vec<DVec3> {
    let mut found = Vec::new();
    let steps = [-2.0, -1.0, 0.0, 1.0, 2.0];
    for x in steps {
        for y in steps {
            for z in steps {
                let at = DVec3::new(x, y, z);
                // One of each pair of parallel ones: without a common factor.
                if at.abs().max_element() == 1.0 || at.abs().max_element() == 2.0 && at.abs().to_array().contains(&1.0)
                {
                    found.push(at);
                }
            }
        }
    }
    found
}

impl BoxPart {
    /// `None` if no triangle enters the box.
    fn new(field: &Field, low: [usize; 3], high: [usize; 3], triangles: &[u32]) -> Option<Self> {
        let bounds = Aabb { min: field.corner(low), max: field.corner(high) }.grown(OVERLAP);
        let mut points = Vec::new();
        let mut entering = Vec::new();
        for &triangle in triangles {
            let corners = field.mesh.corners(triangle);
            if !Aabb::of_points(corners).overlaps(&bounds) {
                continue;
            }
            let ring = clipped(corners, &bounds);
            if !ring.is_empty() {
                entering.push(triangle);
                points.extend(ring);
            }
        }
        if entering.is_empty() {
            return None;
        }
        points.extend(corners(low, high).into_iter().filter(|&at| is_enclosed(field, at)).map(|at| field.corner(at)));
        let hull = convex_hull(&points).ok()?;
        let reach = field.estimate(&Halves::of(&hull));
        Some(Self { low, high, triangles: entering, hull, reach, is_whole: false })
    }

    /// A proved bound on its reach, unless it is whole.
    fn proved_reach(&self, field: &Field, target: f64) -> Option<f64> {
        (!self.is_whole).then(|| field.concavity(&Halves::of(&self.hull), target, target))
    }

    /// The two parts along the best plane; `None` if no plane has surface on both sides.
    fn halves(&self, field: &Field) -> Option<[Self; 2]> {
        let bounds = Aabb { min: field.corner(self.low), max: field.corner(self.high) };
        let samples: Vec<DVec3> = field.samples.iter().copied().filter(|&at| bounds.contains(at)).collect();
        let directions = directions();
        let mut planes: Vec<(f64, usize, usize)> = Vec::new();
        for axis in 0..3 {
            let layers = CutLayers::new(field, axis, self, &samples, &directions);
            let count = self.high[axis] - self.low[axis];
            let step = count.div_ceil(CUTS_ALONG).max(1);
            let places: Vec<usize> = (1..count).filter(|place| place % step == 0 || count < 2 * step).collect();
            let costs: Vec<Option<f64>> = places.par_iter().map(|&place| layers.cost(field, self, place)).collect();
            planes.extend(
                places.iter().zip(costs).filter_map(|(&place, cost)| Some((cost?, axis, self.low[axis] + place))),
            );
        }
        planes.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        planes.into_iter().find_map(|(_, axis, place)| {
            let (mut below, mut above) = (self.high, self.low);
            (below[axis], above[axis]) = (place, place);
            let below = Self::new(field, self.low, below, &self.triangles)?;
            let above = Self::new(field, above, self.high, &self.triangles)?;
            Some([below, above])
        })
    }
}

/// The corners of a box of cells.
fn corners(low: [usize; 3], high: [usize; 3]) -> [[usize; 3]; 8] {
    std::array::from_fn(|i| std::array::from_fn(|k| if i >> k & 1 == 0 { low[k] } else { high[k] }))
}

/// Whether the mesh encloses a corner of cells: exactly for a solid, else as far as the cells around it tell.
fn is_enclosed(field: &Field, corner: [usize; 3]) -> bool {
    if field.mesh.is_solid() {
        field.mesh.side_of(field.corner(corner)) == Side::Inside
    } else {
        field.encloses_corner(corner)
    }
}

/// The extreme samples of the layers of cells of a part, by direction: those below each plane and those above.
struct CutLayers {
    axis: usize,
    below: Vec<Vec<DVec3>>,
    above: Vec<Vec<DVec3>>,
}

impl CutLayers {
    fn new(field: &Field, axis: usize, part: &BoxPart, samples: &[DVec3], directions: &[DVec3]) -> Self {
        let count = part.high[axis] - part.low[axis];
        let mut extremes: Vec<Vec<Option<DVec3>>> = vec![vec![None; directions.len()]; count];
        for &at in samples {
            let layer = field.cell_of(at)[axis].clamp(part.low[axis], part.high[axis] - 1) - part.low[axis];
            for (best, direction) in extremes[layer].iter_mut().zip(directions) {
                if best.is_none_or(|best| direction.dot(at) > direction.dot(best)) {
                    *best = Some(at);
                }
            }
        }
        let gathered = |layers: &mut dyn Iterator<Item = usize>| {
            let mut best: Vec<Option<DVec3>> = vec![None; directions.len()];
            let mut all = vec![Vec::new(); count];
            for layer in layers {
                for ((best, &next), direction) in best.iter_mut().zip(&extremes[layer]).zip(directions) {
                    if let Some(next) = next
                        && best.is_none_or(|best| direction.dot(next) > direction.dot(best))
                    {
                        *best = Some(next);
                    }
                }
                all[layer] = best.iter().flatten().copied().collect();
            }
            all
        };
        let below = gathered(&mut (0..count));
        let above = gathered(&mut (0..count).rev());
        Self { axis, below, above }
    }

    /// Total size of the two hulls if the part is cut before a layer; `None` if one of them is empty.
    fn cost(&self, field: &Field, part: &BoxPart, layer: usize) -> Option<f64> {
        let (below, above) = (&self.below[layer - 1], &self.above[layer]);
        if below.is_empty() || above.is_empty() {
            return None;
        }
        let size = |points: &[DVec3], low: [usize; 3], high: [usize; 3]| {
            let enclosed = corners(low, high).into_iter().filter(|&at| field.encloses_corner(at));
            let points: Vec<DVec3> = points.iter().copied().chain(enclosed.map(|at| field.corner(at))).collect();
            let [volume, area] = measures(&points);
            // Flat parts have an area only.
            volume + field.step * area
        };
        let (mut middle_below, mut middle_above) = (part.high, part.low);
        let place = part.low[self.axis] + layer;
        (middle_below[self.axis], middle_above[self.axis]) = (place, place);
        Some(size(below, part.low, middle_below) + size(above, middle_above, part.high))
    }
}

/// A pair of pieces, described by the hull of both.
struct MergePair {
    pieces: [usize; 2],
    reach: f64,
    /// Volume of the hull without those of the pieces.
    gain: f64,
}

/// Pieces while they are merged.
struct Merge<'f> {
    field: &'f Field,
    /// Each with its volume; `None` once it is part of another.
    pieces: Vec<Option<(Polytope, f64)>>,
}

impl Merge<'_> {
    fn hull(&self, [i, j]: [usize; 2]) -> Option<Polytope> {
        let (Some(one), Some(other)) = (&self.pieces[i], &self.pieces[j]) else { return None };
        let points: Vec<DVec3> = one.0.vertices().iter().chain(other.0.vertices()).copied().collect();
        convex_hull(&points).ok()
    }

    /// `None` if the pieces are apart, unless those count, too.
    fn pair(&self, pieces: [usize; 2], are_apart_wanted: bool) -> Option<MergePair> {
        let [(one, first), (other, second)] = [self.pieces[pieces[0]].as_ref()?, self.pieces[pieces[1]].as_ref()?];
        if !are_apart_wanted && !one.aabb().grown(self.field.step).overlaps(&other.aabb()) {
            return None;
        }
        let hull = self.hull(pieces)?;
        let reach = self.field.estimate(&Halves::of(&hull));
        Some(MergePair { pieces, reach, gain: measures(hull.vertices())[0] - first - second })
    }

    fn pairs(&self, of: &[[usize; 2]], are_apart_wanted: bool) -> Vec<MergePair> {
        of.par_iter()
            .map(|&pieces| self.pair(pieces, are_apart_wanted))
            .collect::<Vec<_>>()
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Pieces that cover what the parts cover. Pairs are merged while their hull does not reach beyond `target`, then until `count` pieces are
/// left.
fn merged(field: &Field, parts: Vec<BoxPart>, count: usize, target: f64, report: Report<'_>) -> Vec<Polytope> {
    let sized = |hull: Polytope| {
        let volume = measures(hull.vertices())[0];
        Some((hull, volume))
    };
    let mut merge = Merge { field, pieces: parts.into_iter().map(|part| sized(part.hull)).collect() };
    let all: Vec<[usize; 2]> = (0..merge.pieces.len()).flat_map(|j| (0..j).map(move |i| [i, j])).collect();
    let mut pairs = merge.pairs(&all, false);
    let mut left = merge.pieces.len();
    let start = left;
    loop {
        report(Stage::Merging, start - left, start);
        let by_gain = |a: &&MergePair, b: &&MergePair| a.gain.total_cmp(&b.gain).then(a.pieces.cmp(&b.pieces));
        let by_reach = |a: &&MergePair, b: &&MergePair| a.reach.total_cmp(&b.reach).then(a.pieces.cmp(&b.pieces));
        let mut best = pairs.iter().filter(|pair| pair.reach <= target).min_by(by_gain);
        if best.is_none() && left > count {
            if pairs.is_empty() {
                pairs = merge.pairs(&all, true);
            }
            best = pairs.iter().min_by(by_reach);
        }
        let Some((pieces @ [i, j], reach)) = best.map(|pair| (pair.pieces, pair.reach)) else { break };
        let Some(hull) = merge.hull(pieces) else { break };
        if reach <= target {
            // The estimate is too low for some.
            let bound = field.concavity(&Halves::of(&hull), target, target);
            if bound > target {
                pairs.iter_mut().filter(|pair| pair.pieces == pieces).for_each(|pair| pair.reach = bound);
                continue;
            }
        }
        (merge.pieces[i], merge.pieces[j]) = (sized(hull), None);
        left -= 1;
        pairs.retain(|pair| !pair.pieces.contains(&i) && !pair.pieces.contains(&j));
        let others: Vec<[usize; 2]> =
            (0..merge.pieces.len()).filter(|&other| other != i).map(|other| [i.min(other), i.max(other)]).collect();
        pairs.extend(merge.pairs(&others, false));
    }
    merge.pieces.into_iter().flatten().map(|(hull, _)| hull).collect()
}

#[cfg(test)]
mod tests;
