//! Every closed form against 32 digits and against GJK: random pairs, and pairs placed where formulas go wrong. Each case
//! is also swapped and moved; witnesses and normals are checked as a user would rely on them.

use clearance::math::{DQuat, DVec3};
use clearance::{Axis, Clearance, Engine, HalfHeight, Pair, Pose, Radius, Shape, Status, distance, intersects, within};
use clearance_lab::oracle::{self, Oracle};
use clearance_lab::{Rng, depth, models, random};

/// A shape as the hull of a few points and a radius.
#[derive(Clone, Debug)]
struct Body {
    shape: Shape,
    core: Vec<DVec3>,
    radius: f64,
}

impl Body {
    fn ball(radius: f64) -> Self {
        Self { shape: Shape::sphere(radius).expect("finite"), core: vec![DVec3::ZERO], radius }
    }

    fn capsule(radius: f64, half: f64) -> Self {
        let top = DVec3::new(0.0, half, 0.0);
        Self {
            shape: Shape::capsule(Axis::Y, Radius(radius), HalfHeight(half)).expect("finite"),
            core: vec![-top, top],
            radius,
        }
    }

    fn segment(a: DVec3, b: DVec3) -> Self {
        Self { shape: Shape::segment(a, b).expect("finite"), core: vec![a, b], radius: 0.0 }
    }

    fn triangle(a: DVec3, b: DVec3, c: DVec3) -> Self {
        Self { shape: Shape::triangle(a, b, c).expect("finite"), core: vec![a, b, c], radius: 0.0 }
    }

    fn cuboid(half: DVec3) -> Self {
        Self { shape: Shape::cuboid(half).expect("finite"), core: models::cuboid(half), radius: 0.0 }
    }

    fn bounding_radius(&self) -> f64 {
        models::bounding_radius(&self.core) + self.radius
    }

    /// The height along a unit vector of its own frame.
    fn height(&self, n: DVec3) -> f64 {
        self.core.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max) + self.radius
    }

    /// A corner, the middle between two, or somewhere in between.
    fn somewhere(&self, rng: &mut Rng) -> DVec3 {
        let mut corner = || self.core[rng.usize(..self.core.len())];
        let (p, q, r) = (corner(), corner(), corner());
        match rng.usize(..4) {
            0 => p,
            1 => 0.5 * (p + q),
            2 => p + random::uniform(rng, 0.0, 1.0) * (q - p),
            _ => (p + q + r) / 3.0,
        }
    }
}

#[derive(Clone)]
struct Case {
    bodies: [Body; 2],
    pose: [Pose; 2],
}

impl Case {
    fn ask(&self) -> Clearance {
        distance(&self.bodies[0].shape, self.pose[0], &self.bodies[1].shape, self.pose[1])
    }

    fn size(&self) -> f64 {
        let apart = (self.pose[1].translation() - self.pose[0].translation()).length();
        self.bodies[0].bounding_radius() + self.bodies[1].bounding_radius() + apart
    }

    /// The signed distance, and the permitted error.
    fn truth(&self) -> (f64, f64) {
        let [a, b] = [&self.bodies[0], &self.bodies[1]];
        let core = match oracle::distance(&a.core, self.pose[0], &b.core, self.pose[1]) {
            Oracle::Apart { distance, certificate_gap, .. } => (distance, certificate_gap),
            Oracle::Overlapping => (depth::widest_gap(&a.core, self.pose[0], &b.core, self.pose[1]), 0.0),
        };
        // A widest gap above zero is 32 digits' rounding.
        (core.0 - (a.radius + b.radius), core.1 + 1e-16 * (a.radius + b.radius) + 1e-25 * self.size())
    }

    fn swapped(&self) -> Self {
        let [a, b] = self.bodies.clone();
        Self { bodies: [b, a], pose: [self.pose[1], self.pose[0]] }
    }
}

fn check(case: &Case, what: &str) -> f64 {
    let (answer, size) = (case.ask(), case.size());
    let (truth, doubt) = case.truth();
    let complain =
        |text: &str| panic!("{what}: {text}: {answer:?}, truth {truth:e}; {:?} {:?}", case.bodies, case.pose);
    let world = size + case.pose[0].translation().length();
    let slack = 1e-13 * size + 1e-70;
    if answer.status != Status::Converged {
        complain("open");
    }
    if answer.lower > truth + doubt || answer.upper < truth - doubt {
        complain("the bracket misses");
    }
    if answer.upper - answer.lower > slack || !(answer.lower..=answer.upper).contains(&answer.distance) {
        complain("the bracket is wide, or without the answer");
    }
    let n = answer.normal;
    let fit = answer.point_a + answer.distance * n - answer.point_b;
    if (n.length() - 1.0).abs() > 1e-14 || fit.length() > 1e-15 * world {
        complain("the witnesses do not fit");
    }
    for (k, (point, outward)) in [(answer.point_a, n), (answer.point_b, -n)].into_iter().enumerate() {
        let (body, pose) = (&case.bodies[k], case.pose[k]);
        let local = pose.inverse_transform_vector(point - pose.translation());
        let slack = slack + 1e-15 * world;
        let beyond = oracle::distance(&body.core, Pose::IDENTITY, &[local], Pose::IDENTITY).distance() - body.radius;
        if beyond > slack {
            complain("a witness is outside its shape");
        }
        // Farthest along the normal: moving along it changes the distance one to one.
        let outward = pose.inverse_transform_vector(outward);
        if body.height(outward) - local.dot(outward) > slack {
            complain("a witness is not the farthest along the normal");
        }
    }
    let [a, b] = [&case.bodies[0].shape, &case.bodies[1].shape];
    let meet = intersects(a, case.pose[0], b, case.pose[1]);
    if (truth < -doubt && !meet) || (truth > slack && meet) {
        complain("yes/no says otherwise");
    }
    if within(a, case.pose[0], b, case.pose[1], truth + slack).is_none()
        || within(a, case.pose[0], b, case.pose[1], truth - slack).is_some()
    {
        complain("within says otherwise");
    }
    let searched = Pair::new(a, b).engine(Engine::Gjk).distance(case.pose[0], case.pose[1]);
    if answer.lower > searched.upper || searched.lower > answer.upper {
        complain(&format!("GJK says {searched:?}"));
    }
    truth
}

fn check_all(rng: &mut Rng, case: &Case, what: &str) {
    let first = check(case, what);
    check(&case.swapped(), what);
    let motion = Pose::new(random::vector(rng, -2.0, 2.0) * case.size(), random::rotation(rng));
    let moved = Case { pose: case.pose.map(|pose| motion * pose), ..case.clone() };
    let world = case.size() + moved.pose[0].translation().length();
    let moved = check(&moved, what);
    // The moved poses are rounded like their coordinates.
    assert!((moved - first).abs() <= 1e-14 * world, "{what}: {first} {moved}");
}

const KINDS: [&str; 5] = ["ball", "capsule", "segment", "triangle", "cuboid"];

/// A body of that kind; a degenerate one every now and then.
fn body(rng: &mut Rng, kind: usize) -> Body {
    let flat = rng.usize(..4) == 0;
    let length = |rng: &mut Rng| random::uniform(rng, 0.3, 1.0);
    let corner = |rng: &mut Rng| random::vector(rng, -1.0, 1.0);
    match kind {
        0 => Body::ball(if flat { 0.0 } else { length(rng) }),
        1 => Body::capsule(0.5 * length(rng), if flat { 0.0 } else { length(rng) }),
        2 => {
            let (a, b) = (corner(rng), corner(rng));
            Body::segment(a, if flat { a } else { b })
        }
        3 => {
            let (a, b, c) = (corner(rng), corner(rng), corner(rng));
            match (flat, rng.usize(..4)) {
                (false, _) => Body::triangle(a, b, c),
                (_, 0) => Body::triangle(a, a, b),
                (_, 1) => Body::triangle(a, b, b),
                (_, 2) => Body::triangle(a, b, a.lerp(b, 0.25)),
                _ => Body::triangle(a, b, a.lerp(b, 0.25) + 1e-9 * c),
            }
        }
        _ => {
            let mut half = random::vector(rng, 0.3, 1.0);
            if flat {
                half[rng.usize(..3)] = 0.0;
            }
            Body::cuboid(half)
        }
    }
}

/// The pairs that have a closed form: a ball and anything, or two segments.
fn pair_of_kinds(rng: &mut Rng) -> [usize; 2] {
    if rng.usize(..3) == 0 { [1 + rng.usize(..2), 1 + rng.usize(..2)] } else { [0, rng.usize(..5)] }
}

const PLACES: [&str; 8] = [
    "anywhere",
    "concentric",
    "about one origin",
    "points that coincide",
    "almost touching",
    "parallel",
    "almost parallel",
    "whole numbers",
];

fn case(rng: &mut Rng, place: usize) -> Case {
    let kinds = pair_of_kinds(rng);
    let bodies = kinds.map(|kind| body(rng, kind));
    let mut turn = [random::rotation(rng), random::rotation(rng)];
    let tiny = random::magnitude(rng, -17.0, -2.0);
    let mut at = [random::vector(rng, -1.0, 1.0), random::vector(rng, -1.0, 1.0)];
    let meet = |rng: &mut Rng, at: &mut [DVec3; 2], turn: &[DQuat; 2]| {
        at[1] = at[0] + turn[0] * bodies[0].somewhere(rng) - turn[1] * bodies[1].somewhere(rng);
    };
    match place {
        0 => {}
        1 => (at[1], turn[1]) = (at[0], turn[0]),
        2 => at[1] = at[0],
        3 => meet(rng, &mut at, &turn),
        4 => {
            meet(rng, &mut at, &turn);
            let radii = bodies[0].radius + bodies[1].radius;
            at[1] += random::direction(rng) * (tiny + if rng.bool() { radii } else { 0.0 });
        }
        5 => {
            turn[1] = turn[0];
            if rng.bool() {
                meet(rng, &mut at, &turn);
            }
        }
        6 => {
            turn[1] = turn[0] * DQuat::from_axis_angle(random::direction(rng), tiny);
            if rng.bool() {
                meet(rng, &mut at, &turn);
                at[1] += random::direction(rng) * random::magnitude(rng, -17.0, -2.0);
            }
        }
        _ => {
            let turns = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0; 4]];
            turn = turn.map(|_| DQuat::from_array(turns[rng.usize(..4)]).normalize());
            at = at.map(|at| at.round());
        }
    }
    Case { bodies, pose: [Pose::new(at[0], turn[0]), Pose::new(at[1], turn[1])] }
}

fn count() -> usize {
    std::env::var("PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(4000)
}

#[test]
fn closed_forms_are_true_wherever_the_shapes_are() {
    let mut rng = Rng::with_seed(501);
    let (mut seen, mut searched) = ([[0; 2]; PLACES.len()], 0);
    for round in 0..count() {
        let place = round % PLACES.len();
        let case = case(&mut rng, place);
        let [a, b] = case.bodies.each_ref().map(|body| KINDS.iter().position(|k| *k == kind_of(body)).expect("known"));
        check_all(&mut rng, &case, &format!("{} and {}, {}", KINDS[a], KINDS[b], PLACES[place]));
        let answer = case.ask();
        seen[place][usize::from(answer.distance < 0.0)] += 1;
        searched += usize::from(answer.cost.iterations > 0);
    }
    // A search answers where a formula does not, so that is no mistake; but it should be rare.
    println!("{searched} of {} were left to a search", count());
    assert!(searched * 10_000 <= count(), "{searched}");
    for (place, [apart, overlapping]) in PLACES.iter().zip(seen) {
        println!("{place}: {apart} apart, {overlapping} overlapping");
        assert!(overlapping * 20 > count() / PLACES.len(), "{place}: {overlapping}");
    }
}

fn kind_of(body: &Body) -> &'static str {
    match body.shape.kind() {
        "sphere" | "point" => "ball",
        kind => kind,
    }
}

#[test]
fn size_and_place_make_no_difference() {
    let mut rng = Rng::with_seed(502);
    for round in 0..count() / 8 {
        let case = case(&mut rng, round % PLACES.len());
        for scale in [1e-6, 1e6, 1e-40, 1e40] {
            let bodies = case.bodies.each_ref().map(|body| scaled(body, scale));
            let pose = case.pose.map(|pose| Pose::new(pose.translation() * scale, pose.rotation()));
            check(&Case { bodies, pose }, "scaled");
        }
        // Far away, by numbers that lose no digits.
        let far = DVec3::new(3.0e8, -2.0e8, 1.0e8);
        let near = case.pose.map(|pose| (pose.translation() * 1024.0).round() / 1024.0);
        let pose = [0, 1].map(|k| Pose::new(far + near[k], case.pose[k].rotation()));
        check(&Case { pose, ..case }, "far away");
    }
}

fn scaled(body: &Body, scale: f64) -> Body {
    let core: Vec<DVec3> = body.core.iter().map(|&p| p * scale).collect();
    match kind_of(body) {
        "ball" => Body::ball(body.radius * scale),
        "capsule" => Body::capsule(body.radius * scale, core[1].y),
        "segment" => Body::segment(core[0], core[1]),
        "triangle" => Body::triangle(core[0], core[1], core[2]),
        _ => Body::cuboid(core.iter().fold(DVec3::ZERO, |half, p| half.max(*p))),
    }
}

#[test]
fn textbook_cases_have_their_numbers() {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation([x, y, z]);
    let capsule = Shape::capsule(Axis::Y, Radius(0.5), HalfHeight(1.0)).expect("finite");
    let itself = distance(&capsule, Pose::IDENTITY, &capsule, Pose::IDENTITY);
    // Only directions across the axis free a capsule from itself.
    assert_eq!((itself.distance, itself.normal.y), (-1.0, 0.0));
    // Crossing at right angles; end to end; side by side.
    let across = Pose::new([0.0; 3], DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let crossed = distance(&capsule, Pose::IDENTITY, &capsule, across);
    assert!((crossed.distance + 1.0).abs() < 1e-15 && crossed.normal.x.abs() > 1.0 - 1e-15, "{crossed:?}");
    assert_eq!(distance(&capsule, Pose::IDENTITY, &capsule, at(0.0, 4.0, 0.0)).distance, 1.0);
    assert_eq!(distance(&capsule, Pose::IDENTITY, &capsule, at(3.0, 0.25, 0.0)).distance, 2.0);
    // A ball in a box leaves by the nearest face.
    let cuboid = Shape::cuboid([1.0, 2.0, 3.0]).expect("finite");
    let ball = Shape::sphere(0.5).expect("finite");
    let inside = distance(&cuboid, Pose::IDENTITY, &ball, at(0.25, -1.75, 0.0));
    assert_eq!((inside.distance, inside.normal), (-0.75, -DVec3::Y));
    assert_eq!(inside.point_a, DVec3::new(0.25, -2.0, 0.0));
    assert_eq!(distance(&ball, Pose::IDENTITY, &cuboid, Pose::IDENTITY).distance, -1.5);
    assert_eq!(distance(&ball, Pose::IDENTITY, &ball, Pose::IDENTITY).distance, -1.0);
    let huge = Shape::cuboid([5e5; 3]).expect("finite");
    let grain = Shape::sphere(1e-3).expect("finite");
    let gap = distance(&huge, Pose::IDENTITY, &grain, at(0.0, 0.0, 500_000.002));
    assert!((gap.distance - 1e-3).abs() < 1e-10 && gap.lower <= 1e-3 && 1e-3 <= gap.upper);
    // A triangle that is a segment, from a bug report.
    let a = DVec3::new(2.276_999_95, -7.900_000_1, 16.318_000_8);
    let b = DVec3::new(-0.569_999_993, -8.100_000_38, 16.607_000_4);
    let sliver = Shape::triangle(a, b, b).expect("finite");
    let point = Pose::from_translation([1.100_000_02, -7.900_000_1, 16.587_999_3]);
    let found = distance(&sliver, Pose::IDENTITY, &Shape::point(), point);
    // By hand in 40 digits from the decimals as they are printed.
    assert!((found.distance - 0.171_478_265_901_441_58).abs() < 1e-14, "{found:?}");
    // A ball whose centre is in the middle of a triangle is freed across it.
    let triangle = Shape::triangle([1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]).expect("finite");
    let caught = distance(&triangle, Pose::IDENTITY, &ball, at(-0.25, 0.0, 0.0));
    assert_eq!((caught.distance, caught.normal.z.abs()), (-0.5, 1.0));
}
