//! The queries of a batch: their tables for the kernels, the CPU form of the kernels, and the library's answers.

use crate::error::GpuError;
use crate::kernel::bounds::ERROR;
use crate::kernel::boxes::{self, Halves};
use crate::kernel::search::{self, Gap, Placement, Reach};
use crate::kernel::table::{Body, Many};
use crate::kernel::vector::{PoseNumbers, Vertex};
use crate::kernel::verdict;
use crate::kernel::verdict::OPEN;
use crate::tables::{Core, PairTable, Unit, down, halves, inner_in, up};
use clearance::math::{DQuat, DVec3};
use clearance::{Batch, BuildError, Pose, Shape, distance, intersects, within};

/// Bounds of a gap: the distance of two shapes, or zero if they overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GapBracket {
    /// The gap is at least this.
    pub lower: f32,
    /// The gap is at most this.
    pub upper: f32,
}

/// One pair of shapes, to be queried at many poses of B in the frame of A.
///
/// ```
/// use clearance::Shape;
/// use clearance_gpu::{Batches, OnePair};
///
/// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
/// let poses: Vec<[f32; 7]> = (0..8).map(|x| [x as f32, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]).collect();
/// let answers = Batches::on_cpu().intersects(&OnePair::new(&cube, &cube), &poses)?;
/// assert_eq!(answers.values, [true, true, true, false, false, false, false, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct OnePair {
    a: Shape,
    b: Shape,
    halves: Option<Halves>,
    table: Option<PairTable>,
}

/// The kernel for a query, with its numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kernel<'a> {
    /// The fifteen axes of two boxes.
    Boxes(&'a Halves),
    /// The search, with a reach.
    Cores(&'a PairTable, Reach),
}

impl OnePair {
    /// Two shapes. Spheres, capsules, segments, triangles, boxes and hulls of at most 1024 vertices, rounded or not, are known to the kernels; the
    /// library answers everything about others.
    #[must_use]
    pub fn new(a: &Shape, b: &Shape) -> Self {
        Self { a: a.clone(), b: b.clone(), halves: halves(a, b), table: PairTable::of(a, b) }
    }

    /// Do the kernels know both shapes?
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.table.is_some()
    }

    pub(crate) fn kernel(&self, margin: f64) -> Option<Kernel<'_>> {
        match (&self.halves, &self.table) {
            (Some(halves), _) if margin == 0.0 => Some(Kernel::Boxes(halves)),
            (_, Some(table)) => Some(Kernel::Cores(table, table.reach(margin))),
            _ => None,
        }
    }

    pub(crate) fn gap_kernel(&self) -> Option<(&PairTable, Reach)> {
        self.table.as_ref().map(|table| (table, table.reach(0.0)))
    }

    /// The CPU form of the kernel: what the device proves about each pose, bit for bit.
    #[must_use]
    pub fn verdicts(&self, poses: &[PoseNumbers], margin: f64) -> Vec<u8> {
        let Some(kernel) = self.kernel(margin) else { return vec![OPEN; poses.len()] };
        Batch::new(poses).map(|pose| kernel.verdict(pose))
    }

    /// The CPU form of the kernel for gaps: brackets, and whether each is closed.
    #[must_use]
    pub fn gaps(&self, poses: &[PoseNumbers]) -> Vec<(GapBracket, bool)> {
        let Some((table, reach)) = self.gap_kernel() else {
            return vec![(GapBracket { lower: 0.0, upper: f32::INFINITY }, false); poses.len()];
        };
        Batch::new(poses).map(|pose| {
            let gap = match Placement::of_b(pose, table.scale()) {
                Some(placed) => search::gap::<false, _>(ERROR, &table.cores(), placed, reach).in_lengths(table.scale()),
                None => Gap::UNKNOWN,
            };
            (GapBracket { lower: gap.lower, upper: gap.upper }, gap.is_closed)
        })
    }

    /// The library's answer to one query: [`intersects`] for margin zero, else [`within`].
    pub fn library_within(&self, numbers: &PoseNumbers, margin: f64) -> Result<bool, BuildError> {
        let pose = pose(numbers)?;
        Ok(library_within(&self.a, Pose::IDENTITY, &self.b, pose, margin))
    }

    /// The library's bracket of one gap, rounded outward.
    pub fn library_gap(&self, numbers: &PoseNumbers) -> Result<GapBracket, BuildError> {
        let clearance = distance(&self.a, Pose::IDENTITY, &self.b, pose(numbers)?);
        Ok(GapBracket { lower: down(clearance.lower.max(0.0)), upper: up(clearance.upper.max(0.0)) })
    }
}

impl Kernel<'_> {
    #[inline]
    fn verdict(&self, pose: &PoseNumbers) -> u8 {
        match *self {
            Kernel::Boxes(halves) => boxes::meet(halves, pose),
            Kernel::Cores(table, reach) => match Placement::of_b(pose, table.scale()) {
                Some(placed) => search::within::<false, _>(ERROR, &table.cores(), placed, reach),
                None => OPEN,
            },
        }
    }
}

/// The pose of seven numbers in single precision, which are taken as they are.
pub(crate) fn pose(&[x, y, z, qx, qy, qz, qw]: &PoseNumbers) -> Result<Pose, BuildError> {
    let [x, y, z, qx, qy, qz, qw] = [x, y, z, qx, qy, qz, qw].map(f64::from);
    Pose::try_new(DVec3::new(x, y, z), DQuat::from_xyzw(qx, qy, qz, qw))
}

fn library_within(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, margin: f64) -> bool {
    if margin == 0.0 { intersects(a, pose_a, b, pose_b) } else { within(a, pose_a, b, pose_b, margin).is_some() }
}

/// Many shapes, each a body with a pose in the world, to be queried in pairs.
///
/// ```
/// use clearance::Shape;
/// use clearance_gpu::{Batches, Bodies};
///
/// let bodies = Bodies::new(&[Shape::sphere(1.0)?, Shape::cuboid([1.0, 1.0, 1.0])?])?;
/// let poses = [[1e6, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [1e6, 2.5, 0.0, 0.0, 0.0, 0.0, 1.0]];
/// let answers = Batches::on_cpu().pairs_within(&bodies, &poses, &[[0, 1], [1, 1]], 0.25)?;
/// assert_eq!(answers.values, [false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bodies {
    shapes: Vec<Shape>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) unit: Unit,
}

impl Bodies {
    /// The shapes of the bodies. Fails if there are too many vertices for numbers of 32 bits.
    pub fn new(shapes: &[Shape]) -> Result<Self, GpuError> {
        let cores: Vec<Option<Core>> = shapes.iter().map(Core::of).collect();
        let largest = cores.iter().flatten().map(Core::size).fold(0.0, f64::max);
        // Shapes of no size, or none at all: the kernels leave their queries open.
        let unit = Unit::of(2.0 * largest).unwrap_or(Unit { scale: 1.0 });
        let (mut bodies, mut vertices) = (Vec::with_capacity(shapes.len()), Vec::new());
        for core in &cores {
            let first = u32::try_from(vertices.len()).map_err(|_| GpuError::TooMany(vertices.len()))?;
            let unknown = Body {
                first,
                count: 0,
                core_radius: 0.0,
                radius_lower: 0.0,
                radius_upper: 0.0,
                inner: -1.0,
                unused: [0; 2],
            };
            bodies.push(core.as_ref().map_or(unknown, |core| {
                vertices.extend(core.vertices(unit));
                let radius = core.radius_in(unit);
                Body {
                    count: core.points.len() as u32,
                    core_radius: up(core.core_radius() * unit.scale),
                    radius_lower: radius.lower,
                    radius_upper: radius.upper,
                    inner: inner_in(unit, core.inner),
                    ..unknown
                }
            }));
        }
        Ok(Self { shapes: shapes.to_vec(), bodies, vertices, unit })
    }

    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Are there no bodies?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    pub(crate) fn margin(&self, margin: f64) -> Reach {
        self.unit.reach(margin, 0.0)
    }

    /// The CPU form of the kernel: what the device proves about each pair, bit for bit.
    #[must_use]
    pub fn verdicts(&self, poses: &[PoseNumbers], pairs: &[[u32; 2]], margin: f64) -> Vec<u8> {
        let many = Many {
            bodies: &self.bodies,
            vertices: &self.vertices,
            poses,
            scale: self.unit.scale as f32,
            margin: self.margin(margin),
        };
        Batch::new(pairs).map(|&pair| many.within(pair))
    }

    /// The library's answer to one query; `Err` names the body whose pose is refused.
    pub fn library_within(&self, poses: &[PoseNumbers], [a, b]: [u32; 2], margin: f64) -> Result<bool, GpuError> {
        let at = |body: u32| {
            let numbers = poses.get(body as usize).zip(self.shapes.get(body as usize));
            let (numbers, shape) = numbers.ok_or(GpuError::Body { index: 0, body })?;
            pose(numbers).map(|pose| (shape, pose)).map_err(|error| GpuError::Pose { index: body as usize, error })
        };
        let ((a, pose_a), (b, pose_b)) = (at(a)?, at(b)?);
        Ok(library_within(a, pose_a, b, pose_b, margin))
    }
}

/// A verdict as an answer, if it is one.
#[must_use]
pub fn decided(verdict: u8) -> Option<bool> {
    match verdict {
        verdict::APART => Some(false),
        verdict::WITHIN => Some(true),
        _ => None,
    }
}
