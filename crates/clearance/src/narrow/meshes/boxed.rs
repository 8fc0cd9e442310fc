//! Do the triangles of a leaf and a box share a point? Four triangles at a time in doubles, along all axes that can separate them.
//!
//! A box and a triangle are apart if and only if they are along one of thirteen axes. These are a side of the box, the normal of the
//! triangle, or the cross product of a side of each. [Gottschalk, Lin, Manocha, *OBBTree*, 1996; Akenine-Möller, *Fast 3D triangle-box
//! overlap testing*,
//! 2001].
//! Everything is in the axes of the box, with its middle at the origin. A pair that is apart along an axis by more than rounding is apart,
//! whichever the axis is; a pair that overlaps along all of them by more than rounding meets. The remaining pairs go to GJK.
//!
//! **Rounding.** Let δ be how far each coordinate of a corner may be off, and R the size of all, so that corners and half extents are at
//! most R, sides at most 2R, and 32 ε R ≤ δ. Along a given axis u a corner is off by δ‖u‖₁, a product of three terms by less than 4 ε R
//! ‖u‖₁. The ends of a side, of which one is visited, differ by less than 4 ε R ‖u‖₁ along an axis made of the rounded side. So what is
//! apart from a box that is larger by 2δ is apart.
//!
//! For the other answer the axes themselves are off. A side is off by 3δ in each coordinate, and its cross product with an axis of the box
//! by 6δ in all. That moves a gap by no more than 6δR, and the extent of the box by 6δR. With ‖u‖₁ ≤ 4R another 16δR undo the larger box,
//! twice. The normal of two sides no longer than s is off by 13δs in each coordinate, which moves both by 39δsR; with ‖u‖₁ ≤ 6s² ≤ 12sR the
//! larger box is undone by 48δsR.

use super::seen::{SeenTriangles, Vectors, cross, dot, least, most, splat, sub};
use crate::math::Frame;
use crate::shape::Mesh;
use crate::tree::{SeparatingPlane, by_axis};
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4, mask64x4};
use glam::DVec3;

/// A box about the origin of a frame, among triangles.
pub(crate) struct BoxAmong {
    pub frame: Frame,
    pub half: DVec3,
    /// How far a coordinate of a corner may be off.
    pub rounding: f64,
    /// No corner, of the box or a triangle, is farther from the origin of either frame.
    pub size: f64,
}

/// State of the triangles of a leaf, a bit for each.
pub(crate) struct LeafOfBox {
    /// One that meets the box.
    pub meet: u32,
    /// Those of which nothing tells.
    pub open: u32,
    /// If all are apart: a plane that is, and that more of the surface may be behind.
    pub plane: Option<SeparatingPlane>,
}

impl LeafOfBox {
    const APART: Self = Self { meet: 0, open: 0, plane: None };
}

/// A bit for each of four.
#[inline(always)]
fn bits<S: Simd>(is: mask64x4<S>) -> u32 {
    is.to_bitmask() as u32
}

/// How far corners are outside of a box, along the axis that says most.
#[inline(always)]
fn outside<S: Simd>(corner: &Vectors<S>, half: &Vectors<S>) -> f64x4<S> {
    most(corner[0].abs() - half[0], corner[1].abs() - half[1], corner[2].abs() - half[2])
}

/// Vectors in other axes. (No closure, as in `on_side`.)
#[inline(always)]
fn turned<S: Simd>(axes: &[Vectors<S>; 3], of: &Vectors<S>) -> Vectors<S> {
    [dot(&axes[0], of), dot(&axes[1], of), dot(&axes[2], of)]
}

impl BoxAmong {
    #[inline(always)]
    pub fn leaf<S: Simd>(&self, simd: S, mesh: &Mesh, items: &[u32]) -> LeafOfBox {
        let there = (1_u32 << items.len()) - 1;
        let Self { frame, half, rounding, size } = self;
        let seen = SeenTriangles::new(simd, mesh, items, frame.translation);
        let r = &frame.rotation;
        let axes = [splat(simd, r.x_axis), splat(simd, r.y_axis), splat(simd, r.z_axis)];
        let [a, b, c] = &seen.corners;
        let corners = [turned(&axes, a), turned(&axes, b), turned(&axes, c)];
        let [a, b, c] = &corners;
        let large = splat(simd, *half + 2.0 * rounding);
        // The axes of the box.
        let [x, y, z] = by_axis(|k| {
            let (low, high) = (least(a[k], b[k], c[k]), most(a[k], b[k], c[k]));
            low.max(-high) - large[k]
        });
        let along_box = most(x, y, z);
        let mut apart = along_box.simd_gt(0.0);
        if bits(apart) & there == there {
            return LeafOfBox::APART;
        }
        // A corner that is surely within; mostly one is where they meet.
        let small = splat(simd, *half - 2.0 * rounding);
        let is_in = least(outside(a, &small), outside(b, &small), outside(c, &small)).simd_le(0.0);
        let is_in = bits(is_in) & there;
        if is_in != 0 {
            return LeafOfBox { meet: is_in, ..LeafOfBox::APART };
        }
        // The normal.
        let sides: [Vectors<S>; 3] = [sub(b, a), sub(c, b), sub(a, c)];
        let lengths: [Vectors<S>; 3] = by_axis(|k| by_axis(|axis| sides[k][axis].abs()));
        let normal = cross(&sides[0], &sides[1]);
        let reach = dot(&large, &by_axis(|k| normal[k].abs()));
        let heights = by_axis(|k| dot(&normal, &corners[k]));
        let (low, high) = (least(heights[0], heights[1], heights[2]), most(heights[0], heights[1], heights[2]));
        let along_normal = low.max(-high) - reach;
        // More than what underflows in a normal of a sliver.
        let is_beside = along_normal.simd_gt(f64::MIN_POSITIVE);
        apart |= is_beside;
        if bits(apart) & there == there {
            let plane = bits(is_beside) & there;
            if plane == 0 {
                return LeafOfBox::APART;
            }
            let lane = plane.trailing_zeros() as usize % 4;
            let normal = by_axis(|axis| normal[axis].to_array()[lane]);
            return LeafOfBox { plane: self.plane(normal.into(), low.to_array()[lane]), ..LeafOfBox::APART };
        }
        // A side of the triangle and one of the box: its end and the corner across from it tell.
        let mut along_sides = f64x4::splat(simd, f64::NEG_INFINITY);
        for k in 0..3 {
            let (side, length, on, across) = (&sides[k], &lengths[k], &corners[k], &corners[(k + 2) % 3]);
            for axis in 0..3 {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let one = side[u] * on[v] - side[v] * on[u];
                let other = side[u] * across[v] - side[v] * across[u];
                let reach = large[u] * length[v] + large[v] * length[u];
                along_sides = along_sides.max(one.min(other).max(-(one.max(other))) - reach);
            }
        }
        apart |= along_sides.simd_gt(f64::MIN_POSITIVE);
        let [x, y, z] = by_axis(|axis| lengths[0][axis].max(lengths[1][axis]));
        let edge = most(x, y, z);
        let deep = rounding * size;
        // A flat box has other axes, where a triangle is in its plane.
        let is_solid = half.min_element() > 0.0;
        let meet = along_box.simd_le(-4.0 * rounding)
            & along_sides.simd_le(-32.0 * deep)
            & along_normal.simd_le(edge * (-128.0 * deep));
        let (apart, meet) = (bits(apart), if is_solid { bits(meet) & there } else { 0 });
        LeafOfBox { meet, open: there & !apart & !meet, plane: None }
    }

    /// The plane along a normal of a triangle, in the axes of the box, whose lowest corner is at that height: the box is on the other side of it.
    #[inline(always)]
    fn plane(&self, normal: DVec3, low: f64) -> Option<SeparatingPlane> {
        let Self { frame, half, rounding, .. } = self;
        let length = normal.length();
        // From the triangle to the box.
        let normal = if low > 0.0 { -normal } else { normal } / length;
        let reach = half.dot(normal.abs());
        let normal = frame.rotation * normal;
        // The normal is a unit to rounding, and turned; the box is off by a rounding as all is.
        let height = normal.dot(frame.translation) - reach - 2.0 * rounding;
        height.is_finite().then_some(SeparatingPlane { normal, height: Some(height) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rounding;
    use crate::math::{DQuat, Pose, Vectorized, vectorized};
    use crate::{Shape, distance};
    use fastrand::Rng;

    struct Leaf<'a>(&'a BoxAmong, &'a Mesh);

    impl Vectorized for Leaf<'_> {
        type Answer = LeafOfBox;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> LeafOfBox {
            let items: Vec<u32> = (0..self.1.triangles().len() as u32).collect();
            self.0.leaf(simd, self.1, &items)
        }
    }

    /// Triangles of all sizes around boxes, some of them flat, with whole coordinates among them, which touch; far away, tiny and huge.
    #[test]
    fn what_is_told_about_a_box_and_triangles_is_so() {
        let mut rng = Rng::with_seed(171);
        let (mut apart, mut met, mut open, mut planes) = (0, 0, 0, 0);
        for round in 0..6000 {
            let is_whole = round % 3 == 0;
            let mut number = |most: f64| {
                let x = most * (2.0 * rng.f64() - 1.0);
                if is_whole { x.round() } else { x }
            };
            let mut vector = |most: f64| DVec3::new(number(most), number(most), number(most));
            let unit = [1.0, 1e-30, 1e30][round / 7 % 3];
            let flat = [DVec3::ONE, DVec3::ONE, DVec3::new(1.0, 0.0, 1.0), DVec3::X][round / 3 % 4];
            let half = (vector(2.0).abs() + if is_whole { 1.0 } else { 0.01 }) * flat * unit;
            let place = if is_whole { DVec3::ZERO } else { vector(1.0) } * [0.0, 1.0, 1e5][round / 11 % 3] * unit;
            let turn = DQuat::from_xyzw(number(2.0), number(2.0), number(2.0), number(2.0) + 0.5).normalize();
            let turn = if is_whole { DQuat::IDENTITY } else { turn };
            let pose = Pose::new(place, turn);
            let frame = Frame::relative(&Pose::IDENTITY, &pose);
            let mut vector = |most: f64| DVec3::new(number(most), number(most), number(most));
            let spread = [0.2, 3.0, 30.0][round / 5 % 3];
            let count = 1 + round as u32 % 4;
            let mut corners = Vec::new();
            for _ in 0..count {
                let middle = vector(4.0);
                corners.extend((0..3).map(|_| frame.point(unit * (middle + vector(spread)))));
            }
            let triangles: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let Ok(mesh) = Mesh::new(&corners, &triangles) else { continue };
            let shape = Shape::cuboid(half).unwrap();
            let size = mesh.bounding_radius() + mesh.slack() + shape.bounding_radius() + place.length();
            let rounding = rounding::of_pair(size, mesh.slack());
            let among = BoxAmong { frame, half, rounding, size };
            let found = vectorized(Leaf(&among, &mesh));
            assert_eq!(found.meet & found.open, 0);
            for i in 0..count {
                let [a, b, c] = mesh.corners(i);
                let Ok(triangle) = Shape::triangle(a, b, c) else { continue };
                let truth = distance(&triangle, Pose::IDENTITY, &shape, pose);
                // Where one meets, the bits of the others are not valid.
                match (found.meet >> i & 1 == 1, found.open >> i & 1 == 1) {
                    (true, _) => {
                        met += 1;
                        assert!(truth.lower <= 0.0, "{round} {i}: {truth:?}");
                    }
                    (_, true) => {
                        open += 1;
                    }
                    _ if found.meet == 0 => {
                        apart += 1;
                        assert!(truth.upper > 0.0, "{round} {i}: {truth:?}");
                    }
                    _ => {}
                }
            }
            if let Some(SeparatingPlane { normal, height: Some(height) }) = found.plane {
                planes += 1;
                assert!((normal.length() - 1.0).abs() < 1e-12);
                for k in 0..8 {
                    let side = |bit: u32, half: f64| if k >> bit & 1 == 1 { half } else { -half };
                    let corner = frame.point(DVec3::new(side(0, half.x), side(1, half.y), side(2, half.z)));
                    assert!(normal.dot(corner) >= height, "{round}");
                }
            }
        }
        assert!(apart > 2000 && met > 400 && planes > 200, "{apart} {met} {planes}");
        assert!(open > 50 && open < (apart + met) / 3, "{open} of {}", apart + met);
    }
}
