//! The contact manifolds of all pairs within the margin of a world.

use super::pairs::PairIndex;
use super::{BodyId, World};
use crate::pair::{Manifold, ManifoldPoints};

/// Two bodies that touch or are close, with their contact manifolds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairManifolds<'a> {
    /// The body with the smaller slot: A of the manifolds.
    pub a: BodyId,
    /// The other one.
    pub b: BodyId,
    /// At least one: one for two convex shapes, and for compounds and meshes one for each pair of parts that touch.
    pub manifolds: &'a [Manifold],
}

impl World {
    /// The [contact manifolds](Manifold) of all pairs within the margin, in the order of the pairs' slots. Bodies that have changed since the last
    /// [update](World::update) are updated first.
    ///
    /// A call is a frame: a point is `persisted` if the call before had one of the same features. Pairs of which neither body has moved since then cost nothing. Many pairs are shared
    /// among threads, and the points are the same bits for any number of them.
    ///
    /// ```
    /// use clearance::world::Config;
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::new(Config { margin: 0.01, ..Config::default() });
    /// let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY);
    /// let crate_ = Shape::cuboid([0.5, 0.5, 0.5])?;
    /// let stack = [0.5, 1.5, 2.5].map(|y| world.insert(crate_.clone(), Pose::from_translation([0.0, y, 0.0])));
    /// let touching: Vec<_> = world.manifolds().map(|pair| [pair.a, pair.b]).collect();
    /// assert_eq!(touching, [[floor, stack[0]], [stack[0], stack[1]], [stack[1], stack[2]]]);
    /// assert!(world.manifolds().all(|pair| pair.manifolds[0].points().len() == 4));
    /// assert!(world.manifolds().all(|pair| pair.manifolds[0].points().iter().all(|point| point.persisted)));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn manifolds(&mut self) -> impl Iterator<Item = PairManifolds<'_>> {
        if !self.moved.is_empty() || self.rules_changed {
            self.update();
        }
        self.pairs.touch(&self.bodies, &self.config, self.manifold_points);
        let pairs = &self.pairs;
        let of_entry = |entry: &PairIndex| PairManifolds {
            a: entry.ids[0],
            b: entry.ids[1],
            manifolds: pairs.manifolds(entry.record),
        };
        pairs.entries.iter().map(of_entry).filter(|pair| !pair.manifolds.is_empty())
    }

    /// Which points the manifolds have from now on: four of each, or all.
    pub fn set_manifold_points(&mut self, which: ManifoldPoints) {
        self.manifold_points = which;
        self.pairs.forget_all_contacts();
    }
}
