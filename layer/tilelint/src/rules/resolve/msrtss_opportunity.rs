#![doc = include_str!("msrtss_opportunity.md")]

use ash::vk;

use super::super::load_store::is_full_screen;
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::model::{Attachment, Pass};
use crate::profile::Evidence;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "msrtss-opportunity",
    group: Group::Resolve,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("msrtss_opportunity.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    let evidence = cx.profile.renders_to_single_sampled();
    let known = matches!(evidence, Evidence::Certain | Evidence::Likely);
    if pass.shape.opaque || pass.unknown || !known {
        return;
    }
    for source in &pass.shape.attachments {
        let Some(resolve) = source.resolves.last() else { continue };
        let target = pass.shape.attachments.get(resolve.target as usize);
        let Some(target) = target.filter(|target| target.samples == 1) else { continue };
        if fills(pass, source, target, resolve.subpass).is_none() {
            continue;
        }
        let place = Place::resolve(pass, source, target, resolve.subpass, cx.device);
        let (from, to) = (source.name(), target.name());
        let message = format!(
            "a draw fills the samples of `{from}` from `{to}`, into which they are resolved again"
        );
        let why = format!(
            "`VK_EXT_multisampled_render_to_single_sampled` loads `{to}` into the samples and \
             resolves them without this draw, its subpass and `{from}`"
        );
        let text = format!(
            "attach `{to}` alone, with VkMultisampledRenderToSingleSampledInfoEXT \
             (rasterizationSamples = {}), and leave out `{from}` and the draw",
            source.samples
        );
        let field = "multisampledRenderToSingleSampledEnable";
        let edit = Edit::set(EditObject::Subpass, from, field, "FALSE", "TRUE");
        let edit = edit.in_pass(pass).slot(resolve.subpass);
        let fix = Fix::text(text).edit(edit);
        let confidence = match evidence {
            Evidence::Certain => Confidence::Certain,
            _ => Confidence::Likely,
        };
        let mut report = Report::new(place, confidence, message, why, fix);
        if confidence == Confidence::Likely {
            report = report.assume("the target's driver offers the extension");
        }
        cx.report(report);
    }
}

/// The subpass whose first draw fills the samples from their last resolved picture.
fn fills(pass: &Pass, source: &Attachment, target: &Attachment, last: u32) -> Option<u32> {
    let kept = target.aspects.first()?.load == Some(vk::AttachmentLoadOp::LOAD);
    let fresh = source.aspects.first()?.load != Some(vk::AttachmentLoadOp::LOAD);
    let subpasses = pass.shape.subpasses.iter().enumerate();
    let mut drawn = subpasses
        .filter(|(_, subpass)| subpass.color.iter().flatten().any(|r| r.attachment == source.slot));
    let (first, subpass) = drawn.next()?;
    let reads = subpass.input.iter().flatten().any(|r| r.attachment == target.slot);
    let first = first as u32;
    let draw = pass.draws.iter().find(|draw| draw.subpass == first)?;
    (kept && fresh && reads && first <= last && is_full_screen(draw, pass)).then_some(first)
}
