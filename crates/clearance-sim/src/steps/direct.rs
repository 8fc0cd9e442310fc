//! Contacts of connected bodies whose masses differ much, which are solved at once. Passes over single points let a light body under a heavy one sink, since each takes up a small part of the load.

use super::StepBody;
use super::patch::{Patch, SoftPoint, Twist};
use super::solver::Solver;
use crate::complementarity;

/// Masses that differ by more than this factor are solved at once. Limit: one pass lets the light body take up a part of the load that is as small as the ratio of the masses.
const UNEVEN: f64 = 10.0;

/// Contact points that are solved at once. Limit: the work grows with the fourth power of their number.
const MOST_DIRECT: usize = 64;

/// A group of contact points, and the changes of their separation speeds per normal impulse at the others.
pub(super) struct Direct {
    /// The numbers of a patch and a point.
    rows: Vec<[usize; 2]>,
    matrix: Vec<f64>,
}

impl Direct {
    /// The points of an island in which a light body is between heavy ones, or a heavy and a fixed one, up to a number of points.
    pub fn of_island(
        range: std::ops::Range<usize>,
        patches: &[Patch],
        points: &[SoftPoint],
        bodies: &[StepBody],
    ) -> Option<Self> {
        let is_uneven = |patch: &Patch| {
            let [a, b] = patch.bodies.map(|body| &bodies[body].inertial);
            a.is_dynamic && b.is_dynamic && a.mass.max(b.mass) > UNEVEN * a.mass.min(b.mass)
        };
        let own = &patches[range.clone()];
        let count: usize = own.iter().map(|patch| patch.points.len()).sum();
        if count > MOST_DIRECT || !own.iter().any(is_uneven) {
            return None;
        }
        let rows: Vec<[usize; 2]> =
            range.flat_map(|patch| patches[patch].points.clone().map(move |point| [patch, point])).collect();
        let coupling = |[patch, point]: [usize; 2], [other_patch, other_point]: [usize; 2]| {
            let (own, other) = (&patches[patch], &patches[other_patch]);
            let row = &points[other_point].normal;
            points[point].normal.coupling(own.normal, own.bodies, row, other.linear[0], other.bodies)
        };
        let matrix = rows.iter().flat_map(|&row| rows.iter().map(move |&other| coupling(row, other))).collect();
        Some(Self { rows, matrix })
    }

    /// The normal impulses of the group: with the total impulses λ and those before, λ', the program of `complementarity.rs` about A (λ - λ') + u + bias >= 0.
    pub fn solve(
        &self,
        solver: &Solver,
        patches: &[Patch],
        points: &mut [SoftPoint],
        twists: &mut [Twist],
        has_bias: bool,
    ) {
        let (rows, n) = (&self.rows, self.rows.len());
        let before: Vec<f64> = rows.iter().map(|&[_, point]| points[point].impulse).collect();
        let speed = |(i, &[patch, point]): (usize, &[usize; 2])| {
            let (patch, point) = (&patches[patch], &points[point]);
            let [a, b] = patch.bodies.map(|body| &twists[body]);
            let speed = point.normal.speed(patch.normal.dot(b.velocity - a.velocity), [a, b]);
            let pushed: f64 = (0..n).map(|j| self.matrix[i * n + j] * before[j]).sum();
            speed + solver.hard_bias(point.separation, has_bias) - pushed
        };
        let speeds: Vec<f64> = rows.iter().enumerate().map(speed).collect();
        for ((&[patch, point], before), impulse) in
            rows.iter().zip(before).zip(complementarity::solve(&self.matrix, &speeds))
        {
            let (patch, point) = (&patches[patch], &mut points[point]);
            let [mut a, mut b] = patch.bodies.map(|body| twists[body]);
            point.normal.push(patch.linear[0], [&mut a, &mut b], impulse - before);
            (twists[patch.bodies[0]], twists[patch.bodies[1]]) = (a, b);
            point.impulse = impulse;
            point.largest = point.largest.max(impulse);
        }
    }
}
