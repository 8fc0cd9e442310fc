//! How far apart, or how deep? Which engine answers for which family of pairs.

use super::cache::Recall;
use super::closed::{ClosedForm, Solved};
use super::compound::{self, Until};
use super::unit::{self, Rescaled};
use super::visit::{PairQuery, PosedPair};
use super::{Clearance, Engine, PairCache, features, half_space, mesh};
use crate::math::Frame;
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::{Outcome, cuboids, depth, gjk, newton, separating_vector, vclip};
use crate::shape::{Convex, Cuboid, HalfSpace, Polytope};
use crate::trace::Trace;
use glam::DVec3;

/// The clearance of two shapes. If its `lower` exceeds `limit`, only that bound is meaningful.
pub(super) struct DistanceQuery<'a, M, T> {
    pub pair: &'a PosedPair<'a>,
    pub limit: f64,
    pub engine: Engine,
    pub cache: M,
    /// Of the search among the parts of compounds.
    pub trace: T,
}

impl<M: Recall, T> DistanceQuery<'_, M, T> {
    /// Runs a search with the cache, or with a new one if there is none.
    #[inline(always)]
    fn recall(&mut self, search: impl FnOnce(Distance<'_>) -> Clearance) -> Clearance {
        let Self { pair, limit, engine, cache, .. } = self;
        cache.whole(
            #[inline(always)]
            |cache| search(Distance { pair, limit: *limit, engine: *engine, cache }),
        )
    }
}

impl<M: Recall, T: Trace> PairQuery for DistanceQuery<'_, M, T> {
    type Answer = Clearance;

    #[inline(never)]
    fn convex<A: Convex + ?Sized, B: Convex + ?Sized>(&mut self, a: &A, b: &B) -> Clearance {
        self.recall(|distance| distance.search(a, b))
    }

    #[inline(never)]
    fn others(&mut self, a: &dyn Convex, b: &dyn Convex) -> Clearance {
        self.recall(|distance| distance.others(a, b))
    }

    #[inline(always)]
    fn closed_form<F: ClosedForm>(&mut self, form: F) -> Clearance {
        let poses = [*self.pair.pose_a, *self.pair.pose_b];
        if self.engine == Engine::Auto
            && let Some(found) = form.solve(poses)
        {
            return found.clearance(poses);
        }
        let [a, b] = form.cores();
        self.others(a, b)
    }

    #[inline(never)]
    fn boxes(&mut self, a: &Cuboid, b: &Cuboid) -> Clearance {
        self.recall(|distance| distance.boxes(a, b))
    }

    #[inline(always)]
    fn polytopes(&mut self, a: &Polytope, b: &Polytope) -> Clearance {
        let Self { pair, limit, engine, cache, .. } = self;
        cache.whole(
            #[inline(always)]
            |cache| {
                // The closest features are known: first, and without a detour.
                if cache.vclip.is_known() && unit::is_ordinary(a.bounding_radius() + b.bounding_radius()) {
                    return features::confirm(a, b, pair, *limit, *engine, cache);
                }
                Distance { pair, limit: *limit, engine: *engine, cache }.polytopes(a, b)
            },
        )
    }

    #[inline(never)]
    fn half_space<const IS_FIRST: bool>(&mut self, plane: &HalfSpace, other: &dyn Convex) -> Clearance {
        let PosedPair { pose_a, pose_b, .. } = self.pair;
        if IS_FIRST {
            half_space::to_convex(plane, other, &Frame::relative(pose_a, pose_b), pose_a)
        } else {
            half_space::to_convex(plane, other, &Frame::relative(pose_b, pose_a), pose_b).swapped()
        }
    }

    #[inline(never)]
    fn half_spaces(&mut self, a: &HalfSpace, b: &HalfSpace) -> Clearance {
        half_space::to_half_space(a, b, [self.pair.pose_a, self.pair.pose_b])
    }

    #[inline(never)]
    fn meshes(&mut self) -> Clearance {
        let Self { pair, limit, engine, cache, .. } = self;
        cache.whole(|cache| mesh::clearance(**pair, *limit, *engine, cache))
    }

    #[inline(never)]
    fn compounds(&mut self) -> Clearance {
        let Self { pair, limit, engine, cache, trace } = self;
        let until = Until { limit: *limit, floor: f64::NEG_INFINITY };
        cache.whole(|cache| compound::clearance(**pair, until, *engine, cache, trace))
    }
}

/// A search for the clearance of two bounded convex shapes, with a cache.
pub(super) struct Distance<'a> {
    pub pair: &'a PosedPair<'a>,
    pub limit: f64,
    pub engine: Engine,
    pub cache: &'a mut PairCache,
}

impl Distance<'_> {
    /// Two polytopes, whose features can be tracked.
    #[inline(never)]
    fn polytopes(self, a: &Polytope, b: &Polytope) -> Clearance {
        let cache = &mut *self.cache;
        let between = self.pair.pose_b.translation() - self.pair.pose_a.translation();
        if !unit::is_ordinary(a.bounding_radius() + b.bounding_radius() + between.abs().element_sum()) {
            return self.search(a, b);
        }
        match self.engine {
            Engine::Gjk | Engine::SeparatingVector => return self.search(a, b),
            Engine::Auto if !cache.vclip.start(&cache.gjk) => return self.search(a, b),
            Engine::VClip if !cache.vclip.is_known() => {
                cache.vclip = vclip::first_guess(a, b, &self.pair.frame(), &mut ());
            }
            Engine::Auto | Engine::VClip => {}
        }
        self.track(a, b, 0)
    }

    /// Two boxes, which have an engine of their own.
    #[inline]
    fn boxes(self, a: &Cuboid, b: &Cuboid) -> Clearance {
        let frame = &self.pair.frame();
        if self.engine != Engine::Auto
            || !unit::is_ordinary(a.bounding_radius() + b.bounding_radius() + frame.translation.abs().element_sum())
        {
            return self.search(a, b);
        }
        match cuboids::distance(a, b, frame) {
            Some(out) => Clearance::new(&out, self.pair.pose_a),
            None => self.search(a, b),
        }
    }

    /// Shapes that are known by their vtables only.
    #[inline(never)]
    fn others(self, a: &dyn Convex, b: &dyn Convex) -> Clearance {
        if self.pair.is_foreign() { self.foreign(a, b) } else { self.search(a, b) }
    }

    /// The answer by a search, for shapes whose types are known.
    #[inline]
    pub fn search<A: Convex + ?Sized, B: Convex + ?Sized>(self, a: &A, b: &B) -> Clearance {
        let frame = &self.pair.frame();
        if !unit::is_ordinary(a.bounding_radius() + b.bounding_radius() + frame.translation.abs().element_sum())
            && let Some(rescaled) = Rescaled::of(*self.pair)
        {
            return rescaled.clearance(self.limit, self.cache);
        }
        let cache = &mut self.cache.gjk;
        // Newton's method converges for one pair in four with a flat face, so only pairs without one use it.
        if self.engine == Engine::Auto && a.is_curved() && b.is_curved() {
            match newton::distance(a, b, frame, cache.axis(), self.limit) {
                Ok(out) => {
                    *cache = gjk::WarmSimplex::of_axis(-out.normal);
                    return Clearance::new(&out, self.pair.pose_a);
                }
                Err(axis) => *cache = gjk::WarmSimplex::of_axis(axis),
            }
        }
        if self.engine == Engine::SeparatingVector {
            start_from_vector(a, b, frame, cache);
        }
        let out = gjk::distance_up_to::<SignedVolumes, A, B>(a, b, frame, self.limit, cache);
        if !out.closed && out.distance < 0.0 {
            return self.improved(frame, out);
        }
        Clearance::new(&out, self.pair.pose_a)
    }

    /// An inconsistent answer about a custom shape becomes [`Status::BadSupport`](super::Status::BadSupport), with numbers in order. Built-in shapes
    /// are not checked here, so that faults of the library are seen.
    #[cold]
    #[inline(never)]
    fn foreign(self, a: &dyn Convex, b: &dyn Convex) -> Clearance {
        let pose_a = self.pair.pose_a;
        let answer = self.search(a, b);
        let Clearance { distance, lower, upper, point_a, point_b, normal, .. } = answer;
        // A user-defined shape may return a normal that is rounded to 1e-9.
        let is_unit = (normal.length_squared() - 1.0).abs() <= 1e-9;
        let is_sound = lower <= distance && distance <= upper && is_unit && point_a.is_finite() && point_b.is_finite();
        if is_sound { answer } else { Clearance::unknown(pose_a, answer.cost) }
    }

    /// The answer for shapes that overlap, when the engine has left its bracket open.
    #[cold]
    fn improved(self, frame: &Frame, open: Outcome) -> Clearance {
        let out = match (self.pair.a.convex(), self.pair.b.convex()) {
            (Some(a), Some(b)) => depth::improve(a, b, frame, open),
            _ => open,
        };
        Clearance::new(&out, self.pair.pose_a)
    }
}

/// Gives a search for the distance that knows no axis yet one to start from.
fn start_from_vector<A: Convex + ?Sized, B: Convex + ?Sized>(
    a: &A,
    b: &B,
    frame: &Frame,
    cache: &mut gjk::WarmSimplex,
) {
    if cache.axis() == DVec3::ZERO {
        let mut vector = separating_vector::LastVector::default();
        separating_vector::intersects(a, b, frame, &mut vector);
        cache.aim(vector.axis);
    }
}
