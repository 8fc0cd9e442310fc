//! Tests of robots: reading, kinematics, clearances, edges.

mod edges;
mod kinematics;
mod plans;
mod queries;
mod reading;
mod real;

use clearance_robot::{Options, Robot};

/// A robot of a text.
fn robot(text: &str) -> Robot {
    Robot::parse(text, "robot.urdf", None, &Options::default()).unwrap()
}

/// A chain of bars along x, each of length 1, that turn about z.
fn planar_arm(bars: usize) -> String {
    let mut text = String::from("<robot name=\"arm\"><link name=\"base\"/>");
    for bar in 0..bars {
        let parent = if bar == 0 { "base".into() } else { format!("bar{}", bar - 1) };
        let x = if bar == 0 { 0 } else { 1 };
        text += &format!(
            "<link name=\"bar{bar}\"><collision><origin xyz=\"0.5 0 0\" rpy=\"0 1.5707963267948966 0\"/>
             <geometry><capsule radius=\"0.05\" length=\"0.8\"/></geometry></collision></link>
             <joint name=\"j{bar}\" type=\"revolute\"><origin xyz=\"{x} 0 0\"/><parent link=\"{parent}\"/><child link=\"bar{bar}\"/>
             <axis xyz=\"0 0 1\"/><limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/></joint>"
        );
    }
    text + "</robot>"
}
