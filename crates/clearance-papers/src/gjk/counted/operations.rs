//! Floating-point operations by kind.

use clearance::math::DVec3;

/// The number of operations of each kind, as the V-Clip paper counts them: signs and copies are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Operations {
    /// Additions and subtractions.
    pub additions: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// Comparisons of computed numbers.
    pub comparisons: u64,
    /// Divisions.
    pub divisions: u64,
    /// Roots.
    pub roots: u64,
}

impl Operations {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.additions + self.multiplications + self.comparisons + self.divisions + self.roots
    }

    /// A scalar product.
    pub fn dot(&mut self, a: DVec3, b: DVec3) -> f64 {
        self.multiplications += 3;
        self.additions += 2;
        a.dot(b)
    }

    /// The comparison of two numbers.
    pub fn is_less(&mut self, a: f64, b: f64) -> bool {
        self.comparisons += 1;
        a < b
    }

    /// Three scalar products, and the translation if it is a point.
    pub fn turned(&mut self, is_point: bool) {
        self.multiplications += 9;
        self.additions += if is_point { 9 } else { 6 };
    }

    /// A combination of `count` vectors.
    pub fn combined(&mut self, count: u64) {
        self.multiplications += 3 * count;
        self.additions += 3 * (count - 1);
    }
}

impl std::ops::AddAssign for Operations {
    fn add_assign(&mut self, other: Self) {
        self.additions += other.additions;
        self.multiplications += other.multiplications;
        self.comparisons += other.comparisons;
        self.divisions += other.divisions;
        self.roots += other.roots;
    }
}

impl std::ops::Sub for Operations {
    type Output = Self;

    /// The work since an earlier count, which has no larger number of any kind.
    fn sub(self, before: Self) -> Self {
        Self {
            additions: self.additions - before.additions,
            multiplications: self.multiplications - before.multiplications,
            comparisons: self.comparisons - before.comparisons,
            divisions: self.divisions - before.divisions,
            roots: self.roots - before.roots,
        }
    }
}
