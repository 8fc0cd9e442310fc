//! Pairs of links that need no check, found by samples of configurations, as MoveIt's setup assistant finds them.
//!
//! A pair that collides in no sample may collide in another configuration: the list is a proposal, and saves time.

use crate::checker::{Checker, Collides};
use crate::error::Error;
use crate::robot::Robot;
use crate::srdf::Reason;
use fastrand::Rng;
use std::f64::consts::PI;

impl Robot {
    /// A configuration within the limits; a turn without limits is within ±π, a slide without limits within ±1.
    #[must_use]
    pub fn random_configuration(&self, seed: u64) -> Vec<f64> {
        let mut rng = Rng::with_seed(seed);
        let draw = |number: usize| {
            let [lower, upper] = self.variables[number].limits;
            let widest = if self.turns(number) { PI } else { 1.0 };
            let (lower, upper) = (lower.max(-1e6), upper.min(1e6));
            let (lower, upper) = if upper - lower > 1e5 { (-widest, widest) } else { (lower, upper) };
            lower + (upper - lower) * rng.f64()
        };
        (0..self.dof()).map(draw).collect()
    }

    /// Does a variable turn something?
    pub(crate) fn turns(&self, variable: usize) -> bool {
        self.joints
            .iter()
            .flat_map(|joint| &joint.elements)
            .any(|element| element.variable == variable && element.is_turn)
    }

    /// Pairs of links to disable: neighbours, and of the pairs that are checked those that collide in no sample or in all of them. Write them with
    /// [`Robot::srdf`]. A pair that comes as close as rounding counts as colliding.
    pub fn propose_disabled(&self, samples: usize, seed: u64) -> Result<Vec<([usize; 2], Reason)>, Error> {
        let configurations: Vec<Vec<f64>> =
            (0..samples).map(|number| self.random_configuration(seed.wrapping_add(number as u64))).collect();
        let checker = Checker::new(self, None);
        let found = checker.batch(&configurations, |checker, q| checker.colliding_links(q))?;
        let mut counts = vec![0_usize; self.pairs.len()];
        for pair in found.into_iter().flatten() {
            if let Ok(place) = self.pairs.binary_search(&pair) {
                counts[place] += 1;
            }
        }
        let adjacent = self.adjacent_pairs().into_iter().map(|pair| (pair, Reason::Adjacent));
        let sampled = self.pairs.iter().zip(counts).filter_map(|(&pair, count)| match count {
            _ if samples == 0 => None,
            0 => Some((pair, Reason::Never)),
            _ if count == samples => Some((pair, Reason::Always)),
            _ => None,
        });
        Ok(adjacent.chain(sampled).collect())
    }
}

impl Checker {
    /// All pairs of links that are not proved apart at a configuration, each once.
    pub fn colliding_links(&mut self, q: &[f64]) -> Result<Vec<[usize; 2]>, Error> {
        if self.in_collision(q)? == Collides::No {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for number in 0..self.setup.pairs.len() {
            let checked = &self.setup.pairs[number];
            if checked.obstacle.is_some() || self.balls(number) > 0.0 {
                continue;
            }
            let pair = [checked.a, checked.b].map(|body| self.robot().bodies[body].link);
            let error = self.error(number);
            if found.last() != Some(&pair) && self.gap(number, error).is_some() {
                found.push(pair);
            }
        }
        Ok(found)
    }
}
