//! Submissions in execution order: batches run once the semaphores they wait for are signalled.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ash::vk;
use rustc_hash::{FxHashMap, FxHasher};

use super::awaited::{Awaited, Batched, Signals};
use super::device::DeviceModel;
use super::frame::{Frame, HostStep, Step, SubmitFacts};
use super::timeline::{Content, Read, StepKind};
use super::walk::Walk;
use crate::call::*;

/// Batches that wait at most; more are run in order of submission.
const MAX_PENDING: usize = 1024;
/// Label regions open on a queue at most; of more, the outermost are lost.
const MAX_LABELS: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Semaphore {
    timeline: bool,
    value: u64,
    signalled: bool,
}

/// A batch that waits for a semaphore.
#[derive(Debug)]
struct Pending {
    queue: QueueKey,
    batch: Batch,
    fence: Option<FenceKey>,
    call: u32,
    index: u32,
    version: u8,
    line: Line,
}

/// Queues, semaphores and batches that wait.
#[derive(Debug, Default)]
pub struct Queues {
    queues: FxHashMap<QueueKey, QueueInfo>,
    semaphores: FxHashMap<SemaphoreKey, Semaphore>,
    pending: Vec<Pending>,
    /// What the host may wait for.
    pub signals: Signals,
    /// Label regions open on each queue.
    pub labels: FxHashMap<QueueKey, Vec<Arc<str>>>,
}

impl Queues {
    /// Number of queues, semaphores, batches that wait and labels, and of what is signalled.
    pub fn len(&self) -> usize {
        let labels: usize = self.labels.values().map(Vec::len).sum();
        self.queues.len() + self.semaphores.len() + self.pending.len() + labels + self.signals.len()
    }

    /// Adds a queue.
    pub fn add(&mut self, key: QueueKey, info: QueueInfo) {
        self.queues.insert(key, info);
    }

    /// Calls are missing: what is signalled is not known any more, so nothing waits.
    fn skip(&mut self) {
        self.semaphores.clear();
        self.pending.clear();
        self.signals.forget_all();
        self.labels.clear();
    }

    /// A semaphore is destroyed.
    pub fn forget_semaphore(&mut self, key: SemaphoreKey) {
        self.semaphores.remove(&key);
    }

    fn satisfied(&self, wait: &SemaphoreWait) -> bool {
        match self.semaphores.get(&wait.semaphore) {
            Some(s) if s.timeline => s.value >= wait.value.unwrap_or(0),
            Some(s) => s.signalled,
            // Imported or made before the layer saw it.
            None => true,
        }
    }

    fn consume(&mut self, waits: &[SemaphoreWait]) {
        for wait in waits {
            if let Some(s) = self.semaphores.get_mut(&wait.semaphore)
                && !s.timeline
            {
                s.signalled = false;
            }
        }
    }

    fn signal(&mut self, key: SemaphoreKey, value: Option<u64>) {
        if let Some(s) = self.semaphores.get_mut(&key) {
            s.signalled = true;
            s.value = s.value.max(value.unwrap_or(0));
        }
    }

    /// Takes the next batch that may run; `force` takes the first of all.
    fn next(&mut self, force: bool) -> Option<Pending> {
        let ready = self.pending.iter().enumerate().position(|(index, pending)| {
            let first = !self.pending[..index].iter().any(|p| p.queue == pending.queue);
            first && pending.batch.waits.iter().all(|wait| self.satisfied(wait))
        });
        match ready {
            Some(index) => Some(self.pending.remove(index)),
            None if force && !self.pending.is_empty() => Some(self.pending.remove(0)),
            None => None,
        }
    }
}

impl DeviceModel {
    /// Applies a call that concerns queues, presentation, waits and frames.
    pub(super) fn apply_queue(&mut self, entry: &Entry) -> Option<Frame> {
        match &entry.call {
            Call::Semaphore(key, info) => {
                let semaphore =
                    Semaphore { timeline: info.timeline, value: info.value, signalled: false };
                self.queues.semaphores.insert(*key, semaphore);
            }
            Call::Submit(submit) => return self.submit(submit, entry.line),
            Call::Acquire(acquire) => {
                self.acquired(acquire, entry.line);
                if let Some(semaphore) = acquire.signal {
                    self.queues.signal(semaphore, None);
                    self.run_pending(false);
                }
            }
            Call::Present(present) => return self.present(present, entry.line),
            Call::Signal(semaphore, value) => {
                self.queues.signal(*semaphore, Some(*value));
                self.run_pending(false);
            }
            Call::WaitIdle(wait) => {
                self.run_pending(true);
                self.host_step(HostStep::WaitIdle(*wait), entry.line);
            }
            Call::Wait(wait) => {
                self.waited(wait);
                let index = self.host_step(HostStep::Wait(Wait::clone(wait)), entry.line);
                for submit in self.queues.signals.waited(wait) {
                    self.frames.awaited(Awaited { wait: index, submit });
                }
            }
            Call::QueueLabel { queue, text } => {
                let labels = self.queues.labels.entry(*queue).or_default();
                match text {
                    Some(text) => {
                        if labels.len() >= MAX_LABELS {
                            labels.remove(0);
                        }
                        labels.push(Arc::from(&**text));
                    }
                    None => {
                        labels.pop();
                    }
                }
            }
            Call::Frame { by, time_ns } if self.frames.line_ends(*by) => {
                if time_ns.is_some() {
                    self.frames.took(*time_ns);
                }
                return Some(self.end_frame(*by));
            }
            _ => {}
        }
        None
    }

    fn submit(&mut self, submit: &Submit, line: Line) -> Option<Frame> {
        let swapchains = !self.swapchains.is_empty();
        let asks = self.frames.asks_for_structure(swapchains);
        let structure = if asks { self.structure(submit) } else { None };
        let mut frame = None;
        if let Some(structure) = structure
            && self.frames.submit_ends(structure, swapchains)
        {
            frame = Some(self.end_frame(FrameBoundary::Submits));
            self.frames.submit_ends(structure, swapchains);
        }
        let mut boundary = None;
        let last = submit.batches.len().saturating_sub(1);
        let call = self.frames.next_submit();
        for (index, batch) in submit.batches.iter().enumerate() {
            if batch.frame_end {
                boundary = Some(FrameBoundary::Boundary);
            }
            let fence = if index == last { submit.fence } else { None };
            self.queues.pending.push(Pending {
                queue: submit.queue,
                batch: batch.clone(),
                fence,
                call,
                index: index as u32,
                version: submit.version,
                line,
            });
        }
        if self.run_pending(self.queues.pending.len() > MAX_PENDING) {
            boundary.get_or_insert(FrameBoundary::Label);
        }
        match boundary {
            Some(by) if self.frames.ends(by) => Some(self.end_frame(by)),
            _ => frame,
        }
    }

    /// Runs what may run; returns whether an XR runtime's label ended a frame.
    fn run_pending(&mut self, force: bool) -> bool {
        let mut ended = false;
        while let Some(pending) = self.queues.next(force) {
            self.queues.consume(&pending.batch.waits);
            self.submit_step(&pending);
            let mut walk = Walk::new(pending.queue);
            for submitted in &pending.batch.commands {
                let (name, held) = self.commands_slot(submitted.key, None);
                let name = Arc::clone(name);
                let recording = submitted.recording.clone().or_else(|| held.clone());
                match recording {
                    Some(recording) => self.run_commands(&mut walk, &recording, name),
                    None => self.forget_all(),
                }
            }
            ended |= walk.frame_end;
            for signal in &pending.batch.signals {
                self.queues.signal(signal.semaphore, signal.value);
            }
        }
        ended
    }

    fn submit_step(&mut self, pending: &Pending) {
        let step = self.frames.step(StepKind::Submit, "submit".into(), pending.line);
        let facts = SubmitFacts {
            queue: pending.queue,
            family: self.queues.queues.get(&pending.queue).copied().unwrap_or_default(),
            call: pending.call,
            batch: pending.index,
            command_buffers: pending.batch.commands.len() as u32,
            waits: pending.batch.waits.clone(),
            signals: pending.batch.signals.clone(),
            fence: pending.fence,
            frame_end: pending.batch.frame_end,
            version: pending.version,
            line: pending.line,
        };
        let ordinal = self.frames.batches(pending.queue);
        let batch = Batched { step: Arc::clone(&step), queue: pending.queue, ordinal };
        self.queues.signals.submitted(pending.fence, &pending.batch.signals, &batch);
        self.frames.push(Step::Submit { step, facts: Box::new(facts) });
    }

    /// Adds what the host did; returns its position in the frame.
    pub(super) fn host_step(&mut self, what: HostStep, line: Line) -> u32 {
        let step = self.frames.step(StepKind::Host, "host".into(), line);
        let index = step.index;
        self.frames.push(Step::Host { step, what: Box::new(what) });
        index
    }

    fn acquired(&mut self, acquire: &Acquire, line: Line) {
        let swapchain = self.swapchains.get(acquire.swapchain.0);
        let image = swapchain.and_then(|s| s.images.get(acquire.image as usize)).copied();
        if let Some(image) = image {
            self.host_step(HostStep::Acquire(*acquire, image), line);
        }
    }

    fn waited(&mut self, wait: &Wait) {
        // What the host waited for has run: so have the batches before it on its queue.
        if wait.any {
            return;
        }
        for fence in &wait.fences {
            let position = self.queues.pending.iter().position(|p| p.fence == Some(*fence));
            let Some(position) = position else { continue };
            let queue = self.queues.pending[position].queue;
            let before = self.queues.pending[..=position].iter().filter(|p| p.queue == queue);
            let waits: Vec<SemaphoreWait> = before.flat_map(|p| p.batch.waits.clone()).collect();
            for wait in waits {
                self.queues.signal(wait.semaphore, wait.value);
            }
            self.run_pending(false);
        }
    }

    fn present(&mut self, present: &Present, line: Line) -> Option<Frame> {
        let waits: Vec<SemaphoreWait> = present
            .waits
            .iter()
            .map(|semaphore| SemaphoreWait {
                semaphore: *semaphore,
                value: None,
                stages: vk::PipelineStageFlags2::empty(),
            })
            .collect();
        self.queues.consume(&waits);
        let suboptimal = present.result == vk::Result::SUBOPTIMAL_KHR;
        let mut image = None;
        if let Some(swapchain) = self.swapchains.get_mut(present.swapchain.0) {
            swapchain.suboptimal = if suboptimal { swapchain.suboptimal + 1 } else { 0 };
            image = swapchain.images.get(present.image as usize).copied();
        }
        if let Some(image) = image {
            let step = self.frames.step(StepKind::Present, "present".into(), line);
            let range = SubresourceRange::ALL;
            let content = self.contents.images.get(&image).map(|tracked| tracked.content(&range));
            self.contents.read(image, &range, Read::Present, &step);
            let content = content.unwrap_or(Content::UNKNOWN);
            let (swapchain, result) = (present.swapchain, present.result);
            self.frames.push(Step::Present { step, image, content, swapchain, result });
        }
        if present.time_ns.is_some() {
            self.frames.took(present.time_ns);
        }
        if self.frames.present_ends(present.swapchain) {
            return Some(self.end_frame(FrameBoundary::Present));
        }
        None
    }

    fn end_frame(&mut self, by: FrameBoundary) -> Frame {
        let frame = self.frames.end(by, &mut self.variants);
        self.settle();
        Frame { forgotten: self.forget_variants(), ..frame }
    }

    /// Enters what became of stores into the ledger, as far as their frames are over.
    pub(super) fn settle(&mut self) {
        for (key, read, step) in self.contents.stores.newly_read.drain(..) {
            self.ledger.read(key, read, &step);
        }
        let current = self.frames.index();
        let ended = std::mem::take(&mut self.contents.stores.ended);
        for record in ended {
            let over = record.frame < current
                && record.end.as_ref().is_none_or(|(_, step)| step.frame < current);
            if over {
                let frames = &self.frames;
                self.ledger.end(&record, |frame| frames.was_steady(frame));
            } else {
                self.contents.stores.ended.push(record);
            }
        }
        if current.is_multiple_of(256) {
            let touches = &self.touches;
            let is_remembered = |variant| touches.contains_key(&variant);
            self.ledger.forget_before(current.saturating_sub(1024), is_remembered);
        }
    }

    pub(super) fn finish(&mut self) -> Option<Frame> {
        if !self.is_alive() && self.frames.index() == self.settings.first_frame {
            return None;
        }
        self.run_pending(true);
        self.frames.last_is_whole().then(|| self.end_frame(FrameBoundary::Submits))
    }

    /// Frames are missing, this one among them.
    pub(super) fn skip(&mut self, frames: u64) {
        self.queues.skip();
        self.suspended.clear();
        self.forget_all();
        self.frames.skip(frames);
        self.settle();
    }

    /// What a frame that nothing ends held so far is dropped.
    pub(super) fn cut_if_endless(&mut self) {
        if self.frames.is_endless() {
            self.suspended.clear();
            self.forget_all();
            self.frames.cut();
            self.settle();
            // Stores of what was dropped, which a frame without end would gather.
            let current = self.frames.index();
            self.contents.stores.ended.retain(|record| record.frame < current);
        }
    }

    /// Something unknown ran: no content is known any more.
    pub(super) fn forget_all(&mut self) {
        let ids: Vec<_> = self.contents.images.keys().copied().collect();
        for id in ids {
            self.contents.forget(id);
        }
    }

    /// Structure of the passes of a submission; `None` without passes.
    fn structure(&self, submit: &Submit) -> Option<u64> {
        let mut hasher = FxHasher::default();
        let mut passes = 0u32;
        for submitted in submit.batches.iter().flat_map(|batch| &batch.commands) {
            let held = self.commands.get(submitted.key.0).and_then(|(_, held)| held.as_ref());
            let Some(recording) = submitted.recording.as_ref().or(held) else { continue };
            for command in &recording.commands {
                let Command::BeginPass(begin) = command else { continue };
                passes += 1;
                match &begin.target {
                    PassTarget::Object { render_pass, .. } => {
                        // Some programs make their render passes anew each frame.
                        let Some(made) = self.render_passes.get(render_pass.0) else { continue };
                        made.info.subpasses.len().hash(&mut hasher);
                        for a in &made.info.attachments {
                            (a.format, a.samples, a.load, a.store).hash(&mut hasher);
                            (a.stencil_load, a.stencil_store).hash(&mut hasher);
                            (a.initial, a.final_).hash(&mut hasher);
                        }
                    }
                    PassTarget::Dynamic(rendering) => {
                        for attachment in &rendering.attachments {
                            let view = attachment.view.and_then(|view| self.views.get(view.0));
                            attachment.role.hash(&mut hasher);
                            view.map(|view| view.format).hash(&mut hasher);
                            attachment.load.hash(&mut hasher);
                            attachment.store.hash(&mut hasher);
                        }
                    }
                }
            }
        }
        (passes > 0).then(|| hasher.finish())
    }
}
