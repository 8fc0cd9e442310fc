//! Sections 3.3 to 3.6 of \[QC\]: supporting vertices by local search, as in the thesis, and the savings by visit stamps, by the table of 8 by 16
//! directions and by a first vector from the centres.
//!
//! The library's search queries its shapes for supporting vertices. Here they are found by walks over the edges of the hull, from the last vertex,
//! with a count of scalar products. A stamp skips a vertex that was visited in the same walk. No such vertex is higher than the highest so far, so
//! walks are the same with stamps and without, and one walk gives both counts.

use super::scene::{Query, Recording};
use crate::separating_vector::support::ThesisTable;
use clearance::Convex;
use clearance::internals::narrow::Difference;
use clearance::internals::narrow::separating_vector::{Greedy, Hemisphere, LastVector, Verdict, search};
use clearance::math::DVec3;
use clearance::math::{Aabb, Frame, Pose};
use clearance::shape::{Polytope, SupportPoint};
use std::sync::Mutex;

/// The cost of walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Walks {
    /// Supporting vertices.
    pub walks: u64,
    /// Edges walked along.
    pub steps: u64,
    /// Scalar products if every step visits every neighbour.
    pub products: u64,
    /// Scalar products if a walk visits no vertex twice.
    pub stamped: u64,
}

impl std::ops::AddAssign for Walks {
    fn add_assign(&mut self, other: Self) {
        self.walks += other.walks;
        self.steps += other.steps;
        self.products += other.products;
        self.stamped += other.stamped;
    }
}

#[derive(Debug)]
struct Walker {
    at: u32,
    /// The walk in which a vertex was last visited.
    stamps: Vec<u64>,
    now: u64,
    walks: Walks,
}

/// A hull whose supporting vertices are found by walks.
#[derive(Debug)]
pub struct Climbing<'a> {
    hull: &'a Polytope,
    walker: Mutex<Walker>,
}

impl<'a> Climbing<'a> {
    /// A hull, at its first vertex.
    #[must_use]
    pub fn new(hull: &'a Polytope) -> Self {
        let walker = Walker { at: 0, stamps: vec![0; hull.vertex_count()], now: 0, walks: Walks::default() };
        Self { hull, walker: Mutex::new(walker) }
    }

    fn walker(&self) -> std::sync::MutexGuard<'_, Walker> {
        self.walker.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Moves to a vertex without counting, and resets the counts.
    fn begin(&self, vertex: u32) {
        let mut walker = self.walker();
        walker.at = vertex;
        walker.walks = Walks::default();
    }

    /// The present vertex, and the cost of the walks since the start.
    fn end(&self) -> (u32, Walks) {
        let walker = self.walker();
        (walker.at, walker.walks)
    }

    /// Procedure SearchSupportVertex, with `newp = v` where the thesis prints `newp = p`.
    fn walk(&self, direction: DVec3) -> u32 {
        let mut guard = self.walker();
        let walker = &mut *guard;
        let hull = self.hull;
        walker.now += 1;
        walker.stamps[walker.at as usize] = walker.now;
        let mut most = hull.vertex(walker.at).dot(direction);
        walker.walks += Walks { walks: 1, steps: 0, products: 1, stamped: 1 };
        loop {
            let here = walker.at;
            for &neighbor in hull.neighbors(here) {
                walker.walks.products += 1;
                let stamp = &mut walker.stamps[neighbor as usize];
                if *stamp == walker.now {
                    continue;
                }
                *stamp = walker.now;
                walker.walks.stamped += 1;
                let height = hull.vertex(neighbor).dot(direction);
                if height > most {
                    (most, walker.at) = (height, neighbor);
                }
            }
            if walker.at == here {
                return here;
            }
            walker.walks.steps += 1;
        }
    }
}

impl Convex for Climbing<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.hull.vertex(self.walk(direction))
    }

    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let vertex = self.walk(direction);
        SupportPoint { point: self.hull.vertex(vertex), vertex }
    }

    fn center(&self) -> DVec3 {
        self.hull.center()
    }

    fn bounding_radius(&self) -> f64 {
        self.hull.bounding_radius()
    }
}

/// The first vector of a search (3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstVector {
    /// The line of centres, as in the implementation of the thesis.
    Centers,
    /// The normal of the plane of contact points of the two boxes (figure 3.4).
    Boxes,
    /// The x axis: without information.
    XAxis,
}

/// The start of the search of a pair whose boxes did not overlap before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beginning {
    /// The first vector.
    pub vector: FirstVector,
    /// The first vertices are those of the table (3.5), else the first ones of the hulls.
    pub from_table: bool,
}

/// The tight box of a hull at a pose.
fn tight_box(hull: &Polytope, pose: &Pose) -> Aabb {
    let points = hull.vertices().iter().map(|&vertex| pose.transform_point(vertex));
    points.fold(Aabb::EMPTY, |bounds, point| Aabb { min: bounds.min.min(point), max: bounds.max.max(point) })
}

/// The normal, from A to B, of the plane through points at which the surfaces of two boxes meet (figure 3.4). The boxes overlap in a small box. If
/// a corner of each is in the other, the plane cuts all three edges of the small box at its near corner. If two edges meet, it cuts two of them. If
/// a face is pierced, it is that face. An axis matters if neither box spans the other along it. `None` if one box spans the other along all axes.
#[must_use]
pub fn box_contact([a, b]: &[Aabb; 2]) -> Option<DVec3> {
    let mut normal = DVec3::ZERO;
    for axis in 0..3 {
        let (low, high) = (a.min[axis].max(b.min[axis]), a.max[axis].min(b.max[axis]));
        let overlap = (high - low).max(f64::MIN_POSITIVE);
        if a.min[axis] < b.min[axis] && a.max[axis] < b.max[axis] {
            normal[axis] = 1.0 / overlap;
        } else if a.min[axis] > b.min[axis] && a.max[axis] > b.max[axis] {
            normal[axis] = -1.0 / overlap;
        }
    }
    normal.try_normalize()
}

/// The cost of the searches of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Searches {
    /// The number of searches.
    pub count: u64,
    /// Vectors.
    pub vectors: u64,
    /// Of pairs that are apart.
    pub apart: u64,
    /// Of these, searches whose first vector separates.
    pub at_once: u64,
    /// The walks.
    pub walks: Walks,
}

/// Runs the separating-vector search with local search over a recording. Returns the cost of searches of new pairs, and of those that began with S,
/// p and q of the frame before (3.6).
#[must_use]
pub fn run(recording: &Recording, beginning: Beginning) -> [Searches; 2] {
    let hulls = recording.hulls();
    let bodies: Vec<Climbing<'_>> = hulls.iter().map(|hull| Climbing::new(hull)).collect();
    let tables: Vec<ThesisTable> = hulls.iter().map(|hull| ThesisTable::new(hull)).collect();
    // S in the axes of the world, p and q.
    let mut memories = vec![(DVec3::ZERO, [0; 2]); recording.slots];
    let mut found = [Searches::default(); 2];
    for Query { bodies: [i, j], poses: [pose_a, pose_b], slot, is_new, .. } in &recording.queries {
        let frame = Frame::relative(pose_a, pose_b);
        let [a, b] = [&bodies[*i], &bodies[*j]];
        let difference = Difference::new(a, b, &frame);
        let (vector, vertices) = &mut memories[*slot];
        if *is_new {
            // Vectors of the library point from B to A.
            let v = match beginning.vector {
                FirstVector::Centers => difference.center(),
                FirstVector::XAxis => DVec3::X,
                FirstVector::Boxes => {
                    let boxes = [(*i, pose_a), (*j, pose_b)].map(|(body, pose)| tight_box(hulls[body], pose));
                    let normal = box_contact(&boxes).map(|normal| -pose_a.inverse_transform_vector(normal));
                    normal.unwrap_or_else(|| difference.center())
                }
            };
            *vector = pose_a.transform_vector(v);
            let of_table = || [tables[*i].start(-v), tables[*j].start(frame.direction_in_b(v))];
            *vertices = if beginning.from_table { of_table() } else { [0; 2] };
        }
        a.begin(vertices[0]);
        b.begin(vertices[1]);
        let mut cache = LastVector::along(pose_a.inverse_transform_vector(*vector));
        let outcome = search::<Hemisphere, Greedy, _, _>(&difference, &Greedy, &mut cache);
        if outcome.verdict == Verdict::Apart {
            *vector = pose_a.transform_vector(cache.axis);
        }
        let ((p, walks_a), (q, walks_b)) = (a.end(), b.end());
        *vertices = [p, q];
        let sum = &mut found[usize::from(!is_new)];
        sum.count += 1;
        sum.apart += u64::from(outcome.verdict == Verdict::Apart);
        sum.at_once += u64::from(outcome.verdict == Verdict::Apart && outcome.steps == 1);
        sum.vectors += u64::from(outcome.steps);
        sum.walks += walks_a;
        sum.walks += walks_b;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::separating_vector::scene::{Kind, Setting, record};
    use clearance::internals::hull::convex_hull;
    use clearance_lab::{Rng, models, random};

    #[test]
    fn a_walk_reaches_the_top_and_stamps_spare_products() {
        let mut rng = Rng::with_seed(18);
        let hull = convex_hull(&models::random_ellipsoid(&mut rng, 300)).expect("points");
        let climbing = Climbing::new(&hull);
        climbing.begin(0);
        for _ in 0..200 {
            let direction = random::direction(&mut rng);
            let top = hull.vertices().iter().map(|v| v.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
            assert!(climbing.support(direction).dot(direction) >= top - 1e-14);
        }
        let (_, walks) = climbing.end();
        assert!(walks.walks == 200 && walks.steps > 200 && walks.stamped < walks.products, "{walks:?}");
    }

    /// The three cases of figure 3.4, and boxes within each other.
    #[test]
    fn boxes_meet_in_three_ways() {
        let at = |min: [f64; 3], max: [f64; 3]| Aabb { min: DVec3::from_array(min), max: DVec3::from_array(max) };
        let a = at([0.0; 3], [1.0; 3]);
        let corner = box_contact(&[a, at([0.9, 0.8, 0.9], [2.0; 3])]).expect("a corner");
        // Through (1, 0.8, 0.9), (0.9, 1, 0.9) and (0.9, 0.8, 1): equal products with the normal.
        let heights = [[1.0, 0.8, 0.9], [0.9, 1.0, 0.9], [0.9, 0.8, 1.0]].map(|p| corner.dot(DVec3::from_array(p)));
        assert!(heights.iter().all(|height| (height - heights[0]).abs() < 1e-12) && corner.min_element() > 0.0);
        let edge = box_contact(&[a, at([0.9, -0.5, -2.0], [2.0, 1.5, 0.1])]).expect("an edge");
        assert!((edge - DVec3::new(1.0, 0.0, -1.0).normalize()).length() < 1e-12, "{edge}");
        assert_eq!(box_contact(&[a, at([0.2, -3.0, 0.2], [0.4, 0.1, 0.4])]), Some(-DVec3::Y));
        assert_eq!(box_contact(&[a, at([0.2; 3], [0.4; 3])]), None);
    }

    #[test]
    fn the_beginning_changes_new_searches_only_in_what_they_take() {
        let recording = record(&Setting::usual(Kind::Plates, 100, true), 5);
        let run = |from_table| run(&recording, Beginning { vector: FirstVector::Centers, from_table });
        let (with, without) = (run(true), run(false));
        assert_eq!([with[0].vectors, with[1].vectors], [without[0].vectors, without[1].vectors]);
        assert!(with[0].walks.steps < without[0].walks.steps);
    }
}
