//! Convex pairs that are very small or very large as a whole, in a unit in which their size is about one.
//!
//! Engines form products of six lengths: those of 1e-55 vanish, those of 1e60 overflow. A power of two as a factor changes no bit of an answer, so such
//! pairs are wrapped in [`Scaled`], GJK answers, and the answer is scaled back. Warm simplices hold no lengths: they serve in every unit.
//!
//! **Invariant.** The factor is a power of two, so every scaled length is exact.

use super::Outcome;
use super::gjk::{self, WarmSimplex};
use super::simplex::SignedVolumes;
use crate::math::Frame;
use crate::math::rounding::SMALLEST_LENGTH;
use crate::narrow::depth;
use crate::shape::form::Form;
use crate::shape::{Branch, Cap, Convex, Curvature, Feature, Patch, SupportPoint, Symmetry};
use glam::DVec3;
use std::ops::RangeInclusive;

/// The sizes of pairs that engines compute with as they are. Bound: the sixth powers of both ends are normal numbers.
const ORDINARY: RangeInclusive<f64> = 1e-36..=1e36;

/// Do the engines compute with pairs of this total size without underflow and overflow?
#[inline(always)]
pub(crate) fn is_ordinary(size: f64) -> bool {
    ORDINARY.contains(&size)
}

/// Two bounded convex shapes in a unit of about their size.
pub(crate) struct ScaledPair<'a> {
    a: Scaled<'a>,
    b: Scaled<'a>,
    frame: Frame,
}

impl<'a> ScaledPair<'a> {
    /// The pair of total size `size`, which is positive and finite.
    pub fn new(a: &'a dyn Convex, b: &'a dyn Convex, b_in_a: &Frame, size: f64) -> Self {
        // The power of two next to the size.
        let factor = f64::from_bits((2046 << 52) - (size.max(SMALLEST_LENGTH).to_bits() & (2047 << 52)));
        debug_assert!(factor > 0.0 && factor.to_bits() & ((1 << 52) - 1) == 0, "{factor} is no power of two");
        let frame = Frame { translation: b_in_a.translation * factor, ..*b_in_a };
        Self { a: Scaled { shape: a, factor }, b: Scaled { shape: b, factor }, frame }
    }

    /// The distance up to `limit`, or the depth, in the unit of the caller.
    pub fn distance(&self, limit: f64, cache: &mut WarmSimplex) -> Outcome {
        let Self { a, b, frame } = self;
        let mut out = gjk::distance_up_to::<SignedVolumes, _, _>(a, b, frame, limit * a.factor, cache);
        if !out.closed && out.distance < 0.0 {
            out = depth::improve(a, b, frame, out);
        }
        let back = 1.0 / a.factor;
        for length in [&mut out.distance, &mut out.lower, &mut out.upper] {
            *length *= back;
        }
        out.point_a *= back;
        out.point_b *= back;
        out
    }

    /// Do the shapes share a point?
    pub fn intersects(&self, cache: &mut WarmSimplex) -> bool {
        gjk::intersects_with::<SignedVolumes, _, _>(&self.a, &self.b, &self.frame, cache)
    }
}

/// A shape whose lengths are multiplied by a power of two.
#[derive(Debug, Clone, Copy)]
struct Scaled<'a> {
    shape: &'a dyn Convex,
    factor: f64,
}

impl Scaled<'_> {
    fn branch(&self, Branch { point, curvature: Curvature { xx, xy, yy } }: Branch) -> Branch {
        let by = self.factor;
        Branch { point: point * by, curvature: Curvature { xx: xx * by, xy: xy * by, yy: yy * by } }
    }
}

impl Convex for Scaled<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.shape.support(direction) * self.factor
    }

    fn radius(&self) -> f64 {
        self.shape.radius() * self.factor
    }

    fn center(&self) -> DVec3 {
        self.shape.center() * self.factor
    }

    fn bounding_radius(&self) -> f64 {
        self.shape.bounding_radius() * self.factor
    }

    fn slack(&self) -> f64 {
        self.shape.slack() * self.factor
    }

    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let SupportPoint { point, vertex } = self.shape.support_vertex(direction);
        SupportPoint { point: point * self.factor, vertex }
    }

    fn is_curved(&self) -> bool {
        self.shape.is_curved()
    }

    fn patch(&self, direction: DVec3, across: [DVec3; 2]) -> Patch {
        let Patch { branch, rival } = self.shape.patch(direction, across);
        Patch { branch: self.branch(branch), rival: rival.map(|rival| self.branch(rival)) }
    }

    fn curvature_range(&self, direction: DVec3, angle: [f64; 2]) -> [f64; 2] {
        self.shape.curvature_range(direction, angle)
    }

    fn symmetry(&self) -> Symmetry {
        match self.shape.symmetry() {
            Symmetry::None => Symmetry::None,
            Symmetry::Axis { point, direction } => Symmetry::Axis { point: point * self.factor, direction },
            Symmetry::Ball { center } => Symmetry::Ball { center: center * self.factor },
        }
    }

    fn curvature_inradius(&self) -> f64 {
        self.shape.curvature_inradius() * self.factor
    }

    fn form(&self) -> Option<Form> {
        self.shape.form().map(|form| form.scaled(self.factor))
    }

    fn cap(&self, direction: DVec3) -> Option<Cap> {
        let Cap { center, normal, radius } = self.shape.cap(direction)?;
        Some(Cap { center: center * self.factor, normal, radius: radius * self.factor })
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        self.shape.vertex(vertex).map(|point| point * self.factor)
    }

    fn feature(&self, vertices: &[u32]) -> Feature {
        self.shape.feature(vertices)
    }
}
