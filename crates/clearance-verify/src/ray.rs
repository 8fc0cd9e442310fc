//! Rays: is one segment of the ray free of a shape, and does another one meet it?
//!
//! The points of a ray are o + s d, with its origin o and its direction d as they are written, and are s |d| away from the origin. So a
//! query is about a segment, from o to o + s d, and nothing has to be rounded. With a double s the segment is exact, and squares show
//! whether s |d| is at least the claimed distance. That a segment and a shape are apart is proved by directions and covers, that they
//! have a point in common by points, as for any two shapes that rest (`apart.rs`).
//!
//! - No point of the shape before `lower`, or at all: a segment with s |d| >= `lower` or `max` is apart from the shape.
//! - A point of the shape by `upper`: a segment with s |d| <= `upper` has a point in common with it. Both together say that the first such
//!   point of the ray is between the two.
//!
//! Both segments end next to the surface, as close to it as doubles are to each other, and the directions of evidence are doubles as well. So where
//! the part that is hit is a polytope, or has one for its core, GJK in exact arithmetic compares it with the segment (`decide.rs`). For other
//! parts their inequalities decide, with 256 bits, whether the end of the segment is inside.
//!
//! - The ray begins inside: with s = 0 it has a point in common.
//! - The normal: the part that is hit reaches no higher along it than where it is hit, and it is not along the ray.

use crate::check::{Case, Findings, explain, metered};
use crate::cover;
use crate::decide::core_distance;
use crate::evidence::{Evidence, Lower, Member, Query, Verdict};
use crate::number::{Interval, Number, Real, Vector, Wide, cross, dot, scale, subtract, vector};
use crate::pairing::{Pairing, separation};
use crate::parts::{Flat, Side, length};
use crate::pose::Pose;
use crate::shape::{Shape, Trouble, contains};
use crate::solid::Body;
use crate::tolerance::{self, CLOSE};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Parts of a leaf that are compared with a segment exactly. Limit: each takes an exact search.
const MOST_EXACT: usize = 16;

/// A shape and a ray.
#[derive(Debug, Clone, PartialEq)]
pub struct RayQuery {
    /// The shape.
    pub a: Shape,
    /// Where it is.
    pub pose_a: Pose,
    /// Where the ray begins.
    pub origin: [f64; 3],
    /// Where it goes, a vector of any length but zero.
    pub direction: [f64; 3],
    /// How far at most: a length.
    pub max: f64,
}

/// A claim about a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RayClaim {
    /// It has no point of the shape.
    Miss,
    /// Its first point of the shape is there.
    Hit(RayHitClaim),
}

/// The first point of a ray in a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHitClaim {
    /// How far it is from the origin, between the bounds.
    pub distance: f64,
    /// The ray has no point of the shape before.
    pub lower: f64,
    /// It has one by then; infinite if nothing is claimed.
    pub upper: f64,
    /// The point.
    pub point: [f64; 3],
    /// The unit normal of the surface there; against the ray if that begins inside.
    pub normal: [f64; 3],
    /// Does the ray begin inside? That it does not is no claim.
    pub inside: bool,
}

/// Which pieces of a ray the evidence is about: [`Evidence::lower`] keeps the shape apart from the one, a part has a point of the other.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RayEvidence {
    /// s of the piece that is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<f64>,
    /// s of the piece that has a point of the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<f64>,
    /// The part that has the point; of a solid that the ray begins in any triangle.
    #[serde(default)]
    pub part: u32,
}

impl RayQuery {
    fn fault(&self) -> Option<String> {
        let numbers = self.origin.iter().chain(&self.direction);
        if !(numbers.into_iter().all(|x| x.is_finite()) && self.max >= 0.0 && self.max < f64::INFINITY) {
            return Some("a number of the ray is not finite, or max is negative".into());
        }
        (self.direction == [0.0; 3]).then(|| "the direction of the ray is zero".into())
    }

    /// The shape and a piece of the ray.
    fn piece(&self, s: f64) -> Query {
        let segment = Shape::Segment { a: [0.0; 3], b: self.direction };
        let matrix = [[s, 0.0, 0.0], [0.0, s, 0.0], [0.0, 0.0, s]];
        let b = Shape::Affine { shape: Box::new(segment), matrix };
        let pose_b = Pose { translation: self.origin, ..Pose::IDENTITY };
        Query { a: self.a.clone(), pose_a: self.pose_a, b, pose_b }
    }

    /// Is the length of a piece less than, equal to or greater than a number that is not negative?
    fn compare(&self, s: f64, length: f64) -> Result<Ordering, Trouble> {
        crate::filtered!(compare_length(self.direction, s, length))
    }
}

fn compare_length<N: Number>(direction: [f64; 3], s: f64, length: f64) -> Result<Ordering, Trouble> {
    let d: Vector<N> = vector(direction);
    Ok(dot(&d, &d).times(&N::of(s).squared()).compare(&N::of(length).squared())?)
}

/// Decides whether a claim about a ray is proved or refuted by evidence.
///
/// ```
/// use clearance_verify::{Evidence, Lower, Pose, RayClaim, RayEvidence, RayQuery, Shape, Verdict, check_ray};
///
/// // Past a ball of radius 1, at a distance of 2.
/// let query = RayQuery { a: Shape::Sphere { radius: 1.0 }, pose_a: Pose::IDENTITY, origin: [-9.0, 2.0, 0.0], direction: [2.0, 0.0, 0.0], max: 18.0 };
/// let ray = Some(RayEvidence { free: Some(9.0), ..RayEvidence::default() });
/// let evidence = Evidence { lower: Some(Lower::along([0.0, 1.0, 0.0])), ray, ..Evidence::default() };
/// assert_eq!(check_ray(&query, &RayClaim::Miss, &evidence), Verdict::Proved);
/// let farther = RayQuery { max: 19.0, ..query };
/// assert!(matches!(check_ray(&farther, &RayClaim::Miss, &evidence), Verdict::Undecided(_)));
/// ```
#[must_use]
pub fn check_ray(query: &RayQuery, claim: &RayClaim, evidence: &Evidence) -> Verdict {
    check_ray_counted(query, claim, evidence).0
}

/// The verdict of [`check_ray`], and how many operations it took.
#[must_use]
pub fn check_ray_counted(query: &RayQuery, claim: &RayClaim, evidence: &Evidence) -> (Verdict, u64) {
    if let Some(fault) = query.fault() {
        return (Verdict::Undecided(format!("the query cannot be computed with: {fault}")), 0);
    }
    if let RayClaim::Hit(hit) = claim
        && let Some(reason) = nonsense(query, hit)
    {
        return (Verdict::Refuted(reason), 0);
    }
    let pieces = evidence.ray.unwrap_or_default();
    let is_piece = |s: Option<f64>| s.is_none_or(|s| (0.0..f64::INFINITY).contains(&s));
    if !is_piece(pieces.free) || !is_piece(pieces.met) {
        return (Verdict::Undecided("a piece of the ray is negative or not finite".into()), 0);
    }
    // The free segment; without one a point, which is not used.
    let whole = query.piece(pieces.free.unwrap_or(0.0));
    metered(&whole, evidence, 0, |case| Check { query, evidence, pieces, case }.verdict(claim))
}

/// The contradiction in the numbers of a hit, if there is one.
fn nonsense(query: &RayQuery, hit: &RayHitClaim) -> Option<String> {
    let RayHitClaim { distance, lower, upper, point, normal, .. } = *hit;
    if !(distance.is_finite() && lower.is_finite() && [point, normal].iter().flatten().all(|x| x.is_finite())) {
        return Some("a number of the answer is not a number".into());
    }
    if !(0.0 <= lower && lower <= distance && distance <= upper) {
        return Some(format!("the distance {distance:e} is not between lower = {lower:e} and upper = {upper:e}"));
    }
    if lower > query.max {
        return Some(format!("lower = {lower:e} is beyond max"));
    }
    if !((length(normal) - 1.0).abs() <= CLOSE) {
        return Some(format!("the normal has length {}", length(normal)));
    }
    None
}

struct Check<'c, 'a> {
    query: &'c RayQuery,
    evidence: &'c Evidence,
    pieces: RayEvidence,
    /// The shape and the free piece.
    case: &'c Case<'a>,
}

impl Check<'_, '_> {
    fn verdict(&self, claim: &RayClaim) -> Verdict {
        let mut findings = Findings::default();
        match claim {
            RayClaim::Miss => {
                if self.is_met_by(self.query.max) == Ok(true) {
                    findings.wrong("it has a point of the shape, as the evidence shows".into());
                }
                self.is_free(self.query.max, &mut findings);
            }
            RayClaim::Hit(hit) => self.hit(hit, &mut findings),
        }
        findings.verdict()
    }

    fn hit(&self, hit: &RayHitClaim, findings: &mut Findings) {
        let RayHitClaim { lower, upper, inside, .. } = *hit;
        if lower > 0.0 {
            // A point before it, and by how much, is seen from squares.
            if let (Some(met), Ok(true)) = (self.pieces.met, self.is_met_by(f64::INFINITY))
                && self.query.compare(met, lower) == Ok(Ordering::Less)
            {
                return findings.wrong(format!("it has a point of the shape before lower = {lower:e}"));
            }
            self.is_free(lower, findings);
        }
        if upper == f64::INFINITY {
            findings.open("upper is null, which claims nothing".into());
        } else {
            match self.is_met_by(upper) {
                Ok(true) => {}
                Ok(false) => {
                    findings.open("upper: the evidence has no point of the ray that is in the shape by then".into())
                }
                Err(trouble) => findings.open(format!("upper: {}", explain(trouble))),
            }
        }
        if inside && lower > 0.0 {
            return findings.wrong("it begins inside, but has no point of the shape before lower".into());
        }
        if inside && self.is_met_by(0.0) != Ok(true) {
            findings.open("inside: the evidence does not show that it begins inside".into());
        }
        self.point(hit, findings);
        self.normal(hit, findings);
    }

    /// Is the ray free of the shape up to a distance?
    fn is_free(&self, distance: f64, findings: &mut Findings) {
        let Some(free) = self.pieces.free else {
            return findings.open("there is nothing for a piece of the ray that is free".into());
        };
        match self.query.compare(free, distance) {
            Ok(Ordering::Less) => return findings.open(format!("the piece that is free ends before {distance:e}")),
            Err(trouble) => return findings.open(explain(trouble)),
            Ok(_) => {}
        }
        match self.is_apart() {
            Ok(true) => {}
            Ok(false) => findings.open("the ray is not apart from the shape along the directions".into()),
            Err(trouble) => findings.open(explain(trouble)),
        }
    }

    /// Is the free piece apart from the shape? Along the directions of a cover, or else part by part.
    fn is_apart(&self) -> Result<bool, Trouble> {
        let one = Lower::along(self.query.direction);
        let lower = self.evidence.lower.as_ref().unwrap_or(&one);
        if lower.translation.is_some() {
            return Err(Trouble::Fault("a translation is given for a ray".into()));
        }
        let leaves = cover::leaves(lower, self.case.counts())?;
        let (a, b) = (cover::ordered(&self.case.a, &lower.a)?, cover::ordered(&self.case.b, &lower.b)?);
        for leaf in &leaves {
            let (a, b) = (&a[leaf.a.clone()], &b[leaf.b.clone()]);
            let found = self.case.separation_along(a, b, Some(leaf.along), 0.0);
            if found == Ok(Ordering::Greater) {
                continue;
            }
            let is_beyond = |&a: &Side<'_>| {
                let exact = b.iter().all(|&b| {
                    core_distance(&Pairing { a, b }).and_then(|exact| exact.compare(0.0)) == Some(Ordering::Greater)
                });
                !a.is_plane() && exact
            };
            if a.len() > MOST_EXACT || !a.iter().all(is_beyond) {
                return found.map(|_| false);
            }
        }
        // One direction for all separates the hulls.
        let has_mesh = self.case.bodies()[0].iter().any(|body| body.mesh.is_some());
        Ok(!has_mesh || !self.case.contained()?)
    }

    /// Does the evidence have a point of the ray, no farther than a distance, that is in the shape?
    fn is_met_by(&self, distance: f64) -> Result<bool, Trouble> {
        let Some(met) = self.pieces.met else {
            return Err(Trouble::Fault("there is nothing for a point of the ray".into()));
        };
        if distance < f64::INFINITY && self.query.compare(met, distance)? == Ordering::Greater {
            return Ok(false);
        }
        let piece = self.query.piece(met);
        let flat = [Flat::new(&piece.a), Flat::new(&piece.b)];
        let case = Case::new(&piece, &flat, self.evidence);
        let pair = case.pair([self.pieces.part, 0])?;
        if pair.a.is_plane() {
            // The lower of its ends, or any if it is level.
            return crate::filtered!(separation(&pair, [0.0; 3], 0.0)).map(Ordering::is_le);
        }
        if let Some(exact) = core_distance(&pair) {
            if exact.intersects() {
                return Ok(true);
            }
            // In a solid no triangle needs to be met.
            let solid = case.bodies()[0].get(pair.a.body as usize).and_then(Body::solid);
            let start = Member::Image(Box::new(Member::Vertex(0)));
            return match solid {
                Some(solid) => Ok(solid.bound(&pair.b, &start, 0.0).is_ok_and(Ordering::is_le)),
                None => Ok(false),
            };
        }
        // The end of the piece, from the origin of A's pose.
        let [to, from] = [self.query.origin, self.query.pose_a.translation];
        let end: Vector<Wide> = std::array::from_fn(|i| {
            let along = Wide::of(met).times(&Wide::of(self.query.direction[i]));
            Wide::of(to[i]).minus(&Wide::of(from[i])).plus(&along)
        });
        // x = (M y + T) / d, and M is d times a rotation: y = Mᵀ (d x - T) / d².
        let rigid = pair.a.rigid::<Wide>();
        let moved = subtract(&scale(&end, &rigid.divisor), rigid.shift());
        let turned = rigid.local_direction(&moved);
        let square = rigid.divisor.squared();
        let [x, y, z] = turned.map(|x| x.quotient(&square));
        holds(pair.a.shape, &[x?, y?, z?])
    }

    /// How far off points and normals may be, where the bracket is that wide.
    fn tolerance(&self, hit: &RayHitClaim, width: f64) -> f64 {
        let far = length(self.query.origin) + hit.distance + length(self.query.pose_a.translation);
        let size = self.case.a.iter().map(Side::size).fold(0.0, f64::max);
        tolerance::of_witness(size, far, width)
    }

    /// Is the point where the ray is at its distance?
    fn point(&self, hit: &RayHitClaim, findings: &mut Findings) {
        let tolerance = self.tolerance(hit, 0.0);
        let Some(unit) = self.unit() else {
            return findings.open("point: the direction is too long or too short".into());
        };
        let at = |i: usize| Interval::of(self.query.origin[i]).plus(&Interval::of(hit.distance).times(&unit[i]));
        let off: Vector<Interval> = std::array::from_fn(|i| Interval::of(hit.point[i]).minus(&at(i)));
        let off = dot(&off, &off).root();
        // Written so that NaN is off.
        if off.low() > tolerance {
            findings.wrong(format!("point is {:e} away from where the ray is at its distance", off.low()));
        } else if !(off.high() <= tolerance) {
            findings.open("point: whether it is on the ray cannot be decided".into());
        }
    }

    /// The unit vector along the ray, divided by the largest coordinate first.
    fn unit(&self) -> Option<Vector<Interval>> {
        let largest = self.query.direction.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let scaled: Vector<Interval> = self.query.direction.map(|x| Interval::of(x) / Interval::of(largest));
        let size = dot(&scaled, &scaled).root();
        let unit = scaled.map(|x| x / size);
        unit.iter().all(Real::is_known).then_some(unit)
    }

    /// Does the part that is hit stay below the point along the normal, and is that not along the ray?
    fn normal(&self, hit: &RayHitClaim, findings: &mut Findings) {
        let RayHitClaim { point, normal, inside, .. } = *hit;
        let Some(unit) = self.unit() else {
            return findings.open("normal: the direction is too long or too short".into());
        };
        let along = dot(&unit, &normal.map(Interval::of));
        if inside {
            // n = -u: then |n + u|² = 2 + 2 n·u is zero.
            let sum: Vector<Interval> = std::array::from_fn(|i| unit[i].plus(&Interval::of(normal[i])));
            if !(dot(&sum, &sum).root().high() <= 4.0 * CLOSE) {
                findings.wrong("normal is not against the ray, which begins inside".into());
            }
            return;
        }
        let has_parts = self.case.a.len() > 1;
        if along.low() > 4.0 * CLOSE {
            // Through an edge of a mesh or from part to part a face may be met from behind.
            let reason = "normal: it is along the ray".to_owned();
            return if has_parts { findings.open(reason) } else { findings.wrong(reason) };
        }
        let Some(&side) = self.case.a.get(self.pieces.part as usize) else {
            return findings.open("the evidence names a part that is not there".into());
        };
        // A point that moves out by the tolerance is apart from the part along the normal. Half-spaces have normals of their own.
        // Without an upper bound the surface may be anywhere from the lower one up to the point.
        let width = if hit.upper < f64::INFINITY { hit.upper - hit.lower } else { hit.distance - hit.lower };
        let tolerance = self.tolerance(hit, width);
        if side.is_plane() {
            match is_normal_of(&side, normal) {
                Ok(true) => {}
                Ok(false) => findings.wrong("normal is not that of the half-space".into()),
                Err(trouble) => findings.open(format!("normal: {}", explain(trouble))),
            }
            return;
        }
        let pair = Pairing { a: side, b: Side::at(&Shape::Point {}, point, &side) };
        match crate::filtered!(separation(&pair, normal, -tolerance)) {
            Ok(found) if found.is_ge() => {}
            Ok(_) if has_parts => findings.open("normal: the part of the evidence reaches higher along it".into()),
            Ok(_) => findings.wrong("normal is not that of the surface".into()),
            Err(trouble) => findings.open(format!("normal: {}", explain(trouble))),
        }
    }
}

/// Is a unit vector the normal of a half-space, but for rounding?
fn is_normal_of(side: &Side<'_>, normal: [f64; 3]) -> Result<bool, Trouble> {
    let Some(plane) = side.plane::<Interval>(&side.rigid())? else { return Ok(false) };
    let size = dot(&plane.normal, &plane.normal).root();
    let off: Vector<Interval> = std::array::from_fn(|i| (plane.normal[i] / size).minus(&Interval::of(normal[i])));
    let off = dot(&off, &off).root();
    if off.high() <= 4.0 * CLOSE {
        Ok(true)
    } else if off.low() > 4.0 * CLOSE {
        Ok(false)
    } else {
        Err(Trouble::Unclear)
    }
}

/// Is a point of its frame in a shape that is given by inequalities?
fn holds(shape: &Shape, p: &Vector<Wide>) -> Result<bool, Trouble> {
    let within = |off: &Vector<Wide>, radius: f64| -> Result<bool, Trouble> {
        Ok(dot(off, off).compare(&Wide::of(radius).squared())?.is_le())
    };
    // How far a coordinate is beyond an interval about zero.
    let beyond = |x: &Wide, half: f64| {
        let [above, below] = [x.minus(&Wide::of(half)), x.negated().minus(&Wide::of(half))];
        above.larger(&below).larger(&Wide::zero())
    };
    match shape {
        Shape::Capsule { radius, half_height } => {
            within(&[p[0].clone(), beyond(&p[1], *half_height), p[2].clone()], *radius)
        }
        Shape::Rounded { shape, radius } => match &**shape {
            Shape::Cuboid { half_extents } => within(&std::array::from_fn(|i| beyond(&p[i], half_extents[i])), *radius),
            Shape::Cylinder { radius: across, half_height } => {
                let far = p[0].squared().plus(&p[2].squared()).root();
                within(&[beyond(&far, *across), beyond(&p[1], *half_height), Wide::zero()], *radius)
            }
            _ => Err(Trouble::Fault("nothing is known of a point in such a shape".into())),
        },
        Shape::Affine { shape, matrix } => {
            // The image of y is x = M y: y = Cᵀ x / det M, with the cofactors C.
            let rows = matrix.map(vector::<Wide>);
            let cofactors = [cross(&rows[1], &rows[2]), cross(&rows[2], &rows[0]), cross(&rows[0], &rows[1])];
            let determinant = dot(&rows[0], &cofactors[0]);
            let part = |i: usize| {
                let sum = (0..3).fold(Wide::zero(), |sum, j| sum.plus(&cofactors[j][i].times(&p[j])));
                sum.quotient(&determinant)
            };
            holds(shape, &[part(0)?, part(1)?, part(2)?])
        }
        Shape::Sphere { .. }
        | Shape::Cuboid { .. }
        | Shape::Cylinder { .. }
        | Shape::Cone { .. }
        | Shape::Ellipsoid { .. } => contains(shape, p),
        _ => Err(Trouble::Fault("nothing is known of a point in such a shape".into())),
    }
}
