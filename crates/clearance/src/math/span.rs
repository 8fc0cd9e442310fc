//! How far something reaches along three axes at once: what boxes are made of.

use glam::{DMat3, DVec3};

/// How far something reaches along the three rows of a matrix, and how far against them (as numbers below zero, mostly).
pub(crate) type Span = [DVec3; 2];

/// [`Span`] by six heights.
#[inline(always)]
pub(crate) fn span_by_heights(turn: &DMat3, height: impl Fn(DVec3) -> f64) -> Span {
    let rows = turn.transpose();
    let (x, y, z) = (rows.x_axis, rows.y_axis, rows.z_axis);
    [-DVec3::new(height(-x), height(-y), height(-z)), DVec3::new(height(x), height(y), height(z))]
}
