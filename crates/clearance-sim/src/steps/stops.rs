//! Bodies that stop within a step: fast ones, and those that have come too close.
//!
//! The solver keeps bodies apart at the contact points that it knows. A fast body may pass them, a round one may roll off them, and an impact may turn a body toward another one that it would not have met. So
//! each step ends with a search over the pairs whose distance at the start is less than their relative motion:
//!
//! * a pair with a body that travels more than a part of its thickness (`Form::stride`) is searched for its first proved impact;
//! * another pair stops when it overlaps by more than the skin, or, with a mesh, has used up most of it. A pair that overlaps at the start stops when it overlaps a little more.
//!
//! The bodies of the first stop go on from there in the next step; then their pairs are searched again, since others may have followed them. A body that meets one that has stopped stops, too.
//!
//! **Piles.** Bodies that stop keep their velocities. In a pile that falls together a stop would spread from body to body and hold the pile in the air. So two bodies with [`PILE`] contacts each are left to the solver, if both overlap another body or have stopped in
//! the step before. They may overlap until it has braked them.

use super::contacts::Entry;
use super::{SKIN, StepMode};
use crate::Error;
use crate::contact::Contact;
use crate::impact;
use clearance::math::{Aabb, DVec3};
use clearance::motion::Impact;
use clearance::{Interval, Motion, Pose, distance};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Fast bodies and surfaces stop at this part of the skin for the rest of the step. Bound: the solver opens the gap again before it is used up.
const LEAST_GAP: f64 = 0.125;

/// Halvings of the time at which a surface stops. Limit: a part of 256 of the step; a time before is as good.
const HALVINGS: u32 = 8;

/// Contacts with other moving bodies from which on a body is in a pile. Limit: bodies that only collide have fewer.
const PILE: usize = 3;

/// A time at which the bodies of a pair should stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    /// The bits of a positive number, which have its order.
    time: u64,
    entry: u32,
    /// How many of the two bodies had stopped when it was found.
    stopped: u8,
    /// Is it a proved contact, before which they stop? Else it is the time itself.
    is_contact: bool,
}

/// The paths of the bodies in a step.
struct Paths<'a> {
    before: &'a [Pose],
    after: Vec<Pose>,
    /// Of the origin.
    ways: Vec<DVec3>,
    /// Of the farthest point, by rotation.
    turns: Vec<f64>,
    /// When a body has stopped, and where.
    stops: Vec<Option<(f64, Pose)>>,
    is_fast: Vec<bool>,
}

impl Paths<'_> {
    fn stopped(&self, [a, b]: [usize; 2]) -> u8 {
        u8::from(self.stops[a].is_some()) + u8::from(self.stops[b].is_some())
    }

    /// The motion of a body: once it has stopped, it stays.
    fn motion(&self, body: usize, step: f64) -> Result<Motion, Error> {
        let still = |pose: Pose| Motion::fixed(pose);
        Ok(match self.stops[body] {
            Some((_, pose)) => still(pose),
            None if self.before[body] == self.after[body] => still(self.before[body]),
            None => Motion::between(self.before[body], self.after[body], step)?,
        })
    }

    /// How far two bodies move toward each other at most.
    fn relative(&self, [a, b]: [usize; 2]) -> f64 {
        self.ways[a].distance(self.ways[b]) + self.turns[a] + self.turns[b]
    }
}

impl StepMode {
    /// Stops bodies; which ones. Counts how far all bodies have moved.
    pub(super) fn stop_bodies(&mut self, before: &[Pose]) -> Result<Vec<bool>, Error> {
        let after: Vec<Pose> = self.bodies.iter().map(|body| body.pose()).collect();
        let ways: Vec<DVec3> =
            before.iter().zip(&after).map(|(one, other)| other.translation() - one.translation()).collect();
        let turn_of = |number: usize| {
            let turn = self.bodies[number].turn.xyz().length();
            if turn > 0.0 { 2.0 * turn * self.forms[number].reach } else { 0.0 }
        };
        let turns: Vec<f64> = (0..after.len()).map(turn_of).collect();
        let is_fast: Vec<bool> = (0..after.len())
            .map(|number| {
                self.bodies[number].is_active() && ways[number].length() + turns[number] > self.forms[number].stride
            })
            .collect();
        let mut paths = Paths { stops: vec![None; after.len()], before, after, ways, turns, is_fast };
        let mut events: BinaryHeap<Reverse<Event>> = BinaryHeap::new();
        for number in self.close_pairs(&mut paths) {
            events.extend(self.first_event(number, &paths, 0.0)?.map(Reverse));
        }
        while let Some(Reverse(event)) = events.pop() {
            let Some(entry) = self.contacts.entry(event.entry) else { continue };
            let pair = entry.bodies;
            if paths.stopped(pair) != event.stopped {
                continue;
            }
            for body in self.stop_pair(pair, event, &mut paths)? {
                let from = paths.stops[body].map_or(0.0, |stop| stop.0);
                for other in self.contacts.numbers().collect::<Vec<_>>() {
                    if self.may_follow(other, body, &paths) {
                        events.extend(self.first_event(other, &paths, from)?.map(Reverse));
                    }
                }
            }
        }
        for (number, moved) in self.moved.iter_mut().enumerate() {
            if self.bodies[number].is_moving() {
                let end = paths.stops[number].map_or(paths.after[number], |stop| stop.1);
                *moved = paths.turns[number] + end.translation().distance(paths.before[number].translation());
            }
        }
        self.has_stopped = paths.stops.iter().map(Option::is_some).collect();
        Ok(self.has_stopped.clone())
    }

    /// The distance below which a pair whose distance at the start is `gap` is too close. Convex bodies that overlap may overlap a little deeper.
    fn least_gap(&self, pair: [usize; 2], gap: f64) -> f64 {
        if self.has_surface(pair) { LEAST_GAP * self.skin() } else { (gap - LEAST_GAP * self.skin()).min(-self.skin()) }
    }

    fn skin(&self) -> f64 {
        SKIN * self.size
    }

    /// The entries of the pairs that have to be searched.
    fn close_pairs(&mut self, paths: &mut Paths<'_>) -> Vec<u32> {
        // Paths that are not those that the contacts were searched for.
        let mut boxes: Vec<Option<Aabb>> = vec![None; paths.before.len()];
        let mut has_extended = false;
        for (number, own) in boxes.iter_mut().enumerate() {
            if !self.bodies[number].is_active() {
                continue;
            }
            let form = &self.forms[number];
            // Between two poses a point leaves the chord of its arc by at most this.
            let bulge = form.reach * (1.0 - self.bodies[number].turn.w.abs()).max(0.0);
            let ends = [paths.before[number], paths.after[number]].map(|pose| form.shape.aabb(&pose));
            let path = ends[0].merged(&ends[1]).grown(bulge);
            has_extended |= self.contacts.extend(number, &path);
            *own = Some(path);
        }
        if has_extended {
            self.contacts.add_extended(&self.bodies, &self.forms);
        }
        let numbers: Vec<u32> = self.contacts.numbers().collect();
        let mut found = Vec::new();
        let mut is_near = vec![false; paths.before.len()];
        let mut is_pressed = self.has_stopped.clone();
        let mut degrees = vec![0; is_pressed.len()];
        for &number in &numbers {
            if let Some(entry) = self.contacts.entry(number).filter(|entry| entry.has_contacts) {
                let is_pair = entry.bodies.iter().all(|&body| self.bodies[body].inertial.is_dynamic);
                for body in entry.bodies {
                    is_pressed[body] |= !entry.is_apart;
                    degrees[body] += usize::from(is_pair);
                }
            }
        }
        for &number in &numbers {
            let Some(&mut Entry { bodies: pair, gap, is_apart, has_contacts, .. }) = self.contacts.entry(number) else {
                continue;
            };
            if !is_apart && self.has_surface(pair) || pair.iter().all(|&body| !self.bodies[body].is_moving()) {
                continue;
            }
            let least = self.least_gap(pair, gap);
            let relative = paths.relative(pair);
            if gap - relative >= least {
                continue;
            }
            if let [Some(a), Some(b)] = pair.map(|body| boxes[body])
                && a.distance(&b) > least.max(0.0)
            {
                continue;
            }
            let is_in_pile = |&body: &usize| is_pressed[body] && degrees[body] >= PILE;
            if has_contacts && !self.has_surface(pair) && pair.iter().all(is_in_pile) {
                continue;
            }
            // A pair with contacts has planes between its bodies: it has to pass a whole thickness to be on the other side.
            let factor = if has_contacts && !self.has_surface(pair) { 4.0 } else { 1.0 };
            let is_fast = |&body: &usize| paths.is_fast[body] && relative > factor * self.forms[body].stride;
            if is_apart && pair.iter().any(is_fast) {
                found.push(number);
                continue;
            }
            self.contacts.checks += 1;
            let ends = pair.map(|body| paths.after[body]);
            let Some(entry) = self.contacts.entry(number) else { continue };
            if entry.pair.distance(ends[0], ends[1]).lower < least {
                found.push(number);
                if self.has_surface(pair) {
                    pair.into_iter().for_each(|body| is_near[body] = self.bodies[body].is_active());
                }
            }
        }
        // A body that may stop on its way may be too close to others there.
        for (is_fast, is_near) in paths.is_fast.iter_mut().zip(is_near) {
            *is_fast |= is_near;
        }
        let mut is_found = found.clone();
        is_found.sort_unstable();
        for number in numbers {
            let Some(&mut Entry { bodies: pair, is_apart, gap, .. }) = self.contacts.entry(number) else { continue };
            let may_meet = is_apart && self.has_surface(pair) && gap < paths.relative(pair);
            if may_meet && pair.iter().any(|&body| paths.is_fast[body]) && is_found.binary_search(&number).is_err() {
                found.push(number);
            }
        }
        found
    }

    /// May a pair meet since one of its bodies has stopped?
    fn may_follow(&mut self, number: u32, stopped: usize, paths: &Paths<'_>) -> bool {
        let Some(entry) = self.contacts.entry(number) else { return false };
        let (pair, gap, is_apart) = (entry.bodies, entry.gap, entry.is_apart);
        let Some(side) = pair.iter().position(|&body| body == stopped) else { return false };
        let other = pair[1 - side];
        if !is_apart && self.has_surface(pair) || paths.stops[other].is_some() || !self.bodies[other].is_moving() {
            return false;
        }
        let Some((_, place)) = paths.stops[stopped] else { return false };
        if is_apart && paths.is_fast[other] {
            return true;
        }
        let mut ends = [place, paths.after[other]];
        if side == 1 {
            ends.swap(0, 1);
        }
        let least = self.least_gap(pair, gap);
        self.contacts.checks += 1;
        self.contacts.entry(number).is_some_and(|entry| entry.pair.distance(ends[0], ends[1]).lower < least)
    }

    /// The first time from a time on at which a pair should stop.
    fn first_event(&mut self, number: u32, paths: &Paths<'_>, from: f64) -> Result<Option<Event>, Error> {
        let Some(&mut Entry { bodies: pair, gap, is_apart, has_contacts, .. }) = self.contacts.entry(number) else {
            return Ok(None);
        };
        if from >= self.step {
            return Ok(None);
        }
        let (step, least) = (self.step, self.least_gap(pair, gap));
        let motions = [paths.motion(pair[0], step)?, paths.motion(pair[1], step)?];
        let is_searched = is_apart && (self.has_surface(pair) || pair.iter().any(|&body| paths.is_fast[body]));
        let has_surface = self.has_surface(pair);
        self.contacts.checks += 1;
        let Some(entry) = self.contacts.entry(number) else { return Ok(None) };
        let time = if is_searched {
            match entry.pair.time_of_impact(&motions[0], &motions[1], Interval::new(from, step)?) {
                Impact::Hit(hit) => hit.lower,
                // A body that slides along another one within the skin takes very many steps of a search. It has not come closer.
                Impact::Undecided(_)
                    if has_contacts
                        && has_surface
                        && entry.pair.distance(motions[0].pose(step), motions[1].pose(step)).lower >= least =>
                {
                    return Ok(None);
                }
                Impact::Undecided(undecided) => undecided.from,
                Impact::Clear(_) | Impact::Touching(_) => return Ok(None),
            }
        } else {
            let is_far = |time: f64| entry.pair.distance(motions[0].pose(time), motions[1].pose(time)).lower >= least;
            last_time(is_far, [from, step])
        };
        let stopped = paths.stopped(pair);
        Ok(Some(Event { time: time.max(from).to_bits(), entry: number, stopped, is_contact: is_searched }))
    }

    /// Stops the bodies of a pair before their impact; which of them.
    fn stop_pair(&mut self, pair: [usize; 2], event: Event, paths: &mut Paths<'_>) -> Result<Vec<usize>, Error> {
        let is_early = paths.stopped(pair) > 0;
        let may_stop = |body: &usize| {
            let is_moving = self.bodies[*body].is_active() && paths.stops[*body].is_none();
            // The solver did not know the place of a body that was stopped.
            is_moving && (paths.is_fast[*body] || is_early || !event.is_contact)
        };
        let stopping: Vec<usize> = pair.into_iter().filter(may_stop).collect();
        if stopping.is_empty() {
            // Contacts of bodies that are not fast are those of the solver.
            return Ok(stopping);
        }
        let from = pair.iter().filter_map(|&body| paths.stops[body]).map(|stop| stop.0).fold(0.0, f64::max);
        let motions = [paths.motion(pair[0], self.step)?, paths.motion(pair[1], self.step)?];
        let time = f64::from_bits(event.time);
        let time = if event.is_contact { self.before_contact(pair, &motions, [from, time]) } else { time };
        for &body in &stopping {
            let motion = &motions[usize::from(body == pair[1])];
            let time = self.free_time(body, motion, time, paths);
            let pose = motion.pose(time);
            paths.stops[body] = Some((time, pose));
            let own = &mut self.bodies[body];
            own.rotation = pose.rotation();
            own.moving.center = pose.transform_point(own.inertial.center);
            // It has not fallen for the rest of the step, and so has not gained the speed of that fall.
            if let Some(down) = own.acceleration.try_normalize() {
                let gained = own.acceleration.length() * (self.step - time);
                own.moving.velocity -= down * own.moving.velocity.dot(down).clamp(0.0, gained);
            }
        }
        if self.has_surface(pair) {
            self.halt(pair, [0, 1].map(|side| motions[side].pose(time)));
        }
        Ok(stopping)
    }

    /// A time up to a given one at which a body may stop without coming too close to bodies that stand still. Its path was searched, if at all, before those had stopped.
    fn free_time(&mut self, body: usize, motion: &Motion, mut time: f64, paths: &Paths<'_>) -> f64 {
        let mut near = Vec::new();
        for number in self.contacts.numbers().collect::<Vec<_>>() {
            let Some(&mut Entry { bodies: pair, is_apart: true, gap, .. }) = self.contacts.entry(number) else {
                continue;
            };
            let Some(side) = pair.iter().position(|&other| other == body) else { continue };
            let other = pair[1 - side];
            let place = match paths.stops[other] {
                Some((_, pose)) => pose,
                None if !self.bodies[other].is_moving() => paths.before[other],
                None => continue,
            };
            near.push((number, side, place, self.least_gap(pair, gap).min(0.0)));
        }
        for _ in 0..HALVINGS {
            let own = motion.pose(time);
            let is_free = near.iter().all(|&(number, side, place, least)| {
                self.contacts.checks += 1;
                let poses = if side == 0 { [own, place] } else { [place, own] };
                self.contacts.entry(number).is_none_or(|entry| entry.pair.distance(poses[0], poses[1]).lower >= least)
            });
            if is_free {
                return time;
            }
            time *= 0.5;
        }
        0.0
    }

    /// A time before a proved contact at which a pair has the least gap; or half of its gap at the start, if that is less.
    fn before_contact(&self, [a, b]: [usize; 2], motions: &[Motion; 2], [from, contact]: [f64; 2]) -> f64 {
        let gap = |time: f64| {
            distance(&self.forms[a].shape, motions[0].pose(time), &self.forms[b].shape, motions[1].pose(time)).lower
        };
        let level = (LEAST_GAP * self.skin()).min(0.5 * gap(from));
        if !(level > 0.0) {
            return contact;
        }
        // Backwards: twice as far at each step.
        let (mut low, mut high, mut step) = (from, contact, 0.125 * (contact - from));
        while contact - step > from {
            if gap(contact - step) >= level {
                low = contact - step;
                break;
            }
            high = contact - step;
            step *= 2.0;
        }
        last_time(|time| gap(time) >= level, [low, high])
    }

    /// Two surfaces that stop before a contact have an impact at their closest points. Without it gravity would speed up a body that is held.
    fn halt(&mut self, pair: [usize; 2], poses: [Pose; 2]) {
        let found = distance(&self.forms[pair[0]].shape, poses[0], &self.forms[pair[1]].shape, poses[1]);
        let [a, b] = pair.map(|body| self.bodies[body].material);
        let contact = Contact {
            bodies: [0, 1],
            point: 0.5 * (found.point_a + found.point_b),
            normal: found.normal,
            friction: (a.friction * b.friction).sqrt(),
            restitution: 0.0,
            tangential: 0.0,
            rolling: a.rolling_resistance.max(b.rolling_resistance),
        };
        let mut both = pair.map(|body| self.bodies[body].moving);
        for ((moving, pose), body) in both.iter_mut().zip(poses).zip(pair) {
            let own = &self.bodies[body];
            moving.inverse_inertia = own.inverse_inertia(pose.rotation());
            moving.center = pose.transform_point(own.inertial.center);
        }
        let is_slow = contact.separation_speed(&both) > -self.bounce_threshold();
        let restitution = if is_slow { 0.0 } else { a.restitution.max(b.restitution) };
        impact::resolve(&mut both, &[Contact { restitution, ..contact }]);
        for (body, moving) in pair.into_iter().zip(both) {
            let own = &mut self.bodies[body];
            if own.moving.velocity != moving.velocity || own.moving.spin != moving.spin {
                (own.moving.velocity, own.moving.spin) = (moving.velocity, moving.spin);
                self.sleep.activate(body, &mut self.bodies);
            }
        }
    }
}

/// A time near the last one at which something holds, between one at which it does and one at which it does not.
fn last_time(mut holds: impl FnMut(f64) -> bool, [mut low, mut high]: [f64; 2]) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}
