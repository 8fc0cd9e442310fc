//! Do a mesh and a convex shape share a point? Boxes first, then the triangles around the centre of the shape.
//!
//! A triangle meets the shape if its point nearest to the centre is certainly inside. It is apart if the direction to that point separates the two.
//! GJK decides the others. A box and four triangles have closed forms (`boxed.rs`).
//!
//! **Invariants.** (1) "No" is proved: every triangle outside the walk is in a separated box, every triangle in it is apart by a direction or by GJK.
//! (2) The triangle in an answer "yes" meets the shape up to rounding.

use super::boxed::BoxAmong;
use super::triangle_convex::ConvexShape;
use super::{SeenTriangles, triangle_near};
use crate::math::{Aabb, Frame, Pose, Vectorized, vectorized};
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::simplex::SignedVolumes;
use crate::shape::{Convex, Mesh, Shape, Triangle};
use crate::tree::{Around, LEAF, SeparatingPlane};
use arrayvec::ArrayVec;
use fearless_simd::Simd;
use glam::DVec3;
use std::ops::ControlFlow;

/// A mesh and a convex shape, which is not user-defined.
pub(crate) struct MeshAndConvex<'a> {
    pub mesh: &'a Mesh,
    pub other: &'a Shape,
    /// The shape in the frame of the mesh.
    pub frame: Frame,
    /// A box around it there.
    pub bounds: Aabb,
    /// Bound on the error of a point in the frame of the mesh.
    pub rounding: f64,
    /// The total size of the pair.
    pub size: f64,
}

/// The answer about a mesh and a convex shape.
pub(crate) enum SurfaceOverlap {
    /// This triangle meets the shape.
    Meet(u32),
    /// The surface and the shape are apart. The point is the centre of the shape in the frame of the mesh: the shape is inside a solid if the point is.
    Apart(DVec3),
}

impl MeshAndConvex<'_> {
    /// The first triangle that is found to meet the shape. `first` met it before. (Not inlined: most answers of the caller come before.)
    #[inline(never)]
    pub fn overlap(&self, first: Option<u32>) -> SurfaceOverlap {
        let Some(convex) = ConvexShape::new(self.other, &self.frame, self.frame.translation) else {
            return SurfaceOverlap::Meet(0);
        };
        let (core, extent) = (convex.core, self.other.bounding_radius());
        let (center, inner, radius) = match self.other {
            // Without a call through the vtable; the faces of a box say whether a point is inside.
            Shape::Cuboid(_) => (self.frame.translation, 0.0, extent),
            _ => {
                let center = core.center();
                (self.frame.point(center), core.inner_radius() + core.radius(), center.length() + extent)
            }
        };
        debug_assert!(inner <= radius + self.rounding, "a ball of {inner} is inside one of {radius}");
        let mut search = OverlapSearch {
            pair: self,
            convex,
            center,
            inner,
            radius,
            plane: None,
            is_probed: false,
            met: None,
            cache: WarmSimplex::default(),
        };
        let first = first.filter(|&first| (first as usize) < self.mesh.triangles().len());
        if let Some(first) = first.filter(|&first| search.triangle_meets(first)) {
            return SurfaceOverlap::Meet(first);
        }
        vectorized(&mut search);
        search.met.map_or(SurfaceOverlap::Apart(center), SurfaceOverlap::Meet)
    }
}

struct OverlapSearch<'a> {
    pair: &'a MeshAndConvex<'a>,
    convex: ConvexShape<'a>,
    /// The centre of the shape in the frame of the mesh, and the radius of a ball around it that is inside.
    center: DVec3,
    inner: f64,
    /// The radius of a ball around the centre that contains the shape, up to rounding.
    radius: f64,
    /// A direction from the mesh to the shape, and the extent of the shape downward from its centre.
    plane: Option<(DVec3, f64)>,
    /// Has a triangle near the deepest corner been tested?
    is_probed: bool,
    /// A triangle that meets the shape.
    met: Option<u32>,
    cache: WarmSimplex,
}

/// The result of a leaf: a triangle meets the shape, or a plane with the shape above it.
type LeafResult = ControlFlow<(), Option<SeparatingPlane>>;

impl Vectorized for &mut OverlapSearch<'_> {
    type Answer = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let MeshAndConvex { mesh, other, frame, bounds, rounding, size } = self.pair;
        let around =
            Around { bounds: bounds.grown(*rounding), middle: self.center, radius: self.radius + rounding, frame };
        let _ = match other {
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
                || other.aabb(&Pose::IDENTITY).grown(*rounding),
                #[inline(always)]
                |items| self.leaf(simd, items),
            ),
        };
    }
}

impl OverlapSearch<'_> {
    /// Tests the triangles of a leaf along all axes that can separate them from a box.
    #[inline(always)]
    fn leaf_of_box<S: Simd>(&mut self, simd: S, among: &BoxAmong, items: &[u32]) -> LeafResult {
        let found = among.leaf(simd, self.pair.mesh, items);
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

    /// Tests the triangles of a leaf: their points nearest to the centre are in the shape, or are in a direction along which the triangle may be apart
    /// from it. The best of these directions is a plane for the leaves that follow.
    #[inline(always)]
    fn leaf<S: Simd>(&mut self, simd: S, items: &[u32]) -> LeafResult {
        let MeshAndConvex { mesh, frame, rounding, .. } = self.pair;
        let core = self.convex.core;
        let seen = SeenTriangles::new(simd, mesh, items, self.center);
        if let Some((normal, below)) = self.plane {
            // The shape is above a plane that is `below` under the centre.
            let highest = seen.tops(normal).into_iter().fold(f64::NEG_INFINITY, f64::max);
            if -below - highest > 2.0 * rounding {
                return ControlFlow::Continue(None);
            }
        }
        let nearest = seen.nearest();
        let (to_nearest, distances, lower) = (nearest.ways(), nearest.distances(), nearest.lower());
        let mut open = ArrayVec::<(f64, u32), LEAF>::new();
        let mut least = (f64::INFINITY, DVec3::ZERO, 0.0);
        // All triangles before the first support height, which takes longer.
        for (lane, &item) in items.iter().enumerate() {
            if self.surely_contains(to_nearest[lane], distances[lane]) {
                return self.meets(item);
            }
        }
        for (lane, &item) in items.iter().enumerate() {
            let n = -to_nearest[lane] / distances[lane];
            let extent = core.height(frame.direction_in_b(-n)) + core.radius();
            // The triangle is `lower` under the centre, and the shape extends to `below` under it.
            let below = n.dot(self.center - frame.translation) + extent;
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
            let height = Some(normal.dot(self.center) - below - rounding);
            return ControlFlow::Continue(Some(SeparatingPlane { normal, height }));
        }
        self.undecided(least.1, open)
    }

    /// Tests the triangles of a leaf that no direction decides. (Not inlined: the caller is compiled twice.)
    #[inline(never)]
    fn undecided(&mut self, direction: DVec3, mut open: ArrayVec<(f64, u32), LEAF>) -> LeafResult {
        open.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        // Where the surface goes through a corner of the shape, the triangle nearest to the corner meets the shape.
        if !std::mem::replace(&mut self.is_probed, true) {
            let corner = self.convex.core.support(self.pair.frame.direction_in_b(-direction));
            if let Some(near) = triangle_near(self.pair.mesh, self.pair.frame.point(corner))
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

    fn meets(&mut self, item: u32) -> LeafResult {
        self.met = Some(item);
        ControlFlow::Break(())
    }

    /// Is a point of the mesh, `offset` from the centre, inside the shape in spite of rounding?
    #[inline(always)]
    fn surely_contains(&self, offset: DVec3, distance: f64) -> bool {
        let MeshAndConvex { other, frame, rounding, .. } = self.pair;
        let margin = 2.0 * rounding;
        match other {
            Shape::Cylinder(cylinder) => {
                let DVec3 { x, y, z } = frame.direction_in_b(self.center + offset - frame.translation);
                let side = cylinder.base_radius() - margin;
                side > 0.0 && y.abs() + margin <= cylinder.half_height() && x * x + z * z <= side * side
            }
            _ => distance + margin <= self.inner,
        }
    }

    /// Does a triangle meet the shape, or is their gap within the slack of the mesh? The depth of an overlap is not needed.
    #[inline(never)]
    fn triangle_meets(&mut self, item: u32) -> bool {
        let MeshAndConvex { mesh, frame, .. } = self.pair;
        let [a, b, c] = mesh.corners(item);
        let Ok(triangle) = Triangle::new(a, b, c) else { return true };
        let slack = mesh.slack();
        let core: &dyn Convex = self.convex.core;
        if core.radius() == 0.0 && slack == 0.0 {
            return gjk::intersects_here::<true, SignedVolumes, _, _>(&triangle, core, frame, &mut self.cache);
        }
        self.convex.intersects(&triangle, &mut self.cache)
            || slack > 0.0 && !(self.convex.distance(&triangle, slack, &mut self.cache).lower > slack)
    }
}
