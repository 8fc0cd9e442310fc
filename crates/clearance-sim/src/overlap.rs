//! Bodies that overlap at the start of a scene.

use crate::{Error, Scene};
use clearance::BodyId;
use clearance::world::World;

/// The deepest overlap at the start that contacts may push out, relative to the smallest moving body. Limit: deeper overlaps are mistakes of a scene.
pub(crate) const DEEPEST: f64 = 0.01;

/// Refuses a scene in which two bodies are proved to overlap by more than a hundredth of the smallest moving one.
pub(crate) fn refuse_deep(scene: &Scene, world: &mut World, number: impl Fn(BodyId) -> usize) -> Result<(), Error> {
    let update = world.update();
    let deepest = update
        .overlapping()
        .filter_map(|pair| Some((pair.a, pair.b, pair.clearance?.upper)))
        .min_by(|one, other| one.2.total_cmp(&other.2));
    match deepest {
        Some((a, b, upper)) if upper < -DEEPEST * scene.smallest() => {
            let bodies = [a, b].map(|id| scene.bodies[number(id)].name.clone());
            Err(Error::Overlap { bodies, depth: -upper })
        }
        _ => Ok(()),
    }
}
