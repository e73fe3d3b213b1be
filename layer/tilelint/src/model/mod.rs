//! What is true after the calls: objects, passes, submissions, frames, and what is known of the
//! content of each subresource aspect.
//!
//! [`Model::apply`] is the only way to change it. Keys are resolved to objects when a submission
//! is applied: the calls arrive in their order, so every object a command buffer uses is alive
//! then.

mod awaited;
mod commands;
mod create;
mod device;
mod effect;
mod formed;
mod frame;
mod frame_shape;
mod frame_steps;
mod frames;
mod keys;
mod ledger;
mod names;
mod objects;
mod open_pass;
mod pass;
mod pass_form;
mod places;
mod queues;
mod range;
mod removals;
mod run_pass;
mod sets;
mod sizes;
mod timeline;
mod track;
mod variants;
mod walk;

pub use awaited::{Awaited, Batched};
pub use device::{AlwaysLive, DeviceModel, ImageUse, Settings, Swapchain};
pub use frame::{
    AspectFacts, BarrierFacts, ClearFacts, DrawFacts, Effect, FirstUse, Frame, HostStep, ImageRead,
    Pass, QueryFacts, Ran, Step, SubmitFacts, TransferStep,
};
pub use ledger::Fate;
pub use names::Buffer;
pub use objects::{Image, ImageId, Name, Pipeline, Placement, RenderPass, Table, View, aspects_in};
pub use pass::{
    AspectOps, Attachment, AttachmentRange, PassShape, ResolveUse, Roles, Unresolved,
    without_digits,
};
pub use range::FrameRange;
pub use removals::Removals;
pub use timeline::{
    Content, End, Read, State, StepKind, StepRef, StoreKey, Undefined, Writer, contains, overlaps,
};
pub use variants::{KEPT_FRAMES, MAX_VARIANTS, VariantCount};

use crate::call::{Call, DeviceKey, Entry};

/// All devices of a program.
#[derive(Debug, Default)]
pub struct Model {
    settings: Settings,
    devices: Vec<DeviceModel>,
    made: u32,
}

impl Model {
    /// Returns an empty model.
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Applies a call. Returns the frames that it completed, with the index of their device.
    pub fn apply(&mut self, entry: &Entry) -> Option<(usize, Frame)> {
        if let Call::Device(info) = &entry.call {
            if entry.failed.is_none() {
                let name = entry.name.as_deref();
                let device = DeviceModel::new(entry.device, info, name, self.made, self.settings);
                self.made += 1;
                self.devices.push(device);
            }
            return None;
        }
        let index = self.index(entry.device)?;
        let device = &mut self.devices[index];
        let frame = device.apply(entry);
        if frame.is_none() {
            device.cut_if_endless();
        }
        Some((index, frame?))
    }

    /// Frames of a device are missing, the one that was begun among them: no content is known any
    /// more, and no submission is on its way.
    pub fn skip(&mut self, device: DeviceKey, frames: u64) {
        if let Some(index) = self.index(device) {
            self.devices[index].skip(frames);
        }
    }

    /// Ends what can be ended when no more calls come: returns last frames by device.
    pub fn finish(&mut self) -> Vec<(usize, Frame)> {
        let devices = self.devices.iter_mut().enumerate();
        devices.filter_map(|(index, device)| Some((index, device.finish()?))).collect()
    }

    /// All devices, in order of creation; destroyed ones too.
    pub fn devices(&self) -> &[DeviceModel] {
        &self.devices
    }

    fn index(&self, key: DeviceKey) -> Option<usize> {
        self.devices.iter().rposition(|device| device.key() == key && device.is_alive())
    }
}
