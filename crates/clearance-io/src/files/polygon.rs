//! Triangles of a polygon in space.
//!
//! The polygon is seen along its normal, on the coordinate plane that it faces most; there, all is decided by exact predicates.
//! A convex one is cut by diagonals from its first corner, any other by its ears (Meisters, "Polygons have ears", 1975). A
//! polygon that is not quite plane is thereby given one of the surfaces that it could mean, always the same. Corners on a straight
//! line, and holes that are joined to the outline by an edge run through twice, are understood.
//!
//! A face whose edges cross has no inside. It is cut by diagonals from its first corner, and reported: exporters write faces that are
//! folded in space, and any triangles of its corners keep the surface closed along its edges. A face that is not plane is reported, too.

use super::plane::{is_between, is_convex, orient};
use clearance::math::DVec3;
use robust::Coord;

/// The most corners of a polygon that is not convex. Limit: the time of ear clipping grows with their square.
pub(super) const MAX_CORNERS: usize = 4096;

/// Scans of all corners for an ear when none is known. Limit: a simple polygon needs one; only polygons with overlapping edges need more.
const MAX_ROUNDS: usize = 8;

/// How the edges of a polygon that was cut lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outline {
    Simple,
    /// Two edges cross.
    Crossed,
}

/// Memory that is kept from polygon to polygon.
#[derive(Default)]
pub(super) struct Cutter {
    /// The corners on the plane, counter-clockwise.
    flat: Vec<Coord<f64>>,
    /// The ring of corners that are left.
    next: Vec<usize>,
    previous: Vec<usize>,
    /// Corners that may be cut off. Those without an area come first: a spike can hide the side on which the polygon is, so that a corner
    /// seems to be an ear.
    ears: Vec<usize>,
    spikes: Vec<usize>,
    can_be_cut: Vec<bool>,
}

impl Cutter {
    /// Appends the triangles of a polygon of three corners or more, in the sense of its corners; `vertices` are its places.
    pub fn cut(
        &mut self,
        polygon: &[u32],
        vertices: &[DVec3],
        triangles: &mut Vec<[u32; 3]>,
    ) -> Result<Outline, String> {
        let fan = |triangles: &mut Vec<[u32; 3]>| {
            triangles.extend(polygon[1..].windows(2).map(|edge| [polygon[0], edge[0], edge[1]]));
        };
        if polygon.len() == 3 {
            fan(triangles);
            return Ok(Outline::Simple);
        }
        let place = |corner: &u32| vertices[*corner as usize];
        let unit = unit_of(polygon.iter().map(place));
        let normal = normal_of(polygon, vertices, unit);
        let size = normal.abs().to_array();
        let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap_or(2);
        let project = |corner: &u32| {
            let place = (place(corner) * unit).to_array();
            let (x, y) = (place[(axis + 1) % 3], place[(axis + 2) % 3]);
            // Seen from behind, the two axes change places.
            if normal[axis] < 0.0 { Coord { x: y, y: x } } else { Coord { x, y } }
        };
        self.flat.clear();
        self.flat.extend(polygon.iter().map(project));
        if is_convex(&self.flat) {
            fan(triangles);
            return Ok(Outline::Simple);
        }
        if normal == DVec3::ZERO && is_straight(polygon, vertices, unit) {
            // All corners on one line: triangles without an area, which keep the edges.
            fan(triangles);
            return Ok(Outline::Simple);
        }
        if polygon.len() > MAX_CORNERS {
            return Err(format!(
                "a face of {} corners is not convex, which is read up to {MAX_CORNERS} corners; split it into triangles",
                polygon.len()
            ));
        }
        if !self.crosses() {
            let start = triangles.len();
            if self.clip(polygon, triangles) {
                return Ok(Outline::Simple);
            }
            triangles.truncate(start);
            // The sign of a tiny area may be that of rounding.
            for point in &mut self.flat {
                (point.x, point.y) = (point.y, point.x);
            }
            if self.clip(polygon, triangles) {
                return Ok(Outline::Simple);
            }
            triangles.truncate(start);
        }
        fan(triangles);
        Ok(Outline::Crossed)
    }

    /// Cuts ears off until a triangle is left; false if there is none to cut.
    fn clip(&mut self, polygon: &[u32], triangles: &mut Vec<[u32; 3]>) -> bool {
        let count = polygon.len();
        self.next.clear();
        self.next.extend((1..count).chain([0]));
        self.previous.clear();
        self.previous.extend([count - 1].into_iter().chain(0..count - 1));
        self.can_be_cut.clear();
        self.can_be_cut.resize(count, false);
        self.ears.clear();
        self.spikes.clear();
        let (mut left, mut at, mut rounds) = (count, 0, 0);
        while left > 3 {
            let Some(ear) = self.known_ear() else {
                rounds += 1;
                if rounds > MAX_ROUNDS || !self.find_ears(at, left) {
                    return false;
                }
                continue;
            };
            let (before, after) = (self.previous[ear], self.next[ear]);
            triangles.push([before, ear, after].map(|corner| polygon[corner]));
            self.next[before] = after;
            self.previous[after] = before;
            left -= 1;
            at = after;
            // The other corners are ears as before.
            self.look_at(before);
            self.look_at(after);
        }
        let last = [self.previous[at], at, self.next[at]];
        triangles.push(last.map(|corner| polygon[corner]));
        let [a, b, c] = last.map(|corner| self.flat[corner]);
        orient(a, b, c) >= 0.0
    }

    /// An ear that was found and is still there.
    fn known_ear(&mut self) -> Option<usize> {
        while let Some(corner) = self.spikes.pop().or_else(|| self.ears.pop()) {
            if std::mem::replace(&mut self.can_be_cut[corner], false) {
                return Some(corner);
            }
        }
        None
    }

    /// Tests all corners that are left. Where none is an ear, one on a straight edge may be cut off, with no area.
    fn find_ears(&mut self, start: usize, left: usize) -> bool {
        let mut straight = None;
        let mut corner = start;
        for _ in 0..left {
            self.look_at(corner);
            let [a, b, c] = [self.previous[corner], corner, self.next[corner]].map(|corner| self.flat[corner]);
            if straight.is_none() && orient(a, b, c) == 0.0 {
                straight = Some(corner);
            }
            corner = self.next[corner];
        }
        if self.ears.is_empty() && self.spikes.is_empty() {
            self.spikes.extend(straight);
            straight.into_iter().for_each(|corner| self.can_be_cut[corner] = true);
        }
        // From the first on, as they come out of a stack.
        self.ears.reverse();
        !(self.ears.is_empty() && self.spikes.is_empty())
    }

    /// Notes whether a corner may be cut off.
    fn look_at(&mut self, corner: usize) {
        let [a, b, c] = [self.previous[corner], corner, self.next[corner]].map(|corner| self.flat[corner]);
        let is_spike = orient(a, b, c) == 0.0 && !is_between(a, b, c);
        let is_ear = self.is_ear(corner);
        self.can_be_cut[corner] = is_spike || is_ear;
        if is_spike {
            self.spikes.push(corner);
        } else if is_ear {
            self.ears.push(corner);
        }
    }

    /// Is the corner convex, and its triangle without any other corner in it or on its edges?
    fn is_ear(&self, ear: usize) -> bool {
        let (before, after) = (self.previous[ear], self.next[ear]);
        let [a, b, c] = [before, ear, after].map(|corner| self.flat[corner]);
        if !(orient(a, b, c) > 0.0) {
            return false;
        }
        let (low_x, high_x) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
        let (low_y, high_y) = (a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y));
        let mut corner = self.next[after];
        while corner != before {
            let p = self.flat[corner];
            let is_near = (low_x..=high_x).contains(&p.x) && (low_y..=high_y).contains(&p.y);
            if is_near && self.blocks(corner, [a, b, c]) {
                return false;
            }
            corner = self.next[corner];
        }
        true
    }

    fn blocks(&self, corner: usize, [a, b, c]: [Coord<f64>; 3]) -> bool {
        let p = self.flat[corner];
        if p == a || p == c {
            return false;
        }
        if p == b {
            // Another part of the outline touches the tip. Does it come through the triangle?
            let comes_through = |from: usize| {
                let from = self.flat[from];
                orient(a, b, from) > 0.0 && orient(b, c, from) > 0.0
            };
            return comes_through(self.previous[corner]) || comes_through(self.next[corner]);
        }
        orient(a, b, p) >= 0.0 && orient(b, c, p) >= 0.0 && orient(c, a, p) >= 0.0
    }

    /// Do two edges cross, each with its ends on both sides of the other?
    fn crosses(&self) -> bool {
        let flat = &self.flat;
        let mut edges: Vec<[Coord<f64>; 2]> = (0..flat.len())
            .map(|i| {
                let (a, b) = (flat[i], flat[(i + 1) % flat.len()]);
                if a.x <= b.x { [a, b] } else { [b, a] }
            })
            .collect();
        edges.sort_by(|[a, _], [b, _]| a.x.total_cmp(&b.x));
        let splits = |[a, b]: [Coord<f64>; 2], [p, q]: [Coord<f64>; 2]| {
            let (p, q) = (orient(a, b, p), orient(a, b, q));
            (p > 0.0 && q < 0.0) || (p < 0.0 && q > 0.0)
        };
        edges.iter().enumerate().any(|(i, &edge)| {
            // Sorted by their left ends, so those that begin right of this one's end are past.
            let near = edges[i + 1..].iter().take_while(|other| other[0].x <= edge[1].x);
            near.into_iter().any(|&other| splits(edge, other) && splits(other, edge))
        })
    }
}

/// A power of two that brings the largest coordinate to about one, where products neither overflow nor vanish.
fn unit_of(places: impl Iterator<Item = DVec3>) -> f64 {
    let largest = places.fold(0.0_f64, |most, place| most.max(place.abs().max_element()));
    let exponent = ((largest.to_bits() >> 52) as i64 - 1023).clamp(-1000, 1022);
    f64::from_bits(((1023 - exponent) as u64) << 52)
}

/// Twice the area as a vector, as Newell sums it up, from the first corner.
fn normal_of(polygon: &[u32], vertices: &[DVec3], unit: f64) -> DVec3 {
    let first = vertices[polygon[0] as usize] * unit;
    let arm = |corner: u32| vertices[corner as usize] * unit - first;
    polygon[1..].windows(2).map(|edge| arm(edge[0]).cross(arm(edge[1]))).sum()
}

/// How far the corners are from a plane through their middle, if that is more than `PLANE` of the size of the polygon.
pub(super) fn bend(polygon: &[u32], vertices: &[DVec3]) -> Option<f64> {
    /// Limit: a part of the size. Coordinates in single precision round by less than that.
    const PLANE: f64 = 1e-3;
    if polygon.len() < 4 {
        return None;
    }
    let unit = unit_of(polygon.iter().map(|&corner| vertices[corner as usize]));
    let normal = normal_of(polygon, vertices, unit).try_normalize()?;
    let place = |corner: &u32| vertices[*corner as usize] * unit;
    let middle = polygon.iter().map(place).sum::<DVec3>() / polygon.len() as f64;
    let most = |of: &dyn Fn(DVec3) -> f64| polygon.iter().map(|corner| of(place(corner) - middle)).fold(0.0, f64::max);
    let (height, size) = (most(&|arm| arm.dot(normal).abs()), most(&|arm| arm.length()));
    (height > PLANE * size).then_some(height / unit)
}

/// Are all corners on one line?
fn is_straight(polygon: &[u32], vertices: &[DVec3], unit: f64) -> bool {
    let place = |corner: u32| (vertices[corner as usize] * unit).to_array();
    let first = place(polygon[0]);
    let Some(second) = polygon.iter().map(|&corner| place(corner)).find(|&other| other != first) else { return true };
    polygon.iter().all(|&corner| {
        let third = place(corner);
        (0..3).all(|axis| {
            let flat = |p: [f64; 3]| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] };
            orient(flat(first), flat(second), flat(third)) == 0.0
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    /// The triangles of a polygon in the plane z = 0, turned into the other planes too; the areas must add up.
    fn cut(corners: &[[f64; 2]]) -> Result<Vec<[u32; 3]>, String> {
        let numbers: Vec<u32> = (0..corners.len() as u32).collect();
        let turned = |axis: usize| -> Vec<DVec3> {
            corners
                .iter()
                .map(|&[x, y]| {
                    let mut place = [0.0; 3];
                    (place[(axis + 1) % 3], place[(axis + 2) % 3], place[axis]) = (x, y, 0.5 * x - 0.25 * y);
                    DVec3::from_array(place)
                })
                .collect()
        };
        let cut = |numbers: &[u32], axis: usize| -> Result<_, String> {
            let mut triangles = Vec::new();
            let outline = Cutter::default().cut(numbers, &turned(axis), &mut triangles)?;
            assert_eq!(outline, Outline::Simple);
            Ok(triangles)
        };
        let result = cut(&numbers, 2);
        for axis in 0..2 {
            assert_eq!(cut(&numbers, axis), result);
        }
        if let Ok(triangles) = &result {
            assert_eq!(triangles.len(), corners.len() - 2);
            let at = |i: u32| corners[i as usize];
            let twice = |[a, b, c]: [[f64; 2]; 3]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            let areas: Vec<f64> = triangles.iter().map(|triangle| twice(triangle.map(at))).collect();
            let total: f64 = (1..corners.len() - 1).map(|i| twice([corners[0], corners[i], corners[i + 1]])).sum();
            assert!(areas.iter().all(|area| area * total >= 0.0), "{areas:?}");
            assert!((areas.iter().sum::<f64>() - total).abs() < 1e-12 * total.abs().max(1.0), "{areas:?} {total}");
            edges_match(corners.len() as u32, triangles);
        }
        let backwards: Vec<u32> = numbers.iter().rev().copied().collect();
        assert_eq!(cut(&backwards, 2).is_ok(), result.is_ok());
        result
    }

    /// Every edge within is there once in each direction, every edge of the outline once.
    fn edges_match(count: u32, triangles: &[[u32; 3]]) {
        let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        edges.extend((0..count).map(|i| [(i + 1) % count, i]));
        let mut back: Vec<[u32; 2]> = edges.iter().map(|&[a, b]| [b, a]).collect();
        edges.sort_unstable();
        back.sort_unstable();
        assert_eq!(edges, back);
    }

    #[test]
    fn convex_polygons_are_cut_from_their_first_corner() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(cut(&square).unwrap(), [[0, 1, 2], [0, 2, 3]]);
        let circle = |count: usize| -> Vec<[f64; 2]> {
            (0..count).map(|i| (i as f64 / count as f64 * TAU).sin_cos()).map(|(y, x)| [x, y]).collect()
        };
        cut(&circle(9)).unwrap();
        assert_eq!(cut(&circle(3 * MAX_CORNERS)).unwrap()[7], [0, 8, 9]);
    }

    #[test]
    fn other_polygons_are_cut_by_their_ears() {
        // An arrow head, whose first corner sees no diagonal; an L; a comb; a spiral.
        cut(&[[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]]).unwrap();
        cut(&[[2.0, -1.0], [0.5, 0.0], [2.0, 1.0], [0.0, 0.0]]).unwrap();
        cut(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]]).unwrap();
        let mut comb = vec![[0.0, -1.0], [40.0, -1.0]];
        comb.extend((0..=40).rev().map(|i| [f64::from(i), if i % 2 == 0 { 0.0 } else { 1.0 }]));
        cut(&comb).unwrap();
        let mut spiral: Vec<[f64; 2]> = Vec::new();
        let turn = |i: i32, r: f64| {
            let (y, x) = (f64::from(i) * 0.3).sin_cos();
            [r * x, r * y]
        };
        spiral.extend((0..100).map(|i| turn(i, 1.0 + f64::from(i) * 0.1)));
        spiral.extend((0..100).rev().map(|i| turn(i, 1.5 + f64::from(i) * 0.1)));
        cut(&spiral).unwrap();
    }

    #[test]
    fn straight_corners_spikes_and_joined_holes_are_understood() {
        cut(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0], [0.0, 2.0], [0.0, 1.0]]).unwrap();
        cut(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 2.0]]).unwrap();
        cut(&[[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [1.0, 0.0], [0.0, 2.0]]).unwrap();
        cut(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]).unwrap();
        cut(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]).unwrap();
        cut(&[[0.0, 0.0]; 5]).unwrap();
        // A square hole in a square, joined by an edge that is run through twice.
        let ring = [
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 4.0],
            [0.0, 4.0],
            [0.0, 0.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [3.0, 3.0],
            [3.0, 1.0],
            [1.0, 1.0],
        ];
        for turn in 0..ring.len() {
            let mut turned = ring;
            turned.rotate_left(turn);
            cut(&turned).unwrap();
        }
    }

    #[test]
    fn a_star_is_cut_and_a_face_of_too_many_corners_is_refused() {
        let star: Vec<[f64; 2]> = (0..5).map(|i| (f64::from(i) * 0.8 * PI).sin_cos()).map(|(y, x)| [x, y]).collect();
        let places: Vec<DVec3> = star.iter().map(|&[x, y]| DVec3::new(x, y, 1.0)).collect();
        let mut triangles = Vec::new();
        let outline = Cutter::default().cut(&[0, 1, 2, 3, 4], &places, &mut triangles);
        assert_eq!((outline, triangles.len()), (Ok(Outline::Crossed), 3));
        edges_match(5, &triangles);
        let mut long: Vec<[f64; 2]> =
            (0..MAX_CORNERS as i32 + 1).map(|i| [f64::from(i), f64::from(i % 2) * 0.5]).collect();
        long.push([10.0, 1e5]);
        assert!(cut(&long).unwrap_err().contains("a face of 4098 corners is not convex"));
    }

    #[test]
    fn a_crossed_quad_is_cut_into_two_triangles_with_its_edges() {
        for quad in [[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [3.0, 3.0], [3.0, 0.0], [0.0, 1.0]]]
        {
            let places = quad.map(|[x, y]| DVec3::new(x, y, 0.5 * x));
            let mut triangles = Vec::new();
            let outline = Cutter::default().cut(&[0, 1, 2, 3], &places, &mut triangles);
            assert_eq!((outline, triangles.len()), (Ok(Outline::Crossed), 2), "{quad:?}");
            edges_match(4, &triangles);
        }
    }

    #[test]
    fn random_polygons_are_cut_wherever_they_begin() {
        let mut rng = fastrand::Rng::with_seed(31);
        for _ in 0..300 {
            // A star: angles in order, any radii.
            let count = rng.usize(4..60);
            let star = (0..count).map(|i| {
                let (y, x) = (TAU * (i as f64 + 0.9 * rng.f64()) / count as f64).sin_cos();
                let radius = 0.01 + rng.f64();
                [radius * x, radius * y]
            });
            let mut star: Vec<[f64; 2]> = star.collect();
            star.rotate_left(rng.usize(..count));
            cut(&star).unwrap_or_else(|error| panic!("{error} {star:?}"));
            // A skyline, with a corner at every lattice point of its outline.
            let mut skyline: Vec<[f64; 2]> = (0..=10).map(|x| [f64::from(x), 0.0]).collect();
            let mut height = 0;
            for x in (0..10).rev() {
                let next = rng.i32(1..6);
                let step = (next - height).signum();
                while height != next {
                    height += step;
                    skyline.push([f64::from(x + 1), f64::from(height)]);
                }
                skyline.push([f64::from(x), f64::from(height)]);
            }
            skyline.extend((1..height).rev().map(|y| [0.0, f64::from(y)]));
            let turn = rng.usize(..skyline.len());
            skyline.rotate_left(turn);
            cut(&skyline).unwrap_or_else(|error| panic!("{error} {skyline:?}"));
        }
    }

    #[test]
    fn a_face_that_is_not_plane_has_a_bend() {
        let quad = |z: f64| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| DVec3::new(x, y, x * y * z));
        assert_eq!(bend(&[0, 1, 2, 3], &quad(0.0)), None);
        assert_eq!(bend(&[0, 1, 2, 3], &quad(1e-4)), None);
        assert!((bend(&[0, 1, 2, 3], &quad(0.01)).unwrap() - 0.0025).abs() < 1e-6);
        assert_eq!(bend(&[0, 1, 2], &quad(1.0)), None);
    }

    #[test]
    fn size_does_not_matter() {
        let arrow = [[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]];
        let usual = cut(&arrow).unwrap();
        for scale in [1e-300, 1e-30, 1e30, 1e307] {
            let places: Vec<DVec3> = arrow.iter().map(|&[x, y]| DVec3::new(x * scale, y * scale, y * scale)).collect();
            let mut triangles = Vec::new();
            Cutter::default().cut(&[0, 1, 2, 3], &places, &mut triangles).unwrap();
            assert_eq!(triangles, usual, "{scale}");
        }
    }
}
