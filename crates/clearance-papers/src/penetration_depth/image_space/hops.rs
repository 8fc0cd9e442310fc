//! The points that a pass of the basic algorithm reaches (PD 4.3.1). "After the k-th iteration, the front includes the subset of the boundary that
//! the ray can reach with k - 1 hops or fewer." A hop is a sum that the ray passes through after those around the origin.

use super::buffer::{CubeFace, FaceBuffer};
use super::sum::DrawnSum;
use super::{Acceleration, ImageBody, ImageOptions, Pipeline};
use clearance::Pose;
use clearance::math::DVec3;

/// Rays by passes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hops {
    /// The number of rays, in all passes.
    pub rays: u64,
    /// Rays that after a pass are shorter than their hops promise.
    pub short: u64,
    /// For each pass, the rays that need that many passes by their hops.
    pub needed: Vec<u64>,
}

/// Draws the sums of all pairs of pieces pass by pass, and compares every ray with the sums that it passes through, computed one by one.
///
/// Pieces are to fill the solids ([`ImageBody::of_solid`]): then no ray is open.
#[must_use]
pub fn hops(a: &ImageBody, pose_a: Pose, b: &ImageBody, pose_b: Pose, resolution: usize) -> Hops {
    let options =
        ImageOptions { resolution, on_the_way: resolution, acceleration: Acceleration::Basic { every: 1, passes: 0 } };
    let mut found = Hops::default();
    Pipeline::with(a, pose_a, b, pose_b, options, |mut pipeline| {
        let finest = [a, b].map(|body| body.tree().levels()).into_iter().max().unwrap_or(1) - 1;
        let mut pairs = pipeline.all_pairs(finest, 1);
        let gaps = pipeline.cull(&mut pairs);
        pipeline.add_up(&pairs, &gaps);
        for face in CubeFace::ALL {
            let mut buffer = FaceBuffer::new(face, resolution);
            let promised: Vec<Vec<f64>> = buffer.reaches().map(|(ray, _)| reaches(ray, &pipeline.sums)).collect();
            let most = promised.iter().map(Vec::len).max().unwrap_or(0);
            found.needed.resize(found.needed.len().max(most), 0);
            promised.iter().filter(|ray| !ray.is_empty()).for_each(|ray| found.needed[ray.len() - 1] += 1);
            for pass in 0..most {
                for sum in &pipeline.sums {
                    buffer.draw(sum);
                }
                for ((_, inverse), promised) in buffer.reaches().zip(&promised) {
                    // The last entry is the boundary: all later passes stay there.
                    let Some(&wanted) = promised.get(pass).or(promised.last()) else { continue };
                    found.rays += 1;
                    // Single precision, and fronts that may be that much behind.
                    found.short += u64::from(f64::from(inverse) * wanted > 1.0 + 1e-4);
                }
            }
        }
    });
    found
}

/// The extent of the union along a ray with no hop, one, and so on, to the boundary. Empty if no sum holds the origin.
fn reaches(ray: DVec3, sums: &[DrawnSum]) -> Vec<f64> {
    let part = |sum: &DrawnSum| {
        let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
        for facet in &sum.facets {
            let along = facet.normal.dot(ray);
            let at = facet.offset / along;
            if along > 0.0 {
                to = to.min(at);
            } else if along < 0.0 {
                from = from.max(at);
            } else if facet.offset < 0.0 {
                return None;
            }
        }
        (from <= to && to > 0.0).then_some([from, to])
    };
    let parts: Vec<[f64; 2]> = sums.iter().filter_map(part).collect();
    let mut found = Vec::new();
    let mut reach = 0.0;
    loop {
        let next = parts.iter().filter(|[from, _]| *from <= reach).map(|[_, to]| *to).fold(reach, f64::max);
        // A touch of two sums may be missed, and is no hop.
        if next <= reach * (1.0 + 1e-4) {
            return found;
        }
        found.push(next);
        reach = next;
    }
}
