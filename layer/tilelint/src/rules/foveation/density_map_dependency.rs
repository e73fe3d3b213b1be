#![doc = include_str!("density_map_dependency.md")]

use ash::vk;

use super::maps::density_map;
use crate::call::{BarrierTarget, SUBPASS_EXTERNAL};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::model::{Frame, HostStep, ImageId, Pass, Step};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "density-map-dependency",
    group: Group::Foveation,
    level: Level::Info,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("density_map_dependency.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for pass in frame.passes().filter(|pass| !pass.shape.opaque) {
        let Some(map) = density_map(pass) else { continue };
        let Some(image) = &map.image else { continue };
        let Some(writer) = last_write(frame, image.id, pass) else { continue };
        if is_reached(frame, image.id, writer, pass, cx) {
            continue;
        }
        let place = Place::attachment(pass, map, None, Field::Other("as", "role"), cx.device);
        let message = format!(
            "`{}` is written each frame, but nothing makes its reading as a density map wait",
            map.name()
        );
        let why = "maps are read in the stage FRAGMENT_DENSITY_PROCESS, before any other of the \
                   pass; a barrier that ends at fragment shading comes too late";
        let text = "dstStageMask |= FRAGMENT_DENSITY_PROCESS, dstAccessMask |= \
                    FRAGMENT_DENSITY_MAP_READ in the barrier behind the write, or an EXTERNAL \
                    dependency of the pass";
        let fix = Fix::text(text).edit(Edit {
            object: EditObject::Dependency,
            name: "external->0".to_owned(),
            pass: Some(pass.name.to_string()),
            slot: None,
            field: "dstStageMask",
            from: String::new(),
            to: "FRAGMENT_DENSITY_PROCESS".to_owned(),
        });
        cx.report(Report::new(place, Confidence::Certain, message, why, fix));
    }
}

/// Position of the last step of the frame before the pass that writes the image.
fn last_write(frame: &Frame, image: ImageId, reader: &Pass) -> Option<u32> {
    let before = frame.steps.iter().filter(|step| step.index() < reader.step.index);
    before.filter(|step| writes(step, image)).map(Step::index).max()
}

fn writes(step: &Step, image: ImageId) -> bool {
    match step {
        Step::Pass(pass) => {
            let stores = pass.shape.attachments.iter().any(|a| {
                let own = a.image.as_ref().is_some_and(|own| own.id == image);
                own && a.stores() && !a.is_rate()
            });
            stores || pass.writes.contains(&image)
        }
        Step::Transfer(transfer) => transfer.to == Some(image),
        Step::Dispatch { writes, .. } => writes.contains(&image),
        _ => false,
    }
}

/// Stages that hold up the reading of a density map.
fn reaches(stages: vk::PipelineStageFlags2) -> bool {
    stages.intersects(
        vk::PipelineStageFlags2::FRAGMENT_DENSITY_PROCESS_EXT
            | vk::PipelineStageFlags2::ALL_GRAPHICS
            | vk::PipelineStageFlags2::ALL_COMMANDS,
    )
}

fn is_reached(frame: &Frame, image: ImageId, writer: u32, reader: &Pass, cx: &Cx<'_>) -> bool {
    let external = |dependency: &crate::call::Dependency| {
        dependency.src == SUBPASS_EXTERNAL && reaches(dependency.dst_stage)
    };
    // The writing pass may hand it on itself.
    let handed_on = frame.passes().any(|pass| {
        let mut dependencies = pass.shape.dependencies.iter();
        pass.step.index == writer
            && dependencies.any(|d| d.dst == SUBPASS_EXTERNAL && reaches(d.dst_stage))
    });
    let between =
        frame.steps.iter().filter(|step| (writer + 1..reader.step.index).contains(&step.index()));
    reader.shape.dependencies.iter().any(external)
        || handed_on
        || between.into_iter().any(|step| match step {
            Step::Barrier { facts, .. } => facts.command.barriers.iter().any(|barrier| {
                let concerns = match barrier.target {
                    BarrierTarget::Image { image: key, .. } => {
                        cx.device.image_id(key).is_none_or(|id| id == image)
                    }
                    BarrierTarget::Memory => true,
                    BarrierTarget::Buffer(_) => false,
                };
                concerns && reaches(barrier.dst_stage)
            }),
            Step::Submit { facts, .. } => facts.waits.iter().any(|wait| reaches(wait.stages)),
            Step::Host { what, .. } => {
                matches!(**what, HostStep::Wait(_) | HostStep::WaitIdle(_))
            }
            _ => false,
        })
}
