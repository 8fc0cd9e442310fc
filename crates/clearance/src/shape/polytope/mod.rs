//! Placeholder until the hull branch lands.
use super::{Convex, Feature, SupportPoint};
use glam::DVec3;
/// A convex polytope.
#[derive(Debug, Clone)]
pub struct Polytope {
    vertices: Vec<DVec3>,
}
impl Polytope {
    pub(crate) fn stub(vertices: Vec<DVec3>) -> Self {
        Self { vertices }
    }
    /// The vertices.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }
}
impl Convex for Polytope {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support_vertex(direction, 0).point
    }
    fn support_vertex(&self, direction: DVec3, _: u32) -> SupportPoint {
        let mut best = (f64::NEG_INFINITY, 0);
        for (i, v) in self.vertices.iter().enumerate() {
            let d = v.dot(direction);
            if d > best.0 {
                best = (d, i);
            }
        }
        SupportPoint { point: self.vertices[best.1], vertex: best.1 as u32 }
    }
    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        self.vertices.get(vertex as usize).copied()
    }
    fn feature(&self, _: &[u32]) -> Feature {
        Feature::Surface
    }
}
