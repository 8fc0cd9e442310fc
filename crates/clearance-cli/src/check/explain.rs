//! Descriptions and faults of the meshes of a check, in words.

use super::print::short;
use super::repair::{name_of, parts};
use crate::output::printable;
use clearance::Shape;
use clearance::math::DVec3;
use clearance::shape::mesh::{Mesh, Places};
use clearance_io::{Body, Scene, counted};
use serde::Serialize;
use std::fmt::Debug;
use std::io::{self, Write};

/// Description of a mesh; a line of JSON has these fields.
#[derive(Serialize)]
pub struct Explained {
    name: String,
    triangles: usize,
    vertices: usize,
    solid: bool,
    /// Sets of triangles that no vertex connects.
    components: usize,
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
                components: components(mesh),
                faults: faults(mesh),
            })
        };
        parts(&body.shape).into_iter().filter_map(about).collect()
    };
    scene.bodies.iter().flat_map(of_body).collect()
}

/// A sentence for each fault, with the mesh that has it.
pub fn sentences(meshes: &[Explained]) -> Vec<String> {
    let of_mesh = |mesh: &Explained| -> Vec<String> {
        mesh.faults.iter().map(|fault| format!("{}: {fault}", mesh.name)).collect()
    };
    meshes.iter().flat_map(of_mesh).collect()
}

/// A paragraph about every mesh.
pub fn table(out: &mut impl Write, meshes: &[Explained]) -> io::Result<()> {
    for Explained { name, triangles, vertices, volume, components, faults, .. } in meshes {
        let triangles = counted(*triangles as u64, "triangle", "triangles");
        let vertices = counted(*vertices as u64, "vertex", "vertices");
        let what = match volume {
            Some(volume) => format!("a solid of volume {}", short(*volume, 6)),
            None => "a shell: open, so that a body inside of it is undecided".into(),
        };
        let components = match components {
            0 | 1 => String::new(),
            count => format!("{count} components, "),
        };
        writeln!(out, "{}: {triangles}, {vertices}, {components}{what}", printable(name))?;
        for fault in faults {
            writeln!(out, "  {fault}")?;
        }
    }
    if meshes.is_empty() { Ok(()) } else { writeln!(out) }
}

/// The number of sets of triangles that share no vertex with each other.
fn components(mesh: &Mesh) -> usize {
    fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
        while parents[vertex as usize] != vertex {
            // Halving the path keeps it short.
            parents[vertex as usize] = parents[parents[vertex as usize] as usize];
            vertex = parents[vertex as usize];
        }
        vertex
    }
    let mut parents: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
    for &[a, b, c] in mesh.triangles() {
        for (one, other) in [(a, b), (a, c)] {
            let (one, other) = (root(&mut parents, one), root(&mut parents, other));
            parents[one.max(other) as usize] = one.min(other);
        }
    }
    let mut is_used = vec![false; parents.len()];
    mesh.triangles().iter().flatten().for_each(|&corner| is_used[corner as usize] = true);
    (0..parents.len()).filter(|&vertex| is_used[vertex] && parents[vertex] as usize == vertex).count()
}

/// A line for every kind of fault, with the first places and the coordinates of the first one.
fn faults(mesh: &Mesh) -> Vec<String> {
    let report = mesh.report();
    let vertex = |vertex: u32| mesh.vertices()[vertex as usize];
    let edge = |&[a, b]: &[u32; 2]| 0.5 * (vertex(a) + vertex(b));
    let triangle = |at: u32| mesh.triangles()[at as usize].map(vertex).into_iter().sum::<DVec3>() / 3.0;
    let mut lines = Vec::new();
    let mut add = |places: Option<(usize, String)>, one: &str, many: &str, why: &str| {
        if let Some((count, first)) = places {
            lines.push(format!("{}{why}: {first}", counted(count as u64, one, many)));
        }
    };
    add(first(&report.open_edges, edge), "open edge", "open edges", ", where the surface ends (vertices)");
    add(
        first(&report.flipped_edges, edge),
        "flipped edge",
        "flipped edges",
        ", where a triangle is turned over (vertices)",
    );
    add(
        first(&report.non_manifold_edges, edge),
        "edge of more than two triangles",
        "edges of more than two triangles",
        " (vertices)",
    );
    add(
        first(&report.degenerate_triangles, |&at| triangle(at)),
        "triangle without an area",
        "triangles without an area",
        "",
    );
    add(
        first(&report.duplicate_triangles, |&at| triangle(at)),
        "triangle that is there twice",
        "triangles that are there twice",
        "",
    );
    add(
        first(&report.crossing_triangles, |&[a, _]| triangle(a)),
        "pair of triangles that cross",
        "pairs of triangles that cross",
        "",
    );
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

/// How many, the first of them, and the middle of the first one: "[0, 7], [3, 4], …; the first is at (1, 0, 0)".
fn first<T: Debug>(places: &Places<T>, middle: impl Fn(&T) -> DVec3) -> Option<(usize, String)> {
    /// Limit: the places of a fault fit one line of a terminal.
    const SHOWN: usize = 4;
    if places.is_empty() {
        return None;
    }
    let shown: Vec<String> = places.first.iter().take(SHOWN).map(|place| format!("{place:?}")).collect();
    let more = if places.count > SHOWN { ", …" } else { "" };
    let [x, y, z] = middle(places.first.first()?).to_array().map(|x| short(x, 6));
    let the_first = if places.count > 1 { "the first" } else { "it" };
    Some((places.count, format!("{}{more}; {the_first} is at ({x}, {y}, {z})", shown.join(", "))))
}
