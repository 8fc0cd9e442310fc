//! Prints a hash of the bits of many answers: a change that shall not change answers leaves every line as it was.
//!
//! `cargo run --release -p clearance-lab --bin fingerprint [PAIRS]`, before and after; it must be the same on every machine, too.

use clearance::math::DVec3;
use clearance::{Clearance, Engine, Pair, Pose, Shape, distance, intersects, within};
use clearance_lab::Rng;
use clearance_lab::random::{rotation, vector};
use clearance_lab::soak::{draw, near_symmetry};
use std::process::ExitCode;

/// FNV-1a, which needs no crate and never changes.
struct Hash(u64);

impl Hash {
    fn bits(&mut self, bits: u64) {
        for byte in bits.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn number(&mut self, x: f64) {
        // The sign of a zero is no part of an answer.
        self.bits(if x == 0.0 { 0 } else { x.to_bits() });
    }

    fn vector(&mut self, v: DVec3) {
        v.to_array().into_iter().for_each(|x| self.number(x));
    }

    fn clearance(&mut self, found: &Clearance, [a, b]: [&Shape; 2]) {
        [found.distance, found.lower, found.upper].into_iter().for_each(|x| self.number(x));
        [found.point_a, found.point_b, found.normal].into_iter().for_each(|v| self.vector(v));
        found.parts.into_iter().for_each(|part| self.bits(part.into()));
        for byte in format!("{} {:?}", found.status.name(), found.features(a, b)).bytes() {
            self.bits(byte.into());
        }
    }
}

const FRAMES: usize = 4;

fn main() -> ExitCode {
    let count = match std::env::args().skip(1).collect::<Vec<_>>()[..] {
        [] => Some(20_000),
        [ref count] => count.parse().ok(),
        _ => None,
    };
    let Some(count) = count else {
        eprintln!("error: the only argument there is is the number of pairs, 20000 if it is left out");
        return ExitCode::from(2);
    };
    let mut hashes: Vec<(String, Hash)> = vec![("one-shot".into(), Hash(0xcbf2_9ce4_8422_2325))];
    hashes.extend(Engine::ALL.map(|engine| (format!("{engine:?}"), Hash(0xcbf2_9ce4_8422_2325))));
    for index in 0..count {
        let mut rng = Rng::with_seed(20_261_116 + index as u64);
        let drawn = if index % 10 == 9 {
            near_symmetry::draw(&mut rng, index / 10 % near_symmetry::FAMILIES.len())
        } else {
            draw::draw(&mut rng, index)
        };
        let (a, b) = (drawn.a.build(), drawn.b.build());
        let poses = [drawn.pose_a, drawn.pose_b];
        once(&mut hashes[0].1, [&a, &b], poses);
        for (k, engine) in Engine::ALL.into_iter().enumerate() {
            remembered(&mut hashes[1 + k].1, engine, [&a, &b], poses, &mut rng.clone());
        }
    }
    for (name, hash) in hashes {
        println!("{name:17} {:016x}", hash.0);
    }
    ExitCode::SUCCESS
}

/// The one-shot queries.
fn once(hash: &mut Hash, [a, b]: [&Shape; 2], [pose_a, pose_b]: [Pose; 2]) {
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

/// All queries of a pair that remembers, in a motion of a few frames.
fn remembered(hash: &mut Hash, engine: Engine, [a, b]: [&Shape; 2], poses: [Pose; 2], rng: &mut Rng) {
    let mut pairs = [(); 4].map(|()| Pair::new(a, b).engine(engine));
    let [pose_a, mut pose_b] = poses;
    let size =
        [a, b].map(|shape| shape.bounding_radius()).into_iter().filter(|reach| reach.is_finite()).fold(0.0, f64::max);
    for frame in 0..FRAMES {
        let [distances, answers, margins, collisions] = &mut pairs;
        let found = distances.distance(pose_a, pose_b);
        hash.clearance(&found, [a, b]);
        hash.bits(answers.intersects(pose_a, pose_b).into());
        hash.bits(0);
        if let Some(found) = margins.within(pose_a, pose_b, 0.05 * size) {
            hash.clearance(&found, [a, b]);
        }
        if let clearance::Collision::Colliding { last_apart: Some(found), .. } = collisions.collide(pose_a, pose_b) {
            hash.clearance(&found, [a, b]);
        }
        let step = if frame == 2 { 1.0 } else { 0.02 };
        let turn = pose_b.rotation().slerp(rotation(rng), step * 0.5);
        pose_b = Pose::new(pose_b.translation() + vector(rng, -1.0, 1.0) * (step * size), turn);
    }
}
