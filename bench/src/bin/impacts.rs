//! Times of impact beside parry, in one process: shapes about one in size that approach each other from three to four away.
//!
//! `cargo bench-impacts [QUERIES] [--ours] [--match NAME]` prints microseconds per query, the best of three passes, the ratio to parry, and the width
//! of our brackets. It counts parry's answers that the proofs refute: missed hits, and times outside of the bracket by more than 1e-4 of the
//! interval. `--ours` leaves parry out, `--match NAME` runs only rows with that name.
//!
//! The rows `world` are event-driven simulations: balls in a box, from impact to impact by `World::next_impact`.

use clearance::math::{DQuat, DVec3};
use clearance::motion::{Impact, Motion, time_of_impact};
use clearance::{Axis, HalfHeight, Interval, Pose, Radius, Shape, World};
use clearance_lab::Rng;
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::{self, NonlinearRigidMotion, ShapeCastOptions};
use parry3d_f64::shape::{Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Shape as ParryShape};
use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let with_parry = !arguments.iter().any(|argument| argument == "--ours");
    let wanted = arguments.iter().position(|argument| argument == "--match").and_then(|i| arguments.get(i + 1));
    let queries = arguments.iter().find_map(|text| text.parse().ok()).unwrap_or(500);
    let has_pairs = wanted.is_none_or(|wanted| wanted != "world");
    for (title, spin) in [("straight", 0.0), ("3 rad/s on both", 3.0)].into_iter().filter(|_| has_pairs) {
        println!("{title}, us per query");
        println!(
            "{:<10} | {:>8} {:>9} {:>6} | {:>5} {:>6} {:>8} {:>6} | {:>12} {:>12}",
            "", "ours", "parry", "ratio", "hits", "steps", "widest", "wide", "parry misses", "wrong times"
        );
        let mut rng = Rng::with_seed(77);
        for subject in subjects(&mut rng) {
            // Drawn for all rows, so that each has the same motions without the others.
            let flights: Vec<Flight> = (0..queries).map(|_| Flight::new(&mut rng, spin)).collect();
            if wanted.is_none_or(|wanted| subject.name.contains(wanted.as_str())) {
                subject.row(&flights, spin, with_parry);
            }
        }
        println!();
    }
    if wanted.is_none_or(|wanted| "world".contains(wanted.as_str())) {
        println!("world: bouncing balls in a box, us per impact");
        println!("{:<10} | {:>8} | {:>8} {:>6}", "balls", "ours", "searches", "boxes");
        for balls in [8, 64, 1000, 8000] {
            bouncing(balls, 20 * queries);
        }
    }
}

/// Balls of radius 0.2, one for each unit of volume, in a box of six half-spaces.
fn bouncing(count: usize, impacts: usize) {
    let side = (count as f64).cbrt().round() as usize;
    let half = 0.5 * side as f64;
    let mut world = World::default();
    for axis in DVec3::AXES {
        for normal in [axis, -axis] {
            world.insert(Shape::half_space(normal, -half).expect("a wall"), Pose::IDENTITY);
        }
    }
    let mut rng = Rng::with_seed(4);
    let ball = Shape::sphere(0.2).expect("a ball");
    let mut velocities = vec![DVec3::ZERO; 6];
    for i in 0..count {
        let place = DVec3::from_array([i % side, i / side % side, i / side / side].map(|k| k as f64 + 0.5 - half));
        velocities.push(vector(&mut rng, 1.0));
        let id = world.insert(ball.clone(), Pose::from_translation(place));
        let motion = Motion::linear(Pose::from_translation(place), velocities[6 + i], [0.0; 3]);
        world.set_motion(id, motion.expect("a motion"));
    }
    let mut now = 0.0;
    let mut bounce = |world: &mut World| {
        let impact = world.next_impact(Interval::new(now, now + 100.0).expect("an interval")).expect("an impact");
        let hit = impact.impact.hit().expect("balls are decided");
        now = hit.lower;
        let [a, b] = impact.bodies.map(|id| velocities[id.slot() as usize].dot(hit.normal));
        let is_wall = impact.bodies[0].slot() < 6;
        let change = (a - b) * hit.normal * if is_wall { 2.0 } else { 1.0 };
        for (id, change) in impact.bodies.into_iter().zip([-change, change]).skip(usize::from(is_wall)) {
            let velocity = &mut velocities[id.slot() as usize];
            *velocity += change;
            let pose = world.motion(id).expect("balls have a motion").pose(now);
            let motion = Motion::linear(pose, *velocity, [0.0; 3]).and_then(|motion| motion.from_time(now));
            world.set_motion(id, motion.expect("a motion"));
        }
    };
    // The first call builds the schedule.
    (0..=impacts / 10).for_each(|_| bounce(&mut world));
    let (start, before) = (Instant::now(), world.schedule_cost());
    (0..impacts).for_each(|_| bounce(&mut world));
    let (time, after) = (start.elapsed().as_secs_f64() * 1e6 / impacts as f64, world.schedule_cost());
    let [searches, boxes] = [after.searches - before.searches, after.boxes - before.boxes];
    let each = |work: u64| work as f64 / impacts as f64;
    println!("{count:<10} | {time:>8.2} | {:>8.1} {:>6.1}", each(searches), each(boxes));
}

/// Two shapes of one kind in both libraries.
struct Subject {
    name: &'static str,
    shapes: [Shape; 2],
    others: [Box<dyn ParryShape>; 2],
}

fn subjects(rng: &mut Rng) -> Vec<Subject> {
    let two =
        |name: &'static str, ours: [Shape; 2], others: [Box<dyn ParryShape>; 2]| Subject { name, shapes: ours, others };
    let ball = |r: f64| Shape::sphere(r).expect("a ball");
    let cuboid = |h: [f64; 3]| Shape::cuboid(h).expect("a box");
    let their_box = |[x, y, z]: [f64; 3]| -> Box<dyn ParryShape> { Box::new(Cuboid::new(Vector::new(x, y, z))) };
    let (small, flat) = ([0.5, 0.4, 0.3], [0.45, 0.25, 0.5]);
    let capsule = |r: f64, h: f64| Shape::capsule(Axis::Y, Radius(r), HalfHeight(h)).expect("a capsule");
    let cylinder = |r: f64, h: f64| Shape::cylinder(Axis::Y, Radius(r), HalfHeight(h)).expect("a cylinder");
    let cone = |r: f64, h: f64| Shape::cone(Axis::Y, Radius(r), HalfHeight(h)).expect("a cone");
    let mut hulls = |name: &'static str, count: usize| {
        let pair = [0, 1].map(|_| {
            let cloud: Vec<DVec3> = (0..count).map(|_| 0.5 * direction(rng)).collect();
            let points = cloud.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect::<Vec<_>>();
            let other: Box<dyn ParryShape> = Box::new(ConvexPolyhedron::from_convex_hull(&points).expect("a hull"));
            (Shape::hull(&cloud).expect("a hull"), other)
        });
        let [(a, other_a), (b, other_b)] = pair;
        two(name, [a, b], [other_a, other_b])
    };
    let (twenty, hundred) = (hulls("hulls 20", 20), hulls("hulls 100", 100));
    vec![
        two("balls", [ball(0.5), ball(0.4)], [Box::new(Ball::new(0.5)), Box::new(Ball::new(0.4))]),
        two("boxes", [cuboid(small), cuboid(flat)], [their_box(small), their_box(flat)]),
        twenty,
        hundred,
        two(
            "capsules",
            [capsule(0.2, 0.3), capsule(0.25, 0.4)],
            [Box::new(Capsule::new_y(0.3, 0.2)), Box::new(Capsule::new_y(0.4, 0.25))],
        ),
        two(
            "cylinders",
            [cylinder(0.3, 0.4), cylinder(0.4, 0.2)],
            [Box::new(Cylinder::new(0.4, 0.3)), Box::new(Cylinder::new(0.2, 0.4))],
        ),
        two("cones", [cone(0.3, 0.4), cone(0.4, 0.3)], [Box::new(Cone::new(0.4, 0.3)), Box::new(Cone::new(0.3, 0.4))]),
    ]
}

/// A pair of motions in both libraries.
struct Flight {
    ours: [Motion; 2],
    theirs: [NonlinearRigidMotion; 2],
}

impl Flight {
    fn new(rng: &mut Rng, spin: f64) -> Self {
        let way = (3.0 + rng.f64()) * direction(rng);
        // Towards the other body, or nearly.
        let velocity = -1.2 * way + 0.4 * vector(rng, 1.0);
        let share = rng.f64();
        let motions = [(DVec3::ZERO, -share * velocity), (way, (1.0 - share) * velocity)].map(|(place, velocity)| {
            let (rotation, spin) = (rotation(rng), spin * direction(rng));
            let ours = Motion::linear(Pose::new(place, rotation), velocity, spin).expect("a motion");
            let start = parry_pose(&Pose::new(place, rotation));
            let parry = |v: DVec3| Vector::new(v.x, v.y, v.z);
            (ours, NonlinearRigidMotion::new(start, Vector::ZERO, parry(velocity), parry(spin)))
        });
        let [(a, other_a), (b, other_b)] = motions;
        Self { ours: [a, b], theirs: [other_a, other_b] }
    }
}

impl Subject {
    fn row(&self, flights: &[Flight], spin: f64, with_parry: bool) {
        let ([a, b], queries) = (&self.shapes, flights.len());
        let (ours, found) = timed(queries, |i| {
            let [motion_a, motion_b] = &flights[i].ours;
            time_of_impact(a, motion_a, b, motion_b, Interval::UNIT)
        });
        let hits = found.iter().filter(|impact| matches!(impact, Impact::Hit(_))).count();
        let steps = |impact: &Impact| match impact {
            Impact::Hit(hit) => hit.steps,
            Impact::Clear(approach) => approach.steps,
            Impact::Undecided(undecided) => undecided.steps,
            Impact::Touching(_) => 0,
        };
        let asked: f64 = found.iter().map(|impact| f64::from(steps(impact))).sum::<f64>() / queries as f64;
        let widths: Vec<f64> =
            found.iter().filter_map(|impact| impact.hit().map(|hit| hit.upper - hit.lower)).collect();
        let widest = widths.iter().copied().filter(|width| width.is_finite()).fold(0.0, f64::max);
        let wide = widths.iter().filter(|&&width| !(width < 1e-9)).count();
        let (mut parry, mut misses, mut wrong) = (f64::NAN, 0, 0);
        if with_parry {
            let [other_a, other_b] = &self.others;
            let few = if spin > 0.0 { queries.min(200) } else { queries };
            let (time, answers) = timed(few, |i| {
                let [motion_a, motion_b] = &flights[i].theirs;
                if spin > 0.0 {
                    query::cast_shapes_nonlinear(motion_a, &**other_a, motion_b, &**other_b, 0.0, 1.0, true)
                } else {
                    let options = ShapeCastOptions::with_max_time_of_impact(1.0);
                    query::cast_shapes(
                        &motion_a.start,
                        motion_a.linvel,
                        &**other_a,
                        &motion_b.start,
                        motion_b.linvel,
                        &**other_b,
                        options,
                    )
                }
            });
            let answers = answers.into_iter().map(|hit| hit.expect("known").map(|hit| hit.time_of_impact));
            parry = time;
            for (ours, theirs) in found.iter().zip(answers) {
                match (ours, theirs) {
                    (Impact::Hit(hit), None) => misses += usize::from(hit.is_proved()),
                    (Impact::Hit(hit), Some(time)) => {
                        wrong += usize::from(time < hit.lower - 1e-4 || time > hit.upper + 1e-4);
                    }
                    (Impact::Clear(_), Some(_)) => wrong += 1,
                    _ => {}
                }
            }
        }
        println!(
            "{:<10} | {ours:>8.3} {parry:>9.3} {:>6.1} | {hits:>5} {asked:>6.1} {widest:>8.1e} {wide:>6} | {misses:>12} {wrong:>12}",
            self.name,
            parry / ours
        );
    }
}

/// Microseconds per query, the best of three passes, and the answers. A pass before collects them, since storing them is no part of a query.
fn timed<T>(count: usize, mut answer: impl FnMut(usize) -> T) -> (f64, Vec<T>) {
    let answers = (0..count).map(&mut answer).collect();
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        for i in 0..count {
            // By reference and as the libraries return it: what is handed over by value, or unwrapped, is copied first.
            black_box(&answer(i));
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / count as f64);
    }
    (best, answers)
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let (q, t) = (pose.rotation(), pose.translation());
    let rotation = parry3d_f64::math::Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    ParryPose::from_parts(Vector::new(t.x, t.y, t.z), rotation)
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

fn direction(rng: &mut Rng) -> DVec3 {
    let (z, angle) = (2.0 * rng.f64() - 1.0, TAU * rng.f64());
    let r = (1.0 - z * z).sqrt();
    DVec3::new(r * angle.cos(), r * angle.sin(), z)
}

fn rotation(rng: &mut Rng) -> DQuat {
    DQuat::from_scaled_axis(3.0 * rng.f64() * direction(rng))
}
