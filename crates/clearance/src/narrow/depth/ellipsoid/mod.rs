//! Depth by an ellipsoid inside: a proof for symmetric pairs in a few numbers.
//!
//! Points, balls, segments, capsules, cylinders, ellipsoids and their images are symmetric about a centre. So is A - B of two of them: its
//! height is h(n) = c·n + Σ |L n|, a sum of lengths (a segment is a length whose matrix has one row). The depth is the least
//! h(n) of a unit n, the radius of the largest ball about the origin that is inside A - B. An *ellipsoid* between the two proves
//! that ball all at once, however many directions are nearly as good as the best.
//!
//! **Inside a length.** Let 0 < λ < 1, a vector w and a matrix K with KᵀK <= λ (I - w wᵀ / (1 - λ)). Then for all z
//!
//! > w·z + |Kz| <= √(1-λ) · w·z / √(1-λ) + √λ · √(|z|² - (w·z)² / (1-λ)) <= |z|,
//!
//! by the inequality of Cauchy and Schwarz: the ellipsoid with centre w is in the unit ball. (λ = 1 needs w = 0, K = 0 needs |w| <= 1.)
//! With z = Ln for each length, and |Σ K L n| <= Σ |K L n|, h(n) >= c'·n + |Cn| where C = Σ K L and c' = c + Σ Lᵀw.
//!
//! **Outside a ball.** Let 0 < λ < 1 and CᵀC >= (r²/λ) I + c'c'ᵀ / (1 - λ). Then for all unit n
//!
//! > |Cn| >= √(r²/λ + (c'·n)² / (1 - λ)) >= r + |c'·n|, so h(n) >= r.
//!
//! Every w, K and λ that fulfil both conditions prove r; nothing else of what follows has to be right. `foot.rs` looks for the
//! direction where h is least, `fit.rs` for matrices that make both conditions tight there.
//!
//! **Rounding.** The conditions are tested with C, c' and K as they were computed. If KᵀK is too large by λδ, then w·z + |Kz| is at most
//! √(1+δ) |z|, by the same inequality. So all errors together lower h by some ε of the sum of the sizes, which is taken off.

mod fit;
mod foot;
#[cfg(test)]
mod tests;

use crate::math::Frame;
use crate::math::rounding::OF_FORMS;
use crate::shape::form::{Form, MAX_LENGTHS};
use arrayvec::ArrayVec;
use glam::{DMat3, DVec3};

/// The lengths of both shapes, and the segment between the two points of each. Layout: [`MAX_LENGTHS`] and one for each shape.
const MOST: usize = 2 * (MAX_LENGTHS + 1);

/// A - B of two shapes that are symmetric about a centre, in the frame of A.
#[derive(Debug, Clone)]
pub(crate) struct CentredBody {
    centre: DVec3,
    /// The matrices L: those of A, its segment if it has one, then those of B.
    lengths: ArrayVec<DMat3, MOST>,
    /// The sum of the sizes of all.
    size: f64,
}

/// An ellipsoid inside the unit ball, as the module has it: what is taken of a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct InnerLength {
    /// w.
    pub centre: DVec3,
    /// λ.
    pub share: f64,
    /// K.
    pub matrix: DMat3,
}

/// An ellipsoid in A - B with a ball about the origin inside.
#[derive(Debug, Clone)]
pub(crate) struct InnerEllipsoid {
    /// One for each length.
    pub inner: ArrayVec<InnerLength, MOST>,
    /// λ of the ball.
    pub share: f64,
}

/// Result of a search for an ellipsoid.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    /// The height of A - B is at least this in all directions.
    pub radius: f64,
    /// A direction with next to least height.
    pub direction: DVec3,
    #[cfg_attr(not(feature = "proof"), allow(dead_code, reason = "only evidence reads all of it"))]
    pub ellipsoid: InnerEllipsoid,
}

impl CentredBody {
    /// The difference of two shapes with these forms, if both are symmetric; lengths are multiplied by `unit`.
    pub fn new([a, b]: [&Form; 2], b_in_a: &Frame, unit: f64) -> Option<Self> {
        let mut lengths = ArrayVec::new();
        let mut add = |form: &Form, turn: DMat3| {
            let (centre, own) = symmetric(form)?;
            lengths.extend(own.into_iter().map(|length| length * turn * unit));
            Some(centre)
        };
        let centre_a = add(a, DMat3::IDENTITY)?;
        let centre_b = add(b, b_in_a.rotation.transpose())?;
        let centre = (centre_a - b_in_a.point(centre_b)) * unit;
        let size = lengths.iter().fold(centre.length(), |size, length| size + frobenius(length));
        Some(Self { centre, lengths, size })
    }

    /// The height along a direction.
    pub fn height(&self, n: DVec3) -> f64 {
        self.lengths.iter().fold(self.centre.dot(n), |sum, length| sum + (*length * n).length())
    }

    /// Looks for an ellipsoid that proves the least height to `goal`, from a direction that is thought good. Counts functions
    /// evaluated.
    pub fn fit(&self, near: DVec3, goal: f64, work: &mut u32) -> Option<Fitted> {
        let foot = foot::find(self, near, goal, work);
        let direction = foot.direction;
        let radius = self.height(direction) - goal;
        if !(radius > 0.0) {
            return None;
        }
        let tested = radius + OF_FORMS * self.size;
        [false, true].into_iter().find_map(|flat_first| {
            let (ellipsoid, axes) = fit::ellipsoid(self, &foot, tested, flat_first, work);
            self.proves(&ellipsoid, tested, &axes).then_some(Fitted { radius, direction, ellipsoid })
        })
    }

    /// Do both conditions of the module hold? The axes, orthonormal columns, only decide how well rounding is survived.
    fn proves(&self, ellipsoid: &InnerEllipsoid, radius: f64, axes: &DMat3) -> bool {
        let InnerEllipsoid { inner, share } = ellipsoid;
        if !(inner.iter().all(InnerLength::is_in_the_ball) && *share > 0.0 && *share < 1.0) {
            return false;
        }
        let (centre, matrix) = self.image(inner);
        let (columns, centre) = (matrix * *axes, axes.transpose() * centre);
        let gram = columns.transpose() * columns;
        let needed = outer(centre, centre) * (1.0 / (1.0 - share)) + DMat3::IDENTITY * (radius * radius / share);
        // The rounding error of an entry is a few ε of the lengths of its two columns.
        let tiny =
            DMat3::from_diagonal(DVec3::new(gram.x_axis.x, gram.y_axis.y, gram.z_axis.z)) * (32.0 * f64::EPSILON);
        is_positive(&(gram - needed - tiny))
    }

    /// c' and C.
    fn image(&self, inner: &[InnerLength]) -> (DVec3, DMat3) {
        let start = (self.centre, DMat3::ZERO);
        self.lengths.iter().zip(inner).fold(start, |(centre, matrix), (length, inner)| {
            (centre + length.transpose() * inner.centre, matrix + inner.matrix * *length)
        })
    }
}

impl InnerLength {
    /// The condition on K, but for rounding.
    fn is_in_the_ball(&self) -> bool {
        let Self { centre, share, matrix } = *self;
        if matrix == DMat3::ZERO {
            // The square of a length rounds by less than 8 ε.
            return centre.length_squared() <= 1.0 + 8.0 * f64::EPSILON;
        }
        let shrunk = if share == 1.0 && centre == DVec3::ZERO {
            DMat3::ZERO
        } else if share > 0.0 && share < 1.0 {
            outer(centre, centre) * (1.0 / (1.0 - share))
        } else {
            return false;
        };
        // Products and quotients of the entries of both matrices round by less than 32 ε.
        let ball = DMat3::IDENTITY * (1.0 + 32.0 * f64::EPSILON);
        is_positive(&((ball - shrunk) * share - matrix.transpose() * matrix))
    }
}

/// Centre and lengths of a form with one point, or with two that have the same lengths.
fn symmetric(form: &Form) -> Option<(DVec3, ArrayVec<DMat3, { MAX_LENGTHS + 1 }>)> {
    let mut lengths: ArrayVec<DMat3, { MAX_LENGTHS + 1 }> = form.lengths.iter().copied().collect();
    let all = (1_u32 << lengths.len()) - 1;
    if form.pieces.iter().any(|piece| u32::from(piece.lengths) != all) {
        return None;
    }
    match form.pieces[..] {
        [piece] => Some((piece.point, lengths)),
        [p, q] => {
            let half = 0.5 * (q.point - p.point);
            lengths.push(outer(DVec3::X, half));
            Some((0.5 * (p.point + q.point), lengths))
        }
        _ => None,
    }
}

fn frobenius(m: &DMat3) -> f64 {
    (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
}

/// u vᵀ.
fn outer(u: DVec3, v: DVec3) -> DMat3 {
    DMat3::from_cols(u * v.x, u * v.y, u * v.z)
}

/// Is a symmetric matrix positive definite? By elimination: all pivots are positive. A NaN is not.
fn is_positive(m: &DMat3) -> bool {
    let [a, b, c] = [m.x_axis, m.y_axis, m.z_axis];
    // The first axis is where the condition is tightest, so it goes last.
    if !(c.z > 0.0) {
        return false;
    }
    let (bb, ab, aa) = (b.y - b.z * b.z / c.z, a.y - a.z * b.z / c.z, a.x - a.z * a.z / c.z);
    bb > 0.0 && aa - ab * ab / bb > 0.0
}
