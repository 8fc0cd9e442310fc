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
use crate::narrow::triangles::{closest_points, common_point};
use crate::tree::{WIDTH, WideView};
use crate::tuning::depth::TOLERANCE;
use crate::tuning::depth::witness as tuning;
use glam::{DMat3, DVec3};

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
                let first = found.len();
                let _ = near_triangles(a, b, x, 0.0, &mut |p, q| {
                    visited += 1;
                    found.extend(common_point(&p, &q).map(|point| Seed { point, x, solids: [i, j] }));
                    found.len() < first + tuning::CROSSINGS && visited < tuning::VISITED_PAIRS
                });
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
                let is_done = near_triangles(a, b, x, eta, &mut |p, q| {
                    visited += 1;
                    let found = closest_points(&p, &q);
                    if found.distance < eta && found.distance > 0.0 {
                        let normal = -found.normal;
                        let gap = found.lower.max(0.0);
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

/// A node or a leaf of a tree with its box in the frame of the search.
#[derive(Clone, Copy)]
struct NearBranch {
    first: u32,
    count: u8,
    center: DVec3,
    half: DVec3,
}

/// A tree in the frame of the search.
struct PlacedTree<'s> {
    solid: &'s PlacedSolid<'s>,
    view: WideView<'s>,
    turn: DMat3,
    spread: DMat3,
    origin: DVec3,
}

impl<'s> PlacedTree<'s> {
    fn new(solid: &'s PlacedSolid<'_>, by: DVec3) -> Self {
        let unit = 1.0 / solid.local_length(1.0);
        let turn = solid.frame.rotation * unit;
        let spread = DMat3::from_cols(turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs());
        Self { solid, view: solid.mesh.tree().view(), turn, spread, origin: solid.outward(DVec3::ZERO) + by }
    }

    fn root(&self) -> NearBranch {
        NearBranch { first: 0, count: 0, center: DVec3::ZERO, half: DVec3::INFINITY }
    }

    fn children(&self, branch: &NearBranch, mut visit: impl FnMut(NearBranch)) {
        let Some(node) = self.view.nodes.get(branch.first as usize) else { return };
        for lane in (0..WIDTH).filter(|&lane| node.has(lane)) {
            let of = |of: &[[f32; WIDTH]; 3]| DVec3::from_array([0, 1, 2].map(|axis| f64::from(of[axis][lane])));
            let center = self.turn * (of(&node.center) * self.view.unit + self.view.origin) + self.origin;
            let half = self.spread * (of(&node.half) * self.view.unit);
            visit(NearBranch { first: node.first[lane], count: node.count[lane], center, half });
        }
    }

    fn triangles(&self, branch: &NearBranch) -> impl Iterator<Item = [DVec3; 3]> {
        let items = &self.view.items[branch.first as usize..branch.first as usize + usize::from(branch.count)];
        items.iter().map(|&item| self.solid.mesh.corners(item).map(|corner| self.turn * corner + self.origin))
    }
}

/// Visits pairs of triangles whose boxes are closer than a limit, with A moved by x, until `visit` returns false. Returns whether all were visited.
fn near_triangles(
    a: &PlacedSolid<'_>,
    b: &PlacedSolid<'_>,
    x: DVec3,
    limit: f64,
    visit: &mut dyn FnMut([DVec3; 3], [DVec3; 3]) -> bool,
) -> bool {
    let (tree_a, tree_b) = (PlacedTree::new(a, x), PlacedTree::new(b, DVec3::ZERO));
    let mut stack = vec![(tree_a.root(), tree_b.root())];
    while let Some((p, q)) = stack.pop() {
        if p.count > 0 && q.count > 0 {
            for one in tree_a.triangles(&p) {
                let (low, high) = (one[0].min(one[1]).min(one[2]), one[0].max(one[1]).max(one[2]));
                for other in tree_b.triangles(&q) {
                    let (min, max) = (other[0].min(other[1]).min(other[2]), other[0].max(other[1]).max(other[2]));
                    if (low - max).max(min - high).max_element() <= limit && !visit(one, other) {
                        return false;
                    }
                }
            }
            continue;
        }
        let is_near = |one: &NearBranch, other: &NearBranch| {
            let gap = ((one.center - other.center).abs() - one.half - other.half).max(DVec3::ZERO);
            !(gap.length_squared() > limit * limit)
        };
        // The larger one is opened.
        if p.count == 0 && (q.count > 0 || p.half.max_element() >= q.half.max_element()) {
            tree_a.children(&p, |child| {
                if is_near(&child, &q) {
                    stack.push((child, q));
                }
            });
        } else {
            tree_b.children(&q, |child| {
                if is_near(&p, &child) {
                    stack.push((p, child));
                }
            });
        }
    }
    true
}
