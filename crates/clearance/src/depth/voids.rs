//! Cavities: free translations that no path from infinity reaches.
//!
//! **Theorem.** Let W be a box whose surface is covered by sums. Then no translation in W is reached from outside. *Proof.* The translations reached from
//! outside are connected and unbounded. A path of them into W would cross its surface, which is in the interior of sums. ∎
//!
//! So for [`Scope::Outside`](super::Scope) the box acts as one more sum. A box grows around a place that is in no sum and not known to be reached from
//! outside. A side with a gap is moved beyond the gap.
//!
//! Invariant: (V1) a box is added only after all six sides, at its final size, were proved to be covered.

use super::bound::Half;
use super::branch::{Branching, SideGap};
use super::search::DepthSearch;
use super::sum::{Facets, PiecePair};
use crate::math::Aabb;
use crate::trace::CoverStep;
use crate::tuning::depth as tuning;
use glam::DVec3;

/// Widest box around a cavity, per axis, that still grows. Limit: sums are below 2 in the unit of the search, so opposite sides of a wider box cannot both be covered.
const WIDEST: f64 = 2.0;

impl DepthSearch<'_, '_> {
    /// Searches for a box with a covered surface around a place. On success the box acts as a sum from then on.
    pub fn enclose(&mut self, x: DVec3) -> bool {
        if !self.is_outside_only || self.voids_tried >= tuning::MAX_VOIDS {
            return false;
        }
        self.voids_tried += 1;
        let within = self.covered_box(x);
        self.trace.cover(CoverStep::Void { within });
        within.inspect(|bounds| self.add_void(bounds)).is_some()
    }

    fn covered_box(&mut self, x: DVec3) -> Option<Aabb> {
        let mut branching = Branching::default();
        let first = 0.01 * self.upper.max(1e-3);
        let mut steps = [first; 6];
        let mut bounds = Aabb { min: x - first, max: x + first };
        for _ in 0..tuning::VOID_GROWTHS {
            let mut is_covered = true;
            for (number, step) in (0..).zip(&mut steps) {
                let (axis, is_upper) = ((number / 2) as usize, number % 2 == 1);
                self.trace.cover(CoverStep::Side { number });
                match self.gap_in_side(&bounds, axis, is_upper, &mut branching) {
                    SideGap::None => {}
                    SideGap::Found => {
                        // Steps grow geometrically.
                        *step *= 1.5;
                        if is_upper {
                            bounds.max[axis] += *step;
                        } else {
                            bounds.min[axis] -= *step;
                        }
                        is_covered = false;
                    }
                    SideGap::Unknown => return None,
                }
            }
            if is_covered {
                return Some(bounds);
            }
            if !(bounds.max - bounds.min).cmplt(DVec3::splat(WIDEST)).all() {
                return None;
            }
        }
        None
    }

    /// Does a side of a box have a point in no sum?
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
        branching.find_gap(self, &flat, &among, tuning::VOID_SIDE_NODES)
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

/// The six half-spaces whose intersection is a box.
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
