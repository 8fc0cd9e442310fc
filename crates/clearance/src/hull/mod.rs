//! The convex hull of any finite set of points, decided by exact predicates.
//!
//! Every answer to "which side of the plane" is exact, so the result is the true hull of the input and not an approximation of it.
//! Duplicates, coplanar grids, cospherical points and noise of one unit in the last place need no tolerance and no special case. Points
//! that span no volume give a polygon, a segment or a point.
//!
//! The stages, one file each: `prepare` scales, sorts and removes duplicates; `simplex` (below) finds the dimension;
//! `flat` and `quickhull` compute the hull; `facets` merges coplanar triangles into polygons.
//!
//! The expected time is O(n log n). The result depends on the set of points only: their order decides how vertices
//! and edges are numbered, nothing else.

mod facets;
mod flat;
mod prepare;
mod quickhull;

use crate::error::BuildError;
use crate::math::exact;
use glam::DVec3;
use prepare::Prepared;

/// The largest number of points. Limit: a `u32` must count three sides per triangle and two triangles per point.
pub const MAX_POINTS: usize = 1 << 29;

/// The boundary of a convex hull: what a [`Polytope`](crate::shape::Polytope) is made from.
///
/// Loops are of exactly coplanar, strictly convex corners, counter-clockwise seen from outside, each directed side in one loop and
/// its reverse in another. A segment and a point have no loops.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    /// 0 for a point, 1 for a segment, 2 for a polygon, which has two faces, 3 for a solid.
    pub dimension: usize,
    /// The extreme points, bit for bit and in the order of the input.
    pub vertices: Vec<DVec3>,
    /// Which point of the input each of them is.
    pub source: Vec<u32>,
    /// The loop of face f is `loop_vertices[loop_starts[f]..loop_starts[f + 1]]`.
    pub loop_starts: Vec<u32>,
    /// Numbers of vertices.
    pub loop_vertices: Vec<u32>,
}

/// The boundary of the convex hull of the points; [`convex_hull`](crate::shape::polytope::convex_hull) makes a polytope of it.
///
/// # Errors
///
/// If there is no point or more than [`MAX_POINTS`], or a coordinate is not finite or beyond
/// [`MAX_COORDINATE`](crate::error::MAX_COORDINATE).
///
/// ```
/// use clearance::internals::hull::boundary;
/// use clearance::math::DVec3;
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.1)];
/// let hull = boundary(&corners)?;
/// assert_eq!((hull.dimension, hull.vertices.len(), hull.loop_starts.len() - 1), (3, 4, 4));
/// assert_eq!(hull.source, [0, 1, 2, 3]);                     // the fifth point is inside
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn boundary(points: &[DVec3]) -> Result<Boundary, BuildError> {
    let prepared = Prepared::new(points)?;
    let scaled = &prepared.points;
    let (dimension, loops) = match simplex(scaled) {
        SeedSimplex::Point => (0, Loops::default()),
        SeedSimplex::Segment => (1, Loops::default()),
        SeedSimplex::Triangle { axis } => (2, flat::polygon(scaled, axis)),
        SeedSimplex::Tetrahedron(corners) => (3, facets::merge(scaled, &quickhull::triangulate(scaled, corners))),
    };
    let used = match dimension {
        0 => vec![0],
        1 => flat::segment(scaled).to_vec(),
        _ => loops.distinct(scaled.len()),
    };
    Ok(assemble(points, &prepared, dimension, used, &loops))
}

/// Boundary loops of faces, counter-clockwise seen from outside: loop `i` is
/// `vertices[starts[i]..starts[i + 1]]`.
#[derive(Debug)]
struct Loops {
    starts: Vec<u32>,
    vertices: Vec<u32>,
}

impl Default for Loops {
    fn default() -> Self {
        Self { starts: vec![0], vertices: Vec::new() }
    }
}

impl Loops {
    fn push(&mut self, vertices: impl IntoIterator<Item = u32>) {
        self.vertices.extend(vertices);
        self.starts.push(self.vertices.len() as u32);
    }

    fn ring(&self, face: usize) -> &[u32] {
        &self.vertices[self.starts[face] as usize..self.starts[face + 1] as usize]
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.starts.len() - 1).map(|face| self.ring(face))
    }

    /// Every number below `count` that occurs, once.
    fn distinct(&self, count: usize) -> Vec<u32> {
        let mut occurs = vec![false; count];
        for &v in &self.vertices {
            occurs[v as usize] = true;
        }
        (0..count as u32).filter(|&v| occurs[v as usize]).collect()
    }
}

/// Independent points that span the space of all points.
#[derive(Debug)]
enum SeedSimplex {
    Point,
    Segment,
    /// With the axis along which the plane is seen best.
    Triangle {
        axis: usize,
    },
    /// The last corner is below the plane of the others.
    Tetrahedron([u32; 4]),
}

/// Finds a large simplex. Floating point proposes far-apart corners, exact tests decide whether they are independent;
/// where the proposal fails, all points are tried.
fn simplex(points: &[DVec3]) -> SeedSimplex {
    if points.len() == 1 {
        return SeedSimplex::Point;
    }
    let (a, b) = far_pair(points);
    let (pa, pb) = (points[a], points[b]);
    let along = pb - pa;
    let third = farthest(points, |p| (p - pa).cross(along).length_squared());
    let is_third = |p: DVec3| exact::widest_projection(pa, pb, p).is_some();
    let Some(c) = confirm(points, third, is_third) else {
        return SeedSimplex::Segment;
    };
    let pc = points[c];
    let normal = exact::unit_normal(pa, pb, pc);
    let fourth = farthest(points, |p| normal.dot(p - pa).abs());
    let Some(d) = confirm(points, fourth, |p| exact::orient3d(pa, pb, pc, p) != 0.0) else {
        let axis = exact::widest_projection(pa, pb, pc).expect("the triangle was found not collinear");
        return SeedSimplex::Triangle { axis };
    };
    let below = exact::orient3d(pa, pb, pc, points[d]) < 0.0;
    let corners = if below { [a, b, c, d] } else { [a, c, b, d] };
    SeedSimplex::Tetrahedron(corners.map(|i| i as u32))
}

/// The pair of largest distance among the extremes along the axes. Distinct points differ along some axis, so the
/// pair is distinct.
fn far_pair(points: &[DVec3]) -> (usize, usize) {
    let mut extremes = [0; 6];
    for (i, p) in points.iter().enumerate() {
        for axis in 0..3 {
            if p[axis] < points[extremes[axis]][axis] {
                extremes[axis] = i;
            }
            if p[axis] > points[extremes[axis + 3]][axis] {
                extremes[axis + 3] = i;
            }
        }
    }
    let mut best = (extremes[0], extremes[0]);
    let mut distance = 0.0;
    for i in extremes {
        for j in extremes {
            // The largest coordinate difference cannot underflow to zero for distinct points, a square could.
            let d = (points[i] - points[j]).abs().max_element();
            if d > distance {
                (best, distance) = ((i, j), d);
            }
        }
    }
    best
}

fn farthest(points: &[DVec3], measure: impl Fn(DVec3) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, &p) in points.iter().enumerate() {
        let m = measure(p);
        if m > best.1 {
            best = (i, m);
        }
    }
    best.0
}

fn confirm(points: &[DVec3], proposal: usize, test: impl Fn(DVec3) -> bool) -> Option<usize> {
    if test(points[proposal]) { Some(proposal) } else { points.iter().position(|&p| test(p)) }
}

/// Numbers the vertices in input order and the faces along the curve on which the prepared points are sorted, which
/// keeps faces that are neighbours in space close in memory.
fn assemble(input: &[DVec3], prepared: &Prepared, dimension: usize, used: Vec<u32>, loops: &Loops) -> Boundary {
    let mut used: Vec<(u32, u32)> = used.into_iter().map(|p| (prepared.sources[p as usize], p)).collect();
    used.sort_unstable();
    let source: Vec<u32> = used.iter().map(|&(source, _)| source).collect();
    let vertices = source.iter().map(|&i| input[i as usize]).collect();
    let mut number = vec![0; prepared.points.len()];
    for (v, &(_, p)) in (0..).zip(&used) {
        number[p as usize] = v;
    }

    // A directed side belongs to one loop, so that from the smallest corner sorts the loops without ties.
    let mut order: Vec<(u32, u32, u32)> = (0..)
        .zip(loops.iter())
        .map(|(face, ring)| {
            let first = smallest(ring);
            (ring[first], ring[(first + 1) % ring.len()], face)
        })
        .collect();
    order.sort_unstable();
    let mut sorted = Loops::default();
    sorted.starts.reserve_exact(order.len());
    sorted.vertices.reserve_exact(loops.vertices.len());
    let mut ring: Vec<u32> = Vec::new();
    for (_, _, face) in order {
        ring.clear();
        ring.extend(loops.ring(face as usize).iter().map(|&p| number[p as usize]));
        let first = smallest(&ring);
        ring.rotate_left(first);
        sorted.push(ring.iter().copied());
    }
    Boundary { dimension, vertices, source, loop_starts: sorted.starts, loop_vertices: sorted.vertices }
}

/// The place of the smallest number.
fn smallest(ring: &[u32]) -> usize {
    (0..ring.len()).min_by_key(|&i| ring[i]).unwrap_or(0)
}
