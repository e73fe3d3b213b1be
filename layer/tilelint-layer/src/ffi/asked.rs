//! What the layer asks the driver on its own, and what a device needs for it.
//!
//! After opt-in only: extensions and features that the application did not enable are added to a
//! copy of its create-info. What the application enabled itself is used as it is.

use super::device_info::PhysicalInfo;
use super::read::View;
use super::registry::Instance;
use ash::vk;
use std::ffi::{CStr, c_char, c_void};

/// What a device answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The layer may ask on its own.
    pub(crate) on_its_own: bool,
    /// Render passes have answers: `VK_EXT_subpass_merge_feedback` is on.
    pub(crate) merging: bool,
    /// Tiles have a size: `VK_QCOM_tile_properties` is on.
    pub(crate) tiles: bool,
}

/// How a feature stands in the application's create-info.
struct Wanted {
    name: &'static CStr,
    is_named: bool,
    /// The feature's own structure, where chained.
    chained: Option<bool>,
}

impl Wanted {
    fn is_on(&self) -> bool {
        self.is_named && self.chained == Some(true)
    }

    /// Says whether adding it contradicts nothing that the application said.
    fn may_be_added(&self) -> bool {
        self.chained.is_none()
    }
}

/// What is added to a device, and the copy of its create-info that says so.
#[derive(Default)]
pub(super) struct Additions {
    names: Vec<*const c_char>,
    merging: Vec<vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT<'static>>,
    tiles: Vec<vk::PhysicalDeviceTilePropertiesFeaturesQCOM<'static>>,
    /// What the device answers with the additions, and without them.
    with: Asked,
    without: Asked,
}

impl Additions {
    /// Decides what to add for an application that enabled these extensions.
    ///
    /// # Safety
    /// C2, C3, C5: a live physical device of `instance`, valid names in `info`.
    pub(super) unsafe fn new(
        instance: &Instance,
        physical_device: vk::PhysicalDevice,
        physical: &PhysicalInfo,
        info: View<'_, vk::DeviceCreateInfo<'_>>,
        extensions: &[&CStr],
    ) -> Additions {
        let merging = Wanted {
            name: ash::ext::subpass_merge_feedback::NAME,
            is_named: extensions.contains(&ash::ext::subpass_merge_feedback::NAME),
            chained: info
                .next::<vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT<'_>>()
                .map(|features| features.subpass_merge_feedback != 0),
        };
        let tiles = Wanted {
            name: ash::qcom::tile_properties::NAME,
            is_named: extensions.contains(&ash::qcom::tile_properties::NAME),
            chained: info
                .next::<vk::PhysicalDeviceTilePropertiesFeaturesQCOM<'_>>()
                .map(|features| features.tile_properties != 0),
        };
        let on_its_own = instance.settings.wants().asks_driver;
        let without = Asked { on_its_own, merging: merging.is_on(), tiles: tiles.is_on() };
        let mut additions = Additions { with: without, without, ..Additions::default() };
        if !on_its_own {
            return additions;
        }
        let api = instance.settings.api_version().min(physical.properties.api_version);
        let has_new_passes =
            api >= vk::API_VERSION_1_2 || extensions.contains(&ash::khr::create_renderpass2::NAME);
        // SAFETY: the caller's promise.
        let [has_merging, has_tiles] = unsafe { offered(instance, physical_device) };
        if has_merging && has_new_passes && merging.may_be_added() {
            additions.with.merging = true;
            let features = vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT::default();
            additions.merging.push(features.subpass_merge_feedback(true));
            additions.name(&merging);
        }
        if has_tiles && tiles.may_be_added() {
            additions.with.tiles = true;
            let features = vk::PhysicalDeviceTilePropertiesFeaturesQCOM::default();
            additions.tiles.push(features.tile_properties(true));
            additions.name(&tiles);
        }
        additions
    }

    fn name(&mut self, wanted: &Wanted) {
        if !wanted.is_named {
            self.names.push(wanted.name.as_ptr());
        }
    }

    /// Returns whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.merging.is_empty() && self.tiles.is_empty()
    }

    /// Returns what the device answers, made with or without the additions.
    pub(super) fn asked(&self, added: bool) -> Asked {
        if added { self.with } else { self.without }
    }

    /// Returns the application's create-info with the additions. It points into `self`.
    pub(super) fn info<'a>(
        &mut self,
        info: View<'a, vk::DeviceCreateInfo<'a>>,
    ) -> vk::DeviceCreateInfo<'a> {
        let mut copy = *info.get();
        let given = info.extension_names();
        self.names.splice(0..0, given.as_slice().iter().copied());
        copy.enabled_extension_count = self.names.len() as u32;
        copy.pp_enabled_extension_names = self.names.as_ptr();
        for features in &mut self.merging {
            features.p_next = copy.p_next.cast_mut();
            copy.p_next = (&raw const *features).cast::<c_void>();
        }
        for features in &mut self.tiles {
            features.p_next = copy.p_next.cast_mut();
            copy.p_next = (&raw const *features).cast::<c_void>();
        }
        copy
    }
}

/// Says whether a physical device has the extensions and their features: merging, tiles.
///
/// # Safety
/// C3, C5: a live physical device of `instance`.
unsafe fn offered(instance: &Instance, physical_device: vk::PhysicalDevice) -> [bool; 2] {
    let table = &instance.table;
    let get = table.get_physical_device_features2.or(table.get_physical_device_features2_khr);
    let (Some(get), Some(list)) = (get, table.enumerate_device_extension_properties) else {
        return [false; 2];
    };
    let mut count = 0;
    // SAFETY: C5 - asks for the count only.
    let _ = unsafe { list(physical_device, std::ptr::null(), &mut count, std::ptr::null_mut()) };
    let mut all = vec![vk::ExtensionProperties::default(); count as usize];
    // SAFETY: C5, C7 - the array has that many elements.
    let _ = unsafe { list(physical_device, std::ptr::null(), &mut count, all.as_mut_ptr()) };
    all.truncate(count as usize);
    let has = |name: &CStr| all.iter().any(|one| one.extension_name_as_c_str() == Ok(name));
    let has_merging = has(ash::ext::subpass_merge_feedback::NAME);
    let has_tiles = has(ash::qcom::tile_properties::NAME);
    let mut merging = vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT::default();
    let mut tiles = vk::PhysicalDeviceTilePropertiesFeaturesQCOM::default();
    let mut features = vk::PhysicalDeviceFeatures2::default();
    if has_merging {
        features = features.push_next(&mut merging);
    }
    if has_tiles {
        features = features.push_next(&mut tiles);
    }
    if has_merging || has_tiles {
        // SAFETY: C5, C7 - the structures are the layer's own.
        unsafe { get(physical_device, &mut features) };
    }
    [merging.subpass_merge_feedback != 0, tiles.tile_properties != 0]
}
