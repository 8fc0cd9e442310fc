//! Table 1 and figure 6 of the two-phase paper: coherent and plain hashing on four scenes, and the effect of crowded coordinates on sweep and
//! prune.
//!
//! The paper's scenes came from its simulator; ours are those of [`scenes`](super::scenes), in steps of a millisecond, with the boxes of the
//! volumes that bodies sweep in a step, as in the paper's figure 1.

use super::scenes::{BoxKind, SCENES, Tracks};
use super::tiles::size;
use super::tiling::{Form, PrintedHash, Tiling};
use super::{CoherentHash, HashWork, PlainHash};
use clearance::broad::{BroadPhase, Tree};
use clearance::internals::broad::{Prune, SweepPrune};
use clearance::math::{Aabb, DVec3};
use clearance_lab::{Rng, random};
use cpu_time::ThreadTime;
use std::time::Duration;

/// The work of the two hashes in an update, on average over a whole track without its first frame, which fills empty tables.
#[must_use]
pub fn work(tracks: &Tracks) -> [[f64; 2]; 2] {
    fn of<P: BroadPhase + Default>(tracks: &Tracks, work: impl Fn(&P) -> HashWork) -> [f64; 2] {
        let mut phase = P::default();
        let mut first = HashWork::default();
        for (frame, boxes) in tracks.iter().enumerate() {
            boxes.iter().zip(0..).for_each(|(bounds, slot)| phase.set(slot, bounds));
            phase.update();
            if frame == 0 {
                first = work(&phase);
            }
        }
        let (last, frames) = (work(&phase), (tracks.len() - 1) as f64);
        [(last.buckets - first.buckets) as f64 / frames, (last.read - first.read) as f64 / frames]
    }
    [of(tracks, |hash: &PlainHash| hash.finder().work()), of(tracks, |hash: &CoherentHash| hash.finder().work())]
}

/// The processor's time for an update, over a whole track; the best of some passes.
#[must_use]
pub fn time<P: BroadPhase + Default>(tracks: &Tracks, passes: usize) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..passes {
        let mut phase = P::default();
        let mut update = |boxes: &Vec<Aabb>| {
            for (bounds, slot) in boxes.iter().zip(0..) {
                phase.set(slot, bounds);
            }
            phase.update();
        };
        // The first one fills empty tables. One read of the clock for all others: a read takes as long as an update.
        update(&tracks[0]);
        let start = ThreadTime::now();
        tracks[1..].iter().for_each(&mut update);
        best = best.min(start.elapsed());
    }
    best / (tracks.len() as u32 - 1)
}

/// Both forms of the printed hash over a whole track, with the alpha and beta of figure 2 and the resolutions of the first frame's sizes. Returns the
/// frames in which their close pairs differ, the labels that they store in the last frame, and the CPU nanoseconds of an update.
#[must_use]
pub fn printed(tracks: &Tracks, passes: usize) -> (usize, [usize; 2], [f64; 2]) {
    let sizes: Vec<f64> = tracks[0].iter().map(size).collect();
    let tiling = Tiling::of_sizes(0.5, 1.0, &sizes);
    let hash = |form| PrintedHash::new(form, tiling.clone(), &sizes);
    let [mut plain, mut coherent] = [Form::Plain, Form::Coherent].map(hash);
    let mut different = 0;
    for boxes in tracks.iter().step_by(10) {
        plain.update(boxes);
        coherent.update(boxes);
        different += usize::from(plain.close_pairs() != coherent.close_pairs());
    }
    let nanoseconds = [Form::Plain, Form::Coherent].map(|form| {
        let mut best = f64::INFINITY;
        for _ in 0..passes {
            let mut hash = hash(form);
            hash.update(&tracks[0]);
            let start = ThreadTime::now();
            tracks[1..].iter().for_each(|boxes| hash.update(boxes));
            best = best.min(start.elapsed().as_nanos() as f64);
        }
        best / (tracks.len() - 1) as f64
    });
    (different, [plain.labels(), coherent.labels()], nanoseconds)
}

/// Table 1 as text.
#[must_use]
pub fn table(frames: usize, passes: usize) -> String {
    let mut text = String::from(
        "Table 1 of the two-phase paper: nanoseconds per update on four scenes, and how many times coherent hashing is cheaper.\n\n\
         scene              bodies     plain  coherent    ratio   (paper)     sweep      tree     prune\n",
    );
    for scene in &SCENES {
        let tracks = scene.record(frames).tracks(BoxKind::Grown);
        let plain = time::<PlainHash>(&tracks, passes).as_nanos();
        let coherent = time::<CoherentHash>(&tracks, passes).as_nanos();
        text += &format!(
            "{:<18} {:>6} {plain:>9} {coherent:>9} {:>8.1} {:>9.1} {:>9} {:>9} {:>9}\n",
            scene.name,
            tracks[0].len(),
            plain as f64 / coherent as f64,
            scene.paper,
            time::<SweepPrune>(&tracks, passes).as_nanos(),
            time::<Tree>(&tracks, passes).as_nanos(),
            time::<Prune>(&tracks, passes).as_nanos(),
        );
    }
    text
}

/// Parts that tremble: on a table, where their heights are crowded together, or each at a height of its own.
#[must_use]
pub fn trembling(count: usize, crowded: bool, frames: usize) -> Tracks {
    let mut rng = Rng::with_seed(6);
    let side = 2.0 * (count as f64).sqrt();
    let places: Vec<DVec3> = (0..count)
        .map(|_| DVec3::new(side * rng.f64(), if crowded { 0.0 } else { side * rng.f64() }, side * rng.f64()))
        .collect();
    let mut frame = || {
        let mut part = |place: &DVec3| {
            let center = *place + random::vector(&mut rng, -0.01, 0.01);
            Aabb { min: center - 0.5, max: center + 0.5 }
        };
        places.iter().map(&mut part).collect()
    };
    (0..frames).map(|_| frame()).collect()
}

/// Figure 6 as a table.
#[must_use]
pub fn clusters(frames: usize, counts: &[usize]) -> String {
    let mut text = String::from(
        "Figure 6 of the two-phase paper: parts that tremble, at heights of their own and then on a table. Nanoseconds per part and\n\
         update; exchanges in the sorted lists per part and update.\n\n\
         parts  heights      sweep  exchanges  coherent     plain      tree     prune\n",
    );
    for &count in counts {
        for (crowded, what) in [(false, "spread"), (true, "crowded")] {
            let tracks = trembling(count, crowded, frames);
            let each = |time: Duration| time.as_nanos() as usize / count;
            let mut sweep = SweepPrune::default();
            for boxes in &tracks {
                boxes.iter().zip(0..).for_each(|(bounds, slot)| sweep.set(slot, bounds));
                sweep.update();
            }
            text += &format!(
                "{count:>5}  {what:<8} {:>9} {:>10.1} {:>9} {:>9} {:>9} {:>9}\n",
                each(time::<SweepPrune>(&tracks, 2)),
                sweep.finder().exchanges() as f64 / ((frames - 1) * count) as f64,
                each(time::<CoherentHash>(&tracks, 2)),
                each(time::<PlainHash>(&tracks, 2)),
                each(time::<Tree>(&tracks, 2)),
                each(time::<Prune>(&tracks, 2)),
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_have_proper_boxes_that_move_a_little_and_meet() {
        for scene in &SCENES {
            let tracks = scene.record(300).tracks(BoxKind::Grown);
            let mut phase = CoherentHash::default();
            let (mut pairs, mut moved) = (0, 0.0_f64);
            for (frame, boxes) in tracks.iter().enumerate() {
                for (bounds, slot) in boxes.iter().zip(0..) {
                    assert!(bounds.min.cmple(bounds.max).all() && bounds.min.is_finite(), "{}: {bounds:?}", scene.name);
                    phase.set(slot, bounds);
                }
                phase.update();
                pairs += phase.pairs().len();
                if frame > 0 {
                    moved = moved.max((tracks[frame - 1][boxes.len() - 1].min - boxes[boxes.len() - 1].min).length());
                }
            }
            assert!(pairs >= 200 && moved > 0.0, "{}: {pairs} pairs", scene.name);
        }
    }

    #[test]
    fn crowded_heights_make_sweep_and_prune_exchange_more() {
        let exchanges = [false, true].map(|crowded| {
            let mut sweep = SweepPrune::default();
            for boxes in trembling(300, crowded, 5) {
                boxes.iter().zip(0..).for_each(|(bounds, slot)| sweep.set(slot, bounds));
                sweep.update();
            }
            sweep.finder().exchanges()
        });
        assert!(exchanges[1] > 10 * exchanges[0], "{exchanges:?}");
    }
}
