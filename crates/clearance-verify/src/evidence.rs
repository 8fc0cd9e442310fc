//! What is claimed, and what it is claimed with.

use crate::cells::Node;
use crate::pose::Pose;
use crate::shape::Shape;
use serde::{Deserialize, Serialize};

/// Two shapes and where they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The first shape.
    pub a: Shape,
    /// Where it is.
    pub pose_a: Pose,
    /// The second shape.
    pub b: Shape,
    /// Where it is.
    pub pose_b: Pose,
}

/// An answer that somebody gave.
///
/// The signed distance is the gap, or minus the depth: the length of the shortest translation that leaves the shapes
/// touching only. For compounds it is that of the pair of parts for which it is least.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// The shapes have a point in common, or have none.
    Intersects(bool),
    /// The signed distance.
    Distance(Distance),
    /// The signed distance is more than the margin.
    Beyond {
        /// The margin.
        margin: f64,
    },
    /// The signed distance may be at most the margin, and is this.
    Within {
        /// The margin.
        margin: f64,
        /// The distance.
        distance: Distance,
    },
}

/// A claimed signed distance with its bracket and its witnesses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// The signed distance.
    pub distance: f64,
    /// The point of A.
    pub point_a: [f64; 3],
    /// The point of B.
    pub point_b: [f64; 3],
    /// The unit vector from A to B.
    pub normal: [f64; 3],
    /// The true value is at least this; minus infinity claims nothing.
    pub lower: f64,
    /// The true value is at most this; infinity claims nothing.
    pub upper: f64,
}

/// What proves a claim.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Evidence {
    /// Directions from A to B, of any length, along which the shapes are apart by the lower bound (or overlap by no more
    /// than it allows). One for each pair of parts, those of the first part of A first. A half-space goes with its own
    /// normal, whatever is written for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lower: Vec<[f64; 3]>,
    /// What the upper bound, or a common point, rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<Upper>,
}

/// What an upper bound of the signed distance rests on. All points are points of cores: a sphere's core is its centre, a
/// capsule's the segment, a rounded shape's the shape inside; every other shape is its own core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Upper {
    /// Two points: the distance is at most theirs, less the radii.
    Points {
        /// Which parts of two compounds they are points of.
        #[serde(default)]
        parts: [u32; 2],
        /// A point of A.
        a: Member,
        /// A point of B.
        b: Member,
    },
    /// One to four pairs of points whose differences have the origin in their hull: the cores have a point in common.
    Simplex {
        /// Which parts of two compounds they are points of.
        #[serde(default)]
        parts: [u32; 2],
        /// Points of A and of B.
        points: Vec<[Member; 2]>,
    },
    /// Pairs of points, and triangles of their differences that close up around the origin, counterclockwise as seen from
    /// outside: the shapes overlap by as much as the nearest triangle is away from the origin, plus the radii.
    Surface {
        /// Which parts of two compounds they are points of.
        #[serde(default)]
        parts: [u32; 2],
        /// Points of A and of B.
        points: Vec<[Member; 2]>,
        /// The triangles, by the indices of their corners.
        triangles: Vec<[u32; 3]>,
    },
    /// A division of all directions into cells, with what bounds the height of A - B from below in each of them: the
    /// distance is at most minus the least bound. Directions have a longitude and a latitude about an axis, and the cells
    /// are rectangles of these; the first one is [-3.1416, 3.1416] x [-1.5708, 1.5708], which is all of the sphere.
    Cells {
        /// Which parts of two compounds the heights are those of.
        #[serde(default)]
        parts: [u32; 2],
        /// The axis, a vector of the world of any length but zero.
        axis: [f64; 3],
        /// A vector of the world that is not parallel to the axis: where the longitude is zero.
        side: [f64; 3],
        /// The cells as a tree in preorder: a cell that is split is followed by all of its lower part, then by all of its
        /// upper part. At most 65,536 nodes, 200 splits deep.
        nodes: Vec<Node>,
    },
}

/// Why a point is a point of a shape, in the shape's own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Member {
    /// It is the vertex of that number: of a hull in the order of its points, of a box by the signs of x, y, z in bits 0,
    /// 1, 2, of a segment or triangle in the order of its corners, of a ball or point its centre.
    Vertex(u32),
    /// It satisfies the inequality of the shape: of a point, ball, box, cylinder, cone or ellipsoid.
    At([f64; 3]),
    /// It is a mean of other members; the weights are divided by their sum.
    Mix(Vec<(f64, Member)>),
    /// It is the image of a member of the shape that an affine shape maps.
    Image(Box<Member>),
    /// It is a member of the core of a ball, a capsule or a rounded shape, moved by no more than the radius. Needed only
    /// inside images, since radii are otherwise accounted for by themselves.
    Offset {
        /// The member of the core.
        core: Box<Member>,
        /// How it is moved.
        offset: [f64; 3],
    },
    /// It is a point of a half-space that need not be known.
    Plane {},
}

/// What a check found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The claim is true.
    Proved,
    /// The claim is false, and this is why.
    Refuted(String),
    /// The evidence decides nothing.
    Undecided(String),
}
