//! Two polytopes by their features: are those that were closest still the closest, and if not, where does the walk lead?

use super::distance::Distance;
use super::visit::Placed;
use super::{Clearance, Engine, Memory};
use crate::math::{Frame, Pose};
use crate::narrow::vclip::{self, Walk};
use crate::narrow::{gjk, lin_canny};
use crate::shape::Polytope;

/// The clearance of two polytopes whose closest features are known.
#[inline(always)]
pub(super) fn confirm(
    a: &Polytope,
    b: &Polytope,
    placed: &Placed<'_>,
    limit: f64,
    engine: Engine,
    memory: &mut Memory,
) -> Clearance {
    vclip::confirm(&mut Remembered { a, b, placed, limit, engine, memory })
}

/// Two polytopes whose closest features are known. It has an address and nothing in it is copied, since a processor waits when
/// it reads together what was written one by one.
struct Remembered<'a> {
    a: &'a Polytope,
    b: &'a Polytope,
    placed: &'a Placed<'a>,
    limit: f64,
    engine: Engine,
    memory: &'a mut Memory,
}

impl<'a> vclip::Ask<'a> for Remembered<'a> {
    type Answer = Clearance;

    #[inline(always)]
    fn polytopes(&self) -> [&'a Polytope; 2] {
        [self.a, self.b]
    }

    #[inline(always)]
    fn poses(&self) -> [&'a Pose; 2] {
        [self.placed.pose_a, self.placed.pose_b]
    }

    #[inline(always)]
    fn cache(&self) -> vclip::Cache {
        self.memory.vclip
    }

    #[inline(always)]
    fn answer(&self, confirmed: &vclip::Confirmed) -> Clearance {
        Clearance::confirmed(confirmed, self.placed.pose_a)
    }

    #[cold]
    #[inline(never)]
    fn walk(&mut self, from: vclip::Cache) -> Clearance {
        self.memory.vclip = from;
        let question = Distance { placed: self.placed, limit: self.limit, engine: self.engine, memory: self.memory };
        question.track(self.a, self.b, 1)
    }
}

/// A walk of more steps takes longer than a search that starts from nothing.
const FEW_STEPS: u32 = 60;

/// Walks between polytopes with no more vertices together are all short.
const SMALL: usize = 64;

impl Distance<'_> {
    /// The clearance of two polytopes by a walk from the features that were closest.
    #[inline(never)]
    pub(super) fn track(self, a: &Polytope, b: &Polytope, steps: u32) -> Clearance {
        let frame = &self.placed.frame();
        let most_steps = if self.engine == Engine::Auto { FEW_STEPS } else { vclip::MAX_STEPS };
        let mut near = vclip::Near::after(steps);
        let cache = &mut self.memory.vclip;
        // Small polytopes have no long ways.
        let may_jump = self.engine == Engine::Auto && a.vertex_count() + b.vertex_count() > SMALL;
        let has_jumped = may_jump && cache.restart(a, b, frame);
        match vclip::walk(a, b, frame, cache, most_steps, &mut (), &mut near) {
            Walk::Apart => {
                if may_jump {
                    cache.learn(has_jumped, near.steps);
                }
                Clearance::of_features(&near, cache.features(), self.placed.pose_a)
            }
            ended => self.after_walk(a, b, frame, near, ended),
        }
    }

    /// What a walk could not answer: an overlap, or, rarely, a walk that did not come to an end.
    #[cold]
    #[inline(never)]
    fn after_walk(self, a: &Polytope, b: &Polytope, frame: &Frame, mut near: vclip::Near, ended: Walk) -> Clearance {
        let cache = &self.memory.vclip;
        if ended == Walk::Unfinished && vclip::is_proved_by_a_face(a, b, frame, cache, &mut (), &mut near) {
            return Clearance::of_features(&near, cache.features(), self.placed.pose_a);
        }
        let rescues = u32::from(ended == Walk::Unfinished);
        // From the start: what GJK remembers is older than what the walk has seen.
        self.memory.gjk = gjk::Cache::default();
        self.memory.vclip.forget();
        let mut clearance = self.search(a, b);
        clearance.cost.rescues += rescues;
        clearance
    }

    /// The clearance of two polytopes by Lin-Canny, or by GJK where that fails.
    #[cold]
    #[inline(never)]
    pub(super) fn walk_by_points(self, a: &Polytope, b: &Polytope) -> Clearance {
        let mut near = vclip::Near::default();
        let cache = &mut self.memory.lin_canny;
        let ended = lin_canny::walk(a, b, &self.placed.frame(), cache, &mut (), &mut near, &mut 0);
        if ended == lin_canny::Ended::Proved {
            return Clearance::of_features(&near, cache.features(), self.placed.pose_a);
        }
        self.memory.gjk = gjk::Cache::default();
        let mut clearance = self.search(a, b);
        clearance.cost.iterations += near.steps;
        clearance.cost.rescues += 1;
        clearance
    }
}
