//! Minkowski sums of convex pieces: the translations of a piece of A at which it overlaps a piece of B.
//!
//! With P a piece of A and Q one of B, P + x meets Q for the x of `M = Q ⊕ (-P)`. A sum is stored as planes `n·x = b`, which stand for the open set of
//! all x with `n_k·x < b_k` for each k.
//!
//! Invariants:
//! * (M1) **The stored set is inside the interior of the true M**, whatever the rounding errors. Lower bounds rest on this.
//! * (M2) Normals are unit vectors up to 4 ε, and both lists of a [`Facets`] have the same length.
//!
//! A missing facet would make the stored set too large. For most pairs `overlay.rs` proves that none is missing. The others take the facets of the
//! convex hull of all differences of vertices, by exact predicates. Each plane is moved in by a bound on the rounding error.
//!
//! *Why moving in suffices for a hull.* Let M' be the hull of the rounded differences, which are off by less than δ, and let x be farther than δ inside
//! every facet of M'. Then `u·x <= h_M'(u) - δ < h_M(u)` for all unit vectors u, so x is inside M.
//!
//! **Cost.** The facets of a sum are built when a point is found that may be inside it. Most sums are never built.

use super::overlay::Overlay;
use super::pieces::BodyPiece;
use crate::hull;
use crate::math::Aabb;
use crate::math::exact::{self, Scale};
use crate::tuning::depth::REFLECTIONS;
use glam::DVec3;

/// Inward move of a sum's planes, in addition to the error of the vertices. Bound: a normal is off by at most 1e-14 and coordinates are below 4, which
/// makes 4e-14; rounding of heights is below that. 512 ε is 1.1e-13.
const OF_PLANES: f64 = 512.0 * f64::EPSILON;

/// The facets of a sum.
#[derive(Debug, Clone, Default)]
pub struct Facets {
    /// Unit normals that point out.
    pub normals: Vec<DVec3>,
    /// `n·x < b` for all x of the set.
    pub offsets: Vec<f64>,
}

impl Facets {
    /// The depth of a point in the set, if it is above `least`.
    fn depth(&self, x: DVec3, least: f64) -> Option<f64> {
        let mut depth = f64::INFINITY;
        for (n, b) in self.normals.iter().zip(&self.offsets) {
            depth = depth.min(b - n.dot(x));
            if !(depth > least) {
                return None;
            }
        }
        Some(depth)
    }
}

/// Two pieces, and a box around their sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct PiecePair {
    pub a: u32,
    pub b: u32,
    pub bounds: Aabb,
}

/// The sums of the pieces of two bodies.
#[derive(Debug)]
pub(super) struct Sums<'p> {
    a: &'p [BodyPiece],
    b: &'p [BodyPiece],
    /// Bound on the rounding error of a difference of vertices.
    rounding: f64,
    pub pairs: Vec<PiecePair>,
    facets: Vec<Option<Box<Facets>>>,
    overlay: Overlay,
    /// Number of sums whose facets were built, and number of those built from an exact hull.
    pub built: usize,
    pub by_hull: usize,
    facet_count: usize,
}

/// Most pairs of pieces that a search keeps: those nearest to the origin. Limit: memory of about 20 MB; leaving out sums only lowers the lower bound.
const MAX_PAIRS: usize = 1 << 18;

impl<'p> Sums<'p> {
    /// All sums whose bounding boxes are nearer to the origin than `upper`.
    pub fn new(a: &'p [BodyPiece], b: &'p [BodyPiece], rounding: f64, upper: f64) -> Self {
        let mut pairs = Vec::new();
        for (i, p) in (0..).zip(a) {
            for (j, q) in (0..).zip(b) {
                let bounds = Aabb { min: q.bounds.min - p.bounds.max, max: q.bounds.max - p.bounds.min };
                if distance_to_origin(&bounds) < upper {
                    pairs.push(PiecePair { a: i, b: j, bounds });
                }
            }
            if pairs.len() > 2 * MAX_PAIRS {
                keep_nearest(&mut pairs);
            }
        }
        keep_nearest(&mut pairs);
        let facets = pairs.iter().map(|_| None).collect();
        Self { a, b, rounding, pairs, facets, overlay: Overlay::default(), built: 0, by_hull: 0, facet_count: 0 }
    }

    /// The numbers of the pieces of a sum.
    pub fn pieces_of(&self, pair: u32) -> [u32; 2] {
        let PiecePair { a, b, .. } = self.pairs[pair as usize];
        [a, b]
    }

    fn pieces(&self, pair: u32) -> [&'p BodyPiece; 2] {
        let PiecePair { a, b, .. } = self.pairs[pair as usize];
        [&self.a[a as usize], &self.b[b as usize]]
    }

    /// Adds a set with known facets: the box around a cavity.
    pub fn add(&mut self, pair: PiecePair, facets: Facets) {
        debug_assert_eq!(facets.normals.len(), facets.offsets.len(), "(M2)");
        self.pairs.push(pair);
        self.facets.push(Some(Box::new(facets)));
    }

    /// The facets of a sum, if they were built.
    pub fn known(&self, pair: u32) -> Option<&Facets> {
        self.facets[pair as usize].as_deref()
    }

    /// The facets of a sum.
    pub fn facets(&mut self, pair: u32) -> &Facets {
        let PiecePair { a, b, .. } = self.pairs[pair as usize];
        self.facets[pair as usize].get_or_insert_with(|| {
            let (p, q) = (&self.a[a as usize], &self.b[b as usize]);
            self.built += 1;
            let found = self.overlay.facets(p, q, self.rounding + OF_PLANES).unwrap_or_else(|| {
                self.by_hull += 1;
                facets_of_hull(p, q, self.rounding)
            });
            debug_assert_eq!(found.normals.len(), found.offsets.len(), "(M2)");
            self.facet_count += found.normals.len();
            Box::new(found)
        })
    }

    /// Mean number of facets of the sums built so far.
    pub fn usual_facets(&self) -> f64 {
        self.facet_count as f64 / self.built.max(1) as f64
    }

    /// Estimate of the facets of a sum: the product of the mean numbers of faces.
    pub fn expected_facets(&self) -> f64 {
        let mean = |pieces: &[BodyPiece]| {
            pieces.iter().map(|piece| piece.normals.len()).sum::<usize>() as f64 / pieces.len().max(1) as f64
        };
        mean(self.a) * mean(self.b)
    }

    /// The depth of a point in a sum, if it is above `least`.
    pub fn depth(&mut self, pair: u32, x: DVec3, least: f64) -> Option<f64> {
        if self.known(pair).is_none() {
            let [p, q] = self.pieces(pair);
            if is_outside(p, q, x, (-least).max(0.0)) {
                return None;
            }
        }
        self.facets(pair).depth(x, least)
    }
}

pub(super) fn distance_to_origin(bounds: &Aabb) -> f64 {
    bounds.min.max(-bounds.max).max(DVec3::ZERO).length()
}

fn keep_nearest(pairs: &mut Vec<PiecePair>) {
    if pairs.len() > MAX_PAIRS {
        // A stable sort by finite numbers: the same order on every machine.
        pairs.sort_by(|p, q| distance_to_origin(&p.bounds).total_cmp(&distance_to_origin(&q.bounds)));
        pairs.truncate(MAX_PAIRS);
    }
}

/// The support vertex of a piece in a direction.
fn top(piece: &BodyPiece, along: DVec3) -> DVec3 {
    let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
    for &vertex in &piece.vertices {
        let height = along.dot(vertex);
        if height > best.0 {
            best = (height, vertex);
        }
    }
    best.1
}

/// Does a plane separate a point from a sum by at least `by`? A few reflections of a vector find one for most points (separating-vector algorithm of Chung
/// and Wang).
fn is_outside(p: &BodyPiece, q: &BodyPiece, x: DVec3, by: f64) -> bool {
    // At the centre of the sum no direction separates; a zero vector would pass the test below.
    let Some(mut along) = (x - (q.center - p.center)).try_normalize() else { return false };
    for _ in 0..REFLECTIONS {
        let farthest = top(q, along) - top(p, -along);
        let rest = farthest - x;
        if along.dot(rest) <= -by * along.length() {
            return true;
        }
        let square = rest.length_squared();
        // S' = S - 2 (r·S) r, with r the unit vector from the point to the support point.
        along -= rest * (2.0 * along.dot(rest) / square);
    }
    false
}

/// The facets of the sum of two pieces, by the exact hull of all differences of their vertices.
pub fn facets_of_hull(p: &BodyPiece, q: &BodyPiece, rounding: f64) -> Facets {
    let points: Vec<DVec3> = q.vertices.iter().flat_map(|&to| p.vertices.iter().map(move |&from| to - from)).collect();
    let Ok(hull) = hull::boundary(&points) else { return Facets::default() };
    if hull.dimension < 3 {
        // A flat sum has no interior. No point is below both planes.
        return Facets { normals: vec![DVec3::X, -DVec3::X], offsets: vec![-1.0, -1.0] };
    }
    let scale = Scale::of(&hull.vertices);
    let scaled: Vec<DVec3> = hull.vertices.iter().map(|&v| scale.point(v)).collect();
    let mut found = Vec::new();
    for range in hull.loop_starts.windows(2) {
        let ring = &hull.loop_vertices[range[0] as usize..range[1] as usize];
        let at = |i: usize| scaled[ring[i] as usize];
        // The widest triangle of a fan.
        let area = |i: usize| (at(i) - at(0)).cross(at(i + 1) - at(0)).length_squared();
        let widest = (1..ring.len() - 1).max_by(|&i, &j| area(i).total_cmp(&area(j))).unwrap_or(1);
        let normal = exact::unit_normal(at(0), at(widest), at(widest + 1));
        let height = normal.dot(top(q, normal)) - normal.dot(top(p, -normal));
        found.push((normal, height - (rounding + OF_PLANES)));
    }
    distinct(found)
}

/// Distance below which two normals merge. Bound: with |n - m| <= 1e-13, `m·x < b - 4e-13` implies `n·x < b` for all |x| < 4.
const SAME: f64 = 1e-13;

/// Merges facets whose normals are equal up to rounding. The one that stays is moved in by `4 SAME`, so that the set does not grow (M1).
pub(super) fn distinct(mut planes: Vec<(DVec3, f64)>) -> Facets {
    planes.sort_unstable_by(|p, q| p.0.x.total_cmp(&q.0.x).then(p.1.total_cmp(&q.1)));
    let mut found = Facets::default();
    for (normal, offset) in planes {
        let close = found.normals.iter().rev().take_while(|known| normal.x - known.x <= SAME);
        let duplicate = close.enumerate().find(|(_, known)| (**known - normal).abs().element_sum() <= SAME);
        match duplicate {
            Some((back, known)) => {
                let least = if *known == normal { offset } else { offset - 4.0 * SAME };
                let k = found.offsets.len() - 1 - back;
                found.offsets[k] = found.offsets[k].min(least);
            }
            None => {
                found.normals.push(normal);
                found.offsets.push(offset);
            }
        }
    }
    found
}
