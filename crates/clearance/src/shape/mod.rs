//! Shapes of queries: bounded convex shapes, half-spaces, meshes, and compounds of them.

mod bounds;
mod compound;
mod convex;
mod cuboid;
mod custom;
mod derived;
mod equal;
mod feature;
pub(crate) mod form;
mod grown;
mod half_space;
mod mass;
pub mod mesh;
pub mod polytope;
mod round;
mod simplicial;
mod sizes;
mod union_hull;

pub use compound::{Compound, Part};
#[doc(hidden)]
pub use convex::Symmetry;
pub use convex::{Branch, Cap, Convex, Curvature, NO_VERTEX, Patch, SupportPoint};
pub use cuboid::Cuboid;
pub use custom::Custom;
pub use derived::{Affine, Rounded};
pub use feature::Feature;
pub(crate) use grown::PieceOrigin;
pub use half_space::HalfSpace;
pub use mass::MassProperties;
pub(crate) use mesh::MeshHull;
pub use mesh::{FilledMesh, Hole, Mesh, MeshReport, Side};
pub use polytope::Polytope;
pub use round::{Cone, Cylinder, Ellipsoid};
pub use simplicial::{Segment, Sphere, Triangle};
pub use sizes::{Axis, HalfHeight, Radius};
use union_hull::UnionHull;

use crate::error::BuildError;
use crate::math::Pose;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// An immutable shape in its own frame; cloning it is cheap.
///
/// Sizes of zero are legitimate: a flat box is a rectangle, a cylinder without radius a segment. Everything that cannot
/// be computed with is refused here, so queries cannot fail.
///
/// ```
/// use clearance::Shape;
///
/// assert!(Shape::cuboid([1.0, 0.0, 2.0]).is_ok());
/// let error = Shape::cuboid([1.0, -2.0, 3.0]).unwrap_err();
/// assert_eq!(error.to_string(), "half_extents.y is -2, but a size cannot be negative (zero is allowed)");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Shape {
    /// A ball, or a point.
    Sphere(Sphere),
    /// A box.
    Cuboid(Cuboid),
    /// A segment, or a capsule.
    Segment(Segment),
    /// A triangle.
    Triangle(Triangle),
    /// A cylinder about the y axis.
    Cylinder(Cylinder),
    /// A cone about the y axis, apex up.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// The convex hull of points.
    Polytope(Arc<Polytope>),
    /// The image of a convex shape under a linear map.
    Affine(Arc<Affine>),
    /// A convex shape with everything within a radius of it.
    Rounded(Arc<Rounded>),
    /// A custom convex shape.
    Custom(Arc<Custom>),
    /// Everything below a plane.
    HalfSpace(HalfSpace),
    /// A triangle mesh: a solid if its surface is closed, else a shell.
    Mesh(Arc<Mesh>),
    /// A union of parts.
    Compound(Arc<Compound>),
}

impl Shape {
    /// The point at the origin.
    #[must_use]
    pub fn point() -> Self {
        Self::Sphere(Sphere::POINT)
    }

    /// A ball about the origin.
    #[doc(alias = "ball")]
    pub fn sphere(radius: f64) -> Result<Self, BuildError> {
        Sphere::new(radius).map(Self::Sphere)
    }

    /// A box about the origin.
    ///
    /// Vertex `v` has its x, y, z coordinate positive where bit 0, 1, 2 of `v` is set. Edges 0 to 3 are parallel to x, 4 to 7 to y, 8
    /// to 11 to z, and are counted by the bits of the two other axes: the earlier axis has bit 0. Faces are 0 = -x, 1 = +x, 2 = -y,
    /// 3 = +y, 4 = -z, 5 = +z. [`Feature`]s of answers have these numbers.
    ///
    /// ```
    /// use clearance::{Feature, Pose, Shape, distance};
    ///
    /// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
    /// let point = Shape::point();
    /// let nearest = |to: [f64; 3]| {
    ///     distance(&cube, Pose::IDENTITY, &point, Pose::from_translation(to)).features(&cube, &point)[0]
    /// };
    /// assert_eq!(nearest([3.0, -3.0, 3.0]), Feature::Vertex(0b101));
    /// assert_eq!(nearest([-3.0, 0.2, 3.0]), Feature::Edge(4 + 0b10));  // along y, at -x and +z
    /// assert_eq!(nearest([0.1, 3.0, 0.2]), Feature::Face(3));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[doc(alias = "box")]
    pub fn cuboid(half_extents: impl Into<DVec3>) -> Result<Self, BuildError> {
        Cuboid::new(half_extents.into()).map(Self::Cuboid)
    }

    /// A capsule about an axis: everything within the radius of the segment from -`half_height` to `half_height`.
    ///
    /// ```
    /// use clearance::{Axis, HalfHeight, Pose, Radius, Shape, distance};
    ///
    /// let arm = Shape::capsule(Axis::X, Radius(0.1), HalfHeight(0.5))?;
    /// let c = distance(&arm, Pose::IDENTITY, &Shape::point(), Pose::from_translation([1.0, 0.0, 0.0]));
    /// assert!((c.distance - 0.4).abs() < 1e-15);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[doc(alias = "stadium")]
    #[doc(alias = "swept_sphere")]
    pub fn capsule(axis: Axis, radius: Radius, half_height: HalfHeight) -> Result<Self, BuildError> {
        Segment::capsule(axis, radius, half_height).map(Self::Segment)
    }

    /// A capsule between two points: everything within the radius of the segment from `a` to `b`.
    ///
    /// ```
    /// use clearance::{Pose, Radius, Shape, distance};
    ///
    /// let bone = Shape::capsule_between([0.0, 0.0, 0.0], [3.0, 4.0, 0.0], Radius(0.5))?;
    /// let c = distance(&bone, Pose::IDENTITY, &Shape::point(), Pose::from_translation([6.0, 8.0, 0.0]));
    /// assert!((c.distance - 4.5).abs() < 1e-14);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn capsule_between(a: impl Into<DVec3>, b: impl Into<DVec3>, radius: Radius) -> Result<Self, BuildError> {
        Segment::capsule_between(a.into(), b.into(), radius).map(Self::Segment)
    }

    /// A cylinder about an axis, centred at the origin.
    ///
    /// About y it is a [`Shape::Cylinder`]; about x and z the [image](Shape::Affine) of one under an exchange of the axes, which
    /// rounds nothing.
    ///
    /// ```
    /// use clearance::{Axis, HalfHeight, Pose, Radius, Shape, distance};
    ///
    /// let roller = Shape::cylinder(Axis::Z, Radius(0.5), HalfHeight(2.0))?;
    /// let c = distance(&roller, Pose::IDENTITY, &Shape::point(), Pose::from_translation([0.0, 1.5, 1.0]));
    /// assert!((c.distance - 1.0).abs() < 1e-14);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn cylinder(axis: Axis, radius: Radius, half_height: HalfHeight) -> Result<Self, BuildError> {
        Self::Cylinder(Cylinder::new(radius, half_height)?).about(axis)
    }

    /// A cone about an axis: its apex at `half_height` along the axis, its base at -`half_height`.
    ///
    /// About y it is a [`Shape::Cone`]; about x and z the [image](Shape::Affine) of one under an exchange of the axes, which rounds
    /// nothing.
    ///
    /// ```
    /// use clearance::{Axis, HalfHeight, Pose, Radius, Shape, distance};
    ///
    /// let tip = Shape::cone(Axis::X, Radius(0.5), HalfHeight(1.0))?;
    /// let c = distance(&tip, Pose::IDENTITY, &Shape::point(), Pose::from_translation([3.0, 0.0, 0.0]));
    /// assert!((c.distance - 2.0).abs() < 1e-14);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn cone(axis: Axis, radius: Radius, half_height: HalfHeight) -> Result<Self, BuildError> {
        Self::Cone(Cone::new(radius, half_height)?).about(axis)
    }

    /// A shape about the y axis, turned to another one.
    fn about(self, axis: Axis) -> Result<Self, BuildError> {
        match axis {
            Axis::Y => Ok(self),
            Axis::X | Axis::Z => Ok(Self::Affine(Arc::new(Affine::new(self, axis.turn_of_y())?))),
        }
    }

    /// An ellipsoid about the origin.
    pub fn ellipsoid(radii: impl Into<DVec3>) -> Result<Self, BuildError> {
        Ellipsoid::new(radii.into()).map(Self::Ellipsoid)
    }

    /// The segment from `a` to `b`: vertices 0 and 1, edge 0.
    pub fn segment(a: impl Into<DVec3>, b: impl Into<DVec3>) -> Result<Self, BuildError> {
        Segment::new(a.into(), b.into()).map(Self::Segment)
    }

    /// The triangle of three points: vertices 0, 1 and 2, edge 0 from `a` to `b`, 1 from `b` to `c`, 2 from `c` to `a`, face 0.
    pub fn triangle(a: impl Into<DVec3>, b: impl Into<DVec3>, c: impl Into<DVec3>) -> Result<Self, BuildError> {
        Triangle::new(a.into(), b.into(), c.into()).map(Self::Triangle)
    }

    /// The solid of all points with `normal` · x <= `offset`.
    #[doc(alias = "plane")]
    #[doc(alias = "floor")]
    pub fn half_space(normal: impl Into<DVec3>, offset: f64) -> Result<Self, BuildError> {
        HalfSpace::new(normal.into(), offset).map(Self::HalfSpace)
    }

    /// The convex hull of points: a solid, or a polygon, segment or point when they are flat, collinear or coincident.
    /// [`Shape::as_polytope`] has its vertices, edges and faces.
    #[doc(alias = "convex_hull")]
    pub fn hull<P: Copy + Into<DVec3>>(points: &[P]) -> Result<Self, BuildError> {
        let points: Vec<DVec3> = points.iter().map(|&point| point.into()).collect();
        Ok(Self::Polytope(Arc::new(polytope::convex_hull(&points)?)))
    }

    /// A triangle mesh of vertices and triangles, three numbers of vertices each, counter-clockwise seen from outside.
    ///
    /// If its surface is closed and consistently oriented it is a solid, and what is inside of it overlaps it; any other mesh is a
    /// shell, its surface and nothing else. See [`Mesh`], and its [report](Mesh::report) for what may be wrong with it.
    ///
    /// ```
    /// use clearance::{Pose, Shape, distance, intersects};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let solid = Shape::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let c = distance(&solid, Pose::IDENTITY, &Shape::point(), Pose::from_translation([0.2, 0.2, -3.0]));
    /// assert!((c.distance - 3.0).abs() < 1e-14);
    ///
    /// // Inside of it, and far from its surface.
    /// let (dot, inside) = (Shape::sphere(0.01)?, Pose::from_translation([0.1, 0.1, 0.1]));
    /// assert!(intersects(&solid, Pose::IDENTITY, &dot, inside));
    /// assert!(!intersects(&Shape::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3]])?, Pose::IDENTITY, &dot, inside));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[doc(alias = "trimesh")]
    pub fn mesh<P: Copy + Into<DVec3>>(vertices: &[P], triangles: &[[u32; 3]]) -> Result<Self, BuildError> {
        Ok(Self::Mesh(Arc::new(Mesh::new(vertices, triangles)?)))
    }

    /// The image of a shape under a linear map: scale, shear, mirror. Compounds cannot be mapped, but their parts can.
    #[doc(alias = "scale")]
    #[doc(alias = "shear")]
    #[doc(alias = "transform")]
    pub fn affine(shape: &Self, matrix: DMat3) -> Result<Self, BuildError> {
        match shape.family() {
            Family::HalfSpace(plane) => plane.affine(matrix).map(Self::HalfSpace),
            Family::Mesh(mesh) => mesh.mapped(matrix).map(|mesh| Self::Mesh(Arc::new(mesh))),
            Family::Compound(_) => Err(not_convex("compound", "only its parts can be mapped; map those instead")),
            Family::Convex(_) => Ok(Self::Affine(Arc::new(Affine::new(shape.clone(), matrix)?))),
        }
    }

    /// Everything within `radius` of a convex shape.
    #[doc(alias = "minkowski_sum")]
    #[doc(alias = "round")]
    pub fn rounded(shape: &Self, radius: f64) -> Result<Self, BuildError> {
        match shape.family() {
            Family::HalfSpace(plane) => plane.rounded(radius).map(Self::HalfSpace),
            Family::Mesh(_) => Err(not_convex("mesh", "only convex shapes can be rounded")),
            Family::Compound(_) => {
                Err(not_convex("compound", "only convex shapes can be rounded; round its parts instead"))
            }
            Family::Convex(_) => Ok(Self::Rounded(Arc::new(Rounded::new(shape.clone(), radius)?))),
        }
    }

    /// A union of parts, each with its pose in the frame of the compound.
    #[doc(alias = "union")]
    pub fn compound(parts: impl IntoIterator<Item = (Self, Pose)>) -> Result<Self, BuildError> {
        Ok(Self::Compound(Arc::new(Compound::new(parts)?)))
    }

    /// A custom shape, see [`Convex`].
    ///
    /// Its radius, bounding radius and center are read here, once; points that are not finite or lie beyond the bounding radius make an answer
    /// [`BadSupport`](crate::Status::BadSupport) when they come up.
    #[doc(alias = "support_map")]
    pub fn custom(shape: impl Convex + 'static) -> Result<Self, BuildError> {
        Ok(Self::Custom(Arc::new(Custom::new(shape)?)))
    }

    /// The polytope, if the shape is one: its vertices, edges and faces have the numbers that [`Feature`] names.
    ///
    /// ```
    /// use clearance::Shape;
    ///
    /// let hull = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
    /// let polytope = hull.as_polytope().expect("a hull is a polytope");
    /// assert_eq!((polytope.vertices().len(), polytope.edges().len(), polytope.faces().len()), (4, 6, 4));
    /// assert!(Shape::sphere(1.0)?.as_polytope().is_none());
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn as_polytope(&self) -> Option<&Polytope> {
        match self {
            Self::Polytope(polytope) => Some(polytope),
            _ => None,
        }
    }

    /// The mesh, if the shape is one.
    ///
    /// ```
    /// use clearance::Shape;
    ///
    /// let sheet = Shape::mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// assert!(sheet.as_mesh().is_some_and(|mesh| !mesh.is_solid() && mesh.triangles().len() == 1));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn as_mesh(&self) -> Option<&Mesh> {
        match self {
            Self::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    /// The word for this kind of shape, as the file formats spell it. A cylinder or cone about x or z is an `affine` image.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere(sphere) if sphere.radius() == 0.0 => "point",
            Self::Sphere(_) => "sphere",
            Self::Cuboid(_) => "cuboid",
            Self::Segment(segment) if segment.radius() == 0.0 => "segment",
            Self::Segment(_) => "capsule",
            Self::Triangle(_) => "triangle",
            Self::Cylinder(_) => "cylinder",
            Self::Cone(_) => "cone",
            Self::Ellipsoid(_) => "ellipsoid",
            Self::Polytope(_) => "hull",
            Self::Affine(_) => "affine",
            Self::Rounded(_) => "rounded",
            Self::Custom(_) => "custom",
            Self::HalfSpace(_) => "half_space",
            Self::Mesh(_) => "mesh",
            Self::Compound(_) => "compound",
        }
    }

    /// The shape as a bounded convex set, unless it is a half-space, a mesh or a compound.
    #[inline]
    #[must_use]
    pub fn convex(&self) -> Option<&dyn Convex> {
        match self.family() {
            Family::Convex(core) => Some(core),
            Family::HalfSpace(_) | Family::Mesh(_) | Family::Compound(_) => None,
        }
    }

    /// Goes on with the convex hull of the shape: itself if it is convex. Nothing if it is not bounded.
    pub(crate) fn with_hull<T>(&self, then: impl FnOnce(&dyn Convex) -> T) -> Option<T> {
        match self.family() {
            Family::Convex(core) => Some(then(core)),
            Family::Mesh(mesh) => Some(then(&MeshHull(mesh))),
            Family::HalfSpace(_) => None,
            Family::Compound(compound) => compound.unbounded().is_empty().then(|| then(&UnionHull::new(compound))),
        }
    }

    /// The convex hull of a convex shape, which is itself, or of a mesh.
    pub(crate) fn convex_hull(&self) -> Option<Self> {
        match self.family() {
            Family::Convex(_) => Some(self.clone()),
            Family::Mesh(mesh) => mesh.hull().map(|hull| Self::Polytope(Arc::clone(hull))),
            Family::HalfSpace(_) | Family::Compound(_) => None,
        }
    }

    /// The shape as a convex or other body, when its kind does not matter.
    #[inline(always)]
    pub(crate) fn family(&self) -> Family<'_> {
        Family::Convex(match self {
            Self::Sphere(shape) => shape,
            Self::Cuboid(shape) => shape,
            Self::Segment(shape) => shape,
            Self::Triangle(shape) => shape,
            Self::Cylinder(shape) => shape,
            Self::Cone(shape) => shape,
            Self::Ellipsoid(shape) => shape,
            Self::Polytope(shape) => &**shape,
            Self::Affine(shape) => &**shape,
            Self::Rounded(shape) => &**shape,
            Self::Custom(shape) => &**shape,
            Self::HalfSpace(shape) => return Family::HalfSpace(shape),
            Self::Mesh(shape) => return Family::Mesh(shape),
            Self::Compound(shape) => return Family::Compound(shape),
        })
    }

    /// A bound on the distance of any point from the shape's origin; infinite for a half-space.
    #[inline]
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        let ball = |core: &dyn Convex| core.bounding_radius() + core.radius();
        match self {
            // Without a detour through the vtable: intersection tests ask this first.
            Self::Sphere(shape) => shape.radius(),
            Self::Cuboid(shape) => shape.bounding_radius(),
            Self::Polytope(shape) => shape.bounding_radius(),
            Self::Ellipsoid(shape) => shape.bounding_radius(),
            Self::Segment(shape) => shape.bounding_radius() + shape.radius(),
            Self::Triangle(shape) => shape.bounding_radius(),
            Self::Cylinder(shape) => shape.bounding_radius(),
            Self::Cone(shape) => shape.bounding_radius(),
            Self::Affine(shape) => ball(&**shape),
            Self::Rounded(shape) => ball(&**shape),
            Self::Custom(shape) => ball(&**shape),
            Self::HalfSpace(_) => f64::INFINITY,
            Self::Mesh(shape) => shape.bounding_radius() + shape.slack(),
            Self::Compound(shape) => shape.bounding_radius(),
        }
    }

    /// Is it a custom shape, or derived from one? Then only its checked points are proved.
    #[inline]
    pub(crate) fn is_foreign(&self) -> bool {
        match self {
            Self::Custom(_) => true,
            Self::Affine(shape) => shape.shape().is_foreign(),
            Self::Rounded(shape) => shape.shape().is_foreign(),
            Self::Sphere(_)
            | Self::Cuboid(_)
            | Self::Segment(_)
            | Self::Triangle(_)
            | Self::Cylinder(_)
            | Self::Cone(_)
            | Self::Ellipsoid(_)
            | Self::Polytope(_)
            | Self::HalfSpace(_)
            | Self::Mesh(_)
            | Self::Compound(_) => false,
        }
    }
}

/// The families of shapes: what most of the library tells apart.
pub(crate) enum Family<'a> {
    /// A bounded convex set.
    Convex(&'a dyn Convex),
    HalfSpace(&'a HalfSpace),
    Mesh(&'a Mesh),
    Compound(&'a Compound),
}

fn not_convex(kind: &'static str, reason: &'static str) -> BuildError {
    BuildError::WrongKind { field: "shape".into(), kind, reason }
}
