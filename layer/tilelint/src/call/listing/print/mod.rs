//! Printing: entries as full calls, one a line.

mod commands;
mod objects;
mod passes;

pub use passes::{attach_line, rendering_line};

use ash::vk;

use super::Header;
use super::row::{Done, Row};
use super::scene::{Scene, is_counted};
use super::value::W;
use super::{device, queue};
use crate::call::*;

/// Extensions, and features, on one line: so many fit within the longest.
const NAMES: usize = 24;

/// Prints a listing: its header and all its calls. Reading it gives the same entries again.
pub fn print(header: &Header, entries: &[Entry]) -> String {
    let mut printer = Printer::new();
    let mut out = header_line(header);
    out.push('\n');
    for entry in entries {
        for line in printer.entry(entry) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

/// Prints the first line of a listing.
pub fn header_line(header: &Header) -> String {
    let mut scene = Scene::default();
    let mut row = Row::write("calls", Vec::new(), &mut scene);
    let mut header = header.clone();
    let done = device::header(&mut row, &mut header, false);
    written(done.and_then(|()| row.finish()))
}

/// Prints entries one after the other, remembering the names it gave.
#[derive(Debug, Default)]
pub struct Printer {
    scene: Scene,
}

fn written(line: Done<String>) -> String {
    line.expect("a line that is written has nothing to misread")
}

/// Finishes a line that makes no object.
fn end(mut row: Row, failed: Option<vk::Result>) -> Done<String> {
    row.maybe("result", &mut failed.map(W))?;
    row.finish()
}

impl Printer {
    /// Begins a listing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The name under which an object of the current device is printed.
    pub fn name(&mut self, object: Object) -> String {
        self.scene.ident(object)
    }

    /// Prints an entry: its lines, those inside of blocks indented.
    pub fn entry(&mut self, entry: &Entry) -> Vec<String> {
        let mut lines = Vec::new();
        if let Call::Device(_) = &entry.call {
            let name = entry.name.as_deref();
            let ident = self.scene.device_ident(entry.device, name).0;
            self.scene.switch(entry.device);
            return written_all(self.device(entry, &ident));
        }
        if entry.device != self.scene.device && entry.device != DeviceKey(0) {
            let ident = self.scene.device_ident(entry.device, None).0;
            self.scene.switch(entry.device);
            lines.push(format!("device {ident}"));
        }
        lines.extend(written_all(self.call(entry)));
        if let Call::Destroy(object) = entry.call {
            self.scene.bury(object);
        }
        lines
    }

    fn row(&mut self, verb: &str, entry: &Entry) -> Row<'_> {
        Row::write(verb, entry.unknown.clone(), &mut self.scene)
    }

    /// Prints a device; long lists of extensions and features take further lines.
    fn device(&mut self, entry: &Entry, ident: &str) -> Done<Vec<String>> {
        let mut lines = Vec::new();
        let Call::Device(info) = &entry.call else {
            return Ok(lines);
        };
        let mut extensions = info.extensions.chunks(NAMES);
        let mut features = info.features.chunks(NAMES);
        let mut part = (**info).clone();
        let mut joined = false;
        loop {
            let (some, more) = (extensions.next(), features.next());
            if joined && some.is_none() && more.is_none() {
                return Ok(lines);
            }
            part.extensions = some.unwrap_or_default().to_vec();
            part.features = more.unwrap_or_default().to_vec();
            let mut row = match joined {
                true => Row::write("device", Vec::new(), &mut self.scene),
                false => self.row("device", entry),
            };
            row.put_word(ident);
            device::device(&mut row, &mut part)?;
            row.opt("joined", &mut joined, false)?;
            lines.push(end(row, entry.failed.filter(|_| !joined))?);
            part = DeviceInfo { api: vk::API_VERSION_1_3, ..DeviceInfo::default() };
            joined = true;
        }
    }

    /// Prints a line that makes an object.
    fn object(
        &mut self,
        entry: &Entry,
        verb: &str,
        object: Object,
        fields: impl FnOnce(&mut Row) -> Done,
    ) -> Done<Vec<String>> {
        let name = entry.name.as_deref();
        let ident = match entry.failed {
            Some(_) => self.scene.name_lost(object.kind, name),
            None => self.scene.name_new(object, name),
        };
        let mut row = self.row(verb, entry);
        row.put_word(&ident);
        if let Some(name) = name
            && (name != ident || is_counted(&ident, object.kind))
        {
            row.req("name", &mut Box::<str>::from(name))?;
        }
        fields(&mut row)?;
        Ok(vec![end(row, entry.failed)?])
    }

    fn call(&mut self, entry: &Entry) -> Done<Vec<String>> {
        if let Some(lines) = self.made(entry)? {
            return Ok(lines);
        }
        Ok(vec![match &entry.call {
            Call::Submit(info) => return self.submit(entry, info),
            Call::Acquire(info) => {
                let mut info = *info;
                let mut row = self.row("acquire", entry);
                row.subject("swapchain", &mut info.swapchain)?;
                queue::acquire(&mut row, &mut info, 0)?;
                end(row, entry.failed)?
            }
            Call::Present(info) => {
                let mut info = info.clone();
                let mut row = self.row("present", entry);
                row.subject("swapchain", &mut info.swapchain)?;
                queue::present(&mut row, &mut info, 0)?;
                let plain = info.result == vk::Result::SUCCESS;
                end(row, if plain { entry.failed } else { Some(info.result) })?
            }
            Call::Wait(info) => {
                let mut row = self.row("wait", entry);
                queue::wait(&mut row, &mut info.clone())?;
                end(row, entry.failed)?
            }
            Call::Signal(key, value) => {
                let mut row = self.row("signal", entry);
                row.subject("semaphore", &mut key.clone())?;
                row.req("value", &mut value.clone())?;
                end(row, entry.failed)?
            }
            Call::WaitIdle(info) => {
                let mut info = *info;
                let mut row = self.row("wait-idle", entry);
                row.word(&mut info.queue)?;
                row.maybe("took", &mut info.took_ns)?;
                end(row, entry.failed)?
            }
            Call::Host(info) => {
                let verb = queue::HOST_VERBS.iter().find(|(_, verb)| *verb == info.verb);
                let mut row = self.row(verb.map_or("map", |(word, _)| word), entry);
                queue::host(&mut row, &mut info.clone())?;
                end(row, entry.failed)?
            }
            Call::QueueLabel { queue, text } => {
                let verb = if text.is_some() { "label-begin" } else { "label-end" };
                let mut row = self.row(verb, entry);
                row.maybe("text", &mut text.clone())?;
                row.req("queue", &mut queue.clone())?;
                end(row, entry.failed)?
            }
            Call::Frame { by, time_ns } => {
                let mut row = self.row("frame", entry);
                row.opt("by", &mut by.clone(), FrameBoundary::Marker)?;
                row.maybe("time", &mut time_ns.clone())?;
                end(row, entry.failed)?
            }
            _ => self.object_verb(entry)?,
        }])
    }

    fn submit(&mut self, entry: &Entry, info: &Submit) -> Done<Vec<String>> {
        let mut info = info.clone();
        let mut row = self.row("submit", entry);
        queue::submit(&mut row, &mut info)?;
        let mut lines = vec![end(row, entry.failed)?];
        for batch in info.batches.iter_mut().skip(1) {
            let mut row = Row::write("batch", Vec::new(), &mut self.scene);
            queue::more_batch(&mut row, batch)?;
            lines.push(row.finish()?);
        }
        Ok(lines)
    }
}

fn written_all(lines: Done<Vec<String>>) -> Vec<String> {
    lines.expect("lines that are written have nothing to misread")
}
