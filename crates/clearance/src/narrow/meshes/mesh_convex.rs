//! The distance of a mesh from a convex shape, and of two meshes whose size only [`scaled`](crate::narrow::scaled) computes with.
//!
//! Branch and bound over the tree of the mesh (`tree/near.rs`), or over both trees where the mesh is far away or the shape user-defined. Leaves are
//! pruned four triangles at a time along the normal of the best answer and along the direction from each triangle to the centre of the shape.
//! GJK and the closed form for balls (`triangle_convex.rs`) answer for the triangles that remain.
//!
//! **Invariants.** (1) `lower` is at most the distance of every triangle that was visited or pruned, so it bounds the whole. (2) The convex shape is always
//! the second one: it lies above the separating plane. (3) A user-defined shape prunes nothing by its heights.

use super::triangle_convex::ConvexShape;
use super::{SeenTriangles, triangle_near};
use crate::math::{Aabb, Frame, Pose, Vectorized, vectorized};
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::scaled::is_ordinary;
use crate::narrow::{Bracket, Cost, Outcome};
use crate::shape::{Convex, Mesh, Shape, Triangle};
use crate::tree::{
    Around, DualSearch, LEAF, LoneBox, NearSearch, SeparatingPlane, TreeSearch, WideView, any_leaves, closest_first,
};
use arrayvec::ArrayVec;
use fearless_simd::Simd;
use glam::{DMat3, DVec3};
use std::ops::ControlFlow;

/// The second of two surfaces: a mesh, or a convex shape with its box.
// It lives on the stack of one query, so a box would add an allocation to each query of a mesh and a convex shape.
#[allow(clippy::large_enum_variant)]
enum Second<'a> {
    Mesh(&'a Mesh),
    Convex { shape: &'a Shape, convex: ConvexShape<'a>, bounds: LoneBox },
}

/// A mesh and a second surface in its frame.
pub(crate) struct MeshPair<'a> {
    mesh: &'a Mesh,
    second: Second<'a>,
    frame: &'a Frame,
    /// The pose of the mesh in the world. Normals are rounded to world axes, as callers get them.
    pose: &'a Pose,
    /// The slack of the meshes, which their triangles do not have.
    slack: f64,
    /// Bound on the error of a point of either surface in the frame of the mesh.
    rounding: f64,
}

/// The closest parts of two surfaces, in the frame of the first.
pub(crate) struct ClosestParts {
    /// The triangle, and the triangle of the other mesh or zero.
    pub parts: [u32; 2],
    /// The answer about these parts.
    pub outcome: Outcome,
    /// Bounds for the surfaces as a whole. If `lower` is not positive, the surfaces may meet.
    pub lower: f64,
    pub upper: f64,
    pub cost: Cost,
}

impl<'a> MeshPair<'a> {
    /// `None` for a user-defined shape without bounds.
    pub fn new(
        mesh: &'a Mesh,
        other: &'a Shape,
        [pose, pose_other]: [&'a Pose; 2],
        frame: &'a Frame,
        rounding: f64,
    ) -> Option<Self> {
        if let Some(second) = other.as_mesh() {
            let slack = mesh.slack() + second.slack();
            return Some(Self { mesh, second: Second::Mesh(second), frame, pose, slack, rounding });
        }
        let bounds = other.aabb(&Pose::IDENTITY);
        if !(bounds.min.is_finite() && bounds.max.is_finite()) {
            return None;
        }
        let between = pose_other.translation() - pose.translation();
        let convex = ConvexShape::new(other, frame, DMat3::from_quat(pose.rotation()).transpose() * between)?;
        let second = Second::Convex { shape: other, convex, bounds: LoneBox::new(&bounds) };
        Some(Self { mesh, second, frame, pose, slack: mesh.slack(), rounding })
    }

    fn views(&self) -> [WideView<'_>; 2] {
        let second = match &self.second {
            Second::Mesh(mesh) => mesh.tree().view(),
            Second::Convex { bounds, .. } => bounds.view(),
        };
        [self.mesh.tree().view(), second]
    }

    fn has(&self, [i, j]: [u32; 2]) -> bool {
        let count = match &self.second {
            Second::Mesh(mesh) => mesh.triangles().len(),
            Second::Convex { .. } => 1,
        };
        (i as usize) < self.mesh.triangles().len() && (j as usize) < count
    }

    /// Queries two parts; `None` for a triangle whose corners cannot be computed with.
    fn with_parts<R>(&self, [i, j]: [u32; 2], query: impl FnOnce(&Triangle, &ConvexShape<'_>) -> R) -> Option<R> {
        let triangle = |mesh: &Mesh, number: u32| {
            let [a, b, c] = mesh.corners(number);
            Triangle::new(a, b, c).ok()
        };
        let of_a = triangle(self.mesh, i)?;
        Some(match &self.second {
            Second::Mesh(mesh) => query(&of_a, &ConvexShape::of_triangle(&triangle(mesh, j)?, self.frame)),
            Second::Convex { convex, .. } => query(&of_a, convex),
        })
    }

    /// The distance of two parts up to `limit`, with the slack of the meshes.
    fn distance(&self, parts: [u32; 2], limit: f64, cache: &mut WarmSimplex) -> Option<Outcome> {
        let out = self.with_parts(parts, |triangle, convex| convex.distance(triangle, limit, cache))?;
        Some(Outcome { lower: out.lower - self.slack, upper: out.upper + self.slack, ..out })
    }

    /// Do two parts share a point, or is their gap within the slack of the meshes?
    fn parts_meet(&self, parts: [u32; 2], cache: &mut WarmSimplex) -> bool {
        let meet = self.with_parts(parts, |triangle, convex| convex.intersects(triangle, cache));
        meet.unwrap_or(true)
            || self.slack > 0.0 && !self.distance(parts, self.slack, cache).is_some_and(|out| out.is_apart())
    }

    /// Two parts that meet, if the surfaces do; "no" is proved. `first` are parts that met before.
    pub fn first_meeting(&self, first: Option<[u32; 2]>) -> Option<[u32; 2]> {
        let mut cache = WarmSimplex::default();
        if let Some(first) = first.filter(|&first| self.has(first) && self.parts_meet(first, &mut cache)) {
            return Some(first);
        }
        let mut found = None;
        let _ = any_leaves(self.views(), self.frame, |of_a, of_b| {
            for parts in of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| [i, j])) {
                if self.parts_meet(parts, &mut cache) {
                    found = Some(parts);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// The closest parts; or, where all are beyond `limit`, a lower bound of the distance and the cost. `first` are parts that were closest before, and
    /// `cache` has an axis to start from.
    pub fn closest(
        &self,
        limit: f64,
        first: Option<[u32; 2]>,
        cache: &mut WarmSimplex,
    ) -> Result<ClosestParts, (f64, Cost)> {
        let direct = match &self.second {
            Second::Convex { shape, convex, .. } if !convex.is_ball() && !convex.is_custom => {
                let size =
                    self.mesh.bounding_radius() + shape.bounding_radius() + self.frame.translation.abs().element_sum();
                is_ordinary(size).then_some(convex.core)
            }
            Second::Convex { .. } | Second::Mesh(_) => None,
        };
        let center = match &self.second {
            Second::Convex { convex, .. } => self.frame.point(convex.core.center()),
            Second::Mesh(_) => DVec3::ZERO,
        };
        let mut search = ConvexSearch {
            pair: self,
            cache: *cache,
            best: None,
            plane: None,
            cutoff: limit,
            lower: f64::INFINITY,
            upper: f64::INFINITY,
            cost: Cost::default(),
            direct,
            center,
        };
        if let Some(first) = first.filter(|&first| self.has(first)) {
            search.visit(first);
        }
        search.first_guess();
        if !search.is_over() && !search.walk_around() {
            closest_first(self.views(), self.frame, &mut search);
        }
        let ConvexSearch { best, lower, upper, cost, .. } = search;
        let Some((parts, outcome)) = best else { return Err((lower, cost)) };
        debug_assert!(!(lower > upper), "{lower} > {upper}");
        *cache = search.cache;
        Ok(ClosestParts { parts, outcome, lower, upper, cost })
    }
}

/// The state of a search for the closest parts.
struct ConvexSearch<'s, 'a> {
    pair: &'s MeshPair<'a>,
    cache: WarmSimplex,
    best: Option<([u32; 2], Outcome)>,
    /// The plane across the normal of the best answer, and a lower bound of the heights of the convex shape over it.
    plane: Option<SeparatingPlane>,
    /// Parts that are farther apart are pruned.
    cutoff: f64,
    lower: f64,
    upper: f64,
    cost: Cost,
    /// The convex shape, if GJK takes it without scaling and without checks. (Balls have a closed form.)
    direct: Option<&'s dyn Convex>,
    /// The centre of the convex shape in the frame of the mesh.
    center: DVec3,
}

impl<'s> ConvexSearch<'s, '_> {
    /// Queries two parts, unless the plane of the best answer separates them far enough.
    #[inline(never)]
    fn visit(&mut self, parts: [u32; 2]) {
        if self.is_beyond_plane(parts) {
            return;
        }
        let slack = self.pair.slack;
        let answer = match self.by_gjk(parts) {
            Some(out) if out.lower - slack > self.cutoff => {
                self.lower = self.lower.min(out.lower - slack);
                self.cost += out.cost;
                return;
            }
            Some(out) if out.closed && out.lower > slack => {
                Some(Outcome { lower: out.lower - slack, upper: out.upper + slack, ..out })
            }
            // The warm axis did not lead to a closed bracket: once more from a cold start.
            Some(out) if out.lower > slack => self.pair.distance(parts, self.cutoff, &mut WarmSimplex::default()),
            _ => self.pair.distance(parts, self.cutoff, &mut self.cache),
        };
        // Corners of a mesh make a triangle; if not, nothing is known.
        let Some(answer) = answer else {
            self.lower = f64::NEG_INFINITY;
            return;
        };
        self.cost += answer.cost;
        self.lower = self.lower.min(answer.lower);
        // A query that ended beyond the cutoff proves its lower bound only.
        if answer.lower > self.cutoff {
            return;
        }
        self.upper = self.upper.min(answer.upper);
        if self.best.as_ref().is_none_or(|(_, best)| answer.distance < best.distance) {
            self.best = Some((parts, answer));
            self.cutoff = if answer.is_apart() { self.cutoff.min(answer.distance) } else { 0.0 };
            self.plane = Some(self.plane_of(answer.normal));
        }
    }

    /// Starts with a triangle near the centre of the convex shape: it is seldom far from the closest one.
    fn first_guess(&mut self) {
        if self.best.is_none()
            && self.direct.is_some()
            && let Some(first) = triangle_near(self.pair.mesh, self.center)
        {
            self.visit([first, 0]);
        }
    }

    /// Walks the tree of the mesh around the convex shape; false if that is not possible, and nothing was visited.
    fn walk_around(&mut self) -> bool {
        let MeshPair { mesh, frame, rounding, ref second, .. } = *self.pair;
        let (Some(core), Second::Convex { shape, .. }) = (self.direct, second) else { return false };
        let Some(bounds) = shape.aabb_in(frame) else { return false };
        let radius = core.center().length() + shape.bounding_radius() + rounding;
        let around = Around { bounds: bounds.grown(rounding), middle: self.center, radius, frame };
        let view = mesh.tree().view();
        if !around.is_near(&view) {
            return false;
        }
        let own_box = shape.aabb(&Pose::IDENTITY).grown(rounding);
        vectorized(WalkAround { around, view, own_box, search: self });
        true
    }

    /// The triangles of a leaf that may be closer to the convex shape than the cutoff, the closest first. Most are pruned four at a time along the
    /// normal of the best answer, or along the direction from each to the centre of the shape, which takes a support height.
    #[inline(always)]
    fn open_triangles<S: Simd>(&mut self, simd: S, items: &[u32]) -> Option<ArrayVec<(f64, u32), LEAF>> {
        let MeshPair { mesh, frame, rounding, .. } = *self.pair;
        let core = self.direct?;
        let seen = SeenTriangles::new(simd, mesh, items, self.center);
        let mut least = f64::INFINITY;
        let mut is_open = [true; LEAF];
        if let Some(SeparatingPlane { normal, height: Some(height) }) = self.plane {
            let base = height - normal.dot(self.center) - rounding;
            let far = tie_cutoff(self.cutoff, rounding);
            for (is_open, top) in is_open.iter_mut().zip(seen.tops(normal)) {
                if base - top >= far {
                    (*is_open, least) = (false, least.min(base - top));
                }
            }
        }
        let mut open = ArrayVec::new();
        if is_open.contains(&true) {
            let nearest = seen.nearest();
            let (to_nearest, distances, lower) = (nearest.ways(), nearest.distances(), nearest.lower());
            for (lane, &item) in items.iter().enumerate().filter(|(lane, _)| is_open[*lane]) {
                let n = -to_nearest[lane] / distances[lane];
                let extent = core.height(frame.direction_in_b(-n)) + core.radius();
                // The triangle is below the centre by `lower`, and the shape extends downward from its origin by `extent`.
                let apart = n.dot(frame.translation - self.center) - extent + lower[lane] - 2.0 * rounding;
                if apart > self.cutoff {
                    least = least.min(apart);
                } else {
                    open.push((apart, item));
                }
            }
            open.sort_unstable_by(|x: &(f64, u32), y| x.0.total_cmp(&y.0));
        }
        self.lower = self.lower.min(least);
        Some(open)
    }

    /// The distance of a triangle from the convex shape by GJK from the last axis. The depth of an overlap is left out.
    fn by_gjk(&mut self, [i, _]: [u32; 2]) -> Option<Outcome> {
        let core = self.direct?;
        let [a, b, c] = self.pair.mesh.corners(i);
        let triangle = Triangle::new(a, b, c).ok()?;
        let mut cache = WarmSimplex::of_axis(self.cache.axis());
        let limit = self.cutoff + self.pair.slack;
        let out = gjk::distance_or_overlap(&triangle, core, self.pair.frame, limit, &mut cache);
        if out.is_apart() {
            self.cache.aim(cache.axis());
        }
        Some(out)
    }

    /// The plane across a normal, with the lowest height of the convex shape if that can be trusted.
    fn plane_of(&self, normal: DVec3) -> SeparatingPlane {
        let MeshPair { frame, pose, rounding, ref second, .. } = *self.pair;
        let in_world = match second {
            // As the closed form turns it.
            Second::Convex { convex, .. } if convex.is_ball() => DMat3::from_quat(pose.rotation()) * normal,
            Second::Convex { .. } | Second::Mesh(_) => pose.transform_vector(normal),
        };
        let normal = pose.inverse_transform_vector(in_world);
        let height = match second {
            Second::Convex { convex, .. } if !convex.is_custom => {
                let extent = convex.core.height(frame.direction_in_b(-normal)) + convex.core.radius();
                Some(normal.dot(frame.translation) - extent - rounding)
            }
            Second::Convex { .. } | Second::Mesh(_) => None,
        };
        SeparatingPlane { normal, height }
    }

    /// Prunes a triangle that is below the plane of the best answer by the cutoff. That takes three products.
    fn is_beyond_plane(&mut self, [i, _]: [u32; 2]) -> bool {
        let Some(SeparatingPlane { normal, height: Some(height) }) = self.plane else { return false };
        let MeshPair { mesh, rounding, .. } = *self.pair;
        let [a, b, c] = mesh.corners(i).map(|corner| normal.dot(corner));
        let apart = height - a.max(b).max(c) - rounding;
        let is_beyond = apart >= tie_cutoff(self.cutoff, rounding);
        if is_beyond {
            self.lower = self.lower.min(apart);
        }
        is_beyond
    }
}

/// The bound from which on a pair is pruned that is within rounding of the best: parallel faces have many closest pairs, and need not all be visited. `lower`
/// is then below the distance by rounding, as it is anyhow. Positive, so that the pruned pairs are apart.
#[inline(always)]
fn tie_cutoff(cutoff: f64, rounding: f64) -> f64 {
    (cutoff - 4.0 * rounding).max(f64::MIN_POSITIVE)
}

/// A walk over the tree of the mesh.
struct WalkAround<'w, 's, 'a> {
    around: Around<'s>,
    view: WideView<'s>,
    own_box: Aabb,
    search: &'w mut ConvexSearch<'s, 'a>,
}

impl Vectorized for WalkAround<'_, '_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.around.closest(simd, &self.view, &self.own_box, self.search);
    }
}

impl TreeSearch for ConvexSearch<'_, '_> {
    #[inline(always)]
    fn cutoff(&self) -> f64 {
        self.cutoff
    }

    #[inline(always)]
    fn plane(&self) -> Option<SeparatingPlane> {
        self.plane
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        !Bracket::is_apart(self.lower)
    }

    fn prune(&mut self, lower: f64) {
        self.lower = self.lower.min(lower);
    }
}

impl NearSearch for ConvexSearch<'_, '_> {
    #[inline(always)]
    fn leaf<S: Simd>(&mut self, simd: S, items: &[u32]) {
        let Some(open) = self.open_triangles(simd, items) else { return };
        for (apart, item) in open {
            if apart > self.cutoff {
                self.lower = self.lower.min(apart);
            } else {
                self.visit([item, 0]);
            }
        }
    }
}

/// For meshes that are very far away, balls, user-defined shapes and other units.
impl DualSearch for ConvexSearch<'_, '_> {
    fn leaves(&mut self, of_a: &[u32], of_b: &[u32]) -> f64 {
        for parts in of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| [i, j])) {
            self.visit(parts);
        }
        0.0
    }
}
