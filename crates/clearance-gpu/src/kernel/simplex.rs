//! The nearest point of a simplex in single precision, and what the simplex proves about A - B.
//!
//! The newest vertex is always needed: it is farther toward the origin than all that came before it. So only the parts that have it
//! are compared. Rounding may choose a part that is not quite the nearest. That costs a round of the search, never the truth: [`Simplex::upper`] bounds the length of a
//! point that is a convex combination whatever was chosen, and [`holds_origin`] has its own bound.

use super::vector::{Vec3, larger, root};

/// Up to three vertices, the newest last of the used ones.
#[derive(Debug, Clone, Copy)]
pub struct Simplex {
    /// The vertices; those beyond `count` are zero.
    pub points: [Vec3; 3],
    /// How many are used.
    pub count: u32,
}

/// The nearest point of a simplex to the origin.
#[derive(Debug, Clone, Copy)]
pub struct Nearest {
    /// The point.
    pub point: Vec3,
    /// Its squared length.
    pub square: f32,
    /// The vertices that it needs. If the origin is inside of all four, the three older ones with a count of 4.
    pub simplex: Simplex,
}

impl Nearest {
    #[inline(always)]
    fn at(point: Vec3, points: [Vec3; 3], count: u32) -> Self {
        Self { point, square: point.dot(point), simplex: Simplex { points, count } }
    }

    /// Is the origin inside of all four vertices, whatever their errors are?
    #[inline(always)]
    pub fn is_inside(&self) -> bool {
        self.simplex.count == 4
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        if other.square < self.square { other } else { self }
    }
}

impl Simplex {
    /// No vertex.
    pub const EMPTY: Self = Self { points: [Vec3::ZERO; 3], count: 0 };

    /// The nearest point with a new vertex: on one of the faces that have it, or the origin.
    ///
    /// The loop takes one face after the other, so that all threads of a warp run the same code. Two vertices are a face with the first of them twice.
    #[inline(always)]
    pub fn nearest(&self, newest: Vec3, error: f32) -> Nearest {
        let [a, b, c] = self.points;
        let (to_a, to_b, to_c) = (a - newest, b - newest, c - newest);
        // The faces that are left, a bit each: (a, b), (c, a), (b, c).
        let mut faces = match self.count {
            0 => return Nearest::at(newest, [newest, Vec3::ZERO, Vec3::ZERO], 1),
            1 | 2 => 1_u32,
            _ => {
                let (bc, ca, ab) = (to_b.cross(to_c), to_c.cross(to_a), to_a.cross(to_b));
                let volume = to_a.dot(bc);
                // Outside of a face: on the other side of it than the opposite vertex.
                let outside = |normal: Vec3, bit: u32| u32::from(newest.dot(normal) * volume >= 0.0) << bit;
                let faces = outside(ab, 0) | outside(ca, 1) | outside(bc, 2);
                // In a flat tetrahedron rounding may put the origin inside: without a proof all faces are candidates.
                if faces == 0 && !holds_origin(self.points, newest, error) { ALL_FACES } else { faces }
            }
        };
        let mut near =
            Nearest { point: Vec3::ZERO, square: f32::INFINITY, simplex: Simplex { points: [a, b, c], count: 4 } };
        while faces != 0 {
            let [first, second] = match (faces & 1 != 0, faces & 2 != 0) {
                (true, _) => [a, if self.count == 1 { a } else { b }],
                (_, true) => [c, a],
                _ => [b, c],
            };
            near = near.or(triangle(first, second, newest));
            faces &= faces - 1;
        }
        near
    }

    /// At least the distance of the origin from the simplex, but for the error of its vertices and 20 u of the largest: the length of a convex combination.
    /// Weights are computed from scratch; those of a thin triangle are poor, so its edges are tried as well.
    #[inline(always)]
    pub fn upper(&self) -> f32 {
        let [a, b, c] = self.points;
        match self.count {
            0 => f32::INFINITY,
            1 => root(a.dot(a)),
            2 => on_segment(a, b),
            _ => {
                let (to_a, to_b) = (a - c, b - c);
                let normal = to_a.cross(to_b);
                let lever = c.cross(normal);
                let square = normal.dot(normal);
                let (of_a, of_b) = (share(to_b.dot(lever) / square), share(-to_a.dot(lever) / square));
                let sum = of_a + of_b;
                let scale = if sum > 1.0 { 1.0 / sum } else { 1.0 };
                let point = c + to_a * (of_a * scale) + to_b * (of_b * scale);
                let edges = smaller(smaller(on_segment(a, b), on_segment(b, c)), on_segment(c, a));
                smaller(root(point.dot(point)), edges)
            }
        }
    }
}

/// The distance of a segment from the origin, as the length of a point on it.
#[inline(always)]
fn on_segment(a: Vec3, b: Vec3) -> f32 {
    let to_a = a - b;
    let point = b + to_a * share(-b.dot(to_a) / to_a.dot(to_a));
    root(point.dot(point))
}

/// The smaller of two numbers, the second if one is NaN.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Bits of the three faces that have the newest vertex. Layout: a bit each.
const ALL_FACES: u32 = 7;

/// A weight, brought into 0..=1; a NaN becomes zero.
#[inline(always)]
fn share(x: f32) -> f32 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

/// The nearest point of a triangle, on its face or on one of the two edges that have the newest vertex. A triangle without area has edges only.
#[inline(always)]
fn triangle(a: Vec3, b: Vec3, newest: Vec3) -> Nearest {
    let (to_a, to_b) = (a - newest, b - newest);
    let normal = to_a.cross(to_b);
    let lever = newest.cross(normal);
    let (weight_a, weight_b, all) = (to_b.dot(lever), -to_a.dot(lever), normal.dot(normal));
    let (of_a, of_b) = (weight_a > 0.0, weight_b > 0.0);
    // Without a share of the newest vertex another face has the nearest point: a point of this one's edges is enough.
    let of_newest = weight_a + weight_b < all;
    if of_a && of_b && of_newest {
        let point = normal * (normal.dot(newest) / all);
        return Nearest::at(point, [a, b, newest], 3);
    }
    // With one weight that is positive, the edge of that vertex; else the nearer one.
    let on_a = if of_b && !of_a { None } else { Some(edge(to_a, newest)) };
    let on_b = if of_a && !of_b { None } else { Some(edge(to_b, newest)) };
    let (point, other) = match (on_a, on_b) {
        (Some(on_a), Some(on_b)) if on_b.dot(on_b) < on_a.dot(on_a) => (on_b, b),
        (Some(on_a), _) => (on_a, a),
        (None, Some(on_b)) => (on_b, b),
        (None, None) => (newest, a),
    };
    if point == newest {
        return Nearest::at(newest, [newest, Vec3::ZERO, Vec3::ZERO], 1);
    }
    Nearest::at(point, [other, newest, Vec3::ZERO], 2)
}

/// The nearest point of the edge from the newest vertex, written so that a NaN is that vertex.
#[inline(always)]
fn edge(to: Vec3, newest: Vec3) -> Vec3 {
    let along = -newest.dot(to);
    if along > 0.0 { newest + to * (along / to.dot(to)) } else { newest }
}

/// Is the origin inside of every tetrahedron whose vertices are within `error` of these? The proof is in the head of `bounds`; the factor
/// there is 4.
#[inline(always)]
pub fn holds_origin([a, b, c]: [Vec3; 3], d: Vec3, error: f32) -> bool {
    let (ab, cd) = (a.cross(b), c.cross(d));
    let volumes = [b.dot(cd), -a.dot(cd), d.dot(ab), -c.dot(ab)];
    let longest = larger(larger(a.dot(a), b.dot(b)), larger(c.dot(c), d.dot(d)));
    let threshold = 4.0 * error * longest;
    // Written so that a NaN is outside.
    volumes.iter().all(|&volume| volume > threshold) || volumes.iter().all(|&volume| volume < -threshold)
}
