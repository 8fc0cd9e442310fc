//! Poses and boxes as serde writes them.

use super::{Aabb, Pose};
use crate::error::BuildError;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// A pose as it is written. Input goes through [`Pose::try_new`]; either half may be left out.
#[derive(Serialize, Deserialize)]
pub(super) struct PoseFields {
    #[serde(default)]
    translation: [f64; 3],
    /// x, y, z, w.
    #[serde(default = "unturned")]
    rotation: [f64; 4],
}

fn unturned() -> [f64; 4] {
    DQuat::IDENTITY.to_array()
}

impl From<Pose> for PoseFields {
    fn from(pose: Pose) -> Self {
        Self { translation: pose.translation().to_array(), rotation: pose.rotation().to_array() }
    }
}

impl TryFrom<PoseFields> for Pose {
    type Error = BuildError;

    fn try_from(fields: PoseFields) -> Result<Self, BuildError> {
        Self::try_new(fields.translation, DQuat::from_array(fields.rotation))
    }
}

/// A box as it is written. JSON has no infinities, so a side without a bound is `null`, and so is the box that holds nothing.
#[derive(Serialize, Deserialize)]
pub(super) struct AabbFields(Option<Corners>);

#[derive(Serialize, Deserialize)]
struct Corners {
    min: [Option<f64>; 3],
    max: [Option<f64>; 3],
}

impl From<Aabb> for AabbFields {
    fn from(bounds: Aabb) -> Self {
        if bounds == Aabb::EMPTY {
            return Self(None);
        }
        let finite = |corner: DVec3| corner.to_array().map(|x| x.is_finite().then_some(x));
        Self(Some(Corners { min: finite(bounds.min), max: finite(bounds.max) }))
    }
}

impl From<AabbFields> for Aabb {
    fn from(AabbFields(corners): AabbFields) -> Self {
        let Some(Corners { min, max }) = corners else { return Self::EMPTY };
        Self {
            min: min.map(|x| x.unwrap_or(f64::NEG_INFINITY)).into(),
            max: max.map(|x| x.unwrap_or(f64::INFINITY)).into(),
        }
    }
}
