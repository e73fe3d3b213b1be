//! The pointers of the C interface, each read or written in one place.
//!
//! Contract: the loader and the application keep Vulkan's valid usage. A pointer parameter points
//! to what the specification says (a structure, or as many elements as its count says) for the
//! length of the call, and a `pNext` chain is a list of structures that begin with `sType` and
//! `pNext`.

use std::ffi::{CStr, c_char, c_void};

use ash::vk;

/// An array parameter, whose length is another parameter. May be null when the length is 0.
#[repr(transparent)]
pub struct Array<T>(*const T);

impl<T> Array<T> {
    /// The first `count` elements.
    pub fn of(&self, count: u32) -> &[T] {
        slice(self.0, count)
    }
}

/// `count` elements from a pointer inside a structure.
pub fn slice<'a, T>(pointer: *const T, count: u32) -> &'a [T] {
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: by the contract the pointer has `count` elements for the length of the call.
    unsafe { std::slice::from_raw_parts(pointer, count as usize) }
}

/// What a pointer inside a structure points to.
pub fn read<'a, T>(pointer: *const T) -> Option<&'a T> {
    // SAFETY: by the contract a pointer that is not null points to its structure.
    unsafe { pointer.as_ref() }
}

/// The text at a pointer; nothing when it is null or not UTF-8.
pub fn text<'a>(pointer: *const c_char) -> Option<&'a str> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: by the contract a name ends with a zero byte.
    unsafe { CStr::from_ptr(pointer) }.to_str().ok()
}

/// A place for results. May be null where the command allows it.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// The place at `pointer`.
    pub fn at(pointer: *mut T) -> Self {
        Out(pointer)
    }

    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    pub fn set(&self, value: T) {
        self.set_at(0, value);
    }

    /// Writes one element of an array of results.
    pub fn set_at(&self, index: usize, value: T) {
        if self.0.is_null() {
            return;
        }
        // SAFETY: the caller's index is below the count that the application gave.
        let place = unsafe { self.0.add(index) };
        // SAFETY: by the contract the place can be written; it may hold nothing yet.
        unsafe { place.write(value) }
    }

    pub fn pointer(&self) -> *mut T {
        self.0
    }
}

/// The structure at an index of an array that the application has begun (`sType` and `pNext`).
pub fn begun<'a, T>(array: *mut T, index: usize) -> &'a mut T {
    // SAFETY: the caller's index is below the count that the application gave.
    let place = unsafe { array.add(index) };
    // SAFETY: by the contract the structure is initialised and nobody else's now.
    unsafe { &mut *place }
}

/// Vulkan's two-call protocol for plain values.
pub fn enumerate<T: Clone>(items: &[T], count: &mut u32, out: &Out<T>) -> vk::Result {
    enumerate_with(items.len(), count, out.is_null(), |i| out.set_at(i, items[i].clone()))
}

/// Vulkan's two-call protocol: `write` fills the place of one index.
pub fn enumerate_with(
    length: usize,
    count: &mut u32,
    only_count: bool,
    mut write: impl FnMut(usize),
) -> vk::Result {
    if only_count {
        *count = length as u32;
        return vk::Result::SUCCESS;
    }
    let written = length.min(*count as usize);
    (0..written).for_each(&mut write);
    *count = written as u32;
    if written < length { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
}

/// The structure of type `T` in a chain that the application filled.
pub fn find<'a, T: vk::TaggedStructure>(mut next: *const c_void) -> Option<&'a T> {
    while let Some(base) = read(next.cast::<vk::BaseInStructure<'_>>()) {
        if base.s_type == T::STRUCTURE_TYPE {
            return read(next.cast());
        }
        next = base.p_next.cast();
    }
    None
}

/// Shows every structure of a chain that the driver fills; the closure gets its type and address.
pub fn each(mut next: *mut c_void, mut visit: impl FnMut(vk::StructureType, *mut c_void)) {
    while let Some(base) = read(next.cast::<vk::BaseOutStructure<'_>>()) {
        visit(base.s_type, next);
        next = base.p_next.cast();
    }
}

/// Lets `fill` write the structure of type `T` in a chain, if it is there.
pub fn fill<T: vk::TaggedStructure>(next: *mut c_void, mut fill: impl FnMut(&mut T)) {
    each(next, |s_type, address| {
        if s_type == T::STRUCTURE_TYPE {
            fill(begun(address.cast(), 0));
        }
    });
}

/// `count` elements that the driver writes.
pub fn slice_mut<'a, T>(pointer: *mut T, count: usize) -> &'a mut [T] {
    if pointer.is_null() || count == 0 {
        return &mut [];
    }
    // SAFETY: by the contract the elements are initialised and can be written.
    unsafe { std::slice::from_raw_parts_mut(pointer, count) }
}

/// Bytes that the driver writes.
pub fn bytes_mut<'a>(pointer: *mut c_void, size: usize) -> &'a mut [u8] {
    slice_mut(pointer.cast(), size)
}

/// Copies a name into one of Vulkan's fixed arrays, cut to fit and ended with a zero.
pub fn name<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    for (place, byte) in array.iter_mut().zip(text.bytes()).take(N - 1) {
        *place = byte as c_char;
    }
    array
}

/// Gives a dispatchable object to the application.
pub fn give<T>(object: T) -> u64 {
    Box::into_raw(Box::new(object)) as u64
}

/// Takes back what [`give`] gave; nothing for a null handle.
pub fn take<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: the application destroys an object of `give` once and no longer uses it.
        drop(unsafe { Box::from_raw(object) });
    }
}

/// Makes what [`give`] gave, and the application has destroyed, a new object at the same address.
pub fn renew<T>(address: u64, object: T) -> u64 {
    // SAFETY: the address came from `give` for the same type, was not taken back, and nobody else
    // uses it.
    unsafe { (address as *mut T).write(object) };
    address
}
