//! What `reads=` and `writes=` name, and the objects that make shaders use it.

use ash::vk;

use super::refs::{Seen, read_only, split_layout, view_format, view_or_image, whole_view};
use super::row::{Done, Row};
use super::scene::Scene;
use super::value::{Read, Value};
use crate::call::*;

/// Something that a short form makes shaders use: an image to be read or written, or a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Used<const WRITTEN: bool>(Descriptor);

impl<const WRITTEN: bool> Value for Used<WRITTEN> {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        if let Some(key) = scene.find(text, Kind::Buffer) {
            return Ok(Self(Descriptor::Buffer(BufferKey(key))));
        }
        let (name, layout) = split_layout(text)?;
        let view = match view_or_image(name, scene) {
            Ok(Seen::View(view)) => view,
            Ok(Seen::Image(image, sub)) => {
                let format = scene.images.get(&image).map(|i| i.format).unwrap_or_default();
                let both = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
                let combined = super::format::aspects(format) == both;
                let aspect = combined.then_some(vk::ImageAspectFlags::DEPTH);
                whole_view(scene, image, sub, aspect)
            }
            Err(bad) if name.contains('@') => return Err(bad),
            Err(_) => {
                let kinds = [Kind::Image, Kind::View, Kind::Swapchain, Kind::Buffer];
                return Err(scene.unknown(name, &kinds));
            }
        };
        let format = view_format(scene, view).unwrap_or_default();
        let usual = match WRITTEN {
            true => vk::ImageLayout::GENERAL,
            false => read_only(super::format::aspects(format)),
        };
        Ok(Self(Descriptor::Image { view, layout: layout.unwrap_or(usual) }))
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.0.write(scene)
    }
}

/// What `reads=` and `writes=` name, with the type of each.
#[derive(Default)]
pub(super) struct Uses {
    reads: Vec<Used<false>>,
    writes: Vec<Used<true>>,
}

impl Uses {
    /// Reads `reads=` and `writes=`.
    pub fn read(row: &mut Row) -> Done<Self> {
        let mut uses = Self::default();
        row.opt("reads", &mut uses.reads, Vec::new())?;
        row.opt("writes", &mut uses.writes, Vec::new())?;
        Ok(uses)
    }

    /// All of them, reads first.
    pub fn descriptors(&self) -> Vec<(vk::DescriptorType, Descriptor)> {
        let kind = |descriptor: Descriptor, image, buffer| match descriptor {
            Descriptor::Buffer(_) => (buffer, descriptor),
            _ => (image, descriptor),
        };
        use vk::DescriptorType as T;
        let reads = self.reads.iter().map(|u| kind(u.0, T::SAMPLED_IMAGE, T::UNIFORM_BUFFER));
        let writes = self.writes.iter().map(|u| kind(u.0, T::STORAGE_IMAGE, T::STORAGE_BUFFER));
        reads.chain(writes).collect()
    }
}

impl Scene {
    /// A pipeline layout without sets.
    pub fn empty_layout(&mut self) -> PipelineLayoutKey {
        self.layout_of(PipelineLayoutInfo::default())
    }

    /// A pipeline layout that a short form makes: once for each shape.
    pub fn layout_of(&mut self, info: PipelineLayoutInfo) -> PipelineLayoutKey {
        if let Some(key) = self.made_layouts.find(&info) {
            return PipelineLayoutKey(key);
        }
        let key = PipelineLayoutKey(self.fresh(Kind::PipelineLayout));
        self.made_layouts.add(info.clone(), key.0);
        self.layouts.insert(key, info.clone());
        self.make(Call::PipelineLayout(key, info), None);
        key
    }

    /// The set that holds exactly these descriptors, and its layout.
    pub fn set_of(
        &mut self,
        descriptors: &[(vk::DescriptorType, Descriptor)],
        stages: vk::ShaderStageFlags,
    ) -> (SetLayoutKey, SetKey) {
        let binding = |(binding, (kind, _)): (u32, &(vk::DescriptorType, Descriptor))| {
            let flags = vk::DescriptorBindingFlags::empty();
            DescriptorBinding { binding, kind: *kind, count: 1, stages, flags }
        };
        let bindings = (0..).zip(descriptors).map(binding).collect();
        let info = SetLayoutInfo { bindings, ..SetLayoutInfo::default() };
        let made = self.set_layouts.find(&info).map(SetLayoutKey);
        let layout = made.unwrap_or_else(|| {
            let key = SetLayoutKey(self.fresh(Kind::SetLayout));
            self.set_layouts.add(info.clone(), key.0);
            self.make(Call::SetLayout(key, Box::new(info)), None);
            key
        });
        let list: Vec<Descriptor> = descriptors.iter().map(|(_, d)| *d).collect();
        let made = (layout, list);
        if let Some(key) = self.made_sets.find(&made) {
            return (layout, SetKey(key));
        }
        let set = SetKey(self.fresh(Kind::Set));
        self.make(Call::Set(set, SetInfo { layout }), None);
        for (binding, (kind, descriptor)) in (0..).zip(descriptors) {
            let write = WriteInfo {
                set,
                binding,
                element: 0,
                kind: *kind,
                descriptors: vec![*descriptor],
                via: WriteVia::Update,
            };
            self.make(Call::Write(Box::new(write)), None);
        }
        self.made_sets.add(made, set.0);
        (layout, set)
    }

    /// A layout with one more set, at the first place that it does not use, and that set.
    pub fn extended(
        &mut self,
        layout: Option<PipelineLayoutKey>,
        uses: &[(vk::DescriptorType, Descriptor)],
        stages: vk::ShaderStageFlags,
    ) -> (PipelineLayoutKey, u32, SetKey) {
        let (set_layout, set) = self.set_of(uses, stages);
        let mut info = layout.and_then(|key| self.layouts.get(&key)).cloned().unwrap_or_default();
        let first = info.sets.iter().position(Option::is_none).unwrap_or(info.sets.len());
        info.sets.resize(info.sets.len().max(first + 1), None);
        info.sets[first] = Some(set_layout);
        (self.layout_of(info), first as u32, set)
    }

    /// A pipeline that a short form makes: once for each shape.
    pub fn pipeline_of(
        &mut self,
        of: Option<PipelineKey>,
        info: PipelineInfo,
        name: Option<&str>,
        own: Option<PipelineKey>,
    ) -> PipelineKey {
        let made = (of, info);
        if let Some(key) = self.made_pipelines.find(&made) {
            return PipelineKey(key);
        }
        let info = made.1.clone();
        let key = own.unwrap_or_else(|| PipelineKey(self.fresh(Kind::Pipeline)));
        self.made_pipelines.add(made, key.0);
        if let Some(of) = of {
            self.instances.entry(of).or_default().push(key);
        }
        self.pipelines.insert(key, info.clone());
        self.make(Call::Pipeline(key, Box::new(info)), name);
        key
    }
}
