//! Covers of all pairs of parts where meshes are among them: a search of its own over two binary trees (`tree/binary.rs`).
//!
//! The mesh engine prunes single-precision boxes, 16 pairs at a time and by their distance, and so has no directions to record.
//!
//! Parts are put into a binary tree of boxes for each shape, all in one frame. A pair of nodes is pruned by the normal of the answer, for
//! which the heights of all nodes are computed beforehand. Next are the direction between their boxes, and a few rounds of GJK between the
//! hulls of their parts. If all fail, the larger node is split. Two single parts that remain are passed to the engines.
//!
//! 1. Every pair of parts is in exactly one leaf, also where the cover reaches its limit and proves nothing.
//! 2. A direction prunes only if it separates by the needed distance and the rounding of the placed parts.

use super::cover::along;
use super::pair_of;
use super::part_pair::PartPair;
use super::parts::{PosedBodies, PosedBody};
use crate::math::{Aabb, Pose};
use crate::narrow::simplex::double_double;
use crate::shape::{Convex, Shape};
use crate::tree::{BoxNode, BoxTree};
use crate::tuning::proof::MAX_MEETINGS;
use crate::tuning::proof::SET_ROUNDS;
use clearance_verify::{Cover, Lower};
use glam::DVec3;

/// Nodes of a cover. Limit: the length of the evidence, which a checker reads as a whole.
const MAX_NODES: usize = 1 << 20;

/// A part with a box.
struct Item<'a> {
    number: u32,
    bounds: Aabb,
    content: Content<'a>,
    /// The translation along which it is swept.
    swept: DVec3,
}

enum Content<'a> {
    Triangle([DVec3; 3]),
    Convex(&'a dyn Convex, Pose),
}

impl Item<'_> {
    /// Its height along a unit vector, and the point there.
    fn highest(&self, direction: DVec3) -> (f64, DVec3) {
        let (height, point) = self.highest_at_start(direction);
        let more = self.swept.dot(direction);
        if more > 0.0 { (height + more, point + self.swept) } else { (height, point) }
    }

    fn highest_at_start(&self, direction: DVec3) -> (f64, DVec3) {
        match &self.content {
            Content::Triangle(corners) => highest(corners.iter().map(|&corner| (corner.dot(direction), corner))),
            Content::Convex(core, pose) => {
                let local = pose.inverse_transform_vector(direction);
                let height = core.height(local) + core.radius() + pose.translation().dot(direction);
                (height, pose.transform_point(core.support(local)) + core.radius() * direction)
            }
        }
    }
}

/// The highest of some points with their heights.
fn highest(points: impl Iterator<Item = (f64, DVec3)>) -> (f64, DVec3) {
    points.fold((f64::NEG_INFINITY, DVec3::ZERO), |best, next| if next.0 > best.0 { next } else { best })
}

/// The parts of one shape.
pub(super) struct PartSet<'a> {
    unbounded: Vec<u32>,
    /// In the order of the tree.
    items: Vec<Item<'a>>,
    tree: BoxTree,
    /// By node: the height of the items below along the normal of the answer: out of A, or out of B.
    along: Vec<f64>,
}

impl<'a> PartSet<'a> {
    /// The parts of some bodies, moved, and swept from there; `outward` is a unit vector out of them.
    pub fn new(bodies: &[PosedBody<'a>], moved: DVec3, swept: DVec3, outward: DVec3) -> Self {
        let (mut unbounded, mut items) = (Vec::new(), Vec::new());
        let all = |bounds: Aabb| bounds.merged(&Aabb { min: bounds.min + swept, max: bounds.max + swept });
        for body in bodies {
            let pose = body.pose.moved_by(moved);
            if let Some(mesh) = body.shape.as_mesh() {
                items.extend(body.numbers().map(|number| {
                    let corners = mesh.corners(number - body.first).map(|corner| pose.transform_point(corner));
                    let bounds = all(Aabb::of_points(corners));
                    Some(Item { number, bounds, content: Content::Triangle(corners), swept })
                }));
                continue;
            }
            let bounds = body.shape.aabb(&pose);
            match body.shape.convex() {
                Some(core) if bounds.min.is_finite() && bounds.max.is_finite() => {
                    let content = Content::Convex(core, pose);
                    items.push(Some(Item { number: body.first, bounds: all(bounds), content, swept }));
                }
                _ => unbounded.push(body.first),
            }
        }
        let boxes = items.iter().flatten().map(|item| item.bounds);
        let tree = BoxTree::build_halves((0..).zip(boxes));
        let items: Vec<Item<'a>> = tree.order().iter().filter_map(|&place| items[place as usize].take()).collect();
        let mut along = vec![0.0; tree.nodes().len()];
        // From the last: children come after their node.
        for (at, node) in tree.nodes().iter().enumerate().rev() {
            along[at] = match node.children(at as u32) {
                Some([low, high]) => f64::max(along[low as usize], along[high as usize]),
                None => items[node.first as usize].highest(outward).0,
            };
        }
        Self { unbounded, items, tree, along }
    }

    /// The greatest height of the items below a node along a unit vector, and the point there.
    fn highest(&self, node: &BoxNode, direction: DVec3) -> (f64, DVec3) {
        highest(self.items[node.first as usize..node.last as usize].iter().map(|item| item.highest(direction)))
    }

    /// A node, and its height along the normal of the answer.
    fn node(&self, at: u32) -> (&BoxNode, f64) {
        (&self.tree.nodes()[at as usize], self.along[at as usize])
    }

    /// The order that splits refer to; empty if parts are in order.
    fn order(&self) -> Vec<u32> {
        let order: Vec<u32> = self.unbounded.iter().copied().chain(self.items.iter().map(|item| item.number)).collect();
        let is_sorted = order.iter().enumerate().all(|(place, &number)| place == number as usize);
        if is_sorted { Vec::new() } else { order }
    }

    fn count(&self) -> usize {
        self.unbounded.len() + self.items.len()
    }
}

/// Two shapes as sets of parts.
pub(super) struct PartSets<'p, 'a> {
    pub a: PartSet<'a>,
    pub b: PartSet<'a>,
    pub bodies: &'p [PosedBodies<'a>; 2],
    /// How B is moved.
    pub moved: DVec3,
    /// The unit vector from A to B of the answer.
    pub normal: DVec3,
    /// The rounding error of the placed parts.
    pub rounding: f64,
}

impl<'p, 'a> PartSets<'p, 'a> {
    pub fn new(bodies: &'p [PosedBodies<'a>; 2], moved: DVec3, normal: DVec3) -> Self {
        Self::of([&bodies[0].0, &bodies[1].0], bodies, moved, normal)
    }

    /// With B swept on from where it is moved to.
    pub fn swept(bodies: &'p [PosedBodies<'a>; 2], moved: DVec3, swept: DVec3, normal: DVec3) -> Self {
        Self::of_swept([&bodies[0].0, &bodies[1].0], bodies, [moved, swept], normal)
    }

    /// The parts of two bodies only.
    pub fn of(chosen: [&[PosedBody<'a>]; 2], bodies: &'p [PosedBodies<'a>; 2], moved: DVec3, normal: DVec3) -> Self {
        Self::of_swept(chosen, bodies, [moved, DVec3::ZERO], normal)
    }

    fn of_swept(
        chosen: [&[PosedBody<'a>]; 2],
        bodies: &'p [PosedBodies<'a>; 2],
        [moved, swept]: [DVec3; 2],
        normal: DVec3,
    ) -> Self {
        let normal = normal.try_normalize().unwrap_or(DVec3::X);
        let a = PartSet::new(chosen[0], DVec3::ZERO, DVec3::ZERO, normal);
        let b = PartSet::new(chosen[1], moved, swept, -normal);
        let far = |set: &PartSet<'_>| set.tree.nodes().first().map_or(0.0, BoxNode::bounding_radius);
        let slack = |bodies: &[PosedBody<'_>]| {
            let of = |body: &PosedBody<'_>| body.shape.with_hull(|hull| hull.slack()).unwrap_or(0.0);
            bodies.iter().map(of).fold(0.0, f64::max)
        };
        // A height has three products and two sums, each rounded by ε/2 of the farthest point; 4 ε cover both sides.
        let rounding = 4.0 * f64::EPSILON * (far(&a) + far(&b)) + slack(chosen[0]) + slack(chosen[1]);
        Self { a, b, bodies, moved, normal, rounding }
    }

    /// The separation of the two along the normal, to rounding.
    pub fn separation(&self) -> f64 {
        match (self.a.along.first(), self.b.along.first()) {
            (Some(a), Some(b)) => -(a + b),
            _ => f64::NEG_INFINITY,
        }
    }

    /// A cover of all pairs of parts with directions that separate them by `needed`, where those are found.
    pub fn cover(&self, needed: f64) -> Lower {
        let (a, b) = (&self.a, &self.b);
        let mut cover = Vec::new();
        let plane = along(DVec3::X);
        let lower = |cover: Vec<Cover>| {
            let translation = (self.moved != DVec3::ZERO).then_some(self.moved.to_array());
            Lower { translation, a: a.order(), b: b.order(), cover }
        };
        // The checker takes the normals of half-spaces.
        for (set, split) in [(a, Cover::SplitA(a.unbounded.len() as u32)), (b, Cover::SplitB(b.unbounded.len() as u32))]
        {
            if set.unbounded.len() == set.count() {
                cover.push(plane);
                return lower(cover);
            }
            if !set.unbounded.is_empty() {
                cover.extend([split, plane]);
            }
        }
        self.prune([0, 0], needed, &mut cover);
        lower(cover)
    }

    fn prune(&self, [i, j]: [u32; 2], needed: f64, cover: &mut Vec<Cover>) {
        let ((a, along_a), (b, along_b)) = (self.a.node(i), self.b.node(j));
        if cover.len() >= MAX_NODES {
            // A cover that proves nothing.
            return cover.push(along(self.normal));
        }
        let enough = needed + self.rounding;
        if -(along_a + along_b) >= enough {
            return cover.push(along(self.normal));
        }
        if let Some(direction) = self.plane_between(a, b, enough) {
            return cover.push(along(direction));
        }
        match (a.children(i), b.children(j)) {
            (None, None) => cover.push(along(self.direction([i, j], needed))),
            (Some([low, high]), of_b) if of_b.is_none() || size(a) >= size(b) => {
                cover.push(Cover::SplitA(self.a.unbounded.len() as u32 + self.a.node(high).0.first));
                self.prune([low, j], needed, cover);
                self.prune([high, j], needed, cover);
            }
            (_, Some([low, high])) => {
                cover.push(Cover::SplitB(self.b.unbounded.len() as u32 + self.b.node(high).0.first));
                self.prune([i, low], needed, cover);
                self.prune([i, high], needed, cover);
            }
            (Some(_), None) => cover.push(along(self.normal)),
        }
    }

    /// A unit vector along which the parts of two nodes are separated by `enough`, if GJK finds one.
    fn plane_between(&self, a: &BoxNode, b: &BoxNode, enough: f64) -> Option<DVec3> {
        let mut direction = between(a, b)?;
        if a.height(direction) + b.height(-direction) <= -enough {
            return Some(direction);
        }
        let mut simplex: Vec<DVec3> = Vec::new();
        for _ in 0..SET_ROUNDS {
            let ((height_a, p), (height_b, q)) = (self.a.highest(a, direction), self.b.highest(b, -direction));
            if -(height_a + height_b) >= enough {
                return Some(direction);
            }
            if simplex.contains(&(q - p)) {
                return None;
            }
            simplex.push(q - p);
            let found = double_double::nearest(&simplex);
            // Points of the hulls that are closer than that exclude such a plane. Written so that NaN ends here.
            if found.part == 15 || !(found.v.length() >= enough) {
                return None;
            }
            simplex = (0..simplex.len()).filter(|i| found.part >> i & 1 == 1).map(|i| simplex[i]).collect();
            direction = found.v.try_normalize()?;
        }
        None
    }

    /// The direction for two single parts.
    fn direction(&self, nodes: [u32; 2], needed: f64) -> DVec3 {
        self.ask(nodes, |pair| {
            let pair = pair.moved_by(self.moved);
            pair.direction(pair.distance().normal, needed)
        })
        .unwrap_or(self.normal)
    }

    /// Queries the parts of two leaves.
    fn ask<T>(&self, nodes: [u32; 2], ask: impl FnOnce(PartPair<'_>) -> T) -> Option<T> {
        pair_of(self.bodies, self.numbers(nodes)).map(ask)
    }

    fn numbers(&self, [i, j]: [u32; 2]) -> [u32; 2] {
        let number = |set: &PartSet<'_>, at: u32| set.items[set.node(at).0.first as usize].number;
        [number(&self.a, i), number(&self.b, j)]
    }

    /// The pair of parts that overlaps most, of at most `MAX_MEETINGS`; the first with an upper bound of at most `enough` ends the search.
    pub fn meeting(&self, enough: f64) -> Option<([u32; 2], f64)> {
        let mut best: Option<([u32; 2], f64)> = None;
        let mut left = MAX_MEETINGS;
        let mut open = Vec::new();
        if !self.a.items.is_empty() && !self.b.items.is_empty() {
            open.push([0, 0]);
        }
        while let Some([i, j]) = open.pop() {
            let ((a, _), (b, _)) = (self.a.node(i), self.b.node(j));
            let apart = ((b.center - a.center).abs() - (a.half + b.half)).max_element();
            if apart > self.rounding || left == 0 {
                continue;
            }
            match (a.children(i), b.children(j)) {
                (Some([low, high]), of_b) if of_b.is_none() || size(a) >= size(b) => {
                    open.extend([[low, j], [high, j]]);
                }
                (_, Some([low, high])) => open.extend([[i, low], [i, high]]),
                _ => {
                    left -= 1;
                    let upper = self.ask([i, j], |pair| pair.moved_by(self.moved).distance().upper);
                    if let Some(upper) = upper
                        && best.is_none_or(|(_, least)| upper < least)
                    {
                        best = Some((self.numbers([i, j]), upper));
                        if upper <= enough {
                            break;
                        }
                    }
                }
            }
        }
        best
    }
}

/// The size of a box, to be compared.
fn size(node: &BoxNode) -> f64 {
    node.half.length_squared()
}

/// The unit vector between the nearest points of two boxes, or between their centers if they meet.
fn between(a: &BoxNode, b: &BoxNode) -> Option<DVec3> {
    let (offset, extent) = (b.center - a.center, a.half + b.half);
    let gap = (offset - extent).max(DVec3::ZERO) - (-offset - extent).max(DVec3::ZERO);
    let direction = if gap == DVec3::ZERO { offset } else { gap };
    direction.try_normalize()
}

/// A unit vector along which the hulls of two shapes overlap by little, if there is one.
pub(super) fn between_hulls(shapes: [&Shape; 2], poses: [Pose; 2]) -> Option<DVec3> {
    if let (Some(a), Some(b)) = (shapes[0].convex_hull(), shapes[1].convex_hull()) {
        return Some(crate::distance(&a, poses[0], &b, poses[1]).normal);
    }
    use crate::narrow::{gjk, simplex::SignedVolumes};
    let frame = crate::math::Frame::relative(&poses[0], &poses[1]);
    let direction = |a: &dyn Convex, b: &dyn Convex| {
        let cache = &mut gjk::WarmSimplex::default();
        gjk::distance_up_to::<SignedVolumes, _, _>(a, b, &frame, f64::INFINITY, cache).normal
    };
    let normal = shapes[0].with_hull(|a| shapes[1].with_hull(|b| direction(a, b)))??;
    poses[0].transform_vector(normal).try_normalize()
}
