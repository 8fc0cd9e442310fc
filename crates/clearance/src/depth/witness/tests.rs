//! Hulls against exact proofs and sampled points; covers replayed from their trace, place by place; the closed form of a peg in a slot; the search by exact
//! pieces where that closes.

use super::body::solids_of;
use super::cell::TranslationCone;
use super::hull::is_inside;
use super::*;
use crate::decompose::prove_inner;
use crate::depth::free::Placed;
use crate::depth::internals::watched;
use crate::depth::{DepthBudget, Scope, depth, first_upper};
use crate::math::Pose;
use crate::shape::mesh::tests::of_cubes;
use crate::shape::polytope::convex_hull;
use crate::shape::{Mesh, Shape, Side};
use fastrand::Rng;
use glam::DQuat;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A closed rough surface: an octahedron, subdivided, with bumps and noise.
fn rough(levels: usize, bumps: f64, noise: f64, seed: u64) -> Shape {
    let mut vertices: Vec<DVec3> = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect();
    let mut triangles: Vec<[u32; 3]> = (0..8_u32)
        .map(|octant| {
            let [x, y, z] = [octant & 1, 2 + (octant >> 1 & 1), 4 + (octant >> 2)];
            if octant.count_ones() % 2 == 0 { [x, y, z] } else { [x, z, y] }
        })
        .collect();
    for _ in 0..levels {
        let mut middles: FxHashMap<[u32; 2], u32> = FxHashMap::default();
        let mut next = Vec::new();
        for [a, b, c] in triangles {
            let mut middle = |p: u32, q: u32| {
                *middles.entry([p.min(q), p.max(q)]).or_insert_with(|| {
                    vertices.push((vertices[p as usize] + vertices[q as usize]).normalize());
                    vertices.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            next.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = next;
    }
    let mut rng = Rng::with_seed(seed);
    for v in &mut vertices {
        let wave = (5.0 * v.x).sin() * (4.0 * v.y).cos() + 0.5 * (7.0 * v.z).sin();
        *v *= 1.0 + bumps * wave + noise * (2.0 * rng.f64() - 1.0);
    }
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    assert!(mesh.is_solid() && !mesh.report().is_inside_out);
    Shape::Mesh(Arc::new(mesh))
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

fn random_pose(rng: &mut Rng, far: f64) -> Pose {
    Pose::new(vector(rng, far), DQuat::from_scaled_axis(vector(rng, 3.0)))
}

/// Hulls that are accepted have no sampled point outside, and those that are refused are refused by the exact proof of a shrunk polytope, too, or nearly
/// touch the surface.
#[test]
fn hulls_are_inside_where_the_exact_proof_says_so() {
    let shape = rough(3, 0.15, 0.03, 5);
    let Shape::Mesh(mesh) = &shape else { unreachable!() };
    let frame = Frame::relative(&Pose::IDENTITY, &random_pose(&mut Rng::with_seed(1), 2.0));
    let solids = solids_of(&shape, frame, 0.25);
    let solid = &solids[0];
    let mut rng = Rng::with_seed(2);
    let (mut inside, mut outside) = (0, 0);
    for round in 0..600 {
        let (center, size) = (vector(&mut rng, 1.0), [0.5, 0.1, 0.02][round % 3]);
        let count = 1 + rng.usize(0..6);
        let local: Vec<DVec3> = (0..count).map(|_| center + vector(&mut rng, size)).collect();
        let points: Vec<DVec3> = local.iter().map(|p| solid.outward(*p)).collect();
        let is_in = is_inside(solid, &points, MARGIN);
        if is_in {
            inside += 1;
            for _ in 0..40 {
                let weights: Vec<f64> = local.iter().map(|_| rng.f64()).collect();
                let sum: f64 = weights.iter().sum();
                let at: DVec3 = local.iter().zip(&weights).map(|(p, w)| *p * (w / sum)).sum();
                assert_eq!(mesh.side_of(at), Side::Inside, "{round}");
            }
        } else {
            outside += 1;
        }
        if count >= 4
            && let Ok(hull) = convex_hull(&local)
            && hull.dimension() == 3
        {
            let is_proved = prove_inner(mesh, &hull).is_proven();
            assert_eq!(is_in, is_proved, "{round}: nothing comes as close to the surface as the margin");
        }
    }
    assert!(inside > 100 && outside > 100, "{inside} {outside}");
}

/// An observer sees brackets that hold and get narrow, changes no bit of the answer, and ends the search where it says so. Rough meshes, and solids of a few
/// exact pieces.
#[test]
fn brackets_that_are_watched_hold() {
    let cubes = |list: &[[i32; 3]]| Shape::Mesh(Arc::new(of_cubes(&list.iter().copied().collect())));
    let bent = cubes(&[[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]);
    let cases = [
        (rough(3, 0.15, 0.03, 5), rough(3, 0.1, 0.02, 6), Pose::from_translation([0.9, 0.3, 0.2]), 300),
        (bent.clone(), bent, Pose::new([0.3, 0.4, 0.2], DQuat::from_rotation_z(0.7)), 20_000),
    ];
    for (a, b, pose, nodes) in &cases {
        let budget = DepthBudget { nodes: *nodes, ..DepthBudget::default() };
        let alone = depth(a, Pose::IDENTITY, b, *pose, budget);
        let mut seen = Vec::new();
        let found = watched(a, Pose::IDENTITY, b, *pose, budget, |lower, upper| {
            seen.push((lower, upper));
            ControlFlow::Continue(())
        });
        assert_eq!(found, alone, "an observer changes nothing");
        // (Few exact pieces need few nodes.)
        let is_long = seen.len() > 20;
        assert!(is_long || !seen.is_empty() && *nodes > 300, "{}", seen.len());
        for &(lower, upper) in &seen {
            assert!(lower <= found.upper && upper >= found.lower * (1.0 - 1e-12), "{lower} {upper} {found:?}");
        }
        let &(lower, upper) = seen.last().unwrap();
        assert!(
            !is_long || lower > 0.0 && upper - lower < 4.0 * found.width() + 0.1 * found.upper,
            "{lower} {upper} {found:?}"
        );
        let mut calls = 0;
        let half = seen.len() / 2;
        let cut = watched(a, Pose::IDENTITY, b, *pose, budget, |_, _| {
            calls += 1;
            if calls > half { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((calls, cut.end), (half + 1, DepthEnd::Seconds));
        assert!(cut.lower <= found.upper && cut.upper >= found.lower && cut.width() > found.width());
    }
}

/// The part of a cone that a recorded search covers.
struct Recorded {
    cone: TranslationCone,
    /// Inner and outer lengths, and the points.
    frusta: Vec<([f64; 3], [f64; 3], [DVec3; POINTS])>,
}

/// Puts the cells of a search together again.
fn replay(steps: &[CoverStep]) -> Vec<Recorded> {
    let mut cells: Vec<Recorded> = TranslationCone::roots().map(|cone| Recorded { cone, frusta: Vec::new() }).collect();
    for step in steps {
        match step {
            CoverStep::Cone { cell, lengths, points, .. } => {
                let cell = &mut cells[*cell as usize];
                cell.frusta.push((cell.cone.lengths, *lengths, *points));
                cell.cone.lengths = *lengths;
            }
            CoverStep::ConeSplit { cell, weights, first, .. } => {
                assert_eq!(*first as usize, cells.len());
                let children: Vec<TranslationCone> = cells[*cell as usize].cone.split(*weights).1.collect();
                cells.extend(children.into_iter().map(|cone| Recorded { cone, frusta: Vec::new() }));
            }
            _ => {}
        }
    }
    cells
}

/// The point of both bodies that the cover has for a translation.
fn common_point(cells: &[Recorded], x: DVec3) -> Option<DVec3> {
    for cell in cells {
        let [a, b, c] = cell.cone.directions;
        let volume = a.dot(b.cross(c));
        let parts = [x.dot(b.cross(c)), x.dot(c.cross(a)), x.dot(a.cross(b))].map(|part| part / volume);
        if parts.iter().any(|part| *part < 0.0) {
            continue;
        }
        for (inner, outer, points) in &cell.frusta {
            let height = |lengths: &[f64; 3]| (0..3).map(|i| parts[i] / lengths[i]).sum::<f64>();
            let (low, high) = (height(inner), height(outer));
            if !(low >= 1.0 && high <= 1.0) {
                continue;
            }
            // x lies between its shadows on both planes; the one on the inner plane is the origin for lengths of zero.
            let (below, above) = (if low < f64::INFINITY { 1.0 / low } else { 0.0 }, 1.0 / high);
            let share = (1.0 - below) / (above - below);
            let of_inner = |i: usize| {
                if inner[i] > 0.0 { (1.0 - share) * below * parts[i] / inner[i] } else { (1.0 - share) / 3.0 }
            };
            let of_outer = |i: usize| share * above * parts[i] / outer[i];
            return Some((0..3).map(|i| of_inner(i) * points[i] + of_outer(i) * points[3 + i]).sum());
        }
    }
    None
}

fn search(placed: &Placed<'_>, width: f64, nodes: usize, steps: &mut Vec<CoverStep>) -> ConeCover {
    let first = first_upper(placed);
    cover(placed, first, CoverLimits { width, nodes, deadline: None }, steps).expect("both are solids")
}

/// Random translations that are shorter than the bound are in a frustum, whose common point is inside of both bodies; and no translation that is tested is free.
#[test]
fn slow_every_shorter_translation_has_a_common_point() {
    let mut rng = Rng::with_seed(31);
    let shapes = [rough(3, 0.15, 0.03, 5), rough(4, 0.25, 0.01, 6), rough(2, 0.1, 0.1, 7)];
    for round in 0..3 {
        let (a, b) = (&shapes[round % 3], &shapes[(round + 1) % 3]);
        let far = [0.2, 0.8, 1.2][round % 3];
        let (pose_a, pose_b) = (Pose::IDENTITY, random_pose(&mut rng, far));
        let placed = Placed::new(a, pose_a, b, pose_b, Scope::Any);
        let mut steps = Vec::new();
        let found = search(&placed, 4e-3, 4000, &mut steps);
        assert!(found.lower > 0.0 && found.lower <= found.best.1, "{round}: {found:?}");
        assert!(found.best.1 - found.lower <= 4e-3, "{round}: {found:?}");
        assert!(placed.is_free(found.best.0));
        let cells = replay(&steps);
        let solid_a = &solids_of(a, Frame::IDENTITY, placed.unit)[0];
        let solid_b = &solids_of(b, Frame::relative(&placed.pose_a, &placed.pose_b), placed.unit)[0];
        for k in 0..600 {
            let direction =
                if k % 2 == 0 { found.best.0 + vector(&mut rng, 0.1 * found.best.1) } else { vector(&mut rng, 1.0) };
            let part = if k % 4 < 2 { 1.0 - 1e-9 } else { rng.f64() };
            let x = direction.normalize() * found.lower * part;
            let Some(p) = common_point(&cells, x) else { panic!("{round}: {x} is in no frustum") };
            assert_eq!(solid_b.mesh.side_of(solid_b.local(p)), Side::Inside, "{round}");
            assert_eq!(solid_a.mesh.side_of(solid_a.local(p - x)), Side::Inside, "{round}");
            assert!(k % 20 > 0 || !placed.is_free(x), "{round}");
        }
    }
}

/// The same bracket is found again, whatever is recorded.
#[test]
fn slow_a_search_is_the_same_each_time_and_more_nodes_never_widen_it() {
    let (a, b) = (rough(3, 0.15, 0.03, 5), rough(3, 0.25, 0.01, 6));
    let pose_b = random_pose(&mut Rng::with_seed(8), 0.6);
    let placed = Placed::new(&a, Pose::IDENTITY, &b, pose_b, Scope::Any);
    let mut last = f64::INFINITY;
    for nodes in [0, 1, 10, 100, 400] {
        let found = search(&placed, 1e-4, nodes, &mut Vec::new());
        let again =
            cover(&placed, first_upper(&placed), CoverLimits { width: 1e-4, nodes, deadline: None }, &mut ()).unwrap();
        assert_eq!((found.lower, found.best), (again.lower, again.best));
        assert!(found.nodes <= nodes && found.lower >= 0.0);
        let width = found.best.1 - found.lower;
        // Splits round bounds down, by less than 1e-12 of them.
        assert!(width <= last + 1e-12, "{nodes}: {width} {last}");
        last = width;
    }
    assert!(last < 0.1, "{last}");
}

fn cubes(from: [i32; 3], to: [i32; 3], scale: DVec3, at: DVec3) -> Mesh {
    let list =
        (from[0]..to[0]).flat_map(|x| (from[1]..to[1]).flat_map(move |y| (from[2]..to[2]).map(move |z| [x, y, z])));
    let mesh = of_cubes(&list.collect());
    let vertices: Vec<DVec3> = mesh.vertices().iter().map(|v| *v * scale + at).collect();
    Mesh::new(&vertices, mesh.triangles()).unwrap()
}

/// A peg in a slot of a block, which leaves `room` on both sides. The depth is that of moving it out of the slot, or the shorter way into the slot's middle.
#[test]
fn slow_a_peg_in_a_slot_has_the_depth_of_its_closed_form() {
    for room in [1e-1, 1e-3] {
        // The slot is a U along z: walls to the left and to the right of x in [-1, 1], from y = -1 up to 1.
        let walls = crate::shape::mesh::tests::of_cubes(
            &[[-2, 0, 0], [-2, -1, 0], [-1, -1, 0], [0, -1, 0], [1, -1, 0], [1, 0, 0]].into_iter().collect(),
        );
        // Unit cubes: wall tops at y = 1, floor at y = 0, walls at |x| >= 1.
        let half = 1.0 - room;
        let peg = cubes([0, 0, 0], [1, 1, 1], DVec3::new(2.0 * half, 2.0, 1.0), DVec3::new(-half, 0.0, 0.0));
        let (walls, peg) = (Shape::Mesh(Arc::new(walls)), Shape::Mesh(Arc::new(peg)));
        // The peg is sunk by 0.25 into the floor, and moved into a wall by tx: the shortest way is back by tx - room and up by 0.25.
        let (tx, sunk) = (0.125 + room, 0.25);
        let pose = Pose::from_translation([tx, -sunk, 0.0]);
        let placed = Placed::new(&peg, pose, &walls, Pose::IDENTITY, Scope::Any);
        let truth = ((tx - room).powi(2) + sunk * sunk).sqrt();
        let found = search(&placed, 1e-5, 8000, &mut Vec::new());
        let (lower, upper) = (found.lower / placed.unit, found.best.1 / placed.unit);
        assert!(lower <= truth + 1e-12 && truth <= upper + 1e-12, "{room}: {lower} {truth} {upper}");
        assert!(lower > 0.99 * truth, "{room}: {lower} {truth}");
    }
}

/// Where exact pieces close the bracket, both searches agree.
#[test]
fn slow_both_searches_agree_on_solids_of_few_pieces() {
    let mut rng = Rng::with_seed(51);
    let solids = [
        vec![[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]],
        vec![[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0], [0, 0, 1]],
        vec![[0, 0, 0]],
    ]
    .map(|list| Shape::Mesh(Arc::new(of_cubes(&list.into_iter().collect()))));
    for round in 0..9 {
        let (a, b) = (&solids[round % 3], &solids[round / 3]);
        let pose_b = random_pose(&mut rng, 0.7);
        let exact = depth(a, Pose::IDENTITY, b, pose_b, DepthBudget::default());
        let placed = Placed::new(a, Pose::IDENTITY, b, pose_b, Scope::Any);
        if exact.upper == 0.0 {
            continue;
        }
        let found = search(&placed, 1e-5, 3000, &mut Vec::new());
        let (lower, upper) = (found.lower / placed.unit, found.best.1 / placed.unit);
        assert!(lower <= exact.upper && exact.lower <= upper, "{round}: {lower} {upper} {exact:?}");
        assert!(upper - lower < 2e-4, "{round}: {lower} {upper} {exact:?}");
    }
}
