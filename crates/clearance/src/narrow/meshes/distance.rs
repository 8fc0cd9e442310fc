//! The distance of two surfaces: branch and bound over both trees (`tree/dual.rs`), then the triangles of two leaves.
//!
//! Most pairs of triangles are pruned along a direction at hand, most others by eight-lane single precision; closest points in doubles prove the rest.
//!
//! **Invariants.** (1) `lower` is at most the distance of every pair of triangles that was visited or pruned. (2) `cutoff` never increases, and is at most the distance of the best pair. (3) The search is over when two
//! triangles meet or cannot be proved apart; `lower` is zero then.

use super::front::Front;
use super::intersect::meet;
use super::kept::KeptSearch;
use super::lanes::{LANES, TriangleLanes};
use super::leaves::{LeafPair, turn};
use super::{Triangles, in_a, rounding};
use crate::math::Frame;
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::triangles::{self, Corners, TrianglePoints};
use crate::narrow::{Bracket, Outcome};
use crate::shape::{Mesh, Triangle};
use crate::tree::{DualSearch, LEAF, SeparatingPlane, TreeSearch, by_axis, closest_first};
use arrayvec::ArrayVec;
use glam::DVec3;
use wide::f32x4;

/// The distance of two surfaces and their closest points, in the frame of A.
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

/// The distance of two surfaces, zero if they meet; `None` if they are proved to be farther apart than `limit`. `first` are triangles that were closest before: a good
/// guess saves most of the search, and a bad one costs little.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance::internals::narrow::meshes;
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
    distance_or_bound(a, Triangles::Mesh(b), b_in_a, limit, first, None).ok()
}

/// [`distance`], or a lower bound of it that is above the limit.
pub(crate) fn distance_or_bound(
    a: &Mesh,
    b: Triangles<'_>,
    b_in_a: &Frame,
    limit: f64,
    first: Option<[u32; 2]>,
    front: Option<&mut Front>,
) -> Result<MeshDistance, f64> {
    let rounding = rounding(a, &b, b_in_a);
    let mut search =
        TriangleSearch { a, b, b_in_a, rounding, turn: turn(b_in_a), best: None, cutoff: limit, lower: f64::INFINITY };
    if let Some([i, j]) = first
        && (i as usize) < a.triangles().len()
        && (j as usize) < b.count()
    {
        search.triangles([i, j], &search.corners([i, j]));
    }
    // A search with the cutoff zero is an intersection test, which boxes answer.
    let views = match search.cutoff > 0.0 {
        true => [a.tree_with_heights(), b.view_for_distances()],
        false => [a.tree().view(), b.view()],
    };
    match front {
        // The triangles that were closest before meet. The front stays as it is: it holds wherever B goes.
        _ if search.is_over() => {}
        Some(front) => KeptSearch { search: &mut search, front }.run(views),
        None => closest_first(views, b_in_a, &mut search),
    }
    search.answer()
}

/// The search for the closest triangles. It knows nothing of fronts: see `kept.rs`.
pub(super) struct TriangleSearch<'a> {
    pub a: &'a Mesh,
    pub b: Triangles<'a>,
    pub b_in_a: &'a Frame,
    pub rounding: f64,
    /// The rotation of B in single precision, by row.
    turn: [[f32x4; 3]; 3],
    pub best: Option<([u32; 2], TrianglePoints)>,
    /// Pairs that are farther are pruned.
    pub cutoff: f64,
    /// A lower bound for all pairs that were visited or pruned.
    pub lower: f64,
}

impl TreeSearch for TriangleSearch<'_> {
    fn cutoff(&self) -> f64 {
        self.cutoff
    }

    fn plane(&self) -> Option<SeparatingPlane> {
        self.best.as_ref().map(|(_, best)| SeparatingPlane { normal: best.normal, height: None })
    }

    fn is_over(&self) -> bool {
        !Bracket::is_apart(self.lower)
    }

    fn prune(&mut self, lower: f64) {
        self.lower = self.lower.min(lower);
    }
}

impl DualSearch for TriangleSearch<'_> {
    #[inline(always)]
    fn leaves(&mut self, of_a: &[u32], of_b: &[u32]) -> f64 {
        let before = std::mem::replace(&mut self.lower, f64::INFINITY);
        self.leaves_here(of_a, of_b);
        let here = self.lower;
        self.lower = before.min(here);
        here
    }
}

/// Two triangles of two leaves that may be closer than the cutoff, by their places there.
struct OpenPair {
    x: u8,
    y: u8,
}

impl TriangleSearch<'_> {
    /// Visits all pairs of two leaves: most are pruned along a direction at hand, most others in single precision.
    #[inline(always)]
    fn leaves_here(&mut self, of_a: &[u32], of_b: &[u32]) {
        let normal = self.best.as_ref().map_or(DVec3::ZERO, |(_, best)| best.normal);
        let normal = by_axis(|k| f32x4::splat(normal[k] as f32));
        let leaves = LeafPair::new(self.a, of_a, &self.b, of_b, self.b_in_a, &self.turn);
        let mut open = ArrayVec::<OpenPair, { LEAF * LEAF }>::new();
        for (x, &i) in of_a.iter().enumerate() {
            let [bounds, along] = leaves.lower_bounds(x, &normal).map(f32x4::to_array);
            for (y, &j) in of_b.iter().enumerate() {
                if self.passes(bounds[y]) {
                    continue;
                }
                // Doubles prune pairs that single precision cannot tell from the best.
                let is_close = f64::from(along[y]) >= self.cutoff - 4.0 * self.rounding;
                if is_close && self.is_beyond_normal(&self.corners([i, j])) {
                    continue;
                }
                open.push(OpenPair { x: x as u8, y: y as u8 });
            }
        }
        for few in open.chunks(LANES) {
            let mut lanes = TriangleLanes::EMPTY;
            for (lane, &OpenPair { x, y }) in few.iter().enumerate() {
                leaves.put(&mut lanes, lane, usize::from(x), usize::from(y));
            }
            let bounds = lanes.lower_bounds();
            // The closest first: it prunes most of the others. A NaN counts as closest.
            let bounds = bounds.map(|bound| if bound.is_finite() { bound } else { f32::NEG_INFINITY });
            let closest = (1..few.len()).fold(0, |best, lane| if bounds[lane] < bounds[best] { lane } else { best });
            for lane in std::iter::once(closest).chain((0..few.len()).filter(|&lane| lane != closest)) {
                if self.passes(bounds[lane]) {
                    continue;
                }
                let OpenPair { x, y } = few[lane];
                let numbers = [of_a[usize::from(x)], of_b[usize::from(y)]];
                let corners = self.corners(numbers);
                if !self.is_beyond_normal(&corners) {
                    self.triangles(numbers, &corners);
                }
                if self.is_over() {
                    return;
                }
            }
        }
    }

    /// Prunes a pair of triangles with that bound in single precision, if it suffices.
    #[inline(always)]
    fn passes(&mut self, bound: f32) -> bool {
        let lower = f64::from(bound) - 2.0 * self.rounding;
        let passes = lower >= self.cutoff && Bracket::is_apart(lower);
        if passes {
            self.lower = self.lower.min(lower);
        }
        passes
    }

    /// Are two triangles as far apart along the normal of the best pair as that pair is, to rounding? Then they are pruned.
    ///
    /// Parallel faces have many closest pairs, and so has a corner of many triangles. So that they need not all be visited, pairs within rounding of the best are pruned too:
    /// `lower` is then below the distance by rounding, as it is anyhow.
    #[inline(always)]
    fn is_beyond_normal(&mut self, [of_a, of_b]: &[Corners; 2]) -> bool {
        let Some((_, best)) = &self.best else { return false };
        let apart = triangles::beyond(of_a, of_b, best.normal) - 2.0 * self.rounding;
        let is_beyond = apart >= (self.cutoff - 4.0 * self.rounding).max(0.5 * self.rounding);
        if is_beyond {
            self.lower = self.lower.min(apart);
        }
        is_beyond
    }

    /// Two triangles in the frame of A.
    #[inline(always)]
    fn corners(&self, [i, j]: [u32; 2]) -> [Corners; 2] {
        [self.a.corners(i), in_a(self.b_in_a, self.b.corners(j))]
    }

    #[inline(never)]
    fn triangles(&mut self, numbers: [u32; 2], [of_a, of_b]: &[Corners; 2]) {
        let found = triangle_points(of_a, of_b, self.rounding, self.cutoff);
        let mut lower = (found.lower - 2.0 * self.rounding).max(0.0);
        if lower == 0.0 {
            if meet(of_a, of_b, self.rounding) {
                let point = triangles::common_point(of_a, of_b).unwrap_or(found.point_a);
                let found =
                    TrianglePoints { point_a: point, point_b: point, distance: 0.0, normal: DVec3::ZERO, lower };
                (self.best, self.lower, self.cutoff) = (Some((numbers, found)), 0.0, 0.0);
                return;
            }
            // Apart, but by so little that no direction proves it.
            lower = f64::MIN_POSITIVE;
        }
        self.lower = self.lower.min(lower);
        // A pair that is not proved to be beyond the limit is an answer, even if it is a little beyond.
        if found.distance < self.cutoff || self.best.is_none() && lower <= self.cutoff {
            self.best = Some((numbers, found));
            self.cutoff = self.cutoff.min(found.distance);
        }
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

/// The closest points of two triangles with a lower bound, to `rounding` unless the bound is above `enough`.
pub(super) fn triangle_points(of_a: &Corners, of_b: &Corners, rounding: f64, enough: f64) -> TrianglePoints {
    let found = triangles::closest_points(of_a, of_b);
    if found.distance - found.lower > 2.0 * rounding && found.lower < enough {
        return again(of_a, of_b, found);
    }
    found
}

/// Two triangles whose closest points do not prove a tight bound: those of a sliver are inaccurate. GJK answers.
#[cold]
fn again(of_a: &Corners, of_b: &Corners, found: TrianglePoints) -> TrianglePoints {
    let [Ok(a), Ok(b)] = [of_a, of_b].map(|t| Triangle::new(t[0], t[1], t[2])) else { return found };
    let cache = &mut WarmSimplex::default();
    let out = gjk::distance_up_to::<SignedVolumes, _, _>(&a, &b, &Frame::IDENTITY, f64::INFINITY, cache);
    if !(out.lower > found.lower && out.distance > 0.0) {
        return found;
    }
    let Outcome { point_a, point_b, normal, lower, .. } = out;
    TrianglePoints { point_a, point_b, distance: point_a.distance(point_b), normal, lower }
}
