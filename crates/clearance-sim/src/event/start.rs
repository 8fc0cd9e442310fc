//! The start of event mode: bodies that touch get a gap.

use crate::body::{Inertial, Kind};
use crate::{Error, Scene};
use clearance::Pose;
use clearance::math::DVec3;
use clearance::world::{self, Config, World};

/// Rounds in which touching bodies are moved apart, per body. Limit: a stack needs one for each body in it, beginning from the floor.
const ROUNDS: usize = 4;

/// The gap that touching bodies get, in ε. Bound: the middle of the envelope, from which a hop has room on both sides.
const START_GAP: f64 = 0.5;

/// The gap that is enough, in ε. Bound: half of the one that each round gives, so that a round need not be exact.
const LEAST_GAP: f64 = 0.25;

/// The poses at the start. Bodies that touch, or overlap by at most ε, are moved apart to a gap of half of ε; bodies that overlap more are an error.
pub(super) fn separated(scene: &Scene, inertials: &[Inertial], envelope: f64) -> Result<Vec<Pose>, Error> {
    let mut poses: Vec<Pose> = scene.bodies.iter().map(|body| body.pose).collect();
    let mut world = World::new(Config { margin: START_GAP * envelope, ..Config::default() });
    let mut ids = Vec::with_capacity(poses.len());
    for body in &scene.bodies {
        let inserted = world::Body::new(body.shape.clone(), body.pose);
        ids.push(world.insert_body(if matches!(body.kind, Kind::Dynamic(_)) { inserted } else { inserted.fixed() }));
    }
    for &[a, b] in &scene.ignored {
        world.set_ignored(ids[a], ids[b], true);
    }
    let number = |id: clearance::BodyId| ids.iter().position(|&one| one == id).unwrap_or(0);
    for round in 0..=ROUNDS * poses.len() {
        let close: Vec<_> = world
            .update()
            .within(START_GAP * envelope)
            .filter_map(|pair| Some(([number(pair.a), number(pair.b)], *pair.clearance?)))
            .filter(|(_, clearance)| clearance.lower < LEAST_GAP * envelope)
            .collect();
        if close.is_empty() {
            return Ok(poses);
        }
        if let Some(([a, b], clearance)) = close.iter().find(|(_, clearance)| clearance.upper < -envelope) {
            let bodies = [*a, *b].map(|body| scene.bodies[body].name.clone());
            return Err(Error::Overlap { bodies, depth: -clearance.upper });
        }
        if round == ROUNDS * poses.len() {
            let ([a, b], clearance) = &close[0];
            let bodies = [*a, *b].map(|body| scene.bodies[body].name.clone());
            return Err(Error::Overlap { bodies, depth: -clearance.lower });
        }
        // Against gravity if there is any: what stands on another body moves up, and what it stands on stays.
        for ([a, b], clearance) in close {
            let missing = START_GAP * envelope - clearance.lower;
            let up = -clearance.normal.dot(scene.gravity);
            let [free_a, free_b] = [a, b].map(|body| inertials[body].free_translation);
            let (share_a, share_b) = match (inertials[a].is_dynamic, inertials[b].is_dynamic) {
                (true, true) if up > 0.0 => (0.0, 1.0),
                (true, true) if up < 0.0 => (1.0, 0.0),
                (true, true) => (0.5, 0.5),
                (true, false) => (1.0, 0.0),
                _ => (0.0, 1.0),
            };
            let mut shift = |body: usize, by: DVec3| {
                poses[body] = Pose::new(poses[body].translation() + by, poses[body].rotation());
                world.set_pose(ids[body], poses[body]);
            };
            shift(a, -clearance.normal * missing * share_a * free_a);
            shift(b, clearance.normal * missing * share_b * free_b);
        }
    }
    Ok(poses)
}
