//! From vertices and face loops to the whole boundary representation.

use super::farthest::SupportMap;
use super::tracking::Tracking;
use super::{Edge, NO_FACE, Polytope, SidePlane};
use crate::error::BuildError;
use crate::hull::{self, Boundary};
use crate::math::Aabb;
use crate::math::exact::{self, Scale};
use glam::DVec3;

/// The convex hull of the points.
///
/// The vertices of the result are input points bit for bit, in the order of the input; of equal points the first is
/// named by [`Polytope::source`]. If all points are extreme, vertex `i` is point `i`. Only true extreme points
/// become vertices: a point on an edge or inside a face does not. Coordinates below 2^-250 of the largest one count
/// as zero.
///
/// # Errors
///
/// If there is no point or more than [`MAX_POINTS`](crate::hull::MAX_POINTS), or a coordinate is not finite or beyond
/// [`MAX_COORDINATE`](crate::error::MAX_COORDINATE).
///
/// # Examples
///
/// ```
/// use clearance::{math::DVec3, shape::polytope::convex_hull};
///
/// let grid: Vec<DVec3> = (0..27).map(|i| DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64)).collect();
/// let cube = convex_hull(&grid)?;
/// assert_eq!((cube.vertex_count(), cube.edge_count(), cube.face_count()), (8, 12, 6));
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn convex_hull(points: &[DVec3]) -> Result<Polytope, BuildError> {
    Ok(Polytope::from_boundary(hull::boundary(points)?))
}

impl Polytope {
    /// The only place where a polytope comes into being.
    pub(super) fn from_boundary(boundary: Boundary) -> Self {
        let Boundary { dimension, vertices, source, loop_starts, loop_vertices } = boundary;
        let scale = Scale::of(&vertices);
        let scaled: Vec<DVec3> = vertices.iter().map(|&v| scale.point(v)).collect();

        let rings = Rings::new(&loop_starts, &loop_vertices);
        let (edges, loop_edges) = match dimension {
            1 => (vec![Edge { tail: 0, head: 1, left: NO_FACE, right: NO_FACE }], Vec::new()),
            _ => rings.edges(vertices.len()),
        };
        let mut edge_directions = Vec::with_capacity(edges.len());
        let mut edge_lengths = Vec::with_capacity(edges.len());
        for edge in &edges {
            let along = scaled[edge.head as usize] - scaled[edge.tail as usize];
            edge_directions.push(exact::unit(along));
            edge_lengths.push(scale.length(exact::length(along)));
        }
        let Planes { face_normals, face_offsets, loop_sides } = rings.planes(&scaled, scale);
        let Stars { star_starts, star_edges, star_neighbors } = match dimension {
            1 => Stars { star_starts: vec![0, 1, 2], star_edges: vec![0, 0], star_neighbors: vec![1, 0] },
            _ => rings.stars(vertices.len(), &loop_edges),
        };

        // Relative to the first vertex: nothing is lost far from the origin, and 2^29 times 2e60 does not overflow.
        let first = vertices[0];
        let center = first + vertices.iter().map(|&v| v - first).sum::<DVec3>() / vertices.len() as f64;
        let bounding_radius = scale.length(scaled.iter().fold(0.0, |m: f64, &v| m.max(exact::length(v))));
        let aabb = Aabb::of_points(vertices.iter().copied());
        let support = SupportMap::new(&vertices);
        let mut made = Self {
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
            tracking: Tracking::default(),
            center,
            inner_radius: 0.0,
            bounding_radius,
            semi_axes: DVec3::ZERO,
            aabb,
            support,
        };
        made.tracking = Tracking::new(&made);
        made.inner_radius = made.ball_inside();
        made.semi_axes = made.ellipsoid_around();
        made
    }
}

struct Planes {
    face_normals: Vec<DVec3>,
    face_offsets: Vec<f64>,
    loop_sides: Vec<SidePlane>,
}

struct Stars {
    star_starts: Vec<u32>,
    star_edges: Vec<u32>,
    star_neighbors: Vec<u32>,
}

/// The loops of all faces.
///
/// A large polytope does not fit into a cache and the numbering of its vertices follows no curve in space, so each
/// method is one sweep over the loops, with as few look-ups elsewhere as possible.
struct Rings<'a> {
    starts: &'a [u32],
    vertices: &'a [u32],
}

/// A side of a face: its place in the list of loops, and its ends as the loop runs.
#[derive(Clone, Copy)]
struct LoopSide {
    place: usize,
    face: u32,
    tail: u32,
    head: u32,
}

/// Data of a corner of a face: the edges that leave and enter it, and where the first leads.
#[derive(Clone, Copy, Default)]
struct LoopCorner {
    leaving: u32,
    entering: u32,
    neighbor: u32,
}

impl<'a> Rings<'a> {
    fn new(starts: &'a [u32], vertices: &'a [u32]) -> Self {
        Self { starts, vertices }
    }

    fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> + Clone {
        self.starts.windows(2).map(|range| range[0] as usize..range[1] as usize)
    }

    fn sides(&self) -> impl Iterator<Item = LoopSide> + Clone {
        (0..).zip(self.ranges()).flat_map(move |(face, range)| {
            range.clone().map(move |place| {
                let next = if place + 1 == range.end { range.start } else { place + 1 };
                LoopSide { place, face, tail: self.vertices[place], head: self.vertices[next] }
            })
        })
    }

    /// The edges sorted by tail, then head, and for each place in the loops its edge.
    fn edges(&self, vertex_count: usize) -> (Vec<Edge>, Vec<u32>) {
        // Sides that run from the smaller to the larger vertex, in one bucket per tail.
        let upward = self.sides().filter(|side| side.tail < side.head);
        let entry = |side: LoopSide| (side.tail, (side.head, side.face, side.place as u32));
        let (starts, mut sorted) = buckets(vertex_count, upward.map(entry));
        let mut edges = Vec::with_capacity(sorted.len());
        let mut loop_edges = vec![0; self.vertices.len()];
        for (tail, range) in (0..).zip(starts.windows(2)) {
            let bucket = &mut sorted[range[0] as usize..range[1] as usize];
            bucket.sort_unstable();
            for &mut (head, left, place) in bucket {
                loop_edges[place as usize] = edges.len() as u32;
                edges.push(Edge { tail, head, left, right: NO_FACE });
            }
        }
        for side in self.sides().filter(|side| side.tail > side.head) {
            let first = starts[side.head as usize] as usize;
            let bucket = &edges[first..starts[side.head as usize + 1] as usize];
            let found = bucket.binary_search_by_key(&side.tail, |edge| edge.head).expect("every side has a reverse");
            edges[first + found].right = side.face;
            loop_edges[side.place] = (first + found) as u32;
        }
        (edges, loop_edges)
    }

    /// The plane of each face, and the plane between each face and each of its edges: `n × u`, u along the loop.
    fn planes(&self, scaled: &[DVec3], scale: Scale) -> Planes {
        let mut planes = Planes {
            face_normals: Vec::with_capacity(self.starts.len() - 1),
            face_offsets: Vec::with_capacity(self.starts.len() - 1),
            loop_sides: Vec::with_capacity(self.vertices.len()),
        };
        let mut corners: Vec<(u32, DVec3)> = Vec::new();
        for range in self.ranges() {
            corners.clear();
            corners.extend(self.vertices[range].iter().map(|&v| (v, scaled[v as usize])));
            // The two faces of a flat polygon have exactly opposite normals.
            let n = match planes.face_normals[..] {
                [front] if self.starts.len() == 3 => -front,
                _ => polygon_normal(&corners),
            };
            planes.face_normals.push(n);
            planes.face_offsets.push(scale.length(corners.iter().fold(f64::NEG_INFINITY, |m, c| m.max(n.dot(c.1)))));
            for (i, &(v, tail)) in corners.iter().enumerate() {
                let (w, head) = corners[(i + 1) % corners.len()];
                let normal = n.cross(exact::unit(head - tail)).normalize();
                // The same end for both faces of an edge, so that the planes of a flat polygon's faces are equal.
                let end = if v < w { tail } else { head };
                planes.loop_sides.push(SidePlane { normal, offset: scale.length(normal.dot(end)) });
            }
        }
        planes
    }

    /// The edges and neighbours around each vertex, counter-clockwise from the edge of smallest number.
    fn stars(&self, vertex_count: usize, loop_edges: &[u32]) -> Stars {
        let corners = self.sides().map(|side| {
            // The place before, in the loop of the face.
            let first = self.starts[side.face as usize] as usize;
            let before =
                if side.place == first { self.starts[side.face as usize + 1] as usize - 1 } else { side.place - 1 };
            let (leaving, entering) = (loop_edges[side.place], loop_edges[before]);
            (side.tail, LoopCorner { leaving, entering, neighbor: side.head })
        });
        let (star_starts, mut corners) = buckets(vertex_count, corners);
        let mut star_edges = Vec::with_capacity(corners.len());
        let mut star_neighbors = Vec::with_capacity(corners.len());
        for range in star_starts.windows(2) {
            let star = &mut corners[range[0] as usize..range[1] as usize];
            star.sort_unstable_by_key(|corner| corner.leaving);
            let mut next = 0;
            for _ in 0..star.len() {
                let corner = star[next];
                star_edges.push(corner.leaving);
                star_neighbors.push(corner.neighbor);
                // Counter-clockwise after the leaving edge of a face comes its entering edge, which leaves with the
                // next face.
                let found = star.binary_search_by_key(&corner.entering, |corner| corner.leaving);
                next = found.expect("every side has a reverse");
            }
        }
        Stars { star_starts, star_edges, star_neighbors }
    }
}

/// Sorts values into buckets: bucket k is `values[starts[k]..starts[k + 1]]`, in the order of arrival.
fn buckets<T: Copy + Default>(count: usize, items: impl Iterator<Item = (u32, T)> + Clone) -> (Vec<u32>, Vec<T>) {
    let mut starts = vec![0; count + 1];
    for (key, _) in items.clone() {
        starts[key as usize + 1] += 1;
    }
    for k in 0..count {
        starts[k + 1] += starts[k];
    }
    let mut values = vec![T::default(); starts[count] as usize];
    let mut place = starts.clone();
    for (key, value) in items {
        values[place[key as usize] as usize] = value;
        place[key as usize] += 1;
    }
    (starts, values)
}

/// The unit normal of an exactly flat polygon, from three corners that are far apart. All triples of corners have
/// the same exact normal, so the best conditioned one is as good as an average, and costs no rounding.
fn polygon_normal(ring: &[(u32, DVec3)]) -> DVec3 {
    let at = |i: usize| ring[i].1;
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
