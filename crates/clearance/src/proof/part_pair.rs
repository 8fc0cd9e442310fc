//! Evidence about one convex part of each shape.
//!
//! 1. A lower bound rests on one direction. The normal of the answer is taken if it separates by the bound and 4 ε of the size; else the
//!    direction along which a slower search finds the cores farther apart.
//! 2. An upper bound of a gap rests on two points of the cores. That of an overlap rests on a closed surface of points of A - B around the
//!    origin, or where none comes close enough on an ellipsoid or on cells of directions.
//! 3. Nothing here is exact or believed: the checker computes every point and every height again.

use super::member::ProvableCore;
use super::nearest::{self, nearest};
use super::parts::PosedPart;
use super::witness::PlacedMember;
use super::{cells, ellipsoid, surface, witness};
use crate::math::{Frame, Pose};
use crate::pair::Clearance;
use crate::shape::Shape;
use clearance_verify::{Member, Upper, Witness};
use glam::DVec3;

/// Members of the cores next to the two witness points of an answer, and their distance; NaN if one is a plane.
pub(super) struct PlacedWitness {
    pub witness: Witness,
    distance: f64,
}

/// One part of A and one of B.
pub(super) struct PartPair<'a> {
    pub a: PosedPart<'a>,
    pub b: PosedPart<'a>,
    pub b_in_a: Frame,
}

impl PartPair<'_> {
    /// The numbers of the two parts.
    pub fn numbers(&self) -> [u32; 2] {
        [self.a.number, self.b.number]
    }

    fn pose_a(&self) -> &Pose {
        &self.a.body.pose
    }

    /// The library's answer about the two.
    pub fn distance(&self) -> Clearance {
        crate::distance(self.a.shape(), self.a.body.pose, self.b.shape(), self.b.body.pose)
    }

    /// The pair with B translated.
    pub fn moved_by(mut self, translation: DVec3) -> Self {
        self.b.body.pose = self.b.body.pose.moved_by(translation);
        self.b_in_a = Frame::relative(&self.a.body.pose, &self.b.body.pose);
        self
    }

    /// A world direction along which the two are apart by a lower bound, if there is one: the normal of an answer, or a better one.
    pub fn direction(&self, normal: DVec3, lower: f64) -> DVec3 {
        let is_enough = |direction: DVec3| match self.sides() {
            Some([a, b]) => {
                let scale = self.scale(&a, &b);
                let apart = nearest::separation(&a, &b, &self.b_in_a, self.in_a(direction));
                // The separation in doubles is off by less than 4 ε of the scale; twice that is left for the checker.
                apart - (a.radius() + b.radius()) >= lower + 8.0 * f64::EPSILON * scale
            }
            None => true,
        };
        if is_enough(normal) { normal } else { self.best_direction() }
    }

    /// The world direction along which the two are found farthest apart.
    pub fn best_direction(&self) -> DVec3 {
        let mut clearance = self.distance();
        clearance.lower = f64::INFINITY;
        self.both_bounds(&clearance).0
    }

    /// The world direction from the center of A to that of B.
    pub fn between_centers(&self) -> DVec3 {
        let center = |part: &PosedPart<'_>| Some(part.body.pose.transform_point(part.shape().convex()?.center()));
        let between = center(&self.a).zip(center(&self.b)).map(|(a, b)| b - a);
        between.and_then(DVec3::try_normalize).unwrap_or(DVec3::X)
    }

    /// The world direction between the nearest points of the cores, if they are apart.
    pub fn between_cores(&self) -> DVec3 {
        let toward = self.between_centers();
        let Some([a, b]) = self.sides() else { return toward };
        let found = nearest(&a, &b, &self.b_in_a, self.in_a(toward)).direction;
        if found == DVec3::ZERO { toward } else { self.pose_a().transform_vector(found) }
    }

    /// A world direction in the frame of A.
    pub fn in_a(&self, direction: DVec3) -> DVec3 {
        self.pose_a().inverse_transform_vector(direction)
    }

    /// An upper bound of coordinates in the frame of A: the radii of both cores and the distance of their origins.
    fn scale(&self, a: &ProvableCore<'_>, b: &ProvableCore<'_>) -> f64 {
        a.bounding_radius() + b.bounding_radius() + self.b_in_a.translation.length()
    }

    /// A world direction for the lower bound, and evidence for the upper bound: the normal and the witness points of the answer if they prove its bracket.
    /// Else both are searched ([`both_bounds`](Self::both_bounds)).
    pub fn recorded_bounds(&self, clearance: &Clearance, witness: Option<&PlacedWitness>) -> (DVec3, Option<Upper>) {
        let recorded = self.sides().zip(witness).filter(|([a, b], witness)| {
            let (radius, scale) = (a.radius() + b.radius(), self.scale(a, b));
            let apart = nearest::separation(a, b, &self.b_in_a, self.in_a(clearance.normal)) - radius;
            // Bound: lengths in doubles are off by less than 4 ε of the scale.
            let rounding = 4.0 * f64::EPSILON * scale;
            clearance.is_apart()
                && apart >= clearance.lower + rounding
                && witness.distance - radius <= clearance.upper - rounding
        });
        match recorded {
            Some((_, PlacedWitness { witness: Witness { a, b, .. }, .. })) => {
                (clearance.normal, Some(self.points([a.clone(), b.clone()])))
            }
            None => self.both_bounds(clearance),
        }
    }

    /// A world direction for the lower bound, and evidence for the upper bound, searched for.
    ///
    /// The normal of an answer is the direction between its witness points. Where those are close together it has fewer digits than the
    /// bracket, which may rest on another plane.
    pub fn both_bounds(&self, clearance: &Clearance) -> (DVec3, Option<Upper>) {
        let Some([a, b]) = self.sides() else { return (clearance.normal, self.half_space()) };
        let radius = a.radius() + b.radius();
        let toward = self.in_a(clearance.normal);
        let scale = self.scale(&a, &b);
        let allowed = clearance.upper + radius;
        let (found, upper) = if !(allowed < 0.0) {
            let found = nearest(&a, &b, &self.b_in_a, toward);
            let points = found.witnesses();
            (found.direction, Some(self.points(points)))
        } else {
            let surface = surface::around_origin(&a, &b, &self.b_in_a, toward, -allowed);
            let is_enough = surface.as_ref().is_some_and(|surface| surface.is_proved);
            let other = if is_enough { None } else { self.smooth(&a, &b, toward, -allowed) };
            match (other, surface) {
                (Some((direction, upper)), _) => (direction, Some(upper)),
                (None, Some(surface::EnclosingSurface { points, triangles, direction, .. })) => {
                    (direction, Some(Upper::Surface { parts: self.numbers(), points, triangles }))
                }
                (None, None) => (DVec3::ZERO, None),
            }
        };
        let separation = |direction: DVec3| nearest::separation(&a, &b, &self.b_in_a, direction);
        // The separation in doubles is off by less than 4 ε of the scale.
        let is_enough = separation(toward) - radius >= clearance.lower + 4.0 * f64::EPSILON * scale;
        let is_better = found != DVec3::ZERO && separation(found) > separation(toward);
        let direction = if !is_enough && is_better { self.pose_a().transform_vector(found) } else { clearance.normal };
        (direction, upper)
    }

    fn points(&self, [a, b]: [Member; 2]) -> Upper {
        Upper::Points { parts: self.numbers(), a, b }
    }

    /// Evidence for a common point; the normal is that of an answer.
    pub fn common_point(&self, normal: DVec3) -> Option<Upper> {
        let [side_a, side_b] = self.sides()?;
        let (parts, toward) = (self.numbers(), self.in_a(normal));
        let found = nearest(&side_a, &side_b, &self.b_in_a, toward);
        if found.encloses {
            return Some(Upper::Simplex { parts, points: found.corners() });
        }
        if side_a.radius() + side_b.radius() > 0.0 {
            return Some(self.points(found.witnesses()));
        }
        // The origin may be deep inside A - B and yet on the boundary of every simplex of the search.
        match surface::around_origin(&side_a, &side_b, &self.b_in_a, toward, 0.0) {
            Some(surface) => Some(Upper::Surface { parts, points: surface.points, triangles: surface.triangles }),
            // They touch: the nearest points have no gap that doubles can see.
            None => Some(self.points(found.witnesses())),
        }
    }

    /// Evidence that the support height of A - B is at least `needed` along every direction, and the direction of the least height: where no surface
    /// comes close enough.
    fn smooth(&self, a: &ProvableCore<'_>, b: &ProvableCore<'_>, toward: DVec3, needed: f64) -> Option<(DVec3, Upper)> {
        let parts = self.numbers();
        if let Some(found) = ellipsoid::inside(a, b, &self.b_in_a, toward, needed) {
            let ellipsoid::FittedEllipsoid { share, inner, direction } = found;
            return Some((direction, Upper::Ellipsoid { parts, share, inner }));
        }
        let cells::CellTree { axis, side, nodes, direction } =
            cells::around_origin(a, b, &self.b_in_a, toward, needed)?;
        let [axis, side] = [axis, side].map(|v| self.pose_a().transform_vector(v).to_array());
        Some((direction, Upper::Cells { parts, axis, side, nodes }))
    }

    /// Members next to two witness points, which are relative to the origin of the parts.
    pub fn witness(&self, [point_a, point_b]: [DVec3; 2], normal: DVec3) -> Option<PlacedWitness> {
        let beside = |part: &PosedPart<'_>, point: DVec3, outward: DVec3| match part.shape() {
            Shape::HalfSpace(_) => Some(PlacedMember { member: Member::Plane {}, place: DVec3::NAN }),
            _ => witness::beside(&ProvableCore::of_part(part)?, &part.body.pose, point, outward),
        };
        let a = beside(&self.a, point_a, normal)?;
        let b = beside(&self.b, point_b, -normal)?;
        let distance = (self.b_in_a.point(b.place) - a.place).length();
        Some(PlacedWitness { witness: Witness { parts: self.numbers(), a: a.member, b: b.member }, distance })
    }

    /// The two as convex sets; `None` if one is a half-space or user-defined.
    pub fn sides(&self) -> Option<[ProvableCore<'_>; 2]> {
        Some([ProvableCore::of_part(&self.a)?, ProvableCore::of_part(&self.b)?])
    }

    /// Evidence for an upper bound against a half-space: the deepest point of the other part.
    pub fn half_space(&self) -> Option<Upper> {
        let points = match (self.a.shape(), self.b.shape()) {
            (Shape::HalfSpace(_), Shape::HalfSpace(_)) => [Member::Plane {}, Member::Plane {}],
            (Shape::HalfSpace(plane), _) => {
                let deepest = ProvableCore::of_part(&self.b)?.support(self.b_in_a.direction_in_b(-plane.normal())).1;
                [Member::Plane {}, deepest]
            }
            (_, Shape::HalfSpace(plane)) => {
                let deepest = ProvableCore::of_part(&self.a)?.support(-(self.b_in_a.rotation * plane.normal())).1;
                [deepest, Member::Plane {}]
            }
            _ => return None,
        };
        Some(self.points(points))
    }
}
