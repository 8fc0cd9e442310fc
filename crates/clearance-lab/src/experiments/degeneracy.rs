//! Algorithm 10 of the V-Clip paper: bisection to the pose where the closest features of two cubes change.

use crate::{Rng, models, random};
use clearance::math::{DQuat, DVec3};
use clearance::{Engine, Feature, Pair, Pose, Shape};

/// A scene for the trials: the size of the cubes, and how far the whole scene is from the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// Half a side of the cubes: 1 in the paper.
    pub scale: f64,
    /// Both cubes are moved this far.
    pub away: f64,
}

/// As in the paper; small, large, and far away.
pub const SETTINGS: [Setting; 4] = [
    Setting { scale: 1.0, away: 0.0 },
    Setting { scale: 1e-3, away: 0.0 },
    Setting { scale: 1e3, away: 0.0 },
    Setting { scale: 1.0, away: 1e6 },
];

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// Bisections.
    pub trials: usize,
    /// Calls of the engine.
    pub calls: usize,
    /// Walks that ended in a circle or otherwise had to be rescued.
    pub rescues: usize,
    /// Answers further than 1e-12 of the size from GJK's.
    pub wrong: usize,
    /// Answers that say the cubes touch; they never do.
    pub false_penetrations: usize,
    /// The largest disagreement with GJK, in half sides.
    pub difference: f64,
}

/// A pose of the second cube, favouring near parallel faces.
fn pose(rng: &mut Rng, setting: Setting) -> Pose {
    let center = DVec3::new(random::uniform(rng, -4.0, 4.0), random::uniform(rng, -4.0, 4.0), 4.0) * setting.scale;
    let angle = (-random::uniform(rng, 0.0, 20.0)).exp();
    Pose::new(center + DVec3::splat(setting.away), DQuat::from_axis_angle(random::direction(rng), angle))
}

fn average(a: &Pose, b: &Pose) -> Pose {
    let (p, q) = (a.rotation(), b.rotation());
    let q = if p.dot(q) < 0.0 { -q } else { q };
    Pose::new(0.5 * (a.translation() + b.translation()), p + q)
}

/// Runs so many trials with an engine.
#[must_use]
pub fn run(engine: Engine, setting: Setting, trials: usize) -> Report {
    let mut rng = Rng::with_seed(10);
    let points: Vec<DVec3> = models::cuboid(DVec3::splat(setting.scale));
    let cube = Shape::hull(&points).expect("a model has points");
    let still = Pose::from_translation(DVec3::splat(setting.away));
    let mut report = Report { trials, ..Report::default() };
    for _ in 0..trials {
        let mut pair = Pair::new(&cube, &cube).engine(engine);
        let mut look = |pose: Pose| -> [Feature; 2] {
            let found = pair.distance(still, pose);
            let check = clearance::distance(&cube, still, &cube, pose);
            let difference = (found.distance - check.distance).abs() / setting.scale;
            report.calls += 1;
            report.rescues += usize::from(found.cost.rescues > check.cost.rescues);
            report.wrong += usize::from(difference > 1e-12);
            report.false_penetrations += usize::from(found.distance <= 0.0);
            report.difference = report.difference.max(difference);
            found.features(&cube, &cube)
        };
        let (mut low, mut high) = (pose(&mut rng, setting), pose(&mut rng, setting));
        let first = look(low);
        // After that many halvings the poses are equal but for the rounding of the average, which may never settle.
        for _ in 0..100 {
            let middle = average(&low, &high);
            if middle == low || middle == high {
                break;
            }
            if look(middle) == first { low = middle } else { high = middle }
        }
    }
    report
}

/// The table, as text.
#[must_use]
pub fn table(rows: &[(&str, Setting, Report)]) -> String {
    let mut text = String::from(
        "Algorithm 10: bisections to the pose where the closest features change, on nearly parallel cubes. The difference is\n\
         that from a cold GJK, in half sides; wrong is more than 1e-12.\n\n\
         engine     half side     away    trials      calls  rescues    wrong  touching  difference\n",
    );
    for (engine, setting, report) in rows {
        text += &format!(
            "{engine:<10} {:>9.0e} {:>8.0e} {:>9} {:>10} {:>8} {:>8} {:>9} {:>11.1e}\n",
            setting.scale,
            setting.away,
            report.trials,
            report.calls,
            report.rescues,
            report.wrong,
            report.false_penetrations,
            report.difference,
        );
    }
    text
}
