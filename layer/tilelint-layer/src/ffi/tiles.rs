//! The size of tiles, which a driver with `VK_QCOM_tile_properties` says.

use super::read::View;
use super::registry::Device;
use ash::vk;

/// Tiles of one framebuffer that are kept: no pass has more subpasses after merging.
const TILES_LIMIT: usize = 64;

/// Returns the tiles of a framebuffer's passes, one for each subpass after merging; nothing where
/// the device was made without the extension.
pub(super) fn of_framebuffer(device: &Device, framebuffer: vk::Framebuffer) -> Vec<vk::Extent2D> {
    let get = device.table.get_framebuffer_tile_properties_qcom;
    let Some(get) = get.filter(|_| device.capture.asked().tiles) else { return Vec::new() };
    let mut count = 0;
    // SAFETY: C5 - a new framebuffer; asks for the count only.
    let _ = unsafe { get(device.handle, framebuffer, &mut count, std::ptr::null_mut()) };
    count = count.min(TILES_LIMIT as u32);
    let mut tiles = vec![vk::TilePropertiesQCOM::default(); count as usize];
    // SAFETY: C5, C7 - the array has that many elements.
    let result = unsafe { get(device.handle, framebuffer, &mut count, tiles.as_mut_ptr()) };
    tiles.truncate(if result.as_raw() >= 0 { count as usize } else { 0 });
    tiles.iter().filter_map(size).collect()
}

/// Returns the tile of a rendering instance.
pub(super) fn of_rendering(
    device: &Device,
    info: View<'_, vk::RenderingInfo<'_>>,
) -> Vec<vk::Extent2D> {
    let get = device.table.get_dynamic_rendering_tile_properties_qcom;
    let Some(get) = get.filter(|_| device.capture.asked().tiles) else { return Vec::new() };
    let mut tile = vk::TilePropertiesQCOM::default();
    // SAFETY: C2, C5, C7 - the info is the application's own, the structure the layer's.
    let result = unsafe { get(device.handle, info.get(), &mut tile) };
    let given = (result.as_raw() >= 0).then_some(&tile);
    given.and_then(size).into_iter().collect()
}

/// The size of a tile; a driver that has none leaves zeros.
fn size(tile: &vk::TilePropertiesQCOM<'_>) -> Option<vk::Extent2D> {
    let vk::Extent3D { width, height, .. } = tile.tile_size;
    (width != 0 && height != 0).then_some(vk::Extent2D { width, height })
}
