//! Entry points: how they are written, logged, made to fail and found by name.

use std::fs::File;
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use ash::vk;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::config::config;

/// Any entry point; the caller turns it back into its real type.
pub type Address = unsafe extern "system" fn();

/// What the first parameter of a function is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Global,
    Instance,
    Physical,
    Device,
}

/// What makes a function available.
#[derive(Clone, Copy)]
pub enum Need {
    /// A version of the core, as `vk::API_VERSION_*`.
    Core(u32),
    /// One of these extensions, parted by spaces.
    Extension(&'static str),
}

pub const V1_0: Need = Need::Core(vk::API_VERSION_1_0);
pub const V1_1: Need = Need::Core(vk::API_VERSION_1_1);
pub const V1_2: Need = Need::Core(vk::API_VERSION_1_2);
pub const V1_3: Need = Need::Core(vk::API_VERSION_1_3);
pub const V1_4: Need = Need::Core(vk::make_api_version(0, 1, 4, 0));

/// A row of the tables.
pub struct Entry {
    pub name: &'static str,
    pub level: Level,
    pub need: Need,
    pub address: Address,
}

impl Need {
    /// Whether the core version and the extensions of an instance or device offer it.
    pub fn met(self, version: u32, enabled: impl Fn(&str) -> bool) -> bool {
        match self {
            Need::Core(since) => version >= since,
            Need::Extension(names) => names.split(' ').any(enabled),
        }
    }
}

/// The row of a function.
pub fn find(name: &str) -> Option<&'static Entry> {
    static ROWS: LazyLock<FxHashMap<&str, &Entry>> = LazyLock::new(|| {
        crate::TABLES.iter().flat_map(|table| table.iter()).map(|row| (row.name, row)).collect()
    });
    ROWS.get(name).copied()
}

/// What an entry point returns, as far as the log and the error injection care.
pub trait Outcome {
    /// The result to log.
    fn result(&self) -> vk::Result {
        vk::Result::SUCCESS
    }
    /// The value that stands for an injected result, if the function returns results at all.
    fn injected(_: vk::Result) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

impl Outcome for () {}
impl Outcome for u32 {}
impl Outcome for u64 {}
impl Outcome for vk::PFN_vkVoidFunction {}
impl Outcome for vk::Result {
    fn result(&self) -> vk::Result {
        *self
    }
    fn injected(result: vk::Result) -> Option<Self> {
        Some(result)
    }
}

/// One entry point's counter of calls.
pub struct Site {
    name: &'static str,
    calls: AtomicU32,
}

impl Site {
    pub const fn new(name: &'static str) -> Self {
        Site { name, calls: AtomicU32::new(0) }
    }

    /// Runs `body`, or `clear` if this call is to fail, and logs it.
    pub fn call<R: Outcome>(&self, body: impl FnOnce() -> R, clear: impl FnOnce()) -> R {
        let config = config();
        if config.quiet {
            return body();
        }
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let wanted = config.error(self.name, call).map(|r| (r, R::injected(r)));
        let outcome = match wanted {
            // An error happens instead of the work, a success code (VK_SUBOPTIMAL_KHR) after it.
            Some((result, Some(value))) if result.as_raw() < 0 => {
                clear();
                value
            }
            Some((_, Some(value))) => {
                body();
                value
            }
            Some((_, None)) => {
                if call == 1 {
                    eprintln!("tilelint-null: errors: {} returns no VkResult", self.name);
                }
                body()
            }
            None => body(),
        };
        if let Some(path) = &config.log {
            log(path, self.name, outcome.result());
        }
        outcome
    }
}

fn log(path: &str, name: &str, result: vk::Result) {
    static FILE: Mutex<Option<File>> = Mutex::new(None);
    let mut file = FILE.lock();
    if file.is_none() {
        match File::options().create(true).append(true).open(path) {
            Ok(opened) => *file = Some(opened),
            Err(e) => return eprintln!("tilelint-null: {path}: {e}"),
        }
    }
    let line = match result {
        vk::Result::SUCCESS => format!("{name} ok\n"),
        other => format!("{name} {other:?}\n"),
    };
    if let Some(Err(e)) = file.as_mut().map(|f| f.write_all(line.as_bytes())) {
        eprintln!("tilelint-null: {path}: {e}");
    }
}

/// Writes entry points: `fn name | alias (parameters) -> type { body }`. Parameters are references
/// where C has pointers to one structure: the same ABI, and valid usage promises them. The block
/// after `else` runs instead when an error is injected, for results that must be cleared then.
macro_rules! entries {
    ($(
        fn $name:ident $(| $alias:ident)* ($($arg:tt: $ty:ty),* $(,)?) $(-> $ret:ty)? {
            $($body:tt)*
        } $(else { $($clear:tt)* })?
    )+) => {
        $($crate::entry::entries! {
            @each [$name $($alias)*] ($($arg: $ty),*) [$($ret)?] { $($body)* } {
                $($($clear)*)?
            }
        })+
    };
    (@each [$($name:ident)+] $args:tt $ret:tt $body:tt $clear:tt) => {
        $($crate::entry::entries!(@one $name $args $ret $body $clear);)+
    };
    (@one $name:ident ($($arg:tt: $ty:ty),*) [$($ret:ty)?] $body:tt $clear:tt) => {
        pub extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
            static SITE: $crate::entry::Site = $crate::entry::Site::new(stringify!($name));
            SITE.call(|| $(-> $ret)? $body, || $clear)
        }
    };
}
pub(crate) use entries;

/// Rows for entry points: `LEVEL NEED { names }`.
macro_rules! table {
    ($($level:ident ($need:expr) { $($name:ident)* })+) => {
        pub static TABLE: &[$crate::entry::Entry] = &[$($($crate::entry::Entry {
            name: stringify!($name),
            level: $crate::entry::Level::$level,
            need: $need,
            // SAFETY: a function pointer stays one; whoever calls it restores its own type.
            address: unsafe {
                std::mem::transmute::<*const (), $crate::entry::Address>($name as *const ())
            },
        },)*)+];
    };
}
pub(crate) use table;

/// Entry points that only return, with their rows. They name no parameters: in the C calling
/// conventions of 64-bit systems the caller alone knows of the arguments.
macro_rules! idle {
    ($ret:ty, $value:expr; $($level:ident ($need:expr) { $($name:ident)* })+) => {
        $($($crate::entry::entries!(fn $name() -> $ret { $value });)*)+
        $crate::entry::table!($($level ($need) { $($name)* })+);
    };
}
pub(crate) use idle;

/// Pairs of entry points for objects without a state: `create destroy: CreateInfo => Handle`.
macro_rules! objects {
    ($(
        $create:ident $(| $create_alias:ident)*, $destroy:ident $(| $destroy_alias:ident)*:
        $info:ident => $handle:ident
    )+) => {
        $($crate::entry::entries! {
            fn $create $(| $create_alias)* (
                device: &$crate::device::Device, _info: &ash::vk::$info<'_>, _alloc: $crate::Alloc,
                out: $crate::raw::Out<ash::vk::$handle>,
            ) -> ash::vk::Result {
                out.set(device.new_handle());
                ash::vk::Result::SUCCESS
            }
            fn $destroy $(| $destroy_alias)* (
                device: &$crate::device::Device, object: ash::vk::$handle, _alloc: $crate::Alloc,
            ) {
                device.free_handle(object);
            }
        })+
    };
}
pub(crate) use objects;
