//! The cover of all translations that are shorter than a bound, by frusta of cones.
//!
//! **Certificate.** Let points p_i belong to the corners x_i of a frustum of translations. If the hull of the p_i is in the interior of B, and that of the
//! `p_i - x_i` in the interior of A, every translation of the frustum leaves an overlap: `x = Σ w_i x_i` has `Σ w_i p_i` in B and `Σ w_i (p_i - x_i)` in A.
//!
//! **Inside.** No triangle of a closed surface meets the hull, and a point of it has a winding number that is not zero. A triangle is apart from a hull if one
//! direction says so. Candidates are found with plain doubles; intervals decide about them.
//!
//! **Cones.** The roots are the eight octants. A split puts `Σ t_i d_i` in the place of each d_i with `t_i > 0`, so that children tile their parent, and
//! `s Σ t_i d_i` is covered if `s Σ t_i / r_i <= 1`. All of a cone beyond the plane through `r_i d_i` is as far from the origin as
//! `min c·(r_i d_i) / |c|`, for any c. Directions are intervals, so that their true values are the same for all cones that share them.

use super::weights::{Vector3, inner, product};
use crate::evidence::ConeNode;
use crate::number::{Dyadic, Interval, Number, Vector, add, dot, meter, scale, subtract, vector};
use crate::parts::{MeshOf, Side};
use crate::pose::Rigid;
use crate::shape::Trouble;
use crate::solid::{Body, Crossing, crossing, is_closed};
use std::collections::HashMap;

fn fault<T>(what: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Fault(what.into()))
}

/// Triangles of a leaf, at most. Limit: a leaf tests all of its triangles, a node two boxes.
const LEAF: usize = 4;

/// A node of a tree of boxes: its triangles are a range of the order.
#[derive(Debug, Clone, Copy)]
struct TreeNode {
    low: Vector3,
    high: Vector3,
    first: usize,
    count: usize,
    /// The second child; the first one is the next node. Zero for a leaf.
    second: usize,
}

/// A closed mesh in the frame of A, with a tree of its triangles.
struct PlacedMesh<'a> {
    mesh: MeshOf<'a>,
    vertices: Vec<Vector<Interval>>,
    exact: Rigid<Dyadic>,
    home: Rigid<Dyadic>,
    order: Vec<u32>,
    nodes: Vec<TreeNode>,
}

impl<'a> PlacedMesh<'a> {
    /// `None` if the body is no solid.
    fn new(body: &Body<'a>, home: [f64; 4]) -> Option<Self> {
        let mesh = body.mesh.filter(is_closed)?;
        meter::charge(64 * (mesh.vertices.len() + mesh.triangles.len()) as u64);
        let (rigid, back) = (body.side.rigid::<Interval>(), Rigid::<Interval>::new(home, &vector([0.0; 3])));
        let weight = rigid.divisor.times(&back.divisor);
        let place = |v: &[f64; 3]| back.local_direction(&rigid.scaled_point(&vector(*v))).map(|x| x.over(&weight));
        let vertices: Vec<Vector<Interval>> = mesh.vertices.iter().map(place).collect();
        let order = (0..mesh.triangles.len() as u32).collect();
        let exact = body.side.rigid();
        let mut placed =
            Self { mesh, vertices, exact, home: Rigid::new(home, &vector([0.0; 3])), order, nodes: Vec::new() };
        placed.grow(0, mesh.triangles.len());
        Some(placed)
    }

    fn corners(&self, triangle: u32) -> [&Vector<Interval>; 3] {
        self.mesh.triangles[triangle as usize].map(|corner| &self.vertices[corner as usize])
    }

    /// Adds the node of a range of the order: halves along the longest side.
    fn grow(&mut self, first: usize, count: usize) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for &triangle in &self.order[first..first + count] {
            for corner in self.corners(triangle) {
                for axis in 0..3 {
                    low[axis] = low[axis].min(corner[axis].low);
                    high[axis] = high[axis].max(corner[axis].high);
                }
            }
        }
        let number = self.nodes.len();
        self.nodes.push(TreeNode { low, high, first, count, second: 0 });
        if count <= LEAF {
            return;
        }
        let longest = |&i: &usize, &j: &usize| (high[i] - low[i]).total_cmp(&(high[j] - low[j]));
        let axis = (0..3).max_by(longest).unwrap_or(0);
        let mut part = self.order[first..first + count].to_vec();
        let middle = |triangle: u32| self.corners(triangle).iter().map(|corner| corner[axis].low).sum::<f64>();
        part.sort_by(|&p, &q| middle(p).total_cmp(&middle(q)).then(p.cmp(&q)));
        self.order[first..first + count].copy_from_slice(&part);
        let half = count / 2;
        self.grow(first, half);
        self.nodes[number].second = self.nodes.len();
        self.grow(first + half, count - half);
    }

    /// Visits the triangles of all leaves whose boxes pass a test, until one visit fails.
    fn visit(
        &self,
        is_open: impl Fn(&TreeNode) -> bool,
        mut look: impl FnMut(u32) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            if !meter::charge(16) {
                return Err(Trouble::Unclear);
            }
            let node = &self.nodes[at];
            if !is_open(node) {
                continue;
            }
            if node.second == 0 {
                self.order[node.first..node.first + node.count].iter().try_for_each(|&triangle| look(triangle))?;
            } else {
                stack.extend([node.second, at + 1]);
            }
        }
        Ok(())
    }

    /// Proves that the hull of some points is in the interior.
    fn holds(&self, points: &[Vector<Interval>]) -> Result<(), Trouble> {
        let hull = Hull::new(points);
        self.visit(
            |node| !hull.is_beside_box(node),
            |triangle| match hull.is_beside(self.corners(triangle)) {
                true => Ok(()),
                false => fault("a triangle meets the hull of a frustum's points"),
            },
        )?;
        let probe = vector::<Dyadic>(hull.center);
        let [_, y, z] = hull.center;
        let mut winding = 0;
        let meets_ray = |node: &TreeNode| {
            node.low[1] <= y
                && y <= node.high[1]
                && node.low[2] <= z
                && z <= node.high[2]
                && node.high[0] >= hull.center[0]
        };
        self.visit(meets_ray, |triangle| {
            let rough = crossing(self.corners(triangle), &vector(hull.center), &Interval::of(1.0));
            let found = match rough {
                Ok(found) => found,
                Err(_) => {
                    let corners = self.mesh.triangles[triangle as usize].map(|corner| {
                        let scaled = self.exact.scaled_point(&vector(self.mesh.vertices[corner as usize]));
                        self.home.local_direction(&scaled)
                    });
                    let weight = self.exact.divisor.times(&self.home.divisor);
                    let [a, b, c] = &corners;
                    crossing([a, b, c], &scale(&probe, &weight), &Dyadic::of(1.0))?
                }
            };
            // No triangle goes through the point, so one that is level with it is missed.
            if let Crossing::Leaves(turns) = found {
                winding += turns;
            }
            Ok(())
        })?;
        if winding == 0 { fault("the hull of a frustum's points is outside of its solid") } else { Ok(()) }
    }
}

/// The hull of some points, with a double that is added to them.
struct Hull {
    points: Vec<Vector<Interval>>,
    rough: Vec<Vector3>,
    center: Vector3,
    low: Vector3,
    high: Vector3,
    /// Normals of planes that have all points on one side, and an upper bound of their heights along them.
    planes: Vec<(Vector3, f64)>,
}

fn middle(x: &Interval) -> f64 {
    0.5 * (x.low + x.high)
}

fn difference(a: Vector3, b: Vector3) -> Vector3 {
    std::array::from_fn(|i| a[i] - b[i])
}

impl Hull {
    fn new(points: &[Vector<Interval>]) -> Self {
        let mut points = points.to_vec();
        let mut rough: Vec<Vector3> = points.iter().map(|p| p.each_ref().map(middle)).collect();
        let center: Vector3 = std::array::from_fn(|i| rough.iter().map(|p| p[i] / rough.len() as f64).sum::<f64>());
        // A double: that it is a point of the hull makes it a place whose winding number is exact.
        points.push(vector(center));
        rough.push(center);
        let low = std::array::from_fn(|i| points.iter().fold(f64::INFINITY, |least, p| least.min(p[i].low)));
        let high = std::array::from_fn(|i| points.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p[i].high)));
        let mut hull = Self { points, rough, center, low, high, planes: Vec::new() };
        hull.find_planes();
        hull
    }

    /// The highest point along a direction, rounded up.
    fn top(&self, along: Vector3) -> f64 {
        let along = vector::<Interval>(along);
        self.points.iter().map(|p| dot(&along, p).high).fold(f64::NEG_INFINITY, f64::max)
    }

    fn find_planes(&mut self) {
        let count = self.rough.len() - 1;
        for i in 0..count {
            for j in i + 1..count {
                for k in j + 1..count {
                    let from = self.rough[i];
                    let normal = product(difference(self.rough[j], from), difference(self.rough[k], from));
                    let length = inner(normal, normal).sqrt();
                    // Three points on a line have no plane.
                    if !(length > 1e-300) {
                        continue;
                    }
                    let normal = normal.map(|x| x / length);
                    let heights = self.rough.iter().map(|p| inner(normal, difference(*p, from)));
                    let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(low, high), h| (low.min(h), high.max(h)));
                    // A filter only: far above the rounding of a height.
                    let flat = 1e-9 * (high - low);
                    meter::charge(32);
                    if high <= flat {
                        self.planes.push((normal, self.top(normal)));
                    }
                    if low >= -flat {
                        let other = normal.map(|x| -x);
                        self.planes.push((other, self.top(other)));
                    }
                }
            }
        }
    }

    /// Is a box beyond one of the planes, or beside the box of the hull?
    fn is_beside_box(&self, node: &TreeNode) -> bool {
        if (0..3).any(|i| node.low[i] > self.high[i] || node.high[i] < self.low[i]) {
            return true;
        }
        meter::charge(8 * self.planes.len() as u64);
        self.planes.iter().any(|&(normal, top)| {
            let lowest = std::array::from_fn(|i| if normal[i] >= 0.0 { node.low[i] } else { node.high[i] });
            dot(&vector::<Interval>(normal), &vector(lowest)).low > top
        })
    }

    /// Does a direction separate a triangle from the hull?
    fn is_beside(&self, corners: [&Vector<Interval>; 3]) -> bool {
        meter::charge(64 + 16 * self.planes.len() as u64);
        let lowest = |along: Vector3| {
            let along = vector::<Interval>(along);
            corners.iter().map(|corner| dot(&along, corner).low).fold(f64::INFINITY, f64::min)
        };
        if (0..3).any(|i| {
            corners.iter().all(|corner| corner[i].low > self.high[i])
                || corners.iter().all(|corner| corner[i].high < self.low[i])
        }) || self.planes.iter().any(|&(normal, top)| lowest(normal) > top)
        {
            return true;
        }
        let rough = corners.map(|corner| corner.each_ref().map(middle));
        let gap = |along: Vector3| {
            let low = rough.iter().map(|p| inner(along, *p)).fold(f64::INFINITY, f64::min);
            let high = self.rough.iter().map(|p| inner(along, *p)).fold(f64::NEG_INFINITY, f64::max);
            low - high
        };
        let is_between = |along: Vector3| gap(along) > 0.0 && lowest(along) > self.top(along);
        let either = |along: Vector3| is_between(along) || is_between(along.map(|x| -x));
        let sides: [Vector3; 3] = std::array::from_fn(|k| difference(rough[(k + 1) % 3], rough[k]));
        if either(product(sides[0], sides[1])) {
            return true;
        }
        for (i, p) in self.rough.iter().enumerate() {
            if is_between(difference(nearest(rough, *p), *p)) {
                return true;
            }
            for q in &self.rough[i + 1..] {
                meter::charge(64);
                if sides.iter().any(|side| either(product(difference(*q, *p), *side))) {
                    return true;
                }
            }
        }
        false
    }
}

/// A point of a triangle near a given one, to rounding: the best of the foot on its plane, the feet on its sides and its corners.
fn nearest(corners: [Vector3; 3], at: Vector3) -> Vector3 {
    let square = |p: Vector3| inner(difference(p, at), difference(p, at));
    let mut best = corners[0];
    let mut offer = |p: Vector3| {
        if square(p) < square(best) {
            best = p;
        }
    };
    for k in 0..3 {
        let (from, side) = (corners[k], difference(corners[(k + 1) % 3], corners[k]));
        let share = (inner(side, difference(at, from)) / inner(side, side)).clamp(0.0, 1.0);
        offer(std::array::from_fn(|i| from[i] + share * side[i]));
    }
    let [u, v] = [difference(corners[1], corners[0]), difference(corners[2], corners[0])];
    let normal = product(u, v);
    let whole = inner(normal, normal);
    let way = difference(at, corners[0]);
    let (s, t) = (inner(product(way, v), normal) / whole, inner(product(u, way), normal) / whole);
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        offer(std::array::from_fn(|i| corners[0][i] + s * u[i] + t * v[i]));
    }
    best
}

/// A cone and how far it is covered.
#[derive(Clone)]
struct Cone {
    directions: [Vector<Interval>; 3],
    lengths: [f64; 3],
}

impl Cone {
    fn corners(&self, lengths: [f64; 3]) -> [Vector<Interval>; 3] {
        std::array::from_fn(|i| scale(&self.directions[i], &Interval::of(lengths[i])))
    }

    /// Is everything beyond its plane as far as a bound?
    fn is_far(&self, bound: f64) -> bool {
        let corners = self.corners(self.lengths);
        let rough = corners.each_ref().map(|corner| corner.each_ref().map(middle));
        let toward = vector::<Interval>(nearest(rough, [0.0; 3]));
        let length = dot(&toward, &toward).root().times(&Interval::of(bound));
        corners.iter().all(|corner| dot(&toward, corner).minus(&length).low >= 0.0)
    }
}

/// Proves that all translations that are shorter than a bound leave an overlap.
pub(super) fn check(
    nodes: &[ConeNode],
    bound: f64,
    home: [f64; 4],
    sides: [&[Side<'_>]; 2],
    bodies: [&[Body<'_>]; 2],
) -> Result<(), Trouble> {
    let mut meshes: [HashMap<u32, Option<PlacedMesh<'_>>>; 2] = [HashMap::new(), HashMap::new()];
    let octant = |number: usize| {
        let sign = |axis: usize| if number >> axis & 1 == 0 { 1.0 } else { -1.0 };
        let directions = [[sign(0), 0.0, 0.0], [0.0, sign(1), 0.0], [0.0, 0.0, sign(2)]].map(vector);
        Cone { directions, lengths: [0.0; 3] }
    };
    let mut open: Vec<Cone> = (0..8).rev().map(octant).collect();
    for (number, node) in nodes.iter().enumerate() {
        let unproved = |what: &str| fault(format!("node {number} of the cones: {what}"));
        let Some(mut cone) = open.pop() else { return fault("the cones have nodes after their end") };
        if !meter::charge(64) {
            return Err(Trouble::Unclear);
        }
        match node {
            ConeNode::Far {} => {
                if !cone.is_far(bound) {
                    return unproved("it is not covered as far as the bound");
                }
            }
            ConeNode::Step { lengths, points, parts } => {
                let is_outward = (0..3).all(|i| lengths[i] >= cone.lengths[i] && lengths[i].is_finite());
                if !is_outward || !points.iter().flatten().all(|x| x.is_finite()) {
                    return unproved("a step goes back, or has numbers that are not finite");
                }
                let corners: Vec<_> = cone.corners(cone.lengths).into_iter().chain(cone.corners(*lengths)).collect();
                let of_b: Vec<Vector<Interval>> = points.iter().map(|p| vector(*p)).collect();
                let of_a: Vec<Vector<Interval>> = of_b.iter().zip(&corners).map(|(p, x)| subtract(p, x)).collect();
                for (side, hull) in [(0, &of_a), (1, &of_b)] {
                    let Some(part) = sides[side].get(parts[side] as usize) else {
                        return unproved("it names a part that is not there");
                    };
                    let placed = meshes[side].entry(part.body).or_insert_with(|| {
                        bodies[side].get(part.body as usize).and_then(|body| PlacedMesh::new(body, home))
                    });
                    let Some(placed) = placed else { return unproved("its part is not a closed mesh") };
                    match placed.holds(hull) {
                        Err(Trouble::Fault(what)) => return unproved(&what),
                        found => found?,
                    }
                }
                cone.lengths = *lengths;
                open.push(cone);
            }
            ConeNode::Split { weights, length } => {
                let chosen: Vec<usize> = (0..3).filter(|&i| weights[i] > 0.0).collect();
                let is_inside = weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite());
                if !is_inside || chosen.len() < 2 || !(*length >= 0.0 && length.is_finite()) {
                    return unproved("the weights of a split are not those of a direction in the cone");
                }
                let slopes = chosen.iter().map(|&i| Interval::of(weights[i]).over(&Interval::of(cone.lengths[i])));
                let slopes = slopes.fold(Interval::of(0.0), |sum, slope| sum.plus(&slope));
                if *length > 0.0 && !(slopes.times(&Interval::of(*length)).high <= 1.0) {
                    return unproved("the direction of a split is not covered as far as it says");
                }
                let parts = chosen.iter().map(|&i| scale(&cone.directions[i], &Interval::of(weights[i])));
                let direction = parts.fold(vector([0.0; 3]), |sum, part| add(&sum, &part));
                for &i in chosen.iter().rev() {
                    let mut child = cone.clone();
                    (child.directions[i], child.lengths[i]) = (direction, *length);
                    open.push(child);
                }
            }
        }
    }
    if open.is_empty() { Ok(()) } else { fault("the cones leave out translations") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A split whose direction is said to be covered farther than it is, weights outside of the cone, and a bound beyond the plane are refused.
    #[test]
    fn cones_are_tiled_and_no_farther_than_they_are_covered() {
        let octants = |first: Vec<ConeNode>| -> Vec<ConeNode> {
            first.into_iter().chain((0..7).map(|_| ConeNode::Far {})).collect()
        };
        let run = |nodes: Vec<ConeNode>, bound: f64| check(&nodes, bound, [0.0, 0.0, 0.0, 1.0], [&[], &[]], [&[], &[]]);
        assert!(run(octants(vec![ConeNode::Far {}]), 0.0).is_ok());
        assert!(run(octants(vec![ConeNode::Far {}]), 1e-9).is_err());
        let split = |weights: [f64; 3], length: f64| {
            octants(vec![ConeNode::Split { weights, length }, ConeNode::Far {}, ConeNode::Far {}])
        };
        assert!(run(split([0.5, 0.5, 0.0], 0.0), 0.0).is_ok());
        assert!(run(split([0.5, 0.5, 0.0], 1e-300), 0.0).is_err());
        assert!(run(split([1.5, -0.5, 0.0], 0.0), 0.0).is_err());
        assert!(run(split([1.0, 0.0, 0.0], 0.0), 0.0).is_err());
        assert!(run(octants(vec![ConeNode::Split { weights: [0.5, 0.5, 0.0], length: 0.0 }]), 0.0).is_err());
    }

    fn cube() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let vertices = (0..8).map(|v| [0, 1, 2].map(|axis| if v >> axis & 1 == 1 { 1.0 } else { -1.0 })).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        (vertices, quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
    }

    /// Hulls of random points are in a cube exactly if all points are.
    #[test]
    fn hulls_are_inside_of_a_cube_if_their_points_are() {
        use crate::evidence::Query;
        use crate::parts::Flat;
        use crate::pose::Pose;
        use crate::shape::Shape;
        let (vertices, triangles) = cube();
        let shape = Shape::Mesh { vertices, triangles };
        let pose_a = Pose { translation: [0.5, 0.0, 0.0], rotation: [1.0, 2.0, -1.0, 3.0] };
        let query = Query { a: shape.clone(), pose_a, b: shape.clone(), pose_b: Pose::IDENTITY };
        let flat = Flat::new(&query.a);
        let sides = flat.sides(&query.pose_a, &query);
        let body = Body { side: sides[0], mesh: flat.bodies()[0].1 };
        // In the frame of A its own cube is as it was written.
        let placed = PlacedMesh::new(&body, pose_a.rotation).expect("it is closed");
        let mut state = 11_u64;
        let mut drawn = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let (mut held, mut refused) = (0, 0);
        for round in 0..400 {
            let size = if round % 2 == 0 { 1.0 - 1e-12 } else { 1.2 };
            let points: Vec<[f64; 3]> =
                (0..6).map(|_| [drawn(), drawn(), drawn()].map(|x| size * x.signum() * x.abs().sqrt())).collect();
            let is_within = points.iter().flatten().all(|x| x.abs() < 1.0);
            let found = placed.holds(&points.iter().map(|p| vector(*p)).collect::<Vec<_>>());
            assert_eq!(found.is_ok(), is_within, "{round}: {points:?}");
            if is_within { held += 1 } else { refused += 1 }
        }
        // Far outside, where no triangle meets the hull.
        let far: Vec<Vector<Interval>> = [[3.0, 0.1, 0.2], [3.1, 0.0, 0.0], [3.0, 0.3, 0.0]].map(vector).to_vec();
        assert!(placed.holds(&far).is_err());
        assert!(held > 150 && refused > 100, "{held} {refused}");
    }
}
