//! Batches: the same bits as one query after the other, for any number of threads; untrusted numbers are refused before anything
//! is answered.

use crate::kinds::{bounded, rotation, vector};
use clearance::math::DVec3;
use clearance::pair::batch::{
    PosedShapes, STRETCH, distances, distances_along, distances_of, intersections, intersections_along,
    intersections_of, try_distances, try_intersections,
};
use clearance::{Pair, Pose, Shape, distance, intersects};

/// What `ask` answers on so many threads.
fn on<R: Send>(threads: usize, ask: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(ask)
}

fn shapes() -> [Shape; 3] {
    let mut rng = fastrand::Rng::with_seed(3);
    let points: Vec<DVec3> = (0..40).map(|_| vector(&mut rng, 0.6)).collect();
    [Shape::sphere(0.5).unwrap(), Shape::cuboid([0.3, 0.5, 0.4]).unwrap(), Shape::hull(&points).unwrap()]
}

fn random_poses(count: usize) -> Vec<(Pose, Pose)> {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut pose = || Pose::new(vector(&mut rng, 0.8), rotation(&mut rng));
    (0..count).map(|_| (pose(), pose())).collect()
}

/// A motion past each other, more than a few stretches long and not a whole number of them.
fn motion() -> Vec<(Pose, Pose)> {
    let at = |i: u32| {
        let turn = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.02 * f64::from(i)).unwrap();
        (Pose::IDENTITY, Pose::from_translation([-1.5 + 0.01 * f64::from(i), 0.7, 0.0]) * turn)
    };
    (0..(4 * STRETCH + 37) as u32).map(at).collect()
}

#[test]
fn one_pair_at_many_poses_is_one_query_after_the_other_for_any_number_of_threads() {
    let shapes = shapes();
    // None, few, and many.
    for poses in [random_poses(0), random_poses(5), random_poses(777)] {
        for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
            let far: Vec<_> = poses.iter().map(|&(p, q)| distance(a, p, b, q)).collect();
            let meet: Vec<_> = poses.iter().map(|&(p, q)| intersects(a, p, b, q)).collect();
            assert!(poses.len() < 100 || meet.contains(&true) && meet.contains(&false), "representative");
            for threads in [1, 2, 8] {
                assert_eq!(on(threads, || distances(a, b, &poses)), far, "{threads} threads");
                assert_eq!(on(threads, || intersections(a, b, &poses)), meet, "{threads} threads");
            }
        }
    }
}

/// The bits of a motion are defined by its poses: a pair that is new at every multiple of the stretch, whatever the threads.
#[test]
fn a_motion_is_a_new_pair_for_every_stretch_for_any_number_of_threads() {
    let shapes = shapes();
    let motion = motion();
    for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
        let (mut far, mut meet) = (Vec::new(), Vec::new());
        for poses in motion.chunks(STRETCH) {
            let (mut one, mut other) = (Pair::new(a, b), Pair::new(a, b));
            far.extend(poses.iter().map(|&(p, q)| one.distance(p, q)));
            meet.extend(poses.iter().map(|&(p, q)| other.intersects(p, q)));
        }
        for threads in [1, 2, 8] {
            assert_eq!(on(threads, || distances_along(a, b, &motion)), far, "{threads} threads");
            assert_eq!(on(threads, || intersections_along(a, b, &motion)), meet, "{threads} threads");
        }
    }
}

#[test]
fn many_pairs_of_all_kinds_are_one_query_after_the_other() {
    let kinds = bounded(0.5);
    let poses = random_poses(kinds.len() * kinds.len());
    let both = kinds.iter().flat_map(|a| kinds.iter().map(move |b| (&a.shape, &b.shape)));
    let queries: Vec<_> =
        both.zip(&poses).map(|((a, b), &(pose_a, pose_b))| PosedShapes { a, pose_a, b, pose_b }).collect();
    let far: Vec<_> = queries.iter().map(|q| distance(q.a, q.pose_a, q.b, q.pose_b)).collect();
    let meet: Vec<_> = queries.iter().map(|q| intersects(q.a, q.pose_a, q.b, q.pose_b)).collect();
    for threads in [1, 2, 8] {
        assert_eq!(on(threads, || distances_of(&queries)), far, "{threads} threads");
        assert_eq!(on(threads, || intersections_of(&queries)), meet, "{threads} threads");
    }
}

#[test]
fn untrusted_numbers_are_read_to_the_bit_or_refused_by_name() {
    let [ball, cube, _] = shapes();
    let poses = random_poses(50);
    let numbers: Vec<[[f64; 7]; 2]> = poses.iter().map(|(p, q)| [p.to_array(), q.to_array()]).collect();
    assert_eq!(try_distances(&ball, &cube, &numbers).unwrap(), distances(&ball, &cube, &poses));
    assert_eq!(try_intersections(&ball, &cube, &numbers).unwrap(), intersections(&ball, &cube, &poses));
    let spoilt = |i: usize, side: usize, number: usize, value: f64| {
        let mut numbers = numbers.clone();
        numbers[i][side][number] = value;
        // A later fault is not the one that is named.
        numbers[49] = [[f64::NAN; 7]; 2];
        let error = try_distances(&ball, &cube, &numbers).unwrap_err().to_string();
        assert_eq!(error, try_intersections(&ball, &cube, &numbers).unwrap_err().to_string());
        error
    };
    assert_eq!(spoilt(17, 0, 1, f64::NAN), "poses[17][0].translation.y is NaN, but must be a finite number");
    assert_eq!(spoilt(3, 1, 6, f64::INFINITY), "poses[3][1].rotation.w is inf, but must be a finite number");
    assert!(spoilt(0, 1, 2, 1e61).starts_with("poses[0][1].translation.z is 1e61, which is beyond"));
    assert_eq!(spoilt(49, 0, 0, 0.0), "poses[49][0].translation.x is NaN, but must be a finite number");
}
