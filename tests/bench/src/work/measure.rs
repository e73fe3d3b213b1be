//! Clocks and counters of this process.

use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};

/// The least and the middle of many measurements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// The middle one.
    pub median: f64,
}

impl Spread {
    /// Of nothing it is 0.
    pub fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        match values.len() {
            0 => Spread::default(),
            n => Spread { min: values[0], median: values[n / 2] },
        }
    }

    /// Both, of one of `n` units.
    pub fn json(self, n: usize) -> Value {
        json!({"min": self.min / n as f64, "median": self.median / n as f64})
    }
}

/// Nanoseconds that `body` takes.
pub fn time(body: impl FnOnce()) -> f64 {
    let start = Instant::now();
    body();
    start.elapsed().as_nanos() as f64
}

/// Nanoseconds that this thread was busy so far: without what it waited.
pub fn busy_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place can be written.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0, "every thread has this clock");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The function whose instructions an outside counter counts, with all that it calls.
#[inline(never)]
pub fn counted(body: &mut dyn FnMut()) {
    body();
    // No tail call: the counter sees this function end.
    black_box(());
}

/// A line of `/proc/self/status`, in KiB: `VmHWM` is the peak, `VmRSS` what is resident now.
pub fn status_kib(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

/// Nanoseconds that threads of this name have run on a processor.
pub fn thread_ns(name: &str) -> u64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return 0 };
    let read = |task: &std::path::Path, file: &str| {
        std::fs::read_to_string(task.join(file)).unwrap_or_default()
    };
    let mine = tasks.flatten().map(|task| task.path()).filter(|t| read(t, "comm").trim() == name);
    mine.filter_map(|t| read(&t, "schedstat").split_whitespace().next()?.parse::<u64>().ok()).sum()
}

/// The file name of the library that holds a function.
pub fn library_of(function: *const std::ffi::c_void) -> Option<String> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the place can be written.
    let found = unsafe { libc::dladdr(function, info.as_mut_ptr()) };
    // SAFETY: all its members may be zero.
    let info = unsafe { info.assume_init() };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the linker's own C string.
    let path = unsafe { std::ffi::CStr::from_ptr(info.dli_fname) };
    let path = std::path::Path::new(path.to_str().ok()?);
    Some(path.file_name()?.to_string_lossy().into_owned())
}
