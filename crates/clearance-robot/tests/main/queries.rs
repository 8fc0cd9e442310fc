//! Clearances in closed form, and batches.

use super::{planar_arm, robot};
use clearance::math::DVec3;
use clearance::{Pose, Shape, World};
use clearance_robot::{Checker, Collides, EdgeOptions, Part, Robot};
use std::fmt::Write;

/// The distance of two segments in the plane, by the distances of the ends: they do not cross if it is positive.
fn segments(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    let side = |[from, to]: [DVec3; 2], point: DVec3| (to - from).cross(point - from).z;
    if side(a, b[0]) * side(a, b[1]) < 0.0 && side(b, a[0]) * side(b, a[1]) < 0.0 {
        return 0.0;
    }
    let to = |point: DVec3, [from, to]: [DVec3; 2]| {
        let along = ((point - from).dot(to - from) / from.distance_squared(to)).clamp(0.0, 1.0);
        point.distance(from + along * (to - from))
    };
    to(a[0], b).min(to(a[1], b)).min(to(b[0], a)).min(to(b[1], a))
}

/// The core of each bar of a planar arm: the segment inside its capsule.
fn cores(q: &[f64]) -> Vec<[DVec3; 2]> {
    let (mut at, mut angle) = (DVec3::ZERO, 0.0_f64);
    let mut cores = Vec::new();
    for turn in q {
        angle += turn;
        let along = DVec3::new(angle.cos(), angle.sin(), 0.0);
        cores.push([at + 0.1 * along, at + 0.9 * along]);
        at += along;
    }
    cores
}

/// The clearance of a planar arm to itself.
fn self_clearance(q: &[f64]) -> f64 {
    let cores = cores(q);
    let mut least = f64::INFINITY;
    for one in 0..cores.len() {
        for other in one + 2..cores.len() {
            least = least.min(segments(cores[one], cores[other]) - 0.1);
        }
    }
    least
}

fn configurations(count: usize, dof: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| (0..dof).map(|_| 6.0 * rng.f64() - 3.0).collect()).collect()
}

#[test]
fn the_clearance_of_a_planar_arm_is_that_of_its_segments() {
    let robot = robot(&planar_arm(4));
    let mut checker = Checker::new(&robot, None);
    let mut counts = [0; 2];
    for q in configurations(500, 4, 3) {
        let found = checker.clearance(&q).unwrap().unwrap();
        let truth = self_clearance(&q);
        let collides = checker.in_collision(&q).unwrap();
        if truth > -0.1 {
            assert!(found.lower <= truth + 1e-14 && truth <= found.upper + 1e-14, "{truth} {found:?}");
            assert!((found.distance - truth).abs() < 1e-12 && found.upper - found.lower < 1e-11, "{truth} {found:?}");
        }
        match collides {
            Collides::No => assert!(truth > 0.0),
            Collides::Yes(_) => assert!(truth < 0.0),
            Collides::Unknown(_) => assert!(truth.abs() < 1e-12),
        }
        counts[usize::from(truth > 0.0)] += 1;
    }
    assert!(counts[0] > 50 && counts[1] > 50, "{counts:?}");
}

#[test]
fn a_ball_in_the_world_is_as_far_as_its_center() {
    let robot = robot(&planar_arm(2));
    let mut world = World::default();
    let center = DVec3::new(0.8, 1.1, 0.0);
    let ball = world.insert(Shape::sphere(0.3).unwrap(), Pose::from_translation(center));
    let mut checker = Checker::new(&robot, Some(&world));
    for q in configurations(300, 2, 4) {
        let found = checker.clearance(&q).unwrap().unwrap();
        let cores = cores(&q);
        let truth =
            cores.iter().map(|core| segments(*core, [center, center + 1e-9]) - 0.35).fold(f64::INFINITY, f64::min);
        assert!((found.distance - truth).abs() < 3e-9, "{truth} {found:?}");
        assert!(found.parts[0] == Part::Obstacle(ball) && found.lower <= found.upper);
        assert!((found.point_a - center).length() - 0.3 < 1e-12);
    }
    // The base moves all of it.
    let moved = super::robot(&planar_arm(2)).at(Pose::from_translation([0.0, 0.0, 5.0]));
    let far = moved.clearance(&[0.0, 0.0], Some(&world)).unwrap().unwrap();
    assert!((far.distance - (25.0 + 1.1_f64.powi(2)).sqrt() + 0.35).abs() < 1e-12, "{far:?}");
}

#[test]
fn the_gradient_is_the_slope_of_the_clearance() {
    // The last bar turns half as far as the third, and a slide carries all.
    let text = planar_arm(4).replace("<axis xyz=\"0 0 1\"/><limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/></joint></robot>",
        "<axis xyz=\"0 0 1\"/><limit lower=\"-3\" upper=\"3\"/><mimic joint=\"j2\" multiplier=\"0.5\" offset=\"0.2\"/></joint></robot>");
    let text = text.replace("<link name=\"base\"/>", "<link name=\"ground\"/><link name=\"base\"/><joint name=\"s\" type=\"prismatic\"><parent link=\"ground\"/><child link=\"base\"/><axis xyz=\"1 1 0\"/><limit lower=\"-3\" upper=\"3\"/></joint>");
    let robot = robot(&text);
    assert_eq!(robot.joint_names(), ["s", "j0", "j1", "j2"]);
    let mut world = World::default();
    world.insert(Shape::sphere(0.3).unwrap(), Pose::from_translation([0.8, 1.4, 0.2]));
    let mut checker = Checker::new(&robot, Some(&world));
    let mut counts = [0; 2];
    for q in configurations(200, 4, 6) {
        let (found, gradient) = checker.clearance_and_gradient(&q).unwrap().unwrap();
        let step = 1e-6;
        let mut slope = |number: usize, by: f64| {
            let mut q = q.clone();
            q[number] += by;
            checker.clearance(&q).unwrap().unwrap()
        };
        for number in 0..4 {
            let [before, behind] = [-step, step].map(|by| slope(number, by));
            let (second, is_smooth) =
                (before.distance + behind.distance - 2.0 * found.distance, before.parts == behind.parts);
            // Where closest points jump, there is no slope.
            if is_smooth && second.abs() < 1e-10 && found.distance.abs() > 1e-3 {
                let wanted = (behind.distance - before.distance) / (2.0 * step);
                assert!((gradient[number] - wanted).abs() < 1e-4, "{number}: {gradient:?} {wanted} {found:?}");
                counts[usize::from(matches!(found.parts[0], Part::Link(_)))] += 1;
            }
        }
    }
    assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");
}

#[test]
fn batches_have_the_same_bits_for_any_number_of_threads() {
    let robot = robot(&planar_arm(5));
    let mut world = World::default();
    world.insert(Shape::cuboid([0.2, 0.3, 0.1]).unwrap(), Pose::from_translation([1.5, 1.0, 0.0]));
    let q = configurations(300, 5, 5);
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut checker = Checker::new(&robot, Some(&world));
            // A batch knows nothing of the queries before it.
            q[..threads - 1].iter().for_each(|q| assert!(checker.clearance(q).is_ok()));
            let mut text = String::new();
            for found in checker.clearance_batch(&q).unwrap() {
                writeln!(text, "{found:?}").unwrap();
            }
            let edges: Vec<_> = q.windows(2).map(|pair| (&pair[0], &pair[1])).collect();
            writeln!(
                text,
                "{:?}",
                checker
                    .edge_batch(&edges, &EdgeOptions { resolution: 0.1, tests: 2000, ..EdgeOptions::default() })
                    .unwrap()
            )
            .unwrap();
            writeln!(text, "{:?}", checker.in_collision_batch(&q).unwrap()).unwrap();
            text
        })
    };
    let one = bits(1);
    assert!(one == bits(2) && one == bits(5));
    let mut wrong = q;
    wrong[200].pop();
    let error = Checker::new(&robot, None).clearance_batch(&wrong).unwrap_err();
    assert_eq!(error.to_string(), "a configuration has 5 values, but this one has 4; see the names of the joints");
}

#[test]
fn an_attached_object_is_checked_but_where_it_may_touch() {
    let mut robot: Robot = robot(&planar_arm(3));
    let held = Pose::from_translation([1.0, 0.0, 0.0]);
    let ball = Shape::sphere(0.3).unwrap();
    let number = robot.attach(3, "held", ball.clone(), held, &[2]).unwrap();
    // The third bar carries it, the second may touch it, the first must not.
    assert_eq!(robot.checked_pairs(), [[1, 3], [1, number]]);
    let found = robot.clearance(&[0.0, 2.0, 2.0], None).unwrap().unwrap();
    let center = robot.forward_kinematics(&[0.0, 2.0, 2.0]).unwrap()[number].translation();
    let truth = segments([DVec3::X * 0.1, DVec3::X * 0.9], [center, center + 1e-9]) - 0.35;
    assert!((found.distance - truth).abs() < 3e-9 && found.parts[1] == Part::Link(number), "{truth} {found:?}");
    assert!(robot.attach(0, "held", ball.clone(), held, &[]).unwrap_err().to_string().contains("already"));
    assert!(robot.attach(99, "x", ball, held, &[]).is_err());
    assert!(robot.attach(0, "x", Shape::half_space([0.0, 0.0, 1.0], 0.0).unwrap(), held, &[]).is_err());
}

#[test]
fn links_that_nothing_moves_against_each_other_are_not_checked() {
    let link = |name: &str| {
        format!("<link name=\"{name}\"><collision><geometry><sphere radius=\"1\"/></geometry></collision></link>")
    };
    let joint = |kind: &str, parent: &str, child: &str| {
        format!("<joint name=\"{child}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>")
    };
    let text = [
        "<robot>".to_owned(),
        ["a", "b", "c", "d", "e"].map(link).concat(),
        joint("fixed", "a", "b") + &joint("fixed", "b", "c"),
        joint("continuous", "c", "d") + &joint("fixed", "d", "e"),
        "</robot>".to_owned(),
    ];
    // a, b and c are one body, d and e another; c and d are neighbours.
    assert_eq!(robot(&text.concat()).checked_pairs(), [[0, 3], [0, 4], [1, 3], [1, 4], [2, 4]]);
}

#[test]
fn a_robot_without_pairs_has_no_clearance() {
    let robot = robot(&planar_arm(2));
    assert_eq!(robot.clearance(&[0.0, 0.0], None).unwrap(), None);
    assert_eq!(robot.in_collision(&[0.0, 0.0], None).unwrap(), Collides::No);
}

#[test]
fn a_locked_joint_leaves_the_others_where_they_were() {
    let text = r#"<robot name="arm"><link name="base"/><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
        <joint name="one" type="revolute"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><parent link="base"/><child link="a"/><axis xyz="1 2 3"/><limit lower="-3" upper="3"/></joint>
        <joint name="slide" type="prismatic"><origin xyz="0 1 0"/><parent link="a"/><child link="b"/><axis xyz="1 0 1"/><limit lower="-3" upper="3"/></joint>
        <joint name="two" type="continuous"><origin rpy="1 0 0"/><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint>
        <joint name="follows" type="revolute"><origin xyz="0 0 1"/><parent link="c"/><child link="d"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/><mimic joint="one" multiplier="-2" offset="0.5"/></joint></robot>"#;
    let whole = robot(text);
    for (locked, q, rest) in [
        (&[("one", 0.7)][..], [0.7, -0.3, 2.0], vec![-0.3, 2.0]),
        (&[("slide", -0.3)], [0.7, -0.3, 2.0], vec![0.7, 2.0]),
        (&[("two", 2.0), ("one", 0.7)], [0.7, -0.3, 2.0], vec![-0.3]),
        (&[("one", 0.7), ("slide", -0.3), ("two", 2.0)], [0.7, -0.3, 2.0], vec![]),
    ] {
        let mut robot = whole.clone();
        robot.lock(locked).unwrap();
        assert_eq!(robot.dof(), rest.len());
        let pairs = whole.forward_kinematics(&q).unwrap().into_iter().zip(robot.forward_kinematics(&rest).unwrap());
        for (one, other) in pairs {
            let corner = [1.0, 2.0, 3.0];
            assert!(one.transform_point(corner).distance(other.transform_point(corner)) < 1e-13, "{locked:?}");
        }
    }
    let mut robot = whole.clone();
    assert!(
        robot.lock(&[("follows", 1.0)]).unwrap_err().to_string().contains("no joint \"follows\" that moves by itself")
    );
    assert!(robot.lock(&[("one", 1.0), ("one", 2.0)]).unwrap_err().to_string().contains("locked twice"));
    assert!(robot.lock(&[("one", f64::NAN)]).unwrap_err().to_string().contains("NaN"));
    let planar = "<robot><link name=\"a\"/><link name=\"b\"/><joint name=\"p\" type=\"planar\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>";
    let error = super::robot(planar).lock(&[("p/x", 1.0)]).unwrap_err().to_string();
    assert!(error.contains("more than one value"), "{error}");
}
