//! The bound of `envelope` without rotation and acceleration, for shapes whose types are known.
//!
//! Along a fixed unit vector n the gap `n·c(t) - h_A(n) - h_B(-n)` changes at the constant rate n·v. So one height of each body bounds the time for
//! which they are separated. `advance.rs` uses the same bound for shapes of any type.
//!
//! **Invariants**: (E3) the path has no acceleration; (E4) an interval that [`StraightPair::apart`] returns goes forward in time, and the gap in it
//! exceeds rounding.

use super::RelativePath;
use crate::error::MAX_COORDINATE;
use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH, sum_down};
use crate::motion::impact::Moving;
use crate::motion::segment::MotionSegment;
use crate::shape::{Convex, Shape};
use glam::{DQuat, DVec3};

/// Two convex bodies without relative rotation. Vectors are in axes that do not rotate, with the origin of A.
pub(in crate::motion) struct StraightPair<'a, A, B> {
    pub a: &'a A,
    pub b: &'a B,
    pub rotations: [DQuat; 2],
    pub path: RelativePath,
    /// The motion of A in the world.
    pub segment_a: &'a MotionSegment,
}

impl<'a, A: Convex, B: Convex> StraightPair<'a, A, B> {
    /// For the segments and the common start that [`Moving::straight_segments`] returns.
    #[inline(always)]
    pub fn new((a, b): (&'a A, &'a B), ([segment_a, segment_b], start): ([&'a MotionSegment; 2], f64)) -> Self {
        let place = segment_b.place - segment_a.place;
        let velocity = segment_b.velocity - segment_a.velocity;
        let of_body = |size: f64, slack: f64, segment: &MotionSegment| {
            (ROUNDING + segment.slack.turned) * size + slack + segment.slack.place
        };
        let size_a = a.bounding_radius() + a.radius();
        let size_b = b.bounding_radius() + b.radius();
        // Bound: the allowance of `envelope`, 8 ε of the path and 2 ε of the difference of the places.
        let fixed =
            of_body(size_a, a.slack(), segment_a) + of_body(size_b, b.slack(), segment_b) + 2.0 * SMALLEST_LENGTH;
        let roundings = [
            // 8 ε of the path and 2 ε of the difference of the places.
            10.0 * f64::EPSILON * place.abs().element_sum() + fixed,
            8.0 * f64::EPSILON * velocity.abs().element_sum() + segment_a.slack.drift + segment_b.slack.drift,
            0.0,
        ];
        let rotations = [segment_a.rotation, segment_b.rotation];
        let path = RelativePath { start, place, velocity, acceleration: DVec3::ZERO, roundings };
        Self { a, b, rotations, path, segment_a }
    }

    #[inline]
    pub fn place_at(&self, time: f64) -> DVec3 {
        self.path.straight_place_at(time)
    }

    /// Places beyond [`MAX_COORDINATE`] prove nothing.
    #[inline]
    pub fn is_near(&self, times: [f64; 2]) -> bool {
        times.iter().all(|&time| self.place_at(time).abs().max_element() < MAX_COORDINATE)
    }

    #[inline]
    pub fn rounding(&self, time: f64) -> f64 {
        self.path.straight_rounding(time)
    }

    /// The heights of both cores along a unit vector.
    #[inline]
    pub fn heights(&self, n: DVec3) -> f64 {
        let [a, b] = self.rotations;
        self.a.height(a.conjugate() * n) + self.b.height(b.conjugate() * -n)
    }

    /// The time until which the bodies are separated along a unit vector, from a time on, and the least gap.
    #[inline]
    pub fn apart(&self, n: DVec3, from: f64, until: f64) -> Option<[f64; 2]> {
        self.apart_below(n, self.heights(n), from, until)
    }

    /// [`apart`](Self::apart), for known heights of both cores.
    #[inline(always)]
    pub fn apart_below(&self, n: DVec3, heights: f64, from: f64, until: f64) -> Option<[f64; 2]> {
        let rate = n.dot(self.path.velocity);
        // Computed before the gap, to hide the latency of the quotient.
        let inverse = 1.0 / -rate;
        let wide = n.dot(self.place_at(from)) - (heights + self.a.radius() + self.b.radius());
        // The root of the gap, without rounding.
        let root = if rate < 0.0 { from + wide * inverse } else { f64::INFINITY };
        let rounding = self.rounding(from).max(self.rounding(root.min(until)));
        let gap = wide - rounding;
        // Written so that a NaN is no gap.
        if !(gap > 0.0) {
            return None;
        }
        if !(rate < 0.0) {
            return Some([until, gap]);
        }
        // Bound: the rate, its inverse and the product round by less than 6 ε. The sum is rounded down, as in `advance.rs`.
        let end = sum_down(from, (gap - 2.0 * rounding) * inverse * (1.0 - 6.0 * f64::EPSILON));
        // Written so that a NaN is not later.
        let end = if end >= until { until } else { end };
        let least = gap + rate * (end - from);
        (end > from && least > 0.0).then_some([end, least])
    }
}

impl Moving<'_> {
    /// The segments of both bodies and their common start, if the relative motion is straight in the whole interval.
    ///
    /// `None` if a body changes its segment in the interval or rotates, if their accelerations differ, or if their centers are not their origins. Segments
    /// with different starts are restarted at the later one, and are then in `restarted`: after an impact of a simulation two of many bodies start anew.
    /// (Inlined: otherwise the result goes through memory, which takes as long as the closed form of two balls.)
    #[inline(always)]
    pub(in crate::motion) fn straight_segments<'s>(
        &'s self,
        [from, end]: [f64; 2],
        restarted: &'s mut Option<[MotionSegment; 2]>,
    ) -> Option<([&'s MotionSegment; 2], f64)> {
        let (segment_a, until_a) = self.motion_a.segment(from)?;
        let (segment_b, until_b) = self.motion_b.segment(from)?;
        // A ball that rotates about its center sweeps no more.
        let is_still =
            |shape: &Shape, segment: &MotionSegment| segment.spin == DVec3::ZERO || matches!(shape, Shape::Sphere(_));
        let is_straight =
            until_a >= end && until_b >= end && is_still(self.a, segment_a) && is_still(self.b, segment_b);
        let is_shared = segment_a.start == segment_b.start || segment_b.is_fixed();
        let start = if is_shared {
            segment_a.start
        } else if segment_a.is_fixed() {
            segment_b.start
        } else {
            segment_a.start.max(segment_b.start)
        };
        let is_plain = segment_a.center == DVec3::ZERO && segment_b.center == DVec3::ZERO && start.is_finite();
        if !(is_straight && is_plain && segment_a.acceleration == segment_b.acceleration) {
            return None;
        }
        if is_shared || segment_a.is_fixed() {
            return Some(([segment_a, segment_b], start));
        }
        let [segment_a, segment_b] = restart([segment_a, segment_b], start, restarted);
        Some(([segment_a, segment_b], start))
    }
}

/// Two segments with another start. (Not inlined: most pairs share their start, and the caller is short without it.)
#[inline(never)]
fn restart<'s>(
    segments: [&MotionSegment; 2],
    start: f64,
    restarted: &'s mut Option<[MotionSegment; 2]>,
) -> &'s [MotionSegment; 2] {
    restarted.insert(segments.map(|segment| segment.from(start)))
}
