//! `tilelint gpus`: the targets that passes can be judged for.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use tilelint::profile::{self, Binned, DEFAULT_TARGETS, FixedTile, Kind, Profile};

use crate::{Outcome, profiles};

/// List the GPUs that passes can be judged for, or show the numbers of some of them
#[derive(clap::Args)]
pub struct Args {
    /// Show every number of these targets with its source
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Folder of your own profiles (*.toml)
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let profiles = profiles::load(args.profiles.as_deref())?;
    let resolve = |name: &String| profile::resolve(name, &profiles);
    let chosen = args.names.iter().map(resolve).collect::<Result<Vec<_>, _>>();
    let chosen = chosen.map_err(|error| error.to_string())?;
    if args.json {
        let shown = chosen.iter().map(AsRef::as_ref);
        let rows: Vec<Value> = if chosen.is_empty() {
            profiles.iter().map(describe).collect()
        } else {
            shown.map(describe).collect()
        };
        writeln!(out, "{:#}", Value::from(rows))?;
    } else if chosen.is_empty() {
        list(&profiles, out)?;
    } else {
        for profile in chosen {
            show(&profile, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(profiles: &[Profile], out: &mut dyn Write) -> std::io::Result<()> {
    let width = profiles.iter().map(|profile| profile.name.len()).max().unwrap_or(0);
    for profile in profiles {
        let default = if DEFAULT_TARGETS.contains(&profile.name.as_str()) { "*" } else { " " };
        let (name, tiles, title) = (&profile.name, tiles(profile), &profile.title);
        writeln!(out, "{default} {name:width$}  {tiles:44}  {:5} {title}", profile.source)?;
    }
    writeln!(out)?;
    writeln!(out, "* judged when no target is configured: {}", DEFAULT_TARGETS.join(", "))?;
    let mut labels: Vec<_> = profiles.iter().map(|profile| profile.source).collect();
    labels.sort_unstable();
    labels.dedup();
    for label in labels {
        writeln!(out, "  {:5} {}", label, label.meaning())?;
    }
    Ok(())
}

/// The tiles of a profile in a few words.
fn tiles(profile: &Profile) -> String {
    match (&profile.binned, &profile.tile) {
        (Some(binned), _) => {
            let [across, down] = binned.align;
            let kib = binned.tile_memory / 1024;
            format!("bins of {kib} KiB in steps of {across}x{down}")
        }
        (_, Some(tile)) => {
            let [width, height] = tile.max;
            let bits = profile.merge.color_bits;
            let bits = bits.map_or_else(String::new, |bits| format!(", {bits} bits per pixel"));
            format!("tiles up to {width}x{height}{bits}")
        }
        _ => "no tiles".to_owned(),
    }
}

fn show(profile: &Profile, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{} [{}]", profile.title, profile.name)?;
    if !profile.aliases.is_empty() {
        writeln!(out, "  also called {}", profile.aliases.join(", "))?;
    }
    for (field, value) in numbers(profile) {
        let source = profile.source_of(&field).unwrap_or("no source");
        writeln!(out, "  {field:29} {:>13}  {source}", words(&value))?;
    }
    Ok(())
}

fn words(value: &Value) -> String {
    match value.as_array().map(Vec::as_slice) {
        Some([width, height]) => format!("{width}x{height}"),
        _ => value.to_string(),
    }
}

/// Every number of a profile that is known, with the name of its field.
pub fn numbers(profile: &Profile) -> Vec<(String, Value)> {
    let merge = &profile.merge;
    let mut numbers = vec![
        ("vendor_id", profile.vendor_id),
        ("max_samples_full_rate", profile.max_samples_full_rate),
        ("msaa_input_parallel", profile.msaa_input_parallel),
        ("refresh_hz", profile.refresh_hz),
        ("mw_per_gbps", profile.mw_per_gbps),
        ("submit_budget", profile.submit_budget),
        ("pass_budget", profile.pass_budget),
        ("merge.color_bits", merge.color_bits),
        ("merge.max_attachments", merge.max_attachments),
    ]
    .into_iter()
    .filter_map(|(field, value)| Some((field, json!(value?))))
    .collect::<Vec<_>>();
    numbers.extend(profile.binned.as_ref().map(binned).into_iter().flatten());
    numbers.extend(profile.tile.as_ref().map(tile).into_iter().flatten());
    numbers.into_iter().map(|(field, value)| (field.to_owned(), value)).collect()
}

fn binned(binned: &Binned) -> Vec<(&'static str, Value)> {
    vec![
        ("binned.tile_memory", json!(binned.tile_memory)),
        ("binned.tile_memory_avoid_ccu", json!(binned.tile_memory_avoid_ccu)),
        ("binned.tile_memory_fitted", json!(binned.tile_memory_fitted)),
        ("binned.max_ratio_fitted", json!(binned.max_ratio_fitted)),
        ("binned.align", json!(binned.align)),
        ("binned.max_tile", json!(binned.max_tile)),
        ("binned.store_align", json!(binned.store_align)),
        ("binned.visibility_streams", json!(binned.visibility_streams)),
    ]
}

fn tile(tile: &FixedTile) -> Vec<(&'static str, Value)> {
    let mut numbers = vec![("tile.max", json!(tile.max))];
    if tile.min != [0, 0] {
        numbers.push(("tile.min", json!(tile.min)));
    }
    let counts = [
        ("tile.color_bytes", tile.color_bytes),
        ("tile.depth_bytes", tile.depth_bytes),
        ("tile.registers", tile.registers),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    numbers.extend(counts.map(|(field, count)| (field, json!(count))));
    numbers
}

fn describe(profile: &Profile) -> Value {
    let kind = match profile.kind {
        Kind::Binned => "binned",
        Kind::Fixed => "fixed",
        Kind::Immediate => "immediate",
    };
    let numbers = numbers(profile).into_iter().map(|(field, value)| {
        let source = profile.source_of(&field);
        (field, json!({"value": value, "source": source}))
    });
    json!({
        "name": profile.name,
        "title": profile.title,
        "aliases": profile.aliases,
        "devices": profile.devices,
        "kind": kind,
        "default": DEFAULT_TARGETS.contains(&profile.name.as_str()),
        "source": profile.source.as_str(),
        "numbers": numbers.collect::<serde_json::Map<_, _>>(),
    })
}
