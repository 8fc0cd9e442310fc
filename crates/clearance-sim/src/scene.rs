//! Scenes: bodies and what acts on them.

use crate::{Body, Error};
use clearance::math::DVec3;
use std::collections::HashSet;

/// Bodies and gravity, at the start of a simulation.
///
/// ```
/// use clearance::{Pose, Shape};
/// use clearance_sim::{Body, Mass, Scene};
///
/// let mut scene = Scene::new([0.0, -9.81, 0.0]);
/// scene.add(Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY));
/// scene.add(Body::new("ball", Shape::sphere(0.5)?, Pose::from_translation([0.0, 2.0, 0.0]), Mass::Total(1.0)));
/// assert!(scene.check().is_ok());
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The acceleration of everything that is not fixed.
    pub gravity: DVec3,
    /// The bodies. Names are unique.
    pub bodies: Vec<Body>,
    /// Pairs of numbers of bodies that do not collide.
    pub ignored: Vec<[usize; 2]>,
}

impl Scene {
    /// A scene without bodies.
    #[must_use]
    pub fn new(gravity: impl Into<DVec3>) -> Self {
        Self { gravity: gravity.into(), ..Self::default() }
    }

    /// Adds a body; its number.
    pub fn add(&mut self, body: Body) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// The size of the smallest dynamic body; one if none has a size.
    pub(crate) fn smallest(&self) -> f64 {
        let moving = self.bodies.iter().filter(|body| matches!(body.kind, crate::Kind::Dynamic(_)));
        let sizes = moving.map(|body| body.shape.bounding_radius()).filter(|size| size.is_finite() && *size > 0.0);
        let smallest = sizes.fold(f64::INFINITY, f64::min);
        if smallest.is_finite() { smallest } else { 1.0 }
    }

    /// Can the scene be simulated? The error is one sentence. Bodies that overlap are found when a simulation begins.
    pub fn check(&self) -> Result<(), Error> {
        let fault = |sentence: String| Err(Error::Input(sentence));
        if !crate::body::is_bounded(self.gravity) {
            return fault(format!("gravity is {}, but must have finite numbers of at most 1e60", self.gravity));
        }
        let mut names = HashSet::new();
        for body in &self.bodies {
            body.check()?;
            if !names.insert(&body.name) {
                return fault(format!("two bodies have the name {:?}; rename one", body.name));
            }
        }
        if self.bodies.is_empty() {
            return fault("the scene has no bodies; add at least one".into());
        }
        match self.ignored.iter().flatten().find(|&&number| number >= self.bodies.len()) {
            Some(number) => fault(format!(
                "an ignored pair names body {number}, but there are {} bodies, counted from 0",
                self.bodies.len()
            )),
            None => Ok(()),
        }
    }
}
