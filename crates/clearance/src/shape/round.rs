//! Cylinder, cone and ellipsoid: support mappings of paper \[GJK\], section 3.

use super::form::Form;
use super::{Branch, Cap, Convex, Curvature, HalfHeight, Patch, Radius, Symmetry};
use crate::error::{self, BuildError};
use glam::{DMat3, DVec3};

/// A cylinder about the y axis, centred at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    radius: f64,
    half_height: f64,
    bounding_radius: f64,
}

impl Cylinder {
    /// A cylinder of that radius from y = -`half_height` to y = `half_height`.
    pub fn new(radius: Radius, half_height: HalfHeight) -> Result<Self, BuildError> {
        let (radius, half_height) = radius_and_half_height(radius, half_height)?;
        Ok(Self { radius, half_height, bounding_radius: radius.hypot(half_height) })
    }

    /// The radius of the faces.
    #[inline]
    #[must_use]
    pub fn base_radius(&self) -> f64 {
        self.radius
    }

    /// Half the height.
    #[inline]
    #[must_use]
    pub fn half_height(&self) -> f64 {
        self.half_height
    }
}

impl Convex for Cylinder {
    #[inline]
    fn support(&self, d: DVec3) -> DVec3 {
        let rim = on_circle(self.radius, d);
        DVec3::new(rim.0, self.half_height.copysign(d.y), rim.1)
    }

    #[inline]
    fn height(&self, d: DVec3) -> f64 {
        self.half_height * d.y.abs() + self.radius * (d.x * d.x + d.z * d.z).sqrt()
    }

    fn is_curved(&self) -> bool {
        true
    }

    // The two rims meet at the directions without a y component: the normals of the lines between them.
    #[inline]
    fn patch(&self, d: DVec3, across: [DVec3; 2]) -> Patch {
        let y = self.half_height.copysign(d.y);
        let branch = rim(self.radius, y, d, across);
        let rival = Branch { point: DVec3::new(branch.point.x, -y, branch.point.z), ..branch };
        Patch { branch, rival: Some(rival) }
    }

    fn curvature_range(&self, d: DVec3, angle: [f64; 2]) -> [f64; 2] {
        rim_range(d, angle)
    }

    fn form(&self) -> Option<Form> {
        let end = DVec3::Y * self.half_height;
        Some(Form::pair([(-end, true), (end, true)], disc(self.radius)))
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Axis { point: DVec3::ZERO, direction: DVec3::Y }
    }

    #[inline]
    fn cap(&self, d: DVec3) -> Option<Cap> {
        Some(cap(self.radius, self.half_height.copysign(d.y), 1.0_f64.copysign(d.y)))
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn inner_radius(&self) -> f64 {
        self.radius.min(self.half_height)
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }
}

/// A cone about the y axis: its apex at y = `half_height`, the disc of its base at y = -`half_height`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    radius: f64,
    half_height: f64,
    bounding_radius: f64,
}

impl Cone {
    /// A cone whose base has that radius and whose height is twice `half_height`.
    pub fn new(radius: Radius, half_height: HalfHeight) -> Result<Self, BuildError> {
        let (radius, half_height) = radius_and_half_height(radius, half_height)?;
        Ok(Self { radius, half_height, bounding_radius: radius.hypot(half_height) })
    }

    /// The radius of the base.
    #[inline]
    #[must_use]
    pub fn base_radius(&self) -> f64 {
        self.radius
    }

    /// Half the height.
    #[inline]
    #[must_use]
    pub fn half_height(&self) -> f64 {
        self.half_height
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

    #[inline]
    fn height(&self, d: DVec3) -> f64 {
        let (apex, rim) = (self.half_height * d.y, self.radius * (d.x * d.x + d.z * d.z).sqrt());
        apex.max(rim - apex)
    }

    fn is_curved(&self) -> bool {
        true
    }

    // Apex and rim meet at the normals of the lines between them.
    #[inline]
    fn patch(&self, d: DVec3, across: [DVec3; 2]) -> Patch {
        let rim = rim(self.radius, -self.half_height, d, across);
        let apex = Branch { point: DVec3::new(0.0, self.half_height, 0.0), curvature: Curvature::ZERO };
        let is_apex = 2.0 * self.half_height * d.y >= self.radius * (d.x * d.x + d.z * d.z).sqrt();
        let (branch, rival) = if is_apex { (apex, rim) } else { (rim, apex) };
        Patch { branch, rival: Some(rival) }
    }

    fn curvature_range(&self, d: DVec3, angle: [f64; 2]) -> [f64; 2] {
        rim_range(d, angle)
    }

    fn form(&self) -> Option<Form> {
        let apex = DVec3::Y * self.half_height;
        Some(Form::pair([(apex, false), (-apex, true)], disc(self.radius)))
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Axis { point: DVec3::ZERO, direction: DVec3::Y }
    }

    #[inline]
    fn cap(&self, d: DVec3) -> Option<Cap> {
        (d.y < 0.0).then(|| cap(self.radius, -self.half_height, -1.0))
    }

    fn center(&self) -> DVec3 {
        DVec3::new(0.0, -0.5 * self.half_height, 0.0)
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.bounding_radius
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
    #[inline]
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

    #[inline]
    fn height(&self, d: DVec3) -> f64 {
        (self.squares * d).dot(d).sqrt()
    }

    fn is_curved(&self) -> bool {
        true
    }

    // h = sqrt(d^T M d) with the diagonal matrix M of the squares, s = M d / h, H = (M - s s^T) / h.
    #[inline]
    fn patch(&self, d: DVec3, across: [DVec3; 2]) -> Patch {
        let stretched = self.squares * d;
        let height_squared = stretched.dot(d);
        if height_squared.is_nan() || height_squared <= 0.0 {
            return Patch::vertex(DVec3::ZERO);
        }
        let inverse = 1.0 / height_squared.sqrt();
        let point = stretched * inverse;
        let [x, y] = across;
        let (stretched_x, stretched_y) = (self.squares * x, self.squares * y);
        let (sx, sy) = (point.dot(x), point.dot(y));
        let curvature = Curvature {
            xx: (x.dot(stretched_x) - sx * sx) * inverse,
            xy: (x.dot(stretched_y) - sx * sy) * inverse,
            yy: (y.dot(stretched_y) - sy * sy) * inverse,
        };
        Patch::smooth(point, curvature)
    }

    // On the great circle through d with the unit normal w, the second derivative is |adj(D) w|² / |D d|³ with the diagonal
    // matrix D of the radii, and w does not change along the circle.
    fn curvature_range(&self, d: DVec3, angle: [f64; 2]) -> [f64; 2] {
        range((self.radii * d).length(), self.radii.max_element(), angle)
    }

    fn form(&self) -> Option<Form> {
        Some(Form::ellipsoid(DMat3::from_diagonal(self.radii)))
    }

    fn symmetry(&self) -> Symmetry {
        let DVec3 { x, y, z } = self.radii;
        let direction = match (x == y, y == z, z == x) {
            (true, true, _) => return Symmetry::Ball { center: DVec3::ZERO },
            (true, _, _) => DVec3::Z,
            (_, true, _) => DVec3::X,
            (_, _, true) => DVec3::Y,
            _ => return Symmetry::None,
        };
        Symmetry::Axis { point: DVec3::ZERO, direction }
    }

    // At the end of the longest axis, in the plane of the shortest.
    fn curvature_inradius(&self) -> f64 {
        let (least, most) = (self.radii.min_element(), self.radii.max_element());
        if most > 0.0 { least * (least / most) } else { 0.0 }
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn inner_radius(&self) -> f64 {
        self.radii.min_element()
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.radii.max_element()
    }

    fn semi_axes(&self) -> DVec3 {
        self.radii
    }
}

fn radius_and_half_height(
    Radius(radius): Radius,
    HalfHeight(half_height): HalfHeight,
) -> Result<(f64, f64), BuildError> {
    Ok((error::size(|| "radius".into(), radius)?, error::size(|| "half_height".into(), half_height)?))
}

/// The matrix that makes a horizontal disc of the unit ball.
fn disc(radius: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::new(radius, 0.0, radius))
}

/// The x and z coordinates of the farthest point of a circle about the y axis.
#[inline]
fn on_circle(radius: f64, d: DVec3) -> (f64, f64) {
    let sigma = (d.x * d.x + d.z * d.z).sqrt();
    let scale = if sigma > 0.0 { radius / sigma } else { 0.0 };
    (d.x * scale, d.z * scale)
}

/// The farthest point of a horizontal circle at height y. Its support function is h = r sigma + y d.y with sigma the
/// length of (d.x, d.z), and its second derivative H = r / sigma t t^T with the unit tangent t.
#[inline]
fn rim(radius: f64, y: f64, d: DVec3, across: [DVec3; 2]) -> Branch {
    let sigma = (d.x * d.x + d.z * d.z).sqrt();
    // Straight up or down the whole disc is farthest, and its middle will do.
    let inverse = if sigma > 0.0 { 1.0 / sigma } else { 0.0 };
    let (x, z) = (d.x * inverse, d.z * inverse);
    let [tx, ty] = across.map(|v| x * v.z - z * v.x);
    let k = radius * inverse;
    let curvature = Curvature { xx: k * tx * tx, xy: k * tx * ty, yy: k * ty * ty };
    Branch { point: DVec3::new(radius * x, y, radius * z), curvature }
}

#[inline]
fn cap(radius: f64, y: f64, sign: f64) -> Cap {
    Cap { center: DVec3::new(0.0, y, 0.0), normal: DVec3::new(0.0, sign, 0.0), radius }
}

/// That of an ellipsoid without extent along y.
fn rim_range(d: DVec3, angle: [f64; 2]) -> [f64; 2] {
    range((d.x * d.x + d.z * d.z).sqrt(), 1.0, angle)
}

/// The cube of `length` over the most and the least that it can become within an angle. It is that of the image of a unit direction under a
/// linear map, which lengthens none by more than `most`.
pub(super) fn range(length: f64, most: f64, [sin, cos]: [f64; 2]) -> [f64; 2] {
    let cube = |x: f64| x * x * x;
    let (longest, shortest) = (most.min(length * cos + most * sin), length * cos - most * sin);
    let least = if length < longest {
        cube(length / longest)
    } else if length == longest {
        1.0
    } else {
        0.0
    };
    [least, if shortest > 0.0 { cube(length / shortest) } else { f64::INFINITY }]
}
