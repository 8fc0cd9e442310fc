//! Straight casts and turning motions beside parry's.

use crate::models::{self, KINDS};
use clearance_parry::ClearanceDispatcher;
use fastrand::Rng;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::{
    DefaultQueryDispatcher, NonlinearRigidMotion, QueryDispatcher, ShapeCastHit, ShapeCastOptions, ShapeCastStatus,
};
use parry3d_f64::shape::{Ball, Cuboid, Shape};

fn signed(ours: &ClearanceDispatcher, pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape) -> f64 {
    ours.contact(pos12, g1, g2, 1e3).expect("supported").expect("near").dist
}

/// At the time of a hit the gap is the wanted one, the points are those of the gap, and no earlier sample is closer.
fn check(
    ours: &ClearanceDispatcher,
    hit: &ShapeCastHit,
    [g1, g2]: [&dyn Shape; 2],
    at: impl Fn(f64) -> Pose,
    gap: f64,
) {
    assert_eq!(hit.status, ShapeCastStatus::Converged);
    let pose = at(hit.time_of_impact);
    let found = signed(ours, &pose, g1, g2);
    assert!((found - gap).abs() < 1e-7, "{found} at the hit {hit:?}");
    let between = (pose * hit.witness2 - hit.witness1).length();
    assert!((between - gap).abs() < 1e-6, "the points are {between} apart: {hit:?}");
    assert!((hit.normal1 + pose.rotation * hit.normal2).length() < 1e-9);
    for k in 0..8 {
        let before = signed(ours, &at(hit.time_of_impact * f64::from(k) / 8.0), g1, g2);
        assert!(before >= gap - 1e-9, "{before} before the hit");
    }
}

#[test]
fn straight_casts_hit_where_parry_hits() {
    let mut rng = Rng::with_seed(3);
    let (ours, theirs) = (ClearanceDispatcher::default(), DefaultQueryDispatcher);
    let hills = models::floor(6, 0.6, |x, z| 0.3 * (x * 1.7).sin() * (z * 1.3).cos());
    let (mut agree, mut all) = (0, 0);
    for kind1 in 0..KINDS + 1 {
        for kind2 in 0..KINDS {
            for target_distance in [0.0, 0.05] {
                let g1 = models::convex(&mut rng, kind1);
                let (g1, g2): (&dyn Shape, _) =
                    (if kind1 == KINDS { &hills } else { &*g1 }, models::convex(&mut rng, kind2));
                let mut pos12 = models::pose(&mut rng, 1.0);
                pos12.translation += Vector::new(0.0, 5.0, 0.0);
                let velocity = Vector::new(0.0, -2.0, 0.0) + models::vector(&mut rng, 0.4);
                let options = ShapeCastOptions { target_distance, ..ShapeCastOptions::with_max_time_of_impact(4.0) };
                let hit = ours.cast_shapes(&pos12, velocity, g1, &*g2, options).expect("supported");
                if let Some(hit) = &hit {
                    let at = |t: f64| Pose::from_parts(pos12.translation + velocity * t, pos12.rotation);
                    check(&ours, hit, [g1, &*g2], at, target_distance);
                }
                let other = theirs.cast_shapes(&pos12, velocity, g1, &*g2, options).expect("supported");
                let times = [hit, other].map(|hit| hit.map_or(f64::INFINITY, |hit| hit.time_of_impact));
                agree += usize::from(times[0] == times[1] || (times[0] - times[1]).abs() < 1e-3);
                all += 1;
            }
        }
    }
    assert!(agree as f64 > 0.97 * f64::from(all), "{agree} of {all}");
}

#[test]
fn casts_that_begin_in_contact_follow_the_options() {
    let ours = ClearanceDispatcher::default();
    let ball = Ball::new(0.5);
    let at = Pose::translation(0.9, 0.0, 0.0);
    let cast = |velocity: f64, stop_at_penetration: bool, target_distance: f64, x: f64| {
        let options = ShapeCastOptions { stop_at_penetration, target_distance, ..ShapeCastOptions::default() };
        let at = Pose::translation(x, 0.0, 0.0);
        ours.cast_shapes(&at, Vector::new(velocity, 0.0, 0.0), &ball, &ball, options).expect("supported")
    };
    let hit = cast(1.0, true, 0.0, 0.9).expect("they overlap");
    assert_eq!((hit.time_of_impact, hit.status), (0.0, ShapeCastStatus::PenetratingOrWithinTargetDist));
    assert!(cast(1.0, false, 0.0, 0.9).is_none(), "they leave each other");
    assert!(cast(-1.0, false, 0.0, 0.9).is_some());
    // Within the target distance, though apart.
    let hit = cast(0.5, true, 0.2, 1.1).expect("nearer than the target");
    assert_eq!(hit.status, ShapeCastStatus::PenetratingOrWithinTargetDist);
    assert!((hit.witness1.x - 0.5).abs() < 1e-12 && (hit.witness2.x + 0.5).abs() < 1e-12, "{hit:?}");
    // Without a speed, and without an end.
    assert!(cast(0.0, true, 0.0, 1.5).is_none());
    assert!((cast(-1.0, true, 0.0, 3.0).expect("straight ahead").time_of_impact - 2.0).abs() < 1e-12);
    // Half-spaces have no size; a ball beside a plane, which parry's default end is infinite for.
    let down = |velocity: f64| {
        ours.cast_shapes(&at, Vector::new(0.0, velocity, 0.0), &models::ground(), &ball, ShapeCastOptions::default())
    };
    assert!(down(0.0).expect("supported").is_some(), "its centre is on the plane");
}

#[test]
fn turning_motions_hit_where_parry_hits() {
    let mut rng = Rng::with_seed(4);
    let (ours, theirs) = (ClearanceDispatcher::default(), DefaultQueryDispatcher);
    let (mut agree, mut all, mut hits) = (0, 0, 0);
    for kind1 in 0..KINDS {
        for kind2 in 0..KINDS {
            let (g1, g2) = (models::convex(&mut rng, kind1), models::convex(&mut rng, kind2));
            let mut motion = |place: Vector, velocity: Vector| {
                let start = Pose::from_parts(place, models::pose(&mut rng, 1.0).rotation);
                let spin = models::vector(&mut rng, 1.0);
                NonlinearRigidMotion::new(start, models::vector(&mut rng, 0.3), velocity, spin)
            };
            let motion1 = motion(Vector::ZERO, Vector::ZERO);
            let motion2 = motion(Vector::new(0.0, 5.0, 0.3), Vector::new(0.0, -2.0, 0.0));
            let hit = ours.cast_shapes_nonlinear(&motion1, &*g1, &motion2, &*g2, 0.0, 2.0, true).expect("supported");
            if let Some(hit) = &hit {
                hits += 1;
                let at = |t: f64| motion1.position_at_time(t).inv_mul(&motion2.position_at_time(t));
                check(&ours, hit, [&*g1, &*g2], at, 0.0);
            }
            let other = theirs.cast_shapes_nonlinear(&motion1, &*g1, &motion2, &*g2, 0.0, 2.0, true);
            let times = [hit, other.expect("supported")].map(|hit| hit.map_or(f64::INFINITY, |hit| hit.time_of_impact));
            agree += usize::from(times[0] == times[1] || (times[0] - times[1]).abs() < 1e-3);
            all += 1;
        }
    }
    assert!(hits > 100 && agree as f64 > 0.9 * f64::from(all), "{agree} of {all}, {hits} hits");
}

#[test]
fn a_turning_motion_that_begins_in_contact_is_left_to_the_next_dispatcher() {
    let ours = ClearanceDispatcher::default();
    let (cube, ball) = (Cuboid::new([1.0; 3].into()), Ball::new(0.5));
    let still = NonlinearRigidMotion::identity();
    let motion = NonlinearRigidMotion::new(Pose::translation(1.2, 0.0, 0.0), Vector::ZERO, Vector::X, Vector::Z);
    let cast = |stop: bool| ours.cast_shapes_nonlinear(&still, &cube, &motion, &ball, 0.0, 1.0, stop);
    assert!(cast(true).expect("supported").is_some_and(|hit| hit.time_of_impact == 0.0));
    assert!(cast(false).is_err());
}
