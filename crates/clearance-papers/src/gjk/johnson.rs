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
//! early with a wider bracket and hands over to [`SignedVolumes`](clearance::internals::narrow::simplex::SignedVolumes), which is counted.

use clearance::internals::narrow::Outcome;
use clearance::internals::narrow::gjk::{self, WarmSimplex};
use clearance::internals::narrow::simplex::{Nearest, Simplex, Subalgorithm};
use clearance::math::DVec3;
use clearance::math::Frame;
use clearance::shape::Convex;

/// The signed distance by GJK with Johnson's subalgorithm; where that stalls, the library's careful search continues, which is counted in
/// `cost.fallbacks`.
pub fn distance<A, B>(a: &A, b: &B, b_in_a: &Frame, cache: &mut WarmSimplex) -> Outcome
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    gjk::distance_up_to::<Johnson, A, B>(a, b, b_in_a, f64::INFINITY, cache)
}

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
        let w = simplex.slot(slot).w;
        for other in slots(simplex.used()) {
            let dot = simplex.slot(other).w.dot(w);
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
        let weights = slots(subset).map(|slot| (slot, dets[slot] / sum));
        let v = weights.clone().fold(DVec3::ZERO, |v, (slot, weight)| v + weight * simplex.slot(slot).w);
        simplex.keep(weights);
        if subset.count_ones() == 4 { Nearest::Inside } else { Nearest::Outside { v, length_squared: v.dot(v) } }
    }
}

/// The slots of a bit set, ascending.
fn slots(members: u8) -> impl Iterator<Item = usize> + Clone {
    (0..4).filter(move |slot| members >> slot & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::Pose;
    use clearance::internals::hull::convex_hull;
    use clearance::internals::narrow::{Exit, Vertex};
    use clearance::internals::{Reducer, double_double};
    use clearance::math::DQuat;
    use clearance::shape::NO_VERTEX;
    use clearance::shape::polytope::Polytope;
    use clearance_lab::Rng;

    fn random(rng: &mut Rng) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0))
    }

    /// Between one and four points; the origin may be inside.
    fn fat(rng: &mut Rng) -> Vec<DVec3> {
        let offset = rng.f64() * random(rng);
        (0..rng.usize(1..=4)).map(|_| random(rng) + offset).collect()
    }

    /// Points that nearly coincide, or are nearly on one line or in one plane.
    fn sliver(rng: &mut Rng) -> Vec<DVec3> {
        let mut points = fat(rng);
        let thin = if rng.bool() { 0.0 } else { 10.0_f64.powf(-16.0 * rng.f64()) };
        let (first, axis, normal) = (points[0], random(rng), random(rng).normalize());
        let kind = rng.u32(0..3);
        for point in points.iter_mut().skip(1) {
            *point = match kind {
                0 => first + thin * random(rng),
                1 => first + (2.0 * rng.f64() - 1.0) * axis + thin * random(rng),
                _ => *point - (1.0 - thin) * (*point - first).dot(normal) * normal,
            };
        }
        rng.shuffle(&mut points);
        points
    }

    /// How often the nearest point is found to 1e-9, of 20,000 simplices; a point of the simplex is found in any case, or none.
    fn hits(draw: fn(&mut Rng) -> Vec<DVec3>) -> usize {
        let mut rng = Rng::with_seed(31);
        let found = (0..20_000).filter(|_| {
            let points = draw(&mut rng);
            let truth = double_double::nearest(&points).v.length();
            let mut reducer = Reducer::<Johnson>::default();
            points.iter().for_each(|&w| reducer.insert(Vertex { w, point_a: w, ids: [NO_VERTEX; 2] }));
            if reducer.nearest() == Nearest::Nothing {
                return false;
            }
            let sum: f64 = reducer.simplex.weighted().map(|(weight, _)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-14 && reducer.simplex.weighted().all(|(weight, _)| weight >= 0.0));
            let found = reducer.simplex.combination().1.length();
            assert!(found >= truth - 1e-14, "{found} is nearer than the nearest, {truth}, of {points:?}");
            found <= truth + 1e-9
        });
        found.count()
    }

    #[test]
    fn it_finds_the_nearest_point_of_fat_simplices_and_of_most_slivers() {
        assert_eq!(hits(fat), 20_000);
        let found = hits(sliver);
        assert!(found > 12_000 && found < 20_000, "{found}");
    }

    fn hull(rng: &mut Rng, size: f64) -> Polytope {
        convex_hull(&(0..8).map(|_| size * random(rng)).collect::<Vec<_>>()).expect("points")
    }

    /// Great and small bodies close together: the search stops in all ways of the paper, and the library's careful search closes the
    /// brackets that are open then.
    #[test]
    fn it_stalls_on_oblong_faces_and_the_careful_search_helps() {
        let mut rng = Rng::with_seed(41);
        let (mut stalls, mut helped) = ([0; 3], 0);
        for _ in 0..20_000 {
            let ratio = 10.0_f64.powf(6.0 * rng.f64());
            let (a, b) = (hull(&mut rng, 1.0), hull(&mut rng, 1.0 / ratio));
            let face = a.face(rng.u32(0..a.face_count() as u32));
            let turn = DQuat::from_scaled_axis(3.0 * random(&mut rng));
            let mut frame = Frame::from(Pose::from_rotation(turn));
            let lowest = frame.point(b.support(frame.direction_in_b(-face.normal)));
            let gap = 10.0_f64.powf(-9.0 * rng.f64());
            let [p, q] = [0, 1].map(|i| a.vertex(face.vertices[i]));
            frame.translation = p.lerp(q, rng.f64()) - lowest + face.normal * gap;
            let found = distance(&a, &b, &frame, &mut WarmSimplex::default());
            assert!(found.closed && found.lower > 0.0, "{found:?} ratio {ratio} gap {gap}");
            let exits = [Exit::RepeatedSupport, Exit::NoSubset, Exit::NoProgress];
            stalls.iter_mut().zip(exits).for_each(|(count, exit)| *count += u32::from(found.exit == exit));
            helped += found.cost.fallbacks;
        }
        assert!(stalls.iter().all(|&count| count > 0) && helped > 0, "{stalls:?} {helped}");
    }
}
