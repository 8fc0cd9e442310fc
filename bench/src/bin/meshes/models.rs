//! Two real meshes, or the workloads of the harness: how far apart, and do they meet? Poses go to files, so that `bench/coal_meshes.py` times Coal on the same ones.
//!
//! Rows are means over poses, of each the least of some passes: distances over the poses at which the shapes are apart, yes/no over these and over the others. A pose
//! where one solid is inside the other counts as one where they meet. `cold` is the first query about two meshes that were just built: it builds what distances need.

use crate::cdw::{self, Query, Workload};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::shape::Mesh;
use clearance::{Pose, Shape, distance, intersects};
use clearance_lab::Rng;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Its name, vertices and triangles.
type NamedModel = (String, Vec<DVec3>, Vec<[u32; 3]>);

/// Poses of a row.
const POSES: usize = 40;

/// Offsets of the second mesh, in units of the larger half extent of both.
const RANGES: [(&str, f64, f64); 2] = [("far", 1.6, 2.4), ("near", 0.8, 1.6)];

/// Poses of a workload that are taken.
const MOST_POSES: usize = 200;

/// Passes over the poses; the first one warms up.
const PASSES: usize = 5;

/// Runs the rows of a folder of meshes and of workload files, and writes poses and times into `out` if that is given.
pub fn run(folder: Option<&Path>, files: &[PathBuf], out: Option<&Path>, only: &str) -> Result<(), String> {
    println!(
        "{:<34} {:>9} {:>5} | {:>9} {:>9} {:>9} | {:>8} {:>8} {:>9} | {:>9}",
        "", "triangles", "apart", "distance", "apart?", "meet?", "build ms", "cold ms", "bytes/tri", "width"
    );
    let mut table = String::from("row,triangles,apart,met,distance_us,apart_us,meet_us\n");
    for file in files {
        let mut workload = cdw::read(&std::fs::read(file).map_err(|error| at(file, &error))?)?;
        workload.queries.truncate(MOST_POSES);
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name.contains(only) {
            row(&name, &workload, out, &mut table)?;
        }
    }
    let mut paths: Vec<PathBuf> = match folder {
        Some(folder) => {
            let entries = std::fs::read_dir(folder).map_err(|error| at(folder, &error))?;
            entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
        }
        None => Vec::new(),
    };
    paths.retain(|path| clearance_io::is_mesh_name(path));
    paths.sort();
    let models: Vec<NamedModel> = paths.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    for i in 0..models.len() {
        // Each with itself, and with the next one.
        let next = (i + 1) % models.len();
        for j in if next == i { vec![i] } else { vec![i, next] } {
            for (range, least, most) in RANGES {
                let name = format!("{} {} {range}", models[i].0, models[j].0);
                if !name.contains(only) {
                    continue;
                }
                let mut rng = Rng::with_seed(66);
                let shape = |(_, vertices, triangles): &NamedModel| {
                    Shape::mesh(vertices, triangles).map_err(|error| error.to_string())
                };
                let shapes = vec![shape(&models[i])?, shape(&models[j])?];
                let queries = (0..POSES)
                    .map(|_| {
                        let offset = super::direction(&mut rng) * (least + (most - least) * rng.f64());
                        let pose_b = Pose::new(offset, super::rotation(&mut rng));
                        Query { a: 0, b: 1, pose_a: Pose::IDENTITY, pose_b }
                    })
                    .collect();
                row(&name, &Workload { track: 0, shapes, queries }, out, &mut table)?;
            }
        }
    }
    match out {
        Some(out) => write(&out.join("ours.csv"), table.as_bytes()),
        None => Ok(()),
    }
}

/// A model with the middle of its box at the origin and a largest half extent of one.
fn read(path: &Path) -> Result<NamedModel, String> {
    let file = clearance_io::read_mesh(path).map_err(|error| error.to_string())?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for body in &file.bodies {
        let first = vertices.len() as u32;
        vertices.extend(body.surface.vertices.iter().map(|&vertex| body.pose.transform_point(vertex)));
        triangles.extend(body.surface.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    }
    let (low, high) = vertices
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), vertex| (low.min(*vertex), high.max(*vertex)));
    let (middle, half) = (0.5 * (low + high), (0.5 * (high - low)).max_element());
    let vertices = vertices.iter().map(|&vertex| (vertex - middle) / half).collect();
    Ok((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), vertices, triangles))
}

fn row(name: &str, workload: &Workload, out: Option<&Path>, table: &mut String) -> Result<(), String> {
    let Workload { shapes, queries, .. } = workload;
    let meet = |q: &Query| intersects(&shapes[q.a], q.pose_a, &shapes[q.b], q.pose_b);
    let gap = |q: &Query| distance(&shapes[q.a], q.pose_a, &shapes[q.b], q.pose_b);
    let (met, apart): (Vec<Query>, Vec<Query>) = queries.iter().copied().partition(|query| meet(query));
    let meshes: Vec<&Mesh> = shapes.iter().filter_map(Shape::as_mesh).collect();
    let [Some(first), Some(last)] = [meshes.first(), meshes.last()] else { return Err(format!("{name}: no meshes")) };
    // As on the first query about two meshes.
    let start = Instant::now();
    let fresh = Shape::mesh(first.vertices(), first.triangles()).map_err(|error| error.to_string())?;
    let build = start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    black_box(distance(&fresh, Pose::IDENTITY, &fresh, Pose::from_translation([4.0, 0.0, 0.0])));
    let cold = start.elapsed().as_secs_f64() * 1e3;
    let (far, gaps) = timed(&apart, gap);
    let (no, _) = timed(&apart, meet);
    let (yes, _) = timed(&met, meet);
    let width = gaps.iter().map(|gap| gap.upper - gap.lower).fold(0.0, f64::max);
    let triangles = first.triangles().len();
    let bytes = last.bytes() as f64 / last.triangles().len() as f64;
    println!(
        "{name:<34} {triangles:>9} {:>5} | {far:>9.2} {no:>9.2} {yes:>9.2} | {build:>8.1} {cold:>8.1} {bytes:>9.0} | {width:>9.1e}",
        apart.len()
    );
    *table += &format!("{name},{triangles},{},{},{far},{no},{yes}\n", apart.len(), met.len());
    if let Some(out) = out {
        write(&out.join(format!("{name}.cdw")), &bytes_of(workload)?)?;
    }
    Ok(())
}

/// Microseconds per query, and the answers.
fn timed<T>(queries: &[Query], ask: impl Fn(&Query) -> T) -> (f64, Vec<T>) {
    let mut best = vec![f64::INFINITY; queries.len()];
    let mut answers = Vec::new();
    for pass in 0..PASSES {
        answers.clear();
        for (query, best) in queries.iter().zip(&mut best) {
            let start = Instant::now();
            answers.push(black_box(ask(query)));
            let took = start.elapsed().as_secs_f64();
            *best = if pass == 0 { *best } else { best.min(took) };
        }
    }
    (best.iter().sum::<f64>() * 1e6 / queries.len() as f64, answers)
}

/// A workload in the format of the harness.
fn bytes_of(workload: &Workload) -> Result<Vec<u8>, String> {
    let count = |count: usize| (count as u32).to_le_bytes();
    let mut bytes = b"CDW1".to_vec();
    bytes.extend(count(workload.track));
    bytes.extend(count(workload.shapes.len()));
    for shape in &workload.shapes {
        let mesh = shape.as_mesh().ok_or("a shape that is no mesh")?;
        // No parameters.
        bytes.extend(count(cdw::MESH as usize).into_iter().chain(count(0)).chain(count(mesh.vertices().len())));
        mesh.vertices().iter().for_each(|vertex| put(&mut bytes, &vertex.to_array()));
        bytes.extend(count(mesh.triangles().len()));
        bytes.extend(mesh.triangles().iter().flatten().flat_map(|corner| corner.to_le_bytes()));
    }
    bytes.extend(count(workload.queries.len()));
    for Query { a, b, pose_a, pose_b } in &workload.queries {
        bytes.extend(count(*a).into_iter().chain(count(*b)));
        for pose in [pose_a, pose_b] {
            let rotation: DQuat = pose.rotation();
            // By row.
            put(&mut bytes, &DMat3::from_quat(rotation).transpose().to_cols_array());
            put(&mut bytes, &pose.translation().to_array());
        }
    }
    Ok(bytes)
}

fn put(bytes: &mut Vec<u8>, numbers: &[f64]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| at(path, &error))
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
