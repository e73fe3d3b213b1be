//! The frame as a graph: passes left to right as they are first executed, and below them what one
//! stores and another reads, each on a way of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tilelint::report::{Attachment, Edge, Pass, Report, human_bytes};

use super::super::escape::markup;
use super::traffic::{Waste, shown, traffic};

const WIDTH: usize = 236;
const STEP: usize = 264;
/// Above the passes stand the labels around them.
const TOP: usize = 30;
const HEAD: usize = 44;
const ROW: usize = 17;
const FOOT: usize = 26;
/// Attachments of a pass that are named.
const MAX_ROWS: usize = 8;
/// Height of a row of labels.
const LANE: usize = 19;
/// Room between the passes and the first of them.
const GAP: usize = 20;
/// Rows before they are shared.
const MAX_LANES: usize = 40;
/// Lines that end at one pass side by side.
const MAX_ENDS: usize = 6;
/// Letters of names that fit.
const LETTERS: usize = 26;
const SHORT_LETTERS: usize = 14;
const EDGE_LETTERS: usize = 18;
/// Width of a letter of an edge's label.
const LETTER: usize = 7;

/// Writes the section.
pub fn graph(out: &mut String, report: &Report, waste: &Waste<'_>) {
    if report.passes.is_empty() {
        return;
    }
    let ways = ways(report);
    let rows = report.passes.iter().map(rows).max().unwrap_or(0);
    let bottom = TOP + HEAD + rows * ROW + FOOT;
    let lanes = ways.iter().map(|way| way.lane + way.edges.len()).max().unwrap_or(0);
    let (width, height) = (report.passes.len() * STEP + 20, bottom + GAP + lanes * LANE);
    out.push_str(
        "<h2 id=\"frame\">The frame</h2>\n<p class=\"soft\">Passes in the order of their first \
         execution, with what each attachment loads (↓) and stores (↑). Below them: what one pass \
         leaves and another reads; dashed, in a later frame. <span class=\"key avoidable\">\
         avoidable</span></p>\n",
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
    labels(out, report);
    for way in &ways {
        line(out, report, way, bottom);
    }
    for (index, pass) in report.passes.iter().enumerate() {
        node(out, report, waste, index, pass);
    }
    out.push_str("</svg></div>\n");
}

/// What one pass leaves for another, and where the line runs.
struct Way<'a> {
    edges: Vec<&'a Edge>,
    from: usize,
    to: usize,
    start: usize,
    end: usize,
    /// Its line is below so many rows of labels.
    lane: usize,
}

impl Way<'_> {
    fn is_later(&self) -> bool {
        self.edges.iter().all(|edge| edge.across_frames)
    }

    /// Width of the widest label.
    fn label(&self) -> usize {
        self.edges.iter().map(|edge| label(edge).chars().count()).max().unwrap_or(0) * LETTER
    }
}

fn label(edge: &Edge) -> String {
    let bytes = edge.bytes.map_or("? B".to_owned(), human_bytes);
    let aspect = if edge.aspect == "stencil" { " stencil" } else { "" };
    format!("{}{aspect} {bytes}", short(&edge.image, EDGE_LETTERS))
}

/// One line for each pair of passes, with its place at both, in a lane in which it meets no other.
fn ways(report: &Report) -> Vec<Way<'_>> {
    let index: BTreeMap<&str, usize> =
        report.passes.iter().enumerate().map(|(i, pass)| (pass.key.as_str(), i)).collect();
    let mut pairs: BTreeMap<(usize, usize, usize, bool), Vec<&Edge>> = BTreeMap::new();
    for edge in &report.edges {
        let ends = index.get(edge.from.as_str()).zip(index.get(edge.to.as_str()));
        let Some((from, to)) = ends.map(|(from, to)| (*from, *to)) else { continue };
        // The shortest lines run highest.
        pairs.entry((from.abs_diff(to), from, to, edge.across_frames)).or_default().push(edge);
    }
    let mut leaving = vec![0; report.passes.len()];
    let mut entering = vec![0; report.passes.len()];
    let mut ways: Vec<Way<'_>> = Vec::new();
    let mut lanes: Vec<Vec<(usize, usize)>> = Vec::new();
    for ((_, from, to, _), edges) in pairs {
        let place = |count: &mut usize| {
            *count = (*count + 1).min(MAX_ENDS);
            *count * 11
        };
        // A line leaves on the right half, each left of longer ones, so that none cuts the labels
        // at its left; it enters on the left half.
        let start = from * STEP + 10 + WIDTH - 11 * (MAX_ENDS + 1) + place(&mut leaving[from]);
        let end = to * STEP + 10 + place(&mut entering[to]);
        let mut way = Way { edges, from, to, start, end, lane: 0 };
        let span = (start.saturating_sub(way.label() + 12).min(end), start.max(end));
        let is_free = |lane: &Vec<(usize, usize)>| {
            lane.iter().all(|(left, right)| span.1 + 4 < *left || *right + 4 < span.0)
        };
        let height = way.edges.len();
        let fits = |at: &usize| (*at..at + height).all(|at| lanes.get(at).is_none_or(is_free));
        way.lane = (0..MAX_LANES).find(fits).unwrap_or(MAX_LANES);
        lanes.resize(lanes.len().max(way.lane + height), Vec::new());
        lanes[way.lane..way.lane + height].iter_mut().for_each(|lane| lane.push(span));
        ways.push(way);
    }
    ways
}

fn rows(pass: &Pass) -> usize {
    pass.attachments.len().min(MAX_ROWS + 1)
}

/// Writes the outermost labels, each over the passes that follow each other in it.
fn labels(out: &mut String, report: &Report) {
    let outer = |pass: &Pass| pass.labels.first().cloned();
    let mut start = 0;
    while start < report.passes.len() {
        let label = outer(&report.passes[start]);
        let same = report.passes[start..].iter().take_while(|pass| outer(pass) == label).count();
        if let Some(label) = label {
            let (x, width) = (start * STEP + 10, (same - 1) * STEP + WIDTH);
            let _ = writeln!(
                out,
                "<g class=\"label\"><path d=\"M{x} 26v-4h{width}v4\"/><text x=\"{x}\" y=\"16\">{}\
                 </text></g>",
                markup(&short(&label, LETTERS * same))
            );
        }
        start += same;
    }
}

/// Writes the line, from below its pass to below the other.
fn line(out: &mut String, report: &Report, way: &Way<'_>, bottom: usize) {
    let is_bad = way.edges.iter().any(|edge| is_waste(report, edge));
    let class = match (is_bad, way.is_later()) {
        (true, true) => "edge waste later",
        (true, false) => "edge waste",
        (false, true) => "edge later",
        (false, false) => "edge",
    };
    let foot = |pass: usize| TOP + height(&report.passes[pass]);
    let (start, end, low) = (way.start, way.end, bottom + GAP + way.lane * LANE);
    let (from, to) = (foot(way.from), foot(way.to));
    let _ = writeln!(
        out,
        "<g class=\"{class}\" data-from=\"{}\" data-to=\"{}\">\
         <path d=\"M{start} {from}V{low}H{end}V{to}\" marker-end=\"url(#tip)\"/>",
        way.from, way.to
    );
    let x = start - 7;
    let (width, top) = (way.label() + 8, low - 9);
    let _ = write!(
        out,
        "<rect x=\"{}\" y=\"{top}\" width=\"{width}\" height=\"{}\"/>",
        x.saturating_sub(width),
        way.edges.len() * LANE - 4
    );
    for (row, edge) in way.edges.iter().enumerate() {
        let class = if is_waste(report, edge) { "end bad" } else { "end" };
        let _ = write!(
            out,
            "<text x=\"{x}\" y=\"{}\" class=\"{class}\">{}<title>{} {}, {}: {}</title></text>",
            low + 4 + row * LANE,
            markup(&label(edge)),
            markup(&edge.image),
            markup(&edge.aspect),
            markup(&edge.how),
            shown(edge.bytes)
        );
    }
    out.push_str("</g>\n");
}

/// A finding says that the content need not be loaded, or not be stored only to be loaded.
fn is_waste(report: &Report, edge: &Edge) -> bool {
    edge.how == "loaded"
        && report.findings.iter().any(|finding| {
            let (at, cost) = (&finding.location, &finding.cost);
            let content = at.image.as_ref() == Some(&edge.image);
            let aspect = at.aspect.as_ref() == Some(&edge.aspect);
            let pass = at.pass_key.as_ref();
            let loaded = cost.load_bytes > 0 && pass == Some(&edge.to);
            let stored = cost.store_bytes > 0 && pass == Some(&edge.from);
            content && aspect && (loaded || stored)
        })
}

fn height(pass: &Pass) -> usize {
    HEAD + rows(pass) * ROW + FOOT
}

fn node(out: &mut String, report: &Report, waste: &Waste<'_>, index: usize, pass: &Pass) {
    let of_pass = |key: &Option<String>| key.as_ref() == Some(&pass.key);
    let count = report.findings.iter().filter(|f| of_pass(&f.location.pass_key)).count();
    let key = markup(&pass.key);
    let bad = waste.bytes(pass);
    let class = if bad > 0 { "pass waste" } else { "pass" };
    let (x, height) = (index * STEP + 10, height(pass));
    let _ = write!(
        out,
        "<a href=\"#pass-{key}\" class=\"{class}\" data-pass=\"{key}\" data-index=\"{index}\" \
         data-findings=\"{count}\"><title>{}</title><rect x=\"{x}\" y=\"{TOP}\" \
         width=\"{WIDTH}\" height=\"{height}\" rx=\"6\"/>",
        markup(&pass.name)
    );
    let [width, high] = pass.extent;
    let draws = pass.draws.map_or("? draws".to_owned(), |draws| match draws {
        1 => "1 draw".to_owned(),
        draws => format!("{draws} draws"),
    });
    let text = |out: &mut String, x: usize, y: usize, class: &str, text: &str| {
        let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>", markup(text));
    };
    let (left, right) = (x + 10, x + WIDTH - 10);
    text(out, left, TOP + 18, "name", &short(&pass.name, LETTERS));
    text(out, left, TOP + 34, "soft", &format!("{width}×{high}, {draws}"));
    for (row, attachment) in pass.attachments.iter().take(MAX_ROWS).enumerate() {
        row_of(out, waste, pass, attachment, [left, right, TOP + HEAD + 12 + row * ROW]);
    }
    if pass.attachments.len() > MAX_ROWS {
        let more = format!("and {} more", pass.attachments.len() - MAX_ROWS);
        text(out, left, TOP + HEAD + 12 + MAX_ROWS * ROW, "soft", &more);
    }
    let (load, store) = traffic(pass);
    let foot = TOP + height - 9;
    text(out, left, foot, "soft", &format!("↓ {}  ↑ {}", shown(load), shown(store)));
    let found = match count {
        0 => String::new(),
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    };
    text(out, right, foot, "count end", &found);
    out.push_str("</a>\n");
}

/// An attachment: its name, what it loads and what it stores.
fn row_of(
    out: &mut String,
    waste: &Waste<'_>,
    pass: &Pass,
    attachment: &Attachment,
    [left, right, y]: [usize; 3],
) {
    let name = attachment.image.as_deref().unwrap_or("?");
    let bad = attachment.aspects.iter().map(|aspect| waste.is_for_nobody(pass, name, aspect));
    let (load_bad, store_bad) = bad.fold((false, false), |(a, b), (c, d)| (a || c, b || d));
    let loads: Option<u64> = attachment.aspects.iter().map(|aspect| aspect.load_bytes).sum();
    let stores: Option<u64> = attachment.aspects.iter().map(|aspect| aspect.store_bytes).sum();
    let (samples, letters) = match attachment.samples {
        0 | 1 => (String::new(), SHORT_LETTERS),
        samples => (format!(" {samples}×"), SHORT_LETTERS - 3),
    };
    let name = markup(&format!("{}{samples}", short(name, letters)));
    let _ = write!(out, "<text x=\"{left}\" y=\"{y}\" class=\"image\">{name}</text>");
    for (arrow, bytes, is_bad, x) in
        [("↓", loads, load_bad, right - 66), ("↑", stores, store_bad, right)]
    {
        let amount = match bytes {
            Some(0) => continue,
            Some(bytes) => human_bytes(bytes),
            None => "?".to_owned(),
        };
        let class = if is_bad { "bytes end bad" } else { "bytes end" };
        let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{arrow} {amount}</text>");
    }
}

fn short(name: &str, letters: usize) -> String {
    if name.chars().count() <= letters {
        return name.to_owned();
    }
    name.chars().take(letters - 1).chain(['…']).collect()
}
