//! Are the features that were closest still the closest? Most calls of a coherent motion end here.
//!
//! The tests are those of `states.rs`, but in other axes. A walk needs the placement of B in the frame of A, whose matrix takes
//! longer to make than a pair of features takes to look at. To look at one pair, a few vectors of A and of B are turned to the
//! axes of the world, side by side ([`Turns`]), and one is turned back: and the answer is in the axes of the world already.
//!
//! **Rounding.** A turned vector is off by τ = 13 ε of its length. Let n be the normal as computed in the axes of the world. The
//! tests look at n in the axes of A and of B, where it is off by τ. No point of a shape is farther than twice its reach from the
//! witness, so the planes support the shapes but for 2 τ of the reaches; the witnesses themselves are off by τ of the reaches,
//! and of how far along an edge they are. That makes 3 τ, of which the rounding, 32 ε, is a part, and τ is left for
//! the slack. The normal of a face reaches X by two turns, as the vertex of X reaches Y: 4 τ and 2 τ, of which 4 τ are left.
//!
//! Nothing is written and nothing has an address, so it all happens in registers, up to the reply, which is compiled into the
//! end of each state.

use super::faces::{is_above, outside_of};
use super::states::{
    PARALLEL, UNIT_MARGIN, WORTHWHILE, climb, ends_of_edges, is_away, is_within, length_and_inverse, most_above,
};
use super::{Cache, Place, State, Step};
use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH};
use crate::math::{Both, Pose, Turns, tuned};
use crate::shape::polytope::FEW_SIDES;
use crate::shape::{Feature, Polytope};
use glam::DVec3;

/// What has been confirmed, in the axes of the world.
pub(crate) struct Confirmed {
    /// The witness on A, as seen from the origin of A.
    pub arm_a: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    pub length: f64,
    /// Proved bounds of the distance.
    pub lower: f64,
    pub upper: f64,
    pub features: [Feature; 2],
}

/// What is asked, and what becomes of it.
pub(crate) trait Ask<'a> {
    /// The answer.
    type Answer;

    fn polytopes(&self) -> [&'a Polytope; 2];
    fn poses(&self) -> [&'a Pose; 2];

    /// The features that were closest.
    fn cache(&self) -> Cache;

    /// Makes the answer; to be inlined always.
    fn answer(&self, confirmed: &Confirmed) -> Self::Answer;

    /// The answer if the features are not the closest, or not clearly: by a walk that starts there.
    fn walk(&mut self, from: Cache) -> Self::Answer;
}

/// The answer: at once, if the features in the cache are still the closest and that is clear, and else by a walk.
///
/// Each state is a function of its own, which needs few registers and little of the stack.
#[inline(always)]
pub(crate) fn confirm<'a, Q: Ask<'a>>(ask: &mut Q) -> Q::Answer {
    match ask.cache().at.state {
        State::VV => tuned(
            #[inline(always)]
            || Look::new(ask).vertex_vertex(ask),
        ),
        State::EE => tuned(
            #[inline(always)]
            || Look::new(ask).edge_edge(ask),
        ),
        State::EV => tuned(
            #[inline(always)]
            || Look::new(ask).vertex_edge::<false, Q>(ask),
        ),
        State::VE => tuned(
            #[inline(always)]
            || Look::new(ask).vertex_edge::<true, Q>(ask),
        ),
        State::FV => tuned(
            #[inline(always)]
            || Look::new(ask).vertex_face::<false, Q>(ask),
        ),
        State::VF => tuned(
            #[inline(always)]
            || Look::new(ask).vertex_face::<true, Q>(ask),
        ),
        State::FE | State::EF | State::FF | State::Unknown => {
            let cache = ask.cache();
            ask.walk(cache)
        }
    }
}

/// Two polytopes at their poses.
struct Look<'a> {
    a: &'a Polytope,
    b: &'a Polytope,
    turns: Turns,
    /// From the origin of A to that of B.
    between: DVec3,
    /// A bound on the error of every length, as everywhere.
    rounding: f64,
}

impl<'a> Look<'a> {
    #[inline(always)]
    fn new<Q: Ask<'a>>(ask: &Q) -> Self {
        let ([a, b], [pose_a, pose_b]) = (ask.polytopes(), ask.poses());
        let between = pose_b.translation() - pose_a.translation();
        let scale = a.reach() + b.reach() + between.length();
        let rounding = ROUNDING * scale + SMALLEST_LENGTH;
        Self { a, b, turns: Turns::new(pose_a, pose_b), between, rounding }
    }

    /// The bound on the error of a product with a stored unit vector, as in `states.rs`.
    #[inline(always)]
    fn margin(&self) -> f64 {
        2.0 * self.rounding
    }

    /// A vector of the world in the axes of A and B.
    #[inline(always)]
    fn local(&self, v: DVec3) -> [DVec3; 2] {
        self.turns.to_local(Both::splat(v)).parts()
    }

    /// The answer, if its bracket is closed: the length is the distance of the planes, but for the slack, and `most` that of two
    /// points of A and B.
    #[inline(always)]
    fn reply<Q: Ask<'a>>(
        &self,
        ask: &mut Q,
        features: [Feature; 2],
        [arm_a, normal]: [DVec3; 2],
        [length, most, slack]: [f64; 3],
    ) -> Q::Answer {
        let gap = most - length;
        // Written so that a NaN is left to the walk.
        if !(length > self.rounding && gap + slack <= 2.0 * self.rounding) {
            return go_on(ask, Step::Unsettled);
        }
        let lower = length - slack - self.rounding;
        let upper = length + gap.max(0.0) + self.rounding;
        ask.answer(&Confirmed { arm_a, normal, length, lower, upper, features })
    }

    /// Algorithm 4.
    #[inline(always)]
    fn vertex_vertex<Q: Ask<'a>>(&self, ask: &mut Q) -> Q::Answer {
        let Place { a: v, b: w, .. } = ask.cache().at;
        let (Some(&point_a), Some(&point_b)) = (self.a.vertices().get(v as usize), self.b.vertices().get(w as usize))
        else {
            return go_on(ask, Step::Stale);
        };
        let [arm_a, arm_b] = self.turns.to_world(Both::new(point_a, point_b)).parts();
        let d = self.between + (arm_b - arm_a);
        let [d_a, d_b] = self.local(d);
        let margin = self.margin();
        if !is_within(self.a, v, d_a, margin, &mut ()) {
            let next = climb(self.a, v, d_a, WORTHWHILE * margin, &mut ());
            return go_on(ask, next.map_or(Step::Unsettled, |next| Step::go([next, Feature::Vertex(w)])));
        }
        if !is_within(self.b, w, -d_b, margin, &mut ()) {
            let next = climb(self.b, w, -d_b, WORTHWHILE * margin, &mut ());
            return go_on(ask, next.map_or(Step::Unsettled, |next| Step::go([Feature::Vertex(v), next])));
        }
        let (length, inverse) = length_and_inverse(d);
        let features = [Feature::Vertex(v), Feature::Vertex(w)];
        let slack = turning(self.a.reach() + self.b.reach());
        self.reply(ask, features, [arm_a, d * inverse], [length, length, slack])
    }

    /// Algorithm 5.
    #[inline(always)]
    fn vertex_edge<const SWAPPED: bool, Q: Ask<'a>>(&self, ask: &mut Q) -> Q::Answer {
        let Place { a, b, .. } = ask.cache().at;
        let (v, e) = if SWAPPED { (a, b) } else { (b, a) };
        let (x, y) = if SWAPPED { (self.a, self.b) } else { (self.b, self.a) };
        let (Some(&vertex), Some(edge)) = (x.vertices().get(v as usize), y.tracked_edge(e)) else {
            return go_on(ask, Step::Stale);
        };
        let go = |x: Feature, y: Feature| Step::go(if SWAPPED { [x, y] } else { [y, x] });
        let both = |x: DVec3, y: DVec3| if SWAPPED { Both::new(x, y) } else { Both::new(y, x) };
        let [arm_a, arm_b] = self.turns.to_world(both(vertex, edge.tail)).parts();
        let [along_a, along_b] = self.turns.to_world(both(DVec3::ZERO, edge.direction)).parts();
        let direction = if SWAPPED { along_b } else { along_a };
        // From A to B, always.
        let r = self.between + (arm_b - arm_a);
        let along = if SWAPPED { -r.dot(direction) } else { r.dot(direction) };
        if along < 0.0 {
            return go_on(ask, go(Feature::Vertex(v), Feature::Vertex(edge.ends.tail)));
        }
        if along > edge.length {
            return go_on(ask, go(Feature::Vertex(v), Feature::Vertex(edge.ends.head)));
        }
        let d = if SWAPPED { r + along * direction } else { r - along * direction };
        let [d_a, d_b] = self.local(d);
        // From the edge to the vertex, and back.
        let (d_y, d_x) = if SWAPPED { (-d_b, d_a) } else { (d_a, -d_b) };
        let margin = self.margin();
        if let Some([left, right]) = edge.sides() {
            let (left, right) = (left.dot(d_y), right.dot(d_y));
            if left > -margin || right > -margin {
                if left.max(right) > WORTHWHILE * margin {
                    let face = if left >= right { edge.ends.left } else { edge.ends.right };
                    let side = if left >= right { edge.places[0] } else { edge.places[1] };
                    return go_on_at(ask, go(Feature::Vertex(v), Feature::Face(face)), side);
                }
                return go_on(ask, Step::Unsettled);
            }
        }
        if !is_within(x, v, d_x, margin, &mut ()) {
            let next = climb(x, v, d_x, WORTHWHILE * margin, &mut ());
            return go_on(ask, next.map_or(Step::Unsettled, |next| go(next, Feature::Edge(e))));
        }
        let (length, inverse) = length_and_inverse(d);
        // What is left of the direction along the edge tilts the plane, and so lifts the far end of Y.
        let tilt = d_y.dot(edge.direction).abs() * inverse;
        let moved = turning(along);
        let slack = 2.0 * y.reach() * (tilt + 4.0 * f64::EPSILON) + turning(x.reach() + y.reach()) + moved;
        let arm_a = if SWAPPED { arm_a } else { arm_a + along * direction };
        let features =
            if SWAPPED { [Feature::Vertex(v), Feature::Edge(e)] } else { [Feature::Edge(e), Feature::Vertex(v)] };
        self.reply(ask, features, [arm_a, d * inverse], [length, length + moved, slack])
    }

    /// Algorithm 6.
    #[inline(always)]
    fn vertex_face<const SWAPPED: bool, Q: Ask<'a>>(&self, ask: &mut Q) -> Q::Answer {
        let Place { a, b, .. } = ask.cache().at;
        let (v, f) = if SWAPPED { (a, b) } else { (b, a) };
        let (x, y) = if SWAPPED { (self.a, self.b) } else { (self.b, self.a) };
        let (Some(&vertex), Some((normal, offset)), Some(sides)) =
            (x.vertices().get(v as usize), y.face_plane(f), y.side_planes(f))
        else {
            return go_on(ask, Step::Stale);
        };
        let go = |x: Feature, y: Feature| Step::go(if SWAPPED { [x, y] } else { [y, x] });
        let both = |x: DVec3, y: DVec3| if SWAPPED { Both::new(x, y) } else { Both::new(y, x) };
        let parts = |[a, b]: [DVec3; 2]| if SWAPPED { [a, b] } else { [b, a] };
        let [arm, outward] = parts(self.turns.to_world(both(vertex, normal)).parts());
        // The vertex as seen from the origin of Y.
        let arm_y = if SWAPPED { arm - self.between } else { arm + self.between };
        let [outward_x, p] = parts(self.turns.to_local(both(outward, arm_y)).parts());
        if !is_above(y, f, sides, normal, p, self.rounding, &mut ()) {
            let next = if sides.len() <= FEW_SIDES { outside_of(y, f, p, &mut ()) } else { None };
            return go_on(ask, next.map_or(Step::Unsettled, |next| go(Feature::Vertex(v), next)));
        }
        let height = normal.dot(p) - offset;
        // Twice the margin: this vector has been turned twice.
        if !(height > 0.0) || !is_within(x, v, -outward_x, 2.0 * UNIT_MARGIN, &mut ()) {
            return go_on(ask, Step::Unsettled);
        }
        // The plane of the face is right to 25 ε and Y is at most twice its reach wide.
        let slack = 50.0 * f64::EPSILON * y.reach() + 4.0 * turning(x.reach());
        let (arm_a, normal) = if SWAPPED { (arm, -outward) } else { (arm_y - height * outward, outward) };
        let features =
            if SWAPPED { [Feature::Vertex(v), Feature::Face(f)] } else { [Feature::Face(f), Feature::Vertex(v)] };
        self.reply(ask, features, [arm_a, normal], [height, height, slack])
    }

    /// Algorithm 7, for edges that cross as edges do.
    #[inline(always)]
    fn edge_edge<Q: Ask<'a>>(&self, ask: &mut Q) -> Q::Answer {
        let Place { a: e, b: f, .. } = ask.cache().at;
        let (Some(x), Some(y)) = (self.a.tracked_edge(e), self.b.tracked_edge(f)) else {
            return go_on(ask, Step::Stale);
        };
        let [arm_a, arm_b] = self.turns.to_world(Both::new(x.tail, y.tail)).parts();
        let [along_a, along_b] = self.turns.to_world(Both::new(x.direction, y.direction)).parts();
        let w = self.between + (arm_b - arm_a);
        let cross = along_a.cross(along_b);
        let square = cross.dot(cross);
        let (cosine, wx, wy) = (along_a.dot(along_b), along_a.dot(w), along_b.dot(w));
        let (s, t) = (wx - cosine * wy, cosine * wx - wy);
        if square <= PARALLEL {
            return go_on(ask, Step::Unsettled);
        }
        if !(s > 0.0 && t > 0.0 && s < x.length * square && t < y.length * square) {
            let next = ends_of_edges([x, y], [e, f], s / square, [cosine, wx, wy]);
            return go_on(ask, Step::go(next));
        }
        let apart = cross.dot(w);
        let d = cross * 1.0_f64.copysign(apart);
        let [d_a, d_b] = self.local(d);
        if !(is_away(x.sides(), d_a) && is_away(y.sides(), -d_b)) {
            let (face_a, face_b) = (most_above(x.sides(), d_a), most_above(y.sides(), -d_b));
            if face_a.0.max(face_b.0) <= UNIT_MARGIN {
                return go_on(ask, Step::Unsettled);
            }
            return if face_a.0 >= face_b.0 {
                let face = Feature::Face([x.ends.left, x.ends.right][face_a.1]);
                go_on_at(ask, Step::go([face, Feature::Edge(f)]), x.places[face_a.1])
            } else {
                let face = Feature::Face([y.ends.left, y.ends.right][face_b.1]);
                go_on_at(ask, Step::go([Feature::Edge(e), face]), y.places[face_b.1])
            };
        }
        let per_square = 1.0 / square;
        let inverse = per_square * square.sqrt();
        let (s, t) = (s * per_square, t * per_square);
        let length = apart.abs() * inverse;
        // As in `states.rs`: the two points are well enough known for all but small gaps.
        let most = if length * square * square > 2e4 * self.rounding {
            length
        } else {
            (w + t * along_b - s * along_a).length()
        };
        let (reach_a, reach_b) = (self.a.reach(), self.b.reach());
        let (tilt_a, tilt_b) = (d_a.dot(x.direction).abs(), d_b.dot(y.direction).abs());
        let tilt = (tilt_a * reach_a + tilt_b * reach_b) * inverse + 4.0 * f64::EPSILON * (reach_a + reach_b);
        let moved = turning(s + t);
        let slack = 2.0 * tilt + turning(reach_a + reach_b) + moved;
        let arm_a = arm_a + s * along_a;
        let features = [Feature::Edge(e), Feature::Edge(f)];
        self.reply(ask, features, [arm_a, d * inverse], [length, most + moved, slack])
    }
}

/// Leaves the rest to the walk.
#[inline(always)]
fn go_on<'a, Q: Ask<'a>>(ask: &mut Q, step: Step) -> Q::Answer {
    let side = ask.cache().side;
    go_on_at(ask, step, side)
}

/// The same, at a place in the loop of a face.
#[inline(always)]
fn go_on_at<'a, Q: Ask<'a>>(ask: &mut Q, step: Step, side: u32) -> Q::Answer {
    let from = ask.cache().after(step, side);
    ask.walk(from)
}

/// How far a vector of this length is off when it is turned.
#[inline(always)]
fn turning(length: f64) -> f64 {
    Turns::ERROR * length
}
