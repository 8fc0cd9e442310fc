//! Clearance behind the query dispatcher of `parry3d-f64`, so that `rapier3d-f64` runs on its contacts unchanged.
//!
//! [`ClearanceDispatcher`] implements parry's `QueryDispatcher` and `PersistentQueryDispatcher`. It answers for the shapes that Clearance can represent and returns `Unsupported` for all others,
//! so that the next dispatcher of a chain answers:
//!
//! ```
//! use clearance_parry::ClearanceDispatcher;
//! use parry3d_f64::math::Pose;
//! use parry3d_f64::query::{DefaultQueryDispatcher, QueryDispatcher};
//! use parry3d_f64::shape::{Ball, Cuboid};
//!
//! let dispatcher = ClearanceDispatcher::default().chain(DefaultQueryDispatcher);
//! let (ball, table) = (Ball::new(0.5), Cuboid::new([2.0, 0.1, 1.0].into()));
//! let found = dispatcher.distance(&Pose::translation(0.3, 1.0, 0.0), &table, &ball)?;
//! assert!((found.distance - 0.4).abs() < 1e-14);
//! # Ok::<(), parry3d_f64::query::Unsupported>(())
//! ```
//!
//! With rapier the same chain goes into `NarrowPhase::with_query_dispatcher`.
//!
//! | shape of parry | manifolds | other queries |
//! |---|---|---|
//! | ball, cuboid, capsule, cylinder, cone, segment, triangle, convex polyhedron, their round forms, half-space | Clearance | Clearance |
//! | compound of those | Clearance | Clearance, as one union |
//! | triangle mesh | Clearance, on the triangles near the other shape | parry's tree names triangles, Clearance answers for each |
//! | height field | Clearance, likewise | contacts and straight casts likewise, else `Unsupported` |
//! | polyline | `Unsupported` | parry's tree, Clearance for each segment |
//! | deformable mesh, voxels, custom shape, compound with one of these | `Unsupported` | `Unsupported` |
//!
//! # Shapes are never stale
//!
//! parry passes shapes by reference, so that neither their identity nor their age is known. **Invariant: each query compares everything that a kept Clearance shape was made of with the shape that
//! was passed, bit by bit, and builds it again where they differ.** The comparison takes
//!
//! - ten numbers for a shape of few numbers,
//! - all points of a convex polyhedron,
//! - the poses and the addresses of the parts of a compound. The dispatcher holds those parts (`Arc`), so that nobody can change them in place or reuse their addresses,
//! - of a mesh or height field the triangles near the other shape. parry's own tree names them at each query, and no others are kept.

mod cast;
mod composite;
mod convert;
mod dispatcher;
mod manifolds;
mod patch;
mod transfer;

pub use dispatcher::ClearanceDispatcher;

/// The example of the package's README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
