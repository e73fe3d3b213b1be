//! Command buffers: what a recording holds becomes the commands it names.

use ash::vk;
use tilelint::call::*;

use crate::error::Done;
use crate::gpu::{api, c_string};
use crate::memory::samples;
use crate::player::{Commands, Player};

/// A command buffer while it is recorded.
#[derive(Default)]
pub(crate) struct Tape {
    pub commands: vk::CommandBuffer,
    /// Area of the pass.
    pub area: vk::Rect2D,
    pub dynamic_pass: bool,
    /// A label was begun around the pass.
    pub labelled: bool,
    /// Dynamic state that was set.
    pub set: Vec<vk::DynamicState>,
    /// The graphics pipeline.
    pub pipeline: Option<PipelineKey>,
    /// Its variant for mesh draws is bound.
    pub mesh: bool,
    /// An index buffer is bound.
    pub indexed: bool,
}

pub(crate) fn contents(contents: Contents) -> vk::SubpassContents {
    match contents {
        Contents::Inline => vk::SubpassContents::INLINE,
        Contents::Secondary => vk::SubpassContents::SECONDARY_COMMAND_BUFFERS,
        Contents::Both => vk::SubpassContents::INLINE_AND_SECONDARY_COMMAND_BUFFERS_EXT,
    }
}

impl Player<'_> {
    fn pool(&mut self, family: u32) -> Done<vk::CommandPool> {
        if let Some(pool) = self.objects.pools.get(&family) {
            return Ok(*pool);
        }
        let create = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(family);
        let pool = api!(self.gpu.device.create_command_pool(&create, None));
        let pool = pool.map_err(self.failed("vkCreateCommandPool"))?;
        self.objects.pools.insert(family, pool);
        Ok(pool)
    }

    fn allocate_commands(&mut self, family: u32, secondary: bool) -> Done<vk::CommandBuffer> {
        let level = match secondary {
            true => vk::CommandBufferLevel::SECONDARY,
            false => vk::CommandBufferLevel::PRIMARY,
        };
        let allocate = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool(family)?)
            .level(level)
            .command_buffer_count(1);
        let buffers = api!(self.gpu.device.allocate_command_buffers(&allocate));
        Ok(buffers.map_err(self.failed("vkAllocateCommandBuffers"))?[0])
    }

    /// Runs commands once and waits for them.
    pub(crate) fn once(&mut self, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Done {
        let (queue, family) = self.gpu.main;
        let commands = self.allocate_commands(family, false)?;
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let begun = api!(self.gpu.device.begin_command_buffer(commands, &begin));
        begun.map_err(self.failed("vkBeginCommandBuffer"))?;
        record(&self.gpu.device, commands);
        let ended = api!(self.gpu.device.end_command_buffer(commands));
        ended.map_err(self.failed("vkEndCommandBuffer"))?;
        let buffers = [commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        let done = api!(self.gpu.device.queue_submit(queue, &submit, vk::Fence::null()));
        done.map_err(self.failed("vkQueueSubmit"))?;
        let idle = api!(self.gpu.device.queue_wait_idle(queue));
        idle.map_err(self.failed("vkQueueWaitIdle"))?;
        let pool = self.pool(family)?;
        api!(self.gpu.device.free_command_buffers(pool, &buffers));
        Ok(())
    }

    /// The family of the queue that a command buffer is submitted to.
    fn family_of(&self, key: CommandsKey) -> u32 {
        let mine = self.entries.iter().filter(|e| e.device == self.key);
        let queue = mine.clone().find_map(|e| match &e.call {
            Call::Submit(info) => {
                let mut all = info.batches.iter().flat_map(|b| &b.commands);
                all.any(|c| c.key == key).then_some(info.queue)
            }
            _ => None,
        });
        if let Some(queue) = queue {
            return self.gpu.queue(queue).1;
        }
        // A secondary one goes where the one goes that executes it.
        let executes = |recording: &Recording| {
            recording.commands.iter().any(|c| match c {
                Command::Execute(list) => list.iter().any(|e| e.key == Some(key)),
                _ => false,
            })
        };
        let by = mine.clone().find_map(|e| match &e.call {
            Call::Commands(by, recording) if *by != key && executes(recording) => Some(*by),
            _ => None,
        });
        by.map_or(self.gpu.main.1, |by| self.family_of(by))
    }

    /// Records a command buffer.
    pub(crate) fn commands(
        &mut self,
        key: CommandsKey,
        recording: &Recording,
        name: Option<&str>,
    ) -> Done {
        if recording.left_out != 0 {
            return self.bad("commands were left out of this recording");
        }
        let old = self.objects.commands.get(&key).copied();
        // One that still runs cannot be recorded: its place is taken by another.
        let usable = old
            .filter(|old| old.secondary == recording.secondary && !self.is_pending(old.submitted));
        let (handle, family) = match usable {
            Some(old) => (old.handle, old.family),
            None => {
                let family = self.family_of(key);
                (self.allocate_commands(family, recording.secondary)?, family)
            }
        };
        let commands = Commands { handle, secondary: recording.secondary, family, submitted: 0 };
        self.objects.commands.insert(key, commands);
        self.name(handle, name)?;
        self.begin(handle, recording, self.usage(key, recording))?;
        let mut tape = Tape { commands: handle, ..Tape::default() };
        if let Some((_, _, Some(fb))) = recording.inherits {
            let fb = self.objects.framebuffers.get(&fb);
            tape.area.extent = fb.map(|(_, info)| info.extent).unwrap_or_default();
        }
        let executed = recording.commands.iter().flat_map(|c| match c {
            Command::Execute(list) => list.as_slice(),
            _ => &[],
        });
        self.executed.insert(key, executed.filter_map(|e| e.key).collect());
        let line = self.line;
        for (index, command) in recording.commands.iter().enumerate() {
            if let Some(line) = recording.lines.get(index) {
                self.line = *line;
            }
            self.command(&mut tape, recording, command)?;
        }
        self.line = line;
        let ended = api!(self.gpu.device.end_command_buffer(handle));
        ended.map_err(self.failed("vkEndCommandBuffer"))
    }

    /// How a command buffer will be used: what the listing says, and again while it may still run
    /// if it is submitted again before it is recorded anew.
    fn usage(&self, key: CommandsKey, recording: &Recording) -> vk::CommandBufferUsageFlags {
        let later = self.entries[self.at + 1..].iter().filter(|e| e.device == self.key);
        let until = later.take_while(|e| !matches!(&e.call, Call::Commands(k, _) if *k == key));
        let submits = until.filter_map(|e| match &e.call {
            Call::Submit(info) => Some(info.batches.iter().flat_map(|b| &b.commands)),
            _ => None,
        });
        let again = submits.flatten().filter(|c| c.key == key).nth(1).is_some();
        let once = recording.usage.contains(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        match again && !once {
            true => recording.usage | vk::CommandBufferUsageFlags::SIMULTANEOUS_USE,
            false => recording.usage,
        }
    }

    fn begin(
        &self,
        handle: vk::CommandBuffer,
        recording: &Recording,
        usage: vk::CommandBufferUsageFlags,
    ) -> Done {
        let count = recording.inherited_formats.len().saturating_sub(2);
        let (colors, rest) = recording.inherited_formats.split_at(count);
        let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default()
            .flags(recording.inherited_flags)
            .view_mask(recording.inherited_views)
            .color_attachment_formats(colors)
            .depth_attachment_format(rest.first().copied().unwrap_or_default())
            .stencil_attachment_format(rest.get(1).copied().unwrap_or_default())
            .rasterization_samples(samples(recording.inherited_samples));
        let mut inherit = vk::CommandBufferInheritanceInfo::default();
        if let Some((pass, subpass, framebuffer)) = recording.inherits {
            if let Some(pass) = pass {
                let pass = self.objects.render_passes.get(&pass).map(|r| r.0);
                inherit = inherit.render_pass(self.found("render pass", pass)?);
            }
            if let Some(framebuffer) = framebuffer {
                let framebuffer = self.objects.framebuffers.get(&framebuffer).map(|f| f.0);
                inherit = inherit.framebuffer(self.found("framebuffer", framebuffer)?);
            }
            inherit = inherit.subpass(subpass);
        } else if recording.usage.contains(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE) {
            inherit = inherit.push_next(&mut rendering);
        }
        let mut begin = vk::CommandBufferBeginInfo::default().flags(usage);
        if recording.secondary {
            begin = begin.inheritance_info(&inherit);
        }
        let begun = api!(self.gpu.device.begin_command_buffer(handle, &begin));
        begun.map_err(self.failed("vkBeginCommandBuffer"))
    }

    /// `vkResetCommandBuffer`.
    pub(crate) fn reset(&mut self, key: CommandsKey) -> Done {
        let commands = self.objects.commands.get(&key).copied();
        let commands = self.found("command buffer", commands)?;
        if self.is_pending(commands.submitted) {
            return self.bad("the command buffer is reset while it may still run");
        }
        let none = vk::CommandBufferResetFlags::empty();
        let done = api!(self.gpu.device.reset_command_buffer(commands.handle, none));
        done.map_err(self.failed("vkResetCommandBuffer"))
    }

    fn command(&mut self, tape: &mut Tape, recording: &Recording, command: &Command) -> Done {
        let device = &self.gpu.device;
        let at = tape.commands;
        match command {
            Command::BeginPass(begin) => self.begin_pass(tape, begin),
            Command::NextSubpass(next) => {
                api!(device.cmd_next_subpass(at, contents(*next)));
                Ok(())
            }
            Command::EndPass => {
                self.end_pass(tape);
                Ok(())
            }
            Command::Barrier(info) => self.barrier(at, info),
            Command::EventSet(info) => self.event_set(at, info),
            Command::EventWait(info) => self.event_wait(at, info),
            Command::EventReset(info) => self.event_reset(at, info),
            Command::BindPipeline { point, pipeline } => {
                self.bind_pipeline(tape, *point, *pipeline)
            }
            Command::BindShaders(_) => self.bad("shader objects cannot be played"),
            Command::BindSets { point, layout, first, sets, offsets } => {
                let sets = recording.words(*sets);
                let offsets: Vec<u32> =
                    recording.words(*offsets).iter().map(|o| *o as u32).collect();
                self.bind_sets(at, *point, *layout, *first, sets, &offsets)
            }
            Command::PushSet(info) => self.push_set(at, info),
            Command::BindVertex { first, buffers, .. } => {
                self.bind_vertex(at, *first, recording.words(*buffers))
            }
            Command::BindIndex { buffer, offset, kind } => {
                self.bind_index(tape, *buffer, *offset, *kind)
            }
            Command::PushConstants { layout, offset, size, hash } => {
                self.push_constants(at, *layout, *offset, *size, *hash)
            }
            Command::Set(state) => self.set_state(tape, state),
            Command::Draw(draw) => self.draw(tape, draw),
            Command::Dispatch(dispatch) => self.dispatch(at, dispatch),
            Command::ClearAttachments(info) => {
                self.clear_attachments(at, info);
                Ok(())
            }
            Command::Clear(info) => self.clear(at, info),
            Command::Transfer(info) => self.transfer(at, info),
            Command::Query(info) => self.query(at, info),
            Command::Label(label) => {
                self.label(at, label);
                Ok(())
            }
            Command::Execute(list) => self.execute(tape, list),
            Command::ConditionalBegin { buffer, offset } => {
                self.conditional_begin(at, *buffer, *offset)
            }
            Command::ConditionalEnd => {
                api!((self.gpu.conditional.fp().cmd_end_conditional_rendering_ext)(at));
                Ok(())
            }
            Command::Opaque(info) => self.bad(format!("{} cannot be played", info.name)),
        }
    }

    fn conditional_begin(&self, at: vk::CommandBuffer, buffer: BufferKey, offset: u64) -> Done {
        let buffer = self.objects.buffers.get(&buffer).map(|b| b.handle);
        let begin = vk::ConditionalRenderingBeginInfoEXT::default()
            .buffer(self.found("buffer", buffer)?)
            .offset(offset);
        let call = self.gpu.conditional.fp().cmd_begin_conditional_rendering_ext;
        api!(call(at, &begin));
        Ok(())
    }

    fn execute(&self, tape: &mut Tape, list: &[Executed]) -> Done {
        let mut handles = Vec::new();
        for executed in list {
            let commands = executed.key.and_then(|key| self.objects.commands.get(&key));
            handles.push(self.found("secondary command buffer", commands)?.handle);
        }
        api!(self.gpu.device.cmd_execute_commands(tape.commands, &handles));
        // State does not outlive the call.
        tape.set.clear();
        (tape.pipeline, tape.indexed) = (None, false);
        Ok(())
    }

    fn label(&self, at: vk::CommandBuffer, label: &Label) {
        let debug = &self.gpu.debug;
        match label {
            Label::Begin(text) => self.label_begin(at, text),
            Label::End => api!(debug.cmd_end_debug_utils_label(at)),
            Label::Insert(text) => {
                let text = c_string(text);
                let label = vk::DebugUtilsLabelEXT::default().label_name(&text);
                api!(debug.cmd_insert_debug_utils_label(at, &label));
            }
        }
    }

    fn label_begin(&self, at: vk::CommandBuffer, text: &str) {
        let text = c_string(text);
        let label = vk::DebugUtilsLabelEXT::default().label_name(&text);
        api!(self.gpu.debug.cmd_begin_debug_utils_label(at, &label));
    }

    /// Begins a label around a pass whose name no object carries.
    fn label_pass(&self, tape: &mut Tape, begin: &PassBegin) {
        let named = match &begin.target {
            PassTarget::Object { render_pass, .. } => {
                self.labels.get(render_pass).is_some_and(|labels| labels.len() == 1)
            }
            PassTarget::Dynamic(_) => false,
        };
        let label = begin.label.as_deref().filter(|label| !label.is_empty() && !named);
        tape.labelled = label.is_some();
        if let Some(label) = label {
            self.label_begin(tape.commands, label);
        }
    }

    fn begin_pass(&self, tape: &mut Tape, begin: &PassBegin) -> Done {
        self.label_pass(tape, begin);
        tape.area = begin.area;
        match &begin.target {
            PassTarget::Object { render_pass, framebuffer, views_bound } => {
                tape.dynamic_pass = false;
                let bound = views_bound.as_deref();
                self.begin_object(tape.commands, begin, *render_pass, *framebuffer, bound)
            }
            PassTarget::Dynamic(rendering) => {
                tape.dynamic_pass = true;
                self.begin_rendering(tape.commands, begin, rendering)
            }
        }
    }

    fn end_pass(&self, tape: &mut Tape) {
        match tape.dynamic_pass {
            true => api!(self.gpu.device.cmd_end_rendering(tape.commands)),
            false => api!(self.gpu.device.cmd_end_render_pass(tape.commands)),
        }
        if tape.labelled {
            api!(self.gpu.debug.cmd_end_debug_utils_label(tape.commands));
            tape.labelled = false;
        }
    }
}
