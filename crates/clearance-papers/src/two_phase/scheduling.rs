//! Section 4 of the two-phase paper: at which times are bodies tested?
//!
//! The same world of moving bodies is followed in two ways. *Fixed steps* test all pairs whose boxes overlap thirty times a second, as most systems
//! do according to the paper: they find a collision late, or never. The *schedule* of [`World::impacts`] uses proved lower bounds: it misses none,
//! and has them in order. The paper's other variant, estimates with rollback, is [`rollback`](super::rollback).

use clearance::math::{DQuat, DVec3};
use clearance::motion::Motion;
use clearance::world::Config;
use clearance::{BodyId, Interval, Pose, Shape, World};
use clearance_lab::Rng;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The result of one way.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Followed {
    /// Distances and intersection tests.
    pub checks: u64,
    /// Collisions that were found.
    pub seen: usize,
    /// Collisions of the schedule that were not found.
    pub missed: usize,
    /// The sum of the delays of collisions, in seconds.
    pub late: f64,
}

/// One world, followed in both ways.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The number of bodies.
    pub bodies: usize,
    /// Their speed relative to the first row.
    pub speed: f64,
    /// By proved bounds.
    pub schedule: Followed,
    /// Thirty times a second.
    pub fixed: Followed,
}

/// The rate of the fixed steps: a screen of the paper's time.
pub const FRAMES: f64 = 30.0;

/// Boxes, balls and bullets in a room, all of them moving but for one in ten.
#[must_use]
pub fn scene(bodies: usize, speed: f64, seed: u64) -> World {
    let mut rng = Rng::with_seed(seed);
    let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
    let room = 0.75 * (bodies as f64).cbrt();
    let mut world = World::new(Config::default());
    for k in 0..bodies {
        let pose = Pose::new(vector(room), DQuat::from_scaled_axis(vector(2.0)));
        let size = 0.3 + 0.1 * vector(1.0).x;
        let shape = match k % 4 {
            0 => Shape::sphere(size),
            1 => Shape::cuboid([size, 0.5 * size, 1.2 * size]),
            2 => Shape::cuboid([1.5 * size, 1.5 * size, 0.01]),
            _ => Shape::sphere(0.02),
        };
        let id = world.insert(shape.expect("sizes are positive"), pose);
        let fast = speed * if k % 4 == 3 { 15.0 } else { 0.5 };
        let motion = Motion::linear(pose, vector(fast), vector(2.0)).expect("finite");
        if k % 10 > 0 {
            world.set_motion(id, motion);
        }
    }
    world
}

/// Follows a world for `seconds` seconds.
#[must_use]
pub fn run(bodies: usize, speed: f64, seconds: f64, seed: u64) -> Row {
    let world = scene(bodies, speed, seed);
    let mut impacts = world.impacts(Interval::new(0.0, seconds).expect("an interval"));
    let truth: BTreeMap<[BodyId; 2], f64> = impacts.by_ref().map(|found| (found.bodies, found.time())).collect();
    let schedule = Followed { checks: impacts.cost().checks, seen: truth.len(), ..Followed::default() };
    Row { bodies, speed, schedule, fixed: fixed_steps(&world, seconds, &truth) }
}

/// Thirty times a second, all pairs whose boxes overlap.
fn fixed_steps(world: &World, seconds: f64, truth: &BTreeMap<[BodyId; 2], f64>) -> Followed {
    let mut world = world.clone();
    let mut found = Followed::default();
    let mut seen: BTreeMap<[BodyId; 2], f64> = BTreeMap::new();
    for frame in 0..=(seconds * FRAMES) as u32 {
        let time = f64::from(frame) / FRAMES;
        world.set_time(time);
        let update = world.update();
        found.checks += update.queries() as u64;
        for pair in update.overlapping() {
            seen.entry([pair.a, pair.b]).or_insert(time);
        }
    }
    found.count(&seen, truth);
    found
}

impl Followed {
    /// Compares the found collisions with the truth. A contact from the start on is no collision.
    fn count(&mut self, seen: &BTreeMap<[BodyId; 2], f64>, truth: &BTreeMap<[BodyId; 2], f64>) {
        for (pair, &time) in truth {
            match seen.get(pair) {
                Some(&late) => (self.seen, self.late) = (self.seen + 1, self.late + (late - time).max(0.0)),
                None => self.missed += 1,
            }
        }
    }
}

/// The rows as a table.
#[must_use]
pub fn table(rows: &[Row], seconds: f64) -> String {
    let mut text = format!("when are bodies looked at? (two-phase, section 4; {seconds} s, fixed steps of 1/30 s)\n");
    let _ = writeln!(
        text,
        "{:>6} {:>6} | {:>10} {:>10} | {:>10} {:>7} {:>9}",
        "bodies", "speed", "impacts", "checks", "fixed", "missed", "late, ms"
    );
    for Row { bodies, speed, schedule, fixed } in rows {
        let late = 1e3 * fixed.late / fixed.seen.max(1) as f64;
        let _ = writeln!(
            text,
            "{bodies:>6} {speed:>6} | {:>10} {:>10} | {:>10} {:>7} {late:>9.1}",
            schedule.seen, schedule.checks, fixed.checks, fixed.missed
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_steps_miss_what_the_schedule_sees() {
        let row = run(60, 2.0, 3.0, 14);
        println!("{}", table(&[row], 3.0));
        assert!(row.schedule.seen > 5 && row.fixed.missed > 0, "{row:?}");
        assert!(row.fixed.late > 0.0, "{row:?}");
        assert_eq!(row.fixed.seen + row.fixed.missed, row.schedule.seen);
    }
}
