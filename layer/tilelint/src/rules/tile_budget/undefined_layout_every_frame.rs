#![doc = include_str!("undefined_layout_every_frame.md")]

use ash::vk;

use super::signatures::{self, next_color_pass};
use crate::call::{BarrierTarget, Kind, Line};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, Frame, Image, Step, StepRef};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "undefined-layout-every-frame",
    group: Group::TileBudget,
    level: Level::Allow,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("undefined_layout_every_frame.md"),
    checks: &[Check::Frame(check)],
};

const WHY: &str = "an UNDEFINED layout drops the signatures by which unchanged tiles are not \
                   written again, about 10 % of the writes of a scene that stands still";

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    // What is made anew has no last layout.
    if !cx.profile.keeps_tile_signatures() || frame.made.iter().any(|(k, _)| *k == Kind::Image) {
        return;
    }
    for step in &frame.steps {
        match step {
            Step::Pass(pass) => {
                for attachment in signatures::color_targets(pass, cx) {
                    let Some(ops) = attachment.ops(Aspect::Color) else { continue };
                    if ops.initial != vk::ImageLayout::UNDEFINED || is_first_use(attachment, cx) {
                        continue;
                    }
                    let place = Place::attachment(
                        pass,
                        attachment,
                        Some(Aspect::Color),
                        Field::Initial,
                        cx.device,
                    );
                    let last = flag_words(&ops.final_);
                    let text = "initialLayout = its last layout; loadOp stays as it is";
                    let fix = Fix::text(text).edit(edit_op(
                        pass,
                        attachment,
                        Field::Initial,
                        "UNDEFINED",
                        &last,
                    ));
                    report(cx, place, &attachment.name(), fix);
                }
            }
            Step::Barrier { step, facts } => {
                for barrier in &facts.command.barriers {
                    let BarrierTarget::Image { image, old, new, .. } = barrier.target else {
                        continue;
                    };
                    if old != vk::ImageLayout::UNDEFINED {
                        continue;
                    }
                    let Some(id) = cx.device.image_id(image) else { continue };
                    let Some((image, _)) = cx.device.image(id) else { continue };
                    if !next_color_pass(frame, cx, id, step.index) {
                        continue;
                    }
                    let place = barrier_place(step, facts.line, image, new, cx);
                    let name = image.name.text.to_string();
                    let (field, to) = ("oldLayout", flag_words(&new));
                    let edit = Edit::set(EditObject::Command, name, field, "UNDEFINED", to);
                    let edit = edit.said_by("old", facts.line);
                    let fix = Fix::text("oldLayout = its last layout; the load op stays as it is")
                        .edit(edit);
                    report(cx, place, &image.name.text, fix);
                }
            }
            _ => {}
        }
    }
}

/// Nothing is lost before a first pass has drawn.
fn is_first_use(attachment: &Attachment, cx: &Cx<'_>) -> bool {
    let image = attachment.image.as_ref().and_then(|image| cx.device.image(image.id));
    image.is_none_or(|(_, used)| used.passes < 2)
}

fn barrier_place(
    step: &StepRef,
    line: Line,
    image: &Image,
    new: vk::ImageLayout,
    cx: &Cx<'_>,
) -> Place {
    let name = identifier(&image.name.text);
    let text = format!("barrier {name} old=UNDEFINED new={}", flag_words(&new));
    let step = StepRef { line, ..step.clone() };
    signatures::image_place(Place::step(&step, text, "old", cx.device), image, "oldLayout")
}

fn report(cx: &mut Cx<'_>, place: Place, name: &str, fix: Fix) {
    let message = format!("`{name}` is taken over from layout UNDEFINED every frame");
    let report = Report::new(place, Confidence::Likely, message, WHY, fix);
    cx.report(report.assume("parts of the picture stand still from frame to frame"));
}
