//! Images and buffers: what they need of memory, computed from what they are.

use ash::vk::{self, Handle, MemoryPropertyFlags as Type};

use crate::Alloc;
use crate::config::config;
use crate::device::Device;
use crate::entry::{Need, V1_0, V1_1, V1_3, V1_4, entries, objects, table};
use crate::formats;
use crate::raw::{self, Out};

/// What the driver remembers of a VkImage.
#[derive(Clone)]
pub struct Image {
    pub format: vk::Format,
    pub extent: vk::Extent3D,
    pub mips: u32,
    pub layers: u32,
    pub samples: u32,
    pub usage: vk::ImageUsageFlags,
    pub tiling: vk::ImageTiling,
}

/// The alignment of images, a page as on most GPUs.
const IMAGE_ALIGNMENT: u64 = 4096;
const BUFFER_ALIGNMENT: u64 = 256;

impl Image {
    fn new(info: &vk::ImageCreateInfo<'_>) -> Self {
        Image {
            format: info.format,
            extent: info.extent,
            mips: info.mip_levels,
            layers: info.array_layers,
            samples: info.samples.as_raw(),
            usage: info.usage,
            tiling: info.tiling,
        }
    }

    /// Bytes of a row of blocks and of a whole slice of one mip level.
    fn pitch(&self, mip: u32) -> (u64, u64) {
        let side = |length: u32| u64::from((length >> mip).max(1));
        let Some(block) = formats::block(self.format) else { return (0, 0) };
        let columns = side(self.extent.width).div_ceil(block.width);
        let rows = side(self.extent.height).div_ceil(block.height);
        let row = columns * block.bytes * u64::from(self.samples);
        (row, row * rows)
    }

    /// Bytes of one layer's mip level.
    fn mip_bytes(&self, mip: u32) -> u64 {
        self.pitch(mip).1 * u64::from((self.extent.depth >> mip).max(1))
    }

    fn layer_bytes(&self) -> u64 {
        (0..self.mips).map(|mip| self.mip_bytes(mip)).sum()
    }

    /// Size, alignment and types of memory.
    fn requirements(&self) -> vk::MemoryRequirements {
        let transient = self.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
        let linear = self.tiling == vk::ImageTiling::LINEAR;
        let bits = type_bits(|flags| match flags.contains(Type::LAZILY_ALLOCATED) {
            true => transient,
            false => flags.contains(Type::DEVICE_LOCAL) || linear,
        });
        let any = type_bits(|flags| !flags.contains(Type::LAZILY_ALLOCATED));
        let bytes = self.layer_bytes() * u64::from(self.layers);
        vk::MemoryRequirements {
            size: bytes.max(1).next_multiple_of(IMAGE_ALIGNMENT),
            alignment: IMAGE_ALIGNMENT,
            memory_type_bits: if bits == 0 { any } else { bits },
        }
    }

    fn layout(&self, subresource: &vk::ImageSubresource) -> vk::SubresourceLayout {
        let mip = subresource.mip_level;
        let before: u64 = (0..mip).map(|mip| self.mip_bytes(mip)).sum();
        let (row_pitch, depth_pitch) = self.pitch(mip);
        vk::SubresourceLayout {
            offset: u64::from(subresource.array_layer) * self.layer_bytes() + before,
            size: self.mip_bytes(mip),
            row_pitch,
            array_pitch: self.layer_bytes(),
            depth_pitch,
        }
    }
}

/// The memory types whose flags satisfy a condition, as bits.
pub fn type_bits(good: impl Fn(Type) -> bool) -> u32 {
    let types = config().memory_types.iter().enumerate();
    types.filter(|(_, flags)| good(**flags)).map(|(i, _)| 1 << i).sum()
}

fn buffer_requirements(size: u64) -> vk::MemoryRequirements {
    vk::MemoryRequirements {
        size: size.max(1).next_multiple_of(BUFFER_ALIGNMENT),
        alignment: BUFFER_ALIGNMENT,
        memory_type_bits: type_bits(|flags| !flags.contains(Type::LAZILY_ALLOCATED)),
    }
}

fn of_image(device: &Device, image: vk::Image) -> vk::MemoryRequirements {
    let state = device.state.lock();
    state.images.get(&image.as_raw()).map(Image::requirements).unwrap_or_default()
}

fn of_buffer(device: &Device, buffer: vk::Buffer) -> vk::MemoryRequirements {
    let size = device.state.lock().buffers.get(&buffer.as_raw()).copied();
    buffer_requirements(size.unwrap_or(0))
}

fn answer(out: &mut vk::MemoryRequirements2<'_>, requirements: vk::MemoryRequirements) {
    out.memory_requirements = requirements;
    raw::fill::<vk::MemoryDedicatedRequirements<'_>>(out.p_next, |dedicated| {
        dedicated.prefers_dedicated_allocation = vk::FALSE;
        dedicated.requires_dedicated_allocation = vk::FALSE;
    });
}

fn layout_of(
    device: &Device,
    image: vk::Image,
    of: &vk::ImageSubresource,
) -> vk::SubresourceLayout {
    let state = device.state.lock();
    state.images.get(&image.as_raw()).map(|image| image.layout(of)).unwrap_or_default()
}

objects! {
    vkCreateBufferView, vkDestroyBufferView: BufferViewCreateInfo => BufferView
    vkCreateImageView, vkDestroyImageView: ImageViewCreateInfo => ImageView
    vkCreateSampler, vkDestroySampler: SamplerCreateInfo => Sampler
    vkCreateSamplerYcbcrConversion | vkCreateSamplerYcbcrConversionKHR,
        vkDestroySamplerYcbcrConversion | vkDestroySamplerYcbcrConversionKHR:
        SamplerYcbcrConversionCreateInfo => SamplerYcbcrConversion
}

entries! {
    fn vkCreateImage(
        device: &Device, info: &vk::ImageCreateInfo<'_>, _alloc: Alloc, out: Out<vk::Image>
    ) -> vk::Result {
        let mut state = device.state.lock();
        let handle: vk::Image = state.new_handle();
        state.images.insert(handle.as_raw(), Image::new(info));
        out.set(handle);
        vk::Result::SUCCESS
    }

    fn vkDestroyImage(device: &Device, image: vk::Image, _alloc: Alloc) {
        let mut state = device.state.lock();
        state.images.remove(&image.as_raw());
        state.free_handle(image);
    }

    fn vkCreateBuffer(
        device: &Device, info: &vk::BufferCreateInfo<'_>, _alloc: Alloc, out: Out<vk::Buffer>
    ) -> vk::Result {
        let mut state = device.state.lock();
        let handle: vk::Buffer = state.new_handle();
        state.buffers.insert(handle.as_raw(), info.size);
        out.set(handle);
        vk::Result::SUCCESS
    }

    fn vkDestroyBuffer(device: &Device, buffer: vk::Buffer, _alloc: Alloc) {
        let mut state = device.state.lock();
        state.buffers.remove(&buffer.as_raw());
        state.free_handle(buffer);
    }

    fn vkGetImageMemoryRequirements(
        device: &Device, image: vk::Image, out: Out<vk::MemoryRequirements>
    ) {
        out.set(of_image(device, image));
    }

    fn vkGetBufferMemoryRequirements(
        device: &Device, buffer: vk::Buffer, out: Out<vk::MemoryRequirements>
    ) {
        out.set(of_buffer(device, buffer));
    }

    fn vkGetImageMemoryRequirements2 | vkGetImageMemoryRequirements2KHR(
        device: &Device, info: &vk::ImageMemoryRequirementsInfo2<'_>,
        out: &mut vk::MemoryRequirements2<'_>
    ) {
        answer(out, of_image(device, info.image));
    }

    fn vkGetBufferMemoryRequirements2 | vkGetBufferMemoryRequirements2KHR(
        device: &Device, info: &vk::BufferMemoryRequirementsInfo2<'_>,
        out: &mut vk::MemoryRequirements2<'_>
    ) {
        answer(out, of_buffer(device, info.buffer));
    }

    fn vkGetDeviceImageMemoryRequirements | vkGetDeviceImageMemoryRequirementsKHR(
        _device: &Device, info: &vk::DeviceImageMemoryRequirements<'_>,
        out: &mut vk::MemoryRequirements2<'_>
    ) {
        let image = raw::read(info.p_create_info).map(Image::new);
        answer(out, image.map(|image| image.requirements()).unwrap_or_default());
    }

    fn vkGetDeviceBufferMemoryRequirements | vkGetDeviceBufferMemoryRequirementsKHR(
        _device: &Device, info: &vk::DeviceBufferMemoryRequirements<'_>,
        out: &mut vk::MemoryRequirements2<'_>
    ) {
        answer(out, buffer_requirements(raw::read(info.p_create_info).map_or(0, |i| i.size)));
    }

    fn vkGetImageSparseMemoryRequirements(
        _device: &Device, _image: vk::Image, count: &mut u32,
        _out: Out<vk::SparseImageMemoryRequirements>
    ) {
        *count = 0;
    }

    fn vkGetImageSparseMemoryRequirements2 | vkGetImageSparseMemoryRequirements2KHR |
        vkGetDeviceImageSparseMemoryRequirements | vkGetDeviceImageSparseMemoryRequirementsKHR(
        _device: &Device, _info: &vk::BaseInStructure<'_>, count: &mut u32,
        _out: Out<vk::SparseImageMemoryRequirements2<'_>>
    ) {
        *count = 0;
    }

    fn vkGetImageSubresourceLayout(
        device: &Device, image: vk::Image, of: &vk::ImageSubresource,
        out: Out<vk::SubresourceLayout>
    ) {
        out.set(layout_of(device, image, of));
    }

    fn vkGetImageSubresourceLayout2 | vkGetImageSubresourceLayout2KHR |
        vkGetImageSubresourceLayout2EXT(
        device: &Device, image: vk::Image, of: &vk::ImageSubresource2KHR<'_>,
        out: &mut vk::SubresourceLayout2KHR<'_>
    ) {
        out.subresource_layout = layout_of(device, image, &of.image_subresource);
    }

    fn vkGetDeviceImageSubresourceLayout | vkGetDeviceImageSubresourceLayoutKHR(
        _device: &Device, info: &vk::DeviceImageSubresourceInfoKHR<'_>,
        out: &mut vk::SubresourceLayout2KHR<'_>
    ) {
        let image = raw::read(info.p_create_info).map(Image::new);
        if let (Some(image), Some(of)) = (image, raw::read(info.p_subresource)) {
            out.subresource_layout = image.layout(&of.image_subresource);
        }
    }
}

table! {
    Device(V1_0) {
        vkCreateBufferView vkDestroyBufferView vkCreateImageView vkDestroyImageView
        vkCreateSampler vkDestroySampler vkCreateImage vkDestroyImage vkCreateBuffer
        vkDestroyBuffer vkGetImageMemoryRequirements vkGetBufferMemoryRequirements
        vkGetImageSparseMemoryRequirements vkGetImageSubresourceLayout
    }
    Device(V1_1) {
        vkCreateSamplerYcbcrConversion vkDestroySamplerYcbcrConversion
        vkGetImageMemoryRequirements2 vkGetBufferMemoryRequirements2
        vkGetImageSparseMemoryRequirements2
    }
    Device(V1_3) {
        vkGetDeviceImageMemoryRequirements vkGetDeviceBufferMemoryRequirements
        vkGetDeviceImageSparseMemoryRequirements
    }
    Device(Need::Extension("VK_KHR_sampler_ycbcr_conversion")) {
        vkCreateSamplerYcbcrConversionKHR vkDestroySamplerYcbcrConversionKHR
    }
    Device(Need::Extension("VK_KHR_get_memory_requirements2")) {
        vkGetImageMemoryRequirements2KHR vkGetBufferMemoryRequirements2KHR
        vkGetImageSparseMemoryRequirements2KHR
    }
    Device(Need::Extension("VK_KHR_maintenance4")) {
        vkGetDeviceImageMemoryRequirementsKHR vkGetDeviceBufferMemoryRequirementsKHR
        vkGetDeviceImageSparseMemoryRequirementsKHR
    }
    Device(V1_4) { vkGetImageSubresourceLayout2 vkGetDeviceImageSubresourceLayout }
    Device(Need::Extension("VK_KHR_maintenance5")) {
        vkGetImageSubresourceLayout2KHR vkGetDeviceImageSubresourceLayoutKHR
    }
    Device(Need::Extension("VK_EXT_host_image_copy")) { vkGetImageSubresourceLayout2EXT }
}
