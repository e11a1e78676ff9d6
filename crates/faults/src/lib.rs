//! Makes file system calls fail, for tests. Loaded into a program with `LD_PRELOAD`, it stands before the C library's
//! functions and counts those that open or change something below one folder; the one of a given number
//! fails, or is the moment of a signal.
//!
//! | variable | |
//! |---|---|
//! | `FAULTS_UNDER` | the folder, an absolute path without links; without it nothing is counted |
//! | `FAULTS_LOG` | a file that gets a line per call: number, name, bytes to be written, path |
//! | `FAULTS_AT` | the call's number, from 1 |
//! | `FAULTS_DO` | the error's number; or `kill`, or `term` and a stall of so many milliseconds, as in `term:500` |
//! | `FAULTS_ON` | if set, all later calls fail too |
//!
//! Of a `write` that fails for lack of space (`ENOSPC`), half is written before. The calls themselves are made with
//! `syscall`, so nothing here allocates, and no function that stands for another calls itself.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![allow(missing_docs, clippy::missing_safety_doc)] // the functions are the C library's

use libc::{c_char, c_int, c_long, c_uint, c_void, mode_t, off_t, size_t, ssize_t};
use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

static COUNT: AtomicU64 = AtomicU64::new(0);

/// Longest path that is looked at; a longer one is outside of the folder.
const LONGEST: usize = 4096;

fn variable(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: the name ends in a zero; nobody changes the environment of a program under test.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    // SAFETY: the environment's texts end in a zero and stay.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) }.to_bytes())
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A path in a place of its own.
struct Path {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Path {
    fn push(&mut self, more: &[u8]) {
        let room = &mut self.bytes[self.length..];
        let count = more.len().min(room.len());
        room[..count].copy_from_slice(&more[..count]);
        self.length += count;
    }

    /// The file or folder that is open.
    fn of_open(file: c_int) -> Path {
        let mut link = Path { bytes: [0; LONGEST], length: 0 };
        link.push(b"/proc/self/fd/");
        let mut digits = [0; 10];
        let mut rest = file.max(0);
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        link.push(&digits[first..]);
        let mut path = Path { bytes: [0; LONGEST], length: 0 };
        // SAFETY: `link` ends in a zero, having been filled with them; at most `LONGEST` bytes are written.
        let length = unsafe {
            libc::syscall(
                libc::SYS_readlinkat,
                libc::AT_FDCWD,
                link.bytes.as_ptr(),
                path.bytes.as_mut_ptr(),
                LONGEST,
            )
        };
        path.length = usize::try_from(length).unwrap_or(0);
        path
    }

    /// A path as it was given, beside an open folder.
    unsafe fn of_name(folder: c_int, name: *const c_char) -> Path {
        // SAFETY: the caller gave a text that ends in a zero.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        let mut path = Path { bytes: [0; LONGEST], length: 0 };
        if !name.starts_with(b"/") && folder != libc::AT_FDCWD {
            path = Path::of_open(folder);
            path.push(b"/");
        }
        path.push(name);
        path
    }

    fn get(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Counts a call, and says with which error it fails, if it does.
fn fault(name: &str, path: &Path, size: usize) -> Option<c_int> {
    let rest = path.get().strip_prefix(variable(c"FAULTS_UNDER")?)?;
    if !(rest.is_empty() || rest.starts_with(b"/")) {
        return None;
    }
    let call = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    log(call, name, size, path);
    let at = number(variable(c"FAULTS_AT")?)?;
    let on = variable(c"FAULTS_ON").is_some();
    if !(call == at || on && call > at) {
        return None;
    }
    let act = variable(c"FAULTS_DO")?;
    let signal = |signal: c_int| {
        // SAFETY: a signal to ourselves.
        unsafe { libc::syscall(libc::SYS_kill, libc::getpid(), signal) }
    };
    if act == b"kill" {
        signal(libc::SIGKILL);
    }
    if let Some(stall) = act.strip_prefix(b"term:") {
        signal(libc::SIGTERM);
        let ms = number(stall).unwrap_or(0);
        let time = libc::timespec { tv_sec: (ms / 1000) as _, tv_nsec: (ms % 1000 * 1_000_000) as _ };
        // SAFETY: the time is ours, and what would be left of it is not asked for.
        unsafe { libc::nanosleep(&time, std::ptr::null_mut()) };
    }
    number(act).map(|error| error as c_int)
}

/// A line about a call.
fn log(call: u64, name: &str, size: usize, path: &Path) {
    use std::io::Write;
    let Some(file) = variable(c"FAULTS_LOG") else { return };
    let mut line = [0; LONGEST + 64];
    let mut rest = &mut line[..];
    let _ = write!(rest, "{call} {name} {size} ");
    let _ = rest.write_all(path.get());
    let _ = rest.write_all(b"\n");
    let length = LONGEST + 64 - rest.len();
    // SAFETY: the variable's text ends in a zero, the line is as long as is said, and the file is closed again.
    unsafe {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
        let file = libc::syscall(libc::SYS_openat, libc::AT_FDCWD, file.as_ptr(), flags, 0o600);
        libc::syscall(libc::SYS_write, file, line.as_ptr(), length);
        libc::syscall(libc::SYS_close, file);
    }
}

/// Says no, as the C library does.
fn no(error: c_int) -> c_long {
    // SAFETY: this thread's own error.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// A function of the C library that takes what a system call takes: counted, then failed or made.
macro_rules! stand_in {
    ($name:ident($($arg:ident: $kind:ty),*) -> $out:ty, $path:expr, $size:expr, $($call:expr),+) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $kind),*) -> $out {
            // SAFETY: what is given is what the caller gives to the C library, and goes to the same call.
            unsafe {
                match fault(stringify!($name), &$path, $size) {
                    Some(error) => no(error) as $out,
                    None => libc::syscall($($call),+) as $out,
                }
            }
        }
    };
}

const HERE: c_int = libc::AT_FDCWD;
const NONE: usize = 0;

stand_in!(open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
    Path::of_name(HERE, path), NONE, libc::SYS_openat, HERE, path, flags, mode);
stand_in!(open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
    Path::of_name(HERE, path), NONE, libc::SYS_openat, HERE, path, flags, mode);
stand_in!(openat(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
    Path::of_name(folder, path), NONE, libc::SYS_openat, folder, path, flags, mode);
stand_in!(openat64(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
    Path::of_name(folder, path), NONE, libc::SYS_openat, folder, path, flags, mode);
stand_in!(fsync(file: c_int) -> c_int, Path::of_open(file), NONE, libc::SYS_fsync, file);
stand_in!(fdatasync(file: c_int) -> c_int, Path::of_open(file), NONE, libc::SYS_fdatasync, file);
stand_in!(ftruncate(file: c_int, length: off_t) -> c_int,
    Path::of_open(file), NONE, libc::SYS_ftruncate, file, length);
stand_in!(ftruncate64(file: c_int, length: off_t) -> c_int,
    Path::of_open(file), NONE, libc::SYS_ftruncate, file, length);
stand_in!(fchmod(file: c_int, mode: mode_t) -> c_int, Path::of_open(file), NONE, libc::SYS_fchmod, file, mode);
stand_in!(rename(from: *const c_char, to: *const c_char) -> c_int,
    Path::of_name(HERE, to), NONE, libc::SYS_renameat2, HERE, from, HERE, to, 0);
stand_in!(renameat(a: c_int, from: *const c_char, b: c_int, to: *const c_char) -> c_int,
    Path::of_name(b, to), NONE, libc::SYS_renameat2, a, from, b, to, 0);
stand_in!(unlink(path: *const c_char) -> c_int,
    Path::of_name(HERE, path), NONE, libc::SYS_unlinkat, HERE, path, 0);
stand_in!(unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int,
    Path::of_name(folder, path), NONE, libc::SYS_unlinkat, folder, path, flags);
stand_in!(rmdir(path: *const c_char) -> c_int,
    Path::of_name(HERE, path), NONE, libc::SYS_unlinkat, HERE, path, libc::AT_REMOVEDIR);
stand_in!(mkdir(path: *const c_char, mode: mode_t) -> c_int,
    Path::of_name(HERE, path), NONE, libc::SYS_mkdirat, HERE, path, mode);
stand_in!(mkdirat(folder: c_int, path: *const c_char, mode: mode_t) -> c_int,
    Path::of_name(folder, path), NONE, libc::SYS_mkdirat, folder, path, mode);
stand_in!(writev(file: c_int, parts: *const libc::iovec, count: c_int) -> ssize_t,
    Path::of_open(file), NONE, libc::SYS_writev, file, parts, count);
stand_in!(pwrite64(file: c_int, bytes: *const c_void, count: size_t, at: off_t) -> ssize_t,
    Path::of_open(file), count, libc::SYS_pwrite64, file, bytes, count, at);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(file: c_int, bytes: *const c_void, count: size_t) -> ssize_t {
    let error = fault("write", &Path::of_open(file), count);
    // SAFETY: what is given is what the caller gives to the C library; a part of it is as good as the whole.
    unsafe {
        match error {
            Some(error) => {
                if error == libc::ENOSPC {
                    libc::syscall(libc::SYS_write, file, bytes, count / 2);
                }
                no(error) as ssize_t
            }
            None => libc::syscall(libc::SYS_write, file, bytes, count) as ssize_t,
        }
    }
}
