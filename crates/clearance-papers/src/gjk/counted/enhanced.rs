//! Enhanced GJK, "Cameron's algorithm and implementation" as \[VC\] says: the steps of his program (version 2.4, 1998, the earliest that can be had), every operation counted.
//!
//! * The search starts from the simplex of the last call, and supporting vertices are climbed to eagerly from the last ones.
//! * **Nothing is cached between iterations**: each has all scalar products and all determinants of its simplex computed anew, and tests all of its subsets. (Theorem 2 and
//!   the caches of \[GJK\] came later, and save a third of the operations on a cube.)
//! * The one tolerance is absolute and on squares, for bodies of size one: the search ends when `v·v - v·w` is below it, and the bodies touch when `v·v` is, or when the
//!   simplex has four points.
//! * Where an iteration brings `v` no closer, the backup procedure solves the simplex again; if that does not help either, the search ends with the distance at hand.
//!
//! Both bodies have a transformation, since "there is no computational advantage or disadvantage to holding one object fixed" (footnote 8 of \[VC\]): vertices of both are brought
//! into the world, and directions into both. The program skips a transformation that is marked as the identity. The footnote excludes that: the one of A is counted as any other, and apart.

use super::{JohnsonCounts, Operations, Simplex};
use clearance::math::DVec3;
use clearance::math::Frame;
use clearance::shape::Polytope;

/// The second tolerance of the program: a part of a simplex is not solved by a smaller sum of determinants.
const TINY: f64 = 1e-20;

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

/// The result of the algorithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    /// The bodies are so far apart.
    Gap(f64),
    /// They touch or overlap.
    Zero,
    /// The march or the search did not end.
    Endless,
}

/// The operations of one or many calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchWork {
    /// All that the search does.
    pub search: Operations,
    /// Of these, transformations of A, which a program could spare that holds A fixed.
    pub of_a: Operations,
    /// Operations that the closest points would take besides. The totals leave them out.
    pub for_points: Operations,
}

impl std::ops::AddAssign for SearchWork {
    fn add_assign(&mut self, other: Self) {
        self.search += other.search;
        self.of_a += other.of_a;
        self.for_points += other.for_points;
    }
}

/// The distance of two polytopes. Operations are added up.
pub fn distance(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    tolerance: f64,
    last: &mut LastSimplex,
    work: &mut SearchWork,
) -> Answer {
    let mut counts = JohnsonCounts::default();
    let [mut operations, mut of_a] = [Operations::default(); 2];
    let mut search = Climb { a, b, b_in_a, at: [0; 2], operations: &mut operations, of_a: &mut of_a };
    let answer = search.run(tolerance, last, &mut counts, &mut work.for_points);
    operations += counts.operations;
    operations += of_a;
    *work += SearchWork { search: operations, of_a, for_points: Operations::default() };
    answer
}

struct Climb<'a> {
    a: &'a Polytope,
    b: &'a Polytope,
    b_in_a: &'a Frame,
    /// The vertices that were farthest last.
    at: [u32; 2],
    operations: &'a mut Operations,
    /// Transformations of A.
    of_a: &'a mut Operations,
}

impl Climb<'_> {
    fn run(
        &mut self,
        tolerance: f64,
        last: &mut LastSimplex,
        counts: &mut JohnsonCounts,
        for_points: &mut Operations,
    ) -> Answer {
        let known = last.ids[..last.count]
            .iter()
            .filter(|ids| (ids[0] as usize) < self.a.vertex_count() && (ids[1] as usize) < self.b.vertex_count());
        let start: Vec<[u32; 2]> = if last.count == 0 { vec![[0; 2]] } else { known.copied().collect() };
        let mut points: Vec<([u32; 2], DVec3)> = start.iter().map(|&ids| (ids, self.point(ids))).collect();
        self.at = *start.last().unwrap_or(&[0; 2]);
        let (mut before, mut is_backup) = (f64::INFINITY, false);
        let answer = loop {
            let v = self.nearest(&mut points, is_backup, counts);
            let square = self.operations.dot(v, v);
            if points.len() == 4 || self.operations.is_less(square, tolerance) {
                break Answer::Zero;
            }
            self.climb(v);
            // v·w from the heights of the two vertices in their own frames, and those of the two origins.
            let w = self.a.vertex(self.at[0]) - self.b_in_a.point(self.b.vertex(self.at[1]));
            let excess = square - v.dot(w);
            self.operations.dot(v, self.b_in_a.translation);
            self.operations.additions += 3;
            self.of_a.dot(v, DVec3::ZERO);
            self.of_a.additions += 1;
            self.operations.comparisons += 1;
            if self.operations.is_less(excess, tolerance) {
                break self.gap(square);
            }
            if self.operations.is_less(square, before) {
                before = square;
                is_backup = false;
                let w = self.point(self.at);
                points.push((self.at, w));
            } else if !is_backup {
                is_backup = true;
            } else {
                break self.gap(square);
            }
        };
        *last = LastSimplex::default();
        for (ids, _) in &points {
            last.ids[last.count] = *ids;
            last.count += 1;
        }
        // A combination of vertices for each body, as the program has it.
        (0..2).for_each(|_| for_points.combined(points.len() as u64));
        answer
    }

    fn gap(&mut self, square: f64) -> Answer {
        self.operations.roots += 1;
        Answer::Gap(square.sqrt())
    }

    /// The point of the simplex nearest to the origin, and the part of the simplex that it needs.
    fn nearest(&mut self, points: &mut Vec<([u32; 2], DVec3)>, is_backup: bool, counts: &mut JohnsonCounts) -> DVec3 {
        let count = points.len() as u64;
        if let [(_, point)] = points[..] {
            self.operations.additions += 3;
            return point;
        }
        // The differences of the vertices, for the products.
        self.operations.additions += 3 * count;
        let mut simplex = Simplex::trusting(TINY);
        points.iter().for_each(|&(ids, point)| simplex.insert(point, ids, counts));
        let all = simplex.clone();
        let v = if is_backup { None } else { simplex.reduce(false, counts) };
        let v = v.unwrap_or_else(|| {
            simplex = all;
            simplex.reduce_to_best(self.operations).unwrap_or(points[0].1)
        });
        *points = simplex.ids().zip(simplex.points()).collect();
        // And again for v.
        self.operations.additions += 3 * points.len() as u64;
        v
    }

    /// A vertex of A - B. The difference is counted where it is taken.
    fn point(&mut self, [p, q]: [u32; 2]) -> DVec3 {
        self.operations.turned(true);
        self.of_a.turned(true);
        self.a.vertex(p) - self.b_in_a.point(self.b.vertex(q))
    }

    /// The vertex of A - B farthest along -v, from the last one.
    fn climb(&mut self, v: DVec3) {
        self.operations.turned(false);
        self.of_a.turned(false);
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
                    let mut work = SearchWork::default();
                    let mut cold = LastSimplex::default();
                    let last = if is_cold { &mut cold } else { &mut last };
                    let found = distance(&body, &body, &frame, 1e-7, last, &mut work);
                    let Answer::Gap(gap) = found else { panic!("{round} {found:?}") };
                    assert!((gap - truth.distance).abs() < 1e-6, "{gap} {truth:?}");
                    assert!(3 * work.of_a.total() < work.search.total(), "{work:?}");
                    *spent += work.search.total();
                }
            }
            assert!(3 * spent[0] < 2 * spent[1], "{spent:?}");
        }
    }

    #[test]
    fn overlapping_bodies_are_at_no_distance() {
        let body = convex_hull(&models::cube()).unwrap();
        let frame = Frame::from(clearance::Pose::from_translation([0.3, 0.4, 1.5]));
        let mut last = LastSimplex::default();
        assert_eq!(distance(&body, &body, &frame, 1e-7, &mut last, &mut SearchWork::default()), Answer::Zero);
        assert_eq!(last.sorted().len(), last.count);
    }
}
