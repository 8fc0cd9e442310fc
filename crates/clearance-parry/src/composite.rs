//! Surfaces made of parts: parry's tree names the parts, Clearance answers for each of them.

use crate::ClearanceDispatcher;
use parry3d_f64::query::Unsupported;
use parry3d_f64::shape::{CompositeShape, Shape as ParryShape, TypedShape};

/// parry's shapes of parts without a volume.
pub type Parts<'a> = &'a (dyn CompositeShape + Sync);

/// Which of two shapes is a surface; the first if both are.
pub enum Surface<'a> {
    First(Parts<'a>),
    Second(Parts<'a>),
}

/// A triangle mesh or polyline that does not change its form.
pub fn surface(shape: &dyn ParryShape) -> Option<Parts<'_>> {
    let is_surface = matches!(shape.as_typed_shape(), TypedShape::TriMesh(_) | TypedShape::Polyline(_));
    shape.as_composite_shape().filter(|parts| is_surface && !parts.is_deformable())
}

impl ClearanceDispatcher {
    /// The surface whose parts the query is about; none for two shapes that are answered whole. An error if one of them cannot be answered.
    pub(crate) fn first_surface<'a>(
        &self,
        g1: &'a dyn ParryShape,
        g2: &'a dyn ParryShape,
    ) -> Result<Option<Surface<'a>>, Unsupported> {
        let (found, other) = match (surface(g1), surface(g2)) {
            (Some(parts), _) => (Surface::First(parts), g2),
            (None, Some(parts)) => (Surface::Second(parts), g1),
            (None, None) => return Ok(None),
        };
        if self.can_answer(other) { Ok(Some(found)) } else { Err(Unsupported) }
    }
}
