//! A forecast in words: what was computed, what it assumes, and where its numbers come from.

use std::io::{self, Write};

use serde_json::Value;
use tilelint::profile::{Kind, Label, Profile};
use tilelint::tiler::{
    Forecast, Foveation, Layout, Mode, Model, Options, PassShape, forecast_with, planes,
};

use crate::gpus;

/// The tile memory that bins are cut from.
#[derive(Clone, Copy)]
pub struct Budget {
    /// Bytes.
    pub memory: u32,
    /// Pixels, over all views, that they hold.
    pub pixels: u32,
}

/// The budget of a target that bins.
pub fn budget(
    profile: &Profile,
    pass: &PassShape,
    forecast: &Forecast,
    options: Options,
) -> Option<Budget> {
    let binned = profile.binned.as_ref()?;
    let memory = match options.model {
        Model::Fitted => binned.tile_memory_fitted,
        Model::Open => forecast.layout.unwrap_or(Layout::Full).bytes(binned),
    };
    let budget = planes::budget(&planes::planes(pass)?, memory, binned);
    Some(Budget { memory, pixels: budget.pixels })
}

/// The numbers that a tile forecast uses: field, value, source.
pub fn sources(profile: &Profile) -> Vec<(String, Value, String)> {
    let used = |field: &str| field.starts_with("binned.") || field.starts_with("tile.");
    let numbers = gpus::numbers(profile).into_iter().filter(|(field, _)| used(field));
    numbers
        .map(|(field, value)| {
            let source = profile.source_of(&field).unwrap_or("no source").to_owned();
            (field, value, source)
        })
        .collect()
}

/// What the forecast takes for granted.
pub fn assumptions(
    profile: &Profile,
    forecast: &Forecast,
    pass: &PassShape,
    options: Options,
) -> Vec<String> {
    let samples = pass.attachments.iter().map(|attachment| attachment.samples).max();
    let multisampled = samples.is_some_and(|samples| samples > 1);
    let color = if multisampled { "cleared and resolved" } else { "cleared and stored" };
    let mut lines = vec![format!(
        "one subpass over the whole framebuffer: colour is {color}, depth is cleared and not stored"
    )];
    match (profile.kind, options.model) {
        (Kind::Binned, Model::Fitted) => {
            lines.push(format!("the vendor's own driver follows {}", Label::Fit.meaning()));
        }
        (Kind::Binned, Model::Open) => lines.push("the open driver runs the GPU".to_owned()),
        (Kind::Fixed, _) => {
            lines.push("the vendor's own driver chooses tiles as the open one does".to_owned());
        }
        (Kind::Immediate, _) => {}
    }
    if profile.kind == Kind::Binned && forecast.mode == Mode::Binned && pass.draws.is_none() {
        lines.push("enough draws for bins to pay (see --draws)".to_owned());
    }
    lines
}

/// Prints the forecast of one target.
pub fn print(
    profile: &Profile,
    forecast: &Forecast,
    pass: &PassShape,
    options: Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{} [{}]", profile.title, profile.name)?;
    let mut line = |what: &str, text: &str| writeln!(out, "  {what:9} {text}");
    line("pass", &describe(pass))?;
    line("tile", &tile(forecast))?;
    if let Some(bytes) = forecast.bytes_per_pixel {
        line("on tile", &on_tile(profile, pass, bytes))?;
    }
    if forecast.mode == Mode::Binned
        && let Some(text) = budget_text(profile, pass, forecast, options)
    {
        line("budget", &text)?;
    }
    line("runs", &mode(forecast))?;
    line("surface", &forecast.surface)?;
    if let Some(text) = other_model(profile, pass, options) {
        line("compare", &text)?;
    }
    writeln!(out, "  assumes")?;
    for assumption in assumptions(profile, forecast, pass, options) {
        writeln!(out, "    - {assumption}")?;
    }
    let sources = sources(profile);
    if !sources.is_empty() {
        writeln!(out, "  sources")?;
    }
    for (field, value, source) in sources {
        let value = match value.as_array().map(Vec::as_slice) {
            Some([width, height]) => format!("{width}x{height}"),
            _ => value.to_string(),
        };
        writeln!(out, "    {field:29} {value:>9}  {source}")?;
    }
    Ok(())
}

fn describe(pass: &PassShape) -> String {
    let formats = (0..pass.attachments.len()).filter(|index| pass.is_drawn(*index));
    let formats: Vec<String> =
        formats.map(|index| format!("{:?}", pass.attachments[index].format)).collect();
    let formats =
        if formats.is_empty() { "no attachments".to_owned() } else { formats.join(" + ") };
    let samples = pass.subpasses.iter().find_map(|subpass| pass.samples(subpass)).unwrap_or(1);
    let plural = |count: u32, what: &str| {
        let ending = if count == 1 { "" } else { "s" };
        format!("{count} {what}{ending}")
    };
    let views = plural(pass.tile_layers(), "view");
    let samples = plural(samples, "sample");
    format!("{}x{}, {views}, {samples}: {formats}", pass.width, pass.height)
}

fn tile(forecast: &Forecast) -> String {
    let (Some([width, height]), Some(bins)) = (forecast.tile, forecast.bins) else {
        let why = if forecast.mode == Mode::Immediate { "no tiles on this GPU" } else { "unknown" };
        return why.to_owned();
    };
    let what = match (forecast.mode, bins) {
        (Mode::Tiled, 1) => "tile",
        (Mode::Tiled, _) => "tiles",
        (_, 1) => "bin",
        _ => "bins",
    };
    let label = forecast.source;
    let sure = if forecast.estimate { "estimate, " } else { "" };
    format!("{width}x{height}, {bins} {what}   ({sure}{label}: {})", label.meaning())
}

fn on_tile(profile: &Profile, pass: &PassShape, bytes: u32) -> String {
    let views = if pass.tile_layers() > 1 && profile.views_in_tile { " and view" } else { "" };
    let total = format!("{bytes} bytes per pixel{views}");
    if profile.kind != Kind::Binned {
        return format!("{total}, colour only: depth has its own memory");
    }
    let Some(planes) = planes::planes(pass) else { return total };
    let parts: Vec<String> = planes
        .iter()
        .map(|plane| {
            let format = pass.attachments[plane.attachment].format;
            let stencil = if plane.separate_stencil { " stencil" } else { "" };
            format!("{format:?}{stencil} {}", plane.bytes)
        })
        .collect();
    if parts.is_empty() { total } else { format!("{total}: {}", parts.join(" + ")) }
}

fn budget_text(
    profile: &Profile,
    pass: &PassShape,
    forecast: &Forecast,
    options: Options,
) -> Option<String> {
    let budget = budget(profile, pass, forecast, options)?;
    let [width, height] = forecast.tile?;
    let layers = pass.tile_layers();
    let used = u64::from(width) * u64::from(height) * u64::from(layers);
    let percent = used * 100 / u64::from(budget.pixels.max(1));
    let over = if layers > 1 { format!(" over {layers} views") } else { String::new() };
    let kib = budget.memory / 1024;
    let fit = budget.pixels;
    Some(format!(
        "{kib} KiB of tile memory hold {fit} pixels{over}; a bin takes {used} ({percent} %)"
    ))
}

fn mode(forecast: &Forecast) -> String {
    let how = match forecast.mode {
        Mode::Binned if forecast.binning => "in bins, after a binning pass",
        Mode::Binned if !forecast.visibility => {
            "in bins; too many for the visibility streams: every bin replays all geometry"
        }
        Mode::Binned => "in bins, too few for a binning pass",
        Mode::Tiled => "in tiles",
        Mode::Direct => "straight to memory, without bins",
        Mode::Immediate => "straight to memory",
    };
    let reason = forecast.reason.as_ref();
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    let map = match forecast.foveation {
        Foveation::IgnoredDirect | Foveation::IgnoredSamples => "; the density map has no effect",
        _ => "",
    };
    format!("{how}{reason}{map}")
}

/// What the other model says, where there are two.
fn other_model(profile: &Profile, pass: &PassShape, options: Options) -> Option<String> {
    profile.binned.as_ref()?;
    let (model, whose) = match options.model {
        Model::Fitted => (Model::Open, "the open driver would take"),
        Model::Open => (Model::Fitted, "the vendor's own driver probably takes"),
    };
    let other = forecast_with(pass, profile, Options { model, layout: None });
    if other.mode != Mode::Binned {
        return Some(format!("{whose} no bins: {}", other.reason?));
    }
    let [width, height] = other.tile?;
    let layout = other.layout.map(Layout::as_str);
    let layout = layout.map_or_else(String::new, |layout| format!(" ({layout} layout)"));
    Some(format!("{whose} {width}x{height}, {} bins{layout}", other.bins?))
}
