//! Enhanced GJK (Cameron 1997), as \[VC\] compares with it: Johnson's subalgorithm from the simplex of the last call, supporting vertices by
//! eager hill climbing from the last ones, one tolerance, and every operation counted.
//!
//! The tolerance is that of Cameron's program, absolute and on squares, for bodies of size one: the search ends when `v·v - v·w` is below
//! it, and the bodies touch when `v·v` is. When no subset of the simplex is valid the backup procedure takes the best. There is no other stop;
//! a search of [`MOST_ROUNDS`] is one that does not end.

use super::{JohnsonCounts, Operations, Simplex};
use clearance::math::DVec3;
use clearance::math::Frame;
use clearance::shape::Polytope;

/// A longer search goes in a circle.
pub const MOST_ROUNDS: u32 = 200;

/// The simplex of the last call: pairs of vertices, up to four. The default is cold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LastSimplex {
    ids: [[u32; 2]; 4],
    count: usize,
}

impl LastSimplex {
    /// The pairs of vertices, in order: the coherence device that algorithm 10 compares.
    #[must_use]
    pub fn sorted(&self) -> Vec<[u32; 2]> {
        let mut ids = self.ids[..self.count].to_vec();
        ids.sort_unstable();
        ids
    }
}

/// What the algorithm says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    /// The bodies are so far apart.
    Gap(f64),
    /// They touch or overlap.
    Zero,
    /// The search did not end.
    Endless,
}

/// The distance of two polytopes. Operations are added up; those for the closest points, which nobody has asked for, in `for_points`.
pub fn distance(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    tolerance: f64,
    last: &mut LastSimplex,
    operations: &mut Operations,
    for_points: &mut Operations,
) -> Answer {
    let mut counts = JohnsonCounts::default();
    let mut search = Climb { a, b, b_in_a, at: [0; 2], operations };
    let answer = search.run(tolerance, last, &mut counts, for_points);
    *operations += counts.operations;
    answer
}

struct Climb<'a> {
    a: &'a Polytope,
    b: &'a Polytope,
    b_in_a: &'a Frame,
    /// The vertices that were farthest last.
    at: [u32; 2],
    operations: &'a mut Operations,
}

impl Climb<'_> {
    fn run(
        &mut self,
        tolerance: f64,
        last: &mut LastSimplex,
        counts: &mut JohnsonCounts,
        for_points: &mut Operations,
    ) -> Answer {
        let mut simplex = Simplex::default();
        let known = last.ids[..last.count]
            .iter()
            .filter(|ids| (ids[0] as usize) < self.a.vertex_count() && (ids[1] as usize) < self.b.vertex_count());
        let start: Vec<[u32; 2]> = if last.count == 0 { vec![[0; 2]] } else { known.copied().collect() };
        for &ids in &start {
            let w = self.point(ids);
            simplex.insert(w, ids, counts);
        }
        self.at = *start.last().unwrap_or(&[0; 2]);
        let mut v = self.nearest(&mut simplex, false, counts);
        let mut answer = Answer::Endless;
        for _ in 0..MOST_ROUNDS {
            let square = self.operations.dot(v, v);
            if simplex.count() == 4 || self.operations.is_less(square, tolerance) {
                answer = Answer::Zero;
                break;
            }
            self.climb(v);
            let w = self.point(self.at);
            let height = self.operations.dot(v, w);
            self.operations.additions += 1;
            if self.operations.is_less(square - height, tolerance) {
                self.operations.roots += 1;
                answer = Answer::Gap(square.sqrt());
                break;
            }
            simplex.insert(w, self.at, counts);
            v = self.nearest(&mut simplex, true, counts);
        }
        *last = LastSimplex::default();
        for ids in simplex.ids() {
            last.ids[last.count] = ids;
            last.count += 1;
        }
        // The point of A is a combination, that of B is v away.
        for_points.combined(u64::from(simplex.count()));
        for_points.additions += 3;
        answer
    }

    fn nearest(&mut self, simplex: &mut Simplex, newest_only: bool, counts: &mut JohnsonCounts) -> DVec3 {
        let mut all = simplex.clone();
        if let Some(v) = simplex.reduce(newest_only, counts) {
            return v;
        }
        let best = all.reduce_to_best(self.operations).unwrap_or_default();
        *simplex = all;
        best
    }

    /// A vertex of A - B.
    fn point(&mut self, [p, q]: [u32; 2]) -> DVec3 {
        self.operations.turned(true);
        self.operations.additions += 3;
        self.a.vertex(p) - self.b_in_a.point(self.b.vertex(q))
    }

    /// The vertex of A - B farthest along -v, from the last one.
    fn climb(&mut self, v: DVec3) {
        self.operations.turned(false);
        let in_b = self.b_in_a.direction_in_b(v);
        let [p, q] = self.at;
        self.at = [climb_eagerly(self.a, -v, p, self.operations), climb_eagerly(self.b, in_b, q, self.operations)];
    }
}

/// From vertex to vertex, to the first neighbour that is farther, but not back to where it came from.
fn climb_eagerly(polytope: &Polytope, direction: DVec3, start: u32, operations: &mut Operations) -> u32 {
    let (mut at, mut before) = (start, start);
    let mut height = operations.dot(polytope.vertex(at), direction);
    'up: loop {
        for &neighbor in polytope.neighbors(at) {
            if neighbor == before {
                continue;
            }
            let other = operations.dot(polytope.vertex(neighbor), direction);
            if operations.is_less(height, other) {
                (before, at, height) = (at, neighbor, other);
                continue 'up;
            }
        }
        return at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::internals::hull::convex_hull;
    use clearance::internals::narrow::gjk;
    use clearance_lab::motion::Track;
    use clearance_lab::{Rng, models};

    #[test]
    fn it_follows_a_motion_to_its_tolerance_and_warm_calls_are_cheap() {
        for points in [models::cube(), models::geodesic_sphere(2)] {
            let body = convex_hull(&points).unwrap();
            let mut spent = [0; 2];
            let mut last = LastSimplex::default();
            for (round, pose) in Track::new(&mut Rng::with_seed(3), 3.0_f64.sqrt(), 2.0).take(300).enumerate() {
                let frame = Frame::from(pose);
                let truth = gjk::distance(&body, &body, &frame, &mut gjk::WarmSimplex::default());
                for (is_cold, spent) in [false, true].into_iter().zip(&mut spent) {
                    let mut operations = Operations::default();
                    let mut cold = LastSimplex::default();
                    let last = if is_cold { &mut cold } else { &mut last };
                    let found = distance(&body, &body, &frame, 1e-7, last, &mut operations, &mut Operations::default());
                    let Answer::Gap(gap) = found else { panic!("{round} {found:?}") };
                    assert!((gap - truth.distance).abs() < 1e-6, "{gap} {truth:?}");
                    *spent += operations.total();
                }
            }
            assert!(3 * spent[0] < 2 * spent[1], "{spent:?}");
        }
    }

    #[test]
    fn overlapping_bodies_are_at_no_distance() {
        let body = convex_hull(&models::cube()).unwrap();
        let frame = Frame::from(clearance::Pose::from_translation([0.3, 0.4, 1.5]));
        let mut unused = [Operations::default(); 2];
        let [o, p] = &mut unused;
        let mut last = LastSimplex::default();
        assert_eq!(distance(&body, &body, &frame, 1e-7, &mut last, o, p), Answer::Zero);
        assert_eq!(last.sorted().len(), last.count);
    }
}
