//! Placeholder until the hull branch lands.
use crate::{error::BuildError, shape::Polytope};
use glam::DVec3;
/// The convex hull of points.
pub fn convex_hull(points: &[DVec3]) -> Result<Polytope, BuildError> {
    if points.is_empty() {
        return Err(BuildError::Empty { field: "points".into() });
    }
    for (index, point) in points.iter().enumerate() {
        crate::error::vector(|| format!("points[{index}]"), *point)?;
    }
    Ok(Polytope::stub(points.to_vec()))
}
