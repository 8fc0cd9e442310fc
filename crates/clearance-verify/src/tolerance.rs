//! Tolerances of answers: how far an answer in doubles may be from what it states, before it is refuted.

/// Error of numbers that no bracket is about (witnesses, normals), as a part of the size. Limit: what an answer promises about them.
pub(crate) const CLOSE: f64 = 1e-11;

/// The widest bracket that `converged` may claim, as a part of the size. Limit: the promise of `Status::Converged` in the library;
/// its goals are at most 1e-10 of the sum of the radii.
pub(crate) const CLOSED: f64 = 1e-10;

/// A gap up to this part of the size may be reported as an intersection, and a witness may be off by this part of its coordinates. Limit:
/// twice the rounding error of the library (32 ε), since both ends of its bracket carry it.
pub(crate) const UNSEEN: f64 = 64.0 * f64::EPSILON;

/// Lengths below this count as zero. Limit: ten times the smallest length of the library, below which squares underflow.
pub(crate) const SMALLEST: f64 = 1e-74;

/// The tolerance of a witness of bodies of a `size`. Witnesses are points of the world and carry the rounding of its coordinates, which
/// `far` bounds. `slack` is the sum of the errors that the claim states.
pub(crate) fn of_witness(size: f64, far: f64, slack: f64) -> f64 {
    CLOSE * size + UNSEEN * far + slack + SMALLEST
}
