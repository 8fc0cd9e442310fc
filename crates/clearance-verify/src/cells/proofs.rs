//! The bounds are near enough to prove near-symmetric depths, and spoilt evidence proves nothing.

use super::soundness::{Pair, Point};
use super::*;
use crate::pairing::{bound, separation};
use crate::parts::Flat;
use crate::{Claim, Cover, Evidence, Lower, Pose, Query, Shape, Upper, Verdict, check};
use fastrand::Rng;

/// A claimed bracket alone: witnesses and normals are no matter of cells.
#[derive(Clone, Copy)]
struct Bracket {
    lower: f64,
    upper: f64,
}

/// The pairs of parts of a query, those of the first part of A first.
pub(super) fn pairs<'a>(query: &Query, [a, b]: &'a [Flat<'a>; 2]) -> Vec<Pairing<'a>> {
    let b = b.sides(&query.pose_b, query);
    let a = a.sides(&query.pose_a, query);
    a.iter().flat_map(|&a| b.iter().map(move |&b| Pairing { a, b })).collect()
}

/// The verdict of evidence on a bracket.
fn judge(query: &Query, Bracket { lower, upper }: Bracket, evidence: &Evidence) -> Verdict {
    let flat = [Flat::new(&query.a), Flat::new(&query.b)];
    let pairs = pairs(query, &flat);
    let Some(cells) = &evidence.upper else { return Verdict::Undecided("there are no cells".into()) };
    let [i, j] = cells.parts().map(|part| part as usize);
    let count = flat[1].sides(&query.pose_b, query).len();
    let Some(pair) = (j < count).then(|| pairs.get(i * count + j)).flatten() else {
        return Verdict::Undecided("there is no such part".into());
    };
    let refute = |why: &str| Verdict::Refuted(why.into());
    if lower.is_finite() && bound(pair, cells, lower).is_ok_and(std::cmp::Ordering::is_lt) {
        return refute("the cells show less");
    }
    let direction = match &evidence.lower {
        Some(Lower { cover, .. }) => match cover[..] {
            [Cover::Along(direction)] => direction,
            _ => panic!("one pair has one direction"),
        },
        None => [0.0; 3],
    };
    let along = |threshold| crate::filtered!(separation(pair, direction, threshold));
    if evidence.lower.is_some() && along(upper).is_ok_and(std::cmp::Ordering::is_gt) {
        return refute("the direction shows more");
    }
    if lower.is_finite() && !along(lower).is_ok_and(std::cmp::Ordering::is_ge) {
        return Verdict::Undecided("lower".into());
    }
    match bound(pair, cells, upper) {
        Ok(found) if found.is_le() => Verdict::Proved,
        Ok(_) => Verdict::Undecided("upper".into()),
        Err(Trouble::Fault(why)) => Verdict::Undecided(why),
        Err(trouble) => Verdict::Undecided(format!("{trouble:?}")),
    }
}

/// A prover for the tests: a plane where that suffices, a strip about the least point of the middle meridian, or a split.
struct Prover<'a> {
    pair: &'a Pair,
    form: Form<'a>,
    needed: f64,
    nodes: Vec<Node>,
    leaves: usize,
    /// The least height seen.
    least: f64,
}

impl Prover<'_> {
    fn suffices(&mut self, cell: &Cell, node: Node) -> bool {
        let fine = leaf_bound(&mut self.form, cell, &node).is_ok_and(|bound| bound >= self.needed);
        if fine {
            self.nodes.push(node);
            self.leaves += 1;
        }
        fine
    }

    fn strips(&mut self, cell: &Cell) -> Vec<Node> {
        let ([west, east], [south, north]) = (cell.longitude, cell.latitude);
        let middle = 0.5 * (west + east);
        let at = self.pair.valley(middle, cell.latitude).clamp(south, north);
        let pair = self.pair;
        self.least = self.least.min(pair.height(pair.direction(middle, at)));
        let single = |[i, j]: [u32; 2]| Mix { a: vec![(i, 1.0)], b: vec![(j, 1.0)] };
        let strip = |mixes: Vec<Mix>, lines: Vec<[f64; 2]>| Node::Strip { at, mixes, lines };
        let best = pair.best(pair.direction(middle, at));
        let mut all = vec![strip(vec![single(best)], vec![])];
        let tall = north - south;
        let mut sides = Vec::new();
        for near in [0.5 * tall, 0.05 * tall, 0.005 * tall, 1e-10] {
            let [below, above] = [-near, near].map(|step| pair.best(pair.direction(middle, at + step)));
            // A kink of both shapes, or of one where the other has its best branch.
            let kinks = [
                [below, above],
                [[below[0], best[1]], [above[0], best[1]]],
                [[best[0], below[1]], [best[0], above[1]]],
            ];
            for kink in kinks {
                if kink[0] != kink[1] && !sides.contains(&kink) {
                    sides.push(kink);
                }
            }
        }
        for [below, above] in sides {
            // A kink: the weights that leave no slope, and the line where both sides are equal.
            let difference = |mix: &Mix, longitude: f64, latitude: f64| {
                let value =
                    |sign: f64| pair.mix_height(mix, pair.direction(middle + sign * longitude, at + sign * latitude));
                (value(1.0) - value(-1.0)) / (2.0 * (longitude + latitude))
            };
            let (low, high) = (single(below), single(above));
            let [down, up] = [&low, &high].map(|mix| difference(mix, 0.0, 1e-6));
            let share = (-down / (up - down)).clamp(0.0, 1.0);
            let terms = |of: usize| match below[of] == above[of] {
                true => vec![(below[of], 1.0)],
                false => vec![(below[of], 1.0 - share), (above[of], share)],
            };
            let both = Mix { a: terms(0), b: terms(1) };
            let along = difference(&high, 1e-6, 0.0) - difference(&low, 1e-6, 0.0);
            let steep = -along / (up - down);
            if !(steep.is_finite() && share.is_finite()) {
                continue;
            }
            let wide = 0.1 * (north - south);
            all.push(strip(vec![both.clone()], vec![]));
            all.push(strip(vec![low.clone(), high.clone()], vec![[steep, 0.0]]));
            all.push(strip(vec![low, both, high], vec![[steep, -wide], [steep, wide]]));
        }
        all
    }

    fn prove(&mut self, cell: Cell, depth: u32) -> bool {
        let ([west, east], [south, north]) = (cell.longitude, cell.latitude);
        let middle = [0.5 * (west + east), 0.5 * (south + north)];
        let [a, b] = self.pair.best(self.pair.direction(middle[0], middle[1]));
        if self.suffices(&cell, Node::Plane { a, b }) {
            return true;
        }
        if north - south < 1.5 && self.strips(&cell).into_iter().any(|strip| self.suffices(&cell, strip)) {
            return true;
        }
        if depth == 0 || self.leaves > 1000 {
            return false;
        }
        // How long the cell is where it is longest.
        let out = if south < 0.0 && north > 0.0 { 1.0 } else { south.abs().min(north.abs()).cos() };
        let parts = if (east - west) * out > 1.5 * (north - south) {
            self.nodes.push(Node::Longitude(middle[0]));
            [Cell { longitude: [west, middle[0]], ..cell }, Cell { longitude: [middle[0], east], ..cell }]
        } else {
            // Not quite in the middle: kinks are often there.
            let at = south + 0.47 * (north - south);
            self.nodes.push(Node::Latitude(at));
            [Cell { latitude: [south, at], ..cell }, Cell { latitude: [at, north], ..cell }]
        };
        parts.into_iter().all(|part| self.prove(part, depth - 1))
    }
}

/// The direction of the least height, by search: the least point of each meridian, then the least of those.
fn least_direction(pair: &Pair) -> Point {
    let height = |longitude: f64, latitude: f64| pair.height(pair.direction(longitude, latitude));
    let valley = |longitude: f64| {
        let at = |k: i32| ALL.latitude[1] * (f64::from(k) / 40.0 - 1.0);
        let best = (0..=80).min_by(|&i, &j| height(longitude, at(i)).total_cmp(&height(longitude, at(j)))).unwrap_or(0);
        let latitude = pair.valley(longitude, [at((best - 1).max(0)), at((best + 1).min(80))]);
        (height(longitude, latitude), longitude, latitude)
    };
    let least = |from: f64, to: f64, count: i32| {
        let all = (0..=count).map(|k| valley(from + (to - from) * f64::from(k) / f64::from(count)));
        all.min_by(|p, q| p.0.total_cmp(&q.0)).unwrap_or((0.0, 0.0, 0.0))
    };
    let (mut best, mut step) = (least(ALL.longitude[0], ALL.longitude[1], 60), 0.105);
    while step > 1e-8 {
        let next = least(best.1 - step, best.1 + step, 8);
        best = if next.0 < best.0 { next } else { best };
        step *= 0.3;
    }
    pair.direction(best.1, best.2)
}

fn turn_by(tilt: f64) -> [f64; 4] {
    [(0.5 * tilt).sin(), 0.0, 0.0, (0.5 * tilt).cos()]
}

/// Near-symmetric pairs with the axis that they are nearly symmetric about.
fn near_symmetric() -> Vec<(&'static str, Query)> {
    let at = |translation: Point, tilt: f64| Pose { translation, rotation: turn_by(tilt) };
    let pair = |a: Shape, b: Shape, pose_b: Pose| Query { a, pose_a: Pose::IDENTITY, b, pose_b };
    let cylinder = |radius: f64, half_height: f64| Shape::Cylinder { radius, half_height };
    let capsule = |radius: f64, half_height: f64| Shape::Capsule { radius, half_height };
    let ellipsoid = |x: f64, y: f64, z: f64| Shape::Ellipsoid { radii: [x, y, z] };
    vec![
        ("cylinder and capsule, 1e-4 aside", pair(cylinder(1.0, 2.0), capsule(0.3, 1.0), at([1e-4, 0.3, 0.0], 0.0))),
        (
            "the issue's cylinder and capsule",
            pair(cylinder(100.0, 50.0), capsule(10.0, 50.0), at([0.01, 0.0, 0.0], 0.0)),
        ),
        ("ellipsoids, tilt 1e-5", pair(ellipsoid(1.0, 2.0, 1.0), ellipsoid(0.5, 1.5, 0.5), at([0.0; 3], 1e-5))),
        (
            "ellipsoids, tilt 1e-5, aside",
            pair(ellipsoid(1.0, 0.6, 1.0), ellipsoid(0.5, 0.3, 0.5), at([1e-6, 1e-3, 0.0], 1e-5)),
        ),
        ("exactly coaxial cylinders", pair(cylinder(1.0, 3.0), cylinder(0.5, 1.0), at([0.0, 0.5, 0.0], 0.0))),
        ("a point in a cylinder", pair(cylinder(1.0, 3.0), Shape::Point {}, at([1e-4, 0.5, 0.0], 0.0))),
        (
            "cone and ball",
            pair(
                Shape::Cone { radius: 1.0, half_height: 1.5 },
                Shape::Sphere { radius: 0.3 },
                at([1e-5, -0.4, 0.0], 0.0),
            ),
        ),
        (
            "cone and cylinder, tilted",
            pair(Shape::Cone { radius: 1.0, half_height: 1.0 }, cylinder(0.4, 0.7), at([1e-4, -0.3, 2e-4], 1e-4)),
        ),
        (
            "a ball and nearly a ball",
            pair(Shape::Sphere { radius: 1.0 }, ellipsoid(1.0, 1.001, 1.0), at([1e-4, 2e-4, 0.0], 0.3)),
        ),
        (
            "an image of a capsule and a rounded ellipsoid",
            pair(
                Shape::Affine {
                    shape: Box::new(capsule(1.0, 0.5)),
                    matrix: [[1.0, 1e-4, 0.0], [0.0, 1.2, 0.0], [0.0, 0.0, 1.0]],
                },
                Shape::Rounded { shape: Box::new(ellipsoid(0.3, 0.8, 0.3)), radius: 0.1 },
                at([1e-4, 0.1, 0.0], 1e-4),
            ),
        ),
    ]
}

/// A claim with its evidence, off by a part of the size from the least height that a search finds.
fn proved(query: &Query, tolerance: f64) -> Option<(Bracket, Evidence, usize)> {
    let (axis, side) = ([0.0, 2.0, 0.0], [3.0, 1.0, 0.0]);
    let pair = Pair::new(query.clone(), axis, side);
    let flat = [Flat::new(&query.a), Flat::new(&query.b)];
    let pairs = pairs(query, &flat);
    let normal = least_direction(&pair);
    let found = pair.height(normal);
    let mut depth = found;
    let prover = (0..4).find_map(|_| {
        let form = Form::new(&pairs[0], Frame::new(axis, side).ok()?).ok()?;
        let needed = (depth - (tolerance - 1e-14) * pair.size() - pair.radii()) * form.scale;
        let mut prover = Prover { pair: &pair, form, needed, nodes: Vec::new(), leaves: 0, least: depth };
        if prover.prove(ALL, 60) {
            return Some(prover);
        }
        // The search may have missed the least height, and the prover have come across it.
        depth = prover.least;
        None
    })?;
    let upper = -(depth - tolerance * pair.size());
    let leaves = prover.leaves;
    let lower = -found - 1e-13 * pair.size();
    let cells = Some(Upper::Cells { parts: [0; 2], axis, side, nodes: prover.nodes });
    let evidence = Evidence { lower: Some(Lower::along(normal)), upper: cells, ..Evidence::default() };
    Some((Bracket { lower, upper }, evidence, leaves))
}

#[test]
fn near_symmetric_depths_are_proved_to_1e_10_of_the_size() {
    for (name, query) in near_symmetric() {
        let Some((claim, evidence, leaves)) = proved(&query, 1e-10) else { panic!("{name} is not closed") };
        assert_eq!(judge(&query, claim, &evidence), Verdict::Proved, "{name}");
        assert!(leaves < 1500, "{name}: {leaves} leaves");
    }
}

/// Near-symmetric pairs with offsets and tilts of all sizes, and sizes of all decades.
#[test]
fn near_symmetric_pairs_of_all_sizes_are_proved() {
    let mut random = Rng::with_seed(43);
    for round in 0..60 {
        let small = |random: &mut Rng| 10_f64.powf(-12.0 + 10.0 * random.f64());
        let size = 10_f64.powf(110.0 * random.f64() - 60.0);
        let mut solid = || {
            let (x, y) = (size * (0.3 + random.f64()), size * (0.3 + random.f64()));
            match random.u32(0..5) {
                0 => Shape::Cylinder { radius: x, half_height: y },
                1 => Shape::Cone { radius: x, half_height: y },
                2 => Shape::Capsule { radius: x, half_height: y },
                3 => Shape::Sphere { radius: x },
                _ => Shape::Ellipsoid { radii: [x, y, x] },
            }
        };
        let (a, b) = (solid(), solid());
        let translation = [small(&mut random) * size, 0.2 * random.f64() * size, small(&mut random) * size];
        let pose_b = Pose { translation, rotation: turn_by(small(&mut random)) };
        let query = Query { a, pose_a: Pose::IDENTITY, b, pose_b };
        match proved(&query, 1e-10) {
            Some((claim, evidence, leaves)) => {
                assert!(leaves < 500, "round {round}: {leaves} leaves");
                assert_eq!(judge(&query, claim, &evidence), Verdict::Proved, "round {round}: {query:?}");
            }
            None => panic!("round {round} is open: {query:?}"),
        }
    }
}

fn example() -> (Query, Bracket, Evidence) {
    let (_, query) = near_symmetric().swap_remove(0);
    match proved(&query, 1e-10) {
        Some((bracket, evidence, _)) => (query, bracket, evidence),
        _ => panic!("the example is not closed"),
    }
}

#[test]
fn spoilt_cells_prove_nothing() {
    let (query, bracket, evidence) = example();
    let (axis, side, nodes) = match &evidence.upper {
        Some(Upper::Cells { axis, side, nodes, .. }) => (*axis, *side, nodes.clone()),
        _ => panic!("there are no cells"),
    };
    let verdict = |axis: Point, side: Point, nodes: &[Node]| {
        let upper = Some(Upper::Cells { parts: [0; 2], axis, side, nodes: nodes.to_vec() });
        judge(&query, bracket, &Evidence { upper, ..evidence.clone() })
    };
    let is_open = |verdict: Verdict, words: &str| match verdict {
        Verdict::Undecided(why) => assert!(why.contains(words), "{why}"),
        other => panic!("{other:?} instead of: {words}"),
    };
    assert_eq!(verdict(axis, side, &nodes), Verdict::Proved);
    assert_eq!(verdict(axis.map(|x| x * 1e200), side.map(|x| x * 1e-200), &nodes), Verdict::Proved);
    is_open(verdict([0.0; 3], side, &nodes), "axis of the cells is zero");
    is_open(verdict(axis, [0.0; 3], &nodes), "parallel");
    is_open(verdict(axis, axis.map(|x| -3.0 * x), &nodes), "parallel");
    is_open(verdict([0.0, f64::NAN, 0.0], side, &nodes), "not finite");
    is_open(verdict(axis, side, &[]), "ends before");
    let leaf = Node::Plane { a: 0, b: 0 };
    let with = |at: usize, node: &Node| {
        let mut all = nodes.clone();
        all[at] = node.clone();
        all
    };
    let mut longer = nodes.clone();
    longer.push(leaf.clone());
    is_open(verdict(axis, side, &longer), "after the last cell");
    for (at, node) in nodes.iter().enumerate() {
        let mut fewer = nodes.clone();
        fewer.remove(at);
        assert_ne!(verdict(axis, side, &fewer), Verdict::Proved, "without node {at}");
        match node {
            Node::Longitude(_) | Node::Latitude(_) => {
                for outside in [4.0, -4.0, f64::NAN, f64::INFINITY] {
                    is_open(verdict(axis, side, &with(at, &Node::Longitude(outside))), "outside");
                    is_open(verdict(axis, side, &with(at, &Node::Latitude(outside))), "outside");
                }
                is_open(verdict(axis, side, &with(at, &leaf)), "");
            }
            Node::Plane { a, b } => {
                is_open(verdict(axis, side, &with(at, &Node::Plane { a: 1 - a, b: 1 - b })), "does not prove");
                is_open(verdict(axis, side, &with(at, &Node::Plane { a: 2, b: *b })), "does not have");
                is_open(verdict(axis, side, &with(at, &Node::Plane { a: *a, b: u32::MAX })), "does not have");
                is_open(verdict(axis, side, &with(at, &Node::Longitude(0.1))), "");
            }
            Node::Strip { at: latitude, mixes, lines } => {
                let strip = |at: f64, mixes: Vec<Mix>, lines: Vec<[f64; 2]>| Node::Strip { at, mixes, lines };
                let same = |at: f64| strip(at, mixes.clone(), lines.clone());
                is_open(verdict(axis, side, &with(at, &same(latitude + 3.0))), "outside its cell");
                is_open(verdict(axis, side, &with(at, &same(f64::NAN))), "outside its cell");
                is_open(verdict(axis, side, &with(at, &strip(*latitude, vec![], vec![]))), "mix more");
                let many = strip(*latitude, vec![mixes[0].clone(); 10], vec![[0.0; 2]; 9]);
                is_open(verdict(axis, side, &with(at, &many)), "8 lines");
                let changed = |change: &dyn Fn(&mut Mix)| {
                    let mut mixes = mixes.clone();
                    mixes.iter_mut().for_each(change);
                    strip(*latitude, mixes, lines.clone())
                };
                let renumbered = changed(&|mix| mix.b.iter_mut().for_each(|term| term.0 += 2));
                is_open(verdict(axis, side, &with(at, &renumbered)), "does not have");
                let swapped = changed(&|mix| {
                    mix.a = vec![(1 - mix.a[0].0, 1.0)];
                    mix.b = vec![(1 - mix.b[0].0, 1.0)];
                });
                assert_ne!(verdict(axis, side, &with(at, &swapped)), Verdict::Proved);
                is_open(verdict(axis, side, &with(at, &changed(&|mix| mix.a[0].1 = -1.0))), "negative");
                is_open(verdict(axis, side, &with(at, &changed(&|mix| mix.a[0].1 = f64::NAN))), "not finite");
                is_open(verdict(axis, side, &with(at, &changed(&|mix| mix.b.clear()))), "no branch");
                let nothing = changed(&|mix| mix.a.iter_mut().for_each(|term| term.1 = 0.0));
                is_open(verdict(axis, side, &with(at, &nothing)), "all zero");
            }
        }
    }
}

#[test]
fn cells_prove_no_more_than_the_truth() {
    let (query, bracket, evidence) = example();
    let claim = |lower: f64, upper: f64| judge(&query, Bracket { lower, upper }, &evidence);
    let Bracket { lower, upper } = bracket;
    // Both are near the truth.
    assert!(upper - lower < 2e-9);
    assert_eq!(claim(lower, upper), Verdict::Proved);
    assert!(matches!(claim(lower, lower + 1e-12), Verdict::Undecided(_)), "just below the truth");
    assert!(matches!(claim(lower - 1.0, lower - 1e-9), Verdict::Refuted(_)), "the direction shows more");
    assert!(matches!(claim(upper + 1e-9, upper + 1.0), Verdict::Refuted(_)), "the cells show less");
    assert_eq!(check(&query, &Claim::Intersects(true), &evidence), Verdict::Proved);
    assert!(matches!(check(&query, &Claim::Intersects(false), &evidence), Verdict::Refuted(_)));
    assert!(matches!(check(&query, &Claim::Beyond { margin: upper }, &evidence), Verdict::Refuted(_)));
    // Another query with the same cells: 0.2 less deep.
    let mut other = query.clone();
    other.pose_b.translation[0] += 0.2;
    assert_ne!(judge(&other, bracket, &evidence), Verdict::Proved);
}

#[test]
fn parts_of_compounds_have_cells_and_half_spaces_have_none() {
    let (query, bracket, evidence) = example();
    let far = crate::Part {
        shape: Shape::Sphere { radius: 0.1 },
        pose: Pose { translation: [0.0, 90.0, 0.0], ..Pose::IDENTITY },
    };
    let part = |shape: &Shape, pose: Pose| crate::Part { shape: shape.clone(), pose };
    let Query { a, b, pose_b, .. } = &query;
    let compound = Query {
        a: Shape::Compound(vec![far.clone(), part(a, Pose::IDENTITY)]),
        pose_a: Pose::IDENTITY,
        b: Shape::Compound(vec![part(b, *pose_b), far]),
        pose_b: Pose::IDENTITY,
    };
    let Some(Upper::Cells { axis, side, nodes, .. }) = evidence.upper else { panic!("there are no cells") };
    let cells = |parts| {
        let upper = Some(Upper::Cells { parts, axis, side, nodes: nodes.clone() });
        Evidence { upper, ..Evidence::default() }
    };
    let claim = Bracket { lower: f64::NEG_INFINITY, ..bracket };
    assert_eq!(judge(&compound, claim, &cells([1, 0])), Verdict::Proved);
    for wrong in [[0, 0], [0, 1], [1, 1], [2, 0]] {
        assert_ne!(judge(&compound, claim, &cells(wrong)), Verdict::Proved);
    }
    let plane = Shape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 9.0 };
    let half = Query { a: plane, ..query };
    assert!(matches!(judge(&half, claim, &cells([0; 2])), Verdict::Undecided(why) if why.contains("no branches")));
}

#[test]
fn trees_are_limited() {
    let leaf = Node::Plane { a: 0, b: 0 };
    let deep = |count: usize| {
        // Each split halves what is left of the upper part.
        let mut nodes = Vec::new();
        let mut low = -1.5;
        for _ in 0..count {
            low += (ALL.latitude[1] - low) / 8.0;
            nodes.extend([Node::Latitude(low), leaf.clone()]);
        }
        nodes.push(leaf.clone());
        nodes
    };
    assert_eq!(leaves(&deep(200)).map(|all| all.len()), Ok(201));
    assert!(matches!(leaves(&deep(201)), Err(Trouble::Fault(why)) if why.contains("200 splits")));
    assert!(matches!(leaves(&vec![leaf; 65_537]), Err(Trouble::Fault(why)) if why.contains("65,536")));
}

#[test]
fn cells_are_written_as_the_format_says() {
    let text = r#"{"format":2,"upper":{"cells":{"parts":[0,0],"axis":[0.0,1.0,0.0],"side":[1.0,0.0,0.0],"nodes":[{"longitude":0.5},{"plane":{"a":0,"b":1}},{"latitude":-0.25},{"strip":{"at":-0.5,"mixes":[{"a":[[0,1.0]],"b":[[0,0.25],[1,0.75]]},{"a":[[1,1.0]],"b":[[0,1.0]]}],"lines":[[0.0,0.1]]}},{"strip":{"at":0.0,"mixes":[{"a":[[0,1.0]],"b":[[0,1.0]]}]}}]}}}"#;
    let evidence: Evidence = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&evidence).unwrap(), text);
    let Some(Upper::Cells { nodes, .. }) = evidence.upper else { panic!("there are no cells") };
    assert_eq!(leaves(&nodes).map(|all| all.len()), Ok(3));
    assert!(serde_json::from_str::<Node>(r#"{"plane":{"a":0,"b":1,"c":2}}"#).is_err());
    assert!(serde_json::from_str::<Node>(r#"{"plane":{"a":0,"b":-1}}"#).is_err());
    assert!(serde_json::from_str::<Node>(r#"{"cap":{"a":0,"b":1}}"#).is_err());
}

#[test]
fn no_change_of_the_evidence_proves_a_falsehood() {
    let mut random = Rng::with_seed(44);
    let mut still_true = 0;
    for (name, query) in near_symmetric() {
        let Some((bracket, evidence, _)) = proved(&query, 1e-10) else { panic!("{name}") };
        let size = Pair::new(query.clone(), [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]).size();
        // Deeper than it is, by less than the width of a good proof.
        let falsehood = Bracket { lower: f64::NEG_INFINITY, upper: bracket.lower - 1e-12 * size };
        for _ in 0..100 {
            let mut changed = evidence.clone();
            let Some(Upper::Cells { axis, side, nodes, .. }) = &mut changed.upper else { panic!("{name}") };
            for _ in 0..random.usize(1..4) {
                let by = 10_f64.powf(-9.0 * random.f64()) * (random.f64() - 0.5);
                let count = nodes.len();
                let at = random.usize(0..count);
                match random.u32(0..6) {
                    0 => axis[random.usize(0..3)] += by,
                    1 => side[random.usize(0..3)] += by,
                    2 => nodes.swap(at, random.usize(0..count)),
                    _ => match &mut nodes[at] {
                        Node::Longitude(x) | Node::Latitude(x) => *x += by,
                        Node::Plane { a, b } => (*a, *b) = (random.u32(0..2), random.u32(0..2)),
                        Node::Strip { at, mixes, lines } => match random.u32(0..5) {
                            0 => *at += by,
                            1 => {
                                let piece = random.usize(0..=lines.len());
                                lines.insert(piece, [by, by * by]);
                                mixes.insert(piece, mixes[random.usize(0..mixes.len())].clone());
                            }
                            2 => mixes.rotate_left(1),
                            3 => mixes[0].a.iter_mut().for_each(|(_, weight)| *weight += by.abs()),
                            _ => mixes[0].b.push((0, by.abs())),
                        },
                    },
                }
            }
            assert_ne!(judge(&query, falsehood, &changed), Verdict::Proved, "{name}: {changed:?}");
            still_true += u32::from(judge(&query, bracket, &changed) == Verdict::Proved);
        }
    }
    // Small changes make other proofs of the same truth.
    assert!(still_true > 100, "{still_true}");
}
