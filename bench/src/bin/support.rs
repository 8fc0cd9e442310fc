//! Farthest vertices: a scan, a table, hill climbing and the hierarchy; nanoseconds per call.
//!
//! `cargo bench-support` prints the table that decides [`SCAN_VERTICES`] and [`resolution`], from 8 to 5000 vertices: the
//! directions turn slowly, as they do within a search and from frame to frame, or jump at random. A second table compares
//! the ways that are for large hulls, from 20 to 100,000 vertices, with what they take to build and to store.

use clearance::internals::SCAN_VERTICES;
use clearance::internals::hull::convex_hull;
use clearance::math::DVec3;
use clearance::shape::Polytope;
use clearance_lab::{Rng, models, random};
use clearance_papers::separating_vector::support::{
    DirectionTable, Hierarchy, MAX_SCAN, Scan, ThesisTable, climb, resolution,
};
use std::hint::black_box;
use std::time::Instant;

const CALLS: usize = 4096;

/// The best of many passes over all directions, per call.
fn best(mut pass: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..40 {
        let start = Instant::now();
        pass();
        best = best.min(start.elapsed().as_nanos() as f64 / CALLS as f64);
    }
    best
}

fn main() {
    small();
    large();
}

/// All ways on points of an ellipsoid, from few vertices to many.
fn small() {
    let mut rng = Rng::with_seed(1);
    println!("a scan is used up to {SCAN_VERTICES} vertices; ns per call, directions at random (and turning slowly)");
    println!(
        "{:>6} {:>16} {:>16} {:>6} {:>16} {:>16} {:>16} {:>16}",
        "n", "scan", "rough scan", "cells", "table", "rough table", "climb, cold", "climb, hint"
    );
    for count in [8, 12, 16, 20, 24, 32, 48, 64, 100, 200, 500, 1000, 2000, 5000] {
        let points: Vec<DVec3> = (0..count).map(|_| random::direction(&mut rng) * DVec3::new(0.4, 0.7, 1.0)).collect();
        let hull = convex_hull(&points).expect("a hull");
        let jumping: Vec<DVec3> = (0..CALLS).map(|_| random::direction(&mut rng)).collect();
        let (u, v) = (random::direction(&mut rng), random::direction(&mut rng));
        let turning: Vec<DVec3> = (0..CALLS)
            .map(|i| {
                let (sin, cos) = (i as f64 * 0.02).sin_cos();
                u * cos + v * sin
            })
            .collect();
        let cell = |measure: &dyn Fn(&[DVec3]) -> f64| format!("{:.1} ({:.1})", measure(&jumping), measure(&turning));
        let vertices = hull.vertices();
        let table = DirectionTable::new(vertices, resolution(count));
        let mut columns = Vec::new();
        if count <= MAX_SCAN {
            let scan = Scan::new(vertices);
            columns.push(cell(&|directions| {
                best(|| {
                    directions.iter().for_each(|&d| {
                        black_box(scan.farthest(d));
                    })
                })
            }));
            columns.push(cell(&|directions| {
                let rough: Vec<_> = directions.iter().map(|d| d.as_vec3a()).collect();
                best(|| {
                    rough.iter().for_each(|&d| {
                        black_box(scan.farthest_f32(d));
                    })
                })
            }));
        } else {
            let plain = |directions: &[DVec3]| {
                best(|| {
                    for &d in directions {
                        let heights = vertices.iter().map(|v| v.dot(d));
                        black_box(heights.fold(f64::NEG_INFINITY, f64::max));
                    }
                })
            };
            columns.extend([cell(&plain), "-".into()]);
        }
        columns.push(table.cell_counts()[0].to_string());
        columns.push(cell(&|directions| {
            best(|| {
                directions.iter().for_each(|&d| {
                    black_box(table.farthest(vertices, d));
                })
            })
        }));
        columns.push(cell(&|directions| {
            let rough: Vec<_> = directions.iter().map(|d| d.as_vec3a()).collect();
            best(|| {
                rough.iter().for_each(|&d| {
                    black_box(table.farthest_f32(d));
                })
            })
        }));
        columns.push(cell(&|directions| {
            best(|| {
                directions.iter().for_each(|&d| {
                    black_box(climb(&hull, d, 0));
                })
            })
        }));
        columns.push(cell(&|directions| {
            best(|| {
                let mut hint = 0;
                for &d in directions {
                    hint = black_box(climb(&hull, d, hint)).0;
                }
            })
        }));
        let [a, b, cells, rest @ ..] = &columns[..] else { unreachable!("seven columns") };
        print!("{:>6} {a:>16} {b:>16} {cells:>6}", hull.vertex_count());
        rest.iter().for_each(|column| print!(" {column:>16}"));
        println!();
    }
}

/// The ways that are for large hulls, on three kinds of them, with random directions.
fn large() {
    let mut rng = Rng::with_seed(2);
    println!("\nlarge hulls, directions at random: ns per call; vertices the hierarchy looks at, and its levels;");
    println!("ms to build (without the hull); bytes per vertex");
    println!(
        "{:>10} {:>7} {:>9} {:>7} {:>9} {:>7} | {:>7} {:>6} | {:>7} {:>9} {:>7} | {:>7} {:>9}",
        "hull",
        "n",
        "scan",
        "table",
        "hierarchy",
        "thesis",
        "looks",
        "levels",
        "table",
        "hierarchy",
        "thesis",
        "table",
        "hierarchy"
    );
    for kind in ["sphere", "ellipsoid", "cylinder"] {
        for count in [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000] {
            let points: Vec<DVec3> = match kind {
                "sphere" => (0..count).map(|_| random::direction(&mut rng)).collect(),
                "ellipsoid" => models::random_ellipsoid(&mut rng, count),
                _ => models::prism(1.0, 1.0, count / 2),
            };
            row(kind, &convex_hull(&points).expect("a hull"), &mut rng);
        }
    }
}

fn row(kind: &str, hull: &Polytope, rng: &mut Rng) {
    let vertices = hull.vertices();
    let count = vertices.len();
    let directions: Vec<DVec3> = (0..CALLS).map(|_| random::direction(rng)).collect();
    let mut build_times = Vec::new();
    let mut built = |start: Instant| build_times.push(start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let table = DirectionTable::new(vertices, resolution(count));
    built(start);
    let start = Instant::now();
    let hierarchy = Hierarchy::new(hull);
    built(start);
    let start = Instant::now();
    let thesis = ThesisTable::new(hull);
    built(start);

    // A scan of many takes long enough to be measured on few directions.
    let few = &directions[..(4_000_000 / count).clamp(16, CALLS)];
    let scan = CALLS as f64 / few.len() as f64
        * best(|| {
            for &d in few {
                black_box(vertices.iter().map(|v| v.dot(d)).fold(f64::NEG_INFINITY, f64::max));
            }
        });
    let over_all = |ask: &dyn Fn(DVec3) -> u32| {
        best(|| {
            for &d in &directions {
                black_box(ask(d));
            }
        })
    };
    let by_table = over_all(&|d| table.farthest(vertices, d));
    let by_hierarchy = over_all(&|d| hierarchy.farthest(d));
    let by_thesis = over_all(&|d| thesis.farthest(hull, d).0);
    let looks = directions.iter().map(|&d| f64::from(hierarchy.search(d).looked_at)).sum::<f64>() / CALLS as f64;
    let bytes = [table.bytes(), hierarchy.bytes()].map(|bytes| bytes as f64 / count as f64);
    println!(
        "{kind:>10} {count:>7} {scan:>9.1} {by_table:>7.1} {by_hierarchy:>9.1} {by_thesis:>7.1} | {looks:>7.1} {:>6} | \
         {:>7.2} {:>9.2} {:>7.2} | {:>7.1} {:>9.1}",
        hierarchy.level_count(),
        build_times[0],
        build_times[1],
        build_times[2],
        bytes[0],
        bytes[1]
    );
}
