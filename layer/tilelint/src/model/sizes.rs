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
            ("binds", self.memories.iter().map(|(_, m)| m.bound.len() + m.buffers.len()).sum()),
            ("render passes", self.render_passes.len()),
            ("framebuffers", self.framebuffers.len()),
            ("set layouts", self.set_layouts.len()),
            ("pipeline layouts", self.layouts.len()),
            ("sets", self.sets.len()),
            ("descriptors", self.sets.iter().map(|(_, s)| s.images.len() + s.buffers.len()).sum()),
            ("pipelines", self.pipelines.len()),
            ("shaders", self.shaders.len()),
            ("facts of shaders", self.shader_facts.len()),
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

#[cfg(test)]
mod tests {
    use super::super::{Model, Settings};
    use super::*;
    use crate::call::listing::parse;

    const N_OBJECTS: usize = 2100;

    /// Room in the tables of objects that are made and destroyed in numbers.
    fn capacities(device: &DeviceModel) -> [(&'static str, usize); 6] {
        [
            ("images", device.contents.images.capacity()),
            ("image keys", device.image_keys.capacity()),
            ("views", device.views.capacity()),
            ("sets", device.sets.capacity()),
            ("names", device.names.capacity()),
            ("buffers", device.names.buffers.capacity()),
        ]
    }

    #[test]
    fn tables_shrink_once_what_they_held_is_gone() {
        let mut text = "calls version=1
set-layout slots bindings=0:STORAGE_IMAGE:FRAGMENT
memory heap size=64MiB type=device
"
        .to_owned();
        for n in 0..N_OBJECTS {
            text += &format!(
                "image i{n} format=R8G8B8A8_UNORM extent=8x8 usage=STORAGE memory=?\n\
                 bind i{n} memory=heap+{}\nview v{n} of=i{n}\ndescriptor-set s{n} layout=slots\n\
                 write s{n} binding=0 type=STORAGE_IMAGE images=v{n}:GENERAL\n\
                 buffer b{n} size=256 usage=UNIFORM_BUFFER\nbind b{n} memory=heap+0\n",
                n * 256
            );
        }
        text += "frame\n";
        for n in 0..N_OBJECTS {
            text += &format!("destroy s{n}\ndestroy v{n}\ndestroy i{n}\ndestroy b{n}\n");
        }
        let listing = parse(&text).expect("the listing is right");
        let mut model = Model::new(Settings::default());
        let (mut most, mut alive) = (None, Vec::new());
        for entry in &listing.entries {
            if matches!(entry.call, crate::call::Call::Frame { .. }) {
                most = Some(capacities(&model.devices()[0]));
                alive = model.devices()[0].table_sizes();
            }
            model.apply(entry);
        }
        let least = capacities(&model.devices()[0]);
        for ((table, most), (_, least)) in most.expect("there is a frame").iter().zip(least) {
            assert!(*most >= N_OBJECTS && least < N_OBJECTS * 3 / 4, "{table}: {most}, {least}");
        }
        let many = |sizes: &[(&'static str, usize)]| {
            sizes.iter().filter(|(_, size)| *size >= N_OBJECTS).map(|(table, _)| *table).collect()
        };
        let tables: Vec<&str> = many(&alive);
        let made = ["images", "image keys", "views", "binds", "sets", "descriptors", "names"];
        assert_eq!(tables, made);
        assert_eq!(many(&model.devices()[0].table_sizes()), Vec::<&str>::new());
    }
}
