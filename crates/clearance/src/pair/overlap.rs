//! Do the shapes share a point? Which engine answers for which family of pairs.

use super::cache::Recall;
use super::closed::{ClosedForm, Solved};
use super::unit::{self, Rescaled};
use super::visit::{PairQuery, PosedPair};
use super::{Engine, compound, features, half_space, mesh};
use crate::math::{Frame, multiversioned};
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::{cuboids, gjk, newton, separating_vector};
use crate::shape::{Convex, Cuboid, HalfSpace, Polytope};

/// An intersection test about two shapes whose balls are not apart.
pub(super) struct OverlapQuery<'a, M> {
    pub pair: &'a PosedPair<'a>,
    pub engine: Engine,
    pub cache: M,
}

impl<M: Recall> OverlapQuery<'_, M> {
    /// Goes on with what GJK remembers, or with nothing.
    #[inline(always)]
    fn recall(&mut self, search: impl FnOnce(Overlap<'_>) -> bool) -> bool {
        let Self { pair, engine, cache } = self;
        cache.gjk(|cache| search(Overlap { pair, engine: *engine, cache }))
    }
}

impl<M: Recall> PairQuery for OverlapQuery<'_, M> {
    type Answer = bool;

    #[inline(never)]
    fn convex<A: Convex + ?Sized, B: Convex + ?Sized>(&mut self, a: &A, b: &B) -> bool {
        self.recall(|overlap| overlap.search(a, b))
    }

    #[inline(never)]
    fn closed_form<F: ClosedForm>(&mut self, form: F) -> bool {
        let poses = [*self.pair.pose_a, *self.pair.pose_b];
        if self.engine == Engine::Auto
            && let Some(found) = form.solve(poses)
        {
            return !found.clearance(poses).is_apart();
        }
        let [a, b] = form.cores();
        self.others(a, b)
    }

    #[inline(never)]
    fn boxes(&mut self, a: &Cuboid, b: &Cuboid) -> bool {
        if self.engine != Engine::Auto || !unit::is_ordinary(a.bounding_radius() + b.bounding_radius()) {
            return self.convex(a, b);
        }
        cuboids::intersects(a.half_extents(), b.half_extents(), &self.pair.frame())
    }

    #[inline(always)]
    fn polytopes(&mut self, a: &Polytope, b: &Polytope) -> bool {
        if self.engine == Engine::Auto && unit::is_ordinary(a.bounding_radius() + b.bounding_radius()) {
            let pair = self.pair;
            return self.cache.gjk(
                #[inline(always)]
                |cache| polytopes_intersect::<true>(a, b, pair, cache),
            );
        }
        if self.engine == Engine::VClip {
            let Self { pair, cache, .. } = self;
            let between = pair.pose_b.translation() - pair.pose_a.translation();
            if unit::is_ordinary(a.bounding_radius() + b.bounding_radius() + between.abs().element_sum()) {
                return cache.whole(|cache| features::intersect(a, b, pair, cache));
            }
        }
        self.recall(|overlap| overlap.polytopes(a, b))
    }

    #[inline(never)]
    fn half_space<const IS_FIRST: bool>(&mut self, plane: &HalfSpace, other: &dyn Convex) -> bool {
        let PosedPair { pose_a, pose_b, .. } = self.pair;
        let [pose, other_pose] = if IS_FIRST { [pose_a, pose_b] } else { [pose_b, pose_a] };
        !half_space::to_convex(plane, other, &Frame::relative(pose, other_pose), pose).is_apart()
    }

    #[inline(never)]
    fn half_spaces(&mut self, a: &HalfSpace, b: &HalfSpace) -> bool {
        !half_space::to_half_space(a, b, [self.pair.pose_a, self.pair.pose_b]).is_apart()
    }

    #[inline(never)]
    fn meshes(&mut self) -> bool {
        let Self { pair, engine, cache } = self;
        mesh::intersects(pair, *engine, cache)
    }

    #[inline(never)]
    fn compounds(&mut self) -> bool {
        let Self { pair, engine, cache } = self;
        cache.whole(|cache| compound::intersects(**pair, *engine, cache))
    }
}

/// GJK's intersection test for two polytopes; for those who ask for GJK it is GJK's own.
#[inline(always)]
fn polytopes_intersect<const AUTO: bool>(
    a: &Polytope,
    b: &Polytope,
    pair: &PosedPair<'_>,
    cache: &mut gjk::WarmSimplex,
) -> bool {
    multiversioned(
        #[inline(always)]
        || {
            let frame = Frame::relative_here(pair.pose_a, pair.pose_b);
            gjk::intersects_here::<AUTO, SignedVolumes, _, _>(a, b, &frame, cache)
        },
    )
}

/// A search for the intersection test about two bounded convex shapes.
struct Overlap<'a> {
    pair: &'a PosedPair<'a>,
    engine: Engine,
    cache: &'a mut gjk::WarmSimplex,
}

impl Overlap<'_> {
    /// Two polytopes, by any engine.
    #[inline(never)]
    fn polytopes(self, a: &Polytope, b: &Polytope) -> bool {
        let (pair, cache) = (self.pair, &mut *self.cache);
        match self.engine {
            _ if !unit::is_ordinary(a.bounding_radius() + b.bounding_radius()) => self.search(a, b),
            Engine::SeparatingVector => multiversioned(
                #[inline(always)]
                || by_vector(a, b, &Frame::relative_here(pair.pose_a, pair.pose_b), cache),
            ),
            Engine::Auto => polytopes_intersect::<true>(a, b, pair, cache),
            Engine::Gjk | Engine::VClip => polytopes_intersect::<false>(a, b, pair, cache),
        }
    }

    /// The answer by a search.
    #[inline]
    fn search<A: Convex + ?Sized, B: Convex + ?Sized>(self, a: &A, b: &B) -> bool {
        // Shapes that are farther apart than their size have been dealt with.
        if !unit::is_ordinary(a.bounding_radius() + b.bounding_radius())
            && let Some(rescaled) = Rescaled::of(*self.pair)
        {
            return rescaled.intersects(self.cache);
        }
        let frame = &self.pair.frame();
        let cache = self.cache;
        // With radii the distance of the cores is needed anyhow, and for curved ones Newton's method knows it best.
        if self.engine == Engine::Auto
            && a.radius() + b.radius() > 0.0
            && a.is_curved()
            && b.is_curved()
            && let Ok(out) = newton::distance(a, b, frame, cache.axis(), 0.0)
        {
            cache.aim(-out.normal);
            return !out.is_apart();
        }
        match self.engine {
            Engine::Auto => gjk::intersects_here::<true, SignedVolumes, A, B>(a, b, frame, cache),
            Engine::Gjk | Engine::VClip => gjk::intersects_with::<SignedVolumes, A, B>(a, b, frame, cache),
            Engine::SeparatingVector => by_vector(a, b, frame, cache),
        }
    }
}

/// The intersection test of the separating-vector search.
#[inline(always)]
fn by_vector<A: Convex + ?Sized, B: Convex + ?Sized>(
    a: &A,
    b: &B,
    frame: &Frame,
    cache: &mut gjk::WarmSimplex,
) -> bool {
    let mut vector = separating_vector::LastVector::along(cache.axis());
    let mut start = separating_vector::Start::default();
    let answer = separating_vector::intersects_and_start(a, b, frame, &mut vector, &mut start);
    if answer {
        // Where the combined algorithm starts to look for closest points.
        *cache = gjk::WarmSimplex::of_simplex(start.vertices());
    }
    cache.aim(vector.axis);
    answer
}
