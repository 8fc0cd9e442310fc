//! Are the features that were closest still the closest? Most calls of a coherent motion end here.

use super::edge_edge::edge_edge;
use super::placement::{Arm, Exchanged, LocalPlacement, Placement};
use super::vertex_edge::vertex_edge;
use super::vertex_face::vertex_face;
use super::vertex_vertex::vertex_vertex;
use super::{ClosestFeatures, Place, State, Step};
use crate::math::rounding;
use crate::math::rounding::UNIT_MARGIN;
use crate::math::{Pose, RotationPair, Vec3Pair};
use crate::narrow::ClosestPoints;
use crate::shape::{Feature, Polytope};
use glam::DVec3;

/// The closest points in the axes of the world and the features, if those in the cache are still the closest beyond doubt. Otherwise the
/// features where a march starts, which has one step less to take. `state` is that of the cache, which the caller has looked up.
///
/// All of it happens in registers. So it has to be a part of its caller, compiled by [`multiversioned`](crate::math::tuned) and once for each
/// state: all six together need more registers than there are.
#[inline(always)]
pub(crate) fn confirm(
    state: State,
    polytopes: [&Polytope; 2],
    poses: [&Pose; 2],
    cache: &ClosestFeatures,
) -> Result<(ClosestPoints, [Feature; 2]), ClosestFeatures> {
    let mut nobody = ();
    let mut probe = Probe::new(polytopes, poses, cache.cursor, &mut nobody);
    let mut points = ClosestPoints::default();
    let at = Place { state, ..cache.at };
    let (a, b) = (at.a, at.b);
    let step = match state {
        State::VV => vertex_vertex(&mut probe, a, b, &mut points),
        State::EE => edge_edge(&mut probe, a, b, &mut points),
        State::EV => vertex_edge::<false, _>(&mut probe, b, a, &mut points),
        State::VE => vertex_edge::<true, _>(&mut probe, a, b, &mut points),
        State::FV => vertex_face::<false, _>(&mut probe, b, a, &mut points),
        State::VF => vertex_face::<true, _>(&mut probe, a, b, &mut points),
        State::FE | State::EF | State::FF | State::Unknown => Step::Unsettled,
    };
    match step {
        Step::Done if points.close(probe.rounding) => Ok((points, at.features())),
        Step::Go(next) => Err(ClosestFeatures { at: next, cursor: probe.cursor, ..*cache }),
        _ => Err(*cache),
    }
}

/// Two polytopes at their poses.
pub(super) struct Probe<'a> {
    polytopes: [&'a Polytope; 2],
    turns: RotationPair,
    /// From the origin of A to that of B.
    between: DVec3,
    rounding: f64,
    cursor: u32,
    /// Nobody counts. Not in here: the address of a part would keep all of it out of registers.
    tally: &'a mut (),
}

impl<'a> Probe<'a> {
    #[inline(always)]
    fn new(polytopes: [&'a Polytope; 2], [pose_a, pose_b]: [&Pose; 2], cursor: u32, tally: &'a mut ()) -> Self {
        let between = pose_b.translation() - pose_a.translation();
        let [a, b] = polytopes;
        let scale = a.bounding_radius() + b.bounding_radius() + between.length();
        let rounding = rounding::of_pair(scale, 0.0);
        Self { polytopes, turns: RotationPair::new(pose_a, pose_b), between, rounding, cursor, tally }
    }

    /// A vector of X and one of Y, side by side.
    #[inline(always)]
    fn both<const X_IS_A: bool>(x: DVec3, y: DVec3) -> Vec3Pair {
        if X_IS_A { Vec3Pair::new(x, y) } else { Vec3Pair::new(y, x) }
    }

    /// The vectors of X and Y.
    #[inline(always)]
    fn parts<const X_IS_A: bool>(both: Vec3Pair) -> [DVec3; 2] {
        let [a, b] = both.parts();
        if X_IS_A { [a, b] } else { [b, a] }
    }
}

/// Calculations and answers are in the axes of the world.
impl<'a> Placement<'a> for Probe<'a> {
    type Tally = ();

    const PROBES: bool = true;
    /// Bound: the stored normal and the direction are each right to [`UNIT_MARGIN`].
    const NORMAL_MARGIN: f64 = 2.0 * UNIT_MARGIN;

    #[inline(always)]
    fn bodies(&self) -> [&'a Polytope; 2] {
        self.polytopes
    }

    #[inline(always)]
    fn rounding(&self) -> f64 {
        self.rounding
    }

    #[inline(always)]
    fn cursor(&mut self) -> &mut u32 {
        &mut self.cursor
    }

    #[inline(always)]
    fn tally(&mut self) -> &mut () {
        self.tally
    }

    #[inline(always)]
    fn arm<const X_IS_A: bool>(&self, x: DVec3, y: DVec3) -> Arm {
        let [a, b] = self.turns.to_world(Self::both::<X_IS_A>(x, y)).parts();
        let a_to_b = self.between + (b - a);
        Arm { y_to_x: if X_IS_A { -a_to_b } else { a_to_b }, of_a: a }
    }

    #[inline(always)]
    fn edge_of_y<const X_IS_A: bool>(&self, direction: DVec3) -> DVec3 {
        let [_, y] = Self::parts::<X_IS_A>(self.turns.to_world(Self::both::<X_IS_A>(DVec3::ZERO, direction)));
        y
    }

    #[inline(always)]
    fn edges(&self, [of_a, of_b]: [DVec3; 2]) -> [DVec3; 2] {
        self.turns.to_world(Vec3Pair::new(of_a, of_b)).parts()
    }

    #[inline(always)]
    fn local<const X_IS_A: bool>(&self, d: DVec3) -> LocalPlacement {
        let [x, y] = Self::parts::<X_IS_A>(self.turns.to_local(Vec3Pair::splat(d)));
        LocalPlacement { x, y, a_to_b: if X_IS_A { -d } else { d } }
    }

    #[inline(always)]
    fn exchange<const X_IS_A: bool>(&self, point: DVec3, normal: DVec3) -> Exchanged {
        let [arm, outward] = Self::parts::<X_IS_A>(self.turns.to_world(Self::both::<X_IS_A>(point, normal)));
        // The point as seen from the origin of Y.
        let from_y = if X_IS_A { arm - self.between } else { arm + self.between };
        let [normal_x, point_y] = Self::parts::<X_IS_A>(self.turns.to_local(Self::both::<X_IS_A>(outward, from_y)));
        Exchanged { point_y, normal_x, point: if X_IS_A { arm } else { from_y }, normal: outward }
    }

    #[inline(always)]
    fn turning(length: f64) -> f64 {
        RotationPair::ERROR * length
    }

    #[inline(always)]
    fn tilts(_d: DVec3, local: &LocalPlacement, _u: [DVec3; 2], [of_a, of_b]: [DVec3; 2]) -> [f64; 2] {
        [local.y.dot(of_a).abs(), local.x.dot(of_b).abs()]
    }
}
