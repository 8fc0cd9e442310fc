//! Support functions in closed form.
//!
//! The height of every built-in core is a maximum of few sums of a plane and lengths,
//!
//! > h(d) = max_i ( p_i·d + Σ_k |L_k d| ),
//!
//! where the points p_i are corners, ends of an axis or centres, and the matrices L_k make an ellipsoid of the unit ball, a disc
//! if one of its axes vanishes. A proof about all directions at once (`narrow/depth/cells`) works on this.

use arrayvec::ArrayVec;
use glam::{DMat3, DVec3};

/// Forms with more points are not written. Layout: points are on the stack; polytopes with many vertices need no closed form.
pub const MAX_POINTS: usize = 32;

/// Forms with more lengths are not written. Layout: lengths are on the stack; five take four roundings inside of affine images.
pub const MAX_LENGTHS: usize = 4;

/// The height of a core, as a maximum of planes and lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// The pieces that the maximum is taken of. Their numbers are those of evidence: corners by their vertex numbers; of a capsule or
    /// cylinder first the lower end; of a cone first the apex, then the base.
    pub pieces: ArrayVec<Piece, MAX_POINTS>,
    /// The matrices L.
    pub lengths: ArrayVec<DMat3, MAX_LENGTHS>,
}

/// One of the functions that a [`Form`] is the maximum of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// The point p.
    pub point: DVec3,
    /// Which of the lengths belong to it, a bit each.
    pub lengths: u8,
}

impl Form {
    /// The convex hull of points.
    #[must_use]
    pub fn hull(points: impl IntoIterator<Item = DVec3>) -> Option<Self> {
        let mut pieces = ArrayVec::new();
        for point in points {
            pieces.try_push(Piece { point, lengths: 0 }).ok()?;
        }
        Some(Self { pieces, lengths: ArrayVec::new() })
    }

    /// Two points, each with a length or without.
    pub(super) fn pair(points: [(DVec3, bool); 2], length: DMat3) -> Self {
        let pieces = points.into_iter().map(|(point, has)| Piece { point, lengths: u8::from(has) });
        Self { pieces: pieces.collect(), lengths: std::iter::once(length).collect() }
    }

    /// An ellipsoid, or the image of a ball under the transpose of that matrix.
    pub(super) fn ellipsoid(length: DMat3) -> Self {
        let pieces = std::iter::once(Piece { point: DVec3::ZERO, lengths: 1 });
        Self { pieces: pieces.collect(), lengths: std::iter::once(length).collect() }
    }

    /// The image of a core and a ball of that radius about it: h(Mᵀd) + r |Mᵀd|.
    pub(super) fn mapped(mut self, matrix: DMat3, radius: f64) -> Option<Self> {
        let transpose = matrix.transpose();
        for length in &mut self.lengths {
            *length *= transpose;
        }
        let rounding = if radius > 0.0 {
            self.lengths.try_push(transpose * radius).ok()?;
            1 << (self.lengths.len() - 1)
        } else {
            0
        };
        for piece in &mut self.pieces {
            piece.point = matrix * piece.point;
            piece.lengths |= rounding;
        }
        Some(self)
    }

    /// The form of the core in another unit: all lengths times a factor.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        self.pieces.iter_mut().for_each(|piece| piece.point *= factor);
        self.lengths.iter_mut().for_each(|length| *length *= factor);
        self
    }

    /// The height along a direction.
    #[must_use]
    pub fn height(&self, direction: DVec3) -> f64 {
        let lengths: ArrayVec<f64, MAX_LENGTHS> = self.lengths.iter().map(|l| (*l * direction).length()).collect();
        let of = |piece: &Piece| {
            let own = lengths.iter().enumerate().filter(|(k, _)| piece.lengths >> k & 1 == 1);
            piece.point.dot(direction) + own.map(|(_, length)| length).sum::<f64>()
        };
        self.pieces.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Axis, HalfHeight, Radius, Shape};
    use glam::{DMat3, DVec3};

    #[test]
    fn the_form_of_every_kind_has_the_height_of_its_support_point() {
        let matrix = DMat3::from_cols_array(&[1.0, 0.2, -0.3, 0.1, 0.7, 0.4, -0.5, 0.3, 1.2]);
        let cuboid = Shape::cuboid([1.0, 2.0, 0.5]).unwrap();
        let mut shapes = vec![
            Shape::point(),
            Shape::sphere(2.0).unwrap(),
            cuboid.clone(),
            Shape::capsule(Axis::Y, Radius(0.5), HalfHeight(2.0)).unwrap(),
            Shape::segment([1.0, 0.0, 2.0], [0.0, 3.0, 1.0]).unwrap(),
            Shape::triangle([1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [-1.0, 0.5, 0.0]).unwrap(),
            Shape::cylinder(Axis::Y, Radius(1.5), HalfHeight(0.5)).unwrap(),
            Shape::cone(Axis::Y, Radius(1.5), HalfHeight(0.5)).unwrap(),
            Shape::ellipsoid([1.0, 2.0, 0.5]).unwrap(),
            Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap(),
        ];
        let rounded: Vec<Shape> = shapes.iter().map(|shape| Shape::rounded(shape, 0.25).unwrap()).collect();
        shapes.extend(rounded);
        let images: Vec<Shape> = shapes.iter().map(|shape| Shape::affine(shape, matrix).unwrap()).collect();
        shapes.extend(images);
        let twice = Shape::affine(&Shape::rounded(&shapes[39], 0.5).unwrap(), matrix).unwrap();
        shapes.push(twice);
        for shape in &shapes {
            let core = shape.convex().unwrap();
            let form = core.form().unwrap_or_else(|| panic!("{} has no form", shape.kind()));
            for k in 0..200 {
                let angle = f64::from(k);
                let direction = DVec3::new(angle.sin(), (1.7 * angle).cos(), (0.6 * angle + 1.0).sin());
                let (found, expected) = (form.height(direction), core.support(direction).dot(direction));
                assert!((found - expected).abs() < 1e-13, "{}: {found} {expected}", shape.kind());
            }
        }
    }
}
