//! Descriptor sets.

use std::sync::Arc;

use ash::vk;

use super::device::DeviceModel;
use super::objects::{Set, SetImage};
use super::track::Contents;
use crate::call::*;

impl DeviceModel {
    pub(super) fn add_set(&mut self, key: SetKey, info: SetInfo) {
        let layout = self.set_layouts.get(info.layout.0).cloned().unwrap_or_default();
        if let Some(old) = self.sets.insert(key.0, Set { layout, ..Set::default() }) {
            leave_all(&mut self.contents, &old);
        }
    }

    pub(super) fn destroy_set(&mut self, key: SetKey) {
        if let Some(set) = self.sets.remove(key.0) {
            leave_all(&mut self.contents, &set);
        }
    }

    pub(super) fn write(&mut self, write: &WriteInfo) {
        let Some(set) = self.sets.get_mut(write.set.0) else { return };
        let flags = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND
            | vk::DescriptorBindingFlags::PARTIALLY_BOUND
            | vk::DescriptorBindingFlags::UPDATE_UNUSED_WHILE_PENDING
            | vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        let layout = Arc::clone(&set.layout);
        let mut bindings = layout.bindings.iter().filter(|b| b.binding >= write.binding);
        let (mut binding, mut element) = (write.binding, write.element);
        let mut described = bindings.next();
        for descriptor in &write.descriptors {
            // A write runs over into the bindings that follow.
            while let Some(b) = described
                && b.binding == binding
                && element >= b.count
            {
                described = bindings.next();
                binding = described.map_or(binding + 1, |b| b.binding);
                element = 0;
            }
            let bindless = described.is_some_and(|b| b.flags.intersects(flags));
            let view = match descriptor {
                Descriptor::Image { view, .. } => self.views.get(view.0).copied(),
                _ => None,
            };
            if let Descriptor::Buffer(buffer) = descriptor {
                let writable = matches!(
                    write.kind,
                    vk::DescriptorType::STORAGE_BUFFER | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC
                );
                set.buffers.insert((binding, element), (*buffer, writable));
            }
            match view {
                Some(view) => {
                    let stages = described.map(|b| b.stages).unwrap_or_default();
                    let image = SetImage { view, kind: write.kind, bindless, stages };
                    let old = set.images.insert((binding, element), image);
                    enter(&mut self.contents, &image);
                    leave(&mut self.contents, old.as_ref());
                }
                None => {
                    let old = set.images.remove(&(binding, element));
                    leave(&mut self.contents, old.as_ref());
                }
            }
            element += 1;
        }
    }
}

/// A set holds this descriptor now.
fn enter(contents: &mut Contents, descriptor: &SetImage) {
    let is_storage = descriptor.kind == vk::DescriptorType::STORAGE_IMAGE;
    if (is_storage || descriptor.bindless)
        && let Some(tracked) = contents.images.get_mut(&descriptor.view.image)
    {
        tracked.bindless |= descriptor.bindless;
        tracked.storage_descriptors += u32::from(is_storage);
    }
}

/// A set holds this descriptor no more.
fn leave(contents: &mut Contents, descriptor: Option<&SetImage>) {
    let storage = descriptor.filter(|old| old.kind == vk::DescriptorType::STORAGE_IMAGE);
    if let Some(old) = storage
        && let Some(tracked) = contents.images.get_mut(&old.view.image)
    {
        tracked.storage_descriptors -= 1;
    }
}

fn leave_all(contents: &mut Contents, set: &Set) {
    set.images.values().for_each(|descriptor| leave(contents, Some(descriptor)));
}
