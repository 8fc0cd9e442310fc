//! Continues a search that stopped while its bracket was open.
//!
//! Rounding stops a search when a simplex is a sliver: its nearest point then has no direction any more, and the plane
//! it should support tilts by more than the bracket can bear. The same loop goes on from the same simplex with the
//! [careful] subalgorithm, which knows that point to twice the digits. From there on only the vertices themselves are
//! rounded, by less than the bracket's own allowance, so the bracket closes. Few searches come here, and they are
//! counted.

use super::search::{Progress, Search};
use crate::narrow::Difference;
use crate::narrow::outcome::Exit;
use crate::narrow::simplex::{Nearest, Simplex, double_double};
use crate::shape::Convex;
use glam::DVec3;

/// Rounds of the fallback, at most. Limit: the fast search has come close before, or the shapes are smooth.
pub(super) const MAX_ROUNDS: u32 = 64;

#[cold]
#[inline(never)]
pub(super) fn refine<A, B>(difference: &Difference<'_, A, B>, limit: f64, simplex: &mut Simplex, search: &mut Search)
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    search.cost.fallbacks += 1;
    go_on(difference, limit, simplex, search);
    // A last v that was not asked about: its plane is what the answer's normal proves.
    if search.height == f64::NEG_INFINITY && search.v != DVec3::ZERO {
        search.cost.support_calls += 2;
        search.height = difference.height(search.v) / search.v.length();
        search.lower = search.lower.max(search.height);
    }
}

/// The rounds.
fn go_on<A, B>(difference: &Difference<'_, A, B>, limit: f64, simplex: &mut Simplex, search: &mut Search)
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut progress = Progress::new(difference, limit);
    progress.resume(search.lower);
    if !settle(simplex, search) {
        return;
    }
    for _ in 0..MAX_ROUNDS {
        let length_squared = search.v.dot(search.v);
        if length_squared <= progress.floor_squared {
            search.exit = Exit::NearZero;
            return;
        }
        search.cost.iterations += 1;
        search.cost.support_calls += 2;
        let vertex = difference.support(search.v);
        let scaled = search.v.dot(vertex.w);
        let stop = progress.stop(scaled, length_squared);
        (search.lower, search.height) = (progress.lower(), scaled / length_squared.sqrt());
        if let Some(exit) = stop {
            search.exit = exit;
            return;
        }
        if !vertex.w.is_finite() {
            search.exit = Exit::BadSupport;
            return;
        }
        if simplex.contains(vertex.w) {
            search.exit = Exit::RepeatedSupport;
            return;
        }
        simplex.insert(vertex);
        if !settle(simplex, search) {
            return;
        }
        // A step may be too short for even these digits to see: what counts is that the new vertex is needed.
        if !simplex.contains(vertex.w) {
            search.exit = Exit::NoProgress;
            return;
        }
    }
    search.exit = Exit::IterationLimit;
}

/// Reduces the simplex and finds its v; `false` ends the search.
fn settle(simplex: &mut Simplex, search: &mut Search) -> bool {
    match double_double::reduce(simplex) {
        Nearest::Outside { v, .. } => {
            (search.v, search.height) = (v, f64::NEG_INFINITY);
            return true;
        }
        Nearest::Inside => {
            search.v = DVec3::ZERO;
            search.exit = Exit::Enclosed;
        }
        Nearest::Nothing => search.exit = Exit::NoSubset,
    }
    false
}
