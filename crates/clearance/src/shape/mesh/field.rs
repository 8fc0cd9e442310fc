//! A signed distance grid of a solid and points deep inside it.
//!
//! Both propose places to a search that proves what it finds by itself. Nothing here is rounded outward, and no answer rests on it.
//!
//! **Grid.** Distances of nodes within [`BAND`] steps of a triangle are those of the nearest triangle. Beyond the band each node takes the nearest surface
//! point of a neighbour, swept forth and back over the grid (Danielsson, *Euclidean distance mapping*, 1980). The side comes from the winding number, one row
//! of nodes along x at a time.
//!
//! **Samples.** Centres of inner balls, the deepest first. A node is skipped if it is within half a radius of a sample before it.

use super::Mesh;
use crate::math::Aabb;
use glam::DVec3;

/// Nodes along the longest side of the box of a mesh of many triangles. Limit: memory of 0.8 MB.
const NODES: f64 = 56.0;
/// Nodes along the longest side of the box of a mesh of few triangles. Limit: a box of twelve triangles needs a millisecond.
const FEWEST_NODES: f64 = 12.0;
/// Width of the band of exact distances. Limit: in steps; climbs on the grid end within it.
const BAND: f64 = 1.25;
/// Limit: samples of a mesh, each is rated at every place of a search.
const SAMPLES: usize = 320;

/// Signed distances of the nodes of a grid, positive inside, and samples of the inside.
#[derive(Debug)]
pub(crate) struct DistanceField {
    origin: DVec3,
    step: f64,
    counts: [usize; 3],
    values: Vec<f32>,
    /// 1 if normals point outward, -1 if inward, where the surface winds around each node at most once; else `None`.
    pub outward: Option<f64>,
    /// Points inside with their depth, the deepest first.
    pub samples: Vec<(DVec3, f64)>,
}

/// The point of a triangle nearest to a point (Ericson, *Real-time collision detection*, 2005, 5.1.5).
pub(crate) fn nearest_on_triangle([a, b, c]: [DVec3; 3], p: DVec3) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let whole = va + vb + vc;
    if whole > 0.0 { a + ab * (vb / whole) + ac * (vc / whole) } else { a }
}

impl DistanceField {
    pub fn of(mesh: &Mesh) -> Self {
        let bounds = mesh.aabb();
        let size = bounds.max - bounds.min;
        let nodes = (mesh.triangles().len() as f64).sqrt().mul_add(2.0, FEWEST_NODES).min(NODES);
        let step = size.max_element() / (nodes - 3.0);
        // A plane of nodes through a vertex would meet edges. Irregular fractions avoid that.
        let origin = bounds.min - step * DVec3::new(0.6271, 0.5719, 0.6837);
        let counts = ((size / step).ceil() + 2.0).to_array().map(|count| (count as usize).max(3));
        let mut field = Self { origin, step, counts, values: Vec::new(), outward: None, samples: Vec::new() };
        let nearest = field.nearest_points(mesh);
        let winding = field.winding_numbers(mesh);
        let (least, most) = winding.iter().fold((0, 0), |(least, most), &n: &i32| (least.min(n), most.max(n)));
        field.outward = match (least, most) {
            (0, 1) => Some(1.0),
            (-1, 0) => Some(-1.0),
            _ => None,
        };
        field.values = (0..nearest.len())
            .map(|i| {
                let distance = field.node(field.place(i)).distance(nearest[i]) as f32;
                if winding[i] == 0 { -distance } else { distance }
            })
            .collect();
        field.choose_samples();
        field
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    fn place(&self, index: usize) -> [usize; 3] {
        let [w, h, _] = self.counts;
        [index % w, index / w % h, index / (w * h)]
    }

    fn node(&self, place: [usize; 3]) -> DVec3 {
        self.origin + self.step * DVec3::from_array(place.map(|k| k as f64))
    }

    /// The range of nodes along an axis whose coordinates are in an interval.
    fn range(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let from = ((low - self.origin[axis]) / self.step).ceil().max(0.0) as usize;
        let to = ((high - self.origin[axis]) / self.step).floor() + 1.0;
        from..(to.max(0.0) as usize).min(self.counts[axis])
    }

    /// A point of the surface near each node.
    fn nearest_points(&self, mesh: &Mesh) -> Vec<DVec3> {
        let far = DVec3::splat(f64::INFINITY);
        let count = self.counts.iter().product();
        let mut nearest = vec![far; count];
        let mut squares = vec![f64::INFINITY; count];
        let band = BAND * self.step;
        for t in 0..mesh.triangles().len() as u32 {
            let corners = mesh.corners(t);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            let bounds = Aabb::of_points(corners).grown(band);
            let [xs, ys, zs] = [0, 1, 2].map(|axis| self.range(axis, bounds.min[axis], bounds.max[axis]));
            for z in zs {
                for y in ys.clone() {
                    for x in xs.clone() {
                        let at = self.node([x, y, z]);
                        if normal.dot(at - corners[0]).abs() > band {
                            continue;
                        }
                        let point = nearest_on_triangle(corners, at);
                        let square = at.distance_squared(point);
                        let i = self.index([x, y, z]);
                        if square < squares[i] {
                            (squares[i], nearest[i]) = (square, point);
                        }
                    }
                }
            }
        }
        let [w, h, d] = self.counts;
        for _ in 0..2 {
            for direction in [1_isize, -1] {
                for i in 0..count {
                    let i = if direction > 0 { i } else { count - 1 - i };
                    let place = self.place(i);
                    let at = self.node(place);
                    let strides = [1, w, w * h];
                    for axis in 0..3 {
                        let last = [w, h, d][axis] - 1;
                        if place[axis] == if direction > 0 { 0 } else { last } {
                            continue;
                        }
                        let other = nearest[i.wrapping_add_signed(-direction * strides[axis] as isize)];
                        let square = at.distance_squared(other);
                        if square < squares[i] {
                            (squares[i], nearest[i]) = (square, other);
                        }
                    }
                }
            }
        }
        nearest
    }

    /// The winding number of each node, to rounding.
    fn winding_numbers(&self, mesh: &Mesh) -> Vec<i32> {
        let [w, h, d] = self.counts;
        let mut rows: Vec<Vec<(f64, i32)>> = vec![Vec::new(); h * d];
        for t in 0..mesh.triangles().len() as u32 {
            let [a, b, c] = mesh.corners(t);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let normal = (b - a).cross(c - a);
            if normal.x == 0.0 {
                continue;
            }
            for z in self.range(2, low.z, high.z) {
                for y in self.range(1, low.y, high.y) {
                    let at = self.node([0, y, z]);
                    let turn = |u: DVec3, v: DVec3| (u.y - at.y) * (v.z - at.z) - (u.z - at.z) * (v.y - at.y);
                    let turns = [turn(a, b), turn(b, c), turn(c, a)];
                    let is_within = turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t < 0.0);
                    if is_within {
                        let x = a.x - (normal.y * (at.y - a.y) + normal.z * (at.z - a.z)) / normal.x;
                        // Beyond a triangle whose normal points back along x it is inside.
                        rows[z * h + y].push((x, if normal.x < 0.0 { 1 } else { -1 }));
                    }
                }
            }
        }
        let mut winding = vec![0; w * h * d];
        for (row, crossings) in rows.iter_mut().enumerate() {
            crossings.sort_by(|p, q| p.0.total_cmp(&q.0));
            let (mut number, mut next) = (0, 0);
            for x in 0..w {
                let at = self.origin.x + self.step * x as f64;
                while next < crossings.len() && crossings[next].0 < at {
                    number += crossings[next].1;
                    next += 1;
                }
                winding[row * w + x] = number;
            }
        }
        winding
    }

    fn choose_samples(&mut self) {
        let mut inside: Vec<u32> = (0..self.values.len() as u32).filter(|&i| self.values[i as usize] > 0.0).collect();
        inside.sort_by(|&i, &j| self.values[j as usize].total_cmp(&self.values[i as usize]).then(i.cmp(&j)));
        for i in inside {
            let (at, depth) = (self.node(self.place(i as usize)), f64::from(self.values[i as usize]));
            let near = |&(sample, radius): &(DVec3, f64)| {
                let apart = (0.5 * radius).max(1.5 * self.step);
                sample.distance_squared(at) < apart * apart
            };
            if !self.samples.iter().any(near) {
                self.samples.push((at, depth));
                if self.samples.len() == SAMPLES {
                    break;
                }
            }
        }
    }

    /// The distance of two nodes.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The signed distance at a point, interpolated; beyond the grid the distance from it is subtracted.
    pub fn value(&self, point: DVec3) -> f64 {
        let [w, h, d] = self.counts;
        // Limit: 1e-9 of a step keeps the last cell from being beyond the grid.
        let last = DVec3::new(w as f64, h as f64, d as f64) - (1.0 + 1e-9);
        let at = (point - self.origin) / self.step;
        let clamped = at.clamp(DVec3::ZERO, last);
        let beyond = at.distance(clamped) * self.step;
        let cell = clamped.floor();
        let [u, v, t] = (clamped - cell).to_array();
        let i = self.index([cell.x as usize, cell.y as usize, cell.z as usize]);
        let along = |i: usize| {
            let (p, q) = (f64::from(self.values[i]), f64::from(self.values[i + 1]));
            p + u * (q - p)
        };
        let (p, q, r, s) = (along(i), along(i + w), along(i + w * h), along(i + w * h + w));
        let (low, high) = (p + v * (q - p), r + v * (s - r));
        low + t * (high - low) - beyond
    }
}
