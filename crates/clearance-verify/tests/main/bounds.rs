//! Lines that are made to keep the checker busy: the work is counted, and stays within a bound that is proportional to the
//! length of the line. A check that would take more is undecided.

use clearance_verify::{
    Claim, Cover, Evidence, Lower, Member, Part, Pose, Query, Shape, Upper, Verdict, Witness, check, check_counted,
};

/// The budget of a check: fifty million operations, and three hundred for each number.
fn limit(numbers: usize) -> u64 {
    50_000_000 + 300 * numbers as u64
}

fn at(translation: [f64; 3]) -> Pose {
    Pose { translation, ..Pose::IDENTITY }
}

/// Many points at places in a plane.
fn cloud(count: usize, x: impl Fn(usize) -> f64) -> Shape {
    let place = |i: usize| [x(i), (i % 141) as f64, (i / 141) as f64];
    Shape::Compound((0..count).map(|i| Part { shape: Shape::Point {}, pose: at(place(i)) }).collect())
}

fn scattered(i: usize) -> f64 {
    ((i * 7919) % 1009) as f64 / 1009.0
}

/// A hull with that many points, all of them corners, with a size for each.
fn globe(count: usize, size: impl Fn(usize) -> f64) -> Shape {
    let golden = 2.399_963_229_728_653;
    let point = |i: usize| {
        let z = 1.0 - 2.0 * (i as f64 + 0.5) / count as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        [across * cos, across * sin, z].map(|x| x * size(i))
    };
    Shape::Hull { points: (0..count).map(point).collect() }
}

fn query(a: Shape, b: Shape, apart: f64) -> Query {
    Query { a, pose_a: Pose::IDENTITY, b, pose_b: at([apart, 0.0, 0.0]) }
}

/// A direction for each of the many parts of B.
fn each(direction: [f64; 3], count: usize) -> Evidence {
    let split = |at: usize| [Cover::SplitB(at as u32), Cover::Along(direction)];
    let cover = (1..count).flat_map(split).chain([Cover::Along(direction)]).collect();
    Evidence { lower: Some(Lower { cover, ..Lower::default() }), ..Evidence::default() }
}

fn along(direction: [f64; 3]) -> Evidence {
    Evidence { lower: Some(Lower::along(direction)), ..Evidence::default() }
}

/// The verdict, with the work counted against the limit.
fn bounded(query: &Query, claim: &Claim, evidence: &Evidence, numbers: usize) -> Verdict {
    let (verdict, operations) = check_counted(query, claim, evidence);
    assert!(operations <= limit(numbers), "{operations} operations for {numbers} numbers");
    verdict
}

fn is_over(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Undecided(reason) if reason.contains("operations, the limit for a line of this length"))
}

const APART: Claim = Claim::Intersects(false);

#[test]
fn one_direction_for_all_pairs_of_parts_is_linear_in_the_parts() {
    let many = 20_000;
    let pair = query(cloud(many, scattered), cloud(many, scattered), 3.0);
    let (verdict, operations) = check_counted(&pair, &APART, &along([1.0, 0.0, 0.0]));
    assert_eq!(verdict, Verdict::Proved);
    assert!(operations < 500 * many as u64, "{operations} operations for {many} parts on each side");
    // The same margin that the nearest parts have: exactly decided, for those alone.
    let nearest = 3.0 - 1008.0 / 1009.0;
    let (verdict, operations) = check_counted(&pair, &Claim::Beyond { margin: nearest }, &along([1.0, 0.0, 0.0]));
    assert!(matches!(verdict, Verdict::Proved | Verdict::Undecided(_)), "{verdict:?}");
    assert!(operations < 2500 * many as u64, "{operations}");
    // Too few directions, none at all, and a distance with a witness.
    let cover = vec![Cover::SplitB(1), Cover::Along([1.0, 0.0, 0.0])];
    let two = Evidence { lower: Some(Lower { cover, ..Lower::default() }), ..Evidence::default() };
    for evidence in [Evidence::default(), two] {
        assert!(matches!(bounded(&pair, &APART, &evidence, 14 * many), Verdict::Undecided(_)));
    }
    let upper = Upper::Points { parts: [19_999, 19_999], a: Member::Vertex(0), b: Member::Vertex(0) };
    let evidence = Evidence { upper: Some(upper), ..along([1.0, 0.0, 0.0]) };
    assert_eq!(bounded(&pair, &Claim::Bracket { lower: 2.0, upper: 4.0 }, &evidence, 14 * many), Verdict::Proved);
}

#[test]
fn parts_that_tie_and_half_spaces_among_many_parts_stay_within_the_limit() {
    // All parts are at the same height, which one third is not to rounding: 400 million exact comparisons, if all were made.
    let many = 20_000;
    let turned = Pose { translation: [1.0 / 3.0, 0.0, 0.0], rotation: [0.1, 0.2, 0.3, 0.4] };
    let flat = Query { a: cloud(many, |_| 0.1), pose_a: turned, b: cloud(many, |_| 0.1), pose_b: turned };
    let verdict = bounded(&flat, &Claim::Bracket { lower: 0.0, upper: 1.0 }, &along([1.0, 0.0, 0.0]), 14 * many + 3);
    assert_ne!(verdict, Verdict::Proved);
    // Half-spaces against all parts of the other.
    let planes = |sign: f64| {
        let plane = Shape::HalfSpace { normal: [sign, 0.0, 0.0], offset: -1.0 };
        Shape::Compound(vec![Part { shape: plane, pose: Pose::IDENTITY }; many])
    };
    let facing = query(planes(1.0), planes(-1.0), 0.0);
    assert!(is_over(&bounded(&facing, &APART, &Evidence::default(), 32 * many)));
}

#[test]
fn directions_times_vertices_are_counted() {
    let (many, corners) = (3000, 20_000);
    let pair = query(globe(corners, |_| 1.0), cloud(many, scattered), 3.0);
    assert!(is_over(&bounded(&pair, &APART, &each([1.0, 0.0, 0.0], many), 3 * corners + 22 * many)));
    let single = Query { b: cloud(100, scattered), ..pair };
    assert_eq!(bounded(&single, &APART, &each([1.0, 0.0, 0.0], 100), 3 * corners + 2500), Verdict::Proved);
}

#[test]
fn exact_searches_end_at_the_limit() {
    // Decided without evidence where that is little work, undecided where it is much.
    let small = query(globe(100, |_| 1.0), globe(100, |_| 1.0), 2.5);
    assert_eq!(bounded(&small, &APART, &Evidence::default(), 600), Verdict::Proved);
    let large = query(globe(20_000, |_| 1.0), globe(20_000, |_| 1.0), 1.999);
    assert!(!matches!(bounded(&large, &APART, &Evidence::default(), 120_000), Verdict::Proved));
    // Numbers from both ends of the doubles: thousands of bits each.
    let wild = |i: usize| [1e-300, 1.0, 1e150][i % 3];
    let wide = query(globe(5000, wild), globe(5000, wild), 1e-200);
    assert!(matches!(
        bounded(&wide, &APART, &Evidence::default(), 30_000),
        Verdict::Undecided(_) | Verdict::Refuted(_)
    ));
    let margin = Claim::Beyond { margin: 1e-250 };
    assert!(matches!(
        bounded(&wide, &margin, &along([1.0, 1e-200, 1e200]), 30_000),
        Verdict::Undecided(_) | Verdict::Refuted(_)
    ));
}

#[test]
fn deep_nests_and_large_surfaces_are_counted() {
    // As deep as shapes may be, with many parts at the bottom: every pose is put together exactly, if it has to be.
    let turned = Pose { translation: [0.1, 0.2, 0.3], rotation: [0.1, 0.2, 0.3, 0.4] };
    let deep = (0..30).fold(cloud(2000, |_| 0.1), |shape, _| Shape::Compound(vec![Part { shape, pose: turned }]));
    let pair = query(deep.clone(), deep, 0.0);
    let verdict = bounded(&pair, &Claim::Bracket { lower: 0.0, upper: 1.0 }, &along([1.0, 0.0, 0.0]), 40_000);
    assert!(!matches!(verdict, Verdict::Proved));
    // A surface whose triangles are all too close to call.
    let cube = || Shape::Cuboid { half_extents: [1.0 / 3.0; 3] };
    let points: Vec<[Member; 2]> = (0..8).map(|v| [Member::Vertex(v), Member::Vertex(7 - v)]).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect();
    let triangles = triangles.repeat(20_000);
    let numbers = 3 * triangles.len() + 40;
    let upper = Some(Upper::Surface { parts: [0; 2], points, triangles });
    let evidence = Evidence { upper, ..along([1.0, 0.0, 0.0]) };
    let pair = Query { a: cube(), pose_a: turned, b: cube(), pose_b: turned };
    let depth = 2.0 * (1.0 / 3.0);
    let verdict = bounded(&pair, &Claim::Bracket { lower: -1.0, upper: -depth }, &evidence, numbers);
    assert!(matches!(verdict, Verdict::Proved | Verdict::Undecided(_)), "{verdict:?}");
    // Evidence nested deeper than shapes may be.
    let nested = (0..200).fold(Member::Vertex(0), |member, _| Member::Image(Box::new(member)));
    let image = (0..30).fold(cube(), |shape, _| Shape::Affine {
        shape: Box::new(shape),
        matrix: [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    });
    let witness = Some(Witness { parts: [0; 2], a: nested.clone(), b: Member::Vertex(0) });
    let upper = Some(Upper::Points { parts: [0; 2], a: nested, b: Member::Vertex(0) });
    let evidence = Evidence { witness, upper, ..Evidence::default() };
    let verdict = bounded(&query(image, cube(), 9.0), &Claim::Intersects(true), &evidence, 1000);
    assert!(!matches!(verdict, Verdict::Proved));
}

#[test]
fn a_check_after_one_that_was_too_long_is_not_hurt() {
    let many = 20_000;
    let planes = |sign: f64| {
        let plane = Shape::HalfSpace { normal: [sign, 0.0, 0.0], offset: -1.0 };
        Shape::Compound(vec![Part { shape: plane, pose: Pose::IDENTITY }; many])
    };
    let facing = query(planes(1.0), planes(-1.0), 0.0);
    assert!(is_over(&check(&facing, &APART, &Evidence::default())));
    let cube = || Shape::Cuboid { half_extents: [0.5; 3] };
    assert_eq!(check(&query(cube(), cube(), 2.0), &APART, &Evidence::default()), Verdict::Proved);
}

#[test]
fn a_cover_costs_what_its_sets_have_parts() {
    // A plane of parts beside one, divided down to the last part of A: every part of B for each of them would be 10^8.
    let many = 10_000_usize;
    let pair = query(cloud(many, |_| 0.0), cloud(many, scattered), 3.0);
    let halving = |cover: &mut Vec<Cover>, depth: u32| {
        let mut open = vec![(0, many as u32, 0)];
        while let Some((from, to, level)) = open.pop() {
            if level == depth || to - from < 2 {
                cover.push(Cover::Along([1.0, 0.0, 0.0]));
                continue;
            }
            let at = from + (to - from) / 2;
            cover.push(Cover::SplitA(at));
            open.extend([(at, to, level + 1), (from, at, level + 1)]);
        }
    };
    let counted = |depth: u32| {
        let mut cover = Vec::new();
        halving(&mut cover, depth);
        let evidence = Evidence { lower: Some(Lower { cover, ..Lower::default() }), ..Evidence::default() };
        check_counted(&pair, &APART, &evidence)
    };
    let (verdict, whole) = counted(0);
    assert_eq!(verdict, Verdict::Proved);
    let (verdict, halves) = counted(3);
    assert_eq!(verdict, Verdict::Proved);
    // Eight leaves with all parts of B each.
    assert!(halves < 8 * whole, "{whole} {halves}");
    // 10,000 leaves of 10,000 parts: the limit ends it.
    assert!(is_over(&counted(30).0));
    // Chains of splits, which are as deep as they are long, take no stack.
    assert_ne!(check(&pair, &APART, &each([1.0, 0.0, 0.0], many + 1)), Verdict::Proved);
    let deep = Evidence {
        lower: Some(Lower { cover: vec![Cover::SplitA(1); 1_000_000], ..Lower::default() }),
        ..along([1.0; 3])
    };
    assert!(matches!(check(&pair, &APART, &deep), Verdict::Undecided(_)));
}

/// A wall of `count` quads across x, a box around it if it is closed.
fn sheet(count: usize, is_closed: bool) -> Shape {
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..count {
        // Prisms side by side, or loose triangles.
        let (first, y) = (vertices.len() as u32, i as f64);
        vertices.extend([[0.0, y, 0.0], [1.0, y, 0.0], [0.5, y + 0.5, 0.25], [0.5, y + 0.25, 1.0]]);
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| first + k);
        match is_closed {
            true => triangles.extend([[a, c, b], [a, b, d], [b, c, d], [c, a, d]]),
            false => triangles.push([a, b, d]),
        }
    }
    Shape::Mesh { vertices, triangles }
}

#[test]
fn many_pieces_in_a_large_solid_take_bounded_work() {
    // Every piece of B is within the box of the solid, and none is inside: the whole surface is tested for each.
    let (solid, pieces) = (sheet(4000, true), sheet(4000, false));
    let numbers = 3 * (16_000 + 16_000) + 3 * (16_000 + 4_000);
    let query = Query { a: solid, pose_a: Pose::IDENTITY, b: pieces, pose_b: at([0.001, 0.75, 0.001]) };
    for claim in [Claim::Intersects(true), Claim::Intersects(false), Claim::Beyond { margin: 0.1 }] {
        let verdict = bounded(&query, &claim, &Evidence::default(), numbers);
        assert!(matches!(verdict, Verdict::Undecided(_)), "{verdict:?}");
    }
    // Named as a point inside, each would take one look.
    for solid in [clearance_verify::Whose::A, clearance_verify::Whose::B] {
        let upper = Some(Upper::Inside { parts: [0, 0], solid, point: Member::Vertex(0) });
        let evidence = Evidence { upper, ..Evidence::default() };
        bounded(&query, &Claim::Bracket { lower: f64::NEG_INFINITY, upper: 0.0 }, &evidence, numbers);
    }
}

#[test]
fn meshes_that_cannot_be_computed_with_are_named() {
    let mesh = |vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>| Shape::Mesh { vertices, triangles };
    let fine = mesh(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]);
    for (shape, reason) in [
        (mesh(vec![[0.0; 3]], vec![]), "no triangles"),
        (mesh(vec![[0.0; 3]], vec![[0, 0, 1]]), "a vertex that is not there"),
        (mesh(vec![[f64::NAN; 3]], vec![[0, 0, 0]]), "not finite"),
        (Shape::Rounded { shape: Box::new(fine.clone()), radius: 1.0 }, "a mesh is rounded"),
        (mesh(vec![[0.0; 3]], vec![[0; 3]; (1 << 20) + 1]), "more than a million triangles"),
    ] {
        let verdict = check(&query(shape, fine.clone(), 3.0), &Claim::Intersects(false), &Evidence::default());
        assert!(matches!(&verdict, Verdict::Undecided(found) if found.contains(reason)), "{verdict:?}");
    }
}
