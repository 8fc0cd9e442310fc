//! Bodies and their names.

use crate::math::{Aabb, Pose};
use crate::shape::Shape;

/// The name of a body in its world. Names are never given twice: the slot of a body that was removed is used again, but with
/// another generation, so an old name finds nothing.
///
/// Ordered by slot, which is the order of insertion as long as nothing is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Debug, Clone)]
pub struct Body {
    /// What it is.
    pub shape: Shape,
    /// Where it is.
    pub pose: Pose,
    /// Bodies of the same group are not checked against each other.
    pub group: Option<u32>,
    /// Two fixed bodies are not checked against each other: walls, floors, furniture.
    pub is_fixed: bool,
}

impl Body {
    /// A moving body without a group.
    #[must_use]
    pub fn new(shape: Shape, pose: Pose) -> Self {
        Self { shape, pose, group: None, is_fixed: false }
    }

    /// The same body, fixed.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { is_fixed: true, ..self }
    }

    /// The same body, in that group.
    #[must_use]
    pub fn group(self, group: u32) -> Self {
        Self { group: Some(group), ..self }
    }

    /// A box around everything within half the margin of the body, so that the boxes of two bodies within the margin of
    /// each other overlap, whatever rounding does.
    pub(super) fn bounds(&self, margin: f64) -> Aabb {
        let bounds = self.shape.loose_aabb(&self.pose);
        if margin == 0.0 {
            return bounds;
        }
        let half = (0.5 * margin).next_up();
        Aabb { min: (bounds.min - half).map(f64::next_down), max: (bounds.max + half).map(f64::next_up) }
    }
}

#[derive(Debug, Clone, Default)]
struct Slot {
    generation: u32,
    body: Option<Body>,
}

/// The bodies by slot.
#[derive(Debug, Clone, Default)]
pub(super) struct Bodies {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl Bodies {
    pub fn insert(&mut self, body: Body) -> BodyId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let entry = &mut self.slots[slot as usize];
        entry.body = Some(body);
        BodyId { slot, generation: entry.generation }
    }

    pub fn remove(&mut self, id: BodyId) -> Option<Body> {
        let entry = self.slots.get_mut(id.slot as usize).filter(|entry| entry.generation == id.generation)?;
        let body = entry.body.take()?;
        entry.generation = entry.generation.wrapping_add(1);
        self.free.push(id.slot);
        Some(body)
    }

    #[inline]
    pub fn get(&self, id: BodyId) -> Option<&Body> {
        let entry = self.slots.get(id.slot as usize).filter(|entry| entry.generation == id.generation)?;
        entry.body.as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        let entry = self.slots.get_mut(id.slot as usize).filter(|entry| entry.generation == id.generation)?;
        entry.body.as_mut()
    }

    /// The body in a slot.
    #[inline]
    pub fn at(&self, slot: u32) -> Option<(BodyId, &Body)> {
        let entry = self.slots.get(slot as usize)?;
        entry.body.as_ref().map(|body| (BodyId { slot, generation: entry.generation }, body))
    }

    pub fn iter(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        (0..self.slots.len() as u32).filter_map(|slot| self.at(slot))
    }

    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
