#![doc = include_str!("missing_resolve_attachment.md")]

use super::super::mend::{Taken, then_transient};
use super::averaged::{averaging_pass, same_extent};
use crate::call::Via;
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
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
enum Resolver<'a> {
    Command,
    Draw(&'a Pass),
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
                Some(reader) if fate.read_by(Read::Sampled).is_some() => Resolver::Draw(reader),
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
            Resolver::Draw(reader) => {
                let name = &reader.name;
                (format!("a full-screen draw in pass `{name}` reads it"), Confidence::Likely)
            }
        };
        let mut fix = fix(pass);
        if let Resolver::Draw(reader) = resolver {
            fix = edits(fix, cx, frame, (pass, attachment), reader);
        }
        let mut report = Report::new(place, confidence, message, why, fix).cost(cost);
        if matches!(resolver, Resolver::Draw(_)) {
            report = report.assume("the draw averages the samples and does nothing else with them");
        }
        cx.report(report);
    }
}

fn fix(pass: &Pass) -> Fix {
    let dynamic = pass.shape.via == Via::Dynamic;
    let text = if dynamic {
        "resolveMode = AVERAGE with the 1-sample view as resolveImageView, and storeOp = DONT_CARE"
    } else {
        "a resolve reference to the 1-sample image in the last subpass that draws it (its own \
         storeOp = STORE), and storeOp = DONT_CARE on the samples"
    };
    Fix::text(text)
}

/// The edits, where the draw does nothing but average: its target becomes the resolve target.
fn edits(
    fix: Fix,
    cx: &Cx<'_>,
    frame: &Frame,
    (pass, attachment): (&Pass, &Attachment),
    reader: &Pass,
) -> Fix {
    let Some(source) = &attachment.image else { return fix };
    let ([draw], [target]) = (&reader.draws[..], &reader.shape.attachments[..]) else { return fix };
    let Some(image) = &target.image else { return fix };
    let once = draw.draw.times == 1 && target.roles.only(Roles::COLOR);
    let used = cx.device.image(source.id).map(|(_, used)| used);
    let alone = used.is_some_and(|used| {
        let other = used.reads & !(1 << Read::Sampled as u8) != 0 || used.loaded;
        !other && !used.read_elsewhere && used.readers.iter().all(|by| *by == reader.variant)
    });
    if !once || !alone || !same_extent(target, pass) || reader.shape.area != pass.shape.area {
        return fix;
    }
    let text = format!("{}: `{}` here, and no pass `{}`", fix.text, image.name.text, reader.name);
    let mut fix = Fix { text, ..fix };
    if pass.shape.via == Via::Dynamic {
        fix = fix.edit(edit_op(pass, attachment, Field::ResolveMode, "NONE", "AVERAGE"));
    }
    fix = fix
        .edit(edit_op(pass, attachment, Field::Resolve, "UNUSED", &image.name.text))
        .edit(edit_op(pass, attachment, Field::Store, "STORE", "DONT_CARE"))
        .edit(Edit::remove_pass(reader));
    if source.info.format != image.info.format {
        let (from, to) = (source.info.format, image.info.format);
        let field = Field::Other("format", "format");
        fix.text += &format!("; `{}` in its format {to:?}", source.name.text);
        fix = fix.edit(edit_image(source, field, &format!("{from:?}"), &format!("{to:?}")));
    }
    let taken = Taken { steps: &[&reader.step], reads: &[Read::Sampled], ..Taken::default() };
    then_transient(fix, cx, frame, source, &taken)
}
