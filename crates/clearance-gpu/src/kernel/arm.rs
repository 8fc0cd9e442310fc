//! An arm of capsules at many configurations: is any capsule within a margin of an obstacle, or of another capsule?
//!
//! **Kinematics** in doubles, which even devices with few units for them finish faster than the tests: link k is at F_1 J_1 ... F_k J_k with a fixed frame F and a rotation J about the z axis (the
//! host turns each frame so that its joint is about z).
//! **Tests** in single precision: a ball around each capsule first, then two segments. Their nearest points p and q give both proofs:
//! * |p - q| is an upper bound of the distance, as p and q are points of the segments;
//! * the height of the segments' difference along p - q is a lower bound.
//!
//! # The error of a test: 16 u S
//!
//! S bounds |p| + |q| for all points of an arm and its obstacles.
//! 1. Sine and cosine are off by less than 2e-12 ([`sine_and_cosine`]); eight joints multiply matrices with errors below 1e-14 each. A point of a link is
//!    off by less than 8 · 3e-12 of the length of the arm: 4e-4 u S. Rounded to `f32`: u |p|, and u |q| for an obstacle.
//! 2. A height is a difference of two scalar products, off by 3 u |v| (|p| + |q|), and rounds once: with the points 5 u |v| S. The length of v rounds by 2.5 u.
//! 3. A point p0 + s (p1 - p0) rounds by u (2 |p| + 2 |p| + |p|), |p - q| by u S more: with the points 7 u S, and 2.5 u of the length.
//! 4. The sum of radii, margin and bound: 2 u S. All together below 12 u S; [`ARM_ERROR`] has 16.

use super::search::Reach;
use super::vector::{Vec3, root};
use super::verdict::{APART, OPEN, WITHIN};

/// Joints of an arm. Limit: the memory of a thread.
pub const MAX_JOINTS: usize = 8;

/// Capsules of an arm. Limit: the memory of a thread.
pub const MAX_CAPSULES: usize = 16;

/// Error bound of a test, relative to S. Bound: see the head of the module.
pub const ARM_ERROR: f32 = 16.0 * super::bounds::UNIT;

/// Largest angle of a joint, in radians. Bound: the reduction to a quarter turn is derived for it.
const LARGEST_ANGLE: f64 = 1000.0;

/// A joint. Layout: 96 bytes of doubles.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Columns of the rotation, in the frame of the parent.
    pub columns: [[f64; 3]; 3],
    /// The origin, in the frame of the parent.
    pub origin: [f64; 3],
}

/// A capsule or ball of a link. Layout: 64 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkCapsule {
    /// One end, in the frame of its joint after the rotation.
    pub start: [f64; 3],
    /// The other end.
    pub end: [f64; 3],
    /// The number of its joint.
    pub joint: u32,
    /// At most its radius.
    pub radius_lower: f32,
    /// At least its radius.
    pub radius_upper: f32,
    /// A bit for each earlier capsule that it is tested against.
    pub against: u32,
}

/// An obstacle: a capsule or ball in the frame of the base. Layout: 48 bytes, which a GPU loads in three steps.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obstacle {
    /// The middle.
    pub middle: [f32; 3],
    /// At least the distance of any point from the middle.
    pub extent: f32,
    /// One end of its segment.
    pub start: [f32; 3],
    /// At most its radius.
    pub radius_lower: f32,
    /// The other end.
    pub end: [f32; 3],
    /// At least its radius.
    pub radius_upper: f32,
}

/// An arm with its obstacles.
#[derive(Debug, Clone, Copy)]
pub struct Arm<'a> {
    /// The joints, from the base.
    pub joints: &'a [Frame],
    /// The capsules, sorted by joint.
    pub capsules: &'a [LinkCapsule],
    /// The obstacles.
    pub obstacles: &'a [Obstacle],
    /// The margin, rounded both ways.
    pub margin: Reach,
    /// The error bound, a length: [`ARM_ERROR`] times S.
    pub error: f32,
}

/// A capsule in the frame of the base.
#[derive(Debug, Clone, Copy)]
struct Placed {
    start: Vec3,
    end: Vec3,
}

impl Arm<'_> {
    /// The verdict about a configuration, an angle for each joint: [`WITHIN`] if something is proved to be within the margin, [`APART`] if
    /// everything is proved to be farther.
    #[inline(always)]
    pub fn verdict(&self, angles: &[f32]) -> u8 {
        let mut placed = [Placed { start: Vec3::ZERO, end: Vec3::ZERO }; MAX_CAPSULES];
        let mut frame = Frame { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], origin: [0.0; 3] };
        let mut verdict = APART;
        let (mut capsule, mut joint) = (0, 0);
        while let (Some(fixed), Some(&angle)) = (self.joints.get(joint), angles.get(joint)) {
            let angle = f64::from(angle);
            // Written so that a NaN is left open.
            if !(angle.abs() <= LARGEST_ANGLE) {
                return OPEN;
            }
            frame = frame.after(fixed).turned(angle);
            while let Some(link) = self.capsules.get(capsule) {
                if link.joint as usize != joint {
                    break;
                }
                let here = Placed { start: frame.point(link.start), end: frame.point(link.end) };
                let found = self.against_obstacles(link, &here);
                let found =
                    if found == WITHIN { WITHIN } else { worse(found, self.against_links(link, &here, &placed)) };
                if found == WITHIN {
                    return WITHIN;
                }
                verdict = worse(verdict, found);
                if let Some(place) = placed.get_mut(capsule) {
                    *place = here;
                }
                capsule += 1;
            }
            joint += 1;
        }
        verdict
    }

    #[inline(always)]
    fn against_obstacles(&self, link: &LinkCapsule, here: &Placed) -> u8 {
        let middle = (here.start + here.end) * 0.5;
        let half = (here.end - here.start) * 0.5;
        // The middle and the half are off by less than the error bound, which is added once more.
        let extent = root(half.dot(half)) + link.radius_upper + self.margin.upper + 2.0 * self.error;
        let mut verdict = APART;
        for obstacle in self.obstacles {
            let [x, y, z] = obstacle.middle;
            let between = middle - Vec3::new(x, y, z);
            let far = extent + obstacle.extent;
            if between.dot(between) > far * far {
                continue;
            }
            let reach = Reach {
                lower: link.radius_lower + obstacle.radius_lower + self.margin.lower,
                upper: link.radius_upper + obstacle.radius_upper + self.margin.upper,
            };
            let ([a, b, c], [d, e, f]) = (obstacle.start, obstacle.end);
            let other = Placed { start: Vec3::new(a, b, c), end: Vec3::new(d, e, f) };
            match here.test(&other, reach, self.error) {
                WITHIN => return WITHIN,
                found => verdict = worse(verdict, found),
            }
        }
        verdict
    }

    #[inline(always)]
    fn against_links(&self, link: &LinkCapsule, here: &Placed, placed: &[Placed; MAX_CAPSULES]) -> u8 {
        let mut verdict = APART;
        for (i, (earlier, there)) in self.capsules.iter().zip(placed).enumerate() {
            if link.against >> i & 1 == 0 {
                continue;
            }
            let reach = Reach {
                lower: link.radius_lower + earlier.radius_lower + self.margin.lower,
                upper: link.radius_upper + earlier.radius_upper + self.margin.upper,
            };
            match here.test(there, reach, self.error) {
                WITHIN => return WITHIN,
                found => verdict = worse(verdict, found),
            }
        }
        verdict
    }
}

/// [`OPEN`] if one of them is; neither is [`WITHIN`].
#[inline(always)]
fn worse(a: u8, b: u8) -> u8 {
    if a == OPEN { a } else { b }
}

/// A number, brought into 0..=1; a NaN becomes zero.
#[inline(always)]
fn clamp(x: f32) -> f32 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

impl Placed {
    /// Is the distance of two segments more than the reach?
    ///
    /// The nearest points are at s and t with s (a a) - t (a b) = -(a·r), s (a b) - t (b b) = -(b·r) for edges a, b and r = p0 - q0, clamped to the
    /// segments one after the other. Any s and t prove an upper bound, any v a lower one.
    #[inline(always)]
    fn test(&self, other: &Self, reach: Reach, error: f32) -> u8 {
        let (a, b, r) = (self.end - self.start, other.end - other.start, self.start - other.start);
        let (aa, bb, ab, ar, br) = (a.dot(a), b.dot(b), a.dot(b), a.dot(r), b.dot(r));
        let determinant = aa * bb - ab * ab;
        let s = clamp((ab * br - bb * ar) / determinant);
        let t = clamp((ab * s + br) / bb);
        let s = clamp((ab * t - ar) / aa);
        let v = r + a * s - b * t;
        let length = root(v.dot(v));
        // The lesser end of this segment, the greater one of the other.
        let (p, q) = ([v.dot(self.start), v.dot(self.end)], [v.dot(other.start), v.dot(other.end)]);
        let height = (if p[0] < p[1] { p[0] } else { p[1] }) - (if q[0] > q[1] { q[0] } else { q[1] });
        if height > (reach.upper + error) * length {
            APART
        } else if length <= reach.lower - error {
            WITHIN
        } else {
            OPEN
        }
    }
}

impl Frame {
    #[inline(always)]
    fn rotate(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [a, b, c] = self.columns;
        [a[0] * x + b[0] * y + c[0] * z, a[1] * x + b[1] * y + c[1] * z, a[2] * x + b[2] * y + c[2] * z]
    }

    /// A point of this frame in that of the base.
    #[inline(always)]
    fn point(&self, local: [f64; 3]) -> Vec3 {
        let ([x, y, z], [a, b, c]) = (self.rotate(local), self.origin);
        Vec3::new((x + a) as f32, (y + b) as f32, (z + c) as f32)
    }

    #[inline(always)]
    fn after(&self, fixed: &Self) -> Self {
        let ([x, y, z], [a, b, c]) = (self.rotate(fixed.origin), self.origin);
        let [p, q, r] = fixed.columns;
        Self { columns: [self.rotate(p), self.rotate(q), self.rotate(r)], origin: [x + a, y + b, z + c] }
    }

    /// Turned about its z axis.
    #[inline(always)]
    fn turned(&self, angle: f64) -> Self {
        let (s, c) = sine_and_cosine(angle);
        let [x, y, z] = self.columns;
        let mix =
            |p: [f64; 3], q: [f64; 3], c: f64, s: f64| [c * p[0] + s * q[0], c * p[1] + s * q[1], c * p[2] + s * q[2]];
        Self { columns: [mix(x, y, c, s), mix(x, y, -s, c), z], origin: self.origin }
    }
}

/// Sine and cosine of an angle of at most 1000, off by less than 2e-12.
///
/// The angle less the nearest multiple k of π / 2, |k| ≤ 637: π / 2 in two parts, products of which round by 637 · 1.6 · 2^-53 = 1.2e-13. On
/// |r| ≤ π / 4 the series of the sine ends with r^13 (the next term is below 2.1e-14), that of the cosine with r^14 (3.3e-15). A dozen roundings
/// of numbers up to one add 1e-15 each.
#[inline(always)]
pub fn sine_and_cosine(angle: f64) -> (f64, f64) {
    /// Bound: doubles near 1.5 · 2^52 are whole numbers, so adding and subtracting it rounds to one.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let turns = (angle * core::f64::consts::FRAC_2_PI + WHOLE) - WHOLE;
    // The double next to π / 2, and the rest to a double.
    let r = (angle - turns * core::f64::consts::FRAC_PI_2) - turns * 6.123_233_995_736_766e-17;
    let x = r * r;
    // Reciprocals of factorials, from the highest power down.
    let sine = r + r
        * x
        * (-1.0 / 6.0
            + x * (1.0 / 120.0
                + x * (-1.0 / 5040.0
                    + x * (1.0 / 362_880.0 + x * (-1.0 / 39_916_800.0 + x * (1.0 / 6_227_020_800.0))))));
    let cosine = 1.0
        + x * (-0.5
            + x * (1.0 / 24.0
                + x * (-1.0 / 720.0
                    + x * (1.0 / 40_320.0
                        + x * (-1.0 / 3_628_800.0 + x * (1.0 / 479_001_600.0 + x * (-1.0 / 87_178_291_200.0)))))));
    // Quarter turns: a sum of two whole numbers below 2^52 is exact, and so are its last two bits.
    match (turns as i32) & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}
