//! The complete multi-body simulation of I-COLLIDE and Q-COLLIDE: boxes, broad phase, narrow phase, response.
//!
//! Every combination of a broad phase and an engine moves a [swarm](clearance_lab::swarm) of its own. The response follows from the answers, so all
//! of them have the same frames while all answers agree; the module asserts that they do to the end. The measured time is that of the papers:
//! collision detection, here [`World::set_pose`] and [`World::update`].
//!
//! Engines that track closest features answer with the clearance in every frame, as the papers' did; ours then also computes the
//! depth of pairs that overlap. The others answer with yes or no.

use clearance::broad::BroadKind;
use clearance::math::DVec3;
use clearance::world::{Config, Detail};
use clearance::{BodyId, Engine, World};
use clearance_lab::swarm::{Kind, Response, Setting, Swarm};
use std::time::{Duration, Instant};

/// An engine in a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contender {
    /// Its name in the papers.
    pub name: &'static str,
    /// The engine.
    pub engine: Engine,
    /// Its answer.
    pub detail: Detail,
}

/// All engines of the comparison; the last is the default of a world.
pub const ENGINES: &[Contender] = &[
    Contender { name: "ISA-GJK", engine: Engine::Gjk, detail: Detail::Intersection },
    Contender { name: "V-Clip", engine: Engine::VClip, detail: Detail::Clearance },
    Contender { name: "vector", engine: Engine::SeparatingVector, detail: Detail::Intersection },
    Contender { name: "auto", engine: Engine::Auto, detail: Detail::Intersection },
];

/// The result of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Pairs that began to overlap.
    pub collisions: usize,
    /// Pairs that overlapped, summed over the frames.
    pub overlaps: usize,
    /// Pairs whose boxes overlapped, summed over the frames.
    pub candidates: usize,
    /// The final positions, summed; equal only if all bodies moved equally.
    pub ends: DVec3,
}

/// Moves a swarm for some frames; the times are those of collision detection, of all frames but the first.
#[must_use]
pub fn run(setting: &Setting, frames: usize, broad: BroadKind, contender: Contender) -> (Outcome, Vec<Duration>) {
    let mut swarm = Swarm::new(setting, 1995);
    let Contender { engine, detail, .. } = contender;
    let mut world = World::new(Config { broad, engine, detail, margin: 0.0 });
    let insert = |body: usize| world.insert(swarm.shapes()[swarm.shape_of(body)].clone(), swarm.pose(body));
    let ids: Vec<BodyId> = (0..swarm.len()).map(insert).collect();
    let mut outcome = Outcome { collisions: 0, overlaps: 0, candidates: 0, ends: DVec3::ZERO };
    let mut times = Vec::new();
    for frame in 0..frames {
        let poses: Vec<_> = (0..swarm.len()).map(|body| swarm.pose(body)).collect();
        let start = Instant::now();
        for (&id, &pose) in ids.iter().zip(&poses) {
            world.set_pose(id, pose);
        }
        let update = world.update();
        // The first frame fills empty tables.
        if frame > 0 {
            times.push(start.elapsed());
        }
        outcome.overlaps += update.overlapping().count();
        outcome.candidates += update.candidates();
        // Bodies that overlap from the start have not met: they drift apart.
        if frame > 0 {
            outcome.collisions += update.started().len();
            for [a, b] in update.started() {
                swarm.meet(a.slot() as usize, b.slot() as usize);
            }
        }
        swarm.step();
    }
    outcome.ends = (0..swarm.len()).map(|body| swarm.pose(body).translation()).sum();
    (outcome, times)
}

/// A row of settings, with the paper's statement about it.
struct Part {
    title: &'static str,
    /// Two engines of which the second is faster, by the paper.
    faster: [&'static str; 2],
    settings: Vec<(String, Setting)>,
    frames: usize,
}

fn parts(quick: bool) -> Vec<Part> {
    let chung = Setting { bodies: 100, kind: Kind::Mixture, response: Response::Reverse, ..Setting::USUAL };
    let frames = |count: usize| if quick { 20 } else { count };
    let some = |all: &[f64]| if quick { vec![all[all.len() - 1]] } else { all.to_vec() };
    let vary = |values: Vec<f64>, set: &dyn Fn(f64) -> Setting| -> Vec<(String, Setting)> {
        values.into_iter().map(|value| (value.to_string(), set(value))).collect()
    };
    let mut parts = vec![
        Part {
            title: "[GJK] appendix B, figure 4: 20 bodies of 20 vertices, by density. \"ISA-GJK is roughly five times faster than \
                    Lin-Canny.\"",
            faster: ["V-Clip", "ISA-GJK"],
            settings: vary(some(&[0.05, 0.1, 0.2]), &|density| Setting { density, ..Setting::USUAL }),
            frames: frames(2000),
        },
        Part {
            title: "[GJK] figure 5: the same by radii per frame",
            faster: ["V-Clip", "ISA-GJK"],
            settings: vary(some(&[0.02, 0.1, 0.2]), &|speed| Setting { speed, ..Setting::USUAL }),
            frames: frames(2000),
        },
        Part {
            title: "[GJK] figure 6: the same by degrees per frame",
            faster: ["V-Clip", "ISA-GJK"],
            settings: vary(some(&[5.0, 20.0, 40.0]), &|degrees| Setting { degrees, ..Setting::USUAL }),
            frames: frames(2000),
        },
    ];
    for vertices in [20, 500] {
        let usual = Setting { vertices, bodies: if quick { 30 } else { 100 }, ..chung };
        let rows = |what: &'static str, values: &[f64], set: &dyn Fn(f64) -> Setting| Part {
            title: what,
            faster: ["V-Clip", "vector"],
            settings: vary(some(values), set),
            frames: frames(300),
        };
        let titles = if vertices == 20 {
            [
                "[QC] figure 6.6: 100 ellipsoids, rods and plates of 20 vertices, by radii per frame. Closest features slow down \
                 \"substantially\", the separating vector \"slightly\".",
                "[QC] figure 6.8: the same by degrees per frame",
                "[QC] figure 6.10: the same by density",
            ]
        } else {
            [
                "[QC] figure 6.7: 500 vertices, by radii per frame. \"Nearly 28 times\" from closest features to the separating \
                 vector at 0.2.",
                "[QC] figure 6.9: the same by degrees per frame",
                "[QC] figure 6.11: the same by density",
            ]
        };
        parts.push(rows(titles[0], &[0.02, 0.05, 0.2], &|speed| Setting { speed, ..usual }));
        parts.push(rows(titles[1], &[5.0, 40.0], &|degrees| Setting { degrees, ..usual }));
        parts.push(rows(titles[2], &[0.05, 0.2], &|density| Setting { density, ..usual }));
    }
    parts
}

/// The tables: microseconds per frame with the default broad phase, every engine; then every broad phase with every engine for one
/// setting.
///
/// # Panics
///
/// If two combinations do not see the same collisions.
#[must_use]
pub fn tables(quick: bool) -> String {
    let mut text = String::from(
        "The multi-body simulation of I-COLLIDE and Q-COLLIDE: microseconds per frame for collision detection, boxes and broad phase\n\
         included. ISA-GJK, vector (separating vectors) and auto answer with yes or no, V-Clip, in the place of Lin-Canny, with the closest points, or the\n\
         depth, of every candidate. The papers give no numbers beside their figures but those quoted.\n",
    );
    let passes = if quick { 1 } else { 4 };
    for Part { title, faster, settings, frames } in parts(quick) {
        text += &format!("\n{title}\n{:>10} {:>10} {:>10}", "", "candidates", "collisions");
        ENGINES.iter().for_each(|contender| text += &format!(" {:>10}", contender.name));
        text += &format!("  {} / {}\n", faster[0], faster[1]);
        for (label, setting) in settings {
            let (outcome, times) = compare(&setting, frames, &[BroadKind::default()], passes);
            let per_frame = |count: usize| count as f64 / frames as f64;
            text += &format!("{label:>10} {:>10.1} {:>10}", per_frame(outcome.candidates), outcome.collisions);
            times.iter().for_each(|time| text += &format!(" {:>10.1}", 1e6 * time));
            let [slow, fast] = faster.map(|name| {
                let place = ENGINES.iter().position(|contender| contender.name == name);
                times[place.expect("a contender's name")]
            });
            text += &format!("  {:.2}\n", slow / fast);
        }
    }
    let crowd = Setting { bodies: if quick { 50 } else { 500 }, ..Setting::USUAL };
    text += &format!("\nEvery broad phase with every engine: {} bodies of 20 vertices\n{:>14}", crowd.bodies, "");
    ENGINES.iter().for_each(|contender| text += &format!(" {:>10}", contender.name));
    text += "\n";
    let (_, times) = compare(&crowd, if quick { 10 } else { 100 }, &BroadKind::ALL, passes);
    for (kind, times) in BroadKind::ALL.iter().zip(times.chunks(ENGINES.len())) {
        text += &format!("{:>14}", kind.name());
        times.iter().for_each(|time| text += &format!(" {:>10.1}", 1e6 * time));
        text += "\n";
    }
    text
}

/// Runs every combination, asserts that they agree, and gives their seconds per frame: engines in turn for each broad phase. They take
/// turns for some passes, and the shortest time of each frame counts.
fn compare(setting: &Setting, frames: usize, kinds: &[BroadKind], passes: usize) -> (Outcome, Vec<f64>) {
    let mut first = None;
    let mut best = vec![vec![Duration::MAX; frames - 1]; kinds.len() * ENGINES.len()];
    for _ in 0..passes {
        let combinations = kinds.iter().flat_map(|&kind| ENGINES.iter().map(move |&contender| (kind, contender)));
        for ((kind, contender), best) in combinations.zip(&mut best) {
            let (outcome, times) = run(setting, frames, kind, contender);
            let expected = *first.get_or_insert(outcome);
            assert_eq!(outcome, expected, "{} and {} see something else", kind.name(), contender.name);
            best.iter_mut().zip(times).for_each(|(best, time)| *best = time.min(*best));
        }
    }
    let mean = |times: &Vec<Duration>| times.iter().sum::<Duration>().as_secs_f64() / times.len() as f64;
    (first.expect("there are passes"), best.iter().map(mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_broad_phases_and_engines_see_the_same_collisions() {
        for setting in [
            Setting { bodies: 40, density: 0.2, ..Setting::USUAL },
            Setting { bodies: 30, kind: Kind::Mixture, response: Response::Reverse, speed: 0.2, ..Setting::USUAL },
        ] {
            let (outcome, _) = compare(&setting, 80, &BroadKind::ALL, 1);
            assert!(outcome.collisions > 20 && outcome.candidates > 2 * outcome.overlaps, "{outcome:?}");
        }
    }
}
