#![doc = include_str!("late_z_shader.md")]

use super::depth_draws::{DepthDraw, depth_draws, draw_place, draw_text, draws_of};
use crate::finding::{Beside, Confidence, Edit, Fix, Level, Tier};
use crate::model::{DrawFacts, Frame, Pass};
use crate::rule::*;
use crate::spirv::Stage;

/// The rule.
pub static RULE: Rule = Rule {
    name: "late-z-shader",
    group: Group::HiddenSurface,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("late_z_shader.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if cx.profile.is_tiler() {
        frame.passes().for_each(|pass| check_pass(pass, cx));
    }
}

/// What keeps the depth of a draw unknown until its shader has run, if something does.
fn late(at: &DepthDraw<'_>) -> Option<&'static str> {
    let shader = at.draw.pipeline.as_ref()?.shader(Stage::Fragment)?;
    if shader.early_fragment_tests {
        return None;
    }
    if shader.replaces_depth {
        return shader.depth_promise.is_none().then_some("writes the depth itself");
    }
    (shader.discards && at.writes).then_some("may discard its fragment, and depth write is on")
}

/// Late draws go behind the last draw that they hold up.
fn behind(fix: Fix, pass: &Pass, last: &DrawFacts) -> Fix {
    let (mut fix, mut place) = (fix, last.line);
    for at in depth_draws(pass) {
        if std::ptr::eq(at.draw, last) {
            break;
        }
        if late(&at).is_some() && at.draw.subpass == last.subpass {
            let text = draw_text(at.draw).trim().to_owned();
            let beside = Beside::Behind(place);
            let edit = Edit::moved(text, "vkCmdDraw", at.draw.line, beside, draw_text(last).trim());
            fix = fix.edit(edit.in_pass(pass));
            place = at.draw.line;
        }
    }
    fix
}

fn check_pass(pass: &Pass, cx: &mut Cx<'_>) {
    let Some((first, how)) = depth_draws(pass).find_map(|at| Some((at, late(&at)?))) else {
        return;
    };
    // Drawn after the rest, they cost nobody else anything.
    let held_up = |at: &DepthDraw<'_>| {
        let same = at.attachment.slot == first.attachment.slot;
        at.index > first.index && same && at.draw.effect.depth_reads && late(at).is_none()
    };
    let Some(next) = depth_draws(pass).find(held_up) else { return };
    let before = depth_draws(pass).filter(|at| at.index < next.index && late(at).is_some());
    let count: u64 = before.map(|at| draws_of(at.draw)).sum();
    let place = draw_place(pass, &first, &format!("its shader {how}"), cx.device).explained(
        next.draw.line,
        draw_text(next.draw),
        "",
        "comes after it",
    );
    let draws = if count == 1 { "1 draw".to_owned() } else { format!("{count} draws") };
    let message = format!(
        "{draws} whose depth is known only after shading come before others against `{}`",
        first.attachment.name()
    );
    let why = "until such a fragment is shaded, nothing behind it can be rejected early";
    let fix = Fix::text(
        "draw such geometry after the rest; a shader that writes depth can promise DepthGreater or \
         DepthLess. Not EarlyFragmentTests: holes would write depth, and a written depth is \
         ignored",
    );
    let fix = match depth_draws(pass).filter(held_up).last() {
        Some(last) => behind(fix, pass, last.draw),
        None => fix,
    };
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
