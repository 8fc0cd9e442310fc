//! The answer to "how far apart, or how deep?".

use crate::math::Pose;
use crate::narrow::{Bracket, ClosestPoints, Cost, Exit, Outcome};
use crate::shape::{Feature, NO_VERTEX, Shape};
use glam::DVec3;

/// The signed distance between two shapes, with its witnesses and the interval that is proved to hold it.
///
/// A negative distance is minus the depth: the length of the shortest translation that separates the shapes, all parts of
/// compounds included. Of compounds that overlap, distance, points and normal are those of the deepest pair of parts, and `lower` is the
/// best translation that is known to free all of them. Unless the two meet the bracket is open, with [`Status::Open`].
///
/// Points and the normal are in world coordinates, and `point_b = point_a + distance * normal` to rounding. The one
/// infinite answer is the depth of two half-spaces that no translation separates.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clearance {
    /// The gap, or minus the depth when the shapes overlap: always within `lower..=upper`.
    #[cfg_attr(feature = "serde", serde(with = "super::serialized::lower"))]
    pub distance: f64,
    /// The point of A nearest to B; when the shapes overlap, the point of A that is deepest along the normal.
    pub point_a: DVec3,
    /// The point of B nearest to A; when the shapes overlap, the point of B that is deepest against the normal. (With
    /// [`Status::Open`] only the plane through it and across the normal is known to bound B.)
    pub point_b: DVec3,
    /// Unit vector from A to B: moving B along it widens the gap.
    pub normal: DVec3,
    /// The true signed distance is at least this.
    #[cfg_attr(feature = "serde", serde(with = "super::serialized::lower"))]
    pub lower: f64,
    /// The true signed distance is at most this.
    #[cfg_attr(feature = "serde", serde(with = "super::serialized::upper"))]
    pub upper: f64,
    /// Which parts of two compounds the answer is about; zero for other shapes.
    pub parts: [u32; 2],
    /// How the answer was reached.
    pub status: Status,
    /// Work of the query.
    pub cost: Cost,
    pub(super) contact: Contact,
}

/// How an answer knows the features that hold its witnesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Contact {
    /// Vertices of A and B whose hulls hold the witnesses; the first `count` of four.
    Vertices { ids: [[u32; 2]; 4], count: u8 },
    /// The features of A and B themselves.
    Features([Feature; 2]),
}

/// Nothing is known.
impl Default for Contact {
    #[inline]
    fn default() -> Self {
        Self::Vertices { ids: [[0; 2]; 4], count: 0 }
    }
}

impl Contact {
    /// The contact with the roles of A and B exchanged.
    #[inline]
    pub fn swapped(self) -> Self {
        match self {
            Self::Vertices { ids, count } => Self::Vertices { ids: ids.map(|[a, b]| [b, a]), count },
            Self::Features([a, b]) => Self::Features([b, a]),
        }
    }

    /// The feature of A (0) or B (1), for a convex shape, a half-space or a mesh. It is the surface if the shape has no such feature: an
    /// answer may be read with other shapes than its own.
    fn feature(&self, side: usize, shape: &Shape) -> Feature {
        match *self {
            Self::Features(features) => Self::checked(features[side], shape),
            Self::Vertices { ids, count } => {
                let vertices: [u32; 4] = ids.map(|ids| ids[side]);
                let vertices = &vertices[..usize::from(count).min(4)];
                let known = vertices.iter().all(|&v| v != NO_VERTEX);
                match shape.convex() {
                    // A vertex number of another shape may not exist in this one.
                    Some(core) if known && vertices.iter().all(|&v| core.vertex(v).is_some()) => core.feature(vertices),
                    _ => Feature::Surface,
                }
            }
        }
    }

    fn checked(feature: Feature, shape: &Shape) -> Feature {
        let number = match feature {
            Feature::Vertex(number) | Feature::Edge(number) | Feature::Face(number) => number,
            Feature::Surface => return feature,
        };
        let count = match (shape, feature) {
            (Shape::Polytope(polytope), Feature::Vertex(_)) => polytope.vertex_count(),
            (Shape::Polytope(polytope), Feature::Edge(_)) => polytope.edge_count(),
            (Shape::Polytope(polytope), Feature::Face(_)) => polytope.face_count(),
            (Shape::Mesh(mesh), Feature::Face(_)) => mesh.triangles().len(),
            _ => usize::MAX,
        };
        if (number as usize) < count { feature } else { Feature::Surface }
    }
}

impl Clearance {
    /// The outcome of an engine, from the frame of A to world coordinates.
    #[inline]
    pub(super) fn new(out: &Outcome, pose_a: &Pose) -> Self {
        let status = match out.exit {
            _ if out.closed => Status::Converged,
            Exit::BadSupport => Status::BadSupport,
            Exit::NearZero | Exit::Enclosed => Status::Open,
            Exit::Converged
            | Exit::RepeatedSupport
            | Exit::NoSubset
            | Exit::NoProgress
            | Exit::Beyond
            | Exit::IterationLimit => Status::Stalled,
        };
        let (point_a, normal) = (pose_a.transform_point(out.point_a), pose_a.transform_vector(out.normal));
        Self {
            distance: out.distance,
            point_a,
            // Not from the frame of A: one rotation less, and the identity of the witnesses holds to the last place.
            point_b: point_a + out.distance * normal,
            normal,
            lower: out.lower,
            upper: out.upper,
            parts: [0; 2],
            status,
            cost: out.cost,
            contact: Contact::Vertices { ids: out.ids, count: out.count },
        }
    }

    /// No information: a support point was NaN or the bounds contradicted each other.
    #[cold]
    pub(super) fn unknown(pose_a: &Pose, cost: Cost) -> Self {
        Self {
            distance: 0.0,
            point_a: pose_a.translation(),
            point_b: pose_a.translation(),
            normal: DVec3::X,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            parts: [0; 2],
            status: Status::BadSupport,
            cost,
            contact: Contact::default(),
        }
    }

    /// Closest features, from the frame of A to world coordinates.
    #[inline(always)]
    pub(super) fn of_features(found: &ClosestPoints, features: [Feature; 2], pose_a: &Pose) -> Self {
        let (point_a, normal) = pose_a.point_and_direction(found.point_a, found.normal);
        Self::tracked(point_a, normal, found, features, found.cost())
    }

    /// Features that were closest and were confirmed, in the axes of the world.
    #[inline(always)]
    pub(super) fn confirmed(found: &ClosestPoints, features: [Feature; 2], pose_a: &Pose) -> Self {
        let cost = Cost { iterations: 1, support_calls: 0, fallbacks: 0 };
        Self::tracked(pose_a.translation() + found.point_a, found.normal, found, features, cost)
    }

    /// This clearance with the certified depth of the whole bodies. The translation frees A; `freed` is the clearance after it.
    pub(crate) fn with_depth(
        self,
        depth: [f64; 2],
        translation: DVec3,
        freed: &Self,
        features: [Feature; 2],
        status: Status,
    ) -> Self {
        let Some(way) = translation.try_normalize() else { return self };
        let [lower, upper] = [-depth[1], -depth[0]];
        Self {
            distance: lower,
            point_a: freed.point_a,
            point_b: freed.point_a - lower * way,
            normal: -way,
            lower,
            upper: self.upper.min(upper).max(lower),
            parts: freed.parts,
            status,
            cost: self.cost,
            contact: Contact::Features(features),
        }
    }

    #[inline(always)]
    fn tracked(point_a: DVec3, normal: DVec3, found: &ClosestPoints, features: [Feature; 2], cost: Cost) -> Self {
        Self {
            distance: found.length,
            point_a,
            point_b: point_a + found.length * normal,
            normal,
            lower: found.lower,
            upper: found.upper,
            parts: [0; 2],
            status: Status::Converged,
            cost,
            contact: Contact::Features(features),
        }
    }

    /// Are the shapes proved to be apart? Touching is not: a bracket that reaches down to zero does not prove a gap.
    ///
    /// This is the one meaning of an intersection test, everywhere: [`intersects`](super::intersects) is its opposite.
    ///
    /// ```
    /// use clearance::{Pose, Shape, distance};
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let at = |x: f64| distance(&ball, Pose::IDENTITY, &ball, Pose::from_translation([x, 0.0, 0.0]));
    /// assert!(at(3.0).is_apart() && at(3.0).gap() == 1.0 && at(3.0).depth_bounds() == [0.0; 2]);
    /// assert!(at(1.5).is_overlapping() && at(1.5).gap() == 0.0);
    /// let [least, most] = at(1.5).depth_bounds();
    /// assert!(least <= 0.5 && 0.5 <= most && most - least < 1e-13);
    /// assert!(at(2.0).is_overlapping());                        // touching counts
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn is_apart(&self) -> bool {
        Bracket::is_apart(self.lower)
    }

    /// Do the shapes overlap or touch, or come so close that no gap can be proved? The opposite of
    /// [`is_apart`](Clearance::is_apart).
    #[inline(always)]
    #[must_use]
    pub fn is_overlapping(&self) -> bool {
        !self.is_apart()
    }

    /// How far apart the shapes are; zero when they overlap. Proved is that it is at least `lower` and at most `upper`.
    #[inline]
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.distance.max(0.0)
    }

    /// Proved bounds of the penetration depth, the length of the shortest translation that separates the shapes: at least and at most.
    /// Both are zero when the shapes are apart. For two convex shapes they differ by rounding. For meshes and compounds they may be far
    /// apart: the first is the depth of the *deepest part*, a pair of parts, and the second the length of a translation that separates all parts.
    /// [`depth`](crate::depth::depth) narrows them.
    #[inline]
    #[must_use]
    pub fn depth_bounds(&self) -> [f64; 2] {
        [-self.upper, -self.lower].map(|bound| bound.max(0.0))
    }

    /// The features that the witness points lie on: a vertex, edge or face of A and of B, or a smooth surface.
    ///
    /// The shapes are those of the query. Features are computed only here: a search through the faces around a
    /// vertex can take longer than the query itself.
    ///
    /// ```
    /// use clearance::{Feature, Pose, Shape, distance};
    ///
    /// let cube = Shape::cuboid([0.5, 0.5, 0.5])?;
    /// let ball = Shape::sphere(1.0)?;
    /// let c = distance(&cube, Pose::IDENTITY, &ball, Pose::from_translation([3.0, 0.1, 0.2]));
    /// assert_eq!(c.features(&cube, &ball), [Feature::Face(1), Feature::Surface]);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn features(&self, a: &Shape, b: &Shape) -> [Feature; 2] {
        let side = |shape: &Shape, side: usize| {
            let part = match shape {
                Shape::Compound(compound) => match compound.parts().get(self.parts[side] as usize) {
                    Some(part) => &part.shape,
                    None => return Feature::Surface,
                },
                _ => shape,
            };
            if matches!(part, Shape::HalfSpace(_)) {
                return Feature::Face(0);
            }
            self.contact.feature(side, part)
        };
        [side(a, 0), side(b, 1)]
    }

    /// This answer with the roles of A and B exchanged.
    ///
    /// ```
    /// use clearance::{Pose, Shape, distance};
    ///
    /// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid([1.0, 1.0, 1.0])?);
    /// let c = distance(&ball, Pose::IDENTITY, &cube, Pose::from_translation([4.0, 0.0, 0.0]));
    /// assert_eq!((c.swapped().point_a, c.swapped().normal), (c.point_b, -c.normal));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            parts: [self.parts[1], self.parts[0]],
            contact: self.contact.swapped(),
            ..self
        }
    }
}

/// The tightness of a bracket, which holds the truth in every case. [`Clearance::is_overlapping`] says whether the shapes overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Status {
    /// The bracket is closed: lower and upper differ by rounding only, or for curved shapes that overlap by 1e-11 of the size.
    Converged,
    /// The bracket on a depth is open, wider than rounding explains: of compounds that overlap often, of convex shapes rarely.
    Open,
    /// The search stopped before the bracket closed, because rounding or the bound on iterations ended it. Or the bracket is closed, but by
    /// a direction other than the normal, which separates by a little less than `lower`.
    Stalled,
    /// A custom shape broke its contract: its `support` returned NaN, an infinite point or one beyond its bounding radius, or points that
    /// contradict each other. Nothing is known then, and the bracket is all numbers: from minus infinity to
    /// infinity.
    BadSupport,
}

impl Status {
    /// The word for it in files: `converged`, `open`, `stalled`, `bad_support`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Open => "open",
            Self::Stalled => "stalled",
            Self::BadSupport => "bad_support",
        }
    }
}
