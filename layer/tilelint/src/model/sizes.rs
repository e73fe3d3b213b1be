//! How much a device's model holds: what is destroyed leaves nothing behind but verdicts.

use super::device::DeviceModel;

impl DeviceModel {
    /// Numbers of entries by table. Those of `verdicts` grow with the pass variants that are
    /// remembered, which are bounded; all others with what is alive.
    pub fn table_sizes(&self) -> Vec<(&'static str, usize)> {
        vec![
            ("images", self.contents.images.len()),
            ("stores", self.contents.stores.len()),
            ("image keys", self.image_keys.len()),
            ("views", self.views.len()),
            ("memories", self.memories.len()),
            ("binds", self.memories.iter().map(|(_, memory)| memory.bound.len()).sum()),
            ("render passes", self.render_passes.len()),
            ("framebuffers", self.framebuffers.len()),
            ("set layouts", self.set_layouts.len()),
            ("pipeline layouts", self.layouts.len()),
            ("sets", self.sets.len()),
            ("descriptors", self.sets.iter().map(|(_, s)| s.images.len() + s.buffers.len()).sum()),
            ("pipelines", self.pipelines.len()),
            ("shaders", self.shaders.len() + self.shader_facts.len()),
            ("swapchains", self.swapchains.len()),
            ("query pools", self.query_pools.len()),
            ("samplers", self.samplers.len()),
            ("command buffers", self.commands.len()),
            ("queues", self.queues.len()),
            ("names", self.names.len()),
            ("suspended passes", self.suspended.len()),
            ("steps of the frame", self.frames.held()),
            ("pass keys", self.keys.len()),
            ("variants", self.touches.len()),
            ("verdicts", self.ledger.len() + self.variants.len() + self.touches.len()),
        ]
    }
}
