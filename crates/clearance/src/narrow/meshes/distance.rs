//! The distance of two surfaces: branch and bound over both trees, the closest pair of boxes first.

use super::boxes::{BoxFrames, Boxes4, in_a};
use super::rounding;
use super::walk::SubTree;
use crate::math::Frame;
use crate::narrow::triangles::{self, TrianglePoints, beyond};
use crate::shape::Mesh;
use crate::tree::{WIDE_LEVELS, WIDTH};
use arrayvec::ArrayVec;
use glam::DVec3;

/// What was found about two surfaces, in the frame of A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshDistance {
    /// The closest triangles, or two that meet.
    pub triangles: [u32; 2],
    /// The point of A nearest to B; if they meet, a point of both.
    pub point_a: DVec3,
    /// The point of B nearest to A.
    pub point_b: DVec3,
    /// Unit vector from A to B; zero if they meet.
    pub normal: DVec3,
    /// The length between the points.
    pub distance: f64,
    /// The surfaces are at least this far apart; zero if they may meet.
    pub lower: f64,
    /// They are at most this far apart.
    pub upper: f64,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    a: SubTree,
    b: SubTree,
    box_a: (u32, u8),
    box_b: (u32, u8),
    /// A lower bound in the unit of the boxes, see [`SurfaceSearch::apart`].
    bound: f32,
}

const STACK: usize = 2 * WIDE_LEVELS * (WIDTH * WIDTH - 1) + 1;

/// The distance of two surfaces, zero if they meet; nothing beyond `limit` is looked at, and nothing is returned if all is proved to be
/// beyond. `first` are triangles that were closest before: a good guess saves most of the search, and a bad one costs little.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance::narrow::meshes;
/// use clearance::shape::Mesh;
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let b_in_a = Frame::relative(&Pose::IDENTITY, &Pose::from_translation([0.0, 0.0, 3.0]));
/// let found = meshes::distance(&mesh, &mesh, &b_in_a, f64::INFINITY, None).expect("nothing is beyond infinity");
/// assert!((found.distance - 2.0).abs() < 1e-14 && found.lower <= 2.0 && 2.0 <= found.upper);
/// assert!(meshes::distance(&mesh, &mesh, &b_in_a, 1.0, None).is_none());
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn distance(a: &Mesh, b: &Mesh, b_in_a: &Frame, limit: f64, first: Option<[u32; 2]>) -> Option<MeshDistance> {
    let frames = BoxFrames::new(a.tree(), b.tree(), b_in_a);
    let rounding = rounding(a, b, b_in_a);
    let mut search = SurfaceSearch {
        a,
        b,
        b_in_a,
        rounding,
        best: None,
        enough: limit,
        lower: f64::INFINITY,
        unit: frames.unit,
        apart: frames.apart,
        worst: f32::INFINITY,
    };
    search.tighten();
    if let Some([i, j]) = first
        && (i as usize) < a.triangles().len()
        && (j as usize) < b.triangles().len()
    {
        search.triangles(i, &in_a(b_in_a, b.corners(j)), j);
    }
    search.run(&frames);
    search.answer()
}

struct SurfaceSearch<'a> {
    a: &'a Mesh,
    b: &'a Mesh,
    b_in_a: &'a Frame,
    rounding: f64,
    best: Option<([u32; 2], TrianglePoints)>,
    /// Nothing that is farther is of interest.
    enough: f64,
    /// What is proved of all pairs that were looked at.
    lower: f64,
    unit: f64,
    /// How far the middles are apart, if that is far: bounds are then what is added to it, else squares.
    apart: Option<f64>,
    /// What `enough` is as a bound, rounded up.
    worst: f32,
}

impl SurfaceSearch<'_> {
    fn tighten(&mut self) {
        let in_unit = self.enough / self.unit;
        let bound = match self.apart {
            Some(apart) => in_unit - apart + 4.0 * f64::EPSILON * apart,
            None => in_unit * in_unit,
        };
        self.worst = (bound as f32).next_up();
    }

    fn run(&mut self, frames: &BoxFrames) {
        let (a, b) = (self.a.tree(), self.b.tree());
        if a.nodes().is_empty() || b.nodes().is_empty() {
            return;
        }
        let mut stack = ArrayVec::<Open, STACK>::new();
        stack.push(Open { a: SubTree::ROOT, b: SubTree::ROOT, box_a: (0, 0), box_b: (0, 0), bound: f32::NEG_INFINITY });
        let mut found = ArrayVec::<Open, { WIDTH * WIDTH }>::new();
        while let Some(open) = stack.pop() {
            if self.is_over() {
                return;
            }
            if open.bound > self.worst {
                self.pass(open.bound);
                continue;
            }
            let Open { a: at_a, b: at_b, box_a, box_b, .. } = open;
            if at_a.is_leaf() && at_b.is_leaf() {
                self.leaves(at_a, at_b);
                continue;
            }
            found.clear();
            let (node_a, of_a) = match at_a.is_leaf() {
                true => (None, Boxes4::of(&a.nodes()[box_a.0 as usize], frames.scales[0]).only(usize::from(box_a.1))),
                false => {
                    let node = &a.nodes()[at_a.first as usize];
                    (Some(node), Boxes4::of(node, frames.scales[0]))
                }
            };
            let (node_b, of_b) = match at_b.is_leaf() {
                true => (None, Boxes4::of(&b.nodes()[box_b.0 as usize], frames.scales[1]).only(usize::from(box_b.1))),
                false => {
                    let node = &b.nodes()[at_b.first as usize];
                    (Some(node), Boxes4::of(node, frames.scales[1]))
                }
            };
            let turned = frames.turned(&of_b);
            let bounds = |of_a: &Boxes4| match self.apart {
                Some(_) => frames.along_way(of_a, &of_b).to_array(),
                None => frames.least_squares(of_a, &turned).to_array(),
            };
            let mut offer = |i: usize, j: usize, bound: f32| {
                let (child_a, box_a) = match node_a {
                    Some(node) => (SubTree::child(node, i), (at_a.first, i as u8)),
                    None => (at_a, box_a),
                };
                let (child_b, box_b) = match node_b {
                    Some(node) => (SubTree::child(node, j), (at_b.first, j as u8)),
                    None => (at_b, box_b),
                };
                found.push(Open { a: child_a, b: child_b, box_a, box_b, bound });
            };
            match (node_a, node_b) {
                (Some(in_a), Some(in_b)) => {
                    for i in (0..WIDTH).filter(|&i| in_a.has(i)) {
                        let bounds = bounds(&of_a.only(i));
                        (0..WIDTH).filter(|&j| in_b.has(j)).for_each(|j| offer(i, j, bounds[j]));
                    }
                }
                (Some(in_a), None) => {
                    let bounds = bounds(&of_a);
                    (0..WIDTH).filter(|&i| in_a.has(i)).for_each(|i| offer(i, 0, bounds[i]));
                }
                (None, Some(in_b)) => {
                    let bounds = bounds(&of_a);
                    (0..WIDTH).filter(|&j| in_b.has(j)).for_each(|j| offer(0, j, bounds[j]));
                }
                (None, None) => {}
            }
            // The closest last, so that it is looked at first.
            found.sort_unstable_by(|x, y| y.bound.total_cmp(&x.bound));
            for open in &found {
                if open.bound > self.worst { self.pass(open.bound) } else { stack.push(*open) }
            }
        }
    }

    /// Do they meet already? Then nothing can be closer.
    fn is_over(&self) -> bool {
        self.lower <= 0.0
    }

    /// All of a pair of boxes is at least that far away.
    fn pass(&mut self, bound: f32) {
        // A root and a sum round by an ε; the product with a power of two does not.
        let length = match self.apart {
            Some(apart) => apart + f64::from(bound),
            None => f64::from(bound).sqrt(),
        };
        self.lower = self.lower.min(length * (1.0 - 1e-15) * self.unit);
    }

    fn leaves(&mut self, at_a: SubTree, at_b: SubTree) {
        for &j in at_b.items(self.b.tree()) {
            let corners = in_a(self.b_in_a, self.b.corners(j));
            for &i in at_a.items(self.a.tree()) {
                self.triangles(i, &corners, j);
            }
        }
    }

    fn triangles(&mut self, i: u32, of_b: &triangles::Corners, j: u32) {
        let of_a = self.a.corners(i);
        // Along the normal of the best pair most of those beside it are at least as far.
        if let Some((_, best)) = &self.best {
            let apart = beyond(&of_a, of_b, best.normal) - 2.0 * self.rounding;
            if apart >= self.enough {
                self.lower = self.lower.min(apart);
                return;
            }
        }
        let found = triangles::closest_points(&of_a, of_b);
        let mut lower = (found.lower - 2.0 * self.rounding).max(0.0);
        if lower == 0.0 {
            if super::walk::meet(&of_a, of_b, self.rounding) {
                let point = triangles::common_point(&of_a, of_b).unwrap_or(found.point_a);
                let found =
                    TrianglePoints { point_a: point, point_b: point, distance: 0.0, normal: DVec3::ZERO, lower };
                (self.best, self.lower, self.enough) = (Some(([i, j], found)), 0.0, 0.0);
                return;
            }
            // Apart, but by so little that the direction does not tell.
            lower = f64::MIN_POSITIVE;
        }
        self.lower = self.lower.min(lower);
        // What is not proved to be beyond the limit is an answer, though it be a little beyond.
        if found.distance < self.enough || self.best.is_none() && lower <= self.enough {
            self.best = Some(([i, j], found));
            self.enough = self.enough.min(found.distance);
            self.tighten();
        }
    }

    fn answer(&self) -> Option<MeshDistance> {
        let (triangles, TrianglePoints { point_a, point_b, distance, normal, .. }) = self.best?;
        let lower = self.lower.clamp(0.0, distance);
        let upper = distance + 2.0 * self.rounding;
        Some(MeshDistance { triangles, point_a, point_b, normal, distance, lower, upper })
    }
}
