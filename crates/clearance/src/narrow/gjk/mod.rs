//! GJK: how far is the origin from A - B, and is it inside?
//!
//! Paper \[GJK\] (van den Bergen 1999): algorithm 1 (distance), algorithm 2 (separating axis), incremental separating
//! axis, the robust stops of section 5.
//!
//! | paper | here | meaning |
//! |---|---|---|
//! | v | `v` | point of A - B nearest to the origin so far; `-v` points from A to B |
//! | w | `w` | support point of A - B along `-v` |
//! | W | `simplex` | the vertices whose hull holds v |
//! | δ, μ | `v·w / \|v\|`, `lower` | height of the support plane, the best of them |
//!
//! **Invariants.** I1: v is a convex combination of the simplex, so |v| is at least the distance. I2: every plane through a
//! support point bounds A - B, so μ is at most the distance. I3: |v| falls strictly from round to round; a round that
//! does not achieve that ends the search. I1 and I2 hold at every exit, so the bracket does too.
//!
//! **Ends.** I3 and the finite number of simplices end the search for polytopes; for smooth shapes the stop on relative progress does.
//! [`MAX_ITERATIONS`] ends searches that rounding could keep alive, and is an exit with a name like the others.
//!
//! **Deviations from the paper.** (1) The subalgorithm is [`SignedVolumes`]; Johnson's is in `clearance-papers`. (2) The tolerances ε and ω
//! are not arguments: the stops compare with the rounding error of the pair at hand. (3) A more careful search (`refine`) continues one
//! that stops with an open bracket, with a v whose own plane does not close it, or with weights that make another point than v. It is
//! counted. (4) A warm start takes vertex numbers, not points. (5) With signed volumes, a search in single precision (`gjk_f32`) comes
//! first. It answers clear cases by proof, and leaves the others a simplex that is mostly the final one. `confirm` then turns that into the
//! answer with a single support height. Johnson's subalgorithm runs without, as its paper has it.
//!
//! **Not Enhanced GJK.** With a kept [`WarmSimplex`] it is of the same kind as the method that the V-Clip paper compares with under that
//! name: hill climbing, the last simplex and Johnson's subalgorithm, after Cameron. In their places it has a table by direction, single
//! precision first and signed volumes. Enhanced GJK itself is in `clearance-papers`, with its operations counted.
//!
//! Complexity: about seven rounds for polytopes of any size, each of two support points and one simplex.
//!
//! Prefer another engine when: there is a closed form.

mod confirm;
mod refine;
mod search;
#[cfg(test)]
mod tests;

pub use search::MAX_ITERATIONS;

use super::gjk_f32::{self, FilterVerdict};
use super::outcome::{Exit, Outcome};
use super::simplex::{Reducer, SignedVolumes, Subalgorithm};
use super::{Bracket, Difference, depth};
use crate::math::Frame;
use crate::shape::Convex;
use glam::DVec3;

/// State kept from one call to the next: vertex numbers and a direction, safe when stale. The default is cold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WarmSimplex {
    /// Vertex numbers of the last simplex, in A and B.
    ids: [[u32; 2]; 4],
    /// How many of them are in use.
    count: u8,
    /// The last v in the frame of A: a separating axis if the shapes were apart. Zero when there is none.
    axis: DVec3,
}

impl WarmSimplex {
    /// A direction that was good last time: v in the frame of A, or zero.
    #[must_use]
    pub fn axis(&self) -> DVec3 {
        self.axis
    }

    /// The numbers of two vertices that were among the closest, unless the shapes overlapped.
    pub(crate) fn nearest_ids(&self) -> Option<[u32; 2]> {
        (1..=3).contains(&self.count).then_some(self.ids[0])
    }

    /// The numbers of the vertices that are remembered.
    #[doc(hidden)]
    pub fn ids(&self) -> &[[u32; 2]] {
        &self.ids[..usize::from(self.count.min(4))]
    }

    /// Starts the next search along another axis, v in the frame of A; the simplex, if there is one, stays.
    #[doc(hidden)]
    pub fn aim(&mut self, axis: DVec3) {
        self.axis = axis;
    }

    /// The cache of an engine that knows some vertices of the simplex, up to four.
    #[doc(hidden)]
    pub fn of_simplex(ids: &[[u32; 2]]) -> Self {
        let mut cache = Self { count: ids.len().min(4) as u8, ..Self::default() };
        for (place, id) in cache.ids.iter_mut().zip(ids) {
            *place = *id;
        }
        cache
    }

    /// The cache of an engine that knows the axis but no simplex.
    #[must_use]
    pub fn of_axis(axis: DVec3) -> Self {
        Self { axis, ..Self::default() }
    }
}

/// Signed distance, witnesses and bracket.
///
/// ```
/// use clearance::math::Frame;
/// use clearance::internals::narrow::gjk::{self, WarmSimplex};
/// use clearance::shape::{Cuboid, Sphere};
/// use clearance::Pose;
///
/// let (ball, cube) = (Sphere::new(1.0)?, Cuboid::new([1.0, 1.0, 1.0].into())?);
/// let b_in_a = Frame::relative(&Pose::IDENTITY, &Pose::from_translation([4.0, 0.0, 0.0]));
/// let mut cache = WarmSimplex::default();
/// let out = gjk::distance(&ball, &cube, &b_in_a, &mut cache);
/// assert!((out.distance - 2.0).abs() < 1e-13 && out.lower <= 2.0 && 2.0 <= out.upper);
/// assert!(!gjk::intersects(&ball, &cube, &b_in_a, &mut cache));
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn distance<A, B>(a: &A, b: &B, b_in_a: &Frame, cache: &mut WarmSimplex) -> Outcome
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    distance_up_to::<SignedVolumes, A, B>(a, b, b_in_a, f64::INFINITY, cache)
}

/// The signed distance if it is at most `limit`; a search that proves it to be more ends with [`Exit::Beyond`], and only
/// its `lower` is then of use.
pub fn distance_up_to<S, A, B>(a: &A, b: &B, b_in_a: &Frame, limit: f64, cache: &mut WarmSimplex) -> Outcome
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    search_up_to::<true, S, A, B>(a, b, b_in_a, limit, cache)
}

/// [`distance_up_to`] of shapes that are apart; of those that overlap no more than that `lower` is not positive.
pub(crate) fn distance_or_overlap<A, B>(a: &A, b: &B, b_in_a: &Frame, limit: f64, cache: &mut WarmSimplex) -> Outcome
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    search_up_to::<false, SignedVolumes, A, B>(a, b, b_in_a, limit, cache)
}

/// [`distance_up_to`], where it can be left out how deep shapes overlap.
#[inline]
fn search_up_to<const DEPTH: bool, S, A, B>(
    a: &A,
    b: &B,
    b_in_a: &Frame,
    limit: f64,
    cache: &mut WarmSimplex,
) -> Outcome
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let difference = Difference::new(a, b, b_in_a);
    let radii = [a.radius(), b.radius()];
    let mut prefiltered = 0;
    if S::IS_PREFILTERED {
        if let Some(near) = confirm::confirm(&difference, cache) {
            return near.outcome(&difference, cache, radii, limit, 0);
        }
        let seed = &cache.ids[..usize::from(cache.count.min(3))];
        let report = gjk_f32::prefilter::<true, A, B>(&difference, search::first_axis(&difference, cache), seed);
        cache.ids = report.ids;
        cache.count = report.count;
        cache.axis = report.axis;
        prefiltered = report.iterations;
        if let Some(near) = confirm::confirm(&difference, cache) {
            return near.outcome(&difference, cache, radii, limit, prefiltered);
        }
        if DEPTH
            && report.verdict == FilterVerdict::Overlapping
            && let Some(deep) = depth::rough::outcome(&difference, &report, radii)
        {
            return deep;
        }
    }
    let mut outcome = search_and_refine::<DEPTH, S, A, B>(&difference, limit + radii[0] + radii[1], cache, radii);
    outcome.cost.iterations += prefiltered;
    outcome.cost.support_calls += 2 * prefiltered;
    outcome
}

/// The long way, from whatever the cache holds. Not part of its caller, which is short and often called.
#[inline(never)]
fn search_and_refine<const DEPTH: bool, S, A, B>(
    difference: &Difference<'_, A, B>,
    limit: f64,
    cache: &mut WarmSimplex,
    radii: [f64; 2],
) -> Outcome
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut reducer = Reducer::<S>::default();
    let mut search = search::distance(difference, limit, cache, &mut reducer);
    let mut combination = reducer.simplex.combination();
    if search.is_open::<DEPTH>(combination.1, difference.rounding) {
        refine::refine(difference, limit, &mut reducer.simplex, &mut search);
        combination = reducer.simplex.combination();
    }
    search.remember(&reducer.simplex, cache);
    let is_bad = search.exit == Exit::BadSupport;
    // No plane separates as far as was seen: whatever ended the search, the shapes overlap, or touch to rounding.
    let is_apart = Bracket::is_apart(search.lower) && !matches!(search.exit, Exit::NearZero | Exit::Enclosed);
    if is_apart && !is_bad {
        search.outcome(difference, &reducer.simplex, combination, radii)
    } else if is_bad || !DEPTH {
        depth::unknown(search.exit, search.cost)
    } else {
        depth::outcome(difference, &reducer.simplex, radii, search.exit, search.cost)
    }
}

/// Do the shapes share a point? Touching counts: `false` is proved, `true` means overlap or a gap within rounding.
pub fn intersects<A, B>(a: &A, b: &B, b_in_a: &Frame, cache: &mut WarmSimplex) -> bool
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    intersects_with::<SignedVolumes, A, B>(a, b, b_in_a, cache)
}

/// The closest points if the shapes share no point, without the depth if they do: for engines that could not tell.
#[cold]
#[doc(hidden)]
pub fn closest_if_apart<A, B>(a: &A, b: &B, b_in_a: &Frame) -> Option<Outcome>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut cache = WarmSimplex::default();
    let is_apart = !intersects(a, b, b_in_a, &mut cache);
    is_apart.then(|| distance(a, b, b_in_a, &mut cache))
}

/// [`intersects`] with a chosen subalgorithm.
pub fn intersects_with<S, A, B>(a: &A, b: &B, b_in_a: &Frame, cache: &mut WarmSimplex) -> bool
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    intersects_here::<false, S, A, B>(a, b, b_in_a, cache)
}

/// [`intersects_with`] as a part of the caller's code, and with a cold start that is faster but not GJK's own.
#[inline(always)]
pub(crate) fn intersects_here<const REFLECT: bool, S, A, B>(
    a: &A,
    b: &B,
    b_in_a: &Frame,
    cache: &mut WarmSimplex,
) -> bool
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let radius = a.radius() + b.radius();
    if radius > 0.0 {
        // The separating axis of the cores says nothing about their roundings: stop when the gap exceeds the radii.
        return is_not_apart::<S, A, B>(a, b, b_in_a, cache);
    }
    let difference = Difference::new(a, b, b_in_a);
    if S::IS_PREFILTERED {
        let mut seed = 0;
        if cache.count == 4 {
            if confirm::still_overlap(&difference, cache) {
                return true;
            }
            // Mostly the origin has left through one face, and one new vertex takes it in again.
            (seed, cache.count) = (4, 0);
        }
        let axis = search::first_axis(&difference, cache);
        let report = if cache.axis == DVec3::ZERO && seed == 0 {
            // Nothing separates balls that overlap, and they are inside of the shapes. (The axis is the line of centers here, or
            // they are at the same place. One that is remembered is the better guess.)
            let inside = a.inner_radius() + b.inner_radius() - difference.rounding;
            if inside > 0.0 && axis.length_squared() < inside * inside {
                return true;
            }
            if REFLECT {
                gjk_f32::prefilter_cold(&difference, axis)
            } else {
                gjk_f32::prefilter::<false, A, B>(&difference, axis, &[])
            }
        } else {
            loop {
                let report = gjk_f32::prefilter::<false, A, B>(&difference, axis, &cache.ids[..seed]);
                // A flat start may lead nowhere.
                if report.verdict != FilterVerdict::Unclear || std::mem::take(&mut seed) == 0 {
                    break report;
                }
            }
        };
        match report.verdict {
            FilterVerdict::Apart => {
                cache.axis = report.axis;
                return false;
            }
            FilterVerdict::Overlapping => {
                (cache.ids, cache.count) = (report.ids, report.count);
                return true;
            }
            FilterVerdict::Unclear => {}
        }
    }
    match search::separating_axis::<S, A, B>(&difference, cache) {
        Some(answer) => answer,
        None => is_not_apart::<S, A, B>(a, b, b_in_a, cache),
    }
}

/// The intersection test that follows from the distance.
fn is_not_apart<S, A, B>(a: &A, b: &B, b_in_a: &Frame, cache: &mut WarmSimplex) -> bool
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let outcome = search_up_to::<false, S, A, B>(a, b, b_in_a, 0.0, cache);
    let meets = matches!(outcome.exit, Exit::NearZero | Exit::Enclosed | Exit::BadSupport);
    // A search that stalls between yes and no leaves it to one that goes on as long as it gains anything.
    if !outcome.is_apart() && outcome.upper > 0.0 && !meets {
        let mut cold = WarmSimplex::default();
        return !search_up_to::<false, SignedVolumes, A, B>(a, b, b_in_a, f64::INFINITY, &mut cold).is_apart();
    }
    !outcome.is_apart()
}
