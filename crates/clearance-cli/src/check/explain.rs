//! Descriptions and faults of the meshes of a check, in words.

use super::print::short;
use super::repair::{name_of, parts};
use crate::output::printable;
use clearance::Shape;
use clearance::math::DVec3;
use clearance::shape::mesh::{Mesh, Places};
use clearance_io::{Body, FileNumbers, Scene, counted};
use serde::Serialize;
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
                faults: faults(mesh, scene.numbers.of(mesh).map(|numbers| &**numbers)),
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

/// How the file of a mesh counts its vertices and faces.
struct Counting<'a>(Option<&'a FileNumbers>);

impl Counting<'_> {
    /// The words for a list of edges: their two vertices, or nothing where only places tell edges.
    fn of_edges(&self) -> String {
        self.first_vertex().map_or_else(String::new, |first| format!(" (vertices, counted from {first})"))
    }

    /// Vertices of scenes and of repaired meshes are counted from 0.
    fn first_vertex(&self) -> Option<u32> {
        self.0.map_or(Some(0), |numbers| numbers.first_vertex)
    }

    fn edge(&self, [a, b]: [u32; 2], middle: DVec3) -> String {
        let numbers = self.first_vertex().map(|first| format!("[{}, {}]", a + first, b + first));
        numbers.unwrap_or_else(|| shown(middle))
    }

    /// The words for a list of triangles.
    fn of_triangles(&self) -> &'static str {
        match self.0 {
            None => " (counted from 0)",
            Some(numbers) if numbers.are_lines => " (by the lines of their faces)",
            Some(_) => " (by their faces, counted from 0)",
        }
    }

    fn triangle(&self, triangle: u32) -> String {
        match self.0.map(|numbers| numbers.faces.get(triangle as usize)) {
            None => triangle.to_string(),
            Some(Some(face)) => face.to_string(),
            Some(None) => "a triangle that fills a hole".into(),
        }
    }
}

/// A line for every kind of fault, with the first places, by the numbers of the file, and the coordinates of the first one.
fn faults(mesh: &Mesh, numbers: Option<&FileNumbers>) -> Vec<String> {
    let report = mesh.report();
    let counting = Counting(numbers);
    let vertex = |vertex: u32| mesh.vertices()[vertex as usize];
    let middle = |&[a, b]: &[u32; 2]| 0.5 * (vertex(a) + vertex(b));
    let edge = |edge: &[u32; 2]| (counting.edge(*edge, middle(edge)), middle(edge));
    let center = |at: u32| mesh.triangles()[at as usize].map(vertex).into_iter().sum::<DVec3>() / 3.0;
    let triangle = |&at: &u32| (counting.triangle(at), center(at));
    let pair = |&[a, b]: &[u32; 2]| (format!("[{}, {}]", counting.triangle(a), counting.triangle(b)), center(a));
    let mut lines = Vec::new();
    let mut add = |places: Option<(usize, String)>, one: &str, many: &str, why: &str| {
        if let Some((count, first)) = places {
            lines.push(format!("{}{why}: {first}", counted(count as u64, one, many)));
        }
    };
    let (edges, triangles) = (counting.of_edges(), counting.of_triangles());
    let ends = format!(", where the surface ends{edges}");
    add(first(&report.open_edges, edge), "open edge", "open edges", &ends);
    let turned = format!(", where a triangle is turned over{edges}");
    add(first(&report.flipped_edges, edge), "flipped edge", "flipped edges", &turned);
    add(
        first(&report.non_manifold_edges, edge),
        "edge of more than two triangles",
        "edges of more than two triangles",
        &edges,
    );
    add(
        first(&report.degenerate_triangles, triangle),
        "triangle without an area",
        "triangles without an area",
        triangles,
    );
    add(
        first(&report.duplicate_triangles, triangle),
        "triangle that is there twice",
        "triangles that are there twice",
        triangles,
    );
    add(
        first(&report.crossing_triangles, pair),
        "pair of triangles that cross",
        "pairs of triangles that cross",
        triangles,
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

/// How many, the first of them, and the middle of the first one: "[1, 8], [4, 5], …; the first is at (1, 0, 0)".
fn first<T>(places: &Places<T>, tell: impl Fn(&T) -> (String, DVec3)) -> Option<(usize, String)> {
    /// Limit: the places of a fault fit one line of a terminal.
    const SHOWN: usize = 4;
    let told: Vec<(String, DVec3)> = places.first.iter().take(SHOWN).map(tell).collect();
    let (one, place) = told.first()?;
    let place = shown(*place);
    let more = if places.count > SHOWN { ", …" } else { "" };
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    if *one == place {
        return Some((places.count, format!("at {names}{more}")));
    }
    let the_first = if places.count > 1 { "the first" } else { "it" };
    Some((places.count, format!("{names}{more}; {the_first} is at {place}")))
}

fn shown(place: DVec3) -> String {
    let [x, y, z] = place.to_array().map(|x| short(x, 6));
    format!("({x}, {y}, {z})")
}
