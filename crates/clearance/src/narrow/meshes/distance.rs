//! The distance of two surfaces: branch and bound over both trees, the closest pair of boxes first.

use super::entries::{FrontEntry, shortened};
use super::front::{Front, FrontPlace, LookedAt};
use super::heights::HeightOf;
use super::intersect::meet;
use super::lanes::{LANES, TriangleLanes};
use super::leaves::{LeafPair, turn};
use super::{Triangles, in_a, rounding};
use crate::math::{Frame, multiversioned};
use crate::narrow::Outcome;
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::triangles::{self, Corners, TrianglePoints};
use crate::shape::{Mesh, Triangle};
use crate::tree::{
    DualSearch, LEAF, SeparatingPlane, SubTreePair, TreeSearch, WideView, by_axis, closest_first, closest_from,
};
use arrayvec::ArrayVec;
use glam::{DVec3, Vec3};
use wide::f32x4;

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
    distance_or_bound(a, Triangles::Mesh(b), b_in_a, limit, first, None).ok()
}

/// [`distance`], or how far apart they are at least if that is beyond the limit.
pub(crate) fn distance_or_bound(
    a: &Mesh,
    b: Triangles<'_>,
    b_in_a: &Frame,
    limit: f64,
    first: Option<[u32; 2]>,
    front: Option<&mut Front>,
) -> Result<MeshDistance, f64> {
    let rounding = rounding(a, &b, b_in_a);
    let mut search = TriangleSearch {
        a,
        b,
        b_in_a,
        rounding,
        turn: turn(b_in_a),
        best: None,
        cutoff: limit,
        lower: f64::INFINITY,
        front,
    };
    if let Some([i, j]) = first
        && (i as usize) < a.triangles().len()
        && (j as usize) < b.count()
    {
        search.triangles([i, j], &search.corners([i, j]));
    }
    search.run();
    search.answer()
}

struct TriangleSearch<'a> {
    a: &'a Mesh,
    b: Triangles<'a>,
    b_in_a: &'a Frame,
    rounding: f64,
    /// The rotation of B in single precision, by row.
    turn: [[f32x4; 3]; 3],
    best: Option<([u32; 2], TrianglePoints)>,
    /// Nothing that is farther is of interest.
    cutoff: f64,
    /// What is proved of all pairs that were looked at.
    lower: f64,
    front: Option<&'a mut Front>,
}

impl TreeSearch for TriangleSearch<'_> {
    fn cutoff(&self) -> f64 {
        self.cutoff
    }

    fn plane(&self) -> Option<SeparatingPlane> {
        self.best.as_ref().map(|(_, best)| SeparatingPlane { normal: best.normal, height: None })
    }

    fn is_over(&self) -> bool {
        !(self.lower > 0.0)
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

    #[inline(always)]
    fn has_front(&self) -> bool {
        self.front.is_some()
    }

    #[inline(always)]
    fn keep(&mut self, pair: SubTreePair, lower: f64) {
        // What is far need not be asked for a direction.
        if let Some(front) = &mut self.front
            && !front.puts_to_rest(pair, lower - self.rounding, self.cutoff + self.rounding)
        {
            front.keep_new(pair, &[self.a.tree().view(), self.b.view()]);
        }
    }

    #[inline(always)]
    fn keep_leaves(&mut self, pair: SubTreePair, lower: f64) {
        if let Some(front) = &mut self.front
            && !front.keeps_leaves(pair, lower - self.rounding, self.cutoff + self.rounding)
        {
            self.keep_by_corners(pair);
        }
    }
}

/// Two triangles of two leaves that may be closer than is enough, by their places there.
struct OpenPair {
    x: u8,
    y: u8,
}

impl<'a> TriangleSearch<'a> {
    /// Everything that may be closer than is enough: from the roots, or from the front that was kept.
    fn run(&mut self) {
        // A search with the cutoff zero is an intersection test, which boxes answer.
        let views = if self.cutoff > 0.0 {
            [self.a.tree_with_heights(), self.b.view_for_distances()]
        } else {
            [self.a.tree().view(), self.b.view()]
        };
        // The triangles that were closest before have been looked at. A front holds wherever B goes; it need not come along.
        if self.is_over() {
            return;
        }
        let Some(front) = self.front.as_mut() else {
            closest_first(views, self.b_in_a, self);
            return;
        };
        front.heights.forget();
        let mut starts = front.take_starts();
        // The closest so far come first: what is closest now leaves more of the front as it is.
        let (mut close, mut looked_at) = front.take_close();
        close.retain(|&pair| self.stays_close(pair, &mut starts, &mut looked_at));
        if let Some(front) = &mut self.front {
            front.put_close(close);
        }
        let mut steps = looked_at.len();
        if !self.is_over() {
            self.advance_front(&mut starts, &mut looked_at);
            steps += closest_from(&starts, views, self.b_in_a, self);
        }
        let (is_over, place) = (self.is_over(), self.place());
        if let Some(front) = &mut self.front {
            front.close(steps, is_over, (starts, looked_at), &place);
        }
    }

    /// Where B is, and what is known about that so far.
    fn place(&self) -> FrontPlace<'a> {
        let normal = self.best.as_ref().map(|(_, best)| best.normal);
        FrontPlace {
            b_in_a: self.b_in_a,
            trees: [self.a.tree().view(), self.b.view()],
            normal,
            rounding: self.rounding,
        }
    }

    /// Brings the front to where B is, and leaves what is not far enough; from the roots if the front is made anew.
    fn advance_front(&mut self, starts: &mut Vec<SubTreePair>, looked_at: &mut Vec<LookedAt>) {
        let (enough, place) = (self.cutoff, self.place());
        let Some(front) = &mut self.front else { return };
        let Some(kept) = front.advance(&place, enough, starts) else {
            front.begin(self.b_in_a);
            starts.clear();
            starts.push(SubTreePair::ROOTS);
            return;
        };
        self.lower = self.lower.min(kept);
        // (Not before the front is where B is: their bounds hold there.)
        looked_at.drain(..).for_each(|LookedAt { pair, lower }| self.keep_leaves(pair, lower));
        // Most that boxes do not keep far enough corners do, and the closest along the normal.
        starts.retain(|&pair| !self.holds_by_corners(pair));
        starts.sort_by_key(|pair| !pair.are_leaves());
    }

    /// Are two leaves that were among the closest still? Else they are looked at, unless they are farther along the normal: then they are asked for
    /// a direction once the front is where B is.
    fn stays_close(&mut self, pair: SubTreePair, starts: &mut Vec<SubTreePair>, looked_at: &mut Vec<LookedAt>) -> bool {
        if self.is_over() {
            return true;
        }
        let Some(apart) = self.apart_along_normal(pair) else {
            let lower = multiversioned(
                #[inline(always)]
                || self.leaves(pair.a.items(&self.a.tree().view()), pair.b.items(&self.b.view())),
            );
            looked_at.push(LookedAt { pair, lower });
            return false;
        };
        self.lower = self.lower.min(apart);
        let is_beyond = self.front.as_ref().is_some_and(|front| front.is_beyond_close(apart, self.cutoff));
        if is_beyond {
            starts.push(pair);
        }
        !is_beyond
    }

    /// Is a pair that has expired far enough by the corners of its triangles? Then it is kept.
    fn holds_by_corners(&mut self, pair: SubTreePair) -> bool {
        if !pair.are_leaves() {
            return false;
        }
        if pair.bound == SubTreePair::CLOSE {
            return self.settles_along_normal(pair);
        }
        let entry = self.entry(pair);
        let holds = entry.bound - self.rounding >= self.cutoff && entry.bound > self.rounding;
        if let Some(front) = &mut self.front {
            front.count_by_corners();
            if holds {
                self.lower = self.lower.min(entry.bound - self.rounding);
                front.keep(&entry, self.cutoff + self.rounding, &[self.a.tree().view(), self.b.view()]);
            }
        }
        holds
    }

    /// How far the triangles of two leaves that were among the closest are apart along the normal of the best, if that is as far as the best are,
    /// to rounding. What has a closest corner or edge in common with the best is, see [`is_beyond_normal`](Self::is_beyond_normal).
    fn apart_along_normal(&mut self, pair: SubTreePair) -> Option<f64> {
        let (_, TrianglePoints { normal, .. }) = self.best?;
        // Corners are off by two of these, and a height in the axes of B by less than another one.
        let apart = self.beyond_by_corners(pair, normal, Some([HeightOf::A, HeightOf::B])) - 3.0 * self.rounding;
        (apart >= (self.cutoff - 4.0 * self.rounding).max(0.5 * self.rounding)).then_some(apart)
    }

    /// Are two leaves that were among the closest far enough along the normal? Then they are kept.
    fn settles_along_normal(&mut self, pair: SubTreePair) -> bool {
        let Some(apart) = self.apart_along_normal(pair) else { return false };
        self.lower = self.lower.min(apart);
        let is_beyond = self.front.as_ref().is_some_and(|front| front.is_beyond_close(apart, self.cutoff));
        if !(is_beyond && self.holds_by_corners(SubTreePair { bound: 0.0, ..pair }))
            && let Some(front) = &mut self.front
        {
            front.keep_close(pair);
        }
        true
    }

    /// Keeps two leaves that were looked at: with a direction along which their corners are far enough, or as some of the closest.
    #[inline(never)]
    fn keep_by_corners(&mut self, pair: SubTreePair) {
        let entry = self.entry(pair);
        let is_close = entry.bound <= self.cutoff + self.rounding;
        if let Some(front) = &mut self.front {
            front.count_by_corners();
            if is_close {
                front.keep_close(pair);
            } else {
                let entry = FrontEntry { pair: SubTreePair { bound: 0.0, ..pair }, ..entry };
                front.keep(&entry, self.cutoff + self.rounding, &[self.a.tree().view(), self.b.view()]);
            }
        }
    }

    /// By how much two leaves are apart along a vector by the corners of their triangles, times its length; the heights of leaves are remembered, if
    /// it is one along which many are compared.
    fn beyond_by_corners(&mut self, pair: SubTreePair, along: DVec3, remembered: Option<[HeightOf; 2]>) -> f64 {
        let Self { a, b, b_in_a, best, front, .. } = self;
        let top = || highest(|i| a.corners(i), pair.a.items(&a.tree().view()), along);
        let bottom = || -highest(|j| b.corners(j), pair.b.items(&b.view()), -b_in_a.direction_in_b(along));
        let (top, bottom) = match (remembered, front, best) {
            (Some([of_a, of_b]), Some(front), Some((_, best))) => {
                front.heights.turn_to(best.normal);
                (front.heights.of(of_a, pair.a.place(), top), front.heights.of(of_b, pair.b.place(), bottom))
            }
            _ => (top(), bottom()),
        };
        along.dot(b_in_a.translation) + bottom - top
    }

    /// A direction along which the triangles of two leaves are apart by their corners: the normal of what is closest, along which everything else
    /// moves with it; or from middle to middle, if that is not good enough.
    fn entry(&mut self, pair: SubTreePair) -> FrontEntry {
        let normal = self.best.as_ref().map_or(DVec3::ZERO, |(_, best)| best.normal);
        let mut entry = FrontEntry { pair, normal: shortened(normal), bound: f64::NEG_INFINITY };
        // Corners of either are off by so much in numbers.
        let off = 2.0 * self.rounding;
        let of_leaves = Some([HeightOf::ShortA, HeightOf::ShortB]);
        entry.bound = self.beyond_by_corners(pair, entry.normal.as_dvec3(), of_leaves) - off;
        if entry.bound - self.rounding > self.cutoff {
            return entry;
        }
        let (view_a, view_b) = (self.a.tree().view(), self.b.view());
        let middle = |view: &WideView<'_>, center: Vec3| view.origin + center.as_dvec3() * view.unit;
        let (center_a, center_b) = (pair.a.own_box(&view_a).0, pair.b.own_box(&view_b).0);
        let between = self.b_in_a.point(middle(&view_b, center_b)) - middle(&view_a, center_a);
        let normal = shortened(between.normalize_or_zero());
        let bound = self.beyond_by_corners(pair, normal.as_dvec3(), None) - off;
        if bound > entry.bound {
            (entry.normal, entry.bound) = (normal, bound);
        }
        entry
    }

    /// All pairs of two leaves: most are settled along a direction that is at hand, most others in single precision.
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
                // What single precision cannot tell from the best, doubles can.
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
            // The closest first: it leaves least of the others. No number is closer than all.
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

    /// Is a pair of triangles, which are at least that far apart in single precision, far enough?
    #[inline(always)]
    fn passes(&mut self, bound: f32) -> bool {
        let lower = f64::from(bound) - 2.0 * self.rounding;
        let passes = lower >= self.cutoff && lower > 0.0;
        if passes {
            self.lower = self.lower.min(lower);
        }
        passes
    }

    /// Are two triangles as far apart along the normal of the best as the best are, to rounding?
    ///
    /// Faces that are parallel have many closest pairs, and so has a corner of many triangles. So that they need not all be looked at, what is
    /// within rounding of the best is settled too: `lower` is then less than the distance by rounding, as it is anyhow.
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
            // Apart, but by so little that the direction does not tell.
            lower = f64::MIN_POSITIVE;
        }
        self.lower = self.lower.min(lower);
        // What is not proved to be beyond the limit is an answer, though it be a little beyond.
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

/// How high triangles reach along a vector. (A plain loop: it is run for a dozen leaves in every call from a kept front.)
#[inline(always)]
pub(super) fn highest(corners: impl Fn(u32) -> Corners, items: &[u32], along: DVec3) -> f64 {
    let mut top = f64::NEG_INFINITY;
    for &item in items {
        for corner in corners(item) {
            let height = along.dot(corner);
            top = if height > top { height } else { top };
        }
    }
    top
}

/// The closest points of two triangles, and how far they are apart at least, to `rounding` unless that is more than is enough.
pub(super) fn triangle_points(of_a: &Corners, of_b: &Corners, rounding: f64, enough: f64) -> TrianglePoints {
    let found = triangles::closest_points(of_a, of_b);
    if found.distance - found.lower > 2.0 * rounding && found.lower < enough {
        return again(of_a, of_b, found);
    }
    found
}

/// Two triangles about which the direction between the points that were found does not tell enough: those of a sliver are not the
/// closest ones.
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
