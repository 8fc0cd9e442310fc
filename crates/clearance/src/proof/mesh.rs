//! Evidence where meshes are among the shapes.
//!
//! 1. A mesh is its triangles. Gaps are proved by covers of all pairs of parts (`sets.rs`) and by two points of two of them.
//! 2. The checker finds out by itself that no solid contains a piece of the other shape.
//! 3. An overlap is proved by two parts that meet, or by a point inside of a solid. An upper bound of its depth is proved by a direction for the
//!    hulls, or for compounds by a translation that separates all parts.

use super::cover::Trail;
use super::member::{ProvableCore, corner_number};
use super::part_pair::PartPair;
use super::parts::{PosedBodies, PosedBody, has_mesh, is_countable, nearest_triangle};
use super::sets::{PartSets, between_hulls};
use super::{Evidence, given, pair_of, witness};
use crate::math::Pose;
use crate::pair::{Clearance, PosedPair, escape_directions};
use crate::shape::{Mesh, Shape, Side};
use clearance_verify::{Lower, Member, Upper, Whose};
use glam::DVec3;

/// Two shapes, at least one of them a mesh or with meshes among its parts, at their poses.
pub(super) struct Meshes<'a> {
    shapes: [&'a Shape; 2],
    poses: [Pose; 2],
    bodies: [PosedBodies<'a>; 2],
    origin: DVec3,
}

/// Evidence by a point inside of a solid, and its distance from the surface, to rounding.
struct InsidePoint {
    upper: Upper,
    depth: f64,
}

impl<'a> Meshes<'a> {
    /// `None` if they have too many parts.
    pub fn new(a: &'a Shape, pose_a: Pose, b: &'a Shape, pose_b: Pose) -> Option<Self> {
        let (shapes, poses) = ([a, b], [pose_a, pose_b]);
        let bodies = || PosedBodies::of_both(shapes, poses);
        (is_countable(a) && is_countable(b)).then(|| Self {
            shapes,
            poses,
            bodies: bodies(),
            origin: pose_a.translation(),
        })
    }

    /// The evidence for a clearance.
    pub fn of_clearance(&self, clearance: &Clearance, trail: &Trail) -> Evidence {
        let Some(pair) = self.closest(clearance) else { return Evidence::default() };
        let lower = match clearance.is_apart() {
            true => self.sets(DVec3::ZERO, clearance.normal).cover(clearance.lower),
            false => self.depth(clearance.lower, clearance.normal, trail),
        };
        let witness = pair.witness(self.points(clearance), clearance.normal).map(|placed| placed.witness);
        let features = match &witness {
            Some(_) => {
                let [of_a, of_b] = clearance.features(self.shapes[0], self.shapes[1]);
                [pair.a.spanning(of_a), pair.b.spanning(of_b)]
            }
            None => Default::default(),
        };
        Evidence { lower: given(lower), upper: self.upper(clearance), witness, features, ..Evidence::default() }
    }

    /// The witness points, relative to the origin of the parts.
    fn points(&self, clearance: &Clearance) -> [DVec3; 2] {
        [clearance.point_a - self.origin, clearance.point_b - self.origin]
    }

    /// The parts with the witness points of an answer.
    fn closest(&self, clearance: &Clearance) -> Option<PartPair<'a>> {
        let [body_a, body_b] = self.chosen(clearance.parts)?;
        let features = clearance.features(self.shapes[0], self.shapes[1]);
        let points = self.points(clearance);
        pair_of(&self.bodies, [body_a.part_at(features[0], points[0]), body_b.part_at(features[1], points[1])])
    }

    /// The evidence for the upper bound of a clearance alone.
    fn upper(&self, clearance: &Clearance) -> Option<Upper> {
        let closest = self.closest(clearance)?;
        match clearance.is_apart() {
            true => closest.both_bounds(clearance).1,
            false => self.overlap(self.chosen(clearance.parts)?, &closest, clearance),
        }
    }

    /// The evidence that they have a point in common.
    pub fn of_intersection(&self) -> Evidence {
        let all: [&[PosedBody<'a>]; 2] = [&self.bodies[0].0, &self.bodies[1].0];
        let below = self.deepest_in_half_space();
        let of_plane = |(_, parts): (f64, [u32; 2])| pair_of(&self.bodies, parts)?.half_space();
        let upper = below.filter(|(gap, _)| *gap <= 0.0).and_then(of_plane);
        let upper = upper.or_else(|| self.inside(all, f64::INFINITY).map(|inside| inside.upper));
        let upper = upper.or_else(|| {
            let (parts, _) = self.sets(DVec3::ZERO, DVec3::X).meeting(-f64::MIN_POSITIVE)?;
            let pair = pair_of(&self.bodies, parts)?;
            pair.common_point(pair.between_centers())
        });
        Evidence { upper: upper.or_else(|| below.and_then(of_plane)), ..Evidence::default() }
    }

    /// The part of one shape that is deepest in a half-space of the other, with the gap between the two to rounding.
    fn deepest_in_half_space(&self) -> Option<(f64, [u32; 2])> {
        let mut best: Option<(f64, [u32; 2])> = None;
        for side in [0, 1] {
            let planes = self.bodies[side].0.iter().filter_map(|body| match body.shape {
                Shape::HalfSpace(plane) => Some((body, plane)),
                _ => None,
            });
            for ((body, plane), other) in
                planes.flat_map(|plane| self.bodies[1 - side].0.iter().map(move |other| (plane, other)))
            {
                let normal = body.pose.transform_vector(plane.normal());
                let (lowest, part) = other.lowest(normal);
                let gap = lowest - plane.offset() - body.pose.translation().dot(normal);
                if best.is_none_or(|(least, _)| gap < least) {
                    best = Some((gap, if side == 0 { [body.first, part] } else { [part, body.first] }));
                }
            }
        }
        best
    }

    /// The evidence that they are farther apart than a margin.
    pub fn of_separation(&self, margin: f64, trail: &Trail) -> Evidence {
        let between = (self.poses[1].translation() - self.poses[0].translation()).try_normalize();
        let normal = between_hulls(self.shapes, self.poses).or(between).unwrap_or(DVec3::X);
        let lower = match margin >= 0.0 {
            true => self.sets(DVec3::ZERO, normal).cover(margin),
            // The claim is that no overlap is deeper than that.
            false => self.depth(margin, normal, trail),
        };
        Evidence { lower: given(lower), ..Evidence::default() }
    }

    /// The bodies of those numbers, as the library counts parts.
    fn chosen(&self, [i, j]: [u32; 2]) -> Option<[PosedBody<'a>; 2]> {
        let [a, b] = &self.bodies;
        Some([*a.0.get(i as usize)?, *b.0.get(j as usize)?])
    }

    fn sets(&self, moved: DVec3, normal: DVec3) -> PartSets<'_, 'a> {
        PartSets::new(&self.bodies, moved, normal)
    }

    /// A half-space and the part that is deepest in it, if the answer is about one.
    fn half_space(&self, clearance: &Clearance) -> Option<Upper> {
        let is_plane = |body: &PosedBody<'_>| matches!(body.shape, Shape::HalfSpace(_));
        let is_about_one = self.chosen(clearance.parts)?.iter().any(is_plane);
        if is_about_one { self.closest(clearance)?.half_space() } else { None }
    }

    /// The evidence for the upper bound of an overlap: the parts with the witnesses if they are deep enough, else a point inside, else
    /// any parts that are deep enough.
    fn overlap(&self, chosen: [PosedBody<'a>; 2], closest: &PartPair<'a>, clearance: &Clearance) -> Option<Upper> {
        if let Some(upper) = self.half_space(clearance) {
            return Some(upper);
        }
        let chosen: [&[PosedBody<'a>]; 2] = [&chosen[..1], &chosen[1..]];
        let is_enough = |upper: f64| upper <= clearance.upper;
        if is_enough(closest.distance().upper) {
            return closest.both_bounds(clearance).1;
        }
        let inside = self.inside(chosen, clearance.upper);
        if let Some(inside) = inside.as_ref().filter(|inside| is_enough(-inside.depth)) {
            return Some(inside.upper.clone());
        }
        let sets = PartSets::of(chosen, &self.bodies, DVec3::ZERO, clearance.normal);
        match (sets.meeting(clearance.upper), inside) {
            (Some((_, upper)), Some(inside)) if -inside.depth < upper => Some(inside.upper),
            (Some((parts, _)), _) => pair_of(&self.bodies, parts)?.both_bounds(clearance).1,
            (None, Some(inside)) => Some(inside.upper),
            (None, None) => {
                let all: [&[PosedBody<'a>]; 2] = [&self.bodies[0].0, &self.bodies[1].0];
                self.inside(all, clearance.upper).map(|inside| inside.upper)
            }
        }
    }

    /// The deepest sample point of one of two sets of bodies in a solid of the other, or the first that is deep enough.
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

    /// Evidence that no overlap is deeper than the lower bound.
    fn depth(&self, lower: f64, normal: DVec3, trail: &Trail) -> Lower {
        let moved = trail.translation();
        if moved != DVec3::ZERO {
            // As long as allowed: parts that were apart beyond rounding stay apart.
            let moved = moved * ((1.0 - 4.0 * f64::EPSILON) * -lower / moved.length());
            if moved.is_finite() && lower < 0.0 {
                return self.sets(moved, normal).cover(0.0);
            }
        }
        let sets = self.sets(DVec3::ZERO, normal);
        let is_unbounded =
            |bodies: &PosedBodies<'_>| bodies.0.iter().any(|body| matches!(body.shape, Shape::HalfSpace(_)));
        if self.bodies.iter().any(is_unbounded) {
            return sets.cover(lower);
        }
        // One direction for the hulls: the best of those that the answer may be from, and of some others.
        let [pose_a, pose_b] = &self.poses;
        let pair = PosedPair { a: self.shapes[0], pose_a, b: self.shapes[1], pose_b };
        let directions = [
            Some(normal),
            trail.only_direction(),
            between_hulls(self.shapes, self.poses),
            (self.poses[1].translation() - self.poses[0].translation()).try_normalize(),
        ];
        let separation = |direction: &DVec3| self.sets(DVec3::ZERO, *direction).separation();
        let best = directions
            .into_iter()
            .flatten()
            .chain(escape_directions(&pair))
            .map(|direction| (separation(&direction), direction));
        let best = best.max_by(|one, other| one.0.total_cmp(&other.0));
        Lower::along(best.map_or(normal, |(_, direction)| direction).to_array())
    }
}

/// The evidence for the upper bound of a clearance of any two shapes.
pub(super) fn upper_bound([a, b]: [&Shape; 2], [pose_a, pose_b]: [Pose; 2], clearance: &Clearance) -> Option<Upper> {
    match has_mesh(a) || has_mesh(b) {
        true => Meshes::new(a, pose_a, b, pose_b)?.upper(clearance),
        false => {
            let bodies = PosedBodies::of_both([a, b], [pose_a, pose_b]);
            pair_of(&bodies, clearance.parts)?.both_bounds(clearance).1
        }
    }
}

/// Evidence by a point of a body inside of a solid, if its sample points have one.
fn inside_of(solid: &PosedBody<'_>, mesh: &Mesh, other: &PosedBody<'_>, is_in_a: bool) -> Option<InsidePoint> {
    let local = |point: DVec3| solid.pose.inverse_transform_point(other.pose.transform_point(point));
    let is_inside = |point: &DVec3| mesh.aabb().contains(local(*point)) && mesh.side_of(local(*point)) != Side::Outside;
    let (number, member, point) = match other.shape.as_mesh() {
        Some(of) => {
            let vertex = of.components().find(is_inside)?;
            let corner = |triangle: &u32| of.corners(*triangle).iter().position(|&corner| corner == vertex);
            let triangle = (0..of.triangles().len() as u32).find(|triangle| corner(triangle).is_some())?;
            let number = other.first + triangle;
            (number, Member::Vertex(corner_number(of, corner(&triangle)? as u32)), vertex)
        }
        None => {
            let center = other.shape.convex()?.center();
            if !is_inside(&center) {
                return None;
            }
            let core = ProvableCore::new(other.shape)?;
            let member = witness::beside(&core, &other.pose, other.pose.transform_point(center), DVec3::X)?.member;
            (other.first, member, center)
        }
    };
    let (triangle, depth) = nearest_triangle(mesh, local(point));
    let (solid, parts) = match is_in_a {
        true => (Whose::A, [solid.first + triangle, number]),
        false => (Whose::B, [number, solid.first + triangle]),
    };
    Some(InsidePoint { upper: Upper::Inside { parts, solid, point: member }, depth })
}
