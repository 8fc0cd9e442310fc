//! Shapes as plain data: the input of a [`Shape`] of the library, the text of a query line, and a support function of their own.
//!
//! The support height here follows the definitions, not the library's code, so that it can judge answers.

use clearance::math::{DMat3, DVec3};
use clearance::{Axis, BuildError, Convex, HalfHeight, Pose, Radius, Shape};
use clearance_io::proof::written_pose;
use clearance_verify as verify;
use std::fmt;

/// A shape that can be built, written as JSON, and measured.
#[derive(Debug, Clone, PartialEq)]
pub enum Spec {
    /// A ball; a point when the radius is zero.
    Sphere(f64),
    /// A box, by its half extents.
    Cuboid(DVec3),
    /// Radius and half height.
    Capsule(f64, f64),
    /// Radius and half height.
    Cylinder(f64, f64),
    /// Radius and half height.
    Cone(f64, f64),
    /// Radii.
    Ellipsoid(DVec3),
    /// Two ends.
    Segment([DVec3; 2]),
    /// Three corners.
    Triangle([DVec3; 3]),
    /// The hull of points.
    Hull(Vec<DVec3>),
    /// Vertices, and triangles by the numbers of their corners.
    Mesh(Vec<DVec3>, Vec<[u32; 3]>),
    /// The image under a matrix.
    Affine(Box<Spec>, DMat3),
    /// All points within a radius.
    Rounded(Box<Spec>, f64),
    /// The same, but as a custom shape, of which the library knows only support points and the radius.
    Custom(Box<Spec>),
    /// Normal and offset.
    HalfSpace(DVec3, f64),
    /// Parts at their places.
    Compound(Vec<(Spec, Pose)>),
}

impl Spec {
    /// The library's shape.
    ///
    /// # Panics
    ///
    /// If the library refuses it: numbers out of range, or a compound that is mapped or rounded.
    #[must_use]
    pub fn build(&self) -> Shape {
        self.try_build().unwrap_or_else(|error| panic!("{self}: {error}"))
    }

    /// The library's shape, or the reason of its refusal.
    pub fn try_build(&self) -> Result<Shape, BuildError> {
        match self {
            Self::Sphere(radius) => Shape::sphere(*radius),
            Self::Cuboid(half) => Shape::cuboid(*half),
            Self::Capsule(radius, half) => Shape::capsule(Axis::Y, Radius(*radius), HalfHeight(*half)),
            Self::Cylinder(radius, half) => Shape::cylinder(Axis::Y, Radius(*radius), HalfHeight(*half)),
            Self::Cone(radius, half) => Shape::cone(Axis::Y, Radius(*radius), HalfHeight(*half)),
            Self::Ellipsoid(radii) => Shape::ellipsoid(*radii),
            Self::Segment([a, b]) => Shape::segment(*a, *b),
            Self::Triangle([a, b, c]) => Shape::triangle(*a, *b, *c),
            Self::Hull(points) => Shape::hull(points),
            Self::Mesh(vertices, triangles) => Shape::mesh(vertices, triangles),
            Self::Affine(inner, matrix) => Shape::affine(&inner.try_build()?, *matrix),
            Self::Rounded(inner, radius) => Shape::rounded(&inner.try_build()?, *radius),
            Self::Custom(inner) => match inner.try_build()? {
                shape if shape.convex().is_some() => Shape::custom(Veiled(shape)),
                shape => Ok(shape),
            },
            Self::HalfSpace(normal, offset) => Shape::half_space(*normal, *offset),
            Self::Compound(parts) => {
                let parts: Result<Vec<_>, _> =
                    parts.iter().map(|(part, pose)| Ok((part.try_build()?, *pose))).collect();
                Shape::compound(parts?)
            }
        }
    }

    /// The same shape for the exact checker: the numbers here, without any change by the library. The checker knows no custom shapes, so those are
    /// the shape inside.
    #[must_use]
    pub fn written(&self) -> verify::Shape {
        let inner = |spec: &Self| Box::new(spec.written());
        match self {
            Self::Sphere(radius) => verify::Shape::Sphere { radius: *radius },
            Self::Cuboid(half) => verify::Shape::Cuboid { half_extents: half.to_array() },
            Self::Capsule(radius, half) => verify::Shape::Capsule { radius: *radius, half_height: *half },
            Self::Cylinder(radius, half) => verify::Shape::Cylinder { radius: *radius, half_height: *half },
            Self::Cone(radius, half) => verify::Shape::Cone { radius: *radius, half_height: *half },
            Self::Ellipsoid(radii) => verify::Shape::Ellipsoid { radii: radii.to_array() },
            Self::Segment([a, b]) => verify::Shape::Segment { a: a.to_array(), b: b.to_array() },
            Self::Triangle([a, b, c]) => verify::Shape::Triangle { a: a.to_array(), b: b.to_array(), c: c.to_array() },
            Self::Hull(points) => verify::Shape::Hull { points: points.iter().map(|p| p.to_array()).collect() },
            Self::Mesh(vertices, triangles) => verify::Shape::Mesh {
                vertices: vertices.iter().map(|p| p.to_array()).collect(),
                triangles: triangles.clone(),
            },
            Self::Affine(spec, matrix) => {
                verify::Shape::Affine { shape: inner(spec), matrix: [0, 1, 2].map(|row| matrix.row(row).to_array()) }
            }
            Self::Rounded(spec, radius) => verify::Shape::Rounded { shape: inner(spec), radius: *radius },
            Self::Custom(spec) => spec.written(),
            Self::HalfSpace(normal, offset) => verify::Shape::HalfSpace { normal: normal.to_array(), offset: *offset },
            Self::Compound(parts) => {
                let part =
                    |(part, pose): &(Self, Pose)| verify::Part { shape: part.written(), pose: written_pose(pose) };
                verify::Shape::Compound(parts.iter().map(part).collect())
            }
        }
    }

    /// The word for the kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere(radius) if *radius == 0.0 => "point",
            Self::Sphere(_) => "sphere",
            Self::Cuboid(_) => "cuboid",
            Self::Capsule(..) => "capsule",
            Self::Cylinder(..) => "cylinder",
            Self::Cone(..) => "cone",
            Self::Ellipsoid(_) => "ellipsoid",
            Self::Segment(_) => "segment",
            Self::Triangle(_) => "triangle",
            Self::Hull(_) => "hull",
            Self::Mesh(..) => "mesh",
            Self::Affine(..) => "affine",
            Self::Rounded(..) => "rounded",
            Self::Custom(_) => "custom",
            Self::HalfSpace(..) => "half_space",
            Self::Compound(_) => "compound",
        }
    }

    /// The same shape in another unit; exact if the factor is a power of two.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        match self {
            Self::Sphere(radius) => Self::Sphere(radius * by),
            Self::Cuboid(half) => Self::Cuboid(*half * by),
            Self::Capsule(radius, half) => Self::Capsule(radius * by, half * by),
            Self::Cylinder(radius, half) => Self::Cylinder(radius * by, half * by),
            Self::Cone(radius, half) => Self::Cone(radius * by, half * by),
            Self::Ellipsoid(radii) => Self::Ellipsoid(*radii * by),
            Self::Segment(ends) => Self::Segment(ends.map(|end| end * by)),
            Self::Triangle(corners) => Self::Triangle(corners.map(|corner| corner * by)),
            Self::Hull(points) => Self::Hull(points.iter().map(|&point| point * by).collect()),
            Self::Mesh(vertices, triangles) => {
                Self::Mesh(vertices.iter().map(|&vertex| vertex * by).collect(), triangles.clone())
            }
            Self::Affine(inner, matrix) => Self::Affine(Box::new(inner.scaled(by)), *matrix),
            Self::Rounded(inner, radius) => Self::Rounded(Box::new(inner.scaled(by)), radius * by),
            Self::Custom(inner) => Self::Custom(Box::new(inner.scaled(by))),
            Self::HalfSpace(normal, offset) => Self::HalfSpace(*normal, offset * by),
            Self::Compound(parts) => {
                let part = |(part, pose): &(Self, Pose)| {
                    (part.scaled(by), Pose::new(pose.translation() * by, pose.rotation()))
                };
                Self::Compound(parts.iter().map(part).collect())
            }
        }
    }

    /// The height along a direction, times its length; `None` for half-spaces, meshes and compounds.
    #[must_use]
    pub fn height(&self, d: DVec3) -> Option<f64> {
        let across = || (d.x * d.x + d.z * d.z).sqrt();
        let most = |points: &[DVec3]| points.iter().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max);
        Some(match self {
            Self::Sphere(radius) => radius * d.length(),
            Self::Cuboid(half) => half.dot(d.abs()),
            Self::Capsule(radius, half) => radius * d.length() + half * d.y.abs(),
            Self::Cylinder(radius, half) => radius * across() + half * d.y.abs(),
            Self::Cone(radius, half) => (half * d.y).max(radius * across() - half * d.y),
            Self::Ellipsoid(radii) => (*radii * d).length(),
            Self::Segment(ends) => most(ends),
            Self::Triangle(corners) => most(corners),
            Self::Hull(points) => most(points),
            Self::Affine(inner, matrix) => inner.height(matrix.transpose() * d)?,
            Self::Rounded(inner, radius) => inner.height(d)? + radius * d.length(),
            Self::Custom(inner) => inner.height(d)?,
            Self::HalfSpace(..) | Self::Mesh(..) | Self::Compound(_) => return None,
        })
    }

    /// The points of whose hull the shape consists, if it is a polytope.
    #[must_use]
    pub fn points(&self) -> Option<Vec<DVec3>> {
        Some(match self {
            Self::Sphere(radius) if *radius == 0.0 => vec![DVec3::ZERO],
            Self::Cuboid(half) => crate::models::cuboid(*half),
            Self::Segment(ends) => ends.to_vec(),
            Self::Triangle(corners) => corners.to_vec(),
            Self::Hull(points) => points.clone(),
            // The image of a point rounds, so only maps that exchange coordinates are exact.
            Self::Affine(inner, matrix) if *matrix == DMat3::IDENTITY => inner.points()?,
            Self::Rounded(inner, radius) if *radius == 0.0 => inner.points()?,
            Self::Custom(inner) => inner.points()?,
            _ => return None,
        })
    }
}

/// A shape that hides all optional data: no vertex numbers, no curvature, no bounds of its own.
#[derive(Debug)]
struct Veiled(Shape);

impl Veiled {
    fn inner(&self) -> &dyn Convex {
        self.0.convex().expect("only convex shapes are veiled")
    }
}

impl Convex for Veiled {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.inner().support(direction)
    }

    fn radius(&self) -> f64 {
        self.inner().radius()
    }
}

/// The JSON of the file formats. Numbers are the same bits.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |points: &[DVec3]| points.iter().map(|p| v(*p)).collect::<Vec<_>>().join(",");
        match self {
            Self::Sphere(radius) if *radius == 0.0 => write!(f, r#"{{"point":{{}}}}"#),
            Self::Sphere(radius) => write!(f, r#"{{"sphere":{{"radius":{radius:?}}}}}"#),
            Self::Cuboid(half) => write!(f, r#"{{"cuboid":{{"half_extents":{}}}}}"#, v(*half)),
            Self::Capsule(radius, half) | Self::Cylinder(radius, half) | Self::Cone(radius, half) => {
                write!(f, r#"{{"{}":{{"radius":{radius:?},"half_height":{half:?}}}}}"#, self.kind())
            }
            Self::Ellipsoid(radii) => write!(f, r#"{{"ellipsoid":{{"radii":{}}}}}"#, v(*radii)),
            Self::Segment([a, b]) => write!(f, r#"{{"segment":{{"a":{},"b":{}}}}}"#, v(*a), v(*b)),
            Self::Triangle([a, b, c]) => {
                write!(f, r#"{{"triangle":{{"a":{},"b":{},"c":{}}}}}"#, v(*a), v(*b), v(*c))
            }
            Self::Hull(points) => write!(f, r#"{{"hull":{{"points":[{}]}}}}"#, list(points)),
            Self::Mesh(vertices, triangles) => {
                let corners: Vec<String> = triangles.iter().map(|corners| format!("{corners:?}")).collect();
                write!(f, r#"{{"mesh":{{"vertices":[{}],"triangles":[{}]}}}}"#, list(vertices), corners.join(","))
            }
            Self::Affine(inner, matrix) => {
                let rows = [matrix.row(0), matrix.row(1), matrix.row(2)];
                write!(f, r#"{{"affine":{{"shape":{inner},"matrix":[{}]}}}}"#, list(&rows))
            }
            Self::Rounded(inner, radius) => write!(f, r#"{{"rounded":{{"shape":{inner},"radius":{radius:?}}}}}"#),
            // Files have no custom shapes; the set of points is the same.
            Self::Custom(inner) => write!(f, "{inner}"),
            Self::HalfSpace(normal, offset) => {
                write!(f, r#"{{"half_space":{{"normal":{},"offset":{offset:?}}}}}"#, v(*normal))
            }
            Self::Compound(parts) => {
                let part = |(part, pose): &(Self, Pose)| format!(r#"{{"shape":{part},"pose":{}}}"#, pose_json(pose));
                write!(f, r#"{{"compound":[{}]}}"#, parts.iter().map(part).collect::<Vec<_>>().join(","))
            }
        }
    }
}

fn v(vector: DVec3) -> String {
    format!("[{:?},{:?},{:?}]", vector.x, vector.y, vector.z)
}

/// The pose in the file formats.
#[must_use]
pub fn pose_json(pose: &Pose) -> String {
    let q = pose.rotation();
    let translation = v(pose.translation());
    format!(r#"{{"translation":{translation},"rotation":[{:?},{:?},{:?},{:?}]}}"#, q.x, q.y, q.z, q.w)
}

/// A line for `clearance query`.
#[must_use]
pub fn query_line(a: &Spec, pose_a: &Pose, b: &Spec, pose_b: &Pose) -> String {
    let (at_a, at_b) = (pose_json(pose_a), pose_json(pose_b));
    format!(r#"{{"query":"distance","a":{a},"pose_a":{at_a},"b":{b},"pose_b":{at_b}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, random};

    /// One of each kind that has a height.
    fn each() -> Vec<Spec> {
        let [a, b, c] = [DVec3::new(1.0, 2.0, -0.5), DVec3::new(-0.5, 0.25, 1.0), DVec3::new(0.0, -1.0, 3.0)];
        let shear = DMat3::from_cols(a, b, c);
        vec![
            Spec::Sphere(0.0),
            Spec::Sphere(0.5),
            Spec::Cuboid(a.abs()),
            Spec::Capsule(0.5, 2.0),
            Spec::Cylinder(0.5, 2.0),
            Spec::Cone(0.5, 2.0),
            Spec::Ellipsoid(a.abs()),
            Spec::Segment([a, b]),
            Spec::Triangle([a, b, c]),
            Spec::Hull(vec![a, b, c, -a - c]),
            Spec::Affine(Box::new(Spec::Capsule(0.5, 2.0)), shear),
            Spec::Rounded(Box::new(Spec::Cone(0.5, 2.0)), 0.25),
            Spec::Custom(Box::new(Spec::Cylinder(0.5, 2.0))),
        ]
    }

    #[test]
    fn heights_agree_with_the_support_points_of_the_library() {
        let mut rng = Rng::with_seed(71);
        for spec in each() {
            let shape = spec.build();
            let core = shape.convex().expect("convex");
            for scale in [1.0, 4.0] {
                let bigger = spec.scaled(scale);
                for _ in 0..500 {
                    let d = random::direction(&mut rng);
                    let found = core.support(d).dot(d) + core.radius();
                    let height = bigger.height(d).expect("a height") / scale;
                    assert!((found - height).abs() < 1e-14 * 10.0, "{spec}: {found} but {height}");
                }
            }
        }
    }
}
