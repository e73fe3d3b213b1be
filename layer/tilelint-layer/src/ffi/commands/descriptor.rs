//! Descriptor set layouts, pools, sets, update templates and push descriptors.

use crate::capture::template_bytes;
use crate::ffi::hooks::{cmd_hooks, create_hooks, destroy_hooks, device_hooks};
use crate::ffi::read::{View, Views, slice, some};
use ash::vk::{self, Handle};
use std::ffi::c_void;
use tilelint::call::{PipelineLayoutKey, SetLayoutKey};

create_hooks! {
    create_descriptor_set_layout(
        vk::DescriptorSetLayoutCreateInfo<'_>, vk::DescriptorSetLayout) => set_layout;
    create_descriptor_update_template(
        vk::DescriptorUpdateTemplateCreateInfo<'_>, vk::DescriptorUpdateTemplate) => template;
    create_descriptor_update_template_khr(
        vk::DescriptorUpdateTemplateCreateInfo<'_>, vk::DescriptorUpdateTemplate) => template;
    create_pipeline_layout(
        vk::PipelineLayoutCreateInfo<'_>, vk::PipelineLayout) => pipeline_layout;
}

destroy_hooks! {
    destroy_descriptor_pool(vk::DescriptorPool) |dev, key| { dev.capture.empty_pool(key); }
    destroy_descriptor_set_layout(vk::DescriptorSetLayout) |dev, key| {
        dev.capture.destroy(SetLayoutKey(key.as_raw()));
    }
    destroy_descriptor_update_template(vk::DescriptorUpdateTemplate) |dev, key| {
        dev.capture.destroy_template(key);
    }
    destroy_descriptor_update_template_khr(vk::DescriptorUpdateTemplate) |dev, key| {
        dev.capture.destroy_template(key);
    }
    destroy_pipeline_layout(vk::PipelineLayout) |dev, key| {
        dev.capture.destroy(PipelineLayoutKey(key.as_raw()));
    }
}

device_hooks! {
    after [allocate_descriptor_sets](
        device: vk::Device,
        allocate_info: *const vk::DescriptorSetAllocateInfo<'_>,
        descriptor_sets: *mut vk::DescriptorSet
    ) (dev, result) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(allocate_info) } {
            // SAFETY: C7 - that many sets were written.
            let sets = unsafe { slice(descriptor_sets, info.descriptor_set_count as usize) };
            dev.capture.allocate_sets(info, sets);
        }
    }
    before [free_descriptor_sets](
        device: vk::Device,
        descriptor_pool: vk::DescriptorPool,
        count: u32,
        descriptor_sets: *const vk::DescriptorSet
    ) (dev) {
        // SAFETY: C2 - as many as it says, some of which may be NULL.
        let sets = unsafe { slice(descriptor_sets, count as usize) };
        dev.capture.free_sets(descriptor_pool, sets);
    }
    before [reset_descriptor_pool](
        device: vk::Device,
        descriptor_pool: vk::DescriptorPool,
        flags: vk::DescriptorPoolResetFlags
    ) (dev) {
        dev.capture.empty_pool(descriptor_pool);
    }
    after_void [update_descriptor_sets](
        device: vk::Device,
        write_count: u32,
        writes: *const vk::WriteDescriptorSet<'_>,
        copy_count: u32,
        copies: *const vk::CopyDescriptorSet<'_>
    ) (dev) {
        // SAFETY: C2 - as many as it says.
        dev.capture.write_sets(unsafe { Views::new(writes, write_count) });
        // SAFETY: C2 - as many as it says.
        dev.capture.copy_sets(unsafe { Views::new(copies, copy_count) });
    }
    after_void [
        update_descriptor_set_with_template update_descriptor_set_with_template_khr
    ](
        device: vk::Device,
        descriptor_set: vk::DescriptorSet,
        template: vk::DescriptorUpdateTemplate,
        data: *const c_void
    ) (dev) {
        if let Some(template) = dev.capture.find_template(template) {
            // SAFETY: C2 - the data reaches to the template's last descriptor.
            let bytes = unsafe { slice(data.cast::<u8>(), template_bytes(&template)) };
            dev.capture.write_with_template(descriptor_set, &template, bytes);
        }
    }
}

cmd_hooks! {
    quick [cmd_bind_descriptor_sets](
        command_buffer: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first_set: u32,
        set_count: u32,
        sets: *const vk::DescriptorSet,
        offset_count: u32,
        offsets: *const u32
    ) (dev, recorder) {
        if set_count == 1 && offset_count == 0 {
            // SAFETY: C2 - one set.
            let set = unsafe { some(sets) };
            recorder.bind_sets_within::<1, 0, 1>(point, layout, first_set, set, [])
        } else {
            false
        }
    } or {
        macro_rules! bind {
            ($n_sets:literal, $n_offsets:literal, $n_words:literal) => {{
                // SAFETY: C2 - as many as it says.
                let sets = unsafe { some::<_, $n_sets>(sets) };
                // SAFETY: C2 - as many as it says.
                let offsets = unsafe { some::<_, $n_offsets>(offsets) };
                recorder.bind_sets_within::<_, _, $n_words>(point, layout, first_set, sets, offsets)
            }};
        }
        match (set_count, offset_count) {
            (1, 1) => bind!(1, 1, 2),
            (1, 2) => bind!(1, 2, 3),
            (2, 0) => bind!(2, 0, 2),
            (2, 1) => bind!(2, 1, 3),
            (3, 0) => bind!(3, 0, 3),
            (4, 0) => bind!(4, 0, 4),
            _ => false,
        }
    } else {
        // SAFETY: C2 - as many as it says.
        let sets = unsafe { slice(sets, set_count as usize) };
        // SAFETY: C2 - as many as it says.
        let offsets = unsafe { slice(offsets, offset_count as usize) };
        recorder.bind_sets(point, layout, first_set, sets, offsets);
    }
}

cmd_hooks! {
    [cmd_push_descriptor_set cmd_push_descriptor_set_khr](
        command_buffer: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        write_count: u32,
        writes: *const vk::WriteDescriptorSet<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        recorder.push_set(point, layout, set, unsafe { Views::new(writes, write_count) });
    }
    [cmd_push_descriptor_set2 cmd_push_descriptor_set2_khr](
        command_buffer: vk::CommandBuffer,
        info: *const vk::PushDescriptorSetInfoKHR<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(info) } {
            for point in points(info.stage_flags) {
                recorder.push_set(point, info.layout, info.set, info.writes());
            }
        }
    }
    [
        cmd_push_descriptor_set_with_template cmd_push_descriptor_set_with_template_khr
    ](
        command_buffer: vk::CommandBuffer,
        template: vk::DescriptorUpdateTemplate,
        layout: vk::PipelineLayout,
        set: u32,
        data: *const c_void
    ) (dev, recorder) {
        if let Some(template) = dev.capture.find_template(template) {
            // SAFETY: C2 - the data reaches to the template's last descriptor.
            let bytes = unsafe { slice(data.cast::<u8>(), template_bytes(&template)) };
            recorder.push_set_with_template(&template, layout, set, bytes);
        }
    }
    [
        cmd_push_descriptor_set_with_template2 cmd_push_descriptor_set_with_template2_khr
    ](
        command_buffer: vk::CommandBuffer,
        info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        let info = unsafe { View::new(info) };
        let found = info.and_then(|info| {
            Some((info, dev.capture.find_template(info.descriptor_update_template)?))
        });
        if let Some((info, template)) = found {
            // SAFETY: C2 - the data reaches to the template's last descriptor.
            let bytes = unsafe { slice(info.p_data.cast::<u8>(), template_bytes(&template)) };
            recorder.push_set_with_template(&template, info.layout, info.set, bytes);
        }
    }
    [cmd_bind_descriptor_sets2 cmd_bind_descriptor_sets2_khr](
        command_buffer: vk::CommandBuffer,
        info: *const vk::BindDescriptorSetsInfoKHR<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(info) } {
            let (sets, offsets) = (info.sets().as_slice(), info.offsets().as_slice());
            for point in points(info.stage_flags) {
                recorder.bind_sets(point, info.layout, info.first_set, sets, offsets);
            }
        }
    }
}

/// Returns the bind points that stages belong to.
fn points(stages: vk::ShaderStageFlags) -> impl Iterator<Item = vk::PipelineBindPoint> {
    let compute = vk::ShaderStageFlags::COMPUTE;
    let graphics = vk::ShaderStageFlags::ALL_GRAPHICS
        | vk::ShaderStageFlags::TASK_EXT
        | vk::ShaderStageFlags::MESH_EXT;
    let points =
        [(graphics, vk::PipelineBindPoint::GRAPHICS), (compute, vk::PipelineBindPoint::COMPUTE)];
    points.into_iter().filter(move |(mask, _)| stages.intersects(*mask)).map(|(_, point)| point)
}
