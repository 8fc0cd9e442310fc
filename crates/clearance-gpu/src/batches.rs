//! A batch on the device if there is one, else on the CPU: the same answers.

use crate::arm::Arm;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::vector::PoseNumbers;
use crate::queries::{Bodies, GapBracket, OnePair, decided};
use clearance::Batch;

/// The answers of a batch, in the order of the queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers<T> {
    /// An answer for each query.
    pub values: Vec<T>,
    /// How many queries the kernels left open, which the library answered. On the CPU, all of them.
    pub by_library: usize,
}

/// Where batches run.
#[derive(Debug)]
pub struct Batches {
    gpu: Result<Gpu, String>,
}

impl Batches {
    /// On the first CUDA device, or on the CPU if there is none; [`describe`](Self::describe) says which.
    #[must_use]
    pub fn open() -> Self {
        Self { gpu: Gpu::open().map_err(|error| error.to_string()) }
    }

    /// On the CPU, by the library.
    #[must_use]
    pub fn on_cpu() -> Self {
        Self { gpu: Err("no GPU is used: the CPU was chosen".into()) }
    }

    /// One sentence: the name of the device, or why there is none.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.gpu {
            Ok(gpu) => format!("batches run on {}", gpu.name()),
            Err(reason) => format!("{reason}; batches run on the CPU"),
        }
    }

    /// The device, if there is one.
    #[must_use]
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_ref().ok()
    }

    /// Do the shapes share a point, for each pose of B in the frame of A? The answers are those of [`intersects`](clearance::intersects).
    pub fn intersects(&self, pair: &OnePair, poses: &[PoseNumbers]) -> Result<Answers<bool>, GpuError> {
        self.within(pair, poses, 0.0)
    }

    /// Is the gap at most a margin, for each pose of B in the frame of A? The answers are those of [`within`](fn@clearance::within).
    pub fn within(&self, pair: &OnePair, poses: &[PoseNumbers], margin: f64) -> Result<Answers<bool>, GpuError> {
        checked(margin)?;
        match &self.gpu {
            Ok(gpu) if pair.is_known() => {
                let mut verdicts = vec![0; poses.len()];
                gpu.within_into(pair, poses, margin, &mut verdicts)?;
                answer_open(&verdicts, |index| library_within(pair, poses, margin, index))
            }
            _ => by_library(poses.len(), |index| library_within(pair, poses, margin, index)),
        }
    }

    /// The gap of the shapes, for each pose of B in the frame of A.
    pub fn gaps(&self, pair: &OnePair, poses: &[PoseNumbers]) -> Result<Answers<GapBracket>, GpuError> {
        match &self.gpu {
            Ok(gpu) if pair.is_known() => gpu.gaps(pair, &gpu.upload(poses)?)?.to_host(),
            _ => by_library(poses.len(), |index| library_gap(pair, poses, index)),
        }
    }

    /// Is the gap of two bodies at most a margin, for each pair of their numbers?
    pub fn pairs_within(
        &self,
        bodies: &Bodies,
        poses: &[PoseNumbers],
        pairs: &[[u32; 2]],
        margin: f64,
    ) -> Result<Answers<bool>, GpuError> {
        checked(margin)?;
        if poses.len() != bodies.len() {
            return Err(GpuError::Lengths(bodies.len(), poses.len()));
        }
        let library = |index: usize| {
            bodies.library_within(poses, pairs[index], margin).map_err(|error| match error {
                GpuError::Body { body, .. } => GpuError::Body { index, body },
                error => error,
            })
        };
        match &self.gpu {
            Ok(gpu) => answer_open(&gpu.upload_pairs(bodies, poses, pairs)?.verdicts(margin)?.0, library),
            Err(_) => by_library(pairs.len(), library),
        }
    }
}

impl Batches {
    /// Is an arm within a margin of an obstacle or of itself, for each configuration? `angles` has one for each joint, configuration after
    /// configuration.
    pub fn arm_within(&self, arm: &Arm, angles: &[f32], margin: f64) -> Result<Answers<bool>, GpuError> {
        checked(margin)?;
        let configurations = arm.configurations(angles)?;
        let library = |index: usize| arm.library_within(configurations[index], margin);
        match &self.gpu {
            Ok(gpu) => answer_open(&gpu.upload_angles(arm, angles)?.verdicts(margin)?.0, library),
            Err(_) => by_library(configurations.len(), library),
        }
    }
}

/// Refuses margins that are negative, infinite or NaN.
pub(crate) fn checked(margin: f64) -> Result<(), GpuError> {
    if margin >= 0.0 && margin.is_finite() { Ok(()) } else { Err(GpuError::Margin(margin)) }
}

pub(crate) fn library_within(
    pair: &OnePair,
    poses: &[PoseNumbers],
    margin: f64,
    index: usize,
) -> Result<bool, GpuError> {
    pair.library_within(&poses[index], margin).map_err(|error| GpuError::Pose { index, error })
}

fn library_gap(pair: &OnePair, poses: &[PoseNumbers], index: usize) -> Result<GapBracket, GpuError> {
    pair.library_gap(&poses[index]).map_err(|error| GpuError::Pose { index, error })
}

fn by_library<T: Send>(
    count: usize,
    answer: impl Fn(usize) -> Result<T, GpuError> + Sync + Send,
) -> Result<Answers<T>, GpuError> {
    let indices: Vec<usize> = (0..count).collect();
    let values = Batch::new(&indices).map(|&index| answer(index)).into_iter().collect::<Result<_, _>>()?;
    Ok(Answers { values, by_library: count })
}

/// The answers of verdicts, with the library's to those that are open.
pub(crate) fn answer_open(
    verdicts: &[u8],
    library: impl Fn(usize) -> Result<bool, GpuError> + Sync + Send,
) -> Result<Answers<bool>, GpuError> {
    let open: Vec<usize> = (0..verdicts.len()).filter(|&i| decided(verdicts[i]).is_none()).collect();
    let found: Vec<_> = Batch::new(&open).map(|&index| library(index)).into_iter().collect::<Result<_, _>>()?;
    let mut values: Vec<bool> = verdicts.iter().map(|&verdict| decided(verdict) == Some(true)).collect();
    for (&index, answer) in open.iter().zip(found) {
        values[index] = answer;
    }
    Ok(Answers { values, by_library: open.len() })
}
