//! `clearance check --fill-holes`: the boundary loops of open meshes are closed, and each is reported.

use super::print::short;
use crate::output::printable;
use clearance::math::DVec3;
use clearance::shape::{FilledMesh, Hole, Mesh};
use clearance::{Pose, Shape};
use clearance_io::{Scene, counted};
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

/// A boundary loop that was closed; a line of JSON has these fields.
#[derive(Debug, Clone, Serialize)]
pub struct FilledHole {
    /// The mesh: a body, or a part of one.
    pub mesh: String,
    /// The edges of the loop, their length, and the diagonal of the box around them.
    pub edges: usize,
    pub perimeter: f64,
    pub diameter: f64,
    /// The mean of its vertices, in the world at time zero.
    pub center: [f64; 3],
}

impl FilledHole {
    fn new(mesh: &str, hole: &Hole, pose: &Pose) -> Self {
        let Hole { edges, perimeter, diameter, center } = *hole;
        Self { mesh: mesh.into(), edges, perimeter, diameter, center: pose.transform_point(center).to_array() }
    }
}

/// The name of a mesh that is part of a body.
pub fn name_of(body: &str, part: Option<usize>) -> String {
    part.map_or_else(|| body.to_owned(), |part| format!("{body}, part {part}"))
}

/// The parts of a shape that are no compounds, with their numbers, if it is one, and their poses in its frame.
pub fn parts(shape: &Shape) -> Vec<(Option<usize>, &Shape, Pose)> {
    match shape {
        Shape::Compound(compound) => {
            let parts = compound.parts().iter().enumerate();
            parts.map(|(number, part)| (Some(number), &part.shape, part.pose)).collect()
        }
        _ => vec![(None, shape, Pose::IDENTITY)],
    }
}

/// Closes the boundary loops of all open meshes of a scene, those in compounds too. Instances of one mesh are filled once.
///
/// # Errors
///
/// A sentence if a body cannot be built of its filled parts.
pub fn fill_holes(scene: &mut Scene) -> Result<Vec<FilledHole>, String> {
    let mut made: HashMap<*const Mesh, (Shape, Vec<Hole>)> = HashMap::new();
    // Addresses are only compared while the meshes live.
    let mut kept = Vec::new();
    let mut holes = Vec::new();
    let Scene { bodies, numbers, .. } = scene;
    for body in bodies {
        let is_open = |shape: &Shape| shape.as_mesh().is_some_and(|mesh| !mesh.is_solid());
        if !parts(&body.shape).iter().any(|(_, shape, _)| is_open(shape)) {
            continue;
        }
        let mut filled = |shape: &Shape, mesh: &str, pose: Pose| match shape {
            Shape::Mesh(open) if !open.is_solid() => {
                let (shape, found) = made.entry(Arc::as_ptr(open)).or_insert_with(|| {
                    kept.push(Arc::clone(open));
                    let FilledMesh { mesh, filled, .. } = open.filled();
                    let shape = Shape::Mesh(Arc::new(mesh));
                    // The triangles of the file are those before.
                    if let Some(known) = numbers.of(open).cloned() {
                        numbers.add(&shape, &known);
                    }
                    (shape, filled)
                });
                holes.extend(found.iter().map(|hole| FilledHole::new(mesh, hole, &pose)));
                shape.clone()
            }
            _ => shape.clone(),
        };
        let shapes: Vec<(Shape, Pose)> = parts(&body.shape)
            .into_iter()
            .map(|(part, shape, pose)| (filled(shape, &name_of(&body.name, part), body.pose * pose), pose))
            .collect();
        body.shape = match &body.shape {
            Shape::Compound(_) => Shape::compound(shapes).map_err(|error| format!("{}: {error}", body.name))?,
            _ => shapes.into_iter().next().map_or_else(|| body.shape.clone(), |(shape, _)| shape),
        };
        // Evidence would be about another shape than the one that was written.
        body.written = None;
    }
    Ok(holes)
}

/// Loops of edges that a table lists. Limit: one screen; a damaged mesh can have thousands.
const TOLD: usize = 20;

/// A line for every loop.
pub fn table(out: &mut impl Write, holes: &[FilledHole]) -> io::Result<()> {
    for FilledHole { mesh, edges, perimeter, diameter, center } in holes.iter().take(TOLD) {
        let [x, y, z] = DVec3::from(*center).to_array().map(|x| short(x, 4));
        writeln!(
            out,
            "{}: a hole of {edges} edges was filled near ({x}, {y}, {z}): perimeter {}, diameter {}",
            printable(mesh),
            short(*perimeter, 4),
            short(*diameter, 4)
        )?;
    }
    match holes.len().saturating_sub(TOLD) as u64 {
        0 => Ok(()),
        rest => writeln!(out, "{} more were filled; --json has all.", counted(rest, "hole", "holes")),
    }
}
