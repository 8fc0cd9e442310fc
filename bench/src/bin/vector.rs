//! Cold yes or no on pairs that are apart: the separating-vector search beside our own GJK, in one process, taking turns.
//!
//! `cargo bench-vector` prints nanoseconds per query and the ratio. Both run through a [`Pair`] that is reset each time, so that both have the same
//! overhead.

use clearance::math::DVec3;
use clearance::{Axis, Engine, HalfHeight, Pair, Pose, Radius, Shape};
use clearance_lab::{Rng, models, pairs, random};
use std::hint::black_box;
use std::time::Instant;

/// Shapes of one kind.
const SHAPES: usize = 16;
const QUERIES: usize = 4000;
const PASSES: usize = 15;
const ENGINES: [Engine; 3] = [Engine::SeparatingVector, Engine::Gjk, Engine::Auto];

fn main() {
    println!("{:<24} {:>10} {:>8} {:>8}  gjk / vector", "apart, cold", "vector ns", "gjk ns", "auto ns");
    let mut rng = Rng::with_seed(96);
    for (name, shapes) in families(&mut rng) {
        let queries: Vec<[(usize, Pose); 2]> = (0..QUERIES)
            .map(|_| {
                let (a, b) = (rng.usize(..shapes.len()), rng.usize(..shapes.len()));
                let support = |shape: &Shape| {
                    let core = shape.clone();
                    move |d: DVec3| {
                        let core = core.convex().expect("families are convex");
                        core.support(d) + core.radius() * d.normalize_or_zero()
                    }
                };
                // Close enough that the balls around them overlap: the others are nobody's work.
                loop {
                    let (pose_a, pose_b) = pairs::place_apart(&mut rng, &support(&shapes[a]), &support(&shapes[b]));
                    let between = (pose_b.translation() - pose_a.translation()).length();
                    if between < shapes[a].bounding_radius() + shapes[b].bounding_radius() {
                        break [(a, pose_a), (b, pose_b)];
                    }
                }
            })
            .collect();
        let mut best = [f64::INFINITY; 3];
        for _ in 0..PASSES {
            for (engine, best) in ENGINES.into_iter().zip(&mut best) {
                *best = best.min(pass(&shapes, &queries, engine));
            }
        }
        let [vector, gjk, auto] = best.map(|seconds| seconds * 1e9 / QUERIES as f64);
        println!("{name:<24} {vector:>10.1} {gjk:>8.1} {auto:>8.1}  {:>12.2}", gjk / vector);
    }
}

fn pass(shapes: &[Shape], queries: &[[(usize, Pose); 2]], engine: Engine) -> f64 {
    let mut pairs: Vec<Pair> =
        shapes.iter().flat_map(|a| shapes.iter().map(move |b| Pair::new(a, b).engine(engine))).collect();
    let start = Instant::now();
    let mut yes = 0;
    for [(a, pose_a), (b, pose_b)] in queries {
        let pair = &mut pairs[a * shapes.len() + b];
        pair.reset();
        yes += usize::from(black_box(pair.intersects(*pose_a, *pose_b)));
    }
    let time = start.elapsed().as_secs_f64();
    assert_eq!(yes, 0, "all are apart");
    time
}

fn families(rng: &mut Rng) -> Vec<(String, Vec<Shape>)> {
    let mut all = Vec::new();
    let mut make =
        |name: String, draw: &mut dyn FnMut() -> Shape| all.push((name, (0..SHAPES).map(|_| draw()).collect()));
    let hull = |points: Vec<DVec3>| Shape::hull(&points).expect("models have points");
    for count in [20, 100, 500] {
        make(format!("ellipsoids of {count}"), &mut || hull(models::random_hull(rng, count)));
        make(format!("rods of {count}"), &mut || hull(models::random_rod(rng, count)));
        make(format!("plates of {count}"), &mut || hull(models::random_plate(rng, count)));
    }
    make("cuboids".into(), &mut || Shape::cuboid(random::vector(rng, 0.3, 1.0)).expect("sizes are positive"));
    make("ellipsoids".into(), &mut || Shape::ellipsoid(random::vector(rng, 0.3, 1.0)).expect("sizes are positive"));
    make("cylinders".into(), &mut || {
        Shape::cylinder(Axis::Y, Radius(random::uniform(rng, 0.3, 1.0)), HalfHeight(random::uniform(rng, 0.3, 1.0)))
            .expect("sizes are positive")
    });
    make("cones".into(), &mut || {
        Shape::cone(Axis::Y, Radius(random::uniform(rng, 0.3, 1.0)), HalfHeight(random::uniform(rng, 0.3, 1.0)))
            .expect("sizes are positive")
    });
    make("capsules".into(), &mut || {
        Shape::capsule(Axis::Y, Radius(random::uniform(rng, 0.2, 0.5)), HalfHeight(random::uniform(rng, 0.3, 1.0)))
            .expect("sizes are positive")
    });
    all
}
