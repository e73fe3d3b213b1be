//! The frame as a graph of passes, left to right as they are first executed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tilelint::report::{Edge, Pass, Report, human_bytes};

use super::super::escape::markup;

const WIDTH: usize = 150;
const HEIGHT: usize = 78;
const STEP: usize = 200;
const TOP: usize = 16;
/// How far below the passes the shortest edge runs, and each longer one below it.
const DROP: usize = 34;
/// Longer edges share the lowest way.
const MAX_DROPS: usize = 8;
/// Letters of a name that fit.
const LETTERS: usize = 20;

/// Writes the section.
pub fn graph(out: &mut String, report: &Report) {
    if report.passes.is_empty() {
        return;
    }
    let index: BTreeMap<&str, usize> =
        report.passes.iter().enumerate().map(|(i, pass)| (pass.key.as_str(), i)).collect();
    let known =
        |edge: &Edge| Some((*index.get(edge.from.as_str())?, *index.get(edge.to.as_str())?));
    let edges: Vec<(usize, usize, &Edge)> = report
        .edges
        .iter()
        .filter_map(|edge| known(edge).map(|(from, to)| (from, to, edge)))
        .collect();
    let drops = edges.iter().map(|(from, to, _)| drops(*from, *to)).max().unwrap_or(0);
    let (width, height) = (report.passes.len() * STEP, TOP + HEIGHT + 24 + drops * DROP);
    out.push_str(
        "<h2 id=\"frame\">The frame</h2>\n<p class=\"soft\">An edge is a content that \
         one pass stores and another reads; dashed: in a later frame. Orange: a finding says that \
         it moves bytes for nobody.</p>\n",
    );
    let _ = writeln!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"graph of passes\">\
         <svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    );
    out.push_str(
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\" \
         fill=\"context-stroke\"/></marker></defs>\n",
    );
    for (from, to, content) in edges {
        edge(out, report, from, to, content);
    }
    for (index, pass) in report.passes.iter().enumerate() {
        node(out, report, index, pass);
    }
    out.push_str("</svg></div>\n");
}

fn drops(from: usize, to: usize) -> usize {
    from.abs_diff(to).clamp(1, MAX_DROPS)
}

fn edge(out: &mut String, report: &Report, from: usize, to: usize, edge: &Edge) {
    let bottom = TOP + HEIGHT;
    let (start, end) = (from * STEP + WIDTH * 2 / 3 + 10, to * STEP + WIDTH / 3 + 10);
    let low = bottom + drops(from, to) * DROP;
    let is_waste = report.findings.iter().any(|finding| {
        let at = &finding.location;
        let stores = finding.cost.store_bytes + finding.cost.load_bytes > 0;
        let pass = at.pass_key.as_ref();
        let image = at.image.as_ref() == Some(&edge.image);
        stores && image && (pass == Some(&edge.from) || pass == Some(&edge.to))
    });
    let class = match (is_waste, edge.across_frames) {
        (true, true) => "edge waste later",
        (true, false) => "edge waste",
        (false, true) => "edge later",
        (false, false) => "edge",
    };
    let bytes = edge.bytes.map_or("? B".to_owned(), human_bytes);
    let (image, how) = (markup(&edge.image), markup(&edge.how));
    let middle = (start + end) / 2;
    let _ = writeln!(
        out,
        "<g class=\"{class}\"><title>{image}, {how}: {bytes}</title>\
         <path d=\"M{start} {bottom}C{start} {low} {end} {low} {end} {bottom}\" \
         marker-end=\"url(#tip)\"/>\
         <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{} {bytes}</text></g>",
        bottom + (low - bottom) * 3 / 4 + 13,
        markup(&short(&edge.image))
    );
}

fn node(out: &mut String, report: &Report, index: usize, pass: &Pass) {
    let of_pass = |key: &Option<String>| key.as_ref() == Some(&pass.key);
    let count = report.findings.iter().filter(|f| of_pass(&f.location.pass_key)).count();
    let (load, store) = traffic(pass);
    let key = markup(&pass.key);
    let (name, full) = (markup(&short(&pass.name)), markup(&pass.name));
    let class = if count > 0 { "pass waste" } else { "pass" };
    let findings = match count {
        0 => String::new(),
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    };
    let x = index * STEP + 10;
    let _ = write!(
        out,
        "<a href=\"#pass-{key}\" class=\"{class}\" data-pass=\"{key}\" data-findings=\"{count}\">\
         <title>{full}</title>\
         <rect x=\"{x}\" y=\"{TOP}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"5\"/>"
    );
    let lines = [
        ("", name),
        ("soft", format!("load {}", shown(load))),
        ("soft", format!("store {}", shown(store))),
        ("count", findings),
    ];
    for ((class, text), y) in lines.into_iter().zip((TOP + 17..).step_by(17)) {
        let x = x + 8;
        let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{text}</text>");
    }
    out.push_str("</a>\n");
}

/// Bytes that a pass loads and stores, `None` where not all of it is known.
pub fn traffic(pass: &Pass) -> (Option<u64>, Option<u64>) {
    let aspects = || pass.attachments.iter().flat_map(|attachment| &attachment.aspects);
    (aspects().map(|aspect| aspect.load_bytes).sum(), aspects().map(|a| a.store_bytes).sum())
}

/// Bytes in words.
pub fn shown(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "unknown".to_owned(), human_bytes)
}

fn short(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    name.chars().take(LETTERS - 1).chain(['…']).collect()
}
