//! Draws and dispatches: the default pipeline and the sets of `reads=` and `writes=`.

use ash::vk;

use super::commands;
use super::lex::Lexed;
use super::parse::{Parser, Template};
use super::record::Rec;
use super::row::{Done, Row};
use super::short::PassState;
use super::specs::Named;
use super::uses::Uses;
use crate::call::*;

/// Completes a pipeline for the subpass it is used in; says how many colours that has.
fn fit(info: &mut PipelineInfo, state: &PassState, samples: bool) -> usize {
    let (colors, found) = match &state.object {
        Some((key, pass)) => {
            info.pass = Some(*key);
            info.subpass = state.subpass;
            let subpass = pass.subpasses.get(state.subpass as usize);
            let refs = subpass.map(|s| s.color.iter().flatten().chain(&s.depth));
            let first = refs.into_iter().flatten().next().map(|r| r.attachment as usize);
            let first = first.and_then(|index| pass.attachments.get(index));
            (subpass.map_or(0, |s| s.color.len()), first.map_or(1, |a| a.samples))
        }
        None => {
            info.formats = state.formats.clone();
            (state.colors as usize, state.samples.max(1))
        }
    };
    if samples {
        info.samples = found;
    }
    colors
}

/// The area of a pass where a state was not set.
fn cover(info: &mut PipelineInfo, rec: &Rec, area: vk::Rect2D) {
    use vk::DynamicState as D;
    let known = area.extent.width != 0;
    info.dynamic.clone_from(&rec.set);
    if rec.set.contains(&D::VIEWPORT) || !known {
        info.dynamic.push(D::VIEWPORT);
    } else {
        let vk::Extent2D { width, height } = area.extent;
        info.viewport = Some([area.offset.x, area.offset.y, width as i32, height as i32]);
    }
    if rec.set.contains(&D::SCISSOR) || !known {
        info.dynamic.push(D::SCISSOR);
    } else {
        info.scissor = Some(area);
    }
    info.dynamic.sort();
    info.dynamic.dedup();
}

/// The depth state of the default pipeline.
fn default_depth(info: &mut PipelineInfo, state: &PassState) {
    let depth = state.object.as_ref().and_then(|(_, pass)| {
        pass.subpasses.get(state.subpass as usize).and_then(|subpass| subpass.depth)
    });
    let read_only = [
        vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
        vk::ImageLayout::DEPTH_READ_ONLY_OPTIMAL,
        vk::ImageLayout::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
    ];
    info.depth_test = depth.is_some() || state.has_depth;
    info.depth_write = info.depth_test && !depth.is_some_and(|d| read_only.contains(&d.layout));
}

impl<'a> Parser<'a> {
    /// Reads a `draw`.
    pub fn draw(&mut self, line: &'a Lexed) -> Done {
        let mut draw = Draw {
            kind: DrawKind::Direct,
            vertices: 0,
            instances: 1,
            draw_count: 1,
            times: 1,
            total_vertices: 0,
            buffer: BufferKey(0),
        };
        let mut row = Row::read(line, &mut self.scene);
        commands::draw(&mut row, &mut draw)?;
        let mut pipeline: Option<Named> = None;
        row.maybe("pipeline", &mut pipeline)?;
        let uses = Uses::read(&mut row)?;
        let mut unknown = std::mem::take(&mut row.unknown);
        unknown.retain(|key| !["vertices", "buffer", "total_vertices"].contains(key));
        row.finish()?;
        if let Some(name) = pipeline {
            self.use_pipeline(line, &name.0, vk::PipelineBindPoint::GRAPHICS)?;
        }
        self.bind_wanted(line, Some(&uses.descriptors()))?;
        self.record(line, &unknown, Command::Draw(draw));
        Ok(())
    }

    /// Reads a `dispatch`.
    pub fn dispatch(&mut self, line: &'a Lexed) -> Done {
        let mut dispatch = Dispatch { groups: [0; 3], indirect: false, times: 1 };
        let mut row = Row::read(line, &mut self.scene);
        commands::dispatch(&mut row, &mut dispatch)?;
        let mut pipeline: Option<Named> = None;
        row.maybe("pipeline", &mut pipeline)?;
        let uses = Uses::read(&mut row)?;
        let mut unknown = std::mem::take(&mut row.unknown);
        unknown.retain(|key| *key != "groups");
        row.finish()?;
        if let Some(name) = pipeline {
            self.use_pipeline(line, &name.0, vk::PipelineBindPoint::COMPUTE)?;
        }
        self.bind_compute(line, &uses.descriptors());
        self.record(line, &unknown, Command::Dispatch(dispatch));
        Ok(())
    }

    /// `pipeline=` on a draw: binds it unless it is bound already.
    fn use_pipeline(&mut self, line: &Lexed, name: &str, point: vk::PipelineBindPoint) -> Done {
        let slot = usize::from(point != vk::PipelineBindPoint::GRAPHICS);
        let key = self.scene.find(name, Kind::Pipeline).map(PipelineKey);
        let same = self
            .rec
            .as_ref()
            .is_some_and(|rec| key.is_some() && rec.wanted[slot] == key && rec.bound[slot] == key);
        if same { Ok(()) } else { self.want(line, name, Some(point), false) }
    }

    /// Binds the graphics pipeline that was asked for, and what a short form says it uses. Without
    /// a list of uses only the pipeline.
    pub fn bind_wanted(
        &mut self,
        line: &Lexed,
        uses: Option<&[(vk::DescriptorType, Descriptor)]>,
    ) -> Done {
        let Some(rec) = &self.rec else {
            return Ok(());
        };
        let uses = uses.unwrap_or_default();
        let Some(key) = rec.wanted[0] else {
            return if rec.shaders { Ok(()) } else { self.bind_default(line, uses) };
        };
        let template = self.template(key);
        let mut extended = None;
        let bound = match (template, &rec.pass) {
            (Some(index), Some(state)) => {
                let mut info = instance(&self.templates[index], rec, state);
                let stages = vk::ShaderStageFlags::FRAGMENT;
                extended =
                    (!uses.is_empty()).then(|| self.scene.extended(info.layout, uses, stages));
                if let Some((layout, ..)) = extended {
                    info.layout = Some(layout);
                }
                let template = &mut self.templates[index];
                let own = (!template.made).then(|| self.scene.own_key(key));
                template.made = true;
                let name = template.name.clone();
                let line = std::mem::replace(&mut self.scene.line, template.line);
                let made = self.scene.pipeline_of(Some(key), info, name.as_deref(), own);
                self.scene.line = line;
                made
            }
            (Some(_), None) => {
                return Err(line.error(line.column, "the draw stands outside a pass"));
            }
            (None, _) => key,
        };
        self.bind(line, 0, bound);
        match extended {
            Some((layout, first, set)) => self.bind_sets(line, 0, layout, first, vec![set]),
            None => self.extend_sets(line, 0, bound, uses, vk::ShaderStageFlags::FRAGMENT),
        }
        Ok(())
    }

    fn bind(&mut self, line: &Lexed, slot: usize, pipeline: PipelineKey) {
        let point = [vk::PipelineBindPoint::GRAPHICS, vk::PipelineBindPoint::COMPUTE][slot];
        if let Some(rec) = &mut self.rec
            && rec.bound[slot] != Some(pipeline)
        {
            rec.bound[slot] = Some(pipeline);
            rec.push(Command::BindPipeline { point, pipeline }, Line(line.line));
        }
    }

    fn bind_sets(
        &mut self,
        line: &Lexed,
        slot: usize,
        layout: PipelineLayoutKey,
        first: u32,
        sets: Vec<SetKey>,
    ) {
        let point = [vk::PipelineBindPoint::GRAPHICS, vk::PipelineBindPoint::COMPUTE][slot];
        let Some(rec) = &mut self.rec else { return };
        let wanted = Some((first, layout, sets.clone()));
        if sets.is_empty() || rec.sets[slot] == wanted {
            return;
        }
        rec.sets[slot] = wanted;
        let sets = rec.recording.list(sets.into_iter().map(|set| set.0));
        let offsets = rec.recording.list([]);
        let command = Command::BindSets { point, layout, first, sets, offsets };
        rec.push(command, Line(line.line));
    }

    /// Binds what a short form uses beside an explicit pipeline.
    fn extend_sets(
        &mut self,
        line: &Lexed,
        slot: usize,
        pipeline: PipelineKey,
        uses: &[(vk::DescriptorType, Descriptor)],
        stages: vk::ShaderStageFlags,
    ) {
        if uses.is_empty() {
            return;
        }
        let layout = self.scene.pipelines.get(&pipeline).and_then(|info| info.layout);
        let (layout, first, set) = self.scene.extended(layout, uses, stages);
        self.bind_sets(line, slot, layout, first, vec![set]);
    }

    fn bind_default(&mut self, line: &Lexed, uses: &[(vk::DescriptorType, Descriptor)]) -> Done {
        let Some(state) = self.rec.as_ref().and_then(|rec| rec.pass.clone()) else {
            return Err(line.error(line.column, "the draw stands outside a pass"));
        };
        let stage = vk::ShaderStageFlags::FRAGMENT;
        let mut layout = PipelineLayoutInfo::default();
        let mut sets = Vec::new();
        for list in [uses.to_vec(), self.inputs(&state)] {
            if !list.is_empty() {
                let (set_layout, set) = self.scene.set_of(&list, stage);
                layout.sets.push(Some(set_layout));
                sets.push(set);
            }
        }
        let layout = self.scene.layout_of(layout);
        let mut info = PipelineInfo {
            layout: Some(layout),
            stages: vk::ShaderStageFlags::VERTEX | stage,
            ..PipelineInfo::default()
        };
        let colors = fit(&mut info, &state, true);
        info.blend = vec![BlendState::default(); colors];
        default_depth(&mut info, &state);
        if let Some(rec) = &self.rec {
            cover(&mut info, rec, state.area);
        }
        let key = self.scene.pipeline_of(None, info, Some("default"), None);
        self.bind(line, 0, key);
        self.bind_sets(line, 0, layout, 0, sets);
        Ok(())
    }

    /// The input attachments of a subpass, as descriptors.
    fn inputs(&self, state: &PassState) -> Vec<(vk::DescriptorType, Descriptor)> {
        let subpass = state.object.as_ref();
        let subpass = subpass.and_then(|(_, pass)| pass.subpasses.get(state.subpass as usize));
        let inputs = subpass.into_iter().flat_map(|s| s.input.iter().flatten());
        let descriptor = |input: &AttachmentReference| {
            let view = state.views.get(input.attachment as usize).copied().flatten()?;
            let descriptor = Descriptor::Image { view, layout: input.layout };
            Some((vk::DescriptorType::INPUT_ATTACHMENT, descriptor))
        };
        inputs.filter_map(descriptor).collect()
    }

    fn bind_compute(&mut self, line: &Lexed, uses: &[(vk::DescriptorType, Descriptor)]) {
        let stage = vk::ShaderStageFlags::COMPUTE;
        let Some(rec) = &self.rec else { return };
        if let Some(key) = rec.wanted[1] {
            self.bind(line, 1, key);
            self.extend_sets(line, 1, key, uses, stage);
            return;
        }
        if rec.shaders {
            return;
        }
        let mut layout = PipelineLayoutInfo::default();
        let mut sets = Vec::new();
        if !uses.is_empty() {
            let (set_layout, set) = self.scene.set_of(uses, stage);
            layout.sets.push(Some(set_layout));
            sets.push(set);
        }
        let layout = self.scene.layout_of(layout);
        let info = PipelineInfo {
            point: vk::PipelineBindPoint::COMPUTE,
            layout: Some(layout),
            stages: stage,
            ..PipelineInfo::default()
        };
        let key = self.scene.pipeline_of(None, info, Some("default"), None);
        self.bind(line, 1, key);
        self.bind_sets(line, 1, layout, 0, sets);
    }

    /// A secondary command buffer draws in the subpass it inherits.
    pub fn inherit(&mut self) {
        let Some(rec) = self.rec.as_mut().filter(|rec| rec.recording.secondary) else {
            return;
        };
        let recording = &rec.recording;
        let mut state = PassState { subpasses: 1, ..PassState::default() };
        match recording.inherits {
            Some((Some(pass), subpass, fb)) => {
                let info = self.scene.render_passes.get(&pass).cloned().unwrap_or_default();
                state.subpasses = info.subpasses.len() as u32;
                state.subpass = subpass;
                state.object = Some((pass, info));
                if let Some(fb) = fb.and_then(|fb| self.scene.framebuffers.get(&fb)) {
                    state.area.extent = fb.extent;
                    state.views.clone_from(&fb.views);
                }
            }
            _ => {
                state.formats.clone_from(&recording.inherited_formats);
                let depth = |f: &&vk::Format| super::build::is_depth(**f);
                state.has_depth = state.formats.iter().any(|f| depth(&f));
                let colors = state.formats.iter().filter(|f| !depth(f)).count();
                let holes =
                    state.formats.iter().rev().take(2).filter(|f| **f == vk::Format::UNDEFINED);
                state.colors = colors.saturating_sub(holes.count()) as u32;
                state.samples = recording.inherited_samples;
            }
        }
        rec.pass = Some(state);
    }

    /// The labels that `clear-attachments` can name in this subpass.
    pub fn label_attachments(&mut self) {
        let Some(state) = self.rec.as_ref().and_then(|rec| rec.pass.as_ref()) else {
            return;
        };
        let mut labels = state.labels.clone();
        if let Some((_, pass)) = &state.object
            && let Some(subpass) = pass.subpasses.get(state.subpass as usize)
        {
            let mut add = |reference: &AttachmentReference, index: u32| {
                if let Some(a) = pass.attachments.get(reference.attachment as usize) {
                    let aspects = super::format::aspects(a.format);
                    labels.push((a.label.to_string(), aspects, index, a.format));
                }
            };
            for (index, reference) in (0..).zip(&subpass.color) {
                if let Some(reference) = reference {
                    add(reference, index);
                }
            }
            if let Some(depth) = &subpass.depth {
                add(depth, 0);
            }
        }
        self.scene.cleared = labels;
    }

    /// Gives the implicit device every extension that the listing needs.
    pub fn needed_extensions(&mut self) {
        let mut needed: Vec<&str> = Vec::new();
        for entry in &self.entries {
            super::needs::entry(entry, &mut needed);
        }
        needed.sort_unstable();
        needed.dedup();
        let implicit = |entry: &&mut Entry| entry.line.0 == 0;
        let first = self.entries.first_mut().filter(implicit);
        if let Some(Entry { call: Call::Device(info), .. }) = first {
            info.extensions = needed.into_iter().map(Into::into).collect();
        }
    }
}

/// A pipeline of the listing as the subpass needs it in which it is used.
fn instance(template: &Template, rec: &Rec, state: &PassState) -> PipelineInfo {
    let mut info = template.info.clone();
    fit(&mut info, state, !template.says_samples);
    let sets = |s: &vk::DynamicState| rec.set.contains(s);
    let open = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    if !template.says_dynamic && !open.iter().any(sets) {
        cover(&mut info, rec, state.area);
    }
    info
}
