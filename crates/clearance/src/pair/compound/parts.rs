//! Two shapes as parts and trees of boxes around them, and the walk over all pairs of their parts.
//!
//! A shape that is no compound is a tree of one leaf. Half-spaces have no boxes: each is compared with the other tree by itself, by the
//! height of a box over its plane.

use crate::math::rounding::{self, COMPOSED, OF_BOXES};
use crate::math::{Aabb, Frame, Pose};
use crate::shape::{Part, Shape};
use crate::tree::{BoxNode, Gap, Visit, traverse};
use glam::DVec3;
use std::ops::ControlFlow;

/// One of the two shapes, as parts and boxes around them.
///
/// It is placed in the world moved by `-origin`: a part's own pose must not be rounded to the coordinates of a world far away.
#[derive(Clone, Copy)]
pub(in crate::pair) struct PartsOf<'a> {
    pub shape: &'a Shape,
    pub pose: Pose,
    /// The tree of the bounded parts.
    nodes: &'a [BoxNode],
    order: &'a [u32],
    unbounded: &'a [u32],
}

/// The tree of a shape that is no compound, if it is bounded.
pub(super) fn single_leaf(shape: &Shape) -> Option<BoxNode> {
    if matches!(shape, Shape::Compound(_) | Shape::HalfSpace(_)) {
        return None;
    }
    let bounds = match shape {
        // Without six searches in its tree for the box that it has, larger by the same rounding.
        Shape::Mesh(mesh) => mesh.aabb().grown(OF_BOXES * mesh.bounding_radius() + mesh.slack() + f64::MIN_POSITIVE),
        _ => shape.aabb(&Pose::IDENTITY),
    };
    (bounds.min.is_finite() && bounds.max.is_finite()).then(|| BoxNode::alone(&bounds))
}

impl<'a> PartsOf<'a> {
    pub fn new(shape: &'a Shape, leaf: &'a Option<BoxNode>, pose: &Pose, origin: DVec3) -> Self {
        let pose = pose.moved_by(-origin);
        let (nodes, order, unbounded): (&[BoxNode], &[u32], &[u32]) = match (shape, leaf) {
            (Shape::Compound(compound), _) => (compound.tree().nodes(), compound.tree().order(), compound.unbounded()),
            (_, Some(leaf)) => (std::slice::from_ref(leaf), &[0], &[]),
            (_, None) => (&[], &[], &[0]),
        };
        Self { shape, pose, nodes, order, unbounded }
    }

    /// How far any bounded part may be from the origin.
    pub fn bounding_radius(&self) -> f64 {
        self.nodes.first().map_or(0.0, BoxNode::bounding_radius)
    }

    /// The number of the part of a leaf.
    fn item(&self, leaf: &BoxNode) -> u32 {
        self.order[leaf.first as usize]
    }

    /// The bounded part that reaches highest along a direction of the world, and its height over the origin of the shape.
    fn highest(&self, direction: DVec3) -> Option<(u32, f64)> {
        let local = self.pose.inverse_transform_vector(direction);
        match self.shape {
            Shape::Compound(compound) => compound.tree().highest(local, |number| compound.height(number, local)),
            shape => shape.with_hull(|hull| (0, hull.height(local) + hull.radius() * local.length())),
        }
    }

    /// A bound on the rounding error of the bounded parts.
    fn slack(&self) -> f64 {
        match self.shape {
            Shape::Compound(compound) => compound.slack(),
            shape => shape.with_hull(|hull| hull.slack()).unwrap_or(0.0),
        }
    }

    /// The part of that number at its place, if it is there.
    pub fn part(&self, number: u32) -> Option<WorldPart<'a>> {
        let far = self.pose.translation().length();
        match self.shape {
            Shape::Compound(compound) => {
                compound.parts().get(number as usize).map(|part| WorldPart::new(part, &self.pose, far))
            }
            shape => (number == 0).then(|| {
                // A sum with the translation rounds by half an ε of it, twice.
                let rounding = f64::EPSILON * far;
                WorldPart {
                    shape,
                    pose: self.pose,
                    radius: shape.bounding_radius(),
                    rounding,
                    turn: 0.0,
                    is_vague: false,
                }
            }),
        }
    }
}

/// A part at its place in the world, with a ball around it.
pub(in crate::pair) struct WorldPart<'a> {
    pub shape: &'a Shape,
    pub pose: Pose,
    /// Of the ball about the origin of the part.
    radius: f64,
    /// How far rounding may have moved a point of it; of a half-space, its origin.
    rounding: f64,
    /// How far rounding may have turned it.
    turn: f64,
    /// Is it a half-space whose rotation is rounded, so that it cannot be told whether it is parallel to another?
    is_vague: bool,
}

impl<'a> WorldPart<'a> {
    fn new(part: &'a Part, pose: &Pose, far: f64) -> Self {
        let radius = part.shape.bounding_radius();
        let is_plane = matches!(part.shape, Shape::HalfSpace(_));
        // Putting poses together rounds by a part of the lengths that go in (those that come out may have cancelled), and
        // turns a part by as much: what the pair of parts knows nothing of.
        let lengths = far + part.pose.translation().length() + if is_plane { 0.0 } else { radius };
        let are_turned = [pose, &part.pose].iter().all(|pose| pose.is_turned());
        WorldPart {
            shape: &part.shape,
            pose: *pose * part.pose,
            radius,
            rounding: COMPOSED * lengths + part.slack(),
            turn: COMPOSED + part.turn(),
            is_vague: is_plane && (are_turned || part.is_turned_twice()),
        }
    }

    /// How far it reaches along a direction from its own origin, with what its making rounds; nothing for a half-space.
    fn height(&self, direction: DVec3) -> Option<f64> {
        let local = self.pose.inverse_transform_vector(direction);
        self.shape.with_hull(|hull| hull.height(local) + hull.radius() + hull.slack())
    }
}

/// The distance of the origins of two parts.
fn between(a: &WorldPart<'_>, b: &WorldPart<'_>) -> f64 {
    (b.pose.translation() - a.pose.translation()).length()
}

/// Are they half-spaces of which it cannot be told whether they are parallel? If they are not they meet.
pub(super) fn are_vague(a: &WorldPart<'_>, b: &WorldPart<'_>) -> bool {
    (a.is_vague || b.is_vague) && a.radius == f64::INFINITY && b.radius == f64::INFINITY
}

/// By how much rounding may have changed the distance between two parts before anything is computed about them.
pub(in crate::pair) fn rounding(a: &WorldPart<'_>, b: &WorldPart<'_>) -> f64 {
    // A half-space that is turned moves as far as the other part is away.
    let of_turn = |plane: &WorldPart<'_>, other: &WorldPart<'_>| {
        let is_plane = plane.radius == f64::INFINITY;
        let size = if other.radius.is_finite() { other.radius } else { 0.0 };
        if is_plane { plane.turn * (between(a, b) + size) } else { 0.0 }
    };
    a.rounding + b.rounding + of_turn(a, b) + of_turn(b, a)
}

/// Rounding error of an engine for two parts.
pub(super) fn engine_rounding(a: &WorldPart<'_>, b: &WorldPart<'_>) -> f64 {
    let size = |part: &WorldPart<'_>| match part.shape {
        Shape::HalfSpace(plane) => plane.offset().abs(),
        _ => part.radius,
    };
    rounding::of_pair(between(a, b) + size(a) + size(b), 0.0)
}

/// The unit vector from the middle of one bounded part to that of the other, if they differ.
pub(super) fn between_middles(a: &WorldPart<'_>, b: &WorldPart<'_>) -> Option<DVec3> {
    let middle = |part: &WorldPart<'_>| Some(part.pose.transform_point(part.shape.with_hull(|hull| hull.center())?));
    (middle(b)? - middle(a)?).try_normalize()
}

/// How far two bounded parts are apart along a unit vector from A to B, at least; nothing if one is a half-space.
pub(super) fn separation(a: &WorldPart<'_>, b: &WorldPart<'_>, normal: DVec3) -> Option<f64> {
    let way = b.pose.translation() - a.pose.translation();
    let allowed = engine_rounding(a, b) + rounding(a, b);
    Some(way.dot(normal) - a.height(normal)? - b.height(-normal)? - allowed)
}

/// The plane of a half-space in the frame of the other shape, as a bound for boxes in that frame.
struct PlaneBound {
    normal: DVec3,
    offset: f64,
    slack: f64,
}

impl PlaneBound {
    /// `None` if the part is no half-space: a custom shape that may be anywhere.
    fn new(part: &WorldPart<'_>, other: &PartsOf<'_>) -> Option<Self> {
        let Shape::HalfSpace(plane) = part.shape else { return None };
        let normal = part.pose.transform_vector(plane.normal());
        let way = part.pose.translation() - other.pose.translation();
        let scale = way.length() + other.bounding_radius();
        let derived = (plane.turn() + part.turn) * scale + plane.shift() + part.rounding;
        let slack = rounding::of_pair(scale + plane.offset().abs(), derived);
        Some(Self {
            normal: other.pose.inverse_transform_vector(normal),
            offset: plane.offset() + normal.dot(way),
            slack,
        })
    }

    fn bound(&self, node: &BoxNode) -> f64 {
        self.normal.dot(node.center) - self.normal.abs().dot(node.half) - self.offset - self.slack
    }
}

/// Two shapes taken apart.
pub(in crate::pair) struct PartPairs<'a> {
    pub a: PartsOf<'a>,
    pub b: PartsOf<'a>,
    pub gap: Gap,
}

/// A query about all pairs of parts.
pub(in crate::pair) trait PairVisit {
    /// Is every pair of a set with that lower bound pruned? `prove` makes the direction of the world that the bound
    /// rests on.
    fn settles(&mut self, bound: f64, prove: impl Fn() -> DVec3) -> bool;

    /// A unit vector of the world from A to B along which many pairs may be pruned.
    fn normal(&self) -> Option<DVec3> {
        None
    }

    /// Two parts that no bound of boxes has pruned. A break ends the walk.
    fn parts(&mut self, pairs: &PartPairs<'_>, parts: [u32; 2]) -> ControlFlow<()>;

    /// From now on pairs come from the two trees; those with unbounded parts have been dealt with. A break says that nothing is left.
    fn enter_trees(&mut self, pairs: &PartPairs<'_>) -> ControlFlow<()> {
        let _ = pairs;
        ControlFlow::Continue(())
    }

    /// See [`Visit::split`].
    fn split(&mut self, side: usize, at: u32, is_right_first: bool) {
        let _ = (side, at, is_right_first);
    }
}

impl<'a> PartPairs<'a> {
    pub fn new(a: PartsOf<'a>, b: PartsOf<'a>) -> Self {
        let gap = Gap::new(Frame::relative(&a.pose, &b.pose), [a.bounding_radius(), b.bounding_radius()]);
        Self { a, b, gap }
    }

    /// A lower bound of the signed distance of all pairs of parts, if all are bounded.
    pub fn bound(&self) -> Option<f64> {
        let (root_a, root_b) = (self.a.nodes.first()?, self.b.nodes.first()?);
        self.are_bounded().then(|| self.gap.bound(root_a, root_b))
    }

    /// The parts that reach farthest towards the middle of the other shape: a good guess at the closest when they are far apart.
    pub fn facing(&self) -> Option<[u32; 2]> {
        let (root_a, root_b) = (self.a.nodes.first()?, self.b.nodes.first()?);
        let way = self.b.pose.transform_point(root_b.center) - self.a.pose.transform_point(root_a.center);
        Some([self.a.highest(way)?.0, self.b.highest(-way)?.0])
    }

    /// B somewhere else.
    pub fn moved_by(&self, translation: DVec3) -> Self {
        Self::new(self.a, PartsOf { pose: self.b.pose.moved_by(translation), ..self.b })
    }

    /// Is there one part each?
    pub fn is_single(&self) -> bool {
        [&self.a, &self.b].iter().all(|side| side.order.len() + side.unbounded.len() == 1)
    }

    /// Are all parts of both bounded?
    pub fn are_bounded(&self) -> bool {
        self.a.unbounded.is_empty() && self.b.unbounded.is_empty()
    }

    /// How far the hulls of all bounded parts are apart along a unit vector from A to B, at least.
    pub fn separation(&self, normal: DVec3) -> Option<f64> {
        let way = self.b.pose.translation() - self.a.pose.translation();
        let ((_, of_a), (_, of_b)) = (self.a.highest(normal)?, self.b.highest(-normal)?);
        // The direction is turned twice on its way to a part.
        let allowed = 2.0 * self.gap.slack + (self.a.slack() + self.b.slack());
        Some(way.dot(normal) - of_a - of_b - allowed)
    }

    /// Translations of B straight out of the half-spaces of one shape, past all bounded parts of both; none if both have half-spaces.
    pub fn ways_out(&self) -> Vec<DVec3> {
        let (plane_side, other, sign) = match (self.a.unbounded, self.b.unbounded) {
            (_, []) => (&self.a, &self.b, 1.0),
            ([], _) => (&self.b, &self.a, -1.0),
            _ => return Vec::new(),
        };
        let way = |&number: &u32| {
            let bound = PlaneBound::new(&plane_side.part(number)?, other)?;
            let out = sign * other.pose.transform_vector(bound.normal);
            // If only one of the two has bounded parts there is nothing to pass by.
            let past = self.separation(out).map_or(0.0, |apart| -apart);
            let length = past.max(-bound.bound(other.nodes.first()?));
            (length > 0.0 && length.is_finite()).then(|| out * length)
        };
        plane_side.unbounded.iter().filter_map(way).collect()
    }

    /// The parts of those numbers, if they are there.
    pub fn get(&self, [i, j]: [u32; 2]) -> Option<[WorldPart<'a>; 2]> {
        Some([self.a.part(i)?, self.b.part(j)?])
    }

    /// Goes over all pairs of parts.
    pub fn visit(&self, visit: &mut impl PairVisit) {
        let is_over = self.visit_unbounded(visit).is_break() || visit.enter_trees(self).is_break();
        if !is_over {
            let flow = ControlFlow::Continue(());
            traverse(self.a.nodes, self.b.nodes, &mut Walk { pairs: self, plane: None, flow, visit });
        }
    }

    /// Every unbounded part against all parts of the other.
    fn visit_unbounded(&self, visit: &mut impl PairVisit) -> ControlFlow<()> {
        for &i in self.a.unbounded {
            for &j in self.b.unbounded {
                visit.parts(self, [i, j])?;
            }
        }
        for (side, this, other) in [(0, &self.a, &self.b), (1, &self.b, &self.a)] {
            for &number in this.unbounded {
                let bound = this.part(number).and_then(|part| PlaneBound::new(&part, other));
                let plane = Some(PlanePart { side, number, bound });
                let mut walk = Walk { pairs: self, plane, flow: ControlFlow::Continue(()), visit };
                let nothing = [BoxNode::alone(&Aabb { min: DVec3::ZERO, max: DVec3::ZERO })];
                match side {
                    0 => traverse(&nothing, other.nodes, &mut walk),
                    _ => traverse(other.nodes, &nothing, &mut walk),
                }
                walk.flow?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// An unbounded part of A (0) or B (1).
struct PlanePart {
    side: usize,
    number: u32,
    /// `None` for a custom shape that may be anywhere.
    bound: Option<PlaneBound>,
}

/// A walk over the two trees, or over one with an unbounded part of the other shape.
struct Walk<'w, 'a, V> {
    pairs: &'w PartPairs<'a>,
    plane: Option<PlanePart>,
    flow: ControlFlow<()>,
    visit: &'w mut V,
}

impl<V: PairVisit> Visit for Walk<'_, '_, V> {
    fn bound(&mut self, a: &BoxNode, b: &BoxNode) -> f64 {
        match &self.plane {
            None => self.pairs.gap.bound(a, b),
            Some(PlanePart { bound: None, .. }) => f64::NEG_INFINITY,
            Some(PlanePart { side, bound: Some(plane), .. }) => plane.bound(if *side == 0 { b } else { a }),
        }
    }

    fn is_settled(&mut self, a: &BoxNode, b: &BoxNode, bound: f64) -> bool {
        let PartPairs { a: side_a, gap, .. } = self.pairs;
        if self.visit.settles(bound, || side_a.pose.transform_vector(gap.direction(a, b))) {
            return true;
        }
        let Some(normal) = self.visit.normal().filter(|_| self.plane.is_none()) else { return false };
        self.visit.settles(gap.along(a, b, side_a.pose.inverse_transform_vector(normal)), || normal)
    }

    fn leaves(&mut self, a: &BoxNode, b: &BoxNode) -> ControlFlow<()> {
        let PartPairs { a: side_a, b: side_b, .. } = self.pairs;
        let parts = match self.plane {
            None => [side_a.item(a), side_b.item(b)],
            Some(PlanePart { side: 0, number, .. }) => [number, side_b.item(b)],
            Some(PlanePart { number, .. }) => [side_a.item(a), number],
        };
        self.flow = self.visit.parts(self.pairs, parts);
        self.flow
    }

    fn split(&mut self, side: usize, at: u32, is_right_first: bool) {
        if self.plane.is_none() {
            self.visit.split(side, at, is_right_first);
        }
    }
}
