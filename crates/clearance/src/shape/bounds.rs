//! Boxes around placed shapes: what a world computes for every body that has moved, in every frame.
//!
//! The k-th row of a rotation matrix is the k-th axis of the world in the frame of the shape, so a shape reaches from
//! `t_k - h(-r_k)` to `t_k + h(r_k)` along it, h being its support height. A polytope of few vertices finds all six heights in one
//! pass over them, a box needs three dot products.

use super::{Convex, Cuboid, MeshHull, Shape};
use crate::math::rounding::{COMPOSED, OF_BOXES};
use crate::math::{Aabb, Frame, Pose, Span, span_by_heights};
use glam::{DMat3, DVec3};

impl Shape {
    /// A box around the shape at a pose; everything for a half-space.
    ///
    /// All points of the shape are in it, whatever rounding does, and it is larger than the smallest such box by no more than
    /// rounding.
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            // A ball needs no rotation.
            Self::Sphere(sphere) => around_ball(pose.translation(), sphere.radius()),
            Self::HalfSpace(_) => Aabb::EVERYTHING,
            Self::Compound(compound) => {
                let boxes = compound.parts().iter().map(|part| {
                    // The rounding error of composed poses is bounded by their inputs: in the result, numbers may have cancelled.
                    let far =
                        pose.translation().length() + part.pose.translation().length() + part.shape.bounding_radius();
                    part.shape.aabb(&(*pose * part.pose)).grown(COMPOSED * far + part.slack())
                });
                boxes.fold(Aabb::EMPTY, |all, one| all.merged(&one))
            }
            _ => self.aabb_in(&Frame::from(*pose)).unwrap_or(Aabb::EVERYTHING),
        }
    }

    /// The box around a shape as it is placed in a frame, to the rounding of the frame's own numbers; none for half-spaces and compounds.
    pub(crate) fn aabb_in(&self, frame: &Frame) -> Option<Aabb> {
        Some(match self {
            Self::Polytope(polytope) => {
                around(frame, |turn| (polytope.span(turn), 0.0), polytope.bounding_radius(), 0.0)
            }
            Self::Cuboid(cuboid) => cuboid.aabb_in(frame),
            Self::Sphere(sphere) => around_ball(frame.translation, sphere.radius()),
            Self::Mesh(mesh) => around_core(frame, &MeshHull(mesh)),
            Self::Segment(core) => around_core(frame, core),
            Self::Triangle(core) => around_core(frame, core),
            Self::Cylinder(core) => around_core(frame, core),
            Self::Cone(core) => around_core(frame, core),
            Self::Ellipsoid(core) => around_core(frame, core),
            Self::Affine(core) => around_core(frame, &**core),
            Self::Rounded(core) => around_core(frame, &**core),
            Self::Custom(core) => around_core(frame, &**core),
            Self::HalfSpace(_) | Self::Compound(_) => return None,
        })
    }

    /// A box around the shape that may be larger by a millionth of it: a polytope of few vertices is scanned in single precision, which
    /// takes half the time. For broad phases, which only filter.
    ///
    /// It is put where it belongs: copying right after that what was written in parts is a
    /// store-to-load forwarding stall.
    #[inline(always)]
    pub(crate) fn put_loose_aabb(&self, pose: &Pose, bounds: &mut Aabb) {
        match self {
            Self::Polytope(polytope) => {
                *bounds = around(
                    &Frame::from(*pose),
                    #[inline(always)]
                    |turn| polytope.loose_span(turn),
                    polytope.bounding_radius(),
                    0.0,
                );
            }
            _ => *bounds = self.aabb(pose),
        }
    }
}

/// The box of what spans so much along the rows of the rotation, give or take a part of its bounding radius.
#[inline(always)]
fn around(frame: &Frame, span: impl FnOnce(&DMat3) -> (Span, f64), bounding_radius: f64, radius: f64) -> Aabb {
    let Frame { rotation, translation } = *frame;
    let ([low, high], looseness) = span(&rotation);
    let rounding = OF_BOXES * (bounding_radius + radius + translation.abs().element_sum()) + f64::MIN_POSITIVE;
    let slack = rounding + looseness * bounding_radius;
    Aabb { min: low + translation, max: high + translation }.grown(radius + slack)
}

fn around_ball(center: DVec3, radius: f64) -> Aabb {
    let slack = OF_BOXES * (radius + center.abs().element_sum()) + f64::MIN_POSITIVE;
    Aabb { min: center, max: center }.grown(radius + slack)
}

#[inline(never)]
fn around_core(frame: &Frame, core: &dyn Convex) -> Aabb {
    let height = |direction: DVec3| core.height(direction);
    let span = |turn: &DMat3| (span_by_heights(turn, height), 0.0);
    let bounds = around(frame, span, core.bounding_radius(), core.radius() + core.slack());
    // A custom shape may have heights that are NaN: then it may be anywhere.
    if bounds.min.cmple(bounds.max).all() { bounds } else { Aabb::EVERYTHING }
}

impl Cuboid {
    /// A box around it, as that of a shape.
    #[inline(always)]
    pub(crate) fn aabb_in(&self, frame: &Frame) -> Aabb {
        around(
            frame,
            #[inline(always)]
            |turn| (self.span(turn), 0.0),
            self.bounding_radius(),
            0.0,
        )
    }

    #[inline(always)]
    fn span(&self, turn: &DMat3) -> Span {
        let h = self.half_extents();
        let high = turn.x_axis.abs() * h.x + turn.y_axis.abs() * h.y + turn.z_axis.abs() * h.z;
        [-high, high]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn boxes_hold_their_shapes_and_are_tight() {
        let mut rng = fastrand::Rng::with_seed(51);
        let mut number = |size: f64| size * (2.0 * rng.f64() - 1.0);
        for round in 0..400 {
            let scale = 10.0_f64.powi([-50, -6, -3, 0, 1, 6, 40][round as usize % 7]);
            let mut vector = |size: f64| DVec3::new(number(size), number(size), number(size));
            let count = [1, 2, 3, 8, 20, 31, 33, 200][round as usize % 8];
            let points: Vec<DVec3> = (0..count).map(|_| vector(scale)).collect();
            let half = vector(scale).abs();
            let rotation = DQuat::from_xyzw(number(1.0), number(1.0), number(1.0), number(1.0));
            let mut vector = |size: f64| DVec3::new(number(size), number(size), number(size));
            let far = [0.0, 1.0, 1e6][round as usize % 3] * scale;
            let pose = Pose::new(vector(far), rotation);
            let corner = |i: u32| half * DVec3::from_array([0, 1, 2].map(|bit| f64::from(i >> bit & 1) * 2.0 - 1.0));
            let cases = [
                (Shape::hull(&points).unwrap(), points.clone()),
                (Shape::cuboid(half).unwrap(), (0..8).map(corner).collect()),
            ];
            for (shape, points) in cases {
                let bounds = shape.aabb(&pose);
                let placed = Aabb::of_points(points.iter().map(|&point| pose.transform_point(point)));
                let slack = 64.0 * f64::EPSILON * (shape.bounding_radius() + 2.0 * far) + 1e-300;
                assert!(bounds.min.cmple(placed.min).all() && placed.max.cmple(bounds.max).all(), "{}", shape.kind());
                assert!((placed.min - bounds.min).max_element() <= slack, "{}", shape.kind());
                assert!((bounds.max - placed.max).max_element() <= slack, "{}", shape.kind());
                let mut loose = Aabb::EMPTY;
                shape.put_loose_aabb(&pose, &mut loose);
                assert!(loose.min.cmple(bounds.min).all() && bounds.max.cmple(loose.max).all(), "{}", shape.kind());
                assert!((bounds.min - loose.min).max_element() <= 2e-6 * shape.bounding_radius() + slack);
            }
        }
    }

    #[test]
    fn a_shape_without_numbers_may_be_anywhere() {
        #[derive(Debug)]
        struct Broken;
        impl Convex for Broken {
            fn support(&self, direction: DVec3) -> DVec3 {
                if direction.x > 0.9 { DVec3::NAN } else { DVec3::ZERO }
            }
            fn bounding_radius(&self) -> f64 {
                1.0
            }
            fn center(&self) -> DVec3 {
                DVec3::ZERO
            }
        }
        let shape = Shape::custom(Broken).unwrap();
        assert_eq!(shape.aabb(&Pose::IDENTITY), Aabb::EVERYTHING);
    }
}
