//! Axes about which two shapes together are nearly symmetric.

use super::sum::amplitude;
use crate::math::Frame;
use crate::shape::form::Form;
use arrayvec::ArrayVec;
use glam::{DMat3, DVec3};

/// An axis, and how much f changes along circles about it.
type Candidate = (f64, DVec3);

/// Axes to try, each the third of three columns in the frame of A, the most promising first.
pub(super) fn candidates([a, b]: [&Form; 2], b_in_a: &Frame) -> ArrayVec<DMat3, 3> {
    let squares = |form: &Form, turn: DMat3| -> ArrayVec<DMat3, 4> {
        form.lengths
            .iter()
            .map(|&length| {
                let length = length * turn;
                length.transpose() * length
            })
            .collect()
    };
    let (of_a, of_b) = (squares(a, DMat3::IDENTITY), squares(b, b_in_a.rotation.transpose()));
    let mut all = ArrayVec::<DVec3, 12>::new();
    let mut add = |axis: Option<DVec3>| {
        if let Some(axis) = axis
            // Axes that agree to the rounding error of a cross product are one.
            && all.iter().all(|other: &DVec3| other.cross(axis).length_squared() > 1e-30)
        {
            let _ = all.try_push(axis);
        }
    };
    let (line_a, line_b) = (line(a), line(b).map(|axis| b_in_a.rotation * axis));
    add(line_a);
    add(line_b);
    for square in of_a.iter().chain(&of_b) {
        add(odd_axis(square));
    }
    // The whole may be symmetric about a line that neither of the two has.
    let scaled = |squares: &ArrayVec<DMat3, 4>| {
        squares.iter().fold(DMat3::ZERO, |sum, q| {
            let mean = trace(q) / 3.0;
            if mean > 0.0 { sum + *q * (1.0 / mean.sqrt()) } else { sum }
        })
    };
    add(odd_axis(&(scaled(&of_a) + scaled(&of_b))));
    let centre = |form: &Form| form.pieces.iter().map(|p| p.point).sum::<DVec3>() / form.pieces.len() as f64;
    let between = centre(a) - b_in_a.point(centre(b));
    add(between.try_normalize());
    if let (Some(p), Some(q)) = (line_a, line_b) {
        add((p + q * p.dot(q).signum()).try_normalize());
    }
    add(Some(DVec3::Y));
    let mut rated: ArrayVec<Candidate, 12> = all
        .iter()
        .map(|&axis| {
            let lengths = of_a.iter().chain(&of_b).map(|square| oscillation(square, axis)).sum::<f64>();
            let corners = |form: &Form, place: &dyn Fn(DVec3) -> DVec3| {
                let all = form.pieces.iter().map(|p| (place(p.point)).reject_from_normalized(axis).length());
                all.fold(0.0, f64::max)
            };
            // Corners of a polytope are beside any axis; what counts is how far the centres are.
            let beside = between.reject_from_normalized(axis).length();
            let spread_a = corners(a, &|p| p - centre(a));
            let spread_b = corners(b, &|p| b_in_a.rotation * (p - centre(b)));
            (lengths + beside + spread_a + spread_b, axis)
        })
        .collect();
    // Stable, so that the shapes' own axes come first: about them their kinks are circles.
    let own = if rated.is_empty() { 0.0 } else { rated.iter().map(|c| c.0).fold(f64::INFINITY, f64::min) };
    let rank = |c: &Candidate| if c.0 <= 4.0 * own { 0.0 } else { c.0 };
    rated.sort_by(|p, q| rank(p).total_cmp(&rank(q)));
    rated.iter().take(3).map(|c| frame_of(c.1, between)).collect()
}

/// The axes of a search: what is beside the third decides where f is least, which is then in the middle of a cell of the first cut.
fn frame_of(axis: DVec3, beside: DVec3) -> DMat3 {
    let across = |v: DVec3| v - axis * axis.dot(v);
    // Next to the axis there is only rounding beside it.
    let side = across(beside);
    // Next to the axis, the part across it is only rounding.
    let side = if side.length() > 1e-6 * beside.length() { side.normalize() } else { axis.any_orthonormal_vector() };
    let x = across(side - axis.cross(side)).normalize();
    let x = across(x).normalize();
    DMat3::from_cols(x, axis.cross(x), axis)
}

/// The direction from the first to the last of two points, or of the points of a form that lie on one line.
fn line(form: &Form) -> Option<DVec3> {
    match form.pieces[..] {
        [p, q] => (q.point - p.point).try_normalize(),
        _ => None,
    }
}

fn trace(q: &DMat3) -> f64 {
    q.x_axis.x + q.y_axis.y + q.z_axis.z
}

/// How much the root of a square form changes along circles about an axis, next to where it is least.
fn oscillation(square: &DMat3, axis: DVec3) -> f64 {
    let (x, y) = axis.any_orthonormal_pair();
    let form = |u: DVec3, v: DVec3| u.dot(*square * v);
    let first = amplitude(form(x, axis), form(y, axis));
    let second = amplitude(0.5 * (form(x, x) - form(y, y)), form(x, y));
    let size = trace(square);
    if !(size > 0.0) {
        return 0.0;
    }
    // The sum of the products of two eigenvalues each is about that of the two largest. A needle bends within its width: what counts is
    // the change relative to its second axis.
    let wide = (0.5 * (size * size - trace(&(*square * *square))) / size).max(1e-15 * size);
    // Eigenvalues below 1e-15 of the largest are rounding. The result only orders the axes of searches.
    (first + second) / if wide < 1e-6 * size { wide.sqrt() } else { size.sqrt() }
}

/// The axis of the eigenvalue that is farther from the middle one.
fn odd_axis(square: &DMat3) -> Option<DVec3> {
    let (values, vectors) = eigen(square);
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let [low, middle, high] = order;
    let size = values[high].abs();
    // Equal eigenvalues up to rounding have no axis.
    if !(size > 0.0) || values[high] - values[low] <= 1e-15 * size {
        return None;
    }
    let odd = if values[middle] - values[low] > values[high] - values[middle] { low } else { high };
    vectors.col(odd).try_normalize()
}

/// Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations.
fn eigen(square: &DMat3) -> ([f64; 3], DMat3) {
    let mut m = *square;
    let mut vectors = DMat3::IDENTITY;
    for round in 0..24 {
        let (p, q) = [(0, 1), (0, 2), (1, 2)][round % 3];
        let off = m.col(q)[p];
        if off == 0.0 {
            continue;
        }
        let angle = 0.5 * libm::atan2(2.0 * off, m.col(q)[q] - m.col(p)[p]);
        let (sin, cos) = libm::sincos(angle);
        let mut turn = DMat3::IDENTITY;
        turn.col_mut(p)[p] = cos;
        turn.col_mut(q)[q] = cos;
        turn.col_mut(q)[p] = sin;
        turn.col_mut(p)[q] = -sin;
        m = turn.transpose() * m * turn;
        vectors *= turn;
    }
    ([m.x_axis.x, m.y_axis.y, m.z_axis.z], vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_are_stretched_by_their_eigenvalues() {
        let square = DMat3::from_cols_array(&[2.0, 0.3, -0.7, 0.3, 1.0, 0.2, -0.7, 0.2, 0.5]);
        let (values, vectors) = eigen(&square);
        for (i, value) in values.into_iter().enumerate() {
            assert!((square * vectors.col(i) - vectors.col(i) * value).length() < 1e-14);
        }
    }
}
