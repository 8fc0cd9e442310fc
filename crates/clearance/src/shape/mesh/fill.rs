//! Filling holes: every boundary loop of an open mesh is closed by triangles between its own vertices.
//!
//! An edge that triangles run through more often one way than the other lacks half-edges the opposite way. At every vertex as many
//! half-edges begin as end, in each triangle and therefore in what is lacking, so that the lacking half-edges form closed loops. An edge
//! that all of its two or more triangles run through the same way is the exception: a triangle beside it is flipped, which is no hole.
//! Its half-edges are left out, and loops through them stay open.
//!
//! A loop of up to [`MAX_OPTIMAL`] edges gets the triangulation of the smallest area, by dynamic programming over its chords (Barequet
//! and Sharir, "Filling gaps in the boundary of a polyhedron", 1995). Of a plane loop, that is a triangulation without overlaps. A longer
//! loop is cut by its ears in the projection along its normal, the shortest chord first. Where no corner is an ear (the projection of a
//! bent loop may cross itself), or the work is used up, the shortest chord is taken as it is. So each loop is filled, in bounded time;
//! filling triangles may cross others, which is in the [report](super::Mesh::report) of the new mesh.

use super::Mesh;
use super::topology::for_each_edge;
use crate::math::Aabb;
use crate::math::exact::{Scale, orient2d};
use glam::DVec3;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most edges of a loop that gets the triangulation of the smallest area. Limit: the work per edge grows with the square of their number.
const MAX_OPTIMAL: usize = 100;

/// The most comparisons of a corner with an ear, for all loops of a mesh. Limit: ear clipping grows with the square of the edges of a loop.
const MAX_COMPARISONS: usize = 1 << 28;

/// A boundary loop of an open mesh: its size and its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hole {
    /// The number of edges.
    pub edges: usize,
    /// The length of all edges.
    pub perimeter: f64,
    /// The diagonal of the box around its vertices.
    pub diameter: f64,
    /// The mean of its vertices.
    pub center: DVec3,
}

/// A mesh with its holes filled, and what was filled; see [`Mesh::filled`].
#[derive(Debug, Clone)]
pub struct FilledMesh {
    /// The mesh: the welded triangles in their order, and behind them those that fill holes, loop by loop.
    pub mesh: Mesh,
    /// Every loop that was filled, by `edges - 2` triangles each.
    pub filled: Vec<Hole>,
    /// Chains of boundary edges that do not close, since a triangle beside them is flipped. They are open as before.
    pub left: Vec<Hole>,
}

impl Mesh {
    /// This mesh, [welded](Mesh::welded), with every hole closed by triangles between the vertices of its boundary loop.
    ///
    /// It is a solid ([`Mesh::is_solid`]) unless triangles are flipped. Whether a hole is a fault of the surface or was meant (the mouth of
    /// a cup, the border of a terrain) is not known here; [`FilledMesh::filled`] has the sizes and places.
    ///
    /// ```
    /// use clearance::shape::{Mesh, Side};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let open = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3]])?;
    /// let closed = open.filled();
    /// assert!(closed.mesh.is_solid() && closed.left.is_empty());
    /// assert_eq!(closed.mesh.side_of([0.1, 0.1, 0.1]), Side::Inside);
    ///
    /// let hole = closed.filled[0];
    /// assert_eq!((closed.filled.len(), hole.edges), (1, 3));
    /// assert!((hole.perimeter - (2.0 + 2.0_f64.sqrt())).abs() < 1e-15);
    /// assert!(hole.center.abs_diff_eq([0.0, 1.0 / 3.0, 1.0 / 3.0].into(), 1e-15));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn filled(&self) -> FilledMesh {
        let mesh = self.welded();
        let boundary = MissingEdges::of(&mesh);
        let (loops, chains) = boundary.loops();
        let hole = |corners: &Vec<u32>, is_closed: bool| Hole::of(&mesh, corners, is_closed);
        let filled = loops.iter().map(|corners| hole(corners, true)).collect();
        let left = chains.iter().map(|corners| hole(corners, false)).collect();
        let mut filler =
            Filler { mesh: &mesh, edges: boundary.edges_between, left: MAX_COMPARISONS, added: Vec::new() };
        loops.iter().for_each(|corners| filler.fill(corners));
        let added = filler.added;
        if added.is_empty() {
            return FilledMesh { mesh, filled, left };
        }
        let triangles = [mesh.triangles, added].concat();
        FilledMesh { mesh: Self::built(mesh.vertices, triangles), filled, left }
    }
}

impl Hole {
    fn of(mesh: &Mesh, corners: &[u32], is_closed: bool) -> Self {
        let place = |corner: u32| mesh.vertices[corner as usize];
        let closing = is_closed.then(|| place(corners[corners.len() - 1]).distance(place(corners[0])));
        let sides = corners.windows(2).map(|ends| place(ends[0]).distance(place(ends[1])));
        let bounds = Aabb::of_points(corners.iter().map(|&corner| place(corner)));
        Self {
            edges: corners.len() - usize::from(!is_closed),
            perimeter: sides.chain(closing).sum(),
            diameter: bounds.min.distance(bounds.max),
            center: corners.iter().map(|&corner| place(corner)).sum::<DVec3>() / corners.len() as f64,
        }
    }
}

/// The half-edges that a mesh lacks.
struct MissingEdges {
    /// From and to, in the order of the vertices that they begin at.
    halves: Vec<[u32; 2]>,
    /// Edges of the mesh, the smaller vertex first, whose ends are both on the boundary.
    edges_between: FxHashSet<[u32; 2]>,
}

impl MissingEdges {
    fn of(mesh: &Mesh) -> Self {
        let mut halves = Vec::new();
        for_each_edge(mesh, |[low, high], [forth, back]| {
            let is_flipped = forth.min(back) == 0 && forth.max(back) > 1;
            if !is_flipped {
                let half = if forth > back { [high, low] } else { [low, high] };
                halves.extend(std::iter::repeat_n(half, forth.abs_diff(back)));
            }
        });
        halves.sort_unstable();
        let ends: FxHashSet<u32> = halves.iter().flatten().copied().collect();
        let mut edges_between = FxHashSet::default();
        for_each_edge(mesh, |edge, _| {
            if edge.iter().all(|end| ends.contains(end)) {
                edges_between.insert(edge);
            }
        });
        Self { halves, edges_between }
    }

    /// The half-edges as loops without repeated vertices, and as chains where they do not close.
    fn loops(&self) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let halves = &self.halves;
        // The next half-edge from each vertex that is not used yet.
        let mut unused: FxHashMap<u32, usize> = FxHashMap::default();
        for (i, &[from, _]) in halves.iter().enumerate() {
            unused.entry(from).or_insert(i);
        }
        let mut follow = |from: u32| {
            let next = unused.get_mut(&from)?;
            let &[_, to] = halves.get(*next).filter(|[start, _]| *start == from)?;
            *next += 1;
            Some(to)
        };
        let mut ends: FxHashMap<u32, usize> = FxHashMap::default();
        halves.iter().for_each(|[_, to]| *ends.entry(*to).or_default() += 1);
        // Chains begin where more half-edges begin than end; loops are what is left behind them.
        let starts = halves.chunk_by(|one, other| one[0] == other[0]);
        let excess = starts.flat_map(|same| {
            let surplus = same.len().saturating_sub(ends.get(&same[0][0]).copied().unwrap_or(0));
            std::iter::repeat_n(same[0][0], surplus)
        });
        let (mut loops, mut chains) = (Vec::new(), Vec::new());
        for start in excess.chain(halves.iter().map(|&[from, _]| from)) {
            let mut path = vec![start];
            let mut position: FxHashMap<u32, usize> = FxHashMap::from_iter([(start, 0)]);
            let mut at = start;
            while let Some(to) = follow(at) {
                at = to;
                if let Some(&first) = position.get(&to) {
                    // The path meets itself: cut the loop off.
                    let cut = path.split_off(first + 1);
                    for corner in &cut {
                        position.remove(corner);
                    }
                    loops.push([&[to][..], &cut].concat());
                } else {
                    position.insert(to, path.len());
                    path.push(to);
                }
            }
            if path.len() > 1 {
                chains.push(path);
            }
        }
        (loops, chains)
    }
}

/// Makes the triangles of loops.
struct Filler<'a> {
    mesh: &'a Mesh,
    /// Edges that are in use. A chord along one would be of four triangles or more.
    edges: FxHashSet<[u32; 2]>,
    /// The comparisons that are left.
    left: usize,
    added: Vec<[u32; 3]>,
}

impl Filler<'_> {
    fn fill(&mut self, corners: &[u32]) {
        let start = self.added.len();
        if corners.len() <= MAX_OPTIMAL {
            self.fill_optimally(corners)
        } else {
            self.cut_ears(corners)
        }
        for &[a, b, c] in &self.added[start..] {
            self.edges.extend([[a, b], [b, c], [c, a]].map(|[from, to]| [from.min(to), from.max(to)]));
        }
    }

    fn is_used(&self, a: u32, b: u32) -> bool {
        self.edges.contains(&[a.min(b), a.max(b)])
    }

    /// The places of a loop's corners in a unit of the loop's size, where no product overflows or underflows.
    fn local(&self, corners: &[u32]) -> Vec<DVec3> {
        let place = |corner: u32| self.mesh.vertices[corner as usize];
        let arms: Vec<DVec3> = corners.iter().map(|&corner| place(corner) - place(corners[0])).collect();
        let scale = Scale::of(&arms);
        arms.into_iter().map(|arm| scale.point(arm)).collect()
    }

    /// The triangulation with the fewest faults (chords along edges of the mesh, triangles without an area), and of those the smallest.
    fn fill_optimally(&mut self, corners: &[u32]) {
        let count = corners.len();
        let places = self.local(corners);
        // The best cost of the part of the loop from i to j, and the corner of its triangle at the chord from i to j.
        let mut best = vec![((0_u32, 0.0_f64), 0); count * count];
        for span in 2..count {
            for i in 0..count - span {
                let j = i + span;
                let is_chord = span + 1 < count;
                let own = u32::from(is_chord && self.is_used(corners[i], corners[j]));
                let mut least = ((u32::MAX, f64::INFINITY), i + 1);
                for k in i + 1..j {
                    let [(before, _), (after, _)] = [best[i * count + k], best[k * count + j]];
                    let (fault, size) = cost([places[i], places[k], places[j]]);
                    let cost = (own + before.0 + after.0 + fault, before.1 + after.1 + size);
                    if cost.0 < least.0.0 || (cost.0 == least.0.0 && cost.1 < least.0.1) {
                        least = (cost, k);
                    }
                }
                best[i * count + j] = least;
            }
        }
        let mut open = vec![[0, count - 1]];
        while let Some([i, j]) = open.pop() {
            if j > i + 1 {
                let k = best[i * count + j].1;
                self.added.push([i, k, j].map(|corner| corners[corner]));
                open.extend([[i, k], [k, j]]);
            }
        }
    }

    /// Cuts corners off until a triangle is left: ears before others, short chords before long ones.
    fn cut_ears(&mut self, corners: &[u32]) {
        let count = corners.len();
        let places = self.local(corners);
        let mut ring = Ring::new(&places);
        // Chords by the bits of their squared length, which are in the order of the lengths. An entry expires when a neighbour is cut off.
        let mut stamps = vec![0_u32; count];
        let entry = |ring: &Ring, stamps: &[u32], corner: usize| {
            let chord = places[ring.previous[corner]].distance_squared(places[ring.next[corner]]);
            Reverse((chord.to_bits(), corner, stamps[corner]))
        };
        let mut candidates: BinaryHeap<_> = (0..count).map(|corner| entry(&ring, &stamps, corner)).collect();
        let mut passed: Vec<Reverse<(u64, usize, u32)>> = Vec::new();
        // Was an ear cut since the corners that are no ears were collected? One of them may have become an ear.
        let mut is_changed = false;
        let mut is_forced = false;
        let mut left = count;
        while left > 3 {
            let Some(candidate @ Reverse((_, corner, stamp))) = candidates.pop() else {
                is_forced = !is_changed || self.left == 0;
                is_changed = false;
                candidates.extend(passed.drain(..));
                continue;
            };
            if stamp != stamps[corner] {
                continue;
            }
            let (before, after) = (ring.previous[corner], ring.next[corner]);
            let is_free = !self.is_used(corners[before], corners[after]);
            if !is_forced && self.left > 0 && !(is_free && ring.is_ear(corner, &mut self.left)) {
                passed.push(candidate);
                continue;
            }
            self.added.push([before, corner, after].map(|corner| corners[corner]));
            (is_changed, is_forced) = (true, false);
            left -= 1;
            stamps[corner] = u32::MAX;
            ring.cut(corner);
            for neighbour in [before, after] {
                stamps[neighbour] += 1;
                candidates.push(entry(&ring, &stamps, neighbour));
            }
        }
        if let Some(corner) = (0..count).find(|&corner| stamps[corner] != u32::MAX) {
            self.added.push([ring.previous[corner], corner, ring.next[corner]].map(|corner| corners[corner]));
        }
    }
}

/// One for a triangle without an area, and its area, to which a trace of its sides is added: of triangulations of the same area, that with
/// short chords.
fn cost([a, b, c]: [DVec3; 3]) -> (u32, f64) {
    let (ab, ac) = (b - a, c - a);
    let area = ab.cross(ac).length();
    let sides = ab.length_squared() + ac.length_squared() + b.distance_squared(c);
    // A triangle is degenerate if its area is lost in rounding; the second term prefers short chords among equal areas.
    (u32::from(!(area > 1e-12 * sides)), area + 1e-6 * sides)
}

/// The corners of a loop that are left, in the projection along the axis that its normal is closest to.
struct Ring<'a> {
    places: &'a [DVec3],
    axis: usize,
    /// The sign that makes a left turn positive.
    sign: f64,
    next: Vec<usize>,
    previous: Vec<usize>,
    /// The corners at which the outline does not turn left. An ear with any corner in it has one of these in it.
    reflex: Vec<usize>,
    /// Where in that list a corner is, or `usize::MAX`.
    slots: Vec<usize>,
}

impl<'a> Ring<'a> {
    fn new(places: &'a [DVec3]) -> Self {
        let count = places.len();
        // Newell's normal, from the first corner, which is the origin.
        let normal: DVec3 = places.windows(2).map(|side| side[0].cross(side[1])).sum();
        let size = normal.abs().to_array();
        let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap_or(2);
        let next = (1..count).chain([0]).collect();
        let previous = [count - 1].into_iter().chain(0..count - 1).collect();
        let sign = if normal[axis] < 0.0 { -1.0 } else { 1.0 };
        let mut ring = Self { places, axis, sign, next, previous, reflex: Vec::new(), slots: vec![usize::MAX; count] };
        ring.reflex = (0..count).filter(|&corner| !ring.turns_left(corner)).collect();
        ring.reflex.iter().enumerate().for_each(|(slot, &corner)| ring.slots[corner] = slot);
        ring
    }

    fn turn(&self, [a, b, c]: [DVec3; 3]) -> f64 {
        self.sign * orient2d(self.axis, a, b, c)
    }

    fn ear(&self, corner: usize) -> [DVec3; 3] {
        [self.previous[corner], corner, self.next[corner]].map(|corner| self.places[corner])
    }

    fn turns_left(&self, corner: usize) -> bool {
        self.turn(self.ear(corner)) > 0.0
    }

    /// Does the outline turn left at a corner, with no reflex corner in the triangle or on its border?
    fn is_ear(&self, corner: usize, comparisons: &mut usize) -> bool {
        if !self.turns_left(corner) {
            return false;
        }
        let [a, b, c] = self.ear(corner);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let (u, v) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let is_near = |p: DVec3| low[u] <= p[u] && p[u] <= high[u] && low[v] <= p[v] && p[v] <= high[v];
        let is_in = |p: DVec3| [[a, b, p], [b, c, p], [c, a, p]].into_iter().all(|turn| self.turn(turn) >= 0.0);
        *comparisons = comparisons.saturating_sub(self.reflex.len() + 1);
        let own = [self.previous[corner], corner, self.next[corner]];
        !self.reflex.iter().any(|&other| {
            let place = self.places[other];
            is_near(place) && !own.contains(&other) && is_in(place)
        })
    }

    fn cut(&mut self, corner: usize) {
        let (before, after) = (self.previous[corner], self.next[corner]);
        (self.next[before], self.previous[after]) = (after, before);
        self.forget_reflex(corner);
        for neighbour in [before, after] {
            if self.turns_left(neighbour) {
                self.forget_reflex(neighbour);
            }
        }
    }

    fn forget_reflex(&mut self, corner: usize) {
        let slot = std::mem::replace(&mut self.slots[corner], usize::MAX);
        if slot != usize::MAX {
            self.reflex.swap_remove(slot);
            if let Some(&moved) = self.reflex.get(slot) {
                self.slots[moved] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::mesh::tests::{cubes, of_cubes};
    use fastrand::Rng;
    use std::f64::consts::TAU;

    /// The walls of a prism over an outline that runs counter-clockwise. The rim of its lid is at any height.
    fn open_prism(outline: &[[f64; 2]], height: impl Fn(usize) -> f64) -> Mesh {
        let count = outline.len() as u32;
        let place = |i: usize, z: f64| DVec3::new(outline[i][0], outline[i][1], z);
        let lower = (0..outline.len()).map(|i| place(i, 0.0));
        let vertices: Vec<DVec3> = lower.chain((0..outline.len()).map(|i| place(i, height(i)))).collect();
        let walls = (0..count).flat_map(|i| {
            let j = (i + 1) % count;
            [[i, j, j + count], [i, j + count, i + count]]
        });
        Mesh::new(&vertices, &walls.collect::<Vec<_>>()).unwrap()
    }

    fn area(outline: &[[f64; 2]]) -> f64 {
        let twice = |[a, b]: [[f64; 2]; 2]| a[0] * b[1] - a[1] * b[0];
        (0..outline.len()).map(|i| twice([outline[i], outline[(i + 1) % outline.len()]])).sum::<f64>() / 2.0
    }

    fn circle(count: usize) -> Vec<[f64; 2]> {
        (0..count).map(|i| (i as f64 / count as f64 * TAU).sin_cos()).map(|(y, x)| [x, y]).collect()
    }

    /// Straight parts, narrow teeth, reflex corners.
    fn comb(teeth: usize) -> Vec<[f64; 2]> {
        let mut outline = vec![[0.0, -1.0], [2.0 * teeth as f64, -1.0]];
        outline.extend((0..=2 * teeth).rev().map(|i| [i as f64, if i % 2 == 0 { 0.0 } else { 9.0 }]));
        outline
    }

    fn spiral(count: usize) -> Vec<[f64; 2]> {
        let turn = |i: usize, r: f64| {
            let (y, x) = (i as f64 * 0.05).sin_cos();
            [(r + i as f64 * 0.02) * x, (r + i as f64 * 0.02) * y]
        };
        let outer = (0..count).map(|i| turn(i, 1.5));
        outer.chain((0..count).rev().map(|i| turn(i, 1.0))).collect()
    }

    #[test]
    fn slow_prisms_without_bottom_and_lid_get_their_volume_back() {
        let mut outlines = vec![circle(3), circle(7), circle(MAX_OPTIMAL), circle(500), comb(4), comb(300)];
        outlines.extend([spiral(20), spiral(40), spiral(400)]);
        for outline in outlines {
            let closed = open_prism(&outline, |_| 1.0).filled();
            let (mesh, truth) = (&closed.mesh, area(&outline));
            assert!(mesh.is_solid() && closed.left.is_empty() && closed.filled.len() == 2);
            assert!((mesh.volume() - truth).abs() < 1e-9 * truth, "{} {truth}", mesh.volume());
            let report = mesh.report();
            assert!(report.is_clean(), "{} {:?}", outline.len(), report);
            let edges: usize = closed.filled.iter().map(|hole| hole.edges).sum();
            assert_eq!(edges, 2 * outline.len());
            assert_eq!(closed.filled.iter().map(|hole| hole.center.z).sum::<f64>(), 1.0);
        }
    }

    #[test]
    fn slow_bent_loops_of_every_length_are_filled() {
        for (outline, size) in [(circle(12), 1.0), (circle(4000), 1.0), (comb(30), 20.0), (spiral(500), 5.0)] {
            let closed = open_prism(&outline, |i| 1.0 + size * (i as f64 * 0.7).sin().abs()).filled();
            assert!(closed.mesh.is_solid() && closed.left.is_empty() && closed.mesh.volume() > 0.0);
            assert!(closed.mesh.report().non_manifold_edges.is_empty());
        }
    }

    /// The work that is left after the last comparison is `n log n`: this takes minutes if it is not.
    #[test]
    fn slow_the_work_for_a_loop_of_many_edges_is_bounded() {
        let outline = spiral(30_000);
        let closed = open_prism(&outline, |_| 1.0).filled();
        assert!(closed.mesh.is_solid() && closed.filled[0].edges == outline.len());
    }

    #[test]
    fn slow_meshes_with_triangles_missing_at_random_are_closed_again() {
        let mut rng = Rng::with_seed(41);
        let (mut holes, mut solid) = (0, 0);
        for round in 0..300 {
            let whole = of_cubes(&cubes(&mut rng, 1 + round % 40));
            let keep = rng.f64();
            let kept: Vec<[u32; 3]> = whole.triangles().iter().filter(|_| rng.f64() < keep).copied().collect();
            let Ok(open) = Mesh::new(whole.vertices(), &kept) else { continue };
            let closed = open.filled();
            // Where two solids share an edge and lack opposite triangles there, those that are left look flipped.
            let is_solid = closed.mesh.is_solid();
            assert!(is_solid || !open.report().flipped_edges.is_empty());
            assert!(!is_solid || closed.left.is_empty());
            solid += usize::from(is_solid);
            let triangles: usize = closed.filled.iter().map(|hole| hole.edges - 2).sum();
            assert_eq!(closed.mesh.triangles().len(), kept.len() + triangles);
            holes += closed.filled.len();
        }
        assert!(holes > 1000 && solid > 150, "{holes} {solid}");
    }

    #[test]
    fn one_missing_face_of_cubes_is_put_back_as_it_was() {
        let mut rng = Rng::with_seed(42);
        for round in 0..50 {
            let whole = of_cubes(&cubes(&mut rng, 1 + round % 20));
            let face = 2 * rng.usize(0..whole.triangles().len() / 2);
            let triangles = [&whole.triangles()[..face], &whole.triangles()[face + 2..]].concat();
            let closed = Mesh::new(whole.vertices(), &triangles).unwrap().filled();
            assert!(closed.mesh.is_solid());
            assert!((closed.mesh.volume() - whole.volume()).abs() < 1e-11);
            assert_eq!(closed.filled.len(), 1);
            assert_eq!((closed.filled[0].edges, closed.filled[0].perimeter), (4, 4.0));
        }
    }

    #[test]
    fn flipped_triangles_are_left_and_closed_meshes_stay_as_they_are() {
        let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].map(DVec3::from_array);
        let whole = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let solid = Mesh::new(&corners, &whole).unwrap().filled();
        assert!(solid.mesh.triangles() == whole && solid.filled.is_empty() && solid.left.is_empty());
        // One face is missing, and one beside it flipped: two of three edges are left, in one chain.
        let flipped = Mesh::new(&corners, &[[0, 1, 2], whole[1], whole[2]]).unwrap().filled();
        assert!(!flipped.mesh.is_solid() && flipped.filled.is_empty());
        assert_eq!(flipped.left.iter().map(|chain| chain.edges).sum::<usize>(), 3);
        // Two tetrahedra that share a vertex, each without the face opposite to it, and a loose triangle that shares it as well.
        let tip = Mesh::new(&corners, &[whole[0], whole[1], whole[3]]).unwrap();
        let mut vertices = tip.vertices().to_vec();
        vertices.extend(corners.map(|corner| -corner));
        let mirrored = tip.triangles().iter().map(|&[a, b, c]| [a + 4, c + 4, b + 4]);
        let triangles: Vec<[u32; 3]> = tip.triangles().iter().copied().chain(mirrored).collect();
        let bow_tie = Mesh::new(&vertices, &triangles).unwrap().filled();
        assert!(bow_tie.mesh.report().is_clean() && bow_tie.filled.len() == 2);
        assert!((bow_tie.mesh.volume() - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn a_hole_is_filled_alike_at_every_size() {
        for exponent in [-300, -100, -30, 0, 30, 59] {
            let unit = 10.0_f64.powi(exponent);
            let outline: Vec<[f64; 2]> = comb(4).iter().map(|&[x, y]| [unit * x, unit * y]).collect();
            let closed = open_prism(&outline, |_| unit).filled();
            assert!(closed.mesh.is_solid() && closed.filled.len() == 2, "{exponent}");
        }
    }
}
