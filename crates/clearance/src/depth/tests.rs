//! Solids of unit cubes against their closed form, at every budget; named cases whose depth can be worked out; symmetry and continuity. A
//! second proof of the lower bound uses boxes alone, which shares neither facets nor weights with the search.

use super::*;
use crate::shape::Mesh;
use crate::shape::mesh::tests::of_cubes;
use crate::shape::polytope::convex_hull;
use fastrand::Rng;
use glam::DQuat;
use rustc_hash::FxHashSet;
use std::sync::Arc;

type Cubes = FxHashSet<[i32; 3]>;

fn mesh_of(cubes: &Cubes) -> Shape {
    Shape::Mesh(Arc::new(of_cubes(cubes)))
}

/// Cubes that are connected by faces.
fn grown(rng: &mut Rng, count: usize) -> Cubes {
    let mut list = vec![[0; 3]];
    while list.len() < count {
        let mut next = list[rng.usize(..list.len())];
        next[rng.usize(..3)] += [-1, 1][rng.usize(..2)];
        if !list.contains(&next) {
            list.push(next);
        }
    }
    list.into_iter().collect()
}

fn cells(from: [i32; 3], to: [i32; 3]) -> Cubes {
    let range = |k: usize| from[k]..to[k];
    range(0).flat_map(|x| range(1).flat_map(move |y| range(2).map(move |z| [x, y, z]))).collect()
}

/// A block with cells missing.
fn without(block: Cubes, missing: &Cubes) -> Cubes {
    block.difference(missing).copied().collect()
}

/// The depth of two unions of unit cubes, of which the second is moved by eighths. The second number is how far A has to go to a place that
/// is free with some room around it on at least one side, which is the provable meaning of free.
///
/// The places that are not free are a union of open boxes of side 2. The nearest free one has, axis by axis, its own coordinate or that of
/// a face.
fn truth(a: &Cubes, b: &Cubes, eighths: [i32; 3]) -> [f64; 2] {
    let mut boxes: Vec<[i32; 3]> =
        a.iter().flat_map(|a| b.iter().map(move |b| [0, 1, 2].map(|k| 8 * (b[k] - a[k]) + eighths[k]))).collect();
    boxes.sort_unstable();
    boxes.dedup();
    // In sixteenths, so that places beside a face are whole numbers.
    let is_free = |at: [i32; 3]| boxes.iter().all(|m| (0..3).any(|k| (2 * m[k] - at[k]).abs() >= 16));
    let faces = |k: usize| -> Vec<i32> {
        let mut all: Vec<i32> = boxes.iter().flat_map(|m| [m[k] - 8, m[k] + 8]).chain([0]).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let [xs, ys, zs] = [faces(0), faces(1), faces(2)];
    let mut found = [f64::INFINITY; 2];
    for &x in &xs {
        for &y in &ys {
            for &z in &zs {
                let length = 0.125 * DVec3::new(f64::from(x), f64::from(y), f64::from(z)).length();
                let at = [2 * x, 2 * y, 2 * z];
                if length < found[0] && is_free(at) {
                    found[0] = length;
                }
                let beside = |i: i32| is_free([at[0] + 2 * (i & 1) - 1, at[1] + (i & 2) - 1, at[2] + (i & 4) / 2 - 1]);
                if length < found[1] && (0..8).any(beside) {
                    found[1] = length;
                }
            }
        }
    }
    found
}

fn eighths(by: [i32; 3]) -> DVec3 {
    DVec3::from_array(by.map(f64::from)) / 8.0
}

/// A valid answer: numbers in order, and the translation frees A.
#[track_caller]
fn judge(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, found: &Depth) {
    let Depth { lower, upper, translation, .. } = *found;
    assert!(0.0 <= lower && lower <= upper && upper.is_finite(), "{found:?}");
    assert!(translation.length() <= upper && upper <= translation.length() * (1.0 + 1e-14), "{found:?}");
    assert!(!intersects(a, pose_a.moved_by(translation), b, pose_b), "{found:?}");
}

fn turned(rng: &mut Rng) -> DQuat {
    let q = DQuat::from_array([(); 4].map(|()| rng.f64() * 2.0 - 1.0));
    if q.length_squared() > 0.01 { q.normalize() } else { DQuat::IDENTITY }
}

#[test]
fn slow_solids_of_cubes_have_the_depth_of_their_closed_form_at_every_budget() {
    let mut rng = Rng::with_seed(17);
    let mut slits = 0;
    for round in 0..120 {
        let (count_a, count_b) = (rng.usize(1..6), rng.usize(2..10));
        let (a, b) = (grown(&mut rng, count_a), grown(&mut rng, count_b));
        let by = [(); 3].map(|()| rng.i32(-12..=12));
        let [depth_, strict] = truth(&a, &b, by);
        let rotation = if round % 2 == 0 { DQuat::IDENTITY } else { turned(&mut rng) };
        let pose_a = Pose::from_rotation(rotation);
        let pose_b = Pose::new(rotation * eighths(by), rotation);
        let (a, b) = (mesh_of(&a), mesh_of(&b));
        for nodes in [0, 1, 2, 5, 20, 20_000] {
            let found = depth(&a, pose_a, &b, pose_b, DepthBudget { nodes, ..DepthBudget::default() });
            if depth_ > 0.0 {
                judge(&a, pose_a, &b, pose_b, &found);
            }
            assert!(
                found.lower <= depth_ + 1e-14 && depth_ <= found.upper + 1e-14,
                "{round} {nodes} {depth_} {found:?}"
            );
            if nodes == 20_000 {
                assert!(found.lower >= depth_ - 1e-10, "{round} {depth_} {found:?}");
                assert!(found.upper <= strict + 1e-9, "{round} {strict} {found:?}");
            }
        }
        slits += usize::from(depth_ < strict);
    }
    assert!((1..60).contains(&slits), "representative: {slits}");
}

#[test]
fn a_peg_fits_its_hole_or_does_not_by_a_billionth() {
    // A plate with a square hole of side 1 in its middle; a peg of side 1 - c through it, off its middle by 0.25.
    let plate = mesh_of(&without(cells([-1, -1, 0], [2, 2, 1]), &cells([0, 0, 0], [1, 1, 1])));
    let peg = |side: f64| {
        let half = 0.5 * side;
        Shape::cuboid([half, half, 2.0]).unwrap()
    };
    let at = Pose::from_translation([0.75, 0.5, 0.5]);
    // It fits: a quarter less the play is all that it has to move.
    let small = depth(&peg(1.0 - 1e-9), at, &plate, Pose::IDENTITY, DepthBudget::default());
    judge(&peg(1.0 - 1e-9), at, &plate, Pose::IDENTITY, &small);
    let truth = 0.25 - 0.5e-9;
    assert!(small.lower <= truth + 1e-15 && truth - 1e-15 <= small.upper && small.width() < 1e-10, "{small:?}");
    // It does not: out of the plate to the side (0.25 + 1 + side) or along its own axis (2.5).
    let large = depth(&peg(1.0 + 1e-9), at, &plate, Pose::IDENTITY, DepthBudget::default());
    judge(&peg(1.0 + 1e-9), at, &plate, Pose::IDENTITY, &large);
    let truth = 2.0 - 0.75 + 0.5 + 0.5e-9;
    assert!(large.lower <= truth && truth - 1e-15 <= large.upper && large.width() < 1e-10, "{large:?}");
    // An exact fit is free, where it touches on four sides; only what is longer can be proved to be. The bracket says so.
    let exact = depth(&peg(1.0), at, &plate, Pose::IDENTITY, DepthBudget::default());
    assert!((exact.lower - 0.25).abs() < 1e-10 && (exact.upper - 1.75).abs() < 1e-10, "{exact:?}");
}

#[test]
fn slow_a_cavity_is_free_for_any_and_not_outside() {
    // A box of side 5 with a cavity of side 3, and a cube in it that is stuck in the wall by a quarter.
    let shell = mesh_of(&without(cells([0; 3], [5; 3]), &cells([1; 3], [4; 3])));
    let cube = mesh_of(&cells([0; 3], [1; 3]));
    let at = Pose::from_translation([0.75, 2.0, 2.0]);
    let any = depth(&cube, at, &shell, Pose::IDENTITY, DepthBudget::default());
    judge(&cube, at, &shell, Pose::IDENTITY, &any);
    assert!((any.lower - 0.25).abs() < 1e-10 && (any.upper - 0.25).abs() < 1e-10, "{any:?}");
    let outside =
        depth(&cube, at, &shell, Pose::IDENTITY, DepthBudget { scope: Scope::Outside, ..DepthBudget::default() });
    judge(&cube, at, &shell, Pose::IDENTITY, &outside);
    assert!((outside.lower - 1.75).abs() < 1e-10 && (outside.upper - 1.75).abs() < 1e-10, "{outside:?}");
    // With a hole in the wall that the cube fits through, the cavity is reached.
    let open = without(cells([0; 3], [5; 3]), &cells([1; 3], [4; 3]));
    let open = mesh_of(&without(open, &cells([4, 1, 1], [5, 4, 4])));
    let reached =
        depth(&cube, at, &open, Pose::IDENTITY, DepthBudget { scope: Scope::Outside, ..DepthBudget::default() });
    assert!((reached.lower - 0.25).abs() < 1e-10 && (reached.upper - 0.25).abs() < 1e-10, "{reached:?}");
}

#[test]
fn what_is_all_inside_comes_out_the_shortest_way() {
    let block = mesh_of(&without(cells([0; 3], [6, 5, 4]), &cells([5, 4, 0], [6, 5, 4])));
    let cube = mesh_of(&cells([0; 3], [1; 3]));
    for (at, truth) in [([2.0, 2.0, 1.25], 2.25), ([0.5, 2.0, 1.5], 1.5), ([4.25, 2.25, 1.5], 1.75)] {
        let at = Pose::from_translation(at);
        let found = depth(&cube, at, &block, Pose::IDENTITY, DepthBudget::default());
        judge(&cube, at, &block, Pose::IDENTITY, &found);
        assert!(found.lower <= truth && truth <= found.upper && found.width() < 1e-10, "{truth} {found:?}");
    }
}

#[test]
fn linked_rings_come_free_inside_of_each_other() {
    // Two square rings of thickness 1 with holes of side 2, linked: B goes through the hole of A.
    let ring = without(cells([0; 3], [4, 4, 1]), &cells([1, 1, 0], [3, 3, 1]));
    let standing: Cubes = ring.iter().map(|&[x, y, z]| [x, z, y]).collect();
    let (a, b) = (mesh_of(&ring), mesh_of(&standing));
    for by in [[13, 14, -12], [20, 17, -8], [5, 9, -13]] {
        let [truth, strict] = truth(&ring, &standing, by);
        let pose = Pose::from_translation(eighths(by));
        let found = depth(&a, Pose::IDENTITY, &b, pose, DepthBudget::default());
        assert!(truth == strict && truth < 1.5, "{truth}");
        assert!(found.lower <= truth + 1e-15 && truth <= found.upper && found.width() < 1e-10, "{truth} {found:?}");
    }
}

#[test]
fn depth_is_the_same_from_both_sides_and_under_a_common_motion_and_changes_no_faster_than_the_way() {
    let mut rng = Rng::with_seed(3);
    for round in 0..40 {
        let (a, b) = (mesh_of(&grown(&mut rng, 4)), mesh_of(&grown(&mut rng, 5)));
        let rotation = turned(&mut rng);
        let place = |rng: &mut Rng| DVec3::from_array([(); 3].map(|()| rng.f64() - 0.5));
        let at = place(&mut rng);
        let pose = Pose::new(at, rotation);
        let found = depth(&a, Pose::IDENTITY, &b, pose, DepthBudget::default());
        if found.upper == 0.0 {
            continue;
        }
        judge(&a, Pose::IDENTITY, &b, pose, &found);
        assert!(found.width() < 1e-9, "{round} {found:?}");
        let swapped = depth(&b, pose, &a, Pose::IDENTITY, DepthBudget::default());
        assert!((swapped.upper - found.upper).abs() < 1e-9, "{round} {found:?} {swapped:?}");
        let motion = Pose::new(place(&mut rng), turned(&mut rng));
        let moved = depth(&a, motion, &b, motion * pose, DepthBudget::default());
        assert!((moved.upper - found.upper).abs() < 1e-9, "{round} {found:?} {moved:?}");
        let step = 0.2 * place(&mut rng);
        let beside = depth(&a, Pose::IDENTITY, &b, pose.moved_by(step), DepthBudget::default());
        assert!((beside.upper - found.upper).abs() <= step.length() + 1e-9, "{round} {found:?} {beside:?}");
    }
}

/// A convex solid as a mesh, and as a hull.
fn convex(rng: &mut Rng) -> [Shape; 2] {
    let points: Vec<DVec3> = (0..12).map(|_| DVec3::new(rng.f64(), rng.f64(), rng.f64()) - 0.5).collect();
    let hull = convex_hull(&points).unwrap();
    let mut triangles = Vec::new();
    for face in hull.faces() {
        triangles.extend(face.vertices.windows(2).skip(1).map(|pair| [face.vertices[0], pair[0], pair[1]]));
    }
    let mesh = Mesh::new(hull.vertices(), &triangles).unwrap();
    [Shape::Mesh(Arc::new(mesh)), Shape::Polytope(Arc::new(hull))]
}

#[test]
fn slow_convex_solids_have_the_depth_of_the_convex_engine() {
    let mut rng = Rng::with_seed(5);
    let mut seen = 0;
    for _ in 0..60 {
        let ([mesh_a, hull_a], [mesh_b, hull_b]) = (convex(&mut rng), convex(&mut rng));
        let pose = Pose::new(DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 0.8 - 0.4, turned(&mut rng));
        let engine = distance(&hull_a, Pose::IDENTITY, &hull_b, pose);
        let found = depth(&mesh_a, Pose::IDENTITY, &mesh_b, pose, DepthBudget::default());
        let mixed = depth(&hull_a, Pose::IDENTITY, &mesh_b, pose, DepthBudget::default());
        let plain = depth(&hull_a, Pose::IDENTITY, &hull_b, pose, DepthBudget::default());
        if engine.distance < -1e-6 {
            seen += 1;
            for found in [found, mixed, plain] {
                let truth = -engine.distance;
                assert!(
                    (found.lower - truth).abs() < 1e-10 && (found.upper - truth).abs() < 1e-10,
                    "{truth} {found:?}"
                );
            }
        }
    }
    assert!(seen > 30, "representative: {seen}");
}

/// Bounds of the depth by boxes alone: a box is covered if all its corners are in one sum. The planes are those of the faces of a polytope
/// that is built of the sum's vertices; no weights, no facets to branch on.
fn plain_boxes(a: &[Vec<DVec3>], b: &[Vec<DVec3>], most: usize) -> [f64; 2] {
    let mut sums = Vec::new();
    for p in a {
        for q in b {
            let points: Vec<DVec3> = q.iter().flat_map(|to| p.iter().map(move |from| *to - *from)).collect();
            sums.push(convex_hull(&points).unwrap());
        }
    }
    let holds = |sum: &crate::shape::Polytope, x: DVec3, margin: f64| {
        sum.faces().all(|face| face.normal.dot(x) <= face.offset - margin)
    };
    let is_free = |x: DVec3| sums.iter().all(|sum| !holds(sum, x, 1e-13));
    let mut upper = f64::INFINITY;
    let near = |min: DVec3, max: DVec3| min.max(-max).max(DVec3::ZERO).length();
    // The list is searched for the nearest: the test has few boxes.
    let mut open: Vec<(f64, DVec3, DVec3)> = vec![(0.0, DVec3::splat(-8.0), DVec3::splat(8.0))];
    let mut lower = 0.0;
    for _ in 0..most {
        let Some(best) = (0..open.len()).min_by(|&i, &j| open[i].0.total_cmp(&open[j].0)) else { break };
        let (key, min, max) = open.swap_remove(best);
        lower = key;
        if key >= upper {
            break;
        }
        let corner = |i: usize| DVec3::new([min, max][i & 1].x, [min, max][i >> 1 & 1].y, [min, max][i >> 2].z);
        if sums.iter().any(|sum| (0..8).all(|i| holds(sum, corner(i), 1e-13))) {
            continue;
        }
        for x in (0..8).map(corner).chain([0.5 * (min + max), DVec3::ZERO.clamp(min, max)]) {
            if x.length() < upper && is_free(x) {
                upper = x.length();
            }
        }
        let size = max - min;
        let axis = if size.x >= size.max_element() {
            0
        } else if size.y >= size.max_element() {
            1
        } else {
            2
        };
        let mut middle = [max, min];
        middle[0][axis] = 0.5 * (min[axis] + max[axis]);
        middle[1][axis] = middle[0][axis];
        open.push((near(min, middle[0]), min, middle[0]));
        open.push((near(middle[1], max), middle[1], max));
    }
    [lower, upper]
}

#[test]
fn slow_a_cover_of_plain_boxes_agrees() {
    let mut rng = Rng::with_seed(8);
    for round in 0..12 {
        let make = |rng: &mut Rng| {
            let parts: Vec<(Shape, Pose)> = (0..rng.usize(2..4))
                .map(|_| {
                    let half = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 0.5 + 0.1;
                    let at = DVec3::new(rng.f64(), rng.f64(), rng.f64()) - 0.5;
                    (Shape::cuboid(half).unwrap(), Pose::new(at, turned(rng)))
                })
                .collect();
            Shape::compound(parts).unwrap()
        };
        // Every second pair is nearly the same body twice, nearly in place: many planes are nearly parallel.
        let a = make(&mut rng);
        let (b, pose) = if round % 2 == 0 {
            let tilt = DQuat::from_axis_angle(DVec3::X, 1e-4 * 0.1_f64.powi(round / 2));
            (a.clone(), Pose::new([1e-3, 0.0, 2e-4], tilt))
        } else {
            (make(&mut rng), Pose::new([0.2, 0.1, 0.0], turned(&mut rng)))
        };
        let found = depth(&a, Pose::IDENTITY, &b, pose, DepthBudget::default());
        judge(&a, Pose::IDENTITY, &b, pose, &found);
        let vertices = |shape: &Shape, pose: Pose| -> Vec<Vec<DVec3>> {
            let Shape::Compound(compound) = shape else { unreachable!() };
            let corners = |part: &crate::shape::Part| {
                let Shape::Cuboid(cuboid) = &part.shape else { unreachable!() };
                let sign = |i: usize, k: usize| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
                (0..8)
                    .map(|i| cuboid.half_extents() * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)))
                    .map(|corner| pose.transform_point(part.pose.transform_point(corner)))
                    .collect()
            };
            compound.parts().iter().map(corners).collect()
        };
        let [lower, upper] = plain_boxes(&vertices(&a, Pose::IDENTITY), &vertices(&b, pose), 6000);
        assert!(found.lower <= upper + 1e-12 && lower <= found.upper + 1e-12, "{round} {lower} {upper} {found:?}");
        assert!(lower > 0.9 * found.lower && found.width() < 1e-9, "{round}: representative {lower} {found:?}");
    }
}

#[test]
fn shells_and_curved_shapes_have_honest_brackets() {
    let block = mesh_of(&cells([0; 3], [2; 3]));
    // A ball a half deep in a face: what is in between is a matter of how coarse the polytope in it is.
    let ball = Shape::sphere(0.75).unwrap();
    let at = Pose::from_translation([1.0, 1.0, 2.25]);
    let found = depth(&ball, at, &block, Pose::IDENTITY, DepthBudget::default());
    judge(&ball, at, &block, Pose::IDENTITY, &found);
    assert!(found.lower <= 0.5 && 0.5 <= found.upper && found.lower > 0.4 && found.upper < 0.5 + 1e-9, "{found:?}");
    // A sheet has no inside: nothing is claimed from below but what its triangles prove.
    let sheet = Shape::mesh(&[[0.5, 0.5, 1.5], [1.5, 0.5, 1.5], [0.5, 1.5, 2.5]], &[[0, 1, 2]]).unwrap();
    let found = depth(&sheet, Pose::IDENTITY, &block, Pose::IDENTITY, DepthBudget::default());
    judge(&sheet, Pose::IDENTITY, &block, Pose::IDENTITY, &found);
    // Half-spaces are below everything.
    let ground = Shape::half_space([0.0, 0.0, 1.0], 0.25).unwrap();
    let found = depth(&block, Pose::IDENTITY, &ground, Pose::IDENTITY, DepthBudget::default());
    judge(&block, Pose::IDENTITY, &ground, Pose::IDENTITY, &found);
    assert!(found.lower <= 0.25 && 0.25 <= found.upper && found.width() < 1e-10, "{found:?}");
    // Bodies that are apart have no depth.
    let far = Pose::from_translation([0.0, 0.0, 9.0]);
    let found = depth(&block, far, &block, Pose::IDENTITY, DepthBudget::default());
    assert_eq!((found.lower, found.upper, found.translation), (0.0, 0.0, DVec3::ZERO));
}

/// Follows a recorded cover, with half-spaces put together from the list of steps: facets and children that were passed over are far cutoff, and
/// what was left open is no nearer than the lower bound.
#[test]
fn a_recorded_cover_proves_the_lower_bound() {
    use super::bound::{Half, LeastNorm, nearest};
    use super::overlay::Overlay;
    let mut rng = Rng::with_seed(21);
    let mut divided = 0;
    for round in 0..30 {
        let (a, b) = (mesh_of(&grown(&mut rng, 5)), mesh_of(&grown(&mut rng, 6)));
        let pose = Pose::new(DVec3::new(rng.f64(), rng.f64(), rng.f64()) - 0.5, turned(&mut rng));
        // Stopped early, or not.
        let nodes = [3, 10, 20_000][round % 3];
        let mut steps: Vec<CoverStep> = Vec::new();
        let budget = DepthBudget { nodes, ..DepthBudget::default() };
        let found = traced(&a, Pose::IDENTITY, &b, pose, budget, None, &mut steps);
        let Some(CoverStep::Root { within: None }) = steps.first() else { continue };
        let Some(&CoverStep::Done { unit, cutoff }) = steps.last() else { panic!("{round}: no end") };
        let of_a = pieces_of(&a, &PiecePlacement { frame: Frame::IDENTITY, unit });
        let of_b = pieces_of(&b, &PiecePlacement { frame: Frame::relative(&Pose::IDENTITY, &pose), unit });
        let mut overlay = Overlay::default();
        let mut trees: Vec<Vec<Half>> = vec![Vec::new()];
        let mut is_open = vec![true];
        let bound = |halves: &[Half]| nearest(halves, &LeastNorm::WHOLE_SPACE, 10.0, 1e-14).bound;
        for step in &steps[1..] {
            // Boxes have trees of their own, and no test here reads them.
            let CoverStep::Divided { node, pieces, beyond, children } = step else { break };
            let [p, q] = [&of_a.list[pieces[0] as usize], &of_b.list[pieces[1] as usize]];
            let Some(sum) = overlay.facets(p, q, 2e-13) else { break };
            divided += 1;
            is_open[*node as usize] = false;
            let mut halves = trees[*node as usize].clone();
            for k in 0..sum.normals.len() as u32 {
                let half = Half { normal: sum.normals[k as usize], offset: sum.offsets[k as usize] };
                if !beyond.iter().any(|(normal, _)| normal.distance(half.normal) < 1e-12) {
                    assert!(bound(&[&halves[..], &[half]].concat()) >= cutoff - 1e-12, "{round} {node} {k}");
                }
            }
            for (k, (&(normal, offset), child)) in beyond.iter().zip(children).enumerate() {
                let half = Half { normal, offset };
                let mut own = halves.clone();
                own.push(half);
                match child {
                    Some(child) => {
                        assert_eq!(*child as usize, trees.len());
                        trees.push(own);
                        is_open.push(true);
                    }
                    None => assert!(bound(&own) >= cutoff - 1e-12, "{round} {node} {k}"),
                }
                halves.push(half.complement());
            }
        }
        let open = trees.iter().zip(&is_open).filter(|(_, is_open)| **is_open).map(|(halves, _)| bound(halves));
        let least = open.fold(cutoff, f64::min);
        if !steps.iter().any(|step| matches!(step, CoverStep::Cut { .. })) {
            assert!(found.lower * unit <= least + 1e-12, "{round}: {} {least}", found.lower * unit);
        }
    }
    assert!(divided > 50, "representative: {divided}");
}

/// A start changes the work and not the result: a good one, one that is too short, one that is NaN, one far away.
#[test]
fn a_start_only_makes_it_faster() {
    let mut rng = Rng::with_seed(33);
    let (mut fewer, mut more) = (0, 0);
    for _ in 0..20 {
        let (a, b) = (mesh_of(&grown(&mut rng, 5)), mesh_of(&grown(&mut rng, 6)));
        let pose = Pose::new(DVec3::new(rng.f64(), rng.f64(), rng.f64()) - 0.5, turned(&mut rng));
        let found = depth(&a, Pose::IDENTITY, &b, pose, DepthBudget::default());
        let starts = [found.translation, 0.5 * found.translation, DVec3::NAN, DVec3::splat(1e9), DVec3::ZERO];
        for (k, start) in starts.into_iter().enumerate() {
            let again = depth_from(&a, Pose::IDENTITY, &b, pose, DepthBudget::default(), start);
            assert!(again.lower <= found.upper && found.lower <= again.upper && again.upper >= again.lower);
            assert!(again.width() <= found.width() + 1e-9, "{k}: {again:?} {found:?}");
            if k == 0 {
                assert!(again.upper <= found.upper * (1.0 + 1e-11));
                *(if again.cost.nodes <= found.cost.nodes { &mut fewer } else { &mut more }) += 1;
            }
        }
    }
    assert!(fewer > 3 * more, "{fewer} {more}");
}

/// The signed distance is that of the whole: minus the depth with its bracket, points that the translation brings together, the other way round
/// when swapped, and what `distance` says wherever that is closed already.
#[test]
fn a_signed_distance_is_minus_the_depth_of_the_whole() {
    let mut rng = Rng::with_seed(23);
    let budget = DepthBudget::default();
    let (mut deep, mut apart) = (0, 0);
    for round in 0..60 {
        let cubes = [grown(&mut rng, 4), grown(&mut rng, 3)];
        let [a, b] = [mesh_of(&cubes[0]), mesh_of(&cubes[1])];
        let by = [0; 3].map(|_| rng.i32(-20..20));
        // Turned together: what is coplanar stays so but for rounding.
        let turn = if round % 2 == 0 { DQuat::IDENTITY } else { turned(&mut rng) };
        let (pose_a, pose_b) = (Pose::new(DVec3::ZERO, turn), Pose::new(turn * eighths(by), turn));
        let [truth, provable] = truth(&cubes[0], &cubes[1], by);
        let found = signed_distance(&a, pose_a, &b, pose_b, budget);
        let plain = distance(&a, pose_a, &b, pose_b);
        assert!(found.lower >= plain.lower - 1e-9 && found.upper <= plain.upper, "{round}: {found:?} {plain:?}");
        assert!((found.point_a + found.distance * found.normal - found.point_b).length() < 1e-9, "{round}");
        if plain.is_apart() {
            assert_eq!(found, plain, "{round}");
            apart += 1;
            continue;
        }
        let rounding = 1e-9;
        assert!(found.lower <= -truth + rounding && -truth <= found.upper + rounding, "{round}: {truth} {found:?}");
        if truth > 0.0 && truth == provable {
            assert_eq!(found.status, Status::Converged, "{round}: {found:?}");
            let freed = pose_b.moved_by(-found.distance * found.normal);
            assert!(!intersects(&a, pose_a, &b, freed), "{round}");
            // The points are on the surfaces: neither a little outside nor a little inside.
            let dot = Shape::sphere(1e-9).unwrap();
            let [of_a, of_b] = [(&a, pose_a, found.point_a), (&b, pose_b, found.point_b)]
                .map(|(shape, pose, point)| distance(shape, pose, &dot, Pose::from_translation(point)));
            assert!(of_a.upper.abs() < 1e-8 && of_b.upper.abs() < 1e-8, "{round}: {of_a:?} {of_b:?}");
            let swapped = signed_distance(&b, pose_b, &a, pose_a, budget);
            assert!((swapped.distance - found.distance).abs() < 1e-9, "{round}: {swapped:?}");
            deep += 1;
        }
    }
    assert!(deep > 10 && apart > 10, "representative: {deep}, {apart}");
    let [p, q] = [Shape::cuboid([1.0, 0.5, 0.7]).unwrap(), Shape::sphere(0.5).unwrap()];
    let near = Pose::from_translation(DVec3::splat(0.1));
    assert_eq!(signed_distance(&p, near, &q, Pose::IDENTITY, budget), distance(&p, near, &q, Pose::IDENTITY));
    // No translation is known to free what is unbounded: an answer all the same.
    let floor = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let mesh = mesh_of(&grown(&mut rng, 3));
    let at = Pose::from_translation(DVec3::new(0.0, 0.0, -0.5));
    let found = signed_distance(&mesh, at, &floor, Pose::IDENTITY, budget);
    assert!(found.lower <= -0.5 && found.upper >= found.lower && !found.distance.is_nan(), "{found:?}");
}

/// Boxes about one middle, as meshes, compounds and convex shapes: the depth is the least of the sums of their half extents. The search begins in the
/// middle of a sum.
#[test]
fn concentric_bodies_have_a_closed_bracket() {
    let mut rng = Rng::with_seed(24);
    let unit = mesh_of(&cells([-1; 3], [1; 3]));
    for round in 0..40 {
        let mut half = |k: i32| DVec3::from_array([(); 3].map(|()| f64::from(rng.i32(1..=k)) / 8.0));
        let (of_a, of_b) = if round == 0 { (DVec3::ONE, DVec3::ONE) } else { (half(16), half(16)) };
        let a = Shape::affine(&unit, glam::DMat3::from_diagonal(of_a)).unwrap();
        let cuboid = Shape::cuboid(of_b).unwrap();
        let b = match round % 3 {
            0 => cuboid,
            1 => Shape::compound([(cuboid, Pose::IDENTITY)]).unwrap(),
            _ => Shape::affine(&unit, glam::DMat3::from_diagonal(of_b)).unwrap(),
        };
        let truth = (of_a + of_b).min_element();
        let at = Pose::new(DVec3::new(0.5, -3.0, 2.0), if round % 2 == 0 { DQuat::IDENTITY } else { turned(&mut rng) });
        for (p, q) in [(&a, &b), (&b, &a)] {
            let found = depth(p, at, q, at, DepthBudget::default());
            judge(p, at, q, at, &found);
            assert!(found.lower <= truth + 1e-9 && truth - 1e-9 <= found.upper, "{round}: {truth} {found:?}");
            assert!(found.width() < 1e-9, "{round}: {truth} {found:?}");
        }
    }
    let ball = Shape::sphere(0.5).unwrap();
    let found = depth(&unit, Pose::IDENTITY, &ball, Pose::IDENTITY, DepthBudget::default());
    assert!((found.lower - 1.5).abs() < 1e-9 && (found.upper - 1.5).abs() < 1e-9, "{found:?}");
}

#[test]
fn a_solid_comes_out_of_a_half_space_in_every_scope() {
    let mesh = mesh_of(&cells([0; 3], [2, 3, 4]));
    let floor = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let at = Pose::from_translation(DVec3::new(5.0, 0.0, -0.5));
    for scope in [Scope::Any, Scope::Outside] {
        let budget = DepthBudget { scope, ..DepthBudget::default() };
        for found in
            [depth(&mesh, at, &floor, Pose::IDENTITY, budget), depth(&floor, Pose::IDENTITY, &mesh, at, budget)]
        {
            assert!((found.lower - 0.5).abs() < 1e-9 && (found.upper - 0.5).abs() < 1e-9, "{scope:?}: {found:?}");
        }
    }
}

#[test]
fn nothing_is_cut_where_the_other_side_has_no_pieces() {
    let solid = mesh_of(&without(cells([0; 3], [4, 4, 4]), &cells([1; 3], [3, 3, 3])));
    let sheet = Shape::mesh(&[DVec3::ZERO, 5.0 * DVec3::X, DVec3::new(1.0, 5.0, 2.0)], &[[0, 1, 2]]).unwrap();
    let flat = Shape::triangle(DVec3::ZERO, 5.0 * DVec3::X, DVec3::new(1.0, 5.0, 2.0)).unwrap();
    for other in [&sheet, &flat, &Shape::point(), &Shape::compound([(sheet.clone(), Pose::IDENTITY)]).unwrap()] {
        let at = Pose::from_translation(DVec3::splat(0.25));
        for found in [
            depth(&solid, Pose::IDENTITY, other, at, DepthBudget::default()),
            depth(other, at, &solid, Pose::IDENTITY, DepthBudget::default()),
        ] {
            assert!(found.lower <= found.upper && found.upper.is_finite() && found.cost.pieces == [0, 0], "{found:?}");
        }
        assert!(solid.as_mesh().unwrap().kept_pieces().is_none());
    }
}
