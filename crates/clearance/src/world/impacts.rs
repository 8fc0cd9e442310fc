//! Impacts of a world: all of an interval, or the first one.

use super::body::Bodies;
use super::gap::ImpactGap;
use super::rules::Rules;
use super::schedule::{MovingScene, Schedule, time_of};
use super::{BodyId, World};
use crate::motion::{Impact, Interval, Motion};

/// Two bodies of a world that meet, or that may meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyImpact {
    /// The two bodies, A and B of the impact; the one of the smaller slot is A.
    pub bodies: [BodyId; 2],
    /// [`Impact::Hit`], or [`Impact::Undecided`] where the search has used up its steps.
    pub impact: Impact,
}

impl BodyImpact {
    /// The bodies are proved apart before this time: that of the hit, or the one from which on nothing is known.
    #[must_use]
    pub fn time(&self) -> f64 {
        time_of(&self.impact).unwrap_or(f64::INFINITY)
    }
}

/// The work of a schedule so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScheduleCost {
    /// Distance queries; a search that is answered by a closed form counts as one.
    pub checks: u64,
    /// Searches of a pair over an interval of time.
    pub searches: u64,
    /// Boxes around what a body sweeps.
    pub boxes: u64,
}

impl World {
    /// The impacts of bodies that move ([`World::set_motion`]) within an interval, in the order of time; of equal times, in the
    /// order of slots.
    ///
    /// Each pair is reported once: at its first contact, or as [undecided](Impact::Undecided) from the time on at which its search has used up
    /// its steps. Pairs that are in contact at the start are not reported. Bodies without a motion rest at their pose. The rules of an
    /// [update](World::update) say which pairs are checked; the margin of the world does not matter. Each answer is that of
    /// [`time_of_impact`](crate::time_of_impact), bit for bit.
    ///
    /// The iterator has its own copy of the bodies: later edits of the world do not change it. For a simulation, in which motions change at each impact,
    /// [`World::next_impact`] is much faster.
    ///
    /// ```
    /// use clearance::{Interval, Motion, Pose, Shape, World};
    ///
    /// // Newton's cradle: the middle one is met first.
    /// let mut world = World::default();
    /// let ball = Shape::sphere(0.5)?;
    /// let [a, b, c] = [0.0, 3.0, 9.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// world.set_motion(a, Motion::linear(Pose::IDENTITY, [1.0, 0.0, 0.0], [0.0; 3])?);
    /// let impacts: Vec<_> = world.impacts(Interval::new(0.0, 10.0)?).collect();
    /// assert_eq!(impacts.iter().map(|impact| impact.bodies).collect::<Vec<_>>(), [[a, b], [a, c]]);
    /// assert!((impacts[0].time() - 2.0).abs() < 1e-12 && (impacts[1].time() - 8.0).abs() < 1e-12);
    /// assert!(impacts.iter().all(|impact| impact.impact.hit().is_some_and(|hit| hit.is_proved())));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn impacts(&self, interval: Interval) -> Impacts {
        Impacts {
            interval: interval.ends(),
            bodies: self.bodies.clone(),
            motions: self.motions.clone(),
            rules: self.rules.clone(),
            gap: {
                let mut gap = self.impact_gap.clone();
                gap.prepare(&self.bodies);
                gap
            },
            schedule: Schedule::default(),
        }
    }

    /// The first impact of an interval: the first one of [`World::impacts`], the same bits.
    ///
    /// The world keeps its schedule. A change of a body ([`World::set_motion`], [`World::set_pose`], [`World::insert`], [`World::remove`], ...)
    /// concerns only the pairs of that body. So in a simulation an impact costs about twice as much among 1,000 bodies as among 8, which
    /// have half as many neighbours (`cargo bench-impacts --match world`). That holds while intervals begin no earlier than the impact or the end of the interval before; else all pairs are searched again.
    ///
    /// The clock of the world ([`World::time`]) does not matter here, and is left alone: bodies with a motion are where that has them. Call
    /// [`World::set_time`] when an update or a scene query is to see them there, which takes time for each of them.
    ///
    /// ```
    /// use clearance::{Interval, Motion, Pose, Shape, World};
    ///
    /// let mut world = World::default();
    /// let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY);
    /// let ball = world.insert(Shape::sphere(0.5)?, Pose::IDENTITY);
    /// let (mut pose, mut speed) = (Pose::from_translation([0.0, 5.5, 0.0]), 0.0);
    /// let (mut now, mut bounces) = (0.0, 0);
    /// // A ball that bounces, and loses half of its speed each time.
    /// while bounces < 5 {
    ///     world.set_motion(ball, Motion::ballistic(pose, [0.0, speed, 0.0], [0.0; 3], [0.0, -10.0, 0.0])?.from_time(now)?);
    ///     let Some(impact) = world.next_impact(Interval::new(now, now + 100.0)?) else { break };
    ///     speed = 0.5 * (10.0 * (impact.time() - now) - speed);
    ///     now = impact.time();
    ///     pose = Pose::from_translation([0.0, 0.5 + 1e-9, 0.0]);
    ///     bounces += 1;
    /// }
    /// assert_eq!(bounces, 5);
    /// // One second down, then twice half a second, a quarter, ... each: 2.75 in all.
    /// assert!((now - 2.875).abs() < 1e-6, "{now}");
    /// # let _ = floor;
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn next_impact(&mut self, interval: Interval) -> Option<BodyImpact> {
        let interval = interval.ends();
        let Self { bodies, motions, rules, impact_gap, schedule, .. } = self;
        impact_gap.prepare(bodies);
        let scene = MovingScene { bodies, motions, rules, gap: impact_gap };
        let found = schedule.get_or_insert_default().first(scene, interval);
        found.and_then(|(pair, impact)| scene.named(pair, impact))
    }

    /// The first impact of an interval, and all others of it that are at most `window` later, in their order: the impacts that a simulation
    /// treats as simultaneous. The first one is that of [`World::next_impact`]. A window that is negative or NaN counts as zero.
    ///
    /// ```
    /// use clearance::{Interval, Motion, Pose, Shape, World};
    ///
    /// // A ball between two others, which arrive together.
    /// let mut world = World::default();
    /// let ball = Shape::sphere(0.5)?;
    /// let [left, middle, right] = [-3.0, 0.0, 3.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// world.set_motion(left, Motion::linear(Pose::from_translation([-3.0, 0.0, 0.0]), [1.0, 0.0, 0.0], [0.0; 3])?);
    /// world.set_motion(right, Motion::linear(Pose::from_translation([3.0, 0.0, 0.0]), [-1.0, 0.0, 0.0], [0.0; 3])?);
    /// let together = world.next_impacts(Interval::new(0.0, 10.0)?, 1e-9);
    /// assert_eq!(together.iter().map(|impact| impact.bodies).collect::<Vec<_>>(), [[left, middle], [middle, right]]);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn next_impacts(&mut self, interval: Interval, window: f64) -> Vec<BodyImpact> {
        let interval = interval.ends();
        let Self { bodies, motions, rules, impact_gap, schedule, .. } = self;
        impact_gap.prepare(bodies);
        let scene = MovingScene { bodies, motions, rules, gap: impact_gap };
        let found = schedule.get_or_insert_default().first_within(scene, interval, window.max(0.0));
        found.into_iter().filter_map(|(pair, impact)| scene.named(pair, impact)).collect()
    }

    /// The gap at which [`World::impacts`] and [`World::next_impact`] report a pair, instead of at contact: the collision epsilon of a simulator. Zero, the
    /// default, is contact; a negative number or NaN counts as zero.
    ///
    /// Before the time of an impact the bodies are then proved to be farther apart than the gap, and [`Hit::point_a`](crate::motion::Hit::point_a) and `point_b` are
    /// on their surfaces. Pairs that are closer than the gap at the start are not reported, as those in contact are not. A body whose
    /// shape cannot be [grown](crate::Shape::grown) is [undecided](Impact::Undecided) with every other one.
    ///
    /// ```
    /// use clearance::{Interval, Motion, Pose, Shape, World};
    ///
    /// let mut world = World::default();
    /// world.set_impact_gap(0.1);
    /// let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY);
    /// let ball = world.insert(Shape::sphere(0.5)?, Pose::IDENTITY);
    /// world.set_motion(ball, Motion::linear(Pose::from_translation([0.0, 3.0, 0.0]), [0.0, -1.0, 0.0], [0.0; 3])?);
    /// let impact = world.next_impact(Interval::new(0.0, 9.0)?).expect("it falls");
    /// assert!(impact.bodies == [floor, ball] && (impact.time() - 2.4).abs() < 1e-12);
    /// assert!((impact.impact.hit().expect("a hit").point_b.y - 0.1).abs() < 1e-12);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn set_impact_gap(&mut self, gap: f64) {
        let slots: Vec<u32> = self.bodies.iter().map(|(id, _)| id.slot()).collect();
        self.impact_gap.set(gap, slots.into_iter());
        self.schedule = None;
    }

    /// See [`World::set_impact_gap`].
    #[must_use]
    pub fn impact_gap(&self) -> f64 {
        self.impact_gap.gap()
    }

    /// The work of the schedule that [`World::next_impact`] keeps.
    #[must_use]
    pub fn schedule_cost(&self) -> ScheduleCost {
        self.schedule.as_ref().map_or_else(ScheduleCost::default, |schedule| schedule.cost)
    }

    /// The kept schedule forgets the pairs of a body.
    pub(super) fn reschedule(&mut self, slot: u32) {
        if let Some(schedule) = &mut self.schedule {
            schedule.edit(slot);
        }
    }
}

/// The impacts of a world in the order of time: see [`World::impacts`].
#[derive(Debug, Clone)]
pub struct Impacts {
    interval: [f64; 2],
    bodies: Bodies,
    motions: Vec<Option<Motion>>,
    rules: Rules,
    gap: ImpactGap,
    schedule: Schedule,
}

impl Impacts {
    /// The work so far.
    #[must_use]
    pub fn cost(&self) -> ScheduleCost {
        self.schedule.cost
    }
}

impl Iterator for Impacts {
    type Item = BodyImpact;

    fn next(&mut self) -> Option<BodyImpact> {
        let Self { interval, bodies, motions, rules, gap, schedule } = self;
        let scene = MovingScene { bodies, motions, rules, gap };
        let (pair, impact) = schedule.first(scene, *interval)?;
        schedule.report(pair);
        scene.named(pair, impact)
    }
}
