//! A CUDA device: batches whose poses and answers stay on it, and batches that go over the bus in pieces.

use crate::arm::Arm;
use crate::batches::{Answers, checked, library_within};
use crate::error::GpuError;
use crate::kernel::search::Reach;
use crate::kernel::vector::PoseNumbers;
use crate::kernel::verdict::{OPEN, WITHIN};
use crate::launch::{Buffer, Device, DeviceArm, DeviceBodies, DeviceCores, OpenQueries, Stream, View, ViewMut};
use crate::open::OpenList;
use crate::queries::{Bodies, GapBracket, Kernel, OnePair};
use crate::tables::{PairTable, Unit};
use crate::{MAX_QUERIES, tuning};
use clearance::Batch;

/// The first CUDA device of this machine, with the kernels loaded.
///
/// Every function waits for its answers before it returns. Several calls may run at once from several threads: each has a stream of its own.
#[derive(Debug)]
pub struct Gpu {
    device: Device,
}

/// Poses on a device: see [`Gpu::upload`].
#[derive(Debug)]
pub struct DevicePoses<'a> {
    stream: Stream<'a>,
    numbers: Buffer<f32>,
    count: usize,
}

/// Verdicts on a device, a byte each: 0 for "the gap exceeds the margin", 1 for "it does not".
#[derive(Debug)]
pub struct DeviceVerdicts<'a> {
    stream: Stream<'a>,
    bytes: Buffer<u8>,
    count: usize,
    /// How many queries the library answered.
    pub by_library: usize,
    /// The seconds that the kernel took on the device.
    pub kernel_seconds: f64,
}

/// Brackets of gaps on a device, two numbers each.
#[derive(Debug)]
pub struct DeviceGaps<'a> {
    stream: Stream<'a>,
    numbers: Buffer<f32>,
    count: usize,
    /// How many queries the library answered.
    pub by_library: usize,
    /// The seconds that the kernel took on the device.
    pub kernel_seconds: f64,
}

/// Bodies and pairs of them on a device: see [`Gpu::upload_pairs`].
#[derive(Debug)]
pub struct DevicePairs<'a> {
    stream: Stream<'a>,
    bodies: DeviceBodies,
    pairs: Buffer<u32>,
    count: usize,
    unit: Unit,
}

/// An arm and configurations of it on a device: see [`Gpu::upload_angles`].
#[derive(Debug)]
pub struct DeviceAngles<'a> {
    stream: Stream<'a>,
    arm: &'a Arm,
    on_device: DeviceArm,
    angles: Buffer<f32>,
    count: usize,
}

/// Host memory that the device reads and writes by itself, which is faster than by way of a copy.
#[derive(Debug)]
pub struct Pinned<T> {
    memory: cudarc::driver::PinnedHostSlice<T>,
}

impl<T: cudarc::driver::ValidAsZeroBits> Pinned<T> {
    /// The memory to read.
    pub fn as_slice(&self) -> Result<&[T], GpuError> {
        Ok(self.memory.as_slice()?)
    }

    /// The memory to write.
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], GpuError> {
        Ok(self.memory.as_mut_slice()?)
    }
}

impl Gpu {
    /// Loads the driver and the kernels; the error is one sentence.
    pub fn open() -> Result<Self, GpuError> {
        Ok(Self { device: Device::open()? })
    }

    /// The name of the device.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.device.name
    }

    /// Room for poses, seven numbers each, in host memory that the device can reach.
    pub fn pinned_poses(&self, count: usize) -> Result<Pinned<f32>, GpuError> {
        Ok(Pinned { memory: self.device.pinned(7 * count)? })
    }

    /// Room for verdicts in host memory that the device can reach.
    pub fn pinned_verdicts(&self, count: usize) -> Result<Pinned<u8>, GpuError> {
        Ok(Pinned { memory: self.device.pinned(count)? })
    }

    /// Copies poses to the device.
    pub fn upload(&self, poses: &[PoseNumbers]) -> Result<DevicePoses<'_>, GpuError> {
        if poses.len() > MAX_QUERIES {
            return Err(GpuError::TooMany(poses.len()));
        }
        let stream = self.device.stream()?;
        let numbers = stream.upload(poses.as_flattened())?;
        stream.wait()?;
        Ok(DevicePoses { stream, numbers, count: poses.len() })
    }

    /// Is the gap at most a margin, at each pose on the device? The verdicts stay there; open queries go to the library and back.
    pub fn within<'a>(
        &'a self,
        pair: &OnePair,
        poses: &DevicePoses<'a>,
        margin: f64,
    ) -> Result<DeviceVerdicts<'a>, GpuError> {
        checked(margin)?;
        let stream = poses.stream.clone();
        let mut open = stream.open_queries(capacity(poses.count))?;
        let mut bytes = stream.zeros::<u8>(poses.count)?;
        let launch = PairLaunch::new(&stream, pair, margin)?;
        let kernel_seconds =
            timed(&stream, || launch.run(&stream, &poses.view(), &mut bytes.slice_mut(..poses.count), &mut open))?;
        let list = OpenList::read(&stream, open, || Ok(open_places(&download(&stream, &bytes, poses.count)?)))?;
        let found = list.answers(&stream, poses, |numbers| pair.library_within(numbers, margin).map(u8::from))?;
        list.scatter_verdicts(&stream, &found, &mut bytes)?;
        Ok(DeviceVerdicts { stream, bytes, count: poses.count, by_library: found.len(), kernel_seconds })
    }

    /// The bracket of the gap at each pose on the device. Brackets that the kernel leaves wide are the library's.
    pub fn gaps<'a>(&'a self, pair: &OnePair, poses: &DevicePoses<'a>) -> Result<DeviceGaps<'a>, GpuError> {
        let stream = poses.stream.clone();
        let mut open = stream.open_queries(capacity(poses.count))?;
        let mut numbers = stream.zeros::<f32>(2 * poses.count)?;
        let cores = match pair.gap_kernel() {
            Some((table, reach)) => Some((upload_cores(&stream, table)?, reach)),
            None => None,
        };
        let kernel_seconds = timed(&stream, || match &cores {
            Some((cores, reach)) if poses.count > 0 => {
                stream.cores_gap(cores, *reach, &poses.view(), &mut numbers.slice_mut(..2 * poses.count), &mut open)
            }
            _ => Ok(()),
        })?;
        let list = if cores.is_some() {
            // The kernel's CPU form says again which brackets are wide.
            OpenList::read(&stream, open, || {
                let host = download(&stream, &poses.numbers, 7 * poses.count)?;
                let gaps = pair.gaps(host.as_chunks::<7>().0);
                Ok((0..gaps.len()).filter(|&i| !gaps[i].1).collect())
            })?
        } else {
            OpenList::of(&stream, (0..poses.count).collect())?
        };
        let found = list.answers(&stream, poses, |numbers| pair.library_gap(numbers))?;
        let pairs: Vec<f32> = found.iter().flat_map(|gap| [gap.lower, gap.upper]).collect();
        list.scatter_gaps(&stream, &pairs, &mut numbers)?;
        Ok(DeviceGaps { stream, numbers, count: poses.count, by_library: found.len(), kernel_seconds })
    }

    /// [`within`](Self::within) for poses in host memory: pieces of the list go over the bus while others are computed. The verdicts that are open stay
    /// [`OPEN`]; [`Batches`](crate::Batches) lets the library answer them. Pinned memory is several times as fast.
    pub fn within_into(
        &self,
        pair: &OnePair,
        poses: &[PoseNumbers],
        margin: f64,
        verdicts: &mut [u8],
    ) -> Result<(), GpuError> {
        checked(margin)?;
        if poses.len() != verdicts.len() {
            return Err(GpuError::Lengths(poses.len(), verdicts.len()));
        }
        let mut lanes = Vec::new();
        for _ in 0..tuning::LANES {
            let stream = self.device.stream()?;
            let launch = PairLaunch::new(&stream, pair, margin)?;
            let numbers = stream.zeros::<f32>(7 * tuning::PIECE.min(poses.len()))?;
            let bytes = stream.zeros::<u8>(tuning::PIECE.min(poses.len()))?;
            lanes.push((launch, numbers, bytes, stream.open_queries(1)?, stream));
        }
        let pieces = poses.chunks(tuning::PIECE).zip(verdicts.chunks_mut(tuning::PIECE));
        let copy_all = || {
            for (i, (poses, verdicts)) in pieces.enumerate() {
                let (launch, numbers, bytes, open, stream) = &mut lanes[i % tuning::LANES];
                let host = poses.as_flattened();
                stream.upload_into(host, &mut numbers.slice_mut(..host.len()))?;
                launch.run(stream, &numbers.slice(..host.len()), &mut bytes.slice_mut(..poses.len()), open)?;
                stream.download(&bytes.slice(..poses.len()), verdicts)?;
            }
            Ok(())
        };
        let copied: Result<(), GpuError> = copy_all();
        // Copies under way use the caller's memory: they end before this returns, whatever went wrong.
        let waited = lanes.iter().map(|(.., stream)| stream.wait()).fold(Ok(()), Result::and);
        copied.and(waited)
    }

    /// Is the gap at most a margin, for poses and verdicts in pinned memory? The library answers what is open.
    pub fn within_pinned(
        &self,
        pair: &OnePair,
        poses: &Pinned<f32>,
        margin: f64,
        verdicts: &mut Pinned<u8>,
    ) -> Result<usize, GpuError> {
        let poses = poses.as_slice()?.as_chunks::<7>().0;
        let verdicts = verdicts.as_mut_slice()?;
        self.within_into(pair, poses, margin, verdicts)?;
        let open: Vec<usize> = open_places(verdicts);
        let found = Batch::new(&open).map(|&index| library_within(pair, poses, margin, index));
        for (&index, answer) in open.iter().zip(found) {
            verdicts[index] = u8::from(answer?);
        }
        Ok(open.len())
    }

    /// Bodies with their poses, and pairs of them, to stay on the device.
    pub fn upload_pairs(
        &self,
        bodies: &Bodies,
        poses: &[PoseNumbers],
        pairs: &[[u32; 2]],
    ) -> Result<DevicePairs<'_>, GpuError> {
        if poses.len() != bodies.len() {
            return Err(GpuError::Lengths(bodies.len(), poses.len()));
        }
        if pairs.len() > MAX_QUERIES {
            return Err(GpuError::TooMany(pairs.len()));
        }
        let stream = self.device.stream()?;
        let on_device = DeviceBodies {
            bodies: stream.upload(&bodies.bodies)?,
            count: bodies.bodies.len() as u32,
            vertices: stream.upload(&bodies.vertices)?,
            poses: stream.upload(poses.as_flattened())?,
            scale: bodies.unit.scale as f32,
        };
        let numbers = stream.upload(pairs.as_flattened())?;
        stream.wait()?;
        Ok(DevicePairs { stream, bodies: on_device, pairs: numbers, count: pairs.len(), unit: bodies.unit })
    }
}

impl Gpu {
    /// An arm and its configurations, an angle for each joint, to stay on the device.
    pub fn upload_angles<'a>(&'a self, arm: &'a Arm, angles: &[f32]) -> Result<DeviceAngles<'a>, GpuError> {
        let count = arm.configurations(angles)?.len();
        if count > MAX_QUERIES {
            return Err(GpuError::TooMany(count));
        }
        let stream = self.device.stream()?;
        let on_device = DeviceArm {
            joints: stream.upload(&arm.frames)?,
            joint_count: arm.frames.len() as u32,
            capsules: stream.upload(&arm.link_table)?,
            capsule_count: arm.link_table.len() as u32,
            obstacles: stream.upload(&arm.obstacle_table)?,
            obstacle_count: arm.obstacle_table.len() as u32,
        };
        let angles = stream.upload(angles)?;
        stream.wait()?;
        Ok(DeviceAngles { stream, arm, on_device, angles, count })
    }
}

impl DeviceAngles<'_> {
    /// The kernel's verdict about each configuration: whether anything is within a margin. [`OPEN`] is for the library. The second number
    /// are the seconds of the kernel.
    pub fn verdicts(&self, margin: f64) -> Result<(Vec<u8>, f64), GpuError> {
        checked(margin)?;
        let mut bytes = self.stream.zeros::<u8>(self.count)?;
        let seconds = timed(&self.stream, || {
            if self.count == 0 {
                return Ok(());
            }
            let (reach, error) = (self.arm.margin(margin), self.arm.error(margin));
            let angles = self.angles.slice(..self.count * self.arm.joint_count());
            self.stream.arm_within(&self.on_device, reach, error, &angles, &mut bytes.slice_mut(..))
        })?;
        Ok((download(&self.stream, &bytes, self.count)?, seconds))
    }
}

impl DevicePoses<'_> {
    pub(crate) fn view(&self) -> View<'_, f32> {
        self.numbers.slice(..7 * self.count)
    }

    /// The number of poses.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Are there no poses?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl DeviceVerdicts<'_> {
    /// Copies the answers to the host.
    pub fn to_host(&self) -> Result<Answers<bool>, GpuError> {
        let bytes = download(&self.stream, &self.bytes, self.count)?;
        Ok(Answers { values: bytes.into_iter().map(|byte| byte == WITHIN).collect(), by_library: self.by_library })
    }
}

impl DeviceGaps<'_> {
    /// Copies the brackets to the host.
    pub fn to_host(&self) -> Result<Answers<GapBracket>, GpuError> {
        let numbers = download(&self.stream, &self.numbers, 2 * self.count)?;
        let values = numbers.as_chunks::<2>().0.iter().map(|&[lower, upper]| GapBracket { lower, upper }).collect();
        Ok(Answers { values, by_library: self.by_library })
    }
}

impl DevicePairs<'_> {
    /// The kernel's verdict about each pair: whether its gap is at most a margin. [`OPEN`] is for the library.
    pub fn verdicts(&self, margin: f64) -> Result<(Vec<u8>, f64), GpuError> {
        checked(margin)?;
        let mut bytes = self.stream.zeros::<u8>(self.count)?;
        let mut open = self.stream.open_queries(1)?;
        let seconds = timed(&self.stream, || {
            if self.count == 0 {
                return Ok(());
            }
            let (pairs, margin) = (self.pairs.slice(..2 * self.count), self.unit.reach(margin, 0.0));
            self.stream.pairs_within(&self.bodies, margin, &pairs, &mut bytes.slice_mut(..), &mut open)
        })?;
        Ok((download(&self.stream, &bytes, self.count)?, seconds))
    }
}

/// The kernel for one pair, with its tables on the device.
enum PairLaunch<'p> {
    Boxes(&'p crate::kernel::boxes::Halves),
    Cores(DeviceCores, Reach),
    /// The library answers all.
    Unknown,
}

impl<'p> PairLaunch<'p> {
    fn new(stream: &Stream<'_>, pair: &'p OnePair, margin: f64) -> Result<Self, GpuError> {
        Ok(match pair.kernel(margin) {
            Some(Kernel::Boxes(halves)) => Self::Boxes(halves),
            Some(Kernel::Cores(table, reach)) => Self::Cores(upload_cores(stream, table)?, reach),
            None => Self::Unknown,
        })
    }

    fn run(
        &self,
        stream: &Stream<'_>,
        poses: &View<'_, f32>,
        verdicts: &mut ViewMut<'_, u8>,
        open: &mut OpenQueries,
    ) -> Result<(), GpuError> {
        match self {
            _ if poses.is_empty() => Ok(()),
            Self::Boxes(halves) => stream.boxes_meet(halves, poses, verdicts, open),
            Self::Cores(cores, reach) => stream.cores_within(cores, *reach, poses, verdicts, open),
            Self::Unknown => stream.leave_open(verdicts),
        }
    }
}

fn upload_cores(stream: &Stream<'_>, table: &PairTable) -> Result<DeviceCores, GpuError> {
    Ok(DeviceCores {
        vertices: stream.upload(&table.vertices)?,
        count_a: table.count_a as u32,
        count_b: (table.vertices.len() - table.count_a) as u32,
        radii: table.radii,
        inner: table.inner,
        scale: table.scale(),
    })
}

/// Room for open queries: a part of all of them.
fn capacity(count: usize) -> u32 {
    (count / tuning::OPEN_PART + tuning::OPEN_LEAST).min(count.max(1)) as u32
}

/// The seconds that the device takes for what is launched.
fn timed(stream: &Stream<'_>, launch: impl FnOnce() -> Result<(), GpuError>) -> Result<f64, GpuError> {
    let start = stream.event()?;
    launch()?;
    let end = stream.event()?;
    stream.wait()?;
    Ok(f64::from(start.elapsed_ms(&end)?) * 1e-3)
}

fn download<T: cudarc::driver::DeviceRepr + Clone + Default>(
    stream: &Stream<'_>,
    buffer: &Buffer<T>,
    count: usize,
) -> Result<Vec<T>, GpuError> {
    let mut host = vec![T::default(); count];
    if count > 0 {
        stream.download(&buffer.slice(..count), &mut host)?;
    }
    stream.wait()?;
    Ok(host)
}

fn open_places(verdicts: &[u8]) -> Vec<usize> {
    (0..verdicts.len()).filter(|&i| verdicts[i] == OPEN).collect()
}
