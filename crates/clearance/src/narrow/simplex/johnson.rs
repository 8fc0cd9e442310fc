//! Johnson's subalgorithm as paper \[GJK\] has it (sections 2 and 4): Cramer's rule over the subsets of the simplex.
//!
//! | paper | here | meaning |
//! |---|---|---|
//! | y | `simplex.slots` | support points; a slot stays with its point while it is a member |
//! | b | `members` | the slots in use, as a bit set |
//! | d\[i, j\] | `dots` | cached dot products of the points |
//! | D\[x, i\] = Δᵢ(X) | `dets` | cached determinants of subset `x` |
//!
//! Only dot products and determinants with the newest point are computed, and only subsets that hold it are tested
//! (theorem 2). When rounding leaves no subset that satisfies the conditions, there is no backup procedure: the caller
//! returns the previous vector.
//!
//! **Known fault, kept.** On slivers the determinants lose their signs (section 5 of the paper); the engine then stops
//! early with a wider bracket and hands over to [`SignedVolumes`](super::SignedVolumes), which is counted.

use super::{Members, Nearest, Simplex, Subalgorithm};
use glam::DVec3;

/// Cached dot products and determinants of the points in the slots of a simplex.
#[derive(Debug, Clone)]
pub struct Johnson {
    newest: u8,
    dots: [[f64; 4]; 4],
    dets: [[f64; 4]; 16],
}

impl Default for Johnson {
    fn default() -> Self {
        Self { newest: 0, dots: [[0.0; 4]; 4], dets: [[0.0; 4]; 16] }
    }
}

impl Subalgorithm for Johnson {
    const IS_PREFILTERED: bool = false;

    fn inserted(&mut self, simplex: &Simplex, slot: usize) {
        self.newest = slot as u8;
        let w = simplex.slots[slot & 3].w;
        for other in slots(simplex.used()) {
            let dot = simplex.slots[other].w.dot(w);
            self.dots[slot & 3][other] = dot;
            self.dots[other][slot & 3] = dot;
        }
        self.compute_determinants(simplex.used(), slot & 3);
    }

    fn reduce(&mut self, simplex: &mut Simplex, newest_needed: bool) -> Nearest {
        let members = simplex.used();
        for subset in 1..=members {
            let holds_newest = subset >> self.newest & 1 == 1 || !newest_needed;
            if subset & !members == 0 && holds_newest && self.is_valid(members, subset) {
                return self.keep(simplex, subset);
            }
        }
        Nearest::Nothing
    }
}

impl Johnson {
    /// Δⱼ(X ∪ {yⱼ}) = Σ over i in X of Δᵢ(X) (yᵢ·y_k - yᵢ·yⱼ), with k the smallest member of X, for every subset that
    /// holds the newest point.
    fn compute_determinants(&mut self, members: u8, newest: usize) {
        self.dets[1 << newest][newest] = 1.0;
        // Subsets in ascending order: every subset comes after those it is made from.
        for subset in 1..=usize::from(members) {
            let grown = subset & !usize::from(members) == 0 && subset >> newest & 1 == 1;
            if !grown || subset.count_ones() < 2 {
                continue;
            }
            for j in slots(subset as u8) {
                let rest = subset & !(1 << j);
                let k = rest.trailing_zeros() as usize & 3;
                let mut determinant = 0.0;
                for i in slots(rest as u8) {
                    determinant += self.dets[rest][i] * (self.dots[i][k] - self.dots[i][j]);
                }
                self.dets[subset][j] = determinant;
            }
        }
    }

    /// (i) Δᵢ(X) > 0 for every member, and (ii) Δⱼ(X ∪ {yⱼ}) <= 0 for every other point.
    fn is_valid(&self, members: u8, subset: u8) -> bool {
        slots(members).all(|slot| {
            let bit = 1_u8 << slot;
            if subset & bit != 0 {
                self.dets[usize::from(subset)][slot] > 0.0
            } else {
                self.dets[usize::from(subset | bit)][slot] <= 0.0
            }
        })
    }

    /// λᵢ = Δᵢ(X) / Δ(X), and v as the combination with these weights.
    fn keep(&self, simplex: &mut Simplex, subset: u8) -> Nearest {
        let dets = &self.dets[usize::from(subset)];
        let sum: f64 = slots(subset).map(|slot| dets[slot]).sum();
        let mut members = Members { weights: [0.0; 4], order: [0; 4], count: 0 };
        let mut v = DVec3::ZERO;
        for slot in slots(subset) {
            let weight = dets[slot] / sum;
            members.order[usize::from(members.count)] = slot as u8;
            members.weights[usize::from(members.count)] = weight;
            members.count += 1;
            v += weight * simplex.slots[slot].w;
        }
        simplex.members = members;
        if members.count == 4 { Nearest::Inside } else { Nearest::Outside { v, length_squared: v.dot(v) } }
    }
}

/// The slots of a bit set, ascending.
fn slots(members: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |slot| members >> slot & 1 == 1)
}
