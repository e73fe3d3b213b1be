#![doc = include_str!("store_op_none_candidate.md")]

use ash::vk;

use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{AlwaysLive, Attachment, Fate, Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "store-op-none-candidate",
    group: Group::LoadStore,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("store_op_none_candidate.md"),
    checks: &[Check::Frame(check)],
};

/// Extensions that bring `STORE_OP_NONE` to a device older than 1.3.
const EXTENSIONS: [&str; 4] = [
    "VK_KHR_load_store_op_none",
    "VK_EXT_load_store_op_none",
    "VK_QCOM_render_pass_store_ops",
    "VK_KHR_dynamic_rendering",
];

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let info = &cx.device.info;
    let offered = info.api >= vk::API_VERSION_1_3
        || EXTENSIONS.iter().any(|extension| info.has_extension(extension));
    if !offered {
        return;
    }
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        if !only_read(cx, pass, attachment, plane) {
            continue;
        }
        let field = Field::store_of(ops.aspect);
        let place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
        let message = format!(
            "{} of `{}` is only read in the pass, yet it is stored",
            aspect_text(ops.aspect),
            attachment.name()
        );
        let why = if ops.read_only {
            "its layout is read-only, so memory holds the same content already"
        } else {
            "no draw of the pass writes it, so memory holds the same content already"
        };
        let edit = edit_op(pass, attachment, field, "STORE", "NONE");
        let text =
            format!("{} = NONE; never DONT_CARE, which may drop what memory holds", edit.field);
        let bytes = cx.aspect_bytes(pass, attachment, ops.aspect);
        let fix = Fix::text(text).edit(edit);
        cx.report(
            Report::new(place, Confidence::Certain, message, why, fix).cost(Cost::store(bytes)),
        );
    }
}

/// The aspect is stored as it was loaded, somebody reads it later, and dropping its store alone
/// saves something.
fn only_read(cx: &Cx<'_>, pass: &Pass, attachment: &Attachment, plane: usize) -> bool {
    let other = (0..attachment.aspects.len()).find(|other| *other != plane);
    let blocked = other.is_some_and(|other| {
        let stored = attachment.aspects[other].store != Some(vk::AttachmentStoreOp::NONE);
        cx.one_plane(attachment) && stored && !candidate(cx, pass, attachment, other)
    });
    !blocked && candidate(cx, pass, attachment, plane)
}

fn candidate(cx: &Cx<'_>, pass: &Pass, attachment: &Attachment, plane: usize) -> bool {
    let ops = &attachment.aspects[plane];
    let Some(facts) = pass.aspect(attachment.slot, plane) else { return false };
    let (Some(store), Some(image)) = (facts.store, &attachment.image) else { return false };
    let keeps =
        matches!(ops.load, Some(vk::AttachmentLoadOp::LOAD | vk::AttachmentLoadOp::NONE_EXT));
    let (_, ever_written) = cx.device.touches(pass.variant, attachment.slot, plane);
    let written = facts.written || facts.cleared || ever_written || pass.unknown;
    let shader_writes = pass.writes.contains(&image.id);
    let hidden = matches!(
        cx.device.always_live(image.id),
        Some(AlwaysLive::TileMemory | AlwaysLive::Opaque)
    );
    // A dead content needs no store at all, and an unused one no attachment.
    let live = matches!(cx.device.fate(store), Fate::Live(_));
    keeps
        && facts.read
        && attachment.loads()
        && live
        && !(written || shader_writes || hidden || image.is_lazy())
}
