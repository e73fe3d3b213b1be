//! Images, views, buffers and samplers.

use crate::ffi::hooks::{create_hooks, destroy_hooks};
use ash::vk::{self, Handle};
use tilelint::call::{BufferKey, ImageKey, SamplerKey, ViewKey};

create_hooks! {
    create_buffer(vk::BufferCreateInfo<'_>, vk::Buffer) => buffer;
    create_image(vk::ImageCreateInfo<'_>, vk::Image) => image;
    create_image_view(vk::ImageViewCreateInfo<'_>, vk::ImageView) => view;
    create_sampler(vk::SamplerCreateInfo<'_>, vk::Sampler) => sampler;
}

destroy_hooks! {
    destroy_buffer(vk::Buffer) |dev, key| { dev.capture.destroy(BufferKey(key.as_raw())); }
    destroy_image(vk::Image) |dev, key| { dev.capture.destroy(ImageKey(key.as_raw())); }
    destroy_image_view(vk::ImageView) |dev, key| { dev.capture.destroy(ViewKey(key.as_raw())); }
    destroy_sampler(vk::Sampler) |dev, key| { dev.capture.destroy(SamplerKey(key.as_raw())); }
}
