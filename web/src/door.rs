//! How a page calls a WebAssembly module: it asks for room, writes a question there, and reads the answer where it is told.
//!
//! No block here is unsafe. The page writes only into the room that it was given, and both it and this module are on one
//! thread, so that nothing else happens while it does. What `unsafe` marks are names: no two functions may be called the same,
//! and `progress` must be what it says.

use std::sync::Mutex;

/// A question, then its answer.
static TEXT: Mutex<Vec<u8>> = Mutex::new(vec![]);

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Tells the page what part of an answer is done.
    safe fn progress(part: f64);
}

fn text() -> std::sync::MutexGuard<'static, Vec<u8>> {
    TEXT.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Room for a question of so many bytes of UTF-8.
#[unsafe(no_mangle)]
extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut text = text();
    text.clear();
    text.resize(bytes, 0);
    text.as_mut_ptr()
}

/// Answers the question. The answer has so many bytes.
#[unsafe(no_mangle)]
extern "C" fn answer() -> usize {
    let question = String::from_utf8_lossy(&std::mem::take(&mut *text())).into_owned();
    let said = crate::answer(&question, &|part| progress(part));
    *text() = said.into_bytes();
    text().len()
}

/// Where the answer lies.
#[unsafe(no_mangle)]
extern "C" fn said() -> *const u8 {
    text().as_ptr()
}
