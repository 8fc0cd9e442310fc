//! Islands at rest sleep: they cost nothing until something meets them.
//!
//! **To sleep.** A body is quiet if it has stayed within [`QUIET`] of a place for [`PATIENCE`], and has not moved much farther in the second half of that time than in the first. An island sleeps when all its
//! bodies are quiet, and it lies on a body that does not move. A body that begins to slide by a small acceleration moves three times as far in the second half, so it does not sleep: a box slides down a slope whose tangent
//! exceeds its friction by 0.0075.
//!
//! **To become active.** An active body that may meet a sleeping one within a step activates the whole island of that body before the step. Sleeping bodies have no velocity, so sleep takes energy and never adds any.

use super::{Form, StepBody};
use clearance::math::{DQuat, DVec3};

/// How far a point of a quiet body moves at most, relative to the smallest moving body. Limit: 1.2 cm/s for a body of a metre; box2d has 5.
const QUIET: f64 = 6e-3;

/// Seconds for which all bodies of an island are quiet before it sleeps. Limit: the choice of box2d, box3d and rapier is half a second, too.
const PATIENCE: f64 = 0.5;

/// A quiet body moves at most by this factor farther in the second half of its time. Limit: a body that slides from rest has a factor of three, and 1.4 in the next half second.
const GROWTH: f64 = 1.2;

/// Motion, as a part of the longest one, that is always quiet. Limit: a body of a metre that slides by an acceleration of g/1000 moves as far in the first half.
const TREMOR: f64 = 0.03;

/// A quiet body moves at most this many times as fast as one that leaves its place in time. Limit: the tremor of a stack that comes to rest.
const HURRY: f64 = 4.0;

/// A place, and how long a body has been near it.
#[derive(Debug, Clone, Copy)]
struct Rest {
    place: (DVec3, DQuat),
    /// The place in the middle of the time.
    middle: (DVec3, DQuat),
    has_middle: bool,
    seconds: f64,
    is_quiet: bool,
}

impl Rest {
    fn new(body: &StepBody) -> Self {
        let place = (body.moving.center, body.rotation);
        Self { place, middle: place, has_middle: false, seconds: 0.0, is_quiet: false }
    }
}

/// The rest of each body.
pub(super) struct Sleep {
    /// Longest way of a quiet point.
    quiet: f64,
    rests: Vec<Rest>,
    /// The bodies of the sleeping islands, by their first body.
    islands: Vec<Vec<usize>>,
    is_enabled: bool,
}

/// How far the farthest point of a body has moved.
fn moved((center, rotation): (DVec3, DQuat), (other, turned): (DVec3, DQuat), reach: f64) -> f64 {
    // The chord of the farthest point.
    center.distance(other) + 2.0 * (turned * rotation.conjugate()).xyz().length() * reach
}

impl Sleep {
    pub fn new(bodies: &[StepBody], size: f64, is_enabled: bool) -> Self {
        Self {
            quiet: QUIET * size,
            rests: bodies.iter().map(Rest::new).collect(),
            islands: vec![Vec::new(); bodies.len()],
            is_enabled,
        }
    }

    /// The end of a step of an island: counts how long its bodies have been quiet, and puts it to sleep.
    pub fn rest(&mut self, list: &[usize], bodies: &mut [StepBody], forms: &[Form], may_sleep: bool, step: f64) {
        if !self.is_enabled || !may_sleep {
            return;
        }
        let mut is_quiet = true;
        for &body in list {
            let (rest, reach) = (&mut self.rests[body], forms[body].reach);
            let now = (bodies[body].moving.center, bodies[body].rotation);
            rest.seconds += step;
            // A body that stops within each step stays where it is, but is not at rest.
            let speed = bodies[body].moving.velocity.length() + bodies[body].moving.spin.length() * reach;
            if moved(rest.place, now, reach) > self.quiet || speed * PATIENCE > HURRY * self.quiet {
                *rest = Rest::new(&bodies[body]);
            } else if !rest.has_middle && rest.seconds >= 0.5 * PATIENCE {
                (rest.middle, rest.has_middle) = (now, true);
            } else if rest.seconds >= PATIENCE {
                let halves = [moved(rest.place, rest.middle, reach), moved(rest.middle, now, reach)];
                let is_steady = halves[1] <= GROWTH * halves[0] + TREMOR * self.quiet;
                *rest = Rest { is_quiet: is_steady, ..Rest::new(&bodies[body]) };
            }
            is_quiet &= rest.is_quiet;
        }
        if !is_quiet {
            return;
        }
        for &body in list {
            let moving = &mut bodies[body].moving;
            (moving.velocity, moving.spin) = (DVec3::ZERO, DVec3::ZERO);
            bodies[body].sleeps_with = Some(list[0]);
        }
        self.islands[list[0]] = list.to_vec();
    }

    /// Activates the island of a body.
    pub fn activate(&mut self, body: usize, bodies: &mut [StepBody]) {
        let Some(first) = bodies[body].sleeps_with else { return };
        for own in std::mem::take(&mut self.islands[first]) {
            bodies[own].sleeps_with = None;
            self.rests[own] = Rest::new(&bodies[own]);
        }
    }
}
