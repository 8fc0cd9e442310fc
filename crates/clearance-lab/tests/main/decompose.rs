//! Decompositions of every model: the proofs hold, sampled points confirm them, and damaged proofs are refused.

use clearance::decompose::{Decomposition, DecompositionBudget, Doubt, Inclusion, decompose, surface_patches};
use clearance::internals::decompose::{Children, HullTree, prove_inner, prove_outer};
use clearance::internals::hull::convex_hull;
use clearance::math::DVec3;
use clearance::shape::{Mesh, Polytope, Side};
use clearance::{DepthBudget, Pose, Shape, depth};
use clearance_lab::Rng;
use clearance_lab::meshes::{self, Model};
use std::sync::Arc;

/// Cubes of a lattice, drawn.
fn cubes(rng: &mut Rng, count: usize) -> Model {
    let mut cubes: Vec<[i32; 3]> = vec![[0; 3]];
    while cubes.len() < count {
        let mut next = cubes[rng.usize(..cubes.len())];
        next[rng.usize(..3)] += [-1, 1][rng.usize(..2)];
        if !cubes.contains(&next) {
            cubes.push(next);
        }
    }
    meshes::lattice_solid(&cubes)
}

fn shell() -> Model {
    let cells: Vec<[i32; 3]> = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).filter(|c| *c != [1, 1, 1]).collect();
    meshes::lattice_solid(&cells)
}

/// Models whose planes are in plain coordinates: pieces are exact.
fn exact_models() -> Vec<(String, Model)> {
    let mut rng = Rng::with_seed(1);
    let mut models: Vec<(String, Model)> = vec![
        ("block".into(), meshes::block(DVec3::new(1.0, 2.0, 3.0))),
        ("prism".into(), meshes::prism(7, 2.0, 1.0)),
        ("grate".into(), meshes::grate([3, 2], 1.0, 2.0, 0.5)),
        ("shell".into(), shell()),
    ];
    models.extend((0..6).map(|i| (format!("cubes {i}"), cubes(&mut rng, 2 + 2 * i))));
    models.extend("ABD08".chars().map(|letter| (letter.to_string(), meshes::glyph(letter))));
    models
}

fn rounded_models() -> Vec<(String, Model)> {
    let mut models: Vec<(String, Model)> = vec![
        ("gear".into(), meshes::gear(6, 2.0, 2.5, 0.7, 6, 1.0)),
        ("torus".into(), meshes::torus(8, 5, 2.0, 0.6)),
        ("wrinkled torus".into(), meshes::wrinkled_torus(8, 4, 2.0, 0.5, 4, 0.2)),
        ("noisy sphere".into(), meshes::noisy_sphere(7, 3, 0.05, 1)),
    ];
    models.extend("7".chars().map(|letter| (letter.to_string(), meshes::glyph(letter))));
    models
}

/// By how much a point is outside of a polytope, to rounding.
fn outside(piece: &Polytope, point: DVec3) -> f64 {
    piece.faces().map(|face| face.normal.dot(point) - face.offset).fold(f64::NEG_INFINITY, f64::max)
}

#[track_caller]
fn is_sound(name: &str, mesh: &Mesh, found: &Decomposition) {
    assert_eq!(found.outer_proof, Inclusion::Proven, "{name}");
    assert_eq!(prove_outer(mesh, &found.outer), Inclusion::Proven, "{name}");
    assert!(!found.inner.is_empty(), "{name}");
    for piece in &found.inner {
        assert_eq!(prove_inner(mesh, piece), Inclusion::Proven, "{name}");
    }
    let mut rng = Rng::with_seed(2);
    let bounds = mesh.aabb();
    let mut inside = 0;
    for _ in 0..2000 {
        let part = DVec3::new(rng.f64(), rng.f64(), rng.f64());
        let point = bounds.min + (bounds.max - bounds.min) * part;
        let side = mesh.side_of(point);
        let is_in = |pieces: &[Polytope], margin: f64| pieces.iter().any(|piece| outside(piece, point) <= margin);
        if side != Side::Outside {
            assert!(is_in(&found.outer, 1e-12), "{name}: {point} is in no outer piece");
            inside += 1;
        }
        if is_in(&found.inner, -1e-12) {
            assert_eq!(side, Side::Inside, "{name}: {point} is in an inner piece");
        }
    }
    assert!(inside > 50, "{name}: representative");
}

#[test]
fn exact_decompositions_are_proved_and_hold_the_points_of_the_solid() {
    for (name, model) in exact_models() {
        let mesh = model.mesh();
        let found = decompose(&mesh, DecompositionBudget::default());
        assert!(found.is_exact, "{name}: {}", found.summary(&mesh));
        is_sound(&name, &mesh, &found);
    }
}

#[test]
fn rounded_decompositions_are_proved_and_hold_the_points_of_the_solid() {
    for (name, model) in rounded_models() {
        let mesh = model.mesh();
        let found = decompose(&mesh, DecompositionBudget::default());
        is_sound(&name, &mesh, &found);
        // Pieces in doubles, next to exact ones: the volume between the inner and the outer ones is negligible.
        assert_eq!(found.inner.len(), found.outer.len(), "{name}: {}", found.summary(&mesh));
    }
}

#[test]
fn what_takes_too_many_pieces_is_covered_by_hulls_in_boxes() {
    let mesh = meshes::torus(24, 10, 2.0, 0.6).mesh();
    let found = decompose(&mesh, DecompositionBudget { pieces: 12, cells: 4000, ..DecompositionBudget::default() });
    assert!(!found.is_exact && (2..=12).contains(&found.outer.len()), "{}", found.summary(&mesh));
    is_sound("torus", &mesh, &found);
}

#[test]
fn a_grate_is_its_bars_and_letters_have_few_pieces() {
    for holes in [[1, 1], [3, 2], [5, 4]] {
        let mesh = meshes::grate(holes, 1.0, 1.5, 0.5).mesh();
        let found = decompose(&mesh, DecompositionBudget::default());
        assert!(found.is_exact);
        assert_eq!(found.inner.len(), holes[0] + holes[1] + 2);
        assert!(found.inner.iter().all(|bar| (bar.vertex_count(), bar.face_count()) == (8, 6)));
    }
    for (letter, most) in
        "AEFHLTX1234567890BCDO".chars().zip([3, 4, 3, 3, 2, 2, 4, 3, 5, 4, 3, 5, 5, 2, 5, 5, 4, 6, 5, 6, 8])
    {
        let found = decompose(&meshes::glyph(letter).mesh(), DecompositionBudget::default());
        assert!(found.outer_proof.is_proven() && found.outer.len() <= most, "{letter}: {}", found.outer.len());
    }
    // A convex solid is one piece, however its faces are cut.
    assert_eq!(decompose(&meshes::sphere(8, 4).mesh(), DecompositionBudget::default()).inner.len(), 1);
}

#[test]
fn pieces_that_are_a_little_too_large_are_not_inside() {
    let mut refused = 0;
    for (name, model) in exact_models() {
        let mesh = model.mesh();
        let found = decompose(&mesh, DecompositionBudget::default());
        for by in [f64::EPSILON, 1e-15, 1e-12, 1e-9] {
            let piece = &found.inner[0];
            let (middle, mut vertices) = (piece.center(), piece.vertices().to_vec());
            for vertex in &mut vertices {
                *vertex += (*vertex - middle) * (2.0 * by);
            }
            // Each face of an inner piece lies in the plane of a triangle; moved outward it is crossed by that triangle, unless its
            // corners were rounded back to where they were.
            if vertices != piece.vertices() {
                assert!(!prove_inner(&mesh, &convex_hull(&vertices).unwrap()).is_proven(), "{name} by {by}");
                refused += 1;
            }
        }
    }
    assert!(refused > 40, "{refused}");
}

#[test]
fn pieces_that_are_a_little_too_small_or_too_few_do_not_cover() {
    for (name, model) in exact_models() {
        let mesh = model.mesh();
        let found = decompose(&mesh, DecompositionBudget::default());
        for i in 0..found.outer.len() {
            let mut fewer = found.outer.clone();
            let piece = fewer.remove(i);
            assert!(!prove_outer(&mesh, &fewer).is_proven(), "{name} without piece {i}");
            for by in [1e-15, 1e-12, 1e-9] {
                // One corner of a piece, drawn in: something of the solid is then in no piece, unless another holds that corner.
                let mut vertices = piece.vertices().to_vec();
                let is_elsewhere = fewer.iter().any(|other| outside(other, vertices[0]) <= 1e-6);
                let before = vertices[0];
                vertices[0] += (piece.center() - before) * by;
                if is_elsewhere || vertices[0] == before {
                    continue;
                }
                let mut spoiled = fewer.clone();
                spoiled.push(convex_hull(&vertices).unwrap());
                assert!(!prove_outer(&mesh, &spoiled).is_proven(), "{name}, piece {i} by {by}");
            }
        }
    }
}

/// Boxes on a lattice: whether one is inside, and whether several cover the solid, is counted in cubes. Sheared by a matrix of whole
/// numbers, of determinant 1, all planes are oblique and all coordinates still exact.
#[test]
fn proofs_about_boxes_on_a_lattice_are_decided_as_cubes_are_counted() {
    let mut rng = Rng::with_seed(3);
    let counts = &mut [0; 4];
    for round in 0..400 {
        let mut solid: Vec<[i32; 3]> = Vec::new();
        let draw_box = |rng: &mut Rng| -> [[i32; 2]; 3] {
            [(); 3].map(|()| {
                let low = rng.i32(0..3);
                [low, low + rng.i32(1..=2)]
            })
        };
        let cubes_of = |b: &[[i32; 2]; 3]| -> Vec<[i32; 3]> {
            let [x, y, z] = b.map(|[low, high]| low..high);
            x.flat_map(|i| y.clone().flat_map(move |j| (0..9).map(move |k| [i, j, k])))
                .filter(|c| z.contains(&c[2]))
                .collect()
        };
        let boxes: Vec<[[i32; 2]; 3]> = (0..rng.usize(1..5)).map(|_| draw_box(&mut rng)).collect();
        // The union of the boxes, with a cube or two more, or less, or as it is.
        solid.extend(boxes.iter().flat_map(cubes_of));
        for _ in 0..rng.usize(..3) {
            if rng.bool() {
                solid.push([(); 3].map(|()| rng.i32(0..5)));
            } else if !solid.is_empty() {
                let cube = solid[rng.usize(..solid.len())];
                solid.retain(|c| *c != cube);
            }
        }
        solid.sort_unstable();
        solid.dedup();
        if solid.is_empty() {
            continue;
        }
        let shear = |v: DVec3| if round % 2 == 0 { v } else { DVec3::new(v.x + 2.0 * v.y, v.y + 3.0 * v.z, v.z) };
        let mesh = meshes::lattice_solid(&solid).map(shear).mesh();
        let pieces: Vec<Polytope> = boxes
            .iter()
            .map(|b| {
                let corner = |i: usize| [0, 1, 2].map(|k| f64::from(b[k][i >> k & 1]));
                convex_hull(&(0..8).map(|i| shear(DVec3::from_array(corner(i)))).collect::<Vec<_>>()).unwrap()
            })
            .collect();
        for (piece, b) in pieces.iter().zip(&boxes) {
            let truth = cubes_of(b).iter().all(|cube| solid.contains(cube));
            assert_eq!(prove_inner(&mesh, piece).is_proven(), truth, "{solid:?} {b:?}");
            counts[usize::from(truth)] += 1;
        }
        let truth = solid.iter().all(|cube| boxes.iter().any(|b| cubes_of(b).contains(cube)));
        assert_eq!(prove_outer(&mesh, &pieces).is_proven(), truth, "{solid:?} {boxes:?}");
        counts[2 + usize::from(truth)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 50), "representative: {counts:?}");
}

#[test]
fn proofs_say_why_they_fail() {
    let block = meshes::block(DVec3::ONE);
    let mesh = block.mesh();
    let whole = convex_hull(mesh.vertices()).unwrap();
    let open = Mesh::new(&block.vertices, &block.triangles[1..]).unwrap();
    assert_eq!(prove_inner(&open, &whole), Inclusion::NotProven(Doubt::Shell));
    assert_eq!(prove_outer(&open, std::slice::from_ref(&whole)), Inclusion::NotProven(Doubt::Shell));
    let twice: Vec<[u32; 3]> = block.triangles.iter().chain(&block.triangles).copied().collect();
    let twice = Mesh::new(&block.vertices, &twice).unwrap();
    assert_eq!(prove_outer(&twice, std::slice::from_ref(&whole)), Inclusion::NotProven(Doubt::Tangled));
    // A sheet without thickness: front and back have different centres at one place. It is closed, and its inside is empty.
    let square =
        [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [0.5, 0.5, 0.], [0.5, 0.5, 0.]].map(DVec3::from_array);
    let fans: Vec<[u32; 3]> = (0..4).flat_map(|i| [[i, (i + 1) % 4, 4], [(i + 1) % 4, i, 5]]).collect();
    let sheet = Mesh::new(&square, &fans).unwrap();
    assert!(sheet.is_solid());
    assert_eq!(prove_outer(&sheet, std::slice::from_ref(&whole)), Inclusion::NotProven(Doubt::Tangled));
    let flat = convex_hull(&mesh.vertices()[..3]).unwrap();
    assert_eq!(prove_inner(&mesh, &flat), Inclusion::NotProven(Doubt::Flat { piece: 0 }));
    let beside = convex_hull(&mesh.vertices().iter().map(|v| *v + 3.0 * DVec3::X).collect::<Vec<_>>()).unwrap();
    assert_eq!(prove_inner(&mesh, &beside), Inclusion::NotProven(Doubt::Outside));
    assert!(matches!(prove_outer(&mesh, &[beside]), Inclusion::NotProven(Doubt::Uncovered { .. })));
    assert!(matches!(prove_outer(&mesh, &[]), Inclusion::NotProven(Doubt::Uncovered { .. })));
    let fine = block.map(|v| v + DVec3::splat(1.0 + 1e-70) - DVec3::ONE);
    let tiny = Mesh::new(&[fine.vertices, vec![DVec3::splat(1e-70)]].concat(), &fine.triangles).unwrap();
    assert_eq!(prove_inner(&tiny, &whole), Inclusion::NotProven(Doubt::TooFine));
    // The hollow of a shell is not inside.
    let hollow = convex_hull(&meshes::lattice_solid(&[[1, 1, 1]]).vertices).unwrap();
    assert_eq!(prove_inner(&shell().mesh(), &hollow), Inclusion::NotProven(Doubt::Outside));
    let around = convex_hull(&shell().vertices).unwrap();
    assert!(matches!(prove_inner(&shell().mesh(), &around), Inclusion::NotProven(Doubt::Entered { .. })));
    assert!(prove_outer(&shell().mesh(), &[around]).is_proven());
}

#[test]
fn decompositions_are_the_same_every_time() {
    for (_, model) in exact_models().into_iter().take(6).chain(rounded_models().into_iter().take(2)) {
        let mesh = model.mesh();
        let [one, other] = [(); 2].map(|()| decompose(&mesh, DecompositionBudget::default()));
        assert_eq!((&one.inner, &one.outer), (&other.inner, &other.outer));
    }
}

/// The orientation of the triangles does not change the solid.
#[test]
fn a_solid_that_is_inside_out_has_the_pieces_and_the_depth_of_the_solid() {
    let is_rounded = exact_models().len();
    for (number, (name, model)) in exact_models().into_iter().chain(rounded_models()).enumerate() {
        if number % 4 > 0 {
            continue;
        }
        let mesh = model.mesh();
        let turned: Vec<[u32; 3]> = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        let turned = Mesh::new(mesh.vertices(), &turned).unwrap();
        assert!(turned.report().is_inside_out && turned.is_solid(), "{name}");
        let [one, other] = [&mesh, &turned].map(|mesh| decompose(mesh, DecompositionBudget::default()));
        assert!(!one.inner.is_empty() && (&one.inner, &one.outer) == (&other.inner, &other.outer), "{name}");
        assert_eq!(one.summary(&mesh).to_string(), other.summary(&turned).to_string());
        let [one, other] = [&mesh, &turned].map(|mesh| surface_patches(mesh).unwrap());
        assert!(one.iter().map(|patch| &patch.triangles).eq(other.iter().map(|patch| &patch.triangles)), "{name}");
        if number < is_rounded {
            let size = mesh.bounding_radius();
            let pose = Pose::from_translation([0.011 * size, 0.007 * size, 0.013 * size]);
            let [solid, turned] = [mesh, turned].map(|mesh| Shape::Mesh(Arc::new(mesh)));
            let ask = |a: &Shape, b: &Shape| depth(a, Pose::IDENTITY, b, pose, DepthBudget::default());
            let [one, other] = [ask(&solid, &solid), ask(&turned, &turned)];
            assert!(
                one.lower > 0.0 && (one.lower, one.upper) == (other.lower, other.upper),
                "{name}: {one:?} {other:?}"
            );
        }
    }
}

#[test]
fn patches_part_the_surface_and_their_hulls_take_in_no_other_sheet() {
    for (name, model) in exact_models().into_iter().chain(rounded_models()) {
        let mesh = model.mesh();
        let patches = surface_patches(&mesh).unwrap();
        let mut all: Vec<u32> = patches.iter().flat_map(|patch| patch.triangles.clone()).collect();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..mesh.triangles().len() as u32), "{name}: every triangle once");
        let mut solid = 0;
        for patch in &patches {
            assert_eq!(patch.is_original.len(), patch.hull.face_count());
            for &triangle in &patch.triangles {
                let corners = mesh.corners(triangle);
                let on = |face: clearance::shape::polytope::Face| {
                    corners.iter().all(|corner| (face.normal.dot(*corner) - face.offset).abs() < 1e-12)
                };
                assert!(patch.hull.faces().any(on), "{name}: triangle {triangle} is on the hull");
            }
            if patch.hull.dimension() == 3 {
                solid += 1;
                assert_eq!(prove_inner(&mesh, &patch.hull), Inclusion::Proven, "{name}");
            }
        }
        assert!(solid > 0 || name == "shell", "{name}");
    }
    // One patch is all of a block; of an L the notch is closed by a virtual face.
    let block = surface_patches(&meshes::block(DVec3::ONE).mesh()).unwrap();
    assert!(block.len() == 1 && block[0].is_original.iter().all(|&is| is));
    let corner = surface_patches(&meshes::lattice_solid(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]]).mesh()).unwrap();
    assert!(corner.len() > 1 && corner.iter().any(|patch| patch.is_original.iter().any(|&is| !is)));
}

#[test]
fn hulls_of_a_tree_hold_their_children() {
    let mesh = meshes::glyph('B').mesh();
    let tree = HullTree::new(decompose(&mesh, DecompositionBudget::default()).outer).unwrap();
    for node in tree.nodes() {
        assert!(node.hull.validate().is_ok());
        let Children::Nodes(children) = node.below else { continue };
        for child in children {
            for &vertex in tree.nodes()[child as usize].hull.vertices() {
                assert!(outside(&node.hull, vertex) <= 1e-13);
            }
        }
    }
    let corners = |hull: &Polytope| {
        let mut corners: Vec<[u64; 3]> = hull.vertices().iter().map(|v| v.to_array().map(f64::to_bits)).collect();
        corners.sort_unstable();
        corners
    };
    assert_eq!(corners(&tree.nodes()[0].hull), corners(&convex_hull(mesh.vertices()).unwrap()));
    for level in 0..tree.levels() {
        assert!(tree.level(level).count() <= 1 << level);
    }
    assert_eq!(tree.level(tree.levels() - 1).count(), tree.nodes().len().div_ceil(2));
    assert!(HullTree::new([]).is_err());
}
