//! Minkowski sums of convex pieces: all translations of a piece of A at which it overlaps a piece of B.
//!
//! With P a piece of A and Q one of B, P + x meets Q for the x of `M = Q ⊕ (-P)`. A sum is kept as planes `n·x = b`, and stands for the open
//! set of all x with `n_k·x < b_k` for each. **That set is inside of the interior of the true M**, whatever was rounded, which is what lower bounds
//! rest on. A list from which a facet were missing would describe a set that is too large; so that none is, is proved by `overlay.rs` for
//! most pairs, and the others have the facets of the hull of all differences of vertices, by exact predicates. Each plane is moved
//! in by a bound on rounding.
//!
//! *Why moving in suffices for a hull.* Let M' be the hull of the rounded differences, which are off by less than δ, and let x be farther than δ
//! inside of every facet of M'. Then `u·x <= h_M'(u) - δ < h_M(u)` for all unit vectors u, so x is inside of M.
//!
//! Sums are built when a point is found that might be inside; most never are.

use super::overlay::Overlay;
use super::pieces::BodyPiece;
use crate::hull;
use crate::math::Aabb;
use crate::math::exact::{self, Scale};
use glam::DVec3;

/// What a sum's planes are moved in by, beside what vertices are off: a normal is right to 1e-14 and coordinates are below 4, heights are
/// rounded by less.
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
    /// How deep a point is in the set, if it is deeper than `least`.
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
    /// How far a difference of vertices may be from where it is meant to be.
    rounding: f64,
    pub pairs: Vec<PiecePair>,
    facets: Vec<Option<Box<Facets>>>,
    overlay: Overlay,
    /// How many were built, and of how many the facets had to be those of a hull.
    pub built: usize,
    pub by_hull: usize,
    facet_count: usize,
}

/// No more pairs of pieces than this are looked at: those nearest to the origin. Leaving out sums is safe for lower bounds.
const MAX_PAIRS: usize = 1 << 18;

impl<'p> Sums<'p> {
    /// All sums that reach closer to the origin than `upper`.
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
                nearest_only(&mut pairs);
            }
        }
        nearest_only(&mut pairs);
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

    /// One more set, whose facets are known.
    pub fn add(&mut self, pair: PiecePair, facets: Facets) {
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
            self.facet_count += found.normals.len();
            Box::new(found)
        })
    }

    /// How many facets a sum has on average, of those that were built.
    pub fn usual_facets(&self) -> f64 {
        self.facet_count as f64 / self.built.max(1) as f64
    }

    /// About how many facets sums have, by the faces of the pieces.
    pub fn expected_facets(&self) -> f64 {
        let mean = |pieces: &[BodyPiece]| {
            pieces.iter().map(|piece| piece.normals.len()).sum::<usize>() as f64 / pieces.len().max(1) as f64
        };
        mean(self.a) * mean(self.b)
    }

    /// How deep a point is in a sum, if it is deeper than `least`.
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

fn nearest_only(pairs: &mut Vec<PiecePair>) {
    if pairs.len() > MAX_PAIRS {
        // Stable, and by numbers that are finite: the same on every machine.
        pairs.sort_by(|p, q| distance_to_origin(&p.bounds).total_cmp(&distance_to_origin(&q.bounds)));
        pairs.truncate(MAX_PAIRS);
    }
}

/// The highest vertex of a piece along a direction.
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

/// Is there a plane between a point and a sum, with so much room? A few reflections of a vector find one for most points, as in the separating-vector search.
fn is_outside(p: &BodyPiece, q: &BodyPiece, x: DVec3, by: f64) -> bool {
    // In the middle of the sum no direction leads out; a zero vector would seem to be one.
    let Some(mut along) = (x - (q.center - p.center)).try_normalize() else { return false };
    for _ in 0..8 {
        let farthest = top(q, along) - top(p, -along);
        let rest = farthest - x;
        if along.dot(rest) <= -by * along.length() {
            return true;
        }
        let square = rest.length_squared();
        // S' = S - 2 (r·S) r, with r from the point to the farthest one.
        along -= rest * (2.0 * along.dot(rest) / square);
    }
    false
}

/// The facets of the sum of two pieces, by the hull of all sums of their vertices.
pub fn facets_of_hull(p: &BodyPiece, q: &BodyPiece, rounding: f64) -> Facets {
    let points: Vec<DVec3> = q.vertices.iter().flat_map(|&to| p.vertices.iter().map(move |&from| to - from)).collect();
    let Ok(hull) = hull::boundary(&points) else { return Facets::default() };
    if hull.dimension < 3 {
        // It has no inside: nothing is below both of these.
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

/// Normals closer than this are one.
const SAME: f64 = 1e-13;

/// Facets of which each is there once: one that is another but for rounding is left out, and the other moved in by what that may matter. With
/// |n - m| <= 1e-13, `m·x < b - 4e-13` has `n·x < b` for all |x| < 4.
pub(super) fn distinct(mut planes: Vec<(DVec3, f64)>) -> Facets {
    planes.sort_unstable_by(|p, q| p.0.x.total_cmp(&q.0.x).then(p.1.total_cmp(&q.1)));
    let mut found = Facets::default();
    for (normal, offset) in planes {
        let close = found.normals.iter().rev().take_while(|known| normal.x - known.x <= SAME);
        let twin = close.enumerate().find(|(_, known)| (**known - normal).abs().element_sum() <= SAME);
        match twin {
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
