//! Clearances of a robot at a configuration: against itself, and against the bodies of a world.
//!
//! A [`Checker`] lists the pairs of bodies once and keeps a warm [`Pair`] for each that comes close. Balls prune first, hulls of meshes second. Every bracket
//! is widened by the rounding error of the kinematics (`kinematics.rs`), so that answers are about the configuration, not about computed poses.
//!
//! **Invariant** (C1): a pair that is pruned has a proved distance above the least upper bound known then.

use crate::error::Error;
use crate::kinematics::Frames;
use crate::paths::{PairPath, Paths};
use crate::robot::{Body, Robot};
use clearance::math::DVec3;
use clearance::world::BodyId;
use clearance::{Clearance, Pair, Pose, Shape, World};
use rayon::prelude::*;
use std::sync::Arc;

/// Configurations of a batch that share warm pairs, answered by one thread. Limit: part of the contract, since an answer may depend on what pairs remember, within
/// its bracket.
const SHARED: usize = 64;

/// A side of a pair that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A link, by its number.
    Link(usize),
    /// A body of the world.
    Obstacle(BodyId),
}

/// The clearance of a robot at a configuration: that of its closest pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RobotClearance {
    /// The signed distance of the closest pair.
    pub distance: f64,
    /// The true distance of every checked pair is at least this.
    pub lower: f64,
    /// That of the closest pair is at most this.
    pub upper: f64,
    /// The closest pair. An obstacle comes first.
    pub parts: [Part; 2],
    /// The point of the first part nearest to the second, in the world.
    pub point_a: DVec3,
    /// The point of the second part nearest to the first.
    pub point_b: DVec3,
    /// The unit vector from the first part to the second.
    pub normal: DVec3,
}

/// Does the robot collide?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collides {
    /// All checked pairs are proved apart.
    No,
    /// Two parts are proved to overlap.
    Yes([Part; 2]),
    /// Two parts come as close as rounding; no pair is proved to overlap.
    Unknown([Part; 2]),
}

/// A body that stands in the world.
#[derive(Debug)]
pub(crate) struct Obstacle {
    pub id: BodyId,
    pub pose: Pose,
    pub body: Body,
}

/// Two bodies that are checked. The first may be an obstacle.
#[derive(Debug)]
pub(crate) struct Checked {
    pub obstacle: Option<usize>,
    pub a: usize,
    pub b: usize,
    pub path: PairPath,
}

/// The parts of a checker that no query changes.
#[derive(Debug)]
pub(crate) struct Setup {
    pub robot: Robot,
    pub obstacles: Vec<Obstacle>,
    pub pairs: Vec<Checked>,
    pub paths: Paths,
}

impl Setup {
    /// The convex bodies around the two bodies of a pair, if both have one.
    pub fn hulls(&self, number: usize) -> Option<[&Shape; 2]> {
        let [a, b] = self.bodies(number);
        Some([a.hull.as_ref()?, b.hull.as_ref()?])
    }

    /// The two bodies of a pair.
    pub fn bodies(&self, number: usize) -> [&Body; 2] {
        let checked = &self.pairs[number];
        let a = checked.obstacle.map_or(&self.robot.bodies[checked.a], |obstacle| &self.obstacles[obstacle].body);
        [a, &self.robot.bodies[checked.b]]
    }
}

/// Engines of a pair with their caches.
#[derive(Debug, Clone)]
pub(crate) struct Warm {
    pub exact: Pair,
    /// The convex bodies around the two, where these are others.
    pub hulls: Option<Pair>,
    /// A direction that separated the hulls, in the frame of the first.
    pub direction: Option<DVec3>,
}

/// A body at a configuration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub pose: Pose,
    pub center: DVec3,
    pub radius: f64,
    /// The rounding error of a point.
    pub error: f64,
}

/// Queries about a robot, from each to the next.
///
/// ```
/// use clearance_robot::{Checker, Collides, Options, Robot};
/// use clearance::{Pose, Shape, World};
///
/// let text = r#"<robot name="arm">
///   <link name="base"/>
///   <link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
///   <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
/// </robot>"#;
/// let robot = Robot::parse(text, "arm.urdf", None, &Options::default())?;
/// let mut world = World::default();
/// world.insert(Shape::sphere(0.5).unwrap(), Pose::from_translation([2.0, 0.0, 0.0]));
/// let mut checker = Checker::new(&robot, Some(&world));
/// let clearance = checker.clearance(&[0.0])?.expect("there is a pair");
/// assert!((clearance.distance - 0.5).abs() < 1e-12 && clearance.lower <= 0.5 && 0.5 <= clearance.upper);
/// assert_eq!(checker.in_collision(&[0.0])?, Collides::No);
/// # Ok::<(), clearance_robot::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Checker {
    pub(crate) setup: Arc<Setup>,
    pub(crate) warm: Vec<Option<Box<Warm>>>,
    pub(crate) frames: Frames,
    pub(crate) placed: Vec<Placed>,
    /// The pair that was closest last.
    last: usize,
}

impl Checker {
    /// Queries about a robot against itself, and against the bodies of a world, both as they are now.
    #[must_use]
    pub fn new(robot: &Robot, world: Option<&World>) -> Self {
        let obstacle = |(id, body): (BodyId, &clearance::world::Body)| Obstacle {
            id,
            pose: body.pose,
            body: Body::new(usize::MAX, body.shape.clone(), Pose::IDENTITY),
        };
        let obstacles: Vec<_> = world.into_iter().flat_map(World::bodies).map(obstacle).collect();
        let mut paths = Paths::new(robot);
        let mut pairs = Vec::new();
        for (number, obstacle) in obstacles.iter().enumerate() {
            for (b, body) in robot.bodies.iter().enumerate() {
                let center = obstacle.pose.transform_point(obstacle.body.center);
                let path = paths.world_to_body(robot, (center, obstacle.body.radius), body);
                pairs.push(Checked { obstacle: Some(number), a: 0, b, path });
            }
        }
        let mut of_link = vec![Vec::new(); robot.links.len()];
        robot.bodies.iter().enumerate().for_each(|(number, body)| of_link[body.link].push(number));
        for &[one, other] in &robot.pairs {
            for &a in &of_link[one] {
                for &b in &of_link[other] {
                    let path = paths.between(robot, &robot.bodies[a], &robot.bodies[b]);
                    pairs.push(Checked { obstacle: None, a, b, path });
                }
            }
        }
        let warm = vec![None; pairs.len()];
        let setup = Arc::new(Setup { robot: robot.clone(), obstacles, pairs, paths });
        Self { setup, warm, frames: Frames::default(), placed: Vec::new(), last: 0 }
    }

    /// The robot that is checked.
    #[must_use]
    pub fn robot(&self) -> &Robot {
        &self.setup.robot
    }

    /// The names of two parts, for sentences: obstacles have the numbers of their places.
    #[must_use]
    pub fn names(&self, parts: [Part; 2]) -> [String; 2] {
        parts.map(|part| match part {
            Part::Link(link) => self.robot().links.get(link).map_or_else(String::new, |link| link.name.clone()),
            Part::Obstacle(id) => format!("obstacle {}", id.slot()),
        })
    }

    /// The clearance at a configuration; `None` if no pair is checked.
    pub fn clearance(&mut self, q: &[f64]) -> Result<Option<RobotClearance>, Error> {
        self.robot().check(q)?;
        self.place(q, q, q);
        Ok(self.closest())
    }

    /// The clearance at a configuration, and its derivatives by the values of the joints, for optimizers.
    ///
    /// They are those of the closest pair at its closest points: right to rounding where these are unique, and one of several slopes elsewhere. Unlike the
    /// clearance they have no proved bounds.
    pub fn clearance_and_gradient(&mut self, q: &[f64]) -> Result<Option<(RobotClearance, Vec<f64>)>, Error> {
        let Some(found) = self.clearance(q)? else { return Ok(None) };
        let mut gradient = vec![0.0; q.len()];
        let path = &self.setup.pairs[self.last].path;
        self.setup.paths.add_gradient(path, &self.frames, found.normal, found.point_b, &mut gradient);
        Ok(Some((found, gradient)))
    }

    /// Does the robot collide at a configuration?
    pub fn in_collision(&mut self, q: &[f64]) -> Result<Collides, Error> {
        self.robot().check(q)?;
        self.place(q, q, q);
        let count = self.setup.pairs.len();
        let mut answer = Collides::No;
        // The pair that collided last first: configurations that follow each other often collide alike.
        let first = self.last.min(count.saturating_sub(1));
        for number in std::iter::once(first).chain((0..count).filter(|&number| number != first)) {
            if count == 0 || self.balls(number) > 0.0 {
                continue;
            }
            let error = self.error(number);
            let Some(found) = self.gap(number, error) else { continue };
            if found.upper + error < 0.0 {
                self.last = number;
                return Ok(Collides::Yes(self.parts(number)));
            }
            if found.lower - error <= 0.0 && answer == Collides::No {
                answer = Collides::Unknown(self.parts(number));
            }
        }
        Ok(answer)
    }

    /// The clearances at many configurations, on all cores. The same bits come from any number of threads.
    pub fn clearance_batch<Q: AsRef<[f64]> + Sync>(&self, q: &[Q]) -> Result<Vec<Option<RobotClearance>>, Error> {
        self.batch(q, |checker, q| checker.clearance(q.as_ref()))
    }

    /// Whether the robot collides at many configurations, on all cores. The same bits come from any number of threads.
    pub fn in_collision_batch<Q: AsRef<[f64]> + Sync>(&self, q: &[Q]) -> Result<Vec<Collides>, Error> {
        self.batch(q, |checker, q| checker.in_collision(q.as_ref()))
    }

    /// Queries on all cores: a fresh checker takes over after every 64, so that answers do not depend on the number of threads.
    pub(crate) fn batch<Q: Sync, R: Send>(
        &self,
        queries: &[Q],
        answer: impl Fn(&mut Self, &Q) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let chunk = |queries: &[Q]| {
            let mut checker = self.fresh();
            queries.iter().map(|query| answer(&mut checker, query)).collect::<Result<Vec<_>, _>>()
        };
        let chunks: Vec<_> = queries.par_chunks(SHARED).map(chunk).collect();
        // The first error by place, not by time.
        let mut answers = Vec::with_capacity(queries.len());
        for chunk in chunks {
            answers.extend(chunk?);
        }
        Ok(answers)
    }

    /// The same pairs, with nothing remembered.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self {
            setup: Arc::clone(&self.setup),
            warm: vec![None; self.warm.len()],
            frames: Frames::default(),
            placed: Vec::new(),
            last: 0,
        }
    }

    /// Places all bodies at a configuration that lies between two others.
    pub(crate) fn place(&mut self, q: &[f64], from: &[f64], to: &[f64]) {
        let Setup { robot, .. } = &*self.setup;
        robot.place(q, from, to, &mut self.frames);
        self.placed.clear();
        for body in &robot.bodies {
            let link = &self.frames.links[body.link];
            let extent = body.center.length() + body.pose.translation().length() + body.radius;
            self.placed.push(Placed {
                pose: *link * body.pose,
                center: link.transform_point(body.center),
                radius: body.radius,
                error: self.frames.error(body.link, extent),
            });
        }
    }

    /// The two bodies of a pair.
    pub(crate) fn both(&self, number: usize) -> [Placed; 2] {
        let checked = &self.setup.pairs[number];
        let a = match checked.obstacle {
            Some(obstacle) => {
                let Obstacle { pose, body, .. } = &self.setup.obstacles[obstacle];
                Placed { pose: *pose, center: pose.transform_point(body.center), radius: body.radius, error: 0.0 }
            }
            None => self.placed[checked.a],
        };
        [a, self.placed[checked.b]]
    }

    /// The rounding error of the distance of a pair.
    pub(crate) fn error(&self, number: usize) -> f64 {
        let [a, b] = self.both(number);
        a.error + b.error
    }

    /// A lower bound on the distance of a pair: that of the balls.
    pub(crate) fn balls(&self, number: usize) -> f64 {
        let [a, b] = self.both(number);
        let apart = a.center.distance(b.center);
        // Bound: differences, a length and three sums round by less than 8 ε of all that is added; coordinates are in the errors of kinematics.
        let rounding = 16.0 * f64::EPSILON * (apart + a.center.length() + b.center.length() + a.radius + b.radius);
        apart - a.radius - b.radius - a.error - b.error - rounding
    }

    /// The parts of a pair.
    pub(crate) fn parts(&self, number: usize) -> [Part; 2] {
        let checked = &self.setup.pairs[number];
        let link = |body: usize| Part::Link(self.robot().bodies[body].link);
        let a = match checked.obstacle {
            Some(obstacle) => Part::Obstacle(self.setup.obstacles[obstacle].id),
            None => link(checked.a),
        };
        [a, link(checked.b)]
    }

    /// The engines of a pair, made when it first comes close.
    pub(crate) fn warm(&mut self, number: usize) -> &mut Warm {
        let [a, b] = self.setup.bodies(number);
        self.warm[number].get_or_insert_with(|| {
            let is_mesh = |body: &Body| matches!(body.shape, Shape::Mesh(_));
            let hulls = match (&a.hull, &b.hull) {
                (Some(one), Some(other)) if is_mesh(a) || is_mesh(b) => Some(Pair::new(one, other)),
                _ => None,
            };
            Box::new(Warm { exact: Pair::new(&a.shape, &b.shape), hulls, direction: None })
        })
    }

    /// The clearance of a pair if it may be at most the margin. `None` is proved.
    pub(crate) fn gap(&mut self, number: usize, margin: f64) -> Option<Clearance> {
        let [a, b] = self.both(number).map(|placed| placed.pose);
        let warm = self.warm(number);
        if let Some(hulls) = &mut warm.hulls {
            // Only the question whether hulls are farther apart than a margin that is finite and not negative: their depth is of no use.
            if (0.0..f64::INFINITY).contains(&margin) && hulls.within(a, b, margin).is_none() {
                return None;
            }
        }
        warm.exact.within(a, b, margin)
    }

    /// The closest pair of the bodies as they are placed.
    pub(crate) fn closest(&mut self) -> Option<RobotClearance> {
        let count = self.setup.pairs.len();
        if count == 0 {
            return None;
        }
        let mut lower = f64::INFINITY;
        let mut best: Option<(usize, Clearance, f64)> = None;
        let most =
            |best: &Option<(usize, Clearance, f64)>| best.as_ref().map_or(f64::INFINITY, |(_, c, e)| c.upper + e);
        // The pair that was closest last gives a good bound; without one, the pair with the closest balls.
        let nearest = |checker: &Self| {
            (0..count).min_by(|&one, &other| checker.balls(one).total_cmp(&checker.balls(other))).unwrap_or(0)
        };
        let first = if self.warm[self.last].is_some() { self.last } else { nearest(self) };
        for number in std::iter::once(first).chain((0..count).filter(|&number| number != first)) {
            let limit = most(&best);
            if self.balls(number) > limit {
                continue;
            }
            let error = self.error(number);
            let Some(found) = self.gap(number, limit + error) else { continue };
            lower = lower.min(found.lower - error);
            if best.as_ref().is_none_or(|(_, best, _)| found.distance < best.distance) {
                best = Some((number, found, error));
            }
        }
        // The first pair is queried without a limit, so there is one.
        let (number, found, error) = best?;
        self.last = number;
        Some(RobotClearance {
            distance: found.distance,
            lower,
            upper: found.upper + error,
            parts: self.parts(number),
            point_a: found.point_a,
            point_b: found.point_b,
            normal: found.normal,
        })
    }
}

impl Robot {
    /// The clearance at a configuration, against itself and the bodies of a world. For more than one configuration, keep a [`Checker`].
    pub fn clearance(&self, q: &[f64], world: Option<&World>) -> Result<Option<RobotClearance>, Error> {
        Checker::new(self, world).clearance(q)
    }

    /// Does the robot collide at a configuration, with itself or a body of a world? For more than one configuration, keep a [`Checker`].
    pub fn in_collision(&self, q: &[f64], world: Option<&World>) -> Result<Collides, Error> {
        Checker::new(self, world).in_collision(q)
    }
}
