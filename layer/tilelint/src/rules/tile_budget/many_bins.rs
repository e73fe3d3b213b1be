#![doc = include_str!("many_bins.md")]

use ash::vk;

use super::narrowing;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Pass;
use crate::rule::*;
use crate::rules::flow::pass_place;
use crate::tiler::bins::Bins;
use crate::tiler::budget::narrower;
use crate::tiler::forecast::covers;
use crate::tiler::{Attachment, Mode, PassShape, Subpass, forecast, shape_of};

/// The rule.
pub static RULE: Rule = Rule {
    name: "many-bins",
    group: Group::TileBudget,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::DRAWS.and(Needs::PIPELINES),
    since: "0.1",
    page: include_str!("many_bins.md"),
    checks: &[Check::Pass(check)],
};

/// Bins that are few however many more than usual they are.
pub const BINS: RuleSetting = RuleSetting {
    rule: "many-bins",
    name: "bins",
    default: 16,
    least: 0,
    most: u64::MAX,
    about: "bins that are few however many more than usual they are",
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if !cx.profile.replays_geometry() {
        return;
    }
    let Some(shape) = shape_of(pass) else { return };
    let own = forecast(&shape, cx.profile);
    let usual = forecast(&usual(&shape), cx.profile);
    let told = told(pass, cx);
    let (known, covered) = match told {
        Some(bins) => (Some((bins.count(), bins.tile)), covers(bins, cx.profile)),
        None => (own.bins.zip(own.tile), own.visibility),
    };
    let (Some((bins, tile)), Some(usual_bins)) = (known, usual.bins) else { return };
    if own.mode != Mode::Binned || u64::from(bins) <= cx.setting(&BINS) {
        return;
    }
    let lost = !covered;
    let many = 2 * u64::from(bins) > 3 * u64::from(usual_bins);
    // Bins come in steps: rounding alone may make half as many again.
    let bytes = own.bytes_per_pixel.zip(usual.bytes_per_pixel);
    let wide = bytes.is_some_and(|(own, usual)| 2 * own > 3 * usual);
    if !(many && wide || lost) {
        return;
    }
    let place = pass_place(pass, None, cx.device);
    let message = if lost {
        format!("the pass takes {bins} bins of {}x{}, too many to sort geometry", tile[0], tile[1])
    } else {
        format!(
            "the pass takes {bins} bins of {}x{}, where RGBA8 with D24S8 would take {usual_bins}",
            tile[0], tile[1]
        )
    };
    let why = if lost {
        "no visibility stream covers so many bins, so each of them runs all geometry"
    } else {
        "each bin runs the geometry that touches it again, and has its own loads and stores"
    };
    let widest = narrowing::widest(pass);
    let fix = if widest.is_empty() {
        Fix::text("fewer attachments, fewer samples, or a smaller render area")
    } else {
        let names = narrowing::names(widest.iter().copied());
        let text = format!("narrower formats for {names}, which take most of the tile");
        widest.iter().fold(Fix::text(text), |fix, attachment| {
            match narrower(attachment.format, attachment.samples) {
                Some(format) => narrowing::edit(fix, pass, attachment, format),
                None => fix,
            }
        })
    };
    let mut report = Report::new(place, Confidence::Likely, message, why, fix);
    if let Some(bytes) = own.bytes_per_pixel {
        report = report.why(format!("its attachments take {bytes} bytes of each pixel and view"));
    }
    cx.report(match told {
        Some(_) => report
            .why("the driver itself gave the size of a tile")
            .assume("the number of bins of the other pass is estimated from published ones"),
        None => report.assume("the number of bins is estimated from published ones"),
    });
}

/// The bins that follow from what the driver says of its tiles: of several visits, the one that has
/// most.
fn told(pass: &Pass, cx: &Cx<'_>) -> Option<Bins> {
    let area = pass.shape.area.extent;
    let bins = |tile: &vk::Extent2D| Bins {
        tile: [tile.width, tile.height],
        grid: [area.width.div_ceil(tile.width.max(1)), area.height.div_ceil(tile.height.max(1))],
    };
    let tiles = pass.shape.tiles.iter().filter(|_| cx.driver_speaks());
    tiles.map(bins).max_by_key(|bins| bins.count())
}

/// The pass that the number of bins is compared with: RGBA8 with D24S8, as large, with as many
/// samples and views.
fn usual(shape: &PassShape) -> PassShape {
    let drawn = |slot: &usize| shape.is_drawn(*slot);
    let samples = (0..shape.attachments.len()).filter(drawn);
    let samples = samples.map(|slot| shape.attachments[slot].samples).max().unwrap_or(1);
    let formats = [vk::Format::R8G8B8A8_UNORM, vk::Format::D24_UNORM_S8_UINT];
    let view_mask = shape.subpasses.iter().fold(0, |mask, subpass| mask | subpass.view_mask);
    let subpass =
        Subpass { color: vec![Some(0)], depth_stencil: Some(1), view_mask, ..Subpass::default() };
    PassShape {
        width: shape.width,
        height: shape.height,
        layers: shape.layers,
        area: shape.area,
        dynamic: shape.dynamic,
        attachments: formats.map(|format| Attachment::new(format, samples)).to_vec(),
        subpasses: vec![subpass],
        ..PassShape::default()
    }
}
