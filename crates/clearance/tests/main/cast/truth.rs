//! Where rays first meet shapes, to thirty digits: by halving, with memberships of points in numbers of two doubles.

use clearance::Pose;
use clearance::math::{DQuat, DVec3};
use std::ops::{Add, Mul, Neg, Sub};

/// A number of two doubles.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Long(pub f64, pub f64);

fn sum(a: f64, b: f64) -> Long {
    let s = a + b;
    let part = s - a;
    Long(s, (a - (s - part)) + (b - part))
}

impl From<f64> for Long {
    fn from(x: f64) -> Self {
        Self(x, 0.0)
    }
}

impl Add for Long {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (sum(self.0, other.0), sum(self.1, other.1));
        let first = sum(high.0, high.1 + low.0);
        sum(first.0, first.1 + low.1)
    }
}

impl Neg for Long {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Long {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Long {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let error = self.0.mul_add(other.0, -product);
        sum(product, error + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Long {
    /// One over it, by two steps of Newton's method.
    pub fn inverse(self) -> Self {
        let mut x = Self::from(1.0 / self.0);
        for _ in 0..2 {
            x = x + x * (Self::from(1.0) - self * x);
        }
        x
    }

    pub fn sqrt(self) -> Self {
        if self.0 <= 0.0 {
            return Self(0.0, 0.0);
        }
        let mut x = Self::from(self.0.sqrt());
        for _ in 0..2 {
            x = (x + self * x.inverse()) * Self::from(0.5);
        }
        x
    }

    pub fn abs(self) -> Self {
        if self.0 < 0.0 { -self } else { self }
    }

    pub fn max(self, other: Self) -> Self {
        if self < other { other } else { self }
    }

    pub fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
}

/// Three of them.
pub type Long3 = [Long; 3];

pub fn long(v: DVec3) -> Long3 {
    v.to_array().map(Long::from)
}

pub fn dot(a: Long3, b: Long3) -> Long {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn add(a: Long3, b: Long3) -> Long3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn times(a: Long3, by: Long) -> Long3 {
    a.map(|x| x * by)
}

pub fn cross(a: Long3, b: Long3) -> Long3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn turned(q: DQuat, x: Long3) -> Long3 {
    let (v, w) = (long(DVec3::new(q.x, q.y, q.z)), Long::from(q.w));
    let t = cross(v, x);
    let twice = Long::from(2.0) * (dot(v, v) + w * w).inverse();
    add(x, times(add(cross(v, t), times(t, w)), twice))
}

/// A ray in the frame of a shape, from next to its origin: the distance along it is `zero` + s.
pub struct LongRay {
    pub point: Long3,
    pub along: Long3,
    pub zero: f64,
}

impl LongRay {
    pub fn new(pose: &Pose, origin: DVec3, direction: DVec3) -> Self {
        let back = pose.rotation().conjugate();
        let between = add(long(origin), long(-pose.translation()));
        let (from, along) = (turned(back, between), turned(back, long(direction)));
        let along = times(along, dot(along, along).sqrt().inverse());
        let zero = -dot(from, along).0;
        Self { point: add(from, times(along, zero.into())), along, zero }
    }

    pub fn at(&self, s: f64) -> Long3 {
        add(self.point, times(self.along, s.into()))
    }

    fn near(&self, s: f64) -> DVec3 {
        DVec3::from_array(self.at(s).map(|x| x.0))
    }
}

/// A convex set: how far a point is from it, by a convex function, and whether it is in it.
pub struct Solid {
    pub name: &'static str,
    pub shape: clearance::Shape,
    pub size: f64,
    pub gauge: Box<dyn Fn(DVec3) -> f64>,
    pub contains: Box<dyn Fn(Long3) -> bool>,
}

/// Truths of a ray.
#[derive(Debug, Clone, Copy)]
pub enum Truth {
    /// It begins inside; and leaves between two distances.
    Inside(Long, Long),
    /// It comes in between two distances.
    Enters(Long, Long),
    /// It passes, with so much room.
    Misses(f64),
}

impl Solid {
    pub fn truth(&self, ray: &LongRay) -> Truth {
        let begin = (-ray.zero).max(-4.0 * self.size);
        let gauge = |s: f64| (self.gauge)(ray.near(s));
        let is_in = |s: f64| (self.contains)(ray.at(s));
        let at = |s: f64| Long::from(ray.zero) + Long::from(s);
        // The least of a convex function.
        let (mut low, mut high) = (begin, 4.0 * self.size);
        if low > high {
            return Truth::Misses(low - high);
        }
        for _ in 0..200 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if gauge(a) <= gauge(b) { high = b } else { low = a }
        }
        let best = 0.5 * (low + high);
        let halved = |mut outside: f64, mut inside: f64| {
            for _ in 0..200 {
                let middle = 0.5 * (outside + inside);
                if is_in(middle) { inside = middle } else { outside = middle }
            }
            (outside, inside)
        };
        if is_in(begin) && begin == -ray.zero {
            let (outside, inside) = halved(4.0 * self.size, begin);
            return Truth::Inside(at(inside), at(outside));
        }
        if !is_in(best) {
            return Truth::Misses(gauge(best));
        }
        let (outside, inside) = halved(begin, best);
        Truth::Enters(at(outside), at(inside))
    }
}
