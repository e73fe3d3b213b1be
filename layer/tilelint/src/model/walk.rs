//! Execution of a recording: what each command reads and writes.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashSet;

use super::device::DeviceModel;
use super::effect::{Dynamic, effect};
use super::frame::{ClearFacts, DrawFacts, Effect, ImageRead, Step, TransferStep};
use super::frames::XR_FRAME_END;
use super::objects::{ImageId, Pipeline, SetImage};
use super::run_pass::OpenPass;
use super::timeline::{Content, End, Read, State, StepKind, StepRef, Undefined, Writer, contains};
use super::track::view_range;
use crate::call::*;

/// Depth to which secondary command buffers are followed (the API allows one level; extensions
/// allow more).
const MAX_DEPTH: u32 = 8;

/// A descriptor set that is bound.
#[derive(Clone, Debug)]
enum Bound {
    Set(SetKey),
    /// Pushed: a number that tells pushes apart, and the images.
    Pushed(u64, Vec<SetImage>),
}

/// State of one bind point.
#[derive(Debug, Default)]
struct Point {
    pipeline: Option<Arc<Pipeline>>,
    /// Shader objects are bound, or a pipeline that is not known.
    unknown: bool,
    sets: Vec<Option<Bound>>,
}

/// State of a queue while a batch runs.
#[derive(Debug)]
pub struct Walk {
    pub queue: QueueKey,
    pub commands: Arc<str>,
    /// An XR runtime's label ended the frame.
    pub frame_end: bool,
    pub pass: Option<Box<OpenPass>>,
    pub labels: Vec<Arc<str>>,
    graphics: Point,
    compute: Point,
    dynamic: Dynamic,
    last_effect: Option<(u32, u32, Effect)>,
    vertex_buffers: bool,
    conditional: bool,
    pushes: u64,
    line: Line,
}

impl Walk {
    /// Returns the state before the first command buffer of a batch.
    pub fn new(queue: QueueKey) -> Self {
        Self {
            queue,
            commands: "".into(),
            frame_end: false,
            pass: None,
            labels: Vec::new(),
            graphics: Point::default(),
            compute: Point::default(),
            dynamic: Dynamic::default(),
            last_effect: None,
            vertex_buffers: false,
            conditional: false,
            pushes: 0,
            line: Line(0),
        }
    }

    /// Bound state is not inherited over command buffers.
    fn reset_state(&mut self) {
        self.graphics = Point::default();
        self.compute = Point::default();
        self.dynamic = Dynamic::default();
        self.last_effect = None;
        self.vertex_buffers = false;
    }

    fn point(&mut self, point: vk::PipelineBindPoint) -> Option<&mut Point> {
        match point {
            vk::PipelineBindPoint::GRAPHICS => Some(&mut self.graphics),
            vk::PipelineBindPoint::COMPUTE => Some(&mut self.compute),
            _ => None,
        }
    }
}

impl DeviceModel {
    /// Runs a primary command buffer.
    pub(super) fn run_commands(&mut self, walk: &mut Walk, held: &Recording, name: Arc<str>) {
        walk.commands = name;
        walk.labels = self.queues.labels.get(&walk.queue).cloned().unwrap_or_default();
        walk.conditional = false;
        walk.reset_state();
        self.run_recording(walk, held, 0);
        if walk.pass.take().is_some() || held.left_out != 0 {
            // A pass that never ends, or commands that were not kept: nothing is certain.
            self.forget_all();
        }
    }

    fn run_recording(&mut self, walk: &mut Walk, recording: &Recording, depth: u32) {
        for (index, command) in recording.commands.iter().enumerate() {
            walk.line = recording.lines.get(index).copied().unwrap_or_default();
            self.run_command(walk, recording, command, depth);
        }
    }

    fn run_command(
        &mut self,
        walk: &mut Walk,
        recording: &Recording,
        command: &Command,
        depth: u32,
    ) {
        match command {
            Command::BeginPass(begin) => self.begin_pass(walk, begin),
            Command::NextSubpass(_) => {
                if let Some(pass) = &mut walk.pass {
                    pass.next_subpass();
                }
                walk.last_effect = None;
            }
            Command::EndPass => self.end_pass(walk),
            Command::Draw(draw) => self.draw(walk, draw),
            Command::Dispatch(_) => self.dispatch(walk),
            Command::ClearAttachments(clear) => self.clear_attachments(walk, clear),
            Command::Clear(clear) => self.clear_image(walk, clear),
            Command::Transfer(transfer) => self.transfer(walk, transfer),
            Command::Barrier(command) => self.barriers(walk, &command.barriers),
            Command::EventWait(event) => self.barriers(walk, &event.barriers.barriers),
            Command::Execute(list) => self.execute(walk, list, depth),
            Command::Opaque(opaque) => self.opaque(walk, opaque),
            Command::Label(label) => run_label(walk, label),
            _ => self.bind_state(walk, recording, command),
        }
    }

    fn bind_state(&mut self, walk: &mut Walk, recording: &Recording, command: &Command) {
        match command {
            Command::BindPipeline { point, pipeline } => {
                let found = self.pipelines.get(pipeline.0).cloned();
                walk.last_effect = None;
                if let Some(point) = walk.point(*point) {
                    point.unknown = found.is_none();
                    point.pipeline = found;
                }
            }
            Command::BindShaders(_) => {
                walk.last_effect = None;
                walk.graphics.pipeline = None;
                walk.graphics.unknown = true;
                walk.compute.unknown = true;
            }
            Command::BindSets { point, first, sets, .. } => {
                let keys = recording.words(*sets).to_vec();
                if let Some(point) = walk.point(*point) {
                    let end = *first as usize + keys.len();
                    if point.sets.len() < end {
                        point.sets.resize(end, None);
                    }
                    for (slot, key) in point.sets[*first as usize..].iter_mut().zip(keys) {
                        *slot = Some(Bound::Set(SetKey(key)));
                    }
                }
            }
            Command::PushSet(push) => self.push_set(walk, push),
            Command::BindVertex { .. } => walk.vertex_buffers = true,
            Command::Set(state) => {
                walk.dynamic.set(state);
                walk.last_effect = None;
            }
            Command::ConditionalBegin { .. } => walk.conditional = true,
            Command::ConditionalEnd => walk.conditional = false,
            _ => {}
        }
    }

    fn push_set(&mut self, walk: &mut Walk, push: &PushSet) {
        walk.pushes += 1;
        let number = walk.pushes;
        let mut images = Vec::new();
        for write in &push.writes {
            for descriptor in &write.descriptors {
                if let Descriptor::Image { view, .. } = descriptor
                    && let Some(view) = self.views.get(view.0)
                {
                    images.push(SetImage { view: *view, kind: write.kind, bindless: false });
                }
            }
        }
        if let Some(point) = walk.point(push.point) {
            let index = push.set as usize;
            if point.sets.len() <= index {
                point.sets.resize(index + 1, None);
            }
            // A push keeps the descriptors of the set that it does not name.
            if let Some(Bound::Pushed(_, before)) = &point.sets[index] {
                images.extend(before.iter().copied());
            }
            point.sets[index] = Some(Bound::Pushed(number, images));
        }
    }

    fn draw(&mut self, walk: &mut Walk, draw: &Draw) {
        let Some(mut open) = walk.pass.take() else { return };
        let subpass = open.subpass;
        let colors = open.colors();
        let pipeline = walk.graphics.pipeline.clone();
        let effect = match (&pipeline, walk.last_effect) {
            (Some(p), Some((id, of, effect))) if id == p.id && of == subpass => effect,
            (Some(p), _) => {
                let made = effect(p, &walk.dynamic, colors);
                walk.last_effect = Some((p.id, subpass, made));
                made
            }
            (None, _) => Effect { unknown: true, ..Effect::default() },
        };
        let dynamic = |state| pipeline.as_ref().is_none_or(|p| p.info.dynamic.contains(&state));
        let (viewport, scissor) = match &pipeline {
            Some(p) => (
                if dynamic(vk::DynamicState::VIEWPORT) {
                    walk.dynamic.viewport
                } else {
                    p.info.viewport
                },
                if dynamic(vk::DynamicState::SCISSOR) {
                    walk.dynamic.scissor
                } else {
                    p.info.scissor
                },
            ),
            None => (None, None),
        };
        let facts = DrawFacts {
            subpass,
            line: walk.line,
            draw: *draw,
            effect,
            scissor,
            viewport,
            vertex_buffers: pipeline
                .as_ref()
                .map_or(walk.vertex_buffers, |p| p.info.vertex_bindings != 0),
            conditional: walk.conditional,
            pipeline,
        };
        self.open_draw(&mut open, facts);
        let step = Arc::clone(&open.pass.step);
        let mut seen = std::mem::take(&mut open.read_sets);
        let (reads, writes) = self.read_sets(&walk.graphics, &step, subpass, &mut seen);
        open.read_sets = seen;
        open.add_reads(reads, writes);
        walk.pass = Some(open);
    }

    /// Reads what the bound sets show that a draw or dispatch may use, each set once.
    fn read_sets(
        &mut self,
        point: &Point,
        step: &Arc<StepRef>,
        subpass: u32,
        seen: &mut FxHashSet<(u32, u32, u64)>,
    ) -> (Vec<ImageRead>, Vec<ImageId>) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let count = match &point.pipeline {
            Some(pipeline) => pipeline.sets.unwrap_or(usize::MAX),
            None => usize::MAX,
        };
        for (index, bound) in point.sets.iter().take(count).enumerate() {
            let Some(bound) = bound else { continue };
            let identity = match bound {
                Bound::Set(key) => (subpass, 0, key.0),
                Bound::Pushed(number, _) => (subpass, 1 + index as u32, *number),
            };
            if !seen.insert(identity) {
                continue;
            }
            let images: Vec<SetImage> = match bound {
                Bound::Set(key) => match self.sets.get(key.0) {
                    Some(set) => set.images.values().copied().collect(),
                    None => continue,
                },
                Bound::Pushed(_, images) => images.clone(),
            };
            let certain = point.pipeline.as_ref().is_some_and(|pipeline| pipeline.built_in);
            for image in &images {
                let read = self.use_descriptor(image, step, subpass, &mut writes);
                reads.extend(read.map(|read| ImageRead { certain, ..read }));
            }
        }
        (reads, writes)
    }

    fn use_descriptor(
        &mut self,
        set: &SetImage,
        step: &Arc<StepRef>,
        subpass: u32,
        writes: &mut Vec<ImageId>,
    ) -> Option<ImageRead> {
        let id = set.view.image;
        let how = match set.kind {
            vk::DescriptorType::STORAGE_IMAGE => Read::Storage,
            // The pass itself says what its input attachments are.
            vk::DescriptorType::INPUT_ATTACHMENT => return None,
            _ => Read::Sampled,
        };
        let how = if set.bindless { Read::Perhaps } else { how };
        let content = self.contents.images.get(&id)?.content(&view_range(&set.view));
        let discarded = content.state == State::Undefined(Undefined::Discarded);
        let discarded_by = content.by.filter(|by| discarded && !Arc::ptr_eq(by, step));
        self.contents.read_view(&set.view, how, step);
        if set.kind == vk::DescriptorType::STORAGE_IMAGE {
            if let Some(tracked) = self.contents.images.get_mut(&id) {
                tracked.used.written = true;
            }
            self.contents.write_part(id, &view_range(&set.view), Writer::Storage, step);
            writes.push(id);
        }
        Some(ImageRead { image: id, how, subpass, discarded_by, certain: false })
    }

    fn dispatch(&mut self, walk: &mut Walk) {
        let step = self.frames.step(StepKind::Dispatch, "dispatch".into(), walk.line);
        let point = std::mem::take(&mut walk.compute);
        let mut seen = FxHashSet::default();
        let (reads, writes) = self.read_sets(&point, &step, 0, &mut seen);
        walk.compute = point;
        self.frames.push(Step::Dispatch { step, reads, writes });
    }

    fn clear_attachments(&mut self, walk: &mut Walk, clear: &ClearAttachments) {
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
        };
        open.add_clear(facts);
    }

    fn clear_image(&mut self, walk: &mut Walk, clear: &Clear) {
        let Some(id) = self.image_keys.get(clear.image.0).copied() else { return };
        let step = self.frames.step(StepKind::Clear, "clear".into(), walk.line);
        for range in &clear.ranges {
            let state = State::Written(Writer::Clear);
            self.contents.overwrite(id, range, End::Overwritten, state, &step);
        }
        self.mark_written(id);
        self.push_transfer(walk, step, None, Some(id), false, true, Content::UNKNOWN);
    }

    fn mark_written(&mut self, id: ImageId) {
        if let Some(tracked) = self.contents.images.get_mut(&id) {
            tracked.used.written = true;
        }
    }

    fn transfer(&mut self, walk: &mut Walk, transfer: &Transfer) {
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
        self.push_transfer(walk, step, from, to, whole_source, whole_target, source);
    }

    #[expect(clippy::too_many_arguments, reason = "the facts of one step, named where it is made")]
    fn push_transfer(
        &mut self,
        walk: &Walk,
        step: Arc<StepRef>,
        from: Option<ImageId>,
        to: Option<ImageId>,
        whole_source: bool,
        whole_target: bool,
        source: Content,
    ) {
        self.frames.push(Step::Transfer(Box::new(TransferStep {
            step,
            from,
            to,
            whole_source,
            whole_target,
            source,
            labels: walk.labels.clone(),
            commands: Arc::clone(&walk.commands),
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

    fn barriers(&mut self, walk: &Walk, barriers: &[Barrier]) {
        for barrier in barriers {
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

    fn execute(&mut self, walk: &mut Walk, list: &[Executed], depth: u32) {
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

    fn opaque(&mut self, walk: &mut Walk, opaque: &Opaque) {
        let step = self.frames.step(StepKind::Opaque, Arc::from(&*opaque.name), walk.line);
        let ids: Vec<ImageId> = match &opaque.images {
            Some(keys) => {
                keys.iter().filter_map(|key| self.image_keys.get(key.0).copied()).collect()
            }
            None => self.contents.images.keys().copied().collect(),
        };
        for id in ids {
            self.contents.read(id, &SubresourceRange::ALL, Read::External, &step);
            self.contents.forget(id);
        }
        if let Some(open) = &mut walk.pass {
            open.unknown();
        }
    }
}

fn run_label(walk: &mut Walk, label: &Label) {
    match label {
        Label::Begin(text) => walk.labels.push(Arc::from(&**text)),
        Label::End => drop(walk.labels.pop()),
        Label::Insert(_) => {}
    }
    if let Label::Begin(text) | Label::Insert(text) = label
        && text.contains(XR_FRAME_END)
    {
        walk.frame_end = true;
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
