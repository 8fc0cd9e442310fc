//! Penetration depth as the paper computes it (Kim, Otaduy, Lin and Manocha 2002): an estimate from above, by drawing.
//!
//! The pipeline of its figure 2, complete; PD with a number is a section of the paper.
//!
//! 1. Once: convex patches of the surface, their hulls, a hierarchy of hulls above them ([`ImageBody`]; PD 4.1, 5.2).
//! 2. The depth of the two root hulls is the first estimate (PD 5.3).
//! 3. Level by level: pairs of nodes that are farther apart than the estimate are culled (lemma 5.1), with their children. The sums of the others are computed (PD 4.2), with facets by the overlay of Gauss maps instead of the hull of all sums of vertices. Drawing them into six depth buffers around the origin (PD 4.3, `buffer.rs`) finds the closest point of the boundary of their union, which is the next estimate. Sums that hold the origin come first and once. Sums farther than the nearest point of earlier views are left out, and so are those out of view (PD 5.4).
//! 4. The features that meet at that point.
//!
//! **Limits.** The paper calls the result an upper bound. Surface pieces leave places inside of a sum uncovered, where a ray may stop too early
//! ([`ImageDepth::refused`] counts these). So the nearest points are tried one after the other until the solids themselves, moved there, are proved
//! to be free: [`ImageDepth::upper`] is a bound. There is no lower bound; [`depth`](clearance::depth::depth) has both bounds, and is faster. This
//! module is for comparison.

mod body;
mod buffer;
mod hops;
mod sum;
#[cfg(test)]
mod tests;

pub use body::{FaceClass, ImageBody};
pub use hops::{Hops, hops};

use body::PlacedNode;
use buffer::{CubeFace, FaceBuffer};
use clearance::depth::Scope;
use clearance::internals::decompose::Children;
use clearance::internals::depth::{Overlay, PiecePlacement, Placed, first_upper};
use clearance::math::DVec3;
use clearance::math::Frame;
use clearance::math::Pose;
use clearance::{distance, intersects};
use sum::{DrawnSum, highest};

/// Options of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageOptions {
    /// Pixels along a side of the six buffers at the finest level; the paper has 256.
    pub resolution: usize,
    /// Pixels at all levels before it; the paper has 128.
    pub on_the_way: usize,
    /// With the paper's section 5 or without.
    pub acceleration: Acceleration,
}

impl Default for ImageOptions {
    fn default() -> Self {
        Self { resolution: 256, on_the_way: 128, acceleration: Acceleration::Full }
    }
}

/// Which of the paper's acceleration techniques are used (PD 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceleration {
    /// All of them.
    Full,
    /// All but the culling of pairs by their distance (lemma 5.1): its answers are those of `Full`, later.
    WithoutCulling,
    /// None: all pairs of pieces at once, drawn as many times as there are sums (PD 4). That takes hours; `every` uses only every n-th pair and
    /// `passes` limits the number of passes, for measurements that are extrapolated.
    Basic {
        /// One for all pairs.
        every: usize,
        /// `usize::MAX` for as many passes as there are sums.
        passes: usize,
    },
}

/// A level of the hierarchies (a row of the paper's table 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageLevel {
    /// The level; zero is that of the roots.
    pub level: u32,
    /// All pairs of nodes of the level.
    pub pairs: usize,
    /// The pairs that were not culled.
    pub kept: usize,
    /// Facets of their sums.
    pub facets: usize,
    /// Pixels along a side of a buffer.
    pub resolution: usize,
    /// The largest number of passes of a view for sums that do not hold the origin.
    pub passes: usize,
    /// Sums that were drawn, over all views and passes.
    pub drawn: usize,
    /// The depth by this level.
    pub estimate: f64,
}

impl ImageLevel {
    /// The part of all pairs that was culled.
    #[must_use]
    pub fn cull_ratio(&self) -> f64 {
        1.0 - self.kept as f64 / self.pairs.max(1) as f64
    }
}

/// The stage that just ended at a level, for measurements of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Pairs were culled.
    Culled,
    /// Sums were computed.
    Summed,
    /// Sums were drawn, and the closest point was found.
    Drawn,
}

/// The depth in the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageDepth {
    /// The paper's answer: the distance to the nearest point that a ray met. Correct up to the resolution, if pieces leave no place uncovered; not
    /// a bound.
    pub estimate: f64,
    /// That point: a translation of A, in the axes of the world.
    pub translation: DVec3,
    /// The corners of the features of A and B that meet there, at the present poses: one is a vertex, two are an edge, more a face.
    pub features: [Vec<DVec3>; 2],
    /// A translation of A that is proved to free it: the nearest of such points.
    pub free: DVec3,
    /// Its length, rounded up.
    pub upper: f64,
    /// The number of nearer points that were not free.
    pub refused: usize,
    /// The levels, from the root's.
    pub levels: Vec<ImageLevel>,
}

/// The penetration depth of two bodies by the paper's pipeline. See the [module](self). Bodies that are apart have none.
///
/// ```
/// use clearance_papers::penetration_depth::image_space::{ImageBody, ImageOptions, estimate};
/// use clearance::shape::Mesh;
/// use clearance::Pose;
/// use std::sync::Arc;
///
/// let corners: Vec<[f64; 3]> = (0..8).map(|i| [(i & 1) as f64, (i / 2 % 2) as f64, (i / 4) as f64]).collect();
/// let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
/// let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
/// let cube = ImageBody::of_surface(&Arc::new(Mesh::new(&corners, &triangles)?)).expect("plain coordinates");
/// let seen = estimate(&cube, Pose::IDENTITY, &cube, Pose::from_translation([0.75, 0.0, 0.0]), ImageOptions::default());
/// assert!((seen.estimate - 0.25).abs() < 1e-9 && seen.upper >= 0.25 && seen.upper < 0.2500001);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn estimate(a: &ImageBody, pose_a: Pose, b: &ImageBody, pose_b: Pose, options: ImageOptions) -> ImageDepth {
    estimate_watched(a, pose_a, b, pose_b, options, &mut |_, _| ())
}

/// [`estimate`], and `watch` is called after every stage of every level.
pub fn estimate_watched(
    a: &ImageBody,
    pose_a: Pose,
    b: &ImageBody,
    pose_b: Pose,
    options: ImageOptions,
    watch: &mut dyn FnMut(Stage, &ImageLevel),
) -> ImageDepth {
    if !intersects(&a.shape, pose_a, &b.shape, pose_b) {
        let none = DVec3::ZERO;
        let features = [Vec::new(), Vec::new()];
        return ImageDepth {
            estimate: 0.0,
            translation: none,
            features,
            free: none,
            upper: 0.0,
            refused: 0,
            levels: Vec::new(),
        };
    }
    Pipeline::with(a, pose_a, b, pose_b, options, |mut pipeline| {
        let first = pipeline.nearest;
        let root = ImageLevel {
            level: 0,
            pairs: 1,
            kept: 1,
            facets: 0,
            resolution: 0,
            passes: 0,
            drawn: 0,
            estimate: first.1 / pipeline.placed.unit,
        };
        let mut levels = vec![root];
        pipeline.descend(&mut levels, watch);
        pipeline.answer(first, levels)
    })
}

/// A query during its descent through the hierarchies.
struct Pipeline<'q> {
    bodies: [&'q ImageBody; 2],
    placements: [PiecePlacement; 2],
    placed: &'q Placed<'q>,
    options: ImageOptions,
    /// The nearest point so far, and its distance, in the unit of the search.
    nearest: (DVec3, f64),
    /// All points of the finest level.
    points: Vec<(f64, DVec3)>,
    /// The hulls of nodes, from their first use on.
    nodes: [Vec<Option<PlacedNode>>; 2],
    overlay: Overlay,
    sums: Vec<DrawnSum>,
}

impl Pipeline<'_> {
    /// Runs work with the pipeline of a query that has only its first estimate.
    fn with<T>(
        a: &ImageBody,
        pose_a: Pose,
        b: &ImageBody,
        pose_b: Pose,
        options: ImageOptions,
        work: impl FnOnce(Pipeline<'_>) -> T,
    ) -> T {
        let placed = Placed::new(&a.shape, pose_a, &b.shape, pose_b, Scope::Any);
        let in_a = PiecePlacement { frame: Frame::IDENTITY, unit: placed.unit };
        let in_b = PiecePlacement { frame: Frame::relative(&placed.pose_a, &placed.pose_b), unit: placed.unit };
        work(Pipeline {
            bodies: [a, b],
            placements: [in_a, in_b],
            placed: &placed,
            options,
            nearest: first_upper(&placed),
            points: Vec::new(),
            nodes: [a, b].map(|body| body.tree().nodes().iter().map(|_| None).collect()),
            overlay: Overlay::default(),
            sums: Vec::new(),
        })
    }

    fn descend(&mut self, levels: &mut Vec<ImageLevel>, watch: &mut dyn FnMut(Stage, &ImageLevel)) {
        let finest = self.bodies.map(|body| body.tree().levels()).into_iter().max().unwrap_or(1) - 1;
        let first = if let Acceleration::Basic { .. } = self.options.acceleration { finest } else { 1.min(finest) };
        let mut pairs = vec![[0, 0]];
        for level in first..=finest {
            let count = |body: &ImageBody| body.tree().level(level).count();
            let mut row = ImageLevel {
                level,
                pairs: count(self.bodies[0]) * count(self.bodies[1]),
                kept: 0,
                facets: 0,
                resolution: if level == finest { self.options.resolution } else { self.options.on_the_way }
                    .clamp(1, 4096),
                passes: 0,
                drawn: 0,
                estimate: 0.0,
            };
            pairs = match self.options.acceleration {
                Acceleration::Basic { every, .. } => self.all_pairs(level, every.max(1)),
                _ => pairs.iter().flat_map(|&pair| self.below(pair, level)).collect(),
            };
            let gaps = self.cull(&mut pairs);
            row.kept = pairs.len();
            watch(Stage::Culled, &row);
            self.add_up(&pairs, &gaps);
            row.facets = self.sums.iter().map(|sum| sum.facets.len()).sum();
            watch(Stage::Summed, &row);
            self.draw(&mut row);
            row.estimate = self.nearest.1 / self.placed.unit;
            watch(Stage::Drawn, &row);
            levels.push(row);
        }
    }

    /// The pairs of a level below a pair of the level before. Leaves stay as they are.
    fn below(&self, pair: [u32; 2], level: u32) -> Vec<[u32; 2]> {
        let children = |side: usize| {
            let node = &self.bodies[side].tree().nodes()[pair[side] as usize];
            match node.below {
                Children::Nodes(children) if node.level < level => children.to_vec(),
                _ => vec![pair[side]],
            }
        };
        let of_b = children(1);
        children(0).into_iter().flat_map(|p| of_b.iter().map(move |&q| [p, q])).collect()
    }

    fn all_pairs(&self, level: u32, every: usize) -> Vec<[u32; 2]> {
        let of_b: Vec<u32> = self.bodies[1].tree().level(level).collect();
        let of_a = self.bodies[0].tree().level(level);
        of_a.flat_map(|p| of_b.iter().map(move |&q| [p, q])).step_by(every).collect()
    }

    /// Drops the pairs that are farther apart than the estimate (lemma 5.1). The gaps of the others are zero for those that overlap.
    fn cull(&self, pairs: &mut Vec<[u32; 2]>) -> Vec<f64> {
        let Placed { pose_a, pose_b, unit, .. } = *self.placed;
        let gap = |[p, q]: [u32; 2]| {
            let [a, b] = [self.bodies[0].tree().shape(p), self.bodies[1].tree().shape(q)];
            distance(&a, pose_a, &b, pose_b).lower.max(0.0) * unit
        };
        let mut gaps: Vec<f64> = pairs.iter().map(|&pair| gap(pair)).collect();
        if self.options.acceleration == Acceleration::Full {
            let estimate = self.nearest.1;
            let mut near = gaps.iter().map(|&gap| gap <= estimate);
            pairs.retain(|_| near.next().unwrap_or(false));
            gaps.retain(|&gap| gap <= estimate);
        }
        gaps
    }

    fn add_up(&mut self, pairs: &[[u32; 2]], gaps: &[f64]) {
        self.sums.clear();
        for (&pair, &gap) in pairs.iter().zip(gaps) {
            for (side, &number) in pair.iter().enumerate() {
                let node = &mut self.nodes[side][number as usize];
                node.get_or_insert_with(|| self.bodies[side].placed(number, &self.placements[side]));
            }
            if let [Some(p), Some(q)] = [0, 1].map(|side| self.nodes[side][pair[side] as usize].as_ref()) {
                self.sums.extend(DrawnSum::new(&mut self.overlay, pair, p, q, gap));
            }
        }
        // The sums that hold the origin come first.
        self.sums.sort_by_key(|sum| sum.gap > 0.0);
    }

    /// Draws all sums of a level in six views, and takes the nearest point.
    fn draw(&mut self, row: &mut ImageLevel) {
        self.points.clear();
        for face in CubeFace::ALL {
            let mut buffer = FaceBuffer::new(face, row.resolution);
            let passes = match self.options.acceleration {
                Acceleration::Basic { passes, .. } => draw_basic(&mut buffer, &self.sums, passes, &mut row.drawn),
                Acceleration::WithoutCulling => draw_view(&mut buffer, &self.sums, f64::INFINITY, &mut row.drawn),
                Acceleration::Full => draw_view(&mut buffer, &self.sums, self.nearest.1, &mut row.drawn),
            };
            row.passes = row.passes.max(passes);
            for (length, point) in buffer.points() {
                if length < self.nearest.1 {
                    self.nearest = (point, length);
                }
                self.points.push((length, point));
            }
        }
    }

    fn answer(mut self, first: (DVec3, f64), levels: Vec<ImageLevel>) -> ImageDepth {
        let (point, length) = self.nearest;
        let features = self.features(point);
        let (free, upper, refused) = self.free_point(first);
        let placed = self.placed;
        ImageDepth {
            estimate: length / placed.unit,
            translation: placed.to_world(point),
            features,
            free: placed.to_world(free),
            upper: upper / placed.unit,
            refused,
            levels,
        }
    }

    /// The nearest point at which the bodies are proved to be free.
    fn free_point(&mut self, first: (DVec3, f64)) -> (DVec3, f64, usize) {
        // A point that is not free represents its neighbours; the number of trials is limited.
        const TRIES: usize = 64;
        const APART: f64 = 0.03;
        // Depths are in single precision.
        const BEYOND: f64 = 1.0 + 1e-6;
        self.points.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.x.total_cmp(&q.1.x)).then(p.1.y.total_cmp(&q.1.y)));
        let mut refused: Vec<DVec3> = Vec::new();
        for &(length, point) in self.points.iter().take_while(|point| point.0 < first.1) {
            let Some(way) = point.try_normalize() else { continue };
            if refused.iter().any(|other| other.distance_squared(way) < APART * APART) {
                continue;
            }
            if let Some((free, upper)) = self.placed.freed(way * (length * BEYOND)) {
                return (free, upper, refused.len());
            }
            refused.push(way);
            if refused.len() == TRIES {
                break;
            }
        }
        (first.0, first.1, refused.len())
    }

    /// The features of the two bodies whose sum a point is on.
    fn features(&self, point: DVec3) -> [Vec<DVec3>; 2] {
        let above = |sum: &DrawnSum| {
            let heights = sum.facets.iter().map(|facet| (facet.normal.dot(point) - facet.offset, facet.normal));
            heights.max_by(|p, q| p.0.total_cmp(&q.0))
        };
        let tops =
            self.sums.iter().filter_map(|sum| above(sum).map(|(height, normal)| (height.abs(), normal, sum.nodes)));
        let Some((_, normal, nodes)) = tops.min_by(|p, q| p.0.total_cmp(&q.0)) else { return [Vec::new(), Vec::new()] };
        let placed = self.placed;
        let corners = |side: usize, along: DVec3| {
            let Some(node) = &self.nodes[side][nodes[side] as usize] else { return Vec::new() };
            let world = |corner: u32| placed.to_world(node.piece.vertices[corner as usize]) + placed.origin;
            highest(&node.piece, along).map(world).collect()
        };
        [corners(0, -normal), corners(1, normal)]
    }
}

/// The paper's procedure with its acceleration (PD 5.4): sums that hold the origin once, the others until nothing changes. Returns the number of
/// passes.
fn draw_view(buffer: &mut FaceBuffer, sums: &[DrawnSum], nearest: f64, drawn: &mut usize) -> usize {
    let (with_origin, others) = sums.split_at(sums.partition_point(|sum| sum.gap == 0.0));
    let others = || others.iter().filter(|sum| sum.gap <= nearest);
    for sum in with_origin {
        *drawn += usize::from(buffer.draw(sum).is_some());
    }
    let mut passes = 0;
    loop {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            passes += 1;
            for sum in others() {
                let change = buffer.draw(sum);
                *drawn += usize::from(change.is_some());
                has_changed |= change == Some(true);
            }
        }
        others().for_each(|sum| buffer.look_ahead(sum));
        // At most as many passes as there are sums.
        if !buffer.go_on() || passes > 2 * sums.len() + 2 {
            return passes;
        }
    }
}

/// The paper's procedure of PD 4.3.1: as many passes over all sums as there are sums.
fn draw_basic(buffer: &mut FaceBuffer, sums: &[DrawnSum], most: usize, drawn: &mut usize) -> usize {
    let passes = sums.len().min(most);
    for _ in 0..passes {
        for sum in sums {
            *drawn += usize::from(buffer.draw(sum).is_some());
        }
        sums.iter().for_each(|sum| buffer.look_ahead(sum));
        buffer.go_on();
    }
    passes
}
