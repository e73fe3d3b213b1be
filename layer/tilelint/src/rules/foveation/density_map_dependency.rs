#![doc = include_str!("density_map_dependency.md")]

use ash::vk;

use super::maps::density_map;
use crate::call::{BarrierTarget, Line, SUBPASS_EXTERNAL};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::model::{Frame, HostStep, Image, ImageId, Pass, Step};
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
        let fix = edits(Fix::text(text), frame, image, writer, pass, cx);
        cx.report(Report::new(place, Confidence::Certain, message, why, fix));
    }
}

/// The edits of the barrier on the map, where there is one; else of an external dependency.
fn edits(fix: Fix, frame: &Frame, map: &Image, writer: u32, pass: &Pass, cx: &Cx<'_>) -> Fix {
    let process = vk::PipelineStageFlags2::FRAGMENT_DENSITY_PROCESS_EXT;
    let read = vk::AccessFlags2::FRAGMENT_DENSITY_MAP_READ_EXT;
    let between =
        frame.steps.iter().filter(|step| (writer + 1..pass.step.index).contains(&step.index()));
    let barrier = between.into_iter().find_map(|step| match step {
        Step::Barrier { facts, .. } => facts.command.barriers.iter().find_map(|barrier| {
            let BarrierTarget::Image { image, .. } = barrier.target else { return None };
            (cx.device.image_id(image) == Some(map.id)).then_some((facts.line, barrier))
        }),
        _ => None,
    });
    let (line, stages, access) = match barrier {
        Some((line, barrier)) => (line, barrier.dst_stage, barrier.dst_access),
        None => (Line(0), vk::PipelineStageFlags2::empty(), vk::AccessFlags2::empty()),
    };
    let (object, name) = match barrier {
        Some(_) => (EditObject::Command, map.name.text.to_string()),
        None => (EditObject::Dependency, "external->0".to_owned()),
    };
    let stage = [flag_words(&stages), flag_words(&(stages | process))];
    let access = [flag_words(&access), flag_words(&(access | read))];
    let keys = [("dst_stage", "dstStageMask", stage), ("dst_access", "dstAccessMask", access)];
    keys.into_iter().fold(fix, |fix, (key, field, [from, to])| {
        let edit = Edit::set(object, name.clone(), field, from, to);
        fix.edit(edit.in_pass(pass).said_by(key, line))
    })
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
