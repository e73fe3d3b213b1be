//! Command pools and command buffers: what lives in the slots.

use crate::ffi::hooks::{after_call, device_hooks, timer};
use crate::ffi::read::{View, slice};
use crate::ffi::registry::{self, Device};
use crate::ffi::{guard, slots};
use crate::handles::Handles;
use ash::vk::{self, Handle};
use std::sync::Arc;

device_hooks! {
    after [create_command_pool](
        device: vk::Device,
        create_info: *const vk::CommandPoolCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        command_pool: *mut vk::CommandPool
    ) (dev, result) {
        // SAFETY: C7 - the call succeeded.
        let pool = unsafe { *command_pool };
        dev.pools.lock().insert(pool, Handles::default());
    }
    frees_void [destroy_command_pool](
        device: vk::Device,
        command_pool: vk::CommandPool,
        allocator: *const vk::AllocationCallbacks<'_>
    ) (dev) {
        let buffers = dev.pools.lock().remove(&command_pool).unwrap_or_default();
        for buffer in in_order(&buffers) {
            dev.capture.free_buffer(buffer);
            // SAFETY: C4 - the pool and its command buffers are this thread's.
            unsafe { slots::remove(buffer) };
        }
    }
    after [reset_command_pool](
        device: vk::Device,
        command_pool: vk::CommandPool,
        flags: vk::CommandPoolResetFlags
    ) (dev, result) {
        let buffers = dev.pools.lock().get(&command_pool).map(in_order).unwrap_or_default();
        for buffer in buffers {
            reset(dev, buffer);
        }
    }
    frees_void [free_command_buffers](
        device: vk::Device,
        command_pool: vk::CommandPool,
        count: u32,
        command_buffers: *const vk::CommandBuffer
    ) (dev) {
        // SAFETY: C2 - that many handles, some of which may be NULL.
        let freed = unsafe { slice(command_buffers, count as usize) };
        if let Some(buffers) = dev.pools.lock().get_mut(&command_pool) {
            freed.iter().for_each(|buffer| buffers.remove(buffer.as_raw()));
        }
        for buffer in freed.iter().filter(|buffer| !buffer.is_null()) {
            dev.capture.free_buffer(*buffer);
            // SAFETY: C4 - the application gives the command buffer up.
            unsafe { slots::remove(*buffer) };
        }
    }
}

/// Returns the command buffers of a pool, as they were allocated.
pub(in crate::ffi) fn in_order(handles: &Handles) -> Vec<vk::CommandBuffer> {
    handles.in_order().into_iter().map(vk::CommandBuffer::from_raw).collect()
}

/// Empties the recording of a command buffer.
fn reset(_device: &Device, command_buffer: vk::CommandBuffer) {
    let Some(slot) = slots::find(command_buffer) else { return };
    // SAFETY: C4 - resetting needs the command buffer to itself.
    if let Some((_, recorder)) = unsafe { slot.held() } {
        recorder.reset();
    }
}

/// `vkAllocateCommandBuffers`: gives each new command buffer its slot, under the device's key. The
/// new handles' own first words are written by the loader only after this function has returned.
///
/// # Safety
/// C2, C3, C7.
pub(in crate::ffi) unsafe extern "system" fn allocate_command_buffers(
    device: vk::Device,
    allocate_info: *const vk::CommandBufferAllocateInfo<'_>,
    command_buffers: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: C3 - a live device.
    let Some(entry) = (unsafe { registry::device_of(device) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let Some(next) = entry.table.allocate_command_buffers else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let timer = timer!(allocate_command_buffers);
    // SAFETY: C5 - the arguments go down as they came.
    let result = unsafe { next(device, allocate_info, command_buffers) };
    timer.stop();
    if result == vk::Result::SUCCESS {
        // A slot is needed to forward at full speed, so it is made even when linting is off.
        guard::run_without_device("allocate_command_buffers", || {
            // SAFETY: C2 - the info is valid.
            let Some(info) = (unsafe { View::new(allocate_info) }) else { return };
            // SAFETY: C7 - that many handles were written.
            let made = unsafe { slice(command_buffers, info.command_buffer_count as usize) };
            add_buffers(&entry, &info, made);
        });
    }
    after_call(&entry);
    result
}

fn add_buffers(
    device: &Arc<Device>,
    info: &vk::CommandBufferAllocateInfo<'_>,
    made: &[vk::CommandBuffer],
) {
    let handles = made.iter().map(|buffer| buffer.as_raw());
    device.pools.lock().entry(info.command_pool).or_default().extend(handles);
    for buffer in made {
        let recorder = device.capture.recorder(*buffer, info.level);
        // SAFETY: C4 - the application has not seen the handle yet.
        unsafe { slots::insert(*buffer, Arc::clone(device), recorder) };
    }
}

/// Forwards a call with a command buffer and looks at it once it has succeeded.
macro_rules! buffer_hook {
    ($field:ident ($cb:ident $(, $argument:ident: $ty:ty)*) |$recorder:ident| $body:block) => {
        #[doc = concat!("Calls `", stringify!($field), "` of the next layer and looks at it.")]
        ///
        /// # Safety
        /// C2, C4.
        pub(in crate::ffi) unsafe extern "system" fn $field(
            $cb: vk::CommandBuffer $(, $argument: $ty)*
        ) -> vk::Result {
            let Some(slot) = slots::find($cb) else {
                // SAFETY: C3 - a live command buffer.
                let device = unsafe { registry::device_of($cb) };
                let next = device.and_then(|device| device.table.$field);
                return match next {
                    // SAFETY: C5 - the arguments go down as they came.
                    Some(next) => unsafe { next($cb $(, $argument)*) },
                    None => vk::Result::ERROR_DEVICE_LOST,
                };
            };
            // SAFETY: C4, C6 - this thread has the command buffer to itself; asked once per call.
            let Some((device, $recorder)) = (unsafe { slot.held() }) else {
                return vk::Result::ERROR_DEVICE_LOST;
            };
            let Some(next) = device.table.$field else { return vk::Result::ERROR_DEVICE_LOST };
            let timer = timer!($field);
            // SAFETY: C5 - the arguments go down as they came.
            let result = unsafe { next($cb $(, $argument)*) };
            timer.stop();
            if result == vk::Result::SUCCESS {
                guard::run(device, stringify!($field), || $body);
            }
            result
        }
    };
}

buffer_hook! {
    begin_command_buffer(command_buffer, begin_info: *const vk::CommandBufferBeginInfo<'_>)
    |recorder| {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(begin_info) } {
            recorder.begin(info);
        }
    }
}

buffer_hook! {
    end_command_buffer(command_buffer) |recorder| {
        recorder.end();
    }
}

buffer_hook! {
    reset_command_buffer(command_buffer, flags: vk::CommandBufferResetFlags) |recorder| {
        recorder.reset();
    }
}
