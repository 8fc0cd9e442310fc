//! Convex surface decomposition: the surface in patches, each on the boundary of its own convex hull.
//!
//! Greedy growth on the dual graph of the surface, as in the penetration-depth paper (PD 4.1, after Ehmann and Lin): from a triangle to
//! its neighbours, as long as the patch stays convex.
//!
//! **Convex** means: every corner of the patch is behind or on the plane of every triangle of it. Then that plane supports the hull of the
//! patch, and the triangle lies on the hull's boundary.
//!
//! **Correction.** The paper assumes that the hull of a patch is inside the solid. That fails where another sheet of the surface passes
//! through it: a cavity, or a dent behind the patch. A patch here ends before any triangle enters the interior of its hull: the
//! longest prefix of its triangles without such an entry is kept. A longer prefix has a larger hull, so bisection finds it.
//!
//! Invariant: all of this is decided by exact signs.

use super::context::Context;
use super::inclusion::Doubt;
use super::number::Number;
use super::space::PlaneSide;
use crate::shape::polytope::convex_hull;
use crate::shape::{Mesh, Polytope};
use glam::DVec3;
use rustc_hash::FxHashMap;

/// A patch of a surface, and its hull.
#[derive(Debug, Clone)]
pub struct SurfacePatch {
    /// The numbers of its triangles, in the order in which they were found: each has an edge in common with an earlier one.
    pub triangles: Vec<u32>,
    /// The hull of its corners; flat if the patch is.
    pub hull: Polytope,
    /// For each face of the hull: is all of it surface of the patch? The others are virtual: they close the hull, in the solid or across a
    /// bay of the patch.
    pub is_original: Vec<bool>,
}

/// Decomposes the surface of a mesh into convex patches. Every triangle is in exactly one.
///
/// A triangle without an area is a patch of its own.
///
/// # Errors
///
/// If the coordinates are too fine for exact signs ([`Doubt::TooFine`]).
///
/// ```
/// use clearance::decompose::surface_patches;
/// use clearance::shape::Mesh;
///
/// // Convex: one patch, and its hull has no other faces.
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let patches = surface_patches(&mesh).expect("plain coordinates");
/// assert_eq!(patches.len(), 1);
/// assert_eq!(patches[0].is_original, [true; 4]);
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn surface_patches(mesh: &Mesh) -> Result<Vec<SurfacePatch>, Doubt> {
    // A patch is convex seen from outside.
    let turned = mesh.turned_outward();
    let mesh = turned.as_ref().unwrap_or(mesh);
    let mut context = Context::new(mesh, &[]).ok_or(Doubt::TooFine)?;
    let neighbours = neighbours(mesh);
    let count = mesh.triangles().len();
    let mut is_taken = vec![false; count];
    let mut patches = Vec::new();
    for seed in 0..count as u32 {
        if is_taken[seed as usize] {
            continue;
        }
        let mut triangles = grown(&mut context, &neighbours, &is_taken, seed);
        triangles.truncate(longest_beginning(&mut context, &triangles));
        triangles.iter().for_each(|&triangle| is_taken[triangle as usize] = true);
        let Ok(hull) = convex_hull(&corners(mesh, &triangles)) else { return Err(Doubt::TooFine) };
        let is_original = original_faces(&mut context, &triangles, &hull);
        patches.push(SurfacePatch { triangles, hull, is_original });
    }
    Ok(patches)
}

/// For each triangle those across its sides, where just one other triangle runs through the side the other way.
fn neighbours(mesh: &Mesh) -> Vec<[Option<u32>; 3]> {
    let mut sides: FxHashMap<[u32; 2], (u32, u32)> = FxHashMap::default();
    for (t, &[a, b, c]) in mesh.triangles().iter().enumerate() {
        for side in [[a, b], [b, c], [c, a]] {
            sides.entry(side).or_insert((t as u32, 0)).1 += 1;
        }
    }
    let across = |[a, b]: [u32; 2]| {
        let once = |side: [u32; 2]| sides.get(&side).filter(|(_, count)| *count == 1).map(|(t, _)| *t);
        once([a, b]).and(once([b, a]))
    };
    mesh.triangles().iter().map(|&[a, b, c]| [[a, b], [b, c], [c, a]].map(across)).collect()
}

/// The triangles around a seed that make a convex patch with it, in the order of their distance on the dual graph.
fn grown(context: &mut Context, neighbours: &[[Option<u32>; 3]], is_taken: &[bool], seed: u32) -> Vec<u32> {
    let mut patch = vec![seed];
    if context.behind[seed as usize].is_none() {
        return patch;
    }
    let point = |context: &mut Context, corner: u32| {
        let vertex = context.mesh.vertices()[corner as usize];
        context.space.input_point(vertex)
    };
    let mut points: Vec<u32> = context.mesh.triangles()[seed as usize].map(|corner| point(context, corner)).to_vec();
    let mut planes: Vec<PlaneSide> = context.behind[seed as usize].into_iter().collect();
    let mut at = 0;
    while at < patch.len() {
        for next in neighbours[patch[at] as usize].into_iter().flatten() {
            let Some(behind) = context.behind[next as usize] else { continue };
            if is_taken[next as usize] || patch.contains(&next) {
                continue;
            }
            let corners = context.mesh.triangles()[next as usize].map(|corner| point(context, corner));
            let is_convex = points.iter().all(|&point| context.space.outside(behind, point) <= 0)
                && planes.iter().all(|&half| corners.iter().all(|&corner| context.space.outside(half, corner) <= 0));
            if is_convex {
                patch.push(next);
                points.extend(corners.iter().filter(|corner| !points.contains(corner)).copied().collect::<Vec<_>>());
                if !planes.contains(&behind) {
                    planes.push(behind);
                }
            }
        }
        at += 1;
    }
    patch
}

fn corners(mesh: &Mesh, triangles: &[u32]) -> Vec<DVec3> {
    triangles.iter().flat_map(|&triangle| mesh.corners(triangle)).collect()
}

/// How many triangles from the first make a hull whose interior no triangle enters.
fn longest_beginning(context: &mut Context, triangles: &[u32]) -> usize {
    if !is_entered(context, triangles) {
        return triangles.len();
    }
    // One triangle has a flat hull, which has no interior.
    let (mut good, mut bad) = (1, triangles.len());
    while good + 1 < bad {
        let middle = good.midpoint(bad);
        if is_entered(context, &triangles[..middle]) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    good
}

fn is_entered(context: &mut Context, triangles: &[u32]) -> bool {
    let Ok(hull) = convex_hull(&corners(context.mesh, triangles)) else { return true };
    let bounds = hull.aabb();
    context.halves(&hull).is_some_and(|halves| !context.entering(&halves, &bounds).is_empty())
}

/// A face is original if the triangles of the patch in its plane have the area of the face; seen along an axis, exactly.
fn original_faces(context: &mut Context, triangles: &[u32], hull: &Polytope) -> Vec<bool> {
    (0..hull.face_count() as u32)
        .map(|f| {
            let face = hull.face(f);
            let ring: Vec<DVec3> = face.vertices.iter().map(|&v| hull.vertex(v)).collect();
            let Some(half) = context.space.below([ring[0], ring[1], ring[2]]) else { return false };
            let axis = (0..3).fold(0, |best, k| if face.normal[k].abs() > face.normal[best].abs() { k } else { best });
            let in_plane = triangles.iter().filter(|&&t| context.behind[t as usize] == Some(half));
            let covered = in_plane.map(|&t| area(context, axis, &context.mesh.corners(t)));
            let covered = covered.fold(Number::default(), |sum, area| &sum + &area);
            (&covered - &area(context, axis, &ring)).is_zero()
        })
        .collect()
}

/// Twice the area of a polygon seen along an axis, exactly.
fn area(context: &Context, axis: usize, ring: &[DVec3]) -> Number {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let ring: Vec<[Number; 2]> = ring
        .iter()
        .map(|&corner| {
            let corner = context.space.scaled(corner);
            [corner[u], corner[v]].map(Number::from)
        })
        .collect();
    let mut sum = Number::default();
    for (i, p) in ring.iter().enumerate() {
        let q = &ring[(i + 1) % ring.len()];
        sum = &sum + &(&(&p[0] * &q[1]) - &(&p[1] * &q[0]));
    }
    sum
}
