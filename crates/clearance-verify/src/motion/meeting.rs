//! Two bodies at one time.
//!
//! The poses of the evidence are doubles, and the true ones have sines. If no point of A is farther from where the evidence has it than one
//! length, and no point of B than another, then no height changes by more than these, and neither does the signed distance, which is
//! the largest separation of heights (both bodies are convex). Moving both by one translation changes nothing.
//!
//! A point x of a body at a pose (R, t) is at R x + t: with a rotation that differs by D it moves by |D| |x| at most. The core is
//! what counts, since a ball is turned into itself; and what is symmetric about a line is where that line is, whatever the turn about it,
//! since R and R' Q, with a Q about the line, differ by no more than the images of a unit vector along it. A half-space reaches without end, but its distance from a body is told by its normal
//! and the points of that body: they are no farther from its origin than the way between both origins and what the body reaches.

use super::body::{reach_from, symmetry};
use super::chain::{apart_at, placed};
use super::course::rotation;
use super::{Meeting, MovingQuery};
use crate::check::is_at_most;
use crate::evidence::{Evidence, Query};
use crate::number::{Matrix, Number, Real, Vector, Wide, map, norm, vector};
use crate::pose::Pose;
use crate::shape::{Shape, Trouble};

/// An upper bound of the signed distance at the time of the evidence.
pub(super) fn bound(query: &MovingQuery, meeting: &Meeting) -> Result<f64, Trouble> {
    let fault = |what: &str| Err(Trouble::Fault(what.into()));
    let Meeting { time, pose_a, pose_b, bound, upper } = meeting;
    if pose_a.fault().or_else(|| pose_b.fault()).is_some() || !bound.is_finite() {
        return fault("a number of the meeting is not finite");
    }
    if !(*time >= query.from && *time <= query.until) {
        return fault("the meeting is not in the interval that was asked about");
    }
    let off = displacement(query, meeting)?;
    let there = Query { pose_a: *pose_a, pose_b: *pose_b, ..query.start.clone() };
    let evidence = Evidence { upper: Some(upper.clone()), ..Evidence::default() };
    if !is_at_most(&there, &evidence, *bound)? {
        return fault("the points of the meeting do not prove its bound");
    }
    let sum = Wide::of(*bound).plus(&off).high();
    if sum.is_finite() { Ok(sum) } else { fault("the meeting is too far away") }
}

/// How far the true poses are from those of the evidence, at most, as distances go.
fn displacement(query: &MovingQuery, meeting: &Meeting) -> Result<Wide, Trouble> {
    let (way, rotations) = placed::<Wide>(query, meeting.time)?;
    let [to, from] = [meeting.pose_b.translation, meeting.pose_a.translation];
    let written: Vector<Wide> = std::array::from_fn(|i| Wide::of(to[i]).minus(&Wide::of(from[i])));
    let moved = norm(&std::array::from_fn(|i| way[i].minus(&written[i])));
    let Query { a, b, .. } = &query.start;
    let turned_a = difference(a, &rotations[0], &meeting.pose_a)?.times(&reach(a, b, &way)?);
    let turned_b = difference(b, &rotations[1], &meeting.pose_b)?.times(&reach(b, a, &way)?);
    Ok(moved.plus(&turned_a).plus(&turned_b))
}

/// By how much two rotations of a shape differ: the root of the sum of the squares of all entries is no less.
fn difference(shape: &Shape, truth: &Matrix<Wide>, pose: &Pose) -> Result<Wide, Trouble> {
    let written = rotation::<Wide>(pose)?;
    let rows: Matrix<Wide> = std::array::from_fn(|i| std::array::from_fn(|j| truth[i][j].minus(&written[i][j])));
    if !shape.is_plane()
        && let Some(axis) = symmetry(shape.split().0)
    {
        return Ok(norm(&map(&rows, &axis)));
    }
    let sum = rows.iter().fold(Wide::zero(), |sum, row| sum.plus(&norm(row).squared()));
    Ok(sum.root())
}

/// How far the points are from the origin of a shape that matter as it turns.
fn reach(shape: &Shape, other: &Shape, way: &Vector<Wide>) -> Result<Wide, Trouble> {
    let of_core = |shape: &Shape| reach_from::<Wide>(shape.split().0, &vector([0.0; 3]));
    if !shape.is_plane() {
        return of_core(shape);
    }
    let radii = other.split().1.into_iter().fold(Wide::zero(), |sum, radius| sum.plus(&Wide::of(radius)));
    Ok(norm(way).plus(&of_core(other)?).plus(&radii))
}

/// How large everything is at the time of the evidence.
pub(super) fn size(query: &MovingQuery, meeting: &Meeting) -> f64 {
    let Query { a, b, .. } = &query.start;
    let reach = |shape: &Shape| if shape.is_plane() { 0.0 } else { shape.reach() };
    let size = reach(a) + reach(b) + apart_at(query, meeting.time);
    if size.is_finite() { size } else { 0.0 }
}
