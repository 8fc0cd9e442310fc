//! Penalty mode: springs along the penetration depth of solids, which need not be convex.
//!
//! Paper \[Penetration Depth\] (Kim, Otaduy, Lin and Manocha 2002), section 7. Bodies that overlap by the depth d, whose direction is n, push each other with the force (k d) n. The depth is that of
//! [`depth`](clearance::depth): global, so that interlocked letters part as well as balls. Between impulses bodies fly freely (`fleet.rs`).
//!
//! **Steps.** A step goes on until the next impulse, at most for the [step](crate::Settings::rate) of the mode. If the schedule proves that two bodies meet in it, the step ends at their time of collision. The paper's
//! cubic through the gap at the start and the depth at the end finds that time (`cubic.rs`), with bisection as the fallback. It is compared with the proved time. A later estimate has missed a
//! collision, as that of a bullet that has passed a wall, and the proved time replaces it.
//!
//! **Impulses.** From its time of collision on a pair gets an impulse k d h n every h, in the middle of each interval: the leapfrog method. Here h = [`PHASE`] / ω and k = ω² m, with the reduced mass m of the pair. ω makes
//! the depth at rest, and that of the impact, a small part of the thinner body. Damping 2 ζ ω m along n gives the restitution (`damping.rs`); friction acts at the points.
//!
//! **Points.** The impulse is spread over the points of the manifold, each by its own depth. For solids whose depth needs a search this is the manifold at the place to which the depth frees them.
//!
//! **Energy.** A contact keeps the energy that its spring has taken from the bodies, and gives back no more: for bodies on which the impulse J acts over the mean speed u the work is J u, exactly. So (P1) the energy of the bodies and
//! of all contacts never grows, but for rounding and the work of kinematic bodies, also where the depth changes its direction.

mod cubic;
mod damping;
mod overlap;

use crate::body::{Kind, thickness_of};
use crate::contact::Contact;
use crate::fleet::Fleet;
use crate::{ContactEvent, Error, Scene, Settings, impact};
use clearance::Pair;
use clearance::math::DVec3;
use clearance::motion::Impact;
use clearance::world::BodyImpact;
use cubic::Sample;
use damping::damping_ratio;
use overlap::Overlap;

/// ω h. Limit: 31 impulses in half a period; the restitution is then right to 1e-2.
const PHASE: f64 = 0.1;

/// The depth under the weight of a body, relative to the half width of the thinner body. Limit: a depth that nobody sees.
const SAG: f64 = 2e-3;

/// The depth of an impact, relative to the half width of the thinner body. Limit: half of it lets a body pass through a thin wall.
const DEEPEST: f64 = 0.1;

/// The half width of a flat body, relative to its radius. Limit: a sheet has none of its own.
const THINNEST: f64 = 1e-3;

/// The longest step, per second, unless the settings say otherwise. Limit: the rate of a screen.
const RATE: f64 = 60.0;

/// The gap at which a pair is in contact, relative to the smallest moving body. Bound: far above rounding, and far below the depth of any contact.
const TOUCHING: f64 = 1e-7;

/// The gap at which a contact ends, in gaps of contact. Bound: a contact that begins does not end at once by rounding.
const PARTED: f64 = 4.0;

/// How times of collision were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollisionTimes {
    /// Collisions whose time the cubics alone have found.
    pub by_cubics: u64,
    /// Collisions that took a bisection.
    pub by_bisection: u64,
    /// Collisions whose proved time is earlier than the estimate, or that the ends of the step do not show.
    pub by_proof: u64,
    /// Cubics in all.
    pub cubics: u64,
}

/// Two bodies in contact.
struct Touch {
    bodies: [usize; 2],
    pair: Pair,
    /// Reduced mass.
    mass: f64,
    /// The angular frequency of the spring.
    omega: f64,
    damping: f64,
    /// The half width of the thinner body.
    thickness: f64,
    /// When the next impulse is due.
    next: f64,
    /// The energy that the spring holds.
    stored: f64,
    event: ContactEvent,
}

impl Touch {
    fn interval(&self) -> f64 {
        PHASE / self.omega
    }
}

/// See the module.
pub(crate) struct PenaltyMode {
    fleet: Fleet,
    touches: Vec<Touch>,
    gravity: f64,
    thickness: Vec<f64>,
    step: f64,
    /// The gap of contact.
    touching: f64,
    pub times: CollisionTimes,
    pub events: u64,
    queries: u64,
    pub impulses: u64,
    pub log: Option<Vec<ContactEvent>>,
}

impl PenaltyMode {
    pub fn new(scene: &Scene, settings: &Settings) -> Result<Self, Error> {
        let inertials = scene.bodies.iter().map(|body| body.inertial()).collect::<Result<Vec<_>, _>>()?;
        let poses: Vec<_> = scene.bodies.iter().map(|body| body.pose).collect();
        let touching = TOUCHING * scene.smallest();
        let mut fleet = Fleet::new(scene, inertials, &poses, touching)?;
        fleet.refuse_deep(scene)?;
        let thickness =
            scene.bodies.iter().map(|body| thickness_of(&body.shape).max(THINNEST * body.shape.bounding_radius()));
        let mut mode = Self {
            touches: Vec::new(),
            gravity: scene.gravity.length(),
            thickness: thickness.collect(),
            step: 1.0 / settings.rate.unwrap_or(RATE),
            touching,
            times: CollisionTimes::default(),
            events: 0,
            queries: 0,
            impulses: 0,
            log: settings.keep_contacts.then(Vec::new),
            fleet,
        };
        for bodies in mode.fleet.close() {
            if bodies.iter().any(|&body| matches!(scene.bodies[body].kind, Kind::Dynamic(_))) {
                mode.touch(bodies);
            }
        }
        Ok(mode)
    }

    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    pub fn checks(&self) -> u64 {
        self.fleet.world.schedule_cost().checks + self.queries
    }

    /// The energy that the springs hold.
    pub fn stored(&self) -> f64 {
        self.touches.iter().map(|touch| touch.stored).sum()
    }

    /// Advances to a time, or to an error.
    pub fn advance(&mut self, until: f64) -> Result<(), Error> {
        while self.fleet.now < until {
            let interval = self.fleet.interval(until)?;
            let due = self.touches.iter().map(|touch| touch.next).fold(f64::INFINITY, f64::min);
            let stop = until.min(due).min(self.fleet.first_end()).min(self.fleet.now + self.step);
            match self.fleet.world.next_impact(interval).filter(|impact| impact.time() < stop) {
                Some(impact) => self.collide(&impact, stop)?,
                None => {
                    self.fleet.now = stop;
                    self.fleet.renew()?;
                    self.push_due()?;
                }
            }
        }
        Ok(())
    }

    /// Two bodies meet before `stop`: goes to the time of their collision, from which on they are in contact.
    fn collide(&mut self, impact: &BodyImpact, stop: f64) -> Result<(), Error> {
        let bodies = self.fleet.pair_of(impact);
        let proved = impact.time().max(self.fleet.now);
        if let Impact::Undecided(_) = impact.impact
            && self.fleet.clearance(bodies, proved).lower > self.touching
        {
            if proved > self.fleet.now {
                self.fleet.now = proved;
                return Ok(());
            }
            return Err(Error::Undecided { time: proved, bodies: self.fleet.names_of(bodies) });
        }
        self.fleet.now = self.time_of_collision(bodies, proved, stop);
        self.touch(bodies);
        Ok(())
    }

    /// The paper's time of collision of two bodies in a step, checked against the proved one.
    fn time_of_collision(&mut self, bodies: [usize; 2], proved: f64, stop: f64) -> f64 {
        let mut pair = Pair::new(&self.fleet.shapes[bodies[0]], &self.fleet.shapes[bodies[1]]);
        let early = self.sample(&mut pair, bodies, self.fleet.now);
        let late = self.sample(&mut pair, bodies, stop);
        if early.gap <= 0.0 || late.gap > 0.0 {
            self.times.by_proof += 1;
            return proved;
        }
        let tolerance = self.touching;
        let found = cubic::collision(early, late, tolerance, |time| self.sample(&mut pair, bodies, time));
        self.times.cubics += u64::from(found.cubics);
        if found.time > proved {
            self.times.by_proof += 1;
            return proved;
        }
        *(if found.bisections == 0 { &mut self.times.by_cubics } else { &mut self.times.by_bisection }) += 1;
        found.time
    }

    /// The gap or the depth of a pair at a time, and its rate.
    fn sample(&mut self, pair: &mut Pair, bodies: [usize; 2], time: f64) -> Sample {
        self.queries += 1;
        let found = Overlap::measure(pair, self.fleet.poses(bodies, time), self.touching, self.size(bodies));
        let moving = bodies.map(|body| {
            let inertial = &self.fleet.inertials[body];
            self.fleet.flights[body].at(time, inertial).moving(inertial)
        });
        let contact = contact_at(found.place, found.normal);
        Sample { time, gap: found.gap, rate: contact.separation_speed(&moving) }
    }

    /// The radius of the smaller of two bodies.
    fn size(&self, bodies: [usize; 2]) -> f64 {
        bodies.map(|body| self.fleet.shapes[body].bounding_radius()).into_iter().fold(f64::INFINITY, f64::min)
    }

    /// A contact begins now.
    fn touch(&mut self, bodies: [usize; 2]) {
        let [a, b] = bodies;
        let inverse = |body: usize| {
            let inertial = &self.fleet.inertials[body];
            if inertial.is_dynamic { 1.0 / inertial.mass } else { 0.0 }
        };
        let mut pair = Pair::new(&self.fleet.shapes[a], &self.fleet.shapes[b]);
        let found =
            Overlap::measure(&mut pair, self.fleet.poses(bodies, self.fleet.now), self.touching, self.size(bodies));
        let moving = bodies.map(|body| self.fleet.state(body).moving(&self.fleet.inertials[body]));
        let speed = -contact_at(found.place, found.normal).separation_speed(&moving);
        let [of_a, of_b] = bodies.map(|body| self.fleet.materials[body]);
        let thickness = self.thickness[a].min(self.thickness[b]);
        let mass = 1.0 / (inverse(a) + inverse(b));
        let omega = (self.gravity / (SAG * thickness)).sqrt().max(speed / (DEEPEST * thickness));
        // Bodies that touch at rest, and nothing presses: any frequency does.
        let omega = if omega > 0.0 { omega } else { 1.0 / self.step };
        let depth = (-found.gap).max(0.0);
        let mut touch = Touch {
            bodies,
            pair,
            mass,
            omega,
            damping: damping_ratio(of_a.restitution.max(of_b.restitution)),
            thickness,
            next: 0.0,
            // An overlap at the start holds the energy of its spring.
            stored: 0.5 * omega * omega * mass * depth * depth,
            event: ContactEvent {
                time: self.fleet.now,
                bodies,
                point: found.place,
                normal: found.normal,
                impulse: DVec3::ZERO,
                approach_speed: speed.max(0.0),
            },
        };
        touch.next = self.fleet.now + 0.5 * touch.interval();
        self.fleet.world.set_ignored(self.fleet.ids[a], self.fleet.ids[b], true);
        self.touches.push(touch);
        self.events += 1;
    }

    /// The impulses that are due now. Contacts that have parted end.
    fn push_due(&mut self) -> Result<(), Error> {
        let mut touches = std::mem::take(&mut self.touches);
        let mut failure = None;
        touches.retain_mut(|touch| {
            if touch.next > self.fleet.now || failure.is_some() {
                return true;
            }
            match self.push(touch) {
                Ok(stays) => stays,
                Err(error) => {
                    failure = Some(error);
                    true
                }
            }
        });
        self.touches = touches;
        failure.map_or(Ok(()), Err)
    }

    /// The impulse of a contact; false if it has ended.
    fn push(&mut self, touch: &mut Touch) -> Result<bool, Error> {
        let bodies = touch.bodies;
        self.queries += 1;
        let found = Overlap::measure(
            &mut touch.pair,
            self.fleet.poses(bodies, self.fleet.now),
            self.touching,
            self.size(bodies),
        );
        if found.gap > PARTED * self.touching {
            let [a, b] = bodies.map(|body| self.fleet.ids[body]);
            self.fleet.world.set_ignored(a, b, false);
            if let Some(log) = self.log.as_mut().filter(|_| touch.event.impulse != DVec3::ZERO) {
                log.push(touch.event);
            }
            return Ok(false);
        }
        let states = bodies.map(|body| self.fleet.state(body));
        let inertials = bodies.map(|body| self.fleet.inertials[body]);
        let mut moving = [0, 1].map(|side| states[side].moving(&inertials[side]));
        let before = moving;
        let [a, b] = bodies.map(|body| self.fleet.materials[body]);
        let contacts: Vec<(Contact, f64)> = found
            .points
            .iter()
            .map(|&(point, share)| {
                let contact = Contact {
                    friction: (a.friction * b.friction).sqrt(),
                    rolling: a.rolling_resistance.max(b.rolling_resistance),
                    ..contact_at(point, found.normal)
                };
                (contact, share)
            })
            .collect();
        // The speed at which they separate along the spread impulse, and its change per impulse.
        let speed: f64 = contacts.iter().map(|(contact, share)| share * contact.separation_speed(&moving)).sum();
        touch.omega = touch.omega.max(-speed / (DEEPEST * touch.thickness));
        let response: f64 = contacts
            .iter()
            .flat_map(|one| contacts.iter().map(move |other| (one, other)))
            .map(|((one, p), (other, q))| p * q * one.coupling(other, &moving))
            .sum();
        let spring = Spring { touch, interval: touch.interval(), speed, response };
        let (impulse, stored) = spring.impulse((-found.gap).max(0.0));
        touch.stored = stored;
        if impulse > 0.0 {
            self.impulses += 1;
            for (contact, share) in &contacts {
                contact.push(&mut moving, contact.normal * (share * impulse));
            }
            for (contact, share) in &contacts {
                let most = contact.friction * share * impulse;
                let rub = if most > 0.0 { impact::tangential(&moving, contact, most) } else { DVec3::ZERO };
                contact.push(&mut moving, rub);
                impact::resist_rolling(&mut moving, contact, share * impulse);
                touch.event.impulse += rub + contact.normal * (share * impulse);
            }
        }
        touch.next = self.fleet.now + touch.interval();
        for side in 0..2 {
            let (was, is) = (&before[side], &moving[side]);
            if inertials[side].is_dynamic && (was.velocity != is.velocity || was.spin != is.spin) {
                let state = crate::flight::Posed { velocity: is.velocity, spin: is.spin, ..states[side] };
                self.fleet.change(bodies[side], state)?;
            }
        }
        Ok(true)
    }
}

/// A contact of the bodies 0 and 1 without friction.
fn contact_at(point: DVec3, normal: DVec3) -> Contact {
    Contact { bodies: [0, 1], point, normal, friction: 0.0, restitution: 0.0, tangential: 0.0, rolling: 0.0 }
}

/// The spring of a contact, and how the bodies move along its impulse.
struct Spring<'a> {
    touch: &'a Touch,
    interval: f64,
    /// At which they separate.
    speed: f64,
    /// The change of that speed per impulse.
    response: f64,
}

impl Spring<'_> {
    /// The impulse of an interval, which pushes only, and the energy that the spring holds then.
    fn impulse(&self, depth: f64) -> (f64, f64) {
        let Self { touch: &Touch { mass, omega, damping, stored, .. }, interval, speed, response } = *self;
        if depth == 0.0 || !(response > 0.0) {
            return (0.0, stored);
        }
        let elastic = omega * omega * mass * depth * interval;
        let damper = 2.0 * damping * omega * mass * interval;
        // The damper acts on the mean of the speeds before and after.
        let damped = -damper * (speed + 0.5 * response * elastic) / (1.0 + 0.5 * response * damper);
        let mut impulse = (elastic + damped).max(0.0);
        // The work on the bodies is J (u + A J / 2), at most the energy that is there.
        if impulse * (speed + 0.5 * response * impulse) > stored {
            impulse = ((speed * speed + 2.0 * response * stored).sqrt() - speed).max(0.0) / response;
        }
        if impulse == 0.0 {
            return (0.0, stored);
        }
        let mean = speed + 0.5 * response * impulse;
        // The damper takes from what the spring gives, and from what it gets.
        (impulse, (stored - elastic * mean).max(0.0))
    }
}
