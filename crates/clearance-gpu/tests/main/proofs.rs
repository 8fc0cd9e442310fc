//! The kernels prove only what is true: their CPU form against the library, on cases that nearly touch.

use crate::cases::{nearly_touching, numbers, pose, rotation, shapes};
use clearance::{Pose, Shape, distance};
use clearance_gpu::kernel::bounds::{BOX_ERROR, ERROR};
use clearance_gpu::kernel::boxes::{self, Halves};
use clearance_gpu::kernel::search::{Cores, Placement, Reach, gap, within};
use clearance_gpu::kernel::vector::{Vec3, Vertex};
use clearance_gpu::{Bodies, OnePair, PoseNumbers, decided};
use fastrand::Rng;

/// Answers that are decided and differ from the library's; the share that is open is printed.
fn wrong_answers(pairs: usize, margin: f64, rng: &mut Rng) -> usize {
    let (mut wrong, mut open, mut all) = (0, 0, 0);
    for _ in 0..pairs {
        let list = shapes(rng);
        let (a, b) = (&list[rng.usize(0..list.len())], &list[rng.usize(0..list.len())]);
        let pair = OnePair::new(a, b);
        assert!(pair.is_known());
        let poses: Vec<PoseNumbers> = (0..20).map(|_| nearly_touching(a, b, margin, rng)).collect();
        for (verdict, pose) in pair.verdicts(&poses, margin).into_iter().zip(&poses) {
            all += 1;
            match decided(verdict) {
                None => open += 1,
                Some(answer) => wrong += usize::from(answer != pair.library_within(pose, margin).unwrap()),
            }
        }
    }
    println!("margin {margin}: {open} of {all} open, {wrong} wrong");
    wrong
}

#[test]
fn verdicts_about_nearly_touching_pairs_are_the_librarys() {
    assert_eq!(wrong_answers(300, 0.0, &mut Rng::with_seed(1)), 0);
}

#[test]
fn verdicts_about_a_margin_are_the_librarys() {
    assert_eq!(wrong_answers(150, 0.3, &mut Rng::with_seed(2)), 0);
    assert_eq!(wrong_answers(100, 1e-4, &mut Rng::with_seed(3)), 0);
}

#[test]
fn brackets_of_gaps_hold_the_librarys() {
    let mut rng = Rng::with_seed(4);
    let (mut open, mut all) = (0, 0);
    for round in 0..150 {
        let list = shapes(&mut rng);
        let (a, b) = (&list[rng.usize(0..list.len())], &list[rng.usize(0..list.len())]);
        let pair = OnePair::new(a, b);
        let margin = if round % 3 == 0 { 0.0 } else { rng.f64() };
        let poses: Vec<PoseNumbers> = (0..20).map(|_| nearly_touching(a, b, margin, &mut rng)).collect();
        for ((gap, is_closed), pose) in pair.gaps(&poses).into_iter().zip(&poses) {
            let truth = distance(a, Pose::IDENTITY, b, self::pose(pose));
            let (lower, upper) = (truth.lower.max(0.0), truth.upper.max(0.0));
            assert!(f64::from(gap.lower) <= upper && lower <= f64::from(gap.upper), "{gap:?}: {lower} to {upper}");
            // A closed bracket is as narrow as single precision allows.
            let size = a.bounding_radius() + b.bounding_radius() + self::pose(pose).translation().length() + 2.0;
            assert!(!is_closed || f64::from(gap.upper - gap.lower) < 1e-4 * size, "{gap:?} is wide");
            all += 1;
            open += usize::from(!is_closed);
        }
    }
    println!("{open} of {all} open");
    assert!(open * 2 < all);
}

/// Two bodies around one point far from the origin of the world: coordinates of 1e6, where neighbours in `f32` are 1/16 apart.
#[test]
fn pairs_far_from_the_origin_are_the_librarys() {
    let mut rng = Rng::with_seed(5);
    let mut open = 0;
    for _ in 0..100 {
        let list: Vec<Shape> = shapes(&mut rng).into_iter().take(11).collect();
        let bodies = Bodies::new(&list).unwrap();
        let far = clearance::math::DVec3::new(1e6, -1e6, 1e6);
        let poses: Vec<PoseNumbers> = list
            .iter()
            .map(|_| {
                let near = clearance::math::DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 6.0;
                numbers(far + near, rotation(&mut rng))
            })
            .collect();
        let pairs: Vec<[u32; 2]> = (0..11).flat_map(|i| (0..i).map(move |j| [i, j])).collect();
        for margin in [0.0, 0.5] {
            for (&pair, verdict) in pairs.iter().zip(bodies.verdicts(&poses, &pairs, margin)) {
                let truth = bodies.library_within(&poses, pair, margin).unwrap();
                match decided(verdict) {
                    Some(answer) => assert_eq!(answer, truth, "{pair:?}"),
                    None => open += 1,
                }
            }
        }
    }
    println!("{open} of 11000 open");
    assert!(open < 500);
}

/// Poses in the neighbourhood of a pair, plain numbers: nearly all are decided.
#[test]
fn few_plain_queries_are_open() {
    let mut rng = Rng::with_seed(6);
    let list = shapes(&mut rng);
    for (a, b) in [(0, 0), (2, 3), (6, 6), (7, 8), (0, 6)] {
        let pair = OnePair::new(&list[a], &list[b]);
        let poses: Vec<PoseNumbers> = (0..20_000)
            .map(|_| {
                let t = clearance::math::DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 6.0;
                numbers(t, [0; 4].map(|_| (2.0 * rng.f64() - 1.0) as f32))
            })
            .collect();
        let open = |margin: f64| pair.verdicts(&poses, margin).iter().filter(|&&v| decided(v).is_none()).count();
        let counts = [open(0.0), open(0.25), pair.gaps(&poses).iter().filter(|(_, is_closed)| !is_closed).count()];
        println!("{a} {b}: {counts:?} of 20000 are open: yes/no, margin, gap");
        assert!(counts[0] < 20 && counts[1] < 20 && counts[2] < 200, "{counts:?}");
    }
}

/// Numbers that no rotation or place has are left to the library, which refuses them.
#[test]
fn bad_numbers_are_left_open() {
    let mut rng = Rng::with_seed(7);
    let list = shapes(&mut rng);
    let good = [0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0];
    for (a, b) in [(0, 0), (2, 3), (6, 6)] {
        let pair = OnePair::new(&list[a], &list[b]);
        for place in 0..7 {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut pose: PoseNumbers = good;
                pose[place] = bad;
                assert_eq!(decided(pair.verdicts(&[pose], 0.0)[0]), None);
                assert!(!pair.gaps(&[pose])[0].1);
            }
        }
        let none = [0.0; 7];
        assert_eq!(decided(pair.verdicts(&[none], 0.0)[0]), None);
        for huge in [1e-30_f32, 1e30, f32::MAX] {
            let pose = [huge, 0.0, 0.0, 0.0, 0.0, 0.0, huge];
            assert_eq!(decided(pair.verdicts(&[pose], 0.0)[0]), None, "{huge}");
        }
    }
}

/// The constants matter: with a thousandth of each bound some proofs are wrong.
#[test]
fn smaller_bounds_prove_what_is_not_true() {
    let mut rng = Rng::with_seed(8);
    let half: [f64; 3] = [1.0, 0.7, 0.4];
    let cube = Shape::cuboid(half).unwrap();
    let halves = {
        let v = Vec3::new(half[0] as f32, half[1] as f32, half[2] as f32);
        Halves { a: v, b: v }
    };
    let vertices: Vec<Vertex> = (0..8)
        .map(|i: u32| {
            let sign = |bit: u32, x: f64| (if i >> bit & 1 == 1 { x } else { -x }) as f32 / 4.0;
            Vertex { numbers: [sign(0, half[0]), sign(1, half[1]), sign(2, half[2]), 0.0] }
        })
        .collect();
    let cores = Cores { a: &vertices[..], b: &vertices[..], radii: 0.65, inner: 0.2 };
    let none = Reach { lower: 0.0, upper: 0.0 };
    let mut wrong = [[0; 3]; 2];
    for _ in 0..4000 {
        let numbers = nearly_touching(&cube, &cube, 0.0, &mut rng);
        let truth = distance(&cube, Pose::IDENTITY, &cube, pose(&numbers));
        let placed = Placement::of_b(&numbers, 0.25).unwrap();
        for (i, part) in [1.0, 0.001].into_iter().enumerate() {
            let is_wrong = |verdict: u8| decided(verdict).is_some_and(|answer| answer == truth.is_apart());
            wrong[i][0] += usize::from(is_wrong(boxes::meet_with(part * BOX_ERROR, &halves, &numbers)));
            wrong[i][1] += usize::from(is_wrong(within::<false, _>(part * ERROR, &cores, placed, none)));
            let gap = gap::<false, _>(part * ERROR, &cores, placed, none);
            let misses =
                4.0 * f64::from(gap.lower) > truth.upper.max(0.0) || 4.0 * f64::from(gap.upper) < truth.lower.max(0.0);
            wrong[i][2] += usize::from(misses);
        }
    }
    println!("{wrong:?}");
    assert_eq!(wrong[0], [0; 3]);
    assert!(wrong[1].iter().all(|&count| count > 0), "{wrong:?}");
}
