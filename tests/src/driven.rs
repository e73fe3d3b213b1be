//! The settings of a null driver that is what a listing says of its device.

use std::fmt::Write as _;

use ash::vk;
use tilelint::call::listing::Listing;
use tilelint::call::{Call, Command, MergeFeedback, PassTarget, RenderPassInfo};
use tilelint::rule::flag_words;

/// What the driver says of the subpasses of a listing's render passes, where it says something.
fn merging(listing: &Listing) -> Option<&RenderPassInfo> {
    listing.entries.iter().find_map(|entry| match &entry.call {
        Call::RenderPass(_, info) => info.merged.map(|_| &**info),
        _ => None,
    })
}

/// The tiles of the first framebuffer or rendering instance of which a listing says some.
fn tiles(listing: &Listing) -> Option<&[vk::Extent2D]> {
    listing.entries.iter().find_map(|entry| match &entry.call {
        Call::Framebuffer(_, info) if !info.tiles.is_empty() => Some(&info.tiles[..]),
        Call::Commands(_, recording) => recording.commands.iter().find_map(|command| {
            let Command::BeginPass(begin) = command else { return None };
            let PassTarget::Dynamic(rendering) = &begin.target else { return None };
            (!rendering.tiles.is_empty()).then_some(&rendering.tiles[..])
        }),
        _ => None,
    })
}

/// Says whether a listing holds what only a driver says that is asked for it.
pub fn asks_driver(listing: &Listing) -> bool {
    merging(listing).is_some() || tiles(listing).is_some()
}

/// The settings of the null driver that has what a listing's first device has.
pub fn driver_of(listing: &Listing) -> String {
    let mut toml = String::new();
    let mut set = |key: &str, value: String| {
        // The first line of its kind counts.
        if !toml.contains(&format!("{key} = ")) {
            let _ = writeln!(toml, "{key} = {value}");
        }
    };
    let mut extensions: Vec<&str> = Vec::new();
    for entry in &listing.entries {
        match &entry.call {
            Call::Device(info) if info.vendor != 0 => set("vendor_id", info.vendor.to_string()),
            Call::Device(info) if info.has_extension("VK_KHR_portability_subset") => {
                extensions.push("VK_KHR_portability_subset");
            }
            Call::Queue(_, info) if info.family > 0 => set("async_compute", "true".to_owned()),
            Call::Image(_, info) if info.samples > 4 => {
                set("max_samples", info.samples.to_string());
            }
            Call::Swapchain(_, info) => {
                set("swapchain_images", info.images.len().to_string());
                if let Some(transform) = info.current_transform {
                    set("surface_transform", format!("\"{}\"", flag_words(&transform)));
                }
            }
            _ => {}
        }
    }
    if committed(listing) != 0 {
        set("committed_bytes", committed(listing).to_string());
    }
    let types = memory_types(listing);
    let types = types.iter().map(flag_words);
    let types = types.map(|words| format!("{:?}", words.split('|').collect::<Vec<_>>()));
    set("memory_types", format!("[{}]", types.collect::<Vec<_>>().join(", ")));
    if merging(listing).is_some() {
        extensions.push("VK_EXT_subpass_merge_feedback");
    }
    set("add_extensions", format!("{extensions:?}"));
    match tiles(listing) {
        Some(tiles) => {
            let sizes: Vec<_> = tiles.iter().map(|tile| [tile.width, tile.height]).collect();
            set("tiles", format!("{sizes:?}"));
        }
        // Asked for something else, it says nothing of tiles either.
        None => set("remove_extensions", "[\"VK_QCOM_tile_properties\"]".to_owned()),
    }
    // Tables stand last.
    toml + &answers(listing) + &results(listing)
}

/// The bytes that a listing's driver says it committed of lazily allocated memory.
pub fn committed(listing: &Listing) -> u64 {
    let bytes = listing.entries.iter().find_map(|entry| match &entry.call {
        Call::Host(access) if access.bytes != 0 => Some(access.bytes),
        _ => None,
    });
    bytes.unwrap_or(0)
}

/// The memory types of a listing's devices.
pub fn memory_types(listing: &Listing) -> Vec<vk::MemoryPropertyFlags> {
    use vk::MemoryPropertyFlags as P;
    let kinds = listing.entries.iter().filter_map(|entry| match &entry.call {
        Call::MemoryType { flags, .. } => Some(*flags),
        _ => None,
    });
    let mut types: Vec<P> = kinds.collect();
    // Without host-visible memory the player could not fill buffers; the listing's first types
    // keep their numbers.
    if !types.iter().any(|flags| flags.contains(P::HOST_VISIBLE)) {
        types.push(P::HOST_VISIBLE | P::HOST_COHERENT);
    }
    types
}

/// What the driver answers of subpasses.
fn answers(listing: &Listing) -> String {
    let subpasses = merging(listing).into_iter().flat_map(|info| &info.subpasses);
    let answer = |answer: &MergeFeedback| {
        let MergeFeedback { status, index, text } = answer;
        format!("[[merge]]\nstatus = \"{status:?}\"\nindex = {index}\ntext = {text:?}\n")
    };
    subpasses.filter_map(|subpass| subpass.merge.as_ref()).map(answer).collect()
}

/// Which presents are suboptimal.
fn results(listing: &Listing) -> String {
    let presents = listing.entries.iter().filter_map(|entry| match &entry.call {
        Call::Present(present) => Some(present.result == vk::Result::SUBOPTIMAL_KHR),
        _ => None,
    });
    let suboptimal = (1..).zip(presents).filter(|(_, is_suboptimal)| *is_suboptimal);
    let calls: Vec<u32> = suboptimal.map(|(call, _)| call).collect();
    if calls.is_empty() {
        return String::new();
    }
    let value = format!("{{ result = \"SUBOPTIMAL_KHR\", call = {calls:?} }}");
    format!("[errors]\nvkQueuePresentKHR = {value}\n")
}
