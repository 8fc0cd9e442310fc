//! The boxes by slot, and which of them changed since the last update: what all broad phases have in common.

use super::SLOTS;
use crate::math::{Aabb, DVec3};

/// The slot's box was set or removed. Layout: a bit of the slot's flags.
const TOUCHED: u8 = 1;
/// The owner removed the box of the slot. Layout: a bit of the slot's flags.
const REMOVED: u8 = 2;
/// The slot was emptied and used again: it holds another body. Layout: a bit of the slot's flags.
const RENEWED: u8 = 4;

/// One box per slot; a slot that holds none has the empty box.
#[derive(Debug, Clone, Default)]
pub struct Boxes {
    bounds: Vec<Aabb>,
    marks: Vec<u8>,
    touched: Vec<u32>,
    held: usize,
    renewed: bool,
    /// How many times a box has changed.
    changes: u64,
}

/// Is there a box? Boxes in the table are either proper or [`Aabb::EMPTY`].
#[inline]
pub fn is_held(bounds: &Aabb) -> bool {
    bounds.min.x <= bounds.max.x
}

/// The distance of two proper boxes. Unlike [`Aabb::distance`] it subtracts only where there is a gap, so that two infinite
/// coordinates never meet.
pub fn gap(a: &Aabb, b: &Aabb) -> f64 {
    let mut square = 0.0;
    for axis in 0..3 {
        let apart = if b.min[axis] > a.max[axis] {
            b.min[axis] - a.max[axis]
        } else if a.min[axis] > b.max[axis] {
            a.min[axis] - b.max[axis]
        } else {
            0.0
        };
        square += apart * apart;
    }
    square.sqrt()
}

/// A lower bound on the distance along a ray to a proper box, if the ray may meet it; the direction is a unit vector.
///
/// Every coordinate of the direction, every difference and every quotient is off by less than 2 ε of itself, so times are by 8.
pub fn ray_distance(bounds: &Aabb, origin: DVec3, direction: DVec3) -> Option<f64> {
    /// Bound: the direction, the difference and the quotient are each off by less than 2 ε of themselves.
    const ROUNDING: f64 = 8.0 * f64::EPSILON;
    let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        let (min, max, o, u) = (bounds.min[axis], bounds.max[axis], origin[axis], direction[axis]);
        if u == 0.0 {
            if o < min || o > max {
                return None;
            }
            continue;
        }
        let (near, far) = if u > 0.0 { (min, max) } else { (max, min) };
        let (near, far) = ((near - o) / u, (far - o) / u);
        enter = enter.max(near - ROUNDING * near.max(0.0));
        leave = leave.min(far + ROUNDING * far.abs());
    }
    // Written so that a NaN is visited.
    if enter > leave { None } else { Some(enter) }
}

impl Boxes {
    /// Puts a box into a slot.
    #[inline]
    pub fn set(&mut self, slot: u32, bounds: &Aabb) {
        // NaN makes a box empty.
        let bounds = if bounds.min.cmple(bounds.max).all() { bounds } else { &Aabb::EMPTY };
        let index = slot as usize;
        if index >= self.bounds.len() && !self.grow(slot) {
            return;
        }
        let (marks, old) = (&mut self.marks[index], &mut self.bounds[index]);
        if *marks & REMOVED != 0 && *marks & RENEWED == 0 {
            *marks |= RENEWED;
            self.renewed = true;
        }
        if old == bounds {
            return;
        }
        self.held += usize::from(is_held(bounds));
        self.held -= usize::from(is_held(old));
        *old = *bounds;
        self.changes += 1;
        if *marks & TOUCHED == 0 {
            *marks |= TOUCHED;
            self.touched.push(slot);
        }
    }

    /// Makes room; `false` for a slot that there cannot be.
    #[cold]
    fn grow(&mut self, slot: u32) -> bool {
        if slot >= SLOTS {
            return false;
        }
        let length = slot as usize + 1;
        self.bounds.resize(length, Aabb::EMPTY);
        self.marks.resize(length, 0);
        true
    }

    /// Empties a slot.
    pub fn remove(&mut self, slot: u32) {
        if (slot as usize) < self.bounds.len() {
            self.set(slot, &Aabb::EMPTY);
            // In this order: setting the empty box is not a new use of the slot.
            self.marks[slot as usize] |= REMOVED;
            self.marks[slot as usize] &= !RENEWED;
            if self.marks[slot as usize] & TOUCHED == 0 {
                self.marks[slot as usize] |= TOUCHED;
                self.touched.push(slot);
            }
        }
    }

    /// The box in a slot.
    #[inline]
    pub fn get(&self, slot: u32) -> &Aabb {
        self.bounds.get(slot as usize).unwrap_or(&Aabb::EMPTY)
    }

    /// All boxes by slot, the empty ones among them.
    #[inline]
    pub fn all(&self) -> &[Aabb] {
        &self.bounds
    }

    /// A number that is another one after any box has changed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// How many slots hold a box.
    pub fn held(&self) -> usize {
        self.held
    }

    /// The slots that hold a box, ascending.
    pub fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.bounds.iter().zip(0..).filter(|(bounds, _)| is_held(bounds)).map(|(_, slot)| slot)
    }

    /// The slots that changed, in the order in which they did.
    #[inline]
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Has the slot changed since the last update?
    #[inline]
    pub fn is_touched(&self, slot: u32) -> bool {
        self.marks[slot as usize] & TOUCHED != 0
    }

    /// Was any slot given to another body?
    pub fn any_renewed(&self) -> bool {
        self.renewed
    }

    /// Has the slot been given to another box since the last update?
    #[inline]
    pub fn is_renewed(&self, slot: u32) -> bool {
        self.marks[slot as usize] & RENEWED != 0
    }

    /// Do the boxes of two slots overlap? Slots without a box overlap nothing.
    #[inline]
    pub fn overlap(&self, i: u32, j: u32) -> bool {
        let (a, b) = (&self.bounds[i as usize], &self.bounds[j as usize]);
        // The empty box against an unbounded one is what the first two are for.
        is_held(a) && is_held(b) && a.overlaps(b)
    }

    /// Forgets what changed.
    pub fn settle(&mut self) {
        for slot in self.touched.drain(..) {
            self.marks[slot as usize] = 0;
        }
        self.renewed = false;
    }

    /// The slots that overlap a box, by looking at all of them.
    pub fn scan_overlapping(&self, bounds: &Aabb, slots: &mut Vec<u32>) {
        slots.clear();
        if bounds.min.cmple(bounds.max).all() {
            slots.extend(self.slots().filter(|&slot| self.bounds[slot as usize].overlaps(bounds)));
        }
    }

    /// [`super::BroadPhase::nearest`], by looking at all of them.
    pub fn scan_nearest(&self, from: &Aabb, mut limit: f64, visit: &mut dyn FnMut(u32, f64) -> f64) {
        if from.min.cmple(from.max).all() {
            for slot in self.slots() {
                let distance = gap(from, &self.bounds[slot as usize]);
                if distance <= limit {
                    limit = visit(slot, distance);
                }
            }
        }
    }
}
