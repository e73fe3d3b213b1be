//! Asking which subpasses are merged leaves the application's own create-info as it is.

use super::enabled;
use crate::world::World;
use ash::vk;
use std::ffi::c_void;
use std::process::Command;
use std::ptr;
use tilelint_tests::harness::{TempDir, in_child};

const DRIVER: &str = "add_extensions = [\"VK_EXT_subpass_merge_feedback\"]
[[merge]]
status = \"MERGED\"
[[merge]]
status = \"NOT_MERGED_ALIASING\"
index = 1
text = \"one memory\"
";

fn asked(command: &mut Command, folder: &TempDir) {
    enabled(command, folder);
    let driver = folder.write("asked.driver.toml", DRIVER);
    command.env("TILELINT_NULL_DRIVER", driver).env("TILELINT_ASK_DRIVER", "on");
}

/// The application asks about its second subpass itself: it gets its answer, the layer asks about
/// the rest, and nothing that the application owns is written but the answer.
#[test]
fn the_applications_create_info_stays_its_own() {
    let test = "merging::the_applications_create_info_stays_its_own";
    in_child(test, asked, || {
        let world = World::new(&[], &[]);
        let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let attachments = [vk::AttachmentDescription2::default()
            .format(vk::Format::R8G8B8A8_UNORM)
            .samples(vk::SampleCountFlags::TYPE_1)
            .final_layout(layout)];
        let references = [vk::AttachmentReference2::default().attachment(0).layout(layout)];
        let mut answer = vk::RenderPassSubpassFeedbackInfoEXT::default();
        let node = vk::RenderPassSubpassFeedbackCreateInfoEXT {
            p_subpass_feedback: &raw mut answer,
            ..Default::default()
        };
        let subpass = vk::SubpassDescription2::default().color_attachments(&references);
        let mut subpasses = [subpass, subpass];
        subpasses[1].p_next = ptr::from_ref(&node).cast::<c_void>();
        let info =
            vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpasses);
        // SAFETY: the device lives; the chained structure belongs to an extension that is on.
        let pass = unsafe { world.device.create_render_pass2(&info, None) }.unwrap();
        assert!(info.p_next.is_null() && subpasses[0].p_next.is_null() && node.p_next.is_null());
        assert_eq!(subpasses[1].p_next, ptr::from_ref(&node).cast::<c_void>());
        assert_eq!(answer.subpass_merge_status, vk::SubpassMergeStatusEXT::NOT_MERGED_ALIASING);
        assert_eq!(answer.post_merge_index, 1);
        assert_eq!(answer.description_as_c_str(), Ok(c"one memory"));
        // SAFETY: nothing uses it.
        unsafe { world.device.destroy_render_pass(pass, None) };
        world.destroy(Vec::new());
    });
}
