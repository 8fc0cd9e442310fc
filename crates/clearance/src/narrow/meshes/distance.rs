//! The distance of two surfaces: branch and bound over both trees, the closest pair of boxes first.

use super::boxes::{BoxFrames, in_a};
use super::intersect::meet;
use super::rounding;
use super::walk::{STACK, SubTreePair, TwoTrees};
use crate::math::Frame;
use crate::narrow::Outcome;
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::triangles::{self, Corners, TrianglePoints, beyond};
use crate::shape::{Mesh, Triangle};
use crate::tree::{WIDTH, WideView};
use arrayvec::ArrayVec;
use glam::DVec3;

/// A search for what is closest: whoever looks at leaves.
pub(crate) trait SurfaceSearch {
    /// Nothing that is farther is of interest.
    fn enough(&self) -> f64;

    /// Is nothing of interest any more, since something meets?
    fn is_over(&self) -> bool;

    /// Everything in a pair of boxes is at least that far apart, which is enough.
    fn pass(&mut self, lower: f64);

    /// The items of two leaves.
    fn leaves(&mut self, a: &[u32], b: &[u32]);
}

/// How lengths and the bounds of boxes go together, in the unit of the boxes.
struct Bounds {
    unit: f64,
    /// How far the middles are apart, if that is far: bounds are then what is added to it, else squares.
    apart: Option<f64>,
}

impl Bounds {
    /// A length as a bound, rounded up.
    fn of(&self, length: f64) -> f32 {
        let in_unit = length / self.unit;
        let bound = match self.apart {
            Some(apart) => in_unit - apart + 4.0 * f64::EPSILON * apart,
            None => in_unit * in_unit,
        };
        (bound as f32).next_up()
    }

    /// A bound as a length, rounded down.
    fn length(&self, bound: f32) -> f64 {
        // A root and a sum round by an ε; the product with a power of two does not.
        let length = match self.apart {
            Some(apart) => apart + f64::from(bound),
            None => f64::from(bound).max(0.0).sqrt(),
        };
        length * (1.0 - 1e-15) * self.unit
    }
}

/// Walks all pairs of leaves that may be closer than is enough, the closest boxes first.
pub(crate) fn closest_first([a, b]: [WideView<'_>; 2], b_in_a: &Frame, search: &mut impl SurfaceSearch) {
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return;
    }
    let frames = BoxFrames::new(&a, &b, b_in_a);
    let trees = TwoTrees { a, b, frames };
    let bounds = Bounds { unit: frames.unit, apart: frames.apart };
    let mut enough = search.enough();
    let mut worst = bounds.of(enough);
    let mut stack = ArrayVec::<SubTreePair, STACK>::new();
    stack.push(SubTreePair::ROOTS);
    let mut found = ArrayVec::<SubTreePair, { WIDTH * WIDTH }>::new();
    while let Some(pair) = stack.pop() {
        if pair.bound > worst {
            search.pass(bounds.length(pair.bound));
            continue;
        }
        if pair.are_leaves() {
            search.leaves(pair.a.items(&a), pair.b.items(&b));
            if search.is_over() {
                return;
            }
            if search.enough() != enough {
                enough = search.enough();
                worst = bounds.of(enough);
            }
            continue;
        }
        found.clear();
        trees.expand(
            &pair,
            |of_a, of_b, turned| match frames.apart {
                Some(_) => frames.along_way(of_a, of_b),
                None => frames.least_squares(of_a, turned),
            },
            |pair| found.push(pair),
        );
        // The closest last, so that it is looked at first.
        found.sort_unstable_by(|x, y| y.bound.total_cmp(&x.bound));
        for pair in &found {
            if pair.bound > worst { search.pass(bounds.length(pair.bound)) } else { stack.push(*pair) }
        }
    }
}

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
    distance_or_bound(a, b, b_in_a, limit, first).ok()
}

/// [`distance`], or how far apart they are at least if that is beyond the limit.
pub(crate) fn distance_or_bound(
    a: &Mesh,
    b: &Mesh,
    b_in_a: &Frame,
    limit: f64,
    first: Option<[u32; 2]>,
) -> Result<MeshDistance, f64> {
    let rounding = rounding(a, b, b_in_a);
    let mut search = TriangleSearch { a, b, b_in_a, rounding, best: None, enough: limit, lower: f64::INFINITY };
    if let Some([i, j]) = first
        && (i as usize) < a.triangles().len()
        && (j as usize) < b.triangles().len()
    {
        search.triangles(i, &in_a(b_in_a, b.corners(j)), j);
    }
    if !search.is_over() {
        closest_first([a.tree().view(), b.tree().view()], b_in_a, &mut search);
    }
    search.answer()
}

struct TriangleSearch<'a> {
    a: &'a Mesh,
    b: &'a Mesh,
    b_in_a: &'a Frame,
    rounding: f64,
    best: Option<([u32; 2], TrianglePoints)>,
    /// Nothing that is farther is of interest.
    enough: f64,
    /// What is proved of all pairs that were looked at.
    lower: f64,
}

impl SurfaceSearch for TriangleSearch<'_> {
    fn enough(&self) -> f64 {
        self.enough
    }

    fn is_over(&self) -> bool {
        !(self.lower > 0.0)
    }

    fn pass(&mut self, lower: f64) {
        self.lower = self.lower.min(lower);
    }

    fn leaves(&mut self, of_a: &[u32], of_b: &[u32]) {
        for &j in of_b {
            let corners = in_a(self.b_in_a, self.b.corners(j));
            for &i in of_a {
                self.triangles(i, &corners, j);
            }
        }
    }
}

impl TriangleSearch<'_> {
    fn triangles(&mut self, i: u32, of_b: &Corners, j: u32) {
        let of_a = self.a.corners(i);
        // Along the normal of the best pair most of those beside it are at least as far.
        if let Some((_, best)) = &self.best {
            let apart = beyond(&of_a, of_b, best.normal) - 2.0 * self.rounding;
            if apart >= self.enough {
                self.lower = self.lower.min(apart);
                return;
            }
        }
        let mut found = triangles::closest_points(&of_a, of_b);
        if found.distance - found.lower > 2.0 * self.rounding && found.lower < self.enough {
            found = self.again(&of_a, of_b, found);
        }
        let mut lower = (found.lower - 2.0 * self.rounding).max(0.0);
        if lower == 0.0 {
            if meet(&of_a, of_b, self.rounding) {
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
        }
    }

    /// Two triangles about which the direction between the points that were found does not tell enough: those of a sliver are not the
    /// closest ones.
    #[cold]
    fn again(&self, of_a: &Corners, of_b: &Corners, found: TrianglePoints) -> TrianglePoints {
        let [Ok(a), Ok(b)] = [of_a, of_b].map(|t| Triangle::new(t[0], t[1], t[2])) else { return found };
        let cache = &mut WarmSimplex::default();
        let out = gjk::distance_up_to::<SignedVolumes, _, _>(&a, &b, &Frame::IDENTITY, f64::INFINITY, cache);
        if !(out.lower > found.lower && out.distance > 0.0) {
            return found;
        }
        let Outcome { point_a, point_b, normal, lower, .. } = out;
        TrianglePoints { point_a, point_b, distance: point_a.distance(point_b), normal, lower }
    }

    fn answer(&self) -> Result<MeshDistance, f64> {
        let Some((triangles, TrianglePoints { point_a, point_b, distance, normal, .. })) = self.best else {
            return Err(self.lower);
        };
        let lower = self.lower.clamp(0.0, distance);
        let upper = distance + 2.0 * self.rounding;
        Ok(MeshDistance { triangles, point_a, point_b, normal, distance, lower, upper })
    }
}
