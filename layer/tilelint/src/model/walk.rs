//! Execution of a recording: what each command reads and writes.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashSet;

use super::device::DeviceModel;
use super::effect::{Dynamic, effect};
use super::frame::{DrawFacts, Effect, ImageRead, Ran, Step};
use super::frames::XR_FRAME_END;
use super::objects::{ImageId, Pipeline, SetImage};
use super::open_pass::OpenPass;
use super::timeline::{Read, State, StepKind, StepRef, Undefined, Writer};
use super::track::{Contents, view_range};
use crate::call::*;

/// Vertex buffers that are told apart at most.
const MAX_VERTEX_BUFFERS: usize = 64;

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
    /// How many of them are regions of the queue.
    pub queue_labels: usize,
    graphics: Point,
    compute: Point,
    dynamic: Dynamic,
    last_effect: Option<(u32, u32, Effect)>,
    /// A draw of this subpass has read the sets that are bound, and the buffers.
    pub is_read: bool,
    vertex_buffers: bool,
    /// The index buffer that is bound, and behind it the vertex buffers.
    buffers: Vec<BufferKey>,
    pub conditional: bool,
    pushes: u64,
    pub line: Line,
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
            queue_labels: 0,
            graphics: Point::default(),
            compute: Point::default(),
            dynamic: Dynamic::default(),
            last_effect: None,
            is_read: false,
            vertex_buffers: false,
            buffers: Vec::new(),
            conditional: false,
            pushes: 0,
            line: Line(0),
        }
    }

    /// Bound state is not inherited over command buffers.
    pub fn reset_state(&mut self) {
        self.graphics = Point::default();
        self.compute = Point::default();
        self.dynamic = Dynamic::default();
        self.last_effect = None;
        self.is_read = false;
        self.vertex_buffers = false;
        self.buffers.clear();
    }

    fn bind_buffer(&mut self, slot: usize, buffer: BufferKey) {
        if self.buffers.len() <= slot {
            self.buffers.resize(slot.min(MAX_VERTEX_BUFFERS) + 1, BufferKey::default());
        }
        if let Some(bound) = self.buffers.get_mut(slot) {
            self.is_read &= *bound == buffer;
            *bound = buffer;
        }
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
    pub(super) fn run_commands(&mut self, walk: &mut Walk, held: &Arc<Recording>, name: Arc<str>) {
        self.frames.run(Ran {
            name: Arc::clone(&name),
            recording: Arc::clone(held),
            queue: walk.queue,
        });
        walk.commands = name;
        walk.labels = self.queues.labels.get(&walk.queue).cloned().unwrap_or_default();
        walk.queue_labels = walk.labels.len();
        walk.conditional = false;
        walk.reset_state();
        self.run_recording(walk, held, 0);
        if walk.pass.take().is_some() || held.left_out != 0 {
            // A pass that never ends, or commands that were not kept: nothing is certain.
            self.forget_all();
        }
    }

    pub(super) fn run_recording(&mut self, walk: &mut Walk, recording: &Recording, depth: u32) {
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
                walk.is_read = false;
            }
            Command::EndPass => self.end_pass(walk),
            Command::Draw(draw) => self.draw(walk, draw),
            Command::Dispatch(dispatch) => self.dispatch(walk, *dispatch),
            Command::ClearAttachments(clear) => self.clear_attachments(walk, clear),
            Command::Clear(clear) => self.clear_image(walk, clear),
            Command::Transfer(transfer) => self.transfer(walk, transfer),
            Command::Barrier(command) => self.barriers(walk, command, None),
            Command::EventWait(event) => self.barriers(walk, &event.barriers, Some(&event.events)),
            Command::EventSet(event) => self.event(walk, &event.events, true),
            Command::EventReset(event) => self.event(walk, &event.events, false),
            Command::Query(query) => self.query(walk, query),
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
                walk.is_read = false;
                if let Some(point) = walk.point(*point) {
                    point.unknown = found.is_none();
                    point.pipeline = found;
                }
            }
            Command::BindShaders(_) => {
                walk.last_effect = None;
                walk.is_read = false;
                walk.graphics.pipeline = None;
                walk.graphics.unknown = true;
                walk.compute.unknown = true;
            }
            Command::BindSets { point, first, sets, .. } => {
                let keys = recording.words(*sets);
                let mut same = true;
                if let Some(point) = walk.point(*point) {
                    let end = *first as usize + keys.len();
                    if point.sets.len() < end {
                        point.sets.resize(end, None);
                    }
                    for (slot, key) in point.sets[*first as usize..].iter_mut().zip(keys) {
                        if !matches!(slot, Some(Bound::Set(bound)) if bound.0 == *key) {
                            *slot = Some(Bound::Set(SetKey(*key)));
                            same = false;
                        }
                    }
                }
                walk.is_read &= same;
            }
            Command::PushSet(push) => self.push_set(walk, push),
            Command::BindVertex { first, buffers, .. } => {
                walk.vertex_buffers = true;
                let keys = recording.words(*buffers).chunks(2).map(|pair| BufferKey(pair[0]));
                for (slot, key) in (*first as usize + 1..).zip(keys) {
                    walk.bind_buffer(slot, key);
                }
            }
            Command::BindIndex { buffer, .. } => walk.bind_buffer(0, *buffer),
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
        walk.is_read = false;
        let number = walk.pushes;
        let mut images = Vec::new();
        for write in &push.writes {
            for descriptor in &write.descriptors {
                if let Descriptor::Image { view, .. } = descriptor
                    && let Some(view) = self.views.get(view.0)
                {
                    let (view, kind) = (*view, write.kind);
                    let stages = vk::ShaderStageFlags::empty();
                    images.push(SetImage { view, kind, bindless: false, stages });
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
        open.add_buffers([draw.buffer]);
        if !std::mem::replace(&mut walk.is_read, true) {
            self.read_bound(walk, &mut open);
        }
        walk.pass = Some(open);
    }

    /// A draw reads what is bound, the first time that a draw of the subpass can.
    fn read_bound(&mut self, walk: &Walk, open: &mut OpenPass) {
        let step = Arc::clone(&open.pass.step);
        let mut seen = std::mem::take(&mut open.read_sets);
        let (reads, writes, buffers) =
            self.read_sets(&walk.graphics, &step, open.subpass, &mut seen);
        open.add_buffers(buffers.into_iter().map(|(buffer, _)| buffer));
        open.add_buffers(walk.buffers.iter().copied());
        open.pass.side_effects |= self.has_side_effects(&walk.graphics);
        open.read_sets = seen;
        open.add_reads(reads, writes);
    }

    /// Reads what the bound sets show that a draw or dispatch may use, each set once.
    fn read_sets(
        &mut self,
        point: &Point,
        step: &Arc<StepRef>,
        subpass: u32,
        seen: &mut FxHashSet<(u32, u32, u64)>,
    ) -> (Vec<ImageRead>, Vec<ImageId>, Vec<(BufferKey, bool)>) {
        let (mut reads, mut writes, mut buffers) = (Vec::new(), Vec::new(), Vec::new());
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
            let set = index as u32;
            let images: Vec<(Option<(u32, u32)>, SetImage)> = match bound {
                Bound::Set(key) => match self.sets.get(key.0) {
                    Some(held) => {
                        buffers.extend(held.buffers.values().copied());
                        let images = held.images.iter();
                        images.map(|((binding, _), i)| (Some((set, *binding)), *i)).collect()
                    }
                    None => continue,
                },
                Bound::Pushed(_, images) => images.iter().map(|image| (None, *image)).collect(),
            };
            for (at, image) in &images {
                let certain = point.pipeline.as_ref().is_some_and(|pipeline| match at {
                    Some((set, binding)) => pipeline.uses(*set, *binding),
                    None => pipeline.built_in,
                });
                let read = self.use_descriptor(image, step, subpass, &mut writes);
                reads.extend(read.map(|read| ImageRead { certain, at: *at, ..read }));
            }
        }
        (reads, writes, buffers)
    }

    /// Says whether a shader could write through what is bound.
    fn has_side_effects(&self, point: &Point) -> bool {
        use vk::DescriptorType as T;
        let writable = |kind: T| {
            matches!(
                kind,
                T::STORAGE_BUFFER
                    | T::STORAGE_BUFFER_DYNAMIC
                    | T::STORAGE_IMAGE
                    | T::STORAGE_TEXEL_BUFFER
            )
        };
        let count = point.pipeline.as_ref().and_then(|p| p.sets).unwrap_or(usize::MAX);
        point.sets.iter().take(count).flatten().any(|bound| match bound {
            Bound::Set(key) => self
                .sets
                .get(key.0)
                .is_none_or(|set| set.layout.bindings.iter().any(|binding| writable(binding.kind))),
            Bound::Pushed(_, images) => images.iter().any(|image| writable(image.kind)),
        })
    }

    /// Says whether a shader could write a buffer that is bound; what is not known could.
    fn has_buffers(&self, point: &Point) -> bool {
        use vk::DescriptorType as T;
        let images = [
            T::SAMPLER,
            T::COMBINED_IMAGE_SAMPLER,
            T::SAMPLED_IMAGE,
            T::STORAGE_IMAGE,
            T::UNIFORM_BUFFER,
            T::UNIFORM_BUFFER_DYNAMIC,
            T::UNIFORM_TEXEL_BUFFER,
        ];
        let count = point.pipeline.as_ref().and_then(|p| p.sets).unwrap_or(usize::MAX);
        point.unknown
            || point.sets.iter().take(count).flatten().any(|bound| match bound {
                Bound::Set(key) => self.sets.get(key.0).is_none_or(|set| {
                    set.layout.bindings.iter().any(|binding| !images.contains(&binding.kind))
                }),
                Bound::Pushed(..) => true,
            })
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
        let range = view_range(&set.view);
        let Contents { images, stores, .. } = &mut self.contents;
        let tracked = images.get_mut(&id)?;
        let content = tracked.content(&range);
        let kept = content.by.as_ref().is_none_or(|by| by.frame < step.frame);
        if kept && !tracked.used.kept {
            tracked.used.kept = true;
            self.ledger.changes += 1;
        }
        let discarded = content.state == State::Undefined(Undefined::Discarded);
        let discarded_by = content.by.filter(|by| discarded && !Arc::ptr_eq(by, step));
        tracked.used.read(how);
        tracked.each_touched(&range, |timeline| timeline.read(stores, how, step));
        if set.kind == vk::DescriptorType::STORAGE_IMAGE {
            tracked.used.written = true;
            tracked.used.storage = true;
            self.contents.write_part(id, &range, Writer::Storage, step);
            writes.push(id);
        }
        let stages = set.stages;
        let (certain, at) = (false, None);
        Some(ImageRead { image: id, how, subpass, discarded_by, stages, certain, at })
    }

    fn dispatch(&mut self, walk: &mut Walk, dispatch: Dispatch) {
        let step = self.frames.step(StepKind::Dispatch, "dispatch".into(), walk.line);
        let point = std::mem::take(&mut walk.compute);
        let mut seen = FxHashSet::default();
        let (reads, writes, bound) = self.read_sets(&point, &step, 0, &mut seen);
        let buffers = self.has_buffers(&point);
        let written = bound.into_iter().filter(|(_, writable)| *writable);
        let mut buffer_writes: Vec<_> = written.map(|(buffer, _)| buffer).collect();
        buffer_writes.sort_unstable();
        buffer_writes.dedup();
        walk.compute = point;
        for read in &reads {
            if let Some(tracked) = self.contents.images.get_mut(&read.image)
                && !std::mem::replace(&mut tracked.used.read_elsewhere, true)
            {
                self.ledger.changes += 1;
            }
        }
        let queue = walk.queue;
        let (labels, commands) = (walk.labels.clone(), Arc::clone(&walk.commands));
        self.frames.push(Step::Dispatch {
            step,
            queue,
            dispatch,
            reads,
            writes,
            buffers,
            buffer_writes,
            labels,
            commands,
        });
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
