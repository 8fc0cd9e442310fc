//! Do a mesh and a convex shape share a point? Boxes first, then the triangles around the middle of the shape: what is surely in it, what a
//! direction at hand separates from it, and what is left to GJK. A box and four triangles at a time have closed forms.

use super::super::cache::Recall;
use super::super::entry;
use super::search::rounding;
use super::{Engine, Mesh, PairCache, PosedPair, Side, unit};
use crate::math::rounding;
use crate::math::{Aabb, Frame, Pose, Vectorized, vectorized};
use crate::narrow::gjk;
use crate::narrow::meshes::{Around, BoxAmong, SeenTriangles, SeparatingPlane, triangle_near};
use crate::narrow::simplex::SignedVolumes;
use crate::shape::{Convex, Shape, Triangle};
use crate::tree::LEAF;
use arrayvec::ArrayVec;
use fearless_simd::Simd;
use glam::DVec3;
use std::ops::ControlFlow;

/// A mesh and a bounded convex shape that is not derived? [`intersects`] looks at their balls itself.
#[inline(always)]
pub(in crate::pair) fn is_simple(a: &Shape, b: &Shape) -> bool {
    use Shape::{Cone, Cuboid, Cylinder, Ellipsoid, Polytope, Segment, Sphere, Triangle};
    let is_convex = |b: &Shape| {
        matches!(
            b,
            Sphere(_) | Cuboid(_) | Segment(_) | Triangle(_) | Cylinder(_) | Cone(_) | Ellipsoid(_) | Polytope(_)
        )
    };
    matches!(a, Shape::Mesh(_)) && is_convex(b)
}

/// Do two shapes share a point of which at least one is a mesh and none a compound?
pub(in crate::pair) fn intersects<M: Recall>(pair: &PosedPair<'_>, engine: Engine, cache: &mut M) -> bool {
    match (pair.a, pair.b) {
        (Shape::Mesh(_), Shape::Mesh(_)) => None,
        (Shape::Mesh(mesh), _) => meet(mesh, pair, engine, cache),
        (_, Shape::Mesh(mesh)) => meet(mesh, &pair.swapped(), engine, cache),
        _ => None,
    }
    .unwrap_or_else(|| cache.whole(|cache| super::intersects(*pair, engine, cache)))
}

/// Do a mesh, the first of the pair, and a convex shape share a point? Nothing where that is not for here to tell: of a shape of the caller's own
/// nothing is known but what is looked at.
#[inline(always)]
fn meet<M: Recall>(mesh: &Mesh, pair: &PosedPair<'_>, engine: Engine, cache: &mut M) -> Option<bool> {
    let PosedPair { pose_a, b: other, pose_b, .. } = *pair;
    if other.is_foreign() {
        return None;
    }
    let (between, reach) = (pose_b.translation() - pose_a.translation(), other.bounding_radius());
    // What is derived has slack.
    let slack = if matches!(other, Shape::Affine(_) | Shape::Rounded(_)) { rounding(pair) } else { mesh.slack() };
    let reaches = mesh.bounding_radius() + mesh.slack() + reach;
    // Their balls, as in `are_far`: that needs no rotation.
    if between.length_squared() > reaches * reaches * (1.0 + 1e-12) + f64::MIN_POSITIVE {
        return Some(false);
    }
    let size = reaches + between.abs().element_sum();
    let rounding = rounding::of_pair(size, slack);
    // Its ball and the box of the mesh. Beside each other, none is in the other either.
    let (place, around_mesh) = (Frame::place_here(pose_a, pose_b), mesh.aabb());
    let off = (around_mesh.min - place).max(place - around_mesh.max);
    if off.max_element() > reach + rounding {
        return Some(false);
    }
    meet_near(mesh, pair, rounding, size, engine, cache)
}

/// As [`meet`], of a shape whose ball is not beside the box of the mesh. Not a part of its caller, which is short without it.
#[inline(never)]
fn meet_near<M: Recall>(
    mesh: &Mesh,
    pair: &PosedPair<'_>,
    rounding: f64,
    size: f64,
    engine: Engine,
    cache: &mut M,
) -> Option<bool> {
    let frame = Frame::relative(pair.pose_a, pair.pose_b);
    let bounds = match pair.b {
        Shape::Cuboid(cuboid) => cuboid.aabb_in(&frame),
        other => other.aabb_in(&frame)?,
    };
    let around_mesh = mesh.aabb().grown(rounding);
    if bounds.min.cmpgt(around_mesh.max).any() || around_mesh.min.cmpgt(bounds.max).any() {
        return Some(false);
    }
    // Else the triangles cannot be computed with as they are.
    let is_ordinary = engine == Engine::Auto && unit::is_ordinary(size);
    is_ordinary.then(|| MeshAndConvex { mesh, pair, frame, bounds, rounding, size }.meets(cache))
}

/// A mesh and a convex shape, and how they lie.
struct MeshAndConvex<'a> {
    mesh: &'a Mesh,
    /// The mesh is the first.
    pair: &'a PosedPair<'a>,
    /// The shape in the frame of the mesh.
    frame: Frame,
    /// A box about it there.
    bounds: Aabb,
    /// As [`rounding`], and no less.
    rounding: f64,
    /// How large all is together.
    size: f64,
}

impl MeshAndConvex<'_> {
    /// The surface of the mesh and the shape share a point, or the shape is in the mesh. That they do not is proved. Not a part of its caller, most
    /// of whose answers come before.
    #[inline(never)]
    fn meets<M: Recall>(&self, cache: &mut M) -> bool {
        let Some(core) = self.pair.b.convex() else { return true };
        let reach = self.pair.b.bounding_radius();
        let (middle, inner, radius) = match self.pair.b {
            // Without a detour through the vtable; what is in it is found out by its faces.
            Shape::Cuboid(_) => (self.frame.translation, 0.0, reach),
            _ => {
                let center = core.center();
                (self.frame.point(center), core.inner_radius() + core.radius(), center.length() + reach)
            }
        };
        let near = self;
        let mut search =
            MeetingSearch { near, core, middle, inner, radius, plane: None, is_probed: false, met: None, own: None };
        if let Some([first, _]) = cache.triangles() {
            let first = first.checked_sub(1).filter(|&first| (first as usize) < self.mesh.triangles().len());
            if first.is_some_and(|first| search.triangle_meets(first)) {
                return true;
            }
        }
        search.run();
        if let Some(triangle) = search.met {
            if let Some(triangles) = cache.triangles() {
                *triangles = [triangle + 1, 1];
            }
            return true;
        }
        // The surfaces are apart: one point of the shape decides.
        let mesh = self.mesh;
        mesh.aabb().contains(middle) && mesh.is_solid() && mesh.side_of(middle) != Side::Outside
    }
}

struct MeetingSearch<'a> {
    near: &'a MeshAndConvex<'a>,
    core: &'a dyn Convex,
    /// The middle of the shape in the frame of the mesh, and the radius of a ball about it that is inside.
    middle: DVec3,
    inner: f64,
    /// Nothing of the shape is farther from the middle, but for rounding.
    radius: f64,
    /// A direction from the mesh to the shape, and how far the shape reaches down from its middle.
    plane: Option<(DVec3, f64)>,
    /// Has a triangle near the corner that reaches deepest been looked at?
    is_probed: bool,
    /// A triangle that meets the shape.
    met: Option<u32>,
    /// Where GJK starts from; it is seldom asked.
    own: Option<PairCache>,
}

impl Vectorized for &mut MeetingSearch<'_> {
    type Answer = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let MeshAndConvex { mesh, pair, frame, bounds, rounding, size, .. } = self.near;
        let around =
            Around { bounds: bounds.grown(*rounding), middle: self.middle, radius: self.radius + rounding, frame };
        let _ = match pair.b {
            Shape::Cuboid(cuboid) => {
                let half = cuboid.half_extents();
                let among = BoxAmong { frame: *frame, half, rounding: *rounding, size: *size };
                let own_box = || Aabb { min: -half, max: half }.grown(*rounding);
                around.leaves(
                    &mesh.tree().view(),
                    true,
                    own_box,
                    #[inline(always)]
                    |items| self.leaf_of_box(simd, &among, items),
                )
            }
            _ => around.leaves(
                &mesh.tree().view(),
                false,
                || pair.b.aabb(&Pose::IDENTITY).grown(*rounding),
                #[inline(always)]
                |items| self.leaf(simd, items),
            ),
        };
    }
}

impl MeetingSearch<'_> {
    fn run(&mut self) {
        vectorized(self);
    }

    /// Looks at the triangles of a leaf: along all axes that can separate them from a box.
    #[inline(always)]
    fn leaf_of_box<S: Simd>(
        &mut self,
        simd: S,
        among: &BoxAmong,
        items: &[u32],
    ) -> ControlFlow<(), Option<SeparatingPlane>> {
        let found = among.leaf(simd, self.near.mesh, items);
        if found.meet != 0 {
            return self.meets(items[found.meet.trailing_zeros() as usize]);
        }
        let mut open = found.open;
        while open != 0 {
            let item = items[open.trailing_zeros() as usize];
            if self.triangle_meets(item) {
                return self.meets(item);
            }
            open &= open - 1;
        }
        ControlFlow::Continue(found.plane)
    }

    /// Looks at the triangles of a leaf: the points nearest to the middle are in the shape, or the way there is a direction along which the
    /// triangle may be apart from it. The best of these is a plane for what comes after.
    #[inline(always)]
    fn leaf<S: Simd>(&mut self, simd: S, items: &[u32]) -> ControlFlow<(), Option<SeparatingPlane>> {
        let MeshAndConvex { mesh, frame, rounding, .. } = self.near;
        let seen = SeenTriangles::new(simd, mesh, items, self.middle);
        if let Some((normal, below)) = self.plane {
            // All of the shape is above a plane that is so far below the middle.
            let highest = seen.tops(normal).into_iter().fold(f64::NEG_INFINITY, f64::max);
            if -below - highest > 2.0 * rounding {
                return ControlFlow::Continue(None);
            }
        }
        let nearest = seen.nearest();
        let (ways, distances, lower) = (nearest.ways(), nearest.distances(), nearest.lower());
        let mut open = ArrayVec::<(f64, u32), LEAF>::new();
        let mut least = (f64::INFINITY, DVec3::ZERO, 0.0);
        // All of them before a support point is asked for, which takes longer.
        for (lane, &item) in items.iter().enumerate() {
            if self.surely_holds(ways[lane], distances[lane]) {
                return self.meets(item);
            }
        }
        for (lane, &item) in items.iter().enumerate() {
            let n = -ways[lane] / distances[lane];
            let reach = self.core.height(frame.direction_in_b(-n)) + self.core.radius();
            // All of the triangle is that far below the middle, and the shape reaches so far down to it.
            let below = n.dot(self.middle - frame.translation) + reach;
            let apart = lower[lane] - below - 2.0 * rounding;
            if !(apart > 0.0) {
                open.push((apart, item));
            }
            if apart < least.0 {
                least = (apart, n, below);
            }
        }
        if open.is_empty() {
            let (_, normal, below) = least;
            self.plane = Some((normal, below));
            let height = Some(normal.dot(self.middle) - below - rounding);
            return ControlFlow::Continue(Some(SeparatingPlane { normal, height }));
        }
        self.undecided(least.1, open)
    }

    /// Triangles of a leaf about which a direction at hand does not tell: GJK does. Not a part of its caller, which is compiled twice.
    #[inline(never)]
    fn undecided(
        &mut self,
        direction: DVec3,
        mut open: ArrayVec<(f64, u32), LEAF>,
    ) -> ControlFlow<(), Option<SeparatingPlane>> {
        open.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        // Where the surface goes through a corner of the shape, the triangle that is nearest to the corner meets it.
        if !std::mem::replace(&mut self.is_probed, true) {
            let corner = self.core.support(self.near.frame.direction_in_b(-direction));
            if let Some(near) = triangle_near(self.near.mesh, self.near.frame.point(corner))
                && self.triangle_meets(near)
            {
                return self.meets(near);
            }
        }
        for (_, item) in open {
            if self.triangle_meets(item) {
                return self.meets(item);
            }
        }
        ControlFlow::Continue(None)
    }

    fn meets(&mut self, item: u32) -> ControlFlow<(), Option<SeparatingPlane>> {
        self.met = Some(item);
        ControlFlow::Break(())
    }

    /// Is a point of the mesh, so far from the middle, in the shape whatever was rounded?
    #[inline(always)]
    fn surely_holds(&self, way: DVec3, distance: f64) -> bool {
        let MeshAndConvex { pair, frame, rounding, .. } = self.near;
        let margin = 2.0 * rounding;
        let local = || frame.direction_in_b(self.middle + way - frame.translation);
        match pair.b {
            Shape::Cylinder(cylinder) => {
                let DVec3 { x, y, z } = local();
                let side = cylinder.base_radius() - margin;
                side > 0.0 && y.abs() + margin <= cylinder.half_height() && x * x + z * z <= side * side
            }
            _ => distance + margin <= self.inner,
        }
    }

    /// What the pipeline would find, without a detour through it where it has nothing better than GJK. How deep a triangle overlaps is not asked
    /// for: only one that does not may be apart by no more than the slack of the mesh.
    #[inline(never)]
    fn triangle_meets(&mut self, item: u32) -> bool {
        let MeshAndConvex { mesh, pair, frame, .. } = self.near;
        let [a, b, c] = mesh.corners(item);
        let Ok(triangle) = Triangle::new(a, b, c) else { return true };
        let (slack, own) = (mesh.slack(), self.own.get_or_insert_default());
        if self.core.radius() == 0.0 && slack == 0.0 {
            return gjk::intersects_here::<true, SignedVolumes, _, _>(&triangle, self.core, frame, &mut own.gjk);
        }
        let pair = PosedPair { a: &Shape::Triangle(triangle), ..**pair };
        entry::intersects(pair, Engine::Auto, own)
            || slack > 0.0 && !(entry::clearance(pair, slack, Engine::Auto, own).lower > slack)
    }
}
