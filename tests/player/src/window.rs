//! A window of an X server, for drivers without headless surfaces.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};

use ash::vk;

use crate::error::{Done, Error};

type Display = c_void;
type OpenDisplay = unsafe extern "C" fn(*const c_char) -> *mut Display;
type RootWindow = unsafe extern "C" fn(*mut Display) -> c_ulong;
type CreateWindow = unsafe extern "C" fn(
    *mut Display,
    c_ulong,
    c_int,
    c_int,
    c_uint,
    c_uint,
    c_uint,
    c_ulong,
    c_ulong,
) -> c_ulong;
type MapWindow = unsafe extern "C" fn(*mut Display, c_ulong) -> c_int;
type Sync = unsafe extern "C" fn(*mut Display, c_int) -> c_int;

/// A connection to an X server.
pub struct Window {
    display: *mut Display,
    root: RootWindow,
    create: CreateWindow,
    map: MapWindow,
    sync: Sync,
}

fn symbol(library: *mut c_void, name: &CStr) -> Done<*mut c_void> {
    // SAFETY: the library is open and stays so; the name ends with a zero.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    match found.is_null() {
        true => Err(Error::System(format!("libX11 lacks {}", name.to_string_lossy()))),
        false => Ok(found),
    }
}

macro_rules! function {
    ($library:expr, $name:literal as $kind:ty) => {{
        let found = symbol($library, $name)?;
        // SAFETY: libX11 documents this function with exactly this signature.
        unsafe { std::mem::transmute::<*mut c_void, $kind>(found) }
    }};
}

impl Window {
    /// Connects to the server that `DISPLAY` names.
    ///
    /// # Errors
    ///
    /// If there is none; the driver's headless surface is said to be missing then.
    pub fn open() -> Done<Self> {
        let lacks = || {
            let what = "VK_EXT_headless_surface (and there is no X display to present to)";
            Error::Lacks(vec![what.to_owned()])
        };
        // SAFETY: the initialisers of the system's libX11 have no demands.
        let library = unsafe { libc::dlopen(c"libX11.so.6".as_ptr(), libc::RTLD_NOW) };
        if library.is_null() {
            return Err(lacks());
        }
        let open = function!(library, c"XOpenDisplay" as OpenDisplay);
        // SAFETY: a null name stands for the one of the environment.
        let display = unsafe { open(std::ptr::null()) };
        if display.is_null() {
            return Err(lacks());
        }
        Ok(Self {
            display,
            root: function!(library, c"XDefaultRootWindow" as RootWindow),
            create: function!(library, c"XCreateSimpleWindow" as CreateWindow),
            map: function!(library, c"XMapWindow" as MapWindow),
            sync: function!(library, c"XSync" as Sync),
        })
    }

    /// Shows a window of this size; returns the display and the window. The connection stays open
    /// until the program ends, as drivers use it when they destroy what they made with it.
    pub fn show(&self, extent: vk::Extent2D) -> (*mut c_void, c_ulong) {
        // SAFETY: the display is open.
        let root = unsafe { (self.root)(self.display) };
        let (width, height) = (extent.width.max(1), extent.height.max(1));
        // SAFETY: the display is open and the root window is its own.
        let window = unsafe { (self.create)(self.display, root, 0, 0, width, height, 0, 0, 0) };
        // SAFETY: the window was just made on this display.
        unsafe { (self.map)(self.display, window) };
        // SAFETY: the display is open.
        unsafe { (self.sync)(self.display, 0) };
        (self.display, window)
    }
}
