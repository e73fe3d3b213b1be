//! Passes: those of objects, and the short form that makes its objects.

use std::sync::Arc;

use ash::vk;

use super::build::{Described, Parts, build, find_attachment, role_layout};
use super::lex::Lexed;
use super::parse::Parser;
use super::refs::{Seen, Sub, split_at, view_or_image, whole_view};
use super::row::{Done, Row, from_bad};
use super::specs::{self, AttachSpec, Named, Place, Role, Roles, SubpassSpec};
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
    pub label: Option<Named>,
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
    row.opt("opaque", &mut pass.opaque, false)
}

fn whole(extent: vk::Extent2D) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D::default(), extent }
}

impl<'a> Parser<'a> {
    /// Reads a `pass` block.
    pub fn pass(&mut self, line: &'a Lexed) -> Done {
        let mut head = PassLine::default();
        let mut row = Row::read(line, &mut self.scene);
        pass_line(&mut row, &mut head)?;
        head.opaque |= !row.unknown.is_empty();
        row.finish()?;
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
        let mut attach_lines: Vec<Line> = info.attachments.iter().map(|a| a.line).collect();
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
            if let Some(slot) = attach_lines.get_mut(index) {
                *slot = attach.spec.line;
            }
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
            label: head.label.as_ref().map(|l| l.0.as_str().into()),
            target,
            area,
            contents: head.contents,
            clears,
            line: Line(line.line),
            attach_lines,
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
    fn target_view(
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
        let views = self.short_views(&mut parts, layers)?;
        let mut extent = head.extent;
        for (attach, view) in parts.attachments.iter().zip(&views) {
            let roles = attach.spec.roles();
            let maps = roles.contains(&Role::Density) || roles.contains(&Role::ShadingRate);
            let Some(size) = view.filter(|_| !maps).and_then(|v| self.view_extent(v)) else {
                continue;
            };
            if head.extent.is_none() {
                let smallest = extent.unwrap_or(size);
                extent = Some(vk::Extent2D {
                    width: smallest.width.min(size.width),
                    height: smallest.height.min(size.height),
                });
            }
        }
        let area = match (head.area, extent) {
            (Some(area), _) => area,
            (None, Some(extent)) => whole(extent),
            (None, None) => {
                return Err(line.error(line.column, "a pass without attachments needs `extent=`"));
            }
        };
        let extent = extent.unwrap_or(area.extent);
        let label: Option<Box<str>> = head.label.as_ref().map(|l| l.0.as_str().into());
        let attach_lines = parts.attachments.iter().map(|a| a.spec.line).collect();
        let (target, clears, mut state) = if dynamic {
            let (rendering, state) = self.rendering(head, &parts, &views, layers, opaque)?;
            (PassTarget::Dynamic(rendering), Vec::new(), state)
        } else {
            self.chain_layouts(&mut parts, &views);
            let mut info = build(&mut parts)?;
            (info.via, info.opaque) = (head.via, opaque);
            let clears = clears(&parts);
            let fb = FramebufferInfo {
                render_pass: RenderPassKey(0),
                extent,
                layers: if head.views != 0 { 1 } else { layers },
                views,
                imageless: None,
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

    /// Finds the views of a short pass; completes formats and samples of its attachments.
    fn short_views(&mut self, parts: &mut Parts, layers: u32) -> Done<Vec<Option<ViewKey>>> {
        let mut views = Vec::new();
        for attach in &mut parts.attachments {
            let subject = attach.spec.subject.clone();
            if subject == "-" {
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
        let made = self.scene.made_framebuffers.iter().find(|(made, _)| *made == fb);
        let framebuffer = match made {
            Some((_, key)) => *key,
            None => {
                let key = FramebufferKey(self.scene.fresh(Kind::Framebuffer));
                self.scene.framebuffers.insert(key, fb.clone());
                self.scene.made_framebuffers.push((fb.clone(), key));
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

    /// A swapchain's image is left for presentation by its last pass of the frame.
    fn chain_layouts(&self, parts: &mut Parts, views: &[Option<ViewKey>]) {
        for (attach, view) in parts.attachments.iter_mut().zip(views) {
            let image = view.and_then(|v| self.scene.views.get(&v)).map(|v| v.image);
            let Some(image) = image else { continue };
            let mut chains = self.scene.swapchains.iter();
            let Some((key, _)) = chains.find(|(_, c)| c.info.images.contains(&image)) else {
                continue;
            };
            if attach.spec.final_.is_none() && !self.used_again(*key, image) {
                attach.spec.final_ = Some(W(vk::ImageLayout::PRESENT_SRC_KHR));
            }
        }
    }

    /// Says whether a later pass of this frame draws to an image of a swapchain.
    fn used_again(&self, chain: SwapchainKey, image: ImageKey) -> bool {
        let names = |word: &str| {
            let name = split_at(word).map_or(word, |(name, _)| name);
            let of_view = self.scene.find(name, Kind::View).map(ViewKey);
            let of_view = of_view.and_then(|v| self.scene.views.get(&v)).map(|v| v.image);
            self.scene.find(name, Kind::Swapchain) == Some(chain.0)
                || self.scene.find(name, Kind::Image) == Some(image.0)
                || of_view == Some(image)
        };
        let rest = self.lines[self.at..].iter().skip_while(|l| l.verb != "end");
        for line in rest {
            let word = line.words().next().map(|t| t.value.as_str());
            match line.verb.as_str() {
                "frame" => return false,
                "present" if word.is_some_and(names) => return false,
                "attach" if word.is_some_and(names) => return true,
                "attach" if line.value("resolve").is_some_and(names) => return true,
                _ => {}
            }
        }
        false
    }

    /// The rendering instance of a short pass.
    fn rendering(
        &mut self,
        head: &PassLine,
        parts: &Parts,
        views: &[Option<ViewKey>],
        layers: u32,
        opaque: bool,
    ) -> Done<(Rendering, PassState)> {
        if let Some(subpass) = parts.subpasses.first() {
            let line = subpass.line;
            return Err(line.error(line.column, "dynamic rendering has no subpasses"));
        }
        let mut out = Rendering {
            layers: head.layers,
            view_mask: head.views,
            flags: head.flags,
            opaque,
            ..Rendering::default()
        };
        let mut state =
            PassState { subpasses: 1, samples: 1, formats: Vec::new(), ..PassState::default() };
        let mut depth = [vk::Format::UNDEFINED; 2];
        for (attach, view) in parts.attachments.iter().zip(views) {
            let format = attach.spec.format.map_or(vk::Format::UNDEFINED, |w| w.0);
            let resolve = match &attach.spec.resolve {
                Some(name) if name.0 != "-" => Some(self.target_view(attach, &name.0, layers)?),
                _ => None,
            };
            for role in dynamic_roles(attach, format)? {
                let role = match role {
                    RenderingRole::Color(_) => RenderingRole::Color(state.colors),
                    role => role,
                };
                match role {
                    RenderingRole::Color(_) => {
                        state.colors += 1;
                        state.formats.push(format);
                    }
                    RenderingRole::Depth => depth[0] = format,
                    RenderingRole::Stencil => depth[1] = format,
                    _ => {}
                }
                if !matches!(role, RenderingRole::Density | RenderingRole::ShadingRate) {
                    state.samples = attach.spec.samples;
                }
                state.labels.push(label(attach, role, format));
                out.attachments.push(rendering_attachment(&attach.spec, role, *view, resolve));
            }
        }
        out.attachments.sort_by_key(|a| match a.role {
            RenderingRole::Color(index) => index,
            RenderingRole::Depth => u32::MAX - 3,
            RenderingRole::Stencil => u32::MAX - 2,
            RenderingRole::Density => u32::MAX - 1,
            RenderingRole::ShadingRate => u32::MAX,
        });
        state.has_depth = depth[0] != vk::Format::UNDEFINED;
        state.formats.extend(depth);
        Ok((out, state))
    }
}

fn label(
    attach: &Described<AttachSpec>,
    role: RenderingRole,
    format: vk::Format,
) -> (String, vk::ImageAspectFlags, u32, vk::Format) {
    let (aspects, index) = match role {
        RenderingRole::Color(index) => (vk::ImageAspectFlags::COLOR, index),
        _ => (super::format::aspects(format), 0),
    };
    (attach.spec.name().to_owned(), aspects, index, format)
}

/// The parts that an attachment plays in a rendering instance.
fn dynamic_roles(attach: &Described<AttachSpec>, format: vk::Format) -> Done<Vec<RenderingRole>> {
    let has = super::format::aspects(format);
    let mut roles = Vec::new();
    for role in attach.spec.roles() {
        match role {
            Role::Color => roles.push(RenderingRole::Color(0)),
            Role::Depth => roles.push(RenderingRole::Depth),
            Role::Stencil => roles.push(RenderingRole::Stencil),
            Role::DepthStencil => {
                if has.contains(vk::ImageAspectFlags::DEPTH) {
                    roles.push(RenderingRole::Depth);
                }
                if has.contains(vk::ImageAspectFlags::STENCIL) {
                    roles.push(RenderingRole::Stencil);
                }
            }
            Role::Density => roles.push(RenderingRole::Density),
            Role::ShadingRate => roles.push(RenderingRole::ShadingRate),
            Role::Input if attach.spec.roles().len() > 1 => {}
            Role::Resolve | Role::Input | Role::None => {
                let message = "dynamic rendering has no attachment of this kind";
                return Err(attach.line.error(attach.spec.column, message));
            }
        }
    }
    Ok(roles)
}

fn rendering_attachment(
    spec: &AttachSpec,
    role: RenderingRole,
    view: Option<ViewKey>,
    resolve: Option<ViewKey>,
) -> RenderingAttachment {
    let format = spec.format.map_or(vk::Format::UNDEFINED, |w| w.0);
    let alone = spec.roles.as_ref().is_some_and(|r| r.0 == [Role::Stencil])
        || super::format::aspects(format) == vk::ImageAspectFlags::STENCIL;
    let stencil = role == RenderingRole::Stencil && !alone;
    let (load, store) = match stencil {
        true => (spec.stencil_load, spec.stencil_store),
        false => (spec.load, spec.store),
    };
    let usual = match role {
        RenderingRole::Color(_) => Role::Color,
        RenderingRole::Depth | RenderingRole::Stencil => Role::DepthStencil,
        RenderingRole::Density => Role::Density,
        RenderingRole::ShadingRate => Role::ShadingRate,
    };
    let layout = role_layout(usual, format);
    let mode = match (resolve, stencil) {
        (None, _) => spec.resolve_mode,
        (Some(_), true) => spec.stencil_resolve_mode,
        (Some(_), false) => {
            Some(spec.resolve_mode.unwrap_or(super::value::F(vk::ResolveModeFlags::AVERAGE)))
        }
    };
    let mode = mode.map_or(vk::ResolveModeFlags::NONE, |f| f.0);
    let unused = stencil && mode.is_empty();
    let resolve = resolve.filter(|_| !unused);
    let usual = if resolve.is_some() { layout } else { vk::ImageLayout::UNDEFINED };
    RenderingAttachment {
        role,
        view,
        layout: spec.layout.map_or(layout, |w| w.0),
        load: load.map(|w| w.0),
        store: store.map(|w| w.0),
        resolve_mode: mode,
        resolve_view: resolve,
        resolve_layout: spec.resolve_layout.map_or(usual, |w| w.0),
        clear: clear_words(spec, load.map(|w| w.0), format),
        line: spec.line,
    }
}

/// The clear value of an attachment: the one it says, or zeros (depth: one) where it is cleared.
fn clear_words(
    spec: &AttachSpec,
    load: Option<vk::AttachmentLoadOp>,
    format: vk::Format,
) -> Option<[u32; 4]> {
    let clears = load == Some(vk::AttachmentLoadOp::CLEAR);
    let depth = super::format::aspects(format).contains(vk::ImageAspectFlags::DEPTH);
    let usual = if depth { [1f32.to_bits(), 0, 0, 0] } else { [0; 4] };
    let given = spec.clear.as_ref().map(|clear| clear.words(format));
    given.or(clears.then_some(usual))
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
