//! Bodies in free flight, and the schedule of their impacts.
//!
//! Event mode and penalty mode share this state: between impulses bodies move by closed forms (`flight.rs`), and a [`World`] keeps the schedule of the impacts of these motions
//! ([`World::next_impact`]). An impulse begins another flight of its body, and only the pairs of that body are searched again.

use crate::body::{Inertial, Kind, Material};
use crate::flight::{Flight, Posed};
use crate::{Error, Scene};
use clearance::math::DVec3;
use clearance::world::{self, BodyImpact, Config, World};
use clearance::{BodyId, Clearance, Interval, Pose, Shape, distance};
use std::collections::BTreeSet;

/// See the module.
pub(crate) struct Fleet {
    pub world: World,
    /// By number of the body.
    pub ids: Vec<BodyId>,
    /// By slot of the world.
    numbers: Vec<usize>,
    pub shapes: Vec<Shape>,
    pub names: Vec<String>,
    pub inertials: Vec<Inertial>,
    pub materials: Vec<Material>,
    pub flights: Vec<Flight>,
    /// By number: the acceleration of free flight.
    accelerations: Vec<DVec3>,
    pub now: f64,
    /// The end of the intervals for which the schedule is kept.
    horizon: f64,
    /// Ends of flights: of bodies that tumble, and of kinematic bodies that stop. A time and a number. Entries of earlier flights are stale.
    ends: BTreeSet<(OrderedTime, usize)>,
}

/// A time as a key; not NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
struct OrderedTime(f64);

impl Eq for OrderedTime {}

impl PartialOrd for OrderedTime {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedTime {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Fleet {
    /// The bodies of a scene at poses, with their velocities of the start. Pairs up to `margin` apart are listed by [`close`](Self::close).
    pub fn new(scene: &Scene, inertials: Vec<Inertial>, poses: &[Pose], margin: f64) -> Result<Self, Error> {
        for (body, inertial) in scene.bodies.iter().zip(&inertials) {
            if inertial.is_dynamic && inertial.free_axes() == 2 {
                return Err(Error::Input(format!(
                    "{:?} may turn about two axes, which event mode and penalty mode cannot do; lock one more or none, or simulate in steps",
                    body.name
                )));
            }
            if inertial.is_dynamic && body.torque != DVec3::ZERO {
                return Err(Error::Input(format!(
                    "{:?} has a torque, under which event mode and penalty mode have no closed form of flight; simulate in steps",
                    body.name
                )));
            }
        }
        let mut world = World::new(Config { margin, ..Config::default() });
        let insert = |body: &crate::Body| {
            let inserted = world::Body::new(body.shape.clone(), body.pose);
            world.insert_body(if matches!(body.kind, Kind::Dynamic(_)) { inserted } else { inserted.fixed() })
        };
        let ids: Vec<BodyId> = scene.bodies.iter().map(insert).collect();
        let mut numbers = vec![0; ids.len()];
        for (number, id) in ids.iter().enumerate() {
            numbers[id.slot() as usize] = number;
        }
        for &[a, b] in &scene.ignored {
            world.set_ignored(ids[a], ids[b], true);
        }
        let mut fleet = Self {
            world,
            numbers,
            shapes: scene.bodies.iter().map(|body| body.shape.clone()).collect(),
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            materials: scene.bodies.iter().map(|body| body.material).collect(),
            flights: Vec::with_capacity(ids.len()),
            accelerations: scene
                .bodies
                .iter()
                .zip(&inertials)
                .map(|(body, inertial)| inertial.acceleration(scene.gravity, body.force))
                .collect(),
            now: 0.0,
            horizon: 0.0,
            ends: BTreeSet::new(),
            ids,
            inertials,
        };
        for (number, (body, &pose)) in scene.bodies.iter().zip(poses).enumerate() {
            let inertial = &fleet.inertials[number];
            let (velocity, spin) = body.start_velocities(inertial);
            let state = Posed { pose, velocity, spin };
            let mut flight = Flight::begin(state, inertial, fleet.accelerations[number], 0.0, 0.0)?;
            flight.end = flight.end.min(body.stops_at());
            fleet.flights.push(flight);
            fleet.launch(number);
        }
        Ok(fleet)
    }

    /// The pairs that are at most the margin apart at the start.
    pub fn close(&mut self) -> Vec<[usize; 2]> {
        let margin = self.world.config().margin;
        let close: Vec<[BodyId; 2]> = self.world.update().within(margin).map(|pair| [pair.a, pair.b]).collect();
        close.into_iter().map(|pair| pair.map(|id| self.number(id))).collect()
    }

    /// See [`refuse_deep`](crate::overlap::refuse_deep).
    pub fn refuse_deep(&mut self, scene: &Scene) -> Result<(), Error> {
        crate::overlap::refuse_deep(scene, &mut self.world, |id| self.numbers[id.slot() as usize])
    }

    pub fn number(&self, id: BodyId) -> usize {
        self.numbers[id.slot() as usize]
    }

    pub fn pair_of(&self, impact: &BodyImpact) -> [usize; 2] {
        impact.bodies.map(|id| self.number(id))
    }

    pub fn names_of(&self, pair: [usize; 2]) -> [String; 2] {
        pair.map(|number| self.names[number].clone())
    }

    /// The state of a body now.
    pub fn state(&self, number: usize) -> Posed {
        self.flights[number].at(self.now, &self.inertials[number])
    }

    /// The interval from now on for which the schedule is kept, if the caller wants to go to a time.
    pub fn interval(&mut self, until: f64) -> Result<Interval, Error> {
        if until > self.horizon {
            // A schedule is best kept for an interval that is much longer than the steps of its caller.
            self.horizon = until + 64.0 * (until - self.now);
        }
        Ok(Interval::new(self.now, self.horizon)?)
    }

    /// The first end of a flight.
    pub fn first_end(&self) -> f64 {
        self.ends.first().map_or(f64::INFINITY, |(time, _)| time.0)
    }

    /// Begins the next flights of bodies whose flights have ended.
    pub fn renew(&mut self) -> Result<(), Error> {
        while let Some(&(time, number)) = self.ends.first()
            && time.0 <= self.now
        {
            self.ends.remove(&(time, number));
            if self.flights[number].end == time.0 {
                let state = self.state(number);
                let is_dynamic = self.inertials[number].is_dynamic;
                let stopped = Posed { velocity: DVec3::ZERO, spin: DVec3::ZERO, ..state };
                self.change(number, if is_dynamic { state } else { stopped })?;
            }
        }
        Ok(())
    }

    /// A body begins another flight now.
    pub fn change(&mut self, number: usize, state: Posed) -> Result<(), Error> {
        let before = &self.flights[number];
        let last = self.now - before.start;
        self.ends.remove(&(OrderedTime(before.end), number));
        self.flights[number] =
            Flight::begin(state, &self.inertials[number], self.accelerations[number], self.now, last)?;
        self.launch(number);
        Ok(())
    }

    fn launch(&mut self, number: usize) {
        let flight = &self.flights[number];
        if flight.end < f64::INFINITY {
            self.ends.insert((OrderedTime(flight.end), number));
        }
        self.world.set_motion(self.ids[number], flight.motion.clone());
    }

    /// The poses of two bodies at a time.
    pub fn poses(&self, pair: [usize; 2], time: f64) -> [Pose; 2] {
        pair.map(|number| self.flights[number].motion.pose(time))
    }

    /// The clearance of two bodies at a time.
    pub fn clearance(&self, [a, b]: [usize; 2], time: f64) -> Clearance {
        let [pose_a, pose_b] = self.poses([a, b], time);
        distance(&self.shapes[a], pose_a, &self.shapes[b], pose_b)
    }

    /// The rate at which the gap of two bodies grows.
    pub fn separation_speed(&self, [a, b]: [usize; 2], time: f64, found: &Clearance) -> f64 {
        let [a, b] =
            [a, b].map(|number| self.flights[number].at(time, &self.inertials[number]).moving(&self.inertials[number]));
        found.normal.dot(b.velocity_at(found.point_b) - a.velocity_at(found.point_a))
    }
}
