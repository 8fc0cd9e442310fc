//! Options that the thesis leaves open or recommends: the mix of both steps, larger tables, and the hierarchy under both algorithms.

use super::gilbert::{GilbertCounts, VertexSearch, distance_by};
use super::scene::{Kind, Setting, record};
use super::support::{Hierarchy, climb};
use super::vector_steps::{mean, run};
use crate::Effort;
use crate::row::{Row, Table, Verdict};
use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::Difference;
use clearance::internals::narrow::separating_vector::{Blend, Greedy, Hemisphere, LastVector, Start, search};
use clearance::math::{DVec3, Frame};
use clearance::shape::{Polytope, SupportPoint};
use clearance::{Convex, Pose};
use clearance_lab::{Rng, models, random};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::atomic::{AtomicU64, Ordering};

/// The mix (3.9) of the greedy and the conservative step.
pub(super) fn mixes(effort: Effort) -> Vec<Row> {
    let alphas = [0.0, 0.25, 0.5, 0.75, 1.0];
    let mut table =
        Table::new("alpha", &["alpha", "ellipsoids, steps", "rods, steps", "plates, steps", "searches left to GJK"]);
    let mut curves: Vec<Vec<f64>> = Vec::new();
    let mut handed_over = 0;
    let recordings = Kind::THREE.map(|kind| {
        let setting = Setting {
            bodies: effort.pick(60, 300),
            frames: effort.pick(40, 200),
            ..Setting::usual(kind, effort.pick(100, 500), true)
        };
        record(&setting, 270)
    });
    for alpha in alphas {
        let found = recordings.each_ref().map(|recording| run::<Hemisphere, _>(recording, &Blend { alpha }));
        let steps = found.each_ref().map(|steps| mean(&steps.apart));
        let left: u32 = found.iter().map(|steps| steps.handed_over).sum();
        handed_over += left;
        let mut row = vec![alpha.into()];
        row.extend(steps.map(Into::into));
        row.push(f64::from(left).into());
        table.push(row);
        curves.push(steps.to_vec());
    }
    let last = alphas.len() - 1;
    let faster = (0..3).filter(|&kind| curves[last][kind] < curves[0][kind]).count();
    let best =
        |kind: usize| alphas[(0..=last).min_by(|&p, &q| curves[p][kind].total_cmp(&curves[q][kind])).unwrap_or(last)];
    vec![
        Row::new(
            "S27",
            Verdict::of(faster >= 2 && handed_over == 0, faster > 0),
            "Steps per search of pairs that are apart. \"In most cases\" is taken as two of the three shapes. A mix may take even fewer.",
        )
        .value("shapes for which the greedy end takes fewer steps than the conservative one", faster as f64, "of 3")
        .value("searches, of all mixes, that did not decide", f64::from(handed_over), "")
        .value("alpha with the fewest steps, ellipsoids", best(0), "")
        .value("alpha with the fewest steps, rods", best(1), "")
        .value("alpha with the fewest steps, plates", best(2), "")
        .figure(table.figure("Steps over the mix of both formulas", 0, &[1, 2, 3], "steps per search", [false, false]))
        .table(table),
    ]
}

/// A table of supporting vertices by latitude and longitude, of any size: that of 3.5, whose size there is 8 by 16.
struct DirectionGrid {
    rows: usize,
    vertices: Vec<u32>,
}

impl DirectionGrid {
    fn new(hull: &Polytope, rows: usize) -> Self {
        let middle = |cell: usize| {
            let (row, column) = (cell / (2 * rows), cell % (2 * rows));
            let (latitude, longitude) =
                ((row as f64 + 0.5) / rows as f64 * PI - FRAC_PI_2, (column as f64 + 0.5) / (2 * rows) as f64 * TAU);
            DVec3::new(latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin())
        };
        Self { rows, vertices: (0..2 * rows * rows).map(|cell| climb(hull, middle(cell), 0).0).collect() }
    }

    fn start(&self, direction: DVec3) -> u32 {
        let d = direction.normalize();
        let part = |x: f64, count: usize| ((x * count as f64) as usize).min(count - 1);
        let row = part((d.z.clamp(-1.0, 1.0).asin() + FRAC_PI_2) / PI, self.rows);
        let column = part(d.y.atan2(d.x).rem_euclid(TAU) / TAU, 2 * self.rows);
        self.vertices[row * 2 * self.rows + column]
    }
}

/// Larger tables (3.5).
pub(super) fn tables(effort: Effort) -> Vec<Row> {
    let mut rng = Rng::with_seed(280);
    let vertices = effort.pick(500, 2000);
    let hulls: Vec<Polytope> = (0..effort.pick(2, 10))
        .map(|_| convex_hull(&models::random_ellipsoid(&mut rng, vertices)).expect("points"))
        .collect();
    let directions: Vec<DVec3> = (0..effort.pick(2000, 20_000)).map(|_| random::direction(&mut rng)).collect();
    let mut table = Table::new("sizes", &["cells", "steps of a walk"]);
    let mut curve = Vec::new();
    for rows in [1, 2, 4, 8, 16, 32] {
        let mut steps = 0_u64;
        for hull in &hulls {
            let grid = DirectionGrid::new(hull, rows);
            steps += directions.iter().map(|&d| u64::from(climb(hull, d, grid.start(d)).1)).sum::<u64>();
        }
        let each = steps as f64 / (hulls.len() * directions.len()) as f64;
        curve.push(each);
        table.push(vec![((2 * rows * rows) as f64).into(), each.into()]);
    }
    let falls = curve.windows(2).all(|pair| pair[1] < pair[0]);
    vec![
        Row::new(
            "S28",
            Verdict::of(falls, curve[curve.len() - 1] < curve[0]),
            "Walks from the vertex of the table, in random directions.",
        )
        .value("steps of a walk, 2 cells", curve[0], "")
        .value("the same, 8 by 16 cells as in the thesis", curve[3], "")
        .value("the same, 32 by 64 cells", curve[5], "")
        .figure(table.figure("Walks over the size of the table", 0, &[1], "steps", [true, false]))
        .table(table),
    ]
}

/// A hull whose supporting vertices are found by the hierarchy; counts the visited vertices.
#[derive(Debug)]
struct ByHierarchy<'a> {
    hull: &'a Polytope,
    hierarchy: &'a Hierarchy,
    looked_at: AtomicU64,
}

impl<'a> ByHierarchy<'a> {
    fn new(hull: &'a Polytope, hierarchy: &'a Hierarchy) -> Self {
        Self { hull, hierarchy, looked_at: AtomicU64::new(0) }
    }
}

impl Convex for ByHierarchy<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support_vertex(direction).point
    }

    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let found = self.hierarchy.search(direction);
        self.looked_at.fetch_add(u64::from(found.looked_at), Ordering::Relaxed);
        SupportPoint { point: self.hull.vertex(found.vertex), vertex: found.vertex }
    }

    fn center(&self) -> DVec3 {
        self.hull.center()
    }

    fn bounding_radius(&self) -> f64 {
        self.hull.bounding_radius()
    }
}

/// Sums over cold calls.
#[derive(Default)]
struct Cold {
    calls: f64,
    /// Rounds, and vertices visited by local search and by hierarchies.
    gilbert: [f64; 3],
    /// Vectors, and visited vertices.
    vector: [f64; 2],
}

fn cold(vertices: usize, calls: usize, seed: u64) -> Cold {
    let mut rng = Rng::with_seed(seed);
    let hulls = [(); 2].map(|()| convex_hull(&models::random_ellipsoid(&mut rng, vertices)).expect("points"));
    let hierarchies = hulls.each_ref().map(Hierarchy::new);
    let [a, b] = &hulls;
    let mut sums = Cold::default();
    while sums.calls < calls as f64 {
        let pose =
            Pose::new(random::direction(&mut rng) * random::uniform(&mut rng, 1.2, 2.5), random::rotation(&mut rng));
        let frame = Frame::from(pose);
        let mut counts = [GilbertCounts::default(); 2];
        let found = distance_by(VertexSearch::Climbing, a, b, &frame, &mut Start::default(), &mut counts[0]);
        if !found.is_apart() {
            continue;
        }
        let search_by = VertexSearch::Hierarchies(hierarchies.each_ref());
        let same = distance_by(search_by, a, b, &frame, &mut Start::default(), &mut counts[1]);
        debug_assert!((same.distance - found.distance).abs() < 1e-9);
        let shapes = [ByHierarchy::new(a, &hierarchies[0]), ByHierarchy::new(b, &hierarchies[1])];
        let difference = Difference::new(&shapes[0], &shapes[1], &frame);
        let outcome = search::<Hemisphere, Greedy, _, _>(&difference, &Greedy, &mut LastVector::along(DVec3::ZERO));
        sums.calls += 1.0;
        let of_gilbert = [f64::from(counts[1].rounds), counts[0].looked_at as f64, counts[1].looked_at as f64];
        sums.gilbert = [0, 1, 2].map(|i| sums.gilbert[i] + of_gilbert[i]);
        let looked_at: u64 = shapes.iter().map(|shape| shape.looked_at.load(Ordering::Relaxed)).sum();
        sums.vector = [sums.vector[0] + f64::from(outcome.steps), sums.vector[1] + looked_at as f64];
    }
    sums
}

/// Both algorithms with the hierarchy (4.4, 5.4), cold.
pub(super) fn hierarchies(effort: Effort) -> Vec<Row> {
    let sizes: &[usize] = &[50, 500, 5000, 50_000];
    let mut table = Table::new(
        "cold",
        &[
            "vertices",
            "Gilbert, rounds",
            "Gilbert, vertices by local search",
            "Gilbert, vertices by hierarchy",
            "vectors per search",
            "search, vertices by hierarchy",
            "of these per vector",
        ],
    );
    let mut rows: Vec<[f64; 6]> = Vec::new();
    for (seed, &vertices) in (290..).zip(sizes) {
        let sums = cold(vertices, effort.pick(40, 300), seed);
        let [rounds, climbed, looked_at] = sums.gilbert.map(|sum| sum / sums.calls);
        let [vectors, of_vectors] = sums.vector.map(|sum| sum / sums.calls);
        let row = [rounds, climbed, looked_at, vectors, of_vectors, of_vectors / vectors];
        table.push([vertices as f64].into_iter().chain(row).map(Into::into).collect());
        rows.push(row);
    }
    // In log n: the growth of the last decade over the mean growth of a decade.
    let last = rows.len() - 1;
    let bend = |column: usize| {
        let [first, before, end] = [0, last - 1, last].map(|row| rows[row][column]);
        (end - before) / ((end - first) / last as f64)
    };
    let growth = |column: usize| rows[last][column] / rows[0][column];
    let logarithm = (sizes[last] as f64).ln() / (sizes[0] as f64).ln();
    vec![
        Row::new(
            "S29",
            Verdict::of(bend(2) <= 1.5 && growth(2) < logarithm * logarithm, growth(2) < (sizes[last] as f64 / sizes[0] as f64).sqrt()),
            "Cold calls. The rule: what the last tenfold of vertices adds is no more than one and a half times what a tenfold adds on average, and the whole grows no \
             faster than the square of the logarithm. The thesis says so \"if\" the number of rounds is constant, as Gilbert claims; it grows (S23).",
        )
        .value("rounds per call, fewest vertices", rows[0][0], "")
        .value("rounds per call, most vertices", rows[last][0], "")
        .value("vertices looked at per call, fewest vertices", rows[0][2], "")
        .value("vertices looked at per call, most vertices", rows[last][2], "")
        .value("the same by local search from vertex 0", rows[last][1], "")
        .value("growth of the last decade over that of a decade", bend(2), "")
        .figure(table.figure("Gilbert's algorithm, cold", 0, &[2, 3], "vertices looked at per call", [true, true]))
        .table(table.clone()),
        Row::new(
            "S30",
            Verdict::of(bend(5) <= 1.5 && growth(5) <= logarithm * 1.5, growth(4) < (sizes[last] as f64 / sizes[0] as f64).sqrt()),
            "Cold searches of pairs that are apart. The rule is about vertices per vector, which are to grow as the logarithm: no more than half as much again, and no faster in the last tenfold.",
        )
        .value("vertices looked at per vector, fewest vertices", rows[0][5], "")
        .value("vertices looked at per vector, most vertices", rows[last][5], "")
        .value("vectors per search, most vertices", rows[last][3], "")
        .table(table),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_starts_near_the_top_and_a_hierarchy_is_exact() {
        let mut rng = Rng::with_seed(3);
        let hull = convex_hull(&models::random_ellipsoid(&mut rng, 400)).expect("points");
        let hierarchy = Hierarchy::new(&hull);
        let (coarse, fine) = (DirectionGrid::new(&hull, 2), DirectionGrid::new(&hull, 16));
        let by_hierarchy = ByHierarchy::new(&hull, &hierarchy);
        let mut steps = [0, 0];
        for _ in 0..500 {
            let d = random::direction(&mut rng);
            let top = hull.vertices().iter().map(|v| v.dot(d)).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(by_hierarchy.support(d).dot(d), top);
            for (sum, grid) in steps.iter_mut().zip([&coarse, &fine]) {
                *sum += climb(&hull, d, grid.start(d)).1;
            }
        }
        assert!(steps[1] < steps[0], "{steps:?}");
    }

    #[test]
    fn cold_calls_with_a_hierarchy_look_at_few_vertices() {
        let few = cold(2000, 20, 4);
        // Two supporting vertices for each round and each vector, at most a twentieth of all vertices each.
        let [of_gilbert, of_vectors] = [few.gilbert[2] / few.gilbert[0], few.vector[1] / few.vector[0]];
        assert!(of_gilbert < 200.0 && of_vectors < 200.0, "{of_gilbert} {of_vectors}");
    }
}
