//! Solids cut along their reflex edges, where the surface is concave.
//!
//! A solid without reflex edges is convex, or a union of separate convex parts. A part with reflex edges is cut by a plane through one of them.
//! Among many candidate planes, the one that leaves the fewest reflex edges is taken. For a ring this is a plane across it, through all
//! edges of a section (Chazelle, *Convex partitions of polyhedra*, 1984, uses such planes, one edge at a time).
//!
//! Invariant: everything here is computed in doubles with a tolerance. Each piece is shrunk slightly until `inclusion.rs` *proves* that it is
//! inside. Slivers of that width stay uncovered between pieces, so these are inner pieces only.

use super::inclusion::prove_inner;
use crate::shape::polytope::convex_hull;
use crate::shape::{Mesh, Polytope, Side};
use crate::tuning::decompose::CUTS_TRIED;
use crate::tuning::decompose::INSET_CORNERS;
use glam::DVec3;
use rustc_hash::FxHashMap;

/// A point this close to a plane is on it, as a part of the size. Bound: a thousand times the error of a plane in doubles; `inclusion.rs`
/// proves the pieces.
const ON: f64 = 1e-10;

/// A reflex edge, or the part of it that cuts have left.
#[derive(Debug, Clone)]
struct ReflexEdge {
    ends: [DVec3; 2],
    /// Numbers of the vertices it was between.
    vertices: [u32; 2],
    /// From the edge into each of its two triangles, across the edge.
    inward: [DVec3; 2],
    /// Outward normals of these.
    normals: [DVec3; 2],
}

/// `normal·x = offset`, with a unit normal.
#[derive(Debug, Clone, Copy)]
struct CutPlane {
    normal: DVec3,
    offset: f64,
}

impl CutPlane {
    fn through(point: DVec3, normal: DVec3) -> Option<Self> {
        let normal = normal.try_normalize()?;
        Some(Self { normal, offset: normal.dot(point) })
    }

    fn height(&self, x: DVec3) -> f64 {
        self.normal.dot(x) - self.offset
    }

    fn flipped(self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }
}

/// The part of a solid in a convex cell.
#[derive(Debug, Clone)]
struct SolidPart {
    /// The parts of triangles in the cell, each with its outward normal.
    surface: Vec<(Vec<DVec3>, DVec3)>,
    edges: Vec<ReflexEdge>,
    /// The faces of the cell.
    cell: Vec<Vec<DVec3>>,
}

/// Convex pieces of a solid, each proved to be inside, with all of its volume except for slivers; `None` if there are too many.
pub(super) fn reflex_pieces(mesh: &Mesh, most: usize) -> Option<Vec<Polytope>> {
    let whole = whole(mesh)?;
    let bounds = mesh.aabb();
    let tolerance = ON * (bounds.max - bounds.min).max_element();
    let mut parts = vec![whole];
    let mut convex = Vec::new();
    while let Some(part) = parts.pop() {
        if parts.len() + convex.len() >= most {
            return None;
        }
        if let Some(plane) = best_plane(&part, tolerance) {
            parts.push(part.below(plane, tolerance));
            parts.push(part.below(plane.flipped(), tolerance));
        } else if !part.is_empty() {
            convex.push(part);
        }
    }
    // Proofs cost more than cuts, so they wait until all cuts are made.
    let mut pieces: Vec<Polytope> = Vec::new();
    for part in &convex {
        pieces.extend(part.pieces(mesh, tolerance));
        if pieces.len() > most {
            return None;
        }
    }
    let volume: f64 = pieces.iter().map(volume).sum();
    // A filter only, for cuts that went wrong: each piece is proved to be inside the solid.
    ((volume - mesh.volume().abs()).abs() <= 1e-6 * volume).then_some(pieces)
}

/// A sixth of the sum of the determinants of all triangles, seen from the middle.
pub(super) fn volume(piece: &Polytope) -> f64 {
    let at = |v: u32| piece.vertex(v) - piece.center();
    let of_face = |face: crate::shape::polytope::Face<'_>| -> f64 {
        let fan = face.vertices.windows(2).skip(1);
        fan.map(|pair| at(face.vertices[0]).dot(at(pair[0]).cross(at(pair[1])))).sum()
    };
    piece.faces().map(of_face).sum::<f64>() / 6.0
}

/// The solid as one part; `None` if some edge does not have exactly two triangles.
fn whole(mesh: &Mesh) -> Option<SolidPart> {
    if !mesh.is_solid() {
        return None;
    }
    let sign = mesh.volume().signum();
    let bounds = mesh.aabb();
    let size = (bounds.max - bounds.min).max_element();
    let mut surface = Vec::new();
    let mut sides: FxHashMap<[u32; 2], (DVec3, DVec3)> = FxHashMap::default();
    for (t, &corners) in (0..).zip(mesh.triangles()) {
        let at = mesh.corners(t);
        let Some(normal) = ((at[1] - at[0]).cross(at[2] - at[0]) * sign).try_normalize() else { continue };
        surface.push((at.to_vec(), normal));
        for k in 0..3 {
            let key = [corners[k], corners[(k + 1) % 3]];
            if sides.insert(key, (at[(k + 2) % 3], normal)).is_some() {
                return None;
            }
        }
    }
    let mut edges = Vec::new();
    let mut keys: Vec<[u32; 2]> = sides.keys().copied().filter(|key| key[0] < key[1]).collect();
    keys.sort_unstable();
    for key in keys {
        let (Some(&(left, n)), Some(&(right, m))) = (sides.get(&key), sides.get(&[key[1], key[0]])) else { continue };
        let ends = key.map(|v| mesh.vertices()[v as usize]);
        // The other triangle rises above the plane of this one.
        if n.dot(right - ends[0]) > ON * size && m.dot(left - ends[0]) > ON * size {
            let along = (ends[1] - ends[0]).try_normalize()?;
            let across = |apex: DVec3| {
                let arm = apex - ends[0];
                (arm - along * along.dot(arm)).normalize_or_zero()
            };
            edges.push(ReflexEdge { ends, vertices: key, inward: [across(left), across(right)], normals: [n, m] });
        }
    }
    Some(SolidPart { surface, edges, cell: box_faces(bounds.min, bounds.max, size) })
}

/// The faces of a box that is a little larger.
fn box_faces(min: DVec3, max: DVec3, size: f64) -> Vec<Vec<DVec3>> {
    let (min, max) = (min - 0.1 * size, max + 0.1 * size);
    let corner = |i: usize| DVec3::new([min, max][i & 1].x, [min, max][i >> 1 & 1].y, [min, max][i >> 2].z);
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    quads.iter().map(|quad| quad.iter().map(|&i| corner(i)).collect()).collect()
}

/// The plane through reflex edges that resolves the most and crosses the fewest; `None` if there are no reflex edges.
fn best_plane(part: &SolidPart, tolerance: f64) -> Option<CutPlane> {
    let edges = &part.edges;
    let mut at_vertex: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (i, edge) in edges.iter().enumerate() {
        edge.vertices.iter().for_each(|&v| at_vertex.entry(v).or_default().push(i));
    }
    let mut best: Option<(f64, CutPlane)> = None;
    let mut consider = |plane: Option<CutPlane>| {
        let Some(plane) = plane else { return };
        let mut resolved = 0.0;
        let (mut crossed, mut balance) = (0.0, 0.0_f64);
        for edge in edges {
            let [from, to] = edge.ends.map(|end| plane.height(end));
            if from.abs() <= tolerance && to.abs() <= tolerance {
                resolved += f64::from(u8::from(edge.is_resolved_by(&plane)));
            } else if from.min(to) < -tolerance && from.max(to) > tolerance {
                crossed += 1.0;
            } else {
                balance += (from + to).signum();
            }
        }
        let score = resolved - crossed - 0.01 * balance.abs();
        if resolved > 0.0 && best.is_none_or(|best| score > best.0) {
            best = Some((score, plane));
        }
    };
    let step = edges.len().div_ceil(CUTS_TRIED).max(1);
    for edge in edges.iter().step_by(step) {
        let [from, to] = edge.ends;
        // Planes of its two triangles, the bisecting plane, and planes through each adjacent edge.
        consider(CutPlane::through(from, edge.normals[0]));
        consider(CutPlane::through(from, edge.normals[1]));
        consider(CutPlane::through(from, (to - from).cross(edge.normals[0] + edge.normals[1])));
        for &next in edge.vertices.iter().flat_map(|v| at_vertex.get(v).into_iter().flatten()) {
            let [u, v] = edges[next].ends;
            let normal = (to - from).normalize_or_zero().cross((v - u).normalize_or_zero());
            // Edges at a smaller angle span no plane: squares of sines, 1e-6 each.
            if normal.length_squared() > 1e-12 {
                consider(CutPlane::through(from, normal));
            }
        }
    }
    best.map(|(_, plane)| plane)
}

impl ReflexEdge {
    /// Whether the plane cuts the angle at the edge into two that are not reflex: its triangles are on different sides.
    fn is_resolved_by(&self, plane: &CutPlane) -> bool {
        let [p, q] = self.inward.map(|direction| direction.dot(plane.normal));
        // An angle of 1e-9 more than a half turn counts as resolved: planes of doubles are no better.
        p.min(q) <= 1e-9 && p.max(q) >= -1e-9
    }

    /// The part below a plane.
    fn below(&self, plane: &CutPlane, tolerance: f64) -> Option<Self> {
        let [from, to] = self.ends.map(|end| plane.height(end));
        if from.abs() <= tolerance && to.abs() <= tolerance {
            let is_below = self.inward.iter().map(|direction| direction.dot(plane.normal)).sum::<f64>() < 0.0;
            return (!self.is_resolved_by(plane) && is_below).then(|| self.clone());
        }
        if from.min(to) >= -tolerance {
            return None;
        }
        let mut cut = self.clone();
        if from.max(to) > tolerance {
            let at = self.ends[0] + (self.ends[1] - self.ends[0]) * (from / (from - to));
            cut.ends[usize::from(to > from)] = at;
        }
        Some(cut)
    }
}

/// The part of a polygon below a plane; empty if that has no area.
fn clipped(polygon: &[DVec3], plane: &CutPlane, tolerance: f64) -> Vec<DVec3> {
    let side = |x: DVec3| {
        let height = plane.height(x);
        if height.abs() <= tolerance { 0.0 } else { height }
    };
    let mut left = Vec::with_capacity(polygon.len() + 1);
    let mut is_inside = false;
    for (i, &from) in polygon.iter().enumerate() {
        let to = polygon[(i + 1) % polygon.len()];
        let (here, there) = (side(from), side(to));
        is_inside |= here < 0.0;
        if here <= 0.0 {
            left.push(from);
        }
        if here * there < 0.0 {
            left.push(from + (to - from) * (here / (here - there)));
        }
    }
    if is_inside && left.len() >= 3 { left } else { Vec::new() }
}

impl SolidPart {
    /// No surface: outside, or a cell that is inside as a whole.
    fn is_empty(&self) -> bool {
        self.surface.is_empty() && self.cell.is_empty()
    }

    fn below(&self, plane: CutPlane, tolerance: f64) -> Self {
        let mut surface = Vec::new();
        for (polygon, normal) in &self.surface {
            let is_on = polygon.iter().all(|&x| plane.height(x).abs() <= tolerance);
            if is_on {
                // The solid is behind it.
                if normal.dot(plane.normal) > 0.0 {
                    surface.push((polygon.clone(), *normal));
                }
                continue;
            }
            let left = clipped(polygon, &plane, tolerance);
            if !left.is_empty() {
                surface.push((left, *normal));
            }
        }
        let edges = self.edges.iter().filter_map(|edge| edge.below(&plane, tolerance)).collect();
        let mut cell: Vec<Vec<DVec3>> =
            self.cell.iter().map(|face| clipped(face, &plane, tolerance)).filter(|face| !face.is_empty()).collect();
        // The new face, around the middle of its corners.
        let mut cap: Vec<DVec3> =
            cell.iter().flatten().copied().filter(|&x| plane.height(x).abs() <= tolerance).collect();
        let middle = cap.iter().sum::<DVec3>() / cap.len().max(1) as f64;
        let u = plane.normal.any_orthonormal_vector();
        let v = plane.normal.cross(u);
        let angle = |x: &DVec3| libm::atan2(v.dot(*x - middle), u.dot(*x - middle));
        cap.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
        cap.dedup_by(|p, q| p.distance_squared(*q) <= tolerance * tolerance);
        if cap.len() >= 3 {
            cell.push(cap);
        }
        Self { surface, edges, cell }
    }

    /// The pieces of a part without reflex edges: its hull, or the hulls of its connected components.
    fn pieces(&self, mesh: &Mesh, tolerance: f64) -> Vec<Polytope> {
        let mut corners: Vec<DVec3> = self.cell.iter().flatten().copied().collect();
        corners.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)));
        corners.dedup_by(|p, q| p.distance_squared(*q) <= tolerance * tolerance);
        corners.retain(|&corner| mesh.side_of(corner) == Side::Inside);
        let mut all: Vec<DVec3> = self.surface.iter().flat_map(|(polygon, _)| polygon).copied().collect();
        all.extend(&corners);
        if let Some(piece) = proved(mesh, &all) {
            return vec![piece];
        }
        let components = connected_components(&self.surface, tolerance);
        if components.len() < 2 {
            Vec::new()
        } else {
            components.iter().filter_map(|group| proved(mesh, group)).collect()
        }
    }
}

/// The hull of points, shrunk until it is proved to be inside.
pub(super) fn proved(mesh: &Mesh, points: &[DVec3]) -> Option<Polytope> {
    if points.len() < 4 {
        return None;
    }
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    INSET_CORNERS.iter().find_map(|&by| {
        let drawn: Vec<DVec3> = points.iter().map(|&x| x - (x - middle) * by).collect();
        let piece = convex_hull(&drawn).ok().filter(|piece| piece.dimension() == 3)?;
        prove_inner(mesh, &piece).is_proven().then_some(piece)
    })
}

/// The corners of polygons that share corners, group by group.
fn connected_components(surface: &[(Vec<DVec3>, DVec3)], tolerance: f64) -> Vec<Vec<DVec3>> {
    let mut group: Vec<usize> = (0..surface.len()).collect();
    fn root(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    let mut seen: FxHashMap<[i64; 3], usize> = FxHashMap::default();
    for (i, (polygon, _)) in surface.iter().enumerate() {
        for corner in polygon {
            let key = (*corner / (64.0 * tolerance)).to_array().map(|x| x.round() as i64);
            let other = *seen.entry(key).or_insert(i);
            let (p, q) = (root(&mut group, i), root(&mut group, other));
            group[p.max(q)] = p.min(q);
        }
    }
    let mut groups: Vec<(usize, Vec<DVec3>)> = Vec::new();
    for (i, (polygon, _)) in surface.iter().enumerate() {
        let of = root(&mut group, i);
        match groups.iter_mut().find(|(number, _)| *number == of) {
            Some((_, corners)) => corners.extend(polygon),
            None => groups.push((of, polygon.clone())),
        }
    }
    groups.into_iter().map(|(_, corners)| corners).collect()
}
