//! Collision detection and proximity queries whose answers carry bounds that can be proved.
//!
//! Build [`Shape`]s, choose their [`Pose`]s, query. Constructors of shapes, poses, motions, rays, sweeps and intervals refuse bad input; a query
//! cannot fail. The [guide](https://example.com/clearance/site/guide) has a page for each topic, and the folder `examples` of the repository a program.
//!
//! | question | call |
//! |---|---|
//! | How far apart are two shapes, or how deep is a convex one in another? | [`distance`](fn@distance), [`Pair`] |
//! | Do they touch? Are they closer than a margin? | [`intersects`], [`within`] |
//! | How deep are solids in each other, and which translation frees them? | [`depth`](fn@depth), [`signed_distance`] |
//! | When do two moving bodies meet, or how close do they come? | [`time_of_impact`], [`closest_approach`] with [`Motion`] and [`Interval`] |
//! | Where does a ray or a moving shape hit? | [`cast_ray`] with [`Ray`], [`cast_shape`] with [`Sweep`] |
//! | Where do they touch, with which points and depths? | [`Pair::manifold`], [`World::manifolds`] |
//! | Is a point inside, and where is the nearest point of the surface? | [`contains`], [`project_point`] |
//! | The same for many poses, rays, sweeps or motions, on all cores? | [`Batch`] |
//! | Which of many bodies touch, and which meet next? | [`World`] |
//! | What is near a shape, at a point, along a ray? | [`World`], with a [`QueryFilter`] |
//! | Which convex pieces make up a solid? | [`decompose`] |
//! | Why is an answer true? | the module `proof`, with the feature of that name |
//!
//! # How far apart, and where?
//!
//! ```
//! use clearance::{Pose, Shape, Status, distance};
//!
//! let table = Shape::cuboid([2.0, 0.1, 1.0])?;
//! let ball = Shape::sphere(0.5)?;
//! let c = distance(&table, Pose::IDENTITY, &ball, Pose::from_translation([0.3, 1.0, 0.0]));
//! assert!((c.distance - 0.4).abs() < 1e-14);
//! assert!(c.lower <= 0.4 && 0.4 <= c.upper);                  // proved
//! assert!((c.point_b - (c.point_a + c.distance * c.normal)).length() < 1e-14);
//! assert_eq!(c.status, Status::Converged);                    // the bracket is closed to rounding
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! # Do they touch? Are they closer than a margin?
//!
//! ```
//! use clearance::{Pose, Shape, intersects, within};
//!
//! let crate_ = Shape::hull(&[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [1., 1., 0.], [0., 0., 1.], [1., 1., 1.]])?;
//! let floor = Shape::half_space([0.0, 1.0, 0.0], 0.0)?;
//! let above = Pose::from_translation([0.0, 0.25, 0.0]);
//! assert!(!intersects(&crate_, above, &floor, Pose::IDENTITY));          // proved
//! assert!(within(&crate_, above, &floor, Pose::IDENTITY, 0.3).is_some());
//! assert!(within(&crate_, above, &floor, Pose::IDENTITY, 0.2).is_none());
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! # Where does a ray hit?
//!
//! ```
//! use clearance::{Pose, Radius, Ray, Shape, cast_ray};
//!
//! let post = Shape::capsule_between([0.0, 0.0, 0.0], [0.0, 2.0, 0.0], Radius(0.25))?;
//! let hit = cast_ray(&post, Pose::IDENTITY, &Ray::new([5.0, 1.0, 0.0], [-1.0, 0.0, 0.0], 10.0)?).expect("straight ahead");
//! assert!(hit.lower <= 4.75 && 4.75 <= hit.upper && hit.is_proved());
//! assert!(cast_ray(&post, Pose::IDENTITY, &Ray::new([5.0, 3.0, 0.0], [-1.0, 0.0, 0.0], 10.0)?).is_none());  // proved
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! # The same two shapes, frame after frame
//!
//! ```
//! use clearance::{Axis, HalfHeight, Pair, Pose, Radius, Shape};
//!
//! let arm = Shape::capsule(Axis::Y, Radius(0.1), HalfHeight(0.5))?;
//! let part = Shape::rounded(&Shape::cuboid([0.2, 0.2, 0.2])?, 0.02)?;
//! let mut pair = Pair::new(&arm, &part);                               // remembers where it was
//! for frame in 0..100 {
//!     let c = pair.distance(Pose::IDENTITY, Pose::from_translation([1.0 - 0.005 * f64::from(frame), 0.0, 0.0]));
//!     assert!((c.distance - (0.68 - 0.005 * f64::from(frame))).abs() < 1e-13);
//! }
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! # How deep is a solid in another?
//!
//! ```
//! use clearance::{DepthBudget, Pose, Shape, depth};
//!
//! // A bar across the hole of a frame, a quarter into one side of it.
//! let bar = |half: [f64; 3]| Shape::cuboid(half);
//! let frame = Shape::compound([
//!     (bar([3.0, 0.5, 0.5])?, Pose::from_translation([0.0, -2.5, 0.0])),
//!     (bar([3.0, 0.5, 0.5])?, Pose::from_translation([0.0, 2.5, 0.0])),
//!     (bar([0.5, 3.0, 0.5])?, Pose::from_translation([-2.5, 0.0, 0.0])),
//!     (bar([0.5, 3.0, 0.5])?, Pose::from_translation([2.5, 0.0, 0.0])),
//! ])?;
//! let d = depth(&bar([0.5, 0.5, 9.0])?, Pose::from_translation([1.75, 0.0, 0.0]), &frame, Pose::IDENTITY, DepthBudget::default());
//! assert!(d.lower <= 0.25 && 0.25 <= d.upper && d.width() < 1e-9);    // proved: back into the hole, not out of the frame
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! # When do they meet?
//!
//! A [`Motion`] gives the pose of a body at every time. The answer is about the whole interval and not about sampled poses:
//!
//! ```
//! use clearance::{Impact, Interval, Motion, Pose, Shape, time_of_impact};
//!
//! let (wall, bullet) = (Shape::cuboid([0.01, 1.0, 1.0])?, Shape::sphere(0.005)?);
//! let still = Motion::fixed(Pose::IDENTITY);
//! let shot = Motion::linear(Pose::from_translation([-10.0, 0.0, 0.0]), [900.0, 0.0, 0.0], [0.0; 3])?;
//! let Impact::Hit(hit) = time_of_impact(&wall, &still, &bullet, &shot, Interval::UNIT) else { panic!("it hits the wall") };
//! let truth = (10.0 - 0.015) / 900.0;
//! assert!(hit.lower <= truth && truth <= hit.upper && hit.upper - hit.lower < 1e-12);     // apart before lower: proved
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! # Engines
//!
//! [`Engine::Auto`] picks the fastest one for the pair; the others are for comparison.
//!
//! * **Closed forms**: balls against points, segments, triangles and boxes; two segments; two boxes.
//! * **Newton's method**: two curved shapes that are apart; the digits double with every round.
//! * **GJK** ([`Engine::Gjk`]): any two convex shapes. Its subalgorithm works with signed volumes, which stay accurate on slivers.
//! * **V-Clip** ([`Engine::VClip`]): two polytopes of a [`Pair`] that move a little at a time; it starts from the features that were closest.
//! * **Separating vector** ([`Engine::SeparatingVector`]): intersection tests for any two convex shapes, by reflections of a vector. A [`Pair`] keeps
//!   the vector, and confirms it without a query of the shapes while they move little; [`Pair::collide`] adds the closest points of the frame before
//!   a collision.
//! * **Depth**: an expanding polytope with exact predicates, and proofs for whole caps of directions on smooth surfaces. The other engines hand
//!   overlapping shapes to it.
//! * **Your own** ([`NarrowPhase`]): [`Pair::distance_by`] runs any algorithm and certifies its answer. The repository's crate
//!   `clearance-papers` has Lin-Canny, GJK with Johnson's subalgorithm and the improved Gilbert algorithm in this form.
//!
//! # Many bodies
//!
//! A [`World`] holds bodies, keeps a cache for each pair, and queries a pair again only after one of its bodies has moved; the module [`world`] has
//! examples. Its broad phases are in [`broad`], for boxes without a world.
//!
//! ```
//! use clearance::world::{Config, World};
//! use clearance::{Pose, Shape};
//!
//! let mut world = World::new(Config { margin: 0.1, ..Config::default() });
//! let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY);
//! let ball = world.insert(Shape::sphere(0.5)?, Pose::from_translation([0.0, 0.55, 0.0]));
//! let update = world.update();
//! let pair = update.within(0.1).next().expect("the ball is 0.05 above the floor");
//! assert_eq!([pair.a, pair.b], [floor, ball]);
//! assert_eq!(update.overlapping().count(), 0);
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! # Features
//!
//! * `parallel` (default): worlds share their work among the threads of the current `rayon` pool. Without it everything runs on the calling thread,
//!   and rayon is not built. Answers are the same bits.
//! * `serde`: [`Pose`] (as `{translation, rotation}`, checked when it is read), [`Clearance`], [`Status`], [`Cost`], [`Feature`], [`Engine`],
//!   [`Aabb`](math::Aabb), [`BroadKind`](broad::BroadKind), [`Config`](world::Config), [`Detail`](world::Detail) and [`BodyId`] can be written and
//!   read. An infinite bound is `null`, since JSON has no infinities. The crate `clearance-io` reads files with shapes.
//! * `proof`: the module `proof` makes evidence for answers, in the types of the crate `clearance-verify`, which checks it.
//! * `mint`: a parameter `impl Into<DVec3>` takes vectors and points of `mint`, and poses come from and go to its `ColumnMatrix4`.
//!
//! # One glam with bevy
//!
//! Vectors are those of glam 0.33 or 0.34; Cargo picks the newest. bevy 0.20 uses 0.33. To share one glam with it, run once in your project
//!
//! ```text
//! cargo update -p glam@0.34.2 --precise 0.33.12
//! ```
//!
//! with the versions that `cargo tree -d` shows. Older versions of bevy have an older glam; go through arrays
//! (`vector.to_array()`), or the feature `mint`.
//!
//! # The meaning of a bracket
//!
//! A bracket is a pair of certified bounds: the true signed distance of the two shapes, at the poses as they are given, lies in
//! `lower..=upper`. [`Clearance::is_apart`] says whether a gap is proved; [`Status`] says how tight the bracket is. The width left at
//! [`Status::Converged`] is a bound on rounding: about 1e-14 of the largest coordinate in the frame of A. For curved shapes that
//! overlap it is 1e-11 of it at most; [`Status::Open`] says that even that was not reached.

#![forbid(unsafe_code)]

pub mod batch;
pub mod broad;
pub mod cast;
pub mod decompose;
pub mod depth;
pub mod error;
mod hull;
pub mod math;
pub mod motion;
mod narrow;
pub mod pair;
mod parallel;
pub mod point;
#[cfg(feature = "proof")]
pub mod proof;
pub mod shape;
mod trace;
mod tree;
mod tuning;
pub mod world;

/// Access for `clearance-papers`, `clearance-lab` and `clearance-bench` to the engines. Unstable: semantic versioning does not cover it.
#[doc(hidden)]
pub mod internals {
    /// Broad phases by name, and tables that they share.
    pub mod broad {
        pub use crate::broad::{
            Boxes, BruteForce, FoundPairs, PairFinder, PairSet, PairTracker, Prune, SLOTS, SweepPrune, is_held,
        };
    }
    /// Proofs about pieces of solids, and hierarchies of their hulls.
    pub mod decompose {
        pub use crate::decompose::{Children, HullNode, HullTree, MAX_CELLS, prove_inner, prove_outer};
    }
    /// Pieces of solids and their sums.
    pub mod depth {
        pub use crate::depth::internals::*;
    }
    /// Convex hulls.
    pub mod hull {
        pub use crate::hull::*;
        pub use crate::shape::polytope::convex_hull;
    }
    /// The engines.
    pub mod narrow {
        pub use crate::narrow::*;
    }
    pub use crate::math::exact;
    pub use crate::math::multiversioned;
    pub use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH};
    pub use crate::narrow::meshes::shared as meshes;
    pub use crate::narrow::simplex::{Reducer, double_double};
    pub use crate::narrow::{Apart, ClosestPoints, Cycle};
    pub use crate::shape::polytope::{TrackedEdge, farthest};
    pub use crate::tuning::shape::SCAN_VERTICES;
    pub use glam;
}

#[doc(inline)]
pub use batch::Batch;
#[doc(inline)]
pub use cast::{Ray, RayHit, cast_ray, cast_ray_boundary};
#[doc(inline)]
pub use depth::{Depth, DepthBudget, depth, signed_distance};
#[doc(inline)]
pub use error::BuildError;
#[doc(inline)]
pub use math::Pose;
#[doc(inline)]
pub use motion::{Impact, Interval, Motion, ShapeHit, Sweep, cast_shape, closest_approach, time_of_impact};
#[doc(inline)]
pub use pair::{
    Clearance, Collision, Cost, Engine, FeaturePair, Manifold, ManifoldPoint, ManifoldPoints, NarrowPhase, Pair,
    ProposedGap, Status, UnknownEngine, distance, intersects, within,
};
#[doc(inline)]
pub use point::{PointProjection, contains, project_point, signed_distance_to_point};
#[doc(inline)]
pub use shape::{Axis, Convex, Feature, HalfHeight, Radius, Shape};
#[doc(inline)]
pub use world::{BodyId, QueryFilter, World};

/// The example of the package's README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
