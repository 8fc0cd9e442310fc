//! Compounds against the plain query about every pair of parts, and the number of pairs that are queried.

use super::*;
use crate::shape::{Axis, HalfHeight, Radius, Shape};
use fastrand::Rng;
use glam::DQuat;

/// Counts what a search does.
#[derive(Default)]
struct Count {
    asked: usize,
    pruned: usize,
    splits: usize,
}

impl Trace for Count {
    fn split(&mut self, _: usize, _: u32, _: bool) {
        self.splits += 1;
    }

    fn prune(&mut self, _: DVec3) {
        self.pruned += 1;
    }

    fn ask(&mut self, _: [u32; 2], _: DVec3) {
        self.asked += 1;
    }
}

fn counted(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> (Clearance, Count) {
    let (mut count, placed) = (Count::default(), PosedPair { a, pose_a: &pose_a, b, pose_b: &pose_b });
    let cache = &mut PairCache::default();
    let until = Until { limit: f64::INFINITY, floor: f64::NEG_INFINITY };
    let found = with_pairs(placed, |pairs| search(pairs, until, Engine::Auto, cache, &mut count));
    // The pair that is queried first comes up again, or is pruned with all others.
    (found, Count { asked: count.asked + 1, ..count })
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

fn turn(rng: &mut Rng) -> DQuat {
    DQuat::from_scaled_axis(vector(rng, 3.0))
}

fn points(rng: &mut Rng, count: usize, size: f64) -> Vec<DVec3> {
    (0..count).map(|_| vector(rng, size)).collect()
}

/// A part of any kind.
fn part(rng: &mut Rng, size: f64) -> Shape {
    match rng.u32(0..6) {
        0 => Shape::sphere(size * rng.f64()).unwrap(),
        1 => Shape::cuboid(vector(rng, size).abs()).unwrap(),
        2 => Shape::capsule(Axis::Y, Radius(size * rng.f64()), HalfHeight(size * rng.f64())).unwrap(),
        3 => Shape::cylinder(Axis::Y, Radius(size * rng.f64()), HalfHeight(size * rng.f64())).unwrap(),
        4 => Shape::triangle(vector(rng, size), vector(rng, size), vector(rng, size)).unwrap(),
        _ => Shape::hull(&points(rng, 12, size)).unwrap(),
    }
}

/// Compounds of every sort, of about size one.
fn compound(rng: &mut Rng, sort: u32) -> Shape {
    let count = [1, 2, 3, 8, 30][rng.usize(0..5)];
    let mut place = |i: usize| {
        let at = match sort % 5 {
            // Anywhere; all at one spot; in a line; far from the compound's origin; on a grid, coplanar and touching.
            0 => vector(rng, 1.0),
            1 => DVec3::splat(0.25),
            2 => DVec3::X * (i as f64 * 0.1 - 0.5),
            3 => vector(rng, 1.0) + DVec3::splat(1e4),
            _ => DVec3::new((i % 6) as f64, (i / 6) as f64, 0.0) * 0.25,
        };
        if sort % 5 == 4 {
            return (Shape::cuboid([0.125; 3]).unwrap(), Pose::from_translation(at));
        }
        (part(rng, 0.2), Pose::new(at, turn(rng)))
    };
    let parts: Vec<(Shape, Pose)> = (0..count).map(&mut place).collect();
    // A compound in a compound.
    let shape = Shape::compound(parts).unwrap();
    if sort.is_multiple_of(2) { shape } else { Shape::compound([(shape, Pose::from_translation([0.5; 3]))]).unwrap() }
}

fn parts_of_shape(shape: &Shape, pose: &Pose) -> Vec<(Shape, Pose)> {
    match shape {
        Shape::Compound(all) => all.parts().iter().map(|part| (part.shape.clone(), *pose * part.pose)).collect(),
        _ => vec![(shape.clone(), *pose)],
    }
}

/// The least distance of all pairs of parts, by asking about each.
fn brute_force(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    let (a, b) = (parts_of_shape(a, pose_a), parts_of_shape(b, pose_b));
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    pairs
        .map(|((a, pose_a), (b, pose_b))| crate::distance(a, *pose_a, b, *pose_b).distance)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn compounds_are_as_close_as_their_closest_parts() {
    let mut rng = Rng::with_seed(11);
    let (mut apart, mut meeting) = (0, 0);
    for round in 0..600 {
        let (a, b) = (compound(&mut rng, round), compound(&mut rng, round / 5));
        let b = if round % 7 == 0 { part(&mut rng, 1.0) } else { b };
        let center = |shape: &Shape| shape.aabb(&Pose::IDENTITY).center();
        let away = vector(&mut rng, [0.5, 2.0, 10.0][round as usize % 3]);
        let (turn_a, turn_b) = (turn(&mut rng), turn(&mut rng));
        let pose_a = Pose::new(turn_a * -center(&a), turn_a);
        let pose_b = Pose::new(turn_b * -center(&b) + away, turn_b);
        let truth = brute_force(&a, &pose_a, &b, &pose_b);
        let found = crate::distance(&a, pose_a, &b, pose_b);
        let size = a.bounding_radius() + b.bounding_radius() + away.length();
        let context = format!("round {round}: {truth} {found:?}");
        assert!(found.lower - 1e-11 * size <= truth && truth <= found.upper + 1e-11 * size, "{context}");
        if truth > 1e-9 * size {
            apart += 1;
            assert!((found.distance - truth).abs() <= 1e-12 * size, "{context}");
            assert!(found.upper - found.lower <= 1e-12 * size && found.status == Status::Converged, "{context}");
            assert!(!crate::intersects(&a, pose_a, &b, pose_b), "{context}");
            let half = 0.5 * truth;
            assert!(crate::within(&a, pose_a, &b, pose_b, half).is_none(), "{context}");
            assert!(crate::within(&a, pose_a, &b, pose_b, 2.0 * truth).is_some(), "{context}");
        } else if truth < -1e-9 * size {
            meeting += 1;
            assert!(crate::intersects(&a, pose_a, &b, pose_b), "{context}");
            assert!(crate::within(&a, pose_a, &b, pose_b, 0.0).is_some(), "{context}");
        }
        // Swapped, moved together, and warm.
        let swapped = crate::distance(&b, pose_b, &a, pose_a);
        let together = Pose::new(vector(&mut rng, 3.0), turn(&mut rng));
        let moved = crate::distance(&a, together * pose_a, &b, together * pose_b);
        let mut pair = crate::Pair::new(&a, &b);
        pair.distance(pose_a.moved_by(vector(&mut rng, 0.1)), pose_b);
        let warm = pair.distance(pose_a, pose_b);
        for (other, what) in [(swapped, "swapped"), (moved, "moved"), (warm, "warm")] {
            let slack = 1e-11 * (size + 3.0);
            assert!(
                other.lower <= found.upper + slack && found.lower <= other.upper + slack,
                "{what} {context} {other:?}"
            );
        }
    }
    assert!(apart > 200 && meeting > 60, "{apart} {meeting}");
}

/// The same pieces with their own frames in the middle of them, and with all frames at the origin of the body.
fn two_frames(rng: &mut Rng, count: usize) -> [Shape; 2] {
    let clouds: Vec<(DVec3, Vec<DVec3>)> = (0..count).map(|_| (vector(rng, 1.0), points(rng, 16, 0.2))).collect();
    let recentred = clouds.iter().map(|(at, cloud)| (Shape::hull(cloud).unwrap(), Pose::from_translation(*at)));
    let common = clouds.iter().map(|(at, cloud)| {
        let cloud: Vec<DVec3> = cloud.iter().map(|&point| point + *at).collect();
        (Shape::hull(&cloud).unwrap(), Pose::IDENTITY)
    });
    [Shape::compound(recentred).unwrap(), Shape::compound(common).unwrap()]
}

#[test]
fn sixty_pieces_cost_the_same_in_any_frame() {
    let mut rng = Rng::with_seed(12);
    let [recentred, common] = two_frames(&mut rng, 60);
    let (mut of_recentred, mut of_common) = (0, 0);
    for _ in 0..200 {
        let pose = Pose::new(vector(&mut rng, 1.0).normalize() * (2.0 + 2.0 * rng.f64()), turn(&mut rng));
        let (left, count_left) = counted(&recentred, Pose::IDENTITY, &recentred, pose);
        let (right, count_right) = counted(&common, Pose::IDENTITY, &common, pose);
        assert!((left.distance - right.distance).abs() < 1e-12);
        of_recentred += count_left.asked;
        of_common += count_right.asked;
    }
    // All pairs would be 3600 each.
    assert!(of_recentred < 200 * 20, "{of_recentred}");
    assert!(of_common.abs_diff(of_recentred) <= of_recentred / 10, "{of_recentred} {of_common}");
}

/// A ball of small parts.
fn cloud(rng: &mut Rng, count: usize, size: f64) -> Shape {
    let parts = (0..count).map(|_| {
        let at = vector(rng, 1.0).normalize() * rng.f64().cbrt();
        (Shape::hull(&points(rng, 12, size)).unwrap(), Pose::new(at, turn(rng)))
    });
    Shape::compound(parts.collect::<Vec<_>>()).unwrap()
}

/// A plate of bricks in rows, all equally high.
fn plate(count: usize) -> Shape {
    let side = (count as f64).sqrt().round() as usize;
    let brick = Shape::cuboid([0.5, 0.5, 0.1]).unwrap();
    let place = |i: usize| Pose::from_translation([(i % side) as f64, (i / side) as f64, 0.0]);
    Shape::compound((0..side * side).map(|i| (brick.clone(), place(i)))).unwrap()
}

#[test]
fn a_thousand_parts_far_apart_cost_few_queries() {
    let mut rng = Rng::with_seed(13);
    let clouds: Vec<Shape> = (0..3).map(|_| cloud(&mut rng, 1000, 0.1)).collect();
    let (mut most, mut settled) = (0, 0);
    for _ in 0..100 {
        let (a, b) = (&clouds[rng.usize(0..3)], &clouds[rng.usize(0..3)]);
        let pose = Pose::new(vector(&mut rng, 1.0).normalize() * (3.0 + 20.0 * rng.f64()), turn(&mut rng));
        let (_, count) = counted(a, Pose::IDENTITY, b, pose);
        most = most.max(count.asked);
        settled += count.pruned;
    }
    // Most are pruned as a whole, by one direction; of a million pairs a few hundred nodes in the mean.
    assert!(most < 100 && settled < 100 * 400, "{most} {settled}");
    // Plates face to face are equally close everywhere, and tilted by little nearly so.
    let plate = plate(1000);
    for tilt in [0.0, 1e-9, 1e-4, 0.1] {
        for height in [1.0, 10.0, 1000.0] {
            let pose = Pose::new([3.3, 2.2, height], DQuat::from_rotation_x(tilt));
            let (found, count) = counted(&plate, Pose::IDENTITY, &plate, pose);
            assert!(count.asked < 100, "{tilt} {height}: {} {}", count.asked, count.pruned);
            assert!(found.status == Status::Converged);
        }
    }
}

#[test]
fn the_work_of_close_compounds_grows_about_linearly() {
    let mut rng = Rng::with_seed(14);
    let mut counts = Vec::new();
    for count in [250, 500, 1000, 2000] {
        // As dense whatever their number, and into one another by a little.
        let size = 0.8 / (count as f64).cbrt();
        let (a, b) = (cloud(&mut rng, count, size), cloud(&mut rng, count, size));
        let mut work = 0;
        for _ in 0..10 {
            let pose = Pose::new(vector(&mut rng, 1.0).normalize() * 1.9, turn(&mut rng));
            let (_, found) = counted(&a, Pose::IDENTITY, &b, pose);
            work += found.asked + found.splits / 10;
        }
        counts.push(work);
    }
    assert!(counts[3] < 12 * counts[0], "{counts:?}");
    assert!(counts[3] < 10 * 2000, "{counts:?}");
}

/// A box of these half extents as a row of boxes along x.
fn bar(half: DVec3, count: usize) -> Shape {
    let piece = half.x / count as f64;
    let brick = Shape::cuboid([piece, half.y, half.z]).unwrap();
    let at = |i: usize| Pose::from_translation([(2 * i + 1) as f64 * piece - half.x, 0.0, 0.0]);
    Shape::compound((0..count).map(|i| (brick.clone(), at(i)))).unwrap()
}

#[test]
fn a_negative_distance_is_the_shortest_way_out_of_all_parts() {
    // A ball in a bar of two boxes: 1.15 out of the deeper one, 1.25 out of both.
    let (ball, bar) = (Shape::sphere(0.25).unwrap(), bar(DVec3::new(4.0, 1.0, 1.0), 2));
    let found = crate::distance(&ball, Pose::from_translation([0.1, 0.0, 0.0]), &bar, Pose::IDENTITY);
    assert!(found.lower <= -1.25 && found.lower > -1.25 - 1e-9 && found.upper >= -1.25, "{found:?}");
    assert!(found.upper < -0.3 && found.distance <= found.upper, "{found:?}");
    // Near the surface one way out is that of both.
    let found = crate::distance(&ball, Pose::from_translation([2.0, 1.0, 0.0]), &bar, Pose::IDENTITY);
    assert!(found.status == Status::Converged && (found.distance + 0.25).abs() < 1e-12, "{found:?}");
    assert!(found.upper - found.lower < 1e-12, "{found:?}");
}

#[test]
fn boxes_cut_to_pieces_are_as_deep_as_they_are_whole() {
    let mut rng = Rng::with_seed(15);
    let (mut closed, mut open) = (0, 0);
    for round in 0..300 {
        let half = vector(&mut rng, 1.0).abs() + DVec3::splat(0.1);
        let (whole, pieces) = (Shape::cuboid(half).unwrap(), bar(half, [1, 2, 5, 40][round % 4]));
        let other = part(&mut rng, 0.8);
        let pose_a = Pose::new(vector(&mut rng, 1.0), turn(&mut rng));
        let pose_b = Pose::new(vector(&mut rng, 1.0), turn(&mut rng));
        let truth = crate::distance(&whole, pose_a, &other, pose_b);
        let found = crate::distance(&pieces, pose_a, &other, pose_b);
        let swapped = crate::distance(&other, pose_b, &pieces, pose_a);
        for found in [found, swapped] {
            let context = format!("{round}: {truth:?} {found:?}");
            assert!(found.lower <= truth.upper && truth.lower <= found.upper, "{context}");
            assert!(found.lower <= found.distance && found.distance <= found.upper, "{context}");
            assert!(truth.lower - found.lower < 1e-9 || found.lower > 0.0, "the hull is the box: {context}");
            let is_closed = found.upper - found.lower < 1e-9;
            assert!(is_closed || found.status == Status::Open, "{context}");
            if truth.upper < 0.0 {
                *(if is_closed { &mut closed } else { &mut open }) += 1;
            }
        }
    }
    assert!(closed > 60 && open > 60, "{closed} {open}");
}

#[test]
fn rooms_of_half_spaces_have_a_way_out() {
    let floor = (Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), Pose::IDENTITY);
    let wall = (Shape::half_space([1.0, 0.0, 0.0], 0.0).unwrap(), Pose::IDENTITY);
    let ball = Shape::sphere(1.0).unwrap();
    let at = |x: f64, y: f64| Pose::from_translation([x, y, 0.0]);
    let only = Shape::compound([floor.clone()]).unwrap();
    let found = crate::distance(&only, Pose::IDENTITY, &ball, at(0.0, -2.0));
    assert!(found.status == Status::Converged && (found.distance + 3.0).abs() < 1e-12, "{found:?}");
    let room = Shape::compound([floor, wall]).unwrap();
    let found = crate::distance(&room, Pose::IDENTITY, &ball, at(5.0, -2.0));
    assert!(found.status == Status::Converged && (found.distance + 3.0).abs() < 1e-12, "{found:?}");
    // In the corner, out of both: by 3 and 4, which is 5.
    let found = crate::distance(&room, Pose::IDENTITY, &ball, at(-3.0, -2.0));
    assert!((found.lower + 5.0).abs() < 1e-9 && (found.upper + 4.0).abs() < 1e-12, "{found:?}");
    assert_eq!(found.status, Status::Open);
    // Several balls against one half-space are as deep as the deepest.
    let balls = Shape::compound((0..50).map(|i| (ball.clone(), at(f64::from(i % 7), f64::from(i))))).unwrap();
    let found =
        crate::distance(&Shape::half_space([0.0, 1.0, 0.0], 10.0).unwrap(), Pose::IDENTITY, &balls, Pose::IDENTITY);
    assert!(found.status == Status::Converged && (found.distance + 11.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn touching_parts_are_closed_and_a_peg_in_its_hole_is_not() {
    let brick = Shape::cuboid([0.5; 3]).unwrap();
    let at = |x: f64, y: f64| Pose::from_translation([x, y, 0.0]);
    // A brick on a row of bricks.
    let row = Shape::compound((0..9).map(|i| (brick.clone(), at(f64::from(i), 0.0)))).unwrap();
    let found = crate::distance(&row, Pose::IDENTITY, &brick, at(3.5, 1.0));
    assert!(found.status == Status::Converged && found.distance.abs() < 1e-12, "{found:?}");
    assert!(found.lower > -1e-12 && found.upper < 1e-12, "{found:?}");
    // Between two bricks that leave it just as much room as it needs it touches, but no rounding can tell.
    let hole = Shape::compound([(brick.clone(), at(-1.0, 0.0)), (brick.clone(), at(1.0, 0.0))]).unwrap();
    let found = crate::distance(&hole, Pose::IDENTITY, &brick, at(0.0, 0.0));
    assert!(found.lower <= 0.0 && found.upper >= 0.0 && found.upper < 1e-12, "{found:?}");
    assert!(found.status == Status::Open && crate::intersects(&hole, Pose::IDENTITY, &brick, at(0.0, 0.0)));
    // One that is deeper than the margin as a whole is not ruled out by its parts.
    let ball = Shape::sphere(0.25).unwrap();
    let long = bar(DVec3::new(4.0, 1.0, 1.0), 40);
    assert!(crate::within(&ball, at(0.0, 0.0), &long, Pose::IDENTITY, -1.0).is_some());
    assert!(crate::within(&ball, at(0.0, 0.0), &long, Pose::IDENTITY, -1.3).is_none());
}
