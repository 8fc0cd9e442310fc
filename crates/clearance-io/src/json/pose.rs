//! `{"translation": [x, y, z], "rotation": [x, y, z, w]}`, both optional.

use super::{Fields, Quaternion, Reader, Vector};
use clearance::Pose;
use clearance::math::{DQuat, DVec3};
use serde::de::{Error, MapAccess};

/// The fields of a pose.
#[derive(Default)]
pub(crate) struct PoseFields {
    translation: Option<DVec3>,
    rotation: Option<DQuat>,
}

impl Fields for PoseFields {
    type Output = Pose;
    const WHAT: &'static str = "pose";
    const NAMES: &'static [&'static str] = &["translation", "rotation"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match field {
            0 => self.translation = Some(map.next_value_seed(Vector(reader))?),
            _ => self.rotation = Some(map.next_value_seed(Quaternion(reader))?),
        }
        Ok(())
    }

    fn finish<E: Error>(self, reader: &Reader) -> Result<Pose, E> {
        let rotation = self.rotation.unwrap_or(DQuat::IDENTITY);
        let translation = self.translation.unwrap_or(DVec3::ZERO);
        let pose = Pose::try_new(translation, rotation).map_err(|error| reader.refuse(error))?;
        reader.note_pose(|| clearance_verify::Pose {
            translation: translation.to_array(),
            rotation: rotation.to_array(),
        });
        Ok(pose)
    }
}
