//! Render passes, framebuffers, and the beginning and end of passes in all their forms.

use crate::ffi::hooks::{cmd_hooks, destroy_hooks, device_hooks};
use crate::ffi::read::View;
use crate::ffi::registry::Device;
use crate::ffi::tiles;
use crate::message;
use ash::vk::{self, Handle};
use tilelint::call::{FramebufferKey, RenderPassInfo};
use tilelint::rules;

device_hooks! {
    after [create_framebuffer](
        device: vk::Device,
        create_info: *const vk::FramebufferCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        framebuffer: *mut vk::Framebuffer
    ) (dev, result) {
        // SAFETY: C7 - the call succeeded.
        let handle = unsafe { *framebuffer };
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(create_info) } {
            dev.capture.framebuffer(handle, info, tiles::of_framebuffer(dev, handle));
        }
    }
    after [create_render_pass](
        device: vk::Device,
        create_info: *const vk::RenderPassCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        render_pass: *mut vk::RenderPass
    ) (dev, result) {
        // SAFETY: C7 - the call succeeded.
        let handle = unsafe { *render_pass };
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(create_info) } {
            suspect(dev, handle, &dev.capture.render_pass(handle, info));
        }
    }
}

/// Tells the application's messengers, inside its own call, what the creation alone shows.
pub(super) fn suspect(device: &Device, handle: vk::RenderPass, info: &RenderPassInfo) {
    if !device.instance.debug.has_messengers() {
        return;
    }
    for suspicion in rules::suspect(info) {
        device.instance.debug.tell_messengers(&message::suspicion(&suspicion, handle));
    }
}

destroy_hooks! {
    destroy_framebuffer(vk::Framebuffer) |dev, key| {
        dev.capture.destroy(FramebufferKey(key.as_raw()));
    }
    destroy_render_pass(vk::RenderPass) |dev, key| { dev.capture.destroy_render_pass(key); }
}

cmd_hooks! {
    quick [cmd_end_render_pass](command_buffer: vk::CommandBuffer) (dev, recorder) {
        recorder.end_pass_within()
    } else {
        recorder.end_pass();
    }
    quick [cmd_end_render_pass2 cmd_end_render_pass2_khr](
        command_buffer: vk::CommandBuffer,
        end_info: *const vk::SubpassEndInfo<'_>
    ) (dev, recorder) {
        recorder.end_pass_within()
    } else {
        recorder.end_pass();
    }
    quick [cmd_end_rendering cmd_end_rendering_khr](
        command_buffer: vk::CommandBuffer
    ) (dev, recorder) {
        recorder.end_pass_within()
    } else {
        recorder.end_pass();
    }
}

cmd_hooks! {
    [cmd_begin_render_pass](
        command_buffer: vk::CommandBuffer,
        begin_info: *const vk::RenderPassBeginInfo<'_>,
        contents: vk::SubpassContents
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(begin_info) } {
            recorder.begin_render_pass(info, contents);
        }
    }
    [cmd_begin_render_pass2 cmd_begin_render_pass2_khr](
        command_buffer: vk::CommandBuffer,
        begin_info: *const vk::RenderPassBeginInfo<'_>,
        subpass_info: *const vk::SubpassBeginInfo<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        let subpass = unsafe { View::new(subpass_info) };
        let contents = subpass.map_or(vk::SubpassContents::INLINE, |info| info.contents);
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(begin_info) } {
            recorder.begin_render_pass(info, contents);
        }
    }
    [cmd_next_subpass](
        command_buffer: vk::CommandBuffer,
        contents: vk::SubpassContents
    ) (dev, recorder) {
        recorder.next_subpass(contents);
    }
    [cmd_next_subpass2 cmd_next_subpass2_khr](
        command_buffer: vk::CommandBuffer,
        begin_info: *const vk::SubpassBeginInfo<'_>,
        end_info: *const vk::SubpassEndInfo<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        let subpass = unsafe { View::new(begin_info) };
        let contents = subpass.map_or(vk::SubpassContents::INLINE, |info| info.contents);
        recorder.next_subpass(contents);
    }
    [cmd_begin_rendering cmd_begin_rendering_khr](
        command_buffer: vk::CommandBuffer,
        rendering_info: *const vk::RenderingInfo<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(rendering_info) } {
            recorder.begin_rendering(info, tiles::of_rendering(dev, info));
        }
    }
    // Newer than the headers: the info goes down unread.
    [cmd_end_rendering2_khr cmd_end_rendering2_ext](
        command_buffer: vk::CommandBuffer,
        end_info: *const vk::SubpassEndInfo<'_>
    ) (dev, recorder) {
        recorder.end_pass();
    }
}
