//! Batches of proximity queries on a CUDA device, with the answers of the library.

mod arm;
mod batches;
mod error;
mod gpu;
pub mod kernel;
mod launch;
mod open;
mod queries;
mod tables;
mod tuning;

pub use arm::{Arm, Joint};
pub use batches::{Answers, Batches};
pub use error::GpuError;
pub use gpu::{DeviceAngles, DeviceGaps, DevicePairs, DevicePoses, DeviceVerdicts, Gpu, Pinned};
pub use kernel::vector::PoseNumbers;
pub use queries::{Bodies, GapBracket, OnePair, decided};

/// Queries of one call. Limit: kernels number queries with 32 bits, and the last block may have more threads than queries.
pub const MAX_QUERIES: usize = 1 << 31;
