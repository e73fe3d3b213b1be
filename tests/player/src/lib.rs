//! Plays a listing as real Vulkan calls on whatever driver the Vulkan loader finds.
//!
//! Every entry is the call it names, in order. What is added is only what the API demands around
//! them: instance and device, pools, memory for images declared with a kind of memory, viewports
//! of pipelines whose viewport is dynamic and was not set, index and indirect buffers of draws
//! that name none.

mod barriers;
mod begin;
mod descriptors;
mod destroy;
mod draw;
mod error;
mod features;
mod form;
mod framebuffers;
mod gpu;
mod layouts;
mod memory;
mod needs;
mod objects;
mod passes;
mod pipelines;
mod player;
mod queue;
mod record;
mod states;
mod transfer;
mod uses;
mod window;

pub mod spirv;

use std::path::PathBuf;

use ash::vk;
use tilelint::call::{Call, DeviceKey, Entry, Via};

use error::Done;
pub use error::Error;
use gpu::{Gpu, Host};
use needs::Needs;
use player::Player;

/// How a listing is to be played.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Physical device, by its place among those that the loader finds.
    pub device: usize,
    /// Folder of the listing: shaders are looked for from there.
    pub folder: PathBuf,
    /// Form of all passes; as the listing says where `None`.
    pub form: Option<Via>,
}

/// The devices of a listing, in order of their first call.
fn devices(entries: &[Entry]) -> Vec<DeviceKey> {
    let mut keys = Vec::new();
    for entry in entries {
        if !keys.contains(&entry.device) {
            keys.push(entry.device);
        }
    }
    keys
}

/// Plays the calls of a listing, and destroys what they made.
///
/// # Errors
///
/// [`Error::Lacks`] with the names of what the driver lacks; other errors where a call failed that
/// was not to fail, or a call cannot be played.
pub fn play(entries: &[Entry], options: &Options) -> Done {
    let rewritten = options.form.map(|via| form::rewrite(entries, via)).transpose()?;
    let entries = rewritten.as_deref().unwrap_or(entries);
    let keys = devices(entries);
    let needs: Vec<Needs> = keys.iter().map(|key| Needs::of(entries, *key)).collect();
    let api = needs.iter().map(|n| n.api).max().unwrap_or(vk::API_VERSION_1_3);
    let surface = needs.iter().any(|n| n.surface);
    let host = Host::new(api, surface, options.device)?;
    let mut players = Vec::new();
    let played = open(&host, entries, &keys, options, &mut players)
        .and_then(|()| run(entries, &mut players));
    for player in players {
        player.finish();
    }
    host.destroy();
    played
}

/// Makes all devices.
fn open<'p>(
    host: &'p Host,
    entries: &'p [Entry],
    keys: &[DeviceKey],
    options: &'p Options,
    players: &mut Vec<Player<'p>>,
) -> Done {
    for key in keys {
        let lacks = memory::lacking(host, entries, *key);
        let gpu = Gpu::new(host, entries, *key, lacks)?;
        players.push(Player::new(host, gpu, *key, entries, &options.folder));
    }
    Ok(())
}

fn run(entries: &[Entry], players: &mut [Player]) -> Done {
    for (at, entry) in entries.iter().enumerate() {
        // A device that is destroyed ends with the player; nothing may follow.
        if matches!(&entry.call, Call::Destroy(o) if o.kind == tilelint::call::Kind::Device) {
            continue;
        }
        if let Some(player) = players.iter_mut().find(|p| p.key == entry.device) {
            player.play(at, entry)?;
        }
    }
    Ok(())
}
