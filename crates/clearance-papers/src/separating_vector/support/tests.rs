//! Every way to the farthest vertex against the plain maximum over all of them.

use super::*;
use clearance::internals::farthest::{SupportMap, spread};
use clearance::math::DVec3;
use fastrand::Rng;

fn random(rng: &mut Rng) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0))
}

/// Hulls of 8 to 5000 vertices, among them those that a walk over the surface or a table would trip over.
fn bodies(rng: &mut Rng) -> Vec<(&'static str, Vec<DVec3>)> {
    let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|axis| f64::from(i >> axis & 1)));
    let cube: Vec<DVec3> = (0..8).map(corner).collect();
    let disk = |n: u32| {
        let rim = |i: u32| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i / 2) / f64::from(n)).sin_cos();
            DVec3::new(cos, sin, if i.is_multiple_of(2) { 0.05 } else { -0.05 })
        };
        (0..2 * n).map(rim).collect::<Vec<_>>()
    };
    let mut ball = |n: usize, stretch: DVec3| -> Vec<DVec3> {
        (0..n).map(|_| random(rng).normalize_or(DVec3::X) * stretch).collect()
    };
    let mut all = vec![
        ("cube", cube.clone()),
        ("disk", disk(60)),
        ("needle", ball(300, DVec3::new(1e-6, 1e-3, 1.0))),
        ("plate", ball(300, DVec3::new(1.0, 1.0, 1e-9))),
        ("far away", ball(200, DVec3::ONE).into_iter().map(|v| v + DVec3::splat(1e7)).collect()),
    ];
    for n in [20, 33, 100, 500, 5000] {
        all.push(("ball", ball(n, DVec3::new(0.4, 0.7, 1.0))));
    }
    let mut noisy = || cube.iter().map(|&v| v + 1e-15 * random(rng)).collect::<Vec<_>>();
    all.push(("a cube of eight noisy corners each", (0..8).flat_map(|_| noisy()).collect()));
    all
}

/// Directions of every kind: random, along axes and diagonals, to a vertex, and all but along an axis.
fn directions(rng: &mut Rng, vertices: &[DVec3]) -> Vec<DVec3> {
    let mut all: Vec<DVec3> = (0..300).map(|_| random(rng)).collect();
    for i in 0..27 {
        let axis = DVec3::new(f64::from(i % 3 - 1), f64::from(i / 3 % 3 - 1), f64::from(i / 9 - 1));
        if axis != DVec3::ZERO {
            all.push(axis);
            all.extend([1e-16, 1e-9, 1e-7, 1e-3].map(|tilt| axis + tilt * random(rng)));
            all.push(axis * 1e-70);
            all.push(axis * 1e70);
        }
    }
    all.extend((0..100).map(|_| vertices[rng.usize(..vertices.len())]));
    all
}

fn height(vertices: &[DVec3], direction: DVec3) -> f64 {
    vertices.iter().map(|v| v.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn slow_scan_and_table_reach_the_greatest_height() {
    let mut rng = Rng::with_seed(51);
    for (name, vertices) in bodies(&mut rng) {
        let reach = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        let mut maps = vec![SupportMap::new(&vertices)];
        for resolution in [1, 4, 13, MAX_RESOLUTION] {
            maps.push(SupportMap::Table(DirectionTable::new(&vertices, resolution), spread(&vertices)));
        }
        for map in &maps {
            for direction in directions(&mut rng, &vertices) {
                let truth = height(&vertices, direction);
                let found = vertices[map.farthest(&vertices, direction) as usize].dot(direction);
                // The order of a sum of three products is the only freedom there is.
                let rounding = 4.0 * f64::EPSILON * reach * direction.length();
                assert!(found >= truth - rounding, "{name}, {direction}: {found} < {truth}");
                assert!((map.height(&vertices, direction) - truth).abs() <= rounding, "{name}, {direction}");
            }
        }
    }
}

#[test]
fn the_half_precision_answers_are_within_their_bound() {
    let mut rng = Rng::with_seed(52);
    for (name, vertices) in bodies(&mut rng) {
        let reach = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        let map = SupportMap::new(&vertices);
        for direction in directions(&mut rng, &vertices) {
            if !(1e-20..1e20).contains(&direction.length()) {
                continue;
            }
            let direction = direction.as_vec3a().as_dvec3();
            let (point, vertex) = map.farthest_f32(direction.as_vec3a());
            assert_eq!(point, vertices[vertex as usize].as_vec3a(), "{name}");
            let short = height(&vertices, direction) - point.as_dvec3().dot(direction);
            // 2^-17 for the numbers in the last bits, a few roundings of 2^-24 for the rest.
            let bound = (2.0_f64.powi(-17) + 8.0 * 2.0_f64.powi(-24)) * reach * direction.length();
            assert!(short <= bound, "{name}, {direction}: {short:e} > {bound:e}");
        }
    }
}

#[test]
fn a_scan_is_its_scalar_twin() {
    let mut rng = Rng::with_seed(53);
    for count in 1..=MAX_SCAN {
        let vertices: Vec<DVec3> = (0..count).map(|_| random(&mut rng)).collect();
        let scan = Scan::new(&vertices);
        for direction in directions(&mut rng, &vertices) {
            let heights: Vec<f64> =
                vertices.iter().map(|v| v.x * direction.x + v.y * direction.y + v.z * direction.z).collect();
            let greatest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let twin = heights.iter().position(|&height| height == greatest).unwrap();
            assert_eq!(scan.farthest(direction), twin as u32);
            assert_eq!(scan.height(direction), greatest);
        }
    }
}

#[test]
fn directions_that_are_none_have_an_answer_too() {
    let mut rng = Rng::with_seed(54);
    for (_, vertices) in bodies(&mut rng) {
        let map = SupportMap::new(&vertices);
        for bad in [0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE] {
            for direction in [DVec3::splat(bad), DVec3::new(1.0, bad, 0.0), DVec3::new(0.0, 0.0, bad)] {
                assert!((map.farthest(&vertices, direction) as usize) < vertices.len());
                assert!((map.farthest_f32(direction.as_vec3a()).1 as usize) < vertices.len());
            }
        }
    }
}

#[test]
fn climbing_from_anywhere_reaches_the_top_of_a_plain_hull() {
    let mut rng = Rng::with_seed(55);
    let points: Vec<DVec3> = (0..300).map(|_| random(&mut rng).normalize_or(DVec3::X)).collect();
    let hull = clearance::internals::hull::convex_hull(&points).unwrap();
    for direction in directions(&mut rng, hull.vertices()) {
        let start = rng.u32(..) % 400;
        let (vertex, steps) = climb(&hull, direction, start);
        let rounding = 4.0 * f64::EPSILON * direction.length();
        assert!(hull.vertex(vertex).dot(direction) >= height(hull.vertices(), direction) - rounding && steps < 60);
    }
}
