//! The first contact of bodies with parts (compounds, meshes): a dual-tree traversal ordered by time.
//!
//! Parts and triangles are in bounding volume hierarchies, and a box is a convex body that moves like any other: the parts in two boxes meet no earlier than the boxes. So the search
//! advances a pair of boxes until they come close, splits one, and continues with its children from that time. A heap orders pairs by the time until which they are proved
//! apart. The first pair of parts that reaches its contact is the answer.
//!
//! **Invariants**:
//!
//! - (P1) pairs leave the heap in the order of time (asserted in debug builds);
//! - (P2) the pairs in the heap, with those that are proved apart until the end, cover all pairs of parts.

use super::advance::{Advancement, Chain};
use super::certify::{AfterContact, Toi};
use super::envelope::MovingPair;
use super::impact::{Hit, ImpactSearch};
use super::piece::{BodyPart, MotionPiece};
use crate::math::{LeastFirst, Pose, QueueItem, Total};
use crate::pair::PairCache;
use crate::shape::{Cuboid, Family, Mesh, Shape, Triangle};
use crate::tree::WIDTH;
use glam::DVec3;
use std::borrow::Cow;
use std::collections::BinaryHeap;

/// A convex body that stands for a part of a shape, or for many.
struct MovingItem<'a> {
    shape: Cow<'a, Shape>,
    part: BodyPart,
    inside: Within,
    /// Where its children are, once they have been made.
    children: Option<[usize; 2]>,
    /// Half the extents of a box, added up; zero for what is not split any more.
    size: f64,
    /// The number of the part, and that of the triangle.
    number: u32,
    triangle: Option<u32>,
}

/// The content of a box.
#[derive(Debug, Clone, Copy)]
enum Within {
    /// A part or triangle itself.
    Itself,
    /// The parts of a node of the compound's tree.
    Parts(u32),
    /// The triangles of a node of the tree of a mesh.
    Node(u32),
    /// Triangles of a mesh: the first one in the order of its tree, and their number.
    Triangles(u32, u8),
}

/// One of the two shapes, with the part of its tree that is expanded.
struct PartsTree<'a> {
    shape: &'a Shape,
    items: Vec<MovingItem<'a>>,
}

impl<'a> PartsTree<'a> {
    fn new(shape: &'a Shape) -> Self {
        let mut side = Self { shape, items: Vec::new() };
        match shape.family() {
            Family::Convex(_) | Family::HalfSpace(_) => side.push_part(shape, BodyPart::WHOLE, 0),
            Family::Mesh(mesh) => side.push_mesh(mesh, BodyPart::WHOLE, 0),
            Family::Compound(compound) => {
                for &number in compound.unbounded() {
                    side.push_member(number);
                }
                if let Some(root) = compound.tree().nodes().first() {
                    side.push_box(root.center, root.half, BodyPart::WHOLE, Within::Parts(0), 0);
                }
            }
        }
        side
    }

    /// The part of a compound.
    fn push_member(&mut self, number: u32) {
        let Family::Compound(compound) = self.shape.family() else { return };
        let member = &compound.parts()[number as usize];
        let part = BodyPart { pose: member.pose, moved: member.slack(), turned: member.turn() };
        match member.shape.family() {
            Family::Mesh(mesh) => self.push_mesh(mesh, part, number),
            _ => self.push_part(&member.shape, part, number),
        }
    }

    fn push_part(&mut self, shape: &'a Shape, part: BodyPart, number: u32) {
        let (shape, inside) = (Cow::Borrowed(shape), Within::Itself);
        self.items.push(MovingItem { shape, part, inside, children: None, size: 0.0, number, triangle: None });
    }

    fn push_mesh(&mut self, mesh: &Mesh, part: BodyPart, number: u32) {
        let part = BodyPart { moved: part.moved + mesh.slack(), ..part };
        let bounds = mesh.aabb();
        self.push_box(bounds.center(), 0.5 * (bounds.max - bounds.min), part, Within::Node(0), number);
    }

    /// A box in the frame of a part. A box around parts that are 1e60 apart may be too large to compute with: then what is in it takes its
    /// place, so that the items still cover all parts.
    fn push_box(&mut self, center: DVec3, half: DVec3, part: BodyPart, inside: Within, number: u32) {
        // Middles and half extents may have been rounded by as much.
        let half = half + 4.0 * f64::EPSILON * (center.abs() + half);
        // Middles and half extents may have been rounded by as much.
        let moved = part.moved + 4.0 * f64::EPSILON * center.length();
        let pose = Pose::try_new(part.pose.transform_point(center), part.pose.rotation());
        let (Ok(cuboid), Ok(pose)) = (Cuboid::new(half), pose) else { return self.push_inside(inside, number) };
        self.items.push(MovingItem {
            shape: Cow::Owned(Shape::Cuboid(cuboid)),
            part: BodyPart { pose, moved, ..part },
            inside,
            children: None,
            size: half.element_sum(),
            number,
            triangle: None,
        });
    }

    /// The items that a box is around.
    fn push_inside(&mut self, inside: Within, number: u32) {
        match (inside, self.shape.family()) {
            (Within::Parts(node), Family::Compound(compound)) => {
                let nodes = compound.tree().nodes();
                match nodes[node as usize].children(node) {
                    Some(children) => {
                        for child in children {
                            let BoxOf { center, half } = BoxOf::of(&nodes[child as usize]);
                            self.push_box(center, half, BodyPart::WHOLE, Within::Parts(child), 0);
                        }
                    }
                    None => self.push_member(compound.tree().order()[nodes[node as usize].first as usize]),
                }
            }
            (Within::Node(node), _) => self.push_lanes(node, number),
            (Within::Triangles(start, count), _) => self.push_triangles(start, count, number),
            (Within::Itself | Within::Parts(_), _) => {}
        }
    }

    /// The children of a box, as a range of the items.
    fn children(&mut self, at: usize) -> [usize; 2] {
        if let Some(children) = self.items[at].children {
            return children;
        }
        let first = self.items.len();
        self.push_inside(self.items[at].inside, self.items[at].number);
        let children = [first, self.items.len()];
        self.items[at].children = Some(children);
        children
    }

    /// How many parts and triangles an item stands for.
    fn count(&self, at: usize) -> u32 {
        let item = &self.items[at];
        match (item.inside, self.shape.family()) {
            (Within::Itself, _) => 1,
            (Within::Triangles(_, count), _) => u32::from(count),
            (Within::Parts(node), Family::Compound(compound)) => {
                let node = &compound.tree().nodes()[node as usize];
                let triangles = |part: &u32| {
                    let mesh = compound.parts()[*part as usize].shape.as_mesh();
                    mesh.map_or(1, |mesh| mesh.triangles().len() as u32)
                };
                compound.tree().order()[node.first as usize..node.last as usize].iter().map(triangles).sum()
            }
            (Within::Node(node), _) => {
                self.mesh(item.number).map_or(0, |(mesh, _)| mesh.tree().view().count_below(node) as u32)
            }
            (Within::Parts(_), _) => 0,
        }
    }

    /// How many parts and triangles each of several items stands for.
    fn counts(&self, items: std::ops::Range<usize>) -> Vec<u32> {
        items.map(|item| self.count(item)).collect()
    }

    /// The mesh that a number of a part stands for, with its place.
    fn mesh(&self, number: u32) -> Option<(&'a Mesh, BodyPart)> {
        match self.shape.family() {
            Family::Mesh(mesh) => Some((mesh, BodyPart { moved: mesh.slack(), ..BodyPart::WHOLE })),
            Family::Compound(compound) => {
                let member = &compound.parts()[number as usize];
                let mesh = member.shape.as_mesh()?;
                Some((
                    mesh,
                    BodyPart { pose: member.pose, moved: member.slack() + mesh.slack(), turned: member.turn() },
                ))
            }
            Family::Convex(_) | Family::HalfSpace(_) => None,
        }
    }

    /// The boxes of a node of the tree of a mesh.
    fn push_lanes(&mut self, node: u32, number: u32) {
        let Some((mesh, part)) = self.mesh(number) else { return };
        let view = mesh.tree().view();
        let node = &view.nodes[node as usize];
        for lane in (0..WIDTH).filter(|&lane| node.has(lane)) {
            let [center, half] = [&node.center, &node.half]
                .map(|of| view.unit * DVec3::from_array([0, 1, 2].map(|axis| f64::from(of[axis][lane]))));
            let inside = match node.count[lane] {
                0 => Within::Node(node.first[lane]),
                count => Within::Triangles(node.first[lane], count),
            };
            // The origin of the tree is added to the rounded center.
            let half = half + 2.0 * f64::EPSILON * view.origin.abs();
            self.push_box(view.origin + center, half, part, inside, number);
        }
    }

    fn push_triangles(&mut self, start: u32, count: u8, number: u32) {
        let Some((mesh, part)) = self.mesh(number) else { return };
        let order = mesh.tree().view().items;
        for &triangle in &order[start as usize..start as usize + usize::from(count)] {
            let [a, b, c] = mesh.corners(triangle);
            // Corners of a mesh can be computed with.
            let Ok(shape) = Triangle::new(a, b, c) else { continue };
            let shape = Cow::Owned(Shape::Triangle(shape));
            let item =
                MovingItem { shape, part, inside: Within::Itself, children: None, size: 0.0, number, triangle: None };
            self.items.push(MovingItem { triangle: Some(triangle), ..item });
        }
    }
}

/// The box of a node.
struct BoxOf {
    center: DVec3,
    half: DVec3,
}

impl BoxOf {
    fn of(node: &crate::tree::BoxNode) -> Self {
        Self { center: node.center, half: node.half }
    }
}

/// Two items, and the time until which they are proved apart.
struct PairInTime {
    time: f64,
    items: [usize; 2],
    /// Its number in the record.
    recorded: u32,
    /// For two parts that have arrived: their contact and what comes after it.
    contact: Option<Box<(Hit, AfterContact)>>,
}

/// The earliest first; of equal times, one that has arrived, then the first items.
impl QueueItem for PairInTime {
    type Key = (Total, bool, [usize; 2]);

    fn key(&self) -> Self::Key {
        (Total(self.time), self.contact.is_none(), self.items)
    }
}

/// The search for the first contact in one piece of both motions.
pub(super) struct PartsSearch<'a> {
    sides: [PartsTree<'a>; 2],
    pieces: [&'a MotionPiece<'a>; 2],
}

impl<'a> PartsSearch<'a> {
    pub fn new([a, b]: [&'a Shape; 2], pieces: [&'a MotionPiece<'a>; 2]) -> Self {
        Self { sides: [PartsTree::new(a), PartsTree::new(b)], pieces }
    }

    /// Searches one piece of both motions.
    pub fn search<C: Chain>(mut self, [from, until]: [f64; 2], progress: &mut ImpactSearch<'_, C>) -> Toi {
        let mut queue = BinaryHeap::new();
        let counts = [0, 1].map(|side| self.sides[side].items.len());
        let is_divided = progress.chain.is_on();
        let all = if is_divided {
            let root = progress.chain.root(from);
            progress.chain.divide(root, 0, self.sides[0].counts(0..counts[0]))
        } else {
            0
        };
        for i in 0..counts[0] {
            let of_a = if is_divided {
                progress.chain.divide(all + i as u32, 1, self.sides[1].counts(0..counts[1]))
            } else {
                0
            };
            for j in 0..counts[1] {
                let recorded = of_a + j as u32;
                queue.push(LeastFirst(PairInTime { time: from, items: [i, j], recorded, contact: None }));
            }
        }
        // Later contacts do not matter.
        let mut latest = until;
        let mut last = from;
        while let Some(LeastFirst(waiting)) = queue.pop() {
            debug_assert!(waiting.time >= last, "P1: {} after {last}", waiting.time);
            last = waiting.time;
            if waiting.time > latest {
                break;
            }
            if let Some(contact) = waiting.contact {
                let (hit, after) = *contact;
                return Toi::Contact(hit, after);
            }
            if progress.steps == 0 || progress.has_given_up {
                return Toi::Paused(waiting.time);
            }
            match self.advance(&waiting, latest, progress) {
                Progressed::Nothing => {}
                Progressed::Paused(time) => queue.push(LeastFirst(PairInTime { time, ..waiting })),
                Progressed::Arrived(hit, after) => {
                    if let AfterContact::Proved(time) = after {
                        latest = latest.min(time);
                    }
                    let contact = Some(Box::new((hit, after)));
                    queue.push(LeastFirst(PairInTime { time: hit.lower, contact, ..waiting }));
                }
                Progressed::Close(time) => {
                    let [i, j] = waiting.items;
                    let side = usize::from(self.sides[1].items[j].size > self.sides[0].items[i].size);
                    let [first, last] = self.sides[side].children(waiting.items[side]);
                    let recorded = if is_divided {
                        progress.chain.divide(waiting.recorded, side, self.sides[side].counts(first..last))
                    } else {
                        0
                    };
                    for child in first..last {
                        let mut items = waiting.items;
                        items[side] = child;
                        let recorded = recorded + (child - first) as u32;
                        queue.push(LeastFirst(PairInTime { time, items, recorded, contact: None }));
                    }
                }
            }
        }
        Toi::Clear
    }

    fn shapes(&self, items: [usize; 2]) -> [&Shape; 2] {
        [0, 1].map(|side| &*self.sides[side].items[items[side]].shape)
    }

    fn pair(&self, items: [usize; 2]) -> MovingPair<'_> {
        let [a, b] = [0, 1].map(|side| self.pieces[side].of_part(&self.sides[side].items[items[side]].part));
        MovingPair::new(self.shapes(items), [&a, &b])
    }

    /// A contact, with the numbers of what meets.
    fn hit(&self, hit: Hit, items: [usize; 2]) -> Hit {
        let [a, b] = [0, 1].map(|side| &self.sides[side].items[items[side]]);
        Hit { parts: [a.number, b.number], triangles: [a.triangle, b.triangle], ..hit }
    }

    /// Two items from a time on until they come close.
    fn advance<C: Chain>(&self, waiting: &PairInTime, latest: f64, progress: &mut ImpactSearch<'_, C>) -> Progressed {
        let items = waiting.items;
        let pair = self.pair(items);
        let shapes = self.shapes(items);
        let sizes = [0, 1].map(|side| self.sides[side].items[items[side]].size);
        let are_parts = sizes == [0.0; 2];
        let ImpactSearch { chain, steps, has_given_up, nearest, .. } = progress;
        chain.select(waiting.recorded);
        // Boxes are split before they touch, since their parts touch later.
        let contact_gap = if are_parts { 0.0 } else { 0.1 * (sizes[0] + sizes[1]) };
        let mut cache = PairCache::default();
        let mut advancement = Advancement {
            pair: &pair,
            shapes,
            cache: &mut cache,
            chain: &mut **chain,
            steps: *steps,
            has_given_up: false,
            contact_gap,
            nearest: *nearest,
            may_certify: false,
        };
        let found = match advancement.advance(waiting.time, latest) {
            Toi::Clear => Progressed::Nothing,
            Toi::Paused(time) => Progressed::Paused(time),
            Toi::Contact(hit, _) | Toi::Touching(_, hit, _) if !are_parts => Progressed::Close(hit.lower),
            Toi::Contact(hit, after) | Toi::Touching(_, hit, after) => Progressed::Arrived(self.hit(hit, items), after),
        };
        (*steps, *has_given_up) = (advancement.steps, advancement.has_given_up);
        if are_parts {
            *nearest = advancement.nearest;
        } else {
            // The parts in two boxes are no closer than the boxes, but may be farther apart.
            nearest.lower = advancement.nearest.lower;
        }
        found
    }
}

/// The result for two items.
enum Progressed {
    /// They do not meet in time.
    Nothing,
    /// The steps were used up at this time.
    Paused(f64),
    /// Two boxes are close: split one of them, and continue from this time.
    Close(f64),
    /// Two parts have met.
    Arrived(Hit, AfterContact),
}
