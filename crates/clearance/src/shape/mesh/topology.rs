//! Topology of a mesh: is the surface closed, and how many connected parts does it have?

use super::Mesh;
use rustc_hash::FxHashMap;

/// Data for queries.
#[derive(Debug, Clone)]
pub(super) struct Topology {
    /// Is every edge run through as often one way as the other?
    pub is_closed: bool,
    /// A vertex of every connected part of the surface, where vertices at one place are one.
    pub components: Vec<u32>,
}

impl Topology {
    pub fn of(mesh: &Mesh) -> Self {
        let mut is_closed = true;
        for_each_edge(mesh, |_, [forth, back]| is_closed &= forth == back);
        Self { is_closed, components: components(mesh) }
    }
}

/// Calls back with every edge, the smaller vertex first, and how often it is run through from there and back.
pub(super) fn for_each_edge(mesh: &Mesh, mut visit: impl FnMut([u32; 2], [usize; 2])) {
    // Numbers of vertices have 29 bits: an edge and its way are one key.
    let mut sides: Vec<u64> = Vec::with_capacity(3 * mesh.triangles().len());
    for &[a, b, c] in mesh.triangles() {
        // A side of no length is no edge.
        let ways = [[a, b], [b, c], [c, a]].into_iter().filter(|[from, to]| from != to);
        sides.extend(ways.map(|[from, to]| {
            let (low, high) = (u64::from(from.min(to)), u64::from(from.max(to)));
            low << 32 | high << 1 | u64::from(from > to)
        }));
    }
    sides.sort_unstable();
    for same in sides.chunk_by(|one, other| one >> 1 == other >> 1) {
        let back = same.iter().filter(|side| *side & 1 == 1).count();
        let edge = [(same[0] >> 32) as u32, (same[0] as u32) >> 1];
        visit(edge, [same.len() - back, back]);
    }
}

/// Whether each triangle is in a component, connected by numbers of vertices, with an edge that is not run through as often one way as the other.
pub(super) fn open_triangles(mesh: &Mesh) -> Vec<bool> {
    let mut forest = Forest::new(mesh.vertices().len());
    for &[a, b, c] in mesh.triangles() {
        forest.join(a, b);
        forest.join(b, c);
    }
    let mut is_open = vec![false; mesh.vertices().len()];
    for_each_edge(mesh, |[low, _], [forth, back]| {
        if forth != back {
            is_open[forest.root(low) as usize] = true;
        }
    });
    mesh.triangles().iter().map(|corners| is_open[forest.root(corners[0]) as usize]).collect()
}

/// The first vertex of every part of the surface, in the order of the triangles.
fn components(mesh: &Mesh) -> Vec<u32> {
    let mut forest = Forest::new(mesh.vertices().len());
    let mut at = FxHashMap::default();
    for (number, vertex) in mesh.vertices().iter().enumerate() {
        // Zero and minus zero are one place.
        let place = (*vertex + glam::DVec3::ZERO).to_array().map(f64::to_bits);
        forest.join(number as u32, *at.entry(place).or_insert(number as u32));
    }
    for &[a, b, c] in mesh.triangles() {
        forest.join(a, b);
        forest.join(b, c);
    }
    let mut is_new = vec![true; mesh.vertices().len()];
    let first = mesh.triangles().iter().map(|corners| corners[0]);
    first.filter(|&vertex| std::mem::take(&mut is_new[forest.root(vertex) as usize])).collect()
}

/// Disjoint sets, each a tree whose root stands for it.
pub(super) struct Forest {
    parents: Vec<u32>,
}

impl Forest {
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    pub fn root(&mut self, mut at: u32) -> u32 {
        while self.parents[at as usize] != at {
            // Paths are halved on the way.
            let above = self.parents[at as usize];
            self.parents[at as usize] = self.parents[above as usize];
            at = self.parents[at as usize];
        }
        at
    }

    /// The smaller root stays one: the same mesh has the same roots.
    pub fn join(&mut self, one: u32, other: u32) {
        let [one, other] = [self.root(one), self.root(other)];
        self.parents[one.max(other) as usize] = one.min(other);
    }
}
