//! Do a mesh and a convex shape share a point? Boxes first, then the triangles around the middle of the shape: what is surely in it, what a
//! direction at hand separates from it, and what is left to GJK.

use super::super::entry;
use super::search::rounding;
use super::{Engine, Mesh, PairCache, PosedPair, is_ordinary, remembered};
use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH};
use crate::math::{Frame, Pose, multiversioned};
use crate::narrow::gjk;
use crate::narrow::meshes::{Around, SeenTriangles, SeparatingPlane, triangle_near};
use crate::narrow::simplex::SignedVolumes;
use crate::shape::{Convex, Shape, Triangle};
use crate::tree::LEAF;
use arrayvec::ArrayVec;
use glam::DVec3;
use std::ops::ControlFlow;

/// Is a convex shape beside the box of a mesh? Then they are apart, and none is in the other. First its ball, which needs no rotation.
pub(in crate::pair) fn is_beside(pair: &PosedPair<'_>) -> bool {
    let (mesh, pose, other, other_pose) = match (pair.a, pair.b) {
        (Shape::Mesh(mesh), other) => (mesh, pair.pose_a, other, pair.pose_b),
        (other, Shape::Mesh(mesh)) => (mesh, pair.pose_b, other, pair.pose_a),
        _ => return false,
    };
    // Of a shape of the caller's own nothing is known but what is looked at; meshes have trees.
    if other.is_foreign() || matches!(other, Shape::Mesh(_)) {
        return false;
    }
    let (between, reach) = (other_pose.translation() - pose.translation(), other.bounding_radius());
    // As `rounding`, and no less; what is derived has slack.
    let slack = if matches!(other, Shape::Affine(_) | Shape::Rounded(_)) { rounding(pair) } else { mesh.slack() };
    let size = mesh.bounding_radius() + mesh.slack() + reach + between.abs().element_sum();
    let bounds = mesh.aabb().grown(ROUNDING * size + SMALLEST_LENGTH + slack);
    let place = pose.inverse_transform_vector(between);
    let off = (bounds.min - place).max(place - bounds.max);
    if off.max_element() > reach {
        return true;
    }
    // A ball has no other box than that.
    if matches!(other, Shape::Sphere(_)) {
        return false;
    }
    let around = other.aabb_in(&Frame::relative(pose, other_pose));
    around.is_some_and(|around| around.min.cmpgt(bounds.max).any() || bounds.min.cmpgt(around.max).any())
}

/// Do the surface of a mesh, which is the first, and a convex shape share a point? That they do not is proved. Nothing where
/// triangles are asked about in other ways.
pub(super) fn mesh_meets_convex(pair: PosedPair<'_>, engine: Engine, cache: &mut PairCache) -> Option<bool> {
    let (mesh, core) = (pair.a.as_mesh()?, pair.b.convex()?);
    if engine != Engine::Auto || pair.b.is_foreign() || !is_ordinary(&pair) {
        return None;
    }
    let frame = pair.frame();
    let mut own = PairCache::default();
    let first = remembered(cache).map(|[first, _]| first).filter(|&first| (first as usize) < mesh.triangles().len());
    let rounding = rounding(&pair);
    let middle = frame.point(core.center());
    let inner = core.inner_radius() + core.radius();
    let mut search = MeetingSearch {
        pair,
        mesh,
        core,
        frame,
        rounding,
        middle,
        inner,
        plane: None,
        is_probed: false,
        met: None,
        own: &mut own,
    };
    if first.is_some_and(|first| search.triangle_meets(first)) {
        return Some(true);
    }
    let around = Around {
        bounds: pair.b.aabb_in(&frame)?.grown(rounding),
        middle,
        radius: core.center().length() + pair.b.bounding_radius() + rounding,
        frame: &frame,
    };
    let _ = multiversioned(
        #[inline(always)]
        || {
            around.leaves(
                &mesh.tree().view(),
                || pair.b.aabb(&Pose::IDENTITY).grown(rounding),
                #[inline(always)]
                |items| search.leaf(items),
            )
        },
    );
    if let Some(triangle) = search.met {
        cache.triangles = [triangle + 1, 1];
    }
    Some(search.met.is_some())
}

struct MeetingSearch<'a, 'c> {
    pair: PosedPair<'a>,
    mesh: &'a Mesh,
    core: &'a dyn Convex,
    frame: Frame,
    rounding: f64,
    /// The middle of the shape in the frame of the mesh, and the radius of a ball about it that is inside.
    middle: DVec3,
    inner: f64,
    /// A direction from the mesh to the shape, and how far the shape reaches down from its middle.
    plane: Option<(DVec3, f64)>,
    /// Has a triangle near the corner that reaches deepest been looked at?
    is_probed: bool,
    /// A triangle that meets the shape.
    met: Option<u32>,
    own: &'c mut PairCache,
}

impl MeetingSearch<'_, '_> {
    /// Looks at the triangles of a leaf: the points nearest to the middle are in the shape, or the way there is a direction along which the
    /// triangle may be apart from it. The best of these is a plane for what comes after.
    #[inline(always)]
    fn leaf(&mut self, items: &[u32]) -> ControlFlow<(), Option<SeparatingPlane>> {
        let seen = SeenTriangles::new(self.mesh, items, self.middle);
        if let Some((normal, below)) = self.plane {
            // All of the shape is above a plane that is so far below the middle.
            let highest = seen.tops(normal).into_iter().fold(f64::NEG_INFINITY, f64::max);
            if -below - highest > 2.0 * self.rounding {
                return ControlFlow::Continue(None);
            }
        }
        let (ways, distances, lower) = seen.nearest();
        let mut open = ArrayVec::<(f64, u32), LEAF>::new();
        let mut least = (f64::INFINITY, DVec3::ZERO, 0.0);
        for (lane, &item) in items.iter().enumerate() {
            if self.surely_holds(ways[lane], distances[lane]) {
                return self.meets(item);
            }
            let n = -ways[lane] / distances[lane];
            let reach = self.core.height(self.frame.direction_in_b(-n)) + self.core.radius();
            // All of the triangle is that far below the middle, and the shape reaches so far down to it.
            let below = n.dot(self.middle - self.frame.translation) + reach;
            let apart = lower[lane] - below - 2.0 * self.rounding;
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
            let height = Some(normal.dot(self.middle) - below - self.rounding);
            return ControlFlow::Continue(Some(SeparatingPlane { normal, height }));
        }
        open.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        // Where the surface goes through a corner of the shape, the triangle that is nearest to the corner meets it.
        if !std::mem::replace(&mut self.is_probed, true) {
            let corner = self.core.support(self.frame.direction_in_b(-least.1));
            if let Some(near) = triangle_near(self.mesh, self.frame.point(corner))
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
        let margin = 2.0 * self.rounding;
        let local = || self.frame.direction_in_b(self.middle + way - self.frame.translation);
        match self.pair.b {
            Shape::Cuboid(cuboid) => (local().abs() + margin).cmple(cuboid.half_extents()).all(),
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
        let [a, b, c] = self.mesh.corners(item);
        let Ok(triangle) = Triangle::new(a, b, c) else { return true };
        let slack = self.mesh.slack();
        if self.core.radius() == 0.0 && slack == 0.0 {
            let (core, cache) = (self.core, &mut self.own.gjk);
            return gjk::intersects_here::<true, SignedVolumes, _, _>(&triangle, core, &self.frame, cache);
        }
        let pair = PosedPair { a: &Shape::Triangle(triangle), ..self.pair };
        entry::intersects(pair, Engine::Auto, self.own)
            || slack > 0.0 && !(entry::clearance(pair, slack, Engine::Auto, self.own).lower > slack)
    }
}
