//! Placeholder until the hull branch lands.
use super::{Convex, Feature, SupportPoint};
use glam::DVec3;
/// A convex polytope.
#[derive(Debug, Clone)]
pub struct Polytope {
    vertices: Vec<DVec3>,
    reach: f64,
    center: DVec3,
    scan: Option<crate::support::Scan>,
}
impl Polytope {
    pub(crate) fn stub(vertices: Vec<DVec3>) -> Self {
        let scan = (vertices.len() <= 64).then(|| crate::support::Scan::new(&vertices));
        let reach = vertices.iter().fold(0.0, |r: f64, v| r.max(v.length()));
        let center = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        Self { vertices, reach, center, scan }
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
    fn reach(&self) -> f64 {
        self.reach
    }
    fn center(&self) -> DVec3 {
        self.center
    }
    fn rough_support(&self, direction: glam::Vec3A) -> (glam::Vec3A, u32) {
        if let Some(s) = &self.scan {
            return s.roughly_farthest(direction);
        }
        let support = self.support_vertex(direction.as_dvec3(), 0);
        (support.point.as_vec3a(), support.vertex)
    }
    #[inline]
    fn support_vertex(&self, direction: DVec3, _: u32) -> SupportPoint {
        if let Some(s) = &self.scan {
            let i = s.farthest(direction);
            return SupportPoint { point: self.vertices[i as usize], vertex: i };
        }
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
