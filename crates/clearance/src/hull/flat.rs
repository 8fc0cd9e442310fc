//! Hulls of points that span no volume: a segment or a flat polygon.

use super::Loops;
use crate::math::exact;
use glam::DVec3;

/// The ends of exactly collinear points.
pub(super) fn segment(points: &[DVec3]) -> [u32; 2] {
    // Along a line, the lexicographic order is the order of position.
    let key = |&i: &u32| lexicographic(points[i as usize]);
    let all = || 0..points.len() as u32;
    let less = |a: &u32, b: &u32| key(a).partial_cmp(&key(b)).expect("finite");
    [all().min_by(less), all().max_by(less)].map(|end| end.expect("there are points"))
}

/// The two faces of the polygon around exactly coplanar points that are not all collinear; `axis` is one along which
/// the plane is not seen edge on.
///
/// Monotone chain in the projection: it maps the plane one to one, so exact turns there are exact turns here.
/// Points on a side are dropped.
pub(super) fn polygon(points: &[DVec3], axis: usize) -> Loops {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by(|&i, &j| {
        let (p, q) = (points[i as usize], points[j as usize]);
        (p[u], p[v]).partial_cmp(&(q[u], q[v])).expect("finite")
    });
    let mut ring = Vec::new();
    extend_chain(&mut ring, order.iter().copied(), points, axis);
    ring.pop();
    extend_chain(&mut ring, order.iter().rev().copied(), points, axis);
    ring.pop();

    let mut loops = Loops::default();
    loops.push(ring.iter().copied());
    loops.push(ring.iter().rev().copied());
    loops
}

/// Appends the chain that always turns left through points in sorted order.
fn extend_chain(ring: &mut Vec<u32>, order: impl Iterator<Item = u32>, points: &[DVec3], axis: usize) {
    let start = ring.len();
    let at = |i: u32| points[i as usize];
    for next in order {
        while let [.., before, last] = ring[start..] {
            if exact::orient2d(axis, at(before), at(last), at(next)) > 0.0 {
                break;
            }
            ring.pop();
        }
        ring.push(next);
    }
}

fn lexicographic(p: DVec3) -> (f64, f64, f64) {
    (p.x, p.y, p.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_drops_points_on_sides_and_inside() {
        let points: Vec<DVec3> = (0..25).map(|i| DVec3::new(0.0, (i % 5) as f64, (i / 5) as f64)).collect();
        let loops = polygon(&points, 0);
        let rings: Vec<&[u32]> = loops.iter().collect();
        assert_eq!(rings, [&[0, 4, 24, 20], &[20, 24, 4, 0]]);
    }

    #[test]
    fn a_triangle_is_its_own_hull_along_every_axis() {
        let points = [DVec3::X, DVec3::Y, DVec3::Z];
        for axis in 0..3 {
            assert_eq!(polygon(&points, axis).vertices.len(), 6);
        }
    }
}
