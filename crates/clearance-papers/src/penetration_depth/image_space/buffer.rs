//! The six depth buffers: the facets that a ray through each pixel of a cube about the origin meets (PD 4.3).
//!
//! A pixel (u, v) of a face of the cube stands for the ray `t·d`, `d = ± e_k + u e_i + v e_j`. Along it a facet `n·x = b` is met at `1/t = (n·d)/b`,
//! which is linear in u and v: it is what the hardware of the paper interpolates, and what is kept here, in single precision. Large is near.
//!
//! - The origin is below the facets with b > 0. The ray leaves the sum at the largest 1/t of them: its back faces.
//! - It is above those with b < 0. The ray is in the sum from the smallest 1/t of them on, if that is positive: its front faces.
//!
//! **Windows.** A pixel holds the known extent of the union of all sums drawn so far. A sum whose front is nearer than that opens a window, and its
//! back face replaces the extent if it is farther (steps 4 and 5 of the paper's procedure).
//!
//! **Deviation.** The paper does not draw virtual back faces. A pixel would then keep an earlier, nearer depth that is inside of the sum. Here a ray that leaves through a virtual face is *open*. It is still inside of the sum of the bodies, at a place that surface pieces do not cover. It continues to the next front face at any distance. The same holds for the origin, which no piece may cover. A ray that stays open to the end has
//! not met the boundary and is ignored.

use super::sum::{DrawnSum, SumFacet};
use clearance::internals::multiversioned;
use clearance::math::DVec3;

/// A face of the cube.
#[derive(Debug, Clone, Copy)]
pub(super) struct CubeFace {
    axis: usize,
    sign: f64,
}

impl CubeFace {
    pub const ALL: [Self; 6] = [
        Self { axis: 0, sign: 1.0 },
        Self { axis: 0, sign: -1.0 },
        Self { axis: 1, sign: 1.0 },
        Self { axis: 1, sign: -1.0 },
        Self { axis: 2, sign: 1.0 },
        Self { axis: 2, sign: -1.0 },
    ];

    /// n·d is `parts[0] + u parts[1] + v parts[2]`.
    fn parts(self, n: DVec3) -> [f64; 3] {
        [n[self.axis] * self.sign, n[(self.axis + 1) % 3], n[(self.axis + 2) % 3]]
    }

    fn ray(self, u: f64, v: f64) -> DVec3 {
        let mut ray = DVec3::ZERO;
        ray[self.axis] = self.sign;
        ray[(self.axis + 1) % 3] = u;
        ray[(self.axis + 2) % 3] = v;
        ray
    }
}

/// 1/t of a facet: a linear function of u and v.
#[derive(Debug, Clone, Copy)]
struct FacetDepth([f32; 3]);

impl FacetDepth {
    fn new(face: CubeFace, facet: &SumFacet) -> Self {
        Self(face.parts(facet.normal).map(|part| (part / away_from_zero(facet.offset)) as f32))
    }

    /// Its least and largest value in a rectangle.
    #[inline(always)]
    fn range(&self, [u, v]: [[f32; 2]; 2]) -> [f32; 2] {
        let Self([constant, along, across]) = *self;
        let middle = constant + 0.5 * ((u[0] + u[1]) * along + (v[0] + v[1]) * across);
        let half = 0.5 * ((u[1] - u[0]) * along.abs() + (v[1] - v[0]) * across.abs());
        [middle - half, middle + half]
    }

    /// Merges the values along a row into the present ones.
    #[inline(always)]
    fn fold(&self, v: f32, us: &[f32], row: &mut [f32], pick: impl Fn(f32, f32) -> f32) {
        let Self([constant, along, across]) = *self;
        let start = constant + v * across;
        for (value, &u) in row.iter_mut().zip(us) {
            *value = pick(*value, start + u * along);
        }
    }
}

/// A facet through the origin is met at once.
fn away_from_zero(offset: f64) -> f64 {
    if offset.abs() < 1e-30 { 1e-30 } else { offset }
}

/// A front may be behind by this part of its depth, so that sums with a common face leave no crack.
const CRACK: f32 = 1.0 + 1e-6;

/// The buffer of one face of the cube, and rows to work in.
#[derive(Debug)]
pub(super) struct FaceBuffer {
    face: CubeFace,
    resolution: usize,
    /// The middles of pixels, from -1 to 1.
    middles: Vec<f32>,
    /// 1/t of the known extent of the union.
    reach: Vec<f32>,
    /// True if the ray has not met the boundary there.
    is_open: Vec<bool>,
    /// 1/t of the nearest front face beyond.
    next: Vec<f32>,
    /// The facets of a sum, and those that matter in a tile: fronts, original backs, virtual backs.
    planes: [Vec<FacetDepth>; 3],
    in_tile: [Vec<FacetDepth>; 3],
    rows: [Vec<f32>; 3],
}

/// Pixels along a side of a tile. Each tile draws only the facets that may be visible in it.
const TILE: usize = 16;

/// The pixels that may see a sum: columns and rows.
type Rectangle = [std::ops::Range<usize>; 2];

/// The tiles of a rectangle.
fn tiles([columns, rows]: &Rectangle) -> impl Iterator<Item = Rectangle> {
    let cut = |range: &std::ops::Range<usize>| {
        let end = range.end;
        range.clone().step_by(TILE).map(move |start| start..(start + TILE).min(end))
    };
    let (columns, rows) = (cut(columns), cut(rows));
    rows.flat_map(move |rows| columns.clone().map(move |columns| [columns, rows.clone()]))
}

impl FaceBuffer {
    /// A buffer whose rays have not left the origin.
    pub fn new(face: CubeFace, resolution: usize) -> Self {
        let count = resolution * resolution;
        Self {
            face,
            resolution,
            middles: (0..resolution).map(|i| (((2 * i + 1) as f64) / resolution as f64 - 1.0) as f32).collect(),
            reach: vec![f32::INFINITY; count],
            is_open: vec![true; count],
            next: vec![0.0; count],
            planes: Default::default(),
            in_tile: Default::default(),
            rows: std::array::from_fn(|_| vec![0.0; TILE]),
        }
    }

    /// The pixels of the box around a sum: the paper's view-frustum culling.
    fn rectangle(&self, sum: &DrawnSum) -> Option<Rectangle> {
        let CubeFace { axis, sign } = self.face;
        let bounds = &sum.bounds;
        let (low, high) =
            if sign > 0.0 { (bounds.min[axis], bounds.max[axis]) } else { (-bounds.max[axis], -bounds.min[axis]) };
        if !(high > 0.0) {
            return None;
        }
        let range = |k: usize| {
            let (min, max) = (bounds.min[k], bounds.max[k]);
            // u = x/z for z from low to high.
            let least = if min >= 0.0 {
                min / high
            } else if low > 0.0 {
                min / low
            } else {
                -1.0
            };
            let most = if max <= 0.0 {
                max / high
            } else if low > 0.0 {
                max / low
            } else {
                1.0
            };
            let pixel = |u: f64| (u.clamp(-1.0, 1.0) + 1.0) * 0.5 * self.resolution as f64;
            let range = pixel(least).floor() as usize..(pixel(most).ceil() as usize).min(self.resolution);
            (least <= 1.0 && most >= -1.0 && !range.is_empty()).then_some(range)
        };
        Some([range((axis + 1) % 3)?, range((axis + 2) % 3)?])
    }

    fn set_planes(&mut self, sum: &DrawnSum) {
        self.planes.iter_mut().for_each(Vec::clear);
        for facet in &sum.facets {
            let list = match (facet.offset < -1e-30, facet.is_original) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            self.planes[list].push(FacetDepth::new(self.face, facet));
        }
    }

    /// Selects the facets that may be visible in a tile. `None` if the sum is not there, or ends nowhere beyond the present extent.
    #[inline(always)]
    fn take_tile(&mut self, [columns, rows]: &Rectangle) -> Option<()> {
        let ends = |range: &std::ops::Range<usize>| [self.middles[range.start], self.middles[range.end - 1]];
        let tile = [ends(columns), ends(rows)];
        let [fronts, backs, virtual_backs] = &self.planes;
        // 1/t of the front is no more than this, and of the back no less, anywhere in the tile.
        let front = fronts.iter().map(|plane| plane.range(tile)[1]).fold(f32::INFINITY, f32::min);
        let back = backs.iter().chain(virtual_backs).map(|plane| plane.range(tile)[0]).fold(0.0, f32::max);
        if !(front > 0.0 && front >= back) {
            return None;
        }
        let nearest = rows.clone().flat_map(|row| &self.reach[row * self.resolution..][columns.clone()]);
        if nearest.fold(0.0_f32, |nearest, &reach| nearest.max(reach)) <= back {
            return None;
        }
        let [kept_fronts, kept_backs, kept_virtual] = &mut self.in_tile;
        kept_fronts.clear();
        kept_fronts.extend(fronts.iter().filter(|plane| plane.range(tile)[0] <= front));
        for (kept, all) in [(kept_backs, backs), (kept_virtual, virtual_backs)] {
            kept.clear();
            kept.extend(all.iter().filter(|plane| plane.range(tile)[1] >= back));
        }
        Some(())
    }

    /// Front, original and virtual back along a row of a tile.
    #[inline(always)]
    fn fill_rows(&mut self, row: usize, columns: &std::ops::Range<usize>) {
        let (v, us) = (self.middles[row], &self.middles[columns.clone()]);
        let [front, back, virtual_back] = &mut self.rows;
        let [front, back, virtual_back] = [front, back, virtual_back].map(|row| &mut row[..us.len()]);
        front.fill(f32::INFINITY);
        back.fill(0.0);
        virtual_back.fill(0.0);
        let (less, more) = (|p: f32, q: f32| if q < p { q } else { p }, |p: f32, q: f32| if q > p { q } else { p });
        let [fronts, backs, virtual_backs] = &self.in_tile;
        fronts.iter().for_each(|plane| plane.fold(v, us, front, less));
        backs.iter().for_each(|plane| plane.fold(v, us, back, more));
        virtual_backs.iter().for_each(|plane| plane.fold(v, us, virtual_back, more));
    }

    /// Opens the window of a sum and draws its back into it. Returns whether anything changed; `None` if it is not in view.
    pub fn draw(&mut self, sum: &DrawnSum) -> Option<bool> {
        let rectangle = self.rectangle(sum)?;
        self.set_planes(sum);
        Some(multiversioned(
            #[inline(always)]
            || {
                let mut has_changed = false;
                for tile in tiles(&rectangle) {
                    if self.take_tile(&tile).is_some() {
                        has_changed |= self.draw_tile(tile);
                    }
                }
                has_changed
            },
        ))
    }

    #[inline(always)]
    fn draw_tile(&mut self, [columns, rows]: Rectangle) -> bool {
        let mut has_changed = false;
        for row in rows {
            self.fill_rows(row, &columns);
            let [front, back, virtual_back] = &self.rows;
            let start = row * self.resolution + columns.start;
            let pixels = start..start + columns.len();
            let reach = &mut self.reach[pixels.clone()];
            let is_open = &mut self.is_open[pixels];
            for (i, (reach, is_open)) in reach.iter_mut().zip(is_open).enumerate() {
                let is_virtual = virtual_back[i] > back[i];
                let back = if is_virtual { virtual_back[i] } else { back[i] };
                let is_hit = back > 0.0 && front[i] >= back;
                if is_hit && front[i] * CRACK >= *reach && back < *reach {
                    (*reach, *is_open, has_changed) = (back, is_virtual, true);
                }
            }
        }
        has_changed
    }

    /// Finds the nearest front face of a sum beyond the extent of open rays.
    pub fn look_ahead(&mut self, sum: &DrawnSum) {
        let Some(rectangle) = self.rectangle(sum) else { return };
        self.set_planes(sum);
        for [columns, rows] in tiles(&rectangle) {
            let first = |row: usize| row * self.resolution + columns.start;
            let has_open = rows.clone().any(|row| self.is_open[first(row)..][..columns.len()].contains(&true));
            if !has_open || self.take_tile(&[columns.clone(), rows.clone()]).is_none() {
                continue;
            }
            for row in rows {
                self.fill_rows(row, &columns);
                let start = row * self.resolution + columns.start;
                let [front, back, virtual_back] = &self.rows;
                for i in 0..columns.len() {
                    let back = back[i].max(virtual_back[i]);
                    if self.is_open[start + i] && back > 0.0 && front[i] >= back && front[i] < self.reach[start + i] {
                        self.next[start + i] = self.next[start + i].max(front[i]);
                    }
                }
            }
        }
    }

    /// Lets open rays continue to the next front face. Returns whether any did.
    pub fn go_on(&mut self) -> bool {
        let mut has_any = false;
        for ((reach, is_open), next) in self.reach.iter_mut().zip(&self.is_open).zip(&mut self.next) {
            if *is_open && *next > 0.0 {
                (*reach, has_any) = (*next, true);
            }
            *next = 0.0;
        }
        has_any
    }

    /// The rays through all pixels, each with 1/t of the known extent of the union.
    pub fn reaches(&self) -> impl Iterator<Item = (DVec3, f32)> {
        (0..self.reach.len()).map(|i| {
            let [u, v] = [i % self.resolution, i / self.resolution].map(|k| f64::from(self.middles[k]));
            (self.face.ray(u, v), self.reach[i])
        })
    }

    /// The points of the boundary that rays have met, with their distances.
    pub fn points(&self) -> impl Iterator<Item = (f64, DVec3)> {
        (0..self.reach.len()).filter(|&i| !self.is_open[i] && self.reach[i].is_finite()).map(|i| {
            let [u, v] = [i % self.resolution, i / self.resolution].map(|k| f64::from(self.middles[k]));
            let point = self.face.ray(u, v) / f64::from(self.reach[i]);
            (point.length(), point)
        })
    }
}
