//! The second test of I-COLLIDE: is there a plane between two polytopes, by linear programming?
//!
//! "If the algorithm fails to maintain the closest features as in the case of collision, another linear programming algorithm is invoked in I_COLLIDE to tell whether the two
//! polytopes actually collide or not" (\[QC\] 6.1). It is called "every time when there is a recycling of features", and takes "O(n) time" (\[QC\] 6.2.2).
//!
//! **The programme.** Let c be the way from the middle of A to that of B, of length one, and e, f complete it to a frame. A plane between the two has a normal n with n·c > 0, which may be scaled to
//! n = α e + β f + c. Sought are α, β and d with n·p ≤ d for the vertices p of A and n·q ≥ d for those of B: n + m constraints for three unknowns. The middles are inside, so that no such plane is lost.
//!
//! **The algorithm** is Seidel's: constraints are added in random order. While the optimum of those before fulfils the new one it stays; else the new optimum is on the plane of the new
//! constraint, which is the same problem with one unknown less. The expected time is O(n + m). R. Seidel, "Small-dimensional linear programming and convex hulls made easy",
//! Discrete & Computational Geometry 6, 1991.
//!
//! Plain doubles; a pair whose gap is within rounding may be answered either way.

use clearance::math::{DVec3, Frame};
use clearance::shape::Polytope;
use clearance_lab::Rng;

/// Bounds of |α|, |β| and |d|, in sizes of the pair, so that every programme has an optimum. Limit: a normal this far from c is perpendicular to it, to rounding.
const BOUND: f64 = 1e6;

/// How far a constraint may be missed, in sizes of the pair. Bound: rounding of a sum of four products, of numbers up to [`BOUND`].
const SLACK: f64 = 1e-9;

/// Where B's vertices are, and the order of the constraints: kept from call to call.
#[derive(Debug, Clone)]
pub struct Separation {
    rng: Rng,
    constraints: Vec<(DVec3, f64)>,
    on_plane: Vec<([f64; 2], f64)>,
}

impl Default for Separation {
    fn default() -> Self {
        Self { rng: Rng::with_seed(1991), constraints: Vec::new(), on_plane: Vec::new() }
    }
}

impl Separation {
    /// Is there a plane that has A on one side and B on the other?
    pub fn separates(&mut self, a: &Polytope, b: &Polytope, b_in_a: &Frame) -> bool {
        let middle = a.center();
        let way = b_in_a.point(b.center()) - middle;
        let size = a.bounding_radius() + b.bounding_radius();
        let Some(c) = way.try_normalize() else { return false };
        let (e, f) = c.any_orthonormal_pair();
        let along = |point: DVec3| {
            let from = (point - middle) / size;
            (DVec3::new(from.dot(e), from.dot(f), -1.0), from.dot(c))
        };
        self.constraints.clear();
        for i in 0..a.vertex_count() as u32 {
            // α p·e + β p·f - d <= -p·c
            let (left, right) = along(a.vertex(i));
            self.constraints.push((left, -right));
        }
        for i in 0..b.vertex_count() as u32 {
            let (left, right) = along(b_in_a.point(b.vertex(i)));
            self.constraints.push((-left, right));
        }
        self.rng.shuffle(&mut self.constraints);
        self.optimum().is_some()
    }

    /// The place of the constraints that is lowest along z, if there is one.
    fn optimum(&mut self) -> Option<DVec3> {
        let mut best = DVec3::splat(-BOUND);
        for i in 0..self.constraints.len() {
            let (normal, right) = self.constraints[i];
            if normal.dot(best) <= right + SLACK {
                continue;
            }
            // On the plane of this one: the unknown with the largest factor is eliminated.
            let size = normal.abs();
            let k = if size.x >= size.y && size.x >= size.z {
                0
            } else if size.y >= size.z {
                1
            } else {
                2
            };
            let (u, v) = ((k + 1) % 3, (k + 2) % 3);
            let factor = [normal[u] / normal[k], normal[v] / normal[k]];
            let constant = right / normal[k];
            self.on_plane.clear();
            // x_k = constant - factor·(x_u, x_v) is within its bounds.
            self.on_plane.push((factor, constant + BOUND));
            self.on_plane.push(([-factor[0], -factor[1]], BOUND - constant));
            for &(other, bound) in &self.constraints[..i] {
                let left = [other[u] - other[k] * factor[0], other[v] - other[k] * factor[1]];
                self.on_plane.push((left, bound - other[k] * constant));
            }
            let goal = DVec3::Z;
            let goal = [goal[u] - goal[k] * factor[0], goal[v] - goal[k] * factor[1]];
            let lowest = lowest_2(&self.on_plane, goal)?;
            best[u] = lowest[0];
            best[v] = lowest[1];
            best[k] = constant - (factor[0] * lowest[0] + factor[1] * lowest[1]);
        }
        Some(best)
    }
}

/// The place within bounds and constraints that is lowest along `goal`.
fn lowest_2(constraints: &[([f64; 2], f64)], goal: [f64; 2]) -> Option<[f64; 2]> {
    let corner = |along: f64| if along > 0.0 { -BOUND } else { BOUND };
    let mut best = goal.map(corner);
    for (i, &(normal, right)) in constraints.iter().enumerate() {
        if normal[0] * best[0] + normal[1] * best[1] <= right + SLACK {
            continue;
        }
        let k = usize::from(normal[1].abs() > normal[0].abs());
        if normal[k].abs() <= SLACK * SLACK {
            // No direction: it cannot be fulfilled.
            return None;
        }
        let u = 1 - k;
        let (factor, constant) = (normal[u] / normal[k], right / normal[k]);
        let [mut low, mut high] = [-BOUND, BOUND];
        let mut cut = |left: f64, bound: f64| {
            if left > SLACK * SLACK {
                high = high.min(bound / left);
            } else if left < -SLACK * SLACK {
                low = low.max(bound / left);
            } else if bound < -SLACK {
                high = f64::NEG_INFINITY;
            }
        };
        cut(factor, constant + BOUND);
        cut(-factor, BOUND - constant);
        for &(other, bound) in &constraints[..i] {
            cut(other[u] - other[k] * factor, bound - other[k] * constant);
        }
        if low > high + SLACK {
            return None;
        }
        let x = if goal[u] - goal[k] * factor > 0.0 { low } else { high };
        best[u] = x;
        best[k] = constant - factor * x;
    }
    Some(best)
}
