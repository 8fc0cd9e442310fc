//! Evidence for depths of solids that need not be convex.
//!
//! *Upper bound:* the translation, and the evidence that the shapes are apart once A is moved by it.
//!
//! *Lower bound:* pieces of both bodies, and a tree of sets of translations. All of space is its root; a set is cut by a plane, or divided by the sum
//! of two pieces: its points that are not in the sum are beyond planes that are listed, each child beyond one and on the inner side of those
//! before it. What is left, and what is beyond other facets of the sum, is as far from the origin as the bound: a checker finds the facets of sums and the
//! weights for that itself, so that neither has to be believed. Two convex shapes have the evidence of their distance instead.

use super::member::{Member, full_support};
use super::pieces::PosedBodies;
use super::sets::PartSets;
use super::{Lower, Proof, Upper, of_clearance, of_separation};
use crate::depth::{CoverStep, Depth, DepthBudget, DepthCover, Scope, depth_with_cover, visit_pieces, way_out};
use crate::math::{Aabb, Pose};
use crate::shape::polytope::convex_hull;
use crate::shape::{Polytope, Shape};
use glam::DVec3;
use std::collections::HashMap;

/// What a depth rests on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DepthProof {
    /// The shapes are apart when B is moved by its translation, which is minus that of the depth; without one where they are.
    pub free: Lower,
    /// For places that are reached from outside, unless all parts are apart along one direction.
    pub outside: Option<WayOut>,
    /// What the lower bound rests on: all shorter translations, covered.
    pub cover: Option<TranslationCover>,
    /// Or a bound on the signed distance.
    pub upper: Option<Upper>,
}

/// A straight way along which the shapes stay apart, each pair of parts along the direction that it has in [`DepthProof::free`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WayOut {
    /// The translation of B at its end.
    pub moved: DVec3,
    /// A direction from A to B along which all parts are apart there.
    pub along: DVec3,
}

/// A cover of all translations that are shorter than a bound, in the frame of A.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TranslationCover {
    /// The pieces of A and of B that it speaks of.
    pub pieces: [Vec<ProvedPiece>; 2],
    /// Planes `n·x = b`.
    pub planes: Vec<(DVec3, f64)>,
    /// Boxes that nothing leads into, for places that are reached from outside.
    pub voids: Vec<ClosedBox>,
    /// A tree in preorder.
    pub nodes: Vec<CoverNode>,
}

/// A box of translations whose surface is in sums, or in boxes before it: nothing leads into it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedBox {
    /// Its lower corner.
    pub min: DVec3,
    /// Its upper corner.
    pub max: DVec3,
    /// A tree for each of its sides: the lower and the upper one across x, across y, across z.
    pub sides: Vec<Vec<CoverNode>>,
}

/// A convex polytope inside of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct ProvedPiece {
    /// A part of the body, as evidence counts them.
    pub part: u32,
    /// Its vertices in the frame of the part.
    pub points: Vec<DVec3>,
    /// Its surface, counterclockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Why each vertex is a point of a convex part, to rounding; of a mesh that is found out without.
    pub members: Vec<Member>,
}

/// A set of translations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoverNode {
    /// All of it is as far as the bound.
    Far,
    /// What is beyond a plane comes first, then what is not.
    Cut(u32),
    /// What is not in the sum of two pieces is beyond these planes.
    Divided {
        /// The pieces of A and B.
        pieces: [u32; 2],
        /// The planes, each with a child behind it.
        beyond: Vec<u32>,
    },
    /// What is not in a box that nothing leads into is beyond these planes.
    Enclosed {
        /// The number of the box.
        void: u32,
        /// The planes, each with a child behind it.
        beyond: Vec<u32>,
    },
}

/// [`depth()`](crate::depth::depth()) with its evidence; without any where no place is known to be free, and for shapes of the caller's own.
///
/// ```
/// use clearance::{DepthBudget, Pose, Shape, proof};
///
/// let bar = |half: [f64; 3]| Shape::cuboid(half);
/// let cross = Shape::compound([(bar([3.0, 1.0, 1.0])?, Pose::IDENTITY), (bar([1.0, 3.0, 1.0])?, Pose::IDENTITY)])?;
/// let at = Pose::from_translation([-2.5, 0.25, 0.25]);
/// let (found, evidence) = proof::depth(&bar([1.0; 3])?, Pose::IDENTITY, &cross, at, DepthBudget::default());
/// let evidence = evidence.expect("all parts are known");
/// assert_eq!(evidence.free.translation, Some(-found.translation));
/// assert!(evidence.cover.is_some_and(|cover| !cover.nodes.is_empty()));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn depth(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, budget: DepthBudget) -> (Depth, Option<DepthProof>) {
    let (found, cover) = depth_with_cover(a, pose_a, b, pose_b, budget);
    if found.upper == f64::INFINITY || a.is_foreign() || b.is_foreign() {
        return (found, None);
    }
    let Proof { lower: mut free, .. } = of_separation(a, pose_a, b, pose_b.moved_by(-found.translation), 0.0);
    free.translation = (found.translation != DVec3::ZERO).then_some(-found.translation);
    let mut outside = None;
    if budget.scope == Scope::Outside
        && free.cover.len() > 1
        && let Some((swept, way)) = way_of_parts([a, b], [pose_a, pose_b], found.translation)
    {
        (free, outside) = (swept, Some(way));
    }
    let cover = if found.lower > 0.0 { translation_cover([a, b], &cover, found.lower) } else { None };
    let upper = (cover.is_none() && found.lower > 0.0).then(|| {
        let clearance = crate::distance(a, pose_a, b, pose_b);
        of_clearance(a, pose_a, b, pose_b, &clearance).upper
    });
    (found, Some(DepthProof { free, outside, cover, upper: upper.flatten() }))
}

/// A way out of a free place, and what keeps all pairs of parts apart along it.
fn way_of_parts(shapes: [&Shape; 2], poses: [Pose; 2], translation: DVec3) -> Option<(Lower, WayOut)> {
    let [a, b] = shapes;
    let way = way_out(a, poses[0], b, poses[1], translation)?;
    let origin = poses[0].translation();
    let bodies = [PosedBodies::new(a, poses[0], origin), PosedBodies::new(b, poses[1], origin)];
    let moved = -translation - way;
    let (box_a, box_b) = (a.aabb(&poses[0]), b.aabb(&poses[1].moved_by(moved)));
    // The boxes are apart along some axis at the end: from A to B.
    let gaps = [box_b.min - box_a.max, box_a.min - box_b.max];
    let [ahead, behind] = gaps.map(|gap| (gap.max_element(), DVec3::AXES[gap.max_position()]));
    let along = if ahead.0 >= behind.0 { ahead.1 } else { -behind.1 };
    let sets = PartSets::swept([&bodies[0], &bodies[1]], -translation, moved + translation, along);
    Some((Lower { translation: Some(-translation), ..sets.cover(0.0) }, WayOut { moved, along }))
}

/// A tree of the record: the step that divides each node, if one does.
type Divisions<'c> = HashMap<u32, &'c CoverStep>;

/// What is known about a box, or all of space.
#[derive(Default)]
struct Known<'c> {
    trees: Vec<(f64, Divisions<'c>)>,
    boxed: Vec<(f64, [u32; 2])>,
    cut: Option<(usize, f64)>,
}

/// A box to look it up by.
type BoxKey = Option<[u64; 6]>;

fn key(within: &Aabb) -> BoxKey {
    let [p, q] = [within.min, within.max].map(|v| v.to_array().map(f64::to_bits));
    Some([p[0], p[1], p[2], q[0], q[1], q[2]])
}

/// Puts the record of a search together as one tree; nothing if it proves less than the bound.
fn translation_cover(shapes: [&Shape; 2], record: &DepthCover, lower: f64) -> Option<TranslationCover> {
    // The bound in the unit of the search; both conversions are exact.
    let bound = lower * record.unit;
    let mut known: HashMap<BoxKey, Known<'_>> = HashMap::new();
    let mut tree: Option<(BoxKey, Divisions<'_>)> = None;
    let mut whole: Option<Aabb> = None;
    let planes = HashMap::new();
    let mut writer = CoverWriter { unit: record.unit, bound, cover: TranslationCover::default(), planes };
    for step in &record.steps {
        match step {
            CoverStep::Root { within } => tree = Some((within.as_ref().and_then(key), HashMap::new())),
            CoverStep::Divided { node, .. } => {
                tree.as_mut()?.1.insert(*node, step);
            }
            CoverStep::End { bound } => {
                let (at, divisions) = tree.take()?;
                known.entry(at).or_default().trees.push((*bound, divisions));
            }
            CoverStep::Boxed { within, pieces, bound } => {
                known.entry(key(within)).or_default().boxed.push((*bound, *pieces));
            }
            CoverStep::Void { within, sides } => writer.void(within, sides),
            CoverStep::Cut { within, axis, at } => {
                whole.get_or_insert(*within);
                known.entry(key(within)).or_default().cut = Some((*axis, *at));
            }
        }
    }
    if !writer.proved(known.get(&None)) {
        writer.boxes(&known, whole?);
    }
    let CoverWriter { mut cover, .. } = writer;
    write_pieces(shapes, &mut cover)?;
    Some(cover)
}

struct CoverWriter {
    unit: f64,
    bound: f64,
    cover: TranslationCover,
    planes: HashMap<[u64; 4], u32>,
}

impl CoverWriter {
    /// The number of a plane of the search.
    fn plane(&mut self, normal: DVec3, offset: f64) -> u32 {
        let offset = offset / self.unit;
        let [x, y, z] = normal.to_array().map(f64::to_bits);
        let planes = &mut self.cover.planes;
        *self.planes.entry([x, y, z, offset.to_bits()]).or_insert_with(|| {
            planes.push((normal, offset));
            planes.len() as u32 - 1
        })
    }

    /// Writes what proves the bound for a box, or for all of space, if one thing does.
    fn proved(&mut self, known: Option<&Known<'_>>) -> bool {
        let Some(known) = known else { return false };
        if let Some((_, pieces)) = known.boxed.iter().find(|(bound, _)| *bound >= self.bound) {
            self.divided(*pieces, Vec::new());
            return true;
        }
        let Some((_, divisions)) = known.trees.iter().find(|(bound, _)| *bound >= self.bound) else {
            return false;
        };
        self.tree(divisions);
        true
    }

    /// Writes a tree.
    fn tree(&mut self, divisions: &Divisions<'_>) {
        let mut open = vec![Some(0)];
        while let Some(node) = open.pop() {
            match node.and_then(|node| divisions.get(&node)) {
                Some(CoverStep::Divided { pieces, beyond, children, .. }) => {
                    let beyond = beyond.iter().map(|&(normal, offset)| self.plane(normal, offset)).collect();
                    self.divided(*pieces, beyond);
                    open.extend(children.iter().rev());
                }
                _ => self.cover.nodes.push(CoverNode::Far),
            }
        }
    }

    fn divided(&mut self, pieces: [u32; 2], beyond: Vec<u32>) {
        self.cover.nodes.push(match pieces {
            [u32::MAX, void] => CoverNode::Enclosed { void, beyond },
            _ => CoverNode::Divided { pieces, beyond },
        });
    }

    /// Writes a box that nothing leads into, with a tree for each side.
    fn void(&mut self, within: &Aabb, sides: &[Vec<CoverStep>]) {
        let trees = sides.iter().map(|steps| {
            let number = |step| match step {
                &CoverStep::Divided { node, .. } => Some(node),
                _ => None,
            };
            let divisions = steps.iter().filter_map(|step| Some((number(step)?, step))).collect();
            self.tree(&divisions);
            std::mem::take(&mut self.cover.nodes)
        });
        let sides = trees.collect();
        self.cover.voids.push(ClosedBox { min: within.min / self.unit, max: within.max / self.unit, sides });
    }

    /// Writes the tree of a box.
    fn boxes(&mut self, known: &HashMap<BoxKey, Known<'_>>, whole: Aabb) {
        let mut open = vec![whole];
        while let Some(within) = open.pop() {
            let here = known.get(&key(&within));
            if self.proved(here) {
                continue;
            }
            match here.and_then(|known| known.cut) {
                Some((axis, at)) => {
                    let plane = self.plane(DVec3::AXES[axis], at);
                    self.cover.nodes.push(CoverNode::Cut(plane));
                    let [mut low, mut high] = [within; 2];
                    (low.max[axis], high.min[axis]) = (at, at);
                    open.extend([low, high]);
                }
                None => self.cover.nodes.push(CoverNode::Far),
            }
        }
    }
}

/// Writes the pieces that a cover speaks of, and gives them new numbers.
fn write_pieces(shapes: [&Shape; 2], cover: &mut TranslationCover) -> Option<()> {
    for (side, shape) in shapes.into_iter().enumerate() {
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let of_voids = cover.voids.iter_mut().flat_map(|void| &mut void.sides).flatten();
        for node in of_voids.chain(&mut cover.nodes) {
            if let CoverNode::Divided { pieces, .. } = node {
                let next = numbers.len() as u32;
                pieces[side] = *numbers.entry(pieces[side]).or_insert(next);
            }
        }
        let mut written: Vec<Option<ProvedPiece>> = vec![None; numbers.len()];
        let firsts = first_parts(shape)?;
        let mut number = 0;
        visit_pieces(shape, &mut |piece| {
            if let Some(&at) = numbers.get(&number) {
                let polytope = piece.polytope();
                let vertices = 0..polytope.vertex_count() as u32;
                let members = match piece.shape {
                    Shape::Mesh(_) => Vec::new(),
                    Shape::Polytope(_) => vertices.clone().map(Member::Vertex).collect(),
                    _ => vertices
                        .clone()
                        .map(|v| full_support(piece.shape, piece.directions[polytope.source(v) as usize]).1)
                        .collect(),
                };
                let mut points: Vec<DVec3> = vertices.map(|v| piece.vertex(v)).collect();
                let mut triangles = triangles(polytope);
                // What is rounded is convex but for that: its hull is, and is as much inside.
                if piece.is_drawn_in()
                    && let Ok(hull) = convex_hull(&points)
                {
                    points = (0..hull.vertex_count() as u32).map(|v| hull.vertex(v)).collect();
                    triangles = self::triangles(&hull);
                }
                written[at as usize] = Some(ProvedPiece { part: firsts[piece.part], points, triangles, members });
            }
            number += 1;
        });
        cover.pieces[side] = written.into_iter().collect::<Option<_>>()?;
    }
    Some(())
}

/// The number that evidence gives the first part of each body.
fn first_parts(shape: &Shape) -> Option<Vec<u32>> {
    super::pieces::is_countable(shape)
        .then(|| PosedBodies::new(shape, Pose::IDENTITY, DVec3::ZERO).0.iter().map(|body| body.first).collect())
}

/// The surface of a polytope: each face as a fan.
fn triangles(polytope: &Polytope) -> Vec<[u32; 3]> {
    let fan = |ring: &[u32]| ring.windows(2).skip(1).map(|ends| [ring[0], ends[0], ends[1]]).collect::<Vec<_>>();
    polytope.faces().flat_map(|face| fan(face.vertices)).collect()
}
