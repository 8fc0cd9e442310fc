//! The surface from which the hierarchy removes vertices one by one: a triangulated hull.
//!
//! Only the graph is kept: around every vertex its neighbours, counter-clockwise seen from outside. Edges come in pairs of
//! half-edges `h` and `h ^ 1`, one leaving each end, so that an edge is taken out of the ring of a vertex of any degree in
//! constant time. A flat polygon is a ring of vertices with two neighbours each.
//!
//! ```text
//!      l2 ------ l1             l2 ------ l1         removing u: the ring of l1 was .. l2, u, l0 ..
//!      | \      / |             | ˙·.     |          and becomes .. l2, (chords), l0 ..
//!      |    u     |     ->      |    ˙·.  |          chords in the order of their ends around u
//!      | /      \ |             |       ˙·|
//!      l3 ------ l0             l3 ------ l0
//! ```

use arrayvec::ArrayVec;
use clearance::internals::exact::{Scale, orient3d};
use clearance::math::DVec3;
use clearance::shape::Polytope;

/// Only vertices with at most this many neighbours are removed. In a triangulated surface of n vertices the degrees sum up to 6n - 12, so more than
/// n/2 of them have at most 8. Choosing one blocks at most 8 more. So a greedy choice of vertices that are not neighbours takes n/18 or more.
pub const MAX_DEGREE: usize = 8;

const NONE: u32 = u32::MAX;

pub(super) struct HullSurface {
    /// Scaled as exact predicates need it.
    points: Vec<DVec3>,
    /// A half-edge that leaves the vertex.
    leaving: Vec<u32>,
    degrees: Vec<u32>,
    /// The vertex that a half-edge leads to.
    heads: Vec<u32>,
    /// The next half-edge that leaves the same vertex, counter-clockwise, and the one before.
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl HullSurface {
    /// The surface of a solid or a flat polygon, faces cut into triangles.
    pub fn new(polytope: &Polytope) -> Self {
        let scale = Scale::of(polytope.vertices());
        let (vertex_count, edge_count) = (polytope.vertex_count(), polytope.edge_count());
        let mut surface = Self {
            points: polytope.vertices().iter().map(|&v| scale.point(v)).collect(),
            leaving: vec![NONE; vertex_count],
            degrees: vec![0; vertex_count],
            heads: Vec::with_capacity(8 * edge_count),
            next: vec![NONE; 2 * edge_count],
            previous: vec![NONE; 2 * edge_count],
        };
        for e in 0..edge_count as u32 {
            let edge = polytope.edge(e);
            surface.heads.extend([edge.head, edge.tail]);
        }
        let from = |v: u32, e: u32| 2 * e + u32::from(polytope.edge(e).tail != v);
        for v in 0..vertex_count as u32 {
            let star = polytope.vertex_edges(v);
            for (i, &e) in star.iter().enumerate() {
                let (this, after) = (from(v, e), from(v, star[(i + 1) % star.len()]));
                surface.next[this as usize] = after;
                surface.previous[after as usize] = this;
            }
            surface.leaving[v as usize] = star.first().map_or(NONE, |&e| from(v, e));
            surface.degrees[v as usize] = star.len() as u32;
        }
        if polytope.dimension() == 3 {
            for f in 0..polytope.face_count() as u32 {
                let face = polytope.face(f);
                let sides = face.vertices.iter().zip(face.edges).map(|(&v, &e)| from(v, e));
                surface.zigzag(&sides.collect::<Vec<_>>());
            }
        }
        surface
    }

    /// Cuts a face into triangles by chords that go from side to side: no corner gets more than two, where a fan would
    /// make one of them a neighbour of all.
    fn zigzag(&mut self, sides: &[u32]) {
        let (mut low, mut high) = (0, sides.len() - 1);
        let tail = |surface: &Self, side: u32| surface.heads[side as usize ^ 1];
        for step in 0..sides.len().saturating_sub(3) {
            if step % 2 == 0 {
                low += 1;
            } else {
                high -= 1;
            }
            let chord = self.chord(tail(self, sides[low]), tail(self, sides[high]));
            // Later chords are closer to the side that leaves the low corner, and to the one that enters the high one.
            self.insert_before(chord, self.next[sides[low] as usize]);
            self.insert_before(chord ^ 1, sides[high - 1] ^ 1);
        }
    }

    pub fn degree(&self, v: u32) -> usize {
        self.degrees[v as usize] as usize
    }

    /// The neighbours of a vertex, counter-clockwise.
    pub fn around(&self, v: u32) -> impl Iterator<Item = u32> {
        self.spokes(v).map(|h| self.heads[h as usize])
    }

    fn spokes(&self, v: u32) -> impl Iterator<Item = u32> {
        let first = self.leaving[v as usize];
        let mut here = first;
        (0..self.degrees[v as usize]).map(move |_| {
            let this = here;
            here = self.next[here as usize];
            this
        })
    }

    /// Takes out a vertex with at most [`MAX_DEGREE`] neighbours; the surface is then that of the hull of the others, as
    /// long as those span space (or the plane of a flat polygon).
    pub fn remove(&mut self, v: u32) {
        let spokes: ArrayVec<u32, MAX_DEGREE> = self.spokes(v).collect();
        let link: ArrayVec<u32, MAX_DEGREE> = spokes.iter().map(|&h| self.heads[h as usize]).collect();
        let chords = self.fill(&link);
        for (a, &spoke) in spokes.iter().enumerate() {
            for offset in 1..link.len() {
                let chord = chords[a][(a + offset) % link.len()];
                if chord != NONE {
                    self.insert_before(chord, spoke ^ 1);
                }
            }
            self.unlink(spoke ^ 1);
        }
        self.degrees[v as usize] = 0;
    }

    /// Chords that triangulate the hole inside a ring of vertices as their hull does, as half-edges by both ends.
    ///
    /// Gift wrapping: a triangle of the hull stands on a chord (or, first, on a side of the ring). Its third corner is a corner of the ring behind the chord for which no other
    /// is above the plane. All decisions are exact. No three vertices of a polytope are in a line. Of corners in one plane any is right: they form a
    /// convex polygon.
    fn fill(&mut self, link: &[u32]) -> [[u32; MAX_DEGREE]; MAX_DEGREE] {
        let mut chords = [[NONE; MAX_DEGREE]; MAX_DEGREE];
        let mut join = |surface: &mut Self, a: usize, b: usize| {
            let chord = surface.chord(link[a], link[b]);
            (chords[a][b], chords[b][a]) = (chord, chord ^ 1);
        };
        if let [_, _] = link {
            join(self, 0, 1);
            return chords;
        }
        let at = |surface: &Self, i: usize| surface.points[link[i] as usize];
        let mut open: ArrayVec<(usize, usize), MAX_DEGREE> = ArrayVec::new();
        open.push((0, link.len() - 1));
        while let Some((low, high)) = open.pop() {
            let mut apex = low + 1;
            for other in low + 2..high {
                if orient3d(at(self, low), at(self, apex), at(self, high), at(self, other)) > 0.0 {
                    apex = other;
                }
            }
            for (from, to) in [(low, apex), (apex, high)] {
                if to - from > 1 {
                    join(self, from, to);
                    open.push((from, to));
                }
            }
        }
        chords
    }

    /// A new pair of half-edges, from a to b and back, in no ring yet.
    fn chord(&mut self, a: u32, b: u32) -> u32 {
        let chord = self.heads.len() as u32;
        self.heads.extend([b, a]);
        self.next.extend([NONE; 2]);
        self.previous.extend([NONE; 2]);
        chord
    }

    /// Puts a half-edge into the ring of its vertex, clockwise of one that is there.
    fn insert_before(&mut self, h: u32, place: u32) {
        let before = self.previous[place as usize];
        (self.previous[h as usize], self.next[h as usize]) = (before, place);
        self.next[before as usize] = h;
        self.previous[place as usize] = h;
        self.degrees[self.heads[h as usize ^ 1] as usize] += 1;
    }

    fn unlink(&mut self, h: u32) {
        let (before, after) = (self.previous[h as usize], self.next[h as usize]);
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        let vertex = self.heads[h as usize ^ 1] as usize;
        self.leaving[vertex] = after;
        self.degrees[vertex] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::internals::hull::convex_hull;

    /// The rings are those of a closed triangulated surface on which every edge is convex, seen from its vertices.
    fn assert_well_formed(surface: &HullSurface, alive: &[u32]) {
        let sum: usize = alive.iter().map(|&v| surface.degree(v)).sum();
        assert_eq!(sum, 6 * alive.len() - 12, "Euler");
        for &v in alive {
            for h in surface.spokes(v) {
                let (head, after) = (surface.heads[h as usize], surface.next[h as usize]);
                assert_eq!(surface.previous[after as usize], h);
                // The triangle left of v -> head: turning at head from the way back, clockwise, leads to its third corner.
                let third = surface.heads[after as usize];
                assert_eq!(surface.heads[surface.previous[h as usize ^ 1] as usize], third);
                let opposite = surface.heads[surface.previous[h as usize] as usize];
                let at = |v: u32| surface.points[v as usize];
                assert!(orient3d(at(v), at(head), at(third), at(opposite)) <= 0.0, "convex at {v} -> {head}");
            }
        }
    }

    #[test]
    fn a_surface_stays_closed_and_convex_while_vertices_go() {
        let mut rng = fastrand::Rng::with_seed(91);
        for round in 0..120 {
            // Lattice points have many coplanar faces, others none.
            let size = [2, 4, 1 << 20][round % 3];
            let mut random = || DVec3::from_array([(); 3].map(|()| f64::from(rng.i32(-size..=size))));
            let points: Vec<DVec3> = (0..80).map(|_| random()).filter(|p| p.length() < 1.1 * f64::from(size)).collect();
            let hull = convex_hull(&points).unwrap();
            if hull.dimension() < 3 {
                continue;
            }
            let mut surface = HullSurface::new(&hull);
            let mut alive: Vec<u32> = (0..hull.vertex_count() as u32).collect();
            assert_well_formed(&surface, &alive);
            while alive.len() > 10 {
                let small: Vec<usize> = (0..alive.len()).filter(|&i| surface.degree(alive[i]) <= MAX_DEGREE).collect();
                surface.remove(alive.swap_remove(small[rng.usize(..small.len())]));
                assert_well_formed(&surface, &alive);
            }
        }
    }
}
