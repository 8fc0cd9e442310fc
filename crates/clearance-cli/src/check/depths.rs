//! How far overlapping bodies have to move to come free: the proved depth of every overlap that is listed.
//!
//! Two convex bodies have it in their clearance. [`depth()`] searches for the depth of solids that are not convex: with a limit on nodes
//! for each pair, so that a report is the same on every machine. A depth that the search leaves open is open in the report.

use super::evidence::Answers;
use super::progress::Progress;
use super::{Found, kinds};
use clearance::math::DVec3;
use clearance::{DepthBudget, Status, depth, proof};
use clearance_io::{Scene, WrittenDepth};
use std::sync::{Mutex, PoisonError};

/// Width of a bracket, as a part of the depth of the hulls, at which a search stops. Limit: nine digits, of which a table shows four.
const NARROW: f64 = 1e-9;

/// Finds the depths of overlapping pairs, on all processors; results do not depend on their number. Where `answers` are kept, each search
/// keeps its evidence.
pub fn ask(scene: &Scene, pairs: &mut [Found], nodes: usize, answers: Option<&mut Answers>) {
    let answers = answers.map(Mutex::new);
    let mut overlaps: Vec<&mut Found> = pairs.iter_mut().filter(|found| found.overlaps()).collect();
    let total = overlaps.len();
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(total);
    let (queue, progress) = (Mutex::new(overlaps.iter_mut().enumerate()), Mutex::new(Progress::new("depths")));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((number, found)) = next() {
            if let Ok(mut progress) = progress.try_lock() {
                progress.at(number, total);
            }
            found.depth = of(scene, found, nodes, answers.as_ref());
            found.kind = Some(kinds::of(scene, found));
        }
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
}

/// The depth of one overlap; nothing if its clearance leaves it open and no search is wanted.
pub fn of(scene: &Scene, found: &Found, nodes: usize, answers: Option<&Mutex<&mut Answers>>) -> Option<WrittenDepth> {
    let known = of_clearance(found);
    if found.status == Status::Converged {
        return Some(known);
    }
    let [a, b] = found.bodies.map(|body| &scene.bodies[body as usize]);
    if nodes == 0 {
        return None;
    }
    let budget = budget(found, nodes);
    let searched = match answers {
        None => depth(&a.shape, a.pose, &b.shape, b.pose, budget),
        Some(answers) => {
            let (depth, evidence) = proof::depth(&a.shape, a.pose, &b.shape, b.pose, budget);
            answers.lock().unwrap_or_else(PoisonError::into_inner).depths.insert(found.bodies, (depth, evidence));
            depth
        }
    };
    let searched = WrittenDepth::from(&searched);
    // Both lower bounds are proved; but the translation belongs to its own upper bound.
    Some(WrittenDepth { lower: searched.lower.max(known.lower).min(searched.upper), ..searched })
}

/// How long the depth of an overlap is searched for.
pub fn budget(found: &Found, nodes: usize) -> DepthBudget {
    let known = of_clearance(found);
    let width = if known.upper.is_finite() { NARROW * known.upper } else { 0.0 };
    DepthBudget { width, nodes, ..DepthBudget::default() }
}

/// The bounds of an overlap's clearance: A moves back along the normal.
fn of_clearance(found: &Found) -> WrittenDepth {
    let w = &found.witness;
    let (lower, upper) = ((-w.upper).max(0.0), (-w.lower).max(0.0));
    let translation = if upper.is_finite() { DVec3::from(w.normal) * -upper } else { DVec3::ZERO };
    WrittenDepth { lower, upper, translation: translation.to_array(), end: None }
}
