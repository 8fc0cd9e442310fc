//! Code for the processor that is there, not for the oldest one it could be.

/// Calls `code`, which is compiled twice on x86: once for every processor, and once for those with AVX2, which the machine is
/// asked for once. Instructions of AVX have three operands, so that fewer moves between registers are needed.
///
/// Answers are the same to the bit: no operation is fused or put in another order.
///
/// Only what is inlined is compiled twice. So the closure is `#[inline(always)]`, as is what counts of what it calls, and
/// what it calls often without being inlined has a `multiversioned` of its own.
#[inline(always)]
pub(crate) fn multiversioned<R>(code: impl FnOnce() -> R) -> R {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = fearless_simd::Level::new().as_avx2() {
        return fearless_simd::Simd::vectorize(avx2, code);
    }
    plain(code)
}

/// Not a part of its caller, which is short without it.
#[cfg_attr(any(target_arch = "x86", target_arch = "x86_64"), inline(never))]
#[cfg_attr(not(any(target_arch = "x86", target_arch = "x86_64")), inline(always))]
fn plain<R>(code: impl FnOnce() -> R) -> R {
    code()
}
