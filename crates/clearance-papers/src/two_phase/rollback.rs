//! Section 4 of the two-phase paper, the other variant: times of impact that are estimates, and a rollback of the state where one was too late.
//!
//! Balls under gravity bounce off each other and off boxes, without loss. A broad phase of swept boxes, window by window, finds the pairs. Each
//! waits in a heap at its estimate, from the gap and the rate at which it closes; the estimate is late, since gravity closes it faster. A pair that
//! overlaps is followed back to its contact, and the state returns to that time. This undoes later collisions and the motions that they made, and
//! wastes the checks since. If the pair overlaps already where its present motions begin, the collision that made them was late, and is undone
//! first.
//!
//! The same scene by [`World::next_impact`] is the truth: it uses proved bounds, and rolls nothing back.

use clearance::broad::{BroadPhase, SlotPair, Tree};
use clearance::math::{Aabb, DVec3};
use clearance::{Interval, Motion, Pose, Shape, World, distance};
use clearance_lab::Rng;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Bodies are this far apart after a collision, so that the same contact is not found again.
const PUSH: f64 = 1e-9;

/// Seconds of a window of the broad phase: a frame.
const WINDOW: f64 = 1.0 / 30.0;

/// Layout: seconds between two checks of a pair, at least. Longer ones save checks of pairs that are nearly in contact, and are later.
const STEP: f64 = 1e-3;

/// Limit: halvings until a contact is found to rounding.
const HALVINGS: u32 = 45;

/// A collision: when, and of which bodies.
pub type Collision = (f64, [usize; 2]);

/// The result of a scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// The collisions that were not undone, in order.
    pub collisions: Vec<Collision>,
    /// Distances that were computed.
    pub checks: u64,
    /// The number of rollbacks, the seconds that they took back, and the number of undone collisions.
    pub rollbacks: u64,
    /// See `rollbacks`.
    pub seconds_back: f64,
    /// See `rollbacks`.
    pub undone: u64,
}

/// A piece of a trajectory: free fall from a place, or rest.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Flight {
    from: f64,
    place: DVec3,
    velocity: DVec3,
}

/// Balls and fixed boxes.
#[derive(Debug, Clone)]
pub struct Scene {
    shapes: Vec<Shape>,
    flights: Vec<Flight>,
    /// The first bodies are balls; the others rest.
    balls: usize,
}

impl Scene {
    /// Balls in a closed room with three boxes in it.
    #[must_use]
    pub fn new(balls: usize, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let side = 0.9 * (balls as f64).cbrt();
        let ball = Shape::sphere(0.2).expect("a radius");
        let mut scene = Self { shapes: Vec::new(), flights: Vec::new(), balls };
        let cell = |k: usize| {
            let count = (balls as f64).cbrt().ceil() as usize;
            DVec3::new((k % count) as f64, (k / count % count) as f64, (k / count / count) as f64)
                - 0.5 * (count - 1) as f64
        };
        let mut put = |shape: Shape, place: DVec3, velocity: DVec3| {
            scene.shapes.push(shape);
            scene.flights.push(Flight { from: 0.0, place, velocity });
        };
        for k in 0..balls {
            let velocity = DVec3::from_array([(); 3].map(|()| 3.0 * (2.0 * rng.f64() - 1.0)));
            put(ball.clone(), 0.8 * cell(k), velocity);
        }
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let mut half = DVec3::splat(side + 1.0);
                half[axis] = 0.5;
                let mut place = DVec3::ZERO;
                place[axis] = sign * (side + 0.5);
                put(Shape::cuboid(half).expect("sizes"), place, DVec3::ZERO);
            }
        }
        for corner in [DVec3::new(1.0, -1.0, 1.0), DVec3::new(-1.0, -1.0, 0.3), DVec3::new(0.2, -1.0, -1.0)] {
            put(Shape::cuboid([0.15, 0.3, 0.2]).expect("sizes"), corner * (side - 0.1), DVec3::ZERO);
        }
        scene
    }

    fn gravity(&self, body: usize) -> DVec3 {
        if body < self.balls { GRAVITY } else { DVec3::ZERO }
    }

    fn motion(&self, body: usize) -> Motion {
        let Flight { from, place, velocity } = self.flights[body];
        let pose = Pose::from_translation(place);
        if body >= self.balls {
            return Motion::fixed(pose);
        }
        let motion = Motion::ballistic(pose, velocity, DVec3::ZERO, GRAVITY).and_then(|motion| motion.from_time(from));
        motion.expect("finite")
    }

    fn place(&self, body: usize, time: f64) -> DVec3 {
        let Flight { from, place, velocity } = self.flights[body];
        let t = time - from;
        place + velocity * t + 0.5 * self.gravity(body) * (t * t)
    }

    fn velocity(&self, body: usize, time: f64) -> DVec3 {
        self.flights[body].velocity + self.gravity(body) * (time - self.flights[body].from)
    }

    /// The signed distance of two bodies, and the normal from the first to the second.
    fn gap(&self, [i, j]: [usize; 2], time: f64) -> (f64, DVec3) {
        let [a, b] = [i, j].map(|body| Pose::from_translation(self.place(body, time)));
        let found = distance(&self.shapes[i], a, &self.shapes[j], b);
        (found.distance, found.normal)
    }

    /// Two bodies bounce: the part of their relative velocity along the normal is reversed.
    fn bounce(&mut self, [i, j]: [usize; 2], time: f64) {
        let (_, normal) = self.gap([i, j], time);
        let mut flights = [i, j].map(|body| Flight {
            from: time,
            place: self.place(body, time),
            velocity: self.velocity(body, time),
        });
        let closing = (flights[0].velocity - flights[1].velocity).dot(normal).max(0.0);
        // Equal masses, or one that does not move.
        let are_balls = [i, j].map(|body| body < self.balls);
        let share = if are_balls == [true; 2] { 1.0 } else { 2.0 };
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if are_balls[side] {
                flights[side].velocity += sign * share * closing * normal;
                flights[side].place += sign * PUSH * normal;
            }
        }
        (self.flights[i], self.flights[j]) = (flights[0], flights[1]);
    }
}

/// By proved bounds.
#[must_use]
pub fn by_schedule(mut scene: Scene, seconds: f64) -> Run {
    let mut world = World::default();
    let ids: Vec<_> = (0..scene.shapes.len())
        .map(|body| {
            let id = world.insert(scene.shapes[body].clone(), Pose::from_translation(scene.flights[body].place));
            if body < scene.balls {
                world.set_motion(id, scene.motion(body));
            }
            id
        })
        .collect();
    let mut run = Run::default();
    let mut now = 0.0;
    while let Some(impact) = world.next_impact(Interval::new(now, seconds).expect("an interval")) {
        let bodies = impact.bodies.map(|id| ids.iter().position(|known| *known == id).expect("a body"));
        now = impact.time();
        scene.bounce(bodies, now);
        for body in bodies.into_iter().filter(|&body| body < scene.balls) {
            world.set_motion(ids[body], scene.motion(body));
        }
        run.collisions.push((now, bodies));
    }
    run.checks = world.schedule_cost().checks;
    run
}

/// A pair that waits for a check: the time as bits, which have the order of times, the pair, and the numbers of changes of the two bodies by then.
type Due = Reverse<(u64, [usize; 2], [u32; 2])>;

/// The state that a rollback restores, with the data for that.
struct Rollback {
    scene: Scene,
    broad: Tree,
    queue: BinaryHeap<Due>,
    /// The number of changes of the motion of a body.
    changes: Vec<u32>,
    /// The last time at which a pair was found apart.
    apart_at: BTreeMap<[usize; 2], f64>,
    /// Collisions with the flights before them.
    history: Vec<(Collision, [Flight; 2])>,
    /// Bodies whose motions are changed by the present rollback.
    changed: Vec<usize>,
    window: f64,
    run: Run,
}

/// By estimates.
#[must_use]
pub fn by_estimates(scene: Scene, seconds: f64) -> Run {
    let changes = vec![0; scene.shapes.len()];
    let mut state = Rollback {
        scene,
        broad: Tree::default(),
        queue: BinaryHeap::new(),
        changes,
        apart_at: BTreeMap::new(),
        history: Vec::new(),
        changed: Vec::new(),
        window: 0.0,
        run: Run::default(),
    };
    state.open(0.0);
    loop {
        let end = state.window + WINDOW;
        match state.queue.pop() {
            Some(Reverse((time, pair, changes))) if f64::from_bits(time) < end.min(seconds) => {
                if pair.map(|body| state.changes[body]) == changes {
                    state.check(pair, f64::from_bits(time));
                }
            }
            _ if end < seconds => state.open(end),
            _ => break,
        }
    }
    state.run.collisions = state.history.iter().map(|(collision, _)| *collision).collect();
    state.run
}

impl Rollback {
    /// A new window of the broad phase: boxes around the space that all bodies sweep in it.
    fn open(&mut self, from: f64) {
        self.window = from;
        self.queue.clear();
        (0..self.scene.shapes.len()).for_each(|body| self.set_box(body, from));
        self.broad.update();
        let pairs: Vec<SlotPair> = self.broad.pairs().to_vec();
        pairs.into_iter().for_each(|pair| self.wait(pair, from));
    }

    fn set_box(&mut self, body: usize, from: f64) {
        let interval = Interval::new(from, self.window + WINDOW).expect("an interval");
        let bounds: Aabb = self.scene.motion(body).swept_aabb(&self.scene.shapes[body], interval);
        self.broad.set(body as u32, &bounds);
    }

    fn wait(&mut self, pair: SlotPair, time: f64) {
        let pair = [pair.low() as usize, pair.high() as usize];
        if pair[0] < self.scene.balls {
            self.queue.push(Reverse((time.to_bits(), pair, pair.map(|body| self.changes[body]))));
        }
    }

    fn check(&mut self, pair: [usize; 2], time: f64) {
        self.run.checks += 1;
        let (gap, normal) = self.scene.gap(pair, time);
        if gap > 0.0 {
            self.apart_at.insert(pair, time);
            let [v, w] = pair.map(|body| self.scene.velocity(body, time));
            let rate = (v - w).dot(normal);
            // A pair that does not close is checked again in the next window.
            if rate > 0.0 {
                let next = time + (gap / rate).max(STEP);
                self.queue.push(Reverse((next.to_bits(), pair, pair.map(|body| self.changes[body]))));
            }
            return;
        }
        // The time of the overlap. The motions of both bodies begin at `since`; if it overlaps there, too, a collision that was late made them.
        let mut hit = time;
        let since = loop {
            let since = pair.map(|body| self.scene.flights[body].from).into_iter().fold(0.0, f64::max);
            if since == 0.0 || self.scene.gap(pair, since).0 > 0.0 {
                break since;
            }
            self.undo(since);
            hit = since;
        };
        let last = self.apart_at.get(&pair).copied().unwrap_or(0.0);
        let mut free = last.clamp(since, hit);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (free + hit);
            self.run.checks += 1;
            if self.scene.gap(pair, middle).0 > 0.0 { free = middle } else { hit = middle }
        }
        self.collide(pair, free, time);
    }

    /// Undoes the collisions from a time on, with the motions that they made.
    fn undo(&mut self, from: f64) {
        while let Some(((_, bodies), before)) = self.history.pop_if(|((at, _), _)| *at >= from) {
            (self.scene.flights[bodies[0]], self.scene.flights[bodies[1]]) = (before[0], before[1]);
            self.changed.extend(bodies);
            self.run.undone += 1;
        }
        // Gaps of later times belong to motions that no longer exist.
        let changed = &self.changed;
        self.apart_at.retain(|pair, at| *at < from || !pair.iter().any(|body| changed.contains(body)));
    }

    /// A collision that was found at a later time: the state goes back to it.
    fn collide(&mut self, pair: [usize; 2], time: f64, found_at: f64) {
        self.undo(time.next_up());
        self.run.rollbacks += u64::from(found_at > time);
        self.run.seconds_back += found_at - time;
        // Motions of the pair begin by then, so the motions that were undone just now are not theirs.
        self.history.push(((time, pair), pair.map(|body| self.scene.flights[body])));
        self.scene.bounce(pair, time);
        self.changed.extend(pair);
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        changed.iter().for_each(|&body| self.changes[body] += 1);
        self.apart_at.retain(|pair, at| *at <= time || !pair.iter().any(|body| changed.contains(body)));
        if time < self.window {
            return self.open(time);
        }
        changed.iter().for_each(|&body| self.set_box(body, time));
        self.broad.update();
        let of_changed =
            |pair: &&SlotPair| [pair.low(), pair.high()].iter().any(|&body| changed.contains(&(body as usize)));
        let again: Vec<SlotPair> = self.broad.pairs().iter().filter(of_changed).copied().collect();
        again.into_iter().for_each(|pair| self.wait(pair, time));
    }
}

/// The number of collisions of a run that are those of the truth, in order and to a microsecond, until the first that is not.
#[must_use]
pub fn agreeing(truth: &Run, run: &Run) -> usize {
    let same = |((s, a), (t, b)): (&Collision, &Collision)| a == b && (s - t).abs() < 1e-6;
    truth.collisions.iter().zip(&run.collisions).take_while(|&pair| same(pair)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both variants have the same collisions, energy is conserved, and some collisions are rolled back.
    #[test]
    fn a_state_that_is_taken_back_goes_on_as_the_schedule_does() {
        let (balls, seconds) = (10, 1.0);
        let scene = Scene::new(balls, 3);
        let [schedule, estimates] = [by_schedule(scene.clone(), seconds), by_estimates(scene, seconds)];
        assert!(schedule.collisions.len() > 10, "{schedule:?}");
        assert!(schedule.collisions.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert_eq!(agreeing(&schedule, &estimates), schedule.collisions.len(), "{schedule:?} {estimates:?}");
        assert!(estimates.rollbacks > 0 && schedule.rollbacks == 0, "{estimates:?}");
    }

    /// A ball drops onto the floor from rest. Its gap has no rate at first, so its check comes when it is far inside. Another ball hits it before
    /// that check. That hit is undone: in truth the ball moves upwards by then.
    #[test]
    fn a_collision_that_came_too_late_is_undone() {
        let ball = Shape::sphere(0.2).unwrap();
        let flight =
            |place: [f64; 3], velocity: [f64; 3]| Flight { from: 0.0, place: place.into(), velocity: velocity.into() };
        let scene = Scene {
            shapes: vec![ball.clone(), ball, Shape::cuboid([5.0, 0.5, 5.0]).unwrap()],
            flights: vec![
                flight([0.0, 0.202, 0.0], [0.0; 3]),
                flight([-0.475, 0.25, 0.01], [3.0, 0.0, 0.0]),
                flight([0.0, -0.5, 0.0], [0.0; 3]),
            ],
            balls: 2,
        };
        let [schedule, estimates] = [by_schedule(scene.clone(), 0.3), by_estimates(scene, 0.3)];
        let bodies: Vec<[usize; 2]> = schedule.collisions.iter().map(|(_, bodies)| *bodies).collect();
        assert!(bodies[..2] == [[0, 2], [0, 1]] && schedule.collisions[1].0 < WINDOW, "{schedule:?}");
        assert!(estimates.undone > 0 && estimates.rollbacks > 0, "{estimates:?}");
        assert!(schedule.collisions.len() == estimates.collisions.len(), "{schedule:?} {estimates:?}");
        assert_eq!(agreeing(&schedule, &estimates), bodies.len(), "{schedule:?} {estimates:?}");
    }
}
