//! Poses from and to the matrices of `mint`. Its vectors and quaternions are glam's affair.

use super::Pose;
use crate::error::BuildError;

/// The inverse of [`Pose::to_matrix`]; a matrix that is not rigid is refused as by [`Pose::from_matrix`].
impl TryFrom<mint::ColumnMatrix4<f64>> for Pose {
    type Error = BuildError;

    fn try_from(matrix: mint::ColumnMatrix4<f64>) -> Result<Self, BuildError> {
        Self::from_matrix(matrix.into())
    }
}

impl From<Pose> for mint::ColumnMatrix4<f64> {
    fn from(pose: Pose) -> Self {
        pose.to_matrix().into()
    }
}
