//! Bodies and their names.

use crate::math::{Aabb, Pose};
use crate::shape::Shape;

/// The name of a body in its world. Names are never given twice: the slot of a body that was removed is used again, but with
/// another generation, so an old name finds nothing.
///
/// Ordered by slot, which is the order of insertion as long as nothing is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    slot: u32,
    generation: u32,
}

impl BodyId {
    /// A small number that no other body of the world has at the same time: good for tables.
    #[inline]
    #[must_use]
    pub const fn slot(self) -> u32 {
        self.slot
    }
}

/// A shape at a pose, and what it is to be checked against.
///
/// Laid out as it is written: the pose, which is what most queries about a pair need, is in a cache line of its own.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct Body {
    /// Where it is.
    pub pose: Pose,
    /// Bodies of the same group are not checked against each other.
    pub group: Option<u32>,
    /// What it is.
    pub shape: Shape,
    /// Two fixed bodies are not checked against each other: walls, floors, furniture.
    pub is_fixed: bool,
}

impl Body {
    /// A moving body without a group.
    #[must_use]
    pub fn new(shape: Shape, pose: Pose) -> Self {
        Self { pose, group: None, shape, is_fixed: false }
    }

    /// This body, fixed.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { is_fixed: true, ..self }
    }

    /// This body, in that group.
    #[must_use]
    pub fn group(self, group: u32) -> Self {
        Self { group: Some(group), ..self }
    }

    /// A box around everything within half the margin of the body, so that the boxes of two bodies within the margin of
    /// each other overlap, whatever rounding does.
    pub(super) fn bounds(&self, margin: f64) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        self.put_bounds(margin, &mut bounds);
        bounds
    }

    /// [`Body::bounds`], put where it belongs.
    #[inline(always)]
    pub(super) fn put_bounds(&self, margin: f64, bounds: &mut Aabb) {
        self.shape.put_loose_aabb(&self.pose, bounds);
        if margin > 0.0 {
            let half = (0.5 * margin).next_up();
            bounds.min = (bounds.min - half).map(f64::next_down);
            bounds.max = (bounds.max + half).map(f64::next_up);
        }
    }
}

/// A body, if there is one, at the beginning of a cache line.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
struct Slot(Option<Body>);

/// The bodies by slot.
#[derive(Debug, Clone, Default)]
pub(super) struct Bodies {
    slots: Vec<Slot>,
    /// By slot: how many bodies were there before.
    generations: Vec<u32>,
    free: Vec<u32>,
}

impl Bodies {
    pub fn insert(&mut self, body: Body) -> BodyId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.generations.push(0);
            self.slots.len() as u32 - 1
        });
        self.slots[slot as usize].0 = Some(body);
        BodyId { slot, generation: self.generations[slot as usize] }
    }

    pub fn remove(&mut self, id: BodyId) -> Option<Body> {
        let generation = self.generations.get_mut(id.slot as usize).filter(|there| **there == id.generation)?;
        let body = self.slots[id.slot as usize].0.take()?;
        *generation = generation.wrapping_add(1);
        self.free.push(id.slot);
        Some(body)
    }

    #[inline]
    pub fn get(&self, id: BodyId) -> Option<&Body> {
        self.generations.get(id.slot as usize).filter(|there| **there == id.generation)?;
        self.slots[id.slot as usize].0.as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        self.generations.get(id.slot as usize).filter(|there| **there == id.generation)?;
        self.slots[id.slot as usize].0.as_mut()
    }

    /// The body in a slot.
    #[inline(always)]
    pub fn body(&self, slot: u32) -> Option<&Body> {
        self.slots.get(slot as usize)?.0.as_ref()
    }

    /// The body in a slot, and its name.
    #[inline]
    pub fn at(&self, slot: u32) -> Option<(BodyId, &Body)> {
        let body = self.body(slot)?;
        Some((BodyId { slot, generation: self.generations[slot as usize] }, body))
    }

    pub fn iter(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        (0..self.slots.len() as u32).filter_map(|slot| self.at(slot))
    }

    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
