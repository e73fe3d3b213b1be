//! The forwarding functions: each is one jump, so that every register and the stack are the next
//! function's as they came.

use std::arch::global_asm;
use std::ffi::c_void;
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::Function;

/// Commands that there is room for.
const N_COMMANDS: usize = 512;
/// Bytes of code for each.
const STRIDE: usize = 16;

/// Where each jumps to.
static NEXT: [AtomicPtr<c_void>; N_COMMANDS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; N_COMMANDS];

#[cfg(target_arch = "x86_64")]
global_asm!(
    ".text",
    ".globl tilelint_empty_forwarders",
    ".hidden tilelint_empty_forwarders",
    ".balign 16",
    "tilelint_empty_forwarders:",
    ".set tilelint_empty_at, 0",
    ".rept {n}",
    "jmp *{next}+tilelint_empty_at(%rip)",
    ".balign {stride}",
    ".set tilelint_empty_at, tilelint_empty_at + 8",
    ".endr",
    next = sym NEXT,
    n = const N_COMMANDS,
    stride = const STRIDE,
    options(att_syntax)
);

#[cfg(target_arch = "aarch64")]
global_asm!(
    ".text",
    ".globl tilelint_empty_forwarders",
    ".hidden tilelint_empty_forwarders",
    ".balign 16",
    "tilelint_empty_forwarders:",
    ".set tilelint_empty_at, 0",
    ".rept {n}",
    "adrp x16, {next} + tilelint_empty_at",
    "ldr x16, [x16, :lo12:{next} + tilelint_empty_at]",
    "br x16",
    ".balign {stride}",
    ".set tilelint_empty_at, tilelint_empty_at + 8",
    ".endr",
    next = sym NEXT,
    n = const N_COMMANDS,
    stride = const STRIDE,
);

unsafe extern "C" {
    static tilelint_empty_forwarders: u8;
}

/// The function that jumps to `below`, at a place of the table; `below` itself where it is full.
pub fn to(index: usize, below: Function) -> Function {
    let Some(place) = NEXT.get(index) else { return below };
    place.store(below as *mut c_void, Ordering::Release);
    let code = (&raw const tilelint_empty_forwarders).wrapping_add(index * STRIDE);
    // SAFETY: every place has its code, which is a function of any type.
    unsafe { transmute::<*const u8, Function>(code) }
}
