//! Bodies that contacts connect, and the energy that contacts may not add.
//!
//! A few passes over very many contacts, as those of two links of a chain, do not solve them all, and may leave more energy than there was. Contacts take energy only, so the change of the velocities by
//! all impulses of an island is shortened: with v before them and v + s Δ after them, the kinetic energy is a convex function of s, and s is the largest number up to 1 at which it has not grown. Momentum is
//! kept, since the impulses of each pair are opposite. An approach that a shortened impulse leaves is for the next sub-step, or for the proved times of impact.

use super::StepBody;
use super::solver::Patch;
use clearance::math::{DMat3, DVec3};

/// Growth of the energy that is rounding. Bound: a sum of some hundred impulses.
const ROUNDING: f64 = 1e-12;

/// The islands of a step.
pub(super) struct Islands {
    list: Vec<Island>,
}

struct Island {
    bodies: Vec<usize>,
    /// A kinematic body does work on it.
    is_driven: bool,
    before: Vec<[DVec3; 2]>,
    energy: f64,
    /// The energy that contacts have taken in this step.
    taken: f64,
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
    pub fn new(patches: &[Patch], bodies: &[StepBody], roots: &[usize]) -> Self {
        // By root.
        let mut numbers = vec![usize::MAX; bodies.len()];
        let mut list: Vec<Island> = Vec::new();
        let mut is_listed = vec![false; bodies.len()];
        for patch in patches {
            let Some(&first) = patch.bodies.iter().find(|&&body| bodies[body].inertial.is_dynamic) else { continue };
            let root = roots[first];
            if numbers[root] == usize::MAX {
                numbers[root] = list.len();
                list.push(Island { bodies: Vec::new(), is_driven: false, before: Vec::new(), energy: 0.0, taken: 0.0 });
            }
            let island = &mut list[numbers[root]];
            for body in patch.bodies {
                let StepBody { inertial, moving, .. } = &bodies[body];
                if !inertial.is_dynamic {
                    island.is_driven |= moving.velocity != DVec3::ZERO || moving.spin != DVec3::ZERO;
                } else if !is_listed[body] {
                    is_listed[body] = true;
                    island.bodies.push(body);
                }
            }
        }
        Self { list }
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
            let allowed = island.energy + if is_restitution { island.taken } else { 0.0 };
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
            island.taken = (island.taken + island.energy - island.energy_of(bodies, None)).max(0.0);
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
