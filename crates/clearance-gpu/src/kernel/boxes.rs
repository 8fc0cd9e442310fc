//! Do two boxes share a point? The fifteen separating axes in single precision, with a bound on their errors.
//!
//! Two convex polytopes are apart if and only if a normal of a face of one or a product of edges separates them \[Gottschalk, Lin, Manocha,
//! *OBBTree*, 1996\]. A gap above the error bound along any axis proves "apart": axes need not be units, since only the sign counts. Overlaps below minus the bound
//! along all fifteen prove "overlap". Products of nearly parallel edges are short and leave the query open, unless another axis
//! separates.

use super::bounds::{BOX_ERROR, BOX_SIZES};
use super::vector::{PoseNumbers, Rotation, Vec3, larger};
use super::verdict::{APART, OPEN, WITHIN};

/// The half extents of two boxes, rounded to nearest.
#[derive(Debug, Clone, Copy)]
pub struct Halves {
    /// Those of A.
    pub a: Vec3,
    /// Those of B.
    pub b: Vec3,
}

/// The verdict about A at the origin and B at a pose.
#[inline(always)]
pub fn meet(halves: &Halves, pose: &PoseNumbers) -> u8 {
    meet_with(BOX_ERROR, halves, pose)
}

/// [`meet`] with another error bound, for the test that a smaller one is wrong.
#[inline(always)]
pub fn meet_with(error: f32, halves: &Halves, &[x, y, z, ref q @ ..]: &PoseNumbers) -> u8 {
    let Some(rotation) = Rotation::of_quaternion(*q) else { return OPEN };
    let t = Vec3::new(x, y, z);
    let (a, b) = (halves.a, halves.b);
    let size = a.sum() + b.sum() + t.abs().sum();
    // A NaN is in no range.
    if !BOX_SIZES.contains(&size) {
        return OPEN;
    }
    let rounding = error * size;
    let [r0, r1, r2] = rotation.columns;
    let [m0, m1, m2] = rotation.columns.map(Vec3::abs);

    // Faces of A: |t_i| - h_A,i - sum_j |R_ij| h_B,j.
    let faces = t.abs() - (a + (m0 * b.x + m1 * b.y + m2 * b.z));
    let mut widest = larger(larger(faces.x, faces.y), faces.z);
    // Faces of B: |t·b_j| - h_B,j - sum_i |R_ij| h_A,i.
    let of_b = |r: Vec3, m: Vec3, half: f32| t.dot(r).abs() - (half + m.dot(a));
    widest = larger(widest, larger(larger(of_b(r0, m0, b.x), of_b(r1, m1, b.y)), of_b(r2, m2, b.z)));
    if widest > rounding {
        return APART;
    }
    // Edges e_i x b_j, for the three e_i at once: the coordinates of such an axis are entries of b_j, its products with the edges of A too, and
    // those with the other edges of B are entries of the third edge.
    let mut edges = |r: Vec3, m: Vec3, third: Vec3, second: Vec3, half: [f32; 2]| {
        let from_a = Vec3::new(a.y * m.z + a.z * m.y, a.z * m.x + a.x * m.z, a.x * m.y + a.y * m.x);
        let from_b = third * half[0] + second * half[1];
        let gaps = t.cross(r).abs() - (from_a + from_b);
        widest = larger(widest, larger(larger(gaps.x, gaps.y), gaps.z));
    };
    edges(r0, m0, m2, m1, [b.y, b.z]);
    edges(r1, m1, m0, m2, [b.z, b.x]);
    edges(r2, m2, m1, m0, [b.x, b.y]);
    if widest > rounding {
        APART
    } else if widest < -rounding {
        WITHIN
    } else {
        OPEN
    }
}
