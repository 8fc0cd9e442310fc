//! Solids of unit cubes against what is known about them: as boxes along the axes in closed form, and as compounds of boxes, which no
//! code for meshes has seen.

use crate::shape::mesh::tests::{cubes, of_cubes};
use crate::{Axis, Engine, Feature, HalfHeight, Pair, Pose, Radius, Shape, Status, distance, intersects, within};
use fastrand::Rng;
use glam::{DMat3, DQuat, DVec3};
use rustc_hash::FxHashSet;
use std::sync::Arc;

type Cubes = FxHashSet<[i32; 3]>;

fn mesh_of(cubes: &Cubes) -> Shape {
    Shape::Mesh(Arc::new(of_cubes(cubes)))
}

fn compound_of(cubes: &Cubes) -> Shape {
    let cube = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    let mut places: Vec<_> = cubes.iter().collect();
    places.sort_unstable();
    let at = |cube: &[i32; 3]| Pose::from_translation(cube.map(|x| f64::from(x) + 0.5));
    Shape::compound(places.into_iter().map(|place| (cube.clone(), at(place)))).unwrap()
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

/// The signed distance of two unions of unit cubes, the second moved by quarters. The places where B is not free are a union of open boxes
/// of side 2; the nearest point outside has, axis by axis, its own coordinate or that of a face.
fn truth(a: &Cubes, b: &Cubes, quarters: [i32; 3]) -> f64 {
    let boxes: Vec<[i32; 3]> =
        a.iter().flat_map(|a| b.iter().map(move |b| [0, 1, 2].map(|k| 4 * (a[k] - b[k]) - quarters[k]))).collect();
    let gap = |x: i32| f64::from((x.abs() - 4).max(0)) / 4.0;
    let least = boxes.iter().map(|m| DVec3::from_array(m.map(gap)).length()).fold(f64::INFINITY, f64::min);
    let is_free = |at: [i32; 3]| boxes.iter().all(|m| (0..3).any(|k| (m[k] - at[k]).abs() >= 4));
    if least > 0.0 || is_free([0; 3]) {
        return least;
    }
    let faces = |k: usize| -> Vec<i32> {
        let mut all: Vec<i32> = boxes.iter().flat_map(|m| [m[k] - 4, m[k] + 4]).chain([0]).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let [xs, ys, zs] = [faces(0), faces(1), faces(2)];
    let mut depth = f64::INFINITY;
    for &x in &xs {
        for &y in &ys {
            for &z in &zs {
                let length = 0.25 * DVec3::new(f64::from(x), f64::from(y), f64::from(z)).length();
                if length < depth && is_free([x, y, z]) {
                    depth = length;
                }
            }
        }
    }
    -depth
}

#[test]
fn slow_lattice_solids_against_their_closed_form() {
    let mut rng = Rng::with_seed(81);
    let (mut seen, mut closed) = ([0; 3], 0);
    for round in 0..300 {
        let (a, b) = (cubes(&mut rng, 1 + round % 7), cubes(&mut rng, 1 + round % 5));
        let (mesh_a, mesh_b) = (mesh_of(&a), mesh_of(&b));
        let mut pair = Pair::new(&mesh_a, &mesh_b);
        for _ in 0..6 {
            let quarters: [i32; 3] = [(); 3].map(|()| rng.i32(-12..=12));
            let truth = truth(&a, &b, quarters);
            seen[usize::from(truth >= 0.0) + usize::from(truth > 0.0)] += 1;
            let step = DVec3::from_array(quarters.map(|q| 0.25 * f64::from(q)));
            // As it is, and turned and moved together.
            let all = Pose::new(vector(&mut rng, 20.0), DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
            for (pose_a, pose_b) in
                [(Pose::IDENTITY, Pose::from_translation(step)), (all, all * Pose::from_translation(step))]
            {
                assert_eq!(intersects(&mesh_a, pose_a, &mesh_b, pose_b), truth <= 0.0, "{truth} {quarters:?}");
                assert_eq!(intersects(&mesh_b, pose_b, &mesh_a, pose_a), truth <= 0.0, "{truth} {quarters:?}");
                let tolerance = if pose_a == Pose::IDENTITY { 0.0 } else { 1e-13 };
                let cold = distance(&mesh_a, pose_a, &mesh_b, pose_b);
                for found in [cold, distance(&mesh_b, pose_b, &mesh_a, pose_a).swapped(), pair.distance(pose_a, pose_b)]
                {
                    assert!(found.lower <= truth + tolerance && truth <= found.upper + tolerance, "{found:?} {truth}");
                    assert!(found.lower <= found.distance && found.distance <= found.upper, "{found:?}");
                    assert!((found.point_b - found.point_a - found.distance * found.normal).length() < 1e-13);
                    assert!((found.normal.length() - 1.0).abs() < 1e-14);
                    if truth > 0.0 {
                        assert!(found.upper - found.lower < 1e-12 && found.status == Status::Converged, "{found:?}");
                        let features = found.features(&mesh_a, &mesh_b);
                        assert!(features.iter().all(|feature| matches!(feature, Feature::Face(_))), "{features:?}");
                    } else {
                        closed += usize::from(found.upper - found.lower < 1e-12);
                    }
                }
                let near = within(&mesh_a, pose_a, &mesh_b, pose_b, truth - 0.01);
                assert!(truth <= 0.0 || near.is_none(), "{near:?} {truth}");
                let near = within(&mesh_a, pose_a, &mesh_b, pose_b, truth + 0.01);
                assert!(near.is_some_and(|near| near.lower <= truth + tolerance), "{near:?} {truth}");
                assert!(pair.within(pose_a, pose_b, truth + 0.01).is_some());
                assert_eq!(pair.intersects(pose_a, pose_b), truth <= 0.0);
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 100) && closed > 100, "{seen:?} {closed}");
}

fn convex_shapes() -> Vec<Shape> {
    let hull = [[0.0, 0.0, 0.0], [0.7, 0.1, 0.0], [0.1, 0.9, 0.2], [0.3, 0.2, 0.8], [-0.3, -0.2, -0.5]];
    let cone = Shape::cone(Axis::X, Radius(0.4), HalfHeight(0.5)).unwrap();
    vec![
        Shape::point(),
        Shape::sphere(0.3).unwrap(),
        Shape::cuboid([0.2, 0.5, 0.9]).unwrap(),
        Shape::segment([-0.5, 0.0, 0.0], [0.6, 0.3, 0.1]).unwrap(),
        Shape::capsule(Axis::Z, Radius(0.2), HalfHeight(0.6)).unwrap(),
        Shape::triangle([0.0, 0.0, 0.0], [1.0, 0.2, 0.0], [0.1, 0.8, 0.3]).unwrap(),
        Shape::cylinder(Axis::Y, Radius(0.3), HalfHeight(0.4)).unwrap(),
        Shape::ellipsoid([0.2, 0.4, 0.7]).unwrap(),
        Shape::hull(&hull).unwrap(),
        Shape::affine(&cone, DMat3::from_cols(DVec3::X, DVec3::new(0.3, 1.0, 0.0), 2.0 * DVec3::Z)).unwrap(),
        Shape::rounded(&cone, 0.1).unwrap(),
        cone,
        Shape::half_space([0.3, -0.2, 1.0], 0.4).unwrap(),
    ]
}

/// A mesh and the compound of the cubes that it is made of are one solid.
#[test]
fn slow_every_kind_sees_a_mesh_as_the_compound_of_its_cubes() {
    let mut rng = Rng::with_seed(82);
    let shapes = convex_shapes();
    let mut seen = [0; 2];
    for round in 0..60 {
        let solid = cubes(&mut rng, [1, 3, 12, 60][round % 4]);
        let (mesh, compound) = (mesh_of(&solid), compound_of(&solid));
        let other = Shape::compound([
            (shapes[1].clone(), Pose::from_translation([0.0, 1.0, 0.0])),
            (mesh_of(&cubes(&mut rng, 2)), Pose::from_translation([1.0, 0.0, 0.0])),
        ])
        .unwrap();
        for shape in shapes.iter().chain([&other]) {
            for _ in 0..4 {
                let pose = Pose::new(vector(&mut rng, 3.0), DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
                let to = Pose::new(vector(&mut rng, 4.0) + 2.5, DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
                let to = pose * to;
                let known = distance(&compound, pose, shape, to);
                let mut pair = Pair::new(&mesh, shape);
                let cold = distance(&mesh, pose, shape, to);
                for found in [
                    cold,
                    distance(shape, to, &mesh, pose).swapped(),
                    pair.distance(pose, to),
                    pair.distance(pose, to),
                    Pair::new(&mesh, shape).engine(Engine::Gjk).distance(pose, to),
                ] {
                    // Both hold the truth, so they have something in common.
                    let kind = shape.kind();
                    assert!(found.lower <= known.upper && known.lower <= found.upper, "{kind} {found:?} {known:?}");
                    assert!(found.lower <= found.distance && found.distance <= found.upper, "{kind} {found:?}");
                    if known.lower > 1e-9 {
                        assert!(found.upper - found.lower < 1e-11, "{kind} {found:?} {known:?}");
                        assert!((found.distance - known.distance).abs() < 1e-11, "{kind} {found:?} {known:?}");
                    }
                    assert!((found.point_b - found.point_a - found.distance * found.normal).length() < 1e-12);
                }
                let is_open = known.lower <= 0.0;
                seen[usize::from(is_open)] += 1;
                if known.distance.abs() > 1e-12 {
                    assert_eq!(intersects(&mesh, pose, shape, to), is_open, "{} {known:?}", shape.kind());
                    assert_eq!(intersects(shape, to, &mesh, pose), is_open, "{} {known:?}", shape.kind());
                    assert_eq!(pair.intersects(pose, to), is_open);
                    let margin = (known.distance + 0.1).max(0.0);
                    assert!(within(shape, to, &mesh, pose, margin).is_some(), "{} {known:?} {cold:?}", shape.kind());
                    assert!(known.lower <= 0.1 || within(&mesh, pose, shape, to, known.distance - 0.1).is_none());
                }
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
}

fn block(from: [i32; 3], to: [i32; 3]) -> Cubes {
    let along = |k: usize| from[k]..to[k];
    along(0).flat_map(|x| along(1).flat_map(move |y| along(2).map(move |z| [x, y, z]))).collect()
}

#[test]
fn what_is_inside_of_a_solid_overlaps_it_and_what_is_in_a_cavity_does_not() {
    let (room, small) = (block([-4; 3], [5; 3]), mesh_of(&block([0; 3], [1; 3])));
    let solid = mesh_of(&room);
    let mut hollow = room.clone();
    hollow.retain(|cube| cube.iter().any(|x| x.abs() > 2));
    let hollow = mesh_of(&hollow);
    let lid = of_cubes(&room);
    let shell = Shape::mesh(lid.vertices(), &lid.triangles()[1..]).unwrap();
    let here = Pose::from_translation([0.2, 0.1, 0.3]);
    for shape in convex_shapes().into_iter().take(12).chain([small.clone()]) {
        let kind = shape.kind();
        assert!(intersects(&solid, Pose::IDENTITY, &shape, here) && intersects(&shape, here, &solid, Pose::IDENTITY));
        for found in
            [distance(&solid, Pose::IDENTITY, &shape, here), distance(&shape, here, &solid, Pose::IDENTITY).swapped()]
        {
            assert!(found.is_overlapping() && found.upper < -3.0 && found.lower >= -18.0, "{kind} {found:?}");
            // The point of B is inside and that of A on the surface, as far away as is claimed.
            assert!((found.point_a.abs().max_element() - 4.5).abs() < 0.6, "{kind} {found:?}");
            assert!(found.point_b.abs().max_element() < 2.0, "{kind} {found:?}");
        }
        for free in [&hollow, &shell] {
            assert!(!intersects(free, Pose::IDENTITY, &shape, here), "{kind}");
            let found = distance(&shape, here, free, Pose::IDENTITY);
            assert!(found.lower > 0.5 && found.upper - found.lower < 1e-11, "{kind} {found:?}");
        }
        // In the wall.
        let wall = Pose::from_translation([3.9, 0.0, 0.0]);
        assert!(intersects(&hollow, Pose::IDENTITY, &shape, wall));
    }
    // A part of a mesh may be inside while another is far away.
    let (near, far) = (of_cubes(&block([0; 3], [1; 3])), of_cubes(&block([90; 3], [91; 3])));
    let vertices = [far.vertices(), near.vertices()].concat();
    let count = far.vertices().len() as u32;
    let shifted = near.triangles().iter().map(|triangle| triangle.map(|corner| corner + count));
    let two = Shape::mesh(&vertices, &far.triangles().iter().copied().chain(shifted).collect::<Vec<_>>()).unwrap();
    assert!(intersects(&solid, Pose::IDENTITY, &two, Pose::IDENTITY) && !intersects(&hollow, here, &two, here));
    let found = distance(&solid, Pose::IDENTITY, &two, Pose::IDENTITY);
    assert!(found.upper < -3.0, "{found:?}");
}

#[test]
fn the_image_of_a_mesh_is_the_mesh_of_the_image() {
    let mut rng = Rng::with_seed(83);
    let (mesh, cube) = (mesh_of(&block([-1; 3], [1; 3])), Shape::cuboid([1.0; 3]).unwrap());
    for round in 0..200 {
        let scale = 10.0_f64.powi([0, -60, 50, 3][round % 4]);
        let columns = [(); 3].map(|()| vector(&mut rng, 1.0) * scale);
        let matrix = if round % 5 == 0 {
            DMat3::from_cols(DVec3::Y * scale, -DVec3::X * scale, DVec3::Z * scale)
        } else {
            DMat3::from_cols(columns[0], columns[1], columns[2])
        };
        let (mesh, cube) = (Shape::affine(&mesh, matrix).unwrap(), Shape::affine(&cube, matrix).unwrap());
        let image = mesh.as_mesh().unwrap();
        assert!(image.is_solid() && image.volume() >= 0.0, "{}", image.volume());
        let ball = Shape::sphere(0.2 * scale).unwrap();
        for other in [&ball, &mesh] {
            let pose = Pose::new(vector(&mut rng, 3.0) * scale, DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
            let (found, known) =
                (distance(&mesh, Pose::IDENTITY, other, pose), distance(&cube, Pose::IDENTITY, other, pose));
            assert!(found.lower <= known.upper && known.lower <= found.upper, "{matrix} {found:?} {known:?}");
            if known.lower > 1e-6 * scale {
                assert!((found.distance - known.distance).abs() < 1e-11 * scale, "{found:?} {known:?}");
            }
        }
    }
    // Sheared far and back it is where it was but for what that rounds, and every bracket knows how much that is.
    let far = |x: f64| DMat3::from_cols(DVec3::X, DVec3::new(x, 1.0, 0.0), DVec3::Z);
    let small = Shape::affine(&mesh, DMat3::from_diagonal(DVec3::new(0.1, 0.3, 0.7))).unwrap();
    let back = Shape::affine(&Shape::affine(&small, far(1e8)).unwrap(), far(-1e8)).unwrap();
    for (other, pose) in
        [(&Shape::point(), Pose::from_translation([2.0, 0.1, 0.2])), (&small, Pose::from_translation([0.5, 0.0, 0.1]))]
    {
        let (found, truth) =
            (distance(&back, Pose::IDENTITY, other, pose), distance(&small, Pose::IDENTITY, other, pose));
        assert!((found.distance - truth.distance).abs() > 1e-11, "nothing is rounded: {found:?} {truth:?}");
        assert!(found.lower <= truth.lower && truth.upper <= found.upper, "{found:?} {truth:?}");
    }
    assert!(Shape::affine(&mesh, DMat3::from_diagonal(DVec3::splat(f64::NAN))).is_err());
    assert!(Shape::rounded(&mesh, 0.1).is_err());
}

/// A round side below the edge of a cube, where GJK does not come to an end from every axis: the answer is closed, and proved by its normal.
#[test]
fn answers_about_curved_sides_are_closed() {
    let cube = mesh_of(&FxHashSet::from_iter([[0; 3]]));
    for axis in [Axis::X, Axis::Y] {
        let (radius, half_height) = (2.0 * 0.5945320105356223, 2.0 * 0.12175100668488548);
        let cylinder = Shape::cylinder(axis, Radius(radius), HalfHeight(half_height)).unwrap();
        let found = distance(&cube, Pose::IDENTITY, &cylinder, Pose::from_translation([1.0, 0.0, -1.5]));
        assert_eq!(found.status, Status::Converged, "{found:?}");
        assert!((found.distance - (1.5 - radius)).abs() < 1e-14 && found.upper - found.lower < 1e-13, "{found:?}");
    }
}

/// Do a shape and a triangle of a mesh meet, or may they, or is the middle of the shape inside? By all triangles, one by one.
fn by_triangles(mesh: &Shape, pose: Pose, shape: &Shape, to: Pose) -> [bool; 2] {
    let of = mesh.as_mesh().unwrap();
    let meets = |i: u32| {
        let [a, b, c] = of.corners(i);
        distance(&Shape::triangle(a, b, c).unwrap(), pose, shape, to).lower - of.slack() <= 0.0
    };
    let center = pose.inverse_transform_point(to.transform_point(shape.convex().unwrap().center()));
    [(0..of.triangles().len() as u32).any(meets), of.side_of(center) == crate::shape::mesh::Side::Inside]
}

/// Rods that lie aslant through many boxes, crumbs, what holds a mesh of a few units, a cube, and a hull.
fn other_shapes(rng: &mut Rng) -> Vec<Shape> {
    vec![
        Shape::cuboid([9.0, 0.01, 0.02]).unwrap(),
        Shape::cylinder(Axis::X, Radius(0.01), HalfHeight(7.0)).unwrap(),
        Shape::capsule(Axis::Y, Radius(0.02), HalfHeight(8.0)).unwrap(),
        Shape::cuboid([1e-7, 1e-8, 1e-7]).unwrap(),
        Shape::cuboid([20.0, 30.0, 25.0]).unwrap(),
        Shape::cuboid([0.5, 0.5, 0.5]).unwrap(),
        Shape::hull(&(0..20).map(|_| vector(rng, 1.0)).collect::<Vec<_>>()).unwrap(),
    ]
}

/// Yes or no of a mesh and a convex shape agrees with its triangles one by one, and with whether the middle of the shape is inside. The
/// solids are of cubes on and off their lattice, so that faces, edges and corners touch, and of thin sheets of slivers, at any size. The
/// shapes are rods that lie aslant through many boxes, crumbs, and shapes around the whole mesh. Images of meshes too; swapped, and
/// remembered by a pair.
#[test]
fn a_mesh_meets_what_its_triangles_meet_and_what_is_inside() {
    let mut rng = Rng::with_seed(84);
    let mut shapes = convex_shapes();
    // Half-spaces have another query.
    shapes.pop();
    shapes.extend(other_shapes(&mut rng));
    let (mut met, mut inside, mut apart) = (0, 0, 0);
    for round in 0..60 {
        let mesh = match round % 4 {
            3 => {
                // A sheet that is all but flat, and no solid.
                let flat = DVec3::new(1.0, [1e-6, 0.0][round / 4 % 2], 1.0);
                let corners: Vec<DVec3> = (0..90).map(|_| flat * (vector(&mut rng, 2.0) + 2.0)).collect();
                Shape::mesh(&corners, &(0..30).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>()).unwrap()
            }
            kind => mesh_of(&cubes(&mut rng, [1, 12, 60][kind])),
        };
        let size = [1.0, 1e-6, 1e7][round % 3];
        let sizing = DMat3::from_diagonal(DVec3::splat(size));
        let slanted = DMat3::from_cols(DVec3::X, DVec3::new(0.3, 1.1, 0.0), DVec3::new(0.1, 0.0, 0.9));
        let mesh = Shape::affine(&mesh, if round % 5 == 0 { sizing * slanted } else { sizing }).unwrap();
        for (k, shape) in shapes.iter().enumerate() {
            let shape = Shape::affine(shape, sizing).unwrap();
            let on_lattice = (round + k) % 2 == 0;
            let place = vector(&mut rng, 2.8) + 2.5;
            let place = size * if on_lattice { (2.0 * place).round() / 2.0 } else { place };
            let turn = if on_lattice { DQuat::IDENTITY } else { DQuat::from_scaled_axis(vector(&mut rng, 3.0)) };
            let (pose, to) = (Pose::IDENTITY, Pose::new(place, turn));
            let [do_meet, is_inside] = by_triangles(&mesh, pose, &shape, to);
            let known = do_meet || is_inside;
            let is = |found: bool| assert_eq!(found, known, "{} round {round} {to:?} {do_meet}", shape.kind());
            is(intersects(&mesh, pose, &shape, to));
            is(intersects(&shape, to, &mesh, pose));
            let mut pair = Pair::new(&shape, &mesh);
            is(pair.intersects(to, pose));
            is(pair.intersects(to, pose));
            is(Pair::new(&mesh, &shape).engine(Engine::Gjk).intersects(pose, to));
            let count = if do_meet {
                &mut met
            } else if is_inside {
                &mut inside
            } else {
                &mut apart
            };
            *count += 1;
        }
    }
    assert!(met > 100 && inside > 5 && apart > 100, "{met} {inside} {apart}");
}

/// Shapes that are brought up to a ring until they touch it, and a little less or more. Then one triangle decides, wherever the search
/// comes by it, and a bound that prunes a little too much is detected.
#[test]
fn a_mesh_and_a_shape_that_just_touch_or_just_do_not() {
    let mut rng = Rng::with_seed(85);
    let mesh = Shape::Mesh(Arc::new(crate::narrow::meshes::tests::torus(24, 12, 2.0, 0.6)));
    let mut shapes = convex_shapes();
    shapes.pop();
    shapes.extend(other_shapes(&mut rng));
    let (mut met, mut apart) = (0, 0);
    for (k, shape) in shapes.iter().enumerate() {
        for round in 0..12 {
            let turn = DQuat::from_scaled_axis(vector(&mut rng, 3.0));
            let pose = Pose::new(vector(&mut rng, 1.0), DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
            // The large one is never near without holding all of it.
            let from = pose * Pose::new(vector(&mut rng, if k == 16 { 80.0 } else { 4.0 }), turn);
            let gap = distance(&mesh, pose, shape, from);
            if !gap.is_apart() {
                continue;
            }
            let more = [1e-9, -1e-9, 1e-4, -1e-4, 0.01, 0.03][round % 6];
            let to = Pose::new(from.translation() - (gap.distance + more) * gap.normal, from.rotation());
            let [do_meet, is_inside] = by_triangles(&mesh, pose, shape, to);
            let known = do_meet || is_inside;
            let mut pair = Pair::new(&mesh, shape);
            for found in [
                intersects(&mesh, pose, shape, to),
                intersects(shape, to, &mesh, pose),
                pair.intersects(pose, from) || pair.intersects(pose, to),
                pair.intersects(pose, to),
            ] {
                assert_eq!(found, known, "{} {k} {round} {more}", shape.kind());
            }
            *if known { &mut met } else { &mut apart } += 1;
        }
    }
    assert!(met > 60 && apart > 20, "{met} {apart}");
}

/// Boxes along the axes of lattice solids, in eighths: beside, touching, across and within them, some of them flat; tiny, huge, turned, and far
/// from the origin.
#[test]
fn boxes_and_lattice_solids_against_their_closed_form() {
    let mut rng = Rng::with_seed(85);
    let mut seen = [0; 3];
    for round in 0..400 {
        let cubes = cubes(&mut rng, 1 + round % 9);
        let unit = [1.0, 2.0_f64.powi(-90), 2.0_f64.powi(90)][round % 3];
        let mesh = of_cubes(&cubes);
        let vertices: Vec<DVec3> = mesh.vertices().iter().map(|&vertex| unit * vertex).collect();
        let mesh = Shape::Mesh(Arc::new(crate::shape::Mesh::new(&vertices, mesh.triangles()).unwrap()));
        for _ in 0..12 {
            let half: [i32; 3] = [(); 3].map(|()| rng.i32(0..=6));
            let place: [i32; 3] = [(); 3].map(|()| rng.i32(-4..=44));
            let gap = |cube: &[i32; 3], k: usize| (8 * cube[k] + 4 - place[k]).abs() - 4 - half[k];
            let apart =
                |cube: &[i32; 3]| DVec3::from_array([0, 1, 2].map(|k| f64::from(gap(cube, k).max(0)))).length() / 8.0;
            let truth = unit * cubes.iter().map(apart).fold(f64::INFINITY, f64::min);
            // By a whole eighth along each axis, or inside.
            let is_deep = cubes.iter().any(|cube| (0..3).all(|k| gap(cube, k) < 0));
            seen[usize::from(truth > 0.0) + usize::from(is_deep) * 2] += 1;
            let eighths = |of: [i32; 3]| unit * DVec3::from_array(of.map(|x| f64::from(x) / 8.0));
            let shape = Shape::cuboid(eighths(half)).unwrap();
            let here = Pose::from_translation(eighths(place));
            let all = Pose::new(unit * vector(&mut rng, 20.0), DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
            let far = Pose::from_translation(unit * vector(&mut rng, 1e8));
            let mut pair = Pair::new(&mesh, &shape);
            for (pose_a, pose_b, is_exact) in
                [(Pose::IDENTITY, here, true), (all, all * here, true), (far, far * here, false)]
            {
                let meet = intersects(&mesh, pose_a, &shape, pose_b);
                assert_eq!(meet, intersects(&shape, pose_b, &mesh, pose_a));
                assert_eq!(meet, pair.intersects(pose_a, pose_b));
                assert_eq!(meet, pair.intersects(pose_a, pose_b));
                if is_exact || is_deep || truth > 0.0 {
                    assert_eq!(meet, truth <= 0.0, "{round}: {truth} {half:?} {place:?}");
                }
                let found = distance(&mesh, pose_a, &shape, pose_b);
                let tolerance = unit * if is_exact { 1e-13 } else { 1e-6 };
                assert!(found.lower <= truth + tolerance, "{found:?} {truth}");
                assert!(truth <= 0.0 || (found.distance - truth).abs() <= tolerance, "{found:?} {truth}");
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

/// A sliver whose normal is as good as zero, and a mesh so small that a box is beyond single precision in its unit: both are met.
#[test]
fn what_underflows_is_not_apart() {
    let sliver = [[0.0, -0.4, 0.9], [5e-324, -0.4, 0.9], [0.0, 0.6, -0.45]];
    let sliver = Shape::mesh(&sliver, &[[0, 1, 2]]).unwrap();
    let cuboid = Shape::cuboid([1.0, 0.49, 0.49]).unwrap();
    assert!(intersects(&sliver, Pose::IDENTITY, &cuboid, Pose::IDENTITY));
    let speck = Shape::Mesh(Arc::new(crate::narrow::meshes::tests::torus(20, 10, 2e-39, 5e-40)));
    let cuboid = Shape::cuboid([0.9; 3]).unwrap();
    // Its diagonal along the axis of x.
    let turn = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::X);
    for (place, meets) in [(0.0, true), (1.4, true), (1.55, true), (1.57, false)] {
        let pose = Pose::new(DVec3::new(place, 0.0, 0.0), turn);
        assert_eq!(intersects(&speck, Pose::IDENTITY, &cuboid, pose), meets, "{place}");
        assert_eq!(distance(&speck, Pose::IDENTITY, &cuboid, pose).lower > 0.0, !meets, "{place}");
    }
}
