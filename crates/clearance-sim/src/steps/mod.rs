//! Fixed steps with soft contacts ("Soft Step": E. Catto, "Solver2D", 2024).
//!
//! A step finds the contact manifolds once and has [`SUBSTEPS`] sub-steps. Each integrates velocities and applies the impulses of the sub-step before (warm starting). It solves the contacts once
//! with a soft bias that pushes overlaps out, and integrates positions. Then it solves the contacts again without the bias, so that the push-out leaves no velocity (relaxation). One pass
//! at the end of the step gives restitution. Contact points that are still apart take part, too (speculative contacts): bodies may close their gap and no more.
//!
//! Rotation between impacts is integrated with the implicit gyroscopic term (E. Catto, "Physics for Game Programmers: Numerical Methods", 2015), which never adds energy.
//!
//! **Fast bodies** cannot pass through others. A body that travels more than [`FAST`] of its thickness in a step stops at its proved time of impact (`World::next_impact`), and goes on from there in the
//! next step.
//!
//! **Skin.** Bodies at rest keep a small gap, so that soft contacts need no overlap to carry a load. Bodies that touch at the start are moved apart by that much, as far as there is room.
//!
//! **Pairs that come too close.** A round body may roll off the points of its manifold, and the manifolds of meshes do not follow a deep overlap; within the skin they are right. Pairs that a step
//! makes overlap by more than the skin, and meshes whose skin it uses up, stop before their proved time of impact, and the solver opens the gap in the next step.
//!
//! **Limits.** Bodies at rest do not sleep. Bodies that overlap already may sink deeper under an impact or a load that soft contacts do not carry. A fast body that rocks, such as a rattleback, may gain some percent of energy where it is stopped within a step.

mod islands;
mod solver;

use crate::body::{Inertial, Kind, Material, thickness_of};
use crate::contact::{Contact, Moving};
use crate::flight::Posed;
use crate::overlap::DEEPEST;
use crate::start::separated;
use crate::{ContactEvent, Error, Scene, Settings, impact};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::motion::Impact;
use clearance::pair::Manifold;
use clearance::world::{self, Config, World};
use clearance::{BodyId, Interval, Motion, Pair, Pose, Shape, distance};
use islands::{Islands, roots};
use solver::{Direct, Patch, Solver};
use std::collections::BTreeMap;

/// Sub-steps of a step. Limit: four are the choice of box2d and box3d; more make stacks stiffer and take longer.
pub(crate) const SUBSTEPS: u32 = 4;

/// Relaxations of a sub-step. Limit: impulses are kept from step to step, so that few are needed.
const RELAXATIONS: u32 = 2;

/// Relaxations of a sub-step in which a contact is new. Limit: a box of one metre on a slope exactly at the limit of its friction keeps the slip that the first step leaves, here 4 mm/s; with two
/// relaxations it is twice as much.
const FRESH_RELAXATIONS: u32 = 12;

/// Steps per second, unless the settings say otherwise. Limit: the rate of a screen.
pub(crate) const RATE: f64 = 60.0;

/// A travel in a step, as a part of the thickness of the body, from which on the step is checked for impacts. Bound: at half of the least half side a slower body cannot pass its own contact points.
const FAST: f64 = 0.5;

/// The gap that bodies keep, the skin, relative to the smallest moving body. Limit: a gap that nobody sees; soft contacts under a stack of twenty equal bodies take up less.
const SKIN: f64 = 2e-3;

/// Fast bodies and surfaces stop at this part of the skin for the rest of the step. Bound: the solver opens the gap again before it is used up.
const LEAST_GAP: f64 = 0.125;

/// Halvings of the time at which a surface stops. Limit: a thousandth of the step; a time before is as good.
const HALVINGS: u32 = 10;

/// Points up to this part of the smaller body apart belong to a manifold. Limit: more make manifolds of bodies that only pass.
const SPECULATIVE: f64 = 0.04;

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
}

impl StepBody {
    fn pose(&self) -> Pose {
        Pose::new(self.moving.center - self.rotation * self.inertial.center, self.rotation)
    }
}

/// The warm start of a pair: its manifolds and the impulses at their points.
struct Kept {
    pair: Pair,
    patches: Vec<Patch>,
    /// Were all points of the manifolds apart at the start of the step?
    is_apart: bool,
}

/// See the module.
pub(crate) struct StepMode {
    world: World,
    ids: Vec<BodyId>,
    numbers: Vec<usize>,
    shapes: Vec<Shape>,
    bodies: Vec<StepBody>,
    ignored: Vec<[usize; 2]>,
    kept: BTreeMap<[usize; 2], Kept>,
    gravity: DVec3,
    /// Half of the least side of the box of each body, in its own frame.
    thickness: Vec<f64>,
    /// Is the shape, or a part of it, a mesh?
    is_surface: Vec<bool>,
    /// The size of the smallest moving body.
    size: f64,
    step: f64,
    /// The energy that contacts have taken, and not given back.
    reserve: f64,
    pub steps: u64,
    start: f64,
    pub events: u64,
    pub checks: u64,
    pub log: Option<Vec<ContactEvent>>,
}

impl StepMode {
    pub fn new(scene: &Scene, settings: &Settings) -> Result<Self, Error> {
        let size = scene.smallest();
        let mut world = World::new(Config { margin: SPECULATIVE * size, ..Config::default() });
        let (mut ids, mut bodies) = (Vec::new(), Vec::new());
        let inertials = scene.bodies.iter().map(|body| body.inertial()).collect::<Result<Vec<_>, _>>()?;
        // Bodies without room keep their place, and contacts push them.
        let poses = separated(scene, &inertials, SKIN * size, DEEPEST * size)?.poses;
        for ((body, inertial), pose) in scene.bodies.iter().zip(inertials).zip(poses) {
            let inserted = world::Body::new(body.shape.clone(), pose);
            ids.push(world.insert_body(if matches!(body.kind, Kind::Dynamic(_)) {
                inserted
            } else {
                inserted.fixed()
            }));
            let (velocity, spin) = body.start_velocities(&inertial);
            let posed = Posed { pose, velocity, spin };
            bodies.push(StepBody {
                moving: posed.moving(&inertial),
                rotation: pose.rotation(),
                inertial,
                material: body.material,
                acceleration: inertial.acceleration(scene.gravity, body.force),
                torque: body.torque,
                stops_at: body.stops_at(),
                is_round: body.shape.convex().is_some_and(|core| core.radius() > 0.0),
                travel: DVec3::ZERO,
                turn: DQuat::IDENTITY,
            });
        }
        let mut numbers = vec![0; ids.len()];
        for (number, id) in ids.iter().enumerate() {
            numbers[id.slot() as usize] = number;
        }
        for &[a, b] in &scene.ignored {
            world.set_ignored(ids[a], ids[b], true);
        }
        let rate = settings.rate.unwrap_or(RATE);
        let mode = Self {
            thickness: scene.bodies.iter().map(|body| thickness_of(&body.shape)).collect(),
            is_surface: scene.bodies.iter().map(|body| is_surface(&body.shape)).collect(),
            shapes: scene.bodies.iter().map(|body| body.shape.clone()).collect(),
            ignored: scene.ignored.clone(),
            kept: BTreeMap::new(),
            gravity: scene.gravity,
            size,
            step: 1.0 / rate,
            reserve: 0.0,
            steps: 0,
            start: 0.0,
            events: 0,
            checks: 0,
            log: settings.keep_contacts.then(Vec::new),
            world,
            ids,
            numbers,
            bodies,
        };
        Ok(mode)
    }

    pub fn now(&self) -> f64 {
        self.start + self.steps as f64 * self.step
    }

    pub fn inertial(&self, number: usize) -> &Inertial {
        &self.bodies[number].inertial
    }

    pub fn state(&self, number: usize) -> Posed {
        let body = &self.bodies[number];
        Posed { pose: body.pose(), velocity: body.moving.velocity, spin: body.moving.spin }
    }

    /// Takes all steps that end by a time.
    pub fn advance(&mut self, until: f64) -> Result<(), Error> {
        // A step that ends a rounding later belongs to it.
        while self.now() + self.step <= until + 1e-6 * self.step {
            self.one_step()?;
            self.steps += 1;
        }
        Ok(())
    }

    fn one_step(&mut self) -> Result<(), Error> {
        let before: Vec<Pose> = self.bodies.iter().map(StepBody::pose).collect();
        let now = self.now();
        for (body, pose) in self.bodies.iter_mut().zip(&before) {
            if body.stops_at <= now {
                (body.moving.velocity, body.moving.spin) = (DVec3::ZERO, DVec3::ZERO);
            }
            (body.travel, body.turn) = (DVec3::ZERO, DQuat::IDENTITY);
            body.moving.inverse_inertia = body.inertial.inverse_inertia(DMat3::from_quat(pose.rotation()));
        }
        let mut patches = self.find_contacts(&before);
        let h = self.step / f64::from(SUBSTEPS);
        let solver = Solver::new(h, self.size, SKIN * self.size);
        for patch in &mut patches {
            solver.prepare(patch, &self.bodies);
        }
        let roots = roots(&patches, &self.bodies);
        let groups = Direct::groups(&patches, &self.bodies, &roots);
        let mut islands = Islands::new(&patches, &self.bodies, &roots, self.step, self.reserve);
        for _ in 0..SUBSTEPS {
            self.integrate_velocities(h);
            islands.begin(&self.bodies);
            for patch in &patches {
                solver.warm_start(patch, &mut self.bodies);
            }
            for patch in &mut patches {
                solver.solve(patch, &mut self.bodies, true);
            }
            for group in &groups {
                solver.solve_at_once(group, &mut patches, &mut self.bodies, true);
            }
            self.integrate_positions(h);
            let is_fresh = patches.iter().any(|patch| patch.is_new && patch.has_impulse());
            let relaxations = if is_fresh { FRESH_RELAXATIONS } else { RELAXATIONS };
            for _ in 0..relaxations {
                for patch in &mut patches {
                    solver.solve(patch, &mut self.bodies, false);
                }
            }
            for group in &groups {
                solver.solve_at_once(group, &mut patches, &mut self.bodies, false);
            }
            islands.end(&mut self.bodies, false);
        }
        let threshold = self.bounce_threshold();
        islands.begin(&self.bodies);
        for patch in &mut patches {
            solver.restitute(patch, &mut self.bodies, threshold);
        }
        islands.end(&mut self.bodies, true);
        islands.settle(&mut self.bodies);
        self.reserve = islands.reserve;
        self.keep(patches);
        self.stop_fast(&before)
    }

    /// Slower approaches do not bounce: gravity gives half of this speed in a step.
    fn bounce_threshold(&self) -> f64 {
        2.0 * self.gravity.length() * self.step
    }

    /// The manifolds of all pairs that are close.
    fn find_contacts(&mut self, poses: &[Pose]) -> Vec<Patch> {
        for (id, pose) in self.ids.iter().zip(poses) {
            self.world.set_pose(*id, *pose);
        }
        let slack = SPECULATIVE * self.size;
        // Bodies that are not fast must find the contacts that they may come to within the step.
        let travels: Vec<f64> = (0..self.bodies.len()).map(|number| self.travel(number)).collect();
        let widest = slack + 2.0 * travels.iter().copied().fold(0.0, f64::max);
        self.world.set_margin(widest);
        let update = self.world.update();
        let number = |id: BodyId| self.numbers[id.slot() as usize];
        let pairs: Vec<[usize; 2]> = update.within(widest).map(|pair| [pair.a, pair.b].map(number)).collect();
        self.checks += update.queries() as u64;
        let mut kept = std::mem::take(&mut self.kept);
        let mut patches = Vec::new();
        for pair in pairs {
            let [a, b] = pair;
            let fresh =
                || Kept { pair: Pair::new(&self.shapes[a], &self.shapes[b]), patches: Vec::new(), is_apart: true };
            let mut entry = kept.remove(&pair).unwrap_or_else(fresh);
            let mut margin = slack + travels[a] + travels[b];
            let is_touching =
                |list: &[Manifold]| list.iter().flat_map(Manifold::points).any(|point| point.distance <= slack);
            // A pair in contact is not stopped by an impact, so that all points that it may come to belong to it.
            let whole = slack + self.whole_travel(a) + self.whole_travel(b);
            if whole > margin && is_touching(entry.pair.manifolds(poses[a], poses[b], margin)) {
                margin = whole;
            }
            entry.is_apart = true;
            for manifold in entry.pair.manifolds(poses[a], poses[b], margin) {
                entry.is_apart &= manifold.points().iter().all(|point| point.distance > 0.0);
                let key = (manifold.parts, manifold.triangles);
                let old = entry.patches.iter().find(|patch| patch.key == key);
                let skin = (SKIN * self.size, self.has_surface(pair));
                patches.push(Patch::new(pair, manifold, old, [&self.bodies[a], &self.bodies[b]], poses, skin));
            }
            self.checks += 1;
            self.kept.insert(pair, entry);
        }
        patches
    }

    /// Is one of the two a surface? Its manifolds have their normals from the closest features, which are the right ones only while the bodies are apart.
    fn has_surface(&self, pair: [usize; 2]) -> bool {
        pair.iter().any(|&body| self.is_surface[body])
    }

    /// How far a point of a body may travel in a step.
    fn whole_travel(&self, number: usize) -> f64 {
        let (body, reach) = (&self.bodies[number].moving, self.shapes[number].bounding_radius());
        let turning = if body.spin == DVec3::ZERO { 0.0 } else { body.spin.length() * reach };
        (body.velocity.length() + turning) * self.step
    }

    /// [`whole_travel`](Self::whole_travel), but for fast bodies, which are stopped.
    fn travel(&self, number: usize) -> f64 {
        self.whole_travel(number).min(FAST * self.thickness[number])
    }

    /// Keeps impulses for the next step.
    fn keep(&mut self, patches: Vec<Patch>) {
        self.kept.values_mut().for_each(|kept| kept.patches.clear());
        let now = self.now() + self.step;
        for patch in patches {
            if let Some(log) = &mut self.log {
                log.extend(patch.events(now, &self.bodies));
            }
            self.events += u64::from(patch.is_new && patch.has_impulse());
            if let Some(kept) = self.kept.get_mut(&patch.bodies) {
                kept.patches.push(patch);
            }
        }
    }

    fn integrate_velocities(&mut self, h: f64) {
        for body in self.bodies.iter_mut().filter(|body| body.inertial.is_dynamic) {
            body.moving.velocity += body.acceleration * h;
            body.moving.spin += body.moving.inverse_inertia * body.torque * h;
            if body.inertial.is_isotropic || body.inertial.free_axes() < 3 {
                continue;
            }
            // One Newton step for the spin after the sub-step, in the axes of the body: I (ω' - ω) + h ω' × I ω' = 0.
            let inertia = body.inertial.inertia;
            let spin = body.rotation.conjugate() * body.moving.spin;
            let momentum = inertia * spin;
            let rest = spin.cross(momentum) * h;
            let jacobian = inertia + (cross_matrix(spin) * inertia - cross_matrix(momentum)) * h;
            let next = spin - jacobian.inverse() * rest;
            // A Newton step of a fast spin may overshoot: the energy of rotation is kept at most.
            let (before, after) = (spin.dot(momentum), next.dot(inertia * next));
            if next.is_finite() && after > 0.0 {
                body.moving.spin = body.rotation * (next * (before / after).sqrt().min(1.0));
            }
        }
    }

    fn integrate_positions(&mut self, h: f64) {
        for body in &mut self.bodies {
            let Moving { velocity, spin, .. } = body.moving;
            if velocity == DVec3::ZERO && spin == DVec3::ZERO {
                continue;
            }
            let turn = DQuat::from_scaled_axis(spin * h);
            body.moving.center += velocity * h;
            body.travel += velocity * h;
            body.rotation = (turn * body.rotation).normalize();
            body.turn = (turn * body.turn).normalize();
            body.moving.inverse_inertia = body.inertial.inverse_inertia(DMat3::from_quat(body.rotation));
        }
    }

    /// A time before a proved contact at which a pair has the least gap; or half of its gap at the start, if that is less.
    fn before_contact(&self, [a, b]: [usize; 2], moving: &World, ids: [BodyId; 2], [from, contact]: [f64; 2]) -> f64 {
        let gap = |time: f64| {
            let [pose_a, pose_b] = ids.map(|id| pose_at(moving, id, time));
            distance(&self.shapes[a], pose_a, &self.shapes[b], pose_b).lower
        };
        let level = (LEAST_GAP * SKIN * self.size).min(0.5 * gap(from));
        if !(level > 0.0) {
            return contact;
        }
        // Backwards: twice as far at each step.
        let (mut low, mut high, mut step) = (from, contact, 0.125 * (contact - from));
        while contact - step > from {
            if gap(contact - step) >= level {
                low = contact - step;
                break;
            }
            high = contact - step;
            step *= 2.0;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if gap(middle) >= level { low = middle } else { high = middle }
        }
        low
    }

    /// Two surfaces that stop before a contact have an impact at their closest points. Without it gravity would speed up a body that is held.
    fn halt(&mut self, pair: [usize; 2], moving: &World, ids: [BodyId; 2], time: f64) {
        let [pose_a, pose_b] = ids.map(|id| pose_at(moving, id, time));
        let found = distance(&self.shapes[pair[0]], pose_a, &self.shapes[pair[1]], pose_b);
        let [a, b] = pair.map(|body| self.bodies[body].material);
        let contact = Contact {
            bodies: [0, 1],
            point: 0.5 * (found.point_a + found.point_b),
            normal: found.normal,
            friction: (a.friction * b.friction).sqrt(),
            restitution: 0.0,
            tangential: 0.0,
            rolling: a.rolling_resistance.max(b.rolling_resistance),
        };
        let mut both = pair.map(|body| self.bodies[body].moving);
        for ((moving, pose), body) in both.iter_mut().zip([pose_a, pose_b]).zip(pair) {
            let inertial = &self.bodies[body].inertial;
            moving.inverse_inertia = inertial.inverse_inertia(DMat3::from_quat(pose.rotation()));
            moving.center = pose.transform_point(inertial.center);
        }
        let is_slow = contact.separation_speed(&both) > -self.bounce_threshold();
        let restitution = if is_slow { 0.0 } else { a.restitution.max(b.restitution) };
        impact::resolve(&mut both, &[Contact { restitution, ..contact }]);
        for (body, moving) in pair.into_iter().zip(both) {
            self.bodies[body].moving.velocity = moving.velocity;
            self.bodies[body].moving.spin = moving.spin;
        }
    }

    /// The pairs that were apart before this step, and have come too close in it: surfaces within a part of the skin, others if they overlap by as much.
    fn too_close(&mut self) -> Vec<[usize; 2]> {
        let mut found = Vec::new();
        let mut kept = std::mem::take(&mut self.kept);
        for (pair, entry) in &mut kept {
            if !entry.is_apart || entry.patches.is_empty() {
                continue;
            }
            let [pose_a, pose_b] = pair.map(|body| self.bodies[body].pose());
            self.checks += 1;
            let least = if self.has_surface(*pair) { LEAST_GAP } else { -1.0 } * SKIN * self.size;
            if entry.pair.distance(pose_a, pose_b).lower < least {
                found.push(*pair);
            }
        }
        self.kept = kept;
        found
    }

    /// Stops fast bodies, and those that have come too close, before their first proved impact in the step.
    fn stop_fast(&mut self, before: &[Pose]) -> Result<(), Error> {
        let is_fast = |number: usize, body: &StepBody| {
            let reach = self.shapes[number].bounding_radius();
            // The chord of the turn, at the farthest point.
            let turned = 2.0 * DVec3::new(body.turn.x, body.turn.y, body.turn.z).length() * reach;
            body.inertial.is_dynamic && body.travel.length() + turned > FAST * self.thickness[number]
        };
        let mut fast: Vec<bool> = self.bodies.iter().enumerate().map(|(number, body)| is_fast(number, body)).collect();
        let too_close = self.too_close();
        for &body in too_close.iter().flatten() {
            fast[body] = self.bodies[body].inertial.is_dynamic;
        }
        if !fast.contains(&true) {
            return Ok(());
        }
        let mut moving = World::default();
        let mut ids = Vec::new();
        for (number, body) in self.bodies.iter().enumerate() {
            let inserted = world::Body::new(self.shapes[number].clone(), before[number]);
            let inserted = if fast[number] { inserted } else { inserted.fixed() };
            let id = moving.insert_body(inserted);
            ids.push(id);
            if body.travel != DVec3::ZERO || body.turn != DQuat::IDENTITY {
                moving.set_motion(id, Motion::between(before[number], body.pose(), self.step)?);
            }
        }
        for &[a, b] in &self.ignored {
            moving.set_ignored(ids[a], ids[b], true);
        }
        let mut stopped = vec![false; ids.len()];
        let mut from = 0.0;
        while from < self.step
            && let Some(impact) = moving.next_impact(Interval::new(from, self.step)?)
        {
            let pair = impact.bodies.map(|id| id.slot() as usize);
            // A body that slides along another one within the skin takes very many steps of a search. It has not come closer.
            if let Impact::Undecided(_) = impact.impact
                && self.has_surface(pair)
                && !too_close.contains(&[pair[0].min(pair[1]), pair[0].max(pair[1])])
                && self.kept.keys().any(|kept| kept.contains(&pair[0]) && kept.contains(&pair[1]))
            {
                moving.set_ignored(impact.bodies[0], impact.bodies[1], true);
                continue;
            }
            let at = impact.time().max(from);
            from = self.before_contact(pair, &moving, impact.bodies, [from, at]);
            let is_early = impact.bodies.iter().any(|id| stopped[id.slot() as usize]);
            let mut is_stopping = false;
            for id in impact.bodies {
                let number = id.slot() as usize;
                // A body that meets one that was stopped stops, too: the solver did not know that place.
                let may_stop = fast[number] || is_early && self.bodies[number].inertial.is_dynamic;
                if may_stop && !stopped[number] {
                    (stopped[number], is_stopping) = (true, true);
                    let Some(pose) = moving.motion(id).map(|motion| motion.pose(from)) else { continue };
                    moving.set_pose(id, pose);
                    let body = &mut self.bodies[number];
                    body.rotation = pose.rotation();
                    body.moving.center = pose.transform_point(body.inertial.center);
                    // It has not fallen for the rest of the step, and so has not gained the speed of that fall.
                    if let Some(down) = body.acceleration.try_normalize() {
                        let gained = body.acceleration.length() * (self.step - from);
                        body.moving.velocity -= down * body.moving.velocity.dot(down).clamp(0.0, gained);
                    }
                }
            }
            if is_stopping && self.has_surface(pair) {
                self.halt(pair, &moving, impact.bodies, from);
            }
            if !is_stopping {
                // Contacts of bodies that are not fast are those of the solver.
                moving.set_ignored(impact.bodies[0], impact.bodies[1], true);
            }
        }
        Ok(())
    }
}

/// Where a body of a world is at a time.
fn pose_at(world: &World, id: BodyId, time: f64) -> Pose {
    let standing = world.body(id).map_or(Pose::IDENTITY, |body| body.pose);
    world.motion(id).map_or(standing, |motion| motion.pose(time))
}

/// A shape whose contacts are those of a surface.
fn is_surface(shape: &Shape) -> bool {
    match shape {
        Shape::Mesh(_) => true,
        Shape::Compound(compound) => compound.parts().iter().any(|part| is_surface(&part.shape)),
        _ => false,
    }
}

/// The matrix of v × ….
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}
