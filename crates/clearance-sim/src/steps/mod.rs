//! Fixed steps with soft contacts ("Soft Step": E. Catto, "Solver2D", 2024).
//!
//! A step finds the contact manifolds once (`contacts.rs`) and has [`SUBSTEPS`] sub-steps. Each integrates velocities and applies the impulses of the sub-step before (warm starting). It solves the contacts once
//! with a soft bias that pushes overlaps out, and integrates positions. Then it solves the contacts again without the bias, so that the push-out leaves no velocity (relaxation). One pass
//! at the end of the step gives restitution. Contact points that are still apart take part, too (speculative contacts): bodies may close their gap and no more.
//!
//! Rotation between impacts is integrated with the implicit gyroscopic term (E. Catto, "Physics for Game Programmers: Numerical Methods", 2015), which never adds energy. Contacts may not add energy either (`islands.rs`).
//!
//! **Fast bodies** cannot pass through others: they stop at their proved time of impact, and go on from there in the next step (`stops.rs`). So do pairs that a step brings too close.
//!
//! **Skin.** Bodies at rest keep a small gap, so that soft contacts need no overlap to carry a load. Bodies that touch at the start are moved apart by that much, as far as there is room.
//!
//! **Rest.** Islands at rest sleep (`sleep.rs`).
//!
//! **Limits.** Bodies that overlap already may sink deeper under an impact or a load that soft contacts do not carry.

mod contacts;
mod direct;
mod islands;
mod patch;
mod sleep;
mod solver;
mod stops;

use crate::body::{Inertial, Material, thickness_of};
use crate::contact::Moving;
use crate::flight::Posed;
use crate::overlap::DEEPEST;
use crate::start::separated;
use crate::{ContactEvent, Error, Scene, Settings};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Pose, Shape};
use contacts::Contacts;
use direct::Direct;
use islands::Islands;
use patch::{Patch, SoftPoint, Twist};
use sleep::Sleep;
use solver::Solver;

/// Sub-steps of a step. Limit: four are the choice of box2d and box3d; more make stacks stiffer and take longer.
pub(crate) const SUBSTEPS: u32 = 4;

/// Relaxations of a sub-step. Limit: impulses are kept from step to step, so that few are needed.
const RELAXATIONS: u32 = 2;

/// Relaxations of a new contact in a sub-step, after those of all contacts. Limit: a box of one metre on a slope exactly at the limit of its friction keeps the slip that the first step leaves, here 4 mm/s; without them
/// it is twice as much.
const FRESH_RELAXATIONS: u32 = 10;

/// Steps per second, unless the settings say otherwise. Limit: the rate of a screen.
pub(crate) const RATE: f64 = 60.0;

/// A travel in a step, as a part of the thickness of the body, from which on the step is checked for impacts. Bound: at half of the least half side a slower body cannot pass its own contact points.
const FAST: f64 = 0.5;

/// The gap that bodies keep, the skin, relative to the smallest moving body. Limit: a gap that nobody sees; soft contacts under a stack of twenty equal bodies take up less.
const SKIN: f64 = 2e-3;

/// Points up to this part of the smaller body apart belong to a manifold. Limit: more make manifolds of bodies that only pass.
const SPECULATIVE: f64 = 0.04;

/// The shape of a body, and lengths of it.
pub(super) struct Form {
    pub shape: Shape,
    /// The longest way in a step of a body that is not fast.
    pub stride: f64,
    /// The distance of the farthest point from the origin.
    pub reach: f64,
    /// Is the shape a mesh or a compound? Its manifolds have their normals from the closest features, which are the right ones only while the bodies are apart.
    pub is_surface: bool,
}

/// A body of the mode.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepBody {
    pub moving: Moving,
    pub rotation: DQuat,
    pub inertial: Inertial,
    pub material: Material,
    /// Of the center of mass, by gravity and the force on it.
    acceleration: DVec3,
    torque: DVec3,
    /// A ball or a rounded body rolls off its contact points.
    pub is_round: bool,
    /// When a kinematic body stops.
    stops_at: f64,
    /// The change of the center within the step.
    pub travel: DVec3,
    /// The change of the rotation within the step.
    pub turn: DQuat,
    /// The first body of its island, if it sleeps.
    pub sleeps_with: Option<usize>,
}

impl StepBody {
    fn pose(&self) -> Pose {
        Pose::new(self.moving.center - self.rotation * self.inertial.center, self.rotation)
    }

    /// Does it move by forces and impulses in this step?
    pub fn is_active(&self) -> bool {
        self.inertial.is_dynamic && self.sleeps_with.is_none()
    }

    /// Does it move in this step, by impulses or by its given velocities?
    pub fn is_moving(&self) -> bool {
        self.is_active()
            || !self.inertial.is_dynamic && (self.moving.velocity != DVec3::ZERO || self.moving.spin != DVec3::ZERO)
    }

    fn inverse_inertia(&self, rotation: DQuat) -> DMat3 {
        self.inertial.inverse_inertia(DMat3::from_quat(rotation))
    }

    fn twist(&self) -> Twist {
        Twist { velocity: self.moving.velocity, spin: self.moving.spin }
    }
}

/// See the module.
pub(crate) struct StepMode {
    forms: Vec<Form>,
    bodies: Vec<StepBody>,
    contacts: Contacts,
    sleep: Sleep,
    /// By body: how far its points have moved in the last step in which it did.
    moved: Vec<f64>,
    /// By body: did it stop within the last step?
    has_stopped: Vec<bool>,
    /// The energy that contacts have taken, and not given back by pushing bodies up.
    reserve: f64,
    gravity: DVec3,
    /// The size of the smallest moving body.
    size: f64,
    step: f64,
    pub steps: u64,
    pub events: u64,
    pub log: Option<Vec<ContactEvent>>,
}

impl StepMode {
    pub fn new(scene: &Scene, settings: &Settings) -> Result<Self, Error> {
        let size = scene.smallest();
        let inertials = scene.bodies.iter().map(|body| body.inertial()).collect::<Result<Vec<_>, _>>()?;
        // Bodies without room keep their place, and contacts push them.
        let poses = separated(scene, &inertials, SKIN * size, DEEPEST * size)?.poses;
        let insert = |((body, inertial), pose): ((&crate::Body, Inertial), Pose)| {
            let (velocity, spin) = body.start_velocities(&inertial);
            StepBody {
                moving: Posed { pose, velocity, spin }.moving(&inertial),
                rotation: pose.rotation(),
                inertial,
                material: body.material,
                acceleration: inertial.acceleration(scene.gravity, body.force),
                torque: body.torque,
                stops_at: body.stops_at(),
                is_round: body.shape.convex().is_some_and(|core| core.radius() > 0.0),
                travel: DVec3::ZERO,
                turn: DQuat::IDENTITY,
                sleeps_with: None,
            }
        };
        let bodies: Vec<StepBody> = scene.bodies.iter().zip(inertials).zip(poses).map(insert).collect();
        let form = |body: &crate::Body| Form {
            stride: FAST * thickness_of(&body.shape),
            reach: body.shape.bounding_radius(),
            is_surface: is_surface(&body.shape),
            shape: body.shape.clone(),
        };
        Ok(Self {
            forms: scene.bodies.iter().map(form).collect(),
            contacts: Contacts::new(&bodies, &scene.ignored, SPECULATIVE * size, SKIN * size),
            sleep: Sleep::new(&bodies, size, !settings.keep_active),
            moved: vec![0.0; bodies.len()],
            has_stopped: vec![false; bodies.len()],
            reserve: 0.0,
            gravity: scene.gravity,
            size,
            step: 1.0 / settings.rate.unwrap_or(RATE),
            steps: 0,
            events: 0,
            log: settings.keep_contacts.then(Vec::new),
            bodies,
        })
    }

    pub fn now(&self) -> f64 {
        self.steps as f64 * self.step
    }

    pub fn inertial(&self, number: usize) -> &Inertial {
        &self.bodies[number].inertial
    }

    pub fn state(&self, number: usize) -> Posed {
        let body = &self.bodies[number];
        Posed { pose: body.pose(), velocity: body.moving.velocity, spin: body.moving.spin }
    }

    pub fn checks(&self) -> u64 {
        self.contacts.checks
    }

    /// How many bodies sleep.
    pub fn sleeping(&self) -> usize {
        self.bodies.iter().filter(|body| body.sleeps_with.is_some()).count()
    }

    /// Takes all steps that end by a time.
    pub fn advance(&mut self, until: f64) -> Result<(), Error> {
        // A step that ends a rounding later belongs to it.
        while self.now() + self.step <= until + 1e-6 * self.step {
            // Nothing moves until the next kinematic body begins to, which none does.
            if self.bodies.iter().any(StepBody::is_moving) {
                self.one_step()?;
            }
            self.steps += 1;
        }
        Ok(())
    }

    fn one_step(&mut self) -> Result<(), Error> {
        let now = self.now();
        for body in &mut self.bodies {
            if body.stops_at <= now {
                (body.moving.velocity, body.moving.spin) = (DVec3::ZERO, DVec3::ZERO);
            }
            (body.travel, body.turn) = (DVec3::ZERO, DQuat::IDENTITY);
        }
        let before: Vec<Pose> = self.bodies.iter().map(StepBody::pose).collect();
        let travelled = (&self.moved[..], self.step);
        let found = self.contacts.find(&mut self.bodies, &self.forms, &before, travelled, &mut self.sleep);
        for body in self.bodies.iter_mut().filter(|body| body.is_active()) {
            body.moving.inverse_inertia = body.inverse_inertia(body.rotation);
        }
        let mut twists: Vec<Twist> = self.bodies.iter().map(StepBody::twist).collect();
        let (islands, order) = Islands::new(&found, &self.bodies, &twists);
        let mut points = Vec::new();
        let prepare = |&index: &usize| found[index].prepare(&self.bodies, &twists, SKIN * self.size, &mut points);
        let mut patches: Vec<Patch> = order.iter().map(prepare).collect();
        let islands = self.solve(islands, &mut patches, &mut points, &mut twists);
        self.put_back(&twists);
        self.keep(&patches, &points);
        let stopped = self.stop_bodies(&before)?;
        for (twist, body) in twists.iter_mut().zip(&self.bodies) {
            *twist = body.twist();
        }
        islands.settle(&mut self.bodies, &mut twists, &before, &stopped, &mut self.reserve);
        self.put_back(&twists);
        for island in &islands.list {
            let own = islands.bodies_of(island);
            self.sleep.rest(own, &mut self.bodies, &self.forms, island.may_sleep(), self.step);
        }
        Ok(())
    }

    fn put_back(&mut self, twists: &[Twist]) {
        for (body, twist) in self.bodies.iter_mut().zip(twists) {
            (body.moving.velocity, body.moving.spin) = (twist.velocity, twist.spin);
        }
    }

    /// All sub-steps.
    fn solve(
        &mut self,
        mut islands: Islands,
        patches: &mut [Patch],
        points: &mut [SoftPoint],
        twists: &mut [Twist],
    ) -> Islands {
        let h = self.step / f64::from(SUBSTEPS);
        let solver = Solver::new(h, self.size, SKIN * self.size);
        let groups: Vec<Option<Direct>> = islands
            .list
            .iter()
            .map(|island| Direct::of_island(island.patches.clone(), patches, points, &self.bodies))
            .collect();
        for _ in 0..SUBSTEPS {
            self.integrate_velocities(islands.bodies(), twists, h);
            for (number, group) in groups.iter().enumerate() {
                islands.begin(number, &self.bodies, twists);
                let range = islands.list[number].patches.clone();
                for patch in &patches[range.clone()] {
                    solver.warm_start(patch, points, &self.bodies, twists);
                }
                for patch in &mut patches[range] {
                    solver.solve(patch, points, &self.bodies, twists, true);
                }
                if let Some(group) = group {
                    group.solve(&solver, patches, points, twists, true);
                }
            }
            self.integrate_positions(islands.bodies(), twists, h);
            for (number, group) in groups.iter().enumerate() {
                let range = islands.list[number].patches.clone();
                for patch in &patches[range.clone()] {
                    patch.separate(points, &self.bodies);
                }
                for _ in 0..RELAXATIONS {
                    for patch in &mut patches[range.clone()] {
                        solver.solve(patch, points, &self.bodies, twists, false);
                    }
                }
                for patch in patches[range].iter_mut().filter(|patch| patch.is_new) {
                    let relaxations = if patch.has_impulse(points) { FRESH_RELAXATIONS } else { 0 };
                    for _ in 0..relaxations {
                        solver.solve(patch, points, &self.bodies, twists, false);
                    }
                }
                if let Some(group) = group {
                    group.solve(&solver, patches, points, twists, false);
                }
                islands.end(number, &self.bodies, twists, false);
            }
        }
        let threshold = self.bounce_threshold();
        for number in 0..islands.list.len() {
            islands.begin(number, &self.bodies, twists);
            for patch in &patches[islands.list[number].patches.clone()] {
                solver.restitute(patch, points, twists, threshold);
            }
            islands.end(number, &self.bodies, twists, true);
        }
        islands
    }

    /// Slower approaches do not bounce: gravity gives half of this speed in a step.
    fn bounce_threshold(&self) -> f64 {
        2.0 * self.gravity.length() * self.step
    }

    fn has_surface(&self, pair: [usize; 2]) -> bool {
        pair.iter().any(|&body| self.forms[body].is_surface)
    }

    /// Keeps impulses for the next step.
    fn keep(&mut self, patches: &[Patch], points: &[SoftPoint]) {
        let now = self.now() + self.step;
        let mut last = None;
        for patch in patches {
            if let Some(log) = &mut self.log {
                log.extend(patch.events(now, points, &self.bodies));
            }
            self.events += u64::from(patch.is_new && patch.has_impulse(points));
            if let Some(entry) = self.contacts.entry(patch.entry) {
                // The patches of a pair follow each other.
                if last.replace(patch.entry) != Some(patch.entry) {
                    entry.patches.clear();
                }
                entry.patches.push(patch.kept(points));
            }
        }
    }

    fn integrate_velocities(&self, list: &[usize], twists: &mut [Twist], h: f64) {
        for &number in list {
            let (body, twist) = (&self.bodies[number], &mut twists[number]);
            twist.velocity += body.acceleration * h;
            twist.spin += body.moving.inverse_inertia * body.torque * h;
            if body.inertial.is_isotropic || body.inertial.has_locked_rotation() {
                continue;
            }
            // One Newton step for the spin after the sub-step, in the axes of the body: I (ω' - ω) + h ω' × I ω' = 0.
            let inertia = body.inertial.inertia;
            let spin = body.rotation.conjugate() * twist.spin;
            let momentum = inertia * spin;
            let rest = spin.cross(momentum) * h;
            let jacobian = inertia + (cross_matrix(spin) * inertia - cross_matrix(momentum)) * h;
            let next = spin - jacobian.inverse() * rest;
            // A Newton step of a fast spin may overshoot: the energy of rotation is kept at most.
            let (before, after) = (spin.dot(momentum), next.dot(inertia * next));
            if next.is_finite() && after > 0.0 {
                twist.spin = body.rotation * (next * (before / after).sqrt().min(1.0));
            }
        }
    }

    fn integrate_positions(&mut self, list: &[usize], twists: &[Twist], h: f64) {
        let advance = |body: &mut StepBody, twist: &Twist| {
            let Twist { velocity, spin } = *twist;
            body.moving.center += velocity * h;
            body.travel += velocity * h;
            if spin != DVec3::ZERO {
                let turn = DQuat::from_scaled_axis(spin * h);
                body.rotation = (turn * body.rotation).normalize();
                body.turn = (turn * body.turn).normalize();
            }
        };
        for &number in list {
            advance(&mut self.bodies[number], &twists[number]);
        }
        for (body, twist) in self.bodies.iter_mut().zip(twists).filter(|(body, _)| !body.inertial.is_dynamic) {
            if twist.velocity != DVec3::ZERO || twist.spin != DVec3::ZERO {
                advance(body, twist);
            }
        }
    }
}

/// A shape whose contacts are those of a surface: the normal of a deep overlap is not the direction of the shortest escape.
fn is_surface(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(_) | Shape::Compound(_))
}

/// The matrix of v × ….
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}
