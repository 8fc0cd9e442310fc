//! Questions about two shapes: the one-shot functions, and [`Pair`] which remembers.

mod clearance;

pub use clearance::{Clearance, Cost, Status};

use crate::math::Pose;
use crate::shape::{Feature, Shape};
use glam::DVec3;

/// The algorithm that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Engine {
    /// A closed form where there is one, else the fastest engine that is right for the pair.
    #[default]
    Auto,
    /// GJK with the accurate subalgorithm (signed volumes).
    Gjk,
    /// GJK with Johnson's subalgorithm as its paper has it, for comparison.
    GjkJohnson,
}

/// The signed distance between two shapes with witnesses and bracket.
#[must_use]
pub fn distance(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> Clearance {
    Pair::new(a, b).distance(pose_a, pose_b)
}

/// Do the shapes share a point? Touching counts.
#[must_use]
pub fn intersects(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> bool {
    Pair::new(a, b).intersects(pose_a, pose_b)
}

/// The clearance if it is at most `margin`, else nothing.
#[must_use]
pub fn within(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, margin: f64) -> Option<Clearance> {
    Pair::new(a, b).within(pose_a, pose_b, margin)
}

/// Two shapes and what is remembered about them from call to call.
#[derive(Debug, Clone)]
pub struct Pair {
    a: Shape,
    b: Shape,
    engine: Engine,
}

impl Pair {
    /// A pair that knows nothing yet.
    #[must_use]
    pub fn new(a: &Shape, b: &Shape) -> Self {
        Self { a: a.clone(), b: b.clone(), engine: Engine::Auto }
    }

    /// The same pair, answered by that engine.
    #[must_use]
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// See [`distance`](fn@distance).
    pub fn distance(&mut self, pose_a: Pose, pose_b: Pose) -> Clearance {
        let _ = (&self.a, &self.b, self.engine);
        Clearance {
            distance: 0.0,
            point_a: pose_a.translation(),
            point_b: pose_b.translation(),
            normal: DVec3::X,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            features: [Feature::Surface; 2],
            parts: [0; 2],
            status: Status::Stalled,
            cost: Cost::default(),
        }
    }

    /// See [`intersects`].
    pub fn intersects(&mut self, pose_a: Pose, pose_b: Pose) -> bool {
        self.distance(pose_a, pose_b).lower <= 0.0
    }

    /// See [`within`].
    pub fn within(&mut self, pose_a: Pose, pose_b: Pose, margin: f64) -> Option<Clearance> {
        Some(self.distance(pose_a, pose_b)).filter(|c| c.distance <= margin)
    }
}
