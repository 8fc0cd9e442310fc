//! Two cores, convex hulls of a few points: is their gap more than a margin, and how large is it?
//!
//! GJK \[Gilbert, Johnson, Keerthi, 1988\] searches the point of A - B that is nearest to the origin. The search itself proves nothing. Two tests in it
//! do, with the bounds of [`bounds`](super::bounds):
//! * The height of A - B along a direction, less the error, is a lower bound of the gap: "apart" if it exceeds the margin.
//! * A convex combination of points of A - B is an upper bound, with the error added: "within" if it is no more than the margin. A tetrahedron
//!   of them that has the origin deeper inside than the error is an overlap.
//!
//! Spheres, capsules and rounded hulls are cores with a radius. Radii and margin are one number, the [`Reach`]: the gap of the shapes exceeds the margin if
//! and only if that of the cores exceeds the reach.

use super::bounds::{ERROR, SHORTEST, SIZES};
use super::simplex::{Simplex, holds_origin};
use super::vector::{Points, PoseNumbers, Rotation, Vec3, root};
use super::verdict::{APART, OPEN, WITHIN};

/// Rounds after which a search ends. Limit: f32 converges or stalls in fewer than 12 rounds for nearly all pairs; a cycle ends here.
const ROUNDS: u32 = 24;

/// Progress of a round, relative, below which a search for the nearest point ends: half of the digits of the square. Bound: it only ends the search; the bracket is computed.
const PROGRESS: f32 = 4.0 * super::bounds::UNIT;

/// Two cores.
#[derive(Debug, Clone, Copy)]
pub struct Cores<P> {
    /// Points of A.
    pub a: P,
    /// Points of B.
    pub b: P,
    /// At least the sum of both bounding radii.
    pub radii: f32,
}

/// The sum of radii and margin, rounded both ways.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// At most the sum.
    pub lower: f32,
    /// At least the sum.
    pub upper: f32,
}

/// Where two cores are: A turned about the origin, B turned and moved.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    /// Rotation of A.
    pub a: Rotation,
    /// Rotation of B.
    pub b: Rotation,
    /// The origin of B relative to that of A.
    pub t: Vec3,
}

/// A proved bracket of the gap, at least zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The gap is at least this.
    pub lower: f32,
    /// The gap is at most this.
    pub upper: f32,
    /// Is the bracket as narrow as rounding allows, within a factor of two? Else the library answers.
    pub is_closed: bool,
}

impl Gap {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { lower: 0.0, upper: f32::INFINITY, is_closed: false };
    /// The shapes overlap.
    pub const ZERO: Self = Self { lower: 0.0, upper: 0.0, is_closed: true };
}

/// The farthest of some points along a direction, and its height.
#[inline(always)]
fn farthest<P: Points>(points: P, direction: Vec3) -> (f32, Vec3) {
    let mut index = 0;
    let mut height = points.point(0).dot(direction);
    let mut i = 1;
    while i < points.count() {
        let candidate = points.point(i).dot(direction);
        if candidate > height {
            height = candidate;
            index = i;
        }
        i += 1;
    }
    (height, points.point(index))
}

/// Is the gap of two cores more than the reach? `TURNED` says that A has a rotation, else it is taken for the identity.
#[inline(always)]
pub fn within<const TURNED: bool, P: Points>(cores: &Cores<P>, placed: &Placement, reach: Reach) -> u8 {
    within_with::<TURNED, P>(ERROR, cores, placed, reach)
}

/// [`within`] with another error bound, for the test that a smaller one is wrong.
#[inline(always)]
pub fn within_with<const TURNED: bool, P: Points>(
    error: f32,
    cores: &Cores<P>,
    placed: &Placement,
    reach: Reach,
) -> u8 {
    let mut search = match Search::new::<TURNED, P>(error, cores, placed, reach) {
        Some(search) => search,
        None => return OPEN,
    };
    let apart = reach.upper + search.error;
    let inside = reach.lower - search.error;
    loop {
        let step = search.step::<TURNED, P>(cores, placed);
        if step.height > apart * step.length {
            return APART;
        }
        match search.advance(&step) {
            Advance::Continues => {
                if inside > 0.0 && search.bound <= inside * inside && search.simplex.upper() <= inside {
                    return WITHIN;
                }
            }
            Advance::Overlaps => return WITHIN,
            Advance::Ends => break,
        }
    }
    if search.simplex.upper() <= inside { WITHIN } else { OPEN }
}

/// The gap of two shapes with the reach as the sum of their radii.
#[inline(always)]
pub fn gap<const TURNED: bool, P: Points>(cores: &Cores<P>, placed: &Placement, reach: Reach) -> Gap {
    gap_with::<TURNED, P>(ERROR, cores, placed, reach)
}

/// The gap of A at the origin and B at a pose, in lengths.
#[inline(always)]
pub fn gap_at<P: Points>(cores: &Cores<P>, pose: &PoseNumbers, scale: f32, reach: Reach) -> Gap {
    let Some(placed) = Placement::of_b(pose, scale) else { return Gap::UNKNOWN };
    let found = gap::<false, P>(cores, &placed, reach);
    // One over a power of two is exact, and so is the product.
    let length = 1.0 / scale;
    Gap { lower: found.lower * length, upper: found.upper * length, ..found }
}

/// [`gap`] with another error bound, for the test that a smaller one is wrong.
#[inline(always)]
pub fn gap_with<const TURNED: bool, P: Points>(error: f32, cores: &Cores<P>, placed: &Placement, reach: Reach) -> Gap {
    let mut search = match Search::new::<TURNED, P>(error, cores, placed, reach) {
        Some(search) => search,
        None => return Gap::UNKNOWN,
    };
    let mut highest = f32::NEG_INFINITY;
    loop {
        let step = search.step::<TURNED, P>(cores, placed);
        let height = step.height / step.length;
        highest = if height > highest { height } else { highest };
        match search.advance(&step) {
            Advance::Continues => {}
            Advance::Overlaps => return Gap::ZERO,
            Advance::Ends => break,
        }
    }
    let lower = highest - (reach.upper + search.error);
    let upper = search.simplex.upper() - (reach.lower - search.error);
    // A gap is at least zero. Written so that a NaN bounds nothing and is not closed.
    let lower = if lower > 0.0 { lower } else { 0.0 };
    let upper = if upper > 0.0 { upper } else { 0.0 };
    Gap { lower, upper, is_closed: upper - lower <= 4.0 * search.error }
}

/// A search under way.
struct Search {
    /// The direction: a point of A - B but in the first round.
    v: Vec3,
    /// The squared length of the nearest point so far.
    bound: f32,
    simplex: Simplex,
    /// The error bound of heights and points.
    error: f32,
    rounds: u32,
}

/// One evaluation of the support function of A - B.
struct Step {
    /// The least height along v, times the length of v.
    height: f32,
    length: f32,
    point: Vec3,
}

/// The result of a round.
enum Advance {
    Continues,
    Overlaps,
    Ends,
}

impl Search {
    #[inline(always)]
    fn new<const TURNED: bool, P: Points>(
        error: f32,
        cores: &Cores<P>,
        placed: &Placement,
        reach: Reach,
    ) -> Option<Self> {
        let size = cores.radii + placed.t.abs().sum() + reach.upper;
        // A NaN is in no range.
        if !SIZES.contains(&size) {
            return None;
        }
        let v = -placed.t;
        let is_short = !(v.dot(v) > SHORTEST);
        let v = if is_short { Vec3::new(1.0, 0.0, 0.0) } else { v };
        Some(Self { v, bound: f32::INFINITY, simplex: Simplex::EMPTY, error: error * size, rounds: 0 })
    }

    #[inline(always)]
    fn step<const TURNED: bool, P: Points>(&self, cores: &Cores<P>, placed: &Placement) -> Step {
        let v = self.v;
        let in_a = if TURNED { placed.a.back(-v) } else { -v };
        let (height_a, point_a) = farthest(cores.a, in_a);
        let (height_b, point_b) = farthest(cores.b, placed.b.back(v));
        let point_a = if TURNED { placed.a.apply(point_a) } else { point_a };
        Step {
            height: -(height_a + height_b) - v.dot(placed.t),
            length: root(v.dot(v)),
            point: point_a - placed.b.apply(point_b) - placed.t,
        }
    }

    #[inline(always)]
    fn advance(&mut self, step: &Step) -> Advance {
        self.rounds += 1;
        // Converged: no point of A - B is lower than the nearest one by more than rounding.
        if step.height >= (1.0 - PROGRESS) * self.bound {
            return Advance::Ends;
        }
        let near = self.simplex.nearest(step.point);
        if near.is_inside {
            let Simplex { points, .. } = self.simplex;
            return if holds_origin(points, step.point, self.error) { Advance::Overlaps } else { Advance::Ends };
        }
        // Written so that a NaN ends the search.
        if !(near.square < self.bound) || !(near.square > SHORTEST) || self.rounds == ROUNDS {
            return Advance::Ends;
        }
        self.v = near.point;
        self.bound = near.square;
        self.simplex = near.simplex;
        Advance::Continues
    }
}
