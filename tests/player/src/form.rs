//! Says the passes of a listing in another form: render pass 1, render pass 2 or dynamic rendering.

mod dynamic;
mod objects;

use std::collections::HashMap;
use std::sync::Arc;

use ash::vk;
use tilelint::call::*;

use crate::error::{Done, Error};

/// Keys of objects that only the other form has: no listing counts so far.
const FIRST_KEY: u64 = 1 << 48;

/// What is known of the objects of one device, at the entry that is being rewritten.
#[derive(Default)]
struct Known {
    images: HashMap<ImageKey, ImageInfo>,
    views: HashMap<ViewKey, ViewInfo>,
    passes: HashMap<RenderPassKey, Arc<RenderPassInfo>>,
    framebuffers: HashMap<FramebufferKey, FramebufferInfo>,
    recordings: HashMap<CommandsKey, Arc<Recording>>,
}

impl Known {
    fn note(&mut self, call: &Call) {
        match call {
            Call::Image(key, info) => {
                self.images.insert(*key, (**info).clone());
            }
            Call::View(key, info) => {
                self.views.insert(*key, *info);
            }
            Call::Swapchain(_, info) => {
                for key in &info.images {
                    let image = ImageInfo {
                        format: info.format,
                        extent: info.extent.into(),
                        layers: info.layers,
                        usage: info.usage,
                        ..ImageInfo::default()
                    };
                    self.images.insert(*key, image);
                }
            }
            Call::RenderPass(key, info) => {
                self.passes.insert(*key, info.clone());
            }
            Call::Framebuffer(key, info) => {
                self.framebuffers.insert(*key, (**info).clone());
            }
            _ => {}
        }
    }

    /// Format and samples of a view.
    fn format(&self, view: ViewKey) -> (vk::Format, u32) {
        let info = self.views.get(&view);
        let image = info.and_then(|info| self.images.get(&info.image));
        let of = image.map(|image| image.format).unwrap_or_default();
        let format = info.map(|i| i.format).filter(|f| *f != vk::Format::UNDEFINED);
        (format.unwrap_or(of), image.map_or(1, |image| image.samples))
    }
}

/// Rewrites one device's calls.
struct Rewrite<'e> {
    entries: &'e [Entry],
    device: DeviceKey,
    via: Via,
    known: Known,
    /// Everything that the listing declares, to look ahead.
    all: Known,
    out: Vec<Entry>,
    next: u64,
    made_passes: Vec<(Box<str>, Arc<RenderPassInfo>, RenderPassKey)>,
    made_framebuffers: Vec<(FramebufferInfo, FramebufferKey)>,
}

/// Says whether a call is about a render pass object or framebuffer.
fn about_pass(call: &Call) -> bool {
    let kind = match call {
        Call::RenderPass(..) | Call::Framebuffer(..) => return true,
        Call::Name(object, _) | Call::Destroy(object) => object.kind,
        _ => return false,
    };
    kind == Kind::RenderPass || kind == Kind::Framebuffer
}

impl Rewrite<'_> {
    fn bad<T>(line: Line, message: &str) -> Done<T> {
        Err(Error::Listing(line, message.to_owned()))
    }

    fn entry(&mut self, entry: &Entry) -> Done {
        self.known.note(&entry.call);
        let mut entry = entry.clone();
        let dynamic = self.via == Via::Dynamic;
        match &mut entry.call {
            call if dynamic && about_pass(call) => return Ok(()),
            Call::RenderPass(_, info) => Arc::make_mut(info).via = self.via,
            Call::Pipeline(key, info) if info.point == vk::PipelineBindPoint::GRAPHICS => {
                match dynamic {
                    true => self.dynamic_pipeline(info, entry.line)?,
                    false => self.object_pipeline(*key, info, entry.line)?,
                }
            }
            Call::Commands(key, recording) => {
                let mut new = (**recording).clone();
                match dynamic {
                    true => self.dynamic_recording(&mut new, entry.line)?,
                    false => self.object_recording(*key, &mut new, entry.line)?,
                }
                self.link(&mut new);
                *recording = Arc::new(new);
                self.known.recordings.insert(*key, recording.clone());
            }
            Call::Submit(submit) => {
                let all = submit.batches.iter_mut().flat_map(|b| &mut b.commands);
                for commands in all {
                    commands.recording = self.known.recordings.get(&commands.key).cloned();
                }
            }
            _ => {}
        }
        self.out.push(entry);
        Ok(())
    }

    /// Executed command buffers are those that were rewritten.
    fn link(&self, recording: &mut Recording) {
        for command in recording.commands.iter_mut() {
            let Command::Execute(list) = command else { continue };
            for executed in list {
                let key = executed.key.unwrap_or_default();
                executed.recording = self.known.recordings.get(&key).cloned();
            }
        }
    }

    /// Replaces the commands of a recording; each may become several.
    fn replace(
        &mut self,
        recording: &mut Recording,
        mut with: impl FnMut(&mut Self, Command) -> Done<Vec<Command>>,
    ) -> Done {
        // The list alone: the words that it speaks of stay.
        let commands = std::mem::take(&mut *recording.commands);
        let lines = std::mem::take(&mut recording.lines);
        for (index, command) in commands.into_iter().enumerate() {
            for command in with(self, command)? {
                recording.commands.push(command);
                recording.lines.extend(lines.get(index));
            }
        }
        Ok(())
    }
}

/// Says all passes of a listing in one form.
///
/// # Errors
///
/// Where a pass cannot be said in that form.
pub(crate) fn rewrite(entries: &[Entry], via: Via) -> Done<Vec<Entry>> {
    let mut rewrites: Vec<Rewrite> = Vec::new();
    let mut out = Vec::new();
    for entry in entries {
        let at = rewrites.iter().position(|r| r.device == entry.device);
        let at = at.unwrap_or_else(|| {
            let mut all = Known::default();
            let mine = entries.iter().filter(|e| e.device == entry.device);
            mine.for_each(|e| all.note(&e.call));
            rewrites.push(Rewrite {
                entries,
                device: entry.device,
                via,
                known: Known::default(),
                all,
                out: Vec::new(),
                next: FIRST_KEY,
                made_passes: Vec::new(),
                made_framebuffers: Vec::new(),
            });
            rewrites.len() - 1
        });
        rewrites[at].entry(entry)?;
        out.append(&mut rewrites[at].out);
    }
    Ok(out)
}
