//! Heights of leaves along the normal of the closest triangles, cached: many pairs have a leaf in common.
//!
//! **Invariant.** A slot whose key is that of a leaf, a side and the present direction has the height that would be computed again.

use crate::tuning::meshes as tuning;
use glam::DVec3;

/// The height that is cached: the top of a leaf of A or the bottom of one of B, along the normal or along the shortened normal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum HeightOf {
    A = 0,
    B = 1,
    ShortA = 2,
    ShortB = 3,
}

/// A direct-mapped cache of heights.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LeafHeights {
    slots: Vec<HeightSlot>,
    /// The number of the direction. No slot has that of none.
    epoch: u64,
    normal: DVec3,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct HeightSlot {
    /// The number of the direction, the leaf and the side, in one.
    key: u64,
    height: f64,
}

/// Numbers of directions that fit beside a leaf. Layout: 30 bits beside the number of a leaf.
const MOST_EPOCHS: u64 = 1 << 30;

impl LeafHeights {
    /// The memory of its slots.
    pub fn bytes(&self) -> usize {
        size_of::<HeightSlot>() * self.slots.capacity()
    }

    /// Forgets all heights: B has moved.
    pub fn forget(&mut self) {
        self.epoch += 1;
        if self.slots.is_empty() || self.epoch >= MOST_EPOCHS {
            self.slots.clear();
            self.slots.resize(tuning::HEIGHT_SLOTS, HeightSlot::default());
            self.epoch = 1;
        }
    }

    /// Sets the normal along which heights are.
    pub fn turn_to(&mut self, normal: DVec3) {
        if normal != self.normal || self.epoch == 0 {
            self.normal = normal;
            self.forget();
        }
    }

    /// The height of a leaf, by the place of its first item.
    #[inline(always)]
    pub fn of(&mut self, of: HeightOf, first: u32, height: impl FnOnce() -> f64) -> f64 {
        let leaf = u64::from(first) << 2 | of as u64;
        let key = self.epoch << 34 | leaf;
        // Neighbouring leaves have places a few items apart.
        let place = (leaf.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize % tuning::HEIGHT_SLOTS;
        let Some(slot) = self.slots.get_mut(place) else { return height() };
        if slot.key != key {
            *slot = HeightSlot { key, height: height() };
        }
        slot.height
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// A remembered height is the one that was computed for that leaf, side and direction, whichever queries came between, and is computed
    /// seldom.
    #[test]
    fn heights_are_those_of_the_leaf_and_the_direction() {
        let mut rng = Rng::with_seed(98);
        let mut heights = LeafHeights::default();
        let (mut asked, mut computed) = (0, 0);
        for direction in 0..2000_u32 {
            // The same normal at another place of B, or another one.
            if direction % 2 == 0 {
                heights.turn_to(DVec3::new(f64::from(direction), 1.0, 0.0));
            } else {
                heights.forget();
            }
            if direction == 1000 {
                heights.epoch = MOST_EPOCHS - 2;
            }
            for _ in 0..100 {
                let of = [HeightOf::A, HeightOf::B, HeightOf::ShortA, HeightOf::ShortB][rng.usize(0..4)];
                let leaf = if rng.bool() { rng.u32(0..8) } else { 4 * rng.u32(0..1000) };
                let height = f64::from(direction) * 1e6 + f64::from(leaf) * 10.0 + f64::from(of as u8);
                let found = heights.of(of, leaf, || {
                    computed += 1;
                    height
                });
                assert_eq!(found, height);
                asked += 1;
            }
        }
        assert!(10 * computed < 9 * asked, "{computed} of {asked}");
    }
}
