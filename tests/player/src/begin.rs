//! How passes begin.

use ash::vk;
use tilelint::call::*;
use tilelint::format::{self, Aspect};

use crate::error::Done;
use crate::gpu::api;
use crate::player::Player;
use crate::record::contents;

/// A clear value from raw words.
pub(crate) fn clear_value(words: [u32; 4], depth: bool) -> vk::ClearValue {
    match depth {
        true => vk::ClearValue {
            depth_stencil: vk::ClearDepthStencilValue {
                depth: f32::from_bits(words[0]),
                stencil: words[1],
            },
        },
        false => vk::ClearValue { color: vk::ClearColorValue { uint32: words } },
    }
}

/// The attachments of a rendering instance by what they are.
#[derive(Default)]
struct Attachments {
    colors: Vec<vk::RenderingAttachmentInfo<'static>>,
    depth: Option<vk::RenderingAttachmentInfo<'static>>,
    stencil: Option<vk::RenderingAttachmentInfo<'static>>,
    density: Option<(vk::ImageView, vk::ImageLayout)>,
    rate: Option<(vk::ImageView, vk::ImageLayout)>,
}

impl Player<'_> {
    fn view_handle(&self, view: Option<ViewKey>) -> Done<vk::ImageView> {
        match view {
            None => Ok(vk::ImageView::null()),
            Some(key) => self.found("view", self.objects.views.get(&key).map(|v| v.0)),
        }
    }

    /// `vkCmdBeginRenderPass`.
    pub(crate) fn begin_object(
        &self,
        at: vk::CommandBuffer,
        begin: &PassBegin,
        pass: RenderPassKey,
        framebuffer: FramebufferKey,
        bound: Option<&[Option<ViewKey>]>,
    ) -> Done {
        let (pass, info) = self.found("render pass", self.objects.render_passes.get(&pass))?;
        let framebuffer = self.objects.framebuffers.get(&framebuffer).map(|f| f.0);
        let framebuffer = self.found("framebuffer", framebuffer)?;
        let mut clears = Vec::new();
        for (index, words) in begin.clears.iter().enumerate() {
            let of = info.attachments.get(index).map(|a| a.format).unwrap_or_default();
            let depth = format::has_aspect(of, Aspect::Depth);
            let depth = depth || format::has_aspect(of, Aspect::Stencil);
            clears.push(clear_value(words.unwrap_or_default(), depth));
        }
        let last = info.attachments.iter().rposition(|a| {
            let clear = Some(vk::AttachmentLoadOp::CLEAR);
            a.load == clear || a.stencil_load == clear
        });
        let needed = last.map_or(0, |index| index + 1);
        clears.resize(clears.len().max(needed), vk::ClearValue::default());
        let views: Done<Vec<_>> =
            bound.unwrap_or_default().iter().map(|v| self.view_handle(*v)).collect();
        let views = views?;
        let mut attachments = vk::RenderPassAttachmentBeginInfo::default().attachments(&views);
        let mut out = vk::RenderPassBeginInfo::default()
            .render_pass(*pass)
            .framebuffer(framebuffer)
            .render_area(begin.area)
            .clear_values(&clears);
        if bound.is_some() {
            out = out.push_next(&mut attachments);
        }
        api!(self.gpu.device.cmd_begin_render_pass(at, &out, contents(begin.contents)));
        Ok(())
    }

    fn attachment(
        &self,
        attachment: &RenderingAttachment,
    ) -> Done<vk::RenderingAttachmentInfo<'static>> {
        let (Some(load), Some(store)) = (attachment.load, attachment.store) else {
            return self.bad("the ops of an attachment are not known");
        };
        let depth = !matches!(attachment.role, RenderingRole::Color(_));
        Ok(vk::RenderingAttachmentInfo::default()
            .image_view(self.view_handle(attachment.view)?)
            .image_layout(attachment.layout)
            .resolve_mode(attachment.resolve_mode)
            .resolve_image_view(self.view_handle(attachment.resolve_view)?)
            .resolve_image_layout(attachment.resolve_layout)
            .load_op(load)
            .store_op(store)
            .clear_value(clear_value(attachment.clear.unwrap_or_default(), depth)))
    }

    fn attachments(&self, rendering: &Rendering) -> Done<Attachments> {
        let mut out = Attachments::default();
        for attachment in &rendering.attachments {
            match attachment.role {
                RenderingRole::Color(index) => {
                    let index = index as usize;
                    let count = out.colors.len().max(index + 1);
                    out.colors.resize(count, vk::RenderingAttachmentInfo::default());
                    out.colors[index] = self.attachment(attachment)?;
                }
                RenderingRole::Depth => out.depth = Some(self.attachment(attachment)?),
                RenderingRole::Stencil => {
                    let mut stencil = self.attachment(attachment)?;
                    // The clear value's depth is unused here.
                    let words = attachment.clear.unwrap_or_default();
                    stencil.clear_value = clear_value(words, true);
                    out.stencil = Some(stencil);
                }
                RenderingRole::Density => {
                    out.density = Some((self.view_handle(attachment.view)?, attachment.layout));
                }
                RenderingRole::ShadingRate => {
                    out.rate = Some((self.view_handle(attachment.view)?, attachment.layout));
                }
            }
        }
        Ok(out)
    }

    /// `vkCmdBeginRendering`.
    pub(crate) fn begin_rendering(
        &self,
        at: vk::CommandBuffer,
        begin: &PassBegin,
        rendering: &Rendering,
    ) -> Done {
        if rendering.opaque {
            return self.bad("the rendering instance holds a structure that is not known");
        }
        let attachments = self.attachments(rendering)?;
        let mut flags = rendering.flags;
        if begin.contents != Contents::Inline {
            flags |= vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS;
        }
        let mut out = vk::RenderingInfo::default()
            .flags(flags)
            .render_area(begin.area)
            .layer_count(rendering.layers.max(1))
            .view_mask(rendering.view_mask)
            .color_attachments(&attachments.colors);
        if let Some(depth) = &attachments.depth {
            out = out.depth_attachment(depth);
        }
        if let Some(stencil) = &attachments.stencil {
            out = out.stencil_attachment(stencil);
        }
        let (view, layout) = attachments.density.unwrap_or_default();
        let mut density = vk::RenderingFragmentDensityMapAttachmentInfoEXT::default()
            .image_view(view)
            .image_layout(layout);
        if attachments.density.is_some() {
            out = out.push_next(&mut density);
        }
        let (view, layout) = attachments.rate.unwrap_or_default();
        let mut rate = vk::RenderingFragmentShadingRateAttachmentInfoKHR::default()
            .image_view(view)
            .image_layout(layout)
            .shading_rate_attachment_texel_size(self.rate_texel(attachments.rate.is_some()));
        if attachments.rate.is_some() {
            out = out.push_next(&mut rate);
        }
        api!(self.gpu.device.cmd_begin_rendering(at, &out));
        Ok(())
    }
}
