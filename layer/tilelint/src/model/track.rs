//! Images with what is known of their content.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::device::{AlwaysLive, ImageUse};
use super::objects::{Image, ImageId, View, aspects_in};
use super::removals::Removals;
use super::timeline::*;
use crate::call::{ImageOrigin, SubresourceRange};

/// An image and its timelines.
#[derive(Clone, Debug)]
pub struct Tracked {
    /// The image.
    pub image: Arc<Image>,
    /// How it was used since it was made.
    pub used: ImageUse,
    /// A bindless descriptor refers to it.
    pub bindless: bool,
    /// Other images on the same bytes of memory.
    pub aliases: SmallVec<[ImageId; 1]>,
    /// One of them is identical to it and both say `ALIAS`.
    pub shares_content: bool,
    /// State of a subresource that nothing has touched yet.
    pub untouched: State,
    /// Storage descriptors of it that live sets hold.
    pub storage_descriptors: u32,
    /// Live views of it, by format.
    views: SmallVec<[(vk::Format, u32); 1]>,
    timelines: Vec<Option<Box<Timeline>>>,
}

impl Tracked {
    /// Returns an image that nothing touched yet.
    pub fn new(image: Arc<Image>, untouched: State) -> Self {
        let planes = image.aspects().len();
        let layers = image.info.layers as usize;
        let count = planes * image.info.mips as usize * layers;
        let tracked = image.can_be_attachment() || image.info.origin != ImageOrigin::Application;
        let timelines = if tracked { vec![None; count.min(1 << 16)] } else { Vec::new() };
        Self {
            image,
            used: ImageUse::default(),
            bindless: false,
            aliases: SmallVec::new(),
            shares_content: false,
            untouched,
            storage_descriptors: 0,
            views: SmallVec::new(),
            timelines,
        }
    }

    /// A view of it in this format is made.
    pub fn add_view(&mut self, format: vk::Format) {
        match self.views.iter_mut().find(|(known, _)| *known == format) {
            Some((_, count)) => *count += 1,
            None => self.views.push((format, 1)),
        }
    }

    /// A view of it in this format is gone.
    pub fn remove_view(&mut self, format: vk::Format) {
        self.views.retain(|(known, count)| {
            *count -= u32::from(*known == format);
            *count != 0
        });
    }

    /// Formats of its live views.
    pub fn view_formats(&self) -> impl Iterator<Item = vk::Format> {
        self.views.iter().map(|(format, _)| *format)
    }

    /// Says why the content is always live, if it is.
    pub fn always_live(&self) -> Option<AlwaysLive> {
        let info = &self.image.info;
        let sparse = vk::ImageCreateFlags::SPARSE_BINDING
            | vk::ImageCreateFlags::SPARSE_RESIDENCY
            | vk::ImageCreateFlags::SPARSE_ALIASED;
        let host = self
            .image
            .placement
            .flags
            .is_some_and(|flags| flags.contains(vk::MemoryPropertyFlags::HOST_VISIBLE));
        let known = vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::STORAGE
            | vk::ImageUsageFlags::COLOR_ATTACHMENT
            | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
            | vk::ImageUsageFlags::TRANSIENT_ATTACHMENT
            | vk::ImageUsageFlags::INPUT_ATTACHMENT
            | vk::ImageUsageFlags::FRAGMENT_DENSITY_MAP_EXT
            | vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR
            | vk::ImageUsageFlags::ATTACHMENT_FEEDBACK_LOOP_EXT;
        Some(match info.origin {
            ImageOrigin::Swapchain => AlwaysLive::Swapchain,
            ImageOrigin::Xr => AlwaysLive::NotOurs,
            ImageOrigin::TileMemory => AlwaysLive::TileMemory,
            _ if info.opaque || info.usage.as_raw() & !known.as_raw() != 0 => AlwaysLive::Opaque,
            _ if info.external || self.image.placement.external => AlwaysLive::External,
            _ if info.flags.intersects(sparse) => AlwaysLive::Sparse,
            _ if self.shares_content => AlwaysLive::Alias,
            _ if info.tiling != vk::ImageTiling::OPTIMAL && host => AlwaysLive::Host,
            _ if self.bindless => AlwaysLive::Bindless,
            _ => return None,
        })
    }

    fn index(&self, plane: usize, mip: u32, layer: u32) -> usize {
        let info = &self.image.info;
        (plane * info.mips as usize + mip as usize) * info.layers as usize + layer as usize
    }

    /// Applies a change to every subresource of a range; untouched ones are made first.
    pub fn each(&mut self, range: &SubresourceRange, mut change: impl FnMut(&mut Timeline)) {
        self.each_index(range, |tracked, index| {
            let untouched = tracked.untouched;
            if let Some(slot) = tracked.timelines.get_mut(index) {
                change(slot.get_or_insert_with(|| Box::new(Timeline::new(untouched))));
            }
        });
    }

    /// Applies a change to the subresources of a range that something touched before.
    pub fn each_touched(
        &mut self,
        range: &SubresourceRange,
        mut change: impl FnMut(&mut Timeline),
    ) {
        self.each_index(range, |tracked, index| {
            if let Some(Some(timeline)) = tracked.timelines.get_mut(index) {
                change(timeline);
            }
        });
    }

    fn each_index(&mut self, range: &SubresourceRange, mut visit: impl FnMut(&mut Self, usize)) {
        if self.timelines.is_empty() {
            return;
        }
        let (mips, layers) = (self.image.info.mips, self.image.info.layers);
        let mip_end = range.base_mip.saturating_add(range.mips).min(mips);
        let layer_end = range.base_layer.saturating_add(range.layers).min(layers);
        let format = self.image.info.format;
        for aspect in aspects_in(format, range.aspects) {
            let Some(plane) = self.image.plane(aspect) else { continue };
            for mip in range.base_mip..mip_end {
                for layer in range.base_layer..layer_end {
                    let index = self.index(plane, mip, layer);
                    visit(self, index);
                }
            }
        }
    }

    /// Returns the content of a range where all of it agrees, else unknown.
    pub fn content(&self, range: &SubresourceRange) -> Content {
        if self.timelines.is_empty() {
            return Content::UNKNOWN;
        }
        let mut found: Option<Content> = None;
        let (mips, layers) = (self.image.info.mips, self.image.info.layers);
        let mip_end = range.base_mip.saturating_add(range.mips).min(mips);
        let layer_end = range.base_layer.saturating_add(range.layers).min(layers);
        for aspect in aspects_in(self.image.info.format, range.aspects) {
            let Some(plane) = self.image.plane(aspect) else { continue };
            for mip in range.base_mip..mip_end {
                for layer in range.base_layer..layer_end {
                    let index = self.index(plane, mip, layer);
                    let (state, by) = match self.timelines.get(index) {
                        Some(Some(timeline)) => (timeline.content.state, &timeline.content.by),
                        Some(None) => (self.untouched, &None),
                        None => (State::Unknown, &None),
                    };
                    match &found {
                        None => found = Some(Content { state, by: by.clone() }),
                        Some(content) if content.state == state => {}
                        Some(_) => return Content::UNKNOWN,
                    }
                }
            }
        }
        found.unwrap_or(Content::UNKNOWN)
    }
}

/// Every image of a device with its content, and the stores that are still open.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Images by identity.
    pub images: FxHashMap<ImageId, Tracked>,
    /// Stores.
    pub stores: Stores,
    removals: Removals,
}

impl Contents {
    /// A range is read.
    pub fn read(&mut self, id: ImageId, range: &SubresourceRange, read: Read, by: &Arc<StepRef>) {
        let Self { images, stores, .. } = self;
        let Some(tracked) = images.get_mut(&id) else { return };
        tracked.used.read(read);
        tracked.each_touched(range, |timeline| timeline.read(stores, read, by));
    }

    /// Every texel of a range gets a new content.
    pub fn overwrite(
        &mut self,
        id: ImageId,
        range: &SubresourceRange,
        end: End,
        state: State,
        by: &Arc<StepRef>,
    ) {
        self.write_aliases(id, by);
        let Self { images, stores, .. } = self;
        let Some(tracked) = images.get_mut(&id) else { return };
        tracked.each(range, |timeline| {
            timeline.end(stores, end, None, by);
            timeline.content = Content { state, by: Some(Arc::clone(by)) };
        });
    }

    /// Some texels of a range are written; the others keep their content.
    pub fn write_part(
        &mut self,
        id: ImageId,
        range: &SubresourceRange,
        writer: Writer,
        by: &Arc<StepRef>,
    ) {
        self.write_aliases(id, by);
        let Some(tracked) = self.images.get_mut(&id) else { return };
        tracked.each(range, |timeline| {
            timeline.content = Content { state: State::Written(writer), by: Some(Arc::clone(by)) };
        });
    }

    /// Nothing is known of an image any more.
    pub fn forget(&mut self, id: ImageId) {
        let Self { images, stores, .. } = self;
        let Some(tracked) = images.get_mut(&id) else { return };
        tracked.untouched = State::Unknown;
        tracked.each_touched(&SubresourceRange::ALL, |timeline| timeline.forget(stores));
    }

    /// An image is destroyed.
    pub fn destroy(&mut self, id: ImageId, by: &Arc<StepRef>) {
        let Some(mut tracked) = self.images.remove(&id) else { return };
        self.removals.one(&mut self.images);
        let stores = &mut self.stores;
        tracked.each_touched(&SubresourceRange::ALL, |t| t.end(stores, End::Destroyed, None, by));
        for other in &tracked.aliases {
            if let Some(other) = self.images.get_mut(other) {
                other.aliases.retain(|alias| *alias != id);
            }
        }
    }

    /// A write to an image ends the content of others on the same memory.
    pub fn write_aliases(&mut self, id: ImageId, by: &Arc<StepRef>) {
        let Some(tracked) = self.images.get(&id) else { return };
        if tracked.aliases.is_empty() {
            return;
        }
        let aliases = tracked.aliases.clone();
        let Self { images, stores, .. } = self;
        for alias in aliases {
            let Some(other) = images.get_mut(&alias) else { continue };
            if other.shares_content {
                continue;
            }
            other.each_touched(&SubresourceRange::ALL, |timeline| {
                timeline.end(stores, End::Aliased, None, by);
                timeline.content = Content {
                    state: State::Undefined(Undefined::Aliased),
                    by: Some(Arc::clone(by)),
                };
            });
        }
    }
}

/// The range that a view shows.
pub fn view_range(view: &View) -> SubresourceRange {
    SubresourceRange {
        aspects: view.aspects,
        base_mip: view.base_mip,
        mips: view.mips,
        base_layer: view.base_layer,
        layers: view.layers,
    }
}
