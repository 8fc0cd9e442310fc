//! The chord of a line in any convex shape, by its support planes.
//!
//! The distance f(s) of the point at s from the shape is convex in s. The support plane that is across the shortest way bounds it from
//! below: f(s') >= h + n·u (s' - s), and until that is zero there is nothing of the shape on the line. To go there is a step of Newton's method on
//! f, which never steps over the first zero of a convex function, and doubles the digits where the line is not tangent. A plane along which
//! the line rises proves that it never comes. The same is done with one round of GJK for each plane in [van den Bergen, *Ray Casting
//! against General Convex Objects*, 2004]; here each is the plane of a closed answer.
//!
//! That the line *is* in the shape is proved by a point of it whose depth is.

use super::chord::{Between, Chord};
use super::line::Line;
use crate::math::Pose;
use crate::math::rounding::ROUNDING;
use crate::pair::Pair;
use crate::shape::{Convex, Shape};
use crate::tuning::cast::CHORD_STEPS;
use crate::tuning::cast::INTERIOR_TRIES;
use glam::DVec3;

/// The chord, see [`convex::chord`](super::convex::chord).
#[cold]
#[inline(never)]
pub(super) fn chord(shape: &Shape, line: &Line, reach: f64, start: f64) -> Option<Chord> {
    let Some(core) = shape.convex() else { return Some(Chord::UNKNOWN) };
    let mut search = PlaneSearch::new(shape, core, *line, reach);
    let forth = search.enter()?;
    let mut chord = Chord {
        enter: Between { low: forth.s, high: forth.inside.unwrap_or(forth.s + forth.step) },
        leave: Between { low: forth.inside.unwrap_or(forth.s), high: reach },
        is_proved: forth.inside.is_some(),
        pieces: [0; 2],
    };
    if forth.s <= start {
        let mut search = PlaneSearch::new(shape, core, line.reversed(), reach);
        // A shape that is proved to be met in one direction cannot be missed in the other; where nothing is proved this may be a miss.
        let back = search.enter()?;
        chord.leave = Between { low: back.inside.map_or(chord.leave.low, |s| -s), high: -back.s };
    }
    Some(chord)
}

/// The outward unit normal of a support plane across the shortest way to a place on the line just before the shape.
pub(super) fn normal(shape: &Shape, line: &Line, s: f64, radius: f64) -> Option<DVec3> {
    let at = line.at(s) - line.along * (1e-6 * super::convex::reach(line, radius));
    let c = crate::pair::distance(shape, Pose::IDENTITY, &Shape::point(), place(at)?);
    c.normal.try_normalize()
}

fn place(at: DVec3) -> Option<Pose> {
    Pose::try_new(at, glam::DQuat::IDENTITY).ok()
}

/// Where a line comes in.
struct WayIn {
    /// Up to here it is outside.
    s: f64,
    /// How far the error may move that.
    step: f64,
    /// A place that is inside.
    inside: Option<f64>,
}

struct PlaneSearch<'a> {
    core: &'a dyn Convex,
    line: Line,
    reach: f64,
    pair: Pair,
    /// Of heights over planes: that of the line, and of heights.
    error: f64,
    is_flat: bool,
}

impl<'a> PlaneSearch<'a> {
    fn new(shape: &Shape, core: &'a dyn Convex, line: Line, reach: f64) -> Self {
        let size = core.bounding_radius() + core.radius() + line.point.length() + line.speed * reach;
        let error = line.error(reach) + core.slack() + ROUNDING * size;
        let is_flat = core.radius() == 0.0
            && match shape {
                Shape::Sphere(_) | Shape::Segment(_) | Shape::Triangle(_) => true,
                Shape::Polytope(polytope) => polytope.dimension() < 3,
                _ => false,
            };
        Self { core, line, reach, pair: Pair::new(shape, &Shape::point()), error, is_flat }
    }

    /// Nothing if the line is proved to miss.
    fn enter(&mut self) -> Option<WayIn> {
        let u = self.line.along;
        let speed = u.length();
        let mut entry = WayIn { s: -self.reach, step: 2.0 * self.error / speed, inside: None };
        for _ in 0..CHORD_STEPS {
            let x = self.line.at(entry.s);
            let Some(pose) = place(x) else { return Some(entry) };
            let c = self.pair.distance(Pose::IDENTITY, pose);
            let n = c.normal;
            let gap = n.dot(x) - self.core.height(n) - self.core.radius() * n.length() - self.error;
            // A NaN proves nothing.
            if !(c.distance > 0.0 && gap > 0.0) {
                break;
            }
            let fall = -n.dot(u);
            // Where the plane is reached; a little before, for what this rounds.
            let next = entry.s + gap / fall - 4.0 * f64::EPSILON * self.reach;
            if !(fall > 0.0) || next > self.reach {
                return None;
            }
            if !(next > entry.s) {
                break;
            }
            entry.step = 2.0 * self.error / fall;
            entry.s = next;
        }
        entry.inside = self.inside(&entry);
        Some(entry)
    }

    /// A place just behind that is proved to be inside.
    fn inside(&mut self, entry: &WayIn) -> Option<f64> {
        if self.is_flat {
            return None;
        }
        (0..INTERIOR_TRIES).find_map(|k| {
            let s = entry.s + entry.step * 4.0_f64.powi(k);
            let pose = place(self.line.at(s)).filter(|_| s <= self.reach)?;
            (self.pair.distance(Pose::IDENTITY, pose).upper < -self.error).then_some(s)
        })
    }
}
