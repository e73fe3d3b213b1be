//! Execution of a pass: its loads, its draws' accesses, its resolves and stores.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashSet;

use super::device::{DeviceModel, Touches};
use super::frame::*;
use super::objects::aspect_flag;
use super::open_pass::OpenPass;
use super::pass::{AspectOps, Attachment, PassShape, Roles};
use super::timeline::{Content, End, Read, State, StepKind, StepRef, StoreKey, Undefined, Writer};
use super::walk::Walk;
use crate::call::*;
use crate::format::Aspect;

/// Stores of one image that are told apart at most.
const MAX_IMAGE_STORES: usize = 16;

/// The subresources of an aspect that a pass renders to.
fn ranges(
    shape: &PassShape,
    attachment: &Attachment,
    aspect: Aspect,
) -> impl Iterator<Item = SubresourceRange> + use<> {
    let (mip, base) = (attachment.range.mip, attachment.range.base_layer);
    shape.layer_indices().map(move |layer| SubresourceRange {
        aspects: aspect_flag(aspect),
        base_mip: mip,
        mips: 1,
        base_layer: base + layer,
        layers: 1,
    })
}

impl DeviceModel {
    pub(super) fn begin_pass(&mut self, walk: &mut Walk, begin: &PassBegin) {
        walk.is_read = false;
        let Some(shape) = self.shape(begin) else {
            // A pass whose objects are not known may touch any image.
            self.forget_all();
            return;
        };
        if shape.resumes()
            && let Some(mut open) = self.suspended.remove(&walk.queue)
        {
            open.pass.shape = Arc::new(resumed(&open.pass.shape, &shape));
            open.pass.variant = open.pass.shape.variant(open.pass.key);
            walk.pass = Some(open);
            return;
        }
        let number = self.frames.next_pass();
        let given = given_name(begin, &shape, &walk.labels);
        let name: Arc<str> = match &given {
            Some(name) => Arc::clone(name),
            None => format!("pass.{number}").into(),
        };
        let step = self.frames.step(StepKind::Pass, Arc::clone(&name), begin.line);
        let facts = shape.attachments.iter().map(|a| self.load(&shape, a, &step)).collect();
        let (key, variant) = self.key_of(begin, &shape, given.as_ref());
        walk.pass = Some(Box::new(OpenPass {
            pass: Pass {
                step,
                name,
                named: given.is_some(),
                key,
                variant,
                ordinal: 0,
                labels: walk.labels.clone(),
                queue_labels: walk.queue_labels.min(walk.labels.len()),
                commands: Arc::clone(&walk.commands),
                facts,
                draws: Vec::new(),
                clears: Vec::new(),
                barriers: Vec::new(),
                queries: Vec::new(),
                secondaries: 0,
                queue: walk.queue,
                reads: Vec::new(),
                writes: Vec::new(),
                buffers: FxHashSet::default(),
                side_effects: false,
                draw_count: 0,
                unknown: false,
                line: begin.line,
                shape,
            },
            subpass: 0,
            read_sets: FxHashSet::default(),
            known_reads: FxHashSet::default(),
            known_writes: FxHashSet::default(),
        }));
    }

    /// Performs the loads of an attachment and says what each aspect held before.
    fn load(
        &mut self,
        shape: &PassShape,
        attachment: &Attachment,
        step: &Arc<StepRef>,
    ) -> Vec<AspectFacts> {
        let facts = attachment.aspects.iter().map(|ops| AspectFacts {
            before: self.load_aspect(shape, attachment, ops, step),
            store: None,
            read: false,
            written: false,
            cleared: false,
            resolved: false,
            first: None,
        });
        let facts: Vec<AspectFacts> = facts.collect();
        if let Some(tracked) =
            attachment.image.as_ref().and_then(|image| self.contents.images.get_mut(&image.id))
        {
            let used = &mut tracked.used;
            used.passes += 1;
            if attachment.is_rate() || attachment.roles.is_none() || shape.opaque {
                used.other_role = true;
            }
            for ops in attachment.aspects.iter().filter(|ops| ops.named) {
                let reads_input = attachment.roles.any(Roles::INPUT) && !attachment.loads();
                used.loaded |= match ops.load {
                    Some(vk::AttachmentLoadOp::CLEAR | vk::AttachmentLoadOp::DONT_CARE) => {
                        reads_input
                    }
                    _ => true,
                };
            }
        }
        facts
    }

    fn load_aspect(
        &mut self,
        shape: &PassShape,
        attachment: &Attachment,
        ops: &AspectOps,
        step: &Arc<StepRef>,
    ) -> Content {
        let Some(image) = attachment.image.as_ref() else { return Content::UNKNOWN };
        let id = image.id;
        if attachment.is_rate() {
            for range in ranges(shape, attachment, ops.aspect) {
                self.contents.read(id, &range, Read::Input, step);
            }
            return Content::UNKNOWN;
        }
        if attachment.roles.is_none() || !ops.named {
            return Content::UNKNOWN;
        }
        let before = self.content_before(shape, attachment, ops);
        let resolve_only = attachment.roles.only(Roles::RESOLVE.or(Roles::PRESERVE));
        let whole = if shape.covers(attachment) { None } else { Some(shape.area) };
        let undefined = ops.initial == vk::ImageLayout::UNDEFINED && shape.via != Via::Dynamic;
        let end = match ops.load {
            _ if resolve_only => Some(End::Resolved),
            Some(vk::AttachmentLoadOp::CLEAR) => Some(End::Cleared),
            Some(vk::AttachmentLoadOp::DONT_CARE) => Some(End::Discarded),
            Some(vk::AttachmentLoadOp::LOAD) if undefined => Some(End::Transition),
            Some(vk::AttachmentLoadOp::NONE_EXT) if undefined => Some(End::Transition),
            Some(_) => None,
            None => {
                self.contents.forget(id);
                return Content::UNKNOWN;
            }
        };
        let state = match end {
            Some(End::Resolved | End::Cleared) => State::Written(Writer::Pass),
            _ => State::Undefined(Undefined::Discarded),
        };
        self.contents.write_aliases(id, step);
        for range in ranges(shape, attachment, ops.aspect) {
            let stores = &mut self.contents.stores;
            let Some(tracked) = self.contents.images.get_mut(&id) else { continue };
            match end {
                Some(end) => tracked.each(&range, |timeline| {
                    if attachment.range.whole {
                        timeline.end(stores, end, whole, step);
                    }
                    if whole.is_none() {
                        timeline.content = Content { state, by: Some(Arc::clone(step)) };
                    }
                }),
                None if ops.load == Some(vk::AttachmentLoadOp::LOAD) => {
                    let how = if attachment.loads() { Read::Load } else { Read::Input };
                    tracked.used.read(how);
                    tracked.each_touched(&range, |t| t.read_rect(stores, how, shape.area, step));
                }
                None => {}
            }
        }
        before
    }

    fn content_before(
        &self,
        shape: &PassShape,
        attachment: &Attachment,
        ops: &AspectOps,
    ) -> Content {
        let undefined = ops.initial == vk::ImageLayout::UNDEFINED && shape.via != Via::Dynamic;
        if undefined {
            return Content { state: State::Undefined(Undefined::Transition), by: None };
        }
        let Some(image) = &attachment.image else { return Content::UNKNOWN };
        let Some(tracked) = self.contents.images.get(&image.id) else { return Content::UNKNOWN };
        let mut found: Option<Content> = None;
        for range in ranges(shape, attachment, ops.aspect) {
            let here = tracked.content(&range);
            match &found {
                None => found = Some(here),
                Some(content) if content.state == here.state => {}
                Some(_) => return Content::UNKNOWN,
            }
        }
        found.unwrap_or(Content::UNKNOWN)
    }

    /// Adds a draw: which aspects of which attachments it touches.
    pub(super) fn open_draw(&mut self, open: &mut OpenPass, facts: DrawFacts) {
        let index = open.pass.draws.len() as u32;
        let shape = Arc::clone(&open.pass.shape);
        let calls = u64::from(facts.draw.times) * u64::from(facts.draw.draw_count.max(1));
        open.pass.draw_count += calls;
        let effect = facts.effect;
        open.pass.draws.push(facts);
        let Some(subpass) = shape.subpasses.get(open.subpass as usize) else { return };
        let mut touch = |attachment: u32, aspect: Option<Aspect>, read: bool, written: bool| {
            let Some(a) = shape.attachments.get(attachment as usize) else { return };
            let Some(list) = open.pass.facts.get_mut(attachment as usize) else { return };
            for (ops, facts) in a.aspects.iter().zip(list) {
                if aspect.is_none_or(|aspect| aspect == ops.aspect) && (read || written) {
                    facts.read |= read;
                    facts.written |= written;
                    facts.first.get_or_insert(if effect.unknown {
                        FirstUse::Unknown
                    } else {
                        FirstUse::Draw(index)
                    });
                }
            }
        };
        for (position, reference) in subpass.color.iter().enumerate() {
            let Some(reference) = reference else { continue };
            let bit = 1u32.checked_shl(position as u32).unwrap_or(0);
            touch(
                reference.attachment,
                None,
                effect.unknown || effect.color_reads & bit != 0,
                effect.unknown || effect.color_writes & bit != 0,
            );
        }
        if let Some(depth) = &subpass.depth {
            let a = depth.attachment;
            let read_only = |aspect| {
                shape
                    .attachments
                    .get(a as usize)
                    .and_then(|a| a.ops(aspect))
                    .is_some_and(|ops| ops.read_only)
            };
            let unknown = effect.unknown;
            touch(
                a,
                Some(Aspect::Depth),
                effect.depth_reads || unknown,
                (effect.depth_writes || unknown) && !read_only(Aspect::Depth),
            );
            touch(
                a,
                Some(Aspect::Stencil),
                effect.stencil_reads || unknown,
                (effect.stencil_writes || unknown) && !read_only(Aspect::Stencil),
            );
        }
        for input in subpass.input.iter().flatten() {
            touch(input.attachment, None, true, false);
        }
    }

    pub(super) fn end_pass(&mut self, walk: &mut Walk) {
        let Some(mut open) = walk.pass.take() else { return };
        if open.pass.shape.suspends() {
            self.suspended.insert(walk.queue, open);
            return;
        }
        let shape = Arc::clone(&open.pass.shape);
        for attachment in &shape.attachments {
            for resolve in &attachment.resolves {
                let source = &mut open.pass.facts[attachment.slot as usize];
                source.iter_mut().for_each(|facts| facts.resolved = true);
                if let Some(target) = open.pass.facts.get_mut(resolve.target as usize) {
                    target.iter_mut().for_each(|facts| facts.written = true);
                }
            }
        }
        open.pass.ordinal = self.frames.ordinal(open.pass.variant);
        for attachment in &shape.attachments {
            for plane in 0..attachment.aspects.len() {
                self.store_aspect(&mut open.pass, attachment, plane);
            }
        }
        self.remember(&open.pass);
        self.frames.push(Step::Pass(Box::new(open.pass)));
    }

    /// Keeps what the pass did to its attachments, and which images it read.
    fn remember(&mut self, pass: &Pass) {
        let seen = self.touches.entry(pass.variant).or_default();
        let before = *seen;
        for (slot, planes) in pass.facts.iter().enumerate() {
            for (plane, facts) in planes.iter().enumerate() {
                let bit = Touches::bit(slot as u32, plane);
                seen.touched |= if facts.touched() { bit } else { 0 };
                seen.written |= if facts.written || facts.cleared { bit } else { 0 };
            }
        }
        let mut news = *seen != before;
        seen.last = pass.step.frame;
        let attached = pass.shape.attachments.iter().filter(|a| reads_content(a));
        let attached = attached.filter_map(|a| a.image.as_ref().map(|image| image.id));
        for id in attached.chain(pass.reads.iter().map(|read| read.image)) {
            if let Some(tracked) = self.contents.images.get_mut(&id) {
                news |= tracked.used.read_by_pass(pass.variant);
            }
        }
        self.ledger.changes += u64::from(news);
    }

    /// Performs the store of an aspect.
    fn store_aspect(&mut self, pass: &mut Pass, attachment: &Attachment, plane: usize) {
        let shape = Arc::clone(&pass.shape);
        let ops = &attachment.aspects[plane];
        let Some(image) = attachment.image.as_ref() else { return };
        if attachment.is_rate() || attachment.roles.is_none() || !ops.named {
            return;
        }
        let facts = &mut pass.facts[attachment.slot as usize][plane];
        let changed = facts.written
            || facts.cleared
            || matches!(
                ops.load,
                Some(vk::AttachmentLoadOp::CLEAR | vk::AttachmentLoadOp::DONT_CARE)
            );
        let whole = if shape.covers(attachment) { None } else { Some(shape.area) };
        let key = StoreKey {
            variant: pass.variant,
            ordinal: pass.ordinal,
            attachment: attachment.slot,
            plane: plane as u8,
        };
        let Some(tracked) = self.contents.images.get_mut(&image.id) else { return };
        let stores = &mut self.contents.stores;
        match ops.store {
            Some(vk::AttachmentStoreOp::STORE) if attachment.stores() => {
                facts.store = Some(key);
                let used = &mut tracked.used;
                used.stored = true;
                if !used.stores.contains(&key) {
                    if used.stores.len() < MAX_IMAGE_STORES {
                        used.stores.push(key);
                    } else {
                        used.stored_elsewhere = true;
                    }
                }
                let id = stores.open(key, pass.step.frame);
                let writer = if attachment.roles.only(Roles::RESOLVE.or(Roles::PRESERVE)) {
                    Writer::PassResolve
                } else {
                    Writer::Pass
                };
                for range in ranges(&shape, attachment, ops.aspect) {
                    tracked.each(&range, |timeline| {
                        // A view of slices says nothing of the other slices.
                        if attachment.range.whole {
                            timeline.end(stores, End::Overwritten, whole, &pass.step);
                        }
                        timeline.store(stores, id, shape.area);
                        timeline.content = Content {
                            state: State::Written(writer),
                            by: Some(Arc::clone(&pass.step)),
                        };
                    });
                }
                stores.drop_if_nowhere(id);
            }
            Some(vk::AttachmentStoreOp::DONT_CARE) => {
                discard(tracked, stores, &shape, attachment, ops, whole, &pass.step);
            }
            Some(vk::AttachmentStoreOp::NONE) if changed && attachment.stores() => {
                discard(tracked, stores, &shape, attachment, ops, whole, &pass.step);
            }
            None => {
                tracked.used.stored = true;
                tracked.used.stored_elsewhere = true;
                self.contents.forget(image.id);
            }
            _ => {}
        }
    }
}

/// Says whether a pass reads what an attachment held before it.
fn reads_content(attachment: &Attachment) -> bool {
    use vk::AttachmentLoadOp as L;
    let used = attachment.loads() || attachment.roles.any(Roles::INPUT);
    let loads = |ops: &AspectOps| {
        ops.named && !matches!(ops.load, Some(L::CLEAR | L::DONT_CARE | L::NONE_EXT))
    };
    attachment.is_rate() || (used && attachment.aspects.iter().any(loads))
}

fn discard(
    tracked: &mut super::track::Tracked,
    stores: &mut super::timeline::Stores,
    shape: &PassShape,
    attachment: &Attachment,
    ops: &AspectOps,
    whole: Option<vk::Rect2D>,
    step: &Arc<StepRef>,
) {
    for range in ranges(shape, attachment, ops.aspect) {
        tracked.each(&range, |timeline| {
            if attachment.range.whole {
                timeline.end(stores, End::Discarded, whole, step);
            }
            if whole.is_none() {
                timeline.content = Content {
                    state: State::Undefined(Undefined::Discarded),
                    by: Some(Arc::clone(step)),
                };
            }
        });
    }
}

/// The name that the application gave a pass: its label in a listing, the debug name of its
/// render pass object, or the innermost label region around it.
fn given_name(begin: &PassBegin, shape: &PassShape, labels: &[Arc<str>]) -> Option<Arc<str>> {
    if let Some(label) = &begin.label
        && !is_numbered(label)
    {
        return Some(Arc::from(&**label));
    }
    let label = labels.iter().rev().find(|label| !label.starts_with("tilelint:"));
    shape.object_name.clone().or_else(|| label.cloned())
}

/// `pass.N` is what a recording calls a pass without a name.
fn is_numbered(label: &str) -> bool {
    label
        .strip_prefix("pass.")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// A resumed instance: loads of the first part, stores of the last.
fn resumed(first: &PassShape, last: &PassShape) -> PassShape {
    let mut shape = first.clone();
    shape.flags = last.flags;
    for (ours, theirs) in shape.attachments.iter_mut().zip(&last.attachments) {
        for (ours, theirs) in ours.aspects.iter_mut().zip(&theirs.aspects) {
            ours.store = theirs.store;
            ours.final_ = theirs.final_;
        }
    }
    shape
}
