//! The two loops of GJK, and what a search leaves behind.

use super::overlap;
use super::{Cache, Exit, Outcome};
use crate::narrow::Difference;
use crate::narrow::simplex::{Nearest, Reducer, Simplex, Subalgorithm};
use crate::pair::Cost;
use crate::shape::{Convex, NO_VERTEX};
use glam::DVec3;

/// No search runs longer; polytopes need fewer than twenty rounds, quadrics about fifty.
pub const MAX_ITERATIONS: u32 = 128;

/// The paper's ε, on the relative error of |v|.
const RELATIVE: f64 = 4.0 * f64::EPSILON;

/// How a search ended; lengths are those of the cores. The simplex stays with the caller: it is too large to move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    pub exit: Exit,
    /// The best point of A - B, a combination of the simplex.
    pub v: DVec3,
    /// The best height of a support plane, without allowance for rounding; negative infinity if there was none.
    pub lower: f64,
    pub cost: Cost,
}

/// Algorithm 1 of the paper. Ends early once the cores are proved to be farther apart than `limit`.
#[inline]
pub(super) fn distance<S, A, B>(
    difference: &Difference<'_, A, B>,
    limit: f64,
    cache: &Cache,
    reducer: &mut Reducer<S>,
) -> Search
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut cost = Cost::default();
    let mut lower = Height::NONE;
    let mut hints = [NO_VERTEX; 2];
    let floor_squared = difference.rounding * difference.rounding;
    // The heights of one round differ by less than their worst-case error: what a round can still resolve.
    let resolution_squared = floor_squared / 64.0;
    let beyond = Beyond::new(limit + difference.rounding);
    let mut v = match recall(difference, reducer, cache) {
        Some(v) => v,
        None => {
            let axis = first_axis(difference, cache);
            let vertex = difference.support(axis, hints);
            hints = vertex.ids;
            lower.raise(axis.dot(vertex.w), axis.dot(axis));
            cost.iterations = 1;
            reducer.insert(vertex);
            vertex.w
        }
    };
    let mut length_squared = v.dot(v);

    let exit = loop {
        if length_squared <= floor_squared {
            break Exit::NearZero;
        }
        if cost.iterations == MAX_ITERATIONS {
            break Exit::IterationLimit;
        }
        cost.iterations += 1;
        let vertex = difference.support(v, hints);
        hints = vertex.ids;
        // δ = v·w / |v| is a lower bound of the distance; μ is the best of them.
        let height = v.dot(vertex.w);
        lower.raise(height, length_squared);
        if beyond.is_exceeded_by(height, length_squared) {
            break Exit::Beyond;
        }
        // |v| - μ <= ε |v|, or within what the heights can resolve.
        let gap = length_squared - height;
        if gap <= RELATIVE * length_squared || gap * gap <= resolution_squared * length_squared {
            break Exit::Converged;
        }
        match reducer.extend(vertex, length_squared) {
            Nearest::Outside { v: nearest, length_squared: shortened } if shortened < length_squared => {
                v = nearest;
                length_squared = shortened;
            }
            Nearest::Inside => {
                v = DVec3::ZERO;
                break Exit::Enclosed;
            }
            _ if !vertex.w.is_finite() => break Exit::BadSupport,
            Nearest::Nothing => break Exit::NoSubset,
            // I3: rounding is all that is left to gain.
            Nearest::Outside { .. } if reducer.simplex.contains(vertex.w) => break Exit::RepeatedSupport,
            Nearest::Outside { .. } => break Exit::NoProgress,
        }
    };
    cost.support_calls = 2 * cost.iterations;
    Search { exit, v, lower: lower.value(), cost }
}

/// The best height of a support plane above the origin, squared: it saves the root in every round.
#[derive(Clone, Copy)]
struct Height {
    squared: f64,
}

impl Height {
    const NONE: Self = Self { squared: 0.0 };

    /// Takes note of the height v·w / |v|; only positive ones are of use.
    #[inline]
    fn raise(&mut self, scaled: f64, length_squared: f64) {
        let squared = scaled * scaled / length_squared;
        if scaled > 0.0 && squared > self.squared {
            self.squared = squared;
        }
    }

    fn value(self) -> f64 {
        self.squared.sqrt()
    }
}

/// The test whether a height exceeds a limit, without a root.
#[derive(Clone, Copy)]
struct Beyond {
    limit_squared: f64,
}

impl Beyond {
    #[inline]
    fn new(limit: f64) -> Self {
        // A negative limit is exceeded by every positive height.
        Self { limit_squared: if limit < 0.0 { 0.0 } else { limit * limit } }
    }

    #[inline]
    fn is_exceeded_by(self, scaled: f64, length_squared: f64) -> bool {
        scaled > 0.0 && scaled * scaled > self.limit_squared * length_squared
    }
}

/// Algorithm 2 of the paper with the axis of the last call (ISA-GJK): nothing if rounding kept it from an answer.
#[inline]
pub(super) fn separating_axis<S, A, B>(difference: &Difference<'_, A, B>, cache: &mut Cache) -> Option<bool>
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let beyond = Beyond::new(difference.rounding);
    let floor_squared = difference.rounding * difference.rounding;
    let mut v = first_axis(difference, cache);
    let first = difference.support(v, [NO_VERTEX; 2]);
    if beyond.is_exceeded_by(v.dot(first.w), v.dot(v)) {
        cache.axis = v;
        return Some(false);
    }
    let mut reducer = Reducer::<S>::default();
    reducer.insert(first);
    v = first.w;
    let mut length_squared = v.dot(v);
    let mut hints = first.ids;
    for _ in 1..MAX_ITERATIONS {
        if length_squared <= floor_squared {
            return Some(true);
        }
        let vertex = difference.support(v, hints);
        hints = vertex.ids;
        // v·w > 0 by more than rounding: v is a separating axis.
        if beyond.is_exceeded_by(v.dot(vertex.w), length_squared) {
            cache.axis = v;
            return Some(false);
        }
        match reducer.extend(vertex, length_squared) {
            Nearest::Outside { v: nearest, length_squared: shortened } if shortened < length_squared => {
                v = nearest;
                length_squared = shortened;
            }
            // A tetrahedron that is flat could claim to hold the origin; the combination itself cannot lie.
            Nearest::Inside => {
                let residue = reducer.simplex.combination().1;
                return (residue.dot(residue) <= floor_squared).then_some(true);
            }
            _ => return None,
        }
    }
    None
}

/// The nearest point of the simplex of the last call, if there was one.
#[inline]
fn recall<S, A, B>(difference: &Difference<'_, A, B>, reducer: &mut Reducer<S>, cache: &Cache) -> Option<DVec3>
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    for ids in cache.ids.iter().take(usize::from(cache.count)) {
        if let Some(vertex) = difference.vertex(*ids)
            && !reducer.simplex.contains(vertex.w)
        {
            reducer.insert(vertex);
        }
    }
    match reducer.nearest() {
        Nearest::Outside { v, .. } => Some(v),
        Nearest::Inside => Some(DVec3::ZERO),
        Nearest::Nothing => {
            reducer.simplex.clear();
            None
        }
    }
}

/// The axis of the last call, else the line of centres, else any direction.
#[inline]
pub(super) fn first_axis<A, B>(difference: &Difference<'_, A, B>, cache: &Cache) -> DVec3
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let v = if cache.axis == DVec3::ZERO { difference.center() } else { cache.axis };
    if v.dot(v) > 0.0 { v } else { DVec3::X }
}

impl Search {
    /// Did the search stop before its bracket closed?
    #[inline]
    pub(super) fn needs_care(&self, simplex: &Simplex, rounding: f64) -> bool {
        match self.exit {
            Exit::Converged | Exit::Beyond | Exit::BadSupport | Exit::NearZero => false,
            Exit::Enclosed => simplex.combination().1.length() > rounding,
            _ => self.v.length() - self.lower > rounding,
        }
    }

    /// Keeps the simplex and the axis for the next call.
    #[inline]
    pub(super) fn remember(&self, simplex: &Simplex, cache: &mut Cache) {
        cache.count = simplex.count() as u8;
        for (ids, (_, vertex)) in cache.ids.iter_mut().zip(simplex.weighted()) {
            *ids = vertex.ids;
        }
        cache.axis = self.v;
    }

    /// The answer for the shapes: the cores' answer and the two radii.
    #[inline]
    pub(super) fn outcome<A, B>(&self, difference: &Difference<'_, A, B>, simplex: &Simplex, radii: [f64; 2]) -> Outcome
    where
        A: Convex + ?Sized,
        B: Convex + ?Sized,
    {
        if matches!(self.exit, Exit::NearZero | Exit::Enclosed | Exit::BadSupport) {
            return overlap::outcome(difference, self, simplex, radii);
        }
        let radius = radii[0] + radii[1];
        let rounding = difference.rounding + 4.0 * f64::EPSILON * radius;
        let (core_a, v) = simplex.combination();
        // I1 and I2, each with its allowance for rounding.
        let lower = self.lower - radius - rounding;
        let upper = if simplex.count() > 0 { v.length() - radius + rounding } else { f64::INFINITY };
        let length = self.v.length();
        let normal = -self.v / length;
        let distance = (length - radius).clamp(lower, upper.max(lower));
        let point_a = core_a + radii[0] * normal;
        Outcome {
            distance,
            point_a,
            point_b: point_a + distance * normal,
            normal,
            lower,
            upper,
            ids: simplex.ids(),
            count: simplex.count() as u8,
            exit: self.exit,
            closed: upper - lower <= 4.0 * rounding,
            cost: self.cost,
        }
    }
}
