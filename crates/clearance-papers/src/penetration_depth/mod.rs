//! Penetration depth: Y. J. Kim, M. A. Otaduy, M. C. Lin, D. Manocha, *Fast Penetration Depth Computation for Physically-based
//! Animation*, 2002.
//!
//! * [`image_space`]: sections 4 and 5, the estimate from depth buffers.
//! * [`benchmarks`]: tables 2 and 3. The estimate of the image-space pipeline level by level, and its cost.
//! * [`simulations`]: figures 9 and 10, in penalty mode of `clearance-sim`.

pub mod benchmarks;
pub mod glyphs;
pub mod image_space;
pub mod poses;
mod rows;
pub mod simulations;

pub use rows::experiments;
