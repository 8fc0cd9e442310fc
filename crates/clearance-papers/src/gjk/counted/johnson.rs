//! Johnson's subalgorithm, with switches for its parts: theorem 2, the caches, the backup procedure.
//!
//! It is that of [`johnson`](crate::gjk::johnson) (see there for the paper's names), which has no switches and counts nothing. A test compares
//! their results.

use super::Operations;
use clearance::math::DVec3;

/// Counts of the subalgorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JohnsonCounts {
    /// Calls.
    pub calls: u64,
    /// Subsets that were tested.
    pub subsets: u64,
    /// The limit of theorem 2: 2ⁿ for n points and a new one.
    pub subsets_allowed: u64,
    /// The limit without it: 2ⁿ⁺¹ - 1.
    pub subsets_of_all: u64,
    /// Scalar products that were computed.
    pub dots: u64,
    /// The number of scalar products between all current points.
    pub dots_of_all: u64,
    /// Determinants that were computed.
    pub determinants: u64,
    /// The number of determinants of all current subsets.
    pub determinants_of_all: u64,
    /// The operations of all of that.
    pub operations: Operations,
}

impl std::ops::AddAssign for JohnsonCounts {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.subsets += other.subsets;
        self.subsets_allowed += other.subsets_allowed;
        self.subsets_of_all += other.subsets_of_all;
        self.dots += other.dots;
        self.dots_of_all += other.dots_of_all;
        self.determinants += other.determinants;
        self.determinants_of_all += other.determinants_of_all;
        self.operations += other.operations;
    }
}

/// Up to four points, the part of them that holds the point nearest to the origin, and its weights.
#[derive(Debug, Clone)]
pub struct Simplex {
    points: [DVec3; 4],
    ids: [[u32; 2]; 4],
    members: u8,
    newest: usize,
    dots: [[f64; 4]; 4],
    determinants: [[f64; 4]; 16],
    weights: [f64; 4],
    /// A subset whose determinants have a smaller sum is not trusted.
    least_sum: f64,
}

impl Default for Simplex {
    fn default() -> Self {
        Self {
            points: [DVec3::ZERO; 4],
            ids: [[0; 2]; 4],
            members: 0,
            newest: 0,
            dots: [[0.0; 4]; 4],
            determinants: [[0.0; 4]; 16],
            weights: [0.0; 4],
            least_sum: 0.0,
        }
    }
}

impl Simplex {
    /// An empty simplex that trusts subsets whose determinants have at least this sum.
    #[must_use]
    pub fn trusting(least_sum: f64) -> Self {
        Self { least_sum, ..Self::default() }
    }

    /// The number of points.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.members.count_ones()
    }

    /// The vertex numbers of the members.
    pub fn ids(&self) -> impl Iterator<Item = [u32; 2]> {
        slots(self.members).map(|slot| self.ids[slot])
    }

    /// The points.
    pub fn points(&self) -> impl Iterator<Item = DVec3> {
        slots(self.members).map(|slot| self.points[slot])
    }

    /// The weights of the nearest point, with the vertex numbers.
    pub fn weighted(&self) -> impl Iterator<Item = (f64, [u32; 2])> {
        slots(self.members).map(|slot| (self.weights[slot], self.ids[slot]))
    }

    /// One more point, beside three at most: its scalar products, and the determinants of the subsets that hold it.
    pub fn insert(&mut self, point: DVec3, ids: [u32; 2], counts: &mut JohnsonCounts) {
        let slot = self.members.trailing_ones() as usize & 3;
        let before = u64::from(self.count());
        self.members |= 1 << slot;
        (self.points[slot], self.ids[slot], self.newest) = (point, ids, slot);
        for other in slots(self.members) {
            let dot = counts.operations.dot(self.points[other], point);
            (self.dots[slot][other], self.dots[other][slot]) = (dot, dot);
        }
        counts.dots += before + 1;
        counts.dots_of_all += (before + 1) * (before + 2) / 2;
        counts.determinants_of_all += determinants_of(before + 1);
        self.determinants[1 << slot][slot] = 1.0;
        for subset in 1..=usize::from(self.members) {
            if subset & !usize::from(self.members) == 0 && subset >> slot & 1 == 1 && subset.count_ones() > 1 {
                self.compute(subset, counts);
            }
        }
    }

    /// Δⱼ(X ∪ {yⱼ}) = Σ over i in X of Δᵢ(X) (yᵢ·y_k - yᵢ·yⱼ), with k the smallest member of X.
    fn compute(&mut self, subset: usize, counts: &mut JohnsonCounts) {
        for j in slots(subset as u8) {
            let rest = subset & !(1 << j);
            let k = rest.trailing_zeros() as usize & 3;
            let mut determinant = 0.0;
            for i in slots(rest as u8) {
                determinant += self.determinants[rest][i] * (self.dots[i][k] - self.dots[i][j]);
            }
            self.determinants[subset][j] = determinant;
            // Δ of a single point is 1, so the product is left out.
            let terms = u64::from(rest.count_ones());
            counts.operations.multiplications += if terms > 1 { terms } else { 0 };
            counts.operations.additions += 2 * terms - 1;
            counts.determinants += 1;
        }
    }

    /// Reduces the points to the smallest subset that holds the point nearest to the origin, and returns that point; `None` if rounding leaves no
    /// such subset. `newest_only` is theorem 2: that subset holds the newest point.
    pub fn reduce(&mut self, newest_only: bool, counts: &mut JohnsonCounts) -> Option<DVec3> {
        let count = u64::from(self.count());
        counts.calls += 1;
        counts.subsets_allowed += 1 << (count - 1);
        counts.subsets_of_all += (1 << count) - 1;
        for subset in 1..=self.members {
            if subset & !self.members != 0 || newest_only && subset >> self.newest & 1 == 0 {
                continue;
            }
            counts.subsets += 1;
            if self.is_valid(subset, &mut counts.operations) && self.sum(subset) >= self.least_sum {
                return Some(self.keep(subset, &mut counts.operations));
            }
        }
        None
    }

    /// (i) Δᵢ(X) > 0 for every member, and (ii) Δⱼ(X ∪ {yⱼ}) <= 0 for every other point.
    fn is_valid(&self, subset: u8, operations: &mut Operations) -> bool {
        slots(self.members).all(|slot| {
            let bit = 1_u8 << slot;
            // Δ of a single point is 1.
            operations.comparisons += u64::from(subset != bit);
            if subset & bit != 0 {
                self.determinants[usize::from(subset)][slot] > 0.0
            } else {
                self.determinants[usize::from(subset | bit)][slot] <= 0.0
            }
        })
    }

    /// Δ(X).
    fn sum(&self, subset: u8) -> f64 {
        slots(subset).map(|slot| self.determinants[usize::from(subset)][slot]).sum()
    }

    /// λᵢ = Δᵢ(X) / Δ(X).
    fn keep(&mut self, subset: u8, operations: &mut Operations) -> DVec3 {
        let count = u64::from(subset.count_ones());
        self.members = subset;
        let determinants = &self.determinants[usize::from(subset)];
        if count == 1 {
            let slot = subset.trailing_zeros() as usize & 3;
            self.weights[slot] = 1.0;
            return self.points[slot];
        }
        let sum = self.sum(subset);
        let mut v = DVec3::ZERO;
        for slot in slots(subset) {
            self.weights[slot] = determinants[slot] / sum;
            v += self.weights[slot] * self.points[slot];
        }
        operations.additions += count - 1;
        operations.divisions += count;
        operations.combined(count);
        v
    }

    /// The backup procedure of the original: of all subsets with positive determinants the one that comes nearest to the origin.
    pub fn reduce_to_best(&mut self, operations: &mut Operations) -> Option<DVec3> {
        let mut best: Option<(f64, Self, DVec3)> = None;
        for subset in 1..=self.members {
            if subset & !self.members != 0 {
                continue;
            }
            operations.comparisons += u64::from(subset.count_ones());
            if slots(subset).all(|slot| self.determinants[usize::from(subset)][slot] > 0.0) {
                let mut kept = self.clone();
                let v = kept.keep(subset, operations);
                let square = operations.dot(v, v);
                operations.comparisons += 1;
                if best.as_ref().is_none_or(|(least, ..)| square < *least) {
                    best = Some((square, kept, v));
                }
            }
        }
        let (_, kept, v) = best?;
        *self = kept;
        Some(v)
    }
}

/// The determinants of all subsets of `count` points, but for those of single points.
fn determinants_of(count: u64) -> u64 {
    count * (1 << (count - 1)) - count
}

fn slots(members: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |slot| members >> slot & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_lab::{Rng, random};

    /// The nearest point of the hull of some points to the origin, by trying weights: slow, and independent of the algorithm.
    fn nearest(points: &[DVec3]) -> f64 {
        let mut v = points[0];
        // Frank and Wolfe's steps, each to the best point of a segment; they end close to the nearest point.
        for _ in 0..20_000 {
            let w = *points.iter().min_by(|p, q| p.dot(v).total_cmp(&q.dot(v))).unwrap();
            let along = w - v;
            let square = along.length_squared();
            if square < 1e-30 {
                break;
            }
            v += (-v.dot(along) / square).clamp(0.0, 1.0) * along;
        }
        v.length()
    }

    #[test]
    fn the_nearest_point_is_found_with_and_without_theorem_2_and_by_the_backup() {
        let mut rng = Rng::with_seed(8);
        for _ in 0..40 {
            let points: Vec<DVec3> = (0..4).map(|_| random::vector(&mut rng, 0.2, 1.0)).collect();
            let mut counts = JohnsonCounts::default();
            let mut simplex = Simplex::default();
            points.iter().for_each(|&p| simplex.insert(p, [0; 2], &mut counts));
            assert_eq!((counts.dots, counts.determinants), (10, determinants_of(4)));
            let mut backup = simplex.clone();
            let v = simplex.reduce(false, &mut counts).unwrap();
            assert!((v.length() - nearest(&points)).abs() < 1e-3, "{v} {points:?}");
            let best = backup.reduce_to_best(&mut counts.operations).unwrap();
            assert!((best - v).length() < 1e-9);
            let sum: f64 = simplex.weighted().map(|(weight, _)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn there_are_so_many_determinants() {
        // Pairs have two each, triples three, and four points four.
        assert_eq!([1, 2, 3, 4].map(determinants_of), [0, 2, 9, 28]);
    }
}
