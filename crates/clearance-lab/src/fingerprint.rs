//! Hashes of the bits of many answers, one for each kind of query.
//!
//! `tests/fingerprint.txt` has the hashes of the short form, and a test compares them: a refactoring leaves every line as it was. A change
//! of answers that is meant changes the line of its queries and no other, and the commit says why. Positions are drawn with the
//! functions of the platform's mathematics library, so that the file is valid for one platform, x86-64 with glibc.

use crate::meshes::small::random_mesh;
use crate::random::{direction, rotation, uniform, vector};
use crate::soak::{draw, near_symmetry};
use crate::solids::overlap_cases;
use crate::{Rng, Spec};
use clearance::math::{DVec3, Pose};
use clearance::motion::{Hit, Impact, Motion};
use clearance::{
    Clearance, Collision, DepthBudget, Engine, Interval, Pair, Ray, RayHit, Shape, ShapeHit, Sweep, World, cast_ray,
    cast_ray_boundary, cast_shape, closest_approach, depth, distance, intersects, signed_distance, time_of_impact,
    within,
};
use rayon::ThreadPoolBuilder;
use std::fmt::Write;

/// FNV-1a, which needs no crate and never changes.
struct Hash(u64);

impl Hash {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bits(&mut self, bits: u64) {
        for byte in bits.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.bits(byte.into()));
    }

    fn number(&mut self, x: f64) {
        // The sign of a zero is no part of an answer.
        self.bits(if x == 0.0 { 0 } else { x.to_bits() });
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|x| self.number(x));
    }

    fn vectors(&mut self, vectors: impl IntoIterator<Item = DVec3>) {
        vectors.into_iter().for_each(|v| self.numbers(v.to_array()));
    }

    fn clearance(&mut self, found: &Clearance, [a, b]: [&Shape; 2]) {
        self.numbers([found.distance, found.lower, found.upper]);
        self.vectors([found.point_a, found.point_b, found.normal]);
        found.parts.into_iter().for_each(|part| self.bits(part.into()));
        self.text(&format!("{} {:?}", found.status.name(), found.features(a, b)));
    }

    fn hit(&mut self, hit: &Hit) {
        self.numbers([hit.lower, hit.upper]);
        self.vectors([hit.point_a, hit.point_b, hit.normal]);
        self.text(&format!("{:?} {:?}", hit.parts, hit.triangles));
    }

    /// Everything but the number of steps.
    fn impact(&mut self, impact: &Impact, shapes: [&Shape; 2]) {
        match impact {
            Impact::Hit(hit) => self.hit(hit),
            Impact::Clear(approach) => self.numbers([approach.lower, approach.upper, approach.time]),
            Impact::Touching(found) => self.clearance(found, shapes),
            Impact::Undecided(undecided) => self.numbers([undecided.from, f64::NEG_INFINITY]),
        }
    }

    fn shape_hit(&mut self, hit: &ShapeHit) {
        self.numbers([hit.distance, hit.lower, hit.upper]);
        self.vectors([hit.point_a, hit.point_b, hit.normal]);
        self.text(&format!("{:?} {:?} {}", hit.parts, hit.triangles, hit.is_undecided));
    }

    fn ray_hit(&mut self, hit: Option<RayHit>) {
        self.bits(hit.is_some().into());
        if let Some(hit) = hit {
            self.numbers([hit.distance, hit.lower, hit.upper]);
            self.vectors([hit.point, hit.normal]);
            self.text(&format!("{:?} {} {}", hit.feature(), hit.part, hit.is_inside));
        }
    }
}

/// The pairs of each engine in the committed file.
pub const SHORT: usize = 1000;

/// The name of a kind of queries and the hash of its answers.
pub type Line = (String, u64);

/// The hashes of `count` pairs for each engine, and of fewer of the queries that take longer.
///
/// # Panics
///
/// If no thread can be started.
#[must_use]
pub fn lines(count: usize) -> Vec<Line> {
    let mut lines = vec![("pairs, one-shot".to_owned(), pairs_once(count))];
    for engine in Engine::ALL {
        lines.push((format!("pairs, {}", engine.name()), pairs_kept(count, engine)));
    }
    let fewer = count.div_ceil(4);
    lines.push(("meshes".into(), meshes(fewer)));
    lines.push(("compounds".into(), compounds(fewer)));
    lines.push(("rays".into(), rays(count)));
    lines.push(("impacts".into(), impacts(fewer)));
    lines.push(("casts of shapes".into(), casts(fewer)));
    lines.push(("closest approaches".into(), approaches(count.div_ceil(40))));
    lines.push(("depths".into(), depths(count.div_ceil(400))));
    for threads in [1, 2, 8] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let name = |what: &str| format!("{what}, {threads} threads");
        lines.push((name("batches"), pool.install(|| batches(count))));
        lines.push((name("worlds"), pool.install(|| worlds(fewer))));
        lines.push((name("impacts of worlds"), pool.install(|| world_impacts(count.div_ceil(100)))));
    }
    lines
}

/// The lines as the file has them.
#[must_use]
pub fn written(lines: &[Line]) -> String {
    lines.iter().fold(String::new(), |mut text, (name, hash)| {
        writeln!(text, "{hash:016x} {name}").expect("text");
        text
    })
}

fn drawn(index: usize) -> (Rng, draw::Drawn) {
    let mut rng = Rng::with_seed(20_261_116 + index as u64);
    let drawn = if index % 10 == 9 {
        near_symmetry::draw(&mut rng, index / 10 % near_symmetry::FAMILIES.len())
    } else {
        draw::draw(&mut rng, index)
    };
    (rng, drawn)
}

fn pairs_once(count: usize) -> u64 {
    let mut hash = Hash::new();
    for index in 0..count {
        let (_, drawn) = drawn(index);
        query_once(&mut hash, [&drawn.a.build(), &drawn.b.build()], [drawn.pose_a, drawn.pose_b]);
    }
    hash.0
}

fn pairs_kept(count: usize, engine: Engine) -> u64 {
    let mut hash = Hash::new();
    for index in 0..count {
        let (mut rng, drawn) = drawn(index);
        let poses = [drawn.pose_a, drawn.pose_b];
        query_kept(&mut hash, engine, [&drawn.a.build(), &drawn.b.build()], poses, &mut rng);
    }
    hash.0
}

/// The one-shot queries.
fn query_once(hash: &mut Hash, [a, b]: [&Shape; 2], [pose_a, pose_b]: [Pose; 2]) {
    let found = distance(a, pose_a, b, pose_b);
    hash.clearance(&found, [a, b]);
    hash.bits(intersects(a, pose_a, b, pose_b).into());
    for margin in [0.0, 0.1 * found.distance.abs()] {
        hash.bits(0);
        if let Some(found) = within(a, pose_a, b, pose_b, margin) {
            hash.clearance(&found, [a, b]);
        }
    }
}

/// All queries of a pair that keeps its caches, along a motion of a few frames: the first is cold, the others are warm.
fn query_kept(hash: &mut Hash, engine: Engine, [a, b]: [&Shape; 2], [pose_a, mut pose_b]: [Pose; 2], rng: &mut Rng) {
    let mut pairs = [(); 4].map(|()| Pair::new(a, b).engine(engine));
    let size = [a, b].map(Shape::bounding_radius).into_iter().filter(|radius| radius.is_finite()).fold(0.0, f64::max);
    for frame in 0..4 {
        let [distances, answers, margins, collisions] = &mut pairs;
        hash.clearance(&distances.distance(pose_a, pose_b), [a, b]);
        hash.bits(answers.intersects(pose_a, pose_b).into());
        hash.bits(0);
        if let Some(found) = margins.within(pose_a, pose_b, 0.05 * size) {
            hash.clearance(&found, [a, b]);
        }
        if let Collision::Colliding { last_apart: Some(found), .. } = collisions.collide(pose_a, pose_b) {
            hash.clearance(&found, [a, b]);
        }
        let step = if frame == 2 { 1.0 } else { 0.02 };
        let turn = pose_b.rotation().slerp(rotation(rng), step * 0.5);
        pose_b = Pose::new(pose_b.translation() + vector(rng, -1.0, 1.0) * (step * size), turn);
    }
}

/// A pose within two units of the origin.
fn pose(rng: &mut Rng) -> Pose {
    Pose::new(vector(rng, -2.0, 2.0), rotation(rng))
}

/// A convex shape about one in size.
fn convex(rng: &mut Rng) -> Shape {
    let kind = rng.usize(1..=10);
    draw::shape(rng, kind).build()
}

/// Meshes against meshes and against convex shapes.
fn meshes(count: usize) -> u64 {
    let mut hash = Hash::new();
    let round = overlap_cases();
    for index in 0..count {
        let mut rng = Rng::with_seed(1 + index as u64);
        let a = random_mesh(&mut rng).1.build();
        let b = if index % 2 == 0 { random_mesh(&mut rng).1.build() } else { convex(&mut rng) };
        let poses = [pose(&mut rng), pose(&mut rng)];
        query_once(&mut hash, [&a, &b], poses);
        query_once(&mut hash, [&b, &a], [poses[1], poses[0]]);
        query_kept(&mut hash, Engine::Auto, [&a, &b], poses, &mut rng);
        if index % 16 == 0 {
            // Meshes of a thousand triangles, for which a pair keeps the front of its traversal.
            let [a, b] = &round[index / 16 % round.len()].shapes;
            query_kept(&mut hash, Engine::Auto, [a, b], poses, &mut rng);
        }
    }
    hash.0
}

/// A compound of convex shapes and meshes.
fn compound(rng: &mut Rng) -> Shape {
    let parts = (0..rng.usize(2..20)).map(|number| {
        let shape = if number % 5 == 4 { random_mesh(rng).1.build() } else { convex(rng) };
        (shape, pose(rng))
    });
    let parts: Vec<_> = parts.collect();
    Shape::compound(parts).expect("parts")
}

fn compounds(count: usize) -> u64 {
    let mut hash = Hash::new();
    for index in 0..count {
        let mut rng = Rng::with_seed(2 + index as u64);
        let (a, b) = (compound(&mut rng), compound(&mut rng));
        let apart = Pose::new(direction(&mut rng) * uniform(&mut rng, 0.0, 12.0), rotation(&mut rng));
        query_once(&mut hash, [&a, &b], [Pose::IDENTITY, apart]);
        query_kept(&mut hash, Engine::Auto, [&a, &b], [Pose::IDENTITY, apart], &mut rng);
        let other = if index % 2 == 0 { convex(&mut rng) } else { random_mesh(&mut rng).1.build() };
        query_once(&mut hash, [&other, &a], [apart, Pose::IDENTITY]);
    }
    hash.0
}

/// Any shape: convex of each kind, a mesh, a compound.
fn any(rng: &mut Rng) -> Shape {
    match rng.u32(..6) {
        0 => random_mesh(rng).1.build(),
        1 => compound(rng),
        _ => convex(rng),
    }
}

fn rays(count: usize) -> u64 {
    let mut hash = Hash::new();
    for index in 0..count {
        let mut rng = Rng::with_seed(3 + index as u64);
        let shape = if index % 8 == 0 { any(&mut rng) } else { draw::shape(&mut rng, index % 16).build() };
        let place = pose(&mut rng);
        for _ in 0..4 {
            let origin = vector(&mut rng, -4.0, 4.0);
            let aim = place.translation() + vector(&mut rng, -0.5, 0.5) - origin;
            hash.ray_hit(cast_ray(&shape, place, &Ray::new(origin, aim, 10.0).unwrap()));
            hash.ray_hit(cast_ray_boundary(&shape, place, &Ray::new(origin, aim, 3.0).unwrap()));
        }
    }
    hash.0
}

/// A motion that begins at a place and leads past the origin.
fn motion(rng: &mut Rng, start: Pose) -> Motion {
    let velocity = -start.translation() * uniform(rng, 0.5, 2.0) + vector(rng, -1.0, 1.0);
    let spin = vector(rng, -4.0, 4.0);
    match rng.u32(..6) {
        0 => Ok(Motion::fixed(start)),
        1 => Motion::linear(start, velocity, DVec3::ZERO),
        2 => Motion::linear(start, velocity, spin),
        3 => Motion::ballistic(start, velocity, spin, [0.0, 0.0, -2.0]),
        4 => Motion::between(start, pose(rng), 1.5),
        _ => Motion::key_frames(&[(0.0, start), (0.4, pose(rng)), (0.5, pose(rng)), (2.0, pose(rng))]),
    }
    .expect("a motion")
}

fn impacts(count: usize) -> u64 {
    let mut hash = Hash::new();
    for index in 0..count {
        let mut rng = Rng::with_seed(4 + index as u64);
        let (a, b) = if index % 4 == 0 { (any(&mut rng), any(&mut rng)) } else { (convex(&mut rng), convex(&mut rng)) };
        let motions = [(); 2].map(|()| {
            let start = Pose::new(direction(&mut rng) * uniform(&mut rng, 1.0, 5.0), rotation(&mut rng));
            motion(&mut rng, start)
        });
        let found = time_of_impact(&a, &motions[0], &b, &motions[1], Interval::new(0.0, 2.0).expect("an interval"));
        hash.impact(&found, [&a, &b]);
        let mut pair = Pair::new(&a, &b);
        for from in [0.0, 0.1] {
            let found = pair.time_of_impact(&motions[0], &motions[1], Interval::new(from, 1.5).expect("an interval"));
            hash.impact(&found, [&a, &b]);
        }
    }
    hash.0
}

fn casts(count: usize) -> u64 {
    let mut hash = Hash::new();
    for index in 0..count {
        let mut rng = Rng::with_seed(5 + index as u64);
        let (a, b) = if index % 4 == 0 { (any(&mut rng), any(&mut rng)) } else { (convex(&mut rng), convex(&mut rng)) };
        let start = Pose::new(direction(&mut rng) * uniform(&mut rng, 1.0, 5.0), rotation(&mut rng));
        let aim = vector(&mut rng, -1.0, 1.0) - start.translation();
        let found = cast_shape(&a, pose(&mut rng), &b, &Sweep::new(start, aim, 6.0).expect("a direction"));
        hash.bits(found.is_some().into());
        if let Some(hit) = found {
            hash.shape_hit(&hit);
        }
    }
    hash.0
}

fn approaches(count: usize) -> u64 {
    let mut hash = Hash::new();
    for index in 0..count {
        let mut rng = Rng::with_seed(6 + index as u64);
        let (a, b) = (convex(&mut rng), convex(&mut rng));
        let [start_a, start_b] = [(); 2].map(|()| Pose::new(6.0 * direction(&mut rng), rotation(&mut rng)));
        let motions = [motion(&mut rng, start_a), motion(&mut rng, start_b)];
        let found = closest_approach(&a, &motions[0], &b, &motions[1], Interval::UNIT);
        hash.impact(&found, [&a, &b]);
    }
    hash.0
}

/// Depths of solids of the penetration-depth paper, and of small solids and compounds.
fn depths(count: usize) -> u64 {
    let mut hash = Hash::new();
    let mut rng = Rng::with_seed(7);
    let budget = DepthBudget::default();
    let mut cases: Vec<(Shape, Shape, Pose)> = Vec::new();
    for case in overlap_cases() {
        let [a, b] = case.shapes.clone();
        cases.push((a, b, case.pose(&mut rng)));
    }
    for _ in 0..4 * count {
        let Spec::Mesh(vertices, triangles) = random_mesh(&mut rng).1 else { continue };
        let solid = Spec::Mesh(vertices, triangles).build();
        cases.push((solid.clone(), compound(&mut rng), Pose::from_translation(vector(&mut rng, -1.0, 1.0))));
        cases.push((solid, convex(&mut rng), Pose::new(vector(&mut rng, -0.3, 0.3), rotation(&mut rng))));
    }
    for (a, b, place) in &cases {
        let found = depth(a, Pose::IDENTITY, b, *place, budget);
        hash.numbers([found.lower, found.upper]);
        hash.vectors([found.translation]);
        hash.text(&format!("{:?} {:?}", found.features(), found.parts));
        hash.clearance(&signed_distance(a, Pose::IDENTITY, b, *place, budget), [a, b]);
    }
    hash.0
}

fn batches(count: usize) -> u64 {
    let mut hash = Hash::new();
    let mut rng = Rng::with_seed(8);
    for _ in 0..4 {
        let (a, b) = (any(&mut rng), any(&mut rng));
        let poses: Vec<(Pose, Pose)> = (0..count).map(|_| (pose(&mut rng), pose(&mut rng))).collect();
        for found in clearance::Batch::new(&poses).distance(&a, &b) {
            hash.clearance(&found, [&a, &b]);
        }
        clearance::Batch::new(&poses).intersects(&a, &b).into_iter().for_each(|yes| hash.bits(yes.into()));
    }
    hash.0
}

/// A few frames of a world whose bodies drift.
fn worlds(count: usize) -> u64 {
    let mut hash = Hash::new();
    let mut rng = Rng::with_seed(9);
    let mut world = World::default();
    let side = 2.0 * (count as f64).cbrt();
    world.set_margin(0.1);
    let bodies: Vec<_> = (0..count)
        .map(|number| {
            let shape = if number % 10 == 0 { random_mesh(&mut rng).1.build() } else { convex(&mut rng) };
            let place = Pose::new(vector(&mut rng, -side, side), rotation(&mut rng));
            (world.insert(shape, place), place, vector(&mut rng, -0.1, 0.1))
        })
        .collect();
    for frame in 0..4 {
        for (id, start, drift) in &bodies {
            world.set_pose(*id, Pose::new(start.translation() + *drift * f64::from(frame), start.rotation()));
        }
        let shapes: Vec<Shape> = bodies.iter().map(|(id, ..)| world.body(*id).expect("a body").shape.clone()).collect();
        let number = |id| bodies.iter().position(|(other, ..)| *other == id).expect("a body");
        for pair in world.update().within(0.1) {
            let [a, b] = [pair.a, pair.b].map(number);
            hash.bits(a as u64);
            hash.bits(b as u64);
            if let Some(found) = pair.clearance {
                hash.clearance(found, [&shapes[a], &shapes[b]]);
            }
        }
    }
    hash.0
}

/// The contacts of moving worlds in the order of their times.
fn world_impacts(count: usize) -> u64 {
    let mut hash = Hash::new();
    for index in 0..count {
        let mut rng = Rng::with_seed(10 + index as u64);
        let mut world = World::default();
        let ids: Vec<_> = (0..10)
            .map(|_| {
                let start = Pose::new(direction(&mut rng) * uniform(&mut rng, 3.0, 9.0), rotation(&mut rng));
                let shape = if rng.u32(..8) == 0 { random_mesh(&mut rng).1.build() } else { convex(&mut rng) };
                let id = world.insert(shape, start);
                world.set_motion(id, motion(&mut rng, start));
                id
            })
            .collect();
        let number = |id| ids.iter().position(|&other| other == id).expect("a body");
        let shapes: Vec<Shape> = ids.iter().map(|&id| world.body(id).expect("a body").shape.clone()).collect();
        for found in world.impacts(Interval::new(0.0, 2.0).expect("an interval")).take(8) {
            let [a, b] = found.bodies.map(number);
            hash.bits(a as u64);
            hash.bits(b as u64);
            hash.impact(&found.impact, [&shapes[a], &shapes[b]]);
        }
    }
    hash.0
}
