//! All close pairs of a world, once, without keeping any of them.

use super::{Body, BodyId, World};
use crate::broad::{BroadPhase, Tree};
use crate::motion::{Impact, Interval, Motion, Moving};
use crate::pair::{Clearance, PosedPair, within_once};
use crate::parallel::prelude::*;
use crate::tuning::world as tuning;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

impl World {
    /// Calls `found` with every pair that overlaps or is within the margin of the world, with its clearance, in the order of the slots.
    ///
    /// The answers are those of [`World::update`] on a world that was just filled. But the world keeps nothing about a pair, so that the
    /// memory does not grow with their number: 3,000 bodies in one place are 4 million pairs. The broad phase is a tree that is built for
    /// the call, and [`Config::detail`](super::Config::detail) does not matter. `progress` is called with the number of pairs answered so
    /// far and of all whose boxes overlap, from any thread and in any order.
    ///
    /// ```
    /// use clearance::world::World;
    /// use clearance::{Pose, Shape};
    ///
    /// let mut world = World::default();
    /// for i in 0..10 {
    ///     world.insert(Shape::sphere(0.6)?, Pose::from_translation([f64::from(i), 0.0, 0.0]));
    /// }
    /// let mut count = 0;
    /// world.all_pairs_within(&|_, _| {}, |[a, b], clearance| {
    ///     assert!(b.slot() == a.slot() + 1 && (clearance.distance + 0.2).abs() < 1e-12);
    ///     count += 1;
    /// });
    /// assert_eq!(count, 9);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn all_pairs_within(
        &self,
        progress: &(dyn Fn(usize, usize) + Sync),
        mut found: impl FnMut([BodyId; 2], &Clearance),
    ) {
        let tree = self.tree(self.bodies.iter().map(|(id, _)| id.slot()));
        self.each_answer(&tree, progress, |pair| self.clearance_within(pair), |pair, clearance| found(pair, clearance));
    }

    /// Hands out every pair that touches, meets, or may come within the margin of the world at any time of an interval, in the order of the
    /// slots. Each has the clearance at its start, and the result over the interval ([`closest_approach`](crate::closest_approach)).
    ///
    /// Bodies without a motion ([`World::set_motion`]) rest at their pose. [`World::impacts`] has the meetings alone, in the order of time.
    /// `progress` is as in [`World::all_pairs_within`].
    ///
    /// ```
    /// use clearance::{Impact, Interval, Motion, Pose, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = Shape::sphere(0.5)?;
    /// let [a, b, _] = [0.0, 3.0, -9.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// world.set_motion(a, Motion::linear(Pose::IDENTITY, [1.0, 0.0, 0.0], [0.0; 3])?);
    /// world.all_approaches_within(Interval::new(0.0, 10.0)?, &|_, _| {}, |pair, start, impact| {
    ///     assert!(pair == [a, b] && (start.distance - 2.0).abs() < 1e-12);
    ///     assert!(matches!(impact, Impact::Hit(hit) if (hit.lower - 2.0).abs() < 1e-12));
    /// });
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn all_approaches_within(
        &self,
        interval: Interval,
        progress: &(dyn Fn(usize, usize) + Sync),
        mut found: impl FnMut([BodyId; 2], &Clearance, &Impact),
    ) {
        let interval = interval.ends();
        let margin = self.config.margin.max(0.0);
        let mut tree = Tree::default();
        for (id, body) in self.bodies.iter() {
            let swept = self.motion_of(id, body).swept(&body.shape, interval);
            tree.set(id.slot(), &swept.grown((0.5 * margin).next_up()));
        }
        tree.settle(0);
        let answer = |pair| self.impact_within(pair, interval, margin);
        self.each_answer(&tree, progress, answer, |pair, (start, impact)| found(pair, start, impact));
    }

    /// Answers every pair whose boxes overlap, and calls `found` with those that have an answer.
    fn each_answer<T: Send>(
        &self,
        tree: &Tree,
        progress: &(dyn Fn(usize, usize) + Sync),
        answer: impl Fn([BodyId; 2]) -> Option<T> + Sync,
        mut found: impl FnMut([BodyId; 2], &T),
    ) {
        let mut total = 0;
        self.each_close_pair(tree, |_| total += 1);
        let done = AtomicUsize::new(0);
        let mut hand_out = |batch: &mut Vec<[BodyId; 2]>| {
            let answer = |&pair: &[BodyId; 2]| {
                let answer = answer(pair);
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                answer
            };
            let answers: Vec<Option<T>> = if batch.len() < tuning::MANY_QUERIES {
                batch.iter().map(answer).collect()
            } else {
                batch.par_iter().map(answer).collect()
            };
            for (pair, answer) in batch.drain(..).zip(&answers) {
                if let Some(answer) = answer {
                    found(pair, answer);
                }
            }
        };
        let mut batch = Vec::with_capacity(total.min(tuning::SURVEY_PAIRS));
        self.each_close_pair(tree, |pair| {
            batch.push(pair);
            if batch.len() == tuning::SURVEY_PAIRS {
                hand_out(&mut batch);
            }
        });
        hand_out(&mut batch);
    }

    /// Every pair whose boxes overlap and which no rule excludes, the smaller slot first, in the order of the slots.
    fn each_close_pair(&self, tree: &Tree, mut visit: impl FnMut([BodyId; 2])) {
        let mut slots = Vec::new();
        for (id, body) in self.bodies.iter() {
            let bounds = *tree.bounds(id.slot());
            tree.overlapping(&bounds, &mut slots);
            for &slot in slots.iter().filter(|&&slot| slot > id.slot()) {
                if let Some(other) = self.bodies.at(slot)
                    && self.rules.allow((id, body), other)
                {
                    visit([id, other.0]);
                }
            }
        }
    }

    fn clearance_within(&self, [a, b]: [BodyId; 2]) -> Option<Clearance> {
        let (a, b) = (self.bodies.get(a)?, self.bodies.get(b)?);
        let pair = PosedPair { a: &a.shape, pose_a: &a.pose, b: &b.shape, pose_b: &b.pose };
        within_once(pair, self.config.margin, self.config.engine)
    }

    /// How a body moves; one without a motion rests.
    fn motion_of(&self, id: BodyId, body: &Body) -> Cow<'_, Motion> {
        self.motion_in(id.slot()).map_or_else(|| Cow::Owned(Motion::fixed(body.pose)), Cow::Borrowed)
    }

    fn impact_within(&self, ids: [BodyId; 2], interval: [f64; 2], margin: f64) -> Option<(Clearance, Impact)> {
        let (a, b) = (self.bodies.get(ids[0])?, self.bodies.get(ids[1])?);
        let (motion_a, motion_b) = (&*self.motion_of(ids[0], a), &*self.motion_of(ids[1], b));
        let moving = Moving { a: &a.shape, motion_a, b: &b.shape, motion_b };
        let impact = moving.closest(interval, margin);
        let start = match &impact {
            Impact::Touching(found) => *found,
            Impact::Clear(approach) if approach.lower > margin => return None,
            _ => moving.clearance_at(interval[0]),
        };
        Some((start, impact))
    }
}
