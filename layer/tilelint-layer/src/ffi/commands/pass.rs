//! Render passes, framebuffers, and the beginning and end of passes in all their forms.

use crate::ffi::hooks::{cmd_hooks, create_hooks, destroy_hooks};
use crate::ffi::read::View;
use ash::vk::{self, Handle};
use tilelint::call::FramebufferKey;

create_hooks! {
    create_framebuffer(vk::FramebufferCreateInfo<'_>, vk::Framebuffer) => framebuffer;
    create_render_pass(vk::RenderPassCreateInfo<'_>, vk::RenderPass) => render_pass;
    create_render_pass2(vk::RenderPassCreateInfo2<'_>, vk::RenderPass) => render_pass_2;
    create_render_pass2_khr(vk::RenderPassCreateInfo2<'_>, vk::RenderPass) => render_pass_2;
}

destroy_hooks! {
    destroy_framebuffer(vk::Framebuffer) |dev, key| {
        dev.capture.destroy(FramebufferKey(key.as_raw()));
    }
    destroy_render_pass(vk::RenderPass) |dev, key| { dev.capture.destroy_render_pass(key); }
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
    [cmd_end_render_pass](command_buffer: vk::CommandBuffer) (dev, recorder) {
        recorder.end_pass();
    }
    [cmd_end_render_pass2 cmd_end_render_pass2_khr](
        command_buffer: vk::CommandBuffer,
        end_info: *const vk::SubpassEndInfo<'_>
    ) (dev, recorder) {
        recorder.end_pass();
    }
    [cmd_begin_rendering cmd_begin_rendering_khr](
        command_buffer: vk::CommandBuffer,
        rendering_info: *const vk::RenderingInfo<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(rendering_info) } {
            recorder.begin_rendering(info);
        }
    }
    [cmd_end_rendering cmd_end_rendering_khr](
        command_buffer: vk::CommandBuffer
    ) (dev, recorder) {
        recorder.end_pass();
    }
    // Newer than the headers: the info goes down unread.
    [cmd_end_rendering2_khr cmd_end_rendering2_ext](
        command_buffer: vk::CommandBuffer,
        end_info: *const vk::SubpassEndInfo<'_>
    ) (dev, recorder) {
        recorder.end_pass();
    }
}
