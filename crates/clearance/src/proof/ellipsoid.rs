//! An ellipsoid between A - B and a ball about the origin as evidence for a depth.
//!
//! It proves depths of shapes that are symmetric about a centre, and the checker decides it exactly (`narrow/depth/ellipsoid`).

use super::member::ProvableCore;
use crate::math::Frame;
use crate::narrow::depth::cells::Cells;
use crate::tuning::proof::ELLIPSOID_WORK;
use clearance_verify::InnerEllipsoid;
use glam::DVec3;

/// An ellipsoid inside A - B with a ball about the origin inside.
pub(super) struct FittedEllipsoid {
    /// λ of the ball.
    pub share: f64,
    pub inner: Vec<InnerEllipsoid>,
    /// The direction of least overlap.
    pub direction: DVec3,
}

/// An ellipsoid that proves that no direction has a height of A - B below `needed`, if one is found. `toward` is a direction of
/// about the least height.
pub(super) fn inside(
    a: &ProvableCore<'_>,
    b: &ProvableCore<'_>,
    b_in_a: &Frame,
    toward: DVec3,
    needed: f64,
) -> Option<FittedEllipsoid> {
    let scale = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
    let cells = Cells::new(a.core(), b.core(), b_in_a, scale)?;
    let body = cells.body()?;
    let axes = cells.axes().next()?;
    let needed = needed / scale;
    // From where the answer is, downhill from there, and after a search.
    for most in [None, Some(0), Some(ELLIPSOID_WORK)] {
        // The goal of the search: a tenth of the goal of the engine, 1e-12.
        let search = |most: u32| cells.about(axes, toward, 1e-13 * scale, most, &mut ()).0.direction;
        let near = most.map_or(toward, search);
        // Half of the difference, so that rounding on the way does not matter.
        let goal = 0.5 * (body.height(near).min(body.height(-near)) - needed);
        if let Some(fitted) = body.fit(near, goal, &mut 0)
            && fitted.radius > needed
        {
            let inner = fitted.ellipsoid.inner.iter().map(|of| InnerEllipsoid {
                centre: of.centre.to_array(),
                share: of.share,
                matrix: [0, 1, 2].map(|row| of.matrix.row(row).to_array()),
            });
            let inner = inner.collect();
            return Some(FittedEllipsoid { share: fitted.ellipsoid.share, inner, direction: fitted.direction });
        }
    }
    None
}
