//! The arithmetic that feature tracking takes: counted on request, free otherwise.

use crate::shape::Feature;

/// Operations of one or many calls.
///
/// A floating-point operation is an addition, subtraction, multiplication, division, root or comparison of computed
/// numbers, as the V-Clip paper counts them. The change of coordinates that makes one frame of two poses is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Counts {
    /// Scalar products of two vectors, those inside of plane tests and matrix products included.
    pub dot_products: u64,
    /// Points (or directions) held against a Voronoi plane.
    pub plane_tests: u64,
    /// Feature pairs visited.
    pub feature_steps: u64,
    /// Farthest points asked for.
    pub support_calls: u64,
    /// The floating-point operations that all of it stands for.
    pub flops: u64,
    /// How many of them are divisions.
    pub divisions: u64,
    /// How many of the divisions are those of clipping an edge, whose divisor is never smaller than the dividend.
    pub clip_divisions: u64,
    /// How many of the operations are roots.
    pub roots: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.dot_products += other.dot_products;
        self.plane_tests += other.plane_tests;
        self.feature_steps += other.feature_steps;
        self.support_calls += other.support_calls;
        self.flops += other.flops;
        self.divisions += other.divisions;
        self.clip_divisions += other.clip_divisions;
        self.roots += other.roots;
    }
}

/// Somebody who may want to know; `()` does not, and costs nothing.
pub trait Tally {
    /// Does anybody want to know?
    const COUNTS: bool = true;

    /// Counts scalar products, with their comparison if they are plane tests.
    fn dots(&mut self, _count: usize) {}
    /// Counts plane tests: a scalar product, an offset or margin, and a comparison each.
    fn planes(&mut self, _count: usize) {}
    /// One more feature pair.
    fn step(&mut self) {}
    /// Counts support points.
    fn supports(&mut self, _count: usize) {}
    /// Counts other operations.
    fn flops(&mut self, _count: usize) {}
    /// Counts the divisions and roots among operations, which are counted elsewhere.
    fn divisions_and_roots(&mut self, _divisions: usize, _roots: usize) {}
    /// Counts planes that have cut an edge: a difference and a division each.
    fn cuts(&mut self, _count: usize) {}
    /// The features that are visited next.
    fn pair(&mut self, _features: [Feature; 2]) {}
}

impl Tally for () {
    const COUNTS: bool = false;
}

impl Tally for Counts {
    fn dots(&mut self, count: usize) {
        self.dot_products += count as u64;
        self.flops += 5 * count as u64;
    }

    fn planes(&mut self, count: usize) {
        self.dots(count);
        self.plane_tests += count as u64;
        self.flops += 2 * count as u64;
    }

    fn step(&mut self) {
        self.feature_steps += 1;
    }

    fn supports(&mut self, count: usize) {
        self.support_calls += count as u64;
    }

    fn flops(&mut self, count: usize) {
        self.flops += count as u64;
    }

    fn divisions_and_roots(&mut self, divisions: usize, roots: usize) {
        self.divisions += divisions as u64;
        self.roots += roots as u64;
    }

    fn cuts(&mut self, count: usize) {
        self.flops += 2 * count as u64;
        self.divisions += count as u64;
        self.clip_divisions += count as u64;
    }
}
