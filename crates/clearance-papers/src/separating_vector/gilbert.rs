//! Improved Gilbert: the closest points of two polytopes by the method of Q-COLLIDE's combined algorithm.
//!
//! Paper \[QC\], sections 5.1 to 5.4: GJK with Johnson's subalgorithm, with supporting vertices by local search from the last ones, and with one
//! stop, a pair of vertices that comes up again. Except for the local search it is [`gjk`] with [`Johnson`]; it is here for comparison, as the
//! paper has it.
//!
//! **Invariants.** v is a combination of vertices of A - B, so its length is an upper bound. Local search proves nothing (it may
//! end on a plateau of rounding), so the lower bound is one support height at the end, from the polytopes' own support mappings.
//!
//! **Deviations.** The vertices that came up are in a list of [`MAX_ROUNDS`], not in a table of stamps. There is no Johnson's backup procedure. A
//! search whose bracket stays open, or that finds the origin inside, goes on as GJK from the same simplex; that is counted as a fallback if the
//! shapes are apart.
//!
//! Prefer another engine for all other purposes. GJK with signed volumes and V-Clip are faster and need no fallback.

use super::support::{Climb, Hierarchy, climb_counted};
use crate::gjk::johnson::Johnson;
use clearance::internals::narrow::separating_vector::Start;
use clearance::internals::narrow::simplex::Nearest;
use clearance::internals::narrow::{Cost, Difference, Exit, Outcome, gjk};
use clearance::internals::{Apart, Reducer};
use clearance::math::DVec3;
use clearance::math::Frame;
use clearance::shape::{Convex, Polytope};

/// No search runs longer.
pub const MAX_ROUNDS: usize = 64;

/// The counts of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GilbertCounts {
    /// Rounds of the loop.
    pub rounds: u32,
    /// Steps of local searches, both shapes together.
    pub climbs: u32,
    /// Vertices whose height was computed, both shapes together.
    pub looked_at: u64,
}

/// How supporting vertices are found: by local search, or by the hierarchy of Dobkin and Kirkpatrick (5.3).
#[derive(Debug, Clone, Copy)]
pub enum VertexSearch<'a> {
    /// By steps to the highest neighbour, from the last vertex.
    Climbing,
    /// Down the levels of the hierarchies of A and B.
    Hierarchies([&'a Hierarchy; 2]),
}

impl VertexSearch<'_> {
    fn farthest(&self, side: usize, hull: &Polytope, direction: DVec3, start: u32, counts: &mut GilbertCounts) -> u32 {
        match self {
            Self::Climbing => {
                let Climb { vertex, steps, looked_at } = climb_counted(hull, direction, start);
                counts.climbs += steps;
                counts.looked_at += u64::from(looked_at);
                vertex
            }
            Self::Hierarchies(hierarchies) => {
                let found = hierarchies[side].search(direction);
                counts.looked_at += u64::from(found.looked_at);
                found.vertex
            }
        }
    }
}

/// Signed distance, witnesses and bracket; the simplex that was found last is left in `start`.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::{DVec3, Frame};
/// use clearance::internals::narrow::separating_vector::Start;
/// use clearance_papers::separating_vector::gilbert;
/// use clearance::internals::hull::convex_hull;
///
/// let rock = convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let mut start = Start::default();
/// for step in 0..10 {
///     let b_in_a = Frame::relative(&Pose::IDENTITY, &Pose::from_translation([2.0 + 0.1 * f64::from(step), 0.0, 0.0]));
///     let out = gilbert::distance(&rock, &rock, &b_in_a, &mut start);
///     assert!((out.distance - (1.0 + 0.1 * f64::from(step))).abs() < 1e-13);
/// }
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn distance(a: &Polytope, b: &Polytope, b_in_a: &Frame, start: &mut Start) -> Outcome {
    distance_counted(a, b, b_in_a, start, &mut GilbertCounts::default())
}

/// [`distance`], with a count of the work.
pub fn distance_counted(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    start: &mut Start,
    counts: &mut GilbertCounts,
) -> Outcome {
    distance_by(VertexSearch::Climbing, a, b, b_in_a, start, counts)
}

/// [`distance_counted`], with supporting vertices by any search.
pub fn distance_by(
    vertices: VertexSearch<'_>,
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    start: &mut Start,
    counts: &mut GilbertCounts,
) -> Outcome {
    march(vertices, a, b, b_in_a, start, counts).unwrap_or_else(|cost| finished(a, b, b_in_a, start, cost))
}

/// The closest points, or `None` if the polytopes share a point: the algorithm of the thesis, which knows no depth.
pub fn closest_if_apart(a: &Polytope, b: &Polytope, b_in_a: &Frame, start: &mut Start) -> Option<Outcome> {
    let found = march(VertexSearch::Climbing, a, b, b_in_a, start, &mut GilbertCounts::default());
    found.map_or_else(|_| gjk::closest_if_apart(a, b, b_in_a), Some)
}

/// The loop: the answer if it is proved, else the work that was done.
fn march(
    vertices: VertexSearch<'_>,
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    start: &mut Start,
    counts: &mut GilbertCounts,
) -> Result<Outcome, Cost> {
    let difference = Difference::new(a, b, b_in_a);
    let mut reducer = Reducer::<Johnson>::default();
    for &ids in start.vertices() {
        if let Some(vertex) = difference.vertex(ids)
            && !reducer.simplex.contains(vertex.w)
        {
            reducer.insert(vertex);
        }
    }
    let mut nearest = reducer.nearest();
    if nearest == Nearest::Nothing {
        // Nothing to start from, or Johnson's conditions leave no part of it.
        reducer = Reducer::default();
        let center = difference.center();
        let vertex = difference.support(if center.dot(center) > 0.0 { center } else { DVec3::X });
        reducer.insert(vertex);
        nearest = Nearest::Outside { v: vertex.w, length_squared: vertex.w.dot(vertex.w) };
    }
    let mut seen = [[0; 2]; MAX_ROUNDS];
    let mut last = reducer.simplex.ids().0[0];
    let mut rounds = 0;
    while let Nearest::Outside { v, length_squared } = nearest
        && rounds < MAX_ROUNDS
    {
        // Step 3: the contact function.
        let p = vertices.farthest(0, a, -v, last[0], counts);
        let q = vertices.farthest(1, b, b_in_a.direction_in_b(v), last[1], counts);
        last = [p, q];
        // Step 4: a pair that came up before ends the search, and so does one that the simplex was given.
        let Some(vertex) = difference.vertex(last) else { break };
        if seen[..rounds].contains(&last) || reducer.simplex.contains(vertex.w) {
            rounds += 1;
            break;
        }
        seen[rounds] = last;
        rounds += 1;
        // Step 5 and 2: the nearest point of what is left and the new one.
        match reducer.extend(vertex, length_squared) {
            closer @ Nearest::Outside { length_squared: shortened, .. } if shortened < length_squared => {
                nearest = closer
            }
            Nearest::Inside => nearest = Nearest::Inside,
            _ => break,
        }
    }
    counts.rounds += rounds as u32;
    let (ids, count) = reducer.simplex.ids();
    *start = Start::from_vertices(&ids[..usize::from(count)]);
    let cost = Cost { iterations: rounds as u32, support_calls: 2 * rounds as u32, fallbacks: 0 };
    if let Nearest::Outside { v, .. } = nearest
        && let Some(out) = proved(&difference, &reducer, v, cost)
    {
        return Ok(out);
    }
    Err(cost)
}

/// The answer, if one support height closes its bracket.
fn proved(
    difference: &Difference<'_, Polytope, Polytope>,
    reducer: &Reducer<Johnson>,
    v: DVec3,
    cost: Cost,
) -> Option<Outcome> {
    let (core_a, combination) = reducer.simplex.combination();
    let length = v.length();
    let (least, most) = (difference.height(v) / length, combination.length());
    // Written so that a NaN goes the long way.
    if !(length > difference.rounding && most - least <= difference.rounding) {
        return None;
    }
    let apart = Apart { core_a, normal: -v / length, length, bounds: [least, most] };
    let cost = Cost { support_calls: cost.support_calls + 2, ..cost };
    let (ids, count) = reducer.simplex.ids();
    let radii = [difference.a.radius(), difference.b.radius()];
    Some(Outcome { ids, count, ..apart.outcome(radii, difference.rounding, Exit::RepeatedSupport, cost) })
}

/// GJK's answer from the same simplex.
#[cold]
fn finished(a: &Polytope, b: &Polytope, b_in_a: &Frame, start: &mut Start, cost: Cost) -> Outcome {
    let mut cache = gjk::WarmSimplex::of_simplex(start.vertices());
    let mut out = gjk::distance(a, b, b_in_a, &mut cache);
    *start = Start::from_vertices(&out.ids[..usize::from(out.count)]);
    let fallbacks = u32::from(out.is_apart());
    out.cost += Cost { fallbacks, ..cost };
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::internals::hull::convex_hull;
    use clearance::math::DQuat;
    use clearance::math::Pose;
    use fastrand::Rng;

    fn hull(rng: &mut Rng, count: usize) -> Polytope {
        let points: Vec<DVec3> = (0..count).map(|_| DVec3::from_array([(); 3].map(|()| rng.f64() - 0.5))).collect();
        convex_hull(&points).unwrap()
    }

    #[test]
    fn it_finds_what_gjk_finds_from_any_start() {
        let mut rng = Rng::with_seed(51);
        let (mut fallbacks, mut apart) = (0, 0);
        for round in 0..600 {
            let (a, b) = (hull(&mut rng, 4 + round % 60), hull(&mut rng, 4 + round % 7));
            let mut number = || rng.f64() - 0.5;
            let turn = DQuat::from_xyzw(number(), number(), number(), number()).normalize();
            let shift = DVec3::new(number(), number(), number()) * 3.0;
            let frame = Frame::from(Pose::new(shift, turn));
            let truth = gjk::distance(&a, &b, &frame, &mut gjk::WarmSimplex::default());
            let starts: [&[[u32; 2]]; 4] = [&[], &[[0, 0]], &[[1, 2], [3, 0], [2, 1], [0, 3]], &[[9999, 0], [1, 1]]];
            for ids in starts {
                let out = distance(&a, &b, &frame, &mut Start::from_vertices(ids));
                assert!(out.lower <= truth.upper && truth.lower <= out.upper, "{out:?} {truth:?}");
                assert!((out.distance - truth.distance).abs() < 1e-12, "{out:?} {truth:?}");
                fallbacks += out.cost.fallbacks;
                apart += u32::from(truth.lower > 0.0);
            }
        }
        assert!(apart > 800, "representative: {apart}");
        assert!(50 * fallbacks < apart, "{fallbacks} of {apart} were finished by GJK");
    }

    /// With hierarchies the answers are the same, and no rounds are wasted on plateaus.
    #[test]
    fn hierarchies_find_what_gjk_finds() {
        let mut rng = Rng::with_seed(53);
        let (mut apart, mut fallbacks) = (0, 0);
        for round in 0..60 {
            let hulls = [hull(&mut rng, 5 + 10 * round), hull(&mut rng, 200)];
            let hierarchies = hulls.each_ref().map(Hierarchy::new);
            let [a, b] = &hulls;
            let shift = DVec3::from_array([(); 3].map(|()| 3.0 * (rng.f64() - 0.5)));
            let frame = Frame::from(Pose::new(shift, DQuat::from_rotation_y(0.1 * round as f64)));
            let truth = gjk::distance(a, b, &frame, &mut gjk::WarmSimplex::default());
            let search = VertexSearch::Hierarchies(hierarchies.each_ref());
            let mut counts = GilbertCounts::default();
            let out = distance_by(search, a, b, &frame, &mut Start::default(), &mut counts);
            assert!(out.lower <= truth.upper && truth.lower <= out.upper, "{out:?} {truth:?}");
            assert!((out.distance - truth.distance).abs() < 1e-12 && counts.climbs == 0, "{out:?} {truth:?}");
            assert!(counts.rounds == 0 || counts.looked_at > 0);
            apart += u32::from(truth.is_apart());
            fallbacks += out.cost.fallbacks;
        }
        // A wrong vertex would leave the answer to GJK.
        assert!(apart > 10 && 10 * fallbacks < apart, "{fallbacks} of {apart}");
    }

    #[test]
    fn a_start_keeps_the_last_four_pairs_once_each() {
        let mut start = Start::default();
        for pair in [[0, 1], [2, 3], [0, 1], [4, 5], [6, 7], [8, 9], [2, 2]] {
            start.push(pair);
        }
        assert_eq!(start.vertices(), [[4, 5], [6, 7], [8, 9], [2, 2]]);
    }

    #[test]
    fn the_simplex_it_leaves_is_a_good_start() {
        let mut rng = Rng::with_seed(52);
        let (a, b) = (hull(&mut rng, 200), hull(&mut rng, 200));
        let frame = Frame::from(Pose::from_translation([1.3, 0.2, 0.1]));
        let mut start = Start::default();
        let cold = distance(&a, &b, &frame, &mut start);
        let warm = distance(&a, &b, &frame, &mut start);
        assert!(warm.cost.iterations <= 1 && cold.cost.iterations > warm.cost.iterations, "{cold:?} {warm:?}");
    }
}
