//! Queries, claims and evidence as plain data. The library writes these types, files hold them, and the checker reads them.
//!
//! Evidence is never believed. Each field below says what the checker proves with it; wrong numbers prove nothing.

use crate::cells::Node;
use crate::manifold::ManifoldEvidence;
use crate::motion::ImpactEvidence;
use crate::pose::Pose;
use crate::ray::RayEvidence;
use crate::shape::Shape;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Two shapes and where they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The first shape.
    pub a: Shape,
    /// Where it is.
    pub pose_a: Pose,
    /// The second shape.
    pub b: Shape,
    /// Where it is.
    pub pose_b: Pose,
}

/// An answer to be checked.
///
/// The signed distance is the gap, or minus the depth: the length of the shortest translation that leaves the shapes
/// touching only. That holds for compounds too: what separates them separates all pairs of their parts.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// The shapes have a point in common, or have none.
    Intersects(bool),
    /// The signed distance is in this interval, both ends included; an infinite end claims nothing.
    Bracket {
        /// It is at least this.
        lower: f64,
        /// It is at most this.
        upper: f64,
    },
    /// The signed distance, with everything that an answer says about it.
    Distance(Distance),
    /// The signed distance is more than the margin.
    Beyond {
        /// The margin.
        margin: f64,
    },
    /// The signed distance is at most the margin (or more by what doubles cannot see), and is this.
    Within {
        /// The margin.
        margin: f64,
        /// The distance.
        distance: Distance,
    },
}

/// A claimed signed distance with its bracket and its witnesses. Every field is a claim of its own.
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
    /// The true value is at least this; minus infinity only for half-spaces that overlap without end.
    pub lower: f64,
    /// The true value is at most this.
    pub upper: f64,
    /// How good the answer is.
    pub status: Status,
    /// The features that the witnesses are on: of A, of B.
    pub features: [Feature; 2],
}

/// How good an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The bracket is closed to 1e-10 of the size, the witnesses are on their shapes, and the normal separates by `lower`.
    Converged,
    /// The shapes overlap or touch; witnesses and normal are as good as the bracket is narrow.
    Open,
    /// Witnesses and normal are as good as the bracket is narrow.
    Stalled,
    /// The support mapping failed, and nothing is known.
    BadSupport,
}

impl Status {
    /// The status of that name, as files spell it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "converged" => Self::Converged,
            "open" => Self::Open,
            "stalled" => Self::Stalled,
            "bad_support" => Self::BadSupport,
            _ => return None,
        })
    }
}

/// The feature that a witness is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// A smooth surface.
    Surface,
    /// The vertex of that number, counted as members count them.
    Vertex(u32),
    /// An edge. Its number is that of the answer; the evidence lists its vertices.
    Edge(u32),
    /// A face, likewise; of a half-space the plane, of a mesh the triangle of that number, counted from 0.
    Face(u32),
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Surface => f.write_str("s"),
            Self::Vertex(number) => write!(f, "v{number}"),
            Self::Edge(number) => write!(f, "e{number}"),
            Self::Face(number) => write!(f, "f{number}"),
        }
    }
}

impl Feature {
    /// The feature of that name: `s`, `v12`, `e3`, `f7`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if name == "s" {
            return Some(Self::Surface);
        }
        let mut rest = name.chars();
        let kind = rest.next()?;
        let digits = rest.as_str();
        // Not "v+1" nor "v01".
        let number: u32 = digits.parse().ok().filter(|number: &u32| number.to_string() == digits)?;
        Some(match kind {
            'v' => Self::Vertex(number),
            'e' => Self::Edge(number),
            'f' => Self::Face(number),
            _ => return None,
        })
    }
}

/// A claim about how deep two bodies overlap: the length of the shortest translation of A after which no inner point of it is in B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthClaim {
    /// No shorter translation frees A.
    pub lower: f64,
    /// The length of the translation is at most this; infinite if none is claimed.
    pub upper: f64,
    /// A translation of A, in the axes of the world, that frees it.
    pub translation: [f64; 3],
    /// Which places count as free.
    pub scope: Scope,
}

/// Which places count as free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// All of them, cavities too.
    #[default]
    Any,
    /// Only those that are reached from far away.
    Outside,
}

/// The format of evidence that is checked. Layout: format 1 had no number, and a direction for each pair of parts.
pub const FORMAT: u32 = 2;

/// The evidence for a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The number of its format; only [`FORMAT`] is checked.
    #[serde(default = "unnumbered")]
    pub format: u32,
    /// Proves the lower bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<Lower>,
    /// Proves the upper bound, or a common point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<Upper>,
    /// Why the witnesses are points of their shapes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// The vertices of the edge or face that each witness is on; none for other features.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub features: [Vec<u32>; 2],
    /// Proves an answer about moving bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<ImpactEvidence>,
    /// The segments of a ray that the bounds are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ray: Option<RayEvidence>,
    /// Proves a lower bound of a depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<DepthEvidence>,
    /// Why a free place is reached from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<WayOut>,
    /// Proves a contact manifold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<ManifoldEvidence>,
}

impl Default for Evidence {
    fn default() -> Self {
        Self {
            format: FORMAT,
            lower: None,
            upper: None,
            witness: None,
            features: [Vec::new(), Vec::new()],
            motion: None,
            ray: None,
            depth: None,
            outside: None,
            contact: None,
        }
    }
}

/// Evidence without a number is of the first format.
fn unnumbered() -> u32 {
    1
}

/// The error message for evidence of another format.
#[must_use]
pub fn other_format(format: u32) -> String {
    format!("the evidence is of format {format}, but only format {FORMAT} is checked; answer again with query --proof")
}

/// Evidence for a lower bound of the signed distance: directions from A to B, of any length, for sets of pairs of parts.
///
/// Along its direction every pair is apart by the bound. Shapes that overlap as compounds are bounded by one direction for all pairs, along
/// which they overlap by no more than the bound allows. Or they are bounded by a translation of B, no longer than that, after which all
/// pairs are apart. A half-space goes with its own normal, whatever is written for it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Lower {
    /// How B is moved before the directions separate it from A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translation: Option<[f64; 3]>,
    /// The order of the parts of A that splits refer to; as they are counted if it is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub a: Vec<u32>,
    /// The order of the parts of B.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub b: Vec<u32>,
    /// A tree of sets of pairs in preorder.
    pub cover: Vec<Cover>,
}

/// A node of a cover.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Cover {
    /// The parts of A are divided into those before that place of the order and the others.
    SplitA(u32),
    /// The parts of B are.
    SplitB(u32),
    /// All pairs are apart along this direction.
    Along([f64; 3]),
}

impl Lower {
    /// One direction for all pairs.
    #[must_use]
    pub fn along(direction: [f64; 3]) -> Self {
        Self { cover: vec![Cover::Along(direction)], ..Self::default() }
    }
}

impl<'de> Deserialize<'de> for Lower {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            translation: Option<[f64; 3]>,
            #[serde(default)]
            a: Vec<u32>,
            #[serde(default)]
            b: Vec<u32>,
            cover: Vec<Cover>,
        }

        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Lower;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a cover of all pairs of parts")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Lower, A::Error> {
                let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
                let Fields { translation, a, b, cover } = fields;
                Ok(Lower { translation, a, b, cover })
            }

            // The first format had a list here.
            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Lower, A::Error> {
                Err(de::Error::custom(other_format(1)))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

impl Evidence {
    /// About how many numbers it is written with. The work of a check may grow with it.
    pub(crate) fn numbers(&self) -> u64 {
        let upper = self.upper.as_ref().map_or(0, Upper::numbers);
        let witness = self.witness.as_ref().map_or(0, |witness| witness.a.numbers() + witness.b.numbers());
        let features = self.features.iter().map(|vertices| vertices.len() as u64).sum::<u64>();
        let numbers = |lower: &Lower| lower.a.len() + lower.b.len() + 3 * lower.cover.len();
        let lower = self.lower.as_ref().map_or(0, |lower| numbers(lower) as u64);
        let motion = self.motion.as_ref().map_or(0, ImpactEvidence::numbers);
        let contact = self.contact.as_ref().map_or(0, ManifoldEvidence::numbers);
        lower + upper + witness + features + motion + contact + self.depth.as_ref().map_or(0, DepthEvidence::numbers)
    }
}

/// Evidence for a lower bound of a depth: a cover of all shorter translations of A, in the frame of A.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthEvidence {
    /// Convex pieces of A and of B.
    pub pieces: [Vec<DepthPiece>; 2],
    /// Planes: a normal of any length, and the height of the plane along it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planes: Vec<[f64; 4]>,
    /// Boxes of translations that no path leads into, for [`Scope::Outside`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub voids: Vec<DepthVoid>,
    /// A tree of sets of translations in preorder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<DepthNode>,
    /// Instead of pieces, planes and nodes: a forest of cones of translations in preorder. Its roots are the eight octants; bit 0, 1, 2 of the number of an
    /// octant is set where x, y, z is negative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cones: Vec<ConeNode>,
}

/// The treatment of a cone of translations: all combinations of three directions with weights that are not negative. It is covered below the plane through
/// the ends of the directions, each times its length. An octant has unit vectors along x, y, z, or their opposites, and lengths of zero.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ConeNode {
    /// Everything beyond the plane is as far from the origin as the bound.
    Far {},
    /// It is covered up to a plane farther out, and goes on from there. The hull of the points is in the interior of B. So is, in that of A, the hull of
    /// the points less the corners: the three inner corners, then the three outer ones.
    Step {
        /// The new lengths.
        lengths: [f64; 3],
        /// A point for each corner, in the frame of A before it is moved.
        points: [[f64; 3]; 6],
        /// Parts of A and of B: any triangle of the mesh that has the hull inside.
        #[serde(default)]
        parts: [u32; 2],
    },
    /// It is split at the direction that is the sum of its directions times the weights. For each weight that is positive there is a child, which has the new
    /// direction in the place of the old one.
    Split {
        /// Two or three of them are positive, and none is negative.
        weights: [f64; 3],
        /// The length of the new direction, which is below the plane.
        length: f64,
    },
}

/// A box of translations whose surface is in sums of pieces, or in boxes before it, so that no path leads into it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthVoid {
    /// Its lower corner.
    pub min: [f64; 3],
    /// Its upper corner.
    pub max: [f64; 3],
    /// A tree for each of its sides: the lower and the upper one across x, across y, across z. No point of a side may be left "far".
    pub sides: [Vec<DepthNode>; 6],
}

/// A straight path along which two shapes stay apart, each pair of parts along its direction in [`Lower`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WayOut {
    /// The translation of B at its end.
    pub moved: [f64; 3],
    /// A direction from A to B along which all parts are apart there.
    pub along: [f64; 3],
}

/// A convex polytope inside of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthPiece {
    /// A part of the body: itself, or any triangle of a mesh.
    #[serde(default)]
    pub part: u32,
    /// Its vertices in the frame of the part; of a mesh outside of the maps that it has.
    pub points: Vec<[f64; 3]>,
    /// Its surface, counterclockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Of a convex part: why each vertex is a point of it, or next to one. Of a mesh nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
}

/// A set of translations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DepthNode {
    /// It is as far from the origin as the bound.
    Far {},
    /// It is cut by the plane of that number: the points beyond come first, then the others.
    Cut(u32),
    /// Its points outside the sum of two pieces are beyond one of the listed planes, or as far from the origin as the bound.
    Divided {
        /// The pieces of A and B.
        pieces: [u32; 2],
        /// The planes; for each comes the set of what is beyond it, and on the inner side of those before it.
        beyond: Vec<u32>,
    },
    /// Its points outside a box that no path leads into are beyond one of the listed planes, or as far from the origin as the bound.
    Enclosed {
        /// The number of the box.
        void: u32,
        /// The planes.
        beyond: Vec<u32>,
    },
}

fn is_empty(features: &[Vec<u32>; 2]) -> bool {
    features.iter().all(Vec::is_empty)
}

/// Points of the cores that the witnesses are next to: as near as the radius, to rounding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// Which parts of two compounds they are points of.
    #[serde(default)]
    pub parts: [u32; 2],
    /// A point of A.
    pub a: Member,
    /// A point of B.
    pub b: Member,
}

/// Evidence for an upper bound of the signed distance. All points are points of cores: a sphere's core is its centre, a
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
    /// Pairs of points, and triangles of their differences that close up around the origin, counterclockwise as seen from outside. The
    /// shapes overlap by as much as the nearest triangle is away from the origin, plus the radii.
    Surface {
        /// Which parts of two compounds they are points of.
        #[serde(default)]
        parts: [u32; 2],
        /// Points of A and of B.
        points: Vec<[Member; 2]>,
        /// The triangles, by the indices of their corners.
        triangles: Vec<[u32; 3]>,
    },
    /// A division of all directions into cells, with a lower bound of the height of A - B in each of them: the
    /// distance is at most minus the least bound. Directions have a longitude and a latitude about an axis, and the cells
    /// are rectangles of these; the first one is [-3.1416, 3.1416] x [-π/2, π/2], which is all of the sphere.
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
    /// An ellipsoid inside A - B with a ball about the origin inside, for shapes that are symmetric about a centre: the distance
    /// is at most minus the radius of the ball.
    Ellipsoid {
        /// Which parts of two compounds it is inside the difference of.
        #[serde(default)]
        parts: [u32; 2],
        /// λ of the ball, between zero and one.
        share: f64,
        /// An ellipsoid inside of each length: those of A, then those of B. Of a cylinder or an ellipsoid its disc or itself, of images
        /// those of the shape inside and then its radius, and of segments, capsules and cylinders last the segment.
        inner: Vec<InnerEllipsoid>,
    },
    /// A point of one shape that the surface of a solid of the other winds around: the distance is at most minus what the point is
    /// away from that surface, less the radius.
    Inside {
        /// A part of each: of the solid any triangle, of the other the part that has the point.
        #[serde(default)]
        parts: [u32; 2],
        /// Which of the two is the solid.
        solid: Whose,
        /// The point of the other's core.
        point: Member,
    },
}

/// One of the two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The first.
    A,
    /// The second.
    B,
}

/// An ellipsoid in the unit ball: all of `centre` + Kᵀx with |x| <= 1. It is inside if KᵀK <= λ (I - w wᵀ/(1-λ)) with the centre w and
/// the share λ, if w = 0, λ = 1 and KᵀK <= I, or if K = 0 and |w| <= 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InnerEllipsoid {
    /// w.
    pub centre: [f64; 3],
    /// λ.
    pub share: f64,
    /// K by rows.
    pub matrix: [[f64; 3]; 3],
}

impl Upper {
    /// Which parts of two compounds the evidence is about.
    pub(crate) fn parts(&self) -> [u32; 2] {
        let (Self::Points { parts, .. }
        | Self::Simplex { parts, .. }
        | Self::Surface { parts, .. }
        | Self::Cells { parts, .. }
        | Self::Ellipsoid { parts, .. }
        | Self::Inside { parts, .. }) = self;
        *parts
    }

    pub(crate) fn numbers(&self) -> u64 {
        let members = |points: &[[Member; 2]]| points.iter().flatten().map(Member::numbers).sum::<u64>();
        match self {
            Self::Points { a, b, .. } => a.numbers() + b.numbers(),
            Self::Simplex { points, .. } => members(points),
            Self::Surface { points, triangles, .. } => members(points) + 3 * triangles.len() as u64,
            Self::Cells { nodes, .. } => 6 + nodes.iter().map(Node::numbers).sum::<u64>(),
            Self::Ellipsoid { inner, .. } => 1 + 13 * inner.len() as u64,
            Self::Inside { point, .. } => point.numbers(),
        }
    }
}

/// Why a point is a point of a shape, in the shape's own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Member {
    /// It is the vertex of that number: of a hull in the order of its points, of a box by the signs of x, y, z in bits 0, 1, 2. Of a
    /// segment or triangle (one of a mesh too) it is that in the order of its corners, of a ball or point its centre.
    Vertex(u32),
    /// It satisfies the inequality of the shape: of a point, ball, box, cylinder, cone or ellipsoid.
    At([f64; 3]),
    /// It is a mean of other members; the weights are divided by their sum.
    Mix(Vec<(f64, Member)>),
    /// It is the image of a member of the shape that an affine shape maps.
    Image(Box<Member>),
    /// It is a member of the core of a ball, a capsule or a rounded shape, moved by no more than the radius (of nested
    /// roundings their sum). Needed only inside images, since radii are otherwise accounted for by themselves.
    Offset {
        /// The member of the core.
        core: Box<Member>,
        /// How it is moved.
        offset: [f64; 3],
    },
    /// It is a point of a half-space that need not be known.
    Plane {},
}

impl Member {
    pub(crate) fn numbers(&self) -> u64 {
        match self {
            Self::Vertex(_) | Self::Plane {} => 1,
            Self::At(_) => 3,
            Self::Mix(terms) => terms.iter().map(|(_, term)| 1 + term.numbers()).sum(),
            Self::Image(inner) => 1 + inner.numbers(),
            Self::Offset { core, .. } => 3 + core.numbers(),
        }
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The claim is true.
    Proved,
    /// The claim is false, for this reason.
    Refuted(String),
    /// The evidence decides nothing, for this reason.
    Undecided(String),
}
