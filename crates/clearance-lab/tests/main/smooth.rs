//! Newton's method on curved shapes: the bracket holds and closes, GJK agrees, and Newton decides most pairs.

use clearance::internals::narrow::{Exit, Outcome, gjk, newton};
use clearance::math::Frame;
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::shape::Convex;
use clearance::{Axis, HalfHeight, Pose, Radius, Shape};
use clearance_lab::{Rng, pairs, random};

const TOLERANCE: f64 = 1e-12;

fn core(shape: &Shape) -> &dyn Convex {
    shape.convex().expect("convex")
}

fn size(rng: &mut Rng) -> f64 {
    random::uniform(rng, 0.3, 1.0)
}

fn ellipsoid(rng: &mut Rng) -> Shape {
    Shape::ellipsoid(random::vector(rng, 0.3, 1.0)).expect("finite")
}

fn cylinder(rng: &mut Rng) -> Shape {
    Shape::cylinder(Axis::Y, Radius(size(rng)), HalfHeight(size(rng))).expect("finite")
}

fn cone(rng: &mut Rng) -> Shape {
    Shape::cone(Axis::Y, Radius(size(rng)), HalfHeight(size(rng))).expect("finite")
}

fn cuboid(rng: &mut Rng) -> Shape {
    Shape::cuboid(random::vector(rng, 0.3, 1.0)).expect("finite")
}

fn sheared(rng: &mut Rng) -> Shape {
    let columns = [0, 1, 2].map(|i| DVec3::AXES[i] + 0.3 * random::vector(rng, -1.0, 1.0));
    let inner = match rng.u32(0..3) {
        0 => Shape::capsule(Axis::Y, Radius(size(rng)), HalfHeight(size(rng))).expect("finite"),
        1 => ellipsoid(rng),
        _ => cylinder(rng),
    };
    Shape::affine(&inner, DMat3::from_cols(columns[0], columns[1], columns[2])).expect("finite")
}

fn rounded(rng: &mut Rng) -> Shape {
    Shape::rounded(&cone(rng), size(rng)).expect("finite")
}

/// Queries Newton and compares the answer with its own proof and with GJK; `None` if Newton did not converge.
fn settled(a: &Shape, b: &Shape, frame: &Frame) -> Option<Outcome> {
    let (a, b) = (core(a), core(b));
    let reach = a.bounding_radius() + b.bounding_radius() + a.radius() + b.radius() + frame.translation.length();
    // A witness may be off by 128 roundings, and images round more than others.
    let slack = TOLERANCE * reach + 128.0 * (a.slack() + b.slack());
    let reference = gjk::distance(a, b, frame, &mut gjk::WarmSimplex::default());
    let out = match newton::distance(a, b, frame, DVec3::ZERO, f64::INFINITY) {
        Ok(out) => out,
        Err(axis) => {
            assert!(axis.is_finite() && (axis.length() - 1.0).abs() < 1e-9, "{axis}");
            return None;
        }
    };
    assert!(out.closed && out.lower <= out.distance && out.distance <= out.upper, "{out:?}");
    assert!((out.point_a + out.distance * out.normal - out.point_b).length() <= slack, "{out:?}");
    // Both brackets hold the same number, so they meet.
    assert!(out.lower <= reference.upper && reference.lower <= out.upper, "{out:?} but {reference:?}");
    if reference.closed && reference.distance > slack {
        assert!((reference.distance - out.distance).abs() <= slack, "{out:?} but {reference:?}");
    }
    // The plane that proves the lower bound, from the support points alone.
    let n = out.normal;
    let height = frame.point(b.support(frame.direction_in_b(-n))).dot(n) - a.support(n).dot(n);
    // A normal that is off by an angle lowers its plane by the angle times the sizes, and v is exact to half the digits.
    assert!(height - a.radius() - b.radius() >= out.distance - 1e-6 * reach, "{out:?}: {height}");
    // No witness is beyond the support plane of its own shape.
    let beyond = |shape: &dyn Convex, point: DVec3, d: DVec3| point.dot(d) - shape.support(d).dot(d) - shape.radius();
    let in_b = |v: DVec3| frame.direction_in_b(v);
    for d in [n, -n, DVec3::X, DVec3::NEG_Y, DVec3::Y, DVec3::new(0.6, 0.0, 0.8)] {
        assert!(beyond(a, out.point_a, d) <= slack, "{out:?}");
        assert!(beyond(b, in_b(out.point_b - frame.translation), d) <= slack, "{out:?}");
    }
    Some(out)
}

type Draw = fn(&mut Rng) -> Shape;

#[test]
fn random_pairs_are_settled_and_gjk_agrees() {
    let families: [(&str, Draw, Draw, usize); 9] = [
        // A few flat ones have a normal that their own plane does not prove, and go to GJK.
        ("ellipsoid, ellipsoid", ellipsoid, ellipsoid, 99),
        ("cylinder, cone", cylinder, cone, 95),
        ("cylinder, cylinder", cylinder, cylinder, 95),
        ("cone, cone", cone, cone, 95),
        ("cylinder, ellipsoid", cylinder, ellipsoid, 95),
        ("ellipsoid, cone", ellipsoid, cone, 95),
        ("sheared, sheared", sheared, sheared, 50),
        ("rounded cone, cylinder", rounded, cylinder, 95),
        ("box, ellipsoid", cuboid, ellipsoid, 5),
    ];
    for (what, draw_a, draw_b, percent) in families {
        let mut rng = Rng::with_seed(401);
        let (mut hits, mut rounds, total) = (0, 0, 2000);
        for _ in 0..total {
            let (a, b) = (draw_a(&mut rng), draw_b(&mut rng));
            let farthest =
                |shape: &Shape, d: DVec3| core(shape).support(d) + core(shape).radius() * d.normalize_or_zero();
            let (pose_a, pose_b) = pairs::place_apart(&mut rng, &|d| farthest(&a, d), &|d| farthest(&b, d));
            let frame = Frame::relative(&pose_a, &pose_b);
            if let Some(out) = settled(&a, &b, &frame) {
                hits += 1;
                rounds += out.cost.iterations;
            }
            let (pose_a, pose_b) = pairs::place_overlapping(&mut rng, &|d| farthest(&a, d), &|d| farthest(&b, d));
            // Newton never answers about an overlap, unless it is within rounding.
            if let Some(out) = settled(&a, &b, &Frame::relative(&pose_a, &pose_b)) {
                assert!(out.distance < 0.0 && core(&a).radius() + core(&b).radius() > 0.0, "{out:?}");
            }
        }
        let mean = f64::from(rounds) / f64::from(hits.max(1));
        println!("{what}: {hits} of {total} settled, {mean:.2} rounds");
        assert!(hits as usize * 100 >= total * percent, "{what}: {hits} of {total}");
    }
}

#[test]
fn spheres_as_ellipsoids_meet_the_closed_form() {
    let mut rng = Rng::with_seed(402);
    for _ in 0..2000 {
        let (r, s) = (random::magnitude(&mut rng, -3.0, 3.0), random::magnitude(&mut rng, -3.0, 3.0));
        let gap = random::magnitude(&mut rng, -6.0, 0.0) * (r + s);
        let center = random::direction(&mut rng) * (r + s + gap);
        let [a, b] = [r, s].map(|r| Shape::ellipsoid(DVec3::splat(r)).expect("finite"));
        let frame = Frame::from(Pose::new(center, random::rotation(&mut rng)));
        let out = settled(&a, &b, &frame).expect("one step");
        assert!((out.distance - (center.length() - r - s)).abs() <= 1e-14 * (r + s), "{out:?}");
        assert!(out.cost.iterations <= 2, "{out:?}");
    }
}

#[test]
fn cylinders_and_cones_meet_their_closed_forms() {
    let cylinder = Shape::cylinder(Axis::Y, Radius(1.0), HalfHeight(2.0)).expect("finite");
    let cone = Shape::cone(Axis::Y, Radius(1.0), HalfHeight(1.0)).expect("finite");
    let ask = |a: &Shape, b: &Shape, center: [f64; 3], turn: DQuat| {
        settled(a, b, &Frame::from(Pose::new(center, turn))).map(|out| out.distance)
    };
    let near = |found: Option<f64>, expected: f64| {
        let found = found.expect("settled");
        assert!((found - expected).abs() < 1e-14, "{found} instead of {expected}");
    };
    let (upright, lying) = (DQuat::IDENTITY, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
    // Stacked, on one axis and aside; beside each other.
    near(ask(&cylinder, &cylinder, [0.0, 4.5, 0.0], upright), 0.5);
    near(ask(&cylinder, &cylinder, [0.7, 4.5, 0.4], upright), 0.5);
    near(ask(&cylinder, &cylinder, [3.0, 1.0, 4.0], upright), 3.0);
    // A cylinder across another one: the lines of their sides cross.
    near(ask(&cylinder, &cylinder, [0.3, 0.2, 2.5], lying), 0.5);
    // The apex of a cone above the cap, its base under it, its apex beside the side.
    near(ask(&cylinder, &cone, [0.2, -4.0, 0.3], upright), 1.0);
    near(ask(&cylinder, &cone, [0.2, 4.0, 0.3], upright), 1.0);
    near(ask(&cylinder, &cone, [3.0, 0.2, 0.0], lying), 1.0);
}

#[test]
fn hard_places_are_settled_rightly_or_left_to_gjk() {
    let mut rng = Rng::with_seed(403);
    let mut hits = 0;
    let draws: [Draw; 3] = [ellipsoid, cylinder, cone];
    let total = 3000;
    for index in 0..total {
        let a = draws[rng.usize(0..3)](&mut rng);
        let mut b = draws[rng.usize(0..3)](&mut rng);
        let mut turn = random::rotation(&mut rng);
        let mut gap = random::magnitude(&mut rng, -3.0, 0.0);
        match index % 6 {
            0 => turn = DQuat::IDENTITY,
            1 => {
                let angle = random::magnitude(&mut rng, -12.0, -3.0);
                turn = DQuat::from_axis_angle(random::direction(&mut rng), angle);
            }
            2 => gap = random::magnitude(&mut rng, -10.0, -6.0),
            3 => b = Shape::affine(&b, DMat3::from_diagonal(DVec3::splat(1e-6))).expect("finite"),
            4 => b = Shape::affine(&b, DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0))).expect("finite"),
            _ => gap = random::magnitude(&mut rng, 3.0, 6.0),
        }
        let u = random::direction(&mut rng);
        let width = core(&a).support(u).dot(u) + core(&b).support(turn.conjugate() * -u).dot(turn.conjugate() * -u);
        hits += usize::from(settled(&a, &b, &Frame::from(Pose::new(u * (width + gap), turn))).is_some());
    }
    println!("hard places: {hits} of {total} settled");
    assert!(hits * 100 >= total * 80, "{hits} of {total}");
}

#[test]
fn a_limit_ends_the_search_and_an_axis_starts_it() {
    let ball = Shape::ellipsoid(DVec3::new(1.0, 0.5, 0.7)).expect("finite");
    let frame = Frame::from(Pose::new([4.0, 1.0, 0.0], DQuat::IDENTITY));
    let ask = |axis, limit| newton::distance(core(&ball), core(&ball), &frame, axis, limit).expect("apart");
    let cold = ask(DVec3::ZERO, f64::INFINITY);
    let far = ask(DVec3::ZERO, 0.5);
    assert!(far.exit == Exit::Beyond && far.lower > 0.5 && far.lower <= cold.upper);
    let warm = ask(-cold.normal, f64::INFINITY);
    assert!(warm.cost.iterations <= 2 && (warm.distance - cold.distance).abs() < 1e-14);
    let wrong = ask(DVec3::new(0.0, 0.3, 1.0), f64::INFINITY);
    assert!((wrong.distance - cold.distance).abs() < 1e-14);
}

#[test]
fn the_curvature_is_the_derivative_of_the_support_point() {
    let mut rng = Rng::with_seed(404);
    let draws: [Draw; 5] = [ellipsoid, cylinder, cone, sheared, rounded];
    let mut compared = [0; 5];
    for index in 0..5000 {
        let shape = draws[index % 5](&mut rng);
        let shape = core(&shape);
        let d = random::direction(&mut rng) * random::magnitude(&mut rng, -1.0, 1.0);
        let across = [random::direction(&mut rng), random::direction(&mut rng)];
        let patch = shape.patch(d, across);
        assert!((patch.branch.point - shape.support(d)).length() < 1e-12, "{shape:?}");
        let step = 1e-5 * d.length();
        let ends = across.map(|x| [shape.support(d - x * step), shape.support(d + x * step)]);
        // A kink between the ends has no derivative.
        if ends.iter().flatten().any(|end| (*end - patch.branch.point).length() > 1e-2) {
            continue;
        }
        compared[index % 5] += 1;
        let [sx, sy] = ends.map(|[before, after]| (after - before) / (2.0 * step));
        let c = patch.branch.curvature;
        let scale = 1e-5 * (1.0 + c.xx.abs() + c.yy.abs());
        assert!((sx.dot(across[0]) - c.xx).abs() < scale, "{shape:?} {d}: {sx} but {c:?}");
        assert!((sx.dot(across[1]) - c.xy).abs() < scale, "{shape:?} {d}: {sx} but {c:?}");
        assert!((sy.dot(across[1]) - c.yy).abs() < scale, "{shape:?} {d}: {sy} but {c:?}");
        // The rival is a point of the core, and no farther.
        if let Some(rival) = patch.rival {
            assert!(rival.point.dot(d) <= patch.branch.point.dot(d) + 1e-12 * d.length());
        }
        if let Some(cap) = shape.cap(d) {
            assert!(cap.normal.dot(d) >= 0.0);
            let rim = cap.center + cap.radius * cap.normal.any_orthonormal_vector();
            assert!(rim.dot(cap.normal) <= shape.support(cap.normal).dot(cap.normal) + 1e-12);
        }
    }
    assert!(compared.iter().all(|&n| n > 700), "{compared:?}");
}
