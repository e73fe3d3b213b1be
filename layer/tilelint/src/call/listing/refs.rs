//! Names of objects as values: keys, images with subresources, uses in a layout.

use ash::vk;

use super::scene::Scene;
use super::value::{Bad, Read, Value, W, number};
use crate::call::*;

macro_rules! keys {
    ($($key:ident = $kind:ident),* $(,)?) => {$(
        impl Value for $key {
            fn read(text: &str, scene: &mut Scene) -> Read<Self> {
                if text == "-" || text == "none" {
                    return Ok(Self(0));
                }
                scene.lookup(text, Kind::$kind).map(Self)
            }

            fn write(&self, scene: &mut Scene) -> String {
                scene.ident((*self).into())
            }
        }
    )*};
}

keys! {
    QueueKey = Queue, MemoryKey = Memory, BufferKey = Buffer, SamplerKey = Sampler,
    SwapchainKey = Swapchain, RenderPassKey = RenderPass, FramebufferKey = Framebuffer,
    ShaderKey = Shader, SetLayoutKey = SetLayout, PipelineLayoutKey = PipelineLayout,
    SetKey = Set, PipelineKey = Pipeline, SemaphoreKey = Semaphore, FenceKey = Fence,
    EventKey = Event, QueryPoolKey = QueryPool, CommandsKey = Commands,
}

impl Value for ImageKey {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        if text == "-" {
            return Ok(Self(0));
        }
        if let Some(chain) = scene.find(text, Kind::Swapchain).map(SwapchainKey) {
            return Ok(current_image(scene, chain));
        }
        let image = match scene.lookup(text, Kind::Image) {
            Ok(key) => Self(key),
            Err(_) => return Err(scene.unknown(text, &[Kind::Image, Kind::Swapchain])),
        };
        let of = |c: &super::scene::Chain| c.info.images.contains(&image);
        if let Some(chain) = scene.swapchains.iter().find(|(_, c)| of(c)).map(|(k, _)| *k) {
            note_use(scene, chain);
        }
        Ok(image)
    }

    fn write(&self, scene: &mut Scene) -> String {
        scene.ident((*self).into())
    }
}

fn note_use(scene: &mut Scene, chain: SwapchainKey) {
    if !scene.used_chains.contains(&chain) {
        scene.used_chains.push(chain);
    }
}

/// The image of a swapchain that its bare name stands for.
pub(super) fn current_image(scene: &mut Scene, chain: SwapchainKey) -> ImageKey {
    note_use(scene, chain);
    let found = scene.swapchains.get(&chain);
    found
        .and_then(|c| c.info.images.get(c.current as usize % c.info.images.len().max(1)))
        .copied()
        .unwrap_or_default()
}

impl Value for Object {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        scene.object(text)
    }

    fn write(&self, scene: &mut Scene) -> String {
        scene.ident(*self)
    }
}

/// Mips and layers behind `@`: first and count, where all ones mean all that follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sub {
    pub base_mip: u32,
    pub mips: u32,
    pub base_layer: u32,
    pub layers: u32,
}

impl Sub {
    pub const ALL: Self = Self { base_mip: 0, mips: !0, base_layer: 0, layers: !0 };
}

/// Cuts a name from its subresource; says where that begins.
pub(super) fn split_at(text: &str) -> Read<(&str, Option<Sub>)> {
    let Some((name, rest)) = text.split_once('@') else {
        return Ok((text, None));
    };
    let offset = name.len() + 1;
    let (mip, layer) = rest.split_once('/').map_or((rest, None), |(m, l)| (m, Some(l)));
    let (base_mip, mips) = part(mip).map_err(|bad| bad.at(offset))?;
    let (base_layer, layers) = match layer {
        Some(layer) => part(layer).map_err(|bad| bad.at(offset + mip.len() + 1))?,
        None => (0, !0),
    };
    Ok((name, Some(Sub { base_mip, mips, base_layer, layers })))
}

/// Reads `2`, `2..4` or `2..`: first and count.
fn part(text: &str) -> Read<(u32, u32)> {
    let bad = || Bad::new(format!("{text:?} is not a subresource (as @1, @0/3, @0..4/0..6)"));
    let read = |t: &str| number(t).and_then(|n| u32::try_from(n).ok()).ok_or_else(bad);
    match text.split_once("..") {
        None => Ok((read(text)?, 1)),
        Some((from, "")) => Ok((read(from)?, !0)),
        Some((from, to)) => {
            let from = read(from)?;
            let count = read(to)?.checked_sub(from).ok_or_else(bad)?;
            Ok((from, count))
        }
    }
}

fn write_part(base: u32, count: u32) -> String {
    match count {
        u32::MAX => format!("{base}.."),
        1 => base.to_string(),
        _ => format!("{base}..{}", u64::from(base) + u64::from(count)),
    }
}

/// Writes a subresource, `@` included; nothing for all of an image.
pub(super) fn write_sub(sub: Sub) -> String {
    if sub == Sub::ALL {
        return String::new();
    }
    let mips = write_part(sub.base_mip, sub.mips);
    match (sub.base_layer, sub.layers) {
        (0, u32::MAX) => format!("@{mips}"),
        _ => format!("@{mips}/{}", write_part(sub.base_layer, sub.layers)),
    }
}

/// An image and subresources of it; all of them where none are named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ImagePart(pub ImageKey, pub Sub);

impl Value for ImagePart {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let (name, sub) = split_at(text)?;
        Ok(Self(ImageKey::read(name, scene)?, sub.unwrap_or(Sub::ALL)))
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.0.write(scene) + &write_sub(self.1)
    }
}

/// What the name of an image or a view stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Seen {
    View(ViewKey),
    Image(ImageKey, Option<Sub>),
}

/// Looks up a view or an image with its subresource.
pub(super) fn view_or_image(text: &str, scene: &mut Scene) -> Read<Seen> {
    let (name, sub) = split_at(text)?;
    if sub.is_none()
        && let Some(key) = scene.find(name, Kind::View)
    {
        if let Some(image) = scene.views.get(&ViewKey(key)).map(|v| v.image) {
            let of = |c: &super::scene::Chain| c.info.images.contains(&image);
            if let Some(chain) = scene.swapchains.iter().find(|(_, c)| of(c)).map(|(k, _)| *k) {
                note_use(scene, chain);
            }
        }
        return Ok(Seen::View(ViewKey(key)));
    }
    if sub.is_none() && super::scene::is_counted(name, Kind::View) {
        return scene.lookup(name, Kind::View).map(|key| Seen::View(ViewKey(key)));
    }
    match ImageKey::read(name, scene) {
        Ok(key) => Ok(Seen::Image(key, sub)),
        Err(_) => Err(scene.unknown(name, &[Kind::Image, Kind::View, Kind::Swapchain])),
    }
}

impl Value for ViewKey {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        if text == "-" {
            return Ok(Self(0));
        }
        Ok(match view_or_image(text, scene)? {
            Seen::View(key) => key,
            Seen::Image(image, sub) => whole_view(scene, image, sub, None),
        })
    }

    fn write(&self, scene: &mut Scene) -> String {
        scene.ident((*self).into())
    }
}

/// The view of an image that a short form needs; made at its first use.
pub(super) fn whole_view(
    scene: &mut Scene,
    image: ImageKey,
    sub: Option<Sub>,
    aspects: Option<vk::ImageAspectFlags>,
) -> ViewKey {
    let sub = sub.unwrap_or(Sub::ALL);
    let info = scene.images.get(&image);
    let layers = match sub.layers {
        u32::MAX => info.map_or(1, |i| i.layers.saturating_sub(sub.base_layer)),
        layers => layers,
    };
    let kind = match (info.map(|i| i.kind), layers) {
        (Some(vk::ImageType::TYPE_3D), _) => vk::ImageViewType::TYPE_3D,
        (Some(vk::ImageType::TYPE_1D), 0..=1) => vk::ImageViewType::TYPE_1D,
        (Some(vk::ImageType::TYPE_1D), _) => vk::ImageViewType::TYPE_1D_ARRAY,
        (_, 0..=1) => vk::ImageViewType::TYPE_2D,
        _ => vk::ImageViewType::TYPE_2D_ARRAY,
    };
    let view = ViewInfo {
        image,
        kind,
        format: vk::Format::UNDEFINED,
        aspects: aspects.unwrap_or_default(),
        base_mip: sub.base_mip,
        mips: sub.mips,
        base_layer: sub.base_layer,
        layers: sub.layers,
    };
    if let Some(key) = scene.made_views.get(&view) {
        return *key;
    }
    let key = ViewKey(scene.fresh(Kind::View));
    scene.made_views.insert(view, key);
    scene.views.insert(key, view);
    scene.make(Call::View(key, view), None);
    key
}

/// Cuts `NAME:LAYOUT`.
pub(super) fn split_layout(text: &str) -> Read<(&str, Option<vk::ImageLayout>)> {
    let Some((name, layout)) = text.split_once(':') else {
        return Ok((text, None));
    };
    match super::words::read_word(layout) {
        Ok(layout) => Ok((name, Some(layout))),
        Err(bad) => Err(bad.at(name.len() + 1)),
    }
}

/// A descriptor of a `write`, in whichever list it stands.
impl Value for Descriptor {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        match text {
            "-" => return Ok(Self::Null),
            "other" => return Ok(Self::Other),
            _ => {}
        }
        if let Some(key) = scene.find(text, Kind::Buffer) {
            return Ok(Self::Buffer(BufferKey(key)));
        }
        if let Some(key) = scene.find(text, Kind::Sampler) {
            return Ok(Self::Sampler(SamplerKey(key)));
        }
        for kind in [Kind::Buffer, Kind::Sampler] {
            if super::scene::is_counted(text, kind) {
                let key = scene.lookup(text, kind)?;
                return Ok(match kind {
                    Kind::Buffer => Self::Buffer(BufferKey(key)),
                    _ => Self::Sampler(SamplerKey(key)),
                });
            }
        }
        let (name, layout) = split_layout(text)?;
        match view_or_image(name, scene) {
            Ok(Seen::View(view)) => {
                let layout = layout.unwrap_or_else(|| read_only_layout(scene, view));
                Ok(Self::Image { view, layout })
            }
            Ok(Seen::Image(image, sub)) => {
                let view = whole_view(scene, image, sub, None);
                let layout = layout.unwrap_or_else(|| read_only_layout(scene, view));
                Ok(Self::Image { view, layout })
            }
            Err(bad) if name.contains('@') => Err(bad),
            Err(_) => Err(scene.unknown(
                name,
                &[Kind::Image, Kind::View, Kind::Swapchain, Kind::Buffer, Kind::Sampler],
            )),
        }
    }

    fn write(&self, scene: &mut Scene) -> String {
        match self {
            Self::Null => "-".to_owned(),
            Self::Other => "other".to_owned(),
            Self::Buffer(key) => key.write(scene),
            Self::Sampler(key) => key.write(scene),
            Self::Image { view, layout } => {
                format!("{}:{}", view.write(scene), W(*layout).write(scene))
            }
        }
    }
}

/// Layout in which shaders read a view.
pub(super) fn read_only_layout(scene: &Scene, view: ViewKey) -> vk::ImageLayout {
    let aspects = view_format(scene, view).map(super::format::aspects).unwrap_or_default();
    read_only(aspects)
}

/// Layout in which shaders read some aspects.
pub(super) fn read_only(aspects: vk::ImageAspectFlags) -> vk::ImageLayout {
    if aspects.intersects(vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL) {
        vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL
    } else {
        vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL
    }
}

/// Format of a view: its own, or its image's.
pub(super) fn view_format(scene: &Scene, view: ViewKey) -> Option<vk::Format> {
    let view = scene.views.get(&view)?;
    match view.format {
        vk::Format::UNDEFINED => scene.images.get(&view.image).map(|i| i.format),
        format => Some(format),
    }
}

/// A use of a timeline semaphore: `name`, `name>=5` or `name=6`.
pub(super) fn split_value<'t>(text: &'t str, sign: &str) -> Read<(&'t str, Option<u64>)> {
    let Some((name, value)) = text.split_once(sign) else {
        return Ok((text, None));
    };
    let found = number(value);
    found
        .map(|v| (name, Some(v)))
        .ok_or_else(|| Bad::new(format!("{value:?} is not a number")).at(name.len() + sign.len()))
}
