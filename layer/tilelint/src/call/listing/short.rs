//! Passes: those of objects, and the short form that makes its objects.

use std::sync::Arc;

use ash::vk;

use super::build::{Described, Parts, build, find_attachment};
use super::dynamic::clear_words;
use super::lex::Lexed;
use super::parse::Parser;
use super::refs::{Seen, Sub, view_or_image, whole_view};
use super::row::{Done, Row, from_bad};
use super::specs::{self, AttachSpec, Label, Place, Role, Roles, SubpassSpec, label_text};
use super::value::{Bad, Mask, W};
use crate::call::*;

/// What the commands of a pass need to know of it.
#[derive(Clone, Debug, Default)]
pub(super) struct PassState {
    pub object: Option<(RenderPassKey, Arc<RenderPassInfo>)>,
    /// Formats of dynamic rendering: colours, depth, stencil.
    pub formats: Vec<vk::Format>,
    pub colors: u32,
    pub samples: u32,
    pub has_depth: bool,
    /// Views of a render pass's attachments.
    pub views: Vec<Option<ViewKey>>,
    pub area: vk::Rect2D,
    pub subpass: u32,
    pub subpasses: u32,
    /// Labels of dynamic attachments: label, aspects, colour index, format.
    pub labels: Vec<(String, vk::ImageAspectFlags, u32, vk::Format)>,
}

/// The keys of a `pass` line.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct PassLine {
    pub label: Option<Label>,
    pub via: Via,
    pub of: Option<RenderPassKey>,
    pub fb: Option<FramebufferKey>,
    pub views_bound: Option<Vec<Option<super::objects::Target>>>,
    pub extent: Option<vk::Extent2D>,
    pub area: Option<vk::Rect2D>,
    pub layers: u32,
    pub views: u32,
    pub contents: Contents,
    pub flags: vk::RenderingFlags,
    pub opaque: bool,
    pub merged: Option<u32>,
    pub tiles: Vec<vk::Extent2D>,
}

/// `pass`.
pub(super) fn pass_line(row: &mut Row, pass: &mut PassLine) -> Done {
    row.word(&mut pass.label)?;
    row.opt("via", &mut pass.via, Via::Rp2)?;
    row.maybe("of", &mut pass.of)?;
    row.maybe("fb", &mut pass.fb)?;
    row.maybe("views_bound", &mut pass.views_bound)?;
    row.maybe("extent", &mut pass.extent)?;
    row.maybe("area", &mut pass.area)?;
    row.opt("layers", &mut pass.layers, 1)?;
    row.with("views", &mut pass.views, Some(0), |v| Mask(*v), |m| m.0)?;
    row.opt("contents", &mut pass.contents, Contents::Inline)?;
    row.f("flags", &mut pass.flags, Some(vk::RenderingFlags::empty()))?;
    row.opt("opaque", &mut pass.opaque, false)?;
    row.maybe("merged", &mut pass.merged)?;
    row.opt("tiles", &mut pass.tiles, Vec::new())
}

fn whole(extent: vk::Extent2D) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D::default(), extent }
}

impl<'a> Parser<'a> {
    /// Reads a `pass` block.
    pub fn pass(&mut self, line: &'a Lexed) -> Done {
        if self.rec.as_ref().is_some_and(|rec| rec.pass.is_some()) {
            return Err(line.error(line.column, "a pass cannot stand inside a pass"));
        }
        let mut head = PassLine::default();
        let mut row = Row::read(line, &mut self.scene);
        pass_line(&mut row, &mut head)?;
        head.opaque |= !row.unknown.is_empty();
        row.finish()?;
        if head.merged.is_some() && (head.of.is_some() || head.via == Via::Dynamic) {
            return Err(line.error(line.column, "`merged=` is said of a render pass"));
        }
        if !head.tiles.is_empty() && head.of.is_some() {
            return Err(line.error(line.column, "`tiles=` is said of a framebuffer"));
        }
        let body = self.pass_body();
        let describes =
            |l: &&&Lexed| ["attach", "subpass", "dependency"].contains(&l.verb.as_str());
        let described: Vec<&Lexed> = body.iter().filter(describes).copied().collect();
        let (begin, state) = match head.of {
            Some(of) => self.object_pass(line, &head, of, &described)?,
            None if head.fb.is_some() || head.views_bound.is_some() => {
                return Err(line.error(line.column, "`fb=` needs `of=`"));
            }
            None => self.short_pass(line, &head, &described)?,
        };
        let Some(rec) = self.rec.as_mut() else {
            return Ok(());
        };
        rec.push(Command::BeginPass(Box::new(begin)), Line(line.line));
        rec.pass = Some(state);
        self.label_attachments();
        loop {
            let inner = self.lines[self.at];
            self.at += 1;
            self.scene.line = Line(inner.line);
            match inner.verb.as_str() {
                "end" => break,
                "attach" | "subpass" | "dependency" => {}
                _ => self.command(inner)?,
            }
        }
        let end = Line(self.lines[self.at - 1].line);
        if let Some(rec) = self.rec.as_mut() {
            rec.push(Command::EndPass, end);
            rec.pass = None;
        }
        self.scene.cleared.clear();
        Ok(())
    }

    /// The lines of the block that begins here.
    fn pass_body(&self) -> Vec<&'a Lexed> {
        let rest = self.lines[self.at..].iter().copied();
        rest.take_while(|l| l.verb != "end").collect()
    }

    /// Reads the lines that describe a pass or render pass.
    pub fn parts(
        &mut self,
        body: &[&'a Lexed],
        place: Place,
        opaque: &mut bool,
    ) -> Done<Parts<'a>> {
        let mut parts = Parts {
            attachments: Vec::new(),
            subpasses: Vec::new(),
            dependencies: Vec::new(),
            views: 0,
        };
        let mut dependencies = Vec::new();
        for line in body {
            let number = Line(line.line);
            let mut row = Row::read(line, &mut self.scene);
            match line.verb.as_str() {
                "attach" => {
                    let mut spec = AttachSpec { line: number, ..AttachSpec::default() };
                    spec.column = line.words().next().map_or(line.column, |t| t.column);
                    specs::attach(&mut row, &mut spec, place)?;
                    parts.attachments.push(Described { line, spec });
                }
                "subpass" => {
                    let mut spec = SubpassSpec { line: number, ..SubpassSpec::default() };
                    specs::subpass(&mut row, &mut spec)?;
                    parts.subpasses.push(Described { line, spec });
                }
                "dependency" => {
                    dependencies.push(line);
                    continue;
                }
                _ => {
                    let message = format!("`{}` cannot stand here", line.verb);
                    return Err(match super::record::VERBS.contains(&line.verb.as_str()) {
                        true => line.error(line.column, message),
                        false => self.unknown_verb(line),
                    });
                }
            }
            *opaque |= !row.unknown.is_empty();
            row.finish()?;
        }
        for line in dependencies {
            let mut spec = specs::blank_dependency(Line(line.line));
            let mut row = Row::read(line, &mut self.scene);
            let find = |name: &str| {
                let found = parts.subpasses.iter().position(|s| *s.spec.label == *name);
                found.map(|index| index as u32)
            };
            specs::dependency(&mut row, &mut spec, find)?;
            *opaque |= !row.unknown.is_empty();
            row.finish()?;
            parts.dependencies.push(spec);
        }
        Ok(parts)
    }

    fn object_pass(
        &mut self,
        line: &'a Lexed,
        head: &PassLine,
        of: RenderPassKey,
        body: &[&'a Lexed],
    ) -> Done<(PassBegin, PassState)> {
        let Some(fb) = head.fb else {
            return Err(line.error(line.column, "`of=` needs `fb=`"));
        };
        let parts = self.parts(body, Place::Clear, &mut false)?;
        let info = self.scene.render_passes.get(&of).cloned().unwrap_or_default();
        let mut clears = Vec::new();
        for attach in &parts.attachments {
            let subject = &attach.spec.subject;
            let by_name = || info.attachments.iter().position(|a| *a.label == **subject);
            let index = match super::value::number(subject) {
                Some(index) => Some(index as usize).filter(|i| *i < info.attachments.len().max(64)),
                None => by_name(),
            };
            let Some(index) = index else {
                let labels = info.attachments.iter().map(|a| &*a.label);
                let bad = Bad::word("attachment", subject, labels.filter(|l| !l.is_empty()));
                return Err(from_bad(attach.line, attach.spec.column, bad));
            };
            let format = info.attachments.get(index).map(|a| a.format).unwrap_or_default();
            if let Some(clear) = &attach.spec.clear {
                clears.resize(clears.len().max(index + 1), None);
                clears[index] = Some(clear.words(format));
            }
        }
        let framebuffer = self.scene.framebuffers.get(&fb);
        let extent = framebuffer.map(|f| f.extent).or(head.extent).unwrap_or_default();
        let area = head.area.unwrap_or_else(|| whole(head.extent.unwrap_or(extent)));
        let bound = head.views_bound.as_ref();
        let bound = bound.map(|l| l.iter().map(|v| v.map(|v| v.0)).collect::<Vec<_>>());
        let views = bound.clone().or_else(|| framebuffer.map(|f| f.views.clone()));
        let state = PassState {
            views: views.unwrap_or_default(),
            area,
            subpasses: info.subpasses.len().max(1) as u32,
            object: Some((of, info)),
            ..PassState::default()
        };
        let target = PassTarget::Object { render_pass: of, framebuffer: fb, views_bound: bound };
        let begin = PassBegin {
            label: label_text(head.label.clone()),
            target,
            area,
            contents: head.contents,
            clears,
            line: Line(line.line),
            // The render pass object says what its attachments are; here stand clear values.
            attach_lines: Vec::new(),
        };
        Ok((begin, state))
    }

    /// Gives the attachments that `resolve=` names without an `attach` of their own one.
    fn implied_resolves(parts: &mut Parts<'a>) {
        let mut implied: Vec<Described<'a, AttachSpec>> = Vec::new();
        let on_attach = parts.attachments.iter().filter_map(|a| {
            a.spec.resolve.as_ref().map(|r| (a.line, r.0.clone(), a.spec.stencil_resolve_mode))
        });
        let on_subpass = parts.subpasses.iter().flat_map(|s| {
            let color = s.spec.resolve.iter().flatten().map(|u| (s.line, u.name.clone(), None));
            let depth = s.spec.depth_resolve.iter();
            color.chain(depth.map(|u| (s.line, u.name.clone(), s.spec.stencil_mode)))
        });
        for (line, name, stencil) in on_attach.chain(on_subpass) {
            let label = name.split('@').next().unwrap_or_default().to_owned();
            let label = label.as_str();
            let known = find_attachment(parts, label).is_some()
                || implied.iter().any(|i| i.spec.name() == label)
                || name == "-";
            if !known {
                let mut spec = AttachSpec {
                    subject: name,
                    store: Some(W(vk::AttachmentStoreOp::STORE)),
                    roles: Some(Roles(vec![Role::Resolve])),
                    line: Line(line.line),
                    ..AttachSpec::default()
                };
                if stencil.is_some() {
                    spec.stencil_store = Some(W(vk::AttachmentStoreOp::STORE));
                }
                let value = |t: &&super::lex::Token| t.value.split('@').next() == Some(label);
                spec.column = line.tokens.iter().find(value).map_or(0, |t| t.value_column);
                implied.push(Described { line, spec });
            }
        }
        parts.attachments.extend(implied);
    }

    /// The view that an attachment of a short pass uses.
    pub fn target_view(
        &mut self,
        attach: &Described<AttachSpec>,
        subject: &str,
        layers: u32,
    ) -> Done<ViewKey> {
        let error = |bad| from_bad(attach.line, attach.spec.column, bad);
        let seen = view_or_image(subject, &mut self.scene).map_err(error)?;
        let (image, sub) = match seen {
            Seen::View(key) => return Ok(key),
            Seen::Image(image, sub) => (image, sub),
        };
        let has_layer = subject.contains('/');
        let of = self.scene.images.get(&image).map_or(1, |i| i.layers);
        let roles = attach.spec.roles();
        let fits = roles.contains(&Role::Density) || roles.contains(&Role::ShadingRate);
        let given = sub.unwrap_or(Sub { base_mip: 0, mips: 1, base_layer: 0, layers: 1 });
        let sub = Sub {
            base_mip: given.base_mip,
            mips: 1,
            base_layer: if has_layer { given.base_layer } else { 0 },
            layers: match has_layer {
                true => given.layers,
                false if fits => layers.min(of),
                false => layers,
            },
        };
        Ok(whole_view(&mut self.scene, image, Some(sub), None))
    }

    /// Size of a view's mip, in texels.
    fn view_extent(&self, view: ViewKey) -> Option<vk::Extent2D> {
        let view = self.scene.views.get(&view)?;
        let extent = self.scene.images.get(&view.image)?.extent;
        let at = |n: u32| n.checked_shr(view.base_mip).unwrap_or(0).max(1);
        Some(vk::Extent2D { width: at(extent.width), height: at(extent.height) })
    }

    fn short_pass(
        &mut self,
        line: &'a Lexed,
        head: &PassLine,
        body: &[&'a Lexed],
    ) -> Done<(PassBegin, PassState)> {
        let mut opaque = head.opaque;
        let mut parts = self.parts(body, Place::Pass, &mut opaque)?;
        parts.views = head.views;
        let dynamic = head.via == Via::Dynamic;
        if !dynamic {
            Self::implied_resolves(&mut parts);
        }
        let layers = match head.views {
            0 => head.layers,
            views => u32::BITS - views.leading_zeros(),
        };
        let views = self.short_views(&mut parts, layers, dynamic)?;
        let extent = head.extent.or_else(|| self.smallest(&parts, &views));
        let area = match (head.area, extent) {
            (Some(area), _) => area,
            (None, Some(extent)) => whole(extent),
            (None, None) => {
                return Err(line.error(line.column, "a pass without attachments needs `extent=`"));
            }
        };
        let extent = extent.unwrap_or(area.extent);
        let label = label_text(head.label.clone());
        let mut attach_lines = parts.attachments.iter().map(|a| a.spec.line).collect();
        let (target, clears, mut state) = if dynamic {
            let (rendering, state) = self.rendering(head, &parts, &views, layers, opaque)?;
            attach_lines = rendering.attachments.iter().map(|a| a.line).collect();
            (PassTarget::Dynamic(rendering), Vec::new(), state)
        } else {
            self.chain_layouts(&mut parts, &views);
            let mut info = build(&mut parts)?;
            (info.via, info.merged, info.opaque) = (head.via, head.merged, opaque);
            let clears = clears(&parts);
            let fb = FramebufferInfo {
                render_pass: RenderPassKey(0),
                extent,
                layers: if head.views != 0 { 1 } else { layers },
                views,
                imageless: None,
                tiles: head.tiles.clone(),
            };
            let (target, state) = self.kept(info, fb, label.clone().unwrap_or_default());
            (target, clears, state)
        };
        state.area = area;
        let begin = PassBegin {
            label,
            target,
            area,
            contents: head.contents,
            clears,
            line: Line(line.line),
            attach_lines,
        };
        Ok((begin, state))
    }

    /// The size of the smallest attachment, in texels; maps do not count.
    fn smallest(&self, parts: &Parts, views: &[Option<ViewKey>]) -> Option<vk::Extent2D> {
        let mut smallest: Option<vk::Extent2D> = None;
        for (attach, view) in parts.attachments.iter().zip(views) {
            let roles = attach.spec.roles();
            let maps = roles.contains(&Role::Density) || roles.contains(&Role::ShadingRate);
            let Some(size) = view.filter(|_| !maps).and_then(|v| self.view_extent(v)) else {
                continue;
            };
            let least = smallest.unwrap_or(size);
            smallest = Some(vk::Extent2D {
                width: least.width.min(size.width),
                height: least.height.min(size.height),
            });
        }
        smallest
    }

    /// Finds the views of a short pass; completes formats and samples of its attachments.
    fn short_views(
        &mut self,
        parts: &mut Parts,
        layers: u32,
        dynamic: bool,
    ) -> Done<Vec<Option<ViewKey>>> {
        let mut views = Vec::new();
        for attach in &mut parts.attachments {
            let subject = attach.spec.subject.clone();
            if subject == "-" {
                if !dynamic {
                    let message = "an attachment of a render pass needs an image";
                    return Err(attach.line.error(attach.spec.column, message));
                }
                views.push(None);
                continue;
            }
            let view = self.target_view(attach, &subject, layers)?;
            attach.spec.format = super::refs::view_format(&self.scene, view).map(W);
            let image = self.scene.views.get(&view).and_then(|v| self.scene.images.get(&v.image));
            attach.spec.samples = image.map_or(1, |i| i.samples);
            views.push(Some(view));
        }
        Ok(views)
    }

    /// The render pass and framebuffer of a short pass: made once and kept.
    fn kept(
        &mut self,
        info: RenderPassInfo,
        mut fb: FramebufferInfo,
        name: Box<str>,
    ) -> (PassTarget, PassState) {
        let made = self.scene.made_passes.iter().find(|(n, i, _)| *n == name && **i == info);
        let (info, key) = match made {
            Some((_, info, key)) => (info.clone(), *key),
            None => {
                let key = RenderPassKey(self.scene.fresh(Kind::RenderPass));
                let info = Arc::new(info);
                self.scene.render_passes.insert(key, info.clone());
                self.scene.made_passes.push((name.clone(), info.clone(), key));
                let name = (!name.is_empty()).then_some(&*name);
                self.scene.make(Call::RenderPass(key, info.clone()), name);
                (info, key)
            }
        };
        fb.render_pass = key;
        let framebuffer = match self.scene.made_framebuffers.find(&fb) {
            Some(key) => FramebufferKey(key),
            None => {
                let key = FramebufferKey(self.scene.fresh(Kind::Framebuffer));
                self.scene.framebuffers.insert(key, fb.clone());
                self.scene.made_framebuffers.add(fb.clone(), key.0);
                self.scene.make(Call::Framebuffer(key, Box::new(fb.clone())), None);
                key
            }
        };
        let state = PassState {
            views: fb.views,
            subpasses: info.subpasses.len() as u32,
            object: Some((key, info)),
            ..PassState::default()
        };
        (PassTarget::Object { render_pass: key, framebuffer, views_bound: None }, state)
    }
}

/// The clear values of a short pass.
fn clears(parts: &Parts) -> Vec<Option<[u32; 4]>> {
    let value = |attach: &Described<AttachSpec>| {
        let spec = &attach.spec;
        let clear = Some(W(vk::AttachmentLoadOp::CLEAR));
        let any = if spec.load == clear || spec.stencil_load == clear { clear } else { None };
        let format = spec.format.map_or(vk::Format::UNDEFINED, |w| w.0);
        clear_words(spec, any.map(|w| w.0), format)
    };
    let mut clears: Vec<_> = parts.attachments.iter().map(value).collect();
    while clears.last() == Some(&None) {
        clears.pop();
    }
    clears
}
