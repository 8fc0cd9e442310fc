//! The calls of parry in either precision: compiled twice, for the crate that the parent module calls `parry`.

#![allow(clippy::unnecessary_cast)] // `as Real` is needed in one precision only

use super::parry;
use crate::timing::Pass;
use crate::workloads::{Model, QueryKind, Row};
use parry::math::{Pose, Real, Rotation, Vector};
use parry::query::gjk::{GJKResult, VoronoiSimplex};
use parry::query::{self, ClosestPoints, Contact};
use parry::shape::{Ball, Capsule, Compound, Cone, ConvexPolyhedron, Cuboid, Cylinder, Shape, SharedShape, SupportMap};
use std::hint::black_box;

/// A pass over a row that leaves one number per query: a distance (zero for an overlap), minus the depth for a depth query, or 1 for yes.
pub fn pass<'a>(row: &'a Row, out: &'a mut [f64]) -> Pass<'a> {
    let scene = &*row.scene;
    let poses: Vec<(usize, Pose, usize, Pose)> =
        scene.queries.iter().map(|q| (q.a, pose(&q.pose_a), q.b, pose(&q.pose_b))).collect();
    if matches!(scene.shapes[0], Model::Ellipsoid { .. }) {
        return ellipsoids(row, poses, out);
    }
    let shapes: Vec<Box<dyn Shape>> = scene.shapes.iter().map(shape).collect();
    match row.kind {
        QueryKind::Distance => Box::new(move || {
            for ((a, pose_a, b, pose_b), out) in poses.iter().zip(&mut *out) {
                let found = query::closest_points(pose_a, &*shapes[*a], pose_b, &*shapes[*b], Real::MAX);
                let found = found.expect("a supported pair");
                black_box(&found);
                *out = length(found);
            }
        }),
        QueryKind::WarmDistance => {
            // The documented way to warm parry's search: its first direction, and a simplex to reuse.
            let hulls: Vec<ConvexPolyhedron> = scene.shapes.iter().map(hull).collect();
            Box::new(move || {
                let mut simplex = VoronoiSimplex::new();
                let mut direction = None;
                for (index, ((a, pose_a, b, pose_b), out)) in poses.iter().zip(&mut *out).enumerate() {
                    if index % scene.track == 0 {
                        direction = None;
                    }
                    let found = query::details::closest_points_support_map_support_map_with_params(
                        &pose_a.inv_mul(pose_b),
                        &hulls[*a],
                        &hulls[*b],
                        Real::MAX,
                        &mut simplex,
                        direction,
                    );
                    if let GJKResult::ClosestPoints(point_a, point_b, toward) = found {
                        direction = Some(toward);
                        let (point_a, point_b) = (*pose_a * point_a, *pose_a * point_b);
                        black_box(&(point_a, point_b));
                        *out = (point_a - point_b).length() as f64;
                    } else {
                        direction = None;
                        *out = f64::NAN;
                    }
                }
            })
        }
        // parry keeps no cache for intersection tests.
        QueryKind::Intersects | QueryKind::WarmIntersects => Box::new(move || {
            for ((a, pose_a, b, pose_b), out) in poses.iter().zip(&mut *out) {
                let found = query::intersection_test(pose_a, &*shapes[*a], pose_b, &*shapes[*b]);
                *out = f64::from(u8::from(black_box(found.expect("a supported pair").intersecting)));
            }
        }),
        QueryKind::Depth => Box::new(move || {
            for ((a, pose_a, b, pose_b), out) in poses.iter().zip(&mut *out) {
                let found = query::contact(pose_a, &*shapes[*a], pose_b, &*shapes[*b], 0.0);
                let found = found.expect("a supported pair");
                black_box(&found);
                *out = signed(found);
            }
        }),
    }
}

/// parry has no ellipsoid, but takes a custom support map.
struct Ellipsoid {
    squares: Vector,
}

impl SupportMap for Ellipsoid {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let stretched = direction * self.squares;
        let square = stretched.dot(direction);
        if square > 0.0 { stretched / square.sqrt() } else { Vector::ZERO }
    }
}

fn ellipsoids<'a>(row: &'a Row, poses: Vec<(usize, Pose, usize, Pose)>, out: &'a mut [f64]) -> Pass<'a> {
    let shapes: Vec<Ellipsoid> = row
        .scene
        .shapes
        .iter()
        .map(|model| match model {
            Model::Ellipsoid { radii } => Ellipsoid { squares: vector(*radii * *radii) },
            _ => panic!("ellipsoids meet ellipsoids only"),
        })
        .collect();
    if row.kind == QueryKind::Intersects {
        return Box::new(move || {
            for ((a, pose_a, b, pose_b), out) in poses.iter().zip(&mut *out) {
                let b_in_a = pose_a.inv_mul(pose_b);
                let found =
                    query::details::intersection_test_support_map_support_map(&b_in_a, &shapes[*a], &shapes[*b]);
                *out = f64::from(u8::from(black_box(found)));
            }
        });
    }
    if row.kind == QueryKind::Depth {
        return Box::new(move || {
            for ((a, pose_a, b, pose_b), out) in poses.iter().zip(&mut *out) {
                let b_in_a = pose_a.inv_mul(pose_b);
                let found = query::details::contact_support_map_support_map(&b_in_a, &shapes[*a], &shapes[*b], 0.0);
                let found = found.map(|mut contact| {
                    contact.transform_by_mut(pose_a, pose_b);
                    contact
                });
                black_box(&found);
                *out = signed(found);
            }
        });
    }
    Box::new(move || {
        for ((a, pose_a, b, pose_b), out) in poses.iter().zip(&mut *out) {
            let b_in_a = pose_a.inv_mul(pose_b);
            let found =
                query::details::closest_points_support_map_support_map(&b_in_a, &shapes[*a], &shapes[*b], Real::MAX);
            let found = found.transform_by(pose_a, pose_b);
            black_box(&found);
            *out = length(found);
        }
    })
}

fn length(found: ClosestPoints) -> f64 {
    match found {
        ClosestPoints::WithinMargin(point_a, point_b) => (point_a - point_b).length() as f64,
        ClosestPoints::Intersecting => 0.0,
        ClosestPoints::Disjoint => f64::NAN,
    }
}

/// Minus the depth; NaN if parry has no contact for shapes that overlap.
fn signed(found: Option<Contact>) -> f64 {
    found.map_or(f64::NAN, |contact| contact.dist as f64)
}

fn vector(v: clearance::math::DVec3) -> Vector {
    Vector::new(v.x as Real, v.y as Real, v.z as Real)
}

fn pose(pose: &clearance::Pose) -> Pose {
    let q = pose.rotation();
    let rotation = Rotation::from_xyzw(q.x as Real, q.y as Real, q.z as Real, q.w as Real);
    Pose::from_parts(vector(pose.translation()), rotation.normalize())
}

fn shape(model: &Model) -> Box<dyn Shape> {
    match *model {
        Model::Sphere { radius } => Box::new(Ball::new(radius as Real)),
        Model::Cuboid { half_extents } => Box::new(Cuboid::new(vector(half_extents))),
        Model::Capsule { radius, half_height } => Box::new(Capsule::new_y(half_height as Real, radius as Real)),
        Model::Cylinder { radius, half_height } => Box::new(Cylinder::new(half_height as Real, radius as Real)),
        Model::Cone { radius, half_height } => Box::new(Cone::new(half_height as Real, radius as Real)),
        Model::Hull { .. } => Box::new(hull(model)),
        Model::Compound { ref parts } => {
            let part = |(part, at): &(Model, clearance::Pose)| (pose(at), SharedShape::new(hull(part)));
            Box::new(Compound::new(parts.iter().map(part).collect()))
        }
        Model::Ellipsoid { .. } => panic!("ellipsoids meet ellipsoids only"),
    }
}

fn hull(model: &Model) -> ConvexPolyhedron {
    let Model::Hull { points } = model else { panic!("only hulls are warmed") };
    let points: Vec<Vector> = points.iter().map(|&point| vector(point)).collect();
    let hull = ConvexPolyhedron::from_convex_hull(&points).expect("parry builds the hull");
    // The same work for all libraries: none drops vertices.
    assert_eq!(hull.points().len(), points.len(), "parry lost vertices of a hull");
    hull
}
