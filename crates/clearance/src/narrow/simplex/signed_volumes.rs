//! The nearest point of a simplex by signed volumes: which side of each face is the origin on?
//!
//! Idea and name: M. Montanari, N. Petrinic, E. Barbieri, "Improving the GJK algorithm for faster and more reliable
//! distance queries between convex objects", ACM Transactions on Graphics 36(3), 2017.
//!
//! **Why not Johnson's determinants.** They are products of differences of dot products, so on a sliver they lose the
//! digits that decide. Here edges are subtracted first and volumes come from cross products of edges, and the nearest point of a triangle
//! is taken along its normal. Its direction stays accurate when its length is tiny, which makes the lower bound close at gaps of 1e-9.
//!
//! **Deviations.** The paper projects areas on a coordinate plane; we use the component along the normal, which needs no
//! choice of plane. It walks from volume to triangle to edge in one nested case table; we evaluate each face that the
//! origin is outside of and keep the nearest.

use super::{Nearest, Simplex, Subalgorithm};
use glam::DVec3;

/// Reduces a simplex by signed volumes; it has nothing to remember.
#[derive(Debug, Clone, Copy, Default)]
pub struct SignedVolumes;

impl Subalgorithm for SignedVolumes {
    const IS_PREFILTERED: bool = true;

    #[inline]
    fn inserted(&mut self, _simplex: &Simplex, _slot: usize) {}

    #[inline]
    fn reduce(&mut self, simplex: &mut Simplex, newest_needed: bool) -> Nearest {
        match simplex.members.count {
            0 => return Nearest::Nothing,
            1 => {
                let v = simplex.w(0);
                simplex.members.weights[0] = 1.0;
                return Nearest::Outside { v, length_squared: v.dot(v) };
            }
            2 => {
                let edge = segment(simplex.w(0), simplex.w(1), newest_needed);
                return keep(simplex, [0, 1, 1], SimplexPart { weight_b: 1.0 - edge.weight_a, ..edge });
            }
            3 => {
                let part = triangle(simplex.w(0), simplex.w(1), simplex.w(2), newest_needed);
                return keep(simplex, [0, 1, 2], part);
            }
            _ => {}
        }
        tetrahedron(simplex, newest_needed)
    }
}

/// The nearest point of a triangle and the corners whose hull holds it; a segment is a triangle without `c`.
#[derive(Clone, Copy)]
struct SimplexPart {
    v: DVec3,
    length_squared: f64,
    weight_a: f64,
    weight_b: f64,
    /// Bit 0, 1, 2: is a, b, c needed?
    corners: u8,
}

/// A bit for each corner of a triangle. Layout: `corners` of a part.
const A: u8 = 1;
const B: u8 = 2;
const C: u8 = 4;

/// Keeps the corners of `part`, where `positions` tells which members of the simplex its a, b, c are.
#[inline]
fn keep(simplex: &mut Simplex, positions: [usize; 3], part: SimplexPart) -> Nearest {
    let old = simplex.members.order;
    let weights = [part.weight_a, part.weight_b, (1.0 - part.weight_a - part.weight_b).max(0.0)];
    let mut count = 0;
    for corner in 0..3 {
        if part.corners >> corner & 1 == 1 {
            simplex.members.order[count] = old[positions[corner]];
            simplex.members.weights[count] = weights[corner];
            count += 1;
        }
    }
    simplex.members.count = count as u8;
    Nearest::Outside { v: part.v, length_squared: part.length_squared }
}

/// The nearest point of the segment from a to b, of which b is the newest.
#[inline(always)]
fn segment(a: DVec3, b: DVec3, newest_needed: bool) -> SimplexPart {
    let edge = a - b;
    // The projection of the origin on the edge, from b, in units of 1 / |edge|.
    let along = -b.dot(edge);
    let square = edge.dot(edge);
    // Written so that a NaN and an edge without length end here.
    if !(along > 0.0 && square > 0.0) {
        return SimplexPart { v: b, length_squared: b.dot(b), weight_a: 0.0, weight_b: 1.0, corners: B };
    }
    if along >= square && !newest_needed {
        return SimplexPart { v: a, length_squared: a.dot(a), weight_a: 1.0, weight_b: 0.0, corners: A };
    }
    let weight_a = (along / square).min(1.0);
    let v = b + weight_a * edge;
    SimplexPart { v, length_squared: v.dot(v), weight_a, weight_b: 1.0 - weight_a, corners: A | B }
}

/// The nearest point of a triangle, of which c is the newest corner.
#[inline(always)]
fn triangle(a: DVec3, b: DVec3, c: DVec3, newest_needed: bool) -> SimplexPart {
    let (ca, cb) = (a - c, b - c);
    let normal = ca.cross(cb);
    let area = normal.dot(normal);
    // The areas of the triangles that the projected origin makes with each edge, signed, in units of 1 / (4 area): the
    // barycentric coordinates but for the factor `area`.
    let lever = c.cross(normal);
    let area_a = cb.dot(lever);
    let area_b = -ca.dot(lever);
    let area_c = area - area_a - area_b;
    if area_a > 0.0 && area_b > 0.0 && area_c > 0.0 {
        let inverse = 1.0 / area;
        let height = normal.dot(c);
        return SimplexPart {
            v: normal * (height * inverse),
            length_squared: height * height * inverse,
            weight_a: area_a * inverse,
            weight_b: area_b * inverse,
            corners: A | B | C,
        };
    }
    let edge_ac = || {
        let part = segment(a, c, newest_needed);
        SimplexPart { weight_b: 0.0, corners: part.corners & A | (part.corners & B) << 1, ..part }
    };
    let edge_bc = || {
        let part = segment(b, c, newest_needed);
        SimplexPart { weight_a: 0.0, weight_b: part.weight_a, corners: part.corners << 1, ..part }
    };
    let (outside_a, outside_b) = (!(area_a > 0.0), !(area_b > 0.0));
    let mut best = match (outside_a, outside_b) {
        (true, false) => edge_bc(),
        (false, true) => edge_ac(),
        _ => nearer(edge_ac(), edge_bc()),
    };
    if !newest_needed && !(area_c > 0.0) {
        best = nearer(best, segment(a, b, false));
    }
    best
}

/// The nearest point of a tetrahedron, of which the last member is the newest.
fn tetrahedron(simplex: &mut Simplex, newest_needed: bool) -> Nearest {
    let [a, b, c, d] = [simplex.w(0), simplex.w(1), simplex.w(2), simplex.w(3)];
    let (da, db, dc) = (a - d, b - d, c - d);
    let (bc, ca, ab) = (db.cross(dc), dc.cross(da), da.cross(db));
    let volume = da.dot(bc);
    let sign = if volume < 0.0 { -1.0 } else { 1.0 };
    // Six times the volume of the origin with each face, positive where the origin is on the inner side.
    let (volume_a, volume_b, volume_c) = (-d.dot(bc) * sign, -d.dot(ca) * sign, -d.dot(ab) * sign);
    let volume_d = volume * sign - volume_a - volume_b - volume_c;
    let (outside_a, outside_b, outside_c) = (!(volume_a > 0.0), !(volume_b > 0.0), !(volume_c > 0.0));
    let outside_d = !(volume_d > 0.0);
    if !(outside_a || outside_b || outside_c || outside_d) {
        let inverse = 1.0 / (volume * sign);
        let (x, y, z) = (volume_a * inverse, volume_b * inverse, volume_c * inverse);
        simplex.members.weights = [x, y, z, (1.0 - x - y - z).max(0.0)];
        return Nearest::Inside;
    }
    let outside_d = outside_d && !newest_needed;
    // The origin is outside of no face that counts: rounding. Then every face is tested.
    let every = !(outside_a || outside_b || outside_c || outside_d);
    let mut best = SimplexPart { v: d, length_squared: f64::INFINITY, weight_a: 0.0, weight_b: 0.0, corners: 0 };
    let mut positions = [0; 3];
    let mut offer = |candidate: [usize; 3], part: SimplexPart| {
        if part.length_squared < best.length_squared {
            (best, positions) = (part, candidate);
        }
    };
    if outside_a || every {
        offer([1, 2, 3], triangle(b, c, d, newest_needed));
    }
    if outside_b || every {
        offer([0, 2, 3], triangle(a, c, d, newest_needed));
    }
    if outside_c || every {
        offer([0, 1, 3], triangle(a, b, d, newest_needed));
    }
    if outside_d {
        offer([0, 1, 2], triangle(a, b, c, false));
    }
    if best.corners == 0 { Nearest::Nothing } else { keep(simplex, positions, best) }
}

#[inline]
fn nearer(x: SimplexPart, y: SimplexPart) -> SimplexPart {
    if y.length_squared < x.length_squared { y } else { x }
}
