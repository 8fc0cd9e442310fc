//! The pairs that a stream has named, with what was learned about them: as many as fit into a bounded room.

use clearance::{Engine, Pair, Shape};
use std::collections::HashMap;
use std::ops::{Index, IndexMut};

/// Limits on the pairs that are kept, and on the bytes of the lines that began them: their shapes may be large.
const ROOM: Room = Room { pairs: 1 << 16, bytes: 16 << 20 };

#[derive(Debug, Clone, Copy)]
struct Room {
    pairs: usize,
    bytes: usize,
}

/// The shapes of a named pair, and what each engine has learned about them.
pub struct Remembered {
    pub a: Shape,
    pub b: Shape,
    caches: Vec<(Engine, Pair)>,
}

impl Remembered {
    fn new(a: Shape, b: Shape) -> Self {
        Self { a, b, caches: Vec::new() }
    }

    /// The cache of that engine.
    pub fn cache(&mut self, engine: Engine) -> &mut Pair {
        // There are only a few engines, so looking through the list is the fastest way to find one.
        let index = self.caches.iter().position(|(of, _)| *of == engine).unwrap_or_else(|| {
            self.caches.push((engine, Pair::new(&self.a, &self.b).engine(engine)));
            self.caches.len() - 1
        });
        &mut self.caches[index].1
    }
}

/// Pairs by name, and then by a number that holds until the next name is looked up.
///
/// Two generations take the place of a list in the order of use. A name that is used moves to the young one. When that has taken half of
/// the capacity, the old one, of which nothing was used meanwhile, is forgotten.
pub struct Pairs {
    slots: Vec<Remembered>,
    free: Vec<usize>,
    young: Generation,
    old: Generation,
    /// Half of the room; nothing if all pairs are kept.
    half: Option<Room>,
}

#[derive(Default)]
struct Generation {
    /// The slot of each name, and the length of the line that began it.
    names: HashMap<String, (usize, usize)>,
    bytes: usize,
}

impl Pairs {
    /// None yet.
    pub fn new() -> Self {
        Self::within(ROOM)
    }

    fn within(room: Room) -> Self {
        let half = Some(Room { pairs: room.pairs / 2, bytes: room.bytes / 2 });
        Self { slots: Vec::new(), free: Vec::new(), young: Generation::default(), old: Generation::default(), half }
    }

    /// From now on none is forgotten.
    pub fn keep_all(&mut self) {
        self.half = None;
    }

    /// The number of a pair that is remembered.
    pub fn find(&mut self, name: &str) -> Option<usize> {
        if let Some(&(slot, _)) = self.young.names.get(name) {
            return Some(slot);
        }
        let (name, (slot, bytes)) = self.old.names.remove_entry(name)?;
        self.old.bytes -= bytes;
        self.put(name, slot, bytes);
        Some(slot)
    }

    /// Remembers a pair that is not; `bytes` is the length of its line.
    pub fn insert(&mut self, name: String, bytes: usize, a: Shape, b: Shape) -> usize {
        let pair = Remembered::new(a, b);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot] = pair;
                slot
            }
            None => {
                self.slots.push(pair);
                self.slots.len() - 1
            }
        };
        self.put(name, slot, bytes);
        slot
    }

    fn put(&mut self, name: String, slot: usize, bytes: usize) {
        let is_full = self.half.is_some_and(|half| {
            self.young.names.len() >= half.pairs || self.young.bytes.saturating_add(bytes) > half.bytes
        });
        if is_full {
            let forgotten = std::mem::replace(&mut self.old, std::mem::take(&mut self.young));
            for (slot, _) in forgotten.names.into_values() {
                self.slots[slot] = Remembered::new(Shape::point(), Shape::point());
                self.free.push(slot);
            }
        }
        self.young.bytes += bytes;
        self.young.names.insert(name, (slot, bytes));
    }

    /// Forgets what was learned about the pairs, but not which shapes they are.
    pub fn forget_learned(&mut self) {
        for pair in &mut self.slots {
            pair.caches.clear();
        }
    }
}

impl Index<usize> for Pairs {
    type Output = Remembered;

    fn index(&self, slot: usize) -> &Remembered {
        &self.slots[slot]
    }
}

impl IndexMut<usize> for Pairs {
    fn index_mut(&mut self, slot: usize) -> &mut Remembered {
        &mut self.slots[slot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::Convex;

    fn ball(radius: usize) -> Shape {
        Shape::sphere(radius as f64).unwrap()
    }

    fn radius(pairs: &Pairs, slot: usize) -> usize {
        match &pairs[slot].a {
            Shape::Sphere(ball) => ball.radius() as usize,
            _ => panic!("not what was put in"),
        }
    }

    #[test]
    fn room_is_bounded_and_what_is_in_use_is_not_forgotten() {
        let mut pairs = Pairs::within(Room { pairs: 100, bytes: 1_000_000 });
        for i in 1..10_000 {
            let name = format!("p{i}");
            assert_eq!(pairs.find(&name), None);
            let slot = pairs.insert(name.clone(), 7, ball(i), ball(1));
            pairs[slot].cache(Engine::Gjk);
            assert_eq!((radius(&pairs, slot), pairs.find(&name)), (i, Some(slot)));
            // The first one is used again and again, and so is the one of twenty lines before.
            let first = pairs.find("p1").unwrap();
            assert_eq!(radius(&pairs, first), 1);
            let recent = pairs.find(&format!("p{}", i.saturating_sub(20).max(1))).unwrap();
            assert_eq!(radius(&pairs, recent), i.saturating_sub(20).max(1));
            let known = pairs.young.names.len() + pairs.old.names.len();
            assert!(known <= 100 && pairs.slots.len() <= 101 && known + pairs.free.len() == pairs.slots.len());
            assert_eq!(pairs.young.bytes, 7 * pairs.young.names.len());
            assert_eq!(pairs.old.bytes, 7 * pairs.old.names.len());
        }
        assert_eq!(pairs.find("p2"), None);
    }

    #[test]
    fn large_lines_take_more_of_the_room_and_the_last_is_always_kept() {
        let mut pairs = Pairs::within(Room { pairs: 100, bytes: 1_000 });
        for i in 1..1_000 {
            let bytes = if i % 10 == 0 { 5_000 } else { 150 };
            let slot = pairs.insert(format!("p{i}"), bytes, ball(i), ball(1));
            assert_eq!((radius(&pairs, slot), pairs.find(&format!("p{i}"))), (i, Some(slot)));
            assert!(pairs.slots.len() <= 10);
        }
        pairs.keep_all();
        for i in 1_000..3_000 {
            pairs.insert(format!("p{i}"), 5_000, ball(i), ball(1));
        }
        assert!((1_000..3_000).all(|i| pairs.find(&format!("p{i}")).is_some_and(|slot| radius(&pairs, slot) == i)));
    }
}
