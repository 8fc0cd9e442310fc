//! The directions along which the children of two nodes are compared by their heights.
//!
//! A pair of nodes is compared along the vector w from middle to middle. Once there is a best pair of triangles with the unit normal n, it is also compared along n and
//! along the vector halfway between n and w. In an intersection test n is the vector between the faces of the leaves that were visited last. One direction for all 16 pairs of children makes their bounds an outer difference: four heights of A, four of B.
//!
//! **Bound.** For any vector w no longer than one, points x of A and y of B (in its own frame, y' = R y + t) are at least w·(y' - x) apart, so
//!
//! ```text
//! distance ≥ w·shift - top_B(-Rᵀ w) - top_A(w)
//! ```
//!
//! where heights are relative to the middles of the trees. It does not matter how w was rounded, only that all three terms have the same w. A positive right side
//! holds for a w that is shorter than one, so vectors are shortened by 1e-6 once they are normalised.
//!
//! **Slack.** Let u = 2^-24, a and b the radii of the trees in the common unit, and |w| ≤ 1. Single precision changes the right side by at most
//!
//! | term | error |
//! |---|---|
//! | w·c for a middle c of A, and of B: three products, two sums | 3 u (a + b) |
//! | Σ β_m k_m instead of w, see `combinations`: 10 u (w_x + w_y + w_z) ≤ 18 u, times the extent of a child, at most the radius | 18 u (a + b) |
//! | β_m: 3 u of itself; a product with a byte, a sum of three, the product with the unit: 4 u. Together 7 u Σ β_m h_m, where h_m ≤ 4 a and Σ β_m ≤ √3/4 | 13 u (a + b) |
//! | w in the axes of B: u for the rotation, 3 u for the products, of each coordinate, times √3 | 7 u b |
//! | the same of a sum of n and w, whose terms are up to 1 + 1 while the sum is at least 1 long | 14 u b more |
//! | w·shift: u for the shift, 3 u for the products | 4 u \|shift\| |
//! | the three sums that put the terms together, each at most u of \|shift\| + 3 (a + b) | 3 u \|shift\| + 9 u (a + b) |
//!
//! That is 7 u |shift| + 43 u a + 64 u b, which is less than the slack of boxes, 32 u (|shift| + 3 (a + b)). A subnormal number is off by 2^-150 at most, which its
//! smallest normal number covers.

use super::frames::BoxFrames;
use super::heights::{Combination, combinations};
use crate::math::Frame;
use arrayvec::ArrayVec;
use glam::{DVec3, Vec3};
use wide::f32x4;

/// A direction in the axes of both trees.
#[derive(Clone, Copy)]
pub(super) struct PairDirection {
    /// Up in A, and down in B.
    pub in_a: Combination,
    pub in_b: Combination,
    /// How far the middles of the trees are apart along it, less the error of a bound in single precision.
    pub between: f32,
}

/// How two trees lie, and a normal.
pub(super) struct PairDirections {
    columns: [Vec3; 3],
    rows: [Vec3; 3],
    shift: Vec3,
    scales: [f32; 2],
    slack: f32,
    best: Option<BestNormal>,
}

struct BestNormal {
    in_a: Vec3,
    in_b: Vec3,
    direction: PairDirection,
}

/// Directions are that much shorter than one. Bound: a vector that was divided by its length is off by 5 u of that, with u = 2^-24: 3e-7.
const SHORTER: f32 = 1.0 - 1e-6;

/// Bound: a vector whose square is less, in units of the trees, is replaced. Its coordinates are below 1e-15, far below the slack.
const SMALLEST_SQUARE: f32 = 1e-30;

impl PairDirections {
    pub fn new(frames: &BoxFrames, b_in_a: &Frame) -> Self {
        let r = b_in_a.rotation;
        let columns = [r.x_axis, r.y_axis, r.z_axis].map(|axis| axis.as_vec3());
        let t = r.transpose();
        let rows = [t.x_axis, t.y_axis, t.z_axis].map(|axis| axis.as_vec3());
        Self {
            columns,
            rows,
            shift: frames.between().as_vec3(),
            scales: frames.scales,
            slack: frames.slack(),
            best: None,
        }
    }

    /// Takes a normal, a unit vector in the frame of A.
    pub fn set_normal(&mut self, normal: DVec3, b_in_a: &Frame) {
        debug_assert!((normal.length() - 1.0).abs() < 1e-9, "{normal} is no unit vector");
        let (in_a, in_b) = (normal.as_vec3(), b_in_a.direction_in_b(normal).as_vec3());
        let lanes = |k: usize| f32x4::new([in_a[k], -in_b[k], in_a[k], -in_b[k]]) * f32x4::splat(SHORTER);
        let [of_a, of_b, ..] = combinations(&[lanes(0), lanes(1), lanes(2)]);
        self.best = Some(BestNormal { in_a, in_b, direction: self.direction(of_a, of_b) });
    }

    #[inline(always)]
    fn direction(&self, in_a: Combination, in_b: Combination) -> PairDirection {
        PairDirection { in_a, in_b, between: Vec3::from_array(in_a.vector).dot(self.shift) - self.slack }
    }

    /// A point of B, in the frame and the unit of its tree, in the axes of A and the common unit, relative to the middle of A's tree.
    #[inline(always)]
    pub fn in_axes_of_a(&self, in_b: Vec3) -> Vec3 {
        let b = in_b * self.scales[1];
        self.columns[0] * b.x + self.columns[1] * b.y + self.columns[2] * b.z + self.shift
    }

    /// A point of A in the axes of B, likewise.
    #[inline(always)]
    pub fn in_axes_of_b(&self, in_a: Vec3) -> Vec3 {
        self.turned(in_a * self.scales[0] - self.shift)
    }

    /// A vector of A's axes in those of B.
    #[inline(always)]
    fn turned(&self, w: Vec3) -> Vec3 {
        self.rows[0] * w.x + self.rows[1] * w.y + self.rows[2] * w.z
    }

    /// The directions of a pair of nodes with these middles.
    #[inline(always)]
    pub fn directions(&self, middle_a: Vec3, middle_b: Vec3) -> ArrayVec<PairDirection, 3> {
        let mut w = self.in_axes_of_a(middle_b) - middle_a * self.scales[0];
        // Middles that coincide: any vector will do. Its square is far above what underflows.
        if !(w.length_squared() > SMALLEST_SQUARE) {
            w = Vec3::X;
        }
        let v = self.turned(w);
        let square = w.length_squared();
        let (mut h, mut g, mut half) = (w, v, square);
        if let Some(best) = &self.best {
            let length = square.sqrt();
            let sum = best.in_a * length + w;
            let half_square = sum.length_squared();
            // More than 120 degrees apart the sum is short, and its errors are not.
            if half_square >= square {
                (h, g, half) = (sum, best.in_b * length + v, half_square);
            }
        }
        let inverse = f32x4::splat(SHORTER) / f32x4::new([square, square, half, half]).sqrt();
        let lanes = |k: usize| f32x4::new([w[k], -v[k], h[k], -g[k]]) * inverse;
        debug_assert!(
            (0..3).all(|k| lanes(k).to_array().iter().all(|x| x.abs() <= 1.0)),
            "{w} is not shorter than one"
        );
        let [w_a, w_b, h_a, h_b] = combinations(&[lanes(0), lanes(1), lanes(2)]);
        let mut directions = ArrayVec::new();
        directions.push(self.direction(w_a, w_b));
        if let Some(best) = &self.best {
            directions.push(best.direction);
            directions.push(self.direction(h_a, h_b));
        }
        directions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Aabb, DQuat, Pose};
    use crate::narrow::triangles::closest_points;
    use crate::tree::WideTree;
    use crate::tree::heights::{ROWS, direction};
    use crate::tree::pairs::{SubTreePair, TwoTrees};
    use fastrand::Rng;

    /// Bounds by heights alone are no more than the distance of everything below, for clouds, for dust and for parallel plates, whose bounds are exact but for
    /// rounding, at any size and place.
    #[test]
    fn bounds_by_heights_are_no_more_than_distances() {
        let mut rng = Rng::with_seed(303);
        let (mut tight, mut plates, mut all) = (0, 0, 0);
        for round in 0..400 {
            let (size, place) = [(1.0, 0.0), (1e-70, 0.0), (1e58, 0.0), (1.0, 1e6), (1e-9, 1e3)][round % 5];
            let is_plate = round % 2 == 0;
            // Dust has heights far below what single precision rounds.
            // Two grains are apart along the vector between their middles: the bound is exact but for rounding.
            let (extent, count) = [(1e-8, 1), (0.2, 18), (0.2, 18)][round % 3];
            let mut vector = |most: f64| DVec3::from_array([(); 3].map(|()| most * (2.0 * rng.f64() - 1.0)));
            let (place_a, place_b, turned) = (vector(place), vector(place), vector(3.0));
            let shift = [0.3, 2.0, 20.0][round / 2 % 3] * vector(1.0);
            let mut cloud = |normal: DVec3, at: DVec3| -> Vec<[DVec3; 3]> {
                let mut corner = |middle: DVec3| {
                    let v = middle + vector(extent);
                    let flat = if is_plate { v - normal * v.dot(normal) } else { v };
                    size * (at + flat)
                };
                let middles: Vec<DVec3> = (0..count).map(|i| DVec3::new(f64::from(i) * 0.1, 0.3, -0.2)).collect();
                middles.iter().map(|&middle| [corner(middle), corner(middle), corner(middle)]).collect()
            };
            let rows = [round % ROWS, round / 3 % ROWS];
            let [up, down] = rows.map(|row| direction(row).normalize());
            let (a, b) = (cloud(up, place_a), cloud(down, place_b));
            // The outward directions of the plates face each other, a little apart.
            let gap = 1e-3;
            let (turn, offset) = if is_plate {
                (DQuat::from_rotation_arc(down, -up), shift - up * shift.dot(up) + gap * up)
            } else {
                (DQuat::from_scaled_axis(turned), shift)
            };
            let frame = Frame::from(Pose::new(size * (place_a + offset - turn * place_b), turn));
            let build = |items: &[[DVec3; 3]]| WideTree::build(items.iter().map(|corners| Aabb::of_points(*corners)));
            let (tree_a, tree_b) = (build(&a), build(&b));
            let largest =
                |items: &[[DVec3; 3]]| items.iter().flatten().fold(0.0, |most: f64, v| most.max(v.abs().max_element()));
            let view_a = tree_a.view_with_heights(largest(&a), |item| a[item as usize]);
            let view_b = tree_b.view_with_heights(largest(&b), |item| b[item as usize]);
            let frames = BoxFrames::new(&view_a, &view_b, &frame);
            let mut along = PairDirections::new(&frames, &frame);
            if is_plate || round % 3 > 0 {
                along.set_normal(if is_plate { up } else { (offset + 0.1 * turned).normalize() }, &frame);
            }
            // Distances in units of the size, from corners seen from the places.
            let local = |corners: &[DVec3; 3]| corners.map(|corner| (corner - size * place_a) / size);
            let distances: Vec<Vec<f64>> = a
                .iter()
                .map(|t| {
                    b.iter().map(|s| closest_points(&local(t), &local(&s.map(|v| frame.point(v)))).distance).collect()
                })
                .collect();
            let unit = frames.unit / size;
            let slack = f64::from(frames.slack()) * unit;
            let trees = TwoTrees::new(view_a, view_b, frames);
            let mut stack = vec![SubTreePair::ROOTS];
            while let Some(pair) = stack.pop() {
                if pair != SubTreePair::ROOTS {
                    let of = |items: Vec<u32>| items.into_iter().map(|item| item as usize);
                    let of_b: Vec<usize> = of(pair.b.all_items(&view_b)).collect();
                    let truth = of(pair.a.all_items(&view_a))
                        .flat_map(|i| of_b.iter().map(move |&j| (i, j)))
                        .fold(f64::INFINITY, |least, (i, j)| least.min(distances[i][j]));
                    let bound = f64::from(pair.bound) * unit;
                    // (Doubles lose 1e-16 of the coordinates.)
                    assert!(bound <= truth * (1.0 + 1e-12) + 1e-15 * (1.0 + place), "round {round}: {bound} {truth}");
                    all += 1;
                    if is_plate {
                        plates += 1;
                        tight += usize::from(bound > gap - 4.0 * slack - 2e-2);
                    }
                }
                if !pair.are_leaves() {
                    trees.expand_along(
                        &pair,
                        &along,
                        f32::NEG_INFINITY,
                        |along, of_a, of_b, turned| trees.longest(along, of_a, of_b, turned),
                        |_, there| there,
                        |pair| stack.push(pair),
                    );
                }
            }
        }
        assert!(all > 10_000 && 10 * tight > 9 * plates, "{tight} of {plates}, {all} in all");
    }

    /// The slack covers what single precision adds to a bound: it is no more than the same combination of the same heights in doubles.
    #[test]
    fn bounds_in_single_precision_are_no_more_than_in_doubles() {
        let mut rng = Rng::with_seed(66);
        let (mut most, mut over) = (f64::NEG_INFINITY, 0);
        for round in 0..600 {
            let mut vector = |most: f64| DVec3::from_array([(); 3].map(|()| most * (2.0 * rng.f64() - 1.0)));
            let far = [0.3, 2.0, 20.0, 300.0][round % 4];
            let frame = Frame::from(Pose::new(vector(far), DQuat::from_scaled_axis(vector(3.0))));
            let [a, b] = [(); 2].map(|()| {
                let cloud: Vec<[DVec3; 3]> = (0..18).map(|_| [vector(1.0), vector(1.0), vector(1.0)]).collect();
                let tree = WideTree::build(cloud.iter().map(|corners| Aabb::of_points(*corners)));
                (cloud, tree)
            });
            let view_a = a.1.view_with_heights(1.0, |item| a.0[item as usize]);
            let view_b = b.1.view_with_heights(1.0, |item| b.0[item as usize]);
            let frames = BoxFrames::new(&view_a, &view_b, &frame);
            let mut along = PairDirections::new(&frames, &frame);
            along.set_normal(vector(1.0).normalize(), &frame);
            let (slack, shift, scales) = (f64::from(frames.slack()), frames.between(), frames.scales);
            let [of_a, of_b] = [vector(1.0), vector(1.0)].map(DVec3::as_vec3);
            let (node_a, node_b) = (&view_a.nodes[0], &view_b.nodes[0]);
            for PairDirection { in_a, in_b, between } in along.directions(of_a, of_b) {
                let w = DVec3::from_array(in_a.vector.map(f64::from));
                let tops = view_a.heights[0].tops_in_doubles(node_a, w);
                let bottoms = view_b.heights[0].tops_in_doubles(node_b, -frame.direction_in_b(w));
                let rough_a = (view_a.heights[0].tops(node_a, &in_a) * f32x4::splat(scales[0])).to_array();
                let rough_b = f32x4::splat(between) - view_b.heights[0].tops(node_b, &in_b) * f32x4::splat(scales[1]);
                let rough_b = rough_b.to_array();
                for i in (0..4).filter(|&i| node_a.has(i)) {
                    for j in (0..4).filter(|&j| node_b.has(j)) {
                        let exact = w.dot(shift) - f64::from(scales[1]) * bottoms[j] - f64::from(scales[0]) * tops[i];
                        let excess = f64::from(rough_b[j] - rough_a[i]) - exact;
                        assert!(excess <= 0.0, "round {round}: {excess:e}, slack {slack:e}");
                        most = most.max(excess / slack);
                        // Without the slack it would be more.
                        over += usize::from(excess + slack > 0.0);
                    }
                }
            }
        }
        assert!(over > 1000 && most > -0.99, "{over}, at most {most} of the slack");
    }
}
