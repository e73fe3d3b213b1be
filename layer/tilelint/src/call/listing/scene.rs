//! What a listing has said so far: names and keys of each device, and what its objects are.

use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

use super::kept::Kept;
use super::value::{Bad, Read};
use crate::call::*;

/// Words that mean something else where a name could stand.
const RESERVED: &[&str] = &["none", "external", "foreign", "on", "off", "other"];

/// Bit of keys that stand for pipelines which are made where they are used.
const POSTPONED: u64 = 1 << 63;

/// A swapchain and which of its images is the acquired one.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub info: SwapchainInfo,
    /// The acquired image, or the next one to be acquired.
    pub current: u32,
    /// An implicit acquire stands before the present that is still to come.
    pub acquired: bool,
    /// Some line acquires it: nothing about it is implicit.
    pub explicit: bool,
    /// Implicit semaphores of each image: acquired, rendered.
    pub semaphores: Vec<Option<(SemaphoreKey, SemaphoreKey)>>,
}

/// Names and objects of one device.
#[derive(Debug, Default)]
pub(super) struct DeviceScene {
    /// Reading: what a name stands for, and whether that object is alive.
    names: FxHashMap<(String, Kind), (u64, bool)>,
    /// Reading: the name that stands for an object.
    named: FxHashMap<Object, String>,
    next: FxHashMap<Kind, u64>,
    /// Writing: the name of each object, and the object that holds each name.
    idents: FxHashMap<Object, String>,
    holders: FxHashMap<String, Object>,
    counts: FxHashMap<Kind, usize>,
    /// Writing: objects that were destroyed; only `kind.N` can still stand for one.
    dead: FxHashSet<Object>,
    pub images: FxHashMap<ImageKey, ImageInfo>,
    pub views: FxHashMap<ViewKey, ViewInfo>,
    pub made_views: FxHashMap<ViewInfo, ViewKey>,
    pub swapchains: FxHashMap<SwapchainKey, Chain>,
    pub render_passes: FxHashMap<RenderPassKey, Arc<RenderPassInfo>>,
    pub made_passes: Vec<(Box<str>, Arc<RenderPassInfo>, RenderPassKey)>,
    pub framebuffers: FxHashMap<FramebufferKey, FramebufferInfo>,
    pub made_framebuffers: Kept<FramebufferInfo>,
    pub shaders: FxHashMap<ShaderKey, vk::ShaderStageFlags>,
    pub set_layouts: Kept<SetLayoutInfo>,
    pub layouts: FxHashMap<PipelineLayoutKey, PipelineLayoutInfo>,
    pub made_layouts: Kept<PipelineLayoutInfo>,
    pub made_sets: Kept<(SetLayoutKey, Vec<Descriptor>)>,
    pub pipelines: FxHashMap<PipelineKey, PipelineInfo>,
    pub made_pipelines: Kept<(Option<PipelineKey>, PipelineInfo)>,
    /// Pipelines that were made for the subpasses in which one is used.
    pub instances: FxHashMap<PipelineKey, Vec<PipelineKey>>,
    /// Keys of pipelines that are made when they are first used, by the key that stands for them.
    pub own_keys: FxHashMap<PipelineKey, PipelineKey>,
    pub queues: FxHashMap<QueueKey, QueueInfo>,
    pub recordings: FxHashMap<CommandsKey, Arc<Recording>>,
    /// Swapchains whose images each command buffer names.
    pub chains_of: FxHashMap<CommandsKey, Vec<SwapchainKey>>,
    /// The images allow every memory type of the implicit device.
    pub implicit: bool,
}

/// State of a parse or a print.
#[derive(Debug, Default)]
pub(super) struct Scene {
    pub device: DeviceKey,
    current: DeviceScene,
    others: FxHashMap<DeviceKey, DeviceScene>,
    devices: Vec<(String, DeviceKey)>,
    /// Entries that a short form made, in front of the call that is being read.
    pub made: Vec<Entry>,
    /// Line of the call that is being read.
    pub line: Line,
    /// Swapchains whose images the recording that is being read names.
    pub used_chains: Vec<SwapchainKey>,
    /// Attachments of the subpass that is being read: label, aspects, colour index, format.
    pub cleared: Vec<(String, vk::ImageAspectFlags, u32, vk::Format)>,
}

impl std::ops::Deref for Scene {
    type Target = DeviceScene;

    fn deref(&self) -> &DeviceScene {
        &self.current
    }
}

impl std::ops::DerefMut for Scene {
    fn deref_mut(&mut self) -> &mut DeviceScene {
        &mut self.current
    }
}

/// Says whether a word can be a name.
pub(super) fn is_name(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
        && !RESERVED.contains(&word)
}

/// Says whether a name is `kind.N`: that of an object without one.
pub(super) fn is_counted(name: &str, kind: Kind) -> bool {
    name.strip_prefix(kind.word())
        .and_then(|rest| rest.strip_prefix('.'))
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Turns a debug name into one that a listing can hold.
fn sanitised(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let mut out: String = name.chars().take(64).map(|c| if fits(c) { c } else { '_' }).collect();
    if !is_name(&out) {
        out.insert(0, '_');
    }
    out
}

impl Scene {
    /// Makes a device the one that lines belong to.
    pub fn switch(&mut self, device: DeviceKey) {
        if device != self.device {
            let next = self.others.remove(&device).unwrap_or_default();
            let last = std::mem::replace(&mut self.current, next);
            self.others.insert(self.device, last);
            self.device = device;
        }
    }

    /// Key of a device by name; a new name gets the next one.
    pub fn device_key(&mut self, name: &str) -> (DeviceKey, bool) {
        if let Some((_, key)) = self.devices.iter().find(|(n, _)| n == name) {
            return (*key, false);
        }
        let key = DeviceKey(self.devices.len() as u64 + 1);
        self.devices.push((name.to_owned(), key));
        (key, true)
    }

    /// Name of a device when writing, and whether it is new.
    pub fn device_ident(&mut self, key: DeviceKey, name: Option<&str>) -> (String, bool) {
        if let Some((ident, _)) = self.devices.iter().find(|(_, k)| *k == key) {
            return (ident.clone(), false);
        }
        let base = match name {
            Some(name) => sanitised(name),
            None => format!("device.{}", self.devices.len()),
        };
        let taken = |ident: &str| self.devices.iter().any(|(n, _)| n == ident);
        let mut ident = base.clone();
        for n in 2.. {
            if !taken(&ident) {
                break;
            }
            ident = format!("{base}.{n}");
        }
        self.devices.push((ident.clone(), key));
        (ident, true)
    }

    /// The key that a new object of this name gets.
    pub fn declare(&mut self, name: &str, kind: Kind) -> Read<u64> {
        if !is_name(name) {
            return Err(Bad::new(format!("{name:?} cannot be a name")));
        }
        let alive =
            |k: &&Kind| self.names.get(&(name.to_owned(), **k)).is_some_and(|(_, alive)| *alive);
        if let Some(other) = Kind::ALL.iter().find(alive)
            && !(kind == Kind::Commands && *other == kind)
        {
            return Err(Bad::new(format!("the {other} {name:?} exists already")));
        }
        Ok(self.intern(name, kind))
    }

    /// The key of a name, alive from now on.
    fn intern(&mut self, name: &str, kind: Kind) -> u64 {
        let next = self.current.next.entry(kind).or_insert(1);
        let slot = self.current.names.entry((name.to_owned(), kind)).or_insert((*next, true));
        if slot.0 == *next {
            *next += 1;
            self.current.named.insert(Object { kind, key: slot.0 }, name.to_owned());
        }
        slot.1 = true;
        slot.0
    }

    /// The key of an object that a short form makes, under no name a listing could use.
    pub fn fresh(&mut self, kind: Kind) -> u64 {
        let number = self.names.len();
        self.intern(&format!("{}:{number}", kind.word()), kind)
    }

    /// Sets the key of a pipeline aside until it is made: keys are in order of creation.
    pub fn postpone(&mut self, name: &str) -> PipelineKey {
        let count = self.names.len() as u64;
        let mut key = PipelineKey(POSTPONED | count);
        let name = (name.to_owned(), Kind::Pipeline);
        if let Some(slot) = self.current.names.get_mut(&name) {
            if slot.0 & POSTPONED == 0 {
                let fresh =
                    slot.0 + 1 == self.current.next.get(&Kind::Pipeline).copied().unwrap_or(0);
                match fresh {
                    true => *self.current.next.entry(Kind::Pipeline).or_insert(1) -= 1,
                    false => {
                        self.current.own_keys.insert(key, PipelineKey(slot.0));
                    }
                }
                slot.0 = key.0;
                self.current.named.insert(key.into(), name.0);
            }
            key = PipelineKey(slot.0);
        }
        key
    }

    /// Says whether a key only stands for pipelines that are made where they are used.
    pub fn is_postponed(key: PipelineKey) -> bool {
        key.0 & POSTPONED != 0
    }

    /// The key that a postponed pipeline gets when it is first made.
    pub fn own_key(&mut self, key: PipelineKey) -> PipelineKey {
        if let Some(own) = self.own_keys.get(&key) {
            return *own;
        }
        let own = PipelineKey(self.fresh(Kind::Pipeline));
        self.own_keys.insert(key, own);
        own
    }

    /// The queue that short forms use: `graphics`, else the first that can draw.
    pub fn default_queue(&self) -> QueueKey {
        let draws = |q: &&QueueKey| self.queues[*q].flags.contains(vk::QueueFlags::GRAPHICS);
        let named = self.find("graphics", Kind::Queue).map(QueueKey);
        named.or_else(|| self.queues.keys().filter(draws).min().copied()).unwrap_or_default()
    }

    /// Adds an entry that a short form makes.
    pub fn make(&mut self, call: Call, name: Option<&str>) {
        let mut entry = Entry::new(self.device, call);
        entry.name = name.map(Into::into);
        entry.line = self.line;
        self.made.push(entry);
    }

    /// Looks a name up.
    pub fn find(&self, name: &str, kind: Kind) -> Option<u64> {
        let found = self.names.get(&(name.to_owned(), kind))?;
        found.1.then_some(found.0)
    }

    /// Looks a name up; unnamed objects (`kind.N`) need no declaration.
    pub fn lookup(&mut self, name: &str, kind: Kind) -> Read<u64> {
        if let Some(key) = self.find(name, kind) {
            return Ok(key);
        }
        if is_counted(name, kind) {
            return Ok(self.intern(name, kind));
        }
        Err(self.unknown(name, &[kind]))
    }

    /// The error about a name that stands for nothing.
    pub fn unknown(&self, name: &str, kinds: &[Kind]) -> Bad {
        let alive = |(key, value): (&'_ (String, Kind), &(u64, bool))| {
            (value.1 && kinds.contains(&key.1) && !key.0.contains(':')).then(|| key.0.clone())
        };
        let mut valid: Vec<String> = self.names.iter().filter_map(alive).collect();
        valid.sort();
        let what: Vec<&str> = kinds.iter().map(|k| k.word()).collect();
        Bad::word(&what.join(" or "), name, valid.iter().map(String::as_str))
    }

    /// Looks up an object of any kind.
    pub fn object(&mut self, name: &str) -> Read<Object> {
        for kind in Kind::ALL {
            if let Some(key) = self.find(name, *kind) {
                return Ok(Object { kind: *kind, key });
            }
        }
        if let Some((_, key)) = self.devices.iter().find(|(n, _)| n == name) {
            return Ok(Object { kind: Kind::Device, key: key.0 });
        }
        match Kind::ALL.iter().find(|kind| is_counted(name, **kind)) {
            Some(kind) => Ok(Object { kind: *kind, key: self.intern(name, *kind) }),
            None => Err(self.unknown(name, Kind::ALL)),
        }
    }

    /// An object is gone; its name can be declared again.
    pub fn destroy(&mut self, object: Object) {
        if let Some(name) = self.current.named.get(&object)
            && let Some(slot) = self.current.names.get_mut(&(name.clone(), object.kind))
            && slot.0 == object.key
        {
            slot.1 = false;
        }
        match object.kind {
            Kind::Swapchain => {
                let chain = self.swapchains.remove(&SwapchainKey(object.key));
                for image in chain.into_iter().flat_map(|c| c.info.images) {
                    self.destroy(image.into());
                }
            }
            Kind::Image => {
                self.made_views.retain(|view, _| view.image.0 != object.key);
            }
            Kind::View => {
                let key = ViewKey(object.key);
                self.made_views.retain(|_, k| *k != key);
                self.made_framebuffers.remove_if(|fb| fb.views.contains(&Some(key)));
            }
            Kind::RenderPass => self.made_passes.retain(|(_, _, k)| k.0 != object.key),
            Kind::Framebuffer => self.made_framebuffers.remove(object.key),
            Kind::PipelineLayout => self.made_layouts.remove(object.key),
            Kind::SetLayout => self.set_layouts.remove(object.key),
            Kind::Set => self.made_sets.remove(object.key),
            Kind::Pipeline => {
                self.made_pipelines.remove(object.key);
                let instances = self.instances.remove(&PipelineKey(object.key));
                for instance in instances.into_iter().flatten() {
                    self.made_pipelines.remove(instance.0);
                }
            }
            Kind::Commands => {
                self.recordings.remove(&CommandsKey(object.key));
            }
            _ => {}
        }
    }

    /// The name under which an object is written.
    pub fn ident(&mut self, object: Object) -> String {
        if object.key == 0 {
            return "-".to_owned();
        }
        if object.kind == Kind::Device {
            return self.device_ident(DeviceKey(object.key), None).0;
        }
        match self.idents.get(&object) {
            Some(ident) if !self.dead.contains(&object) => ident.clone(),
            _ => self.name_new(object, None),
        }
    }

    /// The object's name stands for nothing any more.
    pub fn bury(&mut self, object: Object) {
        self.dead.insert(object);
    }

    /// The name under which a new object is written.
    pub fn name_new(&mut self, object: Object, name: Option<&str>) -> String {
        let base = match name {
            Some(name) => sanitised(name),
            None => match self.idents.get(&object) {
                Some(ident) if is_counted(ident, object.kind) => ident.clone(),
                _ => self.counted(object.kind),
            },
        };
        let free = |scene: &Self, ident: &str| {
            scene.holders.get(ident).is_none_or(|holder| *holder == object)
        };
        let mut ident = base.clone();
        for n in 2.. {
            if free(self, &ident) {
                break;
            }
            ident = format!("{base}.{n}");
        }
        self.dead.remove(&object);
        self.holders.insert(ident.clone(), object);
        self.idents.insert(object, ident.clone());
        ident
    }

    /// A name for an object that could not be made: no other line can mean it.
    pub fn name_lost(&mut self, kind: Kind, name: Option<&str>) -> String {
        name.map_or_else(|| format!("{}.0", kind.word()), sanitised)
    }

    /// Gives an object exactly this name.
    pub fn name_as(&mut self, object: Object, ident: String) {
        self.holders.insert(ident.clone(), object);
        self.idents.insert(object, ident);
    }

    fn counted(&mut self, kind: Kind) -> String {
        loop {
            let count = self.counts.entry(kind).or_insert(0);
            let ident = format!("{}.{count}", kind.word());
            *count += 1;
            if !self.holders.contains_key(&ident) {
                return ident;
            }
        }
    }
}
