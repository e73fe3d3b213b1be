//! Descriptor set layouts, sets, and every way of writing them.

use super::{DeviceCapture, Recorder};
use crate::ffi::read::{View, Views};
use crate::ffi::views::{is_buffer, is_image};
use ash::vk::{self, Handle};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tilelint::call::{
    BufferKey, Call, Command, Descriptor, DescriptorBinding, PipelineLayoutInfo, PipelineLayoutKey,
    PushSet, SamplerKey, SetInfo, SetKey, SetLayoutInfo, SetLayoutKey, ViewKey, WriteInfo,
    WriteVia,
};

/// An update template: where in the application's data each descriptor lies.
pub(crate) struct Template {
    entries: Vec<vk::DescriptorUpdateTemplateEntry>,
    point: vk::PipelineBindPoint,
}

/// The image descriptors of a set, by binding and element.
pub(super) type SetImages = FxHashMap<(u32, u32), (vk::DescriptorType, Descriptor)>;

/// The bytes of one descriptor in a template's data, by descriptor type.
fn descriptor_size(kind: vk::DescriptorType) -> usize {
    if is_image(kind) || kind == vk::DescriptorType::SAMPLER {
        size_of::<vk::DescriptorImageInfo>()
    } else if is_buffer(kind) {
        size_of::<vk::DescriptorBufferInfo>()
    } else {
        0
    }
}

/// Returns how many bytes of a template's data are read.
pub(crate) fn template_bytes(template: &Template) -> usize {
    let end = |entry: &vk::DescriptorUpdateTemplateEntry| {
        let size = descriptor_size(entry.descriptor_type);
        let last = entry.descriptor_count.saturating_sub(1) as usize;
        match (size, entry.descriptor_count) {
            (0, _) | (_, 0) => 0,
            _ => entry.offset + last * entry.stride + size,
        }
    };
    template.entries.iter().map(end).max().unwrap_or(0)
}

impl DeviceCapture {
    /// `vkCreateDescriptorSetLayout`.
    pub(crate) fn set_layout(
        &self,
        layout: vk::DescriptorSetLayout,
        info: View<'_, vk::DescriptorSetLayoutCreateInfo<'_>>,
    ) {
        let flags = info.next::<vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>>();
        let flags = flags.map_or(&[][..], |flags| flags.flags().as_slice());
        let binding =
            |(idx, binding): (usize, &vk::DescriptorSetLayoutBinding<'_>)| DescriptorBinding {
                binding: binding.binding,
                kind: binding.descriptor_type,
                count: binding.descriptor_count,
                stages: binding.stage_flags,
                flags: flags.get(idx).copied().unwrap_or_default(),
            };
        let bindings = info.bindings().as_slice().iter().enumerate().map(binding).collect();
        self.emit(Call::SetLayout(
            SetLayoutKey(layout.as_raw()),
            Box::new(SetLayoutInfo { flags: info.flags, bindings }),
        ));
    }

    /// `vkCreatePipelineLayout`.
    pub(crate) fn pipeline_layout(
        &self,
        layout: vk::PipelineLayout,
        info: View<'_, vk::PipelineLayoutCreateInfo<'_>>,
    ) {
        let set =
            |set: &vk::DescriptorSetLayout| (!set.is_null()).then(|| SetLayoutKey(set.as_raw()));
        let ranges = info.ranges().as_slice().iter();
        let layout_info = PipelineLayoutInfo {
            sets: info.sets().as_slice().iter().map(set).collect(),
            push_bytes: ranges.map(|range| range.offset + range.size).max().unwrap_or(0),
        };
        self.emit(Call::PipelineLayout(PipelineLayoutKey(layout.as_raw()), layout_info));
    }

    /// `vkAllocateDescriptorSets`.
    pub(crate) fn allocate_sets(
        &self,
        info: View<'_, vk::DescriptorSetAllocateInfo<'_>>,
        sets: &[vk::DescriptorSet],
    ) {
        let pool = info.descriptor_pool.as_raw();
        let raw = sets.iter().map(|set| set.as_raw());
        self.pools.lock().get_or_default(pool).extend(raw);
        for (set, layout) in sets.iter().zip(info.layouts().as_slice()) {
            let layout = SetLayoutKey(layout.as_raw());
            self.emit(Call::Set(SetKey(set.as_raw()), SetInfo { layout }));
        }
    }

    /// `vkFreeDescriptorSets`.
    pub(crate) fn free_sets(&self, pool: vk::DescriptorPool, sets: &[vk::DescriptorSet]) {
        for set in sets {
            self.set_is_gone(set.as_raw());
        }
        if let Some(known) = self.pools.lock().get_mut(pool.as_raw()) {
            sets.iter().for_each(|set| known.remove(set.as_raw()));
        }
    }

    /// `vkResetDescriptorPool` and `vkDestroyDescriptorPool`: all its sets are gone.
    pub(crate) fn empty_pool(&self, pool: vk::DescriptorPool) {
        let sets = self.pools.lock().remove(pool.as_raw()).unwrap_or_default();
        for set in sets.in_order() {
            self.set_is_gone(set);
        }
    }

    /// `vkUpdateDescriptorSets`: the writes.
    pub(crate) fn write_sets(&self, writes: Views<'_, vk::WriteDescriptorSet<'_>>) {
        self.write(writes.iter().map(write_info).collect());
    }

    /// `vkUpdateDescriptorSets`: the copies. The images of the source are written anew; the calls
    /// have no word for a copy.
    pub(crate) fn copy_sets(&self, copies: Views<'_, vk::CopyDescriptorSet<'_>>) {
        for copy in copies.iter() {
            for idx in 0..copy.descriptor_count {
                let from = (copy.src_binding, copy.src_array_element + idx);
                let found = {
                    let sets = self.set_images.lock();
                    sets.get(copy.src_set.as_raw()).and_then(|set| set.get(&from).copied())
                };
                let (kind, descriptor) =
                    found.unwrap_or((vk::DescriptorType::SAMPLER, Descriptor::Null));
                self.write(vec![WriteInfo {
                    set: SetKey(copy.dst_set.as_raw()),
                    binding: copy.dst_binding,
                    element: copy.dst_array_element + idx,
                    kind,
                    descriptors: vec![descriptor],
                    via: WriteVia::Copy,
                }]);
            }
        }
    }

    /// Emits the writes of one call and keeps their images: a later copy may ask for them.
    fn write(&self, writes: Vec<WriteInfo>) {
        let mut sets = self.set_images.lock();
        for write in writes.iter().filter(|write| is_image(write.kind)) {
            let set = sets.get_or_default(write.set.0);
            for (idx, descriptor) in write.descriptors.iter().enumerate() {
                let place = (write.binding, write.element + idx as u32);
                set.insert(place, (write.kind, *descriptor));
            }
        }
        drop(sets);
        if self.is_on.load(Ordering::Relaxed) {
            self.sink.push_writes(self.key, writes);
        }
    }

    fn set_is_gone(&self, set: u64) {
        self.set_images.lock().remove(set);
        self.destroy(SetKey(set));
    }

    /// `vkCreateDescriptorUpdateTemplate`, either form.
    pub(crate) fn template(
        &self,
        template: vk::DescriptorUpdateTemplate,
        info: View<'_, vk::DescriptorUpdateTemplateCreateInfo<'_>>,
    ) {
        let entries = info.entries().as_slice().to_vec();
        let template_info = Template { entries, point: info.pipeline_bind_point };
        self.templates.lock().insert(template.as_raw(), Arc::new(template_info));
    }

    /// `vkDestroyDescriptorUpdateTemplate`, either form.
    pub(crate) fn destroy_template(&self, template: vk::DescriptorUpdateTemplate) {
        self.templates.lock().remove(template.as_raw());
    }

    /// Returns a template, so that its data can be read.
    pub(crate) fn find_template(
        &self,
        template: vk::DescriptorUpdateTemplate,
    ) -> Option<Arc<Template>> {
        self.templates.lock().get(template.as_raw()).cloned()
    }

    /// `vkUpdateDescriptorSetWithTemplate`, either form.
    pub(crate) fn write_with_template(
        &self,
        set: vk::DescriptorSet,
        template: &Template,
        data: &[u8],
    ) {
        let mut writes = template_writes(template, data);
        writes.iter_mut().for_each(|write| write.set = SetKey(set.as_raw()));
        self.write(writes);
    }
}

impl Recorder {
    /// `vkCmdPushDescriptorSet`, any form.
    pub(crate) fn push_set(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        writes: Views<'_, vk::WriteDescriptorSet<'_>>,
    ) {
        let writes = writes.iter().map(write_info).collect();
        self.push_set_writes(point, layout, set, writes);
    }

    /// `vkCmdPushDescriptorSetWithTemplate`, any form.
    pub(crate) fn push_set_with_template(
        &mut self,
        template: &Template,
        layout: vk::PipelineLayout,
        set: u32,
        data: &[u8],
    ) {
        self.push_set_writes(template.point, layout, set, template_writes(template, data));
    }

    fn push_set_writes(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        writes: Vec<WriteInfo>,
    ) {
        let layout = PipelineLayoutKey(layout.as_raw());
        self.push(Command::PushSet(Box::new(PushSet { point, layout, set, writes })));
    }
}

fn write_info(write: View<'_, vk::WriteDescriptorSet<'_>>) -> WriteInfo {
    let kind = write.descriptor_type;
    let image = |info: &vk::DescriptorImageInfo| {
        image_descriptor(kind, info.image_view, info.image_layout, info.sampler)
    };
    let descriptors = match (write.images(), write.buffers()) {
        ([], []) if kind == vk::DescriptorType::INLINE_UNIFORM_BLOCK => Vec::new(),
        ([], []) => vec![Descriptor::Other; write.descriptor_count as usize],
        ([], buffers) => buffers.iter().map(|info| buffer_descriptor(info.buffer)).collect(),
        (images, _) => images.iter().map(image).collect(),
    };
    WriteInfo {
        set: SetKey(write.dst_set.as_raw()),
        binding: write.dst_binding,
        element: write.dst_array_element,
        kind,
        descriptors,
        via: WriteVia::Update,
    }
}

fn image_descriptor(
    kind: vk::DescriptorType,
    view: vk::ImageView,
    layout: vk::ImageLayout,
    sampler: vk::Sampler,
) -> Descriptor {
    match kind {
        vk::DescriptorType::SAMPLER => Descriptor::Sampler(SamplerKey(sampler.as_raw())),
        _ if view.is_null() => Descriptor::Null,
        _ => Descriptor::Image { view: ViewKey(view.as_raw()), layout },
    }
}

fn buffer_descriptor(buffer: vk::Buffer) -> Descriptor {
    if buffer.is_null() { Descriptor::Null } else { Descriptor::Buffer(BufferKey(buffer.as_raw())) }
}

/// Reads the writes of a template out of the application's data.
fn template_writes(template: &Template, data: &[u8]) -> Vec<WriteInfo> {
    let write = |entry: &vk::DescriptorUpdateTemplateEntry| {
        let kind = entry.descriptor_type;
        let descriptor = |element: u32| {
            let start = entry.offset + element as usize * entry.stride;
            template_descriptor(kind, data.get(start..start + descriptor_size(kind))?)
        };
        let is_block = kind == vk::DescriptorType::INLINE_UNIFORM_BLOCK;
        let count = if is_block { 0 } else { entry.descriptor_count };
        WriteInfo {
            set: SetKey(0),
            binding: entry.dst_binding,
            element: entry.dst_array_element,
            kind,
            descriptors: (0..count)
                .map(|element| descriptor(element).unwrap_or(Descriptor::Other))
                .collect(),
            via: WriteVia::Template,
        }
    };
    template.entries.iter().map(write).collect()
}

/// Reads one descriptor: the members of `VkDescriptorImageInfo` and `VkDescriptorBufferInfo` by
/// their offsets.
fn template_descriptor(kind: vk::DescriptorType, bytes: &[u8]) -> Option<Descriptor> {
    let word = |offset: usize| {
        let part = bytes.get(offset..offset + 8)?;
        Some(u64::from_ne_bytes(part.try_into().ok()?))
    };
    let int = |offset: usize| {
        let part = bytes.get(offset..offset + 4)?;
        Some(i32::from_ne_bytes(part.try_into().ok()?))
    };
    if is_buffer(kind) {
        return Some(buffer_descriptor(vk::Buffer::from_raw(word(0)?)));
    }
    if bytes.is_empty() {
        return None;
    }
    let sampler = word(std::mem::offset_of!(vk::DescriptorImageInfo, sampler))?;
    let view = word(std::mem::offset_of!(vk::DescriptorImageInfo, image_view))?;
    let layout = int(std::mem::offset_of!(vk::DescriptorImageInfo, image_layout))?;
    Some(image_descriptor(
        kind,
        vk::ImageView::from_raw(view),
        vk::ImageLayout::from_raw(layout),
        vk::Sampler::from_raw(sampler),
    ))
}
