//! Rigid bodies that fall, collide and slide: the source of the motions in the two-phase paper's scenes.
//!
//! As in the paper's own system, contact is a series of small collisions. At the closest points of two touching bodies an impulse removes their speed
//! of approach, with restitution for fast impacts and Coulomb friction.
//!
//! **Simplified.** There is one point of contact for two bodies at a time and a fixed step of a quarter of a millisecond. A remaining
//! interpenetration is reduced gradually. A body's axes are its principal ones, with its origin at the center of mass.

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Pair, Pose, Shape};

/// Seconds in a step of the integration.
pub const STEP: f64 = 2.5e-4;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Collisions slower than this do not bounce: it is the speed that a body gains in some steps of falling.
const QUIET: f64 = 0.02;

/// The permitted depth, in meters.
const SLOP: f64 = 2e-5;

/// The part of the depth beyond that which a step removes.
const PUSH: f64 = 0.2;

/// The response of the bodies of a scene to contact.
#[derive(Debug, Clone, Copy)]
pub struct Surface {
    /// The part of the speed of approach that is kept.
    pub restitution: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
}

/// A body of a scene.
#[derive(Debug, Clone)]
pub struct Body {
    /// Its shape.
    pub shape: Shape,
    /// Its pose.
    pub pose: Pose,
    /// The velocity of its center.
    pub velocity: DVec3,
    /// Its angular velocity, in the axes of the world.
    pub spin: DVec3,
    /// One over its mass; zero for a fixed body.
    lightness: f64,
    /// Its moments of inertia.
    moments: DVec3,
}

impl Body {
    /// A body that never moves.
    #[must_use]
    pub fn fixed(shape: Shape, pose: Pose) -> Self {
        Self { shape, pose, velocity: DVec3::ZERO, spin: DVec3::ZERO, lightness: 0.0, moments: DVec3::ONE }
    }

    /// A solid of some density, at rest.
    ///
    /// # Panics
    ///
    /// If the shape is not solid.
    #[must_use]
    pub fn solid(shape: Shape, pose: Pose, density: f64) -> Self {
        let mass = shape.mass_properties().expect("a solid");
        let moments = DVec3::from_array([0, 1, 2].map(|k| density * mass.inertia.col(k)[k]));
        Self { lightness: 1.0 / (density * mass.volume), moments, ..Self::fixed(shape, pose) }
    }

    /// True if it never moves.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.lightness == 0.0
    }

    /// Its velocity and angular velocity.
    #[must_use]
    pub fn thrown(self, velocity: DVec3, spin: DVec3) -> Self {
        Self { velocity, spin, ..self }
    }

    /// The inverse of the inertia at a rotation.
    fn softness(&self, rotation: DQuat) -> DMat3 {
        if self.is_fixed() {
            return DMat3::ZERO;
        }
        let turn = DMat3::from_quat(rotation);
        turn * DMat3::from_diagonal(self.moments.recip()) * turn.transpose()
    }

    /// Free flight for a step: the angular momentum is conserved, and the rate is that of the middle.
    fn fly(&mut self) {
        if self.is_fixed() {
            return;
        }
        self.velocity += GRAVITY * STEP;
        let rotation = self.pose.rotation();
        let turn = DMat3::from_quat(rotation);
        let momentum = turn * (self.moments * (turn.transpose() * self.spin));
        let after = |time: f64, spin: DVec3| DQuat::from_scaled_axis(spin * time) * rotation;
        let middle = self.softness(after(0.5 * STEP, self.spin)) * momentum;
        let rotation = after(STEP, middle);
        self.spin = self.softness(rotation) * momentum;
        self.pose = Pose::new(self.pose.translation() + self.velocity * STEP, rotation.normalize());
    }

    /// The change of the velocity at an arm from the center by an impulse there.
    fn response(&self, arm: DVec3) -> DMat3 {
        let cross = DMat3::from_cols(arm.cross(DVec3::X), arm.cross(DVec3::Y), arm.cross(DVec3::Z));
        DMat3::from_diagonal(DVec3::splat(self.lightness)) - cross * self.softness(self.pose.rotation()) * cross
    }

    fn push(&mut self, arm: DVec3, impulse: DVec3) {
        self.velocity += self.lightness * impulse;
        self.spin += self.softness(self.pose.rotation()) * arm.cross(impulse);
    }

    fn shift(&mut self, by: DVec3) {
        self.pose = Pose::new(self.pose.translation() + by, self.pose.rotation());
    }
}

/// Bodies, and the data that they keep about each other.
#[derive(Debug)]
pub struct Tossed {
    /// All bodies.
    pub bodies: Vec<Body>,
    surface: Surface,
    pairs: Vec<([usize; 2], Pair)>,
}

impl Tossed {
    /// A scene; its bodies are visited in their order.
    #[must_use]
    pub fn new(bodies: Vec<Body>, surface: Surface) -> Self {
        let mut pairs = Vec::new();
        for (i, a) in bodies.iter().enumerate() {
            for (j, b) in bodies.iter().enumerate().skip(i + 1) {
                if !(a.is_fixed() && b.is_fixed()) {
                    pairs.push(([i, j], Pair::new(&a.shape, &b.shape)));
                }
            }
        }
        Self { bodies, surface, pairs }
    }

    /// One step: all bodies fly, then all touching pairs collide.
    pub fn step(&mut self) {
        self.bodies.iter_mut().for_each(Body::fly);
        let boxes: Vec<_> = self.bodies.iter().map(|body| body.shape.aabb(&body.pose)).collect();
        for ([i, j], pair) in &mut self.pairs {
            if !boxes[*i].overlaps(&boxes[*j]) {
                continue;
            }
            let found = pair.distance(self.bodies[*i].pose, self.bodies[*j].pose);
            if found.distance <= 0.0 {
                let (head, tail) = self.bodies.split_at_mut(*j);
                let point = 0.5 * (found.point_a + found.point_b);
                collide([&mut head[*i], &mut tail[0]], point, found.normal, self.surface);
                let (a, b) = (&mut head[*i], &mut tail[0]);
                let depth = PUSH * (-found.distance - SLOP).max(0.0) / (a.lightness + b.lightness);
                a.shift(-depth * a.lightness * found.normal);
                b.shift(depth * b.lightness * found.normal);
            }
        }
    }
}

/// An impulse between two bodies at a point; the normal is from the first to the second.
fn collide([a, b]: [&mut Body; 2], point: DVec3, normal: DVec3, surface: Surface) {
    let arms = [point - a.pose.translation(), point - b.pose.translation()];
    let velocity = (b.velocity + b.spin.cross(arms[1])) - (a.velocity + a.spin.cross(arms[0]));
    let approach = -velocity.dot(normal);
    if approach <= 0.0 {
        return;
    }
    let back = if approach > QUIET { surface.restitution * approach } else { 0.0 };
    let response = a.response(arms[0]) + b.response(arms[1]);
    // The impulse that would stop all sliding; beyond the limit of friction the bodies slide on.
    let sticking = response.inverse() * (normal * back - velocity);
    let along = sticking.dot(normal);
    let impulse = if (sticking - along * normal).length() <= surface.friction * along {
        sticking
    } else {
        let sliding = (velocity + approach * normal).normalize_or_zero();
        let direction = normal - surface.friction * sliding;
        // Almost always positive. Where friction would drive the bodies together, the impulse has none.
        let softness = normal.dot(response * direction);
        let direction = if softness > 0.0 { direction } else { normal };
        direction * ((approach + back) / normal.dot(response * direction))
    };
    a.push(arms[0], -impulse);
    b.push(arms[1], impulse);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURFACE: Surface = Surface { restitution: 0.3, friction: 0.4 };

    fn floor() -> Body {
        Body::fixed(Shape::cuboid([5.0, 0.1, 5.0]).expect("a box"), Pose::from_translation([0.0, -0.1, 0.0]))
    }

    /// A box that spins about its middle axis tumbles, and keeps its angular momentum and its energy.
    #[test]
    fn free_flight_keeps_angular_momentum_and_energy() {
        let shape = Shape::cuboid([0.3, 0.2, 0.1]).expect("a box");
        let mut body = Body::solid(shape, Pose::IDENTITY, 1.0).thrown(DVec3::ZERO, DVec3::new(0.01, 20.0, 0.02));
        let state = |body: &Body| {
            let turn = DMat3::from_quat(body.pose.rotation());
            let local = turn.transpose() * body.spin;
            (turn * (body.moments * local), 0.5 * local.dot(body.moments * local), local)
        };
        let (momentum, energy, _) = state(&body);
        let mut least = f64::INFINITY;
        for _ in 0..20_000 {
            body.fly();
            let now = state(&body);
            assert!((now.0 - momentum).length() < 1e-9 * momentum.length(), "{now:?}");
            assert!((now.1 / energy - 1.0).abs() < 1e-3, "{now:?}");
            least = least.min(now.2.y);
        }
        assert!(least < -19.0, "the middle axis is not stable: {least}");
    }

    /// A ball bounces to the square of the restitution; a box stays at its place; a sliding one stops at the distance that friction gives.
    #[test]
    fn bodies_bounce_rest_and_slide() {
        let ball = Shape::sphere(0.1).expect("a ball");
        let mut scene =
            Tossed::new(vec![floor(), Body::solid(ball, Pose::from_translation([0.0, 1.1, 0.0]), 1.0)], SURFACE);
        let mut top = 0.0_f64;
        for step in 0..4000 {
            scene.step();
            if step > 2200 {
                top = top.max(scene.bodies[1].pose.translation().y - 0.1);
            }
        }
        assert!((top - 0.09).abs() < 0.005, "{top}");

        let block = Shape::cuboid([0.1, 0.05, 0.1]).expect("a box");
        let body = Body::solid(block, Pose::from_translation([0.0, 0.05, 0.0]), 1.0).thrown(DVec3::X, DVec3::ZERO);
        let mut scene = Tossed::new(vec![floor(), body], SURFACE);
        (0..8000).for_each(|_| scene.step());
        let rest = &scene.bodies[1];
        // v² / (2 μ g) = 0.127 m.
        assert!((rest.pose.translation().x - 0.127).abs() < 0.02 && rest.velocity.length() < 0.02, "{rest:?}");
        assert!((rest.pose.translation().y - 0.05).abs() < 1e-3, "{rest:?}");
    }
}
