//! The contact of a hit: points of both bodies that meet, and the normal there.
//!
//! Each point is taken back into the frame of its body, with 256 bits. It has to be on the shape there to 1e-11 of the size, as witnesses
//! of distances have to be, and to the rounding of doubles for distant places and many turns. The bodies may overlap by no more than that
//! along the normal. Of shapes with many parts it is the two that meet that the points are on and the normal separates.

use super::chain::gap_along;
use super::course::{Course, Law};
use super::{LIMIT, LIMIT_PER_NUMBER, MovingQuery};
use crate::check::explain;
use crate::evidence::{Evidence, Member, Query, Verdict};
use crate::number::{Number, Real, Vector, Wide, map, meter, norm, transpose, vector};
use crate::parts::{Flat, Side, length};
use crate::pose::Pose;
use crate::shape::Trouble;
use crate::tolerance::{self, CLOSE};
use crate::witness::is_on_shape;

/// Two points that meet, and the unit vector from A to B there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactClaim {
    /// When.
    pub time: f64,
    /// The point of A, in the world.
    pub point_a: [f64; 3],
    /// The point of B.
    pub point_b: [f64; 3],
    /// The normal.
    pub normal: [f64; 3],
    /// May the bodies overlap? Then the points are as far from each other along the normal as that is deep.
    pub may_overlap: bool,
}

/// Decides whether two points are on their bodies at a time and next to each other, and a normal separates these but for rounding.
///
/// Of curved shapes the evidence has to say which of their points are next to the two ([`Evidence::witness`]).
#[must_use]
pub fn check_contact(query: &MovingQuery, contact: &ContactClaim, evidence: &Evidence) -> Verdict {
    if let Some(fault) = query.fault() {
        return Verdict::Undecided(format!("the query cannot be computed with: {fault}"));
    }
    let numbers = [contact.point_a, contact.point_b, contact.normal].concat();
    if !contact.time.is_finite() || !numbers.iter().all(|x| x.is_finite()) {
        return Verdict::Refuted("a number of the contact is not a number".into());
    }
    if !((length(contact.normal) - 1.0).abs() <= CLOSE) {
        return Verdict::Refuted(format!("the normal has length {}", length(contact.normal)));
    }
    let Query { a, b, .. } = &query.start;
    let limit = LIMIT + LIMIT_PER_NUMBER * (a.numbers() + b.numbers() + evidence.numbers());
    meter::start(limit);
    let found = look(query, contact, evidence);
    let is_exhausted = meter::is_exhausted();
    meter::start(u64::MAX);
    match found {
        _ if is_exhausted => Verdict::Undecided(format!("checking the contact takes more than {limit} operations")),
        Ok(None) => Verdict::Proved,
        // How good the witnesses of an overlap are depends on a bracket that nothing is said about.
        Ok(Some(wrong)) if contact.may_overlap => Verdict::Undecided(wrong),
        Ok(Some(wrong)) => Verdict::Refuted(wrong),
        Err(trouble) => Verdict::Undecided(explain(trouble)),
    }
}

/// A body at the time of the contact.
struct Placed {
    /// The point in its frame, and the direction out of it.
    point: [f64; 3],
    outward: [f64; 3],
    /// How far its origin is from the world's, and what doubles make of its turns.
    far: f64,
    turned: f64,
}

impl Placed {
    fn new(
        pose: &Pose,
        motion: &super::Motion,
        time: f64,
        point: [f64; 3],
        outward: [f64; 3],
    ) -> Result<Self, Trouble> {
        let (law, _) = Law::at(pose, motion, time);
        let course = Course::<Wide>::new(&law)?;
        let rotation = course.rotation_at(time);
        let origin = course.origin_at(time, &rotation);
        let way: Vector<Wide> = std::array::from_fn(|i| Wide::of(point[i]).minus(&origin[i]));
        let back = transpose(&rotation);
        let middle = |v: Vector<Wide>| v.map(|x| 0.5 * x.low() + 0.5 * x.high());
        let turned = course.spin.as_ref().map_or(0.0, |spin| spin.rate.high() * course.elapsed(time).high().abs());
        Ok(Self {
            point: middle(map(&back, &way)),
            outward: middle(map(&back, &vector(outward))),
            far: norm(&origin).high(),
            turned,
        })
    }
}

/// The contradiction in a contact, if there is one.
fn look(query: &MovingQuery, contact: &ContactClaim, evidence: &Evidence) -> Result<Option<String>, Trouble> {
    let MovingQuery { start: Query { a, pose_a, b, pose_b }, motion_a, motion_b, .. } = query;
    let ContactClaim { time, point_a, point_b, normal, may_overlap } = *contact;
    let against = normal.map(|x| -x);
    let on_a = Placed::new(pose_a, motion_a, time, point_a, normal)?;
    let on_b = Placed::new(pose_b, motion_b, time, point_b, against)?;
    let flat = [Flat::new(a), Flat::new(b)];
    let sides = flat.each_ref().map(Flat::local_sides);
    // Of shapes with parts the evidence says which of them meet.
    let parts = evidence.witness.as_ref().map_or([0; 2], |witness| witness.parts);
    let (Some(part_a), Some(part_b)) = (sides[0].get(parts[0] as usize), sides[1].get(parts[1] as usize)) else {
        return Err(Trouble::Fault("the evidence names a part that is not there".into()));
    };
    let has_parts = sides.iter().any(|sides| sides.len() > 1);
    if evidence.witness.is_none() && has_parts {
        return Err(Trouble::Fault("there is nothing for the points that meet".into()));
    }
    let reach = |part: &Side<'_>, placed: &Placed| if part.is_plane() { length(placed.point) } else { part.size() };
    let (reach_a, reach_b) = (reach(part_a, &on_a), reach(part_b, &on_b));
    let far = length(point_a) + length(point_b) + on_a.far + on_b.far;
    let turned = on_a.turned * reach_a + on_b.turned * reach_b;
    let tolerance = tolerance::of_witness(reach_a + reach_b, far + turned, 0.0);
    if !tolerance.is_finite() {
        return Err(Trouble::Fault("the coordinates of the contact are too large for doubles".into()));
    }
    let way: [f64; 3] = std::array::from_fn(|i| point_b[i] - point_a[i]);
    // How deep they overlap by the points.
    let along = (0..3).map(|i| way[i] * normal[i]).sum::<f64>();
    let deep = if may_overlap { (-along).max(0.0) } else { 0.0 };
    let off = length(std::array::from_fn(|i| way[i] + deep * normal[i]));
    if off > 4.0 * tolerance {
        return Ok(Some(format!("point_b is {off:e} away from point_a, which it meets")));
    }
    let members: [Option<&Member>; 2] =
        evidence.witness.as_ref().map_or([None; 2], |witness| [Some(&witness.a), Some(&witness.b)]);
    let of_parts = [("point_a", part_a, &on_a, members[0]), ("point_b", part_b, &on_b, members[1])];
    for (name, side, placed, member) in of_parts {
        match is_on_shape(side, placed.point, placed.outward, member, tolerance) {
            Ok(true) => {}
            // Which part it is the evidence says, which refutes nothing by being wrong.
            Ok(false) if has_parts => return Err(Trouble::Fault(format!("{name} is not on the part of the evidence"))),
            Ok(false) => return Ok(Some(format!("{name} is not on its shape"))),
            Err(reason) => return Err(Trouble::Fault(format!("{name}: {reason}"))),
        }
    }
    let gap = gap_along(query, [part_a, part_b], normal, time, CLOSE)?;
    match gap.high() < -tolerance - deep {
        true if has_parts => Err(Trouble::Fault("normal does not separate the parts of the evidence".into())),
        is_off => Ok(is_off.then(|| "normal does not separate the bodies".into())),
    }
}
