//! From triangles to faces: neighbours in exactly one plane become one polygon.

use super::Loops;
use super::quickhull::HullTriangle;
use glam::DVec3;

/// The boundary loops of the faces of a triangulated convex surface, without vertices that are not extreme.
pub(super) fn merge(points: &[DVec3], triangles: &[HullTriangle]) -> Loops {
    let face_of = group(points, triangles);
    let loops = trace(triangles, &face_of);

    // A vertex inside a face is on no loop, one inside an edge on two; an extreme point is on three or more, because
    // fewer planes do not meet in a point.
    let mut count = vec![0_u32; points.len()];
    for &v in &loops.vertices {
        count[v as usize] += 1;
    }
    let mut kept = Loops::default();
    for ring in loops.iter() {
        kept.push(ring.iter().copied().filter(|&v| count[v as usize] >= 3));
    }
    kept
}

/// A number per triangle that is the same for triangles of one face: those connected by flat sides. The triangles of
/// a face fill a convex polygon, so they are connected.
fn group(points: &[DVec3], triangles: &[HullTriangle]) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..triangles.len() as u32).collect();
    for (this, triangle) in triangles.iter().enumerate() {
        for twin in triangle.twins {
            let other = twin as usize / 3;
            let opposite = triangles[other].vertices[(twin as usize + 2) % 3];
            if this < other && triangle.height(points, opposite) == 0.0 {
                let (a, b) = (root(&mut parent, this as u32), root(&mut parent, other as u32));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
    }
    (0..triangles.len() as u32).map(|i| root(&mut parent, i)).collect()
}

/// The representative of a set, halving the path to it on the way.
fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

/// Walks around every face.
fn trace(triangles: &[HullTriangle], face_of: &[u32]) -> Loops {
    let twin = |half_edge: u32| triangles[half_edge as usize / 3].twins[half_edge as usize % 3];
    let tail = |half_edge: u32| triangles[half_edge as usize / 3].vertices[half_edge as usize % 3];
    let face = |half_edge: u32| face_of[half_edge as usize / 3];
    let is_border = |half_edge: u32| face(half_edge) != face(twin(half_edge));
    let next = |half_edge: u32| half_edge - half_edge % 3 + (half_edge + 1) % 3;

    let mut loops = Loops::default();
    let mut ring = Vec::new();
    let mut seen = vec![false; 3 * triangles.len()];
    for start in 0..3 * triangles.len() as u32 {
        if seen[start as usize] || !is_border(start) {
            continue;
        }
        ring.clear();
        let mut side = start;
        loop {
            seen[side as usize] = true;
            ring.push(tail(side));
            // The next border side starts where this one ends: turn about that vertex, inside the face.
            side = next(side);
            while !is_border(side) {
                side = next(twin(side));
            }
            if side == start {
                break;
            }
        }
        loops.push(ring.iter().copied());
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull::quickhull::triangulate;

    #[test]
    fn points_on_edges_and_faces_vanish_even_if_they_were_corners_of_the_start() {
        // The corner (1, 0, 0) is the middle of an edge of the final square pyramid, (1, 1, 0) the middle of its base.
        let points = [[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 3], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 2, 0]]
            .map(|p: [i32; 3]| DVec3::from_array(p.map(f64::from)));
        let loops = merge(&points, &triangulate(&points, [1, 0, 2, 3]));
        let mut sizes: Vec<usize> = loops.iter().map(<[u32]>::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [3, 3, 3, 3, 4]);
        assert!(loops.vertices.iter().all(|v| [2, 3, 4, 5, 6].contains(v)));
    }
}
