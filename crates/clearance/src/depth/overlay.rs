//! Facets of a Minkowski sum by the overlay of two Gauss maps, with a proof that none is missing.
//!
//! The Gauss map of a polytope divides the sphere of directions: the region of a vertex holds the directions in which it is the support point. Corners of
//! regions are face normals; their sides are arcs that belong to edges. The overlay of two Gauss maps is the Gauss map of the Minkowski sum. Each
//! cell belongs to a sum of two vertices. Its corners are the normals of facets: face normals of either polytope, and crossings of two arcs
//! (edge-edge facets).
//!
//! **Theorem.** Let each cell c have a point v_c of the sum M, and let the cones over the cells be all of space. If `n_k·x < n_k·v_c` for each corner
//! n_k of each cell c, then x is inside M. *Proof.* Any u is in the cone of some cell, `u = Σ λ_k n_k` with `λ >= 0`, so
//! `u·x < Σ λ_k n_k·v_c = u·v_c <= h_M(u)`. ∎
//!
//! The theorem does not ask how the cells were found. A wrong support vertex, chosen by rounding, only moves planes inwards. Two facts are checked:
//! * (O1) The cells form a closed surface: along every arc the adjacent cells follow each other from crossing to crossing and match at both ends.
//! * (O2) The surface has winding number one about the origin: the signed count of its triangles that a direction pierces is one. A closed surface with a
//!   nonzero winding number about the origin meets every ray.
//!
//! **Degenerate input.** Parallel faces and edges, of which lattices consist, are resolved by rotating one polytope by about 1e-12, for the decisions
//! only. If a check fails, the overlay returns `None` and `sum.rs` builds the exact hull.

use super::pieces::BodyPiece;
use super::sum::{Facets, distinct};
use glam::DVec3;

/// Rotation vector that resolves parallel faces and edges; its components have no simple ratios. Limit: any rotation is valid, since (O1) and (O2)
/// are checked; this one is above the rounding error of unit vectors, far below angles between faces.
const PERTURBATION: DVec3 = DVec3::new(2.137_9e-12, -2.912_3e-12, 1.711_7e-12);
/// Magnitude from which the sign of a determinant of three unit vectors is certain. Bound: nine products and five sums of numbers below one round by less
/// than 20 ε = 4.4e-15.
const CERTAIN: f64 = 1e-14;
/// Marks a cell without a corner. Layout: no index of a corner.
const NONE: u32 = u32::MAX;

/// An arc of a Gauss map: it goes from the normal of one face to that of another, between the regions of two vertices.
#[derive(Debug, Clone, Copy)]
struct Arc {
    faces: [u32; 2],
    left: u32,
    right: u32,
    /// From the right vertex to the left one, a unit.
    across: DVec3,
}

/// A Gauss map.
#[derive(Debug, Default)]
struct GaussMap {
    points: Vec<DVec3>,
    normals: Vec<DVec3>,
    arcs: Vec<Arc>,
    /// The arcs of the region of vertex v are `around[starts[v]..starts[v + 1]]`.
    around: Vec<u32>,
    starts: Vec<u32>,
}

impl GaussMap {
    /// Fills the map with that of a piece, or of its mirror image.
    fn fill(&mut self, piece: &BodyPiece, is_mirrored: bool) {
        let sign = if is_mirrored { -1.0 } else { 1.0 };
        self.points.clear();
        self.points.extend(piece.vertices.iter().map(|&v| v * sign));
        self.normals.clear();
        self.normals.extend(piece.normals.iter().map(|&n| n * sign));
        self.arcs.clear();
        for edge in &piece.edges {
            // From the left face to the right one, the head is on the left. A mirror image exchanges left and right and reverses the edge, so the vector
            // across the arc, from right to left, stays.
            let [left, right] = if is_mirrored { [edge.tail, edge.head] } else { [edge.head, edge.tail] };
            self.arcs.push(Arc { faces: edge.faces, left, right, across: edge.direction });
        }
        let Self { arcs, around, starts, points, .. } = self;
        let ends = arcs.iter().zip(0..).flat_map(|(arc, i)| [(arc.left, i), (arc.right, i)]);
        group(ends, points.len(), around, starts);
    }
}

/// Where two arcs cross.
#[derive(Debug, Clone, Copy)]
struct ArcCrossing {
    /// The arcs of A and B.
    arcs: [u32; 2],
    /// How far along each, from 0 to 1.
    along: [f64; 2],
    /// Does the arc of A go from the left of that of B to its right?
    is_to_right: bool,
    corner: u32,
}

/// The overlay of two Gauss maps. Its lists are reused by the next overlay.
#[derive(Debug, Default)]
pub struct Overlay {
    a: GaussMap,
    b: GaussMap,
    /// Signed distances of face normals of A from the great circles of arcs of B, one row per face; and with A and B exchanged.
    sides_of_a: Vec<f64>,
    sides_of_b: Vec<f64>,
    /// The signs of `sides_of_a`: a bit per arc of B, a row of words per face of A.
    is_left: Vec<u64>,
    /// The support vertex of B in the direction of each face of A; and with A and B exchanged.
    supports_of_a: Vec<u32>,
    supports_of_b: Vec<u32>,
    turned: Vec<DVec3>,
    crossings: Vec<ArcCrossing>,
    /// Crossings by the arc that they are on: those of arc i are from `starts[i]` to `starts[i + 1]`, in their order along it.
    order: Vec<u32>,
    starts: Vec<u32>,
    /// Two corners may be equal up to rounding.
    has_duplicates: bool,
    /// The corners: faces of A, faces of B, crossings. And the least height of the points of cells around each.
    corners: Vec<DVec3>,
    offsets: Vec<f64>,
    /// Sides of cells: the cell (vertices of A and B), from corner to corner, the cell on the left.
    sides: Vec<[u32; 4]>,
    first_corner: Vec<u32>,
    /// The quadrant of each corner, seen along a direction.
    quadrants: Vec<u8>,
}

impl Overlay {
    /// The facets of the sum of a piece and the mirror image of another, each moved in by `margin`; `None` if a check fails.
    pub fn facets(&mut self, mirrored: &BodyPiece, other: &BodyPiece, margin: f64) -> Option<Facets> {
        self.a.fill(mirrored, true);
        self.b.fill(other, false);
        self.find_sides();
        find_supports(&self.a, &self.b, &self.sides_of_a, &mut self.supports_of_a)?;
        find_supports(&self.b, &self.a, &self.sides_of_b, &mut self.supports_of_b)?;
        self.place_faces();
        self.find_crossings()?;
        self.follow_arcs(0)?;
        self.follow_arcs(1)?;
        self.winds_once()?;
        Some(self.planes(margin))
    }

    /// Computes the sides of arcs on which faces are, with B perturbed.
    fn find_sides(&mut self) {
        let Self { a, b, sides_of_a, sides_of_b, turned, .. } = self;
        turned.clear();
        turned.extend(b.arcs.iter().map(|arc| arc.across + PERTURBATION.cross(arc.across)));
        sides_of_a.clear();
        for n in &a.normals {
            sides_of_a.extend(turned.iter().map(|across| across.dot(*n)));
        }
        sides_of_b.clear();
        for n in &b.normals {
            let turned = *n + PERTURBATION.cross(*n);
            sides_of_b.extend(a.arcs.iter().map(|arc| arc.across.dot(turned)));
        }
    }

    /// Adds the corners at faces, with the least height of the vertices of their cells.
    fn place_faces(&mut self) {
        let Self { a, b, corners, offsets, supports_of_a, supports_of_b, .. } = self;
        corners.clear();
        offsets.clear();
        for (map, other, tops) in [(&*a, &*b, &*supports_of_a), (&*b, &*a, &*supports_of_b)] {
            let first = corners.len();
            corners.extend_from_slice(&map.normals);
            offsets.resize(corners.len(), f64::INFINITY);
            for arc in &map.arcs {
                for face in arc.faces {
                    let n = map.normals[face as usize];
                    let height = n.dot(map.points[arc.left as usize]).min(n.dot(map.points[arc.right as usize]));
                    let offset = &mut offsets[first + face as usize];
                    *offset = offset.min(height);
                }
            }
            for (face, &top) in tops.iter().enumerate() {
                offsets[first + face] += map.normals[face].dot(other.points[top as usize]);
            }
        }
    }

    fn find_crossings(&mut self) -> Option<()> {
        self.crossings.clear();
        self.has_duplicates = false;
        let (of_a, of_b) = (self.a.arcs.len(), self.b.arcs.len());
        self.is_left.clear();
        for row in self.sides_of_a.chunks_exact(of_b.max(1)) {
            let word = |sides: &[f64]| sides.iter().rev().fold(0, |bits, &side| bits << 1 | u64::from(side > 0.0));
            self.is_left.extend(row.chunks(64).map(word));
        }
        let words = of_b.div_ceil(64);
        for (i, arc) in self.a.arcs.iter().enumerate() {
            let [from, to] = arc.faces.map(|face| &self.sides_of_a[face as usize * of_b..(face as usize + 1) * of_b]);
            let ends = arc.faces.map(|face| &self.is_left[face as usize * words..(face as usize + 1) * words]);
            // Arcs of B whose great circle separates the ends.
            let mut between = ends[0].iter().zip(ends[1]).map(|(p, q)| p ^ q);
            let (mut word, mut bits) = (0, between.next().unwrap_or(0));
            loop {
                if bits == 0 {
                    let Some(next) = between.next() else { break };
                    (word, bits) = (word + 64, next);
                    continue;
                }
                let j = word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let (s1, s2) = (from[j], to[j]);
                let other = self.b.arcs[j];
                let [r1, r2] = other.faces.map(|face| self.sides_of_b[face as usize * of_a + i]);
                // Crossing arcs cross each other in opposite senses, unless they are on opposite sides of the sphere.
                if !(s1 * s2 < 0.0 && r1 * r2 < 0.0 && s1 * r1 < 0.0) {
                    continue;
                }
                let ends = arc.faces.map(|face| self.a.normals[face as usize]);
                let other_ends = other.faces.map(|face| self.b.normals[face as usize]);
                let near = ends[0] * s2.abs() + ends[1] * s1.abs();
                if !(near.dot(other_ends[0] * r2.abs() + other_ends[1] * r1.abs()) > 0.0) {
                    return None;
                }
                let corner = self.corners.len() as u32;
                let n = crossing_normal(near, arc.across, other.across)?;
                let least = |map: &GaussMap, arc: &Arc| {
                    n.dot(map.points[arc.left as usize]).min(n.dot(map.points[arc.right as usize]))
                };
                self.offsets.push(least(&self.a, arc) + least(&self.b, &other));
                self.corners.push(n);
                let along = [s1.abs() / (s1.abs() + s2.abs()), r1.abs() / (r1.abs() + r2.abs())];
                // A crossing this close to the end of an arc, 1e-6 of it, may be found twice. The topology is proved afterwards.
                self.has_duplicates |= along.iter().any(|&part| !(part > 1e-6 && part < 1.0 - 1e-6));
                // The crossing of edges that are parallel up to 1e-9 is ill-conditioned.
                self.has_duplicates |= !(arc.across.dot(other.across).abs() < 1.0 - 1e-9);
                let arcs = [i as u32, j as u32];
                self.crossings.push(ArcCrossing { arcs, along, is_to_right: s1 > 0.0, corner });
            }
        }
        Some(())
    }

    /// Check (O1): follows all arcs of A (0) or B (1) from crossing to crossing, and compares the adjacent cells.
    fn follow_arcs(&mut self, which: usize) -> Option<()> {
        let Self { a, b, crossings, order, starts, sides, supports_of_a, supports_of_b, .. } = self;
        if which == 0 {
            sides.clear();
        }
        let count = if which == 0 { a.arcs.len() } else { b.arcs.len() };
        sort_by_arc(crossings, which, count, order, starts);
        let (map, other, tops, first) =
            if which == 0 { (&*a, &*b, supports_of_a, 0) } else { (&*b, &*a, supports_of_b, a.normals.len() as u32) };
        for (i, arc) in map.arcs.iter().enumerate() {
            let mut beside = tops[arc.faces[0] as usize];
            let mut corner = first + arc.faces[0];
            let mut side = |beside: u32, from: u32, to: u32| {
                let cell = |own: u32| if which == 0 { [own, beside] } else { [beside, own] };
                let ([p, q], [r, s]) = (cell(arc.left), cell(arc.right));
                sides.push([p, q, from, to]);
                sides.push([r, s, to, from]);
            };
            for &k in &order[starts[i] as usize..starts[i + 1] as usize] {
                let crossing = crossings[k as usize];
                let crossed = &other.arcs[crossing.arcs[1 - which] as usize];
                // The sense in which B's arc crosses A's is the opposite of that in which A's crosses B's.
                let is_to_right = crossing.is_to_right == (which == 0);
                let [before, after] =
                    if is_to_right { [crossed.left, crossed.right] } else { [crossed.right, crossed.left] };
                if beside != before {
                    return None;
                }
                side(beside, corner, crossing.corner);
                (beside, corner) = (after, crossing.corner);
            }
            if beside != tops[arc.faces[1] as usize] {
                return None;
            }
            side(beside, corner, first + arc.faces[1]);
        }
        Some(())
    }

    /// Check (O2): the surface of all cells winds once around the origin, and no triangle passes through it.
    fn winds_once(&mut self) -> Option<()> {
        // Any direction on no side of a triangle gives the winding number.
        const DIRECTIONS: [DVec3; 3] =
            [DVec3::new(0.211, 0.653, 0.727), DVec3::new(-0.571, 0.377, -0.729), DVec3::new(0.9, -0.3, 0.317)];
        let width = self.b.points.len();
        let cells = self.a.points.len() * width;
        let turns = DIRECTIONS.iter().find_map(|&direction| {
            self.first_corner.clear();
            self.first_corner.resize(cells, NONE);
            // A triangle on one side of a plane through the direction does not have it in its cone.
            let [right, up] = [direction.any_orthogonal_vector(), direction.cross(direction.any_orthogonal_vector())];
            self.quadrants.clear();
            self.quadrants.extend(self.corners.iter().map(|corner| quadrants(corner.dot(right), corner.dot(up))));
            let mut turns = 0;
            for &[p, q, from, to] in &self.sides {
                let apex = &mut self.first_corner[p as usize * width + q as usize];
                if *apex == NONE {
                    *apex = from;
                }
                let triangle = [*apex, from, to];
                let [x, y, z] = triangle.map(|corner| self.quadrants[corner as usize]);
                if x & y & z == 0 {
                    turns += signed_crossing(triangle.map(|corner| self.corners[corner as usize]), direction)?;
                }
            }
            Some(turns)
        });
        (turns == Some(1)).then_some(())
    }

    fn planes(&self, margin: f64) -> Facets {
        if self.has_duplicates {
            return distinct(self.corners.iter().copied().zip(self.offsets.iter().map(|b| b - margin)).collect());
        }
        Facets { normals: self.corners.clone(), offsets: self.offsets.iter().map(|offset| offset - margin).collect() }
    }
}

/// The unit vector orthogonal to both edges, next to where the perturbed arcs cross.
fn crossing_normal(near: DVec3, across_a: DVec3, across_b: DVec3) -> Option<DVec3> {
    let near = near.try_normalize()?;
    // Orthogonal to the edge of A, up to rounding.
    let upright = |n: DVec3| (n - across_a * across_a.dot(n)).normalize_or_zero();
    let cross = across_a.cross(across_b);
    let cross = upright(upright(if cross.dot(near) < 0.0 { -cross } else { cross }));
    // For nearly parallel edges the cross product is ill-conditioned. `near` is then off by no more than the perturbation.
    let n = if cross.distance_squared(near) < 1e-12 { cross } else { upright(near) };
    (n.length_squared() > 0.5).then_some(n)
}

/// Signed crossing of a direction with the cone of a triangle of unit vectors: 1 if the triangle is counter-clockwise seen from outside, -1 if clockwise, 0 if
/// the direction misses the cone. `None` if that is uncertain, or if the triangle may contain the origin.
fn signed_crossing([x, y, z]: [DVec3; 3], direction: DVec3) -> Option<i32> {
    let [xy, yz, zx] = [x.dot(y), y.dot(z), z.dot(x)];
    // A triangle that contains the origin subtends an angle of at least 120 degrees there.
    if xy.min(yz).min(zx) < -0.49 {
        let is_through = !(x.dot(y.cross(z)).abs() > CERTAIN) && !is_in_half_circle(x, y, z);
        // Opposite directions up to 1e-9 have no plane in doubles.
        if is_through || !(yz > 1e-9 - 1.0) {
            return None;
        }
    // 1e-6 is far above the rounding of products of unit vectors.
    } else if xy.min(yz).min(zx) > 0.0 && direction.dot(x) < xy.min(zx) - 1e-6 {
        // With sides below 90 degrees no point of the triangle is farther from a corner than another corner is.
        return Some(0);
    }
    // A degenerate triangle has no cone.
    if x == y || x == z {
        return Some(0);
    }
    let parts = [direction.dot(y.cross(z)), direction.dot(z.cross(x)), direction.dot(x.cross(y))];
    let (has_positive, has_negative) = (parts.iter().any(|&p| p > CERTAIN), parts.iter().any(|&p| p < -CERTAIN));
    if has_positive && has_negative {
        return Some(0);
    }
    if parts.iter().any(|part| !(part.abs() > CERTAIN)) {
        // A cone as thin as a ray that points elsewhere. Parallel faces and edges have such cones.
        let width = x.distance(y).max(x.distance(z));
        // Thin means 1e-6, elsewhere means a thousand times that.
        return (width < 1e-6 && direction.distance(x) > 1e-3).then_some(0);
    }
    // All of one sign: the direction or its opposite is inside, by the sign of the determinant.
    let det = x.dot(y.cross(z));
    match () {
        () if !(det.abs() > CERTAIN) => None,
        () if (det > 0.0) != has_positive => Some(0),
        () => Some(if det > 0.0 { 1 } else { -1 }),
    }
}

/// The certain signs of two heights, a bit for each.
fn quadrants(x: f64, y: f64) -> u8 {
    u8::from(x > 1e-9) | u8::from(x < -1e-9) << 1 | u8::from(y > 1e-9) << 2 | u8::from(y < -1e-9) << 3
}

/// Counting sort of entries by their group, stable: those of group i are `order[starts[i]..starts[i + 1]]`.
fn group(entries: impl Iterator<Item = (u32, u32)> + Clone, count: usize, order: &mut Vec<u32>, starts: &mut Vec<u32>) {
    starts.clear();
    starts.resize(count + 1, 0);
    let mut all = 0;
    for (group, _) in entries.clone() {
        starts[group as usize + 1] += 1;
        all += 1;
    }
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    order.clear();
    order.resize(all, 0);
    for (group, entry) in entries {
        let start = &mut starts[group as usize];
        order[*start as usize] = entry;
        *start += 1;
    }
    // Each start has advanced to the next one's value.
    starts.rotate_right(1);
    starts[0] = 0;
}

/// Crossings by the arc of A (0) or B (1) that they are on, and by their order along it.
fn sort_by_arc(crossings: &[ArcCrossing], which: usize, arcs: usize, order: &mut Vec<u32>, starts: &mut Vec<u32>) {
    group(crossings.iter().zip(0..).map(|(crossing, k)| (crossing.arcs[which], k)), arcs, order, starts);
    let along = |k: u32| crossings[k as usize].along[which];
    for i in 0..arcs {
        // Insertion sort: an arc has a handful of crossings.
        let own = &mut order[starts[i] as usize..starts[i + 1] as usize];
        for end in 1..own.len() {
            let mut at = end;
            while at > 0 && along(own[at - 1]) > along(own[at]) {
                own.swap(at - 1, at);
                at -= 1;
            }
        }
    }
}

/// Are three coplanar directions in an open half-plane?
fn is_in_half_circle(x: DVec3, y: DVec3, z: DVec3) -> bool {
    let is_between = |p: DVec3, q: DVec3, r: DVec3| {
        let middle = p + q;
        // 1e-9 is far above the rounding of products of unit vectors.
        middle.dot(p) > 1e-9 && middle.dot(q) > 1e-9 && middle.dot(r) > 1e-9
    };
    is_between(x, y, z) || is_between(y, z, x) || is_between(z, x, y)
}

/// The support vertex of a map in the direction of each face of another, by hill climbing over the signs of edges; `None` if it cycles.
fn find_supports(faces: &GaussMap, map: &GaussMap, sides: &[f64], tops: &mut Vec<u32>) -> Option<()> {
    tops.clear();
    let count = map.arcs.len();
    for (face, n) in faces.normals.iter().enumerate() {
        let mut top = 0;
        let mut best = f64::NEG_INFINITY;
        for (v, point) in (0..).zip(&map.points) {
            let height = n.dot(*point);
            if height > best {
                (top, best) = (v, height);
            }
        }
        let signs = &sides[face * count..(face + 1) * count];
        // Climbs along an edge to its higher end, as long as there is one.
        let mut steps = 0;
        while let Some(next) = {
            let around = &map.around[map.starts[top as usize] as usize..map.starts[top as usize + 1] as usize];
            around.iter().find_map(|&i| {
                let arc = &map.arcs[i as usize];
                let [lower, higher] =
                    if signs[i as usize] > 0.0 { [arc.right, arc.left] } else { [arc.left, arc.right] };
                (lower == top).then_some(higher)
            })
        } {
            top = next;
            steps += 1;
            if steps > map.points.len() {
                return None;
            }
        }
        tops.push(top);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depth::pieces::{PiecePlacement, pieces_of};
    use crate::math::{Frame, Pose};
    use crate::shape::Shape;
    use crate::shape::polytope::convex_hull;
    use fastrand::Rng;
    use glam::DQuat;

    fn piece(points: &[DVec3], pose: Pose) -> BodyPiece {
        let shape = Shape::hull(points).unwrap();
        pieces_of(&shape, &PiecePlacement { frame: Frame::from(pose), unit: 1.0 }).list.remove(0)
    }

    /// The planes of the overlay against the hull of all differences of vertices: each supports it, and none of the hull's is missing.
    #[test]
    fn slow_an_overlay_has_the_facets_of_the_exact_hull() {
        let mut rng = Rng::with_seed(11);
        let mut overlay = Overlay::default();
        let mut proved = [0; 5];
        for round in 0..600 {
            let cloud = |rng: &mut Rng| -> Vec<DVec3> {
                let count = rng.usize(4..20);
                (0..count).map(|_| DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 0.3 - 0.15).collect()
            };
            let block = |rng: &mut Rng| -> Vec<DVec3> {
                let half = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 0.2 + 0.01;
                let sign = |i: u32, k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
                (0..8).map(|i| half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect()
            };
            let q = DQuat::from_xyzw(rng.f64(), rng.f64(), rng.f64(), rng.f64()).normalize();
            // Clouds, boxes turned alike, boxes turned alike up to a negligible angle, a cloud and itself.
            let (p, q, turn) = match round % 5 {
                0 => (cloud(&mut rng), cloud(&mut rng), q),
                1 => (block(&mut rng), block(&mut rng), DQuat::IDENTITY),
                2 => (block(&mut rng), block(&mut rng), DQuat::from_axis_angle(DVec3::X, 0.1_f64.powi(round % 17))),
                3 => {
                    let same = cloud(&mut rng);
                    (same.clone(), same, DQuat::IDENTITY)
                }
                _ => (cloud(&mut rng), block(&mut rng), DQuat::from_axis_angle(DVec3::Y, 1e-9 * rng.f64())),
            };
            let (p, q) = (piece(&p, Pose::IDENTITY), piece(&q, Pose::from_rotation(turn)));
            let points: Vec<DVec3> =
                q.vertices.iter().flat_map(|to| p.vertices.iter().map(move |from| *to - *from)).collect();
            let hull = convex_hull(&points).unwrap();
            let Some(facets) = overlay.facets(&p, &q, 0.0) else { continue };
            proved[round as usize % 5] += 1;
            for (n, b) in facets.normals.iter().zip(&facets.offsets) {
                let height = points.iter().map(|v| n.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
                assert!((height - b).abs() < 2e-11, "{round}: {n} {b} {height}");
            }
            // Inside of all planes is inside of the hull: from the middle along every facet of the hull and at random.
            let ways = hull.faces().map(|face| face.normal).chain(
                (0..50).map(|_| DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5).normalize_or_zero()),
            );
            for way in ways {
                let reach = |n: DVec3, b: f64| {
                    let rise = n.dot(way);
                    if rise > 0.0 { (b - n.dot(hull.center())) / rise } else { f64::INFINITY }
                };
                let found = facets.normals.iter().zip(&facets.offsets).map(|(n, b)| reach(*n, *b));
                let truth = hull.faces().map(|face| reach(face.normal, face.offset));
                let [found, truth] = [found.fold(f64::INFINITY, f64::min), truth.fold(f64::INFINITY, f64::min)];
                assert!(found <= truth * (1.0 + 1e-14) + 1e-15, "{round}: {way} {found} {truth}");
                assert!(found > truth - 1e-9, "{round}: {way} {found} {truth}");
            }
        }
        assert!(proved.iter().all(|&count| count > 100), "most are proved: {proved:?}");
    }

    /// A crossing that is left out is noticed: the cells no longer fit.
    #[test]
    fn a_missing_facet_is_noticed() {
        let mut rng = Rng::with_seed(12);
        let cloud: Vec<DVec3> = (0..12).map(|_| DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 0.3).collect();
        let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
        let (p, q) = (piece(&cloud, Pose::IDENTITY), piece(&cloud, turned));
        let mut overlay = Overlay::default();
        assert!(overlay.facets(&p, &q, 0.0).is_some());
        let crossings = overlay.crossings.clone();
        assert!(crossings.len() > 10);
        for left_out in 0..crossings.len() {
            overlay.crossings = crossings.clone();
            overlay.crossings.remove(left_out);
            assert!(overlay.follow_arcs(0).and_then(|()| overlay.follow_arcs(1)).is_none());
        }
    }
}
