//! Batches: the same bits as one query after the other, for any number of threads; plain numbers are checked before anything is answered.

use crate::kinds::{bounded, rotation, vector};
use clearance::batch::{PosedShapes, poses as read};
use clearance::math::DVec3;
use clearance::{
    Batch, DepthBudget, Interval, Motion, Pair, Pose, Ray, Shape, Sweep, cast_ray, cast_ray_boundary, cast_shape,
    closest_approach, depth, distance, intersects, time_of_impact, within,
};

/// Queries of a warm batch that share a pair: a part of the contract.
const SHARED: usize = 64;

/// The answers of `ask` on this number of threads.
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

/// A motion past each other, of more than a few times [`SHARED`] poses, and not of a whole number of times.
fn motion() -> Vec<(Pose, Pose)> {
    let at = |i: u32| {
        let turn = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.02 * f64::from(i)).unwrap();
        (Pose::IDENTITY, Pose::from_translation([-1.5 + 0.01 * f64::from(i), 0.7, 0.0]) * turn)
    };
    (0..(4 * SHARED + 37) as u32).map(at).collect()
}

#[test]
fn one_pair_at_many_poses_is_one_query_after_the_other_for_any_number_of_threads() {
    let shapes = shapes();
    // None, few, and many.
    for poses in [random_poses(0), random_poses(5), random_poses(777)] {
        for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
            let far: Vec<_> = poses.iter().map(|&(p, q)| distance(a, p, b, q)).collect();
            let meet: Vec<_> = poses.iter().map(|&(p, q)| intersects(a, p, b, q)).collect();
            let near: Vec<_> = poses.iter().map(|&(p, q)| within(a, p, b, q, 0.1)).collect();
            assert!(poses.len() < 100 || meet.contains(&true) && meet.contains(&false), "representative");
            for threads in [1, 2, 8] {
                assert_eq!(on(threads, || Batch::new(&poses).distance(a, b)), far, "{threads} threads");
                assert_eq!(on(threads, || Batch::new(&poses).intersects(a, b)), meet, "{threads} threads");
                assert_eq!(on(threads, || Batch::new(&poses).within(a, b, 0.1)), near, "{threads} threads");
            }
        }
    }
}

/// Warm answers are defined by the poses: a pair is new at every multiple of [`SHARED`], whatever the threads.
#[test]
fn a_warm_batch_is_a_new_pair_for_every_64_queries_for_any_number_of_threads() {
    let shapes = shapes();
    let motion = motion();
    for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
        let (mut far, mut meet, mut near) = (Vec::new(), Vec::new(), Vec::new());
        for poses in motion.chunks(SHARED) {
            let [mut one, mut other, mut third] = [(); 3].map(|()| Pair::new(a, b));
            far.extend(poses.iter().map(|&(p, q)| one.distance(p, q)));
            meet.extend(poses.iter().map(|&(p, q)| other.intersects(p, q)));
            near.extend(poses.iter().map(|&(p, q)| third.within(p, q, 0.1)));
        }
        for threads in [1, 2, 8] {
            assert_eq!(on(threads, || Batch::new(&motion).warm().distance(a, b)), far, "{threads} threads");
            assert_eq!(on(threads, || Batch::new(&motion).warm().intersects(a, b)), meet, "{threads} threads");
            assert_eq!(on(threads, || Batch::new(&motion).warm().within(a, b, 0.1)), near, "{threads} threads");
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
    let near: Vec<_> = queries.iter().map(|q| within(q.a, q.pose_a, q.b, q.pose_b, 0.1)).collect();
    for threads in [1, 2, 8] {
        assert_eq!(on(threads, || Batch::new(&queries).distance()), far, "{threads} threads");
        assert_eq!(on(threads, || Batch::new(&queries).intersects()), meet, "{threads} threads");
        assert_eq!(on(threads, || Batch::new(&queries).within(0.1)), near, "{threads} threads");
    }
}

#[test]
fn rays_sweeps_motions_and_depths_are_one_query_after_the_other() {
    let mut rng = fastrand::Rng::with_seed(5);
    let [a, _, b] = shapes();
    let poses = random_poses(150);
    let interval = Interval::new(0.0, 2.0).unwrap();
    let aim = |rng: &mut fastrand::Rng| {
        let from = vector(rng, 3.0);
        (from, vector(rng, 0.8) - from)
    };
    let rays: Vec<Ray> = (0..150).map(|_| aim(&mut rng)).map(|(from, to)| Ray::new(from, to, 9.0).unwrap()).collect();
    let sweeps: Vec<Sweep> = (0..150)
        .map(|_| aim(&mut rng))
        .map(|(from, to)| Sweep::new(Pose::from_translation(from), to, 9.0).unwrap())
        .collect();
    let mut motion = |pose: Pose| Motion::linear(pose, vector(&mut rng, 1.0), vector(&mut rng, 2.0)).unwrap();
    let motions: Vec<_> = poses.iter().map(|&(p, q)| (motion(p), motion(q))).collect();
    let (at, budget) = (Pose::from_translation([0.1, 0.2, 0.3]), DepthBudget::default());
    let hits: Vec<_> = rays.iter().map(|ray| cast_ray(&b, at, ray)).collect();
    let boundary: Vec<_> = rays.iter().map(|ray| cast_ray_boundary(&b, at, ray)).collect();
    let casts: Vec<_> = sweeps.iter().map(|sweep| cast_shape(&b, at, &a, sweep)).collect();
    let impacts: Vec<_> = motions.iter().map(|(p, q)| time_of_impact(&a, p, &b, q, interval)).collect();
    let closest: Vec<_> = motions.iter().map(|(p, q)| closest_approach(&a, p, &b, q, interval)).collect();
    let depths: Vec<_> = poses.iter().map(|&(p, q)| depth(&b, p, &b, q, budget)).collect();
    assert!(hits.iter().flatten().count() > 10 && casts.iter().flatten().count() > 10, "representative");
    assert!(impacts.iter().filter(|impact| impact.hit().is_some()).count() > 10, "representative");
    assert!(depths.iter().filter(|depth| depth.lower > 0.0).count() > 10, "representative");
    for threads in [1, 2, 8] {
        assert_eq!(on(threads, || Batch::new(&rays).cast_ray(&b, at)), hits, "{threads} threads");
        assert_eq!(on(threads, || Batch::new(&rays).cast_ray_boundary(&b, at)), boundary, "{threads} threads");
        assert_eq!(on(threads, || Batch::new(&sweeps).cast_shape(&b, at, &a)), casts, "{threads} threads");
        assert_eq!(on(threads, || Batch::new(&motions).time_of_impact(&a, &b, interval)), impacts, "{threads} threads");
        assert_eq!(
            on(threads, || Batch::new(&motions).closest_approach(&a, &b, interval)),
            closest,
            "{threads} threads"
        );
        assert_eq!(on(threads, || Batch::new(&poses).depth(&b, &b, budget)), depths, "{threads} threads");
        let warm = on(threads, || Batch::new(&poses).warm().depth(&b, &b, budget));
        for (warm, cold) in warm.iter().zip(&depths) {
            assert!(warm.lower <= cold.upper && cold.lower <= warm.upper, "{warm:?} {cold:?}");
        }
    }
}

#[test]
fn plain_numbers_are_read_to_the_bit_or_refused_by_name() {
    let poses = random_poses(50);
    let numbers: Vec<[[f64; 7]; 2]> = poses.iter().map(|(p, q)| [p.to_array(), q.to_array()]).collect();
    assert_eq!(read(&numbers).unwrap(), poses);
    let spoilt = |i: usize, side: usize, number: usize, value: f64| {
        let mut numbers = numbers.clone();
        numbers[i][side][number] = value;
        // A later fault is not the one that is named.
        numbers[49] = [[f64::NAN; 7]; 2];
        read(&numbers).unwrap_err().to_string()
    };
    assert_eq!(spoilt(17, 0, 1, f64::NAN), "poses[17][0].translation.y is NaN, but must be a finite number");
    assert_eq!(spoilt(3, 1, 6, f64::INFINITY), "poses[3][1].rotation.w is inf, but must be a finite number");
    assert!(spoilt(0, 1, 2, 1e61).starts_with("poses[0][1].translation.z is 1e61, which is beyond"));
    assert_eq!(spoilt(49, 0, 0, 0.0), "poses[49][0].translation.x is NaN, but must be a finite number");
}
