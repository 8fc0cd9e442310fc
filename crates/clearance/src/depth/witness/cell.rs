//! Cones of translations, covered outward.
//!
//! A cell is the cone of three directions d_i, of which the part below the plane through the corners `r_i d_i` is covered. Eight octants are the first cells.
//!
//! **Bound.** Let c be any vector. A translation of the cone beyond the plane is `Σ w_i r_i d_i` with `w_i >= 0`, `Σ w_i >= 1`. So its length is at least
//! `min_i c·(r_i d_i) / |c|`, if that is positive. With c the point of the triangle nearest to the origin this is the distance of the triangle.
//!
//! **Split.** A direction `e = Σ t_i d_i` with `Σ t_i = 1` divides a cell: each child has e in the place of one d_i with `t_i > 0`. Children tile
//! the parent. The point `s e` is covered if it is below the parent's plane: `s Σ t_i / r_i <= 1`.
//!
//! **Rounding.** The true direction of a child is the exact sum. The computed one is off by 4 ε per level, less than 1e-13 for [`MOST_LEVELS`] levels, which the margin
//! of the certificates exceeds. Bounds are rounded down by as much.

use glam::DVec3;

/// Bound: 4 ε for each level stay below the 1e-13 by which bounds are rounded down.
pub(super) const MOST_LEVELS: u32 = 100;

/// Bound: relative error of a corner, and of the quotient that bounds a cell.
const ROUNDED: f64 = 1.0 - 2e-13;

/// Three directions and the lengths up to which their cone is covered.
#[derive(Debug, Clone, Copy)]
pub(super) struct TranslationCone {
    pub directions: [DVec3; 3],
    pub lengths: [f64; 3],
}

/// The point of a triangle that is nearest to the origin.
fn nearest(corners: [DVec3; 3]) -> DVec3 {
    crate::shape::mesh::nearest_on_triangle(corners, DVec3::ZERO)
}

/// A lower bound of the distance of a triangle from the origin, and of everything beyond it in its cone.
pub(super) fn distance_of(corners: [DVec3; 3]) -> f64 {
    let toward = nearest(corners);
    let length = toward.length();
    let least = corners.iter().map(|corner| toward.dot(*corner)).fold(f64::INFINITY, f64::min);
    let bound = least / length * ROUNDED;
    // A NaN proves nothing.
    if bound > 0.0 { bound } else { 0.0 }
}

impl TranslationCone {
    /// The octants.
    pub fn roots() -> impl Iterator<Item = Self> {
        (0..8).map(|octant: u32| {
            let sign = |axis: u32| if octant >> axis & 1 == 0 { 1.0 } else { -1.0 };
            let directions = [DVec3::X * sign(0), DVec3::Y * sign(1), DVec3::Z * sign(2)];
            Self { directions, lengths: [0.0; 3] }
        })
    }

    pub fn corners(&self, lengths: [f64; 3]) -> [DVec3; 3] {
        [0, 1, 2].map(|i| self.directions[i] * lengths[i])
    }

    /// No translation of the cone that is nearer is uncovered.
    pub fn bound(&self) -> f64 {
        distance_of(self.corners(self.lengths))
    }

    /// Unit vectors along the directions.
    pub fn units(&self) -> [DVec3; 3] {
        self.directions.map(DVec3::normalize_or_zero)
    }

    /// Lengths of a plane with the same inclination to all three directions that is `bound` from the origin, and no length below the present ones.
    pub fn lengths_at(&self, bound: f64) -> [f64; 3] {
        let units = self.units();
        // The excess of 1e-12 is above rounding, so that the plane reaches the bound.
        let scale = bound / distance_of(units) * (1.0 + 1e-12);
        [0, 1, 2].map(|i| (scale / self.directions[i].length()).max(self.lengths[i]))
    }

    /// Lengths of a plane with a normal that is `bound` from the origin where it meets the cone; `None` if it does not meet all three directions.
    pub fn lengths_along(&self, normal: DVec3, bound: f64) -> Option<[f64; 3]> {
        let slopes = self.directions.map(|direction| normal.dot(direction));
        let [x, y, z] = [0, 1, 2].map(|i| slopes[i] / self.directions[i].length());
        if !(x.min(y).min(z) > 0.05) {
            return None;
        }
        let lengths = slopes.map(|slope| 1.0 / slope);
        // The excess of 1e-12 is above rounding, so that the plane reaches the bound.
        let scale = bound / distance_of(self.corners(lengths)) * (1.0 + 1e-12);
        Some([0, 1, 2].map(|i| (scale * lengths[i]).max(self.lengths[i])))
    }

    /// The longest edge, as the numbers of its ends and its length on the unit sphere.
    pub fn longest_edge(&self) -> ([usize; 2], f64) {
        let units = self.units();
        let edge = |[i, j]: [usize; 2]| ([i, j], units[i].distance(units[j]));
        [[0, 1], [1, 2], [2, 0]]
            .map(edge)
            .into_iter()
            .fold(([0, 1], 0.0), |best, next| if next.1 > best.1 { next } else { best })
    }

    /// The children on both sides, or on three sides, of a direction with these weights; and the length of the direction that is covered.
    pub fn split(&self, weights: [f64; 3]) -> (f64, impl Iterator<Item = Self>) {
        let direction = (0..3).map(|i| self.directions[i] * weights[i]).sum::<DVec3>();
        let slopes: f64 = (0..3).filter(|&i| weights[i] > 0.0).map(|i| weights[i] / self.lengths[i]).sum();
        // Lengths of zero make the sum infinite, and the quotient zero.
        let length = 1.0 / slopes * (1.0 - 8.0 * f64::EPSILON);
        let own = *self;
        let children = (0..3).filter(move |&i| weights[i] > 0.0).map(move |i| {
            let mut child = own;
            (child.directions[i], child.lengths[i]) = (direction, length);
            child
        });
        (length, children)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Random splits of random cones. Points below the plane of a child are below that of its parent, and points of the parent are in a child. No point beyond
    /// the planes is nearer than the bound.
    #[test]
    fn children_tile_their_parent_and_bounds_hold() {
        let mut rng = Rng::with_seed(401);
        let mut inside = 0;
        for _ in 0..4000 {
            let mut cone = TranslationCone::roots().nth(rng.usize(0..8)).unwrap();
            cone.lengths = [(); 3].map(|()| 0.5 + rng.f64());
            for _ in 0..rng.usize(0..20) {
                let edge = cone.longest_edge().0;
                let mut weights = [0.0; 3];
                let share = 0.2 + 0.6 * rng.f64();
                if rng.bool() {
                    (weights[edge[0]], weights[edge[1]]) = (share, 1.0 - share);
                } else {
                    weights = [0.5 * share, 0.5 * share, 1.0 - share];
                }
                let parent = cone;
                let children: Vec<TranslationCone> = parent.split(weights).1.collect();
                let shares = [(); 3].map(|()| rng.f64());
                let at: DVec3 = (0..3).map(|i| parent.directions[i] * shares[i]).sum();
                // The share of a point on each direction, times the inverse lengths, is its height over the plane.
                let heights = |cone: &TranslationCone| {
                    let [a, b, c] = cone.directions;
                    let whole = a.dot(b.cross(c));
                    [at.dot(b.cross(c)), at.dot(c.cross(a)), at.dot(a.cross(b))].map(|part| part / whole)
                };
                let height = |cone: &TranslationCone| (0..3).map(|i| heights(cone)[i] / cone.lengths[i]).sum::<f64>();
                let around: Vec<&TranslationCone> =
                    children.iter().filter(|child| heights(child).iter().all(|part| *part >= -1e-9)).collect();
                assert!(!around.is_empty(), "a point of the parent is in no child");
                for child in around {
                    // Determinants of thin cones have lost digits.
                    assert!(height(child) >= height(&parent) * (1.0 - 1e-8));
                    inside += 1;
                    let length = at.length() / height(child);
                    assert!(length >= child.bound() * (1.0 - 1e-8), "{length} {}", child.bound());
                }
                cone = children[rng.usize(0..children.len())];
            }
        }
        assert!(inside > 10_000, "{inside}");
    }
}
