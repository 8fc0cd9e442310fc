//! Long lists of children as trees of capsules.
//!
//! The children around a vertex, in order, follow a curve. A run of them is inside a capsule: the segment from its first to its last, and a radius.
//! The radius shrinks with the square of the length of the run where the curve is smooth, so that a plane that touches the curve cuts few of them.

use clearance::math::DVec3;

/// Lists of up to this many are scanned.
pub(super) const SHORT: usize = 16;

/// Runs of up to this many are not divided.
const LEAF: u32 = 8;

/// The computed radius of a capsule is increased by this part, and by [`ROUNDING`] of the size of the polytope. Both are far above the rounding of
/// a distance, and only make a capsule seem higher than it is.
const INFLATION: f64 = 1.0 + 1e-9;
const ROUNDING: f64 = 1e-14;

/// A run of children from `first` to `last`, as places in the list of all children.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fan {
    pub first: u32,
    pub last: u32,
    pub radius: f64,
    /// The offset of the next capsule that is not part of this one.
    pub next: u32,
    pub is_leaf: bool,
}

/// The trees of all long lists. A capsule comes before its halves.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Fans {
    /// Where a list begins among all children, and where its tree begins.
    roots: Vec<(u32, u32)>,
    capsules: Vec<Fan>,
}

impl Fans {
    /// Adds the tree of a list, from `start` to before `end`. `at` returns scaled points, `length` converts a scaled length back.
    pub fn push(&mut self, start: u32, end: u32, at: impl Fn(u32) -> DVec3, length: impl Fn(f64) -> f64) {
        let root = self.capsules.len();
        self.roots.push((start, root as u32));
        self.divide(start, end - 1, &at);
        for capsule in &mut self.capsules[root..] {
            capsule.radius = length(capsule.radius * INFLATION + ROUNDING);
        }
    }

    fn divide(&mut self, first: u32, last: u32, at: &dyn Fn(u32) -> DVec3) -> f64 {
        let place = self.capsules.len();
        let is_leaf = last - first < LEAF;
        self.capsules.push(Fan { first, last, radius: 0.0, next: 0, is_leaf });
        let (a, b) = (at(first), at(last));
        let radius = if is_leaf {
            (first..=last).fold(0.0, |most: f64, i| most.max(distance(at(i), a, b)))
        } else {
            // A half is around a segment that begins (or ends) with this one and deviates from it most at its other end.
            let cut = first + (last - first) / 2;
            let inner = self.divide(first, cut, at).max(self.divide(cut + 1, last, at));
            inner + distance(at(cut), a, b).max(distance(at(cut + 1), a, b))
        };
        self.capsules[place].radius = radius;
        self.capsules[place].next = (self.capsules.len() - place) as u32;
        radius
    }

    /// The tree of the list that begins at `start`.
    pub fn at(&self, start: u32) -> &[Fan] {
        let Ok(place) = self.roots.binary_search_by_key(&start, |root| root.0) else { return &[] };
        let end = self.roots.get(place + 1).map_or(self.capsules.len(), |root| root.1 as usize);
        &self.capsules[self.roots[place].1 as usize..end]
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.roots[..]) + size_of_val(&self.capsules[..])
    }
}

/// The distance of a point from a segment.
pub(super) fn distance(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let (along, arm) = (b - a, p - a);
    let length = along.length_squared();
    let t = if length > 0.0 { (arm.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    (arm - t * along).length()
}
