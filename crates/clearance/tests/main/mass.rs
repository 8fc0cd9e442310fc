//! Volume, centroid and inertia: against sums of tetrahedra, fine hulls, and one another.

use crate::kinds::vector;
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::shape::MassProperties;
use clearance::{Axis, HalfHeight, Pose, Radius, Shape};
use std::f64::consts::{PI, TAU};

fn solid(shape: &Shape) -> MassProperties {
    shape.mass_properties().unwrap_or_else(|| panic!("{} has no mass properties", shape.kind()))
}

/// The largest difference of two, relative to a size: of volumes, centroids and inertias.
fn difference(a: &MassProperties, b: &MassProperties, size: f64) -> f64 {
    let entries = (a.inertia - b.inertia).to_cols_array().into_iter().map(|x| x.abs() / size.powi(5));
    let others = [(a.volume - b.volume).abs() / size.powi(3), (a.centroid - b.centroid).length() / size];
    entries.chain(others).fold(0.0, f64::max)
}

fn assert_same(a: &Shape, b: &Shape, size: f64, most: f64) {
    let (x, y) = (solid(a), solid(b));
    assert!(difference(&x, &y, size) <= most, "{} and {}: {x:?} {y:?}", a.kind(), b.kind());
}

/// Points of a unit sphere, in rings, with the poles.
fn directions(rings: u32) -> Vec<DVec3> {
    let mut all = vec![DVec3::Y, DVec3::NEG_Y];
    for i in 1..rings {
        let (sin, cos) = (PI * f64::from(i) / f64::from(rings)).sin_cos();
        let around = (0..2 * rings).map(|k| (TAU * f64::from(k) / f64::from(2 * rings)).sin_cos());
        all.extend(around.map(|(s, c)| DVec3::new(sin * c, cos, sin * s)));
    }
    all
}

#[test]
fn known_solids_have_their_known_values() {
    // ∫ x² = 1/60 and ∫ xy = 1/120 over the corner of the unit cube, about the origin.
    let corner = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    let off = DMat3::from_cols_array(&[0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]) * (1.0 / 480.0);
    let inertia = DMat3::from_diagonal(DVec3::splat(1.0 / 80.0)) + off;
    let truth = MassProperties { volume: 1.0 / 6.0, centroid: DVec3::splat(0.25), inertia };
    assert!(difference(&solid(&corner), &truth, 1.0) < 1e-16);
    // Those of the tables, of mass one.
    let (r, h) = (0.5, 1.5);
    let height = 2.0 * h;
    let (radius, half_height) = (Radius(r), HalfHeight(h));
    let cases: [(Result<Shape, _>, f64, [f64; 3]); 5] = [
        (Shape::sphere(r), 4.0 / 3.0 * PI * r.powi(3), [0.4 * r * r; 3]),
        (
            Shape::cuboid([r, h, 2.0]),
            8.0 * r * h * 2.0,
            [(h * h + 4.0) / 3.0, (r * r + 4.0) / 3.0, (r * r + h * h) / 3.0],
        ),
        (
            Shape::cylinder(Axis::Y, radius, half_height),
            PI * r * r * height,
            [(3.0 * r * r + height * height) / 12.0, 0.5 * r * r, (3.0 * r * r + height * height) / 12.0],
        ),
        (
            Shape::cone(Axis::Y, radius, half_height),
            PI * r * r * height / 3.0,
            [0.15 * r * r + 0.0375 * height * height, 0.3 * r * r, 0.15 * r * r + 0.0375 * height * height],
        ),
        (
            Shape::ellipsoid([r, h, 2.0]),
            4.0 / 3.0 * PI * r * h * 2.0,
            [(h * h + 4.0) / 5.0, (r * r + 4.0) / 5.0, (r * r + h * h) / 5.0],
        ),
    ];
    for (shape, volume, inertia) in cases {
        let shape = shape.unwrap();
        let centroid = if shape.kind() == "cone" { DVec3::new(0.0, 0.25 * height - h, 0.0) } else { DVec3::ZERO };
        let truth = MassProperties { volume, centroid, inertia: DMat3::from_diagonal(DVec3::from(inertia) * volume) };
        assert!(difference(&solid(&shape), &truth, 2.0) < 1e-15, "{}: {:?} {truth:?}", shape.kind(), solid(&shape));
    }
}

#[test]
fn round_solids_are_the_limits_of_fine_hulls() {
    let sphere = directions(40);
    let about = |points: &[DVec3], core: &[DVec3], radius: f64| {
        let all: Vec<DVec3> = core.iter().flat_map(|&c| points.iter().map(move |&d| c + radius * d)).collect();
        Shape::hull(&all).unwrap()
    };
    let rim: Vec<DVec3> = sphere.iter().filter(|d| d.y == 0.0 || d.y.abs() < 1e-12).copied().collect();
    assert_eq!(rim.len(), 80);
    let (radius, half_height, top) = (Radius(0.5), HalfHeight(0.75), 0.75 * DVec3::Y);
    let half = DVec3::new(0.5, 0.75, 0.25);
    let corners: Vec<DVec3> =
        (0..8).map(|v| half * DVec3::from_array([0, 1, 2].map(|bit| f64::from(v >> bit & 1) * 2.0 - 1.0))).collect();
    let mut cone: Vec<DVec3> = rim.iter().map(|&d| 0.5 * d - top).collect();
    cone.push(top);
    let bone = [DVec3::new(0.3, -0.4, 0.5), DVec3::new(-0.2, 0.6, 0.1)];
    let cases = [
        (Shape::sphere(0.5), about(&sphere, &[DVec3::ZERO], 0.5)),
        (Shape::capsule(Axis::Y, radius, half_height), about(&sphere, &[-top, top], 0.5)),
        (Shape::capsule_between(bone[0], bone[1], radius), about(&sphere, &bone, 0.5)),
        (Shape::cylinder(Axis::Y, radius, half_height), about(&rim, &[-top, top], 0.5)),
        (Shape::cone(Axis::Y, radius, half_height), Shape::hull(&cone).unwrap()),
        (Shape::rounded(&Shape::cuboid(half).unwrap(), 0.5), about(&sphere, &corners, 0.5)),
    ];
    for (round, hull) in cases {
        let round = round.unwrap();
        let (limit, inside) = (solid(&round), solid(&hull));
        let what = format!("{}: {limit:?} {inside:?}", round.kind());
        // Inscribed with steps of π/40 = 0.08, so smaller, by some 0.08²/3 of the round part.
        assert!(inside.volume < limit.volume && inside.volume > 0.993 * limit.volume, "{what}");
        assert!(difference(&limit, &inside, 1.0) < 0.01 * limit.volume.max(0.1), "{what}");
        let ratio = |f: fn(&DMat3) -> f64| f(&inside.inertia) / f(&limit.inertia);
        for part in [ratio(|m| m.x_axis.x), ratio(|m| m.y_axis.y), ratio(|m| m.z_axis.z)] {
            assert!(part < 1.0 && part > 0.985, "{part} {what}");
        }
    }
}

#[test]
fn the_same_solid_written_in_another_way_has_the_same_mass() {
    let half = DVec3::new(1.0, 0.5, 2.0);
    let cuboid = Shape::cuboid(half).unwrap();
    let corner = |v: u32| half * DVec3::from_array([0, 1, 2].map(|bit| f64::from(v >> bit & 1) * 2.0 - 1.0));
    let hull = Shape::hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    assert_same(&cuboid, &hull, 2.0, 1e-15);
    let ball = Shape::sphere(1.0).unwrap();
    assert_same(
        &Shape::affine(&ball, DMat3::from_diagonal(half)).unwrap(),
        &Shape::ellipsoid(half).unwrap(),
        2.0,
        1e-15,
    );
    // Rounded points, segments and flat boxes are balls and capsules.
    let rounded = |shape: &Shape, radius: f64| Shape::rounded(shape, radius).unwrap();
    assert_same(&rounded(&Shape::point(), 1.0), &ball, 1.0, 0.0);
    assert_same(&rounded(&Shape::sphere(0.25).unwrap(), 0.75), &ball, 1.0, 1e-15);
    let [a, b] = [DVec3::new(0.3, -0.4, 0.5), DVec3::new(-0.2, 0.6, 0.1)];
    let bone = Shape::capsule_between(a, b, Radius(0.5)).unwrap();
    assert_same(&rounded(&Shape::segment(a, b).unwrap(), 0.5), &bone, 1.0, 0.0);
    let thin = Shape::capsule_between(a, b, Radius(0.25)).unwrap();
    assert_same(&rounded(&rounded(&thin, 0.125), 0.125), &bone, 1.0, 1e-15);
    let arm = Shape::capsule(Axis::Z, Radius(0.5), HalfHeight(1.0)).unwrap();
    assert_same(&rounded(&Shape::cuboid([0.0, 0.0, 1.0]).unwrap(), 0.5), &arm, 1.5, 1e-15);
    assert_same(&rounded(&hull, 0.0), &hull, 2.0, 0.0);
}

#[test]
fn an_image_has_the_mass_of_the_mapped_hull() {
    let mut rng = fastrand::Rng::with_seed(144);
    for _ in 0..100 {
        // Numbers of few digits, so that the mapped points are not rounded.
        let mut short = || (1024.0 * vector(&mut rng, 1.0)).round() / 1024.0;
        let [x, y, z] = [short(), short(), short()];
        let points: Vec<DVec3> = (0..20).map(|_| short()).collect();
        let matrix = DMat3::from_cols(x, y, z);
        let image = Shape::affine(&Shape::hull(&points).unwrap(), matrix).unwrap();
        let mapped: Vec<DVec3> = points.iter().map(|&p| matrix * p).collect();
        assert_same(&image, &Shape::hull(&mapped).unwrap(), 1.0, 1e-13);
    }
}

#[test]
fn parts_add_up_to_the_whole_at_any_pose() {
    let mut rng = fastrand::Rng::with_seed(145);
    for _ in 0..100 {
        // A tetrahedron, cut through the middle of an edge.
        let [a, b, c, d] = [(); 4].map(|()| vector(&mut rng, 1.0));
        let middle = 0.5 * (a + b);
        let [whole, one, two] = [[a, b, c, d], [a, middle, c, d], [middle, b, c, d]].map(|v| Shape::hull(&v).unwrap());
        let quaternion = DQuat::from_xyzw(rng.f64(), rng.f64(), rng.f64(), rng.f64() - 0.5);
        let pose = Pose::new(vector(&mut rng, 1.0), quaternion);
        let sum = MassProperties::sum([one, two].map(|part| solid(&part).at(&pose)));
        let moved: Vec<DVec3> = [a, b, c, d].into_iter().map(|p| pose.transform_point(p)).collect();
        assert!(difference(&sum, &solid(&whole).at(&pose), 1.0) < 1e-13);
        assert!(difference(&sum, &solid(&Shape::hull(&moved).unwrap()), 1.0) < 1e-13);
    }
    assert_eq!(MassProperties::sum([]).volume, 0.0);
}

#[test]
fn another_axis_changes_places_in_the_inertia() {
    let (radius, half_height) = (Radius(0.3), HalfHeight(0.7));
    for build in [Shape::capsule, Shape::cylinder, Shape::cone] {
        let of = |axis: Axis| solid(&build(axis, radius, half_height).unwrap());
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(of);
        let [along, across] = [y.inertia.y_axis.y, y.inertia.x_axis.x];
        assert!(along < across);
        let close = |found: DMat3, diagonal: [f64; 3]| {
            let off = found - DMat3::from_diagonal(diagonal.into());
            assert!(off.to_cols_array().iter().all(|x| x.abs() < 1e-16), "{found} {diagonal:?}");
        };
        close(x.inertia, [along, across, across]);
        close(y.inertia, [across, along, across]);
        close(z.inertia, [across, across, along]);
        assert_eq!((x.volume, z.volume), (y.volume, y.volume));
        assert_eq!([x.centroid.x, z.centroid.z], [y.centroid.y; 2]);
    }
}

#[test]
fn sizes_scale_by_the_cube_and_the_fifth_power_without_surprises() {
    let shapes = |s: f64| {
        let at = |x: f64, y: f64, z: f64| s * DVec3::new(x, y, z);
        let hull = Shape::hull(&[at(1.0, 0.0, 0.0), at(-0.4, 0.3, 0.0), at(0.0, -0.5, 0.2), at(0.1, 0.1, 0.6)]);
        [
            Shape::sphere(s),
            Shape::cuboid([s, 0.5 * s, 0.25 * s]),
            Shape::capsule(Axis::X, Radius(0.25 * s), HalfHeight(0.5 * s)),
            Shape::cylinder(Axis::X, Radius(0.5 * s), HalfHeight(0.5 * s)),
            Shape::cone(Axis::Z, Radius(0.5 * s), HalfHeight(s)),
            Shape::ellipsoid([s, 0.5 * s, 0.25 * s]),
            Shape::rounded(&Shape::cuboid([s, 0.5 * s, 0.0]).unwrap(), 0.125 * s),
            hull,
            // A tiny shape and a large matrix, and the other way round.
            Shape::affine(
                &Shape::sphere(1e-55).unwrap(),
                DMat3::from_diagonal(DVec3::splat(1e55 * s).min(DVec3::splat(1e60))),
            ),
        ]
        .map(Result::unwrap)
    };
    let unit = shapes(1.0).map(|shape| solid(&shape));
    for s in [1e-55, 1e-20, 1e-3, 1e5] {
        for (index, (shape, unit)) in shapes(s).iter().zip(&unit).enumerate() {
            let found = solid(shape);
            let [volume, cube, fifth] = [found.volume / unit.volume, s.powi(3), s.powi(5)];
            assert!((volume / cube - 1.0).abs() < 1e-13, "{index} {s:e}");
            let entry = found.inertia.x_axis.x / unit.inertia.x_axis.x;
            assert!((entry / fifth - 1.0).abs() < 1e-13, "{index} {s:e}: {entry:e}");
        }
    }
    for s in [1e-320, 1e-150, 1e-75, 0.9e60] {
        for (index, shape) in shapes(s).iter().enumerate() {
            let MassProperties { volume, centroid, inertia } = solid(shape);
            let all_finite = volume.is_finite() && centroid.is_finite() && inertia.is_finite();
            assert!(all_finite && volume >= 0.0, "{index} {s:e}: {volume} {centroid} {inertia}");
            assert!(inertia.x_axis.x > 0.0 || s < 1e-61, "{index} {s:e}");
        }
    }
}

#[test]
fn thin_polytopes_keep_their_digits() {
    // Corners in whole numbers, so that the determinant is known to the last digit; plain doubles lose all of them here.
    let (b, c) = ([1_073_741_827_i64, 536_870_909, 7], [-268_435_399_i64, 805_306_457, 1_073_741_789]);
    let d = [b[0] + c[0], b[1] + c[1], b[2] + c[2] + 1];
    let [x, y, z] = [b, c, d].map(|v| v.map(i128::from));
    let cross = [y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]];
    let determinant = (x[0] * cross[0] + x[1] * cross[1] + x[2] * cross[2]).abs();
    let sliver = Shape::hull(&[[0; 3], b, c, d].map(|v| v.map(|x| x as f64))).unwrap();
    assert_eq!(sliver.as_polytope().unwrap().dimension(), 3);
    let truth = determinant as f64 / 6.0;
    assert!((sliver.volume().unwrap() / truth - 1.0).abs() < 1e-14, "{:?} {truth}", sliver.volume());
}

#[test]
fn what_is_flat_has_a_centroid_and_no_mass() {
    // A square and half of one beside it: 4·(1, 1) + 2·(2 + 2/3, 2/3), over 6.
    let trapezoid = Shape::hull(&[[0.0, 0.0, 5.0], [4.0, 0.0, 5.0], [2.0, 2.0, 5.0], [0.0, 2.0, 5.0]]).unwrap();
    let middle = (4.0 * DVec3::new(1.0, 1.0, 5.0) + 2.0 * DVec3::new(8.0 / 3.0, 2.0 / 3.0, 5.0)) / 6.0;
    let segment = |a: [f64; 3], b: [f64; 3]| Shape::segment(a, b).unwrap();
    let cases = [
        (Shape::point(), DVec3::ZERO),
        (segment([0.0; 3], [1.0, 2.0, 3.0]), DVec3::new(0.5, 1.0, 1.5)),
        (Shape::triangle([0.0; 3], [3.0, 0.0, 0.0], [0.0, 3.0, 3.0]).unwrap(), DVec3::ONE),
        (Shape::cuboid([1.0, 0.0, 2.0]).unwrap(), DVec3::ZERO),
        (Shape::cylinder(Axis::X, Radius(1.0), HalfHeight(0.0)).unwrap(), DVec3::ZERO),
        (Shape::hull(&[[1.0, 2.0, 3.0]]).unwrap(), DVec3::new(1.0, 2.0, 3.0)),
        (Shape::hull(&[[0.0; 3], [0.5, 1.0, 1.5], [1.0, 2.0, 3.0]]).unwrap(), DVec3::new(0.5, 1.0, 1.5)),
        (trapezoid, middle),
        (Shape::affine(&Shape::sphere(1.0).unwrap(), DMat3::ZERO).unwrap(), DVec3::ZERO),
    ];
    for (shape, centroid) in cases {
        let found = solid(&shape);
        assert_eq!((found.volume, found.inertia), (0.0, DMat3::ZERO), "{}", shape.kind());
        assert!((found.centroid - centroid).length() < 1e-15, "{}: {} {centroid}", shape.kind(), found.centroid);
    }
}

#[test]
fn what_has_no_closed_form_says_so() {
    let ball = Shape::sphere(1.0).unwrap();
    let cone = Shape::cone(Axis::Y, Radius(1.0), HalfHeight(1.0)).unwrap();
    let rounded_cone = Shape::rounded(&cone, 0.1).unwrap();
    let none = [
        Shape::half_space([0.0, 1.0, 0.0], 0.0),
        Shape::compound([(ball, Pose::IDENTITY)]),
        Shape::custom(crate::kinds::Diamond(1.0)),
        Shape::affine(&rounded_cone, DMat3::IDENTITY),
        Ok(rounded_cone),
    ];
    for shape in none {
        let shape = shape.unwrap();
        let nothing = (shape.volume(), shape.centroid(), shape.inertia(), shape.mass_properties());
        assert_eq!(nothing, (None, None, None, None), "{}", shape.kind());
    }
}
