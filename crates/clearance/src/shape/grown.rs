//! Shapes with everything within a margin of them: what a time of impact to a gap, or a cast with a skin, is about.
//!
//! Convex shapes and half-spaces are rounded, the parts of a compound each by itself. A mesh becomes a compound of itself and of its triangles, each
//! rounded: the mesh has the inside, the triangles have the margin. So the union of all pieces is exactly the set of points within the margin.

use super::{Compound, Family, Shape};
use crate::error::{self, BuildError};
use crate::math::Pose;
use std::sync::Arc;

/// A piece of a grown shape, and where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct GrownPiece {
    pub shape: Shape,
    /// The part of a compound; zero for other shapes.
    pub part: u32,
    /// The triangle of a mesh; `None` for a mesh as a whole and for other shapes.
    pub triangle: Option<u32>,
}

/// The part and the triangle that a piece of a grown compound comes from.
pub(crate) type PieceOrigin = (u32, Option<u32>);

/// The pieces of a shape that is no compound.
pub(super) fn pieces(shape: &Shape, part: u32, margin: f64) -> Result<Vec<GrownPiece>, BuildError> {
    let Some(mesh) = shape.as_mesh() else {
        return Ok(vec![GrownPiece { shape: Shape::rounded(shape, margin)?, part, triangle: None }]);
    };
    let rounded = |(number, &corners): (u32, &[u32; 3])| {
        let [a, b, c] = corners.map(|corner| mesh.vertices()[corner as usize]);
        let shape = Shape::rounded(&Shape::triangle(a, b, c)?, margin)?;
        Ok(GrownPiece { shape, part, triangle: Some(number) })
    };
    let whole = GrownPiece { shape: shape.clone(), part, triangle: None };
    std::iter::once(Ok(whole)).chain((0..).zip(mesh.triangles()).map(rounded)).collect()
}

impl Shape {
    /// Everything within `margin` of a shape of any kind.
    ///
    /// A time of impact of a grown shape is the time at which the gap is `margin`: the collision epsilon of a simulator. A mesh becomes a compound of
    /// itself and its rounded triangles, some 300 bytes for each of them; grow the convex one of two shapes where there is a choice.
    /// [`World::set_impact_gap`](crate::World::set_impact_gap) does this for all bodies of a world.
    ///
    /// ```
    /// use clearance::{Interval, Motion, Pose, Shape, time_of_impact};
    ///
    /// let (floor, ball) = (Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Shape::sphere(0.5)?);
    /// let falling = Motion::linear(Pose::from_translation([0.0, 3.0, 0.0]), [0.0, -1.0, 0.0], [0.0; 3])?;
    /// let still = Motion::fixed(Pose::IDENTITY);
    /// let until = |floor: &Shape| time_of_impact(floor, &still, &ball, &falling, Interval::new(0.0, 9.0).unwrap());
    /// assert!((until(&floor).hit().unwrap().lower - 2.5).abs() < 1e-12);
    /// // A tenth apart.
    /// assert!((until(&floor.grown(0.1)?).hit().unwrap().lower - 2.4).abs() < 1e-12);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[doc(alias = "inflate")]
    #[doc(alias = "offset")]
    pub fn grown(&self, margin: f64) -> Result<Self, BuildError> {
        self.grown_with_origins(margin).map(|(shape, _)| shape)
    }

    /// [`Shape::grown`], and where the parts come from if the shape becomes a compound that it was not.
    pub(crate) fn grown_with_origins(&self, margin: f64) -> Result<(Self, Vec<PieceOrigin>), BuildError> {
        error::size(|| "margin".into(), margin)?;
        let (compound, origins) = match self.family() {
            Family::Convex(_) | Family::HalfSpace(_) => return Ok((Self::rounded(self, margin)?, Vec::new())),
            Family::Mesh(_) => {
                let pieces = pieces(self, 0, margin)?;
                let origins = pieces.iter().map(|piece| (0, piece.triangle)).collect();
                (Compound::new(pieces.into_iter().map(|piece| (piece.shape, Pose::IDENTITY)))?, origins)
            }
            Family::Compound(compound) => compound.grown(margin)?,
        };
        Ok((Self::Compound(Arc::new(compound)), origins))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Pose, Shape, distance};
    use glam::{DQuat, DVec3};

    fn bowl() -> Shape {
        // An open box: a floor and one wall.
        let corners =
            [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 0.0, 2.0], [0.0, 0.0, 2.0], [0.0, 2.0, 0.0], [0.0, 2.0, 2.0]];
        Shape::mesh(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [3, 5, 4]]).unwrap()
    }

    /// The gap to a grown shape is the gap less the margin, whatever kind the shapes are.
    #[test]
    fn a_gap_shrinks_by_the_margin() {
        let turned = Pose::new(DVec3::new(0.3, 4.0, -0.2), DQuat::from_rotation_x(0.7));
        let cube = Shape::cuboid([0.5, 0.4, 0.3]).unwrap();
        let inner = Shape::compound([(bowl(), turned), (cube.clone(), Pose::IDENTITY)]).unwrap();
        let shapes = [
            cube.clone(),
            bowl(),
            Shape::half_space([0.0, 1.0, 0.0], 0.5).unwrap(),
            Shape::compound([(inner, Pose::from_rotation(DQuat::from_rotation_z(0.3))), (bowl(), Pose::IDENTITY)])
                .unwrap(),
        ];
        let others = [cube, bowl()];
        for (i, shape) in shapes.iter().enumerate() {
            for (j, other) in others.iter().enumerate() {
                let pose = Pose::new(DVec3::new(0.4, 13.0, 0.2), DQuat::from_rotation_y(0.4 + i as f64));
                let gap = distance(shape, Pose::IDENTITY, other, pose);
                for margin in [0.0, 0.01, 0.8] {
                    let grown = distance(&shape.grown(margin).unwrap(), Pose::IDENTITY, other, pose);
                    assert!(
                        (grown.distance - (gap.distance - margin)).abs() < 1e-12,
                        "{i} {j} {margin} {grown:?} {gap:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_margin_must_be_a_size() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(bowl().grown(bad).is_err() && Shape::point().grown(bad).is_err());
        }
    }
}
