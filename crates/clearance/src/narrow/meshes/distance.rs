//! The distance of two surfaces: branch and bound over both trees, the closest pair of boxes first.

use super::boxes::{BoxFrames, SeparatingPlane, in_a};
use super::front::Front;
use super::intersect::meet;
use super::lanes::{LANES, TriangleLanes};
use super::walk::{STACK, SubTreePair, TwoTrees};
use super::{Triangles, rounding};
use crate::math::{Frame, multiversioned};
use crate::narrow::Outcome;
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::triangles::{self, Corners, TrianglePoints};
use crate::shape::{Mesh, Triangle};
use crate::tree::{LEAF, WIDTH, WideView};
use arrayvec::ArrayVec;
use glam::DVec3;

/// A search for what is closest: whoever looks at leaves.
pub(crate) trait SurfaceSearch {
    /// Nothing that is farther is of interest.
    fn enough(&self) -> f64;

    /// A plane between what is closest so far.
    fn plane(&self) -> Option<SeparatingPlane>;

    /// Is nothing of interest any more, since something meets?
    fn is_over(&self) -> bool;

    /// Everything in a pair of boxes is at least that far apart, which is enough.
    fn pass(&mut self, lower: f64);

    /// The items of two leaves: how far all of them are apart at least.
    fn leaves(&mut self, a: &[u32], b: &[u32]) -> f64;

    /// For those who keep a front: everything in a pair of subtrees is at least that far apart, and it is looked at no closer.
    #[inline(always)]
    fn keep(&mut self, pair: SubTreePair, lower: impl FnOnce() -> f64) {
        let _ = (pair, lower);
    }
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
pub(crate) fn closest_first(views: [WideView<'_>; 2], b_in_a: &Frame, search: &mut impl SurfaceSearch) {
    closest_from(&[SubTreePair::ROOTS], views, b_in_a, search);
}

/// Walks all pairs of leaves below these pairs that may be closer than is enough.
fn closest_from(starts: &[SubTreePair], views: [WideView<'_>; 2], b_in_a: &Frame, search: &mut impl SurfaceSearch) {
    multiversioned(
        #[inline(always)]
        || closest_from_here(starts, views, b_in_a, search),
    );
}

#[inline(always)]
fn closest_from_here<S: SurfaceSearch>(
    starts: &[SubTreePair],
    [a, b]: [WideView<'_>; 2],
    b_in_a: &Frame,
    search: &mut S,
) {
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return;
    }
    let mut frames = BoxFrames::new(&a, &b, b_in_a);
    if let Some(plane) = search.plane() {
        frames.compare_along(&plane, b_in_a, a.origin);
    }
    let bounds = Bounds { unit: frames.unit, apart: frames.apart };
    let mut trees = TwoTrees { a, b, frames };
    let mut enough = search.enough();
    let mut worst = bounds.of(enough);
    let mut stack = ArrayVec::<SubTreePair, STACK>::new();
    let mut found = ArrayVec::<SubTreePair, { WIDTH * WIDTH }>::new();
    for (place, start) in starts.iter().enumerate() {
        stack.push(SubTreePair { bound: f32::NEG_INFINITY, ..*start });
        while let Some(pair) = stack.pop() {
            if pair.bound > worst {
                search.pass(bounds.length(pair.bound));
                search.keep(pair, || bounds.length(pair.bound));
                continue;
            }
            if pair.are_leaves() {
                let lower = search.leaves(pair.a.items(&a), pair.b.items(&b));
                search.keep(pair, || lower);
                if search.is_over() {
                    // Of the rest nothing is known.
                    for &pair in stack.iter().chain(&starts[place + 1..]) {
                        search.keep(pair, || f64::NEG_INFINITY);
                    }
                    return;
                }
                if search.enough() != enough {
                    enough = search.enough();
                    worst = bounds.of(enough);
                    if let Some(plane) = search.plane() {
                        trees.frames.compare_along(&plane, b_in_a, a.origin);
                    }
                }
                continue;
            }
            found.clear();
            // What is passed over, the closest of it.
            let mut passed = f32::INFINITY;
            trees.expand(
                &pair,
                |of_a, of_b, turned| match trees.frames.apart {
                    Some(_) => trees.frames.along_way(of_a, of_b),
                    None => trees.frames.least_squares(of_a, of_b, turned),
                },
                |pair| {
                    if pair.bound > worst {
                        passed = passed.min(pair.bound);
                        search.keep(pair, || bounds.length(pair.bound));
                    } else {
                        found.push(pair);
                    }
                },
            );
            if passed < f32::INFINITY {
                search.pass(bounds.length(passed));
            }
            // The closest last, so that it is looked at first.
            found.sort_unstable_by(|x, y| y.bound.total_cmp(&x.bound));
            stack.extend(found.iter().copied());
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
    let mut search = TriangleSearch { a, b, b_in_a, rounding, best: None, enough: limit, lower: f64::INFINITY, front };
    if let Some([i, j]) = first
        && (i as usize) < a.triangles().len()
        && (j as usize) < b.count()
    {
        search.triangles([i, j], &a.corners(i), &in_a(b_in_a, b.corners(j)));
    }
    search.run();
    search.answer()
}

struct TriangleSearch<'a> {
    a: &'a Mesh,
    b: Triangles<'a>,
    b_in_a: &'a Frame,
    rounding: f64,
    best: Option<([u32; 2], TrianglePoints)>,
    /// Nothing that is farther is of interest.
    enough: f64,
    /// What is proved of all pairs that were looked at.
    lower: f64,
    front: Option<&'a mut Front>,
}

impl SurfaceSearch for TriangleSearch<'_> {
    fn enough(&self) -> f64 {
        self.enough
    }

    fn plane(&self) -> Option<SeparatingPlane> {
        self.best.as_ref().map(|(_, best)| SeparatingPlane { normal: best.normal, height: None })
    }

    fn is_over(&self) -> bool {
        !(self.lower > 0.0)
    }

    fn pass(&mut self, lower: f64) {
        self.lower = self.lower.min(lower);
    }

    #[inline(always)]
    fn leaves(&mut self, of_a: &[u32], of_b: &[u32]) -> f64 {
        // What is proved of these alone.
        let before = std::mem::replace(&mut self.lower, f64::INFINITY);
        self.leaves_here(of_a, of_b);
        let here = self.lower;
        self.lower = before.min(here);
        here
    }

    #[inline(always)]
    fn keep(&mut self, pair: SubTreePair, lower: impl FnOnce() -> f64) {
        if let Some(front) = &mut self.front {
            front.keep(pair, lower());
        }
    }
}

/// Two triangles of two leaves that may be closer than is enough, by their places there.
struct OpenPair {
    x: u8,
    y: u8,
}

impl TriangleSearch<'_> {
    /// Everything that may be closer than is enough: from the roots, or from the front that was kept.
    fn run(&mut self) {
        let views = [self.a.tree().view(), self.b.view()];
        let mut starts = Vec::new();
        if self.front.as_mut().is_some_and(|front| front.rests()) {
            self.front = None;
        }
        // The triangles that were closest before have been looked at.
        let is_over = self.is_over();
        match &mut self.front {
            Some(front) if front.is_known() => {
                let [_, b] = &views;
                front.travel(self.b_in_a, b.origin, b.unit * f64::from(b.radius), self.rounding);
                if !is_over {
                    let enough = self.enough;
                    let kept =
                        self.front.as_mut().map_or(f64::INFINITY, |front| front.take_expired(enough, &mut starts));
                    self.lower = self.lower.min(kept);
                    closest_from(&starts, views, self.b_in_a, self);
                }
            }
            _ if is_over => return,
            front => {
                if let Some(front) = front {
                    front.begin(self.b_in_a);
                }
                closest_first(views, self.b_in_a, self);
            }
        }
        if let Some(front) = &mut self.front {
            front.close();
        }
    }

    /// All pairs of two leaves: most are settled along the normal of the best pair so far, most others in single precision.
    #[inline(always)]
    fn leaves_here(&mut self, of_a: &[u32], of_b: &[u32]) {
        // Without a best pair all are open.
        let normal = self.best.as_ref().map_or(DVec3::ZERO, |(_, best)| best.normal);
        // Faces that are parallel have many closest pairs. So that they need not all be looked at, what is within rounding of the best
        // is settled too: `lower` is then less than the distance by rounding, as it is anyhow.
        let least = match self.best {
            Some(_) => (self.enough - 2.0 * self.rounding).max(2.5 * self.rounding),
            None => f64::INFINITY,
        };
        let mut corners_a = [[DVec3::ZERO; 3]; LEAF];
        let mut tops = [0.0; LEAF];
        for ((&i, corners), top) in of_a.iter().zip(&mut corners_a).zip(&mut tops) {
            *corners = self.a.corners(i);
            *top = normal.dot(corners[0]).max(normal.dot(corners[1])).max(normal.dot(corners[2]));
        }
        let mut corners_b = [[DVec3::ZERO; 3]; LEAF];
        let mut open = ArrayVec::<OpenPair, { LEAF * LEAF }>::new();
        let mut passed = f64::INFINITY;
        for ((&j, corners), y) in of_b.iter().zip(&mut corners_b).zip(0..) {
            *corners = in_a(self.b_in_a, self.b.corners(j));
            let bottom = normal.dot(corners[0]).min(normal.dot(corners[1])).min(normal.dot(corners[2]));
            for (top, x) in tops[..of_a.len()].iter().zip(0..) {
                if bottom - top >= least {
                    passed = passed.min(bottom - top);
                } else {
                    open.push(OpenPair { x, y });
                }
            }
        }
        self.lower = self.lower.min(passed - 2.0 * self.rounding);
        for few in open.chunks(LANES) {
            let mut lanes = TriangleLanes::EMPTY;
            for (lane, OpenPair { x, y }) in few.iter().enumerate() {
                lanes.put(lane, &corners_a[usize::from(*x)], &corners_b[usize::from(*y)], corners_a[0][0]);
            }
            let bounds = lanes.lower_bounds();
            // The closest first: it leaves least of the others. No number is closer than all.
            let bounds = bounds.map(|bound| if bound.is_finite() { bound } else { f32::NEG_INFINITY });
            let closest = (1..few.len()).fold(0, |best, lane| if bounds[lane] < bounds[best] { lane } else { best });
            for lane in std::iter::once(closest).chain((0..few.len()).filter(|&lane| lane != closest)) {
                let lower = f64::from(bounds[lane]) - 2.0 * self.rounding;
                if lower >= self.enough && lower > 0.0 {
                    self.lower = self.lower.min(lower);
                    continue;
                }
                let OpenPair { x, y } = few[lane];
                let [x, y] = [usize::from(x), usize::from(y)];
                self.triangles([of_a[x], of_b[y]], &corners_a[x], &corners_b[y]);
                if self.is_over() {
                    return;
                }
            }
        }
    }

    #[inline(never)]
    fn triangles(&mut self, numbers: [u32; 2], of_a: &Corners, of_b: &Corners) {
        let mut found = triangles::closest_points(of_a, of_b);
        if found.distance - found.lower > 2.0 * self.rounding && found.lower < self.enough {
            found = self.again(of_a, of_b, found);
        }
        let mut lower = (found.lower - 2.0 * self.rounding).max(0.0);
        if lower == 0.0 {
            if meet(of_a, of_b, self.rounding) {
                let point = triangles::common_point(of_a, of_b).unwrap_or(found.point_a);
                let found =
                    TrianglePoints { point_a: point, point_b: point, distance: 0.0, normal: DVec3::ZERO, lower };
                (self.best, self.lower, self.enough) = (Some((numbers, found)), 0.0, 0.0);
                return;
            }
            // Apart, but by so little that the direction does not tell.
            lower = f64::MIN_POSITIVE;
        }
        self.lower = self.lower.min(lower);
        // What is not proved to be beyond the limit is an answer, though it be a little beyond.
        if found.distance < self.enough || self.best.is_none() && lower <= self.enough {
            self.best = Some((numbers, found));
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
