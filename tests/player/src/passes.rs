//! Render pass objects in both forms, and framebuffers.

use ash::vk;
use tilelint::call::*;

use crate::error::{Done, Error};
use crate::gpu::api;
use crate::memory::{aspects, samples};
use crate::player::Player;

fn known<T: Copy>(line: Line, what: &str, value: Option<T>) -> Done<T> {
    value.ok_or_else(|| Error::Listing(line, format!("the {what} is not known")))
}

/// Stages as the older calls take them.
pub(crate) fn stages_32(
    line: Line,
    stages: vk::PipelineStageFlags2,
) -> Done<vk::PipelineStageFlags> {
    match u32::try_from(stages.as_raw()) {
        Ok(raw) => Ok(vk::PipelineStageFlags::from_raw(raw)),
        Err(_) => Err(Error::Listing(line, format!("the older call cannot say {stages:?}"))),
    }
}

/// Accesses as the older calls take them.
pub(crate) fn access_32(line: Line, access: vk::AccessFlags2) -> Done<vk::AccessFlags> {
    match u32::try_from(access.as_raw()) {
        Ok(raw) => Ok(vk::AccessFlags::from_raw(raw)),
        Err(_) => Err(Error::Listing(line, format!("the older call cannot say {access:?}"))),
    }
}

const UNUSED_1: vk::AttachmentReference = vk::AttachmentReference {
    attachment: vk::ATTACHMENT_UNUSED,
    layout: vk::ImageLayout::UNDEFINED,
};

fn reference_1(reference: &Option<AttachmentReference>) -> vk::AttachmentReference {
    reference.map_or(UNUSED_1, |r| vk::AttachmentReference {
        attachment: r.attachment,
        layout: r.layout,
    })
}

fn references_1(
    list: &[Option<AttachmentReference>],
    count: usize,
) -> Vec<vk::AttachmentReference> {
    let mut out: Vec<_> = list.iter().map(reference_1).collect();
    out.resize(count.max(out.len()), UNUSED_1);
    out
}

/// The references of a subpass in the older form.
struct Subpass1 {
    color: Vec<vk::AttachmentReference>,
    resolve: Vec<vk::AttachmentReference>,
    input: Vec<vk::AttachmentReference>,
    depth: Option<vk::AttachmentReference>,
}

/// The references of a subpass in the newer form.
struct Subpass2 {
    color: Vec<vk::AttachmentReference2<'static>>,
    resolve: Vec<vk::AttachmentReference2<'static>>,
    input: Vec<vk::AttachmentReference2<'static>>,
    depth: Option<vk::AttachmentReference2<'static>>,
    depth_resolve: Option<vk::AttachmentReference2<'static>>,
    rate: Option<vk::AttachmentReference2<'static>>,
}

fn subpass_1(line: Line, subpass: &SubpassDescription) -> Done<Subpass1> {
    if subpass.depth_resolve.is_some() || subpass.shading_rate.is_some() {
        let message = "render pass 1 has no depth resolve and no shading rate attachment";
        return Err(Error::Listing(line, message.to_owned()));
    }
    let count = subpass.color.len().max(subpass.resolve.len());
    Ok(Subpass1 {
        color: references_1(&subpass.color, count),
        resolve: match subpass.resolve.is_empty() {
            true => Vec::new(),
            false => references_1(&subpass.resolve, count),
        },
        input: references_1(&subpass.input, 0),
        depth: subpass.depth.map(|d| reference_1(&Some(d))),
    })
}

fn reference_2(
    info: &RenderPassInfo,
    reference: &Option<AttachmentReference>,
) -> vk::AttachmentReference2<'static> {
    let Some(reference) = reference else {
        return vk::AttachmentReference2::default().attachment(vk::ATTACHMENT_UNUSED);
    };
    let format = info.attachments.get(reference.attachment as usize).map(|a| a.format);
    let all = aspects(format.unwrap_or_default());
    let aspect = if reference.aspects.is_empty() { all } else { reference.aspects };
    vk::AttachmentReference2::default()
        .attachment(reference.attachment)
        .layout(reference.layout)
        .aspect_mask(aspect)
}

fn subpass_2(info: &RenderPassInfo, subpass: &SubpassDescription) -> Subpass2 {
    let count = subpass.color.len().max(subpass.resolve.len());
    let list = |list: &[Option<AttachmentReference>], count: usize| {
        let mut out: Vec<_> = list.iter().map(|r| reference_2(info, r)).collect();
        out.resize(count.max(out.len()), reference_2(info, &None));
        out
    };
    Subpass2 {
        color: list(&subpass.color, count),
        resolve: match subpass.resolve.is_empty() {
            true => Vec::new(),
            false => list(&subpass.resolve, count),
        },
        input: list(&subpass.input, 0),
        depth: subpass.depth.map(|d| reference_2(info, &Some(d))),
        depth_resolve: subpass.depth_resolve.map(|d| reference_2(info, &Some(d.target))),
        rate: subpass.shading_rate.map(|r| reference_2(info, &Some(r))),
    }
}

fn density(
    info: &RenderPassInfo,
) -> Option<vk::RenderPassFragmentDensityMapCreateInfoEXT<'static>> {
    let map = reference_1(&info.density);
    info.density.map(|_| {
        vk::RenderPassFragmentDensityMapCreateInfoEXT::default()
            .fragment_density_map_attachment(map)
    })
}

fn attachments_1(info: &RenderPassInfo) -> Done<Vec<vk::AttachmentDescription>> {
    let describe = |a: &AttachmentDescription| {
        if a.stencil_layouts.is_some() {
            let message = "render pass 1 has no separate stencil layouts";
            return Err(Error::Listing(a.line, message.to_owned()));
        }
        Ok(vk::AttachmentDescription::default()
            .flags(a.flags)
            .format(a.format)
            .samples(samples(a.samples))
            .load_op(known(a.line, "load op", a.load)?)
            .store_op(known(a.line, "store op", a.store)?)
            .stencil_load_op(known(a.line, "stencil load op", a.stencil_load)?)
            .stencil_store_op(known(a.line, "stencil store op", a.stencil_store)?)
            .initial_layout(a.initial)
            .final_layout(a.final_))
    };
    info.attachments.iter().map(describe).collect()
}

fn dependencies_1(info: &RenderPassInfo) -> Done<Vec<vk::SubpassDependency>> {
    let describe = |d: &Dependency| {
        if d.masks_64 {
            return Err(Error::Listing(d.line, "render pass 1 has no 64-bit masks".to_owned()));
        }
        Ok(vk::SubpassDependency::default()
            .src_subpass(d.src)
            .dst_subpass(d.dst)
            .src_stage_mask(stages_32(d.line, d.src_stage)?)
            .dst_stage_mask(stages_32(d.line, d.dst_stage)?)
            .src_access_mask(access_32(d.line, d.src_access)?)
            .dst_access_mask(access_32(d.line, d.dst_access)?)
            .dependency_flags(d.flags))
    };
    info.dependencies.iter().map(describe).collect()
}

fn stencil_layouts(info: &RenderPassInfo) -> Vec<vk::AttachmentDescriptionStencilLayout<'static>> {
    let layouts = info.attachments.iter().map(|a| {
        let [initial, last] = a.stencil_layouts.unwrap_or_default();
        vk::AttachmentDescriptionStencilLayout::default()
            .stencil_initial_layout(initial)
            .stencil_final_layout(last)
    });
    layouts.collect()
}

fn attachments_2<'l>(
    info: &RenderPassInfo,
    layouts: &'l mut [vk::AttachmentDescriptionStencilLayout<'static>],
) -> Done<Vec<vk::AttachmentDescription2<'l>>> {
    let mut out = Vec::new();
    for (a, layouts) in info.attachments.iter().zip(layouts) {
        let described = vk::AttachmentDescription2::default()
            .flags(a.flags)
            .format(a.format)
            .samples(samples(a.samples))
            .load_op(known(a.line, "load op", a.load)?)
            .store_op(known(a.line, "store op", a.store)?)
            .stencil_load_op(known(a.line, "stencil load op", a.stencil_load)?)
            .stencil_store_op(known(a.line, "stencil store op", a.stencil_store)?)
            .initial_layout(a.initial)
            .final_layout(a.final_);
        out.push(match a.stencil_layouts {
            Some(_) => described.push_next(layouts),
            None => described,
        });
    }
    Ok(out)
}

fn depth_resolve<'r>(
    part: &'r Subpass2,
    subpass: &SubpassDescription,
) -> vk::SubpassDescriptionDepthStencilResolve<'r> {
    let modes = subpass.depth_resolve.as_ref();
    let none = vk::ResolveModeFlags::NONE;
    let out = vk::SubpassDescriptionDepthStencilResolve::default()
        .depth_resolve_mode(modes.map_or(none, |m| m.depth_mode))
        .stencil_resolve_mode(modes.map_or(none, |m| m.stencil_mode));
    match &part.depth_resolve {
        Some(target) => out.depth_stencil_resolve_attachment(target),
        None => out,
    }
}

fn masks_64(d: &Dependency) -> vk::MemoryBarrier2<'static> {
    vk::MemoryBarrier2::default()
        .src_stage_mask(d.src_stage)
        .src_access_mask(d.src_access)
        .dst_stage_mask(d.dst_stage)
        .dst_access_mask(d.dst_access)
}

fn dependencies_2<'b>(
    info: &RenderPassInfo,
    barriers: &'b mut [vk::MemoryBarrier2<'static>],
) -> Done<Vec<vk::SubpassDependency2<'b>>> {
    let mut out = Vec::new();
    for (d, barrier) in info.dependencies.iter().zip(barriers) {
        let described = vk::SubpassDependency2::default()
            .src_subpass(d.src)
            .dst_subpass(d.dst)
            .dependency_flags(d.flags)
            .view_offset(d.view_offset);
        out.push(match d.masks_64 {
            true => described.push_next(barrier),
            false => described
                .src_stage_mask(stages_32(d.line, d.src_stage)?)
                .dst_stage_mask(stages_32(d.line, d.dst_stage)?)
                .src_access_mask(access_32(d.line, d.src_access)?)
                .dst_access_mask(access_32(d.line, d.dst_access)?),
        });
    }
    Ok(out)
}

impl Player<'_> {
    /// `vkCreateRenderPass` or `vkCreateRenderPass2`.
    pub(crate) fn render_pass(
        &mut self,
        key: RenderPassKey,
        info: &std::sync::Arc<RenderPassInfo>,
        name: Option<&str>,
    ) -> Done {
        if info.opaque {
            return self.bad("the render pass holds a structure that is not known");
        }
        let handle = match info.via {
            Via::Rp1 => self.render_pass_1(info)?,
            _ => self.render_pass_2(info)?,
        };
        self.objects.render_passes.insert(key, (handle, info.clone()));
        // Its name is what its passes are called after.
        let labels = self.labels.get(&key).map(Vec::as_slice).unwrap_or_default();
        let name = match labels {
            [] => name,
            [label] if label.is_empty() => name,
            [label] => Some(&**label),
            _ => None,
        };
        self.name(handle, name)
    }

    fn render_pass_1(&self, info: &RenderPassInfo) -> Done<vk::RenderPass> {
        let line = self.line;
        let attachments = attachments_1(info)?;
        let parts: Done<Vec<_>> = info.subpasses.iter().map(|s| subpass_1(line, s)).collect();
        let parts = parts?;
        let subpasses = parts.iter().zip(&info.subpasses).map(|(p, s)| {
            let mut out = vk::SubpassDescription::default()
                .flags(s.flags)
                .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
                .color_attachments(&p.color)
                .input_attachments(&p.input)
                .preserve_attachments(&s.preserve);
            if !p.resolve.is_empty() {
                out = out.resolve_attachments(&p.resolve);
            }
            match &p.depth {
                Some(depth) => out.depth_stencil_attachment(depth),
                None => out,
            }
        });
        let subpasses: Vec<_> = subpasses.collect();
        let dependencies = dependencies_1(info)?;
        let masks: Vec<u32> = info.subpasses.iter().map(|s| s.view_mask).collect();
        let offsets: Vec<i32> = info.dependencies.iter().map(|d| d.view_offset).collect();
        let mut views =
            vk::RenderPassMultiviewCreateInfo::default().view_masks(&masks).view_offsets(&offsets);
        let inputs = input_aspects(info);
        let mut inputs =
            vk::RenderPassInputAttachmentAspectCreateInfo::default().aspect_references(&inputs);
        let mut map = density(info);
        let mut create = vk::RenderPassCreateInfo::default()
            .flags(info.flags)
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies);
        if masks.iter().any(|m| *m != 0) {
            create = create.push_next(&mut views);
        }
        if inputs.aspect_reference_count != 0 {
            create = create.push_next(&mut inputs);
        }
        if let Some(map) = &mut map {
            create = create.push_next(map);
        }
        let handle = api!(self.gpu.device.create_render_pass(&create, None));
        handle.map_err(self.failed("vkCreateRenderPass"))
    }

    fn render_pass_2(&self, info: &RenderPassInfo) -> Done<vk::RenderPass> {
        let mut layouts = stencil_layouts(info);
        let attachments = attachments_2(info, &mut layouts)?;
        let parts: Vec<_> = info.subpasses.iter().map(|s| subpass_2(info, s)).collect();
        let of = parts.iter().zip(&info.subpasses);
        let mut resolves: Vec<_> = of.map(|(p, s)| depth_resolve(p, s)).collect();
        let texel = self.rate_texel(parts.iter().any(|p| p.rate.is_some()));
        let mut rates: Vec<_> = parts
            .iter()
            .map(|p| {
                let out = vk::FragmentShadingRateAttachmentInfoKHR::default()
                    .shading_rate_attachment_texel_size(texel);
                match &p.rate {
                    Some(rate) => out.fragment_shading_rate_attachment(rate),
                    None => out,
                }
            })
            .collect();
        let chained = info.subpasses.iter().zip(&parts).zip(&mut resolves).zip(&mut rates);
        let subpasses: Vec<_> = chained
            .map(|(((s, p), resolve), rate)| {
                let mut out = vk::SubpassDescription2::default()
                    .flags(s.flags)
                    .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
                    .view_mask(s.view_mask)
                    .color_attachments(&p.color)
                    .input_attachments(&p.input)
                    .preserve_attachments(&s.preserve);
                if !p.resolve.is_empty() {
                    out = out.resolve_attachments(&p.resolve);
                }
                if let Some(depth) = &p.depth {
                    out = out.depth_stencil_attachment(depth);
                }
                if p.depth_resolve.is_some() {
                    out = out.push_next(resolve);
                }
                if p.rate.is_some() { out.push_next(rate) } else { out }
            })
            .collect();
        let mut barriers: Vec<_> = info.dependencies.iter().map(masks_64).collect();
        let dependencies = dependencies_2(info, &mut barriers)?;
        let mut map = density(info);
        let mut create = vk::RenderPassCreateInfo2::default()
            .flags(info.flags)
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies);
        if let Some(map) = &mut map {
            create = create.push_next(map);
        }
        let handle = api!(self.gpu.device.create_render_pass2(&create, None));
        handle.map_err(self.failed("vkCreateRenderPass2"))
    }

    /// Texels of a shading rate attachment: the smallest that the driver has.
    pub(crate) fn rate_texel(&self, used: bool) -> vk::Extent2D {
        let mut rates = vk::PhysicalDeviceFragmentShadingRatePropertiesKHR::default();
        if used {
            let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut rates);
            let instance = &self.host.instance;
            api!(instance.get_physical_device_properties2(self.host.physical, &mut all));
        }
        rates.min_fragment_shading_rate_attachment_texel_size
    }
}

/// Input attachments whose aspects were narrowed down.
fn input_aspects(info: &RenderPassInfo) -> Vec<vk::InputAttachmentAspectReference> {
    let mut out = Vec::new();
    for (subpass, description) in (0..).zip(&info.subpasses) {
        for (index, input) in (0..).zip(&description.input) {
            if let Some(input) = input.filter(|i| !i.aspects.is_empty()) {
                out.push(vk::InputAttachmentAspectReference {
                    subpass,
                    input_attachment_index: index,
                    aspect_mask: input.aspects,
                });
            }
        }
    }
    out
}
