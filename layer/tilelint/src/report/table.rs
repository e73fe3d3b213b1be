//! The pass table as text: what each pass asks for, and what each target makes of it.

use std::fmt::Write as _;

use super::figures::human_bytes;
use super::schema::{AspectOps, Attachment, Forecast, Pass, Report};

/// Writes the table of all passes.
pub fn pass_table(report: &Report) -> String {
    let mut out = String::new();
    for pass in &report.passes {
        head(&mut out, pass);
        rows(&mut out, pass);
        for (target, forecast) in &pass.targets {
            target_line(&mut out, target, forecast);
        }
    }
    out
}

fn head(out: &mut String, pass: &Pass) {
    let [width, height] = pass.extent;
    let mut parts = vec![format!("{width}x{height}"), pass.via.clone()];
    if pass.area != [0, 0, width.into(), height.into()] {
        let [x, y, width, height] = pass.area;
        parts.push(format!("area {width}x{height}+{x}+{y}"));
    }
    if pass.views != 0 {
        parts.push(format!("views {:#b}", pass.views));
    } else if pass.layers > 1 {
        parts.push(format!("{} layers", pass.layers));
    }
    if pass.subpasses > 1 {
        parts.push(format!("{} subpasses", pass.subpasses));
    }
    parts.push(match pass.draws {
        Some(1) => "1 draw".to_owned(),
        Some(draws) => format!("{draws} draws"),
        None => "draws unknown".to_owned(),
    });
    if pass.per_frame > 1 {
        parts.push(format!("{} a frame", pass.per_frame));
    }
    let frames = if pass.frames == 1 { "frame" } else { "frames" };
    parts.push(format!("in {} {frames}", pass.frames));
    let _ = writeln!(out, "pass `{}`: {}", pass.name, parts.join(", "));
}

fn rows(out: &mut String, pass: &Pass) {
    let mut rows: Vec<[String; 5]> = Vec::new();
    for attachment in &pass.attachments {
        for aspect in &attachment.aspects {
            rows.push(row(attachment, aspect));
        }
    }
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    for row in &rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, " {cell:width$} ");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn row(attachment: &Attachment, ops: &AspectOps) -> [String; 5] {
    let name = attachment.image.clone();
    let name = name.unwrap_or_else(|| format!("attachment {}", attachment.slot));
    let samples = match attachment.samples {
        1 => String::new(),
        samples => format!(" {samples}x"),
    };
    let unknown = || "?".to_owned();
    let bytes = |bytes: Option<u64>| bytes.map_or_else(unknown, human_bytes);
    let op = |op: &Option<String>| op.clone().unwrap_or_else(unknown);
    let mut after = Vec::new();
    after.extend(attachment.resolve.as_ref().map(|target| format!("resolved to {target}")));
    match (&ops.content, &ops.next) {
        (Some(content), Some(next)) => after.push(format!("{content}: {next}")),
        (Some(content), None) => after.push(content.clone()),
        _ => {}
    }
    [
        name,
        format!("{}{samples} {}", attachment.format, ops.aspect),
        format!("{} -> {}", op(&ops.load), op(&ops.store)),
        format!("loads {}, stores {}", bytes(ops.load_bytes), bytes(ops.store_bytes)),
        after.join(", "),
    ]
}

fn target_line(out: &mut String, target: &str, forecast: &Forecast) {
    let _ = writeln!(out, "  {target}: {}", forecast.surface);
    if let Some(reason) = &forecast.reason {
        let _ = writeln!(out, "    {}: {reason}", forecast.mode);
    }
}
