//! Contacts of rigid bodies, and what an impulse at one does.

use clearance::math::{DMat3, DVec3};

/// The velocities of a body, and what changes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moving {
    /// The center of mass; of bodies without mass, the point that has `velocity`.
    pub center: DVec3,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// Along the axes of the world.
    pub inverse_mass: DVec3,
    /// In the axes of the world.
    pub inverse_inertia: DMat3,
}

impl Moving {
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.center)
    }

    pub fn push(&mut self, point: DVec3, impulse: DVec3) {
        self.velocity += self.inverse_mass * impulse;
        self.spin += self.inverse_inertia * (point - self.center).cross(impulse);
    }

    /// The change of the velocity at a point per impulse at another one: M⁻¹ - \[r\]× I⁻¹ \[s\]×.
    pub fn response(&self, at: DVec3, impulse_at: DVec3) -> DMat3 {
        let (r, s) = (cross_matrix(at - self.center), cross_matrix(impulse_at - self.center));
        DMat3::from_diagonal(self.inverse_mass) - r * self.inverse_inertia * s
    }
}

/// The matrix of v × ….
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// A point at which two bodies may push each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contact {
    /// Numbers of bodies.
    pub bodies: [usize; 2],
    pub point: DVec3,
    /// From A to B.
    pub normal: DVec3,
    pub friction: f64,
    /// Of the normal velocity.
    pub restitution: f64,
    /// Of the tangential velocity: 0 when bodies stick, 1 when micro-collisions reverse it.
    pub tangential: f64,
    pub rolling: f64,
}

impl Contact {
    /// The velocity of B relative to A.
    pub fn relative_velocity(&self, bodies: &[Moving]) -> DVec3 {
        let [a, b] = self.bodies;
        bodies[b].velocity_at(self.point) - bodies[a].velocity_at(self.point)
    }

    /// The rate at which the bodies separate.
    pub fn separation_speed(&self, bodies: &[Moving]) -> f64 {
        self.normal.dot(self.relative_velocity(bodies))
    }

    /// The relative velocity across the normal.
    pub fn slip(&self, bodies: &[Moving]) -> DVec3 {
        let velocity = self.relative_velocity(bodies);
        velocity - self.normal * self.normal.dot(velocity)
    }

    /// Pushes B, and A the other way.
    pub fn push(&self, bodies: &mut [Moving], impulse: DVec3) {
        let [a, b] = self.bodies;
        bodies[a].push(self.point, -impulse);
        bodies[b].push(self.point, impulse);
    }

    /// The change of the relative velocity per impulse here: the matrix K of the textbooks.
    pub fn response(&self, bodies: &[Moving]) -> DMat3 {
        let [a, b] = self.bodies.map(|body| bodies[body].response(self.point, self.point));
        a + b
    }

    /// The change of the separation speed here per normal impulse at another contact.
    pub fn coupling(&self, other: &Self, bodies: &[Moving]) -> f64 {
        let mut sum = 0.0;
        for (side, &body) in self.bodies.iter().enumerate() {
            for (other_side, &other_body) in other.bodies.iter().enumerate() {
                if body == other_body {
                    let response = bodies[body].response(self.point, other.point);
                    let value = self.normal.dot(response * other.normal);
                    sum += if side == other_side { value } else { -value };
                }
            }
        }
        sum
    }
}
