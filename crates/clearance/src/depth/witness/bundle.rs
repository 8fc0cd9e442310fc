//! Climbs to points that are deep in both bodies, by a bundle method.
//!
//! For a translation x let `g(p) = min(depth of p - x in A, depth of p in B)`. A nearest point of a surface is a plane that g does not exceed, as far as the
//! solid is convex there. The climb maximises the least plane minus `|p - c|² / 2t`, computes the nearest points there, and adds two planes (Lemaréchal, *Nonsmooth
//! optimization and descent methods*, 1978). The dual is a quadratic program over the unit simplex:
//!
//! ```text
//! min over weights λ of  Σ λ_k v_k + t/2 |Σ λ_k n_k|²,   p = c + t Σ λ_k n_k,   v_k the value of plane k at c.
//! ```
//!
//! **Facets.** Let m be the weighted sum of the rises of A. If A moves by dx, the greatest value of g falls by `m·dx` to first order. So `m·x = const` is the
//! facet of the forbidden set that is met there, without any sum of pieces.
//!
//! Nothing here is proved. A climb proposes points, and `hull.rs` decides about them.

use super::body::PlacedSolid;
use crate::depth::bound::Half;
use crate::math::multiversioned;
use crate::tuning::depth::witness as tuning;
use arrayvec::ArrayVec;
use glam::DVec3;

/// The most planes of a bundle. Layout: of the lists of a climb.
const PLANES: usize = 14;

/// Its value at a point p, for a translation x, is `offset + rise·(p - x)` for a plane of A, and `offset + rise·p` for one of B.
#[derive(Debug, Clone, Copy)]
struct ClimbPlane {
    rise: DVec3,
    offset: f64,
    of_a: bool,
}

impl ClimbPlane {
    fn value(&self, p: DVec3, x: DVec3) -> f64 {
        self.offset + self.rise.dot(if self.of_a { p - x } else { p })
    }
}

/// A half-space of translations that are free, to first order: `normal·x >= offset`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SumFacet {
    pub normal: DVec3,
    pub offset: f64,
}

impl SumFacet {
    /// The half-space beyond it.
    pub fn beyond(self) -> Half {
        Half { normal: self.normal, offset: self.offset }
    }
}

/// Two solids, one of each body.
#[derive(Clone, Copy)]
pub(super) struct SolidPair<'s> {
    pub a: &'s PlacedSolid<'s>,
    pub b: &'s PlacedSolid<'s>,
}

/// The end of a climb, where another one may begin.
#[derive(Debug, Clone)]
pub(super) struct Climb {
    pub point: DVec3,
    /// Depth in both.
    pub value: f64,
    /// Depth of the point in A and in B.
    pub depths: [f64; 2],
    /// Nearest triangles.
    pub triangles: [u32; 2],
    pub facet: Option<SumFacet>,
    planes: ArrayVec<ClimbPlane, PLANES>,
    /// Number of looks.
    pub looks: usize,
}

impl SolidPair<'_> {
    /// Climbs from a point. `known` is a climb whose planes hold here, too; `looks` limits the number of looks. `least` ends the climb: a model that stays
    /// below it is not worth another look.
    pub fn climb(&self, x: DVec3, from: DVec3, known: Option<&Climb>, step: f64, looks: usize) -> Climb {
        let mut best = Climb {
            point: from,
            value: f64::NEG_INFINITY,
            depths: [f64::NEG_INFINITY; 2],
            triangles: known.map_or([u32::MAX; 2], |known| known.triangles),
            facet: None,
            planes: known.map(|known| known.planes.clone()).unwrap_or_default(),
            looks: 0,
        };
        let mut at = from;
        let mut t = step;
        let mut triangles = best.triangles;
        let mut ends = 0;
        loop {
            best.looks += 1;
            let a = self.a.look(at - x, Some(triangles[0]));
            let b = self.b.look(at, Some(triangles[1]));
            triangles = [a.triangle, b.triangle];
            let value = a.depth.min(b.depth);
            let planes = [
                ClimbPlane { rise: a.rise, offset: a.depth - a.rise.dot(at - x), of_a: true },
                ClimbPlane { rise: b.rise, offset: b.depth - b.rise.dot(at), of_a: false },
            ];
            if value > best.value {
                if best.value > f64::NEG_INFINITY {
                    t *= 1.5;
                }
                (best.point, best.value, best.depths, best.triangles) = (at, value, [a.depth, b.depth], triangles);
            } else {
                t *= 0.6;
            }
            // Planes below the value at the best point are not of a convex part. They would end the climb.
            let (point, least) = (best.point, best.value);
            // Planes that pass through the point within 1e-12 of the size are kept.
            let slack = 1e-12;
            best.planes.retain(|plane| plane.value(point, x) >= least - slack);
            for plane in planes {
                if plane.value(point, x) >= least - slack {
                    if best.planes.is_full() {
                        let values = best.planes.iter().map(|plane| plane.value(point, x));
                        let far = values.enumerate().max_by(|p, q| p.1.total_cmp(&q.1)).map_or(0, |(i, _)| i);
                        best.planes.remove(far);
                    }
                    best.planes.push(plane);
                }
            }
            if best.looks >= looks || best.planes.is_empty() {
                break;
            }
            let (move_by, weight_a, predicted) = model(&best, x, t);
            best.facet = facet_of(weight_a, x, best.value);
            let gain = predicted - best.value;
            if gain < tuning::LEAST_GAIN * predicted.abs().max(tuning::LEAST_DEPTH) {
                ends += 1;
                if ends > 1 || move_by.length() < 0.5 * t {
                    break;
                }
                t *= 4.0;
            }
            at = best.point + move_by;
        }
        if best.looks >= looks && !best.planes.is_empty() {
            let (_, weight_a, _) = model(&best, x, t);
            best.facet = facet_of(weight_a, x, best.value);
        }
        best
    }
}

/// Registers for the values and rises of all planes. Layout: [`PLANES`] rounded up to whole vectors.
const LANES: usize = 16;

/// The step that the planes propose, the weighted sum of rises of A, and the value they promise.
fn model(climb: &Climb, x: DVec3, t: f64) -> (DVec3, DVec3, f64) {
    multiversioned(
        #[inline(always)]
        || model_here(climb, x, t),
    )
}

/// The values of the planes a step away. (No closure: those are not always a part of their caller, and would be compiled for every processor.)
#[inline(always)]
fn slopes_of(values: &[f64; LANES], [x, y, z]: &[[f64; LANES]; 3], step: DVec3) -> [f64; LANES] {
    std::array::from_fn(|k| values[k] + (x[k] * step.x + y[k] * step.y + z[k] * step.z))
}

#[inline(always)]
fn model_here(climb: &Climb, x: DVec3, t: f64) -> (DVec3, DVec3, f64) {
    let Climb { planes, point, .. } = climb;
    let mut values = [f64::INFINITY; LANES];
    let mut rises = [[0.0_f64; LANES]; 3];
    let mut weights = [0.0_f64; LANES];
    for (k, plane) in planes.iter().enumerate() {
        values[k] = plane.value(*point, x);
        (rises[0][k], rises[1][k], rises[2][k]) = plane.rise.into();
    }
    // A start from the multipliers of the last look converges more slowly: most of its planes are gone.
    let lowest = (0..planes.len()).min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0);
    weights[lowest] = 1.0;
    let rise = |k: usize| DVec3::new(rises[0][k], rises[1][k], rises[2][k]);
    let mut sum = rise(lowest);
    for _ in 0..tuning::EXCHANGES {
        let slopes = slopes_of(&values, &rises, t * sum);
        let (mut low, mut high) = ((f64::INFINITY, 0), (f64::NEG_INFINITY, 0));
        for k in 0..planes.len() {
            if slopes[k] < low.0 {
                low = (slopes[k], k);
            }
            if weights[k] > 0.0 && slopes[k] > high.0 {
                high = (slopes[k], k);
            }
        }
        // Limit: a rest of 1e-6 of the step does not change the proposal.
        if !(high.0 - low.0 > 1e-6 * t) || low.1 == high.1 {
            break;
        }
        let apart = rise(low.1) - rise(high.1);
        let curvature = t * apart.length_squared();
        let most = weights[high.1];
        let share = if curvature > 0.0 { ((high.0 - low.0) / curvature).min(most) } else { most };
        weights[low.1] += share;
        weights[high.1] -= share;
        sum += share * apart;
    }
    let predicted = slopes_of(&values, &rises, t * sum).into_iter().fold(f64::INFINITY, f64::min);
    let mut of_a = DVec3::ZERO;
    for (k, plane) in planes.iter().enumerate() {
        of_a += if plane.of_a { weights[k] * plane.rise } else { DVec3::ZERO };
    }
    (t * sum, of_a, predicted)
}

fn facet_of(of_a: DVec3, x: DVec3, value: f64) -> Option<SumFacet> {
    // A falls where A moves along the rise of its depth.
    let length = of_a.length();
    // The direction of a shorter vector has too few digits to be useful.
    (length > 1e-6).then(|| {
        let normal = of_a / length;
        SumFacet { normal, offset: normal.dot(x) + value / length }
    })
}
