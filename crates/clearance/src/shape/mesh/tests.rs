//! Meshes of unit cubes, whose insides and faults are known; triangles with small whole coordinates, which meet or are clearly apart.

use super::*;
use crate::{Pose, Shape, intersects};
use fastrand::Rng;
use rustc_hash::FxHashSet;

/// The boundary of a union of unit cubes, two triangles for each face between a cube and none.
pub(crate) fn of_cubes(cubes: &FxHashSet<[i32; 3]>) -> Mesh {
    let (mut vertices, mut triangles): (Vec<DVec3>, Vec<[u32; 3]>) = Default::default();
    let mut sorted: Vec<[i32; 3]> = cubes.iter().copied().collect();
    sorted.sort_unstable();
    for cube in sorted {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut beside = cube;
                beside[axis] += 2 * side - 1;
                if cubes.contains(&beside) {
                    continue;
                }
                let corner = |u: i32, v: i32| {
                    let mut at = cube;
                    at[axis] += side;
                    at[(axis + 1) % 3] += u;
                    at[(axis + 2) % 3] += v;
                    DVec3::from_array(at.map(f64::from))
                };
                let first = vertices.len() as u32;
                vertices.extend([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]);
                let quad = if side == 1 { [0, 1, 2, 3] } else { [0, 3, 2, 1] }.map(|k| first + k);
                triangles.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
            }
        }
    }
    Mesh::new(&vertices, &triangles).unwrap().welded()
}

pub(crate) fn cubes(rng: &mut Rng, count: usize) -> FxHashSet<[i32; 3]> {
    let mut cubes = FxHashSet::default();
    while cubes.len() < count {
        cubes.insert([(); 3].map(|()| rng.i32(0..5)));
    }
    cubes
}

#[test]
fn slow_every_point_of_a_lattice_is_on_its_side_of_a_solid_of_cubes() {
    let mut rng = Rng::with_seed(15);
    for round in 0..30 {
        let cubes = cubes(&mut rng, 1 + 2 * round);
        let mesh = of_cubes(&cubes);
        assert!(mesh.is_solid() && !mesh.report().is_inside_out);
        assert!((mesh.volume() - cubes.len() as f64).abs() < 1e-11, "{} {}", mesh.volume(), cubes.len());
        // Quarters: on vertices, edges and faces, in the middle of cubes, and in between.
        for _ in 0..2000 {
            let quarters: [i32; 3] = [(); 3].map(|()| rng.i32(-4..=24));
            // All cubes that the point belongs to.
            let around = |k: usize| {
                let at = quarters[k].div_euclid(4);
                if quarters[k].rem_euclid(4) == 0 { vec![at - 1, at] } else { vec![at] }
            };
            let all: Vec<bool> = around(0)
                .into_iter()
                .flat_map(|x| around(1).into_iter().map(move |y| [x, y]))
                .flat_map(|[x, y]| around(2).into_iter().map(move |z| [x, y, z]))
                .map(|cube| cubes.contains(&cube))
                .collect();
            let truth = match (all.iter().all(|&is| is), all.iter().any(|&is| is)) {
                (true, _) => Side::Inside,
                (false, true) => Side::Surface,
                (false, false) => Side::Outside,
            };
            let point = DVec3::from_array(quarters.map(|q| 0.25 * f64::from(q)));
            assert_eq!(mesh.side_of(point), truth, "{point}");
        }
    }
}

/// Whole coordinates: triangles share a point, or are apart by far more than rounding.
#[test]
fn slow_triangles_meet_where_the_engines_say_so() {
    let mut rng = Rng::with_seed(16);
    let (mut met, mut apart) = (0, 0);
    for round in 0..40_000 {
        let size = if round % 2 == 0 { 2 } else { 6 };
        let mut draw = || -> [DVec3; 3] {
            // Every third pair is in one plane.
            let z = if round % 3 == 0 { 0..=0 } else { -size..=size };
            [(); 3].map(|()| {
                DVec3::from_array([rng.i32(-size..=size), rng.i32(-size..=size), rng.i32(z.clone())].map(f64::from))
            })
        };
        let (a, b) = (draw(), draw());
        if [a, b].into_iter().any(|[p, q, r]| (q - p).cross(r - p) == DVec3::ZERO) {
            continue;
        }
        let [shape_a, shape_b] = [a, b].map(|[p, q, r]| Shape::triangle(p, q, r).unwrap());
        let truth = intersects(&shape_a, Pose::IDENTITY, &shape_b, Pose::IDENTITY);
        for turn in 0..3 {
            let turned = [b[turn], b[(turn + 1) % 3], b[(turn + 2) % 3]];
            let over = [turned[0], turned[2], turned[1]];
            for other in [turned, over] {
                assert_eq!(MeshReport::triangles_meet(a, other), truth, "{a:?} {other:?}");
                assert_eq!(MeshReport::triangles_meet(other, a), truth, "{other:?} {a:?}");
            }
        }
        if truth { met += 1 } else { apart += 1 }
    }
    assert!(met > 5000 && apart > 5000, "{met} {apart}");
}

#[test]
fn faults_are_counted_with_their_places() {
    let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [5., 5., 5.]].map(DVec3::from_array);
    let whole = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let solid = Mesh::new(&corners, &whole).unwrap();
    assert!(solid.report().is_clean() && solid.report().unused_vertices.first == [4]);

    let open = Mesh::new(&corners, &whole[..3]).unwrap();
    assert_eq!(open.report().open_edges.first, [[0, 2], [0, 3], [2, 3]]);
    assert!(!open.is_solid() && open.side_of([0.1, 0.1, 0.1]) == Side::Outside && open.volume() == 0.0);
    assert_eq!(open.side_of([0.25, 0.25, 0.0]), Side::Surface);

    let flipped = Mesh::new(&corners, &[[0, 1, 2], whole[1], whole[2], whole[3]]).unwrap();
    assert_eq!((flipped.report().flipped_edges.count, flipped.report().open_edges.count), (3, 0));
    assert!(!flipped.is_solid());

    let inside_out = Mesh::new(&corners, &whole.map(|[a, b, c]| [a, c, b])).unwrap();
    assert!(inside_out.is_solid() && inside_out.report().is_inside_out && !inside_out.report().is_clean());
    assert_eq!(inside_out.side_of([0.1, 0.1, 0.1]), Side::Inside);

    // A fin on an edge, a triangle twice, one without an area, one through the others.
    let fin = Mesh::new(&corners, &[&whole[..], &[[0, 1, 4]]].concat()).unwrap();
    assert_eq!(fin.report().non_manifold_edges.first, [[0, 1]]);
    let twice = Mesh::new(&corners, &[&whole[..], &[[2, 1, 0]]].concat()).unwrap();
    assert_eq!(twice.report().duplicate_triangles.first, [4]);
    let line = Mesh::new(&corners, &[&whole[..], &[[4, 4, 0]]].concat()).unwrap();
    assert_eq!(line.report().degenerate_triangles.first, [4]);
    let mut through = corners.to_vec();
    through.extend([[0.2, 0.2, -1.0], [0.2, 0.2, 2.0], [9.0, 9.0, 0.5]].map(DVec3::from_array));
    let crossed = Mesh::new(&through, &[&whole[..], &[[5, 6, 7]]].concat()).unwrap();
    assert_eq!(crossed.report().crossing_triangles.first, [[0, 4], [2, 4]]);
}

#[test]
fn self_crossings_are_those_of_all_pairs() {
    let mut rng = Rng::with_seed(17);
    for count in [2, 10, 60] {
        let vertices: Vec<DVec3> =
            (0..3 * count).map(|_| DVec3::from_array([(); 3].map(|()| f64::from(rng.i32(-9..=9))))).collect();
        let triangles: Vec<[u32; 3]> = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = Mesh::new(&vertices, &triangles).unwrap();
        let is_flat = |i: u32| {
            let [a, b, c] = mesh.corners(i);
            (b - a).cross(c - a) == DVec3::ZERO
        };
        let shares = |i: u32, j: u32| mesh.corners(i).iter().any(|corner| mesh.corners(j).contains(corner));
        let pairs = (0..count as u32).flat_map(|i| (i + 1..count as u32).map(move |j| [i, j]));
        let truth = pairs
            .filter(|&[i, j]| !is_flat(i) && !is_flat(j) && !shares(i, j))
            .filter(|&[i, j]| MeshReport::triangles_meet(mesh.corners(i), mesh.corners(j)))
            .count();
        let sharing = (0..count as u32)
            .flat_map(|i| (i + 1..count as u32).map(move |j| [i, j]))
            .filter(|&[i, j]| shares(i, j))
            .count();
        let found = mesh.report().crossing_triangles.count;
        assert!(truth <= found && found <= truth + sharing, "{truth} {found} {sharing}");
    }
}

#[test]
fn bad_meshes_are_refused_with_the_number_at_fault() {
    let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]];
    let refused = |triangles: &[[u32; 3]]| Mesh::new(&corners, triangles).unwrap_err().to_string();
    assert_eq!(refused(&[[0, 1, 2], [0, 1, 3]]), "triangles[1][2] is 3, but there are 3 entries, counted from 0");
    assert_eq!(refused(&[]), "triangles is empty, but needs at least one entry");
    let nan = Mesh::new(&[[0.0, f64::NAN, 0.0]], &[[0, 0, 0]]).unwrap_err().to_string();
    assert_eq!(nan, "vertices[0].y is NaN, but must be a finite number");
}

/// A fan of n corners has n boxes about its hub, and n equal triangles are in one place: the search for crossings counts its work.
#[test]
fn slow_many_triangles_in_one_place_end_the_search_for_crossings_early() {
    let count = 20_000_u32;
    let rim = |i: u32| {
        let (y, x) = (f64::from(i) / f64::from(count) * std::f64::consts::TAU).sin_cos();
        DVec3::new(x, y, 0.0)
    };
    let vertices: Vec<DVec3> = std::iter::once(DVec3::Z).chain((0..count).map(rim)).collect();
    let fan: Vec<[u32; 3]> = (0..count).map(|i| [0, 1 + i, 1 + (i + 1) % count]).collect();
    let report = Mesh::new(&vertices, &fan).unwrap().report().clone();
    assert!(report.may_cross_more && report.crossing_triangles.is_empty() && !report.is_clean(), "{report:?}");
    let equal = vec![[0, 1, 2000]; 200_000];
    let report = Mesh::new(&vertices, &equal).unwrap().report().clone();
    assert!(report.may_cross_more && report.duplicate_triangles.count == 199_999, "{report:?}");
    // A few hundred are searched to the end.
    let few: Vec<[u32; 3]> = (0..500).map(|i| [0, 1 + i, 2 + i]).collect();
    assert!(!Mesh::new(&vertices, &few).unwrap().report().may_cross_more);
}

/// Predicates are exact down to 2^-250 of the largest coordinate that is used.
#[test]
fn a_vertex_that_is_not_used_changes_no_side() {
    let corners =
        [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].map(|corner| 1e-20 * DVec3::from_array(corner));
    let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    for far in [1e-20, 1.0, 1e59] {
        let vertices = [&corners[..], &[DVec3::splat(far)]].concat();
        let mesh = Mesh::new(&vertices, &triangles).unwrap();
        assert_eq!(mesh.side_of(1e-20 * DVec3::splat(0.25)), Side::Inside, "{far}");
        assert_eq!(mesh.side_of(1e-20 * DVec3::splat(0.4)), Side::Outside, "{far}");
        assert_eq!(mesh.side_of(1e-20 * DVec3::new(0.25, 0.25, 0.0)), Side::Surface, "{far}");
        assert!(mesh.report().degenerate_triangles.is_empty() && mesh.volume() > 1e-61);
        let mapped = mesh.mapped(DMat3::from_diagonal(DVec3::splat(0.3))).unwrap();
        assert!(mapped.slack() < 1e-34, "{}", mapped.slack());
    }
}
