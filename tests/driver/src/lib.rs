//! A Vulkan driver (ICD) that renders nothing, for tests of programs and layers on any machine.
//!
//! The system's loader opens it through a manifest (`null_icd.example.json`; tests write the real
//! one). Commands do nothing, work is done the moment it is submitted, and only memory that can be
//! mapped exists. Everything that it says of itself has a default (a large Adreno) and can be set
//! in a TOML file that the variable `TILELINT_NULL_DRIVER` names, read once per process;
//! `devices/*.toml` are examples. A mistake in it is one line on standard error, with file and
//! line, and the defaults are used.
//!
//! | key | default | meaning |
//! |---|---|---|
//! | `device_name`, `driver_name` | Adreno-like | texts |
//! | `vendor_id`, `device_id`, `driver_version` | 0x5143, 0x06050002, 0.1 | numbers |
//! | `device_type` | `"INTEGRATED_GPU"` | as `VkPhysicalDeviceType` |
//! | `api_version` | `"1.3.281"` | of the device, up to 1.4; newer core functions are missing |
//! | `devices` | 1 | so many devices that are equal in all but their UUID |
//! | `heap_bytes` | 4 GiB | of each heap, and the largest allocation |
//! | `memory_types` | device, host, lazy | lists of `"DEVICE_LOCAL"` etc. |
//! | `extensions` | all known | exactly these, of instance and device |
//! | `add_extensions`, `remove_extensions` | none | changes to that list, any names |
//! | `features` | all known | exactly these, as `"geometryShader"` |
//! | `remove_features` | none | features to do without |
//! | `formats`, `remove_formats` | all known, none | as `"D24_UNORM_S8_UINT"` |
//! | `max_samples` | 4 | the highest sample count |
//! | `async_compute` | false | a second queue family, for compute |
//! | `swapchain_images` | 3 | the fewest images of a swapchain |
//! | `surface_transform` | `"IDENTITY"` | how the display of every surface stands |
//! | `tiles` | `[[256, 192]]` | what `VK_QCOM_tile_properties` says of every framebuffer |
//! | `equal_handles` | false | two devices give out equal values for their objects |
//! | `reuse_handles` | false | a destroyed object's value is the next one given out |
//! | `log` | none | a file that gets a line per call: its name, `ok` or the result |
//!
//! `[errors]` maps functions to results: `vkCreateImage = "ERROR_OUT_OF_DEVICE_MEMORY"` for every
//! call, or `vkQueueSubmit = { result = "ERROR_DEVICE_LOST", call = 3 }` for the third (from 1,
//! over the whole process; `[3, 5]` are two of them). An error stands in for the call; a success
//! code such as `SUBOPTIMAL_KHR` is returned after the call did its work.
//!
//! `[[merge]]` tables say what `VK_EXT_subpass_merge_feedback` (see `add_extensions`) answers of
//! each subpass of every render pass, in order: `status = "NOT_MERGED_DEPENDENCIES"`, `index` (0)
//! of the visit and `text` (none). A subpass without a table is `MERGED`.
//!
//! Images may use memory types that are device-local, and lazily allocated ones if they are
//! transient attachments; linear images and buffers may use every other type.

// Vulkan's own names; arguments that a null driver has no use for stay in the signatures, and
// commands have as many as Vulkan gave them.
#![allow(non_snake_case, clippy::too_many_arguments)]

mod accepted;
mod commands;
mod config;
mod descriptors;
mod device;
mod entry;
mod extensions;
mod features;
mod formats;
mod image;
mod instance;
mod limits;
mod memory;
mod physical_device;
mod pipeline;
mod properties;
mod queue;
mod raw;
mod swapchain;

use std::ffi::{c_char, c_void};

use ash::vk;

/// The allocation callbacks that nearly every command has and the driver ignores.
type Alloc = *const c_void;

/// The first word of every dispatchable object, as the loader wants it (ICD_LOADER_MAGIC).
const MAGIC: usize = 0x01CD_C0DE;

/// The interface between loader and driver that this driver speaks.
const INTERFACE: u32 = 5;

static TABLES: &[&[entry::Entry]] = &[
    accepted::TABLE,
    commands::TABLE,
    descriptors::TABLE,
    device::TABLE,
    image::TABLE,
    instance::TABLE,
    memory::TABLE,
    physical_device::TABLE,
    pipeline::TABLE,
    queue::TABLE,
    swapchain::TABLE,
];

/// The loader's first call: agrees on the version of the interface.
#[unsafe(no_mangle)]
pub extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: &mut u32) -> vk::Result {
    *version = INTERFACE.min(*version);
    vk::Result::SUCCESS
}

/// The loader's way to every function.
#[unsafe(no_mangle)]
pub extern "system" fn vk_icdGetInstanceProcAddr(
    instance: Option<&instance::Instance>,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    instance::vkGetInstanceProcAddr(instance, name)
}

/// Functions whose first parameter is a physical device, and no others.
#[unsafe(no_mangle)]
pub extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    _instance: Option<&instance::Instance>,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    instance::physical_device_proc(name)
}
