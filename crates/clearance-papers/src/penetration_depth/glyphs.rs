//! Solids of figures 9 and 10: letters and digits of about 250 triangles, a bowl of 176, and funnels.
//!
//! The paper prints the numbers of triangles and of convex pieces, neither outlines nor sizes. Ours are the block glyphs of the lab with fillets: arcs in the corners that are reflex, with as many vertices as give
//! 250 triangles. Every facet of a fillet is a convex piece of its own, so that the number of pieces comes near the paper's, too.

use clearance::math::DVec3;
use clearance_lab::meshes::{Model, Outline, extrusion, outline};

/// Vertices of an outline with its holes: an extrusion of n vertices and h holes has 4 n + 4 h - 4 triangles.
const OUTLINE_VERTICES: usize = 62;

/// How far a fillet begins from its corner, at most, in parts of the shorter side there and in widths of a stroke.
const ROUNDING: [f64; 2] = [0.4, 0.5];

/// Does a loop turn toward the outside of the solid at a corner? The solid is to the left of a loop that is counter-clockwise, and outside of holes.
fn is_reflex(ring: &[[f64; 2]], i: usize, is_hole: bool) -> bool {
    let count = ring.len();
    let [p, q, r] = [ring[(i + count - 1) % count], ring[i], ring[(i + 1) % count]];
    let turn = (q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0]);
    let next = ring.iter().cycle().skip(1);
    let area: f64 = ring.iter().zip(next).map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum();
    (turn * area < 0.0) != is_hole
}

/// A letter or digit with fillets, one unit thick, about its middle.
#[must_use]
pub fn filleted_glyph(letter: char) -> Model {
    let sharp = outline(letter);
    let rings: Vec<(&Vec<[f64; 2]>, bool)> =
        std::iter::once((&sharp.outer, false)).chain(sharp.holes.iter().map(|hole| (hole, true))).collect();
    let all: usize = rings.iter().map(|(ring, _)| ring.len()).sum();
    let reflex = rings
        .iter()
        .map(|(ring, is_hole)| (0..ring.len()).filter(|&i| is_reflex(ring, i, *is_hole)).count())
        .sum::<usize>();
    // Corners that stay take a vertex each.
    let each = ((OUTLINE_VERTICES - (all - reflex)) as f64 / reflex as f64).round().max(2.0) as usize;
    let mut rings: Vec<Vec<[f64; 2]>> = rings.iter().map(|(ring, is_hole)| filleted(ring, *is_hole, each)).collect();
    let outer = rings.remove(0);
    let model = extrusion(&Outline { outer, holes: rings }, 1.0);
    let [low, high] = model
        .vertices
        .iter()
        .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)]);
    let middle = 0.5 * (low + high);
    model.map(|vertex| vertex - middle)
}

/// A loop with an arc of a parabola of `each` vertices at every reflex corner.
fn filleted(ring: &[[f64; 2]], is_hole: bool, each: usize) -> Vec<[f64; 2]> {
    let count = ring.len();
    let toward = |from: [f64; 2], to: [f64; 2]| {
        let way = [to[0] - from[0], to[1] - from[1]];
        (way, way[0].hypot(way[1]))
    };
    let arc = |i: usize| {
        let corner = ring[i];
        if !is_reflex(ring, i, is_hole) {
            return vec![corner];
        }
        let [(before, p), (after, q)] =
            [ring[(i + count - 1) % count], ring[(i + 1) % count]].map(|to| toward(corner, to));
        let begin = ROUNDING[1].min(ROUNDING[0] * p.min(q));
        let point = |k: usize| {
            let s = k as f64 / (each - 1) as f64;
            let [back, on] = [(1.0 - s) * (1.0 - s) * begin / p, s * s * begin / q];
            [corner[0] + back * before[0] + on * after[0], corner[1] + back * before[1] + on * after[1]]
        };
        (0..each).map(point).collect()
    };
    (0..count).flat_map(arc).collect()
}

/// A profile of radii and heights, turned about the y axis, with the solid to its left: a closed loop, or a path from the axis to the axis.
#[must_use]
pub fn revolved(profile: &[[f64; 2]], segments: u32) -> Model {
    let mut vertices = Vec::new();
    let mut numbers: Vec<Vec<u32>> = Vec::new();
    for &[radius, height] in profile {
        // A point of the axis is one vertex.
        let turns = if radius > 0.0 { segments } else { 1 };
        let first = vertices.len() as u32;
        for k in 0..turns {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / f64::from(segments)).sin_cos();
            vertices.push(DVec3::new(radius * cos, height, radius * sin));
        }
        numbers.push((0..segments).map(|k| first + k % turns).collect());
    }
    let is_loop = profile.iter().all(|point| point[0] > 0.0);
    let last = if is_loop { profile.len() } else { profile.len() - 1 };
    let mut triangles = Vec::new();
    for i in 0..last {
        let (here, there) = (&numbers[i], &numbers[(i + 1) % profile.len()]);
        for k in 0..segments as usize {
            let next = (k + 1) % segments as usize;
            let square = [here[k], there[k], there[next], here[next]];
            for [a, b, c] in [[square[0], square[1], square[2]], [square[0], square[2], square[3]]] {
                if a != b && b != c && c != a {
                    triangles.push([a, b, c]);
                }
            }
        }
    }
    Model { vertices, triangles }
}

/// The bowl of figure 10: a half of a hollow ball with 176 triangles, which rests on the plane y = 0.
#[must_use]
pub fn bowl(radius: f64, wall: f64) -> Model {
    let arc = |radius: f64, k: u32| {
        let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_8).sin_cos();
        [radius * sin, -radius * cos]
    };
    let outside = (0..=4).map(|k| arc(radius + wall, k));
    let inside = (0..=4).rev().map(|k| arc(radius, k));
    let profile: Vec<[f64; 2]> = outside.chain(inside).map(|[r, h]| [r, h + radius + wall]).collect();
    revolved(&profile, 11)
}
