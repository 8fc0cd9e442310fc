//! Depth by cells of directions: a proof for nearly symmetric pairs.
//!
//! The depth of two overlapping shapes is the least f(n) = h_A(n) + h_B(-n) over all unit directions n. When the pair is nearly
//! symmetric about a line, or nearly a ball, f hardly changes along a circle, or at all, and no polytope of reasonable size tells
//! the least value from its neighbours. But the heights of all built-in shapes are maxima of few planes and lengths (`shape/form.rs`). On a
//! *circle of latitude* about the axis a squared length is a trigonometric polynomial whose non-constant part is as small as the pair is
//! asymmetric. So the sphere is cut into cells, rectangles of longitude and latitude. Each is
//! bounded below, by a plane or by a quadratic function about a circle (`strip.rs`), until no cell can have a better direction than the
//! best one found. The proof does not depend on the choice of axes, circles and cuts.

mod axes;
mod layers;
mod near;
mod quadratic;
mod search;
mod strip;
mod sum;
#[cfg(test)]
mod tests;
mod valley;

use super::ellipsoid::CentredBody;
use crate::math::Frame;
use crate::shape::Convex;
use crate::shape::form::Form;
use crate::trace::Trace;
use crate::tuning::convex::CELL_FIRST_WORK;
use crate::tuning::convex::CELL_LAST_WORK;
use crate::tuning::convex::CELL_OTHER_WORK;
use crate::tuning::convex::CELL_PROBE_WORK;
use crate::tuning::convex::ELLIPSOID_GOALS;
use glam::{DMat3, DVec3};
use search::CellSearch;
use sum::Sum;

/// Bounds of the least f.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeastHeight {
    /// No direction has less.
    pub inner: f64,
    /// A direction with next to least, a unit vector in the frame of A.
    pub direction: DVec3,
    /// Functions evaluated.
    pub work: u32,
}

/// Two cores whose heights are known in closed form.
pub(crate) struct Cells {
    forms: [Form; 2],
    b_in_a: Frame,
    /// A bound on all sizes.
    scale: f64,
}

impl Cells {
    /// The cores of two shapes, if both have a form.
    pub fn new<A: Convex + ?Sized, B: Convex + ?Sized>(a: &A, b: &B, b_in_a: &Frame, scale: f64) -> Option<Self> {
        Some(Self { forms: [a.form()?, b.form()?], b_in_a: *b_in_a, scale })
    }

    /// The least f, to `goal` if that can be; `near` is a direction that is thought good.
    ///
    /// An ellipsoid is tried first, and again where a search has found a better direction.
    pub fn least(&self, near: DVec3, goal: f64) -> Option<LeastHeight> {
        let body = self.body();
        let fit = |from: DVec3, goal: f64, work: &mut u32| {
            let fitted = body.as_ref()?.fit(from, goal, work)?;
            Some(LeastHeight { inner: fitted.radius * self.scale, direction: fitted.direction, work: *work })
        };
        let mut work = 0;
        let part = goal / self.scale;
        if let Some(found) = fit(near, part, &mut work) {
            return Some(found);
        }
        let mut axes = self.axes();
        let first = axes.next()?;
        let sum = self.sum(&first);
        let trace = &mut ();
        let mut search = CellSearch::new(&sum, first.transpose() * near, part, trace);
        let mut best: Option<LeastHeight> = None;
        // Without work, that is a walk downhill.
        let short = [0, CELL_PROBE_WORK].into_iter().filter(|_| body.is_some()).map(|most| (None, most));
        let others = axes.map(|axis| (Some(axis), CELL_OTHER_WORK));
        let long =
            std::iter::once((None, CELL_FIRST_WORK)).chain(others).chain(std::iter::once((None, CELL_LAST_WORK)));
        for (other, most) in short.chain(long) {
            let from = best.map_or(near, |best| best.direction);
            let (found, is_closed) = match other {
                Some(axis) => self.about(axis, from, goal, most, &mut ()),
                None => self.go_on(&mut search, &first, from, most),
            };
            work += found.work;
            let inner = best.map_or(found.inner, |best| best.inner.max(found.inner));
            best = Some(LeastHeight { inner, work, ..found });
            if is_closed {
                return best;
            }
            if most <= CELL_PROBE_WORK
                && let Some(found) = fit(found.direction, part, &mut work)
            {
                return Some(found);
            }
        }
        let best = best?;
        let coarse = ELLIPSOID_GOALS.into_iter().find_map(|goal| fit(best.direction, goal, &mut work));
        let inner = coarse.map_or(best.inner, |found| best.inner.max(found.inner));
        Some(LeastHeight { inner, work, ..best })
    }

    /// The difference of the cores as a sum of lengths, in a unit in which sizes are about one, if they are symmetric.
    pub fn body(&self) -> Option<CentredBody> {
        let [a, b] = &self.forms;
        CentredBody::new([a, b], &self.b_in_a, 1.0 / self.scale)
    }

    /// Axes that are worth a search, the most promising first.
    pub fn axes(&self) -> impl Iterator<Item = DMat3> {
        let [a, b] = &self.forms;
        axes::candidates([a, b], &self.b_in_a).into_iter()
    }

    /// A search about the third of three axes. Is what it found closed?
    pub fn about<R: Trace>(
        &self,
        axes: DMat3,
        near: DVec3,
        goal: f64,
        most: u32,
        trace: &mut R,
    ) -> (LeastHeight, bool) {
        let sum = self.sum(&axes);
        let mut search = CellSearch::new(&sum, axes.transpose() * near, goal / self.scale, trace);
        self.go_on(&mut search, &axes, near, most)
    }

    /// f in the axes of a search, in a unit in which sizes are about one, so that nothing overflows or vanishes.
    fn sum(&self, axes: &DMat3) -> Sum {
        let [a, b] = &self.forms;
        Sum::new([a, b], &self.b_in_a, axes, 1.0 / self.scale)
    }

    /// Takes up a search where it was left, for that much work with what was done before. The result counts the new work only.
    fn go_on<R: Trace>(
        &self,
        search: &mut CellSearch<'_, R>,
        axes: &DMat3,
        near: DVec3,
        most: u32,
    ) -> (LeastHeight, bool) {
        let before = search.work;
        search.descend(axes.transpose() * near);
        let (inner, is_closed) = search.run(most);
        let direction = (*axes * search.best.direction).normalize();
        (LeastHeight { inner: inner * self.scale, direction, work: search.work - before }, is_closed)
    }
}
