//! Boxes of swept volumes (figure 1), and section 4: the times of the tests.

use crate::Effort;
use crate::row::{Row, Table, Verdict};
use crate::two_phase::rollback::{Run, Scene, agreeing, by_estimates, by_schedule};
use crate::two_phase::scheduling;
use crate::two_phase::swept::{RATES, Way, boxes as swept_boxes, is_right, shots};
use clearance::Interval;

pub(super) fn swept(effort: Effort) -> Vec<Row> {
    let mut table = Table::new(
        "boxes",
        &["motion", "motions", "with an apex", "outside", "width (of the instants' box)", "width of the paper's box"],
    );
    let (mut outside, mut fixed, mut is_no_wider) = (0, 0.0, true);
    for (way, name) in [(Way::Fixed, "fixed"), (Way::Ballistic, "ballistic"), (Way::Sampled, "sampled")] {
        let found = swept_boxes(way, effort.pick(200, 2000), effort.pick(200, 1000));
        outside += found.outside;
        is_no_wider &= found.width <= found.paper + 1e-12;
        if way == Way::Fixed {
            fixed = found.width;
        }
        table.push(vec![
            name.into(),
            (found.motions as f64).into(),
            (found.apexes as f64).into(),
            (found.outside as f64).into(),
            found.width.into(),
            found.paper.into(),
        ]);
    }
    let boxes = Row::new(
        "T13",
        Verdict::of(outside == 0 && (fixed - 1.0).abs() < 1e-12 && is_no_wider, outside == 0),
        "Tumbling boxes over a second, against their boxes at many instants. Ours have what a turning body is proved to reach where that is less than its radius, and the true path between samples in place of a safety \
         margin.",
    )
    .value("bodies outside of their box at an instant", outside as f64, "")
    .value("width of a fixed body's box", fixed, "of its own")
    .table(table);

    let found = shots(effort.pick(25, 200));
    let mut table = Table::new(
        "shots",
        &[
            "speed (m/s)",
            "thickness (m)",
            "time of impact (s)",
            "seen at 30 Hz",
            "seen at 1000 Hz",
            "schedule, at least (s)",
            "schedule, at most (s)",
        ],
    );
    for shot in &found {
        let bracket = shot.scheduled.unwrap_or([f64::NAN; 2]);
        let seen = shot.seen.map(|seen| f64::from(u8::from(seen)));
        table.push(
            [shot.speed, shot.thickness, shot.truth, seen[0], seen[1], bracket[0], bracket[1]].map(Into::into).to_vec(),
        );
    }
    let missed = [0, 1].map(|k| found.iter().filter(|shot| !shot.seen[k]).count());
    let lost = found.iter().filter(|shot| !is_right(shot)).count();
    let bullet = Row::new("T14", Verdict::of(lost == 0 && missed.iter().all(|&count| count > 0), lost == 0), "")
        .value("shots", found.len() as f64, "")
        .value(format!("missed by fixed steps at {} Hz", RATES[0]), missed[0] as f64, "")
        .value(format!("missed by fixed steps at {} Hz", RATES[1]), missed[1] as f64, "")
        .value("missed by the schedule, or not within its bracket", lost as f64, "")
        .table(table);
    vec![boxes, bullet]
}

pub(super) fn schedules(effort: Effort) -> Vec<Row> {
    let sizes: &[usize] = effort.pick(&[40, 300], &[100, 300, 1000]);
    let seconds = effort.pick(3.0, 10.0);
    let mut table = Table::new(
        "worlds",
        &[
            "bodies",
            "speed",
            "collisions",
            "checks, schedule",
            "checks, fixed steps",
            "missed by fixed steps",
            "mean delay of fixed steps (ms)",
        ],
    );
    let mut found = Vec::new();
    let (mut is_ordered, mut unseen) = (true, 0);
    for &bodies in sizes {
        for speed in [0.5, 2.0] {
            let row = scheduling::run(bodies, speed, seconds, 14);
            let times: Vec<f64> = times_of_impacts(bodies, speed, seconds);
            is_ordered &= times.windows(2).all(|pair| pair[0] <= pair[1]);
            if bodies == sizes[0] {
                unseen += unscheduled(bodies, speed, seconds, effort.pick(200.0, 1000.0));
            }
            let scheduling::Row { schedule, fixed, .. } = row;
            table.push(
                [
                    bodies as f64,
                    speed,
                    schedule.seen as f64,
                    schedule.checks as f64,
                    fixed.checks as f64,
                    fixed.missed as f64,
                    1e3 * fixed.late / fixed.seen.max(1) as f64,
                ]
                .map(Into::into)
                .to_vec(),
            );
            found.push(row);
        }
    }
    let sum = |count: fn(&scheduling::Row) -> f64| found.iter().map(count).sum::<f64>();
    let checks = [sum(|row| row.schedule.checks as f64), sum(|row| row.fixed.checks as f64)];
    let missed = sum(|row| row.fixed.missed as f64);
    let dearer = found.iter().filter(|row| row.schedule.checks >= row.fixed.checks).count();
    // The paper's fixed interval: all pairs at every frame.
    let all_pairs = |row: &scheduling::Row| {
        let bodies = row.bodies as u64;
        bodies * (bodies - 1) / 2 * ((seconds * scheduling::FRAMES) as u64 + 1)
    };
    let of_all: f64 = found.iter().map(|row| all_pairs(row) as f64).sum();
    let is_cheaper = found.iter().all(|row| row.schedule.checks < all_pairs(row));
    let is_sound = is_ordered && unseen == 0;
    let schedule = Row::new(
        "T15",
        Verdict::of(is_sound && is_cheaper && missed > 0.0, is_sound),
        "Boxes, plates, balls and bullets that fly on through each other. The paper's fixed steps check all pairs thirty times a second; the schedule makes fewer checks and finds every collision to rounding. With a broad phase \
         of tight boxes in every frame, which the paper's fixed steps do not have, they make fewer checks than the schedule in some worlds, and see a bullet late or never.",
    )
    .value("collisions", sum(|row| row.schedule.seen as f64), "")
    .value("in order", f64::from(u8::from(is_ordered)), "")
    .value("seen by dense steps and not by the schedule", unseen as f64, "")
    .value("checks, schedule", checks[0], "")
    .value("checks, fixed steps of all pairs", of_all, "")
    .value("checks of the schedule, share of those", 100.0 * checks[0] / of_all, "%")
    .value("checks, fixed steps behind a broad phase", checks[1], "")
    .value("worlds", found.len() as f64, "")
    .value("worlds in which the schedule makes more checks than these", dearer as f64, "")
    .value("missed by fixed steps", missed, "")
    .table(table);
    vec![schedule, estimates(effort)]
}

/// The variant with rollback, of balls that bounce. Collisions in a room of balls are chaotic, so runs are short.
fn estimates(effort: Effort) -> Row {
    let mut table = Table::new(
        "rollback",
        &[
            "balls",
            "collisions",
            "the same by estimates",
            "checks, schedule",
            "checks, estimates",
            "rollbacks",
            "seconds back",
            "collisions undone",
        ],
    );
    let (mut all, mut same, mut checks) = (0, 0, [0; 2]);
    let mut sum = Run::default();
    for &balls in effort.pick(&[10, 100][..], &[10, 30, 100][..]) {
        for seed in 0..effort.pick(2, 8) {
            let scene = Scene::new(balls, seed);
            let (truth, run) = (by_schedule(scene.clone(), 1.0), by_estimates(scene, 1.0));
            let agreed = agreeing(&truth, &run);
            all += truth.collisions.len().max(run.collisions.len());
            same += agreed;
            checks = [checks[0] + truth.checks, checks[1] + run.checks];
            sum.rollbacks += run.rollbacks;
            sum.seconds_back += run.seconds_back;
            sum.undone += run.undone;
            table.push(
                [
                    balls as f64,
                    truth.collisions.len() as f64,
                    agreed as f64,
                    truth.checks as f64,
                    run.checks as f64,
                    run.rollbacks as f64,
                    run.seconds_back,
                    run.undone as f64,
                ]
                .map(Into::into)
                .to_vec(),
            );
        }
    }
    Row::new(
        "T16",
        Verdict::of(same == all && sum.rollbacks > 0 && sum.undone > 0, sum.rollbacks > 0 && 2 * same > all),
        "Balls under gravity bounce in a room; estimates take no account of gravity, so they are late. The state goes back to the contact, and collisions after it would be undone. The rule: the collisions are those of the \
         schedule, in order and to a microsecond, and some computation was wasted.",
    )
    .value("collisions", all as f64, "")
    .value("of these, the same with the schedule and by estimates", same as f64, "")
    .value("rollbacks", sum.rollbacks as f64, "")
    .value("time rolled back", sum.seconds_back, "s")
    .value("collisions undone", sum.undone as f64, "")
    .value("checks by estimates, of those of the schedule", checks[1] as f64 / checks[0] as f64, "times")
    .table(table)
}

/// The times of the schedule's collisions, in its order.
fn times_of_impacts(bodies: usize, speed: f64, seconds: f64) -> Vec<f64> {
    let world = scheduling::scene(bodies, speed, 14);
    world.impacts(Interval::new(0.0, seconds).expect("an interval")).map(|found| found.time()).collect()
}

/// Pairs that overlap at one of many instants but neither at the start nor, by then, in the schedule.
fn unscheduled(bodies: usize, speed: f64, seconds: f64, rate: f64) -> usize {
    let mut world = scheduling::scene(bodies, speed, 14);
    let impacts: Vec<_> = world
        .impacts(Interval::new(0.0, seconds).expect("an interval"))
        .map(|found| (found.bodies, found.time()))
        .collect();
    let mut lost = std::collections::BTreeSet::new();
    let mut at_start = std::collections::BTreeSet::new();
    for frame in 0..=(seconds * rate) as u32 {
        let time = f64::from(frame) / rate;
        world.set_time(time);
        for pair in world.update().overlapping() {
            let ids = [pair.a, pair.b];
            if frame == 0 {
                at_start.insert(ids);
            } else if !at_start.contains(&ids) && !impacts.iter().any(|(of, when)| *of == ids && *when <= time) {
                lost.insert(ids);
            }
        }
    }
    lost.len()
}
