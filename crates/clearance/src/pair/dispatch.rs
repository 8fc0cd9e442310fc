//! Which engine answers for which two kinds of shape: the one place where that is decided.

use super::compound;
use super::half_space;
use super::{Clearance, Engine, Memory};
use crate::math::{Frame, Pose};
use crate::narrow::simplex::{Johnson, SignedVolumes};
use crate::narrow::{closed_form, cuboids, gjk, newton};
use crate::shape::{Convex, Shape};

/// Two shapes at their poses.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub a: &'a Shape,
    pub pose_a: &'a Pose,
    pub b: &'a Shape,
    pub pose_b: &'a Pose,
}

impl<'a> Placed<'a> {
    fn swapped(self) -> Self {
        Self { a: self.b, pose_a: self.pose_b, b: self.a, pose_b: self.pose_a }
    }
}

/// What is asked about two convex shapes whose types are known.
trait Question {
    type Answer;
    fn ask<A: Convex + ?Sized, B: Convex + ?Sized>(self, a: &A, b: &B) -> Self::Answer;
}

/// Puts the question about two bounded convex shapes to the engines, with the concrete types where speed counts most.
///
/// Every pair of kinds is spelled out once, here; the rest are asked through their vtables, and `otherwise` answers when one
/// of the two is no bounded convex shape. Nothing wraps the answer: it is large, and moving it takes as long as a round
/// of an engine.
#[inline]
fn ask_convex<Q: Question>(question: Q, a: &Shape, b: &Shape, otherwise: impl FnOnce(Q) -> Q::Answer) -> Q::Answer {
    match (a, b) {
        (Shape::Polytope(a), Shape::Polytope(b)) => question.ask(&**a, &**b),
        (Shape::Polytope(a), Shape::Cuboid(b)) => question.ask(&**a, b),
        (Shape::Cuboid(a), Shape::Polytope(b)) => question.ask(a, &**b),
        (Shape::Cuboid(a), Shape::Cuboid(b)) => question.ask(a, b),
        (Shape::Ellipsoid(a), Shape::Ellipsoid(b)) => question.ask(a, b),
        (Shape::Ellipsoid(a), Shape::Cylinder(b)) => question.ask(a, b),
        (Shape::Ellipsoid(a), Shape::Cone(b)) => question.ask(a, b),
        (Shape::Cylinder(a), Shape::Ellipsoid(b)) => question.ask(a, b),
        (Shape::Cylinder(a), Shape::Cylinder(b)) => question.ask(a, b),
        (Shape::Cylinder(a), Shape::Cone(b)) => question.ask(a, b),
        (Shape::Cone(a), Shape::Ellipsoid(b)) => question.ask(a, b),
        (Shape::Cone(a), Shape::Cylinder(b)) => question.ask(a, b),
        (Shape::Cone(a), Shape::Cone(b)) => question.ask(a, b),
        (Shape::Segment(a), Shape::Segment(b)) => question.ask(a, b),
        _ => match (a.convex(), b.convex()) {
            (Some(a), Some(b)) => question.ask(a, b),
            _ => otherwise(question),
        },
    }
}

/// The clearance; if its `lower` is more than `limit`, only that is proved and of use.
#[inline]
pub(super) fn clearance(placed: Placed<'_>, limit: f64, engine: Engine, memory: &mut Memory) -> Clearance {
    let frame = Frame::relative(placed.pose_a, placed.pose_b);
    if engine == Engine::Auto {
        // Written out, because an answer in an `Option` would be moved once more.
        match (placed.a, placed.b) {
            (Shape::Cuboid(a), Shape::Cuboid(b)) => {
                if let Some(out) = cuboids::distance(a, b, &frame) {
                    return Clearance::new(&out, placed.pose_a);
                }
            }
            (Shape::Sphere(a), Shape::Sphere(b)) => {
                return Clearance::new(&closed_form::ball_to(a, b, &frame), placed.pose_a);
            }
            (Shape::Sphere(a), Shape::Segment(b)) => {
                return Clearance::new(&closed_form::ball_to(a, b, &frame), placed.pose_a);
            }
            (Shape::Sphere(a), Shape::Cuboid(b)) => {
                return Clearance::new(&closed_form::ball_to(a, b, &frame), placed.pose_a);
            }
            (Shape::Segment(a), Shape::Sphere(b)) => {
                return Clearance::new(&closed_form::to_ball(a, b, &frame), placed.pose_a);
            }
            (Shape::Cuboid(a), Shape::Sphere(b)) => {
                return Clearance::new(&closed_form::to_ball(a, b, &frame), placed.pose_a);
            }
            _ => {}
        }
    }
    let question = Distance { frame: &frame, pose_a: placed.pose_a, limit, engine, memory };
    ask_convex(question, placed.a, placed.b, |question| unusual(placed, question))
}

/// The clearance of two shapes of which one is a half-space or a compound.
fn unusual(placed: Placed<'_>, question: Distance<'_>) -> Clearance {
    let Distance { frame, pose_a, limit, engine, memory } = question;
    match (placed.a, placed.b) {
        (Shape::Compound(_), _) | (_, Shape::Compound(_)) => compound::clearance(placed, limit, engine, memory),
        (Shape::HalfSpace(a), Shape::HalfSpace(b)) => half_space::to_half_space(a, b, frame, pose_a),
        (Shape::HalfSpace(a), b) => match b.convex() {
            Some(b) => half_space::to_convex(a, b, frame, pose_a),
            None => unreachable!("half-spaces and compounds have been dealt with"),
        },
        (_, _) => clearance(placed.swapped(), limit, engine, memory).swapped(),
    }
}

struct Distance<'a> {
    frame: &'a Frame,
    pose_a: &'a Pose,
    limit: f64,
    engine: Engine,
    memory: &'a mut Memory,
}

impl Question for Distance<'_> {
    type Answer = Clearance;

    #[inline]
    fn ask<A: Convex + ?Sized, B: Convex + ?Sized>(self, a: &A, b: &B) -> Clearance {
        let cache = &mut self.memory.gjk;
        // Against a flat face Newton's method settles one pair in four, so it is left to the pairs without any.
        if self.engine == Engine::Auto && a.is_curved() && b.is_curved() {
            match newton::distance(a, b, self.frame, cache.axis(), self.limit) {
                Ok(out) => {
                    *cache = gjk::Cache::of_axis(-out.normal);
                    return Clearance::new(&out, self.pose_a);
                }
                Err(axis) => *cache = gjk::Cache::of_axis(axis),
            }
        }
        let out = match self.engine {
            Engine::Auto | Engine::Gjk => {
                gjk::distance_up_to::<SignedVolumes, A, B>(a, b, self.frame, self.limit, cache)
            }
            Engine::GjkJohnson => gjk::distance_up_to::<Johnson, A, B>(a, b, self.frame, self.limit, cache),
        };
        Clearance::new(&out, self.pose_a)
    }
}

/// Do the shapes share a point?
#[inline]
pub(super) fn intersects(placed: Placed<'_>, engine: Engine, memory: &mut Memory) -> bool {
    if let (Some(a), Some(b)) = (placed.a.convex(), placed.b.convex()) {
        // Balls about the origins of the shapes: no rotation needed.
        let between = placed.pose_b.translation() - placed.pose_a.translation();
        let reach = a.reach() + a.radius() + b.reach() + b.radius();
        // The allowance covers the rounding of the reaches and of the square.
        if between.length_squared() > reach * reach * (1.0 + 1e-12) {
            return false;
        }
        let frame = Frame::relative(placed.pose_a, placed.pose_b);
        if engine == Engine::Auto {
            let out = match (placed.a, placed.b) {
                (Shape::Cuboid(a), Shape::Cuboid(b)) => {
                    return cuboids::intersects(a.half_extents(), b.half_extents(), &frame);
                }
                (Shape::Sphere(a), Shape::Sphere(b)) => Some(closed_form::ball_to(a, b, &frame).lower),
                (Shape::Sphere(a), Shape::Segment(b)) => Some(closed_form::ball_to(a, b, &frame).lower),
                (Shape::Sphere(a), Shape::Cuboid(b)) => Some(closed_form::ball_to(a, b, &frame).lower),
                (Shape::Segment(a), Shape::Sphere(b)) => Some(closed_form::to_ball(a, b, &frame).lower),
                (Shape::Cuboid(a), Shape::Sphere(b)) => Some(closed_form::to_ball(a, b, &frame).lower),
                _ => None,
            };
            if let Some(lower) = out {
                return lower <= 0.0;
            }
        }
        return ask_convex(Overlap { frame: &frame, engine, memory }, placed.a, placed.b, |_| true);
    }
    match (placed.a, placed.b) {
        (Shape::Compound(_), _) | (_, Shape::Compound(_)) => compound::intersects(placed, engine, memory),
        _ => clearance(placed, 0.0, engine, memory).lower <= 0.0,
    }
}

struct Overlap<'a> {
    frame: &'a Frame,
    engine: Engine,
    memory: &'a mut Memory,
}

impl Question for Overlap<'_> {
    type Answer = bool;

    #[inline]
    fn ask<A: Convex + ?Sized, B: Convex + ?Sized>(self, a: &A, b: &B) -> bool {
        let cache = &mut self.memory.gjk;
        match self.engine {
            Engine::Auto | Engine::Gjk => gjk::intersects_with::<SignedVolumes, A, B>(a, b, self.frame, cache),
            Engine::GjkJohnson => gjk::intersects_with::<Johnson, A, B>(a, b, self.frame, cache),
        }
    }
}
