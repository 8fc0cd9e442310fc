//! The height of A - B in the axes of a search: f(n) = h_A(n) + h_B(-n), the radii left out.

use crate::math::Frame;
use crate::shape::form::{Form, MAX_LENGTHS, MAX_POINTS};
use arrayvec::ArrayVec;
use glam::{DMat3, DVec3};

/// That of a wave a cos x + b sin x.
pub(super) fn amplitude(a: f64, b: f64) -> f64 {
    (a * a + b * b).sqrt()
}

/// A direction by longitude θ and latitude α, with its derivatives: n(θ, α) = cos α (cos θ, sin θ, 0) + (0, 0, sin α).
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub n: DVec3,
    /// ∂n/∂θ; the third derivative is its negative.
    pub along: DVec3,
    /// ∂²n/∂θ².
    pub bend: DVec3,
    /// t = ∂n/∂α.
    pub t: DVec3,
    /// ∂t/∂θ.
    pub t_along: DVec3,
    /// ∂²t/∂θ².
    pub t_bend: DVec3,
    pub longitude: [f64; 2],
    pub latitude: [f64; 2],
}

impl At {
    pub fn new(theta: f64, alpha: f64) -> Self {
        let (sin, cos) = libm::sincos(theta);
        Self::turned([sin, cos], alpha)
    }

    /// A direction, with the sine and cosine of its longitude given.
    pub fn turned([sin, cos]: [f64; 2], alpha: f64) -> Self {
        let (sa, ca) = libm::sincos(alpha);
        Self {
            n: DVec3::new(ca * cos, ca * sin, sa),
            along: DVec3::new(-ca * sin, ca * cos, 0.0),
            bend: DVec3::new(-ca * cos, -ca * sin, 0.0),
            t: DVec3::new(-sa * cos, -sa * sin, ca),
            t_along: DVec3::new(sa * sin, -sa * cos, 0.0),
            t_bend: DVec3::new(sa * cos, sa * sin, 0.0),
            longitude: [sin, cos],
            latitude: [sa, ca],
        }
    }
}

/// |L n|, with what does not change from direction to direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length {
    pub matrix: DMat3,
    /// The Frobenius norm of L.
    pub size: f64,
    /// The lengths of its columns.
    pub columns: DVec3,
    /// Amplitudes of Q = LᵀL, with their rounding: |(Q_13, Q_23)| and |((Q_11 - Q_22) / 2, Q_12)|.
    pub first: f64,
    pub second: f64,
    /// The first two columns of the cofactors of L, and how far both together may be off.
    pub cofactors: [DVec3; 2],
    pub cofactor_error: f64,
    /// |cof(L) (sin θ, -cos θ, 0)|² is a constant and a wave of 2θ, with this amplitude.
    pub cofactor_wave: f64,
}

impl Length {
    pub fn new(matrix: DMat3) -> Self {
        let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let norm = |v: DVec3| v.length_squared();
        let (cx, cy) = (y.cross(z), z.cross(x));
        let wide = norm(x) + norm(y);
        // A cofactor has two products and a difference, and its factors are rounded: less than 8 ε.
        let tiny = 8.0 * f64::EPSILON;
        let columns = DVec3::new(x.length(), y.length(), z.length());
        let cofactor_error = tiny * (columns.x + columns.y) * columns.z;
        let wave = amplitude(0.5 * (norm(cx) - norm(cy)), cx.dot(cy));
        Self {
            matrix,
            size: (norm(x) + norm(y) + norm(z)).sqrt(),
            columns,
            first: amplitude(x.dot(z), y.dot(z)) + tiny * (wide * norm(z)).sqrt(),
            second: amplitude(0.5 * (norm(x) - norm(y)), x.dot(y)) + tiny * wide,
            cofactors: [cx, cy],
            cofactor_error,
            // With c + d for each column, both parts of the wave change by no more than |c| |d| and |d|² allow.
            cofactor_wave: wave + 2.0 * cofactor_error * (cx.length() + cy.length() + cofactor_error),
        }
    }
}

impl Length {
    /// Lᵀ L n / |L n|, or zero where that vanishes.
    pub fn gradient(&self, n: DVec3) -> DVec3 {
        let v = self.matrix * n;
        let y = v.length();
        if y > 0.0 { self.matrix.transpose() * (v / y) } else { DVec3::ZERO }
    }
}

/// One of the two shapes.
#[derive(Debug, Clone)]
pub(super) struct FormSide {
    /// Points and which lengths go with them.
    pub pieces: ArrayVec<(DVec3, u8), MAX_POINTS>,
    pub lengths: ArrayVec<Length, MAX_LENGTHS>,
}

/// The piece that is largest somewhere, and what it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub value: f64,
    /// ∂f/∂α of the pieces that are largest.
    pub slope: f64,
    pub pieces: [usize; 2],
}

impl FormSide {
    fn value_and_slopes(&self, at: &At) -> [[f64; 2]; MAX_LENGTHS] {
        let mut all = [[0.0; 2]; MAX_LENGTHS];
        for (length, out) in self.lengths.iter().zip(&mut all) {
            let v = length.matrix * at.n;
            let y = v.length();
            let slope = if y > 0.0 { v.dot(length.matrix * at.t) / y } else { 0.0 };
            *out = [y, slope];
        }
        all
    }

    /// Value and slope along the meridian of the largest piece, and its number.
    fn probe(&self, at: &At) -> (f64, f64, usize) {
        let lengths = self.value_and_slopes(at);
        let mut best = (f64::NEG_INFINITY, 0.0, 0);
        for (i, &(point, mask)) in self.pieces.iter().enumerate() {
            let mut value = point.dot(at.n);
            for (k, length) in lengths.iter().enumerate().take(self.lengths.len()) {
                value += if mask >> k & 1 == 1 { length[0] } else { 0.0 };
            }
            if value > best.0 {
                best = (value, 0.0, i);
            }
        }
        best.1 = self.pieces[best.2].0.dot(at.t);
        for (k, length) in lengths.iter().enumerate().take(self.lengths.len()) {
            best.1 += if self.pieces[best.2].1 >> k & 1 == 1 { length[1] } else { 0.0 };
        }
        best
    }

    /// The value of one piece.
    pub fn piece(&self, i: usize, at: &At) -> f64 {
        let (point, mask) = self.pieces[i];
        let own = self.lengths.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1);
        own.fold(point.dot(at.n), |sum, (_, length)| sum + (length.matrix * at.n).length())
    }

    /// The largest piece but one.
    pub fn rival(&self, i: usize, at: &At) -> Option<usize> {
        let others = (0..self.pieces.len()).filter(|&j| j != i).map(|j| (self.piece(j, at), j));
        others.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, j)| j)
    }

    /// How much more piece j is than piece i, with the derivatives along θ and α.
    pub fn difference(&self, i: usize, j: usize, at: &At) -> [f64; 3] {
        let values = |i: usize| {
            let point = self.gradient(i, at);
            [self.piece(i, at), point.dot(at.along), point.dot(at.t)]
        };
        let (p, q) = (values(i), values(j));
        [q[0] - p[0], q[1] - p[1], q[2] - p[2]]
    }

    /// The gradient of a piece: its farthest point. Lengths that vanish add nothing.
    pub fn gradient(&self, i: usize, at: &At) -> DVec3 {
        let (point, mask) = self.pieces[i];
        let own = self.lengths.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1);
        own.fold(point, |sum, (_, length)| sum + length.gradient(at.n))
    }
}

/// Both shapes in the axes of a search.
#[derive(Debug, Clone)]
pub(super) struct Sum {
    pub sides: [FormSide; 2],
    /// How far rounding can move a value, relative to one: sizes are about one.
    pub size: f64,
}

impl Sum {
    /// `axes` has the axes of the search, in the frame of A, as columns; lengths are multiplied by `unit`.
    pub fn new([a, b]: [&Form; 2], b_in_a: &Frame, axes: &DMat3, unit: f64) -> Self {
        let back = axes.transpose();
        let pieces = |form: &Form, place: &dyn Fn(DVec3) -> DVec3| {
            form.pieces.iter().map(|piece| (back * place(piece.point) * unit, piece.lengths)).collect()
        };
        let lengths = |form: &Form, turn: DMat3| {
            form.lengths.iter().map(|&length| Length::new(length * turn * *axes * unit)).collect()
        };
        let a = FormSide { pieces: pieces(a, &|p| p), lengths: lengths(a, DMat3::IDENTITY) };
        let b = FormSide { pieces: pieces(b, &|p| -b_in_a.point(p)), lengths: lengths(b, b_in_a.rotation.transpose()) };
        let size = [&a, &b].into_iter().fold(0.0, |size, side| {
            let points = side.pieces.iter().fold(0.0_f64, |most, (point, _)| most.max(point.length()));
            side.lengths.iter().fold(size + points, |size, length| size + length.size)
        });
        Self { sides: [a, b], size }
    }

    pub fn probe(&self, at: &At) -> Sample {
        let (a, b) = (self.sides[0].probe(at), self.sides[1].probe(at));
        Sample { value: a.0 + b.0, slope: a.1 + b.1, pieces: [a.2, b.2] }
    }

    /// The least range of latitudes within which a length bends: |Ln| / |Lt|.
    pub fn narrowness(&self, at: &At) -> f64 {
        let lengths = self.sides.iter().flat_map(|side| &side.lengths);
        lengths.fold(1.0, |least, length| {
            let (y, t) = ((length.matrix * at.n).length(), (length.matrix * at.t).length());
            if y < t * least { y / t } else { least }
        })
    }
}
