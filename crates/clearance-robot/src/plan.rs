//! Paths between two configurations: RRT-Connect, then shortcuts. Every edge of both trees, and of the path, is proved.
//!
//! **Search.** Two trees grow from the start and from the goal. In turn, one of them takes an edge toward a random configuration, and the other one takes edges toward its end until it
//! arrives or is stopped. An edge is at most `PlanOptions::step` long and belongs to a tree if [`Checker::edge`] proves it free. No configuration is sampled on it.
//!
//! **Shortcuts.** An edge of length l with the proved clearance c costs `l (1 + w / c)`, w being `PlanOptions::clearance_weight`. Two random points of the path are joined by a straight edge if
//! that is proved free and the cost falls.
//!
//! **Invariants**
//!
//! - (L1) consecutive waypoints of a path have a proof of their own, about exactly these numbers;
//! - (L2) the same arguments and seed give the same path: the search starts with nothing remembered and uses one thread.
//!
//! Paper: Kuffner and LaValle, "RRT-Connect: an efficient approach to single-query path planning", ICRA 2000.

use crate::checker::{Checker, RobotClearance};
use crate::edge::{Edge, EdgeOptions, FreeEdge};
use crate::error::Error;
use fastrand::Rng;
use std::f64::consts::PI;

/// How a path is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanOptions {
    /// Another seed finds another path.
    pub seed: u64,
    /// The longest edge of a tree, in the Euclidean norm of configurations: radians and metres together.
    pub step: f64,
    /// The most random configurations.
    pub samples: u64,
    /// How many shortcuts are tried.
    pub shortcuts: u64,
    /// The clearance that makes an edge cost twice its length; with 0 only the length counts.
    pub clearance_weight: f64,
}

impl Default for PlanOptions {
    fn default() -> Self {
        // Limit: most problems of MotionBenchMaker take fewer than 1,000 samples; 100,000 are about a minute.
        Self { seed: 0, step: 1.0, samples: 100_000, shortcuts: 200, clearance_weight: 0.02 }
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// A path, all of whose edges are proved free.
    Found(PlannedPath),
    /// The start (0) or the goal (1) is not proved free.
    Blocked {
        /// Which end: 0 or 1.
        end: usize,
        /// The clearance there; not positive.
        found: RobotClearance,
    },
    /// No path was found with these samples. There may be one.
    NotFound {
        /// How many random configurations were drawn.
        samples: u64,
    },
}

/// A path from the start to the goal.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedPath {
    /// The first is the start, the last the goal.
    pub waypoints: Vec<Vec<f64>>,
    /// The proofs of the edges between them.
    pub edges: Vec<FreeEdge>,
    /// No checked pair comes closer than this on the whole path.
    pub lower: f64,
    /// How many random configurations were drawn.
    pub samples: u64,
    /// How many edges were tested.
    pub tested: u64,
}

impl PlannedPath {
    /// The length, in the Euclidean norm of configurations.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.waypoints.windows(2).map(|edge| distance(&edge[0], &edge[1])).sum()
    }
}

/// Configurations with their parents.
struct Tree {
    nodes: Vec<Vec<f64>>,
    parents: Vec<usize>,
}

impl Tree {
    fn new(root: &[f64]) -> Self {
        Self { nodes: vec![root.to_vec()], parents: vec![0] }
    }

    fn nearest(&self, q: &[f64]) -> usize {
        let squared = |node: &[f64]| node.iter().zip(q).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let (mut best, mut least) = (0, f64::INFINITY);
        for (number, node) in self.nodes.iter().enumerate() {
            let found = squared(node);
            if found < least {
                (best, least) = (number, found);
            }
        }
        best
    }

    /// The configurations from a node to the root.
    fn branch(&self, mut node: usize) -> Vec<Vec<f64>> {
        let mut branch = vec![self.nodes[node].clone()];
        while node != 0 {
            node = self.parents[node];
            branch.push(self.nodes[node].clone());
        }
        branch
    }
}

/// How far an edge toward a configuration came.
enum Extended {
    Stopped,
    Advanced(usize),
    Arrived(usize),
}

/// A search with its checker.
struct Search<'o> {
    checker: Checker,
    options: &'o PlanOptions,
    tested: u64,
}

/// For yes or no; a contact needs no bracket. Limit: an edge that takes 65,536 tests is a graze, and another one is sooner found.
const QUICK: EdgeOptions = EdgeOptions { resolution: 1.0, tests: 1 << 16, share: 0.0, at_least: 0.0 };

impl Search<'_> {
    /// The proof of an edge.
    fn proof(&mut self, from: &[f64], to: &[f64], options: &EdgeOptions) -> Option<FreeEdge> {
        self.tested += 1;
        match self.checker.search_edge(from, to, options) {
            Edge::Free(free) => Some(free),
            _ => None,
        }
    }

    /// Adds an edge toward a configuration.
    fn extend(&mut self, tree: &mut Tree, toward: &[f64]) -> Extended {
        let near = tree.nearest(toward);
        let from = &tree.nodes[near];
        let far = distance(from, toward);
        let is_last = far <= self.options.step;
        let to = if is_last { toward.to_vec() } else { between(from, toward, self.options.step / far) };
        if self.proof(from, &to, &QUICK).is_none() {
            return Extended::Stopped;
        }
        tree.nodes.push(to);
        tree.parents.push(near);
        let node = tree.nodes.len() - 1;
        if is_last { Extended::Arrived(node) } else { Extended::Advanced(node) }
    }

    /// The waypoints of a path, before shortcuts.
    fn connect(&mut self, ends: [&[f64]; 2], stop: &mut dyn FnMut() -> bool) -> Result<(Vec<Vec<f64>>, u64), u64> {
        if self.proof(ends[0], ends[1], &QUICK).is_some() {
            return Ok((ends.map(<[f64]>::to_vec).to_vec(), 0));
        }
        let ranges = ranges(&self.checker, ends);
        let mut rng = Rng::with_seed(self.options.seed);
        let mut trees = ends.map(Tree::new);
        for sample in 0..self.options.samples {
            if stop() {
                return Err(sample);
            }
            let random: Vec<f64> = ranges.iter().map(|[lower, upper]| lower + (upper - lower) * rng.f64()).collect();
            let (one, other) = if sample % 2 == 0 { (0, 1) } else { (1, 0) };
            let (Extended::Advanced(new) | Extended::Arrived(new)) = self.extend(&mut trees[one], &random) else {
                continue;
            };
            let target = trees[one].nodes[new].clone();
            let met = loop {
                match self.extend(&mut trees[other], &target) {
                    Extended::Stopped => break None,
                    Extended::Advanced(_) => {}
                    Extended::Arrived(met) => break Some(met),
                }
            };
            if let Some(met) = met {
                let (from_start, from_goal) = if one == 0 { (new, met) } else { (met, new) };
                let mut path = trees[0].branch(from_start);
                path.reverse();
                path.extend(trees[1].branch(from_goal).into_iter().skip(1));
                return Ok((path, sample + 1));
            }
        }
        Err(self.options.samples)
    }

    /// Replaces parts of a path by straight edges, as long as its cost falls.
    fn shorten(&mut self, path: &mut Vec<Vec<f64>>, edges: &mut Vec<FreeEdge>, stop: &mut dyn FnMut() -> bool) {
        let weight = self.options.clearance_weight;
        let cost = |length: f64, lower: f64| length * (1.0 + weight / lower);
        let mut rng = Rng::with_seed(self.options.seed ^ u64::MAX);
        for _ in 0..self.options.shortcuts {
            if edges.len() < 2 || stop() {
                return;
            }
            let lengths: Vec<f64> = path.windows(2).map(|edge| distance(&edge[0], &edge[1])).collect();
            let total: f64 = lengths.iter().sum();
            let mut at = [rng.f64(), rng.f64()].map(|share| share * total);
            at.sort_by(f64::total_cmp);
            let [(first, one), (last, other)] = at.map(|at| along(path, &lengths, at));
            if first == last {
                continue;
            }
            let new = [path[first].clone(), one, other, path[last + 1].clone()];
            let before: f64 = (first..=last).map(|edge| cost(lengths[edge], edges[edge].lower)).sum();
            let mut found = Vec::with_capacity(3);
            let mut after = 0.0;
            // The edge that may not be free first.
            for edge in [1, 0, 2] {
                let length = distance(&new[edge], &new[edge + 1]);
                after += cost(length, f64::INFINITY);
                if after >= before {
                    break;
                }
                let Some(free) = self.proof(&new[edge], &new[edge + 1], &EdgeOptions::default()) else { break };
                after += cost(length, free.lower) - cost(length, f64::INFINITY);
                found.push(free);
            }
            if let [middle, head, tail] = found[..]
                && after < before
            {
                let [_, one, other, _] = new;
                path.splice(first + 1..=last, [one, other]);
                edges.splice(first..=last, [head, middle, tail]);
            }
        }
    }
}

impl Checker {
    /// A path from one configuration to another, proved edge by edge.
    ///
    /// Values of joints without limits are taken within π, or within 1 for a slide, of both ends; they are not wrapped. The ends may be outside the limits.
    ///
    /// ```
    /// use clearance_robot::{Checker, Options, Plan, PlanOptions, Robot};
    /// use clearance::{Pose, Shape, World};
    ///
    /// let text = r#"<robot name="cart"><link name="base"/><link name="x"/>
    ///   <link name="cart"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    ///   <joint name="x" type="prismatic"><parent link="base"/><child link="x"/><axis xyz="1 0 0"/><limit lower="-2" upper="2"/></joint>
    ///   <joint name="y" type="prismatic"><parent link="x"/><child link="cart"/><axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint></robot>"#;
    /// let robot = Robot::parse(text, "cart.urdf", None, &Options::default())?;
    /// let mut world = World::default();
    /// world.insert(Shape::cuboid([0.1, 1.0, 1.0]).unwrap(), Pose::IDENTITY);
    /// let checker = Checker::new(&robot, Some(&world));
    /// let Plan::Found(path) = checker.plan(&[-1.0, 0.0], &[1.0, 0.0], &PlanOptions::default())? else { panic!() };
    /// assert!(path.lower > 0.0 && path.length() > 2.0);
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn plan(&self, start: &[f64], goal: &[f64], options: &PlanOptions) -> Result<Plan, Error> {
        self.plan_until(start, goal, options, || false)
    }

    /// [`Checker::plan`], which ends early when `stop` says so. It is called once for each sample and shortcut.
    pub fn plan_until(
        &self,
        start: &[f64],
        goal: &[f64],
        options: &PlanOptions,
        mut stop: impl FnMut() -> bool,
    ) -> Result<Plan, Error> {
        self.robot().check(start)?;
        self.robot().check(goal)?;
        for (name, value) in [("step", options.step), ("clearance_weight", options.clearance_weight)] {
            let is_good = value.is_finite() && (value > 0.0 || (name != "step" && value == 0.0));
            if !is_good {
                return Err(Error::Argument(format!("{name} is {value}, but must be a positive number; correct it")));
            }
        }
        let mut search = Search { checker: self.fresh(), options, tested: 0 };
        for (end, q) in [start, goal].into_iter().enumerate() {
            if let Some(found) = search.checker.clearance(q)?.filter(|found| !(found.lower > 0.0)) {
                return Ok(Plan::Blocked { end, found });
            }
        }
        let (mut waypoints, samples) = match search.connect([start, goal], &mut stop) {
            Ok(found) => found,
            Err(samples) => return Ok(Plan::NotFound { samples }),
        };
        let mut edges = Vec::with_capacity(waypoints.len());
        for edge in waypoints.windows(2) {
            // An edge that passes closely may be proved free and not be proved to keep half of its clearance.
            let Some(free) = search
                .proof(&edge[0], &edge[1], &EdgeOptions::default())
                .or_else(|| search.proof(&edge[0], &edge[1], &QUICK))
            else {
                return Ok(Plan::NotFound { samples });
            };
            edges.push(free);
        }
        search.shorten(&mut waypoints, &mut edges, &mut stop);
        debug_assert!(waypoints.len() == edges.len() + 1, "L1");
        let lower = edges.iter().map(|edge| edge.lower).fold(f64::INFINITY, f64::min);
        Ok(Plan::Found(PlannedPath { waypoints, edges, lower, samples, tested: search.tested }))
    }
}

/// The ranges of random configurations: the limits, and both ends.
fn ranges(checker: &Checker, ends: [&[f64]; 2]) -> Vec<[f64; 2]> {
    let robot = checker.robot();
    let range = |number: usize| {
        let around = if robot.turns(number) { PI } else { 1.0 };
        let [one, other] = ends.map(|end| end[number]);
        let [lower, upper] = robot.variables[number].limits;
        // A limit far beyond both ends is none.
        let is_limited = upper - lower < MOST_RANGE;
        let [lower, upper] =
            if is_limited { [lower, upper] } else { [one.min(other) - around, one.max(other) + around] };
        [lower.min(one).min(other), upper.max(one).max(other)]
    };
    (0..robot.dof()).map(range).collect()
}

/// Limit: ranges of known robots are below 100 radians or metres.
const MOST_RANGE: f64 = 1e3;

fn distance(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

fn between(from: &[f64], to: &[f64], share: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + share * (to - from)).collect()
}

/// The edge of a path that has the point at a length from the start, and the point.
fn along(path: &[Vec<f64>], lengths: &[f64], mut at: f64) -> (usize, Vec<f64>) {
    let last = lengths.len() - 1;
    for (edge, &length) in lengths.iter().enumerate() {
        if at < length || edge == last {
            let share = if length > 0.0 { (at / length).min(1.0) } else { 0.0 };
            return (edge, between(&path[edge], &path[edge + 1], share));
        }
        at -= length;
    }
    (last, path[last + 1].clone())
}
