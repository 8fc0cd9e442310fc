//! Which engine answers for which two kinds of shape: the one place where that is decided.

use super::closed;
use super::compound;
use super::features;
use super::half_space;
use super::separation::Separation;
use super::unit::{self, Rescaled};
use super::{Clearance, Engine, Memory};
use crate::math::{Frame, Pose, tuned};
use crate::narrow::simplex::{Johnson, SignedVolumes};
use crate::narrow::{Outcome, cuboids, depth, gjk, newton, separating_vector, vclip};
use crate::shape::{Convex, Cuboid, Polytope, Shape};
use glam::DVec3;

/// Two shapes at their poses.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub a: &'a Shape,
    pub pose_a: &'a Pose,
    pub b: &'a Shape,
    pub pose_b: &'a Pose,
}

impl<'a> Placed<'a> {
    fn swapped(self) -> Self {
        Self { a: self.b, pose_a: self.pose_b, b: self.a, pose_b: self.pose_a }
    }

    #[inline]
    pub(super) fn frame(&self) -> Frame {
        Frame::relative(self.pose_a, self.pose_b)
    }

    /// Is one of the two, or what it is made of, a shape of the caller's own?
    #[inline]
    fn is_foreign(&self) -> bool {
        self.a.is_foreign() || self.b.is_foreign()
    }

    /// Are the balls about the origins of the two shapes apart? That needs no rotation.
    #[inline]
    fn are_far(&self) -> bool {
        self.is_farther_than(self.far())
    }

    #[inline]
    fn is_farther_than(&self, far: f64) -> bool {
        (self.pose_b.translation() - self.pose_a.translation()).length_squared() > far
    }

    /// The square of the distance of the origins from which on the balls are apart.
    #[inline]
    fn far(&self) -> f64 {
        let reach = self.a.reach() + self.b.reach();
        // The allowance covers the rounding of the reaches and of the squares.
        reach * reach * (1.0 + 1e-12) + f64::MIN_POSITIVE
    }
}

/// What is asked about two bounded convex shapes.
pub(super) trait Question: Sized {
    type Answer;

    fn engine(&self) -> Engine;

    /// B in the frame of A; made when it is needed, which is not always.
    fn frame(&self) -> Frame;

    /// The answer by a search, for shapes whose types are known.
    fn search<A: Convex + ?Sized, B: Convex + ?Sized>(self, a: &A, b: &B) -> Self::Answer;

    /// The answer for two boxes, which have an engine of their own.
    fn boxes(self, a: &Cuboid, b: &Cuboid) -> Self::Answer;

    /// The answer for two polytopes, whose features can be tracked.
    fn polytopes(self, a: &Polytope, b: &Polytope) -> Self::Answer;

    /// The answer for all the rest, shapes of the caller's own among them.
    #[inline]
    fn others(self, a: &dyn Convex, b: &dyn Convex) -> Self::Answer {
        self.search(a, b)
    }
}

/// Puts the question to the engine that is best for the two kinds, with the concrete types where speed counts most.
///
/// This is the one place where pairs of kinds are spelled out; those that are not are asked through their vtables, and
/// `otherwise` answers when one of the two is no bounded convex shape. Nothing wraps the answer: it is large, and moving
/// it takes as long as a round of an engine.
#[inline]
fn ask_convex<Q: Question>(question: Q, a: &Shape, b: &Shape, otherwise: impl FnOnce(Q) -> Q::Answer) -> Q::Answer {
    if question.engine() == Engine::Auto
        && let (Shape::Cuboid(a), Shape::Cuboid(b)) = (a, b)
    {
        return question.boxes(a, b);
    }
    match (a, b) {
        (Shape::Polytope(a), Shape::Polytope(b)) => question.polytopes(a, b),
        (Shape::Polytope(a), Shape::Cuboid(b)) => question.search(&**a, b),
        (Shape::Cuboid(a), Shape::Polytope(b)) => question.search(a, &**b),
        (Shape::Cuboid(a), Shape::Cuboid(b)) => question.search(a, b),
        (Shape::Ellipsoid(a), Shape::Ellipsoid(b)) => question.search(a, b),
        (Shape::Ellipsoid(a), Shape::Cylinder(b)) => question.search(a, b),
        (Shape::Ellipsoid(a), Shape::Cone(b)) => question.search(a, b),
        (Shape::Cylinder(a), Shape::Ellipsoid(b)) => question.search(a, b),
        (Shape::Cylinder(a), Shape::Cylinder(b)) => question.search(a, b),
        (Shape::Cylinder(a), Shape::Cone(b)) => question.search(a, b),
        (Shape::Cone(a), Shape::Ellipsoid(b)) => question.search(a, b),
        (Shape::Cone(a), Shape::Cylinder(b)) => question.search(a, b),
        (Shape::Cone(a), Shape::Cone(b)) => question.search(a, b),
        (Shape::Segment(a), Shape::Segment(b)) => question.search(a, b),
        _ => match (a.convex(), b.convex()) {
            (Some(a), Some(b)) => question.others(a, b),
            _ => otherwise(question),
        },
    }
}

/// The clearance; if its `lower` is more than `limit`, only that is proved and of use.
#[inline]
pub(super) fn clearance(placed: Placed<'_>, limit: f64, engine: Engine, memory: &mut Memory) -> Clearance {
    // Two polytopes whose closest features are known: first, and without a detour.
    if memory.vclip.is_known()
        && let (Shape::Polytope(a), Shape::Polytope(b)) = (placed.a, placed.b)
        && unit::is_ordinary(a.reach() + b.reach())
    {
        return features::confirm(a, b, placed, limit, engine, memory);
    }
    fresh_clearance(placed, limit, engine, memory)
}

/// The clearance of two shapes of which nothing is remembered, or that are not two polytopes.
#[inline(never)]
fn fresh_clearance(placed: Placed<'_>, limit: f64, engine: Engine, memory: &mut Memory) -> Clearance {
    if engine != Engine::Auto {
        return searched(placed, limit, engine, memory);
    }
    let Placed { a, pose_a, b, pose_b } = placed;
    closed::ask([a, b], [*pose_a, *pose_b], |answer| answer, || searched(placed, limit, engine, memory))
}

/// The clearance, with nothing to remember.
#[inline(never)]
pub(super) fn clearance_once(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Clearance {
    let (pose_a, pose_b) = (*pose_a, *pose_b);
    let search = move || {
        let placed = Placed { a, pose_a: &pose_a, b, pose_b: &pose_b };
        searched(placed, f64::INFINITY, Engine::Auto, &mut Memory::default())
    };
    closed::ask([a, b], [pose_a, pose_b], |answer| answer, search)
}

/// The clearance where there is no closed form. Apart from its callers, which then need neither its code nor its stack.
#[inline(never)]
fn searched(placed: Placed<'_>, limit: f64, engine: Engine, memory: &mut Memory) -> Clearance {
    let question = Distance { placed, limit, engine, memory };
    ask_convex(question, placed.a, placed.b, unusual)
}

/// The clearance of two shapes of which one is a half-space or a compound.
fn unusual(question: Distance<'_>) -> Clearance {
    let frame = &question.frame();
    let Distance { placed, limit, engine, memory } = question;
    let pose_a = placed.pose_a;
    match (placed.a, placed.b) {
        (Shape::Compound(_), _) | (_, Shape::Compound(_)) => compound::clearance(placed, limit, engine, memory),
        (Shape::HalfSpace(a), Shape::HalfSpace(b)) => half_space::to_half_space(a, b, [pose_a, placed.pose_b]),
        (Shape::HalfSpace(a), b) => {
            let b = b.convex().expect("half-spaces and compounds have been dealt with");
            half_space::to_convex(a, b, frame, pose_a)
        }
        (_, _) => clearance(placed.swapped(), limit, engine, memory).swapped(),
    }
}

pub(super) struct Distance<'a> {
    pub placed: Placed<'a>,
    pub limit: f64,
    pub engine: Engine,
    pub memory: &'a mut Memory,
}

impl Question for Distance<'_> {
    type Answer = Clearance;

    fn engine(&self) -> Engine {
        self.engine
    }

    #[inline]
    fn frame(&self) -> Frame {
        self.placed.frame()
    }

    #[inline]
    fn polytopes(self, a: &Polytope, b: &Polytope) -> Clearance {
        let memory = &mut *self.memory;
        let between = self.placed.pose_b.translation() - self.placed.pose_a.translation();
        if !unit::is_ordinary(a.reach() + b.reach() + between.abs().element_sum()) {
            return self.search(a, b);
        }
        match self.engine {
            Engine::Gjk | Engine::GjkJohnson | Engine::SeparatingVector => return self.search(a, b),
            Engine::LinCanny => return self.track_by_points(a, b),
            Engine::Auto if !memory.vclip.start(&memory.gjk) => return self.search(a, b),
            Engine::VClip if !memory.vclip.is_known() => {
                memory.vclip = vclip::first_guess(a, b, &self.placed.frame(), &mut ());
            }
            Engine::Auto | Engine::VClip => {}
        }
        self.track(a, b, 0)
    }

    #[inline]
    fn boxes(self, a: &Cuboid, b: &Cuboid) -> Clearance {
        let frame = &self.frame();
        if !unit::is_ordinary(a.reach() + b.reach() + frame.translation.abs().element_sum()) {
            return self.search(a, b);
        }
        match cuboids::distance(a, b, frame) {
            Some(out) => Clearance::new(&out, self.placed.pose_a),
            None => self.search(a, b),
        }
    }

    #[inline]
    fn others(self, a: &dyn Convex, b: &dyn Convex) -> Clearance {
        if self.placed.is_foreign() { self.foreign(a, b) } else { self.search(a, b) }
    }

    #[inline]
    fn search<A: Convex + ?Sized, B: Convex + ?Sized>(self, a: &A, b: &B) -> Clearance {
        let frame = &self.frame();
        if !unit::is_ordinary(a.reach() + b.reach() + frame.translation.abs().element_sum())
            && let Some(rescaled) = Rescaled::of(self.placed)
        {
            return rescaled.clearance(self.limit, self.engine, self.memory);
        }
        let cache = &mut self.memory.gjk;
        // Against a flat face Newton's method settles one pair in four, so it is left to the pairs without any.
        if self.engine == Engine::Auto && a.is_curved() && b.is_curved() {
            match newton::distance(a, b, frame, cache.axis(), self.limit) {
                Ok(out) => {
                    *cache = gjk::Cache::of_axis(-out.normal);
                    return Clearance::new(&out, self.placed.pose_a);
                }
                Err(axis) => *cache = gjk::Cache::of_axis(axis),
            }
        }
        if self.engine == Engine::SeparatingVector {
            start_from_vector(a, b, frame, self.placed.pose_a, &self.memory.separation, cache);
        }
        let out = match self.engine {
            Engine::Auto | Engine::Gjk | Engine::VClip | Engine::LinCanny | Engine::SeparatingVector => {
                gjk::distance_up_to::<SignedVolumes, A, B>(a, b, frame, self.limit, cache)
            }
            Engine::GjkJohnson => gjk::distance_up_to::<Johnson, A, B>(a, b, frame, self.limit, cache),
        };
        if !out.closed && out.distance < 0.0 {
            return self.improved(frame, out);
        }
        Clearance::new(&out, self.placed.pose_a)
    }
}

impl Distance<'_> {
    /// An answer about a shape of the caller's own that contradicts itself says only that: whatever such a shape does, an answer
    /// is made of numbers, and in order. (Ours are not looked at: what is wrong with them shall be seen.)
    #[cold]
    #[inline(never)]
    fn foreign(self, a: &dyn Convex, b: &dyn Convex) -> Clearance {
        let pose_a = self.placed.pose_a;
        let answer = self.search(a, b);
        let Clearance { distance, lower, upper, point_a, point_b, normal, .. } = answer;
        let is_unit = (normal.length_squared() - 1.0).abs() <= 1e-9;
        let is_sound = lower <= distance && distance <= upper && is_unit && point_a.is_finite() && point_b.is_finite();
        if is_sound { answer } else { Clearance::unknown(pose_a, answer.cost) }
    }

    /// The answer for shapes that overlap, when the engine has left its bracket open.
    #[cold]
    fn improved(self, frame: &Frame, open: Outcome) -> Clearance {
        let out = match (self.placed.a.convex(), self.placed.b.convex()) {
            (Some(a), Some(b)) => depth::improve(a, b, frame, open),
            _ => open,
        };
        Clearance::new(&out, self.placed.pose_a)
    }
}

/// Do the shapes share a point?
#[inline]
pub(super) fn intersects(placed: Placed<'_>, engine: Engine, memory: &mut Memory) -> bool {
    !placed.are_far() && near_intersects(placed, engine, memory)
}

/// The same, with nothing to remember: memory is made only for a search.
#[inline]
pub(super) fn intersects_once(placed: Placed<'_>) -> bool {
    !placed.are_far() && near_intersects_once(placed)
}

/// GJK's yes or no for two polytopes; for those who ask for GJK it is GJK's own.
#[inline(always)]
fn polytopes_intersect<const AUTO: bool>(
    a: &Polytope,
    b: &Polytope,
    placed: Placed<'_>,
    cache: &mut gjk::Cache,
) -> bool {
    tuned(
        #[inline(always)]
        || {
            let frame = Frame::relative_here(placed.pose_a, placed.pose_b);
            gjk::intersects_here::<AUTO, SignedVolumes, _, _>(a, b, &frame, cache)
        },
    )
}

#[inline(never)]
fn near_intersects_once(placed: Placed<'_>) -> bool {
    let Placed { a, pose_a, b, pose_b } = placed;
    // Two polytopes without a detour.
    if let (Shape::Polytope(a), Shape::Polytope(b)) = (a, b)
        && unit::is_ordinary(a.reach() + b.reach())
    {
        return polytopes_intersect::<true>(a, b, placed, &mut gjk::Cache::default());
    }
    let search = || searched_intersects_once(placed);
    closed::ask([a, b], [*pose_a, *pose_b], |answer| answer.lower <= 0.0, search)
}

#[inline(never)]
fn searched_intersects_once(placed: Placed<'_>) -> bool {
    searched_intersects(placed, Engine::Auto, &mut Memory::default())
}

/// The same for a pair whose remembered vector, if it has one, does not separate by what is known of the heights.
#[inline(never)]
pub(super) fn intersects_again(placed: Placed<'_>, engine: Engine, memory: &mut Memory) -> bool {
    let far = placed.far();
    if placed.is_farther_than(far) {
        memory.separation.remember_far(far);
        return false;
    }
    if is_still_beyond(placed, 0.0, memory) {
        return false;
    }
    let answer = near_intersects(placed, engine, memory);
    // The vector is made of the axis when it is asked for, which it never is for a pair that is asked once.
    let has_axis = memory.gjk.axis() != DVec3::ZERO;
    memory.is_aimed = !answer && has_axis && matches!(engine, Engine::Auto | Engine::SeparatingVector);
    answer
}

/// The clearance if it is at most `margin`, for a pair whose remembered vector does not show at once that it is more.
#[inline(never)]
pub(super) fn within_again(placed: Placed<'_>, margin: f64, engine: Engine, memory: &mut Memory) -> Option<Clearance> {
    if is_still_beyond(placed, margin, memory) {
        return None;
    }
    if engine == Engine::SeparatingVector
        && let (Some(a), Some(b)) = (placed.a.convex(), placed.b.convex())
        && Rescaled::of(placed).is_none()
    {
        let mut vector = separating_vector::Cache::along(memory.gjk.axis());
        if separating_vector::is_beyond(a, b, &placed.frame(), margin, &mut vector) {
            memory.separation = Separation::along(-placed.pose_a.direction(vector.axis));
            return None;
        }
    }
    let clearance = clearance(placed, margin, engine, memory);
    if clearance.lower <= margin {
        return Some(clearance);
    }
    if matches!(engine, Engine::Auto | Engine::SeparatingVector) {
        memory.separation = Separation::along(clearance.normal);
    }
    None
}

/// Does the vector that is remembered show that the shapes are farther apart than `limit`? One that does not is forgotten, and
/// is where the next search starts.
#[inline]
fn is_still_beyond(placed: Placed<'_>, limit: f64, memory: &mut Memory) -> bool {
    if memory.is_aimed && !memory.separation.is_known() {
        memory.separation = Separation::along(-placed.pose_a.direction(memory.gjk.axis()));
    }
    if !memory.separation.is_known() {
        return false;
    }
    if memory.separation.look_at([placed.a, placed.b], [placed.pose_a, placed.pose_b], limit) {
        return true;
    }
    memory.gjk.aim(-placed.pose_a.inverse_direction(memory.separation.vector()));
    (memory.separation, memory.is_aimed) = (Separation::default(), false);
    false
}

/// Gives a search for the distance that knows no simplex yet a vector to start from.
fn start_from_vector<A: Convex + ?Sized, B: Convex + ?Sized>(
    a: &A,
    b: &B,
    frame: &Frame,
    pose_a: &Pose,
    separation: &Separation,
    cache: &mut gjk::Cache,
) {
    if separation.is_known() {
        cache.aim(-pose_a.inverse_direction(separation.vector()));
    } else if cache.axis() == DVec3::ZERO {
        let mut vector = separating_vector::Cache::default();
        separating_vector::intersects(a, b, frame, &mut vector);
        cache.aim(vector.axis);
    }
}

/// Do the shapes share a point? Apart from its caller, which often needs neither its code nor its stack.
#[inline(never)]
fn near_intersects(placed: Placed<'_>, engine: Engine, memory: &mut Memory) -> bool {
    if engine == Engine::Auto {
        let Placed { a, pose_a, b, pose_b } = placed;
        // Two polytopes without a detour.
        if let (Shape::Polytope(a), Shape::Polytope(b)) = (a, b)
            && unit::is_ordinary(a.reach() + b.reach())
        {
            return polytopes_intersect::<true>(a, b, placed, &mut memory.gjk);
        }
        let search = || searched_intersects(placed, engine, memory);
        return closed::ask([a, b], [*pose_a, *pose_b], |answer| answer.lower <= 0.0, search);
    }
    searched_intersects(placed, engine, memory)
}

#[inline(never)]
fn searched_intersects(placed: Placed<'_>, engine: Engine, memory: &mut Memory) -> bool {
    ask_convex(Overlap { placed, engine, memory }, placed.a, placed.b, |Overlap { placed, engine, memory }| {
        match (placed.a, placed.b) {
            (Shape::Compound(_), _) | (_, Shape::Compound(_)) => compound::intersects(placed, engine, memory),
            _ => clearance(placed, 0.0, engine, memory).lower <= 0.0,
        }
    })
}

struct Overlap<'a> {
    placed: Placed<'a>,
    engine: Engine,
    memory: &'a mut Memory,
}

impl Question for Overlap<'_> {
    type Answer = bool;

    fn engine(&self) -> Engine {
        self.engine
    }

    #[inline]
    fn frame(&self) -> Frame {
        self.placed.frame()
    }

    #[inline]
    fn polytopes(self, a: &Polytope, b: &Polytope) -> bool {
        let (placed, cache) = (self.placed, &mut self.memory.gjk);
        match self.engine {
            _ if !unit::is_ordinary(a.reach() + b.reach()) => self.search(a, b),
            Engine::GjkJohnson => self.search(a, b),
            Engine::SeparatingVector => tuned(
                #[inline(always)]
                || by_vector(a, b, &Frame::relative_here(placed.pose_a, placed.pose_b), cache),
            ),
            Engine::Auto => polytopes_intersect::<true>(a, b, placed, cache),
            Engine::Gjk | Engine::VClip | Engine::LinCanny => polytopes_intersect::<false>(a, b, placed, cache),
        }
    }

    #[inline]
    fn boxes(self, a: &Cuboid, b: &Cuboid) -> bool {
        if !unit::is_ordinary(a.reach() + b.reach()) {
            return self.search(a, b);
        }
        cuboids::intersects(a.half_extents(), b.half_extents(), &self.frame())
    }

    #[inline]
    fn search<A: Convex + ?Sized, B: Convex + ?Sized>(self, a: &A, b: &B) -> bool {
        // Shapes that are farther apart than their size have been dealt with.
        if !unit::is_ordinary(a.reach() + b.reach())
            && let Some(rescaled) = Rescaled::of(self.placed)
        {
            return rescaled.intersects(self.engine, self.memory);
        }
        let frame = &self.frame();
        let cache = &mut self.memory.gjk;
        // With radii the distance of the cores is needed anyhow, and for curved ones Newton's method knows it best.
        if self.engine == Engine::Auto
            && a.radius() + b.radius() > 0.0
            && a.is_curved()
            && b.is_curved()
            && let Ok(out) = newton::distance(a, b, frame, cache.axis(), 0.0)
        {
            cache.aim(-out.normal);
            return out.lower <= 0.0;
        }
        match self.engine {
            Engine::Auto => gjk::intersects_here::<true, SignedVolumes, A, B>(a, b, frame, cache),
            Engine::Gjk | Engine::VClip | Engine::LinCanny => {
                gjk::intersects_with::<SignedVolumes, A, B>(a, b, frame, cache)
            }
            Engine::GjkJohnson => gjk::intersects_with::<Johnson, A, B>(a, b, frame, cache),
            Engine::SeparatingVector => by_vector(a, b, frame, cache),
        }
    }
}

/// The yes or no of the separating-vector search.
#[inline(always)]
fn by_vector<A: Convex + ?Sized, B: Convex + ?Sized>(a: &A, b: &B, frame: &Frame, cache: &mut gjk::Cache) -> bool {
    let mut vector = separating_vector::Cache::along(cache.axis());
    let answer = separating_vector::intersects(a, b, frame, &mut vector);
    if answer {
        // Where the combined algorithm starts to look for closest points.
        *cache = gjk::Cache::of_simplex(&[vector.ids, vector.seed]);
    }
    cache.aim(vector.axis);
    answer
}
