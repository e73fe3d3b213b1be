//! Many passes at once: JSON lines in, JSON lines out.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use tilelint::format::{self as formats, SHORT_NAMES};
use tilelint::nearest::closest;
use tilelint::profile::{self, Binned, Profile};
use tilelint::tiler::{Layout, PassShape, forecast, planes, spec, verdict};

use crate::{FAILED, Outcome};

/// Answers every row of a file, `-` being standard input. A row that cannot be answered becomes a
/// line with `error`, a message, and a failed exit.
pub fn run(
    file: &Path,
    out: &mut dyn Write,
    answer: impl Fn(&Value) -> Result<Value, String>,
) -> Outcome {
    let text = read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut failed = false;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row = serde_json::from_str::<Value>(line).map_err(|error| error.to_string());
        let answered = row.and_then(|row| answer(&row)).unwrap_or_else(|error| {
            failed = true;
            eprintln!("{}:{}: {error}", file.display(), index + 1);
            json!({ "error": error })
        });
        writeln!(out, "{answered}")?;
    }
    Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

fn read(file: &Path) -> io::Result<String> {
    if file != Path::new("-") {
        return fs::read_to_string(file);
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

fn string<'a>(row: &'a Value, key: &str) -> Result<&'a str, String> {
    row[key].as_str().ok_or_else(|| format!("the row has no `{key}`"))
}

fn number(row: &Value, key: &str) -> Result<Option<u32>, String> {
    let value = &row[key];
    if value.is_null() {
        return Ok(None);
    }
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.map(Some).ok_or_else(|| format!("`{key}` is not a number of 32 bits"))
}

fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The format of a name; an unknown one gets the nearest short name.
pub fn format(name: &str) -> Result<ash::vk::Format, String> {
    formats::by_name(name).ok_or_else(|| {
        let near = closest(name, SHORT_NAMES.iter().map(|(short, _)| *short));
        let near = near.unwrap_or_default();
        let all: Vec<&str> = SHORT_NAMES.iter().map(|(short, _)| *short).collect();
        format!("unknown format `{name}`; the nearest is `{near}` ({})", all.join(", "))
    })
}

fn target<'a>(
    row: &Value,
    profiles: &'a [Profile],
) -> Result<std::borrow::Cow<'a, Profile>, String> {
    profile::resolve(string(row, "gpu")?, profiles).map_err(|error| error.to_string())
}

/// The keys of a row that were read, in its own order.
fn inputs(row: &Value, keys: &[&str]) -> Map<String, Value> {
    let fields = row.as_object().into_iter().flatten();
    let read = fields.filter(|(key, _)| keys.contains(&key.as_str()));
    read.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The bins of a row in both layouts of the open driver and by the fitted rule.
pub fn bins(row: &Value, profiles: &[Profile]) -> Result<Value, String> {
    let profile = target(row, profiles)?;
    let mut names = strings(&row["att"]);
    names.extend(strings(&row["color"]));
    names.extend(strings(&row["depth"]));
    let known = names.into_iter().map(format).collect::<Result<Vec<_>, _>>()?;
    let need = |key: &str| number(row, key)?.ok_or_else(|| format!("the row has no `{key}`"));
    let samples = number(row, "samples")?.or(number(row, "s")?).unwrap_or(1);
    let views = number(row, "views")?.unwrap_or(1);
    if !(1..=32).contains(&views) {
        return Err("`views` must be 1 to 32".to_owned());
    }
    let pass = spec::simple([need("w")?, need("h")?], views, samples, &known);
    if !pass.is_sound() {
        return Err("the size or the samples are out of range".to_owned());
    }
    let keys = ["id", "gpu", "gmem", "w", "h", "views", "samples", "s", "color", "depth", "att"];
    let mut answer = inputs(row, &keys);
    let bytes = planes::planes(&pass).map(|planes| planes.iter().map(|plane| plane.bytes).sum());
    answer.insert("gmem_bpp".to_owned(), json!(bytes.map(|bytes: u32| bytes)));
    for layout in [Layout::Full, Layout::AvoidCcu] {
        let bins = profile.binned.as_ref().and_then(|binned| open_bins(&pass, layout, binned));
        answer.insert(layout.as_str().to_owned(), json!(bins));
    }
    let forecast = forecast(&pass, &profile);
    let fitted = forecast.tile.map(|tile| json!({"tile": tile, "n": forecast.bins}));
    answer.insert("fitted".to_owned(), json!(fitted));
    Ok(Value::Object(answer))
}

fn open_bins(pass: &PassShape, layout: Layout, binned: &Binned) -> Option<Value> {
    let tiling = verdict::tiling(pass, layout, binned)?;
    let bins = tiling.bins?;
    Some(json!({
        "tile": bins.tile,
        "bins": bins.grid,
        "n": bins.count(),
        "pixels": tiling.budget.pixels,
        "pipe": tiling.visibility.pipe,
        "vsc": tiling.visibility.possible,
        "hwbin": tiling.visibility.used,
    }))
}

/// What the open driver does with the pass of a row.
pub fn verdict(row: &Value, profiles: &[Profile]) -> Result<Value, String> {
    let profile = target(row, profiles)?;
    let pass = spec::parse(strings(&row["spec"]))?;
    let binned = profile.binned.as_ref();
    let binned = binned.ok_or_else(|| format!("{} does not bin", profile.name))?;
    let verdict = verdict::judge(&pass, binned);
    let verdict = verdict.ok_or("the size of a format is not known")?;
    let mut answer = inputs(row, &["id", "gpu", "group", "case"]);
    let mode = if verdict.in_bins { "gmem" } else { "sysmem" };
    let ops: Vec<String> = verdict.ops.iter().map(ToString::to_string).collect();
    for (key, value) in [
        ("gmem_capable", json!(verdict.capable)),
        ("mode", json!(mode)),
        ("reason", json!(verdict.reason.to_string())),
        ("layout", json!(verdict.layout.as_str())),
        ("gmem_ops", json!(ops)),
    ] {
        answer.insert(key.to_owned(), value);
    }
    Ok(Value::Object(answer))
}
