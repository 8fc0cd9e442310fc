//! The depth of overlapping shapes: how far is the origin from the boundary of A - B?
//!
//! The expanding polytope algorithm (van den Bergen 2001): a polytope inside A - B grows where its surface is nearest to
//! the origin, until that part of the surface is part of the boundary.
//!
//! **Two bounds.** Every unit direction n bounds the depth from above: the plane across n at the height h(n) of A - B
//! supports it, and moving B by h(n) along n separates the shapes. The polytope bounds the depth from below: a ball
//! about the origin that crosses none of the planes of its faces is inside of it, hence inside of A - B. The face
//! nearest to the origin gives the second bound and, with the support point along its normal, a candidate for the
//! first. When they meet the depth is known; that is how the search ends for every polytope, since each round adds
//! another vertex of A - B.
//!
//! **Exact where it matters.** The surface (`surface.rs`) decides by exact predicates which faces a new point can see, so it stays convex.
//! Distances of faces carry a bound on their own rounding, which is large for slivers. The face that decides is computed again with twice
//! the digits if need be.
//!
//! **Any start will do.** GJK leaves a point, a segment, a triangle or a tetrahedron, on or around the origin. It is
//! made a tetrahedron by support points, and if the origin is outside of that, its distance from some face is negative,
//! so the expansion goes there first. A difference without an inside has depth zero across its plane.
//!
//! **Faster.** For polytopes the search is made in single precision first (`rough.rs`), and only its outcome is proved. On smooth
//! surfaces triangles would have to be halved again and again, so a proof for a whole cap of directions (`cap.rs`) takes over.
//! Pairs that are equally deep in a circle or sphere of directions are searched in the dimensions that their symmetry leaves
//! (`symmetric.rs`). Pairs that are nearly so are searched by cells of directions (`cells`).
//!
//! Complexity: ten to twenty rounds for all but the last kinds, of two support points and about five new faces each.
//!
//! Prefer another engine when: the shapes are apart, or a closed form exists. The others hand overlapping shapes to this one.

mod cap;
pub(crate) mod cells;
pub(crate) mod ellipsoid;
mod improve;
pub(crate) mod rough;
mod start;
mod surface;
mod symmetric;
#[cfg(test)]
mod tests;

use super::outcome::{Cost, Exit, Outcome};
use super::simplex::{Simplex, double_double};
use super::{Bracket, goals};
use super::{Difference, Vertex};
use crate::math::rounding::OF_RADII;
use crate::shape::{Convex, NO_VERTEX};
use crate::tuning::convex::CAP_VERTICES;
use cap::CapFoot;
use glam::DVec3;
use start::Extent;
use surface::{ExpandingPolytope, Growth, Point};

pub(crate) use improve::improve;

/// The best direction so far: an upper bound of the depth of the cores.
#[derive(Clone, Copy)]
struct BestDirection {
    depth: f64,
    normal: DVec3,
}

/// The result of GJK: the point of A - B nearest to the origin, which is the origin up to rounding.
struct Touch {
    w: DVec3,
    /// The point of A it comes from.
    point_a: DVec3,
    /// How far it is from the origin.
    gap: f64,
    /// How it was found.
    exit: Exit,
}

/// The depth of two cores that overlap or touch, as an answer about the shapes. The simplex is what GJK ended with.
#[inline(never)]
pub(crate) fn outcome<A, B>(
    difference: &Difference<'_, A, B>,
    simplex: &Simplex,
    radii: [f64; 2],
    exit: Exit,
    mut cost: Cost,
) -> Outcome
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let (point_a, w) = simplex.combination();
    let touch = Touch { point_a, w, gap: w.length(), exit };
    let mut surface = ExpandingPolytope::new(difference.scale);
    if let Some(vertices) = simplex.tetrahedron()
        && surface.begin_with(vertices)
    {
        return expand(difference, &mut surface, &touch, radii, cost);
    }
    let mut supports = 0;
    let start = start::tetrahedron(difference, simplex.weighted().map(|(_, vertex)| *vertex), &mut supports);
    cost.support_calls += 2 * supports;
    match start {
        Extent::Bad => unknown(Exit::BadSupport, cost),
        Extent::Flat(normal) => flat(difference, normal, &touch, radii, cost),
        Extent::Solid(vertices) => {
            if surface.begin_with(vertices) {
                return expand(difference, &mut surface, &touch, radii, cost);
            }
            // The four are in one plane after all, which the rounding of their spread has hidden.
            let [a, b, c, _] = vertices.map(|vertex| vertex.w);
            flat(difference, start::normal(a, b, c), &touch, radii, cost)
        }
    }
}

/// Grows the surface until its nearest face is on the boundary.
fn expand<A, B>(
    difference: &Difference<'_, A, B>,
    surface: &mut ExpandingPolytope,
    touch: &Touch,
    radii: [f64; 2],
    mut cost: Cost,
) -> Outcome
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    // Vertices of polytopes are numbered; a support point without a number is on a curved surface.
    let is_curved = difference.a.vertex(0).is_none() || difference.b.vertex(0).is_none();
    let goal = if is_curved { goals::CURVED_DEPTH * difference.scale } else { 2.0 * difference.rounding };
    let mut best = BestDirection { depth: f64::INFINITY, normal: DVec3::X };
    let mut caps = Caps { is_useful: difference.a.is_curved() || difference.b.is_curved(), next: 8, foot: None };
    let (face, inner) = loop {
        let (face, inner) = surface.nearest();
        if caps.is_useful
            && surface.count() >= caps.next
            && let Some(inner) = caps.try_at(difference, surface, face, goal, &mut cost)
            && let Some(foot) = &caps.foot
        {
            let out = settle(difference, foot.normal, foot.point_a, [inner, foot.height], goal, radii, cost);
            return Outcome { exit: touch.exit, ..out };
        }
        if best.depth - inner <= goal {
            break (face, inner);
        }
        let (normal, slack) = (surface.get(face).normal, surface.get(face).slack);
        cost.iterations += 1;
        cost.support_calls += 2;
        let vertex = difference.support(-normal);
        let height = normal.dot(vertex.w);
        if !height.is_finite() {
            return unknown(Exit::BadSupport, cost);
        }
        // However uncertain it is, a unit normal proves its height; a face without one proves nothing.
        if height < best.depth && normal != DVec3::ZERO {
            best = BestDirection { depth: height, normal };
            if best.depth - inner <= goal {
                break (face, inner);
            }
        }
        // Next to its own plane, within what is known about it: only a better plane can tell.
        if height - inner <= 2.0 * slack + goal && surface.correct(face) {
            continue;
        }
        // A pair this far from closed is nearly symmetric, and closed sooner by cells.
        if caps.is_useful
            && surface.count() == CAP_VERTICES
            && difference.a.form().is_some()
            && difference.b.form().is_some()
        {
            break (face, inner);
        }
        match surface.grow(vertex, face) {
            Growth::Grown => {}
            Growth::Below | Growth::Full => break (face, inner),
        }
    };
    let bounds = [inner.max(-touch.gap), best.depth];
    let mut witness = witness(surface, face, &best, |vertex| *vertex);
    // The line leaves the surface between the bounds.
    if !(witness.residue <= (bounds[1] - bounds[0]) + 4.0 * difference.rounding) {
        witness = nearest_witness(surface, &best, touch);
    }
    let out = settle(difference, best.normal, witness.point_a, bounds, goal, radii, cost);
    Outcome { ids: witness.ids, count: witness.count, exit: touch.exit, ..out }
}

/// Attempts at a proof by a cap of directions.
struct Caps {
    is_useful: bool,
    /// The number of vertices at which the next attempt is made.
    next: usize,
    foot: Option<CapFoot>,
}

impl Caps {
    /// The depth that is proved by the foot under a face, if there is one and the surface is fine enough around it.
    fn try_at<A, B>(
        &mut self,
        difference: &Difference<'_, A, B>,
        surface: &ExpandingPolytope,
        face: usize,
        goal: f64,
        cost: &mut Cost,
    ) -> Option<f64>
    where
        A: Convex + ?Sized,
        B: Convex + ?Sized,
    {
        self.next = surface.count() + 2;
        let normal = surface.get(face).normal;
        if normal == DVec3::ZERO {
            return None;
        }
        if self.foot.is_none_or(|foot| foot.normal.dot(normal) < 0.9) {
            self.foot = cap::foot(difference, normal, &mut cost.support_calls);
        }
        cap::proved(difference, surface, &self.foot?, goal)
    }
}

/// A point of A - B and where it comes from.
struct DepthWitness {
    point_a: DVec3,
    ids: [[u32; 2]; 4],
    count: u8,
    /// How far it is from where it should be: at the height of A - B over the origin, along the normal.
    residue: f64,
}

impl DepthWitness {
    /// The combination of three vertices.
    fn of(corners: [Vertex; 3], weights: [f64; 3], best: &BestDirection) -> Self {
        let mix = |of: fn(&Vertex) -> DVec3| corners.iter().zip(weights).map(|(v, x)| of(v) * x).sum::<DVec3>();
        let residue = (mix(|vertex| vertex.w) - best.depth * best.normal).length();
        let [i, j, k] = corners.map(|vertex| vertex.ids);
        Self { point_a: mix(|vertex| vertex.point_a), ids: [i, j, k, [NO_VERTEX; 2]], count: 3, residue }
    }
}

/// Where the line from the origin along the normal leaves the surface.
fn witness<P: Point>(
    surface: &ExpandingPolytope<P>,
    mut face: usize,
    best: &BestDirection,
    exact: impl Fn(&P) -> Vertex,
) -> DepthWitness {
    let normal = best.normal;
    // The nearest of several faces in one plane need not be the one below which the origin is: walk there.
    for _ in 0..surface.count() {
        let corners = surface.triangle(face).map(|vertex| exact(vertex).w);
        let outside = (0..3).find(|&i| normal.dot(corners[i].cross(corners[(i + 1) % 3])) < 0.0);
        match outside {
            Some(side) => face = surface.beyond(face, side),
            None => break,
        }
    }
    let corners = surface.triangle(face).map(exact);
    let [a, b, c] = corners.map(|vertex| vertex.w);
    // The foot of the origin in the plane, seen from a corner, so that small triangles lose no digits.
    let (ca, cb, foot) = (a - c, b - c, normal * normal.dot(c) - c);
    let area = normal.dot(ca.cross(cb));
    let (x, y) = (normal.dot(foot.cross(cb)) / area, normal.dot(ca.cross(foot)) / area);
    let mut weights = [x, y, 1.0 - x - y];
    if !weights.iter().all(|&weight| weight >= 0.0) {
        let found = double_double::nearest(&[a, b, c]);
        weights = [found.weights[0], found.weights[1], found.weights[2]];
    }
    DepthWitness::of(corners, weights, best)
}

/// The point of the surface that is nearest to where the witness should be, or what GJK knows if that is nearer.
///
/// Where shapes touch, or faces are slivers, the walk of [`witness`] does not see where it goes. But one of the two is always near. A ball
/// whose radius is the inner bound is within the surface, so a ray from there to the outer bound meets the surface. If that ball has no
/// radius, the inner bound is GJK's.
#[cold]
#[inline(never)]
fn nearest_witness(surface: &ExpandingPolytope, best: &BestDirection, touch: &Touch) -> DepthWitness {
    let target = best.depth * best.normal;
    let ids = [[NO_VERTEX; 2]; 4];
    let mut nearest = DepthWitness { point_a: touch.point_a, ids, count: 0, residue: (touch.w - target).length() };
    for face in 0..surface.distances().len() {
        let corners = surface.triangle(face).map(|vertex| *vertex);
        let [x, y, z, _] = double_double::nearest(&corners.map(|vertex| vertex.w - target)).weights;
        let candidate = DepthWitness::of(corners, [x, y, z], best);
        if candidate.residue < nearest.residue {
            nearest = candidate;
        }
    }
    nearest
}

/// The answer for a difference without an inside: its depth is how far rounding lets it reach along its normal.
fn flat<A, B>(
    difference: &Difference<'_, A, B>,
    normal: DVec3,
    touch: &Touch,
    radii: [f64; 2],
    mut cost: Cost,
) -> Outcome
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    cost.support_calls += 4;
    let [above, below] = [normal, -normal].map(|normal| normal.dot(difference.support(-normal).w));
    let (depth, normal) = if above <= below { (above, normal) } else { (below, -normal) };
    if !depth.is_finite() {
        return unknown(Exit::BadSupport, cost);
    }
    let goal = 2.0 * difference.rounding;
    let out = settle(difference, normal, touch.point_a, [-touch.gap, depth], goal, radii, cost);
    Outcome { exit: touch.exit, ..out }
}

/// The answer for the shapes, from the bounds on the depth of their cores.
fn settle<A, B>(
    difference: &Difference<'_, A, B>,
    normal: DVec3,
    core_a: DVec3,
    [inner, outer]: [f64; 2],
    goal: f64,
    radii: [f64; 2],
    cost: Cost,
) -> Outcome
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let radius = radii[0] + radii[1];
    let rounding = difference.rounding + OF_RADII * radius;
    let Bracket { lower, upper } = Bracket::around([-outer - radius, -inner - radius], rounding);
    let upper = upper.max(lower);
    let distance = (-outer - radius).min(upper);
    let point_a = core_a + radii[0] * normal;
    Outcome {
        distance,
        point_a,
        point_b: point_a + distance * normal,
        normal,
        lower,
        upper,
        closed: Bracket::is_closed([-outer, -inner], difference.rounding, goal),
        ..unknown(Exit::Enclosed, cost)
    }
}

/// The answer when nothing is known, or nothing asked but that the cores overlap.
pub(crate) fn unknown(exit: Exit, cost: Cost) -> Outcome {
    Outcome {
        distance: 0.0,
        point_a: DVec3::ZERO,
        point_b: DVec3::ZERO,
        normal: DVec3::X,
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        ids: [[NO_VERTEX; 2]; 4],
        count: 0,
        exit,
        closed: false,
        cost,
    }
}
