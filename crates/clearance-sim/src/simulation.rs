//! One interface to all ways to advance a scene.

use crate::body::Inertial;
use crate::event::EventMode;
use crate::flight::Posed;
use crate::penalty::{CollisionTimes, PenaltyMode};
use crate::steps::StepMode;
use crate::{Error, Scene};
use clearance::math::{DMat3, DVec3};
use clearance::world::{self, Config, World};
use clearance::{BodyId, DepthBudget, Pose, Status};

/// Part of the size of the smallest moving body that is the collision epsilon. Limit: a gap that nobody sees; the number of micro-collisions of a body at rest grows with the root of its inverse.
const ENVELOPE: f64 = 1e-4;

/// Nodes of the search for the depth of an overlap that is measured. Limit: a few milliseconds; any number gives a bound.
const MEASURED_NODES: usize = 200;

/// How a scene advances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// From impact to impact, at proved times (Mirtich's impulses): nothing is missed, and nothing overlaps.
    #[default]
    Event,
    /// In fixed steps with soft contacts: for piles and everything that rests. Overlaps are pushed out, and fast bodies stop at their proved time of impact.
    Steps,
    /// With springs along the penetration depth, which act from the time of collision on (Kim and others): for solids that need not be convex. The energy never grows.
    Penalty,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Event, Self::Steps, Self::Penalty];

    /// The name of the mode in commands and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Steps => "steps",
            Self::Penalty => "penalty",
        }
    }
}

/// Settings of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Settings {
    /// How the scene advances.
    pub mode: Mode,
    /// The gap at which bodies collide in event mode, ε; a ten-thousandth of the size of the smallest moving body if it is left out.
    pub envelope: Option<f64>,
    /// Steps per second of the mode with fixed steps, and the least number of them in penalty mode; 60 if it is left out.
    pub rate: Option<f64>,
    /// In the mode with fixed steps bodies at rest sleep, unless this is set.
    pub keep_active: bool,
    /// Keep the contacts of all impacts, for [`Simulation::take_contacts`].
    pub keep_contacts: bool,
}

impl Settings {
    pub(crate) fn envelope_of(&self, scene: &Scene) -> f64 {
        self.envelope.unwrap_or(ENVELOPE * scene.smallest())
    }

    fn check(&self) -> Result<(), Error> {
        if let Some(rate) = self.rate.filter(|rate| !(*rate > 0.0 && rate.is_finite())) {
            return Err(Error::Input(format!(
                "the number of steps per second is {rate}, but must be a positive number"
            )));
        }
        match self.envelope {
            Some(envelope) if !(envelope > 0.0 && envelope.is_finite()) => {
                Err(Error::Input(format!("the collision epsilon is {envelope}, but must be a positive number")))
            }
            _ => Ok(()),
        }
    }
}

/// An impulse at a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactEvent {
    /// When.
    pub time: f64,
    /// The numbers of the two bodies.
    pub bodies: [usize; 2],
    /// Where, in the world.
    pub point: DVec3,
    /// From the first body to the second.
    pub normal: DVec3,
    /// On the second body; the first one has the opposite.
    pub impulse: DVec3,
    /// How fast the bodies approached there.
    pub approach_speed: f64,
}

/// The state of a mode.
enum AnyMode {
    Event(EventMode),
    Steps(StepMode),
    Penalty(PenaltyMode),
}

impl AnyMode {
    fn now(&self) -> f64 {
        match self {
            Self::Event(mode) => mode.fleet().now,
            Self::Steps(mode) => mode.now(),
            Self::Penalty(mode) => mode.fleet().now,
        }
    }

    fn advance(&mut self, until: f64) -> Result<(), Error> {
        match self {
            Self::Event(mode) => mode.advance(until),
            Self::Steps(mode) => mode.advance(until),
            Self::Penalty(mode) => mode.advance(until),
        }
    }

    fn state(&self, body: usize) -> Posed {
        match self {
            Self::Event(mode) => mode.fleet().state(body),
            Self::Steps(mode) => mode.state(body),
            Self::Penalty(mode) => mode.fleet().state(body),
        }
    }

    fn inertial(&self, body: usize) -> &Inertial {
        match self {
            Self::Event(mode) => &mode.fleet().inertials[body],
            Self::Steps(mode) => mode.inertial(body),
            Self::Penalty(mode) => &mode.fleet().inertials[body],
        }
    }
}

/// A scene that advances in time.
///
/// ```
/// use clearance::{Pose, Shape};
/// use clearance_sim::{Body, Mass, Material, Scene, Settings, Simulation};
///
/// let bouncy = Material { restitution: 0.5, ..Material::default() };
/// let mut scene = Scene::new([0.0, -10.0, 0.0]);
/// scene.add(Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY));
/// let ball = Body::new("ball", Shape::sphere(0.5)?, Pose::from_translation([0.0, 5.5, 0.0]), Mass::Total(1.0)).material(bouncy);
/// let ball = scene.add(ball);
/// let mut simulation = Simulation::new(&scene, Settings { envelope: Some(1e-9), ..Settings::default() })?;
/// simulation.advance(1.5)?;
/// // One second down, half a second up: a quarter of the height.
/// assert!((simulation.pose(ball).translation().y - 1.75).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation {
    scene: Scene,
    settings: Settings,
    mode: AnyMode,
    /// The bodies at their poses, for measurements.
    observer: World,
    ids: Vec<BodyId>,
    worst_penetration: f64,
}

impl Simulation {
    /// A scene at time zero. Refused are scenes that fail their [check](Scene::check), and bodies that overlap.
    pub fn new(scene: &Scene, settings: Settings) -> Result<Self, Error> {
        scene.check()?;
        settings.check()?;
        let mode = match settings.mode {
            Mode::Event => AnyMode::Event(EventMode::new(scene, &settings)?),
            Mode::Steps => AnyMode::Steps(StepMode::new(scene, &settings)?),
            Mode::Penalty => AnyMode::Penalty(PenaltyMode::new(scene, &settings)?),
        };
        let mut observer = World::new(Config::default());
        let mut ids = Vec::with_capacity(scene.bodies.len());
        for body in &scene.bodies {
            let inserted = world::Body::new(body.shape.clone(), body.pose);
            let is_dynamic = matches!(body.kind, crate::Kind::Dynamic(_));
            ids.push(observer.insert_body(if is_dynamic { inserted } else { inserted.fixed() }));
        }
        for &[a, b] in &scene.ignored {
            observer.set_ignored(ids[a], ids[b], true);
        }
        Ok(Self { scene: scene.clone(), settings, mode, observer, ids, worst_penetration: 0.0 })
    }

    /// The scene at its start.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// How the scene advances.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.settings.mode
    }

    /// The time that was reached.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.mode.now()
    }

    /// Advances to a time; an earlier one changes nothing. Steps that would end later are not taken. After an error the simulation is at the time that it names.
    pub fn advance(&mut self, until: f64) -> Result<(), Error> {
        if !until.is_finite() {
            return Err(Error::Input(format!("the time to advance to is {until}, but must be a finite number")));
        }
        self.mode.advance(until)
    }

    fn state(&self, body: usize) -> Posed {
        self.mode.state(body)
    }

    /// Where a body is.
    ///
    /// # Panics
    ///
    /// If the scene has no body of that number, as the other methods with one.
    #[must_use]
    pub fn pose(&self, body: usize) -> Pose {
        self.state(body).pose
    }

    /// The velocity of the center of mass of a body; of the origin, if the body is kinematic.
    #[must_use]
    pub fn velocity(&self, body: usize) -> DVec3 {
        self.state(body).velocity
    }

    /// The angular velocity of a body, in the axes of the world.
    #[must_use]
    pub fn angular_velocity(&self, body: usize) -> DVec3 {
        self.state(body).spin
    }

    /// The kinetic and potential energy of all dynamic bodies. Heights are measured from the origin, against gravity and along constant forces. In penalty mode the energy that the springs of
    /// contacts hold is counted, too.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let of = |body: usize| {
            let (state, inertial) = (self.state(body), self.mode.inertial(body));
            let center = state.pose.transform_point(inertial.center);
            let acceleration = inertial.acceleration(self.scene.gravity, self.scene.bodies[body].force);
            state.kinetic_energy(inertial) - inertial.mass * center.dot(acceleration)
        };
        let stored = if let AnyMode::Penalty(mode) = &self.mode { mode.stored() } else { 0.0 };
        (0..self.ids.len()).map(of).sum::<f64>() + stored
    }

    /// The momentum of all dynamic bodies.
    #[must_use]
    pub fn momentum(&self) -> DVec3 {
        (0..self.ids.len()).map(|body| self.velocity(body) * self.mode.inertial(body).mass).sum()
    }

    /// The angular momentum of all dynamic bodies about the origin.
    #[must_use]
    pub fn angular_momentum(&self) -> DVec3 {
        let of = |body: usize| {
            let (state, inertial) = (self.state(body), self.mode.inertial(body));
            let center = state.pose.transform_point(inertial.center);
            let inertia = inertial.world_inertia(DMat3::from_quat(state.pose.rotation()));
            center.cross(state.velocity * inertial.mass) + inertia * state.spin
        };
        (0..self.ids.len()).map(of).sum()
    }

    /// How many impacts there were. In event mode simultaneous ones of connected bodies count as one; in the other modes an impact is a pair that begins to push.
    #[must_use]
    pub fn events(&self) -> u64 {
        match &self.mode {
            AnyMode::Event(mode) => mode.events,
            AnyMode::Steps(mode) => mode.events,
            AnyMode::Penalty(mode) => mode.events,
        }
    }

    /// How many fixed steps were taken; in penalty mode how many impulses the springs have given. Event mode has none.
    #[must_use]
    pub fn steps(&self) -> u64 {
        match &self.mode {
            AnyMode::Event(_) => 0,
            AnyMode::Steps(mode) => mode.steps,
            AnyMode::Penalty(mode) => mode.impulses,
        }
    }

    /// How many distances, closed forms and manifolds the search for impacts and contacts took.
    #[must_use]
    pub fn checks(&self) -> u64 {
        match &self.mode {
            AnyMode::Event(mode) => mode.checks(),
            AnyMode::Steps(mode) => mode.checks(),
            AnyMode::Penalty(mode) => mode.checks(),
        }
    }

    /// The gap at which bodies collide in event mode, ε; zero in the other modes.
    #[must_use]
    pub fn envelope(&self) -> f64 {
        match &self.mode {
            AnyMode::Event(mode) => mode.envelope(),
            AnyMode::Steps(_) | AnyMode::Penalty(_) => 0.0,
        }
    }

    /// How many bodies sleep: bodies at rest in the mode with fixed steps, which cost nothing until something meets them.
    #[must_use]
    pub fn sleeping(&self) -> usize {
        if let AnyMode::Steps(mode) = &self.mode { mode.sleeping() } else { 0 }
    }

    /// How penalty mode has found the times of collision; `None` in the other modes.
    #[must_use]
    pub fn collision_times(&self) -> Option<CollisionTimes> {
        if let AnyMode::Penalty(mode) = &self.mode { Some(mode.times) } else { None }
    }

    /// The contacts since the last call, if the [settings](Settings::keep_contacts) keep them. In penalty mode a contact is there when it has ended, with its whole impulse.
    pub fn take_contacts(&mut self) -> Vec<ContactEvent> {
        let log = match &mut self.mode {
            AnyMode::Event(mode) => &mut mode.log,
            AnyMode::Steps(mode) => &mut mode.log,
            AnyMode::Penalty(mode) => &mut mode.log,
        };
        log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Measures how deep bodies overlap now: the proved bound of the worst pair, zero if all are apart. Of solids that are not convex it is the shortest translation that is known to free them.
    /// [`worst_penetration`](Self::worst_penetration) keeps the worst of all calls.
    pub fn measure(&mut self) -> f64 {
        for body in 0..self.ids.len() {
            self.observer.set_pose(self.ids[body], self.mode.state(body).pose);
        }
        let overlaps: Vec<_> = self
            .observer
            .update()
            .overlapping()
            .filter_map(|pair| Some(([pair.a, pair.b], *pair.clearance?)))
            .collect();
        let mut worst = 0.0_f64;
        for ([a, b], clearance) in overlaps {
            let mut depth = -clearance.lower;
            if clearance.status == Status::Open && depth > worst {
                let [one, other] = [a, b].map(|id| self.observer.body(id));
                if let (Some(one), Some(other)) = (one, other) {
                    let budget = DepthBudget { nodes: MEASURED_NODES, ..DepthBudget::default() };
                    depth = depth
                        .min(clearance::depth::depth(&one.shape, one.pose, &other.shape, other.pose, budget).upper);
                }
            }
            worst = worst.max(depth);
        }
        self.worst_penetration = self.worst_penetration.max(worst);
        worst
    }

    /// The deepest overlap that was [measured](Self::measure).
    #[must_use]
    pub fn worst_penetration(&self) -> f64 {
        self.worst_penetration
    }
}
