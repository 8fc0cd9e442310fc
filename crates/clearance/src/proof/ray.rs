//! Evidence for rays: a segment of the ray that is apart from the shape, and one that has a point of it.
//!
//! 1. A segment goes from the origin o to o + s d, with the direction d as it was given and a double s. So it is exact, and so is its length s |d|.
//! 2. The free segment is proved apart as any segment is, by directions for sets of parts (`sets.rs`).
//! 3. Both segments end within rounding of the surface, where directions in doubles may fail. There the checker decides with the segment and the part.

use super::parts::PosedBodies;
use super::sets::PartSets;
use super::{Evidence, given, nearest, pair_of};
use crate::cast::{Ray, RayHit};
use crate::math::Pose;
use crate::math::double_double::DoubleDouble;
use crate::shape::Shape;
use clearance_verify::{Cover, Lower, RayEvidence};
use glam::DVec3;

/// [`cast_ray`](crate::cast_ray) with its evidence; `None` for custom shapes and for rays without an end.
///
/// ```
/// use clearance::{Pose, Ray, Shape, proof};
///
/// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
/// let (hit, evidence) = proof::cast_ray(&cube, Pose::IDENTITY, &Ray::new([0.2, 0.3, -5.0], [0.0, 0.0, 2.0], 100.0)?);
/// let (Some(hit), Some(evidence)) = (hit, evidence.and_then(|evidence| evidence.ray)) else { panic!() };
/// // The pieces end on both sides of the face, which is 4 away.
/// assert!(evidence.free.is_some_and(|s| hit.lower <= 2.0 * s && 2.0 * s < 4.0));
/// assert!(evidence.met.is_some_and(|s| 4.0 <= 2.0 * s && 2.0 * s <= hit.upper));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn cast_ray(shape: &Shape, pose: Pose, ray: &Ray) -> (Option<RayHit>, Option<Evidence>) {
    let hit = crate::cast_ray(shape, pose, ray);
    let max = ray.max();
    let ray = ScaledRay::new(ray.origin(), ray.given_direction())
        .filter(|_| max.is_finite() && super::impact::is_provable(shape));
    (hit, ray.and_then(|ray| ray.evidence(shape, pose, max, hit.as_ref())))
}

/// A ray with a direction of about unit length.
struct ScaledRay {
    origin: DVec3,
    /// The direction over a power of two, so that its largest coordinate is between 1 and 2.
    direction: DVec3,
    power: f64,
}

impl ScaledRay {
    fn new(origin: DVec3, direction: DVec3) -> Option<Self> {
        let largest = direction.abs().max_element();
        if !(largest > 0.0 && largest.is_finite() && origin.is_finite()) {
            return None;
        }
        let exponent = largest.log2().floor() as i32;
        // In two steps, since 2^1074 is no double.
        let halves = [exponent / 2, exponent - exponent / 2].map(|half| 2.0_f64.powi(half));
        let direction = direction / halves[0] / halves[1];
        Some(Self { origin, direction, power: halves[0] * halves[1] }).filter(|ray| ray.power > 0.0)
    }

    /// (s |d|)² less a length squared, to about 100 bits.
    fn beyond(&self, s: f64, length: f64) -> DoubleDouble {
        let square = |x: f64| DoubleDouble::from(x) * DoubleDouble::from(x);
        let [x, y, z] = self.direction.to_array().map(square);
        (x + y + z) * square(s) - square(length)
    }

    /// The least s for a segment of at least that length, or the largest for one of at most that length.
    fn piece(&self, length: f64, at_least: bool) -> Option<f64> {
        if length == 0.0 {
            return Some(0.0);
        }
        let is_fine = |s: &f64| {
            let beyond = self.beyond(*s, length).value();
            if at_least { beyond >= 0.0 } else { beyond <= 0.0 }
        };
        let guess = length / self.direction.length();
        let (mut below, mut above) = (vec![guess], vec![guess]);
        for _ in 0..4 {
            below.push(below[below.len() - 1].next_down());
            above.push(above[above.len() - 1].next_up());
        }
        below.reverse();
        let mut all = below.into_iter().chain(above);
        if at_least { all.find(is_fine) } else { all.rfind(is_fine) }
    }

    /// s relative to the direction as it was given.
    fn written(&self, s: f64) -> Option<f64> {
        let written = s / self.power;
        (written.is_finite() && written * self.power == s).then_some(written)
    }

    fn evidence(&self, shape: &Shape, pose: Pose, max: f64, hit: Option<&RayHit>) -> Option<Evidence> {
        let bodies = PosedBodies::new(shape, pose, pose.translation());
        let mut ray = RayEvidence { free: None, met: None, part: 0 };
        if let Some(hit) = hit {
            let body = bodies.0.get(hit.part as usize);
            ray.part = body.map_or(0, |body| body.part_of(hit.feature).unwrap_or(body.first));
            if hit.is_proved() {
                let met = if hit.is_inside { 0.0 } else { self.piece(hit.upper, false)? };
                ray.met = Some(self.written(met)?);
            }
        }
        let until = hit.map_or(max, |hit| hit.lower);
        if hit.is_some() && until == 0.0 {
            return Some(Evidence { ray: Some(ray), ..Evidence::default() });
        }
        let s = self.piece(until, true)?;
        ray.free = Some(self.written(s)?);
        let segment = Shape::segment(DVec3::ZERO, self.direction * s).ok()?;
        let at = Pose::try_new(self.origin, glam::DQuat::IDENTITY).ok()?;
        let both = [bodies, PosedBodies::new(&segment, at, pose.translation())];
        let normal = hit.map(|hit| hit.normal);
        let lower = match &both[0].0[..] {
            [body] if body.shape.as_mesh().is_none() => Lower::along(best_direction(&both, normal).to_array()),
            _ => {
                let normal = normal.unwrap_or(self.origin + self.direction * (0.5 * s) - pose.translation());
                let lower = PartSets::new(&both, DVec3::ZERO, normal).cover(0.0);
                // The order of the parts matters to splits only.
                let is_split = lower.cover.iter().any(|node| matches!(node, Cover::SplitA(_)));
                if is_split { lower } else { Lower { a: Vec::new(), b: Vec::new(), ..lower } }
            }
        };
        Some(Evidence { lower: given(lower), ray: Some(ray), ..Evidence::default() })
    }
}

/// The direction from a convex shape to a segment along which they are farthest apart, of those that are known.
fn best_direction(both: &[PosedBodies<'_>; 2], normal: Option<DVec3>) -> DVec3 {
    let Some(pair) = pair_of(both, [0; 2]) else { return DVec3::X };
    let mut found = pair.distance();
    let own = found.normal;
    found.lower = f64::INFINITY;
    let candidates = [normal, Some(own), Some(pair.both_bounds(&found).0)];
    let apart = |direction: &DVec3| match pair.sides() {
        Some([a, b]) => nearest::separation(&a, &b, &pair.b_in_a, pair.in_a(*direction)),
        None => 0.0,
    };
    let usable =
        candidates.into_iter().flatten().filter(|direction| direction.is_finite() && *direction != DVec3::ZERO);
    usable
        .map(|direction| (apart(&direction), direction))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map_or(own, |(_, direction)| direction)
}
