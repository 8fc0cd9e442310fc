//! A ray and a mesh: the first triangle along it, and whether it begins inside of a solid.
//!
//! The tree is walked from the nearest box on, four boxes at a time in single precision: they are padded by what that rounds, so that
//! none is passed over. Triangles are met in doubles (`triangle.rs`). A ray through an edge or a corner meets all triangles there, but is proved
//! to meet none; of a solid a point just behind proves it, which is inside.

use super::chord::Between;
use super::line::LocalRay;
use super::triangle::{LineCrossing, crossing};
use super::{Aim, LocalHit, convex, search};
use crate::math::Aabb;
use crate::shape::{Feature, Mesh, Shape, Side, Triangle};
use crate::tree::{TreeRay, along_ray};
use crate::tuning::cast::INSIDE_TRIES;
use glam::DVec3;
use std::ops::ControlFlow;

/// The first hit; see [`find`](super::find).
#[inline(never)]
pub(super) fn cast(mesh: &Mesh, ray: &LocalRay, radius: f64, aim: Aim, max: f64) -> Option<LocalHit> {
    let reach = convex::reach(&ray.line, radius);
    let error = ray.line.error(reach) + mesh.slack();
    let begins = begins(mesh, ray);
    if aim == Aim::Solid && begins == Begin::Inside {
        let (normal, feature) = (-ray.line.along, Feature::Surface);
        return Some(LocalHit { lower: 0.0, upper: 0.0, at: 0.0, normal, feature, part: 0, is_inside: true });
    }
    let mut first = First { mesh, ray, error, reach, lower: f64::INFINITY, upper: f64::INFINITY, near: None };
    let line = TreeRay { point: ray.line.point, along: ray.line.along, start: ray.start, error };
    along_ray(&mesh.tree().view(), &line, max, |items| {
        items.iter().for_each(|&item| first.look(item));
        first.upper
    });
    let First { mut lower, mut upper, near, .. } = first;
    let is_crossed = upper < f64::INFINITY;
    let (mut at, triangle) = near?;
    if lower > max {
        return None;
    }
    if begins == Begin::Surface {
        // Perhaps in it: then at once.
        (lower, at) = (0.0, 0.0);
    }
    if upper == f64::INFINITY && mesh.is_solid() && begins == Begin::Outside {
        upper = behind(mesh, ray, at, error).unwrap_or(upper);
    }
    at = at.min(upper);
    let normal = normal_of(mesh.corners(triangle), ray.line.along);
    // A shell has no outside. A ray that crosses the surface of a solid goes in first if it begins outside, and out if it begins inside.
    // This holds whichever way the triangles are oriented: inside out it is the same solid.
    let is_along = normal.dot(ray.line.along) > 0.0;
    let is_turned = match begins {
        _ if !mesh.is_solid() => is_along,
        Begin::Outside => is_crossed && is_along,
        Begin::Inside => is_crossed && !is_along,
        Begin::Surface => false,
    };
    let normal = if is_turned { -normal } else { normal };
    let is_inside = begins == Begin::Inside;
    Some(LocalHit { lower, upper, at, normal, feature: Feature::Face(triangle), part: 0, is_inside })
}

/// The unit normal of a triangle, which may be flat: then it is a segment or a point, and the normal is the one that is most against the ray.
///
/// The cross product of a needle is rounded by more than the needle is wide. The normal only has to be perpendicular to the longest edge,
/// so it is made so; the third corner is next to that edge then, whichever way the normal turns about it.
fn normal_of([a, b, c]: [DVec3; 3], along: DVec3) -> DVec3 {
    let longer = |one: DVec3, other: DVec3| if one.length_squared() >= other.length_squared() { one } else { other };
    let edge = longer(longer(b - a, c - b), a - c).try_normalize().unwrap_or(DVec3::ZERO);
    // Twice: of a normal that is nearly along the edge, the first time leaves little but rounding.
    let step = |normal: DVec3| (normal - normal.dot(edge) * edge).try_normalize();
    let perpendicular = |normal: DVec3| step(normal).and_then(step);
    let cross = (b - a).cross(c - a).try_normalize();
    // Along the edge the ray meets its end, where every direction against the ray is a normal.
    cross.and_then(perpendicular).or_else(|| perpendicular(-along)).unwrap_or(-along)
}

/// Where a ray begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    Inside,
    Outside,
    /// So close to the surface that rounding cannot tell.
    Surface,
}

fn begins(mesh: &Mesh, ray: &LocalRay) -> Begin {
    let (start, line) = (ray.start, &ray.line);
    // A length and a step along the ray round by 2 ε each.
    let error = line.error(start.abs()) + 4.0 * f64::EPSILON * (line.point.length() + start.abs()) + mesh.slack();
    let at = line.at(start);
    if !mesh.aabb().grown(error).contains(at) || !mesh.is_solid() {
        return Begin::Outside;
    }
    where_is(mesh, at, error)
}

/// Where a point is that is known to an error.
fn where_is(mesh: &Mesh, at: DVec3, error: f64) -> Begin {
    let mut is_near = false;
    let around = Aabb { min: at, max: at }.grown(error);
    mesh.tree().overlapping(&around, |triangle| {
        // Leaves are boxes in single precision: what counts is the triangle itself.
        let corners = mesh.corners(triangle);
        is_near = Aabb::of_points(corners).overlaps(&around) && is_near_plane(corners, at, error);
        if is_near { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match mesh.side_of(at) {
        _ if is_near => Begin::Surface,
        Side::Inside => Begin::Inside,
        Side::Outside | Side::Surface => Begin::Outside,
    }
}

/// May a point be within an error of the plane of a triangle?
fn is_near_plane([a, b, c]: [DVec3; 3], at: DVec3, error: f64) -> bool {
    let (normal, from) = ((b - a).cross(c - a), at - a);
    // Rounding errors of differences and products.
    let rounding = 16.0 * f64::EPSILON * (b - a).length() * (c - a).length() * from.length();
    !(normal.dot(from).abs() > normal.length() * error + rounding)
}

/// A place just behind a distance that is proved to be inside of the solid.
#[cold]
fn behind(mesh: &Mesh, ray: &LocalRay, at: f64, error: f64) -> Option<f64> {
    let step = 4.0 * error + 8.0 * f64::EPSILON * at;
    (0..INSIDE_TRIES)
        .map(|k| at + step * 4.0_f64.powi(k))
        .find(|&t| where_is(mesh, ray.line.at(ray.start + t), 2.0 * error) == Begin::Inside)
}

/// The first hit so far.
struct First<'a> {
    mesh: &'a Mesh,
    ray: &'a LocalRay,
    error: f64,
    reach: f64,
    lower: f64,
    upper: f64,
    /// Of the nearest: where, and which triangle.
    near: Option<(f64, u32)>,
}

impl First<'_> {
    #[inline(always)]
    fn look(&mut self, triangle: u32) {
        let corners = self.mesh.corners(triangle);
        match crossing(corners, &self.ray.line, self.error, self.reach) {
            LineCrossing::Miss => {}
            LineCrossing::Hit { s, .. } => self.add(s, true, triangle),
            LineCrossing::Near { s } => self.add(s, false, triangle),
            LineCrossing::Unclear => self.look_closely(corners, triangle),
        }
    }

    /// A triangle that is seen from the side, or none at all: as any convex shape.
    #[cold]
    #[inline(never)]
    fn look_closely(&mut self, [a, b, c]: [DVec3; 3], triangle: u32) {
        let Ok(shape) = Triangle::new(a, b, c).map(Shape::Triangle) else { return };
        let (middle, radius) = convex::middle(&shape);
        let (line, shift) = self.ray.line.recentered(middle);
        let start = self.ray.start - shift;
        let reach = convex::reach(&line, radius + self.mesh.slack());
        let Some(chord) = search::chord(&shape, &line, reach, start) else { return };
        let back = |s: f64| s + shift;
        // The time is moved by the shift, which rounds once at each end.
        let around = 4.0 * f64::EPSILON * (shift.abs() + self.reach);
        let s = Between { low: back(chord.enter.low) - around, high: back(chord.leave.high) + around };
        self.add(s, false, triangle);
    }

    /// A triangle that is met between two places, or may be.
    #[inline(always)]
    fn add(&mut self, s: Between, is_proved: bool, triangle: u32) {
        let start = self.ray.start;
        // Two differences of times.
        let rounding = 2.0 * f64::EPSILON * (s.high.abs().max(s.low.abs()) + start.abs());
        let (low, high) = ((s.low - start) - rounding, (s.high - start) + rounding);
        if high < 0.0 {
            return;
        }
        self.lower = self.lower.min(low.max(0.0));
        if is_proved && low >= 0.0 {
            self.upper = self.upper.min(high);
        }
        let at = (0.5 * (low + high)).max(0.0);
        // Of equals the smallest number, whatever the order of the walk.
        if self.near.is_none_or(|near| (at, triangle) < near) {
            self.near = Some((at, triangle));
        }
    }
}
