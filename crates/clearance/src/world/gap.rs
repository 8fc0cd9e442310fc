//! Impacts to a gap: the schedule searches for bodies that are grown by half of the gap each ([`Shape::grown`]).
//!
//! Shapes are grown once for each body and kept until the body gets another shape, so that a change of a motion costs nothing here.

use super::body::Bodies;
use crate::motion::Impact;
use crate::shape::{PieceOrigin, Shape};

/// The gap of a world's impacts, and the grown shapes.
#[derive(Debug, Clone, Default)]
pub(super) struct ImpactGap {
    gap: f64,
    /// By slot.
    grown: Vec<Option<GrownBody>>,
    /// Slots whose shape has changed.
    stale: Vec<u32>,
}

#[derive(Debug, Clone)]
struct GrownBody {
    /// `None` if the shape cannot be grown, since it is too large or derived too many times.
    shape: Option<Shape>,
    /// For the parts of a shape that became another compound.
    origins: Vec<PieceOrigin>,
}

impl ImpactGap {
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// Another gap; a negative one and NaN count as zero.
    pub fn set(&mut self, gap: f64, slots: impl Iterator<Item = u32>) {
        *self = Self { gap: gap.max(0.0), ..Self::default() };
        if self.gap > 0.0 {
            self.stale.extend(slots);
        }
    }

    /// A body is new or has another shape.
    pub fn forget(&mut self, slot: u32) {
        if self.gap > 0.0 {
            self.stale.push(slot);
        }
    }

    /// Grows the shapes that have changed.
    pub fn prepare(&mut self, bodies: &Bodies) {
        for slot in self.stale.drain(..) {
            let index = slot as usize;
            if index >= self.grown.len() {
                self.grown.resize_with(index + 1, || None);
            }
            self.grown[index] = bodies.body(slot).map(|body| match body.shape.grown_with_origins(0.5 * self.gap) {
                Ok((shape, origins)) => GrownBody { shape: Some(shape), origins },
                Err(_) => GrownBody { shape: None, origins: Vec::new() },
            });
        }
    }

    fn body(&self, slot: u32) -> Option<&GrownBody> {
        self.grown.get(slot as usize).and_then(Option::as_ref)
    }

    /// The shape of a body that a search is about; `None` if it cannot be grown.
    pub fn shape<'a>(&'a self, slot: u32, own: &'a Shape) -> Option<&'a Shape> {
        if self.gap == 0.0 { Some(own) } else { self.body(slot)?.shape.as_ref() }
    }

    /// An impact of grown shapes in terms of the bodies: points on their surfaces, and their own parts and triangles.
    pub fn of_bodies(&self, slots: [u32; 2], impact: Impact) -> Impact {
        let Impact::Hit(mut hit) = impact else { return impact };
        if self.gap == 0.0 {
            return impact;
        }
        let half = 0.5 * self.gap * hit.normal;
        hit.point_a -= half;
        hit.point_b += half;
        for (side, slot) in slots.into_iter().enumerate() {
            let origins = self.body(slot).map_or(&[][..], |body| &body.origins);
            if let Some(&(part, triangle)) = origins.get(hit.parts[side] as usize) {
                hit.parts[side] = part;
                hit.triangles[side] = triangle.or(hit.triangles[side]);
            }
        }
        Impact::Hit(hit)
    }
}
