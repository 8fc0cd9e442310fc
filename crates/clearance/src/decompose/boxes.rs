//! Outer pieces: convex hulls of the parts of a solid in axis-aligned boxes.
//!
//! The part of a solid in a box has the same hull as two sets together: its surface in the box, and the box corners inside the solid.
//! Any other point of the part lies within a segment of the part. The box whose hull has the largest excess volume is split
//! where the split removes most of the volume.
//!
//! Invariant: everything here is computed in doubles, and the hulls are enlarged by `MARGIN`. `inclusion.rs` proves that they cover.

use crate::hull::boundary;
use crate::math::Aabb;
use crate::shape::polytope::convex_hull;
use crate::shape::{Mesh, Polytope, Side};
use crate::tuning::decompose::MAX_EXCESS;
use crate::tuning::decompose::SAMPLES;
use crate::tuning::decompose::SPLIT_PLACES;
use crate::tuning::decompose::SPLIT_TRIANGLES;
use glam::DVec3;

/// Enlargement of the hulls, as a part of their size. Bound: far above the rounding error of a hull, 1e-13 of its size, so that `inclusion.rs`
/// can prove the cover.
const MARGIN: f64 = 1e-9;

struct BoxPart {
    bounds: Aabb,
    triangles: Vec<u32>,
    /// The points whose hull is taken.
    points: Vec<DVec3>,
    volume: f64,
    /// Estimated volume of the hull outside the solid.
    excess: f64,
}

/// At most `count` hulls that cover a solid.
pub(super) fn hulls(mesh: &Mesh, count: usize) -> Vec<Polytope> {
    let bounds = mesh.aabb();
    let margin = MARGIN * (bounds.max - bounds.min).max_element();
    let Some(whole) = part(mesh, bounds.grown(margin), &(0..mesh.triangles().len() as u32).collect::<Vec<_>>()) else {
        return Vec::new();
    };
    let enough = MAX_EXCESS * whole.volume / count as f64;
    let mut parts = vec![whole];
    let mut done = Vec::new();
    while parts.len() + done.len() < count {
        let Some(worst) = (0..parts.len()).max_by(|&i, &j| parts[i].excess.total_cmp(&parts[j].excess)) else { break };
        let worst = parts.swap_remove(worst);
        if worst.excess <= enough {
            done.push(worst);
            break;
        }
        match split(mesh, &worst) {
            Some(halves) => parts.extend(halves),
            None => done.push(worst),
        }
    }
    parts.iter().chain(&done).filter_map(|part| larger(&part.points)).collect()
}

fn larger(points: &[DVec3]) -> Option<Polytope> {
    let hull = convex_hull(points).ok()?;
    let middle = hull.center();
    convex_hull(&hull.vertices().iter().map(|&v| v + (v - middle) * MARGIN).collect::<Vec<_>>()).ok()
}

/// The part of a solid in a box; `None` if its hull has no volume.
fn part(mesh: &Mesh, bounds: Aabb, candidates: &[u32]) -> Option<BoxPart> {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for &t in candidates {
        let ring = clipped(mesh.corners(t), &bounds);
        if !ring.is_empty() {
            triangles.push(t);
            points.extend(ring);
        }
    }
    let corner = |i: usize| {
        let end = |k: usize| if i >> k & 1 == 0 { bounds.min[k] } else { bounds.max[k] };
        DVec3::new(end(0), end(1), end(2))
    };
    points.extend((0..8).map(corner).filter(|&at| mesh.side_of(at) != Side::Outside));
    let volume = hull_volume(&points)?;
    let excess = volume - filled(mesh, &bounds);
    Some(BoxPart { bounds, triangles, points, volume, excess })
}

/// Estimated volume of the solid in a box.
fn filled(mesh: &Mesh, bounds: &Aabb) -> f64 {
    let size = bounds.max - bounds.min;
    let count = SAMPLES.pow(3);
    let at = |i: u32| {
        [i % SAMPLES, i / SAMPLES % SAMPLES, i / SAMPLES / SAMPLES].map(|k| (f64::from(k) + 0.5) / f64::from(SAMPLES))
    };
    let inside =
        (0..count).filter(|&i| mesh.side_of(bounds.min + size * DVec3::from_array(at(i))) != Side::Outside).count();
    size.x * size.y * size.z * inside as f64 / f64::from(count)
}

/// The split of a part that leaves the least total hull volume.
fn split(mesh: &Mesh, whole: &BoxPart) -> Option<[BoxPart; 2]> {
    let fractions: &[f64] = if whole.triangles.len() > SPLIT_TRIANGLES { &SPLIT_PLACES[..1] } else { &SPLIT_PLACES };
    let bounds = whole.bounds;
    let mut best: Option<(f64, [BoxPart; 2])> = None;
    for axis in 0..3 {
        for &fraction in fractions {
            let at = bounds.min[axis] + fraction * (bounds.max[axis] - bounds.min[axis]);
            let [mut low, mut high] = [bounds; 2];
            (low.max[axis], high.min[axis]) = (at, at);
            let [Some(low), Some(high)] = [low, high].map(|bounds| part(mesh, bounds, &whole.triangles)) else {
                continue;
            };
            let volume = low.volume + high.volume;
            if best.as_ref().is_none_or(|best| volume < best.0) {
                best = Some((volume, [low, high]));
            }
        }
    }
    best.map(|(_, halves)| halves)
}

/// Clips a triangle to a box.
fn clipped(corners: [DVec3; 3], bounds: &Aabb) -> Vec<DVec3> {
    let mut ring = corners.to_vec();
    for axis in 0..3 {
        for (sign, end) in [(1.0, bounds.max[axis]), (-1.0, bounds.min[axis])] {
            let height = |p: DVec3| sign * (p[axis] - end);
            if ring.iter().all(|&p| height(p) <= 0.0) {
                continue;
            }
            let mut left = Vec::with_capacity(ring.len() + 1);
            for (i, &p) in ring.iter().enumerate() {
                let q = ring[(i + 1) % ring.len()];
                if height(p) <= 0.0 {
                    left.push(p);
                }
                if height(p) * height(q) < 0.0 {
                    let mut at = p + (q - p) * (height(p) / (height(p) - height(q)));
                    at[axis] = end;
                    left.push(at);
                }
            }
            ring = left;
        }
    }
    ring
}

/// The volume of a hull; `None` if it is flat.
fn hull_volume(points: &[DVec3]) -> Option<f64> {
    let hull = boundary(points).ok().filter(|hull| hull.dimension == 3)?;
    let first = hull.vertices[0];
    let of_face = |range: &[u32]| -> f64 {
        let ring = &hull.loop_vertices[range[0] as usize..range[1] as usize];
        let at = |k: usize| hull.vertices[ring[k] as usize] - first;
        (2..ring.len()).map(|k| at(0).dot(at(k - 1).cross(at(k)))).sum()
    };
    Some(hull.loop_starts.windows(2).map(of_face).sum::<f64>() / 6.0)
}
