#![doc = include_str!("local_read_available.md")]

use ash::vk;

use super::own_pixel;
use crate::call::Via;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{DeviceModel, Frame};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "local-read-available",
    group: Group::Merging,
    level: Level::Info,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("local_read_available.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.merges_input_reads() || !reads_locally(cx.device) {
        return;
    }
    for handover in own_pixel::handovers(frame, cx) {
        let (from, to) = (handover.from, handover.to);
        if from.shape.via != Via::Dynamic || to.shape.via != Via::Dynamic {
            continue;
        }
        let (attachment, aspect) = (handover.attachment, handover.aspect);
        let field = Field::store_of(aspect);
        let place = Place::attachment(from, attachment, Some(aspect), field, cx.device);
        let message = format!(
            "rendering ends between `{}` and `{}`, although the device can read `{}` locally",
            from.name,
            to.name,
            attachment.name()
        );
        let why =
            "dynamic rendering local read keeps the pixel on the tile over a BY_REGION barrier";
        let fix = Fix::text(
            "keep the rendering instance, and read the attachment as an input attachment after a \
             BY_REGION barrier",
        );
        let bytes = cx.aspect_bytes(from, attachment, aspect);
        let cost = Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 };
        cx.report(
            Report::new(place, Confidence::Likely, message, why, fix)
                .cost(cost)
                .assume("each texel is read at its own pixel only"),
        );
    }
}

/// The application enabled local read, by its extension or its feature.
fn reads_locally(device: &DeviceModel) -> bool {
    let core = device.info.api >= vk::make_api_version(0, 1, 4, 0);
    let feature = device.info.has_feature("dynamicRenderingLocalRead");
    device.info.has_extension("VK_KHR_dynamic_rendering_local_read") || (core && feature)
}
