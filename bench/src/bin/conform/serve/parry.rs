//! The calls of parry in either precision: compiled twice, for the crate that the parent module calls `parry`.
//!
//! Gaps are `query::distance`, and depths `query::contact` where that is zero; yes or no is `intersection_test`. Overlaps of meshes and compounds
//! have no depth: parry's contact is that of one triangle or part, and does not claim to be that of the whole. Straight motions are `cast_shapes`,
//! turning ones `cast_shapes_nonlinear`. There is no ellipsoid, no image under a matrix, no hull without volume, and no free fall.

#![allow(clippy::unnecessary_cast)] // `as Real` is needed in one precision only

use super::parry;
use crate::case::is_convex;
use crate::serve::number;
use parry::math::{Pose, Real, Rotation, Vector};
use parry::query::{self, NonlinearRigidMotion, Ray, ShapeCastHit, ShapeCastOptions, ShapeCastStatus};
use parry::shape::{SharedShape, TriMesh};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The reason why there is no answer.
enum No {
    Unsupported(String),
    Error(String),
}

fn unsupported<T>(what: &str) -> Result<T, No> {
    Err(No::Unsupported(what.to_owned()))
}

pub fn answer(line: &str) -> String {
    let answer = match serde_json::from_str(line) {
        Ok(line) => ask(&line).unwrap_or_else(|no| match no {
            No::Unsupported(what) => json!({"unsupported": what}),
            No::Error(what) => json!({"error": what}),
        }),
        Err(error) => json!({"error": error.to_string()}),
    };
    answer.to_string()
}

fn ask(line: &Value) -> Result<Value, No> {
    // A panic while a shape is built refuses it. A panic in a query ends the process, and the driver reports a crash.
    let built = |name: &str| {
        let written = &line[name];
        catch_unwind(AssertUnwindSafe(|| shape(written))).unwrap_or_else(|_| unsupported("it cannot build the shape"))
    };
    let (a, local_a) = built("a")?;
    let placed_a = pose(&line["pose_a"]);
    let pose_a = placed_a * local_a;
    let asked = line["query"].as_str().unwrap_or_default();
    if asked == "cast" && line.get("origin").is_some() {
        let ray = Ray::new(vector(&line["origin"]), direction(line)?);
        let hit = a.cast_ray(&pose_a, &ray, real(&line["max"]), true);
        return Ok(hit.map_or_else(|| json!({"hit": false}), |d| json!({"hit": true, "distance": number(d as f64)})));
    }
    let (b, local_b) = built("b")?;
    let placed_b = pose(&line["pose_b"]);
    let pose_b = placed_b * local_b;
    let lacks = |_| No::Unsupported("it has no such pair".to_owned());
    match asked {
        "intersects" => {
            let found = query::intersection_test(&pose_a, &*a, &pose_b, &*b).map_err(lacks)?;
            Ok(json!({"intersects": found.intersecting}))
        }
        "distance" | "depth" => {
            let gap = query::distance(&pose_a, &*a, &pose_b, &*b).map_err(lacks)?.distance;
            let are_convex = is_convex(&line["a"]) && is_convex(&line["b"]);
            if !are_convex && !(gap > 0.0) {
                return Ok(json!({"intersects": true}));
            }
            if asked == "depth" {
                return unsupported("it has no depth of solids");
            }
            if gap != 0.0 {
                return Ok(json!({"distance": number(gap as f64)}));
            }
            let contact = query::contact(&pose_a, &*a, &pose_b, &*b, 0.0).map_err(lacks)?;
            Ok(contact.map_or_else(
                || json!({"distance": 0}),
                |contact| {
                    let normal = [contact.normal1.x, contact.normal1.y, contact.normal1.z].map(|x| number(x as f64));
                    json!({"distance": number(contact.dist as f64), "normal": normal})
                },
            ))
        }
        "cast" => {
            let options = ShapeCastOptions::with_max_time_of_impact(real(&line["max"]));
            let (still, way) = (Vector::ZERO, direction(line)?);
            let hit = query::cast_shapes(&pose_a, still, &*a, &pose_b, way, &*b, options).map_err(lacks)?;
            Ok(hit.map_or_else(
                || json!({"hit": false}),
                |hit| json!({"hit": true, "distance": number(hit.time_of_impact as f64)}),
            ))
        }
        "impact" => impact(line, [(&a, placed_a, local_a), (&b, placed_b, local_b)]),
        _ => unsupported("it has no such question"),
    }
}

/// When two bodies meet. A body's pose is that of its frame, and its shape is at a pose in it.
fn impact(line: &Value, bodies: [(&SharedShape, Pose, Pose); 2]) -> Result<Value, No> {
    let (from, until) = (line["from"].as_f64().unwrap_or(0.0) as Real, real(&line["until"]));
    let mut motions = Vec::new();
    for ((_, placed, local), name) in bodies.iter().zip(["motion_a", "motion_b"]) {
        let (velocity, spin, center) = match line.get(name).and_then(|motion| motion.as_object()?.iter().next()) {
            None => (Vector::ZERO, Vector::ZERO, Vector::ZERO),
            Some((kind, _)) if kind == "fixed" => (Vector::ZERO, Vector::ZERO, Vector::ZERO),
            Some((kind, fields)) if kind == "linear" => {
                (vector(&fields["velocity"]), vector(&fields["angular_velocity"]), vector(&fields["center"]))
            }
            Some((kind, _)) => return unsupported(&format!("it has no motion of the kind {kind}")),
        };
        let center = local.inverse_transform_point(center);
        motions.push(NonlinearRigidMotion::new(*placed * *local, center, velocity, spin));
    }
    let [(a, ..), (b, ..)] = bodies;
    let [of_a, of_b] = &motions[..] else { return unsupported("there are no two bodies") };
    let is_straight = of_a.angvel == Vector::ZERO && of_b.angvel == Vector::ZERO;
    let hit = if is_straight {
        let options = ShapeCastOptions::with_max_time_of_impact(until - from);
        let at = |motion: &NonlinearRigidMotion| motion.position_at_time(from);
        query::cast_shapes(&at(of_a), of_a.linvel, &**a, &at(of_b), of_b.linvel, &**b, options)
            .map(|hit| hit.map(|hit| ShapeCastHit { time_of_impact: hit.time_of_impact + from, ..hit }))
    } else {
        query::cast_shapes_nonlinear(of_a, &**a, of_b, &**b, from, until, true)
    };
    let hit = hit.map_err(|_| No::Unsupported("it has no such pair".to_owned()))?;
    Ok(match hit {
        None => json!({"impact": "clear"}),
        Some(hit) if hit.status == ShapeCastStatus::PenetratingOrWithinTargetDist => json!({"impact": "touching"}),
        Some(hit) => json!({"impact": "hit", "time": number(hit.time_of_impact as f64)}),
    })
}

fn real(value: &Value) -> Real {
    value.as_f64().unwrap_or(0.0) as Real
}

fn vector(value: &Value) -> Vector {
    Vector::new(real(&value[0]), real(&value[1]), real(&value[2]))
}

/// The direction of a cast as a unit, so that times are distances.
fn direction(line: &Value) -> Result<Vector, No> {
    let [x, y, z] = [0, 1, 2].map(|axis| line["direction"][axis].as_f64().unwrap_or(0.0));
    let length = (x * x + y * y + z * z).sqrt();
    if !(length > 0.0) {
        return Err(No::Error("the direction is zero".to_owned()));
    }
    Ok(Vector::new((x / length) as Real, (y / length) as Real, (z / length) as Real))
}

fn pose(value: &Value) -> Pose {
    let rotation = match value["rotation"].as_array() {
        Some(_) => {
            // In doubles, so that single precision rounds once.
            let q = [0, 1, 2, 3].map(|k| value["rotation"][k].as_f64().unwrap_or(0.0));
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            let [x, y, z, w] = q.map(|x| (x / length) as Real);
            Rotation::from_xyzw(x, y, z, w)
        }
        None => Rotation::IDENTITY,
    };
    Pose::from_parts(vector(&value["translation"]), rotation)
}

/// A pose that has y along another axis; it exchanges coordinates and rounds nothing.
fn upright(axis: Option<&str>) -> Pose {
    let rotation = match axis {
        Some("x") => Rotation::from_xyzw(-0.5, -0.5, -0.5, 0.5),
        Some("z") => Rotation::from_xyzw(0.5, 0.5, 0.5, 0.5),
        _ => Rotation::IDENTITY,
    };
    Pose::from_parts(Vector::ZERO, rotation)
}

fn points(value: &Value) -> Vec<Vector> {
    value.as_array().into_iter().flatten().map(vector).collect()
}

/// A shape, and where it is in the frame of its body.
fn shape(written: &Value) -> Result<(SharedShape, Pose), No> {
    let Some((kind, fields)) =
        written.as_object().and_then(|shape| shape.iter().find(|(name, _)| !name.starts_with('_')))
    else {
        return unsupported("there is no shape");
    };
    let at = |shape: SharedShape| Ok((shape, Pose::IDENTITY));
    let size = |name: &str| real(&fields[name]);
    let (radius, half_height, axis) = (size("radius"), size("half_height"), fields["axis"].as_str());
    match kind.as_str() {
        "sphere" => at(SharedShape::ball(radius)),
        "point" => at(SharedShape::ball(0.0)),
        "cuboid" => {
            let half = vector(&fields["half_extents"]);
            at(SharedShape::cuboid(half.x, half.y, half.z))
        }
        "capsule" => at(match axis {
            Some("x") => SharedShape::capsule_x(half_height, radius),
            Some("z") => SharedShape::capsule_z(half_height, radius),
            _ => SharedShape::capsule_y(half_height, radius),
        }),
        "cylinder" => Ok((SharedShape::cylinder(half_height, radius), upright(axis))),
        "cone" => Ok((SharedShape::cone(half_height, radius), upright(axis))),
        "segment" => at(SharedShape::segment(vector(&fields["a"]), vector(&fields["b"]))),
        "triangle" => at(SharedShape::triangle(vector(&fields["a"]), vector(&fields["b"]), vector(&fields["c"]))),
        "half_space" => {
            let [x, y, z] = [0, 1, 2].map(|axis| fields["normal"][axis].as_f64().unwrap_or(0.0));
            let length = (x * x + y * y + z * z).sqrt();
            let normal = Vector::new((x / length) as Real, (y / length) as Real, (z / length) as Real);
            let offset = (fields["offset"].as_f64().unwrap_or(0.0) / length) as Real;
            Ok((SharedShape::halfspace(normal), Pose::from_parts(normal * offset, Rotation::IDENTITY)))
        }
        "hull" => match SharedShape::convex_hull(&points(&fields["points"])) {
            Some(hull) => at(hull),
            None => unsupported("it cannot build the hull"),
        },
        "mesh" => {
            let corner = |value: &Value| value.as_u64().unwrap_or(0) as u32;
            let triangles = fields["triangles"].as_array().into_iter().flatten();
            let triangles: Vec<[u32; 3]> = triangles.map(|t| [corner(&t[0]), corner(&t[1]), corner(&t[2])]).collect();
            match TriMesh::new(points(&fields["vertices"]), triangles) {
                Ok(mesh) => at(SharedShape::new(mesh)),
                Err(_) => unsupported("it cannot build the mesh"),
            }
        }
        "compound" => {
            let mut parts = Vec::new();
            flatten(written, Pose::IDENTITY, &mut parts)?;
            at(SharedShape::compound(parts))
        }
        "rounded" => rounded(&fields["shape"], radius),
        other => unsupported(&format!("it has no {other}")),
    }
}

/// The parts of a compound, which may not have compounds as parts.
fn flatten(written: &Value, placed: Pose, parts: &mut Vec<(Pose, SharedShape)>) -> Result<(), No> {
    let Some(list) = written["compound"].as_array() else {
        if written.get("mesh").is_some() {
            return unsupported("it has no meshes in compounds");
        }
        let (part, local) = shape(written)?;
        parts.push((placed * local, part));
        return Ok(());
    };
    list.iter().try_for_each(|part| flatten(&part["shape"], placed * pose(&part["pose"]), parts))
}

/// A rounded shape, where there is one of that kind.
fn rounded(inner: &Value, radius: Real) -> Result<(SharedShape, Pose), No> {
    let Some((kind, fields)) = inner.as_object().and_then(|shape| shape.iter().next()) else {
        return unsupported("there is no shape");
    };
    let size = |name: &str| real(&fields[name]);
    let at = |shape: SharedShape| Ok((shape, Pose::IDENTITY));
    match kind.as_str() {
        "point" => at(SharedShape::ball(radius)),
        "sphere" => at(SharedShape::ball(size("radius") + radius)),
        "segment" => at(SharedShape::capsule(vector(&fields["a"]), vector(&fields["b"]), radius)),
        "cuboid" => {
            let half = vector(&fields["half_extents"]);
            at(SharedShape::round_cuboid(half.x, half.y, half.z, radius))
        }
        "cylinder" => {
            let round = SharedShape::round_cylinder(size("half_height"), size("radius"), radius);
            Ok((round, upright(fields["axis"].as_str())))
        }
        "cone" => {
            let round = SharedShape::round_cone(size("half_height"), size("radius"), radius);
            Ok((round, upright(fields["axis"].as_str())))
        }
        "triangle" => {
            let [a, b, c] = ["a", "b", "c"].map(|corner| vector(&fields[corner]));
            at(SharedShape::round_triangle(a, b, c, radius))
        }
        "hull" => match SharedShape::round_convex_hull(&points(&fields["points"]), radius) {
            Some(hull) => at(hull),
            None => unsupported("it cannot build the hull"),
        },
        other => unsupported(&format!("it has no rounded {other}")),
    }
}
