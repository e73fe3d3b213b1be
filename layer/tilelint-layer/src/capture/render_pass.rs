//! Render pass objects and framebuffers: the old and the new form become one.

use super::{DeviceCapture, text, unknown};
use crate::ffi::read::View;
use ash::vk::{self, Handle, TaggedStructure};
use std::sync::Arc;
use tilelint::call::{
    AttachmentDescription, AttachmentReference, AttachmentResolve, Call, Dependency,
    FramebufferAttachment, FramebufferInfo, FramebufferKey, Line, MergeFeedback, RenderPassInfo,
    RenderPassKey, SubpassDescription, Via, ViewKey,
};

/// What a subpass uses, which decides what a pipeline's create-info holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubpassUse {
    pub(super) has_color: bool,
    pub(super) has_depth: bool,
}

impl DeviceCapture {
    /// `vkCreateRenderPass`.
    pub(crate) fn render_pass(
        &self,
        key: vk::RenderPass,
        info: View<'_, vk::RenderPassCreateInfo<'_>>,
    ) -> Arc<RenderPassInfo> {
        self.add_render_pass(key, render_pass_1(info))
    }

    /// `vkCreateRenderPass2`.
    pub(crate) fn render_pass_2(
        &self,
        key: vk::RenderPass,
        info: View<'_, vk::RenderPassCreateInfo2<'_>>,
    ) -> Arc<RenderPassInfo> {
        self.add_render_pass(key, render_pass_2(info, self.asked().merging))
    }

    fn add_render_pass(&self, key: vk::RenderPass, info: RenderPassInfo) -> Arc<RenderPassInfo> {
        let uses = info.subpasses.iter().map(|subpass| SubpassUse {
            has_color: subpass.color.iter().any(Option::is_some),
            has_depth: subpass.depth.is_some(),
        });
        self.render_passes.lock().insert(key.as_raw(), uses.collect());
        let info = Arc::new(info);
        self.emit(Call::RenderPass(RenderPassKey(key.as_raw()), Arc::clone(&info)));
        info
    }

    /// `vkDestroyRenderPass`. What its subpasses use is kept: pipelines may outlive it.
    pub(crate) fn destroy_render_pass(&self, key: vk::RenderPass) {
        if !key.is_null() {
            self.render_passes.lock().remove(key.as_raw());
            self.emit(Call::Destroy(RenderPassKey(key.as_raw()).into()));
        }
    }

    /// Returns what a subpass of a render pass uses, if the render pass was seen.
    pub(super) fn subpass_use(&self, pass: vk::RenderPass, subpass: u32) -> Option<SubpassUse> {
        let uses = self.render_passes.lock().get(pass.as_raw()).cloned();
        uses.and_then(|uses| uses.get(subpass as usize).copied())
    }

    /// `vkCreateFramebuffer`.
    pub(crate) fn framebuffer(
        &self,
        key: vk::Framebuffer,
        info: View<'_, vk::FramebufferCreateInfo<'_>>,
        tiles: Vec<vk::Extent2D>,
    ) {
        let imageless = info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS).then(|| {
            let attachments = info.next::<vk::FramebufferAttachmentsCreateInfo<'_>>();
            let read =
                |info: View<'_, vk::FramebufferAttachmentImageInfo<'_>>| FramebufferAttachment {
                    usage: info.usage,
                    formats: info.formats().as_slice().to_vec(),
                };
            attachments.map_or_else(Vec::new, |list| list.infos().iter().map(read).collect())
        });
        let framebuffer = FramebufferInfo {
            render_pass: RenderPassKey(info.render_pass.as_raw()),
            extent: vk::Extent2D { width: info.width, height: info.height },
            layers: info.layers,
            views: info.attachments().iter().map(|view| view_key(*view)).collect(),
            imageless,
            tiles,
        };
        self.emit(Call::Framebuffer(FramebufferKey(key.as_raw()), Box::new(framebuffer)));
    }
}

/// Returns the key of a view, or `None` for NULL.
pub(super) fn view_key(view: vk::ImageView) -> Option<ViewKey> {
    (!view.is_null()).then(|| ViewKey(view.as_raw()))
}

/// Returns a load op, or `None` for a value that is not known.
pub(super) fn load_op(op: vk::AttachmentLoadOp) -> Option<vk::AttachmentLoadOp> {
    let known = [
        vk::AttachmentLoadOp::LOAD,
        vk::AttachmentLoadOp::CLEAR,
        vk::AttachmentLoadOp::DONT_CARE,
        vk::AttachmentLoadOp::NONE_EXT,
    ];
    known.contains(&op).then_some(op)
}

/// Returns a store op, or `None` for a value that is not known.
pub(super) fn store_op(op: vk::AttachmentStoreOp) -> Option<vk::AttachmentStoreOp> {
    let known = [
        vk::AttachmentStoreOp::STORE,
        vk::AttachmentStoreOp::DONT_CARE,
        vk::AttachmentStoreOp::NONE,
    ];
    known.contains(&op).then_some(op)
}

/// Says whether a chain holds a structure that is not in `known`, and counts those.
pub(super) fn has_unknown<T: TaggedStructure>(
    view: View<'_, T>,
    known: &[vk::StructureType],
) -> bool {
    let mut has_unknown = false;
    for (s_type, _) in view.chain().filter(|(s_type, _)| !known.contains(s_type)) {
        unknown::count(s_type);
        has_unknown = true;
    }
    has_unknown
}

fn render_pass_1(info: View<'_, vk::RenderPassCreateInfo<'_>>) -> RenderPassInfo {
    let multiview = info.next::<vk::RenderPassMultiviewCreateInfo<'_>>();
    let aspects = info.next::<vk::RenderPassInputAttachmentAspectCreateInfo<'_>>();
    let view_mask = |subpass: usize| {
        multiview.and_then(|m| m.view_masks().as_slice().get(subpass).copied()).unwrap_or(0)
    };
    let view_offset = |dependency: usize| {
        multiview.and_then(|m| m.view_offsets().as_slice().get(dependency).copied()).unwrap_or(0)
    };
    let input_aspects = |subpass: usize, index: usize| {
        let named = aspects.and_then(|list| {
            let same = |a: &&vk::InputAttachmentAspectReference| {
                (a.subpass as usize, a.input_attachment_index as usize) == (subpass, index)
            };
            list.aspects().as_slice().iter().find(same)
        });
        named.map_or(vk::ImageAspectFlags::empty(), |reference| reference.aspect_mask)
    };
    let subpass = |(idx, subpass): (usize, View<'_, vk::SubpassDescription<'_>>)| {
        subpass_1(subpass, view_mask(idx), |input| input_aspects(idx, input))
    };
    RenderPassInfo {
        via: Via::Rp1,
        flags: info.flags,
        attachments: info.attachments().as_slice().iter().map(attachment_1).collect(),
        subpasses: info.subpasses().iter().enumerate().map(subpass).collect(),
        dependencies: info
            .dependencies()
            .as_slice()
            .iter()
            .enumerate()
            .map(|(idx, dependency)| dependency_1(dependency, view_offset(idx)))
            .collect(),
        density: density(info.next()),
        merged: None,
        opaque: has_unknown(info, KNOWN_IN_PASS),
    }
}

/// What may be chained to a render pass without making it unreadable.
const KNOWN_IN_PASS: &[vk::StructureType] = &[
    vk::StructureType::RENDER_PASS_MULTIVIEW_CREATE_INFO,
    vk::StructureType::RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO,
    vk::StructureType::RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT,
    vk::StructureType::RENDER_PASS_CREATION_CONTROL_EXT,
    vk::StructureType::RENDER_PASS_CREATION_FEEDBACK_CREATE_INFO_EXT,
];

fn density(
    info: Option<View<'_, vk::RenderPassFragmentDensityMapCreateInfoEXT<'_>>>,
) -> Option<AttachmentReference> {
    reference_1(&info?.fragment_density_map_attachment)
}

fn attachment_1(info: &vk::AttachmentDescription) -> AttachmentDescription {
    AttachmentDescription {
        label: "".into(),
        format: info.format,
        samples: info.samples.as_raw(),
        load: load_op(info.load_op),
        store: store_op(info.store_op),
        stencil_load: load_op(info.stencil_load_op),
        stencil_store: store_op(info.stencil_store_op),
        initial: info.initial_layout,
        final_: info.final_layout,
        stencil_layouts: None,
        flags: info.flags,
        line: Line(0),
    }
}

fn reference_1(reference: &vk::AttachmentReference) -> Option<AttachmentReference> {
    (reference.attachment != vk::ATTACHMENT_UNUSED).then_some(AttachmentReference {
        attachment: reference.attachment,
        layout: reference.layout,
        aspects: vk::ImageAspectFlags::empty(),
    })
}

fn subpass_1(
    info: View<'_, vk::SubpassDescription<'_>>,
    view_mask: u32,
    input_aspects: impl Fn(usize) -> vk::ImageAspectFlags,
) -> SubpassDescription {
    let input = info.input().as_slice().iter().enumerate().map(|(index, reference)| {
        let aspects = input_aspects(index);
        reference_1(reference).map(|reference| AttachmentReference { aspects, ..reference })
    });
    SubpassDescription {
        label: "".into(),
        color: info.color().as_slice().iter().map(reference_1).collect(),
        input: input.collect(),
        resolve: info.resolve().as_slice().iter().map(reference_1).collect(),
        depth: info.depth().and_then(|reference| reference_1(&reference)),
        depth_resolve: None,
        preserve: info.preserve().as_slice().to_vec(),
        shading_rate: None,
        view_mask,
        flags: info.flags,
        merge: None,
        line: Line(0),
    }
}

fn dependency_1(info: &vk::SubpassDependency, view_offset: i32) -> Dependency {
    Dependency {
        src: info.src_subpass,
        dst: info.dst_subpass,
        src_stage: stages(info.src_stage_mask),
        dst_stage: stages(info.dst_stage_mask),
        src_access: accesses(info.src_access_mask),
        dst_access: accesses(info.dst_access_mask),
        flags: info.dependency_flags,
        view_offset,
        masks_64: false,
        line: Line(0),
    }
}

/// Widens stages: the old bits have the same meaning in the new word.
pub(super) fn stages(stages: vk::PipelineStageFlags) -> vk::PipelineStageFlags2 {
    vk::PipelineStageFlags2::from_raw(u64::from(stages.as_raw()))
}

/// Widens accesses: the old bits have the same meaning in the new word.
pub(super) fn accesses(accesses: vk::AccessFlags) -> vk::AccessFlags2 {
    vk::AccessFlags2::from_raw(u64::from(accesses.as_raw()))
}

/// Says what the driver answered, for a device that does.
fn merge_feedback(info: View<'_, vk::SubpassDescription2<'_>>) -> Option<MergeFeedback> {
    let answer = info.next::<vk::RenderPassSubpassFeedbackCreateInfoEXT<'_>>()?.feedback()?;
    let is_given = answer.subpass_merge_status.as_raw() >= 0;
    is_given.then(|| MergeFeedback {
        status: answer.subpass_merge_status,
        index: answer.post_merge_index,
        text: text(answer.description_as_c_str().ok()),
    })
}

/// Reads a create-info, and the answers in it where the device gives any.
fn render_pass_2(info: View<'_, vk::RenderPassCreateInfo2<'_>>, answers: bool) -> RenderPassInfo {
    let mut opaque = has_unknown(info, KNOWN_IN_PASS);
    let known_in_attachment = [vk::StructureType::ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT];
    let known_in_subpass = [
        vk::StructureType::SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE,
        vk::StructureType::FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR,
        vk::StructureType::RENDER_PASS_CREATION_CONTROL_EXT,
        vk::StructureType::RENDER_PASS_SUBPASS_FEEDBACK_CREATE_INFO_EXT,
    ];
    opaque |= info.attachments().iter().any(|view| has_unknown(view, &known_in_attachment));
    opaque |= info.subpasses().iter().any(|view| has_unknown(view, &known_in_subpass));
    let answer = info.next::<vk::RenderPassCreationFeedbackCreateInfoEXT<'_>>();
    let merged = answer.and_then(|answer| Some(answer.feedback()?.post_merge_subpass_count));
    RenderPassInfo {
        via: Via::Rp2,
        flags: info.flags,
        attachments: info.attachments().iter().map(attachment_2).collect(),
        subpasses: info.subpasses().iter().map(|view| subpass_2(view, answers)).collect(),
        dependencies: info.dependencies().iter().map(dependency_2).collect(),
        density: density(info.next()),
        merged: merged.filter(|_| answers),
        opaque,
    }
}

fn attachment_2(info: View<'_, vk::AttachmentDescription2<'_>>) -> AttachmentDescription {
    let stencil = info.next::<vk::AttachmentDescriptionStencilLayout<'_>>();
    AttachmentDescription {
        label: "".into(),
        format: info.format,
        samples: info.samples.as_raw(),
        load: load_op(info.load_op),
        store: store_op(info.store_op),
        stencil_load: load_op(info.stencil_load_op),
        stencil_store: store_op(info.stencil_store_op),
        initial: info.initial_layout,
        final_: info.final_layout,
        stencil_layouts: stencil
            .map(|layouts| [layouts.stencil_initial_layout, layouts.stencil_final_layout]),
        flags: info.flags,
        line: Line(0),
    }
}

fn reference_2(reference: View<'_, vk::AttachmentReference2<'_>>) -> Option<AttachmentReference> {
    (reference.attachment != vk::ATTACHMENT_UNUSED).then_some(AttachmentReference {
        attachment: reference.attachment,
        layout: reference.layout,
        aspects: vk::ImageAspectFlags::empty(),
    })
}

fn subpass_2(info: View<'_, vk::SubpassDescription2<'_>>, answers: bool) -> SubpassDescription {
    let input = info.input().iter().map(|reference| {
        // Only input attachments' aspects have a meaning.
        let aspects = reference.aspect_mask;
        reference_2(reference).map(|reference| AttachmentReference { aspects, ..reference })
    });
    let resolve = info.next::<vk::SubpassDescriptionDepthStencilResolve<'_>>();
    let shading_rate = info.next::<vk::FragmentShadingRateAttachmentInfoKHR<'_>>();
    SubpassDescription {
        label: "".into(),
        color: info.color().iter().map(reference_2).collect(),
        input: input.collect(),
        resolve: info.resolve().iter().map(reference_2).collect(),
        depth: info.depth().and_then(reference_2),
        depth_resolve: resolve.and_then(|resolve| {
            Some(AttachmentResolve {
                target: reference_2(resolve.target()?)?,
                depth_mode: resolve.depth_resolve_mode,
                stencil_mode: resolve.stencil_resolve_mode,
            })
        }),
        preserve: info.preserve().as_slice().to_vec(),
        shading_rate: shading_rate.and_then(|rate| reference_2(rate.attachment()?)),
        view_mask: info.view_mask,
        flags: info.flags,
        merge: answers.then(|| merge_feedback(info)).flatten(),
        line: Line(0),
    }
}

fn dependency_2(info: View<'_, vk::SubpassDependency2<'_>>) -> Dependency {
    let barrier = info.next::<vk::MemoryBarrier2<'_>>();
    Dependency {
        src: info.src_subpass,
        dst: info.dst_subpass,
        src_stage: barrier.map_or(stages(info.src_stage_mask), |b| b.src_stage_mask),
        dst_stage: barrier.map_or(stages(info.dst_stage_mask), |b| b.dst_stage_mask),
        src_access: barrier.map_or(accesses(info.src_access_mask), |b| b.src_access_mask),
        dst_access: barrier.map_or(accesses(info.dst_access_mask), |b| b.dst_access_mask),
        flags: info.dependency_flags,
        view_offset: info.view_offset,
        masks_64: barrier.is_some(),
        line: Line(0),
    }
}
