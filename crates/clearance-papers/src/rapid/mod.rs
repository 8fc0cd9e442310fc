//! Do two surfaces meet? By RAPID's trees of oriented boxes, for comparison [Gottschalk, Lin, Manocha, *OBBTree*, 1996].
//!
//! Two boxes are apart if they are along one of fifteen axes: the three of each, and the nine products of one of each. If two boxes are not apart,
//! the children of the larger one replace it. Triangles are tested as in the default traversal (`clearance::internals::narrow::meshes`), so that
//! both give one answer. Oriented boxes fit long and slanted parts of a surface far better than those along fixed axes, so fewer are tested. But
//! each test takes longer, a box takes 128 bytes instead of 32, and fitting takes much longer than dividing.

mod build;

use arrayvec::ArrayVec;
use build::{MOST_LEVELS, ObbNode};
use clearance::internals::meshes::{in_a, meet, rounding};
use clearance::math::Frame;
use clearance::math::{DMat3, DVec3};
use clearance::shape::Mesh;

/// The oriented boxes of a mesh.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance_papers::rapid::ObbTree;
/// use clearance::shape::Mesh;
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let tree = ObbTree::new(&mesh);
/// let at = |z: f64| Frame::relative(&Pose::IDENTITY, &Pose::from_translation([0.0, 0.0, z]));
/// assert!(tree.intersects(&tree, &at(0.9)).meet && !tree.intersects(&tree, &at(1.1)).meet);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ObbTree<'a> {
    mesh: &'a Mesh,
    nodes: Vec<ObbNode>,
}

/// An answer, and its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObbAnswer {
    /// Do the surfaces share a point?
    pub meet: bool,
    /// The number of tested pairs of boxes.
    pub box_tests: usize,
    /// The number of tested pairs of triangles.
    pub triangle_tests: usize,
}

impl<'a> ObbTree<'a> {
    /// Fits the boxes.
    #[must_use]
    pub fn new(mesh: &'a Mesh) -> Self {
        let corners: Vec<_> = (0..mesh.triangles().len() as u32).map(|i| mesh.corners(i)).collect();
        Self { mesh, nodes: build::build(&corners) }
    }

    /// The memory of the boxes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<ObbNode>() * self.nodes.len()
    }

    /// Do the surfaces share a point? The same answer as [`intersects`](clearance::internals::narrow::meshes::intersects).
    #[must_use]
    pub fn intersects(&self, other: &ObbTree<'_>, b_in_a: &Frame) -> ObbAnswer {
        let rounding = rounding(self.mesh, other.mesh, b_in_a);
        let mut answer = ObbAnswer { meet: false, box_tests: 0, triangle_tests: 0 };
        // Every level of either tree leaves one pair.
        let mut stack = ArrayVec::<[u32; 2], { 2 * MOST_LEVELS + 2 }>::new();
        if !(self.nodes.is_empty() || other.nodes.is_empty()) {
            stack.push([0, 0]);
        }
        while let Some([i, j]) = stack.pop() {
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            answer.box_tests += 1;
            if are_apart(a, b, b_in_a, 2.0 * rounding) {
                continue;
            }
            match (a.triangle(), b.triangle()) {
                (Some(x), Some(y)) => {
                    answer.triangle_tests += 1;
                    if meet(&self.mesh.corners(x), &in_a(b_in_a, other.mesh.corners(y)), rounding) {
                        answer.meet = true;
                        break;
                    }
                }
                (of_a, of_b) if of_b.is_some() || of_a.is_none() && a.size() >= b.size() => {
                    let [left, right] = a.children(i);
                    stack.extend([[right, j], [left, j]]);
                }
                _ => {
                    let [left, right] = b.children(j);
                    stack.extend([[i, right], [i, left]]);
                }
            }
        }
        answer
    }
}

/// True if two boxes are proved to be apart along one of the fifteen axes, by more than the rounding error.
fn are_apart(a: &ObbNode, b: &ObbNode, b_in_a: &Frame, rounding: f64) -> bool {
    // B's axes and the vector to its middle, along the axes of A.
    let along_a = a.axes.transpose();
    let r = along_a * (b_in_a.rotation * b.axes);
    let t = along_a * (b_in_a.point(b.center) - a.center);
    let spread = DMat3::from_cols(r.x_axis.abs(), r.y_axis.abs(), r.z_axis.abs());
    // Axes that are units only to a few ε stretch heights by as much, which is a small part of `rounding`.
    let allowed = DVec3::splat(rounding);
    if (t.abs() - a.half - spread * b.half).cmpgt(allowed).any() {
        return true;
    }
    let back = r.transpose();
    if ((back * t).abs() - b.half - spread.transpose() * a.half).cmpgt(allowed).any() {
        return true;
    }
    // L = aᵢ × bⱼ: with i, i+1, i+2 cyclic, t·L = t_{i+2} r_{i+1,j} - t_{i+1} r_{i+2,j}, and so on. L is no longer than one.
    (0..3).any(|i| {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        (0..3).any(|j| {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let apart = (t[i2] * r.col(j)[i1] - t[i1] * r.col(j)[i2]).abs();
            let of_a = a.half[i1] * spread.col(j)[i2] + a.half[i2] * spread.col(j)[i1];
            let of_b = b.half[j1] * spread.col(j2)[i] + b.half[j2] * spread.col(j1)[i];
            apart - of_a - of_b > rounding
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::Pose;
    use clearance::internals::narrow::meshes::intersects;
    use clearance::math::DQuat;
    use clearance_lab::Rng;
    use clearance_lab::meshes::torus;

    /// Oriented boxes give the answer of the library's tree, for rings and for soups of slivers, at any size, and test fewer boxes than there are
    /// pairs.
    #[test]
    fn oriented_boxes_change_no_answer() {
        let mut rng = Rng::with_seed(43);
        let mut vector = move |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
        let (mut met, mut apart, mut tests, mut pairs) = (0, 0, 0, 0);
        for round in 0..400 {
            let size = [1.0, 1e-9, 1e9][round % 3];
            let flat = DVec3::new(1.0, [1.0, 1e-5, 0.0][round / 3 % 3], 1.0);
            let soup = |vector: &mut dyn FnMut(f64) -> DVec3, count: u32| {
                let places: Vec<DVec3> = (0..count).map(|_| vector(1.0)).collect();
                let corners: Vec<DVec3> =
                    (0..3 * count as usize).map(|k| size * flat * (places[k / 3] + vector(0.2))).collect();
                Mesh::new(&corners, &(0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>()).unwrap()
            };
            let (a, b) = match round % 2 {
                0 => (torus(16, 8, 2.0 * size, 0.5 * size).mesh(), torus(12, 9, 1.5 * size, 0.3 * size).mesh()),
                _ => (soup(&mut vector, 1 + round as u32 % 50), soup(&mut vector, 1 + round as u32 % 37)),
            };
            let trees = [ObbTree::new(&a), ObbTree::new(&b)];
            for far in [0.0, 1.0, 2.0, 3.0] {
                // Turned, and along the axes of the other, where axes of boxes are parallel.
                let turn = if round % 4 < 2 { DQuat::from_scaled_axis(vector(3.0)) } else { DQuat::IDENTITY };
                let frame = Frame::from(Pose::new(size * vector(far), turn));
                let found = trees[0].intersects(&trees[1], &frame);
                assert_eq!(found.meet, intersects(&a, &b, &frame), "{round} {far}");
                met += usize::from(found.meet);
                apart += usize::from(!found.meet);
                tests += found.box_tests;
                pairs += a.triangles().len() * b.triangles().len();
            }
        }
        assert!(met > 300 && apart > 300 && 20 * tests < pairs, "{met} {apart} {tests} {pairs}");
    }
}
