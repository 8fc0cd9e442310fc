//! Queries that a kernel leaves open: read from the device, answered by the library, written back.

use crate::error::GpuError;
use crate::gpu::DevicePoses;
use crate::kernel::vector::PoseNumbers;
use crate::launch::{Buffer, OpenQueries, Stream};
use clearance::{Batch, BuildError};

/// The numbers of the open queries, on the device and in host memory. Their order differs from run to run, which no answer shows.
pub(crate) struct OpenList {
    on_device: Buffer<u32>,
    indices: Vec<u32>,
}

impl OpenList {
    /// The list of a kernel. A list that overflowed is made again by `all`.
    pub fn read(
        stream: &Stream<'_>,
        open: OpenQueries,
        all: impl FnOnce() -> Result<Vec<usize>, GpuError>,
    ) -> Result<Self, GpuError> {
        let mut count = [0];
        stream.download(&open.count.slice(..), &mut count)?;
        stream.wait()?;
        let count = count[0] as usize;
        if count > open.list.len() {
            return Self::of(stream, all()?);
        }
        let mut indices = vec![0; count];
        if count > 0 {
            stream.download(&open.list.slice(..count), &mut indices)?;
            stream.wait()?;
        }
        Ok(Self { on_device: open.list, indices })
    }

    /// These queries.
    pub fn of(stream: &Stream<'_>, list: Vec<usize>) -> Result<Self, GpuError> {
        let indices: Vec<u32> = list.into_iter().map(|index| index as u32).collect();
        let on_device = stream.upload(&indices)?;
        stream.wait()?;
        Ok(Self { on_device, indices })
    }

    /// The library's answers, in the order of the list. Of several poses that are refused the first is named.
    pub fn answers<T: Send>(
        &self,
        stream: &Stream<'_>,
        poses: &DevicePoses<'_>,
        answer: impl Fn(&PoseNumbers) -> Result<T, BuildError> + Sync + Send,
    ) -> Result<Vec<T>, GpuError> {
        if self.indices.is_empty() {
            return Ok(Vec::new());
        }
        let numbers = stream.gather(&poses.view(), &self.on_device, self.indices.len() as u32)?;
        let found = Batch::new(&numbers).map(answer);
        let refused =
            found.iter().zip(&self.indices).filter_map(|(found, &index)| Some((index, found.as_ref().err()?)));
        if let Some((index, error)) = refused.min_by_key(|&(index, _)| index) {
            return Err(GpuError::Pose { index: index as usize, error: error.clone() });
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Writes verdicts to the device, in the order of the list.
    pub fn scatter_verdicts(&self, stream: &Stream<'_>, found: &[u8], into: &mut Buffer<u8>) -> Result<(), GpuError> {
        if found.is_empty() { Ok(()) } else { stream.scatter_verdicts(&self.on_device, found, into) }
    }

    /// Writes brackets to the device, two numbers each, in the order of the list.
    pub fn scatter_gaps(&self, stream: &Stream<'_>, found: &[f32], into: &mut Buffer<f32>) -> Result<(), GpuError> {
        if found.is_empty() { Ok(()) } else { stream.scatter_gaps(&self.on_device, found, into) }
    }
}
