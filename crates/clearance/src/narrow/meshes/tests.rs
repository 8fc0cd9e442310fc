//! Meshes against all pairs of their triangles.

use super::*;
use crate::math::Pose;
use crate::narrow::triangles::closest_points;
use fastrand::Rng;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// A torus about z.
pub(crate) fn torus(around: u32, through: u32, radius: f64, tube: f64) -> Mesh {
    let vertex = |i: u32, j: u32| {
        let (u, v) = (TAU * f64::from(i) / f64::from(around), TAU * f64::from(j) / f64::from(through));
        let r = radius + tube * v.cos();
        DVec3::new(r * u.cos(), r * u.sin(), tube * v.sin())
    };
    let vertices: Vec<DVec3> = (0..around).flat_map(|i| (0..through).map(move |j| vertex(i, j))).collect();
    let at = |i: u32, j: u32| i % around * through + j % through;
    let quads = (0..around).flat_map(|i| (0..through).map(move |j| [i, j]));
    let triangles: Vec<[u32; 3]> = quads
        .flat_map(|[i, j]| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

#[test]
fn a_torus_is_a_solid() {
    let mesh = torus(24, 12, 2.0, 0.5);
    assert!(mesh.report().is_clean(), "{:?}", mesh.report());
    assert!(mesh.volume() > 0.8 * 0.5 * TAU * TAU * 0.25);
}

/// An intersection test that prunes by heights finds the same two triangles as one by boxes alone, at places where the surfaces are about to meet.
#[test]
fn intersections_are_the_same_with_heights_and_without() {
    let mut rng = Rng::with_seed(47);
    let (plain, other) = (torus(160, 80, 2.0, 0.5), torus(160, 80, 2.0, 0.5));
    let (mut met, mut apart) = (0, 0);
    let poses: Vec<Frame> = (0..600)
        .map(|round| {
            if round % 3 == 0 {
                // The outermost vertices are in each other by 1e-4 to 1e-2, so that a bound that is too high loses the contact.
                let depth = [1e-2, 1e-3, 1e-4][round / 3 % 3];
                let turn = DQuat::from_rotation_x(TAU * rng.f64());
                return Frame::from(Pose::new([5.0 - depth, 0.0, 0.0], turn));
            }
            let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
            let far = [3.0, 4.0, 4.6, 4.9][round % 4];
            Frame::from(Pose::new(far * vector(1.0).normalize(), DQuat::from_scaled_axis(vector(3.0))))
        })
        .collect();
    let by_boxes: Vec<_> = poses.iter().map(|frame| first_crossing(&plain, &other, frame, None)).collect();
    assert!(plain.tree().view_with_known_heights().heights.is_empty(), "intersection tests build no heights");
    for mesh in [&plain, &other] {
        let _ = mesh.tree_with_heights();
    }
    for (frame, found) in poses.iter().zip(by_boxes) {
        assert_eq!(first_crossing(&plain, &other, frame, None), found);
        met += usize::from(found.is_some());
        apart += usize::from(found.is_none());
    }
    assert!(met > 50 && apart > 50, "{met} {apart}");
}

#[test]
fn slow_surfaces_meet_and_are_as_far_apart_as_the_closest_of_all_pairs() {
    let mut rng = Rng::with_seed(41);
    let mesh = torus(16, 8, 2.0, 0.5);
    let (mut met, mut apart) = (0, 0);
    for round in 0..60 {
        let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
        let size = [1.0, 4.0, 40.0, 1e6][round % 4];
        let pose = Pose::new(vector(size), DQuat::from_scaled_axis(vector(3.0)));
        let frame = Frame::from(pose);
        let rounding = rounding(&mesh, &Triangles::Mesh(&mesh), &frame);
        let count = mesh.triangles().len() as u32;
        let turned: Vec<_> = (0..count).map(|j| mesh.corners(j).map(|corner| frame.point(corner))).collect();
        let (mut crossing, mut least) = (Vec::new(), f64::INFINITY);
        for i in 0..count {
            for (j, other) in turned.iter().enumerate() {
                if intersect::meet(&mesh.corners(i), other, rounding) {
                    crossing.push([i, j as u32]);
                }
                least = least.min(closest_points(&mesh.corners(i), other).distance);
            }
        }
        assert_eq!(crossing_triangles(&mesh, &mesh, &frame), crossing);
        assert_eq!(intersects(&mesh, &mesh, &frame), !crossing.is_empty());
        let found = distance(&mesh, &mesh, &frame, f64::INFINITY, None).unwrap();
        if crossing.is_empty() {
            apart += 1;
            assert!((found.distance - least).abs() <= 4.0 * rounding, "{found:?} {least}");
            assert!(found.lower <= least && least <= found.upper);
            assert!(found.upper - found.lower < 1e-5 * (1.0 + least), "{found:?}");
            assert!(distance(&mesh, &mesh, &frame, 0.5 * least, None).is_none());
            // Nothing is returned only if that is proved: not for a limit that rounding cannot tell from the distance.
            let near = distance(&mesh, &mesh, &frame, found.distance.next_down(), None);
            assert!(near.is_some_and(|near| near.lower <= least && least <= near.upper), "{near:?} {found:?}");
            let warm = distance(&mesh, &mesh, &frame, f64::INFINITY, Some(found.triangles)).unwrap();
            assert_eq!(warm.distance, found.distance);
        } else {
            met += 1;
            assert_eq!((found.lower, found.distance), (0.0, 0.0));
            assert!(crossing.contains(&found.triangles));
            // The point is on both triangles.
            let [i, j] = found.triangles;
            for corners in [mesh.corners(i), turned[j as usize]] {
                let off = closest_points(&[found.point_a; 3], &corners).distance;
                assert!(off <= 1e-7, "{off} {found:?}");
            }
        }
    }
    assert!(met > 10 && apart > 10, "{met} {apart}");
}

/// Along motions of any step, with jumps, the kept front gives what a search from the roots gives, and visits less.
#[test]
fn a_kept_front_changes_no_answer() {
    let mut rng = Rng::with_seed(42);
    let mesh = torus(24, 12, 1.0, 0.25);
    let mut vector = move |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
    let (mut met, mut apart, mut largest) = (0, 0, 0);
    for step in [1e-6, 1e-3, 0.02, 0.3] {
        let (mut front, mut turn, mut place) = (Front::default(), DQuat::IDENTITY, DVec3::new(1.6, 0.1, 0.4));
        let mut first = None;
        for frame in 0..120 {
            let size = if frame % 50 == 49 { 1.0 } else { step };
            turn = DQuat::from_scaled_axis(vector(size)) * turn;
            place = place * (1.0 - 0.01 * size) + vector(size);
            let b_in_a = Frame::from(Pose::new(place, turn));
            let limit = [f64::INFINITY, 0.0, f64::INFINITY, 0.3][frame % 4];
            let cold = distance_or_bound(&mesh, Triangles::Mesh(&mesh), &b_in_a, limit, None, None);
            let warm = distance_or_bound(&mesh, Triangles::Mesh(&mesh), &b_in_a, limit, first, Some(&mut front));
            match (cold, warm) {
                (Ok(cold), Ok(warm)) => {
                    assert!(cold.lower <= warm.upper && warm.lower <= cold.upper, "{cold:?} {warm:?}");
                    assert_eq!(cold.lower > 0.0, warm.lower > 0.0);
                    assert!(warm.upper - warm.lower < 1e-12, "{warm:?}");
                    first = Some(warm.triangles);
                    if cold.lower > 0.0 { apart += 1 } else { met += 1 }
                }
                (Err(cold), Err(warm)) => assert!(cold > limit && warm > limit, "{cold} {warm}"),
                (cold, warm) => panic!("{cold:?} {warm:?}"),
            }
            largest = largest.max(front.len());
        }
    }
    assert!(met > 50 && apart > 50 && largest > 100, "{met} {apart} {largest}");
}

/// Combs of cubes slide past each other along their faces, turned so little that rounding decides which of many pairs is the
/// closest. The kept front gives the answers of a search from the roots, and its brackets are closed as far. They go to and fro, far and back.
#[test]
fn slow_a_kept_front_changes_no_answer_where_many_pairs_are_as_close() {
    let comb = (0..12).flat_map(|i| [[i, 0, 0], [i, 1, 0]].into_iter().take(1 + i as usize % 2)).collect();
    let mesh = crate::shape::mesh::tests::of_cubes(&comb);
    let mut largest = 0;
    for (turn, far) in [(0.0, 0.0), (1e-15, 0.0), (1e-9, 0.0), (1e-3, 0.0), (0.0, 1e3), (1e-9, 1e5)] {
        let (mut front, mut first) = (Front::default(), None);
        for frame in 0..160 {
            let along = 0.11 * f64::from((frame % 60 - 30_i32).abs());
            let away = if frame % 40 > 37 { far } else { 0.0 };
            let pose = Pose::new(
                DVec3::new(along, 2.25 + away, 0.125 * f64::from(frame / 80)),
                DQuat::from_axis_angle(DVec3::Z, turn * f64::from(frame)),
            );
            let b_in_a = Frame::from(pose);
            let cold = distance_or_bound(&mesh, Triangles::Mesh(&mesh), &b_in_a, f64::INFINITY, None, None).unwrap();
            let kept = Some(&mut front);
            let warm = distance_or_bound(&mesh, Triangles::Mesh(&mesh), &b_in_a, f64::INFINITY, first, kept).unwrap();
            assert!(cold.lower <= warm.upper && warm.lower <= cold.upper, "{cold:?} {warm:?}");
            assert!(warm.upper - warm.lower <= 12.0 * rounding(&mesh, &Triangles::Mesh(&mesh), &b_in_a), "{warm:?}");
            first = Some(warm.triangles);
            largest = largest.max(front.len());
        }
    }
    assert!(largest > 50, "{largest}");
}

/// Bumpy rings pass each other, so that the closest triangles change from call to call. After every call the front has all pairs, and the bound of each pair of
/// subtrees holds for all pairs of their triangles.
#[test]
fn slow_what_a_kept_front_says_is_so_of_all_pairs() {
    let (mut rng, mut facts_in_all, mut fronts) = (Rng::with_seed(46), 0, 0);
    for step in [1e-4, 3e-3, 0.02] {
        let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
        let smooth = torus(12, 8, 1.0, 0.25);
        let bumpy: Vec<DVec3> = smooth.vertices().iter().map(|&v| v + vector(0.03)).collect();
        let mesh = Mesh::new(&bumpy, smooth.triangles()).unwrap();
        let (view, count) = (mesh.tree().view(), mesh.triangles().len());
        let (mut front, mut first, mut turn) = (Front::default(), None, DQuat::IDENTITY);
        for frame in 0..150 {
            turn = DQuat::from_scaled_axis(DVec3::new(0.6 * step, 0.0, 0.8 * step) + vector(0.3 * step)) * turn;
            let angle = step * f64::from(frame);
            // To and fro as well: a bound that is moved twice is then too large.
            let away = 2.75 + step * [0.0, 2.0, 4.0][frame as usize % 3];
            let place = DVec3::new(away * angle.cos(), away * angle.sin(), 0.2) + vector(0.1 * step);
            let b_in_a = Frame::from(Pose::new(place, turn));
            let (surface, kept) = (Triangles::Mesh(&mesh), Some(&mut front));
            let found = distance_or_bound(&mesh, surface, &b_in_a, f64::INFINITY, first, kept).unwrap();
            first = Some(found.triangles);
            let facts = front.facts();
            // None is kept where it does not pay.
            if facts.is_empty() {
                continue;
            }
            fronts += 1;
            let rounding = rounding(&mesh, &surface, &b_in_a);
            let mut is_there = vec![false; count * count];
            for (pair, bound) in facts {
                let (of_a, of_b) = (pair.a.all_items(&view), pair.b.all_items(&view));
                facts_in_all += 1;
                for (&i, &j) in of_a.iter().flat_map(|i| of_b.iter().map(move |j| (i, j))) {
                    assert!(!std::mem::replace(&mut is_there[i as usize * count + j as usize], true), "there twice");
                    let corners = mesh.corners(j).map(|corner| b_in_a.point(corner));
                    let truth = closest_points(&mesh.corners(i), &corners).distance;
                    assert!(bound <= truth + 4.0 * rounding, "{i} and {j} are {truth} apart, not {bound}");
                }
            }
            assert!(is_there.iter().all(|&is_there| is_there), "a pair is missing");
        }
    }
    assert!(fronts > 100 && facts_in_all > 10_000, "{fronts} {facts_in_all}");
}

/// How high triangles reach is the height of their highest corner, whichever that is.
#[test]
fn heights_of_leaves_are_those_of_their_highest_corners() {
    let mut rng = Rng::with_seed(47);
    let mesh = torus(12, 8, 1.0, 0.25);
    for _ in 0..500 {
        let along = DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
        let items: Vec<u32> = (0..rng.usize(1..5)).map(|_| rng.u32(0..mesh.triangles().len() as u32)).collect();
        let all = items.iter().flat_map(|&item| mesh.corners(item)).map(|corner| along.dot(corner));
        let found = super::kept::highest(|item| mesh.corners(item), &items, along);
        assert_eq!(found, all.fold(f64::NEG_INFINITY, f64::max));
    }
}

/// Checks the answer at a place within a limit.
type Check<'c> = &'c mut dyn FnMut(&Frame, f64, &Result<MeshDistance, f64>);

/// Thousands of frames of random walks of two meshes in either order and at any size, with steps of any length, jumps, returns, and calls at the same place.
/// The kept front gives the answers of a search from the roots, closed as far, and the same bits again.
#[test]
fn slow_a_kept_front_changes_no_answer_along_random_walks() {
    let (mut met, mut apart, mut kept) = (0, 0, 0);
    for round in 0..12 {
        let size = [1.0, 1e-6, 1e9][round % 3];
        let comb = (0..9).flat_map(|i| [[i, 0, 0], [i, 1, i % 3]].into_iter().take(1 + i as usize % 2)).collect();
        let cubes = crate::shape::mesh::tests::of_cubes(&comb);
        let scaled: Vec<DVec3> = cubes.vertices().iter().map(|&v| 0.3 * size * v).collect();
        let cubes = Mesh::new(&scaled, cubes.triangles()).unwrap();
        let ring = torus(20, 10, size, 0.3 * size);
        let (a, b) = if round % 2 == 0 { (&ring, &cubes) } else { (&cubes, &ring) };
        let walk = |answers: &mut Vec<[f64; 3]>, check: Check<'_>| {
            let mut rng = Rng::with_seed(45 + round as u64);
            let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
            let (mut front, mut first, mut largest) = (Front::default(), None, 0);
            let (mut turn, mut place, mut poses) = (DQuat::IDENTITY, DVec3::new(2.4, 0.3, 1.2), Vec::new());
            for frame in 0..400_usize {
                let step = [1e-7, 1e-4, 3e-3, 0.03][frame / 100] * if frame % 97 == 96 { 100.0 } else { 1.0 };
                turn = (DQuat::from_scaled_axis(vector(step)) * turn).normalize();
                place += vector(step) + 0.02 * step * (DVec3::new(2.4, 0.3, 1.2) - place);
                match frame % 61 {
                    // Back to where it was, the same again, and far away.
                    59 => (place, turn) = poses[frame / 2],
                    60 => (place, turn) = poses[frame - 1],
                    30 => place *= 1e3,
                    31 => place /= 1e3,
                    _ => {}
                }
                poses.push((place, turn));
                let b_in_a = Frame::from(Pose::new(size * place, turn));
                let limit = if frame % 7 == 3 { 0.5 * size } else { f64::INFINITY };
                let found = distance_or_bound(a, Triangles::Mesh(b), &b_in_a, limit, first, Some(&mut front));
                check(&b_in_a, limit, &found);
                answers.push(match &found {
                    Ok(found) => [found.lower, found.distance, found.upper],
                    Err(lower) => [*lower; 3],
                });
                first = found.ok().map(|found| found.triangles);
                largest = largest.max(front.len());
            }
            largest
        };
        let mut answers = Vec::new();
        kept += usize::from(
            walk(&mut answers, &mut |b_in_a, limit, warm| {
                let cold = distance_or_bound(a, Triangles::Mesh(b), b_in_a, limit, None, None);
                match (cold, warm) {
                    (Ok(cold), Ok(warm)) => {
                        assert!(cold.lower <= warm.upper && warm.lower <= cold.upper, "{cold:?} {warm:?}");
                        assert_eq!(cold.lower > 0.0, warm.lower > 0.0, "{cold:?} {warm:?}");
                        let rounding = rounding(a, &Triangles::Mesh(b), b_in_a);
                        assert!(warm.upper - warm.lower <= 12.0 * rounding, "{warm:?} {rounding}");
                        if cold.lower > 0.0 { apart += 1 } else { met += 1 }
                    }
                    (Err(cold), Err(warm)) => assert!(cold > limit && *warm > limit, "{cold} {warm}"),
                    (cold, warm) => panic!("{cold:?} {warm:?}"),
                }
            }) > 50,
        );
        let mut again = Vec::new();
        walk(&mut again, &mut |_, _, _| {});
        assert_eq!(answers, again);
    }
    assert!(apart > 2000 && met > 20 && kept > 6, "{met} {apart} {kept}");
}

/// Intersection tests build no heights; a distance does, once, and everything together takes at most 110 bytes a triangle.
#[test]
fn heights_are_built_by_distances_and_take_few_bytes() {
    let mesh = torus(60, 30, 1.0, 0.3);
    let at = |x: f64| Frame::from(Pose::from_translation([x, 0.1, 0.2]));
    let before = mesh.bytes();
    for x in [0.5, 2.65, 5.0] {
        let _ = intersects(&mesh, &mesh, &at(x));
        let _ = first_crossing(&mesh, &mesh, &at(x), Some([0, 0]));
        let _ = distance_or_bound(&mesh, Triangles::Mesh(&mesh), &at(x), 0.0, None, None);
    }
    assert_eq!(mesh.bytes(), before, "an intersection test has built heights");
    let found = distance(&mesh, &mesh, &at(5.0), f64::INFINITY, None).map(|found| found.distance);
    let after = mesh.bytes();
    assert!(after > before && after <= 110 * mesh.triangles().len(), "{after} bytes");
    assert_eq!(distance(&mesh, &mesh, &at(5.0), f64::INFINITY, None).map(|found| found.distance), found);
    assert_eq!(mesh.bytes(), after);
}

/// The pairs that cross are the same for any number of threads, and those of a walk that is not divided.
#[cfg(feature = "parallel")]
#[test]
fn slow_crossing_triangles_are_the_same_for_any_number_of_threads() {
    let mut rng = Rng::with_seed(44);
    let mesh = torus(80, 40, 1.0, 0.25);
    let mut most = 0;
    for round in 0..8 {
        let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
        // Also in itself, where every triangle meets many.
        let turn = if round == 0 { DQuat::IDENTITY } else { DQuat::from_scaled_axis(vector(3.0)) };
        let frame = Frame::from(Pose::new(if round < 2 { DVec3::ZERO } else { vector(1.0) }, turn));
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| crossing_triangles(&mesh, &mesh, &frame))
        };
        let alone = with(1);
        most = most.max(alone.len());
        for threads in [2, 3, 8] {
            assert_eq!(with(threads), alone);
        }
    }
    assert!(most > 20_000, "{most}");
}
