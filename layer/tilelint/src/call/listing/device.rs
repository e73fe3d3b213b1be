//! The header, devices, memory types and queues.

use ash::vk;

use super::Header;
use super::row::{Done, Row};
use super::scene::Scene;
use super::value::{Bad, Bytes, Hex, Plain, Read, Value};
use crate::call::*;

/// A version of the API: `1.3`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Api(u32);

impl Value for Api {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        if text == "0" {
            return Ok(Self(0));
        }
        let mut parts = [0; 3];
        let given: Vec<&str> = text.split('.').collect();
        if !(2..=3).contains(&given.len()) {
            return Err(Bad::new(format!("{text:?} is not a version (as 1.3)")));
        }
        for (part, text) in parts.iter_mut().zip(given) {
            *part = u32::read(text, scene)?;
        }
        if parts[0] > 127 || parts[1] > 1023 || parts[2] > 4095 {
            return Err(Bad::new("no such version can be"));
        }
        Ok(Self(vk::make_api_version(0, parts[0], parts[1], parts[2])))
    }

    fn write(&self, _: &mut Scene) -> String {
        let api = self.0;
        let (major, minor) = (vk::api_version_major(api), vk::api_version_minor(api));
        match (api, vk::api_version_patch(api)) {
            (0, _) => "0".to_owned(),
            (_, 0) => format!("{major}.{minor}"),
            (_, patch) => format!("{major}.{minor}.{patch}"),
        }
    }
}

fn names(row: &mut Row, key: &'static str, list: &mut Vec<Box<str>>) -> Done {
    let to = |l: &Vec<Box<str>>| l.iter().cloned().map(Plain).collect::<Vec<_>>();
    row.with(key, list, Some(Vec::new()), to, |l| l.into_iter().map(|p| p.0).collect())
}

/// `device`, behind its name.
pub(super) fn device(row: &mut Row, info: &mut DeviceInfo) -> Done {
    let api = vk::API_VERSION_1_3;
    row.with("api", &mut info.api, Some(api), |a| Api(*a), |a| a.0)?;
    row.with("vendor", &mut info.vendor, Some(0), |v| Hex(u64::from(*v)), |h| h.0 as u32)?;
    row.with("id", &mut info.id, Some(0), |v| Hex(u64::from(*v)), |h| h.0 as u32)?;
    row.opt("name", &mut info.name, "".into())?;
    names(row, "extensions", &mut info.extensions)?;
    names(row, "features", &mut info.features)
}

/// `memory-type`, behind its index.
pub(super) fn memory_type(
    row: &mut Row,
    flags: &mut vk::MemoryPropertyFlags,
    heap_size: &mut u64,
) -> Done {
    row.f("flags", flags, None)?;
    row.with("heap_size", heap_size, Some(0), |s| Bytes(*s), |b| b.0)
}

/// What a queue can do where nothing is said.
pub(super) fn all_queue_flags() -> vk::QueueFlags {
    vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER
}

/// `queue`.
pub(super) fn queue(row: &mut Row, info: &mut QueueInfo) -> Done {
    row.opt("family", &mut info.family, 0)?;
    row.f("flags", &mut info.flags, Some(all_queue_flags()))
}

/// `calls`.
pub(super) fn header(row: &mut Row, header: &mut Header, in_page: bool) -> Done {
    row.key("version", &mut header.version, in_page.then_some(1))?;
    let to = |l: &Vec<String>| l.iter().map(|t| Plain(t.as_str().into())).collect::<Vec<_>>();
    let targets = Some(super::DEFAULT_TARGETS.map(str::to_owned).to_vec());
    let from = |l: Vec<Plain>| l.into_iter().map(|p| p.0.into()).collect();
    row.with("targets", &mut header.targets, targets, to, from)?;
    row.opt("first_frame", &mut header.first_frame, 0)?;
    row.opt("excerpt", &mut header.excerpt, false)
}

/// The implicit device: what a listing without a `device` line runs on.
pub(super) fn implicit_device() -> DeviceInfo {
    DeviceInfo { api: vk::API_VERSION_1_3, ..DeviceInfo::default() }
}

/// Memory types of the implicit device.
pub(super) fn implicit_types() -> [vk::MemoryPropertyFlags; 3] {
    use vk::MemoryPropertyFlags as P;
    [P::DEVICE_LOCAL, P::HOST_VISIBLE | P::HOST_COHERENT, P::DEVICE_LOCAL | P::LAZILY_ALLOCATED]
}
