//! Poses for two shapes that are given by their support mappings, the origin of each inside it.

use crate::random;
use clearance::Pose;
use clearance::math::DVec3;
use fastrand::Rng;

/// A support mapping: the farthest point along a direction, in the shape's own frame.
type Support<'a> = &'a dyn Fn(DVec3) -> DVec3;

/// Poses at which shapes of size about 1 are apart by 0.01 to about 1, turned at random.
///
/// B is put beyond the width of both along a random direction, and then shifted sideways, so that the line of the
/// centres is not always a separating direction.
#[must_use]
pub fn place_apart(rng: &mut Rng, a: Support<'_>, b: Support<'_>) -> (Pose, Pose) {
    let pose_a = Pose::new(random::vector(rng, -1.0, 1.0), random::rotation(rng));
    let gap = random::magnitude(rng, -2.0, 0.0);
    let pose_b = beside(rng, a, pose_a, b, gap, 1.0);
    (pose_a, pose_b)
}

/// A random rotation of B and a position at which a plane keeps it `gap` away from A.
pub(super) fn beside(rng: &mut Rng, a: Support<'_>, pose_a: Pose, b: Support<'_>, gap: f64, sideways: f64) -> Pose {
    let turn = random::rotation(rng);
    let u = random::direction(rng);
    let width = (pose_a.rotation() * a(pose_a.inverse_transform_vector(u)) - turn * b(turn.conjugate() * -u)).dot(u);
    let shift = u.cross(random::direction(rng)) * random::uniform(rng, 0.0, sideways);
    Pose::new(pose_a.translation() + u * (width + gap) + shift, turn)
}

/// Poses at which the shapes overlap, turned at random: an interior point of A is put on an interior point of B.
#[must_use]
pub fn place_overlapping(rng: &mut Rng, a: Support<'_>, b: Support<'_>) -> (Pose, Pose) {
    let pose_a = Pose::new(random::vector(rng, -1.0, 1.0), random::rotation(rng));
    let turn = random::rotation(rng);
    let u = random::direction(rng);
    let point_a = interior(rng, a, pose_a.inverse_transform_vector(u));
    let point_b = interior(rng, b, turn.conjugate() * -u);
    let translation = pose_a.transform_point(point_a) - turn * point_b;
    (pose_a, Pose::new(translation, turn))
}

/// A mean of three points of the surface near a direction, drawn towards the origin.
fn interior(rng: &mut Rng, shape: Support<'_>, toward: DVec3) -> DVec3 {
    // The spacings of two sorted uniform numbers are uniform weights.
    let (x, y) = (rng.f64(), rng.f64());
    let weights = [x.min(y), (x - y).abs(), 1.0 - x.max(y)];
    let mut mean = DVec3::ZERO;
    for weight in weights {
        let direction = toward + 0.6 * random::vector(rng, -1.0, 1.0);
        mean += weight * shape(direction);
    }
    mean * (1.0 - random::uniform(rng, 0.02, 0.5))
}
