//! Lines that make or concern objects.

use super::super::row::{Done, Row};
use super::super::value::Value;
use super::super::{device, objects, pipelines};
use super::{Printer, end};
use crate::call::*;

/// Descriptors on one line: so many fit within the longest.
const DESCRIPTORS: usize = 28;

impl Printer {
    /// Prints a call that makes an object; `None` for another one.
    pub(super) fn made(&mut self, entry: &Entry) -> Done<Option<Vec<String>>> {
        let lines = match &entry.call {
            Call::Queue(key, info) => {
                let mut info = *info;
                self.object(entry, "queue", (*key).into(), |r| device::queue(r, &mut info))?
            }
            Call::Image(key, info) => {
                let mut info = info.clone();
                self.scene.images.insert(*key, (*info).clone());
                self.object(entry, "image", (*key).into(), |r| objects::image(r, &mut info))?
            }
            Call::Memory(key, info) => {
                let mut info = *info;
                self.object(entry, "memory", (*key).into(), |r| objects::memory(r, &mut info))?
            }
            Call::View(key, info) => {
                let mut info = *info;
                self.scene.views.insert(*key, info);
                self.object(entry, "view", (*key).into(), |r| objects::view(r, &mut info))?
            }
            Call::Buffer(key, info) => {
                let mut info = *info;
                self.object(entry, "buffer", (*key).into(), |r| objects::buffer(r, &mut info))?
            }
            Call::Sampler(key, info) => {
                let mut info = *info;
                self.object(entry, "sampler", (*key).into(), |r| objects::sampler(r, &mut info))?
            }
            Call::Swapchain(key, info) => self.swapchain(entry, *key, info)?,
            Call::RenderPass(key, info) => self.renderpass(entry, *key, info)?,
            Call::Framebuffer(key, info) => {
                let mut info = info.clone();
                self.object(entry, "framebuffer", (*key).into(), |r| {
                    objects::framebuffer(r, &mut info)
                })?
            }
            Call::Shader(key, info) => {
                let mut info = info.clone();
                self.scene.shaders.insert(*key, info.stage);
                self.object(entry, "shader", (*key).into(), |r| objects::shader(r, &mut info))?
            }
            Call::Pipeline(key, info) => {
                let mut info = info.clone();
                self.object(entry, "pipeline", (*key).into(), |r| {
                    pipelines::pipeline(r, &mut info)
                })?
            }
            Call::Commands(key, recording) => self.commands(entry, *key, recording)?,
            _ => return self.made_small(entry),
        };
        Ok(Some(lines))
    }

    fn made_small(&mut self, entry: &Entry) -> Done<Option<Vec<String>>> {
        let lines = match &entry.call {
            Call::SetLayout(key, info) => {
                let mut info = info.clone();
                self.object(entry, "set-layout", (*key).into(), |r| {
                    objects::set_layout(r, &mut info)
                })?
            }
            Call::PipelineLayout(key, info) => {
                let mut info = info.clone();
                self.object(entry, "pipeline-layout", (*key).into(), |r| {
                    objects::pipeline_layout(r, &mut info)
                })?
            }
            Call::Set(key, info) => {
                let mut layout = info.layout;
                self.object(entry, "descriptor-set", (*key).into(), |r| {
                    r.req("layout", &mut layout)
                })?
            }
            Call::Semaphore(key, info) => {
                let mut info = *info;
                self.object(entry, "semaphore", (*key).into(), |r| {
                    objects::semaphore(r, &mut info)
                })?
            }
            Call::Fence(key, signaled) => {
                let mut signaled = *signaled;
                self.object(entry, "fence", (*key).into(), |r| {
                    r.opt("signaled", &mut signaled, false)
                })?
            }
            Call::Event(key) => self.object(entry, "event", (*key).into(), |_| Ok(()))?,
            Call::QueryPool(key, info) => {
                let mut info = *info;
                self.object(entry, "query-pool", (*key).into(), |r| {
                    objects::query_pool(r, &mut info)
                })?
            }
            Call::Write(info) => self.write(entry, info)?,
            _ => return Ok(None),
        };
        Ok(Some(lines))
    }

    /// Prints a write; many descriptors take further lines.
    fn write(&mut self, entry: &Entry, info: &WriteInfo) -> Done<Vec<String>> {
        let mut lines = Vec::new();
        let mut joined = false;
        let mut rest = info.descriptors.as_slice();
        while !joined || !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(DESCRIPTORS));
            let mut part = WriteInfo { descriptors: now.to_vec(), ..info.clone() };
            let mut row = self.row("write", entry);
            row.subject("descriptor set", &mut part.set)?;
            objects::write(&mut row, &mut part)?;
            row.opt("joined", &mut joined, false)?;
            lines.push(end(row, entry.failed.filter(|_| !joined))?);
            (rest, joined) = (later, true);
        }
        Ok(lines)
    }

    fn swapchain(
        &mut self,
        entry: &Entry,
        key: SwapchainKey,
        info: &SwapchainInfo,
    ) -> Done<Vec<String>> {
        let mut given = info.clone();
        let mut count = info.images.len() as u32;
        let lines = self.object(entry, "swapchain", key.into(), |r| {
            objects::swapchain(r, &mut given, &mut count)
        })?;
        if entry.failed.is_none() {
            let ident = self.scene.ident(key.into());
            for (index, image) in info.images.iter().enumerate() {
                self.scene.name_as((*image).into(), format!("{ident}.{index}"));
                let format = ImageInfo { format: info.format, ..ImageInfo::default() };
                self.scene.images.insert(*image, format);
            }
        }
        Ok(lines)
    }

    /// Prints a call about objects that exist.
    pub(super) fn object_verb(&mut self, entry: &Entry) -> Done<String> {
        let row = match &entry.call {
            Call::MemoryType { index, flags, heap_size } => {
                let mut row = self.row("memory-type", entry);
                row.subject("index", &mut index.clone())?;
                device::memory_type(&mut row, &mut flags.clone(), &mut heap_size.clone())?;
                row
            }
            Call::Bind(image, info) => {
                let mut row = self.row("bind", entry);
                row.subject("image", &mut image.clone())?;
                objects::bind(&mut row, &mut info.clone())?;
                row
            }
            Call::BindBuffer(buffer, info) => {
                let mut row = self.row("bind", entry);
                row.subject("buffer", &mut buffer.clone())?;
                objects::bind(&mut row, &mut info.clone())?;
                row
            }
            Call::Name(object, text) => {
                let mut row = subject(self.row("name", entry), *object)?;
                row.req("text", &mut text.clone())?;
                row
            }
            Call::FenceReset(fences) => subject(self.row("fence-reset", entry), fences.clone())?,
            Call::Reset(key) => subject(self.row("reset", entry), *key)?,
            Call::Destroy(object) => subject(self.row("destroy", entry), *object)?,
            _ => self.row("opaque", entry),
        };
        end(row, entry.failed)
    }
}

fn subject<T: Value>(mut row: Row<'_>, mut value: T) -> Done<Row<'_>> {
    row.subject("object", &mut value)?;
    Ok(row)
}
