//! The extension module `clearance._native` of the Python package `clearance`.
//!
//! A thin layer: arguments are read and refused (`input.rs`), the library answers, answers become Python objects (`answer.rs`). It holds no
//! algorithm. Batches (`batch.rs`) run on thread pools of their own (`threads.rs`), without the interpreter. The package on top, below
//! `python/clearance`, has the shapes of arrays, and the commands of the program.
//!
//! Without the feature `python` the library is empty: see `Cargo.toml`.

#[cfg(feature = "python")]
mod answer;
#[cfg(feature = "python")]
mod batch;
#[cfg(feature = "python")]
mod input;
#[cfg(feature = "python")]
mod motion;
#[cfg(feature = "python")]
mod obstacles;
#[cfg(feature = "python")]
mod pair;
#[cfg(feature = "python")]
mod pose;
#[cfg(feature = "python")]
mod program;
#[cfg(feature = "python")]
mod query;
#[cfg(feature = "python")]
mod recipe;
#[cfg(feature = "python")]
mod robot;
#[cfg(feature = "python")]
mod robot_answer;
#[cfg(feature = "python")]
mod shape;
#[cfg(feature = "python")]
mod threads;
#[cfg(feature = "python")]
mod world;

/// Shapes, poses, queries and worlds; use them as `clearance`.
#[cfg(feature = "python")]
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::answer::{
        Approach, Clearance, Depth, Impact, Manifold, ManifoldPoint, PointProjection, RayHit, ShapeHit,
    };
    #[pymodule_export]
    use crate::batch::{fill_depths, fill_distances, fill_intersections, fill_points, fill_rays, fill_within};
    #[pymodule_export]
    use crate::motion::{Motion, rebuild_motion};
    #[pymodule_export]
    use crate::pair::Pair;
    #[pymodule_export]
    use crate::pose::Pose;
    #[pymodule_export]
    use crate::program::{check_json, evidence_line, run_program, verify_json};
    #[pymodule_export]
    use crate::query::{
        cast_ray, cast_shape, closest_approach, contains, depth, distance, intersects, manifold, project_point,
        signed_distance, signed_distance_to_point, time_of_impact, within,
    };
    #[pymodule_export]
    use crate::robot::{Robot, rebuild_robot};
    #[pymodule_export]
    use crate::robot_answer::{RobotClearance, RobotContact, RobotEdge, RobotPath, RobotPlan};
    #[pymodule_export]
    use crate::shape::{Shape, rebuild_shape};
    #[pymodule_export]
    use crate::world::{Update, World};
}
