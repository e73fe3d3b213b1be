#![doc = include_str!("density_map_direct_mode.md")]

use super::super::mend::left_out;
use super::maps::{density_map, is_known};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Attachment, Pass};
use crate::rule::*;
use crate::rules::load_store::is_full_screen;
use crate::tiler::{Foveation, forecast, shape_of};

/// The rule.
pub static RULE: Rule = Rule {
    name: "density-map-direct-mode",
    group: Group::Foveation,
    level: Level::Warn,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::DRAWS.and(Needs::PIPELINES),
    since: "0.1",
    page: include_str!("density_map_direct_mode.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    let Some(map) = density_map(pass).filter(|_| is_known(pass)) else { return };
    let Some(shape) = shape_of(pass) else { return };
    let place = Place::attachment(pass, map, None, Field::Other("as", "role"), cx.device);
    match forecast(&shape, cx.profile).foveation {
        Foveation::IgnoredSamples => {
            let Some(attachment) = moved(pass) else { return };
            let message = format!(
                "the density map has no effect: multisampled `{}` is loaded or stored",
                attachment.name()
            );
            let why = "the driver ignores the map in a pass that moves samples to or from memory";
            let fix = Fix::text(format!(
                "resolve `{}` in the pass: loadOp = CLEAR, storeOp = DONT_CARE",
                attachment.name()
            ));
            cx.report(Report::new(place, Confidence::Certain, message, why, fix));
        }
        Foveation::IgnoredDirect => {
            let [draw] = pass.draws.as_slice() else { return };
            if draw.draw.times != 1 || !is_full_screen(draw, pass) {
                return;
            }
            let message = "the density map is likely to have no effect: the pass is one \
                           full-screen draw";
            let why = "one draw on one sample without depth is drawn straight to memory, and \
                       without bins there is no density";
            let fix = Fix::text("leave the map out, or do its work at the end of the pass before")
                .edit(left_out(pass, map));
            let report = Report::new(place, Confidence::Likely, message, why, fix);
            cx.report(report.assume("the driver draws such passes without bins"));
        }
        _ => {}
    }
}

/// A multisampled attachment that the pass loads or stores.
fn moved(pass: &Pass) -> Option<&Attachment> {
    use ash::vk::{AttachmentLoadOp as Load, AttachmentStoreOp as Store};
    pass.shape.attachments.iter().find(|a| {
        let moves = |ops: &crate::model::AspectOps| {
            ops.load == Some(Load::LOAD) || ops.store == Some(Store::STORE)
        };
        a.is_multisampled() && a.loads() && a.aspects.iter().any(moves)
    })
}
