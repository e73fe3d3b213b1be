//! The only folder with unsafe code: the line between C and the layer.
//!
//! Every `extern "system"` function here has the same three steps: call down and keep the result,
//! let safe code look at what the call showed (inside [`guard`]), return the result. Commands that
//! programs record by the thousand have no result and take the second step first, so that the call
//! down is a jump. Nothing else happens in this folder.
//!
//! # Contract
//!
//! What the layer relies on; every safety comment cites one of these.
//!
//! * **C1** The loader passes valid negotiate structures, and chains of create-infos with a link
//!   node whose functions belong to the next layer. The link node is the loader's own writable
//!   memory.
//! * **C2** Pointers, counts and strings given by the application are valid for the duration of
//!   the call (valid usage), except where Vulkan says that they are ignored: those are not read.
//! * **C3** A dispatchable handle points to memory that starts with the loader's dispatch pointer.
//!   It is equal for an instance and its physical devices, and for a device, its queues and its
//!   command buffers.
//! * **C4** A command buffer and its pool are externally synchronised: while one thread records,
//!   resets or frees a command buffer, no other thread uses it. A submitted command buffer is not
//!   recorded at the same time.
//! * **C5** A function that the next `vkGet*ProcAddr` returns has the type of its name, and stays
//!   callable while the instance or device that it was asked for lives.
//! * **C6** A handle is not used after the call that destroys it has been made.
//! * **C7** Output parameters are valid for writes, and after a successful call down they hold what
//!   Vulkan says.
//! * **C8** The layer's own values live while pointers to them are used; function pointers have one
//!   size; slots and exit handlers are never unloaded; the system's functions do what their manuals
//!   say; the members of Vulkan's unions of clear values are all made of 32-bit words.

pub(crate) mod abi;
pub(crate) mod asked;
mod chain;
mod commands;
mod debug;
pub(crate) mod device_info;
pub(crate) mod enumerate;
mod exit;
mod exports;
mod guard;
mod hooks;
#[cfg(target_os = "android")]
pub(crate) mod logcat;
mod needs;
mod pin;
mod proc_addr;
#[cfg(target_os = "android")]
pub(crate) mod property;
pub(crate) mod read;
mod registry;
mod slots;
mod table;
mod tiles;
mod tools;
pub(crate) mod views;

pub(crate) use table::{device_commands, n_device_commands};
