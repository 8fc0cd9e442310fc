//! I-COLLIDE's linear programme beside GJK.

use clearance::Pose;
use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::gjk;
use clearance::math::Frame;
use clearance_lab::{Rng, models, random};
use clearance_papers::vclip::lin_canny::linear_program::Separation;

/// Random pairs, near and far, of few vertices and many.
#[test]
fn it_separates_what_is_apart_and_nothing_else() {
    let mut rng = Rng::with_seed(5);
    let mut program = Separation::default();
    let mut seen = [0; 2];
    for round in 0..1500 {
        let count = if round % 50 == 0 { 300 } else { 4 + round % 30 };
        let [a, b] = [(); 2].map(|()| convex_hull(&models::random_hull(&mut rng, count)).unwrap());
        let at = random::direction(&mut rng) * (2.2 * rng.f64());
        let frame = Frame::from(Pose::new(at, random::rotation(&mut rng)));
        let truth = gjk::distance(&a, &b, &frame, &mut gjk::WarmSimplex::default());
        if truth.distance.abs() < 1e-6 {
            continue;
        }
        let found = program.separates(&a, &b, &frame);
        assert_eq!(found, truth.is_apart(), "{round}: {}", truth.distance);
        seen[usize::from(found)] += 1;
    }
    assert!(seen[0] > 300 && seen[1] > 300, "{seen:?}");
}

#[test]
fn bodies_with_one_middle_are_not_separated() {
    let a = convex_hull(&models::cube()).unwrap();
    assert!(!Separation::default().separates(&a, &a, &Frame::from(Pose::IDENTITY)));
}
