//! Sections 2 and 5 of the GJK paper: a tolerance of |v| or of its part, the bounds δ and μ, and the two loops of figure 3.

use super::counted::{JohnsonCounts, Options, Search, Stop, distance};
use super::iterations::{Family, pairs, support, uneven_pair};
use crate::Effort;
use crate::row::{Row, Table, Verdict};
use clearance::math::{DQuat, DVec3, Frame};
use clearance::{Pose, Shape};
use clearance_lab::{Rng, models, random};
use std::f64::consts::{FRAC_PI_4, SQRT_2};

pub(super) fn rows(effort: Effort) -> Vec<Row> {
    vec![large_distances(effort), bounds(effort), loops(effort)]
}

fn search(shapes: &[Shape; 2], pose: Pose, options: Options) -> Search {
    let frame = Frame::from(pose);
    let support = support([&shapes[0], &shapes[1]], &frame);
    distance(&support, support(frame.translation), &options, &mut JohnsonCounts::default())
}

/// The first problem of section 5. The loop has no stop on a repeated support point, since that would end it for another reason.
fn large_distances(effort: Effort) -> Row {
    const EPSILON: f64 = 1e-6;
    let mut table = Table::new(
        "distances",
        &["distance, in sizes of the shapes", "absolute tolerance, no end (%)", "relative tolerance, no end (%)"],
    );
    let count = effort.pick(60, 1000);
    let mut rng = Rng::with_seed(130);
    let mut endless = [0_u64; 2];
    let mut searches = 0_u64;
    for exponent in 0..=12 {
        let mut here = [0_u64; 2];
        for _ in 0..count {
            let shapes = [(); 2].map(|()| Shape::hull(&models::random_hull(&mut rng, 20)).expect("points"));
            let way = random::direction(&mut rng) * 3.0 * 10.0_f64.powi(exponent);
            let pose = Pose::new(way, random::rotation(&mut rng));
            for (endless, is_absolute) in here.iter_mut().zip([true, false]) {
                let options = Options { is_absolute, most_rounds: 300, ..Options::original(EPSILON) };
                *endless += u64::from(search(&shapes, pose, options).stop == Stop::TooLong);
            }
        }
        searches += count as u64;
        endless = [0, 1].map(|i| endless[i] + here[i]);
        let share = here.map(|here| 100.0 * here as f64 / count as f64);
        table.push(vec![10.0_f64.powi(exponent).into(), share[0].into(), share[1].into()]);
    }
    Row::new(
        "G13",
        Verdict::of(endless[0] > 0 && endless[1] == 0, endless[0] > endless[1]),
        "Polytopes of 20 vertices, a tolerance of 1e-6, the loop without the stop on a repeated support point.",
    )
    .value("searches of each, 20 vertices, tolerance 1e-6", searches as f64, "")
    .value("without an end, absolute tolerance", endless[0] as f64, "")
    .value("without an end, relative tolerance", endless[1] as f64, "")
    .figure(table.figure("Searches without an end", 0, &[1, 2], "% of searches", [true, false]))
    .table(table)
}

/// δ and μ. "Often" is taken as in a tenth of the iterations or more.
fn bounds(effort: Effort) -> Row {
    let mut table = Table::new(
        "bounds",
        &["shapes", "iterations", "in which delta is below mu (%)", "searches in which it falls (%)"],
    );
    let count = effort.pick(60, 1000);
    let families =
        [Family::QUADRICS[1], Family::QUADRICS[2], Family::QUADRICS[3], Family::Polytopes(20), Family::Polytopes(500)];
    let (mut all, mut fallen, mut least) = ([0_u64; 2], [0_u64; 2], f64::INFINITY);
    for (seed, family) in (140..).zip(families) {
        let (mut rounds, mut falls, mut searches) = (0, 0, 0);
        let found = pairs(family, count, seed);
        for (shapes, pose) in &found {
            let found = search(shapes, *pose, Options::paper(1e-9));
            rounds += u64::from(found.rounds);
            falls += u64::from(found.falls);
            searches += u64::from(found.falls > 0);
        }
        let share = 100.0 * falls as f64 / rounds as f64;
        let of_searches = 100.0 * searches as f64 / found.len() as f64;
        least = least.min(share);
        all = [all[0] + rounds, all[1] + found.len() as u64];
        fallen = [fallen[0] + falls, fallen[1] + searches];
        table.push(vec![family.name().as_str().into(), (rounds as f64).into(), share.into(), of_searches.into()]);
    }
    let share = 100.0 * fallen[0] as f64 / all[0] as f64;
    Row::new(
        "G14",
        Verdict::of(share >= 10.0, fallen[0] > 0),
        "The rule reads \"often\" as a tenth of all iterations or more. Where delta is below mu, mu is the tighter bound.",
    )
    .value("iterations in which delta is below mu", share, "%")
    .value("the same, least of all shapes", least, "%")
    .value("searches in which delta falls", 100.0 * fallen[1] as f64 / all[1] as f64, "%")
    .table(table)
}

/// Two boxes whose edges cross, one of them smaller by orders of magnitude: the facet of A - B between them is an oblong parallelogram, and the nearest point is close to its
/// diagonal (figure 3b).
fn crossed_edges(rng: &mut Rng) -> ([Shape; 2], Pose, f64) {
    let ratio = random::magnitude(rng, 1.0, 6.0);
    let turned = |half: [f64; 3], turn: DQuat| -> Vec<DVec3> {
        models::cuboid(DVec3::from_array(half)).into_iter().map(|corner| turn * corner).collect()
    };
    // Edges along x on top of A, and along y at the bottom of B.
    let large = turned([1.0, 0.5, 0.5], DQuat::from_rotation_x(FRAC_PI_4));
    let small: Vec<DVec3> =
        turned([0.5, 1.0, 0.5], DQuat::from_rotation_y(FRAC_PI_4)).iter().map(|corner| *corner / ratio).collect();
    let along = random::uniform(rng, -0.9, 0.9);
    let off = along / ratio * (1.0 + random::magnitude(rng, -16.0, -3.0));
    let height = SQRT_2 / 2.0 * (1.0 + 1.0 / ratio) + random::magnitude(rng, -4.0, 0.0) / ratio;
    // Turned together, so that numbers round.
    let common = random::rotation(rng);
    let large: Vec<DVec3> = large.into_iter().map(|corner| common * corner).collect();
    let pose = Pose::new(common * DVec3::new(along, off, height), common);
    ([Shape::hull(&large).expect("points"), Shape::hull(&small).expect("points")], pose, ratio)
}

/// The two loops of figure 3, found among the endless searches of the original.
fn loops(effort: Effort) -> Row {
    let mut rng = Rng::with_seed(170);
    let (mut same, mut alternating, mut other) = (0_u64, 0_u64, 0_u64);
    let mut table = Table::new(
        "examples",
        &["loop", "size of A over that of B", "|v|", "|v| - mu, of |v|", "w", "w of the iteration before"],
    );
    let mut searches = 0_u64;
    for epsilon in [1e-12, 1e-15, 0.0] {
        for number in 0..effort.pick(800, 8000) {
            let (shapes, pose, ratio) = if number % 2 == 0 { uneven_pair(&mut rng) } else { crossed_edges(&mut rng) };
            searches += 1;
            let found = search(&shapes, pose, Options::original(epsilon));
            if found.stop != Stop::TooLong {
                continue;
            }
            let [first, second, third, fourth] = found.recent;
            let name = if first == second && second == third {
                same += 1;
                (same <= 3).then_some("the same point")
            } else if first == third && second == fourth {
                alternating += 1;
                (alternating <= 3).then_some("two that alternate")
            } else {
                other += 1;
                None
            };
            let text = |p: DVec3| format!("{:e} {:e} {:e}", p.x, p.y, p.z);
            if let Some(name) = name {
                let length = found.v.length();
                table.push(vec![
                    name.into(),
                    ratio.into(),
                    length.into(),
                    ((length - found.lower) / length).into(),
                    text(first).as_str().into(),
                    text(second).as_str().into(),
                ]);
            }
        }
    }
    Row::new(
        "G17",
        Verdict::of(same > 0 && alternating > 0, same + alternating > 0),
        "Polytopes whose sizes differ by orders of magnitude, as in G7, and boxes whose edges cross; the first three of each loop are in the table.",
    )
    .value("searches of the original", searches as f64, "")
    .value("that return to the same support point in each iteration", same as f64, "")
    .value("that alternate between two", alternating as f64, "")
    .value("that have another loop", other as f64, "")
    .table(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two boxes far apart: only the relative tolerance ends, and both bounds are bounds.
    #[test]
    fn an_absolute_tolerance_does_not_end_far_away() {
        let cube = |half: [f64; 3]| Shape::cuboid(half).unwrap();
        let shapes = [cube([1.0, 0.7, 0.3]), cube([0.4, 0.5, 0.6])];
        let mut endless = 0;
        let mut rng = Rng::with_seed(5);
        for _ in 0..50 {
            let pose = Pose::new(random::direction(&mut rng) * 1e11, random::rotation(&mut rng));
            let options = Options { is_absolute: true, ..Options::original(1e-6) };
            endless += u32::from(search(&shapes, pose, options).stop == Stop::TooLong);
            assert_ne!(search(&shapes, pose, Options::original(1e-6)).stop, Stop::TooLong);
        }
        assert!(endless > 0);
    }

    #[test]
    fn without_mu_the_lower_bound_may_fall() {
        let mut falls = 0;
        for (shapes, pose) in pairs(Family::Polytopes(50), 60, 9) {
            let [with, without] =
                [true, false].map(|is_monotone| search(&shapes, pose, Options { is_monotone, ..Options::paper(1e-9) }));
            assert!(with.lower <= with.v.length() * (1.0 + 1e-12) && without.lower <= with.v.length() * (1.0 + 1e-9));
            assert!((with.v.length() - without.v.length()).abs() <= 1e-8 * with.v.length());
            falls += with.falls;
        }
        assert!(falls > 0);
    }
}
