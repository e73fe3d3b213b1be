//! Reading the application's pointers: a [`View`] is a structure whose pointers may be followed.
//!
//! Views are made once, at the C line, under promise C2, and then handed to safe code. Members that
//! Vulkan says are ignored under some condition have methods that ask for that condition.

use ash::vk;
use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;

/// A pNext chain longer than this is taken for a loop and read no further.
const CHAIN_LIMIT: usize = 256;

/// A structure of the application, valid with everything it points to for the running call.
pub(crate) struct View<'a, T>(&'a T);

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<T> Deref for View<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<'a, T> View<'a, T> {
    /// Returns the structure behind `pointer`, or `None` for NULL.
    ///
    /// # Safety
    /// C2: `pointer` is NULL or points to a valid structure that lives for `'a`.
    pub(in crate::ffi) unsafe fn new(pointer: *const T) -> Option<View<'a, T>> {
        // SAFETY: the caller's promise.
        unsafe { pointer.as_ref() }.map(View)
    }

    /// Returns the structure with the lifetime of the call rather than of the view.
    pub(crate) fn get(self) -> &'a T {
        self.0
    }
}

impl<'a, T: vk::TaggedStructure> View<'a, T> {
    /// Returns the first structure of type `N` in the pNext chain.
    pub(crate) fn next<N: vk::TaggedStructure>(self) -> Option<View<'a, N>> {
        let found = self.chain().find(|(s_type, _)| *s_type == N::STRUCTURE_TYPE)?;
        // SAFETY: C2 - a chained structure has the type that its sType says.
        unsafe { View::new(found.1.cast::<N>()) }
    }

    /// Returns the types in the pNext chain, known and unknown, in order.
    pub(crate) fn chain(self) -> impl Iterator<Item = (vk::StructureType, *const c_void)> {
        let head: *const T = self.0;
        // SAFETY: C2 - every tagged structure starts with sType and pNext.
        let first = unsafe { (*head.cast::<vk::BaseInStructure<'_>>()).p_next };
        Chain { next: first.cast(), left: CHAIN_LIMIT }
    }
}

/// Walks a pNext chain by its raw types.
struct Chain<'a> {
    next: *const vk::BaseInStructure<'a>,
    left: usize,
}

impl Iterator for Chain<'_> {
    type Item = (vk::StructureType, *const c_void);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let current = self.next;
        // SAFETY: C2 - every element of a chain starts with sType and pNext.
        let base = unsafe { current.as_ref() }?;
        self.next = base.p_next;
        Some((base.s_type, current.cast()))
    }
}

/// An array of the application; its elements are views.
pub(crate) struct Views<'a, T>(&'a [T]);

impl<T> Clone for Views<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Views<'_, T> {}

impl<'a, T> Views<'a, T> {
    /// Returns the array at `pointer`; NULL is empty whatever `count` says.
    ///
    /// # Safety
    /// C2: `pointer` is NULL or has `count` valid elements that live for `'a`.
    pub(in crate::ffi) unsafe fn new(pointer: *const T, count: u32) -> Views<'a, T> {
        // SAFETY: the caller's promise.
        Views(unsafe { slice(pointer, count as usize) })
    }

    /// Returns the elements with their pointers readable.
    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = View<'a, T>> + Clone {
        self.0.iter().map(View)
    }

    /// Returns the plain elements.
    pub(crate) fn as_slice(self) -> &'a [T] {
        self.0
    }
}

/// Returns the array at `pointer`; NULL is empty whatever `count` says.
///
/// # Safety
/// C2: `pointer` is NULL or has `count` valid elements that live for `'a`.
pub(in crate::ffi) unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

/// Returns what is at `pointer`, or zeros for NULL.
///
/// # Safety
/// C2: `pointer` is NULL or points to a valid value.
#[inline(always)]
pub(in crate::ffi) unsafe fn one<T: Copy + Default>(pointer: *const T) -> T {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.copied().unwrap_or_default()
}

/// Returns the first `N` elements at `pointer`, or zeros for NULL. Of none it reads nothing.
///
/// # Safety
/// C2: `N` is 0, or `pointer` is NULL or has that many valid elements.
#[inline(always)]
pub(in crate::ffi) unsafe fn some<T: Copy + Default, const N: usize>(pointer: *const T) -> [T; N] {
    if N == 0 || pointer.is_null() {
        return [T::default(); N];
    }
    // SAFETY: the caller's promise.
    unsafe { *pointer.cast::<[T; N]>() }
}

/// Returns the string at `pointer`, or `None` for NULL.
///
/// # Safety
/// C2: `pointer` is NULL or a NUL-terminated string that lives for `'a`.
pub(in crate::ffi) unsafe fn string<'a>(pointer: *const c_char) -> Option<&'a CStr> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    Some(unsafe { CStr::from_ptr(pointer) })
}

/// Declares the arrays of create-infos as safe methods: count and pointer stand side by side.
macro_rules! arrays {
    ($($ty:ident { $($name:ident: $item:ty = $pointer:ident[$count:ident];)* })*) => {$(
        impl<'a> View<'a, vk::$ty<'a>> {$(
            #[doc = concat!("Returns `", stringify!($pointer), "`.")]
            pub(crate) fn $name(self) -> Views<'a, $item> {
                // SAFETY: C2 - the count member tells the length of the array.
                unsafe { Views::new(self.get().$pointer.cast::<$item>(), self.get().$count) }
            }
        )*}
    )*};
}
pub(in crate::ffi) use arrays;
