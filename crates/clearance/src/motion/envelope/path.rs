//! The path of one body relative to another, and the rounding error of a gap along it.

use glam::DVec3;

/// The center of B relative to that of A: c(s) = p + v s + ½ g s², where s is the time since `start`.
///
/// Both pairs of moving bodies have one: [`MovingPair`](super::MovingPair), whose bodies may rotate, and [`StraightPair`](super::StraightPair),
/// the special case without rotation and acceleration.
#[derive(Debug, Clone, Copy)]
pub(in crate::motion) struct RelativePath {
    /// The time at which s = 0.
    pub start: f64,
    /// p.
    pub place: DVec3,
    /// v.
    pub velocity: DVec3,
    /// g.
    pub acceleration: DVec3,
    /// The rounding error of a distance along a direction, by powers of s.
    pub roundings: [f64; 3],
}

impl RelativePath {
    #[inline]
    pub fn place_at(&self, time: f64) -> DVec3 {
        let s = time - self.start;
        self.place + (self.velocity + self.acceleration * (0.5 * s)) * s
    }

    /// [`place_at`](Self::place_at) without acceleration: the same bits, and a shorter chain of operations.
    #[inline]
    pub fn straight_place_at(&self, time: f64) -> DVec3 {
        debug_assert!(self.acceleration == DVec3::ZERO, "{self:?}");
        self.place + self.velocity * (time - self.start)
    }

    #[inline]
    pub fn velocity_at(&self, time: f64) -> DVec3 {
        self.velocity + self.acceleration * (time - self.start)
    }

    /// The rounding error of a distance along a direction at a time.
    #[inline]
    pub fn rounding(&self, time: f64) -> f64 {
        let s = (time - self.start).abs();
        let [fixed, linear, square] = self.roundings;
        fixed + (linear + square * s) * s
    }

    /// [`rounding`](Self::rounding) without a square term.
    #[inline]
    pub fn straight_rounding(&self, time: f64) -> f64 {
        debug_assert!(self.roundings[2] == 0.0, "{self:?}");
        self.roundings[0] + self.roundings[1] * (time - self.start).abs()
    }
}
