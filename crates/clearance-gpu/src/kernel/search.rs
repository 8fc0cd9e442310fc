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

use super::bounds::{SHORTEST, SIZES};
use super::simplex::Simplex;
use super::vector::{Points, Rotation, Vec3, root};
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
    /// At most the sum of the radii of two balls about the origins, each inside of its core; negative if an origin is outside.
    pub inner: f32,
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
    /// Is the bracket as narrow as rounding allows, within a factor of three? Else the library answers.
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

/// A query at its beginning.
#[derive(Debug, Clone, Copy)]
pub enum Start<Q, V> {
    /// It is answered.
    Answered(V),
    /// It takes rounds.
    Search(Q),
}

/// A query for yes or no.
#[derive(Debug, Clone, Copy)]
pub struct WithinQuery {
    search: Search,
    /// Heights above this prove "apart", per length of the direction.
    apart: f32,
    /// Distances up to this prove "within".
    inside: f32,
}

impl WithinQuery {
    /// Is the gap of two cores more than the reach? Balls around them and inside of them answer the clear cases.
    #[inline(always)]
    pub fn start<P: Points>(error: f32, cores: &Cores<P>, placed: Placement, reach: Reach) -> Start<Self, u8> {
        let Some(search) = Search::new(error, cores, placed, reach) else { return Start::Answered(OPEN) };
        let (apart, inside) = (reach.upper + search.error, reach.lower - search.error);
        let square = placed.t.dot(placed.t);
        let (far, near) = (cores.radii + apart, cores.inner + inside);
        if square > far * far {
            return Start::Answered(APART);
        }
        if cores.inner >= 0.0 && near > 0.0 && square < near * near {
            return Start::Answered(WITHIN);
        }
        Start::Search(Self { search, apart, inside })
    }

    /// One round of the search; the verdict, once it is known. `TURNED` says that A has a rotation, else it is taken for the identity.
    #[inline(always)]
    pub fn round<const TURNED: bool, P: Points>(&mut self, cores: &Cores<P>) -> Option<u8> {
        let step = self.search.step::<TURNED, P>(cores);
        if step.height > self.apart * step.length {
            return Some(APART);
        }
        match self.search.advance(&step) {
            Advance::Overlaps => Some(WITHIN),
            Advance::Continues => {
                let is_near = self.inside > 0.0 && self.search.bound <= self.inside * self.inside;
                (is_near && self.search.simplex.upper() <= self.inside).then_some(WITHIN)
            }
            Advance::Ends => {
                if self.search.simplex.upper() <= self.inside {
                    return Some(WITHIN);
                }
                if self.search.restart() { None } else { Some(OPEN) }
            }
        }
    }
}

/// A query for the bracket of a gap.
#[derive(Debug, Clone, Copy)]
pub struct GapQuery {
    search: Search,
    reach: Reach,
    /// The greatest height so far.
    highest: f32,
    /// The least distance of a simplex so far.
    lowest: f32,
}

impl GapQuery {
    /// The gap of two shapes with the reach as the sum of their radii.
    #[inline(always)]
    pub fn start<P: Points>(error: f32, cores: &Cores<P>, placed: Placement, reach: Reach) -> Start<Self, Gap> {
        let Some(search) = Search::new(error, cores, placed, reach) else { return Start::Answered(Gap::UNKNOWN) };
        let near = cores.inner + reach.lower - search.error;
        if cores.inner >= 0.0 && near > 0.0 && placed.t.dot(placed.t) < near * near {
            return Start::Answered(Gap::ZERO);
        }
        Start::Search(Self { search, reach, highest: f32::NEG_INFINITY, lowest: f32::INFINITY })
    }

    /// One round of the search; the bracket in units, once it ends.
    #[inline(always)]
    pub fn round<const TURNED: bool, P: Points>(&mut self, cores: &Cores<P>) -> Option<Gap> {
        let step = self.search.step::<TURNED, P>(cores);
        let height = step.height / step.length;
        self.highest = if height > self.highest { height } else { self.highest };
        match self.search.advance(&step) {
            Advance::Continues => None,
            Advance::Overlaps => Some(Gap::ZERO),
            Advance::Ends => {
                let error = self.search.error;
                let lower = self.highest - (self.reach.upper + error);
                let distance = self.search.simplex.upper();
                self.lowest = if distance < self.lowest { distance } else { self.lowest };
                let upper = self.lowest - (self.reach.lower - error);
                // A gap is at least zero. Written so that a NaN bounds nothing and is not closed.
                let lower = if lower > 0.0 { lower } else { 0.0 };
                let upper = if upper > 0.0 { upper } else { 0.0 };
                let gap = Gap { lower, upper, is_closed: upper - lower <= 6.0 * error };
                if gap.is_closed || !self.search.restart() { Some(gap) } else { None }
            }
        }
    }
}

/// The verdict of a [`WithinQuery`]. The error bound is [`ERROR`](super::bounds::ERROR) but for the test that a smaller one is wrong.
#[inline(always)]
pub fn within<const TURNED: bool, P: Points>(error: f32, cores: &Cores<P>, placed: Placement, reach: Reach) -> u8 {
    let mut query = match WithinQuery::start(error, cores, placed, reach) {
        Start::Answered(verdict) => return verdict,
        Start::Search(query) => query,
    };
    loop {
        if let Some(verdict) = query.round::<TURNED, P>(cores) {
            return verdict;
        }
    }
}

/// The bracket of a [`GapQuery`], in units. The error bound is as for [`within`].
#[inline(always)]
pub fn gap<const TURNED: bool, P: Points>(error: f32, cores: &Cores<P>, placed: Placement, reach: Reach) -> Gap {
    let mut query = match GapQuery::start(error, cores, placed, reach) {
        Start::Answered(gap) => return gap,
        Start::Search(query) => query,
    };
    loop {
        if let Some(gap) = query.round::<TURNED, P>(cores) {
            return gap;
        }
    }
}

impl Gap {
    /// In lengths, from units of a power of two: one over it is exact, and so is the product.
    #[inline(always)]
    pub fn in_lengths(self, scale: f32) -> Self {
        let length = 1.0 / scale;
        Self { lower: self.lower * length, upper: self.upper * length, ..self }
    }
}

/// A search under way.
#[derive(Debug, Clone, Copy)]
struct Search {
    placed: Placement,
    /// The direction: a point of A - B but in the first round.
    v: Vec3,
    /// The squared length of the nearest point so far.
    bound: f32,
    simplex: Simplex,
    /// The error bound of heights and points.
    error: f32,
    rounds: u32,
    is_second: bool,
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
    fn new<P: Points>(error: f32, cores: &Cores<P>, placed: Placement, reach: Reach) -> Option<Self> {
        let size = cores.radii + placed.t.abs().sum() + reach.upper;
        // A NaN is in no range.
        if !SIZES.contains(&size) {
            return None;
        }
        let v = -placed.t;
        let is_short = !(v.dot(v) > SHORTEST);
        let v = if is_short { Vec3::new(1.0, 0.0, 0.0) } else { v };
        Some(Self {
            placed,
            v,
            bound: f32::INFINITY,
            simplex: Simplex::EMPTY,
            error: error * size,
            rounds: 0,
            is_second: false,
        })
    }

    /// Begins again from a vertex of the last simplex, once. An origin within rounding of a face of a simplex leaves the search without a
    /// direction, although the shapes may overlap deeply; another order of vertices has other faces.
    #[inline(always)]
    fn restart(&mut self) -> bool {
        if self.is_second || self.simplex.count == 0 {
            return false;
        }
        let [first, ..] = self.simplex.points;
        (self.v, self.bound, self.simplex) = (first, f32::INFINITY, Simplex::EMPTY);
        (self.rounds, self.is_second) = (0, true);
        true
    }

    #[inline(always)]
    fn step<const TURNED: bool, P: Points>(&self, cores: &Cores<P>) -> Step {
        let (v, placed) = (self.v, &self.placed);
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
        let near = self.simplex.nearest(step.point, self.error);
        if near.is_inside() {
            return Advance::Overlaps;
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
