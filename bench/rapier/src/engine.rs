//! One interface to the engines.

use clearance::math::DVec3;
use clearance::{Pose, Shape};
use clearance_parry::ClearanceDispatcher;
use clearance_sim::{Body, Kind, Mass, Mode, Scene, Settings, Simulation};
use parry3d_f64::query::{DefaultQueryDispatcher, QueryDispatcher};
use rapier3d_f64::prelude::{
    CoefficientCombineRule, ColliderBuilder, NarrowPhase, PhysicsWorld, Pose as RapierPose, RigidBodyBuilder,
    RigidBodyHandle, Rotation, SharedShape, Vector,
};

/// Frames per second of all engines with fixed steps.
pub const RATE: f64 = 60.0;

/// The engines of a table, in the order of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// `clearance-sim` in fixed steps.
    Steps,
    /// `clearance-sim` from impact to impact.
    Event,
    /// rapier with parry's dispatcher.
    Rapier,
    /// rapier with `clearance-parry`.
    RapierOnClearance,
}

impl EngineKind {
    /// The name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "clearance-sim, steps",
            Self::Event => "clearance-sim, event",
            Self::Rapier => "rapier3d-f64 0.36.1",
            Self::RapierOnClearance => "rapier on clearance-parry",
        }
    }
}

/// A scene that advances.
pub enum Engine {
    /// In `clearance-sim`.
    Sim(Box<Simulation>),
    /// In rapier.
    Rapier(Box<RapierScene>),
}

impl Engine {
    /// A scene at its start. `length` is the size of a typical body, which rapier wants to know.
    ///
    /// # Panics
    ///
    /// If an engine refuses the scene.
    #[must_use]
    pub fn new(kind: EngineKind, scene: &Scene, length: f64) -> Self {
        let simulation = |mode| {
            let settings = Settings { mode, ..Settings::default() };
            Self::Sim(Box::new(Simulation::new(scene, settings).expect("a scene that can be simulated")))
        };
        match kind {
            EngineKind::Steps => simulation(Mode::Steps),
            EngineKind::Event => simulation(Mode::Event),
            EngineKind::Rapier => Self::Rapier(Box::new(RapierScene::new(scene, length, false))),
            EngineKind::RapierOnClearance => Self::Rapier(Box::new(RapierScene::new(scene, length, true))),
        }
    }

    /// Advances to the end of a frame; false if the engine gave up.
    pub fn advance(&mut self, frame: u32) -> bool {
        match self {
            Self::Sim(simulation) => simulation.advance(f64::from(frame) / RATE).is_ok(),
            Self::Rapier(scene) => {
                scene.world.step();
                true
            }
        }
    }

    /// Where a body is.
    #[must_use]
    pub fn pose(&self, body: usize) -> Pose {
        match self {
            Self::Sim(simulation) => simulation.pose(body),
            Self::Rapier(scene) => scene.pose(body),
        }
    }

    /// Kinetic and potential energy.
    #[must_use]
    pub fn energy(&self) -> f64 {
        match self {
            Self::Sim(simulation) => simulation.energy(),
            Self::Rapier(scene) => scene.energy(),
        }
    }

    /// How many bodies sleep.
    #[must_use]
    pub fn sleeping(&self) -> usize {
        match self {
            Self::Sim(simulation) => simulation.sleeping(),
            Self::Rapier(scene) => {
                scene.handles.iter().filter(|handle| scene.world.bodies[**handle].is_sleeping()).count()
            }
        }
    }
}

/// A scene in rapier.
pub struct RapierScene {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
}

impl RapierScene {
    fn new(scene: &Scene, length: f64, on_clearance: bool) -> Self {
        let mut world = PhysicsWorld::new();
        if on_clearance {
            let chain = ClearanceDispatcher::default().chain(DefaultQueryDispatcher);
            world.narrow_phase = NarrowPhase::with_query_dispatcher(chain);
        }
        world.gravity = vector(scene.gravity);
        world.integration_parameters.dt = 1.0 / RATE;
        world.integration_parameters.length_unit = length;
        let handles = scene.bodies.iter().map(|body| insert(&mut world, body)).collect();
        Self { world, handles }
    }

    fn pose(&self, body: usize) -> Pose {
        let at = self.world.bodies[self.handles[body]].position();
        let (t, q) = (at.translation, at.rotation);
        Pose::new([t.x, t.y, t.z], clearance::math::DQuat::from_xyzw(q.x, q.y, q.z, q.w))
    }

    fn energy(&self) -> f64 {
        let of = |handle: &RigidBodyHandle| {
            let body = &self.world.bodies[*handle];
            if body.is_fixed() {
                return 0.0;
            }
            body.kinetic_energy() - body.mass() * body.center_of_mass().dot(self.world.gravity)
        };
        self.handles.iter().map(of).sum()
    }
}

/// Half of the width of a box that stands for a half-space.
const WIDE: f64 = 50.0;

/// Half of its thickness.
const DEEP: f64 = 5.0;

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn insert(world: &mut PhysicsWorld, body: &Body) -> RigidBodyHandle {
    let (t, q) = (body.pose.translation(), body.pose.rotation());
    let at = RapierPose::from_parts(vector(t), Rotation::from_xyzw(q.x, q.y, q.z, q.w));
    let builder = match body.kind {
        Kind::Dynamic(_) => {
            RigidBodyBuilder::dynamic().linvel(vector(body.velocity)).angvel(vector(body.angular_velocity))
        }
        Kind::Fixed => RigidBodyBuilder::fixed(),
        Kind::Kinematic | Kind::KinematicUntil(_) => panic!("no scene of the table has a kinematic body"),
    };
    let (shape, place) = shape(&body.shape);
    let collider = ColliderBuilder::new(shape)
        .position(place)
        .friction(body.material.friction)
        .friction_combine_rule(CoefficientCombineRule::GeometricMean)
        .restitution(body.material.restitution)
        .restitution_combine_rule(CoefficientCombineRule::Max);
    let collider = match body.kind {
        Kind::Dynamic(Mass::Density(density)) => collider.density(density),
        Kind::Dynamic(Mass::Total(mass)) => collider.mass(mass),
        Kind::Dynamic(Mass::Given { .. }) => panic!("no scene of the table gives an inertia"),
        Kind::Fixed | Kind::Kinematic | Kind::KinematicUntil(_) => collider,
    };
    // Fast bodies are swept in all engines.
    world.insert(builder.pose(at).ccd_enabled(true), collider).0
}

/// A shape of rapier, and where it is in the frame of the body.
fn shape(shape: &Shape) -> (SharedShape, RapierPose) {
    let here = RapierPose::IDENTITY;
    match shape {
        Shape::Sphere(_) => (SharedShape::ball(shape.bounding_radius()), here),
        Shape::Cuboid(cuboid) => {
            let half = cuboid.half_extents();
            (SharedShape::cuboid(half.x, half.y, half.z), here)
        }
        Shape::Cylinder(cylinder) => (SharedShape::cylinder(cylinder.half_height(), cylinder.base_radius()), here),
        Shape::Polytope(polytope) => {
            let points: Vec<Vector> = polytope.vertices().iter().copied().map(vector).collect();
            (SharedShape::convex_hull(&points).expect("parry builds the hull"), here)
        }
        // rapier has no continuous detection against its half-spaces, but against thick boxes it has.
        Shape::HalfSpace(plane) => {
            let normal = vector(plane.normal());
            let at = normal * (plane.offset() - DEEP);
            let turn = Rotation::from_rotation_arc(Vector::Y, normal);
            (SharedShape::cuboid(WIDE, DEEP, WIDE), RapierPose::from_parts(at, turn))
        }
        other => panic!("no scene of the table has a {}", other.kind()),
    }
}
