//! The convex hull against every hazard that point sets have.
//!
//! `check` is the certificate: the structure proves itself (`validate`), and every vertex is the first of its equals in the input, bit for
//! bit. Exact predicates, called here directly, place every input point on or inside. A
//! strictly convex polytope whose vertices are input points and which holds all input points is the hull; nothing
//! more needs to be compared.

use clearance::math::DVec3;
use clearance::shape::Polytope;
use clearance::shape::polytope::convex_hull;
use robust::{Coord, Coord3D};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

fn check(points: &[DVec3]) -> Polytope {
    check_sampled(points, usize::MAX)
}

/// The certificate with at most `faces_per_point` exact tests for each point.
fn check_sampled(points: &[DVec3], faces_per_point: usize) -> Polytope {
    let hull = convex_hull(points).expect("finite points have a hull");
    assert_eq!(hull.validate(), Ok(()));
    let bits = |p: DVec3| p.to_array().map(f64::to_bits);
    // Negative zero equals zero.
    let value = |p: DVec3| bits(p + DVec3::ZERO);
    let mut first = BTreeMap::new();
    for (i, &p) in (0..).zip(points) {
        first.entry(value(p)).or_insert(i);
    }
    for (v, &p) in (0..).zip(hull.vertices()) {
        assert_eq!(bits(points[hull.source(v) as usize]), bits(p));
        assert_eq!(first[&value(p)], hull.source(v));
    }
    let unit = unit_of(points);
    let at: Vec<DVec3> = hull.vertices().iter().map(|&p| in_unit(p, unit)).collect();
    let points = points.iter().map(|&p| in_unit(p, unit));
    match hull.dimension() {
        0 => assert!(points.into_iter().all(|p| p == at[0])),
        1 => assert!(points.into_iter().all(|p| is_between(p, at[0], at[1]))),
        2 => {
            let ring: Vec<DVec3> = hull.face(0).vertices.iter().map(|&v| at[v as usize]).collect();
            assert!(points.into_iter().all(|p| is_in_polygon(p, &ring)));
        }
        _ => {
            let planes: Vec<[DVec3; 3]> = (0..hull.face_count() as u32)
                .map(|f| [0, 1, 2].map(|i| at[hull.face(f).vertices[i] as usize]))
                .collect();
            let step = planes.len().div_ceil(faces_per_point).max(1);
            for (i, p) in points.enumerate() {
                assert!(planes.iter().skip(i % step).step_by(step).all(|&plane| !is_above(plane, p)), "{p} is outside");
            }
        }
    }
    hull
}

/// A power of two, as two factors, that brings the largest coordinate near 1.
fn unit_of(points: &[DVec3]) -> [f64; 2] {
    let largest = points.iter().fold(f64::from_bits(1), |m, p| m.max(p.abs().max_element()));
    let exponent = -largest.log2().floor() as i32;
    [exponent / 2, exponent - exponent / 2].map(|half| 2.0_f64.powi(half))
}

fn in_unit(p: DVec3, unit: [f64; 2]) -> DVec3 {
    // The hull takes coordinates below 2^-250 of a largest one in [1/2, 1) for zero; here the largest is in [1, 2).
    let negligible = 2.0_f64.powi(-249);
    DVec3::from_array((p * unit[0] * unit[1]).to_array().map(|x| if x.abs() < negligible { 0.0 } else { x }))
}

fn is_above([a, b, c]: [DVec3; 3], p: DVec3) -> bool {
    let [a, b, c, p] = [a, b, c, p].map(|v| Coord3D { x: v.x, y: v.y, z: v.z });
    robust::orient3d(a, b, c, p) < 0.0
}

fn turns(a: DVec3, b: DVec3, c: DVec3) -> [f64; 3] {
    let flat = |i: usize, j: usize| {
        let [a, b, c] = [a, b, c].map(|v| Coord { x: v[i], y: v[j] });
        robust::orient2d(a, b, c)
    };
    [flat(1, 2), flat(2, 0), flat(0, 1)]
}

fn is_between(p: DVec3, a: DVec3, b: DVec3) -> bool {
    turns(a, b, p) == [0.0; 3] && p.cmpge(a.min(b)).all() && p.cmple(a.max(b)).all()
}

fn is_in_polygon(p: DVec3, ring: &[DVec3]) -> bool {
    let n = ring.len();
    let [a, b, c] = [0, 1, 2].map(|i| Coord3D { x: ring[i].x, y: ring[i].y, z: ring[i].z });
    let in_plane = robust::orient3d(a, b, c, Coord3D { x: p.x, y: p.y, z: p.z }) == 0.0;
    let own = turns(ring[0], ring[1], ring[2]);
    let inside = (0..n).all(|i| {
        let turn = turns(ring[i], ring[(i + 1) % n], p);
        (0..3).all(|axis| own[axis] * turn[axis] >= 0.0)
    });
    in_plane && inside
}

fn counts(hull: &Polytope) -> (usize, usize, usize) {
    (hull.vertex_count(), hull.edge_count(), hull.face_count())
}

/// The number of faces by number of corners.
fn face_sizes(hull: &Polytope) -> BTreeMap<usize, usize> {
    let mut sizes = BTreeMap::new();
    for f in 0..hull.face_count() as u32 {
        *sizes.entry(hull.face(f).vertices.len()).or_default() += 1;
    }
    sizes
}

fn positions(hull: &Polytope) -> BTreeSet<[u64; 3]> {
    hull.vertices().iter().map(|&p| (p + DVec3::ZERO).to_array().map(f64::to_bits)).collect()
}

/// n³ lattice points with coordinates 0 to n - 1.
fn grid(n: i32) -> Vec<DVec3> {
    let lattice = (0..n).flat_map(move |x| (0..n).flat_map(move |y| (0..n).map(move |z| [x, y, z])));
    lattice.map(|p| DVec3::from_array(p.map(f64::from))).collect()
}

fn in_cube(rng: &mut fastrand::Rng) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0))
}

fn in_ball(rng: &mut fastrand::Rng) -> DVec3 {
    loop {
        let p = in_cube(rng);
        if p.length_squared() <= 1.0 {
            return p;
        }
    }
}

fn on_sphere(rng: &mut fastrand::Rng) -> DVec3 {
    in_ball(rng).normalize()
}

fn some(n: usize, seed: u64, mut make: impl FnMut(&mut fastrand::Rng) -> DVec3) -> Vec<DVec3> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..n).map(|_| make(&mut rng)).collect()
}

#[test]
fn a_grid_of_any_size_is_a_cube() {
    for n in [2, 3, 4, 5, 8, 20] {
        assert_eq!(counts(&check(&grid(n))), (8, 12, 6), "{n}");
    }
    let identity: Vec<u32> = (0..8).map(|v| check(&grid(2)).source(v)).collect();
    assert_eq!(identity, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn lattice_planes_at_any_angle_merge_exactly() {
    let sum = |p: &DVec3| p.x.abs() + p.y.abs() + p.z.abs();
    let centred: Vec<DVec3> = grid(9).iter().map(|&p| p - DVec3::splat(4.0)).collect();
    let octahedron: Vec<DVec3> = centred.iter().copied().filter(|p| sum(p) <= 4.0).collect();
    assert_eq!(counts(&check(&octahedron)), (6, 12, 8));
    let truncated: Vec<DVec3> = centred.iter().copied().filter(|p| sum(p) <= 6.0).collect();
    let hull = check(&truncated);
    assert_eq!(counts(&hull), (24, 36, 14));
    assert_eq!(face_sizes(&hull), BTreeMap::from([(4, 6), (6, 8)]));
}

#[test]
fn a_flat_grid_in_any_axis_plane_and_any_quarter_turn_is_a_square() {
    let flat: Vec<DVec3> = (0..49).map(|i| DVec3::new(f64::from(i % 7), f64::from(i / 7), 3.0)).collect();
    let quarter_turns: [fn(DVec3) -> DVec3; 6] = [
        |p| p,
        |p| DVec3::new(-p.y, p.x, p.z),
        |p| DVec3::new(-p.x, -p.y, p.z),
        |p| DVec3::new(p.x, -p.z, p.y),
        |p| DVec3::new(p.z, p.y, -p.x),
        |p| DVec3::new(-p.z, p.x, -p.y),
    ];
    for turn in quarter_turns {
        let hull = check(&flat.iter().copied().map(turn).collect::<Vec<_>>());
        assert_eq!((hull.dimension(), counts(&hull)), (2, (4, 4, 2)));
    }
}

#[test]
fn a_slanted_flat_lattice_is_a_hexagon() {
    let slice: Vec<DVec3> = grid(7).into_iter().filter(|p| p.x + p.y + p.z == 9.0).collect();
    let hull = check(&slice);
    assert_eq!((hull.dimension(), counts(&hull)), (2, (6, 6, 2)));
    assert_eq!(hull.face(0).normal, -hull.face(1).normal);
}

#[test]
fn a_disk_of_sixty_sides_has_two_large_faces_and_sixty_small_ones() {
    let disk: Vec<DVec3> = (0..120)
        .map(|i| {
            let angle = TAU * f64::from(i / 2) / 60.0;
            DVec3::new(angle.cos(), angle.sin(), if i % 2 == 0 { 0.1 } else { -0.1 })
        })
        .collect();
    let hull = check(&disk);
    assert_eq!(face_sizes(&hull), BTreeMap::from([(4, 60), (60, 2)]));
    assert_eq!(hull.vertex_count(), 120);
}

#[test]
fn lattice_points_on_one_sphere_are_all_extreme() {
    for square in [3, 9, 14, 27, 41, 101, 146, 1001] {
        let r = 32;
        let mut sphere = Vec::new();
        for x in -r..=r {
            for y in -r..=r {
                let z = f64::from(square - x * x - y * y).max(-1.0);
                let root = z.max(0.0).sqrt().round();
                if root * root == z {
                    let (x, y) = (f64::from(x), f64::from(y));
                    sphere.push(DVec3::new(x, y, root));
                    if root > 0.0 {
                        sphere.push(DVec3::new(x, y, -root));
                    }
                }
            }
        }
        let hull = check(&sphere);
        assert_eq!(hull.vertex_count(), sphere.len(), "{square}");
        assert!((0..sphere.len() as u32).all(|v| hull.source(v) == v));
    }
}

#[test]
fn a_geodesic_sphere_keeps_all_its_vertices() {
    // Three subdivisions of the icosahedron's triangles, made by normalised midpoints.
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let icosahedron: Vec<DVec3> = (0..12)
        .map(|i| {
            let (s, t) = (if i & 1 == 0 { 1.0 } else { -1.0 }, if i & 2 == 0 { golden } else { -golden });
            [DVec3::new(0.0, s, t), DVec3::new(s, t, 0.0), DVec3::new(t, 0.0, s)][i / 4].normalize()
        })
        .collect();
    let mut sphere = check(&icosahedron);
    assert_eq!(counts(&sphere), (12, 30, 20));
    for expected in [42, 162, 642] {
        let mut finer = sphere.vertices().to_vec();
        for e in 0..sphere.edge_count() as u32 {
            let edge = sphere.edge(e);
            finer.push((sphere.vertex(edge.tail) + sphere.vertex(edge.head)).normalize());
        }
        sphere = check(&finer);
        assert_eq!(counts(&sphere), (expected, 3 * expected - 6, 2 * expected - 4));
    }
}

#[test]
fn duplicates_count_once_and_the_first_gives_the_source() {
    let mut rng = fastrand::Rng::with_seed(11);
    let mut points: Vec<DVec3> = grid(3).into_iter().cycle().take(27 * 7).collect();
    rng.shuffle(&mut points);
    assert_eq!(counts(&check(&points)), (8, 12, 6));
    assert_eq!(counts(&check(&[DVec3::splat(3.5); 50])), (1, 0, 0));
    let zeros = [DVec3::new(-0.0, 0.0, 0.0), DVec3::ZERO, DVec3::new(0.0, -0.0, -0.0)];
    assert_eq!(counts(&check(&zeros)), (1, 0, 0));
}

#[test]
fn noise_of_one_unit_in_the_last_place_is_geometry_like_any_other() {
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut noise = |p: DVec3| p + 1e-15 * in_cube(&mut rng);
        let cube: Vec<DVec3> = grid(6).into_iter().map(&mut noise).collect();
        let shifted: Vec<DVec3> = grid(4).into_iter().map(|p| noise(p + DVec3::ONE)).collect();
        let plane: Vec<DVec3> = grid(10).into_iter().filter(|p| p.z == 1.0).map(&mut noise).collect();
        let slanted: Vec<DVec3> =
            grid(7).into_iter().filter(|p| p.x + p.y + p.z == 9.0).map(|p| noise(p / 3.0)).collect();
        for points in [cube, shifted, plane, slanted] {
            let hull = check(&points);
            assert!(hull.dimension() == 3 && hull.vertex_count() >= 8);
        }
    }
}

#[test]
fn a_line_with_noise_is_a_thin_solid() {
    for seed in 0..40 {
        let direction = DVec3::new(0.3, 0.7, -0.2);
        let line = some(200, seed, |rng| direction * (10.0 * rng.f64()) + 1e-15 * in_cube(rng));
        assert_eq!(check(&line).dimension(), 3);
        // Without noise of its own, only the rounding of the products bends the line.
        let rounded = some(200, seed, |rng| direction * rng.f64());
        check(&rounded);
    }
}

#[test]
fn an_exact_line_is_a_segment_whatever_its_direction() {
    for step in [DVec3::X, -DVec3::Y, DVec3::Z, DVec3::new(3.0, -5.0, 0.0), DVec3::new(1.0, 2.0, 3.0)] {
        let mut points: Vec<DVec3> = (-20..=20).map(|i| f64::from(i) * step).collect();
        fastrand::Rng::with_seed(2).shuffle(&mut points);
        let hull = check(&points);
        assert_eq!((hull.dimension(), counts(&hull)), (1, (2, 1, 0)));
        assert!((hull.edge_length(0) - 40.0 * step.length()).abs() < 1e-12);
    }
}

#[test]
fn needles_and_plates_are_exact_too() {
    for thin in [1e-3, 1e-6, 1e-12, 1e-15, 1e-30, 1e-70] {
        for seed in 0..5 {
            let needle = some(300, seed, |rng| in_cube(rng) * DVec3::new(1.0, thin, thin));
            let plate = some(300, seed, |rng| in_cube(rng) * DVec3::new(1.0, thin, 1.0));
            let blade = some(300, seed, |rng| in_ball(rng) * DVec3::new(thin, thin.sqrt(), 1.0));
            for points in [needle, plate, blade] {
                assert_eq!(check(&points).dimension(), 3);
            }
        }
    }
}

#[test]
fn a_plate_below_the_promised_resolution_is_flat() {
    let plate: Vec<DVec3> = grid(3).into_iter().map(|p| p * DVec3::new(1.0, 1.0, 1e-80)).collect();
    assert_eq!(convex_hull(&plate).unwrap().dimension(), 2);
}

#[test]
fn far_from_the_origin_nothing_changes() {
    let far = DVec3::new(1e7, -1e7, 1e7);
    let moved: Vec<DVec3> = grid(5).into_iter().map(|p| p + far).collect();
    assert_eq!(counts(&check(&moved)), (8, 12, 6));
    for seed in 0..20 {
        // The spacing of numbers there is 2e-9: these points fall on few lattice planes, with many ties.
        check(&some(300, seed, |rng| far + 1e-8 * in_ball(rng)));
        check(&some(300, seed, |rng| far + in_ball(rng)));
    }
}

#[test]
fn the_unit_of_length_does_not_matter() {
    let points = some(200, 5, |rng| in_ball(rng).round_to(1.0 / 16.0));
    let reference = check(&points);
    for exponent in [-900, -663, -300, -20, 30, 150, 196] {
        let scaled: Vec<DVec3> = points.iter().map(|&p| p * 2.0_f64.powi(exponent)).collect();
        let hull = check(&scaled);
        assert_eq!(counts(&hull), counts(&reference), "2^{exponent}");
        let same_faces = (0..hull.face_count() as u32).all(|f| {
            let (found, expected) = (hull.face(f), reference.face(f));
            found.vertices == expected.vertices && found.normal == expected.normal
        });
        assert!(same_faces, "2^{exponent}");
    }
    for size in [1e-200, 1e59] {
        assert_eq!(counts(&check(&grid(4).iter().map(|&p| p * size).collect::<Vec<_>>())), (8, 12, 6));
    }
}

#[test]
fn subnormal_coordinates_are_coordinates() {
    let smallest = f64::from_bits(1);
    let cube: Vec<DVec3> = grid(3).into_iter().map(|p| p * smallest).collect();
    let hull = check(&cube);
    assert_eq!(counts(&hull), (8, 12, 6));
    assert!((0..12).all(|e| hull.edge_length(e) == 2.0 * smallest));
    check(&some(200, 8, |rng| in_ball(rng) * 1e-310));
}

#[test]
fn coordinates_of_all_sizes_may_meet() {
    for seed in 0..50 {
        let random = |rng: &mut fastrand::Rng| {
            let power = f64::from(rng.i32(-320..60));
            let sign = if rng.bool() { 1.0 } else { -1.0 };
            sign * 10.0_f64.powf(power) * rng.f64()
        };
        check(&some(60, seed, |rng| DVec3::new(random(rng), random(rng), random(rng))));
    }
}

#[test]
fn every_order_of_the_input_gives_the_same_hull() {
    // All 720 orders of six points: a square pyramid, the middle of its base, and a point inside.
    let points = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 1, 0], [1, 1, 3]]
        .map(|p: [i32; 3]| DVec3::from_array(p.map(f64::from)));
    let expected = positions(&check(&points));
    assert_eq!(expected.len(), 5);
    let mut orders = 0;
    permute(&mut points.to_vec(), 0, &mut |order| {
        let hull = check(order);
        assert_eq!(positions(&hull), expected);
        assert_eq!(face_sizes(&hull), BTreeMap::from([(3, 4), (4, 1)]));
        orders += 1;
    });
    assert_eq!(orders, 720);
    let mut rng = fastrand::Rng::with_seed(4);
    let mut points = some(500, 4, |rng| in_ball(rng).round_to(0.25));
    let expected = check(&points);
    for _ in 0..20 {
        rng.shuffle(&mut points);
        let hull = check(&points);
        assert_eq!(positions(&hull), positions(&expected));
        let normals = |hull: &Polytope| (0..hull.face_count() as u32).map(|f| hull.face(f).normal).collect::<Vec<_>>();
        assert!(normals(&hull).iter().zip(normals(&expected)).all(|(a, b)| a.abs_diff_eq(b, 1e-14)));
    }
}

fn permute(points: &mut Vec<DVec3>, fixed: usize, visit: &mut impl FnMut(&[DVec3])) {
    if fixed == points.len() {
        return visit(points);
    }
    for i in fixed..points.len() {
        points.swap(fixed, i);
        permute(points, fixed + 1, visit);
        points.swap(fixed, i);
    }
}

#[test]
fn few_points_of_a_small_lattice_meet_every_tie_there_is() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut by_dimension = [0; 4];
    for _ in 0..20_000 {
        let n = rng.usize(1..14);
        let size = rng.i32(1..4);
        let flat = rng.u8(..4);
        let points: Vec<DVec3> = (0..n)
            .map(|_| {
                let mut p = [(); 3].map(|()| f64::from(rng.i32(0..=size)));
                match flat {
                    0 => p[2] = p[0] - p[1],
                    1 => (p[1], p[2]) = (p[0], 2.0 * p[0]),
                    _ => {}
                }
                DVec3::from_array(p)
            })
            .collect();
        by_dimension[check(&points).dimension()] += 1;
    }
    assert!(by_dimension.iter().all(|&count| count > 500), "representative: {by_dimension:?}");
}

#[test]
fn many_points_in_a_ball_or_on_a_sphere() {
    let ball = check_sampled(&some(100_000, 21, in_ball), 20);
    assert!((1_000..3_000).contains(&ball.vertex_count()));
    let sphere = some(20_000, 22, on_sphere);
    assert_eq!(check_sampled(&sphere, 20).vertex_count(), 20_000);
}

#[test]
fn a_million_points_in_a_ball() {
    check_sampled(&some(1_000_000, 23, in_ball), 4);
}

#[test]
fn a_prism_of_many_sides_takes_no_quadratic_time() {
    let n = 20_000;
    let prism: Vec<DVec3> = (0..2 * n)
        .map(|i| {
            let angle = TAU * f64::from(i / 2) / f64::from(n);
            DVec3::new(angle.cos(), angle.sin(), f64::from(i % 2))
        })
        .collect();
    let hull = check_sampled(&prism, 20);
    assert_eq!(face_sizes(&hull), BTreeMap::from([(4, 20_000), (20_000, 2)]));
}

#[test]
fn a_cone_of_many_sides_has_a_vertex_of_many_edges() {
    let n = 20_000;
    let rim = |i: i32| (TAU * f64::from(i) / f64::from(n)).sin_cos();
    let mut cone: Vec<DVec3> = (0..n).map(rim).map(|(y, x)| DVec3::new(x, y, 0.0)).collect();
    cone.push(DVec3::Z);
    let hull = check_sampled(&cone, 20);
    assert_eq!(face_sizes(&hull), BTreeMap::from([(3, 20_000), (20_000, 1)]));
    assert_eq!(hull.neighbors(20_000).len(), 20_000);
}

#[test]
fn what_is_no_point_set_is_refused_by_name() {
    let message = |points: &[DVec3]| convex_hull(points).unwrap_err().to_string();
    assert_eq!(message(&[]), "points is empty, but needs at least one entry");
    let mut points = vec![DVec3::ZERO; 9];
    points[7].x = f64::INFINITY;
    assert_eq!(message(&points), "points[7].x is inf, but must be a finite number");
    points[7].x = -1.1e60;
    assert_eq!(message(&points), "points[7].x is -1.1e60, which is beyond 1e60; choose a larger unit of length");
}

trait RoundTo {
    fn round_to(self, step: f64) -> Self;
}

impl RoundTo for DVec3 {
    fn round_to(self, step: f64) -> Self {
        (self / step).round() * step
    }
}
