//! Names of contact points: the feature of A and the feature of B that make a point.

use crate::shape::Feature;
use std::fmt;

/// A feature of one shape: its kind in two bits, its number in thirty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name(u32);

/// Layout: thirty bits for a number; vertex numbers of meshes have 29.
const NUMBER: u32 = (1 << 30) - 1;

impl Name {
    /// A place on a smooth surface, such as one of the points on a rim.
    pub const fn surface(number: u32) -> Self {
        Self(number & NUMBER)
    }

    pub const fn vertex(number: u32) -> Self {
        Self(1 << 30 | number & NUMBER)
    }

    pub const fn edge(number: u32) -> Self {
        Self(2 << 30 | number & NUMBER)
    }

    pub const fn face(number: u32) -> Self {
        Self(3 << 30 | number & NUMBER)
    }

    /// The number of a face.
    pub fn as_face(self) -> Option<u32> {
        (self.0 >> 30 == 3).then_some(self.0 & NUMBER)
    }

    /// The number of an edge.
    pub fn as_edge(self) -> Option<u32> {
        (self.0 >> 30 == 2).then_some(self.0 & NUMBER)
    }

    pub fn feature(self) -> Feature {
        let number = self.0 & NUMBER;
        match self.0 >> 30 {
            0 => Feature::Surface,
            1 => Feature::Vertex(number),
            2 => Feature::Edge(number),
            _ => Feature::Face(number),
        }
    }
}

impl From<Feature> for Name {
    fn from(feature: Feature) -> Self {
        match feature {
            Feature::Surface => Self::surface(0),
            Feature::Vertex(number) => Self::vertex(number),
            Feature::Edge(number) => Self::edge(number),
            Feature::Face(number) => Self::face(number),
        }
    }
}

/// The features of A and B that form a contact point: a number that stays the same while they do.
///
/// It is what a solver finds the impulse of the last frame by. Points of one manifold have different numbers. The text form has both
/// features: `v3-f1`.
///
/// ```
/// use clearance::{Feature, Pair, Pose, Shape};
///
/// let (floor, crate_) = (Shape::cuboid([5.0, 1.0, 5.0])?, Shape::cuboid([0.5, 0.5, 0.5])?);
/// let mut pair = Pair::new(&floor, &crate_);
/// let manifold = pair.manifold(Pose::IDENTITY, Pose::from_translation([0.0, 1.5, 0.0]), 0.01).expect("they touch");
/// let [a, b] = manifold.points()[0].id.features();
/// assert!(a == Feature::Face(3) && matches!(b, Feature::Vertex(_)));    // the top of the floor, a corner of the crate
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FeaturePair(u64);

impl FeaturePair {
    pub(super) const fn new([a, b]: [Name; 2]) -> Self {
        Self((a.0 as u64) << 32 | b.0 as u64)
    }

    /// The features. Different places on one smooth surface are all [`Feature::Surface`].
    #[must_use]
    pub fn features(self) -> [Feature; 2] {
        [Name((self.0 >> 32) as u32), Name(self.0 as u32)].map(Name::feature)
    }

    /// The pair as one number, for a key.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// The pair that [`FeaturePair::to_bits`] has made a number of.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The pair with the roles of A and B exchanged.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self(self.0.rotate_left(32))
    }
}

impl fmt::Display for FeaturePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.features();
        write!(f, "{a}-{b}")
    }
}
