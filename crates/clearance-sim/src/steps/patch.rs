//! Contacts of fixed steps, prepared for the passes of the solver.
//!
//! A pass reads each contact point from front to end and does nothing that is the same in every pass: arms, responses and separations are prepared. With r the arm from a center of mass to the point and d a
//! direction, the speed along d is d·v + (r × d)·ω, and an impulse along d changes v by M⁻¹ d and ω by I⁻¹ (r × d).
//!
//! Anchors and responses are frozen for velocities over a step; to turn them with the bodies would add energy. The separation of a point follows the motion of the bodies within the step.

use super::StepBody;
use crate::ContactEvent;
use clearance::math::DVec3;
use clearance::pair::{FeaturePair, Manifold};
use clearance::{Feature, Pose};
use smallvec::SmallVec;
use std::ops::Range;

/// The velocities of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Twist {
    pub velocity: DVec3,
    pub spin: DVec3,
}

/// A direction at a contact point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// r × d, for both bodies.
    turning: [DVec3; 2],
    /// I⁻¹ (r × d).
    spins: [DVec3; 2],
}

impl Row {
    fn new(arms: [DVec3; 2], direction: DVec3, bodies: [&StepBody; 2]) -> Self {
        let turning = arms.map(|arm| arm.cross(direction));
        Self { turning, spins: [0, 1].map(|side| bodies[side].moving.inverse_inertia * turning[side]) }
    }

    /// The speed of B relative to A along the direction; `along` is that of the centers.
    pub fn speed(&self, along: f64, [a, b]: [&Twist; 2]) -> f64 {
        along + self.turning[1].dot(b.spin) - self.turning[0].dot(a.spin)
    }

    /// Pushes B along the direction, and A the other way. `linear` are the responses M⁻¹ d.
    pub fn push(&self, linear: [DVec3; 2], [a, b]: [&mut Twist; 2], impulse: f64) {
        a.velocity -= linear[0] * impulse;
        a.spin -= self.spins[0] * impulse;
        b.velocity += linear[1] * impulse;
        b.spin += self.spins[1] * impulse;
    }

    /// The change of the speed along this direction per impulse along another one of the same point.
    fn response(&self, other: &Self, linear: f64) -> f64 {
        linear + self.turning[0].dot(other.spins[0]) + self.turning[1].dot(other.spins[1])
    }

    /// The same for a direction `d` here per impulse along `e` at a point of other bodies.
    pub fn coupling(&self, d: DVec3, bodies: [usize; 2], other: &Self, linear: [DVec3; 2], others: [usize; 2]) -> f64 {
        let mut sum = 0.0;
        for (side, body) in bodies.into_iter().enumerate() {
            for (other_side, other_body) in others.into_iter().enumerate() {
                if body == other_body {
                    let value = d.dot(linear[other_side]) + self.turning[side].dot(other.spins[other_side]);
                    sum += if side == other_side { value } else { -value };
                }
            }
        }
        sum
    }
}

/// A contact point.
#[derive(Debug, Clone, Copy)]
pub(super) struct SoftPoint {
    id: FeaturePair,
    /// From the centers of mass to the point, at the start of the step.
    arms: [DVec3; 2],
    /// Is the point of that body on a curved surface?
    is_round: [bool; 2],
    /// The separation at the start beyond the skin, less that of the anchors.
    rest: f64,
    /// How far the bodies are apart there now, beyond the skin.
    pub separation: f64,
    /// The separation speed at the start.
    pub speed: f64,
    pub normal: Row,
    pub across: [Row; 2],
    pub normal_mass: f64,
    /// One number for all directions: sliding friction is then against the slip, whatever the arms are.
    pub tangent_mass: f64,
    pub impulse: f64,
    /// Along the tangents.
    pub tangential: [f64; 2],
    /// The largest normal impulse of the step.
    pub largest: f64,
}

/// A manifold with its impulses.
#[derive(Debug, Clone)]
pub(super) struct Patch {
    pub bodies: [usize; 2],
    /// The number of its pair in the table of contacts.
    pub entry: u32,
    pub key: ([u32; 2], [Option<u32>; 2]),
    pub is_new: bool,
    /// Is it about a mesh, which must not use up its skin?
    pub is_surface: bool,
    /// Can only one of the bodies move?
    pub is_held: bool,
    /// Is one of its points on a curved surface?
    is_round: bool,
    pub normal: DVec3,
    pub tangents: [DVec3; 2],
    /// M⁻¹ d for both bodies, along the normal and the tangents.
    pub linear: [[DVec3; 2]; 3],
    pub friction: f64,
    pub restitution: f64,
    pub rolling: f64,
    pub rolling_impulse: DVec3,
    /// In the list of points.
    pub points: Range<usize>,
}

/// A manifold as it was found, with the impulses of the step before. Such a list is sorted by islands before its points are prepared.
#[derive(Debug, Clone)]
pub(super) struct FoundPatch {
    pub bodies: [usize; 2],
    pub entry: u32,
    pub key: ([u32; 2], [Option<u32>; 2]),
    pub is_surface: bool,
    is_new: bool,
    normal: DVec3,
    rolling_impulse: DVec3,
    points: SmallVec<[FoundPoint; 4]>,
}

#[derive(Debug, Clone, Copy)]
struct FoundPoint {
    id: FeaturePair,
    middle: DVec3,
    distance: f64,
    impulse: f64,
    tangential: DVec3,
}

/// The impulses of a manifold, kept for the next step.
#[derive(Debug, Clone)]
pub(super) struct KeptPatch {
    key: ([u32; 2], [Option<u32>; 2]),
    had_impulse: bool,
    rolling_impulse: DVec3,
    points: SmallVec<[(FeaturePair, f64, DVec3); 4]>,
}

impl FoundPatch {
    pub fn new(
        (bodies, entry): ([usize; 2], u32),
        manifold: &Manifold,
        poses: [Pose; 2],
        kept: &[KeptPatch],
        is_surface: bool,
    ) -> Self {
        let key = (manifold.parts, manifold.triangles);
        let old = kept.iter().find(|patch| patch.key == key);
        let points = manifold.points().iter().map(|point| {
            let kept = old.and_then(|old| old.points.iter().find(|(id, ..)| *id == point.id));
            FoundPoint {
                id: point.id,
                // Both bodies are pushed at one point, so that no torque is left over.
                middle: 0.5 * (poses[0].transform_point(point.point_a) + poses[1].transform_point(point.point_b)),
                distance: point.distance,
                impulse: kept.map_or(0.0, |kept| kept.1),
                tangential: kept.map_or(DVec3::ZERO, |kept| kept.2),
            }
        });
        Self {
            bodies,
            entry,
            key,
            is_surface,
            is_new: old.is_none_or(|old| !old.had_impulse),
            normal: manifold.normal,
            rolling_impulse: old.map_or(DVec3::ZERO, |old| old.rolling_impulse),
            points: points.collect(),
        }
    }

    /// Appends the points, which keep a gap of `skin`, to a list.
    pub fn prepare(&self, bodies: &[StepBody], twists: &[Twist], skin: f64, list: &mut Vec<SoftPoint>) -> Patch {
        let pair = self.bodies;
        let normal = self.normal;
        let x = normal.any_orthonormal_vector();
        let tangents = [x, normal.cross(x)];
        let both = pair.map(|body| &bodies[body]);
        let linear = [normal, tangents[0], tangents[1]].map(|d| both.map(|body| body.moving.inverse_mass * d));
        let inverse = both[0].moving.inverse_mass + both[1].moving.inverse_mass;
        let [xx, yy, zz, xy] =
            [(x, x), (tangents[1], tangents[1]), (normal, normal), (x, tangents[1])].map(|(d, e)| d.dot(inverse * e));
        let moving = pair.map(|body| &twists[body]);
        let along = normal.dot(moving[1].velocity - moving[0].velocity);
        let start = list.len();
        list.extend(self.points.iter().map(|point| {
            let arms = both.map(|body| point.middle - body.moving.center);
            let row = |direction| Row::new(arms, direction, both);
            let (of_normal, across) = (row(normal), tangents.map(row));
            let stiffness = of_normal.response(&of_normal, zz);
            // The larger eigenvalue of the response in the tangent plane.
            let (kxx, kyy) = (across[0].response(&across[0], xx), across[1].response(&across[1], yy));
            let kxy = across[0].response(&across[1], xy);
            let largest = 0.5 * (kxx + kyy + ((kxx - kyy) * (kxx - kyy) + 4.0 * kxy * kxy).sqrt());
            SoftPoint {
                id: point.id,
                arms,
                is_round: std::array::from_fn(|side| {
                    both[side].is_round || point.id.features()[side] == Feature::Surface
                }),
                rest: point.distance - skin - normal.dot(arms[1] - arms[0]),
                separation: point.distance - skin,
                speed: of_normal.speed(along, moving),
                normal: of_normal,
                across,
                normal_mass: if stiffness > 0.0 { 1.0 / stiffness } else { 0.0 },
                tangent_mass: if largest > 0.0 { 1.0 / largest } else { 0.0 },
                impulse: point.impulse,
                // In the tangent plane of this step.
                tangential: tangents.map(|tangent| tangent.dot(point.tangential)),
                largest: 0.0,
            }
        }));
        let [a, b] = both.map(|body| body.material);
        Patch {
            bodies: pair,
            entry: self.entry,
            key: self.key,
            is_new: self.is_new,
            is_surface: self.is_surface,
            is_round: list[start..].iter().any(|point| point.is_round != [false; 2]),
            is_held: !both.iter().all(|body| body.inertial.is_dynamic),
            normal,
            tangents,
            linear,
            friction: (a.friction * b.friction).sqrt(),
            restitution: a.restitution.max(b.restitution),
            rolling: a.rolling_resistance.max(b.rolling_resistance),
            rolling_impulse: self.rolling_impulse,
            points: start..list.len(),
        }
    }
}

impl Patch {
    /// Sets the separations after a motion of the bodies within the step.
    pub fn separate(&self, points: &mut [SoftPoint], bodies: &[StepBody]) {
        let both = self.bodies.map(|body| &bodies[body]);
        let n = self.normal;
        let apart = n.dot(both[1].travel - both[0].travel);
        // n·(R r) = (Rᵀ n)·r. A round body rolls off the point, which stays below it: to turn the point with the body would lift it, so its arm changes by θ × r.
        let turned = both.map(|body| body.turn.conjugate() * n);
        let rolled = if self.is_round { both.map(|body| n + n.cross(body.turn.to_scaled_axis())) } else { turned };
        for point in &mut points[self.points.clone()] {
            let height = |side: usize| {
                let normal = if point.is_round[side] { rolled[side] } else { turned[side] };
                normal.dot(point.arms[side])
            };
            point.separation = apart + height(1) - height(0) + point.rest;
        }
    }

    pub fn has_impulse(&self, points: &[SoftPoint]) -> bool {
        points[self.points.clone()].iter().any(|point| point.largest > 0.0)
    }

    /// The impulses for the next step.
    pub fn kept(&self, points: &[SoftPoint]) -> KeptPatch {
        let tangential =
            |point: &SoftPoint| self.tangents[0] * point.tangential[0] + self.tangents[1] * point.tangential[1];
        KeptPatch {
            key: self.key,
            had_impulse: self.has_impulse(points),
            rolling_impulse: self.rolling_impulse,
            points: points[self.points.clone()]
                .iter()
                .map(|point| (point.id, point.impulse, tangential(point)))
                .collect(),
        }
    }

    pub fn events(&self, time: f64, points: &[SoftPoint], bodies: &[StepBody]) -> Vec<ContactEvent> {
        let pushed = points[self.points.clone()].iter().filter(|point| point.largest > 0.0);
        let event = |point: &SoftPoint| ContactEvent {
            time,
            bodies: self.bodies,
            point: bodies[self.bodies[0]].moving.center + point.arms[0],
            normal: self.normal,
            impulse: self.normal * point.impulse
                + self.tangents[0] * point.tangential[0]
                + self.tangents[1] * point.tangential[1],
            approach_speed: -point.speed,
        };
        pushed.map(event).collect()
    }
}
