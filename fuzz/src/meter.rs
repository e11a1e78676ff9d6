//! How much memory a call asks for. Also included by `crates/strat/tests/memory.rs`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes that this thread holds since it was last asked, and the most it has held.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn note(change: isize) {
    let (now, most) = HELD.get();
    HELD.set((now + change, most.max(now + change)));
}

/// The system's allocator, counting. A block that grows counts as what it grows by.
pub struct Meter;

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(ptr, layout, size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Meter = Meter;

/// What a call returns, and the most bytes that it held at a time, what it returns included.
pub fn most_held<T>(call: impl FnOnce() -> T) -> (T, usize) {
    HELD.set((0, 0));
    let result = call();
    (result, HELD.get().1 as usize)
}

/// Reads a file of so many bytes.
///
/// # Panics
/// If that holds more than twice the file's bytes and `fixed`, which every file may need.
pub fn bounded<T>(bytes: usize, fixed: usize, read: impl FnOnce() -> T) -> T {
    let (result, held) = most_held(read);
    assert!(held <= 2 * bytes + fixed, "{held} bytes held for a file of {bytes}: more than twice that and {fixed}");
    result
}
