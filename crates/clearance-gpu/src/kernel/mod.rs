//! The arithmetic of the kernels: one source, compiled for the CPU as part of this crate and for the GPU by `ptx`.
//!
//! **Same bits on both.** The code uses `+`, `-`, `*`, `/` and square roots of `f32`, comparisons and selections, and nothing else. The compiler
//! fuses and reorders none of them, and PTX has the rounding mode in each instruction (`add.rn`, `mul.rn`, `div.rn`, `sqrt.rn`), so the driver may
//! not fuse them either. Subnormal numbers are kept on both sides.
//!
//! **No panic.** Device code has no one to catch it: slices are read through iterators or [`Points::point`](vector::Points::point), which has a default.
//!
//! | module | content |
//! |---|---|
//! | `vector` | vectors and rotation matrices |
//! | `arm` | a chain of joints: forward kinematics, and its capsules among obstacles |
//! | `bounds` | the error bounds and their proofs |
//! | `boxes` | two boxes by the fifteen separating axes |
//! | `simplex` | the nearest point of a simplex, and what it proves |
//! | `table` | pairs out of many bodies |
//! | `search` | GJK: yes/no within a distance, and the bracket of a gap |

pub mod arm;
pub mod bounds;
pub mod boxes;
pub mod search;
pub mod simplex;
pub mod table;
pub mod vector;

/// Verdicts: proofs of a kernel about a query, as bytes.
pub mod verdict {
    /// The gap exceeds the margin. Layout: a byte that kernels write and the host reads.
    pub const APART: u8 = 0;
    /// The gap is at most the margin; with margin zero the shapes share a point. Layout: as above.
    pub const WITHIN: u8 = 1;
    /// Neither is proved: the library decides. Layout: as above.
    pub const OPEN: u8 = 2;
}
