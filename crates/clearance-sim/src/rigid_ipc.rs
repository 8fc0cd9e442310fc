//! Scenes in the format of Rigid IPC (Ferguson and others, "Intersection-free Rigid Body Dynamics", 2021; its scenes are MIT licensed).
//!
//! Of `rigid_body_problem` the reader takes `gravity`, `coefficient_friction`, `coefficient_restitution` and `rigid_bodies`. Of a body it takes `mesh`, `position`, `rotation`, `scale`, `dimensions`, `density`,
//! `linear_velocity`, `angular_velocity`, `force`, `torque`, `is_dof_fixed`, `type`, `kinematic_max_time`, `enabled` and `group_id`. `max_time` is the length. A scene with `kinematic_poses` or
//! `split_components` is refused. All else concerns the solver of Rigid IPC and is left out.
//!
//! The meanings are those of its source (`io/read_rb_scene.cpp`, `physics/rigid_body.cpp`). Rotations are R = Rz Ry Rx in degrees about the origin of the mesh. Velocities are those of the center of mass in the axes of the
//! world. Angular velocities and torques count in degrees.
//!
//! A closed mesh that is as large as its convex hull becomes the hull. Other closed meshes are solids, open ones surfaces, whose mass is that of Rigid IPC.

use crate::{Body, Error, Kind, Mass, Material, Scene};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Pose, Shape};
use clearance_io::{Surface, read_mesh, read_text};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A mesh whose volume is that of its hull up to this part is convex. Bound: rounding of the coordinates of a file, of which some have six digits.
const CONVEX: f64 = 1e-6;

/// Mass per volume, where a file has none. Layout: the default of Rigid IPC.
const DENSITY: f64 = 1000.0;

/// Triangles from which on Rigid IPC takes an open mesh for a solid. Layout: its choice.
const SOLID_TRIANGLES: usize = 4;

/// Steps toward the center of mass of an open mesh. Layout: the choice of Rigid IPC.
const CENTERINGS: usize = 10;

/// A scene, and how long its file wants it to be simulated.
#[derive(Debug, Clone)]
pub struct RigidIpcScene {
    /// The scene.
    pub scene: Scene,
    /// Seconds, if the file has them.
    pub seconds: Option<f64>,
}

/// Reads a scene from a file; its meshes are looked for in a folder, or beside the file and in `meshes` of the folders above it.
pub fn read(path: &Path, meshes: Option<&Path>) -> Result<RigidIpcScene, Error> {
    let name = path.display();
    let fault = |why: String| Error::File(format!("{name}: {why}"));
    let text = read_text(path).map_err(|error| Error::File(error.to_string()))?;
    let whole: Value = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
    let problem = whole
        .get("rigid_body_problem")
        .ok_or_else(|| fault("there is no rigid_body_problem, so it is no scene of Rigid IPC".into()))?;
    let gravity = vector(problem, "gravity").map_err(fault)?.unwrap_or_default();
    let material = Material {
        friction: number(problem, "coefficient_friction").map_err(fault)?.unwrap_or(0.0).max(0.0),
        // -1 stands for none.
        restitution: number(problem, "coefficient_restitution").map_err(fault)?.unwrap_or(0.0).clamp(0.0, 1.0),
        rolling_resistance: 0.0,
    };
    let bodies = problem
        .get("rigid_bodies")
        .and_then(Value::as_array)
        .ok_or_else(|| fault("rigid_body_problem has no rigid_bodies".into()))?;
    let mut scene = Scene::new(gravity);
    let mut groups: Vec<Option<i64>> = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        if body.get("enabled").and_then(Value::as_bool) == Some(false) {
            continue;
        }
        let read = body_of(body, index, &|mesh| find(path, meshes, mesh));
        let read = read.map_err(|why| fault(format!("rigid_bodies[{index}]{why}")))?;
        scene.add(read.material(material));
        groups.push(body.get("group_id").and_then(Value::as_i64).filter(|&group| group >= 0));
    }
    // Bodies that do not move by forces are one group, and all bodies of their groups belong to it.
    let is_still = |number: usize| !matches!(scene.bodies[number].kind, Kind::Dynamic(_));
    let still: Vec<i64> =
        (0..groups.len()).filter(|&number| is_still(number)).filter_map(|number| groups[number]).collect();
    let group = |number: usize| {
        let own = groups[number];
        if is_still(number) || own.is_some_and(|own| still.contains(&own)) { Some(-1) } else { own }
    };
    let groups: Vec<Option<i64>> = (0..groups.len()).map(group).collect();
    for a in 0..groups.len() {
        for b in a + 1..groups.len() {
            if groups[a].is_some() && groups[a] == groups[b] {
                scene.ignored.push([a, b]);
            }
        }
    }
    let seconds = number(&whole, "max_time").map_err(fault)?.filter(|&seconds| seconds > 0.0);
    Ok(RigidIpcScene { scene, seconds })
}

/// The errors of these functions go on behind the name of the body.
fn body_of(body: &Value, index: usize, find: &dyn Fn(&str) -> Option<PathBuf>) -> Result<Body, String> {
    let is_given = |field: &str| match body.get(field) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Array(list)) => !list.is_empty(),
        Some(_) => true,
    };
    if let Some(field) = ["kinematic_poses", "split_components"].into_iter().find(|&field| is_given(field)) {
        return Err(format!(".{field} cannot be simulated; leave it out"));
    }
    let mesh = body.get("mesh").and_then(Value::as_str).ok_or(".mesh is missing; name a mesh file")?;
    let place = find(mesh).ok_or_else(|| format!(".mesh is {mesh:?}, but there is no such file"))?;
    let file = read_mesh(&place).map_err(|error| format!(".mesh: {error}"))?;
    let surface = &file.bodies.first().ok_or(".mesh has no body")?.surface;
    let surface = scaled(surface, body)?;
    let shape = shape_of(&surface).map_err(|error| format!(".mesh: {error}"))?;
    let degrees = vector(body, "rotation")?.unwrap_or_default().map(f64::to_radians);
    let rotation =
        DQuat::from_rotation_z(degrees.z) * DQuat::from_rotation_y(degrees.y) * DQuat::from_rotation_x(degrees.x);
    let position = vector(body, "position")?.unwrap_or_default();
    let pose = Pose::try_new(position, rotation).map_err(|error| format!(".position: {error}"))?;
    let locks = locks(body);
    let kind = match body.get("type").and_then(Value::as_str) {
        Some("static") => Kind::Fixed,
        Some("kinematic") => match number(body, "kinematic_max_time")?.filter(|&time| time >= 0.0) {
            Some(time) => Kind::KinematicUntil(time),
            None => Kind::Kinematic,
        },
        None | Some("dynamic") if locks == [true; 6] => Kind::Fixed,
        None | Some("dynamic") => {
            let density = number(body, "density")?.unwrap_or(DENSITY);
            let has_volume = shape.mass_properties().is_some_and(|solid| solid.volume > 0.0);
            Kind::Dynamic(if has_volume { Mass::Density(density) } else { open_mass(&surface, density) })
        }
        Some(other) => return Err(format!(".type is {other:?}, but must be static, kinematic or dynamic")),
    };
    let stem = Path::new(mesh).file_stem().map_or_else(|| mesh.into(), |stem| stem.to_string_lossy());
    let read = Body { kind, ..Body::new(format!("{index} {stem}"), shape, pose, Mass::Density(DENSITY)) };
    let [x, y, z, i, j, k] = locks;
    let force = vector(body, "force")?.unwrap_or_default();
    // Rigid IPC reads torques as it reads angles.
    let torque = vector(body, "torque")?.unwrap_or_default().map(f64::to_radians);
    let read = Body { locked_translation: [x, y, z], locked_rotation: [i, j, k], force, torque, ..read };
    let spin = vector(body, "angular_velocity")?.unwrap_or_default().map(f64::to_radians);
    Ok(read.moving(vector(body, "linear_velocity")?.unwrap_or_default(), spin))
}

fn scaled(surface: &Surface, body: &Value) -> Result<Surface, String> {
    let factors = match body.get("scale") {
        Some(Value::Number(scale)) => DVec3::splat(scale.as_f64().unwrap_or(1.0)),
        Some(_) => vector(body, "scale")?.unwrap_or(DVec3::ONE),
        None => DVec3::ONE,
    };
    let factors = match vector(body, "dimensions")? {
        Some(dimensions) => {
            let low = surface.vertices.iter().copied().fold(DVec3::INFINITY, DVec3::min);
            let high = surface.vertices.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
            let size = (high - low).map(|size| if size > 0.0 { size } else { 1.0 });
            dimensions / size
        }
        None => factors,
    };
    let vertices = surface.vertices.iter().map(|&vertex| vertex * factors).collect();
    Ok(Surface { vertices, triangles: surface.triangles.clone() })
}

fn shape_of(surface: &Surface) -> Result<Shape, clearance::BuildError> {
    let mesh = Shape::mesh(&surface.vertices, &surface.triangles)?;
    let hull = Shape::hull(&surface.vertices)?;
    let is_convex = match (mesh.volume(), hull.volume()) {
        (Some(own), Some(whole)) => own > 0.0 && whole - own <= CONVEX * whole,
        _ => false,
    };
    Ok(if is_convex { hull } else { mesh })
}

/// The mass of an open mesh, as Rigid IPC has it (`physics/mass.cpp`). A mesh of at least four triangles counts as the signed tetrahedra from the center of mass to them, if their sum is positive. Others are
/// sheets, whose density is mass per area.
fn open_mass(surface: &Surface, density: f64) -> Mass {
    let triangles =
        || surface.triangles.iter().map(|triangle| triangle.map(|corner| surface.vertices[corner as usize]));
    let sheet = || {
        let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
        let mass: f64 = triangles().map(area).sum();
        let center = triangles().map(|t| area(t) * (t[0] + t[1] + t[2]) / 3.0).sum::<DVec3>() / mass;
        // ∫ x xᵀ over a triangle: its area times (the sum of the corners' own products and that of the sum) / 12.
        let second = triangles().map(|t| (1.0 / 12.0, area(t), t.map(|corner| corner - center)));
        (mass, center, second.map(|(part, area, t)| products(t) * (part * area)).fold(DMat3::ZERO, |x, y| x + y))
    };
    let solid = |from: DVec3| {
        let volume = |t: [DVec3; 3]| t[0].dot(t[1].cross(t[2])) / 6.0;
        let parts: Vec<[DVec3; 3]> = triangles().map(|t| t.map(|corner| corner - from)).collect();
        let mass: f64 = parts.iter().map(|&t| volume(t)).sum();
        let center = from + parts.iter().map(|&t| volume(t) * 0.25 * (t[0] + t[1] + t[2])).sum::<DVec3>() / mass;
        let second = parts.iter().map(|&t| products(t) * (volume(t) / 20.0)).fold(DMat3::ZERO, |x, y| x + y);
        (mass, center, second)
    };
    let mut found = sheet();
    if surface.triangles.len() >= SOLID_TRIANGLES {
        let mut at = found.1;
        // The volume of an open mesh depends on the point that it is measured from.
        for _ in 0..CENTERINGS {
            at = solid(at).1;
        }
        let whole = solid(at);
        if whole.0 > 0.0 && whole.1.is_finite() {
            found = whole;
        }
    }
    let (mass, center, second) = found;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = (DMat3::from_diagonal(DVec3::splat(trace)) - second) * density;
    Mass::Given { mass: mass * density, center, inertia }
}

/// The sum of the products x xᵀ of the corners of a triangle and of their sum.
fn products([a, b, c]: [DVec3; 3]) -> DMat3 {
    let sum = a + b + c;
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    outer(a) + outer(b) + outer(c) + outer(sum)
}

/// `is_dof_fixed`: three translations and three rotations, or one word for all.
fn locks(body: &Value) -> [bool; 6] {
    match body.get("is_dof_fixed") {
        Some(Value::Bool(all)) => [*all; 6],
        Some(Value::Array(list)) => std::array::from_fn(|i| list.get(i).and_then(Value::as_bool).unwrap_or(false)),
        _ => [false; 6],
    }
}

/// The file of a mesh: as it is named, beside the scene, or in `meshes` of a folder above it.
fn find(scene: &Path, meshes: Option<&Path>, mesh: &str) -> Option<PathBuf> {
    // A path that leaves its folder is refused, as in all scenes.
    if Path::new(mesh).components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
        return None;
    }
    if let Some(folder) = meshes {
        return Some(folder.join(mesh)).filter(|path| path.is_file());
    }
    let folders = scene.ancestors().skip(1);
    folders.flat_map(|folder| [folder.join(mesh), folder.join("meshes").join(mesh)]).find(|path| path.is_file())
}

fn number(object: &Value, field: &str) -> Result<Option<f64>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or_else(|| format!(".{field} is no number")),
    }
}

fn vector(object: &Value, field: &str) -> Result<Option<DVec3>, String> {
    let Some(value) = object.get(field) else { return Ok(None) };
    let list: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
    match list.as_deref() {
        Some(&[x, y, z]) => Ok(Some(DVec3::new(x, y, z))),
        _ => Err(format!(".{field} is no list of 3 numbers")),
    }
}
