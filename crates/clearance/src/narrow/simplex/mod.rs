//! The simplex of GJK and its subalgorithm: the point of a simplex nearest to the origin, and the part it lies on.

#[doc(hidden)]
pub mod double_double;
mod signed_volumes;
#[cfg(test)]
mod tests;

pub use signed_volumes::SignedVolumes;

use super::Vertex;
use glam::DVec3;

/// One to four points of A - B, and the convex combination of them that is nearest to the origin.
///
/// A point keeps its slot while it is a member (section 4 of paper \[GJK\]), so that removing one moves no data and a
/// subalgorithm may keep what it knows about the others.
#[derive(Debug, Clone)]
pub struct Simplex {
    slots: [Vertex; 4],
    members: Members,
}

/// Which slots are in use, oldest first, and with which weights.
#[derive(Debug, Clone, Copy)]
struct Members {
    weights: [f64; 4],
    order: [u8; 4],
    count: u8,
}

impl Default for Simplex {
    #[inline]
    fn default() -> Self {
        Self { slots: [Vertex::ORIGIN; 4], members: Members { weights: [0.0; 4], order: [0; 4], count: 0 } }
    }
}

/// The outcome of a subalgorithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Nearest {
    /// The origin is outside the simplex, and this is the nearest point.
    Outside {
        /// The nearest point, as accurately as the method can compute it.
        v: DVec3,
        /// The square of its length.
        length_squared: f64,
    },
    /// The origin is inside the tetrahedron.
    Inside,
    /// Rounding left no part of the simplex that satisfies the conditions, or there is no simplex.
    Nothing,
}

/// A method that finds the nearest point of a simplex and reduces the simplex to the part that holds it.
pub trait Subalgorithm: Default {
    /// May a search in single precision find the start? Not for a method that is there to be studied.
    const IS_PREFILTERED: bool;

    /// Called after a vertex has been inserted into `slot`.
    fn inserted(&mut self, simplex: &Simplex, slot: usize);

    /// Reduces the simplex to the smallest part that holds its point nearest to the origin.
    ///
    /// `newest_needed`: the vertex inserted last is known to be part of it (theorem 2 of paper \[GJK\]).
    fn reduce(&mut self, simplex: &mut Simplex, newest_needed: bool) -> Nearest;
}

impl Simplex {
    /// How many vertices there are.
    #[inline]
    #[must_use]
    pub fn count(&self) -> usize {
        usize::from(self.members.count)
    }

    /// The vertices with their weights, oldest first.
    pub fn weighted(&self) -> impl Iterator<Item = (f64, &Vertex)> {
        let members = self.members.weights.iter().zip(&self.members.order).take(self.count());
        members.map(|(weight, &slot)| (*weight, &self.slots[usize::from(slot & 3)]))
    }

    /// The four vertices of a tetrahedron, oldest first.
    #[inline]
    pub(crate) fn tetrahedron(&self) -> Option<[Vertex; 4]> {
        (self.members.count == 4).then(|| self.members.order.map(|slot| self.slots[usize::from(slot & 3)]))
    }

    /// The vertex numbers, oldest first, and how many there are.
    #[inline]
    #[must_use]
    pub fn ids(&self) -> ([[u32; 2]; 4], u8) {
        let order = self.members.order;
        (order.map(|slot| self.slots[usize::from(slot & 3)].ids), self.members.count)
    }

    /// Is that point one of the vertices?
    #[must_use]
    pub fn contains(&self, w: DVec3) -> bool {
        self.weighted().any(|(_, vertex)| vertex.w == w)
    }

    /// The convex combination of the points of A, and of A - B.
    #[inline]
    #[must_use]
    pub fn combination(&self) -> (DVec3, DVec3) {
        self.weighted().fold((DVec3::ZERO, DVec3::ZERO), |(point_a, v), (weight, vertex)| {
            (point_a + weight * vertex.point_a, v + weight * vertex.w)
        })
    }

    /// Forgets all vertices.
    pub(crate) fn clear(&mut self) {
        self.members.count = 0;
    }

    /// Adds a vertex to the at most three that are there, and tells its slot.
    #[inline]
    pub(crate) fn insert(&mut self, vertex: Vertex) -> usize {
        debug_assert!(self.members.count < 4, "a simplex has at most four vertices");
        let slot = (self.used().trailing_ones() & 3) as u8;
        let last = usize::from(self.members.count & 3);
        self.slots[usize::from(slot)] = vertex;
        self.members.order[last] = slot;
        self.members.weights[last] = if last == 0 { 1.0 } else { 0.0 };
        self.members.count += 1;
        usize::from(slot)
    }

    /// The slots in use, as a bit set.
    #[inline]
    #[must_use]
    pub fn used(&self) -> u8 {
        self.members.order.iter().take(self.count()).fold(0, |bits, slot| bits | 1 << (slot & 3))
    }

    /// The vertex in a slot, which is in use.
    #[inline]
    #[must_use]
    pub fn slot(&self, slot: usize) -> &Vertex {
        &self.slots[slot & 3]
    }

    /// Keeps the vertices of some slots, at most four, with their weights.
    pub fn keep(&mut self, weighted: impl IntoIterator<Item = (usize, f64)>) {
        let mut members = Members { weights: [0.0; 4], order: [0; 4], count: 0 };
        for (slot, weight) in weighted.into_iter().take(4) {
            members.order[usize::from(members.count)] = slot as u8 & 3;
            members.weights[usize::from(members.count)] = weight;
            members.count += 1;
        }
        self.members = members;
    }

    /// The point in the slot that is the `i`-th oldest.
    #[inline]
    fn w(&self, i: usize) -> DVec3 {
        self.slots[usize::from(self.members.order[i & 3] & 3)].w
    }
}

/// A simplex with its subalgorithm, as a search uses it.
#[derive(Debug, Default)]
pub struct Reducer<S> {
    /// The simplex.
    pub simplex: Simplex,
    subalgorithm: S,
}

impl<S: Subalgorithm> Reducer<S> {
    /// Adds a vertex.
    #[inline]
    pub fn insert(&mut self, vertex: Vertex) {
        let slot = self.simplex.insert(vertex);
        self.subalgorithm.inserted(&self.simplex, slot);
    }

    /// The nearest point of a simplex of which nothing is known.
    pub fn nearest(&mut self) -> Nearest {
        self.subalgorithm.reduce(&mut self.simplex, false)
    }

    /// The nearest point once `vertex` has been added, if it is nearer than `length_squared`; else the simplex stays as it
    /// was.
    #[inline]
    pub fn extend(&mut self, vertex: Vertex, length_squared: f64) -> Nearest {
        let before = self.simplex.members;
        self.insert(vertex);
        let nearest = self.subalgorithm.reduce(&mut self.simplex, true);
        match nearest {
            Nearest::Inside => {}
            // Written so that a NaN is no progress.
            Nearest::Outside { length_squared: shortened, .. } if shortened < length_squared => {}
            _ => self.simplex.members = before,
        }
        nearest
    }
}
