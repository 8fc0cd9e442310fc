//! Collision test 4.2.1: are all vectors in one hemisphere?
//!
//! A normal that still has the newest vector on its side is kept. Otherwise the newest is on the rim of the hull of all. A plane, if there
//! is one, can then be turned about the origin until it touches the newest, so that the normal is across it. The query is whether the
//! others, projected along the newest, are in one half of a plane. They are if they are inside a
//! wedge that opens by no more than 180 degrees, which is widened one vector at a time.
//!
//! **Corrections.** The loop runs over the earlier vectors only; all are projected before they are compared; those along the newest
//! are skipped; any two axes across the newest will do, so none is forbidden. Vectors that come to lie on one line are distinguished by the
//! sign of their products, not by the two signs that are zero.
//!
//! **Deviation.** The normal is leaned towards the newest vector as far as the others allow it. Exactly across it, the height of its
//! vertex is zero but for rounding, so that lemma 8 would end searches of shapes that are well apart without a proof.

use super::{CollisionTest, OriginSide};
use glam::{DVec2, DVec3};

/// A vector closer to the axis of a projection has no direction of its own. Bound: 45 ε, more than the rounding error of its projection.
const SMALLEST_SIDE: f64 = 1e-14;

/// The hemisphere method.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Hemisphere {
    normal: DVec3,
}

impl CollisionTest for Hemisphere {
    fn add(&mut self, all: &[DVec3]) -> OriginSide {
        let Some((&newest, earlier)) = all.split_last() else { return OriginSide::One };
        match *earlier {
            [] => {
                self.normal = newest;
                return OriginSide::One;
            }
            // Two vectors: the one half way, or any across two that are opposite.
            [only] => {
                self.normal = (only + newest).try_normalize().unwrap_or_else(|| only.any_orthonormal_vector());
                return OriginSide::One;
            }
            _ => {}
        }
        if self.normal.dot(newest) >= 0.0 {
            return OriginSide::One;
        }
        let (x, y) = newest.any_orthonormal_pair();
        let mut wedge = Wedge::default();
        for (index, r) in earlier.iter().enumerate() {
            if !wedge.add(DVec2::new(x.dot(*r), y.dot(*r)), index) {
                return OriginSide::Both([all.len() - 1, wedge.first.1, wedge.last.1, index]);
            }
        }
        let middle = wedge.middle();
        let normal = x * middle.x + y * middle.y;
        let least = earlier.iter().map(|r| normal.dot(*r)).fold(1.0, f64::min);
        // Across the newest vector, as the paper has it, and then leaned towards it by half of what the others allow.
        self.normal = (normal + 0.5 * least.max(0.0) * newest).normalize();
        OriginSide::One
    }

    fn normal(&self) -> DVec3 {
        self.normal
    }
}

/// The directions from `first` counter-clockwise to `last`, less than a full half turn or exactly that; with their indices.
#[derive(Default)]
struct Wedge {
    first: (DVec2, usize),
    last: (DVec2, usize),
    is_open: bool,
    /// Everything so far is along one line, and there are vectors both ways: either half of the plane is still possible.
    is_line: bool,
}

impl Wedge {
    /// Widens the wedge to a direction; false if that would open it by more than 180 degrees.
    fn add(&mut self, direction: DVec2, index: usize) -> bool {
        let length = direction.length();
        // Written so that a NaN carries no information.
        if !(length > SMALLEST_SIDE) {
            return true;
        }
        let new = (direction / length, index);
        if !self.is_open {
            (self.first, self.last, self.is_open) = (new, new, true);
            return true;
        }
        let (from_first, from_last) = (self.first.0.perp_dot(new.0), self.last.0.perp_dot(new.0));
        if self.is_line {
            if from_first < 0.0 {
                std::mem::swap(&mut self.first, &mut self.last);
            }
            self.is_line = from_first == 0.0;
            return true;
        }
        match (from_first >= 0.0, from_last <= 0.0) {
            (true, true) if (self.first.0 + self.last.0).dot(new.0) < 0.0 => {
                // Against a wedge that is a single direction.
                self.last = new;
                self.is_line = true;
            }
            (true, true) => {}
            (true, false) => self.last = new,
            (false, true) => self.first = new,
            (false, false) => return false,
        }
        true
    }

    fn middle(&self) -> DVec2 {
        let middle = self.first.0 + self.last.0;
        // A half turn has its middle across its beginning. So has what is so close to one that the sum is all rounding.
        if middle.length_squared() > 1e-24 { middle.normalize() } else { self.first.0.perp() }
    }
}
