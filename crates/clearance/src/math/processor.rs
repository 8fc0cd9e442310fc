//! Code for the processor that is there, not for the oldest one it could be.

use fearless_simd::{Level, Simd};

/// Calls `code`, which is compiled twice on x86: once for every processor, and once for those with AVX2. The machine is queried once.
/// Instructions of AVX have three operands, so that fewer moves between registers are needed.
///
/// Answers are the same to the bit: no operation is fused or put in another order.
///
/// Only what is inlined is compiled twice. So the closure is `#[inline(always)]`, as is what counts of what it calls, and
/// what it calls often without being inlined has a `multiversioned` of its own.
#[inline(always)]
pub fn multiversioned<R>(code: impl FnOnce() -> R) -> R {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = Level::new().as_avx2() {
        return avx2.vectorize(code);
    }
    plain(code)
}

/// Not a part of its caller, which is short without it.
#[cfg_attr(any(target_arch = "x86", target_arch = "x86_64"), inline(never))]
#[cfg_attr(not(any(target_arch = "x86", target_arch = "x86_64")), inline(always))]
fn plain<R>(code: impl FnOnce() -> R) -> R {
    code()
}

/// Operations on four doubles at a time. The `f64x4` of `wide` is two registers of two whatever processor is there, that of
/// `fearless_simd` is one with AVX2; it needs to know which processor it is compiled for.
pub(crate) trait Vectorized {
    type Answer;

    /// To be `#[inline(always)]`, as is what counts of what it calls.
    fn run<S: Simd>(self, simd: S) -> Self::Answer;
}

/// As [`multiversioned`], for what needs to know the processor.
#[inline(always)]
pub(crate) fn vectorized<W: Vectorized>(work: W) -> W::Answer {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = Level::new().as_avx2() {
        return avx2.vectorize(
            #[inline(always)]
            || work.run(avx2),
        );
    }
    plain_vectors(work)
}

#[cfg_attr(any(target_arch = "x86", target_arch = "x86_64"), inline(never))]
#[cfg_attr(not(any(target_arch = "x86", target_arch = "x86_64")), inline(always))]
fn plain_vectors<W: Vectorized>(work: W) -> W::Answer {
    // (Features of every processor of the target: one of the arms is left.)
    fearless_simd::dispatch!(Level::baseline(), simd => work.run(simd))
}
