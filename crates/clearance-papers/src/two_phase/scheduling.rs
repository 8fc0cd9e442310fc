//! Section 4 of the two-phase paper: when are bodies looked at?
//!
//! The same world of moving bodies is followed in three ways. *Fixed steps* look at all pairs whose boxes overlap thirty times a second, as
//! the paper says most systems do: they see a collision late, or never. The *schedule* of [`World::impacts`] goes by proved lower bounds: it
//! misses none, and has them in order. *Estimates with rollback*, the paper's other variant, go by the gap and the rate at which it
//! closes: a pair that is found to overlap is followed back to its contact, and what was done after that time is done in vain.

use clearance::math::{DQuat, DVec3};
use clearance::motion::Motion;
use clearance::world::Config;
use clearance::{BodyId, Interval, Pair, Pose, Shape, World};
use clearance_lab::Rng;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt::Write;

/// What one way of looking came to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Followed {
    /// Distances and intersection tests.
    pub checks: u64,
    /// Collisions that were seen.
    pub seen: usize,
    /// Those of the schedule that were not.
    pub missed: usize,
    /// The sum of how late collisions were seen, in seconds.
    pub late: f64,
    /// How often time was turned back, and how far in all, in seconds.
    pub rollbacks: u64,
    /// See `rollbacks`.
    pub rolled_back: f64,
}

/// One world, followed in the three ways.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// How many bodies.
    pub bodies: usize,
    /// How much faster than the first row they move.
    pub speed: f64,
    /// By proved bounds.
    pub schedule: Followed,
    /// Thirty times a second.
    pub fixed: Followed,
    /// By estimates.
    pub estimates: Followed,
}

/// The rate of the fixed steps: a screen of the paper's time.
pub const FRAMES: f64 = 30.0;

/// So many halvings find a contact to rounding.
const HALVINGS: u32 = 45;

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

/// Follows a world for so many seconds.
#[must_use]
pub fn run(bodies: usize, speed: f64, seconds: f64, seed: u64) -> Row {
    let world = scene(bodies, speed, seed);
    let mut impacts = world.impacts(Interval::new(0.0, seconds).expect("an interval"));
    let truth: BTreeMap<[BodyId; 2], f64> = impacts.by_ref().map(|found| (found.bodies, found.time())).collect();
    let schedule = Followed { checks: impacts.cost().checks, seen: truth.len(), ..Followed::default() };
    Row {
        bodies,
        speed,
        schedule,
        fixed: fixed_steps(&world, seconds, &truth),
        estimates: estimates(&world, seconds, &truth),
    }
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
    /// Holds what was seen against the truth. What is in contact from the start on is no collision.
    fn count(&mut self, seen: &BTreeMap<[BodyId; 2], f64>, truth: &BTreeMap<[BodyId; 2], f64>) {
        for (pair, &time) in truth {
            match seen.get(pair) {
                Some(&late) => (self.seen, self.late) = (self.seen + 1, self.late + (late - time).max(0.0)),
                None => self.missed += 1,
            }
        }
    }
}

/// A pair that is to be looked at, by time in nanoseconds: a key that can be ordered.
type Due = Reverse<(u64, usize)>;

/// By estimates of the time of impact, with rollback.
fn estimates(world: &World, seconds: f64, truth: &BTreeMap<[BodyId; 2], f64>) -> Followed {
    let still = |id: BodyId| Motion::fixed(world.body(id).expect("it is there").pose);
    let bodies: Vec<(BodyId, Shape, Motion)> = world
        .bodies()
        .map(|(id, body)| (id, body.shape.clone(), world.motion(id).cloned().unwrap_or_else(|| still(id))))
        .collect();
    let mut pairs = Vec::new();
    let mut queue: BinaryHeap<Due> = BinaryHeap::new();
    let key = |time: f64, pair: usize| Reverse(((time * 1e9) as u64, pair));
    for (i, (_, shape, motion)) in bodies.iter().enumerate() {
        for (j, (_, other, other_motion)) in bodies.iter().enumerate().skip(i + 1) {
            let boxes = [(shape, motion), (other, other_motion)]
                .map(|(shape, motion)| motion.swept_aabb(shape, Interval::new(0.0, seconds).expect("an interval")));
            let meet = boxes[0].min.cmple(boxes[1].max).all() && boxes[1].min.cmple(boxes[0].max).all();
            if meet && !(motion.is_fixed() && other_motion.is_fixed()) {
                queue.push(key(0.0, pairs.len()));
                pairs.push(([i, j], Pair::new(shape, other), 0.0));
            }
        }
    }
    let mut found = Followed::default();
    let mut seen = BTreeMap::new();
    let mut now = 0.0_f64;
    while let Some(Reverse((due, number))) = queue.pop() {
        let time = due as f64 * 1e-9;
        if time > seconds {
            break;
        }
        now = now.max(time);
        let ([i, j], pair, last) = &mut pairs[number];
        let (a, b) = (&bodies[*i], &bodies[*j]);
        let mut at = |time: f64| pair.distance(a.2.pose(time), b.2.pose(time));
        let clearance = at(time);
        found.checks += 1;
        if clearance.is_apart() {
            // The rate at which the gap closes, from the places of the closest points a little later.
            let step = 1e-6;
            let moved = |motion: &Motion, point: DVec3| {
                motion.pose(time + step).transform_point(motion.pose(time).inverse_transform_point(point))
            };
            let way = moved(&b.2, clearance.point_b) - moved(&a.2, clearance.point_a);
            let rate = (clearance.distance - way.dot(clearance.normal)) / step;
            let next = if rate > 0.0 { clearance.distance / rate } else { 1.0 / FRAMES };
            *last = time;
            queue.push(key(time + next.clamp(1e-6, 0.5), number));
            continue;
        }
        // Back to where it began.
        if time > 0.0 {
            let (mut free, mut hit) = (*last, time);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (free + hit);
                found.checks += 1;
                if at(middle).is_apart() { free = middle } else { hit = middle }
            }
            found.rollbacks += 1;
            found.rolled_back += now - free;
            seen.insert([a.0, b.0], free);
        }
    }
    found.count(&seen, truth);
    found
}

/// The rows as a table.
#[must_use]
pub fn table(rows: &[Row], seconds: f64) -> String {
    let mut text = format!("when are bodies looked at? (two-phase, section 4; {seconds} s, fixed steps of 1/30 s)\n");
    let _ = writeln!(
        text,
        "{:>6} {:>6} | {:>10} {:>10} | {:>10} {:>7} {:>9} | {:>10} {:>7} {:>9} {:>10}",
        "bodies",
        "speed",
        "impacts",
        "checks",
        "fixed",
        "missed",
        "late, ms",
        "estimates",
        "missed",
        "rollbacks",
        "back, s"
    );
    for row in rows {
        let Row { schedule, fixed, estimates, .. } = row;
        let _ = writeln!(
            text,
            "{:>6} {:>6} | {:>10} {:>10} | {:>10} {:>7} {:>9.1} | {:>10} {:>7} {:>9} {:>10.2}",
            row.bodies,
            row.speed,
            schedule.seen,
            schedule.checks,
            fixed.checks,
            fixed.missed,
            1e3 * fixed.late / fixed.seen.max(1) as f64,
            estimates.checks,
            estimates.missed,
            estimates.rollbacks,
            estimates.rolled_back
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
        assert!(row.fixed.late > 0.0 && row.estimates.rollbacks > 0, "{row:?}");
        assert_eq!(row.fixed.seen + row.fixed.missed, row.schedule.seen);
    }
}
