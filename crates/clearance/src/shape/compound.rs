//! Several convex parts that move as one.

use super::Shape;
use crate::error::{self, BuildError};
use crate::math::Pose;

/// One part of a compound.
#[derive(Debug, Clone)]
pub struct Part {
    /// A convex shape or a half-space.
    pub shape: Shape,
    /// Where it sits in the compound's frame.
    pub pose: Pose,
}

/// The union of convex parts.
#[derive(Debug, Clone)]
pub struct Compound {
    parts: Vec<Part>,
    reach: f64,
}

impl Compound {
    /// A union of parts; parts that are compounds themselves are taken apart.
    pub(super) fn new(parts: impl IntoIterator<Item = (Shape, Pose)>) -> Result<Self, BuildError> {
        let mut flat = Vec::new();
        for (index, (shape, pose)) in parts.into_iter().enumerate() {
            match &shape {
                Shape::Compound(inner) => {
                    for part in inner.parts() {
                        let pose = pose.after(&part.pose);
                        error::vector(|| format!("compound[{index}].pose.translation"), pose.translation())?;
                        flat.push(Part { shape: part.shape.clone(), pose });
                    }
                }
                _ => flat.push(Part { shape, pose }),
            }
        }
        if flat.is_empty() {
            return Err(BuildError::Empty { field: "compound".into() });
        }
        let reach =
            flat.iter().fold(0.0, |reach: f64, part| reach.max(part.pose.translation().length() + part.shape.reach()));
        Ok(Self { parts: flat, reach })
    }

    /// A bound on the distance of any point of the parts from the compound's origin.
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// The parts, none of which is a compound.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}
