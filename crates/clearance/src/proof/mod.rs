//! Evidence for answers, for a checker that trusts nothing here.
//!
//! An answer's bracket is proved by a direction (lower bound) and by points (upper bound): two witnesses when the cores are
//! apart, a closed surface of points of A - B around the origin when they overlap, or, where no surface would do, an
//! ellipsoid between A - B and a ball or a tree of cells of directions. What is handed out are names of vertices, weights and local coordinates, so that a checker can compute the
//! points themselves exactly; nothing here needs to be exact. The surface comes from an expanding polytope of its own, not from the
//! engine that found the answer.
//!
//! Times of impact rest on chains of intervals of time (`impact.rs`), rays on pieces of them (`ray.rs`).
//!
//! Depths of solids that are not convex rest on a cover of translations (`depth.rs`).
//!
//! Parts are counted as `pieces.rs` says: a mesh is as many parts as it has triangles.
//!
//! This is no hot path: it allocates, and for overlaps of curved shapes it may take thousands of support points.

mod cells;
mod cover;
mod depth;
mod ellipsoid;
mod impact;
mod member;
mod mesh;
mod nearest;
mod pieces;
mod ray;
mod sets;
mod surface;
#[cfg(test)]
mod tests;
mod witness;

pub use cells::{Cell, Mix};
pub use cover::{Cover, Lower, Trail};
pub use depth::{ClosedBox, CoverNode, DepthProof, ProvedPiece, TranslationCover, WayOut, depth};
pub use ellipsoid::Inner;
pub use impact::{ApartLink, ApartNode, CastProof, ImpactProof, ProvedMeeting, approach, cast_shape, impact};
pub use member::Member;
pub use pieces::shape_of_part;
pub use ray::{RayProof, cast_ray};

use crate::math::{Frame, Pose};
use crate::pair::{self, Clearance, Engine, Pair, Until};
use crate::shape::Shape;
use glam::DVec3;
use member::ProvableCore;
use mesh::Meshes;
use nearest::nearest;
use pieces::has_mesh;

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Proof {
    /// What proves the lower bound; empty if nothing does.
    pub lower: Lower,
    /// What proves the upper bound. Nothing for shapes of the caller's own, and where no surface of reasonable size comes
    /// close enough to the bound.
    pub upper: Option<Upper>,
    /// Why the witnesses are on their shapes.
    pub witness: Option<Witness>,
    /// The vertices of the edge or face that each witness is on; none for other features.
    pub features: [Vec<u32>; 2],
}

/// Points of the cores that the witnesses of an answer are next to.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// The parts of two compounds they belong to.
    pub parts: [u32; 2],
    /// A point of A and a point of B.
    pub points: [Member; 2],
}

/// What an upper bound of the signed distance rests on: points of the cores.
#[derive(Debug, Clone, PartialEq)]
pub enum Upper {
    /// A point of each core: the signed distance is at most their distance less the radii.
    Points {
        /// The parts of two compounds they belong to.
        parts: [u32; 2],
        /// A point of A and a point of B.
        points: [Member; 2],
    },
    /// Up to four pairs whose differences have the origin in their hull: the cores have a point in common.
    Simplex {
        /// The parts of two compounds they belong to.
        parts: [u32; 2],
        /// Points of A and B.
        points: Vec<[Member; 2]>,
    },
    /// Pairs whose differences are the corners of a closed surface around the origin.
    Surface {
        /// The parts of two compounds they belong to.
        parts: [u32; 2],
        /// Points of A and B.
        points: Vec<[Member; 2]>,
        /// Triangles, counterclockwise as seen from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// Cells of directions, none of which has a shorter way out.
    Cells {
        /// The parts of two compounds it is about.
        parts: [u32; 2],
        /// The axis of longitudes and latitudes, in world coordinates.
        axis: DVec3,
        /// Where both are zero.
        side: DVec3,
        /// The tree.
        nodes: Vec<Cell>,
    },
    /// An ellipsoid inside A - B, with a ball about the origin inside.
    Ellipsoid {
        /// The parts of two compounds it is about.
        parts: [u32; 2],
        /// λ of the ball.
        share: f64,
        /// What is taken of each length of A, then of each length of B.
        inner: Vec<Inner>,
    },
    /// A point of one shape that is inside of the other: as deep as it is away from the surface.
    Inside {
        /// A triangle of the solid, and the part with the point.
        parts: [u32; 2],
        /// Is the solid A?
        is_in_a: bool,
        /// The point of the other shape.
        point: Member,
    },
}

/// The evidence for a clearance of these two shapes at these poses.
///
/// ```
/// use clearance::proof::{self, Cover, Upper};
/// use clearance::{Pose, Shape, distance};
///
/// let cube = Shape::cuboid([0.5, 0.5, 0.5])?;
/// let beside = Pose::from_translation([3.0, 0.0, 0.0]);
/// let c = distance(&cube, Pose::IDENTITY, &cube, beside);
/// let proof = proof::of_clearance(&cube, Pose::IDENTITY, &cube, beside, &c);
/// assert_eq!(proof.lower.cover, [Cover::Along(c.normal)]);
/// assert!(matches!(proof.upper, Some(Upper::Points { .. })));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn of_clearance(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, clearance: &Clearance) -> Proof {
    // From the parts that are known to be closest it takes what a search takes that remembers them.
    let mut trail = Trail::default();
    if is_compound(a, b) {
        let until = Until { limit: f64::INFINITY, floor: clearance.lower };
        let placed = pair::PosedPair { a, pose_a: &pose_a, b, pose_b: &pose_b };
        pair::compound_clearance(placed, until, Engine::Auto, &mut pair::remembering(clearance.parts), &mut trail);
    }
    of_recorded(a, pose_a, b, pose_b, clearance, &trail)
}

/// The evidence for a clearance whose search was recorded.
///
/// ```
/// use clearance::proof::{self, Trail};
/// use clearance::{Pair, Pose, Shape};
///
/// let ball = Shape::sphere(1.0)?;
/// let row = Shape::compound((0..9).map(|i| (ball.clone(), Pose::from_translation([3.0 * f64::from(i), 0.0, 0.0]))))?;
/// let (at, mut trail) = (Pose::from_translation([0.0, 4.0, 0.0]), Trail::default());
/// let c = proof::distance(&mut Pair::new(&row, &row), Pose::IDENTITY, at, &mut trail);
/// let proof = proof::of_recorded(&row, Pose::IDENTITY, &row, at, &c, &trail);
/// // Far fewer directions than the 81 pairs of parts.
/// assert!(proof.lower.cover.len() < 40 && proof.upper.is_some());
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn of_recorded(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, clearance: &Clearance, trail: &Trail) -> Proof {
    if has_mesh(a) || has_mesh(b) {
        let meshes = Meshes::new(a, pose_a, b, pose_b);
        return meshes.map(|meshes| meshes.of_clearance(clearance, trail)).unwrap_or_default();
    }
    let placed = PosedParts::new(a, pose_a, b, pose_b);
    let Some(chosen) = placed.get(clearance.parts) else { return Proof::default() };
    // The deepest or closest pair of parts proves the upper bound of the whole.
    let (direction, upper) = chosen.both_bounds(clearance);
    let lower = match is_compound(a, b) {
        true => lower_of_parts(&placed, [a, b], clearance.lower, trail),
        false => Lower::along(direction),
    };
    let witness = chosen.witness(clearance, pose_a.translation());
    let features = clearance.features(a, b);
    let features = [witness::spanning(chosen.a, features[0]), witness::spanning(chosen.b, features[1])];
    Proof { lower, upper, witness, features }
}

fn is_compound(a: &Shape, b: &Shape) -> bool {
    matches!(a, Shape::Compound(_)) || matches!(b, Shape::Compound(_))
}

/// The cover of a trail, for that lower bound.
fn lower_of_parts(placed: &PosedParts<'_>, shapes: [&Shape; 2], lower: f64, trail: &Trail) -> Lower {
    let is_moved = trail.translation() != DVec3::ZERO;
    // Where B is moved out of the way, all pairs have to be apart there.
    let needed = if is_moved { 0.0 } else { lower };
    let mut cover = trail.cover(shapes, |parts, normal| {
        let Some(pair) = placed.get(parts) else { return normal };
        pair.moved_by(trail.translation()).direction(normal, needed)
    });
    if let Some(translation) = &mut cover.translation
        && translation.length() > -lower
    {
        // The search was another one, and the way out is as long but for rounding; it has room for that.
        *translation *= (1.0 - 4.0 * f64::EPSILON) * -lower / translation.length();
    }
    cover
}

/// The evidence that two shapes have a point in common, as far as there is any: of parts that do.
///
/// ```
/// use clearance::{Pose, Shape, proof};
///
/// let ball = Shape::sphere(1.0)?;
/// let proof = proof::of_intersection(&ball, Pose::IDENTITY, &ball, Pose::from_translation([1.0, 0.0, 0.0]));
/// assert!(proof.upper.is_some());
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn of_intersection(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> Proof {
    let clearance = crate::distance(a, pose_a, b, pose_b);
    if has_mesh(a) || has_mesh(b) {
        let meshes = Meshes::new(a, pose_a, b, pose_b);
        return meshes.map(|meshes| meshes.of_intersection(&clearance)).unwrap_or_default();
    }
    let placed = PosedParts::new(a, pose_a, b, pose_b);
    let Some(pair) = placed.get(clearance.parts) else { return Proof::default() };
    let upper = pair.half_space().or_else(|| pair.common_point(clearance.normal));
    Proof { upper, ..Proof::default() }
}

/// The evidence that two shapes are farther apart than a margin: directions.
///
/// ```
/// use clearance::proof::{self, Cover};
/// use clearance::{Pose, Shape};
///
/// let ball = Shape::sphere(1.0)?;
/// let proof = proof::of_separation(&ball, Pose::IDENTITY, &ball, Pose::from_translation([9.0, 0.0, 0.0]), 5.0);
/// assert!(matches!(proof.lower.cover[..], [Cover::Along(n)] if n.x > 0.99));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn of_separation(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, margin: f64) -> Proof {
    let mut trail = Trail::default();
    if is_compound(a, b) {
        within(&mut Pair::new(a, b), pose_a, pose_b, margin, &mut trail);
    }
    of_recorded_separation(a, pose_a, b, pose_b, margin, &trail)
}

/// The evidence that two shapes are farther apart than a margin, when that search was recorded.
#[must_use]
pub fn of_recorded_separation(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, margin: f64, trail: &Trail) -> Proof {
    if has_mesh(a) || has_mesh(b) {
        let clearance = crate::distance(a, pose_a, b, pose_b);
        let meshes = Meshes::new(a, pose_a, b, pose_b);
        return meshes.map(|meshes| meshes.of_separation(margin, &clearance, trail)).unwrap_or_default();
    }
    let placed = PosedParts::new(a, pose_a, b, pose_b);
    if is_compound(a, b) {
        return Proof { lower: lower_of_parts(&placed, [a, b], margin, trail), ..Proof::default() };
    }
    let Some(pair) = placed.get([0; 2]) else { return Proof::default() };
    let mut clearance = pair.distance();
    clearance.lower = f64::INFINITY;
    Proof { lower: Lower::along(pair.both_bounds(&clearance).0), ..Proof::default() }
}

/// [`Pair::distance`], with a record of the search among the parts of compounds: what [`of_recorded`] makes evidence of.
pub fn distance(pair: &mut Pair, pose_a: Pose, pose_b: Pose, trail: &mut Trail) -> Clearance {
    *trail = Trail::default();
    pair.recorded(&pose_a, &pose_b, f64::INFINITY, trail)
}

/// [`Pair::within`], with a record of the search among the parts of compounds.
pub fn within(pair: &mut Pair, pose_a: Pose, pose_b: Pose, margin: f64, trail: &mut Trail) -> Option<Clearance> {
    *trail = Trail::default();
    Some(pair.recorded(&pose_a, &pose_b, margin, trail)).filter(|c| c.lower <= margin)
}

/// The parts of two shapes, in the world moved so that A's origin is zero: directions stay, and nothing is lost far away.
struct PosedParts<'a> {
    a: Vec<(&'a Shape, Pose)>,
    b: Vec<(&'a Shape, Pose)>,
}

/// One part of each.
struct PartPair<'a> {
    parts: [u32; 2],
    a: &'a Shape,
    pose_a: Pose,
    b: &'a Shape,
    pose_b: Pose,
    b_in_a: Frame,
}

impl<'a> PosedParts<'a> {
    fn new(a: &'a Shape, pose_a: Pose, b: &'a Shape, pose_b: Pose) -> Self {
        let parts = |shape: &'a Shape, pose: Pose| -> Vec<(&'a Shape, Pose)> {
            let pose = pose.moved_by(-pose_a.translation());
            match shape {
                Shape::Compound(compound) => {
                    compound.parts().iter().map(|part| (&part.shape, pose * part.pose)).collect()
                }
                _ => vec![(shape, pose)],
            }
        };
        Self { a: parts(a, pose_a), b: parts(b, pose_b) }
    }

    /// The pair of the parts of those numbers, if they are there.
    fn get(&self, parts: [u32; 2]) -> Option<PartPair<'a>> {
        let [i, j] = parts.map(|part| part as usize);
        (i < self.a.len() && j < self.b.len()).then(|| self.pair(i, j))
    }

    fn pair(&self, i: usize, j: usize) -> PartPair<'a> {
        let ((a, pose_a), (b, pose_b)) = (self.a[i], self.b[j]);
        PartPair { parts: [i as u32, j as u32], a, pose_a, b, pose_b, b_in_a: Frame::relative(&pose_a, &pose_b) }
    }
}

impl<'a> PartPair<'a> {
    fn distance(&self) -> Clearance {
        crate::distance(self.a, self.pose_a, self.b, self.pose_b)
    }

    /// The pair with B somewhere else.
    fn moved_by(self, translation: DVec3) -> Self {
        let pose_b = self.pose_b.moved_by(translation);
        Self { b_in_a: Frame::relative(&self.pose_a, &pose_b), pose_b, ..self }
    }

    /// A world direction along which the two are apart by a lower bound, if there is one: the normal of an answer, or a better one.
    fn direction(&self, normal: DVec3, lower: f64) -> DVec3 {
        let is_enough = |direction: DVec3| match self.sides() {
            Some([a, b]) => {
                let scale = a.bounding_radius() + b.bounding_radius() + self.b_in_a.translation.length();
                let apart = nearest::separation(&a, &b, &self.b_in_a, self.in_a(direction));
                apart - (a.radius() + b.radius()) >= lower + 8.0 * f64::EPSILON * scale
            }
            None => true,
        };
        if is_enough(normal) {
            return normal;
        }
        let mut clearance = self.distance();
        clearance.lower = f64::INFINITY;
        self.both_bounds(&clearance).0
    }

    /// A world direction in the frame of A.
    fn in_a(&self, direction: DVec3) -> DVec3 {
        self.pose_a.inverse_transform_vector(direction)
    }

    /// A world direction for the lower bound and what the upper bound rests on.
    ///
    /// The normal of an answer is the direction between its witnesses. Where those are close together it has fewer digits
    /// than the bracket, which may rest on another plane: then a search of our own looks for a better one.
    fn both_bounds(&self, clearance: &Clearance) -> (DVec3, Option<Upper>) {
        let Some([a, b]) = self.sides() else { return (clearance.normal, self.half_space()) };
        let radius = a.radius() + b.radius();
        let toward = self.in_a(clearance.normal);
        let scale = a.bounding_radius() + b.bounding_radius() + self.b_in_a.translation.length();
        let allowed = clearance.upper + radius;
        let (found, upper) = if !(allowed < 0.0) {
            let found = nearest(&a, &b, &self.b_in_a, toward);
            let points = found.witnesses();
            (found.direction, Some(Upper::Points { parts: self.parts, points }))
        } else {
            let surface = surface::around_origin(&a, &b, &self.b_in_a, toward, -allowed);
            let is_enough = surface.as_ref().is_some_and(|surface| surface.is_certain);
            let other = if is_enough { None } else { self.smooth(&a, &b, toward, -allowed) };
            match (other, surface) {
                (Some((direction, upper)), _) => (direction, Some(upper)),
                (None, Some(surface::EnclosingSurface { points, triangles, direction, .. })) => {
                    (direction, Some(Upper::Surface { parts: self.parts, points, triangles }))
                }
                (None, None) => (DVec3::ZERO, None),
            }
        };
        let separation = |direction: DVec3| nearest::separation(&a, &b, &self.b_in_a, direction);
        let is_enough = separation(toward) - radius >= clearance.lower + 4.0 * f64::EPSILON * scale;
        let is_better = found != DVec3::ZERO && separation(found) > separation(toward);
        let direction = if !is_enough && is_better { self.pose_a.transform_vector(found) } else { clearance.normal };
        (direction, upper)
    }

    /// What shows that the two have a point in common; the normal is that of an answer.
    fn common_point(&self, normal: DVec3) -> Option<Upper> {
        let [side_a, side_b] = self.sides()?;
        let (parts, toward) = (self.parts, self.in_a(normal));
        let found = nearest(&side_a, &side_b, &self.b_in_a, toward);
        if found.encloses {
            return Some(Upper::Simplex { parts, points: found.corners() });
        }
        if side_a.radius() + side_b.radius() > 0.0 {
            return Some(Upper::Points { parts, points: found.witnesses() });
        }
        // The origin may be deep inside and yet on the surface of every simplex that the search had.
        match surface::around_origin(&side_a, &side_b, &self.b_in_a, toward, 0.0) {
            Some(surface) => Some(Upper::Surface { parts, points: surface.points, triangles: surface.triangles }),
            // They touch: the points that are nearest show that there is no gap to be seen.
            None => Some(Upper::Points { parts, points: found.witnesses() }),
        }
    }

    /// What shows that no direction has a height of A - B below `needed` where no surface comes close enough, and the direction of the
    /// least height.
    fn smooth(&self, a: &ProvableCore<'_>, b: &ProvableCore<'_>, toward: DVec3, needed: f64) -> Option<(DVec3, Upper)> {
        let parts = self.parts;
        if let Some(found) = ellipsoid::inside(a, b, &self.b_in_a, toward, needed) {
            let ellipsoid::Found { share, inner, direction } = found;
            return Some((direction, Upper::Ellipsoid { parts, share, inner }));
        }
        let cells::CellTree { axis, side, nodes, direction } =
            cells::around_origin(a, b, &self.b_in_a, toward, needed)?;
        let [axis, side] = [axis, side].map(|v| self.pose_a.transform_vector(v));
        Some((direction, Upper::Cells { parts, axis, side, nodes }))
    }

    /// Members next to the witnesses of an answer; the parts are placed in a world whose origin is at `origin`.
    fn witness(&self, clearance: &Clearance, origin: DVec3) -> Option<Witness> {
        let beside = |shape: &Shape, pose: &Pose, point: DVec3, outward: DVec3| match shape {
            Shape::HalfSpace(_) => Some(Member::Plane),
            _ => witness::beside(shape, pose, point - origin, outward),
        };
        let a = beside(self.a, &self.pose_a, clearance.point_a, clearance.normal)?;
        let b = beside(self.b, &self.pose_b, clearance.point_b, -clearance.normal)?;
        Some(Witness { parts: self.parts, points: [a, b] })
    }

    /// The two as convex sets, unless one is a half-space or of the caller's own.
    fn sides(&self) -> Option<[ProvableCore<'a>; 2]> {
        Some([ProvableCore::new(self.a)?, ProvableCore::new(self.b)?])
    }

    /// Against a half-space the deepest point of the other shape says it all.
    fn half_space(&self) -> Option<Upper> {
        let points = match (self.a, self.b) {
            (Shape::HalfSpace(_), Shape::HalfSpace(_)) => [Member::Plane, Member::Plane],
            (Shape::HalfSpace(plane), b) => {
                let (_, deepest) = ProvableCore::new(b)?.support(self.b_in_a.direction_in_b(-plane.normal()));
                [Member::Plane, deepest]
            }
            (a, Shape::HalfSpace(plane)) => {
                let (_, deepest) = ProvableCore::new(a)?.support(-(self.b_in_a.rotation * plane.normal()));
                [deepest, Member::Plane]
            }
            _ => return None,
        };
        Some(Upper::Points { parts: self.parts, points })
    }
}
