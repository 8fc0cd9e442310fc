//! Claims whose truth is known by hand, at the very edge: one unit in the last place decides.

use clearance_verify::{Claim, Cover, Evidence, Lower, Member, Part, Pose, Query, Shape, Upper, Verdict, check};

const CUBE: Shape = Shape::Cuboid { half_extents: [0.5; 3] };

fn at(translation: [f64; 3]) -> Pose {
    Pose { translation, ..Pose::IDENTITY }
}

fn query(a: Shape, b: Shape, translation: [f64; 3]) -> Query {
    Query { a, pose_a: Pose::IDENTITY, b, pose_b: at(translation) }
}

fn along(direction: [f64; 3]) -> Evidence {
    Evidence { lower: Some(Lower::along(direction)), ..Evidence::default() }
}

fn points(a: Member, b: Member) -> Evidence {
    Evidence { upper: Some(Upper::Points { parts: [0; 2], a, b }), ..Evidence::default() }
}

/// A claim about bounds only.
fn bounds(lower: f64, upper: f64) -> Claim {
    Claim::Bracket { lower, upper }
}

fn is_proved(query: &Query, claim: Claim, evidence: &Evidence) -> bool {
    check(query, &claim, evidence) == Verdict::Proved
}

fn is_refuted(query: &Query, claim: Claim, evidence: &Evidence) -> bool {
    matches!(check(query, &claim, evidence), Verdict::Refuted(_))
}

#[test]
fn one_unit_in_the_last_place_decides_about_touching() {
    for scale in [1e-6, 1.0, 1e6, 1e-50, 1e50] {
        let cube = || Shape::Cuboid { half_extents: [0.5 * scale; 3] };
        for far in [0.0, 1e9 * scale] {
            let place =
                |x: f64| Query { a: cube(), pose_a: at([far, far, -far]), b: cube(), pose_b: at([x, far, -far]) };
            // Of the doubles next to touching, each is decided as what it is.
            for x in [(far + scale).next_down(), far + scale, (far + scale).next_up()] {
                // These two are near enough for their difference to be exact.
                let is_apart = x - far > scale;
                let none = Evidence::default();
                let pair = place(x);
                assert_eq!(is_proved(&pair, Claim::Intersects(false), &along([1.0, 0.0, 0.0])), is_apart);
                assert_eq!(is_proved(&pair, Claim::Intersects(false), &none), is_apart, "{scale} {far}");
                // "They intersect" says that there is no gap to be seen, which one step next to the sizes is not.
                let is_seen = x - far > scale * (1.0 + 1e-12);
                assert_eq!(is_proved(&pair, Claim::Intersects(true), &none), !is_seen, "{scale} {far}");
            }
        }
    }
}

#[test]
fn bounds_are_compared_exactly() {
    // Cubes 2 apart: the lower bound 2 is proved by x, the next double is not.
    let pair = query(CUBE, CUBE, [3.0, 0.25, 0.0]);
    let x = along([5.0, 0.0, 0.0]);
    assert!(is_proved(&pair, bounds(2.0, f64::INFINITY), &x));
    assert!(!is_proved(&pair, bounds(2.0_f64.next_up(), f64::INFINITY), &x));
    let witnesses = points(Member::At([0.5, 0.25, 0.0]), Member::At([-0.5, 0.0, 0.0]));
    assert!(is_proved(&pair, bounds(f64::NEG_INFINITY, 2.0), &witnesses));
    assert!(!is_proved(&pair, bounds(f64::NEG_INFINITY, 2.0_f64.next_down()), &witnesses));
    assert!(is_refuted(&pair, bounds(2.0_f64.next_up(), 3.0), &witnesses), "the points are nearer");
    assert!(is_refuted(&pair, bounds(1.0, 2.0_f64.next_down()), &x), "the direction shows more");
    // The same by weights: halves of two corners.
    let mid = |i, j| Member::Mix(vec![(0.5, Member::Vertex(i)), (0.5, Member::Vertex(j))]);
    let corners = query(CUBE, CUBE, [3.0, 0.0, 0.0]);
    assert!(is_proved(&corners, bounds(f64::NEG_INFINITY, 2.0), &points(mid(1, 3), mid(0, 2))));
}

#[test]
fn roots_are_no_obstacle() {
    // Balls of radius 1 at (1, 1, 1) from each other: √3 - 2, which is no double. The doubles next to it are distinguished.
    let ball = || Shape::Sphere { radius: 1.0 };
    let pair = query(ball(), ball(), [1.0; 3]);
    let centres = points(Member::Vertex(0), Member::Vertex(0));
    let mut upper: f64 = 3.0_f64.sqrt() - 2.0 - 1e-14;
    while !is_proved(&pair, bounds(f64::NEG_INFINITY, upper), &centres) {
        upper = upper.next_up();
    }
    assert!((upper - (3.0_f64.sqrt() - 2.0)).abs() < 1e-15);
    assert!(is_proved(&pair, bounds(upper.next_down(), f64::INFINITY), &along([1.0; 3])));
    assert!(!is_proved(&pair, bounds(upper, f64::INFINITY), &along([1.0; 3])));
    // Ellipsoid and cylinder: two different roots.
    let (a, b) = (Shape::Ellipsoid { radii: [1.0, 2.0, 3.0] }, Shape::Cylinder { radius: 1.0, half_height: 1.0 });
    let pair = query(a, b, [9.0, 5.0, 1.0]);
    assert!(is_proved(&pair, Claim::Intersects(false), &along([2.0, 1.0, 0.0])));
    assert!(!is_proved(&pair, Claim::Intersects(false), &along([-2.0, 1.0, 0.0])));
}

#[test]
fn a_cone_without_height_is_a_disc_and_not_a_plane() {
    let pair = query(Shape::Cone { radius: 1.0, half_height: 0.0 }, Shape::Point {}, [2.0, 0.0, 0.0]);
    assert!(!is_proved(&pair, Claim::Intersects(true), &points(Member::At([2.0, 0.0, 0.0]), Member::Vertex(0))));
    let rim = points(Member::At([1.0, 0.0, 0.0]), Member::Vertex(0));
    assert!(is_proved(&pair, bounds(f64::NEG_INFINITY, 1.0), &rim));
    let flat = query(Shape::Ellipsoid { radii: [1.0, 0.0, 1.0] }, Shape::Point {}, [2.0, 0.0, 0.0]);
    for outside in [[2.0, 0.0, 0.0], [0.0, 0.1, 0.0]] {
        assert!(!is_proved(&flat, bounds(f64::NEG_INFINITY, 3.0), &points(Member::At(outside), Member::Vertex(0))));
    }
}

/// The corners and the twelve triangles of the cube A - B of two unit cubes, by the signs of x, y, z in bits 0, 1, 2.
fn cube_surface() -> Upper {
    let points = (0..8).map(|v| [Member::Vertex(v), Member::Vertex(7 - v)]).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect();
    Upper::Surface { parts: [0; 2], points, triangles }
}

#[test]
fn depth_is_proved_by_a_surface_and_a_direction() {
    for (offset, depth) in [([0.0; 3], 1.0), ([0.25, 0.0, 0.0], 0.75), ([0.25, 0.5, -0.125], 0.5)] {
        let pair = query(CUBE, CUBE, offset);
        let direction = if offset[1] > 0.0 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
        let evidence =
            Evidence { lower: Some(Lower::along(direction)), upper: Some(cube_surface()), ..Evidence::default() };
        assert!(is_proved(&pair, bounds(-depth, -depth), &evidence), "{offset:?}");
        assert!(is_proved(&pair, Claim::Intersects(true), &evidence));
        assert!(is_refuted(&pair, Claim::Intersects(false), &evidence));
        let deeper = (-depth).next_down();
        assert!(is_refuted(&pair, bounds(deeper, deeper), &evidence), "the direction needs less");
        let less = (-depth).next_up();
        assert!(is_refuted(&pair, bounds(less, less), &evidence), "the surface is farther out");
    }
    // Rounded by 0.25 each, the surface of the cores is as good, and the radii add.
    let round = || Shape::Rounded { shape: Box::new(CUBE), radius: 0.25 };
    let evidence =
        Evidence { lower: Some(Lower::along([1.0, 0.0, 0.0])), upper: Some(cube_surface()), ..Evidence::default() };
    assert!(is_proved(&query(round(), round(), [0.25, 0.0, 0.0]), bounds(-1.25, -1.25), &evidence));
    // Out of the cube there is no origin inside.
    let apart = query(CUBE, CUBE, [1.5, 0.0, 0.0]);
    assert!(!is_proved(&apart, Claim::Intersects(true), &evidence));
}

#[test]
fn a_surface_that_does_not_close_or_does_not_surround_proves_nothing() {
    let pair = query(CUBE, CUBE, [0.25, 0.0, 0.0]);
    let Upper::Surface { parts, points, triangles } = cube_surface() else { unreachable!() };
    let with = |triangles: Vec<[u32; 3]>| Evidence {
        lower: Some(Lower::along([1.0, 0.0, 0.0])),
        upper: Some(Upper::Surface { parts, points: points.clone(), triangles }),
        ..Evidence::default()
    };
    let claim = || bounds(-0.75, -0.75);
    assert!(is_proved(&pair, claim(), &with(triangles.clone())));
    for missing in 0..triangles.len() {
        let mut open = triangles.clone();
        let [p, q, r] = open.remove(missing);
        assert!(!is_proved(&pair, claim(), &with(open.clone())));
        open.push([p, r, q]);
        assert!(!is_proved(&pair, claim(), &with(open)), "one triangle turned over");
    }
    let inside_out = triangles.iter().map(|&[p, q, r]| [p, r, q]).collect();
    assert!(!is_proved(&pair, claim(), &with(inside_out)));
    // A tetrahedron of corners that has the origin outside.
    assert!(!is_proved(&pair, claim(), &with(vec![[0, 2, 1], [0, 1, 4], [0, 4, 2], [1, 2, 4]])));
}

#[test]
fn half_spaces_bring_their_own_direction() {
    let floor = || Shape::HalfSpace { normal: [0.0, 2.0, 0.0], offset: 3.0 };
    let lowest = points(Member::Plane {}, Member::Vertex(0));
    // The plane is y = 1.5; the cube's lowest corners are at y = 2 and at y = 1.
    let above = query(floor(), CUBE, [7.0, 2.5, 0.0]);
    assert!(is_proved(&above, bounds(0.5, 0.5), &lowest));
    assert!(is_proved(&above, Claim::Intersects(false), &Evidence::default()));
    let below = query(floor(), CUBE, [7.0, 1.5, 0.0]);
    assert!(is_proved(&below, bounds(-0.5, -0.5), &lowest));
    assert!(is_proved(&below, Claim::Intersects(true), &lowest));
    assert!(is_refuted(&below, bounds(-0.25, -0.25), &lowest));
    let none = Evidence::default();
    let endless = || bounds(f64::NEG_INFINITY, f64::NEG_INFINITY);
    let tilted = query(floor(), Shape::HalfSpace { normal: [1.0, 0.5, 0.0], offset: 0.0 }, [0.0; 3]);
    assert!(is_proved(&tilted, endless(), &none));
    assert!(is_refuted(&tilted, bounds(-1.0, -1.0), &none));
    let facing = query(floor(), Shape::HalfSpace { normal: [0.0, -0.25, 0.0], offset: -1.0 }, [0.0; 3]);
    let planes = points(Member::Plane {}, Member::Plane {});
    assert!(is_proved(&facing, bounds(2.5, 2.5), &planes), "y <= 1.5 and y >= 4");
    assert!(is_refuted(&facing, endless(), &none));
}

#[test]
fn a_compound_needs_a_direction_for_every_part() {
    let parts = [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]].map(|place| Part { shape: CUBE, pose: at(place) });
    let pair = query(Shape::Compound(parts.to_vec()), CUBE, [0.0; 3]);
    let cover = vec![Cover::SplitA(1), Cover::Along([1.0, 0.0, 0.0]), Cover::Along([-1.0, 0.0, 0.0])];
    let both = Evidence { lower: Some(Lower { cover, ..Lower::default() }), ..Evidence::default() };
    assert!(is_proved(&pair, Claim::Intersects(false), &both));
    assert!(is_proved(&pair, bounds(1.0, f64::INFINITY), &both));
    assert!(!is_proved(&pair, bounds(1.0, f64::INFINITY), &along([1.0, 0.0, 0.0])));
    let of_second = Upper::Points { parts: [1, 0], a: Member::At([-0.5, 0.0, 0.0]), b: Member::At([0.5, 0.0, 0.0]) };
    assert!(is_proved(&pair, bounds(1.0, 1.0), &Evidence { upper: Some(of_second), ..both.clone() }));
    let of_third = Upper::Points { parts: [2, 0], a: Member::At([0.0; 3]), b: Member::At([0.0; 3]) };
    assert!(!is_proved(&pair, bounds(1.0, 1.0), &Evidence { upper: Some(of_third), ..both }));
}

#[test]
fn images_of_round_shapes_have_members_with_offsets() {
    // A ball stretched to the ellipsoid (2, 1, 1): its point (2, 0, 0) is the image of the centre moved by (1, 0, 0).
    let matrix = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let stretched = Shape::Affine { shape: Box::new(Shape::Sphere { radius: 1.0 }), matrix };
    let pair = query(stretched, Shape::Point {}, [3.0, 0.0, 0.0]);
    let image = |offset| Member::Image(Box::new(Member::Offset { core: Box::new(Member::Vertex(0)), offset }));
    let with =
        |offset| Evidence { lower: Some(Lower::along([1.0, 0.0, 0.0])), ..points(image(offset), Member::Vertex(0)) };
    assert!(is_proved(&pair, bounds(1.0, 1.0), &with([1.0, 0.0, 0.0])));
    assert!(!is_proved(&pair, bounds(0.5, 0.5), &with([1.25, 0.0, 0.0])), "longer than the radius");
}

#[test]
fn what_cannot_be_computed_with_is_undecided_and_never_a_panic() {
    let nan = Shape::Sphere { radius: f64::NAN };
    let nested = (0..100).fold(CUBE, |shape, _| Shape::Rounded { shape: Box::new(shape), radius: 0.1 });
    let still = Pose { rotation: [0.0; 4], ..Pose::IDENTITY };
    let none = Evidence::default();
    for bad in [nan, nested, Shape::Hull { points: vec![] }, Shape::Compound(vec![])] {
        let pair = query(bad, CUBE, [0.0; 3]);
        assert!(matches!(check(&pair, &Claim::Intersects(true), &none), Verdict::Undecided(_)));
    }
    let pair = Query { a: CUBE, pose_a: still, b: CUBE, pose_b: Pose::IDENTITY };
    assert!(matches!(check(&pair, &Claim::Intersects(true), &none), Verdict::Undecided(_)));
    // Numbers at both ends of the doubles.
    let line = Shape::Segment { a: [f64::MAX; 3], b: [-f64::MAX; 3] };
    let extreme = query(Shape::Sphere { radius: 5e-324 }, line, [1e300, 0.0, 0.0]);
    assert!(is_proved(&extreme, Claim::Intersects(false), &none));
    let margin = Claim::Beyond { margin: f64::INFINITY };
    assert!(matches!(check(&extreme, &margin, &none), Verdict::Undecided(_)));
    assert!(is_refuted(&extreme, bounds(f64::INFINITY, f64::INFINITY), &none));
}

/// A cover of a row of cubes on both sides of a row of cubes, whose orders are turned around.
fn rows() -> (Query, Lower) {
    let row = |places: &[f64]| {
        Shape::Compound(places.iter().map(|&x| Part { shape: CUBE, pose: at([x, 0.0, 0.0]) }).collect())
    };
    let pair = query(row(&[6.0, -6.0, 8.0, -8.0]), row(&[0.0, 2.0, -2.0]), [0.0; 3]);
    let cover = vec![
        Cover::SplitA(2),
        Cover::Along([1.0, 0.0, 0.0]),
        Cover::SplitB(1),
        Cover::Along([-1.0, 0.0, 0.0]),
        Cover::Along([-3.0, 0.0, 0.0]),
    ];
    (pair, Lower { translation: None, a: vec![3, 1, 0, 2], b: vec![2, 0, 1], cover })
}

#[test]
fn a_cover_has_every_pair_once() {
    let (pair, lower) = rows();
    let proves = |lower: &Lower| {
        let evidence = Evidence { lower: Some(lower.clone()), ..Evidence::default() };
        is_proved(&pair, bounds(3.0, f64::INFINITY), &evidence)
    };
    assert!(proves(&lower));
    // Nodes left out, listed twice, or after the end.
    for i in 0..lower.cover.len() {
        let mut short = lower.clone();
        short.cover.remove(i);
        assert!(!proves(&short), "{short:?}");
        let mut long = lower.clone();
        long.cover.insert(i, lower.cover[i]);
        assert!(!proves(&long), "{long:?}");
    }
    // A part left out, listed twice, unknown; an order that is too long; sets that go with another direction.
    for order in [vec![3, 1, 0], vec![3, 1, 0, 0], vec![3, 1, 0, 4], vec![3, 1, 0, 2, 2], vec![0, 1, 3, 2], vec![]] {
        let spoiled = Lower { a: order, ..lower.clone() };
        assert!(!proves(&spoiled), "{spoiled:?}");
    }
    // Splits outside of their sets, and directions that are turned.
    for at in [0, 4, 5, u32::MAX] {
        let mut spoiled = lower.clone();
        spoiled.cover[0] = Cover::SplitA(at);
        assert!(!proves(&spoiled), "{spoiled:?}");
    }
    for (i, node) in lower.cover.iter().enumerate() {
        if let Cover::Along(n) = node {
            for turned in [n.map(|x| -x), [n[0], 2.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [f64::NAN; 3]] {
                let mut spoiled = lower.clone();
                spoiled.cover[i] = Cover::Along(turned);
                assert!(!proves(&spoiled), "{spoiled:?}");
            }
        }
    }
}

#[test]
fn how_deep_compounds_overlap_takes_one_direction_or_a_way_out() {
    // A bar of two boxes with a cube in the middle: 1.5 deep in all, 1 out of either box.
    let half = Shape::Cuboid { half_extents: [1.0, 1.0, 1.0] };
    let bar = [-1.0, 1.0].map(|x| Part { shape: half.clone(), pose: at([x, 0.0, 0.0]) });
    let pair = query(Shape::Compound(bar.to_vec()), CUBE, [0.0; 3]);
    let own = vec![Cover::SplitA(1), Cover::Along([1.0, 0.0, 0.0]), Cover::Along([-1.0, 0.0, 0.0])];
    let lower = |lower: Lower| Evidence { lower: Some(lower), ..Evidence::default() };
    let directions = lower(Lower { cover: own, ..Lower::default() });
    assert!(!is_proved(&pair, bounds(-0.5, f64::INFINITY), &directions), "directions of their own");
    assert!(is_proved(&pair, bounds(-1.5, f64::INFINITY), &along([0.0, 1.0, 0.0])));
    assert!(!is_proved(&pair, bounds(-1.4, f64::INFINITY), &along([0.0, 1.0, 0.0])));
    assert!(is_refuted(&pair, bounds(-3.0, -1.6), &along([0.0, 1.0, 0.0])));
    let out = |y: f64| {
        let up = Lower::along([0.0, 1.0, 0.0]);
        lower(Lower { translation: Some([0.0, y, 0.0]), ..up })
    };
    assert!(is_proved(&pair, bounds(-1.5, f64::INFINITY), &out(1.5)));
    assert!(!is_proved(&pair, bounds(-1.5, f64::INFINITY), &out(1.5_f64.next_up())), "too long");
    assert!(!is_proved(&pair, bounds(-1.5, f64::INFINITY), &out(1.4)), "not free");
    assert!(!is_proved(&pair, bounds(-1.5, f64::INFINITY), &out(f64::NAN)));
    assert!(!is_proved(&pair, bounds(0.1, f64::INFINITY), &out(1.5)));
    // Without evidence: that no part is as deep as a margin says nothing about all.
    let ball = Shape::Rounded { shape: Box::new(Shape::Point {}), radius: 0.25 };
    let points = [-0.3, 0.3].map(|x| Part { shape: ball.clone(), pose: at([x, 0.0, 0.0]) });
    let balls = query(Shape::Compound(points.to_vec()), ball, [0.0; 3]);
    let none = Evidence::default();
    assert!(!is_proved(&balls, Claim::Beyond { margin: -0.3 }, &none));
    assert!(is_refuted(&balls, Claim::Beyond { margin: -0.1 }, &none));
    assert!(!is_refuted(&balls, bounds(-1.0, -0.3), &none));
}

#[test]
fn evidence_of_another_format_is_not_looked_at() {
    let pair = query(CUBE, CUBE, [3.0, 0.0, 0.0]);
    for format in [0, 1, 3] {
        let evidence = Evidence { format, ..along([1.0, 0.0, 0.0]) };
        let verdict = check(&pair, &bounds(2.0, f64::INFINITY), &evidence);
        assert!(matches!(&verdict, Verdict::Undecided(why) if why.contains("answer again")), "{verdict:?}");
    }
}
