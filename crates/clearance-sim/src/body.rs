//! Bodies: a shape, a mass, a material, and how they may move.

use crate::Error;
use clearance::math::{DMat3, DVec3};
use clearance::shape::MassProperties;
use clearance::{Pose, Shape};

/// Surface of a body. Of two bodies in contact the friction is the geometric mean, the restitution and the rolling resistance the larger one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// The part of the approach speed with which bodies separate after an impact, from 0 to 1.
    pub restitution: f64,
    /// The lever arm of the normal force against rolling: a length.
    pub rolling_resistance: f64,
}

impl Default for Material {
    /// Friction 0.5, no bounce, no resistance to rolling.
    fn default() -> Self {
        Self { friction: 0.5, restitution: 0.0, rolling_resistance: 0.0 }
    }
}

/// The mass of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mass {
    /// Mass per volume. The parts of a compound are added, also where they overlap.
    Density(f64),
    /// The mass of a body of even density.
    Total(f64),
    /// Everything given.
    Given {
        /// The mass.
        mass: f64,
        /// The center of mass, in the frame of the body.
        center: DVec3,
        /// The inertia tensor about the center, along the axes of the body.
        inertia: DMat3,
    },
}

/// How a body moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// By forces and impulses.
    Dynamic(Mass),
    /// By its given velocities, whatever it meets: the origin of the body moves straight, and the body turns about it.
    Kinematic,
    /// As [`Kinematic`](Self::Kinematic) until this time, and then not at all.
    KinematicUntil(f64),
    /// Not at all.
    Fixed,
}

/// A body of a scene, as it is at the start.
///
/// ```
/// use clearance::{Pose, Shape};
/// use clearance_sim::{Body, Mass};
///
/// let ball = Body::new("ball", Shape::sphere(0.5)?, Pose::from_translation([0.0, 2.0, 0.0]), Mass::Density(1000.0));
/// let floor = Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY);
/// assert!(ball.check().is_ok() && floor.check().is_ok());
/// let wrong = Body::new("rock", Shape::sphere(0.5)?, Pose::IDENTITY, Mass::Total(0.0));
/// assert_eq!(wrong.check().unwrap_err().to_string(), "the mass of \"rock\" is 0, but must be a positive number; a body that nothing moves is fixed");
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Body {
    /// The name, for messages and recordings.
    pub name: String,
    /// The shape, in the frame of the body.
    pub shape: Shape,
    /// Where it is at the start.
    pub pose: Pose,
    /// How it moves.
    pub kind: Kind,
    /// Its surface.
    pub material: Material,
    /// The velocity at the start: of the center of mass of a dynamic body, of the origin of a kinematic one.
    pub velocity: DVec3,
    /// The angular velocity at the start, in the axes of the world.
    pub angular_velocity: DVec3,
    /// A constant force on the center of mass of a dynamic body, in the axes of the world.
    pub force: DVec3,
    /// A constant torque on a dynamic body, in the axes of the world. Only [steps](crate::Mode::Steps) can do it.
    pub torque: DVec3,
    /// The axes of the world along which a dynamic body does not move.
    pub locked_translation: [bool; 3],
    /// The axes of the world about which a dynamic body does not turn.
    pub locked_rotation: [bool; 3],
}

impl Body {
    /// A body at rest that moves by forces and impulses.
    #[must_use]
    pub fn new(name: impl Into<String>, shape: Shape, pose: Pose, mass: Mass) -> Self {
        Self {
            name: name.into(),
            shape,
            pose,
            kind: Kind::Dynamic(mass),
            material: Material::default(),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            locked_translation: [false; 3],
            locked_rotation: [false; 3],
        }
    }

    /// A body that does not move.
    #[must_use]
    pub fn fixed(name: impl Into<String>, shape: Shape, pose: Pose) -> Self {
        Self { kind: Kind::Fixed, ..Self::new(name, shape, pose, Mass::Density(1.0)) }
    }

    /// A body that moves by its given velocities.
    #[must_use]
    pub fn kinematic(
        name: impl Into<String>,
        shape: Shape,
        pose: Pose,
        velocity: impl Into<DVec3>,
        angular_velocity: impl Into<DVec3>,
    ) -> Self {
        let body = Self { kind: Kind::Kinematic, ..Self::new(name, shape, pose, Mass::Density(1.0)) };
        body.moving(velocity, angular_velocity)
    }

    /// This body with velocities at the start.
    #[must_use]
    pub fn moving(self, velocity: impl Into<DVec3>, angular_velocity: impl Into<DVec3>) -> Self {
        Self { velocity: velocity.into(), angular_velocity: angular_velocity.into(), ..self }
    }

    /// This body with that surface.
    #[must_use]
    pub fn material(self, material: Material) -> Self {
        Self { material, ..self }
    }

    /// Can the body be simulated? The error is one sentence.
    pub fn check(&self) -> Result<(), Error> {
        self.inertial().map(|_| ())
    }

    /// The velocity and the angular velocity at the start, along the free axes.
    pub(crate) fn start_velocities(&self, inertial: &Inertial) -> (DVec3, DVec3) {
        match self.kind {
            Kind::Dynamic(_) => (self.velocity * inertial.free_translation, inertial.free_spin(self.angular_velocity)),
            Kind::Kinematic => (self.velocity, self.angular_velocity),
            Kind::KinematicUntil(time) if time > 0.0 => (self.velocity, self.angular_velocity),
            Kind::KinematicUntil(_) | Kind::Fixed => (DVec3::ZERO, DVec3::ZERO),
        }
    }

    /// When a kinematic body stops; infinite for the others.
    pub(crate) fn stops_at(&self) -> f64 {
        match self.kind {
            Kind::KinematicUntil(time) if time > 0.0 => time,
            _ => f64::INFINITY,
        }
    }

    /// Mass, center of mass and mobility.
    pub(crate) fn inertial(&self) -> Result<Inertial, Error> {
        let name = &self.name;
        let fault = |sentence: String| Err(Error::Input(sentence));
        let Material { friction, restitution, rolling_resistance } = self.material;
        for (what, value) in [("friction", friction), ("rolling resistance", rolling_resistance)] {
            if !(value >= 0.0 && value.is_finite()) {
                return fault(format!("the {what} of {name:?} is {value}, but must be zero or a positive number"));
            }
        }
        if !(0.0..=1.0).contains(&restitution) {
            return fault(format!("the restitution of {name:?} is {restitution}, but must be from 0 to 1"));
        }
        for (what, value) in [
            ("velocity", self.velocity),
            ("angular velocity", self.angular_velocity),
            ("force", self.force),
            ("torque", self.torque),
        ] {
            if !is_bounded(value) {
                return fault(format!(
                    "the {what} of {name:?} is {value}, but must have finite numbers of at most 1e60"
                ));
            }
        }
        if let Kind::KinematicUntil(time) = self.kind
            && time.is_nan()
        {
            return fault(format!("the time at which {name:?} stops is NaN, but must be a number"));
        }
        let Kind::Dynamic(mass) = self.kind else {
            let center =
                if self.kind == Kind::Fixed { self.shape.centroid().unwrap_or(DVec3::ZERO) } else { DVec3::ZERO };
            return Ok(Inertial::immovable(center));
        };
        let given = match mass {
            Mass::Density(value) | Mass::Total(value) | Mass::Given { mass: value, .. } => value,
        };
        if !(given > 0.0 && given.is_finite()) {
            let what = if matches!(mass, Mass::Density(_)) { "density" } else { "mass" };
            return fault(format!(
                "the {what} of {name:?} is {given}, but must be a positive number; a body that nothing moves is fixed"
            ));
        }
        let (mass, center, inertia) = match mass {
            Mass::Given { mass, center, inertia } => (mass, center, inertia),
            Mass::Density(_) | Mass::Total(_) => {
                let solid = mass_properties(&self.shape).filter(|solid| solid.volume > 0.0);
                let Some(solid) = solid else {
                    return fault(format!(
                        "{name:?} is a {} without a volume that is known, so no density or mass gives its inertia; give mass, center and inertia, or fix it",
                        self.shape.kind()
                    ));
                };
                let density = if let Mass::Density(density) = mass { density } else { given / solid.volume };
                (density * solid.volume, solid.centroid, solid.inertia * density)
            }
        };
        let inverse = inertia.inverse();
        // Sylvester's criterion: all leading minors are positive.
        let minor = inertia.x_axis.x * inertia.y_axis.y - inertia.x_axis.y * inertia.y_axis.x;
        let is_positive = inertia.x_axis.x > 0.0 && minor > 0.0 && inertia.determinant() > 0.0;
        if !(mass.is_finite() && center.is_finite() && inertia.is_finite() && inverse.is_finite() && is_positive) {
            return fault(format!(
                "the inertia of {name:?} is not a positive definite matrix of finite numbers; give one, or fix the body"
            ));
        }
        let locks = [self.locked_translation, self.locked_rotation]
            .map(|locks| DVec3::from(locks.map(|lock| f64::from(u8::from(!lock)))));
        Ok(Inertial::new(mass, center, inertia, inverse, locks))
    }
}

/// Written so that a NaN is not.
pub(crate) fn is_bounded(v: DVec3) -> bool {
    v.abs().cmple(DVec3::splat(clearance::error::MAX_COORDINATE)).all()
}

/// Half of the least side of the box around a shape in its own frame; a flat or thin body has no more room for an error than that.
pub(crate) fn thickness_of(shape: &Shape) -> f64 {
    let bounds = shape.aabb(&Pose::IDENTITY);
    0.5 * (bounds.max - bounds.min).min_element()
}

/// The properties of a shape; those of a compound are the sums over its parts.
fn mass_properties(shape: &Shape) -> Option<MassProperties> {
    match shape {
        Shape::Compound(compound) => {
            let parts = compound.parts().iter();
            let solids: Option<Vec<_>> = parts.map(|part| Some(mass_properties(&part.shape)?.at(&part.pose))).collect();
            Some(MassProperties::sum(solids?))
        }
        _ => shape.mass_properties(),
    }
}

/// The mass of a body, and the axes along which it is free.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inertial {
    pub mass: f64,
    /// In the frame of the body.
    pub center: DVec3,
    /// In the axes of the body.
    pub inertia: DMat3,
    inverse: DMat3,
    /// 1/m along each free axis, else zero.
    pub inverse_mass: DVec3,
    /// 1 for each free axis of the world, else 0.
    pub free_translation: DVec3,
    free_rotation: DVec3,
    pub is_dynamic: bool,
    /// All moments are the same, so the angular velocity is constant without torque.
    pub is_isotropic: bool,
}

impl Inertial {
    fn immovable(center: DVec3) -> Self {
        Self {
            mass: 0.0,
            center,
            inertia: DMat3::ZERO,
            inverse: DMat3::ZERO,
            inverse_mass: DVec3::ZERO,
            free_translation: DVec3::ZERO,
            free_rotation: DVec3::ZERO,
            is_dynamic: false,
            is_isotropic: true,
        }
    }

    fn new(mass: f64, center: DVec3, inertia: DMat3, inverse: DMat3, [translation, rotation]: [DVec3; 2]) -> Self {
        let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
        let rest = (inertia - DMat3::from_diagonal(DVec3::splat(mean))).to_cols_array();
        /// Moments that differ by less than this part are equal. Bound: a few roundings of the moments of a ball or a cube.
        const ISOTROPIC: f64 = 64.0 * f64::EPSILON;
        let is_isotropic = rest.iter().all(|x| x.abs() <= ISOTROPIC * mean);
        Self {
            mass,
            center,
            inertia,
            inverse,
            inverse_mass: translation / mass,
            free_translation: translation,
            free_rotation: rotation,
            is_dynamic: true,
            is_isotropic,
        }
    }

    /// The acceleration of the center of mass along the free axes.
    pub fn acceleration(&self, gravity: DVec3, force: DVec3) -> DVec3 {
        if self.is_dynamic { gravity * self.free_translation + self.inverse_mass * force } else { DVec3::ZERO }
    }

    /// The number of axes about which the body may turn.
    pub fn free_axes(&self) -> usize {
        self.free_rotation.to_array().iter().filter(|&&axis| axis > 0.0).count()
    }

    /// Is there an axis about which the body does not turn?
    pub fn has_locked_rotation(&self) -> bool {
        self.free_rotation != DVec3::ONE
    }

    /// Is there an axis along or about which the body does not move?
    pub fn has_locks(&self) -> bool {
        self.has_locked_rotation() || self.free_translation != DVec3::ONE
    }

    /// The angular velocity of an angular impulse, in the axes of the world, for a body of that rotation.
    ///
    /// With locked axes the angular velocity is in a subspace S of them: it is S (Sᵀ I S)⁻¹ Sᵀ L.
    pub fn inverse_inertia(&self, rotation: DMat3) -> DMat3 {
        if !self.is_dynamic {
            return DMat3::ZERO;
        }
        match self.free_axes() {
            3 => rotation * self.inverse * rotation.transpose(),
            0 => DMat3::ZERO,
            _ => {
                // The locked rows and columns become those of the unit matrix, and are taken out of the inverse.
                let (inertia, free) = (rotation * self.inertia * rotation.transpose(), self.free_rotation);
                let mask = DMat3::from_diagonal(free);
                let filled = mask * inertia * mask + DMat3::from_diagonal(DVec3::ONE - free);
                mask * filled.inverse() * mask
            }
        }
    }

    /// The angular velocity along the free axes.
    pub fn free_spin(&self, spin: DVec3) -> DVec3 {
        spin * self.free_rotation
    }

    /// The inertia tensor in the axes of the world.
    pub fn world_inertia(&self, rotation: DMat3) -> DMat3 {
        rotation * self.inertia * rotation.transpose()
    }
}
