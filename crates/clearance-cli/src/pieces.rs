//! `clearance hull` and `clearance decompose`: meshes as convex pieces, in files.

use crate::args::{DecomposeArgs, HullArgs};
use crate::check::progress::Progress;
use crate::output::printable;
use crate::replace::{self, Replacement};
use crate::{Outcome, output};
use clearance::Shape;
use clearance::decompose::{Decomposition, DecompositionBudget, Stage, decompose_with_progress, surface_patches};
use clearance::math::DVec3;
use clearance::shape::{Mesh, Polytope};
use clearance_io::{MeshBody, Surface, counted, read_mesh, read_points, write_obj, write_ply, write_stl};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// Runs `clearance hull`.
pub fn hull(args: &HullArgs) -> Result<Outcome, String> {
    refuse_input(args.output.as_deref(), &args.mesh)?;
    let (points, _) = read_points(&args.mesh).map_err(|error| error.to_string())?;
    let name = args.mesh.display();
    let shape = Shape::hull(&points).map_err(|error| format!("{name}: {error}"))?;
    let hull = shape.as_polytope().ok_or("the hull of points is a polytope")?;
    let surface = surface_of(hull);
    let mut line = format!(
        "{}: {}, {}, volume {:.6}",
        printable(&name.to_string()),
        counted(hull.vertices().len() as u64, "vertex", "vertices"),
        counted(hull.faces().len() as u64, "face", "faces"),
        shape.volume().unwrap_or(0.0)
    );
    if let Some(path) = &args.output {
        let rounded = write(path, &[("hull".into(), surface)])?;
        line += &written(path, rounded);
    }
    output::written(writeln!(io::stdout(), "{line}"), Outcome::Good)
}

/// Runs `clearance decompose`.
pub fn run(args: &DecomposeArgs) -> Result<Outcome, String> {
    refuse_input(args.output.as_deref(), &args.mesh)?;
    let mut progress = Progress::new("reading");
    let file = read_mesh(&args.mesh).map_err(|error| error.to_string())?;
    let path = args.mesh.display().to_string();
    let (mut pieces, mut lines, mut sentences) = (Vec::new(), Vec::new(), Vec::new());
    for (index, body) in file.bodies.iter().enumerate() {
        let name = body.name.clone().unwrap_or_else(|| path.clone());
        let mut report = |stage, done, total| {
            let of_bodies =
                if file.bodies.len() > 1 { format!(" {} of {}", index + 1, file.bodies.len()) } else { String::new() };
            progress.stage(&format!("{}{of_bodies}", word(stage)), done, total);
        };
        let found = of_body(args, body, &mut report).map_err(|sentence| format!("{path}: {sentence}"))?;
        let name = printable(&name).to_string();
        lines.push(if args.json { json_line(&name, &found) } else { format!("{name}: {}", found.sentence) });
        sentences.push(found.sentence);
        for (number, piece) in found.pieces.iter().enumerate() {
            let mut surface = surface_of(&piece.hull);
            surface.vertices.iter_mut().for_each(|vertex| *vertex = body.pose.transform_point(*vertex));
            pieces.push((format!("{name} {number} {}", piece.kind), surface));
        }
    }
    drop(progress);
    if args.inner && pieces.is_empty() {
        return Err(format!("{path}: no piece is proved to be inside; {}", sentences.join("; ")));
    }
    if let Some(path) = &args.output {
        let rounded = write(path, &pieces)?;
        if let Some(last) = lines.last_mut().filter(|_| !args.json) {
            *last += &written(path, rounded);
        }
    }
    output::written(writeln!(io::stdout(), "{}", lines.join("\n")), Outcome::Good)
}

const fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Growing => "growing exact pieces",
        Stage::Cutting => "cutting",
        Stage::Merging => "merging",
        Stage::Measuring => "measuring",
    }
}

/// A piece, and what is proved about it.
struct Piece {
    hull: Polytope,
    /// `exact`, `inner`, `outer`, `approximate` or `patch`.
    kind: &'static str,
    /// No point of it is farther than this from the mesh.
    concavity: Option<f64>,
}

/// The pieces of a body.
struct Pieces {
    pieces: Vec<Piece>,
    sentence: String,
    /// Of a decomposition: it, and the longest side of the mesh.
    found: Option<(Decomposition, f64)>,
}

/// The pieces of a body that are wanted.
fn of_body(
    args: &DecomposeArgs,
    body: &MeshBody,
    report: &mut dyn FnMut(Stage, usize, usize),
) -> Result<Pieces, String> {
    let Surface { vertices, triangles } = &*body.surface;
    let mesh = Mesh::new(vertices, triangles).map_err(|error| error.to_string())?;
    let kept = |hulls: Vec<Polytope>, kind| hulls.into_iter().map(move |hull| Piece { hull, kind, concavity: None });
    if args.surface {
        let patches = surface_patches(&mesh).map_err(|doubt| format!("no surface patches: {doubt}"))?;
        let sentence = format!(
            "{} in {}",
            counted(triangles.len() as u64, "triangle", "triangles"),
            counted(patches.len() as u64, "convex patch", "convex patches")
        );
        let hulls = patches.into_iter().map(|patch| patch.hull).collect();
        return Ok(Pieces { pieces: kept(hulls, "patch").collect(), sentence, found: None });
    }
    let budget =
        DecompositionBudget { pieces: args.pieces, concavity: args.concavity, ..DecompositionBudget::default() };
    let found = decompose_with_progress(&mesh, budget, report);
    let summary = found.summary(&mesh);
    let (sentence, size) = (summary.to_string(), summary.size);
    let pieces = if args.inner {
        kept(found.inner.clone(), "inner").collect()
    } else {
        let kind = if found.is_exact { "exact" } else { "outer" };
        let outer = found.outer.iter().zip(&found.outer_concavity);
        let outer = outer.map(|(hull, &reach)| Piece { hull: hull.clone(), kind, concavity: Some(reach) });
        let approximate = found.approximate.iter().map(|piece| Piece {
            hull: piece.hull.clone(),
            kind: "approximate",
            concavity: Some(piece.concavity),
        });
        outer.chain(approximate).collect()
    };
    Ok(Pieces { pieces, sentence, found: Some((found, size)) })
}

/// A line of JSON about a body.
fn json_line(name: &str, of: &Pieces) -> String {
    let piece = |piece: &Piece| {
        let volume = Shape::Polytope(piece.hull.clone().into()).volume();
        let mut value = json!({"kind": piece.kind, "vertices": piece.hull.vertices().len(), "volume": volume});
        if let Some(concavity) = piece.concavity {
            value["concavity"] = json!(concavity);
        }
        value
    };
    let mut line =
        json!({"name": name, "pieces": of.pieces.iter().map(piece).collect::<Vec<_>>(), "summary": of.sentence});
    if let Some((found, size)) = &of.found {
        line["size"] = json!(size);
        line["exact"] = json!(found.is_exact);
        line["covers"] = json!(if found.outer_proof.is_proven() { "proved" } else { "surface" });
        line["inner"] = json!(found.inner.len());
        line["outer"] = json!(found.outer.len());
        line["approximate"] = json!(found.approximate.len());
        line["concavity"] = json!(found.concavities().fold(0.0, f64::max));
    }
    line.to_string()
}

/// The mesh itself is no place for what is made of it.
fn refuse_input(output: Option<&Path>, mesh: &Path) -> Result<(), String> {
    match output.filter(|output| replace::is_same(output, mesh)) {
        Some(output) => Err(format!("{} is the mesh that is read; name another file with -o", output.display())),
        None => Ok(()),
    }
}

/// A polytope as triangles.
fn surface_of(hull: &Polytope) -> Surface {
    let fan = |vertices: &[u32]| -> Vec<[u32; 3]> {
        vertices.windows(2).skip(1).map(|pair| [vertices[0], pair[0], pair[1]]).collect()
    };
    Surface {
        vertices: hull.vertices().to_vec(),
        triangles: hull.faces().flat_map(|face| fan(face.vertices)).collect(),
    }
}

/// Writes pieces to a file whose ending tells the format; how many coordinates were rounded.
fn write(path: &Path, pieces: &[(String, Surface)]) -> Result<u64, String> {
    let name = path.display();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_ascii_lowercase();
    let holds_one = matches!(extension.as_str(), "stl" | "ply");
    let holds_all = matches!(extension.as_str(), "obj" | "json") || holds_one && pieces.len() == 1;
    if !holds_all {
        return Err(match extension.as_str() {
            _ if holds_one => format!("{name} can hold one piece, but there are {}; write .obj or .json", pieces.len()),
            _ => format!("{name} is of no type that can be written; name a file ending in .obj, .json, .stl or .ply"),
        });
    }
    let result = Replacement::create(path).and_then(|mut out| {
        let rounded = match extension.as_str() {
            "obj" => write_obj(&mut out, pieces.iter().map(|(name, piece)| (name.as_str(), piece))).map(|()| 0),
            "json" => serde_json::to_writer(&mut out, &scene(pieces)).map_err(io::Error::from).map(|()| 0),
            "stl" => write_stl(&mut out, &pieces[0].1),
            _ => write_ply(&mut out, &pieces[0].1).map(|()| 0),
        }?;
        out.finish().map(|()| rounded)
    });
    result.map_err(|error| format!("{name} cannot be written: {error}"))
}

/// A scene of one body, a compound of the pieces.
fn scene(pieces: &[(String, Surface)]) -> Value {
    let part = |(_, piece): &(String, Surface)| {
        let points: Vec<[f64; 3]> = piece.vertices.iter().map(DVec3::to_array).collect();
        json!({"shape": {"hull": {"points": points}}})
    };
    let parts: Vec<Value> = pieces.iter().map(part).collect();
    json!({"format": "clearance-scene/1", "bodies": [{"name": "pieces", "shape": {"compound": parts}}]})
}

fn written(path: &Path, rounded: u64) -> String {
    let rounding = match rounded {
        0 => String::new(),
        count => format!(" ({} rounded to single precision)", counted(count, "coordinate", "coordinates")),
    };
    format!("; written to {}{rounding}", printable(&path.display().to_string()))
}
