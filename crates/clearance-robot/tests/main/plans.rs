//! Paths that the planner finds: each edge is proved again by another checker, and sampled.

use super::{planar_arm, robot};
use clearance::{Pose, Shape, World};
use clearance_robot::{Checker, Collides, EdgeOptions, Plan, PlanOptions, PlannedPath, Robot};

/// A ball that slides along x and y.
const CART: &str = r#"<robot name="cart"><link name="base"/><link name="x"/>
    <link name="cart"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="x" type="prismatic"><parent link="base"/><child link="x"/><axis xyz="1 0 0"/><limit lower="-2" upper="2"/></joint>
    <joint name="y" type="prismatic"><parent link="x"/><child link="cart"/><axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint></robot>"#;

fn found(plan: Plan) -> PlannedPath {
    match plan {
        Plan::Found(path) => path,
        other => panic!("{other:?}"),
    }
}

/// Proves and samples a path.
fn judge(robot: &Robot, world: &World, path: &PlannedPath, ends: [&[f64]; 2]) {
    let mut checker = Checker::new(robot, Some(world));
    assert_eq!([&path.waypoints[0][..], path.waypoints.last().unwrap()], ends);
    assert_eq!(path.edges.len() + 1, path.waypoints.len());
    let proved = checker.path(&path.waypoints, &EdgeOptions::default()).unwrap();
    assert_eq!(proved.free(), Some(true));
    for (edge, free) in path.waypoints.windows(2).zip(&path.edges) {
        assert!(free.lower >= path.lower && free.lower > 0.0);
        for at in 0..=100 {
            let share = f64::from(at) / 100.0;
            let q: Vec<f64> = edge[0].iter().zip(&edge[1]).map(|(from, to)| from + share * (to - from)).collect();
            let least = checker.clearance(&q).unwrap().unwrap();
            assert!(least.upper >= free.lower, "{least:?} {free:?}");
        }
    }
}

/// A wall across with a gap, which is 0.3 wide.
fn wall() -> World {
    let mut world = World::default();
    for (y, half) in [(-0.925, 1.075), (1.225, 0.775)] {
        world.insert(Shape::cuboid([0.05, half, 1.0]).unwrap(), Pose::from_translation([0.0, y, 0.0]));
    }
    world
}

#[test]
fn a_cart_finds_the_gap_of_a_wall_and_the_weight_keeps_it_in_the_middle() {
    let (robot, world) = (robot(CART), wall());
    let checker = Checker::new(&robot, Some(&world));
    let ends: [&[f64]; 2] = [&[-1.5, -1.0], &[1.5, -1.0]];
    for seed in 0..3 {
        let plan = |clearance_weight: f64| {
            let options = PlanOptions { seed, clearance_weight, step: 0.5, shortcuts: 400, ..PlanOptions::default() };
            found(checker.plan(ends[0], ends[1], &options).unwrap())
        };
        let (short, wide) = (plan(0.0), plan(0.2));
        judge(&robot, &world, &short, ends);
        judge(&robot, &world, &wide, ends);
        // Around the corner at (±0.05, 0.15) the shortest path is 3.97 long; the straight line is not free.
        assert!((3.9..4.3).contains(&short.length()), "{}", short.length());
        // The gap leaves 0.05 on either side.
        assert!(wide.lower > 2.0 * short.lower && wide.lower <= 0.05, "{} {}", wide.lower, short.lower);
    }
}

#[test]
fn the_same_seed_gives_the_same_path_and_another_seed_another() {
    let (robot, world) = (robot(CART), wall());
    let mut checker = Checker::new(&robot, Some(&world));
    let plan = |checker: &Checker, seed: u64| {
        found(checker.plan(&[-1.5, 0.0], &[1.5, 1.0], &PlanOptions { seed, ..PlanOptions::default() }).unwrap())
    };
    let first = plan(&checker, 1);
    // Queries in between do not change the path.
    for seed in 0..50 {
        checker.clearance(&robot.random_configuration(seed)).unwrap();
    }
    assert_eq!(first, plan(&checker, 1));
    assert_ne!(first.waypoints, plan(&checker, 2).waypoints);
}

#[test]
fn blocked_ends_closed_walls_and_bad_options_are_told() {
    let (robot, mut world) = (robot(CART), wall());
    let plan = |world: &World, from: &[f64], to: &[f64], options: &PlanOptions| {
        Checker::new(&robot, Some(world)).plan(from, to, options)
    };
    let few = PlanOptions { samples: 300, step: 0.5, ..PlanOptions::default() };
    for (from, to, blocked) in [([0.0, -1.0], [1.0, 0.0], 0), ([1.0, 0.0], [0.0, -1.0], 1)] {
        let Plan::Blocked { end, found } = plan(&world, &from, &to, &few).unwrap() else { panic!() };
        assert!(end == blocked && found.upper < 0.0);
    }
    world.insert(Shape::cuboid([0.05, 0.5, 1.0]).unwrap(), Pose::from_translation([0.0, 0.3, 0.0]));
    assert_eq!(plan(&world, &[-1.0, 0.0], &[1.0, 0.0], &few).unwrap(), Plan::NotFound { samples: 300 });
    for (options, word) in [
        (PlanOptions { step: 0.0, ..few }, "step is 0"),
        (PlanOptions { step: f64::NAN, ..few }, "step is NaN"),
        (PlanOptions { clearance_weight: -1.0, ..few }, "clearance_weight is -1"),
    ] {
        let error = plan(&world, &[-1.0, 0.0], &[1.0, 0.0], &options).unwrap_err().to_string();
        assert!(error.starts_with(word), "{error}");
    }
    let error = plan(&world, &[f64::NAN, 0.0], &[1.0, 0.0], &few).unwrap_err().to_string();
    assert!(error.contains("the value of x is NaN"), "{error}");
    // Stopped by the caller.
    let mut calls = 0;
    let checker = Checker::new(&robot, Some(&world));
    let stopped = checker.plan_until(&[-1.0, 0.0], &[1.0, 0.0], &few, || {
        calls += 1;
        calls > 7
    });
    assert_eq!(stopped.unwrap(), Plan::NotFound { samples: 7 });
}

#[test]
fn an_arm_reaches_around_posts() {
    let robot = robot(&planar_arm(4));
    let mut world = World::default();
    for (x, y) in [(1.5, 1.5), (-1.5, 1.0), (0.5, -1.5)] {
        world.insert(Shape::sphere(0.3).unwrap(), Pose::from_translation([x, y, 0.0]));
    }
    let mut checker = Checker::new(&robot, Some(&world));
    let mut free =
        (0..).map(|seed| robot.random_configuration(seed)).filter(|q| checker.in_collision(q) == Ok(Collides::No));
    let ends: Vec<Vec<f64>> = free.by_ref().take(8).collect();
    let checker = Checker::new(&robot, Some(&world));
    for pair in ends.windows(2) {
        let path = found(checker.plan(&pair[0], &pair[1], &PlanOptions::default()).unwrap());
        judge(&robot, &world, &path, [&pair[0], &pair[1]]);
    }
}
