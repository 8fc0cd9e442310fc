//! Event mode: impulses at the proved times of impact, in the order of time.
//!
//! Paper \[Two-Phase\] (Mirtich 1997), section 4: the system advances to the impact that the schedule has first, and no impact is missed at any speed. Here the
//! schedule is the one that a `World` keeps (`fleet.rs`); between impacts bodies fly freely (`flight.rs`), so a motion changes only at an impact.
//!
//! **The envelope.** Bodies collide when their gap falls through ε, the collision epsilon, and not when it is zero: then the distance has a direction, and the next
//! flight begins with a gap. The time is searched backwards from the proved contact (`gap.rs`). So bodies never touch, let alone overlap.
//!
//! **Resting contact** is a sequence of micro-collisions (Mirtich and Canny, "Impulse-based simulation of rigid bodies", 1995): an approach slower than a fall through the envelope is reversed,
//! the tangential velocity too where friction allows it. A body at rest hops inside the envelope, and energy is kept. On a slope it creeps, since hops that are lifted last longer than their reversed slip. A body that hops more
//! slowly than [`SLOWEST_HOP`] waits until it has fallen faster; where that is not possible it gets the speed from energy that collisions have taken before, and never from anything else.
//!
//! **Simultaneous impacts** are resolved together (`impact.rs`): the pairs that the schedule has within the time of crossing the envelope, and pairs in contact
//! with them.
//!
//! **Order.** Every step begins no later than the first proved impact, so (E1) all pairs are apart at all times; (E2) the energy never grows, but for rounding and for the work of kinematic bodies.

mod gap;
mod points;

use crate::body::Inertial;
use crate::contact::{Contact, Moving};
use crate::fleet::Fleet;
use crate::flight::Posed;
use crate::impact;
use crate::start::{Separated, separated};
use crate::{ContactEvent, Error, Scene, Settings};
use clearance::math::DVec3;
use clearance::motion::Impact;
use clearance::world::BodyImpact;
use clearance::{Clearance, Interval, Pair, time_of_impact};
use gap::Crossing;
use points::Touch;
use std::collections::BTreeMap;

/// The gap that touching bodies get at the start, in ε. Bound: the middle of the envelope, from which a hop has room on both sides.
const START_GAP: f64 = 0.5;

/// The slowest approach of a micro-collision, relative to the fall through the envelope: an eighth. Bound: a body at rest then collides at most eight times as often as one that hops through the whole envelope.
const SLOWEST_HOP: f64 = 0.125;

/// Approaches up to this many times the fall through the envelope are micro-collisions. Bound: a hop that was reversed is one again after rounding.
const MICRO: f64 = 1.5;

/// Pairs with a gap of at most this many ε take part in a simultaneous impact. Bound: a pair that has just collided may be ε away.
const TOGETHER: f64 = 2.0;

/// The gap, in ε, from which on a pair is no neighbour any more. Limit: neighbours are measured at each impact of one of their bodies.
const FORGOTTEN: f64 = 8.0;

/// A gap, in ε, below which a pair may count as touching, so that the schedule does not see it any more. Bound: 4e-7 of the size of a body, far above rounding and the error of a rotation.
const LOW_GAP: f64 = 1.0 / 256.0;

/// Collisions of one pair in which the time must advance. Limit: a piece of work that a person waits for.
const PATIENCE: u32 = 2000;

/// Times without progress in a row that are given up. Limit: each halves what is left of the step.
const MOST_STALLS: u32 = 64;

/// The collisions of a pair, for the detection of Zeno's paradox.
#[derive(Debug, Clone, Copy)]
struct Rate {
    since: f64,
    count: u32,
    /// The fastest approach since then.
    speed: f64,
}

/// See the module.
pub(crate) struct EventMode {
    fleet: Fleet,
    /// ε.
    envelope: f64,
    /// The speed of a fall through the envelope.
    hop: f64,
    /// By number: bodies that were in contact with it.
    neighbours: Vec<Vec<usize>>,
    rates: BTreeMap<[usize; 2], Rate>,
    /// The warm starts of pairs that were in contact.
    pairs: BTreeMap<[usize; 2], Pair>,
    /// Energy that collisions have taken and not given back.
    taken: f64,
    stalls: u32,
    pub events: u64,
    /// The contacts of the last impacts, if they are kept.
    pub log: Option<Vec<ContactEvent>>,
}

impl EventMode {
    pub fn new(scene: &Scene, settings: &Settings) -> Result<Self, Error> {
        let inertials = scene.bodies.iter().map(|body| body.inertial()).collect::<Result<Vec<_>, _>>()?;
        let envelope = settings.envelope_of(scene);
        let Separated { poses, jammed } = separated(scene, &inertials, START_GAP * envelope, envelope)?;
        if let Some(jammed) = jammed {
            return Err(jammed);
        }
        let mut mode = Self {
            neighbours: vec![Vec::new(); inertials.len()],
            fleet: Fleet::new(scene, inertials, &poses, TOGETHER * envelope)?,
            envelope,
            hop: (2.0 * scene.gravity.length() * envelope).sqrt(),
            rates: BTreeMap::new(),
            pairs: BTreeMap::new(),
            taken: 0.0,
            stalls: 0,
            events: 0,
            log: settings.keep_contacts.then(Vec::new),
        };
        for [a, b] in mode.fleet.close() {
            mode.meet(a, b);
        }
        Ok(mode)
    }

    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    pub fn envelope(&self) -> f64 {
        self.envelope
    }

    pub fn checks(&self) -> u64 {
        self.fleet.world.schedule_cost().checks
    }

    /// Advances to a time, or to an error.
    pub fn advance(&mut self, until: f64) -> Result<(), Error> {
        while self.fleet.now < until {
            let interval = self.fleet.interval(until)?;
            let stop = until.min(self.fleet.first_end());
            match self.fleet.world.next_impact(interval).filter(|impact| impact.time() < stop) {
                Some(impact) => self.collide(&impact, interval)?,
                None => {
                    self.fleet.now = stop;
                    self.fleet.renew()?;
                }
            }
        }
        Ok(())
    }

    fn meet(&mut self, a: usize, b: usize) {
        for (one, other) in [(a, b), (b, a)] {
            if !self.neighbours[one].contains(&other) {
                self.neighbours[one].push(other);
            }
        }
    }

    fn part(&mut self, a: usize, b: usize) {
        self.pairs.remove(&[a.min(b), a.max(b)]);
        self.rates.remove(&[a.min(b), a.max(b)]);
        for (one, other) in [(a, b), (b, a)] {
            self.neighbours[one].retain(|&number| number != other);
        }
    }

    /// Resolves the impact that is first.
    fn collide(&mut self, first: &BodyImpact, interval: Interval) -> Result<(), Error> {
        let pair = self.fleet.pair_of(first);
        let contact_time = first.time();
        if let Impact::Undecided(_) = first.impact {
            let is_close = self.fleet.clearance(pair, contact_time).lower <= self.envelope;
            if !is_close {
                return self.postpone(pair, contact_time);
            }
        }
        let Crossing { time, clearance, hop } = self.crossing(pair, contact_time);
        // Others that cross the envelope in about the same time.
        let window = 2.0 * (contact_time - time);
        let mut others: Vec<[usize; 2]> =
            self.fleet.world.next_impacts(interval, window).iter().map(|impact| self.fleet.pair_of(impact)).collect();
        others.retain(|other| *other != pair);
        let is_advancing = time > self.fleet.now;
        self.fleet.now = time;
        if clearance.lower < LOW_GAP * self.envelope && self.is_touching(pair, interval)? {
            return Err(self.stuck(pair, "their gap has shrunk to nothing, and no energy is left to part them"));
        }
        let close = self.gather(pair, clearance, &others);
        let touches: Vec<Touch> = close.iter().flat_map(|(pair, found)| self.touches(*pair, found)).collect();
        self.events += 1;
        let has_changed = self.resolve(pair, &touches, hop)?;
        self.stalls = if is_advancing || has_changed { 0 } else { self.stalls + 1 };
        if self.stalls > MOST_STALLS {
            return Err(self.stuck(pair, "no impulse separates them"));
        }
        Ok(())
    }

    /// A search has used up its steps before it came to the contact: it goes on from there.
    fn postpone(&mut self, pair: [usize; 2], from: f64) -> Result<(), Error> {
        if from > self.fleet.now {
            self.fleet.now = from;
            return Ok(());
        }
        let bodies = self.fleet.names_of(pair);
        Err(Error::Undecided { time: self.fleet.now, bodies })
    }

    fn stuck(&self, pair: [usize; 2], reason: &str) -> Error {
        let bodies = self.fleet.names_of(pair);
        Error::Stuck { time: self.fleet.now, bodies, reason: reason.into() }
    }

    /// The pair, and all pairs in contact that are connected with it by bodies that can move.
    fn gather(
        &mut self,
        pair: [usize; 2],
        clearance: Clearance,
        others: &[[usize; 2]],
    ) -> Vec<([usize; 2], Clearance)> {
        self.meet(pair[0], pair[1]);
        for other in others {
            self.meet(other[0], other[1]);
        }
        let mut found = vec![(pair, clearance)];
        let mut reached: Vec<usize> =
            pair.into_iter().filter(|&number| self.fleet.inertials[number].is_dynamic).collect();
        let mut next = 0;
        while let Some(&body) = reached.get(next) {
            next += 1;
            for other in self.neighbours[body].clone() {
                let key = [body.min(other), body.max(other)];
                if found.iter().any(|(bodies, _)| *bodies == key || *bodies == [key[1], key[0]]) {
                    continue;
                }
                let clearance = self.fleet.clearance(key, self.fleet.now);
                if clearance.lower > FORGOTTEN * self.envelope {
                    self.part(body, other);
                } else if clearance.lower <= TOGETHER * self.envelope {
                    found.push((key, clearance));
                    if self.fleet.inertials[other].is_dynamic && !reached.contains(&other) {
                        reached.push(other);
                    }
                }
            }
        }
        found
    }

    /// Applies the impulses; whether any velocity has changed.
    fn resolve(&mut self, first: [usize; 2], touches: &[Touch], hop: f64) -> Result<bool, Error> {
        let mut numbers: Vec<usize> = touches.iter().flat_map(|touch| touch.pair).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let states: Vec<Posed> = numbers.iter().map(|&number| self.fleet.state(number)).collect();
        let inertials: Vec<Inertial> = numbers.iter().map(|&number| self.fleet.inertials[number]).collect();
        let before: Vec<Moving> =
            states.iter().zip(&inertials).map(|(state, inertial)| state.moving(inertial)).collect();
        let local = |number: usize| numbers.binary_search(&number).unwrap_or(0);
        let contacts: Vec<Contact> =
            touches.iter().map(|touch| self.contact(touch, touch.pair.map(local), &before, hop)).collect();
        let mut after = before.clone();
        let mut resolution = impact::resolve(&mut after, &contacts);
        if !resolution.is_resolved {
            return Err(self.stuck(first, "they are crushed between bodies that cannot give way"));
        }
        let energy = |moving: &[Moving]| -> f64 {
            let of = |((state, inertial), moving): ((&Posed, &Inertial), &Moving)| {
                Posed { velocity: moving.velocity, spin: moving.spin, ..*state }.kinetic_energy(inertial)
            };
            states.iter().zip(&inertials).zip(moving).map(of).sum()
        };
        let taken = self.taken + energy(&before);
        let available = (taken - energy(&after)).max(0.0);
        let hops = self.hop_again(&contacts, touches, [hop, available], &before, &mut after);
        resolution.impulses.iter_mut().zip(hops).for_each(|(impulse, hop)| *impulse += hop);
        self.taken = (taken - energy(&after)).max(0.0);
        let mut has_changed = false;
        for (index, &number) in numbers.iter().enumerate() {
            let (was, is) = (&before[index], &after[index]);
            if inertials[index].is_dynamic && (was.velocity != is.velocity || was.spin != is.spin) {
                has_changed = true;
                self.fleet.change(number, Posed { velocity: is.velocity, spin: is.spin, ..states[index] })?;
            }
        }
        let speed = -contacts[0].separation_speed(&before);
        self.watch(first, speed)?;
        if let Some(log) = &mut self.log {
            for ((contact, touch), &impulse) in contacts.iter().zip(touches).zip(&resolution.impulses) {
                if impulse != DVec3::ZERO {
                    let Contact { point, normal, .. } = *contact;
                    let approach_speed = -contact.separation_speed(&before);
                    log.push(ContactEvent {
                        time: self.fleet.now,
                        bodies: touch.pair,
                        point,
                        normal,
                        impulse,
                        approach_speed,
                    });
                }
            }
        }
        Ok(has_changed)
    }

    fn contact(&self, touch: &Touch, bodies: [usize; 2], moving: &[Moving], hop: f64) -> Contact {
        let [a, b] = touch.pair.map(|number| self.fleet.materials[number]);
        let contact = Contact {
            bodies,
            point: touch.point,
            normal: touch.normal,
            friction: (a.friction * b.friction).sqrt(),
            restitution: a.restitution.max(b.restitution),
            tangential: 0.0,
            rolling: a.rolling_resistance.max(b.rolling_resistance),
        };
        if contact.separation_speed(moving) > -MICRO * hop {
            return Contact { restitution: 1.0, tangential: 1.0, ..contact };
        }
        contact
    }

    /// Contacts that hop too slowly to stay in the upper half of the envelope get the speed, from energy that collisions have taken before and that is `available`.
    /// The impulses of all contacts.
    ///
    /// A contact that slides has friction for these normal impulses, too: without it a box slides as if its friction were less. A contact whose slip was reversed
    /// sticks, and keeps its slip.
    fn hop_again(
        &self,
        contacts: &[Contact],
        touches: &[Touch],
        [hop, available]: [f64; 2],
        before: &[Moving],
        after: &mut [Moving],
    ) -> Vec<DVec3> {
        let speeds: Vec<f64> = contacts.iter().map(|contact| contact.separation_speed(after)).collect();
        let floors: Vec<f64> = contacts
            .iter()
            .zip(touches)
            .zip(&speeds)
            .map(|((contact, touch), &speed)| {
                if contact.restitution < 1.0 || contact.tangential < 1.0 {
                    return speed.min(0.0);
                }
                let rise = (0.5 - touch.gap / self.envelope).max(SLOWEST_HOP * SLOWEST_HOP);
                hop * rise.sqrt()
            })
            .collect();
        if available <= 0.0 || floors.iter().zip(&speeds).all(|(floor, speed)| speed >= floor) {
            return Vec::new();
        }
        let slips: Vec<bool> =
            contacts.iter().map(|contact| contact.slip(before).dot(contact.slip(after)) > 0.0).collect();
        let (impulses, linear, square) = impact::lift(after, contacts, &floors);
        // The energy of a part s of the impulses is s u·λ + s² λ·A λ / 2.
        let part = if linear + 0.5 * square <= available {
            1.0
        } else {
            let root = (linear * linear + 2.0 * square * available).sqrt() - linear;
            (root / square).clamp(0.0, 1.0)
        };
        let mut pushes: Vec<DVec3> =
            contacts.iter().zip(impulses).map(|(contact, x)| contact.normal * (part * x)).collect();
        contacts.iter().zip(&pushes).for_each(|(contact, &impulse)| contact.push(after, impulse));
        for ((contact, impulse), _) in contacts.iter().zip(&mut pushes).zip(slips).filter(|(_, slips)| *slips) {
            let friction = impact::tangential(after, contact, contact.friction * impulse.length());
            contact.push(after, friction);
            *impulse += friction;
        }
        pushes
    }

    /// Do two bodies count as touching at the start of an interval? Then the schedule would pass them over.
    fn is_touching(&self, [a, b]: [usize; 2], interval: Interval) -> Result<bool, Error> {
        let [motion_a, motion_b] = [a, b].map(|body| &self.fleet.flights[body].motion);
        // Bound: any interval does; a short one takes one distance.
        let soon = Interval::new(self.fleet.now, self.fleet.now + 1e-6 * interval.length())?;
        let impact = time_of_impact(&self.fleet.shapes[a], motion_a, &self.fleet.shapes[b], motion_b, soon);
        Ok(matches!(impact, Impact::Touching(_)))
    }

    /// Detects infinitely many collisions in a finite time.
    fn watch(&mut self, pair: [usize; 2], speed: f64) -> Result<(), Error> {
        let now = self.fleet.now;
        let rate = self.rates.entry(pair).or_insert(Rate { since: now, count: 0, speed: 0.0 });
        rate.count += 1;
        rate.speed = rate.speed.max(speed);
        if rate.count < PATIENCE {
            return Ok(());
        }
        // So slowly that the bodies cannot have crossed the envelope even once.
        let needed = self.envelope / rate.speed.max(self.hop).max(f64::MIN_POSITIVE);
        let is_stuck = now - rate.since < needed;
        *rate = Rate { since: now, count: 0, speed: 0.0 };
        if is_stuck {
            let reason = format!(
                "{PATIENCE} collisions of them took less time than one body needs to cross the envelope (Zeno's paradox)"
            );
            return Err(self.stuck(pair, &reason));
        }
        Ok(())
    }
}
