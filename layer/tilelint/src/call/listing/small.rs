//! Reading of the lines that make small objects.

use ash::vk;

use super::commands::Spot;
use super::lex::Lexed;
use super::objects;
use super::parse::{New, Parser, object};
use super::refs::Sub;
use super::row::{Done, Row};
use super::scene::Scene;
use super::value::W;
use crate::call::*;

impl Parser<'_> {
    /// Reads a line that makes an object without further ado; says whether it is one.
    pub fn small_object(&mut self, line: &Lexed) -> Done<bool> {
        let scene = &mut self.scene;
        let (call, new) = match line.verb.as_str() {
            "queue" => {
                let mut info = QueueInfo::default();
                let new = object(line, scene, Kind::Queue, |r| super::device::queue(r, &mut info))?;
                scene.queues.insert(QueueKey(new.key), info);
                (Call::Queue(QueueKey(new.key), info), new)
            }
            "memory" => {
                let mut info = MemoryInfo { size: 0, kind: MemoryKind::Device, external: false };
                let new = object(line, scene, Kind::Memory, |r| objects::memory(r, &mut info))?;
                (Call::Memory(MemoryKey(new.key), info), new)
            }
            "view" => {
                let mut info = blank_view();
                let new = object(line, scene, Kind::View, |r| objects::view(r, &mut info))?;
                scene.views.insert(ViewKey(new.key), info);
                (Call::View(ViewKey(new.key), info), new)
            }
            "buffer" => {
                let mut info =
                    BufferInfo { size: 0, usage: vk::BufferUsageFlags::empty(), memory: None };
                let new = object(line, scene, Kind::Buffer, |r| objects::buffer(r, &mut info))?;
                (Call::Buffer(BufferKey(new.key), info), new)
            }
            "sampler" => {
                let mut info = blank_sampler();
                let new = object(line, scene, Kind::Sampler, |r| objects::sampler(r, &mut info))?;
                (Call::Sampler(SamplerKey(new.key), info), new)
            }
            "framebuffer" => {
                let mut info = blank_framebuffer();
                let new =
                    object(line, scene, Kind::Framebuffer, |r| objects::framebuffer(r, &mut info))?;
                let key = FramebufferKey(new.key);
                scene.framebuffers.insert(key, info.clone());
                (Call::Framebuffer(key, Box::new(info)), new)
            }
            "shader" => {
                let mut info = blank_shader();
                let new = object(line, scene, Kind::Shader, |r| objects::shader(r, &mut info))?;
                scene.shaders.insert(ShaderKey(new.key), info.stage);
                (Call::Shader(ShaderKey(new.key), Box::new(info)), new)
            }
            _ => return self.descriptor_object(line),
        };
        self.push(line, call, new);
        Ok(true)
    }

    fn descriptor_object(&mut self, line: &Lexed) -> Done<bool> {
        let scene = &mut self.scene;
        let (call, new) = match line.verb.as_str() {
            "set-layout" => {
                let mut info = SetLayoutInfo::default();
                let new =
                    object(line, scene, Kind::SetLayout, |r| objects::set_layout(r, &mut info))?;
                (Call::SetLayout(SetLayoutKey(new.key), Box::new(info)), new)
            }
            "pipeline-layout" => {
                let mut info = PipelineLayoutInfo::default();
                let new = object(line, scene, Kind::PipelineLayout, |r| {
                    objects::pipeline_layout(r, &mut info)
                })?;
                let key = PipelineLayoutKey(new.key);
                scene.layouts.insert(key, info.clone());
                (Call::PipelineLayout(key, info), new)
            }
            "descriptor-set" => {
                let mut layout = SetLayoutKey(0);
                let new = object(line, scene, Kind::Set, |r| r.req("layout", &mut layout))?;
                (Call::Set(SetKey(new.key), SetInfo { layout }), new)
            }
            "semaphore" => {
                let mut info = SemaphoreInfo { timeline: false, value: 0 };
                let new =
                    object(line, scene, Kind::Semaphore, |r| objects::semaphore(r, &mut info))?;
                (Call::Semaphore(SemaphoreKey(new.key), info), new)
            }
            "fence" => {
                let mut signaled = false;
                let new =
                    object(line, scene, Kind::Fence, |r| r.opt("signaled", &mut signaled, false))?;
                (Call::Fence(FenceKey(new.key), signaled), new)
            }
            "event" => {
                let new = object(line, scene, Kind::Event, |_| Ok(()))?;
                (Call::Event(EventKey(new.key)), new)
            }
            "query-pool" => {
                let mut info = QueryPoolInfo { kind: vk::QueryType::OCCLUSION, count: 0 };
                let new =
                    object(line, scene, Kind::QueryPool, |r| objects::query_pool(r, &mut info))?;
                (Call::QueryPool(QueryPoolKey(new.key), info), new)
            }
            _ => return self.object_verb(line),
        };
        self.push(line, call, new);
        Ok(true)
    }

    /// Lines about objects that exist.
    fn object_verb(&mut self, line: &Lexed) -> Done<bool> {
        let verb = line.verb.as_str();
        if !["bind", "write", "name", "destroy", "fence-reset", "reset"].contains(&verb) {
            return Ok(false);
        }
        if verb == "destroy" {
            // What is recorded may need the object.
            self.flush(None)?;
        }
        let mut joined = false;
        let mut row = Row::read(line, &mut self.scene);
        let call = match verb {
            "bind" => bind(&mut row)?,
            "write" => {
                let mut info = blank_write();
                row.subject("descriptor set", &mut info.set)?;
                objects::write(&mut row, &mut info)?;
                row.opt("joined", &mut joined, false)?;
                Call::Write(Box::new(info))
            }
            "fence-reset" => {
                let mut fences = Vec::new();
                row.subject("fence", &mut fences)?;
                Call::FenceReset(fences)
            }
            "reset" => {
                let mut key = CommandsKey(0);
                row.subject("command buffer", &mut key)?;
                row.scene.recordings.remove(&key);
                Call::Reset(key)
            }
            _ => {
                let mut object = Object { kind: Kind::Image, key: 0 };
                row.subject("object", &mut object)?;
                let mut text: Box<str> = "".into();
                if verb == "name" {
                    row.req("text", &mut text)?;
                }
                match verb {
                    "name" => Call::Name(object, text),
                    _ => Call::Destroy(object),
                }
            }
        };
        let mut failed: Option<W<vk::Result>> = None;
        row.maybe("result", &mut failed)?;
        let unknown = std::mem::take(&mut row.unknown);
        row.finish()?;
        if joined {
            return self.join_write(line, call).map(|()| true);
        }
        if let Call::Destroy(object) = call {
            if object.kind == Kind::Pipeline && Scene::is_postponed(PipelineKey(object.key)) {
                self.destroy_instances(line, PipelineKey(object.key));
                return Ok(true);
            }
            self.scene.destroy(object);
        }
        let failed = failed.map(|w| w.0);
        self.push(line, call, New { failed, unknown, ..New::default() });
        Ok(true)
    }
}

impl Parser<'_> {
    /// Adds the descriptors of a further line of a write.
    fn join_write(&mut self, line: &Lexed, call: Call) -> Done {
        let before = self.entries.iter_mut().rev().find_map(|e| match &mut e.call {
            Call::Write(before) => Some(before),
            _ => None,
        });
        match (before, call) {
            (Some(before), Call::Write(more))
                if before.set == more.set && before.binding == more.binding =>
            {
                before.descriptors.extend(more.descriptors);
                Ok(())
            }
            _ => Err(line.error(line.column, "`joined` needs a line like it before")),
        }
    }

    /// Destroys the pipelines that were made for the subpasses in which one was used.
    fn destroy_instances(&mut self, line: &Lexed, key: PipelineKey) {
        self.finish_template(key);
        let mut keys = self.scene.instances.get(&key).cloned().unwrap_or_default();
        if keys.is_empty() {
            keys.push(self.scene.own_key(key));
        }
        self.scene.destroy(Object { kind: Kind::Pipeline, key: key.0 });
        for key in keys {
            self.scene.destroy(key.into());
            self.push(line, Call::Destroy(key.into()), New::default());
        }
    }
}

/// A view of nothing.
pub(super) fn blank_view() -> ViewInfo {
    ViewInfo {
        image: ImageKey(0),
        kind: vk::ImageViewType::TYPE_2D,
        format: vk::Format::UNDEFINED,
        aspects: vk::ImageAspectFlags::empty(),
        base_mip: 0,
        mips: vk::REMAINING_MIP_LEVELS,
        base_layer: 0,
        layers: vk::REMAINING_ARRAY_LAYERS,
    }
}

fn blank_sampler() -> SamplerInfo {
    SamplerInfo {
        min: vk::Filter::LINEAR,
        mag: vk::Filter::LINEAR,
        mip: vk::SamplerMipmapMode::NEAREST,
        address: vk::SamplerAddressMode::CLAMP_TO_EDGE,
        flags: vk::SamplerCreateFlags::empty(),
    }
}

fn blank_framebuffer() -> FramebufferInfo {
    FramebufferInfo {
        render_pass: RenderPassKey(0),
        extent: vk::Extent2D::default(),
        layers: 1,
        views: Vec::new(),
        imageless: None,
        tiles: Vec::new(),
    }
}

fn blank_shader() -> ShaderInfo {
    ShaderInfo {
        stage: vk::ShaderStageFlags::empty(),
        entry: "main".into(),
        file: "".into(),
        code: None,
    }
}

/// A write of nothing.
pub(super) fn blank_write() -> WriteInfo {
    WriteInfo {
        set: SetKey(0),
        binding: 0,
        element: 0,
        kind: vk::DescriptorType::SAMPLER,
        descriptors: Vec::new(),
        via: WriteVia::Update,
    }
}

/// A line that binds memory.
fn bind(row: &mut Row<'_>) -> Done<Call> {
    let mut spot = Spot::Image(ImageKey(0), Sub::ALL);
    let mut info = BindInfo { memory: MemoryKey(0), offset: 0, size: 0, allowed_types: 0 };
    row.subject("image or buffer", &mut spot)?;
    objects::bind(row, &mut info)?;
    Ok(match spot {
        Spot::Image(image, _) => Call::Bind(image, info),
        Spot::Buffer(buffer) => Call::BindBuffer(buffer, info),
    })
}
