//! Measurements from outside: every engine's poses are judged by the library's certified depths.

use crate::Engine;
use clearance::world::{self, Config, World};
use clearance::{BodyId, Pose, contains};
use clearance_sim::{Kind, Scene};

/// Measurements of a run.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The deepest overlap of two bodies at the end of any frame: a proved upper bound.
    pub penetration: f64,
    /// The same of the last frame.
    pub penetration_at_end: f64,
    /// Bodies whose centre was inside of a fixed body at the end of a frame, or beyond the wall: contacts that were missed.
    pub missed: usize,
    /// The largest rise of the energy above an earlier value, as a part of the energy at the start.
    pub rise: f64,
    /// The largest distance of a body from its start, at the end.
    pub drift: f64,
    /// Bodies that sleep at the end.
    pub sleeping: usize,
}

/// Watches a scene from frame to frame.
pub struct Watch<'a> {
    scene: &'a Scene,
    observer: World,
    ids: Vec<BodyId>,
    has_missed: Vec<bool>,
    least: f64,
    whole: f64,
    record: Record,
}

impl<'a> Watch<'a> {
    /// At the start. The energy of the start is relative to `floor`, the least height that the centres can have.
    #[must_use]
    pub fn new(scene: &'a Scene, engine: &Engine, floor: f64) -> Self {
        let mut observer = World::new(Config::default());
        let insert = |body: &clearance_sim::Body| {
            let inserted = world::Body::new(body.shape.clone(), body.pose);
            observer.insert_body(if is_dynamic(body) { inserted } else { inserted.fixed() })
        };
        let ids: Vec<BodyId> = scene.bodies.iter().map(insert).collect();
        for &[a, b] in &scene.ignored {
            observer.set_ignored(ids[a], ids[b], true);
        }
        let energy = engine.energy();
        // All potential energy down to the floor.
        let weight: f64 = scene.bodies.iter().filter(|body| is_dynamic(body)).map(mass).sum();
        let whole = energy - weight * scene.gravity.length() * floor;
        let has_missed = vec![false; scene.bodies.len()];
        Self { scene, observer, ids, has_missed, least: energy, whole, record: Record::default() }
    }

    /// After a frame.
    pub fn see(&mut self, engine: &Engine) {
        let poses: Vec<Pose> = (0..self.ids.len()).map(|body| engine.pose(body)).collect();
        for (id, pose) in self.ids.iter().zip(&poses) {
            self.observer.set_pose(*id, *pose);
        }
        let update = self.observer.update();
        let deepest = update.overlapping().filter_map(|pair| Some(-pair.clearance?.lower)).fold(0.0, f64::max);
        self.record.penetration_at_end = deepest;
        self.record.penetration = self.record.penetration.max(deepest);
        let energy = engine.energy();
        self.record.rise = self.record.rise.max((energy - self.least) / self.whole);
        self.least = self.least.min(energy);
        let fixed = || self.scene.bodies.iter().zip(&poses).filter(|(body, _)| !is_dynamic(body));
        for (number, body) in self.scene.bodies.iter().enumerate().filter(|(_, body)| is_dynamic(body)) {
            let center = poses[number].transform_point(body.shape.centroid().unwrap_or_default());
            let is_inside = fixed().any(|(fixed, pose)| contains(&fixed.shape, *pose, center));
            // The scene of the bullet has its wall at x = 0.
            let is_beyond = body.name == "bullet" && center.x > 0.0;
            self.has_missed[number] |= is_inside || is_beyond;
        }
        let drift = |(body, pose): (&clearance_sim::Body, &Pose)| {
            if is_dynamic(body) { pose.translation().distance(body.pose.translation()) } else { 0.0 }
        };
        self.record.drift = self.scene.bodies.iter().zip(&poses).map(drift).fold(0.0, f64::max);
        self.record.missed = self.has_missed.iter().filter(|&&missed| missed).count();
        self.record.sleeping = engine.sleeping();
    }

    /// All that was seen.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }
}

fn is_dynamic(body: &clearance_sim::Body) -> bool {
    matches!(body.kind, Kind::Dynamic(_))
}

fn mass(body: &clearance_sim::Body) -> f64 {
    match body.kind {
        Kind::Dynamic(clearance_sim::Mass::Density(density)) => density * body.shape.volume().unwrap_or(0.0),
        Kind::Dynamic(clearance_sim::Mass::Total(mass) | clearance_sim::Mass::Given { mass, .. }) => mass,
        Kind::Fixed | Kind::Kinematic | Kind::KinematicUntil(_) => 0.0,
    }
}
