#![doc = include_str!("resolve_outside_pass.md")]

use ash::vk;

use super::super::mend::{Taken, then_transient};
use crate::call::Via;
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
use crate::format::{self, Aspect, is_integer};
use crate::model::{Fate, Frame, Image, Pass, Read, State, Step, StepKind, Writer, without_digits};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "resolve-outside-pass",
    group: Group::Resolve,
    level: Level::Warn,
    tier: Tier::S,
    folds: &["missing-resolve-attachment", "transient-load-store"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("resolve_outside_pass.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for step in &frame.steps {
        let Step::Transfer(transfer) = step else { continue };
        let (Some(from), Some(to)) = (transfer.from, transfer.to) else { continue };
        let whole = transfer.whole_source && transfer.whole_target;
        if transfer.step.what != StepKind::Resolve || !whole {
            continue;
        }
        if transfer.source.state != State::Written(Writer::Pass) {
            continue;
        }
        let Some(writer) = &transfer.source.by else { continue };
        let drawn = frame.passes().find(|pass| pass.step == *writer);
        let Some(pass) = drawn.filter(|_| writer.frame == frame.index) else { continue };
        let (Some((source, _)), Some((target, _))) = (cx.device.image(from), cx.device.image(to))
        else {
            continue;
        };
        let text = format!(
            "resolve from={} to={}",
            identifier(&source.name.text),
            identifier(&target.name.text)
        );
        let mut place = Place::step(&transfer.step, text.clone(), "from", cx.device);
        place.variant = Some(pass.variant);
        place.object = if source.name.given {
            without_digits(&source.name.text)
        } else {
            attachment_place(pass, from)
        };
        place.objects.push((source.key.into(), source.name.text.to_string()));
        place.location.image = Some(source.name.text.to_string());
        place.location.aspect = source.aspects().first().copied();
        place.location.commands = Some(transfer.commands.to_string());
        place.location.call = Some("vkCmdResolveImage");
        place.location.labels = transfer.labels.iter().map(ToString::to_string).collect();
        let texel = format::texel_bytes(source.info.format, Aspect::Color).unwrap_or(0);
        let bytes = u64::from(source.info.extent.width)
            * u64::from(source.info.extent.height)
            * u64::from(source.info.layers)
            * u64::from(texel)
            * u64::from(source.info.samples);
        let message =
            format!("`{}` is resolved by a command after it left the tile", source.name.text);
        let why = format!(
            "pass `{}` stores all {} samples only so that the resolve reads them back",
            pass.name, source.info.samples
        );
        let command = Edit::remove(text.clone(), "vkCmdResolveImage", transfer.step.line);
        let only = stored_for_resolve(cx, pass, source);
        let fix = fix(pass, source, target, only).edit(command);
        let taken = Taken { steps: &[&transfer.step], reads: &[Read::Resolve], ..Taken::default() };
        let fix = then_transient(fix, cx, frame, source, &taken);
        cx.report(Report::new(place, Confidence::Certain, message, why, fix).cost(Cost {
            load_bytes: bytes,
            store_bytes: if only { bytes } else { 0 },
            memory_bytes: 0,
        }));
    }
}

/// Nothing but resolve commands reads the samples that the pass stores.
fn stored_for_resolve(cx: &Cx<'_>, pass: &Pass, source: &Image) -> bool {
    let mut drawn = pass_aspects(pass)
        .filter(|(a, ..)| a.image.as_ref().is_some_and(|image| image.id == source.id));
    drawn.all(|(attachment, plane, _)| {
        let store = pass.aspect(attachment.slot, plane).and_then(|facts| facts.store);
        match store.map(|store| cx.device.fate(store)) {
            Some(Fate::Live(reads)) => reads.iter().all(|(read, _)| *read == Read::Resolve),
            _ => true,
        }
    })
}

/// Makes the target the resolve attachment of the pass.
fn fix(pass: &Pass, source: &Image, target: &Image, only: bool) -> Fix {
    let mut attachments = pass.shape.attachments.iter();
    let drawn = attachments.find(|a| a.image.as_ref().is_some_and(|i| i.id == source.id));
    let Some(drawn) = drawn else { return Fix::default() };
    let edit = |field, from: &str, to: &str| edit_op(pass, drawn, field, from, to);
    let source_name = &source.name.text;
    let target_name = &target.name.text;
    let attachable = target.info.usage.contains(vk::ImageUsageFlags::COLOR_ATTACHMENT);
    let usage = if attachable { "" } else { " (its usage |= COLOR_ATTACHMENT)" };
    let store =
        if only { format!("set storeOp of `{source_name}` to DONT_CARE, ") } else { String::new() };
    let mut fix = Fix::text(format!(
        "make `{target_name}` the resolve attachment of pass `{}`{usage}, {store}and delete the \
         command and its barriers",
        pass.name
    ));
    if pass.shape.via == Via::Dynamic {
        let mode = if is_integer(source.info.format) { "SAMPLE_ZERO" } else { "AVERAGE" };
        fix = fix.edit(edit(Field::ResolveMode, "NONE", mode)).edit(edit(
            Field::Resolve,
            "NULL",
            target_name,
        ));
    } else {
        fix = fix.edit(edit(Field::Resolve, "UNUSED", target_name));
    }
    if only {
        fix = fix.edit(edit(Field::Store, "STORE", "DONT_CARE"));
    }
    if attachable {
        return fix;
    }
    let usage = target.info.usage;
    let wanted = flag_words(&(usage | vk::ImageUsageFlags::COLOR_ATTACHMENT));
    fix.edit(edit_image(target, Field::Usage, &flag_words(&usage), &wanted))
}

fn attachment_place(pass: &Pass, image: crate::model::ImageId) -> String {
    let mut attachments = pass.shape.attachments.iter();
    let attachment = attachments.find(|a| a.image.as_ref().is_some_and(|i| i.id == image));
    attachment.map(|a| pass.shape.place(a)).unwrap_or_default()
}
