//! Farthest vertices: a scan, a table and hill climbing, from 8 to 5000 vertices; nanoseconds per call.
//!
//! `cargo bench-support` prints the table that decides [`SCAN_UP_TO`] and [`resolution`]. The directions turn slowly, as
//! they do within a search and from frame to frame, or jump at random.

use clearance::hull::convex_hull;
use clearance::math::DVec3;
use clearance::support::{DirectionTable, MAX_SCAN, SCAN_UP_TO, Scan, climb, resolution};
use clearance_lab::{Rng, random};
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
    let mut rng = Rng::with_seed(1);
    println!("a scan is used up to {SCAN_UP_TO} vertices; ns per call, directions at random (and turning slowly)");
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
                        black_box(scan.roughly_farthest(d));
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
                    black_box(table.roughly_farthest(d));
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
