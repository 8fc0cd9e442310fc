//! Cavities: places that are free and that nothing leads to.
//!
//! **Theorem.** Let W be a box whose surface is in sums as a whole. Then no translation in W is reached from outside: the translations that are,
//! are connected and not bounded, and would have to go through the surface. So for [`Scope::Outside`](super::Scope) the box is as good as a sum.
//!
//! A box is grown around a place that is in no sum and not known to be reached: where its surface has a gap, it is moved beyond it.

use super::bound::Half;
use super::branch::{Branching, SideGap};
use super::search::DepthSearch;
use super::sum::{Facets, PiecePair};
use crate::math::Aabb;
use crate::trace::CoverStep;
use glam::DVec3;

/// No more boxes than this are looked for in one search.
const MOST_VOIDS: usize = 6;
/// How often a box is made larger.
const GROWTHS: usize = 60;
/// How many nodes a side of a box may take.
const NODES: usize = 120;

impl DepthSearch<'_, '_> {
    /// Looks for a box around a place that no path leads into. From then on it counts as a sum.
    pub fn enclose(&mut self, x: DVec3) -> bool {
        if !self.is_outside_only || self.voids_tried >= MOST_VOIDS {
            return false;
        }
        self.voids_tried += 1;
        let within = self.closed_box(x);
        self.trace.cover(CoverStep::Void { within });
        within.inspect(|bounds| self.add_void(bounds)).is_some()
    }

    fn closed_box(&mut self, x: DVec3) -> Option<Aabb> {
        let mut branching = Branching::default();
        let first = 0.01 * self.upper.max(1e-3);
        let mut steps = [first; 6];
        let mut bounds = Aabb { min: x - first, max: x + first };
        for _ in 0..GROWTHS {
            let mut is_closed = true;
            for (number, step) in (0..).zip(&mut steps) {
                let (axis, is_upper) = ((number / 2) as usize, number % 2 == 1);
                self.trace.cover(CoverStep::Side { number });
                match self.gap_in_side(&bounds, axis, is_upper, &mut branching) {
                    SideGap::None => {}
                    SideGap::Found => {
                        // Beyond the gap, farther every time.
                        *step *= 1.5;
                        if is_upper {
                            bounds.max[axis] += *step;
                        } else {
                            bounds.min[axis] -= *step;
                        }
                        is_closed = false;
                    }
                    SideGap::Unknown => return None,
                }
            }
            if is_closed {
                return Some(bounds);
            }
            if !(bounds.max - bounds.min).cmplt(DVec3::splat(2.0)).all() {
                return None;
            }
        }
        None
    }

    /// Whether a side of a box has a place that is in no sum.
    fn gap_in_side(&mut self, bounds: &Aabb, axis: usize, is_upper: bool, branching: &mut Branching) -> SideGap {
        let mut flat = *bounds;
        if is_upper {
            flat.min[axis] = flat.max[axis];
        } else {
            flat.max[axis] = flat.min[axis];
        }
        let among: Vec<u32> = (0..self.sums.pairs.len() as u32)
            .filter(|&pair| self.sums.pairs[pair as usize].bounds.overlaps(&flat))
            .collect();
        branching.find_gap(self, &flat, &among, NODES)
    }

    fn add_void(&mut self, bounds: &Aabb) {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let normals = axes.into_iter().flat_map(|axis| [axis, -axis]).collect::<Vec<_>>();
        let offsets = axes.into_iter().flat_map(|axis| [axis.dot(bounds.max), -axis.dot(bounds.min)]).collect();
        let number = self.voids_found;
        self.voids_found += 1;
        self.sums.add(PiecePair { a: u32::MAX, b: number, bounds: *bounds }, Facets { normals, offsets });
    }
}

/// The six planes of a box, from inside.
pub(super) fn box_halves(bounds: &Aabb) -> [Half; 6] {
    let plane = |normal: DVec3, at: DVec3| Half { normal, offset: normal.dot(at) };
    [
        plane(DVec3::X, bounds.min),
        plane(DVec3::Y, bounds.min),
        plane(DVec3::Z, bounds.min),
        plane(-DVec3::X, bounds.max),
        plane(-DVec3::Y, bounds.max),
        plane(-DVec3::Z, bounds.max),
    ]
}
