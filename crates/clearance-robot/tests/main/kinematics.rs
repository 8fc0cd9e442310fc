//! Forward kinematics in closed form.

use super::{planar_arm, robot};
use clearance::math::{DQuat, DVec3};

#[test]
fn a_planar_arm_is_the_sum_of_its_bars() {
    let robot = robot(&planar_arm(5));
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..1000 {
        let q: Vec<f64> = (0..5).map(|_| 6.0 * rng.f64() - 3.0).collect();
        let poses = robot.forward_kinematics(&q).unwrap();
        let (mut at, mut angle) = (DVec3::ZERO, 0.0);
        for bar in 0..5 {
            angle += q[bar];
            assert!(poses[bar + 1].translation().distance(at) < 1e-14);
            at += DVec3::new(f64::cos(angle), f64::sin(angle), 0.0);
        }
    }
}

fn one(joint: &str) -> String {
    format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" {joint}<parent link=\"a\"/><child link=\"b\"/></joint></robot>"
    )
}

#[test]
fn origins_turn_by_roll_then_pitch_then_yaw() {
    let robot = robot(&one("type=\"fixed\"><origin xyz=\"1 2 3\" rpy=\"0.1 0.2 0.3\"/>"));
    assert_eq!(robot.dof(), 0);
    let pose = robot.forward_kinematics(&[]).unwrap()[1];
    let turn = DQuat::from_rotation_z(0.3) * DQuat::from_rotation_y(0.2) * DQuat::from_rotation_x(0.1);
    for axis in DVec3::AXES {
        assert!(pose.transform_point(axis).distance(DVec3::new(1.0, 2.0, 3.0) + turn * axis) < 1e-15);
    }
}

#[test]
fn planar_and_floating_joints_move_as_their_names_say() {
    let planar = robot(&one("type=\"planar\"><axis xyz=\"0 0 1\"/>"));
    assert_eq!(planar.joint_names(), ["j/x", "j/y", "j/turn"]);
    let pose = planar.forward_kinematics(&[1.0, 2.0, 0.5]).unwrap()[1];
    assert!(
        pose.transform_point([1.0, 0.0, 0.0]).distance([1.0 + 0.5_f64.cos(), 2.0 + 0.5_f64.sin(), 0.0].into()) < 1e-15
    );
    // About another axis, translations stay across it.
    let tilted = robot(&one("type=\"planar\"><axis xyz=\"1 1 1\"/>"));
    let pose = tilted.forward_kinematics(&[3.0, -2.0, 0.7]).unwrap()[1];
    assert!(
        pose.translation().dot(DVec3::ONE).abs() < 1e-14
            && (pose.translation().length() - 13.0_f64.sqrt()).abs() < 1e-14
    );

    let floating = robot(&one("type=\"floating\">"));
    assert_eq!(floating.joint_names(), ["j/x", "j/y", "j/z", "j/yaw", "j/pitch", "j/roll"]);
    let pose = floating.forward_kinematics(&[1.0, 2.0, 3.0, 0.3, 0.2, 0.1]).unwrap()[1];
    let turn = DQuat::from_rotation_z(0.3) * DQuat::from_rotation_y(0.2) * DQuat::from_rotation_x(0.1);
    assert!(pose.transform_point(DVec3::X).distance(DVec3::new(1.0, 2.0, 3.0) + turn * DVec3::X) < 1e-15);
}

#[test]
fn joints_that_mimic_others_follow_their_laws() {
    let joint = |name: &str, parent: &str, child: &str, rest: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"1 0 0\"/><limit lower=\"0\" upper=\"1\"/>{rest}</joint>"
        )
    };
    let text = format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"d\"/>{}{}{}</robot>",
        joint("last", "c", "d", "<mimic joint=\"middle\" multiplier=\"3\" offset=\"1\"/>"),
        joint("middle", "b", "c", "<mimic joint=\"first\" multiplier=\"-2\" offset=\"0.5\"/>"),
        joint("first", "a", "b", ""),
    );
    let robot = robot(&text);
    assert_eq!(robot.joint_names(), ["first"]);
    // q, then 0.5 - 2 q, then 3 (0.5 - 2 q) + 1.
    let x = robot.forward_kinematics(&[0.25]).unwrap().iter().map(|pose| pose.translation().x).collect::<Vec<_>>();
    assert_eq!(x, [0.0, 0.25, 0.25, 1.25]);
}

#[test]
fn wrong_configurations_are_refused_and_limits_are_told() {
    let robot = robot(&planar_arm(2));
    let refused = |q: &[f64]| robot.forward_kinematics(q).unwrap_err().to_string();
    assert_eq!(refused(&[0.0]), "a configuration has 2 values, but this one has 1; see the names of the joints");
    assert!(refused(&[0.0, f64::NAN]).starts_with("the value of j1 is NaN, but must be a number"));
    assert!(refused(&[f64::INFINITY, 0.0]).starts_with("the value of j0 is inf"));
    assert!(refused(&[1e7, 0.0]).starts_with("the value of j0 is 10000000"));
    assert_eq!(robot.outside_limits(&[4.0, 1.0]), [0]);
    assert_eq!((robot.lower_limits(), robot.upper_limits()), (vec![-3.0; 2], vec![3.0; 2]));
}
