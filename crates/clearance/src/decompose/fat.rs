//! A few large inner pieces, for solids that take too many exact ones.
//!
//! A rough surface has a dent at every other vertex, so cutting and growing find thousands of pieces, after minutes. A few pieces that keep
//! a small distance from the surface have nearly all of the volume. A piece is found around a point as in IRIS (Deits, Tedrake, *Computing
//! large convex regions of obstacle-free space through semidefinite programming*, 2015). The plane through the closest point of the nearest triangle,
//! orthogonal to the shortest segment, removes that triangle and everything beyond, until no triangle is left. The metric is
//! then taken from the piece. If that needs too many planes, as at a fine curved mesh, each plane is moved
//! inward by a fraction of its distance, and removes more.
//!
//! Invariant: everything here is computed in doubles. A piece is kept only if `inclusion.rs` *proves* that it is inside.

use super::grow::{closest_to_origin, metric_of};
use super::reflex::{proved, volume};
use crate::shape::polytope::convex_hull;
use crate::shape::{Mesh, Polytope, Side};
use crate::tuning::decompose::INNER_FACES;
use crate::tuning::decompose::INNER_PIECES;
use crate::tuning::decompose::INNER_ROUNDS;
use crate::tuning::decompose::INNER_SEEDS;
use crate::tuning::decompose::INNER_TRIANGLES;
use crate::tuning::decompose::INSET_PLANES;
use crate::tuning::decompose::SEEDS_BEHIND;
use glam::{DMat3, DVec3};

/// Convex pieces that are proved to be inside a solid. Seeds alternate between the deepest place in no piece yet and a place behind the
/// vertex farthest from all pieces, since another body meets protruding parts first.
pub(super) fn fat_pieces(mesh: &Mesh) -> Vec<Polytope> {
    let count = mesh.triangles().len();
    let triangles: Vec<[DVec3; 3]> = (0..count as u32).map(|t| mesh.corners(t)).collect();
    let most = (INNER_TRIANGLES / count.max(1)).clamp(INNER_PIECES[0], INNER_PIECES[1]);
    let mut places = places(mesh, &triangles);
    let mut peaks: Vec<Peak> = mesh.vertices().iter().map(|&at| Peak { at, ..Peak::default() }).collect();
    let mut pieces: Vec<Polytope> = Vec::new();
    // A failed seed costs as much as a piece, so seeds are limited as well.
    for round in 0..2 * most {
        if pieces.len() == most {
            break;
        }
        let seed = if round % 2 == 1 { farthest(mesh, &mut peaks) } else { None };
        let Some(seed) = seed.or_else(|| deepest(&mut places)) else { continue };
        let Some(piece) = piece_around(mesh, &triangles, seed) else { continue };
        places.retain(|(place, _)| height_above(&piece, *place) > 0.0);
        peaks.iter_mut().for_each(|peak| peak.update(&piece));
        pieces.push(piece);
    }
    pieces
}

/// Height of a point above a piece, along the normals of its faces.
fn height_above(piece: &Polytope, at: DVec3) -> f64 {
    piece.faces().map(|face| face.normal.dot(at) - face.offset).fold(f64::NEG_INFINITY, f64::max)
}

/// A vertex, how far it is from the closest piece, and the middle of that.
#[derive(Debug, Clone, Copy)]
struct Peak {
    at: DVec3,
    height: f64,
    middle: DVec3,
}

impl Default for Peak {
    fn default() -> Self {
        Self { at: DVec3::ZERO, height: f64::INFINITY, middle: DVec3::ZERO }
    }
}

impl Peak {
    fn update(&mut self, piece: &Polytope) {
        let height = height_above(piece, self.at);
        if height < self.height {
            (self.height, self.middle) = (height, piece.center());
        }
    }
}

/// A place near the vertex farthest from all pieces, toward the closest of them. Removes the vertex.
fn farthest(mesh: &Mesh, peaks: &mut Vec<Peak>) -> Option<DVec3> {
    let best = (0..peaks.len()).max_by(|&i, &j| peaks[i].height.total_cmp(&peaks[j].height))?;
    let Peak { at, height, middle } = peaks.swap_remove(best);
    let candidates = [0.1, 0.03, 0.01].map(|part| at + (middle - at) * part);
    let is_worth_it = height.is_finite() && height > 1e-3 * at.distance(middle);
    candidates.into_iter().find(|&place| is_worth_it && mesh.side_of(place) == Side::Inside)
}

/// Removes and returns the deepest place.
fn deepest(places: &mut Vec<(DVec3, f64)>) -> Option<DVec3> {
    let best = (0..places.len()).max_by(|&i, &j| places[i].1.total_cmp(&places[j].1))?;
    Some(places.swap_remove(best).0)
}

/// Points inside the solid with their approximate depth: on a grid, and behind some triangles, where the solid may be thin.
fn places(mesh: &Mesh, triangles: &[[DVec3; 3]]) -> Vec<(DVec3, f64)> {
    let bounds = mesh.aabb();
    let size = (bounds.max - bounds.min).max_element();
    let step = size / INNER_SEEDS as f64;
    let is_inside = |at: DVec3| mesh.side_of(at) == Side::Inside;
    // Irregular fractions keep places off planes of symmetry.
    let first = bounds.min + step * DVec3::new(0.4771, 0.3169, 0.4137);
    let counts = ((bounds.max - bounds.min) / step).ceil();
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for x in 0..counts.x as usize {
        for y in 0..counts.y as usize {
            for z in 0..counts.z as usize {
                let at = first + step * DVec3::new(x as f64, y as f64, z as f64);
                if is_inside(at) { &mut inside } else { &mut outside }.push(at);
            }
        }
    }
    let to_box = |at: DVec3| (at - bounds.min).min(bounds.max - at).min_element();
    let depth = |at: DVec3| {
        let least = outside.iter().map(|other| at.distance_squared(*other)).fold(f64::INFINITY, f64::min);
        least.sqrt().min(to_box(at))
    };
    let mut places: Vec<(DVec3, f64)> = inside.iter().map(|&at| (at, depth(at))).collect();
    let sign = mesh.volume().signum();
    for [a, b, c] in triangles.iter().step_by(triangles.len().div_ceil(SEEDS_BEHIND).max(1)) {
        let Some(normal) = ((*b - *a).cross(*c - *a) * sign).try_normalize() else { continue };
        let middle = (*a + *b + *c) / 3.0;
        let behind = [0.02, 0.003].map(|part| part * size);
        let found = behind.into_iter().map(|by| (middle - by * normal, 0.5 * by)).find(|(at, _)| is_inside(*at));
        places.extend(found);
    }
    places
}

/// The largest piece that is found around a place and proved to be inside.
fn piece_around(mesh: &Mesh, triangles: &[[DVec3; 3]], seed: DVec3) -> Option<Polytope> {
    let mut best = around(triangles, seed, DMat3::IDENTITY)?;
    let mut largest = volume(&best);
    for _ in 1..INNER_ROUNDS {
        let middle = best.center();
        let arms: Vec<DVec3> = best.vertices().iter().map(|&vertex| vertex - middle).collect();
        let Some(next) = around(triangles, middle, metric_of(&arms)) else { break };
        let larger = volume(&next);
        if larger <= largest * 1.01 {
            break;
        }
        (best, largest) = (next, larger);
    }
    proved(mesh, best.vertices())
}

/// A piece around a point, with distances measured by a metric, and with few faces where possible.
fn around(triangles: &[[DVec3; 3]], middle: DVec3, metric: DMat3) -> Option<Polytope> {
    let mut order: Vec<(f64, DVec3, [DVec3; 3])> = triangles
        .iter()
        .map(|corners| {
            let placed = corners.map(|corner| metric * (corner - middle));
            let closest = closest_to_origin(placed);
            (closest.length(), closest, placed)
        })
        .collect();
    order.sort_by(|p, q| p.0.total_cmp(&q.0));
    INSET_PLANES.iter().find_map(|&part| {
        let feet = planes(&order, 1.0 - part)?;
        // Planes `y·f <= |f|²` meet in the faces of the hull of all f / |f|².
        let dual: Vec<DVec3> = feet.iter().map(|foot| *foot / foot.length_squared()).collect();
        let dual = convex_hull(&dual).ok().filter(|dual| dual.dimension() == 3)?;
        let back = metric.inverse();
        let corners =
            dual.faces().filter(|face| face.offset > 0.0).map(|face| middle + back * (face.normal / face.offset));
        convex_hull(&corners.collect::<Vec<_>>()).ok().filter(|piece| piece.dimension() == 3)
    })
}

/// The points closest to the origin of planes that together exclude all triangles; `None` if there are too many.
fn planes(order: &[(f64, DVec3, [DVec3; 3])], moved: f64) -> Option<Vec<DVec3>> {
    let mut feet: Vec<DVec3> = Vec::new();
    let mut alive: Vec<&(f64, DVec3, [DVec3; 3])> = order.iter().collect();
    while let Some(&&(distance, closest, _)) = alive.first() {
        // Written so that a NaN ends it.
        if feet.len() >= INNER_FACES || !(distance > 0.0) {
            return None;
        }
        let foot = closest * moved;
        // The plane is moved inward by more than the rounding error of its foot and height.
        let height = foot.length_squared() * (1.0 - 1e-12);
        feet.push(foot);
        // Its own triangle is beyond the plane by construction, whatever the rounding error.
        alive.remove(0);
        alive.retain(|(_, _, corners)| corners.iter().any(|corner| corner.dot(foot) < height));
    }
    Some(feet)
}

#[cfg(test)]
mod tests {
    use super::super::inclusion::prove_inner;
    use super::*;

    /// A sphere with a bump or a dent at every vertex.
    fn rough(around: u32, rings: u32, noise: f64) -> Mesh {
        let mut state = 3_u64;
        let mut drawn = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut vertices = vec![DVec3::Z];
        for ring in 1..rings {
            for k in 0..around {
                let (down, turn) = (f64::from(ring) / f64::from(rings), f64::from(k) / f64::from(around));
                let (down, turn) = (std::f64::consts::PI * down, std::f64::consts::TAU * turn);
                let at = DVec3::new(down.sin() * turn.cos(), down.sin() * turn.sin(), down.cos());
                vertices.push(at * (1.0 + noise * drawn()));
            }
        }
        vertices.push(-DVec3::Z);
        let at = |ring: u32, k: u32| 1 + (ring - 1) * around + k % around;
        let last = vertices.len() as u32 - 1;
        let mut triangles = Vec::new();
        for k in 0..around {
            triangles.push([0, at(1, k), at(1, k + 1)]);
            triangles.push([last, at(rings - 1, k + 1), at(rings - 1, k)]);
            for ring in 1..rings - 1 {
                triangles.push([at(ring, k), at(ring + 1, k), at(ring + 1, k + 1)]);
                triangles.push([at(ring, k), at(ring + 1, k + 1), at(ring, k + 1)]);
            }
        }
        Mesh::new(&vertices, &triangles).expect("a sphere is a mesh")
    }

    /// They are inside, and the first of a rough sphere has nearly all of it; however fine the mesh is, there are few of few faces.
    #[test]
    fn slow_a_rough_sphere_is_mostly_one_piece() {
        for (around, rings, noise, least) in [(16, 8, 0.05, 0.7), (40, 24, 0.02, 0.85), (40, 24, 0.2, 0.4)] {
            let mesh = rough(around, rings, noise);
            let pieces = fat_pieces(&mesh);
            assert!(!pieces.is_empty() && pieces.len() <= INNER_PIECES[1]);
            assert!(pieces.iter().all(|piece| prove_inner(&mesh, piece).is_proven()));
            // A face whose corners are rounded is several; three planes meet in a corner, of which there are fewer than twice as many.
            assert!(pieces.iter().all(|piece| piece.vertex_count() < 2 * INNER_FACES), "few faces");
            let largest = pieces.iter().map(volume).fold(0.0, f64::max);
            assert!(largest > least * mesh.volume(), "{noise}: {largest} of {}", mesh.volume());
        }
    }
}
