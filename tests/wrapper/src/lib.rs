//! A Vulkan driver (ICD) that is another driver with `VK_EXT_headless_surface` of its own, for
//! tests: nothing is shown, and the images of a swapchain come in turn, as listings have them. The
//! memory types are a tiler's, and destroying waits until nothing runs.
//!
//! The variable `WRAPPER_DRIVER` names the library of the other driver. All other
//! calls are its own, and so are all objects but surfaces and swapchains.

// Vulkan's own names.
#![allow(non_snake_case)]

mod destroy;
mod instance;
mod memory;
mod swapchain;

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use ash::vk;

/// The allocation callbacks that creating and destroying take.
type Alloc<'a> = *const vk::AllocationCallbacks<'a>;

type Negotiate = unsafe extern "system" fn(*mut u32) -> vk::Result;

/// The other driver.
struct Inner {
    negotiate: Negotiate,
    instance_proc: vk::PFN_vkGetInstanceProcAddr,
    physical_proc: Option<vk::PFN_vkGetInstanceProcAddr>,
}

/// The other driver, opened at the first call.
fn inner() -> Option<&'static Inner> {
    static INNER: OnceLock<Option<Inner>> = OnceLock::new();
    INNER.get_or_init(open).as_ref()
}

fn open() -> Option<Inner> {
    let path = std::env::var_os("WRAPPER_DRIVER")?;
    let path = CString::new(path.as_bytes()).ok()?;
    // SAFETY: the initialisers of a Vulkan driver have no demands.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        eprintln!("tilelint-wrapper: cannot open {}", path.to_string_lossy());
        return None;
    }
    let find = |name: &CStr| {
        // SAFETY: the library is open and stays so; the name ends with a zero.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    };
    let get = |name: &CStr| {
        let found = find(name)?;
        // SAFETY: the interface of loader and driver gives the functions asked for this signature.
        Some(unsafe { std::mem::transmute::<*mut c_void, vk::PFN_vkGetInstanceProcAddr>(found) })
    };
    let negotiate = find(c"vk_icdNegotiateLoaderICDInterfaceVersion")?;
    Some(Inner {
        // SAFETY: the interface of loader and driver gives this function this signature.
        negotiate: unsafe { std::mem::transmute::<*mut c_void, Negotiate>(negotiate) },
        instance_proc: get(c"vk_icdGetInstanceProcAddr")?,
        physical_proc: get(c"vk_icdGetPhysicalDeviceProcAddr"),
    })
}

/// A function of the other driver.
fn inner_proc(instance: vk::Instance, name: &CStr) -> vk::PFN_vkVoidFunction {
    let get = inner()?.instance_proc;
    // SAFETY: the handle is null or the loader's own, and the name ends with a zero.
    unsafe { get(instance, name.as_ptr()) }
}

/// A function as the loader takes it.
macro_rules! void {
    ($function:path as $kind:ty) => {{
        let function: $kind = $function;
        // SAFETY: whoever asks for a function by its name calls it with that name's signature.
        Some(unsafe { std::mem::transmute::<$kind, unsafe extern "system" fn()>(function) })
    }};
}
pub(crate) use void;

/// The name that a caller asks for.
///
/// # Safety
///
/// It ends with a zero and lives as long as it is used.
unsafe fn asked<'n>(name: *const c_char) -> &'n CStr {
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(name) }
}

/// The loader's first call: agrees on the version of the interface.
///
/// # Safety
///
/// `version` is the loader's.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(
    version: *mut u32,
) -> vk::Result {
    let Some(inner) = inner() else { return vk::Result::ERROR_INCOMPATIBLE_DRIVER };
    // SAFETY: passed on as it came.
    unsafe { (inner.negotiate)(version) }
}

/// The loader's way to every function.
///
/// # Safety
///
/// As `vkGetInstanceProcAddr` demands.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader's names end with a zero.
    let name = unsafe { asked(name) };
    let own = instance::own(name).or_else(|| swapchain::own(name));
    own.or_else(|| inner_proc(instance, name))
}

/// Functions whose first parameter is a physical device, and no others.
///
/// # Safety
///
/// As `vkGetInstanceProcAddr` demands.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader's names end with a zero.
    let asked = unsafe { asked(name) };
    let own = instance::of_physical_device(asked);
    own.or_else(|| {
        let get = inner()?.physical_proc?;
        // SAFETY: passed on as it came.
        unsafe { get(instance, name) }
    })
}
