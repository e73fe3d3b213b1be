//! Dynamic rendering said with render pass objects and framebuffers.

use std::sync::Arc;

use ash::vk;
use tilelint::call::*;

use super::Rewrite;
use crate::error::Done;

/// An attachment of a rendering instance as one of a render pass.
fn describe(
    attachment: &RenderingAttachment,
    (format, samples): (vk::Format, u32),
) -> AttachmentDescription {
    AttachmentDescription {
        label: "".into(),
        format,
        samples,
        load: attachment.load,
        store: attachment.store,
        stencil_load: Some(vk::AttachmentLoadOp::DONT_CARE),
        stencil_store: Some(vk::AttachmentStoreOp::DONT_CARE),
        initial: attachment.layout,
        final_: attachment.layout,
        stencil_layouts: None,
        flags: vk::AttachmentDescriptionFlags::empty(),
        line: attachment.line,
    }
}

/// What a rendering instance becomes.
#[derive(Default)]
struct Parts {
    info: RenderPassInfo,
    views: Vec<Option<ViewKey>>,
    clears: Vec<Option<[u32; 4]>>,
    subpass: SubpassDescription,
}

impl Parts {
    fn add(
        &mut self,
        description: AttachmentDescription,
        view: ViewKey,
        clear: Option<[u32; 4]>,
    ) -> AttachmentReference {
        let layout = description.initial;
        self.info.attachments.push(description);
        self.views.push(Some(view));
        self.clears.push(clear);
        let attachment = self.views.len() as u32 - 1;
        AttachmentReference { attachment, layout, aspects: vk::ImageAspectFlags::empty() }
    }
}

impl Rewrite<'_> {
    fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn emit(&mut self, call: Call, name: Option<&str>, line: Line) {
        let mut entry = Entry::new(self.device, call);
        (entry.name, entry.line) = (name.map(Into::into), line);
        self.out.push(entry);
    }

    /// The render pass of a rendering instance, made once for each label and shape.
    fn object_pass(&mut self, label: &str, info: RenderPassInfo, line: Line) -> RenderPassKey {
        let made = self.made_passes.iter().find(|(l, i, _)| **l == *label && **i == info);
        if let Some((.., key)) = made {
            return *key;
        }
        let key = RenderPassKey(self.fresh());
        let info = Arc::new(info);
        self.made_passes.push((label.into(), info.clone(), key));
        let name = (!label.is_empty()).then_some(label);
        self.emit(Call::RenderPass(key, info), name, line);
        key
    }

    fn parts(&self, rendering: &Rendering, line: Line) -> Done<Parts> {
        let both = vk::RenderingFlags::SUSPENDING | vk::RenderingFlags::RESUMING;
        if rendering.flags.intersects(both) {
            return Self::bad(line, "a render pass object cannot be suspended or resumed");
        }
        let mut parts = Parts::default();
        parts.info.via = self.via;
        parts.subpass.view_mask = rendering.view_mask;
        parts.subpass.line = line;
        for attachment in &rendering.attachments {
            self.part(&mut parts, attachment);
        }
        let count = parts.subpass.color.len();
        if !parts.subpass.resolve.is_empty() {
            parts.subpass.resolve.resize(count, None);
        }
        parts.info.subpasses.push(std::mem::take(&mut parts.subpass));
        Ok(parts)
    }

    fn part(&self, parts: &mut Parts, attachment: &RenderingAttachment) {
        let role = attachment.role;
        let Some(view) = attachment.view else {
            if let RenderingRole::Color(index) = role {
                let count = parts.subpass.color.len().max(index as usize + 1);
                parts.subpass.color.resize(count, None);
            }
            return;
        };
        if role == RenderingRole::Stencil
            && let Some(depth) = parts.subpass.depth
            && parts.views[depth.attachment as usize] == Some(view)
        {
            // One attachment has both aspects.
            let description = &mut parts.info.attachments[depth.attachment as usize];
            (description.stencil_load, description.stencil_store) =
                (attachment.load, attachment.store);
            let clear = &mut parts.clears[depth.attachment as usize];
            let stencil = attachment.clear.map_or(0, |words| words[1]);
            let words = clear.or(attachment.clear);
            *clear = words.map(|words| [words[0], stencil, 0, 0]);
            if let Some(resolve) = &mut parts.subpass.depth_resolve {
                resolve.stencil_mode = attachment.resolve_mode;
            } else {
                self.resolve(parts, attachment);
            }
            return;
        }
        let mut description = describe(attachment, self.all.format(view));
        if role == RenderingRole::Stencil {
            description.stencil_load = description.load.replace(vk::AttachmentLoadOp::DONT_CARE);
            description.stencil_store = description.store.replace(vk::AttachmentStoreOp::DONT_CARE);
        }
        let reference = parts.add(description, view, attachment.clear);
        match role {
            RenderingRole::Color(index) => {
                let count = parts.subpass.color.len().max(index as usize + 1);
                parts.subpass.color.resize(count, None);
                parts.subpass.color[index as usize] = Some(reference);
            }
            RenderingRole::Depth | RenderingRole::Stencil => parts.subpass.depth = Some(reference),
            RenderingRole::Density => parts.info.density = Some(reference),
            RenderingRole::ShadingRate => parts.subpass.shading_rate = Some(reference),
        }
        self.resolve(parts, attachment);
    }

    /// The resolve target becomes an attachment of its own.
    fn resolve(&self, parts: &mut Parts, attachment: &RenderingAttachment) {
        let Some(view) = attachment.resolve_view else { return };
        let mut description = describe(attachment, self.all.format(view));
        description.load = Some(vk::AttachmentLoadOp::DONT_CARE);
        description.store = Some(vk::AttachmentStoreOp::STORE);
        (description.initial, description.final_) =
            (attachment.resolve_layout, attachment.resolve_layout);
        let none = vk::ResolveModeFlags::NONE;
        match attachment.role {
            RenderingRole::Color(index) => {
                let target = parts.add(description, view, None);
                let resolves = &mut parts.subpass.resolve;
                resolves.resize(resolves.len().max(index as usize + 1), None);
                resolves[index as usize] = Some(target);
            }
            role => {
                description.stencil_store = Some(vk::AttachmentStoreOp::STORE);
                let target = parts.add(description, view, None);
                let mode = attachment.resolve_mode;
                let stencil = role == RenderingRole::Stencil;
                parts.subpass.depth_resolve = Some(AttachmentResolve {
                    target,
                    depth_mode: if stencil { none } else { mode },
                    stencil_mode: if stencil { mode } else { none },
                });
            }
        }
    }

    /// The render pass of a rendering instance, wherever it is.
    fn pass_of(&mut self, begin: &PassBegin, rendering: &Rendering) -> Done<RenderPassKey> {
        let parts = self.parts(rendering, begin.line)?;
        let label = begin.label.clone().unwrap_or_default();
        Ok(self.object_pass(&label, parts.info, begin.line))
    }

    /// The first rendering instance in which some command is found.
    fn instance_with(&self, found: impl Fn(&Command) -> bool) -> Option<(PassBegin, Rendering)> {
        for entry in self.entries.iter().filter(|e| e.device == self.device) {
            let Call::Commands(_, recording) = &entry.call else { continue };
            let mut inside = None;
            for command in &recording.commands {
                match command {
                    Command::BeginPass(begin) => {
                        inside = match &begin.target {
                            PassTarget::Dynamic(rendering) => Some((begin, rendering)),
                            PassTarget::Object { .. } => None,
                        };
                    }
                    Command::EndPass => inside = None,
                    command if found(command) => {
                        if let Some((begin, rendering)) = inside {
                            return Some(((**begin).clone(), rendering.clone()));
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// A render pass with attachments of these formats, for what no rendering instance uses.
    fn pass_of_formats(
        &mut self,
        formats: &[vk::Format],
        samples: u32,
        line: Line,
    ) -> RenderPassKey {
        let mut info = RenderPassInfo { via: self.via, ..RenderPassInfo::default() };
        let mut subpass = SubpassDescription::default();
        let colors = formats.len().saturating_sub(2);
        let depth = formats.iter().skip(colors).find(|f| **f != vk::Format::UNDEFINED);
        for (index, format) in formats.iter().take(colors).chain(depth).enumerate() {
            let layout = match index < colors {
                true => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
                false => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            };
            let reference = (*format != vk::Format::UNDEFINED).then(|| {
                info.attachments.push(AttachmentDescription {
                    label: "".into(),
                    format: *format,
                    samples: samples.max(1),
                    load: Some(vk::AttachmentLoadOp::DONT_CARE),
                    store: Some(vk::AttachmentStoreOp::DONT_CARE),
                    stencil_load: Some(vk::AttachmentLoadOp::DONT_CARE),
                    stencil_store: Some(vk::AttachmentStoreOp::DONT_CARE),
                    initial: vk::ImageLayout::UNDEFINED,
                    final_: layout,
                    stencil_layouts: None,
                    flags: vk::AttachmentDescriptionFlags::empty(),
                    line,
                });
                let attachment = info.attachments.len() as u32 - 1;
                AttachmentReference { attachment, layout, aspects: vk::ImageAspectFlags::empty() }
            });
            match index < colors {
                true => subpass.color.push(reference),
                false => subpass.depth = reference,
            }
        }
        info.subpasses.push(subpass);
        self.object_pass("", info, line)
    }

    /// A pipeline for dynamic rendering becomes one for the render pass that is used instead.
    pub(super) fn object_pipeline(
        &mut self,
        key: PipelineKey,
        info: &mut PipelineInfo,
        line: Line,
    ) -> Done {
        if info.pass.is_some() {
            return Ok(());
        }
        let binds = |command: &Command| match command {
            Command::BindPipeline { pipeline, .. } => *pipeline == key,
            _ => false,
        };
        let direct = self.instance_with(binds).or_else(|| {
            // It may be bound in a secondary command buffer.
            let mine = self.entries.iter().filter(|e| e.device == self.device);
            let by = mine.filter_map(|e| match &e.call {
                Call::Commands(key, r) if r.secondary && r.commands.iter().any(binds) => Some(*key),
                _ => None,
            });
            by.filter_map(|key| self.instance_with(|c| executes(c, key))).next()
        });
        let pass = match direct {
            Some((begin, rendering)) => self.pass_of(&begin, &rendering)?,
            None => self.pass_of_formats(&info.formats, info.samples, line),
        };
        (info.pass, info.subpass) = (Some(pass), 0);
        info.formats.clear();
        Ok(())
    }

    /// Rendering instances of a recording become passes with objects.
    pub(super) fn object_recording(
        &mut self,
        key: CommandsKey,
        recording: &mut Recording,
        line: Line,
    ) -> Done {
        let continues = recording.usage.contains(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE);
        if recording.secondary && continues && recording.inherits.is_none() {
            let pass = match self.instance_with(|c| executes(c, key)) {
                Some((begin, rendering)) => self.pass_of(&begin, &rendering)?,
                None => {
                    let formats = recording.inherited_formats.clone();
                    self.pass_of_formats(&formats, recording.inherited_samples, line)
                }
            };
            recording.inherits = Some((Some(pass), 0, None));
            recording.inherited_formats.clear();
            (recording.inherited_samples, recording.inherited_views) = (0, 0);
        }
        self.replace(recording, |this, command| match command {
            Command::BeginPass(begin) => Ok(vec![this.object_begin(begin)?]),
            other => Ok(vec![other]),
        })
    }

    fn object_begin(&mut self, mut begin: Box<PassBegin>) -> Done<Command> {
        let PassTarget::Dynamic(rendering) = &begin.target else {
            return Ok(Command::BeginPass(begin));
        };
        let parts = self.parts(rendering, begin.line)?;
        let layers = if rendering.view_mask != 0 { 1 } else { rendering.layers.max(1) };
        let label = begin.label.clone().unwrap_or_default();
        let render_pass = self.object_pass(&label, parts.info, begin.line);
        let area = begin.area;
        let reach = |at: i32, size: u32| size.saturating_add_signed(at);
        let framebuffer = FramebufferInfo {
            render_pass,
            extent: vk::Extent2D {
                width: reach(area.offset.x, area.extent.width),
                height: reach(area.offset.y, area.extent.height),
            },
            layers,
            views: parts.views,
            imageless: None,
            tiles: Vec::new(),
        };
        let made = self.made_framebuffers.iter().find(|(info, _)| *info == framebuffer);
        let framebuffer = match made {
            Some((_, key)) => *key,
            None => {
                let key = FramebufferKey(self.fresh());
                self.made_framebuffers.push((framebuffer.clone(), key));
                self.emit(Call::Framebuffer(key, Box::new(framebuffer)), None, begin.line);
                key
            }
        };
        begin.target = PassTarget::Object { render_pass, framebuffer, views_bound: None };
        begin.clears = parts.clears;
        Ok(Command::BeginPass(begin))
    }
}

fn executes(command: &Command, key: CommandsKey) -> bool {
    match command {
        Command::Execute(list) => list.iter().any(|e| e.key == Some(key)),
        _ => false,
    }
}
