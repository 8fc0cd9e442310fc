//! Solids of constant section: polygons with holes, pulled along z.

use super::Model;
use clearance::math::DVec3;
use std::f64::consts::TAU;

/// A polygon with holes in the plane of x and y. Loops may turn either way; they do not touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The outer loop.
    pub outer: Vec<[f64; 2]>,
    /// The loops around holes.
    pub holes: Vec<Vec<[f64; 2]>>,
}

impl Outline {
    /// The area, without the holes.
    #[must_use]
    pub fn area(&self) -> f64 {
        signed_area(&self.outer).abs() - self.holes.iter().map(|hole| signed_area(hole).abs()).sum::<f64>()
    }
}

/// Twice the area with a sign: positive for a loop that turns counter-clockwise.
fn signed_area(ring: &[[f64; 2]]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    0.5 * ring.iter().zip(next).map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum::<f64>()
}

/// The solid over an outline, from z = 0 to z = `height`.
///
/// # Panics
///
/// If a loop crosses itself or another.
#[must_use]
pub fn extrusion(outline: &Outline, height: f64) -> Model {
    // Counter-clockwise outside, clockwise around holes: the solid is to the left.
    let turned = |ring: &[[f64; 2]], is_ccw: bool| {
        let mut ring = ring.to_vec();
        if (signed_area(&ring) > 0.0) != is_ccw {
            ring.reverse();
        }
        ring
    };
    let mut rings = vec![turned(&outline.outer, true)];
    rings.extend(outline.holes.iter().map(|hole| turned(hole, false)));
    let points: Vec<[f64; 2]> = rings.concat();
    let count = points.len() as u32;
    let mut triangles = Vec::new();
    let mut first = 0;
    let mut loops: Vec<Vec<u32>> = Vec::new();
    for ring in &rings {
        let len = ring.len() as u32;
        for i in 0..len {
            let (a, b) = (first + i, first + (i + 1) % len);
            triangles.extend([[a, b, b + count], [a, b + count, a + count]]);
        }
        loops.push((first..first + len).collect());
        first += len;
    }
    for [a, b, c] in triangulated(&points, loops) {
        triangles.extend([[a, c, b], [a + count, b + count, c + count]]);
    }
    let level = |z: f64| points.iter().map(move |p| DVec3::new(p[0], p[1], z));
    Model { vertices: level(0.0).chain(level(height)).collect(), triangles }
}

/// Twice the area of a triangle, positive if it turns counter-clockwise.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Triangles of a polygon with holes: a bridge joins each hole to the loop around it, then ears are cut.
fn triangulated(points: &[[f64; 2]], mut loops: Vec<Vec<u32>>) -> Vec<[u32; 3]> {
    let at = |i: u32| points[i as usize];
    let mut ring = loops.remove(0);
    while !loops.is_empty() {
        let sides: Vec<[u32; 2]> = std::iter::once(&ring)
            .chain(&loops)
            .flat_map(|ring| (0..ring.len()).map(move |i| [ring[i], ring[(i + 1) % ring.len()]]))
            .collect();
        let is_clear = |p: u32, q: u32| {
            sides.iter().all(|side| side.contains(&p) || side.contains(&q) || !cross(at(p), at(q), side.map(at)))
        };
        let mut best: Option<(f64, usize, usize, usize)> = None;
        for (l, other) in loops.iter().enumerate() {
            for (i, &p) in ring.iter().enumerate() {
                for (j, &q) in other.iter().enumerate() {
                    let far = (at(p)[0] - at(q)[0]).hypot(at(p)[1] - at(q)[1]);
                    let opens = |ring: &[u32], i: usize, to: u32| {
                        let n = ring.len();
                        is_inside_corner(at(ring[(i + n - 1) % n]), at(ring[i]), at(ring[(i + 1) % n]), at(to))
                    };
                    if best.is_none_or(|best| far < best.0)
                        && opens(&ring, i, q)
                        && opens(other, j, p)
                        && is_clear(p, q)
                    {
                        best = Some((far, l, i, j));
                    }
                }
            }
        }
        let (_, l, i, j) = best.expect("a hole can be seen from the loop around it");
        let mut hole = loops.remove(l);
        hole.rotate_left(j);
        hole.push(hole[0]);
        hole.push(ring[i]);
        ring.splice(i + 1..i + 1, hole);
    }
    let mut triangles = Vec::new();
    while ring.len() > 3 {
        let n = ring.len();
        let corner = |i: usize| [ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]];
        let is_ear = |&i: &usize| {
            let [a, b, c] = corner(i).map(at);
            // No other corner may be in the ear. A corner on its open side from c to a would leave a corner of no area. A copy of a corner (at a
            // bridge) is at the same place.
            turn(a, b, c) > 0.0
                && ring
                    .iter()
                    .map(|&v| at(v))
                    .filter(|p| ![a, b, c].contains(p))
                    .all(|p| turn(a, b, p) < 0.0 || turn(b, c, p) < 0.0 || turn(c, a, p) < 0.0)
        };
        // The fattest ear keeps slivers away.
        let thickness = |i: usize| {
            let [a, b, c] = corner(i).map(at);
            turn(a, b, c) / (a[0] - c[0]).hypot(a[1] - c[1]).max(f64::MIN_POSITIVE)
        };
        let ear = (0..n).filter(is_ear).max_by(|&i, &j| thickness(i).total_cmp(&thickness(j)));
        let ear = ear.expect("a polygon that does not cross itself has an ear");
        triangles.push(corner(ear));
        ring.remove(ear);
    }
    triangles.push([ring[0], ring[1], ring[2]]);
    triangles
}

/// True if a segment meets another one that shares no end with it.
fn cross(p: [f64; 2], q: [f64; 2], [u, v]: [[f64; 2]; 2]) -> bool {
    turn(p, q, u) * turn(p, q, v) <= 0.0 && turn(u, v, p) * turn(u, v, q) <= 0.0
}

/// True if the path from a corner b, between a and c, leads into the polygon to the left.
fn is_inside_corner(a: [f64; 2], b: [f64; 2], c: [f64; 2], to: [f64; 2]) -> bool {
    if turn(a, b, c) > 0.0 {
        turn(a, b, to) > 0.0 && turn(b, c, to) > 0.0
    } else {
        turn(a, b, to) > 0.0 || turn(b, c, to) > 0.0
    }
}

/// A regular prism about z.
#[must_use]
pub fn prism(corners: usize, radius: f64, height: f64) -> Model {
    extrusion(&Outline { outer: circle(corners, radius), holes: Vec::new() }, height)
}

fn circle(corners: usize, radius: f64) -> Vec<[f64; 2]> {
    (0..corners).map(|i| polar(i as f64 / corners as f64, radius)).collect()
}

fn polar(turns: f64, radius: f64) -> [f64; 2] {
    let (sin, cos) = (TAU * turns).sin_cos();
    [radius * cos, radius * sin]
}

/// A spur gear about z with straight flanks: `teeth` teeth between the radii `root` and `tip`, and a bore of `bore_corners` corners.
#[must_use]
pub fn gear(teeth: usize, root: f64, tip: f64, bore: f64, bore_corners: usize, height: f64) -> Model {
    // A tooth takes half of its share at the root and a quarter at the tip.
    let flank = [(-0.25, root), (-0.125, tip), (0.125, tip), (0.25, root)];
    let outer =
        (0..teeth).flat_map(|i| flank.map(|(part, radius)| polar((i as f64 + part) / teeth as f64, radius))).collect();
    extrusion(&Outline { outer, holes: vec![circle(bore_corners, bore)] }, height)
}
