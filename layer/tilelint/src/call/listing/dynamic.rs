//! Dynamic rendering from the short form of a pass.

use ash::vk;

use super::build::{Described, Parts, role_layout};
use super::parse::Parser;
use super::row::Done;
use super::short::{PassLine, PassState};
use super::specs::{AttachSpec, Role};
use super::value::F;
use crate::call::*;

impl Parser<'_> {
    /// The rendering instance of a short pass.
    pub fn rendering(
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
            tiles: head.tiles.clone(),
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
        (Some(_), false) => Some(spec.resolve_mode.unwrap_or(F(vk::ResolveModeFlags::AVERAGE))),
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
pub(super) fn clear_words(
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
