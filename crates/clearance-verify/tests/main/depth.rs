//! Depths whose truth is known by hand, with evidence written by hand.

use clearance_verify::{
    Cover, DepthClaim, DepthEvidence, DepthNode, DepthPiece, DepthVoid, Evidence, Lower, Member, Part, Pose, Query,
    Scope, Shape, Verdict, WayOut, check_depth, check_depth_counted,
};

/// A box between two corners as a piece of a part, vertices by the signs of x, y, z in bits 0, 1, 2.
fn block(part: u32, from: [f64; 3], to: [f64; 3]) -> DepthPiece {
    let corner = |v: usize| [0, 1, 2].map(|k| if v >> k & 1 == 0 { from[k] } else { to[k] });
    DepthPiece { part, points: (0..8).map(corner).collect(), triangles: BOX.to_vec(), members: Vec::new() }
}

const BOX: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];

fn with_members(mut piece: DepthPiece) -> DepthPiece {
    piece.members = (0..8).map(Member::Vertex).collect();
    piece
}

fn mesh(from: [f64; 3], to: [f64; 3]) -> Shape {
    Shape::Mesh { vertices: block(0, from, to).points, triangles: BOX.to_vec() }
}

const CUBE: Shape = Shape::Cuboid { half_extents: [1.0; 3] };

fn at(translation: [f64; 3]) -> Pose {
    Pose { translation, ..Pose::IDENTITY }
}

fn cube_piece() -> DepthPiece {
    with_members(block(0, [-1.0; 3], [1.0; 3]))
}

fn is_proved(query: &Query, claim: &DepthClaim, evidence: &Evidence) -> bool {
    check_depth(query, claim, evidence) == Verdict::Proved
}

/// Two cubes that overlap by 1.5 along x; one leaf covers all that is shorter.
fn cubes() -> (Query, DepthClaim, Evidence) {
    let query = Query { a: CUBE, pose_a: Pose::IDENTITY, b: CUBE, pose_b: at([0.5, 0.25, 0.0]) };
    let claim = DepthClaim { lower: 1.5 - 1e-12, upper: 1.5, translation: [-1.5, 0.0, 0.0], scope: Scope::Any };
    let nodes = vec![DepthNode::Divided { pieces: [0, 0], beyond: Vec::new() }];
    let depth = DepthEvidence {
        pieces: [vec![cube_piece()], vec![cube_piece()]],
        planes: Vec::new(),
        voids: Vec::new(),
        nodes,
        cones: Vec::new(),
    };
    let free = Lower { translation: Some([1.5, 0.0, 0.0]), ..Lower::along([1.0, 0.0, 0.0]) };
    (query, claim, Evidence { lower: Some(free), depth: Some(depth), ..Evidence::default() })
}

#[test]
fn one_leaf_proves_the_depth_of_two_cubes_and_no_more() {
    let (query, claim, evidence) = cubes();
    assert!(is_proved(&query, &claim, &evidence));
    // All of the outside is reached along one direction.
    assert!(is_proved(&query, &DepthClaim { scope: Scope::Outside, ..claim }, &evidence));
    let not = |claim: DepthClaim| assert!(!is_proved(&query, &claim, &evidence), "{claim:?}");
    not(DepthClaim { lower: 1.5 + 1e-12, upper: 1.6, ..claim });
    not(DepthClaim { translation: [-1.5, 1e-9, 0.0], upper: 1.6, ..claim });
    let refuted = |claim: DepthClaim| {
        let verdict = check_depth(&query, &claim, &evidence);
        assert!(matches!(verdict, Verdict::Refuted(_)), "{claim:?} {verdict:?}");
    };
    refuted(DepthClaim { upper: 1.5_f64.next_down(), ..claim });
    refuted(DepthClaim { lower: 1.6, ..claim });
    refuted(DepthClaim { lower: f64::NAN, ..claim });
    // A translation that is one unit in the last place too short does not free A.
    let short = 1.5_f64.next_down();
    let mut other = evidence.clone();
    other.lower.as_mut().unwrap().translation = Some([short, 0.0, 0.0]);
    assert!(!is_proved(&query, &DepthClaim { translation: [-short, 0.0, 0.0], lower: 1.0, ..claim }, &other));
}

/// Turned about any axis, by quaternions of any length, both alike: edges that are parallel but for rounding.
#[test]
fn poses_are_taken_as_they_are_written() {
    let (_, claim, mut evidence) = cubes();
    let depth = evidence.depth.as_mut().unwrap();
    for rotation in [[1.0, 2.0, 3.0, 4.0], [0.1, 0.2, -0.3, 0.7], [3.0, 0.0, 0.0, 4.0]] {
        let pose_a = Pose { translation: [7.0, 0.0, 1.0], rotation };
        let longer = rotation.map(|x| 3.0 * x);
        let pose_b = Pose { translation: [7.1, 0.0, 1.0], rotation: longer };
        let query = Query { a: CUBE, pose_a, b: CUBE, pose_b };
        // However they are turned, the cubes are less than 0.1 from sharing their centre, and 2 wide.
        depth.pieces = [vec![cube_piece()], vec![cube_piece()]];
        let lower = DepthClaim { lower: 1.899, ..claim };
        let proof = Evidence { depth: Some(depth.clone()), ..Evidence::default() };
        let verdict = check_depth(&query, &lower, &proof);
        assert!(matches!(&verdict, Verdict::Refuted(_)), "lower is more than upper: {verdict:?}");
        let unbounded = DepthClaim { lower: 1.899, upper: f64::INFINITY, ..claim };
        let verdict = check_depth(&query, &unbounded, &proof);
        assert_eq!(verdict, Verdict::Undecided("upper is null, which claims nothing".into()), "{rotation:?}");
        let too_deep = DepthClaim { lower: 2.001, ..unbounded };
        assert!(
            matches!(check_depth(&query, &too_deep, &proof), Verdict::Undecided(reason) if reason.contains("lower: node 0"))
        );
    }
}

/// An L of two boxes, a cube in its corner: it takes two leaves beyond planes, whose order and completeness matter.
#[test]
fn divisions_go_on_beyond_their_planes() {
    let part =
        |half: [f64; 3], translation| Part { shape: Shape::Cuboid { half_extents: half }, pose: at(translation) };
    // Bars along x and y, of height 2, and a cube at their crossing, a little higher: it comes free along z, by 1.75.
    let (long, tall) = ([8.0, 1.0, 1.0], [1.0, 8.0, 1.0]);
    let b = Shape::Compound(vec![part(long, [0.0; 3]), part(tall, [0.0; 3])]);
    let query = Query { a: CUBE, pose_a: Pose::IDENTITY, b, pose_b: Pose::IDENTITY };
    let pieces = [(0, long), (1, tall)].map(|(part, half)| with_members(block(part, half.map(|x| -x), half))).to_vec();
    // The part beyond y = ±1.5 is left to the tall bar, needlessly.
    let planes = vec![[0.0, 1.0, 0.0, 1.5], [0.0, -1.0, 0.0, 1.5]];
    let pose_a = at([0.0, 0.0, 0.25]);
    let query = Query { pose_a, ..query };
    let inner = DepthNode::Divided { pieces: [0, 1], beyond: Vec::new() };
    let nodes = vec![DepthNode::Divided { pieces: [0, 0], beyond: vec![0, 1] }, inner.clone(), inner];
    let depth =
        DepthEvidence { pieces: [vec![cube_piece()], pieces], planes, voids: Vec::new(), nodes, cones: Vec::new() };
    let free = Lower { translation: Some([0.0, 0.0, -1.75]), ..Lower::along([0.0, 0.0, -1.0]) };
    let evidence = Evidence { lower: Some(free), depth: Some(depth), ..Evidence::default() };
    let claim = DepthClaim { lower: 1.75 - 1e-9, upper: 1.75, translation: [0.0, 0.0, 1.75], scope: Scope::Any };
    assert!(is_proved(&query, &claim, &evidence), "{:?}", check_depth(&query, &claim, &evidence));
    // A cube beside the tall bar: now the way along y is short, and only the tall bar closes it.
    let query = Query { pose_a: at([0.0, 1.5, 0.0]), ..query };
    let free = Lower { translation: Some([0.0, 0.0, -2.0]), ..Lower::along([0.0, 0.0, -1.0]) };
    let evidence = Evidence { lower: Some(free), ..evidence };
    let claim = DepthClaim { lower: 2.0 - 1e-9, upper: 2.0, translation: [0.0, 0.0, 2.0], scope: Scope::Any };
    let with = |planes: Vec<[f64; 4]>, nodes: Vec<DepthNode>| {
        let depth = DepthEvidence { planes, nodes, ..evidence.depth.clone().unwrap() };
        check_depth(&query, &claim, &Evidence { depth: Some(depth), ..evidence.clone() })
    };
    let plane = vec![[0.0, 1.0, 0.0, 0.25]];
    let [by_long, by_tall] = [0, 1].map(|piece| DepthNode::Divided { pieces: [0, piece], beyond: Vec::new() });
    let first = |beyond: Vec<u32>| DepthNode::Divided { pieces: [0, 0], beyond };
    assert_eq!(with(plane.clone(), vec![first(vec![0]), by_tall.clone()]), Verdict::Proved);
    assert_eq!(with(plane.clone(), vec![DepthNode::Cut(0), by_tall.clone(), by_long.clone()]), Verdict::Proved);
    assert_eq!(with(plane.clone(), vec![by_tall.clone()]), Verdict::Proved, "the tall bar alone covers it");
    let not = |planes: Vec<[f64; 4]>, nodes: Vec<DepthNode>| assert_ne!(with(planes, nodes), Verdict::Proved);
    not(plane.clone(), vec![by_long.clone()]);
    not(plane.clone(), vec![first(vec![0])]);
    not(plane.clone(), vec![first(vec![0]), DepthNode::Far {}]);
    not(plane.clone(), vec![first(vec![0]), by_long.clone()]);
    not(plane.clone(), vec![first(vec![0]), by_tall.clone(), by_tall.clone()]);
    not(plane.clone(), vec![DepthNode::Cut(0), by_long.clone(), by_tall.clone()]);
    not(plane.clone(), vec![first(vec![7]), by_tall.clone()]);
    not(plane, vec![DepthNode::Divided { pieces: [0, 5], beyond: Vec::new() }]);
    // The sum ends at y = 0.5: a plane beyond that leaves out what is between.
    not(vec![[0.0, 1.0, 0.0, 0.75]], vec![first(vec![0]), by_tall.clone()]);
    not(vec![[0.0, 1.0, 0.0, f64::NAN]], vec![first(vec![0]), by_tall]);
    not(Vec::new(), Vec::new());
}

/// Pieces of meshes: inside, flush with the surface, one unit in the last place out of it, across a wall, in a hollow.
#[test]
fn pieces_of_meshes_have_to_be_inside() {
    let (query, claim, evidence) = cubes();
    let solid = mesh([-1.0; 3], [1.0; 3]);
    let query = Query { b: solid, ..query };
    let with = |query: &Query, piece: DepthPiece| {
        let mut evidence = evidence.clone();
        let depth = evidence.depth.as_mut().unwrap();
        depth.pieces[1] = vec![piece];
        // The cube comes free as before; how deep it is said to be is no matter here.
        check_depth(query, &DepthClaim { lower: 0.25, ..claim }, &evidence)
    };
    let flush = block(5, [-1.0; 3], [1.0; 3]);
    assert_eq!(with(&query, flush.clone()), Verdict::Proved);
    assert_eq!(with(&query, block(0, [-1.0, -1.0, -1.0], [1.0, 0.5, 1.0])), Verdict::Proved);
    let mut spoiled = Vec::new();
    for corner in 0..8 {
        let mut out = flush.clone();
        out.points[corner][0] = if corner & 1 == 0 { (-1.0_f64).next_down() } else { 1.0_f64.next_up() };
        spoiled.push(out);
    }
    spoiled.push(block(0, [-1.0; 3], [1.0, 1.0, 2.0]));
    spoiled.push(block(0, [2.0; 3], [3.0; 3]));
    spoiled.push(block(99, [-1.0; 3], [1.0; 3]));
    // Not closed, turned inside out, twice around, dented.
    let mut open = flush.clone();
    open.triangles.pop();
    let mut inverted = flush.clone();
    inverted.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    let mut twice = flush.clone();
    twice.triangles.extend(BOX);
    let mut dented = flush.clone();
    dented.points[7] = [0.25; 3];
    let mut infinite = flush.clone();
    infinite.points[0][0] = f64::INFINITY;
    spoiled.extend([open, inverted, twice, dented, infinite]);
    for piece in spoiled {
        assert_ne!(with(&query, piece.clone()), Verdict::Proved, "{piece:?}");
    }
    // A shell of two surfaces, the inner one turned over: what is in the hollow is not in the solid.
    let (outer, hollow) = (block(0, [-1.0; 3], [1.0; 3]), block(0, [-0.5; 3], [0.5; 3]));
    let inner = BOX.map(|[p, q, r]| [p + 8, r + 8, q + 8]);
    let shell = Shape::Mesh {
        vertices: [outer.points, hollow.points].concat(),
        triangles: [BOX.to_vec(), inner.to_vec()].concat(),
    };
    let query = Query { b: shell, ..query };
    assert_eq!(with(&query, block(0, [-1.0, -1.0, -1.0], [-0.5, 1.0, 1.0])), Verdict::Proved);
    assert_ne!(with(&query, block(0, [-0.25; 3], [0.25; 3])), Verdict::Proved);
    assert_ne!(with(&query, block(0, [-1.0; 3], [1.0; 3])), Verdict::Proved);
    assert_ne!(with(&query, block(0, [-1.0, -1.0, -1.0], [-0.25, 1.0, 1.0])), Verdict::Proved);
}

#[test]
fn pieces_of_convex_parts_have_members() {
    let (query, claim, evidence) = cubes();
    let with = |piece: DepthPiece| {
        let mut evidence = evidence.clone();
        evidence.depth.as_mut().unwrap().pieces[0] = vec![piece];
        check_depth(&query, &claim, &evidence)
    };
    assert_eq!(with(cube_piece()), Verdict::Proved);
    assert_ne!(with(block(0, [-1.0; 3], [1.0; 3])), Verdict::Proved);
    // Vertices that are not where their members are count for less, by as much.
    assert_ne!(with(with_members(block(0, [-1.1; 3], [1.1; 3]))), Verdict::Proved);
    let mut other = cube_piece();
    other.members[3] = Member::Vertex(9);
    assert_ne!(with(other), Verdict::Proved);
}

/// The length of a line bounds the work of the checker, however the line is written.
#[test]
fn work_is_bounded() {
    let (query, claim, mut evidence) = cubes();
    let depth = evidence.depth.as_mut().unwrap();
    depth.planes = (0..500).map(|i| [1.0, f64::from(i) * 1e-3, 0.5, -1.0]).collect();
    let all: Vec<u32> = (0..500).collect();
    depth.nodes = vec![DepthNode::Divided { pieces: [0, 0], beyond: all }; 400];
    let (verdict, work) = check_depth_counted(&query, &claim, &evidence);
    assert_ne!(verdict, Verdict::Proved);
    let numbers = 400 * 502 + 4 * 500 + 200;
    assert!(work <= 50_000_000 + 2_300 * numbers, "{work}");
    let cover = evidence.lower.as_mut().unwrap();
    cover.cover = vec![Cover::SplitA(1); 10];
    assert_ne!(check_depth(&query, &claim, &evidence), Verdict::Proved);
}

/// A cube in the middle of a shell of six plates, too small for it: a way to a free place, and a box of translations that nothing leads into.
#[test]
fn boxes_that_nothing_leads_into_count_only_outside() {
    // Plates from 2 to 3 around a hollow of half 2; the cube has half 1 and is 1.5 off, so that it is 0.5 deep. Free inside: within 1 of the
    // middle, translations of x from -2.5 to -0.5.
    let plate = |axis: usize, side: f64| {
        let (mut half, mut translation) = ([3.0; 3], [0.0; 3]);
        (half[axis], translation[axis]) = (0.5, 2.5 * side);
        Part { shape: Shape::Cuboid { half_extents: half }, pose: at(translation) }
    };
    let plates: Vec<Part> = (0..3).flat_map(|axis| [plate(axis, -1.0), plate(axis, 1.0)]).collect();
    let pieces: Vec<DepthPiece> = (0..6)
        .map(|part| {
            let mut half = [3.0; 3];
            half[part / 2] = 0.5;
            with_members(block(part as u32, half.map(|x: f64| -x), half))
        })
        .collect();
    let pose_a = at([1.5, 0.0, 0.0]);
    let query = Query { a: CUBE, pose_a, b: Shape::Compound(plates), pose_b: Pose::IDENTITY };
    // Sums: the plate at x = 2.5 covers x from -0.5 to 2.5 of |y|, |z| < 4. The box is a little larger than the hollow.
    let by = |piece: u32, beyond: Vec<u32>| DepthNode::Divided { pieces: [0, piece], beyond };
    let sides = [0, 1, 2, 3, 4, 5].map(|plate| vec![by(plate, Vec::new())]);
    let void = DepthVoid { min: [-2.75, -1.25, -1.25], max: [-0.25, 1.25, 1.25], sides };
    // Everything: out of the sum of the plate ahead is beyond x < -0.25; of that the box; beyond the box the plates around.
    let planes = vec![
        [-1.0, 0.0, 0.0, 0.375],
        [0.0, 1.0, 0.0, 1.125],
        [0.0, -1.0, 0.0, 1.125],
        [0.0, 0.0, 1.0, 1.125],
        [0.0, 0.0, -1.0, 1.125],
    ];
    let inside = DepthNode::Enclosed { void: 0, beyond: vec![1, 2, 3, 4] };
    let around = [3, 2, 5, 4].map(|plate| by(plate, Vec::new()));
    let nodes: Vec<DepthNode> = [by(1, vec![0]), inside].into_iter().chain(around).collect();
    let depth =
        DepthEvidence { pieces: [vec![cube_piece()], pieces], planes, voids: vec![void], nodes, cones: Vec::new() };
    // Out along x: 2.5, to where everything is apart along x.
    let free = Lower { translation: Some([-2.5, 0.0, 0.0]), ..Lower::along([-1.0, 0.0, 0.0]) };
    let evidence = Evidence { lower: Some(free), depth: Some(depth), ..Evidence::default() };
    let claim = DepthClaim { lower: 2.4999, upper: 2.5, translation: [2.5, 0.0, 0.0], scope: Scope::Outside };
    assert_eq!(check_depth(&query, &claim, &evidence), Verdict::Proved);
    assert_ne!(check_depth(&query, &DepthClaim { scope: Scope::Any, ..claim }, &evidence), Verdict::Proved);
    let not = |spoil: &dyn Fn(&mut DepthEvidence)| {
        let mut evidence = evidence.clone();
        spoil(evidence.depth.as_mut().unwrap());
        assert_ne!(check_depth(&query, &claim, &evidence), Verdict::Proved);
    };
    not(&|depth| depth.voids.clear());
    not(&|depth| depth.voids[0].max[0] = -0.75);
    not(&|depth| depth.voids[0].min[1] = -0.5);
    not(&|depth| depth.voids[0].max[2] = f64::INFINITY);
    not(&|depth| depth.voids[0].sides[3].clear());
    not(&|depth| depth.voids[0].sides[3] = vec![DepthNode::Far {}]);
    not(&|depth| depth.voids[0].sides[3] = vec![DepthNode::Enclosed { void: 0, beyond: Vec::new() }]);
}

/// A place in a notch is reached along a straight way: each pair of parts is apart along one direction at both ends.
#[test]
fn a_way_out_is_checked_at_both_ends() {
    // A U with arms at x = ±2 on a floor; a cube between the arms, too low by 0.5.
    let part =
        |half: [f64; 3], translation| Part { shape: Shape::Cuboid { half_extents: half }, pose: at(translation) };
    let arm = [0.5, 3.0, 1.0];
    let u = Shape::Compound(vec![
        part([3.0, 0.5, 1.0], [0.0, -0.5, 0.0]),
        part(arm, [-2.0, 2.0, 0.0]),
        part(arm, [2.0, 2.0, 0.0]),
    ]);
    let query = Query { a: CUBE, pose_a: at([0.0, 0.5, 0.0]), b: u, pose_b: Pose::IDENTITY };
    let translation = [0.0, 0.75, 0.0];
    let cover = vec![
        Cover::SplitB(1),
        Cover::Along([0.0, -1.0, 0.0]),
        Cover::SplitB(2),
        Cover::Along([-1.0, 0.0, 0.0]),
        Cover::Along([1.0, 0.0, 0.0]),
    ];
    let free = Lower { translation: Some([0.0, -0.75, 0.0]), cover, ..Lower::default() };
    let way = WayOut { moved: [0.0, -6.0, 0.0], along: [0.0, -1.0, 0.0] };
    let evidence = Evidence { lower: Some(free), outside: Some(way), ..Evidence::default() };
    let claim = DepthClaim { lower: 0.0, upper: 0.75, translation, scope: Scope::Outside };
    assert_eq!(check_depth(&query, &claim, &evidence), Verdict::Proved);
    let not = |outside: Option<WayOut>| {
        let evidence = Evidence { outside, ..evidence.clone() };
        assert_ne!(check_depth(&query, &claim, &evidence), Verdict::Proved, "{outside:?}");
        let any = DepthClaim { scope: Scope::Any, ..claim };
        assert_eq!(check_depth(&query, &any, &evidence), Verdict::Proved);
    };
    not(None);
    not(Some(WayOut { moved: [0.0, -4.0, 0.0], ..way }));
    not(Some(WayOut { moved: [-6.0, -0.75, 0.0], along: [-1.0, 0.0, 0.0] }));
    not(Some(WayOut { along: [1.0, 0.0, 0.0], ..way }));
    not(Some(WayOut { along: [0.0; 3], ..way }));
    not(Some(WayOut { moved: [f64::NAN; 3], ..way }));
}
