//! Draws and dispatches, with what they bind; buffers stand in for those a listing does not name.

use ash::vk;
use tilelint::call::*;

use crate::error::Done;
use crate::gpu::api;
use crate::player::{Buffer, Player};
use crate::record::Tape;

/// Buffers for draws and dispatches that name none.
pub(crate) struct StandIns {
    pub index: Buffer,
    pub indirect: Buffer,
    /// Indices that the first holds.
    count: u64,
}

/// Words of an indirect command: a draw of three vertices, or indices, or one group.
const INDIRECT: [u32; 8] = [3, 1, 0, 0, 0, 1, 1, 1];
/// Where the dispatch stands in them.
const GROUPS_AT: u64 = 20;
/// Where a count of draws (one) stands.
const COUNT_AT: u64 = 4;

impl Player<'_> {
    /// The buffers, with at least so many indices.
    fn stand_ins(&mut self, indices: u64) -> Done<(vk::Buffer, vk::Buffer)> {
        if let Some(made) = self.stand_ins.as_ref().filter(|s| s.count >= indices) {
            return Ok((made.index.handle, made.indirect.handle));
        }
        let host = MemoryKind::Host;
        let count = indices.max(self.most_indices()).next_power_of_two();
        let usage = vk::BufferUsageFlags::INDEX_BUFFER;
        let index = self.make_buffer(count * 4, usage, host)?;
        let usage = vk::BufferUsageFlags::INDIRECT_BUFFER;
        let indirect = self.make_buffer(4096, usage, host)?;
        self.fill(&index, &(0..count as u32).collect::<Vec<_>>())?;
        self.fill(&indirect, &INDIRECT)?;
        let handles = (index.handle, indirect.handle);
        if let Some(old) = self.stand_ins.replace(StandIns { index, indirect, count }) {
            // Recordings may hold the old ones.
            self.objects.extra_buffers.extend([old.index, old.indirect]);
        }
        Ok(handles)
    }

    /// The most indices that a draw of the listing asks for.
    fn most_indices(&self) -> u64 {
        let mut most = 3;
        for entry in self.entries.iter().filter(|e| e.device == self.key) {
            let Call::Commands(_, recording) = &entry.call else { continue };
            for command in &recording.commands {
                if let Command::Draw(draw) = command {
                    most = most.max(u64::from(draw.vertices)).max(draw.total_vertices);
                }
            }
        }
        most.min(1 << 24)
    }

    fn fill(&self, buffer: &Buffer, words: &[u32]) -> Done {
        let memory = self.found("memory", buffer.memory)?;
        let device = &self.gpu.device;
        let flags = vk::MemoryMapFlags::empty();
        let mapped = api!(device.map_memory(memory, 0, vk::WHOLE_SIZE, flags));
        let mapped = mapped.map_err(self.failed("vkMapMemory"))?;
        // SAFETY: the mapping is at least as long as the words, which the buffer was made to hold,
        // and nobody else uses it.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), mapped.cast(), words.len()) };
        let range = [vk::MappedMemoryRange::default().memory(memory).size(vk::WHOLE_SIZE)];
        let flushed = api!(device.flush_mapped_memory_ranges(&range));
        flushed.map_err(self.failed("vkFlushMappedMemoryRanges"))?;
        api!(device.unmap_memory(memory));
        Ok(())
    }

    /// `vkCmdBindPipeline`.
    pub(crate) fn bind_pipeline(
        &self,
        tape: &mut Tape,
        point: vk::PipelineBindPoint,
        key: PipelineKey,
    ) -> Done {
        let handle = self.found("pipeline", self.objects.pipelines.get(&key))?.handle;
        if point == vk::PipelineBindPoint::GRAPHICS {
            (tape.pipeline, tape.mesh) = (Some(key), false);
        }
        api!(self.gpu.device.cmd_bind_pipeline(tape.commands, point, handle));
        Ok(())
    }

    /// `vkCmdBindIndexBuffer`, with 16-bit indices.
    pub(crate) fn bind_index(
        &self,
        tape: &mut Tape,
        buffer: BufferKey,
        offset: u64,
        kind: vk::IndexType,
    ) -> Done {
        let buffer = self.found("buffer", self.objects.buffers.get(&buffer))?.handle;
        tape.indexed = true;
        api!(self.gpu.device.cmd_bind_index_buffer(tape.commands, buffer, offset, kind));
        Ok(())
    }

    /// `vkCmdPushConstants`: other bytes for another hash.
    pub(crate) fn push_constants(
        &self,
        at: vk::CommandBuffer,
        layout: PipelineLayoutKey,
        offset: u32,
        size: u32,
        hash: u64,
    ) -> Done {
        let layout = self.found("pipeline layout", self.objects.layouts.get(&layout))?.0;
        let words = hash.to_ne_bytes();
        let bytes: Vec<u8> = words.into_iter().cycle().take(size as usize).collect();
        let stages = vk::ShaderStageFlags::ALL;
        api!(self.gpu.device.cmd_push_constants(at, layout, stages, offset, &bytes));
        Ok(())
    }

    /// `vkCmdBindDescriptorSets`.
    pub(crate) fn bind_sets(
        &self,
        at: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: PipelineLayoutKey,
        first: u32,
        sets: &[u64],
        offsets: &[u32],
    ) -> Done {
        let layout = self.found("pipeline layout", self.objects.layouts.get(&layout))?.0;
        let mut handles = Vec::new();
        for set in sets {
            handles
                .push(self.found("descriptor set", self.objects.sets.get(&SetKey(*set)))?.handle);
        }
        let device = &self.gpu.device;
        api!(device.cmd_bind_descriptor_sets(at, point, layout, first, &handles, offsets));
        Ok(())
    }

    /// `vkCmdPushDescriptorSetKHR`.
    pub(crate) fn push_set(&self, at: vk::CommandBuffer, info: &PushSet) -> Done {
        let layout = self.found("pipeline layout", self.objects.layouts.get(&info.layout))?.0;
        let written: Done<Vec<_>> = info.writes.iter().map(|write| self.written(write)).collect();
        let written = written?;
        let writes: Vec<_> = written
            .iter()
            .zip(&info.writes)
            .map(|(written, info)| written.write(vk::DescriptorSet::null(), info))
            .collect();
        api!(self.gpu.push.cmd_push_descriptor_set(at, info.point, layout, info.set, &writes));
        Ok(())
    }

    /// `vkCmdBindVertexBuffers`.
    pub(crate) fn bind_vertex(&self, at: vk::CommandBuffer, first: u32, words: &[u64]) -> Done {
        let (mut buffers, mut offsets) = (Vec::new(), Vec::new());
        for pair in words.as_chunks::<2>().0 {
            let buffer = self.objects.buffers.get(&BufferKey(pair[0]));
            buffers.push(self.found("buffer", buffer)?.handle);
            offsets.push(pair[1]);
        }
        api!(self.gpu.device.cmd_bind_vertex_buffers(at, first, &buffers, &offsets));
        Ok(())
    }

    /// Sets the viewport and scissor that the bound pipeline leaves open and no line sets.
    fn complete_state(&self, tape: &mut Tape) {
        let pipeline = tape.pipeline.and_then(|key| self.objects.pipelines.get(&key));
        let Some(pipeline) = pipeline else { return };
        let open =
            |tape: &Tape, state| pipeline.dynamic.contains(&state) && !tape.set.contains(&state);
        let device = &self.gpu.device;
        let area = tape.area;
        if open(tape, vk::DynamicState::VIEWPORT) {
            let viewport = vk::Viewport {
                x: area.offset.x as f32,
                y: area.offset.y as f32,
                width: area.extent.width.max(1) as f32,
                height: area.extent.height.max(1) as f32,
                min_depth: 0.0,
                max_depth: 1.0,
            };
            api!(device.cmd_set_viewport(tape.commands, 0, &[viewport]));
            tape.set.push(vk::DynamicState::VIEWPORT);
        }
        if open(tape, vk::DynamicState::SCISSOR) {
            api!(device.cmd_set_scissor(tape.commands, 0, &[area]));
            tape.set.push(vk::DynamicState::SCISSOR);
        }
    }

    /// Binds the variant of the bound pipeline that a draw needs: with or without a mesh shader.
    fn fit_pipeline(&self, tape: &mut Tape, draw: &Draw) {
        let mesh = draw.kind == DrawKind::Mesh;
        let pipeline = tape.pipeline.and_then(|key| self.objects.pipelines.get(&key));
        let Some(pipeline) = pipeline.filter(|p| p.mesh != vk::Pipeline::null()) else { return };
        if mesh != tape.mesh {
            tape.mesh = mesh;
            let handle = if mesh { pipeline.mesh } else { pipeline.handle };
            let point = vk::PipelineBindPoint::GRAPHICS;
            api!(self.gpu.device.cmd_bind_pipeline(tape.commands, point, handle));
        }
    }

    /// A draw, as often as it was folded.
    pub(crate) fn draw(&mut self, tape: &mut Tape, draw: &Draw) -> Done {
        self.complete_state(tape);
        self.fit_pipeline(tape, draw);
        let times = u64::from(draw.times.max(1));
        let first = u64::from(draw.vertices);
        let total = if draw.total_vertices == 0 { first * times } else { draw.total_vertices };
        // The first call has its own number of vertices; the others share what is left.
        let rest = total.saturating_sub(first).checked_div(times - 1).unwrap_or(0);
        let extra = total.saturating_sub(first).saturating_sub(rest * (times - 1));
        for time in 0..times {
            let vertices = match time {
                0 => first,
                1 => rest + extra,
                _ => rest,
            };
            let vertices = vertices.min(u64::from(u32::MAX)) as u32;
            self.draw_once(tape, draw, vertices, time > 0)?;
        }
        Ok(())
    }

    /// One draw. Those after the first of many alike begin at a vertex where the built-in shader
    /// shows nothing: a driver that renders on the processor would take minutes for all.
    fn draw_once(&mut self, tape: &mut Tape, draw: &Draw, vertices: u32, again: bool) -> Done {
        let start = if again { 3 } else { 0 };
        let at = tape.commands;
        let instances = draw.instances;
        let named = self.objects.buffers.get(&draw.buffer).map(|b| b.handle);
        let indexed = matches!(draw.kind, DrawKind::Indexed | DrawKind::IndexedIndirect);
        let needs = named.is_none() || (indexed && !tape.indexed);
        let stand_ins = if needs && draw.kind != DrawKind::Direct {
            self.stand_ins(u64::from(vertices))?
        } else {
            Default::default()
        };
        let device = &self.gpu.device;
        if indexed && !tape.indexed {
            api!(device.cmd_bind_index_buffer(at, stand_ins.0, 0, vk::IndexType::UINT32));
            tape.indexed = true;
        }
        let buffer = named.unwrap_or(stand_ins.1);
        let count = draw.draw_count;
        match draw.kind {
            DrawKind::Direct => api!(device.cmd_draw(at, vertices, instances, start, 0)),
            DrawKind::Indexed => {
                api!(device.cmd_draw_indexed(at, vertices, instances, 0, start as i32, 0))
            }
            DrawKind::Indirect => {
                api!(device.cmd_draw_indirect(at, buffer, 0, count, 16));
            }
            DrawKind::IndexedIndirect => {
                api!(device.cmd_draw_indexed_indirect(at, buffer, 0, count, 20));
            }
            DrawKind::IndirectCount => {
                api!(device.cmd_draw_indirect_count(at, buffer, 0, buffer, COUNT_AT, count, 20));
            }
            DrawKind::Multi => {
                let one = vk::MultiDrawInfoEXT { first_vertex: start, vertex_count: vertices };
                let infos = vec![one; count.max(1) as usize];
                let (number, first) = (infos.len() as u32, infos.as_ptr());
                let size = size_of::<vk::MultiDrawInfoEXT>() as u32;
                let call = self.gpu.multi.fp().cmd_draw_multi_ext;
                api!(call(at, number, first, instances, 0, size));
            }
            DrawKind::Mesh => api!(self.gpu.mesh.cmd_draw_mesh_tasks(at, vertices.max(1), 1, 1)),
            DrawKind::TransformFeedback => {
                let call = self.gpu.feedback.fp().cmd_draw_indirect_byte_count_ext;
                api!(call(at, instances, 0, buffer, 0, 0, 16));
            }
        }
        Ok(())
    }

    /// A dispatch, as often as it was folded.
    pub(crate) fn dispatch(&mut self, at: vk::CommandBuffer, dispatch: &Dispatch) -> Done {
        let indirect = if dispatch.indirect { self.stand_ins(0)?.1 } else { vk::Buffer::null() };
        let [x, y, z] = dispatch.groups;
        for _ in 0..dispatch.times.max(1) {
            let device = &self.gpu.device;
            match dispatch.indirect {
                true => api!(device.cmd_dispatch_indirect(at, indirect, GROUPS_AT)),
                false => api!(device.cmd_dispatch(at, x, y, z)),
            }
        }
        Ok(())
    }
}
