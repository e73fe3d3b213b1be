//! `tilelint tile`: the bins or tiles that a pass gets, and why.

mod batch;
mod explain;

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::{Value, json};
use tilelint::format;
use tilelint::profile::{self, DEFAULT_TARGETS, Profile};
use tilelint::tiler::{
    Attachment, Forecast, Layout, Model, Options, PassShape, forecast_with, spec,
};

use crate::{Outcome, profiles};

/// Show the bins or tiles that a render pass gets on a GPU, and what that rests on
#[derive(clap::Args)]
pub struct Args {
    /// Targets, by name (see `tilelint gpus`); NAME@1M is the same GPU with other tile memory
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    gpu: Vec<String>,
    /// Framebuffer size in pixels
    #[arg(long, value_name = "WxH", value_parser = parse_size,
        required_unless_present_any = ["batch", "verdicts"])]
    size: Option<[u32; 2]>,
    /// Views of a multiview pass
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=32))]
    views: u32,
    /// Samples per pixel
    #[arg(long, default_value_t = 1, value_parser = parse_samples)]
    samples: u32,
    /// Colour formats: Vulkan's names or short ones, such as rgba8, rgba16f, rg11b10f
    #[arg(long, value_name = "FORMAT", value_delimiter = ',')]
    color: Vec<String>,
    /// Depth/stencil format: d16, d24s8, d32, d32s8
    #[arg(long, value_name = "FORMAT")]
    depth: Option<String>,
    /// Draws in the pass, where they are counted
    #[arg(long, value_name = "N")]
    draws: Option<u32>,
    /// Whose decisions: the open driver's, or the vendor's own by a fitted rule
    #[arg(long, default_value = "fitted")]
    model: ModelName,
    /// Layout of tile memory in the open model
    #[arg(long, default_value = "auto")]
    layout: LayoutName,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Read passes from a file of JSON lines (gpu, w, h, views, samples or s, color and depth or
    /// att; `-` is standard input) and print the bins of each
    #[arg(long, value_name = "ROWS", conflicts_with_all = ["size", "verdicts"])]
    batch: Option<PathBuf>,
    /// Read passes from a file of JSON lines (gpu, spec) and print the open driver's verdicts
    #[arg(long, value_name = "ROWS", conflicts_with = "size")]
    verdicts: Option<PathBuf>,
    /// Folder of your own profiles (*.toml)
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModelName {
    Open,
    Fitted,
}

#[derive(Clone, Copy, ValueEnum)]
enum LayoutName {
    Full,
    AvoidCcu,
    Auto,
}

/// The largest side that the API's implementations know, and then some.
const MAX_SIDE: u32 = 1 << 16;

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let wrong = || format!("`{text}` is not WIDTHxHEIGHT, such as 1440x1584");
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
    let side = |side: &str| side.trim().parse::<u32>().map_err(|_| wrong());
    let size = [side(width)?, side(height)?];
    if size.iter().all(|side| (1..=MAX_SIDE).contains(side)) {
        return Ok(size);
    }
    Err(format!("each side must be 1 to {MAX_SIDE} pixels"))
}

fn parse_samples(text: &str) -> Result<u32, String> {
    let samples =
        text.parse::<u32>().ok().filter(|samples| [1, 2, 4, 8, 16, 32, 64].contains(samples));
    samples.ok_or_else(|| "samples are 1, 2, 4, 8, 16, 32 or 64".to_owned())
}

/// Runs the subcommand.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let profiles = profiles::load(args.profiles.as_deref())?;
    if let Some(file) = &args.batch {
        return batch::run(file, out, |row| batch::bins(row, &profiles));
    }
    if let Some(file) = &args.verdicts {
        return batch::run(file, out, |row| batch::verdict(row, &profiles));
    }
    let pass = pass(args)?;
    let options = Options {
        model: match args.model {
            ModelName::Open => Model::Open,
            ModelName::Fitted => Model::Fitted,
        },
        layout: match args.layout {
            LayoutName::Full => Some(Layout::Full),
            LayoutName::AvoidCcu => Some(Layout::AvoidCcu),
            LayoutName::Auto => None,
        },
    };
    let mut rows = Vec::new();
    for (index, profile) in targets(&args.gpu, &profiles)?.iter().enumerate() {
        let forecast = forecast_with(&pass, profile, options);
        if args.json {
            rows.push(to_json(profile, &forecast, &pass, options));
            continue;
        }
        if index > 0 {
            writeln!(out)?;
        }
        explain::print(profile, &forecast, &pass, options, out)?;
    }
    if args.json {
        writeln!(out, "{:#}", Value::from(rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn targets<'a>(names: &[String], profiles: &'a [Profile]) -> Result<Vec<Cow<'a, Profile>>, String> {
    let defaults = DEFAULT_TARGETS.map(str::to_owned);
    let names = if names.is_empty() { &defaults } else { names };
    let resolve = |name: &String| profile::resolve(name.trim(), profiles);
    names.iter().map(resolve).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// The pass that the options describe: everything is cleared, colour is stored or, with samples,
/// resolved, and depth dies on the tile.
fn pass(args: &Args) -> Result<PassShape, String> {
    let names = args.color.iter().chain(&args.depth);
    let known = names.map(|name| batch::format(name)).collect::<Result<Vec<_>, _>>()?;
    for (index, format) in known.iter().enumerate() {
        if format::is_depth_stencil(*format) != (index >= args.color.len()) {
            return Err(format!("{format:?} stands for the other kind of attachment"));
        }
    }
    let mut pass = spec::simple(args.size.unwrap_or([0, 0]), args.views, args.samples, &known);
    pass.draws = args.draws;
    if args.samples > 1 {
        resolve_color(&mut pass);
    }
    Ok(pass)
}

/// Gives each colour attachment a resolve target that is stored in its place.
fn resolve_color(pass: &mut PassShape) {
    let Some(subpass) = pass.subpasses.first_mut() else { return };
    for source in subpass.color.iter().flatten() {
        let source = &mut pass.attachments[*source];
        let target = Attachment { store: source.store, ..Attachment::new(source.format, 1) };
        source.store = Attachment::new(source.format, 1).store;
        subpass.resolve.push(Some(pass.attachments.len()));
        pass.attachments.push(target);
    }
}

fn to_json(profile: &Profile, forecast: &Forecast, pass: &PassShape, options: Options) -> Value {
    let stages: Vec<&str> = forecast.stages.iter().map(|stage| stage.as_str()).collect();
    let ops: Vec<String> = forecast.ops.iter().map(ToString::to_string).collect();
    let sources: serde_json::Map<_, _> = explain::sources(profile)
        .into_iter()
        .map(|(field, value, source)| (field, json!({"value": value, "source": source})))
        .collect();
    let budget = explain::budget(profile, pass, forecast, options);
    json!({
        "gpu": profile.name,
        "title": profile.title,
        "tile": forecast.tile,
        "bins": forecast.bins,
        "bytes_per_pixel": forecast.bytes_per_pixel,
        "views": pass.tile_layers(),
        "tile_memory": budget.map(|budget| budget.memory),
        "pixels_per_bin": budget.map(|budget| budget.pixels),
        "mode": forecast.mode.as_str(),
        "reason": forecast.reason.as_ref().map(ToString::to_string),
        "layout": forecast.layout.map(Layout::as_str),
        "visibility": forecast.visibility,
        "stages": stages,
        "ops": ops,
        "surface": forecast.surface,
        "estimate": forecast.estimate,
        "source": forecast.source.as_str(),
        "assumes": explain::assumptions(profile, forecast, pass, options),
        "sources": sources,
    })
}
