#![doc = include_str!("missing_resolve_attachment.md")]

use ash::vk;

use super::super::load_store::is_full_screen;
use crate::call::Via;
use crate::finding::{Confidence, Cost, Edit, EditObject, Fix, Level, Tier};
use crate::format;
use crate::model::{Attachment, Frame, Pass, Read, Roles};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "missing-resolve-attachment",
    group: Group::Resolve,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("missing_resolve_attachment.md"),
    checks: &[Check::Frame(check)],
};

/// Who averages the samples.
enum Resolver {
    Command,
    Draw(String),
}

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        let unresolved = attachment.is_multisampled()
            && attachment.roles.any(Roles::COLOR)
            && attachment.resolves.is_empty();
        let Some(store) = pass.aspect(attachment.slot, plane).and_then(|facts| facts.store) else {
            continue;
        };
        if !unresolved || format::is_integer(attachment.format) {
            continue;
        }
        let fate = cx.device.fate(store);
        let resolver = if fate.read_by(Read::Resolve).is_some() {
            Resolver::Command
        } else {
            match averaging_pass(frame, pass, attachment) {
                Some(reader) if fate.read_by(Read::Sampled).is_some() => {
                    Resolver::Draw(reader.name.to_string())
                }
                _ => continue,
            }
        };
        let bytes = cx.aspect_bytes(pass, attachment, ops.aspect);
        let cost = Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 };
        let place = Place::attachment(
            pass,
            attachment,
            Some(ops.aspect),
            Field::store_of(ops.aspect),
            cx.device,
        );
        let message = format!(
            "`{}` leaves the tile with all its samples because the pass does not resolve it",
            attachment.name()
        );
        let (why, confidence) = match &resolver {
            Resolver::Command => {
                ("a resolve command averages it later".into(), Confidence::Certain)
            }
            Resolver::Draw(name) => {
                (format!("a full-screen draw in pass `{name}` reads it"), Confidence::Likely)
            }
        };
        let mut report =
            Report::new(place, confidence, message, why, fix(pass, attachment)).cost(cost);
        if matches!(resolver, Resolver::Draw(_)) {
            report = report.assume("the draw averages the samples and does nothing else with them");
        }
        cx.report(report);
    }
}

fn fix(pass: &Pass, attachment: &Attachment) -> Fix {
    let edit = |field, from: &str, to: &str| Edit {
        object: EditObject::Attachment,
        name: attachment.name(),
        pass: Some(pass.name.to_string()),
        slot: Some(attachment.slot),
        field,
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let dynamic = pass.shape.via == Via::Dynamic;
    let text = if dynamic {
        "resolveMode = AVERAGE with the 1-sample view as resolveImageView, and storeOp = DONT_CARE"
    } else {
        "a resolve reference to the 1-sample image in the last subpass that draws it (its own \
         storeOp = STORE), and storeOp = DONT_CARE on the samples"
    };
    let resolve = if dynamic {
        edit("resolveMode", "NONE", "AVERAGE")
    } else {
        edit("pResolveAttachments", "UNUSED", "the 1-sample image")
    };
    Fix::text(text).edit(resolve).edit(edit("storeOp", "STORE", "DONT_CARE"))
}

/// The 1-sample pass of this frame whose first draw covers the target and samples the image.
fn averaging_pass<'a>(frame: &'a Frame, pass: &Pass, attachment: &Attachment) -> Option<&'a Pass> {
    let image = attachment.image.as_ref()?.id;
    frame.passes().find(|reader| {
        reader.step.index > pass.step.index
            && reader.reads.iter().any(|r| r.image == image && r.how == Read::Sampled)
            && reader.shape.attachments.iter().all(|a| a.samples == 1)
            && reader.draws.first().is_some_and(|draw| is_full_screen(draw, reader))
            && reader.shape.area.extent.width > 0
            && reader.shape.attachments.iter().any(|a| same_extent(a, pass))
    })
}

fn same_extent(attachment: &Attachment, pass: &Pass) -> bool {
    attachment.image.as_ref().is_some_and(|image| {
        let extent: vk::Extent2D = image.mip_extent(attachment.range.mip);
        extent == pass.shape.extent
    })
}
