//! The command table: which function answers to which name, and what the next layer has for it.
//!
//! Each name has a field of its own, so that a core command and its KHR or EXT alias forward each
//! to its own next function. A function of ours is handed out only where the next layer has one.

mod device;
mod instance;

pub(super) use device::DeviceTable;
pub(crate) use device::{device_commands, n_device_commands};
pub(super) use instance::InstanceTable;

use super::needs;
use once_cell::sync::Lazy;
use rustc_hash::FxHashMap;
use std::ffi::CStr;
use tilelint::rule::Needs;

/// A function whose type is known by its name.
pub(in crate::ffi) type VoidFunction = unsafe extern "system" fn();

/// One intercepted command.
pub(in crate::ffi) struct Command<T: 'static> {
    name: &'static CStr,
    /// Place of its field in the table, in bytes.
    offset: usize,
    pub(in crate::ffi) ours: VoidFunction,
    /// Returns whether the next layer has it.
    pub(in crate::ffi) is_below: fn(&T) -> bool,
    chapter: &'static str,
    field: &'static str,
}

impl<T> Command<T> {
    /// Returns the group that it belongs to.
    pub(in crate::ffi) fn group(&self) -> Needs {
        needs::group(self.chapter, self.field)
    }
}

/// The commands by name.
type Index<T> = Lazy<FxHashMap<&'static CStr, &'static Command<T>>>;

macro_rules! table {
    (
        $(#[$attribute:meta])*
        struct $table:ident, $list:ident, $index:ident;
        intercepted { $($chapter:ident $field:ident $pfn:ident $name:literal)* }
        called { $($called:ident $called_pfn:ident $called_name:literal)* }
    ) => {
        $(#[$attribute])*
        pub(in crate::ffi) struct $table {
            $(pub(in crate::ffi) $field: Option<vk::$pfn>,)*
            $(pub(in crate::ffi) $called: Option<vk::$called_pfn>,)*
        }

        static $list: &[Command<$table>] = &[$(Command {
            name: $name,
            offset: std::mem::offset_of!($table, $field),
            // SAFETY: C8 - function pointers have one size; the loader calls it by its name's type,
            // which the coercion to that type checks here.
            ours: unsafe {
                std::mem::transmute::<vk::$pfn, VoidFunction>($chapter::$field as vk::$pfn)
            },
            is_below: |table| table.$field.is_some(),
            chapter: stringify!($chapter),
            field: stringify!($field),
        },)*];

        static $index: Index<$table> =
            Lazy::new(|| $list.iter().map(|command| (command.name, command)).collect());

        impl $table {
            /// Asks the next layer for every function.
            ///
            /// # Safety
            /// C5: `get` is the next layer's `vkGet*ProcAddr` for the new object.
            pub(in crate::ffi) unsafe fn load(
                get: impl Fn(&CStr) -> vk::PFN_vkVoidFunction,
            ) -> $table {
                $table {
                    $($field: get($name).map(|function| {
                        // SAFETY: C5 - the function has the type of its name.
                        unsafe { std::mem::transmute::<VoidFunction, vk::$pfn>(function) }
                    }),)*
                    $($called: get($called_name).map(|function| {
                        // SAFETY: C5 - the function has the type of its name.
                        unsafe { std::mem::transmute::<VoidFunction, vk::$called_pfn>(function) }
                    }),)*
                }
            }

            /// Returns the intercepted command of this name.
            pub(in crate::ffi) fn command(name: &CStr) -> Option<&'static Command<$table>> {
                $index.get(name).copied()
            }
        }
    };
}

use table;
