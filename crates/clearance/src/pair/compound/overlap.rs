//! How deep compounds overlap: minus the length of the shortest translation that separates them.
//!
//! A direction that separates two unions separates every pair of their parts, so the deepest pair proves that the distance is no more than
//! minus its depth. From below, any translation x of B that leaves all parts apart proves that it is no less than -|x|. Some are tried,
//! each with the proof that comes with it:
//!
//! 1. out of the deepest pair, along its normal: by the heights of both hulls along it, which is two looks into the trees, or by a
//!    search among the parts where B would then be. If that leaves all parts apart the bracket is closed;
//! 2. out of the hull of A, by the depth engine: where the hulls are apart the parts are;
//! 3. out of the deepest pair that is left at x, [a few times](PUSHES): what slides off one part along another.
//!
//! 4. where half-spaces leave nothing else, straight out of one of them, past everything: far, but a bound.
//!
//! Where none of them is as short as the deepest pair is deep the bracket is open, and says so.

use super::parts::{PartPairs, engine_rounding, rounding};
use super::{Engine, PairCache, Until, search};
use crate::math::Frame;
use crate::math::rounding::SMALLEST_LENGTH;
use crate::narrow::gjk;
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::{Bracket, goals};
use crate::pair::{Clearance, Status, unit};
use crate::shape::Convex;
use crate::trace::Trace;
use glam::DVec3;

/// Limit: pushes of B out of the deepest pair of parts that is left.
const PUSHES: usize = 3;

/// The answer about two unions whose deepest parts are known, and overlap or touch.
pub(super) fn bounded<T: Trace>(
    pairs: &PartPairs<'_>,
    mut deepest: Clearance,
    engine: Engine,
    trace: &mut T,
) -> Clearance {
    // One part each is what a distance is about; and what is infinitely deep is not to be separated.
    if pairs.is_single() || deepest.lower == f64::NEG_INFINITY {
        return deepest;
    }
    let mut best = LowerBound { bound: f64::NEG_INFINITY, direction: None };
    // Parts that are apart after a push shall be so beyond rounding.
    let of_parts = pairs.get(deepest.parts).map_or(0.0, |[a, b]| rounding(&a, &b) + engine_rounding(&a, &b));
    // Of what counts as zero, which both have in them, less will do.
    let relative = 8.0 * (pairs.gap.slack - SMALLEST_LENGTH) + 4.0 * (of_parts - SMALLEST_LENGTH);
    let margin = relative.max(0.0) + 2.0 * SMALLEST_LENGTH;
    let goal = deepest.lower - 2.0 * margin;
    // 1. Along the normal of the deepest pair.
    if pairs.are_bounded()
        && let Some(bound) = pairs.separation(deepest.normal)
    {
        best.try_direction(deepest.normal, bound);
    }
    let mut push = Push::new(pairs, engine, margin, deepest.normal, deepest.lower);
    if best.bound < goal && push.is_free(trace) {
        best.try_push(&push);
    }
    let is_along_normal = best.bound >= goal;
    if !is_along_normal {
        // 2. Out of the hull.
        if let Some((direction, bound)) = out_of_hull(pairs, deepest.normal) {
            best.try_direction(direction, bound);
        }
        // 3. Further.
        for _ in 1..PUSHES {
            if push.is_over(best.bound) {
                break;
            }
            if push.is_free(trace) {
                best.try_push(&push);
                break;
            }
        }
    }
    // 4. Out of a half-space.
    if best.bound == f64::NEG_INFINITY {
        for way in pairs.ways_out() {
            push.translation = way * (1.0 + margin / way.length());
            if push.is_free(trace) {
                best.try_push(&push);
                break;
            }
        }
    }
    // The search that found a translation good is the last one that was traced.
    if let Some(direction) = best.direction {
        trace.restart(DVec3::ZERO);
        trace.prune(direction);
    }
    deepest.cost += push.cost;
    deepest.lower = best.bound.min(deepest.distance);
    // Another pair than the deepest may have left its own bracket open, as meshes do.
    let size = pairs.a.bounding_radius() + pairs.b.bounding_radius();
    let is_wide = !Bracket::is_closed([deepest.lower, deepest.upper], 2.0 * margin, goals::UNION_DEPTH * size);
    deepest.status = match (best.bound >= goal, deepest.status) {
        (_, Status::Converged) if is_wide => Status::Open,
        (true, status) if is_along_normal => status,
        // Closed, but the normal is another.
        (true, Status::Converged) => Status::Stalled,
        (_, Status::BadSupport) => Status::BadSupport,
        _ => Status::Open,
    };
    deepest
}

/// A lower bound of the signed distance and what it rests on.
struct LowerBound {
    bound: f64,
    /// The direction along which the hulls overlap by no more; nothing if it rests on a translation after which all parts are apart.
    direction: Option<DVec3>,
}

impl LowerBound {
    fn try_direction(&mut self, direction: DVec3, bound: f64) {
        if bound > self.bound {
            *self = Self { bound, direction: Some(direction) };
        }
    }

    fn try_push(&mut self, push: &Push<'_, '_>) {
        // The length rounds by one ε and a half.
        let bound = -push.translation.length() * (1.0 + 2.0 * f64::EPSILON);
        if bound > self.bound {
            *self = Self { bound, direction: None };
        }
    }
}

/// B on its way out.
struct Push<'p, 'a> {
    pairs: &'p PartPairs<'a>,
    engine: Engine,
    margin: f64,
    translation: DVec3,
    cost: crate::pair::Cost,
}

impl<'p, 'a> Push<'p, 'a> {
    fn new(pairs: &'p PartPairs<'a>, engine: Engine, margin: f64, normal: DVec3, lower: f64) -> Self {
        let mut push = Self { pairs, engine, margin, translation: DVec3::ZERO, cost: crate::pair::Cost::default() };
        push.add(normal, lower);
        push
    }

    fn add(&mut self, normal: DVec3, lower: f64) {
        let step = (self.margin - lower) * normal;
        self.translation += if step.is_finite() { step } else { DVec3::ZERO };
    }

    /// Is there nothing to gain from a translation that is at least as long?
    fn is_over(&self, bound: f64) -> bool {
        -self.translation.length() <= bound
    }

    /// Is B free where it is now? If not, it is pushed out of the deepest pair.
    fn is_free<T: Trace>(&mut self, trace: &mut T) -> bool {
        let moved = self.pairs.moved_by(self.translation);
        trace.restart(self.translation);
        let found = search(
            &moved,
            Until { limit: 0.0, floor: f64::NEG_INFINITY },
            self.engine,
            &mut PairCache::default(),
            trace,
        );
        self.cost += found.cost;
        if found.is_apart() {
            return true;
        }
        self.add(found.normal, found.lower);
        false
    }
}

/// A direction along which the hulls of two shapes overlap by little, and a lower bound of their signed distance; nothing if one of
/// them is unbounded.
#[cold]
fn out_of_hull(pairs: &PartPairs<'_>, normal: DVec3) -> Option<(DVec3, f64)> {
    if !pairs.are_bounded() {
        return None;
    }
    pairs.a.shape.with_hull(|a| pairs.b.shape.with_hull(|b| between_hulls(pairs, a, b, normal)))??
}

fn between_hulls(pairs: &PartPairs<'_>, a: &dyn Convex, b: &dyn Convex, normal: DVec3) -> Option<(DVec3, f64)> {
    let frame = Frame::relative(&pairs.a.pose, &pairs.b.pose);
    let scale = a.bounding_radius() + b.bounding_radius() + frame.translation.abs().element_sum();
    if !unit::is_ordinary(scale) {
        return None;
    }
    let mut cache = gjk::WarmSimplex::of_axis(-pairs.a.pose.inverse_transform_vector(normal));
    let found = gjk::distance_up_to::<SignedVolumes, _, _>(a, b, &frame, f64::INFINITY, &mut cache);
    // The bound is that of a direction: taken again, it allows for what placing the parts has rounded.
    let direction = pairs.a.pose.transform_vector(found.normal);
    let bound = pairs.separation(direction)?;
    bound.is_finite().then_some((direction, bound))
}
