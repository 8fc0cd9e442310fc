//! Real models from a folder, in pairs at random poses: the time until the bracket has the required width.
//!
//! `MODELS=folder cargo bench-depth [POSES] [--part I/N]` takes the closed meshes of the folder, and those whose holes can be filled, scaled to a longest
//! side of one. A pose in four is shallow (the middles 0.7 apart), medium (0.45), deep (0.2), or has the first body at a quarter of its size, mostly
//! contained. One search of each pose is watched: a time is that at which its bracket was first as narrow as that part of its lower bound. Times and the
//! limit of a search are those of the processor, of one thread; distance grids and trees are made before. `--part 0/4` takes each fourth pose, so that several processes share a run.

use clearance::depth::{Depth, DepthBudget, DepthEnd, depth, internals};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::shape::Mesh;
use clearance::{Pose, Shape, intersects};
use clearance_io::{is_mesh_name, read_mesh};
use clearance_lab::Rng;
use cpu_time::ThreadTime;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Widths of brackets, relative to their lower bounds; the search ends at the last one.
const WIDTHS: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-6];
/// No query may take longer, in seconds of the processor.
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

/// The kinds of poses, in turn, with the distance of the middles.
const KINDS: [(&str, f64); 4] = [("shallow", 0.7), ("medium", 0.45), ("deep", 0.2), ("contained", 0.15)];

/// Two models and a pose at which they overlap.
struct Overlap<'m> {
    models: [&'m Model; 2],
    shape_a: &'m Shape,
    pose: Pose,
}

impl<'m> Overlap<'m> {
    /// The pose of that number. Each pose has its seed, so that parts of a run draw the same poses.
    fn draw(models: &'m [Model], number: usize) -> Self {
        let mut rng = Rng::with_seed(29 + number as u64);
        let (a, b) = (&models[rng.usize(0..models.len())], &models[rng.usize(0..models.len())]);
        let kind = number % KINDS.len();
        let shape_a = if KINDS[kind].0 == "contained" { &a.quarter } else { &a.shape };
        let mut vector = |size: f64| DVec3::new(rng.f64(), rng.f64(), rng.f64()) * (2.0 * size) - size;
        let mut pose = Pose::IDENTITY;
        for _ in 0..1000 {
            let away = vector(1.0).normalize_or_zero() * KINDS[kind].1;
            pose = Pose::new(away, DQuat::from_scaled_axis(vector(2.0)));
            if intersects(shape_a, pose, &b.shape, Pose::IDENTITY) {
                break;
            }
        }
        Self { models: [a, b], shape_a, pose }
    }

    /// The depth, milliseconds to each width, and those of the whole search.
    fn depth(&self) -> (Depth, [f64; WIDTHS.len()], f64) {
        let budget = DepthBudget { nodes: usize::MAX, ..DepthBudget::default() };
        let start = ThreadTime::now();
        let mut ms = [f64::INFINITY; WIDTHS.len()];
        let mut note = |lower: f64, upper: f64| {
            let now = 1e3 * start.elapsed().as_secs_f64();
            for (&width, ms) in WIDTHS.iter().zip(&mut ms) {
                if upper - lower <= width * lower {
                    *ms = ms.min(now);
                }
            }
            let is_over = ms[WIDTHS.len() - 1].is_finite() || now >= 1e3 * SECONDS;
            if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found =
            internals::watched(self.shape_a, self.pose, &self.models[1].shape, Pose::IDENTITY, budget, &mut note);
        // The bounds of the answer are rounded outward once more; they hold the last bracket.
        let _ = note(found.lower, found.upper);
        (found, ms, 1e3 * start.elapsed().as_secs_f64())
    }
}

/// Milliseconds to each width; infinite if it was not reached.
struct Timed {
    ms: [f64; WIDTHS.len()],
    kind: usize,
    crosses: bool,
}

/// Prints the table of pairs and the quantiles of times. Of the poses it takes each `parts`-th, from `part` on.
pub fn measure(folder: &Path, poses: usize, [part, parts]: [usize; 2]) {
    let models = models(folder);
    if models.is_empty() {
        return;
    }
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
        "{:>4} {:>9} {:>16} {:>16} | {:>9} | {:>9} {:>9} {:>9} {:>9} | {:>6} {:>8} | end",
        "", "", "A", "B", "depth", "1 %, ms", "0.1 %", "1e-4", "1e-6", "ms", "width"
    );
    let mut all = Vec::new();
    for number in (part..poses).step_by(parts) {
        let overlap = Overlap::draw(&models, number);
        let (found, ms, took) = overlap.depth();
        let mut line = String::new();
        for ms in ms {
            line += &format!(" {ms:>9.0}");
        }
        let end = if ms[WIDTHS.len() - 1].is_finite() { DepthEnd::Width } else { found.end };
        let narrow = found.width() / found.upper;
        let kind = number % KINDS.len();
        let [a, b] = overlap.models;
        println!(
            "{number:>4} {:>9} {:>16} {:>16} | {:>9.5} |{line} | {took:>6.0} {narrow:>8.1e} | {end:?}",
            KINDS[kind].0, a.name, b.name, found.upper
        );
        all.push(Timed { ms, kind, crosses: a.crosses || b.crosses });
    }
    println!(
        "\nms of processor time to a bracket of that part of the depth; open: not reached, and of these with a surface that crosses itself"
    );
    for (k, width) in WIDTHS.iter().enumerate() {
        quantiles(&format!("{width:.0e}"), &all, k, |_| true);
        for (kind, (name, _)) in KINDS.iter().enumerate() {
            quantiles(name, &all, k, |timed| timed.kind == kind);
        }
    }
}

fn quantiles(name: &str, all: &[Timed], width: usize, is_taken: impl Fn(&Timed) -> bool) {
    let mut times: Vec<f64> = all.iter().filter(|timed| is_taken(timed)).map(|timed| timed.ms[width]).collect();
    if times.is_empty() {
        return;
    }
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize];
    let open = || all.iter().filter(|timed| is_taken(timed) && timed.ms[width].is_infinite());
    println!(
        "{name:>10}: median {:>5.0}, 90 % {:>5.0}, 95 % {:>5.0}, largest {:>5.0}; open {} of {}, {} cross",
        at(0.5),
        at(0.9),
        at(0.95),
        at(1.0),
        open().count(),
        times.len(),
        open().filter(|timed| timed.crosses).count()
    );
}
