//! Contact manifolds: is each point on its shape, is its distance in its bracket, and is the gap on its line at least the lower bound?
//!
//! A point of a manifold is a place x on A and a place y on B, each in the frame of its body, with a signed distance along the normal n. The claims are those of
//! [`ManifoldClaim`]. Let `m·z <= h` be the half-space that holds all of A, with `m·n > 0`, and `k·z <= l` the one that holds all of B, with `k·n < 0`. The
//! heights h and l are computed here, from the shapes. On the line x + s n, A ends at
//! `s = (h - m·x) / m·n` at the latest, and B begins at `s = (k·x - l) / -k·n` at the earliest. So the gap on the line is at least `lower` if
//!
//! `(m·n) (k·x - l) + (-k·n) (m·x - h) >= lower (m·n) (-k·n)`.
//!
//! All of it is decided exactly. The directions m and k are evidence: wrong ones prove nothing.

use crate::check::{Case, Findings, explain, metered};
use crate::evidence::{Evidence, Feature, Member, Query, Verdict};
use crate::number::{Number, Roots, Vector, cross, dot, scale, subtract, vector};
use crate::pairing::{Pairing, heights, level};
use crate::parts::{Flat, length};
use crate::pose::{Pose, Rigid};
use crate::shape::{Homogeneous, Trouble};
use crate::tolerance::{CLOSE, UNSEEN};
use crate::witness::is_on_shape;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A contact manifold of two convex parts.
#[derive(Debug, Clone, PartialEq)]
pub struct ManifoldClaim {
    /// Unit vector of the world, from A to B.
    pub normal: [f64; 3],
    /// The parts of the two shapes, as members count them.
    pub parts: [u32; 2],
    /// How far rounding may have moved a point from the surface that it is on.
    pub rounding: f64,
    /// Its points.
    pub points: Vec<ManifoldPointClaim>,
}

/// A point of a manifold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ManifoldPointClaim {
    /// A point that is within `rounding + upper - lower` of A, in the frame of A. On a smooth surface it is right to 1e-11 of the size, as all witnesses are.
    pub point_a: [f64; 3],
    /// The same of B, in the frame of B.
    pub point_b: [f64; 3],
    /// How far the point of B is from that of A along the normal.
    pub distance: f64,
    /// That distance is at least this, and so is the gap of the shapes on the line through the point of A along the normal.
    pub lower: f64,
    /// That distance is at most this.
    pub upper: f64,
    /// How far the two points may be apart across the normal.
    pub across: f64,
    /// The features that make the point. Only smooth surfaces matter here.
    pub features: [Feature; 2],
}

/// Evidence for a manifold.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifoldEvidence {
    /// Directions of the world, out of A and out of B, whose supporting planes bound the gap. For each point one of the pairs has to.
    pub planes: Vec<[[f64; 3]; 2]>,
    /// Points of the cores next to each point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<[Member; 2]>,
}

impl ManifoldEvidence {
    /// About how many numbers it is written with.
    pub(crate) fn numbers(&self) -> u64 {
        let members = self.members.iter().flatten().map(Member::numbers).sum::<u64>();
        6 * self.planes.len() as u64 + members
    }
}

/// Decides whether a manifold is proved or refuted by evidence.
///
/// ```
/// use clearance_verify::{Evidence, Feature, ManifoldClaim, ManifoldEvidence, ManifoldPointClaim, Pose, Query, Shape, Verdict, check_manifold};
///
/// // A cube on a cube: the corner of one is half a unit above the other.
/// let cube = Shape::Cuboid { half_extents: [0.5; 3] };
/// let pose_b = Pose { translation: [0.0, 1.5, 0.0], ..Pose::IDENTITY };
/// let query = Query { a: cube.clone(), pose_a: Pose::IDENTITY, b: cube, pose_b };
/// let point = ManifoldPointClaim {
///     point_a: [0.5, 0.5, 0.5],
///     point_b: [0.5, -0.5, 0.5],
///     distance: 0.5,
///     lower: 0.5,
///     upper: 0.5,
///     across: 0.0,
///     features: [Feature::Face(3), Feature::Vertex(5)],
/// };
/// let claim = ManifoldClaim { normal: [0.0, 1.0, 0.0], parts: [0, 0], rounding: 0.0, points: vec![point] };
/// let contact = ManifoldEvidence { planes: vec![[[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]], ..ManifoldEvidence::default() };
/// let evidence = Evidence { contact: Some(contact), ..Evidence::default() };
/// assert_eq!(check_manifold(&query, &claim, &evidence), Verdict::Proved);
/// let deeper = ManifoldClaim { points: vec![ManifoldPointClaim { distance: 0.4, lower: 0.4, ..point }], ..claim };
/// assert_eq!(check_manifold(&query, &deeper, &evidence), Verdict::Proved);
/// let wrong = ManifoldClaim { points: vec![ManifoldPointClaim { upper: 0.4, distance: 0.4, lower: 0.4, ..point }], ..deeper };
/// assert!(matches!(check_manifold(&query, &wrong, &evidence), Verdict::Refuted(_)));
/// ```
#[must_use]
pub fn check_manifold(query: &Query, claim: &ManifoldClaim, evidence: &Evidence) -> Verdict {
    metered(query, evidence, 0, |case| case.manifold(claim)).0
}

impl Case<'_> {
    fn manifold(&self, claim: &ManifoldClaim) -> Verdict {
        let mut findings = Findings::default();
        if let Some(reason) = nonsense(claim) {
            return Verdict::Refuted(reason);
        }
        let pair = match self.pair(claim.parts) {
            Ok(pair) => pair,
            Err(trouble) => return Verdict::Undecided(explain(trouble)),
        };
        let nothing = ManifoldEvidence::default();
        let evidence = self.evidence.contact.as_ref().unwrap_or(&nothing);
        for (number, point) in claim.points.iter().enumerate() {
            self.along_normal(number, claim, point, &mut findings);
            let is_apart = |planes: &[[f64; 3]; 2]| {
                let place = Placed { query: self.query, point: point.point_a };
                crate::filtered!(has_gap(&pair, claim.normal, planes, &place, point.lower)) == Ok(true)
            };
            if !evidence.planes.iter().any(is_apart) {
                findings.open(format!("point {number}: no planes of the evidence prove lower = {:e}", point.lower));
            }
            let members = evidence.members.get(number).map_or([None; 2], |members| members.each_ref().map(Some));
            self.on_shapes(number, claim, point, members, &mut findings);
        }
        findings.verdict()
    }

    /// Are the two places as far apart along and across the normal as is claimed?
    fn along_normal(&self, number: usize, claim: &ManifoldClaim, point: &ManifoldPointClaim, findings: &mut Findings) {
        let ends = [point.point_a, point.point_b];
        let along = |bound: f64| crate::filtered!(compare_along(self.query, &ends, claim.normal, bound));
        match (along(point.lower), along(point.upper)) {
            (Ok(Ordering::Less), _) | (_, Ok(Ordering::Greater)) => {
                findings.wrong(format!("point {number}: the places are not between lower and upper apart"));
            }
            (Ok(_), Ok(_)) => {}
            (Err(trouble), _) | (_, Err(trouble)) => findings.open(format!("point {number}: {}", explain(trouble))),
        }
        match crate::filtered!(compare_across(self.query, &ends, claim.normal, point.across)) {
            Ok(Ordering::Greater) => findings.wrong(format!("point {number}: the places are apart across the normal")),
            Ok(_) => {}
            Err(trouble) => findings.open(format!("point {number}: {}", explain(trouble))),
        }
    }

    /// Is each place on its shape?
    fn on_shapes(
        &self,
        number: usize,
        claim: &ManifoldClaim,
        point: &ManifoldPointClaim,
        members: [Option<&Member>; 2],
        findings: &mut Findings,
    ) {
        let sides = [
            ("point_a", &self.query.a, &self.query.pose_a, point.point_a, claim.normal),
            ("point_b", &self.query.b, &self.query.pose_b, point.point_b, claim.normal.map(|x| -x)),
        ];
        for (side, (name, shape, pose, place, outward)) in sides.into_iter().enumerate() {
            let is_smooth = point.features[side] == Feature::Surface;
            let tolerance =
                claim.rounding + (point.upper - point.lower) + if is_smooth { CLOSE * self.size } else { 0.0 };
            let flat = Flat::new(shape);
            let local = flat.local_sides();
            let Some(part) = local.get(claim.parts[side] as usize) else {
                return findings.open("the claim names a part that is not there".into());
            };
            match is_on_shape(part, place, turned_back(pose, outward), members[side], tolerance) {
                Ok(true) => {}
                Ok(false) => findings.wrong(format!("point {number}: {name} is not on its shape")),
                Err(reason) => findings.open(format!("point {number}: {name}: {reason}")),
            }
        }
    }
}

/// The contradiction in the numbers of a claim, if there is one.
fn nonsense(claim: &ManifoldClaim) -> Option<String> {
    if !((length(claim.normal) - 1.0).abs() <= UNSEEN) {
        return Some(format!("the normal has length {}", length(claim.normal)));
    }
    if claim.points.is_empty() || !(claim.rounding >= 0.0 && claim.rounding.is_finite()) {
        return Some("the manifold has no points or its rounding is no length".into());
    }
    claim.points.iter().enumerate().find_map(|(number, point)| {
        let ManifoldPointClaim { point_a, point_b, distance, lower, upper, across, .. } = *point;
        let mut numbers = point_a.into_iter().chain(point_b).chain([distance, lower, upper, across]);
        if !numbers.all(f64::is_finite) {
            return Some(format!("point {number}: a number is not finite"));
        }
        let is_inside = lower <= distance && distance <= upper && across >= 0.0;
        (!is_inside)
            .then(|| format!("point {number}: the distance {distance:e} is not between {lower:e} and {upper:e}"))
    })
}

/// A direction of the world in the frame of a pose, in doubles: a hint.
fn turned_back(pose: &Pose, direction: [f64; 3]) -> [f64; 3] {
    let [x, y, z, w] = pose.rotation;
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let axis = [-x, -y, -z];
    let t = cross(axis, direction).map(|t| 2.0 * t / (x * x + y * y + z * z + w * w));
    let u = cross(axis, t);
    std::array::from_fn(|i| direction[i] + w * t[i] + u[i])
}

/// A place in the frame of A.
struct Placed<'q> {
    query: &'q Query,
    point: [f64; 3],
}

/// A place of a body in the common frame, whose origin is that of A.
fn place<N: Number>(query: &Query, pose: &Pose, point: [f64; 3]) -> Homogeneous<N> {
    let shift = subtract(&vector(pose.translation), &vector(query.pose_a.translation));
    Rigid::<N>::new(pose.rotation, &shift).point(&(vector(point), N::of(1.0)))
}

/// The vector from the point of A to that of B, over a divisor.
fn between<N: Number>(query: &Query, [a, b]: &[[f64; 3]; 2]) -> Homogeneous<N> {
    let (p, v) = place::<N>(query, &query.pose_a, *a);
    let (q, w) = place::<N>(query, &query.pose_b, *b);
    (subtract(&scale(&q, &v), &scale(&p, &w)), v.times(&w))
}

/// Are two places less than, as much as or more than a bound apart along a direction?
fn compare_along<N: Number>(
    query: &Query,
    ends: &[[f64; 3]; 2],
    normal: [f64; 3],
    bound: f64,
) -> Result<Ordering, Trouble> {
    let (d, w) = between::<N>(query, ends);
    Ok(dot(&d, &vector(normal)).compare(&w.times(&N::of(bound)))?)
}

/// The same across it.
fn compare_across<N: Number>(
    query: &Query,
    ends: &[[f64; 3]; 2],
    normal: [f64; 3],
    bound: f64,
) -> Result<Ordering, Trouble> {
    let (d, w) = between::<N>(query, ends);
    let n: Vector<N> = vector(normal);
    let off = cross(&n, &d);
    let allowed = w.times(&N::of(bound)).squared().times(&dot(&n, &n));
    Ok(dot(&off, &off).compare(&allowed)?)
}

/// Is the gap of two parts on the line through a place along the normal at least a bound, by these planes?
fn has_gap<N: Number>(
    pair: &Pairing<'_>,
    normal: [f64; 3],
    planes: &[[f64; 3]; 2],
    Placed { query, point }: &Placed<'_>,
    bound: f64,
) -> Result<bool, Trouble> {
    let n: Vector<N> = vector(normal);
    let (p, w) = place::<N>(query, &query.pose_a, *point);
    // Each with its plane, d times the heights along it, and d.
    let side = |side: &crate::parts::Side<'_>, direction: [f64; 3]| -> Result<_, Trouble> {
        let rigid = side.rigid::<N>();
        if let Some(plane) = side.plane(&rigid)? {
            let height = level(&rigid, &plane);
            return Ok((plane.normal, vec![height], rigid.divisor));
        }
        if !direction.iter().all(|x| x.is_finite()) {
            return Err(Trouble::Fault("a direction is not finite".into()));
        }
        let m: Vector<N> = vector(direction);
        // The ball around the core.
        let ball = rigid.divisor.times(&side.radius());
        let reaches = heights(side, &rigid, &m).into_iter().map(|height| height.and_root(ball.clone(), dot(&m, &m)));
        Ok((m.clone(), reaches.collect(), rigid.divisor))
    };
    let (m, heights_a, d) = side(&pair.a, planes[0])?;
    let (k, heights_b, e) = side(&pair.b, planes[1])?;
    let (alpha, beta) = (dot(&m, &n), dot(&k, &n).negated());
    if alpha.sign()? != Ordering::Greater || beta.sign()? != Ordering::Greater {
        return Ok(false);
    }
    if heights_a.is_empty() || heights_b.is_empty() {
        return Err(Trouble::Fault("a part is neither convex nor a half-space".into()));
    }
    // Times w d e, which is positive.
    let both = d.times(&e);
    let needed = alpha.times(&beta).times(&w).times(&both).times(&N::of(bound));
    let places = alpha.times(&dot(&k, &p)).plus(&beta.times(&dot(&m, &p))).times(&both).minus(&needed);
    for height_a in &heights_a {
        for height_b in &heights_b {
            let of_a = height_a.times(&beta.times(&w).times(&e).negated());
            let of_b = height_b.times(&alpha.times(&w).times(&d).negated());
            if of_a.plus(&of_b).plus(&Roots::plain(places.clone())).sign()? == Ordering::Less {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
