//! The beginning and end of passes: all three forms meet here.

use super::Recorder;
use super::render_pass::{has_unknown, load_op, store_op, view_key};
use crate::ffi::read::View;
use crate::ffi::views::clear_words;
use ash::vk::{self, Handle};
use tilelint::call::{
    Command, Contents, FramebufferKey, Line, PassTarget, RenderPassKey, Rendering,
    RenderingAttachment, RenderingRole,
};

fn contents(contents: vk::SubpassContents) -> Contents {
    match contents {
        vk::SubpassContents::INLINE => Contents::Inline,
        vk::SubpassContents::SECONDARY_COMMAND_BUFFERS => Contents::Secondary,
        _ => Contents::Both,
    }
}

impl Recorder {
    /// `vkCmdBeginRenderPass`, any form.
    pub(crate) fn begin_render_pass(
        &mut self,
        info: View<'_, vk::RenderPassBeginInfo<'_>>,
        subpass_contents: vk::SubpassContents,
    ) {
        let bound = info.next::<vk::RenderPassAttachmentBeginInfo<'_>>();
        let views_bound = bound.filter(|bound| bound.attachment_count > 0).map(|bound| {
            bound.attachments().as_slice().iter().map(|view| view_key(*view)).collect()
        });
        let mut begin = self.recording.new_pass();
        begin.target = PassTarget::Object {
            render_pass: RenderPassKey(info.render_pass.as_raw()),
            framebuffer: FramebufferKey(info.framebuffer.as_raw()),
            views_bound,
        };
        begin.area = info.render_area;
        begin.contents = contents(subpass_contents);
        begin.clears.extend(info.clear_words());
        self.push(Command::BeginPass(begin));
    }

    /// `vkCmdNextSubpass`, any form.
    pub(crate) fn next_subpass(&mut self, subpass_contents: vk::SubpassContents) {
        self.push(Command::NextSubpass(contents(subpass_contents)));
    }

    /// `vkCmdEndRenderPass` and `vkCmdEndRendering`, any form.
    pub(crate) fn end_pass(&mut self) {
        self.push(Command::EndPass);
    }

    /// `vkCmdBeginRendering`, either form.
    pub(crate) fn begin_rendering(
        &mut self,
        info: View<'_, vk::RenderingInfo<'_>>,
        tiles: Vec<vk::Extent2D>,
    ) {
        let secondary = vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS;
        let contents = match info.flags {
            flags if !flags.contains(secondary) => Contents::Inline,
            flags if flags.contains(vk::RenderingFlags::CONTENTS_INLINE_EXT) => Contents::Both,
            _ => Contents::Secondary,
        };
        let mut begin = self.recording.new_pass();
        let attachments = begin.take_attachments();
        begin.target = PassTarget::Dynamic(rendering(info, tiles, attachments));
        begin.area = info.render_area;
        begin.contents = contents;
        self.push(Command::BeginPass(begin));
    }
}

/// Reads the info; `attachments` is empty.
fn rendering(
    info: View<'_, vk::RenderingInfo<'_>>,
    tiles: Vec<vk::Extent2D>,
    mut attachments: Vec<RenderingAttachment>,
) -> Rendering {
    let color = info.color().iter().enumerate();
    attachments.extend(
        color.map(|(index, view)| rendering_attachment(RenderingRole::Color(index as u32), view)),
    );
    attachments.extend(info.depth().map(|view| rendering_attachment(RenderingRole::Depth, view)));
    attachments
        .extend(info.stencil().map(|view| rendering_attachment(RenderingRole::Stencil, view)));
    if let Some(map) = info.next::<vk::RenderingFragmentDensityMapAttachmentInfoEXT<'_>>() {
        attachments.push(read_only(RenderingRole::Density, map.image_view, map.image_layout));
    }
    if let Some(rate) = info.next::<vk::RenderingFragmentShadingRateAttachmentInfoKHR<'_>>() {
        attachments.push(read_only(RenderingRole::ShadingRate, rate.image_view, rate.image_layout));
    }
    let known = [
        vk::StructureType::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_INFO_EXT,
        vk::StructureType::RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR,
        vk::StructureType::DEVICE_GROUP_RENDER_PASS_BEGIN_INFO,
        vk::StructureType::MULTIVIEW_PER_VIEW_ATTRIBUTES_INFO_NVX,
    ];
    let views = info.color().iter().chain(info.depth()).chain(info.stencil());
    let opaque = has_unknown(info, &known) || views.into_iter().any(|view| has_unknown(view, &[]));
    Rendering {
        attachments,
        layers: info.layer_count,
        view_mask: info.view_mask,
        flags: info.flags,
        tiles,
        opaque,
    }
}

fn rendering_attachment(
    role: RenderingRole,
    info: View<'_, vk::RenderingAttachmentInfo<'_>>,
) -> RenderingAttachment {
    // Without a mode the API ignores the other resolve members; the view is kept for the rules.
    let resolves = info.resolve_mode != vk::ResolveModeFlags::NONE;
    RenderingAttachment {
        role,
        view: view_key(info.image_view),
        layout: info.image_layout,
        load: load_op(info.load_op),
        store: store_op(info.store_op),
        resolve_mode: info.resolve_mode,
        resolve_view: view_key(info.resolve_image_view),
        resolve_layout: if resolves {
            info.resolve_image_layout
        } else {
            vk::ImageLayout::UNDEFINED
        },
        clear: (info.load_op == vk::AttachmentLoadOp::CLEAR)
            .then(|| clear_words(&info.clear_value)),
        line: Line(0),
    }
}

/// A map that the pass reads and that has no ops.
fn read_only(
    role: RenderingRole,
    view: vk::ImageView,
    layout: vk::ImageLayout,
) -> RenderingAttachment {
    RenderingAttachment {
        role,
        view: view_key(view),
        layout,
        load: Some(vk::AttachmentLoadOp::LOAD),
        store: Some(vk::AttachmentStoreOp::DONT_CARE),
        resolve_mode: vk::ResolveModeFlags::NONE,
        resolve_view: None,
        resolve_layout: vk::ImageLayout::UNDEFINED,
        clear: None,
        line: Line(0),
    }
}
