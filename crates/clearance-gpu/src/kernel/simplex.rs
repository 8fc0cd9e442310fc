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
    /// The vertices that it needs.
    pub simplex: Simplex,
    /// Is the origin inside of all four vertices?
    pub is_inside: bool,
}

impl Nearest {
    #[inline(always)]
    fn at(point: Vec3, points: [Vec3; 3], count: u32) -> Self {
        Self { point, square: point.dot(point), simplex: Simplex { points, count }, is_inside: false }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        if other.square < self.square { other } else { self }
    }
}

impl Simplex {
    /// No vertex.
    pub const EMPTY: Self = Self { points: [Vec3::ZERO; 3], count: 0 };

    /// The nearest point with a new vertex.
    #[inline(always)]
    pub fn nearest(&self, newest: Vec3) -> Nearest {
        let [a, b, c] = self.points;
        match self.count {
            0 => Nearest::at(newest, [newest, Vec3::ZERO, Vec3::ZERO], 1),
            1 => segment(a, newest),
            2 => triangle(a, b, newest, (a - newest).cross(b - newest)),
            _ => tetrahedron(a, b, c, newest),
        }
    }

    /// At least the distance of the origin from the simplex, but for the error of its vertices and 20 u of the largest: the length of a convex combination,
    /// whose weights are computed from scratch.
    #[inline(always)]
    pub fn upper(&self) -> f32 {
        let [a, b, c] = self.points;
        let point = match self.count {
            0 => return f32::INFINITY,
            1 => a,
            2 => {
                let to_a = a - b;
                b + to_a * share(-b.dot(to_a) / to_a.dot(to_a))
            }
            _ => {
                let (to_a, to_b) = (a - c, b - c);
                let normal = to_a.cross(to_b);
                let lever = c.cross(normal);
                let square = normal.dot(normal);
                let (of_a, of_b) = (share(to_b.dot(lever) / square), share(-to_a.dot(lever) / square));
                let sum = of_a + of_b;
                let scale = if sum > 1.0 { 1.0 / sum } else { 1.0 };
                c + to_a * (of_a * scale) + to_b * (of_b * scale)
            }
        };
        root(point.dot(point))
    }
}

/// A weight, brought into 0..=1; a NaN becomes zero.
#[inline(always)]
fn share(x: f32) -> f32 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

/// The nearest point of the segment from `a` to the newest vertex.
#[inline(always)]
fn segment(a: Vec3, newest: Vec3) -> Nearest {
    let to_a = a - newest;
    let along = -newest.dot(to_a);
    // Written so that a NaN is the newest vertex alone.
    if along > 0.0 {
        Nearest::at(newest + to_a * (along / to_a.dot(to_a)), [a, newest, Vec3::ZERO], 2)
    } else {
        Nearest::at(newest, [newest, Vec3::ZERO, Vec3::ZERO], 1)
    }
}

/// The nearest point of a triangle whose normal is known.
#[inline(always)]
fn triangle(a: Vec3, b: Vec3, newest: Vec3, normal: Vec3) -> Nearest {
    let (to_a, to_b) = (a - newest, b - newest);
    let lever = newest.cross(normal);
    let (of_a, of_b) = (to_b.dot(lever), -to_a.dot(lever));
    if of_a > 0.0 && of_b > 0.0 {
        let point = normal * (normal.dot(newest) / normal.dot(normal));
        return Nearest::at(point, [a, b, newest], 3);
    }
    if of_a > 0.0 {
        return segment(a, newest);
    }
    if of_b > 0.0 {
        return segment(b, newest);
    }
    segment(a, newest).or(segment(b, newest))
}

/// The nearest point of a tetrahedron: on one of the three faces that have the newest vertex, or the origin.
#[inline(always)]
fn tetrahedron(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Nearest {
    let (to_a, to_b, to_c) = (a - d, b - d, c - d);
    let (bc, ca, ab) = (to_b.cross(to_c), to_c.cross(to_a), to_a.cross(to_b));
    let volume = to_a.dot(bc);
    // Outside of a face: on the other side of it than the opposite vertex.
    let outside = |normal: Vec3| d.dot(normal) * volume >= 0.0;
    let mut near = Nearest {
        point: Vec3::ZERO,
        square: f32::INFINITY,
        simplex: Simplex { points: [a, b, c], count: 3 },
        is_inside: true,
    };
    if outside(ab) {
        near = near.or(triangle(a, b, d, ab));
    }
    if outside(ca) {
        near = near.or(triangle(c, a, d, ca));
    }
    if outside(bc) {
        near = near.or(triangle(b, c, d, bc));
    }
    near
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
