//! The collision tests against an exhaustive one, and the search on cases whose answers are known.

use super::*;
use crate::math::Pose;
use crate::shape::{Cuboid, Sphere};
use fastrand::Rng;
use glam::DQuat;

fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// Is a plane through the origin known to have all vectors on one side? Its normal can be across two of them, or one and an axis.
fn has_plane(all: &[DVec3]) -> bool {
    let mut candidates = all.to_vec();
    for a in all {
        for b in all {
            candidates.push(a.cross(*b));
            candidates.push(*a + *b);
        }
    }
    candidates.iter().any(|n| n.length() > 1e-12 && all.iter().all(|r| n.normalize().dot(*r) >= -1e-12))
}

/// Adds vectors one by one until the test says that no plane is left; then four of them must hold the origin. Returns how many
/// were added.
fn run<T: CollisionTest>(all: &[DVec3]) -> usize {
    let mut test = T::default();
    for count in 1..=all.len() {
        let known = &all[..count];
        match test.add(known) {
            OriginSide::One => {
                let worst = known.iter().map(|r| test.normal().dot(*r)).fold(f64::INFINITY, f64::min);
                assert!(worst > -1e-9, "the normal leaves a vector behind: {worst:e} of {count}");
                assert!((test.normal().length() - 1.0).abs() < 1e-9);
            }
            OriginSide::Both(four) => {
                assert!(holds_origin(four.map(|i| known[i]), 1e-15), "{four:?} of {known:?}");
                return count;
            }
        }
    }
    usize::MAX
}

#[test]
fn both_collision_tests_find_a_plane_exactly_when_there_is_one() {
    let mut rng = Rng::with_seed(41);
    let mut enclosed = 0;
    for round in 0..2000 {
        // Half of the sets stay in a cone, in which a plane is always left.
        let spread = if round % 2 == 0 { 2.0 } else { 0.99 };
        let middle = direction(&mut rng);
        let draw = |rng: &mut Rng| (middle + spread * direction(rng)).normalize();
        let all: Vec<DVec3> = (0..12).map(|_| draw(&mut rng)).collect();
        let (hemisphere, half_planes) = (run::<Hemisphere>(&all), run::<HalfPlanes>(&all));
        assert_eq!(hemisphere, half_planes, "{all:?}");
        let first = (1..=all.len()).find(|&count| !has_plane(&all[..count])).unwrap_or(usize::MAX);
        assert_eq!(hemisphere, first, "{all:?}");
        enclosed += usize::from(first != usize::MAX);
    }
    assert!((300..1000).contains(&enclosed), "representative: {enclosed}");
}

/// Adds vectors one by one; "no plane" may be said of vectors that have hardly any, but must not be provable.
fn give_up_at_most<T: CollisionTest>(all: &[DVec3]) {
    let mut test = T::default();
    for count in 1..=all.len() {
        match test.add(&all[..count]) {
            OriginSide::One => {
                assert!(all[..count].iter().all(|r| test.normal().dot(*r) >= -1e-15), "{all:?}: {}", test.normal());
            }
            OriginSide::Both(four) => {
                assert!(!holds_origin(four.map(|i| all[i]), 1e-15));
                return;
            }
        }
    }
}

#[test]
fn vectors_on_one_line_and_in_one_plane_prove_no_collision() {
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let orders: [&[DVec3]; 6] =
        [&[x, -x, y, x], &[x, y, -x, -y], &[x, x, x], &[z, x, -x, y], &[x, -y, -x, y, z], &[y, x, x, -x]];
    for all in orders {
        give_up_at_most::<Hemisphere>(all);
        give_up_at_most::<HalfPlanes>(all);
    }
}

#[test]
fn every_step_comes_closer_to_every_vector_that_separates() {
    let mut rng = Rng::with_seed(42);
    let steps: [&dyn StepRule; 5] =
        [&Greedy, &Conservative, &Blend { alpha: 0.25 }, &Blend { alpha: 0.5 }, &Blend { alpha: 0.9 }];
    for _ in 0..2000 {
        let (w, v, r) = (direction(&mut rng), direction(&mut rng), direction(&mut rng));
        // A vector w that separates has r on its side; lemmas 5 and 7 want v on its side too.
        if r.dot(w) < 0.01 || v.dot(r) > -0.01 || v.dot(w) < 0.01 {
            continue;
        }
        for step in steps {
            let next = step.next(v, r).normalize();
            assert!(next.dot(w) > v.dot(w), "{v} {r} {w}: {next}");
            assert!(next.dot(r) >= -1e-15);
        }
    }
}

#[test]
fn two_balls_are_settled_by_one_reflection() {
    let mut rng = Rng::with_seed(43);
    for _ in 0..1000 {
        let radii = [rng.f64() + 0.1, rng.f64() + 0.1];
        let balls = radii.map(|radius| Sphere::new(radius).unwrap());
        let gap = 0.5 * rng.f64() + 1e-9;
        let frame = Frame::from(Pose::from_translation(direction(&mut rng) * (radii[0] + radii[1] + gap)));
        let difference = Difference::new(&balls[0], &balls[1], &frame);
        let mut cache = LastVector::along(direction(&mut rng));
        let found = search::<Hemisphere, Greedy, _, _>(&difference, &Greedy, &mut cache);
        assert_eq!(found.verdict, Verdict::Apart, "{found:?}");
        assert!(found.steps <= 2, "{found:?}");
        assert!(found.lower > 0.0 && found.lower <= gap);
    }
}

#[test]
fn touching_is_no_collision_here_and_an_intersection_everywhere() {
    let cube = Cuboid::new(DVec3::ONE).unwrap();
    for (shift, collides_, intersects_) in [(1.9, true, true), (2.0, false, true), (2.1, false, false)] {
        for axis in [DVec3::X, DVec3::Y, DVec3::NEG_Z] {
            let frame = Frame::from(Pose::from_translation(axis * shift));
            assert_eq!(collides(&cube, &cube, &frame, &mut LastVector::default()), collides_, "{shift}");
            assert_eq!(intersects(&cube, &cube, &frame, &mut LastVector::default()), intersects_, "{shift}");
        }
    }
}

#[test]
fn a_shape_that_breaks_its_contract_ends_the_search() {
    #[derive(Debug)]
    struct Broken;
    impl Convex for Broken {
        fn support(&self, _: DVec3) -> DVec3 {
            DVec3::NAN
        }
        fn bounding_radius(&self) -> f64 {
            1.0
        }
        fn center(&self) -> DVec3 {
            DVec3::ZERO
        }
    }
    let cube = Cuboid::new(DVec3::ONE).unwrap();
    let frame = Frame::from(Pose::new([3.0, 0.0, 0.0], DQuat::IDENTITY));
    let found = search::<Hemisphere, Greedy, _, _>(
        &Difference::new(&cube, &Broken, &frame),
        &Greedy,
        &mut LastVector::default(),
    );
    assert!(found.is_handed_over() && found.lower == f64::NEG_INFINITY, "{found:?}");
    assert!(intersects(&cube, &Broken, &frame, &mut LastVector::default()));
    assert!(!is_beyond(&cube, &Broken, &frame, 0.1, &mut LastVector::default()));
}

/// Two boxes, the one over the other along y and that far apart.
fn boxes_apart(gap: f64) -> (Cuboid, Frame) {
    let plate = Cuboid::new(DVec3::new(1.0, 0.5, 1.0)).unwrap();
    (plate, Frame::from(Pose::from_translation([0.3, 1.0 + gap, 0.2])))
}

/// A height that rounding could have made proves nothing; a larger one does, with the bound that goes with it.
#[test]
fn a_gap_within_rounding_is_not_apart_and_a_larger_one_is() {
    for (roundings, verdict) in [(0.3, Verdict::Touching), (8.0, Verdict::Apart)] {
        let (plate, frame) = boxes_apart(0.0);
        let rounding = Difference::new(&plate, &plate, &frame).rounding;
        let (plate, frame) = boxes_apart(roundings * rounding);
        let mut cache = LastVector::along(DVec3::NEG_Y);
        let found = search::<Hemisphere, Greedy, _, _>(&Difference::new(&plate, &plate, &frame), &Greedy, &mut cache);
        assert_eq!(found.verdict, verdict, "{found:?}");
        for axis in [DVec3::NEG_Y, DVec3::ZERO] {
            let is_apart = verdict == Verdict::Apart;
            assert_eq!(intersects(&plate, &plate, &frame, &mut LastVector::along(axis)), !is_apart, "{roundings}");
            // The same gap beyond a limit.
            let farther = Frame { translation: frame.translation + 0.25 * DVec3::Y, ..frame };
            let is_farther = is_beyond(&plate, &plate, &farther, 0.25, &mut LastVector::along(axis));
            // From the line of centres it may not be found out.
            assert!(if axis == DVec3::ZERO { is_apart || !is_farther } else { is_farther == is_apart }, "{roundings}");
        }
    }
}

/// The steps in single precision find no plane between shapes that overlap, or are closer than asked, by less than they see.
#[test]
fn rough_steps_prove_nothing_within_their_rounding() {
    let mut rng = Rng::with_seed(44);
    let cube = Cuboid::new(DVec3::ONE).unwrap();
    for round in 0..2000 {
        let turn = DQuat::from_scaled_axis(3.0 * direction(&mut rng));
        let overlap = 10.0_f64.powf(-9.0 + 3.0 * rng.f64());
        let limit = if round % 2 == 0 { 0.0 } else { rng.f64() };
        // Corner first into the upper face of A.
        let lowest = (0..8).map(|i| turn * cube.vertex(i).unwrap()).min_by(|p, q| p.y.total_cmp(&q.y)).unwrap();
        let frame = Frame::from(Pose::new(DVec3::new(0.1, 1.0 + limit - overlap, 0.2) - lowest, turn));
        let difference = Difference::new(&cube, &cube, &frame);
        assert!(!rough::search(&difference, DVec3::NEG_Y, limit).0, "{overlap:e}");
        assert!(!rough::search(&difference, difference.center(), limit).0, "{overlap:e}");
    }
}

/// Four points hold the origin only if it is inside by more than their rounding, however flat they are.
#[test]
fn a_tetrahedron_that_rounding_could_turn_over_proves_nothing() {
    let (rounding, [x, y, z]) = (1e-15, DVec3::AXES);
    // The origin under the middle of a face.
    for (height, answer) in [(0.5, false), (-0.5, false), (100.0, true), (-100.0, false)] {
        let shift = DVec3::new(0.25, 0.25, height * rounding);
        assert_eq!(holds_origin([-shift, x - shift, y - shift, z - shift], rounding), answer, "{height}");
        assert_eq!(holds_origin([-shift, y - shift, x - shift, z - shift], rounding), answer, "{height}");
    }
    let mut rng = Rng::with_seed(45);
    for _ in 0..500 {
        // In one plane through the origin, and far from it.
        let (u, v) = (direction(&mut rng), direction(&mut rng));
        let four = [(); 4].map(|()| u * (1.0 + rng.f64()) + v * (rng.f64() - 0.5));
        assert!(!holds_origin(four, rounding), "{four:?}");
    }
}

/// A vector that was found answers the next query in one step, where the line of centres would not.
#[test]
fn a_remembered_vector_saves_the_search_that_found_it() {
    let plate = Cuboid::new(DVec3::new(2.0, 0.1, 2.0)).unwrap();
    let ask = |shift: f64, cache: &mut LastVector| {
        let frame = Frame::from(Pose::from_translation([3.0 - shift, 0.5 - shift, shift]));
        let found = search::<Hemisphere, Greedy, _, _>(&Difference::new(&plate, &plate, &frame), &Greedy, cache);
        assert_eq!(found.verdict, Verdict::Apart);
        found.steps
    };
    let mut cache = LastVector::default();
    assert!(ask(0.0, &mut cache) > 1, "the line of centres does not separate");
    for step in 1..10 {
        assert_eq!(ask(1e-6 * f64::from(step), &mut cache), 1);
    }
}
