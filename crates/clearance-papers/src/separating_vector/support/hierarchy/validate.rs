//! Proof of the structure of a hierarchy: by hulls of every level, without the builder's surface.

use super::fan::{self, distance};
use super::{COARSEST, Hierarchy, MAX_DEGREE};
use clearance::internals::exact::Scale;
use clearance::internals::hull::convex_hull;
use clearance::math::DVec3;
use clearance::shape::Polytope;

type Check = Result<(), String>;

fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(fault()) }
}

impl Hierarchy {
    /// Proves the structure. All vertices of the polytope are there once. Every level contains the one before it (its vertices begin with those). In
    /// the exact hull of every level, the vertices that it adds are no neighbours of each other. They are children of each of their neighbours, and
    /// of at most [`MAX_DEGREE`] vertices; they are one in 18 or more. Capsules hold their members.
    ///
    /// # Errors
    ///
    /// The first fault found, in one sentence. No hierarchy of `polytope` made by this library has one.
    pub fn validate(&self, polytope: &Polytope) -> Result<(), String> {
        let count = polytope.vertex_count();
        let mut seen = vec![false; count];
        ensure(self.numbers.len() == count && self.points.len() == count, || "vertices are missing".into())?;
        for (&number, point) in self.numbers.iter().zip(&self.points) {
            let place = seen.get_mut(number as usize).ok_or_else(|| format!("there is no vertex {number}"))?;
            ensure(!std::mem::replace(place, true), || format!("vertex {number} is there twice"))?;
            let same = polytope.vertex(number).to_array().map(f64::to_bits) == point.to_array().map(f64::to_bits);
            ensure(same, || format!("vertex {number} is elsewhere"))?;
        }
        let extent = polytope.vertices().iter().fold(DVec3::ZERO, |most, v| most.max(v.abs()));
        ensure(extent.cmple(self.extent).all(), || "a coordinate is beyond the extent".into())?;

        let scale = Scale::of(polytope.vertices());
        let scaled: Vec<DVec3> = self.points.iter().map(|&p| scale.point(p)).collect();
        let coarsest = self.levels.first().map_or(count, |level| level.before as usize);
        ensure(coarsest <= COARSEST, || format!("the coarsest level has {coarsest} vertices"))?;
        for depth in 0..self.levels.len() {
            let end = self.levels.get(depth + 1).map_or(count, |next| next.before as usize);
            self.check_level(depth, end, &scaled[..end], polytope.dimension())
                .map_err(|e| format!("level {depth}: {e}"))?;
        }
        self.check_capsules(&scaled, scale)
    }

    fn check_level(&self, depth: usize, end: usize, scaled: &[DVec3], dimension: usize) -> Check {
        let level = self.levels[depth];
        let before = level.before as usize;
        ensure(before < end && 18 * (end - before) >= end, || format!("only {end} - {before} vertices are added"))?;
        let hull = convex_hull(scaled).map_err(|e| e.to_string())?;
        ensure(hull.vertex_count() == end && hull.dimension() == dimension, || "not all vertices are extreme".into())?;
        let mut parents = vec![0; end - before];
        for rank in 0..before as u32 {
            for &child in self.children(level, rank) {
                let place = (child as usize).wrapping_sub(before);
                let count = parents.get_mut(place).ok_or_else(|| format!("{child} is a child but not added here"))?;
                *count += 1;
            }
        }
        ensure(parents.iter().all(|&count| count <= MAX_DEGREE), || "a vertex has too many parents".into())?;
        for child in before as u32..end as u32 {
            for &neighbor in hull.neighbors(child) {
                ensure((neighbor as usize) < before, || format!("{child} and {neighbor} are neighbours"))?;
            }
        }
        for rank in 0..before as u32 {
            let mut listed = self.children(level, rank).to_vec();
            listed.sort_unstable();
            ensure(listed.windows(2).all(|pair| pair[0] < pair[1]), || format!("{rank} has a child twice"))?;
            for &child in hull.neighbors(rank).iter().filter(|&&other| other as usize >= before) {
                ensure(listed.binary_search(&child).is_ok(), || format!("{child} is not a child of {rank}"))?;
            }
        }
        Ok(())
    }

    /// Every long list has a tree whose leaves are the list, and capsules hold their members.
    fn check_capsules(&self, scaled: &[DVec3], scale: Scale) -> Check {
        for (depth, level) in self.levels.iter().enumerate() {
            for rank in 0..level.before {
                let start = self.starts[(level.starts + rank) as usize];
                let list = self.children(*level, rank);
                if list.len() <= fan::SHORT {
                    continue;
                }
                let fault = |what: &str| format!("level {depth}: the capsules of {rank} {what}");
                let capsules = self.fans.at(start);
                let mut place = start;
                for (i, capsule) in capsules.iter().enumerate() {
                    let at = |place: u32| scaled[self.children[place as usize] as usize];
                    let holds = |place: u32| {
                        let far = distance(at(place), at(capsule.first), at(capsule.last));
                        scale.length(far) <= capsule.radius
                    };
                    ensure((capsule.first..=capsule.last).all(holds), || fault("are too thin"))?;
                    if capsule.is_leaf {
                        ensure(capsule.first == place && capsule.next == 1, || fault("leave a gap"))?;
                        place = capsule.last + 1;
                        continue;
                    }
                    // Every vertex that is skipped with a capsule is inside it.
                    let parts = capsules.get(i + 1..i + capsule.next as usize).ok_or_else(|| fault("end early"))?;
                    let inside = |part: &fan::Fan| capsule.first <= part.first && part.last <= capsule.last;
                    ensure(parts.iter().all(inside), || fault("are not nested"))?;
                }
                ensure(place as usize == start as usize + list.len(), || fault("miss some children"))?;
            }
        }
        Ok(())
    }
}
