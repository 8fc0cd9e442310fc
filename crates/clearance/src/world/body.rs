//! Bodies and their handles.

use crate::math::{Aabb, Pose};
use crate::shape::Shape;

/// The handle of a body in its world. No handle is given twice: the slot of a body that was removed is used again, but with
/// another generation, so an old handle finds nothing.
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

/// The layers that a body is on, and those it is checked against: 32 of each, one bit per layer.
///
/// Two bodies are checked if each is on a layer that the other one's mask has. By default a body is on all layers and is
/// checked against all. These are the collision masks of the engines, by other names:
///
/// | here | rapier | Bullet | Jolt |
/// |---|---|---|---|
/// | [`CollisionLayers::memberships`] | `InteractionGroups::memberships` | `m_collisionFilterGroup` | `ObjectLayer` |
/// | [`CollisionLayers::mask`] | `InteractionGroups::filter` | `m_collisionFilterMask` | `ObjectLayerPairFilter` |
/// | [`Body::group`]: not against each other | a hook | a callback | `CollisionGroup` with a `GroupFilter` |
///
/// A [group](Body::group) says the opposite of a layer: its members are not checked against each other, however many groups
/// there are. The links of one robot are a group; robots, walls and tools are layers.
///
/// ```
/// use clearance::world::{Body, CollisionLayers};
/// use clearance::{Pose, Shape, World};
///
/// const ROBOT: u32 = 1;
/// const WALL: u32 = 2;
/// const CABLE: u32 = 4;
/// let at_origin = |layers| Shape::sphere(1.0).map(|ball| Body::new(ball, Pose::IDENTITY).layers(layers));
/// let mut world = World::default();
/// let robot = world.insert_body(at_origin(CollisionLayers::new(ROBOT, WALL | CABLE))?);
/// let wall = world.insert_body(at_origin(CollisionLayers::new(WALL, ROBOT))?);
/// let cable = world.insert_body(at_origin(CollisionLayers::new(CABLE, ROBOT))?);
/// assert_eq!(world.update().started(), [[robot, wall], [robot, cable]]);   // a cable passes through walls
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CollisionLayers {
    /// The layers that the body is on.
    pub memberships: u32,
    /// The layers that it is checked against.
    pub mask: u32,
}

impl CollisionLayers {
    /// On every layer, and checked against every layer: the default.
    pub const ALL: Self = Self { memberships: u32::MAX, mask: u32::MAX };

    /// On these layers, and checked against those.
    #[must_use]
    pub const fn new(memberships: u32, mask: u32) -> Self {
        Self { memberships, mask }
    }

    /// Are two bodies with these layers checked against each other? The order does not matter.
    ///
    /// ```
    /// use clearance::world::CollisionLayers;
    ///
    /// let (robot, ghost) = (CollisionLayers::new(1, 2), CollisionLayers::new(2, 0));
    /// assert!(!robot.check(ghost) && robot.check(CollisionLayers::ALL) && !ghost.check(CollisionLayers::ALL));
    /// ```
    #[inline]
    #[must_use]
    pub const fn check(self, other: Self) -> bool {
        self.memberships & other.mask != 0 && other.memberships & self.mask != 0
    }
}

impl Default for CollisionLayers {
    fn default() -> Self {
        Self::ALL
    }
}

/// A shape at a pose, and what it is to be checked against.
///
/// ```
/// use clearance::world::{Body, CollisionLayers};
/// use clearance::{Pose, Shape, World};
///
/// let mut world = World::default();
/// let link = Body::new(Shape::cuboid([0.1, 0.1, 0.5])?, Pose::IDENTITY).group(7).layers(CollisionLayers::new(1, 2)).user_data(42);
/// let id = world.insert_body(link);
/// assert_eq!(world.body(id).map(|body| body.user_data), Some(42));
/// # Ok::<(), clearance::BuildError>(())
/// ```
// Laid out as it is written: the pose, which is what most queries about a pair need, is in a cache line of its own.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct Body {
    /// Where it is.
    pub pose: Pose,
    /// Bodies of the same group are not checked against each other.
    pub group: Option<u32>,
    /// The shape, in the frame of the body.
    pub shape: Shape,
    /// The layers that it is on, and those it is checked against.
    pub layers: CollisionLayers,
    /// User data: an index, a handle, an address. The world does not read it.
    pub user_data: u64,
    /// Two fixed bodies are not checked against each other: walls, floors, furniture.
    pub is_fixed: bool,
}

impl Body {
    /// A moving body without a group, on all layers.
    #[must_use]
    pub fn new(shape: Shape, pose: Pose) -> Self {
        Self { pose, group: None, shape, layers: CollisionLayers::ALL, user_data: 0, is_fixed: false }
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

    /// This body, on these layers.
    #[must_use]
    pub fn layers(self, layers: CollisionLayers) -> Self {
        Self { layers, ..self }
    }

    /// This body, with that user data.
    #[must_use]
    pub fn user_data(self, user_data: u64) -> Self {
        Self { user_data, ..self }
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

    /// The body in a slot, and its handle.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// The pose has the first cache line, the shape begins the second, and all rules are in the fourth.
    #[test]
    fn a_body_is_four_cache_lines() {
        assert_eq!((offset_of!(Body, pose), offset_of!(Body, shape)), (0, 64));
        assert!(offset_of!(Body, layers) >= 192 && size_of::<Slot>() == 256, "{} bytes", size_of::<Slot>());
    }
}
