//! Impulses at impacts.
//!
//! **One contact:** the algebraic law of Chatterjee and Ruina ("A new algebraic rigid-body collision law based on impulse space considerations",
//! 1998). With u the relative velocity, n the normal and K the response, let
//!
//! - P₁ = -(u·n) / (n·K n) n, the frictionless impulse after which the bodies do not approach any more;
//! - P₂ = -K⁻¹ u, the impulse after which they stick.
//!
//! P₁ and P₂ - P₁ are orthogonal in the metric of K, so that the impulse (1 + e) P₁ + κ (P₂ - P₁) with 0 <= e <= 1 and 0 <= κ <= 2 never
//! adds energy. Here κ is 1 plus the tangential restitution, or less, so that the impulse stays in the friction cone. The separation speed is e times that of the approach,
//! exactly. For balls it is Coulomb's law.
//!
//! **Several contacts:** generalized reflections (Smith, Kaufman, Vouga, Tamstorf, Grinspun, "Reflections on Simultaneous Impact", 2012). Contacts that approach
//! are reflected together: with λ of the quadratic program of `complementarity.rs`, velocities change by M⁻¹ N (1 + e) λ. That may make others approach; it is repeated until no
//! contact does. Symmetry and energy (for e = 1) are kept, impulses push only, and a cradle passes its impulse on. Friction follows each
//! reflection, contact by contact, within the cone of the impulse.
//!
//! Elastic reflections end. With restitution below one they may not (inelastic collapse): after [`ROUNDS`] the rest is a plastic projection, e = 0.

use crate::complementarity;
use crate::contact::{Contact, Moving};
use clearance::math::DVec3;

/// Rounds of reflections, per contact. Limit: elastic reflections of chains take one per contact and direction; what takes longer collapses.
const ROUNDS: usize = 8;

/// Contacts that approach more slowly than this part of the fastest relative velocity do not approach. Bound: rounding of a few impulses.
const RESTING: f64 = 1e-13;

/// After the plastic projection contacts may approach by this part. Bound: the condition of a system of redundant contacts times rounding.
const PROJECTED: f64 = 1e-9;

/// The result of an impact.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resolution {
    /// The impulse on B by contact.
    pub impulses: Vec<DVec3>,
    /// No contact approaches any more.
    pub is_resolved: bool,
}

/// Changes velocities so that no contact approaches any more.
pub(crate) fn resolve(bodies: &mut [Moving], contacts: &[Contact]) -> Resolution {
    let mut impulses = vec![DVec3::ZERO; contacts.len()];
    let fastest = contacts.iter().map(|contact| contact.relative_velocity(bodies).length()).fold(0.0, f64::max);
    let approaching = |bodies: &[Moving]| -> Vec<usize> {
        let is_approaching = |&i: &usize| contacts[i].separation_speed(bodies) < -RESTING * fastest;
        (0..contacts.len()).filter(is_approaching).collect()
    };
    for _ in 0..ROUNDS * contacts.len() + ROUNDS {
        match approaching(bodies)[..] {
            [] => return Resolution { impulses, is_resolved: true },
            [one] => impulses[one] += collide(bodies, &contacts[one]),
            ref many => reflect(bodies, contacts, many, &mut impulses),
        }
    }
    project(bodies, contacts, &mut impulses);
    Resolution {
        impulses,
        is_resolved: approaching(bodies).iter().all(|&i| contacts[i].separation_speed(bodies) > -PROJECTED * fastest),
    }
}

/// The law of one contact.
fn collide(bodies: &mut [Moving], contact: &Contact) -> DVec3 {
    let (u, n, k) = (contact.relative_velocity(bodies), contact.normal, contact.response(bodies));
    let stiffness = n.dot(k * n);
    if !(stiffness > 0.0) {
        return DVec3::ZERO;
    }
    let frictionless = n * (-n.dot(u) / stiffness);
    let normal = frictionless * (1.0 + contact.restitution);
    let sticking = -(k.inverse() * u);
    let mut impulse = normal;
    if contact.friction > 0.0 && sticking.is_finite() {
        let friction = sticking - frictionless;
        impulse += friction * in_cone(normal, friction, n, contact.friction, 1.0 + contact.tangential);
    }
    contact.push(bodies, impulse);
    resist_rolling(bodies, contact, n.dot(impulse));
    impulse
}

/// The largest factor from 0 to `most` with which `normal` + factor `friction` is in the friction cone about n.
fn in_cone(normal: DVec3, friction: DVec3, n: DVec3, coefficient: f64, most: f64) -> f64 {
    let is_inside = |factor: f64| {
        let impulse = normal + friction * factor;
        let along = n.dot(impulse);
        (impulse - n * along).length() <= coefficient * along
    };
    if is_inside(most) {
        return most;
    }
    // |T| κ = μ (N + κ D) with the tangential part T and the normal part D of `friction`.
    let (along, share) = (n.dot(normal), n.dot(friction));
    let across = (friction - n * share).length();
    let slope = across - coefficient * share;
    if slope > 0.0 { (coefficient * along / slope).clamp(0.0, most) } else { 0.0 }
}

/// An angular impulse against the relative rotation, at most `rolling` times the normal impulse.
pub(crate) fn resist_rolling(bodies: &mut [Moving], contact: &Contact, normal: f64) {
    let [a, b] = contact.bodies;
    let spin = bodies[b].spin - bodies[a].spin;
    if !(contact.rolling > 0.0 && normal > 0.0) || spin == DVec3::ZERO {
        return;
    }
    let stopping = -((bodies[a].inverse_inertia + bodies[b].inverse_inertia).inverse() * spin);
    if stopping.is_finite() {
        let impulse = stopping * (contact.rolling * normal / stopping.length()).min(1.0);
        bodies[b].spin += bodies[b].inverse_inertia * impulse;
        bodies[a].spin -= bodies[a].inverse_inertia * impulse;
    }
}

/// Reflects contacts that approach together, then applies friction.
fn reflect(bodies: &mut [Moving], contacts: &[Contact], approaching: &[usize], impulses: &mut [DVec3]) {
    let lambda = program(bodies, contacts, approaching);
    for (&i, &lambda) in approaching.iter().zip(&lambda) {
        let contact = &contacts[i];
        let impulse = contact.normal * ((1.0 + contact.restitution) * lambda);
        contact.push(bodies, impulse);
        impulses[i] += impulse;
    }
    for (&i, &lambda) in approaching.iter().zip(&lambda) {
        let (contact, normal) = (&contacts[i], (1.0 + contacts[i].restitution) * lambda);
        if contact.friction > 0.0 && normal > 0.0 {
            let impulse = tangential(bodies, contact, contact.friction * normal);
            contact.push(bodies, impulse);
            impulses[i] += impulse;
        }
        resist_rolling(bodies, contact, normal);
    }
}

/// The impulse across the normal that stops, or reverses, sliding: at most that long.
pub(crate) fn tangential(bodies: &[Moving], contact: &Contact, most: f64) -> DVec3 {
    let (u, n, k) = (contact.relative_velocity(bodies), contact.normal, contact.response(bodies));
    let x = n.any_orthonormal_vector();
    let y = n.cross(x);
    // The response in the tangent plane, inverted.
    let (xx, xy, yy) = (x.dot(k * x), x.dot(k * y), y.dot(k * y));
    let determinant = xx * yy - xy * xy;
    if !(determinant > 0.0) {
        return DVec3::ZERO;
    }
    let (ux, uy) = (x.dot(u), y.dot(u));
    let stop = -(x * (yy * ux - xy * uy) + y * (xx * uy - xy * ux)) / determinant;
    let wanted = stop * (1.0 + contact.tangential);
    if wanted.length() <= most {
        return wanted;
    }
    // It slides: friction is against the slip, and no longer than the one that stops the slip in that direction.
    let slip = x * ux + y * uy;
    let Some(along) = slip.try_normalize() else { return DVec3::ZERO };
    let stopping = (1.0 + contact.tangential) * slip.length() / along.dot(k * along);
    along * -most.min(stopping)
}

/// λ of some contacts.
fn program(bodies: &[Moving], contacts: &[Contact], some: &[usize]) -> Vec<f64> {
    let a: Vec<f64> =
        some.iter().flat_map(|&i| some.iter().map(move |&j| contacts[i].coupling(&contacts[j], bodies))).collect();
    let b: Vec<f64> = some.iter().map(|&i| contacts[i].separation_speed(bodies)).collect();
    complementarity::solve(&a, &b)
}

/// The plastic projection onto the velocities at which no contact approaches.
fn project(bodies: &mut [Moving], contacts: &[Contact], impulses: &mut [DVec3]) {
    let all: Vec<usize> = (0..contacts.len()).collect();
    for (i, lambda) in program(bodies, contacts, &all).into_iter().enumerate() {
        let impulse = contacts[i].normal * lambda;
        contacts[i].push(bodies, impulse);
        impulses[i] += impulse;
    }
}

/// The least normal impulses after which each contact separates at its speed; also u·λ and λ·A λ, which give their energy.
pub(crate) fn lift(bodies: &[Moving], contacts: &[Contact], speeds: &[f64]) -> (Vec<f64>, f64, f64) {
    let n = contacts.len();
    let a: Vec<f64> = (0..n * n).map(|k| contacts[k / n].coupling(&contacts[k % n], bodies)).collect();
    let now: Vec<f64> = contacts.iter().map(|contact| contact.separation_speed(bodies)).collect();
    let missing: Vec<f64> = now.iter().zip(speeds).map(|(now, wanted)| now - wanted).collect();
    let lambda = complementarity::solve(&a, &missing);
    let linear = now.iter().zip(&lambda).map(|(u, x)| u * x).sum();
    let square = (0..n * n).map(|k| lambda[k / n] * a[k] * lambda[k % n]).sum();
    (lambda, linear, square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::math::DMat3;

    fn ball(x: f64, velocity: f64, mass: f64) -> Moving {
        Moving {
            center: DVec3::new(x, 0.0, 0.0),
            velocity: DVec3::new(velocity, 0.0, 0.0),
            spin: DVec3::ZERO,
            inverse_mass: DVec3::splat(1.0 / mass),
            inverse_inertia: DMat3::IDENTITY * (1.0 / (0.4 * mass * 0.25)),
        }
    }

    fn contact(bodies: [usize; 2], point: DVec3, normal: DVec3, restitution: f64, friction: f64) -> Contact {
        Contact { bodies, point, normal, friction, restitution, tangential: 0.0, rolling: 0.0 }
    }

    fn energy(bodies: &[Moving]) -> f64 {
        let of = |body: &Moving| {
            let turning = body.inverse_inertia.inverse() * body.spin;
            0.5 * body.velocity.length_squared() / body.inverse_mass.x + 0.5 * body.spin.dot(turning)
        };
        bodies.iter().filter(|body| body.inverse_mass != DVec3::ZERO).map(of).sum()
    }

    #[test]
    fn a_cradle_passes_its_impulse_on() {
        let mut bodies: Vec<Moving> = (0..5).map(|i| ball(f64::from(i), if i < 2 { 1.0 } else { 0.0 }, 1.0)).collect();
        let contacts: Vec<Contact> =
            (0..4).map(|i| contact([i, i + 1], DVec3::new(i as f64 + 0.5, 0.0, 0.0), DVec3::X, 1.0, 0.0)).collect();
        assert!(resolve(&mut bodies, &contacts).is_resolved);
        let speeds: Vec<f64> = bodies.iter().map(|body| body.velocity.x).collect();
        let truth = [0.0, 0.0, 0.0, 1.0, 1.0];
        assert!(speeds.iter().zip(truth).all(|(x, y)| (x - y).abs() < 1e-12), "{speeds:?}");
    }

    #[test]
    fn a_ball_between_two_others_keeps_the_symmetry() {
        // The middle one moves up between two that rest: all are balls of radius a half, at the corners of a triangle.
        let n = [DVec3::new(-0.5, 0.75_f64.sqrt(), 0.0), DVec3::new(0.5, 0.75_f64.sqrt(), 0.0)];
        let mut bodies = vec![ball(0.0, 0.0, 1.0), ball(0.0, 0.0, 1.0), ball(0.0, 0.0, 1.0)];
        bodies[0].velocity = DVec3::Y;
        (bodies[1].center, bodies[2].center) = (n[0], n[1]);
        let contacts: Vec<Contact> = (0..2).map(|i| contact([0, i + 1], n[i] * 0.5, n[i], 1.0, 0.0)).collect();
        assert!(resolve(&mut bodies, &contacts).is_resolved);
        assert!((bodies[1].velocity.x + bodies[2].velocity.x).abs() < 1e-9 && bodies[0].velocity.x.abs() < 1e-9);
        assert!((bodies[1].velocity.y - bodies[2].velocity.y).abs() < 1e-9);
        let sum: DVec3 = bodies.iter().map(|body| body.velocity).sum();
        assert!((sum - DVec3::Y).length() < 1e-12 && (energy(&bodies) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn impacts_never_add_energy_and_keep_momentum() {
        let mut rng = fastrand::Rng::with_seed(11);
        let mut random = || rng.f64() - 0.5;
        for round in 0..3000 {
            let mut vector = || DVec3::new(random(), random(), random());
            let mut bodies: Vec<Moving> = (0..3)
                .map(|_| {
                    let (x, y, z) = (vector(), vector(), vector());
                    let root = DMat3::from_cols(x, y, z);
                    Moving {
                        center: vector(),
                        velocity: vector(),
                        spin: vector(),
                        inverse_mass: DVec3::splat(0.5 + vector().x.abs()),
                        inverse_inertia: root * root.transpose() + DMat3::IDENTITY * 0.2,
                    }
                })
                .collect();
            let count = 1 + round % 4;
            let contacts: Vec<Contact> = (0..count)
                .map(|i| {
                    let (settings, pair) = (vector(), [[0, 1], [1, 2], [0, 2], [1, 0]][i]);
                    let (restitution, friction) = (0.5 + settings.x, 2.0 * (0.5 + settings.y));
                    let tangential = if settings.z > 0.3 { 1.0 } else { 0.0 };
                    Contact { tangential, ..contact(pair, vector(), vector().normalize(), restitution, friction) }
                })
                .collect();
            let before = energy(&bodies);
            let momentum: DVec3 = bodies.iter().map(|body| body.velocity / body.inverse_mass.x).sum();
            let speeds: Vec<f64> = contacts.iter().map(|contact| contact.separation_speed(&bodies)).collect();
            let resolution = resolve(&mut bodies, &contacts);
            assert!(resolution.is_resolved);
            assert!(energy(&bodies) <= before * (1.0 + 1e-9), "{round}: {} {before}", energy(&bodies));
            let after: DVec3 = bodies.iter().map(|body| body.velocity / body.inverse_mass.x).sum();
            assert!((after - momentum).length() < 1e-9);
            for (contact, impulse) in contacts.iter().zip(&resolution.impulses) {
                assert!(contact.normal.dot(*impulse) >= 0.0 && contact.separation_speed(&bodies) > -1e-9);
            }
            if count == 1 && speeds[0] < 0.0 {
                let speed = contacts[0].separation_speed(&bodies);
                assert!((speed + contacts[0].restitution * speeds[0]).abs() < 1e-12);
            }
        }
    }

    /// A ball that slides on a floor: friction is μ times the normal impulse until it rolls.
    #[test]
    fn a_ball_slides_or_grips() {
        for (friction, truth) in [(0.1, 0.8), (1.0, 5.0 / 7.0)] {
            let mut bodies = vec![ball(0.0, 1.0, 1.0), ball(0.0, 0.0, 1.0)];
            bodies[0].velocity.y = -1.0;
            (bodies[1].inverse_mass, bodies[1].inverse_inertia) = (DVec3::ZERO, DMat3::ZERO);
            let contacts = [contact([1, 0], DVec3::new(0.0, -0.5, 0.0), DVec3::Y, 1.0, friction)];
            resolve(&mut bodies, &contacts);
            assert!((bodies[0].velocity.y - 1.0).abs() < 1e-12);
            assert!((bodies[0].velocity.x - truth).abs() < 1e-12, "{} {truth}", bodies[0].velocity.x);
        }
    }
}
