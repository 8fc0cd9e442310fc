//! Batches: the library's answers, on a device if there is one and on the CPU if not.

use crate::arms;
use crate::cases::{nearly_touching, numbers, rotation, shapes};
use clearance::Shape;
use clearance::math::DVec3;
use clearance_gpu::{Batches, Bodies, GpuError, OnePair, PoseNumbers};
use fastrand::Rng;

/// Poses of all kinds around a shape.
fn poses(count: usize, a: &Shape, b: &Shape, rng: &mut Rng) -> Vec<PoseNumbers> {
    (0..count)
        .map(|i| {
            if i % 10 == 0 {
                return nearly_touching(a, b, 0.0, rng);
            }
            numbers(DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 6.0, rotation(rng))
        })
        .collect()
}

/// The same answers wherever batches run; says in one line where they ran.
#[test]
fn batches_are_the_librarys_wherever_they_run() {
    let batches = Batches::open();
    println!("{}", batches.describe());
    let mut rng = Rng::with_seed(31);
    let list = shapes(&mut rng);
    for (a, b) in [(0, 0), (2, 3), (6, 6), (0, 8)] {
        let pair = OnePair::new(&list[a], &list[b]);
        let poses = poses(1000, &list[a], &list[b], &mut rng);
        for margin in [0.0, 0.2] {
            let answers = batches.within(&pair, &poses, margin).unwrap();
            let truth: Vec<bool> = poses.iter().map(|pose| pair.library_within(pose, margin).unwrap()).collect();
            assert_eq!(answers.values, truth);
            assert!(answers.by_library < 200 || batches.gpu().is_none());
        }
        for (gap, pose) in batches.gaps(&pair, &poses).unwrap().values.iter().zip(&poses) {
            let truth = pair.library_gap(pose).unwrap();
            assert!(gap.lower <= truth.upper && truth.lower <= gap.upper, "{gap:?} {truth:?}");
        }
    }
    let bodies = Bodies::new(&list).unwrap();
    let places: Vec<PoseNumbers> = list.iter().map(|_| poses(2, &list[2], &list[2], &mut rng)[1]).collect();
    let pairs: Vec<[u32; 2]> = (0..12).flat_map(|i| (0..12).map(move |j| [i, j])).collect();
    let answers = batches.pairs_within(&bodies, &places, &pairs, 0.1).unwrap();
    let truth = pairs.iter().map(|&pair| bodies.library_within(&places, pair, 0.1).unwrap());
    assert!(answers.values.into_iter().eq(truth));

    let arm = arms::arm(10, &mut rng);
    let angles = arms::angles(300, &mut rng);
    let answers = batches.arm_within(&arm, &angles, 0.0).unwrap();
    assert!(answers.values.into_iter().eq(angles.chunks(7).map(|angles| arm.library_within(angles, 0.0).unwrap())));
}

/// A device proves the same as its CPU form, bit for bit, and the same in every run. Without a device there is nothing to compare.
#[test]
fn a_device_has_the_bits_of_the_cpu() {
    let batches = Batches::open();
    let Some(gpu) = batches.gpu() else {
        println!("{}", batches.describe());
        return;
    };
    let mut rng = Rng::with_seed(32);
    let list = shapes(&mut rng);
    for (a, b) in [(0, 0), (1, 0), (2, 3), (6, 6), (7, 8), (9, 10), (11, 6)] {
        let pair = OnePair::new(&list[a], &list[b]);
        let poses = poses(20_000, &list[a], &list[b], &mut rng);
        for margin in [0.0, 0.2] {
            let mut verdicts = [vec![9; poses.len()], vec![9; poses.len()]];
            for verdicts in &mut verdicts {
                gpu.within_into(&pair, &poses, margin, verdicts).unwrap();
            }
            assert_eq!(verdicts[0], pair.verdicts(&poses, margin));
            assert_eq!(verdicts[0], verdicts[1]);
        }
        let on_device = gpu.upload(&poses).unwrap();
        let gaps = gpu.gaps(&pair, &on_device).unwrap().to_host().unwrap();
        let cpu = pair.gaps(&poses);
        assert!(gaps.values.iter().zip(&cpu).all(|(gap, (form, is_closed))| !is_closed || gap == form));
        assert_eq!(gaps.by_library, cpu.iter().filter(|(_, is_closed)| !is_closed).count());
    }
    let bodies = Bodies::new(&list[..11]).unwrap();
    let places = poses(11, &list[0], &list[0], &mut rng);
    let pairs: Vec<[u32; 2]> = (0..100_000).map(|_| [rng.u32(0..12), rng.u32(0..11)]).collect();
    let found = gpu.upload_pairs(&bodies, &places, &pairs).unwrap().verdicts(0.1).unwrap().0;
    assert_eq!(found, bodies.verdicts(&places, &pairs, 0.1));
    let arm = arms::arm(30, &mut rng);
    let angles = arms::angles(20_000, &mut rng);
    let found = gpu.upload_angles(&arm, &angles).unwrap().verdicts(0.0).unwrap().0;
    assert_eq!(found, arm.verdicts(&angles, 0.0).unwrap());
}

#[test]
fn bad_input_is_refused_by_name() {
    let batches = Batches::open();
    let ball = Shape::sphere(1.0).unwrap();
    let pair = OnePair::new(&ball, &ball);
    let mut poses = [[0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0]; 9];
    poses[7][1] = f32::NAN;
    let refused = |error: GpuError| error.to_string();
    let sentence = "poses[7].translation.y is NaN, but must be a finite number";
    assert_eq!(refused(batches.intersects(&pair, &poses).unwrap_err()), sentence);
    assert_eq!(refused(batches.gaps(&pair, &poses).unwrap_err()), sentence);
    poses[7] = [0.0; 7];
    assert!(refused(batches.intersects(&pair, &poses).unwrap_err()).starts_with("poses[7].rotation has no direction"));
    poses[7] = poses[0];
    for margin in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(batches.within(&pair, &poses, margin).unwrap_err()).starts_with("margin is "));
    }
    assert_eq!(batches.intersects(&pair, &[]).unwrap().values, [] as [bool; 0]);
    let bodies = Bodies::new(&[ball.clone(), ball]).unwrap();
    let error = batches.pairs_within(&bodies, &poses[..2], &[[0, 1], [1, 5]], 0.0).unwrap_err();
    assert_eq!(refused(error), "pairs[1] names body 5, which is not there");
    assert!(batches.pairs_within(&bodies, &poses, &[[0, 1]], 0.0).is_err());
    let none = Bodies::new(&[]).unwrap();
    assert_eq!(batches.pairs_within(&none, &[], &[], 0.0).unwrap().values, [] as [bool; 0]);
    assert!(refused(batches.pairs_within(&none, &[], &[[0, 0]], 0.0).unwrap_err()).ends_with("which is not there"));
}

/// Shapes that the kernels do not know are the library's.
#[test]
fn unknown_shapes_are_answered_too() {
    let batches = Batches::open();
    let round = Shape::ellipsoid([1.0, 2.0, 3.0]).unwrap();
    let pair = OnePair::new(&round, &round);
    assert!(!pair.is_known());
    let poses = [1.9, 2.1].map(|x| [x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0_f32]);
    let answers = batches.intersects(&pair, &poses).unwrap();
    assert_eq!((answers.values, answers.by_library), (vec![true, false], 2));
    let bodies = Bodies::new(&[round.clone(), Shape::sphere(0.5).unwrap()]).unwrap();
    let places = [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [1.4, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0_f32]];
    assert_eq!(batches.pairs_within(&bodies, &places, &[[0, 1], [1, 1]], 0.0).unwrap().values, [true, true]);
}
