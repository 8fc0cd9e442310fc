//! Rates of batches on a CUDA device, and whether every answer is the library's: the table in COMPARE.md.
//!
//! `cargo run --release -p clearance-gpu --example measure -- [log2 of the queries of a batch] [batches to compare]`

use clearance::math::DVec3;
use clearance::{Axis, Batch, HalfHeight, Pose, Radius, Shape};
use clearance_gpu::{Arm, Batches, Bodies, Gpu, GpuError, Joint, OnePair, PoseNumbers, decided};
use fastrand::Rng;
use std::time::Instant;

/// Repetitions of each measurement.
const TIMES: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let (power, batches_to_compare) = (numbers.first().copied().unwrap_or(20), numbers.get(1).copied().unwrap_or(1));
    let batches = Batches::open();
    println!("{}", batches.describe());
    let Some(gpu) = batches.gpu() else { return Ok(()) };
    let count = 1 << power;
    let mut rng = Rng::with_seed(1);
    let cube = Shape::cuboid([1.0, 0.8, 0.6])?;
    let [a, b] = [hull(20, &mut rng), hull(20, &mut rng)];
    let capsule = Shape::capsule(Axis::X, Radius(0.4), HalfHeight(0.8))?;
    for (name, pair, margin, side) in [
        ("boxes, yes/no", OnePair::new(&cube, &cube), 0.0, 4.0),
        ("hulls of 20, yes/no", OnePair::new(&a, &b), 0.0, 4.0),
        ("hulls of 20, within 0.1", OnePair::new(&a, &b), 0.1, 4.0),
        ("capsules, yes/no", OnePair::new(&capsule, &capsule), 0.0, 3.2),
    ] {
        verdicts(gpu, name, &pair, margin, side, count, batches_to_compare)?;
    }
    gaps(gpu, "hulls of 20, gap", &OnePair::new(&a, &b), 4.0, count, batches_to_compare)?;
    transfer(gpu, "boxes, yes/no", &OnePair::new(&cube, &cube), 4.0, count.min(1 << 26))?;
    transfer(gpu, "hulls of 20, yes/no", &OnePair::new(&a, &b), 4.0, count.min(1 << 26))?;
    many(gpu, count.min(1 << 26))?;
    arm(gpu, count.min(1 << 24))?;
    Ok(())
}

/// A hull of points on the unit ball.
fn hull(count: usize, rng: &mut Rng) -> Shape {
    let mut signed = || 2.0 * rng.f64() - 1.0;
    let points: Vec<DVec3> =
        (0..count).map(|_| DVec3::new(signed(), signed(), signed()).normalize_or(DVec3::X)).collect();
    Shape::hull(&points).expect("points on a ball have a hull")
}

/// Uniform places in a cube of that side, rotations that are not made units.
fn poses(side: f32, count: usize, seed: u64) -> Vec<PoseNumbers> {
    let blocks: Vec<u64> = (0..count.div_ceil(4096) as u64).collect();
    let blocks = Batch::new(&blocks).map(|&block| {
        let mut rng = Rng::with_seed(seed << 40 | block);
        let mut signed = || 2.0 * rng.f32() - 1.0;
        let pose = |_| {
            let t = [0; 3].map(|_| signed() * 0.5 * side);
            let q = [0; 4].map(|_| signed());
            [t[0], t[1], t[2], q[0], q[1], q[2], q[3]]
        };
        (0..4096).map(pose).collect::<Vec<PoseNumbers>>()
    });
    let mut all: Vec<PoseNumbers> = blocks.into_iter().flatten().collect();
    all.truncate(count);
    all
}

/// The least and the median of some seconds.
fn times(mut seconds: Vec<f64>) -> (f64, f64) {
    seconds.sort_by(f64::total_cmp);
    (seconds[0], seconds[seconds.len() / 2])
}

fn rate(count: usize, seconds: f64) -> String {
    format!("{:.2e}/s", count as f64 / seconds)
}

fn verdicts(
    gpu: &Gpu,
    name: &str,
    pair: &OnePair,
    margin: f64,
    side: f32,
    count: usize,
    compare: usize,
) -> Result<(), GpuError> {
    let (mut wrong, mut differ, mut open, mut met, mut cpu_seconds) = (0, 0, 0, 0, 0.0);
    for batch in 0..compare {
        let poses = poses(side, count, batch as u64);
        let on_device = gpu.upload(&poses)?;
        let first = gpu.within(pair, &on_device, margin)?;
        let answers = first.to_host()?;
        if batch == 0 {
            let (mut kernel, mut wall) = (Vec::new(), Vec::new());
            for _ in 0..TIMES {
                let start = Instant::now();
                let again = gpu.within(pair, &on_device, margin)?;
                wall.push(start.elapsed().as_secs_f64());
                kernel.push(again.kernel_seconds);
                differ += usize::from(again.to_host()?.values != answers.values);
            }
            let (kernel, wall) = (times(kernel), times(wall));
            println!(
                "{name}: kernel {} (median {}), with the library's share {} (median {})",
                rate(count, kernel.0),
                rate(count, kernel.1),
                rate(count, wall.0),
                rate(count, wall.1)
            );
            // The CPU form has the same bits.
            let part = &poses[..count.min(1 << 22)];
            let mut verdicts = vec![9; part.len()];
            gpu.within_into(pair, part, margin, &mut verdicts)?;
            let form = pair.verdicts(part, margin);
            differ += verdicts.iter().zip(&form).filter(|(x, y)| x != y).count();
        }
        let start = Instant::now();
        let truth = Batch::new(&poses).map(|pose| pair.library_within(pose, margin).expect("poses are plain"));
        cpu_seconds += start.elapsed().as_secs_f64();
        wrong += answers.values.iter().zip(&truth).filter(|(x, y)| x != y).count();
        met += answers.values.iter().filter(|&&x| x).count();
        open += answers.by_library;
    }
    let all = compare * count;
    println!(
        "{name}: {all} answers, {wrong} differ from the library's, {differ} from run to run or from the CPU form; {:.1} % meet, {:.5} % by the \
         library; the library alone {} on all cores",
        100.0 * met as f64 / all as f64,
        100.0 * open as f64 / all as f64,
        rate(all, cpu_seconds)
    );
    Ok(())
}

fn gaps(gpu: &Gpu, name: &str, pair: &OnePair, side: f32, count: usize, compare: usize) -> Result<(), GpuError> {
    let (mut wrong, mut differ, mut open, mut widest, mut cpu_seconds) = (0, 0, 0, 0.0_f32, 0.0);
    for batch in 0..compare {
        let poses = poses(side, count, batch as u64);
        let on_device = gpu.upload(&poses)?;
        let answers = gpu.gaps(pair, &on_device)?.to_host()?;
        if batch == 0 {
            let (mut kernel, mut wall) = (Vec::new(), Vec::new());
            for _ in 0..TIMES {
                let start = Instant::now();
                let again = gpu.gaps(pair, &on_device)?;
                wall.push(start.elapsed().as_secs_f64());
                kernel.push(again.kernel_seconds);
                differ += usize::from(again.to_host()?.values != answers.values);
            }
            let (kernel, wall) = (times(kernel), times(wall));
            println!(
                "{name}: kernel {} (median {}), with the library's share {} (median {})",
                rate(count, kernel.0),
                rate(count, kernel.1),
                rate(count, wall.0),
                rate(count, wall.1)
            );
        }
        let start = Instant::now();
        let truth = Batch::new(&poses).map(|pose| pair.library_gap(pose).expect("poses are plain"));
        cpu_seconds += start.elapsed().as_secs_f64();
        for (gap, truth) in answers.values.iter().zip(&truth) {
            wrong += usize::from(!(gap.lower <= truth.upper && truth.lower <= gap.upper));
            widest = widest.max(gap.upper - gap.lower);
        }
        open += answers.by_library;
    }
    let all = compare * count;
    println!(
        "{name}: {all} brackets, {wrong} do not hold the library's, {differ} differ from run to run; widest {widest:e}; {:.5} % by the library; the \
         library alone {} on all cores",
        100.0 * open as f64 / all as f64,
        rate(all, cpu_seconds)
    );
    Ok(())
}

/// From host memory and back, as a user calls it.
fn transfer(gpu: &Gpu, name: &str, pair: &OnePair, side: f32, count: usize) -> Result<(), GpuError> {
    let poses = poses(side, count, 77);
    let (mut pinned, mut answers) = (gpu.pinned_poses(count)?, gpu.pinned_verdicts(count)?);
    pinned.as_mut_slice()?.copy_from_slice(poses.as_flattened());
    let (mut seconds, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let start = Instant::now();
        gpu.within_pinned(pair, &pinned, 0.0, &mut answers)?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    let mut verdicts = vec![0; count];
    for _ in 0..2 {
        let start = Instant::now();
        gpu.within_into(pair, &poses, 0.0, &mut verdicts)?;
        plain.push(start.elapsed().as_secs_f64());
    }
    let same = answers.as_slice()?.iter().zip(&verdicts).all(|(x, y)| decided(*y).is_none_or(|y| y == (*x == 1)));
    let (least, median) = times(seconds);
    println!(
        "{name}, with transfer: pinned {} (median {}), {:.1} GB/s over the bus; plain memory {}; same answers: {same}",
        rate(count, least),
        rate(count, median),
        28.0e-9 * count as f64 / least,
        rate(count, times(plain).0)
    );
    Ok(())
}

/// Pairs out of 1000 hulls.
fn many(gpu: &Gpu, count: usize) -> Result<(), GpuError> {
    let mut rng = Rng::with_seed(5);
    let shapes: Vec<Shape> = (0..1000).map(|_| hull(20, &mut rng)).collect();
    let bodies = Bodies::new(&shapes)?;
    let places = poses(6.0, 1000, 6);
    let pairs: Vec<[u32; 2]> = (0..count).map(|_| [rng.u32(0..1000), rng.u32(0..1000)]).collect();
    let on_device = gpu.upload_pairs(&bodies, &places, &pairs)?;
    let (verdicts, mut seconds) = (on_device.verdicts(0.0)?.0, Vec::new());
    for _ in 0..TIMES {
        let (again, kernel) = on_device.verdicts(0.0)?;
        assert!(again == verdicts, "the same bits");
        seconds.push(kernel);
    }
    let truth = Batch::new(&pairs).map(|&pair| bodies.library_within(&places, pair, 0.0).expect("plain"));
    let wrong = verdicts.iter().zip(&truth).filter(|(v, t)| decided(**v).is_some_and(|v| v != **t)).count();
    let open = verdicts.iter().filter(|&&v| decided(v).is_none()).count();
    println!(
        "pairs of 1000 hulls of 20: kernel {}; {count} verdicts, {wrong} differ from the library's, {:.5} % open",
        rate(count, times(seconds).0),
        100.0 * open as f64 / count as f64
    );
    Ok(())
}

/// Seven joints with eight capsules among a hundred capsules and balls.
fn arm(gpu: &Gpu, count: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = Rng::with_seed(9);
    let joints: Vec<Joint> = (0..7)
        .map(|i| {
            let z = if i == 0 { 0.1 } else { 0.2 };
            Joint { origin: Pose::from_translation([0.0, 0.0, z]), axis: DVec3::AXES[if i % 2 == 0 { 2 } else { 1 }] }
        })
        .collect();
    let bone = Shape::capsule_between([0.0, 0.0, 0.0], [0.0, 0.0, 0.2], Radius(0.06))?;
    let mut capsules: Vec<(usize, Shape)> = (0..7).map(|i| (i, bone.clone())).collect();
    capsules.push((6, Shape::sphere(0.09)?));
    let pairs: Vec<[usize; 2]> = (0..8).flat_map(|i| (i + 2..7).map(move |j| [i, j])).collect();
    for (name, least) in [("in the way", 0.5), ("around", 1.1)] {
        let mut obstacles = Vec::new();
        while obstacles.len() < 100 {
            let mut any = || DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let (place, end) = (any() * 3.2, any() * 0.4);
            if place.length() > least {
                let shape = Shape::capsule_between([0.0; 3], end.to_array(), Radius(0.04))?;
                obstacles.push((shape, Pose::from_translation(place)));
            }
        }
        let arm = Arm::new(&joints, &capsules, &pairs, &obstacles)?;
        let angles: Vec<f32> = (0..7 * count).map(|_| (rng.f32() - 0.5) * 4.0).collect();
        let on_device = gpu.upload_angles(&arm, &angles)?;
        let (verdicts, mut seconds) = (on_device.verdicts(0.0)?.0, Vec::new());
        for _ in 0..TIMES {
            let (again, kernel) = on_device.verdicts(0.0)?;
            assert!(again == verdicts, "the same bits");
            seconds.push(kernel);
        }
        let part = count.min(1 << 20);
        let start = Instant::now();
        let configurations: Vec<&[f32]> = angles.chunks(7).take(part).collect();
        let truth = Batch::new(&configurations).map(|angles| arm.library_within(angles, 0.0).expect("plain"));
        let cpu_seconds = start.elapsed().as_secs_f64();
        let wrong = verdicts.iter().zip(&truth).filter(|(v, t)| decided(**v).is_some_and(|v| v != **t)).count();
        let form = arm.verdicts(&angles[..7 * part], 0.0)?;
        let differ = form.iter().zip(&verdicts).filter(|(x, y)| x != y).count();
        let of = |wanted| 100.0 * verdicts.iter().filter(|&&v| decided(v) == wanted).count() as f64 / count as f64;
        println!(
            "arm of 7 joints, 8 capsules, 100 obstacles {name}: kernel {} configurations; {part} verdicts, {wrong} differ from the library's, {differ} \
             from the CPU form; {:.2} % meet, {:.4} % open; the library {} on all cores",
            rate(count, times(seconds).0),
            of(Some(true)),
            of(None),
            rate(part, cpu_seconds)
        );
    }
    Ok(())
}
