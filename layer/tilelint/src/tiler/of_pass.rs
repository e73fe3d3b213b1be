//! The tiler's view of a pass of the model.

use ash::vk;

use super::shape::{Area, Attachment, Barrier, Dependency, PassShape, Subpass};
use crate::call::AttachmentReference;
use crate::format::Aspect;
use crate::model::{self, Pass, Roles};

/// Returns the shape of an executed pass. `None` where something in it is not known.
#[must_use]
pub fn shape_of(pass: &Pass) -> Option<PassShape> {
    let shape = &pass.shape;
    if shape.opaque {
        return None;
    }
    let start = |offset: i32| u32::try_from(offset).unwrap_or(0);
    let area = shape.area;
    let draws = || u32::try_from(pass.draw_count).unwrap_or(u32::MAX);
    Some(PassShape {
        width: shape.extent.width,
        height: shape.extent.height,
        layers: if shape.view_mask == 0 { shape.layers.max(1) } else { 1 },
        area: Area {
            x: start(area.offset.x),
            y: start(area.offset.y),
            width: area.extent.width,
            height: area.extent.height,
        },
        attachments: shape
            .attachments
            .iter()
            .map(|attachment| attachment_of(attachment, shape.extent))
            .collect::<Option<_>>()?,
        subpasses: shape.subpasses.iter().map(|subpass| subpass_of(subpass, pass)).collect(),
        dependencies: shape.dependencies.iter().map(dependency_of).collect(),
        barriers: Vec::<Barrier>::new(),
        dynamic: shape.via == crate::call::Via::Dynamic,
        draws: (!pass.unknown).then(draws),
        tessellation: pass
            .draws
            .iter()
            .filter_map(|draw| draw.pipeline.as_ref())
            .any(|pipeline| pipeline.info.topology == vk::PrimitiveTopology::PATCH_LIST),
        feedback_loop: false,
        ordered_access: false,
        density_map: shape.attachments.iter().any(|a| a.roles.any(Roles::DENSITY)),
        counts_primitives: false,
    })
}

fn attachment_of(attachment: &model::Attachment, extent: vk::Extent2D) -> Option<Attachment> {
    let mut made = Attachment::new(attachment.format, attachment.samples);
    for ops in &attachment.aspects {
        let (load, store) = (ops.load?, ops.store?);
        match ops.aspect {
            Aspect::Stencil => (made.stencil_load, made.stencil_store) = (load, store),
            Aspect::Color | Aspect::Depth => (made.load, made.store) = (load, store),
        }
    }
    if let Some(image) = &attachment.image {
        made.mutable = image.info.flags.contains(vk::ImageCreateFlags::MUTABLE_FORMAT);
        let own = image.mip_extent(attachment.range.mip);
        made.extent = (own != extent).then_some([own.width, own.height]);
    }
    Some(made)
}

fn index(reference: &AttachmentReference) -> usize {
    reference.attachment as usize
}

fn subpass_of(subpass: &crate::call::SubpassDescription, pass: &Pass) -> Subpass {
    let list = |references: &[Option<AttachmentReference>]| {
        references.iter().map(|reference| reference.as_ref().map(index)).collect()
    };
    Subpass {
        color: list(&subpass.color),
        resolve: list(&subpass.resolve),
        input: list(&subpass.input),
        preserve: subpass.preserve.iter().map(|preserved| *preserved as usize).collect(),
        depth_stencil: subpass.depth.as_ref().map(index),
        depth_stencil_resolve: subpass.depth_resolve.as_ref().map(|r| index(&r.target)),
        view_mask: subpass.view_mask,
        side_effects: !pass.writes.is_empty(),
    }
}

fn dependency_of(dependency: &crate::call::Dependency) -> Dependency {
    Dependency {
        src: dependency.src,
        dst: dependency.dst,
        src_stages: dependency.src_stage,
        dst_stages: dependency.dst_stage,
        src_access: dependency.src_access,
        dst_access: dependency.dst_access,
        flags: dependency.flags,
    }
}
