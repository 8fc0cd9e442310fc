//! The floating-point operations of a call of GJK, from its queries of the two polytopes.
//!
//! The engine itself counts rounds only. Here two polytopes are wrapped so that all their queries are counted: support points with all compared
//! vertices, support heights, and recalled vertices. That part is exact. The work in between is derived: the constants below are the operations of
//! the `f64` path, added up by hand. The single constant of a round is that of a triangle (56); an edge takes 28 and a tetrahedron about 120.
//! Rounds in single precision count like the others.

use crate::separating_vector::support::{DirectionTable, resolution};
use clearance::internals::SCAN_VERTICES;
use clearance::internals::narrow::tally::Counts;
use clearance::math::DVec3;
use clearance::shape::{Polytope, SupportPoint};
use clearance::{Convex, Feature};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A dot product and a comparison.
const COMPARED: u64 = 6;

/// A round: the direction turned into the frame of B (15), the point of B turned back (18), their difference (3), the signs
/// (3), the height and the stops (10), and the nearest point of a triangle (56).
const ROUND: u64 = 105;

/// A vertex of A - B from two numbers: 21; and its part in the nearest point of the simplex that is confirmed: a third of 85.
const RECALLED: u64 = 21 + 28;

/// A support height that confirms: the direction turned into the frame of B (15), the offset of B (7), the length and the
/// comparisons (26).
const CONFIRMED: u64 = 48;

/// A polytope that counts its queries.
#[derive(Debug)]
pub struct Counted<'a> {
    polytope: &'a Polytope,
    table: Option<DirectionTable>,
    compared: AtomicU64,
    supports: AtomicU64,
    heights: AtomicU64,
    recalled: AtomicU64,
}

impl<'a> Counted<'a> {
    /// Counts from zero.
    #[must_use]
    pub fn new(polytope: &'a Polytope) -> Self {
        let count = polytope.vertex_count();
        let table = (count > SCAN_VERTICES).then(|| DirectionTable::new(polytope.vertices(), resolution(count)));
        let zero = || AtomicU64::new(0);
        Self { polytope, table, compared: zero(), supports: zero(), heights: zero(), recalled: zero() }
    }

    fn compare(&self, direction: DVec3) {
        let candidates = self.table.as_ref().map_or(self.polytope.vertex_count(), |table| table.candidates(direction));
        self.compared.fetch_add(candidates as u64, Relaxed);
    }
}

/// The counts of GJK for two polytopes since they were wrapped.
#[must_use]
pub fn counts(a: &Counted<'_>, b: &Counted<'_>) -> Counts {
    let sum = |x: &AtomicU64, y: &AtomicU64| x.load(Relaxed) + y.load(Relaxed);
    let (compared, supports) = (sum(&a.compared, &b.compared), sum(&a.supports, &b.supports));
    let heights = sum(&a.heights, &b.heights);
    // One query of both is one round, one vertex of A - B, one height.
    let (rounds, recalled, confirmed) = (supports / 2, sum(&a.recalled, &b.recalled) / 2, heights / 2);
    Counts {
        dot_products: compared,
        plane_tests: 0,
        feature_steps: rounds + confirmed,
        support_calls: supports + heights,
        flops: COMPARED * compared + ROUND * rounds + RECALLED * recalled + CONFIRMED * confirmed,
        ..Counts::default()
    }
}

impl Convex for Counted<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support_vertex(direction).point
    }

    fn center(&self) -> DVec3 {
        Convex::center(self.polytope)
    }

    fn inner_radius(&self) -> f64 {
        Convex::inner_radius(self.polytope)
    }

    fn bounding_radius(&self) -> f64 {
        Convex::bounding_radius(self.polytope)
    }

    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        self.compare(direction);
        self.supports.fetch_add(1, Relaxed);
        self.polytope.support_vertex(direction)
    }

    fn height(&self, direction: DVec3) -> f64 {
        self.compare(direction);
        self.heights.fetch_add(1, Relaxed);
        self.polytope.height(direction)
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        self.recalled.fetch_add(1, Relaxed);
        Convex::vertex(self.polytope, vertex)
    }

    fn feature(&self, vertices: &[u32]) -> Feature {
        self.polytope.feature(vertices)
    }
}
