//! Real models from a folder, in pairs at drawn poses: the time after which the bracket is as narrow as asked for.
//!
//! `MODELS=folder cargo bench-depth [POSES]` takes the closed meshes of the folder, and those whose holes can be filled, scaled to a longest side of one. A
//! pose in four is shallow (the middles 0.7 apart), medium (0.45), deep (0.2), or has the first body at a quarter of its size, mostly contained. Each width
//! is a query of its own, relative to the depth. Times are those of the processor, of one thread; distance grids and trees are made before.

use clearance::depth::{DepthBudget, depth};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::shape::Mesh;
use clearance::{Pose, Shape, intersects};
use clearance_io::{is_mesh_name, read_mesh};
use clearance_lab::Rng;
use cpu_time::ThreadTime;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Widths that are asked for, relative to the depth.
const WIDTHS: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-6];
/// No query may look at more nodes.
const NODES: usize = 60_000;
/// No query may take longer, in seconds.
const SECONDS: f64 = 3.0;

struct Model {
    name: String,
    shape: Shape,
    quarter: Shape,
    crosses: bool,
}

/// The models of a folder, in the order of their names, and a line for each that is left out.
fn models(folder: &Path) -> Vec<Model> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        println!("{} cannot be read", folder.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths.iter().filter(|path| is_mesh_name(path)) {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let shape = read_mesh(path).map_err(|error| error.to_string());
        let shape = shape.and_then(|file| file.shape().map_err(|error| error.to_string()));
        let shape = match &shape {
            Ok(Shape::Mesh(mesh)) => unit(mesh),
            Ok(_) => Err("it is more than one mesh".into()),
            Err(error) => Err(error.clone()),
        };
        match shape {
            Ok((shape, quarter, crosses)) => found.push(Model { name, shape, quarter, crosses }),
            Err(why) => println!("{name} is left out: {why}"),
        }
    }
    found
}

/// A mesh about the origin with a longest side of one, closed if that can be, its quarter, and whether it crosses itself.
fn unit(mesh: &Mesh) -> Result<(Shape, Shape, bool), String> {
    let bounds = mesh.aabb();
    let (middle, size) = (bounds.center(), (bounds.max - bounds.min).max_element());
    let vertices: Vec<DVec3> = mesh.vertices().iter().map(|v| (*v - middle) / size).collect();
    let mesh = Mesh::new(&vertices, mesh.triangles()).map_err(|error| error.to_string())?.welded();
    let mesh = if mesh.is_solid() { mesh } else { mesh.filled().mesh };
    if !mesh.is_solid() {
        return Err("its surface is not closed".into());
    }
    let report = mesh.report();
    let crosses = !report.crossing_triangles.is_empty() || report.may_cross_more;
    let shape = Shape::Mesh(Arc::new(mesh));
    let quarter = Shape::affine(&shape, DMat3::from_diagonal(DVec3::splat(0.25))).map_err(|error| error.to_string())?;
    Ok((shape, quarter, crosses))
}

/// Prints the table of pairs and the quantiles of times.
pub fn measure(folder: &Path, poses: usize) {
    let models = models(folder);
    if models.is_empty() {
        return;
    }
    let mut rng = Rng::with_seed(29);
    let mut times: [Vec<f64>; 4] = Default::default();
    let mut crossing = [0; 4];
    let once = DepthBudget { nodes: 1, ..DepthBudget::default() };
    for model in &models {
        let start = ThreadTime::now();
        for shape in [&model.shape, &model.quarter] {
            let _ = depth(shape, Pose::IDENTITY, shape, Pose::from_translation([0.01, 0.02, 0.0]), once);
        }
        let triangles = model.shape.as_mesh().map_or(0, |mesh| mesh.triangles().len());
        let crosses = if model.crosses { ", crosses itself" } else { "" };
        println!(
            "{:>16} {triangles:>7} triangles, once {:>5.0} ms{crosses}",
            model.name,
            1e3 * start.elapsed().as_secs_f64()
        );
    }
    println!(
        "{:>16} {:>16} | {:>9} | {:>17} {:>17} {:>17} {:>17}",
        "A", "B", "depth", "1 %, ms", "0.1 %", "1e-4", "1e-6"
    );
    for number in 0..poses {
        let (a, b) = (&models[rng.usize(0..models.len())], &models[rng.usize(0..models.len())]);
        let of_a = if number % 4 == 3 { &a.quarter } else { &a.shape };
        let mut vector = |size: f64| DVec3::new(rng.f64(), rng.f64(), rng.f64()) * (2.0 * size) - size;
        let mut pose = Pose::IDENTITY;
        for _ in 0..1000 {
            let away = vector(1.0).normalize_or_zero() * [0.7, 0.45, 0.2, 0.15][number % 4];
            pose = Pose::new(away, DQuat::from_scaled_axis(vector(2.0)));
            if intersects(of_a, pose, &b.shape, Pose::IDENTITY) {
                break;
            }
        }
        let mut upper = 0.0;
        let mut line = String::new();
        for (k, &width) in WIDTHS.iter().enumerate() {
            // The first query knows the depth by its own rough answer only.
            if upper == 0.0 {
                let rough = DepthBudget { nodes: 200, ..DepthBudget::default() };
                upper = depth(of_a, pose, &b.shape, Pose::IDENTITY, rough).upper;
            }
            let budget = DepthBudget { width: width * upper, nodes: NODES, seconds: SECONDS, ..DepthBudget::default() };
            let start = ThreadTime::now();
            let found = depth(of_a, pose, &b.shape, Pose::IDENTITY, budget);
            let ms = 1e3 * start.elapsed().as_secs_f64();
            let is_closed = found.width() <= 1.1 * width * found.upper;
            times[k].push(if is_closed { ms } else { f64::INFINITY });
            crossing[k] += usize::from(!is_closed && (a.crosses || b.crosses));
            line += &format!(" {ms:>6.0} ({:>8.1e})", found.width() / found.upper);
            upper = found.upper;
        }
        println!("{:>16} {:>16} | {upper:>9.5} |{line}", a.name, b.name);
    }
    for ((mut times, width), crossing) in times.into_iter().zip(WIDTHS).zip(crossing) {
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize];
        let open = times.iter().filter(|ms| ms.is_infinite()).count();
        println!(
            "{width:>7.0e}: median {:.0} ms, 90 % {:.0}, 95 % {:.0}, largest {:.0}; open {open} of {}, {crossing} of them cross themselves",
            at(0.5),
            at(0.9),
            at(0.95),
            at(1.0),
            times.len()
        );
    }
}
