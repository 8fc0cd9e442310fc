//! Convex sets of points as half-spaces, flat ones too, and how large they are.

use crate::hull::{Boundary, boundary};
use crate::math::Aabb;
use crate::shape::Polytope;
use glam::DVec3;

/// The half-spaces `normal·x <= offset` whose intersection contains a piece, with unit normals, and the box around it.
#[derive(Debug)]
pub(super) struct Halves {
    pub halves: Vec<(DVec3, f64)>,
    pub bounds: Aabb,
    /// Estimated smallest width.
    pub thickness: f64,
}

/// Limit: the directions along which the width of a piece is measured; their number does not matter for what is proved.
const WIDTHS: usize = 64;

impl Halves {
    /// The faces of a piece. A flat piece has planes through its sides, too; a segment lies between planes along it.
    pub fn of(piece: &Polytope) -> Self {
        let points = piece.vertices();
        let mut normals: Vec<DVec3> = piece.faces().map(|face| face.normal).collect();
        if piece.dimension() == 2 {
            let face = piece.face(0);
            let side = |i: usize| {
                let ends = [i, (i + 1) % face.vertices.len()].map(|i| piece.vertex(face.vertices[i]));
                (ends[1] - ends[0]).cross(face.normal).try_normalize()
            };
            normals.extend((0..face.vertices.len()).filter_map(side));
        } else if let ([from, to], 1) = (points, piece.dimension())
            && let Some(along) = (*to - *from).try_normalize()
        {
            let (u, v) = along.any_orthonormal_pair();
            normals.extend([along, -along, u, -u, v, -v]);
        }
        // The offset is taken from the vertices, so that rounding of the normal does not cut any of them off.
        let offset = |normal: DVec3| points.iter().map(|at| normal.dot(*at)).fold(f64::NEG_INFINITY, f64::max);
        // Bound: a product of a unit vector and a point of size 1 rounds by less than 3 ε.
        let halves: Vec<(DVec3, f64)> =
            normals.into_iter().map(|normal| (normal, offset(normal) + 4.0 * f64::EPSILON)).collect();
        let bounds = piece.aabb();
        let widths = halves.iter().step_by(halves.len() / WIDTHS + 1).map(|(normal, upper)| upper + offset(-*normal));
        let thickness = widths.fold((bounds.max - bounds.min).min_element(), f64::min);
        Self { halves, bounds, thickness }
    }

    /// Height of a point above the highest of its planes.
    pub fn height(&self, at: DVec3) -> f64 {
        self.halves.iter().map(|(normal, offset)| normal.dot(at) - offset).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether a cube with this centre and half side is beyond one plane.
    pub fn is_beyond(&self, at: DVec3, half: f64) -> bool {
        let cube = Aabb { min: at - half, max: at + half };
        let is_beyond = |(normal, offset): &(DVec3, f64)| {
            // Bound: the product, the sum of three and the difference round by less than 12 ε, at a size of 1.
            normal.dot(at) - offset > half * normal.abs().element_sum() + 16.0 * f64::EPSILON
        };
        !cube.overlaps(&self.bounds) || self.halves.iter().any(is_beyond)
    }
}

/// Volume and area of a hull.
pub(super) fn measures(points: &[DVec3]) -> [f64; 2] {
    let Ok(Boundary { dimension, vertices, loop_starts, loop_vertices, .. }) = boundary(points) else {
        return [0.0; 2];
    };
    if dimension < 2 {
        return [0.0; 2];
    }
    let first = vertices[0];
    let (mut volume, mut area) = (0.0, 0.0);
    for range in loop_starts.windows(2) {
        let ring = &loop_vertices[range[0] as usize..range[1] as usize];
        let at = |k: usize| vertices[ring[k] as usize] - first;
        let twice: DVec3 = (2..ring.len()).map(|k| (at(k - 1) - at(0)).cross(at(k) - at(0))).sum();
        area += 0.5 * twice.length();
        volume += at(0).dot(twice) / 6.0;
    }
    [volume, area]
}
