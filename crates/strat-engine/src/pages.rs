//! Memory for matrices, on large pages where the system has them.
//!
//! A learner's activations are tens of megabytes, read once forward and once backward: on pages of 4 KB the core waits
//! for page tables, and its prefetcher stops at every page.

use std::collections::TryReserveError;

/// So many copies of `x`, if there is memory for them.
pub(crate) fn filled<T: Copy>(x: T, len: usize) -> Result<Vec<T>, TryReserveError> {
    let mut v = Vec::new();
    v.try_reserve_exact(len)?;
    // Before the first touch, which fixes the size of a page.
    advise(v.as_ptr() as usize, len * size_of::<T>());
    v.resize(len, x);
    Ok(v)
}

/// Asks for large pages for the whole ones in a range; that it may be refused does not matter.
#[cfg(target_os = "linux")]
fn advise(start: usize, len: usize) {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }
    const LARGE: usize = 2 << 20;
    const MADV_HUGEPAGE: c_int = 14;
    let (first, end) = (start.next_multiple_of(LARGE), (start + len) / LARGE * LARGE);
    if first < end {
        // SAFETY: the range is within memory that the caller has reserved, and the advice changes nothing but the size
        // of its pages.
        unsafe { madvise(first as *mut c_void, end - first, MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: usize, _len: usize) {}
