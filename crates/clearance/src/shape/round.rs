//! Cylinder, cone and ellipsoid: support mappings of paper [GJK], section 3.

use super::Convex;
use crate::error::{self, BuildError};
use glam::DVec3;

/// A cylinder about the y axis, centred at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    radius: f64,
    half_height: f64,
}

impl Cylinder {
    /// A cylinder of that radius from y = -`half_height` to y = `half_height`.
    pub fn new(radius: f64, half_height: f64) -> Result<Self, BuildError> {
        let (radius, half_height) = radius_and_half_height(radius, half_height)?;
        Ok(Self { radius, half_height })
    }
}

impl Convex for Cylinder {
    #[inline]
    fn support(&self, d: DVec3) -> DVec3 {
        let rim = on_circle(self.radius, d);
        DVec3::new(rim.0, self.half_height.copysign(d.y), rim.1)
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn reach(&self) -> f64 {
        self.radius.hypot(self.half_height)
    }
}

/// A cone about the y axis: its apex at y = `half_height`, the disc of its base at y = -`half_height`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    radius: f64,
    half_height: f64,
}

impl Cone {
    /// A cone whose base has that radius and whose height is twice `half_height`.
    pub fn new(radius: f64, half_height: f64) -> Result<Self, BuildError> {
        let (radius, half_height) = radius_and_half_height(radius, half_height)?;
        Ok(Self { radius, half_height })
    }
}

impl Convex for Cone {
    // The paper compares y with |v| sin(alpha); comparing the two candidates' heights, eta y for the apex and
    // rho sigma - eta y for the rim, is the same test without the angle.
    #[inline]
    fn support(&self, d: DVec3) -> DVec3 {
        let sigma = (d.x * d.x + d.z * d.z).sqrt();
        if 2.0 * self.half_height * d.y >= self.radius * sigma {
            return DVec3::new(0.0, self.half_height, 0.0);
        }
        // When sigma is zero the direction points down, and every point of the base will do.
        let scale = if sigma > 0.0 { self.radius / sigma } else { 0.0 };
        DVec3::new(d.x * scale, -self.half_height, d.z * scale)
    }

    fn center(&self) -> DVec3 {
        DVec3::new(0.0, -0.5 * self.half_height, 0.0)
    }

    fn reach(&self) -> f64 {
        self.radius.hypot(self.half_height)
    }
}

/// An ellipsoid about the origin with its axes along the coordinate axes; a zero radius makes it flat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipsoid {
    radii: DVec3,
    squares: DVec3,
}

impl Ellipsoid {
    /// An ellipsoid with these semi-axes.
    pub fn new(radii: DVec3) -> Result<Self, BuildError> {
        for (axis, value) in ["x", "y", "z"].into_iter().zip(radii.to_array()) {
            error::size(|| format!("radii.{axis}"), value)?;
        }
        Ok(Self { radii, squares: radii * radii })
    }

    /// The semi-axes.
    #[must_use]
    pub fn radii(&self) -> DVec3 {
        self.radii
    }
}

impl Convex for Ellipsoid {
    // The image of the unit ball under the diagonal matrix of the radii (theorem 1 of the paper).
    #[inline]
    fn support(&self, d: DVec3) -> DVec3 {
        let stretched = self.squares * d;
        let height_squared = stretched.dot(d);
        if height_squared > 0.0 { stretched / height_squared.sqrt() } else { DVec3::ZERO }
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn reach(&self) -> f64 {
        self.radii.max_element()
    }
}

fn radius_and_half_height(radius: f64, half_height: f64) -> Result<(f64, f64), BuildError> {
    Ok((error::size(|| "radius".into(), radius)?, error::size(|| "half_height".into(), half_height)?))
}

/// The x and z coordinates of the farthest point of a circle about the y axis.
#[inline]
fn on_circle(radius: f64, d: DVec3) -> (f64, f64) {
    let sigma = (d.x * d.x + d.z * d.z).sqrt();
    let scale = if sigma > 0.0 { radius / sigma } else { 0.0 };
    (d.x * scale, d.z * scale)
}
