#![doc = include_str!("clear_in_pass.md")]

use ash::vk;

use super::super::mend::then_dead;
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, ClearFacts, FirstUse, Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "clear-in-pass",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::R,
    folds: &["depth-dont-care-load", "msaa-roundtrip"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("clear_in_pass.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for pass in frame.passes().filter(|pass| !pass.unknown && !pass.shape.opaque) {
        for attachment in pass.shape.attachments.iter().filter(|a| a.loads() && !a.is_rate()) {
            let planes = 0..attachment.aspects.len();
            let cleared: Vec<(usize, &ClearFacts)> =
                planes.filter_map(|p| Some((p, first_clear(pass, attachment, p)?))).collect();
            if let Some((plane, clear)) = cleared.first() {
                report(cx, frame, (pass, attachment), (*plane, clear), cleared.len());
            }
        }
    }
}

/// The clear that comes first of all accesses to an aspect and covers all that the load op acts
/// on, where that load op is not CLEAR.
fn first_clear<'a>(
    pass: &'a Pass,
    attachment: &Attachment,
    plane: usize,
) -> Option<&'a ClearFacts> {
    use vk::AttachmentLoadOp as L;
    let ops = attachment.aspects.get(plane)?;
    let Some(FirstUse::Clear(index)) = pass.aspect(attachment.slot, plane)?.first else {
        return None;
    };
    let clear = pass.clears.get(index as usize)?;
    // An earlier subpass may have resolved what the pass loaded.
    let resolved = attachment.resolves.iter().any(|resolve| resolve.subpass < clear.subpass);
    let moves = matches!(ops.load?, L::LOAD | L::DONT_CARE);
    (ops.named && moves && clear.covers_area && !clear.conditional && !resolved).then_some(clear)
}

fn report(
    cx: &mut Cx<'_>,
    frame: &Frame,
    (pass, attachment): (&Pass, &Attachment),
    (plane, clear): (usize, &ClearFacts),
    count: usize,
) {
    let named = attachment.aspects.iter().filter(|ops| ops.named).count();
    let all = count == named;
    let aspect = attachment.aspects[plane].aspect;
    let one = (count == 1).then_some(aspect);
    let field = Field::load_of(aspect);
    let place = Place::attachment(pass, attachment, one, field, cx.device).explained(
        clear.line,
        "  clear-attachments".to_owned(),
        "",
        "clears all of the render area before anything uses it",
    );
    let name = attachment.name();
    let part = if one.is_some() && attachment.aspects.len() > 1 {
        format!("the {} of `{name}`", aspect_text(aspect))
    } else {
        format!("`{name}`")
    };
    let message = format!("the first thing the pass does to {part} is to clear it by command");
    let loads = |ops: &&crate::model::AspectOps| ops.load == Some(vk::AttachmentLoadOp::LOAD);
    let loaded = attachment.aspects.iter().filter(loads).count() > 0;
    let why = if loaded {
        "its load op brings in what the clear overwrites, and a clear by command is a draw"
    } else {
        "a clear by command is a draw; as a load op it costs nothing on the tile"
    };
    let mut fix = Fix::text(format!(
        "{} = CLEAR with the same value, and no command",
        field.api(pass.shape.via)
    ));
    let cleared = attachment.aspects.iter().enumerate().filter(|(p, ops)| {
        ops.named && first_clear(pass, attachment, *p).is_some() && ops.load.is_some()
    });
    let mut bytes = 0;
    for (_, ops) in cleared.clone() {
        let field = Field::load_of(ops.aspect);
        fix = fix.edit(edit_op(pass, attachment, field, load_word(ops.load), "CLEAR"));
        if loads(&ops) && (all || !cx.one_plane(attachment)) {
            bytes += cx.aspect_bytes(pass, attachment, ops.aspect);
        }
    }
    let command = Edit::remove("clear-attachments", "vkCmdClearAttachments", clear.line);
    let fix = fix.edit(command.in_pass(pass));
    let aspects: Vec<Aspect> =
        cleared.filter(|(_, ops)| loads(ops)).map(|(_, ops)| ops.aspect).collect();
    let fix = match &attachment.image {
        Some(image) => then_dead(fix, cx, frame, (&[pass], image), &aspects),
        None => fix,
    };
    let mut report =
        Report::new(place, Confidence::Certain, message, why, fix).cost(Cost::load(bytes));
    if !all {
        report = report.at_most(
            Level::Info,
            "one aspect of a combined format: some drivers go wrong when the load ops of the two \
             differ, so this may be on purpose",
        );
    }
    cx.report(report);
}
