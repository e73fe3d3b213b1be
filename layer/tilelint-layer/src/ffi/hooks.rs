//! The shape of an intercepted function, as macros: call down, look, return; or where nothing is
//! returned and every instruction counts, look and jump down.
//!
//! The functions of one command differ only in the next function that they call, so each macro
//! takes the names that share a body: a core command and its aliases. The body sees its device
//! and, for `vkCmd*`, the command buffer's recorder, or the result of the call.

use super::debug;
use super::registry::Device;

/// Begins to time the call down of an entry point, if that is measured.
macro_rules! timer {
    ($field:ident) => {{
        const ENTRY: usize = std::mem::offset_of!($crate::ffi::table::DeviceTable, $field)
            / size_of::<$crate::ffi::table::VoidFunction>();
        $crate::api_time::Timer::start(ENTRY)
    }};
}

/// Declares `vkCmd*` functions: the body looks at the call once it has been made.
///
/// `quick` ones have two bodies. The first is tried before the call down, which is then the last
/// that the function does: it keeps nothing for later, so that it costs little more than the first
/// body. That one calls nothing that is not part of it and says whether it did all that the second
/// one does; if not, it did nothing. Another one between the two is for what is less frequent.
macro_rules! cmd_hooks {
    ($([$($field:ident)+] $arguments:tt $names:tt $body:block)*) => {
        $($($crate::ffi::hooks::cmd_hook! { $field $arguments $names $body })+)*
    };
    ($(
        quick [$($field:ident)+] $arguments:tt $names:tt $quick:block
        $(or $second:block)? else $body:block
    )*) => {
        $($crate::ffi::hooks::quick_hooks! {
            [$($field)+] $arguments $names ($quick $($second)? $body)
        })*
    };
}

macro_rules! quick_hooks {
    ([$($field:ident)+] $arguments:tt $names:tt $bodies:tt) => {
        $($crate::ffi::hooks::quick_hook! { [] $field $arguments $names $bodies })+
    };
}

/// What has no body left that is quick is [`cmd_hook`].
macro_rules! quick_hook {
    ([$(#[$attribute:meta])*] $field:ident $arguments:tt $names:tt ($body:block)) => {
        $crate::ffi::hooks::cmd_hook! { #[cold] #[inline(never)] $field $arguments $names $body }
    };
    (
        [$(#[$attribute:meta])*]
        $field:ident ($cb:ident: vk::CommandBuffer $(, $argument:ident: $ty:ty)* $(,)?)
        ($device:ident, $recorder:ident) ($quick:block $($others:block)+)
    ) => {
        #[doc = concat!("Records `", stringify!($field), "` and calls that of the next layer.")]
        ///
        /// # Safety
        /// C2, C4, as Vulkan asks of the application.
        $(#[$attribute])*
        pub(in crate::ffi) unsafe extern "system" fn $field(
            $cb: vk::CommandBuffer $(, $argument: $ty)*
        ) {
            mod slowly {
                use super::*;
                $crate::ffi::hooks::quick_hook! {
                    [#[inline(never)]] $field ($cb: vk::CommandBuffer $(, $argument: $ty)*)
                    ($device, $recorder) ($($others)+)
                }
            }
            // SAFETY: C4, C6 - this thread records the command buffer; `slowly` asks again when
            // what is returned here is no longer used.
            if let Some(($device, $recorder)) = unsafe { $crate::ffi::slots::find_quickly($cb) }
                && let Some(next) = $device.table.$field
                && $crate::ffi::guard::run_quickly($device, stringify!($field), || $quick)
            {
                // SAFETY: C5 - the arguments go down as they came.
                return unsafe { next($cb $(, $argument)*) };
            }
            // SAFETY: the caller's promise.
            unsafe { slowly::$field($cb $(, $argument)*) }
        }
    };
}

macro_rules! cmd_hook {
    (
        $(#[$attribute:meta])*
        $field:ident ($cb:ident: vk::CommandBuffer $(, $argument:ident: $ty:ty)* $(,)?)
        ($device:ident, $recorder:ident) $body:block
    ) => {
        #[doc = concat!("Calls `", stringify!($field), "` of the next layer, then records it.")]
        ///
        /// # Safety
        /// C2, C4, as Vulkan asks of the application.
        $(#[$attribute])*
        pub(in crate::ffi) unsafe extern "system" fn $field(
            $cb: vk::CommandBuffer $(, $argument: $ty)*
        ) {
            let Some(slot) = $crate::ffi::slots::find($cb) else {
                return $crate::ffi::hooks::unknown_command_buffer!($field, $cb $(, $argument)*);
            };
            // SAFETY: C4, C6 - this thread records the command buffer; asked once per call.
            let Some(($device, $recorder)) = (unsafe { slot.held() }) else { return };
            if let Some(next) = $device.table.$field {
                let timer = $crate::ffi::hooks::timer!($field);
                // SAFETY: C5 - the arguments go down as they came.
                unsafe { next($cb $(, $argument)*) };
                timer.stop();
            }
            $crate::ffi::guard::run($device, stringify!($field), || $body);
        }
    };
}

/// Forwards a command of a command buffer that was made out of the layer's sight.
macro_rules! unknown_command_buffer {
    ($field:ident, $cb:ident $(, $argument:ident)*) => {{
        // SAFETY: C3 - a live command buffer starts with its device's dispatch pointer.
        let device = unsafe { $crate::ffi::registry::device_of($cb) };
        if let Some(next) = device.and_then(|device| device.table.$field) {
            // SAFETY: C5 - the arguments go down as they came.
            unsafe { next($cb $(, $argument)*) };
        }
    }};
}

/// Declares functions of a device or queue, by when the body looks at the call:
///
/// * `after`: once it has succeeded; `always`: whatever it returned;
/// * `timed`: once it has succeeded, with the nanoseconds that it took;
/// * `before`: before it is made, which suits what destroys;
/// * `frees`: the same, also where linting is off;
/// * `own`: after it, and the layer implements it where the next layer does not;
/// * `…_void`: the same for functions that return nothing.
macro_rules! device_hooks {
    ($($when:ident [$($field:ident)+] $arguments:tt $names:tt $body:block)*) => {
        $($($crate::ffi::hooks::device_hook! { $when $field $arguments $names $body })+)*
    };
}

macro_rules! device_hook {
    (after $field:ident $arguments:tt ($device:ident, $result:ident) $body:block) => {
        $crate::ffi::hooks::device_function! {
            $field $arguments -> vk::Result, vk::Result::ERROR_EXTENSION_NOT_PRESENT;
            ($device, $result) before {} after ($result.as_raw() >= 0) $body
        }
    };
    (always $field:ident $arguments:tt ($device:ident, $result:ident) $body:block) => {
        $crate::ffi::hooks::device_function! {
            $field $arguments -> vk::Result, vk::Result::ERROR_EXTENSION_NOT_PRESENT;
            ($device, $result) before {} after (true) $body
        }
    };
    (
        timed $field:ident $arguments:tt
        ($device:ident, $result:ident, $took_ns:ident) $body:block
    ) => {
        $crate::ffi::hooks::device_function! {
            $field $arguments -> vk::Result, vk::Result::ERROR_EXTENSION_NOT_PRESENT;
            ($device, $result, $took_ns) before {} after ($result.as_raw() >= 0) $body
        }
    };
    (before $field:ident $arguments:tt ($device:ident) $body:block) => {
        $crate::ffi::hooks::device_function! {
            $field $arguments -> vk::Result, vk::Result::ERROR_EXTENSION_NOT_PRESENT;
            ($device, result) before $body after (false) {}
        }
    };
    (own $field:ident $arguments:tt ($device:ident) $body:block) => {
        $crate::ffi::hooks::device_function! {
            $field $arguments -> vk::Result, vk::Result::SUCCESS;
            ($device, result) before {} after (true) $body
        }
    };
    (before_void $field:ident $arguments:tt ($device:ident) $body:block) => {
        $crate::ffi::hooks::device_function! {
            $field $arguments -> (), ();
            ($device, result) before $body after (false) {}
        }
    };
    (frees_void $field:ident $arguments:tt ($device:ident) $body:block) => {
        $crate::ffi::hooks::device_function! {
            $field $arguments -> (), ();
            ($device, result) always $body before {} after (false) {}
        }
    };
    ($when:ident $field:ident $arguments:tt ($device:ident) $body:block) => {
        $crate::ffi::hooks::device_function! {
            $field $arguments -> (), ();
            ($device, result) before {} after (true) $body
        }
    };
}

/// One function of a device or queue; what is looked at before and after is given.
macro_rules! device_function {
    (
        $field:ident ($first:ident: $first_ty:ty $(, $argument:ident: $ty:ty)* $(,)?)
        -> $ret:ty, $default:expr;
        ($device:ident, $result:ident $(, $took_ns:ident)?)
        $(always $always:block)? before $before:block after ($looks:expr) $after:block
    ) => {
        #[doc = concat!("Calls `", stringify!($field), "` of the next layer and looks at it.")]
        ///
        /// # Safety
        /// C2, C3, as Vulkan asks of the application.
        #[allow(unused_variables, reason = "not every body looks at everything")]
        #[allow(clippy::let_unit_value, reason = "some commands return nothing")]
        pub(in crate::ffi) unsafe extern "system" fn $field(
            $first: $first_ty $(, $argument: $ty)*
        ) -> $ret {
            // SAFETY: C3 - the application passes a live handle.
            let entry = unsafe { $crate::ffi::registry::device_of($first) };
            let Some(entry) = entry else { return $default };
            let $device = &entry;
            $($crate::ffi::guard::run_always(&entry, stringify!($field), || $always);)?
            $crate::ffi::guard::run(&entry, stringify!($field), || $before);
            $(let $took_ns = $crate::clock::Stopwatch::start();)?
            let timer = $crate::ffi::hooks::timer!($field);
            let $result = match entry.table.$field {
                // SAFETY: C5 - the arguments go down as they came.
                Some(next) => unsafe { next($first $(, $argument)*) },
                None => $default,
            };
            timer.stop();
            $(let $took_ns = $took_ns.nanoseconds();)?
            if $looks {
                $crate::ffi::guard::run(&entry, stringify!($field), || $after);
            }
            $crate::ffi::hooks::after_call(&entry);
            $result
        }
    };
}

/// Declares `vkCreate*` functions whose create-info and new handle go to one method.
macro_rules! create_hooks {
    ($($field:ident ($info:ty, $handle:ty) => $method:ident;)*) => {
        $crate::ffi::hooks::device_hooks! {$(
            after [$field](
                device: vk::Device,
                create_info: *const $info,
                allocator: *const vk::AllocationCallbacks<'_>,
                object: *mut $handle
            ) (dev, result) {
                // SAFETY: C2 - the info is valid.
                let info = unsafe { $crate::ffi::read::View::new(create_info) };
                // SAFETY: C7 - the call succeeded.
                let handle = unsafe { *object };
                if let Some(info) = info {
                    dev.capture.$method(handle, info);
                }
            }
        )*}
    };
}

/// Declares `vkDestroy*` functions: the body looks before the driver is called, since the handle
/// may be given out again as soon as it has been.
macro_rules! destroy_hooks {
    ($($field:ident ($handle:ty) |$dev:ident, $key:ident| $body:block)*) => {
        $crate::ffi::hooks::device_hooks! {$(
            before_void [$field](
                device: vk::Device,
                $key: $handle,
                allocator: *const vk::AllocationCallbacks<'_>
            ) ($dev) $body
        )*}
    };
}

/// Delivers the findings that wait, now that the application's own call has been made.
#[inline]
pub(super) fn after_call(device: &Device) {
    if device.is_linting() && device.capture.has_messages() {
        debug::deliver(device);
    }
}

pub(in crate::ffi) use {
    cmd_hook, cmd_hooks, create_hooks, destroy_hooks, device_function, device_hook, device_hooks,
    quick_hook, quick_hooks, timer, unknown_command_buffer,
};
