//! An ellipsoid between A - B and a ball about the origin as evidence for a depth.
//!
//! Of shapes that are symmetric about a centre this is all that a checker needs, and it is decided exactly (`narrow/depth/ellipsoid`).

use super::member::ProvableCore;
use crate::math::Frame;
use crate::narrow::depth::cells::Cells;
use glam::{DMat3, DVec3};

/// An ellipsoid in the unit ball that stands for a length |z|: w·z + |Kz| <= |z|.
///
/// The lengths of a shape are those of its height: of a cylinder its disc, an ellipsoid itself, of images those of the shape inside and
/// then its radius; last the segment of segments, capsules and cylinders, whose first coordinate is the one that counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inner {
    /// w.
    pub centre: DVec3,
    /// λ with KᵀK <= λ (I - w wᵀ/(1-λ)); one where w is zero.
    pub share: f64,
    /// K.
    pub matrix: DMat3,
}

pub(super) struct Found {
    /// λ of the ball.
    pub share: f64,
    pub inner: Vec<Inner>,
    /// The direction of least overlap.
    pub direction: DVec3,
}

/// Functions evaluated on the way to the least height: this is no hot path.
const MOST_WORK: u32 = 1000;

/// An ellipsoid that proves that no direction has a height of A - B below `needed`, if one is found. `toward` is a direction of
/// about the least height.
pub(super) fn inside(
    a: &ProvableCore<'_>,
    b: &ProvableCore<'_>,
    b_in_a: &Frame,
    toward: DVec3,
    needed: f64,
) -> Option<Found> {
    let scale = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
    let cells = Cells::new(a.core(), b.core(), b_in_a, scale)?;
    let body = cells.body()?;
    let axes = cells.axes().next()?;
    let needed = needed / scale;
    // From where the answer is, downhill from there, and after a search.
    for most in [None, Some(0), Some(MOST_WORK)] {
        let search = |most: u32| cells.about(axes, toward, 1e-13 * scale, most, &mut ()).0.direction;
        let near = most.map_or(toward, search);
        // Half of what there is, so that roundings on the way do not matter.
        let goal = 0.5 * (body.height(near).min(body.height(-near)) - needed);
        if let Some(fitted) = body.fit(near, goal, &mut 0)
            && fitted.radius > needed
        {
            let inner = fitted.ellipsoid.inner.iter();
            let inner = inner.map(|of| Inner { centre: of.centre, share: of.share, matrix: of.matrix }).collect();
            return Some(Found { share: fitted.ellipsoid.share, inner, direction: fitted.direction });
        }
    }
    None
}
