//! Render passes, passes and their attachments.

use std::sync::Arc;

use ash::vk;

use super::super::build::{is_depth, role_layout};
use super::super::lex::LINE_BYTES;
use super::super::refs::view_format;
use super::super::row::{Done, Row};
use super::super::scene::{Scene, is_name};
use super::super::short::{PassLine, pass_line};
use super::super::specs::{
    self, AttachSpec, ClearValue, Label, Named, Place, Role, Roles, SubpassSpec, Use,
};
use super::super::value::{F, Mask, Value, W};
use super::Printer;
use crate::call::*;

/// Names under which the attachments of a render pass are printed: labels, else numbers.
fn labels(attachments: &[AttachmentDescription]) -> Vec<String> {
    let unique = |label: &str| attachments.iter().filter(|a| *a.label == *label).count() == 1;
    let name = |(index, a): (usize, &AttachmentDescription)| {
        if is_name(&a.label) && unique(&a.label) { a.label.to_string() } else { index.to_string() }
    };
    attachments.iter().enumerate().map(name).collect()
}

fn write_attach(scene: &mut Scene, spec: &mut AttachSpec, place: Place) -> Done<String> {
    let mut row = Row::write("  attach", Vec::new(), scene);
    specs::attach(&mut row, spec, place)?;
    row.finish()
}

fn described(label: &str, a: &AttachmentDescription) -> AttachSpec {
    AttachSpec {
        subject: label.to_owned(),
        load: a.load.map(W),
        store: a.store.map(W),
        stencil_load: a.stencil_load.map(W),
        stencil_store: a.stencil_store.map(W),
        initial: Some(W(a.initial)),
        final_: Some(W(a.final_)),
        stencil_layouts: a.stencil_layouts.map(|l| l.map(W).to_vec()),
        flags: a.flags,
        format: Some(W(a.format)),
        samples: a.samples,
        ..AttachSpec::default()
    }
}

/// Writes the references of a subpass; layouts that go without saying are left out.
struct Uses<'l> {
    labels: &'l [String],
    both: Vec<u32>,
}

impl Uses<'_> {
    fn of(&self, reference: &AttachmentReference, usual: Option<vk::ImageLayout>) -> Use {
        let index = reference.attachment;
        let name = self.labels.get(index as usize).cloned();
        let usual = usual.filter(|_| !self.both.contains(&index));
        Use {
            name: name.unwrap_or_else(|| index.to_string()),
            layout: (usual != Some(reference.layout)).then_some(reference.layout),
        }
    }

    fn list(
        &self,
        list: &[Option<AttachmentReference>],
        usual: Option<vk::ImageLayout>,
    ) -> Vec<Option<Use>> {
        list.iter().map(|r| r.as_ref().map(|r| self.of(r, usual))).collect()
    }
}

fn subpass(labels: &[String], subpass: &SubpassDescription) -> SubpassSpec {
    let both = subpass.input.iter().flatten().map(|r| r.attachment).collect();
    let uses = Uses { labels, both };
    let color = Some(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
    let depth = Some(vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    let rate = Some(role_layout(Role::ShadingRate, vk::Format::UNDEFINED));
    let resolve = subpass.depth_resolve.as_ref();
    let aspects = |r: &Option<AttachmentReference>| {
        r.map(|r| r.aspects).filter(|aspects| !aspects.is_empty()).map(F)
    };
    let mut input_aspects: Vec<_> = subpass.input.iter().map(aspects).collect();
    if input_aspects.iter().all(Option::is_none) {
        input_aspects.clear();
    }
    SubpassSpec {
        label: subpass.label.clone(),
        color: uses.list(&subpass.color, color),
        input: uses.list(&subpass.input, None),
        depth: subpass.depth.as_ref().map(|r| uses.of(r, depth)),
        resolve: uses.list(&subpass.resolve, None),
        depth_resolve: resolve.map(|r| uses.of(&r.target, None)),
        depth_mode: resolve.map(|r| F(r.depth_mode)),
        stencil_mode: resolve.map(|r| F(r.stencil_mode)).filter(|m| !m.0.is_empty()),
        preserve: subpass
            .preserve
            .iter()
            .map(|i| Named(labels.get(*i as usize).cloned().unwrap_or_else(|| i.to_string())))
            .collect(),
        shading_rate: subpass.shading_rate.as_ref().map(|r| uses.of(r, rate)),
        views: (subpass.view_mask != 0).then_some(Mask(subpass.view_mask)),
        flags: subpass.flags,
        input_aspects,
        merge: subpass.merge.as_ref().map(|merge| W(merge.status)),
        merge_index: subpass.merge.as_ref().map_or(0, |merge| merge.index),
        merge_text: subpass.merge.as_ref().map_or_else(Box::default, |merge| merge.text.clone()),
        line: Line(0),
    }
}

impl Printer {
    /// Prints a `renderpass` block.
    pub(super) fn renderpass(
        &mut self,
        entry: &Entry,
        key: RenderPassKey,
        info: &Arc<RenderPassInfo>,
    ) -> Done<Vec<String>> {
        self.scene.render_passes.insert(key, info.clone());
        let (mut via, mut flags, mut opaque) = (info.via, info.flags, info.opaque);
        let mut merged = info.merged;
        let mut lines = self.object(entry, "renderpass", key.into(), |row| {
            row.opt("via", &mut via, Via::Rp2)?;
            row.f("flags", &mut flags, Some(vk::RenderPassCreateFlags::empty()))?;
            row.opt("opaque", &mut opaque, false)?;
            row.maybe("merged", &mut merged)
        })?;
        let labels = labels(&info.attachments);
        for (index, (label, attachment)) in labels.iter().zip(&info.attachments).enumerate() {
            let mut spec = described(label, attachment);
            if let Some(density) = info.density.filter(|d| d.attachment as usize == index) {
                spec.roles = Some(Roles(vec![Role::Density]));
                spec.layout = Some(W(density.layout));
            }
            lines.push(write_attach(&mut self.scene, &mut spec, Place::RenderPass)?);
        }
        for description in &info.subpasses {
            let mut row = Row::write("  subpass", Vec::new(), &mut self.scene);
            specs::subpass(&mut row, &mut subpass(&labels, description))?;
            lines.push(row.finish()?);
        }
        for dependency in &info.dependencies {
            let mut row = Row::write("  dependency", Vec::new(), &mut self.scene);
            specs::dependency(&mut row, &mut dependency.clone(), |_| None)?;
            lines.push(row.finish()?);
        }
        lines.push("end".to_owned());
        Ok(lines)
    }

    /// Prints the beginning of a `pass` block.
    pub(super) fn begin_pass(&mut self, begin: &PassBegin) -> Done<Vec<String>> {
        let label = begin.label.as_ref().filter(|l| is_name(l));
        let mut line = PassLine {
            label: label.map(|l| Label(l.to_string())),
            area: Some(begin.area),
            contents: begin.contents,
            layers: 1,
            ..PassLine::default()
        };
        match &begin.target {
            PassTarget::Object { render_pass, framebuffer, views_bound } => {
                line.of = Some(*render_pass);
                line.fb = Some(*framebuffer);
                let bound = views_bound.as_deref();
                line.views_bound = bound.map(super::super::objects::targets);
            }
            PassTarget::Dynamic(rendering) => {
                line.via = Via::Dynamic;
                line.layers = rendering.layers;
                line.views = rendering.view_mask;
                line.flags = rendering.flags;
                line.opaque = rendering.opaque;
                line.tiles.clone_from(&rendering.tiles);
            }
        }
        let mut row = Row::write("pass", Vec::new(), &mut self.scene);
        pass_line(&mut row, &mut line)?;
        let mut lines = vec![row.finish()?];
        match &begin.target {
            PassTarget::Object { render_pass, .. } => {
                let info = self.scene.render_passes.get(render_pass).cloned().unwrap_or_default();
                let labels = labels(&info.attachments);
                for (index, clear) in begin.clears.iter().enumerate() {
                    let Some(clear) = clear else { continue };
                    let label = labels.get(index).cloned();
                    let mut spec = AttachSpec {
                        subject: label.unwrap_or_else(|| index.to_string()),
                        clear: Some(ClearValue::of(*clear)),
                        ..AttachSpec::default()
                    };
                    lines.push(write_attach(&mut self.scene, &mut spec, Place::Clear)?);
                }
            }
            PassTarget::Dynamic(rendering) => {
                for attachment in &rendering.attachments {
                    let mut spec = rendering_spec(&mut self.scene, attachment);
                    lines.push(write_attach(&mut self.scene, &mut spec, Place::Pass)?);
                }
            }
        }
        Ok(lines)
    }
}

fn rendering_spec(scene: &mut Scene, a: &RenderingAttachment) -> AttachSpec {
    let format = a.view.and_then(|v| view_format(scene, v)).unwrap_or_default();
    let role = match a.role {
        RenderingRole::Color(_) => Role::Color,
        RenderingRole::Depth => Role::Depth,
        RenderingRole::Stencil => Role::Stencil,
        RenderingRole::Density => Role::Density,
        RenderingRole::ShadingRate => Role::ShadingRate,
    };
    let usual = role_layout(role, format);
    let view = a.view.map_or_else(|| "-".to_owned(), |v| v.write(scene));
    let resolve = a.resolve_view.map(|v| Named(v.write(scene)));
    let (mode, layout) = match resolve {
        Some(_) => (vk::ResolveModeFlags::AVERAGE, usual),
        None => (vk::ResolveModeFlags::NONE, vk::ImageLayout::UNDEFINED),
    };
    AttachSpec {
        subject: view,
        load: a.load.map(W),
        store: a.store.map(W),
        roles: (role != Role::Color || is_depth(format)).then(|| Roles(vec![role])),
        resolve,
        resolve_mode: (a.resolve_mode != mode).then_some(F(a.resolve_mode)),
        resolve_layout: (a.resolve_layout != layout).then_some(W(a.resolve_layout)),
        layout: (a.layout != usual).then_some(W(a.layout)),
        clear: a.clear.map(ClearValue::of),
        ..AttachSpec::default()
    }
}

fn line_of(mut spec: AttachSpec) -> String {
    let mut scene = Scene::default();
    let line = write_attach(&mut scene, &mut spec, Place::Pass).unwrap_or_default();
    let line = line.trim_start();
    let mut end = line.len().min(LINE_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].to_owned()
}

/// Prints one line for an attachment of a render pass object, as a diagnostic quotes it: what it is
/// used as where that is neither colour nor depth, and the label of what it resolves to.
pub fn attach_line(
    label: &str,
    attachment: &AttachmentDescription,
    role: Option<&str>,
    resolve: Option<&str>,
) -> String {
    let mut spec = described(label, attachment);
    (spec.initial, spec.final_, spec.format, spec.samples) = (None, None, None, 1);
    spec.roles =
        role.and_then(|r| Role::read(r, &mut Scene::default()).ok()).map(|r| Roles(vec![r]));
    spec.resolve = resolve.map(|r| Named(r.to_owned()));
    line_of(spec)
}

/// Prints one line for an attachment of a rendering instance, as a diagnostic quotes it. Depth and
/// stencil of one view go together: `stencil` is the other one.
pub fn rendering_line(
    label: &str,
    attachment: &RenderingAttachment,
    stencil: Option<&RenderingAttachment>,
    resolve: Option<&str>,
) -> String {
    let bare = RenderingAttachment { view: None, resolve_view: None, ..attachment.clone() };
    let mut spec = rendering_spec(&mut Scene::default(), &bare);
    spec.subject = label.to_owned();
    spec.clear = None;
    (spec.resolve_mode, spec.resolve_layout) = (None, None);
    spec.resolve = resolve.map(|r| Named(r.to_owned()));
    if resolve.is_some() && attachment.resolve_mode != vk::ResolveModeFlags::AVERAGE {
        spec.resolve_mode = Some(F(attachment.resolve_mode));
    }
    if let Some(stencil) = stencil {
        spec.roles = None;
        spec.stencil_load = stencil.load.map(W);
        spec.stencil_store = stencil.store.map(W);
    }
    line_of(spec)
}
