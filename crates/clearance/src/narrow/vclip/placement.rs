//! How the two polytopes see each other: the data of the states, in the axes of the march and of the probe.
//!
//! A *march* ([`March`](super::march::March)) has B in the frame of A, a matrix that is made once and serves every step. It calculates in
//! the axes of Y. A *probe* ([`Probe`](super::confirm::Probe)) tests one pair, the one that was closest; the matrix would take longer than
//! that test. It rotates a few vectors of A and of B to the axes of the world, side by side ([`RotationPair`](crate::math::RotationPair)),
//! and one back. Its answer is in the axes of the world already.
//!
//! **X and Y.** X has the vertex of a state and Y the feature it is compared with. X is B, unless `X_IS_A`. Where both features are of
//! one kind, X is B.
//!
//! **Slack.** How far may a shape reach through its plane, because the normal n is rounded? Four things tilt n or move the plane:
//!
//! * *The stored plane.* Directions of edges are right to 4 ε and normals of faces to 25 ε. No point of a shape is farther than twice its
//!   bounding radius from a point of it. That is 8 ε of the bounding radius beside an edge, 50 ε beside a face.
//! * *The projection.* The remainder of the direction d along an edge, its *tilt*, lifts the far end of the shape by 2 bounding radii times
//!   it. It can be measured, as d·u / |d|. In the axes of Y it is also known without a measurement. A projection leaves 3 ε of r, and r is
//!   no longer than |d| and the path along the edge together; a cross product is off by 3 ε, and tilts by that over the sine.
//! * *Turning.* A turned vector is off by τ = 13 ε of its length ([`RotationPair::ERROR`](crate::math::RotationPair::ERROR)). The tests of a
//!   probe see n in the axes of A and of B, where it is off by τ. So the planes support the shapes but for 2 τ of the reaches; the
//!   witnesses themselves are off by τ of the reaches, and of how far along an edge they are. That makes 3 τ, of which the
//!   rounding, 32 ε, is a part, and τ is left for the slack. The normal of a face reaches X by two turns, as the vertex of X
//!   reaches Y: 4 τ and 2 τ, of which 4 τ are left. A march turns by its matrix, which the rounding of the pair pays for: its τ is 0.
//! * *A test within rounding.* Then the tests prove nothing, and the slack is measured by two support points (`strict` is lost).

use super::Tally;
use crate::shape::Polytope;
use glam::DVec3;

/// Two polytopes as a state sees them. A state writes nothing that has an address, so that a probe happens in registers.
pub(super) trait Placement<'a> {
    /// Who counts the operations.
    type Tally: Tally;

    /// Is this a single test in the hope that nothing has changed? Then what is not clear is left unsettled.
    const PROBES: bool;

    /// The bound on the error of a product of a stored unit vector with the normal of a face: twice the usual one for a vector that
    /// has been turned twice.
    const NORMAL_MARGIN: f64;

    /// A and B.
    fn bodies(&self) -> [&'a Polytope; 2];

    /// A bound on the error of every length, see [`ROUNDING`](crate::math::rounding::ROUNDING).
    fn rounding(&self) -> f64;

    /// Where on the perimeter of a face of many sides we are: a place in the list of all loops.
    fn cursor(&mut self) -> &mut u32;

    fn tally(&mut self) -> &mut Self::Tally;

    /// A point of X and one of Y, in the axes of the calculation.
    fn arm<const X_IS_A: bool>(&self, x: DVec3, y: DVec3) -> Arm;

    /// The direction of an edge of Y, in the axes of the calculation.
    fn edge_of_y<const X_IS_A: bool>(&self, direction: DVec3) -> DVec3;

    /// The directions of an edge of A and one of B, in the axes of the calculation where Y is A.
    fn edges(&self, directions: [DVec3; 2]) -> [DVec3; 2];

    /// A vector from Y to X in the axes of the calculation, as the two see it.
    fn local<const X_IS_A: bool>(&self, d: DVec3) -> LocalPlacement;

    /// A point of X as Y sees it, and the normal of a face of Y as X sees it.
    fn exchange<const X_IS_A: bool>(&self, point: DVec3, normal: DVec3) -> Exchanged;

    /// τ times a length.
    fn turning(length: f64) -> f64;

    /// The tilts against an edge of A and one of B, times the length of `d`: `u` are their directions in the axes of the calculation, and
    /// `stored` as A and B have them.
    fn tilts(d: DVec3, local: &LocalPlacement, u: [DVec3; 2], stored: [DVec3; 2]) -> [f64; 2];

    /// X and Y.
    #[inline(always)]
    fn x_and_y<const X_IS_A: bool>(&self) -> [&'a Polytope; 2] {
        let [a, b] = self.bodies();
        if X_IS_A { [a, b] } else { [b, a] }
    }

    /// A bound on the error of a product of a stored unit vector with a difference of points of A and B. Such a vector is no longer than
    /// the scale of the pair, of which the rounding is 32 ε, and [`UNIT_MARGIN`](crate::math::rounding::UNIT_MARGIN) is 64 ε.
    #[inline(always)]
    fn margin(&self) -> f64 {
        2.0 * self.rounding()
    }
}

/// From a point of Y to a point of X.
pub(super) struct Arm {
    /// In the axes of the calculation.
    pub y_to_x: DVec3,
    /// The one of the two points that is A's, in the axes of the answer and from the origin of A.
    pub of_a: DVec3,
}

/// A vector from Y to X.
pub(super) struct LocalPlacement {
    /// In the axes of X.
    pub x: DVec3,
    /// In the axes of Y.
    pub y: DVec3,
    /// From A to B, in the axes of the answer.
    pub a_to_b: DVec3,
}

/// A vertex of X and a face of Y.
pub(super) struct Exchanged {
    /// The vertex in the frame of Y.
    pub point_y: DVec3,
    /// The normal in the axes of X.
    pub normal_x: DVec3,
    /// Both in the axes of the answer, the vertex from the origin of A.
    pub point: DVec3,
    pub normal: DVec3,
}
