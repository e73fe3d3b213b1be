#![doc = include_str!("resolve_only_pass.md")]

use super::super::mend::{Taken, then_transient};
use super::resolving::{only_resolves, producer};
use crate::call::Via;
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
use crate::model::{Attachment, Fate, Frame, Image, Pass, Read, ResolveUse};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "resolve-only-pass",
    group: Group::Resolve,
    level: Level::Warn,
    tier: Tier::R,
    folds: &["msaa-roundtrip", "split-pass"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("resolve_only_pass.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for pass in frame.passes().filter(|pass| only_resolves(pass)) {
        for source in &pass.shape.attachments {
            let [resolve] = &source.resolves[..] else { continue };
            let target = pass.shape.attachments.get(resolve.target as usize);
            let Some(target) = target.and_then(|a| a.image.as_ref()) else { continue };
            if let Some((producer, drawn, plane)) = producer(frame, cx, pass, source, target) {
                report(cx, frame, (producer, drawn, plane), pass, (source, target, *resolve));
            }
        }
    }
}

fn report(
    cx: &mut Cx<'_>,
    frame: &Frame,
    (producer, drawn, plane): (&Pass, &Attachment, usize),
    pass: &Pass,
    (source, target, resolve): (&Attachment, &Image, ResolveUse),
) {
    let ops = &drawn.aspects[plane];
    let bytes = cx.aspect_bytes(producer, drawn, ops.aspect);
    let only = stored_for(cx, producer, drawn, plane, pass);
    let field = Field::store_of(ops.aspect);
    let mut place = Place::attachment(producer, drawn, Some(ops.aspect), field, cx.device);
    let (from, to) = (identifier(&source.name()), identifier(&target.name.text));
    // It is about the whole pass and what is said of its attachments.
    (place.location.image, place.location.aspect, place.location.slot) = (None, None, None);
    let text = format!("  attach {from} load=LOAD resolve={to}");
    place = place.explained(source.line, text, Field::Resolve.key(), "all that this pass does");
    let message = format!(
        "pass `{}` draws nothing: it only resolves what pass `{}` drew to `{}`",
        pass.name,
        producer.name,
        drawn.name()
    );
    let why = "all samples leave the tile and come back for a resolve that the first pass could \
               do as it stores";
    let dynamic = producer.shape.via == Via::Dynamic;
    let mode = flag_words(&resolve.mode);
    let edit = if dynamic {
        edit_op(producer, drawn, Field::ResolveMode, "NONE", &mode)
    } else {
        edit_op(producer, drawn, Field::Resolve, "UNUSED", &target.name.text)
    };
    let then = if only { ", and its storeOp = DONT_CARE" } else { "" };
    let text = format!(
        "make `{}` the resolve target of `{}` in pass `{}`{then}, and delete pass `{}`",
        target.name.text,
        drawn.name(),
        producer.name,
        pass.name
    );
    let mut fix = Fix::text(text).edit(edit);
    if only {
        fix = fix.edit(edit_op(producer, drawn, field, "STORE", "DONT_CARE"));
    }
    fix = fix.edit(Edit::remove_pass(pass));
    if only && let Some(image) = &drawn.image {
        let taken = Taken { steps: &[&pass.step], ..Taken::default() };
        fix = then_transient(fix, cx, frame, image, &taken);
    }
    let cost =
        Cost { load_bytes: bytes, store_bytes: if only { bytes } else { 0 }, memory_bytes: 0 };
    cx.report(Report::new(place, Confidence::Certain, message, why, fix).cost(cost));
}

/// The samples are stored for the resolving pass alone.
fn stored_for(cx: &Cx<'_>, by: &Pass, drawn: &Attachment, plane: usize, pass: &Pass) -> bool {
    let Some(store) = by.aspect(drawn.slot, plane).and_then(|facts| facts.store) else {
        return false;
    };
    let Fate::Live(reads) = cx.device.fate(store) else { return false };
    let used = drawn.image.as_ref().and_then(|image| cx.device.image(image.id));
    reads.iter().all(|(read, _)| *read == Read::Load)
        && used.is_some_and(|(_, used)| {
            !used.read_elsewhere && used.readers.iter().all(|reader| *reader == pass.variant)
        })
}
