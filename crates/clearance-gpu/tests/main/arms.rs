//! The kernel of arms proves only what the library says.

use clearance::math::DVec3;
use clearance::{Pose, Radius, Shape};
use clearance_gpu::kernel::arm::sine_and_cosine;
use clearance_gpu::{Arm, GpuError, Joint, decided};
use fastrand::Rng;

/// Seven joints with axes that take turns, capsules of 0.1 to 0.3 between them, balls and capsules around.
pub fn arm(obstacles: usize, rng: &mut Rng) -> Arm {
    let mut any = || DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 2.0;
    let joints: Vec<Joint> = (0..7)
        .map(|i| {
            let axis = if i == 3 { any() } else { DVec3::AXES[(2 * i + 2) % 3] };
            Joint { origin: Pose::from_translation([0.0, 0.02 * i as f64, if i == 0 { 0.1 } else { 0.25 }]), axis }
        })
        .collect();
    let bone = Shape::capsule_between([0.0, 0.0, 0.0], [0.0, 0.02, 0.2], Radius(0.06)).unwrap();
    let hand = Shape::sphere(0.09).unwrap();
    let capsules: Vec<(usize, Shape)> = (0..7).map(|i| (i, bone.clone())).chain([(6, hand)]).collect();
    let pairs: Vec<[usize; 2]> = (0..8).flat_map(|i| (i + 2..7).map(move |j| [i, j])).collect();
    let obstacles: Vec<(Shape, Pose)> = (0..obstacles)
        .map(|i| {
            let place = loop {
                let place = any() * 1.8;
                if place.length() > 0.9 {
                    break place;
                }
            };
            let end = any() * 0.2;
            let shape = match i % 2 {
                0 => Shape::sphere(0.08).unwrap(),
                _ => Shape::capsule_between([0.0; 3], end.to_array(), Radius(0.04)).unwrap(),
            };
            (shape, Pose::from_translation(place))
        })
        .collect();
    Arm::new(&joints, &capsules, &pairs, &obstacles).unwrap()
}

/// Angles of configurations.
pub fn angles(count: usize, rng: &mut Rng) -> Vec<f32> {
    (0..7 * count).map(|_| (rng.f32() - 0.5) * 5.0).collect()
}

#[test]
fn configurations_have_the_librarys_answers() {
    let mut rng = Rng::with_seed(21);
    let (mut met, mut open) = (0, 0);
    for margin in [0.0, 0.05] {
        let arm = arm(20, &mut rng);
        let angles = angles(2000, &mut rng);
        for (verdict, angles) in arm.verdicts(&angles, margin).unwrap().into_iter().zip(angles.chunks(7)) {
            match decided(verdict) {
                Some(answer) => {
                    assert_eq!(answer, arm.library_within(angles, margin).unwrap(), "{angles:?}");
                    met += usize::from(answer);
                }
                None => open += 1,
            }
        }
    }
    println!("{met} of 4000 meet, {open} are open");
    assert!(open < 8 && (400..3600).contains(&met));
}

/// An angle is sought at which an arm barely touches: there a bound of a thousandth proves what is not true.
#[test]
fn nearly_touching_configurations_need_the_bound() {
    let mut rng = Rng::with_seed(22);
    let mut wrong = [0; 2];
    for _ in 0..40 {
        let arm = arm(3, &mut rng);
        let mut angles = angles(2, &mut rng);
        let is_within = |angles: &[f32]| arm.library_within(angles, 0.0).unwrap();
        let [a, b]: [Vec<f32>; 2] = [angles[..7].to_vec(), angles[7..].to_vec()];
        if is_within(&a) == is_within(&b) {
            continue;
        }
        let (mut near, mut far) = (a, b);
        for _ in 0..30 {
            let middle: Vec<f32> = near.iter().zip(&far).map(|(x, y)| 0.5 * (x + y)).collect();
            if is_within(&middle) == is_within(&near) { near = middle } else { far = middle }
        }
        angles = (0..200)
            .flat_map(|_| near.iter().map(|x| x * (1.0 + 1e-6 * (rng.f32() - 0.5))).collect::<Vec<_>>())
            .collect();
        for (i, part) in [1.0, 0.001].into_iter().enumerate() {
            for (verdict, angles) in arm.verdicts_with(part, &angles, 0.0).unwrap().into_iter().zip(angles.chunks(7)) {
                wrong[i] += usize::from(decided(verdict).is_some_and(|answer| answer != is_within(angles)));
            }
        }
    }
    println!("wrong: {wrong:?}");
    assert!(wrong[0] == 0 && wrong[1] > 0, "{wrong:?}");
}

#[test]
fn sines_are_within_their_bound() {
    let mut rng = Rng::with_seed(23);
    for i in 0..200_000 {
        let angle = if i % 2 == 0 { 2000.0 * (rng.f64() - 0.5) } else { 8.0 * (rng.f64() - 0.5) };
        let ((s, c), (sine, cosine)) = (sine_and_cosine(angle), angle.sin_cos());
        assert!((s - sine).abs() < 2e-12 && (c - cosine).abs() < 2e-12, "{angle}");
    }
}

#[test]
fn arms_that_the_kernels_do_not_take_are_refused() {
    let joint = Joint { origin: Pose::IDENTITY, axis: DVec3::Z };
    let ball = Shape::sphere(0.1).unwrap();
    let cube = Shape::cuboid([1.0, 1.0, 1.0]).unwrap();
    let refused = |joints: &[Joint], capsules: &[(usize, Shape)], pairs: &[[usize; 2]]| match Arm::new(
        joints,
        capsules,
        pairs,
        &[],
    )
    .unwrap_err()
    {
        GpuError::Arm(reason) => reason,
        other => panic!("{other}"),
    };
    assert_eq!(refused(&[], &[], &[]), "it has 0 joints, but must have 1 to 8");
    assert!(refused(&[joint], &[(1, ball.clone())], &[]).contains("joints that are there"));
    assert!(refused(&[joint], &[(0, ball.clone())], &[[0, 0]]).contains("two different capsules"));
    assert_eq!(refused(&[joint], &[(0, cube)], &[]), "capsule 0 is neither a capsule nor a ball");
    assert_eq!(refused(&[Joint { axis: DVec3::ZERO, ..joint }], &[(0, ball.clone())], &[]), "joint 0 has no axis");
    let arm = Arm::new(&[joint, joint], &[(0, ball)], &[], &[]).unwrap();
    assert!(arm.verdicts(&[0.0; 3], 0.0).is_err());
    // Angles that are NaN or out of range are left to the library, which refuses NaN.
    assert_eq!(arm.verdicts(&[0.0, f32::NAN], 0.0).unwrap().iter().find_map(|&v| decided(v)), None);
    assert!(arm.library_within(&[0.0, f32::NAN], 0.0).is_err());
    assert_eq!(arm.verdicts(&[1e5, 0.0], 0.0).unwrap().iter().find_map(|&v| decided(v)), None);
}
