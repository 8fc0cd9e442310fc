//! What the meshes of a check are, and what is wrong with them, in words.

use super::print::short;
use super::repair::{name_of, parts};
use crate::output::printable;
use clearance::Shape;
use clearance::shape::MeshReport;
use clearance::shape::mesh::Places;
use clearance_io::{Body, Scene, counted};
use serde::Serialize;
use std::fmt::Debug;
use std::io::{self, Write};

/// What a mesh is; a line of JSON has these fields.
#[derive(Serialize)]
pub struct Explained {
    name: String,
    triangles: usize,
    vertices: usize,
    solid: bool,
    /// Of a solid.
    volume: Option<f64>,
    faults: Vec<String>,
}

/// All meshes of a scene, those in compounds too.
pub fn meshes(scene: &Scene) -> Vec<Explained> {
    let of_body = |body: &Body| -> Vec<Explained> {
        let about = |(part, shape, _): (Option<usize>, &Shape, _)| {
            let mesh = shape.as_mesh()?;
            Some(Explained {
                name: name_of(&body.name, part),
                triangles: mesh.triangles().len(),
                vertices: mesh.vertices().len(),
                solid: mesh.is_solid(),
                volume: mesh.is_solid().then(|| mesh.volume().abs()),
                faults: faults(mesh.report()),
            })
        };
        parts(&body.shape).into_iter().filter_map(about).collect()
    };
    scene.bodies.iter().flat_map(of_body).collect()
}

/// A paragraph about every mesh.
pub fn table(out: &mut impl Write, meshes: &[Explained]) -> io::Result<()> {
    for Explained { name, triangles, vertices, volume, faults, .. } in meshes {
        let triangles = counted(*triangles as u64, "triangle", "triangles");
        let vertices = counted(*vertices as u64, "vertex", "vertices");
        let what = match volume {
            Some(volume) => format!("a solid of volume {}", short(*volume, 6)),
            None => "a shell: open, so that a body inside of it is undecided".into(),
        };
        writeln!(out, "{}: {triangles}, {vertices}, {what}", printable(name))?;
        for fault in faults {
            writeln!(out, "  {fault}")?;
        }
    }
    if meshes.is_empty() { Ok(()) } else { writeln!(out) }
}

/// A line for every kind of fault, with the first places.
fn faults(report: &MeshReport) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |places: Option<(usize, String)>, one: &str, many: &str, why: &str| {
        if let Some((count, first)) = places {
            lines.push(format!("{}{why}: {first}", counted(count as u64, one, many)));
        }
    };
    add(first(&report.open_edges), "open edge", "open edges", ", where the surface ends (vertices)");
    add(first(&report.flipped_edges), "flipped edge", "flipped edges", ", where a triangle is turned over (vertices)");
    add(
        first(&report.non_manifold_edges),
        "edge of more than two triangles",
        "edges of more than two triangles",
        " (vertices)",
    );
    add(first(&report.degenerate_triangles), "triangle without an area", "triangles without an area", "");
    add(first(&report.duplicate_triangles), "triangle that is there twice", "triangles that are there twice", "");
    add(first(&report.crossing_triangles), "pair of triangles that cross", "pairs of triangles that cross", "");
    if report.may_cross_more {
        lines.push(
            "too many triangles in one place: the search for pairs that cross ended early, there may be more".into(),
        );
    }
    if report.is_inside_out {
        lines.push("inside out: its triangles turn clockwise seen from outside, which changes nothing".into());
    }
    lines
}

/// How many, and the first of them: "[0, 7], [3, 4], …".
fn first<T: Debug>(places: &Places<T>) -> Option<(usize, String)> {
    const SHOWN: usize = 4;
    if places.is_empty() {
        return None;
    }
    let shown: Vec<String> = places.first.iter().take(SHOWN).map(|place| format!("{place:?}")).collect();
    let more = if places.count > SHOWN { ", …" } else { "" };
    Some((places.count, format!("{}{more}", shown.join(", "))))
}
