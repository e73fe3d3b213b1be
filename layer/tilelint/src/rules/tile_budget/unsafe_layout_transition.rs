#![doc = include_str!("unsafe_layout_transition.md")]

use ash::vk;

use super::signatures;
use crate::call::{BarrierTarget, TransferKind};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::model::{Frame, Image, ImageId, Step, StepRef};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "unsafe-layout-transition",
    group: Group::TileBudget,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("unsafe_layout_transition.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.keeps_tile_signatures() {
        return;
    }
    let mut told: Vec<ImageId> = Vec::new();
    for step in &frame.steps {
        match step {
            Step::Barrier { step, facts } => {
                for barrier in &facts.command.barriers {
                    let BarrierTarget::Image { image, old, new, .. } = barrier.target else {
                        continue;
                    };
                    let unsafe_new = matches!(
                        new,
                        vk::ImageLayout::GENERAL | vk::ImageLayout::TRANSFER_DST_OPTIMAL
                    );
                    let Some(id) = cx.device.image_id(image) else { continue };
                    if !unsafe_new || !signatures::is_safe(old) || told.contains(&id) {
                        continue;
                    }
                    let Some((image, _)) = cx.device.image(id) else { continue };
                    let needed = new == vk::ImageLayout::GENERAL && shaders_write(frame, id);
                    if !needed && signatures::is_drawn_safely(frame, cx, id) {
                        told.push(id);
                        let step = StepRef { line: facts.line, ..(**step).clone() };
                        report_barrier(cx, &step, image, old, new);
                    }
                }
            }
            Step::Transfer(transfer) => {
                let blit = transfer.transfer.as_ref().is_some_and(|t| t.kind == TransferKind::Blit);
                let Some(id) = transfer.to.filter(|id| blit && !told.contains(id)) else {
                    continue;
                };
                let Some((image, _)) = cx.device.image(id) else { continue };
                if signatures::is_drawn_safely(frame, cx, id) {
                    told.push(id);
                    report_blit(cx, &transfer.step, image);
                }
            }
            _ => {}
        }
    }
}

/// A shader uses it as a storage image: the algorithm needs the layout.
fn shaders_write(frame: &Frame, image: ImageId) -> bool {
    frame.steps.iter().any(|step| match step {
        Step::Pass(pass) => pass.writes.contains(&image),
        Step::Dispatch { writes, .. } => writes.contains(&image),
        _ => false,
    })
}

fn report_barrier(
    cx: &mut Cx<'_>,
    step: &StepRef,
    image: &Image,
    old: vk::ImageLayout,
    new: vk::ImageLayout,
) {
    let (old, new) = (flag_words(&old), flag_words(&new));
    let text = format!("barrier {} old={old} new={new}", identifier(&image.name.text));
    let place = Place::step(step, text, "new", cx.device);
    let place = signatures::image_place(place, image, "newLayout");
    let message = format!("`{}` leaves the layouts in which only passes write it", image.name.text);
    let instead = if new == "GENERAL" {
        "newLayout = SHADER_READ_ONLY_OPTIMAL: no shader writes it"
    } else {
        "draw what is copied into it, with a full-screen triangle"
    };
    let mut fix = Fix::text(instead);
    if new == "GENERAL" {
        let name = image.name.text.to_string();
        let (field, to) = ("newLayout", "SHADER_READ_ONLY_OPTIMAL");
        let edit = Edit::set(EditObject::Command, name, field, new.clone(), to);
        fix = fix.edit(edit.said_by("new", step.line));
    }
    report(cx, place, message, fix);
}

fn report_blit(cx: &mut Cx<'_>, step: &StepRef, image: &Image) {
    let text = format!("blit to={}", identifier(&image.name.text));
    let place = Place::step(step, text, "to", cx.device);
    let place = signatures::image_place(place, image, "dstImage");
    let message = format!("a blit writes `{}`, which passes draw to as well", image.name.text);
    report(cx, place, message, Fix::text("draw it instead, with a full-screen triangle"));
}

fn report(cx: &mut Cx<'_>, place: Place, message: String, fix: Fix) {
    let why = "writes outside the tile drop the signatures by which unchanged tiles are not \
               written again";
    let report = Report::new(place, Confidence::Likely, message, why, fix);
    cx.report(report.assume("parts of the picture stand still from frame to frame"));
}
