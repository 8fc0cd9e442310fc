//! Time slabs: the intervals of time that the boxes of a schedule cover.
//!
//! In one slab a body travels about [`SLAB_TRAVEL`] radii, so that the box around all that it sweeps stays small. A body at rest has a slab without an end.
//! A slab decides how much work the schedule has, and never its answers.

use crate::math::Aabb;
use crate::motion::Motion;
use crate::shape::Shape;
use crate::tuning::world::{MAX_SLAB_LENGTH, MAX_SLABS, SLAB_TRAVEL};
use glam::DVec3;
use std::f64::consts::TAU;

/// The interval of time that a box of the schedule covers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TimeSlab {
    pub from: f64,
    /// Infinite for a body at rest.
    pub until: f64,
    /// The next slab is longer by this factor, from 1 to [`MAX_SLAB_GROWTH`](crate::tuning::world::MAX_SLAB_GROWTH): it doubles while the box of the body overlaps no other one.
    pub growth: f64,
}

/// Common data of the slabs of all bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlabRule {
    /// The interval of the call that begins the slabs.
    pub interval: [f64; 2],
    /// The median radius of the bodies.
    pub median_radius: f64,
}

impl SlabRule {
    /// The slab of a body from a time on, and the box around all that it sweeps. It is longer than usual by the factor `growth`.
    pub fn slab(&self, shape: &Shape, motion: &Motion, growth: f64, from: f64) -> (TimeSlab, Aabb) {
        let end = self.interval[1];
        if motion.is_fixed() {
            let until = f64::INFINITY;
            return (TimeSlab { from, until, growth }, motion.swept(shape, [from, end]));
        }
        let whole = end - from;
        let radius = growth * shape.bounding_radius().max(self.median_radius);
        let mut length = slab_length(|time| motion.pose(time).translation(), radius, from, whole);
        // A body that turns about a distant point sweeps in many turns no more than in one.
        if let Some((segment, segment_end)) = motion.segment(from)
            && segment.spin != DVec3::ZERO
        {
            let by_center = slab_length(|time| segment.place_at(time), radius, from, whole).min(segment_end - from);
            if segment.spin.length() * by_center > TAU {
                length = length.max(by_center);
            }
        }
        let until = from + length.max(whole / MAX_SLABS);
        // A user-defined trajectory is not evaluated beyond the interval.
        let until = if motion.trajectory().is_some() { until.min(end) } else { until };
        let until = if until > from { until } else { end };
        (TimeSlab { from, until, growth }, motion.swept(shape, [from, until]))
    }
}

/// The length of a slab in which a point travels by about [`SLAB_TRAVEL`] radii, or that of the longest slab.
fn slab_length(place: impl Fn(f64) -> DVec3, radius: f64, from: f64, whole: f64) -> f64 {
    let longest = MAX_SLAB_LENGTH * whole;
    if !radius.is_finite() {
        return longest;
    }
    let start = place(from);
    let travel = |time: f64| place(from + time).distance(start);
    let short = whole / 1024.0;
    let mut length = longest.min(SLAB_TRAVEL * radius * short / travel(short).max(f64::MIN_POSITIVE));
    // The point may speed up. A slab that is too long is only slow.
    for _ in 0..10 {
        if travel(length).max(travel(0.5 * length)) <= 2.0 * SLAB_TRAVEL * radius {
            break;
        }
        length *= 0.5;
    }
    length
}
