//! Render passes made from the lines that describe them, with the defaults of the short forms.

use ash::vk;

use super::ParseError;
use super::format::aspects;
use super::lex::Lexed;
use super::refs::read_only;
use super::row::{Done, from_bad};
use super::specs::{AttachSpec, Role, SubpassSpec, Use};
use super::value::{Bad, F, W, number};
use crate::call::*;

/// A line and what it says, for errors that concern it.
pub(super) struct Described<'a, T> {
    pub line: &'a Lexed,
    pub spec: T,
}

/// What a pass is made of.
pub(super) struct Parts<'a> {
    pub attachments: Vec<Described<'a, AttachSpec>>,
    pub subpasses: Vec<Described<'a, SubpassSpec>>,
    pub dependencies: Vec<Dependency>,
    /// View mask of subpasses that say none.
    pub views: u32,
}

impl AttachSpec {
    /// The label: `label=`, or the subject without its subresource; none for a number.
    pub fn name(&self) -> &str {
        let subject = self.label.as_ref().map_or(self.subject.as_str(), |label| &label.0);
        let name = subject.split('@').next().unwrap_or_default();
        if name.starts_with(|c: char| c.is_ascii_digit()) { "" } else { name }
    }

    fn format(&self) -> vk::Format {
        self.format.map_or(vk::Format::UNDEFINED, |w| w.0)
    }

    /// Its roles: those it says, or the one of its format.
    pub fn roles(&self) -> Vec<Role> {
        match &self.roles {
            Some(roles) => roles.0.clone(),
            None if is_depth(self.format()) => vec![Role::DepthStencil],
            None => vec![Role::Color],
        }
    }

    fn has(&self, role: Role) -> bool {
        let roles = self.roles();
        roles.contains(&role)
            || (role == Role::DepthStencil
                && (roles.contains(&Role::Depth) || roles.contains(&Role::Stencil)))
    }

    /// Says whether what is in memory matters to the pass.
    fn loads(&self) -> bool {
        let keeps = |op: Option<W<vk::AttachmentLoadOp>>| {
            op.is_none_or(|op| {
                [vk::AttachmentLoadOp::LOAD, vk::AttachmentLoadOp::NONE_KHR].contains(&op.0)
            })
        };
        let has = aspects(self.format());
        let stencil = has.contains(vk::ImageAspectFlags::STENCIL);
        let only_stencil = has == vk::ImageAspectFlags::STENCIL;
        (!only_stencil && keeps(self.load)) || (stencil && keeps(self.stencil_load))
    }
}

/// Says whether a format has depth or stencil.
pub(super) fn is_depth(format: vk::Format) -> bool {
    aspects(format).intersects(vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL)
}

/// Layout of an attachment by what it is used as.
pub(super) fn role_layout(role: Role, format: vk::Format) -> vk::ImageLayout {
    match role {
        Role::Density => vk::ImageLayout::FRAGMENT_DENSITY_MAP_OPTIMAL_EXT,
        Role::ShadingRate => vk::ImageLayout::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR,
        Role::Input => read_only(aspects(format)),
        Role::Color => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
        Role::DepthStencil | Role::Depth | Role::Stencil => {
            vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
        }
        Role::Resolve | Role::None if is_depth(format) => {
            vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
        }
        Role::Resolve | Role::None => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
    }
}

/// Index of an attachment by label or number.
pub(super) fn find_attachment(parts: &Parts, name: &str) -> Option<u32> {
    let count = parts.attachments.len();
    let index = match number(name) {
        Some(index) => usize::try_from(index).ok().filter(|i| *i < count),
        None => parts.attachments.iter().position(|a| a.spec.name() == name),
    };
    index.map(|i| i as u32)
}

struct Builder<'p, 'a> {
    parts: &'p Parts<'a>,
    /// Layouts in which each attachment is used, in order.
    uses: Vec<Vec<vk::ImageLayout>>,
}

/// Makes the render pass.
pub(super) fn build(parts: &mut Parts) -> Done<RenderPassInfo> {
    check_labels(parts)?;
    let implicit = parts.subpasses.is_empty();
    let specs = if implicit {
        vec![(None, one_subpass(parts))]
    } else {
        let given = parts.subpasses.iter().map(|s| (Some(s.line), s.spec.clone())).collect();
        attach_resolves(parts, given)
    };
    let mut builder = Builder { parts, uses: vec![Vec::new(); parts.attachments.len()] };
    let mut info = RenderPassInfo::default();
    for (line, spec) in specs {
        info.subpasses.push(builder.subpass(line, &spec)?);
    }
    for (index, attachment) in parts.attachments.iter().enumerate() {
        if attachment.spec.has(Role::Density) {
            info.density = Some(builder.reference(index as u32, None, Role::Density));
        }
    }
    info.attachments = builder.attachments();
    info.dependencies = parts.dependencies.clone();
    Ok(info)
}

fn check_labels(parts: &Parts) -> Done {
    for (index, attachment) in parts.attachments.iter().enumerate() {
        let name = attachment.spec.name();
        let before = &parts.attachments[..index];
        if !name.is_empty() && before.iter().any(|a| a.spec.name() == name) {
            let message = format!("two attachments are called {name:?}; give one a `label=`");
            return Err(attachment.line.error(attachment.spec.column, message));
        }
    }
    Ok(())
}

fn by_index(index: usize) -> Option<Use> {
    Some(Use { name: index.to_string(), layout: None })
}

/// The subpass of a pass without `subpass` lines: it uses all attachments by their roles.
fn one_subpass(parts: &Parts) -> SubpassSpec {
    let mut spec = SubpassSpec::default();
    for (index, attachment) in parts.attachments.iter().enumerate() {
        let given = &attachment.spec;
        spec.line = given.line;
        if given.has(Role::Color) {
            spec.color.push(by_index(index));
            spec.resolve.push(given.resolve.as_ref().and_then(|r| target(parts, &r.0)));
        }
        if given.has(Role::Input) {
            spec.input.push(by_index(index));
        }
        if given.has(Role::DepthStencil) {
            spec.depth = by_index(index);
            spec.depth_resolve = given.resolve.as_ref().and_then(|r| target(parts, &r.0));
            (spec.depth_mode, spec.stencil_mode) = (given.resolve_mode, given.stencil_resolve_mode);
        }
    }
    spec.line = parts.attachments.first().map(|a| a.spec.line).unwrap_or_default();
    if spec.resolve.iter().all(Option::is_none) {
        spec.resolve.clear();
    }
    spec
}

/// The attachment that `resolve=` names.
fn target(parts: &Parts, name: &str) -> Option<Use> {
    let name = name.split('@').next().unwrap_or_default();
    find_attachment(parts, name).and_then(|i| by_index(i as usize))
}

/// Adds the `resolve=` of attachments to the last subpass that draws to them.
fn attach_resolves<'a>(
    parts: &Parts<'a>,
    mut specs: Vec<(Option<&'a Lexed>, SubpassSpec)>,
) -> Vec<(Option<&'a Lexed>, SubpassSpec)> {
    for (index, attachment) in parts.attachments.iter().enumerate() {
        let Some(resolve) = attachment.spec.resolve.as_ref() else {
            continue;
        };
        let wanted = target(parts, &resolve.0);
        let is = |u: &Use| find_attachment(parts, &u.name) == Some(index as u32);
        for (_, spec) in specs.iter_mut().rev() {
            if let Some(at) = spec.color.iter().position(|c| c.as_ref().is_some_and(is)) {
                spec.resolve.resize(spec.color.len().max(spec.resolve.len()), None);
                spec.resolve[at].get_or_insert_with(|| {
                    wanted.clone().unwrap_or(Use { name: resolve.0.clone(), layout: None })
                });
                break;
            }
            if spec.depth.as_ref().is_some_and(is) {
                if spec.depth_resolve.is_none() {
                    spec.depth_resolve = wanted.clone();
                    spec.depth_mode = attachment.spec.resolve_mode;
                    spec.stencil_mode = attachment.spec.stencil_resolve_mode;
                }
                break;
            }
        }
    }
    specs
}

impl Builder<'_, '_> {
    fn find(&self, line: Option<&Lexed>, key: &str, name: &str) -> Done<u32> {
        if let Some(index) = find_attachment(self.parts, name) {
            return Ok(index);
        }
        let labels = self.parts.attachments.iter().map(|a| a.spec.name());
        let bad = Bad::word("attachment", name, labels.filter(|l| !l.is_empty()));
        let Some(line) = line.or(self.parts.attachments.first().map(|a| a.line)) else {
            return Err(ParseError::nowhere(bad.message));
        };
        let token = line.tokens.iter().find(|t| t.key == key);
        Err(from_bad(line, token.map_or(line.column, |t| t.value_column), bad))
    }

    fn reference(
        &mut self,
        index: u32,
        layout: Option<vk::ImageLayout>,
        role: Role,
    ) -> AttachmentReference {
        let spec = &self.parts.attachments[index as usize].spec;
        let layout =
            layout.or(spec.layout.map(|w| w.0)).unwrap_or_else(|| role_layout(role, spec.format()));
        self.uses[index as usize].push(layout);
        AttachmentReference { attachment: index, layout, aspects: vk::ImageAspectFlags::empty() }
    }

    fn list(
        &mut self,
        line: Option<&Lexed>,
        key: &str,
        list: &[Option<Use>],
        role: Role,
        both: &[u32],
    ) -> Done<Vec<Option<AttachmentReference>>> {
        let mut out = Vec::new();
        for item in list {
            out.push(match item {
                Some(item) => {
                    let index = self.find(line, key, &item.name)?;
                    let general = both.contains(&index).then_some(vk::ImageLayout::GENERAL);
                    Some(self.reference(index, item.layout.or(general), role))
                }
                None => None,
            });
        }
        Ok(out)
    }

    /// Attachments that a subpass both draws to and reads as input.
    fn both(&self, spec: &SubpassSpec) -> Vec<u32> {
        let index = |u: &Use| find_attachment(self.parts, &u.name);
        let drawn: Vec<u32> =
            spec.color.iter().flatten().chain(&spec.depth).filter_map(index).collect();
        let read = spec.input.iter().flatten().filter_map(index);
        read.filter(|i| drawn.contains(i)).collect()
    }

    fn subpass(&mut self, line: Option<&Lexed>, spec: &SubpassSpec) -> Done<SubpassDescription> {
        let both = self.both(spec);
        let mut out = SubpassDescription {
            label: spec.label.clone(),
            flags: spec.flags,
            view_mask: spec.views.map_or(self.parts.views, |m| m.0),
            merge: spec.merge.map(|status| MergeFeedback {
                status: status.0,
                index: spec.merge_index,
                text: spec.merge_text.clone(),
            }),
            line: spec.line,
            ..SubpassDescription::default()
        };
        out.color = self.list(line, "color", &spec.color, Role::Color, &both)?;
        let depth = std::slice::from_ref(&spec.depth);
        out.depth = self.list(line, "depth", depth, Role::DepthStencil, &both)?.pop().flatten();
        out.resolve = self.list(line, "resolve", &spec.resolve, Role::Resolve, &[])?;
        let resolve = std::slice::from_ref(&spec.depth_resolve);
        let resolve = self.list(line, "depth_resolve", resolve, Role::Resolve, &[])?;
        let mode = |m: Option<F<vk::ResolveModeFlags>>, d| m.map_or(d, |f: F<_>| f.0);
        out.depth_resolve = resolve.into_iter().flatten().next().map(|target| AttachmentResolve {
            target,
            depth_mode: mode(spec.depth_mode, vk::ResolveModeFlags::AVERAGE),
            stencil_mode: mode(spec.stencil_mode, vk::ResolveModeFlags::NONE),
        });
        out.input = self.list(line, "input", &spec.input, Role::Input, &both)?;
        for (input, aspects) in out.input.iter_mut().zip(&spec.input_aspects) {
            if let (Some(input), Some(aspects)) = (input, aspects) {
                input.aspects = aspects.0;
            }
        }
        for name in &spec.preserve {
            out.preserve.push(self.find(line, "preserve", &name.0)?);
        }
        let rate = self.parts.attachments.iter().position(|a| a.spec.has(Role::ShadingRate));
        let rate = spec.shading_rate.clone().or_else(|| rate.and_then(by_index));
        let rate = self.list(line, "shading_rate", &[rate], Role::ShadingRate, &[])?;
        out.shading_rate = rate.into_iter().flatten().next();
        Ok(out)
    }

    fn attachments(&self) -> Vec<AttachmentDescription> {
        let describe = |(attachment, uses): (&Described<AttachSpec>, &Vec<vk::ImageLayout>)| {
            let spec = &attachment.spec;
            let role = spec.roles().first().copied().unwrap_or(Role::None);
            let own = spec.layout.map_or_else(|| role_layout(role, spec.format()), |w| w.0);
            let initial = match spec.loads() {
                true => uses.first().copied().unwrap_or(own),
                false => vk::ImageLayout::UNDEFINED,
            };
            let layouts = spec.stencil_layouts.as_deref();
            AttachmentDescription {
                label: spec.name().into(),
                format: spec.format(),
                samples: spec.samples,
                load: spec.load.map(|w| w.0),
                store: spec.store.map(|w| w.0),
                stencil_load: spec.stencil_load.map(|w| w.0),
                stencil_store: spec.stencil_store.map(|w| w.0),
                initial: spec.initial.map_or(initial, |w| w.0),
                final_: spec.final_.map_or(uses.last().copied().unwrap_or(own), |w| w.0),
                stencil_layouts: layouts.and_then(|l| match l {
                    [initial, last] => Some([initial.0, last.0]),
                    _ => None,
                }),
                flags: spec.flags,
                line: spec.line,
            }
        };
        self.parts.attachments.iter().zip(&self.uses).map(describe).collect()
    }
}
