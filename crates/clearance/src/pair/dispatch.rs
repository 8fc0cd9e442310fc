//! The ways into the pair pipeline: with a memory or without, all of it or only what the remembered vector leaves open.

use super::distance::DistanceQuery;
use super::memory::Nothing;
use super::overlap::OverlapQuery;
use super::separation::{IsBeyond, Separation};
pub(super) use super::visit::Placed;
use super::visit::visit;
use super::{Clearance, Engine, Memory};
use glam::DVec3;

/// The clearance; if its `lower` is more than `limit`, only that is proved and of use.
#[inline]
pub(super) fn clearance(placed: Placed<'_>, limit: f64, engine: Engine, memory: &mut Memory) -> Clearance {
    visit(placed.a, placed.b, &mut DistanceQuery { placed: &placed, limit, engine, memory, record: () })
}

/// The clearance, with nothing to remember.
#[inline(always)]
pub(super) fn clearance_once(placed: Placed<'_>) -> Clearance {
    let mut query =
        DistanceQuery { placed: &placed, limit: f64::INFINITY, engine: Engine::Auto, memory: Nothing, record: () };
    visit(placed.a, placed.b, &mut query)
}

/// Do the shapes share a point?
#[inline]
pub(super) fn intersects(placed: Placed<'_>, engine: Engine, memory: &mut Memory) -> bool {
    !placed.are_far() && visit(placed.a, placed.b, &mut OverlapQuery { placed: &placed, engine, memory })
}

/// Do the shapes share a point, with nothing to remember?
#[inline]
pub(super) fn intersects_once(placed: Placed<'_>) -> bool {
    !placed.are_far()
        && visit(placed.a, placed.b, &mut OverlapQuery { placed: &placed, engine: Engine::Auto, memory: Nothing })
}

/// The clearance by that engine if it is at most `margin`, with nothing to remember.
pub(crate) fn within_once(placed: Placed<'_>, margin: f64, engine: Engine) -> Option<Clearance> {
    let (separation, memory) = (&mut Separation::default(), &mut Memory::default());
    Remembered { separation, memory }.within(placed, margin, engine)
}

/// What is remembered about a pair: the separating vector, which is tried first, and where the engines start from.
pub(crate) struct Remembered<'a> {
    pub separation: &'a mut Separation,
    pub memory: &'a mut Memory,
}

impl Remembered<'_> {
    /// Do the shapes share a point, when what is known of the heights along the remembered vector does not tell?
    #[inline(never)]
    pub(crate) fn intersects(self, placed: Placed<'_>, engine: Engine) -> bool {
        let Self { separation, memory } = self;
        let far = placed.far();
        if placed.is_farther_than(far) {
            separation.remember_far(far);
            return false;
        }
        if is_still_beyond(&placed, 0.0, separation, memory) {
            return false;
        }
        let answer = visit(placed.a, placed.b, &mut OverlapQuery { placed: &placed, engine, memory: &mut *memory });
        // The vector is made of the axis when it is asked for, which it never is for a pair that is asked once.
        let has_axis = memory.gjk.axis() != DVec3::ZERO;
        memory.is_aimed = !answer && has_axis && matches!(engine, Engine::Auto | Engine::SeparatingVector);
        answer
    }

    /// The clearance if it is at most `margin`, for a pair whose remembered vector does not show at once that it is more.
    #[inline(never)]
    pub(crate) fn within(self, placed: Placed<'_>, margin: f64, engine: Engine) -> Option<Clearance> {
        let Self { separation, memory } = self;
        if is_still_beyond(&placed, margin, separation, memory) {
            return None;
        }
        if engine == Engine::SeparatingVector
            && let Some(axis) =
                visit(placed.a, placed.b, &mut IsBeyond { placed: &placed, margin, axis: memory.gjk.axis() })
        {
            *separation = Separation::along(-placed.pose_a.direction(axis));
            return None;
        }
        let clearance = clearance(placed, margin, engine, memory);
        if clearance.lower <= margin {
            return Some(clearance);
        }
        if matches!(engine, Engine::Auto | Engine::SeparatingVector) {
            *separation = Separation::along(clearance.normal);
        }
        None
    }
}

/// Does the vector that is remembered show that the shapes are farther apart than `limit`? One that does not is forgotten, and
/// is where the next search starts.
#[inline]
fn is_still_beyond(placed: &Placed<'_>, limit: f64, separation: &mut Separation, memory: &mut Memory) -> bool {
    if memory.is_aimed && !separation.is_known() {
        *separation = Separation::along(-placed.pose_a.direction(memory.gjk.axis()));
    }
    if !separation.is_known() {
        return false;
    }
    if separation.look_at(placed, limit) {
        return true;
    }
    memory.gjk.aim(-placed.pose_a.inverse_direction(separation.vector()));
    (*separation, memory.is_aimed) = (Separation::default(), false);
    false
}
