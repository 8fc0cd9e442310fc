//! Pairs that are very small or very large as a whole, in a unit in which they are about one.
//!
//! Engines form products of six lengths: those of 1e-55 vanish, those of 1e60 overflow. A power of two as a factor changes no bit of any
//! answer, so such pairs are wrapped, asked about with GJK, and the answer is scaled back. Nothing that is remembered has a
//! length: the cache of a pair is as good in one unit as in another. Closed forms between balls, and half-spaces, have no product of more
//! than two lengths and come here never.

use super::clearance::Contact;
use super::visit::PosedPair;
use super::{Clearance, Cost, PairCache, Status};
use crate::math::Frame;
use crate::math::rounding::SMALLEST_LENGTH;
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::{depth, gjk};
use crate::shape::form::Form;
use crate::shape::{Branch, Cap, Convex, Curvature, Feature, Patch, SupportPoint, Symmetry};
use glam::DVec3;
use std::ops::RangeInclusive;

/// The scales that engines are asked about as they are.
const ORDINARY: RangeInclusive<f64> = 1e-36..=1e36;

/// Is that a size of two shapes together at which they are surely not too small, nor too large?
#[inline(always)]
pub(super) fn is_ordinary(size: f64) -> bool {
    ORDINARY.contains(&size)
}

/// A pair of bounded convex shapes in another unit.
pub(super) struct Rescaled<'a> {
    a: Scaled<'a>,
    b: Scaled<'a>,
    frame: Frame,
    pair: PosedPair<'a>,
    scale: f64,
}

impl<'a> Rescaled<'a> {
    /// The pair in a unit of about its size, unless its size is ordinary.
    #[cold]
    #[inline(never)]
    pub fn of(pair: PosedPair<'a>) -> Option<Self> {
        let between = pair.pose_b.translation() - pair.pose_a.translation();
        let scale = pair.a.bounding_radius() + pair.b.bounding_radius() + between.abs().element_sum();
        // Everything at one point has no size to scale by; half-spaces have all.
        if is_ordinary(scale) || scale == 0.0 || scale == f64::INFINITY { None } else { Self::at(pair, scale) }
    }

    fn at(pair: PosedPair<'a>, scale: f64) -> Option<Self> {
        let (a, b) = (pair.a.convex()?, pair.b.convex()?);
        // The power of two next to it; a smaller pair counts as one point.
        let factor = f64::from_bits((2046 << 52) - (scale.max(SMALLEST_LENGTH).to_bits() & (2047 << 52)));
        let mut frame = Frame::relative(pair.pose_a, pair.pose_b);
        frame.translation *= factor;
        Some(Self { a: Scaled { shape: a, factor }, b: Scaled { shape: b, factor }, frame, pair, scale })
    }

    /// See [`entry::clearance`](super::entry::clearance).
    pub fn clearance(&self, limit: f64, cache: &mut PairCache) -> Clearance {
        let Self { a, b, frame, pair, .. } = self;
        if self.scale < SMALLEST_LENGTH {
            return self.coincident();
        }
        let limit = limit * a.factor;
        let cache = &mut cache.gjk;
        let mut out = gjk::distance_up_to::<SignedVolumes, _, _>(a, b, frame, limit, cache);
        if !out.closed && out.distance < 0.0 {
            out = depth::improve(a, b, frame, out);
        }
        let back = 1.0 / a.factor;
        for length in [&mut out.distance, &mut out.lower, &mut out.upper] {
            *length *= back;
        }
        out.point_a *= back;
        out.point_b *= back;
        Clearance::new(&out, pair.pose_a)
    }

    /// See [`intersects`](super::intersects).
    pub fn intersects(&self, cache: &mut gjk::WarmSimplex) -> bool {
        let Self { a, b, frame, .. } = self;
        self.scale < SMALLEST_LENGTH || gjk::intersects_with::<SignedVolumes, _, _>(a, b, frame, cache)
    }

    /// The answer for a pair smaller than [`SMALLEST_LENGTH`]: both shapes count as one point.
    fn coincident(&self) -> Clearance {
        let at = self.pair.pose_a.translation();
        Clearance {
            distance: 0.0,
            point_a: at,
            point_b: at,
            normal: self.pair.pose_a.transform_vector(DVec3::X),
            lower: -SMALLEST_LENGTH,
            upper: SMALLEST_LENGTH,
            parts: [0; 2],
            status: Status::Converged,
            cost: Cost::default(),
            contact: Contact::default(),
        }
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
