//! Where a line is in a convex set: from `enter` to `leave`, each between two bounds.
//!
//! Let E bound the distance of the true line from the computed one, as far as the set reaches, and what rounding adds. Where the computed
//! line is outside of the set grown by E the true one is outside; where it is inside of the set shrunk by E the true one is inside. So
//! the ends of the chord of the grown set are bounds from outside, and those of the shrunk set from inside. For a flat set
//! the second two are in the wrong order, which does no harm: the true line goes through the plane somewhere between them.

use glam::DVec3;

/// A number between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Between {
    pub low: f64,
    pub high: f64,
}

impl Between {
    pub fn middle(self) -> f64 {
        0.5 * (self.low + self.high)
    }
}

/// The part of a line in a convex set, if it has one at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chord {
    pub enter: Between,
    pub leave: Between,
    /// Is it proved that the true line has a point in the set? Else it may have none.
    pub is_proved: bool,
    /// Which piece of the boundary it enters and leaves by; what that means is the caller's business.
    pub pieces: [u32; 2],
}

impl Chord {
    const ALWAYS: Between = Between { low: f64::NEG_INFINITY, high: f64::NEG_INFINITY };
    const NEVER: Between = Between { low: f64::INFINITY, high: f64::INFINITY };

    /// All of the line.
    pub const ALL: Self = Self { enter: Self::ALWAYS, leave: Self::NEVER, is_proved: true, pieces: [0; 2] };

    /// Nothing is known.
    pub const UNKNOWN: Self = Self { is_proved: false, ..Self::ALL };

    /// The intersection of both sets; `None` if it is proved to be empty.
    #[inline(always)]
    pub fn and(self, other: Self) -> Option<Self> {
        let is_proved = self.is_proved
            && other.is_proved
            && self.enter.high <= other.leave.low
            && other.enter.high <= self.leave.low;
        Some(Self { is_proved, ..self.between(other)? })
    }

    /// The later of the ways in and the earlier of the ways out.
    #[inline(always)]
    fn between(self, other: Self) -> Option<Self> {
        let (is_later, is_earlier) = (other.enter.high > self.enter.high, other.leave.low < self.leave.low);
        let enter = Between { low: self.enter.low.max(other.enter.low), high: self.enter.high.max(other.enter.high) };
        let leave = Between { low: self.leave.low.min(other.leave.low), high: self.leave.high.min(other.leave.high) };
        let pieces = [
            if is_later { other.pieces[0] } else { self.pieces[0] },
            if is_earlier { other.pieces[1] } else { self.pieces[1] },
        ];
        let is_proved = self.is_proved && other.is_proved;
        // Written so that a NaN is kept.
        if enter.low > leave.high { None } else { Some(Self { enter, leave, is_proved, pieces }) }
    }

    /// The union of both sets, which is convex.
    pub fn or(self, other: Self) -> Self {
        let (first, last) = (other.enter.middle() < self.enter.middle(), other.leave.middle() > self.leave.middle());
        let pieces =
            [if first { other.pieces[0] } else { self.pieces[0] }, if last { other.pieces[1] } else { self.pieces[1] }];
        let (enter_high, leave_low) = match (self.is_proved, other.is_proved) {
            (true, false) => (self.enter.high, self.leave.low),
            (false, true) => (other.enter.high, other.leave.low),
            (true, true) => (self.enter.high.min(other.enter.high), self.leave.low.max(other.leave.low)),
            (false, false) => (self.enter.high.max(other.enter.high), self.leave.low.min(other.leave.low)),
        };
        Self {
            enter: Between { low: self.enter.low.min(other.enter.low), high: enter_high },
            leave: Between { low: leave_low, high: self.leave.high.max(other.leave.high) },
            is_proved: self.is_proved || other.is_proved,
            pieces,
        }
    }
}

/// Where g + k s <= 0, with an error of g + k s.
#[inline(always)]
pub(super) fn half_line(g: f64, k: f64, error: f64, piece: u32) -> Option<Chord> {
    let pieces = [piece; 2];
    if k < 0.0 {
        let inverse = -1.0 / k;
        let enter = Between { low: (g - error) * inverse, high: (g + error) * inverse };
        Some(Chord { enter, pieces, ..Chord::ALL })
    } else if k > 0.0 {
        let inverse = -1.0 / k;
        let leave = Between { low: (g + error) * inverse, high: (g - error) * inverse };
        Some(Chord { leave, pieces, ..Chord::ALL })
    } else if g > error {
        None
    } else if g <= -error {
        Some(Chord::ALL)
    } else {
        Some(Chord::UNKNOWN)
    }
}

/// Where |g + k s| <= `half`, which may be zero: a plane that the line crosses has a point of it, however thin it is. The error is
/// known for |s| up to `reach` only.
#[inline(always)]
pub(super) fn slab(g: f64, k: f64, half: f64, error: f64, reach: f64, pieces: [u32; 2]) -> Option<Chord> {
    let [below, above] = [half_line(-g - half, -k, error, pieces[0])?, half_line(g - half, k, error, pieces[1])?];
    let both = below.between(above)?;
    Some(Chord { is_proved: both.is_proved && both.enter.high <= reach && both.leave.low >= -reach, ..both })
}

/// Where |q + s u| <= `radius`, for a unit vector u and a q that is perpendicular to it, both to the error: -s and s with s² = R² - q²,
/// R = radius ± error.
#[inline(always)]
pub(super) fn centered_ball(q: DVec3, radius: f64, error: f64) -> Option<Chord> {
    let apart = q.length();
    // A length has three products, two sums and a root; the squares, their difference and the root of s add as many. Less than 16 ε of both.
    let error = error + 16.0 * f64::EPSILON * (apart + radius);
    let [outer, inner] = [radius + error, radius - error];
    if apart > outer {
        return None;
    }
    let half = ((outer - apart) * (outer + apart)).sqrt() + error;
    let is_proved = apart < inner;
    let least = if is_proved { ((inner - apart) * (inner + apart)).sqrt() - error } else { 0.0 };
    let (enter, leave) = (Between { low: -half, high: -least }, Between { low: least, high: half });
    Some(Chord { enter, leave, is_proved, pieces: [0; 2] })
}

/// Where a point is in a box, from `-half` to `half` along each axis, with an error for |s| up to `reach`. As three [slabs](slab), without a
/// branch; the pieces are the faces of the box.
#[inline(always)]
pub(super) fn cuboid(q: DVec3, u: DVec3, half: DVec3, error: f64, reach: f64) -> Option<Chord> {
    // Along an axis that the line does not run along it is inside at all times, outside at all times, or nothing is known.
    let steep = |u: f64| if u.abs() < 1e-290 { 1e-290_f64.copysign(u) } else { u };
    let inverse = DVec3::new(steep(u.x), steep(u.y), steep(u.z)).recip();
    let (center, reach_of) = (-q * inverse, half * inverse.abs());
    let pad = inverse.abs() * error;
    let (near, far) = (center - reach_of, center + reach_of);
    let (enter_low, enter_high, leave_low, leave_high) = (near - pad, near + pad, far - pad, far + pad);
    let enter = Between { low: enter_low.max_element(), high: enter_high.max_element() };
    let leave = Between { low: leave_low.min_element(), high: leave_high.min_element() };
    if enter.low > leave.high {
        return None;
    }
    let DVec3 { x, y, z } = leave_low;
    let others = DVec3::new(y.min(z), z.min(x), x.min(y));
    let is_proved = enter_high.cmple(others).all() && enter.high <= reach && leave.low >= -reach;
    let first = if near.x >= near.y && near.x >= near.z { 0 } else { 1 + usize::from(near.z > near.y) };
    let last = if far.x <= far.y && far.x <= far.z { 0 } else { 1 + usize::from(far.z < far.y) };
    // In by the side that it comes from, out by the other.
    let pieces = [2 * first as u32 + u32::from(u[first] < 0.0), 2 * last as u32 + u32::from(u[last] > 0.0)];
    Some(Chord { enter, leave, is_proved, pieces })
}

/// Where |m + s w| <= `radius`, with an error of m + s w for |s| up to `reach`.
///
/// With R = radius ± error: A s² + 2 B s + C = 0, where A = w², B = m·w, C = (|m| - R)(|m| + R). The discriminant B² - A C is
/// (|w| R - |m × w|)(|w| R + |m × w|), which does not cancel where the line grazes. Of the roots the one is (|B| + √D) / A with the sign of
/// -B, and the other C over that times A.
#[inline(always)]
pub(super) fn ball(m: DVec3, w: DVec3, radius: f64, error: f64, reach: f64, piece: u32) -> Option<Chord> {
    let (length, speed) = (m.length(), w.length());
    let (b, a, apart) = (m.dot(w), speed * speed, m.cross(w).length());
    // Roots of slightly different m and w: products and sums of them round by so much.
    let error = error + 16.0 * f64::EPSILON * (length + radius + speed * reach);
    let outer = radius + error;
    if length - speed * reach > outer {
        return None;
    }
    if length + speed * reach <= radius - error {
        return Some(Chord::ALL);
    }
    // A slower ball gains or loses less than the rounding error of its center.
    if !(speed * reach > 1e-12 * outer) {
        return Some(Chord::UNKNOWN);
    }
    let inverse = 1.0 / a;
    let roots = |radius: f64| {
        let (up, d) = (speed * radius, (speed * radius - apart) * (speed * radius + apart));
        if !(up >= apart) {
            return None;
        }
        let (root, c) = (d.sqrt(), (length - radius) * (length + radius));
        let near = |n: f64| if n > 0.0 { c / n } else { 0.0 };
        Some(if b >= 0.0 { [-(b + root) * inverse, -near(b + root)] } else { [near(root - b), (root - b) * inverse] })
    };
    let [first, last] = roots(outer)?;
    let pieces = [piece; 2];
    Some(match if radius > error { roots(radius - error) } else { None } {
        Some([enter, leave]) => Chord {
            enter: Between { low: first, high: enter },
            leave: Between { low: leave, high: last },
            is_proved: true,
            pieces,
        },
        None => {
            let middle = -b * inverse;
            Chord {
                enter: Between { low: first, high: middle },
                leave: Between { low: middle, high: last },
                is_proved: false,
                pieces,
            }
        }
    })
}
