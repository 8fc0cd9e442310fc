//! Volume, centroid and inertia of solids of unit density.
//!
//! A solid is kept as its volume V, its centroid c and its spread K = ∫ (x - c)(x - c)ᵀ dV / V, the mean square of the distances
//! along the axes. Spread is a length squared, so nothing overflows or vanishes on the way, and a linear map M takes
//! (V, c, K) to (|det M| V, M c, M K Mᵀ). Inertia comes last: V (tr K - K).
//!
//! The closed forms are those of every table of moments of inertia; that of a tetrahedron is F. Tonon's, "Explicit exact formulas for the
//! 3-D tetrahedron inertia tensor in terms of its vertex coordinates", Journal of Mathematics and Statistics 1 (2005).

use super::{Affine, Convex, Ellipsoid, Mesh, Polytope, Segment, Shape};
use crate::math::Pose;
use crate::math::double_double::DoubleVec3;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// Volume, centroid and inertia of a solid of unit density.
///
/// For another density ρ the mass is ρ `volume` and the inertia ρ `inertia`.
///
/// ```
/// use clearance::Shape;
///
/// let brick = Shape::cuboid([1.0, 2.0, 3.0])?.mass_properties().expect("a solid");
/// let density = 0.5;
/// assert_eq!(density * brick.volume, 24.0);                           // its mass
/// assert!((density * brick.inertia.x_axis.x - 24.0 * (2.0 * 2.0 + 3.0 * 3.0) / 3.0).abs() < 1e-12);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// The volume.
    pub volume: f64,
    /// The center of mass, in the frame of the shape.
    pub centroid: DVec3,
    /// The inertia tensor about the centroid, along the axes of the shape: ∫ (|x|² - x xᵀ) dV with x from the centroid.
    pub inertia: DMat3,
}

impl MassProperties {
    /// The properties of the solid where a pose puts it: moved and turned.
    ///
    /// ```
    /// use clearance::{Pose, Shape};
    ///
    /// let ball = Shape::sphere(1.0)?.mass_properties().expect("a solid");
    /// let moved = ball.at(&Pose::from_translation([1.0, 2.0, 3.0]));
    /// assert_eq!(moved.centroid.to_array(), [1.0, 2.0, 3.0]);
    /// assert_eq!(moved.inertia, ball.inertia);                        // about the centroid, which has moved too
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn at(&self, pose: &Pose) -> Self {
        let turn = DMat3::from_quat(pose.rotation());
        let inertia = symmetric(turn * self.inertia * turn.transpose());
        Self { volume: self.volume, centroid: pose.transform_point(self.centroid), inertia }
    }

    /// Several solids as one. Where they overlap, their masses are added.
    ///
    /// ```
    /// use clearance::shape::MassProperties;
    /// use clearance::{Pose, Shape};
    ///
    /// let half = Shape::cuboid([0.5, 1.0, 1.0])?.mass_properties().expect("a solid");
    /// let halves = [-0.5, 0.5].map(|x| half.at(&Pose::from_translation([x, 0.0, 0.0])));
    /// let whole = Shape::cuboid([1.0, 1.0, 1.0])?.mass_properties().expect("a solid");
    /// assert!((MassProperties::sum(halves).inertia - whole.inertia).to_cols_array().iter().all(|x| x.abs() < 1e-14));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn sum(solids: impl IntoIterator<Item = Self>) -> Self {
        let solids: Vec<Self> = solids.into_iter().collect();
        let volume: f64 = solids.iter().map(|solid| solid.volume).sum();
        // A part without mass has its centroid in the middle of the others.
        let share = |solid: &Self| if volume > 0.0 { solid.volume / volume } else { 1.0 / solids.len() as f64 };
        let centroid = solids.iter().map(|solid| share(solid) * solid.centroid).sum();
        // Steiner's theorem of parallel axes.
        let about = |solid: &Self| solid.inertia + inertia(solid.volume, outer(solid.centroid - centroid));
        Self { volume, centroid, inertia: solids.iter().map(about).fold(DMat3::ZERO, |sum, one| sum + one) }
    }
}

impl Shape {
    /// Volume, centroid and inertia of the shape, filled with unit density.
    ///
    /// `None` for a half-space, for a mesh that is a shell, and for a [custom](Shape::custom) shape. So it is for a compound, whose parts
    /// may overlap (add parts that do not with [`MassProperties::sum`]), and for a [rounded](Shape::rounded) one whose core is not a point,
    /// a segment or a box. Shapes derived from such a shape have none either.
    ///
    /// A flat shape has no volume and no inertia. The centroid of a polygon, segment or point is that of its area or
    /// length, or itself; that of an image or a cone that was flattened is where its centroid went.
    ///
    /// All is right to a few roundings of the size of the shape. Inertia is a length to the fifth power: it vanishes for
    /// shapes below about 1e-62, as the volume does below 1e-108. Nothing overflows.
    ///
    /// ```
    /// use clearance::{Axis, HalfHeight, Radius, Shape};
    ///
    /// let cone = Shape::cone(Axis::Z, Radius(1.0), HalfHeight(2.0))?;
    /// let solid = cone.mass_properties().expect("a solid");
    /// assert!((solid.volume - 4.0 / 3.0 * std::f64::consts::PI).abs() < 1e-14);
    /// assert_eq!(solid.centroid.to_array(), [0.0, 0.0, -1.0]);            // a quarter of the height above the base
    /// assert!(Shape::half_space([0.0, 1.0, 0.0], 0.0)?.mass_properties().is_none());
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn mass_properties(&self) -> Option<MassProperties> {
        let Solid { volume, centroid, spread } = Solid::of(self)?;
        Some(MassProperties { volume, centroid, inertia: inertia(volume, spread) })
    }

    /// The volume, where [`mass_properties`](Shape::mass_properties) knows it; zero for what is flat.
    ///
    /// ```
    /// assert_eq!(clearance::Shape::cuboid([1.0, 1.0, 0.5])?.volume(), Some(4.0));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn volume(&self) -> Option<f64> {
        Some(Solid::of(self)?.volume)
    }

    /// The center of mass, where [`mass_properties`](Shape::mass_properties) knows it.
    ///
    /// ```
    /// let corner = clearance::Shape::hull(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]])?;
    /// assert_eq!(corner.centroid().unwrap().to_array(), [1.0, 1.0, 1.0]);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn centroid(&self) -> Option<DVec3> {
        Some(Solid::of(self)?.centroid)
    }

    /// The inertia tensor about the centroid for unit density, where [`mass_properties`](Shape::mass_properties) knows it.
    ///
    /// ```
    /// let ball = clearance::Shape::sphere(2.0)?;
    /// let inertia = ball.inertia().unwrap();
    /// assert!((inertia.x_axis.x - 0.4 * ball.volume().unwrap() * 4.0).abs() < 1e-13);     // 2/5 m r²
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn inertia(&self) -> Option<DMat3> {
        Some(self.mass_properties()?.inertia)
    }
}

/// A solid of unit density.
#[derive(Debug, Clone, Copy)]
struct Solid {
    volume: f64,
    centroid: DVec3,
    spread: DMat3,
}

impl Solid {
    fn of(shape: &Shape) -> Option<Self> {
        let solid = |volume: f64, y: f64, spread: [f64; 3]| Self {
            volume,
            centroid: DVec3::new(0.0, y, 0.0),
            spread: DMat3::from_diagonal(spread.into()),
        };
        Some(match shape {
            Shape::Sphere(sphere) => rounded_box(DVec3::ZERO, sphere.radius()),
            Shape::Cuboid(cuboid) => rounded_box(cuboid.half_extents(), 0.0),
            Shape::Segment(segment) => capsule(segment, segment.radius()),
            Shape::Triangle(triangle) => Self::flat(triangle.center()),
            Shape::Cylinder(cylinder) => {
                let (r, h) = (cylinder.base_radius(), cylinder.half_height());
                solid(2.0 * PI * r * r * h, 0.0, [0.25 * r * r, h * h / 3.0, 0.25 * r * r])
            }
            Shape::Cone(cone) => {
                let (r, h) = (cone.base_radius(), cone.half_height());
                solid(2.0 / 3.0 * PI * r * r * h, -0.5 * h, [0.15 * r * r, 0.15 * h * h, 0.15 * r * r])
            }
            Shape::Ellipsoid(ellipsoid) => of_ellipsoid(ellipsoid),
            Shape::Polytope(polytope) => of_polytope(polytope),
            Shape::Affine(affine) => Self::of(affine.shape())?.mapped(affine),
            Shape::Rounded(rounded) => return Self::of_rounded(rounded.shape(), rounded.radius()),
            Shape::Mesh(mesh) => of_mesh(mesh)?,
            Shape::Custom(_) | Shape::HalfSpace(_) | Shape::Compound(_) => return None,
        })
    }

    /// A shape without volume.
    fn flat(centroid: DVec3) -> Self {
        Self { volume: 0.0, centroid, spread: DMat3::ZERO }
    }

    /// Everything within a radius of the core of a shape; the radius of the shape is in it already.
    fn of_rounded(shape: &Shape, radius: f64) -> Option<Self> {
        match shape {
            _ if radius == 0.0 => Self::of(shape),
            Shape::Rounded(rounded) => Self::of_rounded(rounded.shape(), radius),
            Shape::Sphere(_) => Some(rounded_box(DVec3::ZERO, radius)),
            Shape::Cuboid(cuboid) => Some(rounded_box(cuboid.half_extents(), radius)),
            Shape::Segment(segment) => Some(capsule(segment, radius)),
            Shape::Triangle(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::Polytope(_)
            | Shape::Affine(_)
            | Shape::Custom(_)
            | Shape::HalfSpace(_)
            | Shape::Mesh(_)
            | Shape::Compound(_) => None,
        }
    }

    fn mapped(self, affine: &Affine) -> Self {
        let matrix = affine.matrix();
        let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let unit = power_of_two(columns.map(|column| column.abs().max_element()).into_iter().fold(0.0, f64::max));
        let factor = determinant(columns.map(|column| (column * unit).into())).abs();
        let size = 1.0 / unit;
        Self {
            volume: self.volume * size * size * size * factor,
            centroid: matrix * self.centroid,
            spread: symmetric(matrix * self.spread * matrix.transpose()),
        }
    }
}

/// With twice the digits, so that little of it is lost where columns are nearly in a plane.
fn determinant([a, b, c]: [DoubleVec3; 3]) -> f64 {
    a.dot(b.cross(c)).value()
}

/// V (tr K - K).
fn inertia(volume: f64, spread: DMat3) -> DMat3 {
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    (DMat3::from_diagonal(DVec3::splat(trace)) - spread) * volume
}

/// v vᵀ.
fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// A matrix that is symmetric to rounding, made so.
fn symmetric(matrix: DMat3) -> DMat3 {
    (matrix + matrix.transpose()) * 0.5
}

/// An ellipsoid is the image of the unit ball, whose spread is a fifth.
fn of_ellipsoid(ellipsoid: &Ellipsoid) -> Solid {
    let radii = ellipsoid.radii();
    let volume = 4.0 / 3.0 * PI * radii.x * radii.y * radii.z;
    Solid { volume, centroid: DVec3::ZERO, spread: DMat3::from_diagonal(radii * radii * 0.2) }
}

/// A box about the origin and everything within a radius of it: ball and box are special cases.
///
/// Its parts (Steiner's formula): the box; a slab of thickness r on every face; four quarters of a cylinder along every axis; eight octants
/// of a ball. Half extents a, b, c along x and the two other axes give the volume
///
/// > 8abc + 8r (ab + bc + ca) + 2πr² (a + b + c) + 4/3 πr³
///
/// and ∫ x² dV is a²/3 times the volume of all that ends at ±a, namely 8abc + 8ar (b + c) + 2πr²a, and beyond the ends
///
/// > 8bc ((a + r)³ - a³)/3 + 2 (b + c) (πr²a² + 8/3 r³a + πr⁴/4) + (4/3 πr³a² + πr⁴a + 4/15 πr⁵).
fn rounded_box(half_extents: DVec3, radius: f64) -> Solid {
    let size = half_extents.max_element().max(radius);
    if size == 0.0 {
        return Solid::flat(DVec3::ZERO);
    }
    // In units of its size no power overflows or vanishes.
    let (h, r) = (half_extents / size, radius / size);
    let (r2, r3) = (r * r, r * r * r);
    let volume = 8.0 * h.x * h.y * h.z
        + 8.0 * r * (h.x * h.y + h.y * h.z + h.z * h.x)
        + 2.0 * PI * r2 * (h.x + h.y + h.z)
        + 4.0 / 3.0 * PI * r3;
    if volume == 0.0 {
        return Solid::flat(DVec3::ZERO);
    }
    let second_moment = |a: f64, b: f64, c: f64| {
        let between = (8.0 * b * c + 8.0 * r * (b + c) + 2.0 * PI * r2) * (a * a * a / 3.0);
        let slabs = 8.0 * b * c * r * (a * a + a * r + r2 / 3.0);
        let edges = 2.0 * (b + c) * r2 * (PI * a * a + 8.0 / 3.0 * r * a + PI / 4.0 * r2);
        let corners = PI * r3 * (4.0 / 3.0 * a * a + r * a + 4.0 / 15.0 * r2);
        between + slabs + edges + corners
    };
    let DVec3 { x, y, z } = h;
    let moments = DVec3::new(second_moment(x, y, z), second_moment(y, z, x), second_moment(z, x, y));
    let spread = DMat3::from_diagonal(moments / volume * (size * size));
    Solid { volume: volume * size * size * size, centroid: DVec3::ZERO, spread }
}

/// A capsule is a rounded box of one extent, turned: its spread is k along its axis u and l across it, l + (k - l) u uᵀ.
fn capsule(segment: &Segment, radius: f64) -> Solid {
    let [a, b] = segment.ends();
    let half = 0.5 * (b - a);
    let upright = rounded_box(DVec3::new(half.length(), 0.0, 0.0), radius);
    let [along, across] = [upright.spread.x_axis.x, upright.spread.y_axis.y];
    let axis = half.normalize_or_zero();
    let spread = DMat3::from_diagonal(DVec3::splat(across)) + outer(axis) * (along - across);
    Solid { volume: upright.volume, centroid: segment.center(), spread }
}

/// A polytope is a sum of tetrahedra from one of its vertices to the triangles of its faces.
///
/// Volumes are computed with twice the digits, so that those of thin polytopes have theirs. The spread of a tetrahedron about a
/// point is Σᵢ pᵢ pᵢᵀ / 20 + s sᵀ / 20 with its corners pᵢ from there and their sum s; about the centroid of the whole all terms are positive
/// and nothing cancels.
fn of_polytope(polytope: &Polytope) -> Solid {
    let origin = polytope.vertex(0);
    let edges = || polytope.vertices().iter().map(|&v| v - origin);
    let size = edges().map(|edge| edge.abs().max_element()).fold(0.0, f64::max);
    match polytope.dimension() {
        0 | 1 => return Solid::flat(polytope.center()),
        2 => return Solid::flat(origin + area_centroid(polytope, size)),
        _ => {}
    }
    // In units of its size, from the first vertex: exact if the unit is a power of two.
    let unit = power_of_two(size);
    let corner = |v: u32| DoubleVec3::from(polytope.vertex(v) * unit) - DoubleVec3::from(origin * unit);
    let tetrahedra = || {
        polytope.faces().flat_map(|face| fan(face.vertices)).map(|triangle| {
            let corners = triangle.map(corner);
            // Positive, but for a rounding of many digits.
            ((determinant(corners) / 6.0).max(0.0), corners.map(DoubleVec3::value))
        })
    };
    of_tetrahedra(tetrahedra, unit, origin).unwrap_or_else(|| Solid::flat(polytope.center()))
}

/// A solid mesh is a sum of tetrahedra from the middle of its box to its triangles, some of which are taken away. Nothing for a shell.
fn of_mesh(mesh: &Mesh) -> Option<Solid> {
    if !mesh.is_solid() {
        return None;
    }
    let origin = mesh.aabb().center();
    let unit = power_of_two((mesh.aabb().max - origin).max_element());
    let tetrahedron = |triangle: u32| {
        let corners = mesh.corners(triangle).map(|corner| (corner - origin) * unit);
        let [a, b, c] = corners;
        (a.dot(b.cross(c)) / 6.0, corners)
    };
    let tetrahedra = || (0..mesh.triangles().len() as u32).map(tetrahedron);
    Some(of_tetrahedra(tetrahedra, unit, origin).unwrap_or_else(|| Solid::flat(origin)))
}

/// The sum of tetrahedra that have a corner in the origin, given by their volumes and other corners in a unit; nothing if there is no
/// volume. Inside out, it is the same solid.
fn of_tetrahedra<I: Iterator<Item = (f64, [DVec3; 3])>>(
    tetrahedra: impl Fn() -> I,
    unit: f64,
    origin: DVec3,
) -> Option<Solid> {
    let (mut volume, mut moment) = (0.0, DVec3::ZERO);
    for (part, [a, b, c]) in tetrahedra() {
        volume += part;
        moment += (a + b + c) * (0.25 * part);
    }
    if volume == 0.0 {
        return None;
    }
    let centroid = moment / volume;
    let mut spread = DMat3::ZERO;
    for (part, [a, b, c]) in tetrahedra() {
        let corners = [a - centroid, b - centroid, c - centroid, -centroid];
        let sum = corners.iter().sum::<DVec3>();
        let squares = corners.into_iter().map(outer).fold(outer(sum), |sum, one| sum + one);
        spread += squares * (0.05 * part / volume);
    }
    let size = 1.0 / unit;
    let volume = volume.abs() * size * size * size;
    Some(Solid { volume, centroid: origin + centroid * size, spread: spread * (size * size) })
}

/// The centroid of a flat polygon, from its first vertex.
fn area_centroid(polytope: &Polytope, size: f64) -> DVec3 {
    let (unit, origin) = (power_of_two(size), polytope.vertex(0));
    let (mut area, mut moment) = (0.0, DVec3::ZERO);
    for triangle in fan(polytope.face(0).vertices) {
        let [a, b, c] = triangle.map(|v| (polytope.vertex(v) - origin) * unit);
        let part = (b - a).cross(c - a).length();
        area += part;
        moment += (a + b + c) * (part / 3.0);
    }
    if area > 0.0 { moment / area * (1.0 / unit) } else { polytope.center() - origin }
}

/// The triangles of a convex polygon.
fn fan(polygon: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    polygon.windows(2).skip(1).map(|pair| [polygon[0], pair[0], pair[1]])
}

/// A power of two that makes a size about one; one if there is none.
fn power_of_two(size: f64) -> f64 {
    let unit = (-size.log2().floor()).exp2();
    if unit.is_finite() && unit > 0.0 { unit } else { 1.0 }
}
