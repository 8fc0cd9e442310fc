//! Shapes made of another convex shape: its affine image, and its rounding.

use super::form::Form;
use super::{Branch, Cap, Convex, Curvature, Feature, NO_VERTEX, Patch, Shape, SupportPoint, Symmetry};
use crate::error::{self, BuildError};
use glam::{DMat3, DVec3};

/// Nested affine images and roundings, at most. Limit: every query goes through all of them, on the stack.
const MAX_LEVELS: usize = 256;

/// How many levels a shape has that is made of this one.
fn one_more_level(shape: &Shape) -> Result<usize, BuildError> {
    let levels = match shape {
        Shape::Affine(inner) => inner.levels,
        Shape::Rounded(inner) => inner.levels,
        Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::Polytope(_) => 0,
        Shape::Custom(_) | Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::Compound(_) => 0,
    };
    if levels < MAX_LEVELS {
        return Ok(levels + 1);
    }
    Err(BuildError::TooMany {
        field: "the chain of affine and rounded shapes".into(),
        len: levels + 1,
        max: MAX_LEVELS,
    })
}

/// The image of a convex shape under a linear map: scaled, sheared, mirrored, or flattened.
#[derive(Debug, Clone)]
pub struct Affine {
    shape: Shape,
    matrix: DMat3,
    transpose: DMat3,
    bounding_radius: f64,
    slack: f64,
    levels: usize,
    /// The factor of a map that turns, mirrors and scales, and does nothing else, to rounding; zero for others.
    similarity: f64,
    /// Does the map exchange and mirror axes, and do nothing else, to a shape without a rounding? Then nothing is rounded, and the image
    /// is as good as a shape of its own.
    is_exact: bool,
}

impl Affine {
    pub(super) fn new(shape: Shape, matrix: DMat3) -> Result<Self, BuildError> {
        error::matrix(matrix)?;
        let levels = one_more_level(&shape)?;
        let [size, radius, inner_slack] = shape
            .convex()
            .map_or([0.0; 3], |core| [core.bounding_radius() + core.radius(), core.radius(), core.slack()]);
        let is_exact = radius == 0.0 && exchanges_axes(matrix);
        let (stretch, norm) = if is_exact { (1.0, 0.0) } else { (stretch(matrix), frobenius(matrix)) };
        // A product of the matrix and a vector is off by 1.5 ε of the norm times the vector. That holds for the direction on the way in,
        // which costs twice as much height, and for the point afterwards; a ball inside takes 3 ε more. The rest is for the
        // symmetry that is claimed: it holds to 8 ε.
        let slack = 16.0 * f64::EPSILON * norm * size + stretch * inner_slack;
        let bounding_radius = if is_exact {
            size
        } else {
            error::coordinate(|| "the size of the affine image".into(), stretch * size + slack)?
        };
        let transpose = matrix.transpose();
        let similarity = if is_exact { 1.0 } else { similarity(matrix) };
        Ok(Self { shape, matrix, transpose, bounding_radius, slack, levels, similarity, is_exact })
    }

    /// The shape that is mapped.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The matrix that maps it.
    #[must_use]
    pub fn matrix(&self) -> DMat3 {
        self.matrix
    }

    fn inner(&self) -> &dyn Convex {
        self.shape.convex().expect("checked when the affine image was built")
    }
}

impl Convex for Affine {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support_vertex(direction).point
    }

    fn center(&self) -> DVec3 {
        self.matrix * self.inner().center()
    }

    fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    fn slack(&self) -> f64 {
        self.slack
    }

    // Theorem 1 of paper [GJK]: the support point of the image is T(s(B^T v)).
    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let inner = self.inner();
        let direction = self.transpose * direction;
        let SupportPoint { mut point, mut vertex } = inner.support_vertex(direction);
        let radius = inner.radius();
        if radius > 0.0 {
            // The image of a ball is no ball, so the rounding has to become part of the core here.
            point += direction.normalize_or_zero() * radius;
            vertex = NO_VERTEX;
        }
        SupportPoint { point: self.matrix * point, vertex }
    }

    fn is_curved(&self) -> bool {
        let inner = self.inner();
        inner.is_curved() || inner.radius() > 0.0
    }

    // h(d) = h'(T^T d), so s = T s'(T^T d) and H = T H'(T^T d) T^T; H' falls off with the length of its argument, and a
    // ball of radius r adds r (1 - u u^T) to it.
    fn patch(&self, direction: DVec3, across: [DVec3; 2]) -> Patch {
        let inner = self.inner();
        let mapped = self.transpose * direction;
        if self.is_exact {
            let image = |branch: Branch| Branch { point: self.matrix * branch.point, ..branch };
            let Patch { branch, rival } = inner.patch(mapped, across.map(|v| self.transpose * v));
            return Patch { branch: image(branch), rival: rival.map(image) };
        }
        let inverse = mapped.length_recip();
        if !inverse.is_finite() {
            return Patch::vertex(self.support(direction));
        }
        let (u, radius) = (mapped * inverse, inner.radius());
        let [x, y] = across.map(|v| self.transpose * v);
        let (ux, uy) = (u.dot(x), u.dot(y));
        let image = |Branch { point, curvature: Curvature { xx, xy, yy } }| Branch {
            point: self.matrix * (point + u * radius),
            curvature: Curvature {
                xx: inverse * (xx + radius * (x.dot(x) - ux * ux)),
                xy: inverse * (xy + radius * (x.dot(y) - ux * uy)),
                yy: inverse * (yy + radius * (y.dot(y) - uy * uy)),
            },
        };
        let Patch { branch, rival } = inner.patch(u, [x, y]);
        Patch { branch: image(branch), rival: rival.map(image) }
    }

    fn form(&self) -> Option<Form> {
        self.inner().form()?.mapped(self.matrix, self.inner().radius())
    }

    fn symmetry(&self) -> Symmetry {
        let axis = |point: DVec3, direction: DVec3| {
            if self.is_exact {
                return Symmetry::Axis { point: self.matrix * point, direction: self.matrix * direction };
            }
            let image = (self.matrix * direction).try_normalize();
            match image.filter(|_| keeps_circles(self.matrix, direction)) {
                Some(direction) => Symmetry::Axis { point: self.matrix * point, direction },
                None => Symmetry::None,
            }
        };
        match self.inner().symmetry() {
            Symmetry::Ball { center } if self.similarity > 0.0 => Symmetry::Ball { center: self.matrix * center },
            // A ball may be stretched along any line; these are the likely ones.
            Symmetry::Ball { center } => {
                let found = [DVec3::X, DVec3::Y, DVec3::Z].map(|direction| axis(center, direction));
                found.into_iter().find(|symmetry| *symmetry != Symmetry::None).unwrap_or(Symmetry::None)
            }
            Symmetry::Axis { point, direction } => axis(point, direction),
            Symmetry::None => Symmetry::None,
        }
    }

    fn curvature_inradius(&self) -> f64 {
        self.similarity * (self.inner().curvature_inradius() + self.inner().radius())
    }

    // On a great circle through d the second derivative is K² r / |T^T d|³. K is the same all along the circle, and r is the second
    // derivative of the inner shape along the image of the circle, which is one too.
    fn curvature_range(&self, direction: DVec3, [sin, cos]: [f64; 2]) -> [f64; 2] {
        let inner = self.inner();
        let mapped = self.transpose * direction;
        if self.is_exact {
            return inner.curvature_range(mapped, [sin, cos]);
        }
        let length = mapped.length();
        let most = frobenius(self.matrix);
        // How far the image of the direction can turn.
        let (opposite, adjacent) = (most * sin, length * cos - most * sin);
        if !(adjacent > opposite) {
            return [0.0, f64::INFINITY];
        }
        let inverse = 1.0 / opposite.hypot(adjacent);
        let [k, most_k] = inner.curvature_range(mapped / length, [opposite * inverse, adjacent * inverse]);
        let [least, greatest] = super::round::range(length, most, [sin, cos]);
        [least * k, greatest * most_k]
    }

    // The image of a disc is none, unless axes are only exchanged.
    fn cap(&self, direction: DVec3) -> Option<Cap> {
        let inner = self.is_exact.then(|| self.inner())?;
        let Cap { center, normal, radius } = inner.cap(self.transpose * direction)?;
        Some(Cap { center: self.matrix * center, normal: self.matrix * normal, radius })
    }

    fn inner_radius(&self) -> f64 {
        if self.is_exact { self.inner().inner_radius() } else { 0.0 }
    }

    fn semi_axes(&self) -> DVec3 {
        if self.is_exact { (self.matrix * self.inner().semi_axes()).abs() } else { DVec3::splat(self.bounding_radius) }
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        let inner = self.inner();
        if inner.radius() > 0.0 { None } else { inner.vertex(vertex).map(|point| self.matrix * point) }
    }

    fn feature(&self, vertices: &[u32]) -> Feature {
        let inner = self.inner();
        if inner.radius() > 0.0 { Feature::Surface } else { inner.feature(vertices) }
    }
}

/// Is every axis the image of one, or of its opposite? Products with such a matrix are not rounded.
fn exchanges_axes(matrix: DMat3) -> bool {
    let images = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(DVec3::abs);
    [DVec3::X, DVec3::Y, DVec3::Z].iter().all(|axis| images.contains(axis))
}

/// The root of the sum of all squares: it bounds what rounding does to a product with the matrix.
fn frobenius(matrix: DMat3) -> f64 {
    matrix.to_cols_array().into_iter().fold(0.0, |norm: f64, x| norm.hypot(x))
}

/// A bound on how much a matrix can lengthen a vector, at most 0.02 % above the least one: of images of images it is taken many times.
///
/// That is the root of the largest eigenvalue of M^T M. The eigenvalues of a power of that are the powers, and the Frobenius norm is
/// between the largest and √3 of it. For the 2048th power, it is at most 1.0002 times the least bound to the 4096th.
fn stretch(matrix: DMat3) -> f64 {
    let norm = frobenius(matrix);
    // Too small to be divided by: no power of two is lost that a bound would need.
    if norm < 1e-280 {
        return norm;
    }
    let unit = matrix * (1.0 / norm);
    let mut power = unit.transpose() * unit;
    let norms = [(); 12].map(|()| {
        let norm = frobenius(power);
        power *= 1.0 / norm;
        power *= power;
        norm
    });
    let bound = norms.iter().rev().fold(1.0, |bound: f64, norm| norm * bound.sqrt()).sqrt();
    // The squares keep a relative error of a few ε each, and the roots make it smaller.
    (norm * bound * (1.0 + 1e-12)).min(norm * (1.0 + 16.0 * f64::EPSILON))
}

/// The factor by which a matrix lengthens every vector alike, if it does.
fn similarity(matrix: DMat3) -> f64 {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let square = (x.dot(x) + y.dot(y) + z.dot(z)) / 3.0;
    let off = [x.dot(x) - square, y.dot(y) - square, z.dot(z) - square, x.dot(y), y.dot(z), z.dot(x)];
    // A rotation made of a quaternion is off by no more.
    let is_similar = off.iter().all(|off| off.abs() <= 8.0 * f64::EPSILON * square);
    // A rotation matrix of a quaternion is orthogonal to 8 ε, and so is a multiple of it.
    if is_similar { square.sqrt() * (1.0 - 8.0 * f64::EPSILON) } else { 0.0 }
}

/// Does a matrix map circles about a direction to circles about its image, to rounding?
fn keeps_circles(matrix: DMat3, direction: DVec3) -> bool {
    let (x, y) = direction.any_orthonormal_pair();
    let [along, x, y] = [direction, x, y].map(|v| matrix * v);
    // As lengths: the difference of the squares of two short ones says little.
    let [length, x_length, y_length] = [along, x, y].map(DVec3::length);
    let wide = x_length.max(y_length);
    // As for the similarity: columns of a rotated matrix are orthogonal to 8 ε of their lengths.
    let little = 8.0 * f64::EPSILON * length.max(wide);
    (x_length - y_length).abs() <= little
        && x.dot(y).abs() <= little * wide
        && x.dot(along).abs().max(y.dot(along).abs()) <= little * length
}

/// A convex shape and everything within a radius of it.
#[derive(Debug, Clone)]
pub struct Rounded {
    shape: Shape,
    radius: f64,
    slack: f64,
    levels: usize,
}

impl Rounded {
    pub(super) fn new(shape: Shape, radius: f64) -> Result<Self, BuildError> {
        let levels = one_more_level(&shape)?;
        let [inner, inner_slack] = shape.convex().map_or([0.0; 2], |core| [core.radius(), core.slack()]);
        let sum = error::size(|| "radius".into(), radius)? + inner;
        let radius = error::size(|| "the sum of the radii".into(), sum)?;
        // A sum is rounded by half of that; one with nothing is not.
        let rounded = if inner > 0.0 { f64::EPSILON * radius } else { 0.0 };
        Ok(Self { shape, radius, slack: inner_slack + rounded, levels })
    }

    /// The shape inside.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    fn inner(&self) -> &dyn Convex {
        self.shape.convex().expect("checked when the rounded shape was built")
    }
}

impl Convex for Rounded {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.inner().support(direction)
    }

    fn radius(&self) -> f64 {
        self.radius
    }

    fn center(&self) -> DVec3 {
        self.inner().center()
    }

    fn bounding_radius(&self) -> f64 {
        self.inner().bounding_radius()
    }

    fn slack(&self) -> f64 {
        self.slack
    }

    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        self.inner().support_vertex(direction)
    }

    fn is_curved(&self) -> bool {
        self.inner().is_curved()
    }

    fn patch(&self, direction: DVec3, across: [DVec3; 2]) -> Patch {
        self.inner().patch(direction, across)
    }

    fn curvature_range(&self, direction: DVec3, angle: [f64; 2]) -> [f64; 2] {
        self.inner().curvature_range(direction, angle)
    }

    fn form(&self) -> Option<Form> {
        self.inner().form()
    }

    fn symmetry(&self) -> Symmetry {
        self.inner().symmetry()
    }

    fn curvature_inradius(&self) -> f64 {
        self.inner().curvature_inradius()
    }

    fn cap(&self, direction: DVec3) -> Option<Cap> {
        self.inner().cap(direction)
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        self.inner().vertex(vertex)
    }

    fn feature(&self, vertices: &[u32]) -> Feature {
        self.inner().feature(vertices)
    }
}
