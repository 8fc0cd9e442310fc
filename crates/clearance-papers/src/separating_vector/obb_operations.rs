//! The operations of a test of two oriented boxes (\[QC\] 1.1 and 5.6, after Gottschalk, Lin and Manocha: less than 200).
//!
//! It is the test of [RAPID's tree](crate::rapid): fifteen axes, three of each box and nine products of two, in numbers that count.
//! An operation is an addition, subtraction, multiplication, absolute value or comparison.

use clearance::math::{DMat3, DVec3};
use clearance::{Pose, Shape, intersects};
use clearance_lab::{Rng, random};
use std::cell::Cell;
use std::ops::{Add, Mul, Sub};

thread_local! {
    static OPERATIONS: Cell<u32> = const { Cell::new(0) };
}

/// A number whose operations are counted.
#[derive(Debug, Clone, Copy)]
struct Counted(f64);

fn count(value: f64) -> Counted {
    OPERATIONS.with(|sum| sum.set(sum.get() + 1));
    Counted(value)
}

impl Add for Counted {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        count(self.0 + other.0)
    }
}

impl Sub for Counted {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        count(self.0 - other.0)
    }
}

impl Mul for Counted {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        count(self.0 * other.0)
    }
}

impl Counted {
    fn abs(self) -> Self {
        count(self.0.abs())
    }

    fn is_more_than(self, other: Self) -> bool {
        count(0.0);
        self.0 > other.0
    }
}

type Vector = [Counted; 3];

fn dot(a: Vector, b: Vector) -> Counted {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// True if two boxes are apart along one of the fifteen axes. `r[i][j]` is the axis j of B along the axis i of A, t the vector to its middle in the
/// axes of A.
fn are_apart(r: [Vector; 3], t: Vector, a: Vector, b: Vector) -> bool {
    let spread = r.map(|row| row.map(Counted::abs));
    let column = |m: &[Vector; 3], j: usize| [m[0][j], m[1][j], m[2][j]];
    (0..3).any(|i| t[i].abs().is_more_than(a[i] + dot(spread[i], b)))
        || (0..3).any(|j| dot(column(&r, j), t).abs().is_more_than(b[j] + dot(column(&spread, j), a)))
        || (0..3).any(|i| {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            (0..3).any(|j| {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let apart = (t[i2] * r[i1][j] - t[i1] * r[i2][j]).abs();
                let of_a = a[i1] * spread[i2][j] + a[i2] * spread[i1][j];
                let of_b = b[j1] * spread[i][j2] + b[j2] * spread[i][j1];
                apart.is_more_than(of_a + of_b)
            })
        })
}

/// Operations of tests of random boxes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Operations {
    /// Tests, and those of boxes that are apart.
    pub tests: [u32; 2],
    /// The largest count of a test: that of overlapping boxes, which test all axes.
    pub most: u32,
    /// The mean of all, and of boxes that are apart.
    pub mean: [f64; 2],
    /// The operations before the test, for boxes whose axes and middles are given in frames of their own: two products of matrices, two of a matrix
    /// and a vector.
    pub change_of_frame: u32,
    /// Tests whose answer differs from the library's.
    pub wrong: u32,
}

/// Tests `tests` pairs of boxes.
#[must_use]
pub fn run(tests: u32) -> Operations {
    let mut rng = Rng::with_seed(56);
    let mut found = Operations { tests: [tests, 0], change_of_frame: change_of_frame(), ..Operations::default() };
    let mut sums = [0_u64; 2];
    for _ in 0..tests {
        let halves = [(); 2].map(|()| random::vector(&mut rng, 0.1, 1.0));
        let [a, b] = halves.map(|half| Shape::cuboid(half.to_array()).expect("positive extents"));
        let at = random::direction(&mut rng) * random::uniform(&mut rng, 0.0, 2.5);
        let pose = Pose::new(at, random::rotation(&mut rng));
        let turn = DMat3::from_quat(pose.rotation()).transpose();
        let vector = |v: DVec3| v.to_array().map(Counted);
        OPERATIONS.with(|sum| sum.set(0));
        let is_apart = are_apart(
            [vector(turn.x_axis), vector(turn.y_axis), vector(turn.z_axis)],
            vector(at),
            vector(halves[0]),
            vector(halves[1]),
        );
        let operations = OPERATIONS.with(Cell::get);
        found.most = found.most.max(operations);
        found.wrong += u32::from(is_apart == intersects(&a, Pose::IDENTITY, &b, pose));
        sums[0] += u64::from(operations);
        if is_apart {
            found.tests[1] += 1;
            sums[1] += u64::from(operations);
        }
    }
    found.mean = [0, 1].map(|i| sums[i] as f64 / f64::from(found.tests[i].max(1)));
    found
}

fn change_of_frame() -> u32 {
    let (m, v) = ([[Counted(1.0); 3]; 3], [Counted(1.0); 3]);
    OPERATIONS.with(|sum| sum.set(0));
    let times = |v: Vector| m.map(|row| dot(row, v));
    // R B, then Aᵀ of it.
    for _ in 0..2 {
        let _ = [v; 3].map(times);
    }
    // The middle of B in A's frame, from A's middle, along A's axes.
    let center = times(v);
    let between = [0, 1, 2].map(|i| (center[i] + v[i]) - v[i]);
    let _ = times(between);
    OPERATIONS.with(Cell::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_axes_in_numbers_that_count() {
        let found = run(2000);
        assert_eq!(found.wrong, 0);
        // 9 absolute values; 3 axes of 8, 3 of 13, 9 of 12.
        assert_eq!(found.most, 9 + 3 * 8 + 3 * 13 + 9 * 12);
        assert!(found.tests[1] > 500 && found.mean[1] < found.mean[0]);
        assert_eq!(found.change_of_frame, 2 * 45 + 2 * 15 + 6);
    }
}
