//! The march from pair to pair, and the proof at its end.

use super::clip::Ends;
use super::edge_edge::edge_edge;
use super::placement::{Arm, Exchanged, LocalPlacement, Placement};
use super::vertex_edge::vertex_edge;
use super::vertex_face::vertex_face;
use super::vertex_vertex::vertex_vertex;
use super::{ClosestFeatures, Place, State, Step, Tally, cost};
use crate::math::rounding;
use crate::math::rounding::UNIT_MARGIN;
use crate::math::{Frame, multiversioned};
use crate::narrow::cycle::Cycle;
use crate::narrow::{Bracket, ClosestPoints, Difference};
use crate::shape::{Feature, Polytope};
use glam::DVec3;

/// Steps of a march, at most. Limit: two polytopes of 1000 vertices need about 60 from anywhere; no cycle runs on.
pub const MAX_STEPS: u32 = 10_000;

/// How a march ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The polytopes are apart, and [`ClosestPoints`] says how far.
    Apart,
    /// The polytopes overlap or touch, as the features in the cache witness.
    Penetrating,
    /// Rounding led the march in a circle or left the bracket open, or the march was too long.
    Unfinished,
}

/// Marches at most `most` steps from the features of the cache, and keeps the last ones; `points.steps` have been taken. A result
/// [`Ended::Apart`] is proved.
#[inline(always)]
pub(crate) fn track<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut ClosestFeatures,
    most_steps: u32,
    tally: &mut K,
    points: &mut ClosestPoints,
) -> Ended {
    let ended = march(a, b, b_in_a, cache, most_steps, tally, points);
    if ended == Ended::Unfinished && is_proved_by_a_face(a, b, b_in_a, cache, tally, points) {
        return Ended::Apart;
    }
    ended
}

#[inline(never)]
pub(super) fn march<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut ClosestFeatures,
    most_steps: u32,
    tally: &mut K,
    points: &mut ClosestPoints,
) -> Ended {
    multiversioned(
        #[inline(always)]
        || March::new(a, b, b_in_a, cache.cursor, tally).run(cache, most_steps, points),
    )
}

/// Two polytopes, B in the frame of A.
pub(super) struct March<'a, K> {
    a: &'a Polytope,
    b: &'a Polytope,
    b_in_a: &'a Frame,
    rounding: f64,
    cursor: u32,
    tally: &'a mut K,
}

impl<'a, K: Tally> March<'a, K> {
    #[inline(always)]
    pub fn new(a: &'a Polytope, b: &'a Polytope, b_in_a: &'a Frame, cursor: u32, tally: &'a mut K) -> Self {
        let scale = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
        Self { a, b, b_in_a, rounding: rounding::of_pair(scale, 0.0), cursor, tally }
    }

    #[inline(always)]
    pub fn run(mut self, cache: &mut ClosestFeatures, most_steps: u32, points: &mut ClosestPoints) -> Ended {
        let mut at = cache.at;
        let mut steps = 1 + points.steps;
        let mut cycle = Cycle::new(at);
        loop {
            match self.step(at, points) {
                Step::Done => {
                    *cache = ClosestFeatures { at, cursor: self.cursor, ..*cache };
                    points.steps = steps;
                    return self.prove(points);
                }
                Step::Go(next) => at = next,
                Step::Penetrating => {
                    *cache = ClosestFeatures { at, cursor: self.cursor, ..*cache };
                    return Ended::Penetrating;
                }
                Step::Stale | Step::Unsettled => return Ended::Unfinished,
            }
            debug_assert!(at.exists(self.a, self.b), "an arrow leads to features that there are: {at:?}");
            if cycle.closes(at, steps) || steps >= most_steps {
                return Ended::Unfinished;
            }
            steps += 1;
        }
    }

    /// One state of figure 2.
    #[inline(always)]
    pub fn step(&mut self, at: Place, points: &mut ClosestPoints) -> Step {
        let step = match at.state {
            State::VV => vertex_vertex(self, at.a, at.b, points),
            State::EE => edge_edge(self, at.a, at.b, points),
            State::EV => vertex_edge::<false, _>(self, at.b, at.a, points),
            State::VE => vertex_edge::<true, _>(self, at.a, at.b, points),
            State::FV => vertex_face::<false, _>(self, at.b, at.a, points),
            State::VF => vertex_face::<true, _>(self, at.a, at.b, points),
            State::FE => self.edge_face::<false>(at.b, at.a),
            State::EF => self.edge_face::<true>(at.a, at.b),
            State::FF => self.face_face(at.a, at.b),
            State::Unknown => Step::Stale,
        };
        if K::COUNTS {
            self.tally.step();
            self.tally.pair(at.features());
            cost::of_step([self.a, self.b], at, step).count(self.tally);
        }
        match step {
            // Only two edges come to that.
            Step::Unsettled => self.edge_edge_by_clipping(at.a, at.b, points),
            step => step,
        }
    }

    /// Two faces are never closer than a corner of the one is to the other, or two edges are.
    #[cold]
    #[inline(never)]
    fn face_face(&mut self, f: u32, g: u32) -> Step {
        if f as usize >= self.a.face_count() || g as usize >= self.b.face_count() {
            return Step::Stale;
        }
        Step::go([Feature::Vertex(self.a.face_view(f).vertices[0]), Feature::Face(g)])
    }

    /// Closes the bracket, with one support height of each polytope if a test was a matter of rounding.
    #[inline(always)]
    fn prove(&mut self, points: &mut ClosestPoints) -> Ended {
        cost::BRACKET.count(self.tally);
        if !points.strict {
            points.slack = points.length - self.height(points);
            points.support_calls = 2;
        }
        if points.close(self.rounding) { Ended::Apart } else { self.doubtful(points) }
    }

    /// The distance of the support planes across the normal.
    #[cold]
    #[inline(never)]
    fn height(&mut self, points: &ClosestPoints) -> f64 {
        self.tally.supports(2);
        Difference::new(self.a, self.b, self.b_in_a).height(-points.normal) / points.normal.length()
    }

    #[cold]
    #[inline(never)]
    fn doubtful(&mut self, points: &ClosestPoints) -> Ended {
        if points.most <= self.rounding { Ended::Penetrating } else { Ended::Unfinished }
    }

    /// A point of X in the frame of Y.
    #[inline(always)]
    fn point_in_y<const X_IS_A: bool>(&self, point: DVec3) -> DVec3 {
        if X_IS_A { self.b_in_a.direction_in_b(point - self.b_in_a.translation) } else { self.b_in_a.point(point) }
    }

    /// A direction of Y in the axes of X.
    #[inline(always)]
    pub fn direction_in_x<const X_IS_A: bool>(&self, direction: DVec3) -> DVec3 {
        if X_IS_A { self.b_in_a.rotation * direction } else { self.b_in_a.direction_in_b(direction) }
    }

    /// The ends of an edge of X, in the frame of Y.
    pub fn ends_in_y<const X_IS_A: bool>(&mut self, e: u32) -> Ends {
        let [x, _] = self.x_and_y::<X_IS_A>();
        let edge = x.edge(e);
        cost::POINT.and(cost::POINT).count(self.tally);
        let [tail, head] = [edge.tail, edge.head].map(|v| self.point_in_y::<X_IS_A>(x.vertex(v)));
        Ends { tail, head }
    }
}

/// Calculations are in the axes of Y, and answers in those of A.
impl<'a, K: Tally> Placement<'a> for March<'a, K> {
    type Tally = K;

    const PROBES: bool = false;
    /// Bound: the stored normal is right to [`UNIT_MARGIN`].
    const NORMAL_MARGIN: f64 = UNIT_MARGIN;

    #[inline(always)]
    fn bodies(&self) -> [&'a Polytope; 2] {
        [self.a, self.b]
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
    fn tally(&mut self) -> &mut K {
        self.tally
    }

    #[inline(always)]
    fn arm<const X_IS_A: bool>(&self, x: DVec3, y: DVec3) -> Arm {
        Arm { y_to_x: self.point_in_y::<X_IS_A>(x) - y, of_a: if X_IS_A { x } else { y } }
    }

    #[inline(always)]
    fn edge_of_y<const X_IS_A: bool>(&self, direction: DVec3) -> DVec3 {
        direction
    }

    #[inline(always)]
    fn edges(&self, [of_a, of_b]: [DVec3; 2]) -> [DVec3; 2] {
        [of_a, self.b_in_a.rotation * of_b]
    }

    #[inline(always)]
    fn local<const X_IS_A: bool>(&self, d: DVec3) -> LocalPlacement {
        let x = self.direction_in_x::<X_IS_A>(d);
        LocalPlacement { x, y: d, a_to_b: if X_IS_A { -x } else { d } }
    }

    #[inline(always)]
    fn exchange<const X_IS_A: bool>(&self, point: DVec3, normal: DVec3) -> Exchanged {
        let (point_y, normal_x) = (self.point_in_y::<X_IS_A>(point), self.direction_in_x::<X_IS_A>(normal));
        let (point, normal) = if X_IS_A { (point, normal_x) } else { (point_y, normal) };
        Exchanged { point_y, normal_x, point, normal }
    }

    #[inline(always)]
    fn turning(_length: f64) -> f64 {
        0.0
    }

    #[inline(always)]
    fn tilts(d: DVec3, _local: &LocalPlacement, u: [DVec3; 2], _stored: [DVec3; 2]) -> [f64; 2] {
        u.map(|u| d.dot(u).abs())
    }
}

/// A last try for a march that is unfinished because its bracket is open: two edges of which the one lies in a face of the
/// other's body, but for rounding. Their perpendicular is then as good as the sine between them, and the normal of the face is
/// better. Not a part of the march, which is a fifth slower with it.
#[cold]
#[inline(never)]
fn is_proved_by_a_face<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &ClosestFeatures,
    tally: &mut K,
    points: &mut ClosestPoints,
) -> bool {
    // There are no points when the march did not come to an end.
    if cache.at.state != State::EE || points.most == 0.0 {
        return false;
    }
    let rounding = March::new(a, b, b_in_a, 0, &mut ()).rounding;
    let difference = Difference::new(a, b, b_in_a);
    let (edge_a, edge_b) = (a.edge(cache.at.a), b.edge(cache.at.b));
    let of_a = [edge_a.left, edge_a.right].map(|f| a.face_plane(f).map(|(normal, _)| normal));
    let of_b = [edge_b.left, edge_b.right].map(|f| b.face_plane(f).map(|(normal, _)| b_in_a.rotation * -normal));
    for normal in of_a.into_iter().chain(of_b).flatten() {
        // The witnesses must be along it too: as close to each other as the ends of a closed bracket are.
        if (normal - points.normal).length() * points.most > 4.0 * rounding {
            continue;
        }
        tally.supports(2);
        points.support_calls += 2;
        let height = difference.height(-normal) / normal.length();
        if height > rounding && Bracket::is_closed([height, points.most], rounding, 0.0) {
            (points.normal, points.length) = (normal, height);
            points.lower = height - rounding;
            points.upper = points.most.max(height) + rounding;
            return true;
        }
    }
    false
}
