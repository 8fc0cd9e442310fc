//! Bodies that contacts connect, and the energy that contacts may not add.
//!
//! A pass never adds energy, but the impulses of the step before may, where the contacts have changed, and so may the passes with a bias. If the kinetic energy of an island has grown after the last pass of a sub-step,
//! its motion *within itself* is slowed down. Velocities become those of the rigid motion of the same momentum and angular momentum, plus a part of the rest. A rigid motion changes no distances, so all
//! speeds of approach and separation shrink by the same part, and no contact approaches that did not. The rigid motion has the least energy of its momentum, so the part exists. An island that touches a body that cannot
//! move has that body's motion, none, in place of the rigid one.
//!
//! To push bodies off a fixed one lifts them, which takes its energy from their motion, or from the energy that contacts have taken before; without any they stay where they were. The same bound for the kinetic and potential energy of a whole step. It also holds for the islands of bodies that stop within a step.

use super::StepBody;
use super::patch::{FoundPatch, Twist};
use clearance::Pose;
use clearance::math::{DMat3, DVec3};
use std::ops::Range;

/// Growth of the energy that is rounding. Bound: a sum of some hundred impulses.
const ROUNDING: f64 = 1e-14;

/// The islands of a step.
pub(super) struct Islands {
    pub list: Vec<Island>,
    /// The bodies of all islands.
    bodies: Vec<usize>,
}

/// Bodies that move together, and their contacts.
pub(super) struct Island {
    bodies: Range<usize>,
    pub patches: Range<usize>,
    /// A kinematic body or a torque does work on it.
    is_driven: bool,
    /// A body that cannot move is part of it, or an axis is locked.
    is_held: bool,
    /// Kinetic and potential, at the start of the step.
    whole: f64,
    /// Kinetic, before the impulses of a sub-step.
    energy: f64,
    /// The energy that contacts have taken in this step.
    taken: f64,
}

impl Island {
    /// Is it held by a body that does not move, and driven by none?
    pub fn may_sleep(&self) -> bool {
        self.is_held && !self.is_driven
    }
}

impl Islands {
    /// The islands of all active bodies, and the order of the patches by island.
    pub fn new(patches: &[FoundPatch], bodies: &[StepBody], twists: &[Twist]) -> (Self, Vec<usize>) {
        let mut roots: Vec<usize> = (0..bodies.len()).collect();
        let is_free = |body: usize| bodies[body].is_active();
        for patch in patches.iter() {
            if patch.bodies.iter().all(|&body| is_free(body)) {
                let [a, b] = patch.bodies.map(|body| root(&mut roots, body));
                roots[a.max(b)] = a.min(b);
            }
        }
        for body in 0..bodies.len() {
            roots[body] = root(&mut roots, body);
        }
        let root_of = |patch: &FoundPatch| {
            let [a, b] = patch.bodies;
            roots[if is_free(a) { a } else { b }]
        };
        // Stable: the order of pairs within an island stays.
        let mut sorted: Vec<usize> = (0..patches.len()).collect();
        sorted.sort_by_key(|&patch| root_of(&patches[patch]));
        let mut order: Vec<usize> = (0..bodies.len()).filter(|&body| is_free(body)).collect();
        order.sort_by_key(|&body| roots[body]);
        let mut islands = Self { list: Vec::new(), bodies: order };
        let (mut body, mut patch) = (0, 0);
        while let Some(&first) = islands.bodies.get(body) {
            let root = roots[first];
            let last = body + islands.bodies[body..].partition_point(|&other| roots[other] == root);
            let end = patch + sorted[patch..].partition_point(|&other| root_of(&patches[other]) == root);
            let held = |other: usize| !bodies[other].inertial.is_dynamic || !bodies[other].is_active();
            let (mut is_held, mut is_driven) = (false, false);
            for other in sorted[patch..end].iter().flat_map(|&found| patches[found].bodies).filter(|&other| held(other))
            {
                is_held = true;
                is_driven |= twists[other].velocity != DVec3::ZERO || twists[other].spin != DVec3::ZERO;
            }
            for &own in &islands.bodies[body..last] {
                is_driven |= bodies[own].torque != DVec3::ZERO;
                is_held |= bodies[own].inertial.has_locks();
            }
            let mut island = Island {
                bodies: body..last,
                patches: patch..end,
                is_driven,
                is_held,
                whole: 0.0,
                energy: 0.0,
                taken: 0.0,
            };
            let own = &islands.bodies[body..last];
            island.whole = kinetic(own, bodies, twists) + potential(own, bodies);
            islands.list.push(island);
            (body, patch) = (last, end);
        }
        (islands, sorted)
    }

    pub fn bodies_of(&self, island: &Island) -> &[usize] {
        &self.bodies[island.bodies.clone()]
    }

    /// All bodies of all islands.
    pub fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    /// Before the impulses of a sub-step.
    pub fn begin(&mut self, number: usize, bodies: &[StepBody], twists: &[Twist]) {
        let island = &mut self.list[number];
        if island.patches.is_empty() {
            return;
        }
        let own = &self.bodies[island.bodies.clone()];
        island.energy = kinetic(own, bodies, twists);
    }

    /// After the last pass: the bound of the module. A restitution may give back the energy that contacts have taken in this step.
    pub fn end(&mut self, number: usize, bodies: &[StepBody], twists: &mut [Twist], is_restitution: bool) {
        let island = &mut self.list[number];
        if island.is_driven || island.patches.is_empty() {
            return;
        }
        let own = &self.bodies[island.bodies.clone()];
        let allowed = island.energy + if is_restitution { island.taken } else { 0.0 };
        let now = kinetic(own, bodies, twists);
        let left = if now > allowed * (1.0 + ROUNDING) {
            slow_down(own, bodies, twists, now, allowed, island.is_held);
            allowed
        } else {
            now
        };
        island.taken = (island.taken + island.energy - left).max(0.0);
    }

    /// The end of the step: the energy that pushes have added as height comes from the motion. Bodies that have `stopped` before others are held by them.
    /// Heights that motion cannot pay for are paid from the `reserve`, the energy that contacts have taken before. An island that the reserve does not lift stays at the `places` of the start of the step.
    pub fn settle(
        &self,
        bodies: &mut [StepBody],
        twists: &mut [Twist],
        places: &[Pose],
        stopped: &[bool],
        reserve: &mut f64,
    ) {
        for island in self.list.iter().filter(|island| !island.is_driven) {
            let own = &self.bodies[island.bodies.clone()];
            let is_held = island.is_held || own.iter().any(|&body| stopped.get(body).is_some_and(|&is| is));
            if !is_held {
                continue;
            }
            let moving = kinetic(own, bodies, twists);
            let gain = moving + potential(own, bodies) - island.whole;
            if gain > ROUNDING * island.whole.abs() {
                slow_down(own, bodies, twists, moving, (moving - gain).max(0.0), true);
                let open = (gain - moving).max(0.0);
                if open <= *reserve {
                    *reserve -= open;
                    continue;
                }
                for &body in own {
                    let own = &mut bodies[body];
                    own.rotation = places[body].rotation();
                    own.moving.center = places[body].transform_point(own.inertial.center);
                }
            } else {
                *reserve -= gain;
            }
        }
    }
}

fn root(roots: &mut [usize], mut body: usize) -> usize {
    while roots[body] != body {
        roots[body] = roots[roots[body]];
        body = roots[body];
    }
    body
}

/// The kinetic energy of a body with other velocities.
fn kinetic_of(body: &StepBody, twist: &Twist) -> f64 {
    let spin = body.rotation.conjugate() * twist.spin;
    0.5 * body.inertial.mass * twist.velocity.length_squared() + 0.5 * spin.dot(body.inertial.inertia * spin)
}

fn kinetic(list: &[usize], bodies: &[StepBody], twists: &[Twist]) -> f64 {
    list.iter().map(|&body| kinetic_of(&bodies[body], &twists[body])).sum()
}

fn potential(list: &[usize], bodies: &[StepBody]) -> f64 {
    let of = |&body: &usize| {
        let StepBody { moving, inertial, acceleration, .. } = &bodies[body];
        -inertial.mass * acceleration.dot(moving.center)
    };
    list.iter().map(of).sum()
}

/// Slows bodies down within their common motion until their energy is `allowed`.
fn slow_down(list: &[usize], bodies: &[StepBody], twists: &mut [Twist], now: f64, allowed: f64, is_held: bool) {
    let (mut center, mut common, mut least) = (DVec3::ZERO, Twist { velocity: DVec3::ZERO, spin: DVec3::ZERO }, 0.0);
    if !is_held {
        let sum = |of: &dyn Fn(usize) -> DVec3| list.iter().map(|&body| of(body)).sum::<DVec3>();
        let mass: f64 = list.iter().map(|&body| bodies[body].inertial.mass).sum();
        center = sum(&|body| bodies[body].moving.center * bodies[body].inertial.mass) / mass;
        common.velocity = sum(&|body| twists[body].velocity * bodies[body].inertial.mass) / mass;
        let mut inertia = DMat3::ZERO;
        let mut momentum = DVec3::ZERO;
        for &body in list {
            let StepBody { moving, inertial, rotation, .. } = &bodies[body];
            let (arm, own) = (moving.center - center, inertial.world_inertia(DMat3::from_quat(*rotation)));
            inertia += own + parallel_axis(arm) * inertial.mass;
            momentum += own * twists[body].spin + arm.cross(twists[body].velocity - common.velocity) * inertial.mass;
        }
        common.spin = inertia.inverse() * momentum;
        if !common.spin.is_finite() {
            common.spin = DVec3::ZERO;
        }
        least = 0.5 * mass * common.velocity.length_squared() + 0.5 * common.spin.dot(momentum);
    }
    // The energy is that of the common motion and that of the rest.
    let part = if now > least { ((allowed - least) / (now - least)).clamp(0.0, 1.0).sqrt() } else { 1.0 };
    for &body in list {
        let arm = bodies[body].moving.center - center;
        let velocity = common.velocity + common.spin.cross(arm);
        let twist = &mut twists[body];
        twist.velocity = velocity + (twist.velocity - velocity) * part;
        twist.spin = common.spin + (twist.spin - common.spin) * part;
    }
}

/// The inertia of a unit mass at the end of an arm.
fn parallel_axis(arm: DVec3) -> DMat3 {
    let square = arm.length_squared();
    DMat3::from_diagonal(DVec3::splat(square)) - DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z)
}
