//! How far overlapping bodies have to move to come free: the proved depth of every overlap that is listed.
//!
//! Two convex bodies have it in their clearance. Solids that are not convex are asked about by [`depth()`], which searches: with so many nodes for
//! each pair, so that a report is the same on every machine. What that leaves open is open in the report.

use super::Found;
use clearance::math::DVec3;
use clearance::{DepthBudget, Status, depth};
use clearance_io::{Scene, WrittenDepth};

/// Brackets narrower than this part of the depth that the hulls have are narrow enough to be read.
const NARROW: f64 = 1e-9;

/// Finds the depths of overlapping pairs.
pub fn ask(scene: &Scene, pairs: &mut [Found], nodes: usize) {
    for found in pairs.iter_mut().filter(|found| found.overlaps()) {
        let known = of_clearance(found);
        if found.status == Status::Converged {
            found.depth = Some(known);
        } else if nodes > 0 {
            let [a, b] = found.bodies.map(|body| &scene.bodies[body as usize]);
            let width = if known.upper.is_finite() { NARROW * known.upper } else { 0.0 };
            let budget = DepthBudget { width, nodes, ..DepthBudget::default() };
            let searched = WrittenDepth::from(&depth(&a.shape, a.pose, &b.shape, b.pose, budget));
            // Both lower bounds are proved; but the translation belongs to its own upper bound.
            found.depth = Some(WrittenDepth { lower: searched.lower.max(known.lower).min(searched.upper), ..searched });
        }
    }
}

/// What the clearance of an overlap says: A moves back along the normal.
fn of_clearance(found: &Found) -> WrittenDepth {
    let w = &found.witness;
    let (lower, upper) = ((-w.upper).max(0.0), (-w.lower).max(0.0));
    let translation = if upper.is_finite() { DVec3::from(w.normal) * -upper } else { DVec3::ZERO };
    WrittenDepth { lower, upper, translation: translation.to_array() }
}
