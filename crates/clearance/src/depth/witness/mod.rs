//! Lower bound of the depth of real meshes, by cones of translations covered with witness hulls. No decomposition and no Minkowski sum is needed.
//!
//! **Certificate.** A translation x is not free if some p is in int B and p - x in int A. Let x_1 .. x_m be translations and p_1 .. p_m points with
//!
//! ```text
//! hull(p_i) in int B      and      hull(p_i - x_i) in int A.
//! ```
//!
//! Then no x of hull(x_i) is free: `x = Σ w_i x_i` has `p = Σ w_i p_i` in int B and `p - x = Σ w_i (p_i - x_i)` in int A. Both hulls have at most six points, and
//! `hull.rs` proves that they are inside. Two balls around one point, of radius d_A in A and d_B in B, are the special case
//! `p_i = p + d_B / (d_A + d_B) (x_i - x)`: two distances prove it.
//!
//! **Search.** The space of translations is divided into cones (`cell.rs`), which are covered outward, the one with the least bound first. A step covers the
//! frustum between the present plane of a cone and one farther out. If no step of a length that matches the width of the cone can be proved, the cone is split.
//! Points are proposed by seeds (`seeds.rs`) and climbs (`bundle.rs`). The upper bound falls meanwhile (`upper.rs`, `descent.rs`).
//!
//! **Invariants.**
//! * (N1) Only frusta with a certificate are covered.
//! * (N2) The lower bound is the least bound of all cones, open, parked and stuck.
//! * (N3) The order of all steps depends on the input alone.
//!
//! **Limits.** A surface that crosses itself has inner sheets that certificates may not cross, and sheets that bound nothing keep translations from being
//! proved free; the bracket stays open there. Slots narrower than 1e-6 of the size are found by exact pieces only (`branch.rs`).

mod body;
mod bundle;
mod cell;
mod descent;
mod hull;
mod seeds;
#[cfg(test)]
mod tests;
mod upper;

use super::DepthEnd;
use super::bound::Half;
use super::free::Placed;
use crate::math::{Frame, LeastFirst, QueueItem, Total};
use crate::trace::{CoverStep, Trace};
use crate::tuning::depth::witness as tuning;
use arrayvec::ArrayVec;
use body::{PlacedSolid, solids_of};
use bundle::{Climb, SolidPair, SumFacet};
use cell::{MOST_LEVELS, TranslationCone, distance_of};
use descent::NearBodies;
use glam::DVec3;
use hull::{POINTS, is_inside};
use seeds::{Samples, Seed};
use std::collections::BinaryHeap;
use std::time::Instant;

/// By how much hulls are kept away from the surfaces. Bound: in units of the size of the pair; it exceeds the rounding of points, heights and directions of cones.
const MARGIN: f64 = 1e-12;

/// The result of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConeCover {
    pub lower: f64,
    /// The shortest free translation, and its length.
    pub best: (DVec3, f64),
    pub nodes: usize,
    pub end: DepthEnd,
}

/// Limits of a search, in its unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoverLimits {
    pub width: f64,
    pub nodes: usize,
    pub deadline: Option<Instant>,
}

/// A cone with what the search knows about it.
#[derive(Debug, Clone)]
struct ConeCell {
    cone: TranslationCone,
    bound: f64,
    number: u32,
    level: u32,
    /// The part of the gap that the next step tries.
    step: f64,
    /// Witnesses of earlier steps, of this cell or of its parent.
    hints: ArrayVec<Seed, { tuning::HINTS }>,
    /// The samples that may be of use.
    samples: Samples,
}

/// Least bound first, then the oldest.
impl QueueItem for ConeCell {
    type Key = (Total, u32);

    fn key(&self) -> Self::Key {
        (Total(self.bound), self.number)
    }
}

/// The cells that are not covered yet.
type OpenCells = BinaryHeap<LeastFirst<ConeCell>>;

/// (N2) The least bound of open and parked cells.
fn least_of(open: &OpenCells, parked: &[ConeCell]) -> f64 {
    let of_open = open.peek().map_or(f64::INFINITY, |LeastFirst(cell)| cell.bound);
    parked.iter().map(|cell| cell.bound).fold(of_open, f64::min)
}

/// A proved frustum: the points of its six corners, inner ones first, in the frame of B, and the solids.
#[derive(Debug, Clone)]
struct Certificate {
    points: [DVec3; POINTS],
    solids: [usize; 2],
    witness: Seed,
}

/// Why a frustum could not be proved, and the facets that were met at its corners.
#[derive(Debug, Clone, Copy, Default)]
struct Failure {
    facets: [Option<SumFacet>; 3],
    middle: Option<SumFacet>,
    /// A point inside of both bodies for the middle of the outer face.
    common: Option<Seed>,
}

fn middle_of([p, q, r]: [DVec3; 3]) -> DVec3 {
    (p + q + r) / 3.0
}

/// The latest hint replaces one next to it, or the oldest: hints of other places stay.
fn add_hint(hints: &mut ArrayVec<Seed, { tuning::HINTS }>, seed: Seed, near: f64) {
    let next_to = hints.iter().position(|hint| hint.point.distance(seed.point) < near);
    match next_to {
        Some(at) => drop(hints.remove(at)),
        None if hints.is_full() => drop(hints.remove(0)),
        None => {}
    }
    hints.push(seed);
}

struct ConeSearch<'s, 'a, 't> {
    bodies: NearBodies<'s, 'a>,
    trace: &'t mut dyn Trace,
    best: (DVec3, f64),
    nodes: usize,
    next_number: u32,
    margin: f64,
    /// Looks of the search for certificates, and work for the upper bound in the same unit: a look of a climb takes a microsecond or two.
    looks: usize,
    upper_work: usize,
    certificates: usize,
    /// Number of disturbed places.
    disturbed: u32,
    /// Hints that are closer to each other are one.
    near: f64,
    /// The facets that the climbs of a visit met.
    facets: Vec<Half>,
}

/// The lower bound of the depth of two bodies, and a better upper bound; `None` if one has no solid.
pub(super) fn cover(
    placed: &Placed<'_>,
    first: (DVec3, f64),
    limits: CoverLimits,
    trace: &mut dyn Trace,
) -> Option<ConeCover> {
    let a = solids_of(placed.a, Frame::IDENTITY, placed.unit);
    let b = solids_of(placed.b, Frame::relative(&placed.pose_a, &placed.pose_b), placed.unit);
    if a.is_empty() || b.is_empty() || !(first.1 < f64::INFINITY) {
        return None;
    }
    let near = tuning::HINTS_APART * a.iter().chain(&b).map(PlacedSolid::step).fold(f64::INFINITY, f64::min);
    let mut search = ConeSearch {
        bodies: NearBodies { placed, a: &a, b: &b },
        trace,
        best: first,
        nodes: 0,
        next_number: 0,
        margin: MARGIN,
        looks: 0,
        upper_work: 0,
        certificates: 0,
        disturbed: 0,
        near,
        facets: Vec::new(),
    };
    Some(search.run(limits))
}

impl ConeSearch<'_, '_, '_> {
    fn run(&mut self, limits: CoverLimits) -> ConeCover {
        let samples = Samples::all(self.bodies.a, self.bodies.b);
        let mut open = OpenCells::new();
        for cone in TranslationCone::roots() {
            let number = self.take_number();
            open.push(LeastFirst(ConeCell {
                cone,
                bound: 0.0,
                number,
                level: 0,
                step: 1.0,
                hints: ArrayVec::new(),
                samples: samples.clone(),
            }));
        }
        if limits.nodes > 0 {
            self.start(&mut open, &samples);
            self.first_descents();
        }
        let mut parked: Vec<ConeCell> = Vec::new();
        let mut stuck = f64::INFINITY;
        let mut part = tuning::FIRST_PART;
        let goal = limits.width.max(tuning::NARROWEST * self.best.1);
        let end = loop {
            let target = (self.best.1 * (1.0 - part)).min(self.best.1 - goal);
            let is_last = target >= self.best.1 - goal;
            match open.peek() {
                Some(LeastFirst(cell)) if cell.bound >= stuck => break DepthEnd::Stuck,
                Some(LeastFirst(cell)) if cell.bound < target => {}
                _ if is_last => break if stuck < target { DepthEnd::Stuck } else { DepthEnd::Width },
                _ => {
                    part *= 0.1;
                    open.extend(parked.drain(..).map(LeastFirst));
                    continue;
                }
            }
            let lower = least_of(&open, &parked).min(stuck);
            let is_late = limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
                || self.trace.bracket(lower, self.best.1).is_break();
            if self.nodes >= limits.nodes {
                break DepthEnd::Nodes;
            }
            if is_late {
                break DepthEnd::Seconds;
            }
            if self.certificates == 0 && self.nodes >= tuning::NODES_WITHOUT_CERTIFICATE {
                break DepthEnd::Stuck;
            }
            let Some(LeastFirst(cell)) = open.pop() else { break DepthEnd::Stuck };
            self.nodes += 1;
            if cell.level >= MOST_LEVELS {
                stuck = stuck.min(cell.bound);
                continue;
            }
            self.visit(cell, target, &mut open, &mut parked);
            if (self.upper_work as f64) < tuning::DISTURBED_SHARE * self.looks as f64 {
                self.disturb();
            }
        };
        let lower = least_of(&open, &parked).min(stuck);
        debug_assert!(lower <= self.best.1, "a certificate contradicts a free translation");
        ConeCover { lower: lower.min(self.best.1), best: self.best, nodes: self.nodes, end }
    }

    fn take_number(&mut self) -> u32 {
        self.next_number += 1;
        self.next_number - 1
    }

    fn pair(&self, solids: [usize; 2]) -> SolidPair<'_> {
        SolidPair { a: &self.bodies.a[solids[0]], b: &self.bodies.b[solids[1]] }
    }

    /// The first step of all cells: two balls around the best sample (Lemma 3 of the paper's sphere trees).
    fn start(&mut self, open: &mut OpenCells, samples: &Samples) {
        let seeds = self.seeds(DVec3::ZERO, samples, &[]);
        let mut best: Option<(f64, Climb, [usize; 2])> = None;
        for seed in seeds {
            let pair = self.pair(seed.solids);
            let climb = pair.climb(DVec3::ZERO, seed.point, None, pair.b.step(), tuning::MIDDLE_LOOKS);
            self.looks += climb.looks;
            let reach = climb.depths[0].max(0.0) + climb.depths[1].max(0.0);
            if climb.value > 0.0 && best.as_ref().is_none_or(|(most, ..)| reach > *most) {
                best = Some((reach, climb, seed.solids));
            }
        }
        let Some((_, climb, solids)) = best else { return };
        let pair = self.pair(solids);
        let depths = [
            pair.a.depth_at_least(climb.point, climb.triangles[0]),
            pair.b.depth_at_least(climb.point, climb.triangles[1]),
        ];
        // Bound: 1e-9 and eight margins are far above the rounding of two distances.
        let radius = (depths[0] + depths[1]) * (1.0 - 1e-9) - 8.0 * self.margin;
        if !(depths[0].min(depths[1]) > self.margin) || radius >= self.best.1 {
            return;
        }
        for LeastFirst(mut cell) in std::mem::take(open).into_vec() {
            let lengths = [radius; 3];
            let certificate = self.of_balls(&cell.cone, lengths, &climb, solids, depths, DVec3::ZERO);
            if let Some(certificate) = certificate {
                self.advance(&mut cell, lengths, certificate);
            }
            open.push(LeastFirst(cell));
        }
    }

    /// Records a step.
    fn advance(&mut self, cell: &mut ConeCell, lengths: [f64; 3], certificate: Certificate) {
        debug_assert!((0..3).all(|i| lengths[i] >= cell.cone.lengths[i]));
        cell.cone.lengths = lengths;
        cell.bound = cell.cone.bound();
        add_hint(&mut cell.hints, certificate.witness, self.near);
        self.certificates += 1;
        if self.trace.is_on() {
            let parts = [self.bodies.a[certificate.solids[0]].part, self.bodies.b[certificate.solids[1]].part];
            self.trace.cover(CoverStep::Cone { cell: cell.number, lengths, points: certificate.points, parts });
        }
    }

    /// Covers the next part of a cell, or splits it.
    fn visit(&mut self, mut cell: ConeCell, target: f64, open: &mut OpenCells, parked: &mut Vec<ConeCell>) {
        let full = cell.cone.lengths_at(target);
        let gap = target - cell.bound;
        let mut step = cell.step.min(1.0);
        let mut failure = Failure::default();
        self.facets.clear();
        let mut last = full;
        let mut is_common = false;
        let mut is_crossed = false;
        let cone = cell.cone;
        let across = |lengths: [f64; 3]| {
            let [p, q, r] = cone.corners(lengths);
            p.distance(q).max(q.distance(r)).max(r.distance(p))
        };
        for _ in 0..tuning::HALVINGS {
            let lengths = [0, 1, 2].map(|i| cell.cone.lengths[i] + step * (full[i] - cell.cone.lengths[i]));
            let width = across(lengths);
            let seeds = self.seeds(middle_of(cell.cone.corners(lengths)), &cell.samples, &cell.hints);
            last = lengths;
            match self.certify(&cell, lengths, &seeds, step == 1.0) {
                Ok(certificate) => {
                    let advanced = step * gap;
                    self.advance(&mut cell, lengths, certificate);
                    cell.step = 2.0 * step;
                    let is_small = advanced < tuning::LEAST_ADVANCE * width;
                    self.put_back(cell, target, is_small, &failure, open, parked);
                    return;
                }
                Err(found) => {
                    if let Some(common) = found.common {
                        is_common = true;
                        add_hint(&mut cell.hints, common, self.near);
                    }
                    if !is_crossed && cell.level.is_multiple_of(tuning::CROSSING_LEVELS) {
                        // Points where the surfaces cross lead into both bodies, however thin the overlap is.
                        is_crossed = true;
                        if self.cross(&mut cell, lengths) {
                            cell.step = 2.0 * step;
                            self.put_back(
                                cell,
                                target,
                                step * gap < tuning::LEAST_ADVANCE * width,
                                &failure,
                                open,
                                parked,
                            );
                            return;
                        }
                    }
                    if step == 1.0 {
                        failure = *found;
                        if let Some(lengths) = self.along_facets(&cell, target, &found)
                            && let seeds = self.seeds(middle_of(cell.cone.corners(lengths)), &cell.samples, &cell.hints)
                            && let Ok(certificate) = self.certify(&cell, lengths, &seeds, false)
                        {
                            self.advance(&mut cell, lengths, certificate);
                            if cell.bound >= target {
                                parked.push(cell)
                            } else {
                                open.push(LeastFirst(cell))
                            }
                            return;
                        }
                    }
                }
            }
            if 0.5 * step * gap < tuning::LEAST_STEP * width {
                break;
            }
            step *= 0.5;
        }
        cell.step = 2.0 * step;
        if !is_common && self.cross(&mut cell, last) {
            self.put_back(cell, target, true, &failure, open, parked);
            return;
        }
        // A cell that resists at every length may be free from its inner plane on.
        let is_deep = cell.level >= tuning::DEEP_LEVEL && cell.level.is_multiple_of(4);
        self.try_upper(&cell, if is_deep { last } else { full }, is_deep);
        self.try_vertex(is_deep);
        self.split(cell, target, &failure, open);
    }

    /// Tries to cover a frustum with points where the surfaces cross.
    fn cross(&mut self, cell: &mut ConeCell, lengths: [f64; 3]) -> bool {
        let seeds = self.crossing_seeds(middle_of(cell.cone.corners(lengths)));
        match self.certify(cell, lengths, &seeds, false) {
            Ok(certificate) => {
                self.advance(cell, lengths, certificate);
                true
            }
            Err(found) => {
                found.common.into_iter().for_each(|common| add_hint(&mut cell.hints, common, self.near));
                false
            }
        }
    }

    /// Keeps a cell that advanced.
    fn put_back(
        &mut self,
        cell: ConeCell,
        target: f64,
        is_small: bool,
        failure: &Failure,
        open: &mut OpenCells,
        parked: &mut Vec<ConeCell>,
    ) {
        if cell.bound >= target {
            parked.push(cell);
        } else if is_small {
            self.split(cell, target, failure, open);
        } else {
            open.push(LeastFirst(cell));
        }
    }

    /// Points where the surfaces cross after a translation, far from each other.
    fn crossing_seeds(&mut self, x: DVec3) -> ArrayVec<Seed, { tuning::SEEDS }> {
        let (points, visited) = self.bodies.crossings(x);
        self.looks += visited / tuning::PAIRS_PER_LOOK;
        let mut found: ArrayVec<Seed, { tuning::SEEDS }> = ArrayVec::new();
        while !found.is_full() {
            let apart = |seed: &Seed| {
                found.iter().map(|other| other.point.distance_squared(seed.point)).fold(f64::INFINITY, f64::min)
            };
            let next = points.iter().max_by(|p, q| apart(p).total_cmp(&apart(q)));
            let Some(next) = next.filter(|next| found.is_empty() || apart(next) > 0.0) else { break };
            let next = *next;
            found.push(next);
        }
        found
    }

    /// Lengths of an outer plane along a facet that was met.
    fn along_facets(&self, cell: &ConeCell, target: f64, failure: &Failure) -> Option<[f64; 3]> {
        let reaches = |facet: &SumFacet| {
            let lengths = cell.cone.lengths_along(facet.normal, target)?;
            let corners = cell.cone.corners(lengths);
            // Below the facet.
            let is_below = corners.iter().all(|corner| facet.normal.dot(*corner) < facet.offset);
            (is_below && distance_of(corners) >= target).then_some(lengths)
        };
        failure.middle.iter().chain(failure.facets.iter().flatten()).find_map(reaches)
    }

    /// Proves that a frustum is covered.
    fn certify(
        &mut self,
        cell: &ConeCell,
        lengths: [f64; 3],
        seeds: &[Seed],
        is_full: bool,
    ) -> Result<Certificate, Box<Failure>> {
        let outer = cell.cone.corners(lengths);
        let inner = cell.cone.corners(cell.cone.lengths);
        let x = middle_of(outer);
        let mut failure = Box::<Failure>::default();
        let mut met = ArrayVec::<Half, { 4 * tuning::SEEDS }>::new();
        for seed in seeds {
            let pair = self.pair(seed.solids);
            let climb = pair.climb(x, seed.point, None, tuning::REACH * pair.b.step(), tuning::MIDDLE_LOOKS);
            let mut looks = climb.looks;
            met.extend(climb.facet.map(SumFacet::beyond));
            if failure.middle.is_none() {
                failure.middle = climb.facet;
            }
            if !(climb.value > 0.0) {
                self.looks += looks;
                continue;
            }
            // Balls around the point: all six corners are near the middle.
            let radius = outer.iter().chain(&inner).map(|corner| corner.distance(x)).fold(0.0, f64::max);
            if radius < climb.depths[0] + climb.depths[1] {
                let depths = [
                    pair.a.depth_at_least(climb.point - x, climb.triangles[0]),
                    pair.b.depth_at_least(climb.point, climb.triangles[1]),
                ];
                looks += 2;
                if let Some(certificate) = self.of_balls(&cell.cone, lengths, &climb, seed.solids, depths, x) {
                    self.looks += looks;
                    return Ok(certificate);
                }
            }
            let pair = self.pair(seed.solids);
            let mut points = [DVec3::ZERO; POINTS];
            let mut is_lost = false;
            for k in 0..3 {
                let from = climb.point + 0.5 * (outer[k] - x);
                let step = 0.5 * outer[k].distance(x).max(0.1 * pair.b.step());
                let corner = pair.climb(outer[k], from, Some(&climb), step, tuning::CORNER_LOOKS);
                looks += corner.looks;
                met.extend(corner.facet.map(SumFacet::beyond));
                failure.facets[k] = failure.facets[k].or(corner.facet);
                points[3 + k] = corner.point;
                if !(corner.value > 0.0) {
                    is_lost = true;
                    if !is_full {
                        break;
                    }
                }
            }
            if climb.value > tuning::LEAST_HINT {
                failure.common.get_or_insert(Seed { point: climb.point, x, solids: seed.solids });
            }
            let found = if is_lost { None } else { self.of_hulls(pair, outer, inner, points) };
            self.looks += looks + tuning::HULL_WORK;
            if let Some(points) = found {
                let witness = Seed { point: climb.point, x, solids: seed.solids };
                return Ok(Certificate { points, solids: seed.solids, witness });
            }
        }
        self.facets.extend(met);
        Err(failure)
    }

    /// The certificate of two balls around the point of a climb, for a frustum around x.
    fn of_balls(
        &self,
        cone: &TranslationCone,
        lengths: [f64; 3],
        climb: &Climb,
        solids: [usize; 2],
        depths: [f64; 2],
        x: DVec3,
    ) -> Option<Certificate> {
        // Balls that are smaller by the margin leave room for all rounding.
        let depths = depths.map(|depth| depth - 2.0 * self.margin);
        let reach = depths[0] + depths[1];
        let corners: ArrayVec<DVec3, POINTS> =
            cone.corners(cone.lengths).into_iter().chain(cone.corners(lengths)).collect();
        if !(depths[0].min(depths[1]) > 0.0) || !corners.iter().all(|corner| corner.distance(x) < reach) {
            return None;
        }
        let share = depths[1] / (depths[0] + depths[1]);
        let points = [0, 1, 2, 3, 4, 5].map(|i| climb.point + share * (corners[i] - x));
        Some(Certificate { points, solids, witness: Seed { point: climb.point, x, solids } })
    }

    /// Inner points for given outer ones, so that both hulls are proved to be inside.
    fn of_hulls(
        &self,
        pair: SolidPair<'_>,
        outer: [DVec3; 3],
        inner: [DVec3; 3],
        mut points: [DVec3; POINTS],
    ) -> Option<[DVec3; POINTS]> {
        // The outer face alone first: most failures are there.
        let moved = |points: &[DVec3; POINTS]| {
            [0, 1, 2, 3, 4, 5].map(|i| points[i] - if i < 3 { inner[i] } else { outer[i - 3] })
        };
        if !is_inside(pair.b, &points[3..], self.margin) || !is_inside(pair.a, &moved(&points)[3..], self.margin) {
            return None;
        }
        for share in tuning::INNER_SHARES {
            for k in 0..3 {
                points[k] = points[3 + k] + share * (inner[k] - outer[k]);
            }
            if is_inside(pair.b, &points, self.margin) && is_inside(pair.a, &moved(&points), self.margin) {
                return Some(points);
            }
        }
        None
    }

    /// Splits a cell at its longest edge, or where facets of its corners meet.
    fn split(&mut self, cell: ConeCell, target: f64, failure: &Failure, open: &mut OpenCells) {
        let weights = self.weights(&cell, target, failure);
        let (length, children) = cell.cone.split(weights);
        let samples = self.filtered(&cell, target);
        let first = self.next_number;
        for cone in children {
            let number = self.take_number();
            open.push(LeastFirst(ConeCell {
                cone,
                bound: cone.bound(),
                number,
                level: cell.level + 1,
                step: (2.0 * cell.step).min(1.0),
                hints: cell.hints.clone(),
                samples: samples.clone(),
            }));
        }
        self.trace.cover(CoverStep::ConeSplit { cell: cell.number, weights, length, first });
    }

    fn weights(&self, cell: &ConeCell, target: f64, failure: &Failure) -> [f64; 3] {
        let ([i, j], longest) = cell.cone.longest_edge();
        let mut middle = [0.0; 3];
        (middle[i], middle[j]) = (0.5, 0.5);
        if !(cell.bound > 0.98 * target) || cell.level % 2 == 1 {
            return middle;
        }
        let directions = cell.cone.directions;
        if let [Some(p), Some(q), Some(r)] = failure.facets {
            // The point of three facets, as a combination of directions.
            let whole = p.normal.dot(q.normal.cross(r.normal));
            let at = (q.normal.cross(r.normal) * p.offset
                + r.normal.cross(p.normal) * q.offset
                + p.normal.cross(q.normal) * r.offset)
                / whole;
            let [a, b, c] = directions;
            let volume = a.dot(b.cross(c));
            let parts = [at.dot(b.cross(c)), at.dot(c.cross(a)), at.dot(a.cross(b))].map(|part| part / volume);
            let sum: f64 = parts.iter().sum();
            let weights = parts.map(|part| part / sum);
            if whole.abs() > 1e-3 && weights.iter().all(|weight| *weight > 0.1) {
                return weights;
            }
        }
        let units = cell.cone.units();
        let mut best: Option<(f64, [f64; 3])> = None;
        for (k, l) in [(0, 1), (1, 2), (2, 0)] {
            let length = units[k].distance(units[l]);
            if length < 0.45 * longest {
                continue;
            }
            if let (Some(p), Some(q)) = (failure.facets[k], failure.facets[l]) {
                let across = q.normal * p.offset - p.normal * q.offset;
                let [at_k, at_l] = [across.dot(directions[k]), across.dot(directions[l])];
                let share = at_k / (at_k - at_l);
                let apart = p.normal.distance(q.normal);
                if (0.12..=0.88).contains(&share) && apart > 1e-3 && best.is_none_or(|(most, _)| length > most) {
                    let mut weights = [0.0; 3];
                    (weights[k], weights[l]) = (1.0 - share, share);
                    best = Some((length, weights));
                }
            }
        }
        best.map_or(middle, |(_, weights)| weights)
    }
}

impl<'a> ConeSearch<'_, 'a, '_> {
    fn seeds(&mut self, x: DVec3, samples: &Samples, hints: &[Seed]) -> ArrayVec<Seed, { tuning::SEEDS }> {
        let (found, rated) = samples.best(self.bodies.a, self.bodies.b, x, hints);
        self.looks += rated / tuning::RATINGS_PER_LOOK;
        found
    }

    fn filtered(&mut self, cell: &ConeCell, target: f64) -> Samples {
        if cell.level % 2 == 1 {
            return cell.samples.clone();
        }
        let outer = cell.cone.corners(cell.cone.lengths_at(target.max(self.best.1)));
        let inner = cell.cone.corners(cell.cone.lengths);
        let x = (outer.iter().sum::<DVec3>() + inner.iter().sum::<DVec3>()) / 6.0;
        let radius = outer.iter().chain(&inner).map(|corner| corner.distance(x)).fold(0.0, f64::max);
        cell.samples.near(self.bodies.a, self.bodies.b, x, radius)
    }
}
