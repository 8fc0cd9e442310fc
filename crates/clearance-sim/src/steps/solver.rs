//! The contact solver of fixed steps: soft normal constraints, a friction cone for each point, rolling resistance for each manifold.
//!
//! Groups with bodies of very different mass are solved at once: passes over single points let a light body under a heavy one sink, since each takes up a small part of the load.
//!
//! Anchors are frozen for velocities over a step; to turn them with the bodies would add energy. The separation of a point follows the motion of the bodies within the step.

use super::StepBody;
use crate::{ContactEvent, complementarity};
use clearance::math::DVec3;
use clearance::pair::{FeaturePair, Manifold};
use clearance::{Feature, Pose};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Frequency of a soft contact, relative to the rate of the sub-steps. Limit: the choice of box3d; at 240 sub-steps a second it is 30 Hz.
const STIFFNESS: f64 = 0.125;

/// Damping ratio of a soft contact. Limit: the choice of box3d; overlaps decay without bouncing.
const DAMPING: f64 = 10.0;

/// Part of the skin in which contacts of meshes are soft. Limit: half, so that the other half is left for what the passes of a sub-step have not solved.
const SOFT_RANGE: f64 = 0.5;

/// Overlaps are pushed out at most at this many sizes of the smallest body per second. Limit: faster would be seen as a jump.
const PUSH_OUT: f64 = 3.0;

/// Masses that differ by more than this factor are solved at once. Limit: one pass lets the light body take up a part of the load that is as small as the ratio of the masses.
const UNEVEN: f64 = 10.0;

/// Contact points that are solved at once. Limit: the work grows with the fourth power of their number.
const MOST_DIRECT: usize = 64;

/// Part of a shortfall that hard contacts push out in a sub-step. Limit: all of it at once would overshoot where several contacts share it.
const HARD_PUSH: f64 = 0.2;

/// The coefficients of a soft constraint for one sub-step.
#[derive(Debug, Clone, Copy)]
struct Soft {
    bias_rate: f64,
    mass_scale: f64,
    impulse_scale: f64,
}

impl Soft {
    /// A damped spring, integrated implicitly.
    fn new(frequency: f64, h: f64) -> Self {
        let omega = TAU * frequency;
        let a = 2.0 * DAMPING + h * omega;
        let b = h * omega * a;
        Self { bias_rate: omega / a, mass_scale: b / (1.0 + b), impulse_scale: 1.0 / (1.0 + b) }
    }
}

/// A contact point.
#[derive(Debug, Clone, Copy)]
struct SoftPoint {
    id: FeaturePair,
    /// From the centers of mass to the point, at the start of the step.
    arms: [DVec3; 2],
    /// Is the point of that body on a curved surface?
    is_round: [bool; 2],
    /// The separation at the start beyond the skin, less that of the anchors.
    rest: f64,
    /// The separation speed at the start.
    speed: f64,
    normal_mass: f64,
    /// One number for all directions: sliding friction is then against the slip, whatever the arms are.
    tangent_mass: f64,
    normal: f64,
    tangential: DVec3,
    /// The largest normal impulse of the step.
    largest: f64,
}

/// A manifold with its impulses.
#[derive(Debug, Clone)]
pub(super) struct Patch {
    pub bodies: [usize; 2],
    pub key: ([u32; 2], [Option<u32>; 2]),
    pub is_new: bool,
    /// Is it about a mesh, which must not use up its skin?
    is_surface: bool,
    normal: DVec3,
    tangents: [DVec3; 2],
    friction: f64,
    restitution: f64,
    rolling: f64,
    rolling_impulse: DVec3,
    points: Vec<SoftPoint>,
}

impl Patch {
    /// The contact of a manifold, with the impulses of the step before. Its points keep a gap of `skin`.
    pub fn new(
        pair: [usize; 2],
        manifold: &Manifold,
        old: Option<&Self>,
        bodies: [&StepBody; 2],
        poses: &[Pose],
        (skin, is_surface): (f64, bool),
    ) -> Self {
        let normal = manifold.normal;
        let x = normal.any_orthonormal_vector();
        let [a, b] = bodies.map(|body| body.material);
        let [center_a, center_b] = bodies.map(|body| body.moving.center);
        let [pose_a, pose_b] = pair.map(|body| poses[body]);
        let points = manifold.points().iter().map(|point| {
            // Both bodies are pushed at one point, so that no torque is left over.
            let middle = 0.5 * (pose_a.transform_point(point.point_a) + pose_b.transform_point(point.point_b));
            let arms = [middle - center_a, middle - center_b];
            let kept = old.and_then(|old| old.points.iter().find(|kept| kept.id == point.id));
            SoftPoint {
                id: point.id,
                arms,
                is_round: std::array::from_fn(|side| {
                    bodies[side].is_round || point.id.features()[side] == Feature::Surface
                }),
                rest: point.distance - skin - normal.dot(arms[1] - arms[0]),
                speed: 0.0,
                normal_mass: 0.0,
                tangent_mass: 0.0,
                normal: kept.map_or(0.0, |kept| kept.normal),
                tangential: kept.map_or(DVec3::ZERO, |kept| kept.tangential),
                largest: 0.0,
            }
        });
        Self {
            bodies: pair,
            key: (manifold.parts, manifold.triangles),
            is_surface,
            is_new: old.is_none_or(|old| !old.has_impulse()),
            normal,
            tangents: [x, normal.cross(x)],
            friction: (a.friction * b.friction).sqrt(),
            restitution: a.restitution.max(b.restitution),
            rolling: a.rolling_resistance.max(b.rolling_resistance),
            rolling_impulse: old.map_or(DVec3::ZERO, |old| old.rolling_impulse),
            points: points.collect(),
        }
    }

    /// How far a point is apart now, beyond the skin.
    fn separation(&self, point: &SoftPoint, bodies: &[StepBody]) -> f64 {
        let [a, b] = self.bodies;
        let arm = |side: usize, body: usize| {
            let (arm, turn) = (point.arms[side], bodies[body].turn);
            // A round body rolls off the point, which stays below it: to turn the point with the body would lift it.
            if point.is_round[side] { arm + turn.to_scaled_axis().cross(arm) } else { turn * arm }
        };
        let arms = arm(1, b) - arm(0, a);
        self.normal.dot(bodies[b].travel - bodies[a].travel + arms) + point.rest
    }

    pub fn has_impulse(&self) -> bool {
        self.points.iter().any(|point| point.largest > 0.0)
    }

    pub fn events(&self, time: f64, bodies: &[StepBody]) -> Vec<ContactEvent> {
        let pushed = self.points.iter().filter(|point| point.largest > 0.0);
        let event = |point: &SoftPoint| ContactEvent {
            time,
            bodies: self.bodies,
            point: bodies[self.bodies[0]].moving.center + point.arms[0],
            normal: self.normal,
            impulse: self.normal * point.normal + point.tangential,
            approach_speed: -point.speed,
        };
        pushed.map(event).collect()
    }
}

/// A contact point of a patch, for the direct solver.
#[derive(Debug, Clone, Copy)]
struct Row {
    patch: usize,
    point: usize,
    bodies: [usize; 2],
    arms: [DVec3; 2],
    normal: DVec3,
}

impl Row {
    /// The change of the separation speed here per normal impulse at another row.
    fn coupling(&self, other: &Self, bodies: &[StepBody]) -> f64 {
        let mut sum = 0.0;
        for side in 0..2 {
            for other_side in 0..2 {
                if self.bodies[side] == other.bodies[other_side] {
                    let body = &bodies[self.bodies[side]].moving;
                    let spin = body.inverse_inertia * other.arms[other_side].cross(other.normal);
                    let change = body.inverse_mass * other.normal + spin.cross(self.arms[side]);
                    let value = self.normal.dot(change);
                    sum += if side == other_side { value } else { -value };
                }
            }
        }
        sum
    }
}

/// The contact points of connected bodies whose masses differ much, which are solved at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Direct {
    rows: Vec<Row>,
}

impl Direct {
    /// The groups of connected patches in which a light body is between heavy ones, or a heavy and a fixed one, up to a number of points.
    pub fn groups(patches: &[Patch], bodies: &[StepBody], roots: &[usize]) -> Vec<Self> {
        let mass = |body: usize| bodies[body].inertial.mass;
        let is_dynamic = |body: usize| bodies[body].inertial.is_dynamic;
        let is_uneven = |patch: &Patch| {
            let [a, b] = patch.bodies;
            is_dynamic(a) && is_dynamic(b) && mass(a).max(mass(b)) > UNEVEN * mass(a).min(mass(b))
        };
        if !patches.iter().any(is_uneven) {
            return Vec::new();
        }
        let mut groups: BTreeMap<usize, (Self, bool)> = BTreeMap::new();
        for (index, patch) in patches.iter().enumerate() {
            let Some(&body) = patch.bodies.iter().find(|&&body| is_dynamic(body)) else { continue };
            let (group, uneven) = groups.entry(roots[body]).or_default();
            *uneven |= is_uneven(patch);
            let row = |(point, found): (usize, &SoftPoint)| Row {
                patch: index,
                point,
                bodies: patch.bodies,
                arms: found.arms,
                normal: patch.normal,
            };
            group.rows.extend(patch.points.iter().enumerate().map(row));
        }
        let few = groups.into_values().filter(|(group, uneven)| *uneven && group.rows.len() <= MOST_DIRECT);
        few.map(|(group, _)| group).collect()
    }
}

/// The velocity of B relative to A at a point.
fn relative_velocity(bodies: &[StepBody], [a, b]: [usize; 2], arms: [DVec3; 2]) -> DVec3 {
    let [a, b] = [&bodies[a].moving, &bodies[b].moving];
    b.velocity + b.spin.cross(arms[1]) - a.velocity - a.spin.cross(arms[0])
}

fn push(bodies: &mut [StepBody], [a, b]: [usize; 2], arms: [DVec3; 2], impulse: DVec3) {
    let one = &mut bodies[a].moving;
    one.velocity -= one.inverse_mass * impulse;
    one.spin -= one.inverse_inertia * arms[0].cross(impulse);
    let other = &mut bodies[b].moving;
    other.velocity += other.inverse_mass * impulse;
    other.spin += other.inverse_inertia * arms[1].cross(impulse);
}

/// See the module.
pub(super) struct Solver {
    h: f64,
    moving: Soft,
    fixed: Soft,
    push_out: f64,
    soft_range: f64,
}

impl Solver {
    pub fn new(h: f64, size: f64, skin: f64) -> Self {
        let frequency = STIFFNESS / h;
        Self {
            h,
            moving: Soft::new(frequency, h),
            fixed: Soft::new(2.0 * frequency, h),
            push_out: PUSH_OUT * size,
            soft_range: SOFT_RANGE * skin,
        }
    }

    pub fn prepare(&self, patch: &mut Patch, bodies: &[StepBody]) {
        let [a, b] = patch.bodies.map(|body| bodies[body].moving);
        for point in &mut patch.points {
            let response = |impulse: DVec3| {
                let [spin_a, spin_b] = [
                    a.inverse_inertia * point.arms[0].cross(impulse),
                    b.inverse_inertia * point.arms[1].cross(impulse),
                ];
                (a.inverse_mass + b.inverse_mass) * impulse + spin_a.cross(point.arms[0]) + spin_b.cross(point.arms[1])
            };
            let inverse = patch.normal.dot(response(patch.normal));
            point.normal_mass = if inverse > 0.0 { 1.0 / inverse } else { 0.0 };
            // The larger eigenvalue of the response in the tangent plane.
            let [x, y] = patch.tangents;
            let (of_x, of_y) = (response(x), response(y));
            let (xx, xy, yy) = (x.dot(of_x), x.dot(of_y), y.dot(of_y));
            let largest = 0.5 * (xx + yy + ((xx - yy) * (xx - yy) + 4.0 * xy * xy).sqrt());
            point.tangent_mass = if largest > 0.0 { 1.0 / largest } else { 0.0 };
            point.speed = patch.normal.dot(relative_velocity(bodies, patch.bodies, point.arms));
            // In the tangent plane of this step.
            point.tangential -= patch.normal * patch.normal.dot(point.tangential);
        }
    }

    pub fn warm_start(&self, patch: &Patch, bodies: &mut [StepBody]) {
        for point in &patch.points {
            push(bodies, patch.bodies, point.arms, patch.normal * point.normal + point.tangential);
        }
        let [a, b] = patch.bodies;
        bodies[a].moving.spin -= bodies[a].moving.inverse_inertia * patch.rolling_impulse;
        bodies[b].moving.spin += bodies[b].moving.inverse_inertia * patch.rolling_impulse;
    }

    /// One pass. Relaxation ends with friction, whose bound is the normal impulse without the bias.
    pub fn solve(&self, patch: &mut Patch, bodies: &mut [StepBody], has_bias: bool) {
        if has_bias {
            self.rub(patch, bodies);
            self.push_apart(patch, bodies, true);
        } else {
            self.push_apart(patch, bodies, false);
            self.rub(patch, bodies);
        }
    }

    /// The normal impulses of a group at once: with the total impulses λ and those before, λ', the program of `complementarity.rs` about A (λ - λ') + u + bias >= 0.
    pub fn solve_at_once(&self, group: &Direct, patches: &mut [Patch], bodies: &mut [StepBody], has_bias: bool) {
        let rows = &group.rows;
        let n = rows.len();
        let a: Vec<f64> = (0..n * n).map(|k| rows[k / n].coupling(&rows[k % n], bodies)).collect();
        let before: Vec<f64> = rows.iter().map(|row| patches[row.patch].points[row.point].normal).collect();
        let speeds: Vec<f64> = rows
            .iter()
            .enumerate()
            .map(|(i, row)| {
                let patch = &patches[row.patch];
                let separation = patch.separation(&patch.points[row.point], bodies);
                let bias = if separation > 0.0 {
                    separation / self.h
                } else if has_bias {
                    (HARD_PUSH * separation / self.h).max(-self.push_out)
                } else {
                    0.0
                };
                let speed = row.normal.dot(relative_velocity(bodies, row.bodies, row.arms));
                speed + bias - (0..n).map(|j| a[i * n + j] * before[j]).sum::<f64>()
            })
            .collect();
        for ((row, before), impulse) in rows.iter().zip(before).zip(complementarity::solve(&a, &speeds)) {
            push(bodies, row.bodies, row.arms, row.normal * (impulse - before));
            let point = &mut patches[row.patch].points[row.point];
            point.normal = impulse;
            point.largest = point.largest.max(impulse);
        }
    }

    /// The normal impulses.
    fn push_apart(&self, patch: &mut Patch, bodies: &mut [StepBody], has_bias: bool) {
        let pair = patch.bodies;
        let [a, b] = pair;
        let is_fixed = !(bodies[a].inertial.is_dynamic && bodies[b].inertial.is_dynamic);
        let soft = if is_fixed { self.fixed } else { self.moving };
        let n = patch.normal;
        for index in 0..patch.points.len() {
            let separation = patch.separation(&patch.points[index], bodies);
            let is_hard = patch.is_surface && separation < -self.soft_range;
            let point = &mut patch.points[index];
            let (bias, mass_scale, impulse_scale) = if separation > 0.0 {
                (separation / self.h, 1.0, 0.0)
            } else if has_bias && is_hard {
                // The soft range is used up: all of the load is carried from here on.
                ((HARD_PUSH * (separation + self.soft_range) / self.h).max(-self.push_out), 1.0, 0.0)
            } else if has_bias {
                ((soft.bias_rate * separation).max(-self.push_out), soft.mass_scale, soft.impulse_scale)
            } else {
                (0.0, 1.0, 0.0)
            };
            let speed = n.dot(relative_velocity(bodies, pair, point.arms));
            let step = -point.normal_mass * mass_scale * (speed + bias) - impulse_scale * point.normal;
            let next = (point.normal + step).max(0.0);
            push(bodies, pair, point.arms, n * (next - point.normal));
            point.normal = next;
            point.largest = point.largest.max(next);
        }
    }

    /// Friction, within the cone of the normal impulse of each point, and resistance to rolling.
    fn rub(&self, patch: &mut Patch, bodies: &mut [StepBody]) {
        let pair = patch.bodies;
        let total: f64 = patch.points.iter().map(|point| point.normal).sum();
        self.resist_rolling(patch, bodies, total);
        for point in &mut patch.points {
            let u = relative_velocity(bodies, pair, point.arms);
            let most = patch.friction * point.normal;
            let step = (patch.normal * patch.normal.dot(u) - u) * point.tangent_mass;
            let wanted = point.tangential + step;
            let length = wanted.length();
            let clipped = if length > most { wanted * (most / length) } else { wanted };
            push(bodies, pair, point.arms, clipped - point.tangential);
            point.tangential = clipped;
        }
    }

    fn resist_rolling(&self, patch: &mut Patch, bodies: &mut [StepBody], total: f64) {
        if patch.rolling <= 0.0 {
            return;
        }
        let [a, b] = patch.bodies;
        let (one, other) = (bodies[a].moving, bodies[b].moving);
        let step = -((one.inverse_inertia + other.inverse_inertia).inverse() * (other.spin - one.spin));
        if !step.is_finite() {
            return;
        }
        let (wanted, most) = (patch.rolling_impulse + step, patch.rolling * total);
        let clipped = if wanted.length() > most { wanted * (most / wanted.length()) } else { wanted };
        let change = clipped - patch.rolling_impulse;
        bodies[a].moving.spin -= one.inverse_inertia * change;
        bodies[b].moving.spin += other.inverse_inertia * change;
        patch.rolling_impulse = clipped;
    }

    /// Points that approached faster than the threshold, and were pushed, separate with their part of that speed.
    pub fn restitute(&self, patch: &mut Patch, bodies: &mut [StepBody], threshold: f64) {
        if patch.restitution <= 0.0 {
            return;
        }
        for point in &mut patch.points {
            if point.speed > -threshold || point.largest == 0.0 {
                continue;
            }
            let speed = patch.normal.dot(relative_velocity(bodies, patch.bodies, point.arms));
            let step = -point.normal_mass * (speed + patch.restitution * point.speed);
            let next = (point.normal + step).max(0.0);
            push(bodies, patch.bodies, point.arms, patch.normal * (next - point.normal));
            point.normal = next;
            point.largest = point.largest.max(next);
        }
    }
}
