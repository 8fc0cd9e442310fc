//! The point of a surface that is nearest to a point: one tree, four boxes at a time, then the four triangles of a leaf (`seen.rs`).
//!
//! A point has no box and needs no frame, so all is done in doubles. A bound is then the distance itself up to rounding, and no triangle of
//! a leaf is visited twice. Where the nearest point of a triangle and the bound by its direction are not the same to
//! rounding, as for slivers, the search for two triangles answers.

use super::MeshDistance;
use super::distance::triangle_points;
use super::seen::SeenTriangles;
use crate::math::rounding::is_unit;
use crate::math::{Vectorized, vectorized};
use crate::shape::Mesh;
use crate::tree::{NearSearch, SeparatingPlane, TreeSearch, for_each_bit, leaf_near_point, nearest_first};
use fearless_simd::Simd;
use fearless_simd::prelude::*;
use glam::DVec3;

/// The point of a surface nearest to a point of its frame, each coordinate of which is off by `rounding` at most relative to any vertex. A
/// lower bound of the distance if that is beyond `limit`. `first` is a triangle that was nearest before.
pub(crate) fn nearest_to_point(
    mesh: &Mesh,
    point: DVec3,
    rounding: f64,
    limit: f64,
    first: Option<u32>,
) -> Result<MeshDistance, f64> {
    let mut search =
        PointSearch { mesh, point, rounding, best: None, toward: None, cutoff: limit, lower: f64::INFINITY };
    let first = first.filter(|&first| (first as usize) < mesh.triangles().len());
    vectorized(FromFirst { search: &mut search, first });
    search.answer()
}

/// The search, from a triangle that was nearest before.
struct FromFirst<'s, 'a> {
    search: &'s mut PointSearch<'a>,
    first: Option<u32>,
}

impl Vectorized for FromFirst<'_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { search, first } = self;
        if let Some(first) = first {
            search.triangles(simd, &[first]);
        }
        let (view, point) = (search.mesh.tree().view(), search.point);
        nearest_first(simd, &view, point, search);
    }
}

/// A triangle that is near to a point: down the tree to the nearest box at each node.
pub(crate) fn triangle_near(mesh: &Mesh, point: DVec3) -> Option<u32> {
    vectorized(Descent { mesh, point })
}

struct Descent<'a> {
    mesh: &'a Mesh,
    point: DVec3,
}

impl Vectorized for Descent<'_> {
    type Answer = Option<u32>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<u32> {
        let Self { mesh, point } = self;
        let items = leaf_near_point(simd, &mesh.tree().view(), point)?;
        let distances = SeenTriangles::new(simd, mesh, items, point).nearest().distances();
        items.iter().zip(distances).min_by(|x, y| x.1.total_cmp(&y.1)).map(|(&item, _)| item)
    }
}

struct PointSearch<'a> {
    mesh: &'a Mesh,
    point: DVec3,
    rounding: f64,
    /// The nearest triangle and the way from the point to it.
    best: Option<(u32, DVec3, f64)>,
    /// The direction of that way: what is far along it is far.
    toward: Option<DVec3>,
    /// Nothing that is farther is of interest.
    cutoff: f64,
    /// A bound of all triangles that were visited.
    lower: f64,
}

impl TreeSearch for PointSearch<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f64 {
        self.cutoff
    }

    fn plane(&self) -> Option<SeparatingPlane> {
        None
    }

    fn is_over(&self) -> bool {
        false
    }

    fn prune(&mut self, lower: f64) {
        self.pass(lower - 2.0 * self.rounding);
    }
}

impl NearSearch for PointSearch<'_> {
    #[inline(always)]
    fn leaf<S: Simd>(&mut self, simd: S, items: &[u32]) {
        self.triangles(simd, items);
    }
}

impl PointSearch<'_> {
    fn pass(&mut self, lower: f64) {
        self.lower = self.lower.min(lower);
    }

    /// The triangles of a leaf.
    #[inline(always)]
    fn triangles<S: Simd>(&mut self, simd: S, items: &[u32]) {
        let seen = SeenTriangles::new(simd, self.mesh, items, self.point);
        let there = (1 << items.len()) - 1;
        if let Some(toward) = self.toward {
            // Triangles within rounding of the best are pruned too: in a plane many are.
            let lows = seen.lows(toward);
            if lows.simd_ge(self.cutoff - self.rounding).to_bitmask() as u32 & there == there {
                let lows = lows.to_array();
                self.pass(lows[0].min(lows[1]).min(lows[2].min(lows[3])) - 2.0 * self.rounding);
                return;
            }
        }
        let found = seen.nearest();
        // A NaN is not far either.
        let (open, least) = found.within(self.cutoff + 2.0 * self.rounding);
        self.pass(least - 2.0 * self.rounding);
        let open = open & there;
        if open == 0 {
            return;
        }
        let (known, least) = found.to_rounding(open, 2.0 * self.rounding);
        if known != 0 {
            let (lane, way, distance) = found.nearest_of(known);
            self.offer(items[lane], way, distance, least);
        }
        if known != open {
            for_each_bit(open & !known, |lane| self.again(items[lane]));
        }
    }

    /// A triangle about which the direction does not tell enough, or whose point is the point.
    #[cold]
    #[inline(never)]
    fn again(&mut self, item: u32) {
        let found = triangle_points(&self.mesh.corners(item), &[self.point; 3], self.rounding, self.cutoff);
        self.offer(item, found.point_a - self.point, found.distance, found.lower);
    }

    /// The nearest of some triangles, and how far all of these are at least.
    #[inline(always)]
    fn offer(&mut self, item: u32, way: DVec3, distance: f64, lower: f64) {
        let lower = (lower - 2.0 * self.rounding).max(0.0);
        self.pass(lower);
        // A triangle that is not proved to be beyond the limit is an answer, even if it is a little beyond.
        if distance < self.cutoff || self.best.is_none() && lower <= self.cutoff {
            self.best = Some((item, way, distance));
            self.cutoff = self.cutoff.min(distance);
            // A way may be too short to make a unit of it.
            self.toward = Some(way / distance).filter(|&toward| is_unit(toward));
        }
    }

    fn answer(&self) -> Result<MeshDistance, f64> {
        let Some((triangle, way, distance)) = self.best else { return Err(self.lower) };
        let normal = -way.normalize_or_zero();
        let lower = self.lower.clamp(0.0, distance);
        let (point_a, upper) = (self.point + way, distance + 2.0 * self.rounding);
        Ok(MeshDistance { triangles: [triangle, 0], point_a, point_b: self.point, normal, distance, lower, upper })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rounding::ROUNDING;
    use crate::narrow::triangles::closest_points;
    use fastrand::Rng;

    /// Against all triangles: soups of slivers, points and needles, from a point that is near, on, beside or far from them.
    #[test]
    fn nearest_points_are_the_nearest_of_all_triangles() {
        let mut rng = Rng::with_seed(151);
        let mut on = 0;
        for round in 0..1500 {
            let size = [1.0, 1e-9, 1e9][round % 3];
            let flat = [1.0, 1e-7, 0.0][round / 3 % 3];
            let whole = round % 2 == 0;
            let mut number = |most: f64| {
                let x = most * (2.0 * rng.f64() - 1.0);
                if whole { x.round() } else { x }
            };
            let mut vector = |most: f64| DVec3::new(number(most), number(most), number(most));
            let count = 1 + round as u32 % 40;
            let places: Vec<DVec3> = (0..count).map(|_| vector(3.0)).collect();
            let corners: Vec<DVec3> = (0..3 * count as usize)
                .map(|k| size * (places[k / 3] + vector(1.5)) * DVec3::new(1.0, flat, 1.0))
                .collect();
            let triangles: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let mesh = Mesh::new(&corners, &triangles).unwrap();
            let far = [0.0, 1.0, 4.0, 100.0, 1e6][round / 5 % 5];
            let point = size * vector(1.0) * far;
            let rounding = ROUNDING * (mesh.bounding_radius() + point.length()) + f64::MIN_POSITIVE;
            let all = (0..count).map(|i| triangle_points(&mesh.corners(i), &[point; 3], rounding, f64::INFINITY));
            let least = all.map(|found| found.distance).fold(f64::INFINITY, f64::min);
            let found = nearest_to_point(&mesh, point, rounding, f64::INFINITY, None).unwrap();
            assert!((found.distance - least).abs() <= 4.0 * rounding, "{found:?} {least}");
            assert!(found.lower <= least && least <= found.upper && found.upper - found.lower <= 12.0 * rounding);
            let off = closest_points(&mesh.corners(found.triangles[0]), &[found.point_a; 3]).distance;
            assert!(off <= 4.0 * rounding, "{off}");
            on += usize::from(found.lower == 0.0);
            let warm = nearest_to_point(&mesh, point, rounding, f64::INFINITY, Some(found.triangles[0])).unwrap();
            assert!((warm.distance - least).abs() <= 4.0 * rounding);
            if least > 10.0 * rounding {
                let beyond = nearest_to_point(&mesh, point, rounding, 0.5 * least, None).unwrap_err();
                assert!(beyond > 0.5 * least && beyond <= least + rounding);
            }
        }
        assert!(on > 50, "{on}");
    }
}
