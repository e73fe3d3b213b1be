#![doc = include_str!("multiview_opportunity.md")]

use rustc_hash::FxHashMap;

use super::maps::{has_color, has_depth, is_known};
use super::twins::{Scene, are_joined, readers};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, Pass};
use crate::rule::*;
use crate::rules::flow::pass_place;

/// The rule.
pub static RULE: Rule = Rule {
    name: "multiview-opportunity",
    group: Group::Foveation,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("multiview_opportunity.md"),
    checks: &[Check::Frame(check)],
};

/// Draws that make a scene.
pub const DRAWS: RuleSetting = RuleSetting {
    rule: "multiview-opportunity",
    name: "draws",
    default: 8,
    least: 1,
    most: u64::MAX,
    about: "draws that make a scene",
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let scenes = frame.passes().filter(|pass| is_scene(pass, cx.setting(&DRAWS)));
    let scenes: Vec<Scene<'_>> = scenes.map(Scene::new).collect();
    // Only passes of one size are compared, lest each is with each; and of those that draw to the
    // same none is another's twin.
    let mut alike: FxHashMap<_, FxHashMap<_, Vec<usize>>> = FxHashMap::default();
    let size = |pass: &Pass| {
        let (whole, area) = (pass.shape.extent, pass.shape.area.extent);
        let sides = [whole.width, whole.height, area.width, area.height];
        (sides, pass.shape.attachments.len())
    };
    for (index, scene) in scenes.iter().enumerate() {
        let of_size = alike.entry(size(scene.pass)).or_default();
        of_size.entry(&scene.colors[..]).or_default().push(index);
    }
    let mut pairs = Vec::new();
    for (index, first) in scenes.iter().enumerate() {
        let elsewhere = alike[&size(first.pass)].iter().filter(|(to, _)| ***to != first.colors[..]);
        let others = elsewhere.flat_map(|(_, others)| others);
        let mut twins = others.filter(|other| first.is_twin(&scenes[**other]));
        // Two eyes; more are the faces of a cube, cascades or a wall of screens.
        let (Some(second), None) = (twins.next(), twins.next()) else { continue };
        if *second > index {
            pairs.push((first.pass, scenes[*second].pass));
        }
    }
    let read_by = readers(frame, &pairs);
    for (first, second) in pairs {
        if !are_joined(&read_by, first, second) {
            report(cx, first, second);
        }
    }
}

/// A pass that draws a scene for one view.
fn is_scene(pass: &Pass, fewest: u64) -> bool {
    is_known(pass)
        && has_color(pass)
        && has_depth(pass)
        && pass.draw_count >= fewest
        && pass.shape.view_mask == 0
        && pass.shape.layers <= 1
}

fn report(cx: &mut Cx<'_>, first: &Pass, second: &Pass) {
    let place = pass_place(second, None, cx.device);
    let message = format!("`{}` and `{}` draw the same scene twice", first.name, second.name);
    let why = "with multiview one pass draws both: its draws are recorded once, and their vertices \
               may be shared";
    let fix = Fix::text(
        "one pass with viewMask = 0b11 on images of two layers; shaders pick the eye by ViewIndex",
    );
    let mut report = Report::new(place, Confidence::Likely, message, why, fix)
        .assume("both show one scene, from two eyes");
    if cx.profile.views_in_tile {
        report = report.why("both views share tile memory then: bins get half as large");
    }
    cx.report(report);
}
