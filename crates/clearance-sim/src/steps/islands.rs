//! Bodies that contacts connect, and the energy that contacts may not add.
//!
//! A few passes over very many contacts, as those of two links of a chain, do not solve them all, and may leave more energy than there was. Contacts take energy only. So the change of the velocities by
//! all impulses of an island is shortened. With v before them and v + s Δ after them, the kinetic energy is a convex function of s, and s is the largest number up to 1 at which it has not grown. Momentum is
//! kept, since the impulses of each pair are opposite. An approach that a shortened impulse leaves is for the next sub-step, or for the proved times of impact.
//!
//! Bodies that rest have hardly any energy, and the passes leave a residue of the size of a fall in one step. An island may grow by that much from the energy that contacts have taken before, and never from anything
//! else.
//!
//! To push bodies off a fixed one lifts them, which takes its energy from their motion.

use super::StepBody;
use super::solver::Patch;
use clearance::math::{DMat3, DVec3};

/// Growth of the energy that is rounding. Bound: a sum of some hundred impulses.
const ROUNDING: f64 = 1e-12;

/// The islands of a step.
pub(super) struct Islands {
    list: Vec<Island>,
    /// The energy that contacts have taken, and not given back.
    pub reserve: f64,
}

#[derive(Default)]
struct Island {
    bodies: Vec<usize>,
    /// A kinematic body or a torque does work on it.
    is_driven: bool,
    /// A body that cannot move is part of it.
    is_held: bool,
    /// Kinetic and potential, at the start of the step.
    whole: f64,
    before: Vec<[DVec3; 2]>,
    energy: f64,
    /// The energy that contacts have taken in this step.
    taken: f64,
    /// The energy of a fall in one step.
    noise: f64,
}

/// By body: a number that connected dynamic bodies share.
pub(super) fn roots(patches: &[Patch], bodies: &[StepBody]) -> Vec<usize> {
    fn root(roots: &mut [usize], mut body: usize) -> usize {
        while roots[body] != body {
            roots[body] = roots[roots[body]];
            body = roots[body];
        }
        body
    }
    let mut roots: Vec<usize> = (0..bodies.len()).collect();
    for patch in patches.iter().filter(|patch| patch.bodies.iter().all(|&body| bodies[body].inertial.is_dynamic)) {
        let [a, b] = patch.bodies.map(|body| root(&mut roots, body));
        roots[a.max(b)] = a.min(b);
    }
    (0..bodies.len()).map(|body| root(&mut roots, body)).collect()
}

impl Islands {
    pub fn new(patches: &[Patch], bodies: &[StepBody], roots: &[usize], step: f64, reserve: f64) -> Self {
        // By root.
        let mut numbers = vec![usize::MAX; bodies.len()];
        let mut list: Vec<Island> = Vec::new();
        let mut is_listed = vec![false; bodies.len()];
        for patch in patches {
            let Some(&first) = patch.bodies.iter().find(|&&body| bodies[body].inertial.is_dynamic) else { continue };
            let root = roots[first];
            if numbers[root] == usize::MAX {
                numbers[root] = list.len();
                list.push(Island::default());
            }
            let island = &mut list[numbers[root]];
            for body in patch.bodies {
                let StepBody { inertial, moving, .. } = &bodies[body];
                if !inertial.is_dynamic {
                    island.is_held = true;
                    island.is_driven |= moving.velocity != DVec3::ZERO || moving.spin != DVec3::ZERO;
                } else if !is_listed[body] {
                    is_listed[body] = true;
                    island.is_driven |= bodies[body].torque != DVec3::ZERO;
                    island.bodies.push(body);
                }
            }
        }
        for island in &mut list {
            island.whole = island.energy_of(bodies, None) + island.height_of(bodies);
            let fall =
                |&body: &usize| 0.5 * bodies[body].inertial.mass * (bodies[body].acceleration * step).length_squared();
            island.noise = island.bodies.iter().map(fall).sum();
        }
        Self { list, reserve }
    }

    /// The end of the step, before bodies are stopped: the energy that pushes have added as height comes from the motion.
    pub fn settle(&mut self, bodies: &mut [StepBody]) {
        for island in self.list.iter().filter(|island| island.is_held && !island.is_driven) {
            let moving = island.energy_of(bodies, None);
            let gain = moving + island.height_of(bodies) - island.whole;
            let free = island.noise.min(self.reserve).min(gain.max(0.0));
            self.reserve -= free;
            let gain = gain - free;
            if gain > ROUNDING * island.whole.abs() && moving > 0.0 {
                let part = (1.0 - gain / moving).max(0.0).sqrt();
                for &body in &island.bodies {
                    bodies[body].moving.velocity *= part;
                    bodies[body].moving.spin *= part;
                }
            }
        }
    }

    /// Remembers the velocities before impulses.
    pub fn begin(&mut self, bodies: &[StepBody]) {
        for island in &mut self.list {
            island.before.clear();
            island
                .before
                .extend(island.bodies.iter().map(|&body| [bodies[body].moving.velocity, bodies[body].moving.spin]));
            island.energy = island.energy_of(bodies, None);
        }
    }

    /// Shortens impulses since [`begin`](Self::begin) that have added energy. Those of a restitution may give back what contacts have taken in this step.
    pub fn end(&mut self, bodies: &mut [StepBody], is_restitution: bool) {
        for island in self.list.iter_mut().filter(|island| !island.is_driven) {
            let given = if is_restitution { island.taken } else { 0.0 };
            let allowed = island.energy + given.max(island.noise.min(self.reserve));
            let now = island.energy_of(bodies, None);
            if now > allowed * (1.0 + ROUNDING) {
                // E(s) = E + s P + s² Q with E(1) = now.
                let delta: Vec<[DVec3; 2]> = island.changes(bodies);
                let square = island.energy_of(bodies, Some(&delta));
                let linear = now - island.energy - square;
                let most = allowed - island.energy;
                let root = (linear * linear + 4.0 * square * most).max(0.0).sqrt();
                let part = if square > 0.0 { ((root - linear) / (2.0 * square)).clamp(0.0, 1.0) } else { 0.0 };
                for ((&body, before), delta) in island.bodies.iter().zip(&island.before).zip(delta) {
                    bodies[body].moving.velocity = before[0] + delta[0] * part;
                    bodies[body].moving.spin = before[1] + delta[1] * part;
                }
            }
            let lost = island.energy - island.energy_of(bodies, None);
            island.taken = (island.taken + lost).max(0.0);
            self.reserve = (self.reserve + lost).max(0.0);
        }
    }
}

impl Island {
    fn changes(&self, bodies: &[StepBody]) -> Vec<[DVec3; 2]> {
        let change = |(&body, before): (&usize, &[DVec3; 2])| {
            let moving = &bodies[body].moving;
            [moving.velocity - before[0], moving.spin - before[1]]
        };
        self.bodies.iter().zip(&self.before).map(change).collect()
    }

    /// The potential energy of the bodies.
    fn height_of(&self, bodies: &[StepBody]) -> f64 {
        let of = |&body: &usize| {
            let StepBody { moving, inertial, acceleration, .. } = &bodies[body];
            -inertial.mass * acceleration.dot(moving.center)
        };
        self.bodies.iter().map(of).sum()
    }

    /// The kinetic energy of the bodies, at their velocities or at others.
    fn energy_of(&self, bodies: &[StepBody], velocities: Option<&[[DVec3; 2]]>) -> f64 {
        let of = |(index, &body): (usize, &usize)| {
            let StepBody { moving, inertial, rotation, .. } = &bodies[body];
            let [velocity, spin] = velocities.map_or([moving.velocity, moving.spin], |list| list[index]);
            let inertia = inertial.world_inertia(DMat3::from_quat(*rotation));
            0.5 * inertial.mass * velocity.length_squared() + 0.5 * spin.dot(inertia * spin)
        };
        self.bodies.iter().enumerate().map(of).sum()
    }
}
