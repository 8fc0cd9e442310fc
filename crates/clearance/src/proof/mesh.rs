//! Evidence where meshes are among the shapes.
//!
//! A mesh is its triangles: gaps are proved by covers of all pairs of parts (`sets.rs`) and by two points of two of them. That no solid
//! holds a piece of the other shape is found out by a checker alone. An overlap is proved by two parts that meet, or by a point that is
//! inside of a solid; how deep it is at most by a direction for the hulls, or for compounds by a translation that frees all parts.

use super::cover::{Lower, Trail};
use super::member::Member;
use super::pieces::{PartPiece, PosedBodies, PosedBody, has_mesh, is_countable, nearest_triangle, part_pair};
use super::sets::{PartSets, between_hulls};
use super::{PosedParts, Proof, Upper, Witness, witness};
use crate::math::Pose;
use crate::pair::{Clearance, PosedPair, ways_out};
use crate::shape::{Mesh, Shape, Side};
use glam::DVec3;

/// Two shapes, at least one of them a mesh or with meshes among its parts, at their poses.
pub(super) struct Meshes<'a> {
    shapes: [&'a Shape; 2],
    poses: [Pose; 2],
    a: PosedBodies<'a>,
    b: PosedBodies<'a>,
    origin: DVec3,
}

/// What is written about a point that is inside of a solid, and how far it is below the surface, to rounding.
struct InsidePoint {
    upper: Upper,
    depth: f64,
}

impl<'a> Meshes<'a> {
    /// Nothing if they have too many parts to be written about.
    pub fn new(a: &'a Shape, pose_a: Pose, b: &'a Shape, pose_b: Pose) -> Option<Self> {
        let origin = pose_a.translation();
        (is_countable(a) && is_countable(b)).then(|| Self {
            shapes: [a, b],
            poses: [pose_a, pose_b],
            a: PosedBodies::new(a, pose_a, origin),
            b: PosedBodies::new(b, pose_b, origin),
            origin,
        })
    }

    /// The evidence for a clearance.
    pub fn of_clearance(&self, clearance: &Clearance, trail: &Trail) -> Proof {
        let [Some(body_a), Some(body_b)] = self.chosen(clearance.parts) else { return Proof::default() };
        let features = clearance.features(self.shapes[0], self.shapes[1]);
        let at = [clearance.point_a - self.origin, clearance.point_b - self.origin];
        let numbers = [body_a.part_at(features[0], at[0]), body_b.part_at(features[1], at[1])];
        let (Some(a), Some(b)) = (self.a.piece(numbers[0]), self.b.piece(numbers[1])) else { return Proof::default() };
        let is_apart = clearance.lower > 0.0;
        let upper = self.upper(clearance);
        let lower = match is_apart {
            true => self.sets(DVec3::ZERO, clearance.normal).cover(clearance.lower),
            false => self.depth(clearance.lower, clearance.normal, trail),
        };
        let witness = part_pair(&a, &b).witness(clearance, self.origin).map(|witness| {
            let [of_a, of_b] = &witness.points;
            Witness { points: [a.written(of_a), b.written(of_b)], ..witness }
        });
        Proof { lower, upper, witness, features: [a.spanning(features[0]), b.spanning(features[1])] }
    }

    /// The evidence for the upper bound of a clearance alone.
    fn upper(&self, clearance: &Clearance) -> Option<Upper> {
        let [body_a, body_b] = self.chosen(clearance.parts);
        let (body_a, body_b) = (body_a?, body_b?);
        let features = clearance.features(self.shapes[0], self.shapes[1]);
        let at = [clearance.point_a - self.origin, clearance.point_b - self.origin];
        let numbers = [body_a.part_at(features[0], at[0]), body_b.part_at(features[1], at[1])];
        match clearance.lower > 0.0 {
            true => self.bound_of_parts(numbers, clearance),
            false => self.overlap([body_a, body_b], numbers, clearance),
        }
    }

    /// The evidence that they have a point in common.
    pub fn of_intersection(&self, clearance: &Clearance) -> Proof {
        let inside = |bodies: [&[PosedBody<'a>]; 2]| self.inside(bodies, f64::INFINITY).map(|inside| inside.upper);
        let all: [&[PosedBody<'a>]; 2] = [&self.a.0, &self.b.0];
        let upper = self.half_space(clearance).or_else(|| inside(all)).or_else(|| {
            let (parts, _) = self.sets(DVec3::ZERO, clearance.normal).meeting(-f64::MIN_POSITIVE)?;
            self.of_parts(parts, |pair| pair.common_point(pair.distance().normal))
        });
        Proof { upper, ..Proof::default() }
    }

    /// The evidence that they are farther apart than a margin.
    pub fn of_separation(&self, margin: f64, clearance: &Clearance, trail: &Trail) -> Proof {
        let lower = match margin >= 0.0 {
            true => self.sets(DVec3::ZERO, clearance.normal).cover(margin),
            // No overlap is deeper than that.
            false => self.depth(margin, clearance.normal, trail),
        };
        Proof { lower, ..Proof::default() }
    }

    /// The bodies of those numbers, by which the library counts them.
    fn chosen(&self, parts: [u32; 2]) -> [Option<PosedBody<'a>>; 2] {
        [self.a.0.get(parts[0] as usize).copied(), self.b.0.get(parts[1] as usize).copied()]
    }

    fn sets(&self, moved: DVec3, normal: DVec3) -> PartSets<'_, 'a> {
        PartSets::new([&self.a, &self.b], moved, normal)
    }

    /// What is known of two parts, with members as they were written.
    fn of_parts(&self, [i, j]: [u32; 2], ask: impl FnOnce(&super::PartPair<'_>) -> Option<Upper>) -> Option<Upper> {
        let (a, b) = (self.a.piece(i)?, self.b.piece(j)?);
        ask(&part_pair(&a, &b)).map(|upper| written(upper, &a, &b))
    }

    fn bound_of_parts(&self, parts: [u32; 2], clearance: &Clearance) -> Option<Upper> {
        self.of_parts(parts, |pair| pair.both_bounds(clearance).1)
    }

    /// A half-space and the part that is deepest in it, if the answer is about one.
    fn half_space(&self, clearance: &Clearance) -> Option<Upper> {
        let [a, b] = self.chosen(clearance.parts);
        let (a, b) = (a?, b?);
        let is_plane = |body: &PosedBody<'_>| matches!(body.shape, Shape::HalfSpace(_));
        if !is_plane(&a) && !is_plane(&b) {
            return None;
        }
        let features = clearance.features(self.shapes[0], self.shapes[1]);
        let at = |point: DVec3| point - self.origin;
        let parts = [a.part_at(features[0], at(clearance.point_a)), b.part_at(features[1], at(clearance.point_b))];
        self.of_parts(parts, |pair| pair.half_space())
    }

    /// The evidence for the upper bound of an overlap: the parts with the witnesses if they are deep enough, else a point inside, else
    /// any parts that are deep enough.
    fn overlap(&self, bodies: [PosedBody<'a>; 2], parts: [u32; 2], clearance: &Clearance) -> Option<Upper> {
        if let Some(upper) = self.half_space(clearance) {
            return Some(upper);
        }
        let bodies: [&[PosedBody<'a>]; 2] = [&bodies[..1], &bodies[1..]];
        let (a, b) = (self.a.piece(parts[0])?, self.b.piece(parts[1])?);
        let is_enough = |upper: f64| upper <= clearance.upper;
        if is_enough(part_pair(&a, &b).distance().upper) {
            return self.bound_of_parts(parts, clearance);
        }
        let inside = self.inside(bodies, clearance.upper);
        if let Some(inside) = inside.as_ref().filter(|inside| is_enough(-inside.depth)) {
            return Some(inside.upper.clone());
        }
        let sets = [&self.a, &self.b];
        let meeting = PartSets::of(bodies, sets, DVec3::ZERO, clearance.normal).meeting(clearance.upper);
        match (meeting, inside) {
            (Some((_, upper)), Some(inside)) if -inside.depth < upper => Some(inside.upper),
            (Some((parts, _)), _) => self.bound_of_parts(parts, clearance),
            (None, Some(inside)) => Some(inside.upper),
            (None, None) => self.inside([&self.a.0, &self.b.0], clearance.upper).map(|inside| inside.upper),
        }
    }

    /// A point of one of two sets of bodies that is inside of a solid of the other, by as much as is enough if there is one.
    fn inside(&self, [a, b]: [&[PosedBody<'a>]; 2], enough: f64) -> Option<InsidePoint> {
        let mut best: Option<InsidePoint> = None;
        for (solids, others, is_in_a) in [(a, b, true), (b, a, false)] {
            let solids = solids.iter().filter_map(|body| Some((body, body.shape.as_mesh()?)));
            let solids = solids.filter(|(_, mesh)| mesh.is_solid());
            for ((body, mesh), other) in solids.flat_map(|solid| others.iter().map(move |other| (solid, other))) {
                let Some(found) = inside_of(body, mesh, other, is_in_a) else { continue };
                if best.as_ref().is_none_or(|best| found.depth > best.depth) {
                    best = Some(found);
                }
                if best.as_ref().is_some_and(|best| -best.depth <= enough) {
                    return best;
                }
            }
        }
        best
    }

    /// What shows that no overlap is deeper than the lower bound.
    fn depth(&self, lower: f64, normal: DVec3, trail: &Trail) -> Lower {
        let moved = trail.translation();
        if moved != DVec3::ZERO {
            // As long as allowed: what is apart beyond rounding is still so, and what is not may be.
            let moved = moved * ((1.0 - 4.0 * f64::EPSILON) * -lower / moved.length());
            if moved.is_finite() && lower < 0.0 {
                return self.sets(moved, normal).cover(0.0);
            }
        }
        let sets = self.sets(DVec3::ZERO, normal);
        let is_unbounded =
            |bodies: &PosedBodies<'_>| bodies.0.iter().any(|body| matches!(body.shape, Shape::HalfSpace(_)));
        if is_unbounded(&self.a) || is_unbounded(&self.b) {
            return sets.cover(lower);
        }
        // One direction for the hulls: the best of those that come to mind, and of those that the answer may be from.
        let [pose_a, pose_b] = &self.poses;
        let pair = PosedPair { a: self.shapes[0], pose_a, b: self.shapes[1], pose_b };
        let ways = [
            Some(normal),
            trail.only_direction(),
            between_hulls(self.shapes, self.poses),
            (self.poses[1].translation() - self.poses[0].translation()).try_normalize(),
        ];
        let separation = |way: &DVec3| self.sets(DVec3::ZERO, *way).separation();
        let best = ways.into_iter().flatten().chain(ways_out(&pair)).map(|way| (separation(&way), way));
        let best = best.max_by(|one, other| one.0.total_cmp(&other.0));
        Lower::along(best.map_or(normal, |(_, way)| way))
    }
}

/// The evidence for the upper bound of a clearance of any two shapes.
pub(super) fn upper_bound([a, b]: [&Shape; 2], [pose_a, pose_b]: [Pose; 2], clearance: &Clearance) -> Option<Upper> {
    match has_mesh(a) || has_mesh(b) {
        true => Meshes::new(a, pose_a, b, pose_b)?.upper(clearance),
        false => PosedParts::new(a, pose_a, b, pose_b).get(clearance.parts)?.both_bounds(clearance).1,
    }
}

/// A point of a body that is inside of a solid: what is known of it as evidence.
fn inside_of(solid: &PosedBody<'_>, mesh: &Mesh, other: &PosedBody<'_>, is_in_a: bool) -> Option<InsidePoint> {
    let local = |point: DVec3| solid.pose.inverse_transform_point(other.pose.transform_point(point));
    let is_inside = |point: &DVec3| mesh.aabb().contains(local(*point)) && mesh.side_of(local(*point)) != Side::Outside;
    let (number, member, point) = match other.shape.as_mesh() {
        Some(of) => {
            let vertex = of.components().find(is_inside)?;
            let corner = |triangle: &u32| of.corners(*triangle).iter().position(|&corner| corner == vertex);
            let triangle = (0..of.triangles().len() as u32).find(|triangle| corner(triangle).is_some())?;
            let number = other.first + triangle;
            (number, Member::Vertex(corner(&triangle)? as u32), vertex)
        }
        None => {
            let center = other.shape.convex()?.center();
            if !is_inside(&center) {
                return None;
            }
            let member = witness::beside(other.shape, &other.pose, other.pose.transform_point(center), DVec3::X)?;
            (other.first, member, center)
        }
    };
    let (triangle, depth) = nearest_triangle(mesh, local(point));
    let mut parts = [solid.first + triangle, number];
    if !is_in_a {
        parts.reverse();
    }
    let piece = PosedBodies(vec![*other]).piece(number)?;
    Some(InsidePoint { upper: Upper::Inside { parts, is_in_a, point: piece.written(&member) }, depth })
}

/// Evidence about two parts with the vertices as they were written.
pub(super) fn written(upper: Upper, a: &PartPiece<'_>, b: &PartPiece<'_>) -> Upper {
    let both = |[p, q]: &[Member; 2]| [a.written(p), b.written(q)];
    match upper {
        Upper::Points { parts, points } => Upper::Points { parts, points: both(&points) },
        Upper::Simplex { parts, points } => Upper::Simplex { parts, points: points.iter().map(both).collect() },
        Upper::Surface { parts, points, triangles } => {
            Upper::Surface { parts, points: points.iter().map(both).collect(), triangles }
        }
        other => other,
    }
}
