//! Section 4 of the GJK paper: the cost of an iteration of the separating-axis form, and of a frame of ISA-GJK, for any shapes.

use super::counted::{JohnsonCounts, Options, distance, separating_axis};
use super::iterations::{Family, pairs, support};
use crate::Effort;
use crate::row::{Row, Table, Verdict};
use crate::separating_vector::support::{Climb, climb_counted};
use clearance::internals::hull::convex_hull;
use clearance::math::{DQuat, DVec3, Frame};
use clearance::shape::{Axis, HalfHeight, Polytope, Radius};
use clearance::{Pose, Shape};
use clearance_lab::{Rng, models, random};
use std::cell::Cell;

pub(super) fn rows(effort: Effort) -> Vec<Row> {
    vec![iterations(effort), per_frame(effort)]
}

/// Operations of algorithm 1 beside the subalgorithm and the support mapping: |v| (five and a root), v·w (five), the division, the maximum, the
/// difference, the product with ε and the comparison.
const OF_DISTANCE: f64 = 16.0;

/// Those of algorithm 2: v·w (five) and the comparison.
const OF_AXIS: f64 = 6.0;

/// The rule for "significantly" is a tenth of all operations but those of the support mapping.
fn iterations(effort: Effort) -> Row {
    let mut totals = [JohnsonCounts::default(); 2];
    let mut rounds = [0_u64; 2];
    for (shapes, pose) in pairs(Family::Polytopes(20), effort.pick(100, 3000), 150) {
        let frame = Frame::from(pose);
        let support = support([&shapes[0], &shapes[1]], &frame);
        let first = support(frame.translation);
        rounds[0] += u64::from(distance(&support, first, &Options::paper(1e-9), &mut totals[0]).rounds);
        rounds[1] += u64::from(separating_axis(&support, first, 1e-14, &mut totals[1]).1);
    }
    // The subalgorithm is the same in both forms, and costs more with more points: that of the distance represents both.
    let of_johnson = totals[0].operations.total() as f64 / rounds[0] as f64;
    let [of_distance, of_axis] = [OF_DISTANCE, OF_AXIS].map(|own| of_johnson + own);
    let roots = totals.map(|total| total.operations.roots);
    Row::new(
        "G15",
        Verdict::of(roots[1] == 0 && of_axis < 0.9 * of_distance, roots[1] == 0 && of_axis < of_distance),
        "Operations are those of the loop and of Johnson's subalgorithm, without the support mapping, which is the same for both. The rule reads \
         \"significantly\" as a tenth.",
    )
    .value("operations per iteration, distance", of_distance, "")
    .value("operations per iteration, separating axis", of_axis, "")
    .value("roots per iteration, distance", 1.0 + roots[0] as f64 / rounds[0] as f64, "")
    .value("roots per iteration, separating axis", roots[1] as f64 / rounds[1] as f64, "")
    .value("iterations per search, distance", rounds[0] as f64 / 100.0 / effort.pick(1.0, 30.0), "")
    .value("iterations per search, separating axis", rounds[1] as f64 / 100.0 / effort.pick(1.0, 30.0), "")
}

/// A hull whose support points are found by hill climbing from the last one; counts the visited vertices.
struct Climbing<'a> {
    hull: &'a Polytope,
    at: Cell<u32>,
    looked_at: Cell<u64>,
}

impl<'a> Climbing<'a> {
    fn new(hull: &'a Polytope) -> Self {
        Self { hull, at: Cell::new(0), looked_at: Cell::new(0) }
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        let Climb { vertex, looked_at, .. } = climb_counted(self.hull, direction, self.at.get());
        self.at.set(vertex);
        self.looked_at.set(self.looked_at.get() + u64::from(looked_at));
        self.hull.vertex(vertex)
    }
}

/// Poses of B beside A: it turns by a degree and moves by a hundredth of its size per frame, and stays apart.
fn poses(rng: &mut Rng, frames: u32) -> Vec<Pose> {
    let (axis, around) = (random::direction(rng), random::direction(rng));
    let side = around.any_orthonormal_vector();
    (0..frames)
        .map(|frame| {
            let turn = DQuat::from_axis_angle(axis, f64::from(frame).to_radians());
            let at = DQuat::from_axis_angle(around, 0.005 * f64::from(frame)) * (side * 2.1);
            Pose::new(at, turn)
        })
        .collect()
}

/// The rule for "almost constant" is less than twice the work at a hundred times the vertices.
fn per_frame(effort: Effort) -> Row {
    let (runs, frames) = effort.pick((6, 200), (40, 500));
    let mut table = Table::new("frames", &["vertices", "iterations per frame", "vertices visited per frame"]);
    let mut curve = Vec::new();
    for vertices in [20_usize, 50, 200, 500, 2000] {
        let mut rng = Rng::with_seed(160);
        let (mut rounds, mut looked_at, mut count) = (0_u64, 0_u64, 0_u64);
        for _ in 0..runs {
            let hulls = [(); 2].map(|()| convex_hull(&models::random_ellipsoid(&mut rng, vertices)).expect("points"));
            let [a, b] = hulls.each_ref().map(Climbing::new);
            // The axis is kept in the world, which here is the frame of A.
            let mut axis = DVec3::X;
            for (number, pose) in poses(&mut rng, frames).into_iter().enumerate() {
                let frame = Frame::from(pose);
                let support = |d: DVec3| a.support(d) - frame.point(b.support(frame.direction_in_b(-d)));
                let before = a.looked_at.get() + b.looked_at.get();
                let (found, steps) = separating_axis(support, axis, 1e-14, &mut JohnsonCounts::default());
                axis = found.unwrap_or(axis);
                // The first frame has no start.
                if number > 0 {
                    rounds += u64::from(steps);
                    looked_at += a.looked_at.get() + b.looked_at.get() - before;
                    count += 1;
                }
            }
        }
        let each = |sum: u64| sum as f64 / count as f64;
        curve.push([each(rounds), each(looked_at)]);
        table.push(vec![(vertices as f64).into(), each(rounds).into(), each(looked_at).into()]);
    }
    let mut of_quadrics = Table::new("quadrics", &["shapes", "iterations per frame"]);
    let mut most = 0.0_f64;
    let quadrics = [
        ("ellipsoids", Shape::ellipsoid([1.0, 0.8, 0.6])),
        ("cones", Shape::cone(Axis::Y, Radius(0.7), HalfHeight(0.7))),
        ("cylinders", Shape::cylinder(Axis::Y, Radius(0.7), HalfHeight(0.7))),
    ];
    for (name, shape) in quadrics {
        let shape = shape.expect("sizes are positive");
        let mut rng = Rng::with_seed(161);
        let (mut rounds, mut count) = (0_u64, 0_u64);
        for _ in 0..runs {
            let mut axis = DVec3::X;
            for (number, pose) in poses(&mut rng, frames).into_iter().enumerate() {
                let frame = Frame::from(pose);
                let (found, steps) =
                    separating_axis(support([&shape, &shape], &frame), axis, 1e-14, &mut JohnsonCounts::default());
                axis = found.unwrap_or(axis);
                rounds += if number > 0 { u64::from(steps) } else { 0 };
                count += u64::from(number > 0);
            }
        }
        let mean = rounds as f64 / count as f64;
        most = most.max(mean);
        of_quadrics.push(vec![name.into(), mean.into()]);
    }
    let (first, last) = (curve[0], curve[curve.len() - 1]);
    let [rounds, visits] = [0, 1].map(|i| last[i] / first[i]);
    Row::new(
        "G16",
        Verdict::of(visits < 2.0 && rounds < 2.0 && most < 2.0, visits < 5.0),
        "A body beside another one, turning by a degree and moving by half a hundredth of a circle per frame; hill climbing from the last support points. \
         The rule reads \"almost constant\" as less than twice the work at a hundred times the vertices, and for quadrics as less than two iterations per frame.",
    )
    .value("vertices visited per frame, 2000 vertices over 20", visits, "")
    .value("iterations per frame, 2000 vertices over 20", rounds, "")
    .value("iterations per frame, 2000 vertices", last[0], "")
    .value("iterations per frame, quadrics, at most", most, "")
    .figure(table.figure("ISA-GJK over the number of vertices", 0, &[1, 2], "per frame", [true, false]))
    .table(table)
    .table(of_quadrics)
}
