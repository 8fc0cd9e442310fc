//! Proof that the hull of a few points is in the interior of a solid.
//!
//! **Theorem.** Let no triangle of a closed surface meet a convex set, and let one point of the set have a winding number that is not zero. Then the set is in
//! the interior of the solid. *Proof.* The set is connected, and the winding number changes at triangles only. ∎
//!
//! A direction d separates a triangle or a box from the hull if `min d·t - max d·q > margin |d|`. It is a proof however it was found. The margin exceeds
//! the rounding of the heights by orders of magnitude, so that the test holds for all sets within the rest of the margin around the hull.

use super::body::PlacedSolid;
use crate::shape::Side;
use crate::shape::mesh::nearest_on_triangle;
use crate::tree::{WIDE_LEVELS, WIDTH, WideNode};
use arrayvec::ArrayVec;
use glam::DVec3;

/// Limit: the points of a hull are those of two triangles, the ends of a frustum.
pub(super) const POINTS: usize = 6;
/// The most planes of a hull of that many points, both sides of flat ones included. Limit: further planes would only be further directions.
const PLANES: usize = 16;

/// The hull of some points in the frame of a mesh.
struct Hull {
    points: ArrayVec<DVec3, POINTS>,
    min: DVec3,
    max: DVec3,
    center: DVec3,
    radius: f64,
    /// Unit normals, and the greatest height of the points along them.
    planes: ArrayVec<(DVec3, f64), PLANES>,
    margin: f64,
}

impl Hull {
    fn new(points: ArrayVec<DVec3, POINTS>, margin: f64) -> Self {
        let min = points.iter().fold(DVec3::INFINITY, |min, p| min.min(*p));
        let max = points.iter().fold(DVec3::NEG_INFINITY, |max, p| max.max(*p));
        let center = points.iter().sum::<DVec3>() / points.len() as f64;
        // Bound: a distance is off by less than 4 ε of itself.
        let radius = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max) * (1.0 + 8.0 * f64::EPSILON);
        let mut hull = Self { points, min, max, center, radius, planes: ArrayVec::new(), margin };
        hull.find_planes();
        hull
    }

    fn top(&self, along: DVec3) -> f64 {
        self.points.iter().map(|p| along.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Planes through three points with all others on one side.
    fn find_planes(&mut self) {
        let count = self.points.len();
        for i in 0..count {
            for j in i + 1..count {
                for k in j + 1..count {
                    let from = self.points[i];
                    let Some(normal) = (self.points[j] - from).cross(self.points[k] - from).try_normalize() else {
                        continue;
                    };
                    let height = normal.dot(from);
                    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                    for p in &self.points {
                        let at = normal.dot(*p);
                        (low, high) = (low.min(at), high.max(at));
                    }
                    // Points this close to a plane may lie on either side: more planes are only more directions.
                    let flat = 1e-9 * self.radius;
                    if high <= height + flat && !self.planes.is_full() {
                        self.planes.push((normal, high));
                    }
                    if low >= height - flat && !self.planes.is_full() {
                        self.planes.push((-normal, -low));
                    }
                }
            }
        }
    }

    /// The children of a node that no direction separates from the hull, a bit for each.
    fn meets(&self, node: &WideNode, origin: DVec3, unit: f64) -> u32 {
        let mut open = 0;
        let mut boxes = [[[0.0_f64; WIDTH]; 3]; 2];
        for axis in 0..3 {
            boxes[0][axis] = node.center[axis].map(|center| f64::from(center) * unit + origin[axis]);
            boxes[1][axis] = node.half[axis].map(|half| f64::from(half) * unit);
        }
        let [at, half] = &boxes;
        // Positive where a direction separates.
        let mut gap = [f64::NEG_INFINITY; WIDTH];
        let mut square = [0.0_f64; WIDTH];
        for axis in 0..3 {
            for lane in 0..WIDTH {
                let beyond = (at[axis][lane] - self.max[axis]).max(self.min[axis] - at[axis][lane]) - half[axis][lane];
                gap[lane] = gap[lane].max(beyond);
                let off = ((at[axis][lane] - self.center[axis]).abs() - half[axis][lane]).max(0.0);
                square[lane] += off * off;
            }
        }
        // The excess of 1e-12 is above the rounding of a square and a root.
        let far = (self.radius + self.margin) * (1.0 + 1e-12);
        for (normal, top) in &self.planes {
            let (n, spread) = (normal.to_array(), normal.abs().to_array());
            for lane in 0..WIDTH {
                let height = n[0] * at[0][lane] + n[1] * at[1][lane] + n[2] * at[2][lane];
                let reach = spread[0] * half[0][lane] + spread[1] * half[1][lane] + spread[2] * half[2][lane];
                gap[lane] = gap[lane].max(height - reach - top);
            }
        }
        for lane in 0..WIDTH {
            let is_apart = gap[lane] > self.margin || square[lane] > far * far;
            if node.half[0][lane] >= 0.0 && !is_apart {
                open |= 1 << lane;
            }
        }
        open
    }

    /// Does some direction separate a triangle from the hull?
    fn is_beside(&self, corners: &[DVec3; 3]) -> bool {
        let low = |along: DVec3| along.dot(corners[0]).min(along.dot(corners[1])).min(along.dot(corners[2]));
        if self.planes.iter().any(|&(normal, top)| low(normal) - top > self.margin) {
            return true;
        }
        // A direction of any length.
        let separates = |along: DVec3| {
            let gap = low(along) - self.top(along);
            // The excess of 1e-12 is above the rounding of a length.
            gap > 0.0 && gap > self.margin * along.length() * (1.0 + 1e-12)
        };
        let min = corners[0].min(corners[1]).min(corners[2]);
        let max = corners[0].max(corners[1]).max(corners[2]);
        if (min - self.max).max(self.min - max).max_element() > self.margin {
            return true;
        }
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        if separates(normal) || separates(-normal) {
            return true;
        }
        if separates(nearest_on_triangle(*corners, self.center) - self.center) {
            return true;
        }
        if self.points.iter().any(|p| separates(nearest_on_triangle(*corners, *p) - *p)) {
            return true;
        }
        for (i, p) in self.points.iter().enumerate() {
            for q in &self.points[i + 1..] {
                for k in 0..3 {
                    let along = (*q - *p).cross(corners[(k + 1) % 3] - corners[k]);
                    if separates(along) || separates(-along) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// Is the hull of some points, with everything within a margin, in the interior of a solid? Points and margin are those of the search.
pub(super) fn is_inside(solid: &PlacedSolid<'_>, points: &[DVec3], margin: f64) -> bool {
    let margin = solid.local_length(margin) + 2.0 * solid.slack;
    let hull = Hull::new(points.iter().take(POINTS).map(|&p| solid.local(p)).collect(), margin);
    let view = solid.mesh.tree().view();
    let mut stack = ArrayVec::<u32, { WIDE_LEVELS * (WIDTH - 1) + 1 }>::new();
    if !view.nodes.is_empty() {
        stack.push(0);
    }
    while let Some(at) = stack.pop() {
        let node = &view.nodes[at as usize];
        let open = hull.meets(node, view.origin, view.unit);
        for lane in (0..WIDTH).filter(|lane| open >> lane & 1 != 0) {
            let (first, count) = (node.first[lane], usize::from(node.count[lane]));
            if count == 0 {
                stack.push(first);
                continue;
            }
            let items = &view.items[first as usize..first as usize + count];
            if !items.iter().all(|&item| hull.is_beside(&solid.mesh.corners(item))) {
                return false;
            }
        }
    }
    solid.mesh.side_of(hull.center) == Side::Inside
}
