//! Robots from URDF and SRDF: forward kinematics, clearances at configurations, and edges in joint space that are proved free.
//!
//! [`Robot`] reads links, joints and collision geometry, exactly as the file has them: a mesh is a solid if it is closed, and a shell otherwise, which
//! [`Robot::notes`] says. [`Checker`] answers about configurations and edges, against the robot itself and the bodies of a [`World`](clearance::World).
//!
//! ```
//! use clearance_robot::{Checker, Edge, EdgeOptions, Options, Robot};
//! use clearance::{Pose, Shape, World};
//!
//! let text = r#"<robot name="arm">
//!   <link name="base"/>
//!   <link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
//!   <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
//! </robot>"#;
//! let robot = Robot::parse(text, "arm.urdf", None, &Options::default())?;
//! let mut world = World::default();
//! world.insert(Shape::sphere(0.2).unwrap(), Pose::from_translation([0.0, 0.9, 0.0]));
//! let mut checker = Checker::new(&robot, Some(&world));
//!
//! // A quarter of a turn meets the ball; an eighth stays free, which is proved for every angle on the way.
//! let Edge::Contact(contact) = checker.edge(&[0.0], &[1.5], &EdgeOptions::default())? else { panic!() };
//! assert!(contact.upper - contact.lower < 1e-5);
//! let Edge::Free(free) = checker.edge(&[0.0], &[0.7], &EdgeOptions::default())? else { panic!() };
//! assert!(0.0 < free.lower && free.lower <= free.upper);
//! # Ok::<(), clearance_robot::Error>(())
//! ```

mod checker;
mod edge;
mod error;
mod files;
mod kinematics;
mod paths;
mod plan;
mod robot;
mod sampling;
mod srdf;
mod urdf;
mod xml;

pub use checker::{Checker, Collides, Part, RobotClearance};
pub use edge::{Edge, EdgeOptions, FirstContact, FreeEdge, PathAnswer};
pub use error::Error;
pub use files::Options;
pub use plan::{Plan, PlanOptions, PlannedPath};
pub use robot::Robot;
pub use srdf::Reason;

/// The example of the package's README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
