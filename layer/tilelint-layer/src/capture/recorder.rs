//! The private recording of a command buffer. Only the thread that records it touches it.

use super::spares::SharedSpares;
use super::text;
use crate::ffi::read::View;
use crate::session::Sink;
use ash::vk::{self, Handle};
use std::ffi::CStr;
use std::sync::Arc;
use tilelint::call::{
    Call, Command, CommandsKey, DeviceKey, Entry, FramebufferKey, Label, Opaque, Recording,
    RenderPassKey,
};

/// Commands kept of one command buffer; what follows is counted.
const COMMAND_LIMIT: usize = 1 << 20;

/// What is recorded into a command buffer.
pub(crate) struct Recorder {
    device: DeviceKey,
    key: CommandsKey,
    is_secondary: bool,
    sink: Arc<Sink>,
    /// What is being recorded.
    pub(super) recording: Recording,
    /// What was recorded, once complete.
    finished: Option<Arc<Recording>>,
    /// Memory of recordings that are gone.
    spares: Arc<SharedSpares>,
    /// Commands of the last recording: the next may well have as many.
    last_len: usize,
    /// Words of its lists.
    last_words: usize,
    /// The last viewport, or scissor, was one that [`Recorder::set_viewports`] cannot say whole.
    pub(super) odd_viewport: bool,
    pub(super) odd_scissor: bool,
}

impl Recorder {
    pub(super) fn new(
        device: DeviceKey,
        key: CommandsKey,
        is_secondary: bool,
        sink: Arc<Sink>,
        spares: Arc<SharedSpares>,
    ) -> Recorder {
        let recording = Recording::with_limit(COMMAND_LIMIT);
        Recorder {
            device,
            key,
            is_secondary,
            sink,
            recording,
            finished: None,
            spares,
            last_len: 0,
            last_words: 0,
            odd_viewport: false,
            odd_scissor: false,
        }
    }

    /// What the command buffer holds, if its recording was seen to its end.
    pub(crate) fn finished(&self) -> Option<&Arc<Recording>> {
        self.finished.as_ref()
    }

    /// `vkBeginCommandBuffer`.
    pub(crate) fn begin(&mut self, info: View<'_, vk::CommandBufferBeginInfo<'_>>) {
        if let Some(finished) = self.finished.take()
            && let Ok(recording) = Arc::try_unwrap(finished)
        {
            self.recording = recording;
        }
        (self.odd_viewport, self.odd_scissor) = (false, false);
        self.recording.clear();
        if self.recording.is_bare() {
            let home = Arc::clone(&self.spares);
            let memory = home.take(self.key, self.last_len, self.last_words);
            self.recording.borrow(memory, home);
        }
        self.recording.secondary = self.is_secondary;
        self.recording.usage = info.flags;
        if let Some(inheritance) = info.inheritance(self.is_secondary) {
            self.inherit(info.flags, inheritance);
        }
    }

    /// What a secondary command buffer inherits; its members are ignored unless it continues a
    /// pass.
    fn inherit(
        &mut self,
        flags: vk::CommandBufferUsageFlags,
        info: View<'_, vk::CommandBufferInheritanceInfo<'_>>,
    ) {
        if !flags.contains(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE) {
            return;
        }
        let pass = (!info.render_pass.is_null()).then(|| RenderPassKey(info.render_pass.as_raw()));
        let framebuffer =
            (!info.framebuffer.is_null()).then(|| FramebufferKey(info.framebuffer.as_raw()));
        let subpass = if pass.is_some() { info.subpass } else { 0 };
        self.recording.inherits = Some((pass, subpass, framebuffer));
        if pass.is_some() {
            return;
        }
        if let Some(rendering) = info.next::<vk::CommandBufferInheritanceRenderingInfo<'_>>() {
            self.recording.inherited_formats = rendering.formats().as_slice().to_vec();
            self.recording.inherited_formats.push(rendering.depth_attachment_format);
            self.recording.inherited_formats.push(rendering.stencil_attachment_format);
            self.recording.inherited_samples = rendering.rasterization_samples.as_raw();
            self.recording.inherited_views = rendering.view_mask;
        }
    }

    /// `vkEndCommandBuffer`.
    pub(crate) fn end(&mut self) {
        let empty = Recording::with_limit(COMMAND_LIMIT);
        self.last_len = self.recording.commands.len();
        self.last_words = self.recording.n_words();
        let recording = Arc::new(std::mem::replace(&mut self.recording, empty));
        self.finished = Some(Arc::clone(&recording));
        self.emit(Call::Commands(self.key, recording));
    }

    /// `vkResetCommandBuffer`, also through its pool.
    pub(crate) fn reset(&mut self) {
        if self.finished.take().is_some() {
            self.emit(Call::Reset(self.key));
        }
        self.recording.clear();
    }

    fn emit(&self, call: Call) {
        self.sink.push(Entry::new(self.device, call));
    }

    #[inline]
    pub(super) fn push(&mut self, command: Command) {
        self.recording.push(command);
    }

    /// A label region begins.
    pub(crate) fn label_begin(&mut self, name: Option<&CStr>) {
        self.push(Command::Label(Label::Begin(text(name))));
    }

    /// A label region ends.
    pub(crate) fn label_end(&mut self) {
        self.push(Command::Label(Label::End));
    }

    /// A single label.
    pub(crate) fn label(&mut self, name: Option<&CStr>) {
        self.push(Command::Label(Label::Insert(text(name))));
    }

    /// A command that is not understood and may touch any image and buffer.
    pub(crate) fn opaque(&mut self, name: &str) {
        self.push(Command::Opaque(Box::new(Opaque {
            name: name.into(),
            images: None,
            buffers: None,
        })));
    }
}
