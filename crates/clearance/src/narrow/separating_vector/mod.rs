//! The separating-vector search: is there a plane between A and B?
//!
//! Paper \[QC\] (Chung 1996), chapters 3 and 4. A vector S separates when the farthest point p of A along S comes before the
//! nearest point q of B: `S·(q - p) >= 0`. If it does not, S is reflected in the plane across q - p, which brings it closer to every vector
//! that separates. The reflected vector is tested next. Two balls need one reflection; most pairs of
//! whatever shape need no more than two.
//!
//! | paper | here | meaning |
//! |---|---|---|
//! | S | `-v` | the vector that is tested; `v` as in [`gjk`], from B to A |
//! | q - p | `-w` | `w` is the support point of A - B along `-v`, less the radii along v |
//! | r | `-r` | `w` as a unit vector |
//! | w | `normal` | normal of a plane through the origin that has every r so far on one side |
//! | H, half-plane | [`CollisionTest`] | is there such a plane? If there is none, A and B collide |
//!
//! **Proofs.** [`Verdict::Apart`]: the height `v·w` is more than the rounding of the pair, so a plane of that normal
//! is between the shapes. [`Verdict::Overlapping`]: four points of A - B have the origin between them, by more than any
//! rounding of the four could undo. Everything else is [`Verdict::Touching`] or [`Verdict::HandedOver`], which claim nothing;
//! [`intersects`] puts those to GJK.
//!
//! **Touching.** The paper calls a height of zero no collision, and so does [`collides`]: shapes that touch within rounding do
//! not collide. [`intersects`] has the meaning that it has in all of the library, where touching counts.
//!
//! **Ends.** A pair of vertices that comes up twice in a row separates but for rounding (lemma 3), and so does one that is known
//! when the vector was the collision test's own (lemma 8). So a search on polytopes ends, after as many steps as A - B has
//! vertices at the latest. That is no bound to rely on, and smooth shapes have no vertices that could come up again: after
//! [`MAX_STEPS`] steps the search is handed over to GJK, which is counted ([`SearchOutcome::is_handed_over`]).
//!
//! **Deviations.** (1) The first steps are taken in single precision, like those of GJK: the vectors agree up to rounding, and their
//! results are proved. (2) Supporting vertices come from the shapes' own support mappings (a scan or a table by direction) instead of hill
//! climbing, which can end on a plateau of rounding and then proves nothing. (3) The vertices of one search are kept in a list of at most
//! [`MAX_STEPS`], not in a table of n times m stamps. (4) The collision test's "no plane" is not believed before its four vectors have been
//! checked. (5) Shapes with a radius are searched without replacing them by polytopes: they are smooth.
//!
//! Prefer another engine when: the distance is wanted, or shapes overlap most of the time.

mod half_planes;
mod hemisphere;
mod rough;
mod start;
mod step;
#[cfg(test)]
mod tests;

pub use half_planes::HalfPlanes;
pub use hemisphere::Hemisphere;
pub use start::Start;
pub use step::{Blend, Conservative, Greedy, StepRule};

use super::simplex::SignedVolumes;
use super::{Difference, Vertex, gjk};
use crate::math::Frame;
use crate::math::rounding::OF_RADII;
use crate::shape::{Convex, NO_VERTEX};
use glam::DVec3;

/// Steps of a search, after which GJK decides. Limit: the longest search seen on hulls, rods and plates with up to a thousand vertices has 43.
pub const MAX_STEPS: usize = 64;

/// State kept from one call to the next. The default is cold, and everything in it is safe when stale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LastVector {
    /// The last v, from B to A in the frame of A; `-v` separates if the shapes were apart. Zero when there is none.
    pub axis: DVec3,
    /// The supporting vertices that belong to it, in A and B, or [`NO_VERTEX`].
    pub ids: [u32; 2],
}

impl Default for LastVector {
    fn default() -> Self {
        Self::along(DVec3::ZERO)
    }
}

impl LastVector {
    /// The cache of an engine that knows a vector, v in the frame of A, but no vertices; zero if there is none.
    #[must_use]
    pub fn along(axis: DVec3) -> Self {
        Self { axis, ids: [NO_VERTEX; 2] }
    }
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// A plane is between the shapes: proved.
    Apart,
    /// The paper's "no collision" without a proof: a height of zero, or a lemma that says so, to rounding.
    Touching,
    /// The shapes overlap: proved.
    Overlapping,
    /// Neither a plane nor a proof that there is none: GJK's turn.
    HandedOver,
}

/// The result of a search, and its work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchOutcome {
    /// How it ended.
    pub verdict: Verdict,
    /// Vectors that were asked about: the paper's k. Never more than [`MAX_STEPS`], and as many of single precision.
    pub steps: u32,
    /// How often a pair of vertices came up again.
    pub repeats: u32,
    /// The last four pairs of vertices that came up again, if any did.
    pub reoccurring: Start,
    /// The supporting vertices of the last vector and of the one before.
    pub last_two: [[u32; 2]; 2],
    /// The last vector, v, of length one, and the supporting vertices that belong to it.
    pub cache: LastVector,
    /// The signed distance is at least this: the height of the last plane, less the rounding; negative infinity if it
    /// does not separate.
    pub lower: f64,
}

impl SearchOutcome {
    /// Was the search left to GJK?
    #[must_use]
    pub fn is_handed_over(&self) -> bool {
        self.verdict == Verdict::HandedOver
    }

    /// Where a search for the closest points can start (section 5.5): the last two pairs of vertices, and those that came up again, up to four.
    ///
    /// The thesis takes those that came up again, and the last two only if there are none. That is mostly one pair, and takes more rounds
    /// than the last two do (`gilbert_rounds` of `clearance-papers`); with both it takes fewest.
    #[must_use]
    pub fn start(&self) -> Start {
        let mut start = Start::from_vertices(&self.last_two);
        for &pair in self.reoccurring.vertices().iter().rev().take(2) {
            start.push(pair);
        }
        start
    }
}

/// Is there a plane through the origin that has all of the vectors on one side? Asked again with every vector that is added.
pub trait CollisionTest: Default {
    /// Adds the last of the unit vectors `all`; the others were added before.
    fn add(&mut self, all: &[DVec3]) -> OriginSide;

    /// The unit normal of a plane that has all vectors on its positive side, to rounding. Only after [`OriginSide::One`].
    fn normal(&self) -> DVec3;
}

/// The result of a [`CollisionTest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginSide {
    /// All vectors are on one side of a plane.
    One,
    /// They are not: the origin is in the hull of these four.
    Both([usize; 4]),
}

/// Do the shapes overlap? Touching does not count: "yes" is proved, or is GJK's.
///
/// The paper's choice: greedy steps, and the hemisphere method, which take fewest steps and least time. The half-planes take a tenth more,
/// the conservative step up to twice as many steps (`vector_steps` in the lab measures it). [`search`] has the other choices.
pub fn collides<A, B>(a: &A, b: &B, b_in_a: &Frame, cache: &mut LastVector) -> bool
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let difference = Difference::new(a, b, b_in_a);
    let found = search::<Hemisphere, Greedy, A, B>(&difference, &Greedy, cache);
    match found.verdict {
        Verdict::Apart | Verdict::Touching => false,
        Verdict::Overlapping => true,
        Verdict::HandedOver => ask_gjk(a, b, b_in_a, &found),
    }
}

/// Do the shapes share a point? Touching counts: `false` is proved, `true` means overlap or a gap within rounding.
///
/// The fastest way: first steps in single precision, then the search in full, then GJK.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance::internals::narrow::separating_vector::{self, LastVector};
/// use clearance::shape::Cuboid;
///
/// let cube = Cuboid::new([1.0, 1.0, 1.0].into())?;
/// let mut cache = LastVector::default();
/// let mut at = |x: f64| {
///     let b_in_a = Frame::relative(&Pose::IDENTITY, &Pose::from_translation([x, 0.5, 0.0]));
///     separating_vector::intersects(&cube, &cube, &b_in_a, &mut cache)
/// };
/// assert!(!at(2.5) && at(2.0) && at(1.5));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[inline(always)]
pub fn intersects<A, B>(a: &A, b: &B, b_in_a: &Frame, cache: &mut LastVector) -> bool
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    intersects_and_start(a, b, b_in_a, cache, &mut Start::default())
}

/// [`intersects`]; where the shapes overlap, a search for the closest points of the frame before can begin at `start`.
#[inline(always)]
pub fn intersects_and_start<A, B>(a: &A, b: &B, b_in_a: &Frame, cache: &mut LastVector, start: &mut Start) -> bool
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let difference = Difference::new(a, b, b_in_a);
    let is_cold = !is_vector(cache.axis);
    let axis = first_axis(&difference, cache);
    // Nothing separates balls that overlap, and these are inside of the shapes, if the query is about the line of centres.
    if is_cold {
        let inside = a.inner_radius() + b.inner_radius() - difference.rounding;
        if inside > 0.0 && axis.length_squared() < inside * inside {
            return true;
        }
    }
    let (is_apart, axis) = rough::search(&difference, axis, 0.0);
    if is_apart {
        *cache = LastVector::along(axis);
        return false;
    }
    settle(&difference, axis, cache, start)
}

/// Are the shapes proved to be farther apart than `limit`? "No" may mean that it was not found out.
///
/// This is the search of [`intersects`], about shapes with half of the limit more around each. Every pair that is apart fulfils a negative
/// limit, and no pair fulfils a NaN.
pub fn is_beyond<A, B>(a: &A, b: &B, b_in_a: &Frame, limit: f64, cache: &mut LastVector) -> bool
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let difference = Difference::new(a, b, b_in_a);
    if !(limit < crate::error::MAX_COORDINATE) {
        return false;
    }
    let limit = limit.max(0.0);
    let (is_apart, axis) = rough::search(&difference, first_axis(&difference, cache), limit);
    *cache = LastVector::along(axis);
    is_apart || search_beyond::<Hemisphere, Greedy, A, B>(&difference, limit, &Greedy, cache).verdict == Verdict::Apart
}

/// The rest of [`intersects`], where the first steps were not enough. Apart, because most queries end before.
#[inline(never)]
fn settle<A, B>(difference: &Difference<'_, A, B>, axis: DVec3, cache: &mut LastVector, start: &mut Start) -> bool
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    *cache = LastVector::along(axis);
    let found = search::<Hemisphere, Greedy, A, B>(difference, &Greedy, cache);
    *start = found.start();
    match found.verdict {
        Verdict::Apart => false,
        Verdict::Overlapping => true,
        Verdict::Touching | Verdict::HandedOver => ask_gjk(difference.a, difference.b, difference.b_in_a, &found),
    }
}

/// GJK's intersection test, from where the search ended.
#[cold]
fn ask_gjk<A, B>(a: &A, b: &B, b_in_a: &Frame, found: &SearchOutcome) -> bool
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut cache = gjk::WarmSimplex::of_axis(found.cache.axis);
    gjk::intersects_with::<SignedVolumes, A, B>(a, b, b_in_a, &mut cache)
}

/// The search of the paper in double precision, with a choice of steps and of the collision test.
///
/// It starts from the vector in the cache, else from the line of centres (section 3.4), and leaves its last vector there.
pub fn search<T, P, A, B>(difference: &Difference<'_, A, B>, step: &P, cache: &mut LastVector) -> SearchOutcome
where
    T: CollisionTest,
    P: StepRule,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    search_beyond::<T, P, A, B>(difference, 0.0, step, cache)
}

/// The search about shapes with so much more around them.
fn search_beyond<T, P, A, B>(
    difference: &Difference<'_, A, B>,
    more: f64,
    step: &P,
    cache: &mut LastVector,
) -> SearchOutcome
where
    T: CollisionTest,
    P: StepRule,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let radius = difference.a.radius() + difference.b.radius() + more;
    let rounding = difference.rounding + OF_RADII * radius;
    let mut test = T::default();
    let mut visited = Visited::default();
    let mut v = unit_or_x(first_axis(difference, cache));
    // Lemma 8 speaks of vectors that are the collision test's own.
    let mut is_from_test = false;
    let mut repeats = 0;
    let mut reoccurring = Start::default();
    let mut last = Vertex { ids: [NO_VERTEX; 2], ..Vertex::ORIGIN };
    let mut before: Vertex;
    let mut steps = 0;
    let (verdict, height) = loop {
        steps += 1;
        let vertex = difference.support(v);
        let w = vertex.w - radius * v;
        // (3.1), S·(q - p); v has length one.
        let height = v.dot(w);
        let is_vertex = radius == 0.0 && vertex.ids.iter().all(|&id| id != NO_VERTEX);
        let is_same = steps > 1 && is_vertex && vertex.ids == last.ids;
        (before, last) = (last, vertex);
        if height > rounding {
            break (Verdict::Apart, height);
        }
        let length_squared = w.dot(w);
        // Lemma 1 as the paper has it, with zero; lemma 3. A point of A - B at the origin is a point that the shapes share.
        if height >= 0.0 || is_same || length_squared <= rounding * rounding {
            break (Verdict::Touching, height);
        }
        // A NaN, or too many steps.
        if !length_squared.is_finite() || steps == MAX_STEPS {
            break (Verdict::HandedOver, height);
        }
        if is_vertex && visited.contains(vertex.ids) {
            repeats += 1;
            reoccurring.push(vertex.ids);
            if is_from_test {
                break (Verdict::Touching, height);
            }
            v = test.normal();
            is_from_test = true;
            continue;
        }
        is_from_test = false;
        let r = w / length_squared.sqrt();
        visited.push(vertex.ids, w, r);
        if let OriginSide::Both(four) = test.add(visited.vectors()) {
            let is_proved = holds_origin(four.map(|index| visited.w[index]), rounding);
            break (if is_proved { Verdict::Overlapping } else { Verdict::HandedOver }, height);
        }
        v = unit_or_x(step.next(v, r));
    };
    *cache = LastVector { axis: v, ids: last.ids };
    let lower = if verdict == Verdict::Apart { height - rounding } else { f64::NEG_INFINITY };
    let last_two = [last.ids, before.ids];
    SearchOutcome { verdict, steps: steps as u32, repeats, reoccurring, last_two, cache: *cache, lower }
}

/// The points that a search has met.
struct Visited {
    count: usize,
    ids: [[u32; 2]; MAX_STEPS],
    w: [DVec3; MAX_STEPS],
    r: [DVec3; MAX_STEPS],
}

impl Default for Visited {
    fn default() -> Self {
        Self { count: 0, ids: [[0; 2]; MAX_STEPS], w: [DVec3::ZERO; MAX_STEPS], r: [DVec3::ZERO; MAX_STEPS] }
    }
}

impl Visited {
    fn contains(&self, ids: [u32; 2]) -> bool {
        self.ids[..self.count].contains(&ids)
    }

    fn push(&mut self, ids: [u32; 2], w: DVec3, r: DVec3) {
        // Every step but the last pushes once at most.
        let place = self.count.min(MAX_STEPS - 1);
        (self.ids[place], self.w[place], self.r[place]) = (ids, w, r);
        self.count = place + 1;
    }

    fn vectors(&self) -> &[DVec3] {
        &self.r[..self.count]
    }
}

/// Is the origin inside every tetrahedron whose corners are within `rounding` of these?
///
/// It is when the four volumes p·(q × r) that it makes with the faces have one sign that no such motion can change. Moving each corner by δ
/// changes a volume by at most δ (|p||q| + |q||r| + |r||p|) and terms of δ², its own rounding by less.
fn holds_origin([a, b, c, d]: [DVec3; 4], rounding: f64) -> bool {
    let [la, lb, lc, ld] = [a.length(), b.length(), c.length(), d.length()];
    let (ab, cd) = (a.cross(b), c.cross(d));
    let volumes = [b.dot(cd), -a.dot(cd), d.dot(ab), -c.dot(ab)];
    let allowance = |x: f64, y: f64, z: f64| 2.0 * rounding * (x * y + y * z + z * x);
    let allowances = [allowance(lb, lc, ld), allowance(la, lc, ld), allowance(la, lb, ld), allowance(la, lb, lc)];
    // Written so that a NaN is outside.
    volumes.iter().zip(allowances).all(|(&volume, least)| volume > least)
        || volumes.iter().zip(allowances).all(|(&volume, least)| volume < -least)
}

/// Written so that a NaN is no vector.
fn is_vector(v: DVec3) -> bool {
    v.dot(v) > 0.0
}

/// The vector of the last call, else the line of centres, else any direction.
#[inline]
fn first_axis<A, B>(difference: &Difference<'_, A, B>, cache: &LastVector) -> DVec3
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    if is_vector(cache.axis) {
        return cache.axis;
    }
    let center = difference.center();
    if is_vector(center) { center } else { DVec3::X }
}

fn unit_or_x(v: DVec3) -> DVec3 {
    v.try_normalize().unwrap_or(DVec3::X)
}
