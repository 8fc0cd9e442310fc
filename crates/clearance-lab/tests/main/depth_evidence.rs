//! Depths of solids judged by the checker, through the lines that the program writes and reads.
//!
//! `MODELS=folder` adds real models. `CASES=20` runs 20 poses of every benchmark; with `--nocapture` it prints sizes and times.

use clearance::depth::{DepthBudget, Scope};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::shape::Mesh;
use clearance::{Convex, Pose, Shape, intersects, proof};
use clearance_io::Answer;
use clearance_io::proof::{Content, DepthContent, Written, attach_depth, read_claim, written_pose};
use clearance_lab::meshes::{Model, glyph, lattice_solid, noisy_sphere};
use clearance_lab::solids::overlap_cases;
use clearance_verify::{self as verify, ConeNode, DepthNode, Verdict, check_depth, check_depth_counted};
use fastrand::Rng;
use std::sync::Arc;
use std::time::Instant;

fn written_mesh(mesh: &Mesh) -> verify::Shape {
    verify::Shape::Mesh {
        vertices: mesh.vertices().iter().map(|v| v.to_array()).collect(),
        triangles: mesh.triangles().to_vec(),
    }
}

/// A shape of the library in the form of its input.
fn written(shape: &Shape) -> verify::Shape {
    match shape {
        Shape::Mesh(mesh) => written_mesh(mesh),
        Shape::Cuboid(cuboid) => verify::Shape::Cuboid { half_extents: cuboid.half_extents().to_array() },
        Shape::Compound(compound) => {
            let part = |part: &clearance::shape::Part| verify::Part {
                shape: written(&part.shape),
                pose: written_pose(&part.pose),
            };
            verify::Shape::Compound(compound.parts().iter().map(part).collect())
        }
        Shape::Sphere(sphere) => verify::Shape::Sphere { radius: sphere.radius() },
        Shape::HalfSpace(plane) => {
            verify::Shape::HalfSpace { normal: plane.normal().to_array(), offset: plane.offset() }
        }
        _ => panic!("not among these tests"),
    }
}

/// The line of a depth with its evidence.
fn line(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, budget: DepthBudget) -> String {
    let (found, evidence) = proof::depth(a, pose_a, b, pose_b, budget);
    let written = Written {
        a: Arc::new(written(a)),
        pose_a: written_pose(&pose_a),
        b: Arc::new(written(b)),
        pose_b: written_pose(&pose_b),
    };
    let attached = attach_depth(&written, budget.scope, evidence.expect("there is evidence"));
    Answer::Depth(found).to_line_with(None, Some([a, b]), Some(&attached))
}

/// The claim of a line.
fn claim(line: &str) -> DepthContent {
    match read_claim(line, 1).expect("the line is an answer").content {
        Content::Depth(content, None) => *content,
        other => panic!("{other:?}"),
    }
}

fn cases() -> usize {
    std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// The benchmarks of the paper: evidence is accepted, and damaged evidence is not.
#[test]
fn depths_of_the_benchmarks_are_proved_and_spoiled_ones_are_not() {
    for case in &overlap_cases() {
        let mut rng = Rng::with_seed(17);
        for round in 0..cases() {
            let pose = case.pose(&mut rng);
            let [a, b] = &case.shapes;
            let budget = DepthBudget { width: 1e-6 * case.size, ..DepthBudget::default() };
            let line = line(a, Pose::IDENTITY, b, pose, budget);
            let content = claim(&line);
            let start = Instant::now();
            let (verdict, work) = check_depth_counted(&content.query, &content.claim, &content.evidence);
            let seconds = start.elapsed().as_secs_f64();
            let depth = content.evidence.depth.as_ref();
            let (nodes, pieces) = depth.map_or((0, 0), |depth| (depth.nodes.len(), depth.pieces.concat().len()));
            let bytes = line.len() - line.find("\"proof\"").unwrap();
            println!(
                "{} {round}: {} … {}, {nodes} nodes, {pieces} pieces, {bytes} of {} bytes, {work} operations, {seconds:.3} s",
                case.name,
                content.claim.lower,
                content.claim.upper,
                line.len()
            );
            assert_eq!(verdict, Verdict::Proved, "{} {round}", case.name);
            assert!(content.claim.upper - content.claim.lower <= 1.01e-6 * case.size, "{} {round}", case.name);
            // Those in nearly one place take seconds to check, and have no other kind of evidence.
            if round == 0 && case.name != "coincident tori" {
                spoil(&content, &mut rng, case.name);
            }
        }
    }
}

/// None of these is proved.
fn spoil(content: &DepthContent, rng: &mut Rng, name: &str) {
    let refuse = |what: &str, spoil: &dyn Fn(&mut DepthContent)| {
        let mut spoiled = content.clone();
        spoil(&mut spoiled);
        let verdict = check_depth(&spoiled.query, &spoiled.claim, &spoiled.evidence);
        assert_ne!(verdict, Verdict::Proved, "{name}: {what}");
    };
    let width = content.claim.upper - content.claim.lower;
    let depth = content.evidence.depth.as_ref().expect("the bound rests on a cover");
    refuse("lower raised", &|c| c.claim.lower = (c.claim.lower + 2.0 * width).min(c.claim.upper));
    refuse("lower beyond upper", &|c| c.claim.lower = c.claim.upper * 1.001);
    refuse("upper lowered", &|c| c.claim.upper *= 1.0 - 1e-9);
    refuse("a shorter translation", &|c| c.claim.translation = c.claim.translation.map(|x| 0.999 * x));
    refuse("a shorter translation in both", &|c| {
        let moved = c.claim.translation.map(|x| 0.999 * x);
        c.claim.translation = moved;
        c.evidence.lower.as_mut().unwrap().translation = Some(moved.map(|x| -x));
    });
    fn of(content: &mut DepthContent) -> &mut verify::DepthEvidence {
        content.evidence.depth.as_mut().unwrap()
    }
    for at in [0, depth.nodes.len() / 2, depth.nodes.len() - 1] {
        refuse("a node dropped", &|c| drop(of(c).nodes.remove(at)));
    }
    let divided = |node: &DepthNode| matches!(node, DepthNode::Divided { beyond, .. } if !beyond.is_empty());
    if let Some(at) = depth.nodes.iter().position(divided) {
        refuse("a division taken for far", &|c| of(c).nodes[at] = DepthNode::Far {});
        // If the plane was of no use, its child is now superfluous.
        refuse("a plane dropped", &|c| {
            if let DepthNode::Divided { beyond, .. } = &mut of(c).nodes[at] {
                beyond.pop();
            }
        });
        refuse("no planes at all", &|c| {
            of(c).nodes[at] = DepthNode::Divided { pieces: [0, 0], beyond: Vec::new() };
            of(c).nodes.truncate(at + 1);
        });
    }
    for side in 0..2 {
        let count = depth.pieces[side].len();
        let at = rng.usize(..count);
        refuse("a piece moved outside", &|c| {
            of(c).pieces[side][at].points.iter_mut().for_each(|p| p[2] += 100.0);
        });
        refuse("a corner moved out", &|c| of(c).pieces[side][at].points[0] = [9.0, 9.0, 9.0]);
        refuse("a piece twice as large", &|c| {
            let points = &mut of(c).pieces[side][at].points;
            points.iter_mut().flatten().for_each(|x| *x *= 2.0);
        });
        refuse("a piece turned inside out", &|c| {
            of(c).pieces[side][at].triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        });
        refuse("a triangle left out", &|c| of(c).pieces[side][at].triangles.truncate(5));
        refuse("a piece left out", &|c| drop(of(c).pieces[side].pop()));
    }
    if !depth.planes.is_empty() {
        refuse("planes moved out", &|c| of(c).planes.iter_mut().for_each(|plane| plane[3] *= 1.01));
    }
    refuse("another pose", &|c| c.query.pose_b.translation[0] += 0.01);
    refuse("no cover", &|c| c.evidence.depth = None);
    refuse("nothing free", &|c| c.evidence.lower = None);
}

/// Rough solids, alone and in compounds, one about ten times smaller than the other: their frusta are accepted, and damaged ones are not.
#[test]
fn depths_of_rough_meshes_are_proved_by_hulls_and_spoiled_ones_are_not() {
    let mut rng = Rng::with_seed(23);
    for round in 0..2 * cases().max(2) {
        let scale = [1.0, 0.1][round % 2];
        let model = |seed: u64| noisy_sphere(24, 12, 0.2, seed);
        let a = solid(&model(round as u64).map(|v| scale * v));
        let b = solid(&model(round as u64 + 7).map(|v| DVec3::new(1.5, 1.0, 0.7) * v));
        let b = match round % 4 {
            0 | 1 => b,
            _ => Shape::compound([(b, Pose::from_translation([0.1, 0.0, 0.2]))]).unwrap(),
        };
        let mut number = || rng.f64() - 0.5;
        let turn = DQuat::from_scaled_axis(DVec3::new(number(), number(), number()) * 4.0);
        let (pose_a, pose_b) =
            (Pose::from_rotation(turn), Pose::from_translation(DVec3::new(number(), number(), number())));
        let budget = DepthBudget { width: 0.02 * scale, nodes: 3000, ..DepthBudget::default() };
        let line = line(&a, pose_a, &b, pose_b, budget);
        let content = claim(&line);
        let start = Instant::now();
        let (verdict, work) = check_depth_counted(&content.query, &content.claim, &content.evidence);
        let seconds = start.elapsed().as_secs_f64();
        let cones = content.evidence.depth.as_ref().map_or(0, |depth| depth.cones.len());
        println!(
            "{round}: {} … {}, {cones} nodes, {} bytes, {work} operations, {seconds:.3} s",
            content.claim.lower,
            content.claim.upper,
            line.len()
        );
        assert_eq!(verdict, Verdict::Proved, "{round}");
        assert!(content.claim.lower > 0.5 * content.claim.upper, "{round}");
        spoil_cones(&content, &mut rng);
    }
}

/// None of these is proved.
fn spoil_cones(content: &DepthContent, rng: &mut Rng) {
    let refuse = |what: &str, spoil: &dyn Fn(&mut DepthContent)| {
        let mut spoiled = content.clone();
        spoil(&mut spoiled);
        let verdict = check_depth(&spoiled.query, &spoiled.claim, &spoiled.evidence);
        assert_ne!(verdict, Verdict::Proved, "{what}");
    };
    fn of(content: &mut DepthContent) -> &mut Vec<ConeNode> {
        &mut content.evidence.depth.as_mut().unwrap().cones
    }
    let cones = &content.evidence.depth.as_ref().expect("the bound rests on a cover").cones;
    let all = |test: &dyn Fn(&ConeNode) -> bool| (0..cones.len()).filter(|&i| test(&cones[i])).collect::<Vec<_>>();
    let steps = all(&|node| matches!(node, ConeNode::Step { .. }));
    let splits = all(&|node| matches!(node, ConeNode::Split { .. }));
    let width = content.claim.upper - content.claim.lower;
    refuse("lower raised", &|c| c.claim.lower = (c.claim.lower + 0.5 * width).min(c.claim.upper));
    refuse("no cones", &|c| of(c).clear());
    refuse("a node too many", &|c| of(c).push(ConeNode::Far {}));
    for at in [0, cones.len() / 2, cones.len() - 1] {
        refuse("the rest dropped", &|c| of(c).truncate(at));
    }
    // Without a step the next one has to cover more, and may do so. Without another node the forest has another shape.
    let ends = all(&|node| !matches!(node, ConeNode::Step { .. }));
    for at in [ends[0], ends[ends.len() / 2], ends[ends.len() - 1]] {
        refuse("a node dropped", &|c| {
            of(c).remove(at);
        });
    }
    for _ in 0..6 {
        let step = steps[rng.usize(..steps.len())];
        refuse("a step without a certificate", &|c| of(c)[step] = ConeNode::Far {});
        let corner = rng.usize(..6);
        refuse("a point moved out", &|c| {
            if let ConeNode::Step { points, .. } = &mut of(c)[step] {
                points[corner][0] += 10.0;
            }
        });
        refuse("a point that is not finite", &|c| {
            if let ConeNode::Step { points, .. } = &mut of(c)[step] {
                points[corner][1] = f64::NAN;
            }
        });
        refuse("a step backward", &|c| {
            if let ConeNode::Step { lengths, .. } = &mut of(c)[step] {
                *lengths = [0.0; 3];
            }
        });
        refuse("a step too far", &|c| {
            if let ConeNode::Step { lengths, .. } = &mut of(c)[step] {
                lengths.iter_mut().for_each(|length| *length *= 10.0);
            }
        });
        refuse("a part that is not there", &|c| {
            if let ConeNode::Step { parts, .. } = &mut of(c)[step] {
                *parts = [u32::MAX, 0];
            }
        });
        let split = splits[rng.usize(..splits.len())];
        refuse("a split taken for far", &|c| of(c)[split] = ConeNode::Far {});
        refuse("a split beyond the plane", &|c| {
            if let ConeNode::Split { length, .. } = &mut of(c)[split] {
                *length = *length * 1.01 + 1e-6;
            }
        });
        refuse("a split out of the cone", &|c| {
            if let ConeNode::Split { weights, .. } = &mut of(c)[split] {
                weights[0] = -1.0;
            }
        });
    }
    refuse("another pose", &|c| c.query.pose_b.translation[0] += 1.0);
    refuse("an open mesh", &|c| {
        if let verify::Shape::Mesh { triangles, .. } = &mut c.query.a {
            triangles.pop();
        }
    });
}

/// The closed meshes of the folder `MODELS` with at most 20,000 triangles, and those whose holes can be filled, with a longest side of one.
fn real_models() -> Vec<(String, Shape)> {
    let Some(folder) = std::env::var_os("MODELS") else {
        println!("MODELS names no folder, so real models are left out");
        return Vec::new();
    };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths.iter().filter(|path| clearance_io::is_mesh_name(path)) {
        let Ok(Shape::Mesh(mesh)) = clearance_io::read_mesh(path).unwrap().shape() else { continue };
        let bounds = mesh.aabb();
        let (middle, size) = (bounds.center(), (bounds.max - bounds.min).max_element());
        let vertices: Vec<DVec3> = mesh.vertices().iter().map(|v| (*v - middle) / size).collect();
        let mesh = Mesh::new(&vertices, mesh.triangles()).unwrap().welded();
        let mesh = if mesh.is_solid() { mesh } else { mesh.filled().mesh };
        if mesh.is_solid() && mesh.triangles().len() <= 20_000 {
            found.push((path.display().to_string(), Shape::Mesh(Arc::new(mesh))));
        }
    }
    found
}

/// Real models by `MODELS=folder`: evidence is accepted, and no shorter translation is free.
#[test]
fn depths_of_real_models_are_proved() {
    let models = real_models();
    let mut rng = Rng::with_seed(37);
    for _ in 0..if models.is_empty() { 0 } else { 2 * cases() } {
        let [(name_a, a), (name_b, b)] = [(); 2].map(|()| &models[rng.usize(..models.len())]);
        let pose_b = loop {
            let mut vector = |size: f64| DVec3::new(rng.f64(), rng.f64(), rng.f64()) * (2.0 * size) - size;
            let pose = Pose::new(vector(0.4), DQuat::from_scaled_axis(vector(2.0)));
            if intersects(a, Pose::IDENTITY, b, pose) {
                break pose;
            }
        };
        let line =
            line(a, Pose::IDENTITY, b, pose_b, DepthBudget { nodes: 3000, width: 1e-3, ..DepthBudget::default() });
        let content = claim(&line);
        let start = Instant::now();
        let verdict = check_depth(&content.query, &content.claim, &content.evidence);
        let (lower, upper) = (content.claim.lower, content.claim.upper);
        println!("{name_a} {name_b}: {lower} … {upper}, {} bytes, {:.2} s", line.len(), start.elapsed().as_secs_f64());
        assert_eq!(verdict, Verdict::Proved, "{name_a} {name_b}");
        for _ in 0..300 {
            let x = DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5).normalize_or_zero();
            let near = DVec3::from(content.claim.translation) + 0.1 * upper * x;
            let by = if rng.bool() { x * lower * rng.f64() } else { near.normalize_or_zero() * lower * (1.0 - 1e-9) };
            assert!(intersects(a, Pose::from_translation(by), b, pose_b), "{name_a} {name_b}: {by}");
        }
    }
}

fn solid(model: &Model) -> Shape {
    Shape::Mesh(Arc::new(model.mesh()))
}

/// A union of `count` connected cubes.
fn grown(rng: &mut Rng, count: usize) -> Vec<[i32; 3]> {
    let mut cubes = vec![[0; 3]];
    while cubes.len() < count {
        let mut next = cubes[rng.usize(..cubes.len())];
        next[rng.usize(..3)] += if rng.bool() { 1 } else { -1 };
        if !cubes.contains(&next) {
            cubes.push(next);
        }
    }
    cubes
}

/// Concentric bodies, whose search begins in the middle of a sum, and half-spaces, which have no box: closed and proved.
#[test]
fn depths_of_concentric_bodies_and_half_spaces_are_proved() {
    let cube = || solid(&lattice_solid(&[[0; 3]]));
    let middle = Pose::from_translation([0.5; 3]);
    let box_of = |half: f64| Shape::cuboid([half; 3]).unwrap();
    let floor = Shape::half_space([0.0, 0.0, 1.0], 0.25).unwrap();
    let cases = [
        (cube(), Pose::IDENTITY, box_of(0.5), middle, 1.0),
        (cube(), Pose::IDENTITY, box_of(0.125), middle, 0.625),
        (cube(), Pose::IDENTITY, cube(), Pose::IDENTITY, 1.0),
        (cube(), Pose::IDENTITY, Shape::sphere(0.25).unwrap(), middle, 0.75),
        (cube(), Pose::IDENTITY, floor, Pose::IDENTITY, 0.25),
    ];
    for (round, (a, pose_a, b, pose_b, truth)) in cases.iter().enumerate() {
        for scope in [Scope::Any, Scope::Outside] {
            let budget = DepthBudget { scope, ..DepthBudget::default() };
            for (a, pose_a, b, pose_b) in [(a, pose_a, b, pose_b), (b, pose_b, a, pose_a)] {
                let content = claim(&line(a, *pose_a, b, *pose_b, budget));
                let (lower, upper) = (content.claim.lower, content.claim.upper);
                assert!(lower <= truth + 1e-12 && truth - 1e-12 <= upper, "{round} {scope:?}: {lower} {upper}");
                assert!(upper - lower < 1e-9, "{round} {scope:?}: {lower} {upper}");
                let verdict = check_depth(&content.query, &content.claim, &content.evidence);
                assert_eq!(verdict, Verdict::Proved, "{round} {scope:?}");
            }
        }
    }
}

/// Structured and random solids: lattices with many coplanar faces, compounds, curved parts, at every budget and in any unit; and swapped.
#[test]
fn depths_of_lattices_compounds_and_curved_parts_are_proved() {
    let mut rng = Rng::with_seed(4);
    let (mut proved, mut outside) = (0, 0);
    for round in 0..24 * cases() {
        let unit = [1.0, 1e-3, 1e5][round % 3];
        let bar = |half: [f64; 3]| Shape::cuboid(half.map(|x| x * unit)).unwrap();
        let parts = [(bar([3.0, 1.0, 1.0]), Pose::IDENTITY), (bar([1.0, 3.0, 1.0]), Pose::IDENTITY)];
        let cross = Shape::compound(parts).unwrap();
        let lattice = |rng: &mut Rng| {
            let mut model = lattice_solid(&grown(rng, 6));
            model.vertices.iter_mut().for_each(|v| *v *= unit);
            solid(&model)
        };
        let turn = match round % 4 {
            0 => DQuat::IDENTITY,
            _ => DQuat::from_axis_angle(DVec3::new(1.0, 2.0, rng.f64()).normalize(), 3.0 * rng.f64()),
        };
        let at = (DVec3::new(rng.f64(), rng.f64(), rng.f64()) - 0.5) * unit;
        // Both turned by the same rotation, which leaves edges parallel up to rounding; or only one.
        let (turn_a, turn_b) = if round % 2 == 0 { (turn, turn) } else { (DQuat::IDENTITY, turn) };
        let (a, b) = match round % 6 {
            0 | 1 => (lattice(&mut rng), lattice(&mut rng)),
            2 => (bar([1.0; 3]), cross),
            3 => (cross, lattice(&mut rng)),
            4 => (Shape::sphere(0.7 * unit).unwrap(), lattice(&mut rng)),
            _ => {
                let inner = lattice(&mut rng);
                let parts = [(inner, Pose::new(DVec3::X * unit, turn_b)), (bar([0.5, 0.5, 2.0]), Pose::IDENTITY)];
                (Shape::compound(parts).unwrap(), cross)
            }
        };
        let (pose_a, pose_b) = (Pose::new(at, turn_a), Pose::new(DVec3::ZERO, turn_b));
        let nodes = [20_000, 3, 40][round / 2 % 3];
        let budget = DepthBudget { nodes, ..DepthBudget::default() };
        for (a, pose_a, b, pose_b) in [(&a, pose_a, &b, pose_b), (&b, pose_b, &a, pose_a)] {
            let content = claim(&line(a, pose_a, b, pose_b, budget));
            let verdict = check_depth(&content.query, &content.claim, &content.evidence);
            assert_eq!(verdict, Verdict::Proved, "{round}: {:?}", content.claim);
            proved += usize::from(content.evidence.depth.is_some());
            // If only places outside are permitted, a straight path to the outside has to be found as well.
            let content = claim(&line(a, pose_a, b, pose_b, DepthBudget { scope: Scope::Outside, ..budget }));
            match check_depth(&content.query, &content.claim, &content.evidence) {
                Verdict::Proved => outside += 1,
                Verdict::Undecided(reason) => println!("{round}: {reason}"),
                Verdict::Refuted(reason) => panic!("{round}: {reason}"),
            }
        }
    }
    assert!(proved > 20 && outside * 10 >= 9 * 48 * cases(), "representative: {proved}, {outside}");
}

/// A place in a cavity is free, but not reachable from outside: the place alone does not prove that.
#[test]
fn a_cavity_is_not_taken_for_outside() {
    // A shell of six plates around a cavity. A cube fits into the cavity beside a wall that it overlaps.
    let plate = |axis: usize, side: f64| {
        let (mut half, mut at) = (DVec3::splat(3.0), DVec3::ZERO);
        (half[axis], at[axis]) = (0.5, 2.5 * side);
        (Shape::cuboid(half).unwrap(), Pose::from_translation(at))
    };
    let plates = (0..3).flat_map(|axis| [plate(axis, -1.0), plate(axis, 1.0)]);
    let shell = Shape::compound(plates).unwrap();
    let cube = Shape::cuboid([0.5; 3]).unwrap();
    let at = Pose::from_translation([1.75, 0.0, 0.0]);
    let budget = DepthBudget::default();
    let content = claim(&line(&cube, at, &shell, Pose::IDENTITY, budget));
    assert!((content.claim.upper - 0.25).abs() < 1e-9);
    assert_eq!(check_depth(&content.query, &content.claim, &content.evidence), Verdict::Proved);
    let outside = verify::DepthClaim { scope: verify::Scope::Outside, ..content.claim };
    assert_ne!(check_depth(&content.query, &outside, &content.evidence), Verdict::Proved);
    let content = claim(&line(&cube, at, &shell, Pose::IDENTITY, DepthBudget { scope: Scope::Outside, ..budget }));
    assert!(content.claim.lower > 1.0 && content.claim.scope == verify::Scope::Outside);
    assert_eq!(check_depth(&content.query, &content.claim, &content.evidence), Verdict::Proved);
    let voids = &content.evidence.depth.as_ref().expect("it rests on a cover").voids;
    assert!(!voids.is_empty());
    let any = verify::DepthClaim { scope: verify::Scope::Any, ..content.claim };
    assert_ne!(check_depth(&content.query, &any, &content.evidence), Verdict::Proved);
    let mut open = content.clone();
    open.evidence.depth.as_mut().unwrap().voids[0].sides[2].clear();
    assert_ne!(check_depth(&open.query, &open.claim, &open.evidence), Verdict::Proved);
}

/// Images of solids under matrices: turned, stretched, sheared and mirrored. Their corners are rounded, and their pieces shrunk by that.
#[test]
fn depths_of_mapped_meshes_are_proved() {
    let mut rng = Rng::with_seed(9);
    let matrices = [
        DMat3::from_diagonal(DVec3::new(1.1, 0.7, 1.3)),
        DMat3::from_diagonal(DVec3::new(-0.9, 0.8, 1.2)),
        DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.8),
        DMat3::from_cols(DVec3::X, DVec3::new(0.3, 1.1, 0.0), DVec3::new(-0.2, 0.4, 0.9)),
    ];
    let solids = [solid(&glyph('A')), solid(&lattice_solid(&grown(&mut rng, 6)))];
    for round in 0..8 * cases() {
        let (inner, matrix) = (&solids[round % 2], matrices[round / 2 % 4]);
        let a = Shape::affine(inner, matrix).unwrap();
        let rows = [0, 1, 2].map(|i| matrix.row(i).to_array());
        let written_a = verify::Shape::Affine { shape: Box::new(written(inner)), matrix: rows };
        let b = &solids[(round + 1) % 2];
        let pose = loop {
            let axis = DVec3::new(rng.f64(), 1.0, rng.f64()).normalize();
            let at = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 3.0;
            let pose = Pose::new(at, DQuat::from_axis_angle(axis, 3.0 * rng.f64()));
            if intersects(&a, Pose::IDENTITY, b, pose) {
                break pose;
            }
        };
        let (found, evidence) = proof::depth(&a, Pose::IDENTITY, b, pose, DepthBudget::default());
        let query = Written {
            a: Arc::new(written_a),
            pose_a: written_pose(&Pose::IDENTITY),
            b: Arc::new(written(b)),
            pose_b: written_pose(&pose),
        };
        let attached = attach_depth(&query, Scope::Any, evidence.expect("there is evidence"));
        let content = claim(&Answer::Depth(found).to_line_with(None, Some([&a, b]), Some(&attached)));
        let verdict = check_depth(&content.query, &content.claim, &content.evidence);
        println!("{round}: {} … {}, {verdict:?}", found.lower, found.upper);
        assert_eq!(verdict, Verdict::Proved, "{round}: {:?}", content.claim);
        assert!(found.lower > 0.0 && found.width() < 1e-6 * found.upper, "{round}: {found:?}");
        assert!(content.evidence.depth.is_some(), "{round}");
    }
}
