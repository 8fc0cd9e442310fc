//! The fields of an answer that no bracket is about: are the witnesses on their shapes, does the normal separate, are the
//! features what the witnesses are on?
//!
//! With a closed bracket each has to be right to 1e-11 of the size, else the answer is refuted. Then the witnesses are even on the
//! boundary: the points are apart along n by the distance, which is at most `upper`. No point of A is higher along n, nor one of B lower,
//! than planes that are apart by `lower`. With an open bracket they have to be right to
//! its width, and what is not leaves the answer undecided: whoever answered said that it is not good. So does what is wrong
//! only by the evidence: the parts of compounds, the vertices of edges and faces.

use crate::check::{Case, Findings, explain};
use crate::decide::{between, core_distance};
use crate::evidence::{Distance, Feature, Member, Status, Upper};
use crate::number::{Dyadic, Interval, Number, Vector, cross, dot, scale, subtract, vector};
use crate::pairing::{Pairing, near, separation};
use crate::parts::Side;
use crate::shape::{Shape, Trouble, core_member};
use crate::tolerance::CLOSE;
use std::cmp::Ordering;

/// Corners of a face, at most. Limit: the exact test whether a point is in the face takes time linear in them, for each point.
const MOST_CORNERS: usize = 4096;

const POINT: Shape = Shape::Point {};

/// One of the two witnesses.
struct Witness<'a> {
    /// "point_a" or "point_b".
    name: &'static str,
    side: Side<'a>,
    point: [f64; 3],
    /// Out of the shape at the witness.
    outward: [f64; 3],
    member: Option<&'a Member>,
    feature: Feature,
    /// The vertices of the feature.
    vertices: &'a [u32],
}

impl<'a> Case<'a> {
    /// Checks witnesses, normal and features.
    pub fn witnesses(&self, claim: &Distance, is_endless: bool, findings: &mut Findings) {
        let width = if is_endless { 0.0 } else { claim.upper - claim.lower };
        // Planes that cross at a small angle have points in common only far away, where doubles are coarse.
        let is_closed = !is_endless && claim.status == Status::Converged;
        // Which parts the witnesses are of is known from the evidence only, and evidence refutes nothing by being wrong.
        let is_single = self.a.len() == 1 && self.b.len() == 1;
        let tolerance = self.tolerance(claim) + width;
        if !tolerance.is_finite() {
            return findings.open("point_a, point_b: the coordinates are too large for doubles".into());
        }
        let mut note = |what: Result<bool, String>, name: &str, fault: &str| match what {
            Ok(true) => {}
            Ok(false) if is_closed && is_single => findings.wrong(format!("{name} {fault}")),
            Ok(false) => findings.open(format!("{name} {fault}")),
            Err(reason) => findings.open(format!("{name}: {reason}")),
        };
        let (parts, members) = self.witness_members();
        let pair = match self.pair(parts) {
            Ok(pair) => pair,
            Err(trouble) => return note(Err(explain(trouble)), "witness", ""),
        };
        // The pair with the witnesses has to be the one that the upper bound is proved for; else its distance may be another. Triangles of
        // a mesh are one thing.
        let is_other = |upper: &Upper| {
            let bodies = |pair: Pairing<'_>| [pair.a.body, pair.b.body];
            self.pair(upper.parts()).map(bodies).ok() != Some(bodies(pair))
        };
        if self.evidence.upper.as_ref().is_some_and(is_other) {
            return note(Err("they are of other parts than the upper bound".into()), "witness", "");
        }
        if !is_endless {
            // The evidence has a point inside, and the witnesses are that point and the nearest point of the surface.
            let is_inside = matches!(self.evidence.upper, Some(Upper::Inside { .. }));
            let found = match is_closed {
                true if claim.lower <= 0.0 => self.is_normal_of_bodies(&pair, claim, tolerance),
                false if is_inside => Ok(true),
                _ => is_normal(&pair, claim, tolerance, self.size),
            };
            note(found, "normal", "does not separate by lower");
        }
        let [member_a, member_b] = members;
        let [vertices_a, vertices_b] = &self.evidence.features;
        let Distance { point_a, point_b, normal, features: [feature_a, feature_b], .. } = *claim;
        let against = normal.map(|x| -x);
        let both = [
            Witness {
                name: "point_a",
                side: pair.a,
                point: point_a,
                outward: normal,
                member: member_a,
                feature: feature_a,
                vertices: vertices_a,
            },
            Witness {
                name: "point_b",
                side: pair.b,
                point: point_b,
                outward: against,
                member: member_b,
                feature: feature_b,
                vertices: vertices_b,
            },
        ];
        for witness in both {
            note(witness.is_on_shape(tolerance), witness.name, "is not on its shape");
            note(witness.is_on_feature(2.0 * tolerance), "features", &format!("do not fit {}", witness.name));
        }
    }

    /// Do the bodies of two parts overlap by no more than the lower bound along the normal? For those that are no meshes that is what
    /// [`is_normal`] says.
    fn is_normal_of_bodies(&self, pair: &Pairing<'a>, claim: &Distance, tolerance: f64) -> Result<bool, String> {
        let is_mesh = pair.a.triangle.is_some() || pair.b.triangle.is_some();
        if !is_mesh || pair.a.is_plane() || pair.b.is_plane() {
            return is_normal(pair, claim, tolerance, self.size);
        }
        let of = |sides: &[Side<'a>], body: u32| -> Vec<Side<'a>> {
            sides.iter().filter(|side| side.body == body).copied().collect()
        };
        let (a, b) = (of(&self.a, pair.a.body), of(&self.b, pair.b.body));
        let found = self.separation_along(&a, &b, Some(claim.normal), claim.lower - tolerance);
        found.map(Ordering::is_ge).map_err(explain)
    }

    /// The parts that the witnesses are of, and why: the evidence for the upper bound may say it as well.
    fn witness_members(&self) -> ([u32; 2], [Option<&'a Member>; 2]) {
        use crate::evidence::Witness;
        match (&self.evidence.witness, &self.evidence.upper) {
            (Some(Witness { parts, a, b }), _) | (None, Some(Upper::Points { parts, a, b })) => {
                (*parts, [Some(a), Some(b)])
            }
            (None, Some(upper)) => (upper.parts(), [None; 2]),
            (None, None) => ([0; 2], [None; 2]),
        }
    }
}

/// Is a point in the frame of a part within the tolerance of it? `outward` is the direction out of the part there.
pub(crate) fn is_on_shape(
    side: &Side<'_>,
    point: [f64; 3],
    outward: [f64; 3],
    member: Option<&Member>,
    tolerance: f64,
) -> Result<bool, String> {
    let witness =
        Witness { name: "the point", side: *side, point, outward, member, feature: Feature::Surface, vertices: &[] };
    witness.is_on_shape(tolerance)
}

/// Do the two stay apart by the lower bound along the normal?
fn is_normal(pair: &Pairing<'_>, claim: &Distance, tolerance: f64, size: f64) -> Result<bool, String> {
    for (side, normal) in [(&pair.a, claim.normal), (&pair.b, claim.normal.map(|x| -x))] {
        if side.is_plane() {
            let angle = CLOSE + tolerance / size;
            return crate::filtered!(is_along_plane(side, normal, angle)).map_err(explain);
        }
    }
    match crate::filtered!(separation(pair, claim.normal, claim.lower - tolerance)) {
        Ok(found) => Ok(found.is_ge()),
        Err(trouble) => Err(explain(trouble)),
    }
}

/// Is a unit vector the normal of a half-space, to an angle?
fn is_along_plane<N: Number>(side: &Side<'_>, normal: [f64; 3], angle: f64) -> Result<bool, Trouble> {
    let Some(plane) = side.plane::<N>(&side.rigid())? else { return Ok(false) };
    let n = vector::<N>(normal);
    let across = cross(&n, &plane.normal);
    let allowed = N::of(angle).squared().times(&dot(&plane.normal, &plane.normal));
    Ok(dot(&n, &plane.normal).sign()? == Ordering::Greater
        && dot(&across, &across).compare(&allowed)? != Ordering::Greater)
}

impl Witness<'_> {
    /// Is the point within the tolerance of its shape?
    fn is_on_shape(&self, tolerance: f64) -> Result<bool, String> {
        let pair = Pairing { a: self.side, b: Side::at(&POINT, self.point, &self.side) };
        let is_near = |member: &Member| near(&pair, [member, &Member::Vertex(0)], tolerance);
        if self.side.is_plane() {
            return is_near(&Member::Plane {}).map(Ordering::is_le).map_err(explain);
        }
        let by_member = self.member.map(is_near);
        if let Some(Ok(found)) = &by_member
            && found.is_le()
        {
            return Ok(true);
        }
        if let Some(exact) = core_distance(&pair) {
            // Nothing to compare means that it is inside the core.
            return Ok(exact.compare(tolerance).is_none_or(Ordering::is_le));
        }
        let is_off =
            |direction: [f64; 3]| crate::filtered!(separation(&pair, direction, tolerance)).is_ok_and(Ordering::is_gt);
        if is_off(self.outward) || self.way_from_member().is_some_and(is_off) {
            return Ok(false);
        }
        Err(match by_member {
            Some(Err(trouble)) => explain(trouble),
            Some(Ok(_)) => "the evidence has no point of the shape that is near enough".into(),
            None => "there is no evidence that it is on its shape".into(),
        })
    }

    /// The way from the point of the evidence, or from the origin of the shape, to the witness; rounded.
    fn way_from_member(&self) -> Option<[f64; 3]> {
        let rigid = self.side.rigid::<Interval>();
        let member = self.member.and_then(|member| core_member::<Interval>(self.side.core(), member).ok());
        let (p, w) = rigid.point(&member.unwrap_or_else(|| (vector([0.0; 3]), Interval::of(1.0))));
        let probe = Side::at(&POINT, self.point, &self.side).rigid::<Interval>();
        let way = subtract(&scale(probe.shift(), &w), &p).map(|x| x.middle());
        way.iter().all(|x| x.is_finite()).then_some(way)
    }

    /// Is the point of the core behind the witness on the feature?
    fn is_on_feature(&self, tolerance: f64) -> Result<bool, String> {
        if self.feature == Feature::Surface {
            return Ok(true);
        }
        if self.side.is_plane() {
            // Its only feature; that the point is on the plane follows from the other fields.
            return Ok(self.feature == Feature::Face(0));
        }
        if let Some(triangle) = self.side.triangle
            && self.feature != Feature::Face(triangle)
        {
            // Which one it is follows from the evidence, which refutes nothing by being wrong.
            return Err(format!("the triangle of {} at {} is another one", self.feature, self.name));
        }
        let own = [match self.feature {
            Feature::Vertex(number) => number,
            _ => 0,
        }];
        let vertices = match (self.side.triangle, self.feature) {
            (Some(_), _) => &[0, 1, 2][..],
            (None, Feature::Vertex(_)) => &own[..],
            _ => self.vertices,
        };
        let mut distinct = vertices.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let fits = match self.feature {
            Feature::Edge(_) => distinct.len() == 2,
            Feature::Face(_) => distinct.len() >= 3,
            _ => true,
        };
        let Witness { feature, name, .. } = self;
        if vertices.is_empty() {
            return Err(format!("the evidence does not say which vertices {feature} at {name} has"));
        }
        if !fits || vertices.len() > MOST_CORNERS {
            return Err(format!(
                "the vertices that the evidence gives for {feature} at {name} are too few or too many"
            ));
        }
        let corners = self.corners(vertices)?;
        // The point of the core behind the witness: p - r n.
        let back = scale(&vector(self.outward), &self.side.radius::<Dyadic>());
        let probe = Side::at(&POINT, self.point, &self.side).rigid::<Dyadic>();
        let behind: Vector<Dyadic> = subtract(probe.shift(), &back);
        let exact = between(&corners, &(vec![behind], Dyadic::of(1.0)), Dyadic::zero());
        let exact = exact.ok_or_else(|| "the feature is too large to be decided".to_owned())?;
        match (exact.compare(tolerance).is_none_or(Ordering::is_le), feature) {
            (false, Feature::Edge(_) | Feature::Face(_)) => {
                Err(format!("{name} is not on {feature}, as far as the vertices of the evidence are its vertices"))
            }
            (fits, _) => Ok(fits),
        }
    }

    /// The vertices of a feature in the common frame.
    fn corners(&self, vertices: &[u32]) -> Result<(Vec<Vector<Dyadic>>, Dyadic), String> {
        let rigid = self.side.rigid::<Dyadic>();
        let place = |&vertex: &u32| -> Result<Vector<Dyadic>, Trouble> {
            let (p, w) = core_member::<Dyadic>(self.side.core(), &Member::Vertex(vertex))?;
            // Vertices have no weight; once there is no work left nothing is known.
            debug_assert!(matches!(w.compare(&Dyadic::of(1.0)), Ok(Ordering::Equal) | Err(_)));
            Ok(rigid.point(&(p, w)).0)
        };
        let placed = vertices.iter().map(place).collect::<Result<Vec<_>, _>>().map_err(explain)?;
        Ok((placed, rigid.divisor))
    }
}
