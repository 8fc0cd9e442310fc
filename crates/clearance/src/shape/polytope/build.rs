//! From vertices and face loops to the whole boundary representation.

use super::{Edge, NO_FACE, Polytope, SidePlane};
use crate::hull::exact::{self, Scale};
use crate::math::Aabb;
use glam::DVec3;

/// What a polytope is made from.
///
/// The maker vouches for the structure: loops of exactly coplanar, strictly convex corners, counter-clockwise seen
/// from outside, each directed side in one loop and its reverse in another. A segment and a point have no loops.
#[derive(Debug)]
pub(crate) struct Parts {
    pub dimension: usize,
    pub vertices: Vec<DVec3>,
    pub source: Vec<u32>,
    /// Loop of face f: `loop_vertices[loop_starts[f]..loop_starts[f + 1]]`.
    pub loop_starts: Vec<u32>,
    pub loop_vertices: Vec<u32>,
}

impl Polytope {
    /// The only place where a polytope comes into being.
    pub(crate) fn from_parts(parts: Parts) -> Self {
        let Parts { dimension, vertices, source, loop_starts, loop_vertices } = parts;
        let scale = Scale::of(&vertices);
        let scaled: Vec<DVec3> = vertices.iter().map(|&v| scale.point(v)).collect();

        let rings = Rings::new(&loop_starts, &loop_vertices);
        let (edges, loop_edges) = match dimension {
            1 => (vec![Edge { tail: 0, head: 1, left: NO_FACE, right: NO_FACE }], Vec::new()),
            _ => rings.edges(vertices.len()),
        };
        let along = |edge: &Edge| scaled[edge.head as usize] - scaled[edge.tail as usize];
        let edge_directions: Vec<DVec3> = edges.iter().map(|edge| exact::unit(along(edge))).collect();
        let edge_lengths = edges.iter().map(|edge| scale.length(exact::length(along(edge)))).collect();

        let face_normals: Vec<DVec3> = rings.iter().map(|ring| polygon_normal(&scaled, ring)).collect();
        let face_offsets = rings
            .iter()
            .zip(&face_normals)
            .map(|(ring, n)| ring.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(n.dot(vertices[v as usize]))))
            .collect();
        let loop_sides = rings.sides(&vertices, &edges, &loop_edges, &edge_directions, &face_normals);
        let (star_starts, star_edges) = match dimension {
            1 => (vec![0, 1, 2], vec![0, 0]),
            _ => rings.stars(vertices.len(), &edges, &loop_edges),
        };
        let star_neighbors = neighbors(&star_starts, &star_edges, &edges);

        // Relative to the first vertex: nothing is lost far from the origin, and 2^29 times 2e60 does not overflow.
        let first = vertices[0];
        let center = first + vertices.iter().map(|&v| v - first).sum::<DVec3>() / vertices.len() as f64;
        let reach = scale.length(scaled.iter().fold(0.0, |m: f64, &v| m.max(exact::length(v))));
        let aabb = Aabb::of_points(vertices.iter().copied());
        Self {
            dimension,
            vertices,
            source,
            edges,
            edge_directions,
            edge_lengths,
            face_normals,
            face_offsets,
            loop_starts,
            loop_vertices,
            loop_edges,
            loop_sides,
            star_starts,
            star_edges,
            star_neighbors,
            center,
            reach,
            aabb,
        }
    }
}

/// The loops of all faces, and for each position in them the position after it and the face.
struct Rings<'a> {
    starts: &'a [u32],
    vertices: &'a [u32],
    next: Vec<u32>,
    face: Vec<u32>,
}

impl<'a> Rings<'a> {
    fn new(starts: &'a [u32], vertices: &'a [u32]) -> Self {
        let mut next: Vec<u32> = (1..=vertices.len() as u32).collect();
        let mut face = Vec::with_capacity(vertices.len());
        for (f, range) in (0..).zip(starts.windows(2)) {
            next[range[1] as usize - 1] = range[0];
            face.resize(range[1] as usize, f);
        }
        Self { starts, vertices, next, face }
    }

    fn iter(&self) -> impl Iterator<Item = &'a [u32]> {
        let vertices = self.vertices;
        self.starts.windows(2).map(move |range| &vertices[range[0] as usize..range[1] as usize])
    }

    fn tail(&self, position: usize) -> u32 {
        self.vertices[position]
    }

    fn head(&self, position: usize) -> u32 {
        self.vertices[self.next[position] as usize]
    }

    /// The edges sorted by tail, then head, and for each loop position its edge.
    fn edges(&self, vertex_count: usize) -> (Vec<Edge>, Vec<u32>) {
        // Positions that run from the smaller to the larger vertex, in one bucket per tail.
        let upward = |position: &usize| self.tail(*position) < self.head(*position);
        let positions = || (0..self.vertices.len()).filter(upward);
        let (starts, mut sorted) = buckets(vertex_count, positions().map(|i| (self.tail(i), i as u32)));
        let mut edges = Vec::with_capacity(sorted.len());
        let mut loop_edges = vec![0; self.vertices.len()];
        for range in starts.windows(2) {
            let bucket = &mut sorted[range[0] as usize..range[1] as usize];
            bucket.sort_unstable_by_key(|&i| self.head(i as usize));
            for &i in &*bucket {
                let i = i as usize;
                loop_edges[i] = edges.len() as u32;
                edges.push(Edge { tail: self.tail(i), head: self.head(i), left: self.face[i], right: NO_FACE });
            }
        }
        for i in (0..self.vertices.len()).filter(|i| !upward(i)) {
            let (head, tail) = (self.tail(i), self.head(i));
            let first = starts[tail as usize] as usize;
            let bucket = &edges[first..starts[tail as usize + 1] as usize];
            let e = first + bucket.binary_search_by_key(&head, |edge| edge.head).expect("every side has a reverse");
            edges[e].right = self.face[i];
            loop_edges[i] = e as u32;
        }
        (edges, loop_edges)
    }

    /// The edges around each vertex, counter-clockwise from the one of smallest number.
    fn stars(&self, vertex_count: usize, edges: &[Edge], loop_edges: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let all = || 0..self.vertices.len();
        // The loop positions of both directions of each edge, and the position before each.
        let mut both = vec![[0; 2]; edges.len()];
        let mut previous = vec![0; self.vertices.len()];
        for i in all() {
            let edge = loop_edges[i] as usize;
            both[edge][usize::from(self.tail(i) != edges[edge].tail)] = i as u32;
            previous[self.next[i] as usize] = i as u32;
        }
        let (starts, mut star) = buckets(vertex_count, all().map(|i| (self.tail(i), i as u32)));
        for range in starts.windows(2) {
            let star = &mut star[range[0] as usize..range[1] as usize];
            let first = star.iter().copied().min_by_key(|&i| loop_edges[i as usize]);
            let Some(mut position) = first else { continue };
            // The side into the vertex, of the same face, is the next edge; its reverse leads to the next face.
            for edge in star.iter_mut() {
                *edge = loop_edges[position as usize];
                let incoming = previous[position as usize];
                let [up, down] = both[loop_edges[incoming as usize] as usize];
                position = if incoming == up { down } else { up };
            }
        }
        (starts, star)
    }

    /// The plane between each face and each of its edges: `n × u`, u along the loop.
    fn sides(
        &self,
        vertices: &[DVec3],
        edges: &[Edge],
        loop_edges: &[u32],
        directions: &[DVec3],
        normals: &[DVec3],
    ) -> Vec<SidePlane> {
        let side = |i: usize| {
            let edge = loop_edges[i] as usize;
            let forward = edges[edge].tail == self.tail(i);
            let along = if forward { directions[edge] } else { -directions[edge] };
            let normal = normals[self.face[i] as usize].cross(along).normalize();
            // The same point for both faces of an edge, so that a flat polygon's planes are equal.
            SidePlane { normal, offset: normal.dot(vertices[edges[edge].tail as usize]) }
        };
        (0..self.vertices.len()).map(side).collect()
    }
}

/// Sorts values into buckets: bucket k is `values[starts[k]..starts[k + 1]]`, in the order of arrival.
fn buckets(count: usize, items: impl Iterator<Item = (u32, u32)> + Clone) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; count + 1];
    for (key, _) in items.clone() {
        starts[key as usize + 1] += 1;
    }
    for k in 0..count {
        starts[k + 1] += starts[k];
    }
    let mut values = vec![0; starts[count] as usize];
    let mut place = starts.clone();
    for (key, value) in items {
        values[place[key as usize] as usize] = value;
        place[key as usize] += 1;
    }
    (starts, values)
}

fn neighbors(star_starts: &[u32], star_edges: &[u32], edges: &[Edge]) -> Vec<u32> {
    let stars = (0..).zip(star_starts.windows(2)).map(|(v, r)| (v, &star_edges[r[0] as usize..r[1] as usize]));
    let other_end = |v: u32, e: u32| {
        let Edge { tail, head, .. } = edges[e as usize];
        if tail == v { head } else { tail }
    };
    stars.flat_map(|(v, star)| star.iter().map(move |&e| other_end(v, e))).collect()
}

/// The unit normal of an exactly flat polygon, from three corners that are far apart. All triples of corners have
/// the same exact normal, so the best conditioned one is as good as an average, and costs no rounding.
fn polygon_normal(scaled: &[DVec3], ring: &[u32]) -> DVec3 {
    let at = |i: usize| scaled[ring[i] as usize];
    let mut corners = [0, 1, 2];
    if ring.len() > 3 {
        let farthest = |measure: &dyn Fn(DVec3) -> f64, not: usize| {
            let candidates = (1..ring.len()).filter(|&i| i != not);
            candidates.max_by(|&i, &j| measure(at(i)).total_cmp(&measure(at(j)))).expect("three corners or more")
        };
        let second = farthest(&|p| p.distance_squared(at(0)), 0);
        let along = at(second) - at(0);
        let third = farthest(&|p| along.cross(p - at(0)).length_squared(), second);
        // In the order of the loop, they turn as it does.
        corners = [0, second.min(third), second.max(third)];
    }
    let [a, b, c] = corners.map(at);
    exact::unit_normal(a, b, c)
}
