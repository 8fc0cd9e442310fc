//! Worlds: bodies that move, their close pairs, and the changes from update to update.
//!
//! A [`World`] puts a [broad phase](crate::broad) in front of the engines. From frame to frame it keeps the boxes of bodies at rest, the pairs
//! whose boxes overlap, the warm start of each pair, and the answers about pairs of which neither body has moved.
//!
//! ```
//! use clearance::world::{Config, World};
//! use clearance::{Pose, Shape};
//!
//! let mut world = World::new(Config { margin: 0.5, ..Config::default() });
//! let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY);
//! let ball = world.insert(Shape::sphere(1.0)?, Pose::from_translation([0.0, 3.0, 0.0]));
//! for step in 0..=20 {
//!     world.set_pose(ball, Pose::from_translation([0.0, 3.0 - 0.125 * f64::from(step), 0.0]));
//!     let update = world.update();
//!     let height = 2.0 - 0.125 * f64::from(step);
//!     assert_eq!(update.within(0.5).count() == 1, height <= 0.5);
//!     assert_eq!(update.overlapping().count() == 1, height <= 0.0);
//!     assert_eq!(update.started() == [[floor, ball]], height == 0.0);
//! }
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! # Margins
//!
//! The margin of a world is one number. The broad phase respects it (boxes are grown by half of it), and so does the narrow phase (a pair
//! is dropped only when it is proved to be farther apart). No pair within the margin is missed.
//!
//! # Order and threads
//!
//! From a few hundred queries on the narrow phase runs on the threads of the current `rayon` pool (with the feature
//! `parallel`, which is on by default; without it, on the thread that asks). Every pair is answered by itself, from the poses and from the
//! state of this pair alone, so the results are the same bits for any number of threads. All lists are sorted by slot.
//!
//! # Scene queries
//!
//! [`World::nearest`], [`World::closest_pair`], [`World::within`], [`World::intersect_shape`], [`World::intersect_point`],
//! [`World::intersect_aabb`], [`World::cast_ray`] and [`World::cast_shape`] take `&self` and see bodies where they are now, with or without an update. A
//! [`QueryFilter`] restricts them to some bodies. Any number of threads may query one world:
//!
//! ```
//! use clearance::{Pose, QueryFilter, Shape, World};
//!
//! let mut world = World::default();
//! for i in 0..100 {
//!     world.insert(Shape::cuboid([0.4, 0.4, 0.4])?, Pose::from_translation([f64::from(i), 0.0, 0.0]));
//! }
//! world.refresh();                                            // a matter of speed only
//! let (world, probe) = (&world, &Shape::sphere(0.5)?);
//! let place = |i: u32| Pose::from_translation([f64::from(i) + 0.5, 0.0, 0.0]);
//! let found: usize = std::thread::scope(|scope| {
//!     let ask = |i: u32| world.intersect_shape(probe, place(i), QueryFilter::ALL).len();
//!     let threads = [0, 25, 50, 75].map(|first| scope.spawn(move || (first..first + 24).map(ask).sum::<usize>()));
//!     threads.into_iter().map(|thread| thread.join().expect("no query panics")).sum()
//! });
//! assert_eq!(found, 4 * 24 * 2);
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! A clone of a world is independent and has the same warm starts: a planner can try something out in it.
//!
//! # Motions
//!
//! A body with a [motion](World::set_motion) is where the motion has it at each time; a body without one rests at its pose. [`World::impacts`] lists all impacts of an
//! interval, [`World::next_impact`] is the step of an event-driven simulation and keeps its schedule (`schedule.rs`). [`World::set_time`] puts the bodies where they are
//! at one time, which updates and scene queries see. [`World::set_pose`] ends a motion.

// The first one: rustdoc lists methods by module in this order, and those of this file last.
mod basics;

mod all_pairs;
mod body;
mod casts;
mod filter;
mod gap;
mod heap;
mod impacts;
mod manifolds;
mod pairs;
mod queries;
mod rules;
mod schedule;
mod scheduled_pairs;
mod slabs;
mod update;

pub use body::{Body, BodyId, CollisionLayers};
pub use filter::{Predicate, QueryFilter};
pub use impacts::{BodyImpact, Impacts, ScheduleCost};
pub use manifolds::PairManifolds;
pub use rules::PairFilter;
pub use update::{PairEvent, ProximityPair, Update};

use crate::broad::{BroadKind, BroadPhase, SlotPair};
use crate::math::{Aabb, Pose, multiversioned};
use crate::motion::Motion;
use crate::pair::{Engine, ManifoldPoints};
use crate::parallel::{self, prelude::*};
use crate::shape::Shape;
use crate::tuning::world as tuning;
use body::Bodies;
use gap::ImpactGap;
use pairs::{Changed, Pairs, Progress};
use queries::CurrentBoxes;
use rules::Rules;
use schedule::Schedule;
use std::sync::{Arc, OnceLock};

/// How much is to be found out about each pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Detail {
    /// The clearance of all pairs within the margin.
    #[default]
    Clearance,
    /// Only whether they overlap, which is faster. The margin is of no use then: a pair enters it when it begins to overlap and leaves
    /// it when it ceases to.
    Intersection,
    /// As [`Detail::Intersection`], and for each pair that begins to overlap its clearance at the update before, where it was still apart
    /// ([`Update::started_from`]). This is the combined algorithm of Q-COLLIDE (paper \[QC\], section 5.5) for a world.
    Collision,
}

/// How a world works.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Config {
    /// The broad phase; the default is the fastest for most worlds.
    pub broad: BroadKind,
    /// The narrow phase.
    pub engine: Engine,
    /// How much is to be found out about each pair.
    pub detail: Detail,
    /// Pairs at most this far apart are reported. Zero, the default, reports overlaps and touches only; a negative number or
    /// NaN counts as zero.
    pub margin: f64,
}

/// Bodies with poses or motions, their close pairs from update to update, and scene queries. The [module](self) has examples.
#[doc(alias = "scene")]
#[doc(alias = "collision_world")]
#[derive(Debug, Clone)]
pub struct World {
    config: Config,
    bodies: Bodies,
    rules: Rules,
    broad: Box<dyn BroadPhase>,
    pairs: Pairs,
    /// By slot.
    changed: Vec<Changed>,
    /// The slots that have changed since the last update.
    moved: Vec<u32>,
    /// Slots whose new boxes the broad phase does not have yet.
    pending_bounds: Vec<u32>,
    /// The boxes of these bodies, if there are many and a query needed them.
    pending_tree: OnceLock<CurrentBoxes>,
    /// Buffer for their boxes.
    bounds: Vec<Aabb>,
    rules_changed: bool,
    /// By slot, with [`Detail::Collision`] only: the poses of the last update. `None` if the body is new or has another shape.
    last_poses: Vec<Option<Pose>>,
    /// How many queries the last update put to the narrow phase.
    queries: usize,
    /// By slot, as far as any was given: beside the bodies, since most worlds have none.
    motions: Vec<Option<Motion>>,
    time: f64,
    /// Of [`World::set_impact_gap`].
    impact_gap: ImpactGap,
    /// Of [`World::next_impact`], from its first call on.
    schedule: Option<Box<Schedule>>,
    manifold_points: ManifoldPoints,
}

impl Default for World {
    fn default() -> Self {
        Self::new(Config::default())
    }
}

impl World {
    /// A world without bodies and with a broad phase of your own, which is empty; `config.broad` is not used.
    ///
    /// ```
    /// use clearance::broad::Tree;
    /// use clearance::world::{Config, World};
    /// use clearance::{Pose, Shape};
    ///
    /// let mut world = World::with_broad_phase(Config::default(), Box::new(Tree::default()));
    /// for x in [0.0, 1.5] {
    ///     world.insert(Shape::sphere(1.0)?, Pose::from_translation([x, 0.0, 0.0]));
    /// }
    /// assert_eq!(world.update().overlapping().count(), 1);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn with_broad_phase(config: Config, broad: Box<dyn BroadPhase>) -> Self {
        Self {
            config: Config { margin: config.margin.max(0.0), ..config },
            bodies: Bodies::default(),
            rules: Rules::default(),
            broad,
            pairs: Pairs::default(),
            changed: Vec::new(),
            moved: Vec::new(),
            pending_bounds: Vec::new(),
            pending_tree: OnceLock::new(),
            bounds: Vec::new(),
            rules_changed: false,
            last_poses: Vec::new(),
            queries: 0,
            motions: Vec::new(),
            time: 0.0,
            impact_gap: ImpactGap::default(),
            schedule: None,
            manifold_points: ManifoldPoints::default(),
        }
    }

    /// How this world works.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Puts a body into the world, fixed or of a group as it says.
    pub fn insert_body(&mut self, body: Body) -> BodyId {
        let id = self.bodies.insert(body);
        let index = id.slot() as usize;
        if index >= self.changed.len() {
            self.changed.resize(index + 1, Changed::default());
        }
        self.mark(id.slot(), true);
        self.reschedule(id.slot());
        id
    }

    /// Takes a body out of the world. `None` if there is no such body any more.
    pub fn remove(&mut self, id: BodyId) -> Option<Body> {
        let body = self.bodies.remove(id)?;
        if let Some(motion) = self.motions.get_mut(id.slot() as usize) {
            *motion = None;
        }
        self.broad.remove(id.slot());
        if let Some(CurrentBoxes { tree, .. }) = self.pending_tree.get_mut() {
            tree.remove(id.slot());
        }
        self.rules.remove_body(id);
        self.reschedule(id.slot());
        Some(body)
    }

    /// The body of that handle, if it is still there.
    #[must_use]
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(id)
    }

    /// All bodies, in the order of their slots.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.bodies.iter()
    }

    /// How many bodies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Is there no body?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts a body at a pose, where it rests: its [motion](World::set_motion) ends. `false` if the handle is stale. The same
    /// pose again costs nothing.
    ///
    /// ```
    /// use clearance::motion::Motion;
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = world.insert(Shape::sphere(1.0)?, Pose::IDENTITY);
    /// world.set_motion(ball, Motion::linear(Pose::IDENTITY, [2.0, 0.0, 0.0], [0.0; 3])?);
    /// world.set_pose(ball, Pose::from_translation([0.0, 5.0, 0.0]));
    /// world.set_time(3.0);
    /// assert_eq!(world.body(ball).map(|body| body.pose), Some(Pose::from_translation([0.0, 5.0, 0.0])));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> bool {
        let Some(body) = self.bodies.get(id) else { return false };
        let motion = self.motions.get_mut(id.slot() as usize).and_then(Option::take);
        if motion.is_some() || body.pose != pose {
            self.reschedule(id.slot());
        }
        self.place(id, pose)
    }

    /// Puts a body at a pose, and leaves its motion alone.
    fn place(&mut self, id: BodyId, pose: Pose) -> bool {
        let Some(body) = self.bodies.get_mut(id) else { return false };
        if body.pose != pose {
            body.pose = pose;
            self.mark(id.slot(), false);
        }
        true
    }

    /// Gives a body a motion, and puts it where that has it at the [time](World::time) of the world; `false` if it is not there any
    /// more.
    ///
    /// A body with a motion is where the motion has it: [`World::impacts`] and [`World::next_impact`] read the motion at the times of their
    /// interval. [`World::update`] and scene queries see the pose at the time of the last [`World::set_time`]. A body without a motion
    /// rests at its pose. [`World::set_pose`] and [`World::clear_motion`] end a motion.
    ///
    /// ```
    /// use clearance::motion::Motion;
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = world.insert(Shape::sphere(1.0)?, Pose::IDENTITY);
    /// world.set_motion(ball, Motion::linear(Pose::IDENTITY, [2.0, 0.0, 0.0], [0.0; 3])?);
    /// world.set_time(3.0);
    /// assert_eq!(world.body(ball).map(|body| body.pose), Some(Pose::from_translation([6.0, 0.0, 0.0])));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn set_motion(&mut self, id: BodyId, motion: Motion) -> bool {
        if !self.place(id, motion.pose(self.time)) {
            return false;
        }
        let index = id.slot() as usize;
        if index >= self.motions.len() {
            self.motions.resize(index + 1, None);
        }
        self.motions[index] = Some(motion);
        self.reschedule(id.slot());
        true
    }

    /// Takes the motion of a body away, which then rests where it is at the [time](World::time) of the world: the motion, if there was one.
    pub fn clear_motion(&mut self, id: BodyId) -> Option<Motion> {
        self.bodies.get(id)?;
        let motion = self.motions.get_mut(id.slot() as usize)?.take()?;
        self.reschedule(id.slot());
        Some(motion)
    }

    /// The motion of a body, if it has one.
    #[must_use]
    pub fn motion(&self, id: BodyId) -> Option<&Motion> {
        self.bodies.get(id)?;
        self.motion_in(id.slot())
    }

    fn motion_in(&self, slot: u32) -> Option<&Motion> {
        self.motions.get(slot as usize)?.as_ref()
    }

    /// The time of the last [`World::set_time`]; zero before the first.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Puts every body that has a motion where it is at a time. A time that is NaN or beyond all bounds changes nothing.
    pub fn set_time(&mut self, time: f64) {
        if !(time.abs() <= crate::error::MAX_COORDINATE) {
            return;
        }
        self.time = time;
        for slot in 0..self.motions.len() as u32 {
            if let (Some(motion), Some((id, _))) = (self.motion_in(slot), self.bodies.at(slot)) {
                let pose = motion.pose(time);
                self.place(id, pose);
            }
        }
    }

    /// Gives a body another shape; `false` if the handle is stale.
    pub fn set_shape(&mut self, id: BodyId, shape: Shape) -> bool {
        let Some(body) = self.bodies.get_mut(id) else { return false };
        body.shape = shape;
        self.mark(id.slot(), true);
        self.reschedule(id.slot());
        true
    }

    /// Puts a body into a group, or into none; `false` if the handle is stale.
    pub fn set_group(&mut self, id: BodyId, group: Option<u32>) -> bool {
        let Some(body) = self.bodies.get_mut(id) else { return false };
        self.rules_changed |= body.group != group;
        body.group = group;
        self.reschedule(id.slot());
        true
    }

    /// Changes the layers of a body; `false` if the handle is stale.
    ///
    /// ```
    /// use clearance::world::CollisionLayers;
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::default();
    /// let [a, b] = [Pose::IDENTITY; 2].map(|pose| world.insert(Shape::point(), pose));
    /// assert_eq!(world.update().started(), [[a, b]]);
    /// world.set_layers(b, CollisionLayers { mask: 0, ..CollisionLayers::ALL });
    /// assert_eq!(world.update().ended(), [[a, b]]);
    /// ```
    pub fn set_layers(&mut self, id: BodyId, layers: CollisionLayers) -> bool {
        let Some(body) = self.bodies.get_mut(id) else { return false };
        self.rules_changed |= body.layers != layers;
        body.layers = layers;
        self.reschedule(id.slot());
        true
    }

    /// Changes the user data of a body ([`Body::user_data`]); `false` if the handle is stale. A [filter](World::set_filter) that reads it has to be set
    /// again.
    pub fn set_user_data(&mut self, id: BodyId, user_data: u64) -> bool {
        let Some(body) = self.bodies.get_mut(id) else { return false };
        body.user_data = user_data;
        true
    }

    /// Fixes a body, or releases it; `false` if the handle is stale. A fixed body may be moved by [`World::set_pose`]; it is only not checked against
    /// other fixed bodies.
    pub fn set_fixed(&mut self, id: BodyId, is_fixed: bool) -> bool {
        let Some(body) = self.bodies.get_mut(id) else { return false };
        self.rules_changed |= body.is_fixed != is_fixed;
        body.is_fixed = is_fixed;
        self.reschedule(id.slot());
        true
    }

    /// From now on two bodies are not checked against each other, or are again. Handles of bodies that are not there are ignored.
    pub fn set_ignored(&mut self, a: BodyId, b: BodyId, is_ignored: bool) {
        if self.bodies.get(a).is_some() && self.bodies.get(b).is_some() {
            self.rules_changed |= self.rules.ignore(a, b, is_ignored);
            self.reschedule(a.slot());
        }
    }

    /// Restricts the pairs that are checked to those that the filter accepts, in addition to all other rules. It is called when boxes begin to overlap; set it
    /// again when it would now answer otherwise.
    pub fn set_filter(&mut self, filter: impl Fn((BodyId, &Body), (BodyId, &Body)) -> bool + Send + Sync + 'static) {
        self.rules.set_filter(Some(Arc::new(filter)));
        self.schedule = None;
        self.rules_changed = true;
    }

    /// No filter any more.
    pub fn clear_filter(&mut self) {
        self.rules.set_filter(None);
        self.schedule = None;
        self.rules_changed = true;
    }

    /// Another margin. All boxes change, so that the next update checks every body.
    pub fn set_margin(&mut self, margin: f64) {
        self.config.margin = margin.max(0.0);
        let slots: Vec<u32> = self.bodies.iter().map(|(id, _)| id.slot()).collect();
        for slot in slots {
            self.mark(slot, false);
        }
    }

    fn mark(&mut self, slot: u32, is_reshaped: bool) {
        let changed = &mut self.changed[slot as usize];
        changed.is_reshaped |= is_reshaped;
        if is_reshaped {
            self.impact_gap.forget(slot);
        }
        if !std::mem::replace(&mut changed.is_moved, true) {
            self.moved.push(slot);
        }
        if !std::mem::replace(&mut changed.has_pending_bounds, true) {
            self.pending_bounds.push(slot);
        }
        if let Some(CurrentBoxes { tree, .. }) = self.pending_tree.get_mut()
            && let Some(body) = self.bodies.body(slot)
        {
            tree.set(slot, &body.bounds(self.config.margin));
            tree.settle(tuning::MANY_PENDING);
        }
    }

    /// Tells the broad phase where the bodies are, so that scene queries are fast; an [update](World::update) does the same.
    ///
    /// Queries are right without it: they test a few changed bodies one by one, and the first query sorts many of them into a tree.
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Shape, World};
    ///
    /// let mut world = World::default();
    /// let balls = (0..1000).map(|i| Pose::from_translation([f64::from(i), 0.0, 0.0]));
    /// for pose in balls {
    ///     world.insert(Shape::point(), pose);
    /// }
    /// world.refresh();
    /// assert_eq!(world.intersect_point([500.0, 0.0, 0.0], QueryFilter::ALL).len(), 1);
    /// ```
    pub fn refresh(&mut self) {
        self.flush();
        self.broad.refresh();
    }

    /// Tells the broad phase where the bodies are.
    fn flush(&mut self) {
        let Self { bodies, broad, pending_bounds, bounds, config, changed, .. } = self;
        let around = |slots: &[u32], bounds: &mut [Aabb]| {
            multiversioned(
                #[inline(always)]
                || {
                    for (&slot, bounds) in slots.iter().zip(bounds) {
                        if let Some(body) = bodies.body(slot) {
                            body.put_bounds(config.margin, bounds);
                        }
                    }
                },
            );
        };
        let mut tell = |slots: &[u32], bounds: &[Aabb]| {
            for (&slot, bounds) in slots.iter().zip(bounds) {
                changed[slot as usize].has_pending_bounds = false;
                // The body may have been removed.
                if bodies.body(slot).is_some() {
                    broad.set(slot, bounds);
                }
            }
        };
        if pending_bounds.len() < tuning::MANY_BOXES || parallel::current_num_threads() == 1 {
            // Some at a time, not one: a store-to-load forwarding stall for each would take longer.
            bounds.resize(tuning::BOXES_PER_TASK, Aabb::EMPTY);
            for slots in pending_bounds.chunks(tuning::BOXES_PER_TASK) {
                around(slots, bounds);
                tell(slots, bounds);
            }
        } else {
            bounds.resize(pending_bounds.len(), Aabb::EMPTY);
            let batches =
                pending_bounds.par_chunks(tuning::BOXES_PER_TASK).zip(bounds.par_chunks_mut(tuning::BOXES_PER_TASK));
            batches.for_each(|(slots, bounds)| around(slots, bounds));
            tell(pending_bounds, bounds);
        }
        pending_bounds.clear();
        self.pending_tree.take();
    }

    /// [`World::update`] when it takes long: `progress` is called with the number of pairs answered so far and of all,
    /// from any thread and in any order.
    pub fn update_with_progress(&mut self, progress: &(dyn Fn(usize, usize) + Sync)) -> Update<'_> {
        self.run(Some(progress))
    }

    fn run(&mut self, progress: Option<Progress<'_>>) -> Update<'_> {
        self.flush();
        self.pairs.begin();
        let Self { bodies, rules, broad, pairs, .. } = self;
        let name = |pair: SlotPair| {
            let (a, b) = (bodies.at(pair.low())?, bodies.at(pair.high())?);
            rules.allow(a, b).then_some([a.0, b.0])
        };
        let changes = broad.update();
        pairs.change(changes.added, changes.removed, name);
        if std::mem::take(&mut self.rules_changed) {
            pairs.replace(broad.pairs(), name);
        }
        self.queries = self.pairs.answer(&self.bodies, &self.changed, &self.config, progress);
        self.pairs.end();
        if self.config.detail == Detail::Collision {
            self.look_back();
        }
        for slot in self.moved.drain(..) {
            self.changed[slot as usize] = Changed::default();
        }
        Update { world: self }
    }

    /// The clearances of the update before of pairs that began to overlap, and the poses for the next update.
    fn look_back(&mut self) {
        let Self { bodies, changed, pairs, last_poses, config, moved, .. } = self;
        let last_pose = |id: BodyId| {
            let slot = id.slot() as usize;
            if changed[slot].is_reshaped { None } else { last_poses.get(slot).copied().flatten() }
        };
        pairs.look_back(bodies, config, last_pose);
        last_poses.resize(changed.len(), None);
        for &slot in moved.iter() {
            last_poses[slot as usize] = bodies.body(slot).map(|body| body.pose);
        }
    }

    /// The result of the last update again. [`World::update`] borrows the world mutably; this is a shared borrow.
    ///
    /// ```
    /// use clearance::world::{Body, World};
    /// use clearance::{Pose, Shape};
    ///
    /// let mut world = World::default();
    /// for number in 0..3 {
    ///     world.insert_body(Body::new(Shape::sphere(1.0)?, Pose::IDENTITY).user_data(number));
    /// }
    /// world.update();
    /// for [a, b] in world.last_update().started() {
    ///     assert!(world.body(*a).unwrap().user_data < world.body(*b).unwrap().user_data);
    /// }
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn last_update(&self) -> Update<'_> {
        Update { world: self }
    }
}
