//! RAPID's tree of oriented boxes [Gottschalk, Lin, Manocha, *OBBTree: A Hierarchical Structure for Rapid Interference Detection*, 1996], for
//! comparison: the library's own tree has boxes along the axes.
//!
//! **Fit.** The axes of a box are those of the covariance of its triangles, each weighted by its area. With the areas mᵢ, M their sum, the
//! middles cᵢ and the corners pᵢ, qᵢ, rᵢ:
//!
//! ```text
//! μ = Σ mᵢ cᵢ / M,    C = Σ mᵢ / (12 M) · (9 cᵢ cᵢᵀ + pᵢ pᵢᵀ + qᵢ qᵢᵀ + rᵢ rᵢᵀ) - μ μᵀ
//! ```
//!
//! The paper uses the triangles of the convex hull, so that inner ones do not matter. RAPID's code uses those of the surface, as here.
//!
//! **Division.** Through μ, across the longest side of the box; across the next one if all middles are on one side, and in halves if no side
//! divides them, or if the tree becomes too deep. Leaves are single triangles.
//!
//! **Invariants.** (O1) A left child follows its parent. (O2) A box holds its triangles in spite of rounding: its axes are unit vectors to a few ε,
//! and its extents are those along the rounded axes. (O3) No leaf is deeper than [`MOST_LEVELS`].

use clearance::math::{DMat3, DVec3};

/// Leaves are no deeper than this.
pub(super) const MOST_LEVELS: usize = 64;

/// An oriented box and what is below it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObbNode {
    /// Its axes, by column.
    pub axes: DMat3,
    pub center: DVec3,
    pub half: DVec3,
    /// The number of a leaf's triangle, or the place of the right child.
    next: u32,
    is_leaf: bool,
}

impl ObbNode {
    /// The triangle of a leaf.
    pub fn triangle(&self) -> Option<u32> {
        self.is_leaf.then_some(self.next)
    }

    /// The places of the children of the node at a place, which is no leaf.
    pub fn children(&self, place: u32) -> [u32; 2] {
        [place + 1, self.next]
    }

    /// Its size, for comparisons.
    pub fn size(&self) -> f64 {
        self.half.element_sum()
    }
}

/// The boxes of triangles, the root first.
pub(super) fn build(corners: &[[DVec3; 3]]) -> Vec<ObbNode> {
    let mut order: Vec<u32> = (0..corners.len() as u32).collect();
    let mut nodes = Vec::with_capacity(2 * corners.len());
    if !order.is_empty() {
        grow(corners, &mut order, 0, &mut nodes);
    }
    nodes
}

fn grow(corners: &[[DVec3; 3]], part: &mut [u32], level: usize, nodes: &mut Vec<ObbNode>) -> u32 {
    let place = nodes.len();
    let (mean, axes) = fit(corners, part);
    let mut node = bound(corners, part, axes);
    if let [triangle] = *part {
        (node.next, node.is_leaf) = (triangle, true);
        nodes.push(node);
        return place as u32;
    }
    nodes.push(node);
    // (O3) Halves take that many levels more.
    let levels_of_halves = (usize::BITS - part.len().leading_zeros()) as usize;
    let at = match level + levels_of_halves >= MOST_LEVELS {
        true => part.len() / 2,
        false => divide(corners, part, &node, mean).unwrap_or(part.len() / 2),
    };
    let (left, right) = part.split_at_mut(at);
    grow(corners, left, level + 1, nodes);
    nodes[place].next = grow(corners, right, level + 1, nodes);
    place as u32
}

/// The mean of triangles, and the axes of their covariance.
fn fit(corners: &[[DVec3; 3]], part: &[u32]) -> (DVec3, DMat3) {
    // Relative to a corner, in a unit of their size, so that squares keep their digits.
    let origin = corners[part[0] as usize][0];
    let of = |&i: &u32| corners[i as usize].map(|corner| corner - origin);
    let size = part.iter().flat_map(of).fold(0.0_f64, |most, corner| most.max(corner.abs().max_element()));
    if !(size > 0.0) {
        return (origin, DMat3::IDENTITY);
    }
    let (mut whole, mut sum, mut moment) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let square = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    for t in part.iter().map(of) {
        let [p, q, r] = t.map(|corner| corner / size);
        // A small addition for triangles without an area.
        let area = 0.5 * (q - p).cross(r - p).length() + 1e-12;
        let middle = (p + q + r) / 3.0;
        whole += area;
        sum += area * middle;
        moment += (9.0 * square(middle) + square(p) + square(q) + square(r)) * (area / 12.0);
    }
    let mean = sum / whole;
    (origin + size * mean, axes_of(moment * (1.0 / whole) - square(mean)))
}

/// The eigenvectors of a symmetric matrix, by Jacobi's rotations; always a rotation, to rounding.
fn axes_of(mut m: DMat3) -> DMat3 {
    let mut axes = DMat3::IDENTITY;
    for _ in 0..12 {
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let off = m.col(j)[i];
            if !(off.abs() > 1e-300) {
                continue;
            }
            // tan 2φ = 2 m_ij / (m_jj - m_ii), the smaller of the two turns.
            let ratio = (m.col(j)[j] - m.col(i)[i]) / (2.0 * off);
            let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let sine = tangent * cosine;
            let mut turn = DMat3::IDENTITY;
            (turn.col_mut(i)[i], turn.col_mut(j)[j]) = (cosine, cosine);
            (turn.col_mut(j)[i], turn.col_mut(i)[j]) = (sine, -sine);
            m = turn.transpose() * m * turn;
            axes *= turn;
        }
    }
    // The rounding error of three dozen products.
    let x = axes.x_axis.normalize();
    let y = (axes.y_axis - x * x.dot(axes.y_axis)).normalize();
    let found = DMat3::from_cols(x, y, x.cross(y));
    if found.is_finite() { found } else { DMat3::IDENTITY }
}

/// The box of triangles along axes.
fn bound(corners: &[[DVec3; 3]], part: &[u32], axes: DMat3) -> ObbNode {
    let all = || part.iter().flat_map(|&i| corners[i as usize]);
    let along = axes.transpose();
    let (min, max) = all()
        .map(|corner| along * corner)
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), at| (min.min(at), max.max(at)));
    let farthest = all().fold(0.0_f64, |most, corner| most.max(corner.abs().element_sum()));
    // (O2) Heights and the middle round by a few ε of the coordinates.
    let half = 0.5 * (max - min) + DVec3::splat(16.0 * f64::EPSILON * farthest);
    ObbNode { axes, center: axes * (0.5 * (min + max)), half, next: 0, is_leaf: false }
}

/// Orders the triangles so that those before the returned place are one part; `None` if no side of the box divides them.
fn divide(corners: &[[DVec3; 3]], part: &mut [u32], node: &ObbNode, mean: DVec3) -> Option<usize> {
    let mut sides = [0, 1, 2];
    sides.sort_by(|&i, &j| node.half[j].total_cmp(&node.half[i]));
    sides.into_iter().find_map(|side| {
        let axis = node.axes.col(side);
        let is_low = |i: u32| {
            let [p, q, r] = corners[i as usize];
            axis.dot((p + q + r) / 3.0 - mean) < 0.0
        };
        let mut at = 0;
        for k in 0..part.len() {
            if is_low(part[k]) {
                part.swap(at, k);
                at += 1;
            }
        }
        (at > 0 && at < part.len()).then_some(at)
    })
}
