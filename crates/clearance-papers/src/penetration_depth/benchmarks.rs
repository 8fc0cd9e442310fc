//! Tables 2 and 3 of the penetration-depth paper: its own pipeline on its four benchmarks, level by level, and without its acceleration.
//!
//! Beside each answer is the certified depth, which gives the error of the picture; the paper had nothing to compare with.

use crate::penetration_depth::image_space::{
    Acceleration, ImageBody, ImageDepth, ImageLevel, ImageOptions, Stage, estimate_watched,
};
use crate::penetration_depth::poses::{PaperCase, paper_cases};
use clearance::depth::{Depth, DepthBudget, depth};
use clearance::{Pose, Shape};
use clearance_lab::Rng;
use clearance_lab::solids::{OverlapCase, overlap_cases};
use cpu_time::ThreadTime;
use std::fmt::Write;

/// A level of the hierarchies, and the seconds of processor time of its stages.
#[derive(Debug, Clone, Copy)]
pub struct LevelRow {
    /// The counts.
    pub level: ImageLevel,
    /// Culling, sums, drawing.
    pub seconds: [f64; 3],
}

/// A benchmark at one pose.
#[derive(Debug, Clone)]
pub struct Benchmark {
    /// Its name.
    pub name: &'static str,
    /// Triangles of A and B.
    pub triangles: [usize; 2],
    /// Surface pieces of A and B.
    pub pieces: [usize; 2],
    /// The levels.
    pub rows: Vec<LevelRow>,
    /// The depth in the picture, with surface pieces.
    pub seen: ImageDepth,
    /// The depth in the picture with pieces that fill the solids.
    pub seen_solid: ImageDepth,
    /// The certified depth.
    pub truth: Depth,
    /// The time of the basic algorithm, in seconds, extrapolated from a part of its pairs; and the number of sums that it would draw.
    pub basic: (f64, f64),
}

fn watched(bodies: &[ImageBody; 2], pose: Pose, options: ImageOptions) -> (ImageDepth, Vec<LevelRow>) {
    let mut rows: Vec<LevelRow> = Vec::new();
    let mut seconds = [0.0; 3];
    let mut start = ThreadTime::now();
    let seen = estimate_watched(&bodies[0], Pose::IDENTITY, &bodies[1], pose, options, &mut |stage, level| {
        let stage = match stage {
            Stage::Culled => 0,
            Stage::Summed => 1,
            Stage::Drawn => 2,
        };
        seconds[stage] = start.elapsed().as_secs_f64();
        if stage == 2 {
            rows.push(LevelRow { level: *level, seconds });
        }
        start = ThreadTime::now();
    });
    (seen, rows)
}

/// A case. `part` sums and one pass of the basic algorithm are measured.
///
/// # Panics
///
/// If a solid of the case has no pieces; those of the paper have some.
#[must_use]
pub fn run(case: &PaperCase, options: ImageOptions, part: usize) -> Benchmark {
    let [a, b] = &case.shapes;
    let meshes = [a, b].map(|shape| match shape {
        Shape::Mesh(mesh) => mesh,
        _ => unreachable!("cases are meshes"),
    });
    let pose = case.pose;
    let surface = meshes.map(|mesh| ImageBody::of_surface(mesh).expect("plain coordinates"));
    let solid = meshes.map(|mesh| ImageBody::of_solid(mesh).expect("solids"));
    let (seen, rows) = watched(&surface, pose, options);
    let (seen_solid, _) = watched(&solid, pose, options);
    let truth = depth(a, Pose::IDENTITY, b, pose, DepthBudget { width: 1e-6 * case.size, ..DepthBudget::default() });
    let pieces = [surface[0].piece_count(), surface[1].piece_count()];
    let all = pieces[0] * pieces[1];
    let every = (all / part).max(1);
    let basic = ImageOptions { acceleration: Acceleration::Basic { every, passes: 1 }, ..options };
    let (_, basic) = watched(&surface, pose, basic);
    // Each sum is computed once; each pass draws all of them, and there are as many passes as sums.
    let (share, count) = (all as f64 / basic[0].level.kept.max(1) as f64, all as f64);
    let seconds = basic[0].seconds[1] * share + basic[0].seconds[2] * share * count;
    let triangles = meshes.map(|mesh| mesh.triangles().len());
    Benchmark { name: case.name, triangles, pieces, rows, seen, seen_solid, truth, basic: (seconds, count * count) }
}

/// The four benchmarks, in full or with small buffers.
#[must_use]
pub fn all(is_quick: bool) -> Vec<Benchmark> {
    let options = if is_quick {
        ImageOptions { resolution: 64, on_the_way: 32, ..ImageOptions::default() }
    } else {
        ImageOptions::default()
    };
    paper_cases().iter().map(|case| run(case, options, if is_quick { 40 } else { 400 })).collect()
}

/// The errors of pictures, at random poses.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Accuracy {
    /// Poses.
    pub poses: usize,
    /// Poses at which the nearest point was nearer than the proved lower bound by more than single precision: there the estimate is not an upper
    /// bound.
    pub too_near: usize,
    /// The mean excess of the nearest point, as a part of the depth.
    pub error: f64,
    /// The same for the nearest point that is proved to be free.
    pub free_error: f64,
}

/// Pictures of a case compared with the certified depth.
///
/// # Panics
///
/// As [`run`].
#[must_use]
pub fn accuracy(case: &OverlapCase, resolution: usize, is_solid: bool, poses: usize) -> Accuracy {
    let [a, b] = &case.shapes;
    let make = if is_solid { ImageBody::of_solid } else { ImageBody::of_surface };
    let bodies = [a, b].map(|shape| match shape {
        Shape::Mesh(mesh) => make(mesh).expect("solids with plain coordinates"),
        _ => unreachable!("cases are meshes"),
    });
    let options = ImageOptions { resolution, on_the_way: resolution / 2, ..ImageOptions::default() };
    let mut rng = Rng::with_seed(41);
    let mut found = Accuracy { poses, ..Accuracy::default() };
    for _ in 0..poses {
        let pose = case.pose(&mut rng);
        let budget = DepthBudget { width: 1e-6 * case.size, ..DepthBudget::default() };
        let truth = depth(a, Pose::IDENTITY, b, pose, budget);
        let (seen, _) = watched(&bodies, pose, options);
        found.too_near += usize::from(seen.estimate < truth.lower - 1e-6 * case.size);
        found.error += (seen.estimate / truth.upper - 1.0).max(0.0) / poses as f64;
        found.free_error += (seen.upper / truth.upper - 1.0).max(0.0) / poses as f64;
    }
    found
}

/// Pictures of growing resolution, as text.
#[must_use]
pub fn accuracy_table() -> String {
    let mut text = String::from("how right pictures are, beside the certified depth (section 6.4)\n");
    let _ = writeln!(
        text,
        "{:<17} {:>8} {:>7} {:>6} {:>9} {:>9} {:>9}",
        "", "pieces", "pixels", "poses", "too near", "error, %", "free, %"
    );
    let (poses, sizes) = (5, [16, 64, 256]);
    for case in overlap_cases().iter().filter(|case| case.name != "coincident tori") {
        for &(name, is_solid) in &[("surface", false), ("solid", true)] {
            for size in sizes {
                let Accuracy { poses, too_near, error, free_error } = accuracy(case, size, is_solid, poses);
                let _ = writeln!(
                    text,
                    "{:<17} {name:>8} {size:>7} {poses:>6} {too_near:>9} {:>9.3} {:>9.3}",
                    case.name,
                    100.0 * error,
                    100.0 * free_error
                );
            }
        }
    }
    text
}

/// Both tables as text.
#[must_use]
pub fn table(rows: &[Benchmark]) -> String {
    let mut text = String::from("penetration depth by drawing (table 2; times of the processor)\n");
    for row in rows {
        let [triangles, pieces] = [row.triangles, row.pieces].map(|both| format!("{} & {}", both[0], both[1]));
        let _ = writeln!(text, "{}: {triangles} faces, {pieces} pieces", row.name);
        let _ = writeln!(
            text,
            "{:>6} {:>10} {:>12} {:>12} {:>10} {:>7} {:>9}",
            "level", "culled, %", "sums, ms", "drawing, ms", "facets", "passes", "estimate"
        );
        for LevelRow { level, seconds } in &row.rows {
            let _ = writeln!(
                text,
                "{:>6} {:>10.1} {:>12.2} {:>12.2} {:>10} {:>7} {:>9.4}",
                level.level,
                100.0 * level.cull_ratio(),
                1e3 * seconds[1],
                1e3 * seconds[2],
                level.facets,
                level.passes,
                level.estimate
            );
        }
        let _ = writeln!(
            text,
            "  seen {:.5} (free {:.5}, {} nearer points are not); with solid pieces {:.5} (free {:.5}, {} are not); proved {:.5} to {:.5}",
            row.seen.estimate,
            row.seen.upper,
            row.seen.refused,
            row.seen_solid.estimate,
            row.seen_solid.upper,
            row.seen_solid.refused,
            row.truth.lower,
            row.truth.upper
        );
    }
    let _ = writeln!(text, "\nwithout acceleration (table 3, extrapolated from a part of the pairs)");
    let _ = writeln!(text, "{:<17} {:>14} {:>12} {:>12}", "", "without, s", "with, s", "ratio");
    for row in rows {
        let with: f64 = row.rows.iter().flat_map(|level| level.seconds).sum();
        let _ = writeln!(text, "{:<17} {:>14.0} {with:>12.3} {:>12.0}", row.name, row.basic.0, row.basic.0 / with);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's statements about its pipeline, on its smallest benchmark: pairs are culled, estimates fall from level to level, and the last one
    /// is right up to the resolution.
    #[test]
    fn pairs_are_culled_and_the_picture_is_nearly_right() {
        let options = ImageOptions { resolution: 32, on_the_way: 16, ..ImageOptions::default() };
        let [.., case] = paper_cases();
        let Benchmark { rows, seen, seen_solid, truth, basic, .. } = run(&case, options, 20);
        assert!(rows.last().is_some_and(|row| row.level.cull_ratio() > 0.5), "{rows:?}");
        assert!(rows.windows(2).all(|pair| pair[1].level.estimate <= pair[0].level.estimate), "{rows:?}");
        for picture in [&seen, &seen_solid] {
            assert!(picture.estimate >= truth.lower * (1.0 - 1e-6), "{picture:?} {truth:?}");
            assert!(picture.upper >= truth.lower && picture.upper < 1.01 * truth.upper, "{picture:?} {truth:?}");
        }
        // The number of sums drawn without acceleration, in each view, compared with those that were drawn.
        let drawn: usize = rows.iter().map(|row| row.level.drawn).sum();
        assert!(6.0 * basic.1 > 20.0 * drawn as f64, "{drawn} {basic:?}");
    }
}
