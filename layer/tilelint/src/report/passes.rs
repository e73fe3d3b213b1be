//! Passes and what flows between them, for reports.

use std::collections::BTreeMap;

use ash::vk;

use super::build::hex;
use super::schema::*;
use crate::call::{ImageOrigin, Via};
use crate::model::{self, DeviceModel, End, Fate, Read, StepKind, StepRef, VariantCount};
use crate::profile::Profile;
use crate::rule::{Needs, aspect_word, load_word, store_word};
use crate::session::{PassLine, Session};
use crate::tiler;

type Line<'a> = (&'a PassLine, VariantCount);

/// Passes by key, in order of first execution. A key's figures are those of the variant that
/// occurred in most steady frames.
pub(super) fn passes(session: &Session) -> Vec<Pass> {
    let mut keys: Vec<(usize, u64)> = Vec::new();
    let mut variants: BTreeMap<(usize, u64), Vec<Line<'_>>> = BTreeMap::new();
    for line in session.passes() {
        let key = (line.0.device, line.0.pass.key);
        if !variants.contains_key(&key) {
            keys.push(key);
        }
        variants.entry(key).or_default().push(line);
    }
    let profiles = session.engine().profiles();
    let one = |(number, key): (usize, &(usize, u64))| {
        let lines = &variants[key];
        let main = main_variant(lines)?;
        Some(pass(number + 1, lines, main, &session.devices()[key.0], profiles))
    };
    keys.iter().enumerate().filter_map(one).collect()
}

fn main_variant<'a>(lines: &[Line<'a>]) -> Option<Line<'a>> {
    let weight = |(_, count): &&Line<'_>| (count.steady, count.frames, count.last);
    lines.iter().max_by_key(weight).copied()
}

fn pass(
    number: usize,
    lines: &[Line<'_>],
    (main, _): Line<'_>,
    device: &DeviceModel,
    profiles: &[Profile],
) -> Pass {
    let (pass, shape) = (&main.pass, &main.pass.shape);
    let last = lines.iter().map(|(_, count)| count.last).max().unwrap_or(0);
    let in_last = lines.iter().filter(|(_, count)| count.last == last);
    let seen = device.settings.seen;
    // Its draws decide what becomes of a pass.
    let has_draws = seen.has(Needs::DRAWS.and(Needs::PIPELINES));
    let tiler_shape = tiler::shape_of(pass).filter(|_| has_draws);
    let forecast = |profile: &Profile| {
        let shape = tiler_shape.as_ref()?;
        Some((profile.name.clone(), forecast(shape, profile, number)))
    };
    let (offset, extent) = (shape.area.offset, shape.area.extent);
    Pass {
        key: hex(pass.key),
        name: pass.name.to_string(),
        device: device.name.to_string(),
        labels: pass.labels.iter().map(ToString::to_string).collect(),
        via: match shape.via {
            Via::Rp1 => "rp1",
            Via::Rp2 => "rp2",
            Via::Dynamic => "dynamic",
        }
        .to_owned(),
        frames: lines.iter().map(|(_, count)| count.frames).max().unwrap_or(0),
        per_frame: in_last.map(|(_, count)| count.per_frame).sum(),
        steady: lines.iter().any(|(_, count)| count.steady != 0),
        extent: [shape.extent.width, shape.extent.height],
        area: [offset.x.into(), offset.y.into(), extent.width.into(), extent.height.into()],
        layers: shape.layers,
        views: shape.view_mask,
        subpasses: shape.subpasses.len(),
        draws: (!pass.unknown && seen.has(Needs::DRAWS)).then_some(pass.draw_count),
        attachments: shape.attachments.iter().map(|a| attachment(a, pass, device)).collect(),
        targets: profiles.iter().filter_map(forecast).collect(),
    }
}

fn forecast(shape: &tiler::PassShape, profile: &Profile, number: usize) -> Forecast {
    let forecast = tiler::forecast(shape, profile);
    Forecast {
        tile: forecast.tile,
        bins: forecast.bins,
        bytes_per_pixel: forecast.bytes_per_pixel,
        mode: forecast.mode.as_str().to_owned(),
        reason: forecast.reason.as_ref().map(ToString::to_string),
        stages: forecast.stages.iter().map(|stage| stage.as_str().to_owned()).collect(),
        surface: tiler::surface::line(shape, &forecast, number),
    }
}

fn attachment(
    attachment: &model::Attachment,
    pass: &model::Pass,
    device: &DeviceModel,
) -> Attachment {
    let all = &pass.shape.attachments;
    let target = attachment.resolves.last().and_then(|r| all.get(r.target as usize));
    let aspects = attachment.aspects.iter().enumerate().filter(|(_, ops)| ops.named);
    Attachment {
        slot: attachment.slot,
        image: attachment.image.as_ref().map(|image| image.name.text.to_string()),
        format: format!("{:?}", attachment.format),
        samples: attachment.samples,
        roles: attachment.roles.words().iter().map(|word| (*word).to_owned()).collect(),
        resolve: target.map(model::Attachment::name),
        memory: attachment.image.as_deref().and_then(memory).map(str::to_owned),
        aspects: aspects.map(|(plane, ops)| aspect(attachment, plane, ops, pass, device)).collect(),
    }
}

fn memory(image: &model::Image) -> Option<&'static str> {
    match image.info.origin {
        ImageOrigin::Swapchain => return Some("swapchain"),
        ImageOrigin::Xr => return Some("xr"),
        ImageOrigin::TileMemory => return Some("tile"),
        ImageOrigin::Application => {}
    }
    let placement = &image.placement;
    if placement.external {
        return Some("external");
    }
    let flags = placement.flags?;
    if flags.contains(vk::MemoryPropertyFlags::LAZILY_ALLOCATED) {
        Some("lazy")
    } else if flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL) {
        Some("device")
    } else {
        Some("host")
    }
}

fn aspect(
    attachment: &model::Attachment,
    plane: usize,
    ops: &model::AspectOps,
    pass: &model::Pass,
    device: &DeviceModel,
) -> AspectOps {
    let (content, next) = content(attachment, plane, ops, pass, device);
    let word = |word: &str| (word != "?").then(|| word.to_owned());
    AspectOps {
        aspect: aspect_word(ops.aspect).to_owned(),
        load: word(load_word(ops.load)),
        store: word(store_word(ops.store)),
        load_bytes: pass.shape.load_bytes(attachment, ops),
        store_bytes: pass.shape.store_bytes(attachment, ops),
        content: content.map(str::to_owned),
        next,
    }
}

/// What becomes of the content after the pass, as far as it is known.
fn content(
    attachment: &model::Attachment,
    plane: usize,
    ops: &model::AspectOps,
    pass: &model::Pass,
    device: &DeviceModel,
) -> (Option<&'static str>, Option<String>) {
    if ops.store == Some(vk::AttachmentStoreOp::DONT_CARE) {
        return (Some("dead"), None);
    }
    let always = attachment.image.as_ref().and_then(|image| device.always_live(image.id));
    if always.is_some() {
        return (Some("live"), None);
    }
    let store = pass.aspect(attachment.slot, plane).and_then(|facts| facts.store);
    match store.map(|key| device.fate(key)) {
        Some(Fate::Live(reads)) => {
            let first = reads.first();
            (Some("live"), first.map(|(read, by)| format!("{} by {}", read.word(), step(by))))
        }
        Some(Fate::Dead { end, by, .. }) if device.settings.seen.has(Needs::CONTENTS) => {
            (Some("dead"), Some(format!("{} by {}", end_word(end), step(&by))))
        }
        _ => (None, None),
    }
}

fn step(step: &StepRef) -> String {
    match step.what {
        StepKind::Pass => format!("pass `{}`", step.name),
        StepKind::Copy => "a copy".to_owned(),
        StepKind::Blit => "a blit".to_owned(),
        StepKind::Resolve => "a resolve command".to_owned(),
        StepKind::Clear => "a clear command".to_owned(),
        StepKind::Dispatch => "a dispatch".to_owned(),
        StepKind::Barrier => "a barrier".to_owned(),
        StepKind::Present => "a present".to_owned(),
        StepKind::Host => "the host".to_owned(),
        StepKind::Opaque => "a command that is not understood".to_owned(),
        StepKind::Query => "a query".to_owned(),
        StepKind::Event => "an event".to_owned(),
        StepKind::Submit => "a submission".to_owned(),
        StepKind::Destroy => "the end of its image".to_owned(),
    }
}

fn end_word(end: End) -> &'static str {
    match end {
        End::Cleared => "cleared",
        End::Discarded | End::Transition => "discarded",
        End::Resolved => "resolved over",
        End::Overwritten => "overwritten",
        End::Aliased => "lost to other contents of its memory",
        End::Destroyed => "ended",
    }
}

fn read_word(read: Read) -> &'static str {
    match read {
        Read::Load => "loaded",
        Read::Input => "input",
        Read::Sampled => "sampled",
        Read::Storage => "storage",
        Read::Copy => "copied",
        Read::Blit => "blitted",
        Read::Resolve => "resolved",
        Read::Present => "presented",
        Read::Host => "host",
        Read::External => "external",
        Read::Perhaps => "perhaps",
    }
}

/// Contents that one pass stores and another reads, sorted.
pub(super) fn edges(session: &Session) -> Vec<Edge> {
    let lines = session.passes();
    let mut edges: Vec<Edge> = Vec::new();
    for (line, _) in &lines {
        let (pass, device) = (&line.pass, &session.devices()[line.device]);
        for attachment in &pass.shape.attachments {
            for (plane, ops) in attachment.aspects.iter().enumerate() {
                let store = pass.aspect(attachment.slot, plane).and_then(|facts| facts.store);
                let Some(Fate::Live(reads)) = store.map(|key| device.fate(key)) else { continue };
                for (read, by) in reads {
                    let Some(reader) = reader(&lines, line.device, &by) else { continue };
                    let edge = Edge {
                        from: hex(pass.key),
                        to: hex(reader.key),
                        image: attachment.name(),
                        aspect: aspect_word(ops.aspect).to_owned(),
                        how: read_word(read).to_owned(),
                        bytes: pass.shape.store_bytes(attachment, ops),
                        across_frames: reader.step.index <= pass.step.index,
                    };
                    if !edges.contains(&edge) {
                        edges.push(edge);
                    }
                }
            }
        }
    }
    let key = |e: &Edge| (e.from.clone(), e.to.clone(), e.image.clone(), e.aspect.clone());
    edges.sort_by_key(|edge| (key(edge), edge.how.clone(), edge.bytes));
    edges
}

/// The pass of a step, where its name tells which one it is.
fn reader<'a>(lines: &[Line<'a>], device: usize, step: &StepRef) -> Option<&'a model::Pass> {
    let named = lines.iter().map(|(line, _)| *line).filter(|line| {
        step.what == StepKind::Pass && line.device == device && line.pass.name == step.name
    });
    let mut found: Option<&model::Pass> = None;
    for line in named {
        if found.is_some_and(|other| other.key != line.pass.key) {
            return None;
        }
        found = found.or(Some(&line.pass));
    }
    found
}
