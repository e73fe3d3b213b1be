#![doc = include_str!("tile_budget.md")]

use super::narrowing;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Pass;
use crate::rule::*;
use crate::rules::flow::pass_place;
use crate::tiler::budget::{self, Over};
use crate::tiler::{PassShape, shape_of};

/// The rule.
pub static RULE: Rule = Rule {
    name: "tile-budget",
    group: Group::TileBudget,
    level: Level::Info,
    tier: Tier::C,
    folds: &["many-bins", "fat-attachment-format"],
    correctness: false,
    needs: Needs::DRAWS.and(Needs::PIPELINES),
    since: "0.1",
    page: include_str!("tile_budget.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    let Some(shape) = shape_of(pass) else { return };
    let Some(over) = budget::over(&shape, cx.profile) else { return };
    let place = pass_place(pass, None, cx.device);
    let message = match over.limit {
        Some(limit) => format!(
            "the pass keeps {} bits of colour per {}, more than the {limit} of a good tile",
            over.bits,
            if over.per_sample { "sample" } else { "pixel" },
        ),
        None => format!("{} bits of colour per pixel leave the pass a small tile", over.bits),
    };
    let why = consequence(&over);
    let fix = fix(pass, &shape, cx);
    let sure = if over.forecast.estimate { Confidence::Likely } else { Confidence::Certain };
    let mut report = Report::new(place, sure, message, why, fix);
    if over.forecast.estimate {
        report = report.assume("the tile is estimated from published numbers");
    }
    cx.report(report);
}

fn consequence(over: &Over) -> String {
    let forecast = &over.forecast;
    if forecast.spilled > 0 {
        let plural = if forecast.spilled == 1 { "attachment lies" } else { "attachments lie" };
        return format!("{} {plural} in memory, because the tile is full", forecast.spilled);
    }
    match (forecast.tile, forecast.bins) {
        (Some([width, height]), Some(bins)) if over.per_sample => format!(
            "bins shrink to {width}x{height}, {bins} of them, and each runs the geometry again"
        ),
        (Some([width, height]), Some(bins)) if width * height < 256 => format!(
            "tiles shrink to {width}x{height}, {bins} of them: more overhead, smaller stores, and \
             unchanged tiles are no longer recognised"
        ),
        _ => "what does not fit on the tile goes to memory".to_owned(),
    }
}

fn fix(pass: &Pass, shape: &PassShape, cx: &Cx<'_>) -> Fix {
    let narrowed = budget::narrowing(shape, cx.profile);
    let attachment = |slot: usize| pass.shape.attachments.get(slot);
    let names = narrowing::names(narrowed.iter().filter_map(|(slot, _)| attachment(*slot)));
    if narrowed.is_empty() {
        return Fix::text("fewer attachments: two passes of fewer outputs, or fewer samples");
    }
    let text = if narrowed.len() == 1 {
        format!("a 32-bit format for {names} brings the pass back to a good tile")
    } else {
        format!("32-bit formats for {names} bring the pass back to a good tile")
    };
    narrowed.iter().fold(Fix::text(text), |fix, (slot, format)| match attachment(*slot) {
        Some(attachment) => narrowing::edit(fix, pass, attachment, *format),
        None => fix,
    })
}
