//! The result of an update.

use super::pairs::{PairIndex, PairState};
use super::{BodyId, World};
use crate::pair::Clearance;

/// Two bodies that overlap or are close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProximityPair<'a> {
    /// The body with the smaller slot: A of the clearance.
    pub a: BodyId,
    /// The other one.
    pub b: BodyId,
    /// How far apart or how deep, and where; `None` when the world has only intersection tests
    /// ([`Detail::Intersection`](super::Detail::Intersection)).
    pub clearance: Option<&'a Clearance>,
}

/// Something that happened to a pair between two updates.
///
/// One update may bring two of them for a pair that moves far at once: it enters the margin and starts to overlap, or ends to
/// overlap and leaves. They then come in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairEvent {
    /// The pair came within the margin ([`Update::entered`]).
    Entered,
    /// It began to overlap ([`Update::started`]).
    Started,
    /// It ceased to overlap ([`Update::ended`]).
    Ended,
    /// It went beyond the margin, or is not checked any more ([`Update::left`]).
    Left,
}

impl PairEvent {
    /// All there are, in order.
    pub const ALL: [Self; 4] = [Self::Entered, Self::Started, Self::Ended, Self::Left];
}

/// The result of the last update of a world. All lists are in the order of the pairs' slots, for any history and any number of threads.
#[derive(Debug, Clone, Copy)]
pub struct Update<'a> {
    pub(super) world: &'a World,
}

impl<'a> Update<'a> {
    /// The pairs that overlap or touch: those of which [`intersects`](crate::intersects) says so.
    pub fn overlapping(&self) -> impl Iterator<Item = ProximityPair<'a>> + use<'a> {
        self.proximity_pairs(|state| state == PairState::Overlapping)
    }

    /// The pairs that overlap or are at most `margin` apart. The margin of the world is the most that is known.
    pub fn within(&self, margin: f64) -> impl Iterator<Item = ProximityPair<'a>> + use<'a> {
        let near = self.proximity_pairs(PairState::is_close);
        near.filter(move |pair| pair.clearance.is_none_or(|clearance| clearance.lower <= margin))
    }

    fn proximity_pairs<W>(&self, wanted: W) -> impl Iterator<Item = ProximityPair<'a>> + use<'a, W>
    where
        W: Fn(PairState) -> bool,
    {
        let pairs = &self.world.pairs;
        pairs.entries.iter().filter(move |entry| wanted(entry.state)).map(
            move |&PairIndex { ids: [a, b], record, .. }| {
                let clearance = pairs.clearances.get(record as usize).and_then(Option::as_ref);
                ProximityPair { a, b, clearance }
            },
        )
    }

    /// The pairs that overlap and did not at the update before. Other engines call it the start of a contact or collision:
    /// `CollisionEvent::Started` in rapier, `OnContactAdded` in Jolt.
    #[must_use]
    pub fn started(&self) -> &'a [[BodyId; 2]] {
        &self.world.pairs.started
    }

    /// The pairs that [started](Update::started), each with its clearance at the update before, where the bodies were still apart. It is too late
    /// for closest points once they overlap, so these are the ones that a response needs.
    ///
    /// A world needs [`Detail::Collision`](super::Detail::Collision) for it; with another detail the list is empty. The clearance is `None` where there was no such
    /// update: a body is new, has another shape, or was not checked against the other one and overlapped it.
    ///
    /// ```
    /// use clearance::world::{Config, Detail};
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::new(Config { detail: Detail::Collision, ..Config::default() });
    /// let floor = world.insert(Shape::cuboid([5.0, 0.5, 5.0])?, Pose::IDENTITY);
    /// let ball = world.insert(Shape::sphere(1.0)?, Pose::from_translation([0.0, 2.0, 0.0]));
    /// assert_eq!(world.update().started_from().count(), 0);
    /// world.set_pose(ball, Pose::from_translation([0.0, 1.25, 0.0]));
    /// let update = world.update();
    /// let met = update.started_from().next().expect("they overlap");
    /// // Half a unit apart at the update before.
    /// assert!((met.a, met.b) == (floor, ball) && met.clearance.is_some_and(|before| before.distance == 0.5));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn started_from(&self) -> impl Iterator<Item = ProximityPair<'a>> + use<'a> {
        let pairs = &self.world.pairs;
        let found = pairs.started.iter().zip(&pairs.before_contact);
        found.map(|(&[a, b], clearance)| ProximityPair { a, b, clearance: clearance.as_ref() })
    }

    /// The pairs that overlapped at the update before and do not any more; a body of them may have been removed
    /// (`CollisionEvent::Stopped` in rapier, `OnContactRemoved` in Jolt).
    #[must_use]
    pub fn ended(&self) -> &'a [[BodyId; 2]] {
        &self.world.pairs.ended
    }

    /// The pairs within the margin that were not at the update before, whether they overlap or not.
    ///
    /// A pair is within the margin as long as it is not proved to be farther apart: these are the changes of
    /// [`Update::within`] with the margin of the world. With [`Detail::Intersection`](super::Detail::Intersection), where the margin is
    /// of no use, they are those that [started](Update::started).
    ///
    /// ```
    /// use clearance::world::Config;
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::new(Config { margin: 1.0, ..Config::default() });
    /// let a = world.insert(Shape::sphere(1.0)?, Pose::IDENTITY);
    /// let b = world.insert(Shape::sphere(1.0)?, Pose::from_translation([2.5, 0.0, 0.0]));
    /// let update = world.update();
    /// assert!(update.entered() == [[a, b]] && update.started().is_empty());   // half a unit apart
    /// world.remove(b);
    /// assert_eq!(world.update().left(), [[a, b]]);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn entered(&self) -> &'a [[BodyId; 2]] {
        &self.world.pairs.entered
    }

    /// The pairs that were within the margin at the update before and are not any more: proved to be farther apart, not checked any
    /// more, or without a body that was removed.
    #[must_use]
    pub fn left(&self) -> &'a [[BodyId; 2]] {
        &self.world.pairs.left
    }

    /// All that happened, in the order of the pairs; for one pair in the order of [`PairEvent`].
    ///
    /// ```
    /// use clearance::world::{Config, PairEvent};
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::new(Config { margin: 1.0, ..Config::default() });
    /// let a = world.insert(Shape::sphere(1.0)?, Pose::IDENTITY);
    /// let b = world.insert(Shape::sphere(1.0)?, Pose::from_translation([1.0, 0.0, 0.0]));
    /// let mut happened: Vec<_> = world.update().events().collect();
    /// world.set_pose(b, Pose::from_translation([9.0, 0.0, 0.0]));
    /// happened.extend(world.update().events());
    /// assert_eq!(happened, [PairEvent::Entered, PairEvent::Started, PairEvent::Ended, PairEvent::Left].map(|event| (event, [a, b])));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn events(&self) -> impl Iterator<Item = (PairEvent, [BodyId; 2])> + use<'a> {
        // Four sorted lists, merged.
        let mut lists = [self.entered(), self.started(), self.ended(), self.left()];
        std::iter::from_fn(move || {
            let firsts = lists.iter().zip(PairEvent::ALL).filter_map(|(list, event)| Some((*list.first()?, event)));
            let (pair, event) = firsts.min()?;
            let list = &mut lists[event as usize];
            *list = &list[1..];
            Some((event, pair))
        })
    }

    /// How many pairs of boxes overlap and are not excluded by rules: the most that the narrow phase may have to query.
    #[must_use]
    pub fn candidates(&self) -> usize {
        self.world.pairs.entries.len()
    }

    /// How many of them the narrow phase queried, because one of the bodies changed or the pair is new.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.world.queries
    }
}
