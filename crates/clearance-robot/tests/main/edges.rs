//! Edges: closed forms, and random ones against dense samples.

use super::{planar_arm, robot};
use clearance::{Pose, Shape, World};
use clearance_robot::{Checker, Edge, EdgeOptions, FirstContact, FreeEdge, Options, Part, Robot};
use std::f64::consts::PI;

fn contact(edge: &Edge) -> FirstContact {
    match edge {
        Edge::Contact(contact) => *contact,
        other => panic!("{other:?}"),
    }
}

fn free(edge: &Edge) -> FreeEdge {
    match edge {
        Edge::Free(free) => *free,
        other => panic!("{other:?}"),
    }
}

/// A ball of radius 0.1 at a distance of 2 from an axis.
const SLING: &str = r#"<robot name="sling"><link name="base"/>
    <link name="ball"><collision><origin xyz="2 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="turn" type="continuous"><parent link="base"/><child link="ball"/><axis xyz="0 0 1"/></joint></robot>"#;

#[test]
fn a_ball_on_a_circle_meets_another_at_the_angle_of_the_law_of_cosines() {
    let robot = robot(SLING);
    for (radius, distance) in [(0.1, 2.0), (0.3, 2.2), (0.05, 1.9), (0.5, 2.5)] {
        let mut world = World::default();
        let id = world.insert(Shape::sphere(radius).unwrap(), Pose::from_translation([0.0, distance, 0.0]));
        let mut checker = Checker::new(&robot, Some(&world));
        let gap: f64 = 0.1 + radius;
        let between = ((4.0 + distance * distance - gap * gap) / (4.0 * distance)).acos();
        let truth = (PI / 2.0 - between) / 3.0;
        for resolution in [1e-3, 1e-6, 1e-9] {
            let found =
                contact(&checker.edge(&[0.0], &[3.0], &EdgeOptions { resolution, ..EdgeOptions::default() }).unwrap());
            assert!(found.lower <= truth && truth <= found.upper, "{truth} {found:?}");
            assert!(found.upper - found.lower <= resolution, "{found:?}");
            assert_eq!(found.found.parts, [Part::Obstacle(id), Part::Link(1)]);
            assert!(found.found.upper < 0.0);
        }
        // Just before it is free, all the way; the way back meets the other side.
        let edge = checker.edge(&[0.0], &[3.0 * (truth - 1e-7)], &EdgeOptions::default()).unwrap();
        assert!(free(&edge).lower > 0.0 && free(&edge).upper < 1e-5, "{edge:?}");
        let back = contact(&checker.edge(&[3.0], &[0.0], &EdgeOptions::default()).unwrap());
        let truth = (3.0 - PI / 2.0 - between) / 3.0;
        assert!(back.lower <= truth && truth <= back.upper, "{truth} {back:?}");
    }
}

#[test]
fn the_least_clearance_of_an_arc_past_a_ball_is_bracketed() {
    let robot = robot(SLING);
    for distance in [2.25, 2.5, 3.0, 5.0] {
        let mut world = World::default();
        world.insert(Shape::sphere(0.1).unwrap(), Pose::from_translation([0.0, distance, 0.0]));
        let edge = Checker::new(&robot, Some(&world)).edge(&[0.0], &[PI], &EdgeOptions::default()).unwrap();
        let (found, truth) = (free(&edge), distance - 2.2);
        assert!(found.lower <= truth && truth <= found.upper && found.lower >= 0.4 * truth, "{truth} {found:?}");
    }
}

#[test]
fn a_graze_a_touch_and_a_start_in_contact_are_told_apart() {
    let robot = robot(SLING);
    let at = |x: f64, y: f64, to: f64| {
        let mut world = World::default();
        world.insert(Shape::sphere(0.1).unwrap(), Pose::from_translation([x, y, 0.0]));
        Checker::new(&robot, Some(&world)).edge(&[0.0], &[to], &EdgeOptions::default()).unwrap()
    };
    // It touches at the middle, by nothing: neither is proved, but all before it is.
    let Edge::Undecided { from, .. } = at(0.0, 2.2, PI) else { panic!() };
    assert!((0.49..=0.5).contains(&from), "{from}");
    assert!(matches!(at(2.2, 0.0, 1.0), Edge::Undecided { from: 0.0, .. }));
    let start = contact(&at(2.1, 0.0, 1.0));
    assert_eq!((start.lower, start.upper), (0.0, 0.0));
    // No motion at all.
    assert!(free(&at(3.0, 0.0, 0.0)).lower > 0.39);
    // Many turns past a ball, and into it.
    assert!(at(0.0, 3.0, 100.0).free() == Some(true) && at(0.0, 2.0, 100.0).free() == Some(false));
}

#[test]
fn a_search_that_is_cut_short_says_until_where_it_proved() {
    let robot = robot(SLING);
    let mut world = World::default();
    world.insert(Shape::sphere(0.1).unwrap(), Pose::from_translation([0.0, 2.21, 0.0]));
    let mut checker = Checker::new(&robot, Some(&world));
    let few = EdgeOptions { tests: 5, ..EdgeOptions::default() };
    let Edge::Undecided { from, .. } = checker.edge(&[0.0], &[PI], &few).unwrap() else { panic!() };
    assert!(from < 0.5);
    assert!(checker.edge(&[0.0], &[PI], &EdgeOptions::default()).unwrap().free() == Some(true));
}

#[test]
fn slides_planes_and_shells_stop_at_the_true_fraction() {
    // A slide along x, of a ball: a half-space and the plane of an open mesh are met at x = 0.9.
    let text = r#"<robot name="slide"><link name="base"/>
        <link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
        <joint name="x" type="prismatic"><parent link="base"/><child link="ball"/><axis xyz="2 0 0"/><limit lower="0" upper="2"/></joint></robot>"#;
    let robot = robot(text);
    let plane = Shape::half_space([-1.0, 0.0, 0.0], -1.0).unwrap();
    let box_at_one = Shape::cuboid([0.5, 1.0, 1.0]).unwrap();
    for (shape, pose) in [(plane, Pose::IDENTITY), (box_at_one, Pose::from_translation([1.5, 0.0, 0.0]))] {
        let mut world = World::default();
        world.insert(shape, pose);
        let found = contact(&Checker::new(&robot, Some(&world)).edge(&[0.0], &[2.0], &EdgeOptions::default()).unwrap());
        assert!(found.lower <= 0.45 && 0.45 <= found.upper && found.upper - found.lower <= 1e-6, "{found:?}");
    }
}

/// An arm with turns about different axes, a slide, a mimic, and bodies of several kinds; one is a solid that is not convex.
fn spatial_arm(folder: &std::path::Path) -> Robot {
    // The letter L, 0.4 long, 0.3 high and 0.1 deep.
    let outline = [[0.0, 0.0], [0.4, 0.0], [0.4, 0.1], [0.1, 0.1], [0.1, 0.3], [0.0, 0.3]];
    let mut mesh = String::new();
    for y in [-0.05, 0.05] {
        outline.iter().for_each(|[x, z]| mesh += &format!("v {x} {y} {z}\n"));
    }
    mesh += "f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\n";
    for corner in 0..6 {
        let next = (corner + 1) % 6;
        mesh += &format!("f {} {} {} {}\n", corner + 7, next + 7, next + 1, corner + 1);
    }
    std::fs::write(folder.join("l.obj"), mesh).unwrap();
    let joint = |name: &str, kind: &str, parent: &str, child: &str, xyz: &str, axis: &str, rest: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><origin xyz=\"{xyz}\" rpy=\"0.1 0 0.2\"/><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"{axis}\"/><limit lower=\"-2.5\" upper=\"2.5\"/>{rest}</joint>"
        )
    };
    let link = |name: &str, xyz: &str, geometry: &str| {
        format!(
            "<link name=\"{name}\"><collision><origin xyz=\"{xyz}\"/><geometry>{geometry}</geometry></collision></link>"
        )
    };
    let text = [
        "<robot name=\"arm\">".to_owned(),
        link("base", "0 0 -0.1", "<box size=\"0.6 0.6 0.2\"/>"),
        link("turret", "0 0 0.15", "<cylinder radius=\"0.08\" length=\"0.3\"/>"),
        link("upper", "0 0 0.25", "<capsule radius=\"0.06\" length=\"0.4\"/>"),
        link("fore", "0 0 0.2", "<mesh filename=\"l.obj\" scale=\"1 -1 1\"/>"),
        link("slide", "0 0 0.1", "<box size=\"0.08 0.08 0.3\"/>"),
        link("left", "0 0.05 0.1", "<box size=\"0.02 0.02 0.2\"/>"),
        link("right", "0 -0.05 0.1", "<mesh filename=\"l.obj\" scale=\"0.3 0.3 0.5\"/>"),
        joint("a", "revolute", "base", "turret", "0 0 0.05", "0 0 1", ""),
        joint("b", "revolute", "turret", "upper", "0 0 0.35", "0 1 0.1", ""),
        joint("c", "revolute", "upper", "fore", "0 0 0.55", "0.2 1 0", ""),
        joint("d", "prismatic", "fore", "slide", "0 0 0.3", "0 0.1 0.2", ""),
        joint("e", "revolute", "slide", "left", "0 0 0.3", "1 0 0", ""),
        joint(
            "f",
            "revolute",
            "slide",
            "right",
            "0 0 0.3",
            "1 0 0",
            "<mimic joint=\"e\" multiplier=\"-0.5\" offset=\"0.1\"/>",
        ),
        "</robot>".to_owned(),
    ];
    std::fs::write(folder.join("arm.urdf"), text.concat()).unwrap();
    Robot::load(&folder.join("arm.urdf"), None, &Options::default()).unwrap()
}

fn between(from: &[f64], to: &[f64], share: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + share * (to - from)).collect()
}

#[test]
fn no_random_edge_that_is_called_free_has_a_sample_in_contact() {
    let folder = tempfile::tempdir().unwrap();
    let robot = spatial_arm(folder.path());
    assert!(robot.notes().is_empty(), "{:?}", robot.notes());
    let mut world = World::default();
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..4 {
        let at = [2.0 * rng.f64() - 1.0, 2.0 * rng.f64() - 1.0, rng.f64()];
        world.insert(Shape::cuboid([0.05 + 0.1 * rng.f64(), 0.1, 0.1]).unwrap(), Pose::from_translation(at));
    }
    world.insert(Shape::half_space([0.0, 0.1, 1.0], -0.3).unwrap(), Pose::IDENTITY);
    // The base stands in the ground.
    assert_eq!(robot.dof(), 5);
    let edges = std::env::var("CLEARANCE_ROBOT_EDGES").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let ([free, contacts, undecided], close) = compare_with_samples(&robot, &world, &[4.0, 4.0, 4.0, 0.3, 4.0], edges);
    assert!(free > edges / 20 && contacts > edges / 20 && undecided <= edges / 50, "{free} {contacts} {undecided}");
    assert!(close > edges / 10, "{close}");
}

/// Searches random edges within these ranges, and samples them: free ones, and others until the fraction up to which they are proved. Returns how many are free, have
/// a contact and are undecided, and how many samples come close to a contact.
fn compare_with_samples(robot: &Robot, world: &World, ranges: &[f64], edges: usize) -> ([usize; 3], usize) {
    let mut checker = Checker::new(robot, Some(world));
    let mut rng = fastrand::Rng::with_seed(12);
    let mut draw = || -> Vec<f64> { ranges.iter().map(|range| (rng.f64() - 0.5) * range).collect() };
    let (mut counts, mut close) = ([0; 3], 0);
    for number in 0..edges {
        let (from, far) = (draw(), draw());
        let to = between(&from, &far, 0.05 + 0.4 * (number as f64 / edges as f64));
        let edge = checker.edge(&from, &to, &EdgeOptions::default()).unwrap();
        let (end, lower) = match edge {
            Edge::Free(free) => (1.0, free.lower),
            Edge::Contact(contact) => (contact.lower, 0.0),
            Edge::Undecided { from, .. } => (from, 0.0),
        };
        counts[match edge.free() {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        }] += 1;
        if end > 0.0 {
            for sample in 0..=150 {
                let q = between(&from, &to, end * f64::from(sample) / 150.0);
                let found = checker.clearance(&q).unwrap().unwrap();
                assert!(found.upper >= lower, "{edge:?}: {found:?}");
                close += usize::from(found.upper < 0.02);
            }
        }
        if let Edge::Contact(contact) = edge {
            let found = checker.clearance(&between(&from, &to, contact.upper)).unwrap().unwrap();
            assert!(found.upper < 0.0 && contact.lower <= contact.upper, "{edge:?}: {found:?}");
        }
        if let Edge::Free(free) = edge {
            let found = checker.clearance(&between(&from, &to, free.at)).unwrap().unwrap();
            assert!(found.lower <= free.upper && free.lower <= free.upper, "{edge:?}: {found:?}");
        }
    }
    (counts, close)
}

#[test]
fn edges_of_floating_and_planar_joints_are_right_at_their_samples() {
    let link = |name: &str| {
        format!("<link name=\"{name}\"><collision><geometry><box size=\"0.6 0.2 0.1\"/></geometry></collision></link>")
    };
    let joint = |name: &str, kind: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><origin xyz=\"0 0 0.2\"/><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"0.1 0.2 1\"/></joint>"
        )
    };
    let text = [
        "<robot><link name=\"ground\"/>".to_owned(),
        link("drone"),
        link("slider"),
        link("plate"),
        joint("air", "floating", "ground", "drone"),
        joint("rail", "planar", "drone", "slider"),
        joint("top", "planar", "slider", "plate"),
        "</robot>".to_owned(),
    ];
    let robot = robot(&text.concat());
    let mut world = World::default();
    for x in [-0.7, 0.7] {
        world.insert(
            Shape::cylinder(clearance::Axis::Y, clearance::Radius(0.1), clearance::HalfHeight(1.0)).unwrap(),
            Pose::from_translation([x, 0.0, 0.3]),
        );
    }
    let ranges = [2.0, 1.0, 1.0, 4.0, 2.0, 4.0, 0.3, 0.3, 2.0, 0.4, 0.4, 3.0];
    let ([free, contacts, undecided], close) = compare_with_samples(&robot, &world, &ranges, 150);
    assert!(free > 15 && contacts > 15 && undecided <= 3 && close > 50, "{free} {contacts} {undecided} {close}");
}

#[test]
fn a_path_is_proved_edge_by_edge_until_one_is_not_free() {
    let robot = robot(&planar_arm(3));
    let mut world = World::default();
    world.insert(Shape::sphere(0.2).unwrap(), Pose::from_translation([0.0, 2.0, 0.0]));
    let mut checker = Checker::new(&robot, Some(&world));
    let options = EdgeOptions::default();
    let path = [[0.0, 0.0, 0.0], [0.5, 0.1, 0.0], [0.5, -1.0, 0.5], [2.5, 0.0, 0.0]];
    let answer = checker.path(&path, &options).unwrap();
    assert_eq!(answer.edges.iter().map(Edge::free).collect::<Vec<_>>(), [Some(true), Some(true), Some(false)]);
    assert!(answer.free() == Some(false) && answer.lower > 0.0);
    assert_eq!(checker.path(&path[..3], &options).unwrap().free(), Some(true));
    assert_eq!(checker.path(&path[..1], &options).unwrap().edges.len(), 1);
    assert_eq!(checker.path(&path[..0], &options).unwrap().free(), Some(true));
    let batch: Vec<_> = path.windows(2).map(|edge| (edge[0], edge[1])).collect();
    let answers = checker.edge_batch(&batch, &options).unwrap();
    assert_eq!(answers.iter().map(Edge::free).collect::<Vec<_>>(), [Some(true), Some(true), Some(false)]);
    assert!(checker.edge(&[0.0], &path[0], &options).is_err());
    assert!(checker.path(&[[f64::NAN; 3]], &options).is_err());
}

#[test]
fn options_of_any_kind_end() {
    let robot = robot(SLING);
    let mut world = World::default();
    world.insert(Shape::sphere(0.1).unwrap(), Pose::from_translation([0.0, 2.0, 0.0]));
    let mut checker = Checker::new(&robot, Some(&world));
    for resolution in [0.0, -1.0, 1.0, 100.0, f64::NAN, f64::INFINITY, 1e-300] {
        for tests in [0, 1, 10, 1 << 20] {
            let edge =
                checker.edge(&[0.0], &[3.0], &EdgeOptions { resolution, tests, ..EdgeOptions::default() }).unwrap();
            assert!(edge.free() != Some(true), "{edge:?}");
        }
    }
    for far in [1e6, -1e6] {
        assert!(checker.edge(&[0.0], &[far], &EdgeOptions::default()).unwrap().free() != Some(true));
    }
}
