//! The box.

use super::form::Form;
use super::{Convex, Feature, SupportPoint, Symmetry};
use crate::error::{self, BuildError};
use glam::{DVec3, Vec3A};

/// A box about the origin with sides along the axes; a zero half extent makes it flat.
///
/// Vertex `v` has its x, y, z coordinate positive where bit 0, 1, 2 of `v` is set. Edges `e0..e3` run along x, `e4..e7`
/// along y, `e8..e11` along z; faces are `f0` = -x, `f1` = +x, `f2` = -y, `f3` = +y, `f4` = -z, `f5` = +z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cuboid {
    half_extents: DVec3,
    bounding_radius: f64,
    half_extents_f32: Vec3A,
}

impl Cuboid {
    /// A box with these half extents.
    pub fn new(half_extents: DVec3) -> Result<Self, BuildError> {
        for (axis, value) in ["x", "y", "z"].into_iter().zip(half_extents.to_array()) {
            error::size(|| format!("half_extents.{axis}"), value)?;
        }
        Ok(Self { half_extents, bounding_radius: half_extents.length(), half_extents_f32: half_extents.as_vec3a() })
    }

    /// Half the side lengths.
    #[inline]
    #[must_use]
    pub fn half_extents(&self) -> DVec3 {
        self.half_extents
    }

    #[inline]
    fn corner(&self, vertex: u32) -> DVec3 {
        let side = |bit: u32, half: f64| if vertex >> bit & 1 == 1 { half } else { -half };
        let h = self.half_extents;
        DVec3::new(side(0, h.x), side(1, h.y), side(2, h.z))
    }
}

impl Convex for Cuboid {
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support_vertex(direction).point
    }

    fn form(&self) -> Option<Form> {
        Form::hull((0..8).filter_map(|v| self.vertex(v)))
    }

    // A box has none, unless it is a segment or a point.
    fn symmetry(&self) -> Symmetry {
        let h = self.half_extents;
        let flat = [h.x, h.y, h.z].into_iter().filter(|&half| half == 0.0).count();
        if flat >= 2 { Symmetry::of_segment(-h, h) } else { Symmetry::None }
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    // Paper [GJK], section 3, "Box": the sign of each coordinate chooses the side.
    #[inline]
    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let h = self.half_extents;
        let point = DVec3::new(h.x.copysign(direction.x), h.y.copysign(direction.y), h.z.copysign(direction.z));
        let bit = |x: f64, bit: u32| u32::from(!x.is_sign_negative()) << bit;
        SupportPoint { point, vertex: bit(direction.x, 0) | bit(direction.y, 1) | bit(direction.z, 2) }
    }

    #[inline]
    fn height(&self, direction: DVec3) -> f64 {
        self.half_extents.dot(direction.abs())
    }

    #[inline]
    fn support_f32(&self, direction: Vec3A) -> (Vec3A, u32) {
        let negative = direction.is_negative_bitmask();
        (self.half_extents_f32.copysign(direction), !negative & 7)
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        (vertex < 8).then(|| self.corner(vertex))
    }

    fn feature(&self, vertices: &[u32]) -> Feature {
        let Some((&first, rest)) = vertices.split_first() else { return Feature::Surface };
        // The bits in which the vertices differ are the directions the feature extends in.
        // Across a flat side the two are the same point.
        let half = self.half_extents.to_array();
        let solid =
            [1, 2, 4].into_iter().zip(half).fold(0, |bits, (bit, half)| if half > 0.0 { bits | bit } else { bits });
        let varying = rest.iter().fold(0, |bits, v| bits | (v ^ first)) & solid;
        match varying {
            0 => Feature::Vertex(first),
            1 => Feature::Edge(first >> 1 & 3),
            2 => Feature::Edge(4 + (first & 1 | first >> 1 & 2)),
            4 => Feature::Edge(8 + (first & 3)),
            6 => Feature::Face(first & 1),
            5 => Feature::Face(2 + (first >> 1 & 1)),
            3 => Feature::Face(4 + (first >> 2 & 1)),
            // From one corner to the opposite one: no feature has both.
            _ => Feature::Surface,
        }
    }
}
