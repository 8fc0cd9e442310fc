//! `{"translation": [x, y, z], "rotation": [x, y, z, w]}`, both optional.
//!
//! A rotation may also be `"euler_degrees": [x, y, z]`: about the fixed axes x, then y, then z, as `rpy` of URDF, but in degrees. `"matrix"`
//! has three or four rows of four numbers, rotation and translation, and stands alone. Both become the nearest quaternion in doubles, which
//! rounds; that quaternion is the pose, also in evidence.

use super::{Fields, List, Number, Quaternion, Reader, Vector};
use clearance::Pose;
use clearance::math::{DMat3, DQuat, DVec3};
use serde::de::{Error, MapAccess};

/// Limit: how far the products of the columns of a rotation may be from 0 and 1. Six written digits are enough.
const ORTHONORMAL: f64 = 1e-5;

/// The fields of a pose.
#[derive(Default)]
pub(crate) struct PoseFields {
    translation: Option<DVec3>,
    rotation: Option<DQuat>,
    euler: Option<DVec3>,
    matrix: Option<Vec<Vec<f64>>>,
}

impl Fields for PoseFields {
    type Output = Pose;
    const WHAT: &'static str = "pose";
    const NAMES: &'static [&'static str] = &["translation", "rotation", "euler_degrees", "matrix"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match field {
            0 => self.translation = Some(map.next_value_seed(Vector(reader))?),
            1 => self.rotation = Some(map.next_value_seed(Quaternion(reader))?),
            2 => self.euler = Some(map.next_value_seed(Vector(reader))?),
            3 => {
                let row = List { reader, item: Number, of: "4 numbers" };
                self.matrix = Some(map.next_value_seed(List { reader, item: row, of: "3 or 4 rows of 4 numbers" })?);
            }
            _ => return Err(Self::unread(reader, field)),
        }
        Ok(())
    }

    fn finish<E: Error>(self, reader: &Reader) -> Result<Pose, E> {
        let fail = |rest: &str| Err(reader.fail(format!("{} {rest}", reader.name("pose"))));
        let (translation, rotation) = match (self.translation, self.rotation, self.euler, self.matrix) {
            (None, None, None, Some(rows)) => match from_rows(&rows) {
                Ok(found) => found,
                Err(rest) => return fail(rest),
            },
            (.., Some(_)) => {
                return fail("has a matrix, which says all; leave out translation, rotation and euler_degrees");
            }
            (_, Some(_), Some(_), None) => return fail("has rotation and euler_degrees; keep one"),
            (translation, rotation, euler, None) => {
                let turned = euler.map(|degrees| {
                    let [x, y, z] = degrees.to_array().map(f64::to_radians);
                    DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
                });
                (translation.unwrap_or(DVec3::ZERO), rotation.or(turned).unwrap_or(DQuat::IDENTITY))
            }
        };
        let pose = Pose::try_new(translation, rotation).map_err(|error| reader.refuse(error))?;
        reader.note_pose(|| clearance_verify::Pose {
            translation: translation.to_array(),
            rotation: rotation.to_array(),
        });
        Ok(pose)
    }
}

/// The translation and the rotation of a matrix, or the end of a sentence.
fn from_rows(rows: &[Vec<f64>]) -> Result<(DVec3, DQuat), &'static str> {
    let rows = match rows {
        [upper @ .., last] if upper.len() == 3 => {
            if last[..] != [0.0, 0.0, 0.0, 1.0] {
                return Err("has a matrix whose last row is not [0, 0, 0, 1]; correct it");
            }
            upper
        }
        rows => rows,
    };
    let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|row| rows.get(row)?.as_slice().try_into().ok()) else {
        return Err("has a matrix that is not 3 or 4 rows of 4 numbers; correct it");
    };
    let rows: [[f64; 4]; 3] = [a, b, c];
    if rows.as_flattened().iter().any(|x| !x.is_finite()) {
        return Err("has a matrix with a number that is not finite; correct it");
    }
    let [x, y, z] = [0, 1, 2].map(|column| DVec3::from_array(rows.map(|row| row[column])));
    let products = [x.dot(x) - 1.0, y.dot(y) - 1.0, z.dot(z) - 1.0, x.dot(y), y.dot(z), z.dot(x)];
    let matrix = DMat3::from_cols(x, y, z);
    if products.iter().any(|product| !(product.abs() <= ORTHONORMAL)) || matrix.determinant() < 0.0 {
        return Err(
            "has a matrix that scales, shears or mirrors; write the shape as an affine, or give a file a scale",
        );
    }
    Ok((DVec3::from_array(rows.map(|row| row[3])), DQuat::from_mat3(&matrix).normalize()))
}
