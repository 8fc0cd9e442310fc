//! Checks claims about the distance and the overlap of two shapes with exact arithmetic.
//!
//! The crate depends on no other crate of Clearance and calls none. It takes plain numbers, an answer and evidence for it,
//! and says whether the answer is [proved](Verdict::Proved), [refuted](Verdict::Refuted), or
//! [undecided](Verdict::Undecided) by this evidence.
//!
//! ```
//! use clearance_verify::{Claim, Evidence, Member, Pose, Query, Shape, Upper, Verdict, check};
//!
//! let cube = Shape::Cuboid { half_extents: [0.5; 3] };
//! let ball = Shape::Sphere { radius: 1.0 };
//! let pose_b = Pose { translation: [1.25, 0.0, 0.0], ..Pose::IDENTITY };
//! let query = Query { a: cube, pose_a: Pose::IDENTITY, b: ball, pose_b };
//!
//! // The centre of the ball is 0.75 from the face, its radius is 1: a point in common.
//! let (a, b) = (Member::At([0.5, 0.0, 0.0]), Member::Vertex(0));
//! let evidence = Evidence { upper: Some(Upper::Points { parts: [0, 0], a, b }), ..Evidence::default() };
//! assert_eq!(check(&query, &Claim::Intersects(true), &evidence), Verdict::Proved);
//! assert!(matches!(check(&query, &Claim::Intersects(false), &evidence), Verdict::Refuted(_)));
//! ```
//!
//! # Proofs
//!
//! The signed distance of two convex sets is the largest *separation* along any direction n, which is
//! -(h_A(n) + h_B(-n)) / |n| with the support heights h. So one direction proves a lower bound, be it positive (a gap) or
//! negative (no overlap deeper than that). For compounds it has to be shown for every pair of parts, by a [cover](Cover) of all pairs by
//! pairs of sets. The greatest overlap is bounded by one direction for all or by a translation that frees all, see [`Lower`]; the least
//! overlap by one pair of parts. Two points prove an upper bound of a gap. A surface of points of A - B around the origin proves a lower
//! bound of the depth, see [`Upper::Surface`]. So does a division of all directions into cells with a bound for each, see [`Upper::Cells`],
//! and an ellipsoid between A - B and a ball, see [`Upper::Ellipsoid`]. Balls around
//! cores add their radii to all of these.
//!
//! A [mesh](Shape::Mesh) is the union of its triangles, which are parts like others, and if its surface is closed also of what that winds
//! around. Where the surfaces are apart, each connected piece is inside of a solid as a whole or outside as a whole. The
//! checker tests one point of each by itself, and needs no evidence for it. A point inside of a solid bounds the distance
//! from above, see [`Upper::Inside`].
//!
//! Bodies that [move](MovingQuery) are apart in an interval of time if they are along some direction at both its ends, by more than the gap
//! can sink in between. A chain of such intervals proves that there is no contact before its end, see [`check_impact`].
//!
//! An answer about a [ray](RayQuery) is checked by two segments of it, one that is apart from the shape and one that has a point of it, see
//! [`check_ray`]. A shape that is cast is a body that moves straight, at unit speed.
//!
//! The points of a contact manifold are checked one by one. They have to be on both shapes, and two supporting planes bound the gap on the line through
//! them from below. See [`check_manifold`].
//!
//! The depth of an overlap of solids that are not convex is proved by a translation after which they are apart, and by a
//! [cover](DepthEvidence) of all shorter ones with sums of convex pieces. See [`check_depth`].
//!
//! Without evidence, or against it, the distance of two polytopes (and of what has polytopes for cores: balls, capsules,
//! rounded boxes) is decided exactly by the checker itself, as long as the cores are apart. So an intersection test about such
//! shapes is always decided, and a wrong distance is refuted whatever is written beside it.
//!
//! # Numbers
//!
//! Every check is computed with intervals first and with exact dyadic rationals where those leave a sign open. Square
//! roots are compared by squaring, or by intervals of up to 8192 bits where there are several. Cells are computed with
//! intervals of doubles only; a sign that those leave open is undecided. Rotating bodies have sines, which are computed with intervals: of doubles
//! first, then of 256 bits.

#![forbid(unsafe_code)]

mod answer;
mod apart;
mod cells;
mod check;
mod cover;
mod decide;
mod depth;
mod ellipsoid;
mod evidence;
mod manifold;
mod motion;
mod number;
mod pairing;
mod parts;
mod pose;
mod ray;
mod shape;
mod solid;
mod surface;
mod tolerance;
mod witness;

pub use cells::{Mix, Node};
pub use check::{check, check_counted};
pub use depth::{check_depth, check_depth_counted};
pub use evidence::{
    Claim, ConeNode, Cover, DepthClaim, DepthEvidence, DepthNode, DepthPiece, DepthVoid, Distance, Evidence, FORMAT,
    Feature, InnerEllipsoid, Lower, Member, Query, Scope, Status, Upper, Verdict, WayOut, Whose, Witness, other_format,
};
pub use manifold::{ManifoldClaim, ManifoldEvidence, ManifoldPointClaim, check_manifold};
pub use motion::{
    ChainLink, ContactClaim, ImpactClaim, ImpactEvidence, ImpactNode, Keyframe, Meeting, Motion, MovingQuery, RingBody,
    check_contact, check_impact, check_impact_counted, check_start,
};
pub use pose::Pose;
pub use ray::{RayClaim, RayEvidence, RayHitClaim, RayQuery, check_ray, check_ray_counted};
pub use shape::{Part, Shape};

/// Calls a function with intervals, and with exact numbers where those cannot tell.
macro_rules! filtered {
    ($check:ident($($argument:expr),*)) => {
        match $check::<$crate::number::Interval>($($argument),*) {
            Err($crate::shape::Trouble::Unclear) => $check::<$crate::number::Dyadic>($($argument),*),
            decided => decided,
        }
    };
}
pub(crate) use filtered;
