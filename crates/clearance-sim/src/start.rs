//! The start of a simulation: bodies that touch get a gap.

use crate::body::{Inertial, Kind};
use crate::{Error, Scene};
use clearance::Pose;
use clearance::math::DVec3;
use clearance::world::{self, Config, World};

/// Rounds in which touching bodies are moved apart, per body. Limit: a stack needs one for each body in it, beginning from the floor.
const ROUNDS: usize = 4;

/// Rounds in all. Limit: a stack of a hundred bodies; each round measures the pairs of the bodies that moved.
const MOST_ROUNDS: usize = 400;

/// The gap that is enough, relative to that which each round gives. Bound: half of it, so that a round need not be exact.
const ENOUGH: f64 = 0.5;

/// Bodies after their separation.
pub(crate) struct Separated {
    pub poses: Vec<Pose>,
    /// Two bodies that are still too close, and how deep they are proved to overlap.
    pub jammed: Option<Error>,
}

/// The poses at the start. Bodies that touch, or overlap by at most `deepest`, are moved apart to a gap; bodies that overlap more are an error.
pub(crate) fn separated(scene: &Scene, inertials: &[Inertial], gap: f64, deepest: f64) -> Result<Separated, Error> {
    let mut poses: Vec<Pose> = scene.bodies.iter().map(|body| body.pose).collect();
    let mut world = World::new(Config { margin: gap, ..Config::default() });
    let mut ids = Vec::with_capacity(poses.len());
    for body in &scene.bodies {
        let inserted = world::Body::new(body.shape.clone(), body.pose);
        ids.push(world.insert_body(if matches!(body.kind, Kind::Dynamic(_)) { inserted } else { inserted.fixed() }));
    }
    for &[a, b] in &scene.ignored {
        world.set_ignored(ids[a], ids[b], true);
    }
    let number = |id: clearance::BodyId| ids.iter().position(|&one| one == id).unwrap_or(0);
    let rounds = (ROUNDS * poses.len()).min(MOST_ROUNDS);
    for round in 0..=rounds {
        let close: Vec<_> = world
            .update()
            .within(gap)
            .filter_map(|pair| Some(([number(pair.a), number(pair.b)], *pair.clearance?)))
            .filter(|(_, clearance)| clearance.lower < ENOUGH * gap)
            .collect();
        if close.is_empty() {
            break;
        }
        if let Some(([a, b], clearance)) = close.iter().find(|(_, clearance)| clearance.upper < -deepest) {
            let bodies = [*a, *b].map(|body| scene.bodies[body].name.clone());
            return Err(Error::Overlap { bodies, depth: -clearance.upper });
        }
        if round == rounds {
            let ([a, b], clearance) = &close[0];
            let bodies = [*a, *b].map(|body| scene.bodies[body].name.clone());
            return Ok(Separated { poses, jammed: Some(Error::Overlap { bodies, depth: -clearance.lower }) });
        }
        // Against gravity if there is any: what stands on another body moves up, and what it stands on stays.
        for ([a, b], clearance) in close {
            let missing = gap - clearance.lower;
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
    Ok(Separated { poses, jammed: None })
}
