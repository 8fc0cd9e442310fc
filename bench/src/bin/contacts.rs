//! Contact manifolds beside parry's `contact_manifolds`, in one process: a body that rests or slides on another, frame after frame.
//!
//! `cargo bench-contacts [FRAMES] [--match NAME]` prints nanoseconds per frame, the best of several passes in turns. Both libraries are called as a simulator calls them: Clearance keeps its `Pair`, parry
//! its manifolds and workspace, so that it takes its own short cut (`try_update_contacts`) wherever it may. Every pose is a new one, and ours have proven brackets. Each row has three kinds of frames:
//!
//! - *trembling*, the row's own name: a body at rest that moves by up to 1e-4 and turns by 1e-4 from frame to frame. Points go from overlap to gap, where parry makes its manifold anew.
//! - *at rest*: a body that overlaps by 5e-4 and moves by 1e-7. It is parry's best case: parry moves the points of the last frame along, without a
//!   search. It keeps the anchors of the first frame.
//! - *sliding*: by 2e-3 a frame, turning by 0.01, so that parry cannot use its points of the last frame.
//!
//! The next columns count the points of both libraries: the least, the mean, and the share of frames with fewer points than the row's shape rests on.
//! `off` is the largest difference of the two deepest distances.

use clearance::math::{DQuat, DVec3};
use clearance::{Axis, HalfHeight, Pair, Pose, Radius, Shape, distance};
use clearance_lab::{Rng, models, random};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{
    ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher,
};
use parry3d_f64::shape::{self, Shape as ParryShape};
use std::hint::black_box;
use std::time::Instant;

/// Points farther apart than this are not part of a manifold.
const MARGIN: f64 = 0.01;

/// Passes over the frames of a row, in turns.
const PASSES: usize = 15;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted = arguments.iter().position(|argument| argument == "--match").and_then(|i| arguments.get(i + 1));
    let count = arguments.iter().find_map(|text| text.parse().ok()).unwrap_or(1000);
    println!(
        "{:<36} {:>8} {:>8} {:>6} | {:>5} {:>5} {:>7} | {:>5} {:>5} {:>7} | {:>8}",
        "ns per frame", "ours", "parry", "ratio", "least", "mean", "too few", "least", "mean", "too few", "off"
    );
    for row in rows() {
        if wanted.is_none_or(|wanted| row.name.contains(wanted.as_str())) {
            run(&row, count);
        }
    }
}

/// The kinds of frames, see the head.
#[derive(Clone, Copy, PartialEq)]
enum Motion {
    Trembling,
    AtRest,
    Sliding,
}

/// Two shapes, the second of which rests on the first.
struct Row {
    name: String,
    below: (Shape, Box<dyn ParryShape>),
    above: (Shape, Box<dyn ParryShape>),
    /// The pose of the body at rest.
    rest: Pose,
    /// Its motion from frame to frame.
    motion: Motion,
    /// The number of points that hold it.
    points: usize,
}

fn cuboid(half: [f64; 3]) -> (Shape, Box<dyn ParryShape>) {
    let other = shape::Cuboid::new(Vector::new(half[0], half[1], half[2]));
    (Shape::cuboid(half).expect("a box"), Box::new(other))
}

fn hull(points: &[DVec3]) -> (Shape, Box<dyn ParryShape>) {
    let corners: Vec<Vector> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    let other = shape::ConvexPolyhedron::from_convex_hull(&corners).expect("a hull");
    (Shape::hull(points).expect("a hull"), Box::new(other))
}

/// A square of 2 n² triangles.
fn floor(n: u32, step: f64) -> (Shape, Box<dyn ParryShape>) {
    let middle = 0.5 * step * f64::from(n);
    let at = |i: u32, j: u32| DVec3::new(step * f64::from(i) - middle, 1.0, step * f64::from(j) - middle);
    let vertices: Vec<DVec3> = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
    let number = |i: u32, j: u32| i * (n + 1) + j;
    let cell = |(i, j): (u32, u32)| {
        let [a, b, c, d] = [number(i, j), number(i, j + 1), number(i + 1, j + 1), number(i + 1, j)];
        [[a, b, c], [a, c, d]]
    };
    let triangles: Vec<[u32; 3]> = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).flat_map(cell).collect();
    let corners = vertices.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    let other = shape::TriMesh::with_flags(corners, triangles.clone(), shape::TriMeshFlags::FIX_INTERNAL_EDGES);
    (Shape::mesh(&vertices, &triangles).expect("a mesh"), Box::new(other.expect("a mesh")))
}

/// The pose of a shape that was lowered onto another one.
fn let_down(below: &Shape, above: &Shape, turn: DQuat) -> Pose {
    let mut height = 9.0;
    for _ in 0..100 {
        let gap = distance(below, Pose::IDENTITY, above, Pose::new([0.0, height, 0.0], turn)).distance;
        if gap.abs() < 1e-13 {
            break;
        }
        height -= gap;
    }
    Pose::new([0.0, height, 0.0], turn)
}

/// The turn that lays the face of a hull whose normal is lowest flat.
fn on_a_face(shape: &Shape) -> DQuat {
    let polytope = shape.as_polytope().expect("a hull");
    let lowest = polytope.faces().min_by(|f, g| f.normal.y.total_cmp(&g.normal.y)).expect("faces");
    DQuat::from_rotation_arc(lowest.normal, -DVec3::Y)
}

fn rows() -> Vec<Row> {
    let mut rng = Rng::with_seed(34);
    let table = || cuboid([3.0, 1.0, 3.0]);
    let mut rows = Vec::new();
    let mut add = |name, below: (Shape, Box<dyn ParryShape>), above: (Shape, Box<dyn ParryShape>), turn, points| {
        let motions = [(Motion::Trembling, ""), (Motion::AtRest, ", at rest"), (Motion::Sliding, ", sliding")];
        for (motion, suffix) in motions {
            let rest = let_down(&below.0, &above.0, turn);
            let below = (below.0.clone(), below.1.clone_dyn());
            let above = (above.0.clone(), above.1.clone_dyn());
            rows.push(Row { name: format!("{name}{suffix}"), below, above, rest, motion, points });
        }
    };
    add("box on box", table(), cuboid([0.5; 3]), DQuat::IDENTITY, 4);
    let lying = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let capsule = Shape::capsule(Axis::Y, Radius(0.3), HalfHeight(0.5)).expect("a capsule");
    add("capsule on box", table(), (capsule, Box::new(shape::Capsule::new_y(0.5, 0.3))), lying, 2);
    for (name, count) in [("hull of 20 on hull of 20", 20), ("hull of 100 on hull of 100", 100)] {
        let below: Vec<DVec3> = models::random_hull(&mut rng, count);
        let (below, above) = (hull(&below), hull(&models::random_hull(&mut rng, count)));
        let turn = on_a_face(&above.0);
        add(name, below, above, turn, 1);
    }
    let cylinder = Shape::cylinder(Axis::Y, Radius(0.5), HalfHeight(0.3)).expect("a cylinder");
    add("cylinder on box", table(), (cylinder, Box::new(shape::Cylinder::new(0.3, 0.5))), DQuat::IDENTITY, 4);
    add("box on mesh", floor(24, 0.25), cuboid([0.5; 3]), DQuat::IDENTITY, 4);
    rows
}

fn frames(row: &Row, count: usize) -> Vec<Pose> {
    let mut rng = Rng::with_seed(7);
    let (size, depth) = if row.motion == Motion::AtRest { (1e-7, 5e-4) } else { (1e-4, 0.0) };
    (0..count)
        .map(|frame| {
            let tremble = size * random::vector(&mut rng, -1.0, 1.0) - depth * DVec3::Y;
            let turn = DQuat::from_scaled_axis(size * random::vector(&mut rng, -1.0, 1.0));
            let t = if row.motion == Motion::Sliding { frame as f64 } else { 0.0 };
            let slide = Pose::from_translation(DVec3::new((0.002 * t).sin(), 0.0, (0.0013 * t).sin()) + tremble);
            let spin = Pose::new(row.rest.translation(), DQuat::from_rotation_y(0.01 * t) * turn * row.rest.rotation());
            slide * spin
        })
        .collect()
}

fn pose(pose: &Pose) -> ParryPose {
    let (t, q) = (pose.translation(), pose.rotation());
    ParryPose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// Points of the frames: the least, the mean, and the share of frames with fewer than wanted.
#[derive(Default)]
struct Points {
    counts: Vec<usize>,
    deepest: Vec<f64>,
}

impl Points {
    fn cells(&self, wanted: usize) -> String {
        let least = self.counts.iter().min().copied().unwrap_or(0);
        let mean = self.counts.iter().sum::<usize>() as f64 / self.counts.len() as f64;
        let few = self.counts.iter().filter(|&&count| count < wanted).count() as f64 / self.counts.len() as f64;
        format!("{least:>5} {mean:>5.2} {:>6.1}%", 100.0 * few)
    }
}

fn run(row: &Row, count: usize) {
    let frames = frames(row, count);
    let others: Vec<ParryPose> = frames.iter().map(pose).collect();
    let (mut ours, mut parry) = (Points::default(), Points::default());
    let mut times = [f64::INFINITY; 2];
    let mut pair = Pair::new(&row.below.0, &row.above.0);
    for pass in 0..PASSES {
        let start = Instant::now();
        for frame in &frames {
            let found = black_box(pair.manifolds(Pose::IDENTITY, *frame, MARGIN));
            if pass == 0 {
                ours.counts.push(found.iter().map(|manifold| manifold.points().len()).sum());
                let points = found.iter().flat_map(|manifold| manifold.points());
                ours.deepest.push(points.map(|point| point.distance).fold(f64::INFINITY, f64::min));
            }
        }
        times[0] = times[0].min(start.elapsed().as_secs_f64());
        let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
        let mut workspace: Option<ContactManifoldsWorkspace> = None;
        let start = Instant::now();
        for frame in &others {
            let done = DefaultQueryDispatcher.contact_manifolds(
                frame,
                &*row.below.1,
                &*row.above.1,
                MARGIN,
                &mut manifolds,
                &mut workspace,
            );
            assert!(done.is_ok(), "{} is supported", row.name);
            black_box(&manifolds);
            if pass == 0 {
                let points = || manifolds.iter().flat_map(|manifold| &manifold.points);
                // parry also returns points that are farther apart.
                parry.counts.push(points().filter(|point| point.dist <= MARGIN).count());
                parry.deepest.push(points().map(|point| point.dist).fold(f64::INFINITY, f64::min));
            }
        }
        times[1] = times[1].min(start.elapsed().as_secs_f64());
    }
    let [ours_ns, parry_ns] = times.map(|time| time * 1e9 / count as f64);
    let differences = ours.deepest.iter().zip(&parry.deepest).map(|(x, y)| (x - y).abs());
    println!(
        "{:<36} {ours_ns:>8.0} {parry_ns:>8.0} {:>6.2} | {} | {} | {:>8.1e}",
        row.name,
        parry_ns / ours_ns,
        ours.cells(row.points),
        parry.cells(row.points),
        differences.fold(0.0, f64::max)
    );
}
