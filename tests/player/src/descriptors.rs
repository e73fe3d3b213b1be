//! Descriptor sets, their layouts, and what is written into them.

use ash::vk;
use tilelint::call::*;

use crate::error::Done;
use crate::gpu::api;
use crate::player::{Player, Set};

/// The structures that one write points to.
#[derive(Default)]
pub(crate) struct Written {
    images: Vec<vk::DescriptorImageInfo>,
    buffers: Vec<vk::DescriptorBufferInfo>,
}

impl Written {
    /// The write into a set.
    pub fn write<'w>(
        &'w self,
        set: vk::DescriptorSet,
        info: &WriteInfo,
    ) -> vk::WriteDescriptorSet<'w> {
        let out = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(info.binding)
            .dst_array_element(info.element)
            .descriptor_type(info.kind);
        if self.images.is_empty() {
            out.buffer_info(&self.buffers)
        } else {
            out.image_info(&self.images)
        }
    }
}

fn is_buffer(kind: vk::DescriptorType) -> bool {
    use vk::DescriptorType as T;
    [T::UNIFORM_BUFFER, T::STORAGE_BUFFER, T::UNIFORM_BUFFER_DYNAMIC, T::STORAGE_BUFFER_DYNAMIC]
        .contains(&kind)
}

fn is_dynamic(kind: vk::DescriptorType) -> bool {
    use vk::DescriptorType as T;
    [T::UNIFORM_BUFFER_DYNAMIC, T::STORAGE_BUFFER_DYNAMIC].contains(&kind)
}

/// Bytes of a buffer that a shader sees at a dynamic offset.
const WINDOW: u64 = 16;

impl Player<'_> {
    /// `vkCreateDescriptorSetLayout`.
    pub(crate) fn set_layout(
        &mut self,
        key: SetLayoutKey,
        info: &SetLayoutInfo,
        name: Option<&str>,
    ) -> Done {
        let bindings: Vec<_> = info
            .bindings
            .iter()
            .map(|b| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(b.binding)
                    .descriptor_type(b.kind)
                    .descriptor_count(b.count)
                    .stage_flags(b.stages)
            })
            .collect();
        let flags: Vec<_> = info.bindings.iter().map(|b| b.flags).collect();
        let mut of_bindings =
            vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
        let after = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND;
        let mut create_flags = info.flags;
        if flags.iter().any(|f| f.contains(after)) {
            create_flags |= vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL;
        }
        let mut create =
            vk::DescriptorSetLayoutCreateInfo::default().flags(create_flags).bindings(&bindings);
        if flags.iter().any(|f| !f.is_empty()) {
            create = create.push_next(&mut of_bindings);
        }
        let handle = api!(self.gpu.device.create_descriptor_set_layout(&create, None));
        let handle = handle.map_err(self.failed("vkCreateDescriptorSetLayout"))?;
        let info = SetLayoutInfo { flags: create_flags, bindings: info.bindings.clone() };
        self.objects.set_layouts.insert(key, (handle, info));
        self.name(handle, name)
    }

    /// `vkCreatePipelineLayout`.
    pub(crate) fn pipeline_layout(
        &mut self,
        key: PipelineLayoutKey,
        info: &PipelineLayoutInfo,
        name: Option<&str>,
    ) -> Done {
        let mut sets = Vec::new();
        for set in &info.sets {
            let Some(set) = set else {
                return self.bad("a pipeline layout of a whole pipeline has no holes");
            };
            let layout = self.objects.set_layouts.get(set).map(|l| l.0);
            sets.push(self.found("set layout", layout)?);
        }
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::ALL)
            .size(info.push_bytes)];
        let mut create = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        if info.push_bytes != 0 {
            create = create.push_constant_ranges(&ranges);
        }
        let handle = api!(self.gpu.device.create_pipeline_layout(&create, None));
        let handle = handle.map_err(self.failed("vkCreatePipelineLayout"))?;
        self.objects.layouts.insert(key, (handle, info.clone()));
        self.name(handle, name)
    }

    /// A set in a pool of its own.
    fn allocate_set(&self, layout: SetLayoutKey) -> Done<Set> {
        let found = self.objects.set_layouts.get(&layout);
        let (handle, info) = self.found("set layout", found)?;
        let sizes: Vec<_> = info
            .bindings
            .iter()
            .filter(|b| b.count != 0)
            .map(|b| vk::DescriptorPoolSize::default().ty(b.kind).descriptor_count(b.count))
            .collect();
        let mut flags = vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET;
        let after = vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL;
        if info.flags.contains(after) {
            flags |= vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND;
        }
        let create =
            vk::DescriptorPoolCreateInfo::default().flags(flags).max_sets(1).pool_sizes(&sizes);
        let pool = api!(self.gpu.device.create_descriptor_pool(&create, None));
        let pool = pool.map_err(self.failed("vkCreateDescriptorPool"))?;
        let layouts = [*handle];
        // The most that the layout says is allocated where the last binding's count is variable.
        let counts: Vec<u32> =
            info.bindings.iter().map(|b| b.count).max_by_key(|c| *c).into_iter().collect();
        let variable = vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        let mut variable_counts = vk::DescriptorSetVariableDescriptorCountAllocateInfo::default()
            .descriptor_counts(&counts);
        let mut allocate =
            vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        if info.bindings.iter().any(|b| b.flags.contains(variable)) {
            allocate = allocate.push_next(&mut variable_counts);
        }
        let sets = api!(self.gpu.device.allocate_descriptor_sets(&allocate));
        match sets {
            Ok(sets) => Ok(Set { handle: sets[0], pool, layout }),
            Err(result) => {
                api!(self.gpu.device.destroy_descriptor_pool(pool, None));
                Err(self.failed("vkAllocateDescriptorSets")(result))
            }
        }
    }

    /// `vkAllocateDescriptorSets`.
    pub(crate) fn set(&mut self, key: SetKey, layout: SetLayoutKey, name: Option<&str>) -> Done {
        let set = self.allocate_set(layout)?;
        self.objects.sets.insert(key, set);
        self.name(set.handle, name)
    }

    /// What a write points to.
    pub(crate) fn written(&self, info: &WriteInfo) -> Done<Written> {
        let mut out = Written::default();
        let buffers = is_buffer(info.kind);
        // A dynamic offset moves a window over the buffer.
        let range = if is_dynamic(info.kind) { WINDOW } else { vk::WHOLE_SIZE };
        let part = |buffer, range| vk::DescriptorBufferInfo::default().buffer(buffer).range(range);
        for descriptor in &info.descriptors {
            match descriptor {
                Descriptor::Null if buffers => {
                    out.buffers.push(part(vk::Buffer::null(), vk::WHOLE_SIZE));
                }
                Descriptor::Null => out.images.push(vk::DescriptorImageInfo::default()),
                Descriptor::Image { view, layout } => {
                    let view = self.objects.views.get(view).map(|v| v.0);
                    let mut image = vk::DescriptorImageInfo::default()
                        .image_view(self.found("view", view)?)
                        .image_layout(*layout);
                    if info.kind == vk::DescriptorType::COMBINED_IMAGE_SAMPLER {
                        // The listing says nothing of the sampler: any that exists.
                        let sampler = self.objects.samplers.iter().min_by_key(|(key, _)| **key);
                        image.sampler = *self.found("sampler", sampler.map(|(_, s)| s))?;
                    }
                    out.images.push(image);
                }
                Descriptor::Buffer(key) => {
                    let buffer = self.found("buffer", self.objects.buffers.get(key))?;
                    let range = if range < buffer.size { range } else { vk::WHOLE_SIZE };
                    out.buffers.push(part(buffer.handle, range));
                }
                Descriptor::Sampler(key) => {
                    let sampler = self.objects.samplers.get(key).copied();
                    let sampler = self.found("sampler", sampler)?;
                    out.images.push(vk::DescriptorImageInfo::default().sampler(sampler));
                }
                Descriptor::Other => return self.bad("this kind of descriptor cannot be written"),
            }
        }
        Ok(out)
    }

    /// A write of descriptors, by the call that the listing names.
    pub(crate) fn write(&mut self, info: &WriteInfo) -> Done {
        let set = self.objects.sets.get(&info.set).copied();
        let set = self.found("descriptor set", set)?;
        let written = self.written(info)?;
        match info.via {
            WriteVia::Update => {
                let write = written.write(set.handle, info);
                api!(self.gpu.device.update_descriptor_sets(&[write], &[]));
                Ok(())
            }
            WriteVia::Template => self.write_template(set, info, &written),
            WriteVia::Copy => self.write_copy(set, info, &written),
        }
    }

    fn write_template(&self, set: Set, info: &WriteInfo, written: &Written) -> Done {
        let (stride, data) = match written.images.is_empty() {
            true => (size_of::<vk::DescriptorBufferInfo>(), written.buffers.as_ptr().cast()),
            false => (size_of::<vk::DescriptorImageInfo>(), written.images.as_ptr().cast()),
        };
        let entries = [vk::DescriptorUpdateTemplateEntry::default()
            .dst_binding(info.binding)
            .dst_array_element(info.element)
            .descriptor_count(info.descriptors.len() as u32)
            .descriptor_type(info.kind)
            .stride(stride)];
        let layout = self.objects.set_layouts.get(&set.layout).map(|l| l.0);
        let create = vk::DescriptorUpdateTemplateCreateInfo::default()
            .descriptor_update_entries(&entries)
            .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
            .descriptor_set_layout(self.found("set layout", layout)?);
        let template = api!(self.gpu.device.create_descriptor_update_template(&create, None));
        let template = template.map_err(self.failed("vkCreateDescriptorUpdateTemplate"))?;
        let device = &self.gpu.device;
        api!(device.update_descriptor_set_with_template(set.handle, template, data));
        api!(device.destroy_descriptor_update_template(template, None));
        Ok(())
    }

    /// Writes the descriptors into a set of the same layout and copies them from there.
    fn write_copy(&self, set: Set, info: &WriteInfo, written: &Written) -> Done {
        let source = self.allocate_set(set.layout)?;
        let write = written.write(source.handle, info);
        let copy = vk::CopyDescriptorSet::default()
            .src_set(source.handle)
            .src_binding(info.binding)
            .src_array_element(info.element)
            .dst_set(set.handle)
            .dst_binding(info.binding)
            .dst_array_element(info.element)
            .descriptor_count(info.descriptors.len() as u32);
        api!(self.gpu.device.update_descriptor_sets(&[write], &[]));
        api!(self.gpu.device.update_descriptor_sets(&[], &[copy]));
        api!(self.gpu.device.destroy_descriptor_pool(source.pool, None));
        Ok(())
    }
}
