//! The trace of a search among parts, and the evidence that it becomes: a cover of all pairs of parts by pairs of sets, with a direction each.
//!
//! 1. A cover has a leaf for every node pair that the search pruned or asked about, so it is as long as the search and not as the number of pairs.
//! 2. Parts are in an order in which the nodes of a tree are ranges: unbounded parts first, then the leaves from left to right.
//! 3. Covers are in preorder with the lower half first; the search may have visited the upper half first.

use crate::shape::Shape;
use crate::trace::Trace;
use clearance_verify::{Cover, Lower};
use glam::DVec3;

/// A direction for all pairs of two sets.
pub(super) fn along(direction: DVec3) -> Cover {
    Cover::Along(direction.to_array())
}

/// A step of a search.
#[derive(Debug, Clone, Copy)]
enum Event {
    Split { side: usize, at: u32, is_right_first: bool },
    Prune(DVec3),
    Ask([u32; 2], DVec3),
}

/// The trace of a search among the parts of compounds, in the order of the search.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    translation: DVec3,
    events: Vec<Event>,
}

impl Trace for Trail {
    fn restart(&mut self, translation: DVec3) {
        self.translation = translation;
        self.events.clear();
    }

    fn split(&mut self, side: usize, at: u32, is_right_first: bool) {
        self.events.push(Event::Split { side, at, is_right_first });
    }

    fn prune(&mut self, direction: DVec3) {
        self.events.push(Event::Prune(direction));
    }

    fn ask(&mut self, parts: [u32; 2], normal: DVec3) {
        self.events.push(Event::Ask(parts, normal));
    }
}

/// The number of unbounded parts of a shape, that of all parts, and their order.
fn order(shape: &Shape) -> (usize, usize, Vec<u32>) {
    match shape {
        Shape::Compound(compound) => {
            let order = [compound.unbounded(), compound.tree().order()].concat();
            // The order of the parts themselves is left out.
            let is_sorted = order.iter().enumerate().all(|(place, &part)| place == part as usize);
            let (unbounded, count) = (compound.unbounded().len(), order.len());
            (unbounded, count, if is_sorted { Vec::new() } else { order })
        }
        shape => (usize::from(matches!(shape, Shape::HalfSpace(_))), 1, Vec::new()),
    }
}

impl Trail {
    /// The translation of B during the search.
    pub(super) fn translation(&self) -> DVec3 {
        self.translation
    }

    /// The one direction that prunes all pairs, if there is one.
    pub(super) fn only_direction(&self) -> Option<DVec3> {
        match self.events[..] {
            [Event::Prune(direction)] => Some(direction),
            _ => None,
        }
    }

    /// The cover of the search. `prove` returns a direction along which two parts are apart that the search asked about, from the normal of the
    /// answer.
    pub(super) fn cover(&self, [a, b]: [&Shape; 2], mut prove: impl FnMut([u32; 2], DVec3) -> DVec3) -> Lower {
        let (unbounded_a, count_a, order_a) = order(a);
        let (unbounded_b, count_b, order_b) = order(b);
        let translation = (self.translation != DVec3::ZERO).then_some(self.translation.to_array());
        let mut cover = Vec::with_capacity(self.events.len() + 4);
        let plane = along(DVec3::X);
        // Unbounded parts against all parts of the other shape: the checker takes the normals of half-spaces.
        for (unbounded, count, split) in [
            (unbounded_a, count_a, Cover::SplitA(unbounded_a as u32)),
            (unbounded_b, count_b, Cover::SplitB(unbounded_b as u32)),
        ] {
            if unbounded == count {
                cover.push(plane);
                return Lower { translation, a: order_a, b: order_b, cover };
            }
            if unbounded > 0 {
                cover.extend([split, plane]);
            }
        }
        let sizes = self.sizes();
        let mut open = if self.events.is_empty() { Vec::new() } else { vec![0] };
        while let Some(place) = open.pop() {
            match self.events[place] {
                Event::Prune(direction) => cover.push(along(direction)),
                Event::Ask(parts, normal) => cover.push(along(prove(parts, normal))),
                Event::Split { side, at, is_right_first } => {
                    cover.push(match side {
                        0 => Cover::SplitA(at + unbounded_a as u32),
                        _ => Cover::SplitB(at + unbounded_b as u32),
                    });
                    let (first, second) = (place + 1, place + 1 + sizes[place + 1]);
                    open.extend(if is_right_first { [first, second] } else { [second, first] });
                }
            }
        }
        Lower { translation, a: order_a, b: order_b, cover }
    }

    /// The number of steps of each subtree.
    fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![1; self.events.len() + 1];
        for (place, event) in self.events.iter().enumerate().rev() {
            if let Event::Split { .. } = event {
                let first = sizes[place + 1];
                sizes[place] = 1 + first + sizes.get(place + 1 + first).copied().unwrap_or(0);
            }
        }
        sizes
    }
}
