//! Extensions that calls need on a device of version 1.3.

use ash::vk;

use crate::call::*;

/// Adds what a call needs.
pub(super) fn entry(entry: &Entry, needed: &mut Vec<&'static str>) {
    match &entry.call {
        Call::Swapchain(..) => needed.push("VK_KHR_swapchain"),
        Call::Image(_, info) => {
            let has = |usage| info.usage.contains(usage);
            if has(vk::ImageUsageFlags::FRAGMENT_DENSITY_MAP_EXT) {
                needed.push("VK_EXT_fragment_density_map");
            }
            if has(vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR) {
                needed.push("VK_KHR_fragment_shading_rate");
            }
        }
        Call::RenderPass(_, info) => {
            let none = Some(vk::AttachmentLoadOp::NONE_KHR);
            if info.attachments.iter().any(|a| a.load == none || a.stencil_load == none) {
                needed.push("VK_EXT_load_store_op_none");
            }
        }
        Call::Commands(_, recording) => {
            for command in &recording.commands {
                self::command(command, needed);
            }
        }
        Call::Submit(info) if info.batches.iter().any(|batch| batch.frame_end) => {
            needed.push("VK_EXT_frame_boundary");
        }
        _ => {}
    }
}

fn command(command: &Command, needed: &mut Vec<&'static str>) {
    match command {
        Command::BeginPass(begin) => {
            if let PassTarget::Dynamic(rendering) = &begin.target {
                let none = Some(vk::AttachmentLoadOp::NONE_KHR);
                if rendering.attachments.iter().any(|a| a.load == none) {
                    needed.push("VK_EXT_load_store_op_none");
                }
            }
        }
        Command::BindShaders(_) => needed.push("VK_EXT_shader_object"),
        Command::PushSet(_) => needed.push("VK_KHR_push_descriptor"),
        Command::ConditionalBegin { .. } => needed.push("VK_EXT_conditional_rendering"),
        Command::Draw(draw) => match draw.kind {
            DrawKind::Mesh => needed.push("VK_EXT_mesh_shader"),
            DrawKind::Multi => needed.push("VK_EXT_multi_draw"),
            DrawKind::TransformFeedback => needed.push("VK_EXT_transform_feedback"),
            _ => {}
        },
        Command::Set(state) => match *state {
            DynamicState::ColorLocations(_) | DynamicState::InputIndices(_) => {
                needed.push("VK_KHR_dynamic_rendering_local_read");
            }
            DynamicState::ColorWriteEnable(_) => needed.push("VK_EXT_color_write_enable"),
            _ => {}
        },
        _ => {}
    }
}
