//! How every form of pass becomes the one form.

use std::sync::Arc;

use ash::vk;

use super::objects::{Image, View};
use super::pass::{
    AspectOps, Attachment, AttachmentRange, PassShape, ResolveUse, Roles, Unresolved,
};
use crate::call::*;
use crate::format::{self, Aspect};

/// What an attachment shows: its image and view.
pub struct Shown {
    /// The image.
    pub image: Arc<Image>,
    /// The view.
    pub view: View,
}

fn is_read_only(layout: vk::ImageLayout, aspect: Aspect) -> bool {
    use vk::ImageLayout as L;
    match aspect {
        Aspect::Color => layout == L::SHADER_READ_ONLY_OPTIMAL,
        Aspect::Depth => matches!(
            layout,
            L::DEPTH_STENCIL_READ_ONLY_OPTIMAL
                | L::DEPTH_READ_ONLY_OPTIMAL
                | L::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL
                | L::READ_ONLY_OPTIMAL
                | L::SHADER_READ_ONLY_OPTIMAL
        ),
        Aspect::Stencil => matches!(
            layout,
            L::DEPTH_STENCIL_READ_ONLY_OPTIMAL
                | L::STENCIL_READ_ONLY_OPTIMAL
                | L::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL
                | L::READ_ONLY_OPTIMAL
                | L::SHADER_READ_ONLY_OPTIMAL
        ),
    }
}

/// Gives every attachment its roles, resolves and last use, and finishes the shape.
fn finish(mut shape: PassShape) -> PassShape {
    let subpasses = std::mem::take(&mut shape.subpasses);
    for (index, subpass) in subpasses.iter().enumerate() {
        let index = index as u32;
        shape.view_mask |= subpass.view_mask;
        let mut role = |reference: &AttachmentReference, role: Roles, uses: bool| {
            let Some(a) = shape.attachments.get_mut(reference.attachment as usize) else { return };
            a.roles.add(role);
            if uses {
                a.last_use = Some(index);
            }
            if role == Roles::DEPTH_STENCIL {
                for ops in &mut a.aspects {
                    ops.read_only &= is_read_only(reference.layout, ops.aspect);
                }
            } else if role != Roles::INPUT && role != Roles::PRESERVE {
                a.aspects.iter_mut().for_each(|ops| ops.read_only = false);
            }
        };
        subpass.color.iter().flatten().for_each(|r| role(r, Roles::COLOR, true));
        subpass.depth.iter().for_each(|r| role(r, Roles::DEPTH_STENCIL, true));
        subpass.input.iter().flatten().for_each(|r| role(r, Roles::INPUT, true));
        subpass.resolve.iter().flatten().for_each(|r| role(r, Roles::RESOLVE, false));
        subpass.depth_resolve.iter().for_each(|r| role(&r.target, Roles::RESOLVE, false));
        subpass.shading_rate.iter().for_each(|r| role(r, Roles::SHADING_RATE, false));
        for preserved in &subpass.preserve {
            if let Some(a) = shape.attachments.get_mut(*preserved as usize) {
                a.roles.add(Roles::PRESERVE);
            }
        }
        for (color, target) in subpass.color.iter().zip(&subpass.resolve) {
            let (Some(color), Some(target)) = (color, target) else { continue };
            if let Some(a) = shape.attachments.get_mut(color.attachment as usize) {
                a.resolves.push(ResolveUse {
                    subpass: index,
                    target: target.attachment,
                    mode: vk::ResolveModeFlags::AVERAGE,
                    stencil_mode: vk::ResolveModeFlags::NONE,
                });
            }
        }
        if let (Some(depth), Some(resolve)) = (&subpass.depth, &subpass.depth_resolve)
            && let Some(a) = shape.attachments.get_mut(depth.attachment as usize)
        {
            a.resolves.push(ResolveUse {
                subpass: index,
                target: resolve.target.attachment,
                mode: resolve.depth_mode,
                stencil_mode: resolve.stencil_mode,
            });
        }
    }
    shape.subpasses = subpasses;
    shape
}

/// Makes the shape of a pass that uses a render pass object.
pub fn from_object(
    info: &RenderPassInfo,
    name: Option<Arc<str>>,
    framebuffer: &FramebufferInfo,
    area: vk::Rect2D,
    attach_lines: &[Line],
    shown: impl Fn(usize) -> Option<Shown>,
) -> PassShape {
    let attachments = info.attachments.iter().enumerate().map(|(index, description)| {
        let mut a = described(description, index as u32, shown(index), framebuffer.layers);
        if let Some(line) = attach_lines.get(index) {
            a.line = *line;
        }
        if info.density.as_ref().is_some_and(|d| d.attachment as usize == index) {
            a.roles.add(Roles::DENSITY);
        }
        a
    });
    finish(PassShape {
        via: info.via,
        extent: framebuffer.extent,
        area,
        layers: framebuffer.layers,
        view_mask: 0,
        attachments: attachments.collect(),
        subpasses: info.subpasses.clone(),
        unresolved: Vec::new(),
        dependencies: info.dependencies.clone(),
        merged: info.merged,
        tiles: framebuffer.tiles.clone(),
        object_name: name,
        flags: vk::RenderingFlags::empty(),
        opaque: info.opaque,
    })
}

fn described(
    description: &AttachmentDescription,
    slot: u32,
    shown: Option<Shown>,
    layers: u32,
) -> Attachment {
    let aspects = format::aspects(description.format).iter().map(|aspect| {
        let stencil = *aspect == Aspect::Stencil;
        let layouts = match description.stencil_layouts {
            Some(layouts) if stencil => layouts,
            _ => [description.initial, description.final_],
        };
        AspectOps {
            aspect: *aspect,
            load: if stencil { description.stencil_load } else { description.load },
            store: if stencil { description.stencil_store } else { description.store },
            initial: layouts[0],
            final_: layouts[1],
            named: true,
            read_only: true,
        }
    });
    Attachment {
        slot,
        range: range(shown.as_ref(), layers),
        image: shown.map(|shown| shown.image),
        format: description.format,
        samples: description.samples,
        roles: Roles::default(),
        aspects: aspects.collect(),
        resolves: Vec::new(),
        last_use: None,
        may_alias: description.flags.contains(vk::AttachmentDescriptionFlags::MAY_ALIAS),
        line: description.line,
    }
}

fn range(shown: Option<&Shown>, layers: u32) -> AttachmentRange {
    match shown {
        Some(shown) => AttachmentRange {
            mip: shown.view.base_mip,
            base_layer: shown.view.base_layer,
            layers: shown.view.layers,
            whole: shown.view.whole,
        },
        None => AttachmentRange { mip: 0, base_layer: 0, layers, whole: false },
    }
}

/// Makes the shape of a dynamic rendering instance.
pub fn from_rendering(
    rendering: &Rendering,
    area: vk::Rect2D,
    shown: impl Fn(ViewKey) -> Option<Shown>,
) -> PassShape {
    let mut made = RenderingShape::default();
    for attachment in &rendering.attachments {
        made.add(attachment, rendering, &shown);
    }
    for attachment in &rendering.attachments {
        made.add_resolve(attachment, rendering, &shown);
    }
    let subpass = SubpassDescription { view_mask: rendering.view_mask, ..made.subpass };
    let end = |offset: i32, extent: u32| (i64::from(offset) + i64::from(extent)).max(0) as u32;
    finish(PassShape {
        via: Via::Dynamic,
        extent: vk::Extent2D {
            width: end(area.offset.x, area.extent.width),
            height: end(area.offset.y, area.extent.height),
        },
        area,
        layers: rendering.layers,
        view_mask: 0,
        attachments: made.attachments,
        subpasses: vec![subpass],
        unresolved: made.unresolved,
        dependencies: Vec::new(),
        merged: None,
        tiles: rendering.tiles.clone(),
        object_name: None,
        flags: rendering.flags,
        opaque: rendering.opaque,
    })
}

/// A dynamic rendering instance on its way to one form.
#[derive(Default)]
struct RenderingShape {
    attachments: Vec<Attachment>,
    subpass: SubpassDescription,
    unresolved: Vec<Unresolved>,
    /// Attachment and view of depth and stencil, which the API demands to be one view.
    depth_stencil: Option<(usize, ViewKey)>,
}

impl RenderingShape {
    fn add(
        &mut self,
        given: &RenderingAttachment,
        rendering: &Rendering,
        shown: &impl Fn(ViewKey) -> Option<Shown>,
    ) {
        if let RenderingRole::Color(index) = given.role {
            let length = self.subpass.color.len().max(index as usize + 1);
            self.subpass.color.resize(length, None);
        }
        let Some(key) = given.view else { return };
        let stencil = given.role == RenderingRole::Stencil;
        let depth = given.role == RenderingRole::Depth;
        if let Some((index, view)) = self.depth_stencil
            && (stencil || depth)
            && view == key
        {
            set_ops(&mut self.attachments[index], given, stencil);
            return;
        }
        let Some(shown) = shown(key) else { return };
        let slot = self.attachments.len() as u32;
        let mut made = bare(slot, shown, rendering.layers, given.line);
        set_ops(&mut made, given, stencil);
        let reference = AttachmentReference {
            attachment: slot,
            layout: given.layout,
            aspects: vk::ImageAspectFlags::empty(),
        };
        match given.role {
            RenderingRole::Color(index) => self.subpass.color[index as usize] = Some(reference),
            RenderingRole::Depth | RenderingRole::Stencil => {
                self.subpass.depth = Some(reference);
                self.depth_stencil = Some((slot as usize, key));
            }
            RenderingRole::Density => made.roles.add(Roles::DENSITY),
            RenderingRole::ShadingRate => made.roles.add(Roles::SHADING_RATE),
        }
        self.attachments.push(made);
    }

    fn add_resolve(
        &mut self,
        given: &RenderingAttachment,
        rendering: &Rendering,
        shown: &impl Fn(ViewKey) -> Option<Shown>,
    ) {
        let Some(key) = given.resolve_view.filter(|_| given.view.is_some()) else { return };
        if given.resolve_mode.is_empty() {
            self.add_unresolved(given.role, shown(key));
            return;
        }
        let reference = |attachment: u32| AttachmentReference {
            attachment,
            layout: given.resolve_layout,
            aspects: vk::ImageAspectFlags::empty(),
        };
        if let (RenderingRole::Depth | RenderingRole::Stencil, Some(resolve)) =
            (given.role, &mut self.subpass.depth_resolve)
        {
            let target = resolve.target.attachment as usize;
            if given.role == RenderingRole::Stencil {
                resolve.stencil_mode = given.resolve_mode;
                stored(&mut self.attachments[target], Aspect::Stencil);
            }
            return;
        }
        let Some(shown) = shown(key) else { return };
        let slot = self.attachments.len() as u32;
        let mut target = bare(slot, shown, rendering.layers, given.line);
        let none = vk::ResolveModeFlags::NONE;
        match given.role {
            RenderingRole::Color(index) => {
                self.subpass.resolve.resize(self.subpass.color.len(), None);
                self.subpass.resolve[index as usize] = Some(reference(slot));
                stored(&mut target, Aspect::Color);
            }
            RenderingRole::Depth => {
                self.subpass.depth_resolve = Some(AttachmentResolve {
                    target: reference(slot),
                    depth_mode: given.resolve_mode,
                    stencil_mode: none,
                });
                stored(&mut target, Aspect::Depth);
            }
            RenderingRole::Stencil => {
                self.subpass.depth_resolve = Some(AttachmentResolve {
                    target: reference(slot),
                    depth_mode: none,
                    stencil_mode: given.resolve_mode,
                });
                stored(&mut target, Aspect::Stencil);
            }
            RenderingRole::Density | RenderingRole::ShadingRate => return,
        }
        self.attachments.push(target);
    }
}

impl RenderingShape {
    fn add_unresolved(&mut self, role: RenderingRole, target: Option<Shown>) {
        let (source, aspect) = match role {
            RenderingRole::Color(index) => {
                let reference = self.subpass.color.get(index as usize).copied().flatten();
                (reference, Aspect::Color)
            }
            RenderingRole::Depth => (self.subpass.depth, Aspect::Depth),
            RenderingRole::Stencil => (self.subpass.depth, Aspect::Stencil),
            RenderingRole::Density | RenderingRole::ShadingRate => return,
        };
        let (Some(source), Some(target)) = (source, target) else { return };
        self.unresolved.push(Unresolved {
            source: source.attachment,
            aspect,
            target: target.image,
        });
    }
}

/// An attachment of dynamic rendering before its ops are known: nothing is named yet.
fn bare(slot: u32, shown: Shown, layers: u32, line: Line) -> Attachment {
    let format = shown.view.format;
    let aspects = format::aspects(format).iter().map(|aspect| AspectOps {
        aspect: *aspect,
        load: Some(vk::AttachmentLoadOp::NONE_EXT),
        store: Some(vk::AttachmentStoreOp::NONE),
        initial: vk::ImageLayout::GENERAL,
        final_: vk::ImageLayout::GENERAL,
        named: false,
        read_only: true,
    });
    Attachment {
        slot,
        range: range(Some(&shown), layers),
        format,
        samples: shown.image.info.samples,
        roles: Roles::default(),
        aspects: aspects.collect(),
        resolves: Vec::new(),
        last_use: None,
        may_alias: false,
        line,
        image: Some(shown.image),
    }
}

fn set_ops(attachment: &mut Attachment, given: &RenderingAttachment, stencil: bool) {
    for ops in &mut attachment.aspects {
        if (ops.aspect == Aspect::Stencil) == stencil {
            ops.load = given.load;
            ops.store = given.store;
            ops.initial = given.layout;
            ops.final_ = given.layout;
            ops.named = true;
        }
    }
}

fn stored(attachment: &mut Attachment, aspect: Aspect) {
    if let Some(ops) = attachment.aspects.iter_mut().find(|ops| ops.aspect == aspect) {
        ops.load = Some(vk::AttachmentLoadOp::DONT_CARE);
        ops.store = Some(vk::AttachmentStoreOp::STORE);
        ops.named = true;
    }
}
