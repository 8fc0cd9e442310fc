//! Where a file puts a part, composed from all that it is inside of.

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{BuildError, Pose};

/// A pose, unless something turns by a matrix, scales, shears or mirrors.
#[derive(Debug, Clone, Copy)]
pub(super) enum Placement {
    Rigid(Pose),
    Affine { matrix: DMat3, translation: DVec3 },
}

impl Placement {
    pub const HERE: Self = Self::Rigid(Pose::IDENTITY);

    /// First the matrix, then the translation. A matrix is never taken for a rotation: its rounded numbers do not quite make one.
    pub fn new(matrix: DMat3, translation: DVec3) -> Result<Self, BuildError> {
        if matrix == DMat3::IDENTITY {
            return Pose::try_new(translation, DQuat::IDENTITY).map(Self::Rigid);
        }
        Ok(Self::Affine { matrix, translation })
    }

    /// This placement of something that is placed itself.
    pub fn of(self, inner: Self) -> Self {
        if let (Self::Rigid(outer), Self::Rigid(inner)) = (self, inner) {
            return Self::Rigid(outer * inner);
        }
        let (outer_matrix, outer_translation) = self.affine();
        let (matrix, translation) = inner.affine();
        Self::Affine { matrix: outer_matrix * matrix, translation: outer_matrix * translation + outer_translation }
    }

    fn affine(self) -> (DMat3, DVec3) {
        match self {
            Self::Rigid(pose) => (DMat3::from_quat(pose.rotation()), pose.translation()),
            Self::Affine { matrix, translation } => (matrix, translation),
        }
    }

    /// The linear map of the vertices, and the pose after that.
    pub fn split(self) -> Result<(DMat3, Pose), BuildError> {
        match self {
            // Sums along the way may have become too large.
            Self::Rigid(pose) => Ok((DMat3::IDENTITY, Pose::try_new(pose.translation(), pose.rotation())?)),
            Self::Affine { matrix, translation } => Ok((matrix, Pose::try_new(translation, DQuat::IDENTITY)?)),
        }
    }
}
