//! Render passes said as dynamic rendering: layout transitions become barriers.

use std::sync::Arc;

use ash::vk;
use tilelint::call::*;
use tilelint::format::{self, Aspect};

use super::Rewrite;
use crate::error::Done;

type Stage = vk::PipelineStageFlags2;
type Access = vk::AccessFlags2;

/// Stages and accesses of an attachment.
fn attachment_sync(of: vk::Format) -> (Stage, Access, Access) {
    if format::is_depth_stencil(of) {
        let stages = Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS;
        let write = Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
        return (stages, write | Access::DEPTH_STENCIL_ATTACHMENT_READ, write);
    }
    let write = Access::COLOR_ATTACHMENT_WRITE;
    (Stage::COLOR_ATTACHMENT_OUTPUT, write | Access::COLOR_ATTACHMENT_READ, write)
}

/// Stages and accesses of what comes after a pass, by the layout it leaves.
fn after(layout: vk::ImageLayout, of: vk::Format) -> (Stage, Access) {
    match layout {
        vk::ImageLayout::PRESENT_SRC_KHR => (Stage::NONE, Access::NONE),
        vk::ImageLayout::TRANSFER_SRC_OPTIMAL => (Stage::TRANSFER, Access::TRANSFER_READ),
        vk::ImageLayout::TRANSFER_DST_OPTIMAL => (Stage::TRANSFER, Access::TRANSFER_WRITE),
        vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL
        | vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL
        | vk::ImageLayout::DEPTH_READ_ONLY_OPTIMAL
        | vk::ImageLayout::READ_ONLY_OPTIMAL => (Stage::FRAGMENT_SHADER, Access::SHADER_READ),
        _ => {
            let (stages, access, _) = attachment_sync(of);
            (stages, access)
        }
    }
}

/// A render pass with the views that are bound to it.
struct Bound<'b> {
    info: &'b RenderPassInfo,
    views: &'b [Option<ViewKey>],
    clears: &'b [Option<[u32; 4]>],
}

impl Bound<'_> {
    /// What an attachment is in a role; stencil has its own ops.
    fn attachment(&self, r: AttachmentReference, role: RenderingRole) -> RenderingAttachment {
        let index = r.attachment as usize;
        let a = &self.info.attachments[index];
        let stencil = role == RenderingRole::Stencil;
        RenderingAttachment {
            role,
            view: self.views.get(index).copied().flatten(),
            layout: r.layout,
            load: if stencil { a.stencil_load } else { a.load },
            store: if stencil { a.stencil_store } else { a.store },
            resolve_mode: vk::ResolveModeFlags::NONE,
            resolve_view: None,
            resolve_layout: vk::ImageLayout::UNDEFINED,
            clear: self.clears.get(index).copied().flatten(),
            line: a.line,
        }
    }
}

impl Rewrite<'_> {
    /// The one subpass of a render pass that dynamic rendering can say.
    fn only_subpass(info: &RenderPassInfo, line: Line) -> Done<&SubpassDescription> {
        let [subpass] = info.subpasses.as_slice() else {
            return Self::bad(line, "dynamic rendering has no subpasses");
        };
        if subpass.input.iter().any(Option::is_some) {
            return Self::bad(line, "dynamic rendering has no input attachments");
        }
        if info.dependencies.iter().any(|d| d.src == d.dst) {
            return Self::bad(line, "dynamic rendering has no dependency of a subpass on itself");
        }
        Ok(subpass)
    }

    fn pass_formats(info: &RenderPassInfo, subpass: &SubpassDescription) -> (Vec<vk::Format>, u32) {
        let attachment = |r: &AttachmentReference| info.attachments.get(r.attachment as usize);
        let undefined = vk::Format::UNDEFINED;
        let of = |r: &Option<AttachmentReference>| {
            r.as_ref().and_then(attachment).map_or(undefined, |a| a.format)
        };
        let mut formats: Vec<_> = subpass.color.iter().map(of).collect();
        let depth = of(&subpass.depth);
        for aspect in [Aspect::Depth, Aspect::Stencil] {
            formats.push(if format::has_aspect(depth, aspect) { depth } else { undefined });
        }
        let first = subpass.color.iter().flatten().chain(&subpass.depth).next();
        (formats, first.and_then(attachment).map_or(1, |a| a.samples))
    }

    /// A pipeline for a render pass becomes one for its formats.
    pub(super) fn dynamic_pipeline(&self, info: &mut PipelineInfo, line: Line) -> Done {
        let Some(pass) = info.pass.take() else { return Ok(()) };
        let pass = self.known.passes.get(&pass).cloned().unwrap_or_default();
        let subpass = Self::only_subpass(&pass, line)?;
        info.formats = Self::pass_formats(&pass, subpass).0;
        info.subpass = 0;
        Ok(())
    }

    /// Passes of a recording become rendering instances.
    pub(super) fn dynamic_recording(&mut self, recording: &mut Recording, line: Line) -> Done {
        if let Some((Some(pass), ..)) = recording.inherits {
            let pass = self.known.passes.get(&pass).cloned().unwrap_or_default();
            let subpass = Self::only_subpass(&pass, line)?;
            recording.inherits = None;
            (recording.inherited_formats, recording.inherited_samples) =
                Self::pass_formats(&pass, subpass);
            recording.inherited_views = subpass.view_mask;
        }
        let mut end = Vec::new();
        self.replace(recording, |this, command| match command {
            Command::BeginPass(begin) => {
                let (commands, later) = this.dynamic_begin(begin)?;
                end = later;
                Ok(commands)
            }
            Command::EndPass => Ok([vec![Command::EndPass], std::mem::take(&mut end)].concat()),
            other => Ok(vec![other]),
        })
    }

    /// The rendering instance with what stands before it, and what follows its end.
    fn dynamic_begin(&self, mut begin: Box<PassBegin>) -> Done<(Vec<Command>, Vec<Command>)> {
        let PassTarget::Object { render_pass, framebuffer, views_bound } = &begin.target else {
            return Ok((vec![Command::BeginPass(begin)], Vec::new()));
        };
        let info: Arc<RenderPassInfo> =
            self.known.passes.get(render_pass).cloned().unwrap_or_default();
        let of = self.known.framebuffers.get(framebuffer);
        let views = views_bound.clone().or(of.map(|f| f.views.clone())).unwrap_or_default();
        let bound = Bound { info: &info, views: &views, clears: &begin.clears };
        let subpass = Self::only_subpass(&info, begin.line)?;
        let mut rendering = Self::attachments(&bound, subpass, begin.line)?;
        rendering.view_mask = subpass.view_mask;
        rendering.layers = of.map_or(1, |f| f.layers);
        let before = self.transitions(&bound, subpass, true);
        let later = self.transitions(&bound, subpass, false);
        begin.target = PassTarget::Dynamic(rendering);
        begin.clears.clear();
        let mut commands = before;
        commands.push(Command::BeginPass(begin));
        Ok((commands, later))
    }

    fn attachments(bound: &Bound, subpass: &SubpassDescription, line: Line) -> Done<Rendering> {
        let mut out = Rendering::default();
        let mut used = vec![false; bound.info.attachments.len()];
        let mut target = |r: AttachmentReference, stencil: bool| {
            used[r.attachment as usize] = true;
            let a = &bound.info.attachments[r.attachment as usize];
            let store = if stencil { a.stencil_store } else { a.store };
            match store {
                Some(vk::AttachmentStoreOp::STORE) => {
                    Ok(bound.views.get(r.attachment as usize).copied().flatten())
                }
                _ => Self::bad(line, "dynamic rendering always stores what it resolves"),
            }
        };
        for (index, color) in (0..).zip(&subpass.color) {
            let Some(color) = color else { continue };
            let mut a = bound.attachment(*color, RenderingRole::Color(index));
            if let Some(resolve) = subpass.resolve.get(index as usize).copied().flatten() {
                let of = bound.info.attachments[color.attachment as usize].format;
                a.resolve_view = target(resolve, false)?;
                a.resolve_layout = resolve.layout;
                a.resolve_mode = match format::is_integer(of) {
                    true => vk::ResolveModeFlags::SAMPLE_ZERO,
                    false => vk::ResolveModeFlags::AVERAGE,
                };
            }
            out.attachments.push(a);
        }
        if let Some(depth) = subpass.depth {
            let of = bound.info.attachments[depth.attachment as usize].format;
            let aspects =
                [(Aspect::Depth, RenderingRole::Depth), (Aspect::Stencil, RenderingRole::Stencil)];
            for (aspect, role) in aspects.into_iter().filter(|(a, _)| format::has_aspect(of, *a)) {
                let mut a = bound.attachment(depth, role);
                if let Some(resolve) = &subpass.depth_resolve {
                    let stencil = aspect == Aspect::Stencil;
                    let mode = if stencil { resolve.stencil_mode } else { resolve.depth_mode };
                    used_target(&mut a, resolve, mode, || target(resolve.target, stencil))?;
                }
                out.attachments.push(a);
            }
        }
        let maps = [
            (bound.info.density, RenderingRole::Density),
            (subpass.shading_rate, RenderingRole::ShadingRate),
        ];
        for (map, role) in maps {
            out.attachments.extend(map.map(|map| bound.attachment(map, role)));
        }
        let all = subpass.color.iter().flatten().chain(&subpass.depth);
        let all = all.chain(&bound.info.density).chain(&subpass.shading_rate);
        all.for_each(|r| used[r.attachment as usize] = true);
        if used.contains(&false) {
            return Self::bad(line, "dynamic rendering has no attachments without a use");
        }
        Ok(out)
    }

    /// The barriers that stand for the transitions before or after a pass, and for its
    /// dependencies on what is outside.
    fn transitions(
        &self,
        bound: &Bound,
        subpass: &SubpassDescription,
        before: bool,
    ) -> Vec<Command> {
        let depth_resolve = subpass.depth_resolve.map(|r| r.target);
        let all = subpass.color.iter().flatten().chain(subpass.resolve.iter().flatten());
        let all = all.chain(&subpass.depth).chain(&depth_resolve);
        let all = all.chain(&bound.info.density).chain(&subpass.shading_rate);
        let mut barriers = Vec::new();
        for reference in all {
            let index = reference.attachment as usize;
            let a = &bound.info.attachments[index];
            let (old, new) = match before {
                true => (a.initial, reference.layout),
                false => (reference.layout, a.final_),
            };
            let view = bound.views.get(index).copied().flatten();
            let Some(view) = view.and_then(|view| self.known.views.get(&view)) else { continue };
            if old == new {
                continue;
            }
            let range = SubresourceRange {
                aspects: vk::ImageAspectFlags::empty(),
                base_mip: view.base_mip,
                mips: view.mips,
                base_layer: view.base_layer,
                layers: view.layers,
            };
            // Resolves of depth and stencil are writes of the colour stage, too.
            let (stages, access, write) = match depth_resolve == Some(*reference) {
                true => attachment_sync(vk::Format::UNDEFINED),
                false => attachment_sync(a.format),
            };
            let (dst_stage, dst_access) = match before {
                true => (stages, access),
                false => after(new, a.format),
            };
            barriers.push(Barrier {
                target: BarrierTarget::Image { image: view.image, range, old, new },
                src_stage: stages,
                dst_stage,
                src_access: if before { Access::NONE } else { write },
                dst_access,
                src_queue: vk::QUEUE_FAMILY_IGNORED,
                dst_queue: vk::QUEUE_FAMILY_IGNORED,
            });
        }
        let outside = |d: &&Dependency| match before {
            true => d.src == SUBPASS_EXTERNAL,
            false => d.dst == SUBPASS_EXTERNAL,
        };
        for d in bound.info.dependencies.iter().filter(outside) {
            barriers.push(Barrier {
                target: BarrierTarget::Memory,
                src_stage: d.src_stage,
                dst_stage: d.dst_stage,
                src_access: d.src_access,
                dst_access: d.dst_access,
                src_queue: vk::QUEUE_FAMILY_IGNORED,
                dst_queue: vk::QUEUE_FAMILY_IGNORED,
            });
        }
        if barriers.is_empty() {
            return Vec::new();
        }
        let flags = vk::DependencyFlags::empty();
        vec![Command::Barrier(Box::new(BarrierCommand { barriers, flags, version: 2 }))]
    }
}

/// Lets an aspect resolve into its target, unless it does not resolve.
fn used_target(
    attachment: &mut RenderingAttachment,
    resolve: &AttachmentResolve,
    mode: vk::ResolveModeFlags,
    view: impl FnOnce() -> Done<Option<ViewKey>>,
) -> Done {
    if !mode.is_empty() {
        attachment.resolve_mode = mode;
        attachment.resolve_view = view()?;
        attachment.resolve_layout = resolve.target.layout;
    }
    Ok(())
}
