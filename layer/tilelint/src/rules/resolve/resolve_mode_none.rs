#![doc = include_str!("resolve_mode_none.md")]

use crate::call::{Line, Via};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::format::{Aspect, is_integer};
use crate::model::{AlwaysLive, Attachment, Frame, Image, Pass, Unresolved};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "resolve-mode-none",
    group: Group::Resolve,
    level: Level::Warn,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("resolve_mode_none.md"),
    checks: &[Check::Pass(check_object), Check::Frame(check)],
};

/// Depth resolves of render pass objects.
fn check_object(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque || pass.shape.via == Via::Dynamic {
        return;
    }
    for source in &pass.shape.attachments {
        for resolve in &source.resolves {
            let target = pass.shape.attachments.get(resolve.target as usize);
            let none = resolve.mode.is_empty() && resolve.stencil_mode.is_empty();
            let Some(target) = target.filter(|_| none) else { continue };
            let place = Place::resolve(pass, source, target, resolve.subpass, cx.device);
            let message = format!(
                "`{}` has `{}` as its resolve target, but both resolve modes are NONE",
                source.name(),
                target.name()
            );
            let why = "the API does not allow it, and nothing is resolved";
            let edit = Edit::set(
                EditObject::Subpass,
                source.name(),
                "depthResolveMode",
                "NONE",
                "SAMPLE_ZERO",
            );
            let line = place.quote.lines[0].number;
            let key = if place.quote.marks[0].key == "depth_resolve" {
                "depth_resolve_mode"
            } else {
                Field::ResolveMode.key()
            };
            let edit = edit.in_pass(pass).slot(resolve.subpass).said_by(key, Line(line));
            let fix = Fix::text("depthResolveMode = SAMPLE_ZERO, or no target").edit(edit);
            let report = Report::new(place, Confidence::Certain, message, why, fix);
            cx.report(report.tier(Tier::C));
        }
    }
}

/// Views of dynamic rendering that are named and not resolved into.
fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for pass in frame.passes().filter(|pass| !pass.shape.opaque) {
        for unresolved in &pass.shape.unresolved {
            let source = pass.shape.attachments.get(unresolved.source as usize);
            let Some(source) = source.filter(|a| a.is_multisampled()) else { continue };
            // The other aspect may be resolved alone.
            let resolved = source.resolves.iter().any(|resolve| {
                let target = pass.shape.attachments.get(resolve.target as usize);
                target.and_then(|a| a.image.as_ref()).is_some_and(|i| i.id == unresolved.target.id)
            });
            if !resolved {
                report(cx, pass, source, unresolved);
            }
        }
    }
}

fn report(cx: &mut Cx<'_>, pass: &Pass, source: &Attachment, unresolved: &Unresolved) {
    let target = &unresolved.target;
    let mut place =
        Place::attachment(pass, source, Some(unresolved.aspect), Field::ResolveMode, cx.device);
    let name = identifier(&target.name.text);
    place.quote.lines[0].text += &format!(" resolve={name} resolve_mode=NONE");
    place.objects.push((target.key.into(), target.name.text.to_string()));
    let (from, to) = (source.name(), &target.name.text);
    let message = format!("`{from}` names `{to}` as its resolve target, but resolveMode is NONE");
    let mean = unresolved.aspect == Aspect::Color && !is_integer(source.format);
    let mode = if mean { "AVERAGE" } else { "SAMPLE_ZERO" };
    let set = |text: String| {
        Fix::text(text).edit(edit_op(pass, source, Field::ResolveMode, "NONE", mode))
    };
    let leave = |text: &str| {
        let edit = edit_op(pass, source, Field::Resolve, to, "NULL");
        Fix::text(text).edit(edit)
    };
    let report = if is_missed(cx, target) {
        let why = format!("the API then ignores the view: `{to}` is read, and nothing writes it");
        let fix = set(format!("resolveMode = {mode}"));
        Report::new(place, Confidence::Certain, message, why, fix)
            .or_fix(leave("resolveImageView = NULL, if no resolve is meant"))
    } else {
        let why = "the API then ignores the view, and nothing is resolved";
        let fix = leave("resolveImageView = NULL");
        Report::new(place, Confidence::Certain, message, why, fix)
            .or_fix(set(format!("resolveMode = {mode}, if a resolve is meant")))
            .at_most(Level::Info, "no read is seen to miss it")
    };
    cx.report(report);
}

/// The image is read although nothing ever wrote to it.
fn is_missed(cx: &Cx<'_>, target: &Image) -> bool {
    let Some((_, used)) = cx.device.image(target.id) else { return false };
    let ours = match cx.device.always_live(target.id) {
        None => cx.device.never_written(target.id),
        Some(AlwaysLive::Swapchain) => {
            !cx.device.settings.starts_unknown && !used.written && !used.stored
        }
        Some(_) => false,
    };
    ours && used.reads != 0
}
