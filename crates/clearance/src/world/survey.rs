//! All close pairs of a world, once, without keeping any of them.

use super::pairs::MANY;
use super::{BodyId, World};
use crate::broad::{BroadPhase, Tree};
use crate::pair::{Clearance, PosedPair, within_once};
use crate::parallel::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many pairs are answered before they are handed out: enough for all threads, and few beside what a world holds.
const BATCH: usize = 1 << 13;

impl World {
    /// Hands out every pair that overlaps or is within the margin of the world, with its clearance, in the order of the slots.
    ///
    /// The answers are those of [`World::update`] on a world that was just filled, but nothing is remembered about a pair, so
    /// the memory this takes does not grow with their number: three thousand bodies in one place are four million pairs.
    /// The broad phase is a tree that is built for it, and [`Config::detail`](super::Config::detail) is of no matter. `report` is called with the number of pairs answered so
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
    /// world.survey(&|_, _| {}, |[a, b], clearance| {
    ///     assert!(b.slot() == a.slot() + 1 && (clearance.distance + 0.2).abs() < 1e-12);
    ///     count += 1;
    /// });
    /// assert_eq!(count, 9);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn survey(&self, report: &(dyn Fn(usize, usize) + Sync), mut found: impl FnMut([BodyId; 2], &Clearance)) {
        let tree = self.tree(self.bodies.iter().map(|(id, _)| id.slot()));
        let mut total = 0;
        self.each_close_pair(&tree, |_| total += 1);
        let done = AtomicUsize::new(0);
        let mut hand_out = |batch: &mut Vec<[BodyId; 2]>| {
            let answer = |&pair: &[BodyId; 2]| {
                let clearance = self.clearance_within(pair);
                report(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                clearance
            };
            let answers: Vec<Option<Clearance>> = if batch.len() < MANY {
                batch.iter().map(answer).collect()
            } else {
                batch.par_iter().map(answer).collect()
            };
            for (pair, clearance) in batch.drain(..).zip(&answers) {
                if let Some(clearance) = clearance {
                    found(pair, clearance);
                }
            }
        };
        let mut batch = Vec::with_capacity(total.min(BATCH));
        self.each_close_pair(&tree, |pair| {
            batch.push(pair);
            if batch.len() == BATCH {
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
}
