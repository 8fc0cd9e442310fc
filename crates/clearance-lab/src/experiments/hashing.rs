//! Table 1 and figure 6 of the two-phase paper: coherent against plain hashing on four scenes, and what crowded coordinates do
//! to sweep and prune.
//!
//! The paper's scenes came from its simulator and are described in few words. Here they are motions in closed form of the
//! same kind: bodies of the same sort, number and speed, in steps of a millisecond, with the boxes of the volumes they
//! sweep in a step, as in the paper's figure 1.

use crate::{Rng, random};
use clearance::broad::{BroadKind, SweepPrune};
use clearance::math::{Aabb, DVec3};
use std::time::{Duration, Instant};

/// Seconds in a step.
const STEP: f64 = 1e-3;

/// The boxes of all bodies, frame by frame.
pub type Tracks = Vec<Vec<Aabb>>;

/// A scene of table 1.
pub struct Scene {
    /// Its name in the paper.
    pub name: &'static str,
    /// How many times coherent hashing was cheaper there.
    pub paper: f64,
    motion: fn(&mut Rng, usize) -> Tracks,
}

/// The four scenes.
pub const SCENES: [Scene; 4] = [
    Scene { name: "coins", paper: 6.2, motion: coins },
    Scene { name: "bowling", paper: 7.0, motion: bowling },
    Scene { name: "top", paper: 6.0, motion: top },
    Scene { name: "part feeder chute", paper: 7.2, motion: chute },
];

impl Scene {
    /// The boxes of so many frames.
    #[must_use]
    pub fn tracks(&self, frames: usize) -> Tracks {
        swept((self.motion)(&mut Rng::with_seed(23), frames + 1))
    }
}

/// The box of a disk with its thickness.
fn disk(center: DVec3, axis: DVec3, radius: f64, thickness: f64) -> Aabb {
    let half =
        DVec3::from_array(axis.to_array().map(|n| radius * (1.0 - n * n).max(0.0).sqrt() + 0.5 * thickness * n.abs()));
    Aabb { min: center - half, max: center + half }
}

/// The box of a rod with round ends.
fn rod(center: DVec3, axis: DVec3, half_length: f64, radius: f64) -> Aabb {
    let half = axis.abs() * half_length + DVec3::splat(radius);
    Aabb { min: center - half, max: center + half }
}

fn slab(min: [f64; 3], max: [f64; 3]) -> Aabb {
    Aabb { min: DVec3::from_array(min), max: DVec3::from_array(max) }
}

/// From boxes at instants to boxes of the volumes swept between them.
fn swept(tracks: Tracks) -> Tracks {
    tracks.windows(2).map(|pair| pair[0].iter().zip(&pair[1]).map(|(a, b)| a.merged(b)).collect()).collect()
}

/// Eight coins fall on a table and roll around their rims, ever flatter and faster.
fn coins(rng: &mut Rng, frames: usize) -> Tracks {
    let radius = 0.012;
    let coins: Vec<[f64; 4]> = (0..8).map(|_| [0.0; 4].map(|_| rng.f64())).collect();
    let at = |frame: usize| {
        let time = frame as f64 * STEP;
        let mut boxes = vec![slab([-0.5, -0.02, -0.5], [0.5, 0.0, 0.5])];
        for [x, z, phase, speed] in &coins {
            let (start, drop) = (0.2 + 0.3 * phase, 0.3);
            let place = DVec3::new(0.2 * x - 0.1, 0.0, 0.2 * z - 0.1);
            // Falling until it meets the table, then spinning down: the tilt goes to zero as the precession grows.
            let fall = (drop - 0.5 * 9.81 * time * time).max(0.0);
            let left = ((start + 2.0 - time) / 2.0).clamp(0.02, 1.0);
            let tilt = 1.0 * left.cbrt();
            let turn = 6.3 * phase + (8.0 + 4.0 * speed) * time / left.sqrt().sqrt();
            let axis = DVec3::new(tilt.sin() * turn.cos(), tilt.cos(), tilt.sin() * turn.sin());
            let drift = DVec3::new((turn * 0.1).cos(), 0.0, (turn * 0.1).sin()) * 0.01;
            let center = place + drift + DVec3::Y * (fall + radius * tilt.sin() + 0.001);
            boxes.push(disk(center, axis, radius, 0.002));
        }
        boxes
    };
    (0..frames).map(at).collect()
}

/// A ball rolls down a lane into ten pins, which fly and fall.
fn bowling(rng: &mut Rng, frames: usize) -> Tracks {
    let mut pins = Vec::new();
    for row in 0..4 {
        for place in 0..=row {
            let foot =
                DVec3::new(18.0 + 0.264 * f64::from(row), 0.0, 0.305 * (f64::from(place) - 0.5 * f64::from(row)));
            let push = DVec3::new(
                random::uniform(rng, 1.0, 3.0),
                random::uniform(rng, 0.0, 1.0),
                2.0 * foot.z + random::uniform(rng, -0.5, 0.5),
            );
            pins.push((foot, push, random::uniform(rng, 2.0, 9.0), 0.02 * f64::from(row)));
        }
    }
    let at = |frame: usize| {
        // Half of the time the ball is on its way.
        let time = 2.0 * frame as f64 / frames as f64;
        let mut boxes = vec![
            slab([-1.0, -0.1, -0.53], [20.0, 0.0, 0.53]),
            slab([-1.0, -0.2, -0.8], [20.0, -0.05, -0.53]),
            slab([-1.0, -0.2, 0.53], [20.0, -0.05, 0.8]),
            slab([20.0, -0.2, -0.8], [20.2, 1.5, 0.8]),
        ];
        let ball = DVec3::new(10.0 + 8.0 * time, 0.109, 0.05 * (2.0 * time).sin());
        boxes.push(Aabb { min: ball - 0.108, max: ball + 0.108 });
        for (foot, push, spin, delay) in &pins {
            let since = (time - 1.0 - delay).max(0.0);
            let tilt = (spin * since).min(1.57);
            let slide = push * since.min(0.7);
            let axis = DVec3::new(tilt.sin(), tilt.cos(), 0.0);
            let up = (push.y * since - 4.9 * since * since).max(0.0);
            let center = *foot + DVec3::new(slide.x, 0.06 + 0.13 * tilt.cos() + up, slide.z);
            boxes.push(rod(center, axis, 0.13, 0.06));
        }
        boxes
    };
    (0..frames).map(at).collect()
}

/// A top spins, precesses, nods and wanders on a table among four posts.
fn top(_: &mut Rng, frames: usize) -> Tracks {
    let at = |frame: usize| {
        let time = frame as f64 * STEP;
        let mut boxes = vec![slab([-0.3, -0.02, -0.3], [0.3, 0.0, 0.3])];
        for (x, z) in [(-0.1, -0.1), (0.1, -0.1), (-0.1, 0.1), (0.1, 0.1)] {
            boxes.push(slab([x - 0.01, 0.0, z - 0.01], [x + 0.01, 0.1, z + 0.01]));
        }
        let (turn, nod) = (9.0 * time, 0.25 + 0.1 * (31.0 * time).sin());
        let axis = DVec3::new(nod.sin() * turn.cos(), nod.cos(), nod.sin() * turn.sin());
        let foot = DVec3::new(0.05 * (1.1 * time).sin(), 0.0, 0.05 * (0.7 * time).cos());
        let (body, stem) = (disk(foot + axis * 0.03, axis, 0.025, 0.02), rod(foot + axis * 0.03, axis, 0.03, 0.003));
        boxes.push(body.merged(&stem));
        boxes
    };
    (0..frames).map(at).collect()
}

/// Thirty parts slide down a chute with a rail, bump into each other and rattle.
fn chute(rng: &mut Rng, frames: usize) -> Tracks {
    let parts: Vec<[f64; 5]> = (0..30).map(|_| [0.0; 5].map(|_| rng.f64())).collect();
    let at = |frame: usize| {
        let time = frame as f64 * STEP;
        let mut boxes = vec![
            slab([-0.1, -0.6, -0.1], [1.1, 0.0, 0.1]),
            slab([-0.1, -0.6, -0.12], [1.1, 0.1, -0.1]),
            slab([-0.1, -0.6, 0.1], [1.1, 0.1, 0.12]),
            slab([1.1, -0.7, -0.12], [1.2, -0.4, 0.12]),
        ];
        for [place, side, phase, size, speed] in &parts {
            // They stick and slip on their way, and start again at the top.
            let way = 0.3 * (0.5 + speed) * (time + 0.02 * (40.0 * time + 6.0 * phase).sin());
            let along = (place + way).fract();
            let rattle = 5e-4 * (90.0 * time + 17.0 * phase).sin();
            let center = DVec3::new(along, -0.5 * along + 0.01 + rattle, 0.16 * (side - 0.5) + 2.0 * rattle);
            let angle = 3.0 * phase + 0.6 * (5.0 * time + phase).sin();
            let axis = DVec3::new(0.9 * angle.cos(), -0.43 * angle.cos(), angle.sin()).normalize();
            boxes.push(rod(center, axis, 0.01 + 0.01 * size, 0.004));
        }
        boxes
    };
    (0..frames).map(at).collect()
}

/// The time of an update, over a whole track; the best of some passes.
#[must_use]
pub fn time(kind: BroadKind, tracks: &Tracks, passes: usize) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..passes {
        let mut phase = kind.build();
        let mut pass = Duration::ZERO;
        for (frame, boxes) in tracks.iter().enumerate() {
            let start = Instant::now();
            for (bounds, slot) in boxes.iter().zip(0..) {
                phase.set(slot, bounds);
            }
            phase.update();
            // The first one fills empty tables.
            if frame > 0 {
                pass += start.elapsed();
            }
        }
        best = best.min(pass);
    }
    best / (tracks.len() as u32 - 1)
}

/// Table 1 as text.
#[must_use]
pub fn table(frames: usize, passes: usize) -> String {
    let mut text = String::from(
        "Table 1 of the two-phase paper: nanoseconds per update on four scenes, and how many times coherent hashing is cheaper.\n\n\
         scene              bodies     plain  coherent    ratio   (paper)     sweep      tree     prune\n",
    );
    for scene in &SCENES {
        let tracks = scene.tracks(frames);
        let nanoseconds = |kind| time(kind, &tracks, passes).as_nanos();
        let (plain, coherent) = (nanoseconds(BroadKind::PlainHash), nanoseconds(BroadKind::CoherentHash));
        text += &format!(
            "{:<18} {:>6} {plain:>9} {coherent:>9} {:>8.1} {:>9.1} {:>9} {:>9} {:>9}\n",
            scene.name,
            tracks[0].len(),
            plain as f64 / coherent as f64,
            scene.paper,
            nanoseconds(BroadKind::SweepPrune),
            nanoseconds(BroadKind::Tree),
            nanoseconds(BroadKind::Prune),
        );
    }
    text
}

/// Parts that tremble: on a table, where their heights are crowded together, or each at a height of its own.
#[must_use]
pub fn trembling(count: usize, crowded: bool, frames: usize) -> Tracks {
    let mut rng = Rng::with_seed(6);
    let side = 2.0 * (count as f64).sqrt();
    let places: Vec<DVec3> = (0..count)
        .map(|_| DVec3::new(side * rng.f64(), if crowded { 0.0 } else { side * rng.f64() }, side * rng.f64()))
        .collect();
    let mut frame = || {
        let mut part = |place: &DVec3| {
            let center = *place + random::vector(&mut rng, -0.01, 0.01);
            Aabb { min: center - 0.5, max: center + 0.5 }
        };
        places.iter().map(&mut part).collect()
    };
    (0..frames).map(|_| frame()).collect()
}

/// Figure 6 as a table.
#[must_use]
pub fn clusters(frames: usize, counts: &[usize]) -> String {
    use clearance::broad::BroadPhase;
    let mut text = String::from(
        "Figure 6 of the two-phase paper: parts that tremble, at heights of their own and then on a table. Nanoseconds per part and\n\
         update; exchanges in the sorted lists per part and update.\n\n\
         parts  heights      sweep  exchanges  coherent     plain      tree     prune\n",
    );
    for &count in counts {
        for (crowded, what) in [(false, "spread"), (true, "crowded")] {
            let tracks = trembling(count, crowded, frames);
            let each = |kind| time(kind, &tracks, 2).as_nanos() as usize / count;
            let mut sweep = SweepPrune::default();
            for boxes in &tracks {
                boxes.iter().zip(0..).for_each(|(bounds, slot)| sweep.set(slot, bounds));
                sweep.update();
            }
            text += &format!(
                "{count:>5}  {what:<8} {:>9} {:>10.1} {:>9} {:>9} {:>9} {:>9}\n",
                each(BroadKind::SweepPrune),
                sweep.exchanges() as f64 / ((frames - 1) * count) as f64,
                each(BroadKind::CoherentHash),
                each(BroadKind::PlainHash),
                each(BroadKind::Tree),
                each(BroadKind::Prune),
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_have_proper_boxes_that_move_a_little_and_meet() {
        for scene in &SCENES {
            let tracks = scene.tracks(300);
            let mut phase = BroadKind::CoherentHash.build();
            let (mut pairs, mut moved) = (0, 0.0_f64);
            for (frame, boxes) in tracks.iter().enumerate() {
                for (bounds, slot) in boxes.iter().zip(0..) {
                    assert!(bounds.min.cmple(bounds.max).all() && bounds.min.is_finite(), "{}: {bounds:?}", scene.name);
                    phase.set(slot, bounds);
                }
                phase.update();
                pairs += phase.pairs().len();
                if frame > 0 {
                    moved = moved.max((tracks[frame - 1][boxes.len() - 1].min - boxes[boxes.len() - 1].min).length());
                }
            }
            assert!(pairs > 200 && moved > 0.0, "{}: {pairs} pairs", scene.name);
        }
    }

    #[test]
    fn crowded_heights_make_sweep_and_prune_exchange_more() {
        use clearance::broad::BroadPhase;
        let exchanges = [false, true].map(|crowded| {
            let mut sweep = SweepPrune::default();
            for boxes in trembling(300, crowded, 5) {
                boxes.iter().zip(0..).for_each(|(bounds, slot)| sweep.set(slot, bounds));
                sweep.update();
            }
            sweep.exchanges()
        });
        assert!(exchanges[1] > 10 * exchanges[0], "{exchanges:?}");
    }
}
