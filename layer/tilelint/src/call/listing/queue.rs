//! Submission, presentation, waits, host access, frames.

use std::sync::Arc;

use ash::vk;

use super::lex::Lexed;
use super::parse::{New, Parser};
use super::refs::split_value;
use super::row::{Done, Row};
use super::scene::Scene;
use super::value::{Bad, Read, Value, W, choices};
use super::words::{read_bits, write_bits};
use crate::call::*;

choices! {
    FrameBoundary {
        FrameBoundary::Marker = "marker", FrameBoundary::Present = "present",
        FrameBoundary::Label = "label", FrameBoundary::Boundary = "boundary",
        FrameBoundary::Submits = "submits", FrameBoundary::Rotation = "rotation",
    }
}

impl Value for SemaphoreWait {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let (name, stages) = match text.split_once(':') {
            Some((name, stages)) => {
                (name, read_bits(stages).map_err(|bad| bad.at(name.len() + 1))?)
            }
            None => (text, vk::PipelineStageFlags2::ALL_COMMANDS),
        };
        let (name, value) = split_value(name, ">=")?;
        Ok(Self { semaphore: SemaphoreKey::read(name, scene)?, value, stages })
    }

    fn write(&self, scene: &mut Scene) -> String {
        let value = self.value.map(|v| format!(">={v}")).unwrap_or_default();
        format!("{}{value}:{}", self.semaphore.write(scene), write_bits(self.stages))
    }
}

impl Value for SemaphoreSignal {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let (name, value) = split_value(text, "=")?;
        Ok(Self { semaphore: SemaphoreKey::read(name, scene)?, value })
    }

    fn write(&self, scene: &mut Scene) -> String {
        let value = self.value.map(|v| format!("={v}")).unwrap_or_default();
        self.semaphore.write(scene) + &value
    }
}

/// A timeline value that the host waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reached(SemaphoreKey, u64);

impl Value for Reached {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let (name, value) = split_value(text, ">=")?;
        let value = value.ok_or_else(|| Bad::new("a host waits for a value (as tl>=5)"))?;
        Ok(Self(SemaphoreKey::read(name, scene)?, value))
    }

    fn write(&self, scene: &mut Scene) -> String {
        format!("{}>={}", self.0.write(scene), self.1)
    }
}

impl Value for Submitted {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let key = CommandsKey::read(text, scene)?;
        Ok(Self { key, recording: scene.recordings.get(&key).cloned() })
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.key.write(scene)
    }
}

/// The keys of a batch. An empty one is told from none by `commands=none`.
fn batch(row: &mut Row, batch: &mut Batch) -> Done {
    let empty = *batch == Batch::default();
    if empty && !row.reading() {
        row.key("commands", &mut batch.commands, None)?;
    } else {
        row.opt("commands", &mut batch.commands, Vec::new())?;
    }
    row.opt("wait", &mut batch.waits, Vec::new())?;
    row.opt("signal", &mut batch.signals, Vec::new())
}

/// `submit`, its first batch included.
pub(super) fn submit(row: &mut Row, submit: &mut Submit) -> Done {
    row.subject("queue", &mut submit.queue)?;
    let batch_keys = ["commands", "wait", "signal", "frame_end"];
    let given = !submit.batches.is_empty() || batch_keys.iter().any(|key| row.has(key));
    let mut first = submit.batches.first().cloned().unwrap_or_default();
    if given || row.reading() {
        batch(row, &mut first)?;
    }
    row.maybe("fence", &mut submit.fence)?;
    row.opt("via", &mut submit.version, 1)?;
    row.opt("frame_end", &mut first.frame_end, false)?;
    if row.reading() && given {
        submit.batches.push(first);
    }
    Ok(())
}

/// `batch`.
pub(super) fn more_batch(row: &mut Row, more: &mut Batch) -> Done {
    batch(row, more)?;
    row.opt("frame_end", &mut more.frame_end, false)
}

/// `acquire`, behind its subject.
pub(super) fn acquire(row: &mut Row, acquire: &mut Acquire, next: u32) -> Done {
    let default = row.reading().then_some(next);
    row.key("image", &mut acquire.image, default)?;
    row.maybe("signal", &mut acquire.signal)?;
    row.maybe("fence", &mut acquire.fence)
}

/// `present`, behind its subject.
pub(super) fn present(row: &mut Row, present: &mut Present, current: u32) -> Done {
    let default = row.reading().then_some(current);
    row.key("image", &mut present.image, default)?;
    row.opt("wait", &mut present.waits, Vec::new())?;
    let mut queue = Some(present.queue);
    row.maybe("queue", &mut queue)?;
    present.queue = queue.unwrap_or_default();
    row.maybe("time", &mut present.time_ns)
}

/// `wait`.
pub(super) fn wait(row: &mut Row, wait: &mut Wait) -> Done {
    row.opt("fences", &mut wait.fences, Vec::new())?;
    let to = |l: &Vec<(SemaphoreKey, u64)>| l.iter().map(|(k, v)| Reached(*k, *v)).collect();
    let from = |l: Vec<Reached>| l.into_iter().map(|r| (r.0, r.1)).collect();
    row.with("semaphores", &mut wait.semaphores, Some(Vec::new()), to, from)?;
    row.opt("any", &mut wait.any, false)?;
    row.opt("timeout", &mut wait.timeout_ns, u64::MAX)?;
    row.maybe("took", &mut wait.took_ns)
}

/// Verbs of the host.
pub(super) const HOST_VERBS: [(&str, HostVerb); 6] = [
    ("map", HostVerb::Map),
    ("unmap", HostVerb::Unmap),
    ("host-read", HostVerb::Read),
    ("host-write", HostVerb::Write),
    ("query-read", HostVerb::QueryRead),
    ("commitment", HostVerb::Commitment),
];

/// `map`, `unmap`, `host-read`, `host-write`, `query-read`, `commitment`.
pub(super) fn host(row: &mut Row, host: &mut HostAccess) -> Done {
    row.subject("object", &mut host.object)?;
    if host.verb == HostVerb::QueryRead {
        row.opt("index", &mut host.index, 0)?;
        row.opt("count", &mut host.count, 1)?;
        row.opt("wait", &mut host.wait, false)?;
    }
    if host.verb == HostVerb::Commitment {
        row.req("bytes", &mut host.bytes)?;
    }
    row.maybe("took", &mut host.took_ns)
}

impl<'a> Parser<'a> {
    /// Reads a line about queues, the host or frames; says whether it is one.
    pub fn queue_verb(&mut self, line: &'a Lexed) -> Done<bool> {
        let verb = line.verb.as_str();
        match verb {
            "submit" => self.submit(line)?,
            "acquire" => self.acquire(line)?,
            "present" => self.present(line)?,
            "wait" | "signal" | "wait-idle" | "frame" => {
                if verb != "signal" {
                    self.flush(None)?;
                }
                self.plain_queue_verb(line)?;
            }
            "label-begin" | "label-end" if line.value("queue").is_some() => {
                self.plain_queue_verb(line)?;
            }
            _ if HOST_VERBS.iter().any(|(word, _)| *word == verb) => {
                if ["host-read", "query-read"].contains(&verb) {
                    self.flush(None)?;
                }
                self.plain_queue_verb(line)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn plain_queue_verb(&mut self, line: &'a Lexed) -> Done {
        let mut row = Row::read(line, &mut self.scene);
        let call = match line.verb.as_str() {
            "wait" => {
                let mut info = Wait::default();
                wait(&mut row, &mut info)?;
                Call::Wait(Box::new(info))
            }
            "signal" => {
                let (mut key, mut value) = (SemaphoreKey(0), 0);
                row.subject("semaphore", &mut key)?;
                row.req("value", &mut value)?;
                Call::Signal(key, value)
            }
            "wait-idle" => {
                let mut info = WaitIdle::default();
                row.word(&mut info.queue)?;
                row.maybe("took", &mut info.took_ns)?;
                Call::WaitIdle(info)
            }
            "frame" => {
                let (mut by, mut time_ns) = (FrameBoundary::Marker, None);
                row.opt("by", &mut by, FrameBoundary::Marker)?;
                row.maybe("time", &mut time_ns)?;
                Call::Frame { by, time_ns }
            }
            "label-begin" | "label-end" => {
                let (mut queue, mut text) = (QueueKey(0), None);
                if line.verb == "label-begin" {
                    let mut given: Box<str> = "".into();
                    row.req("text", &mut given)?;
                    text = Some(given);
                }
                row.req("queue", &mut queue)?;
                Call::QueueLabel { queue, text }
            }
            verb => {
                let found = HOST_VERBS.iter().find(|(word, _)| *word == verb);
                let mut info = blank_host(found.map_or(HostVerb::Map, |(_, verb)| *verb));
                host(&mut row, &mut info)?;
                Call::Host(Box::new(info))
            }
        };
        let new = end(row)?;
        self.push(line, call, new);
        Ok(())
    }

    fn submit(&mut self, line: &'a Lexed) -> Done {
        self.flush(None)?;
        let mut info = Submit { queue: QueueKey(0), batches: Vec::new(), fence: None, version: 1 };
        let mut row = Row::read(line, &mut self.scene);
        submit(&mut row, &mut info)?;
        let new = end(row)?;
        while let Some(next) = self.lines.get(self.at).filter(|l| l.verb == "batch") {
            self.at += 1;
            let mut row = Row::read(next, &mut self.scene);
            let mut more = Batch::default();
            more_batch(&mut row, &mut more)?;
            end(row)?;
            info.batches.push(more);
        }
        for batch in &mut info.batches {
            for commands in batch.commands.clone() {
                self.acquire_for(commands.key, &mut batch.waits);
            }
        }
        self.push(line, Call::Submit(Box::new(info)), new);
        Ok(())
    }

    fn acquire(&mut self, line: &'a Lexed) -> Done {
        let mut info = Acquire { swapchain: SwapchainKey(0), image: 0, signal: None, fence: None };
        let mut row = Row::read(line, &mut self.scene);
        row.subject("swapchain", &mut info.swapchain)?;
        let chain = row.scene.swapchains.get(&info.swapchain);
        let next = chain.map_or(0, |c| c.current);
        acquire(&mut row, &mut info, next)?;
        let new = end(row)?;
        if let Some(chain) = self.scene.swapchains.get_mut(&info.swapchain) {
            if info.image as usize >= chain.info.images.len() {
                return Err(line.error(line.column, "the swapchain has no such image"));
            }
            chain.current = info.image;
            chain.acquired = true;
        }
        self.push(line, Call::Acquire(info), new);
        Ok(())
    }

    fn present(&mut self, line: &'a Lexed) -> Done {
        let subject = line.words().next().map(|t| t.value.clone()).unwrap_or_default();
        let key = self.scene.find(&subject, Kind::Swapchain).map(SwapchainKey);
        let implicit = key.filter(|key| {
            let chain = self.scene.swapchains.get(key);
            chain.is_some_and(|c| !c.explicit) && line.value("wait").is_none()
        });
        let rendered = self.flush(implicit)?;
        let queue = self.scene.default_queue();
        let mut info = Present {
            queue,
            swapchain: SwapchainKey(0),
            image: 0,
            waits: Vec::new(),
            result: vk::Result::SUCCESS,
            time_ns: None,
        };
        let mut row = Row::read(line, &mut self.scene);
        row.subject("swapchain", &mut info.swapchain)?;
        let chain = row.scene.swapchains.get(&info.swapchain);
        let current = chain.map_or(0, |c| c.current);
        present(&mut row, &mut info, current)?;
        let mut new = end(row)?;
        info.result = new.failed.unwrap_or(vk::Result::SUCCESS);
        new.failed = new.failed.filter(|r| r.as_raw() < 0);
        if implicit.is_some() {
            info.waits.extend(self.acquire_now(info.swapchain));
            info.waits.extend(rendered);
        }
        if let Some(chain) = self.scene.swapchains.get_mut(&info.swapchain) {
            if info.image as usize >= chain.info.images.len() {
                return Err(line.error(line.column, "the swapchain has no such image"));
            }
            chain.acquired = false;
            chain.current = (info.image + 1) % chain.info.images.len() as u32;
        }
        self.push(line, Call::Present(info), new);
        Ok(())
    }

    /// Acquires the swapchains that a command buffer names, where no line does.
    fn acquire_for(&mut self, commands: CommandsKey, waits: &mut Vec<SemaphoreWait>) {
        for chain in self.scene.chains_of.get(&commands).cloned().unwrap_or_default() {
            if let Some(semaphore) = self.acquire_now(chain) {
                waits.push(SemaphoreWait {
                    semaphore,
                    value: None,
                    stages: vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT,
                });
            }
        }
    }

    fn chain_semaphores(&mut self, key: SwapchainKey) -> Option<(SemaphoreKey, SemaphoreKey)> {
        let chain = self.scene.swapchains.get(&key)?;
        let current = chain.current as usize;
        if let Some(pair) = chain.semaphores.get(current).copied().flatten() {
            return Some(pair);
        }
        let info = SemaphoreInfo { timeline: false, value: 0 };
        let mut make = || {
            let semaphore = SemaphoreKey(self.scene.fresh(Kind::Semaphore));
            self.scene.make(Call::Semaphore(semaphore, info), None);
            semaphore
        };
        let pair = (make(), make());
        let chain = self.scene.swapchains.get_mut(&key)?;
        *chain.semaphores.get_mut(current)? = Some(pair);
        Some(pair)
    }

    /// Acquires the next image of a swapchain without `acquire` lines; says what is signalled.
    fn acquire_now(&mut self, key: SwapchainKey) -> Option<SemaphoreKey> {
        let chain = self.scene.swapchains.get(&key)?;
        if chain.explicit || chain.acquired {
            return None;
        }
        let image = chain.current;
        let (signal, _) = self.chain_semaphores(key)?;
        self.scene.swapchains.get_mut(&key)?.acquired = true;
        let acquire = Acquire { swapchain: key, image, signal: Some(signal), fence: None };
        self.scene.make(Call::Acquire(acquire), None);
        Some(signal)
    }

    /// Submits the commands that stand outside `commands` blocks. Where that is for a present of
    /// a swapchain, returns the semaphore it signals.
    pub fn flush(&mut self, present: Option<SwapchainKey>) -> Done<Option<SemaphoreKey>> {
        self.take_made();
        let Some(rec) = self.rec.take() else {
            return Ok(None);
        };
        let line = rec.line;
        let before = std::mem::replace(&mut self.scene.line, line);
        let (key, recording) = self.complete(rec, None);
        let mut batch = Batch {
            commands: vec![Submitted { key, recording: Some(recording) }],
            ..Batch::default()
        };
        self.acquire_for(key, &mut batch.waits);
        let rendered = present.and_then(|chain| self.chain_semaphores(chain)).map(|pair| pair.1);
        batch.signals.extend(rendered.map(|semaphore| SemaphoreSignal { semaphore, value: None }));
        let queue = self.scene.default_queue();
        let submit = Submit { queue, batches: vec![batch], fence: None, version: 1 };
        self.scene.make(Call::Submit(Box::new(submit)), None);
        self.scene.line = before;
        self.take_made();
        Ok(rendered)
    }

    /// Adds a recorded command buffer.
    pub fn complete(
        &mut self,
        rec: super::record::Rec,
        name: Option<(CommandsKey, New, &Lexed)>,
    ) -> (CommandsKey, Arc<Recording>) {
        let recording = Arc::new(rec.recording);
        let used = std::mem::take(&mut self.scene.used_chains);
        let key = match &name {
            Some((key, ..)) => *key,
            None => CommandsKey(self.scene.fresh(Kind::Commands)),
        };
        self.scene.chains_of.insert(key, used);
        self.scene.recordings.insert(key, recording.clone());
        let call = Call::Commands(key, recording.clone());
        match name {
            Some((_, new, line)) => self.push(line, call, new),
            None => {
                self.scene.make(call, None);
                self.take_made();
            }
        }
        (key, recording)
    }
}

/// Ends a line that is no object.
fn end(mut row: Row) -> Done<New> {
    let mut failed: Option<W<vk::Result>> = None;
    row.maybe("result", &mut failed)?;
    let unknown = std::mem::take(&mut row.unknown);
    row.finish()?;
    Ok(New { failed: failed.map(|w| w.0), unknown, ..New::default() })
}

/// A host access to nothing.
pub(super) fn blank_host(verb: HostVerb) -> HostAccess {
    HostAccess {
        verb,
        object: Object { kind: Kind::Memory, key: 0 },
        index: 0,
        count: 1,
        wait: false,
        bytes: 0,
        took_ns: None,
    }
}
