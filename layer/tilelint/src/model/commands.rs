//! Commands between draws: transfers, clears, barriers, queries, events and secondaries.

use std::sync::Arc;

use ash::vk;

use super::device::DeviceModel;
use super::frame::{BarrierFacts, ClearFacts, QueryFacts, Step, TransferStep};
use super::objects::ImageId;
use super::timeline::{Content, End, Read, State, StepKind, StepRef, Undefined, Writer, contains};
use super::walk::Walk;
use crate::call::*;

/// Depth to which secondary command buffers are followed (the API allows one level; extensions
/// allow more).
const MAX_DEPTH: u32 = 8;

impl DeviceModel {
    pub(super) fn clear_attachments(&mut self, walk: &mut Walk, clear: &ClearAttachments) {
        let (line, conditional) = (walk.line, walk.conditional);
        let Some(open) = &mut walk.pass else { return };
        let shape = &open.pass.shape;
        let layers = shape.rendered_layers();
        let multiview = shape.view_mask != 0;
        let covers_area = clear.rects.iter().any(|rect| {
            contains(rect.rect, shape.area)
                && rect.base_layer == 0
                && (multiview || rect.layers >= layers)
        });
        let facts = ClearFacts {
            subpass: open.subpass,
            line,
            clear: clear.clone(),
            covers_area,
            conditional,
            after_draw: !open.pass.draws.is_empty(),
            draws_before: open.pass.draws.len() as u32,
        };
        open.add_clear(facts);
    }

    pub(super) fn clear_image(&mut self, walk: &mut Walk, clear: &Clear) {
        let Some(id) = self.image_keys.get(clear.image.0).copied() else { return };
        let step = self.frames.step(StepKind::Clear, "clear".into(), walk.line);
        for range in &clear.ranges {
            let state = State::Written(Writer::Clear);
            self.contents.overwrite(id, range, End::Overwritten, state, &step);
        }
        self.mark_written(id);
        self.frames.push(Step::Transfer(Box::new(TransferStep {
            whole_target: true,
            to: Some(id),
            clear: Some(clear.clone()),
            ..transfer_step(walk, step)
        })));
    }

    fn mark_written(&mut self, id: ImageId) {
        if let Some(tracked) = self.contents.images.get_mut(&id) {
            tracked.used.written = true;
        }
    }

    pub(super) fn transfer(&mut self, walk: &mut Walk, transfer: &Transfer) {
        let (kind, read, writer) = match transfer.kind {
            TransferKind::Copy => (StepKind::Copy, Read::Copy, Writer::Copy),
            TransferKind::Blit => (StepKind::Blit, Read::Blit, Writer::Blit),
            TransferKind::Resolve => (StepKind::Resolve, Read::Resolve, Writer::Resolve),
        };
        let image = |end: &TransferEnd| match end {
            TransferEnd::Image(key, _) => self.image_keys.get(key.0).copied(),
            TransferEnd::Buffer(_) => None,
        };
        let (from, to) = (image(&transfer.from), image(&transfer.to));
        let name = match kind {
            StepKind::Copy => "copy",
            StepKind::Blit => "blit",
            _ => "resolve",
        };
        let step = self.frames.step(kind, name.into(), walk.line);
        let (mut whole_source, mut whole_target) = (false, false);
        let mut source = Content::UNKNOWN;
        for (index, (from_region, to_region)) in transfer.regions.iter().enumerate() {
            if let Some(id) = from {
                let range = region_range(from_region);
                whole_source |= self.region_is_whole(id, from_region, true);
                let content = self.contents.images.get(&id).map(|t| t.content(&range));
                let content = content.unwrap_or(Content::UNKNOWN);
                if index == 0 || source.state == content.state {
                    source = content;
                } else {
                    source = Content::UNKNOWN;
                }
                self.contents.read(id, &range, read, &step);
            }
            if let Some(id) = to {
                let range = region_range(to_region);
                if self.region_is_whole(id, to_region, false) {
                    whole_target = true;
                    let state = State::Written(writer);
                    self.contents.overwrite(id, &range, End::Overwritten, state, &step);
                } else {
                    self.contents.write_part(id, &range, writer, &step);
                }
                self.mark_written(id);
            }
        }
        self.frames.push(Step::Transfer(Box::new(TransferStep {
            from,
            to,
            whole_source,
            whole_target,
            source,
            transfer: Some(transfer.clone()),
            ..transfer_step(walk, step)
        })));
    }

    /// Says whether a region covers its mip level, and where asked all layers of the image too.
    fn region_is_whole(&self, id: ImageId, region: &Region, all_layers: bool) -> bool {
        let Some(tracked) = self.contents.images.get(&id) else { return false };
        let info = &tracked.image.info;
        let extent = tracked.image.mip_extent(region.mip);
        let depth = (info.extent.depth >> region.mip).max(1);
        let texels = region.extent == [0; 3]
            || (region.offset == [0; 3]
                && region.extent[0] >= extent.width
                && region.extent[1] >= extent.height
                && region.extent[2] >= depth);
        let layers = region.base_layer == 0 && region.layers >= info.layers;
        texels && (!all_layers || layers)
    }

    pub(super) fn event(&mut self, walk: &Walk, events: &[EventKey], set: bool) {
        let step = self.frames.step(StepKind::Event, "event".into(), walk.line);
        self.frames.push(Step::Event { step, events: events.to_vec(), queue: walk.queue, set });
    }

    pub(super) fn query(&mut self, walk: &mut Walk, query: &QueryCommand) {
        let kind = self.query_pools.get(query.pool.0).map(|pool| pool.kind);
        let mut facts = QueryFacts {
            subpass: 0,
            line: walk.line,
            command: *query,
            kind: kind.unwrap_or(vk::QueryType::from_raw(-1)),
        };
        match &mut walk.pass {
            Some(open) => {
                facts.subpass = open.subpass;
                open.pass.queries.push(facts);
            }
            None => {
                let step = self.frames.step(StepKind::Query, "query".into(), walk.line);
                self.frames.push(Step::Query { step, facts: Box::new(facts) });
            }
        }
    }

    pub(super) fn barriers(
        &mut self,
        walk: &mut Walk,
        command: &BarrierCommand,
        events: Option<&[EventKey]>,
    ) {
        let mut facts = BarrierFacts {
            subpass: 0,
            line: walk.line,
            command: command.clone(),
            event: events.is_some(),
            events: events.unwrap_or_default().to_vec(),
            queue: walk.queue,
            draws_before: 0,
            labels: walk.labels.clone(),
            commands: Arc::clone(&walk.commands),
        };
        match &mut walk.pass {
            Some(open) => {
                facts.subpass = open.subpass;
                facts.draws_before = open.pass.draws.len() as u32;
                open.pass.barriers.push(facts);
            }
            None => {
                let step = self.frames.step(StepKind::Barrier, "barrier".into(), walk.line);
                self.frames.push(Step::Barrier { step, facts: Box::new(facts) });
            }
        }
        for barrier in &command.barriers {
            let BarrierTarget::Image { image, range, old, new } = &barrier.target else { continue };
            let Some(id) = self.image_keys.get(image.0).copied() else { continue };
            let foreign = [barrier.src_queue, barrier.dst_queue].into_iter().any(|queue| {
                queue == vk::QUEUE_FAMILY_EXTERNAL || queue == vk::QUEUE_FAMILY_FOREIGN_EXT
            });
            if foreign {
                let step = self.frames.step(StepKind::Barrier, "barrier".into(), walk.line);
                self.contents.read(id, range, Read::External, &step);
                self.contents.forget(id);
                if let Some(tracked) = self.contents.images.get_mut(&id) {
                    Arc::make_mut(&mut tracked.image).placement.external = true;
                }
            } else if *old == vk::ImageLayout::UNDEFINED && *new != vk::ImageLayout::UNDEFINED {
                let step = self.frames.step(StepKind::Barrier, "barrier".into(), walk.line);
                let state = State::Undefined(Undefined::Transition);
                self.contents.overwrite(id, range, End::Transition, state, &step);
            }
        }
    }

    pub(super) fn execute(&mut self, walk: &mut Walk, list: &[Executed], depth: u32) {
        if let Some(open) = &mut walk.pass {
            open.pass.secondaries += list.len() as u32;
        }
        for executed in list {
            let held = executed.key.and_then(|key| self.commands.get(key.0));
            let held = held.and_then(|(_, held)| held.clone());
            match executed.recording.clone().or(held) {
                Some(recording) if depth < MAX_DEPTH => {
                    walk.reset_state();
                    let labels = walk.labels.len();
                    self.run_recording(walk, &recording, depth + 1);
                    walk.labels.truncate(labels);
                    if recording.left_out != 0 {
                        self.unknown_commands(walk);
                    }
                }
                _ => self.unknown_commands(walk),
            }
            walk.reset_state();
        }
    }

    /// Commands that the layer never saw: in a pass they may do anything to its attachments and
    /// read any image.
    fn unknown_commands(&mut self, walk: &mut Walk) {
        self.opaque(walk, &Opaque { name: "".into(), images: None, buffers: None });
    }

    pub(super) fn opaque(&mut self, walk: &mut Walk, opaque: &Opaque) {
        let step = self.frames.step(StepKind::Opaque, Arc::from(&*opaque.name), walk.line);
        let ids: Vec<ImageId> = match &opaque.images {
            Some(keys) => {
                keys.iter().filter_map(|key| self.image_keys.get(key.0).copied()).collect()
            }
            None => self.contents.images.keys().copied().collect(),
        };
        let named = opaque.images.is_some().then(|| ids.clone());
        self.frames.opaque(named);
        for id in ids {
            self.contents.read(id, &SubresourceRange::ALL, Read::External, &step);
            self.contents.forget(id);
        }
        if let Some(open) = &mut walk.pass {
            open.unknown();
        }
    }
}

/// The facts of a transfer that do not depend on what it does.
fn transfer_step(walk: &Walk, step: Arc<StepRef>) -> TransferStep {
    TransferStep {
        step,
        from: None,
        to: None,
        whole_source: false,
        whole_target: false,
        source: Content::UNKNOWN,
        labels: walk.labels.clone(),
        commands: Arc::clone(&walk.commands),
        queue: walk.queue,
        transfer: None,
        clear: None,
    }
}

fn region_range(region: &Region) -> SubresourceRange {
    SubresourceRange {
        aspects: region.aspects,
        base_mip: region.mip,
        mips: 1,
        base_layer: region.base_layer,
        layers: region.layers,
    }
}
