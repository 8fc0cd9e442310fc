//! The farthest vertex in O(log n): the hierarchy of Dobkin and Kirkpatrick, as paper \[QC\] (2.5, 5.3, lemma 9) uses it.
//!
//! The levels are a sequence of polytopes, each the hull of the one before without a set of vertices. No two of the removed vertices are
//! neighbours, and none has more than [`MAX_DEGREE`] neighbours. That is at least one vertex in 18, so there are O(log n) levels and O(n) vertices
//! in all of them together. A query visits all vertices of the coarsest level and then descends: a vertex that a level adds can be farthest only if
//! it is a neighbour of one that was farthest before.
//!
//! **Prefer** [`DirectionTable`](super::DirectionTable), which is several times as fast on all but huge prisms (figures in [`support`](super)). The
//! hierarchy is for comparison, and for its cost on any shape: 4 to 5 more products for every doubling of the vertices, and 59 bytes per vertex.
//!
//! **Rounding.** An answer has exactly the value of a scan: the greatest of the *rounded* products. Let δ bound the rounding of
//! one product, h the exact height along the direction, H(i) the greatest exact height of level i (counted from the
//! finest), and N(i) the vertices of level i with h >= H(i) - 2δ. A vertex with the greatest rounded product is in N of the
//! finest level, and N(i) is found from N(i + 1):
//!
//! > Lemma 9 with slack. A vertex u of N(i) is in N(i + 1), or a neighbour in level i of one that is.
//!
//! *Proof.* If u stays in level i + 1, H(i + 1) <= H(i) shows that it is in N(i + 1). If not, all its neighbours stay. If one of them is as high as
//! u, it is in N(i + 1) for the same reason. If all are lower, u is the only farthest vertex of level i. From any other vertex a path of edges that
//! never descends leads to u, and its last vertex before u is a neighbour of u. So the highest neighbour is at least as high as any vertex but u,
//! hence farthest in level i + 1. ∎
//!
//! The computed heights are rounded: a vertex of N is at most 4δ below the greatest of them, so all those within 4δ are passed on to the next
//! level. Mostly that is one. On a plateau (the direction is normal to a face, up to rounding) it is all vertices of the plateau. If they are more
//! than [`CROWD`], the query gives up and scans. No answer rests on a guess.
//!
//! **Deviations.** The coarsest level has up to [`COARSEST`] vertices instead of four. The paper assumes that *all* degrees are bounded, while only
//! removed vertices have few neighbours: the apex of a pyramid loses thousands of neighbours in one level. Such long lists, in their order around
//! the vertex, are a tree of capsules, of which those below the searched height are skipped. For round rims these are a few per level and the cost
//! stays logarithmic. For crooked rims there is no such proof, but the answer is right all the same. Faces with more than three sides are cut into
//! triangles first.

mod fan;
mod surface;
#[cfg(test)]
mod tests;
mod validate;

pub use surface::MAX_DEGREE;

use arrayvec::ArrayVec;
use clearance::internals::exact::Scale;
use clearance::math::DVec3;
use clearance::shape::Polytope;
use fan::{Fan, Fans};
use surface::HullSurface;

/// The coarsest level has at most this many vertices.
///
/// With more than 10 vertices, the rest of a level is never flat. Vertices on one side of a plane are connected, so at most one removed vertex is
/// above the plane and one below. Each of these has all of the remaining ones for neighbours.
pub const COARSEST: usize = 16;

/// Limit: a query that finds more vertices than this equally far, up to rounding, scans all of them.
pub const CROWD: usize = 32;

/// 4δ in units of `extent·|direction|`, with room for the rounding of the comparison itself: a product of three terms is
/// off by at most three halves of an epsilon.
const SLACK: f64 = 8.0 * f64::EPSILON;

/// The largest error by underflow.
const GRAIN: f64 = 16.0 * f64::MIN_POSITIVE * f64::EPSILON;

/// A polytope's vertices in levels, from a few to all.
///
/// Vertices have *ranks*: those of the coarsest level come first, then those that the next level adds, and so on; within a level next to each other
/// if they have a parent in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    /// By rank.
    points: Vec<DVec3>,
    /// The number of a vertex in its polytope, by rank.
    numbers: Vec<u32>,
    /// From the coarsest to the finest.
    levels: Vec<Level>,
    /// For each level and each rank before it, where its children begin in the next list.
    starts: Vec<u32>,
    /// Ranks.
    children: Vec<u32>,
    fans: Fans,
    /// The largest size of each coordinate, and a little more where a coordinate counted as zero for the hull.
    extent: DVec3,
}

/// A level adds the ranks from `before` on, up to where the next one begins.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Level {
    before: u32,
    /// Where the starts of this level begin.
    starts: u32,
}

/// The result of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extreme {
    /// The first vertex, by number, that is farthest.
    pub vertex: u32,
    /// Its product with the direction: the greatest of all vertices, to the last bit.
    pub height: f64,
    /// The number of products.
    pub looked_at: u32,
}

impl Hierarchy {
    /// The hierarchy of a polytope of any dimension, in linear time.
    #[must_use]
    pub fn new(polytope: &Polytope) -> Self {
        let vertices = polytope.vertices();
        let sizes = vertices.iter().fold(DVec3::ZERO, |most, v| most.max(v.abs()));
        let (kept, removals) = take_apart(polytope);
        let mut made = Self {
            points: Vec::with_capacity(vertices.len()),
            numbers: kept,
            levels: Vec::with_capacity(removals.len()),
            starts: Vec::new(),
            children: Vec::new(),
            fans: Fans::default(),
            // Coordinates below 2^-250 of the largest are zero for the hull; a slack for 2^-190 of it allows for that.
            extent: sizes + DVec3::splat(sizes.max_element() * f64::from_bits((1023 - 190) << 52)),
        };
        const UNRANKED: u32 = u32::MAX;
        let mut ranks = vec![UNRANKED; vertices.len()];
        for (rank, &v) in (0..).zip(&made.numbers) {
            ranks[v as usize] = rank;
        }
        for removal in removals.into_iter().rev() {
            let before = made.numbers.len();
            made.levels.push(Level { before: before as u32, starts: made.starts.len() as u32 });
            // The lists of a removal are in the order of vertex numbers; here they come by rank.
            let mut list_of = vec![0..0; before];
            for (i, &v) in removal.parents.iter().enumerate() {
                list_of[ranks[v as usize] as usize] = removal.starts[i] as usize..removal.starts[i + 1] as usize;
            }
            for list in list_of {
                made.starts.push(made.children.len() as u32);
                for &child in &removal.children[list] {
                    if ranks[child as usize] == UNRANKED {
                        ranks[child as usize] = made.numbers.len() as u32;
                        made.numbers.push(child);
                    }
                    made.children.push(ranks[child as usize]);
                }
            }
            made.starts.push(made.children.len() as u32);
        }
        made.points.extend(made.numbers.iter().map(|&v| vertices[v as usize]));
        made.fans = made.long_lists();
        made.starts.shrink_to_fit();
        made.children.shrink_to_fit();
        made
    }

    fn long_lists(&self) -> Fans {
        let scale = Scale::of(&self.points);
        let mut fans = Fans::default();
        for (&start, &end) in self.starts.iter().zip(&self.starts[1.min(self.starts.len())..]) {
            // Between the last list of a level and the first of the next there is nothing.
            if (end - start) as usize > fan::SHORT {
                let at = |place: u32| scale.point(self.points[self.children[place as usize] as usize]);
                fans.push(start, end, at, |radius| scale.length(radius));
            }
        }
        fans
    }

    /// The first vertex, by number, that is farthest along `direction`.
    ///
    /// ```
    /// use clearance::internals::hull::convex_hull;
    /// use clearance_papers::separating_vector::support::Hierarchy;
    /// use clearance::math::DVec3;
    ///
    /// let rock = convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(rock.vertex(Hierarchy::new(&rock).farthest(DVec3::Y)), DVec3::Y);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn farthest(&self, direction: DVec3) -> u32 {
        self.search(direction).vertex
    }

    /// The height of the vertices along `direction`, times its length.
    #[must_use]
    pub fn height(&self, direction: DVec3) -> f64 {
        self.search(direction).height
    }

    /// The farthest vertex, its height, and the cost.
    #[must_use]
    pub fn search(&self, direction: DVec3) -> Extreme {
        let weight = self.extent.dot(direction.abs());
        if !(weight < f64::MAX / 16.0) {
            return self.scan(direction, 0);
        }
        let slack = SLACK * weight + GRAIN;
        // While one vertex is higher than all others by more than the slack, only that one is passed on.
        let mut lead = Lead { rank: 0, best: f64::NEG_INFINITY, second: f64::NEG_INFINITY };
        let coarsest = self.levels.first().map_or(self.points.len(), |level| level.before as usize);
        for (rank, point) in (0..).zip(&self.points[..coarsest]) {
            lead.meet(rank, point.dot(direction));
        }
        let mut looked_at = coarsest as u32;
        if !(lead.second < lead.best - slack) {
            let mut near = NearLevel::new(slack, looked_at);
            (0..coarsest as u32).for_each(|rank| near.look_at(self, rank, direction));
            near.settle();
            return self.search_widely(0, near, direction);
        }
        for (depth, level) in self.levels.iter().enumerate() {
            let children = self.children(*level, lead.rank);
            if children.len() > fan::SHORT {
                return self.search_widely(depth, NearLevel::of(lead, slack, looked_at), direction);
            }
            let before = lead;
            lead.second = f64::NEG_INFINITY;
            for &child in children {
                let height = self.points[child as usize].dot(direction);
                // A branch lets the processor fetch the next data before the comparison is done.
                if height >= lead.best - slack {
                    lead.meet(child, height);
                }
            }
            looked_at += children.len() as u32;
            if !(lead.second < lead.best - slack) {
                return self.search_widely(depth, NearLevel::of(before, slack, looked_at), direction);
            }
        }
        Extreme { vertex: self.numbers[lead.rank as usize], height: lead.best, looked_at }
    }

    /// The search from some level on with all vertices that are near the best.
    #[cold]
    fn search_widely(&self, depth: usize, mut near: NearLevel, direction: DVec3) -> Extreme {
        for level in &self.levels[depth..] {
            for member in 0..near.members.len() {
                let place = (level.starts + near.members[member].1) as usize;
                let (start, end) = (self.starts[place], self.starts[place + 1]);
                if (end - start) as usize > fan::SHORT {
                    self.look_through(start, direction, &mut near);
                    continue;
                }
                for &child in &self.children[start as usize..end as usize] {
                    near.look_at(self, child, direction);
                }
            }
            if !near.added.is_empty() && !near.settle() {
                return self.scan(direction, near.looked_at);
            }
        }
        let winners = near.members.iter().filter(|member| member.0 == near.best);
        let vertex = winners.map(|member| self.numbers[member.1 as usize]).min().unwrap_or(0);
        Extreme { vertex, height: near.best, looked_at: near.looked_at }
    }

    /// The children in a long list, without those in capsules that are too low.
    fn look_through(&self, start: u32, direction: DVec3, near: &mut NearLevel) {
        let fan = self.fans.at(start);
        let size = direction.abs();
        // No less than the length of the direction, and neither overflow nor underflow on the way.
        let length = (size.x + size.y + size.z) * (1.0 + 4.0 * f64::EPSILON);
        let mut place = 0;
        while let Some(&Fan { first, last, radius, next, is_leaf }) = fan.get(place) {
            let end = |place: u32| self.points[self.children[place as usize] as usize].dot(direction);
            near.looked_at += 2;
            let (a, b) = (end(first), end(last));
            if (if a > b { a } else { b }) + radius * length < near.best - near.slack {
                place += next as usize;
                continue;
            }
            if is_leaf {
                for &child in &self.children[first as usize..=last as usize] {
                    near.look_at(self, child, direction);
                }
            }
            place += 1;
        }
    }

    #[cold]
    fn scan(&self, direction: DVec3, looked_at: u32) -> Extreme {
        let mut best = (f64::NEG_INFINITY, 0);
        for (point, &number) in self.points.iter().zip(&self.numbers) {
            let height = point.dot(direction);
            if height > best.0 || (height == best.0 && number < best.1) {
                best = (height, number);
            }
        }
        Extreme { vertex: best.1, height: best.0, looked_at: looked_at + self.points.len() as u32 }
    }

    /// The number of levels above the coarsest.
    #[must_use]
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Its memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.points[..])
            + size_of_val(&self.numbers[..])
            + size_of_val(&self.levels[..])
            + size_of_val(&self.starts[..])
            + size_of_val(&self.children[..])
            + self.fans.bytes()
    }

    /// The children of a rank in a level.
    #[inline(always)]
    fn children(&self, level: Level, rank: u32) -> &[u32] {
        let place = (level.starts + rank) as usize;
        &self.children[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// The highest rank so far, and the greatest height of the other ones that matter.
#[derive(Clone, Copy)]
struct Lead {
    rank: u32,
    best: f64,
    second: f64,
}

impl Lead {
    #[inline(always)]
    fn meet(&mut self, rank: u32, height: f64) {
        let is_higher = height > self.best;
        let lower = if is_higher { self.best } else { height };
        self.second = if lower > self.second { lower } else { self.second };
        self.rank = if is_higher { rank } else { self.rank };
        self.best = if is_higher { height } else { self.best };
    }
}

/// The ranks whose heights are within the slack of the best so far.
struct NearLevel {
    members: ArrayVec<(f64, u32), CROWD>,
    /// The ranks of the present level; a child of two members is there twice.
    added: ArrayVec<(f64, u32), CROWD>,
    best: f64,
    slack: f64,
    looked_at: u32,
}

impl NearLevel {
    fn new(slack: f64, looked_at: u32) -> Self {
        Self { members: ArrayVec::new(), added: ArrayVec::new(), best: f64::NEG_INFINITY, slack, looked_at }
    }

    /// One that is higher than all others of its level by more than the slack.
    fn of(lead: Lead, slack: f64, looked_at: u32) -> Self {
        let mut near = Self::new(slack, looked_at);
        near.best = lead.best;
        near.members.push((lead.best, lead.rank));
        near
    }

    #[inline]
    fn look_at(&mut self, hierarchy: &Hierarchy, rank: u32, direction: DVec3) {
        let height = hierarchy.points[rank as usize].dot(direction);
        self.looked_at += 1;
        if height >= self.best - self.slack {
            if height > self.best {
                self.best = height;
            }
            if self.added.is_full() {
                self.thin_out();
            }
            // A rank without a place is not lost: the list stays full, and `settle` returns false.
            let _ = self.added.try_push((height, rank));
        }
    }

    /// Keeps each of the added ones once, and removes those that are low by now.
    fn thin_out(&mut self) {
        let floor = self.best - self.slack;
        let mut kept = 0;
        for i in 0..self.added.len() {
            let (height, rank) = self.added[i];
            if height >= floor && self.added[..kept].iter().all(|other| other.1 != rank) {
                self.added[kept] = (height, rank);
                kept += 1;
            }
        }
        self.added.truncate(kept);
    }

    /// Makes the added ones members and removes those that are low by now; false if there may be more than the capacity.
    fn settle(&mut self) -> bool {
        let floor = self.best - self.slack;
        let is_full = self.added.is_full();
        self.members.retain(|member| member.0 >= floor);
        self.thin_out();
        let has_room = !is_full && self.members.len() + self.added.len() <= CROWD;
        if has_room {
            self.members.extend(self.added.drain(..));
        }
        has_room
    }
}

/// The vertices that one level takes away, listed by their neighbours.
struct Removal {
    /// Vertices that stay, in order, and where the list of each begins; one start more at the end.
    parents: Vec<u32>,
    starts: Vec<u32>,
    /// In the order around the parent.
    children: Vec<u32>,
}

/// Takes vertices away, level by level, until few are left: those, and the levels from the finest to the coarsest.
fn take_apart(polytope: &Polytope) -> (Vec<u32>, Vec<Removal>) {
    let mut alive: Vec<u32> = (0..polytope.vertex_count() as u32).collect();
    let mut removals = Vec::new();
    if alive.len() <= COARSEST {
        return (alive, removals);
    }
    let mut surface = HullSurface::new(polytope);
    let mut chosen = vec![false; alive.len()];
    let mut blocked = vec![false; alive.len()];
    while alive.len() > COARSEST {
        choose(&surface, &alive, &mut chosen, &mut blocked);
        let mut removal = Removal { parents: Vec::new(), starts: vec![0], children: Vec::new() };
        removal.parents.extend(alive.iter().copied().filter(|&v| !chosen[v as usize]));
        for &v in &removal.parents {
            removal.children.extend(surface.around(v).filter(|&other| chosen[other as usize]));
            removal.starts.push(removal.children.len() as u32);
            blocked[v as usize] = false;
        }
        for &v in alive.iter().filter(|&&v| chosen[v as usize]) {
            surface.remove(v);
        }
        alive.clone_from(&removal.parents);
        removals.push(removal);
    }
    (alive, removals)
}

/// Chooses vertices with few neighbours, no two of them neighbours; those with the fewest first, which leaves more choices.
fn choose(surface: &HullSurface, alive: &[u32], chosen: &mut [bool], blocked: &mut [bool]) {
    let mut by_degree: [Vec<u32>; MAX_DEGREE + 1] = Default::default();
    for &v in alive {
        if let Some(list) = by_degree.get_mut(surface.degree(v)) {
            list.push(v);
        }
    }
    for &v in by_degree.iter().flatten() {
        if !blocked[v as usize] {
            chosen[v as usize] = true;
            surface.around(v).for_each(|other| blocked[other as usize] = true);
        }
    }
}
