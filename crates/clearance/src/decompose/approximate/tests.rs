//! Covers of meshes that are open, doubled, non-manifold, crossing, flat, slivers, tiny and huge. Every point of the surface is covered. No point of
//! a piece is farther from the body than its concavity. Pieces of solids cover all of them.

use super::*;
use crate::decompose::{
    Decomposition, DecompositionBudget, Stage, decompose, decompose_with_progress, prove_inner, prove_outer,
};
use crate::shape::mesh::tests::of_cubes;
use fastrand::Rng;

const CELLS: usize = 12;

type Soup = (Vec<DVec3>, Vec<[u32; 3]>);

/// A box with its triangles counter-clockwise from outside.
fn block(min: [f64; 3], max: [f64; 3]) -> Soup {
    let corners =
        (0..8).map(|i| DVec3::from_array(std::array::from_fn(|k| if i >> k & 1 == 0 { min[k] } else { max[k] })));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (corners.collect(), quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

fn joined(soups: &[Soup]) -> Soup {
    let mut whole = (Vec::new(), Vec::new());
    for (vertices, triangles) in soups {
        let first = whole.0.len() as u32;
        whole.0.extend(vertices);
        whole.1.extend(triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    }
    whole
}

/// Half a sphere, open at its equator.
fn bowl(around: u32, rings: u32) -> Soup {
    let at = |ring: u32, k: u32| {
        let (sin, cos) = (std::f64::consts::FRAC_PI_2 * f64::from(ring) / f64::from(rings)).sin_cos();
        let (y, x) = (std::f64::consts::TAU * f64::from(k) / f64::from(around)).sin_cos();
        DVec3::new(sin * x, sin * y, -cos)
    };
    let vertices = (0..=rings).flat_map(|ring| (0..around).map(move |k| at(ring, k))).collect();
    let quads = (0..rings).flat_map(|ring| (0..around).map(move |k| (ring, k)));
    let triangles = quads.flat_map(|(ring, k)| {
        let [a, b] = [ring * around + k, ring * around + (k + 1) % around];
        [[a, a + around, b + around], [a, b + around, b]]
    });
    (vertices, triangles.collect())
}

/// Every kind of odd mesh, with a name.
fn meshes() -> Vec<(String, Soup)> {
    let l = || joined(&[block([0.0; 3], [3.0, 1.0, 1.0]), block([0.0, 1.0, 0.0], [1.0, 3.0, 1.0])]);
    let mut open = l();
    open.1.truncate(20);
    let doubled = {
        let (v, t) = l();
        (v, t.iter().flat_map(|&t| [t, t]).collect())
    };
    let both_ways = {
        let (v, t) = l();
        (v, t.iter().flat_map(|&[a, b, c]| [[a, b, c], [a, c, b]]).collect())
    };
    let mut flipped = l();
    flipped.1.iter_mut().step_by(3).for_each(|t| t.swap(1, 2));
    let crossing = joined(&[block([0.0; 3], [3.0, 1.0, 1.0]), block([1.0, -1.0, 0.3], [2.0, 2.0, 0.7])]);
    // Three sheets about one edge.
    let corners = [
        [0., 0., 0.],
        [0., 0., 1.],
        [1., 0., 0.],
        [1., 0., 1.],
        [-1., 1., 0.],
        [-1., 1., 1.],
        [-1., -1., 0.],
        [-1., -1., 1.],
    ];
    let book = (
        corners.map(DVec3::from_array).to_vec(),
        [2, 4, 6].into_iter().flat_map(|k| [[0, k, k + 1], [0, k + 1, 1]]).collect(),
    );
    let flat = (
        [[0., 0.], [3., 0.], [3., 1.], [1., 1.], [1., 3.], [0., 3.]].map(|[x, y]| DVec3::new(x, y, 0.5)).to_vec(),
        vec![[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]],
    );
    let mut rng = Rng::with_seed(7);
    let mut random = |x: f64, y: f64, z: f64| DVec3::new(x * rng.f64(), y * rng.f64(), z * rng.f64());
    let soup = |at: &mut dyn FnMut() -> DVec3, count: u32| -> Soup {
        ((0..3 * count).map(|_| at()).collect(), (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
    };
    let slivers = soup(&mut || random(1.0, 1e-9, 1e-4), 30);
    let cloud = soup(&mut || random(1.0, 1.0, 1.0), 40);
    let line =
        ((0..4).map(|i| DVec3::new(f64::from(i), 2.0 * f64::from(i), 0.0)).collect(), vec![[0, 1, 2], [1, 2, 3]]);
    let point = (vec![DVec3::new(1.0, 2.0, 3.0); 3], vec![[0, 1, 2]]);
    let shells = joined(&[block([0.0; 3], [1.0; 3]), bowl(12, 4)]);
    let mut found: Vec<(String, Soup)> = [
        ("L", l()),
        ("open", open),
        ("doubled", doubled),
        ("both ways", both_ways),
        ("flipped", flipped),
        ("crossing", crossing),
        ("book", book),
        ("flat", flat),
        ("slivers", slivers),
        ("cloud", cloud),
        ("line", line),
        ("point", point),
        ("bowl", bowl(16, 6)),
        ("a cube and a bowl", shells),
    ]
    .into_iter()
    .map(|(name, soup)| (name.to_owned(), soup))
    .collect();
    for (name, by, away) in [("tiny", 1e-60, 0.0), ("huge", 1e50, 0.0), ("far away", 1.0, 1e9)] {
        let (vertices, triangles) = joined(&[block([0.0; 3], [3.0, 1.0, 1.0]), bowl(9, 3)]);
        found.push((name.into(), (vertices.iter().map(|&v| by * v + DVec3::splat(away)).collect(), triangles)));
    }
    found
}

/// Height of a point above a piece, beyond rounding; flat pieces by their sides, too.
fn height(piece: &Polytope, at: DVec3) -> f64 {
    if piece.dimension() == 0 {
        return (at - piece.vertex(0)).length();
    }
    Halves::of(piece).height(at)
}

/// Points of the surface are covered, and points of the pieces are near to the body.
fn is_honest(name: &str, mesh: &Mesh, pieces: &[ApproximatePiece]) {
    assert!(!pieces.is_empty(), "{name}");
    let bounds = mesh.aabb();
    let size = (bounds.max - bounds.min).max_element();
    let rounding = 1e-12 * (bounds.max.abs().max(bounds.min.abs())).max_element();
    let mut rng = Rng::with_seed(3);
    for t in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(t);
        let random = (0..4).map(|_| {
            let (u, v) = (rng.f64(), rng.f64());
            a + (b - a) * (u * (1.0 - v)) + (c - a) * (u * v)
        });
        for at in [a, b, c].into_iter().chain(random.collect::<Vec<_>>()) {
            let least = pieces.iter().map(|piece| height(&piece.hull, at)).fold(f64::INFINITY, f64::min);
            assert!(least <= rounding, "{name}: {at} is {least:e} outside of all pieces");
        }
    }
    for piece in pieces {
        assert!(piece.concavity.is_finite() && piece.concavity <= 2.0 * size, "{name}: {}", piece.concavity);
        for _ in 0..40 {
            let weights: Vec<f64> = piece.hull.vertices().iter().map(|_| -rng.f64().ln()).collect();
            let sum: f64 = weights.iter().sum();
            let at: DVec3 = piece.hull.vertices().iter().zip(&weights).map(|(&v, w)| v * (w / sum)).sum();
            if mesh.side_of(at) != Side::Outside {
                continue;
            }
            let Some(unit) = Unit::of(&bounds) else { continue };
            let moved = unit.mesh(mesh).unwrap();
            let near =
                crate::narrow::meshes::nearest_to_point(&moved, unit.enter(at), 1e-14, f64::INFINITY, None).unwrap();
            // A shell may enclose the point; only the pieces of solids are compared with the surface alone.
            if mesh.is_solid() {
                assert!(
                    unit.length(near.lower) <= piece.concavity + 3.0 * rounding,
                    "{name}: {} is stated, {} found",
                    piece.concavity,
                    near.lower
                );
            }
        }
    }
}

#[test]
fn slow_covers_of_odd_meshes_are_honest() {
    for (name, (vertices, triangles)) in meshes() {
        let mesh = Mesh::new(&vertices, &triangles).unwrap().welded();
        let mut steps = 0;
        let pieces = cover_on(&mesh, CELLS, 12, 0.05, &mut |_, done, total| {
            assert!(done <= total);
            steps += 1;
        });
        assert!(pieces.len() <= 12 && steps < 1000, "{name}");
        is_honest(&name, &mesh, &pieces);
        if name == "bowl" {
            let again = cover_on(&mesh, CELLS, 12, 0.05, &mut |_, _, _| {});
            assert!(
                pieces.iter().zip(&again).all(|(one, other)| one.hull.vertices() == other.hull.vertices()),
                "{name}"
            );
        }
    }
}

#[test]
fn slow_covers_of_crossing_solids_hold_every_point_of_them() {
    let mut inside = 0;
    for (name, (vertices, triangles)) in meshes() {
        let mesh = Mesh::new(&vertices, &triangles).unwrap().welded();
        if !mesh.is_solid() {
            continue;
        }
        let pieces = cover_on(&mesh, CELLS, 12, 0.05, &mut |_, _, _| {});
        let mut rng = Rng::with_seed(4);
        let bounds = mesh.aabb();
        for _ in 0..400 {
            let at = bounds.min + (bounds.max - bounds.min) * DVec3::new(rng.f64(), rng.f64(), rng.f64());
            if mesh.side_of(at) == Side::Inside {
                inside += 1;
                assert!(pieces.iter().any(|piece| height(&piece.hull, at) <= 0.0), "{name}: {at} is in no piece");
            }
        }
    }
    assert!(inside > 500, "{inside}");
}

#[test]
fn covers_of_clean_solids_pass_the_exact_proof() {
    let (vertices, triangles) = block([0.0; 3], [1.0, 2.0, 0.5]);
    let l = of_cubes(&[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 2, 0], [0, 2, 1]].into_iter().collect());
    for mesh in [Mesh::new(&vertices, &triangles).unwrap(), l] {
        let pieces = cover_on(&mesh, CELLS, 8, 0.05, &mut |_, _, _| {});
        let hulls: Vec<Polytope> = pieces.into_iter().map(|piece| piece.hull).collect();
        assert!(prove_outer(&mesh, &hulls).is_proven(), "{:?}", prove_outer(&mesh, &hulls));
        if hulls.len() > 1 {
            assert!(!prove_outer(&mesh, &hulls[1..]).is_proven(), "every piece is needed");
        }
    }
}

#[test]
fn slow_each_part_of_a_mesh_gets_what_can_be_proved_of_it() {
    let budget = DecompositionBudget { pieces: 8, ..DecompositionBudget::default() };
    let (vertices, triangles) = joined(&[
        block([0.0; 3], [1.0; 3]),
        (vec![DVec3::splat(3.0), DVec3::splat(4.0), DVec3::new(4.0, 3.0, 3.0)], vec![[0, 1, 2]]),
    ]);
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    let mut stages = Vec::new();
    let found: Decomposition = decompose_with_progress(&mesh, budget, |stage, _, _| stages.push(stage));
    assert_eq!((found.inner.len(), found.outer.len(), found.approximate.len()), (1, 1, 1));
    assert!(!found.is_exact && !found.outer_proof.is_proven() && stages.contains(&Stage::Measuring));
    let (vertices, triangles) = block([0.0; 3], [1.0; 3]);
    let cube = Mesh::new(&vertices, &triangles).unwrap();
    assert!(prove_inner(&cube, &found.inner[0]).is_proven() && prove_outer(&cube, &found.outer).is_proven());
    assert!(found.summary(&mesh).to_string().contains("approximate"));
    // A lone face, and a box that lacks one: never nothing.
    for count in [1, 11] {
        let found = decompose(&Mesh::new(&vertices, &triangles[..count]).unwrap(), budget);
        assert!(!found.approximate.is_empty() && found.inner.is_empty());
        let is_spent = found.approximate.len() == budget.pieces;
        assert!(found.concavities().all(|reach| reach <= 0.03 || is_spent && reach <= 0.2));
    }
}

#[test]
fn slow_a_box_without_a_face_is_one_piece_and_a_bowl_is_not_filled() {
    let (vertices, triangles) = block([0.0; 3], [1.0; 3]);
    let mesh = Mesh::new(&vertices, &triangles[1..]).unwrap();
    // The hole is as wide as the box, so it is a mouth; a hole of a tenth is closed.
    assert!(!without_small_holes(&mesh).is_solid());
    let (bowl, faces) = bowl(24, 8);
    let mesh = Mesh::new(&bowl, &faces).unwrap().welded();
    let pieces = cover_on(&mesh, CELLS, 40, 0.05, &mut |_, _, _| {});
    let middle = DVec3::new(0.0, 0.0, -0.3);
    assert!(pieces.iter().all(|piece| height(&piece.hull, middle) > 0.0), "the bowl is empty");
    let pricked = Mesh::new(&bowl, &faces[1..]).unwrap().welded();
    assert_eq!(without_small_holes(&pricked).triangles().len(), mesh.triangles().len());
}
