//! Shorter free translations, by descent from a free one.
//!
//! At a free translation x let each pair of triangles closer than η be separated by d along a unit vector n, from the triangle of B to that of A. Each x' with
//! `n·x' >= n·x - d` keeps the pair apart, and each x' within η of x all other pairs. So the least-norm point of these half-spaces, within η of x, is free as
//! well. A round slides toward the origin as far as the distance query allows, and then takes that point.
//!
//! Nothing here is proved: `Placed::is_free` decides about each result.

use super::body::PlacedSolid;
use super::seeds::Seed;
use crate::depth::bound::{Half, LeastNorm, nearest};
use crate::depth::free::Placed;
use crate::narrow::meshes::{crossing_points, visit_near_pairs};
use crate::tuning::depth::TOLERANCE;
use crate::tuning::depth::witness as tuning;
use glam::DVec3;

/// Both bodies, as the descent sees them.
pub(super) struct NearBodies<'s, 'a> {
    pub placed: &'s Placed<'a>,
    pub a: &'s [PlacedSolid<'a>],
    pub b: &'s [PlacedSolid<'a>],
}

/// Free translations found, and distance queries.
pub(super) struct FreeDescent {
    pub best: (DVec3, f64),
    /// Work in units of nearest-point queries, about.
    pub work: usize,
}

impl NearBodies<'_, '_> {
    pub fn is_free(&self, x: DVec3, work: &mut usize) -> bool {
        *work += tuning::FREE_WORK;
        self.placed.is_free(x)
    }

    /// Descends from a free translation; returns one that is no longer.
    pub fn descend(&self, from: (DVec3, f64), rounds: usize, least_gain: f64) -> FreeDescent {
        let mut found = FreeDescent { best: from, work: 0 };
        let mut eta = tuning::FIRST_TRUST * from.1;
        let mut halves = Vec::new();
        for round in 0..rounds {
            let (x, length) = found.best;
            // Slide toward the origin.
            if round == 0 {
                let mut low = 0.0_f64;
                let mut high = 1.0_f64;
                let mut part = 0.5;
                for _ in 0..tuning::SLIDES {
                    if self.is_free(x * part, &mut found.work) {
                        high = part;
                    } else {
                        low = part;
                    }
                    part = 0.5 * (low + high);
                    if high - low < 1e-3 {
                        break;
                    }
                }
                if high < 1.0 {
                    found.best = (x * high, self.placed.length(x * high));
                }
            }
            let (x, _) = found.best;
            loop {
                let (is_done, visited) = self.half_spaces(x, eta, &mut halves);
                found.work += tuning::PAIRS_WORK + visited / tuning::PAIRS_PER_LOOK;
                // Limit: distances of less than 1e-12 of the size are rounding.
                if is_done || eta < 1e-12 {
                    break;
                }
                eta *= 0.4;
            }
            let least = nearest(&halves, &LeastNorm::WHOLE_SPACE, f64::INFINITY, TOLERANCE);
            let way = least.point - x;
            let next = if way.length() > 0.9 * eta { x + way * (0.9 * eta / way.length()) } else { least.point };
            let is_better = self.placed.length(next) < found.best.1;
            let is_free = is_better && self.is_free(next, &mut found.work);
            if is_free {
                let gain = found.best.1 - self.placed.length(next);
                found.best = (next, self.placed.length(next));
                eta *= 1.6;
                if gain < least_gain * found.best.1 {
                    break;
                }
            } else {
                eta *= 0.2;
                // Limit: shorter steps improve a bound by less than its tolerance.
                if eta < 1e-10 * length {
                    break;
                }
            }
        }
        found
    }

    /// Translations that separate the bounding hulls along some directions, the shortest first.
    pub fn separations(&self, most: usize) -> Vec<(DVec3, f64)> {
        let mut found = Vec::new();
        let range = [-1.0_f64, 0.0, 1.0];
        for x in range {
            for y in range {
                for z in range {
                    let Some(direction) = DVec3::new(x, y, z).try_normalize() else { continue };
                    let reach = |solids: &[PlacedSolid<'_>], along: DVec3| {
                        solids.iter().map(|solid| solid.reach(along)).fold(f64::NEG_INFINITY, f64::max)
                    };
                    let length = reach(self.a, -direction) + reach(self.b, direction);
                    if length > 0.0 {
                        // The excess of 1e-9 of the size is above rounding; the free test decides.
                        let x = direction * (length + 1e-9);
                        found.push((x, self.placed.length(x)));
                    }
                }
            }
        }
        found.sort_by(|p, q| p.1.total_cmp(&q.1));
        found.truncate(most);
        found
    }

    /// Points where the surfaces cross after a translation, [`tuning::CROSSINGS`] of a pair of solids at most, and the number of pairs of triangles visited.
    pub fn crossings(&self, x: DVec3) -> (Vec<Seed>, usize) {
        let (mut found, mut visited) = (Vec::new(), 0);
        for (i, a) in self.a.iter().enumerate() {
            for (j, b) in self.b.iter().enumerate() {
                let most = tuning::VISITED_PAIRS.saturating_sub(visited);
                let (points, compared) = crossing_points(&a.mesh, &b.mesh, &b.frame_in(a, x), tuning::CROSSINGS, most);
                visited += compared;
                found.extend(points.into_iter().map(|point| Seed { point: a.outward(point) + x, x, solids: [i, j] }));
            }
        }
        (found, visited)
    }

    /// The half-spaces that keep all near pairs of triangles apart; false if there are too many. Also the number of pairs visited.
    fn half_spaces(&self, x: DVec3, eta: f64, halves: &mut Vec<Half>) -> (bool, usize) {
        halves.clear();
        let mut visited = 0;
        for a in self.a {
            for b in self.b {
                let near = a.local_length(eta);
                let is_done = visit_near_pairs(&a.mesh, &b.mesh, &b.frame_in(a, x), near, &mut |found| {
                    visited += 1;
                    if found.distance < near && found.distance > 0.0 {
                        let normal = a.frame.rotation * -found.normal;
                        let gap = a.length(found.lower.max(0.0));
                        halves.push(Half { normal, offset: normal.dot(x) - gap + tuning::DESCENT_GAP.min(0.5 * gap) });
                    }
                    halves.len() <= tuning::NEAR_PAIRS && visited < tuning::VISITED_PAIRS
                });
                if !is_done {
                    return (false, visited);
                }
            }
        }
        (true, visited)
    }
}
