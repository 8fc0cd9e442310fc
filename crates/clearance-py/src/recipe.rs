//! How a shape was made: for `pickle`, `repr` and evidence, which are about the numbers that were given.

use crate::shape::{Refusal, Shape};
use clearance::Pose;
use clearance_verify as verify;

/// The arguments of a constructor. A mesh keeps its own.
#[derive(Debug)]
pub enum Recipe {
    Point,
    Sphere { radius: f64 },
    Box { half_extents: [f64; 3] },
    Capsule { ends: [[f64; 3]; 2], radius: f64 },
    Cylinder { axis: char, radius: f64, half_length: f64 },
    Cone { axis: char, radius: f64, half_length: f64 },
    Ellipsoid { radii: [f64; 3] },
    Segment { ends: [[f64; 3]; 2] },
    Triangle { corners: [[f64; 3]; 3] },
    Hull { points: Vec<[f64; 3]> },
    HalfSpace { normal: [f64; 3], offset: f64 },
    Mesh,
    Transformed { shape: Shape, matrix: [[f64; 3]; 3] },
    Rounded { shape: Shape, radius: f64 },
    Grown { shape: Shape, margin: f64 },
    Compound { parts: Vec<(Shape, Pose)> },
}

/// The rows of the matrix that turns the y axis to another one, as the library exchanges axes.
fn rows_of(axis: char) -> Option<[[f64; 3]; 3]> {
    let axis = match axis {
        'x' => clearance::Axis::X,
        'z' => clearance::Axis::Z,
        _ => return None,
    };
    let cylinder = clearance::Shape::cylinder(axis, clearance::Radius(1.0), clearance::HalfHeight(1.0)).ok()?;
    let clearance::Shape::Affine(turned) = cylinder else { return None };
    let columns = turned.matrix().to_cols_array_2d();
    Some([0, 1, 2].map(|row| [0, 1, 2].map(|column: usize| columns[column][row])))
}

/// A shape for the checker; `None` where it knows no such shape.
pub fn written(shape: &Shape) -> Option<verify::Shape> {
    let affine = |shape, axis| match rows_of(axis) {
        None => shape,
        Some(matrix) => verify::Shape::Affine { shape: Box::new(shape), matrix },
    };
    Some(match &*shape.recipe {
        Recipe::Point => verify::Shape::Point {},
        Recipe::Sphere { radius } => verify::Shape::Sphere { radius: *radius },
        Recipe::Box { half_extents } => verify::Shape::Cuboid { half_extents: *half_extents },
        Recipe::Capsule { ends: [a, b], radius } => {
            verify::Shape::Rounded { shape: Box::new(verify::Shape::Segment { a: *a, b: *b }), radius: *radius }
        }
        Recipe::Cylinder { axis, radius, half_length } => {
            affine(verify::Shape::Cylinder { radius: *radius, half_height: *half_length }, *axis)
        }
        Recipe::Cone { axis, radius, half_length } => {
            affine(verify::Shape::Cone { radius: *radius, half_height: *half_length }, *axis)
        }
        Recipe::Ellipsoid { radii } => verify::Shape::Ellipsoid { radii: *radii },
        Recipe::Segment { ends: [a, b] } => verify::Shape::Segment { a: *a, b: *b },
        Recipe::Triangle { corners: [a, b, c] } => verify::Shape::Triangle { a: *a, b: *b, c: *c },
        Recipe::Hull { points } => verify::Shape::Hull { points: points.clone() },
        Recipe::HalfSpace { normal, offset } => verify::Shape::HalfSpace { normal: *normal, offset: *offset },
        Recipe::Mesh => {
            let mesh = shape.shape.as_mesh()?;
            let vertices = mesh.vertices().iter().map(|vertex| vertex.to_array()).collect();
            verify::Shape::Mesh { vertices, triangles: mesh.triangles().to_vec() }
        }
        Recipe::Transformed { shape, matrix } => {
            verify::Shape::Affine { shape: Box::new(written(shape)?), matrix: *matrix }
        }
        Recipe::Rounded { shape, radius } => {
            verify::Shape::Rounded { shape: Box::new(written(shape)?), radius: *radius }
        }
        Recipe::Grown { shape, margin } => match shape.shape.convex() {
            Some(_) => verify::Shape::Rounded { shape: Box::new(written(shape)?), radius: *margin },
            None => return None,
        },
        Recipe::Compound { parts } => {
            let part = |(shape, pose): &(Shape, Pose)| {
                let pose = clearance::proof::written_pose(pose);
                Some(verify::Part { shape: written(shape)?, pose })
            };
            verify::Shape::Compound(parts.iter().map(part).collect::<Option<_>>()?)
        }
    })
}

/// Shapes of the checker, made anew: the bodies of mesh files come in this form.
pub fn built(shape: verify::Shape) -> Result<Shape, Refusal> {
    use clearance::{Axis, HalfHeight, Radius};
    let (made, recipe) = match shape {
        verify::Shape::Point {} => (clearance::Shape::point(), Recipe::Point),
        verify::Shape::Sphere { radius } => (clearance::Shape::sphere(radius)?, Recipe::Sphere { radius }),
        verify::Shape::Cuboid { half_extents } => {
            (clearance::Shape::cuboid(half_extents)?, Recipe::Box { half_extents })
        }
        verify::Shape::Capsule { radius, half_height } => {
            let ends = [[0.0, -half_height, 0.0], [0.0, half_height, 0.0]];
            (clearance::Shape::capsule_between(ends[0], ends[1], Radius(radius))?, Recipe::Capsule { ends, radius })
        }
        verify::Shape::Cylinder { radius, half_height } => {
            let made = clearance::Shape::cylinder(Axis::Y, Radius(radius), HalfHeight(half_height))?;
            (made, Recipe::Cylinder { axis: 'y', radius, half_length: half_height })
        }
        verify::Shape::Cone { radius, half_height } => {
            let made = clearance::Shape::cone(Axis::Y, Radius(radius), HalfHeight(half_height))?;
            (made, Recipe::Cone { axis: 'y', radius, half_length: half_height })
        }
        verify::Shape::Ellipsoid { radii } => (clearance::Shape::ellipsoid(radii)?, Recipe::Ellipsoid { radii }),
        verify::Shape::Segment { a, b } => (clearance::Shape::segment(a, b)?, Recipe::Segment { ends: [a, b] }),
        verify::Shape::Triangle { a, b, c } => {
            (clearance::Shape::triangle(a, b, c)?, Recipe::Triangle { corners: [a, b, c] })
        }
        verify::Shape::Hull { points } => (clearance::Shape::hull(&points)?, Recipe::Hull { points }),
        verify::Shape::HalfSpace { normal, offset } => {
            (clearance::Shape::half_space(normal, offset)?, Recipe::HalfSpace { normal, offset })
        }
        verify::Shape::Mesh { vertices, triangles } => (clearance::Shape::mesh(&vertices, &triangles)?, Recipe::Mesh),
        verify::Shape::Affine { shape, matrix } => return built(*shape)?.mapped(matrix),
        verify::Shape::Rounded { shape, radius } => return built(*shape)?.rounded_by(radius),
        verify::Shape::Compound(parts) => {
            let part = |part: verify::Part| {
                let [x, y, z] = part.pose.translation;
                let [a, b, c, d] = part.pose.rotation;
                Ok((built(part.shape)?, Pose::from_array([x, y, z, a, b, c, d])?))
            };
            return Shape::union(parts.into_iter().map(part).collect::<Result<_, Refusal>>()?);
        }
    };
    Ok(Shape::new(made, recipe))
}
