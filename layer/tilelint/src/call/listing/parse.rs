//! Reading: blocks, devices, and the lines that make objects.

use std::sync::Arc;

use ash::vk;

use super::lex::{Lexed, lex};
use super::record::Rec;
use super::row::{Done, Row, from_bad};
use super::scene::{Scene, is_counted};
use super::value::{Bad, W};
use super::{Header, Listing, ParseError, device, specs};
use crate::call::*;

/// Most lines after `repeat` is unrolled.
const LINES: usize = 1 << 20;

/// A pipeline that says neither `pass=` nor `formats=`: made for each subpass it is used in.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub device: DeviceKey,
    pub key: PipelineKey,
    pub info: PipelineInfo,
    pub name: Option<Box<str>>,
    pub line: Line,
    pub says_samples: bool,
    pub says_dynamic: bool,
    pub made: bool,
}

/// State of reading a listing.
pub(super) struct Parser<'a> {
    pub scene: Scene,
    pub lines: Vec<&'a Lexed>,
    /// The line after the one that is being read.
    pub at: usize,
    pub entries: Vec<Entry>,
    /// The commands being recorded: of a `commands` block, or outside of one.
    pub rec: Option<Rec>,
    pub in_block: bool,
    pub templates: Vec<Template>,
}

/// Reads a listing.
///
/// # Errors
///
/// The first line that cannot be understood.
pub fn parse(text: &str) -> Result<Listing, ParseError> {
    parse_with_header("", text)
}

/// Reads a listing whose `calls` line stands elsewhere, as in the info string of a fence; an empty
/// one is left to the text's first line. Errors in it are those of line 0.
///
/// # Errors
///
/// The first line that cannot be understood.
pub fn parse_with_header(info: &str, text: &str) -> Result<Listing, ParseError> {
    let mut header = Header::default();
    let mut lexed = Vec::new();
    for (index, line) in text.lines().enumerate() {
        lexed.extend(lex(line, u32::try_from(index + 1).unwrap_or(u32::MAX))?);
    }
    let info = lex(info, 0)?;
    let first = lexed.first().filter(|line| line.verb == "calls").cloned();
    for (line, in_page) in [(info, true), (first.clone(), false)] {
        if let Some(line) = line {
            read_header(&line, &mut header, in_page)?;
        }
    }
    let body = &lexed[usize::from(first.is_some())..];
    let mut parser = Parser::new(unroll(body)?);
    parser.run()?;
    let has_frames = body.iter().any(|line| line.verb == "frame");
    Ok(Listing { header, entries: parser.entries, has_frames })
}

fn read_header(line: &Lexed, header: &mut Header, in_page: bool) -> Done {
    if line.verb != "calls" {
        return Err(line.error(line.column, "a listing begins with `calls`"));
    }
    let mut scene = Scene::default();
    let mut row = Row::read(line, &mut scene);
    device::header(&mut row, header, in_page)?;
    row.finish()?;
    if header.version != 1 {
        let token = line.tokens.iter().find(|t| t.key == "version");
        let column = token.map_or(line.column, |t| t.value_column);
        return Err(line.error(column, "only version 1 can be read"));
    }
    Ok(())
}

fn opens(line: &Lexed) -> bool {
    ["renderpass", "pass", "commands", "repeat"].contains(&line.verb.as_str())
}

/// Unrolls `repeat` blocks; every line keeps its number.
fn unroll(lines: &[Lexed]) -> Done<Vec<&Lexed>> {
    let mut open: Vec<&Lexed> = Vec::new();
    let mut rounds: Vec<(usize, u64)> = Vec::new();
    let mut out: Vec<&Lexed> = Vec::new();
    for line in lines {
        match line.verb.as_str() {
            "repeat" => {
                let words: Vec<_> = line.words().collect();
                let count = match words[..] {
                    [count] if line.tokens.len() == 1 => super::value::number(&count.value),
                    _ => None,
                };
                let count = count.filter(|n| *n > 0);
                let error = || line.error(line.column, "`repeat` needs a number of rounds");
                rounds.push((out.len(), count.ok_or_else(error)?));
                open.push(line);
            }
            "end" => match open.pop() {
                Some(block) if block.verb == "repeat" => {
                    let (start, count) = rounds.pop().unwrap_or_default();
                    let body = out[start..].to_vec();
                    if (body.len() as u64).saturating_mul(count) > LINES as u64 {
                        return Err(block.error(block.column, "too many rounds"));
                    }
                    for _ in 1..count {
                        out.extend_from_slice(&body);
                    }
                }
                Some(_) => out.push(line),
                None => return Err(line.error(line.column, "`end` without a block")),
            },
            _ => {
                if opens(line) {
                    open.push(line);
                }
                out.push(line);
            }
        }
        if out.len() > LINES {
            return Err(line.error(line.column, "too many lines"));
        }
    }
    match open.pop() {
        Some(line) => Err(line.error(line.column, format!("`{}` has no `end`", line.verb))),
        None => Ok(out),
    }
}

/// The object that a line makes, while the line is read.
#[derive(Default)]
pub(super) struct New {
    pub name: Option<Box<str>>,
    pub failed: Option<vk::Result>,
    pub key: u64,
    pub unknown: Vec<&'static str>,
}

/// Reads a line that makes an object.
pub(super) fn object(
    line: &Lexed,
    scene: &mut Scene,
    kind: Kind,
    fields: impl FnOnce(&mut Row) -> Done,
) -> Done<New> {
    let mut row = Row::read(line, scene);
    let missing = || line.error(line.column, format!("`{}` needs a name", line.verb));
    let token = row.take_word().ok_or_else(missing)?;
    let mut name: Option<Box<str>> = None;
    row.maybe("name", &mut name)?;
    fields(&mut row)?;
    let mut failed: Option<W<vk::Result>> = None;
    row.maybe("result", &mut failed)?;
    let unknown = std::mem::take(&mut row.unknown);
    let ident = (!is_counted(&token.value, kind)).then(|| token.value.as_str().into());
    let name = name.or(ident);
    row.finish()?;
    let key = match failed {
        Some(_) if super::scene::is_name(&token.value) => 0,
        _ => scene
            .declare(&token.value, kind)
            .map_err(|bad| from_bad(line, token.value_column, bad))?,
    };
    Ok(New { name, failed: failed.map(|w| w.0), key, unknown })
}

impl<'a> Parser<'a> {
    fn new(lines: Vec<&'a Lexed>) -> Self {
        Self {
            scene: Scene::default(),
            lines,
            at: 0,
            entries: Vec::new(),
            rec: None,
            in_block: false,
            templates: Vec::new(),
        }
    }

    fn run(&mut self) -> Done {
        while self.at < self.lines.len() {
            let line = self.lines[self.at];
            self.at += 1;
            self.line(line)?;
        }
        self.flush(None)?;
        self.finish_templates();
        self.take_made();
        self.needed_extensions();
        Ok(())
    }

    /// Moves the entries that short forms made in front of what follows.
    pub fn take_made(&mut self) {
        self.entries.append(&mut self.scene.made);
    }

    /// Adds an entry.
    pub fn push(&mut self, line: &Lexed, call: Call, new: New) {
        self.take_made();
        let mut entry = Entry::new(self.scene.device, call);
        entry.name = new.name;
        entry.failed = new.failed;
        entry.unknown = new.unknown;
        entry.line = Line(line.line);
        self.entries.push(entry);
    }

    fn line(&mut self, line: &'a Lexed) -> Done {
        self.scene.line = Line(line.line);
        if line.verb == "device" {
            return self.device(line);
        }
        if self.scene.device == DeviceKey(0) {
            self.implicit_device();
        }
        if let "commands" = line.verb.as_str() {
            return self.commands(line);
        }
        if super::record::is_command(&line.verb) && !self.is_queue_label(line) {
            return self.command(line);
        }
        // Naming an image of a swapchain outside of commands is no use of it.
        let used = self.scene.used_chains.len();
        let done = self.other_line(line);
        self.scene.used_chains.truncate(used);
        done
    }

    fn is_queue_label(&self, line: &Lexed) -> bool {
        line.verb.starts_with("label-") && line.value("queue").is_some()
    }

    fn other_line(&mut self, line: &'a Lexed) -> Done {
        match line.verb.as_str() {
            "memory-type" => self.memory_type(line),
            "renderpass" => self.renderpass(line),
            "pipeline" => self.pipeline(line),
            "image" => self.image(line),
            "swapchain" => self.swapchain(line),
            "calls" => Err(line.error(line.column, "`calls` can only be the first line")),
            _ if self.small_object(line)? => Ok(()),
            _ if self.queue_verb(line)? => Ok(()),
            _ => self.command(line),
        }
    }

    fn device(&mut self, line: &'a Lexed) -> Done {
        self.flush(None)?;
        self.take_made();
        let mut info = DeviceInfo::default();
        let mut row = Row::read(line, &mut self.scene);
        let missing = || line.error(line.column, "`device` needs a name");
        let token = row.take_word().ok_or_else(missing)?;
        device::device(&mut row, &mut info)?;
        let mut joined = false;
        row.opt("joined", &mut joined, false)?;
        let mut failed: Option<W<vk::Result>> = None;
        row.maybe("result", &mut failed)?;
        let unknown = std::mem::take(&mut row.unknown);
        row.finish()?;
        if !super::scene::is_name(&token.value) {
            let message = format!("{:?} cannot be a name", token.value);
            return Err(line.error(token.value_column, message));
        }
        let (key, new) = self.scene.device_key(&token.value);
        self.scene.switch(key);
        if !new && line.tokens.len() == 1 {
            return Ok(());
        }
        if joined {
            return self.join_device(line, info);
        }
        let name = (!is_counted(&token.value, Kind::Device)).then(|| token.value.as_str().into());
        let failed = failed.map(|w| w.0);
        self.push(line, Call::Device(Box::new(info)), New { name, failed, key: 0, unknown });
        let rest = &self.lines[self.at..];
        let own = rest.iter().take_while(|l| l.verb != "device" || l.value("joined").is_some());
        if !own.clone().any(|l| l.verb == "queue") {
            self.implicit_queues();
        }
        Ok(())
    }

    /// Adds the extensions and features of a further line of a device.
    fn join_device(&mut self, line: &Lexed, info: DeviceInfo) -> Done {
        let current = self.scene.device;
        let mut own = self.entries.iter_mut().rev().filter(|e| e.device == current);
        let found = own.find_map(|e| match &mut e.call {
            Call::Device(device) => Some(device),
            _ => None,
        });
        let error = || line.error(line.column, "`joined` needs a line like it before");
        let device = found.ok_or_else(error)?;
        device.extensions.extend(info.extensions);
        device.features.extend(info.features);
        Ok(())
    }

    fn implicit_device(&mut self) {
        let (key, _) = self.scene.device_key("device.0");
        self.scene.switch(key);
        self.scene.implicit = true;
        let line = std::mem::replace(&mut self.scene.line, Line(0));
        self.scene.make(Call::Device(Box::new(device::implicit_device())), None);
        let has = |verb| self.lines.iter().any(|l| l.verb == verb);
        let (types, queues) = (has("memory-type"), has("queue"));
        if !types {
            for (index, flags) in (0..).zip(device::implicit_types()) {
                self.scene.make(Call::MemoryType { index, flags, heap_size: 0 }, None);
            }
        }
        if !queues {
            self.implicit_queues();
        }
        self.take_made();
        self.scene.line = line;
    }

    fn implicit_queues(&mut self) {
        let compute = vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER;
        let both = [("graphics", device::all_queue_flags()), ("compute", compute)];
        for (family, (name, flags)) in (0..).zip(both) {
            if let Ok(key) = self.scene.declare(name, Kind::Queue).map(QueueKey) {
                let info = QueueInfo { family, flags };
                self.scene.queues.insert(key, info);
                self.scene.make(Call::Queue(key, info), Some(name));
            }
        }
        self.take_made();
    }

    fn memory_type(&mut self, line: &'a Lexed) -> Done {
        let (mut index, mut flags, mut heap_size) = Default::default();
        let mut row = Row::read(line, &mut self.scene);
        row.subject("index", &mut index)?;
        device::memory_type(&mut row, &mut flags, &mut heap_size)?;
        let unknown = std::mem::take(&mut row.unknown);
        row.finish()?;
        let new = New { unknown, ..New::default() };
        self.push(line, Call::MemoryType { index, flags, heap_size }, new);
        Ok(())
    }

    fn renderpass(&mut self, line: &'a Lexed) -> Done {
        let mut info = RenderPassInfo::default();
        let new = object(line, &mut self.scene, Kind::RenderPass, |row| {
            row.opt("via", &mut info.via, Via::Rp2)?;
            row.f("flags", &mut info.flags, Some(vk::RenderPassCreateFlags::empty()))?;
            row.opt("opaque", &mut info.opaque, false)?;
            row.maybe("merged", &mut info.merged)
        })?;
        let (via, flags, merged) = (info.via, info.flags, info.merged);
        let mut opaque = info.opaque || !new.unknown.is_empty();
        let mut body = Vec::new();
        loop {
            let inner = self.lines[self.at];
            self.at += 1;
            if inner.verb == "end" {
                break;
            }
            body.push(inner);
        }
        let mut parts = self.parts(&body, specs::Place::RenderPass, &mut opaque)?;
        info = super::build::build(&mut parts)?;
        (info.via, info.flags, info.merged, info.opaque) = (via, flags, merged, opaque);
        let key = RenderPassKey(new.key);
        let info = Arc::new(info);
        self.scene.render_passes.insert(key, info.clone());
        self.push(line, Call::RenderPass(key, info), new);
        Ok(())
    }

    /// The error of a verb that there is not.
    pub fn unknown_verb(&self, line: &Lexed) -> ParseError {
        from_bad(
            line,
            line.column,
            Bad::word("verb", &line.verb, super::record::VERBS.iter().copied()),
        )
    }
}
