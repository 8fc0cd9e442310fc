//! Scenes in the format of Rigid IPC (Ferguson and others, "Intersection-free Rigid Body Dynamics", 2021; its scenes are MIT licensed).
//!
//! Of `rigid_body_problem` the reader takes `gravity`, `coefficient_friction`, `coefficient_restitution` and `rigid_bodies`. Of a body it takes `mesh`, `position`, `rotation` in degrees (about x, then y, then z),
//! `scale`, `dimensions`, `density`, `linear_velocity`, `angular_velocity` in degrees per second, `is_dof_fixed`, `type`, `enabled` and `group_id`. `max_time` is the length. A scene with forces or torques is refused. All else concerns
//! the solver of Rigid IPC and is left out.
//!
//! A closed mesh that is as large as its convex hull becomes the hull. Other closed meshes are solids, open ones surfaces, which must be fixed.

use crate::{Body, Error, Kind, Mass, Material, Scene};
use clearance::math::{DQuat, DVec3};
use clearance::{Pose, Shape};
use clearance_io::{Surface, read_mesh, read_text};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A mesh whose volume is that of its hull up to this part is convex. Bound: rounding of the coordinates of a file, of which some have six digits.
const CONVEX: f64 = 1e-6;

/// Mass per volume, where a file has none. Layout: the default of Rigid IPC.
const DENSITY: f64 = 1000.0;

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
        groups.push(body.get("group_id").and_then(Value::as_i64));
    }
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
    if let Some(field) = ["torque", "force", "kinematic_max_time"].into_iter().find(|&field| body.get(field).is_some())
    {
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
        Some("kinematic") => Kind::Kinematic,
        None | Some("dynamic") if locks == [true; 6] => Kind::Fixed,
        None | Some("dynamic") => Kind::Dynamic(Mass::Density(number(body, "density")?.unwrap_or(DENSITY))),
        Some(other) => return Err(format!(".type is {other:?}, but must be static, kinematic or dynamic")),
    };
    let stem = Path::new(mesh).file_stem().map_or_else(|| mesh.into(), |stem| stem.to_string_lossy());
    let read = Body { kind, ..Body::new(format!("{index} {stem}"), shape, pose, Mass::Density(DENSITY)) };
    let [x, y, z, i, j, k] = locks;
    let read = Body { locked_translation: [x, y, z], locked_rotation: [i, j, k], ..read };
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
