//! How objects are destroyed: one by one where the listing says so, the rest at the end.

use tilelint::call::*;

use ash::vk;

use crate::gpu::api;
use crate::player::{Buffer, Image, Player, Set, Swapchain};

impl Player<'_> {
    fn free_image(&self, image: &Image) {
        let device = &self.gpu.device;
        if image.info.origin != ImageOrigin::Swapchain {
            api!(device.destroy_image(image.handle, None));
        }
        if let Some(memory) = image.memory.filter(|_| image.owns) {
            api!(device.free_memory(memory, None));
        }
    }

    fn free_buffer(&self, buffer: &Buffer) {
        api!(self.gpu.device.destroy_buffer(buffer.handle, None));
        if let Some(memory) = buffer.memory.filter(|_| buffer.owns) {
            api!(self.gpu.device.free_memory(memory, None));
        }
    }

    fn free_set(&self, set: Set) {
        // The pool holds this set alone. The call cannot fail by its specification.
        let _ = api!(self.gpu.device.free_descriptor_sets(set.pool, &[set.handle]));
        api!(self.gpu.device.destroy_descriptor_pool(set.pool, None));
    }

    fn free_swapchain(&mut self, chain: &Swapchain) {
        for key in &chain.images {
            self.objects.images.remove(key);
        }
        api!(self.gpu.swapchains.destroy_swapchain(chain.handle, None));
        api!(self.host.surfaces.destroy_surface(chain.surface, None));
    }

    /// Destroys an object, if it exists.
    pub(crate) fn forget(&mut self, object: Object) {
        macro_rules! destroy {
            ($table:ident, $key:ident, $entry:pat => $call:ident $handle:expr) => {
                if let Some($entry) = self.objects.$table.remove(&$key(object.key)) {
                    api!(self.gpu.device.$call($handle, None));
                }
            };
        }
        let key = object.key;
        match object.kind {
            Kind::Device | Kind::Queue => {}
            Kind::Image => {
                if let Some(image) = self.objects.images.remove(&ImageKey(key)) {
                    self.free_image(&image);
                }
            }
            Kind::Buffer => {
                if let Some(buffer) = self.objects.buffers.remove(&BufferKey(key)) {
                    self.free_buffer(&buffer);
                }
            }
            Kind::Set => {
                if let Some(set) = self.objects.sets.remove(&SetKey(key)) {
                    self.free_set(set);
                }
            }
            Kind::Swapchain => {
                if let Some(chain) = self.objects.swapchains.remove(&SwapchainKey(key)) {
                    self.free_swapchain(&chain);
                }
            }
            Kind::Commands => self.free_commands(CommandsKey(key)),
            Kind::Memory => {
                destroy!(memories, MemoryKey, m => free_memory m);
            }
            Kind::View => destroy!(views, ViewKey, v => destroy_image_view v.0),
            Kind::Sampler => destroy!(samplers, SamplerKey, s => destroy_sampler s),
            Kind::RenderPass => {
                destroy!(render_passes, RenderPassKey, r => destroy_render_pass r.0);
            }
            Kind::Framebuffer => {
                destroy!(framebuffers, FramebufferKey, f => destroy_framebuffer f.0);
            }
            Kind::Shader => destroy!(shaders, ShaderKey, s => destroy_shader_module s.0),
            Kind::SetLayout => {
                destroy!(set_layouts, SetLayoutKey, l => destroy_descriptor_set_layout l.0);
            }
            Kind::PipelineLayout => {
                destroy!(layouts, PipelineLayoutKey, l => destroy_pipeline_layout l.0);
            }
            Kind::Pipeline => {
                if let Some(pipeline) = self.objects.pipelines.remove(&PipelineKey(key)) {
                    api!(self.gpu.device.destroy_pipeline(pipeline.handle, None));
                    if pipeline.mesh != vk::Pipeline::null() {
                        api!(self.gpu.device.destroy_pipeline(pipeline.mesh, None));
                    }
                }
            }
            Kind::Semaphore => destroy!(semaphores, SemaphoreKey, s => destroy_semaphore s),
            Kind::Fence => destroy!(fences, FenceKey, f => destroy_fence f),
            Kind::Event => destroy!(events, EventKey, e => destroy_event e),
            Kind::QueryPool => destroy!(query_pools, QueryPoolKey, q => destroy_query_pool q.0),
        }
    }

    fn free_commands(&mut self, key: CommandsKey) {
        if let Some(commands) = self.objects.commands.remove(&key)
            && let Some(pool) = self.objects.pools.get(&commands.family)
        {
            api!(self.gpu.device.free_command_buffers(*pool, &[commands.handle]));
        }
    }

    /// Waits for the device and destroys all that is left, users before what they use.
    pub(crate) fn finish(mut self) {
        // A lost device can be destroyed as well.
        let _ = api!(self.gpu.device.device_wait_idle());
        for memory in std::mem::take(&mut self.mapped) {
            api!(self.gpu.device.unmap_memory(memory));
        }
        for (_, pool) in std::mem::take(&mut self.objects.pools) {
            api!(self.gpu.device.destroy_command_pool(pool, None));
        }
        self.objects.commands.clear();
        let stand_ins = self.stand_ins.take();
        for buffer in stand_ins.iter().flat_map(|s| [&s.index, &s.indirect]) {
            self.free_buffer(buffer);
        }
        for buffer in std::mem::take(&mut self.objects.extra_buffers) {
            self.free_buffer(&buffer);
        }
        for layout in std::mem::take(&mut self.objects.extra_layouts) {
            api!(self.gpu.device.destroy_pipeline_layout(layout, None));
        }
        macro_rules! all {
            ($($table:ident: $kind:ident),* $(,)?) => {
                $(
                    let mut keys: Vec<u64> = self.objects.$table.keys().map(|key| key.0).collect();
                    keys.sort_unstable();
                    for key in keys {
                        self.forget(Object { kind: Kind::$kind, key });
                    }
                )*
            };
        }
        all! {
            pipelines: Pipeline, sets: Set, layouts: PipelineLayout, set_layouts: SetLayout,
            shaders: Shader, framebuffers: Framebuffer, render_passes: RenderPass, views: View,
            swapchains: Swapchain, images: Image, buffers: Buffer, memories: Memory,
            samplers: Sampler, semaphores: Semaphore, fences: Fence, events: Event,
            query_pools: QueryPool,
        }
        api!(self.gpu.device.destroy_device(None));
    }

    /// Says whether a submission may still run.
    pub(crate) fn is_pending(&self, submitted: u64) -> bool {
        self.flights.iter().any(|flight| flight.number == submitted)
    }

    /// All submissions of a queue up to one have ended; of every queue where none is given.
    pub(crate) fn landed(&mut self, queue: Option<vk::Queue>, number: u64) {
        self.flights.retain(|flight| {
            flight.number > number || queue.is_some_and(|queue| queue != flight.queue)
        });
    }
}
