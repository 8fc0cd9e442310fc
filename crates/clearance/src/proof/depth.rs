//! Evidence for depths of solids that need not be convex.
//!
//! *Upper bound:* the translation, and the evidence that the shapes are apart after it.
//!
//! *Lower bound:* pieces of both bodies, and a tree of sets of translations (`CoverStep`). Two convex shapes have the evidence of their distance instead.
//!
//! 1. All of space is the root. A set is cut by a plane, or divided by the sum of two pieces. Its points outside the sum are beyond planes
//!    that are listed, each child beyond one and on the inner side of those before it.
//! 2. All other points outside the sum are as far from the origin as the bound. The checker finds the facets of sums and the weights for that itself.
//! 3. Only pieces that nodes refer to are written.
//!
//! Rough meshes have cones of translations instead, whose frusta are covered by two hulls each (`depth/witness`).

use super::member::{full_support, vertex_number};
use super::parts::{PosedBodies, is_countable};
use super::sets::PartSets;
use super::{Evidence, of_clearance, of_separation};
use crate::depth::{Depth, DepthBudget, Scope, straight_escape, traced, visit_pieces};
use crate::math::{Aabb, Pose};
use crate::shape::polytope::convex_hull;
use crate::shape::{Polytope, Shape};
use crate::trace::CoverStep;
use clearance_verify::{ConeNode, DepthEvidence, DepthNode, DepthPiece, DepthVoid, Lower, Member, WayOut};
use glam::DVec3;
use std::collections::HashMap;

/// [`depth()`](crate::depth::depth()) with its evidence; `None` where no free place is known, and for custom shapes.
///
/// ```
/// use clearance::{DepthBudget, Pose, Shape, proof};
///
/// let bar = |half: [f64; 3]| Shape::cuboid(half);
/// let cross = Shape::compound([(bar([3.0, 1.0, 1.0])?, Pose::IDENTITY), (bar([1.0, 3.0, 1.0])?, Pose::IDENTITY)])?;
/// let at = Pose::from_translation([-2.5, 0.25, 0.25]);
/// let (found, evidence) = proof::depth(&bar([1.0; 3])?, Pose::IDENTITY, &cross, at, DepthBudget::default());
/// let evidence = evidence.expect("all parts are known");
/// let free = evidence.lower.expect("the shapes are apart after the translation");
/// assert_eq!(free.translation, Some((-found.translation).to_array()));
/// assert!(evidence.depth.is_some_and(|cover| !cover.nodes.is_empty()));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn depth(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, budget: DepthBudget) -> (Depth, Option<Evidence>) {
    let mut steps: Vec<CoverStep> = Vec::new();
    let found = traced(a, pose_a, b, pose_b, budget, None, &mut steps);
    if found.upper == f64::INFINITY || a.is_foreign() || b.is_foreign() {
        return (found, None);
    }
    let mut free = of_separation(a, pose_a, b, pose_b.moved_by(-found.translation), 0.0).lower;
    if let Some(free) = &mut free {
        free.translation = (found.translation != DVec3::ZERO).then_some((-found.translation).to_array());
    }
    let mut outside = None;
    if budget.scope == Scope::Outside
        && free.as_ref().is_some_and(|free| free.cover.len() > 1)
        && let Some((swept, path)) = way_of_parts([a, b], [pose_a, pose_b], found.translation)
    {
        (free, outside) = (super::given(swept), Some(path));
    }
    let depth = if found.lower > 0.0 { translation_cover([a, b], &steps, found.lower) } else { None };
    // Without a cover the signed distance bounds the depth.
    let upper = if depth.is_none() && found.lower > 0.0 {
        of_clearance(a, pose_a, b, pose_b, &crate::distance(a, pose_a, b, pose_b)).upper
    } else {
        None
    };
    (found, Some(Evidence { lower: free, upper, depth, outside, ..Evidence::default() }))
}

/// A straight path from a free place out, and the directions that keep all pairs of parts apart along it.
fn way_of_parts(shapes: [&Shape; 2], poses: [Pose; 2], translation: DVec3) -> Option<(Lower, WayOut)> {
    let [a, b] = shapes;
    let path = straight_escape(a, poses[0], b, poses[1], translation)?;
    let bodies = PosedBodies::of_both(shapes, poses);
    let moved = -translation - path;
    let (box_a, box_b) = (a.aabb(&poses[0]), b.aabb(&poses[1].moved_by(moved)));
    // The boxes are apart along some axis at the end: from A to B.
    let gaps = [box_b.min - box_a.max, box_a.min - box_b.max];
    let [ahead, behind] = gaps.map(|gap| (gap.max_element(), DVec3::AXES[gap.max_position()]));
    let along = if ahead.0 >= behind.0 { ahead.1 } else { -behind.1 };
    let sets = PartSets::swept(&bodies, -translation, moved + translation, along);
    let swept = Lower { translation: Some((-translation).to_array()), ..sets.cover(0.0) };
    Some((swept, WayOut { moved: moved.to_array(), along: along.to_array() }))
}

/// A tree: the step that divides each node, if one does.
type Divisions<'c> = HashMap<u32, &'c CoverStep>;

/// The bounds of a box, or of all of space.
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

/// Puts the steps of a search together as one tree; `None` if they prove less than the bound.
fn translation_cover(shapes: [&Shape; 2], steps: &[CoverStep], lower: f64) -> Option<DepthEvidence> {
    let Some(&CoverStep::Done { unit, .. }) = steps.last() else { return None };
    if steps.iter().any(|step| matches!(step, CoverStep::Cone { .. } | CoverStep::ConeSplit { .. })) {
        return cones(shapes, steps, unit);
    }
    // The bound in the unit of the search; both conversions are exact.
    let bound = lower * unit;
    let mut known: HashMap<BoxKey, Known<'_>> = HashMap::new();
    let mut tree: Option<(BoxKey, Divisions<'_>)> = None;
    // The sides of a void come in the middle of another tree.
    let mut sides: Option<Vec<Divisions<'_>>> = None;
    let mut whole: Option<Aabb> = None;
    let mut writer = CoverWriter { unit, bound, cover: DepthEvidence::default(), planes: HashMap::new() };
    for step in steps {
        match step {
            CoverStep::Side { number: 0 } => sides = Some(vec![HashMap::new()]),
            CoverStep::Side { .. } => sides.as_mut()?.push(HashMap::new()),
            CoverStep::Void { within } => {
                let sides = sides.take()?;
                within.iter().for_each(|within| writer.void(within, &sides));
            }
            CoverStep::Root { .. } if sides.is_some() => {}
            CoverStep::Root { within } => tree = Some((within.as_ref().and_then(key), HashMap::new())),
            CoverStep::Divided { node, .. } => {
                let divisions = match &mut sides {
                    Some(sides) => sides.last_mut()?,
                    None => &mut tree.as_mut()?.1,
                };
                divisions.insert(*node, step);
            }
            CoverStep::End { bound } => {
                let (at, divisions) = tree.take()?;
                known.entry(at).or_default().trees.push((*bound, divisions));
            }
            CoverStep::Boxed { within, pieces, bound } => {
                known.entry(key(within)).or_default().boxed.push((*bound, *pieces));
            }
            CoverStep::Cut { within, axis, at } => {
                whole.get_or_insert(*within);
                known.entry(key(within)).or_default().cut = Some((*axis, *at));
            }
            CoverStep::Cone { .. } | CoverStep::ConeSplit { .. } | CoverStep::Done { .. } => {}
        }
    }
    if !writer.proved(known.get(&None)) {
        writer.boxes(&known, whole?);
    }
    let CoverWriter { mut cover, .. } = writer;
    write_pieces(shapes, &mut cover)?;
    Some(cover)
}

/// Puts the steps of a search by witness hulls together as a forest; `None` if a hull is in a part that is not a mesh.
fn cones(shapes: [&Shape; 2], steps: &[CoverStep], unit: f64) -> Option<DepthEvidence> {
    let mut of_cell: HashMap<u32, Vec<&CoverStep>> = HashMap::new();
    for step in steps {
        if let CoverStep::Cone { cell, .. } | CoverStep::ConeSplit { cell, .. } = step {
            of_cell.entry(*cell).or_default().push(step);
        }
    }
    let firsts = [first_parts(shapes[0])?, first_parts(shapes[1])?];
    let mut cover = DepthEvidence::default();
    let mut open: Vec<u32> = (0..8).rev().collect();
    while let Some(cell) = open.pop() {
        let mut is_split = false;
        for step in of_cell.get(&cell).into_iter().flatten() {
            match step {
                CoverStep::Cone { lengths, points, parts, .. } => {
                    for side in 0..2 {
                        if !is_mesh(shapes[side], parts[side]) {
                            return None;
                        }
                    }
                    cover.cones.push(ConeNode::Step {
                        lengths: lengths.map(|length| length / unit),
                        points: points.map(|point| (point / unit).to_array()),
                        parts: [firsts[0][parts[0]], firsts[1][parts[1]]],
                    });
                }
                CoverStep::ConeSplit { weights, length, first, .. } => {
                    is_split = true;
                    cover.cones.push(ConeNode::Split { weights: *weights, length: length / unit });
                    let count = weights.iter().filter(|weight| **weight > 0.0).count() as u32;
                    open.extend((*first..first + count).rev());
                }
                _ => {}
            }
        }
        if !is_split {
            cover.cones.push(ConeNode::Far {});
        }
    }
    Some(cover)
}

/// Is that part of a shape a mesh?
fn is_mesh(shape: &Shape, part: usize) -> bool {
    match shape {
        Shape::Compound(compound) => {
            compound.parts().get(part).is_some_and(|part| matches!(part.shape, Shape::Mesh(_)))
        }
        _ => matches!(shape, Shape::Mesh(_)),
    }
}

struct CoverWriter {
    unit: f64,
    bound: f64,
    cover: DepthEvidence,
    planes: HashMap<[u64; 4], u32>,
}

impl CoverWriter {
    /// The number of a plane of the search.
    fn plane(&mut self, normal: DVec3, offset: f64) -> u32 {
        let offset = offset / self.unit;
        let [x, y, z] = normal.to_array().map(f64::to_bits);
        let planes = &mut self.cover.planes;
        *self.planes.entry([x, y, z, offset.to_bits()]).or_insert_with(|| {
            planes.push([normal.x, normal.y, normal.z, offset]);
            planes.len() as u32 - 1
        })
    }

    /// Writes a proof of the bound for a box, or for all of space, if there is one.
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
                _ => self.cover.nodes.push(DepthNode::Far {}),
            }
        }
    }

    fn divided(&mut self, pieces: [u32; 2], beyond: Vec<u32>) {
        self.cover.nodes.push(match pieces {
            [u32::MAX, void] => DepthNode::Enclosed { void, beyond },
            _ => DepthNode::Divided { pieces, beyond },
        });
    }

    /// Writes a box that no path leads into, with a tree for each side.
    fn void(&mut self, within: &Aabb, sides: &[Divisions<'_>]) {
        debug_assert_eq!(sides.len(), 6, "a side is left out");
        let sides = std::array::from_fn(|side| {
            sides.get(side).into_iter().for_each(|divisions| self.tree(divisions));
            std::mem::take(&mut self.cover.nodes)
        });
        let [min, max] = [within.min, within.max].map(|corner| (corner / self.unit).to_array());
        self.cover.voids.push(DepthVoid { min, max, sides });
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
                    self.cover.nodes.push(DepthNode::Cut(plane));
                    let [mut low, mut high] = [within; 2];
                    (low.max[axis], high.min[axis]) = (at, at);
                    open.extend([low, high]);
                }
                None => self.cover.nodes.push(DepthNode::Far {}),
            }
        }
    }
}

/// Writes the pieces that a cover refers to, and gives them new numbers.
fn write_pieces(shapes: [&Shape; 2], cover: &mut DepthEvidence) -> Option<()> {
    for (side, shape) in shapes.into_iter().enumerate() {
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let of_voids = cover.voids.iter_mut().flat_map(|void| &mut void.sides).flatten();
        for node in of_voids.chain(&mut cover.nodes) {
            if let DepthNode::Divided { pieces, .. } = node {
                let next = numbers.len() as u32;
                pieces[side] = *numbers.entry(pieces[side]).or_insert(next);
            }
        }
        let mut written: Vec<Option<DepthPiece>> = vec![None; numbers.len()];
        let firsts = first_parts(shape)?;
        let mut number = 0;
        visit_pieces(shape, &mut |piece| {
            if let Some(&at) = numbers.get(&number) {
                let polytope = piece.polytope();
                let vertices = 0..polytope.vertex_count() as u32;
                let members = match piece.shape {
                    Shape::Mesh(_) => Vec::new(),
                    Shape::Polytope(_) => {
                        vertices.clone().map(|v| Member::Vertex(vertex_number(piece.shape, v))).collect()
                    }
                    _ => vertices
                        .clone()
                        .map(|v| full_support(piece.shape, piece.directions[polytope.source(v) as usize]).1)
                        .collect(),
                };
                let mut points: Vec<DVec3> = vertices.map(|v| piece.vertex(v)).collect();
                let mut triangles = triangles(polytope);
                // Rounding may make the piece slightly non-convex. Its hull is convex and stays inside up to the same slack.
                if piece.is_shrunk()
                    && let Ok(hull) = convex_hull(&points)
                {
                    points = (0..hull.vertex_count() as u32).map(|v| hull.vertex(v)).collect();
                    triangles = self::triangles(&hull);
                }
                let points = points.iter().map(DVec3::to_array).collect();
                written[at as usize] = Some(DepthPiece { part: firsts[piece.part], points, triangles, members });
            }
            number += 1;
        });
        cover.pieces[side] = written.into_iter().collect::<Option<_>>()?;
    }
    Some(())
}

/// The number that evidence gives the first part of each body.
fn first_parts(shape: &Shape) -> Option<Vec<u32>> {
    is_countable(shape)
        .then(|| PosedBodies::new(shape, Pose::IDENTITY, DVec3::ZERO).0.iter().map(|body| body.first).collect())
}

/// The surface of a polytope: each face as a fan.
fn triangles(polytope: &Polytope) -> Vec<[u32; 3]> {
    let fan = |ring: &[u32]| ring.windows(2).skip(1).map(|ends| [ring[0], ends[0], ends[1]]).collect::<Vec<_>>();
    polytope.faces().flat_map(|face| fan(face.vertices)).collect()
}
