//! Descriptors: pools that give out sets, and nothing in them.

use std::ffi::c_void;

use ash::vk::{self, Handle};

use crate::Alloc;
use crate::device::{Device, State};
use crate::entry::{Need, V1_0, V1_1, entries, objects, table};
use crate::pipeline::clear;
use crate::raw::{self, Array, Out};

/// Bytes of any descriptor in a descriptor buffer.
pub const DESCRIPTOR_BYTES: usize = 64;

fn free_sets(state: &mut State, pool: vk::DescriptorPool) {
    for set in state.sets.remove(&pool.as_raw()).into_iter().flatten() {
        state.free_handle(vk::DescriptorSet::from_raw(set));
    }
}

objects! {
    vkCreateDescriptorSetLayout, vkDestroyDescriptorSetLayout:
        DescriptorSetLayoutCreateInfo => DescriptorSetLayout
    vkCreateDescriptorUpdateTemplate | vkCreateDescriptorUpdateTemplateKHR,
        vkDestroyDescriptorUpdateTemplate | vkDestroyDescriptorUpdateTemplateKHR:
        DescriptorUpdateTemplateCreateInfo => DescriptorUpdateTemplate
}

entries! {
    fn vkCreateDescriptorPool(
        device: &Device, _info: &vk::DescriptorPoolCreateInfo<'_>, _alloc: Alloc,
        out: Out<vk::DescriptorPool>
    ) -> vk::Result {
        out.set(device.new_handle());
        vk::Result::SUCCESS
    }

    fn vkDestroyDescriptorPool(device: &Device, pool: vk::DescriptorPool, _alloc: Alloc) {
        let mut state = device.state.lock();
        free_sets(&mut state, pool);
        state.free_handle(pool);
    }

    fn vkResetDescriptorPool(
        device: &Device, pool: vk::DescriptorPool, _flags: vk::DescriptorPoolResetFlags
    ) -> vk::Result {
        free_sets(&mut device.state.lock(), pool);
        vk::Result::SUCCESS
    }

    fn vkAllocateDescriptorSets(
        device: &Device, info: &vk::DescriptorSetAllocateInfo<'_>, out: Out<vk::DescriptorSet>
    ) -> vk::Result {
        let mut state = device.state.lock();
        for i in 0..info.descriptor_set_count {
            let set: vk::DescriptorSet = state.new_handle();
            state.sets.entry(info.descriptor_pool.as_raw()).or_default().push(set.as_raw());
            out.set_at(i as usize, set);
        }
        vk::Result::SUCCESS
    } else {
        clear(info.descriptor_set_count, &out);
    }

    fn vkFreeDescriptorSets(
        device: &Device, pool: vk::DescriptorPool, count: u32, sets: Array<vk::DescriptorSet>
    ) -> vk::Result {
        let mut state = device.state.lock();
        for set in sets.of(count) {
            let all = state.sets.entry(pool.as_raw()).or_default();
            all.retain(|of_pool| *of_pool != set.as_raw());
            state.free_handle(*set);
        }
        vk::Result::SUCCESS
    }

    fn vkGetDescriptorSetLayoutSupport | vkGetDescriptorSetLayoutSupportKHR(
        _device: &Device, _info: &vk::DescriptorSetLayoutCreateInfo<'_>,
        out: &mut vk::DescriptorSetLayoutSupport<'_>
    ) {
        out.supported = vk::TRUE;
        raw::fill::<vk::DescriptorSetVariableDescriptorCountLayoutSupport<'_>>(
            out.p_next,
            |support| support.max_variable_descriptor_count = 1 << 20,
        );
    }

    fn vkGetDescriptorSetLayoutSizeEXT(
        _device: &Device, _layout: vk::DescriptorSetLayout, out: Out<vk::DeviceSize>
    ) {
        out.set(4096);
    }

    fn vkGetDescriptorSetLayoutBindingOffsetEXT(
        _device: &Device, _layout: vk::DescriptorSetLayout, binding: u32,
        out: Out<vk::DeviceSize>
    ) {
        out.set(u64::from(binding) * DESCRIPTOR_BYTES as u64);
    }

    fn vkGetDescriptorEXT(
        _device: &Device, _info: &vk::BaseInStructure<'_>, size: usize, out: *mut c_void
    ) {
        raw::bytes_mut(out, size).fill(0);
    }

    fn vkGetBufferOpaqueCaptureDescriptorDataEXT | vkGetImageOpaqueCaptureDescriptorDataEXT |
        vkGetImageViewOpaqueCaptureDescriptorDataEXT |
        vkGetSamplerOpaqueCaptureDescriptorDataEXT |
        vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT(
        _device: &Device, _info: &vk::BaseInStructure<'_>, out: Out<u32>
    ) -> vk::Result {
        out.set(0);
        vk::Result::SUCCESS
    }
}

table! {
    Device(V1_0) {
        vkCreateDescriptorSetLayout vkDestroyDescriptorSetLayout vkCreateDescriptorPool
        vkDestroyDescriptorPool vkResetDescriptorPool vkAllocateDescriptorSets
        vkFreeDescriptorSets
    }
    Device(V1_1) {
        vkCreateDescriptorUpdateTemplate vkDestroyDescriptorUpdateTemplate
        vkGetDescriptorSetLayoutSupport
    }
    Device(Need::Extension("VK_KHR_descriptor_update_template")) {
        vkCreateDescriptorUpdateTemplateKHR vkDestroyDescriptorUpdateTemplateKHR
    }
    Device(Need::Extension("VK_KHR_maintenance3")) { vkGetDescriptorSetLayoutSupportKHR }
    Device(Need::Extension("VK_EXT_descriptor_buffer")) {
        vkGetDescriptorSetLayoutSizeEXT vkGetDescriptorSetLayoutBindingOffsetEXT
        vkGetDescriptorEXT vkGetBufferOpaqueCaptureDescriptorDataEXT
        vkGetImageOpaqueCaptureDescriptorDataEXT vkGetImageViewOpaqueCaptureDescriptorDataEXT
        vkGetSamplerOpaqueCaptureDescriptorDataEXT
        vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT
    }
}
