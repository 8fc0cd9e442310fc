//! The upper bound of the cone search: free places, and descents from them.
//!
//! A cell that resists may be free: its middle is tested, and a descent starts there. A climb meets a facet of the forbidden set; the least-norm place beyond
//! all facets that a cell met is tested, too, since descents do not enter a narrow notch of the free set. Now and then a descent starts beside the best place.
//!
//! **Invariant.** (U1) Each place that is offered was proved free. The length of the best one never grows.

use super::{ConeCell, ConeSearch, middle_of};
use crate::depth::bound::{LeastNorm, nearest};
use crate::tuning::depth::TOLERANCE;
use crate::tuning::depth::witness as tuning;
use glam::DVec3;

impl ConeSearch<'_, '_, '_> {
    /// Asks whether a place that resists is free, as long as the upper bound had little work.
    pub fn try_upper(&mut self, cell: &ConeCell, lengths: [f64; 3], is_urgent: bool) {
        if !is_urgent && self.upper_work as f64 > tuning::UPPER_SHARE * self.looks as f64 {
            return;
        }
        let x = middle_of(cell.cone.corners(lengths));
        let mut work = 0;
        if self.bodies.is_free(x, &mut work) {
            let length = self.bodies.placed.length(x);
            // The descent ends where a round gains less than 1e-10.
            let found = self.bodies.descend((x, length), tuning::DESCENT_ROUNDS, 1e-10);
            work += found.work;
            self.offer(found.best);
        }
        self.upper_work += work;
    }

    /// Tries the least-norm place beyond all facets that the climbs of a visit met: where the forbidden set has a narrow notch, it is the only free place
    /// that is near.
    pub fn try_vertex(&mut self, is_urgent: bool) {
        if !is_urgent && self.upper_work as f64 > tuning::UPPER_SHARE * self.looks as f64 {
            return;
        }
        let x = nearest(&self.facets, &LeastNorm::WHOLE_SPACE, self.best.1, TOLERANCE).point;
        let is_shorter = self.bodies.placed.length(x) < self.best.1 && x != DVec3::ZERO;
        self.upper_work += tuning::FREE_WORK;
        if is_shorter && let Some(free) = self.bodies.placed.freed(x) {
            // The descent ends where a round gains less than 1e-10.
            let found = self.bodies.descend(free, tuning::DESCENT_ROUNDS, 1e-10);
            self.upper_work += found.work;
            self.offer(found.best);
        }
    }

    /// Descends from a place beside the best one: the nearest directions at a vertex that touches are too strict, and end a descent early.
    pub fn disturb(&mut self) {
        let k = f64::from(self.disturbed);
        self.disturbed += 1;
        // Points of a spiral of equal areas on the sphere.
        let (height, angle) = (1.0 - 2.0 * (k * 0.618_033_988_75 + 0.5).fract(), k * 2.399_963_229_728_65);
        let ring = (1.0 - height * height).max(0.0).sqrt();
        let along = DVec3::new(ring * libm::cos(angle), ring * libm::sin(angle), height);
        let part = tuning::DISTURBANCES[self.disturbed as usize % tuning::DISTURBANCES.len()];
        let x = self.best.0 + along * (part * self.best.1);
        let mut work = 0;
        let length = self.bodies.placed.length(x);
        if length < (1.0 + part) * self.best.1 && self.bodies.is_free(x, &mut work) {
            let found = self.bodies.descend((x, length), tuning::FIRST_ROUNDS, 1e-3);
            work += found.work;
            self.offer(found.best);
        }
        self.upper_work += work + 1;
    }

    fn offer(&mut self, found: (DVec3, f64)) {
        if found.1 < self.best.1 {
            self.best = found;
        }
    }

    /// Descents from the first upper bound and from separations along other directions.
    pub fn first_descents(&mut self) {
        let found = self.bodies.descend(self.best, tuning::FIRST_ROUNDS, 1e-3);
        self.upper_work += found.work;
        self.offer(found.best);
        for start in self.bodies.separations(tuning::FIRST_DIRECTIONS) {
            let mut work = 0;
            if start.1 < 2.0 * self.best.1 && self.bodies.is_free(start.0, &mut work) {
                let found = self.bodies.descend(start, tuning::FIRST_ROUNDS, 1e-3);
                work += found.work;
                self.offer(found.best);
            }
            self.upper_work += work;
        }
    }
}
