//! Poses as the doubles they are, without a division.

use crate::number::{Matrix, Number, Vector, add, map, scale, transpose, vector};
use serde::{Deserialize, Serialize};

/// A rigid placement: first rotate, then translate.
///
/// The rotation is exactly x -> q x q* / |q|², whatever the length of the quaternion (x, y, z, w).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pose {
    /// Where the origin goes.
    pub translation: [f64; 3],
    /// The quaternion x, y, z, w.
    pub rotation: [f64; 4],
}

impl Pose {
    /// The pose that leaves everything where it is.
    pub const IDENTITY: Self = Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };

    pub(crate) fn fault(&self) -> Option<String> {
        let numbers = self.translation.iter().chain(&self.rotation);
        if !numbers.into_iter().all(|x| x.is_finite()) {
            return Some("a number of a pose is not finite".into());
        }
        (self.rotation == [0.0; 4]).then(|| "the rotation of a pose is zero".into())
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A map x -> (M x + T) / d with d > 0. M is d times a rotation, unless linear maps are among what it is made of: then only points and
/// heights may be asked for, which hold for any M.
#[derive(Debug, Clone)]
pub(crate) struct Rigid<N> {
    matrix: Matrix<N>,
    translation: Vector<N>,
    pub divisor: N,
}

impl<N: Number> Rigid<N> {
    /// The pose with another translation.
    pub fn new(rotation: [f64; 4], translation: &Vector<N>) -> Self {
        let [x, y, z, w] = rotation.map(N::of);
        let (xx, yy, zz, ww) = (x.squared(), y.squared(), z.squared(), w.squared());
        let twice = |n: N| n.plus(&n);
        let (xy, xz, yz) = (twice(x.times(&y)), twice(x.times(&z)), twice(y.times(&z)));
        let (wx, wy, wz) = (twice(w.times(&x)), twice(w.times(&y)), twice(w.times(&z)));
        // |q|² times the usual rotation matrix of a unit quaternion.
        let matrix = [
            [ww.plus(&xx).minus(&yy).minus(&zz), xy.minus(&wz), xz.plus(&wy)],
            [xy.plus(&wz), ww.minus(&xx).plus(&yy).minus(&zz), yz.minus(&wx)],
            [xz.minus(&wy), yz.plus(&wx), ww.minus(&xx).minus(&yy).plus(&zz)],
        ];
        let divisor = ww.plus(&xx).plus(&yy).plus(&zz);
        Self { matrix, translation: scale(translation, &divisor), divisor }
    }

    /// This map after `inner`.
    pub fn after(&self, inner: &Pose) -> Self {
        let inner = Self::new(inner.rotation, &vector(inner.translation));
        // (M (M' x + T') / d' + T) / d = (M M' x + M T' + d' T) / (d d')
        let columns = transpose(&inner.matrix);
        let product = columns.map(|column| map(&self.matrix, &column));
        Self {
            matrix: transpose(&product),
            translation: add(&map(&self.matrix, &inner.translation), &scale(&self.translation, &inner.divisor)),
            divisor: self.divisor.times(&inner.divisor),
        }
    }

    /// This map after a linear one, given by rows.
    pub fn after_map(&self, rows: &[[f64; 3]; 3]) -> Self {
        let columns = transpose(&rows.map(vector::<N>));
        let product = columns.map(|column| map(&self.matrix, &column));
        Self { matrix: transpose(&product), ..self.clone() }
    }

    /// `d` times the image of a point without a weight.
    pub fn scaled_point(&self, p: &Vector<N>) -> Vector<N> {
        add(&map(&self.matrix, p), &self.translation)
    }

    /// `d` times the image of a direction.
    pub fn direction(&self, local: &Vector<N>) -> Vector<N> {
        map(&self.matrix, local)
    }

    /// `d` times a world direction in the local frame.
    pub fn local_direction(&self, world: &Vector<N>) -> Vector<N> {
        map(&transpose(&self.matrix), world)
    }

    /// The translation times `d`.
    pub fn shift(&self) -> &Vector<N> {
        &self.translation
    }

    /// The image of a point `p / weight`, again as a point over a weight.
    pub fn point(&self, (p, weight): &(Vector<N>, N)) -> (Vector<N>, N) {
        let moved = add(&map(&self.matrix, p), &scale(&self.translation, weight));
        (moved, self.divisor.times(weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Dyadic;
    use std::cmp::Ordering;

    #[test]
    fn a_quaternion_of_any_length_turns_exactly() {
        // A third of a turn about (1, 1, 1) takes x to y to z; the quaternion (1, 1, 1, 1) has length 2.
        let turn: Rigid<Dyadic> = Rigid::new([1.0; 4], &vector([10.0, 20.0, 30.0]));
        let (point, weight) = turn.point(&(vector([1.0, 2.0, 3.0]), Dyadic::of(1.0)));
        for (found, expected) in point.iter().zip([13.0, 21.0, 32.0]) {
            assert_eq!(found.compare(&weight.times(&Dyadic::of(expected))), Ok(Ordering::Equal));
        }
        let both = turn.after(&Pose { translation: [1.0, 0.0, 0.0], rotation: [-0.5, -0.5, -0.5, 0.5] });
        let (point, weight) = both.point(&(vector([1.0, 2.0, 3.0]), Dyadic::of(1.0)));
        // The rotations undo each other; the inner translation is turned to y.
        for (found, expected) in point.iter().zip([11.0, 23.0, 33.0]) {
            assert_eq!(found.compare(&weight.times(&Dyadic::of(expected))), Ok(Ordering::Equal));
        }
    }
}
