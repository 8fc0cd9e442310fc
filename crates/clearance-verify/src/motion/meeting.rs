//! Two bodies at one time.
//!
//! The poses of the evidence are doubles, and the true ones have sines. If no point of A is farther from its place in the evidence than one
//! length, and no point of B than another, then no height changes by more than these. Neither does the signed distance, which is the
//! largest separation of heights (both bodies are convex). Moving both by one translation changes nothing.
//!
//! A point x of a body at a pose (R, t) is at R x + t: with a rotation that differs by D it moves by |D| |x| at most. Only the core counts,
//! since a ball is rotated into itself. A core that is symmetric about a line depends on that line only, whatever the rotation about it.
//! For R and R' Q, with a Q about the line, differ by no more than the images of a unit vector along it. A half-space extends without
//! end, but its distance from a body depends on its normal and the points of that body only. They are no farther from its origin than the
//! distance of both origins and the extent of the body.
//!
//! Of shapes with many parts the evidence is about one part of each, and what holds for these holds for the wholes. A point that is inside
//! of a solid is away from its surface by the bound. As long as neither moves by as much, however that comes about, no triangle gets to the
//! point, and the winding number of the surface stays.

use super::body::{reach_of, symmetry};
use super::chain::{apart_at, placed};
use super::course::rotation;
use super::{Meeting, MovingQuery};
use crate::check::is_at_most;
use crate::evidence::{Evidence, Query, Upper};
use crate::number::{Matrix, Number, Real, Vector, Wide, map, norm};
use crate::parts::Side;
use crate::pose::Pose;
use crate::shape::Trouble;

/// An upper bound of the signed distance at the time of the evidence.
pub(super) fn bound(query: &MovingQuery, sides: [&[Side<'_>]; 2], meeting: &Meeting) -> Result<f64, Trouble> {
    let fault = |what: &str| Err(Trouble::Fault(what.into()));
    let Meeting { time, pose_a, pose_b, bound, upper } = meeting;
    if pose_a.fault().or_else(|| pose_b.fault()).is_some() || !bound.is_finite() {
        return fault("a number of the meeting is not finite");
    }
    if !(*time >= query.from && *time <= query.until) {
        return fault("the meeting is not in the interval of the query");
    }
    let off = displacement(query, named(sides, upper)?, *time, [pose_a, pose_b])?;
    let there = Query { pose_a: *pose_a, pose_b: *pose_b, ..query.start.clone() };
    let evidence = Evidence { upper: Some(upper.clone()), ..Evidence::default() };
    if !is_at_most(&there, &evidence, *bound)? {
        return fault("the points of the meeting do not prove its bound");
    }
    let sum = Wide::of(*bound).plus(&off).high();
    if sum.is_finite() { Ok(sum) } else { fault("the meeting is too far away") }
}

/// How far some parts of both bodies are at a time from where they would be at two poses, at most, as distances go.
pub(super) fn displacement(
    query: &MovingQuery,
    [a, b]: [&[Side<'_>]; 2],
    time: f64,
    [pose_a, pose_b]: [&Pose; 2],
) -> Result<Wide, Trouble> {
    let (way, rotations) = placed::<Wide>(query, time)?;
    let [to, from] = [pose_b.translation, pose_a.translation];
    let written: Vector<Wide> = std::array::from_fn(|i| Wide::of(to[i]).minus(&Wide::of(from[i])));
    let moved = norm(&std::array::from_fn(|i| way[i].minus(&written[i])));
    let turned_a = difference(a, &rotations[0], pose_a)?.times(&reach(a, b, &way)?);
    let turned_b = difference(b, &rotations[1], pose_b)?.times(&reach(b, a, &way)?);
    Ok(moved.plus(&turned_a).plus(&turned_b))
}

/// The parts that evidence is about: one of each, or all of the body that is a solid.
fn named<'s, 'a>(sides: [&'s [Side<'a>]; 2], upper: &Upper) -> Result<[&'s [Side<'a>]; 2], Trouble> {
    let [i, j] = upper.parts().map(|part| part as usize);
    let [of_a, of_b] = sides;
    let (Some(a), Some(b)) = (of_a.get(i), of_b.get(j)) else {
        return Err(Trouble::Fault("the evidence names a part that is not there".into()));
    };
    let whole = |of: &'s [Side<'a>], part: &Side<'a>, at: usize| -> &'s [Side<'a>] {
        if !matches!(upper, Upper::Inside { .. }) {
            return &of[at..=at];
        }
        // The parts of a body come one after the other.
        let first = of.partition_point(|side| side.body < part.body);
        let end = of.partition_point(|side| side.body <= part.body);
        &of[first..end]
    };
    Ok([whole(of_a, a, i), whole(of_b, b, j)])
}

/// By how much two rotations of some parts differ: the root of the sum of the squares of all entries is no less.
pub(super) fn difference(parts: &[Side<'_>], truth: &Matrix<Wide>, pose: &Pose) -> Result<Wide, Trouble> {
    let written = rotation::<Wide>(pose)?;
    let rows: Matrix<Wide> = std::array::from_fn(|i| std::array::from_fn(|j| truth[i][j].minus(&written[i][j])));
    if let [part] = parts
        && !part.is_plane()
        && !part.is_placed()
        && let Some(axis) = symmetry(part.core())
    {
        return Ok(norm(&map(&rows, &axis)));
    }
    let sum = rows.iter().fold(Wide::zero(), |sum, row| sum.plus(&norm(row).squared()));
    Ok(sum.root())
}

/// How far the points are from the origin of a body that matter as it turns.
fn reach(parts: &[Side<'_>], others: &[Side<'_>], way: &Vector<Wide>) -> Result<Wide, Trouble> {
    let own = reach_of(parts)?;
    if !parts.iter().any(Side::is_plane) {
        return Ok(own);
    }
    let radii = others.iter().map(|side| side.radius::<Wide>()).fold(Wide::zero(), |most, radius| most.larger(&radius));
    Ok(norm(way).plus(&reach_of(others)?).plus(&radii).larger(&own))
}

/// How large everything is at the time of the evidence.
pub(super) fn size(query: &MovingQuery, sides: [&[Side<'_>]; 2], meeting: &Meeting) -> f64 {
    let reach = |side: &Side<'_>| if side.is_plane() { 0.0 } else { side.size() };
    let largest = |of: &[Side<'_>]| of.iter().map(reach).fold(0.0, f64::max);
    let size = largest(sides[0]) + largest(sides[1]) + apart_at(query, meeting.time);
    if size.is_finite() { size } else { 0.0 }
}
