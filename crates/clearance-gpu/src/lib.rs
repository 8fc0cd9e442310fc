//! Batches of proximity queries on a CUDA device, with the answers of the library.
//!
//! ```
//! use clearance::Shape;
//! use clearance_gpu::{Batches, OnePair};
//!
//! let batches = Batches::open();          // a device, or the CPU if there is none: `describe` says which
//! let pair = OnePair::new(&Shape::cuboid([1.0, 1.0, 1.0])?, &Shape::sphere(0.5)?);
//! let poses: Vec<[f32; 7]> = (0..100).map(|i| [0.0301 * i as f32, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]).collect();
//! let answers = batches.intersects(&pair, &poses)?;
//! assert_eq!(answers.values.iter().filter(|meets| **meets).count(), 50);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **The promise.** Every answer is the library's: [`intersects`](clearance::intersects), [`within`](fn@clearance::within), or a bracket that holds
//! [`distance`](fn@clearance::distance). A kernel computes in single precision and answers only what its error bound proves; the library answers the
//! rest, and [`Answers::by_library`] counts it. The bounds and their proofs are in [`kernel::bounds`] and [`kernel::arm`].
//!
//! | queries | type | kernel | answers |
//! |---|---|---|---|
//! | one pair at many poses of B in the frame of A | [`OnePair`] | fifteen axes for two boxes, else GJK on cores | yes/no, within a margin, bracket of the gap |
//! | pairs out of many bodies in world coordinates | [`Bodies`] | GJK on cores | yes/no, within a margin |
//! | a chain of up to 8 joints with capsules, among capsules and balls | [`Arm`] | forward kinematics in doubles, segments | yes/no, within a margin |
//!
//! **Poses** are seven numbers in single precision, translation x, y, z and quaternion x, y, z, w, which are taken as they are: the rotation is that of the
//! quaternion made a unit. Translations of two bodies are subtracted first, so that offsets of 1e6 cost no more than the rounding they came with.
//!
//! **Shapes** that the kernels know are cores with a radius: hulls of at most 1024 vertices, boxes, triangles, segments, points, rounded or not. They are rounded
//! to single precision in a unit near their size. Queries about other shapes go to the library.
//!
//! **One source.** The arithmetic is in [`kernel`], safe Rust without the standard library. This crate compiles it for the CPU, which tests use; the crate in `ptx` compiles it with
//! entry points for `nvptx64-nvidia-cuda`. Neither compiler nor driver fuses or reorders its operations, so both have the same bits.
//! `cargo xtask ptx` writes `src/kernels.ptx`, and `cargo xtask test` checks that it was made from these sources.
//!
//! **The driver** is loaded at run time. Without one, or without a device, [`Batches`] runs on the CPU and says so in one sentence. All unsafe code of the host is in `launch.rs`.
//!
//! **Memory.** [`Gpu::upload`] keeps poses on the device, and verdicts stay there until they are wanted. [`Gpu::within_into`] streams host memory in pieces; memory from
//! [`Gpu::pinned_poses`] goes over the bus at full rate.

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
